/* Sums that are scattered, gathered. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_GATHER_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_GATHER_H

#include "compiler/loop/loop.h"

/* for y: for i < 3: O[y + i] = O[y + i] + e(y, i) becomes for r: for i < 3: if 0 <= r - i < Y:
 * O[r] = O[r] + e(r - i, i): elements that two loops number together, one of them short, are a loop, in which each of
 * them gets all of its updates in the order in which it got them; O[2 * y + i] are two phases of elements. What fills
 * the elements before that is done in the same loops. The body itself where there are no such nests; NULL when memory
 * ran out. */
const tirbi_ls *tirbi_gather_sums(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
