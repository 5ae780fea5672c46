/* Mathematical functions on float. Special values as in C's Annex F.
 *
 * Those that programs live on are computed in float, with the parts that matter as sums of two, to within 0.97 units in
 * the last place; the others in double to about 2^-34 and rounded once, so within 0.51 units.
 *
 * tirbi_usual_<function>_f32 is right for the inputs of tirbi_range_<function> and has the bits of tirbi_<function>_f32
 * there, which is free of branches too. Functions with inputs too rare for vector code are split as in math64.h; of
 * sine and cosine tirbi_common_<function>_f32 is what the others are for. */
#ifndef TIRB_VM_MATH_MATH32_H
#define TIRB_VM_MATH_MATH32_H

#include "vm/math/angle.h"
#include "vm/math/coefficients.h"
#include "vm/math/core.h"
#include "vm/math/float32.h"
#include "vm/math/math64.h"
#include "vm/math/scale.h"

TIRBI_MATH float tirbi_narrow(double v) { return tirbi_canon_f32((float)v); }

/* ---- Exponentials ----------------------------------------------------------------------------------------------- */

/* 2^n * e^r for |r| <= ln(2) / 2. */
TIRBI_MATH double tirbi_short_exp_parts(double n, double r) {
    double p = tirbi_double_fma(tirbi_poly_exp_short(r), r, 1.0);
    return tirbi_double_fma(p, r, 1.0) * tirbi_power_of_two(n);
}
/* e^x for |x| < 700. */
TIRBI_MATH double tirbi_short_exp(double x) {
    double n = tirbi_double_fma(x, TIRBI_LOG2_E_1, TIRBI_ROUNDER) - TIRBI_ROUNDER;
    return tirbi_short_exp_parts(n, tirbi_double_fma(n, -TIRBI_LN2_FULL_1, x));
}
/* e^x - 1 for |x| < 700, to the same relative error. */
TIRBI_MATH double tirbi_short_expm1(double x) {
    double n = tirbi_double_fma(x, TIRBI_LOG2_E_1, TIRBI_ROUNDER) - TIRBI_ROUNDER;
    double r = tirbi_double_fma(n, -TIRBI_LN2_FULL_1, x);
    double power = tirbi_power_of_two(n);
    return tirbi_double_fma(power, tirbi_double_fma(r * r, tirbi_poly_exp_short(r), r), power - 1.0);
}

TIRBI_MATH float tirbi_sinh_f32(float x) {
    double e = tirbi_short_expm1(tirbi_clamp_f64(tirbi_magnitude_f64((double)x), 0.0, 100.0));
    return tirbi_narrow(tirbi_with_sign_f64(0.5 * (e + e / (e + 1.0)), (double)x));
}
TIRBI_MATH float tirbi_cosh_f32(float x) {
    double e = tirbi_short_exp(tirbi_clamp_f64(tirbi_magnitude_f64((double)x), 0.0, 100.0));
    return tirbi_narrow(0.5 * (e + 1.0 / e));
}
/* ---- Logarithms ------------------------------------------------------------------------------------------------- */

/* log(1 + f) for 1 + f between sqrt(1/2) and sqrt(2). */
TIRBI_MATH double tirbi_short_log_fraction(double f) {
    double s = f / (2.0 + f), z = s * s;
    return s * tirbi_double_fma(z, tirbi_poly_log_short(z), 2.0);
}
/* log(1 + u) for u > -1, of any size. */
TIRBI_MATH double tirbi_short_log1p(double u) {
    tirbi_split split = tirbi_split_normal(1.0 + u);
    double f = split.exponent == 0.0 ? u : split.fraction - 1.0;
    return tirbi_double_fma(split.exponent, TIRBI_LN2_FULL_1, tirbi_short_log_fraction(f));
}

TIRBI_MATH float tirbi_log1p_f32(float x) {
    double l = tirbi_log_special_f64(1.0 + (double)x, tirbi_short_log1p((double)x));
    return tirbi_narrow(tirbi_magnitude_f32(x) < 0x1p-60f ? (double)x : l);
}
/* The arguments of log1p are those of math64.h; squares of floats are safe in double. */
TIRBI_MATH float tirbi_asinh_f32(float x) {
    double a = tirbi_magnitude_f64((double)x), square = a * a;
    double l = tirbi_short_log1p(a + square / (1.0 + __builtin_sqrt(1.0 + square)));
    return tirbi_narrow(tirbi_with_sign_f64(a == TIRBI_INF || x != x ? a : l, (double)x));
}
TIRBI_MATH float tirbi_acosh_f32(float x) {
    double t = (double)x - 1.0;
    double l = tirbi_short_log1p(t + __builtin_sqrt(t * (t + 2.0)));
    return tirbi_narrow(x >= 1.0f ? (x == TIRBI_INF ? (double)x : l) : TIRBI_NAN_F64);
}
TIRBI_MATH float tirbi_atanh_f32(float x) {
    double a = tirbi_magnitude_f64((double)x);
    double l = 0.5 * tirbi_short_log1p(2.0 * a / (1.0 - a));
    l = a == 1.0 ? TIRBI_INF : l;
    return tirbi_narrow(a <= 1.0 ? tirbi_with_sign_f64(l, (double)x) : TIRBI_NAN_F64);
}

/* ---- Powers ----------------------------------------------------------------------------------------------------- */

/* a^b for a > 0 and finite numbers. */
TIRBI_MATH double tirbi_short_pow(double a, double b) {
    tirbi_split split = tirbi_split_normal(a);
    double l = tirbi_double_fma(tirbi_short_log_fraction(split.fraction - 1.0), TIRBI_LOG2_E_1, split.exponent);
    double t = tirbi_clamp_f64(b * l, -160.0, 140.0);
    double n = tirbi_nearest(t);
    return tirbi_short_exp_parts(n, (t - n) * TIRBI_LN2_FULL_1);
}
TIRBI_MATH bool tirbi_rare_pow_f32(float a, float b) {
    return !((a > 0.0f) & (a < __builtin_inff()) & (tirbi_magnitude_f32(b) < __builtin_inff()));
}
TIRBI_MATH float tirbi_usual_pow_f32(float a, float b) { return (float)tirbi_short_pow((double)a, (double)b); }
TIRBI_MATH float tirbi_pow_f32(float a, float b) {
    double power = tirbi_short_pow(tirbi_magnitude_f64((double)a), (double)b);
    return tirbi_narrow(tirbi_pow_special_f64((double)a, (double)b, power));
}

TIRBI_MATH float tirbi_hypot_f32(float a, float b) {
    double x = (double)a, y = (double)b;
    double result = __builtin_sqrt(tirbi_double_fma(x, x, y * y));
    bool infinite = tirbi_magnitude_f64(x) == TIRBI_INF || tirbi_magnitude_f64(y) == TIRBI_INF;
    return tirbi_narrow(infinite ? TIRBI_INF : result);
}

TIRBI_MATH float tirbi_ldexp_f32(float a, float b) {
    double n = tirbi_trunc_exact_f64(tirbi_clamp_f64((double)b, -300.0, 300.0));
    double result = (double)a * tirbi_power_of_two(b != b ? 0.0 : n);
    return tirbi_narrow(b != b ? TIRBI_NAN_F64 : result);
}

TIRBI_MATH bool tirbi_rare_fmod_f32(float a, float b) {
    double x = tirbi_magnitude_f64((double)a), y = tirbi_magnitude_f64((double)b);
    return (x >= y * 0x1p28) | (y == TIRBI_INF);
}
TIRBI_MATH float tirbi_usual_fmod_f32(float a, float b) {
    double x = (double)a, y = (double)b;
    double rest = x - tirbi_trunc_exact_f64(x / y) * y;
    return tirbi_narrow(tirbi_with_sign_f64(rest, x));
}
TIRBI_MATH float tirbi_fmod_f32(float a, float b) {
    return tirbi_rare_fmod_f32(a, b) ? tirbi_narrow(tirbi_fmod_f64((double)a, (double)b)) : tirbi_usual_fmod_f32(a, b);
}

/* ---- Circular functions ----------------------------------------------------------------------------------------- */

/* A float's angle: x - n * pi/2. The difference from the leading part is exact: see tirbi_reduce_small. */
typedef struct tirbi_short_angle {
    double rest;
    uint64_t quadrant;
} tirbi_short_angle;

TIRBI_MATH tirbi_short_angle tirbi_short_reduce(double x) {
    tirbi_short_angle angle;
    double rounded = tirbi_double_fma(x, TIRBI_TWO_OVER_PI, TIRBI_ROUNDER);
    double n = rounded - TIRBI_ROUNDER;
    angle.rest = tirbi_double_fma(n, -TIRBI_PI_HALF_2, tirbi_double_fma(n, -TIRBI_PI_HALF_1, x));
    angle.quadrant = tirbi_f64_bits(rounded);
    return angle;
}
static inline tirbi_short_angle tirbi_short_reduce_large(double x) {
    tirbi_angle large = tirbi_reduce_large(x);
    tirbi_short_angle angle = {large.rest.hi, large.quadrant};
    return angle;
}

TIRBI_MATH double tirbi_short_sin_rest(double r) {
    double z = r * r;
    return r * tirbi_double_fma(z, tirbi_poly_sin_short(z), 1.0);
}
TIRBI_MATH double tirbi_short_cos_rest(double r) {
    double z = r * r;
    return tirbi_double_fma(z, tirbi_double_fma(z, tirbi_poly_cos_short(z), -0.5), 1.0);
}
TIRBI_MATH float tirbi_short_sin(tirbi_short_angle angle, uint64_t turn) {
    uint64_t quadrant = angle.quadrant + turn;
    double s = tirbi_short_sin_rest(angle.rest), c = tirbi_short_cos_rest(angle.rest);
    uint64_t bits = tirbi_f64_bits((quadrant & 1) != 0 ? c : s) ^ ((quadrant & 2) << 62);
    return tirbi_narrow(tirbi_f64_from_bits(bits));
}
TIRBI_MATH float tirbi_short_tan(tirbi_short_angle angle) {
    double s = tirbi_short_sin_rest(angle.rest), c = tirbi_short_cos_rest(angle.rest);
    bool odd = (angle.quadrant & 1) != 0;
    return tirbi_narrow((odd ? -c : s) / (odd ? s : c));
}

TIRBI_MATH bool tirbi_rare_sin_f32(float x) { return tirbi_magnitude_f32(x) >= (float)TIRBI_SMALL_ANGLE; }
TIRBI_MATH bool tirbi_rare_cos_f32(float x) { return tirbi_rare_sin_f32(x); }
TIRBI_MATH bool tirbi_rare_tan_f32(float x) { return tirbi_rare_sin_f32(x); }
/* All but the rare ones. */
TIRBI_MATH float tirbi_common_sin_f32(float x) {
    return tirbi_within(tirbi_range_sin, x) ? tirbi_usual_sin_f32(x)
                                            : tirbi_short_sin(tirbi_short_reduce((double)x), 0);
}
TIRBI_MATH float tirbi_common_cos_f32(float x) {
    return tirbi_within(tirbi_range_cos, x) ? tirbi_usual_cos_f32(x)
                                            : tirbi_short_sin(tirbi_short_reduce((double)x), 1);
}
TIRBI_MATH float tirbi_usual_tan_f32(float x) { return tirbi_short_tan(tirbi_short_reduce((double)x)); }
TIRBI_MATH float tirbi_sin_f32(float x) {
    if (!tirbi_rare_sin_f32(x)) return tirbi_common_sin_f32(x);
    return tirbi_magnitude_f32(x) < TIRBI_INF ? tirbi_short_sin(tirbi_short_reduce_large((double)x), 0) : TIRBI_NAN_F32;
}
TIRBI_MATH float tirbi_cos_f32(float x) {
    if (!tirbi_rare_cos_f32(x)) return tirbi_common_cos_f32(x);
    return tirbi_magnitude_f32(x) < TIRBI_INF ? tirbi_short_sin(tirbi_short_reduce_large((double)x), 1) : TIRBI_NAN_F32;
}
TIRBI_MATH float tirbi_tan_f32(float x) {
    if (!tirbi_rare_tan_f32(x)) return tirbi_usual_tan_f32(x);
    return tirbi_magnitude_f32(x) < TIRBI_INF ? tirbi_short_tan(tirbi_short_reduce_large((double)x)) : TIRBI_NAN_F32;
}

/* atan(y / x) for x, y >= 0, not both 0 or infinite. The smaller over the larger, and above tan(pi/8) less pi/4. */
TIRBI_MATH double tirbi_short_atan_ratio(double y, double x) {
    bool steep = y > x;
    double small = steep ? x : y, large = steep ? y : x;
    bool upper = small > large * 0.4142135623730951;
    double t = (upper ? small - large : small) / (upper ? small + large : large);
    double z = t * t;
    double r = tirbi_double_fma(t * z, tirbi_poly_atan_short(z), t) + (upper ? TIRBI_PI_QUARTER_DD_1 : 0.0);
    return steep ? TIRBI_PI_HALF_DD_1 - r : r;
}
TIRBI_MATH float tirbi_atan_f32(float x) {
    double r = tirbi_short_atan_ratio(tirbi_magnitude_f64((double)x), 1.0);
    return tirbi_narrow(tirbi_with_sign_f64(r, (double)x));
}
TIRBI_MATH float tirbi_atan2_f32(float a, float b) {
    double y = tirbi_magnitude_f64((double)a), x = tirbi_magnitude_f64((double)b);
    bool both_infinite = y == TIRBI_INF && x == TIRBI_INF, both_zero = y == 0.0 && x == 0.0;
    double r = tirbi_short_atan_ratio(both_infinite ? 1.0 : y, both_infinite || both_zero ? 1.0 : x);
    bool negative = tirbi_f32_bits(b) >> 31 != 0;
    r = tirbi_with_sign_f64(negative ? TIRBI_PI_DD_1 - r : r, (double)a);
    return tirbi_narrow(a != a || b != b ? TIRBI_NAN_F64 : r);
}

/* asin(t) for t in 0 .. 1/2; above by way of sqrt((1 - t) / 2). */
TIRBI_MATH float tirbi_asin_f32(float x) {
    double a = tirbi_magnitude_f64((double)x);
    bool upper = a > 0.5;
    double square = upper ? (1.0 - a) * 0.5 : a * a;
    double s = upper ? __builtin_sqrt(square) : a;
    double r = tirbi_double_fma(s * square, tirbi_poly_asin_short(square), s);
    return tirbi_narrow(tirbi_with_sign_f64(upper ? TIRBI_PI_HALF_DD_1 - 2.0 * r : r, (double)x));
}
TIRBI_MATH float tirbi_acos_f32(float x) {
    double a = tirbi_magnitude_f64((double)x);
    bool upper = a > 0.5;
    double square = upper ? (1.0 - a) * 0.5 : a * a;
    double s = upper ? __builtin_sqrt(square) : a;
    double r = tirbi_double_fma(s * square, tirbi_poly_asin_short(square), s);
    double near_one = x < 0.0f ? TIRBI_PI_DD_1 - 2.0 * r : 2.0 * r;
    return tirbi_narrow(upper ? near_one : TIRBI_PI_HALF_DD_1 - tirbi_with_sign_f64(r, (double)x));
}

#endif
