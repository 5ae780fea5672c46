#include "tests/bench/bench.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <tirb/tirb.h>

#include "loader/isa/isa.h"
#include "vm/lanes/kernels.h"

enum { N = 1024, REPEATS = 9 };

static _Alignas(64) uint8_t operands[3][N * 8], result[N * 8];

/* Ordinary values: 0.5 .. 4.5 for floats, 1 .. 100 for integers, alternating bools. */
static void fill(uint8_t *to, tirbi_dtype type, unsigned seed) {
    for (size_t i = 0; i < N; i++) {
        double value = 0.5 + (double)((i * 2654435761u + seed) % 4096) / 1024;
        int64_t integer = (int64_t)((i * 2654435761u + seed) % 100) + 1;
        float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        uint16_t half = type == TIRB_F16 ? (uint16_t)(0x3800 + i % 2048) : (uint16_t)(bits >> 16);
        size_t size = tirbi_dtypes[type].size;
        uint8_t *at = to + i * size;
        if (type == TIRB_F64)
            memcpy(at, &value, size);
        else if (type == TIRB_F32)
            memcpy(at, &narrow, size);
        else if (tirbi_dtype_is_float(type))
            memcpy(at, &half, size);
        else if (type == TIRB_BOOL)
            *at = i & 1;
        else
            memcpy(at, &integer, size);
    }
}

static double time_kernel(tirbi_kernel kernel) {
    double best = 1e30;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = bench_now();
        int calls = 0;
        do {
            kernel(result, operands[0], operands[1], operands[2], N);
            calls++;
        } while (bench_now() - start < 2e5);
        double each = (bench_now() - start) / calls / N;
        if (each < best) best = each;
    }
    return best;
}

/* One row of a table of the C library's functions, for comparison. */
#define LIBRARY_1(F)                                                                            \
    static bool library_##F(void *d, const void *a, const void *b, const void *c, size_t n) {   \
        (void)b, (void)c;                                                                       \
        for (size_t i = 0; i < n; i++) ((float *)d)[i] = F##f(((const float *)a)[i]);           \
        return true;                                                                            \
    }                                                                                           \
    static bool library64_##F(void *d, const void *a, const void *b, const void *c, size_t n) { \
        (void)b, (void)c;                                                                       \
        for (size_t i = 0; i < n; i++) ((double *)d)[i] = F(((const double *)a)[i]);            \
        return true;                                                                            \
    }
#define LIBRARY_2(F)                                                                                         \
    static bool library_##F(void *d, const void *a, const void *b, const void *c, size_t n) {                \
        (void)c;                                                                                             \
        for (size_t i = 0; i < n; i++) ((float *)d)[i] = F##f(((const float *)a)[i], ((const float *)b)[i]); \
        return true;                                                                                         \
    }                                                                                                        \
    static bool library64_##F(void *d, const void *a, const void *b, const void *c, size_t n) {              \
        (void)c;                                                                                             \
        for (size_t i = 0; i < n; i++) ((double *)d)[i] = F(((const double *)a)[i], ((const double *)b)[i]); \
        return true;                                                                                         \
    }
#define FUNCTIONS_1(X)                                                                                             \
    X(exp)                                                                                                         \
    X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) \
        X(tanh) X(asinh) X(acosh) X(atanh) X(erf)
#define FUNCTIONS_2(X) X(pow) X(fmod) X(atan2) X(hypot)
FUNCTIONS_1(LIBRARY_1)
FUNCTIONS_2(LIBRARY_2)

static tirbi_kernel library_function(const char *name, tirbi_dtype type) {
#define X(f)                                                           \
    if (strcmp(name, #f) == 0 && type == TIRB_F32) return library_##f; \
    if (strcmp(name, #f) == 0 && type == TIRB_F64) return library64_##f;
    FUNCTIONS_1(X)
    FUNCTIONS_2(X)
#undef X
    return NULL;
}

int bench_lanes(int n_words, char **words) {
    static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
    printf("%-16s %9s %9s %9s %9s   ns per element\n", "kernel", "generic", "avx2", "avx512", "libm");
    for (unsigned op = TIRBI_FIRST_ELEMENTWISE; op < TIRBI_FIRST_ELEMENTWISE + TIRBI_N_ELEMENTWISE; op++)
        for (unsigned t = 0; t < TIRB_N_DTYPES; t++) {
            const tirbi_op_info *info = &tirbi_ops[op];
            if (tirbi_kernels(TIRB_ISA_GENERIC)->op[op - TIRBI_FIRST_ELEMENTWISE][t] == NULL) continue;
            char name[32];
            snprintf(name, sizeof name, "%s.%s", info->mnemonic, tirbi_dtypes[t].name);
            if (!bench_wanted(name, n_words, words)) continue;
            for (unsigned k = 0; k < info->arity; k++)
                fill(operands[k], tirbi_op_operand_type((tirbi_op)op, (tirbi_dtype)t, (tirbi_dtype)t, k), k * 77);
            printf("%-16s", name);
            for (size_t k = 0; k < sizeof isas / sizeof *isas; k++)
                if (tirb_isa_available(isas[k]))
                    printf(" %9.3f", time_kernel(tirbi_kernels(isas[k])->op[op - TIRBI_FIRST_ELEMENTWISE][t]));
                else
                    printf(" %9s", "-");
            tirbi_kernel library = library_function(info->mnemonic, (tirbi_dtype)t);
            if (library != NULL) printf(" %9.3f", time_kernel(library));
            printf("\n");
        }
    return 0;
}
