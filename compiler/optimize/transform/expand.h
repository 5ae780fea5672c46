/* Scalar and array expansion: what each iteration of some loops has for itself, a variable or an array, is an element
 * or a row of memory that all of them have. */
#ifndef TIRB_COMPILER_OPTIMIZE_TRANSFORM_EXPAND_H
#define TIRB_COMPILER_OPTIMIZE_TRANSFORM_EXPAND_H

#include "compiler/loop/exact.h"

enum { TIRBI_MAX_EXPANDED = 8 };

typedef struct tirbi_expansion {
    tirbi_lx_pool *pool;
    const tirbi_loop_set *loops;
    struct {
        const tirbi_lbuf *buffer; /* or NULL */
        const tirbi_lvar *var;
        tirbi_lbuf *rows;
    } item[TIRBI_MAX_EXPANDED];
    uint32_t n;
} tirbi_expansion;

/* Whether a buffer, or where that is NULL a variable, is to have rows. */
bool tirbi_is_expanded(const tirbi_expansion *e, const tirbi_lbuf *buffer, const tirbi_lvar *var);
/* Adds one; false: they are too many. */
bool tirbi_add_expanded(tirbi_expansion *e, const tirbi_lbuf *buffer, const tirbi_lvar *var);
/* Makes the memory of all, with a dimension for each loop ahead of their own; false: that is too many (or memory ran
 * out). */
bool tirbi_make_rows(tirbi_expansion *e);
/* A statement inside of the loops with the rows in place. NULL: it is none of a nest, some loop's bounds need what is
 * in them, or memory ran out. */
const tirbi_ls *tirbi_use_rows(tirbi_expansion *e, const tirbi_ls *s);

#endif
