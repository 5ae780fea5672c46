#include "tests/exact/exact.h"

#include <math.h>
#include <stdbool.h>

#include "vm/math/special.h"

/* ---- Errors ----------------------------------------------------------------------------------------------------- */

double tirbt_error(const mpfr_t exact, double got, int digits, int least, double most) {
    if (mpfr_nan_p(exact) || isnan(got)) return mpfr_nan_p(exact) && isnan(got) ? 0 : (double)INFINITY;
    if (mpfr_inf_p(exact)) return isinf(got) && signbit(got) == (mpfr_signbit(exact) != 0) ? 0 : (double)INFINITY;
    if (isinf(got)) {
        bool same_sign = (mpfr_sgn(exact) > 0) == (got > 0);
        bool beyond = mpfr_cmp_d(exact, most) > 0 || mpfr_cmp_d(exact, -most) < 0;
        return beyond && same_sign ? 0.5 : (double)INFINITY;
    }
    if (mpfr_zero_p(exact)) return got == 0 ? 0 : (double)INFINITY;
    mpfr_t error;
    mpfr_init2(error, mpfr_get_prec(exact) + 64);
    mpfr_exp_t exponent = mpfr_get_exp(exact) - digits;
    mpfr_sub_d(error, exact, got, MPFR_RNDN);
    mpfr_mul_2si(error, error, -(exponent < least ? least : (long)exponent), MPFR_RNDN);
    double units = fabs(mpfr_get_d(error, MPFR_RNDN));
    mpfr_clear(error);
    return units;
}

double tirbt_error_f32(const mpfr_t exact, double got) { return tirbt_error(exact, got, 24, -149, 0x1.fffffep127); }
double tirbt_error_f64(const mpfr_t exact, double got) {
    return tirbt_error(exact, got, 53, -1074, 0x1.fffffffffffffp1023);
}

/* Work is done with so many bits more than the result has. */
enum { GUARD = 200 };

static mpfr_prec_t precision_of(const mpfr_t out) { return mpfr_get_prec(out) + GUARD; }

/* ---- Sines of half turns ---------------------------------------------------------------------------------------- */

/* What x has over an even number, exactly; of a multiple of 1/2 the results are exact too. */
static void turn_of(mpfr_t turn, const mpfr_t x) {
    mpfr_t two;
    mpfr_init2(two, 8);
    mpfr_set_ui(two, 2, MPFR_RNDN);
    mpfr_remainder(turn, x, two, MPFR_RNDN);
    mpfr_clear(two);
}

static int wave(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode, tirbt_exact_1 function, double shift) {
    if (!mpfr_number_p(x)) {
        mpfr_set_nan(out);
        return 0;
    }
    mpfr_t turn, pi, twice;
    mpfr_inits2(precision_of(out) + 1100, turn, pi, twice, (mpfr_ptr)NULL);
    turn_of(turn, x);
    mpfr_add_d(twice, turn, shift, MPFR_RNDN);
    int result = 0;
    if (mpfr_integer_p(twice)) {
        mpfr_set_zero(out, shift == 0.0 && mpfr_signbit(x) ? -1 : 1);
    } else {
        mpfr_const_pi(pi, MPFR_RNDN);
        mpfr_mul(turn, turn, pi, MPFR_RNDN);
        result = function(out, turn, mode);
    }
    mpfr_clears(turn, pi, twice, (mpfr_ptr)NULL);
    return result;
}
int tirbt_sinpi(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) { return wave(out, x, mode, mpfr_sin, 0.0); }
int tirbt_cospi(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) { return wave(out, x, mode, mpfr_cos, 0.5); }

int tirbt_logb(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) {
    if (!mpfr_number_p(x)) return mpfr_abs(out, x, mode);
    if (!mpfr_zero_p(x)) return mpfr_set_si(out, mpfr_get_exp(x) - 1, mode);
    mpfr_set_inf(out, -1);
    return 0;
}

/* ---- Error functions -------------------------------------------------------------------------------------------- */

/* x sqrt(pi) erfcx(x) for x > 1000, whose erfc may be no number of MPFR's: 1 - 1 / (2 x^2) + 1 * 3 / (2 x^2)^2 - .. */
static void far_erfcx(mpfr_t out, const mpfr_t square) {
    mpfr_t term;
    mpfr_init2(term, mpfr_get_prec(out));
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_ui(out, 1, MPFR_RNDN);
    for (unsigned long k = 1; !mpfr_zero_p(term) && mpfr_get_exp(term) > -mpfr_get_prec(out); k++) {
        mpfr_div(term, term, square, MPFR_RNDN);
        mpfr_div_2ui(term, term, 1, MPFR_RNDN);
        mpfr_mul_ui(term, term, 2 * k - 1, MPFR_RNDN);
        mpfr_neg(term, term, MPFR_RNDN);
        mpfr_add(out, out, term, MPFR_RNDN);
    }
    mpfr_clear(term);
}

int tirbt_erfcx(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) {
    if (mpfr_inf_p(x)) {
        mpfr_set_d(out, mpfr_sgn(x) > 0 ? 0.0 : (double)__builtin_inf(), mode);
        return 0;
    }
    mpfr_t square, value;
    mpfr_inits2(precision_of(out), square, value, (mpfr_ptr)NULL);
    mpfr_sqr(square, x, MPFR_RNDN);
    if (mpfr_cmp_d(x, 1000) > 0) {
        far_erfcx(value, square);
        mpfr_const_pi(square, MPFR_RNDN);
        mpfr_sqrt(square, square, MPFR_RNDN);
        mpfr_mul(square, square, x, MPFR_RNDN);
        mpfr_ui_div(square, 1, square, MPFR_RNDN);
    } else {
        mpfr_erfc(value, x, MPFR_RNDN);
        mpfr_exp(square, square, MPFR_RNDN);
    }
    int result = mpfr_mul(out, value, square, mode);
    mpfr_clears(square, value, (mpfr_ptr)NULL);
    return result;
}

/* Newton's steps on f(r) = y, where f is erf or erfc, until they change nothing: from the tested function's own result,
 * so that few are needed. A wrong one takes more steps, or ends at another value than it is. */
static int inverse(mpfr_t out, const mpfr_t y, mpfr_rnd_t mode, tirbt_exact_1 f, double slope, double guess) {
    mpfr_t r, value, step, root_pi;
    mpfr_inits2(mpfr_get_prec(out) + 40, r, value, step, root_pi, (mpfr_ptr)NULL);
    mpfr_const_pi(root_pi, MPFR_RNDN);
    mpfr_sqrt(root_pi, root_pi, MPFR_RNDN);
    mpfr_set_d(r, guess, MPFR_RNDN);
    for (int i = 0; i < 50; i++) {
        f(value, r, MPFR_RNDN);
        mpfr_sub(value, value, y, MPFR_RNDN);
        mpfr_sqr(step, r, MPFR_RNDN);
        mpfr_exp(step, step, MPFR_RNDN);
        mpfr_mul(step, step, root_pi, MPFR_RNDN);
        mpfr_mul(step, step, value, MPFR_RNDN);
        mpfr_mul_d(step, step, 0.5 * slope, MPFR_RNDN);
        mpfr_sub(r, r, step, MPFR_RNDN);
        if (mpfr_zero_p(step) || mpfr_zero_p(r) || mpfr_get_exp(step) < mpfr_get_exp(r) - 70) break;
    }
    int result = mpfr_set(out, r, mode);
    mpfr_clears(r, value, step, root_pi, (mpfr_ptr)NULL);
    return result;
}

int tirbt_erfinv(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) {
    if (mpfr_nan_p(x) || mpfr_cmpabs_ui(x, 1) > 0) {
        mpfr_set_nan(out);
        return 0;
    }
    if (mpfr_zero_p(x)) return mpfr_set(out, x, mode);
    if (mpfr_cmpabs_ui(x, 1) == 0) {
        mpfr_set_inf(out, mpfr_sgn(x));
        return 0;
    }
    return inverse(out, x, mode, mpfr_erf, 1.0, tirbi_erfinv_f64(mpfr_get_d(x, MPFR_RNDN)));
}

int tirbt_erfcinv(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) {
    if (mpfr_nan_p(x) || mpfr_sgn(x) < 0 || mpfr_cmp_ui(x, 2) > 0) {
        mpfr_set_nan(out);
        return 0;
    }
    if (mpfr_zero_p(x) || mpfr_cmp_ui(x, 2) == 0) {
        mpfr_set_inf(out, mpfr_zero_p(x) ? 1 : -1);
        return 0;
    }
    return inverse(out, x, mode, mpfr_erfc, -1.0, tirbi_erfcinv_f64(mpfr_get_d(x, MPFR_RNDN)));
}

int tirbt_normcdf(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) {
    mpfr_t y;
    mpfr_init2(y, precision_of(out));
    mpfr_set_ui(y, 2, MPFR_RNDN);
    mpfr_sqrt(y, y, MPFR_RNDN);
    mpfr_div(y, x, y, MPFR_RNDN);
    mpfr_neg(y, y, MPFR_RNDN);
    mpfr_erfc(out, y, mode);
    mpfr_clear(y);
    return mpfr_div_2ui(out, out, 1, mode);
}

int tirbt_normcdfinv(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) {
    mpfr_t y;
    mpfr_init2(y, precision_of(out));
    mpfr_mul_2ui(y, x, 1, MPFR_RNDN);
    tirbt_erfcinv(out, y, mode);
    mpfr_set_ui(y, 2, MPFR_RNDN);
    mpfr_sqrt(y, y, MPFR_RNDN);
    mpfr_neg(y, y, MPFR_RNDN);
    int result = mpfr_mul(out, out, y, mode);
    mpfr_clear(y);
    return result;
}

/* ---- Others ----------------------------------------------------------------------------------------------------- */

int tirbt_lgamma(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) {
    int sign;
    return mpfr_lgamma(out, &sign, x, mode);
}

/* The sum of (x^2 / 4)^k / (k! (k + order)!), all of one sign, times (x / 2)^order. */
static int modified_bessel(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode, unsigned order) {
    if (!mpfr_number_p(x) || mpfr_cmpabs_ui(x, 1000) > 0) {
        if (mpfr_nan_p(x))
            mpfr_set_nan(out);
        else
            mpfr_set_inf(out, order == 0 ? 1 : mpfr_sgn(x));
        return 0;
    }
    mpfr_t square, term, sum;
    mpfr_inits2(precision_of(out), square, term, sum, (mpfr_ptr)NULL);
    mpfr_sqr(square, x, MPFR_RNDN);
    mpfr_div_2ui(square, square, 2, MPFR_RNDN);
    if (order == 0)
        mpfr_set_ui(term, 1, MPFR_RNDN);
    else
        mpfr_div_2ui(term, x, 1, MPFR_RNDN);
    mpfr_set(sum, term, MPFR_RNDN);
    for (unsigned k = 1; k < 3000 && !mpfr_zero_p(term); k++) {
        mpfr_mul(term, term, square, MPFR_RNDN);
        mpfr_div_ui(term, term, k * (k + order), MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
        if (!mpfr_zero_p(term) && mpfr_get_exp(term) < mpfr_get_exp(sum) - (mpfr_exp_t)mpfr_get_prec(sum)) break;
    }
    int result = mpfr_set(out, sum, mode);
    mpfr_clears(square, term, sum, (mpfr_ptr)NULL);
    return result;
}
int tirbt_i0(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) { return modified_bessel(out, x, mode, 0); }
int tirbt_i1(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) { return modified_bessel(out, x, mode, 1); }

int tirbt_rcbrt(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode) {
    mpfr_cbrt(out, x, mode);
    return mpfr_ui_div(out, 1, out, mode);
}
int tirbt_rhypot(mpfr_t out, const mpfr_t x, const mpfr_t y, mpfr_rnd_t mode) {
    mpfr_hypot(out, x, y, mode);
    return mpfr_ui_div(out, 1, out, mode);
}
