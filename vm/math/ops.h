/* Every elementwise instruction as an inline function on C values: tirbi_<mnemonic>_<type>.
 *
 * The rows of loader/isa/opcodes.def define what they compute. Comparisons and isnan return 0 or 1; the integer
 * divisions return false instead of dividing by zero; casts are tirbi_cast_<to>_<from> and bit copies
 * tirbi_bits_<to>_<from>. float16 and bfloat16 values are uint16_t. The lists at the end name the functions for other
 * macros. */
#ifndef TIRB_VM_MATH_OPS_H
#define TIRB_VM_MATH_OPS_H

#include "vm/math/core.h"
#include "vm/math/half.h"
#include "vm/math/math32.h"
#include "vm/math/math64.h"
#include "vm/math/special.h"

/* X(type, C type, more..) for the types of a class. Integers also give the unsigned type of their size, the unsigned
 * type that arithmetic is done in, and their bits. */
#define TIRBI_NARROW_SIGNED_TYPES(X)                                                                                   \
    X(i8, int8_t, uint8_t, uint32_t, 8)                                                                                \
    X(i16, int16_t, uint16_t, uint32_t, 16)                                                                            \
    X(i32, int32_t, uint32_t, uint32_t, 32)
#define TIRBI_NARROW_UNSIGNED_TYPES(X)                                                                                 \
    X(u8, uint8_t, uint8_t, uint32_t, 8)                                                                               \
    X(u16, uint16_t, uint16_t, uint32_t, 16)                                                                           \
    X(u32, uint32_t, uint32_t, uint32_t, 32)
#define TIRBI_NARROW_TYPES(X) TIRBI_NARROW_SIGNED_TYPES(X) TIRBI_NARROW_UNSIGNED_TYPES(X)
#define TIRBI_SIGNED_TYPES(X) TIRBI_NARROW_SIGNED_TYPES(X) X(i64, int64_t, uint64_t, uint64_t, 64)
#define TIRBI_UNSIGNED_TYPES(X) TIRBI_NARROW_UNSIGNED_TYPES(X) X(u64, uint64_t, uint64_t, uint64_t, 64)
#define TIRBI_INT_TYPES(X) TIRBI_SIGNED_TYPES(X) TIRBI_UNSIGNED_TYPES(X)
#define TIRBI_REAL_TYPES(X) X(f32, float) X(f64, double)
#define TIRBI_HALF_TYPES(X) X(f16, uint16_t) X(bf16, uint16_t)

/* ---- Integers --------------------------------------------------------------------------------------------------- */

/* Arithmetic is done in an unsigned type of at least 32 bits: it wraps and no promotion to int gets in the way. */
#define TIRBI_INT_OPS(t, C, U, W, bits)                                                                                \
    TIRBI_MATH C tirbi_add_##t(C a, C b) { return (C)(U)((W)a + (W)b); }                                               \
    TIRBI_MATH C tirbi_sub_##t(C a, C b) { return (C)(U)((W)a - (W)b); }                                               \
    TIRBI_MATH C tirbi_mul_##t(C a, C b) { return (C)(U)((W)a * (W)b); }                                               \
    TIRBI_MATH C tirbi_neg_##t(C a) { return (C)(U)((W)0 - (W)a); }                                                    \
    TIRBI_MATH C tirbi_and_##t(C a, C b) { return (C)(a & b); }                                                        \
    TIRBI_MATH C tirbi_or_##t(C a, C b) { return (C)(a | b); }                                                         \
    TIRBI_MATH C tirbi_xor_##t(C a, C b) { return (C)(a ^ b); }                                                        \
    TIRBI_MATH C tirbi_not_##t(C a) { return (C)~a; }                                                                  \
    TIRBI_MATH C tirbi_shl_##t(C a, C b) { return (C)(U)((W)a << ((W)b & (bits - 1))); }                               \
    TIRBI_MATH C tirbi_shr_##t(C a, C b) { return (C)(a >> ((W)b & (bits - 1))); }                                     \
    TIRBI_MATH C tirbi_popcount_##t(C a) { return (C)tirbi_count_ones_##bits((U)a); }                                  \
    TIRBI_MATH C tirbi_clz_##t(C a) { return (C)tirbi_leading_zeros_##bits((U)a); }

TIRBI_MATH uint32_t tirbi_count_ones_32(uint32_t v) {
    v -= (v >> 1) & 0x55555555u;
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    v = (v + (v >> 4)) & 0x0F0F0F0Fu;
    return (v * 0x01010101u) >> 24;
}
TIRBI_MATH uint64_t tirbi_count_ones_64(uint64_t v) {
    v -= (v >> 1) & 0x5555555555555555u;
    v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
    v = (v + (v >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (v * 0x0101010101010101u) >> 56;
}
TIRBI_MATH uint32_t tirbi_count_ones_8(uint8_t v) { return tirbi_count_ones_32(v); }
TIRBI_MATH uint32_t tirbi_count_ones_16(uint16_t v) { return tirbi_count_ones_32(v); }

TIRBI_MATH uint32_t tirbi_leading_zeros_32(uint32_t v) { return v == 0 ? 32u : (uint32_t)__builtin_clz(v); }
TIRBI_MATH uint64_t tirbi_leading_zeros_64(uint64_t v) { return v == 0 ? 64u : (uint64_t)__builtin_clzll(v); }
TIRBI_MATH uint32_t tirbi_leading_zeros_8(uint8_t v) { return tirbi_leading_zeros_32(v) - 24u; }
TIRBI_MATH uint32_t tirbi_leading_zeros_16(uint16_t v) { return tirbi_leading_zeros_32(v) - 16u; }

TIRBI_INT_TYPES(TIRBI_INT_OPS)
#undef TIRBI_INT_OPS

/* A divisor of -1 negates: the least value divided by it wraps, where the division instruction would trap. */
#define TIRBI_SIGNED_OPS(t, C, U, W, bits)                                                                             \
    TIRBI_MATH C tirbi_abs_##t(C a) { return a < 0 ? tirbi_neg_##t(a) : a; }                                           \
    TIRBI_MATH bool tirbi_div_##t(C a, C b, C *out) {                                                                  \
        if (b == 0) return false;                                                                                      \
        *out = b == -1 ? tirbi_neg_##t(a) : (C)(a / b);                                                                \
        return true;                                                                                                   \
    }                                                                                                                  \
    TIRBI_MATH bool tirbi_mod_##t(C a, C b, C *out) {                                                                  \
        if (b == 0) return false;                                                                                      \
        *out = b == -1 ? (C)0 : (C)(a % b);                                                                            \
        return true;                                                                                                   \
    }                                                                                                                  \
    TIRBI_MATH bool tirbi_floordiv_##t(C a, C b, C *out) {                                                             \
        C remainder;                                                                                                   \
        if (!tirbi_mod_##t(a, b, &remainder) || !tirbi_div_##t(a, b, out)) return false;                               \
        if (remainder != 0 && (remainder < 0) != (b < 0)) *out = (C)(*out - 1);                                        \
        return true;                                                                                                   \
    }                                                                                                                  \
    TIRBI_MATH bool tirbi_floormod_##t(C a, C b, C *out) {                                                             \
        if (!tirbi_mod_##t(a, b, out)) return false;                                                                   \
        if (*out != 0 && (*out < 0) != (b < 0)) *out = (C)(*out + b);                                                  \
        return true;                                                                                                   \
    }
TIRBI_SIGNED_TYPES(TIRBI_SIGNED_OPS)
#undef TIRBI_SIGNED_OPS

#define TIRBI_UNSIGNED_OPS(t, C, U, W, bits)                                                                           \
    TIRBI_MATH C tirbi_abs_##t(C a) { return a; }                                                                      \
    TIRBI_MATH bool tirbi_div_##t(C a, C b, C *out) {                                                                  \
        if (b == 0) return false;                                                                                      \
        *out = (C)(a / b);                                                                                             \
        return true;                                                                                                   \
    }                                                                                                                  \
    TIRBI_MATH bool tirbi_mod_##t(C a, C b, C *out) {                                                                  \
        if (b == 0) return false;                                                                                      \
        *out = (C)(a % b);                                                                                             \
        return true;                                                                                                   \
    }                                                                                                                  \
    TIRBI_MATH bool tirbi_floordiv_##t(C a, C b, C *out) { return tirbi_div_##t(a, b, out); }                          \
    TIRBI_MATH bool tirbi_floormod_##t(C a, C b, C *out) { return tirbi_mod_##t(a, b, out); }
TIRBI_UNSIGNED_TYPES(TIRBI_UNSIGNED_OPS)
#undef TIRBI_UNSIGNED_OPS

TIRBI_MATH uint8_t tirbi_and_bool(uint8_t a, uint8_t b) { return a & b; }
TIRBI_MATH uint8_t tirbi_or_bool(uint8_t a, uint8_t b) { return a | b; }
TIRBI_MATH uint8_t tirbi_xor_bool(uint8_t a, uint8_t b) { return a ^ b; }
TIRBI_MATH uint8_t tirbi_not_bool(uint8_t a) { return (uint8_t)(1u - a); }

/* ---- Comparison and choice -------------------------------------------------------------------------------------- */

#define TIRBI_COMPARE_OPS(t, C, VALUE)                                                                                 \
    TIRBI_MATH uint8_t tirbi_eq_##t(C a, C b) { return (uint8_t)(VALUE(a) == VALUE(b)); }                              \
    TIRBI_MATH uint8_t tirbi_ne_##t(C a, C b) { return (uint8_t)(VALUE(a) != VALUE(b)); }                              \
    TIRBI_MATH uint8_t tirbi_lt_##t(C a, C b) { return (uint8_t)(VALUE(a) < VALUE(b)); }                               \
    TIRBI_MATH uint8_t tirbi_le_##t(C a, C b) { return (uint8_t)(VALUE(a) <= VALUE(b)); }                              \
    TIRBI_MATH uint8_t tirbi_gt_##t(C a, C b) { return (uint8_t)(VALUE(a) > VALUE(b)); }                               \
    TIRBI_MATH uint8_t tirbi_ge_##t(C a, C b) { return (uint8_t)(VALUE(a) >= VALUE(b)); }                              \
    TIRBI_MATH C tirbi_mov_##t(C a) { return a; }                                                                      \
    TIRBI_MATH C tirbi_select_##t(uint8_t a, C b, C c) { return a ? b : c; }

#define TIRBI_SAME(v) (v)
#define TIRBI_COMPARE_INT(t, C, U, W, bits)                                                                            \
    TIRBI_COMPARE_OPS(t, C, TIRBI_SAME)                                                                                \
    TIRBI_MATH C tirbi_min_##t(C a, C b) { return a < b ? a : b; }                                                     \
    TIRBI_MATH C tirbi_max_##t(C a, C b) { return a > b ? a : b; }
TIRBI_INT_TYPES(TIRBI_COMPARE_INT)
TIRBI_COMPARE_OPS(bool, uint8_t, TIRBI_SAME)
TIRBI_COMPARE_OPS(f16, uint16_t, tirbi_f16_value)
TIRBI_COMPARE_OPS(bf16, uint16_t, tirbi_bf16_value)
TIRBI_COMPARE_OPS(f32, float, TIRBI_SAME)
TIRBI_COMPARE_OPS(f64, double, TIRBI_SAME)
#undef TIRBI_COMPARE_INT
#undef TIRBI_COMPARE_OPS
#undef TIRBI_SAME

/* ---- Floating-point arithmetic ---------------------------------------------------------------------------------- */

#if defined(TIRBI_HAVE_FMA)
TIRBI_MATH float tirbi_fused_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
/* A product of two floats is exact in double. Its sum with the third, rounded to odd, rounds to float as the exact sum
 * does (Boldo and Melquiond, IEEE Transactions on Computers 57, 2008): an inexact sum that ends in an even digit moves
 * by one towards its error, which is never zero then. The error of what is not finite is a NaN, and the sum stays. */
TIRBI_MATH float tirbi_fused_f32(float a, float b, float c) {
    double product = (double)a * (double)b;
    double sum = product + (double)c;
    double part = sum - product;
    double error = (product - (sum - part)) + ((double)c - part);
    uint64_t bits = tirbi_f64_bits(sum);
    uint64_t outwards = (uint64_t)((error > 0) == (sum > 0)) * 2 - 1;
    bool inexact = error < 0 || error > 0;
    uint64_t odd = (bits & 1) == 0 && inexact ? bits + outwards : bits;
    return (float)tirbi_f64_from_bits(odd);
}
#endif
TIRBI_MATH double tirbi_fused_f64(double a, double b, double c) { return tirbi_double_fma(a, b, c); }
TIRBI_MATH float tirbi_root_f32(float a) { return __builtin_sqrtf(a); }
TIRBI_MATH double tirbi_root_f64(double a) { return __builtin_sqrt(a); }

#define TIRBI_REAL_OPS(t, C)                                                                                           \
    TIRBI_MATH C tirbi_add_##t(C a, C b) { return tirbi_canon_##t(a + b); }                                            \
    TIRBI_MATH C tirbi_sub_##t(C a, C b) { return tirbi_canon_##t(a - b); }                                            \
    TIRBI_MATH C tirbi_mul_##t(C a, C b) { return tirbi_canon_##t(a * b); }                                            \
    TIRBI_MATH C tirbi_div_##t(C a, C b) { return tirbi_canon_##t(a / b); }                                            \
    TIRBI_MATH C tirbi_min_##t(C a, C b) { return tirbi_canon_##t(a < b ? a : b); }                                    \
    TIRBI_MATH C tirbi_max_##t(C a, C b) { return tirbi_canon_##t(a > b ? a : b); }                                    \
    TIRBI_MATH C tirbi_fma_##t(C a, C b, C c) { return tirbi_canon_##t(tirbi_fused_##t(a, b, c)); }                    \
    TIRBI_MATH C tirbi_fms_##t(C a, C b, C c) { return tirbi_canon_##t(tirbi_fused_##t(a, b, -c)); }                   \
    TIRBI_MATH C tirbi_fnma_##t(C a, C b, C c) { return tirbi_canon_##t(tirbi_fused_##t(-a, b, c)); }                  \
    TIRBI_MATH C tirbi_neg_##t(C a) { return tirbi_canon_##t(-a); }                                                    \
    TIRBI_MATH C tirbi_abs_##t(C a) { return tirbi_canon_##t(tirbi_magnitude_##t(a)); }                                \
    TIRBI_MATH uint8_t tirbi_isnan_##t(C a) { return (uint8_t)(a != a); }                                              \
    TIRBI_MATH C tirbi_sqrt_##t(C a) { return tirbi_canon_##t(tirbi_root_##t(a)); }                                    \
    TIRBI_MATH C tirbi_floor_##t(C a) { return tirbi_canon_##t(tirbi_floor_exact_##t(a)); }                            \
    TIRBI_MATH C tirbi_ceil_##t(C a) { return tirbi_canon_##t(tirbi_ceil_exact_##t(a)); }                              \
    TIRBI_MATH C tirbi_trunc_##t(C a) { return tirbi_canon_##t(tirbi_trunc_exact_##t(a)); }                            \
    TIRBI_MATH C tirbi_round_##t(C a) { return tirbi_canon_##t(tirbi_rint_##t(a)); }                                   \
    TIRBI_MATH C tirbi_copysign_##t(C a, C b) { return tirbi_canon_##t(tirbi_with_sign_##t(a, b)); }
TIRBI_REAL_TYPES(TIRBI_REAL_OPS)
#undef TIRBI_REAL_OPS

/* The next value from `a` towards `b`, on values as sign and magnitude. */
#define TIRBI_NEXTAFTER(t, C, U, BITS, FROM, VALUE, sign_bit, inf)                                                     \
    TIRBI_MATH C tirbi_nextafter_##t(C a, C b) {                                                                       \
        U ua = BITS(a), ub = BITS(b);                                                                                  \
        U ma = (U)(ua & (U)~(sign_bit)), mb = (U)(ub & (U)~(sign_bit));                                                \
        bool away = (ua & (sign_bit)) == (ub & (sign_bit)) && mb > ma;                                                 \
        U stepped = (U)(away ? ua + 1u : ua - 1u);                                                                     \
        U from_zero = (U)((ub & (sign_bit)) | 1u);                                                                     \
        U result = ma == 0 ? from_zero : stepped;                                                                      \
        result = VALUE(a) == VALUE(b) ? ub : result;                                                                   \
        return tirbi_canon_##t(FROM((U)(ma > (inf) ? ua : mb > (inf) ? ub : result)));                                 \
    }
#define TIRBI_SAME(v) (v)
TIRBI_NEXTAFTER(f32, float, uint32_t, tirbi_f32_bits, tirbi_f32_from_bits, TIRBI_SAME, 0x80000000u, 0x7F800000u)
TIRBI_NEXTAFTER(f64, double, uint64_t, tirbi_f64_bits, tirbi_f64_from_bits, TIRBI_SAME, 0x8000000000000000u,
                0x7FF0000000000000u)
TIRBI_NEXTAFTER(f16, uint16_t, uint16_t, TIRBI_SAME, TIRBI_SAME, tirbi_f16_value, 0x8000u, 0x7C00u)
TIRBI_NEXTAFTER(bf16, uint16_t, uint16_t, TIRBI_SAME, TIRBI_SAME, tirbi_bf16_value, 0x8000u, 0x7F80u)
#undef TIRBI_SAME
#undef TIRBI_NEXTAFTER

/* One operation in float32 and one rounding. */
#define TIRBI_HALF_1(t, op)                                                                                            \
    TIRBI_MATH uint16_t tirbi_##op##_##t(uint16_t a) {                                                                 \
        return tirbi_rounded_##t(tirbi_##op##_f32(tirbi_##t##_value(a)));                                              \
    }
#define TIRBI_HALF_2(t, op)                                                                                            \
    TIRBI_MATH uint16_t tirbi_##op##_##t(uint16_t a, uint16_t b) {                                                     \
        return tirbi_rounded_##t(tirbi_##op##_f32(tirbi_##t##_value(a), tirbi_##t##_value(b)));                        \
    }
#define TIRBI_HALF_3(t, op)                                                                                            \
    TIRBI_MATH uint16_t tirbi_##op##_##t(uint16_t a, uint16_t b, uint16_t c) {                                         \
        return tirbi_rounded_##t(                                                                                      \
            tirbi_##op##_f32(tirbi_##t##_value(a), tirbi_##t##_value(b), tirbi_##t##_value(c)));                       \
    }
#define TIRBI_HALF_OPS(t, C)                                                                                           \
    TIRBI_HALF_2(t, add)                                                                                               \
    TIRBI_HALF_2(t, sub)                                                                                               \
    TIRBI_HALF_2(t, mul)                                                                                               \
    TIRBI_HALF_2(t, div)                                                                                               \
    TIRBI_HALF_3(t, fma)                                                                                               \
    TIRBI_HALF_3(t, fms)                                                                                               \
    TIRBI_HALF_3(t, fnma)                                                                                              \
    TIRBI_HALF_1(t, sqrt)                                                                                              \
    TIRBI_HALF_1(t, floor)                                                                                             \
    TIRBI_HALF_1(t, ceil)                                                                                              \
    TIRBI_HALF_1(t, trunc)                                                                                             \
    TIRBI_HALF_1(t, round)                                                                                             \
    TIRBI_MATH C tirbi_min_##t(C a, C b) { return tirbi_canon_##t(tirbi_lt_##t(a, b) ? a : b); }                       \
    TIRBI_MATH C tirbi_max_##t(C a, C b) { return tirbi_canon_##t(tirbi_gt_##t(a, b) ? a : b); }                       \
    TIRBI_MATH C tirbi_neg_##t(C a) { return tirbi_canon_##t((C)(a ^ 0x8000u)); }                                      \
    TIRBI_MATH C tirbi_abs_##t(C a) { return tirbi_canon_##t(a & 0x7FFFu); }                                           \
    TIRBI_MATH C tirbi_copysign_##t(C a, C b) { return tirbi_canon_##t((C)((a & 0x7FFFu) | (b & 0x8000u))); }
TIRBI_HALF_TYPES(TIRBI_HALF_OPS)
#undef TIRBI_HALF_OPS
TIRBI_MATH uint8_t tirbi_isnan_f16(uint16_t a) { return (uint8_t)((a & 0x7FFF) > 0x7C00); }
TIRBI_MATH uint8_t tirbi_isnan_bf16(uint16_t a) { return (uint8_t)((a & 0x7FFF) > 0x7F80); }

/* X(NAME, mnemonic) of the mathematical rows that math32.h and math64.h compute; RARE: those that are split there into
 * rare and usual inputs; RANGE: those whose float32 function has a usual one for a range of inputs; RANGES: and whose
 * float64 function has rare ones. */
#define TIRBI_MATH_1_WHOLE(X)                                                                                          \
    X(EXPM1, expm1) X(LOG1P, log1p)                                                                                    \
    X(ASIN, asin) X(ACOS, acos) X(ATAN, atan)                                                                          \
    X(SINH, sinh) X(COSH, cosh) X(ASINH, asinh) X(ACOSH, acosh) X(ATANH, atanh)
#define TIRBI_MATH_1_PIECES(X) X(TANH, tanh) X(ERF, erf)
#define TIRBI_MATH_1_RANGE(X) X(SIGMOID, sigmoid) X(RSQRT, rsqrt)
#define TIRBI_MATH_1_RANGES(X)                                                                                         \
    X(EXP, exp) X(EXP2, exp2) X(EXP10, exp10) X(LOG, log) X(LOG2, log2) X(LOG10, log10)
#define TIRBI_MATH_1_RARE(X) X(TAN, tan)
#define TIRBI_MATH_1_ANGLE(X) X(SIN, sin) X(COS, cos)
#define TIRBI_MATH_2_WHOLE(X) X(ATAN2, atan2) X(HYPOT, hypot) X(LDEXP, ldexp)
#define TIRBI_MATH_2_RARE(X) X(POW, pow) X(FMOD, fmod)
#define TIRBI_MATH_1(X)                                                                                                \
    TIRBI_MATH_1_WHOLE(X) TIRBI_MATH_1_PIECES(X) TIRBI_MATH_1_RANGE(X) TIRBI_MATH_1_RANGES(X) TIRBI_MATH_1_RARE(X)     \
    TIRBI_MATH_1_ANGLE(X)
#define TIRBI_MATH_2(X) TIRBI_MATH_2_WHOLE(X) TIRBI_MATH_2_RARE(X)

#define TIRBI_HALF_MATH_1(NAME, op) TIRBI_HALF_1(f16, op) TIRBI_HALF_1(bf16, op)
#define TIRBI_HALF_MATH_2(NAME, op) TIRBI_HALF_2(f16, op) TIRBI_HALF_2(bf16, op)
TIRBI_MATH_1(TIRBI_HALF_MATH_1)
TIRBI_MATH_2(TIRBI_HALF_MATH_2)
TIRBI_SPECIAL_1(TIRBI_HALF_MATH_1)
TIRBI_SPECIAL_2(TIRBI_HALF_MATH_2)
#undef TIRBI_HALF_MATH_1
#undef TIRBI_HALF_MATH_2
#undef TIRBI_HALF_1
#undef TIRBI_HALF_2
#undef TIRBI_HALF_3

/* ---- Conversion ------------------------------------------------------------------------------------------------- */

/* Calls Y(to, C type, from, C type) for each integer type `to`. */
#define TIRBI_TO_INTS(Y, from, F)                                                                                      \
    Y(i8, int8_t, from, F) Y(i16, int16_t, from, F) Y(i32, int32_t, from, F) Y(i64, int64_t, from, F)                  \
    Y(u8, uint8_t, from, F) Y(u16, uint16_t, from, F) Y(u32, uint32_t, from, F) Y(u64, uint64_t, from, F)

#define TIRBI_CAST_C(to, T, from, F)                                                                                   \
    TIRBI_MATH T tirbi_cast_##to##_##from(F v) { return (T)v; }
#define TIRBI_CAST_INT(from, F, U, W, bits)                                                                            \
    TIRBI_TO_INTS(TIRBI_CAST_C, from, F)                                                                               \
    TIRBI_CAST_C(f32, float, from, F)                                                                                  \
    TIRBI_MATH uint8_t tirbi_cast_bool_##from(F v) { return (uint8_t)(v != 0); }                                       \
    TIRBI_MATH F tirbi_cast_##from##_bool(uint8_t v) { return (F)v; }
TIRBI_INT_TYPES(TIRBI_CAST_INT)
#undef TIRBI_CAST_INT
#define TIRBI_CAST_F64_INT(from, F, U, W, bits) TIRBI_CAST_C(f64, double, from, F)
TIRBI_NARROW_TYPES(TIRBI_CAST_F64_INT)
#undef TIRBI_CAST_F64_INT
TIRBI_MATH double tirbi_cast_f64_i64(int64_t v) { return tirbi_i64_to_f64(v); }
TIRBI_MATH double tirbi_cast_f64_u64(uint64_t v) { return tirbi_u64_to_f64(v); }

/* What float32 has for float16 to be rounded from. Integers of up to 2^24 are float32 values; larger ones are beyond
 * float16 however they are rounded. */
#define TIRBI_CAST_F16(from, F, convert)                                                                               \
    TIRBI_MATH float tirbi_before_f16_##from(F v) { return convert; }                                                  \
    TIRBI_MATH uint16_t tirbi_cast_f16_##from(F v) { return tirbi_f32_to_f16(tirbi_before_f16_##from(v)); }
#define TIRBI_CAST_F16_INT(from, F, U, W, bits) TIRBI_CAST_F16(from, F, (float)v)
TIRBI_NARROW_TYPES(TIRBI_CAST_F16_INT)
#if defined(TIRBI_TRUNCATE_64_BY_HALVES)
TIRBI_CAST_F16(i64, int64_t, (float)tirbi_i64_to_f64(v))
TIRBI_CAST_F16(u64, uint64_t, (float)tirbi_u64_to_f64(v))
#else
TIRBI_CAST_F16(i64, int64_t, (float)v)
TIRBI_CAST_F16(u64, uint64_t, (float)v)
#endif
TIRBI_CAST_F16(bf16, uint16_t, tirbi_bf16_value(v))
TIRBI_CAST_F16(f32, float, v)
TIRBI_CAST_F16(f64, double, (float)tirbi_sticky_f64(v))
#undef TIRBI_CAST_F16_INT
#undef TIRBI_CAST_F16

#define TIRBI_CAST_BF16(from, F, convert)                                                                              \
    TIRBI_MATH uint16_t tirbi_cast_bf16_##from(F v) { return convert; }
TIRBI_CAST_BF16(i8, int8_t, tirbi_rounded_bf16((float)v))
TIRBI_CAST_BF16(u8, uint8_t, tirbi_rounded_bf16((float)v))
TIRBI_CAST_BF16(i16, int16_t, tirbi_rounded_bf16((float)v))
TIRBI_CAST_BF16(u16, uint16_t, tirbi_rounded_bf16((float)v))
TIRBI_CAST_BF16(i32, int32_t, tirbi_i32_to_bf16(v))
TIRBI_CAST_BF16(u32, uint32_t, tirbi_u32_to_bf16(v))
TIRBI_CAST_BF16(i64, int64_t, tirbi_i64_to_bf16(v))
TIRBI_CAST_BF16(u64, uint64_t, tirbi_u64_to_bf16(v))
TIRBI_CAST_BF16(bool, uint8_t, tirbi_rounded_bf16((float)v))
TIRBI_CAST_BF16(f16, uint16_t, tirbi_f32_to_bf16(tirbi_f16_value(v)))
TIRBI_CAST_BF16(f32, float, tirbi_f32_to_bf16(v))
TIRBI_CAST_BF16(f64, double, tirbi_f64_to_bf16(v))
TIRBI_MATH uint16_t tirbi_cast_bf16_bf16(uint16_t v) { return tirbi_canon_bf16(v); }
#undef TIRBI_CAST_BF16

TIRBI_MATH uint8_t tirbi_cast_bool_bool(uint8_t v) { return (uint8_t)(v != 0); }
TIRBI_MATH uint16_t tirbi_cast_f16_bool(uint8_t v) { return (uint16_t)(v ? 0x3C00 : 0); }
TIRBI_MATH float tirbi_cast_f32_bool(uint8_t v) { return (float)v; }
TIRBI_MATH double tirbi_cast_f64_bool(uint8_t v) { return (double)v; }
TIRBI_MATH uint16_t tirbi_cast_f16_f16(uint16_t v) { return tirbi_canon_f16(v); }
TIRBI_MATH float tirbi_cast_f32_f16(uint16_t v) { return tirbi_f16_to_f32(v); }
TIRBI_MATH float tirbi_cast_f32_bf16(uint16_t v) { return tirbi_bf16_to_f32(v); }
TIRBI_MATH float tirbi_cast_f32_f32(float v) { return tirbi_canon_f32(v); }
TIRBI_MATH float tirbi_cast_f32_f64(double v) { return tirbi_canon_f32((float)v); }
TIRBI_MATH double tirbi_cast_f64_f16(uint16_t v) { return (double)tirbi_f16_to_f32(v); }
TIRBI_MATH double tirbi_cast_f64_bf16(uint16_t v) { return (double)tirbi_bf16_to_f32(v); }
TIRBI_MATH double tirbi_cast_f64_f32(float v) { return tirbi_canon_f64((double)v); }
TIRBI_MATH double tirbi_cast_f64_f64(double v) { return tirbi_canon_f64(v); }
TIRBI_MATH uint8_t tirbi_cast_bool_f16(uint16_t v) { return (uint8_t)((v & 0x7FFF) != 0); }
TIRBI_MATH uint8_t tirbi_cast_bool_bf16(uint16_t v) { return (uint8_t)((v & 0x7FFF) != 0); }
TIRBI_MATH uint8_t tirbi_cast_bool_f32(float v) { return (uint8_t)(v != 0.0f); }
TIRBI_MATH uint8_t tirbi_cast_bool_f64(double v) { return (uint8_t)(v != 0.0); }

/* Saturating truncation. The value is brought into the range of the C conversion first: `low` is the least value of the
 * type and `high` the largest floating-point value below its upper limit; beyond that the result is `most`. */
#define TIRBI_CAST_FROM_REAL(to, T, from, F, low, high, most)                                                          \
    TIRBI_MATH T tirbi_cast_##to##_##from(F v) {                                                                       \
        F clamped = v > (F)(low) ? v : (F)(low);                                                                       \
        clamped = clamped < (F)(high) ? clamped : (F)(high);                                                           \
        T inside = (T)(v == v ? clamped : (F)0);                                                                       \
        return v > (F)(high) ? (T)(most) : inside;                                                                     \
    }
/* Types of less than 32 bits saturate by way of int32_t, which vector units convert. */
#define TIRBI_CAST_NARROW(to, T, from, F, low, high)                                                                   \
    TIRBI_MATH T tirbi_cast_##to##_##from(F v) {                                                                       \
        F clamped = v > (F)(low) ? v : (F)(low);                                                                       \
        clamped = clamped < (F)(high) ? clamped : (F)(high);                                                           \
        return (T)(int32_t)(v == v ? clamped : (F)0);                                                                  \
    }
#define TIRBI_CAST_NARROW_BOTH(from, F)                                                                                \
    TIRBI_CAST_NARROW(i8, int8_t, from, F, -128, 127)                                                                  \
    TIRBI_CAST_NARROW(u8, uint8_t, from, F, 0, 255)                                                                    \
    TIRBI_CAST_NARROW(i16, int16_t, from, F, -32768, 32767)                                                            \
    TIRBI_CAST_NARROW(u16, uint16_t, from, F, 0, 65535)
TIRBI_REAL_TYPES(TIRBI_CAST_NARROW_BOTH)
TIRBI_CAST_FROM_REAL(i32, int32_t, f32, float, -0x1p31f, 0x1.fffffep30f, INT32_MAX)
TIRBI_CAST_FROM_REAL(u32, uint32_t, f32, float, 0, 0x1.fffffep31f, UINT32_MAX)
TIRBI_CAST_FROM_REAL(i32, int32_t, f64, double, -0x1p31, 2147483647.0, INT32_MAX)
TIRBI_CAST_FROM_REAL(u32, uint32_t, f64, double, 0, 4294967295.0, UINT32_MAX)
#if defined(TIRBI_TRUNCATE_64_BY_HALVES)
#define TIRBI_CAST_64_FROM_REAL(to, T, from, F, low, high, most)                                                       \
    TIRBI_MATH T tirbi_cast_##to##_##from(F v) {                                                                       \
        F clamped = v > (F)(low) ? v : (F)(low);                                                                       \
        T inside = (T)tirbi_f64_to_u64((double)(v == v ? clamped : (F)0));                                             \
        return v > (F)(high) ? (T)(most) : inside;                                                                     \
    }
#else
#define TIRBI_CAST_64_FROM_REAL TIRBI_CAST_FROM_REAL
#endif
TIRBI_CAST_64_FROM_REAL(i64, int64_t, f32, float, -0x1p63f, 0x1.fffffep62f, INT64_MAX)
TIRBI_CAST_64_FROM_REAL(u64, uint64_t, f32, float, 0, 0x1.fffffep63f, UINT64_MAX)
TIRBI_CAST_64_FROM_REAL(i64, int64_t, f64, double, -0x1p63, 0x1.fffffffffffffp62, INT64_MAX)
TIRBI_CAST_64_FROM_REAL(u64, uint64_t, f64, double, 0, 0x1.fffffffffffffp63, UINT64_MAX)
#undef TIRBI_CAST_64_FROM_REAL
#undef TIRBI_CAST_NARROW_BOTH
#undef TIRBI_CAST_NARROW
#undef TIRBI_CAST_FROM_REAL

#define TIRBI_CAST_FROM_HALF(to, T, from, F)                                                                           \
    TIRBI_MATH T tirbi_cast_##to##_##from(F v) { return tirbi_cast_##to##_f32(tirbi_##from##_value(v)); }
TIRBI_TO_INTS(TIRBI_CAST_FROM_HALF, f16, uint16_t)
TIRBI_TO_INTS(TIRBI_CAST_FROM_HALF, bf16, uint16_t)
#undef TIRBI_CAST_FROM_HALF
#undef TIRBI_CAST_C

/* Bits: between types of equal size. NaNs whose bits are looked at become canonical; bits that are read as a float stay
 * as they are, as those that memory has do. */
#define TIRBI_BITS_C(to, T, from, F)                                                                                   \
    TIRBI_MATH T tirbi_bits_##to##_##from(F v) { return (T)v; }
#define TIRBI_BITS_INTS(i, I, u, U)                                                                                    \
    TIRBI_BITS_C(i, I, i, I) TIRBI_BITS_C(i, I, u, U) TIRBI_BITS_C(u, U, i, I) TIRBI_BITS_C(u, U, u, U)
TIRBI_BITS_INTS(i8, int8_t, u8, uint8_t)
TIRBI_BITS_INTS(i16, int16_t, u16, uint16_t)
TIRBI_BITS_INTS(i32, int32_t, u32, uint32_t)
TIRBI_BITS_INTS(i64, int64_t, u64, uint64_t)
/* A bool is 0 or 1 whatever it is made from. */
TIRBI_MATH uint8_t tirbi_bits_bool_bool(uint8_t v) { return v & 1; }
TIRBI_MATH uint8_t tirbi_bits_bool_i8(int8_t v) { return (uint8_t)v & 1; }
TIRBI_MATH uint8_t tirbi_bits_bool_u8(uint8_t v) { return v & 1; }
TIRBI_BITS_C(i8, int8_t, bool, uint8_t)
TIRBI_BITS_C(u8, uint8_t, bool, uint8_t)
#define TIRBI_BITS_HALF(t, C)                                                                                          \
    TIRBI_MATH int16_t tirbi_bits_i16_##t(uint16_t v) { return (int16_t)tirbi_canon_##t(v); }                          \
    TIRBI_MATH uint16_t tirbi_bits_u16_##t(uint16_t v) { return tirbi_canon_##t(v); }                                  \
    TIRBI_MATH uint16_t tirbi_bits_##t##_i16(int16_t v) { return (uint16_t)v; }                                        \
    TIRBI_MATH uint16_t tirbi_bits_##t##_u16(uint16_t v) { return v; }                                                 \
    TIRBI_MATH uint16_t tirbi_bits_##t##_##t(uint16_t v) { return tirbi_canon_##t(v); }
TIRBI_HALF_TYPES(TIRBI_BITS_HALF)
TIRBI_MATH uint16_t tirbi_bits_f16_bf16(uint16_t v) { return tirbi_canon_bf16(v); }
TIRBI_MATH uint16_t tirbi_bits_bf16_f16(uint16_t v) { return tirbi_canon_f16(v); }
#define TIRBI_BITS_REAL(t, C, i, I, u, U)                                                                              \
    TIRBI_MATH I tirbi_bits_##i##_##t(C v) { return (I)tirbi_##t##_bits(tirbi_canon_##t(v)); }                         \
    TIRBI_MATH U tirbi_bits_##u##_##t(C v) { return tirbi_##t##_bits(tirbi_canon_##t(v)); }                            \
    TIRBI_MATH C tirbi_bits_##t##_##i(I v) { return tirbi_##t##_from_bits((U)v); }                                     \
    TIRBI_MATH C tirbi_bits_##t##_##u(U v) { return tirbi_##t##_from_bits(v); }                                        \
    TIRBI_MATH C tirbi_bits_##t##_##t(C v) { return tirbi_canon_##t(v); }
TIRBI_BITS_REAL(f32, float, i32, int32_t, u32, uint32_t)
TIRBI_BITS_REAL(f64, double, i64, int64_t, u64, uint64_t)
#undef TIRBI_BITS_REAL
#undef TIRBI_BITS_HALF
#undef TIRBI_BITS_INTS
#undef TIRBI_BITS_C

/* ---- Lists ------------------------------------------------------------------------------------------------------ */

/* X(NAME, mnemonic) by operands and valid types, beside TIRBI_MATH_1 and TIRBI_MATH_2 above. */
#define TIRBI_OPS_ANY_1(X) X(MOV, mov)
#define TIRBI_OPS_NUM_1(X) X(NEG, neg) X(ABS, abs)
#define TIRBI_OPS_NUM_2(X) X(ADD, add) X(SUB, sub) X(MUL, mul) X(MIN, min) X(MAX, max)
#define TIRBI_OPS_FLOAT_2(X) X(DIV, div) X(COPYSIGN, copysign) X(NEXTAFTER, nextafter)
#define TIRBI_OPS_FLOAT_3(X) X(FMA, fma) X(FMS, fms) X(FNMA, fnma)
#define TIRBI_OPS_FLOAT_1(X) X(SQRT, sqrt) X(FLOOR, floor) X(CEIL, ceil) X(TRUNC, trunc) X(ROUND, round)
#define TIRBI_OPS_INT_TRAP(X) X(DIV, div) X(MOD, mod) X(FLOORDIV, floordiv) X(FLOORMOD, floormod)
#define TIRBI_OPS_INT_2(X) X(SHL, shl) X(SHR, shr)
#define TIRBI_OPS_INT_1(X) X(POPCOUNT, popcount) X(CLZ, clz)
#define TIRBI_OPS_BITS_2(X) X(AND, and) X(OR, or) X(XOR, xor)
#define TIRBI_OPS_BITS_1(X) X(NOT, not)
#define TIRBI_OPS_COMPARE(X) X(EQ, eq) X(NE, ne) X(LT, lt) X(LE, le) X(GT, gt) X(GE, ge)

#endif
