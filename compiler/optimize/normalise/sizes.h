/* One version of a function for the sizes that sane calls have, and the plain one for all others.
 *
 * In the version for sane sizes no index wraps, its sizes are small enough that products of them do not either, and an
 * index that counts the elements of several dimensions is several indices again (delinearisation). One test at the
 * function's entry decides which version runs. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_SIZES_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_SIZES_H

#include "compiler/loop/loop.h"

/* The body, or a choice between its versions (if_.sizes); NULL when memory ran out. */
const tirbi_ls *tirbi_version_sizes(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
