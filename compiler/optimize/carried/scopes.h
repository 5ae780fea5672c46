/* Where variables begin. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_SCOPES_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_SCOPES_H

#include "compiler/optimize/rewriting/statements.h"

/* c = 0; for i: c = 0; for k: c = c + ..; B[i] = c, where nothing else uses c: the variable begins in the loop over i,
 * whose iterations then have nothing to do with each other. The statement with its variables so; itself where there are
 * none (or memory ran out). */
const tirbi_ls *tirbi_narrow_scopes(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
