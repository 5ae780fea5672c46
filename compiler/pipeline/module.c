#include "compiler/pipeline/module.h"

#include <string.h>

#include "compiler/emit/function.h"
#include "compiler/optimize/plan/plan.h"
#include "compiler/optimize/schedule/text.h"
#include "compiler/pipeline/passes.h"

static bool make_imports(tirbi_arena *arena, const tirbi_lmodule *module, tirbi_string_table *strings,
                         tirbi_program *program) {
    tirbi_import *imports = TIRBI_NEW_ARRAY(arena, tirbi_import, module->n_imports);
    if (!imports) return false;
    for (uint32_t i = 0; i < module->n_imports; i++) {
        const tirbi_limport *from = &module->imports[i];
        imports[i] = (tirbi_import){.name = tirbi_string_number(strings, from->name),
                                    .returns = from->returns,
                                    .return_type = (uint8_t)(from->returns ? from->return_type : TIRB_TYPE_NONE),
                                    .n_params = (uint8_t)from->n_params,
                                    .params = from->params};
    }
    program->imports = imports;
    program->n_imports = (uint16_t)module->n_imports;
    return true;
}

static const tirbi_function *join_functions(tirbi_arena *arena, const tirbi_function *own, uint32_t n,
                                            const tirbi_region_list *regions) {
    tirbi_function *all = TIRBI_NEW_ARRAY(arena, tirbi_function, n + regions->n);
    if (!all) return NULL;
    if (n) memcpy(all, own, n * sizeof(*all));
    if (regions->n) memcpy(all + n, regions->items, regions->n * sizeof(*all));
    return all;
}

/* The schedule of a body that all passes have gone through, which is shown to who asks; NULL when memory ran out. */
static const tirbi_sched *plan_function(const tirbi_emission *emission, tirbi_lfunc *f, const tirbi_ls *body,
                                        tirbi_notes *notes, tirbi_writer *shown) {
    const tirbi_sched *schedule =
        tirbi_plan_function(emission->module, f, body, emission->disabled, notes, emission->regions.n);
    if (!schedule || !shown) return schedule;
    static const char title[] = "# schedule\n";
    tirbi_write_bytes(shown, title, sizeof(title) - 1);
    return tirbi_print_schedule(emission->module, f, schedule, f->pool->arena, shown) ? schedule : NULL;
}

/* Optimizes and emits a function in memory of its own, which is given back. `own`: it is the user's, not the
 * library's. */
static void make_function(tirb_compile_result *r, tirbi_emission *emission, const tirb_compile_options *options,
                          tirbi_lfunc *f, bool own, tirbi_function *out) {
    const tirbi_pass_view view = {.pass = options->show_ir && *options->show_ir ? options->show_ir : NULL,
                                  .out = own && options->show_ir ? &r->ir : NULL};
    const tirbi_source *source = own && r->source.size ? &r->source : NULL;
    tirbi_notes *notes = own && options->explain ? &r->notes : NULL;
    const tirbi_ls *body = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_arena arena;
    tirbi_arena_init(&arena, &r->heap);
    arena.watch = &r->watch;
    f->pool->arena = &arena;
    r->notes.function = f->ast->name;
    const tirb_status status = tirbi_run_passes(emission->module, f, emission->disabled, notes, &view, &body, &error);
    const tirbi_sched *schedule =
        status == TIRB_OK ? plan_function(emission, f, body, notes, own && options->show_plan ? &r->plan : NULL) : NULL;
    if (schedule)
        tirbi_emit_function(emission, f, schedule, source, out);
    else if (status == TIRB_INTERNAL)
        tirbi_report_error(&r->diagnostics, status, (tirbi_span){0, 0}, "%s", error.message);
    else
        arena.failed = true;
    r->arena.failed |= arena.failed;
    tirbi_arena_destroy(&arena);
}

/* Whether so many of something have numbers in a bundle; reports it when they do not. */
static bool are_numbered(tirb_compile_result *r, uint32_t n, const char *what) {
    if (n <= UINT16_MAX) return true;
    tirbi_report_error(&r->diagnostics, TIRB_UNSUPPORTED, (tirbi_span){0, 0}, "more than %u %s in a module",
                       (unsigned)UINT16_MAX, what);
    return false;
}

tirbi_program *tirbi_make_program(tirb_compile_result *r, tirbi_lmodule *module, const tirb_compile_options *options,
                                  uint32_t disabled) {
    tirbi_program *program = TIRBI_NEW(&r->arena, tirbi_program);
    tirbi_function *functions = TIRBI_NEW_ARRAY(&r->arena, tirbi_function, module->n_functions);
    tirbi_emission emission = {.lasting = &r->arena,
                               .diagnostics = &r->diagnostics,
                               .disabled = disabled,
                               .module = module,
                               .strings = {.arena = &r->arena},
                               .constants = {.arena = &r->arena}};
    if (!program || !functions) return NULL;
    if (!are_numbered(r, module->n_functions, "functions") || !are_numbered(r, module->n_imports, "imports"))
        return NULL;
    tirbi_find_access(module, &r->arena);
    program->source_file = tirbi_string_number(&emission.strings, r->source.name);
    const uint32_t n_own = module->n_functions - module->ast->n_library;
    for (uint32_t i = 0; i < module->n_functions && !r->arena.failed; i++)
        make_function(r, &emission, options, &module->functions[i], i < n_own, &functions[i]);
    if (r->arena.failed) return NULL;
    if (!make_imports(&r->arena, module, &emission.strings, program)) return NULL;
    if (emission.strings.full) {
        tirbi_report_error(&r->diagnostics, TIRB_UNSUPPORTED, (tirbi_span){0, 0}, "more than 65535 names in a module");
    }
    program->functions = join_functions(&r->arena, functions, module->n_functions, &emission.regions);
    if (!program->functions) return NULL;
    program->n_functions = (uint16_t)(module->n_functions + emission.regions.n);
    program->strings = emission.strings.items;
    program->n_strings = (uint16_t)emission.strings.n;
    program->constants = emission.constants.items;
    program->n_constants = (uint16_t)emission.constants.n;
    program->fp_mode = (uint8_t)options->fp;
    return program;
}
