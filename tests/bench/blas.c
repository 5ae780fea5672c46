/* A BLAS to compare with, loaded where this machine has one. */
#include "tests/bench/bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a,
                      int lda, const float *b, int ldb, float beta, float *c, int ldc);
enum { ROW_MAJOR = 101, AS_IS = 111 };

struct bench_blas {
    void *library;
    sgemm multiply;
};

/* OpenBLAS picks its kernels by the model of the CPU; for those that it does not know it picks slow ones. Who sets
 * OPENBLAS_CORETYPE knows better. */
static void choose_core(tirb_isa isa) {
    if (isa == TIRB_ISA_AVX512 || isa == TIRB_ISA_AVX2)
        setenv("OPENBLAS_CORETYPE", isa == TIRB_ISA_AVX512 ? "SkylakeX" : "Haswell", 0);
    if (isa == TIRB_ISA_SSE2 || isa == TIRB_ISA_GENERIC) setenv("OPENBLAS_CORETYPE", "Prescott", 0);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
}

bench_blas *bench_open_blas(tirb_isa isa, char *name, size_t size) {
    const char *file = getenv("TIRB_BENCH_BLAS");
    choose_core(isa);
    void *library = dlopen(file != NULL ? file : "libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    bench_blas *blas = library == NULL ? NULL : calloc(1, sizeof *blas);
    if (blas == NULL) return NULL;
    char *(*config)(void) = NULL;
    blas->library = library;
    *(void **)&blas->multiply = dlsym(library, "cblas_sgemm");
    *(void **)&config = dlsym(library, "openblas_get_config");
    if (blas->multiply == NULL) {
        bench_close_blas(blas);
        return NULL;
    }
    snprintf(name, size, "%s", config != NULL ? config() : "a BLAS");
    return blas;
}

void bench_call_blas(const bench_blas *blas, const twin_args *args) {
    const int *a = args->n[0], *b = args->n[1];
    bool batched = a[2] > 0;
    int batch = batched ? a[0] : 1, m = a[batched], k = a[batched + 1], n = b[batched + 1];
    for (int s = 0; s < batch; s++) {
        blas->multiply(ROW_MAJOR, AS_IS, AS_IS, m, n, k, 1, (const float *)args->data[0] + (ptrdiff_t)s * m * k, k,
                       (const float *)args->data[1] + (ptrdiff_t)s * k * n, n, 0,
                       (float *)args->data[2] + (ptrdiff_t)s * m * n, n);
    }
}

void bench_close_blas(bench_blas *blas) {
    if (blas == NULL) return;
    dlclose(blas->library);
    free(blas);
}
