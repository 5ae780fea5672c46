/* Which statements, expressions, builtins and types the random programs of a run are made of. */
#ifndef TIRB_TESTS_DIFFERENTIAL_COVERAGE_H
#define TIRB_TESTS_DIFFERENTIAL_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

#include "compiler/ir/ir.h"

enum { TIRBI_COVERAGE_STMTS = TIRB_STMT_PREFETCH + 1, TIRBI_COVERAGE_EXPRS = TIRB_EXPR_REDUCE + 1 };

/* How many nodes there were of each kind. */
typedef struct tirbi_coverage {
    uint64_t stmts[TIRBI_COVERAGE_STMTS];
    uint64_t exprs[TIRBI_COVERAGE_EXPRS];
    uint64_t builtins[TIRB_N_BUILTINS];
    uint64_t types[TIRB_N_DTYPES];
    uint64_t vectors, function_calls;
} tirbi_coverage;

void tirbi_coverage_add(tirbi_coverage *c, const char *text, size_t size);
/* A table of what was there how often, and what was not. */
void tirbi_coverage_print(const tirbi_coverage *c);

#endif
