#include "vm/math/special.h"

#include "vm/math/series.h"

/* ---- float32 ---------------------------------------------------------------------------------------------------- */

#define NARROW_1(NAME, name) \
    float tirbi_##name##_f32(float x) { return (float)tirbi_##name##_f64((double)x); }
#define NARROW_2(NAME, name) \
    float tirbi_##name##_f32(float x, float y) { return (float)tirbi_##name##_f64((double)x, (double)y); }
TIRBI_SPECIAL_1(NARROW_1)
TIRBI_SPECIAL_2(NARROW_2)

/* ---- Roots and remainders --------------------------------------------------------------------------------------- */

/* x = m * 8^(k - 341), 1 <= m < 8: t comes near the root of m by Newton's steps, the last of which takes the rest
 * m - t^3 as a sum of two. */
double tirbi_cbrt_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    if (!(a < TIRBI_INF) || a == 0.0) return tirbi_canon_f64(x);
    bool subnormal = a < 0x1p-1022;
    uint64_t bits = tirbi_f64_bits(subnormal ? a * 0x1p54 : a);
    unsigned exponent = (unsigned)(bits >> 52); /* biased by 3 * 341 */
    double m = tirbi_f64_from_bits((bits & 0xFFFFFFFFFFFFFu) | (uint64_t)(1023 + exponent % 3) << 52);
    double t = 0.9 + m * (0.17 - m * 0.0045);
    for (int i = 0; i < 4; i++) t -= (t - m / (t * t)) * (1.0 / 3.0);
    tirbi_dd square = tirbi_two_product(t, t), cube = tirbi_two_product(square.hi, t);
    double left = (m - cube.hi) - cube.lo - square.lo * t;
    t += left / (3.0 * square.hi);
    double power = tirbi_power_of_two((double)(exponent / 3) - (subnormal ? 359.0 : 341.0));
    return tirbi_with_sign_f64(t * power, x);
}

double tirbi_logb_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    if (!(a < TIRBI_INF)) return tirbi_canon_f64(a);
    if (a == 0.0) return -TIRBI_INF;
    bool subnormal = a < 0x1p-1022;
    return (double)(tirbi_f64_bits(subnormal ? a * 0x1p54 : a) >> 52) - (subnormal ? 1077.0 : 1023.0);
}

/* The rest of a division to the nearest quotient, of two the even one: exact. */
double tirbi_remainder_f64(double x, double y) {
    double b = tirbi_magnitude_f64(y);
    if (x != x || y != y || b == 0.0 || tirbi_magnitude_f64(x) == TIRBI_INF) return TIRBI_NAN_F64;
    bool doubles = b < 0x1p1023;
    double a = tirbi_magnitude_f64(doubles ? tirbi_fmod_f64(x, b + b) : x);
    /* a is below 2 b. Half of a tiny b is no double, twice a huge a is none. */
    bool tiny = b < 0x1p-1000;
    double twice = tiny ? a + a : a, whole = tiny ? b : 0.5 * b;
    if (twice > whole) {
        a -= b;
        twice = tiny ? a + a : a;
        if (twice >= whole) a -= b;
    }
    return tirbi_f64_from_bits(tirbi_f64_bits(a) ^ (tirbi_f64_bits(x) & 0x8000000000000000u));
}

/* Scaled by a power of two, so that the larger one is between 1 and 2. */
double tirbi_rhypot_f64(double x, double y) {
    double a = tirbi_magnitude_f64(x), b = tirbi_magnitude_f64(y);
    if (a == TIRBI_INF || b == TIRBI_INF) return 0.0;
    if (a != a || b != b) return TIRBI_NAN_F64;
    double larger = a > b ? a : b;
    if (larger == 0.0) return TIRBI_INF;
    double n = tirbi_logb_f64(larger), half = tirbi_nearest(-0.5 * n);
    a *= tirbi_power_of_two(half), b *= tirbi_power_of_two(half);
    a *= tirbi_power_of_two(-n - half), b *= tirbi_power_of_two(-n - half);
    return tirbi_scale(1.0 / __builtin_sqrt(a * a + b * b), -n);
}

/* ---- Sines of half turns ---------------------------------------------------------------------------------------- */

/* From 2^53 on numbers are even. */
double tirbi_sinpi_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    if (!(a < TIRBI_INF)) return TIRBI_NAN_F64;
    if (a < 0x1p-100) return TIRBI_PI_DD_1 * x;
    if (a >= 0x1p52) return tirbi_with_sign_f64(0.0, x);
    double whole = tirbi_floor_exact_f64(a);
    if (whole == a) return tirbi_with_sign_f64(0.0, x);
    tirbi_dd s = tirbi_sin_pi(a);
    double result = s.hi + s.lo;
    return (x < 0.0) != tirbi_is_odd(whole) ? -result : result;
}

double tirbi_cospi_f64(double x) {
    double a = tirbi_magnitude_f64(x);
    if (!(a < TIRBI_INF)) return TIRBI_NAN_F64;
    if (a >= 0x1p53) return 1.0;
    double whole = tirbi_rint_f64(a), r = tirbi_magnitude_f64(a - whole);
    if (r == 0.5) return 0.0;
    tirbi_dd s = tirbi_sin_pi(0.5 - r);
    double result = r < 0x1p-30 ? 1.0 : s.hi + s.lo;
    return tirbi_is_odd(whole) ? -result : result;
}
