/* Loops around others that are better inside them, or around each statement for itself. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_COLUMNS_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_COLUMNS_H

#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/statements.h"

/* Fewer are not worth lanes of their own in each round of the loops around them. */
enum { TIRBI_LEAST_COLUMNS = 16 };

/* What has to become of a loop that moves inwards: lanes that write with unit strides, that read along rows as well and
 * name no elements, or what the caller makes of it, a loop with a variable of its own each time. */
typedef enum tirbi_inwards { TIRBI_INWARDS_UNIT, TIRBI_INWARDS_ALONG, TIRBI_INWARDS_ANY } tirbi_inwards;

/* The loop's statements and loops one after the other, each with the loop inside; NULL where that cannot be, or does
 * not make such lanes of all of it (or memory ran out). */
const tirbi_ls *tirbi_move_inwards(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_inwards as);

/* Two loops of which one goes along columns that are independent of each other, as recurrences over time or down a
 * matrix do: the columns as lanes around it, each of which keeps what a row hands on to the next one, where rows are
 * not long. False where that cannot be (or memory ran out). */
bool tirbi_carry_columns(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

/* for i: { A[i] = ..; for j: B[i, j] = ..A[i].. } as a loop for each of the statements, where those that are nests then
 * have both loops in one lane loop; NULL where that cannot be (or memory ran out). */
const tirbi_ls *tirbi_take_apart(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
