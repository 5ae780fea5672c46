/* Loops that store to one element in every iteration and read it only behind that. */
#ifndef TIRB_COMPILER_OPTIMIZE_OVERWRITTEN_H
#define TIRB_COMPILER_OPTIMIZE_OVERWRITTEN_H

#include "compiler/lower/loop.h"

/* for k: A[j] = x; B[k] = f(A[j]) as for k but the last: t = x; B[k] = f(t), and the last iteration as it was: what the
 * others leave in the element nobody sees. `loop` are the others, `stmt` is all of it. */
typedef struct tirbi_overwritten {
    const tirbi_ls *loop, *stmt;
} tirbi_overwritten;

/* False where the loop is none of that kind (or memory ran out). */
bool tirbi_keep_last_store(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_overwritten *out);

#endif
