/* Loops of a few iterations, joined with the loop around them. */
#ifndef TIRB_COMPILER_OPTIMIZE_ROWS_JOINED_H
#define TIRB_COMPILER_OPTIMIZE_ROWS_JOINED_H

#include "compiler/loop/loop.h"

/* for i: for k in range(4): B[i, I[i, k]] = V[i, k] with one loop for the two innermost, whose number has i and k as
 * its digits: the same iterations in the same order, enough of them to be lanes. Elements that follow each other
 * through rows of a buffer do so in the joined loop. NULL where the nest is no such, or its innermost loop has more
 * iterations than `longest` (or memory ran out). */
const tirbi_ls *tirbi_join_short_loops(tirbi_lx_pool *pool, const tirbi_ls *loop, int64_t longest);

/* A loop and the one that is all of its body, around others, as one loop of the columns of both; the inner one has at
 * most `longest`. NULL where that cannot be (or memory ran out). */
const tirbi_ls *tirbi_join_columns(tirbi_lx_pool *pool, const tirbi_ls *loop, int64_t longest);

#endif
