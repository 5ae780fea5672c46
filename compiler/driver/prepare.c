/* What `tirb run` and `tirb bench` do before a call and after it. */
#include <stdlib.h>

#include "compiler/driver/run.h"

enum { MAX_THREADS = 1024 };

static exit_code read_limits(const invocation *inv, uint32_t threads_default, tirb_limits *out) {
    const char *fuel = option_text(inv, OPTION_FUEL), *memory = option_text(inv, OPTION_MAX_MEMORY);
    const char *threads = option_text(inv, OPTION_THREADS), *timeout = option_text(inv, OPTION_TIMEOUT);
    if (fuel && !parse_count(fuel, &out->fuel)) {
        return fail_usage(inv->command,
                          "--fuel is a number from 1 to 2^64 - 1, with k, M or G behind it (10M is ten million), "
                          "not '%s'",
                          fuel);
    }
    if (memory && !parse_size(memory, &out->max_memory)) {
        return fail_usage(inv->command,
                          "--max-memory is a number of bytes from 1 to 2^64 - 1, with K, M or G behind it, not '%s'",
                          memory);
    }
    uint64_t n = 0;
    if (threads && (!parse_count(threads, &n) || n > MAX_THREADS)) {
        return fail_usage(inv->command, "--threads is a number from 1 to %d, not '%s'", (int)MAX_THREADS, threads);
    }
    out->threads = threads ? (uint32_t)n : threads_default;
    if (timeout && !parse_seconds(timeout, &out->timeout_ns)) {
        return fail_usage(inv->command, "--timeout is a number of seconds above 0 and up to 1e9, not '%s'", timeout);
    }
    return EXIT_DONE;
}

exit_code run_prepare(run *r, uint32_t threads_default) {
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    exit_code code = read_limits(r->inv, threads_default, &limits);
    if (code == EXIT_DONE) code = bundle_open(r->inv, r->inv->operands[0], &r->bundle);
    if (code == EXIT_DONE) code = bundle_load(r->inv, &r->bundle, r->profiles, &r->engine, &r->module);
    if (code == EXIT_DONE) code = function_choose(r->inv, &r->bundle, r->module, &r->function);
    if (code != EXIT_DONE) return code;
    r->info = (tirb_function_info)TIRB_FUNCTION_INFO_INIT;
    tirb_status status = tirb_module_function(r->module, r->function, &r->info, &error);
    if (status == TIRB_OK) status = tirb_instance_create(r->module, &limits, &r->instance, &error);
    if (status != TIRB_OK) return fail(r->inv, EXIT_INTERNAL, "%s", error.message);
    r->threads = limits.threads;
    return EXIT_DONE;
}

void run_clear(run *r) {
    for (uint32_t i = 0; r->parameters && i < r->info.n_params; i++) value_clear(&r->parameters[i].value);
    results_free(r);
    array_file_close(&r->params);
    free(r->parameters);
    free(r->arguments);
    extents_free(r);
    tirb_instance_destroy(r->instance);
    tirb_module_release(r->module);
    tirb_engine_release(r->engine);
    bundle_close(&r->bundle);
}
