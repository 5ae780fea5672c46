/* The benchmark program: kernels of tests/kernels timed beside the same loops in C. */
#ifndef TIRB_TESTS_BENCH_BENCH_H
#define TIRB_TESTS_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/isa/isa.h"

enum { BENCH_MAX_PARAMS = 8, BENCH_MAX_DIMS = 4 };

/* What a twin is given: the tensors' memory, their extents, and the scalars, by parameter. */
typedef struct twin_args {
    void *data[BENCH_MAX_PARAMS];
    int n[BENCH_MAX_PARAMS][BENCH_MAX_DIMS];
    double scalar[BENCH_MAX_PARAMS];
} twin_args;

typedef void (*twin)(const twin_args *args);

/* Every twin, compiled as plain (gcc -O3 -march=native) and as fast (gcc -Ofast -march=native). */
#define TWINS(X)                                                                                                       \
    X(vector_add) X(saxpy) X(matmul_ijk) X(matmul_ikj) X(softmax) X(layer_norm) X(conv2d_nhwc) X(depthwise_nhwc)       \
    X(jacobi) X(transpose) X(cumsum) X(histogram_u8) X(argmax) X(embedding) X(mandelbrot) X(insertion_sort) X(digits) \
    X(leaky_relu) X(sobel_u8) X(floyd_warshall) X(fft)
#define X(name)                                                                                                        \
    void twin_plain_##name(const twin_args *args);                                                                     \
    void twin_fast_##name(const twin_args *args);
TWINS(X)
#undef X

typedef enum bench_role { BENCH_INPUT, BENCH_OUTPUT, BENCH_UPDATED, BENCH_INT, BENCH_FLOAT } bench_role;

/* Inputs are random: floats in -1 .. 1, integers in 0 .. range - 1. A shape ends at its first 0. */
typedef struct bench_param {
    bench_role role;
    tirbi_dtype type;
    int shape[BENCH_MAX_DIMS];
    int range;
    double scalar;
} bench_param;

typedef struct bench_case {
    const char *file, *function;
    twin plain, fast;
    double tolerance;  /* of floats, relative to 1 + |value| */
    double may_differ; /* the part of the elements that may: C's rounding turns a pixel at the edge of a fractal */
    bool fresh;        /* the updated parameters are given their first values again before each call */
    unsigned n_params;
    bench_param params[BENCH_MAX_PARAMS];
} bench_case;

extern const bench_case bench_cases[];
extern const unsigned bench_n_cases;

/* Processor time of this process in nanoseconds: what else runs on the machine does not count. */
double bench_now(void);
/* Whether `name` contains one of the words; true if there are none. */
bool bench_wanted(const char *name, int n_words, char **words);

#endif
