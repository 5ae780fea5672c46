/* What tests share that run a script under every instruction set, with passes on and off: its function `f` made ready,
 * and tensors to call it with. */
#ifndef TIRB_TESTS_UNIT_SCRIPT_FIXTURE_H
#define TIRB_TESTS_UNIT_SCRIPT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <tirb/compiler.h>
#include <tirb/tirb.h>

static const tirb_isa every_isa[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
enum { N_ISAS = sizeof every_isa / sizeof *every_isa };

/* The function `f` of a script, in an instance and on an engine of its own. */
typedef struct script {
    tirb_engine *engine;
    tirb_module *module;
    tirb_instance *instance;
    uint32_t function;
} script;

/* What a script is compiled with, as in the compiler's options. */
typedef struct choices {
    const char *disable;
    tirb_parallel parallel;
} choices;

static const choices as_usual = {NULL, TIRB_PARALLEL_AUTO};

/* `threads` that a call may use. */
static inline script open_script(const char *text, choices chosen, tirb_isa isa, uint32_t threads) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_engine_options engine_options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_compile_result *result = NULL;
    script s = {0};
    size_t size;
    options.disable = chosen.disable;
    options.parallel = chosen.parallel;
    engine_options.isa = isa;
    engine_options.max_threads = limits.threads = threads;
    if (tirb_compile(text, strlen(text), &options, &result, &error) != TIRB_OK) fail_msg("%s", error.message);
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    assert_int_equal(tirb_engine_create(&engine_options, &s.engine, NULL), TIRB_OK);
    assert_int_equal(tirb_module_load(s.engine, bytes, size, &s.module, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_create(s.module, &limits, &s.instance, NULL), TIRB_OK);
    assert_int_equal(tirb_module_find(s.module, "f", &s.function, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
    return s;
}

static inline void close_script(script *s) {
    tirb_instance_destroy(s->instance);
    tirb_module_release(s->module);
    tirb_engine_release(s->engine);
}

static inline tirb_status call_script(const script *s, const tirb_arg *args, uint32_t n) {
    return tirb_instance_call(s->instance, s->function, args, n, NULL, NULL);
}

/* Makes `tensor` of what stays the caller's, and an argument of it. */
static inline tirb_arg tensor_arg(DLTensor *tensor, void *values, DLDataType type, int32_t ndim, int64_t *shape) {
    *tensor = (DLTensor){.data = values, .device = {kDLCPU, 0}, .ndim = ndim, .dtype = type, .shape = shape};
    return (tirb_arg){.kind = TIRB_ARG_TENSOR, .value.tensor = tensor};
}

#endif
