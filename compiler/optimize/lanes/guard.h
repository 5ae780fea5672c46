/* Values that only some lanes ask for, so that all may compute them. */
#ifndef TIRB_COMPILER_OPTIMIZE_LANES_GUARD_H
#define TIRB_COMPILER_OPTIMIZE_LANES_GUARD_H

#include "compiler/optimize/facts/affine.h"

/* An expression that is x where the condition holds, and traps there as x does; elsewhere it is anything and does not
 * trap. The condition is evaluated often: it should be a variable. It is evaluated in these loops, so that none of them
 * is empty. What `checked` finds the same place of has been checked for all lanes before, and is loaded from there.
 * NULL where there is none, as for a call. */
const tirbi_lx *tirbi_guard(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_lx *condition,
                            const tirbi_lx *x, const tirbi_place *(*checked)(const void *, const tirbi_place *),
                            const void *context);

/* The extents that have to be 1 at least for what a loop loads under conditions to be guarded so. False where there are
 * none, or too many. */
bool tirbi_find_guarded_extents(const tirbi_ls *loop, tirbi_extents *out);

#endif
