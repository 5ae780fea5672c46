/* Contraction matching: nests that are C[..] = C[..] + A[..] * B[..] in any loop order and layout, for the machine's
 * contraction instruction; or with other operations than sums of products (semirings.def). */
#ifndef TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_CONTRACT_H
#define TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_CONTRACT_H

#include "compiler/optimize/facts/affine.h"

typedef struct tirbi_contract_plan {
    tirbi_loop_set loops; /* in the order of the program */
    bool reduces[TIRBI_MAX_AFFINE];
    tirbi_dtype type;
    uint8_t flags; /* of the instruction, without INIT */
    bool folds;    /* the instruction is a fold of integers, whose last loop is a row's */
    struct {
        const tirbi_place *place;
        tirbi_dtype type;
        tirbi_affine form;
    } operands[TIRBI_CONTRACT_OPERANDS];
    const tirbi_lx *first;  /* what C begins with, where that is the same for all of it; else NULL */
    const tirbi_ls *before; /* what gives C its first values, once per element, or NULL */
    tirbi_span span;
} tirbi_contract_plan;

/* Whether the nest that starts at a loop is a contraction, or a fold of integers, that is worth the instruction. */
bool tirbi_plan_contraction(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_contract_plan *out);

/* Whether every index of a place is proven or can be checked for all iterations at once: it is monotonic in each
 * loop. */
bool tirbi_checkable(tirbi_lx_pool *pool, const tirbi_place *place, const tirbi_loop_set *loops);

/* Rows of tree reductions: each update of the tree as an instruction's operands, whose last loop is the row's. */
enum { TIRBI_MAX_FOLDS = 4 };
typedef struct tirbi_fold_plans {
    tirbi_contract_plan plan[TIRBI_MAX_FOLDS]; /* flags are those of a fold */
    uint32_t n;
} tirbi_fold_plans;

/* Whether the nest that starts at a loop is rows of tree reductions of elements that follow each other. (folds.c) */
bool tirbi_plan_folds(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_fold_plans *out);

/* Whether a value may read memory of `root`: calls may. */
bool tirbi_may_read(const tirbi_lx *x, const tirbi_lbuf *root);

#endif
