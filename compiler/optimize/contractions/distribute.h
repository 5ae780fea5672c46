/* Distribution of a nest around a contraction: what stands before and after the sum in its loops gets loops of its
 * own. */
#ifndef TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_DISTRIBUTE_H
#define TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_DISTRIBUTE_H

#include "compiler/optimize/contractions/contract.h"

enum { TIRBI_MAX_PARTS = 16 };

typedef struct tirbi_distribution {
    const tirbi_ls *before[TIRBI_MAX_PARTS], *after[TIRBI_MAX_PARTS];
    uint32_t n_before, n_after;
    tirbi_lbuf *temporaries[TIRBI_MAX_PARTS]; /* allocated before all of it */
    uint32_t n_temporaries;
    tirbi_contract_plan plan;
} tirbi_distribution;

/* False where the loop is no such nest, or its parts may not be taken one after the other. */
bool tirbi_distribute_contraction(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_distribution *out);

/* Whether a loop is a contraction, as it stands or distributed. */
bool tirbi_contracts(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
