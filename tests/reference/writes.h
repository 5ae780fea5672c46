/* Which memory functions write: what decides whether two arguments of a call may overlap. */
#ifndef TIRB_TESTS_REFERENCE_WRITES_H
#define TIRB_TESTS_REFERENCE_WRITES_H

#include "compiler/ir/ir.h"

/* Per variable of the module, by id: whether something may write the memory that it points to. NULL when memory ran
 * out. */
const bool *tirbi_ref_find_writes(const tirb_irmodule *module, tirbi_arena *arena);

#endif
