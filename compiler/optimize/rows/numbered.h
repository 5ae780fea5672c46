/* Rows that several numbers choose, or one that is computed, as rows that one number in memory chooses. */
#ifndef TIRB_COMPILER_OPTIMIZE_ROWS_NUMBERED_H
#define TIRB_COMPILER_OPTIMIZE_ROWS_NUMBERED_H

#include "compiler/loop/loop.h"

/* for i, j: B[i, j] = A[I[i], J[i], j] with A as a buffer of one dimension less, whose rows I[i] * w + J[i] were
 * computed before; A[I[i] * w + j] with A as rows that begin at each of its elements. */
typedef struct tirbi_numbered {
    const tirbi_ls *check;     /* looks for numbers that are outside of their dimensions */
    const tirbi_lx *condition; /* whether there are none, and some rows */
    const tirbi_ls *nest;      /* does then what the nest does */
    const tirbi_ls *stmt;      /* the numbers, and that nest */
} tirbi_numbered;

/* False where a nest has no such rows (or memory ran out). */
bool tirbi_number_rows(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_numbered *out);

#endif
