/* Functions of C's and CUDA's libraries that are builtins here, so that programs need nobody to provide them. */
#ifndef TIRB_COMPILER_IR_C_FUNCTIONS_H
#define TIRB_COMPILER_IR_C_FUNCTIONS_H

#include "compiler/ir/builder.h"

/* Whether a call of call_extern or call_pure_extern with this type and these arguments, the name first, is one. */
bool tirbi_is_c_function(tirb_datatype type, const tirb_expr *const *args, uint32_t n);
/* That call: one of the builtin, which remembers how it was written. */
const tirb_expr *tirbi_make_c_call(tirbi_builder *b, tirbi_span span, tirb_datatype type, tirb_builtin written_as,
                                   const tirb_expr *const *args, uint32_t n);
/* The name of a builtin of this type that has no other one; NULL: it has, or memory ran out. */
const char *tirbi_c_name(tirbi_arena *arena, tirb_builtin builtin, tirb_datatype type);

#endif
