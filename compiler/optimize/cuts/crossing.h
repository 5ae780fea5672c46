/* Loops that go through an array from both of its ends. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_CROSSING_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_CROSSING_H

#include "compiler/loop/loop.h"

/* for i in range(n): A[i] = f(A[n - 1 - i]) as the iterations before the two places cross, the one in which they are
 * the same, and those behind: neither the first nor the last ones meet each other. */
typedef struct tirbi_crossing {
    const tirbi_ls *before, *behind; /* loops */
    const tirbi_ls *stmt;            /* all three */
} tirbi_crossing;

/* False where the loop is none of that kind (or memory ran out). */
bool tirbi_split_at_crossing(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_crossing *out);

#endif
