/* Functions of the host that programs call: binding, arguments, results, errors, and calls from inside a call. */
#include "tests/unit/api_fixture.h"

#include <fenv.h>

#include <tirb/compiler.h>

#include "compiler/text/text.h"
#include "tests/reference/reference.h"

#define HEADER "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass M:\n"
#define FUNCTION(signature) "    @T.prim_func(s_tir=True)\n    def " signature ":\n"

/* An instance of a TVMScript module. */
static session open_source(const char *text, const tirb_limits *limits) {
    session s = {.error = TIRB_ERROR_INIT};
    tirb_compile_result *result = NULL;
    if (tirb_compile(text, strlen(text), NULL, &result, &s.error) != TIRB_OK) fail_msg("compile: %s", s.error.message);
    size_t size = 0;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    EXPECT_OK(&s, tirb_engine_create(NULL, &s.engine, &s.error));
    EXPECT_OK(&s, tirb_module_load(s.engine, bytes, size, &s.module, &s.error));
    EXPECT_OK(&s, tirb_instance_create(s.module, limits, &s.instance, &s.error));
    tirb_compile_result_destroy(result);
    return s;
}

static tirb_status bind_one(session *s, const char *name, const char *types, tirb_import_function function,
                            void *context) {
    const tirb_import import = {.name = name, .types = types, .function = function, .context = context};
    return tirb_instance_bind(s->instance, &import, 1, &s->error);
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static const char scalars[] =
    HEADER FUNCTION("f(A: T.Buffer((4,), 'float32'), n: T.int64, h: T.float16, u: T.uint64, b: T.bool) -> T.int16")
    "        A[0] = T.call_extern('float32', 'mix', A[1], n, h, u, b)\n"
    "        return T.call_extern('int16', 'small', n)\n";

static tirb_status mix(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                       uint64_t remaining_ns, tirb_error *error) {
    (void)error;
    ++*(int *)context;
    assert_int_equal(n_args, 5);
    assert_int_equal(args[0].kind, TIRB_ARG_FLOAT);
    assert_int_equal(args[0].dtype.bits, 32);
    assert_true(args[0].value.f == 2.5);
    assert_int_equal(args[1].kind, TIRB_ARG_INT);
    assert_int_equal(args[1].value.i, -7);
    assert_true(args[2].value.f == 0.5);
    assert_int_equal((uint64_t)args[3].value.i, UINT64_MAX);
    assert_int_equal(args[4].value.i, 1);
    assert_int_equal(args[4].dtype.code, 6); /* DLPack's bool, which 0.6 has no name for */
    assert_int_equal(result->dtype.code, kDLFloat);
    assert_int_equal(result->dtype.bits, 32);
    assert_true(remaining_ns == UINT64_MAX);
    result->value.f = 1.0 / 3.0;
    return TIRB_OK;
}

/* Returns its argument, which may not fit the result. */
static tirb_status echo(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                        uint64_t remaining_ns, tirb_error *error) {
    (void)context, (void)n_args, (void)remaining_ns, (void)error;
    result->value.i = args[0].value.i;
    return TIRB_OK;
}

static tirb_status call_scalars(session *s, int64_t n, tirb_result *result, float data[4]) {
    tensor t;
    make_tensor(&t, data, F32, 1, 4);
    const tirb_arg args[] = {tensor_arg(&t.dl), int_arg(n), float_arg(0.5), int_arg(-1), int_arg(1)};
    return run(s, "f", args, 5, result);
}

static void test_scalars(void **state) {
    (void)state;
    session s = open_source(scalars, NULL);
    int calls = 0;
    float data[4] = {0, 2.5f, 0, 0};
    tirb_result result;
    tirb_import both[] = {{"mix", "(float32, int64, float16, uint64, bool) -> float32", mix, &calls, 0},
                          {"nobody imports this", NULL, echo, NULL, 0},
                          {"small", "(int64) -> int16", echo, NULL, TIRB_IMPORT_THREAD_SAFE}};
    EXPECT_OK(&s, tirb_instance_bind(s.instance, both, 3, &s.error));
    EXPECT_OK(&s, call_scalars(&s, -7, &result, data));
    assert_int_equal(calls, 1);
    assert_int_equal(result.value.i, -7);
    assert_true(data[0] == (float)(1.0 / 3.0));
    both[0].function = echo; /* what was bound is not kept by reference */
    EXPECT_OK(&s, call_scalars(&s, -7, &result, data));
    assert_int_equal(calls, 2);
    EXPECT_OK(&s, tirb_instance_bind(s.instance, both, 3, &s.error));
    expect_error(&s, call_scalars(&s, 40000, &result, data), TIRB_VALUE, "small returned 40000, which is no int16");
    close_session(&s);
}

/* ---- Views ------------------------------------------------------------------------------------------------------ */

static const char views[] =
    HEADER FUNCTION("fill(A: T.Buffer((2, 4), 'float32'))")
    "        T.evaluate(T.call_extern('void', 'fill', A.data, T.address_of(A[1, 1]), 9.0))\n"
    FUNCTION("look(A: T.Buffer((2, 4), 'float32')) -> T.int32")
    "        return T.call_pure_extern('int32', 'look', A.data)\n"
    FUNCTION("local(A: T.Buffer((4,), 'float32'), i: T.int32)")
    "        B = T.alloc_buffer((4,), 'float32')\n"
    "        T.evaluate(T.call_packed('packed', T.address_of(B[i])))\n"
    "        for k in range(4):\n"
    "            A[k] = B[k]\n";

typedef struct seen_view {
    DLTensor tensor;
    int64_t extent, stride;
    uint32_t flags;
} seen_view;

static tirb_status see(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                       uint64_t remaining_ns, tirb_error *error) {
    (void)remaining_ns, (void)error;
    seen_view *seen = context;
    for (uint32_t i = 0; i < n_args && args[i].kind == TIRB_ARG_TENSOR; i++) {
        const DLTensor *t = args[i].value.tensor;
        assert_int_equal(t->ndim, 1);
        assert_int_equal(t->device.device_type, kDLCPU);
        assert_int_equal(t->byte_offset, 0);
        assert_int_equal(t->dtype.code, args[i].dtype.code);
        seen[i] = (seen_view){*t, t->shape[0], t->strides[0], args[i].flags};
        for (int64_t k = 0; k < t->shape[0] && !(args[i].flags & TIRB_ARG_READ_ONLY); k++) {
            ((float *)t->data)[k] += (float)(i + 1);
        }
    }
    result->value.i = 5;
    return TIRB_OK;
}

static void test_views(void **state) {
    (void)state;
    session s = open_source(views, NULL);
    seen_view seen[2] = {0};
    float data[8] = {0};
    tensor t;
    tirb_result result;
    make_tensor(&t, data, F32, 2, 2, 4);
    const tirb_arg args[] = {tensor_arg(&t.dl), int_arg(1)};
    const tirb_import all[] = {{"fill", "(float32[], float32[], float32)", see, seen, 0},
                               {"look", "(const float32[]) -> int32", see, seen, 0},
                               {"packed", NULL, see, seen, 0}};
    EXPECT_OK(&s, tirb_instance_bind(s.instance, all, 3, &s.error));
    EXPECT_OK(&s, run(&s, "fill", args, 1, NULL));
    assert_int_equal(seen[0].extent, 8);
    assert_int_equal(seen[0].stride, 1);
    assert_int_equal(seen[1].extent, 3);
    assert_int_equal(seen[0].flags | seen[1].flags, 0);
    const float expected[8] = {1, 1, 1, 1, 1, 3, 3, 3};
    assert_memory_equal(data, expected, sizeof(data));

    /* What is only read may be read-only, and the host sees that. */
    tirb_arg read_only = args[0];
    read_only.flags = TIRB_ARG_READ_ONLY;
    EXPECT_OK(&s, run(&s, "look", &read_only, 1, &result));
    assert_int_equal(result.value.i, 5);
    assert_int_equal(seen[0].flags, TIRB_ARG_READ_ONLY);
    assert_memory_equal(data, expected, sizeof(data));
    expect_error(&s, run(&s, "fill", &read_only, 1, NULL), TIRB_ARGUMENT, "read-only");

    float row[4] = {7, 7, 7, 7};
    const float filled[4] = {0, 1, 1, 1};
    tensor r;
    make_tensor(&r, row, F32, 1, 4);
    const tirb_arg local[] = {tensor_arg(&r.dl), int_arg(1)};
    EXPECT_OK(&s, run(&s, "local", local, 2, NULL));
    assert_memory_equal(row, filled, sizeof(row));
    const tirb_arg outside[] = {tensor_arg(&r.dl), int_arg(4)};
    expect_error(&s, run(&s, "local", outside, 2, NULL), TIRB_BOUNDS, "index 4 is out of bounds");
    close_session(&s);
}

/* ---- Binding ---------------------------------------------------------------------------------------------------- */

static void test_binding(void **state) {
    (void)state;
    session s = open_source(views, NULL);
    seen_view seen[2];
    float data[8] = {0};
    tensor t;
    make_tensor(&t, data, F32, 2, 2, 4);
    const tirb_arg arg = tensor_arg(&t.dl);

    tirb_import_info info = TIRB_IMPORT_INFO_INIT;
    assert_int_equal(tirb_module_import_count(s.module), 3);
    EXPECT_OK(&s, tirb_module_import(s.module, 0, &info, &s.error));
    assert_string_equal(info.name, "fill");
    assert_string_equal(info.types, "(float32[], float32[], float32)");
    assert_int_equal(info.n_params, 3);
    expect_error(&s, tirb_module_import(s.module, 3, &info, &s.error), TIRB_NOT_FOUND, "no import 3, only 3");

    expect_error(&s, run(&s, "fill", &arg, 1, NULL), TIRB_IMPORT,
                 "the program calls fill(float32[], float32[], float32), which the host does not provide (in fill)");

    static const char *const wrong[] = {"(float32[], float32[], float64)", "(float32[], float32[])", "",
                                        "(float32[], float32[], float32) -> int32", "(const float32[], float32[], const float32)",
                                        "(float32[], float32[], float32, int32)", "(const const float32[], float32[], float32)"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        expect_error(&s, bind_one(&s, "fill", wrong[i], see, seen), TIRB_ARGUMENT,
                     "the import 'fill' has the types (float32[], float32[], float32), the host's function ");
    }
    expect_error(&s, bind_one(&s, "look", "(float32[]) -> int32", see, seen), TIRB_ARGUMENT, "(const float32[]) -> int32");
    EXPECT_OK(&s, bind_one(&s, "fill", "(const float32[], float32[], float32)", see, seen));
    EXPECT_OK(&s, bind_one(&s, "fill", "(const float32[], const float32[], float32)", see, seen));
    EXPECT_OK(&s, run(&s, "fill", &arg, 1, NULL));
    assert_int_equal(bind_one(&s, "fill", "()", see, seen), TIRB_ARGUMENT); /* leaves what was bound */
    EXPECT_OK(&s, run(&s, "fill", &arg, 1, NULL));
    EXPECT_OK(&s, tirb_instance_bind(s.instance, NULL, 0, &s.error)); /* unbinds everything */
    expect_error(&s, run(&s, "fill", &arg, 1, NULL), TIRB_IMPORT, "does not provide");

    expect_error(&s, tirb_instance_bind(s.instance, NULL, 1, &s.error), TIRB_MISUSE, "imports is NULL");
    expect_error(&s, bind_one(&s, NULL, NULL, see, NULL), TIRB_MISUSE, "imports[0].name is NULL");
    expect_error(&s, bind_one(&s, "fill", NULL, NULL, NULL), TIRB_MISUSE, "imports[0].function is NULL");
    const tirb_import flagged = {.name = "fill", .function = see, .flags = 2};
    expect_error(&s, tirb_instance_bind(s.instance, &flagged, 1, &s.error), TIRB_MISUSE, "flags is 2");
    close_session(&s);
}

/* One name with two types is two imports. */
static void test_overloads(void **state) {
    (void)state;
    session s = open_source(HEADER FUNCTION("f(n: T.int32) -> T.int32")
                            "        return T.call_extern('int32', 'g', n) + T.call_extern('int32', 'g', n, n)\n", NULL);
    const tirb_arg arg = int_arg(4);
    tirb_result result;
    assert_int_equal(tirb_module_import_count(s.module), 2);
    expect_error(&s, bind_one(&s, "g", "(int32) -> int32", echo, NULL), TIRB_ARGUMENT, "(int32, int32) -> int32");
    const tirb_import both[] = {{"g", "(int32) -> int32", echo, NULL, 0}, {"g", "(int32, int32) -> int32", echo, NULL, 0}};
    EXPECT_OK(&s, tirb_instance_bind(s.instance, both, 2, &s.error));
    EXPECT_OK(&s, run(&s, "f", &arg, 1, &result));
    assert_int_equal(result.value.i, 8);
    close_session(&s);
}

/* ---- Errors and calls from inside ------------------------------------------------------------------------------- */

static const char loop[] = HEADER FUNCTION("f(n: T.int32) -> T.int32")
                           "        for i in range(n):\n"
                           "            T.evaluate(T.call_extern('void', 'act', i))\n"
                           "        return n\n";

typedef struct actor {
    tirb_instance *instance;
    tirb_status status;
    const char *message;
    int calls;
    uint64_t remaining;
} actor;

static tirb_status refuse(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                          uint64_t remaining_ns, tirb_error *error) {
    (void)n_args, (void)result, (void)remaining_ns;
    actor *a = context;
    a->calls++;
    if (args[0].value.i < 2) return TIRB_OK;
    if (a->message) snprintf(error->message, sizeof(error->message), "%s", a->message);
    return a->status;
}

static tirb_status reenter(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                           uint64_t remaining_ns, tirb_error *error) {
    (void)args, (void)n_args, (void)result;
    actor *a = context;
    a->calls++;
    a->remaining = remaining_ns;
    const tirb_arg arg = int_arg(1);
    assert_int_equal(tirb_instance_bind(a->instance, NULL, 0, NULL), TIRB_BUSY);
    return tirb_instance_call(a->instance, 0, &arg, 1, NULL, error);
}

static tirb_status cancel(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                          uint64_t remaining_ns, tirb_error *error) {
    (void)args, (void)n_args, (void)result, (void)remaining_ns, (void)error;
    actor *a = context;
    if (++a->calls == 3) tirb_instance_cancel(a->instance);
    return TIRB_OK;
}

static tirb_status call_loop(session *s, tirb_import_function function, actor *a) {
    const tirb_arg arg = int_arg(10);
    a->instance = s->instance;
    a->calls = 0;
    EXPECT_OK(s, bind_one(s, "act", "(int32)", function, a));
    return run(s, "f", &arg, 1, NULL);
}

static void test_errors(void **state) {
    (void)state;
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.timeout_ns = UINT64_C(600000000000);
    session s = open_source(loop, &limits);
    actor a = {.status = TIRB_IO, .message = "the disk is on fire"};
    expect_error(&s, call_loop(&s, refuse, &a), TIRB_IO, "act: the disk is on fire (in f)");
    assert_int_equal(s.error.line, 9);
    assert_int_equal(a.calls, 3);
    a = (actor){.status = TIRB_IO, .message = "caf\xC3\xA9 \xFF, \xC3(, \xED\xA0\x80, \xE2\x80\xAE\x1B and \xE2\x82"};
    expect_error(&s, call_loop(&s, refuse, &a), TIRB_IO, "act: caf\xC3\xA9 ?, ?(, ???, ???? and ?? (in f)");
    char bytes[2 * sizeof(tirb_error)];
    memset(bytes, 0x80, sizeof bytes);
    bytes[sizeof bytes - 1] = '\0';
    a = (actor){.status = TIRB_IO, .message = bytes};
    assert_int_equal(call_loop(&s, refuse, &a), TIRB_IO);
    assert_non_null(strstr(s.error.message, "act: ????????"));
    a = (actor){.status = TIRB_IO};
    expect_error(&s, call_loop(&s, refuse, &a), TIRB_IO, "act: input/output error");
    a = (actor){.status = (tirb_status)1000};
    expect_error(&s, call_loop(&s, refuse, &a), TIRB_VALUE, "act: it returned a number that is no status");
    a = (actor){0};
    expect_error(&s, call_loop(&s, reenter, &a), TIRB_BUSY, "act: the instance is in a call");
    assert_int_equal(a.calls, 1);
    assert_in_range(a.remaining, 1, limits.timeout_ns);
    expect_error(&s, call_loop(&s, cancel, &a), TIRB_CANCELLED, "cancelled");
    assert_int_equal(a.calls, 3);
    a = (actor){.status = TIRB_OK};
    EXPECT_OK(&s, call_loop(&s, refuse, &a));
    assert_int_equal(a.calls, 10);
    close_session(&s);
}

/* ---- How often, and in which order ------------------------------------------------------------------------------ */

static const char order[] =
    HEADER FUNCTION("f(A: T.Buffer((8,), 'float32'), C: T.Buffer((1,), 'float32'))")
    "        for i in range(8):\n"
    "            A[i] = T.if_then_else(i % 2 == 0, T.call_extern('float32', 'next', i), T.float32(0))\n"
    "        for i in range(8):\n"
    "            C[0] = C[0] + T.call_pure_extern('float32', 'next', i)\n";

static tirb_status next(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                        uint64_t remaining_ns, tirb_error *error) {
    (void)args, (void)n_args, (void)remaining_ns, (void)error;
    result->value.f = ++*(int *)context;
    return TIRB_OK;
}

static void test_order(void **state) {
    (void)state;
    session s = open_source(order, NULL);
    int calls = 0;
    float data[8], sum[1] = {100};
    tensor t, u;
    make_tensor(&t, data, F32, 1, 8);
    make_tensor(&u, sum, F32, 1, 1);
    const tirb_arg args[] = {tensor_arg(&t.dl), tensor_arg(&u.dl)};
    EXPECT_OK(&s, bind_one(&s, "next", NULL, next, &calls));
    EXPECT_OK(&s, run(&s, "f", args, 2, NULL));
    const float expected[8] = {1, 0, 2, 0, 3, 0, 4, 0};
    assert_memory_equal(data, expected, sizeof(data));
    assert_int_equal(calls, 12);
    assert_true(sum[0] == 100 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12);
    close_session(&s);
}

/* The host's rounding is the function's; the program keeps to its own, whatever the function leaves behind. */
static const char rounding[] = HEADER FUNCTION("f(A: T.Buffer((3,), 'float32'))")
                               "        A[0] = A[2] / 3.0\n"
                               "        T.evaluate(T.call_extern('void', 'round'))\n"
                               "        A[1] = A[2] / 3.0\n";

static tirb_status look_at_rounding(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                                    uint64_t remaining_ns, tirb_error *error) {
    (void)args, (void)n_args, (void)result, (void)remaining_ns, (void)error;
    *(int *)context = fegetround();
    fesetround(FE_DOWNWARD);
    return TIRB_OK;
}

static void test_rounding(void **state) {
    (void)state;
    session s = open_source(rounding, NULL);
    int seen = -1;
    float data[3] = {0, 0, 2};
    tensor t;
    make_tensor(&t, data, F32, 1, 3);
    const tirb_arg arg = tensor_arg(&t.dl);
    EXPECT_OK(&s, bind_one(&s, "round", NULL, look_at_rounding, &seen));
    fesetround(FE_UPWARD);
    tirb_status status = run(&s, "f", &arg, 1, NULL);
    int left = fegetround();
    fesetround(FE_TONEAREST);
    EXPECT_OK(&s, status);
    assert_int_equal(seen, FE_UPWARD);
    assert_int_equal(left, FE_DOWNWARD);
    static const float expected[2] = {0x1.555556p-1f, 0x1.555556p-1f};
    assert_memory_equal(data, expected, sizeof expected);
    close_session(&s);
}

/* Where a value is needed more than once, the call still happens once; bounds and extents stay what they were. */
static const char once[] =
    HEADER FUNCTION("bounds(A: T.Buffer((64,), 'float32'))")
    "        for i in range(T.call_extern('int32', 'count', 40)):\n"
    "            A[i] = A[i] + 1.0\n"
    FUNCTION("while_(A: T.Buffer((64,), 'float32'))")
    "        while T.call_extern('bool', 'less', 3):\n"
    "            A[0] = A[0] + 1.0\n"
    FUNCTION("extent(A: T.Buffer((64,), 'int32'))")
    "        B = T.alloc_buffer((A[0],), 'int32')\n"
    "        A[0] = 1\n"
    "        for i in range(3):\n"
    "            B[i] = i + 5\n"
    "        for i in range(3):\n"
    "            A[i] = B[i]\n"
    FUNCTION("written_order(A: T.Buffer((64,), 'float32'), I: T.Buffer((1,), 'int32'))")
    "        T.evaluate(T.call_extern('void', 'put', T.address_of(A[I[0]]), T.call_extern('int32', 'move', I.data)))\n"
    FUNCTION("lanes(A: T.Buffer((64,), 'float32'))")
    "        A[0:16] = T.Broadcast(A[T.call_extern('int32', 'count', 40)], 16) + T.Cast('float32x16', T.Ramp(0, 1, 16))\n";

static const DLDataType int32 = {kDLInt, 32, 1};

typedef struct counter {
    int calls;
    double value;
} counter;

static tirb_status count(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                         uint64_t remaining_ns, tirb_error *error) {
    (void)n_args, (void)remaining_ns, (void)error;
    counter *c = context;
    c->calls++;
    result->value.i = result->dtype.code == kDLInt ? args[0].value.i : c->calls <= args[0].value.i;
    return TIRB_OK;
}

static tirb_status move_index(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                              uint64_t remaining_ns, tirb_error *error) {
    (void)context, (void)n_args, (void)remaining_ns, (void)error;
    *(int32_t *)args[0].value.tensor->data = 9;
    result->value.i = 77;
    return TIRB_OK;
}

static tirb_status put_number(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                              uint64_t remaining_ns, tirb_error *error) {
    (void)context, (void)n_args, (void)result, (void)remaining_ns, (void)error;
    *(float *)args[0].value.tensor->data = (float)args[1].value.i;
    return TIRB_OK;
}

static tirb_status look(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                        uint64_t remaining_ns, tirb_error *error) {
    (void)n_args, (void)remaining_ns, (void)error;
    counter *c = context;
    c->calls++;
    c->value = args[0].flags;
    result->value.i = 5;
    return TIRB_OK;
}

static void test_once(void **state) {
    (void)state;
    session s = open_source(once, NULL);
    counter c = {0};
    float data[64] = {0};
    int32_t ints[64] = {3}, index[1] = {2};
    tensor t, u, v;
    make_tensor(&t, data, F32, 1, 64);
    make_tensor(&u, ints, int32, 1, 64);
    make_tensor(&v, index, int32, 1, 1);
    const tirb_arg args[] = {tensor_arg(&t.dl), tensor_arg(&v.dl)}, numbers = tensor_arg(&u.dl);
    const tirb_import all[] = {{"count", NULL, count, &c, 0}, {"less", NULL, count, &c, 0},
                               {"move", NULL, move_index, NULL, 0}, {"put", NULL, put_number, NULL, 0}};
    EXPECT_OK(&s, tirb_instance_bind(s.instance, all, 4, &s.error));
    EXPECT_OK(&s, run(&s, "bounds", args, 1, NULL));
    assert_int_equal(c.calls, 1);
    assert_true(data[39] == 1 && data[40] == 0);
    c.calls = 0;
    EXPECT_OK(&s, run(&s, "while_", args, 1, NULL));
    assert_int_equal(c.calls, 4);
    assert_true(data[0] == 4);
    EXPECT_OK(&s, run(&s, "extent", &numbers, 1, NULL));
    assert_int_equal(ints[2], 7);
    EXPECT_OK(&s, run(&s, "written_order", args, 2, NULL)); /* the address is taken before the call that moves it */
    assert_true(data[2] == 77 && data[9] == 1);
    c.calls = 0;
    data[40] = 3;
    EXPECT_OK(&s, run(&s, "lanes", args, 1, NULL));
    assert_int_equal(c.calls, 1);
    assert_true(data[0] == 3 && data[15] == 18);
    close_session(&s);
}

/* A call that some lanes of a vector take and others do not, or that comes behind what a vector reads, is refused by
 * name. */
static void test_refused(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "        A[T.Ramp(T.call_extern('int32', 'f', 1), 1, 4)] = A[0:4]\n",
        "        A[0:4] = A[4:8] + T.Broadcast(T.call_extern('float32', 'f'), 4)\n",
        "        A[0:4] = T.Select(A[0:4] > A[4:8], A[0:4], T.Broadcast(T.call_extern('float32', 'f'), 4))\n",
        "        A[0:4] = T.if_then_else(A[0] > 1.0, A[4:8], T.Broadcast(A[M.act(A.data)], 4))\n"};
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        char text[1000];
        tirb_compile_result *result = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        snprintf(text, sizeof(text), "%s%s%s%s%s", HEADER, FUNCTION("act(X: T.Buffer((8,), 'float32')) -> T.int32"),
                 "        X[0] = X[0] + 1.0\n        return 1\n", FUNCTION("f(A: T.Buffer((8,), 'float32'))"), bodies[i]);
        assert_int_equal(tirb_compile(text, strlen(text), NULL, &result, &error), TIRB_UNSUPPORTED);
        if (!strstr(error.message, "a call with effects")) fail_msg("%zu: %s", i, error.message);
        tirb_compile_result_destroy(result);
    }
    /* One that only looks is computed as often as it is needed. */
    session s = open_source(HEADER FUNCTION("last(X: T.Buffer((8,), 'float32')) -> T.int32")
                            "        return T.Cast('int32', X[7])\n"
                            FUNCTION("f(A: T.Buffer((8,), 'float32'))")
                            "        A[M.last(A.data)] = A[T.call_pure_extern('int32', 'look', A.data)]\n", NULL);
    counter c = {0};
    float data[8] = {0, 1, 2, 3, 4, 5, 6, 2};
    tensor t;
    make_tensor(&t, data, F32, 1, 8);
    const tirb_arg arg = tensor_arg(&t.dl);
    EXPECT_OK(&s, bind_one(&s, "look", "(const float32[]) -> int32", look, &c));
    EXPECT_OK(&s, run(&s, "f", &arg, 1, NULL));
    assert_true(data[2] == 5);
    assert_true(c.calls > 0 && c.value == TIRB_ARG_READ_ONLY); /* although the function writes A itself */
    close_session(&s);
}

/* ---- Registers of Relax's machine -------------------------------------------------------------------------------- */

static const char registers[] =
    HEADER FUNCTION("vm(ctx_ptr: T.handle, r: T.handle, c: T.handle, f: T.handle)")
    "        T.anylist_setitem_call_packed(r, 2, 'add', T.anylist_getitem(r, 0), T.anylist_getitem(c, 1))\n"
    "        T.anylist_setitem_call_cpacked(r, 0, 'add', T.anylist_getitem(r, 2), 5)\n"
    "        T.anylist_resetitem(r, 1)\n";

static tirb_status add(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                       uint64_t remaining_ns, tirb_error *error) {
    (void)context, (void)remaining_ns, (void)error;
    assert_int_equal(n_args, 2);
    result->value.i = args[0].value.i + args[1].value.i;
    return TIRB_OK;
}

static void oracle_of_registers(const tirb_import *imports, const tirb_arg *args) {
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    tirb_error error = TIRB_ERROR_INIT;
    const tirb_reference_options options = {.max_steps = 1000, .imports = imports, .n_imports = 2};
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    assert_true(tirbi_source_init(&source, "test", registers, sizeof registers - 1, &arena));
    tirbi_diagnostics_init(&diagnostics, &source, &arena, 5);
    const tirb_irmodule *module = tirbi_parse(&source, &arena, &diagnostics);
    assert_non_null(module);
    if (tirb_reference_call(module, "vm", &options, args, 4, NULL, &error) != TIRB_OK) fail_msg("%s", error.message);
    tirbi_arena_destroy(&arena);
}

static void test_registers(void **state) {
    (void)state;
    static const DLDataType i64 = {kDLInt, 64, 1};
    session s = open_source(registers, NULL);
    int64_t r[4] = {1, 7, 9, 11}, c[2] = {20, 300};
    tensor r_tensor, c_tensor;
    make_tensor(&r_tensor, r, i64, 1, 4);
    make_tensor(&c_tensor, c, i64, 1, 2);
    const tirb_import both[] = {{"add", "(int64, int64) -> int64", add, NULL, 0}, {"add", "(int64, int32) -> int64", add, NULL, 0}};
    EXPECT_OK(&s, tirb_instance_bind(s.instance, both, 2, &s.error));
    tirb_arg args[] = {int_arg(0), tensor_arg(&r_tensor.dl), tensor_arg(&c_tensor.dl), int_arg(0)};
    EXPECT_OK(&s, run(&s, "vm", args, 4, NULL));
    const int64_t expected[4] = {306, 0, 301, 11};
    assert_memory_equal(r, expected, sizeof expected);
    static const int64_t before[4] = {1, 7, 9, 11};
    memcpy(r, before, sizeof before);
    oracle_of_registers(both, args);
    assert_memory_equal(r, expected, sizeof expected);
    make_tensor(&r_tensor, r, i64, 1, 2);
    expect_error(&s, run(&s, "vm", args, 4, NULL), TIRB_BOUNDS, "index 2 is out of bounds");
    close_session(&s);
}

/* ---- Arguments in the cells of a stack --------------------------------------------------------------------------- */

#define CELL(n, type, value) "            T.tvm_struct_set(k, " n ", 13, " type ")\n            T.tvm_struct_set(k, " n ", 14, 0)\n" \
                             "            T.tvm_struct_set(k, " n ", 15, " value ")\n"
#define STRUCT(first) \
    "            T.tvm_struct_set(s, 0, 1, A.data)\n" \
    "            T.tvm_struct_set(s, 0, 2, T.address_of(h[1]))\n" \
    "            T.tvm_struct_set(s, 0, 3, T.reinterpret('handle', T.uint64(0)))\n" \
    "            T.tvm_struct_set(s, 0, 4, 2)\n" \
    "            T.tvm_struct_set(s, 0, 5, T.uint8(2))\n" \
    "            T.tvm_struct_set(s, 0, 6, T.uint8(32))\n" \
    "            T.tvm_struct_set(s, 0, 7, T.uint16(1))\n" \
    "            T.tvm_struct_set(s, 0, 8, " first ")\n" \
    "            T.tvm_struct_set(s, 0, 9, 0)\n" \
    "            T.tvm_struct_set(s, 0, 10, 1)\n"
#define STACKS "        s: T.let[T.handle] = T.tvm_stack_alloca('array', 1)\n" \
               "        h = T.decl_buffer((T.int64(3),), 'int64', data=T.tvm_stack_alloca('shape', 3))\n"

static const char lowered[] =
    HEADER FUNCTION("newer(A: T.Buffer((8,), 'float32'), n: T.int32) -> T.int64")
    "        k: T.let[T.handle] = T.tvm_stack_alloca('tvm_ffi_any', 6)\n" STACKS
    "        for i in range(2):\n"
    "            h[1] = T.int64(2)\n"
    "            h[2] = T.int64(n)\n"
    STRUCT("T.uint64(4) * T.Cast('uint64', i)")
    CELL("1", "7", "T.tvm_struct_get(s, 0, 0, 'handle')")
    CELL("2", "1", "T.Cast('int64', n + i)")
    CELL("3", "3", "T.Cast('float64', A[7])")
    "            if T.isnullptr(A.data):\n"
    "                T.tvm_struct_set(k, 4, 13, 0)\n"
    "            else:\n"
    "                T.tvm_struct_set(k, 4, 13, 4)\n"
    "            T.tvm_struct_set(k, 4, 14, 0)\n"
    "            T.tvm_struct_set(k, 4, 15, A.data)\n"
    "            x: T.let[T.int32] = T.call_packed_lowered('take', k, 1, 5)\n"
    "            A[0] = A[0] + T.Cast('float32', x)\n"
    "        return T.tvm_struct_get(k, 5, 15, 'int64') * T.int64(10) + T.Cast('int64', T.tvm_struct_get(k, 5, 13, 'int32'))\n"
    FUNCTION("older(A: T.Buffer((8,), 'float32'), n: T.int32) -> T.int32")
    "        k: T.let[T.handle] = T.tvm_stack_alloca('arg_value', 6)\n"
    "        c: T.let[T.handle] = T.tvm_stack_alloca('arg_tcode', 6)\n" STACKS
    "        C = T.decl_buffer((6,), 'int32', data=c)\n"
    "        if n > 0:\n"
    "            h[1] = T.int64(4)\n"
    "            h[2] = T.int64(2)\n"
    STRUCT("T.uint64(0)")
    "            T.tvm_struct_set(k, 0, 12, T.tvm_struct_get(s, 0, 0, 'handle'))\n"
    "            C[0] = 7\n"
    "            T.tvm_struct_set(k, 1, 12, T.Cast('int64', n))\n"
    "            C[1] = 0\n"
    "            T.tvm_struct_set(k, 2, 12, T.float64(0.5))\n"
    "            C[2] = 2\n"
    "            T.tvm_struct_set(k, 3, 12, A.data)\n"
    "            C[3] = 3\n"
    "            return T.tvm_call_packed_lowered('take', k, c, 0, 4)\n"
    "        return -1\n"
    FUNCTION("null(ctx: T.handle, A: T.Buffer((8,), 'float32'))")
    "        k: T.let[T.handle] = T.tvm_stack_alloca('tvm_ffi_any', 3)\n"
    "        if A[0] > 0.0:\n"
    CELL("0", "4", "ctx")
    CELL("1", "4", "T.reinterpret('handle', T.int64(0))")
    "            T.evaluate(T.call_cpacked_lowered('see', k, 0, 2))\n"
    "            T.evaluate(T.call_packed('see', ctx, T.reinterpret('handle', T.int64(0))))\n";

typedef struct taken {
    int64_t extent, first, integer;
    double real;
    int64_t whole;
} taken;

static tirb_status take(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                        uint64_t remaining_ns, tirb_error *error) {
    (void)remaining_ns, (void)error;
    assert_int_equal(n_args, 4);
    const DLTensor *view = args[0].value.tensor;
    taken *t = context;
    float first;
    memcpy(&first, (const char *)view->data + view->byte_offset, sizeof first);
    *t = (taken){view->shape[0], (int64_t)first, args[1].value.i, args[2].value.f, args[3].value.tensor->shape[0]};
    result->value.i = 100 + args[1].value.i;
    return TIRB_OK;
}

static tirb_status note(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                        uint64_t remaining_ns, tirb_error *error) {
    (void)remaining_ns, (void)error;
    assert_int_equal(n_args, 2);
    *(int64_t *)context += args[0].value.i * 10 + args[1].value.i;
    result->value.i = 0;
    return TIRB_OK;
}

static void test_lowered(void **state) {
    (void)state;
    session s = open_source(lowered, NULL);
    float data[8] = {10, 11, 12, 13, 14, 15, 16, 2.5};
    tensor a;
    taken t = {0};
    int64_t seen = 0;
    tirb_result result;
    make_tensor(&a, data, F32, 1, 8);
    const tirb_import both[] = {{"take", NULL, take, &t, 0}, {"see", NULL, note, &seen, 0}};
    EXPECT_OK(&s, tirb_instance_bind(s.instance, both, 2, &s.error));
    const tirb_arg args[] = {tensor_arg(&a.dl), int_arg(3)}, with_context[] = {int_arg(7), tensor_arg(&a.dl)};
    EXPECT_OK(&s, run(&s, "newer", args, 2, &result));
    assert_true(t.extent == 6 && t.first == 11 && t.integer == 4 && t.real == 2.5 && t.whole == 8);
    assert_true(data[0] == 10 + 103 + 104);
    assert_int_equal(result.value.i, 1041);
    EXPECT_OK(&s, run(&s, "older", args, 2, &result));
    assert_true(t.extent == 8 && t.first == 217 && t.integer == 3 && t.real == 0.5 && t.whole == 8);
    assert_int_equal(result.value.i, 103);
    EXPECT_OK(&s, run(&s, "null", with_context, 2, NULL));
    assert_int_equal(seen, 140);
    const tirb_arg far[] = {tensor_arg(&a.dl), int_arg(4)};
    expect_error(&s, run(&s, "newer", far, 2, &result), TIRB_BOUNDS, "");
    close_session(&s);
}

/* What a cell points to is settled where it is written: what the program stores behind that does not move it. */
static const char settled[] =
    HEADER FUNCTION("newer(A: T.Buffer((8,), 'float32'), J: T.Buffer((2,), 'int32'))")
    "        k: T.let[T.handle] = T.tvm_stack_alloca('tvm_ffi_any', 6)\n"
    "        if J[0] >= 0:\n"
    CELL("0", "4", "T.address_of(A[J[0]])")
    CELL("1", "4", "T.tvm_access_ptr(T.type_annotation('float32'), A.data, J[0], J[1], 3)")
    CELL("2", "4", "T.handle_add_byte_offset(A.data, J[0] * 4)")
    CELL("3", "4", "T.reinterpret('handle', T.address_of(A[J[0] + J[1]]))")
    "            J[0] = 5\n"
    "            J[1] = 1\n"
    "            T.evaluate(T.call_packed_lowered('point', k, 0, 4))\n"
    FUNCTION("older(A: T.Buffer((8,), 'float32'), J: T.Buffer((2,), 'int32'))")
    "        k: T.let[T.handle] = T.tvm_stack_alloca('arg_value', 6)\n"
    "        c: T.let[T.handle] = T.tvm_stack_alloca('arg_tcode', 6)\n"
    "        C = T.decl_buffer((6,), 'int32', data=c)\n"
    "        for i in range(1):\n"
    "            T.tvm_struct_set(k, 0, 12, T.address_of(A[J[i]]))\n"
    "            C[0] = 3\n"
    "            J[i] = 5\n"
    "            T.evaluate(T.tvm_call_packed_lowered('point', k, c, 0, 1))\n"
    FUNCTION("array(A: T.Buffer((8,), 'float32'), J: T.Buffer((2,), 'int32'))")
    "        k: T.let[T.handle] = T.tvm_stack_alloca('tvm_ffi_any', 6)\n" STACKS
    "        if J[0] >= 0:\n"
    "            h[1] = T.int64(2)\n"
    "            h[2] = T.int64(3)\n"
    STRUCT("T.uint64(0)")
    "            T.tvm_struct_set(s, 0, 1, T.address_of(A[J[1]]))\n"
    "            T.tvm_struct_set(s, 0, 2, T.address_of(h[J[0]]))\n"
    "            T.tvm_struct_set(s, 0, 4, 1)\n"
    CELL("0", "7", "T.tvm_struct_get(s, 0, 0, 'handle')")
    "            J[0] = 1\n"
    "            J[1] = 5\n"
    "            T.evaluate(T.call_packed_lowered('point', k, 0, 1))\n"
    FUNCTION("null(ctx: T.handle, J: T.Buffer((2,), 'int32'))")
    "        k: T.let[T.handle] = T.tvm_stack_alloca('tvm_ffi_any', 3)\n"
    "        if not T.isnullptr(ctx):\n"
    "            T.tvm_struct_set(k, 0, 13, 4)\n"
    "        else:\n"
    "            T.tvm_struct_set(k, 0, 13, 0)\n"
    "        T.tvm_struct_set(k, 0, 15, ctx)\n"
    "        T.tvm_struct_set(k, 1, 13, 1)\n"
    "        T.tvm_struct_set(k, 1, 15, T.int64(2))\n"
    "        T.evaluate(T.call_packed_lowered('see', k, 0, 2))\n"
    "        J[0] = T.if_then_else(T.isnullptr(ctx), 1, 2)\n";

typedef struct pointed {
    float first[4];
    int64_t extent[4];
} pointed;

static tirb_status point(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                         uint64_t remaining_ns, tirb_error *error) {
    (void)remaining_ns, (void)error;
    pointed *p = context;
    for (uint32_t i = 0; i < n_args && i < 4; i++) {
        const DLTensor *view = args[i].value.tensor;
        memcpy(&p->first[i], (const char *)view->data + view->byte_offset, sizeof(float));
        p->extent[i] = view->shape[0];
    }
    result->value.i = 0;
    return TIRB_OK;
}

static void test_settled_cells(void **state) {
    (void)state;
    session s = open_source(settled, NULL);
    float data[8] = {10, 11, 12, 13, 14, 15, 16, 17};
    int32_t numbers[2] = {1, 3};
    tensor a, j;
    pointed p = {{0}, {0}};
    int64_t seen = 0;
    make_tensor(&a, data, F32, 1, 8);
    make_tensor(&j, numbers, (DLDataType){kDLInt, 32, 1}, 1, 2);
    const tirb_import both[] = {{"point", NULL, point, &p, 0}, {"see", NULL, note, &seen, 0}};
    EXPECT_OK(&s, tirb_instance_bind(s.instance, both, 2, &s.error));
    const tirb_arg args[] = {tensor_arg(&a.dl), tensor_arg(&j.dl)}, nothing[] = {int_arg(0), tensor_arg(&j.dl)},
                   something[] = {int_arg(7), tensor_arg(&j.dl)};
    EXPECT_OK(&s, run(&s, "newer", args, 2, NULL));
    assert_true(p.first[0] == 11 && p.first[1] == 11 && p.first[2] == 11 && p.first[3] == 14);
    assert_true(p.extent[0] == 7 && p.extent[1] == 3 && p.extent[2] == 7 && p.extent[3] == 4);
    numbers[0] = 2, numbers[1] = 3;
    EXPECT_OK(&s, run(&s, "older", args, 2, NULL));
    assert_true(p.first[0] == 12 && p.extent[0] == 6 && numbers[0] == 5);
    numbers[0] = 2, numbers[1] = 3;
    EXPECT_OK(&s, run(&s, "array", args, 2, NULL));
    assert_true(p.first[0] == 13 && p.extent[0] == 3);
    EXPECT_OK(&s, run(&s, "null", nothing, 2, NULL));
    assert_int_equal(seen, 2);
    assert_int_equal(numbers[0], 1);
    EXPECT_OK(&s, run(&s, "null", something, 2, NULL));
    assert_int_equal(seen, 74);
    assert_int_equal(numbers[0], 2);
    close_session(&s);
}

/* Where the elements that a call is given begin, and how many they are, is read from parameters like all else. */
static void test_access_of_arguments(void **state) {
    (void)state;
    session s = open_source(
        HEADER FUNCTION("f(A: T.Buffer((8,), 'float32'), J: T.Buffer((2,), 'int32'), N: T.Buffer((2,), 'int32'))")
        "        T.evaluate(T.call_packed('point', T.tvm_access_ptr(T.type_annotation('float32'), A.data, J[0], N[1], 3)))\n"
        "        J[0] = 1\n", NULL);
    static const struct {
        bool is_read, is_written;
    } expected[] = {{true, true}, {true, true}, {true, false}};
    for (uint32_t i = 0; i < 3; i++) {
        tirb_param_info param = TIRB_PARAM_INFO_INIT;
        EXPECT_OK(&s, tirb_module_param(s.module, 0, i, &param, &s.error));
        assert_true(param.is_read == expected[i].is_read && param.is_written == expected[i].is_written);
    }
    close_session(&s);
}

/* A call whose cells are not known where it stands is refused with what is not. */
static void test_unknown_cells(void **state) {
    (void)state;
    static const struct {
        const char *body, *message;
    } cases[] = {
        {"        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n", "cell 0 holds an argument whose type is no constant here"},
        {"        T.tvm_struct_set(k, 0, 13, n)\n        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n", "type is no constant here"},
        {"        if n > 0:\n            T.tvm_struct_set(k, 0, 13, 1)\n        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n",
         "type is no constant here"},
        {"        if n > 0:\n            T.tvm_struct_set(k, 0, 13, 1)\n        else:\n            T.tvm_struct_set(k, 0, 13, 3)\n"
         "        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n", "type is no constant here"},
        {"        T.tvm_struct_set(k, 0, 13, 1)\n        for i in range(n):\n            T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n"
         "            T.tvm_struct_set(k, 0, 13, 3)\n", "type is no constant here"},
        {"        for i in range(n):\n            T.tvm_struct_set(k, 0, 13, 1)\n        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n",
         "type is no constant here"},
        {"        T.tvm_struct_set(k, 0, 13, 1)\n        T.tvm_struct_set(k, n, 13, 3)\n"
         "        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n", "type is no constant here"},
        {"        T.tvm_struct_set(k, 0, 13, 7)\n        T.tvm_struct_set(k, 0, 15, A.data)\n"
         "        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n", "cell 0 holds an array that is no struct of this function"},
        {"        if n > 0:\n            T.tvm_struct_set(k, 0, 13, 0)\n        else:\n            T.tvm_struct_set(k, 0, 13, 4)\n"
         "        T.tvm_struct_set(k, 0, 15, A.data)\n        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n",
         "type is no constant here"},
        {"        if T.isnullptr(p):\n            T.tvm_struct_set(k, 0, 13, 0)\n        else:\n            T.tvm_struct_set(k, 0, 13, 4)\n"
         "        T.tvm_struct_set(k, 0, 15, A.data)\n        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n",
         "type is no constant here"},
        {"        if T.isnullptr(A.data):\n            T.tvm_struct_set(k, 0, 13, 0)\n        else:\n            T.tvm_struct_set(k, 0, 13, 4)\n"
         "            T.tvm_struct_set(k, 0, 15, T.address_of(A[T.Cast('int32', A[0])]))\n"
         "        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n", "type is no constant here"},
        {"        with T.sblock('b'):\n            T.where(n > 3)\n            T.tvm_struct_set(k, 0, 13, 4)\n"
         "            T.tvm_struct_set(k, 0, 15, T.address_of(A[T.Cast('int32', A[0])]))\n"
         "        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n", "type is no constant here"},
        {"        for t in T.thread_binding(8, thread='threadIdx.x'):\n            T.tvm_struct_set(k, 0, 13, 4)\n"
         "            T.tvm_struct_set(k, 0, 15, T.address_of(A[T.Cast('int32', A[t])]))\n"
         "            T.evaluate(T.tvm_storage_sync('shared'))\n"
         "            T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n", "type is no constant here"},
        {"        if T.bool(True):\n            T.tvm_struct_set(k, 0, 13, 4)\n"
         "            T.tvm_struct_set(k, 0, 15, T.address_of(A[T.Cast('int32', A[0])]))\n"
         "        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n", "type is no constant here"},
        {"        if T.isnullptr(p):\n            T.tvm_struct_set(k, 0, 13, 4)\n        else:\n            T.tvm_struct_set(k, 0, 13, 0)\n"
         "        T.tvm_struct_set(k, 0, 15, p)\n        T.evaluate(T.call_packed_lowered('f', k, 0, 1))\n",
         "type is no constant here"},
        {"        T.evaluate(T.call_packed_lowered('f', k, 0, n))\n", "the constant numbers of the first cell"},
        {"        T.evaluate(T.call_packed_lowered('f', k, 2, 1))\n", "has the cells 2 to 1 as arguments"},
        {"        T.evaluate(T.call_packed_lowered('f', k, 0, 1000))\n", "has the cells 0 to 1000 as arguments"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1000];
        tirb_compile_result *result = NULL;
        tirb_error error = TIRB_ERROR_INIT;
        snprintf(text, sizeof(text), "%s%s%s%s", HEADER, FUNCTION("f(p: T.handle, A: T.Buffer((8,), 'float32'), n: T.int32)"),
                 "        k: T.let[T.handle] = T.tvm_stack_alloca('tvm_ffi_any', 6)\n", cases[i].body);
        if (tirb_compile(text, strlen(text), NULL, &result, &error) == TIRB_OK) fail_msg("%zu: compiled", i);
        if (!strstr(error.message, cases[i].message)) fail_msg("%zu: %s", i, error.message);
        tirb_compile_result_destroy(result);
    }
}

/* What TVM makes of calls with registers. */
static const char lowered_registers[] =
    HEADER FUNCTION("vm(ctx_ptr: T.handle, r: T.handle, c: T.handle, f: T.handle)")
    "        k: T.let[T.handle] = T.tvm_stack_alloca('tvm_ffi_any', 3)\n"
    "        T.tirx.TVMBackendAnyListSetPackedArg(r, 0, k, 0)\n"
    "        T.tirx.TVMBackendAnyListSetPackedArg(c, 1, k, 1)\n"
    "        T.call_packed_lowered('add', k, 0, 2)\n"
    "        T.tirx.TVMBackendAnyListMoveFromPackedReturn(r, 2, k, 2)\n"
    "        T.tirx.TVMBackendAnyListResetItem(r, 1)\n"
    "        T.call_packed('add', T.anylist_getitem(r, 2), T.int64(1))\n";

static void test_lowered_registers(void **state) {
    (void)state;
    static const DLDataType i64 = {kDLInt, 64, 1};
    session s = open_source(lowered_registers, NULL);
    int64_t r[4] = {INT64_C(1) << 40, 7, 9, 11}, c[2] = {20, 300};
    tensor r_tensor, c_tensor;
    make_tensor(&r_tensor, r, i64, 1, 4);
    make_tensor(&c_tensor, c, i64, 1, 2);
    const tirb_import import = {"add", NULL, add, NULL, 0};
    EXPECT_OK(&s, tirb_instance_bind(s.instance, &import, 1, &s.error));
    tirb_arg args[] = {int_arg(0), tensor_arg(&r_tensor.dl), tensor_arg(&c_tensor.dl), int_arg(0)};
    tirb_status status = run(&s, "vm", args, 4, NULL);
    assert_true(status == TIRB_OK || status == TIRB_VALUE); /* the last call's result is no int32 */
    assert_true(r[0] == INT64_C(1) << 40 && r[1] == 0 && r[2] == (INT64_C(1) << 40) + 300 && r[3] == 11);
    close_session(&s);
}

/* ---- Relax ------------------------------------------------------------------------------------------------------ */

/* Tensors that are only read, views of a part and shared memory of two types among them; shapes; tensors and numbers
 * that the host gives. */
static const char relax[] =
    "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n"
    "@I.ir_module\nclass M:\n"
    "    @R.function(pure=False)\n"
    "    def main(x: R.Tensor(('n', 2), 'float32')):\n"
    "        n = T.int64()\n"
    "        a = R.call_pure_packed('host.add', x, R.const([10, 20], 'float32'), ty_args=R.Tensor((n, 2), 'float32'))\n"
    "        half = R.strided_slice(a, [0], [1], [2])\n"
    "        b = R.call_dps_packed('host.both', (half, R.shape([n, 2])), out_ty=[R.Tensor((1, 2), 'float32'), "
    "R.Tensor((2,), 'int32')])\n"
    "        c = b[1]\n"
    "        k = R.call_packed('host.count', b[0], R.prim_value(n), ty_args=R.Prim('int64'))\n"
    "        _ = R.call_packed('host.done', c, ty_args=R.Tuple())\n"
    "        return (a, b[0], c, k)\n";

static float *floats_of(const tirb_import_arg *arg, int64_t n) {
    assert_int_equal(arg->kind, TIRB_ARG_TENSOR);
    assert_int_equal(arg->value.tensor->shape[0], n);
    return arg->value.tensor->data;
}

static tirb_status host_add(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                            uint64_t remaining_ns, tirb_error *error) {
    (void)context, (void)result, (void)remaining_ns, (void)error;
    assert_int_equal(n_args, 3);
    const float *x = floats_of(&args[0], 4), *y = floats_of(&args[1], 2);
    float *z = floats_of(&args[2], 4);
    for (int i = 0; i < 4; i++) z[i] = x[i] + y[i % 2];
    return TIRB_OK;
}

static tirb_status host_both(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                             uint64_t remaining_ns, tirb_error *error) {
    (void)context, (void)result, (void)remaining_ns, (void)error;
    assert_int_equal(n_args, 5);
    const float *x = floats_of(&args[0], 2);
    float *y = floats_of(&args[3], 2);
    int32_t *z = args[4].value.tensor->data;
    for (int i = 0; i < 2; i++) {
        y[i] = -x[i];
        z[i] = (int32_t)args[1 + i].value.i;
    }
    return TIRB_OK;
}

static tirb_status host_count(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                              uint64_t remaining_ns, tirb_error *error) {
    (void)context, (void)remaining_ns, (void)error;
    assert_int_equal(n_args, 2);
    result->value.i = (int64_t)floats_of(&args[0], 2)[1] + args[1].value.i;
    return TIRB_OK;
}

static tirb_status host_done(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                             uint64_t remaining_ns, tirb_error *error) {
    (void)result, (void)remaining_ns, (void)error;
    assert_int_equal(n_args, 1);
    *(int32_t *)context = *(const int32_t *)args[0].value.tensor->data;
    return TIRB_OK;
}

static void test_relax(void **state) {
    (void)state;
    session s = open_source(relax, NULL);
    int32_t done = 0, c[2];
    const tirb_import imports[] = {
        {"host.add", "(const float32[], const float32[], float32[])", host_add, NULL, 0},
        {"host.both", "(const float32[], int64, int64, float32[], int32[])", host_both, NULL, 0},
        {"host.count", "(const float32[], int64) -> int64", host_count, NULL, 0},
        {"host.done", "(const int32[])", host_done, &done, 0}};
    EXPECT_OK(&s, tirb_instance_bind(s.instance, imports, 4, &s.error));
    static const DLDataType i64 = {kDLInt, 64, 1}, i32 = {kDLInt, 32, 1};
    float x[] = {1, 2, 3, 4}, a[4], b[2];
    int64_t k;
    tensor tensors[5];
    const tirb_arg args[] = {{.kind = TIRB_ARG_TENSOR, .flags = TIRB_ARG_READ_ONLY,
                              .value.tensor = make_tensor(&tensors[0], x, F32, 2, 2, 2)},
                             tensor_arg(make_tensor(&tensors[1], a, F32, 2, 2, 2)),
                             tensor_arg(make_tensor(&tensors[2], b, F32, 2, 1, 2)),
                             tensor_arg(make_tensor(&tensors[3], c, i32, 1, 2)),
                             tensor_arg(make_tensor(&tensors[4], &k, i64, 0))};
    EXPECT_OK(&s, run(&s, "main", args, 5, NULL));
    assert_true(a[0] == 11 && a[1] == 22 && a[2] == 13 && a[3] == 24);
    assert_true(b[0] == -13 && b[1] == -24);
    assert_true(c[0] == 2 && c[1] == 2 && done == 2);
    assert_int_equal(k, -22);
    close_session(&s);
}

/* Results in the place of arguments: of a temporary, and of a constant, which stays what it is. */
static const char in_place[] =
    "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n"
    "@I.ir_module\nclass M:\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((2,), 'float32')):\n"
    "        y = R.add(x, x)\n"
    "        c = R.const([10, 20], 'float32')\n"
    "        z = R.call_inplace_packed('host.swap', y, c, inplace_indices=[1, 0, -1],\n"
    "            ty_args=[R.Tensor((2,), 'float32'), R.Tensor((2,), 'float32'), R.Tensor((1,), 'float32')])\n"
    "        w = R.call_inplace_packed('host.twice', z[0], inplace_indices=0, ty_args=R.Tensor((2,), 'float32'))\n"
    "        return (w, z[1], R.add(c, z[2]))\n";

static tirb_status host_swap(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                             uint64_t remaining_ns, tirb_error *error) {
    (void)context, (void)result, (void)remaining_ns, (void)error;
    assert_int_equal(n_args, 5);
    const float *x = floats_of(&args[0], 2), *y = floats_of(&args[1], 2);
    float *first = floats_of(&args[2], 2), *second = floats_of(&args[3], 2);
    assert_true(first == y && second == x);
    for (int i = 0; i < 2; i++) {
        const float other = first[i];
        first[i] = second[i];
        second[i] = other;
    }
    *floats_of(&args[4], 1) = 0.5f;
    return TIRB_OK;
}

static tirb_status host_twice(void *context, const tirb_import_arg *args, uint32_t n_args, tirb_result *result,
                              uint64_t remaining_ns, tirb_error *error) {
    (void)context, (void)result, (void)remaining_ns, (void)error;
    assert_int_equal(n_args, 2);
    float *y = floats_of(&args[1], 2);
    for (int i = 0; i < 2; i++) y[i] *= 2;
    return TIRB_OK;
}

static void test_relax_in_place(void **state) {
    (void)state;
    session s = open_source(in_place, NULL);
    const tirb_import imports[] = {
        {"host.swap", "(const float32[], const float32[], float32[], float32[], float32[])", host_swap, NULL, 0},
        {"host.twice", "(const float32[], float32[])", host_twice, NULL, 0}};
    EXPECT_OK(&s, tirb_instance_bind(s.instance, imports, 2, &s.error));
    float x[] = {1, 2}, results[3][2];
    tensor tensors[4];
    tirb_arg args[4] = {{.kind = TIRB_ARG_TENSOR, .flags = TIRB_ARG_READ_ONLY,
                         .value.tensor = make_tensor(&tensors[0], x, F32, 1, 2)}};
    for (int i = 0; i < 3; i++) args[1 + i] = tensor_arg(make_tensor(&tensors[1 + i], results[i], F32, 1, 2));
    EXPECT_OK(&s, run(&s, "main", args, 4, NULL));
    assert_true(results[0][0] == 4 && results[0][1] == 8);
    assert_true(results[1][0] == 10 && results[1][1] == 20);
    assert_true(results[2][0] == 10.5f && results[2][1] == 20.5f);
    close_session(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relax_in_place),
        cmocka_unit_test(test_relax),
        cmocka_unit_test(test_registers),         cmocka_unit_test(test_lowered),
        cmocka_unit_test(test_lowered_registers), cmocka_unit_test(test_unknown_cells),
        cmocka_unit_test(test_settled_cells),     cmocka_unit_test(test_access_of_arguments),
        cmocka_unit_test(test_scalars),   cmocka_unit_test(test_views),  cmocka_unit_test(test_binding),
        cmocka_unit_test(test_overloads), cmocka_unit_test(test_errors), cmocka_unit_test(test_order),
        cmocka_unit_test(test_once),      cmocka_unit_test(test_refused),  cmocka_unit_test(test_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
