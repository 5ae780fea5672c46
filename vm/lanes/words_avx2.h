/* Lanes that stand for elements of smaller sizes, and truths, by AVX2 and F16C: see vm/lanes/words.inc. */
#ifndef TIRB_VM_LANES_WORDS_AVX2_H
#define TIRB_VM_LANES_WORDS_AVX2_H

#define HAVE_WORDS    1
#define HAVE_HALVES   1
#define WORDS_INLINE  static inline __attribute__((always_inline))
#define FOUR_AT(p)    _mm_cvtsi32_si128(*(const I32_IN_MEMORY *)(p))
#define EIGHT_AT(p)   _mm_loadl_epi64((const __m128i *)(const void *)(p))
#define SIXTEEN_AT(p) _mm_loadu_si128((const __m128i *)(const void *)(p))

/* The low bytes of lanes of 4 and 8, one behind the other: those of both halves of a vector first. */
WORDS_INLINE __m128i halves_of_bytes(__m256i x, __m128i places) {
    const __m256i low = _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(places));
    return _mm_unpacklo_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
}
WORDS_INLINE __m128i low_8_of_4(__m256i x) { return halves_of_bytes(x, _mm_set1_epi32(0x0C080400)); }
WORDS_INLINE __m128i low_16_of_8(__m256i x) { return halves_of_bytes(x, _mm_set1_epi32(0x09080100)); }
WORDS_INLINE __m128i low_16_of_4(__m256i x) {
    const __m256i low = _mm256_shuffle_epi8(x, _mm256_set1_epi64x(0x0D0C090805040100));
    return _mm_unpacklo_epi64(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
}
WORDS_INLINE __m128i low_8_of_8(__m256i x) {
    const __m256i low = _mm256_shuffle_epi8(x, _mm256_set1_epi16(0x0800));
    return _mm_unpacklo_epi16(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
}
WORDS_INLINE __m128i low_32_of_8(__m256i x) {
    return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(_mm256_castsi256_si128(x)),
                                           _mm_castsi128_ps(_mm256_extracti128_si256(x, 1)), 0x88));
}

/* ---- Lanes of 4 bytes ----------------------------------------------------------------------------------------- */

#define LOAD4_U8(p)        ((V)_mm256_cvtepu8_epi32(EIGHT_AT(p)))
#define LOAD4_I8(p)        ((V)_mm256_cvtepi8_epi32(EIGHT_AT(p)))
#define LOAD4_U16(p)       ((V)_mm256_cvtepu16_epi32(SIXTEEN_AT(p)))
#define LOAD4_I16(p)       ((V)_mm256_cvtepi16_epi32(SIXTEEN_AT(p)))
#define LOAD4_TRUTH(p)     ((V)_mm256_cmpgt_epi32(_mm256_cvtepu8_epi32(EIGHT_AT(p)), _mm256_setzero_si256()))
#define LOAD4_F16(p)       ((V)_mm256_cvtph_ps(SIXTEEN_AT(p)))
#define LOAD4_BF16(p)      ((V)_mm256_slli_epi32(_mm256_cvtepu16_epi32(SIXTEEN_AT(p)), 16))
#define STORE4_8(p, x)     _mm_storel_epi64((__m128i *)(void *)(p), low_8_of_4((__m256i)(x)))
#define STORE4_16(p, x)    _mm_storeu_si128((__m128i *)(void *)(p), low_16_of_4((__m256i)(x)))
#define STORE4_TRUTH(p, x) _mm_storel_epi64((__m128i *)(void *)(p), _mm_abs_epi8(low_8_of_4((__m256i)(x))))
#define NARROW_F16(x)      _mm256_cvtps_ph((__m256)(x), _MM_FROUND_TO_NEAREST_INT)
#define STORE4_F16(p, x)   _mm_storeu_si128((__m128i *)(void *)(p), NARROW_F16(DO_CANON_F32(x)))
#define STORE4_BF16(p, x)  STORE4_16(p, _mm256_srli_epi32((__m256i)DO_ROUND_BF16(x), 16))
#define DO_ROUND_F16(x)    ((V)_mm256_cvtph_ps(NARROW_F16(x)))
#define DO_ROUND_BF16(x)   ((V)round_bf16((__m256i)(x)))
#define ROUND_TO_BF16      /* is a function */
WORDS_INLINE __m256i round_bf16(__m256i x) {
    const __m256i odd = _mm256_srli_epi32(_mm256_slli_epi32(x, 15), 31);
    const __m256i above = _mm256_add_epi32(_mm256_add_epi32(x, _mm256_set1_epi32(0x7FFF)), odd);
    const __m256i rounded = _mm256_slli_epi32(_mm256_srli_epi32(above, 16), 16);
    const __m256 nan = _mm256_cmp_ps((__m256)x, (__m256)x, _CMP_UNORD_Q);
    return (__m256i)_mm256_blendv_ps((__m256)rounded, (__m256)_mm256_set1_epi32(0x7FC00000), nan);
}
#define COMPARED_F32(x, y, how) ((V)_mm256_cmp_ps((__m256)(x), (__m256)(y), how))
#define DO_LT_F32(x, y)         COMPARED_F32(x, y, _CMP_LT_OQ)
#define DO_LE_F32(x, y)         COMPARED_F32(x, y, _CMP_LE_OQ)
#define DO_EQ_F32(x, y)         COMPARED_F32(x, y, _CMP_EQ_OQ)
#define DO_NE_F32(x, y)         COMPARED_F32(x, y, _CMP_NEQ_UQ)
#define DO_LT_I32(x, y)         ((V)_mm256_cmpgt_epi32((__m256i)(y), (__m256i)(x)))
#define DO_LE_I32(x, y)         ((V)_mm256_cmpeq_epi32(_mm256_min_epi32((__m256i)(x), (__m256i)(y)), (__m256i)(x)))
#define DO_LT_U32(x, y)         (~(V)_mm256_cmpeq_epi32(_mm256_min_epu32((__m256i)(x), (__m256i)(y)), (__m256i)(y)))
#define DO_LE_U32(x, y)         ((V)_mm256_cmpeq_epi32(_mm256_min_epu32((__m256i)(x), (__m256i)(y)), (__m256i)(x)))
#define DO_EQ_I32(x, y)         ((V)_mm256_cmpeq_epi32((__m256i)(x), (__m256i)(y)))
#define DO_NE_I32(x, y)         (~DO_EQ_I32(x, y))
#define DO_SELECT_I32(m, x, y)  ((V)_mm256_blendv_epi8((__m256i)(y), (__m256i)(x), (__m256i)(m)))
#define DO_SELECT_I8(m, x, y)   DO_SELECT_I32(m, x, y)
#define DO_FLOAT_I32(x)         ((V)_mm256_cvtepi32_ps((__m256i)(x)))
/* The high and the low 16 bits are exact, and so is the product: their sum is rounded once. */
#define DO_FLOAT_U32(x)                                                                                   \
    ((V)_mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32((__m256i)(x), 16)), _mm256_set1_ps(0x1p16f), \
                        _mm256_cvtepi32_ps(_mm256_blend_epi16((__m256i)(x), _mm256_setzero_si256(), 0xAA))))
/* No NaN is ordered, and what is out of range converts to the least integer. */
#define ORDERED_F32(x) COMPARED_F32(x, x, _CMP_ORD_Q)
#define DO_TO_I32_F32(x) \
    (ORDERED_F32(x) &    \
     ((V)_mm256_cvttps_epi32((__m256)(x)) ^ (V)_mm256_cmp_ps((__m256)(x), _mm256_set1_ps(0x1p31f), _CMP_GE_OQ)))
#define TO_RANGE_F32(x, least, most) \
    (ORDERED_F32(x) &                \
     (V)_mm256_cvttps_epi32(_mm256_min_ps(_mm256_max_ps((__m256)(x), _mm256_set1_ps(least)), _mm256_set1_ps(most))))
#define DO_TO_U8_F32(x)  TO_RANGE_F32(x, 0, 255)
#define DO_TO_I8_F32(x)  TO_RANGE_F32(x, -128, 127)
#define DO_TO_U16_F32(x) TO_RANGE_F32(x, 0, 65535)
#define DO_TO_I16_F32(x) TO_RANGE_F32(x, -32768, 32767)
#define DO_TRUE_F32(x)   COMPARED_F32(x, _mm256_setzero_ps(), _CMP_NEQ_UQ)
#define DO_TRUE_I32(x)   DO_NE_I32(x, _mm256_setzero_si256())
#define DO_ISNAN_F32(x)  COMPARED_F32(x, x, _CMP_UNORD_Q)

/* ---- Lanes of 8 bytes ----------------------------------------------------------------------------------------- */

#define LOAD8_U8(p)             ((V)_mm256_cvtepu8_epi64(FOUR_AT(p)))
#define LOAD8_I8(p)             ((V)_mm256_cvtepi8_epi64(FOUR_AT(p)))
#define LOAD8_U16(p)            ((V)_mm256_cvtepu16_epi64(EIGHT_AT(p)))
#define LOAD8_I16(p)            ((V)_mm256_cvtepi16_epi64(EIGHT_AT(p)))
#define LOAD8_U32(p)            ((V)_mm256_cvtepu32_epi64(SIXTEEN_AT(p)))
#define LOAD8_I32(p)            ((V)_mm256_cvtepi32_epi64(SIXTEEN_AT(p)))
#define LOAD8_TRUTH(p)          ((V)_mm256_cmpgt_epi64(_mm256_cvtepu8_epi64(FOUR_AT(p)), _mm256_setzero_si256()))
#define LOAD8_F32(p)            ((V)_mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)(p))))
#define STORE_FOUR(p, x)        (*(I32_IN_MEMORY *)(p) = _mm_cvtsi128_si32(x))
#define STORE8_8(p, x)          STORE_FOUR(p, low_8_of_8((__m256i)(x)))
#define STORE8_16(p, x)         _mm_storel_epi64((__m128i *)(void *)(p), low_16_of_8((__m256i)(x)))
#define STORE8_32(p, x)         _mm_storeu_si128((__m128i *)(void *)(p), low_32_of_8((__m256i)(x)))
#define STORE8_TRUTH(p, x)      STORE_FOUR(p, _mm_abs_epi8(low_8_of_8((__m256i)(x))))
#define STORE8_F32(p, x)        _mm_storeu_ps((float *)(void *)(p), _mm256_cvtpd_ps((__m256d)DO_CANON_F64(x)))
#define COMPARED_F64(x, y, how) ((V)_mm256_cmp_pd((__m256d)(x), (__m256d)(y), how))
#define DO_LT_F64(x, y)         COMPARED_F64(x, y, _CMP_LT_OQ)
#define DO_LE_F64(x, y)         COMPARED_F64(x, y, _CMP_LE_OQ)
#define DO_EQ_F64(x, y)         COMPARED_F64(x, y, _CMP_EQ_OQ)
#define DO_NE_F64(x, y)         COMPARED_F64(x, y, _CMP_NEQ_UQ)
#define DO_LT_I64(x, y)         ((V)_mm256_cmpgt_epi64((__m256i)(y), (__m256i)(x)))
#define DO_LE_I64(x, y)         (~DO_LT_I64(y, x))
#define DO_EQ_I64(x, y)         ((V)_mm256_cmpeq_epi64((__m256i)(x), (__m256i)(y)))
#define DO_NE_I64(x, y)         (~DO_EQ_I64(x, y))
#define DO_SELECT_I64(m, x, y)  DO_SELECT_I32(m, x, y)
#define DO_ISNAN_F64(x)         COMPARED_F64(x, x, _CMP_UNORD_Q)
/* Constants that stay in memory: beside two banks there are no registers for them, and where they are the compiler must
 * not know, or it would look for some. */
static const union {
    uint64_t bits[4];
    double f64[4];
    __m256i vector;
} constants_8[] = {
#define ALL_FOUR(x) {x, x, x, x}
    {.f64 = ALL_FOUR(0x1p52)},
    {.f64 = ALL_FOUR(0x1.8p68)},
    {.f64 = ALL_FOUR(0x1.8p68 + 0x1p52)},
    {.bits = ALL_FOUR(INT64_MAX)},
    {.bits = ALL_FOUR(1075)},
    {.bits = ALL_FOUR((UINT64_C(1) << 52) - 1)},
    {.bits = ALL_FOUR(UINT64_C(1) << 52)},
    {.f64 = ALL_FOUR(0x1p63)},
    {.bits = ALL_FOUR(0)},
#undef ALL_FOUR
};
enum { ONE_BEHIND_52_BITS, PLACE_OF_HIGH, BOTH_PLACES, ALL_BUT_SIGN, UNIT_EXPONENT, FRACTION, UNIT, BEHIND_I64, ZERO };
WORDS_INLINE __m256i constant_8(unsigned i) {
    const void *all = constants_8;
    __asm__ volatile("" : "+r"(all));
    return ((const __m256i *)all)[i];
}

#define DO_FLOAT_I64(x) ((V)float_i64((__m256i)(x)))
/* The high 32 bits and the low ones, each as the low bits of a float64 of which all else is known. The difference is
 * exact, so that the sum is rounded once. */
WORDS_INLINE __m256d float_i64(__m256i x) {
    const __m256i high = _mm256_blend_epi16(_mm256_srai_epi32(x, 16), constant_8(ZERO), 0x33);
    const __m256d placed = _mm256_castsi256_pd(_mm256_add_epi64(high, constant_8(PLACE_OF_HIGH)));
    const __m256i low = _mm256_blend_epi16(x, constant_8(ONE_BEHIND_52_BITS), 0x88);
    return _mm256_add_pd(_mm256_sub_pd(placed, _mm256_castsi256_pd(constant_8(BOTH_PLACES))), _mm256_castsi256_pd(low));
}
#define ORDERED_F64(x)   COMPARED_F64(x, x, _CMP_ORD_Q)
#define DO_TO_I64_F64(x) ((V)to_i64((__m256i)(x)))
/* The significand, shifted by the exponent. One of the shifts goes by more than 63 bits, which leaves nothing, or both
 * by none. */
WORDS_INLINE __m256i to_i64(__m256i x) {
    const __m256i by = _mm256_sub_epi64(_mm256_srli_epi64(_mm256_and_si256(x, constant_8(ALL_BUT_SIGN)), 52),
                                        constant_8(UNIT_EXPONENT));
    const __m256i significand = _mm256_or_si256(_mm256_and_si256(x, constant_8(FRACTION)), constant_8(UNIT));
    const __m256i whole = _mm256_or_si256(_mm256_sllv_epi64(significand, by),
                                          _mm256_srlv_epi64(significand, _mm256_sub_epi64(constant_8(ZERO), by)));
    const __m256i sign = _mm256_cmpgt_epi64(constant_8(ZERO), x);
    const __m256i within = _mm256_sub_epi64(_mm256_xor_si256(whole, sign), sign);
    const __m256d magnitude = _mm256_castsi256_pd(_mm256_and_si256(x, constant_8(ALL_BUT_SIGN)));
    const __m256d big = _mm256_cmp_pd(magnitude, _mm256_castsi256_pd(constant_8(BEHIND_I64)), _CMP_GE_OQ);
    const __m256i limit = _mm256_xor_si256(sign, constant_8(ALL_BUT_SIGN));
    const __m256d ordered = _mm256_cmp_pd((__m256d)x, (__m256d)x, _CMP_ORD_Q);
    return _mm256_and_si256(_mm256_blendv_epi8(within, limit, _mm256_castpd_si256(big)), _mm256_castpd_si256(ordered));
}
#define DO_TO_I32_F64(x)                                                          \
    (ORDERED_F64(x) & (V)_mm256_cvtepi32_epi64(_mm256_cvttpd_epi32(_mm256_min_pd( \
                          _mm256_max_pd((__m256d)(x), _mm256_set1_pd(-0x1p31)), _mm256_set1_pd(2147483647.0)))))
#define DO_TRUE_F64(x) COMPARED_F64(x, _mm256_setzero_pd(), _CMP_NEQ_UQ)
#define DO_TRUE_I64(x) DO_NE_I64(x, _mm256_setzero_si256())

#endif
