/* Loops that store to an element what the next iteration stores over, and read it only in between. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_OVERWRITTEN_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_OVERWRITTEN_H

#include "compiler/optimize/rewriting/statements.h"

/* for k: A[j] = x; B[k] = f(A[j]) as for k but the last: t = x; B[k] = f(t), and the last iteration as it was: what
 * the others leave in the element nobody sees. The same for A[k] = y; A[k + 1] = x. `loop` are the others, `stmt` is
 * all of it. False where the loop is none of that kind (or memory ran out). */
bool tirbi_keep_last_store(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

#endif
