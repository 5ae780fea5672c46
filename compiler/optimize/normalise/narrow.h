/* Temporaries of int64 that hold no more than int32 does. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_NARROW_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_NARROW_H

#include "compiler/loop/loop.h"

/* Memory of int64 that is the program's own, whose elements are chosen again from what they were and other values, all
 * of which int32 holds, becomes memory of int32: places that a reduction carries. */
const tirbi_ls *tirbi_narrow_temporaries(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
