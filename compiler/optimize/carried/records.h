/* Rows of memory that an iteration has for itself, as small arrays. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_RECORDS_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_RECORDS_H

#include "compiler/loop/loop.h"

/* for i: for k in range(3): A[i, k + 1] = A[i, k] + A[i, k + 1] goes in an order through elements that no other
 * iteration comes to. It is for i: { t = A[i, ..]; for k in range(3): t[k + 1] = t[k] + t[k + 1]; A[i, ..] = t }, of
 * whose array elements can be variables (`carried/elements`). NULL where a loop has no such rows, or memory ran out. */
const tirbi_ls *tirbi_records_as_arrays(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* A loop with variables in their place, without the stores that give elements back as they were loaded. */
const tirbi_ls *tirbi_without_same_stores(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
