/* The constant folding of TVM's parser: what its operators do to literals, and nothing more (R0). */
#ifndef TIRB_COMPILER_IR_FOLD_H
#define TIRB_COMPILER_IR_FOLD_H

#include "compiler/ir/builder.h"

/* Folds ADD .. MAX over operands of one type. Returns the folded expression, NULL if there is nothing to fold; sets
 * *failed after reporting an error. */
const tirb_expr *tirbi_fold_binary(tirbi_builder *b, tirbi_span span, tirb_expr_kind kind, const tirb_expr *x,
                                   const tirb_expr *y, bool *failed);
/* Whether x is less, not more, ... than y, for constants of one type; false where one is none. */
bool tirbi_fold_order(tirb_expr_kind kind, const tirb_expr *x, const tirb_expr *y, bool *out);
const tirb_expr *tirbi_fold_bitwise(tirbi_builder *b, tirbi_span span, tirb_builtin builtin, const tirb_expr *x,
                                    const tirb_expr *y, bool *failed);
/* The low bits of `value` as a value of the integer type. */
int64_t tirbi_wrap_int(tirb_datatype type, int64_t value);

#endif
