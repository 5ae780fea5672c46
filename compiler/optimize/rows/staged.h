/* Elements that lanes reach in rows that numbers choose, or in columns, put next to each other before they are computed
 * with. */
#ifndef TIRB_COMPILER_OPTIMIZE_ROWS_STAGED_H
#define TIRB_COMPILER_OPTIMIZE_ROWS_STAGED_H

#include "compiler/optimize/rewriting/statements.h"

/* for i, j: B[i, j] = f(A[I[i], j], C[j, i]) is, for a block of rows at a time, copies of what it reads so, which have
 * kernels of their own, and then f of what follows each other; where that is worth it: rows are short, and there are
 * some. False where a nest reads nothing so, only copies it, or may fail in other ways (or memory ran out). `disabled`
 * is a set of TIRB_PASS_*. */
bool tirbi_stage_loads(tirbi_lx_pool *pool, const tirbi_ls *loop, uint32_t disabled, tirbi_arranged *out);

#endif
