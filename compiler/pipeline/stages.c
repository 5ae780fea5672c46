#include "compiler/pipeline/stages.h"

#include "compiler/check/check.h"
#include "compiler/lower/library.h"
#include "compiler/lower/module.h"
#include "compiler/pipeline/module.h"
#include "compiler/pipeline/names.h"
#include "compiler/pipeline/switches.h"
#include "compiler/relax/lower/lower.h"
#include "loader/base/error.h"
#include "loader/base/work.h"
#include "loader/bundle/bundle.h"
#include "loader/verify/verify.h"

tirb_status tirbi_read_source(tirb_compile_result *r, const tirb_irmodule **out, tirb_error *error) {
    *out = r->language->parse(&r->source, &r->arena, &r->diagnostics);
    if (!*out || r->arena.failed) return tirbi_stopped(r, error);
    if (tirbi_has_errors(&r->diagnostics)) return tirbi_diagnosed(r, error);
    return TIRB_OK;
}

/* The compiler's own output goes through the same door as everything else. */
static tirb_status write_program(tirb_compile_result *r, const tirbi_program *program, tirb_error *error) {
    tirb_error rejected = TIRB_ERROR_INIT;
    tirbi_work_watched(&r->heap, &r->watch);
    tirb_status status = tirbi_verify(program, &r->heap, &rejected);
    if (status == TIRB_VERIFY) {
        return tirbi_error_set(error, TIRB_INTERNAL, "the compiler made a program that does not verify: %s",
                               rejected.message);
    }
    if (status == TIRB_OK) status = tirbi_bundle_write(program, &r->heap, &r->bundle, error);
    if (status == TIRB_OK) return tirbi_finished(r, error);
    return status == TIRB_UNSUPPORTED || status == TIRB_INTERNAL ? status : tirbi_stopped(r, error);
}

tirb_status tirbi_run_stages(tirb_compile_result *r, const tirb_irmodule *ast, const tirb_compile_options *options,
                             tirb_error *error) {
    if (!tirbi_check_module(ast, &r->diagnostics, &r->arena)) {
        return r->arena.failed ? tirbi_stopped(r, error) : tirbi_diagnosed(r, error);
    }
    const uint32_t disabled = tirbi_left_out(options);
    tirbi_relax_notes notes = {NULL, 0};
    ast = tirbi_relax_lower(ast, !(disabled & TIRB_PASS_OPERATORS), options->explain ? &notes : NULL, &r->arena,
                            &r->diagnostics);
    r->notes.items = notes.items;
    r->notes.n = r->notes.capacity = notes.n;
    if (!ast) return r->arena.failed ? tirbi_stopped(r, error) : tirbi_diagnosed(r, error);
    if (tirbi_has_errors(&r->diagnostics)) return tirbi_diagnosed(r, error);
    ast = tirbi_add_library(ast, &r->arena, &r->diagnostics);
    if (!ast) return r->arena.failed ? tirbi_stopped(r, error) : tirbi_diagnosed(r, error);
    tirbi_lmodule *module = tirbi_lower_module(ast, options->fp, disabled, &r->arena, &r->diagnostics);
    if (!module || r->arena.failed) return tirbi_stopped(r, error);
    if (tirbi_has_errors(&r->diagnostics)) return tirbi_diagnosed(r, error);
    tirbi_program *program = tirbi_make_program(r, module, options, disabled);
    if (r->arena.failed) return tirbi_stopped(r, error); /* what was too large was so for that */
    if (tirbi_has_errors(&r->diagnostics)) return tirbi_diagnosed(r, error);
    if (!program) return tirbi_stopped(r, error);
    return write_program(r, program, error);
}
