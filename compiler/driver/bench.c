/* `tirb bench`: the same call again and again. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/json.h"
#include "compiler/driver/run.h"

enum { MOST_RUNS = 100000, LEAST_RUNS = 5, MOST_CALLS_PER_RUN = 1 << 16 };

/* A run is at least this long where calls may follow each other, so that reading the clock does not count. */
static const uint64_t least_run_ns = 20000;
static const uint64_t warm_up_ns = 50000000;

static const option_row bench_options[] = {
    {OPTION_FUNCTION, 'f', "function", "NAME",
     "the function; may be left out when there is one public function or a main"},
    {OPTION_THREADS, 0, "threads", "N", "threads of the call (default 1)"},
    {OPTION_TIME, 0, "time", "SECONDS", "how long the command takes, with compiling and warming up (default 1)"},
    {OPTION_RUNS, 0, "runs", "N", "take exactly N timings instead"},
    CALL_OPTIONS,
    {OPTION_JSON, 0, "json", NULL,
     "print one JSON object: median_ns, min_ns, runs, bytes of the tensors, compile_ns and more"},
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static const char bench_details[] =
    "FILE and ARGS are those of 'tirb run'. What is not given is random, the same in every invocation: tensors in the\n"
    "shape that the others determine, floats above 0 and up to 1, bytes of any value, other integers from 0 to 3.\n"
    "A tensor type without values (1024x1024xf32) is a random tensor of this shape, and n=1024 sets the extent n of "
    "all\n"
    "shapes that name it. A parameter that is read and\n"
    "written gets its first values back before every call, outside of the time.\n"
    "\n"
    "Times are of one call, by the wall clock, with all checks. Short calls are timed several at once. A call that\n"
    "takes longer than --time is timed once.\n"
    "\n"
    "Examples:\n"
    "  tirb bench saxpy.py 0.5 1000000xf32\n"
    "  tirb bench saxpy.py n=1000000\n"
    "  tirb bench matmul.tirb -f matmul A=512x512xf32 B=512x512xf32 --threads 2 --json\n"
    "\n"
    "Environment: TIRB_ISA is the default of --isa.\n";

typedef struct bench {
    run call;
    first_values first;
    uint64_t clock_ns; /* what reading the clock takes, which is taken off */
    uint64_t calls_per_run;
    uint64_t runs; /* asked for, or 0 */
    uint64_t start_ns, time_ns; /* of the whole command */
    uint64_t last_ns;           /* what the last run took */
    double *times; /* ns of one call, per run */
    size_t n;
} bench;

static exit_code read_options(bench *b) {
    const invocation *inv = b->call.inv;
    const char *runs = option_text(inv, OPTION_RUNS);
    if (runs && (!parse_count(runs, &b->runs) || b->runs > MOST_RUNS)) {
        return fail_usage(inv->command, "--runs is a number from 1 to %d, not '%s'", (int)MOST_RUNS, runs);
    }
    return time_option_read(inv, &b->time_ns);
}

/* Times `calls` calls in a row. */
static exit_code time_calls(bench *b, uint64_t calls, uint64_t *out_ns) {
    run *r = &b->call;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_status status = TIRB_OK;
    first_values_restore(&b->first, r);
    uint64_t start = now_ns();
    for (uint64_t i = 0; i < calls && status == TIRB_OK; i++) {
        status = tirb_instance_call(r->instance, r->function, r->arguments, r->info.n_params, &r->result, &error);
        results_free(r);
    }
    uint64_t ns = now_ns() - start;
    *out_ns = ns > b->clock_ns ? ns - b->clock_ns : 0;
    if (status == TIRB_OK) return EXIT_DONE;
    exit_code code = fail_call(r, status, &error);
    outputs_show_failure(r, status, &error);
    return code;
}

static uint64_t clock_cost(void) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        uint64_t start = now_ns(), ns = now_ns() - start;
        if (ns < least) least = ns;
    }
    return least;
}

/* Calls until caches and clocks have settled, and finds how many calls make a run. */
static exit_code warm_up(bench *b) {
    uint64_t start = now_ns(), most = b->time_ns / 10 < warm_up_ns ? b->time_ns / 10 : warm_up_ns;
    b->calls_per_run = 1;
    do {
        exit_code code = time_calls(b, b->calls_per_run, &b->last_ns);
        if (code != EXIT_DONE) return code;
        bool is_short = b->last_ns < least_run_ns && !b->first.any;
        if (is_short && b->calls_per_run < MOST_CALLS_PER_RUN) b->calls_per_run *= 2;
    } while (now_ns() - start < most);
    return EXIT_DONE;
}

/* Whether a run of as long as the last one ends within the time; some that are nothing beside it are always made. */
static bool goes_on(const bench *b) {
    if (b->runs) return b->n < b->runs;
    if (b->n < LEAST_RUNS && b->last_ns * LEAST_RUNS <= b->time_ns / 10) return true;
    return b->n < MOST_RUNS && now_ns() - b->start_ns + b->last_ns <= b->time_ns;
}

static exit_code measure(bench *b) {
    b->times = calloc(MOST_RUNS, sizeof *b->times);
    if (!b->times) return fail_memory(b->call.inv);
    b->clock_ns = clock_cost();
    exit_code code = warm_up(b);
    while (code == EXIT_DONE && goes_on(b)) {
        code = time_calls(b, b->calls_per_run, &b->last_ns);
        if (code == EXIT_DONE) b->times[b->n++] = (double)b->last_ns / (double)b->calls_per_run;
    }
    /* A call that takes all of the time is its only run. */
    if (code == EXIT_DONE && b->n == 0) b->times[b->n++] = (double)b->last_ns / (double)b->calls_per_run;
    return code;
}

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_text(double ns, char buffer[32]) {
    if (ns < 1e3) snprintf(buffer, 32, "%.1f ns", ns);
    else if (ns < 1e6) snprintf(buffer, 32, "%.3g us", ns / 1e3);
    else if (ns < 1e9) snprintf(buffer, 32, "%.4g ms", ns / 1e6);
    else snprintf(buffer, 32, "%.4g s", ns / 1e9);
}

/* Of all tensors together. */
static uint64_t argument_bytes(const run *r) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < r->info.n_params; i++) {
        const parameter *p = &r->parameters[i];
        if (p->info.kind == TIRB_PARAM_TENSOR) bytes += p->value.tensor.size;
    }
    return bytes;
}

static exit_code show(bench *b) {
    const run *r = &b->call;
    qsort(b->times, b->n, sizeof *b->times, by_time);
    double least = b->times[0], median = (b->times[(b->n - 1) / 2] + b->times[b->n / 2]) / 2;
    const char *isa = tirb_isa_name(tirb_engine_isa(r->engine));
    if (!option_given(r->inv, OPTION_JSON)) {
        char median_text[32], least_text[32], name[CLEAN_SIZE];
        time_text(median, median_text);
        time_text(least, least_text);
        printf("%s: median %s, minimum %s, %zu run%s of %llu call%s, %s, %u thread%s\n", clean_text(r->info.name, name),
               median_text, least_text, b->n, b->n == 1 ? "" : "s", (unsigned long long)b->calls_per_run,
               b->calls_per_run == 1 ? "" : "s", isa, r->threads, r->threads == 1 ? "" : "s");
        return EXIT_DONE;
    }
    cJSON *object = json_of_call(r, TIRB_OK);
    cJSON_AddStringToObject(object, "isa", tirb_isa_name(tirb_engine_isa(r->engine)));
    cJSON_AddNumberToObject(object, "median_ns", median);
    cJSON_AddNumberToObject(object, "min_ns", least);
    cJSON_AddNumberToObject(object, "runs", (double)b->n);
    cJSON_AddNumberToObject(object, "calls_per_run", (double)b->calls_per_run);
    cJSON_AddNumberToObject(object, "threads", r->threads);
    cJSON_AddNumberToObject(object, "bytes", (double)argument_bytes(r));
    if (r->bundle.was_source) {
        cJSON_AddNumberToObject(object, "compile_ns", (double)r->bundle.compile_ns);
        cJSON_AddBoolToObject(object, "cached", r->bundle.was_cached);
    }
    return json_print(r->inv, object, JSON_ONE_LINE);
}

static exit_code run_bench(const invocation *inv) {
    bench b = {.call = {.inv = inv, .make_up = true}, .start_ns = now_ns()};
    exit_code code = read_options(&b);
    if (code == EXIT_DONE) code = run_prepare(&b.call, 1);
    if (code == EXIT_DONE) code = arguments_read(&b.call);
    if (code == EXIT_DONE) code = arguments_complete(&b.call);
    if (code == EXIT_DONE) code = first_values_keep(&b.first, &b.call);
    if (code == EXIT_DONE) code = measure(&b);
    if (code == EXIT_DONE) code = show(&b);
    first_values_free(&b.first, &b.call);
    free(b.times);
    run_clear(&b.call);
    return code;
}

const command bench_command = {
    .name = "bench",
    .operands = "FILE [ARGS...]",
    .summary = "Time a function",
    .options = bench_options,
    .details = bench_details,
    .run = run_bench,
    .least_operands = 1,
    .most_operands = 100000,
};
