/* Values that only some lanes ask for, so that all may compute them. */
#ifndef TIRB_COMPILER_OPTIMIZE_GUARD_H
#define TIRB_COMPILER_OPTIMIZE_GUARD_H

#include "compiler/lower/loop.h"

/* An expression that is x where the condition holds, and traps there as x does; elsewhere it is anything and does not trap.
 * The condition is evaluated often: it should be a variable. NULL where there is none, as for a call. */
const tirbi_lx *tirbi_guard(tirbi_lx_pool *pool, const tirbi_lx *condition, const tirbi_lx *x);

#endif
