/* Loops that meet themselves on a diagonal. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_DIAGONAL_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_DIAGONAL_H

#include "compiler/loop/loop.h"

/* for j in range(i, n): C[i, j] = ..; C[j, i] = C[i, j]: what an iteration stores to column i another one would reach
 * in row i only where j is i, which is the first iteration. It is taken apart from the others; or the last one, where j
 * ends on the diagonal. */
typedef struct tirbi_diagonal {
    const tirbi_ls *stmt; /* does what the loop does */
    const tirbi_ls *rest; /* the loop in it */
} tirbi_diagonal;

/* False where the loop has no such iteration (or memory ran out). */
bool tirbi_leave_diagonal(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_diagonal *out);

#endif
