/* Copies of loop IR with some expressions replaced. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITE_H
#define TIRB_COMPILER_OPTIMIZE_REWRITE_H

#include "compiler/lower/loop.h"

typedef struct tirbi_rewrite {
    tirbi_lx_pool *pool;
    /* What stands for x: another expression, or NULL when x is to be looked into. */
    const tirbi_lx *(*replace)(struct tirbi_rewrite *rewrite, const tirbi_lx *x);
    void *context;
} tirbi_rewrite;

/* NULL when memory ran out, and for calls of functions. */
const tirbi_lx *tirbi_rewrite_value(tirbi_rewrite *rewrite, const tirbi_lx *x);
const tirbi_place *tirbi_rewrite_place(tirbi_rewrite *rewrite, const tirbi_place *place);
/* Straight-line code only: stores, conditions and sequences of them; NULL for anything else. */
const tirbi_ls *tirbi_rewrite_stmt(tirbi_rewrite *rewrite, const tirbi_ls *stmt);

/* The same for code that assigns variables as well, which stay those that they are. */
const tirbi_ls *tirbi_rewrite_assignments(tirbi_rewrite *rewrite, const tirbi_ls *stmt);

#endif
