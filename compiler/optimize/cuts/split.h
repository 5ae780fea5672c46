/* Loops whose body is a choice, made into loops whose bodies are not: unswitching and index-set splitting. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_SPLIT_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_SPLIT_H

#include "compiler/optimize/facts/affine.h"

/* for v: if c: a else: b. Where c does not change in the loop, this is a choice between two loops; where c bounds v, it
 * is three loops, one after the other: before the bounds, between them, behind them. What expressions of the body
 * choose, T.min and T.max of integers among them, is decided in the same way. Returns the statement to emit instead of
 * the loop, or NULL when its body is no such choice (or memory ran out). */
const tirbi_ls *tirbi_split_loop(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* The same for a choice among other statements of straight code, by what stands still in the loop: each part has the
 * others as they are. NULL where there is none. */
const tirbi_ls *tirbi_split_statements(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* The same for a loop of a nest whose iterations may be taken in any order: as nests of all of its loops, one after the
 * other, so that each can be lanes as a whole. */
const tirbi_ls *tirbi_split_nest(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* A loop in which choices between a constant and something else are decided by what stands still: one without them
 * where all of them are something else, as inside of an image, or the loop. NULL where it has none. */
const tirbi_ls *tirbi_split_usual(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
