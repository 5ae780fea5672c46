/* Which loops are tree reductions: rules R3 and R4 of RULES.md, decided on the AST before anything runs. */
#ifndef TIRB_TESTS_REFERENCE_TREE_H
#define TIRB_TESTS_REFERENCE_TREE_H

#include "compiler/ir/ir.h"

typedef struct tirbi_ref_update {
    const tirb_stmt *store;
    const tirb_expr *term; /* e of O[s] = op(O[s], e) */
    tirb_expr_kind op;     /* ADD, MUL, MIN or MAX */
} tirbi_ref_update;

typedef struct tirbi_ref_tree_loop {
    const tirb_stmt *loop;
    bool reduction;
} tirbi_ref_tree_loop;

typedef struct tirbi_ref_tree {
    const tirbi_ref_tree_loop *loops; /* from the outermost reduction loop inwards: N of the rules */
    uint32_t n_loops;
    const tirb_stmt *realize;  /* the block, or NULL for plain loops */
    const uint32_t *radix;     /* per digit of the linear index, most significant first: the loop in `loops` */
    uint32_t n_radix;
    const tirb_stmt *body;     /* the updates, with the lets around them */
    const tirbi_ref_update *updates; /* in the order of the stores in `body` */
    uint32_t n_updates;
} tirbi_ref_tree;

typedef struct tirbi_ref_trees {
    const tirbi_ref_tree *items;
    uint32_t n;
} tirbi_ref_trees;

/* Finds the trees of every function; false when out of memory. `fast` adds those of R4. */
bool tirbi_ref_find_trees(const tirb_irmodule *module, bool fast, tirbi_arena *arena, tirbi_ref_trees *out);
/* The tree whose outermost reduction loop is `loop`, or NULL. */
const tirbi_ref_tree *tirbi_ref_tree_at(const tirbi_ref_trees *trees, const tirb_stmt *loop);

#endif
