/* bench [--isa NAME[,NAME...]] [--native] [--json] [--repeat N] [--count FILE] [--check] [WORD...]: times kernels
 * beside the same loops in C.
 *
 * Each kernel is compiled from its TVMScript, with all checks and fuel, and called through the public API by one
 * thread, on each of the instruction sets named; the C is compiled for the level that has the same. Its outputs are
 * compared with the C twins' before anything is timed. Then all run in turn, in batches of some milliseconds; a ratio
 * is tirb's time divided by C's, each the best of its turns: below 1 tirb is the faster one. WORDs choose the rows
 * whose `class/function:size` contains one of them. --check compares and does not time. */
#include "tests/bench/bench.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tirb/compiler.h>

enum { MAX_REPEATS = 101, LEAST_REPEATS = 3, COMPILE_REPEATS = 5, MAX_ROWS = 1024 };
static const double batch_ns = 2e6, row_ns = 1.2e9;

/* What runs on the machine: of a case the program, and of a comprehension its hand-written form as well. */
typedef struct bench_loaded {
    tirb_module *module;
    tirb_instance *instance;
    uint32_t function;
} bench_loaded;

/* One row while it is measured; what depends on the instruction set is that of the column in turn. */
typedef struct bench_run {
    bench_row *row;
    bench_args args;
    tirb_compile_result *own_bundle, *script_bundle;
    const bench_column *column;
    bench_loaded own, script;
    const bench_blas *blas; /* NULL: none to compare with */
} bench_run;

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
static bool prepare(bench_loaded *loaded, const bench_run *run, const tirb_compile_result *bundle) {
    tirb_error error = TIRB_ERROR_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    char name[64];
    size_t size;
    const bench_case *program = run->row->program;
    const uint8_t *bytes = tirb_compile_result_bytes(bundle, &size);
    limits.fuel = UINT64_MAX / 2;
    bool good = tirb_module_load(run->column->engine, bytes, size, &loaded->module, &error) == TIRB_OK &&
                tirb_module_find(loaded->module, bench_function(program, name), &loaded->function, &error) == TIRB_OK &&
                tirb_instance_create(loaded->module, &limits, &loaded->instance, &error) == TIRB_OK;
    if (!good) fprintf(stderr, "bench: %s: %s\n", program->function, error.message);
    return good;
}

static void unload(bench_loaded *loaded) {
    tirb_instance_destroy(loaded->instance);
    tirb_module_release(loaded->module);
    *loaded = (bench_loaded){0};
}

static tirb_compile_result *compile(const bench_source *source, bool explain) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    options.file_name = source->path;
    options.explain = explain;
    if (tirb_compile(source->text, source->size, &options, &result, &error) == TIRB_OK) return result;
    fprintf(stderr, "bench: %s: %s\n", source->path, error.message);
    tirb_compile_result_destroy(result);
    return NULL;
}

/* Compiles the hand-written form of a comprehension; false with a message. */
static bool compile_script(bench_run *run) {
    bench_source source;
    if (bench_read(run->row->program, false, &source)) run->script_bundle = compile(&source, false);
    free(source.text);
    return run->script_bundle != NULL;
}

/* Compiles the file some times and keeps the first bundle; false with a message. */
static bool compile_own(bench_run *run) {
    bench_source source;
    double times[COMPILE_REPEATS];
    bool good = bench_read(run->row->program, run->row->program->comprehension, &source);
    const int repeats = bench_counts() ? 1 : COMPILE_REPEATS;
    for (int i = 0; i < repeats && good; i++) {
        double start = bench_now();
        tirb_compile_result *result = compile(&source, i == 0);
        times[i] = bench_now() - start;
        good = result != NULL;
        if (i == 0)
            run->own_bundle = result;
        else
            tirb_compile_result_destroy(result);
    }
    free(source.text);
    if (!good) return false;
    tirb_compile_result_bytes(run->own_bundle, &run->row->bundle_size);
    note_forms(run->own_bundle, run->row);
    run->row->compile_ns = median(times, repeats);
    return true;
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
    if (side == BENCH_PLAIN) run->column->level->plain[program->number](&own->twin);
    if (side == BENCH_FAST) run->column->level->fast[program->number](&own->twin);
    if (side == BENCH_BLAS) bench_call_blas(run->blas, &own->twin);
    if (side != BENCH_TIRB && side != BENCH_SCRIPT) return true;
    tirb_error error = TIRB_ERROR_INIT;
    const bench_loaded *loaded = side == BENCH_TIRB ? &run->own : &run->script;
    tirb_status status = tirb_instance_call(loaded->instance, loaded->function, own->args, run->args.n, NULL, &error);
    if (status != TIRB_OK) fprintf(stderr, "bench: %s: %s\n", program->function, error.message);
    return status == TIRB_OK;
}

static double time_batch(bench_run *run, int side, int calls) {
    double start = bench_now();
    for (int i = 0; i < calls; i++) call(run, side);
    return (bench_now() - start) / calls;
}

/* Counts are the same each time. */
static void count(bench_run *run, bench_times *times) {
    for (int s = 0; s < BENCH_SIDES; s++)
        if (takes_part(run, s)) times->best[s] = times->median[s] = time_batch(run, s, 1);
}

static void measure(bench_run *run, bench_times *times, int repeats) {
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
        times->median[s] = median(ns[s], repeats);
        times->best[s] = ns[s][0];
    }
}

static bool bench_column_of(bench_run *run, bench_times *times, int repeats) {
    const bench_case *program = run->row->program;
    bool good = prepare(&run->own, run, run->own_bundle) &&
                (!program->comprehension || prepare(&run->script, run, run->script_bundle));
    for (int s = 0; s < BENCH_SIDES && good; s++) {
        bench_reset(&run->args, s);
        good = !takes_part(run, s) || call(run, s);
    }
    for (int s = BENCH_PLAIN; s < BENCH_SIDES && good; s++)
        good = !takes_part(run, s) || bench_same(program, &run->args, BENCH_TIRB, s);
    if (good && bench_counts())
        count(run, times);
    else if (good)
        measure(run, times, repeats);
    unload(&run->own);
    unload(&run->script);
    return good;
}

/* A BLAS has kernels of its own choice, which are those of the first column. */
static bool bench_one(bench_row *row, const bench_case *program, const bench_report *report, const bench_blas *blas,
                      int repeats) {
    static bench_run run; /* its arguments are large */
    memset(&run, 0, sizeof run);
    run.row = row;
    bool good = bench_make_args(program, row->size, &run.args) && compile_own(&run) &&
                (!program->comprehension || compile_script(&run));
    memcpy(row->params, run.args.params, sizeof row->params);
    row->n_params = run.args.n;
    for (unsigned c = 0; c < report->n_columns && good; c++) {
        run.column = &report->columns[c];
        run.blas = program->blas && c == 0 ? blas : NULL;
        good = bench_column_of(&run, &row->times[c], repeats);
    }
    tirb_compile_result_destroy(run.own_bundle);
    tirb_compile_result_destroy(run.script_bundle);
    bench_free_args(&run.args);
    return good;
}

/* ---- All of them ------------------------------------------------------------------------------------------------ */

typedef struct settings {
    const char *isas, *count;
    bool native, json, check;
    int repeats, n_words;
    char **words;
} settings;

static unsigned run_all(const settings *s, bench_report *report, const bench_blas *blas) {
    static bench_row rows[MAX_ROWS];
    unsigned failed = 0;
    report->rows = rows;
    for (unsigned i = 0; i < bench_n_cases; i++) {
        const bench_case *program = &bench_cases[i];
        for (unsigned k = 1; k < BENCH_MAX_SIZES && program->sizes[k] != NULL && report->n < MAX_ROWS; k++) {
            char name[128];
            snprintf(name, sizeof name, "%s/%s:%.*s", program->group, program->function,
                     (int)strcspn(program->sizes[k], " "), program->sizes[k]);
            if (!bench_wanted(name, s->n_words, s->words)) continue;
            rows[report->n] = (bench_row){.program = program, .size = program->sizes[k]};
            if (!bench_one(&rows[report->n], program, report, blas, s->repeats)) {
                failed++;
                continue;
            }
            report->n++;
            bench_print_row(report);
            fflush(stdout);
        }
    }
    bench_print_classes(report);
    return failed;
}

/* ---- Columns ---------------------------------------------------------------------------------------------------- */

/* Takes in one more instruction set; one that is not to be had here is left out with a message. False: no engine. */
static bool add_column(bench_column *columns, unsigned *n, tirb_isa isa, bool native) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    bench_column *column = &columns[*n];
    for (unsigned c = 0; c < *n; c++)
        if (columns[c].isa == isa) return true;
    column->isa = isa;
    column->level = bench_level_of(isa, native);
    if (column->level == NULL) {
        fprintf(stderr, "bench: %s is left out: this CPU or this build does not have it%s\n", tirb_isa_name(isa),
                native ? ", or no C for this CPU alone" : "");
        return true;
    }
    options.isa = isa;
    options.max_threads = 1;
    if (tirb_engine_create(&options, &column->engine, &error) != TIRB_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        return false;
    }
    (*n)++;
    return true;
}

/* The one that an engine chooses by itself. */
static tirb_isa chosen_isa(void) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_engine *engine = NULL;
    tirb_isa isa = TIRB_ISA_GENERIC;
    if (tirb_engine_create(&options, &engine, &error) == TIRB_OK) isa = tirb_engine_isa(engine);
    tirb_engine_release(engine);
    return isa;
}

/* The columns of a list of names; the status to exit with, or -1 to go on. */
static int make_columns(const settings *s, bench_column *columns, unsigned *n) {
    for (const char *at = s->isas;; at++) {
        char name[16];
        tirb_isa isa;
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : (int)sizeof name - 1, at);
        if (length >= sizeof name || tirb_isa_from_name(name, &isa) != TIRB_OK) {
            fprintf(stderr,
                    "bench: there is no instruction set '%.*s'; known are auto, generic, sse2, avx2, avx512 and neon\n",
                    (int)length, at);
            return 2;
        }
        if (!add_column(columns, n, isa == TIRB_ISA_AUTO ? chosen_isa() : isa, s->native)) return 1;
        at += length;
        if (*at == 0) return *n > 0 ? -1 : 1;
    }
}

static const char usage[] =
    "usage: bench [--isa NAME[,NAME...]] [--native] [--json] [--repeat N] [--count FILE] [--check] [WORD...]\n"
    "Times kernels beside the same loops in C; WORDs choose the rows whose class/function:size contains one of them.\n"
    "  --isa NAMES  on these instruction sets, beside C compiled for the same: generic and sse2 (x86-64), avx2\n"
    "               (x86-64-v3), avx512 (x86-64-v4), neon; else on what TIRB_ISA names, or the best of this CPU\n"
    "  --native     beside C compiled for this very CPU\n"
    "  --json       rows and classes as one JSON object\n"
    "  --repeat N   N turns for each side (15, at most 101)\n"
    "  --count FILE instructions in place of times, which something else adds to a 64-bit number in FILE\n"
    "               (tests/bench/counts)\n"
    "  --check      compare the results only, on all instruction sets\n";

/* The status to exit with, or -1 to go on. */
static int read_arguments(int argc, char **argv, settings *s) {
    static const struct option options[] = {
        {"isa", required_argument, NULL, 'i'},    {"native", no_argument, NULL, 'n'},
        {"json", no_argument, NULL, 'j'},         {"check", no_argument, NULL, 'c'},
        {"repeat", required_argument, NULL, 'r'}, {"count", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},         {0}};
    for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (option == 'i') s->isas = optarg;
        if (option == 'n') s->native = true;
        if (option == 'j') s->json = true;
        if (option == 'c') s->check = true;
        if (option == 'o') s->count = optarg;
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
    const char *named = getenv("TIRB_ISA");
    settings s = {.isas = named != NULL ? named : "auto", .repeats = 15};
    int status = read_arguments(argc, argv, &s);
    if (status >= 0) return status;
    if (s.check) return bench_check(s.n_words, s.words) ? 0 : 1;
    if (s.count != NULL && !bench_count_from(s.count)) return 1;
    bench_column columns[BENCH_MAX_ISAS];
    bench_report report = {.columns = columns, .json = s.json};
    status = make_columns(&s, columns, &report.n_columns);
    if (status < 0) {
        char blas_name[200] = "none";
        bench_blas *blas = bench_open_blas(columns[0].isa, blas_name, sizeof blas_name);
        bench_print_head(&report, blas_name);
        const unsigned failed = run_all(&s, &report, blas);
        bench_close_blas(blas);
        status = failed == 0 && report.n > 0 ? 0 : 1;
    }
    for (unsigned c = 0; c < report.n_columns; c++) tirb_engine_release(columns[c].engine);
    return status;
}
