/* How long each kernel and form takes on every instruction set. */
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

double time_calls(void (*call)(void *), void *context) {
    double best = 1e30;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = now();
        int calls = 0;
        do { /* the clock takes longer than some calls */
            for (int batch = 0; batch < 16; batch++) call(context);
            calls += 16;
        } while (now() - start < 1e5);
        double each = (now() - start) / calls;
        if (each < best) best = each;
    }
    return best;
}

static void run_kernel(void *context) {
    const tirbi_kernel *kernel = context;
    (*kernel)(result, operands[0], operands[1], operands[2], N);
}

static double time_kernel(tirbi_kernel kernel) { return time_calls(run_kernel, &kernel) / N; }

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
        for (unsigned k = 0; k < twin_arity(id); k++) put_ordinary(operands[k], twin_operand(id, k), N, k * 77);
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
    if (n > 0) {
        printf("%-18s %9s", "geometric mean", "");
        for (unsigned k = 0; k < n_isas; k++) printf(" %9s %6.1f", "", exp(sums[k] / n));
        printf("\n");
    }
    bench_forms(n_words, words);
    bench_canonical_stores();
    return 0;
}
