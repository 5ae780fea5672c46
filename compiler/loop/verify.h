/* What every pass relies on in loop IR: types, scopes, and what nodes say of themselves. */
#ifndef TIRB_COMPILER_LOOP_VERIFY_H
#define TIRB_COMPILER_LOOP_VERIFY_H

#include "compiler/loop/loop.h"

/* Whether a body is loop IR of its function: operands have the types of their operations; variables and memory are used
 * where they have begun and not behind the block in which they did, loop variables in their loops alone; what an
 * expression says of itself (pure, shared, traps, its range) follows from its operands. Memory for looking comes from
 * `heap`. Errors: INTERNAL with what is wrong; NO_MEMORY. */
tirb_status tirbi_verify_loops(const tirbi_lfunc *function, const tirbi_ls *body, tirbi_heap *heap, tirb_error *error);

#endif
