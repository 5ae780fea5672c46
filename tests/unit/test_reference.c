/* Each semantic rule of the oracle on an example that is worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/check/check.h"
#include "compiler/text/text.h"
#include "tests/reference/reference.h"
#include "tests/reference/value.h"

enum { MAX_ARGS = 6 };

typedef struct tensor {
    DLTensor dl;
    int64_t shape[3];
} tensor;

typedef struct call {
    tirb_fp_mode fp;
    uint64_t max_steps;
    tensor tensors[MAX_ARGS];
    tirb_arg args[MAX_ARGS];
    uint32_t n;
    const tirb_import *imports;
    uint32_t n_imports;
    tirb_result result;
    tirb_error error;
} call;

static void pass(call *c, void *data, DLDataTypeCode code, uint8_t bits, int32_t ndim, const int64_t *shape) {
    tensor *t = &c->tensors[c->n];
    for (int32_t i = 0; i < ndim; i++) t->shape[i] = shape[i];
    t->dl = (DLTensor){.data = data,
                       .device = {.device_type = kDLCPU, .device_id = 0},
                       .ndim = ndim,
                       .dtype = {.code = (uint8_t)code, .bits = bits, .lanes = 1},
                       .shape = t->shape};
    c->args[c->n++] = (tirb_arg){.kind = TIRB_ARG_TENSOR, .value = {.tensor = &t->dl}};
}

static void pass_f32(call *c, float *data, int64_t n) { pass(c, data, kDLFloat, 32, 1, &n); }
static void pass_f64(call *c, double *data, int64_t n) { pass(c, data, kDLFloat, 64, 1, &n); }
static void pass_i32(call *c, int32_t *data, int64_t n) { pass(c, data, kDLInt, 32, 1, &n); }
static void pass_int(call *c, int64_t value) {
    c->args[c->n++] = (tirb_arg){.kind = TIRB_ARG_INT, .value = {.i = value}};
}

/* Runs `main` of a module of functions, or the one function, given by its text. */
static tirb_status run_module(call *c, const char *text, const char *name) {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    assert_true(tirbi_source_init(&source, "test", text, (uint32_t)strlen(text), &arena));
    tirbi_diagnostics_init(&diagnostics, &source, &arena, 0);
    const tirb_irmodule *module = tirbi_parse(&source, &arena, &diagnostics);
    bool good = module != NULL && !tirbi_has_errors(&diagnostics) && tirbi_check_module(module, &diagnostics, &arena);
    if (!good && diagnostics.n_items > 0) print_error("%s\n%s\n", diagnostics.items[0].message, text);
    assert_true(good);
    tirb_reference_options options = {.fp = c->fp, .max_steps = c->max_steps, .max_depth = 20, .imports = c->imports,
                                      .n_imports = c->n_imports};
    c->error = (tirb_error)TIRB_ERROR_INIT;
    tirb_status status = tirb_reference_call(module, name, &options, c->args, c->n, &c->result, &c->error);
    tirbi_arena_destroy(&arena);
    return status;
}

static tirb_status run(call *c, const char *signature, const char *body) {
    char text[8000];
    snprintf(text, sizeof text,
             "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\ndef main(%s:\n%s", signature, body);
    return run_module(c, text, "main");
}

/* The value of an int32 expression of x and y. */
static int32_t int_value(const char *expression, int32_t x, int32_t y, tirb_status *status) {
    char body[1000];
    call c = {.n = 0};
    int32_t out = -999;
    pass_i32(&c, &out, 1);
    pass_int(&c, x);
    pass_int(&c, y);
    snprintf(body, sizeof body, "    O[0] = %s\n", expression);
    *status = run(&c, "O: T.Buffer((1,), \"int32\"), x: T.int32, y: T.int32)", body);
    return out;
}

static void check_int(const char *expression, int32_t x, int32_t y, int32_t expected) {
    tirb_status status;
    int32_t found = int_value(expression, x, y, &status);
    if (status != TIRB_OK || found != expected) print_error("%s with %d, %d: %d\n", expression, x, y, found);
    assert_int_equal(status, TIRB_OK);
    assert_int_equal(found, expected);
}

static float float_value(const char *expression, float x, float y, tirb_fp_mode fp) {
    char body[1000];
    call c = {.fp = fp};
    float out = -999;
    float in[2] = {x, y};
    pass_f32(&c, &out, 1);
    pass_f32(&c, in, 2);
    snprintf(body, sizeof body, "    O[0] = %s\n", expression);
    assert_int_equal(run(&c, "O: T.Buffer((1,), \"float32\"), A: T.Buffer((2,), \"float32\"))", body), TIRB_OK);
    return out;
}

static uint32_t float_bits(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static float from_bits(uint32_t bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- Integers ------------------------------------------------------------------------------------------------- */

static void integers_wrap(void **state) {
    (void)state;
    check_int("x + y", INT32_MAX, 1, INT32_MIN);
    check_int("x - y", INT32_MIN, 1, INT32_MAX);
    check_int("x * y", 65536, 65536, 0);
    check_int("T.Cast(\"int32\", T.Cast(\"int8\", x))", 200, 0, -56);
    check_int("T.Cast(\"int32\", T.Cast(\"uint8\", x))", -1, 0, 255);
}

static void division_rounds_as_its_name_says(void **state) {
    (void)state;
    check_int("T.truncdiv(x, y)", -7, 2, -3);
    check_int("T.truncmod(x, y)", -7, 2, -1);
    check_int("x // y", -7, 2, -4);
    check_int("x % y", -7, 2, 1);
    check_int("x // y", 7, -2, -4);
    check_int("x % y", 7, -2, -1);
    check_int("T.truncdiv(x, y)", INT32_MIN, -1, INT32_MIN);
    check_int("T.truncmod(x, y)", INT32_MIN, -1, 0);
    check_int("x // y", INT32_MIN, -1, INT32_MIN);
}

static void division_by_zero_is_an_error(void **state) {
    (void)state;
    static const char *const forms[] = {"T.truncdiv(x, y)", "T.truncmod(x, y)", "x // y", "x % y"};
    for (size_t i = 0; i < 4; i++) {
        tirb_status status;
        int_value(forms[i], 1, 0, &status);
        assert_int_equal(status, TIRB_DIVIDE);
    }
}

static void shifts_are_masked(void **state) {
    (void)state;
    check_int("T.shift_left(x, y)", 1, 33, 2);
    check_int("T.shift_right(x, y)", -8, 1, -4);
    check_int("T.shift_right(x, y)", -8, 33, -4);
    check_int("T.Cast(\"int32\", T.shift_right(T.Cast(\"uint32\", x), T.Cast(\"uint32\", y)))", -8, 28, 15);
    check_int("T.popcount(x) * 100 + T.clz(y)", 255, 1, 831);
    check_int("T.clz(x)", 0, 0, 32);
}

/* ---- Choice --------------------------------------------------------------------------------------------------- */

static void choices_are_lazy(void **state) {
    (void)state;
    check_int("T.if_then_else(y != 0, x // y, -1)", 5, 0, -1);
    check_int("T.Select(y != 0, x // y, -1)", 5, 0, -1);
    check_int("T.Cast(\"int32\", y != 0 and x // y == 1)", 5, 0, 0);
    check_int("T.Cast(\"int32\", y == 0 or x // y == 1)", 5, 0, 1);
}

static void lets_bind_values(void **state) {
    (void)state;
    call c = {.n = 0};
    int32_t out[2] = {1, 2};
    pass_i32(&c, out, 2);
    assert_int_equal(run(&c, "O: T.Buffer((2,), \"int32\"))",
                         "    v: T.let[T.int32] = O[0]\n    O[0] = 7\n    O[1] = v\n    w: T.int32 = O[0]\n    w = w + "
                         "1\n    O[0] = w\n"),
                     TIRB_OK);
    assert_int_equal(out[0], 8);
    assert_int_equal(out[1], 1);
}

/* ---- Floats --------------------------------------------------------------------------------------------------- */

static void min_and_max_take_the_second_of_unordered(void **state) {
    (void)state;
    assert_float_equal(float_value("T.min(A[0], A[1])", NAN, 1, TIRB_FP_PRECISE), 1, 0);
    assert_int_equal(float_bits(float_value("T.min(A[0], A[1])", 1, from_bits(0xffc00001), TIRB_FP_PRECISE)),
                     0x7fc00000);
    assert_int_equal(float_bits(float_value("T.max(A[0], A[1])", 0.0f, -0.0f, TIRB_FP_PRECISE)), 0x80000000);
}

static void comparisons_with_nan(void **state) {
    (void)state;
    assert_float_equal(float_value("T.Cast(\"float32\", A[0] != A[1])", NAN, 1, TIRB_FP_PRECISE), 1, 0);
    assert_float_equal(float_value("T.Cast(\"float32\", A[0] == A[0])", NAN, 1, TIRB_FP_PRECISE), 0, 0);
    assert_float_equal(float_value("T.Cast(\"float32\", T.isnan(A[0]))", NAN, 1, TIRB_FP_PRECISE), 1, 0);
}

static void round_goes_to_even(void **state) {
    (void)state;
    assert_float_equal(float_value("T.round(A[0])", 2.5f, 0, TIRB_FP_PRECISE), 2, 0);
    assert_float_equal(float_value("T.round(A[0])", 3.5f, 0, TIRB_FP_PRECISE), 4, 0);
    assert_int_equal(float_bits(float_value("T.round(A[0])", -0.5f, 0, TIRB_FP_PRECISE)), 0x80000000);
}

static void casts_saturate(void **state) {
    (void)state;
    static const struct {
        float value;
        int32_t expected;
    } cases[] = {{1e10f, INT32_MAX}, {-1e10f, INT32_MIN}, {-1.9f, -1}, {NAN, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call c = {.n = 0};
        int32_t out = 5;
        float in = cases[i].value;
        pass_i32(&c, &out, 1);
        pass_f32(&c, &in, 1);
        assert_int_equal(run(&c, "O: T.Buffer((1,), \"int32\"), A: T.Buffer((1,), \"float32\"))",
                             "    O[0] = T.Cast(\"int32\", A[0])\n"),
                         TIRB_OK);
        assert_int_equal(out, cases[i].expected);
    }
    assert_int_equal(tirbi_ref_cast(TIRB_U8, TIRB_F32, float_bits(300)), 255);
    assert_int_equal(tirbi_ref_cast(TIRB_U8, TIRB_F32, float_bits(-3)), 0);
    assert_int_equal(tirbi_ref_cast(TIRB_BOOL, TIRB_F32, float_bits(NAN)), 1);
}

static void halves_round_once(void **state) {
    (void)state;
    assert_int_equal(tirbi_ref_from_double(TIRB_F16, 65519.9), 0x7bff);
    assert_int_equal(tirbi_ref_from_double(TIRB_F16, 65520), 0x7c00);
    assert_int_equal(tirbi_ref_from_double(TIRB_F16, 0x1p-25), 0);
    assert_int_equal(tirbi_ref_from_double(TIRB_F16, 0x1.8p-25), 1);
    /* A double just above the middle of two halves: rounding to f32 first would lose that. */
    assert_int_equal(tirbi_ref_from_double(TIRB_F16, 1 + 0x1p-11 + 0x1p-40), 0x3c01);
    assert_int_equal(tirbi_ref_from_double(TIRB_BF16, 1 + 0x1p-8 + 0x1p-40), 0x3f81);
    /* 2^53 + 2^45 + 1 is above the middle of two bfloat16s; as a double it is the middle. */
    assert_int_equal(tirbi_ref_cast(TIRB_BF16, TIRB_I64, (1ull << 62) + (1ull << 54) + 1), 0x5e81);
    assert_int_equal(tirbi_ref_cast(TIRB_F32, TIRB_I64, (1ull << 62) + (1ull << 38) + 1), 0x5e800001);
}

static void nans_are_canonical_where_arithmetic_makes_them(void **state) {
    (void)state;
    float odd = from_bits(0xffc12345);
    assert_int_equal(float_bits(float_value("A[0] + A[1]", odd, 1, TIRB_FP_PRECISE)), 0x7fc00000);
    assert_int_equal(float_bits(float_value("-A[0]", odd, 1, TIRB_FP_PRECISE)), 0x7fc00000);
    assert_int_equal(float_bits(float_value("T.abs(A[0])", odd, 1, TIRB_FP_PRECISE)), 0x7fc00000);
    assert_int_equal(float_bits(float_value("A[0]", odd, 1, TIRB_FP_PRECISE)), 0xffc12345);
    assert_int_equal(float_bits(float_value("T.Select(A[1] > T.float32(0), A[0], A[1])", odd, 1, TIRB_FP_PRECISE)),
                     0xffc12345);
    assert_int_equal(
        float_bits(float_value("T.reinterpret(\"float32\", T.reinterpret(\"int32\", A[0]))", odd, 1, TIRB_FP_PRECISE)),
        0xffc12345);
}

/* ---- R2: fused multiply-add ----------------------------------------------------------------------------------- */

static void products_fuse_into_sums(void **state) {
    (void)state;
    /* x * x = 1 + 2^-11 + 2^-24: rounded to f32 it loses the last term. */
    float x = 1 + 0x1p-12f;
    float rounded = x * x;
    assert_float_equal(float_value("A[0] * A[0] - A[1]", x, rounded, TIRB_FP_PRECISE), 0x1p-24f, 0);
    assert_float_equal(float_value("A[1] - A[0] * A[0]", x, rounded, TIRB_FP_PRECISE), -0x1p-24f, 0);
    assert_float_equal(float_value("A[0] * A[0] - A[1]", x, rounded, TIRB_FP_STRICT), 0, 0);
    assert_float_equal(float_value("T.fma(A[0], A[0], T.float32(0) - A[1])", x, rounded, TIRB_FP_STRICT), 0x1p-24f, 0);
    /* The left product of two is the fused one: the right one is rounded. */
    assert_float_equal(float_value("A[0] * A[0] - A[0] * A[0]", x, 0, TIRB_FP_PRECISE), 0x1p-24f, 0);
    /* A cast is a border. */
    assert_float_equal(float_value("T.Cast(\"float32\", A[0] * A[0]) - A[1]", x, rounded, TIRB_FP_PRECISE), 0, 0);
}

static void a_let_is_a_border(void **state) {
    (void)state;
    call c = {.n = 0};
    float x[2] = {1 + 0x1p-12f, 0};
    float out = 9;
    x[1] = x[0] * x[0];
    pass_f32(&c, &out, 1);
    pass_f32(&c, x, 2);
    assert_int_equal(run(&c, "O: T.Buffer((1,), \"float32\"), A: T.Buffer((2,), \"float32\"))",
                         "    p: T.let[T.float32] = A[0] * A[0]\n    O[0] = p - A[1]\n"),
                     TIRB_OK);
    assert_float_equal(out, 0, 0);
}

/* ---- Memory --------------------------------------------------------------------------------------------------- */

static void each_index_has_its_own_bound(void **state) {
    (void)state;
    call c = {.n = 0};
    float data[1000] = {0};
    const int64_t shape[2] = {10, 100};
    pass(&c, data, kDLFloat, 32, 2, shape);
    pass_int(&c, 200);
    assert_int_equal(run(&c, "A: T.Buffer((10, 100), \"float32\"), i: T.int32)", "    A[0, i] = T.float32(1)\n"),
                     TIRB_BOUNDS);
    assert_string_equal(c.error.message, "index 200 is out of bounds for dimension 1 of A with extent 100");
    c.args[1].value.i = -1;
    assert_int_equal(run(&c, "A: T.Buffer((10, 100), \"float32\"), i: T.int32)", "    A[i, 5] = T.float32(1)\n"),
                     TIRB_BOUNDS);
    assert_string_equal(c.error.message, "index -1 is out of bounds for dimension 0 of A with extent 10");
    assert_int_equal(run(&c, "A: T.Buffer((10, 100), \"float32\"), i: T.uint64)", "    A[i, 5] = T.float32(1)\n"),
                     TIRB_BOUNDS);
    assert_string_equal(c.error.message,
                        "index 18446744073709551615 is out of bounds for dimension 0 of A with extent 10");
}

static void allocations_are_zeroed_each_time(void **state) {
    (void)state;
    call c = {.n = 0};
    float out[3] = {9, 9, 9};
    pass_f32(&c, out, 3);
    assert_int_equal(run(&c, "O: T.Buffer((3,), \"float32\"))",
                         "    for i in range(3):\n"
                         "        with T.sblock(\"b\"):\n"
                         "            vi = T.axis.spatial(3, i)\n"
                         "            L = T.sblock_alloc_buffer((1,), \"float32\")\n"
                         "            L[0] = L[0] + T.float32(1)\n"
                         "            O[vi] = L[0]\n"),
                     TIRB_OK);
    for (int i = 0; i < 3; i++) assert_float_equal(out[i], 1, 0);
}

static void matched_buffers_alias(void **state) {
    (void)state;
    call c = {.n = 0};
    float data[12] = {0};
    const int64_t shape[2] = {3, 4};
    pass(&c, data, kDLFloat, 32, 2, shape);
    const char *signature = "A: T.Buffer((3, 4), \"float32\"))";
    assert_int_equal(
        run(&c, signature,
            "    with T.sblock(\"b\"):\n"
            "        T.reads()\n"
            "        T.writes(A[1:3, 2:4])\n"
            "        M = T.match_buffer(A[1:3, 2:4], (2, 2), \"float32\", offset_factor=1, strides=(\"s0\", \"s1\"))\n"
            "        M[1, 0] = T.float32(5)\n"),
        TIRB_OK);
    assert_float_equal(data[2 * 4 + 2], 5, 0);
    assert_int_equal(
        run(&c, signature,
            "    with T.sblock(\"b\"):\n"
            "        T.reads()\n"
            "        T.writes(A[1:3, 2:4])\n"
            "        M = T.match_buffer(A[1:3, 2:4], (2, 2), \"float32\", offset_factor=1, strides=(\"s0\", \"s1\"))\n"
            "        for i in range(3):\n"
            "            M[0, i] = T.float32(5)\n"),
        TIRB_BOUNDS);
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

static void init_runs_at_the_minimum_of_reduce_axes(void **state) {
    (void)state;
    call c = {.n = 0};
    int32_t out[2] = {100, 100};
    pass_i32(&c, out, 2);
    assert_int_equal(run(&c, "O: T.Buffer((2,), \"int32\"))",
                         "    for i, k in T.grid(2, 3):\n"
                         "        with T.sblock(\"b\"):\n"
                         "            vi = T.axis.spatial(2, i)\n"
                         "            vk = T.axis.reduce((2, 5), k + 2 + i)\n"
                         "            with T.init():\n"
                         "                O[vi] = 0\n"
                         "            O[vi] = O[vi] + vk\n"),
                     TIRB_OK);
    assert_int_equal(out[0], 2 + 3 + 4);
    assert_int_equal(out[1], 100 + 3 + 4 + 5); /* never at the minimum: never initialised */
}

static void a_predicate_guards_body_and_init(void **state) {
    (void)state;
    call c = {.n = 0};
    int32_t out[3] = {7, 7, 7};
    pass_i32(&c, out, 3);
    assert_int_equal(run(&c, "O: T.Buffer((3,), \"int32\"))",
                         "    for i in range(4):\n"
                         "        with T.sblock(\"b\"):\n"
                         "            vi = T.axis.spatial(3, i)\n"
                         "            T.where(i < 2)\n"
                         "            with T.init():\n"
                         "                O[vi] = 0\n"
                         "            O[vi] = O[vi] + 1\n"),
                     TIRB_OK);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[1], 1);
    assert_int_equal(out[2], 7);
}

/* ---- R3 and R4: trees ----------------------------------------------------------------------------------------- */

/* What RULES.md says, for a sum of f32 terms. */
static float tree_sum(const float *terms, size_t n, float entry) {
    for (size_t block = 0; block < n; block += 16384) {
        float p[64] = {0};
        for (size_t x = block; x < n && x < block + 16384; x++) p[x % 64] += terms[x];
        for (size_t h = 32; h > 0; h /= 2) {
            for (size_t j = 0; j < h; j++) p[j] += p[j + h];
        }
        entry += p[0];
    }
    return entry;
}

static float serial_sum(const float *terms, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += terms[i];
    return sum;
}

enum { TERMS = 40000 };
static float sum_terms[TERMS];

static void fill_terms(void) {
    uint32_t x = 12345;
    for (size_t i = 0; i < TERMS; i++) {
        x = x * 1664525u + 1013904223u;
        sum_terms[i] = (float)(x >> 8) / 1e5f;
    }
}

static float sum_of(const char *body, tirb_fp_mode fp) {
    call c = {.fp = fp};
    float out = 3;
    const int64_t shape[1] = {TERMS};
    pass_f32(&c, &out, 1);
    pass(&c, sum_terms, kDLFloat, 32, 1, shape);
    assert_int_equal(run(&c, "O: T.Buffer((1,), \"float32\"), A: T.Buffer((40000,), \"float32\"))", body), TIRB_OK);
    return out;
}

static const char block_sum[] = "    for k in range(40000):\n"
                                "        with T.sblock(\"b\"):\n"
                                "            vk = T.axis.reduce(40000, k)\n"
                                "            with T.init():\n"
                                "                O[0] = T.float32(0)\n"
                                "            O[0] = O[0] + A[vk]\n";
static const char let_sum[] = "    for k in range(40000):\n"
                              "        with T.sblock(\"b\"):\n"
                              "            vk = T.axis.reduce(40000, k)\n"
                              "            with T.init():\n"
                              "                O[0] = T.float32(0)\n"
                              "            v_sum: T.let[T.float32] = O[0] + A[vk]\n"
                              "            O[0] = v_sum\n";
static const char plain_sum[] = "    O[0] = T.float32(0)\n"
                                "    for k in range(40000):\n"
                                "        O[0] = O[0] + A[k]\n";

static void block_reductions_are_trees(void **state) {
    (void)state;
    fill_terms();
    float tree = tree_sum(sum_terms, TERMS, 0);
    float serial = serial_sum(sum_terms, TERMS);
    assert_true(tree != serial); /* else the test shows nothing */
    assert_float_equal(sum_of(block_sum, TIRB_FP_PRECISE), tree, 0);
    assert_float_equal(sum_of(block_sum, TIRB_FP_STRICT), tree, 0);
    assert_float_equal(sum_of(let_sum, TIRB_FP_PRECISE), tree, 0);
    assert_float_equal(sum_of(plain_sum, TIRB_FP_PRECISE), serial, 0);
    assert_float_equal(sum_of(plain_sum, TIRB_FP_FAST), tree, 0);
}

static void what_breaks_a_rule_is_serial(void **state) {
    (void)state;
    fill_terms();
    float serial = serial_sum(sum_terms, TERMS);
    /* Rule (i): a parallel loop; a predicate about the reduce axis. */
    assert_float_equal(sum_of("    for k in T.parallel(40000):\n"
                              "        with T.sblock(\"b\"):\n"
                              "            vk = T.axis.reduce(40000, k)\n"
                              "            with T.init():\n"
                              "                O[0] = T.float32(0)\n"
                              "            O[0] = O[0] + A[vk]\n",
                              TIRB_FP_PRECISE),
                       serial, 0);
    assert_float_equal(sum_of("    for k in range(40000):\n"
                              "        with T.sblock(\"b\"):\n"
                              "            vk = T.axis.reduce(40000, k)\n"
                              "            T.where(k < 40000)\n"
                              "            with T.init():\n"
                              "                O[0] = T.float32(0)\n"
                              "            O[0] = O[0] + A[vk]\n",
                              TIRB_FP_PRECISE),
                       serial, 0);
    /* Rule (ii): the value is no operation on the old value itself. */
    assert_float_equal(sum_of("    for k in range(40000):\n"
                              "        with T.sblock(\"b\"):\n"
                              "            vk = T.axis.reduce(40000, k)\n"
                              "            with T.init():\n"
                              "                O[0] = T.float32(0)\n"
                              "            O[0] = T.max(O[0] + A[vk], T.float32(0))\n",
                              TIRB_FP_PRECISE),
                       serial, 0);
}

/* Rule (iii): the columns of a matrix are summed in order, its rows as trees. */
static void columns_are_serial_and_rows_trees(void **state) {
    (void)state;
    static float a[200 * 200];
    float rows[200];
    float columns[200];
    const int64_t shape[2] = {200, 200};
    fill_terms();
    memcpy(a, sum_terms, sizeof a);
    for (int column = 0; column < 2; column++) {
        call c = {.n = 0};
        pass_f32(&c, column ? columns : rows, 200);
        pass(&c, a, kDLFloat, 32, 2, shape);
        char body[600];
        snprintf(body, sizeof body,
                 "    for i, k in T.grid(200, 200):\n"
                 "        with T.sblock(\"b\"):\n"
                 "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
                 "            with T.init():\n"
                 "                O[vi] = T.float32(0)\n"
                 "            O[vi] = O[vi] + A[%s]\n",
                 column ? "vk, vi" : "vi, vk");
        assert_int_equal(run(&c, "O: T.Buffer((200,), \"float32\"), A: T.Buffer((200, 200), \"float32\"))", body),
                         TIRB_OK);
    }
    for (int i = 0; i < 200; i++) {
        float serial = 0;
        for (int k = 0; k < 200; k++) serial += a[k * 200 + i];
        assert_float_equal(columns[i], serial, 0);
        assert_float_equal(rows[i], tree_sum(a + i * 200, 200, 0), 0);
    }
}

static void f64_trees_have_32_lanes(void **state) {
    (void)state;
    double terms[100];
    double out = 1;
    call c = {.n = 0};
    double p[32] = {0};
    fill_terms();
    for (int i = 0; i < 100; i++) {
        terms[i] = (double)sum_terms[i] * 1.1;
        p[i % 32] = fma(terms[i], terms[i], p[i % 32]);
    }
    for (int h = 16; h > 0; h /= 2) {
        for (int j = 0; j < h; j++) p[j] += p[j + h];
    }
    pass_f64(&c, &out, 1);
    pass_f64(&c, terms, 100);
    assert_int_equal(run(&c, "O: T.Buffer((1,), \"float64\"), A: T.Buffer((100,), \"float64\"))",
                         "    for k in range(100):\n"
                         "        with T.sblock(\"b\"):\n"
                         "            vk = T.axis.reduce(100, k)\n"
                         "            O[0] = O[0] + A[vk] * A[vk]\n"),
                     TIRB_OK);
    assert_true(out == 1 + p[0]);
}

/* ---- Statements ----------------------------------------------------------------------------------------------- */

static void loops_break_and_continue(void **state) {
    (void)state;
    call c = {.n = 0};
    int32_t out[2] = {0, 0};
    pass_i32(&c, out, 2);
    assert_int_equal(run(&c, "O: T.Buffer((2,), \"int32\"))",
                         "    for i in range(2, 10, 3):\n        O[0] = O[0] * 10 + i\n"
                         "    n: T.int32 = 0\n"
                         "    while n < 100:\n"
                         "        n = n + 1\n"
                         "        if n % 2 == 0:\n            continue\n"
                         "        if n > 7:\n            break\n"
                         "        O[1] = O[1] * 10 + n\n"),
                     TIRB_OK);
    assert_int_equal(out[0], 258);
    assert_int_equal(out[1], 1357);
}

static void assertions_and_limits(void **state) {
    (void)state;
    call c = {.max_steps = 1000};
    int32_t out[1] = {0};
    pass_i32(&c, out, 1);
    assert_int_equal(
        run(&c, "O: T.Buffer((1,), \"int32\"))", "    assert O[0] > 0, \"must be positive\"\n    O[0] = 1\n"),
        TIRB_ASSERT);
    assert_non_null(strstr(c.error.message, "must be positive"));
    assert_int_equal(run(&c, "O: T.Buffer((1,), \"int32\"))", "    while O[0] < 1:\n        O[0] = 0\n"), TIRB_FUEL);
}

static void functions_call_functions(void **state) {
    (void)state;
    static const char text[] = "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n"
                               "@I.ir_module\nclass Module:\n"
                               "    @T.prim_func(s_tir=True)\n"
                               "    def fact(n: T.int32) -> T.int32:\n"
                               "        if n <= 1:\n            return 1\n"
                               "        return n * Module.fact(n - 1)\n"
                               "    @T.prim_func(s_tir=True)\n"
                               "    def add(X: T.Buffer((\"n\",), \"int32\"), k: T.int32):\n"
                               "        n = T.int32()\n"
                               "        for i in range(n):\n            X[i] = X[i] + k\n"
                               "    @T.prim_func(s_tir=True)\n"
                               "    def main(O: T.Buffer((3,), \"int32\")):\n"
                               "        Module.add(O, Module.fact(5))\n";
    call c = {.n = 0};
    int32_t out[3] = {1, 2, 3};
    pass_i32(&c, out, 3);
    assert_int_equal(run_module(&c, text, "main"), TIRB_OK);
    assert_int_equal(out[2], 123);
    call f = {.n = 0};
    pass_int(&f, 6);
    assert_int_equal(run_module(&f, text, "fact"), TIRB_OK);
    assert_int_equal(f.result.value.i, 720);
    f.args[0].value.i = 50;
    assert_int_equal(run_module(&f, text, "fact"), TIRB_DEPTH);
}

static void arguments_are_checked(void **state) {
    (void)state;
    float a[6] = {0};
    float b[6] = {0};
    static const char signature[] = "A: T.Buffer((\"n\",), \"float32\"), B: T.Buffer((n,), \"float32\"))";
    static const char body[] = "    n = T.int32()\n    for i in range(n):\n        B[i] = A[i]\n";
    call c = {.n = 0};
    pass_f32(&c, a, 6);
    assert_int_equal(run(&c, signature, body), TIRB_ARGUMENT);
    pass_f32(&c, b, 5);
    assert_int_equal(run(&c, signature, body), TIRB_SHAPE);
    c.n = 1;
    pass_i32(&c, (int32_t *)(void *)b, 6);
    assert_int_equal(run(&c, signature, body), TIRB_ARGUMENT);
}

static void strided_tensors_are_accepted(void **state) {
    (void)state;
    float a[6] = {0, 1, 2, 3, 4, 5}; /* 2 x 3, columns first */
    float b[6] = {0};
    const int64_t shape[2] = {3, 2};
    int64_t strides[2] = {1, 3};
    call c = {.n = 0};
    pass(&c, a, kDLFloat, 32, 2, shape);
    c.tensors[0].dl.strides = strides;
    pass(&c, b, kDLFloat, 32, 2, shape);
    assert_int_equal(run(&c, "A: T.Buffer((3, 2), \"float32\"), B: T.Buffer((3, 2), \"float32\"))",
                         "    for i, j in T.grid(3, 2):\n        B[i, j] = A[i, j]\n        A[i, j] = T.float32(7)\n"),
                     TIRB_OK);
    const float expected[6] = {0, 3, 1, 4, 2, 5};
    assert_memory_equal(b, expected, sizeof b);
    for (int i = 0; i < 6; i++) assert_float_equal(a[i], 7, 0);
}

static void vectors_work_lane_by_lane(void **state) {
    (void)state;
    float a[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    float o[8] = {0};
    call c = {.n = 0};
    pass_f32(&c, o, 8);
    pass_f32(&c, a, 8);
    assert_int_equal(run(&c, "O: T.Buffer((8,), \"float32\"), A: T.Buffer((8,), \"float32\"))",
                         "    O[0:4] = A[4:8] * T.Broadcast(T.float32(2), 4)\n"
                         "    O[T.Ramp(7, -1, 4)] = A[0:4]\n"),
                     TIRB_OK);
    const float expected[8] = {8, 10, 12, 14, 3, 2, 1, 0};
    assert_memory_equal(o, expected, sizeof o);
}

/* ---- The host, and memory that is passed on ---------------------------------------------------------------------- */

typedef struct seen {
    int calls;
    int64_t extent;
    uint32_t flags;
} seen;

/* Adds its number to the first element of each view that it may write; returns how often it was called. */
static tirb_status touch(void *context, const tirb_import_arg *args, uint32_t n, tirb_result *result,
                         uint64_t remaining_ns, tirb_error *error) {
    seen *s = context;
    (void)remaining_ns;
    s->calls++;
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind != TIRB_ARG_TENSOR) continue;
        s->extent = args[i].value.tensor->shape[0];
        s->flags = args[i].flags;
        if (!s->flags) *(int32_t *)args[i].value.tensor->data += 10;
    }
    result->value.i = s->calls;
    snprintf(error->message, sizeof error->message, "enough");
    return s->calls > 4 ? TIRB_IO : TIRB_OK;
}

static void the_host_is_called(void **state) {
    (void)state;
    seen s = {0};
    const tirb_import import = {.name = "touch", .function = touch, .context = &s};
    int32_t data[6] = {0, 1, 2, 3, 4, 5};
    call c = {.imports = &import, .n_imports = 1};
    pass(&c, data, kDLInt, 32, 2, (const int64_t[]){2, 3});
    const char *signature = "A: T.Buffer((2, 3), \"int32\"))";
    assert_int_equal(run(&c, signature,
                         "    A[0, 0] = A[0, 2] + T.call_extern(\"int32\", \"touch\", T.address_of(A[0, 2])) * 100\n"),
                     TIRB_OK);
    assert_int_equal(data[0], 102); /* what stood before the call was read before it */
    assert_int_equal(data[2], 12);
    assert_int_equal(s.extent, 4);
    assert_int_equal(run(&c, signature, "    A[0, 0] = T.call_pure_extern(\"int32\", \"touch\", A.data)\n"), TIRB_OK);
    assert_int_equal(s.flags, TIRB_ARG_READ_ONLY);
    assert_int_equal(data[0], 2);
    assert_int_equal(run(&c, signature, "    T.evaluate(T.call_packed(\"touch\", A.data))\n"), TIRB_OK);
    assert_int_equal(data[0], 12);
    assert_int_equal(run(&c, signature, "    A[0, 0] = T.Cast(\"int32\", T.call_extern(\"bool\", \"touch\"))\n"),
                     TIRB_VALUE);
    assert_int_equal(run(&c, signature, "    T.evaluate(T.call_extern(\"void\", \"touch\"))\n"), TIRB_IO);
    assert_non_null(strstr(c.error.message, "touch: enough"));
    assert_int_equal(run(&c, signature, "    T.evaluate(T.call_extern(\"void\", \"nobody\"))\n"), TIRB_IMPORT);
}

static void arguments_inside_do_not_overlap(void **state) {
    (void)state;
    static const char text[] =
        "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass M:\n"
        "    @T.prim_func(private=True, s_tir=True)\n"
        "    def add(X: T.Buffer((2,), \"int32\"), Y: T.Buffer((2,), \"int32\")):\n"
        "        for i in range(2):\n            Y[i] = Y[i] + X[1 - i]\n"
        "    @T.prim_func(private=True, s_tir=True)\n"
        "    def by(X: T.Buffer((2,), \"int32\"), Y: T.Buffer((2,), \"int32\")):\n"
        "        %s\n        M.add(X, Y)\n"
        "    @T.prim_func(s_tir=True)\n"
        "    def main(A: T.Buffer((6,), \"int32\"), i: T.int32):\n"
        "        M.by(T.address_of(A[2]), T.address_of(A[i]))\n";
    for (int64_t i = 0; i < 5; i++) {
        char program[2000];
        int32_t data[6] = {1, 2, 3, 4, 5, 6};
        call c = {.n = 0};
        pass_i32(&c, data, 6);
        pass_int(&c, i);
        snprintf(program, sizeof program, text, "pass");
        assert_int_equal(run_module(&c, program, "main"), i == 0 || i == 4 ? TIRB_OK : TIRB_OVERLAP);
        /* `by` may be given shared memory, but passes it on to `add`, which may not. */
        snprintf(program, sizeof program, text, "T.func_attr({\"tirb.may_alias\": [[\"X\", \"Y\"]]})");
        assert_int_equal(run_module(&c, program, "main"), i == 0 || i == 4 ? TIRB_OK : TIRB_OVERLAP);
        if (i == 0) assert_int_equal(data[0], 1 + 2 * 4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(division_rounds_as_its_name_says),
        cmocka_unit_test(division_by_zero_is_an_error),
        cmocka_unit_test(shifts_are_masked),
        cmocka_unit_test(choices_are_lazy),
        cmocka_unit_test(lets_bind_values),
        cmocka_unit_test(min_and_max_take_the_second_of_unordered),
        cmocka_unit_test(comparisons_with_nan),
        cmocka_unit_test(round_goes_to_even),
        cmocka_unit_test(casts_saturate),
        cmocka_unit_test(halves_round_once),
        cmocka_unit_test(nans_are_canonical_where_arithmetic_makes_them),
        cmocka_unit_test(products_fuse_into_sums),
        cmocka_unit_test(a_let_is_a_border),
        cmocka_unit_test(each_index_has_its_own_bound),
        cmocka_unit_test(allocations_are_zeroed_each_time),
        cmocka_unit_test(matched_buffers_alias),
        cmocka_unit_test(init_runs_at_the_minimum_of_reduce_axes),
        cmocka_unit_test(a_predicate_guards_body_and_init),
        cmocka_unit_test(block_reductions_are_trees),
        cmocka_unit_test(what_breaks_a_rule_is_serial),
        cmocka_unit_test(columns_are_serial_and_rows_trees),
        cmocka_unit_test(f64_trees_have_32_lanes),
        cmocka_unit_test(loops_break_and_continue),
        cmocka_unit_test(assertions_and_limits),
        cmocka_unit_test(functions_call_functions),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(strided_tensors_are_accepted),
        cmocka_unit_test(vectors_work_lane_by_lane),
        cmocka_unit_test(the_host_is_called),
        cmocka_unit_test(arguments_inside_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
