/* Packed functions that TVM's run time gives to every CPU program: sorting. Here they are PrimFuncs, which a module
 * that calls them gets, so a bundle that sorts asks nothing of its host and gives the same bytes everywhere.
 *
 *     tvm.contrib.sort.sort(data, values, axis, is_ascend)
 *     tvm.contrib.sort.argsort(data, numbers, axis, is_ascend)
 *     tvm.contrib.sort.argsort_nms(data, counts, numbers, axis, is_ascend)     only the first `counts` of each row move
 *     tvm.contrib.sort.topk(data, values, numbers, k, axis, "both", is_ascend) or one array with "values" or "indices"
 *
 * All of them are stable, and NaN comes last, in both directions. */
#ifndef TIRB_COMPILER_LOWER_LIBRARY_H
#define TIRB_COMPILER_LOWER_LIBRARY_H

#include "compiler/ir/ir.h"
#include "compiler/source/source.h"

/* The module with the library's functions that it calls, behind its own. NULL: out of memory, or calls that do not fit,
 * which are reported. */
const tirb_irmodule *tirbi_add_library(const tirb_irmodule *module, tirbi_arena *arena, tirbi_diagnostics *diagnostics);
/* Whether a builtin's call is one of the library. */
bool tirbi_is_library_call(const tirb_expr *call);
/* The call of the module's PrimFunc that it stands for; NULL: out of memory. */
const tirb_expr *tirbi_library_call(const tirb_irmodule *module, const tirb_expr *call, tirbi_arena *arena,
                                    tirbi_diagnostics *diagnostics);

#endif
