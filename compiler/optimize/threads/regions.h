/* Regions: loops whose iterations may run at the same time, because what they write are parts that lie apart.
 *
 * A region runs a nest for a part of the values of one of its loops, so every location receives its updates in program
 * order (rule R1) whoever runs which part. */
#ifndef TIRB_COMPILER_OPTIMIZE_THREADS_REGIONS_H
#define TIRB_COMPILER_OPTIMIZE_THREADS_REGIONS_H

#include "compiler/optimize/facts/affine.h"

/* A buffer's memory that a region reaches and does not allocate. */
typedef struct tirbi_region_root {
    tirbi_lbuf *root;
    bool written;
    /* Where it is written: iteration i of the region's loop has the elements from base + i * stride on, `extent` of
     * them, all int64; proven to lie apart, from 0 on. */
    const tirbi_lx *base, *stride, *extent;
} tirbi_region_root;

typedef struct tirbi_region_plan {
    tirbi_lvar *loop; /* whose values are cut into chunks */
    tirbi_region_root *roots;
    uint32_t n_roots;
    const tirbi_place **places; /* in roots that are written, each once */
    uint32_t n_places;
    tirbi_lvar **live; /* variables from outside that it reads */
    uint32_t n_live;
    tirbi_lvar **inner; /* variables that begin inside, and memory that is allocated inside */
    uint32_t n_inner;
    tirbi_lbuf **own;
    uint32_t n_own;
    const tirbi_lx *grain; /* int64: iterations that are worth a chunk */
    const tirbi_lx *worth; /* bool: whether there is enough work for two chunks; NULL: there always is */
} tirbi_region_plan;

/* Plans the nest that starts at `loop` as a region. NULL where its iterations are not proven apart, or are never worth
 * it (or memory ran out); *why then says so in words, of the outermost loop that the program calls parallel, or else of
 * the outermost one. `disabled` is a set of TIRB_PASS_*. */
const tirbi_region_plan *tirbi_plan_region(tirbi_lx_pool *pool, const tirbi_lmodule *module, const tirbi_ls *loop,
                                           uint32_t disabled, const char **why);

/* Roughly how long a statement takes, in picoseconds: an int64 expression over variables that the region's loops do not
 * change; NULL when memory ran out. (cost.c) */
const tirbi_lx *tirbi_statement_cost(tirbi_lx_pool *pool, const tirbi_ls *stmt, uint32_t disabled);

#endif
