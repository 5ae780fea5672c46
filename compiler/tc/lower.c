#include "compiler/tc/lower.h"

tirb_irmodule *tirbi_tc_lower(const tirbi_tc_program *program, tirbi_arena *arena, tirbi_diagnostics *diagnostics) {
    tirbi_span span = program->n_defs > 0 ? program->defs[0]->name_span : (tirbi_span){0, 0};
    tirbi_report_error(diagnostics, TIRB_UNSUPPORTED, span, "Tensor Comprehensions are not lowered yet");
    return TIRBI_NEW(arena, tirb_irmodule);
}
