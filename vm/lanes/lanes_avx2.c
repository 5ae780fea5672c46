/* The lane machine for x86-64 with AVX2 and FMA. */
#include "vm/lanes/banks.h"
#include "vm/lanes/machines.h"

/* The registers of a bank. */
#ifndef TIRBI_BANKS
#define TIRBI_BANKS 6
#endif

#if TIRBI_LANES_AVX2

#pragma GCC diagnostic ignored "-Wpedantic"

#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c,bmi,bmi2")
#endif
#include <immintrin.h>

#define BLOCKS_OF(what) what##AVX2
#define VB 32
#if TIRBI_BANKS == 2
#define LANE_MACHINE tirbi_lane_machine_narrow_avx2
#define FOR_SHORT_ROWS 1
#define BANK_REGISTERS 2
#define EACH EACH2
#define BANK_VARIABLES VARIABLES2
#define FORGET_BANKS() FORGET2("x")
#else
#define LANE_MACHINE tirbi_lane_machine_avx2
#define HANDLERS_AGAIN 1
#define NARROW_MACHINE &tirbi_lane_machine_narrow_avx2
#define BANK_REGISTERS 6
#define EACH EACH6
#define BANK_VARIABLES VARIABLES6
#define FORGET_BANKS() FORGET6("x")
#endif

#define HAVE_FMA 1
#define HAVE_SQRT 1
#define DO_FMA_F32(x, y, z) ((V)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(z)))
#define DO_FMA_F64(x, y, z) ((V)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z)))
#define DO_FMS_F32(x, y, z) ((V)_mm256_fmsub_ps((__m256)(x), (__m256)(y), (__m256)(z)))
#define DO_FMS_F64(x, y, z) ((V)_mm256_fmsub_pd((__m256d)(x), (__m256d)(y), (__m256d)(z)))
#define DO_FNMA_F32(x, y, z) ((V)_mm256_fnmadd_ps((__m256)(x), (__m256)(y), (__m256)(z)))
#define DO_FNMA_F64(x, y, z) ((V)_mm256_fnmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z)))
#define DO_SQRT_F32(x) ((V)_mm256_sqrt_ps((__m256)(x)))
#define DO_SQRT_F64(x) ((V)_mm256_sqrt_pd((__m256d)(x)))
#define DO_MIN_F32(x, y) ((V)_mm256_min_ps((__m256)(x), (__m256)(y)))
#define DO_MAX_F32(x, y) ((V)_mm256_max_ps((__m256)(x), (__m256)(y)))
#define DO_MIN_F64(x, y) ((V)_mm256_min_pd((__m256d)(x), (__m256d)(y)))
#define DO_MAX_F64(x, y) ((V)_mm256_max_pd((__m256d)(x), (__m256d)(y)))
#define DO_MIN_I8(x, y) ((V)_mm256_min_epi8((__m256i)(x), (__m256i)(y)))
#define DO_MAX_I8(x, y) ((V)_mm256_max_epi8((__m256i)(x), (__m256i)(y)))
#define DO_MIN_U8(x, y) ((V)_mm256_min_epu8((__m256i)(x), (__m256i)(y)))
#define DO_MAX_U8(x, y) ((V)_mm256_max_epu8((__m256i)(x), (__m256i)(y)))
#define DO_MIN_U16(x, y) ((V)_mm256_min_epu16((__m256i)(x), (__m256i)(y)))
#define DO_MAX_U16(x, y) ((V)_mm256_max_epu16((__m256i)(x), (__m256i)(y)))
#define DO_MIN_I16(x, y) ((V)_mm256_min_epi16((__m256i)(x), (__m256i)(y)))
#define DO_MAX_I16(x, y) ((V)_mm256_max_epi16((__m256i)(x), (__m256i)(y)))
#define DO_MIN_I32(x, y) ((V)_mm256_min_epi32((__m256i)(x), (__m256i)(y)))
#define DO_MAX_I32(x, y) ((V)_mm256_max_epi32((__m256i)(x), (__m256i)(y)))
#define WIDEN_U8(p) ((V)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i_u *)(p))))
#define WIDEN_I8(p) ((V)_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i_u *)(p))))
#define LOW_BYTES_OF(half)  _mm_and_si128(half, _mm_set1_epi16(0xFF))
#define NARROW_8(p, x)                                                                                                 \
    _mm_storeu_si128((__m128i_u *)(p), _mm_packus_epi16(LOW_BYTES_OF(_mm256_castsi256_si128((__m256i)(x))),            \
                                                        LOW_BYTES_OF(_mm256_extracti128_si256((__m256i)(x), 1))))
#define DO_CANON_F32(x)                                                                                                \
    ((V)_mm256_blendv_ps((__m256)(x), (__m256)_mm256_set1_epi32(0x7FC00000),                                           \
                         _mm256_cmp_ps((__m256)(x), (__m256)(x), _CMP_UNORD_Q)))
#define DO_CANON_F64(x)                                                                                                \
    ((V)_mm256_blendv_pd((__m256d)(x), (__m256d)_mm256_set1_epi64x(0x7FF8000000000000),                                \
                         _mm256_cmp_pd((__m256d)(x), (__m256d)(x), _CMP_UNORD_Q)))
/* The first elements of a vector, at least one. */
static const int32_t first_elements[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
/* As many words of 4 bytes, zeros behind them. */
#define LD_WORDS(p, n)                                                                                                 \
    ((V)_mm256_maskload_epi32((const int *)(const void *)(p),                                                          \
                              _mm256_loadu_si256((const __m256i_u *)(first_elements + 8 - (n)))))
#define PART_MASK __m256i
#define MASK_F32(n) _mm256_loadu_si256((const __m256i_u *)(first_elements + ((8 - (n)) & 7)))
#define MASK_F64(n) _mm256_loadu_si256((const __m256i_u *)(first_elements + ((8 - 2 * (n)) & 7)))
#define LD_PART_F32(p, mask) ((V)_mm256_maskload_epi32((const int *)(const void *)(p), mask))
#define LD_PART_F64(p, mask) ((V)_mm256_maskload_epi64((const long long *)(const void *)(p), mask))
/* A comparison of two registers finds a NaN in either. */
#define UNORDERED_F32(x, y) _mm256_cmp_ps((__m256)(x), (__m256)(y), _CMP_UNORD_Q)
#define UNORDERED_F64(x, y) _mm256_cmp_pd((__m256d)(x), (__m256d)(y), _CMP_UNORD_Q)
#if TIRBI_BANKS == 2
#define ANY_NAN_F32(R) (_mm256_movemask_ps(UNORDERED_F32(R(0), R(1))) != 0)
#define ANY_NAN_F64(R) (_mm256_movemask_pd(UNORDERED_F64(R(0), R(1))) != 0)
#else
#define ANY_NAN_F32(R)                                                                                                 \
    (_mm256_movemask_ps(_mm256_or_ps(_mm256_or_ps(UNORDERED_F32(R(0), R(1)), UNORDERED_F32(R(2), R(3))),               \
                                     UNORDERED_F32(R(4), R(5)))) != 0)
#define ANY_NAN_F64(R)                                                                                                 \
    (_mm256_movemask_pd(_mm256_or_pd(_mm256_or_pd(UNORDERED_F64(R(0), R(1)), UNORDERED_F64(R(2), R(3))),               \
                                     UNORDERED_F64(R(4), R(5)))) != 0)
#endif
#define HAVE_ROUND 1
#define DO_FLOOR_F32(x) ((V)_mm256_round_ps((__m256)(x), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC))
#define DO_CEIL_F32(x)  ((V)_mm256_round_ps((__m256)(x), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC))
#define DO_TRUNC_F32(x) ((V)_mm256_round_ps((__m256)(x), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC))
#define DO_ROUND_F32(x) ((V)_mm256_round_ps((__m256)(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))
#define DO_FLOOR_F64(x) ((V)_mm256_round_pd((__m256d)(x), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC))
#define DO_CEIL_F64(x)  ((V)_mm256_round_pd((__m256d)(x), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC))
#define DO_TRUNC_F64(x) ((V)_mm256_round_pd((__m256d)(x), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC))
#define DO_ROUND_F64(x) ((V)_mm256_round_pd((__m256d)(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))
#include "vm/lanes/words_avx2.h"
/* Vectors that begin so much before an element as it has others before it, each of which gives that one alone. */
#define VECTOR_FOR(type, k) (*(const type##_u *)((uintptr_t)p + (uintptr_t)before * (k)))
static inline __attribute__((always_inline)) __m256 pick_far_4(const uint8_t *p, ptrdiff_t before) {
    const __m256 a = _mm256_blend_ps(VECTOR_FOR(__m256, 0), VECTOR_FOR(__m256, 1), 0x02);
    const __m256 b = _mm256_blend_ps(VECTOR_FOR(__m256, 2), VECTOR_FOR(__m256, 3), 0x08);
    const __m256 c = _mm256_blend_ps(VECTOR_FOR(__m256, 4), VECTOR_FOR(__m256, 5), 0x20);
    const __m256 d = _mm256_blend_ps(VECTOR_FOR(__m256, 6), VECTOR_FOR(__m256, 7), 0x80);
    return _mm256_blend_ps(_mm256_blend_ps(a, b, 0x0C), _mm256_blend_ps(c, d, 0xC0), 0xF0);
}
static inline __attribute__((always_inline)) __m256d pick_far_8(const uint8_t *p, ptrdiff_t before) {
    const __m256d a = _mm256_blend_pd(VECTOR_FOR(__m256d, 0), VECTOR_FOR(__m256d, 1), 0x2);
    const __m256d b = _mm256_blend_pd(VECTOR_FOR(__m256d, 2), VECTOR_FOR(__m256d, 3), 0x8);
    return _mm256_blend_pd(a, b, 0xC);
}
#define PICK_FAR_4(p, step) ((PICKED_4)pick_far_4(p, (step)-4))
#define PICK_FAR_8(p, step) ((PICKED_8)pick_far_8(p, (step)-8))
#define HAVE_SHUFFLES 1
#define NARROW_PICKS "vm/lanes/narrow_picks_x86.h"
#include "vm/lanes/machine.inc"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
