#include "compiler/driver/run.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_THREADS = 1024 };

static const option_row run_options[] = {
    {OPTION_FUNCTION, 'f', "function", "NAME", "the function; may be left out when there is one public function or a main"},
    {OPTION_OUTPUT, 'o', "output", "[PARAM=]@FILE", "save a written parameter as .npy (repeatable; without a name: the next)"},
    {OPTION_EXPECT, 0, "expect", "PARAM=@FILE", "compare a written parameter and fail at the first difference (repeatable)"},
    {OPTION_RTOL, 0, "rtol", "X", "relative tolerance of --expect (default 0: exact)"},
    {OPTION_ATOL, 0, "atol", "X", "absolute tolerance of --expect (default 0)"},
    {OPTION_FUEL, 0, "fuel", "N", "stop after N units of work (suffixes K, M, G)"},
    {OPTION_TIMEOUT, 0, "timeout", "SECONDS", "stop after this time"},
    {OPTION_MAX_MEMORY, 0, "max-memory", "SIZE", "memory of frames and temporaries (suffixes K, M, G; default 1G)"},
    {OPTION_THREADS, 0, "threads", "N", "threads of the call (default: the CPUs that this process may use)"},
    {OPTION_ISA, 0, "isa", "NAME", "auto, generic, avx2 or avx512; results do not depend on it"},
    {OPTION_FP, 0, "fp", "MODE", "precise, strict or fast: rounding of a source that is compiled now"},
    {OPTION_MAX_ERRORS, 0, "max-errors", "N", "diagnostics before the compiler gives up (default 20)"},
    {OPTION_STATS, 0, "stats", NULL, "print fuel, peak memory and time as well"},
    {OPTION_JSON, 0, "json", NULL, "print one JSON object instead of text"},
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static const char run_details[] =
    "FILE is a bundle or a TVMScript source; '-' is stdin. ARGS are values in parameter order, or PARAM=VALUE:\n"
    "  @x.npy           an array; @x.npy:bf16 takes raw 16-bit data as that type\n"
    "  4xf32=1,2,3,4    a tensor; with one value (2x3xi32=0) it fills\n"
    "  -1.5  7  true    a scalar, or a tensor without dimensions\n"
    "  _                nothing: the parameter is skipped\n"
    "Types: bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64.\n"
    "A tensor that is only written and not given is allocated and zeroed; a scalar that shapes determine may be left\n"
    "out. After the call every written parameter is printed, or saved with -o; so is what the function returned.\n"
    "\n"
    "Examples:\n"
    "  tirb run add.py 4xf32=1,2,3,4 4xf32=10\n"
    "  tirb run digits.tirb -f predict @images.npy @w0.npy @b0.npy @w1.npy @b1.npy -o scores=@scores.npy\n"
    "  tirb run k.tirb A=@a.npy n=-3 --fuel 10M --timeout 2.5 --expect C=@want.npy --rtol 1e-5\n"
    "\n"
    "Environment: TIRB_ISA is the default of --isa.\n";

static exit_code read_tolerance(const invocation *inv, option_key key, const char *name, double *out) {
    const char *text = option_text(inv, key);
    *out = 0;
    if (!text) return EXIT_DONE;
    char *end;
    *out = strtod(text, &end);
    if (end != text && !*end && *out >= 0 && isfinite(*out)) return EXIT_DONE;
    return fail_usage(inv->command, "--%s is a number from 0 on, not '%s'", name, text);
}

static exit_code read_limits(const invocation *inv, tirb_limits *out) {
    const char *fuel = option_text(inv, OPTION_FUEL), *memory = option_text(inv, OPTION_MAX_MEMORY);
    const char *threads = option_text(inv, OPTION_THREADS), *timeout = option_text(inv, OPTION_TIMEOUT);
    if (fuel && !parse_size(fuel, &out->fuel)) {
        return fail_usage(inv->command, "--fuel is a number from 1 on, with K, M or G behind it, not '%s'", fuel);
    }
    if (memory && !parse_size(memory, &out->max_memory)) {
        return fail_usage(inv->command, "--max-memory is a number of bytes, with K, M or G behind it, not '%s'", memory);
    }
    uint64_t n = 0;
    if (threads && (!parse_size(threads, &n) || n > MAX_THREADS)) {
        return fail_usage(inv->command, "--threads is a number from 1 to %d, not '%s'", (int)MAX_THREADS, threads);
    }
    out->threads = threads ? (uint32_t)n : usable_cpus();
    if (!timeout) return EXIT_DONE;
    char *end;
    double seconds = strtod(timeout, &end);
    if (end == timeout || *end || !(seconds > 0) || !(seconds <= 1e9)) {
        return fail_usage(inv->command, "--timeout is a number of seconds above 0, not '%s'", timeout);
    }
    out->timeout_ns = seconds < 1e-9 ? 1 : (uint64_t)(seconds * 1e9);
    return EXIT_DONE;
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static exit_code call(run *r) {
    tirb_error error = TIRB_ERROR_INIT;
    uint64_t start = now_ns();
    tirb_status status =
        tirb_instance_call(r->instance, r->function, r->arguments, r->info.n_params, &r->result, &error);
    r->elapsed_ns = now_ns() - start;
    if (status == TIRB_OK) return EXIT_DONE;
    exit_code code = fail_call(r, status, &error);
    outputs_show_failure(r, status, &error);
    return code;
}

static exit_code prepare(run *r) {
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    exit_code code = read_limits(r->inv, &limits);
    if (code == EXIT_DONE) code = read_tolerance(r->inv, OPTION_RTOL, "rtol", &r->rtol);
    if (code == EXIT_DONE) code = read_tolerance(r->inv, OPTION_ATOL, "atol", &r->atol);
    if (code == EXIT_DONE) code = bundle_open(r->inv, r->inv->operands[0], &r->bundle);
    if (code == EXIT_DONE) code = bundle_load(r->inv, &r->bundle, &r->engine, &r->module);
    if (code == EXIT_DONE) code = function_choose(r->inv, &r->bundle, r->module, &r->function);
    if (code != EXIT_DONE) return code;
    r->info = (tirb_function_info)TIRB_FUNCTION_INFO_INIT;
    tirb_status status = tirb_module_function(r->module, r->function, &r->info, &error);
    if (status == TIRB_OK) status = tirb_instance_create(r->module, &limits, &r->instance, &error);
    if (status != TIRB_OK) return fail(r->inv, EXIT_INTERNAL, "%s", error.message);
    return EXIT_DONE;
}

static void clear(run *r) {
    for (uint32_t i = 0; r->parameters && i < r->info.n_params; i++) value_clear(&r->parameters[i].value);
    free(r->parameters);
    free(r->arguments);
    tirb_instance_destroy(r->instance);
    tirb_module_release(r->module);
    tirb_engine_release(r->engine);
    bundle_close(&r->bundle);
}

static exit_code run_function(const invocation *inv) {
    run r = {.inv = inv};
    exit_code code = prepare(&r);
    if (code == EXIT_DONE) code = arguments_read(&r);
    if (code == EXIT_DONE) code = arguments_complete(&r);
    if (code == EXIT_DONE) code = call(&r);
    if (code == EXIT_DONE) code = outputs_compare(&r);
    if (code == EXIT_DONE) code = outputs_show(&r);
    clear(&r);
    return code;
}

const command run_command = {
    .name = "run",
    .operands = "FILE [ARGS...]",
    .summary = "Call a function of a bundle or of a source",
    .options = run_options,
    .details = run_details,
    .run = run_function,
    .least_operands = 1,
    .most_operands = 100000,
};
