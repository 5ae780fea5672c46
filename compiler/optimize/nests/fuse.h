/* Fusion: neighbouring nests over the same elements become one, and what they hand on to each other stays in
 * variables. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_FUSE_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_FUSE_H

#include "compiler/optimize/notes.h"

/* The statement with its nests fused; itself where there is nothing to fuse (or memory ran out). `disabled` is a
 * set of TIRB_PASS_*. */
const tirbi_ls *tirbi_fuse_nests(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled, tirbi_notes *notes);

/* Makes the loops over rows of neighbouring nests one, in a sequence of statements; returns how many there are then.
 * (fuse_rows.c) */
uint32_t tirbi_fuse_rows(tirbi_lx_pool *pool, const tirbi_ls **items, uint32_t n, tirbi_notes *notes);

/* Puts what temporaries hold where the results made of it go, in a sequence of statements; returns how many there are
 * then. (in_place.c) */
uint32_t tirbi_store_in_place(tirbi_lx_pool *pool, const tirbi_ls **items, uint32_t n);

#endif
