/* Loops that were unrolled by hand, rolled up again: for i: A[4 * i] = f(B[4 * i]); .. A[4 * i + 3] = f(B[4 * i + 3])
 * is for k: A[k] = f(B[k]), in the same order. So is s = s + A[2 * i] + A[2 * i + 1]. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_REROLL_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_REROLL_H

#include "compiler/loop/loop.h"

/* The statement with such loops in it rolled up. */
const tirbi_ls *tirbi_reroll(tirbi_lx_pool *pool, const tirbi_ls *stmt);

#endif
