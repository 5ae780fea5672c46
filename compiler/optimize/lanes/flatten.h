/* Indices that are the quotient and the remainder of one number. */
#ifndef TIRB_COMPILER_OPTIMIZE_LANES_FLATTEN_H
#define TIRB_COMPILER_OPTIMIZE_LANES_FLATTEN_H

#include "compiler/loop/loop.h"

/* The place in a buffer of fewer dimensions where neighbouring indices are the digits of one number, which is then the
 * index of both: it is in its range where the digits are in theirs. The place itself where there are none; NULL when
 * memory ran out. */
const tirbi_place *tirbi_flatten_place(tirbi_lx_pool *pool, const tirbi_place *place);

/* The same memory with dimensions first .. last, which follow each other there, as one; NULL when memory ran out. */
tirbi_lbuf *tirbi_join_dimensions(tirbi_lx_pool *pool, const tirbi_lbuf *buffer, uint32_t first, uint32_t last);

#endif
