/* Temporaries that are zero but at every so many elements of some dimensions, or at one: data that is dilated, and
 * padded. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_DILATED_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_DILATED_H

#include "compiler/optimize/analysis/access.h"

enum { TIRBI_MAX_FILLS = 4 };

typedef struct tirbi_dilated {
    const tirbi_lbuf *buffer;
    /* The element at var[0], var[1], ..: a choice of zero and what other memory holds. */
    const tirbi_lvar *var[TIRBI_MAX_NDIM]; /* of a loop over the dimension; NULL: it has one element */
    const tirbi_lx *value;
    /* Elements of dimension d are zero but those at from[d] + k * every[d]; every[d] is 1 where nothing is known. */
    int64_t every[TIRBI_MAX_NDIM], from[TIRBI_MAX_NDIM];
    bool alone[TIRBI_MAX_NDIM]; /* from[d] is the only one; every[d] is the dimension's extent */
    uint32_t fill[TIRBI_MAX_FILLS]; /* the items that fill it and the temporaries which it is made of, last first */
    uint32_t n_fills;
} tirbi_dilated;

/* Whether memory that an item of a sequence ahead of `reader` fills is such; no other item has to do with it, nor with
 * the temporaries that it is made of. */
bool tirbi_find_dilated(tirbi_lx_pool *pool, const tirbi_ls *seq, uint32_t reader, const tirbi_lbuf *buffer,
                        tirbi_dilated *out);

/* The element that an item of a sequence ahead of `reader` copies to the one that it loads, where memory is filled with
 * copies alone and nothing else uses it; NULL where that is not so (or memory ran out). */
const tirbi_lx *tirbi_find_copied(tirbi_lx_pool *pool, const tirbi_ls *seq, uint32_t reader, const tirbi_lx *load,
                                  uint32_t *item);

#endif
