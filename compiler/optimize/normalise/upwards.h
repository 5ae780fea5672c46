/* Loops that count down. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_UPWARDS_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_UPWARDS_H

#include "compiler/loop/loop.h"

/* A loop whose indices go down with its variable, with last - x for its variable x: its iterations the other way round,
 * whoever may tell. NULL: they do not, or it cannot be written so. */
const tirbi_ls *tirbi_turn_around(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* for k in 0 .. n: A[n - 1 - k] = B[n - 1 - k] becomes for k in 0 .. n: A[k] = B[k]: the loop whose iterations are
 * taken in the other order, where nobody can tell and all indices go down with its variable; NULL: it is none. */
const tirbi_ls *tirbi_count_upwards(tirbi_lx_pool *pool, const tirbi_ls *loop);
/* A loop of so many iterations whose first value is one of other loops, for y in 2 * i .. 2 * i + 3, as one from 0 on;
 * NULL: it is none, it stays, or memory ran out. */
const tirbi_ls *tirbi_begin_at_zero(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
