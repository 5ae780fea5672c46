/* Which iterations of a nest an access tells apart. */
#ifndef TIRB_COMPILER_OPTIMIZE_INJECTIVE_H
#define TIRB_COMPILER_OPTIMIZE_INJECTIVE_H

#include "compiler/optimize/affine.h"

/* Marks the loops that some index of the place depends on. False when two iterations of theirs might mean the same
 * element, or that cannot be told. */
bool tirbi_spatial_loops(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_place *place,
                         bool spatial[TIRBI_MAX_AFFINE]);

#endif
