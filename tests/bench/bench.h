/* The benchmark program: kernels timed beside the same loops in C. */
#ifndef TIRB_TESTS_BENCH_BENCH_H
#define TIRB_TESTS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "loader/isa/isa.h"

enum { BENCH_MAX_PARAMS = 16, BENCH_MAX_DIMS = 5, BENCH_MAX_SIZES = 8 };

/* What a twin is given: the tensors' memory, their extents, and the scalars, by parameter; memory for temporaries. */
typedef struct twin_args {
    void *data[BENCH_MAX_PARAMS];
    int n[BENCH_MAX_PARAMS][BENCH_MAX_DIMS];
    double scalar[BENCH_MAX_PARAMS];
    void *scratch;
} twin_args;

typedef void (*twin)(const twin_args *args);

/* The twins of polybench.inc, tsvc.inc and control.inc; and every twin. */
#define POLYBENCH_TWINS(X)                                                                                             \
    X(correlation) X(covariance) X(gemm) X(gemver) X(gesummv) X(symm) X(syr2k) X(syrk) X(trmm) X(two_products)         \
    X(three_products) X(atax) X(bicg) X(doitgen) X(mvt) X(cholesky) X(durbin) X(gramschmidt) X(lu) X(ludcmp)           \
    X(trisolv) X(deriche) X(floyd_warshall_i32) X(nussinov) X(adi) X(fdtd_2d) X(heat_3d_steps) X(jacobi_1d_steps)      \
    X(jacobi_2d_steps) X(seidel_2d)
#define TSVC_TWINS(X)                                                                                                  \
    X(s000) X(s111) X(s1111) X(s112) X(s1112) X(s113) X(s1113) X(s114) X(s115) X(s1115) X(s116) X(s118) X(s119)        \
    X(s1119) X(s121) X(s122) X(s123) X(s124) X(s125) X(s126) X(s127) X(s128) X(s131) X(s132) X(s141) X(s152) X(s161)   \
    X(s1161) X(s162) X(s171) X(s172) X(s173) X(s175) X(s176) X(s211) X(s212) X(s1213) X(s221) X(s1221) X(s222)         \
    X(s231) X(s232) X(s1232) X(s233) X(s2233) X(s235) X(s241) X(s242) X(s243) X(s244) X(s1244) X(s2244) X(s251)        \
    X(s1251) X(s2251) X(s3251) X(s252) X(s253) X(s254) X(s255) X(s256) X(s257) X(s258) X(s261) X(s271) X(s272)         \
    X(s273) X(s274) X(s275) X(s2275) X(s276) X(s277) X(s278) X(s279) X(s1279) X(s2710) X(s2711) X(s2712) X(s281)       \
    X(s1281) X(s291) X(s292) X(s293) X(s2101) X(s2102) X(s2111) X(s311) X(s31111) X(s312) X(s313) X(s314) X(s315)      \
    X(s316) X(s317) X(s318) X(s319) X(s3110) X(s3111) X(s3112) X(s3113) X(s321) X(s322) X(s323) X(s331) X(s332)        \
    X(s341) X(s342) X(s343) X(s351) X(s1351) X(s352) X(s353) X(s422) X(s424) X(s431) X(s441) X(s442) X(s443) X(s451)   \
    X(s452) X(s453) X(s481) X(s482) X(s491) X(s4112) X(s4113) X(s4114) X(s4115) X(s4116) X(s4117) X(s4121) X(va)       \
    X(vif) X(vpv) X(vtv) X(vpvts) X(vpvpv) X(vtvtv) X(vbor)
#define CONTROL_TWINS(X)                                                                                               \
    X(bubble_sort) X(selection_sort) X(shell_sort) X(heap_sort) X(merge_sort) X(counting_sort) X(histogram_i32)        \
    X(histogram_weighted) X(linear_search) X(string_search) X(partition) X(unique) X(collatz) X(sieve) X(gcds)         \
    X(edit_distance) X(knapsack) X(breadth_first) X(state_machine) X(crc32)
#define TWINS(X)                                                                                                       \
    X(saxpy) X(relu_affine) X(chain8) X(polynomial10) X(clip_scale_i8) X(scale_f16) X(blend_u8)                        \
    X(exp) X(sigmoid) X(tanh) X(gelu) X(softmax) X(layer_norm) X(rms_norm) X(log_sum_exp)                              \
    X(sum) X(dot) X(maximum) X(argmax) X(mean_variance) X(row_sums) X(column_sums)                                     \
    X(matmul) X(matmul_f64) X(matmul_f16) X(matmul_i8) X(matmul_tn) X(matmul_nt) X(matmul_batched) X(gemv) X(gemv_t)   \
    X(conv2d_nhwc) X(conv2d_nchw) X(conv2d_padded) X(depthwise) X(attention) X(dense_relu)                             \
    X(jacobi_2d) X(blur3x3) X(heat_3d) X(blur_clamped) X(sobel)                                                        \
    X(transpose) X(transpose_4d) X(nchw_to_nhwc) X(nhwc_to_nchw) X(pad) X(concat) X(gather_rows) X(scatter_add)        \
    X(histogram) X(prefix_sum) X(spmv) X(mandelbrot) X(floyd_warshall) X(nms) X(insertion_sort) X(binary_search) \
    X(tbmm) X(gconv) X(lut_1) X(lut_2) X(mlp_1) X(mlp_3) X(kronecker) X(group_norm) X(moments) X(wavenet) \
    X(tree) X(tree_f64) X(bicubic_polynomial) X(complex_products) X(complex_division) X(quaternion) X(ycbcr)           \
    X(ycbcr_u8) X(determinant) X(spline) X(mixed_words)                                                                \
    X(running_sum) X(running_sum_i64) X(running_product) X(running_max) X(running_min_i32) X(sum_with_reset)           \
    X(run_lengths) X(smoothed) X(recurrence)                                                                           \
    POLYBENCH_TWINS(X) TSVC_TWINS(X) CONTROL_TWINS(X)
#define X(name) TWIN_##name,
typedef enum twin_id { TWINS(X) N_TWINS } twin_id;
#undef X

/* The twins as gcc makes them for a level of the machine's instructions, with -O3 and with -Ofast. */
typedef struct bench_level {
    const char *name;
    const twin *plain, *fast; /* by twin_id */
} bench_level;

/* The level that has what `isa` has: x86-64 of generic and SSE2, x86-64-v3 of AVX2, x86-64-v4 of AVX-512; NULL where
 * this CPU or this build lacks either. With `native`, what this CPU has; NULL where this build has no twins for it. */
const bench_level *bench_level_of(tirb_isa isa, bool native);

/* ---- Cases ------------------------------------------------------------------------------------------------------ */

typedef enum bench_role { BENCH_INPUT, BENCH_OUTPUT, BENCH_UPDATED, BENCH_INT, BENCH_FLOAT } bench_role;

/* How an input is filled: at random, floats in -1 .. 1 or 0 .. range and integers in 0 .. range - 1; or element i is
 * i * step. */
typedef struct bench_param {
    bench_role role;
    tirbi_dtype type;
    int ndim;
    int shape[BENCH_MAX_DIMS];
    int range;
    double step;
    double scalar;
} bench_param;

/* A class of kernels and how long they may take on AVX-512, relative to gcc -O3; 0: no target. A class that stands
 * apart does not count in that of all, and its target is that of each instruction set. Rows above `most`, where there
 * is such a bound, are listed. */
typedef struct bench_class {
    const char *name;
    double target;
    bool apart;
    double most;
} bench_class;

/* One kernel. `params` describes them, separated by spaces: TYPE[EXTENT,..] an input, with = before it an output, with
 * & an output that is read too; <N before the bracket is their range, *N their step; int=N and float=X are scalars. An
 * extent is a sum or product, from left to right, of numbers and letters, whose values a size gives: "LABEL n=5,m=3".
 * The first size is for checking: small and odd; the others are timed. */
typedef struct bench_case {
    const char *group, *function; /* the class; the function in kernels/<class>.py, before what stands after a '/' */
    const char *twin; /* what its loops in C are called */
    twin_id number;
    const char *params;
    const char *sizes[BENCH_MAX_SIZES];
    double tolerance;  /* of floats, relative to 1 + |value| */
    double may_differ; /* the part of the elements that may: C's rounding turns a pixel at the edge of a fractal */
    bool fresh;        /* the updated parameters are given their first values again before each call */
    bool blas;         /* a product of float matrices, batched or not, which a BLAS has a function for */
    bool comprehension; /* the program is in kernels/<class>.tc, and the same as TVMScript in kernels/<class>.py */
} bench_case;

extern const bench_class bench_classes[];
extern const unsigned bench_n_classes;
extern const bench_case bench_cases[];
extern const unsigned bench_n_cases;

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

/* Sets of arguments with the same inputs: tirb's, the plain twin's, the fast twin's, a BLAS's, and those of the same
 * program written as TVMScript, where tirb's is a comprehension. */
enum { BENCH_TIRB, BENCH_PLAIN, BENCH_FAST, BENCH_BLAS, BENCH_SCRIPT, BENCH_SIDES };

typedef struct bench_side {
    twin_args twin;
    int64_t shape[BENCH_MAX_PARAMS][BENCH_MAX_DIMS];
    DLTensor tensors[BENCH_MAX_PARAMS];
    tirb_arg args[BENCH_MAX_PARAMS];
} bench_side;

typedef struct bench_args {
    bench_param params[BENCH_MAX_PARAMS];
    unsigned n;
    size_t bytes[BENCH_MAX_PARAMS];
    void *first[BENCH_MAX_PARAMS]; /* what each begins with; inputs are these in all sets */
    bench_side sides[BENCH_SIDES];
} bench_args;

/* The arguments of a case at one of its sizes; false with a message where its description cannot be read. Inputs are
 * the same at every call. */
bool bench_make_args(const bench_case *program, const char *size, bench_args *out);
void bench_free_args(bench_args *args);
/* Gives one set's written parameters their first values again. */
void bench_reset(bench_args *args, int side);
/* The first written parameter whose values differ between two sets by more than the case allows, told on stderr. */
bool bench_same(const bench_case *program, const bench_args *args, int side, int other);

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

enum { BENCH_MAX_ISAS = 5 };

/* One instruction set that rows are timed on, and the level of the twins beside it. */
typedef struct bench_column {
    tirb_isa isa;
    const bench_level *level;
    tirb_engine *engine;
} bench_column;

typedef struct bench_times {
    double best[BENCH_SIDES], median[BENCH_SIDES]; /* of one call (bench_now); 0: the side takes no part */
} bench_times;

typedef struct bench_row {
    const bench_case *program;
    const char *size;
    char form[200]; /* what the compiler made of its loops; of those that run one by one, why */
    bool scalar;    /* some do */
    double compile_ns;
    size_t bundle_size;
    bench_param params[BENCH_MAX_PARAMS];
    unsigned n_params;
    bench_times times[BENCH_MAX_ISAS]; /* by column */
} bench_row;

/* The table on stdout, as text or as JSON: its head, a row as it is measured, and the classes at the end. */
typedef struct bench_report {
    const bench_column *columns;
    unsigned n_columns;
    const bench_row *rows;
    unsigned n;
    bool json;
} bench_report;

void bench_print_head(const bench_report *report, const char *blas);
/* The last of the rows. */
void bench_print_row(const bench_report *report);
void bench_print_classes(const bench_report *report);

/* ---- What is measured ------------------------------------------------------------------------------------------- */

/* Nanoseconds of processor time; or instructions, where these are counted. */
double bench_now(void);
/* From now on what counts is the number in the first eight bytes of a file, to which something else adds instructions
 * as they are executed; false with a message. */
bool bench_count_from(const char *path);
bool bench_counts(void);

/* ---- Other ------------------------------------------------------------------------------------------------------ */

typedef struct bench_source {
    char path[256], *text;
    size_t size;
} bench_source;

/* Reads the program of a case, the comprehension or the TVMScript; false with a message. The caller frees `text`. */
bool bench_read(const bench_case *program, bool comprehension, bench_source *out);
/* The name of its function. */
const char *bench_function(const bench_case *program, char buffer[64]);

/* Loads a BLAS; NULL where there is none. Its name and the kind of core it is for, one with `isa`, go to `name`. */
typedef struct bench_blas bench_blas;
bench_blas *bench_open_blas(tirb_isa isa, char *name, size_t size);
/* C = A B for the first three parameters, each of two dimensions or a batch of such. */
void bench_call_blas(const bench_blas *blas, const twin_args *args);
void bench_close_blas(bench_blas *blas);

/* Each case at its small size, on every instruction set that this machine has: all give the oracle's bytes, and the C
 * twin's values. Prints a line per failure and "N passed, N failed"; whether none failed. */
bool bench_check(int n_words, char **words);
/* Whether `name` contains one of the words; true if there are none. */
bool bench_wanted(const char *name, int n_words, char **words);

#endif
