/* A checked program to the typed AST. */
#ifndef TIRB_COMPILER_TC_LOWER_H
#define TIRB_COMPILER_TC_LOWER_H

#include "compiler/ir/ir.h"
#include "compiler/tc/syntax.h"

/* A function for each def, in the order of the text. Returns NULL when memory ran out (arena->failed); otherwise a
 * module, which is only complete when no error was reported. */
tirb_irmodule *tirbi_tc_lower(const tirbi_tc_program *program, tirbi_arena *arena, tirbi_diagnostics *diagnostics);

#endif
