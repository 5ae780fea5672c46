/* Loops that seldom change what they carry: extremes with the place where they are, guarded updates. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_SEARCH_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_SEARCH_H

#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/statements.h"

/* for k: if A[k] > best: best = A[k]; where = k: most iterations leave the variables alone, which is seen in many at
 * once: lanes look for the next iteration that does not, and it runs by itself, with some behind it where such ones are
 * close together. Whatever the updates are, each sees what the ones before it have left. The loop sets variables and
 * does nothing else. Returns what to emit instead of it, or NULL when its updates are not of that kind (or memory ran
 * out). */
const tirbi_ls *tirbi_search_updates(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* The same where the loop stores to elements that stand still in it: see tirbi_carry_elements. */
const tirbi_ls *tirbi_search_elements(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* for i: if c(i): anything: the same for a loop that stores, or has loops in it, where iterations of which lanes can
 * tell do nothing at all: while loops that do not begin, choices of which no arm is taken. The condition of an
 * iteration is looked at when all before it are done. */
bool tirbi_skip_idle(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

/* The loop inside of `loop` that is better searched, row after row, than run in each of `loop`'s lanes; NULL: none
 * is. */
const tirbi_ls *tirbi_find_searched(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* Whether all that can fail in an expression is computed whenever it is: then it can be checked before. */
bool tirbi_fails_surely(const tirbi_lx *x);

/* Plans the lanes of a TIRBI_LS_SEARCH, whose condition every iteration of the program's loop computes. */
tirbi_lane_plan *tirbi_plan_search(tirbi_lx_pool *pool, const tirbi_ls *search);
/* A search of lanes through what a variable counts, which sets `found`; NULL: lanes cannot do it, memory ran out, or a
 * part of it is NULL. */
const tirbi_ls *tirbi_new_search(tirbi_lx_pool *pool, tirbi_span span, tirbi_lvar *var, const tirbi_lx *condition,
                                 tirbi_lvar *found);

#endif
