/* Indices that go around the ends of a dimension. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_WRAPPED_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_WRAPPED_H

#include "compiler/loop/loop.h"

/* for i in range(n): .. A[(i + 1) % n] ..: the remainder is i + 1 or i + 1 - n, and a loop may be cut where a choice
 * changes. Nests with such remainders are so where no sum in these is more than its type holds, and as they stand in a
 * version of them where one may be. */
const tirbi_ls *tirbi_unwrap_indices(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
