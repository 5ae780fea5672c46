/* Arguments that share memory: what tirb.may_alias allows, at which offsets, and that every other overlap is
 * refused. */
#include "tests/unit/api_fixture.h"

#include <tirb/builder.h>
#include <tirb/compiler.h>

enum { N = 64, ROOM = 3 * N };

static const char source[] =
    "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass M:\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def add(A: T.Buffer((64,), 'float32'), B: T.Buffer((64,), 'float32'), C: T.Buffer((64,), 'float32')):\n"
    "        T.func_attr({'tirb.may_alias': [['A', 'C'], ['B', 'C']]})\n"
    "        for i in range(64):\n"
    "            C[i] = A[i] + B[i]\n"
    /* what is read and what is written are different elements: never right as lanes in place */
    "    @T.prim_func(s_tir=True)\n"
    "    def reverse(A: T.Buffer((64,), 'float32'), C: T.Buffer((64,), 'float32')):\n"
    "        T.func_attr({'tirb.may_alias': [['A', 'C']]})\n"
    "        for i in range(64):\n"
    "            C[i] = A[63 - i]\n"
    /* a sum over shared memory has no tree: the order is the text's */
    "    @T.prim_func(s_tir=True)\n"
    "    def sums(A: T.Buffer((8, 8), 'float32'), C: T.Buffer((8,), 'float32')):\n"
    "        T.func_attr({'tirb.may_alias': [['A', 'C']]})\n"
    "        for i, j in T.grid(8, 8):\n"
    "            with T.sblock('sum'):\n"
    "                vi, vj = T.axis.remap('SR', [i, j])\n"
    "                with T.init():\n"
    "                    C[vi] = T.float32(0)\n"
    "                C[vi] = C[vi] + A[vi, vj]\n"
    /* the same element of elements of another type and shape */
    "    @T.prim_func(s_tir=True)\n"
    "    def bits(A: T.Buffer((4, 16), 'float32'), C: T.Buffer((64,), 'int32')):\n"
    "        T.func_attr({'tirb.may_alias': [['A', 'C']]})\n"
    "        for i, j in T.grid(4, 16):\n"
    "            C[i * 16 + j] = T.Cast('int32', A[i, j])\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def bytes(A: T.Buffer((64,), 'float32'), C: T.Buffer((64,), 'uint8')):\n"
    "        T.func_attr({'tirb.may_alias': [['A', 'C']]})\n"
    "        for i in range(64):\n"
    "            C[i] = T.Cast('uint8', A[i])\n"
    /* rows of any stride, used in place */
    "    @T.prim_func(s_tir=True)\n"
    "    def scale(a: T.handle, c: T.handle):\n"
    "        s, t = T.int32(), T.int32()\n"
    "        A = T.match_buffer(a, (8, 8), 'float32', strides=[s, 1])\n"
    "        C = T.match_buffer(c, (8, 8), 'float32', strides=[t, 1])\n"
    "        T.func_attr({'tirb.may_alias': [['A', 'C']]})\n"
    "        for i, j in T.grid(8, 8):\n"
    "            C[i, j] = A[i, j] * T.float32(2)\n"
    /* the same rule inside: functions with and without a pair, given one buffer or parts of it */
    "    @T.prim_func(private=True, s_tir=True)\n"
    "    def apart(X: T.Buffer(('n',), 'float32'), Y: T.Buffer(('n',), 'float32')):\n"
    "        n = T.int32()\n"
    "        for i in range(n):\n"
    "            Y[i] = X[n - 1 - i]\n"
    "    @T.prim_func(private=True, s_tir=True)\n"
    "    def together(X: T.Buffer((4,), 'float32'), Y: T.Buffer((4,), 'float32')):\n"
    "        T.func_attr({'tirb.may_alias': [['X', 'Y']]})\n"
    "        for i in range(4):\n"
    "            Y[i] = X[3 - i]\n"
    "    @T.prim_func(private=True, s_tir=True)\n"
    "    def four(X: T.Buffer((4,), 'float32'), Y: T.Buffer((4,), 'float32')):\n"
    "        M.apart(X, Y)\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def same(A: T.Buffer(('n',), 'float32')):\n"
    "        n = T.int32()\n"
    "        M.apart(A, A)\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def parts(A: T.Buffer((64,), 'float32'), i: T.int32, j: T.int32):\n"
    "        M.four(T.address_of(A[i]), T.address_of(A[j]))\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def shared_parts(A: T.Buffer((64,), 'float32'), i: T.int32, j: T.int32):\n"
    "        M.together(T.address_of(A[i]), T.address_of(A[j]))\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def pass_on(A: T.Buffer((64,), 'float32'), C: T.Buffer((64,), 'float32')):\n"
    "        T.func_attr({'tirb.may_alias': [['A', 'C']]})\n"
    "        M.apart(A, C)\n";

static session s;

static int setup(void **state) {
    (void)state;
    s = (session){.error = TIRB_ERROR_INIT};
    tirb_compile_result *result = NULL;
    if (tirb_compile(source, strlen(source), NULL, &result, &s.error) != TIRB_OK) fail_msg("%s", s.error.message);
    size_t size = 0;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    EXPECT_OK(&s, tirb_engine_create(NULL, &s.engine, &s.error));
    EXPECT_OK(&s, tirb_module_load(s.engine, bytes, size, &s.module, &s.error));
    EXPECT_OK(&s, tirb_instance_create(s.module, NULL, &s.instance, &s.error));
    tirb_compile_result_destroy(result);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    close_session(&s);
    return 0;
}

static void fill(uint8_t *memory) {
    for (int i = 0; i < ROOM; i++) {
        float value = (float)(i % 37) * 1.25f - 3;
        memcpy(memory + 4 * i, &value, sizeof value);
    }
}

static float get(const uint8_t *memory, int64_t at) {
    float value;
    memcpy(&value, memory + at, sizeof value);
    return value;
}

static void put(uint8_t *memory, int64_t at, float value) { memcpy(memory + at, &value, sizeof value); }

static tirb_arg at(tensor *t, uint8_t *memory, int64_t offset) {
    return tensor_arg(make_tensor(t, memory + offset, F32, 1, N));
}

static const int64_t offsets[] = {0, 4, -4, 1, -1, 2 * N, -2 * N, 4 * N, -4 * N, 3, 4 * N - 4};
enum { N_OFFSETS = sizeof offsets / sizeof *offsets };

/* C over A, over B, over both, in byte steps, beside a loop in C over the same bytes. */
static void test_offsets(void **state) {
    (void)state;
    for (int k = 0; k < N_OFFSETS * N_OFFSETS; k++) {
        uint8_t memory[4 * ROOM], expected[4 * ROOM];
        int64_t c = 4 * N, a = c + offsets[k % N_OFFSETS], b = c + offsets[k / N_OFFSETS];
        fill(memory);
        fill(expected);
        for (int i = 0; i < N; i++) put(expected, c + 4 * i, get(expected, a + 4 * i) + get(expected, b + 4 * i));
        tensor t[3];
        const tirb_arg args[] = {at(&t[0], memory, a), at(&t[1], memory, b), at(&t[2], memory, c)};
        EXPECT_OK(&s, run(&s, "add", args, 3, NULL));
        if (memcmp(memory, expected, sizeof memory) != 0)
            fail_msg("add: A at %lld, B at %lld", (long long)a, (long long)b);
    }
    for (int k = 0; k < N_OFFSETS; k++) {
        uint8_t memory[4 * ROOM], expected[4 * ROOM];
        int64_t c = 4 * N, a = c + offsets[k];
        fill(memory);
        fill(expected);
        for (int i = 0; i < N; i++) put(expected, c + 4 * i, get(expected, a + 4 * (N - 1 - i)));
        tensor t[2];
        const tirb_arg args[] = {at(&t[0], memory, a), at(&t[1], memory, c)};
        EXPECT_OK(&s, run(&s, "reverse", args, 2, NULL));
        if (memcmp(memory, expected, sizeof memory) != 0) fail_msg("reverse: A at %lld", (long long)a);
    }
}

static void test_sums(void **state) {
    (void)state;
    for (int64_t start = 0; start < 4 * N; start += 12) {
        uint8_t memory[4 * ROOM], expected[4 * ROOM];
        fill(memory);
        fill(expected);
        for (int i = 0; i < 8; i++) {
            put(expected, start + 4 * i, 0);
            for (int j = 0; j < 8; j++) {
                put(expected, start + 4 * i, get(expected, start + 4 * i) + get(expected, 4 * (8 * i + j)));
            }
        }
        tensor a, c;
        const tirb_arg args[] = {tensor_arg(make_tensor(&a, memory, F32, 2, 8, 8)),
                                 tensor_arg(make_tensor(&c, memory + start, F32, 1, 8))};
        EXPECT_OK(&s, run(&s, "sums", args, 2, NULL));
        if (memcmp(memory, expected, sizeof memory) != 0) fail_msg("sums: C at %lld", (long long)start);
    }
}

static void test_other_types(void **state) {
    (void)state;
    for (int64_t offset = -8; offset <= 8; offset++) {
        uint8_t memory[4 * ROOM], expected[4 * ROOM];
        fill(memory);
        fill(expected);
        for (int i = 0; i < N; i++) {
            int32_t value = (int32_t)get(expected, 4 * (N + i) + offset);
            memcpy(expected + 4 * (N + i), &value, sizeof value);
        }
        tensor a, c;
        const tirb_arg args[] = {
            tensor_arg(make_tensor(&a, memory + 4 * N + offset, F32, 2, 4, 16)),
            tensor_arg(make_tensor(&c, memory + 4 * N, (DLDataType){kDLInt, 32, 1}, 1, N)),
        };
        EXPECT_OK(&s, run(&s, "bits", args, 2, NULL));
        if (offset % 4 == 0) assert_memory_equal(memory, expected, sizeof memory);
    }
    for (int64_t offset = 0; offset < 4 * N; offset += 13) {
        uint8_t memory[4 * ROOM], expected[4 * ROOM];
        fill(memory);
        for (int i = 0; i < ROOM; i++) put(memory, 4 * i, (float)(i % 100));
        memcpy(expected, memory, sizeof memory);
        for (int i = 0; i < N; i++) {
            float value = get(expected, 4 * i);
            expected[offset + i] = value >= 0 && value < 256 ? (uint8_t)value : value >= 256 ? 255 : 0;
        }
        tensor a, c;
        const tirb_arg args[] = {tensor_arg(make_tensor(&a, memory, F32, 1, N)),
                                 tensor_arg(make_tensor(&c, memory + offset, (DLDataType){kDLUInt, 8, 1}, 1, N))};
        EXPECT_OK(&s, run(&s, "bytes", args, 2, NULL));
        assert_memory_equal(memory, expected, sizeof memory);
    }
}

/* Strided parameters see the memory itself; a copy of a tensor that is not compact would share nothing. */
static void test_strides(void **state) {
    (void)state;
    for (int64_t offset = -3; offset <= 3; offset++) {
        uint8_t memory[4 * ROOM], expected[4 * ROOM];
        fill(memory);
        fill(expected);
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++) {
                put(expected, 4 * (16 + 10 * i + j), get(expected, 4 * (16 + offset + 12 * i + j)) * 2);
            }
        }
        tensor a, c;
        make_tensor(&a, memory + 4 * (16 + offset), F32, 2, 8, 8);
        make_tensor(&c, memory + 4 * 16, F32, 2, 8, 8);
        set_strides(&a, 12, 1);
        set_strides(&c, 10, 1);
        const tirb_arg args[] = {tensor_arg(&a.dl), tensor_arg(&c.dl)};
        EXPECT_OK(&s, run(&s, "scale", args, 2, NULL));
        assert_memory_equal(memory, expected, sizeof memory);
    }
    uint8_t memory[4 * ROOM];
    tensor a, c;
    tirb_arg args[] = {at(&a, memory, 0), at(&c, memory, 4 * N)};
    set_strides(&a, 2);
    expect_error(
        &s, run(&s, "reverse", args, 2, NULL), TIRB_OVERLAP,
        "argument #1 'C' of reverse(A: Tensor([64], float32), C: Tensor([64], float32)): is written and overlaps "
        "argument #0 'A', which must be compact for that");
    args[0] = at(&a, memory, 4 * N);
    args[1] = at(&c, memory, 0);
    set_strides(&c, 2);
    expect_error(&s, run(&s, "reverse", args, 2, NULL), TIRB_OVERLAP, "for which it must be compact");
}

static void test_flags(void **state) {
    (void)state;
    uint8_t memory[4 * ROOM];
    fill(memory);
    tensor a, b, c;
    tirb_arg args[] = {at(&a, memory, 0), at(&b, memory, 4 * N), at(&c, memory, 0)};
    args[0].flags = args[2].flags = TIRB_ARG_MAY_ALIAS;
    EXPECT_OK(&s, run(&s, "add", args, 3, NULL));
    args[0].flags = TIRB_ARG_READ_ONLY;
    expect_error(&s, run(&s, "add", args, 3, NULL), TIRB_OVERLAP, "overlaps argument #0 'A', which is read-only");
    args[2] = at(&c, memory, 8 * N);
    EXPECT_OK(&s, run(&s, "add", args, 3, NULL));
    args[2].flags = TIRB_ARG_READ_ONLY | TIRB_ARG_MAY_ALIAS;
    expect_error(&s, run(&s, "add", args, 3, NULL), TIRB_ARGUMENT, "is read-only, and the function writes it");
    args[2].flags = 8;
    expect_error(&s, run(&s, "add", args, 3, NULL), TIRB_ARGUMENT, "its flags are 0x8, this tirb knows 0x3");
}

/* Calls between functions of the module: the same rule. */
static void test_inside(void **state) {
    (void)state;
    uint8_t memory[4 * ROOM], expected[4 * ROOM];
    tensor t, u;
    fill(memory);
    make_tensor(&t, memory, F32, 1, N);
    const tirb_arg all = tensor_arg(&t.dl);
    expect_error(&s, run(&s, "same", &all, 1, NULL), TIRB_OVERLAP,
                 "'X' and 'Y' of apart are the same buffer and it writes one of them (in same)");
    make_tensor(&u, memory, F32, 1, 0);
    const tirb_arg nothing = tensor_arg(&u.dl);
    EXPECT_OK(&s, run(&s, "same", &nothing, 1, NULL)); /* no elements, no overlap */
    for (int64_t j = 0; j < 9; j++) {
        const tirb_arg args[] = {all, int_arg(4), int_arg(j)};
        tirb_status status = run(&s, "parts", args, 3, NULL);
        if (j == 0 || j == 8) EXPECT_OK(&s, status);
        else
            expect_error(&s, status, TIRB_OVERLAP,
                         "two arguments of four overlap and it writes one of them (in parts)");
        fill(memory);
        fill(expected);
        for (int i = 0; i < 4; i++) put(expected, 4 * (j + i), get(expected, 4 * (7 - i)));
        EXPECT_OK(&s, run(&s, "shared_parts", args, 3, NULL));
        assert_memory_equal(memory, expected, sizeof memory);
    }
    const tirb_arg pair[] = {all, at(&u, memory, 4 * N)};
    EXPECT_OK(&s, run(&s, "pass_on", pair, 2, NULL));
    const tirb_arg shared[] = {all, at(&u, memory, 4)};
    expect_error(&s, run(&s, "pass_on", shared, 2, NULL), TIRB_OVERLAP,
                 "'X' and 'Y' of apart overlap and it writes one");
}

static void test_describe(void **state) {
    (void)state;
    uint32_t add = find(s.module, "add");
    assert_int_equal(tirb_module_may_alias(s.module, add, 0, 2), 1);
    assert_int_equal(tirb_module_may_alias(s.module, add, 2, 1), 1);
    assert_int_equal(tirb_module_may_alias(s.module, add, 0, 1), 0);
    assert_int_equal(tirb_module_may_alias(s.module, add, 0, 0), 0);
    assert_int_equal(tirb_module_may_alias(s.module, add, 0, 99), 0);
    assert_int_equal(tirb_module_may_alias(s.module, 99, 0, 2), 0);
    assert_int_equal(tirb_module_may_alias(NULL, add, 0, 2), 0);
}

/* From C: what the builder makes is the same. */
static void test_builder(void **state) {
    (void)state;
    tirb_builder *b = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    assert_int_equal(tirb_builder_create(NULL, 0, &b, &error), TIRB_OK);
    tirb_builder_function(b, "next", NULL, 0);
    const tirb_expr *n = tirb_builder_int(b, "int32", N), *one = tirb_builder_int(b, "int32", 1);
    const tirb_buffer *x = tirb_builder_buffer_param(b, "X", "float32", &n, 1);
    const tirb_buffer *y = tirb_builder_buffer_param(b, "Y", "float32", &n, 1);
    tirb_builder_may_alias(b, y, x);
    tirb_builder_may_alias(b, x, y);
    const tirb_expr *i = tirb_builder_for(b, TIRB_LOOP_SERIAL, "i", tirb_builder_int(b, "int32", 0),
                                          tirb_builder_int(b, "int32", N - 1));
    const tirb_expr *next = tirb_builder_binary(b, "+", i, one);
    tirb_builder_store(b, y, tirb_builder_load(b, x, &i, 1), &next, 1);
    tirb_builder_end(b);
    tirb_builder_end(b);
    tirb_compile_result *result = NULL;
    if (tirb_builder_compile(b, NULL, &result, &error) != TIRB_OK) fail_msg("%s", error.message);
    size_t size = 0;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    session own = {.error = TIRB_ERROR_INIT};
    EXPECT_OK(&own, tirb_engine_create(NULL, &own.engine, &own.error));
    EXPECT_OK(&own, tirb_module_load(own.engine, bytes, size, &own.module, &own.error));
    EXPECT_OK(&own, tirb_instance_create(own.module, NULL, &own.instance, &own.error));
    uint8_t memory[4 * ROOM];
    fill(memory);
    tensor t;
    const tirb_arg args[] = {at(&t, memory, 0), at(&t, memory, 0)};
    EXPECT_OK(&own, run(&own, "next", args, 2, NULL));
    for (int k = 0; k < N; k++) assert_true(get(memory, 4 * k) == get(memory, 0));
    close_session(&own);
    tirb_compile_result_destroy(result);

    tirb_builder_function(b, "wrong", NULL, 0);
    const tirb_buffer *z = tirb_builder_buffer_param(b, "Z", "float32", &n, 1);
    tirb_builder_may_alias(b, z, x);
    tirb_builder_end(b);
    assert_int_equal(tirb_builder_status(b, &error), TIRB_VALUE);
    assert_non_null(strstr(error.message, "two buffers that are parameters of the function"));
    tirb_builder_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offsets), cmocka_unit_test(test_sums),     cmocka_unit_test(test_other_types),
        cmocka_unit_test(test_strides), cmocka_unit_test(test_flags),    cmocka_unit_test(test_describe),
        cmocka_unit_test(test_builder), cmocka_unit_test(test_inside),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
