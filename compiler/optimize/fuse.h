/* Fusion: neighbouring nests over the same elements become one, and what they hand on to each other stays in variables. */
#ifndef TIRB_COMPILER_OPTIMIZE_FUSE_H
#define TIRB_COMPILER_OPTIMIZE_FUSE_H

#include "compiler/optimize/notes.h"

/* The statement with its nests fused; itself where there is nothing to fuse (or memory ran out). */
const tirbi_ls *tirbi_fuse_nests(tirbi_lx_pool *pool, const tirbi_ls *body, tirbi_notes *notes);

#endif
