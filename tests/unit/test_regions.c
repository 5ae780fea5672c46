/* Regions that the compiler finds: which loops become one and why others do not, and that nothing else depends on
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tirb/compiler.h>

#include "loader/bundle/bundle.h"
#include "tests/unit/script_fixture.h"

#define HEADER "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n"

static const choices every_region = {NULL, TIRB_PARALLEL_ALL};

static tirb_compile_result *compile(const char *text, choices chosen) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    options.parallel = chosen.parallel;
    options.disable = chosen.disable;
    options.explain = 1;
    tirb_status status = tirb_compile(text, strlen(text), &options, &result, &error);
    if (status != TIRB_OK) print_error("%u: %s\n%s\n", error.line, error.message, text);
    assert_int_equal(status, TIRB_OK);
    return result;
}

/* ---- Which loops ------------------------------------------------------------------------------------------------ */

/* The loops that became regions, with commas between them; or why the one that the program calls parallel did not. */
static void describe(const char *text, choices chosen, char *out, size_t size) {
    tirb_compile_result *result = compile(text, chosen);
    size_t length = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < tirb_compile_result_loop_count(result) && length < size; i++) {
        const tirb_loop_note *note = tirb_compile_result_loop(result, i);
        if (note->form != TIRB_FORM_REGION && note->form != TIRB_FORM_SERIAL) continue;
        length += (size_t)snprintf(out + length, size - length, "%s%s%s%s", length ? ", " : "", note->variable,
                                   note->form == TIRB_FORM_SERIAL ? ": " : "",
                                   note->form == TIRB_FORM_SERIAL ? note->text : "");
    }
    tirb_compile_result_destroy(result);
}

/* With parameters A, B (float32 64 x 32), V (float32 128), N (int32 64), and m, of any extents. */
static void expect_loops(const char *body, const char *expected) {
    char text[2048], found[512];
    snprintf(text, sizeof(text),
             HEADER "def f(A: T.Buffer((64, 32), \"float32\"), B: T.Buffer((64, 32), \"float32\"), "
                    "V: T.Buffer((128,), \"float32\"), N: T.Buffer((64,), \"int32\"), F: T.Buffer((\"m * 32\",), "
                    "\"float32\"), G: T.Buffer((\"m\", 32), \"float32\")):\n    m = T.int32()\n%s", body);
    describe(text, every_region, found, sizeof(found));
    if (strcmp(found, expected) != 0) print_error("%s\n", body);
    assert_string_equal(found, expected);
}

static void loops_that_write_apart_become_regions(void **state) {
    (void)state;
    expect_loops("    for i, j in T.grid(64, 32):\n        A[i, j] = B[i, j]\n", "i");
    expect_loops("    for i, j in T.grid(m, 32):\n        G[i, j] = A[0, j]\n", "i");
    expect_loops("    for i, j in T.grid(m, 32):\n        F[i * 32 + j] = A[0, j]\n", "i");
    expect_loops("    for i in range(31):\n        for j in range(4):\n            V[i * 4 + j + 3] = A[i, j]\n", "i");
    expect_loops("    for i in range(10):\n        A[60 - i * 2, 3] = V[i]\n        A[61 - i * 2, 3] = V[i]\n", "");
    expect_loops("    for i in range(10):\n        A[i * 2, 3] = V[i]\n        A[i * 2 + 1, 3] = A[i * 2, 3]\n", "i");
    /* the sum over i is passed on, but that of each j lies apart from the others */
    expect_loops("    for i, j in T.grid(64, 32):\n        V[j] = V[j] + A[i, j]\n", "j");
    /* a triangle, a while loop, a condition, memory of the iteration */
    expect_loops("    for i in range(64):\n        for j in range(T.min(i, 31)):\n            A[i, j] = A[i, j + 1]\n",
                 "i");
    expect_loops("    for i in range(64):\n        while A[i, 0] < V[i]:\n            A[i, 0] = A[i, 0] + 1.0\n", "i");
    expect_loops("    for i in range(64):\n        if V[i] > 0.0:\n            A[i, N[0]] = A[i, N[i]]\n", "i");
    expect_loops(
        "    for i in range(64):\n        W = T.alloc_buffer((32,), \"float32\")\n        for j in range(32):\n"
        "            W[j] = B[i, 31 - j]\n        for k in range(32):\n            A[i, k] = W[k] * W[31 - k]\n",
        "i");
}

/* A loop in digits has its body twice: each is a region with a buffer of its own in it, and stands a second time
 * without one, for when there is little to do. */
static void each_part_has_its_own_memory(void **state) {
    (void)state;
    char found[512];
    describe(HEADER "def f(A: T.Buffer((\"m\", 2), \"float32\"), V: T.Buffer((\"n\", \"n\"), \"float32\")):\n"
                    "    m, n = T.int32(), T.int32()\n"
                    "    for i, j in T.grid(n, n):\n"
                    "        s = T.alloc_buffer((1,), \"float32\")\n"
                    "        s[0] = A[i // 2, i % 2]\n"
                    "        V[i, j] = T.exp(s[0])\n",
             (choices){"promote", TIRB_PARALLEL_AUTO}, found, sizeof(found));
    assert_string_equal(found, "i / 2, j");
}

static void loops_that_may_meet_do_not(void **state) {
    (void)state;
    static const char apart[] = "i: its iterations are not known to have parts of 'V' of their own";
    expect_loops("    for i in T.parallel(64):\n        V[i + 1] = V[i]\n", apart);
    expect_loops("    for i in T.parallel(64):\n        V[N[i]] = A[i, 0]\n", apart);
    expect_loops("    for i in T.parallel(64):\n        V[(i + 1) // 3] = A[i, 0]\n", apart);
    expect_loops("    for i in T.parallel(31):\n        for j in range(5):\n            V[i * 4 + j] = A[i, j]\n",
                 "i: its iterations are not known to have parts of 'V' of their own, j");
    expect_loops("    for i in T.parallel(64):\n        V[63 - i] = V[i]\n", apart);
    expect_loops("    for i in T.parallel(64):\n        V[0] = V[0] + A[i, 0]\n", apart);
    expect_loops(
        "    s = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n    s[0] = 0.0\n    for i in T.parallel(64):\n"
        "        V[i] = s[0]\n        s[0] = A[i, 0]\n",
        "i: its iterations pass a variable on");
    expect_loops("    for i in T.parallel(64):\n        V[i] = T.call_extern(\"float32\", \"host\", A[i, 0])\n",
                 "i: it may call a function of the host");
    expect_loops("    s: T.let[T.handle] = T.tvm_stack_alloca(\"arg_value\", 64)\n    for i in T.parallel(64):\n"
                 "        T.evaluate(T.tvm_struct_set(s, i, 12, A.data))\n",
                 "i: it looks at references as values, or hands them out");
    expect_loops("    for i in T.parallel(N[0]):\n        V[i] = A[i, 0]\n",
                 "i: its bounds are not known before it begins");
}

static void another_loop_of_the_nest_may_be_one(void **state) {
    (void)state;
    expect_loops("    for i in range(64):\n        for j in T.parallel(32):\n            A[i, j] = B[i, j]\n", "i");
    expect_loops("    for i in T.thread_binding(64, thread=\"blockIdx.x\"):\n"
                 "        for j in T.thread_binding(32, thread=\"threadIdx.x\"):\n            A[i, j] = B[i, j]\n",
                 "i");
    expect_loops("    for i in T.parallel(64):\n        for j in range(32):\n            V[j] = V[j] + A[i, j]\n", "j");
}

/* Unless every loop that may be a region is one, there must be work for two chunks: known now, or asked by the call. */
static void small_loops_stay_serial(void **state) {
    (void)state;
    char found[512];
    describe(HEADER "def f(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):\n"
                    "    for i in range(64):\n        A[i] = T.exp(B[i])\n", as_usual, found, sizeof(found));
    assert_string_equal(found, "");
    describe(HEADER "def f(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):\n"
                    "    for i in T.parallel(64):\n        A[i] = T.exp(B[i])\n", as_usual, found, sizeof(found));
    assert_string_equal(found, "i: it has too little work for two threads");
    describe(HEADER "def f(A: T.Buffer((1 << 20,), \"float32\"), B: T.Buffer((1 << 20,), \"float32\")):\n"
                    "    for i in range(1 << 20):\n        A[i] = T.exp(B[i])\n", as_usual, found, sizeof(found));
    assert_string_equal(found, "i");
    describe(HEADER "def f(A: T.Buffer((64, 64), \"float32\"), B: T.Buffer((64,), \"float32\")):\n"
                    "    for i in range(1, 64):\n        B[i] = A[i - 1, i] + B[i - 1]\n"
                    "        for j in range(i + 1):\n            A[i, j] = A[i, j] * B[i]\n", as_usual, found, sizeof(found));
    assert_string_equal(found, ""); /* the rows' lengths vary, but none is long */
    describe(HEADER
             "def f(A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((\"n\",), \"float32\")):\n    n = T.int32()\n"
             "    for i in range(n):\n        A[i] = T.exp(B[i])\n",
             as_usual, found, sizeof(found));
    assert_string_equal(found, "i");
    describe(HEADER "def f(A: T.Buffer((1 << 20,), \"float32\"), B: T.Buffer((1 << 20,), \"float32\")):\n"
                    "    for i in range(1 << 20):\n        A[i] = T.exp(B[i])\n",
             (choices){NULL, TIRB_PARALLEL_OFF}, found, sizeof(found));
    assert_string_equal(found, "");
}

/* ---- What they give --------------------------------------------------------------------------------------------- */

typedef struct session {
    tirb_compile_result *result;
    tirb_engine *engine;
    tirb_module *module;
    tirb_instance *instance;
    tirb_error error;
} session;

static session open_session(const char *text, choices chosen, uint32_t threads, uint64_t fuel) {
    session s = {.result = compile(text, chosen), .error = TIRB_ERROR_INIT};
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_limits limits = TIRB_LIMITS_INIT;
    options.max_threads = limits.threads = threads;
    limits.fuel = fuel;
    size_t size;
    const uint8_t *bytes = tirb_compile_result_bytes(s.result, &size);
    assert_int_equal(tirb_engine_create(&options, &s.engine, &s.error), TIRB_OK);
    assert_int_equal(tirb_module_load(s.engine, bytes, size, &s.module, &s.error), TIRB_OK);
    assert_int_equal(tirb_instance_create(s.module, &limits, &s.instance, &s.error), TIRB_OK);
    return s;
}

static void close_session(session *s) {
    tirb_instance_destroy(s->instance);
    tirb_module_release(s->module);
    tirb_engine_release(s->engine);
    tirb_compile_result_destroy(s->result);
}

static uint64_t fuel_of(const session *s) {
    tirb_stats stats = TIRB_STATS_INIT;
    assert_int_equal(tirb_instance_stats(s->instance, &stats), TIRB_OK);
    return stats.fuel_used;
}

static tirb_status call(session *s, float *a, float *b, int64_t n) {
    int64_t shape[2] = {n, 8};
    DLTensor x = {.data = a, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
    DLTensor y = x;
    y.data = b;
    tirb_arg args[2] = {{.value.tensor = &x}, {.value.tensor = &y}};
    return tirb_instance_call(s->instance, 0, args, 2, NULL, &s->error);
}

static const char rows[] =
    HEADER "def rows(A: T.Buffer((\"n\", 8), \"float32\"), B: T.Buffer((\"n\", 8), \"float32\")):\n"
           "    n = T.int32()\n"
           "    for i in range(n):\n"
           "        for j in range(8):\n"
           "            B[i, j] = T.exp(T.sin(A[i, j])) + T.float32(1)\n";

enum { N = 20000 };

/* Bytes and fuel are the same with any number of threads; n = 3 takes the way without chunks, N the one with. */
static void results_do_not_depend_on_threads(void **state) {
    (void)state;
    static float a[N * 8], b[3][N * 8];
    static const uint32_t threads[] = {1, 2, 7};
    for (uint32_t i = 0; i < N * 8; i++) a[i] = (float)i / 999;
    for (uint32_t all = 0; all < 2; all++) {
        for (int64_t n = 3; n <= N; n += N - 3) {
            uint64_t fuel[3];
            for (int t = 0; t < 3; t++) {
                session s = open_session(rows, all ? every_region : as_usual, threads[t], 0);
                memset(b[t], 1, sizeof(b[t]));
                for (int again = 0; again < 5; again++) assert_int_equal(call(&s, a, b[t], n), TIRB_OK);
                fuel[t] = fuel_of(&s);
                close_session(&s);
            }
            assert_memory_equal(b[0], b[1], sizeof(b[0]));
            assert_memory_equal(b[0], b[2], sizeof(b[0]));
            assert_int_equal(fuel[0], fuel[1]);
            assert_int_equal(fuel[0], fuel[2]);
        }
    }
}

static void regions_are_parts_of_their_function(void **state) {
    (void)state;
    session s = open_session(rows, as_usual, 2, 0);
    uint32_t number;
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    tirb_param_info param = TIRB_PARAM_INFO_INIT;
    assert_int_equal(tirb_module_function_count(s.module), 1);
    assert_int_equal(tirb_module_find(s.module, "rows:0", &number, NULL), TIRB_NOT_FOUND);
    assert_int_equal(tirb_module_function(s.module, 1, &info, NULL), TIRB_NOT_FOUND);
    assert_int_equal(tirb_module_param(s.module, 1, 0, &param, NULL), TIRB_NOT_FOUND);
    assert_int_equal(tirb_instance_call(s.instance, 1, NULL, 0, NULL, NULL), TIRB_NOT_FOUND);
    close_session(&s);
}

/* Of the chunks that trap, the lowest one's error is told, with the function and the line of the program. */
static void the_first_error_is_told(void **state) {
    (void)state;
    static const char text[] =
        HEADER "def pick(A: T.Buffer((\"n\", 8), \"float32\"), B: T.Buffer((\"n\", 8), \"float32\")):\n"
               "    n = T.int32()\n"
               "    for i in T.parallel(n):\n"
               "        for j in range(8):\n"
               "            B[i, j] = A[i, T.cast(A[i, j], \"int32\")]\n";
    float a[64 * 8], b[64 * 8];
    for (uint32_t threads = 1; threads <= 7; threads += 3) {
        for (int lowest = 0; lowest < 64; lowest += 21) {
            session s = open_session(text, every_region, threads, 0);
            for (int i = 0; i < 64 * 8; i++) a[i] = i < lowest * 8 ? 1.0f : (float)(100 + i / 8);
            assert_int_equal(call(&s, a, b, 64), TIRB_BOUNDS);
            char expected[64];
            snprintf(expected, sizeof(expected), "index %d ", 100 + lowest);
            assert_non_null(strstr(s.error.message, expected));
            assert_non_null(strstr(s.error.message, "(in pick)"));
            assert_int_equal(s.error.line, 8);
            close_session(&s);
        }
    }
}

/* Fuel runs out, and memory is too little, for any number of threads alike. */
static void limits_do_not_depend_on_threads(void **state) {
    (void)state;
    static float a[N * 8], b[N * 8];
    session s = open_session(rows, every_region, 1, 0);
    assert_int_equal(call(&s, a, b, N), TIRB_OK);
    uint64_t need = fuel_of(&s);
    close_session(&s);
    for (uint32_t threads = 1; threads <= 7; threads += 3) {
        for (uint64_t less = 0; less < need; less += need / 7) {
            s = open_session(rows, every_region, threads, need - less);
            assert_int_equal(call(&s, a, b, N), less == 0 ? TIRB_OK : TIRB_FUEL);
            close_session(&s);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_that_write_apart_become_regions),
        cmocka_unit_test(each_part_has_its_own_memory),
        cmocka_unit_test(loops_that_may_meet_do_not),
        cmocka_unit_test(another_loop_of_the_nest_may_be_one),
        cmocka_unit_test(small_loops_stay_serial),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(regions_are_parts_of_their_function),
        cmocka_unit_test(the_first_error_is_told),
        cmocka_unit_test(limits_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
