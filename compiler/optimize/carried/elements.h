/* Small local arrays as variables, one for each element. */
#ifndef TIRB_COMPILER_OPTIMIZE_CARRIED_ELEMENTS_H
#define TIRB_COMPILER_OPTIMIZE_CARRIED_ELEMENTS_H

#include "compiler/optimize/notes.h"

/* for i: { t = alloc(2); for k in range(2): t[k] = A[i, k]; B[i] = t[0] * t[1] } becomes for i: t0 = A[i, 0];
 * t1 = A[i, 1]; B[i] = t0 * t1: the short loops that say which element it is are written out, and the loop around them
 * may be lanes, each with elements of its own. So are arrays that were allocated before the loop, where each iteration
 * sets what it reads. The statement with such loops so; those stay that would not be lanes, or have long loops inside
 * that are. `disabled` is a set of TIRB_PASS_*. */
const tirbi_ls *tirbi_write_out_elements(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled,
                                         tirbi_notes *notes);

#endif
