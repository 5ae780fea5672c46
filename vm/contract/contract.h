/* Contractions: C[..] = C[..] + A[..] * B[..] over a nest of loops, or another semiring's operations (semirings.def),
 * as the machine runs them.
 *
 * The loops are sorted into those of C and A only (rows), of C and B only (columns), of C with both or neither (batch),
 * and of A and B only (k). For each batch, blocks of k are taken in order; A and B are packed to the type of C, where
 * that pays, and tiles of C are updated in registers (tiles.h). Each element of C meets its products in the order of
 * the loops. Columns that follow each other in B, as the places of a convolution do, are multiplied where they are,
 * whatever lies between B's rows, where packing would cost more than the vectors that are not whole; so are those that
 * are a few elements apart, as of strided convolutions, once all of B is brought together (together.c).
 *
 * Products of integers of 8 and 16 bits are summed in 32 bits, modulo 2^32, so their order is free: there A and B are
 * packed to words of two int16, or of four 8-bit values where the machine multiplies unsigned by signed ones. If both
 * operands are of one kind, A's top bits are flipped, which adds 128 to each value or takes it away, and 128 times the
 * sums of B's columns makes up for it.
 *
 * Where one of rows and columns is missing and C's elements lie side by side, as in depthwise convolutions, nothing is
 * packed: strips of C are swept over (sweep.c).
 *
 * Sums of 16-bit floats are rounded to their type after every operation. Tiles hold them, A and B as float32. */
#ifndef TIRB_VM_CONTRACT_CONTRACT_H
#define TIRB_VM_CONTRACT_CONTRACT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/isa/isa.h"
#include "vm/contract/tiles.h"
#include "vm/lanes/kernels.h"

typedef struct tirbi_contract_operand {
    uint8_t *start;
    int64_t step[TIRBI_MAX_CONTRACT_LOOPS]; /* bytes */
    uint8_t type;
} tirbi_contract_operand;

/* All extents are positive, everything in reach is inside its buffer, C's elements are apart from each other and from
 * A and B. */
typedef struct tirbi_contraction {
    uint8_t type;
    uint8_t flags; /* TIRBI_CONTRACT_FUSED .. */
    unsigned n_loops;
    int64_t extent[TIRBI_MAX_CONTRACT_LOOPS];
    tirbi_contract_operand operand[TIRBI_CONTRACT_OPERANDS];
    const void *first; /* with TIRBI_CONTRACT_INIT */
    const tirbi_contract_kernels *kernels;
    const tirbi_contract_quads *quads; /* or NULL */
    const tirbi_kernel_table *strips;
    const atomic_uint *stop;
} tirbi_contraction;

static inline bool tirbi_must_stop(const tirbi_contraction *x) {
    return atomic_load_explicit(x->stop, memory_order_relaxed) != 0;
}

/* Sums of 16-bit floats, which tiles hold as float32. */
static inline bool tirbi_contract_is_half(const tirbi_contraction *x) {
    return x->type == TIRB_F16 || x->type == TIRB_BF16;
}

/* Products that may be summed until it is looked whether to stop. */
static inline int64_t tirbi_products_at_once(const tirbi_contraction *x) {
    return x->kernels->products_at_once / (tirbi_contract_is_half(x) ? 4 : x->type == TIRB_F32 ? 1 : 2);
}

/* What stands for all of C at first, as a kernel has it; `wide` is room for it. */
static inline const void *tirbi_contract_first(const tirbi_contraction *x, float *wide) {
    if (!tirbi_contract_is_half(x)) return x->first;
    x->strips->cast[TIRB_F32][x->type]((uint8_t *)wide, x->first, NULL, NULL, 1);
    return wide;
}

/* Runs a tile of so many rows and columns in parts of k, none of which takes long; false: stopped. */
bool tirbi_contract_run_tile(const tirbi_contraction *x, tirbi_tile_kernel kernel, const tirbi_tile *tile, int64_t rows,
                             int64_t columns);

/* Loops that belong together, with their steps in bytes. */
typedef struct tirbi_contract_group {
    unsigned n;
    int64_t total;
    int64_t extent[TIRBI_MAX_CONTRACT_LOOPS];
    int64_t step[TIRBI_CONTRACT_OPERANDS][TIRBI_MAX_CONTRACT_LOOPS];
} tirbi_contract_group;

/* Distances of operands that are used where they are, in bytes. */
typedef struct tirbi_contract_walk {
    int64_t a_row, a_k, b_k, c_row;
} tirbi_contract_walk;

/* A sum without rows or without columns, or with few rows, whose elements of C lie side by side: of all loops, which
 * has these elements, which has more of them that take the same weights, or the same data, and which operand the data
 * are. */
typedef struct tirbi_contract_sweep {
    uint8_t lanes, rows, data, weights;
    uint8_t kernel, kind; /* TIRBI_SWEEP_ .. */
} tirbi_contract_sweep;

typedef struct tirbi_contract_shape {
    tirbi_contract_group rows, columns, k, batch;
    unsigned a, b; /* which operand the rows and which the columns have */
    bool narrow;   /* both are of at most 16 bits, and may be summed in any order */
    bool direct;   /* both are small, and used where they are: no blocks, no scratch */
    tirbi_contract_walk walk; /* of a direct one */
    bool sweeps;              /* instead of all this, strips of C are swept over */
    tirbi_contract_sweep sweep;
    int64_t apart, elements;  /* B's are brought together, so many of which are so far apart; or 0 */
    int64_t row_block, column_block, k_block;
} tirbi_contract_shape;

void tirbi_contract_sort(const tirbi_contraction *contraction, tirbi_contract_shape *shape);
/* Whether the operand's elements are evenly apart along a group. */
static inline bool tirbi_contract_evenly(const tirbi_contract_group *g, unsigned operand, int64_t *step) {
    const int64_t *steps = g->step[operand];
    *step = g->n > 0 ? steps[g->n - 1] : 0;
    for (unsigned i = g->n; i-- > 1;)
        if (steps[i - 1] != steps[i] * g->extent[i]) return false;
    return true;
}

const tirbi_tile_set *tirbi_contract_set(const tirbi_contraction *contraction);
/* (direct.c) */
bool tirbi_contract_is_direct(const tirbi_contraction *contraction, const tirbi_contract_shape *shape,
                              tirbi_contract_walk *walk);
/* Makes it one by moving loops of rows and columns to the batch, where that is worth it; else it stays as it is. */
bool tirbi_contract_make_direct(const tirbi_contraction *contraction, tirbi_contract_shape *shape);
bool tirbi_contract_run_direct(const tirbi_contraction *contraction, const tirbi_contract_shape *shape);

/* The places of n elements of a group from `first` on, for two operands. */
void tirbi_contract_places(const tirbi_contract_group *g, int64_t first, int64_t n, unsigned one, int64_t *to_one,
                           unsigned other, int64_t *to_other);
/* (together.c) Elements of data that are brought together are no more than so many apart, and so many bytes. */
enum { TIRBI_MOST_APART = 4, TIRBI_MOST_TOGETHER = 1 << 22 };
/* All elements of `size` bytes whose number is a multiple of `apart`, then those behind each of them, and so on; false:
 * stopped. */
bool tirbi_bring_together(const tirbi_contraction *contraction, uint8_t *to, const uint8_t *from, size_t elements,
                          size_t apart, size_t size);
/* Where the element at a place is then, both in bytes. */
int64_t tirbi_place_together(int64_t place, int64_t elements, int64_t apart, int64_t size);
/* How far apart the elements of B are, of which each is used at least twice; 0: they stay where they are. */
int64_t tirbi_contract_apart(const tirbi_contraction *contraction, const tirbi_contract_shape *shape,
                             int64_t *elements);
/* (sweep.c) */
bool tirbi_contract_is_sweep(const tirbi_contraction *contraction, const tirbi_contract_shape *shape,
                             tirbi_contract_sweep *sweep);
size_t tirbi_sweep_scratch(const tirbi_contraction *contraction, const tirbi_contract_shape *shape);
bool tirbi_contract_run_sweep(const tirbi_contraction *contraction, const tirbi_contract_shape *shape,
                              uint8_t *scratch);

/* Bytes of scratch that the contraction needs: a function of the program and its extents alone. */
size_t tirbi_contract_scratch(const tirbi_contraction *contraction, const tirbi_contract_shape *shape);
/* False: stopped. The scratch is aligned to 64 bytes. */
bool tirbi_contract_run(const tirbi_contraction *contraction, const tirbi_contract_shape *shape, uint8_t *scratch);
/* A fold instead: the last loop is a row's, the flags are TIRBI_FOLD_ ... False: stopped. */
bool tirbi_fold_run(const tirbi_contraction *fold);
/* Whether two folds read the same rows, and these may be gone through once for both. */
bool tirbi_folds_agree(const tirbi_contraction *fold, const tirbi_contraction *other);
/* Two that agree, and of which none reaches the C of the other. False: stopped. */
bool tirbi_folds_run(const tirbi_contraction *fold, const tirbi_contraction *other);

#endif
