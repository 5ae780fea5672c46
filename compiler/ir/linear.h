/* Sums of terms with constant factors: what an integer expression is with its additions and its products by constants
 * multiplied out. Factors and the constant wrap as 64-bit integers do. */
#ifndef TIRB_COMPILER_IR_LINEAR_H
#define TIRB_COMPILER_IR_LINEAR_H

#include "compiler/ir/ir.h"

struct tirbi_builder;

enum { TIRBI_MAX_TERMS = 24 };

typedef struct tirbi_linear {
    const tirb_expr *terms[TIRBI_MAX_TERMS]; /* in the order in which they were added first, none equal to another */
    int64_t factors[TIRBI_MAX_TERMS];        /* 0 where a term has cancelled itself */
    uint32_t n;
    uint32_t cancelled; /* additions to a term that was already there */
    int64_t constant;
    bool overflow; /* there were too many terms: the sum is not known */
} tirbi_linear;

/* Adds e * factor. */
void tirbi_linear_add(tirbi_linear *l, const tirb_expr *e, int64_t factor);
/* Adds x * factor. */
void tirbi_linear_add_scaled(tirbi_linear *l, const tirbi_linear *x, int64_t factor);
/* The sum as TVM's simplifier writes it: positive terms, larger factors first, a positive constant, negative terms, a
 * negative constant. NULL where its order is another one, where the sum is not known and where numbers are large. */
const tirb_expr *tirbi_linear_canonical(struct tirbi_builder *b, tirbi_span span, tirb_datatype type,
                                        const tirbi_linear *l);

/* Whether adding and multiplying a few of these cannot overflow. */
static inline bool tirbi_is_moderate(int64_t value) { return value >= -INT32_MAX && value <= INT32_MAX; }

#endif
