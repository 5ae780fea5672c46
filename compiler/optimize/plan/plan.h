/* Planning: which transformations a function's loops go through, and which instructions what is left of them becomes.
 * The first form that fits is taken, in a fixed order; nothing of the loop IR changes for good. */
#ifndef TIRB_COMPILER_OPTIMIZE_PLAN_PLAN_H
#define TIRB_COMPILER_OPTIMIZE_PLAN_PLAN_H

#include "compiler/optimize/notes.h"
#include "compiler/optimize/schedule/schedule.h"

/* The schedule of a function with `body` for its body, in the memory of its pool; NULL when that ran out. `disabled` is
 * a set of TIRB_PASS_*. The module has so many regions already, and may have as many functions as 16 bits number. */
const tirbi_sched *tirbi_plan_function(const tirbi_lmodule *module, tirbi_lfunc *function, const tirbi_ls *body,
                                       uint32_t disabled, tirbi_notes *notes, uint32_t n_regions);

#endif
