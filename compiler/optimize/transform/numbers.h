/* Numbers that an iteration computes and several of its statements use, as memory that these read. */
#ifndef TIRB_COMPILER_OPTIMIZE_TRANSFORM_NUMBERS_H
#define TIRB_COMPILER_OPTIMIZE_TRANSFORM_NUMBERS_H

#include "compiler/optimize/rewriting/statements.h"

/* for i: k = ..; A[k] = ..; B[k] += .. as for i: k = ..; K[i] = k; A[k] = ..; B[k] += .., where the condition says that
 * it has few iterations enough: distribution reads K behind that, so that the statements no longer share a variable.
 * False: no statement uses an integer that others have computed, or all such are stored already (or memory ran out). */
bool tirbi_keep_numbers(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

#endif
