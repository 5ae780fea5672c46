/* Ground floor of the machine's arithmetic: bits of floating-point values, canonical NaNs, exact rounding.
 *
 * Everything in vm/math is plain IEEE arithmetic in a written order, so that every instruction set and compiler gives
 * the same bits. That needs -ffp-contract=off, round-to-nearest and subnormals. A fused multiply-add is written out
 * where it belongs (tirbi_float_fma, tirbi_double_fma). Functions are free of branches where that lets a compiler turn
 * a loop over them into vector code. */
#ifndef TIRB_VM_MATH_CORE_H
#define TIRB_VM_MATH_CORE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Strip kernels force inlining, so that their loops see the arithmetic and become vector code. */
#if defined(TIRBI_MATH_FORCE_INLINE)
#define TIRBI_MATH static inline __attribute__((always_inline))
#else
#define TIRBI_MATH static inline
#endif

/* Where a fused multiply-add, and where rounding to integral values, is one instruction. A file that chooses its target
 * by pragma defines them itself: not every compiler's macros follow such a pragma. */
#if !defined(TIRBI_HAVE_FMA) &&                        \
    (defined(__FMA__) || defined(__ARM_FEATURE_FMA) || \
     (defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)))
#define TIRBI_HAVE_FMA 1
#endif
#if !defined(TIRBI_HAVE_ROUND) && (defined(__SSE4_1__) || defined(__aarch64__))
#define TIRBI_HAVE_ROUND 1
#endif

TIRBI_MATH uint32_t tirbi_f32_bits(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

TIRBI_MATH float tirbi_f32_from_bits(uint32_t bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

TIRBI_MATH uint64_t tirbi_f64_bits(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

TIRBI_MATH double tirbi_f64_from_bits(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The one quiet NaN that arithmetic makes, per type. */
#define TIRBI_NAN_F16  ((uint16_t)0x7E00)
#define TIRBI_NAN_BF16 ((uint16_t)0x7FC0)
#define TIRBI_NAN_F32  __builtin_nanf("")
#define TIRBI_NAN_F64  __builtin_nan("")

/* Where values are computed one by one, a choice would make each wait for its own comparison. */
#if defined(TIRBI_MATH_PREDICTS) && defined(__GNUC__)
#define TIRBI_CANON(v, nan)                     \
    do {                                        \
        if (__builtin_expect((v) == (v), 1)) return v; \
        __asm__ volatile("");                   \
        return nan;                             \
    } while (0)
#else
#define TIRBI_CANON(v, nan) return (v) != (v) ? (nan) : (v)
#endif
TIRBI_MATH float tirbi_canon_f32(float v) { TIRBI_CANON(v, TIRBI_NAN_F32); }
TIRBI_MATH double tirbi_canon_f64(double v) { TIRBI_CANON(v, TIRBI_NAN_F64); }
#undef TIRBI_CANON
TIRBI_MATH uint16_t tirbi_canon_f16(uint16_t v) { return (uint16_t)((v & 0x7FFF) > 0x7C00 ? TIRBI_NAN_F16 : v); }
TIRBI_MATH uint16_t tirbi_canon_bf16(uint16_t v) { return (uint16_t)((v & 0x7FFF) > 0x7F80 ? TIRBI_NAN_BF16 : v); }

TIRBI_MATH float tirbi_magnitude_f32(float v) { return tirbi_f32_from_bits(tirbi_f32_bits(v) & 0x7FFFFFFFu); }
TIRBI_MATH double tirbi_magnitude_f64(double v) { return tirbi_f64_from_bits(tirbi_f64_bits(v) & 0x7FFFFFFFFFFFFFFFu); }
/* The magnitude of `v` with the sign of `sign`; NaNs keep their bits. */
TIRBI_MATH float tirbi_with_sign_f32(float v, float sign) {
    return tirbi_f32_from_bits((tirbi_f32_bits(v) & 0x7FFFFFFFu) | (tirbi_f32_bits(sign) & 0x80000000u));
}
TIRBI_MATH double tirbi_with_sign_f64(double v, double sign) {
    return tirbi_f64_from_bits((tirbi_f64_bits(v) & 0x7FFFFFFFFFFFFFFFu) |
                               (tirbi_f64_bits(sign) & 0x8000000000000000u));
}

/* 64-bit integers and doubles. Vector units without instructions for them have those for the halves: as digits of a
 * double, 2^52 + low is one, and 2^84 + 2^32 high is. */
#if defined(TIRBI_CONVERT_64_BY_HALVES)
TIRBI_MATH double tirbi_double_of_halves(uint64_t high_digits, uint64_t low, double offset) {
    return (tirbi_f64_from_bits(high_digits) - offset) + tirbi_f64_from_bits(low | 0x4330000000000000u);
}
TIRBI_MATH double tirbi_u64_to_f64(uint64_t v) {
    return tirbi_double_of_halves(v >> 32 | 0x4530000000000000u, v & 0xFFFFFFFFu, 0x1p84 + 0x1p52);
}
TIRBI_MATH double tirbi_i64_to_f64(int64_t v) {
    uint64_t u = (uint64_t)v;
    return tirbi_double_of_halves(u >> 32 ^ 0x4530000080000000u, u & 0xFFFFFFFFu, 0x1p84 + 0x1p63 + 0x1p52);
}
#else
TIRBI_MATH double tirbi_u64_to_f64(uint64_t v) { return (double)v; }
TIRBI_MATH double tirbi_i64_to_f64(int64_t v) { return (double)v; }
#endif

/* a * b + c with one rounding, for the functions of float32.h. Without an instruction for it the sum is rounded to
 * double first, which changes a result only where the double lies just between two floats. Nothing there has an input
 * for which that changes its own result: `checkasm --sweep 1` tries them all. An emulation for all operands takes three
 * times as long. */
TIRBI_MATH float tirbi_float_fma(float a, float b, float c) {
#if defined(TIRBI_HAVE_FMA)
    return __builtin_fmaf(a, b, c);
#else
    return (float)((double)a * (double)b + (double)c);
#endif
}

/* The same in double. Without an instruction for it the C library's function takes longer, and is as exact. */
TIRBI_MATH double tirbi_double_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

/* Adding this to |v| < 2^22 rounds v to an integer, half to even, and leaves that integer in the low bits of the
 * sum. */
#define TIRBI_ROUNDER_F32 0x1.8p23f

/* Rounding to integral values. Without an instruction for it: adding and taking away the power of two whose unit in the
 * last place is 1 rounds half to even; the directed ones correct that by at most 1. Larger values are integral. */
#if defined(TIRBI_HAVE_ROUND)
TIRBI_MATH float tirbi_rint_f32(float v) { return __builtin_rintf(v); }
TIRBI_MATH float tirbi_floor_exact_f32(float v) { return __builtin_floorf(v); }
TIRBI_MATH float tirbi_ceil_exact_f32(float v) { return __builtin_ceilf(v); }
TIRBI_MATH float tirbi_trunc_exact_f32(float v) { return __builtin_truncf(v); }
TIRBI_MATH double tirbi_rint_f64(double v) { return __builtin_rint(v); }
TIRBI_MATH double tirbi_floor_exact_f64(double v) { return __builtin_floor(v); }
TIRBI_MATH double tirbi_ceil_exact_f64(double v) { return __builtin_ceil(v); }
TIRBI_MATH double tirbi_trunc_exact_f64(double v) { return __builtin_trunc(v); }
#else
#define TIRBI_ROUNDING(t, C, magic)                              \
    TIRBI_MATH C tirbi_rint_##t(C v) {                           \
        C m = tirbi_magnitude_##t(v);                            \
        C r = (m + (C)(magic)) - (C)(magic);                     \
        return tirbi_with_sign_##t(m < (C)(magic) ? r : m, v);   \
    }                                                            \
    TIRBI_MATH C tirbi_floor_exact_##t(C v) {                    \
        C r = tirbi_rint_##t(v);                                 \
        C below = r - (C)1;                                      \
        return tirbi_with_sign_##t(r > v ? below : r, v);        \
    }                                                            \
    TIRBI_MATH C tirbi_ceil_exact_##t(C v) {                     \
        C r = tirbi_rint_##t(v);                                 \
        C above = r + (C)1;                                      \
        return tirbi_with_sign_##t(r < v ? above : r, v);        \
    }                                                            \
    TIRBI_MATH C tirbi_trunc_exact_##t(C v) {                    \
        C m = tirbi_magnitude_##t(v);                            \
        return tirbi_with_sign_##t(tirbi_floor_exact_##t(m), v); \
    }
TIRBI_ROUNDING(f32, float, 0x1p23)
TIRBI_ROUNDING(f64, double, 0x1p52)
#undef TIRBI_ROUNDING
#endif

/* The other way round: numbers from -2^63 or 0 on, above those of the type as any number. */
#if defined(TIRBI_CONVERT_64_BY_HALVES) && defined(TIRBI_HAVE_ROUND)
#define TIRBI_TRUNCATE_64_BY_HALVES 1
TIRBI_MATH uint64_t tirbi_f64_to_u64(double v) {
    double whole = tirbi_trunc_exact_f64(v), high = tirbi_floor_exact_f64(whole * 0x1p-32);
    uint64_t low = tirbi_f64_bits((whole - high * 0x1p32) + 0x1p52) ^ 0x4330000000000000u;
    return tirbi_f64_bits(high + 0x1.8p52) << 32 | low;
}
#endif

#endif
