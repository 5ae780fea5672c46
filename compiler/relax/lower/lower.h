/* Relax functions to PrimFuncs of the same module: tensors are buffers, results are parameters behind the others,
 * temporaries are allocated, and what a binding computes is a call of a PrimFunc. */
#ifndef TIRB_COMPILER_RELAX_LOWER_LOWER_H
#define TIRB_COMPILER_RELAX_LOWER_LOWER_H

#include <tirb/compiler.h>

#include "compiler/ir/relax.h"

/* What became of each operator, in memory of the lowering's arena. */
typedef struct tirbi_relax_notes {
    tirb_loop_note *items;
    uint32_t n;
} tirbi_relax_notes;

/* The module with a PrimFunc for each of its Relax functions and for each operator in them; itself where it has none.
 * `fuse`: operators may be parts of one function.
 * `notes`: NULL, or gets them.
 * NULL when memory ran out (arena->failed); complete only where no error was reported. */
const tirb_irmodule *tirbi_relax_lower(const tirb_irmodule *module, bool fuse, tirbi_relax_notes *notes,
                                       tirbi_arena *arena, tirbi_diagnostics *diagnostics);

#endif
