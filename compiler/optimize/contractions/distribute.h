/* Distribution of a nest around a contraction: what stands before and after the sum in its loops gets loops of its
 * own. */
#ifndef TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_DISTRIBUTE_H
#define TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_DISTRIBUTE_H

#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/transform/distribute.h"

typedef struct tirbi_contraction_nest {
    tirbi_contract_plan plan;
    tirbi_distribution before, after; /* what is done ahead of it and behind it */
} tirbi_contraction_nest;

/* False where the loop is no such nest, or its parts may not be taken one after the other. */
bool tirbi_distribute_contraction(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_contraction_nest *out);

/* Whether a loop is a contraction, as it stands or distributed. */
bool tirbi_contracts(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
