/* Calls of local functions, and of functions that decide the sizes of their results or whose parameters are known where
 * they are called alone, as the bodies of those. */
#ifndef TIRB_COMPILER_RELAX_LOWER_INLINE_H
#define TIRB_COMPILER_RELAX_LOWER_INLINE_H

#include "compiler/ir/relax.h"

struct tirbi_relax_lowering;

/* The body of a function, in which each such call is a copy of what is called, over variables of its own; they have
 * numbers from l->n_relax_vars on. `f` itself where nothing is called so. NULL after an error, or a refusal. */
const tirb_relax_function *tirbi_relax_inline(struct tirbi_relax_lowering *l, const tirb_relax_function *f);

/* Whether only a call says what the function is given, or it gives a function: it is nothing by itself. */
bool tirbi_relax_needs_call(struct tirbi_relax_lowering *l, const tirb_relax_function *f);

/* The module with functions of its own in place of local ones that call themselves; `module` itself where none does.
 * NULL when memory ran out. */
const tirb_irmodule *tirbi_relax_lift(struct tirbi_relax_lowering *l, const tirb_irmodule *module);

#endif
