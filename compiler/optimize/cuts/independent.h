/* Loops whose iterations are independent of each other where sizes are what they mostly are. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_INDEPENDENT_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_INDEPENDENT_H

#include "compiler/loop/loop.h"

/* for i: A[i * inc] = f(A[i * inc]): where inc is not 0, no iteration reaches what another one stores to. */
typedef struct tirbi_independent {
    const tirbi_lx *condition;
    const tirbi_ls *loop; /* does what the loop does where it holds; its iterations are known to be apart */
} tirbi_independent;

/* False where no condition takes all dependences away that the loop carries, or it has none (or memory ran out). */
bool tirbi_find_independent(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_independent *out);

#endif
