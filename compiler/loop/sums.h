/* What is known of integers by the terms that they are sums of. */
#ifndef TIRB_COMPILER_LOOP_SUMS_H
#define TIRB_COMPILER_LOOP_SUMS_H

#include "compiler/loop/exact.h"

enum { TIRBI_SUM_TERMS = 12 };

/* constant + sum of factor[i] * term[i], in whole numbers. */
typedef struct tirbi_sum {
    int64_t constant;
    uint32_t n;
    uint32_t elsewhere; /* terms, by bits, of another iteration: others than those without that */
    bool cancels;       /* some terms are not there any more, as they were 0 in all */
    const tirbi_lx *term[TIRBI_SUM_TERMS];
    int64_t factor[TIRBI_SUM_TERMS];
} tirbi_sum;

/* How an expression is taken apart. */
typedef struct tirbi_sum_rules {
    const tirbi_loop_set *apart; /* it is of another iteration of these loops; NULL: of the same one */
    bool judged;                 /* somebody has looked at whether its arithmetic is exact */
    bool wraps;                  /* where it is judged: the sum is wanted modulo 2^bits of its type alone */
    uint64_t *divisor;           /* remainders count as numerators, up to multiples of this; NULL: they do not */
} tirbi_sum_rules;

/* Adds factor * x, by the terms of x; arithmetic that is not exact is one term. False: these are too many, or too
 * large. */
bool tirbi_sum_of(tirbi_sum *sum, const tirbi_lx *x, int64_t factor);
bool tirbi_sum_by(const tirbi_sum_rules *rules, tirbi_sum *sum, const tirbi_lx *x, int64_t factor);
bool tirbi_sum_add(tirbi_sum *sum, const tirbi_sum *other, int64_t factor);
void tirbi_sum_remove(tirbi_sum *sum, uint32_t i);
/* The least number that it is by what is known of each term alone; false: nothing is known. */
bool tirbi_sum_least(const tirbi_sum *sum, int64_t *least);
/* Between which numbers it lies by what is known of each term alone; false: nothing is known. */
bool tirbi_sum_range(const tirbi_sum *sum, int64_t *lo, int64_t *hi);

/* Whether `index` is less than a dimension of the buffer, wherever the buffer is. */
bool tirbi_is_below(const tirbi_lx *index, const tirbi_lbuf *buffer, uint32_t dimension);

/* Whether a - b is the same number whatever their terms are. */
bool tirbi_constant_difference(const tirbi_lx *a, const tirbi_lx *b, int64_t *difference);
/* The same of 64 bits, modulo 2^64: for addresses, which wrap. */
bool tirbi_wrapped_difference(const tirbi_lx *a, const tirbi_lx *b, int64_t *difference);

/* A number that divides an integer whatever its variables are: 6 of `n * 4 + m * 6 * k`, 0 of 0. */
uint64_t tirbi_divisor_of(const tirbi_lx *x);

#endif
