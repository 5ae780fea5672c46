/* Micro-kernels of 8-bit integers for x86-64 with AVX-VNNI. */
#include "vm/contract/tables.h"
#include "vm/lanes/isas.h"

#if TIRBI_LANES_AVX2

#pragma GCC diagnostic ignored "-Wpedantic"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,avxvnni"))), apply_to = function)
#else
#pragma GCC optimize("O3")
#pragma GCC target("avx2,fma,avxvnni")
#endif
#include <immintrin.h>

#define CONTRACT_QUADS tirbi_quads_avx2
#define VB 32
#define ROWS 6
#define PAD 8
#define VECTORS 2
#define EACH_ROW TIRBI_ROWS_6
/* z + the sum of the products of the four values in each word; those of x are unsigned, those of y signed. */
#define QUAD(x, y, z) ((VI32)_mm256_dpbusd_avx_epi32((__m256i)(z), (__m256i)(x), (__m256i)(y)))
#include "vm/contract/quads.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
