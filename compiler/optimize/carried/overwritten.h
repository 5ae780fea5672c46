/* Loops that store to one element in every iteration and read it only behind that. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_OVERWRITTEN_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_OVERWRITTEN_H

#include "compiler/optimize/rewriting/statements.h"

/* for k: A[j] = x; B[k] = f(A[j]) as for k but the last: t = x; B[k] = f(t), and the last iteration as it was: what
 * the others leave in the element nobody sees. `loop` are the others, `stmt` is all of it. False where the loop is
 * none of that kind (or memory ran out). */
bool tirbi_keep_last_store(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

#endif
