/* Functions of the host in the oracle. */
#ifndef TIRB_TESTS_REFERENCE_IMPORTS_H
#define TIRB_TESTS_REFERENCE_IMPORTS_H

#include "tests/reference/machine.h"

/* call_extern, call_pure_extern, call_packed and call_cpacked; *known is false for all other builtins. */
bool tirbi_ref_eval_import(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out, bool *known);

#endif
