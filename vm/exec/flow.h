/* What control flow leaves of a scalar register: whether it holds a constant wherever a function's code has come to a
 * place. A register is 0 until it is written, and its only write may be one that a jump leaves out. */
#ifndef TIRB_VM_EXEC_FLOW_H
#define TIRB_VM_EXEC_FLOW_H

#include "vm/exec/machine.h"

typedef struct tirbi_flow tirbi_flow;

static inline bool tirbi_is_constant(uint8_t op) { return op == TIRB_OP_CONST || op == TIRB_OP_CONST64; }

/* NULL: out of memory. */
tirbi_flow *tirbi_flow_begin(tirbi_heap *heap, const tirbi_function *function);
/* Notes the function's instructions, one after the other, but for rows of lanes: everything that jumps and writes
 * anywhere, as loops bring what is behind a place back to it. */
void tirbi_flow_survey(tirbi_flow *flow, tirbi_heap *heap, const tirbi_instr *in);
/* The same of one at `at`, at which code has arrived, that does nothing but write to a register, or jump forwards. */
void tirbi_flow_survey_write(tirbi_flow *flow, uint16_t reg, bool constant, uint64_t bits);
void tirbi_flow_survey_jump(tirbi_flow *flow, uint32_t at, uint32_t target);
/* Then they are gone through once more: something jumps to a place that the code goes on at, and it writes a constant.
 * Nothing in the bodies of lane loops does. */
void tirbi_flow_again(tirbi_flow *flow);
void tirbi_flow_arrive(tirbi_flow *flow, tirbi_heap *heap, uint32_t at);
void tirbi_flow_write(tirbi_flow *flow, uint32_t at, uint16_t reg);
/* Whether there was no memory for it. */
bool tirbi_flow_failed(const tirbi_flow *flow);
/* Whether the register holds one constant, whatever way has led to where the code has been gone through to. */
bool tirbi_flow_holds(const tirbi_flow *flow, uint16_t reg, uint64_t *bits);
/* Takes NULL too. */
void tirbi_flow_release(tirbi_flow *flow, tirbi_heap *heap);

#endif
