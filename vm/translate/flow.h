/* What control flow leaves of a scalar register: whether it holds a constant wherever a function's code has come to a
 * place. A register is 0 until it is written, and its only write may be one that a jump leaves out. */
#ifndef TIRB_VM_TRANSLATE_FLOW_H
#define TIRB_VM_TRANSLATE_FLOW_H

#include "vm/machine/code.h"
#include "vm/machine/room.h"

/* A register. */
typedef struct tirbi_flow_held {
    uint64_t bits;  /* of the one constant that is ever written to it; 0 where none is */
    uint32_t since; /* one more than the first of the writes that are certain; 0: there is none */
    bool written;
    bool varies; /* something else is written to it, or may be */
} tirbi_flow_held;

/* What lies between has been left out on some way. */
typedef struct tirbi_flow_span {
    uint32_t from, to;
} tirbi_flow_span;

typedef struct tirbi_flow {
    bool tangled; /* a loop is entered behind its head */
    bool failed;  /* no memory */
    tirbi_flow_held *registers;
    uint32_t n_registers; /* of these: a function may have far more than its code has bytes, and they are not known */
    uint32_t *first_jump; /* one more than the first of the places that jump forwards to an instruction; 0: none does.
                             By half of its offset: no other instruction has the same */
    tirbi_flow_span *left_out; /* in order, apart from each other */
    uint32_t n_left_out, left_out_capacity;
    tirbi_room room; /* of all but these */
} tirbi_flow;
enum { TIRBI_SMALLEST_INSTR = 2 }; /* bytes: the opcode and the type */

static inline bool tirbi_is_constant(uint8_t op) { return op == TIRB_OP_CONST || op == TIRB_OP_CONST64; }

/* Of another function; what was of the one before is lost. False: out of memory. */
bool tirbi_flow_begin(tirbi_flow *flow, tirbi_heap *heap, const tirbi_function *function);
/* Notes the function's instructions, one after the other, but for rows of lanes: everything that jumps and writes
 * anywhere, as loops bring what is behind a place back to it. */
void tirbi_flow_survey(tirbi_flow *flow, tirbi_heap *heap, const tirbi_instr *in);
/* The same of one at `at`, at which code has arrived, that does nothing but write to a register, or jump forwards. */
static inline void tirbi_flow_survey_write(tirbi_flow *flow, uint16_t number, bool constant, uint64_t bits) {
    if (number >= flow->n_registers) return;
    tirbi_flow_held *const reg = &flow->registers[number];
    if (!constant || (reg->written && reg->bits != bits)) reg->varies = true;
    reg->written = true;
    reg->bits = bits;
}
void tirbi_flow_survey_jump(tirbi_flow *flow, uint32_t at, uint32_t target);
/* Then they are gone through once more: something jumps to a place that the code goes on at, and it writes a constant.
 * Nothing in the bodies of lane loops does. */
void tirbi_flow_again(tirbi_flow *flow);
void tirbi_flow_land(tirbi_flow *flow, tirbi_heap *heap, uint32_t at);
static inline void tirbi_flow_arrive(tirbi_flow *flow, tirbi_heap *heap, uint32_t at) {
    if (flow->first_jump[at / TIRBI_SMALLEST_INSTR] != 0) tirbi_flow_land(flow, heap, at);
}
void tirbi_flow_write(tirbi_flow *flow, uint32_t at, uint16_t reg);
/* Whether the register holds one constant, whatever way has led to where the code has been gone through to. */
bool tirbi_flow_holds(const tirbi_flow *flow, uint16_t reg, uint64_t *bits);
/* False: the heap's watch is to stop, and some of it is still there. */
bool tirbi_flow_release(tirbi_flow *flow, tirbi_heap *heap);

#endif
