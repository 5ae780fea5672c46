/* Registers of Relax's virtual machine: lists of values of any type. */
#ifndef TIRB_COMPILER_IR_ANYLIST_H
#define TIRB_COMPILER_IR_ANYLIST_H

#include "compiler/ir/ir.h"
#include "loader/base/alloc.h"

/* An anylist is a parameter: memory of 64-bit registers, whose contents mean to the host's functions what they like.
 * The statement that a call of T.anylist_resetitem or T.anylist_setitem_call_packed is, or of what TVM makes of these
 * for calls with stacks; NULL where it is another call, or the list is no parameter. */
const tirb_stmt *tirbi_anylist_statement(tirbi_arena *arena, const tirb_expr *call);
/* An argument of the host's function: a register's contents where it is T.anylist_getitem, or what it is; NULL: the
 * list is no parameter. */
const tirb_expr *tirbi_anylist_argument(tirbi_arena *arena, const tirb_expr *e);
/* Whether the expression gives or changes registers. */
bool tirbi_is_anylist_call(const tirb_expr *e);

#endif
