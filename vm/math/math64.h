/* Mathematical functions on double: within 1 unit in the last place, special values as in C's Annex F.
 *
 * tirbi_<function>_f64. A few have inputs that are too rare and too long for vector code: there
 * tirbi_rare_<function>_f64 tells them and tirbi_usual_<function>_f64 is right for all others. */
#ifndef TIRB_VM_MATH_MATH64_H
#define TIRB_VM_MATH_MATH64_H

#include "vm/math/angle.h"
#include "vm/math/coefficients.h"
#include "vm/math/core.h"
#include "vm/math/dd.h"
#include "vm/math/scale.h"

#define TIRBI_INF __builtin_inf()

/* ---- Exponentials ----------------------------------------------------------------------------------------------- */

/* e^x = 2^n * (1 + r + tail). */
typedef struct tirbi_exp_parts {
    double n, r, tail;
} tirbi_exp_parts;

/* Of n and r + low, |r| <= ln(2) / 2 and low below a unit in its last place. */
TIRBI_MATH tirbi_exp_parts tirbi_exp_parts_of(double n, double r, double low) {
    return (tirbi_exp_parts){n, r, tirbi_double_fma(r * r, tirbi_poly_exp_f64(r), tirbi_double_fma(low, r, low))};
}

/* Of |x| < 2000. */
TIRBI_MATH tirbi_exp_parts tirbi_split_exp(double x) {
    double n = tirbi_double_fma(x, TIRBI_LOG2_E_1, TIRBI_ROUNDER) - TIRBI_ROUNDER;
    double first = tirbi_double_fma(n, -TIRBI_LN2_1, x); /* exact */
    double r = tirbi_double_fma(n, -TIRBI_LN2_2, first);
    return tirbi_exp_parts_of(n, r, tirbi_double_fma(n, -TIRBI_LN2_2, first - r));
}

/* Of hi + lo, |hi| < 2000 and lo below a unit in the last place of hi, which may be many of r. */
TIRBI_MATH tirbi_exp_parts tirbi_split_exp_sum(double hi, double lo) {
    double n = tirbi_double_fma(hi, TIRBI_LOG2_E_1, TIRBI_ROUNDER) - TIRBI_ROUNDER;
    double first = tirbi_double_fma(n, -TIRBI_LN2_1, hi);
    double rough = tirbi_double_fma(n, -TIRBI_LN2_2, first);
    tirbi_dd r = tirbi_two_sum(rough, tirbi_double_fma(n, -TIRBI_LN2_2, first - rough) + lo);
    return tirbi_exp_parts_of(n, r.hi, r.lo);
}

TIRBI_MATH double tirbi_join_exp(tirbi_exp_parts e) {
    tirbi_dd sum = tirbi_quick_two_sum(1.0, e.r);
    return tirbi_scale(sum.hi + (sum.lo + e.tail), e.n);
}

TIRBI_MATH double tirbi_clamp_f64(double x, double low, double high) {
    double above = x < low ? low : x;
    return above > high ? high : above;
}

/* A power is 2^n times its significand, which is about 1; n is in the low bits of `rounded`. */
typedef struct tirbi_power {
    double rounded, significand;
} tirbi_power;

/* 1 + rest P(rest), where rest is x less n ln(2), rounded once. */
TIRBI_MATH tirbi_power tirbi_power_exp(double x) {
    double rounded = tirbi_double_fma(x, TIRBI_LOG2_E_1, TIRBI_ROUNDER);
    double n = rounded - TIRBI_ROUNDER;
    double rest = tirbi_double_fma(n, -TIRBI_LN2_2, tirbi_double_fma(n, -TIRBI_LN2_1, x));
    double p = tirbi_double_fma(tirbi_poly_exp_f64(rest), rest, 1.0);
    return (tirbi_power){rounded, tirbi_double_fma(p, rest, 1.0)};
}
TIRBI_MATH tirbi_power tirbi_power_exp2(double x) {
    double rounded = x + TIRBI_ROUNDER;
    double rest = x - (rounded - TIRBI_ROUNDER);
    return (tirbi_power){rounded, tirbi_double_fma(tirbi_poly_exp2_f64(rest), rest, 1.0)};
}
/* The logarithm of 10 makes errors larger: rest times it is a sum of two. */
TIRBI_MATH tirbi_power tirbi_power_exp10(double x) {
    double rounded = tirbi_double_fma(x, TIRBI_LOG2_10, TIRBI_ROUNDER);
    double n = rounded - TIRBI_ROUNDER;
    double first = tirbi_double_fma(n, -TIRBI_LOG10_2_1, x); /* exact */
    double rest = tirbi_double_fma(n, -TIRBI_LOG10_2_2, first);
    double small = tirbi_double_fma(n, -TIRBI_LOG10_2_2, first - rest);
    double r = rest * TIRBI_LN10_1, low = tirbi_double_fma(rest, TIRBI_LN10_1, -r);
    low = tirbi_double_fma(rest, TIRBI_LN10_2, tirbi_double_fma(small, TIRBI_LN10_1, low));
    tirbi_exp_parts e = tirbi_exp_parts_of(n, r, low);
    tirbi_dd sum = tirbi_quick_two_sum(1.0, r);
    return (tirbi_power){rounded, sum.hi + (sum.lo + e.tail)};
}

/* What is not rare is normal, up to some magnitude of x. Powers below half of the least double are 0, and are not
 * computed: they would underflow, which takes many times as long. */
#define TIRBI_EXPONENTIAL(op, usual, least, most)                                                                      \
    TIRBI_MATH bool tirbi_rare_##op##_f64(double x) { return !(tirbi_magnitude_f64(x) <= (usual)); }                   \
    TIRBI_MATH double tirbi_usual_##op##_f64(double x) {                                                               \
        tirbi_power power = tirbi_power_##op(x);                                                                       \
        return tirbi_f64_from_bits(tirbi_f64_bits(power.significand) + (tirbi_f64_bits(power.rounded) << 52));         \
    }                                                                                                                  \
    TIRBI_MATH double tirbi_##op##_f64(double x) {                                                                     \
        tirbi_power power = tirbi_power_##op(x < least ? 0.0 : x > most ? most : x);                                   \
        double value = tirbi_canon_f64(tirbi_scale(power.significand, power.rounded - TIRBI_ROUNDER));                 \
        return x < least ? 0.0 : value;                                                                                \
    }
TIRBI_EXPONENTIAL(exp, 708.0, -745.2, 711.0)
TIRBI_EXPONENTIAL(exp2, 1021.0, -1075.0, 1025.0)
TIRBI_EXPONENTIAL(exp10, 307.0, -323.7, 310.0)
#undef TIRBI_EXPONENTIAL

/* (e^x - 1) / 2 for x in -700 .. 700: 2^(n-1) - 1/2 as a sum and 2^(n-1) * r are exact. */
TIRBI_MATH tirbi_dd tirbi_half_expm1(double x) {
    tirbi_exp_parts e = tirbi_split_exp(x);
    double power = tirbi_power_of_two(e.n - 1.0);
    tirbi_dd base = tirbi_two_sum(power, -0.5);
    tirbi_dd sum = tirbi_two_sum(base.hi, power * e.r);
    return tirbi_quick_two_sum(sum.hi, sum.lo + (base.lo + power * e.tail));
}

TIRBI_MATH double tirbi_expm1_f64(double x) {
    tirbi_dd half = tirbi_half_expm1(tirbi_clamp_f64(x, -50.0, 700.0));
    double large = tirbi_join_exp(tirbi_split_exp(tirbi_clamp_f64(x, 600.0, 711.0)));
    double result = x > 650.0 ? large : 2.0 * half.hi + 2.0 * half.lo;
    return tirbi_canon_f64(tirbi_magnitude_f64(x) < 0x1p-54 ? x : result);
}

/* h + h / (2 h + 1) with h = (e^x - 1) / 2. */
TIRBI_MATH double tirbi_sinh_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    tirbi_dd h = tirbi_half_expm1(a > 30.0 ? 30.0 : a);
    tirbi_dd whole = {2.0 * h.hi, 2.0 * h.lo};
    tirbi_dd inverse = tirbi_dd_divide(h, tirbi_dd_add_double(whole, 1.0));
    tirbi_dd sum = tirbi_two_sum(h.hi, inverse.hi);
    double small = sum.hi + (sum.lo + (h.lo + inverse.lo));
    tirbi_exp_parts e = tirbi_split_exp(tirbi_clamp_f64(a, 20.0, 712.0));
    e.n -= 1.0;
    double result = a > 25.0 ? tirbi_join_exp(e) : small;
    result = tirbi_with_sign_f64(a < 0x1p-27 ? a : result, x);
    return tirbi_canon_f64(x != x ? x : result);
}

TIRBI_MATH double tirbi_cosh_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    tirbi_exp_parts e = tirbi_split_exp(tirbi_clamp_f64(a, 0.0, 712.0));
    e.n -= 1.0;
    double large = tirbi_join_exp(e);
    /* e^x / 2 and its inverse / 4 */
    double power = tirbi_power_of_two(e.n > 100.0 ? 100.0 : e.n);
    tirbi_dd sum = tirbi_quick_two_sum(power, power * e.r);
    tirbi_dd half = tirbi_quick_two_sum(sum.hi, sum.lo + power * e.tail);
    tirbi_dd inverse = tirbi_dd_divide(tirbi_dd_make(0.25, 0.0), half);
    tirbi_dd both = tirbi_quick_two_sum(half.hi, inverse.hi);
    double small = both.hi + (both.lo + (half.lo + inverse.lo));
    return tirbi_canon_f64(x != x ? x : a > 25.0 ? large : small);
}

/* h / (h + 1) with h = (e^2x - 1) / 2. */
TIRBI_MATH double tirbi_tanh_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    tirbi_dd h = tirbi_half_expm1(a > 22.0 ? 44.0 : 2.0 * a);
    tirbi_dd quotient = tirbi_dd_divide(h, tirbi_dd_add_double(h, 1.0));
    double result = tirbi_with_sign_f64(a < 0x1p-28 ? a : quotient.hi + quotient.lo, x);
    return tirbi_canon_f64(x != x ? x : result);
}

/* With e = e^-|x|: e / (1 + e) below 0, 1 / (1 + e) above. */
TIRBI_MATH double tirbi_sigmoid_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    tirbi_exp_parts e = tirbi_split_exp(-(a > 746.0 ? 746.0 : a));
    tirbi_dd sum = tirbi_quick_two_sum(1.0, e.r);
    sum = tirbi_quick_two_sum(sum.hi, sum.lo + e.tail);
    tirbi_dd power = {tirbi_scale(sum.hi, e.n), tirbi_scale(sum.lo, e.n)};
    tirbi_dd one = {1.0, 0.0};
    /* Below e^-700 the quotient is e itself, rounded in one step. */
    bool tiny = x < -700.0;
    tirbi_dd above = {x < 0.0 && !tiny ? power.hi : one.hi, x < 0.0 && !tiny ? power.lo : 0.0};
    tirbi_dd quotient = tirbi_dd_divide(above, tirbi_dd_add_double(power, 1.0));
    double result = tiny ? tirbi_scale(sum.hi + sum.lo, e.n) : quotient.hi + quotient.lo;
    return tirbi_canon_f64(x != x ? x : result);
}

/* ---- Logarithms ------------------------------------------------------------------------------------------------- */

/* log(0), of negative numbers, infinity and NaN; `result` otherwise. */
TIRBI_MATH double tirbi_log_special_f64(double x, double result) {
    double r = x == TIRBI_INF ? x : result;
    r = x == 0.0 ? -TIRBI_INF : r;
    r = x < 0.0 ? TIRBI_NAN_F64 : r;
    return x != x ? TIRBI_NAN_F64 : r;
}

/* log(1 + f), 1 + f between sqrt(1/2) and sqrt(2): with s = f / (2 + f) it is 2 atanh(s), which is
 * f - (f^2/2 - s (f^2/2 + s^2 P(s^2))). */
TIRBI_MATH double tirbi_log_of_split(tirbi_split split) {
    double f = split.fraction - 1.0, half_square = 0.5 * f * f;
    double s = f / (2.0 + f), z = s * s;
    double rest =
        tirbi_double_fma(s, tirbi_double_fma(z, tirbi_poly_log_f64(z), half_square), split.exponent * TIRBI_LN2_2);
    return tirbi_double_fma(split.exponent, TIRBI_LN2_1, f - (half_square - rest));
}
/* The same as a sum of two, to about 2^-57. */
TIRBI_MATH tirbi_dd tirbi_log_pair(double f) {
    double half = 0.5 * f, half_square = half * f;
    double s = f / (2.0 + f), z = s * s;
    tirbi_dd sum = tirbi_quick_two_sum(f, -half_square);
    sum.lo -= tirbi_double_fma(half, f, -half_square);
    return tirbi_quick_two_sum(
        sum.hi, tirbi_double_fma(s, tirbi_double_fma(z, tirbi_poly_log_f64(z), half_square), sum.lo));
}
TIRBI_MATH double tirbi_log2_of_split(tirbi_split split) {
    tirbi_dd l = tirbi_log_pair(split.fraction - 1.0);
    double term = l.hi * TIRBI_LOG2_E_1;
    double low = tirbi_double_fma(l.hi, TIRBI_LOG2_E_1, -term);
    low = tirbi_double_fma(l.hi, TIRBI_LOG2_E_2, tirbi_double_fma(l.lo, TIRBI_LOG2_E_1, low));
    tirbi_dd sum = tirbi_quick_two_sum(split.exponent, term);
    return sum.hi + (sum.lo + low);
}
TIRBI_MATH double tirbi_log10_of_split(tirbi_split split) {
    tirbi_dd l = tirbi_log_pair(split.fraction - 1.0);
    double term = l.hi * TIRBI_LOG10_E_1;
    double low = tirbi_double_fma(l.hi, TIRBI_LOG10_E_1, -term);
    low = tirbi_double_fma(l.hi, TIRBI_LOG10_E_2, tirbi_double_fma(l.lo, TIRBI_LOG10_E_1, low));
    low = tirbi_double_fma(split.exponent, TIRBI_LOG10_2_2, low);
    tirbi_dd sum = tirbi_quick_two_sum(split.exponent * TIRBI_LOG10_2_1, term);
    return sum.hi + (sum.lo + low);
}

/* What is not rare is positive, normal and finite. */
#define TIRBI_LOGARITHM(op)                                                                                            \
    TIRBI_MATH bool tirbi_rare_##op##_f64(double x) { return !((x >= 0x1p-1022) & (x < TIRBI_INF)); }                  \
    TIRBI_MATH double tirbi_usual_##op##_f64(double x) { return tirbi_##op##_of_split(tirbi_split_normal(x)); }        \
    TIRBI_MATH double tirbi_##op##_f64(double x) {                                                                     \
        return tirbi_log_special_f64(x, tirbi_##op##_of_split(tirbi_split_f64(x)));                                    \
    }
TIRBI_LOGARITHM(log)
TIRBI_LOGARITHM(log2)
TIRBI_LOGARITHM(log10)
#undef TIRBI_LOGARITHM

/* log(1 + f) to about 2^-66, for 1 + f between sqrt(1/2) and sqrt(2): 2 s + s^3 (2/3 + s^2 P(s^2)). */
TIRBI_MATH tirbi_dd tirbi_log_fraction(tirbi_dd f) {
    tirbi_dd whole = tirbi_quick_two_sum(2.0, f.hi);
    whole.lo += f.lo;
    tirbi_dd s = tirbi_dd_divide(f, whole);
    tirbi_dd z = tirbi_two_product(s.hi, s.hi);
    z.lo = tirbi_double_fma(s.hi + s.hi, s.lo, z.lo);
    tirbi_dd u = tirbi_quick_two_sum(TIRBI_TWO_THIRDS_DD_1, z.hi * tirbi_poly_log_dd(z.hi));
    u.lo += TIRBI_TWO_THIRDS_DD_2;
    tirbi_dd cube = tirbi_two_product(s.hi, z.hi);
    cube.lo += tirbi_double_fma(s.hi, z.lo, s.lo * z.hi);
    tirbi_dd term = tirbi_two_product(cube.hi, u.hi);
    term.lo += tirbi_double_fma(cube.hi, u.lo, cube.lo * u.hi);
    tirbi_dd sum = tirbi_quick_two_sum(2.0 * s.hi, term.hi);
    return tirbi_quick_two_sum(sum.hi, sum.lo + (2.0 * s.lo + term.lo));
}

/* exponent * ln 2 + l; the product with the leading 42 bits is exact. */
TIRBI_MATH tirbi_dd tirbi_log_join(tirbi_dd l, double exponent) {
    tirbi_dd sum = tirbi_two_sum(exponent * TIRBI_LN2_DD_1, l.hi);
    return tirbi_quick_two_sum(sum.hi, sum.lo + tirbi_double_fma(exponent, TIRBI_LN2_DD_2, l.lo));
}

TIRBI_MATH tirbi_dd tirbi_log_dd(tirbi_split split) {
    return tirbi_log_join(tirbi_log_fraction(tirbi_dd_make(split.fraction - 1.0, 0.0)), split.exponent);
}

/* log(2^extra * (1 + u)). What the fraction f lacks counts little: its slope 1 / (1 + f) is taken to be 1 - f + f^2. */
TIRBI_MATH double tirbi_log1p_sum(tirbi_dd u, double extra) {
    tirbi_dd y = tirbi_two_sum(1.0, u.hi);
    y = tirbi_quick_two_sum(y.hi, y.lo + u.lo);
    tirbi_split split = tirbi_split_normal(y.hi);
    /* Above 2^900 the low part counts for nothing and its scale is of no matter. */
    double shift = split.exponent > 900.0 ? 900.0 : split.exponent, exponent = split.exponent + extra;
    tirbi_dd f = tirbi_two_sum(split.fraction - 1.0, y.lo * tirbi_power_of_two(-shift));
    tirbi_dd l = tirbi_log_pair(f.hi);
    double low = tirbi_double_fma(f.lo, tirbi_double_fma(f.hi, f.hi - 1.0, 1.0), l.lo);
    tirbi_dd sum = tirbi_quick_two_sum(exponent * TIRBI_LN2_1, l.hi);
    return sum.hi + (sum.lo + tirbi_double_fma(exponent, TIRBI_LN2_2, low));
}

TIRBI_MATH double tirbi_log1p_f64(double x) {
    double l = tirbi_log1p_sum(tirbi_dd_make(x, 0.0), 0.0);
    double result = x == TIRBI_INF ? x : l;
    result = x == -1.0 ? -TIRBI_INF : result;
    result = tirbi_magnitude_f64(x) < 0x1p-54 ? x : result;
    return tirbi_canon_f64(x < -1.0 || x != x ? TIRBI_NAN_F64 : result);
}

/* log1p(a + a^2 / (1 + sqrt(1 + a^2))); for large a log(2 a). */
TIRBI_MATH double tirbi_asinh_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    bool large = a > 0x1p30;
    double within = large ? 0x1p30 : a;
    double square = within * within;
    tirbi_dd u = tirbi_two_sum(large ? -1.0 : a,
                               large ? a : square / (1.0 + __builtin_sqrt(tirbi_double_fma(within, within, 1.0))));
    double l = tirbi_log1p_sum(u, large ? 1.0 : 0.0);
    double result = a == TIRBI_INF ? a : l;
    result = tirbi_with_sign_f64(a < 0x1p-28 ? a : result, x);
    return tirbi_canon_f64(x != x ? x : result);
}

/* With t = x - 1: log1p(t + sqrt(t (t + 2))); for large x log(2 x). */
TIRBI_MATH double tirbi_acosh_f64(double x) {
    bool large = x > 0x1p30;
    tirbi_dd t = tirbi_two_sum(-1.0, x);
    double within = large ? 2.0 : x < 1.0 ? 1.0 : x;
    tirbi_dd below = tirbi_two_sum(within, -1.0), above = tirbi_two_sum(within, 1.0);
    tirbi_dd root = tirbi_dd_root(tirbi_dd_multiply(below, above));
    tirbi_dd sum = tirbi_two_sum(below.hi, root.hi);
    sum.lo += below.lo + root.lo;
    tirbi_dd u = {large ? t.hi : sum.hi, large ? t.lo : sum.lo};
    double l = tirbi_log1p_sum(u, large ? 1.0 : 0.0);
    double result = x == TIRBI_INF ? x : l;
    return tirbi_canon_f64(x < 1.0 || x != x ? TIRBI_NAN_F64 : result);
}

/* log1p(2 a / (1 - a)) / 2. */
TIRBI_MATH double tirbi_atanh_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    double within = a < 1.0 ? a : 0.0;
    tirbi_dd u = tirbi_dd_divide(tirbi_dd_make(2.0 * within, 0.0), tirbi_two_sum(1.0, -within));
    double l = tirbi_log1p_sum(tirbi_quick_two_sum(u.hi, u.lo), 0.0);
    double result = a == 1.0 ? TIRBI_INF : 0.5 * l;
    result = tirbi_with_sign_f64(a < 0x1p-28 ? a : result, x);
    return tirbi_canon_f64(a > 1.0 || x != x ? TIRBI_NAN_F64 : result);
}

/* ---- Powers ----------------------------------------------------------------------------------------------------- */

/* The sign and the special values of a^b, given |a|^b for the others. */
TIRBI_MATH double tirbi_pow_special_f64(double a, double b, double power) {
    double magnitude = tirbi_magnitude_f64(a);
    bool integral = tirbi_rint_f64(b) == b;
    bool odd = integral && tirbi_rint_f64(b * 0.5) != b * 0.5;
    bool shrinks = (magnitude < 1.0) == (b > 0.0); /* where a power of 0 or infinity goes */
    double extreme = shrinks ? 0.0 : TIRBI_INF;
    bool is_extreme = magnitude == 0.0 || magnitude == TIRBI_INF || tirbi_magnitude_f64(b) == TIRBI_INF;
    double result = is_extreme ? extreme : power;
    result = magnitude == 1.0 ? 1.0 : result;
    result = odd ? tirbi_with_sign_f64(result, a) : result;
    result = a < 0.0 && magnitude != TIRBI_INF && !integral ? TIRBI_NAN_F64 : result;
    result = a != a || b != b ? TIRBI_NAN_F64 : result;
    return a == 1.0 || b == 0.0 ? 1.0 : result;
}

/* a^b for a split a and |b| <= 2^65, from where on every power is 0, 1 or infinite. */
TIRBI_MATH double tirbi_pow_of_split(tirbi_split split, double b) {
    tirbi_dd l = tirbi_log_dd(split);
    tirbi_dd t = tirbi_dd_multiply(tirbi_dd_make(b, 0.0), l);
    bool over = t.hi > 711.0, under = t.hi < -746.0;
    double hi = over ? 711.0 : under ? -746.0 : t.hi;
    double lo = over || under ? 0.0 : t.lo;
    return tirbi_join_exp(tirbi_split_exp_sum(hi, lo));
}
TIRBI_MATH bool tirbi_rare_pow_f64(double a, double b) {
    return !((a >= 0x1p-1022) & (a < TIRBI_INF) & (tirbi_magnitude_f64(b) <= 0x1p65));
}
TIRBI_MATH double tirbi_usual_pow_f64(double a, double b) { return tirbi_pow_of_split(tirbi_split_normal(a), b); }
TIRBI_MATH double tirbi_pow_f64(double a, double b) {
    double magnitude = tirbi_magnitude_f64(a);
    bool usual = magnitude > 0.0 && magnitude < TIRBI_INF;
    tirbi_split split = tirbi_split_f64(usual ? magnitude : 1.0);
    return tirbi_pow_special_f64(a, b, tirbi_pow_of_split(split, tirbi_clamp_f64(b, -0x1p65, 0x1p65)));
}

TIRBI_MATH double tirbi_rsqrt_f64(double x) { return tirbi_canon_f64(1.0 / __builtin_sqrt(x)); }

TIRBI_MATH double tirbi_hypot_f64(double a, double b) {
    double x = tirbi_magnitude_f64(a), y = tirbi_magnitude_f64(b);
    double larger = x > y ? x : y;
    bool big = larger > 0x1p500, small = larger < 0x1p-450;
    double in = big ? 0x1p-600 : small ? 0x1p600 : 1.0, out = big ? 0x1p600 : small ? 0x1p-600 : 1.0;
    double u = x * in, v = y * in;
    tirbi_dd u2 = tirbi_two_product(u, u), v2 = tirbi_two_product(v, v);
    /* Where the smaller is lost in the sum its square's error may not be exact: leave both out. */
    bool apart = u > v * 0x1p60 || v > u * 0x1p60;
    tirbi_dd sum = tirbi_two_sum(u2.hi, v2.hi);
    sum.lo = apart ? 0.0 : sum.lo + (u2.lo + v2.lo);
    tirbi_dd root = tirbi_dd_root(sum);
    double result = (apart ? larger : (root.hi + root.lo) * out);
    bool infinite = x == TIRBI_INF || y == TIRBI_INF;
    result = a != a || b != b ? TIRBI_NAN_F64 : result;
    return infinite ? TIRBI_INF : result;
}

TIRBI_MATH double tirbi_ldexp_f64(double a, double b) {
    bool subnormal = tirbi_magnitude_f64(a) < 0x1p-1022;
    double normal = subnormal ? a * 0x1p54 : a;
    uint64_t bits = tirbi_f64_bits(normal);
    uint64_t field = (bits >> 52) & 0x7FFu;
    /* a is m * 2^exponent, m between 1 and 2: the last of the two scalings is the only one that rounds. */
    double m = tirbi_f64_from_bits((bits & 0x800FFFFFFFFFFFFFu) | 0x3FF0000000000000u);
    double exponent = tirbi_f64_from_bits(field | 0x4330000000000000u) - (0x1p52 + 1023.0) - (subnormal ? 54.0 : 0.0);
    double shift = tirbi_trunc_exact_f64(tirbi_clamp_f64(b, -5000.0, 5000.0));
    double total = tirbi_clamp_f64(exponent + (b != b ? 0.0 : shift), -1200.0, 1200.0);
    double result = a == 0.0 || tirbi_magnitude_f64(a) == TIRBI_INF ? a : tirbi_scale(m, total);
    return a != a || b != b ? TIRBI_NAN_F64 : result;
}

/* a * b / 2^64 modulo n, for an odd n < 2^63, its inverse modulo 2^64, and a, b < n (Montgomery, Mathematics of
 * Computation 44, 1985). */
static inline uint64_t tirbi_multiply_modulo(uint64_t a, uint64_t b, uint64_t n, uint64_t inverse) {
    uint64_t high = tirbi_multiply_high(a, b), over = tirbi_multiply_high(a * b * inverse, n);
    return high >= over ? high - over : high + (n - over);
}

/* m * 2^shift modulo n, for m, n < 2^54 and shift < 2^11, in as many steps as the shift has bits. */
static inline uint64_t tirbi_shift_modulo(uint64_t m, unsigned shift, uint64_t n) {
    enum { AT_ONCE = 10, TOP = 1 << 10 };
    unsigned zeros = (unsigned)__builtin_ctzll(n), even = zeros < shift ? zeros : shift;
    n >>= even;
    shift -= even;
    m %= n;
    if (shift <= AT_ONCE) return (m << shift) % n << even;
    uint64_t inverse = n * 3 ^ 2; /* of 5 bits, each time of twice as many */
    for (unsigned bits = 5; bits < 64; bits *= 2) inverse *= 2 - n * inverse;
    uint64_t power = (0 - n) % n; /* 2^64 times a power of two */
    for (unsigned bit = TOP; bit > 0; bit >>= 1) {
        power = tirbi_multiply_modulo(power, power, n, inverse);
        if ((shift & bit) == 0) continue;
        power *= 2;
        if (power >= n) power -= n;
    }
    return tirbi_multiply_modulo(m, power, n, inverse) << even;
}

/* a - trunc(a / b) * b in integers. */
static inline double tirbi_slow_fmod_f64(double a, double b) {
    double x = tirbi_magnitude_f64(a), y = tirbi_magnitude_f64(b);
    if (!(x < TIRBI_INF) || !(y > 0.0)) return TIRBI_NAN_F64;
    if (x < y) return a;
    uint64_t x_bits = tirbi_f64_bits(x), y_bits = tirbi_f64_bits(y), hidden = (uint64_t)1 << 52;
    unsigned x_exponent = (unsigned)(x_bits >> 52), y_exponent = (unsigned)(y_bits >> 52);
    uint64_t m = x_exponent == 0 ? x_bits : (x_bits & (hidden - 1)) | hidden;
    uint64_t n = y_exponent == 0 ? y_bits : (y_bits & (hidden - 1)) | hidden;
    unsigned shift = (x_exponent == 0 ? 1 : x_exponent) - (y_exponent == 0 ? 1 : y_exponent);
    /* The rest is below 2^53; it counts units of 2^(y_exponent - 1075). */
    double rest = (double)tirbi_shift_modulo(m, shift, n);
    double r = tirbi_scale(rest, y_exponent == 0 ? -1074.0 : (double)y_exponent - 1075.0);
    return tirbi_with_sign_f64(r, a);
}

/* Where the quotient has fewer bits than a double, a - q * b is exact. */
TIRBI_MATH bool tirbi_rare_fmod_f64(double a, double b) {
    double x = tirbi_magnitude_f64(a), y = tirbi_magnitude_f64(b);
    return (x >= y * 0x1p50) | (x > 0x1p900) | (y < 0x1p-900) | (y > 0x1p900);
}
TIRBI_MATH double tirbi_usual_fmod_f64(double a, double b) {
    double x = tirbi_magnitude_f64(a), y = tirbi_magnitude_f64(b);
    double quotient = tirbi_trunc_exact_f64(x / y);
    tirbi_dd product = tirbi_two_product(quotient, y);
    double rest = (x - product.hi) - product.lo;
    /* The division may have rounded up to the next integer. */
    rest = tirbi_with_sign_f64(rest < 0.0 ? rest + y : rest, a);
    return a != a || b != b ? TIRBI_NAN_F64 : rest;
}
TIRBI_MATH double tirbi_fmod_f64(double a, double b) {
    if (a != a || b != b) return TIRBI_NAN_F64;
    if (tirbi_magnitude_f64(b) == TIRBI_INF && tirbi_magnitude_f64(a) < TIRBI_INF) return a;
    return tirbi_rare_fmod_f64(a, b) ? tirbi_slow_fmod_f64(a, b) : tirbi_usual_fmod_f64(a, b);
}

/* ---- Circular functions ----------------------------------------------------------------------------------------- */

/* The sine and cosine of a reduced angle, as sums whose low part is below half a unit of the high one. */
TIRBI_MATH tirbi_dd tirbi_sin_rest(tirbi_dd r) {
    double z = r.hi * r.hi;
    double tail = tirbi_double_fma(z * r.hi, tirbi_poly_sin_f64(z), tirbi_double_fma(-0.5 * z, r.lo, r.lo));
    return tirbi_quick_two_sum(r.hi, tail);
}
TIRBI_MATH tirbi_dd tirbi_cos_rest(tirbi_dd r) {
    double z = r.hi * r.hi, half = 0.5 * z;
    double one = 1.0 - half;
    double tail = tirbi_double_fma(z * z, tirbi_poly_cos_f64(z), tirbi_double_fma(-r.hi, r.lo, (1.0 - one) - half));
    return tirbi_quick_two_sum(one, tail);
}

/* sin(x) in quadrant 0; the cosine is one quadrant further. */
TIRBI_MATH double tirbi_sin_of_angle(tirbi_angle angle, uint64_t turn) {
    uint64_t quadrant = angle.quadrant + turn;
    tirbi_dd s = tirbi_sin_rest(angle.rest), c = tirbi_cos_rest(angle.rest);
    double value = (quadrant & 1) != 0 ? c.hi : s.hi;
    return tirbi_f64_from_bits(tirbi_f64_bits(value) ^ ((quadrant & 2) << 62));
}
TIRBI_MATH double tirbi_tan_of_angle(tirbi_angle angle) {
    tirbi_dd s = tirbi_sin_rest(angle.rest), c = tirbi_cos_rest(angle.rest);
    bool odd = (angle.quadrant & 1) != 0;
    tirbi_dd above = {odd ? -c.hi : s.hi, odd ? -c.lo : s.lo};
    tirbi_dd below = {odd ? s.hi : c.hi, odd ? s.lo : c.lo};
    tirbi_dd quotient = tirbi_dd_divide(above, below);
    return quotient.hi + quotient.lo;
}

TIRBI_MATH bool tirbi_rare_sin_f64(double x) { return tirbi_magnitude_f64(x) >= TIRBI_SMALL_ANGLE; }
TIRBI_MATH bool tirbi_rare_cos_f64(double x) { return tirbi_rare_sin_f64(x); }
TIRBI_MATH bool tirbi_rare_tan_f64(double x) { return tirbi_rare_sin_f64(x); }
/* Below 2^-27 sine and tangent are x itself, and products of it could underflow. */
TIRBI_MATH double tirbi_usual_sin_f64(double x) {
    double r = tirbi_sin_of_angle(tirbi_reduce_small(x), 0);
    return tirbi_canon_f64(tirbi_magnitude_f64(x) < 0x1p-27 ? x : r);
}
TIRBI_MATH double tirbi_usual_cos_f64(double x) {
    return tirbi_canon_f64(tirbi_sin_of_angle(tirbi_reduce_small(x), 1));
}
TIRBI_MATH double tirbi_usual_tan_f64(double x) {
    double r = tirbi_tan_of_angle(tirbi_reduce_small(x));
    return tirbi_canon_f64(tirbi_magnitude_f64(x) < 0x1p-27 ? x : r);
}
TIRBI_MATH double tirbi_sin_f64(double x) {
    if (!tirbi_rare_sin_f64(x)) return tirbi_usual_sin_f64(x);
    return tirbi_magnitude_f64(x) < TIRBI_INF ? tirbi_sin_of_angle(tirbi_reduce_large(x), 0) : TIRBI_NAN_F64;
}
TIRBI_MATH double tirbi_cos_f64(double x) {
    if (!tirbi_rare_cos_f64(x)) return tirbi_usual_cos_f64(x);
    return tirbi_magnitude_f64(x) < TIRBI_INF ? tirbi_sin_of_angle(tirbi_reduce_large(x), 1) : TIRBI_NAN_F64;
}
TIRBI_MATH double tirbi_tan_f64(double x) {
    if (!tirbi_rare_tan_f64(x)) return tirbi_usual_tan_f64(x);
    return tirbi_magnitude_f64(x) < TIRBI_INF ? tirbi_tan_of_angle(tirbi_reduce_large(x)) : TIRBI_NAN_F64;
}

/* atan(y / x) for x, y >= 0, not both 0, of moderate size: with c one of 0, 1/2, 1, 3/2 and infinity,
 * atan(y / x) = atan(c) + atan(t), t = (y - c x) / (x + c y), |t| < 7/16. */
TIRBI_MATH tirbi_dd tirbi_atan_ratio(double y, double x) {
    bool c1 = y >= 0.4375 * x, c2 = y >= 0.6875 * x, c3 = y >= 1.1875 * x, c4 = y >= 2.4375 * x;
    /* One choice after the other, which vector code can follow. */
    double c = c1 ? 0.5 : 0.0, base = c1 ? TIRBI_ATAN_HALF_DD_1 : 0.0, base_tail = c1 ? TIRBI_ATAN_HALF_DD_2 : 0.0;
    c = c2 ? 1.0 : c;
    base = c2 ? TIRBI_PI_QUARTER_DD_1 : base;
    base_tail = c2 ? TIRBI_PI_QUARTER_DD_2 : base_tail;
    c = c3 ? 1.5 : c;
    base = c3 ? TIRBI_ATAN_3_HALVES_DD_1 : base;
    base_tail = c3 ? TIRBI_ATAN_3_HALVES_DD_2 : base_tail;
    base = c4 ? TIRBI_PI_HALF_DD_1 : base;
    base_tail = c4 ? TIRBI_PI_HALF_DD_2 : base_tail;
    double above = c4 ? -x : tirbi_double_fma(-c, x, y), below = c4 ? y : tirbi_double_fma(c, y, x);
    double inverse = 1.0 / below, t = above * inverse;
    double rest = tirbi_double_fma(-t, below, above) * inverse;
    double z = t * t;
    tirbi_dd sum = tirbi_two_sum(base, t);
    return tirbi_quick_two_sum(sum.hi, sum.lo + tirbi_double_fma(t * z, tirbi_poly_atan_f64(z), base_tail + rest));
}

TIRBI_MATH double tirbi_atan_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    tirbi_dd r = tirbi_atan_ratio(a > 0x1p60 ? 0x1p60 : a, 1.0);
    double result = tirbi_with_sign_f64(a < 0x1p-27 ? a : r.hi, x);
    return tirbi_canon_f64(x != x ? x : result);
}

TIRBI_MATH double tirbi_atan2_f64(double a, double b) {
    double y = tirbi_magnitude_f64(a), x = tirbi_magnitude_f64(b);
    double larger = x > y ? x : y;
    double down = larger > 0x1p500 ? 0x1p-600 : 1.0, scale = larger < 0x1p-400 ? 0x1p600 : down;
    /* Two infinities are as good as two ones, and two zeros as 0 and 1. */
    bool both_infinite = (y == TIRBI_INF) & (x == TIRBI_INF);
    double v = both_infinite ? 1.0 : y * scale, u = both_infinite ? 1.0 : x * scale;
    u = larger == 0.0 ? 1.0 : u;
    /* An infinite or far larger y is as good as x = 0; where y is far smaller the angle is y / x. */
    bool steep = v > u * 0x1p100, flat = v < u * 0x1p-60;
    v = (steep | flat) ? 1.0 : v;
    u = steep ? 0.0 : u;
    u = flat ? 1.0 : u;
    tirbi_dd r = tirbi_atan_ratio(v, u);
    double ratio = y / (x == 0.0 ? 1.0 : x);
    r.hi = flat ? ratio : r.hi;
    r.lo = flat ? 0.0 : r.lo;
    tirbi_dd turned = tirbi_two_sum(TIRBI_PI_DD_1, -r.hi);
    double left = turned.hi + (turned.lo + (TIRBI_PI_DD_2 - r.lo));
    bool negative = tirbi_f64_bits(b) >> 63 != 0;
    double result = tirbi_with_sign_f64(negative ? left : r.hi, a);
    return a != a || b != b ? TIRBI_NAN_F64 : result;
}

/* asin of t in 0 .. 1 as half_turns * pi/2 + sign * (hi + lo): above 1/2 by way of sqrt((1 - t) / 2). */
typedef struct tirbi_arc {
    tirbi_dd value;
    bool upper;
} tirbi_arc;

TIRBI_MATH tirbi_arc tirbi_asin_parts(double t) {
    tirbi_arc arc;
    arc.upper = t > 0.5;
    double square = arc.upper ? (1.0 - t) * 0.5 : t * t;
    tirbi_dd root = tirbi_dd_root(tirbi_dd_make(arc.upper ? square : 0.0, 0.0));
    double s = arc.upper ? root.hi : t, s_tail = arc.upper ? root.lo : 0.0;
    arc.value.hi = s;
    arc.value.lo =
        tirbi_double_fma(s * square, tirbi_poly_asin_f64(square), tirbi_double_fma(0.5 * square, s_tail, s_tail));
    return arc;
}

TIRBI_MATH double tirbi_asin_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    tirbi_arc arc = tirbi_asin_parts(a);
    tirbi_dd sum = tirbi_two_sum(TIRBI_PI_HALF_DD_1, -2.0 * arc.value.hi);
    double upper = sum.hi + (sum.lo + (TIRBI_PI_HALF_DD_2 - 2.0 * arc.value.lo));
    double result = arc.upper ? upper : arc.value.hi + arc.value.lo;
    result = tirbi_with_sign_f64(a < 0x1p-27 ? a : result, x);
    return a > 1.0 || x != x ? TIRBI_NAN_F64 : result;
}

TIRBI_MATH double tirbi_acos_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    tirbi_arc arc = tirbi_asin_parts(a);
    double doubled = 2.0 * arc.value.hi, doubled_tail = 2.0 * arc.value.lo;
    double signed_hi = arc.upper ? doubled : tirbi_with_sign_f64(1.0, x) * arc.value.hi;
    double signed_lo = arc.upper ? doubled_tail : tirbi_with_sign_f64(1.0, x) * arc.value.lo;
    tirbi_dd sum = tirbi_two_sum(arc.upper ? TIRBI_PI_DD_1 : TIRBI_PI_HALF_DD_1, -signed_hi);
    double turned = sum.hi + (sum.lo + ((arc.upper ? TIRBI_PI_DD_2 : TIRBI_PI_HALF_DD_2) - signed_lo));
    double result = arc.upper && x > 0.0 ? doubled + doubled_tail : turned;
    return a > 1.0 || x != x ? TIRBI_NAN_F64 : result;
}

/* ---- Error function --------------------------------------------------------------------------------------------- */

TIRBI_MATH double tirbi_erf_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    double small = tirbi_double_fma(a, tirbi_poly_erf_f64(a * a), a);
    /* 1 - exp(-a^2) * G((a - 2) / (a + 2)); from 6 on it is 1. */
    double within = tirbi_clamp_f64(a, 0.875, 6.0);
    tirbi_dd square = tirbi_two_product(within, within);
    double power = tirbi_join_exp(tirbi_split_exp_sum(-square.hi, -square.lo));
    double large = tirbi_double_fma(-power, tirbi_poly_erfc_f64((within - 2.0) / (within + 2.0)), 1.0);
    double result = tirbi_with_sign_f64(a < 0.875 ? small : large, x);
    return tirbi_canon_f64(x != x ? x : result);
}

#endif
