/* Lanes that stand for elements of smaller sizes, and truths, by SSE2: see vm/lanes/words.inc. Halves have none here:
 * strip kernels do what they are in. */
#ifndef TIRB_VM_LANES_WORDS_SSE2_H
#define TIRB_VM_LANES_WORDS_SSE2_H

#define HAVE_WORDS   1
#define WORDS_INLINE static inline __attribute__((always_inline))
typedef uint16_t TWO_IN_MEMORY __attribute__((aligned(1), may_alias));
typedef int32_t FOUR_IN_MEMORY __attribute__((aligned(1), may_alias));
#define TWO_AT(p)   _mm_cvtsi32_si128(*(const TWO_IN_MEMORY *)(p))
#define FOUR_AT(p)  _mm_cvtsi32_si128(*(const FOUR_IN_MEMORY *)(p))
#define EIGHT_AT(p) _mm_loadl_epi64((const __m128i *)(const void *)(p))
#define NOTHING     _mm_setzero_si128()

/* Bytes and pairs of them as lanes of 4 bytes, the signed ones from above. */
WORDS_INLINE __m128i bytes_as_4(__m128i x) { return _mm_unpacklo_epi16(_mm_unpacklo_epi8(x, NOTHING), NOTHING); }
WORDS_INLINE __m128i pairs_as_4(__m128i x) { return _mm_unpacklo_epi16(x, NOTHING); }
WORDS_INLINE __m128i signed_bytes_as_4(__m128i x) {
    return _mm_srai_epi32(_mm_unpacklo_epi16(NOTHING, _mm_unpacklo_epi8(NOTHING, x)), 24);
}
WORDS_INLINE __m128i signed_pairs_as_4(__m128i x) { return _mm_srai_epi32(_mm_unpacklo_epi16(NOTHING, x), 16); }
/* The first two lanes of 4 bytes as lanes of 8. */
WORDS_INLINE __m128i words_as_8(__m128i x) { return _mm_unpacklo_epi32(x, NOTHING); }
WORDS_INLINE __m128i signed_words_as_8(__m128i x) { return _mm_unpacklo_epi32(x, _mm_srai_epi32(x, 31)); }

/* The low bytes of lanes of 4 and of 8, one behind the other. */
WORDS_INLINE __m128i low_16_of_4(__m128i x) {
    const __m128i low = _mm_srai_epi32(_mm_slli_epi32(x, 16), 16);
    return _mm_packs_epi32(low, low);
}
WORDS_INLINE __m128i low_8_of_4(__m128i x) {
    const __m128i low = _mm_and_si128(x, _mm_set1_epi32(0xFF)), pairs = _mm_packs_epi32(low, low);
    return _mm_packus_epi16(pairs, pairs);
}
WORDS_INLINE __m128i low_32_of_8(__m128i x) { return _mm_shuffle_epi32(x, 0x88); }

#define STORE_TWO(p, x)   (*(TWO_IN_MEMORY *)(p) = (uint16_t)_mm_cvtsi128_si32(x))
#define STORE_FOUR(p, x)  (*(FOUR_IN_MEMORY *)(p) = _mm_cvtsi128_si32(x))
#define STORE_EIGHT(p, x) _mm_storel_epi64((__m128i *)(void *)(p), x)

/* ---- Lanes of 4 bytes ----------------------------------------------------------------------------------------- */

#define LOAD4_U8(p)             ((V)bytes_as_4(FOUR_AT(p)))
#define LOAD4_I8(p)             ((V)signed_bytes_as_4(FOUR_AT(p)))
#define LOAD4_U16(p)            ((V)pairs_as_4(EIGHT_AT(p)))
#define LOAD4_I16(p)            ((V)signed_pairs_as_4(EIGHT_AT(p)))
#define LOAD4_TRUTH(p)          ((V)_mm_cmpgt_epi32(bytes_as_4(FOUR_AT(p)), NOTHING))
#define STORE4_8(p, x)          STORE_FOUR(p, low_8_of_4((__m128i)(x)))
#define STORE4_16(p, x)         STORE_EIGHT(p, low_16_of_4((__m128i)(x)))
#define STORE4_TRUTH(p, x)      STORE_FOUR(p, low_8_of_4(_mm_srli_epi32((__m128i)(x), 31)))
#define DO_LT_F32(x, y)         ((V)_mm_cmplt_ps((__m128)(x), (__m128)(y)))
#define DO_LE_F32(x, y)         ((V)_mm_cmple_ps((__m128)(x), (__m128)(y)))
#define DO_EQ_F32(x, y)         ((V)_mm_cmpeq_ps((__m128)(x), (__m128)(y)))
#define DO_NE_F32(x, y)         ((V)_mm_cmpneq_ps((__m128)(x), (__m128)(y)))
#define DO_LT_I32(x, y)         ((V)_mm_cmplt_epi32((__m128i)(x), (__m128i)(y)))
#define DO_LE_I32(x, y)         (~(V)_mm_cmpgt_epi32((__m128i)(x), (__m128i)(y)))
#define FROM_LEAST(x)           _mm_xor_si128((__m128i)(x), _mm_set1_epi32(INT32_MIN))
#define DO_LT_U32(x, y)         DO_LT_I32(FROM_LEAST(x), FROM_LEAST(y))
#define DO_LE_U32(x, y)         DO_LE_I32(FROM_LEAST(x), FROM_LEAST(y))
#define DO_EQ_I32(x, y)         ((V)_mm_cmpeq_epi32((__m128i)(x), (__m128i)(y)))
#define DO_NE_I32(x, y)         (~DO_EQ_I32(x, y))
#define DO_SELECT_I32(m, x, y)  CHOOSE(m, x, y)
#define DO_FLOAT_I32(x)         ((V)_mm_cvtepi32_ps((__m128i)(x)))
/* The high and the low 16 bits are exact, and so is the product: their sum is rounded once. */
#define DO_FLOAT_U32(x)                                                                                            \
    ((V)_mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps(_mm_srli_epi32((__m128i)(x), 16)), _mm_set1_ps(0x1p16f)),            \
                   _mm_cvtepi32_ps(_mm_and_si128((__m128i)(x), _mm_set1_epi32(0xFFFF)))))
/* No NaN is ordered, and what is out of range converts to the least integer. */
#define ORDERED_F32(x)          ((V)_mm_cmpord_ps((__m128)(x), (__m128)(x)))
#define DO_TO_I32_F32(x)                                                                                           \
    (ORDERED_F32(x) & ((V)_mm_cvttps_epi32((__m128)(x)) ^ (V)_mm_cmpge_ps((__m128)(x), _mm_set1_ps(0x1p31f))))
#define TO_RANGE_F32(x, least, most)                                                                               \
    (ORDERED_F32(x) &                                                                                              \
     (V)_mm_cvttps_epi32(_mm_min_ps(_mm_max_ps((__m128)(x), _mm_set1_ps(least)), _mm_set1_ps(most))))
#define DO_TO_U8_F32(x)         TO_RANGE_F32(x, 0, 255)
#define DO_TO_I8_F32(x)         TO_RANGE_F32(x, -128, 127)
#define DO_TO_U16_F32(x)        TO_RANGE_F32(x, 0, 65535)
#define DO_TO_I16_F32(x)        TO_RANGE_F32(x, -32768, 32767)
#define DO_TRUE_F32(x)          DO_NE_F32(x, _mm_setzero_ps())
#define DO_TRUE_I32(x)          DO_NE_I32(x, NOTHING)
#define DO_ISNAN_F32(x)         ((V)_mm_cmpunord_ps((__m128)(x), (__m128)(x)))

/* ---- Lanes of 8 bytes ----------------------------------------------------------------------------------------- */

#define LOAD8_U8(p)             ((V)words_as_8(bytes_as_4(TWO_AT(p))))
#define LOAD8_I8(p)             ((V)signed_words_as_8(signed_bytes_as_4(TWO_AT(p))))
#define LOAD8_U16(p)            ((V)words_as_8(pairs_as_4(FOUR_AT(p))))
#define LOAD8_I16(p)            ((V)signed_words_as_8(signed_pairs_as_4(FOUR_AT(p))))
#define LOAD8_U32(p)            ((V)words_as_8(EIGHT_AT(p)))
#define LOAD8_I32(p)            ((V)signed_words_as_8(EIGHT_AT(p)))
#define LOAD8_TRUTH(p)          ((V)signed_words_as_8(_mm_cmpgt_epi32(bytes_as_4(TWO_AT(p)), NOTHING)))
#define LOAD8_F32(p)            ((V)_mm_cvtps_pd((__m128)EIGHT_AT(p)))
#define STORE8_8(p, x)          STORE_TWO(p, low_8_of_4(low_32_of_8((__m128i)(x))))
#define STORE8_16(p, x)         STORE_FOUR(p, low_16_of_4(low_32_of_8((__m128i)(x))))
#define STORE8_32(p, x)         STORE_EIGHT(p, low_32_of_8((__m128i)(x)))
#define STORE8_TRUTH(p, x)      STORE8_8(p, _mm_srli_epi64((__m128i)(x), 63))
#define STORE8_F32(p, x)        STORE_EIGHT(p, (__m128i)_mm_cvtpd_ps((__m128d)DO_CANON_F64(x)))
#define DO_LT_F64(x, y)         ((V)_mm_cmplt_pd((__m128d)(x), (__m128d)(y)))
#define DO_LE_F64(x, y)         ((V)_mm_cmple_pd((__m128d)(x), (__m128d)(y)))
#define DO_EQ_F64(x, y)         ((V)_mm_cmpeq_pd((__m128d)(x), (__m128d)(y)))
#define DO_NE_F64(x, y)         ((V)_mm_cmpneq_pd((__m128d)(x), (__m128d)(y)))
#define DO_LT_I64(x, y)         ((V)((VI64)(x) < (VI64)(y)))
#define DO_LE_I64(x, y)         (~DO_LT_I64(y, x))
#define DO_EQ_I64(x, y)         ((V)((VI64)(x) == (VI64)(y)))
#define DO_NE_I64(x, y)         (~DO_EQ_I64(x, y))
#define DO_SELECT_I64(m, x, y)  CHOOSE(m, x, y)
#define DO_ISNAN_F64(x)         ((V)_mm_cmpunord_pd((__m128d)(x), (__m128d)(x)))
#define DO_TRUE_F64(x)          DO_NE_F64(x, _mm_setzero_pd())
#define DO_TRUE_I64(x)          DO_NE_I64(x, NOTHING)
#define ORDERED_F64(x)          ((V)_mm_cmpord_pd((__m128d)(x), (__m128d)(x)))
#define DO_FLOAT_I64(x)         ((V)float_i64((__m128i)(x)))
/* The high 32 bits and the low ones, each as the low bits of a float64 of which all else is known. The difference is
 * exact, so that the sum is rounded once. */
WORDS_INLINE __m128d float_i64(__m128i x) {
    const __m128i high = _mm_and_si128(_mm_srai_epi32(x, 16), _mm_set1_epi64x((int64_t)0xFFFFFFFF00000000));
    const __m128i placed = _mm_add_epi64(high, _mm_castpd_si128(_mm_set1_pd(0x1.8p68)));
    const __m128i low = _mm_and_si128(x, _mm_set1_epi64x(0xFFFFFFFFFFFF));
    const __m128d behind_52_bits = _mm_castsi128_pd(_mm_or_si128(low, _mm_castpd_si128(_mm_set1_pd(0x1p52))));
    return _mm_add_pd(_mm_sub_pd(_mm_castsi128_pd(placed), _mm_set1_pd(0x1.8p68 + 0x1p52)), behind_52_bits);
}
/* One by one, as above. */
#define DO_TO_I64_F64(x)                                                                                           \
    (ORDERED_F64(x) & ((V)_mm_unpacklo_epi64(_mm_cvtsi64_si128(_mm_cvttsd_si64((__m128d)(x))),                     \
                                             _mm_cvtsi64_si128(_mm_cvttsd_si64(_mm_unpackhi_pd((__m128d)(x),       \
                                                                                               (__m128d)(x))))) ^  \
                       (V)_mm_cmpge_pd((__m128d)(x), _mm_set1_pd(0x1p63))))
#define DO_TO_I32_F64(x)                                                                                           \
    (ORDERED_F64(x) & (V)signed_words_as_8(_mm_cvttpd_epi32(                                                       \
                          _mm_min_pd(_mm_max_pd((__m128d)(x), _mm_set1_pd(-0x1p31)), _mm_set1_pd(2147483647.0)))))

#endif
