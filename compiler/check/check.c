#include "compiler/check/check.h"

#include <string.h>

#include "compiler/check/checker.h"
#include "compiler/check/relax.h"
#include "compiler/ir/visit.h"

/* ---- Parameters ----------------------------------------------------------------------------------------------- */

static void bind_params(tirbi_checker *c, const tirb_primfunc *f) {
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirb_buffer *buffer = tirbi_check_param_buffer(f, i);
        tirbi_check_bind_var(c, f->params[i], f->params[i]->span);
        if (buffer != NULL) {
            tirbi_check_bind_buffer(c, buffer, buffer->data == f->params[i]);
        } else if (f->params[i]->dtype.lanes != 1) {
            tirbi_report_error(c->diagnostics, TIRB_TYPE, f->params[i]->span,
                               "parameter '%s' must be a scalar, found %s", f->params[i]->as.var.name,
                               tirbi_check_text(f->params[i]->dtype).text);
        }
    }
    for (uint32_t i = 0; i < f->n_shape_vars; i++) tirbi_check_bind_var(c, f->shape_vars[i], f->shape_vars[i]->span);
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirb_buffer *buffer = tirbi_check_param_buffer(f, i);
        if (buffer == NULL) continue;
        tirbi_check_buffer_exprs(c, buffer);
        tirbi_check_buffer_type(c, buffer);
    }
}

static void note(tirbi_checker *c, const tirb_expr *e, bool determined) {
    if (e && e->kind == TIRB_EXPR_VAR) c->determined[e->as.var.id] = determined;
}

/* Notes which variables stand alone in what the parameters' buffers are. */
static void note_determined(tirbi_checker *c, const tirb_primfunc *f, bool determined) {
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirb_buffer *buffer = tirbi_check_param_buffer(f, i);
        for (uint32_t k = 0; buffer && k < buffer->ndim; k++) {
            note(c, buffer->shape[k], determined);
            if (buffer->strides) note(c, buffer->strides[k], determined);
        }
        if (buffer) note(c, buffer->elem_offset, determined);
    }
}

/* A variable that only stands inside expressions of shapes has no value at a call. TVM prints such functions. */
static void warn_undetermined(tirbi_checker *c, const tirb_primfunc *f) {
    note_determined(c, f, true);
    for (uint32_t v = 0; v < f->n_shape_vars; v++) {
        if (c->determined[f->shape_vars[v]->as.var.id]) continue;
        tirbi_report_warning(c->diagnostics, f->shape_vars[v]->span,
                             "no parameter's shape determines '%s': %s cannot be called from outside",
                             f->shape_vars[v]->as.var.name, f->name);
    }
    note_determined(c, f, false); /* the module's variables may stand in other signatures */
}

/* ---- Return types --------------------------------------------------------------------------------------------- */

/* Without a declared type, the returned values decide; they agree by then. */
static void check_return_type(tirbi_checker *c, const tirb_primfunc *f) {
    const tirb_type *type = &f->ret_type;
    if (c->returned == NULL) {
        if (type->kind == TIRB_TYPE_TUPLE || tirbi_is_packed(f)) return; /* a packed function that ends returns 0 */
        tirbi_report_error(c->diagnostics, TIRB_TYPE, f->span, "%s is declared to return %s and returns nothing",
                           f->name, tirbi_check_text(type->dtype).text);
        return;
    }
    if (c->returns_nothing) {
        tirbi_report_error(c->diagnostics, TIRB_TYPE, c->returned->span,
                           "%s returns a value here and nothing in another place", f->name);
    }
    if (type->kind == TIRB_TYPE_TUPLE) return;
    if (type->kind == TIRB_TYPE_POINTER) {
        if (c->returned->dtype.code == TIRB_CODE_HANDLE) return;
        tirbi_report_error(c->diagnostics, TIRB_TYPE, c->returned->span, "%s returns %s, expected a handle", f->name,
                           tirbi_check_text(c->returned->dtype).text);
        return;
    }
    if (tirb_datatype_equal(c->returned->dtype, type->dtype)) return;
    tirbi_report_error(c->diagnostics, TIRB_TYPE, c->returned->span, "%s returns %s, expected %s as declared", f->name,
                       tirbi_check_text(c->returned->dtype).text, tirbi_check_text(type->dtype).text);
}

/* ---- Size ----------------------------------------------------------------------------------------------------- */

/* What stands in many places is one node here and is gone through once for each of them later. A text that does not
 * name expressions to use them again has fewer nodes than characters. */
enum { MAX_NODES = 8000000 };

typedef struct measure {
    uint64_t nodes;
    const tirb_stmt *stmt;
    const tirb_stmt *too_far; /* where there were too many, or NULL */
} measure;

static void measure_expr(tirbi_visitor *v, const tirb_expr *e) {
    measure *m = v->context;
    m->nodes += e->size;
    if (m->nodes > MAX_NODES && !m->too_far) m->too_far = m->stmt;
}

static void measure_stmt(tirbi_visitor *v, const tirb_stmt *s) {
    measure *m = v->context;
    if (m->too_far) return;
    m->stmt = s;
    tirbi_visit_stmt(v, s);
}

static bool small_enough(const tirb_irmodule *module, tirbi_diagnostics *diagnostics) {
    measure m = {.nodes = 0};
    tirbi_visitor v = {.expr = measure_expr, .stmt = measure_stmt, .context = &m};
    for (uint32_t i = 0; i < module->n_functions && !m.too_far; i++) {
        if (module->functions[i]->body) measure_stmt(&v, module->functions[i]->body);
    }
    if (!m.too_far) return true;
    tirbi_report_error(
        diagnostics, TIRB_UNSUPPORTED, m.too_far->span,
        "up to here the program's expressions have %llu nodes, those that are used again counted at each use; "
        "the limit is %d",
        (unsigned long long)m.nodes, MAX_NODES);
    return false;
}

/* ---- Functions and modules ------------------------------------------------------------------------------------ */

static void check_function(tirbi_checker *c, const tirb_primfunc *f) {
    c->function = f;
    c->n_vectorized = 0;
    c->n_loops = 0;
    c->returned = NULL;
    c->returns_nothing = false;
    c->warned_index_widths = false;
    c->at = f->span;
    bind_params(c, f);
    warn_undetermined(c, f);
    tirbi_check_stmt(c, f->body);
    tirbi_check_required(c, f);
    check_return_type(c, f);
    /* A shape variable of the module may stand in the signatures of several functions. */
    for (uint32_t i = 0; i < f->n_shape_vars; i++) c->vars[f->shape_vars[i]->as.var.id] = TIRBI_SCOPE_NEW;
}

bool tirbi_check_module(const tirb_irmodule *module, tirbi_diagnostics *diagnostics, tirbi_arena *arena) {
    uint32_t before = diagnostics->n_errors;
    tirbi_checker c = {
        .module = module,
        .diagnostics = diagnostics,
        .vars = TIRBI_NEW_ARRAY(arena, uint8_t, module->n_vars),
        .buffers = TIRBI_NEW_ARRAY(arena, uint8_t, module->n_buffers),
        .kinds = TIRBI_NEW_ARRAY(arena, uint8_t, module->n_vars),
        .blocks = TIRBI_NEW_ARRAY(arena, uint32_t, module->n_vars),
        .determined = TIRBI_NEW_ARRAY(arena, bool, module->n_vars),
    };
    if (arena->failed || !small_enough(module, diagnostics)) return false;
    if (module->n_functions + module->n_relax == 0 && module->n_externs > 0)
        tirbi_report_error(diagnostics, TIRB_UNSUPPORTED, module->externs[0].span,
                           "`%s` is no PrimFunc: tirb runs PrimFuncs, and keeps other functions as they are written",
                           module->externs[0].name);
    for (uint32_t i = 0; i < module->n_functions; i++) {
        if (module->functions[i]->body != NULL) check_function(&c, module->functions[i]);
    }
    for (uint32_t i = 0; i < module->n_relax; i++) tirbi_check_relax(module->relax[i], diagnostics, arena);
    if (diagnostics->n_errors == before) tirbi_warn_of_bounds(module, diagnostics, arena);
    return diagnostics->n_errors == before;
}
