/* Functions in arbitrary precision that MPFR has not, called as its own are; and errors in units in the last place. */
#ifndef TIRB_TESTS_EXACT_EXACT_H
#define TIRB_TESTS_EXACT_EXACT_H

#include <mpfr.h>

typedef int (*tirbt_exact_1)(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*tirbt_exact_2)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

int tirbt_sinpi(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
int tirbt_cospi(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
int tirbt_logb(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
int tirbt_erfcx(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
int tirbt_erfinv(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
int tirbt_erfcinv(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
int tirbt_normcdf(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
int tirbt_normcdfinv(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
int tirbt_lgamma(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
int tirbt_i0(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
int tirbt_i1(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
/* Of `got` beside the exact value. `digits` and `least` describe the type: bits of significand, the exponent of its
 * least subnormal; `most` is its largest value. A value beyond that may be infinity. */
double tirbt_error(const mpfr_t exact, double got, int digits, int least, double most);
double tirbt_error_f32(const mpfr_t exact, double got);
double tirbt_error_f64(const mpfr_t exact, double got);

int tirbt_rcbrt(mpfr_t out, const mpfr_t x, mpfr_rnd_t mode);
int tirbt_rhypot(mpfr_t out, const mpfr_t x, const mpfr_t y, mpfr_rnd_t mode);

#endif
