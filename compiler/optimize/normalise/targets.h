/* Variables of an iteration that hold what becomes an element. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_TARGETS_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_TARGETS_H

#include "compiler/loop/loop.h"

/* for j: { s = a; for k: s = s + b[k]; C[j] = f(s) } as for j: { C[j] = a; for k: C[j] = C[j] + b[k]; C[j] = f(C[j]) },
 * for each such variable: no iteration needs a register of its own then, so that the loop may go inside the one over k.
 * NULL where the loop has none (or memory ran out). */
const tirbi_ls *tirbi_keep_in_targets(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
