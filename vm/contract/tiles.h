/* Micro-kernels of contractions: a tile of C is held in registers while the products of one block of k are added, in
 * order. All instruction sets give the same bits, whatever the shape of their tiles. */
#ifndef TIRB_VM_CONTRACT_TILES_H
#define TIRB_VM_CONTRACT_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "loader/isa/semirings.h"

enum { TIRBI_TILE_ROWS = 16, TIRBI_TILE_VECTORS = 3, TIRBI_TILE_BYTES = 128 /* of a row, at most */ };

/* c[i][j] = first or c[i][j], then + a[i, k] * b[k, j] for k = 0, 1, ..; a's elements are evenly apart, b's rows and
 * c's are contiguous, each anywhere. Distances are in bytes. */
typedef struct tirbi_tile {
    const uint8_t *a;
    ptrdiff_t a_row, a_k;
    const uint8_t *b;
    int64_t b_k;            /* from row to row of b */
    const int64_t *b_steps; /* these instead, one for each k; or NULL */
    int64_t n_k;
    uint8_t *const *c;    /* per row */
    const uint8_t *first; /* one element that stands for all of c, or NULL */
    const uint8_t *add;   /* sets of quads: a row that is added to every row of c, or NULL */
    unsigned last;        /* elements of the last vector of a row of b and of c, all that is accessed of it */
} tirbi_tile;

typedef void (*tirbi_tile_kernel)(const tirbi_tile *tile);

typedef struct tirbi_tile_set {
    uint8_t rows;    /* of the largest tile */
    uint8_t pad;     /* rows of A's tiles lie this many elements apart where they are packed by columns */
    uint8_t vectors; /* of a row of the largest tile */
    uint8_t lanes;   /* elements of a vector */
    tirbi_tile_kernel run[TIRBI_TILE_VECTORS][TIRBI_TILE_ROWS]; /* [vectors - 1][rows - 1] */
    tirbi_tile_kernel part[TIRBI_TILE_VECTORS][TIRBI_TILE_ROWS]; /* the same where the last vector is not whole */
    /* to[k][j] = from[j][k] for k < n_k, j < n_j; rows are `to_row` and `from_row` bytes apart, elements contiguous. */
    void (*transpose)(uint8_t *to, ptrdiff_t to_row, const uint8_t *from, ptrdiff_t from_row, size_t n_k, size_t n_j);
    uint8_t picked; /* bytes of an element of every_second, 0 where there is none */
    /* to[i][j] = from[rows[i]][2 * j] for i < n_rows and j < n, where rows are so many bytes from `from`. */
    void (*every_second)(uint8_t *to, ptrdiff_t to_row, const uint8_t *from, const int64_t *rows, size_t n_rows,
                         size_t n);
    /* Sets of pairs and quads: to[j] = from[0][j], from[1][j], .., for j < n. */
    void (*interleave)(uint8_t *to, const uint8_t *from, ptrdiff_t from_row, size_t n);
} tirbi_tile_set;

/* c[i][j] = first or c[i][j], then + data[k][i][j] * weights[k][j] for k = 0, 1, .., or * weights[k], where one stands
 * for all, or data[k][j] * weights[k][i]. Strips are contiguous, those of k anywhere, those of i evenly apart.
 * Distances are in bytes. */
enum { TIRBI_SWEEP_ROWS = 4, TIRBI_SWEEP_VECTORS = 2 };
enum {
    TIRBI_SWEEP_F32, TIRBI_SWEEP_F64, TIRBI_SWEEP_I32, TIRBI_SWEEP_I8, TIRBI_SWEEP_U8, TIRBI_SWEEP_I16,
    TIRBI_SWEEPS
};
enum { TIRBI_SWEEP_STRIPS, TIRBI_SWEEP_ONES, TIRBI_SWEEP_ROW_ONES, TIRBI_SWEEP_KINDS };
typedef struct tirbi_sweep {
    const uint8_t *data, *weights;
    const int64_t *data_at, *weights_at; /* per k */
    int64_t n;
    ptrdiff_t data_row, weights_row, c_row;
    uint8_t *c;
    const uint8_t *first; /* one element that stands for all of c, or NULL */
    unsigned last;        /* `part`: elements of the last vector, all that is accessed of it */
} tirbi_sweep;
typedef void (*tirbi_sweep_kernel)(const tirbi_sweep *sweep);

/* Tree reductions by rule R3 of rows whose elements follow each other, into an element for each row: by tirbi_red_op;
 * then sums of fused products of a's and b's elements, and of a's with themselves. A second one may be of the same
 * rows, or of a's alone. */
enum { TIRBI_FOLD_PRODUCT = 4, TIRBI_FOLD_SQUARE = 5, TIRBI_FOLDS = 6 };
typedef struct tirbi_fold_rows {
    const uint8_t *a, *b; /* b: of products; else any memory as large as a */
    ptrdiff_t a_row, b_row, c_row[2]; /* from row to row */
    uint8_t *c[2];
    const void *first[2]; /* the entry of all rows; NULL: what the element holds */
    int64_t n_rows;
    uint64_t n; /* elements of a row */
} tirbi_fold_rows;
typedef void (*tirbi_fold_kernel)(const tirbi_fold_rows *rows);

/* Reductions of rows of integers: by tirbi_red_op, by bits, and sums of products. */
enum { TIRBI_INT_FOLD_BITS = 4, TIRBI_INT_FOLD_PRODUCT = 7, TIRBI_INT_FOLDS = 8, TIRBI_INT_FOLD_TYPES = 9 };

/* Types of tiles of other semirings than that of sums of products. */
enum { TIRBI_TILES_F32, TIRBI_TILES_F64, TIRBI_TILES_I32, TIRBI_TILES_I64, TIRBI_TILE_TYPES };

/* Products of floats are fused with the addition or rounded first. In `pairs` an element of a and of b is a word of two
 * int16 that follow each other along k, and its product is the sum of both products, modulo 2^32. The sets of 16-bit
 * floats have a and first as float32, which hold values of the 16-bit type; all columns are whole vectors. */
typedef struct tirbi_contract_kernels {
    tirbi_tile_set f32, f64, f32_unfused, f64_unfused, i32, i64, pairs;
    tirbi_tile_set f16, bf16, f16_unfused, bf16_unfused;
    const tirbi_tile_set *semirings[TIRBI_SEMIRINGS][TIRBI_TILE_TYPES]; /* NULL where it has no such type */
    /* By the type of the data and the kind of weights; [vectors - 1][whether of all rows, not one][part] */
    tirbi_sweep_kernel sweeps[TIRBI_SWEEPS][TIRBI_SWEEP_KINDS][TIRBI_SWEEP_VECTORS][2][2];
    tirbi_fold_kernel fold_f32[TIRBI_FOLDS], fold_f64[TIRBI_FOLDS];
    tirbi_fold_kernel folds_f32[TIRBI_FOLDS][TIRBI_FOLDS], folds_f64[TIRBI_FOLDS][TIRBI_FOLDS]; /* or NULL */
    tirbi_fold_kernel fold_ints[TIRBI_INT_FOLDS][TIRBI_INT_FOLD_TYPES]; /* [..][type] */
    tirbi_fold_kernel add_narrow[2][TIRBI_INT_FOLD_TYPES]; /* [is of 64 bits, not 32][type of A, and B], or NULL */
    tirbi_fold_kernel add_narrow_products[2][TIRBI_INT_FOLD_TYPES];
    bool fused_in_parts;      /* fused products are many instructions: nothing else counts */
    int64_t products_at_once; /* of 32 bits: they take some microseconds */
} tirbi_contract_kernels;

/* The same for words of four 8-bit values, unsigned ones on one side and signed ones on the other. */
typedef struct tirbi_contract_quads {
    tirbi_tile_set a_unsigned, b_unsigned;
} tirbi_contract_quads;

/* NULL when this build has none. */
const tirbi_contract_kernels *tirbi_contract_kernels_of(tirb_isa isa);
/* NULL when this build or this CPU has none. */
const tirbi_contract_quads *tirbi_contract_quads_of(tirb_isa isa);

#endif
