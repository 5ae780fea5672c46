/* What is known of integers by the terms that they are sums of. */
#ifndef TIRB_COMPILER_LOOP_SUMS_H
#define TIRB_COMPILER_LOOP_SUMS_H

#include "compiler/loop/loop.h"

enum { TIRBI_SUM_TERMS = 8 };

/* constant + sum of factor[i] * term[i], in whole numbers. */
typedef struct tirbi_sum {
    int64_t constant;
    uint32_t n;
    const tirbi_lx *term[TIRBI_SUM_TERMS];
    int64_t factor[TIRBI_SUM_TERMS];
} tirbi_sum;

/* Adds factor * x, by the terms of x; arithmetic that is not exact is one term. False: these are too many, or too
 * large. */
bool tirbi_sum_of(tirbi_sum *sum, const tirbi_lx *x, int64_t factor);
bool tirbi_sum_add(tirbi_sum *sum, const tirbi_sum *other, int64_t factor);
/* Between which numbers it lies by what is known of each term alone; false: nothing is known. */
bool tirbi_sum_range(const tirbi_sum *sum, int64_t *lo, int64_t *hi);

/* Whether `index` is less than a dimension of the buffer, wherever the buffer is. */
bool tirbi_is_below(const tirbi_lx *index, const tirbi_lbuf *buffer, uint32_t dimension);

/* Whether a - b is the same number whatever their terms are. */
bool tirbi_constant_difference(const tirbi_lx *a, const tirbi_lx *b, int64_t *difference);

#endif
