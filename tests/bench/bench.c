/* bench [--json] [--repeat N] [--check] [WORD...]: times kernels beside the same loops in C.
 *
 * Each kernel is compiled from its TVMScript, with all checks and fuel, and called through the public API by one
 * thread. Its outputs are compared with the C twins' before anything is timed. Then all run in turn, in batches of some
 * milliseconds; a ratio is tirb's time divided by C's, each the best of its turns: below 1 tirb is the faster one.
 * WORDs choose the rows whose `class/function:size` contains one of them. --check compares and does not time. */
#include "tests/bench/bench.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tirb/compiler.h>

enum { MAX_REPEATS = 101, LEAST_REPEATS = 3, COMPILE_REPEATS = 5, MAX_ROWS = 512 };
static const double batch_ns = 2e6, row_ns = 1.2e9;

typedef struct bench_row {
    const bench_case *program;
    const char *size;
    char form[200]; /* what the compiler made of its loops; of those that run one by one, why */
    bool scalar;    /* some do */
    double compile_ns, best[BENCH_SIDES], median[BENCH_SIDES];
    size_t bundle_size;
    bench_param params[BENCH_MAX_PARAMS];
    unsigned n_params;
} bench_row;

/* What runs on the machine: of a case the program, and of a comprehension its hand-written form as well. */
typedef struct bench_loaded {
    tirb_module *module;
    tirb_instance *instance;
    uint32_t function;
} bench_loaded;

typedef struct bench_run {
    bench_row *row;
    bench_args args;
    bench_loaded own, script;
    const bench_blas *blas; /* NULL: none to compare with */
} bench_run;

/* Processor time of this process in nanoseconds: what else runs on the machine does not count. */
static double now(void) {
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

/* ---- Programs --------------------------------------------------------------------------------------------------- */

const char *bench_function(const bench_case *program, char buffer[64]) {
    snprintf(buffer, 64, "%s", program->function);
    buffer[strcspn(buffer, "/")] = 0;
    return buffer;
}

bool bench_read(const bench_case *program, bool comprehension, bench_source *out) {
    enum { LARGEST = 1 << 20 };
    int stem = (int)strcspn(program->group, " ");
    snprintf(out->path, sizeof out->path, "%s/bench/kernels/%.*s.%s", TIRB_TEST_ROOT, stem, program->group,
             comprehension ? "tc" : "py");
    FILE *file = fopen(out->path, "rb");
    out->text = malloc(LARGEST);
    out->size = file == NULL || out->text == NULL ? 0 : fread(out->text, 1, LARGEST, file);
    if (file != NULL) fclose(file);
    if (out->size == 0) fprintf(stderr, "bench: cannot read %s\n", out->path);
    return out->size > 0;
}

/* What became of the function's loops: the kinds, and the first reason why one runs in order. */
static void note_forms(const tirb_compile_result *result, bench_row *row) {
    static const char *const names[] = {"scalar", "lanes",       NULL, NULL, NULL,
                                        "tree",   "contraction", NULL, NULL, "fused"};
    bool seen[10] = {false};
    char function[64];
    const char *why = "";
    bench_function(row->program, function);
    for (uint32_t i = 0; i < tirb_compile_result_loop_count(result); i++) {
        const tirb_loop_note *note = tirb_compile_result_loop(result, i);
        if (strcmp(note->function, function) != 0 || (unsigned)note->form > 9 || names[note->form] == NULL) continue;
        if (note->form == TIRB_FORM_SCALAR && why[0] == 0) why = note->text;
        if (!seen[note->form]) {
            size_t used = strlen(row->form);
            snprintf(row->form + used, sizeof row->form - used, "%s%s", used ? "+" : "", names[note->form]);
        }
        seen[note->form] = true;
    }
    row->scalar = seen[TIRB_FORM_SCALAR];
    size_t used = strlen(row->form);
    if (row->scalar) snprintf(row->form + used, sizeof row->form - used, ": %s", why);
}

/* Loads a bundle and makes the function ready for calls; false with a message. */
static bool prepare(bench_loaded *loaded, const bench_case *program, tirb_engine *engine, const uint8_t *bytes,
                    size_t size) {
    tirb_error error = TIRB_ERROR_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    char name[64];
    limits.fuel = UINT64_MAX / 2;
    bool good = tirb_module_load(engine, bytes, size, &loaded->module, &error) == TIRB_OK &&
                tirb_module_find(loaded->module, bench_function(program, name), &loaded->function, &error) == TIRB_OK &&
                tirb_instance_create(loaded->module, &limits, &loaded->instance, &error) == TIRB_OK;
    if (!good) fprintf(stderr, "bench: %s: %s\n", program->function, error.message);
    return good;
}

static void unload(bench_loaded *loaded) {
    tirb_instance_destroy(loaded->instance);
    tirb_module_release(loaded->module);
}

/* Compiles and loads the hand-written form of a comprehension; false with a message. */
static bool load_script(bench_run *run, tirb_engine *engine) {
    bench_source source;
    const bench_case *program = run->row->program;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    size_t size = 0;
    bool good = bench_read(program, false, &source);
    options.file_name = source.path;
    if (good && tirb_compile(source.text, source.size, &options, &result, &error) != TIRB_OK) {
        fprintf(stderr, "bench: %s: %s\n", source.path, error.message);
        good = false;
    }
    const uint8_t *bytes = good ? tirb_compile_result_bytes(result, &size) : NULL;
    good = good && prepare(&run->script, program, engine, bytes, size);
    tirb_compile_result_destroy(result);
    free(source.text);
    return good;
}

/* Compiles the file some times and loads the bundle; false with a message where either fails. */
static bool load(bench_run *run, tirb_engine *engine) {
    bench_source source;
    double times[COMPILE_REPEATS];
    const bench_case *program = run->row->program;
    bool good = bench_read(program, program->comprehension, &source);
    for (int i = 0; i < COMPILE_REPEATS && good; i++) {
        tirb_compile_result *result = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
        options.file_name = source.path;
        options.explain = i == 0;
        double start = now();
        good = tirb_compile(source.text, source.size, &options, &result, &error) == TIRB_OK;
        times[i] = now() - start;
        const uint8_t *bytes = good ? tirb_compile_result_bytes(result, &run->row->bundle_size) : NULL;
        if (good && i == 0) {
            good = prepare(&run->own, program, engine, bytes, run->row->bundle_size);
            note_forms(result, run->row);
        }
        if (!good && error.message[0] != 0) fprintf(stderr, "bench: %s: %s\n", source.path, error.message);
        tirb_compile_result_destroy(result);
    }
    if (good) run->row->compile_ns = median(times, COMPILE_REPEATS);
    free(source.text);
    return good;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static bool takes_part(const bench_run *run, int side) {
    if (side == BENCH_BLAS) return run->blas != NULL;
    return side != BENCH_SCRIPT || run->row->program->comprehension;
}

static bool call(bench_run *run, int side) {
    bench_side *own = &run->args.sides[side];
    const bench_case *program = run->row->program;
    if (program->fresh) bench_reset(&run->args, side);
    if (side == BENCH_PLAIN) program->plain(&own->twin);
    if (side == BENCH_FAST) program->fast(&own->twin);
    if (side == BENCH_BLAS) bench_call_blas(run->blas, &own->twin);
    if (side != BENCH_TIRB && side != BENCH_SCRIPT) return true;
    tirb_error error = TIRB_ERROR_INIT;
    const bench_loaded *loaded = side == BENCH_TIRB ? &run->own : &run->script;
    tirb_status status = tirb_instance_call(loaded->instance, loaded->function, own->args, run->args.n, NULL, &error);
    if (status != TIRB_OK) fprintf(stderr, "bench: %s: %s\n", program->function, error.message);
    return status == TIRB_OK;
}

static double time_batch(bench_run *run, int side, int calls) {
    double start = now();
    for (int i = 0; i < calls; i++) call(run, side);
    return (now() - start) / calls;
}

static void measure(bench_run *run, int repeats) {
    static double ns[BENCH_SIDES][MAX_REPEATS];
    int calls[BENCH_SIDES] = {0};
    double round = 0;
    for (int s = 0; s < BENCH_SIDES; s++) {
        if (!takes_part(run, s)) continue;
        double once = time_batch(run, s, 1);
        calls[s] = once > batch_ns ? 1 : (int)(batch_ns / once) + 1;
        round += once * calls[s];
    }
    int affordable = (int)(row_ns / round);
    if (repeats > affordable) repeats = affordable > LEAST_REPEATS ? affordable : LEAST_REPEATS;
    for (int i = 0; i < repeats; i++)
        for (int s = 0; s < BENCH_SIDES; s++)
            if (takes_part(run, s)) ns[s][i] = time_batch(run, s, calls[s]);
    for (int s = 0; s < BENCH_SIDES; s++) {
        if (!takes_part(run, s)) continue;
        run->row->median[s] = median(ns[s], repeats);
        run->row->best[s] = ns[s][0];
    }
}

static bool bench_one(bench_run *run, tirb_engine *engine, int repeats) {
    const bench_case *program = run->row->program;
    bool good = bench_make_args(program, run->row->size, &run->args) && load(run, engine) &&
                (!program->comprehension || load_script(run, engine));
    memcpy(run->row->params, run->args.params, sizeof run->row->params);
    run->row->n_params = run->args.n;
    for (int s = 0; s < BENCH_SIDES && good; s++) good = !takes_part(run, s) || call(run, s);
    for (int s = BENCH_PLAIN; s < BENCH_SIDES && good; s++)
        good = !takes_part(run, s) || bench_same(program, &run->args, BENCH_TIRB, s);
    if (good) measure(run, repeats);
    unload(&run->own);
    unload(&run->script);
    bench_free_args(&run->args);
    return good;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

static double ratio(const bench_row *row, int side) { return row->best[BENCH_TIRB] / row->best[side]; }

static int label_length(const char *size) { return (int)strcspn(size, " "); }

static void print_text_row(const bench_row *row) {
    char blas[32] = "", script[32] = "";
    if (row->best[BENCH_BLAS] > 0) snprintf(blas, sizeof blas, "%.0f%%", 100 / ratio(row, BENCH_BLAS));
    if (row->best[BENCH_SCRIPT] > 0) snprintf(script, sizeof script, "%.3f", ratio(row, BENCH_SCRIPT));
    printf("%-16s %-5.*s %11.2f %11.2f %11.2f %8.3f %8.3f %6s %6s  %s\n", row->program->function,
           label_length(row->size), row->size, row->best[BENCH_TIRB] / 1e3, row->best[BENCH_PLAIN] / 1e3,
           row->best[BENCH_FAST] / 1e3, ratio(row, BENCH_PLAIN), ratio(row, BENCH_FAST), blas, script, row->form);
}

static void print_json_text(const char *text) {
    putchar('"');
    for (; *text != 0; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        if ((unsigned char)*text >= ' ') putchar(*text);
    }
    putchar('"');
}

static void print_json_params(const bench_row *row) {
    static const char *const roles[] = {"input", "output", "updated", "int", "float"};
    for (unsigned p = 0; p < row->n_params; p++) {
        const bench_param *param = &row->params[p];
        printf("%s{\"role\": \"%s\"", p ? ", " : "", roles[param->role]);
        if (param->role == BENCH_INT || param->role == BENCH_FLOAT) {
            printf(", \"value\": %.17g}", param->scalar);
            continue;
        }
        printf(", \"type\": \"%s\", \"range\": %d, \"step\": %.17g, \"shape\": [", tirbi_dtypes[param->type].tvm_name,
               param->range, param->step);
        for (int d = 0; d < param->ndim; d++) printf("%s%d", d ? ", " : "", param->shape[d]);
        printf("]}");
    }
}

static void print_json_row(const bench_row *row, bool first) {
    static const char *const sides[] = {"tirb", "gcc_o3", "gcc_ofast", "blas", "tvmscript"};
    printf(
        "%s\n  {\"class\": \"%s\", \"kernel\": \"%s\", \"twin\": \"%s\", \"size\": \"%s\", \"fresh\": %s, \"form\": ",
        first ? "" : ",", row->program->group, row->program->function, row->program->twin, row->size,
        row->program->fresh ? "true" : "false");
    print_json_text(row->form);
    printf(", \"compile_ns\": %.0f, \"bundle_bytes\": %zu, \"params\": [", row->compile_ns, row->bundle_size);
    print_json_params(row);
    printf("]");
    for (int s = 0; s < BENCH_SIDES; s++)
        if (row->best[s] > 0)
            printf(", \"%s\": {\"best_ns\": %.1f, \"median_ns\": %.1f, \"ratio\": %.4f}", sides[s], row->best[s],
                   row->median[s], ratio(row, s));
    printf("}");
}

/* Geometric mean of tirb's time to a side's over a class, or (NULL) over all that have a target; 0: no rows. */
static double geomean(const bench_row *rows, unsigned n, const char *group, int side, const bench_row **worst) {
    double sum = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) {
        const bench_row *row = &rows[i];
        const char *own = row->program->group;
        bool counts =
            group != NULL ? strcmp(own, group) == 0 : strstr(own, "plain") == NULL && !row->program->comprehension;
        if (!counts || row->best[side] <= 0) continue;
        sum += log(ratio(row, side));
        count++;
        if (worst != NULL && (*worst == NULL || ratio(row, side) > ratio(*worst, side))) *worst = row;
    }
    return count == 0 ? 0 : exp(sum / count);
}

/* Products of fewer rows are entered for longer than they take, and stand in the table only. */
enum { LEAST_FOR_BLAS = 64 };

static void print_blas_share(const bench_row *rows, unsigned n) {
    double sum = 0, least = INFINITY;
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) {
        if (rows[i].best[BENCH_BLAS] <= 0 || strtoul(rows[i].size, NULL, 10) < LEAST_FOR_BLAS) continue;
        const double share = 100 / ratio(&rows[i], BENCH_BLAS);
        sum += log(share);
        least = fmin(least, share);
        count++;
    }
    if (count > 0)
        printf("of the BLAS's rate, f32 products from %d on: %.0f%%, at least %.0f%%\n", LEAST_FOR_BLAS,
               exp(sum / count), least);
}

/* Of comprehensions: their time to that of the same programs by hand, which none may exceed by a twentieth. */
static const double most_to_script = 1.05;

static void print_script_ratio(const bench_row *rows, unsigned n) {
    const bench_row *worst = NULL;
    const double mean = geomean(rows, n, "comprehensions", BENCH_SCRIPT, &worst);
    if (mean == 0) return;
    printf("comprehensions to the same as TVMScript: %.3f, at most %.3f (%s %.*s)%s\n", mean,
           ratio(worst, BENCH_SCRIPT), worst->program->function, label_length(worst->size), worst->size,
           ratio(worst, BENCH_SCRIPT) > most_to_script ? "  MISSED" : "");
}

/* Of a class that misses its target: the rows that are above it, with what the compiler says of them. */
static void print_causes(const bench_row *rows, unsigned n, const bench_class *class) {
    for (unsigned i = 0; i < n; i++) {
        const bench_row *row = &rows[i];
        if (strcmp(row->program->group, class->name) != 0 || ratio(row, BENCH_PLAIN) <= class->target) continue;
        printf("    %s %.*s at %.2f: %s\n", row->program->function, label_length(row->size), row->size,
               ratio(row, BENCH_PLAIN), row->form);
    }
}

static void print_classes(const bench_row *rows, unsigned n, bool json) {
    if (json) printf("\n], \"classes\": [");
    else printf("\n%-22s %8s %8s %8s  worst\n", "class (geomean)", "to -O3", "target", "to -Ofast");
    bool first = true;
    for (unsigned c = 0; c < bench_n_classes; c++) {
        const bench_class *class = &bench_classes[c];
        const char *group = strcmp(class->name, "all") == 0 ? NULL : class->name;
        const bench_row *worst = NULL;
        double plain = geomean(rows, n, group, BENCH_PLAIN, &worst), fast = geomean(rows, n, group, BENCH_FAST, NULL);
        if (plain == 0) continue;
        bool missed = class->target > 0 && plain > class->target;
        if (json) {
            printf("%s\n  {\"class\": \"%s\", \"ratio\": %.4f, \"ratio_fast\": %.4f, \"target\": %.3g}",
                   first ? "" : ",", class->name, plain, fast, class->target);
        } else {
            char target[32] = "none";
            if (class->target > 0) snprintf(target, sizeof target, "%.2f", class->target);
            printf("%-22s %8.3f %8s %8.3f  %s %.*s %.2f%s\n", class->name, plain, target, fast,
                   worst->program->function, label_length(worst->size), worst->size, ratio(worst, BENCH_PLAIN),
                   missed ? "  MISSED by" : "");
            if (missed && group != NULL) print_causes(rows, n, class);
        }
        first = false;
    }
    if (!json) print_blas_share(rows, n);
    if (!json) print_script_ratio(rows, n);
    printf(json ? "\n]}\n" : "");
}

static void cpu_name(char *out, size_t size) {
    char line[256];
    snprintf(out, size, "unknown CPU");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) != 0 || value == NULL) continue;
        value[strcspn(value, "\n")] = 0;
        snprintf(out, size, "%s", value + 2);
        break;
    }
    if (file != NULL) fclose(file);
}

static void print_header(tirb_isa isa, const char *blas, bool json) {
    char cpu[200];
    cpu_name(cpu, sizeof cpu);
    if (json) {
        printf("{\"cpu\": ");
        print_json_text(cpu);
        printf(", \"isa\": \"%s\", \"compiler\": ", tirb_isa_name(isa));
        print_json_text(__VERSION__);
        printf(", \"blas\": ");
        print_json_text(blas);
        printf(", \"rows\": [");
        return;
    }
    printf("%s, %s, one thread; compiler %s; BLAS: %s\n", cpu, tirb_isa_name(isa), __VERSION__, blas);
    printf("%-16s %-5s %11s %11s %11s %8s %8s %6s %6s  %s\n", "kernel", "size", "tirb us", "-O3 us", "-Ofast us",
           "to -O3", "to -Ofast", "BLAS", "script", "loops");
}

/* ---- All of them ------------------------------------------------------------------------------------------------ */

typedef struct settings {
    bool json, check;
    int repeats, n_words;
    char **words;
} settings;

static unsigned run_all(const settings *s, tirb_engine *engine, const bench_blas *blas, unsigned *n_rows) {
    static bench_row rows[MAX_ROWS];
    static const bench_run empty;
    unsigned n = 0, failed = 0;
    for (unsigned i = 0; i < bench_n_cases; i++) {
        const bench_case *program = &bench_cases[i];
        for (unsigned k = 1; k < BENCH_MAX_SIZES && program->sizes[k] != NULL && n < MAX_ROWS; k++) {
            char name[128];
            bench_run run = empty;
            snprintf(name, sizeof name, "%s/%s:%.*s", program->group, program->function,
                     label_length(program->sizes[k]), program->sizes[k]);
            if (!bench_wanted(name, s->n_words, s->words)) continue;
            rows[n] = (bench_row){.program = program, .size = program->sizes[k]};
            run.row = &rows[n];
            run.blas = program->blas ? blas : NULL;
            if (!bench_one(&run, engine, s->repeats)) {
                failed++;
                continue;
            }
            if (s->json) print_json_row(&rows[n], n == 0);
            else print_text_row(&rows[n]);
            fflush(stdout);
            n++;
        }
    }
    print_classes(rows, n, s->json);
    *n_rows = n;
    return failed;
}

static const char usage[] =
    "usage: bench [--json] [--repeat N] [--check] [WORD...]\n"
    "Times kernels beside the same loops in C; WORDs choose the rows whose class/function:size contains one of them.\n"
    "  --json      rows and classes as one JSON object\n"
    "  --repeat N  N turns for each side (15, at most 101)\n"
    "  --check     compare the results only\n"
    "TIRB_ISA names the instruction set.\n";

/* The status to exit with, or -1 to go on. */
static int read_arguments(int argc, char **argv, settings *s) {
    static const struct option options[] = {{"json", no_argument, NULL, 'j'}, {"check", no_argument, NULL, 'c'},
                                            {"repeat", required_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'},
                                            {0}};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (option == 'j') s->json = true;
        if (option == 'c') s->check = true;
        if (option == 'r') s->repeats = atoi(optarg);
        if (option == 'h') return fputs(usage, stdout) < 0;
        if (option == '?') return fputs(usage, stderr), 2;
    }
    if (s->repeats < 1 || s->repeats > MAX_REPEATS) {
        fprintf(stderr, "bench: --repeat is %d; 1 to %d\n", s->repeats, MAX_REPEATS);
        return 2;
    }
    s->n_words = argc - optind;
    s->words = argv + optind;
    return -1;
}

int main(int argc, char **argv) {
    settings s = {.repeats = 15};
    int status = read_arguments(argc, argv, &s);
    if (status >= 0) return status;
    if (s.check) return bench_check(s.n_words, s.words) ? 0 : 1;
    tirb_engine *engine = NULL;
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    const char *isa = getenv("TIRB_ISA");
    options.max_threads = 1;
    if (isa != NULL && tirb_isa_from_name(isa, &options.isa) != TIRB_OK) fprintf(stderr, "bench: TIRB_ISA=%s?\n", isa);
    if (tirb_engine_create(&options, &engine, &error) != TIRB_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        return 1;
    }
    char blas_name[200] = "none";
    bench_blas *blas = bench_open_blas(blas_name, sizeof blas_name);
    print_header(tirb_engine_isa(engine), blas_name, s.json);
    unsigned n_rows;
    unsigned failed = run_all(&s, engine, blas, &n_rows);
    bench_close_blas(blas);
    tirb_engine_release(engine);
    return failed == 0 && n_rows > 0 ? 0 : 1;
}
