/* One spelling of values that have names, and of what loops put together. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_FORWARD_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_FORWARD_H

#include "compiler/loop/loop.h"

/* x = A[i]; y = B[i]; C[i] = x * y becomes C[i] = A[i] * B[i]: what a variable that is set once holds stands where it
 * is used, if nothing changes it until then. And s = 0; for k: s = s + A[i, k]; C[i] = s becomes
 * C[i] = 0; for k: C[i] = C[i] + A[i, k]. */
const tirbi_ls *tirbi_forward_values(tirbi_lx_pool *pool, const tirbi_ls *body);
/* The first of these alone. */
const tirbi_ls *tirbi_forward_names(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
