/* Micro-kernels of 8-bit integers for x86-64 with AVX-512 VNNI. */
#include "vm/contract/tables.h"
#include "vm/lanes/isas.h"

#if TIRBI_LANES_AVX512

#pragma GCC diagnostic ignored "-Wpedantic"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma,bmi,bmi2"))),    \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma,bmi,bmi2,prefer-vector-width=512")
#endif
#include <immintrin.h>

#define CONTRACT_QUADS tirbi_quads_avx512
#define VB 64
#define ROWS 8
#define PAD 8
#define VECTORS 2
#define EACH_ROW TIRBI_ROWS_8
/* z + the sum of the products of the four values in each word; those of x are unsigned, those of y signed. */
#define QUAD(x, y, z) ((VI32)_mm512_dpbusd_epi32((__m512i)(z), (__m512i)(x), (__m512i)(y)))
/* The mask of the first n elements of 4 or 8 bytes, in words of 4. */
#define PART_MASK(n, size)          ((__mmask16)((1u << (n) * ((size) / 4)) - 1))
#define LOAD_PART(from, n, size)     ((VI32)_mm512_maskz_loadu_epi32(PART_MASK(n, size), from))
#define STORE_PART(to, n, size, v) _mm512_mask_storeu_epi32(to, PART_MASK(n, size), (__m512i)(v))
#define PARTS_AS_WHOLE 1
#include "vm/contract/quads.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
