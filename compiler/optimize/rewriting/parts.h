/* Parts of a loop's iterations, as loops and as code of their own. Each is NULL when memory ran out, or where a part of
 * it is NULL. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITING_PARTS_H
#define TIRB_COMPILER_OPTIMIZE_REWRITING_PARTS_H

#include "compiler/optimize/rewriting/resolve.h"

/* A variable for the iterations from .. to - 1 of a loop, counted from 0, with what is known of it there. */
tirbi_lvar *tirbi_part_variable(tirbi_lx_pool *pool, const tirbi_lvar *old, const tirbi_lx *from, const tirbi_lx *to);

/* The loop with another variable and body; what was asked of the loop as a region is not asked of it. The body is of
 * statements that tirbi_resolve copies. */
const tirbi_ls *tirbi_loop_of(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_lvar *var, const tirbi_ls *body);
/* The part of a loop that the variable goes through, in which the facts hold and what its bounds say: of one iteration
 * alone, what is done in it. Nothing where nothing is left of the body. The facts are as before behind it. */
const tirbi_ls *tirbi_part_over(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_lvar *var, tirbi_given *facts);
/* What is done of a body in iteration `at` of the loop, counted from 0. */
const tirbi_ls *tirbi_iteration_at(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *body, const tirbi_lx *at);

#endif
