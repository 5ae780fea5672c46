/* What control flow leaves of a scalar register: whether it holds a constant wherever a function's code has come to a
 * place. A register is 0 until it is written, and its only write may be one that a jump leaves out. */
#ifndef TIRB_VM_EXEC_FLOW_H
#define TIRB_VM_EXEC_FLOW_H

#include "vm/exec/machine.h"

typedef struct tirbi_flow tirbi_flow;

/* Goes on through the function's code to the instruction at `place`, which is behind the last one that was asked for;
 * *flow is NULL at first. The instructions up to `place` are read for the second time then, so asking for all places of
 * a function takes time in proportion to its code. */
tirb_status tirbi_flow_to(tirbi_flow **flow, tirbi_heap *heap, const tirbi_function *function, uint32_t place,
                          tirb_error *error);
/* Whether the register holds one constant whatever way has led to the place. */
bool tirbi_flow_holds(const tirbi_flow *flow, uint16_t reg, uint64_t *bits);
/* Takes NULL too. */
void tirbi_flow_release(tirbi_flow *flow, tirbi_heap *heap);

#endif
