/* Variables and elements that keep what the last of some iterations has set. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_LAST_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_LAST_H

#include "compiler/optimize/rewriting/statements.h"

/* for i: if A[i] > 0: x = B[i]; C[0] = i becomes a search for the last i of those where that holds, from the end on,
 * and x = B[i]; C[0] = i for that one. NULL where the loop does anything else, where that can fail, where lanes cannot
 * search for it, and when memory ran out. */
const tirbi_ls *tirbi_keep_last(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* for i: if c: s = A[i]; B[i] = s carries the number of the last iteration that has set it: last = max(last, i if c
 * else -1); B[i] = A[last] if last >= 0 else s. What it is set to can be computed later as well. `loop` is the new
 * one, `stmt` all of it. False where the loop is none of that kind (or memory ran out). */
bool tirbi_carry_last(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

#endif
