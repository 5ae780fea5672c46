/* The typed AST to TVMScript text. */
#ifndef TIRB_COMPILER_TEXT_PRINT_PRINT_H
#define TIRB_COMPILER_TEXT_PRINT_PRINT_H

#include "compiler/ir/ir.h"
#include "compiler/source/source.h"
#include <tirb/compiler.h>

/* Prints in a dialect; SAME is that of the module's first function. What has no spelling is reported at its place;
 * false then, and when memory ran out (arena->failed). The text is in the arena, terminated. */
bool tirbi_print(const tirb_irmodule *module, tirb_dialect dialect, tirbi_arena *arena, tirbi_diagnostics *diagnostics,
                 const char **text, size_t *size);

#endif
