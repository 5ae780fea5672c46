/* Loops whose statements do not need each other, as a loop for each. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_SEPARATE_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_SEPARATE_H

#include "compiler/loop/loop.h"

enum { TIRBI_MAX_SEPARATE = 16 };

/* for i: A[i] = B[i - 1]; B[i] = C[i] becomes a loop that stores to B and then one that stores to A: statements which
 * need each other in turns stay together, and each finds what it found before. The number of loops in `out`, which run
 * one after the other; 0 where there is but one, and when memory ran out.
 *
 * An integer variable that an iteration stores is read from there: for i: ..; o[i] = k; n[k] = n[k] + 1 has n[o[i]] in
 * its second loop. Where that does not tell statements apart, none of them may fail, or be a loop unless `loops`; what
 * can fail is in one loop. */
uint32_t tirbi_separate(tirbi_lx_pool *pool, const tirbi_ls *loop, bool loops,
                        const tirbi_ls *out[TIRBI_MAX_SEPARATE]);

#endif
