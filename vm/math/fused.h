/* x * y + z with one rounding, in vectors of 16 bytes, on machines that have no instruction for it.
 *
 * Float32: products are exact in float64, and their sums with z are rounded to float64 and then to float32. The second
 * rounding goes wrong only where the first was inexact and its result lies just between two floats. A normal result
 * shows the latter in the low bits of the sum; subnormal ones are taken as if they did. Those vectors alone are done
 * again with sums rounded to odd (see tirbi_fused_f32), whose second rounding is right.
 *
 * Float64: x * y is p - e and p + z is s + t, all exact (Dekker, Numerische Mathematik 18, 1971; the splitting by
 * integers: one factor's lower half has 27 bits, the other's 26 and a sign, so that each product of halves is exact,
 * and so are the differences). The result is s - (e - t), of which two roundings are inexact: that of the difference
 * v, and the last. Where v is not just where the last rounding changes direction, and rounding is monotonic, v and
 * what it was rounded from are rounded alike. That place is an odd number of halves, or next to a power of two
 * quarters, of a unit of the result, and at most one and a half units where t is not 0 (where it is, v is exact): a
 * number of three digits. Where v is such a number, and inexact (which it is not where e is 0), the vector is done
 * again. So it is where the result is zero, but for a factor that is, or below 2^-880, or not finite: else what e has
 * lost below 2^-1074, if anything, is less than half a unit of a result that is z. Zeros that the same steps give have
 * the right signs, for e and e - t are never -0.
 *
 * Results that are NaN are canonical. */
#ifndef TIRB_VM_MATH_FUSED_H
#define TIRB_VM_MATH_FUSED_H

#include <stddef.h>

#include "vm/math/ops.h"

typedef float tirbi_fused_x4 __attribute__((vector_size(16)));
typedef double tirbi_fused_x2 __attribute__((vector_size(16)));

/* to[i] = x[i] * y[i] + z[i], or as fms and fnma are, for `vectors` vectors. Those of an operand are as many bytes
 * apart as its step says: 16, or 0 where one stands for all. The destination may be an operand. */
enum { TIRBI_FUSED_VECTOR = 16 };
typedef struct tirbi_fused_operand {
    const void *at;
    size_t step;
} tirbi_fused_operand;
typedef void (*tirbi_fused_vectors)(void *to, tirbi_fused_operand x, tirbi_fused_operand y, tirbi_fused_operand z,
                                    size_t vectors);
enum { TIRBI_FUSED_FMA, TIRBI_FUSED_FMS, TIRBI_FUSED_FNMA, TIRBI_FUSED_OPS };
extern const tirbi_fused_vectors tirbi_fused_f32_vectors[TIRBI_FUSED_OPS], tirbi_fused_f64_vectors[TIRBI_FUSED_OPS];

/* Any vectors, and any floats. */
tirbi_fused_x4 tirbi_fused_anew_f32(tirbi_fused_x4 x, tirbi_fused_x4 y, tirbi_fused_x4 z);
tirbi_fused_x2 tirbi_fused_anew_f64(tirbi_fused_x2 x, tirbi_fused_x2 y, tirbi_fused_x2 z);
float tirbi_fused_apart_f32(float x, float y, float z);

#if defined(__SSE2__) && !defined(TIRBI_HAVE_FMA)
#define TIRBI_FUSES_IN_PARTS 1

#include <emmintrin.h>

typedef uint32_t tirbi_fused_words __attribute__((vector_size(16)));
typedef uint64_t tirbi_fused_longs __attribute__((vector_size(16)));
typedef int32_t tirbi_fused_truths __attribute__((vector_size(16)));

/* Two of four floats; four of two pairs. */
#define TIRBI_FUSED_LOW(v)  ((tirbi_fused_x2)_mm_cvtps_pd((__m128)(v)))
#define TIRBI_FUSED_HIGH(v) ((tirbi_fused_x2)_mm_cvtps_pd(_mm_movehl_ps((__m128)(v), (__m128)(v))))
#define TIRBI_FUSED_JOIN(low, high)                                                                                    \
    ((tirbi_fused_x4)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)(low)), _mm_cvtpd_ps((__m128d)(high))))
/* The low and the high words of two pairs of doubles. */
#define TIRBI_FUSED_TAILS(a, b) ((tirbi_fused_words)_mm_shuffle_ps((__m128)(a), (__m128)(b), 0x88))
#define TIRBI_FUSED_TOPS(a, b)  ((tirbi_fused_words)_mm_shuffle_ps((__m128)(a), (__m128)(b), 0xDD))

/* Rounds doubles to floats that are normal, but where they are just between two, and leaves them doubles. */
#define TIRBI_FUSED_ROUND(v) ((tirbi_fused_x2)(((tirbi_fused_longs)(v) + 0x10000000u) & 0xFFFFFFFFE0000000u))

/* High words of floating-point numbers in the order of their magnitude, as signed numbers, but zero, which is the
 * greatest. */
#define TIRBI_FUSED_ORDER(words) ((words) + (words) + 0x7FFFFFFFu)
/* Sums whose second rounding may go wrong: two pairs of doubles as four truths. */
#define TIRBI_FUSED_UNSURE(low, high)                                                                                  \
    (((tirbi_fused_truths)(TIRBI_FUSED_TAILS(low, high) << 3) == INT32_MIN) |                                          \
     ((tirbi_fused_truths)TIRBI_FUSED_ORDER(TIRBI_FUSED_TOPS(low, high)) < (int32_t)TIRBI_FUSED_ORDER(0x38100000u)))

/* p + z rounded to odd: an inexact sum is brought back towards zero where it has gone beyond; then its last digit is
 * set. */
TIRBI_MATH tirbi_fused_x2 tirbi_fused_odd_sum(tirbi_fused_x2 p, tirbi_fused_x2 z) {
    const tirbi_fused_longs sign = {UINT64_C(1) << 63, UINT64_C(1) << 63};
    const tirbi_fused_x2 s = p + z, part = s - p, error = (p - (s - part)) + (z - part);
    const tirbi_fused_x2 outwards = (tirbi_fused_x2)((tirbi_fused_longs)error ^ ((tirbi_fused_longs)s & sign));
    const tirbi_fused_longs beyond = (tirbi_fused_longs)(outwards < 0), short_of = (tirbi_fused_longs)(outwards > 0);
    return (tirbi_fused_x2)(((tirbi_fused_longs)s + beyond) | ((beyond | short_of) & 1));
}

/* Truths in `unsure` say where the result may be another: those of floats, and those of the high words of doubles. */
#define TIRBI_FUSED_ANY_f32(unsure) (__builtin_expect(_mm_movemask_ps((__m128)(unsure)) != 0, 0))
#define TIRBI_FUSED_ANY_f64(unsure) (__builtin_expect(_mm_movemask_pd((__m128d)(unsure)) != 0, 0))
TIRBI_MATH tirbi_fused_x4 tirbi_fused_try_f32(tirbi_fused_x4 x, tirbi_fused_x4 y, tirbi_fused_x4 z,
                                              tirbi_fused_truths *unsure) {
    const tirbi_fused_x2 low = TIRBI_FUSED_LOW(x) * TIRBI_FUSED_LOW(y) + TIRBI_FUSED_LOW(z);
    const tirbi_fused_x2 high = TIRBI_FUSED_HIGH(x) * TIRBI_FUSED_HIGH(y) + TIRBI_FUSED_HIGH(z);
    const tirbi_fused_x4 result = TIRBI_FUSED_JOIN(low, high);
    *unsure |= TIRBI_FUSED_UNSURE(low, high) | (result != result);
    return result;
}

/* A factor as two, of 26 bits and a sign each, or of 26 and 27. */
typedef struct tirbi_fused_halves {
    tirbi_fused_x2 all, high, low;
} tirbi_fused_halves;
TIRBI_MATH tirbi_fused_halves tirbi_fused_split(tirbi_fused_x2 v, uint64_t round) {
    tirbi_fused_halves h = {v, (tirbi_fused_x2)(((tirbi_fused_longs)v + round) & 0xFFFFFFFFF8000000u), v};
    h.low -= h.high;
    return h;
}
TIRBI_MATH tirbi_fused_halves tirbi_fused_split_x(tirbi_fused_x2 v) { return tirbi_fused_split(v, 0); }
TIRBI_MATH tirbi_fused_halves tirbi_fused_split_y(tirbi_fused_x2 v) { return tirbi_fused_split(v, 1u << 26); }

/* x * y = p - e and p + z = s + t. */
typedef struct tirbi_fused_parts {
    tirbi_fused_x2 s, t, e;
} tirbi_fused_parts;
TIRBI_MATH tirbi_fused_parts tirbi_fused_take_apart(tirbi_fused_halves x, tirbi_fused_halves y, tirbi_fused_x2 z) {
    const tirbi_fused_x2 p = x.all * y.all, s = p + z, part = s - p;
    const tirbi_fused_parts parts = {
        .s = s,
        .t = (p - (s - part)) + (z - part),
        .e = (((p - x.high * y.high) - x.high * y.low) - x.low * y.high) - x.low * y.low,
    };
    return parts;
}

/* What is missing in v, which is e - t rounded. */
TIRBI_MATH tirbi_fused_x2 tirbi_fused_difference_error(tirbi_fused_parts parts, tirbi_fused_x2 v) {
    const tirbi_fused_x2 part = v + parts.t;
    return (parts.e - part) - (parts.t - (part - v));
}

/* Of three digits at most, and inexact; in the high words. */
TIRBI_MATH tirbi_fused_truths tirbi_fused_is_short(tirbi_fused_x2 v, tirbi_fused_x2 e) {
    const tirbi_fused_truths is_zero = (tirbi_fused_truths)((tirbi_fused_longs)v << 14) == 0;
    return is_zero & (tirbi_fused_truths)((tirbi_fused_longs)is_zero << 32) & (tirbi_fused_truths)(e != 0);
}

/* True of all those, and of few others, in some word: 32 of the digits that are to be zero are looked at. */
TIRBI_MATH tirbi_fused_truths tirbi_fused_seems_short(tirbi_fused_x2 v, tirbi_fused_x2 e) {
    return ((tirbi_fused_truths)((tirbi_fused_longs)v >> 18) == 0) & (tirbi_fused_truths)(e != 0);
}

/* The same of two vectors, by v's lower halves and e's high ones: e is a multiple of 2^-1041 where it counts, for v is
 * 2^-934 at least where it is short and the result is not far. */
#define TIRBI_FUSED_HALF_SHORT(v, w, e, f)                                                                             \
    (((tirbi_fused_truths)TIRBI_FUSED_TAILS(v, w) == 0) & ((tirbi_fused_truths)TIRBI_FUSED_TOPS(e, f) != 0))

/* Not from 2^-880 on, or not finite: by the high word, without its sign. */
#define TIRBI_FUSED_LEAST 0x08F00000u
#define TIRBI_FUSED_IS_FAR(v)                                                                                          \
    ((tirbi_fused_truths)((tirbi_fused_words)(v) + (tirbi_fused_words)(v) + (0x80000000u - 2 * TIRBI_FUSED_LEAST)) >   \
     (int32_t)(0x7FDFFFFFu - 2 * TIRBI_FUSED_LEAST))
TIRBI_MATH tirbi_fused_x2 tirbi_fused_try_halves(tirbi_fused_halves x, tirbi_fused_halves y, tirbi_fused_x2 z,
                                                 tirbi_fused_truths *unsure) {
    const tirbi_fused_parts parts = tirbi_fused_take_apart(x, y, z);
    const tirbi_fused_x2 v = parts.e - parts.t, result = parts.s - v;
    *unsure |= tirbi_fused_is_short(v, parts.e) | TIRBI_FUSED_IS_FAR(result);
    return result;
}
TIRBI_MATH tirbi_fused_x2 tirbi_fused_try_f64(tirbi_fused_x2 x, tirbi_fused_x2 y, tirbi_fused_x2 z,
                                              tirbi_fused_truths *unsure) {
    return tirbi_fused_try_halves(tirbi_fused_split_x(x), tirbi_fused_split_y(y), z, unsure);
}

#define TIRBI_FUSED_VECTOR_OP(t, V)                                                                                    \
    TIRBI_MATH V tirbi_fused_vector_##t(V x, V y, V z) {                                                               \
        tirbi_fused_truths unsure = {0};                                                                               \
        const V result = tirbi_fused_try_##t(x, y, z, &unsure);                                                        \
        return TIRBI_FUSED_ANY_##t(unsure) ? tirbi_fused_anew_##t(x, y, z) : result;                                   \
    }
TIRBI_FUSED_VECTOR_OP(f32, tirbi_fused_x4)
TIRBI_FUSED_VECTOR_OP(f64, tirbi_fused_x2)
#undef TIRBI_FUSED_VECTOR_OP

/* Where each one waits for the one before. */
TIRBI_MATH float tirbi_fused_next_f32(float x, float y, float z) {
    const double sum = (double)x * (double)y + (double)z;
    const uint64_t bits = tirbi_f64_bits(sum), least_normal = tirbi_f64_bits(0x1p-126);
    const bool unsure = (uint32_t)bits << 3 == UINT32_C(1) << 31 || 2 * bits - 1 < 2 * least_normal - 1;
    return __builtin_expect(unsure, 0) ? tirbi_fused_apart_f32(x, y, z) : (float)sum;
}
#else
TIRBI_MATH float tirbi_fused_next_f32(float x, float y, float z) { return tirbi_fused_f32(x, y, z); }
#endif
TIRBI_MATH double tirbi_fused_next_f64(double x, double y, double z) { return tirbi_fused_f64(x, y, z); }

#endif
