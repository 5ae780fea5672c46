#include "tests/bench/bench.h"

/* What a case shares with its twin: the function's name. */
#define CASE(group, name, ...)           {group, #name, #name, TWIN_##name, __VA_ARGS__, false}
#define CASE_AS(group, name, twin, ...)  {group, name, #twin, TWIN_##twin, __VA_ARGS__, false}
#define COMPREHENSION(name, twin, ...)                                                                             \
    {"comprehensions", #name, #twin, TWIN_##twin, __VA_ARGS__, 0, false, false, true}
#define SIZES(...)                       {__VA_ARGS__}

/* L1 takes some 30 KB, L2 some 500 KB, DRAM 64 MB and more in each array. */
#define VECTOR SIZES("check n=1003", "L1 n=4000", "L2 n=64000", "DRAM n=16000000")
#define BYTES  SIZES("check n=1003", "L1 n=8000", "L2 n=128000", "DRAM n=64000000")
#define ROWS   SIZES("check n=7,m=131", "L1 n=8,m=500", "L2 n=128,m=1000", "DRAM n=16000,m=1000")
#define SQUARE SIZES("check h=9,w=67", "L1 h=60,w=62", "L2 h=250,w=254", "DRAM h=4000,w=4094")
#define CUBE   SIZES("check m=13,n=37,k=19", "64 m=64,n=64,k=64", "256 m=256,n=256,k=256", "512 m=512,n=512,k=512")
#define IMAGE                                                                                        \
    SIZES("check n=1,h=5,w=7,i=3,o=5", "L1 n=1,h=8,w=8,i=16,o=16", "L2 n=1,h=28,w=28,i=32,o=32",    \
          "large n=1,h=56,w=56,i=64,o=64")

#define IN_L1(n) SIZES("check n=1003", "L1 n=" #n)
#define SCANNED  SIZES("check n=1003", "L1 n=3000", "L2 n=48000")

const bench_class bench_classes[] = {
    {"elementwise", 1.25}, {"transcendental", 0.15}, {"reduction", 0.25}, {"reduction (plain)", 0}, {"contraction",
    0.12},
    {"stencil", 1.3}, {"movement", 0.7}, {"irregular (masked)", 1.0}, {"irregular (scalar)", 7}, {"registers", 1.3},
    {"scans", 1.2}, {"comprehensions", 0},
    {"all", 0.45},
};
const unsigned bench_n_classes = sizeof bench_classes / sizeof *bench_classes;

const bench_case bench_cases[] = {
    CASE("elementwise", saxpy, "float=0.001 f32[n] &f32[n]", VECTOR, 1e-3, 0, false, false),
    CASE("elementwise", relu_affine, "f32[n,m] f32[m] f32[m] =f32[n,m]", ROWS, 1e-6, 0, false, false),
    CASE("elementwise", chain8, "f32[n] float=0.25 float=1.5 =f32[n]", VECTOR, 1e-6, 0, false, false),
    CASE_AS("elementwise", "chain8_fused", chain8, "f32[n] float=0.25 float=1.5 =f32[n]",
         VECTOR, 1e-6, 0, false, false),
    CASE("elementwise", polynomial10, "f32[n] =f32[n]", VECTOR, 1e-5, 0, false, false),
    CASE("elementwise", clip_scale_i8, "i8[n] int=171 =i8[n]", BYTES, 0, 0, false, false),
    CASE("elementwise", scale_f16, "f16[n] =f16[n]", VECTOR, 1e-3, 0, false, false),
    CASE("elementwise", blend_u8, "u8[n] u8[n] u8[n] =u8[n]", BYTES, 0, 0, false, false),

    CASE("transcendental", exp, "f32[n] =f32[n]", VECTOR, 1e-5, 0, false, false),
    CASE("transcendental", sigmoid, "f32[n] =f32[n]", VECTOR, 1e-5, 0, false, false),
    CASE("transcendental", tanh, "f32[n] =f32[n]", VECTOR, 1e-5, 0, false, false),
    CASE("transcendental", gelu, "f32[n] =f32[n]", VECTOR, 1e-5, 0, false, false),
    CASE("transcendental", softmax, "f32[n,m] =f32[n,m]", ROWS, 1e-5, 0, false, false),
    CASE("transcendental", layer_norm, "f32[n,m] f32[m] f32[m] =f32[n,m]", ROWS, 1e-4, 0, false, false),
    CASE("transcendental", rms_norm, "f32[n,m] f32[m] =f32[n,m]", ROWS, 1e-4, 0, false, false),
    CASE("transcendental", log_sum_exp, "f32[n,m] =f32[n]", ROWS, 1e-4, 0, false, false),

    CASE("reduction", sum, "f32[n] =f32[1]", VECTOR, 0.01, 0, false, false),
    CASE("reduction", dot, "f32[n] f32[n] =f32[1]", VECTOR, 0.01, 0, false, false),
    CASE("reduction", maximum, "f32[n] =f32[1]", VECTOR, 0, 0, false, false),
    CASE("reduction", argmax, "f32[n,m] =i32[n] =f32[n]", ROWS, 0, 0.01, false, false),
    CASE("reduction", mean_variance, "f32[n,m] =f32[n] =f32[n]", ROWS, 1e-4, 0, false, false),
    CASE("reduction", row_sums, "f32[n,m] =f32[n]", ROWS, 1e-4, 0, false, false),
    CASE("reduction", column_sums, "f32[n,m] =f32[m]", ROWS, 1e-4, 0, false, false),
    CASE_AS("reduction (plain)", "sum_plain", sum, "f32[n] =f32[1]", VECTOR, 0.01, 0, false, false),
    CASE_AS("reduction (plain)", "dot_plain", dot, "f32[n] f32[n] =f32[1]", VECTOR, 0.01, 0, false, false),
    CASE_AS("reduction (plain)", "maximum_plain", maximum, "f32[n] =f32[1]", VECTOR, 0, 0, false, false),
    CASE_AS("reduction (plain)", "argmax_plain", argmax, "f32[n,m] =i32[n] =f32[n]", ROWS, 0, 0.01, false, false),
    CASE_AS("reduction (plain)", "mean_variance_plain", mean_variance, "f32[n,m] =f32[n] =f32[n]",
         ROWS, 1e-4, 0, false, false),
    CASE_AS("reduction (plain)", "row_sums_plain", row_sums, "f32[n,m] =f32[n]", ROWS, 1e-4, 0, false, false),
    CASE_AS("reduction (plain)", "column_sums_plain", column_sums, "f32[n,m] =f32[m]", ROWS, 1e-4, 0, false, false),

    CASE("contraction", matmul, "f32[m,k] f32[k,n] =f32[m,n]",
         SIZES("check m=13,n=37,k=19", "16 m=16,n=16,k=16", "64 m=64,n=64,k=64", "128 m=128,n=128,k=128",
               "256 m=256,n=256,k=256", "512 m=512,n=512,k=512", "1024 m=1024,n=1024,k=1024"), 1e-4, 0, false, true),
    CASE("contraction", matmul_f64, "f64[m,k] f64[k,n] =f64[m,n]", CUBE, 1e-9, 0, false, false),
    CASE("contraction", matmul_f16, "f16[m,k] f16[k,n] =f32[m,n]", CUBE, 1e-4, 0, false, false),
    CASE("contraction", matmul_i8, "i8[m,k] i8[k,n] =i32[m,n]", CUBE, 0, 0, false, false),
    CASE("contraction", matmul_tn, "f32[k,m] f32[k,n] =f32[m,n]", CUBE, 1e-4, 0, false, false),
    CASE("contraction", matmul_nt, "f32[m,k] f32[n,k] =f32[m,n]", CUBE, 1e-4, 0, false, false),
    CASE("contraction", matmul_batched, "f32[b,m,k] f32[b,k,n] =f32[b,m,n]",
         SIZES("check b=3,m=13,n=37,k=19", "64 b=8,m=64,n=64,k=64", "256 b=8,m=256,n=256,k=256"), 1e-4, 0, false, true),
    CASE("contraction", gemv, "f32[m,k] f32[k] =f32[m]",
         SIZES("check m=13,k=67", "L1 m=60,k=100", "L2 m=300,k=400", "DRAM m=4000,k=4000"), 1e-4, 0, false, false),
    CASE("contraction", gemv_t, "f32[k,m] f32[k] =f32[m]",
         SIZES("check m=13,k=67", "L1 m=60,k=100", "L2 m=300,k=400", "DRAM m=4000,k=4000"), 1e-4, 0, false, false),
    CASE("contraction", conv2d_nhwc, "f32[n,h,w,i] f32[3,3,i,o] =f32[n,h,w,o]", IMAGE, 1e-4, 0, false, false),
    CASE("contraction", conv2d_nchw, "f32[n,i,h+2,w+2] f32[o,i,3,3] =f32[n,o,h,w]", IMAGE, 1e-4, 0, false, false),
    CASE("contraction", conv2d_padded, "f32[n,h,w,i] f32[3,3,i,o] =f32[n,h,w,o]", IMAGE, 1e-4, 0, false, false),
    CASE("contraction", depthwise, "f32[n,h+2,w+2,i] f32[3,3,i] =f32[n,h,w,i]", IMAGE, 1e-4, 0, false, false),
    CASE("contraction", attention, "f32[n,d] f32[m,d] f32[m,d] =f32[n,d]",
         SIZES("check n=5,m=37,d=19", "L1 n=32,m=32,d=32", "L2 n=128,m=256,d=64", "large n=512,m=512,d=64"), 1e-4, 0,
               false, false),
    CASE("contraction", dense_relu, "f32[m,k] f32[n,k] f32[n] =f32[m,n]", CUBE, 1e-4, 0, false, false),

    CASE("stencil", jacobi_2d, "f32[h+2,w+2] &f32[h+2,w+2]", SQUARE, 1e-6, 0, false, false),
    CASE("stencil", blur3x3, "f32[h+2,w+2] =f32[h,w]", SQUARE, 1e-6, 0, false, false),
    CASE("stencil", heat_3d, "f32[d,h,w] &f32[d,h,w]",
         SIZES("check d=5,h=7,w=35", "L1 d=10,h=20,w=20", "L2 d=30,h=50,w=50", "DRAM d=250,h=256,w=256"), 1e-5, 0,
               false, false),
    CASE("stencil", blur_clamped, "u8[h,w] =u8[h,w]", SQUARE, 0, 0, false, false),
    CASE("stencil", sobel, "u8[h+2,w+2] =u8[h,w]", SQUARE, 0, 0, false, false),

    CASE("movement", transpose, "f32[h,w] =f32[w,h]", SQUARE, 0, 0, false, false),
    CASE("movement", transpose_4d, "f32[b,s,h,d] =f32[b,h,d,s]",
         SIZES("check b=2,s=13,h=3,d=19", "L1 b=1,s=32,h=2,d=64", "L2 b=2,s=64,h=8,d=64",
               "DRAM b=8,s=512,h=64,d=64"), 0, 0, false, false),
    CASE("movement", nchw_to_nhwc, "f32[n,c,h,w] =f32[n,h,w,c]",
         SIZES("check n=2,c=5,h=7,w=13", "L1 n=1,c=16,h=16,w=16", "L2 n=1,c=64,h=28,w=28",
               "DRAM n=8,c=64,h=180,w=180"), 0, 0, false, false),
    CASE("movement", nhwc_to_nchw, "f32[n,h,w,c] =f32[n,c,h,w]",
         SIZES("check n=2,c=5,h=7,w=13", "L1 n=1,c=16,h=16,w=16", "L2 n=1,c=64,h=28,w=28",
               "DRAM n=8,c=64,h=180,w=180"), 0, 0, false, false),
    CASE("movement", pad, "f32[h,w] =f32[h+4,w+6]", SQUARE, 0, 0, false, false),
    CASE("movement", concat, "f32[n,p] f32[n,q] =f32[n,p+q]",
         SIZES("check n=7,p=13,q=37", "L1 n=40,p=32,q=64", "L2 n=400,p=64,q=128", "DRAM n=16000,p=400,q=600"), 0, 0,
               false, false),
    CASE("movement", gather_rows, "f32[v,d] i32<v[n] =f32[n,d]",
         SIZES("check v=17,d=37,n=23", "L1 v=60,d=64,n=60", "L2 v=1000,d=64,n=1000", "DRAM v=200000,d=128,n=100000"),
               0, 0, false, false),
    CASE("movement", scatter_add, "f32[n,d] i32<v[n] &f32[v,d]",
         SIZES("check v=17,d=37,n=23", "L1 v=60,d=64,n=60", "L2 v=1000,d=64,n=1000", "DRAM v=200000,d=128,n=100000"),
               1e-4, 0, true, false),

    CASE("irregular (masked)", histogram, "u8[n] =i32[256]", BYTES, 0, 0, false, false),
    CASE("irregular (masked)", prefix_sum, "i32<1000[n] =i32[n]", VECTOR, 0, 0, false, false),
    CASE("irregular (masked)", spmv, "f32[e] i32<m[e] i32*16[n+1] f32[m] =f32[n]",
         SIZES("check e=272,m=67,n=17", "L1 e=3200,m=500,n=200", "L2 e=48000,m=8000,n=3000",
               "DRAM e=8000000,m=1000000,n=500000"), 1e-4, 0, false, false),
    CASE("irregular (masked)", mandelbrot, "float=-2 float=-1.25 float=0.026 int=100 =i32[h,w]",
         SIZES("check h=7,w=37", "96 h=96,w=96"), 0, 0.02, false, false),
    CASE("irregular (masked)", floyd_warshall, "&f32<1[n,n]", SIZES("check n=19", "L1 n=64", "L2 n=250"), 1e-5, 0,
         true, false),
    CASE("irregular (scalar)", nms, "f32[n,4] =i32[n]", SIZES("check n=37", "L1 n=500"), 0, 0.02, false, false),
    CASE("irregular (scalar)", insertion_sort, "&f32[n]", SIZES("check n=67", "L1 n=1000"), 0, 0, true, false),
    CASE("irregular (scalar)", binary_search, "f32*0.001[n] f32[k] =i32[k]",
         SIZES("check n=67,k=13", "L1 n=4000,k=1000", "L2 n=100000,k=10000", "DRAM n=16000000,k=100000"), 0, 0,
               false, false),

    CASE("registers", tree, "f32[n] f32[n] f32[n] f32[n] =f32[n]", IN_L1(1600), 1e-5, 0, false, false),
    CASE("registers", tree_f64, "f64[n] f64[n] f64[n] f64[n] =f64[n]", IN_L1(800), 1e-12, 0, false, false),
    CASE("registers", bicubic_polynomial, "f32[n] f32[n] =f32[n]", IN_L1(2400), 1e-5, 0, false, false),
    CASE("registers", complex_products, "f32[n] f32[n] f32[n] f32[n] f32[n] f32[n] =f32[n] =f32[n]", IN_L1(1000),
         1e-5, 0, false, false),
    CASE("registers", complex_division, "f32[n] f32[n] f32[n] f32[n] =f32[n] =f32[n]", IN_L1(1300), 1e-5, 0, false,
         false),
    CASE("registers", quaternion, "f32[n] f32[n] f32[n] f32[n] f32[n] f32[n] f32[n] f32[n] =f32[n] =f32[n] =f32[n]"
         " =f32[n]", IN_L1(640), 1e-5, 0, false, false),
    CASE("registers", ycbcr, "f32<1[n] f32<1[n] f32<1[n] =f32[n] =f32[n] =f32[n]", IN_L1(1300), 1e-5, 0, false, false),
    CASE("registers", ycbcr_u8, "u8[n] u8[n] u8[n] =u8[n] =u8[n] =u8[n]", IN_L1(5000), 0, 0, false, false),
    CASE("registers", determinant, "f32[n] f32[n] f32[n] f32[n] f32[n] f32[n] f32[n] f32[n] f32[n] =f32[n]",
         IN_L1(800), 1e-5, 0, false, false),
    CASE("registers", spline, "f32[n] f32[n] f32[n] f32[n] f32[n] =f32[n]", IN_L1(1300), 1e-5, 0, false, false),
    CASE("registers", mixed_words, "i32<1000000000[n] i32<1000000000[n] i32<1000000000[n] =i32[n]", IN_L1(2000), 0, 0,
         false, false),

    CASE("scans", running_sum, "f32[n] =f32[n]", SCANNED, 1e-4, 0, false, false),
    CASE("scans", running_sum_i64, "i32<1000000[n] =i64[n]", SCANNED, 0, 0, false, false),
    CASE("scans", running_product, "f32[n] =f32[n]", SCANNED, 1e-4, 0, false, false),
    CASE("scans", running_max, "f32[n] =f32[n]", SCANNED, 0, 0, false, false),
    CASE("scans", running_min_i32, "i32<1000000000[n] =i32[n]", SCANNED, 0, 0, false, false),
    CASE("scans", sum_with_reset, "f32[n] u8<20[n] =f32[n]", SCANNED, 1e-5, 0, false, false),
    CASE("scans", run_lengths, "u8<20[n] =i32[n]", SCANNED, 0, 0, false, false),
    CASE("scans", smoothed, "f32[n] float=0.125 =f32[n]", SCANNED, 1e-5, 0, false, false),
    CASE("scans", recurrence, "f32[n] f32[n] =f32[n]", SCANNED, 1e-4, 0, false, false),

    COMPREHENSION(tmm, matmul_nt, "f32[m,k] f32[n,k] =f32[m,n]",
         SIZES("check m=13,n=37,k=19", "small m=128,n=256,k=32", "large m=128,n=1024,k=1024"), 1e-4),
    COMPREHENSION(tbmm, tbmm, "f32[b,n,m] f32[b,k,m] =f32[b,n,k]",
         SIZES("check b=3,n=13,m=19,k=37", "small b=20,n=26,m=72,k=26", "large b=500,n=26,m=72,k=26"), 1e-4),
    COMPREHENSION(gconv, gconv, "f32[n,g,c,h+2,w+2] f32[g,f,c,3,3] f32[g,f] =f32[n,g,f,h,w]",
         SIZES("check n=2,g=3,c=2,h=5,w=7,f=4", "small n=1,g=8,c=4,h=14,w=14,f=4",
               "large n=1,g=32,c=16,h=14,w=14,f=16"), 1e-4),
    COMPREHENSION(lut_1, lut_1, "f32[e,d] i32<e[b,l] =f32[b,d]",
         SIZES("check e=17,d=37,b=5,l=4", "small e=1000,d=64,b=16,l=50", "large e=200000,d=64,b=128,l=50"), 1e-4),
    COMPREHENSION(lut_2, lut_2, "f32[e,d] i32<e[b,l] f32[f,d] i32<f[b,m] =f32[b,d] =f32[b,d]",
         SIZES("check e=17,d=37,b=5,l=4,f=9,m=3", "small e=1000,d=64,b=16,l=50,f=1000,m=50",
               "large e=200000,d=64,b=128,l=50,f=200000,m=50"), 1e-4),
    COMPREHENSION(mlp_1, mlp_1, "f32[b,m] f32[m,n] f32[n] =f32[b,n]",
         SIZES("check b=5,m=37,n=19", "small b=16,m=200,n=64", "large b=128,m=2000,n=128"), 1e-4),
    COMPREHENSION(mlp_3, mlp_3,
         "f32[b,n] f32[o,n] f32[o] f32[p,o] f32[p] f32[q,p] f32[q] =f32[b,o] =f32[b,p] =f32[b,q]",
         SIZES("check b=5,n=37,o=19,p=7,q=3", "small b=16,n=128,o=64,p=32,q=2",
               "large b=128,n=128,o=64,p=32,q=2"), 1e-3),
    COMPREHENSION(c3, matmul_nt, "f32[b,x] f32[y,x] =f32[b,y]",
         SIZES("check b=5,x=37,y=19", "small b=16,x=100,y=128", "large b=128,x=1000,y=1024"), 1e-4),
    COMPREHENSION(kronecker, kronecker,
         "f32[d,x] f32[e,y] f32[f,z] f32[m,x,y,z] =f32[m,d,e,f] =f32[m,x,e,f] =f32[m,x,y,f]",
         SIZES("check d=2,x=3,e=4,y=5,f=3,z=2,m=5", "small d=8,x=8,e=8,y=8,f=8,z=8,m=8",
               "large d=16,x=16,e=16,y=16,f=32,z=32,m=64"), 1e-4),
    COMPREHENSION(group_norm, group_norm, "f32[n,g,d,h,w] f32[g,d] f32[g,d] =f32[n,g] =f32[n,g] =f32[n,g,d,h,w]",
         SIZES("check n=2,g=3,d=4,h=5,w=7", "small n=1,g=8,d=4,h=14,w=14", "large n=4,g=32,d=4,h=56,w=56"), 1e-3),
    COMPREHENSION(moments, moments, "f32[n,k] =f32[n] =f32[n]",
         SIZES("check n=5,k=131", "small n=16,k=500", "large n=128,k=36864"), 1e-3),
    COMPREHENSION(wavenet, wavenet,
         "f32[b,c,r] f32[l,c,2] f32[l] f32[l,c,2] f32[l] f32[c,l] f32[c] f32[s,l] f32[s] f32[d]"
         " =f32[b,l,r] =f32[b,l,r] =f32[b,l,r] =f32[b,c,r] =f32[b,s,r]",
         SIZES("check b=2,c=3,r=37,l=5,s=7,d=4", "small b=1,c=8,r=200,l=8,s=16,d=16",
               "large b=1,c=32,r=4000,l=32,s=256,d=512"), 1e-4),
};

const unsigned bench_n_cases = sizeof bench_cases / sizeof *bench_cases;
