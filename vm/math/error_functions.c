/* erfc, erfcx, their inverses and the normal distribution's function. */
#include "vm/math/error_tables.h"
#include "vm/math/series.h"
#include "vm/math/special.h"

static const tirbi_dd inverse_root_pi = {TIRBI_INVERSE_ROOT_PI_1, TIRBI_INVERSE_ROOT_PI_2};
static const tirbi_dd root_half = {TIRBI_ROOT_HALF_1, TIRBI_ROOT_HALF_2};

/* e^(y^2) erfc(y) for 0 <= y < 2^400, whose square is given to a double's precision. */
static tirbi_dd scaled_erfc(tirbi_dd y, double square) {
    if (y.hi < 8.0) return tirbi_piece_value(tirbi_erfcx_pieces[(int)(y.hi * 4.0)], TIRBI_ERFCX_TERMS, y.hi, y.lo);
    double z = 1.0 / square;
    enum { TERMS = sizeof tirbi_erfcx_tail / sizeof *tirbi_erfcx_tail };
    tirbi_dd series = tirbi_quick_two_sum(1.0, z * tirbi_sum_powers(tirbi_erfcx_tail, TERMS, z));
    return tirbi_multiply_pairs(tirbi_dd_divide(inverse_root_pi, y), series);
}

/* erfc(y), where the square is exact. */
static tirbi_scaled erfc_parts(tirbi_dd y, tirbi_dd square) {
    tirbi_scaled e = tirbi_exp_pair(-square.hi, -square.lo);
    e.m = tirbi_multiply_pairs(e.m, scaled_erfc(y, square.hi));
    return e;
}
static tirbi_scaled erfc_of(double a) { return erfc_parts(tirbi_dd_make(a, 0.0), tirbi_two_product(a, a)); }

double tirbi_erfc_f64(double x) {
    if (x != x) return TIRBI_NAN_F64;
    double a = tirbi_magnitude_f64(x);
    tirbi_scaled e = erfc_of(a > 28.0 ? 28.0 : a);
    if (x >= 0.0) return tirbi_scale(e.m.hi + e.m.lo, e.n);
    if (a > 7.0) return 2.0;
    double power = tirbi_power_of_two(e.n);
    tirbi_dd result = tirbi_quick_two_sum(2.0, -e.m.hi * power);
    return result.hi + (result.lo - e.m.lo * power);
}

/* Below 0 it is 2 e^(x^2) less what it is above. */
double tirbi_erfcx_f64(double x) {
    if (x != x) return TIRBI_NAN_F64;
    double a = tirbi_magnitude_f64(x);
    if (x > 0x1p30) return TIRBI_INVERSE_ROOT_PI_1 / x;
    if (x < -27.0) return TIRBI_INF;
    tirbi_dd square = tirbi_two_product(a, a), above = scaled_erfc(tirbi_dd_make(a, 0.0), square.hi);
    if (x >= 0.0) return above.hi + above.lo;
    tirbi_scaled e = tirbi_exp_pair(square.hi, square.lo);
    double power = e.n > 100.0 ? 0.0 : tirbi_power_of_two(-e.n);
    tirbi_dd below = {-above.hi * power, -above.lo * power};
    tirbi_dd sum = tirbi_add_pairs(tirbi_dd_make(2.0 * e.m.hi, 2.0 * e.m.lo), below);
    return tirbi_scale(sum.hi + sum.lo, e.n);
}

/* erfc(-x / sqrt(2)) / 2. */
double tirbi_normcdf_f64(double x) {
    if (x != x) return TIRBI_NAN_F64;
    double a = tirbi_magnitude_f64(x);
    a = a > 40.0 ? 40.0 : a;
    tirbi_dd square = tirbi_two_product(a, a), half = {0.5 * square.hi, 0.5 * square.lo};
    tirbi_scaled e = erfc_parts(tirbi_multiply_pairs(tirbi_dd_make(a, 0.0), root_half), half);
    if (x <= 0.0) return tirbi_scale(e.m.hi + e.m.lo, e.n - 1.0);
    if (a > 9.0) return 1.0;
    double power = tirbi_power_of_two(e.n - 1.0);
    tirbi_dd result = tirbi_quick_two_sum(1.0, -e.m.hi * power);
    return result.hi + (result.lo - e.m.lo * power);
}

/* erfinv(x), |x| <= 1/2. */
static double small_erfinv(double x) {
    enum { TERMS = sizeof tirbi_erfinv_small / sizeof *tirbi_erfinv_small };
    double z = x * x, tail = TIRBI_ROOT_PI_HALF_2 + z * tirbi_sum_powers(tirbi_erfinv_small, TERMS, z);
    if (tirbi_magnitude_f64(x) < 0x1p-500) return TIRBI_ROOT_PI_HALF_1 * x;
    tirbi_dd product = tirbi_two_product(x, TIRBI_ROOT_PI_HALF_1);
    return product.hi + (product.lo + x * tail);
}

/* erfcinv(y), 0 < y <= 1/2, by way of w = sqrt(-log(y)): an eighth of a binade each, from 3/4 on. */
static double small_erfcinv(double y) {
    tirbi_dd l = tirbi_log_dd(tirbi_split_f64(y));
    tirbi_dd w = tirbi_dd_root(tirbi_dd_make(-l.hi, -l.lo));
    const uint64_t first = 0x3FE8000000000000u >> 49;
    const double *row = tirbi_erfcinv_pieces[(tirbi_f64_bits(w.hi) >> 49) - first];
    tirbi_dd result = tirbi_piece_value(row, TIRBI_ERFCINV_TERMS, w.hi, w.lo);
    return result.hi + result.lo;
}

double tirbi_erfinv_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    if (!(a <= 1.0)) return TIRBI_NAN_F64;
    if (a <= 0.5) return small_erfinv(x);
    return tirbi_with_sign_f64(a == 1.0 ? TIRBI_INF : small_erfcinv(1.0 - a), x);
}

double tirbi_erfcinv_f64(double x) {
    if (!(x >= 0.0 && x <= 2.0)) return TIRBI_NAN_F64;
    if (x == 0.0) return TIRBI_INF;
    if (x == 2.0) return -TIRBI_INF;
    if (x < 0.5) return small_erfcinv(x);
    return x > 1.5 ? -small_erfcinv(2.0 - x) : small_erfinv(1.0 - x);
}
