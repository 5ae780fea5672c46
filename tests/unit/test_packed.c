/* Packed functions: what the VM packs, what programs find of it, and that the oracle finds the same. */
#include "tests/unit/api_fixture.h"

#include <tirb/compiler.h>

#include "compiler/check/check.h"
#include "compiler/text/text.h"
#include "tests/reference/reference.h"

/* y[i] = a * x[i] + y[i] with the checks that TVM of 2020 put in front of such a function; returns the number of
 * elements. */
static const char saxpy[] =
    "@tvm.hybrid.script\n"
    "class Module:\n"
    "    def saxpy(args: ty.handle, codes: ty.handle, num_args: ty.int32, value: ty.handle, tcode: ty.handle) -> "
    "ty.int32:\n"
    "        tir.func_attr({\"global_symbol\": \"saxpy\", \"calling_conv\": 1})\n"
    "        assert num_args == 3, \"saxpy: num_args should be 3\"\n"
    "        a: ty.float64 = tir.tvm_struct_get(args, 0, 12, dtype=\"float64\")\n"
    "        a_code: ty.int32 = tir.load(\"int32\", codes, 0)\n"
    "        x: ty.handle = tir.tvm_struct_get(args, 1, 12, dtype=\"handle\")\n"
    "        x_code: ty.int32 = tir.load(\"int32\", codes, 1)\n"
    "        y: ty.handle = tir.tvm_struct_get(args, 2, 12, dtype=\"handle\")\n"
    "        X: ty.handle = tir.tvm_struct_get(x, 0, 1, dtype=\"handle\")\n"
    "        x_shape: ty.handle = tir.tvm_struct_get(x, 0, 2, dtype=\"handle\")\n"
    "        x_strides: ty.handle = tir.tvm_struct_get(x, 0, 3, dtype=\"handle\")\n"
    "        Y: ty.handle = tir.tvm_struct_get(y, 0, 1, dtype=\"handle\")\n"
    "        y_shape: ty.handle = tir.tvm_struct_get(y, 0, 2, dtype=\"handle\")\n"
    "        assert a_code == 2, \"saxpy: Expect arg[0] to be float\"\n"
    "        assert (x_code == 3) or (x_code == 13) or (x_code == 7) or (x_code == 4), \"Expect arg[1] to be "
    "pointer\"\n"
    "        assert 1 == tir.tvm_struct_get(x, 0, 4, dtype=\"int32\"), \"arg1.ndim is expected to equal 1\"\n"
    "        assert tir.tvm_struct_get(x, 0, 5, dtype=\"uint8\") == tir.uint8(2) and "
    "tir.tvm_struct_get(x, 0, 6, dtype=\"uint8\") == tir.uint8(32) and "
    "tir.tvm_struct_get(x, 0, 7, dtype=\"uint16\") == tir.uint16(1), \"arg1.dtype is expected to be float32\"\n"
    "        n: ty.int32 = tir.cast(\"int32\", tir.load(\"int64\", x_shape, 0))\n"
    "        if not tir.isnullptr(x_strides, dtype=\"bool\"):\n"
    "            assert 1 == tir.cast(\"int32\", tir.load(\"int64\", x_strides, 0)), \"arg1.strides: expected to be "
    "compact array\"\n"
    "            tir.evaluate(0)\n"
    "        assert tir.uint64(0) == tir.tvm_struct_get(x, 0, 8, dtype=\"uint64\"), \"arg1.byte_offset\"\n"
    "        assert 1 == tir.tvm_struct_get(x, 0, 10, dtype=\"int32\"), \"arg1.device_type\"\n"
    "        assert 0 == tir.tvm_struct_get(x, 0, 9, dtype=\"int32\"), \"arg1.device_id\"\n"
    "        assert n == tir.cast(\"int32\", tir.load(\"int64\", y_shape, 0)), \"arg2.shape[0] has an unsatisfied "
    "constraint\"\n"
    "        if n == 7:\n"
    "            tir.evaluate(tir.tvm_throw_last_error(dtype=\"handle\"))\n"
    "        scratch: ty.handle = tir.TVMBackendAllocWorkspace(1, 0, tir.uint64(4) * tir.cast(\"uint64\", n), 2, 32, "
    "dtype=\"handle\")\n"
    "        for i in tir.range(0, n):\n"
    "            scratch[i] = tir.cast(\"float32\", a)\n"
    "        for i in tir.range(0, n):\n"
    "            Y[i] = tir.call_llvm_pure_intrin(tir.uint32(97), tir.uint32(3), tir.load(\"float32\", scratch, i), "
    "tir.load(\"float32\", X, i), tir.load(\"float32\", Y, i), dtype=\"float32\")\n"
    "        tir.evaluate(tir.TVMBackendFreeWorkspace(1, 0, scratch, dtype=\"int32\"))\n"
    "        tir.evaluate(tir.tvm_struct_set(value, 0, 12, tir.cast(\"int64\", n), dtype=\"int32\"))\n"
    "        tcode[0] = 0\n";

typedef struct programs {
    session machine; /* the program in the VM */
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    const tirb_irmodule *module; /* the program for the oracle */
} programs;

static void open_programs(programs *p, const char *text) {
    tirb_compile_result *result;
    size_t size;
    *p = (programs){.machine = {.error = TIRB_ERROR_INIT}};
    session *s = &p->machine;
    if (tirb_compile(text, strlen(text), NULL, &result, &s->error) != TIRB_OK) fail_msg("%s", s->error.message);
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    assert_int_equal(tirb_engine_create(NULL, &s->engine, &s->error), TIRB_OK);
    if (tirb_module_load(s->engine, bytes, size, &s->module, &s->error) != TIRB_OK) fail_msg("%s", s->error.message);
    assert_int_equal(tirb_instance_create(s->module, NULL, &s->instance, &s->error), TIRB_OK);
    tirb_compile_result_destroy(result);
    tirbi_heap_init(&p->heap, NULL, UINT64_MAX);
    tirbi_arena_init(&p->arena, &p->heap);
    assert_true(tirbi_source_init(&p->source, "test", text, (uint32_t)strlen(text), &p->arena));
    tirbi_diagnostics_init(&p->diagnostics, &p->source, &p->arena, 5);
    p->module = tirbi_parse(&p->source, &p->arena, &p->diagnostics);
    assert_true(p->module && tirbi_check_module(p->module, &p->diagnostics, &p->arena));
}

static void close_programs(programs *p) {
    tirbi_arena_destroy(&p->arena);
    close_session(&p->machine);
}

/* Arguments as a test changes them before the call. */
typedef struct frame {
    float x[4], y[4];
    tensor tensors[2];
    tirb_arg args[3];
    uint32_t n;
} frame;

static const DLDataType f32 = {kDLFloat, 32, 1};

static void fill(frame *f) {
    for (int i = 0; i < 4; i++) {
        f->x[i] = (float)(i + 1);
        f->y[i] = 10;
    }
    make_tensor(&f->tensors[0], f->x, f32, 1, 4);
    make_tensor(&f->tensors[1], f->y, f32, 1, 4);
    f->args[0] = (tirb_arg){.kind = TIRB_ARG_FLOAT, .value = {.f = 0.5}};
    f->args[1] = (tirb_arg){.kind = TIRB_ARG_TENSOR, .value = {.tensor = &f->tensors[0].dl}};
    f->args[2] = (tirb_arg){.kind = TIRB_ARG_TENSOR, .value = {.tensor = &f->tensors[1].dl}};
    f->n = 3;
}

/* Both must end alike; the message is the same where it is an assertion's. */
static void both(programs *p, frame *f, tirb_status expected, const char *part) {
    tirb_error error = TIRB_ERROR_INIT;
    tirb_reference_options options = {.max_steps = 100000};
    float before[4];
    memcpy(before, f->y, sizeof before);
    tirb_status status = run(&p->machine, "saxpy", f->args, f->n, NULL);
    if (status != expected || (part && !strstr(p->machine.error.message, part)))
        fail_msg("expected %s '%s', got %s '%s'", tirb_status_name(expected), part ? part : "",
                 tirb_status_name(status), status == TIRB_OK ? "" : p->machine.error.message);
    memcpy(f->y, before, sizeof before);
    status = tirb_reference_call(p->module, "saxpy", &options, f->args, f->n, NULL, &error);
    if (status != expected || (expected == TIRB_ASSERT && !strstr(error.message, part)))
        fail_msg("the oracle: expected %s '%s', got %s '%s'", tirb_status_name(expected), part ? part : "",
                 tirb_status_name(status), error.message);
}

static void test_call(void **state) {
    (void)state;
    programs p;
    frame f;
    tirb_result result;
    static const float expected[4] = {10.5f, 11, 11.5f, 12};
    open_programs(&p, saxpy);
    fill(&f);
    EXPECT_OK(&p.machine, run(&p.machine, "saxpy", f.args, 3, &result));
    assert_memory_equal(f.y, expected, sizeof expected);
    assert_int_equal(result.dtype.bits, 64);
    assert_int_equal(result.value.i, 4);
    fill(&f);
    assert_int_equal(tirb_reference_call(p.module, "saxpy", NULL, f.args, 3, &result, NULL), TIRB_OK);
    assert_memory_equal(f.y, expected, sizeof expected);
    assert_int_equal(result.value.i, 4);
    int64_t stride = 1;
    fill(&f);
    f.tensors[0].dl.strides = &stride;
    both(&p, &f, TIRB_OK, NULL);
    close_programs(&p);
}

static void test_assertions(void **state) {
    (void)state;
    programs p;
    frame f;
    int64_t stride = 2;
    open_programs(&p, saxpy);
    fill(&f);
    f.n = 2;
    both(&p, &f, TIRB_ASSERT, "saxpy: num_args should be 3");
    fill(&f);
    f.args[0] = (tirb_arg){.kind = TIRB_ARG_INT, .value = {.i = 1}};
    both(&p, &f, TIRB_ASSERT, "Expect arg[0] to be float");
    fill(&f);
    f.args[1] = (tirb_arg){.kind = TIRB_ARG_INT, .value = {.i = 1}};
    both(&p, &f, TIRB_ASSERT, "Expect arg[1] to be pointer");
    fill(&f);
    f.args[1] = (tirb_arg){.kind = TIRB_ARG_NONE};
    both(&p, &f, TIRB_ASSERT, "arg1.ndim is expected to equal 1");
    fill(&f);
    f.tensors[0].dl.dtype.bits = 64;
    f.tensors[0].shape[0] = 2;
    both(&p, &f, TIRB_ASSERT, "arg1.dtype is expected to be float32");
    fill(&f);
    f.tensors[0].dl.strides = &stride;
    f.tensors[0].shape[0] = 2;
    both(&p, &f, TIRB_ASSERT, "arg1.strides: expected to be compact array");
    fill(&f);
    f.tensors[0].dl.byte_offset = 4;
    f.tensors[0].shape[0] = 3;
    both(&p, &f, TIRB_ASSERT, "arg1.byte_offset");
    fill(&f);
    f.tensors[0].dl.device.device_type = kDLCUDA;
    both(&p, &f, TIRB_ASSERT, "arg1.device_type");
    fill(&f);
    f.tensors[0].dl.device.device_id = 1;
    both(&p, &f, TIRB_ASSERT, "arg1.device_id");
    fill(&f);
    f.tensors[1].shape[0] = 3;
    both(&p, &f, TIRB_ASSERT, "arg2.shape[0] has an unsatisfied constraint");
    close_programs(&p);
}

/* What the program's own checks do not see. */
static void test_memory(void **state) {
    (void)state;
    programs p;
    frame f;
    float seven[7] = {0};
    tirb_arg many[256] = {{.kind = TIRB_ARG_INT}};
    open_programs(&p, saxpy);
    session *s = &p.machine;
    fill(&f);
    f.args[2].flags = TIRB_ARG_READ_ONLY;
    expect_error(s, run(s, "saxpy", f.args, 3, NULL), TIRB_ARGUMENT, "read-only");
    fill(&f);
    f.args[2] = f.args[1];
    expect_error(s, run(s, "saxpy", f.args, 3, NULL), TIRB_ARGUMENT, "overlaps");
    fill(&f);
    f.tensors[0].shape[0] = f.tensors[1].shape[0] = 7;
    f.tensors[0].dl.data = seven;
    f.tensors[1].dl.data = seven;
    expect_error(s, run(s, "saxpy", f.args, 3, NULL), TIRB_VALUE, "saxpy(...) returned -1");
    expect_error(s, run(s, "saxpy", many, 256, NULL), TIRB_ARGUMENT, "at most 255");
    fill(&f);
    f.tensors[0].dl.ndim = 17;
    expect_error(s, run(s, "saxpy", f.args, 3, NULL), TIRB_SHAPE, "ndim");
    fill(&f);
    f.tensors[0].dl.data = NULL;
    expect_error(s, run(s, "saxpy", f.args, 3, NULL), TIRB_ARGUMENT, "data is NULL");
    fill(&f);
    f.tensors[0].shape[0] = -1;
    expect_error(s, run(s, "saxpy", f.args, 3, NULL), TIRB_SHAPE, "extent is negative");
    fill(&f);
    f.tensors[0].shape[0] = INT64_MAX;
    expect_error(s, run(s, "saxpy", f.args, 3, NULL), TIRB_SHAPE, "bytes than can be addressed");
    close_programs(&p);
}

/* A packed function and tensors that share memory: they can be read, and tirb.may_alias has nothing to name. */
static void test_sharing(void **state) {
    (void)state;
    programs p;
    frame f;
    open_programs(&p, saxpy);
    session *s = &p.machine;
    fill(&f);
    f.args[1].flags = TIRB_ARG_MAY_ALIAS;
    expect_error(s, run(s, "saxpy", f.args, 3, NULL), TIRB_OVERLAP,
                 "argument #1 of saxpy(...): may share memory, which a packed function cannot allow");
    f.args[1].flags = 8;
    expect_error(s, run(s, "saxpy", f.args, 3, NULL), TIRB_ARGUMENT, "its flags are 0x8, this tirb knows 0x3");
    fill(&f); /* nothing overlaps an empty tensor */
    f.tensors[0].shape[0] = f.tensors[1].shape[0] = 0;
    f.tensors[0].dl.data = f.y + 2;
    both(&p, &f, TIRB_OK, NULL);
    f.tensors[1].shape[0] = 4;
    both(&p, &f, TIRB_ASSERT, "arg2.shape[0] has an unsatisfied constraint");
    fill(&f); /* the end of the one is the beginning of the other */
    float memory[8] = {1, 2, 3, 4, 10, 10, 10, 10};
    f.tensors[0].dl.data = memory;
    f.tensors[1].dl.data = memory + 4;
    EXPECT_OK(s, run(s, "saxpy", f.args, 3, NULL));
    assert_true(memory[3] == 4 && memory[7] == 12);
    f.tensors[1].dl.data = memory + 3;
    expect_error(s, run(s, "saxpy", f.args, 3, NULL), TIRB_ARGUMENT, "overlaps");
    f.args[0] = f.args[1]; /* what is only read may be shared with what is only read */
    expect_error(s, run(s, "saxpy", f.args, 3, NULL), TIRB_ASSERT, "Expect arg[0] to be float");
    close_programs(&p);

    static const char attribute[] = "{\"global_symbol\": \"saxpy\", \"calling_conv\": 1";
    char text[sizeof(saxpy) + 100];
    const char *at = strstr(saxpy, attribute);
    size_t before = (size_t)(at - saxpy) + sizeof(attribute) - 1;
    snprintf(text, sizeof text, "%.*s, \"tirb.may_alias\": [[\"args\", \"value\"]]%s", (int)before, saxpy,
             saxpy + before);
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    assert_int_equal(tirb_compile(text, strlen(text), NULL, &result, &error), TIRB_TYPE);
    assert_non_null(strstr(error.message, "tirb.may_alias names 'args', which is no buffer"));
    tirb_compile_result_destroy(result);
}

/* A packed function that gives its tensors on to one with a pair: sharing is then that function's matter, but the
 * memory can still only be read. */
static const char relay[] =
    "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass M:\n"
    "    @T.prim_func(private=True, s_tir=True)\n"
    "    def inner(X: T.Buffer((4,), 'float32'), Y: T.Buffer((4,), 'float32')):\n"
    "        T.func_attr({'tirb.may_alias': [['X', 'Y']]})\n"
    "        for i in range(4):\n"
    "            Y[i] = X[3 - i]\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def outer(args: T.handle, codes: T.handle, n: T.int32, value: T.handle, tcode: T.handle) -> T.int32:\n"
    "        T.func_attr({'calling_conv': 1})\n"
    "        x: T.let[T.handle] = T.tvm_struct_get(args, 0, 12, 'handle')\n"
    "        y: T.let[T.handle] = T.tvm_struct_get(args, 1, 12, 'handle')\n"
    "        xd: T.let[T.handle('float32')] = T.tvm_struct_get(x, 0, 1, 'handle')\n"
    "        yd: T.let[T.handle('float32')] = T.tvm_struct_get(y, 0, 1, 'handle')\n"
    "        X = T.decl_buffer((4,), 'float32', data=xd)\n"
    "        Y = T.decl_buffer((4,), 'float32', data=yd)\n"
    "        M.inner(X, Y)\n"
    "        return 0\n";

static void test_relay(void **state) {
    (void)state;
    programs p;
    tensor t[2];
    float memory[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const float expected[8] = {1, 2, 3, 4, 4, 3, 2, 1};
    open_programs(&p, relay);
    session *s = &p.machine;
    make_tensor(&t[0], memory, f32, 1, 4);
    make_tensor(&t[1], memory + 4, f32, 1, 4);
    const tirb_arg args[] = {tensor_arg(&t[0].dl), tensor_arg(&t[1].dl)};
    EXPECT_OK(s, run(s, "outer", args, 2, NULL));
    assert_memory_equal(memory, expected, sizeof memory);
    t[1].dl.data = memory + 2;
    expect_error(s, run(s, "outer", args, 2, NULL), TIRB_ARGUMENT, "overlaps");
    assert_memory_equal(memory, expected, sizeof memory);
    close_programs(&p);
}

static void test_description(void **state) {
    (void)state;
    programs p;
    tirb_function_info info = TIRB_FUNCTION_INFO_INIT;
    tirb_param_info param = TIRB_PARAM_INFO_INIT;
    open_programs(&p, saxpy);
    assert_int_equal(tirb_module_function(p.machine.module, 0, &info, NULL), TIRB_OK);
    assert_int_equal(info.is_packed, 1);
    assert_int_equal(info.n_params, 0);
    assert_int_equal(info.returns, 0);
    assert_string_equal(info.signature, "saxpy(...)");
    assert_int_equal(tirb_module_param(p.machine.module, 0, 0, &param, NULL), TIRB_NOT_FOUND);
    close_programs(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_call), cmocka_unit_test(test_assertions),
                                       cmocka_unit_test(test_memory), cmocka_unit_test(test_sharing),
                                       cmocka_unit_test(test_relay), cmocka_unit_test(test_description)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
