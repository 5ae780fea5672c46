/* What a loop reads again and again although it never changes, as variables. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_STILL_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_STILL_H

#include "compiler/loop/loop.h"

/* for c in range(n): if c >= w[i]: .. becomes w = w[i] and a loop that asks for c >= w, whose bound all that looks at
 * loops understands; and so are variables of which it has other values elsewhere, and bounds that are not pure. Of
 * loops around straight-line code, and with `nests` around loops of such, loads that cannot fail; of others, bounds
 * alone. The loop with what it needs before it; NULL where it reads nothing of that kind (or memory ran out). */
const tirbi_ls *tirbi_name_still_loads(tirbi_lx_pool *pool, const tirbi_ls *loop, bool nests);
/* The same of variables alone, if subscripts in a nest name some: what is set once is a start for lanes. */
const tirbi_ls *tirbi_name_still_variables(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
