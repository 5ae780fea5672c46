/* Walking the AST: calls a function for each direct child of a node. */
#ifndef TIRB_COMPILER_IR_VISIT_H
#define TIRB_COMPILER_IR_VISIT_H

#include "compiler/ir/ir.h"

/* Either function may be NULL. A visitor that wants the whole tree calls tirbi_visit_... again from them. */
typedef struct tirbi_visitor {
    void (*expr)(struct tirbi_visitor *visitor, const tirb_expr *expr);
    void (*stmt)(struct tirbi_visitor *visitor, const tirb_stmt *stmt);
    void *context;
} tirbi_visitor;

void tirbi_visit_expr(tirbi_visitor *visitor, const tirb_expr *expr);
/* Expressions of a block come in the order: iter domains, values, predicate, reads, writes, shapes of allocations,
 * match buffers; then the statements init and body. */
void tirbi_visit_stmt(tirbi_visitor *visitor, const tirb_stmt *stmt);
/* The shape, strides and offset of a buffer. */
void tirbi_visit_buffer(tirbi_visitor *visitor, const tirb_buffer *buffer);

#endif
