/* Variables that keep what the last of some iterations has set. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_LAST_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_LAST_H

#include "compiler/loop/loop.h"

/* for i: if A[i] > 0: x = B[i] becomes the greatest i of those where that holds, a fold of lanes, and x = B[i] for that
 * one. NULL where the loop does anything else, where that can fail, where it is not lanes then, and when memory ran
 * out. */
const tirbi_ls *tirbi_keep_last(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
