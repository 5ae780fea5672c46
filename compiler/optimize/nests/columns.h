/* Loops around others that are better inside them, or around each statement for itself. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_COLUMNS_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_COLUMNS_H

#include "compiler/optimize/lanes/lanes.h"

/* Fewer are not worth lanes of their own in each round of the loops around them. */
enum { TIRBI_LEAST_COLUMNS = 16 };

/* The loop's statements and loops one after the other, each with the loop inside as lanes; NULL where that cannot be,
 * or does not make unit-stride lanes of all of it (or memory ran out). `along`: these have to read along rows as well,
 * and name no elements. */
const tirbi_ls *tirbi_move_inwards(tirbi_lx_pool *pool, const tirbi_ls *loop, bool along);

/* Two loops of which one goes along columns that are independent of each other, as recurrences over time or down a
 * matrix do: the columns as lanes around it, each of which keeps what a row hands on to the next one. NULL where that
 * cannot be (or memory ran out), or where rows are long. */
const tirbi_ls *tirbi_carry_columns(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* for i: { A[i] = ..; for j: B[i, j] = ..A[i].. } as a loop for each of the statements, where those that are nests then
 * have both loops in one lane loop; NULL where that cannot be (or memory ran out). */
const tirbi_ls *tirbi_take_apart(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
