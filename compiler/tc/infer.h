/* The ranges of a statement's indices, as LANGUAGE.md says them: what reads and `exists` demand of indices is solved in
 * rounds, for all sizes at once, and what then is left to hold becomes a condition on the sizes. */
#ifndef TIRB_COMPILER_TC_INFER_H
#define TIRB_COMPILER_TC_INFER_H

#include "compiler/tc/form.h"

/* What arguments must meet: left >= 0, or left == right. */
typedef struct tirbi_tc_condition {
    const tirbi_tc_sum *left, *right; /* right NULL: at least 0 */
    tirbi_span span;
    const char *message;
} tirbi_tc_condition;

/* From low to high, both included. */
typedef struct tirbi_tc_range {
    const tirbi_tc_sum *low, *high;
} tirbi_tc_range;

/* Of one function that is made, with all that is inlined in it. */
typedef struct tirbi_tc_inference {
    tirbi_arena *arena;
    tirbi_diagnostics *diagnostics;
    tirbi_tc_sizes *sizes;
    tirbi_list conditions; /* of tirbi_tc_condition */
    uint32_t n_errors;     /* there were before */
} tirbi_tc_inference;

/* Demands that a sum is never negative: nothing where that is sure, an error where it never holds, else conditions.
 * `what` is the message's beginning, as in "the range of `i` in f". False after an error. */
bool tirbi_tc_require(tirbi_tc_inference *x, const tirbi_tc_sum *sum, tirbi_span span, const char *what);
bool tirbi_tc_require_equal(tirbi_tc_inference *x, const tirbi_tc_sum *a, const tirbi_tc_sum *b, tirbi_span span,
                            const char *what);
/* Demands that an int32 has room for what may leave it, and for what it is computed from. */
bool tirbi_tc_require_int32(tirbi_tc_inference *x, const tirbi_tc_sum *sum, tirbi_span span, const char *what);

/* Finds the ranges of all indices of a comprehension, in the order of stmt->indices. False after an error. */
bool tirbi_tc_infer(tirbi_tc_inference *x, const tirbi_tc_scope *scope, const tirbi_tc_stmt *stmt,
                    tirbi_tc_range *ranges);

#endif
