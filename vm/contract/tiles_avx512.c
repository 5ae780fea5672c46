/* Micro-kernels for x86-64 with AVX-512 F, BW, DQ and VL: 28 registers hold a tile. */
#include "vm/contract/tables.h"
#include "vm/lanes/isas.h"

#if TIRBI_LANES_AVX512

#pragma GCC diagnostic ignored "-Wpedantic"

#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c,bmi,bmi2"))),          \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c,bmi,bmi2,prefer-vector-width=512")
#endif
#include <immintrin.h>

#define TIRBI_MATH_FORCE_INLINE
#define TIRBI_HAVE_FMA 1
#define TIRBI_HAVE_ROUND 1
#define CONTRACT_KERNELS tirbi_contract_avx512
#define VB 64
#define ROWS 14
#define PAD 16
#define VECTORS 2
#define EACH_ROW TIRBI_ROWS_14
#define FMA_F32(x, y, z) ((VF32)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(z)))
#define FMA_F64(x, y, z) ((VF64)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z)))
#define MIN_F32(x, y) ((VF32)_mm512_min_ps((__m512)(x), (__m512)(y)))
#define MIN_F64(x, y) ((VF64)_mm512_min_pd((__m512d)(x), (__m512d)(y)))
#define MAX_F32(x, y) ((VF32)_mm512_max_ps((__m512)(x), (__m512)(y)))
#define MAX_F64(x, y) ((VF64)_mm512_max_pd((__m512d)(x), (__m512d)(y)))
#define MIN_I32(x, y) ((VI32)_mm512_min_epi32((__m512i)(x), (__m512i)(y)))
#define MAX_I32(x, y) ((VI32)_mm512_max_epi32((__m512i)(x), (__m512i)(y)))
#define ROUND_F16(v)         ((VF32)_mm512_cvtph_ps(_mm512_cvtps_ph((__m512)(v), _MM_FROUND_TO_NEAREST_INT)))
#define WIDEN_F16(v)         ((VF32)_mm512_cvtph_ps((__m256i)(v)))
#define NARROW_F16(v)        ((VH16)_mm512_cvtps_ph((__m512)(v), _MM_FROUND_TO_NEAREST_INT))
#define LOAD_HALVES(from, n) ((VH16)_mm256_maskz_loadu_epi16((__mmask16)((1u << (n)) - 1), from))
#define PAIR(x, y, z) ((VI32)_mm512_add_epi32((__m512i)(z), _mm512_madd_epi16((__m512i)(x), (__m512i)(y))))
/* The mask of the first n elements of 4 or 8 bytes, in words of 4. */
#define PART_MASK(n, size)          ((__mmask16)((1u << (n) * ((size) / 4)) - 1))
#define LOAD_PART(from, n, size)     ((VI32)_mm512_maskz_loadu_epi32(PART_MASK(n, size), from))
#define STORE_PART(to, n, size, v) _mm512_mask_storeu_epi32(to, PART_MASK(n, size), (__m512i)(v))
#define STORE_HALVES(to, n, v)       _mm256_mask_storeu_epi16(to, (__mmask16)((1u << (n)) - 1), (__m256i)(v))
#define BYTES_PART(from, n)          _mm_maskz_loadu_epi8((__mmask16)((1u << (n)) - 1), from)
#define WIDEN_I8_PART(from, n)       ((VI32)_mm512_cvtepi8_epi32(BYTES_PART(from, n)))
#define WIDEN_U8_PART(from, n)       ((VI32)_mm512_cvtepu8_epi32(BYTES_PART(from, n)))
#define WIDEN_I16_PART(from, n)      ((VI32)_mm512_cvtepi16_epi32((__m256i)LOAD_HALVES(from, n)))
#define WIDEN_I8(from)              ((VI32)_mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)(from))))
#define WIDEN_U8(from)              ((VI32)_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)(from))))
#define WIDEN_I16(from)             ((VI32)_mm512_cvtepi16_epi32(_mm256_loadu_si256((const void *)(from))))
#include "vm/contract/tiles.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
