/* Affine forms of int64 expressions over loop counters. */
#ifndef TIRB_COMPILER_OPTIMIZE_FACTS_AFFINE_H
#define TIRB_COMPILER_OPTIMIZE_FACTS_AFFINE_H

#include "compiler/lower/loop.h"

enum { TIRBI_MAX_AFFINE = 16 };

/* The loops that an analysis looks at; everything else is invariant. */
typedef struct tirbi_loop_set {
    tirbi_lvar *var[TIRBI_MAX_AFFINE];
    uint32_t n;
} tirbi_loop_set;

/* start + sum of coefficient[i] * k_i, where k_i = 0, 1, .. counts the iterations of loop i. The coefficients and the
 * start are invariant and pure; a NULL coefficient is 0. */
typedef struct tirbi_affine {
    const tirbi_lx *coefficient[TIRBI_MAX_AFFINE];
    const tirbi_lx *start;
} tirbi_affine;

/* The variable of a row's number, where x is one, widened perhaps; else NULL. */
const tirbi_lvar *tirbi_row_number(const tirbi_lx *x);
/* Whether x mentions the variable of a loop of the set. */
bool tirbi_mentions_loops(const tirbi_lx *x, const tirbi_loop_set *loops);
/* Whether a buffer begins at another element of its memory, or has other strides, from one iteration to the next: then
 * its indices alone do not tell which elements are the same. */
bool tirbi_buffer_moves(const tirbi_lbuf *buffer, const tirbi_loop_set *loops);
/* Whether two expressions of one statement have the same value. Those that load are not interned. (sequences.c) */
bool tirbi_same_value(const tirbi_lx *a, const tirbi_lx *b);
/* Whether nothing is known of an integer's value but its type. */
bool tirbi_full_range(const tirbi_lx *x);
/* Arithmetic whose result is known to fit its type, or that only an extent near 2^31 could make wrap: an element of
 * such an extent lies outside of every buffer that the arithmetic could mean to index. Narrow types wrap within
 * reach. */
bool tirbi_affine_exact(const tirbi_lx *x);
/* Whether integer arithmetic is known not to wrap, so that it may be done in int64 instead, as affine forms do. What
 * none of the loops changes is computed as it stands. */
bool tirbi_never_wraps(const tirbi_lx *x, const tirbi_loop_set *loops);
/* The affine form of an integer expression used as an index. */
bool tirbi_affine_of(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_loop_set *loops, tirbi_affine *out);
/* The constant coefficient of loop i; false when it is not a constant. */
bool tirbi_affine_constant(const tirbi_affine *form, uint32_t i, int64_t *out);
/* Which way it goes in loop i, by steps that 32 bits hold: up (1), down (-1), not at all, or what is known only when
 * the program runs; false when the steps may be longer. */
enum { TIRBI_EITHER_WAY = 2 };
bool tirbi_affine_direction(const tirbi_affine *form, uint32_t i, int *out);
bool tirbi_affine_equal(const tirbi_affine *a, const tirbi_affine *b, uint32_t n);

#endif
