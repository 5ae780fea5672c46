/* What the functions of special.h are made of: tables of polynomials, exponentials and products as sums of two. */
#ifndef TIRB_VM_MATH_SERIES_H
#define TIRB_VM_MATH_SERIES_H

#include "vm/math/math64.h"

/* The sum of coefficients[k] * x^k. */
TIRBI_MATH double tirbi_sum_powers(const double *coefficients, int n, double x) {
    double p = coefficients[n - 1];
    for (int k = n - 2; k >= 0; k--) p = p * x + coefficients[k];
    return p;
}

/* A row of a table of pieces: value + t P(t), t = x - center. `low` is what x lacks. */
enum { TIRBI_PIECE_MIDDLE, TIRBI_PIECE_AT = 2, TIRBI_PIECE_POWERS = 4 };
TIRBI_MATH tirbi_dd tirbi_piece_value(const double *row, int terms, double x, double low) {
    double t = (x - row[TIRBI_PIECE_MIDDLE]) - row[TIRBI_PIECE_MIDDLE + 1] + low;
    double term = t * tirbi_sum_powers(row + TIRBI_PIECE_POWERS, terms, t);
    return tirbi_two_sum(row[TIRBI_PIECE_AT], term + row[TIRBI_PIECE_AT + 1]);
}

/* a * b, to about 2^-100; the product of the leading parts is between 2^-960 and 2^970. */
TIRBI_MATH tirbi_dd tirbi_multiply_pairs(tirbi_dd a, tirbi_dd b) {
    tirbi_dd product = tirbi_two_product(a.hi, b.hi);
    return tirbi_quick_two_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}
TIRBI_MATH tirbi_dd tirbi_add_pairs(tirbi_dd a, tirbi_dd b) {
    tirbi_dd sum = tirbi_two_sum(a.hi, b.hi);
    return tirbi_quick_two_sum(sum.hi, sum.lo + (a.lo + b.lo));
}

/* m * 2^n, m about 1. */
typedef struct tirbi_scaled {
    tirbi_dd m;
    double n;
} tirbi_scaled;

/* e^(hi + lo), |hi| < 2000 and lo below a unit in the last place of hi. */
TIRBI_MATH tirbi_scaled tirbi_exp_pair(double hi, double lo) {
    tirbi_exp_parts e = tirbi_split_exp_sum(hi, lo);
    tirbi_dd sum = tirbi_quick_two_sum(1.0, e.r);
    return (tirbi_scaled){tirbi_quick_two_sum(sum.hi, sum.lo + e.tail), e.n};
}

/* log(hi + lo), hi normal and positive. */
TIRBI_MATH tirbi_dd tirbi_log_of_pair(tirbi_dd x) {
    tirbi_dd l = tirbi_log_dd(tirbi_split_normal(x.hi));
    return tirbi_quick_two_sum(l.hi, l.lo + x.lo / x.hi);
}

/* sin(pi a) without its sign, for 0 <= a < 2^52. What a lacks to a multiple of 1/2 is
 * exact. */
TIRBI_MATH tirbi_dd tirbi_sin_pi(double a) {
    double r = tirbi_magnitude_f64(a - tirbi_rint_f64(a));
    bool steep = r <= 0.25;
    tirbi_dd pi = {TIRBI_PI_DD_1, TIRBI_PI_DD_2};
    tirbi_dd angle = tirbi_multiply_pairs(tirbi_dd_make(steep ? r : 0.5 - r, 0.0), pi);
    return steep ? tirbi_sin_rest(angle) : tirbi_cos_rest(angle);
}

TIRBI_MATH bool tirbi_is_odd(double whole) { return tirbi_rint_f64(whole * 0.5) != whole * 0.5; }

#endif
