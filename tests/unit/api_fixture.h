/* What the tests of the API share: modules from assembler text, tensors, an allocator that counts and fails. */
#ifndef TIRB_TESTS_UNIT_API_FIXTURE_H
#define TIRB_TESTS_UNIT_API_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tirb/tirb.h>

#include "loader/bundle/assembly.h"
#include "loader/bundle/bundle.h"

/* ---- Bundles and modules --------------------------------------------------------------------------------------- */

typedef struct bundle {
    uint8_t *bytes;
    size_t size;
} bundle;

/* The bundle of an assembler text; freed with free(bytes). */
static inline bundle assemble(const char *text) {
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena arena;
    tirbi_arena_init(&arena, &heap);
    tirbi_program *program = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    if (tirbi_assemble(text, strlen(text), &arena, &program, &error) != TIRB_OK) {
        fail_msg("assembler: %u:%u: %s", error.line, error.column, error.message);
    }
    tirbi_writer out;
    tirbi_writer_init(&out, &heap);
    if (tirbi_bundle_write(program, &heap, &out, &error) != TIRB_OK) fail_msg("writer: %s", error.message);
    bundle result = {malloc(out.size), out.size};
    assert_non_null(result.bytes);
    memcpy(result.bytes, out.data, out.size);
    tirbi_writer_destroy(&out);
    tirbi_arena_destroy(&arena);
    return result;
}

static inline tirb_module *load_text(tirb_engine *engine, const char *text) {
    bundle b = assemble(text);
    tirb_error error = TIRB_ERROR_INIT;
    tirb_module *module = NULL;
    if (tirb_module_load(engine, b.bytes, b.size, &module, &error) != TIRB_OK) {
        fail_msg("load: %s: %s", error.where, error.message);
    }
    free(b.bytes);
    return module;
}

/* An instance of a text on an engine of its own. */
typedef struct session {
    tirb_engine *engine;
    tirb_module *module;
    tirb_instance *instance;
    tirb_error error;
} session;

static inline session open_session(const char *text, const tirb_limits *limits) {
    session s = {.error = TIRB_ERROR_INIT};
    assert_int_equal(tirb_engine_create(NULL, &s.engine, &s.error), TIRB_OK);
    s.module = load_text(s.engine, text);
    assert_int_equal(tirb_instance_create(s.module, limits, &s.instance, &s.error), TIRB_OK);
    return s;
}

static inline void close_session(session *s) {
    tirb_instance_destroy(s->instance);
    tirb_module_release(s->module);
    tirb_engine_release(s->engine);
}

static inline uint32_t find(const tirb_module *module, const char *name) {
    uint32_t function = 0;
    assert_int_equal(tirb_module_find(module, name, &function, NULL), TIRB_OK);
    return function;
}

/* Calls a function by name. */
static inline tirb_status run(session *s, const char *name, const tirb_arg *args, uint32_t n, tirb_result *result) {
    return tirb_instance_call(s->instance, find(s->module, name), args, n, result, &s->error);
}

/* The call must fail with `status` and a message that holds `part`. */
static inline void expect_error(session *s, tirb_status status, tirb_status expected, const char *part) {
    if (status != expected || !strstr(s->error.message, part)) {
        fail_msg("expected %s '%s', got %s '%s'", tirb_status_name(expected), part, tirb_status_name(status),
                 status == TIRB_OK ? "" : s->error.message);
    }
    assert_null(strchr(s->error.message, '\n'));
    assert_int_equal(s->error.code, status);
}

#define EXPECT_OK(s, status)                                                                             \
    do {                                                                                                 \
        tirb_status expect_ok_ = (status);                                                               \
        if (expect_ok_ != TIRB_OK) fail_msg("%s: %s", tirb_status_name(expect_ok_), (s)->error.message); \
    } while (0)

/* ---- Arguments ------------------------------------------------------------------------------------------------- */

enum { MAX_DIMS = 4 };

typedef struct tensor {
    DLTensor dl;
    int64_t shape[MAX_DIMS];
    int64_t strides[MAX_DIMS];
} tensor;

/* Fills `t` with a compact tensor; the extents follow `ndim` as int. */
static inline DLTensor *make_tensor(tensor *t, void *data, DLDataType type, int ndim, ...) {
    *t = (tensor){.dl = {.data = data, .device = {kDLCPU, 0}, .ndim = ndim, .dtype = type}};
    va_list extents;
    va_start(extents, ndim);
    for (int i = 0; i < ndim; i++) t->shape[i] = va_arg(extents, int);
    va_end(extents);
    t->dl.shape = t->shape;
    return &t->dl;
}

/* Gives the tensor strides (as int, in elements). */
static inline void set_strides(tensor *t, ...) {
    va_list strides;
    va_start(strides, t);
    for (int i = 0; i < t->dl.ndim; i++) t->strides[i] = va_arg(strides, int);
    va_end(strides);
    t->dl.strides = t->strides;
}

static inline tirb_arg tensor_arg(const DLTensor *t) { return (tirb_arg){TIRB_ARG_TENSOR, 0, {.tensor = t}}; }
static inline tirb_arg int_arg(int64_t v) { return (tirb_arg){TIRB_ARG_INT, 0, {.i = v}}; }
static inline tirb_arg float_arg(double v) { return (tirb_arg){TIRB_ARG_FLOAT, 0, {.f = v}}; }
static inline tirb_arg no_arg(void) { return (tirb_arg){TIRB_ARG_NONE, 0, {.i = 0}}; }

static const DLDataType F32 = {kDLFloat, 32, 1};

/* ---- An allocator that counts, and fails when it is told to ------------------------------------------------------ */

typedef struct failing_allocator {
    size_t live;    /* bytes */
    long calls;     /* allocations and growths so far */
    long fail_from; /* the first call (from 1) that fails; 0: none */
    long fail_to;   /* the last one */
} failing_allocator;

static inline void *failing_reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    failing_allocator *a = context;
    if (new_size == 0) {
        free(ptr);
        a->live -= old_size;
        return NULL;
    }
    a->calls++;
    if (a->fail_from && a->calls >= a->fail_from && a->calls <= a->fail_to) return NULL;
    void *fresh = realloc(ptr, new_size);
    if (fresh) a->live += new_size - old_size;
    return fresh;
}

/* A session whose engine takes its memory from there. */
static inline session open_allocating(const char *text, const tirb_limits *limits, tirb_allocator allocator) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.allocator = allocator;
    session s = {.error = TIRB_ERROR_INIT};
    assert_int_equal(tirb_engine_create(&options, &s.engine, &s.error), TIRB_OK);
    s.module = load_text(s.engine, text);
    assert_int_equal(tirb_instance_create(s.module, limits, &s.instance, &s.error), TIRB_OK);
    return s;
}

static inline session open_counted(const char *text, const tirb_limits *limits, failing_allocator *memory) {
    return open_allocating(text, limits, (tirb_allocator){failing_reallocate, memory});
}

#endif
