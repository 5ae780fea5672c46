/* Bundles that an earlier version compiled (tests/stored), one for each feature of the format: they load, say the same
 * of themselves and give the same results for ever. Those of assembler files are run by test_asm_programs.c. */
#include "tests/unit/api_fixture.h"
#include "tests/unit/stored.h"

static session open_stored(const char *name, uint32_t threads) {
    session s = {.error = TIRB_ERROR_INIT};
    tirb_limits limits = TIRB_LIMITS_INIT;
    char path[1024];
    size_t size;
    snprintf(path, sizeof path, "%s/stored/%s", TIRB_TEST_ROOT, name);
    char *text = stored_text(path);
    uint8_t *bytes = stored_bytes(text, &size);
    limits.threads = threads;
    EXPECT_OK(&s, tirb_engine_create(NULL, &s.engine, &s.error));
    EXPECT_OK(&s, tirb_module_load(s.engine, bytes, size, &s.module, &s.error));
    EXPECT_OK(&s, tirb_instance_create(s.module, &limits, &s.instance, &s.error));
    free(bytes);
    free(text);
    return s;
}

/* Of the bits of floats, on machines of any byte order. */
static uint64_t hash(const float *values, size_t n) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        h = (h ^ bits) * 1099511628211u;
    }
    return h;
}

static const char *signature(const session *s, const char *name) {
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    assert_int_equal(tirb_module_function(s->module, find(s->module, name), &info, NULL), TIRB_OK);
    return info.signature;
}

/* Feature: aliases. */
static void test_alias(void **state) {
    (void)state;
    session s = open_stored("1.0/alias.hex", 1);
    float data[65];
    tensor t, u;
    assert_string_equal(signature(&s, "shift"), "shift(A: Tensor([64], float32), C: Tensor([64], float32))");
    assert_int_equal(tirb_module_may_alias(s.module, 0, 0, 1), 1);
    for (int i = 0; i < 65; i++) data[i] = (float)i;
    const tirb_arg args[] = {tensor_arg(make_tensor(&t, data, F32, 1, 64)),
                             tensor_arg(make_tensor(&u, data + 1, F32, 1, 64))};
    EXPECT_OK(&s, run(&s, "shift", args, 2, NULL));
    for (int i = 0; i < 65; i++) assert_true(data[i] == (float)i);
    data[0] = 100; /* each element is made of the one before it */
    EXPECT_OK(&s, run(&s, "shift", args, 2, NULL));
    for (int i = 0; i < 65; i++) assert_true(data[i] == (float)(100 + i));
    close_session(&s);
}

/* Imports, bound by the types that the bundle says. */
static tirb_status next(void *context, const tirb_import_arg *args, uint32_t n, tirb_result *result, uint64_t remaining,
                        tirb_error *error) {
    (void)n, (void)remaining, (void)error;
    ++*(int *)context;
    result->value.f = (double)(args[1].value.i * 10 + args[0].value.tensor->shape[0]);
    return TIRB_OK;
}

static tirb_status look(void *context, const tirb_import_arg *args, uint32_t n, tirb_result *result, uint64_t remaining,
                        tirb_error *error) {
    (void)context, (void)n, (void)remaining, (void)error;
    assert_int_equal(args[0].flags, TIRB_ARG_READ_ONLY);
    result->value.i = (int64_t)*(const float *)args[0].value.tensor->data;
    return TIRB_OK;
}

static void test_import(void **state) {
    (void)state;
    session s = open_stored("1.0/import.hex", 1);
    int calls = 0;
    float data[3] = {0};
    tensor t;
    tirb_result result;
    const tirb_import imports[] = {{"next", "(float32[], int32) -> float32", next, &calls, 0},
                                   {"look", "(const float32[]) -> int32", look, NULL, 0}};
    const tirb_arg args[] = {tensor_arg(make_tensor(&t, data, F32, 1, 3)), int_arg(7)};
    assert_int_equal(tirb_module_import_count(s.module), 2);
    expect_error(&s, run(&s, "ask", args, 2, &result), TIRB_IMPORT, "next(float32[], int32) -> float32");
    assert_int_equal(s.error.line, 7); /* the source map is read as well */
    EXPECT_OK(&s, tirb_instance_bind(s.instance, imports, 2, &s.error));
    EXPECT_OK(&s, run(&s, "ask", args, 2, &result));
    assert_int_equal(calls, 3);
    assert_true(data[0] == 73 && data[2] == 93);
    assert_int_equal(result.value.i, 83);
    close_session(&s);
}

/* Feature: packed functions. */
static void test_packed(void **state) {
    (void)state;
    session s = open_stored("1.0/packed.hex", 1);
    float x[4] = {1, 2, 3, 4}, y[4] = {10, 10, 10, 10};
    static const float expected[4] = {10.5f, 11, 11.5f, 12};
    tensor t, u;
    tirb_result result;
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    const tirb_arg args[] = {float_arg(0.5), tensor_arg(make_tensor(&t, x, F32, 1, 4)),
                             tensor_arg(make_tensor(&u, y, F32, 1, 4))};
    assert_int_equal(tirb_module_function(s.module, 0, &info, NULL), TIRB_OK);
    assert_int_equal(info.is_packed, 1);
    EXPECT_OK(&s, run(&s, "saxpy", args, 3, &result));
    assert_memory_equal(y, expected, sizeof expected);
    assert_int_equal(result.value.i, 4);
    expect_error(&s, run(&s, "saxpy", args, 2, NULL), TIRB_ASSERT, "saxpy: num_args should be 3");
    close_session(&s);
}

/* Feature: regions, of two functions, one with a contraction; sections that are compressed with dictionary 1. The bytes
 * of the results are those of the version that wrote the bundle, but for the last bits of exp, which is computed
 * otherwise. */
static void test_rows(void **state) {
    (void)state;
    enum { N = 37 };
    static float a[N * 16], b[16 * 24], c[N * 24];
    for (uint32_t threads = 1; threads <= 7; threads += 3) {
        session s = open_stored("1.0/rows.hex", threads);
        tensor t, u, v;
        assert_string_equal(signature(&s, "rows"),
                            "rows(A: Tensor([n, 16], float32), s: float64, C: Tensor([n, 16], float32))");
        for (int i = 0; i < N * 16; i++) a[i] = (float)(i * 37 % 101 - 50) / 16;
        for (int i = 0; i < 16 * 24; i++) b[i] = (float)(i * 53 % 97 - 48) / 32;
        memset(c, 0, sizeof c);
        const tirb_arg args[] = {tensor_arg(make_tensor(&t, a, F32, 2, N, 16)),
                                 tensor_arg(make_tensor(&u, b, F32, 2, 16, 24)),
                                 tensor_arg(make_tensor(&v, c, F32, 2, N, 24))};
        EXPECT_OK(&s, run(&s, "matmul", args, 3, NULL));
        if (hash(c, N * 24) != UINT64_C(0xd7f20e05dbdcbe85))
            fail_msg("matmul: 0x%llx", (unsigned long long)hash(c, N * 24));
        memset(c, 0, sizeof c);
        const tirb_arg more[] = {args[0], float_arg(0.75), tensor_arg(make_tensor(&v, c, F32, 2, N, 16))};
        EXPECT_OK(&s, run(&s, "rows", more, 3, NULL));
        if (hash(c, N * 24) != UINT64_C(0x91168c5687ccb16b))
            fail_msg("rows: 0x%llx", (unsigned long long)hash(c, N * 24));
        a[16 * 20] = 2000;
        expect_error(&s, run(&s, "rows", more, 3, NULL), TIRB_ASSERT, "too large (in rows)");
        assert_int_equal(s.error.line, 22);
        close_session(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alias), cmocka_unit_test(test_import),
                                       cmocka_unit_test(test_packed), cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
