/* Inlining of temporaries: what a nest stores to memory that nothing else writes is computed where it is read. */
#ifndef TIRB_COMPILER_OPTIMIZE_NESTS_INLINE_H
#define TIRB_COMPILER_OPTIMIZE_NESTS_INLINE_H

#include "compiler/optimize/notes.h"

/* The statement with such temporaries gone; itself where there are none (or memory ran out). */
const tirbi_ls *tirbi_inline_temporaries(tirbi_lx_pool *pool, const tirbi_ls *body, tirbi_notes *notes);

#endif
