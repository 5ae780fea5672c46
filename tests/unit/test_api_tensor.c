/* Tensors that tirb makes. */
#include "tests/unit/api_fixture.h"

#include <tirb/dlpack.h>

/* ---- Tensors ---------------------------------------------------------------------------------------------------- */

static void check_tensor(const DLTensor *t) {
    assert_int_equal(t->device.device_type, kDLCPU);
    assert_int_equal(t->ndim, 2);
    assert_int_equal(t->shape[0], 3);
    assert_int_equal(t->shape[1], 5);
    assert_int_equal(t->strides[0], 5);
    assert_int_equal(t->strides[1], 1);
    assert_int_equal(t->byte_offset, 0);
    assert_int_equal((uintptr_t)t->data % 256, 0);
    for (int i = 0; i < 15; i++) assert_true(((const float *)t->data)[i] == 0);
}

/* The tensor outlives the caller's reference to its engine, and gives everything back. */
static void test_create(void **state) {
    (void)state;
    failing_allocator counted = {0};
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.allocator = (tirb_allocator){failing_reallocate, &counted};
    tirb_engine *engine;
    const int64_t shape[] = {3, 5};
    assert_int_equal(tirb_engine_create(&options, &engine, NULL), TIRB_OK);
    DLManagedTensor *older;
    tirb_dl_managed_v1 *v1;
    assert_int_equal(tirb_tensor_create(engine, F32, shape, 2, &older, NULL), TIRB_OK);
    assert_int_equal(tirb_tensor_create_v1(engine, F32, shape, 2, &v1, NULL), TIRB_OK);
    tirb_engine_release(engine);
    check_tensor(&older->dl_tensor);
    check_tensor(&v1->dl_tensor);
    assert_int_equal(v1->version.major, TIRB_DL_MAJOR);
    assert_int_equal(v1->flags, 0);
    memset(v1->dl_tensor.data, 0xff, 3 * 5 * sizeof(float));
    v1->deleter(v1);
    older->deleter(older);
    assert_int_equal(counted.live, 0);
}

static void test_sizes(void **state) {
    (void)state;
    tirb_engine *engine;
    tirb_dl_managed_v1 *v1;
    const int64_t empty[] = {INT64_MAX, 0, INT64_MAX};
    assert_int_equal(tirb_engine_create(NULL, &engine, NULL), TIRB_OK);
    assert_int_equal(tirb_tensor_create_v1(engine, F32, NULL, 0, &v1, NULL), TIRB_OK);
    *(float *)v1->dl_tensor.data = 1;
    v1->deleter(v1);
    assert_int_equal(tirb_tensor_create_v1(engine, F32, empty, 3, &v1, NULL), TIRB_OK);
    assert_int_equal(v1->dl_tensor.shape[2], INT64_MAX);
    v1->deleter(v1);
    tirb_engine_release(engine);
}

static void refuse(tirb_engine *engine, DLDataType type, const int64_t *shape, int32_t ndim, tirb_status expected,
                   const char *part) {
    session s = {.error = TIRB_ERROR_INIT};
    tirb_dl_managed_v1 *v1 = (tirb_dl_managed_v1 *)&s;
    expect_error(&s, tirb_tensor_create_v1(engine, type, shape, ndim, &v1, &s.error), expected, part);
    assert_null(v1);
}

static void test_refused(void **state) {
    (void)state;
    failing_allocator full = {0};
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    options.allocator = (tirb_allocator){failing_reallocate, &full};
    tirb_engine *engine;
    assert_int_equal(tirb_engine_create(&options, &engine, NULL), TIRB_OK);
    const int64_t one[] = {1}, negative[] = {2, -1}, huge[] = {INT64_MAX, INT64_MAX}, large[] = {INT64_MAX / 4};
    const DLDataType vector = {kDLFloat, 32, 4}, f8 = {TIRB_DL_F8E5M2, 8, 1};
    refuse(engine, vector, one, 1, TIRB_ARGUMENT, "float32x4");
    refuse(engine, f8, one, 1, TIRB_ARGUMENT, "type");
    refuse(engine, F32, one, -1, TIRB_ARGUMENT, "-1 dimensions");
    refuse(engine, F32, one, 17, TIRB_ARGUMENT, "17 dimensions");
    refuse(engine, F32, NULL, 1, TIRB_ARGUMENT, "without a shape");
    refuse(engine, F32, negative, 2, TIRB_SHAPE, "shape[1] is -1");
    refuse(engine, F32, huge, 2, TIRB_SHAPE, "more bytes");
    refuse(engine, F32, large, 1, TIRB_SHAPE, "more bytes");
    full.fail_from = full.calls + 1;
    full.fail_to = full.fail_from;
    refuse(engine, F32, one, 1, TIRB_NO_MEMORY, "4 bytes");
    refuse(NULL, F32, one, 1, TIRB_MISUSE, "engine is NULL");
    assert_int_equal(tirb_tensor_create(engine, F32, one, 1, NULL, NULL), TIRB_MISUSE);
    tirb_engine_release(engine);
    assert_int_equal(full.live, 0);
}

/* An output of the inferred shape, made, filled and given away. */
static void test_output(void **state) {
    (void)state;
    session s = open_session(".fp precise\n.function \"fill\" public\n.scalars 4\n.ref f32\n.ref f32 writable\n"
                             ".var \"n\" i64 s0\n.tensor \"A\" f32 r0 read ($0)\n"
                             ".tensor \"B\" f32 r1 write ({$0 1 add})\n"
                             "    load.f32 s1, r0, 0\n    store.f32 r1, s0, s1\n    ret.void\n.end\n",
                             NULL);
    float data[3] = {7, 8, 9};
    tensor a;
    tirb_arg args[2] = {tensor_arg(make_tensor(&a, data, F32, 1, 3)), no_arg()};
    int64_t shape[MAX_DIMS];
    int32_t ndim;
    DLDataType type;
    tirb_dl_managed_v1 *out;
    EXPECT_OK(&s, tirb_instance_infer(s.instance, 0, 1, args, 2, shape, MAX_DIMS, &ndim, &type, &s.error));
    EXPECT_OK(&s, tirb_tensor_create_v1(s.engine, type, shape, ndim, &out, &s.error));
    assert_true(tirb_arg_from_managed_v1(out, &args[1]));
    EXPECT_OK(&s, run(&s, "fill", args, 2, NULL));
    close_session(&s);
    assert_int_equal(out->dl_tensor.shape[0], 4);
    assert_true(((const float *)out->dl_tensor.data)[3] == 7);
    out->deleter(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
