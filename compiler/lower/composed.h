/* Mathematical functions that are several instructions. */
#ifndef TIRB_COMPILER_LOWER_COMPOSED_H
#define TIRB_COMPILER_LOWER_COMPOSED_H

#include "compiler/ir/ir.h"
#include "compiler/loop/loop.h"

enum { TIRBI_COMPOSED_OPERANDS = 4 };

/* What a TIRB_COMPOSED builtin stands for; type is float32 or float64, and that of the operands. */
const tirbi_lx *tirbi_compose(tirbi_lx_pool *pool, tirb_builtin builtin, tirbi_dtype type, const tirbi_lx *const *args);

#endif
