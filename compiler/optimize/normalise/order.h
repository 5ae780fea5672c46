/* One order of loops. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_ORDER_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_ORDER_H

#include "compiler/loop/loop.h"

/* for j: for i: C[i, j] = .. becomes for i: for j: C[i, j] = ..: loops that are all of each other's bodies, but for
 * conditions, in the order of the dimensions of a place that the innermost body stores to, where no dependence forbids
 * it; those that are in none of its subscripts come last. NULL where the loop begins no such nest, or they are in order
 * already (or memory ran out). Two loops may be a triangle, or a band. */
const tirbi_ls *tirbi_order_loops(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
