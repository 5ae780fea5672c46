/* Bessel functions of the orders 0 and 1: of both kinds, and modified ones of the first kind. */
#include "vm/math/bessel_tables.h"
#include "vm/math/series.h"
#include "vm/math/special.h"

/* From here on by modulus and angle (Watson, A Treatise on the Theory of Bessel Functions, 13.75). */
#define WAVES_FROM 25.0

#define LENGTH(table) ((int)(sizeof(table) / sizeof *(table)))

typedef struct order {
    const double *modulus, *phase, *phase_tails;
    int modulus_terms, phase_terms, phase_pairs;
    uint64_t quadrants; /* between its angle and that of order 0 */
} order;
#define ORDER(n)                                                                                                    \
    {                                                                                                               \
        tirbi_modulus##n, tirbi_phase##n, tirbi_phase##n##_tails, LENGTH(tirbi_modulus##n), LENGTH(tirbi_phase##n), \
            LENGTH(tirbi_phase##n##_tails), n                                                                       \
    }
static const order orders[2] = {ORDER(0), ORDER(1)};

/* The angle less x - (2 n + 1) pi/4, x >= 25: to about 2^-105 of a right angle. */
static tirbi_dd phase_of(const order *o, tirbi_dd inverse) {
    tirbi_dd z = tirbi_multiply_pairs(inverse, inverse);
    int pairs = o->phase_pairs;
    tirbi_dd sum = {tirbi_sum_powers(o->phase + pairs, o->phase_terms - pairs, z.hi), 0.0};
    for (int k = pairs - 1; k >= 0; k--)
        sum = tirbi_add_pairs(tirbi_dd_make(o->phase[k], o->phase_tails[k]), tirbi_multiply_pairs(sum, z));
    return tirbi_multiply_pairs(sum, inverse);
}

/* sqrt(2 / (pi x)) M sin(angle), x >= 25 and finite; the angle is `turn` quadrants further. Near a zero what it has
 * over a multiple of pi/2 is small: the odd multiple of pi/4 is taken off before that is rounded. */
static double wave(const order *o, double x, uint64_t turn) {
    bool huge = x > 0x1p900;
    double within = huge ? x * 0x1p-200 : x;
    tirbi_dd two_over_pi = {TIRBI_TWO_OVER_PI_DD_1, TIRBI_TWO_OVER_PI_DD_2};
    tirbi_dd root = tirbi_dd_root(tirbi_dd_divide(two_over_pi, tirbi_dd_make(within, 0.0)));
    tirbi_angle angle = tirbi_reduce_turned(x, 0x2000000000000000u);
    double quotient = 1.0 / within;
    tirbi_dd inverse =
        huge ? tirbi_dd_make(0.0, 0.0) : tirbi_dd_divide(tirbi_dd_make(1.0, 0.0), tirbi_dd_make(within, 0.0));
    double z = quotient * quotient;
    tirbi_dd rest = tirbi_add_pairs(angle.rest, phase_of(o, inverse));
    uint64_t quadrant = angle.quadrant - o->quadrants + turn;
    tirbi_dd value = (quadrant & 1) != 0 ? tirbi_cos_rest(rest) : tirbi_sin_rest(rest);
    tirbi_dd modulus = tirbi_quick_two_sum(1.0, z * tirbi_sum_powers(o->modulus, o->modulus_terms, z));
    value = tirbi_multiply_pairs(value, tirbi_multiply_pairs(root, modulus));
    double result = (value.hi + value.lo) * (huge ? 0x1p-100 : 1.0);
    return (quadrant & 2) != 0 ? -result : result;
}

enum { SINE, COSINE };

static double first_kind(const order *o, double a, tirbi_dd near) {
    if (a == TIRBI_INF) return 0.0;
    return a < WAVES_FROM ? near.hi + near.lo : wave(o, a, COSINE);
}

static tirbi_dd near_j0(double a) { return tirbi_piece_value(tirbi_j0_pieces[(int)(a * 2.0)], TIRBI_J0_TERMS, a, 0.0); }
static tirbi_dd near_j1(double a) { return tirbi_piece_value(tirbi_j1_pieces[(int)(a * 2.0)], TIRBI_J1_TERMS, a, 0.0); }

double tirbi_j0_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    if (x != x) return TIRBI_NAN_F64;
    return first_kind(&orders[0], a, near_j0(a < WAVES_FROM ? a : 0.0));
}

double tirbi_j1_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    if (x != x) return TIRBI_NAN_F64;
    if (a == 0.0) return x;
    double result = first_kind(&orders[1], a, near_j1(a < WAVES_FROM ? a : 0.0));
    return x < 0.0 ? -result : result;
}

/* (2 / pi) log(x) J. */
static tirbi_dd logarithmic(double x, tirbi_dd j) {
    tirbi_dd two_over_pi = {TIRBI_TWO_OVER_PI_DD_1, TIRBI_TWO_OVER_PI_DD_2};
    return tirbi_multiply_pairs(tirbi_multiply_pairs(tirbi_log_dd(tirbi_split_f64(x)), two_over_pi), j);
}

double tirbi_y0_f64(double x) {
    if (!(x > 0.0)) return x == 0.0 ? -TIRBI_INF : TIRBI_NAN_F64;
    if (x == TIRBI_INF) return 0.0;
    if (x >= WAVES_FROM) return wave(&orders[0], x, SINE);
    tirbi_dd result;
    if (x >= 2.0) {
        result = tirbi_piece_value(tirbi_y0_pieces[(int)(x * 2.0) - 4], TIRBI_Y0_TERMS, x, 0.0);
    } else if (x >= 0.5) {
        result = tirbi_piece_value(tirbi_y0_near_pieces[(int)(x * 8.0) - 4], TIRBI_Y0_NEAR_TERMS, x, 0.0);
    } else {
        double rest = tirbi_sum_powers(tirbi_y0_rest, LENGTH(tirbi_y0_rest), x * x);
        result = tirbi_add_pairs(logarithmic(x, near_j0(x)), tirbi_dd_make(rest, 0.0));
    }
    return result.hi + result.lo;
}

double tirbi_y1_f64(double x) {
    if (!(x > 0.0)) return x == 0.0 ? -TIRBI_INF : TIRBI_NAN_F64;
    if (x == TIRBI_INF) return 0.0;
    if (x >= WAVES_FROM) return wave(&orders[1], x, SINE);
    if (x < 0x1p-60) return -TIRBI_TWO_OVER_PI_DD_1 / x;
    tirbi_dd result;
    if (x >= 2.0) {
        result = tirbi_piece_value(tirbi_y1_pieces[(int)(x * 2.0) - 4], TIRBI_Y1_TERMS, x, 0.0);
    } else if (x >= 0.5) {
        result = tirbi_piece_value(tirbi_y1_near_pieces[(int)(x * 8.0) - 4], TIRBI_Y1_NEAR_TERMS, x, 0.0);
    } else {
        double rest = x * tirbi_sum_powers(tirbi_y1_rest, LENGTH(tirbi_y1_rest), x * x);
        tirbi_dd minus_two_over_pi = {-TIRBI_TWO_OVER_PI_DD_1, -TIRBI_TWO_OVER_PI_DD_2};
        tirbi_dd pole = tirbi_dd_divide(minus_two_over_pi, tirbi_dd_make(x, 0.0));
        tirbi_dd more = tirbi_add_pairs(logarithmic(x, near_j1(x)), tirbi_dd_make(rest, 0.0));
        result = tirbi_add_pairs(tirbi_quick_two_sum(pole.hi, pole.lo), more);
    }
    return result.hi + result.lo;
}

/* ---- Modified functions ----------------------------------------------------------------------------------------- */

/* e^-a I(a), a >= 16: of a series in 1 / a, over sqrt(2 pi a). */
static tirbi_dd decayed(const double *tail, int terms, double a) {
    double w = 1.0 / a;
    tirbi_dd inverse_2_pi = {TIRBI_INVERSE_2_PI_1, TIRBI_INVERSE_2_PI_2};
    tirbi_dd root = tirbi_dd_root(tirbi_dd_divide(inverse_2_pi, tirbi_dd_make(a, 0.0)));
    return tirbi_multiply_pairs(root, tirbi_quick_two_sum(1.0, w * tirbi_sum_powers(tail, terms, w)));
}
static double grown(tirbi_dd decayed_value, double a) {
    tirbi_scaled e = tirbi_exp_pair(a, 0.0);
    tirbi_dd product = tirbi_multiply_pairs(e.m, decayed_value);
    return tirbi_scale(product.hi + product.lo, e.n);
}

double tirbi_i0_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    if (x != x) return TIRBI_NAN_F64;
    a = a > 720.0 ? 720.0 : a;
    return grown(a < 16.0 ? tirbi_piece_value(tirbi_i0_pieces[(int)(a * 2.0)], TIRBI_I0_TERMS, a, 0.0)
                          : decayed(tirbi_i0_tail, LENGTH(tirbi_i0_tail), a),
                 a);
}

double tirbi_i1_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    if (x != x) return TIRBI_NAN_F64;
    if (a < 0x1p-60) return 0.5 * x;
    a = a > 720.0 ? 720.0 : a;
    double result = grown(a < 16.0 ? tirbi_piece_value(tirbi_i1_pieces[(int)(a * 2.0)], TIRBI_I1_TERMS, a, 0.0)
                                   : decayed(tirbi_i1_tail, LENGTH(tirbi_i1_tail), a),
                          a);
    return tirbi_with_sign_f64(result, x);
}
