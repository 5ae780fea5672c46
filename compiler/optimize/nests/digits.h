/* Loops counted in digits: where indices take a loop's counter apart by division and remainder, as loops that were
 * fused by hand or by a schedule do, a nest with a loop for each part has affine indices instead. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_DIGITS_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_DIGITS_H

#include "compiler/loop/loop.h"

/* The statement with such loops made nests, which run the same iterations in the same order; itself where there are
 * none (or memory ran out). */
const tirbi_ls *tirbi_split_digits(tirbi_lx_pool *pool, const tirbi_ls *body);
/* The same of loops of constant extents alone, into parts that leave nothing over: (8 * y + z) // 2 with z < 8 is a sum
 * of loops' variables then. */
const tirbi_ls *tirbi_split_tiles(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
