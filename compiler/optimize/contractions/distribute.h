/* Distribution of a nest around a contraction: what stands before and after the sum in its loops gets loops of its
 * own. */
#ifndef TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_DISTRIBUTE_H
#define TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_DISTRIBUTE_H

#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/transform/distribute.h"

/* A nest as nests one after the other, some of which are contractions, and memory that these need. False where there is
 * none, or they may not be taken one after the other. */
bool tirbi_distribute_contraction(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_distribution *out);

/* Whether a loop is a contraction, as it stands or distributed. */
bool tirbi_contracts(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
