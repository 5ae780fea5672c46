/* Loops over tiles of which the last one is smaller. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_TILES_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_TILES_H

#include "compiler/loop/loop.h"

/* for o: for i in 0 .. min(8, n - o * 8): a, the iterations of o being n / 8, rounded up, becomes
 * for o: for i in 0 .. 8: if o * 8 + i < n: a, which is how else such loops are written. */
const tirbi_ls *tirbi_guard_tiles(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
