/* Mathematical functions on float that are computed in float: see math32.h.
 *
 * Sums of two, (high, low), carry what one float cannot: high is the rounded value and low what it lacks, to a few
 * units in low's own last place. */
#ifndef TIRB_VM_MATH_FLOAT32_H
#define TIRB_VM_MATH_FLOAT32_H

#include "vm/math/coefficients.h"
#include "vm/math/core.h"
#include "vm/math/pieces.h"

/* The inputs for which (bits & mask) - low <= width: those that a usual function is for. */
typedef struct tirbi_range {
    uint32_t mask, low, width;
} tirbi_range;

TIRBI_MATH bool tirbi_within(tirbi_range range, float x) {
    return (tirbi_f32_bits(x) & range.mask) - range.low <= range.width;
}

#define TIRBI_MAGNITUDES_TO(limit) {0x7FFFFFFFu, 0, limit}
#define TIRBI_NORMAL_POSITIVE      {0xFFFFFFFFu, 0x00800000u, 0x7F7FFFFFu - 0x00800000u}
static const tirbi_range tirbi_range_exp = TIRBI_MAGNITUDES_TO(0x42AE0000u);     /* 87 */
static const tirbi_range tirbi_range_exp2 = TIRBI_MAGNITUDES_TO(0x42FC0000u);    /* 126 */
static const tirbi_range tirbi_range_exp10 = TIRBI_MAGNITUDES_TO(0x42160000u);   /* 37.5 */
static const tirbi_range tirbi_range_sigmoid = TIRBI_MAGNITUDES_TO(0x42AE0000u); /* 87 */
static const tirbi_range tirbi_range_log = TIRBI_NORMAL_POSITIVE;
static const tirbi_range tirbi_range_log2 = TIRBI_NORMAL_POSITIVE;
static const tirbi_range tirbi_range_log10 = TIRBI_NORMAL_POSITIVE;
static const tirbi_range tirbi_range_rsqrt = TIRBI_NORMAL_POSITIVE;
static const tirbi_range tirbi_range_sin = TIRBI_MAGNITUDES_TO(0x45C80000u); /* 6400 */
static const tirbi_range tirbi_range_cos = TIRBI_MAGNITUDES_TO(0x45C80000u);

TIRBI_MATH float tirbi_clamp_f32(float x, float low, float high) {
    float above = x < low ? low : x;
    return above > high ? high : above;
}

/* ---- Exponentials ----------------------------------------------------------------------------------------------- */

/* e^x = 2^n * e^(high + low) with |high| <= ln(2) / 2; n is in the low bits of `rounded`. */
typedef struct tirbi_float_exp {
    float rounded, high, low;
} tirbi_float_exp;

/* Of |x| < 110: n times the leading 15 bits of ln(2) is exact, and so is its difference from x. */
TIRBI_MATH tirbi_float_exp tirbi_float_exp_split(float x) {
    tirbi_float_exp e;
    e.rounded = tirbi_float_fma(x, TIRBI_LOG2_E_F32_1, TIRBI_ROUNDER_F32);
    float n = e.rounded - TIRBI_ROUNDER_F32;
    e.high = tirbi_float_fma(n, -TIRBI_LN2_SHORT_F32_1, x);
    e.low = n * -TIRBI_LN2_SHORT_F32_2;
    return e;
}
typedef struct tirbi_float_pair {
    float high, low;
} tirbi_float_pair;

/* e^(high + low), low of any small size. */
TIRBI_MATH tirbi_float_pair tirbi_float_exp_sum(tirbi_float_exp e) {
    tirbi_float_pair sum;
    sum.high = 1.0f + e.high;
    float r = e.high + e.low;
    sum.low = (e.high - (sum.high - 1.0f)) + tirbi_float_fma(r * r, tirbi_poly_exp_f32(r), e.low);
    return sum;
}

/* v * 2^n where that is normal. */
TIRBI_MATH float tirbi_float_scale(float v, float rounded) {
    return tirbi_f32_from_bits(tirbi_f32_bits(v) + (tirbi_f32_bits(rounded) << 23));
}
/* For n in -252 .. 254 and v about 1, with one rounding. */
TIRBI_MATH float tirbi_float_scale_far(float v, float rounded) {
    uint32_t n = tirbi_f32_bits(rounded) - tirbi_f32_bits(TIRBI_ROUNDER_F32) + 254u; /* biased twice */
    uint32_t half = n >> 1;
    return v * tirbi_f32_from_bits(half << 23) * tirbi_f32_from_bits((n - half) << 23);
}

/* A power is 2^n (1 + rest P(rest)), where rest is the exponent less n times the logarithm of 2, rounded once. */
typedef struct tirbi_float_power {
    float rounded, significand;
} tirbi_float_power;

TIRBI_MATH tirbi_float_power tirbi_float_power_exp(float x) {
    float rounded = tirbi_float_fma(x, TIRBI_LOG2_E_F32_1, TIRBI_ROUNDER_F32);
    float n = rounded - TIRBI_ROUNDER_F32;
    float rest = tirbi_float_fma(n, -TIRBI_LN2_SHORT_F32_2, tirbi_float_fma(n, -TIRBI_LN2_SHORT_F32_1, x));
    float p = tirbi_float_fma(tirbi_poly_exp_f32(rest), rest, 1.0f);
    return (tirbi_float_power){rounded, tirbi_float_fma(p, rest, 1.0f)};
}
TIRBI_MATH tirbi_float_power tirbi_float_power_exp2(float x) {
    float rounded = x + TIRBI_ROUNDER_F32;
    float rest = x - (rounded - TIRBI_ROUNDER_F32);
    return (tirbi_float_power){rounded, tirbi_float_fma(tirbi_poly_exp2_f32(rest), rest, 1.0f)};
}
/* Its logarithm is above 1 and so makes errors larger: rest times it is a sum of two. */
TIRBI_MATH tirbi_float_power tirbi_float_power_exp10(float x) {
    tirbi_float_exp e;
    e.rounded = tirbi_float_fma(x, TIRBI_LOG2_10_F32_1, TIRBI_ROUNDER_F32);
    float n = e.rounded - TIRBI_ROUNDER_F32;
    float rest = tirbi_float_fma(n, -TIRBI_LOG10_2_SHORT_F32_1, x);
    float small = n * -TIRBI_LOG10_2_SHORT_F32_2;
    e.high = rest * TIRBI_LN10_F32_1;
    e.low = tirbi_float_fma(rest, TIRBI_LN10_F32_1, -e.high);
    e.low = tirbi_float_fma(rest, TIRBI_LN10_F32_2, tirbi_float_fma(small, TIRBI_LN10_F32_1, e.low));
    tirbi_float_pair sum = tirbi_float_exp_sum(e);
    return (tirbi_float_power){e.rounded, sum.high + sum.low};
}

/* Powers below half of the least float are 0, which what masks put into sums is for: computed, they would underflow,
 * which takes many times as long. */
#define TIRBI_FLOAT_EXPONENTIAL(op, least, most)                                                             \
    TIRBI_MATH float tirbi_usual_##op##_f32(float x) {                                                       \
        tirbi_float_power power = tirbi_float_power_##op(x);                                                 \
        return tirbi_float_scale(power.significand, power.rounded);                                          \
    }                                                                                                        \
    TIRBI_MATH float tirbi_##op##_f32(float x) {                                                             \
        tirbi_float_power power = tirbi_float_power_##op(x < least ? 0.0f : x > most ? most : x);            \
        return x < least ? 0.0f : tirbi_canon_f32(tirbi_float_scale_far(power.significand, power.rounded)); \
    }
TIRBI_FLOAT_EXPONENTIAL(exp, -104.0f, 90.0f)
TIRBI_FLOAT_EXPONENTIAL(exp2, -150.0f, 129.0f)
TIRBI_FLOAT_EXPONENTIAL(exp10, -45.5f, 39.0f)
#undef TIRBI_FLOAT_EXPONENTIAL

/* (e^x - 1) / 2 for x in -30 .. 89: with e^x / 2 = 2^(n-1) + 2^(n-1) high + .., where the products are exact. */
TIRBI_MATH float tirbi_float_half_expm1(float x) {
    tirbi_float_exp e = tirbi_float_exp_split(x);
    float power = tirbi_f32_from_bits((tirbi_f32_bits(e.rounded) << 23) + 0x3F000000u);
    float base = power - 0.5f, term = power * e.high;
    float high = base + term;
    float rest = (term - (high - base)) + ((power - base) - 0.5f);
    float r = e.high + e.low;
    return high + tirbi_float_fma(power, tirbi_float_fma(r * r, tirbi_poly_expm1_f32(r), e.low), rest);
}

TIRBI_MATH float tirbi_expm1_f32(float x) {
    float half = tirbi_float_half_expm1(tirbi_clamp_f32(x, -30.0f, 89.0f));
    return tirbi_canon_f32(tirbi_magnitude_f32(x) < 0x1p-25f ? x : 2.0f * half);
}

/* 1 + v for v >= 0, and what its rounding lost. */
TIRBI_MATH tirbi_float_pair tirbi_float_one_more(float v) {
    float larger = v > 1.0f ? v : 1.0f, smaller = v > 1.0f ? 1.0f : v;
    tirbi_float_pair sum;
    sum.high = larger + smaller;
    sum.low = smaller - (sum.high - larger);
    return sum;
}

/* 1 / (1 + e^-x). */
TIRBI_MATH float tirbi_usual_sigmoid_f32(float x) {
    tirbi_float_exp e = tirbi_float_exp_split(-x);
    tirbi_float_pair sum = tirbi_float_exp_sum(e);
    float power = tirbi_f32_from_bits((tirbi_f32_bits(e.rounded) << 23) + 0x3F800000u);
    float high = sum.high + sum.low;
    float rest = power * (sum.low - (high - sum.high));
    tirbi_float_pair whole = tirbi_float_one_more(power * high);
    float inverse = 1.0f / whole.high;
    float error = tirbi_float_fma(-inverse, whole.low + rest, tirbi_float_fma(-inverse, whole.high, 1.0f));
    return inverse + error * inverse;
}
/* Far below 0 that is e^x, far above 1. */
TIRBI_MATH float tirbi_sigmoid_f32(float x) {
    float far = x < 0.0f ? tirbi_exp_f32(x) : 1.0f;
    float result = tirbi_within(tirbi_range_sigmoid, x) ? tirbi_usual_sigmoid_f32(x) : far;
    return x != x ? TIRBI_NAN_F32 : result;
}

/* ---- Logarithms ------------------------------------------------------------------------------------------------- */

/* x = (1 + f) * 2^exponent with 1 + f between sqrt(1/2) and sqrt(2), for x > 0, normal and finite; f is exact. */
typedef struct tirbi_float_split {
    float f, exponent;
} tirbi_float_split;

TIRBI_MATH tirbi_float_split tirbi_float_split_normal(float x) {
    const uint32_t root_half = 0x3F3504F3u;
    uint32_t offset = tirbi_f32_bits(x) - root_half;
    tirbi_float_split split;
    split.f = tirbi_f32_from_bits((offset & 0x7FFFFFu) + root_half) - 1.0f;
    split.exponent = (float)((int32_t)offset >> 23);
    return split;
}
TIRBI_MATH tirbi_float_split tirbi_float_split_any(float x) {
    bool subnormal = x < 0x1p-126f;
    tirbi_float_split split = tirbi_float_split_normal(subnormal ? x * 0x1p23f : x);
    split.exponent -= subnormal ? 23.0f : 0.0f;
    return split;
}

/* a + b + low, where |a| >= |b| or a is 0. */
TIRBI_MATH float tirbi_float_join(float a, float b, float low) {
    float sum = a + b;
    return sum + (((a - sum) + b) + low);
}

/* log(1 + f) = f + f^2 P(f); in the other bases f times the constant is a sum of two. */
TIRBI_MATH float tirbi_float_log(tirbi_float_split s) {
    float low = tirbi_float_fma(s.f * s.f, tirbi_poly_log_f32(s.f), s.exponent * TIRBI_LN2_SHORT_F32_2);
    return tirbi_float_join(s.exponent * TIRBI_LN2_SHORT_F32_1, s.f, low);
}
TIRBI_MATH float tirbi_float_log2(tirbi_float_split s) {
    float term = s.f * TIRBI_LOG2_E_F32_1;
    float low = tirbi_float_fma(s.f, TIRBI_LOG2_E_F32_2, tirbi_float_fma(s.f, TIRBI_LOG2_E_F32_1, -term));
    return tirbi_float_join(s.exponent, term, tirbi_float_fma(s.f * s.f, tirbi_poly_log2_f32(s.f), low));
}
TIRBI_MATH float tirbi_float_log10(tirbi_float_split s) {
    float term = s.f * TIRBI_LOG10_E_F32_1;
    float low = tirbi_float_fma(s.f, TIRBI_LOG10_E_F32_2, tirbi_float_fma(s.f, TIRBI_LOG10_E_F32_1, -term));
    low = tirbi_float_fma(s.exponent, TIRBI_LOG10_2_SHORT_F32_2, low);
    return tirbi_float_join(s.exponent * TIRBI_LOG10_2_SHORT_F32_1, term,
                            tirbi_float_fma(s.f * s.f, tirbi_poly_log10_f32(s.f), low));
}

/* log(0), of negative numbers, infinity and NaN; `result` otherwise. */
TIRBI_MATH float tirbi_log_special_f32(float x, float result) {
    float r = x == __builtin_inff() ? x : result;
    r = x == 0.0f ? -__builtin_inff() : r;
    r = x < 0.0f ? TIRBI_NAN_F32 : r;
    return x != x ? TIRBI_NAN_F32 : r;
}

#define TIRBI_FLOAT_LOGARITHM(op)                                                                                      \
    TIRBI_MATH float tirbi_usual_##op##_f32(float x) { return tirbi_float_##op(tirbi_float_split_normal(x)); }         \
    TIRBI_MATH float tirbi_##op##_f32(float x) {                                                                       \
        return tirbi_log_special_f32(x, tirbi_float_##op(tirbi_float_split_any(x)));                                   \
    }
TIRBI_FLOAT_LOGARITHM(log)
TIRBI_FLOAT_LOGARITHM(log2)
TIRBI_FLOAT_LOGARITHM(log10)
#undef TIRBI_FLOAT_LOGARITHM

/* ---- Reciprocal root -------------------------------------------------------------------------------------------- */

/* With e = 1 - x y^2 the root is y (1 + e/2 + 3/8 e^2 + ..), to 5/16 e^3. Half of the bits, taken from a constant, are
 * y to 2^-4.8, since they are about the logarithm; two rounds then are 2^-13 and 2^-38. What x y lacks counts in the
 * second. */
TIRBI_MATH float tirbi_usual_rsqrt_f32(float x) {
    float y = tirbi_f32_from_bits(0x5F375A86u - (tirbi_f32_bits(x) >> 1));
    float e = tirbi_float_fma(-(x * y), y, 1.0f);
    y = tirbi_float_fma(y * e, tirbi_float_fma(e, 0.375f, 0.5f), y);
    float high = x * y, low = tirbi_float_fma(x, y, -high);
    e = tirbi_float_fma(-low, y, tirbi_float_fma(-high, y, 1.0f));
    return tirbi_float_fma(y * e, tirbi_float_fma(e, 0.375f, 0.5f), y);
}
TIRBI_MATH float tirbi_rsqrt_f32(float x) {
    bool subnormal = x < 0x1p-126f;
    float root = tirbi_usual_rsqrt_f32(subnormal ? x * 0x1p24f : x) * (subnormal ? 0x1p12f : 1.0f);
    root = x == __builtin_inff() ? 0.0f : root;
    root = x == 0.0f ? tirbi_with_sign_f32(__builtin_inff(), x) : root;
    return x < 0.0f || x != x ? TIRBI_NAN_F32 : root;
}

/* ---- Functions in pieces ---------------------------------------------------------------------------------------- */

TIRBI_MATH float tirbi_tanh_f32(float x) { return tirbi_odd_pieces(x, &tirbi_pieces_tanh); }
TIRBI_MATH float tirbi_erf_f32(float x) { return tirbi_odd_pieces(x, &tirbi_pieces_erf); }

/* ---- Circular functions ----------------------------------------------------------------------------------------- */

/* sin(x + turn * pi/2) for |x| <= 6400, to 0.9 units in the last place (all inputs were tried). The multiple n of pi/2
 * has 12 bits, so n times each of the leading parts is exact, and so are the differences but the last one: its error is
 * in `low`, with what the last part lacks. */
TIRBI_MATH float tirbi_float_sin(float x, uint32_t turn) {
    float rounded = tirbi_float_fma(x, TIRBI_TWO_OVER_PI_F32_1, TIRBI_ROUNDER_F32);
    float n = rounded - TIRBI_ROUNDER_F32;
    float rest = tirbi_float_fma(n, -TIRBI_PI_HALF_F32_2, tirbi_float_fma(n, -TIRBI_PI_HALF_F32_1, x));
    float high = tirbi_float_fma(n, -TIRBI_PI_HALF_F32_3, rest);
    float low = tirbi_float_fma(n, -TIRBI_PI_HALF_F32_4, tirbi_float_fma(n, -TIRBI_PI_HALF_F32_3, rest - high));
    float z = high * high, half = 0.5f * z, one = 1.0f - half;
    float s = high + tirbi_float_fma(high * z, tirbi_poly_sin_f32(z), low);
    float c = one + tirbi_float_fma(z * z, tirbi_poly_cos_f32(z), tirbi_float_fma(-high, low, (1.0f - one) - half));
    uint32_t quadrant = tirbi_f32_bits(rounded) + turn;
    s = z == 0.0f ? high : s; /* of a zero, its sign */
    return tirbi_f32_from_bits(tirbi_f32_bits((quadrant & 1) != 0 ? c : s) ^ (quadrant & 2) << 30);
}
TIRBI_MATH float tirbi_usual_sin_f32(float x) { return tirbi_float_sin(x, 0); }
TIRBI_MATH float tirbi_usual_cos_f32(float x) { return tirbi_float_sin(x, 1); }

#endif
