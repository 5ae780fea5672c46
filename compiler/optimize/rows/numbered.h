/* Rows that several numbers choose, or one that is computed, as rows that one number in memory chooses. */
#ifndef TIRB_COMPILER_OPTIMIZE_ROWS_NUMBERED_H
#define TIRB_COMPILER_OPTIMIZE_ROWS_NUMBERED_H

#include "compiler/optimize/rewriting/statements.h"

/* for i, j: B[i, j] = A[I[i], J[i], j] with A as a buffer of one dimension less, whose rows I[i] * w + J[i] were
 * computed before; A[I[i, k] * w + j] with A as rows that begin at each of its elements, in loops over i and k. First
 * values of sums in the nest, `B[i, j] = 0` ahead of a loop over k, get one of their own, also for rows that one number
 * in memory chooses as it is. `check` looks for numbers that are outside of their dimensions, `loop` is the nest behind
 * what computes them. False where a nest has no such rows (or memory ran out). */
bool tirbi_number_rows(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

#endif
