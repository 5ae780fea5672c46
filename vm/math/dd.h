/* Unevaluated sums of two doubles, for intermediate results of more than 53 bits.
 *
 * The error of a sum or product is exact, so it does not matter how it is obtained: a product's comes from a fused
 * multiply-add where that is an instruction and from splitting the factors elsewhere (Dekker, Numerische Mathematik 18,
 * 1971), which needs factors below 2^970 and a product above 2^-960 or zero. */
#ifndef TIRB_VM_MATH_DD_H
#define TIRB_VM_MATH_DD_H

#include "vm/math/core.h"

typedef struct tirbi_dd {
    double hi, lo;
} tirbi_dd;

TIRBI_MATH tirbi_dd tirbi_dd_make(double hi, double lo) {
    tirbi_dd r = {hi, lo};
    return r;
}

/* a + b exactly. */
TIRBI_MATH tirbi_dd tirbi_two_sum(double a, double b) {
    double sum = a + b;
    double part = sum - a;
    return tirbi_dd_make(sum, (a - (sum - part)) + (b - part));
}

/* a + b exactly, where |a| >= |b| or a is 0. */
TIRBI_MATH tirbi_dd tirbi_quick_two_sum(double a, double b) {
    double sum = a + b;
    return tirbi_dd_make(sum, b - (sum - a));
}

/* a * b exactly. */
TIRBI_MATH tirbi_dd tirbi_two_product(double a, double b) {
    double product = a * b;
#if defined(TIRBI_HAVE_FMA)
    return tirbi_dd_make(product, __builtin_fma(a, b, -product));
#else
    double a_wide = 0x1.0000002p27 * a, b_wide = 0x1.0000002p27 * b;
    double a_hi = a_wide - (a_wide - a), b_hi = b_wide - (b_wide - b);
    double a_lo = a - a_hi, b_lo = b - b_hi;
    return tirbi_dd_make(product, (((a_hi * b_hi - product) + a_hi * b_lo) + a_lo * b_hi) + a_lo * b_lo);
#endif
}

/* Sum and product of sums, to about 2^-104. */
TIRBI_MATH tirbi_dd tirbi_dd_add_double(tirbi_dd a, double b) {
    tirbi_dd sum = tirbi_two_sum(a.hi, b);
    return tirbi_quick_two_sum(sum.hi, sum.lo + a.lo);
}

TIRBI_MATH tirbi_dd tirbi_dd_multiply(tirbi_dd a, tirbi_dd b) {
    tirbi_dd product = tirbi_two_product(a.hi, b.hi);
    return tirbi_quick_two_sum(product.hi, product.lo + tirbi_double_fma(a.hi, b.lo, a.lo * b.hi));
}

/* a / b by way of the inverse of b.hi; hi is the quotient of the leading parts to a unit in the last place, lo corrects
 * it. */
TIRBI_MATH tirbi_dd tirbi_dd_divide(tirbi_dd a, tirbi_dd b) {
    double inverse = 1.0 / b.hi;
    double quotient = a.hi * inverse;
    double rest = tirbi_double_fma(-quotient, b.lo, tirbi_double_fma(-quotient, b.hi, a.hi) + a.lo);
    return tirbi_dd_make(quotient, rest * inverse);
}

/* The square root of a.hi + a.lo >= 0. */
TIRBI_MATH tirbi_dd tirbi_dd_root(tirbi_dd a) {
    double root = __builtin_sqrt(a.hi);
    double rest = tirbi_double_fma(-root, root, a.hi) + a.lo;
    return tirbi_dd_make(root, rest / (root == 0.0 ? 1.0 : root + root));
}

#endif
