/* The small constants of a function: each gets a slot behind the scalar registers, filled when a frame starts, so that
 * every operand of the scalar machine is a slot. */
#ifndef TIRB_VM_TRANSLATE_CONSTANTS_H
#define TIRB_VM_TRANSLATE_CONSTANTS_H

#include "vm/machine/code.h"

enum { TIRBI_FEW_CONSTANTS = 16 };

typedef struct tirbi_constants {
    tirbi_heap *heap;
    uint64_t *values;
    uint16_t *chains;    /* a chain begins with the index and 1 of a value, 0: it is empty, */
    uint16_t *next;      /* and goes on so by value */
    uint64_t secret;     /* that the chains are spread by */
    uint32_t n;
    uint32_t capacity; /* 0 or a power of two */
    uint32_t n_values; /* that tirbi_slot_of_value has added */
    uint32_t first_slot;
    bool failed; /* sticky: out of memory */
    struct tirbi_flow *flow; /* of the function, where a lane loop may ask for it; or NULL */
    uint16_t slots[4];       /* and 1 of 0, 1 and so on, which most are; 0: of none yet */
    uint64_t few[TIRBI_FEW_CONSTANTS + TIRBI_FEW_CONSTANTS / 2]; /* as many values, and what belongs to them */
} tirbi_constants;

void tirbi_constants_init(tirbi_constants *constants, tirbi_heap *heap, uint32_t first_slot, uint64_t secret);
void tirbi_constants_release(tirbi_constants *constants);

/* The slot of an x operand. */
uint16_t tirbi_slot_of_x(tirbi_constants *constants, uint16_t x);
/* The slot of any value, while there are few of them. */
bool tirbi_slot_of_value(tirbi_constants *constants, uint64_t value, uint16_t *out);

/* The value that a `const` instruction of a type writes, or either kind of constant. */
uint64_t tirbi_value_of_bits(uint8_t type, uint32_t bits);
uint64_t tirbi_value_of_const(const tirbi_instr *instr);

#endif
