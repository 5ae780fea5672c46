/* Copies of bodies of loops in which these count otherwise: as two loops, as one loop of two, as no loop at all. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITING_RECOUNT_H
#define TIRB_COMPILER_OPTIMIZE_REWRITING_RECOUNT_H

#include "compiler/loop/exact.h"
#include "compiler/optimize/rewriting/rewrite.h"

typedef struct tirbi_recount {
    tirbi_rewrite values; /* what stands for an expression, or for a statement */
    /* Loops of which conditions ask for the first iteration, or that a tree reduction has: `from`, all of them or none,
     * are `to`. With none in `to`, what names one of `from` names no loop any more. */
    tirbi_lvar *const *from, *const *to;
    uint32_t n_from, n_to;
    /* The variable that stands for one which begins in the body, or is set there; NULL: there is no room for it. May
     * itself be NULL: variables stay, and with them the bounds of the body's loops. */
    tirbi_lvar *(*begin)(void *context, tirbi_lvar *var);
    tirbi_lvar *(*named)(const void *context, tirbi_lvar *var);
} tirbi_recount;

/* Whether loops' variables are nothing but values in a body: no bound of a loop in it and no buffer depends on them,
 * nothing in it leaves the loop or calls a function. */
bool tirbi_may_recount(const tirbi_ls *body, const tirbi_loop_set *counters);
/* Any statement but a search; NULL for that, where only some of the loops are meant, and when memory ran out. */
const tirbi_ls *tirbi_recount_stmt(tirbi_recount *recount, const tirbi_ls *stmt);

#endif
