/* Variables that loops count, as sums of the loops' own variables. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_INDUCTION_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_INDUCTION_H

#include "compiler/loop/loop.h"

/* k = 0; for i: for j: A[k] = B[i, j]; k = k + 1 becomes for i: for j: A[i * n + j] = B[i, j], and k = m * n behind it:
 * each variable to which each iteration of a loop adds the same. What it begins with is known, or has a name. */
const tirbi_ls *tirbi_know_counters(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
