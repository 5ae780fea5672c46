/* Conditions of functions on their arguments, and minima: what calls and inferences say of them, and their texts. */
#include "tests/unit/api_fixture.h"

static const char program[] =
    ".function \"window\" public\n.scalars 6\n.ref f32\n.ref f32 writable\n"
    ".var \"H\" i64 s0\n.var \"k\" i32 s1 param 1\n"
    ".tensor \"a\" f32 r0 read ($0)\n.scalar \"k\" i32 s1\n"
    ".tensor \"b\" f32 r1 write ({$0 $1 sub 1 add} 2) minima ({$1 1 sub} {-3})\n"
    ".requires $1 <= $0\n.requires {1152921504606846976 $1 mul} > 0\n"
    "const.f32 s3, 2.5\nstore.f32 r1, 0, s3\nret.void\n.end\n"
    /* a scalar that a tensor determines and that may be left out */
    ".function \"even\" public returns i64\n.scalars 2\n.ref f32\n.var \"n\" i64 s0 param 1\n"
    ".tensor \"a\" f32 r0 read ($0)\n.scalar \"n\" i64 s0\n.requires {$0 2 floormod} == 0\nret.i64 s0\n.end\n"
    /* a variable that no argument determines, and one that only the tensor of the minima does */
    ".function \"lost\" public\n.scalars 2\n.ref f32 writable\n.var \"n\" i64 s0\n.var \"m\" i64 s1\n"
    ".tensor \"a\" f32 r0 write ({$0 1 add} $1) minima ($0 $1)\n.requires $0 < 4\nret.void\n.end\n"
    ".function \"free\" public\nret.void\n.end\n";

static session s;

static int open_program(void **state) {
    (void)state;
    s = open_session(program, NULL);
    return 0;
}

static int close_program(void **state) {
    (void)state;
    close_session(&s);
    return 0;
}

static void test_calls(void **state) {
    (void)state;
    float x[16] = {0}, y[32] = {0};
    tensor a, b;
    tirb_arg args[3] = {tensor_arg(make_tensor(&a, x, F32, 1, 4)), int_arg(3),
                        tensor_arg(make_tensor(&b, y, F32, 2, 2, 2))};
    for (int i = 0; i < 3; i++) {
        EXPECT_OK(&s, run(&s, "window", args, 3, NULL));
        assert_true(y[0] == 2.5f);
    }
    /* what follows the call before differs in a scalar, in an extent, and comes back */
    y[0] = 0;
    args[1] = int_arg(5);
    expect_error(&s, run(&s, "window", args, 3, NULL), TIRB_SHAPE,
                 "window(a: Tensor([H], float32), k: int32, b: Tensor([H - k + 1, 2], float32)) requires k <= H, and 5 "
                 "<= 4 does not hold (k is 5, H is 4)");
    args[1] = int_arg(3);
    EXPECT_OK(&s, run(&s, "window", args, 3, NULL));
    a.shape[0] = 2;
    y[0] = 0;
    expect_error(&s, run(&s, "window", args, 3, NULL), TIRB_SHAPE, "and 3 <= 2 does not hold (k is 3, H is 2)");
    expect_error(&s, run(&s, "window", args, 3, NULL), TIRB_SHAPE, "and 3 <= 2 does not hold (k is 3, H is 2)");
    assert_true(y[0] == 0);
    a.shape[0] = 4;
    EXPECT_OK(&s, run(&s, "window", args, 3, NULL));
    args[1] = int_arg(-1);
    expect_error(&s, run(&s, "window", args, 3, NULL), TIRB_SHAPE,
                 "requires 1152921504606846976 * k > 0, and -1152921504606846976 > 0 does not hold (k is -1)");
    args[1] = int_arg(9);
    a.shape[0] = 10;
    expect_error(&s, run(&s, "window", args, 3, NULL), TIRB_SHAPE,
                 "requires 1152921504606846976 * k > 0, whose arithmetic overflows or divides by zero (k is 9)");
    assert_int_equal(run(&s, "window", args, 3, NULL), TIRB_SHAPE);
    assert_int_equal(tirb_instance_call(s.instance, 0, args, 3, NULL, NULL), TIRB_SHAPE);
}

static void test_inferable(void **state) {
    (void)state;
    float x[16] = {0};
    tensor a;
    tirb_result result;
    tirb_arg args[2] = {tensor_arg(make_tensor(&a, x, F32, 1, 4)), no_arg()};
    for (int n = 0; n < 9; n++) {
        a.shape[0] = n;
        for (int given = 0; given < 4; given++) {
            args[1] = given % 2 ? int_arg(n) : no_arg();
            tirb_status status = run(&s, "even", args, 2, &result);
            if (n % 2)
                expect_error(&s, status, TIRB_SHAPE, "requires n % 2 == 0, and 1 == 0 does not hold (n is ");
            else
                EXPECT_OK(&s, status);
            if (n % 2 == 0) assert_int_equal(result.value.i, n);
        }
    }
}

static tirb_status infer(const tirb_arg *args, int64_t shape[2]) {
    return tirb_instance_infer(s.instance, find(s.module, "window"), 2, args, 3, shape, 2, NULL, NULL, &s.error);
}

static tirb_status minima(const char *name, uint32_t param, const tirb_arg *args, uint32_t n, int64_t out[2]) {
    return tirb_instance_minima(s.instance, find(s.module, name), param, args, n, out, 2, NULL, &s.error);
}

/* An impossible extent is explained by the condition that would have prevented it. */
static void test_infer(void **state) {
    (void)state;
    float x[16] = {0};
    tensor a;
    int64_t shape[2];
    tirb_arg args[3] = {tensor_arg(make_tensor(&a, x, F32, 1, 3)), int_arg(2), no_arg()};
    EXPECT_OK(&s, infer(args, shape));
    assert_int_equal(shape[0], 2);
    args[1] = int_arg(7);
    expect_error(&s, infer(args, shape), TIRB_SHAPE, "requires k <= H, and 7 <= 3 does not hold");
    args[0] = no_arg();
    expect_error(&s, infer(args, shape), TIRB_SHAPE, "shape[0] is H - k + 1, and no other argument determines H");
    args[1] = int_arg(0);
    expect_error(&s, infer(args, shape), TIRB_SHAPE, "requires 1152921504606846976 * k > 0, and 0 > 0");
}

static void test_minima(void **state) {
    (void)state;
    float x[16] = {0};
    tensor a;
    int64_t found[3] = {7, 7, 7};
    int32_t ndim = 0;
    tirb_arg args[3] = {no_arg(), int_arg(6), no_arg()};
    EXPECT_OK(&s, minima("window", 2, args, 3, found));
    assert_int_equal(found[0], 5);
    assert_int_equal(found[1], -3);
    assert_int_equal(found[2], 7);
    EXPECT_OK(&s, tirb_instance_minima(s.instance, 0, 2, args, 3, found, 1, &ndim, &s.error));
    assert_int_equal(ndim, 2);
    EXPECT_OK(&s, tirb_instance_minima(s.instance, 0, 2, args, 3, NULL, 0, NULL, NULL));
    found[0] = 7;
    EXPECT_OK(&s, minima("window", 0, args, 3, found));
    assert_int_equal(found[0], 0);
    args[0] = tensor_arg(make_tensor(&a, x, F32, 1, 3));
    expect_error(&s, minima("window", 2, args, 3, found), TIRB_SHAPE, "requires k <= H, and 6 <= 3 does not hold");
    args[1] = no_arg();
    expect_error(&s, minima("window", 2, args, 3, found), TIRB_SHAPE,
                 "minima[0] is k - 1, and no argument determines k");
    expect_error(&s, minima("window", 1, args, 3, found), TIRB_ARGUMENT, "is a scalar and has no shape");
    expect_error(&s, minima("window", 3, args, 3, found), TIRB_NOT_FOUND, "has no parameter 3");
    expect_error(&s, tirb_instance_minima(NULL, 0, 2, args, 3, found, 2, NULL, &s.error), TIRB_MISUSE,
                 "tirb_instance_minima: instance is NULL");
    expect_error(&s, tirb_instance_minima(s.instance, 0, 2, NULL, 3, found, 2, NULL, &s.error), TIRB_MISUSE,
                 "tirb_instance_minima: args is NULL");
    expect_error(&s, tirb_instance_minima(s.instance, 0, 2, args, 3, NULL, 2, NULL, &s.error), TIRB_MISUSE,
                 "tirb_instance_minima: out_minima is NULL");
}

/* The tensor itself tells as well; what nothing tells has no value, and a condition that mentions it waits. */
static void test_undetermined(void **state) {
    (void)state;
    float x[16] = {0};
    tensor a;
    int64_t found[2];
    tirb_arg args[1] = {tensor_arg(make_tensor(&a, x, F32, 2, 3, 2))};
    expect_error(&s, minima("lost", 0, args, 1, found), TIRB_SHAPE, "minima[0] is n, and no argument determines n");
    assert_int_equal(run(&s, "lost", args, 1, NULL), TIRB_SHAPE);
}

static void test_descriptions(void **state) {
    (void)state;
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    char text[64];
    assert_int_equal(tirb_module_function(s.module, 0, &info, NULL), TIRB_OK);
    assert_int_equal(info.n_conditions, 2);
    assert_int_equal(tirb_module_condition(s.module, 0, 0, text, sizeof text), strlen("k <= H"));
    assert_string_equal(text, "k <= H");
    assert_int_equal(tirb_module_condition(s.module, 0, 1, text, 6), strlen("1152921504606846976 * k > 0"));
    assert_string_equal(text, "11529");
    assert_int_equal(tirb_module_condition(s.module, 0, 0, NULL, 0), strlen("k <= H"));
    assert_int_equal(tirb_module_condition(s.module, 0, 2, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(tirb_module_condition(s.module, find(s.module, "free"), 0, text, sizeof text), 0);
    assert_int_equal(tirb_module_condition(s.module, 99, 0, text, sizeof text), 0);
    assert_int_equal(tirb_module_condition(NULL, 0, 0, text, sizeof text), 0);
    assert_int_equal(tirb_module_function(s.module, find(s.module, "free"), &info, NULL), TIRB_OK);
    assert_int_equal(info.n_conditions, 0);
    /* a host from before the field */
    info = (tirb_function_info){.struct_size = offsetof(tirb_function_info, n_conditions), .n_conditions = 77};
    assert_int_equal(tirb_module_function(s.module, 0, &info, NULL), TIRB_OK);
    assert_int_equal(info.n_conditions, 77);
}

/* Names of a thousand bytes, characters of several, and as many variables as a side has room for: the message is cut
 * where it may be, and still says what does not hold. */
static void test_long_texts(void **state) {
    (void)state;
    static char text[1 << 16];
    enum { N = 12 };
    size_t at = (size_t)snprintf(text, sizeof text, ".function \"f\" public\n.scalars %d\n", N);
    for (int long_names = 0; long_names < 2; long_names++) {
        size_t end = at;
        for (int i = 0; i < N; i++) {
            char name[1100];
            int size = snprintf(name, sizeof name, "v%d", i);
            for (int k = 0; k < 400 * long_names; k++)
                size += snprintf(name + size, sizeof name - (size_t)size, "\xc3\xa9");
            end += (size_t)snprintf(text + end, sizeof text - end,
                                    ".var \"%s\" i64 s%d param %d\n.scalar \"%s\" i64 s%d\n", name, i, i, name, i);
        }
        end += (size_t)snprintf(text + end, sizeof text - end, ".requires {$0 $1 add");
        for (int i = 2; i < N; i++) end += (size_t)snprintf(text + end, sizeof text - end, " $%d add", i);
        snprintf(text + end, sizeof text - end, "} < {$0 $1 mul $11 mul}\nret.void\n.end\n");
        session own = open_session(text, NULL);
        tirb_arg args[N];
        for (int i = 0; i < N; i++) args[i] = int_arg(INT64_C(1) << 40);
        args[1] = args[11] = int_arg(0);
        expect_error(&own, run(&own, "f", args, N, NULL), TIRB_SHAPE, ", and 10995116277760 < 0 does not hold (v0");
        assert_non_null(strstr(own.error.message, ", ...)"));
        assert_true(strlen(own.error.message) < sizeof own.error.message - 1);
        if (!long_names) assert_non_null(strstr(own.error.message, "(v0 is 1099511627776, v1 is 0, v2 is "));
        char condition[400];
        size_t length = tirb_module_condition(own.module, 0, 0, condition, sizeof condition);
        assert_int_equal(length, strlen(condition));
        assert_true(length < 324);
        close_session(&own);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),      cmocka_unit_test(test_inferable),    cmocka_unit_test(test_infer),
        cmocka_unit_test(test_minima),     cmocka_unit_test(test_undetermined), cmocka_unit_test(test_descriptions),
        cmocka_unit_test(test_long_texts),
    };
    return cmocka_run_group_tests(tests, open_program, close_program);
}
