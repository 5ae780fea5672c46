/* Structural equality. */
#ifndef TIRB_COMPILER_IR_EQUAL_H
#define TIRB_COMPILER_IR_EQUAL_H

#include "compiler/ir/ir.h"
#include "loader/base/alloc.h"

/* The same tree over the same variables and buffers. */
bool tirbi_expr_equal(const tirb_expr *a, const tirb_expr *b);
/* Equal up to the identity of variables and buffers: each that one side binds stands for the other's. Names of
 * variables and buffers do not count; spans neither. `arena` holds the correspondence. */
bool tirbi_function_equal(const tirb_irmodule *a_module, const tirb_primfunc *a, const tirb_irmodule *b_module,
                          const tirb_primfunc *b, tirbi_arena *arena);
bool tirbi_module_equal(const tirb_irmodule *a, const tirb_irmodule *b, tirbi_arena *arena);

/* The buffer all of which T.tvm_stack_make_array(...) describes; NULL for anything else. */
const tirb_buffer *tirbi_whole_array(const tirb_expr *e);

#endif
