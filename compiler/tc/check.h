/* What names mean, and types: fills in what compiler/tc/syntax.h says is the checker's. */
#ifndef TIRB_COMPILER_TC_CHECK_H
#define TIRB_COMPILER_TC_CHECK_H

#include "compiler/tc/syntax.h"

/* False when errors were reported or memory ran out (arena->failed); the program is complete only when true. Operands
 * keep their own types: what an operator or a function computes in is tirbi_tc_match of them. */
bool tirbi_tc_check(tirbi_tc_program *program, tirbi_arena *arena, tirbi_diagnostics *diagnostics);

/* The type that two scalars meet in: a float before integers, the wider of two of a kind, the signed one of as many
 * bits as the wider where one is signed. */
tirb_datatype tirbi_tc_match(tirb_datatype a, tirb_datatype b);

/* How an assignment is written: `+=!`. */
const char *tirbi_tc_assign_text(tirbi_tc_assign assign, bool starts_over);

#endif
