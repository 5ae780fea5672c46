/* Integer expressions as polynomials, and under which conditions they are these.
 *
 * Sums, differences and products in w bits are right modulo 2^w whatever their parts do. So an expression is judged at
 * its borders only: where it is cast, and where it ends. There its least and greatest whole number have to lie in its
 * type: known by facts, or a condition on what stays the same wherever the function is. */
#ifndef TIRB_COMPILER_LOOP_LINEAR_H
#define TIRB_COMPILER_LOOP_LINEAR_H

#include "compiler/loop/facts.h"

enum { TIRBI_MAX_ASSUMED = 16 };

/* Polynomials of steady symbols; none of them may be negative. */
typedef struct tirbi_conditions {
    tirbi_poly item[TIRBI_MAX_ASSUMED];
    uint32_t n;
} tirbi_conditions;

typedef struct tirbi_linear_reader {
    tirbi_facts *facts;
    /* The value of a variable that is set once; NULL: it is a symbol. The function may be NULL as well. */
    const tirbi_lx *(*value_of)(void *context, const tirbi_lvar *var);
    void *context;
    bool ends; /* what is clamped, or a remainder, lies between its ends, if these are in order: that is a condition */
    bool modulo; /* casts need not keep values: what is read is right modulo 2^w for the narrowest type on the way */
    bool loose; /* casts are taken to keep values, whether these fit or not: to see what there is */
} tirbi_linear_reader;

/* What an integer expression is modulo 2^w, w being the bits of its type. Whatever is cast in it is exact under
 * `conditions`, to which is added. False: it is no such polynomial. */
bool tirbi_read_linear(const tirbi_linear_reader *reader, const tirbi_lx *x, tirbi_poly *out,
                       tirbi_conditions *conditions);
/* Puts the ends of what is no size in its place, so that the polynomial is the least that it may be for given sizes;
 * false: these ends are not known. */
bool tirbi_least_of_rest(const tirbi_facts *facts, tirbi_poly *p);
/* Adds under which conditions a polynomial lies in a type wherever the loops around run; false: there are none, or none
 * that hold for sane sizes. */
bool tirbi_exact_if(const tirbi_facts *facts, const tirbi_poly *p, tirbi_dtype type, tirbi_conditions *conditions);
/* The same for a polynomial that shall not be negative. */
bool tirbi_not_negative_if(const tirbi_facts *facts, const tirbi_poly *p, tirbi_conditions *conditions);
/* Whether it is a quotient of what varies by a size. */
bool tirbi_is_quotient_by_size(const tirbi_lx *x);
/* The greatest quotient, rounded down, of a sum that is not negative by a symbol that is 1 at least: of i * w by n,
 * where i < n, that is w - 1. False: it is not known. */
bool tirbi_greatest_quotient(const tirbi_facts *facts, const tirbi_poly *all, uint32_t by, tirbi_poly *last,
                             tirbi_conditions *conditions);
/* A polynomial as an expression of a type, each symbol of which is what `value` says of it; NULL when memory ran out.
 */
const tirbi_lx *tirbi_linear_value(tirbi_lx_pool *pool, tirbi_dtype type, const tirbi_facts *facts, const tirbi_poly *p,
                                   const tirbi_lx *(*value)(void *context, const tirbi_lx *symbol), void *context);

/* A polynomial as an expression of int64 that cannot fail, of symbols as they are; NULL where it may be farther from 0
 * than that, or wrap. */
const tirbi_lx *tirbi_steady_value(tirbi_lx_pool *pool, const tirbi_facts *facts, const tirbi_poly *p,
                                   int64_t farthest);

#endif
