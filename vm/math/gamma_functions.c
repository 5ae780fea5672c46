/* The gamma function and the logarithm of its magnitude. */
#include "vm/math/gamma_tables.h"
#include "vm/math/series.h"
#include "vm/math/special.h"

/* From here on Stirling's series. */
#define STIRLING_FROM 12.0

static const tirbi_dd pi = {TIRBI_PI_DD_1, TIRBI_PI_DD_2};

/* log(gamma(x)) for 12 <= x < 2^60: (x - 1/2) log(x) - x + log(2 pi) / 2 + S(1 / x^2) / x. */
static tirbi_dd stirling(double x) {
    enum { TERMS = sizeof tirbi_stirling / sizeof *tirbi_stirling };
    tirbi_dd l = tirbi_log_dd(tirbi_split_normal(x));
    tirbi_dd sum = tirbi_multiply_pairs(tirbi_two_sum(x, -0.5), l);
    sum = tirbi_add_pairs(sum, tirbi_dd_make(-x, 0.0));
    double z = 1.0 / (x * x);
    tirbi_dd rest = tirbi_quick_two_sum(TIRBI_HALF_LOG_2_PI_1, tirbi_sum_powers(tirbi_stirling, TERMS, z) / x);
    rest.lo += TIRBI_HALF_LOG_2_PI_2;
    return tirbi_add_pairs(sum, rest);
}

/* gamma(x) for 2^-60 <= x < 12: gamma(1 + f) times x - 1, x - 2, .. or over x; all of these are exact. */
static tirbi_dd gamma_by_factors(double x) {
    double whole = tirbi_floor_exact_f64(x), f = x - whole;
    tirbi_dd g = tirbi_piece_value(tirbi_gamma_pieces[(int)(f * 8.0 + 0.5)], TIRBI_GAMMA_TERMS, f, 0.0);
    if (whole == 0.0) return tirbi_dd_divide(g, tirbi_dd_make(x, 0.0));
    for (double k = 1.0; k < whole; k += 1.0) g = tirbi_multiply_pairs(g, tirbi_dd_make(x - k, 0.0));
    return g;
}

/* gamma(x) for 2^-60 <= x <= 200. */
static tirbi_scaled gamma_parts(double x) {
    if (x < STIRLING_FROM) return (tirbi_scaled){gamma_by_factors(x), 0.0};
    tirbi_dd l = stirling(x);
    return tirbi_exp_pair(l.hi, l.lo);
}

/* |x sin(pi x)| for x < 0, no integer. */
static tirbi_dd reflection(double x) {
    double a = tirbi_magnitude_f64(x);
    return tirbi_multiply_pairs(tirbi_sin_pi(a), tirbi_dd_make(a, 0.0));
}

/* Below 0 it is -pi / (x sin(pi x) gamma(-x)). */
double tirbi_tgamma_f64(double x) {
    if (x != x || x == -TIRBI_INF) return TIRBI_NAN_F64;
    if (tirbi_magnitude_f64(x) < 0x1p-60) return 1.0 / x;
    if (x > 172.0) return TIRBI_INF;
    if (x > 0.0) {
        tirbi_scaled g = gamma_parts(x);
        return tirbi_scale(g.m.hi + g.m.lo, g.n);
    }
    double whole = tirbi_floor_exact_f64(x);
    if (whole == x) return TIRBI_NAN_F64;
    double sign = tirbi_is_odd(whole) ? -1.0 : 1.0;
    if (x < -190.0) return sign * 0.0;
    tirbi_scaled g = gamma_parts(-x);
    tirbi_dd below = tirbi_dd_divide(pi, tirbi_multiply_pairs(reflection(x), g.m));
    return sign * tirbi_scale(below.hi + below.lo, -g.n);
}

/* log(gamma(x)), x >= 2^-60. */
static tirbi_dd log_gamma(double x) {
    if (x >= 0x1p60) { /* x log(x) - x is all */
        tirbi_dd l = tirbi_dd_add_double(tirbi_log_dd(tirbi_split_normal(x)), -1.0);
        return tirbi_dd_make(x * l.hi, x * l.lo);
    }
    if (x >= STIRLING_FROM) return stirling(x);
    if (x >= 2.5) return tirbi_log_of_pair(gamma_by_factors(x));
    double f = x < 0.5 ? x : x - 1.0; /* exact */
    tirbi_dd l = tirbi_piece_value(tirbi_lgamma_pieces[(int)(f * 8.0 + 4.5)], TIRBI_LGAMMA_TERMS, f, 0.0);
    if (x >= 0.5) return l;
    tirbi_dd log_x = tirbi_log_dd(tirbi_split_normal(x));
    return tirbi_add_pairs(l, tirbi_dd_make(-log_x.hi, -log_x.lo));
}

/* The value near a zero below 0, of x no integer; false where none is near. */
static bool near_zero(double x, double *value) {
    enum { ROWS = sizeof tirbi_lgamma_zeros / sizeof *tirbi_lgamma_zeros, REACH = 2, SCALE, POWERS };
    double a = -x, whole = tirbi_floor_exact_f64(a);
    int row = a < 2.0 || a > 18.0 ? ROWS : 2 * (int)(whole - 2.0) + (a - whole > 0.58 ? 1 : 0);
    if (row >= ROWS) return false;
    const double *zero = tirbi_lgamma_zeros[row];
    double t = (x - zero[0]) - zero[1];
    double s = t * zero[SCALE];
    *value = s * tirbi_sum_powers(zero + POWERS, TIRBI_LGAMMA_ZERO_TERMS, s);
    return tirbi_magnitude_f64(t) <= zero[REACH];
}

/* Below 0 it is log(pi / |x sin(pi x)|) - lgamma(-x). */
double tirbi_lgamma_f64(double x) {
    if (x != x) return TIRBI_NAN_F64;
    double a = tirbi_magnitude_f64(x);
    if (a == TIRBI_INF || (x <= 0.0 && tirbi_floor_exact_f64(x) == x)) return TIRBI_INF;
    if (a < 0x1p-60) return -tirbi_log_f64(a);
    if (x > 0.0) {
        tirbi_dd l = log_gamma(x);
        return l.hi + l.lo;
    }
    double value;
    if (near_zero(x, &value)) return value;
    tirbi_dd l = log_gamma(a), log_pi = {TIRBI_LOG_PI_1, TIRBI_LOG_PI_2};
    tirbi_dd product = tirbi_log_of_pair(reflection(x));
    tirbi_dd sum = tirbi_add_pairs(log_pi, tirbi_dd_make(-product.hi, -product.lo));
    sum = tirbi_add_pairs(sum, tirbi_dd_make(-l.hi, -l.lo));
    return sum.hi + sum.lo;
}
