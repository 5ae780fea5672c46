/* Subscripts as forms: sums of indices times size expressions, with quotients, remainders, minima and maxima of such
 * sums. */
#ifndef TIRB_COMPILER_TC_FORM_H
#define TIRB_COMPILER_TC_FORM_H

#include "compiler/tc/size.h"
#include "compiler/tc/syntax.h"

/* A tensor as a function has it: a def's own, or under another name one of the def that calls it. */
typedef struct tirbi_tc_tensor {
    const tirbi_tc_symbol *symbol;
    uint32_t ndim;
    bool has_shape;
    const tirbi_tc_sum *low[TIRBI_TC_MAX_RANK], *extent[TIRBI_TC_MAX_RANK]; /* element i is stored at i - low */
    const tirbi_tc_sum *value;                                              /* of an integer input of rank 0 */
    const tirb_expr *scalar;                                                /* an input of rank 0 */
    const tirb_buffer *buffer;                                              /* what else it is */
    const struct tirbi_tc_tensor *of; /* the tensor that is handed to this parameter; NULL: it is its own */
} tirbi_tc_tensor;

/* What the names of a def mean where it is lowered: as a function of its own, or inlined. By number of symbol. */
typedef struct tirbi_tc_scope {
    const tirbi_tc_def *def;
    tirbi_tc_tensor **tensors;
    const tirbi_tc_sum **sizes;
} tirbi_tc_scope;

typedef enum tirbi_tc_form_kind {
    TIRBI_TC_FORM_INDEX,
    TIRBI_TC_FORM_DIV, /* a // divisor, a positive constant */
    TIRBI_TC_FORM_MOD,
    TIRBI_TC_FORM_MIN, /* of a and b */
    TIRBI_TC_FORM_MAX
} tirbi_tc_form_kind;

typedef struct tirbi_tc_form tirbi_tc_form;

typedef struct tirbi_tc_form_term {
    tirbi_tc_form_kind kind;
    uint32_t index; /* INDEX: its number in the statement */
    const tirbi_tc_sum *factor;
    const tirbi_tc_form *a, *b;
    int64_t divisor;
} tirbi_tc_form_term;

struct tirbi_tc_form {
    const tirbi_tc_sum *constant;
    uint32_t vars; /* which indices it mentions */
    uint32_t n;
    const tirbi_tc_form_term *terms; /* INDEX first, in their order, each once */
};

typedef struct tirbi_tc_forms {
    tirbi_tc_sizes *sizes;
    const tirbi_tc_scope *scope;
    const tirbi_tc_stmt *stmt; /* whose indices they mention; NULL: none */
} tirbi_tc_forms;

/* NULL where it is none (it reads a tensor, multiplies indices, ..), or sizes->failure says what failed. */
const tirbi_tc_form *tirbi_tc_form_of(const tirbi_tc_forms *f, const tirbi_tc_expr *e);
/* The same without indices. */
const tirbi_tc_sum *tirbi_tc_sum_of(const tirbi_tc_forms *f, const tirbi_tc_expr *e);

const tirbi_tc_form *tirbi_tc_form_constant(tirbi_tc_sizes *z, const tirbi_tc_sum *constant);
/* a + b * factor. */
const tirbi_tc_form *tirbi_tc_form_add(tirbi_tc_sizes *z, const tirbi_tc_form *a, const tirbi_tc_form *b,
                                       const tirbi_tc_sum *factor);
const tirbi_tc_form *tirbi_tc_form_index(tirbi_tc_sizes *z, uint32_t index);
/* DIV .. MAX of forms; as sums where no index is mentioned. */
const tirbi_tc_form *tirbi_tc_form_divide(tirbi_tc_sizes *z, tirbi_tc_form_kind kind, const tirbi_tc_form *a,
                                          const tirbi_tc_sum *divisor);
const tirbi_tc_form *tirbi_tc_form_extreme(tirbi_tc_sizes *z, tirbi_tc_form_kind kind, const tirbi_tc_form *a,
                                           const tirbi_tc_form *b);
/* Whether it has no terms but INDEX. */
bool tirbi_tc_form_is_affine(const tirbi_tc_form *a);

#endif
