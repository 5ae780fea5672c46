/* Loops that write some of their elements one after the other. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_PACKING_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_PACKING_H

#include "compiler/optimize/rewriting/statements.h"

/* for i: if c: B[j] = x; j = j + 1, a block of iterations at a time: lanes put what is kept one after the other
 * into memory of their own, and everything else behind that; then it is copied to where the counter stands. `loop`
 * is the one in the blocks that keeps, `stmt` all of it. False where the loop is none of that kind (or memory ran
 * out). */
bool tirbi_pack_elements(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);
/* The same where elements that stand still count: for i: if c: B[N[0]] = x; N[0] = N[0] + 1. What to emit instead of
 * it, whose loop is lanes in order, or NULL. (carry.c) */
const tirbi_ls *tirbi_pack_by_elements(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
