/* Memory that runs out at any moment: each allocation fails once, and then all from one on, of compiling and printing a
 * text of each language, and of a module's whole life with constants, a cache and results that a call makes. What fails
 * says so and loses nothing; what is done all the same is done right. */
#include "tests/unit/api_fixture.h"
#include "tests/unit/sampled.h"

#include <limits.h>

#include <tirb/compiler.h>

static const char schedule[] =
    "from tvm.script import tir as T\n@T.prim_func\ndef f(a: T.handle, b: T.handle):\n    n = T.int32()\n"
    "    A = T.match_buffer(a, (n, 8), 'float32')\n    B = T.match_buffer(b, (n,), 'float32')\n"
    "    C = T.alloc_buffer((n, 8), 'float32')\n    for i, j in T.grid(n, 8):\n        with T.block('c'):\n"
    "            vi, vj = T.axis.remap('SS', [i, j])\n            C[vi, vj] = T.exp(A[vi, vj]) * T.float32(2)\n"
    "    for i, j in T.grid(n, 8):\n        with T.block('b'):\n            vi, vj = T.axis.remap('SR', [i, j])\n"
    "            with T.init():\n                B[vi] = T.float32(0)\n            B[vi] = B[vi] + C[vi, vj]\n";
static const char model[] =
    "from tvm.script import relax as R, ir as I\n@I.ir_module\nclass Module:\n    @R.function\n"
    "    def main(x: R.Tensor(('n', 4), 'float32'), w: R.Tensor((4, 4), 'float32')):\n        with R.dataflow():\n"
    "            y = R.nn.relu(R.matmul(x, w))\n            z = R.nn.softmax(R.add(y, R.const(2.0, 'float32')))\n"
    "            s = R.sum(z, axis=[0])\n            R.output(z, s)\n        return (z, s)\n";
static const char comprehension[] =
    "def mm(float(M,K) A, float(K,N) B) -> (C, D) {\n  C(i,j) +=! A(i,k) * B(k,j)\n"
    "  D(i) max=! fmax(C(i,j), 0.0) where j in 0:N\n}\n";
static const char wrong[] =
    "from tvm.script import tir as T\n@T.prim_func\ndef f(A: T.Buffer((4,), 'float32')):\n    A[0] = B[1]\n"
    "    A[1] = 1 +\n";

typedef struct text {
    const char *chars;
    tirb_language language;
    tirb_status status; /* where there is memory */
} text;

static const text texts[] = {{schedule, TIRB_LANGUAGE_TVMSCRIPT, TIRB_OK},
                             {model, TIRB_LANGUAGE_TVMSCRIPT, TIRB_OK},
                             {comprehension, TIRB_LANGUAGE_TENSOR_COMPREHENSIONS, TIRB_OK},
                             {wrong, TIRB_LANGUAGE_TVMSCRIPT, TIRB_SYNTAX}};
enum { N_TEXTS = sizeof texts / sizeof *texts };

/* Compiles or prints it. What it gives is appended to `made`, or is what stands there. */
static tirb_status convert(failing_allocator *memory, const text *t, bool print, bundle *made) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    options.allocator = (tirb_allocator){failing_reallocate, memory};
    options.language = t->language;
    options.explain = options.show_plan = !print;
    options.show_ir = print ? NULL : "";
    const size_t length = strlen(t->chars);
    const tirb_status status = print ? tirb_format(t->chars, length, TIRB_DIALECT_SAME, &options, &result, &error)
                                     : tirb_compile(t->chars, length, &options, &result, &error);
    size_t size = 0;
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    assert_true((status == TIRB_OK) == (bytes != NULL));
    if (status != TIRB_OK) assert_true(error.code == status && error.message[0] != 0);
    if (bytes && !made->bytes) {
        made->bytes = malloc(size);
        assert_non_null(made->bytes);
        memcpy(made->bytes, bytes, size);
        made->size = size;
    } else if (bytes) {
        assert_int_equal(size, made->size);
        assert_memory_equal(bytes, made->bytes, size);
    }
    tirb_compile_result_destroy(result);
    return status;
}

static void fail_in_compiler(const text *t, bool print, bool goes_on) {
    failing_allocator calm = {0};
    bundle made = {0};
    assert_int_equal(convert(&calm, t, print, &made), t->status);
    assert_int_equal(calm.live, 0);
    /* Where a sample is taken: the first ones, and of the others some, which differ with what is compiled. */
    const long every = sampled_every(), all = 64 + (long)(t - texts) % every;
    for (long n = 1; n <= calm.calls; n += n < all ? 1 : every) {
        failing_allocator memory = {.fail_from = n, .fail_to = goes_on ? LONG_MAX : n};
        const tirb_status status = convert(&memory, t, print, &made);
        if (memory.live != 0) fail_msg("allocation %ld: %zu bytes leak", n, memory.live);
        if (status != t->status && status != TIRB_NO_MEMORY)
            fail_msg("allocation %ld of %ld: %s", n, calm.calls, tirb_status_name(status));
    }
    free(made.bytes);
}

static void test_compiler(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4 * N_TEXTS; i++) fail_in_compiler(&texts[i / 4], i % 2, i / 2 % 2);
}

/* ---- A module's life -------------------------------------------------------------------------------------------- */

/* A call of the model: from an engine that keeps modules to tensors that outlive it. */
static tirb_status live(failing_allocator *memory, const bundle *b) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_engine *engine = NULL;
    tirb_module *module = NULL, *again = NULL;
    tirb_instance *instance = NULL;
    DLManagedTensor *z = NULL, *sum = NULL;
    options.allocator = (tirb_allocator){failing_reallocate, memory};
    options.cache_bytes = 1 << 22;
    tirb_status status = tirb_engine_create(&options, &engine, &error);
    if (status == TIRB_OK) status = tirb_module_load(engine, b->bytes, b->size, &module, &error);
    if (status == TIRB_OK) status = tirb_module_load(engine, b->bytes, b->size, &again, &error);
    if (status == TIRB_OK) status = tirb_instance_create(again, NULL, &instance, &error);
    float x[8] = {1, -2, 3}, w[16] = {1, 0, 0, 0, 0, 1};
    tensor from, weights;
    const tirb_arg args[] = {tensor_arg(make_tensor(&from, x, F32, 2, 2, 4)),
                             tensor_arg(make_tensor(&weights, w, F32, 2, 4, 4)),
                             {.kind = TIRB_ARG_RESULT, .value.result = &z},
                             {.kind = TIRB_ARG_RESULT, .value.result = &sum}};
    if (status == TIRB_OK) status = tirb_instance_call(instance, find(again, "main"), args, 4, NULL, &error);
    if (status != TIRB_OK) assert_true(error.code == status && error.message[0] != 0);
    assert_true(status == TIRB_OK ? z && sum : !z && !sum);
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_module_release(again);
    tirb_engine_release(engine);
    if (z) {
        const float *rows = z->dl_tensor.data, *both = sum->dl_tensor.data;
        for (unsigned i = 0; i < 4; i++) assert_true(rows[i] > 0 && both[i] == rows[i] + rows[i + 4]);
        z->deleter(z);
        sum->deleter(sum);
    }
    return status;
}

static void test_life(void **state) {
    (void)state;
    failing_allocator calm = {0}, unlimited = {0};
    bundle b = {0};
    assert_int_equal(convert(&unlimited, &texts[1], false, &b), TIRB_OK);
    assert_int_equal(live(&calm, &b), TIRB_OK);
    assert_int_equal(calm.live, 0);
    for (long n = 1; n <= 2 * calm.calls; n++) {
        const long first = (n + 1) / 2;
        failing_allocator memory = {.fail_from = first, .fail_to = n % 2 ? first : LONG_MAX};
        const tirb_status status = live(&memory, &b);
        if (memory.live != 0) fail_msg("allocation %ld: %zu bytes leak", first, memory.live);
        if (status != TIRB_OK && status != TIRB_NO_MEMORY)
            fail_msg("allocation %ld: %s", first, tirb_status_name(status));
    }
    free(b.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compiler), cmocka_unit_test(test_life)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
