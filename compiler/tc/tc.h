/* Tensor Comprehensions: text to the typed AST, and text to its canonical form (LANGUAGE.md). */
#ifndef TIRB_COMPILER_TC_TC_H
#define TIRB_COMPILER_TC_TC_H

#include "compiler/ir/ir.h"
#include "compiler/source/source.h"

/* Reads, checks, infers ranges and lowers a whole file: a function for each def. Returns NULL when memory ran out
 * (arena->failed); otherwise a module, which is only complete when no error was reported. */
tirb_irmodule *tirbi_tc_parse(const tirbi_source *source, tirbi_arena *arena, tirbi_diagnostics *diagnostics);

/* The canonical text of a file: what is in it, its comments included. False when memory ran out or errors were
 * reported. */
bool tirbi_tc_print(const tirbi_source *source, tirbi_arena *arena, tirbi_diagnostics *diagnostics, const char **out,
                    size_t *out_size);

#endif
