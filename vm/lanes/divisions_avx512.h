/* Integers of a bank divided by one number, on AVX-512. Included by machine.inc.
 *
 * 32 bits are divided as doubles, which leaves room for the reciprocal to be off: x / y is a multiple of 1 / |y|, and
 * all roundings together are below 2^-18 of that. So a reciprocal that is slightly too large gives no quotient less
 * than the exact one where that is integral, nor one that reaches the next integer; and x / y + 1 / 2|y| is never
 * integral.
 *
 * Narrower ones are multiplied by a reciprocal of 16 bits: Granlund and Montgomery's for any dividend of 16 bits, and
 * for bytes n, floor(n / d) = floor((n + 1) floor(65535 / d) / 65536). Signed ones are brought to their magnitudes
 * before; floors of negative quotients are complements of others: floor(x / -d) = ~floor((x - 1) / d), floor(~n / d) =
 * ~floor(n / d). */
#ifndef TIRB_VM_LANES_DIVISIONS_AVX512_H
#define TIRB_VM_LANES_DIVISIONS_AVX512_H

#define DIVISION static inline __attribute__((always_inline))

/* By what y, and words r and h for all lanes: of 32 bits its reciprocal, slightly too large, and half of that without
 * its sign; of fewer bits a factor, and all ones where y is below 0. Quotients of 16 bits are shifted twice. */
DIVISION double reciprocal_above(double y) { return 1 / y * (1 + 0x1p-51); }
DIVISION unsigned bits_above(uint32_t d) { return d > 1 ? 32u - (unsigned)__builtin_clz(d - 1) : 0; }
DIVISION uint32_t magnitude(int32_t y) { return (uint32_t)(y < 0 ? -y : y); }
DIVISION int ones_below_0(int32_t y) { return y < 0 ? -1 : 0; }
DIVISION uint32_t factor_16(uint32_t d) { return (((UINT32_C(1) << bits_above(d)) - d) << 16) / d + 1; }

#define DIVISOR_32(number)                                                                                             \
    const double above = reciprocal_above(number);                                                                     \
    const V r = (V)_mm512_set1_pd(above), h = (V)_mm512_set1_pd((above < 0 ? -above : above) / 2);                     \
    const __m128i once = _mm_setzero_si128(), again = once;
#define DIVISOR_16(number)                                                                                             \
    const uint32_t d = magnitude(number);                                                                              \
    const V r = (V)_mm512_set1_epi16((short)factor_16(d)), h = (V)_mm512_set1_epi16((short)ones_below_0(number));      \
    const __m128i once = _mm_cvtsi32_si128(d > 1 ? 1 : 0),                                                             \
                  again = _mm_cvtsi32_si128(d > 1 ? (int)bits_above(d) - 1 : 0);
#define DIVISOR_8(number)                                                                                              \
    const V r = (V)_mm512_set1_epi16((short)(65535 / magnitude(number)));                                              \
    const V h = (V)_mm512_set1_epi8((char)ones_below_0(number));                                                       \
    const __m128i once = _mm_setzero_si128(), again = once;
#define NUMBER(p, ctype)                                                                                               \
    ctype number;                                                                                                      \
    memcpy(&number, p, sizeof number);
#define DIVISOR_I32(p) NUMBER(p, int32_t) DIVISOR_32(number)
#define DIVISOR_U32(p) NUMBER(p, uint32_t) DIVISOR_32(number)
#define DIVISOR_I16(p) NUMBER(p, int16_t) DIVISOR_16(number)
#define DIVISOR_U16(p) NUMBER(p, uint16_t) DIVISOR_16(number)
#define DIVISOR_I8(p)  NUMBER(p, int8_t) DIVISOR_8(number)
#define DIVISOR_U8(p)  NUMBER(p, uint8_t) DIVISOR_8(number)

#define LOW_HALF(x)        _mm512_castsi512_si256((__m512i)(x))
#define HIGH_HALF(x)       _mm512_extracti64x4_epi64((__m512i)(x), 1)
#define BOTH_HALVES(x, y)  ((V)_mm512_inserti64x4(_mm512_castsi256_si512(x), y, 1))
#define DOWN(x)            _mm512_cvt_roundpd_epi32(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define TO_LOWER(part)     DOWN(_mm512_fmadd_pd(_mm512_cvtepi32_pd(part), (__m512d)r, (__m512d)h))
#define TO_ZERO_I32(part)  _mm512_cvttpd_epi32(_mm512_mul_pd(_mm512_cvtepi32_pd(part), (__m512d)r))
#define TO_ZERO_U32(part)  _mm512_cvttpd_epu32(_mm512_mul_pd(_mm512_cvtepu32_pd(part), (__m512d)r))
#define RECIPROCAL V r, V h, __m128i once, __m128i again
#define UNUSED_SHIFTS (void)once, (void)again

DIVISION V floor_quotients_i32(V x, RECIPROCAL) {
    UNUSED_SHIFTS;
    return BOTH_HALVES(TO_LOWER(LOW_HALF(x)), TO_LOWER(HIGH_HALF(x)));
}
DIVISION V quotients_i32(V x, RECIPROCAL) {
    UNUSED_SHIFTS, (void)h;
    return BOTH_HALVES(TO_ZERO_I32(LOW_HALF(x)), TO_ZERO_I32(HIGH_HALF(x)));
}
DIVISION V quotients_u32(V x, RECIPROCAL) {
    UNUSED_SHIFTS, (void)h;
    return BOTH_HALVES(TO_ZERO_U32(LOW_HALF(x)), TO_ZERO_U32(HIGH_HALF(x)));
}

DIVISION V quotients_u16(V n, RECIPROCAL) {
    const __m512i high = _mm512_mulhi_epu16((__m512i)n, (__m512i)r),
                  rest = _mm512_srl_epi16(_mm512_sub_epi16((__m512i)n, high), once);
    (void)h;
    return (V)_mm512_srl_epi16(_mm512_add_epi16(high, rest), again);
}
DIVISION V quotients_u8(V n, RECIPROCAL) {
    const __m512i one = _mm512_set1_epi16(1), low = _mm512_and_si512((__m512i)n, _mm512_set1_epi16(255)),
                  high = _mm512_srli_epi16((__m512i)n, 8);
    UNUSED_SHIFTS, (void)h;
    return (V)_mm512_or_si512(
        _mm512_mulhi_epu16(_mm512_add_epi16(low, one), (__m512i)r),
        _mm512_slli_epi16(_mm512_mulhi_epu16(_mm512_add_epi16(high, one), (__m512i)r), 8));
}
#define SIGNED_QUOTIENTS(bits)                                                                                         \
    DIVISION V quotients_i##bits(V x, RECIPROCAL) {                                                                    \
        const __m512i zero = _mm512_setzero_si512(), n = _mm512_abs_epi##bits((__m512i)x);                             \
        const V sign = (V)_mm512_movm_epi##bits(_mm512_cmplt_epi##bits##_mask((__m512i)x, zero)) ^ h;                  \
        return DO_SUB_I##bits(quotients_u##bits((V)n, r, h, once, again) ^ sign, sign);                                \
    }                                                                                                                  \
    DIVISION V floor_quotients_i##bits(V x, RECIPROCAL) {                                                              \
        const __m512i least = _mm512_sub_epi##bits(_mm512_setzero_si512(), (__m512i)h);                                \
        const V sign = (V)_mm512_movm_epi##bits(_mm512_cmplt_epi##bits##_mask((__m512i)x, least));                     \
        return quotients_u##bits(DO_ADD_I##bits(x, h) ^ sign, r, h, once, again) ^ sign ^ h;                           \
    }
SIGNED_QUOTIENTS(16)
SIGNED_QUOTIENTS(8)

#define REST(bits, x, q) DO_SUB_I##bits(x, DO_MUL_I##bits(q, y))
#define DO_QUOTIENTS(OP, T, t, bits, quotients, result)                                                                \
    DIVISION V by_##OP##_##T(V x, V y, RECIPROCAL) {                                                                   \
        const V q = quotients##_##t(x, r, h, once, again);                                                             \
        (void)y;                                                                                                       \
        return result;                                                                                                 \
    }
#define SIGNED_DIVISIONS(T, t, bits)                                                                                   \
    DO_QUOTIENTS(DIV, T, t, bits, quotients, q)                                                                        \
    DO_QUOTIENTS(MOD, T, t, bits, quotients, REST(bits, x, q))                                                         \
    DO_QUOTIENTS(FLOORDIV, T, t, bits, floor_quotients, q)                                                             \
    DO_QUOTIENTS(FLOORMOD, T, t, bits, floor_quotients, REST(bits, x, q))
#define UNSIGNED_DIVISIONS(T, t, bits)                                                                                 \
    DO_QUOTIENTS(DIV, T, t, bits, quotients, q)                                                                        \
    DO_QUOTIENTS(MOD, T, t, bits, quotients, REST(bits, x, q))
SIGNED_DIVISIONS(I32, i32, 32)
SIGNED_DIVISIONS(I16, i16, 16)
SIGNED_DIVISIONS(I8, i8, 8)
UNSIGNED_DIVISIONS(U32, u32, 32)
UNSIGNED_DIVISIONS(U16, u16, 16)
UNSIGNED_DIVISIONS(U8, u8, 8)

#define IS_ZERO_I8(p)  (*(p) == 0)
#define IS_ZERO_U8(p)  (*(p) == 0)
#define IS_ZERO_I16(p) (*(const I16_IN_MEMORY *)(p) == 0)
#define IS_ZERO_U16(p) IS_ZERO_I16(p)
#define IS_ZERO_I32(p) (*(const I32_IN_MEMORY *)(p) == 0)
#define IS_ZERO_U32(p) IS_ZERO_I32(p)

#endif
