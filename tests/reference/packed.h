/* Packed functions in the oracle. */
#ifndef TIRB_TESTS_REFERENCE_PACKED_H
#define TIRB_TESTS_REFERENCE_PACKED_H

#include "tests/reference/machine.h"

typedef struct tirbi_ref_packed {
    tirbi_ref_value params[6];
    tirbi_ref_memory *result, *code;
} tirbi_ref_packed;

bool tirbi_ref_is_packed(const tirb_primfunc *f);
bool tirbi_ref_pack(tirbi_ref_machine *m, const tirb_arg *args, uint32_t n_args, tirbi_ref_packed *out);
bool tirbi_ref_packed_result(tirbi_ref_machine *m, const tirbi_ref_packed *packed, uint64_t status,
                             tirb_result *result);
/* The arguments that the cells of a lowered call hold; and its result, into the cell behind them. */
bool tirbi_ref_lowered_arguments(tirbi_ref_machine *m, const tirb_expr *e, tirb_import_arg **out, uint32_t *n_out);
bool tirbi_ref_lowered_result(tirbi_ref_machine *m, const tirb_expr *e, const tirbi_ref_value *result);
/* The builtins of structs and of memory for calls; *known is false for all others. */
bool tirbi_ref_eval_packed(tirbi_ref_machine *m, const tirb_expr *e, tirbi_ref_value *out, bool *known);

#endif
