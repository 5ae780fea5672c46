/* Nests that read elements which a few of their iterations store to, cut at these. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_MEETINGS_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_MEETINGS_H

#include "compiler/optimize/facts/affine.h"

/* for i: for j: D[i, j] = f(D[i, j], D[i, k], D[k, j]): row k and column k are read by all rows and columns, and
 * written where i or j is k. The iterations before k, k alone and those behind k of either loop are nests of their own,
 * in which nothing is read that another of their iterations writes; of one row they keep their order. Returns what to
 * emit instead of the loop; NULL where it is no such nest, where its parts would not be lanes, and when memory ran
 * out. */
const tirbi_ls *tirbi_split_at_meetings(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
