/* Which variables have their values at the point of a function that is being planned. */
#ifndef TIRB_COMPILER_OPTIMIZE_FACTS_LIVE_H
#define TIRB_COMPILER_OPTIMIZE_FACTS_LIVE_H

#include "compiler/loop/loop.h"

/* Says that a variable has a value from here on, or has none. */
void tirbi_live_set(tirbi_lx_pool *pool, tirbi_lvar *var, bool lives);
/* Whether a variable has one; nothing is known of any while passes run. */
bool tirbi_is_live(const tirbi_lx_pool *pool, const tirbi_lvar *var);
/* Whether every variable of a pure expression has. */
bool tirbi_is_available(const tirbi_lx_pool *pool, const tirbi_lx *x);

#endif
