/* Quotients and remainders of integer sums by constants, without dividing where the summands tell them apart. */
#ifndef TIRB_COMPILER_OPTIMIZE_FACTS_QUOTIENT_H
#define TIRB_COMPILER_OPTIMIZE_FACTS_QUOTIENT_H

#include "compiler/loop/loop.h"

/* x / divisor or x % divisor for a positive constant divisor, rounded down; also a shift to the right or a mask of low
 * bits, which are the same. */
typedef struct tirbi_division {
    const tirbi_lx *numerator;
    int64_t divisor;
    bool remainder;
} tirbi_division;

/* Whether x is a division; truncated ones count where nothing is negative. */
bool tirbi_is_division(const tirbi_lx *x, tirbi_division *out);
/* The quotient of x and a power of two, or the remainder, where it is rounded down: its bits shifted, or masked. */
const tirbi_lx *tirbi_floor_by_bits(tirbi_lx_pool *pool, const tirbi_lx *x, int64_t power, bool remainder);
/* What does so for an expression that is such a division; NULL for others. */
const tirbi_lx *tirbi_division_by_bits(tirbi_lx_pool *pool, const tirbi_lx *x);
/* `result`, if all in x that may trap is a part of it, so that it may stand in x's place; else NULL. */
const tirbi_lx *tirbi_with_traps_of(const tirbi_lx *result, const tirbi_lx *x);
/* The division of another numerator of the same type, in simpler terms; NULL where there are none (or memory ran
 * out). */
const tirbi_lx *tirbi_simplify_division(tirbi_lx_pool *pool, const tirbi_division *d);
/* A sum in which a number's quotient and remainder are put together again, e / c * (c * f) + e % c * f, with e * f in
 * place of them; NULL where there is none (or memory ran out). So the elements of a buffer of another shape are
 * numbered. */
const tirbi_lx *tirbi_join_quotients(tirbi_lx_pool *pool, const tirbi_lx *x);
/* The division without the terms that the divisor divides; NULL where there are none. It is simpler for one loop, but
 * indices that had terms in common may have none then. */
const tirbi_lx *tirbi_drop_multiples(tirbi_lx_pool *pool, const tirbi_division *d);
/* The part of a loop's counter that a division needs to know apart: the f for which counter = f * a + b makes it a sum
 * of terms in a and b. 0 where there is none. */
int64_t tirbi_division_digit(const tirbi_division *d, const tirbi_lvar *counter);

/* A comparison of sums without what decides nothing: 4 * a + 2 * b + c < 2 * n as 2 * a + b < n, where c is 0 or 1;
 * NULL: there is nothing such in it. */
const tirbi_lx *tirbi_simplify_below(tirbi_lx_pool *pool, const tirbi_lx *x);

#endif
