/* What became of the operators of a function, for `tirb explain`. */
#ifndef TIRB_COMPILER_RELAX_LOWER_EXPLAIN_H
#define TIRB_COMPILER_RELAX_LOWER_EXPLAIN_H

#include "compiler/ir/relax.h"

struct tirbi_relax_lowering;
struct tirbi_relax_held;

/* A binding that has been lowered. */
typedef struct tirbi_relax_outcome {
    const tirb_relax_binding *binding;
    const struct tirbi_relax_held *value; /* NULL: a part of `called` */
    const char *called;                   /* the function that computes it; NULL: nothing does */
} tirbi_relax_outcome;

/* Notes it, if somebody asks. */
void tirbi_relax_note(struct tirbi_relax_lowering *l, tirbi_relax_outcome outcome);
/* Makes texts of what has been noted of a function, whose plan is complete. */
void tirbi_relax_explain(struct tirbi_relax_lowering *l);

#endif
