/* Contraction matching: nests that are C[..] = C[..] + A[..] * B[..] in any loop order and layout, for the machine's
 * contraction instruction; or with other operations than sums of products (semirings.def). */
#ifndef TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_CONTRACT_H
#define TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_CONTRACT_H

#include "compiler/optimize/schedule/leaf.h"

/* Whether the nest that starts at a loop is a contraction, or a fold of integers, that is worth the instruction; all
 * elements may begin with one value, which is stored right before the loops of their sums. */
bool tirbi_plan_contraction(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_contract_plan *out);

/* Whether every index of a place is proven or can be checked for all iterations at once: it is monotonic in each
 * loop. */
bool tirbi_checkable(tirbi_lx_pool *pool, const tirbi_place *place, const tirbi_loop_set *loops);

/* Whether the nest that starts at a loop is rows of tree reductions of elements that follow each other. (folds.c) */
bool tirbi_plan_folds(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_fold_plans *out);

/* Whether a value may read memory of `root`: calls may. */
bool tirbi_may_read(const tirbi_lx *x, const tirbi_lbuf *root);

/* The tree reduction that loops are around, which gets a list of these and of its axes behind what is there, at most so
 * many; NULL where a statement is none, or a bound is not known before all of it. */
const tirbi_ls *tirbi_tree_nest(const tirbi_ls *s, uint32_t most, tirbi_loop_set *loops);

#endif
