/* Reductions over threads: T.tvm_thread_allreduce(n, sources.., condition, targets.., threads..). */
#ifndef TIRB_COMPILER_IR_ALLREDUCE_H
#define TIRB_COMPILER_IR_ALLREDUCE_H

#include "compiler/ir/ir.h"

/* What a thread brings, whether it does, where each gets the results, and the variables of the threads that take
 * part. */
typedef struct tirbi_allreduce {
    const tirb_expr *const *sources, *const *targets, *const *threads;
    const tirb_expr *condition;
    uint32_t n, n_threads;
} tirbi_allreduce;

bool tirbi_is_allreduce(const tirb_expr *e);
/* False: its arguments are none of such a call. */
bool tirbi_allreduce_of(const tirb_expr *e, tirbi_allreduce *out);

#endif
