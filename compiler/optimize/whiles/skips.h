/* What an iteration skips, made a branch. */
#ifndef TIRB_COMPILER_OPTIMIZE_WHILES_SKIPS_H
#define TIRB_COMPILER_OPTIMIZE_WHILES_SKIPS_H

#include "compiler/loop/loop.h"

/* if c: a; continue  b  at the end of a loop's body, or of a branch that stands there, becomes  if c: a  else: b, which
 * passes look into. The statement with the bodies of all loops made so. */
const tirbi_ls *tirbi_skip_in_branches(tirbi_lx_pool *pool, const tirbi_ls *stmt);

#endif
