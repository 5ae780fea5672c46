/* Expansion of arrays: what every iteration of a loop fills for itself gets a row for each of them, and each statement
 * of the loop is done for a block of rows. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_EXPAND_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_EXPAND_H

#include "compiler/loop/loop.h"

/* for i: { for j, k: t[j] += A[i, k] * B[j, k]; for l, j: C[i, l] += t[j] * D[j, l] } becomes rows:
 * for i, j, k: u[i, j] += ..; for i, l, j: C[i, l] += u[i, j] * ..: contractions of matrices where there were some of a
 * matrix and a vector, or many small ones. So does for i: { s = 0; for j: s = s + A[i, j]; .. }: for i: s[i] = 0;
 * for i, j: s[i] = s[i] + A[i, j], as lanes over i, each of which receives its terms in order. The statement with such
 * loops; itself where there are none (or memory ran out). `disabled` is a set of TIRB_PASS_*. */
const tirbi_ls *tirbi_expand_arrays(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled);

#endif
