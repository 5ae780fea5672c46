/* Reduction of an angle to the nearest multiple of pi/2. */
#ifndef TIRB_VM_MATH_ANGLE_H
#define TIRB_VM_MATH_ANGLE_H

#include "vm/math/coefficients.h"
#include "vm/math/dd.h"
#include "vm/math/scale.h"

/* x = quadrant * pi/2 + rest; only the quadrant's low 2 bits count. */
typedef struct tirbi_angle {
    tirbi_dd rest;
    uint64_t quadrant;
} tirbi_angle;

/* Below this magnitude the multiple of pi/2 has 20 bits. */
#define TIRBI_SMALL_ANGLE 0x1p20

TIRBI_MATH tirbi_angle tirbi_reduce_small(double x) {
    tirbi_angle angle;
    double rounded = tirbi_double_fma(x, TIRBI_TWO_OVER_PI, TIRBI_ROUNDER);
    double n = rounded - TIRBI_ROUNDER;
    /* Where n is not 0 the units of x and of the leading part are 2^-53 and more, and so are those of their difference:
     * it is exact (Cody and Waite). */
    double first = tirbi_double_fma(n, -TIRBI_PI_HALF_1, x);
    tirbi_dd second = tirbi_two_product(n, TIRBI_PI_HALF_2);
    tirbi_dd rest = tirbi_two_sum(first, -second.hi);
    angle.rest = tirbi_quick_two_sum(rest.hi, tirbi_double_fma(n, -TIRBI_PI_HALF_3, rest.lo - second.lo));
    angle.quadrant = tirbi_f64_bits(rounded);
    return angle;
}

/* The high half of a 128-bit product. */
static inline uint64_t tirbi_multiply_high(uint64_t a, uint64_t b) {
    uint64_t a_lo = a & 0xFFFFFFFFu, a_hi = a >> 32, b_lo = b & 0xFFFFFFFFu, b_hi = b >> 32;
    uint64_t low = a_lo * b_lo, middle1 = a_hi * b_lo, middle2 = a_lo * b_hi;
    uint64_t carry = ((low >> 32) + (middle1 & 0xFFFFFFFFu) + (middle2 & 0xFFFFFFFFu)) >> 32;
    return a_hi * b_hi + (middle1 >> 32) + (middle2 >> 32) + carry;
}

/* 64 bits of 2/pi from the bit of weight 2^-(position + 1) on; zeros before its point. */
static inline uint64_t tirbi_two_over_pi_bits(int position) {
    if (position <= -64) return 0;
    if (position < 0) return tirbi_two_over_pi[0] >> -position;
    unsigned word = (unsigned)position / 64, shift = (unsigned)position % 64;
    uint64_t bits = tirbi_two_over_pi[word] << shift;
    return shift == 0 ? bits : bits | tirbi_two_over_pi[word + 1] >> (64 - shift);
}

/* For finite |x| >= 1 (Payne and Hanek, SIGNUM Newsletter 18, 1983): x is m * 2^e; of 2/pi only the 192 bits matter
 * that make the quadrant and the fraction after it, and their product with m modulo 2^192 is the answer. `turn` is
 * taken off, in units of 2^-62 quadrants; of a negative x it is added. */
static inline tirbi_angle tirbi_reduce_turned(double x, uint64_t turn) {
    uint64_t bits = tirbi_f64_bits(x);
    int exponent = (int)(bits >> 52 & 0x7FF) - 1075;
    uint64_t m = (bits & 0xFFFFFFFFFFFFFu) | 0x10000000000000u;
    uint64_t window[3];
    for (int i = 0; i < 3; i++) window[i] = tirbi_two_over_pi_bits(exponent - 2 + 64 * i);
    uint64_t low = m * window[2];
    uint64_t middle = m * window[1], carry = tirbi_multiply_high(m, window[2]);
    uint64_t high = m * window[0] + tirbi_multiply_high(m, window[1]);
    middle += carry;
    high += middle < carry ? 1u : 0u;
    high -= turn;

    /* The top 2 bits are the quadrant; the others are its fraction, taken as nearest to 0. */
    tirbi_angle angle;
    uint64_t quadrant = (high + 0x2000000000000000u) >> 62;
    high -= quadrant << 62;
    bool negative = high >> 63 != 0;
    if (negative) {
        high = ~high, middle = ~middle, low = ~low;
        low += 1;
        middle += low == 0 ? 1u : 0u;
        high += low == 0 && middle == 0 ? 1u : 0u;
    }
    double scale = 0x1p-126; /* of a unit of `middle`, as the leading words become (high, middle) */
    if (high == 0) {
        high = middle, middle = low, low = 0;
        scale *= 0x1p-64;
    }
    unsigned shift = high == 0 ? 0u : (unsigned)__builtin_clzll(high);
    if (shift != 0) {
        high = high << shift | middle >> (64 - shift);
        middle = middle << shift | low >> (64 - shift);
    }
    scale *= tirbi_power_of_two(-(double)shift);
    /* The top 53 bits, and the 53 after them: exact conversions. */
    tirbi_dd fraction;
    fraction.hi = (double)(high >> 11) * 0x1p75 * scale;
    fraction.lo = (double)((high << 42 | middle >> 22) & 0x1FFFFFFFFFFFFFu) * 0x1p22 * scale;
    tirbi_dd half_pi = {TIRBI_PI_HALF_DD_1, TIRBI_PI_HALF_DD_2};
    angle.rest = tirbi_dd_multiply(fraction, half_pi);
    if (negative != (x < 0.0)) angle.rest.hi = -angle.rest.hi, angle.rest.lo = -angle.rest.lo;
    angle.quadrant = x < 0.0 ? (uint64_t)0 - quadrant : quadrant;
    return angle;
}

/* For finite |x| >= 2^20. */
static inline tirbi_angle tirbi_reduce_large(double x) { return tirbi_reduce_turned(x, 0); }

#endif
