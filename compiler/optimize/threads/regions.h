/* Regions: loops whose iterations may run at the same time, because what they write are parts that lie apart.
 *
 * A region runs a nest for a part of the values of one of its loops, so every location receives its updates in program
 * order (rule R1) whoever runs which part. */
#ifndef TIRB_COMPILER_OPTIMIZE_THREADS_REGIONS_H
#define TIRB_COMPILER_OPTIMIZE_THREADS_REGIONS_H

#include "compiler/optimize/schedule/leaf.h"

/* Plans the nest that starts at `loop` as a region. NULL where its iterations are not proven apart, or are never worth
 * it (or memory ran out); *why then says so in words, of the outermost loop that the program calls parallel, or else of
 * the outermost one. `disabled` is a set of TIRB_PASS_*. */
const tirbi_region_plan *tirbi_plan_region(tirbi_lx_pool *pool, const tirbi_lmodule *module, const tirbi_ls *loop,
                                           uint32_t disabled, const char **why);

/* Roughly how long a statement takes, in picoseconds: an int64 expression over variables that the region's loops do not
 * change; NULL when memory ran out. (cost.c) */
const tirbi_lx *tirbi_statement_cost(tirbi_lx_pool *pool, const tirbi_ls *stmt, uint32_t disabled);

#endif
