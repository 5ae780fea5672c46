/* Which iterations of a nest an access tells apart. */
#ifndef TIRB_COMPILER_OPTIMIZE_INJECTIVE_H
#define TIRB_COMPILER_OPTIMIZE_INJECTIVE_H

#include "compiler/optimize/affine.h"

/* The loops that one index depends on, if their values never give the same index twice: one loop, or several whose
 * constant coefficients leave room for each other's extents. */
bool tirbi_index_tells(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_lx *index,
                       bool in_index[TIRBI_MAX_AFFINE]);

/* Marks the loops that some index of the place depends on. False when two iterations of theirs might mean the same
 * element, or that cannot be told. */
bool tirbi_spatial_loops(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_place *place,
                         bool spatial[TIRBI_MAX_AFFINE]);

#endif
