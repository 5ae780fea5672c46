/* Powers of two and exponents of doubles, without branches. */
#ifndef TIRB_VM_MATH_SCALE_H
#define TIRB_VM_MATH_SCALE_H

#include "vm/math/core.h"

/* Adding this to |v| < 2^51 rounds v to an integer, half to even, and leaves that integer in the low bits of the
 * sum. */
#define TIRBI_ROUNDER 0x1.8p52

/* The nearest integer to |v| < 2^51. */
TIRBI_MATH double tirbi_nearest(double v) { return (v + TIRBI_ROUNDER) - TIRBI_ROUNDER; }

/* 2^n for an integral n in -1022 .. 1023. */
TIRBI_MATH double tirbi_power_of_two(double n) {
    return tirbi_f64_from_bits((tirbi_f64_bits(n + TIRBI_ROUNDER) + 1023u) << 52);
}

/* v * 2^n with one rounding, for v about 1 and an integral n in -2000 .. 2000. */
TIRBI_MATH double tirbi_scale(double v, double n) {
    double half = tirbi_nearest(n * 0.5);
    return v * tirbi_power_of_two(half) * tirbi_power_of_two(n - half);
}

/* x = fraction * 2^exponent with a fraction between sqrt(1/2) and sqrt(2), for x > 0, normal and finite. */
typedef struct tirbi_split {
    double fraction, exponent;
} tirbi_split;

TIRBI_MATH tirbi_split tirbi_split_normal(double x) {
    const uint64_t root_half = 0x3FE6A09E667F3BCDu;
    uint64_t bits = tirbi_f64_bits(x);
    uint64_t offset = bits - root_half + ((uint64_t)1023 << 52);
    uint64_t exponent = offset >> 52; /* biased by 1023 */
    tirbi_split split;
    split.fraction = tirbi_f64_from_bits(bits - (exponent << 52) + ((uint64_t)1023 << 52));
    split.exponent = tirbi_f64_from_bits(exponent | 0x4330000000000000u) - (0x1p52 + 1023.0);
    return split;
}

/* The same for every finite x > 0. */
TIRBI_MATH tirbi_split tirbi_split_f64(double x) {
    bool subnormal = x < 0x1p-1022;
    tirbi_split split = tirbi_split_normal(subnormal ? x * 0x1p54 : x);
    split.exponent = split.exponent - (subnormal ? 54.0 : 0.0);
    return split;
}

#endif
