/* The small constants of a function: each gets a slot behind the scalar registers, filled when a frame starts, so that
 * every operand of the scalar machine is a slot. */
#ifndef TIRB_VM_EXEC_CONSTANTS_H
#define TIRB_VM_EXEC_CONSTANTS_H

#include "vm/exec/machine.h"

struct tirbi_constants {
    tirbi_heap *heap;
    uint64_t *values;
    uint16_t *table; /* open addressing; one more than the index of a value, 0: free */
    uint32_t n;
    uint32_t capacity; /* of values; the table has twice as many entries */
    uint32_t first_slot;
    bool failed; /* sticky: out of memory */
};

void tirbi_constants_init(tirbi_constants *constants, tirbi_heap *heap, uint32_t first_slot);
void tirbi_constants_release(tirbi_constants *constants);

#endif
