/* LLVM's intrinsic functions, called by name. */
#ifndef TIRB_COMPILER_IR_LLVM_H
#define TIRB_COMPILER_IR_LLVM_H

#include "compiler/ir/ir.h"
#include "loader/base/alloc.h"

/* What a call of call_llvm_intrin or call_llvm_pure_intrin is, where tirb has it as a builtin: that builtin, and which
 * of the call's arguments are its operands. */
typedef struct tirbi_llvm_call {
    tirb_builtin builtin;
    const tirb_expr *const *args;
    uint32_t n_args;
} tirbi_llvm_call;

bool tirbi_llvm_call_of(const tirb_expr *call, tirbi_llvm_call *out);

/* What a call of one is in operations of the language, where no builtin does it alone: the smaller and the larger of
 * two, with or without regard to NaN, and rounding half away from zero. Operands may stand in it more than once. NULL:
 * none of these. */
const tirb_expr *tirbi_llvm_expression(tirbi_arena *arena, const tirb_expr *call);

/* The length of a function's name without the types that it is for: TVM prints it so. */
size_t tirbi_llvm_name_size(const char *name);

/* Whether the function's lanes take other lanes of its operands than their own. */
bool tirbi_llvm_regroups(const tirb_expr *call);

#endif
