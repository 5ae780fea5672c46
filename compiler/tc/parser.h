/* Text to the nodes of compiler/tc/syntax.h, before any name has a meaning: what a statement calls is READ, whether it
 * is a tensor, a function of the language or a def. */
#ifndef TIRB_COMPILER_TC_PARSER_H
#define TIRB_COMPILER_TC_PARSER_H

#include "compiler/tc/syntax.h"

/* Returns NULL when memory ran out (arena->failed); otherwise a program, which lacks what errors were reported for. */
tirbi_tc_program *tirbi_tc_read(const tirbi_source *source, tirbi_arena *arena, tirbi_diagnostics *diagnostics);

/* The same of a text of Relax's operators (compiler/relax/OPERATORS.md), which has packs and names of types besides. */
tirbi_tc_program *tirbi_tc_read_operators(const tirbi_source *source, tirbi_arena *arena,
                                          tirbi_diagnostics *diagnostics);

#endif
