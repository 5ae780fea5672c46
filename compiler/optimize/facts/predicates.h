/* Comparisons of integers by the iterations of loops. */
#ifndef TIRB_COMPILER_OPTIMIZE_FACTS_PREDICATES_H
#define TIRB_COMPILER_OPTIMIZE_FACTS_PREDICATES_H

#include "compiler/optimize/facts/affine.h"

/* by[0] * k0 + by[1] * k1 + .. + more - less >= 0, or > 0 where it is strict; ki counts the iterations of loop i. An
 * equality holds where both that and its opposite do. */
typedef struct tirbi_predicate {
    int64_t by[TIRBI_MAX_AFFINE];
    const tirbi_lx *more, *less; /* int64, not changed by the loops */
    bool strict;
} tirbi_predicate;

/* False where it is no pure comparison, or of other than constant factors (or memory ran out). */
bool tirbi_predicate_of(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_loop_set *loops, tirbi_predicate *out);

/* In which iterations of one loop a comparison holds: from number *from on, up to the one before *to; NULL: there is no
 * such end. What would not fit counts as the number that is nearest. False where it says nothing of that kind. */
bool tirbi_iterations_where(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_loop_set *loop, const tirbi_lx **from,
                            const tirbi_lx **to);

#endif
