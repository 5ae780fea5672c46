/* While loops that only count, made loops over a variable. */
#ifndef TIRB_COMPILER_OPTIMIZE_WHILES_COUNTED_H
#define TIRB_COMPILER_OPTIMIZE_WHILES_COUNTED_H

#include "compiler/loop/loop.h"

/* while j < n: a; j = j + step becomes for k: a with first + k * step for j; j = what it ends as. The statement with
 * such loops in place of those while loops whose rounds are known before the first of them. */
const tirbi_ls *tirbi_count_whiles(tirbi_lx_pool *pool, const tirbi_ls *stmt);

#endif
