/* What only some lanes may compute: it ends the call where one of these lanes has an index out of bounds or divides by zero,
 * and nowhere else, on every instruction set and where nothing is in lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <tirb/compiler.h>
#include <tirb/tirb.h>

enum { N = 300, M = 20 };

#define TEXT(value)                                                                                                    \
    "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"                                                     \
    "def f(A: T.Buffer((20,), \"int32\"), K: T.Buffer((300,), \"int32\"), O: T.Buffer((300,), \"int32\")):\n"          \
    "    for i in range(300):\n        O[i] = " value "\n"

typedef struct program {
    const char *text;
    int32_t bad;         /* of K: where the condition holds, this fails */
    int32_t unused;      /* and this does not, for it does not hold */
    tirb_status status;
} program;

static const program programs[] = {
    {TEXT("T.if_then_else(K[i] >= 0, A[K[i]], 7)"), M, -5, TIRB_BOUNDS},
    {TEXT("T.if_then_else(K[i] < 5, 7, A[K[i] - 5])"), M + 5, -400, TIRB_BOUNDS},
    {TEXT("T.if_then_else(K[i] < 90 and A[K[i]] >= 0, 3, 4)"), 89, 90, TIRB_BOUNDS},
    {TEXT("T.if_then_else(K[i] > 90 or A[K[i]] >= 0, 3, 4)"), -1, 91, TIRB_BOUNDS},
    {TEXT("T.if_then_else(K[i] >= 0, T.if_then_else(K[i] < 19, A[K[i] + 1], A[A[K[i] * 2 - 40]]), 7)"), 40, -1, TIRB_BOUNDS},
    {TEXT("T.if_then_else(K[i] < 100, 1000 // (K[i] - 50), 7)"), 50, 150, TIRB_DIVIDE},
    {TEXT("T.if_then_else(K[i] != 0 and K[i] < 100, 1000 % (K[i] * (K[i] - 50)), 7)"), 50, 0, TIRB_DIVIDE},
    {TEXT("T.if_then_else(K[i] >= 0, A[(K[i] * 3) // 4 * 4 + (K[i] * 3) % 4], 7)"), 7, -1, TIRB_BOUNDS},
};

static tirb_status call(const program *p, uint32_t disabled, tirb_isa isa, int32_t *a, int32_t *k, int32_t *o) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_engine_options engine_options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_engine *engine = NULL;
    tirb_module *module = NULL;
    tirb_instance *instance = NULL;
    size_t size;
    options.disabled = disabled;
    engine_options.isa = isa;
    assert_int_equal(tirb_compile(p->text, strlen(p->text), &options, &result, NULL), TIRB_OK);
    assert_int_equal(tirb_engine_create(&engine_options, &engine, NULL), TIRB_OK);
    const void *bytes = tirb_compile_result_bytes(result, &size);
    assert_int_equal(tirb_module_load(engine, bytes, size, &module, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_create(module, NULL, &instance, NULL), TIRB_OK);
    int64_t shapes[3] = {M, N, N};
    int32_t *const data[3] = {a, k, o};
    DLTensor tensors[3];
    tirb_arg args[3];
    for (int i = 0; i < 3; i++) {
        tensors[i] = (DLTensor){.data = data[i], .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLInt, 32, 1}, .shape = &shapes[i]};
        args[i] = (tirb_arg){TIRB_ARG_TENSOR, 0, {.tensor = &tensors[i]}};
    }
    tirb_status status = tirb_instance_call(instance, 0, args, 3, NULL, NULL);
    tirb_instance_destroy(instance);
    tirb_module_release(module);
    tirb_engine_release(engine);
    tirb_compile_result_destroy(result);
    return status;
}

static void fails_where_the_condition_holds(void **state) {
    (void)state;
    static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
    static int32_t a[M], k[N], o[N], plain[N];
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        for (unsigned i = 0; i < sizeof isas / sizeof *isas; i++) {
            if (!tirb_isa_available(isas[i])) continue;
            for (int32_t j = 0; j < M; j++) a[j] = j * 7 % M;
            for (int32_t j = 0; j < N; j++) k[j] = j % 5 == 0 ? programs[p].unused : 1 + j % 6;
            if (programs[p].unused == 0 || programs[p].bad == 7)
                for (int32_t j = 0; j < N; j++) k[j] = j % 3 == 0 ? programs[p].unused : 1;
            assert_int_equal(call(&programs[p], 0, isas[i], a, k, o), TIRB_OK);
            assert_int_equal(call(&programs[p], TIRB_PASS_LANES, isas[i], a, k, plain), TIRB_OK);
            assert_memory_equal(o, plain, sizeof o);
            k[N - 3] = programs[p].bad;
            assert_int_equal(call(&programs[p], 0, isas[i], a, k, o), programs[p].status);
            assert_int_equal(call(&programs[p], TIRB_PASS_LANES, isas[i], a, k, plain), programs[p].status);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fails_where_the_condition_holds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
