/* Affine forms of int64 expressions over loop counters. */
#ifndef TIRB_COMPILER_OPTIMIZE_FACTS_AFFINE_H
#define TIRB_COMPILER_OPTIMIZE_FACTS_AFFINE_H

#include "compiler/loop/exact.h"

/* start + sum of coefficient[i] * k_i, where k_i = 0, 1, .. counts the iterations of loop i. The coefficients and the
 * start are invariant and pure; a NULL coefficient is 0. */
typedef struct tirbi_affine {
    const tirbi_lx *coefficient[TIRBI_MAX_AFFINE];
    const tirbi_lx *start;
} tirbi_affine;

/* The variable of a row's number, where x is one, widened perhaps; else NULL. */
const tirbi_lvar *tirbi_row_number(const tirbi_lx *x);
/* Whether a buffer begins at another element of its memory, or has other strides, from one iteration to the next: then
 * its indices alone do not tell which elements are the same. */
bool tirbi_buffer_moves(const tirbi_lbuf *buffer, const tirbi_loop_set *loops);
/* Whether two expressions of one statement have the same value. Those that load are not interned. (sequences.c) */
bool tirbi_same_value(const tirbi_lx *a, const tirbi_lx *b);
/* The affine form of an integer that is exact: a bound, an operand of a comparison. */
bool tirbi_affine_of(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_loop_set *loops, tirbi_affine *out);
/* The same of any integer, modulo 2^w for a type of w bits: for who computes it in another way in the same type. */
bool tirbi_affine_modulo(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_loop_set *loops, tirbi_affine *out);
/* The affine form of a subscript. Where that is not the subscript's value the call traps, in this iteration or in an
 * earlier one: a subscript that is not known to be exact is read only where every iteration comes to the access, or to
 * its check, as the place's guard and the loops' `checked` say. */
bool tirbi_affine_index(tirbi_lx_pool *pool, const tirbi_place *place, uint32_t d, const tirbi_loop_set *loops,
                        tirbi_affine *out);
/* That of the element's number, in the same sense. */
bool tirbi_affine_number(tirbi_lx_pool *pool, const tirbi_place *place, const tirbi_loop_set *loops,
                         tirbi_affine *out);
/* The constant coefficient of loop i; false when it is not a constant. */
bool tirbi_affine_constant(const tirbi_affine *form, uint32_t i, int64_t *out);
/* Which way it goes in loop i, by steps that 32 bits hold: up (1), down (-1), not at all, or what is known only when
 * the program runs; false when the steps may be longer. */
enum { TIRBI_EITHER_WAY = 2 };
bool tirbi_affine_direction(const tirbi_affine *form, uint32_t i, int *out);
bool tirbi_affine_equal(const tirbi_affine *a, const tirbi_affine *b, uint32_t n);

#endif
