/* Which iterations of a nest an access tells apart. */
#ifndef TIRB_COMPILER_OPTIMIZE_FACTS_INJECTIVE_H
#define TIRB_COMPILER_OPTIMIZE_FACTS_INJECTIVE_H

#include "compiler/optimize/facts/affine.h"

/* The loops that a form depends on, if their values never give the same number twice: one loop, or several whose
 * constant coefficients leave room for each other's extents. */
bool tirbi_form_tells(const tirbi_loop_set *loops, const tirbi_affine *form, bool in_index[TIRBI_MAX_AFFINE]);

/* Marks the loops that some index of the place depends on. False when two iterations of theirs might mean the same
 * element, or that cannot be told. */
bool tirbi_spatial_loops(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_place *place,
                         bool spatial[TIRBI_MAX_AFFINE]);

/* Whether each iteration of the loops has an element of its own. */
bool tirbi_tells_all(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_place *place);

/* Whether `b` is in each iteration of a loop the element that `a` was so many iterations before, or will be. `own` has
 * the loop's variable first, and those that its body sets. */
bool tirbi_comes_behind(tirbi_lx_pool *pool, const tirbi_loop_set *own, const tirbi_place *a, const tirbi_place *b,
                        int64_t *iterations);

/* Whether strides leave no two indices the same element and none between them. */
bool tirbi_is_compact(tirbi_lx_pool *pool, const tirbi_lbuf *buffer);

/* Whether two accesses of one buffer never reach the same element, not even in different iterations of the loops: some
 * index of one is never that of the other. True only when it is proven. */
bool tirbi_never_meet(tirbi_lx_pool *pool, const tirbi_place *a, const tirbi_place *b, const tirbi_loop_set *loops);

#endif
