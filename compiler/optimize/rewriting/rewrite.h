/* Copies of loop IR with some expressions replaced. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITING_REWRITE_H
#define TIRB_COMPILER_OPTIMIZE_REWRITING_REWRITE_H

#include "compiler/loop/loop.h"

/* The variable of a loop, or one that is set once, of which a copy is being made. */
typedef struct tirbi_renamed {
    const tirbi_lvar *from;
    const tirbi_lvar *to;
    const struct tirbi_renamed *around;
} tirbi_renamed;

typedef struct tirbi_rewrite {
    tirbi_lx_pool *pool;
    /* What stands for x: another expression, or NULL when x is to be looked into. */
    const tirbi_lx *(*replace)(struct tirbi_rewrite *rewrite, const tirbi_lx *x);
    const tirbi_ls *(*statement)(struct tirbi_rewrite *rewrite, const tirbi_ls *stmt); /* of statements; may be NULL */
    void *context;
    bool loops; /* statements may have loops in them: each copy has a variable of its own */
    bool lets;  /* and variables that are set once, of which that is so as well; none that are assigned */
    bool renumber; /* an element's number follows from its subscripts anew, where it did */
    const tirbi_renamed *renamed;
} tirbi_rewrite;

/* NULL when memory ran out, and for calls of functions. */
const tirbi_lx *tirbi_rewrite_value(tirbi_rewrite *rewrite, const tirbi_lx *x);
const tirbi_place *tirbi_rewrite_place(tirbi_rewrite *rewrite, const tirbi_place *place);
/* An integer as another integer type: the arithmetic is done in that type, modulo its range. NULL when memory ran
 * out. */
const tirbi_lx *tirbi_value_in_type(tirbi_lx_pool *pool, tirbi_dtype type, const tirbi_lx *x);
/* Stores, conditions, sequences of them and, where that is asked for, loops; NULL for anything else. */
const tirbi_ls *tirbi_rewrite_stmt(tirbi_rewrite *rewrite, const tirbi_ls *stmt);

/* The same for code that assigns variables as well, which stay those that they are. */
const tirbi_ls *tirbi_rewrite_assignments(tirbi_rewrite *rewrite, const tirbi_ls *stmt);

#endif
