/* Sums over dilated data, as transposed convolutions are. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_PHASES_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_PHASES_H

#include "compiler/loop/loop.h"

/* C[h] += P[h + k] * W[k], where P is zero but at every s-th element, becomes s sums, one for each phase of h, over
 * every s-th k: the others would add zeros. Returns the statement with such sums in place of those that are none (or
 * memory ran out). */
const tirbi_ls *tirbi_sum_in_phases(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
