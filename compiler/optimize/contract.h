/* Contraction matching: nests that are C[..] = C[..] + A[..] * B[..] in any loop order and layout, for the machine's
 * contraction instruction. */
#ifndef TIRB_COMPILER_OPTIMIZE_CONTRACT_H
#define TIRB_COMPILER_OPTIMIZE_CONTRACT_H

#include "compiler/optimize/affine.h"

typedef struct tirbi_contract_plan {
    tirbi_loop_set loops; /* in the order of the program */
    bool reduces[TIRBI_MAX_AFFINE];
    tirbi_dtype type;
    uint8_t flags; /* of the instruction, without INIT */
    struct {
        const tirbi_place *place;
        tirbi_dtype type;
        tirbi_affine form;
    } operands[TIRBI_CONTRACT_OPERANDS];
    const tirbi_lx *first;  /* what C begins with, where that is the same for all of it; else NULL */
    const tirbi_ls *before; /* what gives C its first values, once per element, or NULL */
    tirbi_span span;
} tirbi_contract_plan;

/* Whether the nest that starts at a loop is a contraction that is worth the instruction. */
bool tirbi_plan_contraction(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_contract_plan *out);

/* Whether a value may read memory of `root`: calls may. */
bool tirbi_may_read(const tirbi_lx *x, const tirbi_lbuf *root);

#endif
