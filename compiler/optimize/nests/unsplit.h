/* Loops that a schedule cut, put together again where a condition says that the parts go too far: for io, ii, if
 * io * 32 + ii < 100, becomes one loop of 100 iterations, where one loop is all of the other's body. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_UNSPLIT_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_UNSPLIT_H

#include "compiler/loop/loop.h"

const tirbi_ls *tirbi_join_splits(tirbi_lx_pool *pool, const tirbi_ls *stmt);

/* Those of them that no condition limits, ahead of what gives memory dimensions, which would be those of the parts: the
 * parts are asked for by what has the whole counter in it. `disabled` is a set of TIRB_PASS_*. */
const tirbi_ls *tirbi_join_whole_splits(tirbi_lx_pool *pool, const tirbi_ls *stmt, uint32_t disabled);

#endif
