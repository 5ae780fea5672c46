/* Where integer arithmetic gives whole numbers.
 *
 * Sums, differences and products in w bits are right modulo 2^w whatever their parts do. So arithmetic is judged as a
 * whole, at its borders only: where it is widened, is a subscript, or is an operand of a division, a comparison, a
 * minimum or a maximum, or a bound of a loop. There it is exact if its least and its greatest whole number lie in its
 * type. Whoever takes an expression apart into terms asks here first. */
#ifndef TIRB_COMPILER_LOOP_EXACT_H
#define TIRB_COMPILER_LOOP_EXACT_H

#include "compiler/loop/loop.h"

/* The loops that an analysis looks at; everything else is invariant. */
enum { TIRBI_MAX_AFFINE = 16 };
typedef struct tirbi_loop_set {
    tirbi_lvar *var[TIRBI_MAX_AFFINE];
    uint32_t n;
    bool checked; /* an access that is not proven to be inside is checked for all iterations before the first one */
} tirbi_loop_set;

/* Whether x mentions the variable of a loop of the set. */
bool tirbi_mentions_loops(const tirbi_lx *x, const tirbi_loop_set *loops);
/* Whether it does, or a subscript of what it loads. */
bool tirbi_depends_on_loops(const tirbi_lx *x, const tirbi_loop_set *loops);
/* Whether nothing is known of an integer's value but its type. */
bool tirbi_full_range(const tirbi_lx *x);
/* Whether x is a sum, a difference or a product of integers: what is judged together with its operands. */
bool tirbi_is_arithmetic(const tirbi_lx *x);
/* Whether x compares two values. */
static inline bool tirbi_is_comparison(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && x->op >= TIRB_OP_EQ && x->op <= TIRB_OP_GE;
}
/* Whether x is a conjunction, or a disjunction, of two conditions, both of which may be looked at always. */
static inline bool tirbi_is_conjunction(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_AND || (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_AND && x->type == TIRB_BOOL);
}
static inline bool tirbi_is_disjunction(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OR || (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_OR && x->type == TIRB_BOOL);
}
/* Whether x is one of two values, by a condition. */
static inline bool tirbi_is_choice(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_COND || (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_SELECT);
}
/* Whether a cast of integers gives the value that it is given. */
bool tirbi_keeps_value(const tirbi_lx *x);
/* Whether the arithmetic at x has the value that whole numbers give. With `loops`, what none of them changes is one
 * term, computed as it stands. Anything else than arithmetic is exact. */
bool tirbi_is_exact(const tirbi_lx *x, const tirbi_loop_set *loops);
/* Whether the arithmetic at x, of signed integers, has that value or, where it has not, neither the one nor the other
 * is a number from 0 to the greatest of the type. */
bool tirbi_is_exact_or_outside(const tirbi_lx *x, const tirbi_loop_set *loops);

#endif
