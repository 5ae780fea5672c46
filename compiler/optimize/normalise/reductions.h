/* One spelling of reductions: loops over what is computed outside, those over what is put together inside. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_REDUCTIONS_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_REDUCTIONS_H

#include "compiler/loop/loop.h"

/* for k, i: { if k == 0: C[i] = 0; C[i] = C[i] + A[k, i] } becomes for i: { C[i] = 0; for k: C[i] = C[i] + A[k, i] }:
 * loops that tell the one element which all of a nest's stores go to are around the others, and what is done where
 * these are at their first values (`first_of`) is done ahead of them; where stores go elsewhere as well, in a nest of
 * its own ahead of all. NULL where the loop begins no such nest, or it is one already (or memory ran out). */
const tirbi_ls *tirbi_order_reduction(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
