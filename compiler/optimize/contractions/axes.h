/* Tree reductions over several axes whose elements follow each other in memory: the axes become one, so that short
 * rows, like those of an image's channel, are done as one long row. */
#ifndef TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_AXES_H
#define TIRB_COMPILER_OPTIMIZE_CONTRACTIONS_AXES_H

#include "compiler/loop/loop.h"

/* The statement with such axes joined; itself where there are none (or memory ran out). Elements keep their numbers. */
const tirbi_ls *tirbi_join_axes(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
