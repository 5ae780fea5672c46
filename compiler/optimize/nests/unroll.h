/* Short loops of sums and of neighbouring elements, written out. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_UNROLL_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_UNROLL_H

#include "compiler/loop/loop.h"

/* Iterations that are written out, of the loops of a sum all together. */
enum { TIRBI_MAX_WRITTEN_OUT = 27 };

/* for i: O[i] = 0; for r in range(3): O[i] += A[i + r] becomes for i: O[i] = 0 + A[i] + A[i + 1] + A[i + 2], where such
 * loops have few iterations and the nest around them has many: windows of pools and filters. The operations and their
 * order stay. So is the innermost loop of few iterations that goes between the elements another loop writes. The
 * statement with such nests in place of those that lanes run well in this form; `disabled` is a
 * set of TIRB_PASS_*. */
const tirbi_ls *tirbi_unroll_sums(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled);

#endif
