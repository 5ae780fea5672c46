/* Comparisons before assignments, as least and greatest values. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_EXTREMES_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_EXTREMES_H

#include "compiler/loop/loop.h"

/* if v > x: x = v, of integers, becomes x = max(v, x): lanes fold that, and what only some of them would store is
 * stored by all. A function's body with such statements; itself where there are none. */
const tirbi_ls *tirbi_find_all_extremes(tirbi_lx_pool *pool, const tirbi_ls *body);
/* A loop with the same in its body, with floats in variables, where these are no NaN ahead of the loop, which the
 * condition asks: if v > x: x = v leaves a NaN as it is, whatever its bits are. NULL where there are none. */
const tirbi_ls *tirbi_find_float_extremes(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_lx **condition);

#endif
