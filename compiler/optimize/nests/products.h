/* Loops over a product of sizes, as where a tensor gets another shape: where indices take their counter apart by some
 * of the sizes, a nest with a loop for each has affine indices instead. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_PRODUCTS_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_PRODUCTS_H

#include "compiler/loop/loop.h"

/* for i in range(n * m): .. A[i // m, i % m] ..: the statement with such loops made nests where no size is below 1 and
 * the product fits its type, which is asked for before them; there may be constants among the sizes. Itself where there
 * are none (or memory ran out). */
const tirbi_ls *tirbi_split_products(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
