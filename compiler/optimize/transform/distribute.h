/* Loop distribution: which statements of a nest may have loops of their own. */
#ifndef TIRB_COMPILER_OPTIMIZE_TRANSFORM_DISTRIBUTE_H
#define TIRB_COMPILER_OPTIMIZE_TRANSFORM_DISTRIBUTE_H

#include "compiler/loop/loop.h"

enum { TIRBI_MAX_DISTRIBUTED = 16 };

/* The statements of a body in groups, each of which may be done in all iterations of the loops before the next one is.
 * What depends on each other in a circle is one group, with its statements in their order, and so is what may fail in
 * different ways. */
typedef struct tirbi_distribution {
    const tirbi_ls *item[TIRBI_MAX_DISTRIBUTED];
    uint32_t n;
} tirbi_distribution;

/* Distributes some loops, each of which but the first is all of the one before, over the body of the innermost. False:
 * it is one group, or that cannot be told (or memory ran out). */
bool tirbi_distribute(tirbi_lx_pool *pool, const tirbi_ls *const *loops, uint32_t n_loops, const tirbi_ls *body,
                      tirbi_distribution *out);

/* What joins groups: whether a loop suits. */
typedef struct tirbi_joins {
    bool (*suits)(void *context, const tirbi_ls *loop);
    void *context;
} tirbi_joins;

/* A plain loop, as loops with variables of their own over the groups. An integer variable that an iteration stores to
 * its own element (`label[i] = at; count[at] += 1`) is read from there, so that what comes behind needs no other
 * group's. One that has loops inside is distributed for that alone, or where `around_loops`. Groups that follow each
 * other are joined where the loop over them suits, which reads once what they share; without `joins`, none are. */
bool tirbi_distribute_loop(tirbi_lx_pool *pool, const tirbi_ls *loop, bool around_loops, const tirbi_joins *joins,
                           tirbi_distribution *out);

#endif
