/* Indices that go around the ends of a dimension. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_WRAPPED_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_WRAPPED_H

#include "compiler/optimize/rewriting/statements.h"

/* for i in range(n): .. A[(i + 1) % n] ..: the remainder is i + 1 or i + 1 - n, and a loop may be cut where a choice
 * changes; where no sum in the remainders is more than its type holds. False where the loop has no such remainders (or
 * memory ran out). */
bool tirbi_unwrap_loop(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

#endif
