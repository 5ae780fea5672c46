/* Loops that read a variable which only some of their iterations set. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_SAMPLED_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_SAMPLED_H

#include "compiler/optimize/rewriting/statements.h"

/* for i: if c: s = A[i]; B[i] = s carries the number of the last iteration that has set it: last = max(last, i if c
 * else -1); B[i] = A[last] if last >= 0 else s. What it is set to can be computed later as well. `loop` is the new
 * one, `stmt` all of it. False where the loop is none of that kind (or memory ran out). */
bool tirbi_carry_last(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

#endif
