/* The state of lowering one function. */
#ifndef TIRB_COMPILER_TC_LOWERING_H
#define TIRB_COMPILER_TC_LOWERING_H

#include "compiler/tc/infer.h"

/* A comprehension with its ranges, where all defs are inlined that are called. */
typedef struct tirbi_tc_step {
    const tirbi_tc_scope *scope;
    const tirbi_tc_stmt *stmt;
    const tirbi_tc_range *ranges; /* of stmt->indices */
} tirbi_tc_step;

typedef struct tirbi_tc_lowering {
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    tirbi_builder b;
    tirbi_tc_sizes sizes;
    tirbi_tc_inference inference;
    tirbi_list steps;   /* of tirbi_tc_step */
    tirbi_list defined; /* of tirbi_tc_tensor *: results and temporaries, in the order in which they are defined */
    tirbi_tc_step here; /* the statement that is being lowered */
    const tirb_expr *axes[TIRBI_TC_MAX_INDICES]; /* of its indices: from 0 */
} tirbi_tc_lowering;

/* A sum as int32. */
const tirb_expr *tirbi_tc_lower_sum(tirbi_tc_lowering *l, tirbi_span span, const tirbi_tc_sum *sum);
/* The value of an expression, of its type; NULL after an error. */
const tirb_expr *tirbi_tc_lower_expr(tirbi_tc_lowering *l, const tirbi_tc_expr *e);
/* The same as another type of the language. */
const tirb_expr *tirbi_tc_lower_as(tirbi_tc_lowering *l, const tirbi_tc_expr *e, tirb_datatype type);
/* Where the element is that subscript `dim` of a tensor names: less what the dimension begins at. */
const tirb_expr *tirbi_tc_lower_subscript(tirbi_tc_lowering *l, const tirbi_tc_expr *e, const tirbi_tc_tensor *tensor,
                                          uint32_t dim);
/* One of + * min max of two values of one type. */
const tirb_expr *tirbi_tc_combine(tirbi_tc_lowering *l, tirbi_span span, tirbi_tc_expr_kind kind, const tirb_expr *x,
                                  const tirb_expr *y);
const tirb_expr *tirbi_tc_convert(tirbi_tc_lowering *l, tirbi_span span, const tirb_expr *value, tirb_datatype type);

#endif
