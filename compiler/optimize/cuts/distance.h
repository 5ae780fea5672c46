/* Loops that store to the array that they read at a distance. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_DISTANCE_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_DISTANCE_H

#include "compiler/optimize/analysis/depend.h"
#include "compiler/optimize/rewriting/statements.h"

/* for c: A[c] = f(A[c], A[c - w]): as many iterations as the distance never meet, whichever way the loop goes. So it is
 * a loop over blocks of so many, which are lanes, where these are long enough. Where all distances are multiples of a
 * small number it is a loop over the remainders, each with the iterations that have it, one after the other: `loop` is
 * one of them. False where the loop is none of that kind, or its blocks would not be lanes (or memory ran out). */
bool tirbi_block_by_distance(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

/* A loop that carries variables from iteration to iteration in lanes, and reads only what later iterations store to:
 * one that does what it does, whose iterations load that first. NULL as above. */
const tirbi_ls *tirbi_load_first(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* Whether both ends of an edge go by the same step: where one iteration may reach the same element twice, the machine
 * sees that no two iterations meet there. */
bool tirbi_steps_alike(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_dependences *graph, const tirbi_edge *e);

#endif
