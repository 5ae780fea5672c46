/* Scoping and type rules of the specification. Where these refuse what TVM prints, the meaning being clear, there is a
 * warning instead. */
#ifndef TIRB_COMPILER_CHECK_CHECK_H
#define TIRB_COMPILER_CHECK_CHECK_H

#include "compiler/ir/ir.h"
#include "compiler/source/source.h"

/* Reports every violation; true when there was no error. */
bool tirbi_check_module(const tirb_irmodule *module, tirbi_diagnostics *diagnostics, tirbi_arena *arena);

#endif
