/* Conditions on a loop's variable under which all of its body stands are its bounds: for p in range(n): if p <= i
 * becomes a loop of i + 1 iterations at most.
 *
 * Lanes want loops inside of them that run alike in all of them: so some loop that the condition does not name has to
 * be left, whose iterations may be lanes. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_BOUNDS_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_BOUNDS_H

#include "compiler/loop/loop.h"

/* The body with such loops; itself where there are none (or memory ran out). */
const tirbi_ls *tirbi_bound_loops(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
