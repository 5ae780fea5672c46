/* Clamps that a condition makes needless. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITING_CLAMPS_H
#define TIRB_COMPILER_OPTIMIZE_REWRITING_CLAMPS_H

#include "compiler/loop/loop.h"

/* j >= 0 and a[max(j, 0)] > x, where the second is asked only if the first holds, is j >= 0 and a[j] > x: the element
 * is that of a[j] elsewhere then. For scalar code that is about to be made: lanes need what does not fail anywhere. The
 * condition itself where nothing changes; NULL when memory ran out. */
const tirbi_lx *tirbi_without_clamps(tirbi_lx_pool *pool, const tirbi_lx *condition);

#endif
