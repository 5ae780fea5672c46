/* Nests that store to each element of a buffer once, and what an element is then. */
#ifndef TIRB_COMPILER_OPTIMIZE_REWRITING_FILL_H
#define TIRB_COMPILER_OPTIMIZE_REWRITING_FILL_H

#include "compiler/optimize/rewriting/rewrite.h"

typedef struct tirbi_fill {
    tirbi_loop_set loops;                 /* plain ones that count from 0 on */
    uint32_t dimension[TIRBI_MAX_AFFINE]; /* that a loop's variable is the subscript of; ndim: it has one value */
    const tirbi_ls *body, *store;         /* what is in all loops, and the store that this is or begins with */
} tirbi_fill;

/* Whether each subscript of a place is the variable of a loop of its own that goes through all of its dimension, or 0
 * where there is one element; finds the dimension of each loop, ndim where it has none. */
bool tirbi_is_each_element(const tirbi_place *place, const tirbi_loop_set *loops, uint32_t dimension[TIRBI_MAX_AFFINE]);

/* Whether a nest comes to each element of a buffer once, and stores to it before it does anything else there. */
bool tirbi_read_fill(const tirbi_ls *nest, tirbi_fill *out);

/* Binds the loops' variables to what they are where the element of a place is stored. */
void tirbi_bind_fill(tirbi_rewrite *rewrite, const tirbi_fill *fill, const tirbi_place *place);

#endif
