#include "tests/bench/bench.h"

#define TWIN(name) twin_plain_##name, twin_fast_##name
#define IN(type, ...) {BENCH_INPUT, type, {__VA_ARGS__}, 0, 0}
#define IN_RANGE(type, range, ...) {BENCH_INPUT, type, {__VA_ARGS__}, range, 0}
#define OUT(type, ...) {BENCH_OUTPUT, type, {__VA_ARGS__}, 0, 0}
#define UPDATED(type, ...) {BENCH_UPDATED, type, {__VA_ARGS__}, 0, 0}
#define INT(value) {BENCH_INT, TIRB_I32, {0}, 0, value}
#define FLOAT(value) {BENCH_FLOAT, TIRB_F32, {0}, 0, value}

const bench_case bench_cases[] = {
    {"vector_add.py", "vector_add", TWIN(vector_add), 0, 0, false, 3,
     {IN(TIRB_F32, 65536), IN(TIRB_F32, 65536), OUT(TIRB_F32, 65536)}},
    {"saxpy.py", "saxpy", TWIN(saxpy), 1e-6, 0, false, 3, {FLOAT(0.5), IN(TIRB_F32, 65536), UPDATED(TIRB_F32, 65536)}},
    {"matmul.py", "matmul_ijk", TWIN(matmul_ijk), 1e-5, 0, false, 3,
     {IN(TIRB_F32, 256, 256), IN(TIRB_F32, 256, 256), OUT(TIRB_F32, 256, 256)}},
    {"matmul.py", "matmul_ikj", TWIN(matmul_ikj), 1e-5, 0, false, 3,
     {IN(TIRB_F32, 256, 256), IN(TIRB_F32, 256, 256), OUT(TIRB_F32, 256, 256)}},
    {"softmax.py", "softmax", TWIN(softmax), 1e-5, 0, false, 2, {IN(TIRB_F32, 128, 1000), OUT(TIRB_F32, 128, 1000)}},
    {"layer_norm.py", "layer_norm", TWIN(layer_norm), 1e-4, 0, false, 4,
     {IN(TIRB_F32, 128, 768), IN(TIRB_F32, 768), IN(TIRB_F32, 768), OUT(TIRB_F32, 128, 768)}},
    {"conv2d.py", "conv2d_nhwc", TWIN(conv2d_nhwc), 1e-4, 0, false, 3,
     {IN(TIRB_F32, 1, 28, 28, 32), IN(TIRB_F32, 3, 3, 32, 32), OUT(TIRB_F32, 1, 28, 28, 32)}},
    {"depthwise_conv2d.py", "depthwise_nhwc", TWIN(depthwise_nhwc), 1e-5, 0, false, 3,
     {IN(TIRB_F32, 1, 56, 56, 64), IN(TIRB_F32, 3, 3, 64), OUT(TIRB_F32, 1, 56, 56, 64)}},
    {"stencil.py", "jacobi", TWIN(jacobi), 1e-5, 0, false, 2, {UPDATED(TIRB_F32, 256, 256), INT(10)}},
    {"transpose.py", "transpose", TWIN(transpose), 0, 0, false, 2, {IN(TIRB_F32, 512, 384), OUT(TIRB_F32, 384, 512)}},
    {"cumsum.py", "cumsum", TWIN(cumsum), 1e-3, 0, false, 2, {IN(TIRB_F32, 65536), OUT(TIRB_F32, 65536)}},
    {"histogram.py", "histogram_u8", TWIN(histogram_u8), 0, 0, false, 2,
     {IN_RANGE(TIRB_U8, 256, 256, 512), OUT(TIRB_I32, 256)}},
    {"argmax.py", "argmax", TWIN(argmax), 0, 0, false, 2, {IN(TIRB_F32, 128, 1000), OUT(TIRB_I32, 128)}},
    {"embedding.py", "embedding", TWIN(embedding), 0, 0, false, 3,
     {IN(TIRB_F32, 5000, 64), IN_RANGE(TIRB_I32, 5000, 2048), OUT(TIRB_F32, 2048, 64)}},
    {"mandelbrot.py", "mandelbrot", TWIN(mandelbrot), 0, 0.01, false, 5,
     {OUT(TIRB_I32, 96, 96), FLOAT(-2.0), FLOAT(-1.25), FLOAT(0.026), INT(100)}},
    {"sort.py", "insertion_sort", TWIN(insertion_sort), 0, 0, true, 1, {UPDATED(TIRB_F32, 1000)}},
    {"activations.py", "leaky_relu", TWIN(leaky_relu), 0, 0, false, 3,
     {IN(TIRB_F32, 65536), FLOAT(0.0625), OUT(TIRB_F32, 65536)}},
    {"images.py", "sobel", TWIN(sobel_u8), 0, 0, false, 2,
     {IN_RANGE(TIRB_U8, 256, 256, 258), OUT(TIRB_U8, 254, 256)}},
    {"searching.py", "floyd_warshall", TWIN(floyd_warshall), 1e-6, 0, true, 1, {UPDATED(TIRB_F32, 96, 96)}},
    {"fourier.py", "fft", TWIN(fft), 1e-9, 0, true, 3,
     {UPDATED(TIRB_F64, 1024), UPDATED(TIRB_F64, 1024), INT(0)}},
    {"digits/digits.py", "predict", TWIN(digits), 1e-5, 0, false, 7,
     {IN_RANGE(TIRB_U8, 17, 360, 8, 8), IN(TIRB_F32, 64, 32), IN(TIRB_F32, 32), IN(TIRB_F32, 32, 10), IN(TIRB_F32, 10),
      OUT(TIRB_F32, 360, 10), OUT(TIRB_I32, 360)}},
};

const unsigned bench_n_cases = sizeof bench_cases / sizeof *bench_cases;
