/* Minima and maxima of sums, in TVM's words. */
#ifndef TIRB_COMPILER_IR_CHOICE_H
#define TIRB_COMPILER_IR_CHOICE_H

#include "compiler/ir/builder.h"
#include "compiler/ir/linear.h"

/* The MIN or MAX of x, which may be such a choice already, and y. False where TVM's text for it is not known. */
bool tirbi_linear_choose(tirbi_builder *b, tirbi_span span, tirb_datatype type, tirb_expr_kind kind,
                         const tirbi_linear *x, const tirbi_linear *y, tirbi_linear *out);
/* max + 1 - min. */
bool tirbi_linear_length(tirbi_builder *b, tirbi_span span, tirb_datatype type, const tirbi_linear *min,
                         const tirbi_linear *max, tirbi_linear *out);

#endif
