/* Loops over a product of sizes, as where axes are fused or a tensor gets another shape: where their bodies take the
 * counter apart by some of the sizes, loops over these count in its place, and what was divided is their variables. */
#ifndef TIRB_COMPILER_OPTIMIZE_NORMALISE_PRODUCTS_H
#define TIRB_COMPILER_OPTIMIZE_NORMALISE_PRODUCTS_H

#include "compiler/loop/loop.h"

enum { TIRBI_MAX_SPLIT_SIZES = 64 };

/* What has to hold for loops to count the same: numbers that are not negative, and that no part of them wraps. */
typedef struct tirbi_split_sizes {
    const tirbi_lx *value[TIRBI_MAX_SPLIT_SIZES];
    uint32_t n;
} tirbi_split_sizes;

/* for i in range(n * m): .. A[i // m, i % m] ..: the statement with such loops made nests, for calls in which `sizes`
 * are so; there may be constants among the factors. Itself where there are none (or memory ran out). */
const tirbi_ls *tirbi_split_products(tirbi_lx_pool *pool, const tirbi_ls *body, tirbi_split_sizes *sizes);

#endif
