/* Loops around several nests. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_APART_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_APART_H

#include "compiler/loop/loop.h"

/* A body in which loops around nothing but nests are loops around each of them, where these may be done one after the
 * other: a nest is the same whatever shares its loops, and what is gained by sharing is asked later. */
const tirbi_ls *tirbi_take_nests_apart(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
