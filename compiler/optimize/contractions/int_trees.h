/* Reductions of integers as tree reductions. They wrap, so that their order is free: a loop that is one may be taken as
 * a tree, and a tree as a loop. */
#ifndef TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_INT_TREES_H
#define TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_INT_TREES_H

#include "compiler/loop/loop.h"

/* A copy of nests in which every loop that only sums integers into elements that stand still, or multiplies them, or
 * finds the least or the greatest, is a tree reduction; the statement itself where there is none (or memory ran
 * out). */
const tirbi_ls *tirbi_int_trees(tirbi_lx_pool *pool, const tirbi_ls *s);
/* Whether a value of this type is one of the operations of such loops on two. */
bool tirbi_reduces(const tirbi_lx *x, tirbi_dtype type, tirbi_red_op *out);
/* What leaves every value as it is; the greatest uint64 is no number of the loop IR. */
const tirbi_lx *tirbi_identity(tirbi_lx_pool *pool, tirbi_red_op op, tirbi_dtype type);
/* Whether a tree reduction is one of integers, and that as loops; NULL when memory ran out. */
bool tirbi_is_int_tree(const tirbi_ls *tree);
const tirbi_ls *tirbi_loops_of_tree(tirbi_lx_pool *pool, const tirbi_ls *tree);

#endif
