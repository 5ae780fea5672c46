/* Small bundles that ask for much: what they cost to load is in proportion to their size, and what they do at run time
 * is paid for by fuel, stopped by the memory limit, or both. Where that fails, a test takes minutes or fails for want
 * of memory: nothing here asserts a time. And what they say cannot do anything to a terminal. */
#include "tests/unit/loader_fixture.h"

#include <tirb/compiler.h>
#include <tirb/tirb.h>

static tirb_engine *engine;

static int open_engine(void **state) {
    (void)state;
    return tirb_engine_create(NULL, &engine, NULL) == TIRB_OK ? 0 : -1;
}

static int close_engine(void **state) {
    (void)state;
    tirb_engine_release(engine);
    return 0;
}

static void put(tirbi_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(tirbi_writer *w, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && (size_t)size < sizeof(text));
    tirbi_write_bytes(w, text, (size_t)size);
}

/* Assembles and loads. */
static tirb_module *load(tirbi_writer *text) {
    fixture f;
    fixture_open(&f);
    tirbi_write_u8(text, 0);
    tirbi_writer bytes = fixture_bundle(&f, fixture_assemble(&f, (const char *)text->data));
    tirb_module *module = NULL;
    fixture_ok(&f, tirb_module_load(engine, bytes.data, bytes.size, &module, &f.error), "load");
    tirbi_writer_destroy(&bytes);
    fixture_close(&f);
    return module;
}

/* Calls function 0 with one integer. */
static tirb_status call(tirb_module *module, const tirb_limits *limits, int64_t n) {
    tirb_instance *instance = NULL;
    assert_int_equal(tirb_instance_create(module, limits, &instance, NULL), TIRB_OK);
    const tirb_arg arg = {.kind = TIRB_ARG_INT, .value.i = n};
    tirb_status status = tirb_instance_call(instance, 0, &arg, 1, NULL, NULL);
    tirb_instance_destroy(instance);
    return status;
}

/* A lane loop that splats as many scalars as there can be, several times. */
static void test_many_splats(void **state) {
    (void)state;
    enum { LOOPS = 12, SPLATS = 64000, REGISTERS = 32000 };
    static const char *const types[] = {"i64", "i32"};
    tirbi_heap heap;
    tirbi_writer text;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, ".function \"f\" public\n.scalars %d\n.lanes 1\n.scalar \"n\" i64 s0\n", REGISTERS);
    for (unsigned loop = 0; loop < LOOPS; loop++) {
        put(&text, "lane s0, done%u\n", loop);
        for (unsigned i = 0; i < SPLATS; i++) put(&text, "vsplat.%s v0, s%u\n", types[i / REGISTERS], i % REGISTERS);
        put(&text, "done%u:\nlane.end\n", loop);
    }
    put(&text, "ret.void\n.end\n");
    tirb_module *module = load(&text);
    assert_int_equal(call(module, NULL, 5), TIRB_OK);
    tirb_module_release(module);
    tirbi_writer_destroy(&text);
}

/* Many instructions that all read an operand in memory, which no bank is free for. */
static void test_operands_without_banks(void **state) {
    (void)state;
    enum { INSTRUCTIONS = 300000 };
    tirbi_heap heap;
    tirbi_writer text;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, ".function \"f\" public\n.scalars 2\n.lanes 3\n.ref f32 writable\n.ref f32\n.scalar \"n\" i64 s0\n"
               "alloc.f32 r0, s0\nlane s0, done\n.cursor r1 f32 read 0 0 1\n.cursor r0 f32 write 0 0 1\n"
               "vload.f32 v0, c0\nvload.f32 v2, c0\nvstore.f32 c1, v2\nvadd.f32 v1, v2, v2\n");
    for (unsigned i = 0; i < INSTRUCTIONS; i++) put(&text, "vfma.f32 v1, v0, v2, v1\n");
    put(&text, "vstore.f32 c1, v1\ndone:\nlane.end\nret.void\n.end\n");
    tirb_module *module = load(&text);
    assert_int_equal(call(module, NULL, 5), TIRB_BOUNDS);
    tirb_module_release(module);
    tirbi_writer_destroy(&text);
}

/* Instructions that repeat pack to next to nothing: what they unpack to stays in proportion to the bundle. */
static void test_code_that_unpacks(void **state) {
    (void)state;
    enum { INSTRUCTIONS = 3 << 20, OF_NOP = 2 };
    fixture f;
    fixture_open(&f);
    tirbi_program *program = fixture_assemble(&f, ".function \"f\" public\nnop\nret.void\n.end\n");
    tirbi_function *function = (tirbi_function *)(uintptr_t)&program->functions[0];
    uint32_t size = INSTRUCTIONS * OF_NOP + (function->code_size - OF_NOP);
    uint8_t *code = TIRBI_NEW_ARRAY(&f.arena, uint8_t, size);
    assert_non_null(code);
    for (uint32_t i = 0; i < INSTRUCTIONS; i++) memcpy(code + i * OF_NOP, function->code, OF_NOP);
    memcpy(code + INSTRUCTIONS * OF_NOP, function->code + OF_NOP, function->code_size - OF_NOP);
    function->code = code;
    function->code_size = size;
    function->n_lines = 0;
    tirbi_writer bytes = fixture_bundle(&f, program);
    assert_true(bytes.size < 4096);
    tirb_module *module = NULL;
    assert_int_equal(tirb_module_load(engine, bytes.data, bytes.size, &module, &f.error), TIRB_MEMORY_LIMIT);
    assert_memory_equal(f.error.message, "the code has ", strlen("the code has "));
    tirbi_writer_destroy(&bytes);
    fixture_close(&f);
}

/* ---- Long instructions ----------------------------------------------------------------------------------------- */

/* Assembles a function of n whose body takes long, and lets its time run out. */
static void expect_deadline(const char *refs, const char *body, int64_t n) {
    tirbi_heap heap;
    tirbi_writer text;
    tirb_limits limits = TIRB_LIMITS_INIT;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, ".function \"f\" public\n.scalars 4\n.lanes 8\n%s.scalar \"n\" i64 s0\n%s\nret.void\n.end\n", refs,
        body);
    tirb_module *module = load(&text);
    limits.timeout_ns = 20000000;
    assert_int_equal(call(module, &limits, n), TIRB_DEADLINE);
    tirb_module_release(module);
    tirbi_writer_destroy(&text);
}

/* A row of one element, again and again. */
static void test_long_rows_stop(void **state) {
    (void)state;
    static const char refs[] = ".ref f32 writable\n.ref f32 writable\n";
    expect_deadline(refs, "const64 s1, 1\nalloc.f32 r0, s1\nalloc.f32 r1, s1\n"
                          "fold.f32 0, 0, (s0), r1 f32 0 (0), r0 f32 0 (0), r0 f32 0 (0)", INT64_C(1) << 60);
    expect_deadline(refs,
                    "alloc.f32 r0, s0\nalloc.f32 r1, s0\n"
                    "fold.f32 12, 0, (16383 16383 s0), r1 f32 0 (0 0 0), r0 f32 0 (0 0 1), r0 f32 0 (0 0 1)",
                    INT64_C(1) << 20);
}

/* A contraction of many rows whose other loops are small. */
static void test_many_rows_stop(void **state) {
    (void)state;
    expect_deadline(
        ".ref f32 writable\n.ref f32 writable\n.ref f32 writable\n",
        "alloc.f32 r0, s0\nconst64 s1, 16384\nalloc.f32 r1, s1\nconst64 s2, 1\nshl.i64 s2, s0, s2\nalloc.f32 r2, s2\n"
        "const64 s1, 8192\ncontract.f32 1, 0, (s0 2 s1), r2 f32 0 (2 1 0), r0 f32 0 (1 0 0), r1 f32 0 (0 1 2)",
        INT64_C(1) << 20);
}

/* Rows that follow each other, as one element does itself, and are more lanes together than 63 bits count. */
static void test_lanes_beyond_counting(void **state) {
    (void)state;
    expect_deadline(".ref u8 writable\n",
                    "const64 s1, 65536\nconst64 s2, 1\nalloc.u8 r0, s2\nlane s1, done\n.inner 1000\n.inner s0\n"
                    ".cursor r0 u8 read 2 0 0 0 0\ninner l0\ninner l1\nvload.u8 v0, c0\nvsplat.u8 v1, s2\n"
                    "vdiv.u8 v0, v0, v1\ninner.end l1\ninner.end l0\ndone:\nlane.end", INT64_C(1) << 40);
}

/* A function of one instruction whose frame takes megabytes to clear. */
static void test_large_frames(void **state) {
    (void)state;
    enum { SCALARS = 32768, REFERENCES = 65535 };
    tirbi_heap heap;
    tirbi_writer text;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text,
        ".function \"f\" public\n.scalars 3\n.scalar \"n\" i64 s0\nagain:\ncall #1, s2, () ()\nloop s1, s0, again\n"
        "ret.void\n.end\n.function \"g\"\n.scalars %d\n",
        SCALARS);
    for (unsigned i = 0; i < REFERENCES; i++) put(&text, ".ref i8\n");
    put(&text, "ret.void\n.end\n");
    tirb_module *module = load(&text);
    tirb_limits limits = TIRB_LIMITS_INIT;
    limits.fuel = 20000000;
    assert_int_equal(call(module, &limits, INT64_MAX), TIRB_FUEL);
    limits.max_memory = 1 << 20;
    assert_int_equal(call(module, &limits, INT64_MAX), TIRB_MEMORY_LIMIT);
    tirb_module_release(module);
    tirbi_writer_destroy(&text);
}

/* A loop of many different index expressions. */
static void test_many_expressions(void **state) {
    (void)state;
    enum { STATEMENTS = 12000 };
    tirbi_heap heap;
    tirbi_writer text;
    tirb_compile_result *result = NULL;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, "from tvm.script import tir as T\n@T.prim_func\ndef f(A: T.Buffer((64,), 'float32')):\n    for i in "
               "range(64):\n");
    for (int i = 0; i < STATEMENTS; i++) put(&text, "        A[i] = A[(i * %d + %d) %% 64]\n", i + 1, i);
    assert_int_equal(tirb_compile((const char *)text.data, text.size, NULL, &result, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
    tirbi_writer_destroy(&text);
}

/* Functions that call the next one, of which the last does something, and many calls of that. */
static void test_many_calls(void **state) {
    (void)state;
    enum { FUNCTIONS = 4000, CALLS = 10000 };
    tirbi_heap heap;
    tirbi_writer text;
    tirb_compile_result *result = NULL;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n@I.ir_module\nclass Module:\n");
    for (int i = 0; i <= FUNCTIONS; i++) {
        put(&text, "  @T.prim_func(s_tir=True)\n  def function_number_%d(A: T.Buffer((4,), 'int32')):\n", i);
        if (i < FUNCTIONS) put(&text, "    Module.function_number_%d(A)\n", i + 1);
    }
    put(&text, "    A[0] = A[1]\n  @T.prim_func(s_tir=True)\n  def main(A: T.Buffer((4,), 'int32')):\n");
    for (int i = 0; i < CALLS; i++) put(&text, "    Module.function_number_%d(A)\n", FUNCTIONS);
    assert_int_equal(tirb_compile((const char *)text.data, text.size, NULL, &result, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
    tirbi_writer_destroy(&text);
}

/* What passes try with a nest in vain is memory for the next one: some 40 KB of it are left, for what they make of
 * it. */
static void test_many_nests(void **state) {
    (void)state;
    enum { NESTS = 600, KILOBYTES_EACH = 80 };
    tirbi_writer text;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, "@T.prim_func(s_tir=True)\n"
               "def f(A: T.Buffer((64, 64), \"float32\"), B: T.Buffer((64, 64), \"float32\")):\n");
    for (int i = 0; i < NESTS; i++) {
        if (i % 2) put(&text, "    for i in range(64):\n        B[%d, i] = A[i, %d]\n", i % 64, i % 64);
        else put(&text, "    for i, j in T.grid(64, 64):\n        B[i, j] = A[i, j] * T.float32(%d) + B[j, i]\n", i);
    }
    options.max_memory = (uint64_t)NESTS * KILOBYTES_EACH << 10;
    assert_int_equal(tirb_compile((const char *)text.data, text.size, &options, &result, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
    tirbi_writer_destroy(&text);
}

/* An index in an index in an index: quotients in remainders, and loads in loads. */
static void test_indices_in_indices(void **state) {
    (void)state;
    enum { LEVELS = 60 };
    static const char *const forms[][2] = {{"((", " // 3 + j) % 61)"},
                                           {"I[", " % 64]"},
                                           {"J[", " % 8, j % 8]"},
                                           {"J[j % 8, ", " % 8]"},
                                           {"K[i % 4, ", " % 4, j % 4]"}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        tirbi_heap heap;
        tirbi_heap_init(&heap, NULL, SIZE_MAX);
        tirbi_writer text;
        tirbi_writer_init(&text, &heap);
        put(&text,
            "from tvm.script import tirx as T\n@T.prim_func\n"
            "def f(A: T.Buffer((64, 64), \"float32\"), I: T.Buffer((64,), \"int32\"), "
            "J: T.Buffer((8, 8), \"int32\"), K: T.Buffer((4, 4, 4), \"int32\"), B: T.Buffer((64, 64), \"float32\")):\n"
            "    for i, j in T.grid(64, 64):\n        B[i, j] = A[i, T.min(T.max(");
        for (int k = 0; k < LEVELS; k++) put(&text, "%s", forms[f][0]);
        put(&text, "i");
        for (int k = 0; k < LEVELS; k++) put(&text, "%s", forms[f][1]);
        put(&text, ", 0), 63)]\n");
        tirb_compile_result *result = NULL;
        assert_int_equal(tirb_compile((const char *)text.data, text.size, NULL, &result, NULL), TIRB_OK);
        tirb_compile_result_destroy(result);
        tirbi_writer_destroy(&text);
    }
}

/* Such indices in two expressions that are the same. */
static void test_same_indices(void **state) {
    (void)state;
    enum { LEVELS = 60 };
    static const char *const statements[][4] = {{"if A[", "] > B[i]:\n            B[i] = A[", "]\n", ""},
                                                {"B[", "] = B[", "] + A[i]\n", ""},
                                                {"if A[", "] > B[", "]:\n            B[", "] = A[i]\n"}};
    for (size_t f = 0; f < sizeof statements / sizeof *statements; f++) {
        tirbi_heap heap;
        tirbi_writer text;
        tirb_compile_result *result = NULL;
        tirbi_heap_init(&heap, NULL, SIZE_MAX);
        tirbi_writer_init(&text, &heap);
        put(&text, "from tvm.script import tirx as T\n@T.prim_func\ndef f(A: T.Buffer((64,), \"int32\"), I: "
                   "T.Buffer((64,), \"int32\"), "
                   "B: T.Buffer((64,), \"int32\")):\n    for i in range(64):\n        ");
        for (unsigned part = 0; part < 4 && *statements[f][part]; part++) {
            put(&text, "%s", statements[f][part]);
            if (part == 3 || !*statements[f][part + 1]) break;
            for (int k = 0; k < LEVELS; k++) put(&text, "I[");
            put(&text, "i");
            for (int k = 0; k < LEVELS; k++) put(&text, "]");
        }
        assert_int_equal(tirb_compile((const char *)text.data, text.size, NULL, &result, NULL), TIRB_OK);
        tirb_compile_result_destroy(result);
        tirbi_writer_destroy(&text);
    }
}

/* Many names: of the module, of functions of the host, and where each is looked up among all. */
static void test_many_names(void **state) {
    (void)state;
    enum { NAMES = 40000 };
    tirbi_heap heap;
    tirbi_writer text;
    tirb_compile_result *result = NULL;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, "from tvm.script import tir as T\n");
    for (int i = 0; i < NAMES; i++) put(&text, "x%d = %d\n", i, i);
    put(&text, "@T.prim_func\ndef f(A: T.Buffer((64,), 'float32')):\n");
    for (int i = 0; i < NAMES; i++) put(&text, "    T.evaluate(T.call_extern('int32', 'g%d', x%d))\n", i % 20000, i);
    assert_int_equal(tirb_compile((const char *)text.data, text.size, NULL, &result, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
    tirbi_writer_destroy(&text);
}

/* Sizes of a model that are made of each other: each is compared with those before, and long ones are computed. */
static void test_sizes_of_sizes(void **state) {
    (void)state;
    enum { RESHAPES = 60 };
    tirbi_heap heap;
    tirbi_writer text;
    tirb_compile_result *result = NULL;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, "from tvm.script import relax as R\n@R.function\n"
               "def main(y0: R.Tensor((\"n\", \"m\"), \"float32\")):\n");
    for (int i = 0; i < RESHAPES; i++)
        put(&text, "    y%d = R.reshape(y%d, R.shape([-1, %d]))\n", i + 1, i, i % 7 + 1);
    put(&text, "    return y%d\n", RESHAPES);
    assert_int_equal(tirb_compile((const char *)text.data, text.size, NULL, &result, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
    tirbi_writer_destroy(&text);
}

/* An index of quotients in quotients, each by another size: what one may be is told by those that it is made of. */
static void test_quotients_by_sizes(void **state) {
    (void)state;
    enum { QUOTIENTS = 24 };
    tirbi_heap heap;
    tirbi_writer text;
    tirb_compile_result *result = NULL;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, "from tvm.script import tirx as T\n@T.prim_func\ndef f(a: T.Buffer((\"s\",), \"int32\"), "
               "b: T.Buffer((64,), \"int32\"), m: T.int32");
    for (int i = 0; i < QUOTIENTS; i++) put(&text, ", n%d: T.int32", i);
    put(&text, "):\n    s = T.int32()\n    for i in range(m):\n        b[0] = b[0] + a[");
    for (int i = 0; i < QUOTIENTS; i++) put(&text, "((");
    put(&text, "i");
    for (int i = 0; i < QUOTIENTS; i++) put(&text, ") // n%d + i)", i);
    put(&text, "]\n");
    assert_int_equal(tirb_compile((const char *)text.data, text.size, NULL, &result, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
    tirbi_writer_destroy(&text);
}

/* A model of many values, each with memory for a while. */
static void test_many_temporaries(void **state) {
    (void)state;
    enum { VALUES = 20000 };
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirbi_heap heap;
    tirbi_writer text;
    tirb_compile_result *result = NULL;
    options.max_work = 2000000;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, "from tvm.script import relax as R\n@R.function\ndef main(y0: R.Tensor((2,), \"float32\")):\n");
    for (int i = 0; i < VALUES; i++) put(&text, "    y%d = R.add(y%d, y%d)\n", i + 1, i, i);
    put(&text, "    return y%d\n", VALUES);
    assert_int_equal(tirb_compile((const char *)text.data, text.size, &options, &result, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
    tirbi_writer_destroy(&text);
}

/* A few lines that name expressions of each other, and many that use the last one. */
static void test_expressions_used_again(void **state) {
    (void)state;
    enum { DOUBLINGS = 16, STATEMENTS = 300 };
    tirbi_heap heap;
    tirbi_writer text;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, "from tvm.script import tir as T\n@T.prim_func\ndef f(A: T.Buffer((64,), 'float32')):\n    for i in "
               "range(64):\n"
               "        x0 = T.meta_var(i)\n");
    for (int i = 0; i < DOUBLINGS; i++) put(&text, "        x%d = T.meta_var((x%d + x%d) %% 64)\n", i + 1, i, i);
    for (int i = 0; i < STATEMENTS; i++) put(&text, "        A[x%d] = A[i]\n", DOUBLINGS);
    assert_int_equal(tirb_compile((const char *)text.data, text.size, NULL, &result, &error), TIRB_UNSUPPORTED);
    assert_non_null(strstr(error.message, "those that are used again counted at each use"));
    tirb_compile_result_destroy(result);
    tirbi_writer_destroy(&text);
}

/* ---- Calls after traps ------------------------------------------------------------------------------------------- */

static tirb_arg tensor_arg(DLTensor *tensor, int64_t *shape, void *data, DLDataTypeCode code) {
    *tensor =
        (DLTensor){.data = data, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {(uint8_t)code, 32, 1}, .shape = shape};
    return (tirb_arg){.kind = TIRB_ARG_TENSOR, .value.tensor = tensor};
}

/* A lane loop whose last cursor leads outside traps when others are set already; the loop before it, which has less of
 * them, is entered again by the next call, and its strips are where they were. */
static void test_calls_after_traps(void **state) {
    (void)state;
    enum { ROW = 5, MORE = 2000, BEHIND = 9000 };
    static const char code[] =
        ".function \"f\" public\n.scalars 1\n.lanes 3\n.ref f32\n.ref f32 writable\n.ref u32 writable\n.tensor \"a\" "
        "f32 r0 read (5)\n"
        ".tensor \"b\" f32 r1 read write (5)\n.tensor \"d\" u32 r2 read write (2000)\n.scalar \"start\" i64 s0\n"
        "lane 5, one\n.cursor r0 f32 read 0 0 1\n.cursor r1 f32 readwrite 0 0 1\n"
        "vload.f32 v0, c0\nvload.f32 v1, c1\nvmul.f32 v2, v0, v1\nvadd.f32 v2, v2, v0\nvstore.f32 c1, "
        "v2\none:\nlane.end\n"
        "lane 2, two\n.cursor r2 u32 write 0 0 1\n.cursor r2 u32 write 0 10 1\n.cursor r2 u32 write 0 20 1\n.cursor r2 "
        "u32 write 0 30 1\n"
        ".cursor r2 u32 write 0 40 1\n.cursor r2 u32 write 0 50 1\n.cursor r2 u32 read 0 s0 1\n"
        "vload.u32 v0, c6\nvadd.u32 v0, v0, v0\nvstore.u32 c0, v0\nvstore.u32 c1, v0\nvstore.u32 c2, v0\nvstore.u32 "
        "c3, v0\n"
        "vstore.u32 c4, v0\nvstore.u32 c5, v0\ntwo:\nlane.end\nret.void\n.end\n";
    tirbi_heap heap;
    tirbi_writer text;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    tirbi_write_bytes(&text, code, sizeof(code) - 1);
    tirb_module *module = load(&text);
    tirb_instance *instance = NULL;
    float a[ROW] = {1, 2, 3, 4, 5}, b[ROW] = {0};
    static uint32_t d[MORE];
    int64_t row = ROW, more = MORE;
    DLTensor tensors[3];
    tirb_arg args[] = {tensor_arg(&tensors[0], &row, a, kDLFloat), tensor_arg(&tensors[1], &row, b, kDLFloat),
                       tensor_arg(&tensors[2], &more, d, kDLUInt), {.kind = TIRB_ARG_INT, .value.i = BEHIND}};
    for (uint32_t i = 0; i < MORE; i++) d[i] = 7;
    assert_int_equal(tirb_instance_create(module, NULL, &instance, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_call(instance, 0, args, 4, NULL, NULL), TIRB_BOUNDS);
    args[3].value.i = MORE - 2;
    assert_int_equal(tirb_instance_call(instance, 0, args, 4, NULL, NULL), TIRB_OK);
    for (uint32_t i = 0; i < MORE; i++) assert_int_equal(d[i], i < 60 && i % 10 < 2 ? 14 : 7);
    for (uint32_t i = 0; i < ROW; i++) assert_true(b[i] == a[i] * a[i] + a[i]);
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirbi_writer_destroy(&text);
}

/* ---- What reaches a terminal ----------------------------------------------------------------------------------- */

static void expect_plain(const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if ((*c < ' ' && *c != '\n') || *c == 0x7F || (*c == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F)) {
            fail_msg("byte 0x%02x in '%s'", *c, text);
        }
    }
}

/* A program says what it likes in its messages, but cannot make a terminal or a log do something. */
static void test_messages_are_plain(void **state) {
    (void)state;
    tirbi_heap heap;
    tirbi_writer text;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_writer_init(&text, &heap);
    put(&text, ".source \"a\\x1b[1m.py\"\n.function \"f\" public\n.scalars 1\n.scalar \"n\" i64 s0\n"
               "assert s0, \"\\x1b]0;title\\x07\", \"line\\x0a\\x7f\\xc2\\x9b2J \\xc3\\xa9\"\nret.void\n.end\n");
    tirb_module *module = load(&text);
    tirb_instance *instance = NULL;
    assert_int_equal(tirb_instance_create(module, NULL, &instance, NULL), TIRB_OK);
    const tirb_arg arg = {.kind = TIRB_ARG_INT};
    tirb_error error = TIRB_ERROR_INIT;
    assert_int_equal(tirb_instance_call(instance, 0, &arg, 1, NULL, &error), TIRB_ASSERT);
    expect_plain(error.message);
    expect_plain(error.where);
    assert_string_equal(error.message, "?]0;title?: line????2J \xc3\xa9 (in f)");
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirbi_writer_destroy(&text);
}

static void test_names_are_plain(void **state) {
    (void)state;
    fixture f;
    fixture_open(&f);
    static const char *const names[] = {"a\\x1b[2J", "a\\xc2\\x9b2J", "\\x7f", "a b"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char text[200];
        snprintf(text, sizeof(text), ".function \"%s\" public\nret.void\n.end\n", names[i]);
        assert_int_equal(tirbi_verify(fixture_assemble(&f, text), &f.heap, &f.error), TIRB_VERIFY);
        assert_non_null(strstr(f.error.message, "in its name"));
    }
    fixture_close(&f);
}

static void test_diagnostics_are_plain(void **state) {
    (void)state;
    static const char text[] =
        "from tvm.script import tir as T\n@T.prim_func\ndef f(A: T.Buffer((4,), 'float32')):\n"
        "    T.func_attr({'a\x1b[2J\xc2\x9b': 1, 'a\x1b[2J\xc2\x9b': 2})\n    A[0] = 1.0 \x1b\x07\n";
    tirb_compile_result *result = NULL;
    char shown[1024];
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.file_name = "a\x1b[2J.py";
    assert_int_not_equal(tirb_compile(text, sizeof(text) - 1, &options, &result, NULL), TIRB_OK);
    assert_true(tirb_compile_result_diagnostic_count(result) > 0);
    for (uint32_t i = 0; i < tirb_compile_result_diagnostic_count(result); i++) {
        tirb_compile_result_format(result, i, shown, sizeof(shown));
        expect_plain(shown);
    }
    tirb_compile_result_destroy(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_splats),        cmocka_unit_test(test_large_frames),
        cmocka_unit_test(test_messages_are_plain), cmocka_unit_test(test_names_are_plain),
        cmocka_unit_test(test_diagnostics_are_plain), cmocka_unit_test(test_many_expressions),
        cmocka_unit_test(test_operands_without_banks), cmocka_unit_test(test_long_rows_stop),
        cmocka_unit_test(test_many_rows_stop),
        cmocka_unit_test(test_lanes_beyond_counting),     cmocka_unit_test(test_expressions_used_again),
        cmocka_unit_test(test_code_that_unpacks),  cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_indices_in_indices), cmocka_unit_test(test_calls_after_traps),
        cmocka_unit_test(test_same_indices),       cmocka_unit_test(test_many_calls),
        cmocka_unit_test(test_many_nests),       cmocka_unit_test(test_sizes_of_sizes),
        cmocka_unit_test(test_many_temporaries), cmocka_unit_test(test_quotients_by_sizes),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
