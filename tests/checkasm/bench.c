/* How long each kernel takes on every instruction set. */
#include "tests/checkasm/checkasm.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { N = 1024, REPEATS = 5 };

static _Alignas(64) uint8_t operands[3][N * 8], result[N * 8];

/* Processor time of this process in nanoseconds: what else runs on the machine does not count. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

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
        double start = now();
        int calls = 0;
        do {
            kernel(result, operands[0], operands[1], operands[2], N);
            calls++;
        } while (now() - start < 1e5);
        double each = (now() - start) / calls / N;
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

int bench_twins(int n_words, char **words) {
    tirb_isa isas[TIRBI_N_ISAS];
    unsigned n_isas = simd_isas(isas);
    printf("%-18s %9s", "ns per element", "generic");
    for (unsigned k = 0; k < n_isas; k++) printf(" %9s %6s", tirb_isa_name(isas[k]), "times");
    printf(" %9s\n", "libm");
    twin_id id;
    double sums[TIRBI_N_ISAS] = {0};
    unsigned n = 0;
    for (bool first = true; next_twin(&id, first); first = false) {
        if (!twin_wanted(id, n_words, words)) continue;
        for (unsigned k = 0; k < twin_arity(id); k++) fill(operands[k], twin_operand(id, k), k * 77);
        char name[48];
        twin_name(id, name, sizeof name);
        double generic = time_kernel(twin_kernel(tirbi_kernels(TIRB_ISA_GENERIC), id));
        printf("%-18s %9.3f", name, generic);
        for (unsigned k = 0; k < n_isas; k++) {
            double ns = time_kernel(twin_kernel(tirbi_kernels(isas[k]), id));
            sums[k] += log(generic / ns);
            printf(" %9.3f %6.1f", ns, generic / ns);
        }
        tirbi_kernel library = NULL;
        if (id.kind == TWIN_OP) library = library_function(tirbi_ops[id.row].mnemonic, (tirbi_dtype)id.column);
        if (library != NULL) printf(" %9.3f", time_kernel(library));
        printf("\n");
        n++;
    }
    if (n == 0) return 1;
    printf("%-18s %9s", "geometric mean", "");
    for (unsigned k = 0; k < n_isas; k++) printf(" %9s %6.1f", "", exp(sums[k] / n));
    printf("\n");
    return 0;
}
