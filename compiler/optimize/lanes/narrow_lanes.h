/* Lane arithmetic of 32-bit integers whose values fit in 16 bits. */
#ifndef TIRB_COMPILER_OPTIMIZE_LANES_NARROW_LANES_H
#define TIRB_COMPILER_OPTIMIZE_LANES_NARROW_LANES_H

#include "compiler/optimize/lanes/lanes.h"

/* Makes magnitudes one operation, and computes with integers of 16 bits where the plan does all its arithmetic with
 * values that fit in them: twice as many lanes at once. The plan's values are not lane registers yet. False when memory
 * ran out. */
bool tirbi_narrow_lanes(tirbi_lane_plan *plan, uint32_t n_values, tirbi_arena *arena);

#endif
