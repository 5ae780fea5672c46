/* Operators of a dataflow block that become one function, whose tensors between them are its own: so loops can be
 * fused across the borders of operators. What each location holds does not depend on it. */
#ifndef TIRB_COMPILER_RELAX_LOWER_FUSE_H
#define TIRB_COMPILER_RELAX_LOWER_FUSE_H

#include "compiler/ir/relax.h"

struct tirbi_relax_lowering;
struct tirbi_relax_held;

/* Bindings in their order, two at least; what the last one gives is the only value that others use. */
typedef struct tirbi_relax_group {
    const tirb_relax_binding *const *bindings;
    uint32_t n;
} tirbi_relax_group;

/* Finds the groups of a block: l->groups. */
void tirbi_relax_group_block(struct tirbi_relax_lowering *l, const tirb_relax_block *block);
/* Makes the function of a group and calls it. NULL: it is not made, and l->reason says why if that is an error. */
const struct tirbi_relax_held *tirbi_relax_lower_group(struct tirbi_relax_lowering *l, const tirbi_relax_group *group,
                                                       const struct tirbi_relax_held *destination);
/* The type in sizes of the group's function; NULL: they are not known there. */
const tirb_relax_type *tirbi_relax_type_inside(struct tirbi_relax_lowering *l, tirbi_span span,
                                               const tirb_relax_type *type);

/* Whether calls in the function may write to tensors that they are given: a part of one is a copy then, not a view. */
bool tirbi_relax_writes_unseen(const struct tirbi_relax_lowering *l, const tirb_relax_function *f);

#endif
