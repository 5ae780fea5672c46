/* Loops whose iterations only meet in some of them, or for some sizes. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_MEETINGS_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_MEETINGS_H

#include "compiler/loop/loop.h"

/* for i: A[i * inc] = f(A[i * inc]): where inc is not 0, no iteration reaches what another one stores to.
 * for i: A[i] = f(A[i], A[k]): only iteration k stores to what others read.
 * for i in range(n): A[i] = f(A[n - 1 - i]): neither the iterations before the two places cross nor those behind meet
 * each other. So it is these, the one that is met, and those. */
typedef struct tirbi_apart {
    const tirbi_lx *asks;    /* a value before the loop: whether its iterations are apart, or where it is cut */
    const tirbi_ls *all;     /* does what the loop does where they are, who then are known to be; NULL: it is cut */
    const tirbi_ls *cut;     /* does what the loop does */
    const tirbi_ls *most[2]; /* loops in it, in which no iterations meet; NULL: there is no such one */
    bool crosses;
} tirbi_apart;

/* False where the loop carries no dependence, or others (or memory ran out). */
bool tirbi_find_apart(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_apart *out);

/* for i: for j: D[i, j] = f(D[i, j], D[i, k], D[k, j]): row k and column k are read by all rows and columns, and
 * written where i or j is k. The iterations before k, k alone and those behind k of either loop are nests of their own,
 * in which nothing is read that another of their iterations writes; of one row they keep their order. Returns what to
 * emit instead of the loop; NULL where it is no such nest, where its parts would not be lanes, and when memory ran
 * out. */
const tirbi_ls *tirbi_split_at_meetings(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
