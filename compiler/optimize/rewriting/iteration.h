/* An iteration of a loop as statements one after the other, and which of its values may be computed in another one. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITING_ITERATION_H
#define TIRB_COMPILER_OPTIMIZE_REWRITING_ITERATION_H

#include "compiler/optimize/analysis/access.h"

enum { TIRBI_MAX_ITEMS = 32, TIRBI_MAX_ITEM_PLACES = 64 };

typedef struct tirbi_iteration {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    const tirbi_ls *item[TIRBI_MAX_ITEMS]; /* the body, in order */
    uint32_t n;
    uint32_t at;            /* the item that is looked at */
    tirbi_loop_set sets;    /* variables that it sets, as often as it does */
    tirbi_accesses reached; /* what it reaches, with the item as part */
    tirbi_reached place[TIRBI_MAX_ITEM_PLACES];
} tirbi_iteration;

/* Begins one of a loop, without items yet. It stays where it is. */
void tirbi_begin_iteration(tirbi_iteration *it, tirbi_lx_pool *pool, const tirbi_ls *loop);
/* Adds straight code as an item; false: it is none, or too much. */
bool tirbi_add_item(tirbi_iteration *it, const tirbi_ls *s);
/* Reads the iteration of a plain loop around straight code; false where it is none, or too much. */
bool tirbi_read_iteration(tirbi_iteration *it, tirbi_lx_pool *pool, const tirbi_ls *loop);

uint32_t tirbi_times_set(const tirbi_iteration *it, const tirbi_lvar *var);

/* Whether a value of item `at` may be computed anywhere else, once the loop's variable is what it is in the iteration:
 * it cannot fail, nothing that it loads is stored to in the loop, and what it names has a value of that kind. */
bool tirbi_is_known_elsewhere(const tirbi_iteration *it, const tirbi_lx *x);
/* That value, in the iteration whose variable is `counter`; NULL when memory ran out, and for NULL. */
const tirbi_lx *tirbi_value_elsewhere(const tirbi_iteration *it, const tirbi_lx *x, const tirbi_lx *counter);

/* Some of its items, one after the other. */
const tirbi_ls *tirbi_items(const tirbi_iteration *it, const tirbi_ls *const *items, uint32_t n);

#endif
