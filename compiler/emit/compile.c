/* From text to a verified bundle: every stage of the compiler, in order. */
#include <tirb/builder.h>
#include <tirb/compiler.h>

#include <string.h>

#include "compiler/check/check.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/limits.h"
#include "compiler/ir/public.h"
#include "compiler/lower/library.h"
#include "compiler/optimize/plan/plan.h"
#include "compiler/optimize/schedule/text.h"
#include "compiler/pipeline/languages.h"
#include "compiler/pipeline/passes.h"
#include "compiler/relax/lower.h"
#include "compiler/text/print.h"
#include "loader/base/error.h"
#include "loader/base/sized.h"
#include "loader/base/work.h"
#include "loader/bundle/bundle.h"
#include "loader/verify/verify.h"

enum { DEFAULT_MAX_ERRORS = 20 };

struct tirb_compile_result {
    tirbi_heap heap;
    tirbi_watch watch;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    tirbi_writer bundle;
    tirbi_writer ir;   /* with options->show_ir */
    tirbi_writer plan; /* with options->show_plan */
    tirbi_notes notes; /* with options->explain */
    const tirbi_language *language;
};

/* ---- Functions ------------------------------------------------------------------------------------------------ */

static void number_parameters(tirbi_emitter *e) {
    tirbi_lfunc *f = e->function;
    for (uint32_t i = 0; i < f->ast->n_params; i++) {
        if (f->param_vars[i]) tirbi_set_reg(e, f->param_vars[i], tirbi_new_sreg(e));
        else tirbi_buffer_ref(e, f->param_buffers[i]);
    }
    for (uint32_t i = 0; i < f->ast->n_shape_vars; i++) tirbi_set_reg(e, f->shape_vars[i], tirbi_new_sreg(e));
}

/* Conditions that are only branched on have a register of their own: whoever runs the code sees that nothing else reads
 * them. */
static void place_conditions(tirbi_emitter *e) {
    if (e->conditions.n == 0) return;
    e->next_sreg = e->n_sregs;
    const uint16_t reg = tirbi_new_sreg(e);
    for (uint32_t i = 0; i < e->conditions.n && !e->code.failed; i++)
        tirbi_store_u16(e->code.data + e->conditions.at[i], reg);
}

/* A copy of an array that outlives the emitter; NULL when memory ran out. */
static void *kept(const tirbi_emitter *e, const void *items, size_t n, size_t size) {
    void *copy = tirbi_arena_alloc(e->lasting, n, size);
    if (copy && n) memcpy(copy, items, n * size);
    return copy;
}

void tirbi_finish_function(tirbi_emitter *e, const char *name, tirbi_function *out) {
    place_conditions(e);
    if (e->code.failed) e->arena->failed = true;
    const uint8_t *code = e->code.failed ? NULL : kept(e, e->code.data, e->code.size, 1);
    const tirbi_red_type *reds = code ? kept(e, e->reds, e->n_reds, sizeof(*reds)) : NULL;
    const tirbi_ref_type *refs = reds ? kept(e, e->refs, e->n_refs, sizeof(*refs)) : NULL;
    const tirbi_line *lines = refs ? kept(e, e->lines, e->n_lines, sizeof(*lines)) : NULL;
    if (!lines) return;
    out->name = tirbi_string_number(e->strings, name);
    out->n_sregs = (uint16_t)e->n_sregs;
    out->n_refs = (uint16_t)e->n_refs;
    out->n_lane_regs = (uint8_t)e->n_lane_regs;
    out->n_reds = (uint8_t)e->n_reds;
    out->refs = refs;
    out->reds = reds;
    out->code = code;
    out->code_size = (uint32_t)e->code.size;
    out->lines = lines;
    out->n_lines = e->n_lines;
}

/* Who looks on while a function is compiled. */
typedef struct onlooker {
    tirbi_pass_view passes;
    tirbi_notes *notes;
    tirbi_writer *plan;
} onlooker;

/* The schedule of a body that all passes have gone through; NULL when memory ran out. */
static const tirbi_sched *plan_function(tirbi_emitter *e, const onlooker *who, const tirbi_ls *body) {
    const tirbi_sched *schedule =
        tirbi_plan_function(e->module, e->function, body, e->options, who->notes, e->regions->n);
    if (!schedule || !who->plan) return schedule;
    static const char title[] = "# schedule\n";
    tirbi_write_bytes(who->plan, title, sizeof(title) - 1);
    return tirbi_print_schedule(e->module, e->function, schedule, e->arena, who->plan) ? schedule : NULL;
}

static void emit_function(tirbi_emitter *e, const onlooker *who, tirbi_function *out) {
    const tirb_primfunc *f = e->function->ast;
    number_parameters(e);
    const tirbi_ls *body = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    tirb_status status = tirbi_run_passes(e->module, e->function, e->options, who->notes, &who->passes, &body,
                                          &error);
    if (status == TIRB_INTERNAL) tirbi_report_error(e->diagnostics, status, (tirbi_span){0, 0}, "%s", error.message);
    else if (status != TIRB_OK) e->arena->failed = true;
    if (status != TIRB_OK) return;
    const tirbi_sched *schedule = plan_function(e, who, body);
    if (!schedule) e->arena->failed = true;
    tirbi_put_sched(e, schedule);
    if (!e->function->returns) {
        TIRBI_PUT(e, TIRB_OP_RETVOID, TIRB_TYPE_NONE, 0);
    } else {
        tirbi_scope scope = tirbi_scope_open(e);
        uint16_t nothing = tirbi_put_value(e, tirbi_lx_bits(e->pool, e->function->return_type, 0));
        TIRBI_PUT(e, TIRB_OP_RET, e->function->return_type, nothing);
        tirbi_scope_close(e, scope);
    }
    tirbi_make_signature(e, out);
    out->is_public = tirbi_is_public(f);
    out->is_packed = e->function->packed;
    out->returns = e->function->returns;
    out->return_type = (uint8_t)(out->returns ? e->function->return_type : 0);
    tirbi_finish_function(e, f->name, out);
}

static bool emit_imports(tirbi_arena *arena, const tirbi_lmodule *module, tirbi_string_table *strings,
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

/* Emits a function in memory of its own, which is given back. */
static void emit_alone(tirb_compile_result *r, tirbi_emitter *e, const onlooker *who, tirbi_function *out) {
    tirbi_arena arena;
    tirbi_registers registers = {.n_vars = 0};
    tirbi_arena_init(&arena, &r->heap);
    arena.watch = &r->watch;
    e->arena = &arena;
    e->registers = &registers;
    e->pool = e->function->pool;
    e->pool->arena = &arena;
    tirbi_writer_init(&e->code, &r->heap);
    emit_function(e, who, out);
    tirbi_writer_destroy(&e->code);
    r->arena.failed |= arena.failed;
    tirbi_arena_destroy(&arena);
}

static tirbi_program *emit_module(tirb_compile_result *r, tirbi_lmodule *module, const tirb_compile_options *options) {
    tirbi_program *program = TIRBI_NEW(&r->arena, tirbi_program);
    tirbi_function *functions = TIRBI_NEW_ARRAY(&r->arena, tirbi_function, module->n_functions);
    tirbi_string_table strings = {.arena = &r->arena};
    tirbi_region_list regions = {.items = NULL};
    if (!program || !functions) return NULL;
    if (module->n_functions > UINT16_MAX) {
        tirbi_report_error(&r->diagnostics, TIRB_UNSUPPORTED, (tirbi_span){0, 0},
                           "more than 65535 functions in a module");
        return NULL;
    }
    if (module->n_imports > UINT16_MAX) {
        tirbi_report_error(&r->diagnostics, TIRB_UNSUPPORTED, (tirbi_span){0, 0},
                           "more than 65535 imports in a module");
        return NULL;
    }
    tirbi_find_access(module, &r->arena);
    program->source_file = tirbi_string_number(&strings, r->source.name);
    tirbi_emitter shared = {.lasting = &r->arena, .diagnostics = &r->diagnostics, .options = options, .module = module,
                            .strings = &strings, .regions = &regions};
    for (uint32_t i = 0; i < module->n_functions && !r->arena.failed; i++) {
        tirbi_emitter e = shared;
        bool own = i < module->n_functions - module->ast->n_library;
        e.function = &module->functions[i];
        e.source = own && r->source.size ? &r->source : NULL;
        r->notes.function = e.function->ast->name;
        const onlooker who = {.passes = {.pass = options->show_ir && *options->show_ir ? options->show_ir : NULL,
                                         .out = own && options->show_ir ? &r->ir : NULL},
                              .notes = own && options->explain ? &r->notes : NULL,
                              .plan = own && options->show_plan ? &r->plan : NULL};
        emit_alone(r, &e, &who, &functions[i]);
    }
    if (r->arena.failed) return NULL;
    if (!emit_imports(&r->arena, module, &strings, program)) return NULL;
    if (strings.full) {
        tirbi_report_error(&r->diagnostics, TIRB_UNSUPPORTED, (tirbi_span){0, 0}, "more than 65535 names in a module");
    }
    program->functions = join_functions(&r->arena, functions, module->n_functions, &regions);
    if (!program->functions) return NULL;
    program->n_functions = (uint16_t)(module->n_functions + regions.n);
    program->strings = strings.items;
    program->n_strings = (uint16_t)strings.n;
    program->fp_mode = (uint8_t)options->fp;
    return program;
}

/* ---- Stages --------------------------------------------------------------------------------------------------- */

static tirb_status diagnosed(const tirb_compile_result *r, tirb_error *error) {
    for (uint32_t i = 0; i < r->diagnostics.n_items; i++) {
        const tirb_diagnostic *d = &r->diagnostics.items[i];
        if (d->severity != TIRB_SEVERITY_ERROR) continue;
        tirbi_error_set(error, d->code, "%s", d->message);
        tirbi_error_at(error, r->source.name, d->line, d->column);
        if (d->end_line == d->line) tirbi_error_end(error, d->end_column);
        return d->code;
    }
    return tirbi_error_set(error, TIRB_INTERNAL, "compilation failed without a message");
}

static tirb_status stopped(tirb_compile_result *r, tirb_error *error) {
    return tirbi_limits_error(&r->watch, &r->heap, r->source.name, error);
}

/* A compilation never ends well after its deadline. */
static tirb_status finished(tirb_compile_result *r, tirb_error *error) {
    return tirbi_watch_look(&r->watch) ? TIRB_OK : stopped(r, error);
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
    if (status == TIRB_OK) return finished(r, error);
    return status == TIRB_UNSUPPORTED || status == TIRB_INTERNAL ? status : stopped(r, error);
}

/* From the typed AST to the bundle. */
static tirb_status run_stages(tirb_compile_result *r, const tirb_irmodule *ast, const tirb_compile_options *options,
                              tirb_error *error) {
    if (!tirbi_check_module(ast, &r->diagnostics, &r->arena)) {
        return r->arena.failed ? stopped(r, error) : diagnosed(r, error);
    }
    ast = tirbi_relax_lower(ast, &r->arena, &r->diagnostics);
    if (!ast) return r->arena.failed ? stopped(r, error) : diagnosed(r, error);
    if (tirbi_has_errors(&r->diagnostics)) return diagnosed(r, error);
    ast = tirbi_add_library(ast, &r->arena, &r->diagnostics);
    if (!ast) return r->arena.failed ? stopped(r, error) : diagnosed(r, error);
    tirbi_lmodule *module = tirbi_lower_module(ast, options, &r->arena, &r->diagnostics);
    if (!module || r->arena.failed) return stopped(r, error);
    if (tirbi_has_errors(&r->diagnostics)) return diagnosed(r, error);
    tirbi_program *program = emit_module(r, module, options);
    if (r->arena.failed) return stopped(r, error); /* what was too large was so for that */
    if (tirbi_has_errors(&r->diagnostics)) return diagnosed(r, error);
    if (!program) return stopped(r, error);
    return write_program(r, program, error);
}

/* ---- The public interface --------------------------------------------------------------------------------------- */

static tirb_status new_result(const char *text, size_t size, const tirb_compile_options *options,
                              tirb_compile_result **out, tirb_error *error) {
    tirbi_heap heap;
    tirbi_heap_init(&heap, &options->allocator, options->max_memory);
    tirb_compile_result *r = tirbi_heap_calloc(&heap, 1, sizeof(*r));
    if (!r) {
        return tirbi_error_set(error, tirbi_heap_status(&heap), "%s", tirb_status_text(tirbi_heap_status(&heap)));
    }
    r->heap = heap;
    r->watch = tirbi_limits_watch(options);
    tirbi_arena_init(&r->arena, &r->heap);
    r->arena.watch = &r->watch;
    tirbi_writer_init(&r->bundle, &r->heap);
    tirbi_writer_init(&r->ir, &r->heap);
    tirbi_writer_init(&r->plan, &r->heap);
    const char *file = options->file_name ? options->file_name : "<string>";
    const char *name = tirbi_arena_text(&r->arena, file, strlen(file));
    char *copy = tirbi_arena_text(&r->arena, text, size);
    if (!name || !copy || !tirbi_source_init(&r->source, name, copy, (uint32_t)size, &r->arena)) {
        tirb_status status = tirbi_limits_error(&r->watch, &r->heap, file, error);
        tirb_compile_result_destroy(r);
        return status;
    }
    r->language = tirbi_language_chosen(options->language, options->file_name);
    r->notes = (tirbi_notes){.arena = &r->arena, .source = r->source.size ? &r->source : NULL};
    tirbi_diagnostics_init(&r->diagnostics, &r->source, &r->arena,
                           options->max_errors ? options->max_errors : DEFAULT_MAX_ERRORS);
    *out = r;
    return TIRB_OK;
}

static tirb_status read_options(const tirb_compile_options *given, tirb_compile_options *out, tirb_error *error) {
    *out = (tirb_compile_options)TIRB_COMPILE_OPTIONS_INIT;
    if (given && !tirbi_options_read(out, sizeof(*out), given)) {
        return tirbi_error_set(error, TIRB_MISUSE, "options.struct_size is %u; begin with TIRB_COMPILE_OPTIONS_INIT",
                               (unsigned)given->struct_size);
    }
    tirbi_limits_complete(out);
    if ((unsigned)out->fp > TIRB_FP_FAST)
        return tirbi_error_set(error, TIRB_MISUSE, "no floating-point mode has the number %d", (int)out->fp);
    if (out->show_ir && *out->show_ir && !tirbi_is_pass(out->show_ir))
        return tirbi_error_set(error, TIRB_MISUSE, "there is no pass %s", out->show_ir);
    if (!tirbi_language_chosen(out->language, NULL))
        return tirbi_error_set(error, TIRB_MISUSE, "no language has the number %d", (int)out->language);
    return TIRB_OK;
}

/* A new result with `text` as its source. */
static tirb_status take_source(const char *text, size_t size, const tirb_compile_options *options,
                               tirb_compile_result **out_result, tirb_error *error) {
    if (size <= UINT32_MAX / 2) return new_result(text, size, options, out_result, error);
    return tirbi_error_set(error, TIRB_MEMORY_LIMIT, "the source text has %zu bytes, the limit is %u", size,
                           (unsigned)(UINT32_MAX / 2));
}

static tirb_status read_source(tirb_compile_result *r, const tirb_irmodule **out, tirb_error *error) {
    *out = r->language->parse(&r->source, &r->arena, &r->diagnostics);
    if (!*out || r->arena.failed) return stopped(r, error);
    if (tirbi_has_errors(&r->diagnostics)) return diagnosed(r, error);
    return TIRB_OK;
}

tirb_status tirb_compile(const char *text, size_t size, const tirb_compile_options *options,
                         tirb_compile_result **out_result, tirb_error *error) {
    tirb_compile_options chosen;
    const tirb_irmodule *ast = NULL;
    if (!out_result || (!text && size)) return tirbi_error_set(error, TIRB_MISUSE, "tirb_compile: an argument is NULL");
    *out_result = NULL;
    TIRBI_TRY(read_options(options, &chosen, error));
    TIRBI_TRY(take_source(text, size, &chosen, out_result, error));
    TIRBI_TRY(read_source(*out_result, &ast, error));
    tirb_status status = run_stages(*out_result, ast, &chosen, error);
    if (status != TIRB_OK) tirbi_writer_destroy(&(*out_result)->bundle);
    return status;
}

/* The source's text in a dialect, or in its own language's canonical form. */
static tirb_status print_source(tirb_compile_result *r, tirb_dialect dialect, tirb_error *error) {
    const tirb_irmodule *ast = NULL;
    const char *printed;
    size_t length;
    const bool itself = dialect == TIRB_DIALECT_SAME && r->language->print;
    if (!itself) TIRBI_TRY(read_source(r, &ast, error));
    if (itself ? !r->language->print(&r->source, &r->arena, &r->diagnostics, &printed, &length)
               : !tirbi_print(ast, dialect, &r->arena, &r->diagnostics, &printed, &length))
        return r->arena.failed ? stopped(r, error) : diagnosed(r, error);
    tirbi_write_bytes(&r->bundle, printed, length);
    return r->bundle.failed ? stopped(r, error) : finished(r, error);
}

tirb_status tirb_format(const char *text, size_t size, tirb_dialect dialect, const tirb_compile_options *options,
                        tirb_compile_result **out_result, tirb_error *error) {
    tirb_compile_options chosen;
    if (!out_result || (!text && size)) return tirbi_error_set(error, TIRB_MISUSE, "tirb_format: an argument is NULL");
    *out_result = NULL;
    if ((unsigned)dialect > TIRB_DIALECT_HYBRID)
        return tirbi_error_set(error, TIRB_MISUSE, "unknown dialect %d", (int)dialect);
    TIRBI_TRY(read_options(options, &chosen, error));
    TIRBI_TRY(take_source(text, size, &chosen, out_result, error));
    tirb_status status = print_source(*out_result, dialect, error);
    if (status != TIRB_OK) tirbi_writer_destroy(&(*out_result)->bundle);
    return status;
}

tirb_status tirb_builder_compile(tirb_builder *builder, const tirb_compile_options *options,
                                 tirb_compile_result **out_result, tirb_error *error) {
    tirb_compile_options chosen;
    if (!builder || !out_result)
        return tirbi_error_set(error, TIRB_MISUSE, "tirb_builder_compile: an argument is NULL");
    *out_result = NULL;
    TIRBI_TRY(read_options(options, &chosen, error));
    TIRBI_TRY(tirb_builder_status(builder, error));
    const tirb_irmodule *ast = tirbi_builder_module(builder);
    if (!ast) return tirbi_error_set(error, TIRB_MISUSE, "the module being built has an open frame or no function");
    TIRBI_TRY(new_result("", 0, &chosen, out_result, error));
    tirb_status status = run_stages(*out_result, ast, &chosen, error);
    if (status != TIRB_OK) tirbi_writer_destroy(&(*out_result)->bundle);
    return status;
}

void tirb_compile_result_destroy(tirb_compile_result *result) {
    if (!result) return;
    tirbi_writer_destroy(&result->bundle);
    tirbi_writer_destroy(&result->ir);
    tirbi_writer_destroy(&result->plan);
    tirbi_arena_destroy(&result->arena);
    tirbi_heap heap = result->heap;
    tirbi_heap_free(&heap, result, sizeof(*result));
}

const uint8_t *tirb_compile_result_bytes(const tirb_compile_result *result, size_t *out_size) {
    if (out_size) *out_size = result ? result->bundle.size : 0;
    return result ? result->bundle.data : NULL;
}

uint32_t tirb_compile_result_diagnostic_count(const tirb_compile_result *result) {
    return result ? result->diagnostics.n_items : 0;
}

const tirb_diagnostic *tirb_compile_result_diagnostic(const tirb_compile_result *result, uint32_t index) {
    return result && index < result->diagnostics.n_items ? &result->diagnostics.items[index] : NULL;
}

size_t tirb_compile_result_format(const tirb_compile_result *result, uint32_t index, char *buffer, size_t size) {
    const tirb_diagnostic *d = tirb_compile_result_diagnostic(result, index);
    if (!buffer) size = 0;
    if (!d) {
        if (size) buffer[0] = '\0';
        return 0;
    }
    return tirbi_diagnostic_format(result->source.name, d, buffer, size);
}

tirb_status tirb_compile_result_stats(const tirb_compile_result *result, tirb_compile_stats *out_stats) {
    if (!result || !out_stats) return TIRB_MISUSE;
    const tirb_compile_stats stats = {.struct_size = sizeof(stats),
                                      .is_plain = !tirbi_arena_may_try(&result->arena),
                                      .work = result->watch.work,
                                      .peak_memory = result->heap.peak};
    return tirbi_info_write(out_stats, &stats, sizeof(stats)) ? TIRB_OK : TIRB_MISUSE;
}

const char *tirb_compile_result_ir(const tirb_compile_result *result, size_t *out_size) {
    if (out_size) *out_size = result ? result->ir.size : 0;
    return result ? (const char *)result->ir.data : NULL;
}

const char *tirb_compile_result_plan(const tirb_compile_result *result, size_t *out_size) {
    if (out_size) *out_size = result ? result->plan.size : 0;
    return result ? (const char *)result->plan.data : NULL;
}

uint32_t tirb_compile_result_loop_count(const tirb_compile_result *result) { return result ? result->notes.n : 0; }

const tirb_loop_note *tirb_compile_result_loop(const tirb_compile_result *result, uint32_t index) {
    return result && index < result->notes.n ? &result->notes.items[index] : NULL;
}
