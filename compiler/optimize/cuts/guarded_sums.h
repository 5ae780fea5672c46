/* Sums that conditions decide of, in nests that do more. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_GUARDED_SUMS_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_GUARDED_SUMS_H

#include "compiler/loop/loop.h"

/* for i, j: { C[i, j] = 0; if j <= i: for k: C[i, j] += .. } is distributed into nests, where the conditions of one can
 * become bounds and what is left of that is a contraction; so is one whose conditions stand inside of the loop over k,
 * which they do not name, or decide of what is added to an integer or to what begins as +0: C[i, j] += j <= i ? .. : 0.
 * Returns the statement with such nests; itself where there are none (or memory ran out). `disabled` is a set of
 * TIRB_PASS_*. */
const tirbi_ls *tirbi_distribute_guarded_sums(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled);

#endif
