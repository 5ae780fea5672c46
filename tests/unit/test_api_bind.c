/* Arguments of calls: every check of a tensor and a scalar, strides, overlap, and shape inference. */
#include "tests/unit/api_fixture.h"

#include <tirb/dlpack.h>

#include "vm/call/number.h"
#include "vm/call/strided.h"

#include <math.h>

/* Loops of scalar code, so that these tests stand on little of the machine. */
static const char program[] =
    ".source \"k.py\"\n"
    ".function \"add\" public\n"
    ".scalars 4\n.ref f32\n.ref f32\n.ref f32 writable\n"
    ".var \"n\" i32 s0\n"
    ".tensor \"A\" f32 r0 read ($0)\n.tensor \"B\" f32 r1 read ($0)\n.tensor \"C\" f32 r2 write ($0)\n"
    "  const.i64 s1, 0\n  brnot s0, done\n"
    "again:\n  load.f32 s2, r0, s1\n  load.f32 s3, r1, s1\n  add.f32 s2, s2, s3\n  store.f32 r2, s1, s2\n"
    "  loop s1, s0, again\n"
    "done:\n  ret.void\n.end\n"
    /* B[i, j] = A[i, j] * 2 */
    ".function \"twice\" public\n"
    ".scalars 5\n.ref f32\n.ref f32 writable\n"
    ".var \"n\" i64 s0\n.var \"m\" i64 s1\n"
    ".tensor \"A\" f32 r0 read ($0 $1)\n.tensor \"B\" f32 r1 write ($0 $1)\n"
    "  mul.i64 s2, s0, s1\n  brnot s2, done\n"
    "again:\n  load.f32 s4, r0, s3\n  add.f32 s4, s4, s4\n  store.f32 r1, s3, s4\n  loop s3, s2, again\n"
    "done:\n  ret.void\n.end\n"
    ".function \"fixed\" public\n"
    ".ref f32\n.tensor \"A\" f32 r0 read (4 8)\n  ret.void\n.end\n"
    ".function \"sized\" public returns i32\n"
    ".scalars 1\n.ref f32\n.ref f32 writable\n"
    ".var \"n\" i32 s0 param 0\n"
    ".scalar \"n\" i32 s0\n.tensor \"A\" f32 r0 read ($0 {$0 1 add})\n.tensor \"C\" f32 r1 write ({$0 2 mul 3 sub})\n"
    "  ret.i32 s0\n.end\n"
    /* sum of A[i * s]; also gives back its offset */
    ".function \"strided\" public returns f32\n"
    ".scalars 6\n.ref f32\n"
    ".var \"n\" i64 s0\n.var \"s\" i64 s1\n.var \"o\" i64 s2\n"
    ".tensor \"A\" f32 r0 read ($0) strides ($1) offset $2\n"
    "  const.f32 s3, 0\n  brnot s0, done\n"
    "again:\n  mul.i64 s5, s4, s1\n  load.f32 s5, r0, s5\n  add.f32 s3, s3, s5\n  loop s4, s0, again\n"
    "done:\n  ret.f32 s3\n.end\n"
    ".function \"rows\" public\n"
    ".scalars 2\n.ref f32 writable\n.var \"n\" i64 s0\n.var \"m\" i64 s1\n"
    ".tensor \"A\" f32 r0 read write ($0 $1) strides (100 1)\n  ret.void\n.end\n"
    ".function \"flags\" public returns bool\n"
    ".scalars 2\n.ref bool\n.tensor \"M\" bool r0 read (2)\n  const.i64 s1, 1\n  load.bool s0, r0, s1\n"
    "  ret.bool s0\n.end\n"
    ".function \"point\" public returns f32\n"
    ".scalars 2\n.ref f32\n.tensor \"A\" f32 r0 read ()\n  load.f32 s0, r0, s1\n  ret.f32 s0\n.end\n"
    ".function \"helper\"\n  ret.void\n.end\n"
    ".function \"bytes\" public\n"
    ".scalars 1\n.ref u8\n.var \"n\" i32 s0\n.tensor \"A\" u8 r0 read ($0)\n  ret.void\n.end\n"
    ".function \"matched\" public\n"
    ".scalars 1\n.ref f32\n.ref f32\n.var \"n\" i32 s0\n"
    ".tensor \"A\" f32 r0 read ({$0 2 floordiv})\n.tensor \"B\" f32 r1 read ($0)\n  ret.void\n.end\n"
    ".function \"product\" public\n"
    ".scalars 2\n.ref f32\n.ref f32 writable\n.var \"n\" i64 s0 param 0\n.var \"m\" i64 s1 param 1\n"
    ".scalar \"n\" i64 s0\n.scalar \"m\" i64 s1\n.tensor \"C\" f32 r1 write ({$0 $1 mul})\n  ret.void\n.end\n"
    /* what is written comes first and in the middle */
    ".function \"into\" public returns i32\n"
    ".scalars 1\n.ref f32 writable\n.ref f32\n.ref f32 writable\n.ref f32\n.var \"n\" i32 s0 param 4\n"
    ".tensor \"C\" f32 r0 write ($0)\n.tensor \"A\" f32 r1 read ($0)\n.tensor \"D\" f32 r2 write ($0 2)\n"
    ".tensor \"B\" f32 r3 read ($0)\n.scalar \"n\" i32 s0\n  ret.i32 s0\n.end\n";

static session s;

static int setup(void **state) {
    (void)state;
    s = open_session(program, NULL);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    close_session(&s);
    return 0;
}

/* ---- Descriptions ---------------------------------------------------------------------------------------------- */

static void test_describe(void **state) {
    (void)state;
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    assert_int_equal(tirb_module_function(s.module, find(s.module, "sized"), &info, NULL), TIRB_OK);
    assert_string_equal(info.signature,
                        "sized(n: int32, A: Tensor([n, n + 1], float32), C: Tensor([n * 2 - 3], float32)) -> int32");
    assert_int_equal(info.n_params, 3);
    assert_true(info.is_public && info.returns);
    assert_int_equal(info.return_dtype.bits, 32);

    tirb_param_info param = TIRB_PARAM_INFO_INIT;
    assert_int_equal(tirb_module_param(s.module, find(s.module, "sized"), 0, &param, NULL), TIRB_OK);
    assert_int_equal(param.kind, TIRB_PARAM_SCALAR);
    assert_true(param.is_inferable);
    assert_int_equal(tirb_module_param(s.module, find(s.module, "product"), 0, &param, NULL), TIRB_OK);
    assert_false(param.is_inferable);
    assert_int_equal(tirb_module_param(s.module, find(s.module, "fixed"), 0, &param, NULL), TIRB_OK);
    assert_int_equal(param.kind, TIRB_PARAM_TENSOR);
    assert_string_equal(param.name, "A");
    assert_int_equal(param.ndim, 2);
    assert_int_equal(param.dims[0], 4);
    assert_int_equal(param.dims[1], 8);
    assert_true(param.is_read && !param.is_written);

    assert_int_equal(tirb_module_find(s.module, "none", &(uint32_t){0}, &s.error), TIRB_NOT_FOUND);
    assert_string_equal(s.error.message, "the module has no function 'none'");
    assert_int_equal(tirb_module_function(s.module, 1000, &info, NULL), TIRB_NOT_FOUND);
    assert_int_equal(tirb_module_param(s.module, 0, 3, &param, NULL), TIRB_NOT_FOUND);
    info.struct_size = 0;
    assert_int_equal(tirb_module_function(s.module, 0, &info, NULL), TIRB_MISUSE);
}

/* The cause stands at the end of a message and survives names of any length. */
static void test_long_texts(void **state) {
    (void)state;
    enum { N = 30 };
    static char text[16384], name[200];
    memset(name, 'q', sizeof(name) - 1);
    size_t used =
        (size_t)snprintf(text, sizeof(text), ".function \"f%s\" public\n.var \"n\" i32 s0\n.scalars 1\n", name);
    for (int i = 0; i < N; i++) used += (size_t)snprintf(text + used, sizeof(text) - used, ".ref f32\n");
    for (int i = 0; i < N; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, ".tensor \"%s%d\" f32 r%d read ($0)\n", name, i, i);
    }
    snprintf(text + used, sizeof(text) - used, "  ret.void\n.end\n");
    session wide = open_session(text, NULL);
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    assert_int_equal(tirb_module_function(wide.module, 0, &info, NULL), TIRB_OK);
    assert_true(strlen(info.signature) > 900 && strlen(info.signature) < 1024);
    assert_string_equal(info.signature + strlen(info.signature) - 3, "...");
    float x[4];
    tensor a, b;
    tirb_arg args[N];
    for (int i = 0; i < N; i++) args[i] = tensor_arg(make_tensor(&a, x, F32, 1, 4));
    args[7] = tensor_arg(make_tensor(&b, x, F32, 1, 3));
    expect_error(&wide, tirb_instance_call(wide.instance, 0, args, N, NULL, &wide.error), TIRB_SHAPE,
                 "...: shape[0] is 3, expected 4 to match qqqqqqqqqq");
    assert_non_null(strstr(wide.error.message, ".shape[0]"));
    close_session(&wide);
}

static void test_extents_as_text(void **state) {
    (void)state;
    session texts = open_session(
        ".function \"f\" public\n.scalars 2\n.ref f32\n.var \"n\" i32 s0 param 0\n.var \"m\" i32 s1 param 1\n"
        ".scalar \"n\" i32 s0\n.scalar \"m\" i32 s1\n"
        ".tensor \"A\" f32 r0 read ({$0 1 add 2 mul} {$0 $1 1 sub sub} {$0 $1 min 3 floordiv} {$0 2 $1 mul add}"
        " {$0 $1 2 floormod mul} {$0 $1 truncdiv 1 add} {$0 $1 sub 1 sub} {2 $0 $1 mul floordiv} {$0 $1 max 2 "
        "floormod})\n"
        "  ret.void\n.end\n",
        NULL);
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    assert_int_equal(tirb_module_function(texts.module, 0, &info, NULL), TIRB_OK);
    assert_string_equal(info.signature,
                        "f(n: int32, m: int32, A: Tensor([(n + 1) * 2, n - (m - 1), min(n, m) // 3, n + 2 * m, "
                        "n * (m % 2), truncdiv(n, m) + 1, n - m - 1, 2 // (n * m), max(n, m) % 2], float32))");
    close_session(&texts);
}

/* ---- Tensors --------------------------------------------------------------------------------------------------- */

static void test_counts_and_kinds(void **state) {
    (void)state;
    tensor a;
    float data[32] = {0};
    tirb_arg args[3] = {tensor_arg(make_tensor(&a, data, F32, 2, 4, 8))};
    expect_error(&s, run(&s, "fixed", args, 2, NULL), TIRB_ARGUMENT,
                 "expected 1 argument, found 2, for fixed(A: Tensor([4, 8], float32))");
    expect_error(&s, run(&s, "fixed", NULL, 1, NULL), TIRB_MISUSE, "args is NULL");
    expect_error(&s, tirb_instance_call(s.instance, 99, args, 1, NULL, &s.error), TIRB_NOT_FOUND, "no function 99");
    expect_error(&s, run(&s, "helper", NULL, 0, NULL), TIRB_NOT_FOUND, "helper() is private");
    EXPECT_OK(&s, run(&s, "fixed", args, 1, NULL));
    args[0] = int_arg(3);
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_ARGUMENT,
                 "argument #0 'A' of fixed(A: Tensor([4, 8], float32)): is an integer, expected a tensor");
    args[0] = no_arg();
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_ARGUMENT, "is missing, expected a tensor");
    args[0] = tensor_arg(NULL);
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_ARGUMENT, "is NULL, expected a tensor");
    args[0].kind = 77;
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_ARGUMENT, "of no known kind");
}

static void test_tensor_fields(void **state) {
    (void)state;
    tensor a;
    float data[32] = {0};
    DLTensor *t = make_tensor(&a, data, F32, 2, 4, 8);
    tirb_arg args[1] = {tensor_arg(t)};
    t->device.device_type = kDLCUDA;
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_ARGUMENT, "device type is 2, expected host memory");
    t->device.device_type = kDLCUDAHost;
    EXPECT_OK(&s, run(&s, "fixed", args, 1, NULL));
    t->ndim = 3;
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_SHAPE, "ndim is 3, expected 2");
    t->ndim = -1;
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_SHAPE, "ndim is -1, expected 2");
    t->ndim = 2;
    t->dtype = (DLDataType){kDLFloat, 64, 1};
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_ARGUMENT, "dtype is float64, expected float32");
    t->dtype = (DLDataType){kDLFloat, 32, 4};
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_ARGUMENT, "dtype is float32x4, expected float32");
    t->dtype = (DLDataType){17, 4, 1};
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_ARGUMENT, "dtype is type(17, 4 bits), expected float32");
    t->dtype = F32;
    a.shape[1] = 7;
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_SHAPE,
                 "argument #0 'A' of fixed(A: Tensor([4, 8], float32)): shape[1] is 7, expected 8");
    a.shape[1] = -8;
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_SHAPE, "shape[1] is -8, expected 0 or more");
    a.shape[1] = 8;
    t->shape = NULL;
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_ARGUMENT, "shape is NULL");
    t->shape = a.shape;
    t->data = NULL;
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_ARGUMENT, "data is NULL, expected memory for 32 elements");
    t->data = data;
    t->byte_offset = UINT64_MAX;
    expect_error(&s, run(&s, "fixed", args, 1, NULL), TIRB_ARGUMENT, "leads outside the address space");
}

static void test_empty(void **state) {
    (void)state;
    tensor a, b, c;
    tirb_arg args[3] = {tensor_arg(make_tensor(&a, NULL, F32, 1, 0)), tensor_arg(make_tensor(&b, NULL, F32, 1, 0)),
                        tensor_arg(make_tensor(&c, NULL, F32, 1, 0))};
    EXPECT_OK(&s, run(&s, "add", args, 3, NULL));
    /* the extents of an empty tensor may multiply past any limit */
    args[0] = tensor_arg(make_tensor(&a, NULL, F32, 2, 0, 0));
    args[1] = tensor_arg(make_tensor(&b, NULL, F32, 2, 0, 0));
    a.shape[1] = b.shape[1] = INT64_MAX;
    EXPECT_OK(&s, run(&s, "twice", args, 2, NULL));
}

static void test_huge(void **state) {
    (void)state;
    tensor a, b;
    float data[1];
    tirb_arg args[2] = {tensor_arg(make_tensor(&a, data, F32, 2, 0, 0)),
                        tensor_arg(make_tensor(&b, data, F32, 2, 0, 0))};
    a.shape[0] = a.shape[1] = INT64_C(1) << 32;
    expect_error(&s, run(&s, "twice", args, 2, NULL), TIRB_SHAPE, "more bytes than can be addressed");
    a.shape[1] = INT64_C(1) << 31; /* 2^63 elements, which an int64 cannot count */
    set_strides(&a, INT64_C(1) << 31, 1);
    expect_error(&s, run(&s, "twice", args, 2, NULL), TIRB_SHAPE, "more bytes than can be addressed");
    a.shape[0] = a.shape[1] = 2;
    set_strides(&a, 1, 1);
    a.strides[0] = INT64_MAX;
    expect_error(&s, run(&s, "twice", args, 2, NULL), TIRB_SHAPE, "more bytes than can be addressed");
    a.strides[0] = INT64_MIN;
    expect_error(&s, run(&s, "twice", args, 2, NULL), TIRB_SHAPE, "more bytes than can be addressed");
    args[0] = tensor_arg(make_tensor(&a, data, (DLDataType){kDLUInt, 8, 1}, 1, 0));
    a.shape[0] = INT64_C(3000000000);
    expect_error(&s, run(&s, "bytes", args, 1, NULL), TIRB_SHAPE,
                 "shape[0] is 3000000000, which does not fit n: int32");
}

static void test_shape_variables(void **state) {
    (void)state;
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {10, 20, 30, 40, 50, 60, 70, 80}, z[8] = {0};
    tensor a, b, c;
    tirb_arg args[3] = {tensor_arg(make_tensor(&a, x, F32, 1, 8)), tensor_arg(make_tensor(&b, y, F32, 1, 8)),
                        tensor_arg(make_tensor(&c, z, F32, 1, 8))};
    EXPECT_OK(&s, run(&s, "add", args, 3, NULL));
    for (int i = 0; i < 8; i++) assert_true(z[i] == x[i] + y[i]);
    b.shape[0] = 7;
    expect_error(&s, run(&s, "add", args, 3, NULL), TIRB_SHAPE,
                 "argument #1 'B' of add(A: Tensor([n], float32), B: Tensor([n], float32), C: Tensor([n], float32)): "
                 "shape[0] is 7, expected 8 to match A.shape[0]");
    /* an expression may stand before the variable that it needs */
    args[0] = tensor_arg(make_tensor(&a, x, F32, 1, 3));
    EXPECT_OK(&s, run(&s, "matched", args, 2, NULL));
    a.shape[0] = 4;
    expect_error(&s, run(&s, "matched", args, 2, NULL), TIRB_SHAPE,
                 "'A' of matched(A: Tensor([n // 2], float32), "
                 "B: Tensor([n], float32)): shape[0] is 4, expected 3 (n // 2)");
}

static void test_alignment_and_offset(void **state) {
    (void)state;
    float x[4] = {1, 2, 3, 4};
    unsigned char raw[64], out[64] = {0};
    memcpy(raw + 5, x, sizeof(x));
    tensor a, b;
    tirb_arg args[2] = {tensor_arg(make_tensor(&a, raw + 2, F32, 2, 2, 2)),
                        tensor_arg(make_tensor(&b, out + 3, F32, 2, 2, 2))};
    a.dl.byte_offset = 3;
    EXPECT_OK(&s, run(&s, "twice", args, 2, NULL));
    float back[4];
    memcpy(back, out + 3, sizeof(back));
    for (int i = 0; i < 4; i++) assert_true(back[i] == 2 * x[i]);
}

static void test_bools(void **state) {
    (void)state;
    uint8_t data[2] = {0, 1};
    tensor m;
    static const DLDataType accepted[] = {{6, 8, 1}, {6, 1, 1}, {kDLUInt, 8, 1}, {kDLUInt, 1, 1}};
    tirb_result result;
    for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
        tirb_arg arg = tensor_arg(make_tensor(&m, data, accepted[i], 1, 2));
        EXPECT_OK(&s, run(&s, "flags", &arg, 1, &result));
        assert_int_equal(result.value.i, 1);
        assert_int_equal(result.dtype.code, 6);
    }
    tirb_arg arg = tensor_arg(make_tensor(&m, data, (DLDataType){kDLInt, 8, 1}, 1, 2));
    expect_error(&s, run(&s, "flags", &arg, 1, NULL), TIRB_ARGUMENT, "dtype is int8, expected bool");
    arg = tensor_arg(make_tensor(&m, data, (DLDataType){6, 8, 1}, 1, 2));
    expect_error(&s, run(&s, "bytes", &arg, 1, NULL), TIRB_ARGUMENT, "dtype is bool, expected uint8");
}

static void test_floats_of_a_byte(void **state) {
    (void)state;
    uint8_t data[2] = {0, 1};
    tensor a;
    for (uint8_t code = TIRB_DL_F8E3M4; code <= TIRB_DL_F8E8M0FNU; code++) {
        tirb_arg arg = tensor_arg(make_tensor(&a, data, (DLDataType){code, 8, 1}, 1, 2));
        EXPECT_OK(&s, run(&s, "bytes", &arg, 1, NULL));
        expect_error(&s, run(&s, "flags", &arg, 1, NULL), TIRB_ARGUMENT, "expected bool");
    }
    tirb_arg arg = tensor_arg(make_tensor(&a, data, (DLDataType){TIRB_DL_F8E8M0FNU + 1, 8, 1}, 1, 2));
    expect_error(&s, run(&s, "bytes", &arg, 1, NULL), TIRB_ARGUMENT, "expected uint8");
    arg = tensor_arg(make_tensor(&a, data, (DLDataType){TIRB_DL_F8E5M2, 4, 1}, 1, 2));
    expect_error(&s, run(&s, "bytes", &arg, 1, NULL), TIRB_ARGUMENT, "expected uint8");
}

static void test_rank_zero(void **state) {
    (void)state;
    float x = 2.5f;
    tensor a;
    tirb_arg arg = tensor_arg(make_tensor(&a, &x, F32, 0));
    a.dl.shape = NULL;
    tirb_result result;
    EXPECT_OK(&s, run(&s, "point", &arg, 1, &result));
    assert_true(result.value.f == 2.5);
}

static void test_managed(void **state) {
    (void)state;
    float x[4] = {1, 2, 3, 4}, y[4];
    tensor a;
    tirb_dl_managed_v1 managed = {.version = {1, 1}, .dl_tensor = *make_tensor(&a, y, F32, 2, 2, 2)};
    DLManagedTensor older = {.dl_tensor = *make_tensor(&a, x, F32, 2, 2, 2)};
    managed.dl_tensor.shape = older.dl_tensor.shape = a.shape;
    tirb_arg args[2];
    tirb_arg_from_managed(&older, &args[0]);
    assert_true(tirb_arg_from_managed_v1(&managed, &args[1]));
    EXPECT_OK(&s, run(&s, "twice", args, 2, NULL));
    assert_true(y[3] == 8);
    managed.flags = TIRB_DL_READ_ONLY;
    assert_true(tirb_arg_from_managed_v1(&managed, &args[1]));
    expect_error(&s, run(&s, "twice", args, 2, NULL), TIRB_ARGUMENT, "is read-only");
    managed.version.major = 2;
    assert_false(tirb_arg_from_managed_v1(&managed, &args[1]));
}

/* ---- Strides --------------------------------------------------------------------------------------------------- */

static void check_twice(tensor *a, tensor *b) {
    const float *from = (const float *)a->dl.data;
    const float *to = (const float *)b->dl.data;
    tirb_arg args[2] = {tensor_arg(&a->dl), tensor_arg(&b->dl)};
    EXPECT_OK(&s, run(&s, "twice", args, 2, NULL));
    for (int64_t i = 0; i < a->shape[0]; i++) {
        for (int64_t j = 0; j < a->shape[1]; j++) {
            int64_t x = a->dl.strides ? i * a->strides[0] + j * a->strides[1] : i * a->shape[1] + j;
            int64_t y = b->dl.strides ? i * b->strides[0] + j * b->strides[1] : i * b->shape[1] + j;
            assert_true(to[y] == 2 * from[x]);
        }
    }
}

static void test_packing(void **state) {
    (void)state;
    enum { N = 70, M = 50 };
    static float x[N * M * 2], y[N * M * 2];
    for (int i = 0; i < N * M * 2; i++) x[i] = (float)i;
    tensor a, b;
    make_tensor(&a, x, F32, 2, N, M);
    make_tensor(&b, y, F32, 2, N, M);
    set_strides(&a, M, 1);
    check_twice(&a, &b); /* compact by its strides */
    set_strides(&a, 1, N);
    check_twice(&a, &b); /* transposed input */
    set_strides(&b, 1, N);
    check_twice(&a, &b); /* transposed output */
    set_strides(&a, 0, 1);
    check_twice(&a, &b); /* broadcast input */
    set_strides(&a, 2 * M, 2);
    set_strides(&b, 2 * M, 1);
    check_twice(&a, &b);
    /* reversed in both directions */
    a.dl.data = x + N * M - 1;
    set_strides(&a, -M, -1);
    b.dl.data = y + N - 1;
    set_strides(&b, -1, N);
    check_twice(&a, &b);
}

static void test_untouched_gaps(void **state) {
    (void)state;
    float x[4] = {1, 2, 3, 4}, y[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    tensor a, b;
    make_tensor(&a, x, F32, 2, 2, 2);
    make_tensor(&b, y, F32, 2, 2, 2);
    set_strides(&b, 4, 2);
    check_twice(&a, &b);
    for (int i = 1; i < 8; i += 2) assert_true(y[i] == -1);
}

static void test_extent_one_strides(void **state) {
    (void)state;
    float x[4] = {1, 2, 3, 4}, y[4];
    tensor a, b;
    make_tensor(&a, x, F32, 2, 1, 4);
    make_tensor(&b, y, F32, 2, 1, 4);
    set_strides(&a, 12345, 1);
    set_strides(&b, 0, 1);
    check_twice(&a, &b);
    tirb_stats stats = TIRB_STATS_INIT;
    assert_int_equal(tirb_instance_stats(s.instance, &stats), TIRB_OK);
}

static void test_declared_strides(void **state) {
    (void)state;
    float x[16];
    for (int i = 0; i < 16; i++) x[i] = (float)i;
    tensor a;
    tirb_arg arg = tensor_arg(make_tensor(&a, x, F32, 1, 4));
    tirb_result result;
    EXPECT_OK(&s, run(&s, "strided", &arg, 1, &result));
    assert_true(result.value.f == 0 + 1 + 2 + 3);
    set_strides(&a, 3);
    a.dl.byte_offset = 8;
    EXPECT_OK(&s, run(&s, "strided", &arg, 1, &result));
    assert_true(result.value.f == 2 + 5 + 8 + 11);
    a.dl.byte_offset = 6;
    expect_error(&s, run(&s, "strided", &arg, 1, NULL), TIRB_SHAPE, "byte_offset is 6, expected a multiple of 4");
    a.dl.byte_offset = 0;
    set_strides(&a, -3);
    expect_error(&s, run(&s, "strided", &arg, 1, NULL), TIRB_SHAPE, "strides[0] is -3, expected 0 or more");
    set_strides(&a, 0);
    EXPECT_OK(&s, run(&s, "strided", &arg, 1, &result));
    assert_true(result.value.f == 0);

    static float rows[1000];
    arg = tensor_arg(make_tensor(&a, rows, F32, 2, 3, 5));
    expect_error(&s, run(&s, "rows", &arg, 1, NULL), TIRB_SHAPE, "strides[0] is 5, expected 100");
    set_strides(&a, 100, 2);
    expect_error(&s, run(&s, "rows", &arg, 1, NULL), TIRB_SHAPE, "strides[1] is 2, expected 1");
    set_strides(&a, 100, 1);
    EXPECT_OK(&s, run(&s, "rows", &arg, 1, NULL));
    a.shape[0] = 1; /* a stride that nothing moves along is not looked at */
    set_strides(&a, 7, 1);
    EXPECT_OK(&s, run(&s, "rows", &arg, 1, NULL));
}

/* ---- Overlap --------------------------------------------------------------------------------------------------- */

static tirb_status twice(tensor *a, tensor *b) {
    tirb_arg args[2] = {tensor_arg(&a->dl), tensor_arg(&b->dl)};
    return run(&s, "twice", args, 2, NULL);
}

static void test_overlap(void **state) {
    (void)state;
    static float x[64];
    tensor a, b, c;
    make_tensor(&a, x, F32, 2, 2, 4);
    make_tensor(&b, x + 7, F32, 2, 2, 4);
    expect_error(&s, twice(&a, &b), TIRB_OVERLAP,
                 "argument #1 'B' of twice(A: Tensor([n, m], float32), B: Tensor([n, m], float32)): is written and "
                 "overlaps argument #0 'A'");
    make_tensor(&b, x, F32, 2, 2, 4);
    expect_error(&s, twice(&a, &b), TIRB_OVERLAP, "overlaps argument #0 'A'");
    make_tensor(&b, x + 8, F32, 2, 2, 4);
    EXPECT_OK(&s, twice(&a, &b));
    /* two reads may overlap */
    make_tensor(&a, x, F32, 1, 8);
    make_tensor(&b, x + 4, F32, 1, 8);
    tirb_arg args[3] = {tensor_arg(&a.dl), tensor_arg(&b.dl), tensor_arg(make_tensor(&c, x + 12, F32, 1, 8))};
    EXPECT_OK(&s, run(&s, "add", args, 3, NULL));
}

/* A call like the one before it compares its arguments with those: whatever is different is seen, and what differs in
 * its place alone is checked for overlap. */
static void test_called_again(void **state) {
    (void)state;
    static float x[64], y[64];
    tensor a, b;
    for (int i = 0; i < 64; i++) x[i] = (float)i;
    const DLTensor good_a = *make_tensor(&a, x, F32, 2, 2, 4), good_b = *make_tensor(&b, x + 16, F32, 2, 2, 4);
    EXPECT_OK(&s, twice(&a, &b));
    EXPECT_OK(&s, twice(&a, &b));
    assert_true(x[16] == 0 && x[23] == 14);
    b.dl.data = y; /* elsewhere */
    EXPECT_OK(&s, twice(&a, &b));
    assert_true(y[0] == 0 && y[7] == 14);
    b.dl.data = x;
    b.dl.byte_offset = 28;
    expect_error(&s, twice(&a, &b), TIRB_OVERLAP, "overlaps argument #0 'A'");
    b.dl = good_b;
    EXPECT_OK(&s, twice(&a, &b));
    a.dl.byte_offset = UINT64_MAX - 3;
    assert_int_not_equal(twice(&a, &b), TIRB_OK);
    a.dl = good_a;
    EXPECT_OK(&s, twice(&a, &b));
    b.dl.shape[1] = 3; /* the shapes disagree */
    expect_error(&s, twice(&a, &b), TIRB_SHAPE, "shape[1]");
    b.dl.shape[1] = 4;
    EXPECT_OK(&s, twice(&a, &b));
    a.dl.shape[1] = b.dl.shape[1] = 3; /* both are smaller */
    y[6] = -1;
    b.dl.data = y;
    EXPECT_OK(&s, twice(&a, &b));
    assert_true(y[5] == 10 && y[6] == -1);
    a.dl.shape[1] = b.dl.shape[1] = 4;
    EXPECT_OK(&s, twice(&a, &b));
    assert_true(y[6] == 12);
    int64_t strides[2] = {8, 1}; /* no longer compact, which copies */
    a.dl.strides = strides;
    EXPECT_OK(&s, twice(&a, &b));
    assert_true(y[3] == 6 && y[4] == 16);
    a.dl.strides = NULL;
    EXPECT_OK(&s, twice(&a, &b));
    assert_true(y[4] == 8);
    a.dl.dtype.bits = 16;
    expect_error(&s, twice(&a, &b), TIRB_ARGUMENT, "float16");
    a.dl = good_a;
    EXPECT_OK(&s, twice(&a, &b));
    a.dl.ndim = 1;
    assert_int_not_equal(twice(&a, &b), TIRB_OK);
    a.dl = good_a;
    EXPECT_OK(&s, twice(&a, &b));
    a.dl.device.device_type = kDLCUDA;
    assert_int_not_equal(twice(&a, &b), TIRB_OK);
    a.dl = good_a;
    EXPECT_OK(&s, twice(&a, &b));
    a.dl.data = NULL;
    assert_int_not_equal(twice(&a, &b), TIRB_OK);
    a.dl = good_a;
    EXPECT_OK(&s, twice(&a, &b));
    a.dl.shape = NULL;
    assert_int_not_equal(twice(&a, &b), TIRB_OK);
    a.dl = good_a;
    EXPECT_OK(&s, twice(&a, &b));
    tirb_arg args[2] = {tensor_arg(&a.dl), tensor_arg(&b.dl)};
    args[1].flags = TIRB_ARG_READ_ONLY;
    expect_error(&s, run(&s, "twice", args, 2, NULL), TIRB_ARGUMENT, "read-only");
    args[1].flags = 0;
    args[0] = (tirb_arg){.kind = TIRB_ARG_INT};
    expect_error(&s, run(&s, "twice", args, 2, NULL), TIRB_ARGUMENT, "argument #0 'A'");
    args[0] = (tirb_arg){.kind = TIRB_ARG_TENSOR};
    assert_int_not_equal(run(&s, "twice", args, 2, NULL), TIRB_OK);
}

/* What was seen of the tensors of a call goes on to be known when they are bound anew, as others: a device of no type,
 * which is none, is not that of what nobody has seen. */
static void test_no_device_again(void **state) {
    (void)state;
    static float x[16], elsewhere[16], y[16];
    tensor a, b;
    make_tensor(&a, x, F32, 2, 4, 4);
    make_tensor(&b, y, F32, 2, 4, 4);
    for (int i = 0; i < 2; i++) EXPECT_OK(&s, twice(&a, &b)); /* and then they are seen */
    a.dl.shape[1] = b.dl.shape[1] = 3;
    EXPECT_OK(&s, twice(&a, &b));
    a.dl.shape[1] = b.dl.shape[1] = 4;
    a.dl.data = elsewhere;
    EXPECT_OK(&s, twice(&a, &b));
    a.dl.data = x;
    a.dl.device.device_type = 0;
    expect_error(&s, twice(&a, &b), TIRB_ARGUMENT, "device type is 0, expected host memory");
    a.dl.device.device_type = kDLCPU;
    EXPECT_OK(&s, twice(&a, &b));
}

static tirb_status sized(int64_t n, tensor *a, tensor *c) {
    tirb_arg args[3] = {{.kind = TIRB_ARG_INT, .value.i = n}, tensor_arg(&a->dl), tensor_arg(&c->dl)};
    return run(&s, "sized", args, 3, NULL);
}

/* The same where extents are expressions, which the first call binds in the general way. */
static void test_expressions_again(void **state) {
    (void)state;
    static float x[64];
    tensor a, c;
    make_tensor(&a, x, F32, 2, 3, 4);
    make_tensor(&c, x + 32, F32, 1, 3);
    for (int i = 0; i < 3; i++) EXPECT_OK(&s, sized(3, &a, &c));
    expect_error(&s, sized(4, &a, &c), TIRB_SHAPE, "is 4, expected 3");
    EXPECT_OK(&s, sized(3, &a, &c));
    c.dl.shape[0] = 4;
    expect_error(&s, sized(3, &a, &c), TIRB_SHAPE, "is 4, expected 3");
    c.dl.shape[0] = 3;
    EXPECT_OK(&s, sized(3, &a, &c));
    c.dl.data = x + 8;
    expect_error(&s, sized(3, &a, &c), TIRB_OVERLAP, "overlaps argument #1 'A'");
    c.dl.data = x + 12;
    EXPECT_OK(&s, sized(3, &a, &c));
    EXPECT_OK(&s, sized(3, &a, &c));
    /* Other scalars can have the same product, or not. */
    make_tensor(&c, x, F32, 1, 12);
    tirb_arg args[3] = {{.kind = TIRB_ARG_INT, .value.i = 3}, {.kind = TIRB_ARG_INT, .value.i = 4}, tensor_arg(&c.dl)};
    EXPECT_OK(&s, run(&s, "product", args, 3, NULL));
    EXPECT_OK(&s, run(&s, "product", args, 3, NULL));
    args[0].value.i = 5;
    expect_error(&s, run(&s, "product", args, 3, NULL), TIRB_SHAPE, "is 12, expected 20");
    args[0].value.i = 3;
    EXPECT_OK(&s, run(&s, "product", args, 3, NULL));
    args[0].kind = TIRB_ARG_NONE;
    expect_error(&s, run(&s, "product", args, 3, NULL), TIRB_ARGUMENT, "is missing");
}

/* Each pair of which one is written, wherever it stands; a scalar that shapes determine. */
static void test_written_between_read(void **state) {
    (void)state;
    static float x[64];
    static const int places[4] = {0, 8, 16, 32};
    for (int i = 0; i < 4; i++) {
        for (int j = -1; j < 4; j++) {
            if (i == j) continue;
            tensor t[4];
            tirb_arg args[5];
            for (int k = 0; k < 4; k++) {
                float *at = x + places[j >= 0 && k == i ? j : k] + (j >= 0 && k == i);
                args[k] = tensor_arg(k == 2 ? make_tensor(&t[k], at, F32, 2, 7, 2) : make_tensor(&t[k], at, F32, 1, 7));
            }
            args[1].flags = TIRB_ARG_READ_ONLY;
            args[4] = no_arg();
            tirb_result result = {0};
            bool apart = j < 0 || ((i == 1 || i == 3) && (j == 1 || j == 3));
            tirb_status status = run(&s, "into", args, 5, &result);
            assert_int_equal(status, apart ? TIRB_OK : TIRB_OVERLAP);
            if (!apart) continue;
            assert_int_equal(result.value.i, 7);
            args[4] = int_arg(7);
            EXPECT_OK(&s, run(&s, "into", args, 5, &result));
            assert_int_equal(result.value.i, 7);
            args[4] = int_arg(6);
            expect_error(&s, run(&s, "into", args, 5, &result), TIRB_SHAPE, "is 6, expected 7 to match C.shape[0]");
            args[4] = no_arg();
            args[2].flags = TIRB_ARG_READ_ONLY;
            expect_error(&s, run(&s, "into", args, 5, &result), TIRB_ARGUMENT,
                         "is read-only, and the function writes it");
            args[2].flags = 0;
            t[3].shape[0] = 6;
            expect_error(&s, run(&s, "into", args, 5, &result), TIRB_SHAPE,
                         "shape[0] is 6, expected 7 to match C.shape[0]");
        }
    }
}

static void test_interleaved_views(void **state) {
    (void)state;
    static float x[64];
    tensor a, b;
    /* column blocks of one matrix */
    make_tensor(&a, x, F32, 2, 4, 4);
    make_tensor(&b, x + 4, F32, 2, 4, 4);
    set_strides(&a, 8, 1);
    set_strides(&b, 8, 1);
    EXPECT_OK(&s, twice(&a, &b));
    b.dl.data = x + 3;
    expect_error(&s, twice(&a, &b), TIRB_OVERLAP, "overlaps argument #0 'A'");
    /* even and odd elements */
    set_strides(&a, 8, 2);
    set_strides(&b, 8, 2);
    b.dl.data = x + 1;
    EXPECT_OK(&s, twice(&a, &b));
    b.dl.data = x + 2;
    expect_error(&s, twice(&a, &b), TIRB_OVERLAP, "overlaps argument #0 'A'");
    /* alternate rows of which one set is reversed */
    make_tensor(&a, x, F32, 2, 3, 4);
    make_tensor(&b, x + 20, F32, 2, 3, 4);
    set_strides(&a, 8, 1);
    set_strides(&b, -8, 1);
    EXPECT_OK(&s, twice(&a, &b));
}

static void test_self_overlap_and_read_only(void **state) {
    (void)state;
    float x[16] = {0}, y[16];
    tensor a, b;
    make_tensor(&a, x, F32, 2, 4, 4);
    make_tensor(&b, y, F32, 2, 4, 4);
    set_strides(&b, 0, 1);
    expect_error(&s, twice(&a, &b), TIRB_OVERLAP, "is written, and its strides let elements overlap each other");
    set_strides(&b, 2, 1);
    expect_error(&s, twice(&a, &b), TIRB_OVERLAP, "overlap each other");
    set_strides(&b, 1, 4);
    tirb_arg args[2] = {tensor_arg(&a.dl), tensor_arg(&b.dl)};
    args[0].flags = TIRB_ARG_READ_ONLY;
    EXPECT_OK(&s, run(&s, "twice", args, 2, NULL));
    args[1].flags = TIRB_ARG_READ_ONLY;
    expect_error(&s, run(&s, "twice", args, 2, NULL), TIRB_ARGUMENT, "is read-only, and the function writes it");
}

/* Every small view against what its element addresses say. */
static void test_views_by_enumeration(void **state) {
    (void)state;
    uint32_t random = 12345;
    int meetings = 0, interleaved = 0, repeats = 0;
    for (int round = 0; round < 30000; round++) {
        tirbi_view v[2];
        int64_t shape[2][3], strides[2][3];
        static uint8_t memory[4096];
        uint8_t seen[4096] = {0};
        bool meet = false, repeat = false;
        for (int k = 0; k < 2; k++) {
            for (int d = 0; d < 3; d++) {
                random = random * 1664525 + 1013904223;
                shape[k][d] = 1 + (random >> 24) % 4;
                strides[k][d] = (int64_t)((random >> 16) % 41) - 20;
            }
            v[k] = (tirbi_view){.base = memory + 2048 + (random >> 8) % 64,
                                .item = (random >> 4) % 3 == 0 ? 8 : 4,
                                .ndim = 1 + (int32_t)((random >> 6) % 3),
                                .shape = shape[k],
                                .strides = strides[k]};
            for (int d = v[k].ndim; d < 3; d++) shape[k][d] = 1;
            assert_true(tirbi_view_measure(&v[k]));
            for (int64_t n = 0; n < shape[k][0] * shape[k][1] * shape[k][2]; n++) {
                int64_t index[] = {n / (shape[k][1] * shape[k][2]), n / shape[k][2] % shape[k][1], n % shape[k][2]};
                int64_t offset = 0;
                for (int d = 0; d < 3; d++) offset += index[d] * strides[k][d];
                uint8_t *at = v[k].base + offset * v[k].item;
                assert_true((uintptr_t)at >= v[k].low && (uintptr_t)at + v[k].item <= v[k].high);
                for (uint32_t byte = 0; byte < v[k].item; byte++) {
                    uint8_t *mark = &seen[at + byte - memory];
                    if (k == 0 && (*mark & 1)) repeat = true;
                    if (k == 1 && (*mark & 1)) meet = true;
                    *mark |= (uint8_t)(1 << k);
                }
            }
        }
        assert_int_equal(tirbi_view_overlaps_itself(&v[0]), repeat ? TIRBI_SHARED : TIRBI_APART);
        assert_int_equal(tirbi_views_overlap(&v[0], &v[1]), meet ? TIRBI_SHARED : TIRBI_APART);
        assert_int_equal(tirbi_views_overlap(&v[1], &v[0]), meet ? TIRBI_SHARED : TIRBI_APART);
        meetings += meet;
        repeats += repeat;
        interleaved += !meet && v[0].low < v[1].high && v[1].low < v[0].high;
    }
    assert_true(meetings > 1000 && repeats > 1000 && interleaved > 1000);
}

/* Large views are decided without looking at their elements, and what is too hard is told. */
static void test_large_views(void **state) {
    (void)state;
    uint8_t *base = (uint8_t *)(uintptr_t)(UINT64_C(1) << 40);
    const int64_t shape[] = {1000000, 1000, 1000}, columns[] = {4000000, 4000, 2};
    tirbi_view even = {.base = base, .item = 4, .ndim = 3, .shape = shape, .strides = columns}, odd = even;
    odd.base = base + 4;
    assert_true(tirbi_view_measure(&even) && tirbi_view_measure(&odd));
    assert_int_equal(tirbi_views_overlap(&even, &odd), TIRBI_APART);
    assert_int_equal(tirbi_view_overlaps_itself(&even), TIRBI_APART);
    odd.base = base + 8000000008;
    assert_true(tirbi_view_measure(&odd));
    assert_int_equal(tirbi_views_overlap(&even, &odd), TIRBI_SHARED);
    /* diagonals of one square */
    const int64_t diagonal[] = {1000000}, step[] = {1000001};
    tirbi_view first = {.base = base, .item = 8, .ndim = 1, .shape = diagonal, .strides = step}, second = first;
    second.base = base + 8;
    assert_true(tirbi_view_measure(&first) && tirbi_view_measure(&second));
    assert_int_equal(tirbi_views_overlap(&first, &second), TIRBI_APART);
    /* sums of large coprime steps: as hard as they come */
    const int64_t extents[] = {900, 900, 900, 900, 900}, primes[] = {1000003, 1000033, 1000037, 1000039, 1000081};
    tirbi_view hard = {.base = base, .item = 1, .ndim = 5, .shape = extents, .strides = primes}, other = hard;
    other.base = base + 500000;
    assert_true(tirbi_view_measure(&hard) && tirbi_view_measure(&other));
    assert_int_not_equal(tirbi_views_overlap(&hard, &other), TIRBI_SHARED);
}

/* ---- Scalars --------------------------------------------------------------------------------------------------- */

static void test_sized(void **state) {
    (void)state;
    float x[64], y[16];
    tensor a, c;
    tirb_arg args[3] = {no_arg(), tensor_arg(make_tensor(&a, x, F32, 2, 4, 5)),
                        tensor_arg(make_tensor(&c, y, F32, 1, 5))};
    tirb_result result;
    EXPECT_OK(&s, run(&s, "sized", args, 3, &result));
    assert_int_equal(result.value.i, 4);
    args[0] = int_arg(4);
    EXPECT_OK(&s, run(&s, "sized", args, 3, &result));
    args[0] = int_arg(5);
    expect_error(&s, run(&s, "sized", args, 3, NULL), TIRB_SHAPE,
                 "argument #0 'n' of sized(n: int32, A: Tensor([n, "
                 "n + 1], float32), C: Tensor([n * 2 - 3], float32)) -> int32: is 5, expected 4 to match A.shape[0]");
    args[0] = no_arg();
    c.shape[0] = 6;
    expect_error(&s, run(&s, "sized", args, 3, NULL), TIRB_SHAPE, "shape[0] is 6, expected 5 (n * 2 - 3)");
    args[0] = int_arg(INT64_C(1) << 40);
    expect_error(&s, run(&s, "sized", args, 3, NULL), TIRB_ARGUMENT, "is 1099511627776, which does not fit int32");
    args[0] = float_arg(4);
    expect_error(&s, run(&s, "sized", args, 3, NULL), TIRB_ARGUMENT, "is the float 4, expected int32");

    tirb_arg product[3] = {int_arg(2), no_arg(), tensor_arg(make_tensor(&c, y, F32, 1, 6))};
    expect_error(&s, run(&s, "product", product, 3, NULL), TIRB_ARGUMENT,
                 "is missing, and no tensor's shape determines it");
    product[1] = int_arg(3);
    EXPECT_OK(&s, run(&s, "product", product, 3, NULL));
    product[0] = product[1] = int_arg(INT64_MAX);
    expect_error(&s, run(&s, "product", product, 3, NULL), TIRB_SHAPE, "shape[0] must be n * m: ");
}

/* One function for each type that returns its argument. */
static session open_identities(void) {
    static char text[4096];
    size_t used = 0;
    for (unsigned t = 0; t < TIRB_N_DTYPES; t++) {
        const char *name = tirbi_dtypes[t].name;
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used,
                             ".function \"%s\" public returns %s\n.scalars 1\n.scalar \"x\" %s s0\n  ret.%s s0\n.end\n",
                             name, name, name, name);
    }
    return open_session(text, NULL);
}

static void test_integer_scalars(void **state) {
    (void)state;
    session ids = open_identities();
    static const struct {
        const char *type;
        int64_t value;
        bool fits;
    } cases[] = {
        {"bool", 0, true},
        {"bool", 1, true},
        {"bool", 2, false},
        {"bool", -1, false},
        {"i8", -128, true},
        {"i8", 127, true},
        {"i8", 128, false},
        {"i8", -129, false},
        {"i16", -32768, true},
        {"i16", 32768, false},
        {"i32", INT32_MIN, true},
        {"i32", INT32_MAX, true},
        {"i32", -2147483649LL, false},
        {"i64", INT64_MIN, true},
        {"i64", INT64_MAX, true},
        {"u8", 255, true},
        {"u8", 256, false},
        {"u8", -1, false},
        {"u16", 65535, true},
        {"u16", 65536, false},
        {"u32", UINT32_MAX, true},
        {"u32", 1LL << 32, false},
        {"u64", INT64_MAX, true},
        {"u64", -1, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tirb_arg arg = int_arg(cases[i].value);
        tirb_result result = {0};
        tirb_status status = run(&ids, cases[i].type, &arg, 1, &result);
        if (!cases[i].fits) {
            expect_error(&ids, status, TIRB_ARGUMENT, "does not fit");
        } else {
            EXPECT_OK(&ids, status);
            assert_true(result.value.i == cases[i].value);
        }
    }
    tirb_arg arg = no_arg();
    expect_error(&ids, run(&ids, "i32", &arg, 1, NULL), TIRB_ARGUMENT, "is missing");
    float x = 0;
    tensor a;
    arg = tensor_arg(make_tensor(&a, &x, F32, 0));
    expect_error(&ids, run(&ids, "i32", &arg, 1, NULL), TIRB_ARGUMENT, "is a tensor, expected int32");
    close_session(&ids);
}

static void test_float_scalars(void **state) {
    (void)state;
    session ids = open_identities();
    static const struct {
        const char *type;
        double given, back;
    } cases[] = {
        {"f32", 0.1, (double)0.1f},
        {"f32", 1e300, HUGE_VAL},
        {"f32", 1e-300, 0},
        {"f32", -1e-46, -0.0},
        {"f32", 0x1p-149, 0x1p-149},
        {"f32", 0x1.8p-149, 0x1p-148},
        {"f32", 0x1p-150, 0},
        {"f32", 0x1.000001p0, 1},
        {"f16", 65504, 65504},
        {"f16", 65520, HUGE_VAL},
        {"f16", 65519, 65504},
        {"f16", 0x1p-24, 0x1p-24},
        {"f16", 0x1p-25, 0},
        {"f16", 0.1, 0x1.998p-4},
        {"bf16", 0.1, 0x1.9ap-4},
        {"f64", 0.1, 0.1},
        {"f64", 0x1p-1074, 0x1p-1074},
        {"f32", 0x1.fffffep127, 0x1.fffffep127},
        {"f32", 0x1.ffffffp127, HUGE_VAL},
    };
    tirb_result result;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tirb_arg arg = float_arg(cases[i].given);
        EXPECT_OK(&ids, run(&ids, cases[i].type, &arg, 1, &result));
        assert_memory_equal(&result.value.f, &cases[i].back, sizeof(double));
    }
    static const struct {
        const char *type;
        int64_t value;
        bool exact;
    } integers[] = {
        {"f32", 16777216, true},  {"f32", 16777217, false},
        {"f32", -3, true},        {"f32", INT64_MIN, true},
        {"f16", 2048, true},      {"f16", 2049, false},
        {"f16", 65504, true},     {"f16", 65536, false},
        {"bf16", 257, false},     {"f64", (1LL << 53) + 1, false},
        {"f64", 1LL << 62, true}, {"bf16", 0, true},
    };
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        tirb_arg arg = int_arg(integers[i].value);
        tirb_status status = run(&ids, integers[i].type, &arg, 1, &result);
        if (!integers[i].exact) {
            expect_error(&ids, status, TIRB_ARGUMENT, "cannot hold exactly");
        } else {
            EXPECT_OK(&ids, status);
            assert_true(result.value.f == (double)integers[i].value);
        }
    }
    close_session(&ids);
}

/* The conversions that do not use the FPU against the FPU in its default mode. */
static void test_rounding_by_hardware(void **state) {
    (void)state;
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        /* exponents around the range of float */
        uint64_t bits = (random & 0x800fffffffffffffu) | (uint64_t)(1023 - 160 + (random >> 52) % 320) << 52;
        if (i % 3 == 0) bits &= ~UINT64_C(0x1fffffff) | 0x10000000; /* ties */
        double wide;
        memcpy(&wide, &bits, sizeof(wide));
        float narrow = (float)wide;
        uint32_t expected;
        memcpy(&expected, &narrow, sizeof(expected));
        assert_int_equal(tirbi_number_from_double(TIRB_F32, wide), expected);
        assert_true(tirbi_number_to_double(TIRB_F32, expected) == (double)narrow);
    }
    for (uint32_t h = 0; h < 0x7c00; h++) {
        double value = tirbi_number_to_double(TIRB_F16, h);
        assert_int_equal(tirbi_number_from_double(TIRB_F16, value), h);
        assert_int_equal(tirbi_number_from_double(TIRB_F16, -value), h | 0x8000);
    }
}

/* ---- Inference ------------------------------------------------------------------------------------------------- */

static tirb_status infer(const char *name, uint32_t param, const tirb_arg *args, uint32_t n, int64_t *shape,
                         int32_t *ndim) {
    DLDataType type;
    return tirb_instance_infer(s.instance, find(s.module, name), param, args, n, shape, 2, ndim, &type, &s.error);
}

static void test_infer(void **state) {
    (void)state;
    float x[64];
    tensor a, c;
    int64_t shape[2] = {-7, -7};
    int32_t ndim = 0;
    tirb_arg args[3] = {no_arg(), tensor_arg(make_tensor(&a, x, F32, 2, 4, 5)), no_arg()};
    EXPECT_OK(&s, infer("sized", 2, args, 3, shape, &ndim));
    assert_int_equal(ndim, 1);
    assert_int_equal(shape[0], 5);
    assert_int_equal(shape[1], -7);
    args[0] = int_arg(6);
    args[1] = no_arg();
    EXPECT_OK(&s, infer("sized", 1, args, 3, shape, &ndim));
    assert_int_equal(ndim, 2);
    assert_int_equal(shape[0], 6);
    assert_int_equal(shape[1], 7);
    /* what is given must agree as in a call */
    args[1] = tensor_arg(&a.dl);
    expect_error(&s, infer("sized", 2, args, 3, shape, &ndim), TIRB_SHAPE, "is 6, expected 4 to match A.shape[0]");
    args[0] = args[1] = no_arg();
    expect_error(&s, infer("sized", 2, args, 3, shape, &ndim), TIRB_SHAPE,
                 "shape[0] is n * 2 - 3, and no other argument determines n");
    args[0] = int_arg(1);
    expect_error(&s, infer("sized", 2, args, 3, shape, &ndim), TIRB_SHAPE, "shape[0] would be -1 (n * 2 - 3)");
    tirb_arg product[3] = {int_arg(0), int_arg(INT64_MAX), no_arg()};
    EXPECT_OK(&s, infer("product", 2, product, 3, shape, &ndim));
    assert_int_equal(shape[0], 0);
    product[0] = int_arg(2);
    expect_error(&s, infer("product", 2, product, 3, shape, &ndim), TIRB_SHAPE, "shape[0] is n * m: ");
    product[0] = int_arg(1);
    expect_error(&s, infer("product", 2, product, 3, shape, &ndim), TIRB_SHAPE, "more bytes than can be addressed");
    expect_error(&s, infer("product", 0, product, 3, shape, &ndim), TIRB_ARGUMENT, "is a scalar and has no shape");
    expect_error(&s, infer("product", 3, product, 3, shape, &ndim), TIRB_NOT_FOUND, "has no parameter 3");
    /* the argument of the wanted parameter itself is not looked at */
    product[1] = int_arg(3);
    product[2] = tensor_arg(make_tensor(&c, NULL, F32, 2, 9, 9));
    EXPECT_OK(&s, infer("product", 2, product, 3, shape, &ndim));
    assert_int_equal(shape[0], 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_extents_as_text),
        cmocka_unit_test(test_managed),
        cmocka_unit_test(test_counts_and_kinds),
        cmocka_unit_test(test_tensor_fields),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_shape_variables),
        cmocka_unit_test(test_alignment_and_offset),
        cmocka_unit_test(test_bools),
        cmocka_unit_test(test_floats_of_a_byte),
        cmocka_unit_test(test_rank_zero),
        cmocka_unit_test(test_packing),
        cmocka_unit_test(test_untouched_gaps),
        cmocka_unit_test(test_extent_one_strides),
        cmocka_unit_test(test_declared_strides),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_called_again),
        cmocka_unit_test(test_no_device_again),
        cmocka_unit_test(test_expressions_again),
        cmocka_unit_test(test_written_between_read),
        cmocka_unit_test(test_interleaved_views),
        cmocka_unit_test(test_self_overlap_and_read_only),
        cmocka_unit_test(test_views_by_enumeration), cmocka_unit_test(test_large_views),
        cmocka_unit_test(test_sized),
        cmocka_unit_test(test_integer_scalars),
        cmocka_unit_test(test_float_scalars),
        cmocka_unit_test(test_rounding_by_hardware),
        cmocka_unit_test(test_infer),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
