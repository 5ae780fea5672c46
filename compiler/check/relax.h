#ifndef TIRB_COMPILER_CHECK_RELAX_H
#define TIRB_COMPILER_CHECK_RELAX_H

#include "compiler/ir/relax.h"

/* Reports what a Relax function does that no well-formed one does. */
void tirbi_check_relax(const tirb_relax_function *f, tirbi_diagnostics *diagnostics, tirbi_arena *arena);

#endif
