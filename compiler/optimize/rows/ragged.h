/* Loops over ranges that follow each other: rows of a sparse matrix, segments, lists of lists. */
#ifndef TIRB_COMPILER_OPTIMIZE_ROWS_RAGGED_H
#define TIRB_COMPILER_OPTIMIZE_ROWS_RAGGED_H

#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/statements.h"

/* for i: a; for k in range(P[i], P[i + 1]): b; c, as three loops: a for some rows, b for all places of their ranges, c
 * for the rows. It holds where the ranges follow each other, which `check` finds out. False where the loop is none of
 * that kind, or its places cannot be lanes (or memory ran out). */
bool tirbi_flatten_ranges(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

#endif
