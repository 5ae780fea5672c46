/* bench [--json] [--repeat N] [WORD...]: times kernels of tests/kernels beside the same loops in C.
 *
 * Each kernel is compiled from its TVMScript and called through the public API by one thread. Its outputs are compared
 * with the C twin's before anything is timed. Then the three are run in turn, in batches of some milliseconds; a ratio
 * is the median over the turns of C's time divided by tirb's, so above 1 tirb is the faster one. */
#include "tests/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tirb/compiler.h>
#include <tirb/tirb.h>

#include "loader/isa/isa.h"

enum { MAX_REPEATS = 101, COMPILE_REPEATS = 5 };
static const double batch_ns = 2e6;

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

bool bench_wanted(const char *name, int n_words, char **words) {
    for (int i = 0; i < n_words; i++)
        if (strstr(name, words[i]) != NULL) return true;
    return n_words == 0;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n) {
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
    return values[n / 2];
}

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

/* Three sets of arguments with the same inputs: tirb's, the plain twin's and the fast twin's. */
enum { TIRB, PLAIN, FAST, N_SIDES };

typedef struct side {
    twin_args twin;
    int64_t shape[BENCH_MAX_PARAMS][BENCH_MAX_DIMS];
    DLTensor tensors[BENCH_MAX_PARAMS];
    tirb_arg args[BENCH_MAX_PARAMS];
} side;

typedef struct bench_run {
    const bench_case *program;
    size_t bytes[BENCH_MAX_PARAMS];
    void *first[BENCH_MAX_PARAMS]; /* the values that inputs and updated parameters begin with */
    side sides[N_SIDES];
    tirb_instance *instance;
    uint32_t function;
} bench_run;

static uint64_t random_state;
static uint32_t random_bits(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

static void fill(void *data, const bench_param *param, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = random_bits();
        if (param->type == TIRB_F32)
            ((float *)data)[i] = (float)bits / 1073741824.0f - 1.0f;
        else if (param->type == TIRB_F64)
            ((double *)data)[i] = (double)bits / 1073741824.0 - 1.0;
        else if (param->type == TIRB_U8)
            ((uint8_t *)data)[i] = (uint8_t)(bits % (uint32_t)param->range);
        else
            ((int32_t *)data)[i] = (int32_t)(bits % (uint32_t)(param->range > 0 ? param->range : 1));
    }
}

static void *allocate(size_t bytes) {
    void *data = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (data == NULL) {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
    memset(data, 0, bytes);
    return data;
}

static void make_arguments(bench_run *run) {
    random_state = 1;
    for (unsigned p = 0; p < run->program->n_params; p++) {
        const bench_param *param = &run->program->params[p];
        bool scalar = param->role == BENCH_INT || param->role == BENCH_FLOAT;
        size_t n = 1;
        int ndim = 0;
        for (; !scalar && ndim < BENCH_MAX_DIMS && param->shape[ndim] > 0; ndim++) n *= (size_t)param->shape[ndim];
        run->bytes[p] = scalar ? 0 : n * tirbi_dtypes[param->type].size;
        run->first[p] = allocate(run->bytes[p] + 1);
        if (!scalar && param->role != BENCH_OUTPUT) fill(run->first[p], param, n);
        for (int s = 0; s < N_SIDES; s++) {
            side *own = &run->sides[s];
            own->twin.scalar[p] = param->scalar;
            own->args[p].kind = TIRB_ARG_TENSOR;
            if (param->role == BENCH_INT)
                own->args[p].kind = TIRB_ARG_INT, own->args[p].value.i = (int64_t)param->scalar;
            if (param->role == BENCH_FLOAT) own->args[p].kind = TIRB_ARG_FLOAT, own->args[p].value.f = param->scalar;
            if (scalar) continue;
            own->twin.data[p] = allocate(run->bytes[p]);
            memcpy(own->twin.data[p], run->first[p], run->bytes[p]);
            for (int d = 0; d < ndim; d++) {
                own->twin.n[p][d] = param->shape[d];
                own->shape[p][d] = param->shape[d];
            }
            DLTensor *tensor = &own->tensors[p];
            tensor->data = own->twin.data[p];
            tensor->device.device_type = kDLCPU;
            tensor->ndim = ndim;
            tensor->dtype = tirbi_dtype_to_dl(param->type);
            tensor->shape = own->shape[p];
            own->args[p].value.tensor = tensor;
        }
    }
}

static void free_arguments(bench_run *run) {
    for (unsigned p = 0; p < run->program->n_params; p++) {
        free(run->first[p]);
        for (int s = 0; s < N_SIDES; s++) free(run->sides[s].twin.data[p]);
    }
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static bool call(bench_run *run, int s) {
    side *own = &run->sides[s];
    if (run->program->fresh)
        for (unsigned p = 0; p < run->program->n_params; p++)
            if (run->program->params[p].role == BENCH_UPDATED) memcpy(own->twin.data[p], run->first[p], run->bytes[p]);
    if (s == PLAIN) run->program->plain(&own->twin);
    if (s == FAST) run->program->fast(&own->twin);
    if (s != TIRB) return true;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_status status =
        tirb_instance_call(run->instance, run->function, own->args, run->program->n_params, NULL, &error);
    if (status != TIRB_OK) fprintf(stderr, "bench: %s: %s\n", run->program->function, error.message);
    return status == TIRB_OK;
}

static double element(const void *data, tirbi_dtype type, size_t i) {
    switch (type) {
    case TIRB_F32: return (double)((const float *)data)[i];
    case TIRB_F64: return ((const double *)data)[i];
    case TIRB_U8: return ((const uint8_t *)data)[i];
    default: return ((const int32_t *)data)[i];
    }
}

/* The written parameters of tirb beside a twin's: floats within the tolerance, integers equal. */
static bool same_outputs(const bench_run *run, int s) {
    for (unsigned p = 0; p < run->program->n_params; p++) {
        const bench_param *param = &run->program->params[p];
        if (param->role != BENCH_OUTPUT && param->role != BENCH_UPDATED) continue;
        const void *a = run->sides[TIRB].twin.data[p], *b = run->sides[s].twin.data[p];
        size_t n = run->bytes[p] / tirbi_dtypes[param->type].size, different = 0;
        for (size_t i = 0; i < n; i++) {
            double x = element(a, param->type, i), y = element(b, param->type, i);
            if (fabs(x - y) <= run->program->tolerance * (1 + fabs(y))) continue;
            if ((double)++different <= run->program->may_differ * (double)n) continue;
            fprintf(stderr, "bench: %s: parameter %u element %zu is %g, in C %g\n", run->program->function, p, i, x, y);
            return false;
        }
    }
    return true;
}

static double time_batch(bench_run *run, int s, int calls) {
    double start = bench_now();
    for (int i = 0; i < calls; i++) call(run, s);
    return (bench_now() - start) / calls;
}

/* ---- One kernel ------------------------------------------------------------------------------------------------- */

typedef struct figures {
    double compile_ns, ns[N_SIDES], ratio_plain, ratio_fast;
    size_t bundle_size;
} figures;

static char *read_file(const char *name, size_t *out_size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/kernels/%s", TIRB_TEST_ROOT, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    enum { LARGEST = 1 << 20 };
    char *text = malloc(LARGEST);
    *out_size = text == NULL ? 0 : fread(text, 1, LARGEST, file);
    fclose(file);
    return text;
}

/* Compiles the file some times and loads the bundle; false with a message where either fails. */
static bool load(const bench_case *program, tirb_engine *engine, tirb_module **module, figures *out) {
    size_t size = 0;
    char *text = read_file(program->file, &size);
    if (text == NULL) {
        fprintf(stderr, "bench: cannot read %s\n", program->file);
        return false;
    }
    double times[COMPILE_REPEATS];
    bool good = true;
    for (int i = 0; i < COMPILE_REPEATS && good; i++) {
        tirb_compile_result *result = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        options.file_name = program->file;
        double start = bench_now();
        good = tirb_compile(text, size, &options, &result, &error) == TIRB_OK;
        times[i] = bench_now() - start;
        const uint8_t *bytes = good ? tirb_compile_result_bytes(result, &out->bundle_size) : NULL;
        if (good && i == 0) good = tirb_module_load(engine, bytes, out->bundle_size, module, &error) == TIRB_OK;
        if (!good) fprintf(stderr, "bench: %s: %s\n", program->file, error.message);
        tirb_compile_result_destroy(result);
    }
    if (good) out->compile_ns = median(times, COMPILE_REPEATS);
    free(text);
    return good;
}

static void measure(bench_run *run, int repeats, figures *out) {
    static double ns[N_SIDES][MAX_REPEATS], plain[MAX_REPEATS], fast[MAX_REPEATS];
    int calls[N_SIDES];
    for (int s = 0; s < N_SIDES; s++) {
        double once = time_batch(run, s, 1);
        calls[s] = once > batch_ns ? 1 : (int)(batch_ns / once) + 1;
    }
    for (int i = 0; i < repeats; i++) {
        for (int s = 0; s < N_SIDES; s++) ns[s][i] = time_batch(run, s, calls[s]);
        plain[i] = ns[PLAIN][i] / ns[TIRB][i];
        fast[i] = ns[FAST][i] / ns[TIRB][i];
    }
    for (int s = 0; s < N_SIDES; s++) out->ns[s] = median(ns[s], repeats);
    out->ratio_plain = median(plain, repeats);
    out->ratio_fast = median(fast, repeats);
}

static bool bench_one(const bench_case *program, tirb_engine *engine, int repeats, figures *out) {
    static bench_run empty;
    bench_run run = empty;
    tirb_module *module = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    run.program = program;
    if (!load(program, engine, &module, out)) return false;
    make_arguments(&run);
    bool good = tirb_module_find(module, program->function, &run.function, &error) == TIRB_OK &&
                tirb_instance_create(module, NULL, &run.instance, &error) == TIRB_OK;
    if (!good) fprintf(stderr, "bench: %s: %s\n", program->function, error.message);
    for (int s = 0; s < N_SIDES && good; s++) good = call(&run, s);
    good = good && same_outputs(&run, PLAIN) && same_outputs(&run, FAST);
    if (good) measure(&run, repeats, out);
    tirb_instance_destroy(run.instance);
    tirb_module_release(module);
    free_arguments(&run);
    return good;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

static void print_row(const bench_case *program, const figures *f, bool json, bool first) {
    if (json)
        printf("%s\n  {\"kernel\": \"%s\", \"file\": \"%s\", \"tirb_ns\": %.0f, \"c_ns\": %.0f, \"c_fast_ns\": %.0f, "
               "\"ratio\": %.3f, \"ratio_fast\": %.3f, \"compile_ns\": %.0f, \"bundle_bytes\": %zu}",
               first ? "" : ",", program->function, program->file, f->ns[TIRB], f->ns[PLAIN], f->ns[FAST],
               f->ratio_plain, f->ratio_fast, f->compile_ns, f->bundle_size);
    else
        printf("%-16s %11.2f %11.2f %11.2f %9.3f %9.3f %11.2f %8zu\n", program->function, f->ns[TIRB] / 1e3,
               f->ns[PLAIN] / 1e3, f->ns[FAST] / 1e3, f->ratio_plain, f->ratio_fast, f->compile_ns / 1e6,
               f->bundle_size);
    fflush(stdout);
}

int main(int argc, char **argv) {
    bool json = false;
    int repeats = 15, word = 1;
    for (; word < argc && argv[word][0] == '-'; word++) {
        json = json || strcmp(argv[word], "--json") == 0;
        if (strcmp(argv[word], "--repeat") == 0 && word + 1 < argc) repeats = atoi(argv[++word]);
    }
    repeats = repeats < 1 ? 1 : repeats > MAX_REPEATS ? MAX_REPEATS : repeats;
    tirb_engine *engine = NULL;
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    const char *isa = getenv("TIRB_ISA");
    if (isa != NULL && tirb_isa_from_name(isa, &options.isa) != TIRB_OK) fprintf(stderr, "bench: TIRB_ISA=%s?\n", isa);
    if (tirb_engine_create(&options, &engine, &error) != TIRB_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        return 1;
    }
    if (json)
        printf("[");
    else
        printf("%s, one thread; times in microseconds, ratio = C / tirb\n%-16s %11s %11s %11s %9s %9s %11s %8s\n",
               tirb_isa_name(tirb_engine_isa(engine)), "kernel", "tirb", "gcc -O3", "gcc -Ofast", "ratio", "to -Ofast",
               "compile ms", "bytes");
    double product = 1, product_fast = 1;
    int done = 0, failed = 0;
    for (unsigned i = 0; i < bench_n_cases; i++) {
        figures f = {0};
        if (!bench_wanted(bench_cases[i].function, argc - word, argv + word)) continue;
        if (!bench_one(&bench_cases[i], engine, repeats, &f)) {
            failed++;
            continue;
        }
        print_row(&bench_cases[i], &f, json, done == 0);
        product *= f.ratio_plain;
        product_fast *= f.ratio_fast;
        done++;
    }
    if (json)
        printf("\n]\n");
    else if (done > 0)
        printf("%-16s %11s %11s %11s %9.3f %9.3f\n", "geometric mean", "", "", "", pow(product, 1.0 / done),
               pow(product_fast, 1.0 / done));
    tirb_engine_release(engine);
    return failed == 0 ? 0 : 1;
}
