/* Lanes of 4 bytes that stand for bools, small integers and halves, and lanes of one byte: every instruction set beside
 * code that does one iteration after the other, at odd addresses, in arrays of all lengths that end where memory
 * does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tirb/compiler.h>
#include <tirb/tirb.h>

/* B is a bool's bytes: any but 0 is true. */
static const char *const bodies[] = {
    "Y[i] = T.Select(X[i] > F[i], X[i], X[i] * T.float32(0.01))",
    "Y[i] = T.if_then_else(B[i], X[i], F[i])",
    "Y[i] = T.Select(T.And(X[i] >= F[i], T.Not(B[i])), X[i] - F[i], T.float32(7))",
    "Y[i] = T.Cast(\"float32\", U[i]) * T.float32(0.5) + T.Cast(\"float32\", S[i])",
    "U[i] = T.Cast(\"uint8\", X[i] * T.float32(100))",
    "S[i] = T.Cast(\"int16\", T.Cast(\"int32\", S[i]) * 3 + T.Cast(\"int32\", U[i]))",
    "S[i] = T.Cast(\"int16\", F[i] * T.float32(9000))",
    "B[i] = X[i] == X[i] and X[i] < F[i]",
    "H[i] = H[i] * T.float16(0.75) + T.Cast(\"float16\", X[i])",
    "H[i] = T.max(H[i] + T.Cast(\"float16\", F[i]), T.float16(0)) * H[i]",
    "K[i] = K[i] * T.bfloat16(1.5) - T.Cast(\"bfloat16\", F[i])",
    "Y[i] = T.Cast(\"float32\", H[i] < T.Cast(\"float16\", U[i])) + T.Cast(\"float32\", K[i])",
    "H[i] = T.Select(B[i], H[i], T.Cast(\"float16\", K[i]) * H[i])",
    "Y[i] = T.Cast(\"float32\", T.Cast(\"int32\", X[i] * T.float32(1e9)))",
    "U[i] = T.max(T.min(U[i], V[i]), T.uint8(9)) - V[i] * T.uint8(5)",
    "U[i] = T.if_then_else(U[i] == T.uint8(3) or (U[i] >= V[i] and B[i]), V[i], T.uint8(1))",
    "G[i] = T.Select(T.int8(3) > G[i], T.abs(G[i]), T.max(G[i], T.int8(-7)) * T.Cast(\"int8\", V[i]))",
    "B[i] = G[i] > T.int8(0) and T.Not(B[i])",
    "B[i] = B[i] == (U[i] != V[i])",
    "G[i] = T.int8(0) - G[i] + T.Cast(\"int8\", B[i])",
    "U[i] = T.bitwise_or(T.bitwise_and(T.Cast(\"uint8\", G[i]), V[i]), T.bitwise_xor(U[i], T.uint8(85)))",
    "U[i] = T.Select(T.Cast(\"bool\", U[i]), V[i], T.shift_right(U[i], T.uint8(2)))",
    "B[i] = T.Select(B[i], G[i] <= T.int8(0), U[i] < V[i])",
};
enum { BOOLS = 6 }; /* a code that DLPack 0.6 has no name for */
enum { N_BODIES = sizeof bodies / sizeof *bodies, N_ARRAYS = 9, MOST = 1100 };

static const DLDataType types[N_ARRAYS] = {{kDLFloat, 32, 1}, {kDLFloat, 32, 1}, {kDLFloat, 32, 1}, {kDLUInt, 8, 1},
                                           {kDLInt, 16, 1},   {BOOLS, 8, 1},   {kDLFloat, 16, 1}, {kDLUInt, 8, 1},
                                           {kDLInt, 8, 1}};
static const DLDataType bfloat = {kDLBfloat, 16, 1};

static void fill(uint8_t *to, DLDataType type, size_t n, unsigned seed) {
    for (size_t i = 0; i < n * (type.bits / 8u); i++) to[i] = (uint8_t)((i * 167 + i / 13 * 59 + seed * 31) >> (i % 3));
    for (size_t i = 0; type.bits == 32 && i < n; i++) {
        const float common = (float)((int)(i * 37 % 101) - 50) / 16;
        if (i % 5 != 0) memcpy(to + 4 * i, &common, sizeof common);
    }
}

/* The arrays' bytes after a call, each of which begins `offset` bytes off its alignment. */
static void run(tirb_module *module, int64_t n, size_t offset, uint8_t *out) {
    uint8_t *memory[N_ARRAYS + 1];
    DLTensor tensors[N_ARRAYS + 1];
    tirb_arg args[N_ARRAYS + 1];
    tirb_instance *instance;
    uint32_t function;
    for (unsigned a = 0; a <= N_ARRAYS; a++) {
        const DLDataType type = a < N_ARRAYS ? types[a] : bfloat;
        const size_t bytes = (size_t)n * (type.bits / 8u);
        memory[a] = malloc(bytes + offset + 1); /* which AddressSanitizer watches */
        fill(memory[a] + offset, type, (size_t)n, a);
        tensors[a] =
            (DLTensor){.data = memory[a] + offset, .device = {kDLCPU, 0}, .ndim = 1, .dtype = type, .shape = &n};
        args[a] = (tirb_arg){.kind = TIRB_ARG_TENSOR};
        args[a].value.tensor = &tensors[a];
    }
    assert_int_equal(tirb_instance_create(module, NULL, &instance, NULL), TIRB_OK);
    assert_int_equal(tirb_module_find(module, "f", &function, NULL), TIRB_OK);
    assert_int_equal(tirb_instance_call(instance, function, args, N_ARRAYS + 1, NULL, NULL), TIRB_OK);
    tirb_instance_destroy(instance);
    for (unsigned a = 0; a <= N_ARRAYS; a++) {
        const size_t bytes = (size_t)n * (a < N_ARRAYS ? types[a].bits : bfloat.bits) / 8u;
        memcpy(out + a * MOST * 4, memory[a] + offset, bytes);
        free(memory[a]);
    }
}

static tirb_module *load(tirb_engine *engine, const char *body, const char *disable) {
    char text[1024];
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    tirb_compile_result *result = NULL;
    tirb_module *module;
    size_t size;
    options.disable = disable;
    snprintf(text, sizeof text,
             "from tvm.script import tirx as T\n@T.prim_func(s_tir=True)\n"
             "def f(X: T.Buffer((\"n\",), \"float32\"), F: T.Buffer((\"n\",), \"float32\"), Y: T.Buffer((\"n\",), "
             "\"float32\"), "
             "U: T.Buffer((\"n\",), \"uint8\"), S: T.Buffer((\"n\",), \"int16\"), B: T.Buffer((\"n\",), \"bool\"), "
             "H: T.Buffer((\"n\",), \"float16\"), V: T.Buffer((\"n\",), \"uint8\"), G: T.Buffer((\"n\",), \"int8\"), "
             "K: T.Buffer((\"n\",), \"bfloat16\")):\n"
             "    n = T.int32()\n    for i in range(n):\n        %s\n",
             body);
    assert_int_equal(tirb_compile(text, strlen(text), &options, &result, NULL), TIRB_OK);
    const uint8_t *bytes = tirb_compile_result_bytes(result, &size);
    assert_int_equal(tirb_module_load(engine, bytes, size, &module, NULL), TIRB_OK);
    tirb_compile_result_destroy(result);
    return module;
}

static tirb_engine *engine_of(tirb_isa isa) {
    tirb_engine_options options = TIRB_ENGINE_OPTIONS_INIT;
    tirb_engine *engine;
    options.isa = isa;
    assert_int_equal(tirb_engine_create(&options, &engine, NULL), TIRB_OK);
    return engine;
}

static void as_one_by_one(void **state) {
    static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
    static uint8_t want[(N_ARRAYS + 1) * MOST * 4], got[sizeof want];
    (void)state;
    tirb_engine *plain = engine_of(TIRB_ISA_GENERIC);
    for (unsigned k = 0; k < sizeof isas / sizeof *isas; k++) {
        if (!tirb_isa_available(isas[k])) continue;
        tirb_engine *engine = engine_of(isas[k]);
        for (unsigned b = 0; b < N_BODIES; b++) {
            tirb_module *expected = load(plain, bodies[b], "lanes"), *tried = load(engine, bodies[b], NULL);
            for (int64_t n = 1; n < MOST; n += n < 70 ? 1 : 59) {
                memset(want, 0, sizeof want);
                memset(got, 0, sizeof got);
                run(expected, n, (size_t)(n % 4), want);
                run(tried, n, (size_t)(n % 3), got);
                if (memcmp(got, want, sizeof got) != 0)
                    print_message("%s: %s: n = %d\n", tirb_isa_name(isas[k]), bodies[b], (int)n);
                assert_memory_equal(got, want, sizeof got);
            }
            tirb_module_release(expected);
            tirb_module_release(tried);
        }
        tirb_engine_release(engine);
    }
    tirb_engine_release(plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
