#include "compiler/tc/tc.h"

#include "compiler/tc/check.h"
#include "compiler/tc/lower.h"
#include "compiler/tc/parser.h"

tirb_irmodule *tirbi_tc_parse(const tirbi_source *source, tirbi_arena *arena, tirbi_diagnostics *diagnostics) {
    tirbi_tc_program *program = tirbi_tc_read(source, arena, diagnostics);
    if (!program) return NULL;
    if (tirbi_has_errors(diagnostics) || !tirbi_tc_check(program, arena, diagnostics))
        return arena->failed ? NULL : TIRBI_NEW(arena, tirb_irmodule);
    return tirbi_tc_lower(program, arena, diagnostics);
}
