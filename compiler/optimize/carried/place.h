/* Extremes, and the places where they are, in two passes. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_PLACE_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_PLACE_H

#include "compiler/loop/loop.h"

/* for k: if A[k] < best: best = A[k]; where = k becomes a fold of A, and, where that changed best, a search for the
 * first k whose A[k] it is. The loop sets variables and does nothing else. What to emit instead of it; NULL where it is
 * no such loop, or not lanes (or memory ran out). */
const tirbi_ls *tirbi_find_places(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* The same of a pair that is chosen by two conditions, as reducers of blocks do. `otherwise` does what the loop does
 * where two passes would not give the same (NaN), or where there are more iterations than `longest`. */
const tirbi_ls *tirbi_find_pairs(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *otherwise,
                                 int64_t longest);

/* A loop that compares with an element whose place it carries, for k: if A[k] < A[m]: m = k, as one that carries the
 * element too, whatever it stores elsewhere; NULL where it is none. */
const tirbi_ls *tirbi_hold_elements(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* The same where an element of memory tells the place, for k: if A[k] < A[P[0]]: P[0] = k. (carry.c) */
const tirbi_ls *tirbi_hold_by_elements(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* The statement with all such loops so; itself where there are none. */
const tirbi_ls *tirbi_hold_all_elements(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
