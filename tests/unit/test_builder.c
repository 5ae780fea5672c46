/* The C builder makes the AST that the parser makes of the same program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/equal.h"
#include "compiler/ir/public.h"
#include "compiler/text/text.h"
#include <tirb/compiler.h>

static const char text[] = "@T.prim_func(s_tir=True)\n"
                           "def matmul(A: T.Buffer((\"n\", 8), \"float32\"), B: T.Buffer((8, 4), \"float32\"),\n"
                           "           C: T.Buffer((\"n\", 4), \"float32\"), scale: T.float32):\n"
                           "    n = T.int32()\n"
                           "    T.func_attr({\"tirb.requires\": 2})\n"
                           "    D = T.sblock_alloc_buffer((n, 4))\n"
                           "    assert n > 0, \"no rows\"\n"
                           "    assert n <= 9, \"too many rows\"\n"
                           "    for i, j, k in T.grid(n, 4, 8):\n"
                           "        with T.sblock(\"D\"):\n"
                           "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
                           "            with T.init():\n"
                           "                D[vi, vj] = T.float32(0)\n"
                           "            D[vi, vj] = D[vi, vj] + A[vi, vk] * B[vk, vj]\n"
                           "    for i in T.parallel(n):\n"
                           "        x: T.let = D[i, 0] * scale\n"
                           "        if x > 0.0:\n"
                           "            C[i, 0] = T.exp(x) + T.call_pure_extern(\"float32\", \"lgammaf\", x)\n"
                           "        else:\n"
                           "            C[i, 0:4] = 1\n";

static const tirb_expr *i32(tirb_builder *b, int64_t value) { return tirb_builder_int(b, "int32", value); }

static void build_update(tirb_builder *b, const tirb_expr *n, const tirb_buffer *A, const tirb_buffer *B,
                         const tirb_buffer *D) {
    const tirb_expr *zero = i32(b, 0);
    const tirb_expr *i = tirb_builder_for(b, TIRB_LOOP_SERIAL, "i", zero, n);
    const tirb_expr *j = tirb_builder_for(b, TIRB_LOOP_SERIAL, "j", zero, i32(b, 4));
    const tirb_expr *k = tirb_builder_for(b, TIRB_LOOP_SERIAL, "k", zero, i32(b, 8));
    tirb_builder_block(b, "D");
    const tirb_expr *vi = tirb_builder_axis(b, "vi", 0, n, i);
    const tirb_expr *vj = tirb_builder_axis(b, "vj", 0, i32(b, 4), j);
    const tirb_expr *vk = tirb_builder_axis(b, "vk", 1, i32(b, 8), k);
    const tirb_expr *at[] = {vi, vj}, *left[] = {vi, vk}, *right[] = {vk, vj};
    tirb_builder_init(b);
    tirb_builder_store(b, D, tirb_builder_float(b, "float32", 0), at, 2);
    tirb_builder_end(b);
    const tirb_expr *product =
        tirb_builder_binary(b, "*", tirb_builder_load(b, A, left, 2), tirb_builder_load(b, B, right, 2));
    tirb_builder_store(b, D, tirb_builder_binary(b, "+", tirb_builder_load(b, D, at, 2), product), at, 2);
    for (int depth = 0; depth < 4; depth++) tirb_builder_end(b);
}

static void build(tirb_builder *b) {
    tirb_builder_function(b, "matmul", NULL, 0);
    const tirb_expr *n = tirb_builder_shape_var(b, "n", "int32");
    const tirb_expr *a_shape[] = {n, i32(b, 8)}, *b_shape[] = {i32(b, 8), i32(b, 4)}, *c_shape[] = {n, i32(b, 4)};
    const tirb_buffer *A = tirb_builder_buffer_param(b, "A", "float32", a_shape, 2);
    const tirb_buffer *B = tirb_builder_buffer_param(b, "B", "float32", b_shape, 2);
    const tirb_buffer *C = tirb_builder_buffer_param(b, "C", "float32", c_shape, 2);
    const tirb_expr *scale = tirb_builder_scalar_param(b, "scale", "float32");
    const tirb_buffer *D = tirb_builder_allocate(b, "D", "float32", c_shape, 2, 1);
    tirb_builder_require(b, tirb_builder_binary(b, ">", n, i32(b, 0)), "no rows");
    tirb_builder_require(b, tirb_builder_binary(b, "<=", n, i32(b, 9)), "too many rows");
    build_update(b, n, A, B, D);
    const tirb_expr *i = tirb_builder_for(b, TIRB_LOOP_PARALLEL, "i", i32(b, 0), n);
    const tirb_expr *first[] = {i, i32(b, 0)};
    const tirb_expr *row[] = {i, tirb_builder_ramp(b, i32(b, 0), i32(b, 1), 4)};
    const tirb_expr *x =
        tirb_builder_let(b, "x", tirb_builder_binary(b, "*", tirb_builder_load(b, D, first, 2), scale));
    tirb_builder_if(b, tirb_builder_binary(b, ">", x, tirb_builder_float(b, "float32", 0)));
    const tirb_expr *sum =
        tirb_builder_binary(b, "+", tirb_builder_math(b, "exp", &x, 1), tirb_builder_math(b, "lgamma", &x, 1));
    tirb_builder_store(b, C, sum, first, 2);
    tirb_builder_end(b);
    tirb_builder_else(b);
    tirb_builder_store(b, C, i32(b, 1), row, 2);
    tirb_builder_end(b);
    tirb_builder_end(b);
    tirb_builder_end(b);
}

static void same_as_text(void **state) {
    (void)state;
    tirb_builder *builder;
    tirb_error error = TIRB_ERROR_INIT;
    assert_int_equal(tirb_builder_create(NULL, 0, &builder, &error), TIRB_OK);
    build(builder);
    assert_int_equal(tirb_builder_status(builder, &error), TIRB_OK);
    const tirb_irmodule *built = tirbi_builder_module(builder);
    assert_non_null(built);

    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    tirbi_heap_init(&heap, NULL, UINT64_C(1) << 26);
    tirbi_arena_init(&arena, &heap);
    assert_true(tirbi_source_init(&source, "text", text, sizeof text - 1, &arena));
    tirbi_diagnostics_init(&diagnostics, &source, &arena, 0);
    const tirb_irmodule *parsed = tirbi_parse(&source, &arena, &diagnostics);
    assert_int_equal(diagnostics.n_errors, 0);
    assert_true(tirbi_module_equal(built, parsed, &arena));
    tirbi_arena_destroy(&arena);
    tirb_builder_destroy(builder);
}

/* Mistakes are kept, and what is built from them is passed over. */
static void mistakes(void **state) {
    (void)state;
    tirb_builder *builder;
    tirb_error error = TIRB_ERROR_INIT;
    assert_int_equal(tirb_builder_create(NULL, 0, &builder, &error), TIRB_OK);
    tirb_builder_end(builder);
    tirb_builder_break(builder);
    tirb_builder_function(builder, "f", "int32", 1);
    const tirb_expr *wrong = tirb_builder_scalar_param(builder, "x", "int33");
    assert_null(wrong);
    assert_null(tirb_builder_binary(builder, "+", wrong, i32(builder, 1)));
    assert_null(tirb_builder_math(builder, "expp", &wrong, 1));
    tirb_builder_while(builder, i32(builder, 1));
    tirb_builder_end(builder);
    tirb_builder_else(builder);
    tirb_builder_return(builder, NULL);
    tirb_builder_axis(builder, "v", 0, i32(builder, 1), i32(builder, 1));
    assert_null(tirbi_builder_module(builder));
    assert_int_equal(tirb_builder_status(builder, &error), TIRB_MISUSE);
    assert_string_equal(error.message, "there is nothing to end");
    assert_true(tirb_builder_diagnostic_count(builder) >= 7);
    assert_null(tirb_builder_diagnostic(builder, 1000));
    tirb_builder_destroy(builder);
    tirb_builder_destroy(NULL);
}

/* Conditions on arguments come first: neither behind another assertion nor in a loop, nor outside of a function. */
static void late_requirements(void **state) {
    (void)state;
    for (int place = 0; place < 3; place++) {
        tirb_builder *builder;
        tirb_error error = TIRB_ERROR_INIT;
        assert_int_equal(tirb_builder_create(NULL, 0, &builder, &error), TIRB_OK);
        const tirb_expr *n = NULL;
        if (place > 0) {
            tirb_builder_function(builder, "f", NULL, 0);
            n = tirb_builder_scalar_param(builder, "n", "int32");
            tirb_builder_require(builder, tirb_builder_binary(builder, ">", n, i32(builder, 0)), "first");
            assert_int_equal(tirb_builder_status(builder, &error), TIRB_OK);
        }
        if (place == 1) tirb_builder_assert(builder, tirb_builder_binary(builder, ">", n, i32(builder, 1)), "plain");
        if (place == 2) tirb_builder_while(builder, tirb_builder_binary(builder, ">", n, i32(builder, 1)));
        tirb_builder_require(builder, n ? tirb_builder_binary(builder, "<", n, i32(builder, 9)) : NULL, "late");
        assert_int_equal(tirb_builder_status(builder, &error), TIRB_MISUSE);
        assert_string_equal(error.message, "what a function requires stands in front of its other statements");
        tirb_builder_destroy(builder);
    }
    tirb_builder_require(NULL, NULL, NULL);
}

/* Where a comprehension's result begins has no spelling in TVMScript: a bundle is told of it by the module. */
static void minima(void **state) {
    (void)state;
    tirb_builder *b;
    tirb_error error = TIRB_ERROR_INIT;
    assert_int_equal(tirb_builder_create(NULL, 0, &b, &error), TIRB_OK);
    tirb_builder_function(b, "f", NULL, 0);
    const tirb_expr *k = tirb_builder_scalar_param(b, "k", "int32");
    const tirb_expr *const shape[] = {i32(b, 4), i32(b, 2)};
    const tirb_buffer *const buffers[] = {tirb_builder_buffer_param(b, "A", "float32", shape, 2),
                                          tirb_builder_buffer_param(b, "B", "float32x4", shape, 2),
                                          tirb_builder_buffer_param(b, "C", "float32", shape, 2)};
    const tirb_expr *at[] = {i32(b, 0), i32(b, 0)};
    tirb_builder_store(b, buffers[0], tirb_builder_float(b, "float32", 1), at, 2);
    const tirb_expr *const moved[] = {tirb_builder_binary(b, "-", k, i32(b, 1)), i32(b, 0)};
    const tirb_expr *const zeroes[] = {i32(b, 0), i32(b, 0)};
    const tirb_expr *const *const all[] = {NULL, moved, moved, zeroes};
    tirb_builder_end(b);
    tirbi_builder_module(b)->functions[0]->minima = all;

    tirb_compile_result *result;
    tirb_engine *engine;
    tirb_module *module;
    tirb_instance *instance;
    size_t size;
    assert_int_equal(tirb_builder_compile(b, NULL, &result, &error), TIRB_OK);
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    assert_int_equal(tirb_engine_create(NULL, &engine, &error), TIRB_OK);
    assert_int_equal(tirb_module_load(engine, bytes, size, &module, &error), TIRB_OK);
    assert_int_equal(tirb_instance_create(module, NULL, &instance, &error), TIRB_OK);
    const tirb_arg none = {.kind = TIRB_ARG_NONE};
    const tirb_arg args[] = {{.kind = TIRB_ARG_INT, .value = {.i = 7}}, none, none, none};
    for (uint32_t i = 1; i < 4; i++) {
        int64_t found[3] = {-1, -1, -1};
        int32_t ndim = 0;
        assert_int_equal(tirb_instance_minima(instance, 0, i, args, 4, found, 3, &ndim, &error), TIRB_OK);
        assert_int_equal(ndim, i == 2 ? 3 : 2); /* the lanes of vectors are the last dimension */
        assert_int_equal(found[0], i == 3 ? 0 : 6);
        assert_int_equal(found[1], 0);
        assert_int_equal(found[2], i == 2 ? 0 : -1);
    }
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_engine_release(engine);
    tirb_compile_result_destroy(result);
    tirb_builder_destroy(b);
}

static void little_memory(void **state) {
    (void)state;
    for (uint64_t budget = 1; budget < 200000; budget += 1 + budget / 8) {
        tirb_builder *builder;
        tirb_error error = TIRB_ERROR_INIT;
        if (tirb_builder_create(NULL, budget, &builder, &error) != TIRB_OK) continue;
        build(builder);
        bool good = tirbi_builder_module(builder) != NULL;
        assert_int_equal(good, tirb_builder_status(builder, &error) == TIRB_OK);
        tirb_builder_destroy(builder);
    }
}

static void *scribbling_reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    (void)context;
    void *fresh = new_size ? malloc(new_size) : NULL;
    if (new_size && !fresh) return NULL;
    if (fresh && ptr) memcpy(fresh, ptr, old_size < new_size ? old_size : new_size);
    volatile unsigned char *gone = ptr; /* else the compiler leaves out what is written before free() */
    for (size_t i = 0; gone && i < old_size; i++) gone[i] = 0xDD;
    free(ptr);
    return fresh;
}

/* What a result tells outlives the builder that it came from. */
static void results_outlive_builders(void **state) {
    (void)state;
    const tirb_allocator scribbling = {scribbling_reallocate, NULL};
    tirb_builder *builder;
    tirb_compile_result *result;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.explain = 1;
    assert_int_equal(tirb_builder_create(&scribbling, 0, &builder, &error), TIRB_OK);
    build(builder);
    assert_int_equal(tirb_builder_compile(builder, &options, &result, &error), TIRB_OK);
    tirb_builder_destroy(builder);
    const uint32_t n = tirb_compile_result_loop_count(result);
    assert_true(n >= 4);
    for (uint32_t i = 0; i < n; i++) {
        const tirb_loop_note *note = tirb_compile_result_loop(result, i);
        assert_string_equal(note->function, "matmul");
        assert_int_equal(strlen(note->variable), 1);
        assert_non_null(strchr("ijk", note->variable[0]));
    }
    tirb_compile_result_destroy(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_text),      cmocka_unit_test(mistakes),
                                       cmocka_unit_test(late_requirements), cmocka_unit_test(minima),
                                       cmocka_unit_test(little_memory),     cmocka_unit_test(results_outlive_builders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
