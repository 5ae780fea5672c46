/* Rows by blocks: what loops marked as rows do, statement by statement, for as many rows at a time as caches near the
 * processor hold. */
#ifndef TIRB_COMPILER_OPTIMIZE_ROWS_ROWS_H
#define TIRB_COMPILER_OPTIMIZE_ROWS_ROWS_H

#include "compiler/optimize/notes.h"

/* Where each lane goes through a row of its own, so many rows are taken together at least: fewer take about as long. */
enum { TIRBI_LANE_ROWS = 32 };
/* Rows of sums that all read what is not small are so many at least. */
enum { TIRBI_SHARING_ROWS = 64 };

typedef struct tirbi_row_blocks {
    const tirbi_ls *stmt; /* does what the loops did, as long as their variables run through the rows of a block */
    tirbi_lvar *var[TIRBI_MAX_ROW_LOOPS];
    tirbi_lvar was[TIRBI_MAX_ROW_LOOPS];
    uint32_t n;
} tirbi_row_blocks;

/* Whether a nest inside of the loops `rows` is a tree reduction whose terms are computed: a block of rows of them may
 * be computed before they are summed, each by instructions of its own. */
bool tirbi_computes_terms(tirbi_lx_pool *pool, const tirbi_ls *nest, const tirbi_loop_set *rows);

/* How many iterations of the innermost of a nest's loops of rows are worth a block. */
int64_t tirbi_least_rows(tirbi_lx_pool *pool, const tirbi_ls *loop);

/* Changes the variables of the loops: tirbi_restore_rows puts them back. False when memory ran out; nothing has changed
 * then. `disabled` is a set of TIRB_PASS_*. */
bool tirbi_block_rows(tirbi_lx_pool *pool, const tirbi_ls *loop, uint32_t disabled, tirbi_notes *notes,
                      tirbi_row_blocks *out);
void tirbi_restore_rows(const tirbi_row_blocks *blocks);

#endif
