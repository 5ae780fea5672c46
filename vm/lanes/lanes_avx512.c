/* The lane machine for x86-64 with AVX-512 F, BW, DQ and VL. */
#include "vm/lanes/banks.h"
#include "vm/lanes/machines.h"
#include "vm/lanes/registers.h"

/* The registers of a bank. */
#ifndef TIRBI_BANKS
#define TIRBI_BANKS 8
#endif

#if TIRBI_LANES_AVX512

#pragma GCC diagnostic ignored "-Wpedantic"

#include <math.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,bmi,bmi2"))),               \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,fma,bmi,bmi2,prefer-vector-width=512")
#endif
#include <immintrin.h>

#define BLOCKS_OF(what) what##AVX512
#define VB 64
#ifndef TIRBI_ROWS
#define TIRBI_ROWS 1
#endif
#define ROWS TIRBI_ROWS
#if TIRBI_ROWS == 4
#define LANE_MACHINE tirbi_lane_machine_four_rows_avx512
#elif TIRBI_BANKS == 2
#define LANE_MACHINE tirbi_lane_machine_narrow_avx512
#elif TIRBI_BANKS == 4
#define LANE_MACHINE tirbi_lane_machine_middle_avx512
#define NARROW_MACHINE &tirbi_lane_machine_narrow_avx512
#else
#define LANE_MACHINE tirbi_lane_machine_avx512
#if TIRBI_REGISTERS_AVX512
#define RUN_REGISTERS tirbi_registers_avx512
#endif
#define NARROW_MACHINE &tirbi_lane_machine_middle_avx512
#define ROWS_MACHINE &tirbi_lane_machine_four_rows_avx512
#endif
#if TIRBI_ROWS > 1 || TIRBI_BANKS < 8
#define FOR_SHORT_ROWS 1
#endif
#if TIRBI_BANKS < 8
#define WITHOUT_SMALL 1
#endif
#define BANK_REGISTERS TIRBI_BANKS
#if TIRBI_BANKS == 2
#define EACH EACH2
#define BANK_VARIABLES VARIABLES2
#define FORGET_BANKS() FORGET2("v")
#elif TIRBI_BANKS == 4
#define EACH EACH4
#define BANK_VARIABLES VARIABLES4
#define FORGET_BANKS() FORGET4("v")
#else
#define EACH EACH8
#define BANK_VARIABLES VARIABLES8
#define FORGET_BANKS() FORGET8("v")
#endif

/* Which of 64 bytes are not 0, and the lanes of a vector that bits say, one behind the other. */
#define HAVE_COMPRESS 1
#define TRUE_LANES(p) ((uint64_t)_mm512_test_epi8_mask((__m512i)LD(p), (__m512i)LD(p)))
#define COMPRESS_4(bits, x) ((V)_mm512_maskz_compress_epi32((__mmask16)(bits), (__m512i)(x)))
#define COMPRESS_8(bits, x) ((V)_mm512_maskz_compress_epi64((__mmask8)(bits), (__m512i)(x)))
#define COMPRESS_NUMBERS(to, from, bits)                                                                               \
    _mm256_storeu_si256((__m256i *)(void *)(to),                                                                       \
                        _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(                                             \
                            (__mmask16)(bits),                                                                         \
                            _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(from))))))
#define HAVE_FMA 1
#define HAVE_SQRT 1
#define HAVE_SHIFT_16 1
#define DO_FMA_F32(x, y, z) ((V)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(z)))
#define DO_FMA_F64(x, y, z) ((V)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z)))
#define DO_FMS_F32(x, y, z) ((V)_mm512_fmsub_ps((__m512)(x), (__m512)(y), (__m512)(z)))
#define DO_FMS_F64(x, y, z) ((V)_mm512_fmsub_pd((__m512d)(x), (__m512d)(y), (__m512d)(z)))
#define DO_FNMA_F32(x, y, z) ((V)_mm512_fnmadd_ps((__m512)(x), (__m512)(y), (__m512)(z)))
#define DO_FNMA_F64(x, y, z) ((V)_mm512_fnmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z)))
#define DO_SQRT_F32(x) ((V)_mm512_sqrt_ps((__m512)(x)))
#define DO_SQRT_F64(x) ((V)_mm512_sqrt_pd((__m512d)(x)))
#define DO_MIN_F32(x, y) ((V)_mm512_min_ps((__m512)(x), (__m512)(y)))
#define DO_MAX_F32(x, y) ((V)_mm512_max_ps((__m512)(x), (__m512)(y)))
#define DO_MIN_F64(x, y) ((V)_mm512_min_pd((__m512d)(x), (__m512d)(y)))
#define DO_MAX_F64(x, y) ((V)_mm512_max_pd((__m512d)(x), (__m512d)(y)))
#define DO_MIN_I8(x, y) ((V)_mm512_min_epi8((__m512i)(x), (__m512i)(y)))
#define DO_MAX_I8(x, y) ((V)_mm512_max_epi8((__m512i)(x), (__m512i)(y)))
#define DO_MIN_U8(x, y) ((V)_mm512_min_epu8((__m512i)(x), (__m512i)(y)))
#define DO_MAX_U8(x, y) ((V)_mm512_max_epu8((__m512i)(x), (__m512i)(y)))
#define DO_MIN_I16(x, y) ((V)_mm512_min_epi16((__m512i)(x), (__m512i)(y)))
#define DO_MAX_I16(x, y) ((V)_mm512_max_epi16((__m512i)(x), (__m512i)(y)))
#define DO_MIN_U16(x, y) ((V)_mm512_min_epu16((__m512i)(x), (__m512i)(y)))
#define DO_MAX_U16(x, y) ((V)_mm512_max_epu16((__m512i)(x), (__m512i)(y)))
#define DO_MIN_I32(x, y) ((V)_mm512_min_epi32((__m512i)(x), (__m512i)(y)))
#define DO_MAX_I32(x, y) ((V)_mm512_max_epi32((__m512i)(x), (__m512i)(y)))
#define DO_MIN_I64(x, y) ((V)_mm512_min_epi64((__m512i)(x), (__m512i)(y)))
#define DO_MAX_I64(x, y) ((V)_mm512_max_epi64((__m512i)(x), (__m512i)(y)))
#define DO_CANON_F32(x)                                                                                                \
    ((V)_mm512_mask_blend_ps(_mm512_cmp_ps_mask((__m512)(x), (__m512)(x), _CMP_UNORD_Q), (__m512)(x),                  \
                             (__m512)_mm512_set1_epi32(0x7FC00000)))
#define DO_CANON_F64(x)                                                                                                \
    ((V)_mm512_mask_blend_pd(_mm512_cmp_pd_mask((__m512d)(x), (__m512d)(x), _CMP_UNORD_Q), (__m512d)(x),               \
                             (__m512d)_mm512_set1_epi64(0x7FF8000000000000)))
/* gcc 12 would take such vectors apart into two. */
#define WIDEN_U8(p)    ((V)_mm512_cvtepu8_epi16(PAIRS_AT(p)))
#define WIDEN_I8(p)    ((V)_mm512_cvtepi8_epi16(PAIRS_AT(p)))
#define NARROW_8(p, x) _mm256_storeu_si256((__m256i *)(void *)(p), _mm512_cvtepi16_epi8((__m512i)(x)))
/* See vm/lanes/words.inc. */
#define HAVE_WORDS 1
#define HAVE_HALVES 1
#define TRUTHS(mask)         ((V)_mm512_movm_epi32(mask))
#define BYTES_AT(p)          _mm_loadu_si128((const __m128i *)(const void *)(p))
#define PAIRS_AT(p)          _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define LOAD4_U8(p)          ((V)_mm512_cvtepu8_epi32(BYTES_AT(p)))
#define LOAD4_I8(p)          ((V)_mm512_cvtepi8_epi32(BYTES_AT(p)))
#define LOAD4_U16(p)         ((V)_mm512_cvtepu16_epi32(PAIRS_AT(p)))
#define LOAD4_I16(p)         ((V)_mm512_cvtepi16_epi32(PAIRS_AT(p)))
#define LOAD4_TRUTH(p)       TRUTHS(_mm_test_epi8_mask(BYTES_AT(p), BYTES_AT(p)))
#define LOAD4_F16(p)         ((V)_mm512_cvtph_ps(PAIRS_AT(p)))
#define LOAD4_BF16(p)        ((V)_mm512_slli_epi32(_mm512_cvtepu16_epi32(PAIRS_AT(p)), 16))
#define STORE4_8(p, x)       _mm_storeu_si128((__m128i *)(void *)(p), _mm512_cvtepi32_epi8((__m512i)(x)))
#define STORE4_16(p, x)      _mm256_storeu_si256((__m256i *)(void *)(p), _mm512_cvtepi32_epi16((__m512i)(x)))
#define STORE4_TRUTH(p, x)   _mm_storeu_si128((__m128i *)(void *)(p), _mm_abs_epi8(_mm512_cvtepi32_epi8((__m512i)(x))))
#define NARROW_F16(x)        _mm512_cvtps_ph((__m512)(x), _MM_FROUND_TO_NEAREST_INT)
#define STORE4_F16(p, x)     _mm256_storeu_si256((__m256i *)(void *)(p), NARROW_F16(DO_CANON_F32(x)))
#define STORE4_BF16(p, x)    STORE4_16(p, _mm512_srli_epi32((__m512i)DO_ROUND_BF16(x), 16))
#define DO_ROUND_F16(x)      ((V)_mm512_cvtph_ps(NARROW_F16(x)))
#define DO_ROUND_BF16(x)     round_bf16(x)
#define ROUND_TO_BF16                                                                                                  \
    static inline __attribute__((always_inline)) V round_bf16(V x) {                                                   \
        const VU32 bits = (VU32)x, rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) & 0xFFFF0000u;                     \
        const __mmask16 nan = _mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_UNORD_Q);                                  \
        return (V)_mm512_mask_mov_epi32((__m512i)rounded, nan, _mm512_set1_epi32(0x7FC00000));                         \
    }
#define COMPARED_F32(x, y, how) TRUTHS(_mm512_cmp_ps_mask((__m512)(x), (__m512)(y), how))
#define DO_LT_F32(x, y)      COMPARED_F32(x, y, _CMP_LT_OQ)
#define DO_LE_F32(x, y)      COMPARED_F32(x, y, _CMP_LE_OQ)
#define DO_EQ_F32(x, y)      COMPARED_F32(x, y, _CMP_EQ_OQ)
#define DO_NE_F32(x, y)      COMPARED_F32(x, y, _CMP_NEQ_UQ)
#define DO_LT_I32(x, y)      TRUTHS(_mm512_cmplt_epi32_mask((__m512i)(x), (__m512i)(y)))
#define DO_LE_I32(x, y)      TRUTHS(_mm512_cmple_epi32_mask((__m512i)(x), (__m512i)(y)))
#define DO_LT_U32(x, y)      TRUTHS(_mm512_cmplt_epu32_mask((__m512i)(x), (__m512i)(y)))
#define DO_LE_U32(x, y)      TRUTHS(_mm512_cmple_epu32_mask((__m512i)(x), (__m512i)(y)))
#define DO_EQ_I32(x, y)      TRUTHS(_mm512_cmpeq_epi32_mask((__m512i)(x), (__m512i)(y)))
#define DO_NE_I32(x, y)      TRUTHS(_mm512_cmpneq_epi32_mask((__m512i)(x), (__m512i)(y)))
#define DO_SELECT_I32(m, x, y) ((V)_mm512_ternarylogic_epi32((__m512i)(m), (__m512i)(x), (__m512i)(y), 0xCA))
#define DO_SELECT_I8(m, x, y) DO_SELECT_I32(m, x, y)
#define DO_FLOAT_I32(x)      ((V)_mm512_cvtepi32_ps((__m512i)(x)))
#define DO_FLOAT_U32(x)      ((V)_mm512_cvtepu32_ps((__m512i)(x)))
/* No NaN is ordered, and what is too small converts to the least integer anyway. */
#define ORDERED_F32(x)       _mm512_cmp_ps_mask((__m512)(x), (__m512)(x), _CMP_ORD_Q)
#define DO_TO_I32_F32(x)                                                                                               \
    ((V)_mm512_mask_mov_epi32(_mm512_maskz_cvttps_epi32(ORDERED_F32(x), (__m512)(x)),                                  \
                              _mm512_cmp_ps_mask((__m512)(x), _mm512_set1_ps(0x1p31f), _CMP_GE_OQ),                    \
                              _mm512_set1_epi32(INT32_MAX)))
#define TO_RANGE_F32(x, least, most)                                                                                   \
    ((V)_mm512_maskz_cvttps_epi32(                                                                                     \
        ORDERED_F32(x), _mm512_min_ps(_mm512_max_ps((__m512)(x), _mm512_set1_ps(least)), _mm512_set1_ps(most))))
#define DO_TO_U8_F32(x)      TO_RANGE_F32(x, 0, 255)
#define DO_TO_I8_F32(x)      TO_RANGE_F32(x, -128, 127)
#define DO_TO_U16_F32(x)     TO_RANGE_F32(x, 0, 65535)
#define DO_TO_I16_F32(x)     TO_RANGE_F32(x, -32768, 32767)
#define DO_TRUE_F32(x)       COMPARED_F32(x, _mm512_setzero_ps(), _CMP_NEQ_UQ)
#define DO_TRUE_I32(x)       TRUTHS(_mm512_test_epi32_mask((__m512i)(x), (__m512i)(x)))
#define DO_ISNAN_F32(x)      COMPARED_F32(x, x, _CMP_UNORD_Q)
#define TRUTHS_8(mask)       ((V)_mm512_movm_epi64(mask))
#define EIGHT_AT(p)          _mm_loadl_epi64((const __m128i *)(const void *)(p))
#define LOAD8_U8(p)          ((V)_mm512_cvtepu8_epi64(EIGHT_AT(p)))
#define LOAD8_I8(p)          ((V)_mm512_cvtepi8_epi64(EIGHT_AT(p)))
#define LOAD8_U16(p)         ((V)_mm512_cvtepu16_epi64(BYTES_AT(p)))
#define LOAD8_I16(p)         ((V)_mm512_cvtepi16_epi64(BYTES_AT(p)))
#define LOAD8_U32(p)         ((V)_mm512_cvtepu32_epi64(PAIRS_AT(p)))
#define LOAD8_I32(p)         ((V)_mm512_cvtepi32_epi64(PAIRS_AT(p)))
#define LOAD8_TRUTH(p)       TRUTHS_8((__mmask8)_mm_test_epi8_mask(EIGHT_AT(p), EIGHT_AT(p)))
#define LOAD8_F32(p)         ((V)_mm512_cvtps_pd(_mm256_loadu_ps((const float *)(const void *)(p))))
#define STORE8_8(p, x)       _mm_storel_epi64((__m128i *)(void *)(p), _mm512_cvtepi64_epi8((__m512i)(x)))
#define STORE8_16(p, x)      _mm_storeu_si128((__m128i *)(void *)(p), _mm512_cvtepi64_epi16((__m512i)(x)))
#define STORE8_32(p, x)      _mm256_storeu_si256((__m256i *)(void *)(p), _mm512_cvtepi64_epi32((__m512i)(x)))
#define STORE8_TRUTH(p, x)   _mm_storel_epi64((__m128i *)(void *)(p), _mm_abs_epi8(_mm512_cvtepi64_epi8((__m512i)(x))))
#define STORE8_F32(p, x)     _mm256_storeu_ps((float *)(void *)(p), _mm512_cvtpd_ps((__m512d)DO_CANON_F64(x)))
#define COMPARED_F64(x, y, how) TRUTHS_8(_mm512_cmp_pd_mask((__m512d)(x), (__m512d)(y), how))
#define DO_LT_F64(x, y)      COMPARED_F64(x, y, _CMP_LT_OQ)
#define DO_LE_F64(x, y)      COMPARED_F64(x, y, _CMP_LE_OQ)
#define DO_EQ_F64(x, y)      COMPARED_F64(x, y, _CMP_EQ_OQ)
#define DO_NE_F64(x, y)      COMPARED_F64(x, y, _CMP_NEQ_UQ)
#define DO_LT_I64(x, y)      TRUTHS_8(_mm512_cmplt_epi64_mask((__m512i)(x), (__m512i)(y)))
#define DO_LE_I64(x, y)      TRUTHS_8(_mm512_cmple_epi64_mask((__m512i)(x), (__m512i)(y)))
#define DO_EQ_I64(x, y)      TRUTHS_8(_mm512_cmpeq_epi64_mask((__m512i)(x), (__m512i)(y)))
#define DO_NE_I64(x, y)      TRUTHS_8(_mm512_cmpneq_epi64_mask((__m512i)(x), (__m512i)(y)))
#define DO_SELECT_I64(m, x, y) DO_SELECT_I32(m, x, y)
#define DO_ISNAN_F64(x)      COMPARED_F64(x, x, _CMP_UNORD_Q)
#define DO_FLOAT_I64(x)      ((V)_mm512_cvtepi64_pd((__m512i)(x)))
#define ORDERED_F64(x)       _mm512_cmp_pd_mask((__m512d)(x), (__m512d)(x), _CMP_ORD_Q)
#define DO_TO_I64_F64(x)                                                                                               \
    ((V)_mm512_mask_mov_epi64(_mm512_maskz_cvttpd_epi64(ORDERED_F64(x), (__m512d)(x)),                                 \
                              _mm512_cmp_pd_mask((__m512d)(x), _mm512_set1_pd(0x1p63), _CMP_GE_OQ),                    \
                              _mm512_set1_epi64(INT64_MAX)))
#define DO_TO_I32_F64(x)                                                                                               \
    ((V)_mm512_maskz_cvttpd_epi64(ORDERED_F64(x), _mm512_min_pd(_mm512_max_pd((__m512d)(x), _mm512_set1_pd(-0x1p31)),  \
                                                                _mm512_set1_pd(2147483647.0))))
#define DO_TRUE_F64(x)       COMPARED_F64(x, _mm512_setzero_pd(), _CMP_NEQ_UQ)
#define DO_TRUE_I64(x)       TRUTHS_8(_mm512_test_epi64_mask((__m512i)(x), (__m512i)(x)))
#define HAVE_ROUND 1
#define DO_FLOOR_F32(x) ((V)_mm512_roundscale_ps((__m512)(x), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC))
#define DO_CEIL_F32(x)  ((V)_mm512_roundscale_ps((__m512)(x), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC))
#define DO_TRUNC_F32(x) ((V)_mm512_roundscale_ps((__m512)(x), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC))
#define DO_ROUND_F32(x) ((V)_mm512_roundscale_ps((__m512)(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))
#define DO_FLOOR_F64(x) ((V)_mm512_roundscale_pd((__m512d)(x), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC))
#define DO_CEIL_F64(x)  ((V)_mm512_roundscale_pd((__m512d)(x), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC))
#define DO_TRUNC_F64(x) ((V)_mm512_roundscale_pd((__m512d)(x), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC))
#define DO_ROUND_F64(x) ((V)_mm512_roundscale_pd((__m512d)(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))
#include "vm/lanes/steps_avx512.h"
#define HAVE_DIVISIONS 1
/* See vm/lanes/gathers.inc. */
#define HAVE_GATHERS 1
#define OUTSIDE_4(x, extent) _mm512_cmpge_epu32_mask((__m512i)(x), (__m512i)(extent))
#define TAKE_4(from, x, left)                                                                                          \
    ((V)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), (__mmask16)_bzhi_u32(~0u, (uint32_t)(left)), (__m512i)(x), \
                                    from, 4))
/* See vm/lanes/quotients.inc. */
#define HAVE_QUOTIENTS 1
#define DO_LEAST_F32(x, y) ((V)_mm512_min_epu32((__m512i)(x), (__m512i)(y)))
#define DO_LEAST_F64(x, y) ((V)_mm512_min_epu64((__m512i)(x), (__m512i)(y)))
#define DO_MOST_F32(x, y) ((V)_mm512_max_epu32((__m512i)(x), (__m512i)(y)))
#define DO_MOST_F64(x, y) ((V)_mm512_max_epu64((__m512i)(x), (__m512i)(y)))
#define ALL_WITHIN_F32(low, high, least, most)                                                                         \
    ((_mm512_cmplt_epu32_mask((__m512i)(low), _mm512_set1_epi32((int)(least))) |                                       \
      _mm512_cmpgt_epu32_mask((__m512i)(high), _mm512_set1_epi32((int)(most)))) == 0)
#define ALL_WITHIN_F64(low, high, least, most)                                                                         \
    ((_mm512_cmplt_epu64_mask((__m512i)(low), _mm512_set1_epi64((int64_t)(least))) |                                   \
      _mm512_cmpgt_epu64_mask((__m512i)(high), _mm512_set1_epi64((int64_t)(most)))) == 0)
#define QUOTIENT(t, V512)                                                                                              \
    static inline __attribute__((always_inline)) V quotient_##t(V x, V k, V y) {                                       \
        V512 q = _mm512_mul_p##t((V512)x, (V512)y);                                                                    \
        q = _mm512_fnmadd_p##t(_mm512_fmsub_p##t(q, (V512)k, (V512)x), (V512)y, q);                                    \
        return (V)_mm512_fnmadd_p##t(_mm512_fmsub_p##t(q, (V512)k, (V512)x), (V512)y, q);                              \
    }
#define QUOTIENTS                                                                                                      \
    QUOTIENT(s, __m512)                                                                                                \
    QUOTIENT(d, __m512d)
#define DO_QUOTIENT_F32(x, k, y) quotient_s(x, k, y)
#define DO_QUOTIENT_F64(x, k, y) quotient_d(x, k, y)
/* The first elements of a vector. */
#define PART_MASK __mmask16
#define MASK_F32(n) ((__mmask16)_bzhi_u32(~0u, (uint32_t)(n)))
#define MASK_F64(n) ((__mmask16)_bzhi_u32(~0u, (uint32_t)(n)))
#define LD_PART_F32(p, mask) ((V)_mm512_maskz_loadu_epi32(mask, p))
#define LD_PART_F64(p, mask) ((V)_mm512_maskz_loadu_epi64((__mmask8)(mask), p))
/* A comparison of two registers finds a NaN in either. */
#define UNORDERED_F32(x, y) _mm512_cmp_ps_mask((__m512)(x), (__m512)(y), _CMP_UNORD_Q)
#define UNORDERED_F64(x, y) _mm512_cmp_pd_mask((__m512d)(x), (__m512d)(y), _CMP_UNORD_Q)
#if TIRBI_BANKS == 2
#define ANY_NAN_F32(R) (UNORDERED_F32(R(0), R(1)) != 0)
#define ANY_NAN_F64(R) (UNORDERED_F64(R(0), R(1)) != 0)
#elif TIRBI_BANKS == 4
#define ANY_NAN_F32(R) ((UNORDERED_F32(R(0), R(1)) | UNORDERED_F32(R(2), R(3))) != 0)
#define ANY_NAN_F64(R) ((UNORDERED_F64(R(0), R(1)) | UNORDERED_F64(R(2), R(3))) != 0)
#else
#define ANY_NAN_F32(R)                                                                                                 \
    ((UNORDERED_F32(R(0), R(1)) | UNORDERED_F32(R(2), R(3)) | UNORDERED_F32(R(4), R(5)) | UNORDERED_F32(R(6), R(7))) !=\
     0)
#define ANY_NAN_F64(R)                                                                                                 \
    ((UNORDERED_F64(R(0), R(1)) | UNORDERED_F64(R(2), R(3)) | UNORDERED_F64(R(4), R(5)) | UNORDERED_F64(R(6), R(7))) !=\
     0)
#endif
#define FIRST_BYTES(n) _cvtu64_mask64(_bzhi_u64(~(uint64_t)0, (n) > 64 ? 64 : (uint32_t)(n)))
/* Loads and stores under a mask without bits take long where they would be in a page that is not there, or that was
 * never written: there are none. */
#if ROWS == 1
#include "vm/lanes/gaps_avx512.h"

#define STEP_STORE_PART(i, X)                                                                                          \
    if (end_ <= (i)*64) break;                                                                                         \
    _mm512_mask_storeu_epi8(p + (i)*VB, FIRST_BYTES(end_ - (i)*64), (__m512i)REG_##X(i));
#define STORE_PART(D, to, strip, n)                                                                                    \
    HOLD(uint8_t, p, to)                                                                                               \
    const size_t end_ = (n);                                                                                           \
    STORE_PART_OR_GAPPED(D)
#else
/* The place of a register that is not stored is that of the first one of its row. */
#define STEP_STORE_PART(i, X)                                                                                          \
    _mm512_mask_storeu_epi8(p[ROW_OF(i)] + places[(i) % ROW_REGISTERS], parts[(i) % ROW_REGISTERS],                    \
                            (__m512i)REG_##X(i));
#define STORE_PART(D, to, strip, n)                                                                                    \
    HOLD(uint8_t, p, to)                                                                                               \
    const size_t n_ = (n), after_ = n_ > 64 ? n_ - 64 : 0;                                                             \
    const __mmask64 parts[ROW_REGISTERS] = {FIRST_BYTES(n_), FIRST_BYTES(after_)};                                     \
    const size_t places[ROW_REGISTERS] = {0, after_ > 0 ? 64 : 0};                                                     \
    EACH(STEP_STORE_PART, D)
#endif
/* Whole vectors and one masked one. */
#define COPY_BYTES(to, from, n)                                                                                        \
    do {                                                                                                               \
        uint8_t *to_ = (to);                                                                                           \
        const uint8_t *from_ = (from);                                                                                 \
        size_t n_ = (n);                                                                                               \
        for (; n_ >= 64; n_ -= 64, to_ += 64, from_ += 64) _mm512_storeu_si512(to_, _mm512_loadu_si512(from_));        \
        __mmask64 mask_ = _cvtu64_mask64(_bzhi_u64(~(uint64_t)0, (uint32_t)n_));                                       \
        if (n_ > 0) _mm512_mask_storeu_epi8(to_, mask_, _mm512_maskz_loadu_epi8(mask_, from_));                        \
    } while (0)
#define PULL_BYTES(to, from, n, size)                                                                                  \
    do {                                                                                                               \
        uint8_t *to_ = (to), *end_ = to_ + (size);                                                                     \
        const uint8_t *from_ = (from);                                                                                 \
        size_t n_ = (n);                                                                                               \
        for (; n_ >= 64; n_ -= 64, to_ += 64, from_ += 64) _mm512_storeu_si512(to_, _mm512_loadu_si512(from_));        \
        __mmask64 mask_ = _cvtu64_mask64(_bzhi_u64(~(uint64_t)0, (uint32_t)n_));                                       \
        for (from_ = n_ > 0 ? from_ : to_; to_ < end_; to_ += 64, from_ = to_, mask_ = 0)                              \
            _mm512_storeu_si512(to_, _mm512_maskz_loadu_epi8(mask_, from_));                                           \
    } while (0)
#ifdef TIRBI_REGISTER_MACHINE
#define REGISTER_MACHINE tirbi_registers_avx512
#define REGISTER_CONSTRAINT "v"
#include "vm/lanes/registers.inc"
#else
#include "vm/lanes/machine.inc"
#endif

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
