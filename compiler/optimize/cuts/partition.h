/* Loops cut where conditions on their variables change. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_PARTITION_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_PARTITION_H

#include "compiler/loop/loop.h"
#include "compiler/optimize/notes.h"

/* for i, j: O[i, j] = A[i - 1, j] if i > 0 else 0 becomes a nest for i = 0 and one for the other i, in both of which
 * nothing is asked. Conditions, least and greatest values, magnitudes, quotients and remainders of sums of loop
 * variables count; what an inner loop of few iterations adds to such a sum leaves an edge of so many iterations of the
 * outer one, in which it is asked again. Returns the statement with such nests in place of those that it could cut;
 * `disabled` is a set of TIRB_PASS_*. */
const tirbi_ls *tirbi_partition_loops(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled, tirbi_notes *notes);

#endif
