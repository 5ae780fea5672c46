/* What conditions in a loop's body ask of the loop's variable. */
#ifndef TIRB_COMPILER_OPTIMIZE_CUTS_QUESTIONS_H
#define TIRB_COMPILER_OPTIMIZE_CUTS_QUESTIONS_H

#include "compiler/loop/sums.h"

/* The factor of a variable in a sum, and the rest of that: false where it has none, or another term depends on it. */
bool tirbi_take_factor(const tirbi_sum *sum, const tirbi_lvar *var, int64_t *factor, tirbi_sum *rest);

/* Variables of loops that are cut at their ends are known to be at most this, so that sums of them and of what loops
 * inside add to them are seen not to wrap. */
enum { TIRBI_MAX_CUTS = 24, TIRBI_LARGEST_CUT = INT32_MAX - 64 };

/* The first iterations of parts of a loop but for the first part, in order, counted from 0 on; those that are less than
 * 0 from the loop's end on. */
typedef struct tirbi_cuts {
    int64_t at[TIRBI_MAX_CUTS];
    uint32_t n;
} tirbi_cuts;

/* Where the answers change of what is asked in the body of a loop. Of a loop whose extent is known at run time, how
 * many of its first and of its last iterations get other answers than those between them, where there are more than
 * these. False: memory ran out. */
bool tirbi_find_cuts(tirbi_cuts *cuts, tirbi_lx_pool *pool, tirbi_lvar *var, const tirbi_ls *body);

#endif
