/* Going through the loops around rows, or around the innermost loop of rows, where `many` are taken at once. */
#ifndef TIRB_VM_CONTRACT_WALK_H
#define TIRB_VM_CONTRACT_WALK_H

#include "vm/contract/contract.h"

typedef struct tirbi_walk {
    int64_t index[TIRBI_MAX_CONTRACT_LOOPS];
    unsigned n; /* loops */
    int64_t many;
} tirbi_walk;

static inline const uint8_t *tirbi_walk_moved(const uint8_t *p, int64_t step, int64_t times) {
    return (const uint8_t *)((uintptr_t)p + (uintptr_t)step * (uintptr_t)times);
}

static inline void tirbi_walk_begin(const tirbi_contraction *x, tirbi_walk *w) {
    unsigned last = x->n_loops - 1;
    *w = (tirbi_walk){.n = last > 0 ? last - 1 : 0, .many = last > 0 ? x->extent[last - 1] : 1};
}

/* Moves the places to the next rows; false: there are none. */
static inline bool tirbi_walk_on(const tirbi_contraction *x, tirbi_walk *w, uint8_t **at) {
    for (unsigned i = w->n; i-- > 0;) {
        for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++)
            at[o] = (uint8_t *)(uintptr_t)tirbi_walk_moved(at[o], x->operand[o].step[i], 1);
        if (++w->index[i] < x->extent[i]) return true;
        for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++)
            at[o] = (uint8_t *)(uintptr_t)tirbi_walk_moved(at[o], x->operand[o].step[i], -x->extent[i]);
        w->index[i] = 0;
    }
    return false;
}

/* From row to row of the innermost loop of rows. */
static inline int64_t tirbi_walk_row_step(const tirbi_contraction *x, unsigned operand) {
    return x->n_loops > 1 ? x->operand[operand].step[x->n_loops - 2] : 0;
}

#endif
