/* The typed AST to TVMScript text. */
#ifndef TIRB_COMPILER_TEXT_PRINT_H
#define TIRB_COMPILER_TEXT_PRINT_H

#include "compiler/ir/ir.h"
#include "compiler/source/source.h"

/* Prints in the new (tirx) or the classic (tir) spelling. What has no spelling is reported at its place; false then, and
 * when memory ran out (arena->failed). The text is in the arena, terminated. */
bool tirbi_print(const tirb_irmodule *module, bool classic, tirbi_arena *arena, tirbi_diagnostics *diagnostics,
                 const char **text, size_t *size);

#endif
