/* TVMScript: any text is compiled or refused with messages; what is compiled loads, runs on every instruction set alike,
 * and does what it does without optimisations. */
#include <stdlib.h>
#include <string.h>

#include <tirb/compiler.h>

#include "fuzz/execute.h"
#include "fuzz/mutate.h"

enum { MAX_MEMORY = 64 << 20 };

static uint64_t hash(const uint8_t *data, size_t size) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++) h = (h ^ data[i]) * UINT64_C(1099511628211);
    return h;
}

static void check_messages(const tirb_compile_result *result, tirb_status status) {
    char text[512];
    uint32_t n = tirb_compile_result_diagnostic_count(result), errors = 0;
    for (uint32_t i = 0; i < n; i++) {
        const tirb_diagnostic *d = tirb_compile_result_diagnostic(result, i);
        if (!d || !d->message || d->message[0] == '\0') fuzz_fail("diagnostic %u says nothing", i);
        errors += d->severity == TIRB_SEVERITY_ERROR;
        size_t whole = tirb_compile_result_format(result, i, text, sizeof(text));
        size_t written = whole < sizeof(text) ? whole : sizeof(text) - 1;
        if (strlen(text) != written) fuzz_fail("diagnostic %u has %zu bytes, not %zu", i, strlen(text), whole);
    }
    if (status == TIRB_OK && errors > 0) fuzz_fail("compiled in spite of an error");
    if (status != TIRB_OK && status != TIRB_MEMORY_LIMIT && errors == 0) {
        fuzz_fail("%s without a message", tirb_status_name(status));
    }
}

static bool compile(const uint8_t *data, size_t size, uint64_t seed, uint32_t disabled, tirb_compile_result **out) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    options.fp = (tirb_fp_mode)(seed % 8 < 6 ? TIRB_FP_PRECISE : seed % 8 - 5);
    options.disabled = disabled;
    options.max_memory = MAX_MEMORY;
    tirb_status status = tirb_compile((const char *)data, size, &options, out, &error);
    if (status == TIRB_INTERNAL || status == TIRB_VERIFY || status == TIRB_NO_MEMORY || status == TIRB_MISUSE) {
        fuzz_fail("compiling ends with %s: %s", tirb_status_name(status), error.message);
    }
    if (!*out) fuzz_fail("no result of a compilation");
    check_messages(*out, status);
    return status == TIRB_OK;
}

static bool load(const tirb_compile_result *result, fuzz_modules *out) {
    size_t size;
    tirb_error error = TIRB_ERROR_INIT;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    if (fuzz_modules_load(out, bytes, size, &error)) return true;
    if (error.code != TIRB_MEMORY_LIMIT) fuzz_fail("what was compiled is refused: %s", error.message);
    return false;
}

static void run_compiled(const tirb_compile_result *result, const uint8_t *data, size_t size, uint64_t seed) {
    fuzz_modules fast, plain;
    if (!load(result, &fast)) return;
    fuzz_modules_run(&fast, seed);
    tirb_compile_result *other = NULL;
    if (!compile(data, size, seed, UINT32_MAX, &other)) {
        fuzz_fail("without optimisations it is refused");
    } else if (load(other, &plain)) {
        fuzz_modules_compare(&fast, &plain, seed);
        fuzz_modules_release(&plain);
    }
    tirb_compile_result_destroy(other);
    fuzz_modules_release(&fast);
}

static void run(const uint8_t *data, size_t size) {
    uint8_t *exact = fuzz_copy(data, size);
    uint64_t seed = hash(data, size);
    tirb_compile_result *result = NULL;
    if (compile(exact, size, seed, 0, &result)) run_compiled(result, exact, size, seed);
    tirb_compile_result_destroy(result);
    free(exact);
}

const fuzz_target fuzz_target_text = {"text", run, fuzz_mutate_script, fuzz_cross_text};
