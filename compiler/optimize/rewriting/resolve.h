/* Copies of code for a part of a loop's range, in which conditions are decided. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITING_RESOLVE_H
#define TIRB_COMPILER_OPTIMIZE_REWRITING_RESOLVE_H

#include "compiler/loop/loop.h"
#include "compiler/loop/sums.h"

enum { TIRBI_MAX_GIVEN = 24 };

/* What holds wherever the code runs: each of these is not negative. */
typedef struct tirbi_given {
    tirbi_sum item[TIRBI_MAX_GIVEN];
    uint32_t n;
} tirbi_given;

/* Adds that x - y + constant is not negative. More than there is room for is forgotten. */
void tirbi_add_fact(tirbi_given *facts, const tirbi_lx *x, const tirbi_lx *y, int64_t constant);

/* The value of an integer comparison: 1 or 0, or -1 where it is not known. */
int tirbi_decide(const tirbi_given *facts, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b);

/* Whether `s` is of statements that tirbi_resolve copies. */
bool tirbi_can_resolve(const tirbi_ls *s);

/* A copy of `body` with `value` for the loop variable `from` and with variables of its own: conditions that the facts
 * decide are gone, and what they keep from running. `to` is the variable of the part, or NULL where it has one
 * iteration. A sequence of nothing where nothing is left; NULL when memory ran out. */
const tirbi_ls *tirbi_resolve(tirbi_lx_pool *pool, const tirbi_given *facts, const tirbi_ls *body,
                              const tirbi_lvar *from, const tirbi_lx *value, tirbi_lvar *to);

/* Whether a statement does nothing. */
bool tirbi_is_nothing(const tirbi_ls *s);

#endif
