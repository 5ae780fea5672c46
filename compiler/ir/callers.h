/* Who calls whom: what is learned of a function is told to its callers. */
#ifndef TIRB_COMPILER_IR_CALLERS_H
#define TIRB_COMPILER_IR_CALLERS_H

#include "loader/base/alloc.h"

typedef struct tirbi_caller {
    uint32_t function;
    const struct tirbi_caller *next;
} tirbi_caller;

/* `callers` has a list for each function. One that memory runs out for is missing, and the arena has failed. */
static inline void tirbi_note_call(tirbi_arena *arena, const tirbi_caller **callers, uint32_t function,
                                   uint32_t callee) {
    const tirbi_caller *last = callers[callee];
    tirbi_caller *more = last && last->function == function ? NULL : TIRBI_NEW(arena, tirbi_caller);
    if (!more) return;
    *more = (tirbi_caller){.function = function, .next = last};
    callers[callee] = more;
}

#endif
