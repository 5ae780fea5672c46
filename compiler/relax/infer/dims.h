/* Dimensions: integer expressions in the form that TVM's simplifier gives them, and proofs about them. */
#ifndef TIRB_COMPILER_RELAX_INFER_DIMS_H
#define TIRB_COMPILER_RELAX_INFER_DIMS_H

#include "compiler/ir/builder.h"

struct tirbi_dim_sum;

/* What is known of variables: those of the list are not negative. */
typedef struct tirbi_dims {
    tirbi_builder *builder;
    tirbi_list natural; /* of const tirb_expr *: variables */
    tirbi_list facts;   /* what the conditions around an expression say: see dims.c */
    struct tirbi_dim_sum *spare; /* memory that is used again */
} tirbi_dims;

void tirbi_dim_is_natural(tirbi_dims *d, const tirb_expr *var);
const tirb_expr *tirbi_dim(tirbi_dims *d, int64_t value);
bool tirbi_dim_const(const tirb_expr *e, int64_t *value);
/* ADD .. MAX of dimensions, folded as TVM's own operators do. */
const tirb_expr *tirbi_dim_op(tirbi_dims *d, tirb_expr_kind kind, const tirb_expr *x, const tirb_expr *y);
/* The same number in the simplifier's form. */
const tirb_expr *tirbi_dim_simplify(tirbi_dims *d, const tirb_expr *e);
/* An index that counts from the end of a dimension of this size where it is negative, counted from its front. */
const tirb_expr *tirbi_dim_from_front(tirbi_dims *d, const tirb_expr *index, const tirb_expr *size);
/* Whether two dimensions are proved to be equal, or to differ by a constant that is not 0 (*apart). */
bool tirbi_dim_equal(tirbi_dims *d, const tirb_expr *x, const tirb_expr *y);
bool tirbi_dim_apart(tirbi_dims *d, const tirb_expr *x, const tirb_expr *y);
/* Whether every value of the dimension is at least this number. */
bool tirbi_dim_at_least(tirbi_dims *d, const tirb_expr *e, int64_t least);
/* The expression with variables replaced; NULL when out of memory. */
const tirb_expr *tirbi_dim_replace(tirbi_dims *d, const tirb_expr *e, const tirb_expr *const *vars,
                                   const tirb_expr *const *values, uint32_t n);

#endif
