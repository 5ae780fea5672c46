/* Loops from memory to memory (vm/lanes/streams.inc) for what a body does: for all of it, or for parts whose results
 * are in strips. */
#ifndef TIRB_VM_TRANSLATE_LANE_STREAM_H
#define TIRB_VM_TRANSLATE_LANE_STREAM_H

#include "vm/translate/lane_plan.h"

/* An operand that a loop takes from memory. */
typedef struct stream_operand {
    bool is_there, is_scalar;
    uint16_t pointer; /* 0: of a result that no strip has yet */
    uint8_t size;     /* of an element */
} stream_operand;

/* What an instruction gives, where several loops do a body. */
typedef struct stream_value {
    uint16_t strip; /* 0: it is in none */
    uint16_t reads; /* still to come */
    uint8_t depth;  /* instructions below it, at most */
} stream_value;

typedef struct stream_body {
    const lane_planner *planner;
    const lane_ins *first;
    const stream_value *values; /* by instruction; NULL: one loop is to do all */
    const lane_ins *store;      /* then: the last instruction, which is the only one that stores, */
    uint8_t type;               /* and what it stores */
    bool by_rows; /* each row for itself: an element that all of its lanes read is a scalar */
} stream_body;

/* The loop for an instruction: with another one before it, whose result nothing else reads, where there is one for
 * both. */
typedef struct stream_loop {
    tirbi_kernel kernel; /* NULL: there is none */
    const lane_ins *inner;
    stream_operand operands[3];
} stream_loop;

/* The instruction that sets what another one reads as its operand i. */
const lane_ins *tirbi_lane_find_setter(const stream_body *b, const lane_ins *reader, unsigned i);
stream_loop tirbi_lane_find_loop(const stream_body *b, const lane_ins *ins);

#endif
