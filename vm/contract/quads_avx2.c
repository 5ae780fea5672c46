/* Micro-kernels of 8-bit integers for x86-64 with AVX-VNNI. */
#include "vm/contract/tables.h"
#include "vm/lanes/isas.h"

#if TIRBI_LANES_AVX2

#pragma GCC diagnostic ignored "-Wpedantic"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,avxvnni"))), apply_to = function)
#else
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
/* The mask of the first n elements of 4 or 8 bytes, in words of 4. */
#define PART_MASK(n, size)                                                                                             \
    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)((n) * ((size) / 4))), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))
#define LOAD_PART(from, n, size)   ((VI32)_mm256_maskload_epi32((const int *)(const void *)(from), PART_MASK(n, size)))
#define STORE_PART(to, n, size, v) _mm256_maskstore_epi32((int *)(void *)(to), PART_MASK(n, size), (__m256i)(v))
#include "vm/contract/quads.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
