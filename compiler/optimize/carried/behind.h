/* Variables that are one iteration behind. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_BEHIND_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_BEHIND_H

#include "compiler/optimize/rewriting/statements.h"

/* for i: A[i] = B[i] + x; x = B[i] becomes the first iteration and `loop` over the others, in which x is B[i - 1]: no
 * iteration of that waits for another one. False where no variable is set in that way (or memory ran out). */
bool tirbi_look_behind(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

#endif
