/* Proofs that one index is always less than another, from the bounds of the loops. */
#ifndef TIRB_COMPILER_OPTIMIZE_FACTS_ORDER_H
#define TIRB_COMPILER_OPTIMIZE_FACTS_ORDER_H

#include "compiler/optimize/facts/affine.h"

/* Whether a never equals b, where `a` and `b` may belong to different iterations of the loops in `apart` and belong to
 * the same iteration of all others. True only when it is proven. */
bool tirbi_never_equal(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart);
/* Whether one of them is always less than the other, in the same sense, and not only another remainder. */
bool tirbi_keeps_ahead(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart);
/* Whether the whole number that the sum x would be is always below times * n + plus; whether it never is. */
bool tirbi_always_below(const tirbi_lx *x, int64_t times, const tirbi_lx *n, int64_t plus);
bool tirbi_never_below(const tirbi_lx *x, int64_t times, const tirbi_lx *n, int64_t plus);

#endif
