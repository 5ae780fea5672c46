/* instructions [--isa NAME[,NAME...]] [--op WORD] [--type NAME] [--form alone|company] [--over X] [--repeat N] [--json]
 *              [--check]: each lane instruction in each of its types beside the same loop in C.
 *
 * The rows come from the opcode table. A row is a program in bytecode, one lane loop over arrays that fit the first
 * level of cache, and the loop that one writes in C, compiled by gcc -O3 for the same level of instructions: alone, or
 * in company of others, so that its operand and its result stay in registers. Their results are compared; then they
 * are timed in turn, and a ratio is tirb's time divided by C's, each the best of many. --check compares on all
 * instruction sets, and fails too where an instruction has neither a loop in C nor a reason to have none. */
#include "tests/bench/instructions/instructions.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { L1_BYTES = 24576, CHECKED = 1003, MAX_REPEATS = 1000, MAX_ISAS = 5 };
static const double batch_ns = 2e4;
static const double most = 3; /* times C's time, but for rows with a reason */

typedef struct settings {
    const char *isas, *op, *type;
    int form, repeats; /* of both forms N_FORMS */
    double over;
    bool json, check;
} settings;

typedef struct column {
    tirb_isa isa;
    const level *level;
    tirb_engine *engine;
} column;

typedef struct row {
    instruction of;
    form form;
    unsigned column;
    double ns, c_ns; /* of one element */
} row;

/* One row while it is run: arrays for both sides, and the module. */
typedef struct work {
    instruction of;
    form form;
    layout layout;
    const column *column;
    loop *c;
    loop_args args;
    void *out, *c_out;
    DLTensor tensors[MAX_ARRAYS + 1];
    int64_t n, one;
    tirb_arg call[MAX_ARRAYS + 2];
    tirb_module *module;
    tirb_instance *instance;
} work;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static const char *const form_names[] = {"alone", "company"};

static bool complain(const work *w, const char *what) {
    char name[64];
    name_instruction(w->of, name, sizeof name);
    printf("FAIL %s, %s, %s: %s\n", name, form_names[w->form], tirb_isa_name(w->column->isa), what);
    return false;
}

/* ---- One row ---------------------------------------------------------------------------------------------------- */

static void *allocate(size_t bytes) {
    void *data = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (data == NULL) {
        fprintf(stderr, "instructions: out of memory\n");
        exit(1);
    }
    memset(data, 0, bytes);
    return data;
}

/* As many elements as fit. */
static int elements_of(const layout *l) {
    size_t bytes = l->one_result ? 0 : tirbi_dtypes[l->out].size;
    for (unsigned i = 0; i < l->n_in; i++) bytes += tirbi_dtypes[l->in[i]].size;
    return (int)(L1_BYTES / bytes / 64 * 64);
}

static void set_tensor(work *w, unsigned i, void *data, tirbi_dtype type, int64_t *extent) {
    w->tensors[i] = (DLTensor){.data = data, .ndim = 1, .dtype = tirbi_dtype_to_dl(type), .shape = extent};
    w->tensors[i].device.device_type = kDLCPU;
    w->call[i].kind = TIRB_ARG_TENSOR;
    w->call[i].value.tensor = &w->tensors[i];
}

static void make_arrays(work *w, int n) {
    const layout *l = &w->layout;
    w->n = w->args.n = n;
    w->one = 1;
    for (unsigned i = 0; i < l->n_in; i++) {
        void *data = allocate((size_t)n * tirbi_dtypes[l->in[i]].size);
        fill(w->of, l, i, data, n);
        w->args.in[i] = data;
        set_tensor(w, i, data, l->in[i], &w->n);
    }
    const size_t bytes = (size_t)n * tirbi_dtypes[l->out].size;
    w->out = allocate(bytes);
    w->c_out = w->args.out = allocate(bytes);
    set_tensor(w, l->n_in, w->out, l->out, l->one_result ? &w->one : &w->n);
    w->call[l->n_in + 1].kind = TIRB_ARG_INT;
}

static bool load(work *w) {
    tirb_error error = TIRB_ERROR_INIT;
    size_t size;
    uint8_t *bytes = make_bundle(w->of, w->form, &size);
    bool good = bytes != NULL && tirb_module_load(w->column->engine, bytes, size, &w->module, &error) == TIRB_OK &&
                tirb_instance_create(w->module, NULL, &w->instance, &error) == TIRB_OK;
    free(bytes);
    return good || complain(w, error.message);
}

static bool call(work *w, int times) {
    tirb_error error = TIRB_ERROR_INIT;
    w->call[w->layout.n_in + 1].value.i = times;
    return tirb_instance_call(w->instance, 0, w->call, w->layout.n_in + 2, NULL, &error) == TIRB_OK ||
           complain(w, error.message);
}

static bool compare(work *w) {
    char text[128];
    int at;
    double values[2];
    if (!call(w, 1)) return false;
    w->c(&w->args);
    if (same_results(w->of, w->layout.out, w->out, w->c_out, w->layout.one_result ? 1 : (int)w->n, &at, values))
        return true;
    snprintf(text, sizeof text, "element %d is %.17g, in C %.17g", at, values[0], values[1]);
    return complain(w, text);
}

/* Nanoseconds of one loop, out of `times`. */
static double time_own(work *w, int times) {
    const double start = now();
    call(w, times);
    return (now() - start) / times;
}

static double time_c(work *w, int times) {
    const double start = now();
    for (int i = 0; i < times; i++) w->c(&w->args);
    return (now() - start) / times;
}

static int times_of(double once) { return once > batch_ns ? 1 : (int)(batch_ns / fmax(once, 1)) + 1; }

static void measure(work *w, row *out, int repeats) {
    int own = times_of(time_own(w, 4)), c = times_of(time_c(w, 4));
    double best = INFINITY, c_best = INFINITY;
    for (int i = 0; i < repeats; i++) {
        best = fmin(best, time_own(w, own));
        c_best = fmin(c_best, time_c(w, c));
    }
    out->ns = best / (double)w->n;
    out->c_ns = c_best / (double)w->n;
}

/* Runs one row: compared only with `out` NULL, else timed too. */
static bool run(instruction of, form f, const column *in, loop *c, int repeats, row *out) {
    work w = {.of = of, .form = f, .layout = layout_of(of, f), .column = in, .c = c};
    make_arrays(&w, out == NULL ? CHECKED : elements_of(&w.layout));
    const bool good = load(&w) && compare(&w);
    if (good && out != NULL) measure(&w, out, repeats);
    tirb_instance_destroy(w.instance);
    tirb_module_release(w.module);
    for (unsigned i = 0; i < w.layout.n_in; i++) free((void *)w.args.in[i]);
    free(w.out);
    free(w.c_out);
    return good;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

static double ratio(const row *r) { return r->ns / r->c_ns; }

static int compare_rows(const void *a, const void *b) {
    const double x = ratio(a), y = ratio(b);
    return (x < y) - (x > y);
}

static void print_row(const row *r, const column *in, const settings *s, bool first) {
    char name[64];
    const char *reason = allowed(r->of, in->isa);
    name_instruction(r->of, name, sizeof name);
    if (s->json)
        printf("%s\n  {\"isa\": \"%s\", \"instruction\": \"%s\", \"form\": \"%s\", \"ns\": %.5f, \"c_ns\": %.5f, "
               "\"ratio\": %.4f%s%s%s}",
               first ? "" : ",", tirb_isa_name(in->isa), name, form_names[r->form], r->ns, r->c_ns, ratio(r),
               reason != NULL ? ", \"allowed\": \"" : "", reason != NULL ? reason : "", reason != NULL ? "\"" : "");
    else
        printf("%-8s %-24s %-8s %9.4f %9.4f %8.3f  %s\n", tirb_isa_name(in->isa), name, form_names[r->form], r->ns,
               r->c_ns, ratio(r), ratio(r) > most && reason != NULL ? reason : "");
}

/* The rows of one instruction set, slowest first. */
static void print_rows(const row *rows, size_t n, const column *columns, const settings *s) {
    bool first = true;
    if (!s->json)
        printf("%-8s %-24s %-8s %9s %9s %8s  why it may\n", "on", "instruction", "form", "ns", "C ns", "ratio");
    for (size_t i = 0; i < n; i++) {
        if (ratio(&rows[i]) < s->over) continue;
        print_row(&rows[i], &columns[rows[i].column], s, first);
        first = false;
    }
}

static void print_sums(const row *rows, size_t n, const column *columns, unsigned n_columns, bool json) {
    const char *comma = "";
    if (!json) printf("\n%-8s %-8s %6s %8s %6s %14s\n", "on", "form", "rows", "geomean", "over 3", "without reason");
    for (unsigned c = 0; c < n_columns; c++)
        for (unsigned f = 0; f < N_FORMS; f++) {
            double sum = 0;
            unsigned count = 0, over = 0, without = 0;
            for (size_t i = 0; i < n; i++) {
                if (rows[i].column != c || rows[i].form != f) continue;
                sum += log(ratio(&rows[i]));
                count++;
                over += ratio(&rows[i]) > most;
                without += ratio(&rows[i]) > most && allowed(rows[i].of, columns[c].isa) == NULL;
            }
            if (count == 0) continue;
            printf(json ? "%s\n  {\"isa\": \"%s\", \"form\": \"%s\", \"rows\": %u, \"geomean\": %.4f, \"over\": %u, "
                          "\"without_reason\": %u}"
                        : "%s%-8s %-8s %6u %8.3f %6u %14u\n",
                   json ? comma : "", tirb_isa_name(columns[c].isa), form_names[f], count, exp(sum / count), over,
                   without);
            comma = ",";
        }
}

/* ---- All of them ------------------------------------------------------------------------------------------------ */

static bool wanted(instruction of, const settings *s) {
    char name[64];
    name_instruction(of, name, sizeof name);
    if (s->op != NULL && strstr(name, s->op) == NULL) return false;
    return s->type == NULL || (of.type != TIRB_TYPE_NONE && strcmp(tirbi_dtypes[of.type].name, s->type) == 0);
}

/* Whether each instruction has loops in C or, and only then, no reason to have none. */
static unsigned check_cover(const instruction *all, size_t n, const level *in) {
    unsigned failed = 0;
    for (size_t i = 0; i < n; i++) {
        char name[64];
        const bool has = find_loops(in, all[i]) != NULL, out = left_out(all[i]) != NULL;
        name_instruction(all[i], name, sizeof name);
        if (has == out) printf("FAIL %s: %s\n", name, has ? "has loops in C and is left out" : "has no loop in C");
        failed += has == out;
    }
    for (size_t i = 0; i < in->n; i++) {
        bool found = false;
        for (size_t k = 0; k < n && !found; k++) found = memcmp(&all[k], &in->loops[i].of, sizeof *all) == 0;
        if (!found) printf("FAIL row %zu of the loops in C: no such instruction\n", i);
        failed += !found;
    }
    return failed;
}

static size_t run_all(const settings *s, const column *columns, unsigned n_columns, row *rows, unsigned *failed) {
    size_t n_all, n = 0;
    unsigned passed = 0;
    instruction *all = all_instructions(&n_all);
    *failed = all == NULL || check_cover(all, n_all, columns[0].level) > 0;
    for (unsigned c = 0; c < n_columns; c++) {
        for (size_t i = 0; i < n_all; i++) {
            const c_loops *loops = find_loops(columns[c].level, all[i]);
            for (unsigned f = 0; f < N_FORMS && loops != NULL; f++) {
                if (loops->forms[f] == NULL || !wanted(all[i], s) || (s->form != N_FORMS && (int)f != s->form))
                    continue;
                row *r = s->check ? NULL : &rows[n];
                if (r != NULL) *r = (row){.of = all[i], .form = (form)f, .column = c};
                const bool good = run(all[i], (form)f, &columns[c], loops->forms[f], s->repeats, r);
                passed += good;
                *failed += !good;
                n += good && r != NULL;
            }
        }
    }
    if (s->check) printf("%u passed, %u failed\n", passed, *failed);
    free(all);
    return n;
}

static void report(const settings *s, const column *columns, unsigned n_columns, row *rows, size_t n) {
    qsort(rows, n, sizeof *rows, compare_rows);
    if (s->json) printf("{\"compiler\": \"%s\", \"rows\": [", __VERSION__);
    print_rows(rows, n, columns, s);
    if (s->json) printf("\n], \"isas\": [");
    print_sums(rows, n, columns, n_columns, s->json);
    if (s->json) printf("\n]}\n");
}

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

static const char usage[] =
    "usage: instructions [--isa NAME[,NAME...]] [--op WORD] [--type NAME] [--form alone|company] [--over X]\n"
    "                    [--repeat N] [--json] [--check]\n"
    "Times each lane instruction in each of its types beside the same loop in C, slowest first.\n"
    "  --isa NAMES  on these instruction sets (all that this CPU has but generic)\n"
    "  --op WORD    instructions whose name contains it, as \"cast.i32 from u8\" does\n"
    "  --type NAME  instructions of this type\n"
    "  --form NAME  alone: operands from memory, result to memory; company: among others\n"
    "  --over X     rows that take at least X times as long as C\n"
    "  --repeat N   the best of N turns (15)\n"
    "  --json       one JSON object\n"
    "  --check      compare the results only, on all instruction sets, and that none is left out without a reason\n";

static int read_form(const char *name) {
    for (int f = 0; f < N_FORMS; f++)
        if (strcmp(name, form_names[f]) == 0) return f;
    return -1;
}

/* The status to exit with, or -1 to go on. */
static int read_arguments(int argc, char **argv, settings *s) {
    static const struct option options[] = {
        {"isa", required_argument, NULL, 'i'},  {"op", required_argument, NULL, 'o'},
        {"type", required_argument, NULL, 't'}, {"form", required_argument, NULL, 'f'},
        {"over", required_argument, NULL, 'v'}, {"repeat", required_argument, NULL, 'r'},
        {"json", no_argument, NULL, 'j'},       {"check", no_argument, NULL, 'c'},
        {"help", no_argument, NULL, 'h'},       {0}};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (option == 'i') s->isas = optarg;
        if (option == 'o') s->op = optarg;
        if (option == 't') s->type = optarg;
        if (option == 'f') s->form = read_form(optarg);
        if (option == 'v') s->over = atof(optarg);
        if (option == 'r') s->repeats = atoi(optarg);
        if (option == 'j') s->json = true;
        if (option == 'c') s->check = true;
        if (option == 'h') return fputs(usage, stdout) < 0;
        if (option == '?') return fputs(usage, stderr), 2;
    }
    if (optind == argc && s->form >= 0 && s->repeats >= 1 && s->repeats <= MAX_REPEATS) return -1;
    fputs(usage, stderr);
    return 2;
}

static bool add_column(column *columns, unsigned *n, tirb_isa isa) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    options.isa = isa;
    options.max_threads = 1;
    columns[*n] = (column){.isa = isa, .level = level_of(isa)};
    if (columns[*n].level == NULL) return false;
    if (tirb_engine_create(&options, &columns[*n].engine, &error) != TIRB_OK) {
        fprintf(stderr, "instructions: %s\n", error.message);
        return false;
    }
    ++*n;
    return true;
}

/* The instruction sets that are named, or all; the status to exit with, or -1 to go on. */
static int make_columns(const settings *s, column *columns, unsigned *n) {
    static const tirb_isa isas[] = {TIRB_ISA_AVX512, TIRB_ISA_AVX2, TIRB_ISA_SSE2, TIRB_ISA_NEON, TIRB_ISA_GENERIC};
    const unsigned n_isas = sizeof isas / sizeof *isas - (s->check ? 0 : 1);
    char names[64];
    if (s->isas == NULL) {
        for (unsigned i = 0; i < n_isas; i++) add_column(columns, n, isas[i]);
        return *n > 0 ? -1 : 1;
    }
    snprintf(names, sizeof names, "%s", s->isas);
    for (char *name = strtok(names, ","); name != NULL && *n < MAX_ISAS; name = strtok(NULL, ",")) {
        tirb_isa isa;
        if (tirb_isa_from_name(name, &isa) != TIRB_OK || isa == TIRB_ISA_AUTO) {
            fprintf(stderr, "instructions: there is no instruction set '%s'\n", name);
            return 2;
        }
        if (!add_column(columns, n, isa))
            fprintf(stderr, "instructions: %s is left out: this CPU or this build does not have it\n", name);
    }
    return *n > 0 ? -1 : 1;
}

int main(int argc, char **argv) {
    settings s = {.form = N_FORMS, .repeats = 15};
    int status = read_arguments(argc, argv, &s);
    if (status >= 0) return status;
    column columns[MAX_ISAS];
    unsigned n_columns = 0, failed = 0;
    status = make_columns(&s, columns, &n_columns);
    if (status < 0) {
        row *rows = s.check ? NULL : allocate(MAX_ISAS * N_FORMS * columns[0].level->n * sizeof *rows);
        const size_t n = run_all(&s, columns, n_columns, rows, &failed);
        if (!s.check) report(&s, columns, n_columns, rows, n);
        free(rows);
        status = failed == 0 && (s.check || n > 0) ? 0 : 1;
    }
    for (unsigned c = 0; c < n_columns; c++) tirb_engine_release(columns[c].engine);
    return status;
}
