/* TVMScript text to the typed AST. */
#ifndef TIRB_COMPILER_TEXT_TEXT_H
#define TIRB_COMPILER_TEXT_TEXT_H

#include "compiler/ir/ir.h"
#include "compiler/source/source.h"

/* Parses a whole file. Returns NULL when memory ran out (arena->failed); otherwise a module, which is only complete
 * when no error was reported. */
tirb_irmodule *tirbi_parse(const tirbi_source *source, tirbi_arena *arena, tirbi_diagnostics *diagnostics);

/* The same for a file whose variables and buffers are numbered behind those of a module. */
tirb_irmodule *tirbi_parse_behind(const tirb_irmodule *module, const tirbi_source *source, tirbi_arena *arena,
                                  tirbi_diagnostics *diagnostics);

/* A string as it is written in double quotes, what has no letter escaped. NULL when memory ran out. */
const char *tirbi_quoted(tirbi_arena *arena, const char *text, size_t size);

#endif
