/* What is known of integers by the terms that they are sums of. */
#ifndef TIRB_COMPILER_OPTIMIZE_PROOFS_H
#define TIRB_COMPILER_OPTIMIZE_PROOFS_H

#include "compiler/lower/loop.h"

/* Whether `index` is less than a dimension of the buffer, wherever the buffer is. */
bool tirbi_is_below(const tirbi_lx *index, const tirbi_lbuf *buffer, uint32_t dimension);

/* Whether a - b is the same number whatever their terms are. */
bool tirbi_constant_difference(const tirbi_lx *a, const tirbi_lx *b, int64_t *difference);

#endif
