/* Concatenations that copy nothing: where the parts of a result follow each other in its memory, what is computed for
 * one of them is computed there, unless the function would need more memory for that. */
#ifndef TIRB_COMPILER_RELAX_LOWER_JOINS_H
#define TIRB_COMPILER_RELAX_LOWER_JOINS_H

#include "compiler/ir/relax.h"

struct tirbi_relax_lowering;
struct tirbi_relax_held;

typedef struct tirbi_relax_row {
    const tirb_relax_binding *binding; /* of the concatenation */
    uint32_t first;                    /* the binding of its block that first computes a part */
    const struct tirbi_relax_held *room; /* NULL: no part is computed yet */
} tirbi_relax_row;

/* Of a variable: the concatenation that it is a part of, and the one that it is. */
typedef struct tirbi_relax_joined {
    tirbi_relax_row *in, *own;
    uint32_t at; /* its binding in its block */
} tirbi_relax_joined;

/* Finds those of a dataflow block whose first binding has the number behind the one under way. False when memory ran
 * out. */
bool tirbi_relax_find_joins(struct tirbi_relax_lowering *l, const tirb_relax_block *block);
/* Where a variable's value is to be; NULL: anywhere, or memory ran out. */
const struct tirbi_relax_held *tirbi_relax_destination_of(struct tirbi_relax_lowering *l, const tirb_relax_var *var);

#endif
