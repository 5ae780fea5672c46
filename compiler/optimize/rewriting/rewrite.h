/* Copies of loop IR in which something else stands for some expressions, variables, places and statements. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITING_REWRITE_H
#define TIRB_COMPILER_OPTIMIZE_REWRITING_REWRITE_H

#include "compiler/loop/exact.h"
#include "compiler/loop/visit.h"

/* A variable and what stands for it; the last one of a variable counts. NULL for a value: the copy is NULL. */
typedef struct tirbi_binding {
    const tirbi_lvar *var;
    const tirbi_lx *value;
    const struct tirbi_binding *before;
    uint32_t n; /* with those before */
} tirbi_binding;

/* What begins in code and is another variable in its copy; other variables, and with them the bounds of their loops,
 * are those that they were. */
enum {
    TIRBI_LOOPS_ANEW = 1, /* loops, which may not be of blocks or rows */
    TIRBI_LETS_ANEW = 2,  /* what is set once; code that sets anything else is not copied */
    TIRBI_SETS_ANEW = 4,  /* all that is set */
    TIRBI_ALL_ANEW = 5    /* loops and all that is set */
};

typedef struct tirbi_rewrite {
    tirbi_lx_pool *pool;
    /* What stands for an expression or a statement, NULL: it is looked into; and for a place. Each may be NULL. */
    const tirbi_lx *(*replace)(struct tirbi_rewrite *rewrite, const tirbi_lx *x);
    const tirbi_place *(*place)(struct tirbi_rewrite *rewrite, const tirbi_place *place);
    const tirbi_ls *(*statement)(struct tirbi_rewrite *rewrite, const tirbi_ls *stmt);
    void *context;
    const tirbi_binding *bound;
    uint32_t kinds; /* of statements that are copied; 0: those of straight code, and loops where they are anew */
    uint8_t anew;   /* TIRBI_..._ANEW */
    bool stores;    /* what sets a variable that an element is bound to stores to it */
    bool renumber;  /* an element's number follows from its subscripts anew, where it did */
    /* Loops that conditions ask for the first iteration of, or that a tree reduction has: `from`, all of them or none,
     * are `to`; with none in `to`, the copy is of their first iteration. */
    tirbi_lvar *const *from, *const *to;
    uint32_t n_from, n_to;
} tirbi_rewrite;

/* Binds a variable, for as long as the rewrite is used. */
void tirbi_bind_variable(tirbi_rewrite *rewrite, const tirbi_lvar *var, const tirbi_lx *value);
/* Binds some variables to others. */
void tirbi_bind_variables(tirbi_rewrite *rewrite, const tirbi_loop_set *from, const tirbi_loop_set *to);

/* NULL when memory ran out, for calls of functions, and for NULL. */
const tirbi_lx *tirbi_rewrite_value(tirbi_rewrite *rewrite, const tirbi_lx *x);
const tirbi_place *tirbi_rewrite_place(tirbi_rewrite *rewrite, const tirbi_place *place);
/* The place with its subscripts rewritten, for functions that say what stands for places. */
const tirbi_place *tirbi_rewrite_subscripts(tirbi_rewrite *rewrite, const tirbi_place *place);
/* NULL for NULL and for statements that are not copied as well. */
const tirbi_ls *tirbi_rewrite_stmt(tirbi_rewrite *rewrite, const tirbi_ls *stmt);
/* The statement with what is inside rewritten, for functions that say what stands for statements. */
const tirbi_ls *tirbi_rewrite_inside(tirbi_rewrite *rewrite, const tirbi_ls *stmt);

/* An expression with a value in place of a variable. */
const tirbi_lx *tirbi_value_with(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_lvar *var, const tirbi_lx *value);
/* A loop's body with a value in place of its counter, and another loop in its place where conditions ask for its first
 * iteration. */
const tirbi_ls *tirbi_recount(tirbi_lx_pool *pool, const tirbi_ls *body, tirbi_lvar *old, tirbi_lvar *fresh,
                              const tirbi_lx *value);
/* Straight code with a value in place of a variable. */
const tirbi_ls *tirbi_code_with(tirbi_lx_pool *pool, const tirbi_ls *s, const tirbi_lvar *var, const tirbi_lx *value);

/* The place in `buffer` with these indices. */
const tirbi_place *tirbi_place_in(tirbi_lx_pool *pool, tirbi_lbuf *buffer, const tirbi_lx *const *indices,
                                  tirbi_span span);
/* An integer as another integer type: the arithmetic is done in that type, modulo its range. NULL when memory ran
 * out. */
const tirbi_lx *tirbi_value_in_type(tirbi_lx_pool *pool, tirbi_dtype type, const tirbi_lx *x);

/* Whether loops' variables are nothing but values in a body: no bound of a loop in it and no buffer depends on them,
 * nothing in it leaves the loop or calls a function. Such a body may be copied with other loops in their place. */
bool tirbi_may_recount(const tirbi_ls *body, const tirbi_loop_set *counters);
/* All statements but searches, which planning makes. */
#define TIRBI_ANY_CODE (~TIRBI_KIND(SEARCH))

#endif
