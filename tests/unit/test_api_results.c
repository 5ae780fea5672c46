/* Results that a call makes: DLPack tensors of the engine's memory, within the instance's limit, that the caller frees.
 */
#include "tests/unit/api_fixture.h"

#include <tirb/dlpack.h>

/* double(x) -> (y, z): y = x + x, z = y + y, where z reads what is in y. Traps where x[0] is not 1. */
static const char doubling[] =
    ".function \"double\" public\n.scalars 8\n.ref f32\n.ref f32 writable\n.ref f32 writable\n"
    ".var \"n\" i64 s0\n.tensor \"x\" f32 r0 read ($0)\n.tensor \"y\" f32 r1 read write ($0) result\n"
    ".tensor \"z\" f32 r2 write ({$0 1 add}) result\n"
    "load.f32 s5, r0, 0\nconst.f32 s6, 1.0\neq.f32 s5, s5, s6\nassert s5, \"ValueError\", \"x begins with 1\"\nagain:\n"
    "load.f32 s2, r0, s1\nadd.f32 s3, s2, s2\nstore.f32 r1, s1, s3\nload.f32 s4, r1, s1\nadd.f32 s4, s4, s4\n"
    "store.f32 r2, s1, s4\nloop s1, s0, again\nret.void\n.end\n"
    ".function \"plain\" public\n.ref f32 writable\n.tensor \"A\" f32 r0 write (4)\nret.void\n.end\n";

static tirb_arg result_arg(DLManagedTensor **out) { return (tirb_arg){.kind = TIRB_ARG_RESULT, .value.result = out}; }

static void check_values(const DLManagedTensor *made, const float *values, int64_t n) {
    assert_non_null(made);
    const DLTensor *t = &made->dl_tensor;
    assert_int_equal(t->ndim, 1);
    assert_int_equal(t->shape[0], n);
    assert_int_equal(t->strides[0], 1);
    assert_int_equal((uintptr_t)t->data % 256, 0);
    assert_memory_equal(t->data, values, (size_t)n * sizeof *values);
}

/* They outlive all that made them, and all memory comes back. */
static void test_made(void **state) {
    (void)state;
    failing_allocator counted = {0};
    session s = open_counted(doubling, NULL, &counted);
    const uint32_t function = find(s.module, "double");
    tirb_param_info info = TIRB_PARAM_INFO_INIT;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(tirb_module_param(s.module, function, i, &info, NULL), TIRB_OK);
        assert_int_equal(info.is_result, i > 0);
    }
    tirb_function_info f = TIRB_FUNCTION_INFO_INIT;
    assert_int_equal(tirb_module_function(s.module, function, &f, NULL), TIRB_OK);
    assert_string_equal(f.signature, "double(x: Tensor([n], float32)) -> (y: Tensor([n], float32), z: Tensor([n + 1], "
                                     "float32))");

    float x[] = {1, 2, 3}, y[3];
    tensor xt, yt;
    DLManagedTensor *made[3] = {NULL, NULL, NULL};
    tirb_arg args[] = {tensor_arg(make_tensor(&xt, x, F32, 1, 3)), result_arg(&made[0]), result_arg(&made[1])};
    EXPECT_OK(&s, run(&s, "double", args, 3, NULL));
    args[1] = tensor_arg(make_tensor(&yt, y, F32, 1, 3)); /* one of them is the caller's own */
    args[2] = result_arg(&made[2]);
    EXPECT_OK(&s, run(&s, "double", args, 3, NULL));
    close_session(&s);
    const float twice[] = {2, 4, 6}, four_times[] = {4, 8, 12, 0};
    check_values(made[0], twice, 3);
    check_values(made[1], four_times, 4);
    check_values(made[2], four_times, 4);
    assert_memory_equal(y, twice, sizeof twice);
    for (int i = 0; i < 3; i++) made[i]->deleter(made[i]);
    assert_int_equal(counted.live, 0);
}

static void test_refused(void **state) {
    (void)state;
    session s = open_session(doubling, NULL);
    float x[] = {0, 2, 3};
    tensor xt;
    DLManagedTensor anything, *y = &anything, *z = &anything;
    tirb_arg args[] = {tensor_arg(make_tensor(&xt, x, F32, 1, 3)), result_arg(&y), result_arg(&z)};
    expect_error(&s, run(&s, "double", args, 3, NULL), TIRB_ASSERT, "x begins with 1");
    assert_null(y);
    assert_null(z);
    y = z = &anything;
    args[0] = no_arg();
    expect_error(&s, run(&s, "double", args, 3, NULL), TIRB_SHAPE, "no argument determines n");
    assert_null(y);
    assert_null(z);
    x[0] = 1;
    args[0] = tensor_arg(&xt.dl);
    args[1].value.result = NULL;
    expect_error(&s, run(&s, "double", args, 3, NULL), TIRB_ARGUMENT, "'y' of double(");
    args[1] = result_arg(&y);
    args[1].flags = TIRB_ARG_READ_ONLY;
    expect_error(&s, run(&s, "double", args, 3, NULL), TIRB_ARGUMENT, "is made by the call and has flags");
    args[0] = result_arg(&y);
    args[1].flags = 0;
    expect_error(&s, run(&s, "double", args, 3, NULL), TIRB_ARGUMENT, "left to the call, which makes results only");
    args[0] = result_arg(&y);
    expect_error(&s, run(&s, "plain", args, 1, NULL), TIRB_ARGUMENT, "left to the call, which makes results only");
    expect_error(&s, run(&s, "double", args, 1, NULL), TIRB_ARGUMENT, "expected 3 arguments, the results included");
    args[0] = tensor_arg(&xt.dl);
    args[1] = no_arg();
    args[2] = result_arg(&z);
    expect_error(&s, run(&s, "double", args, 3, NULL), TIRB_ARGUMENT, "'y' of double(");
    assert_null(z);
    close_session(&s);
}

/* firsts(x, m) -> (y, z): y is the first m elements of x, z the first 2 of each of m pairs; nothing when m is 9. */
static const char firsts[] = ".function \"firsts\" public\n.scalars 8\n.ref f32\n.ref f32 writable\n.ref f32 writable\n"
                             ".var \"n\" i64 s0\n.var \"k\" i64 s1\n.var \"l\" i64 s2\n.tensor \"x\" f32 r0 read ($0)\n"
                             ".scalar \"m\" i64 s3\n.tensor \"y\" f32 r1 write ($1) result open\n"
                             ".tensor \"z\" f32 r2 write ($2, 2) result open\n"
                             "const.i64 s4, 9\neq.i64 s4, s3, s4\nbrif s4, behind\nconst.i64 s5, 2\n"
                             "result 2, r0, (s3)\nresult 3, r0, (s3 s5)\nbehind:\nret.void\n.end\n";

/* A function that decides how large its results are: made by the call, or compared with what the caller has. */
static void test_open(void **state) {
    (void)state;
    failing_allocator counted = {0};
    session s = open_counted(firsts, NULL, &counted);
    float x[] = {1, 2, 3, 4}, own[3];
    tensor xt, yt;
    DLManagedTensor *y, *z;
    tirb_arg args[] = {tensor_arg(make_tensor(&xt, x, F32, 1, 4)), int_arg(2), result_arg(&y), result_arg(&z)};
    EXPECT_OK(&s, run(&s, "firsts", args, 4, NULL));
    check_values(y, x, 2);
    assert_int_equal(z->dl_tensor.shape[0], 2);
    assert_int_equal(z->dl_tensor.shape[1], 2);
    assert_memory_equal(z->dl_tensor.data, x, sizeof x);
    y->deleter(y);
    z->deleter(z);
    args[1] = int_arg(0);
    EXPECT_OK(&s, run(&s, "firsts", args, 4, NULL));
    assert_int_equal(y->dl_tensor.shape[0], 0);
    assert_int_equal(z->dl_tensor.shape[1], 2);
    y->deleter(y);
    z->deleter(z);
    args[1] = int_arg(9); /* what is never made is empty */
    EXPECT_OK(&s, run(&s, "firsts", args, 4, NULL));
    assert_int_equal(y->dl_tensor.shape[0], 0);
    y->deleter(y);
    z->deleter(z);
    args[1] = int_arg(3);
    expect_error(&s, run(&s, "firsts", args, 4, NULL), TIRB_BOUNDS, "the result 'z' has more elements");
    assert_null(y);
    assert_null(z);
    args[1] = int_arg(-1);
    expect_error(&s, run(&s, "firsts", args, 4, NULL), TIRB_VALUE, "the result 'y': shape[0] is -1");
    args[1] = int_arg(2);
    args[2] = tensor_arg(make_tensor(&yt, own, F32, 1, 3));
    expect_error(&s, run(&s, "firsts", args, 4, NULL), TIRB_SHAPE, "'y': shape[0] is 3, expected 2");
    assert_null(z);
    args[2] = tensor_arg(make_tensor(&yt, own, F32, 1, 2));
    EXPECT_OK(&s, run(&s, "firsts", args, 4, NULL));
    assert_memory_equal(own, x, 2 * sizeof *own);
    z->deleter(z);
    int64_t strides[] = {-1}; /* the caller's own may be written back */
    yt.dl.strides = strides;
    yt.dl.data = own + 1;
    EXPECT_OK(&s, run(&s, "firsts", args, 4, NULL));
    assert_true(own[0] == 2 && own[1] == 1);
    z->deleter(z);
    close_session(&s);
    assert_int_equal(counted.live, 0);
}

/* keeps(x) -> y of 4 elements, twice of x, and then of what y's own reference has. */
static const char keeps[] = ".function \"keeps\" public\n.scalars 4\n.ref f32\n.ref f32 writable\n"
                            ".tensor \"x\" f32 r0 read (4)\n.tensor \"y\" f32 r1 write (4) result open\n"
                            "const.i64 s0, 4\nresult 1, r0, (s0)\nresult 1, r0, (s0)\n"
                            "result 1, r1, (s0)\nret.void\n.end\n";

/* The memory that an open result begins with is gone once it is made: no instruction reaches it. */
static void test_open_unreached(void **state) {
    (void)state;
    session s = open_session(keeps, NULL);
    float x[] = {1, 2, 3, 4}, own[4] = {5};
    tensor xt, yt;
    DLManagedTensor *y;
    tirb_arg args[] = {tensor_arg(make_tensor(&xt, x, F32, 1, 4)), result_arg(&y)};
    expect_error(&s, run(&s, "keeps", args, 2, NULL), TIRB_BOUNDS, "the result 'y' has more elements");
    assert_null(y);
    args[1] = tensor_arg(make_tensor(&yt, own, F32, 1, 4));
    expect_error(&s, run(&s, "keeps", args, 2, NULL), TIRB_BOUNDS, "the result 'y' has more elements");
    assert_memory_equal(own, x, sizeof x);
    close_session(&s);
}

/* known(x, m, k) -> y of what x says, k + 1 and 2: m elements of x each. */
static const char known[] = ".function \"known\" public\n.scalars 8\n.ref f32\n.ref f32 writable\n"
                            ".scalar \"m\" i64 s1\n.scalar \"k\" i64 s2\n.var \"n\" i64 s0\n"
                            ".var \"k\" i64 s2 param 1\n.tensor \"x\" f32 r0 read ($0)\n"
                            ".tensor \"y\" f32 r1 write ($0, {$1 1 add}, 2) result open\n"
                            "const.i64 s3, 2\nresult 3, r0, (s1 s1 s3)\nret.void\n.end\n";

/* What the arguments say of the extents holds. */
static void test_open_known(void **state) {
    (void)state;
    session s = open_session(known, NULL);
    float x[] = {1, 2};
    tensor xt;
    DLManagedTensor *y;
    tirb_arg args[] = {int_arg(1), int_arg(0), tensor_arg(make_tensor(&xt, x, F32, 1, 1)), result_arg(&y)};
    expect_error(&s, run(&s, "known", args, 4, NULL), TIRB_BOUNDS, "the result 'y' has more elements");
    args[0] = int_arg(2);
    expect_error(&s, run(&s, "known", args, 4, NULL), TIRB_SHAPE, "the result 'y': shape[0] is 2, expected 1");
    assert_null(y);
    args[0] = int_arg(0);
    expect_error(&s, run(&s, "known", args, 4, NULL), TIRB_SHAPE, "the result 'y': shape[0] is 0, expected 1");
    args[2] = tensor_arg(make_tensor(&xt, x, F32, 1, 0));
    expect_error(&s, run(&s, "known", args, 4, NULL), TIRB_SHAPE, "the result 'y': shape[1] is 0, expected 1");
    args[1] = int_arg(-1);
    EXPECT_OK(&s, run(&s, "known", args, 4, NULL));
    y->deleter(y);
    args[1] = int_arg(-2);
    assert_int_equal(run(&s, "known", args, 4, NULL), TIRB_SHAPE);
    assert_null(y);
    close_session(&s);
}

/* While the call runs, results count as the instance's; later they are the caller's alone. */
static void test_memory_limit(void **state) {
    (void)state;
    enum { N = 10000, ONE = N * sizeof(float) };
    static float x[N] = {1};
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.max_memory = 2 * ONE + ONE / 2;
    session s = open_session(doubling, &limits);
    tensor xt;
    DLManagedTensor *made[6] = {NULL};
    tirb_arg args[] = {tensor_arg(make_tensor(&xt, x, F32, 1, N)), no_arg(), no_arg()};
    for (int i = 0; i < 6; i += 2) {
        args[1] = result_arg(&made[i]);
        args[2] = result_arg(&made[i + 1]);
        EXPECT_OK(&s, run(&s, "double", args, 3, NULL));
        tirb_stats stats = TIRB_STATS_INIT;
        assert_int_equal(tirb_instance_stats(s.instance, &stats), TIRB_OK);
        assert_true(stats.peak_memory >= 2 * ONE && stats.peak_memory <= limits.max_memory);
    }
    for (int i = 0; i < 6; i++) made[i]->deleter(made[i]);
    close_session(&s);
    limits.max_memory = ONE + ONE / 2;
    s = open_session(doubling, &limits);
    args[1] = result_arg(&made[0]);
    args[2] = result_arg(&made[1]);
    expect_error(&s, run(&s, "double", args, 3, NULL), TIRB_MEMORY_LIMIT, "'z' of double(");
    assert_null(made[0]);
    assert_null(made[1]);
    close_session(&s);
}

/* A call of a function that takes x and gives two results. */
static void fail_each(const char *text, const char *name, const tirb_arg *args, uint32_t n, DLManagedTensor **y,
                      DLManagedTensor **z) {
    tirb_status status = TIRB_NO_MEMORY;
    for (long k = 1; status != TIRB_OK; k++) {
        failing_allocator counted = {0};
        session s = open_counted(text, NULL, &counted);
        counted.fail_from = counted.fail_to = counted.calls + k;
        status = run(&s, name, args, n, NULL);
        assert_true(status == TIRB_OK || status == TIRB_NO_MEMORY);
        assert_true(status == TIRB_OK ? *y && *z : !*y && !*z);
        close_session(&s);
        if (*y) (*y)->deleter(*y);
        if (*z) (*z)->deleter(*z);
        assert_int_equal(counted.live, 0);
    }
}

/* Each allocation of a call fails once: nothing is lost. */
static void test_no_memory(void **state) {
    (void)state;
    float x[] = {1, 2, 3, 4};
    tensor xt;
    DLManagedTensor *y, *z;
    const tirb_arg fixed[] = {tensor_arg(make_tensor(&xt, x, F32, 1, 3)), result_arg(&y), result_arg(&z)};
    fail_each(doubling, "double", fixed, 3, &y, &z);
    const tirb_arg open[] = {tensor_arg(make_tensor(&xt, x, F32, 1, 4)), int_arg(2), result_arg(&y), result_arg(&z)};
    fail_each(firsts, "firsts", open, 4, &y, &z);
}

/* ---- Limits ------------------------------------------------------------------------------------------------------ */

/* An allocator that fills blocks of a tensor's size with POISON, and cancels what runs when it has given `cancel_made`
 * of them out or taken `cancel_freed` back. */
enum { POISON = 0xA5, MUCH = 4 << 20 };
typedef struct cancelling {
    tirb_instance *instance;
    unsigned made, freed, cancel_made, cancel_freed;
    uint8_t *last;
    size_t live;
} cancelling;

static void *cancelling_reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    cancelling *c = context;
    c->live += new_size - old_size;
    if (new_size == 0) {
        free(ptr);
        if (old_size >= MUCH && ++c->freed == c->cancel_freed) tirb_instance_cancel(c->instance);
        return NULL;
    }
    uint8_t *fresh = realloc(ptr, new_size);
    if (new_size < MUCH || !fresh) return fresh;
    memset(fresh, POISON, new_size);
    c->last = fresh;
    if (++c->made == c->cancel_made) tirb_instance_cancel(c->instance);
    return fresh;
}

static session open_cancelling(const char *text, cancelling *c) {
    session s = open_allocating(text, NULL, (tirb_allocator){cancelling_reallocate, c});
    c->instance = s.instance;
    return s;
}

/* How much of the block that was given out last has been written. */
static size_t written(const cancelling *c) {
    size_t n = 0;
    for (size_t at = 0; at < MUCH; at++) n += c->last[at] != POISON;
    return n;
}

/* A result that the call makes is cleared, filled and freed in steps, between which a stop is seen. */
static void expect_steps(const char *text, const char *name, const tirb_arg *args, uint32_t n, unsigned n_made,
                         DLManagedTensor **y, DLManagedTensor **z) {
    enum { STEP = 1 << 15 };
    for (unsigned k = 1; k <= n_made; k++) {
        cancelling c = {.cancel_made = k};
        session s = open_cancelling(text, &c);
        expect_error(&s, run(&s, name, args, n, NULL), TIRB_CANCELLED, "cancelled");
        assert_true(!*y && !*z);
        assert_int_equal(c.made, k);
        if (written(&c) > STEP) fail_msg("%s, block %u: %zu bytes are written", name, k, written(&c));
        const unsigned freed = c.freed;
        EXPECT_OK(&s, run(&s, name, args, n, NULL)); /* which frees what is left */
        assert_true(c.freed > freed);
        (*y)->deleter(*y);
        (*z)->deleter(*z);
        assert_int_equal(c.freed, c.made);
        close_session(&s);
        assert_int_equal(c.live, 0);
    }
}

static void test_steps(void **state) {
    (void)state;
    enum { N = MUCH / sizeof(float) };
    float *x = malloc(MUCH);
    for (int i = 0; i < N; i++) x[i] = 1;
    tensor xt;
    DLManagedTensor *y, *z;
    const tirb_arg fixed[] = {tensor_arg(make_tensor(&xt, x, F32, 1, N)), result_arg(&y), result_arg(&z)};
    expect_steps(doubling, "double", fixed, 3, 2, &y, &z);
    /* those of an unknown size are made by `result`; of a known one, twice */
    static const char copies[] =
        ".function \"copies\" public\n.scalars 8\n.ref f32\n.ref f32 writable\n.ref f32 writable\n"
        ".var \"n\" i64 s0\n.var \"k\" i64 s1\n.tensor \"x\" f32 r0 read ($0)\n"
        ".tensor \"y\" f32 r1 write ($1) result open\n.tensor \"z\" f32 r2 write ($0) result open\n"
        "result 1, r0, (s0)\nresult 2, r0, (s0)\nret.void\n.end\n";
    expect_steps(copies, "copies", fixed, 3, 3, &y, &z);
    free(x);
}

/* What a call leaves that fails is freed in steps too. */
static void test_freed_in_steps(void **state) {
    (void)state;
    enum { N = MUCH / sizeof(float) };
    float *x = calloc(N, sizeof *x);
    tensor xt;
    DLManagedTensor *y, *z;
    const tirb_arg args[] = {tensor_arg(make_tensor(&xt, x, F32, 1, N)), result_arg(&y), result_arg(&z)};
    cancelling c = {.cancel_freed = 1};
    session s = open_cancelling(doubling, &c);
    expect_error(&s, run(&s, "double", args, 3, NULL), TIRB_ASSERT, "x begins with 1");
    assert_int_equal(c.made, 2);
    assert_int_equal(c.freed, 1);
    tirb_stats stats = TIRB_STATS_INIT;
    expect_error(&s, run(&s, "double", args, 3, NULL), TIRB_ASSERT, "x begins with 1");
    assert_int_equal(c.freed, 4);
    assert_int_equal(tirb_instance_stats(s.instance, &stats), TIRB_OK);
    assert_true(stats.peak_memory < 2 * MUCH + MUCH / 2);
    c.cancel_freed = 5;
    expect_error(&s, run(&s, "double", args, 3, NULL), TIRB_ASSERT, "x begins with 1");
    assert_int_equal(c.freed, 5);
    assert_int_equal(tirb_instance_trim(s.instance, NULL), TIRB_OK);
    assert_int_equal(c.freed, 6);
    c.cancel_freed = 7;
    expect_error(&s, run(&s, "double", args, 3, NULL), TIRB_ASSERT, "x begins with 1");
    close_session(&s);
    assert_int_equal(c.freed, 8);
    assert_int_equal(c.live, 0);
    free(x);
}

/* A result takes the fuel of its own bytes, on all instruction sets and threads, whatever else it is made of. */
static void test_fuel(void **state) {
    (void)state;
    enum { N = 1 << 16 };
    static float x[N];
    uint64_t base = 0;
    for (int isa = 0; isa <= TIRB_ISA_NEON; isa++) {
        for (uint32_t threads = 1; threads < 4 && tirb_isa_available((tirb_isa)isa); threads += 2) {
            tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
            options.isa = (tirb_isa)isa;
            tirb_limits limits = TIRB_LIMITS_INIT;
            limits.threads = threads;
            session s = {.error = TIRB_ERROR_INIT};
            assert_int_equal(tirb_engine_create(&options, &s.engine, &s.error), TIRB_OK);
            s.module = load_text(s.engine, firsts);
            assert_int_equal(tirb_instance_create(s.module, &limits, &s.instance, &s.error), TIRB_OK);
            for (int m = 0; m < N; m = m * 4 + 64) {
                tensor xt;
                DLManagedTensor *y, *z;
                tirb_arg args[] = {tensor_arg(make_tensor(&xt, x, F32, 1, m % 3 ? N : 2 * m)), int_arg(m),
                                   result_arg(&y), result_arg(&z)};
                if (2 * m > N) break;
                EXPECT_OK(&s, run(&s, "firsts", args, 4, NULL));
                tirb_stats stats = TIRB_STATS_INIT;
                assert_int_equal(tirb_instance_stats(s.instance, &stats), TIRB_OK);
                if (!base) base = stats.fuel_used;
                assert_int_equal(stats.fuel_used, base + (uint64_t)m * sizeof *x / 64 * 3);
                y->deleter(y);
                z->deleter(z);
            }
            close_session(&s);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_made),         cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_open),         cmocka_unit_test(test_open_unreached),
                                       cmocka_unit_test(test_open_known),
                                       cmocka_unit_test(test_memory_limit), cmocka_unit_test(test_no_memory),
                                       cmocka_unit_test(test_steps),        cmocka_unit_test(test_freed_in_steps),
                                       cmocka_unit_test(test_fuel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
