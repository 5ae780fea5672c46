/* Whether Relax functions are well-formed: variables of shapes have values where they are used, and pure functions and
 * dataflow blocks call nothing impure. That names are known and types agree, reading has seen. */
#include "compiler/check/relax.h"

#include <string.h>

#include "compiler/ir/builder.h"
#include "compiler/relax/infer/operators.h"

typedef struct walk {
    tirbi_diagnostics *diagnostics;
    tirbi_arena *arena;
    tirbi_list known; /* of const tirb_expr *: variables that have values */
    bool pure;        /* nothing impure is called in the function */
    const char *name; /* of the function, or of the one around it */
} walk;

static void know(walk *w, const tirb_expr *var) {
    const tirb_expr **slot = TIRBI_LIST_ADD(w->arena, &w->known, const tirb_expr *);
    if (slot) *slot = var;
}

static bool knows(const walk *w, const tirb_expr *var) {
    const tirb_expr *const *vars = w->known.items;
    for (uint32_t i = w->known.n; i > 0; i--)
        if (vars[i - 1] == var) return true;
    return false;
}

/* Once for each variable: it counts as known from there on. */
static void check_expr(walk *w, const tirb_expr *e, tirbi_span span) {
    if (e->kind == TIRB_EXPR_CAST) check_expr(w, e->as.cast.value, span);
    if (e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_OR) {
        check_expr(w, e->as.binary.a, span);
        check_expr(w, e->as.binary.b, span);
    }
    for (uint32_t i = 0; e->kind == TIRB_EXPR_CALL && i < e->as.call.n_args; i++)
        check_expr(w, e->as.call.args[i], span);
    if (e->kind != TIRB_EXPR_VAR || knows(w, e)) return;
    tirbi_report_error(w->diagnostics, TIRB_TYPE, span,
                       "`%s` has no value here: a parameter's shape or R.match_cast before it gives it one",
                       e->as.var.name);
    know(w, e);
}

static void define(walk *w, const tirb_relax_type *t) {
    for (uint32_t i = 0; t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++) define(w, t->fields[i]);
    for (int32_t i = 0; t->has_shape && i < t->ndim; i++)
        if (t->shape[i]->kind == TIRB_EXPR_VAR && !knows(w, t->shape[i])) know(w, t->shape[i]);
}

static void check_type(walk *w, const tirb_relax_type *t, tirbi_span span) {
    for (int32_t i = 0; t->has_shape && i < t->ndim; i++) check_expr(w, t->shape[i], span);
    if (t->kind == TIRB_RELAX_TYPE_TUPLE)
        for (uint32_t i = 0; i < t->n_fields; i++) check_type(w, t->fields[i], span);
}

/* ---- Expressions ------------------------------------------------------------------------------------------------- */

static void check_seq(walk *w, const tirb_relax_seq *seq);
static void check_function(walk *w, const tirb_relax_function *f);

static bool is_impure(const tirb_relax_expr *e) {
    if (e->as.call.op) return (e->as.call.op->flags & TIRBI_RELAX_IMPURE) != 0;
    const tirb_relax_type *type = e->as.call.callee->type;
    return type->kind == TIRB_RELAX_TYPE_FUNCTION && !type->pure;
}

static void check_call(walk *w, const tirb_relax_expr *e, bool dataflow, tirbi_span span) {
    for (uint32_t i = 0; i < e->as.call.n_types; i++) check_type(w, e->as.call.types[i], span);
    if (!is_impure(e)) return;
    if (dataflow)
        tirbi_report_error(w->diagnostics, TIRB_TYPE, span, "an impure call in a dataflow block");
    else if (w->pure)
        tirbi_report_error(w->diagnostics, TIRB_TYPE, span,
                           "an impure call in the pure function `%s`: decorate it with @R.function(pure=False)",
                           w->name);
}

static void check_value(walk *w, const tirb_relax_expr *e, bool dataflow, tirbi_span span) {
    switch (e->kind) {
    case TIRB_RELAX_PRIM:
        check_expr(w, e->as.prim, span);
        return;
    case TIRB_RELAX_SHAPE:
        for (uint32_t i = 0; i < e->as.shape.n; i++) check_expr(w, e->as.shape.values[i], span);
        return;
    case TIRB_RELAX_TUPLE:
        for (uint32_t i = 0; i < e->as.tuple.n; i++) check_value(w, e->as.tuple.items[i], dataflow, span);
        return;
    case TIRB_RELAX_CALL:
        for (uint32_t i = 0; i < e->as.call.n_args; i++) check_value(w, e->as.call.args[i], dataflow, span);
        check_call(w, e, dataflow, span);
        return;
    case TIRB_RELAX_FUNCTION:
        check_function(w, e->as.function);
        return;
    case TIRB_RELAX_IF: {
        uint32_t n = w->known.n;
        check_value(w, e->as.if_.condition, dataflow, span);
        check_seq(w, e->as.if_.then_case);
        w->known.n = n;
        check_seq(w, e->as.if_.else_case);
        w->known.n = n;
        return;
    }
    default:
        return;
    }
}

static void check_binding(walk *w, const tirb_relax_binding *binding, bool dataflow) {
    check_value(w, binding->value, dataflow, binding->span);
    if (binding->kind == TIRB_RELAX_MATCH_CAST) define(w, binding->cast);
    check_type(w, binding->var->type, binding->span);
    if (binding->var->scalar) know(w, binding->var->scalar);
}

static void check_seq(walk *w, const tirb_relax_seq *seq) {
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t j = 0; j < seq->blocks[i].n_bindings; j++)
            check_binding(w, &seq->blocks[i].bindings[j], seq->blocks[i].dataflow);
    check_value(w, seq->body, false, seq->body->span);
}

/* ---- Functions --------------------------------------------------------------------------------------------------- */

static bool is_forced(const tirb_relax_function *f) {
    for (uint32_t i = 0; i < f->n_attrs; i++) {
        const tirb_expr *value = f->attrs[i].value;
        if (strcmp(f->attrs[i].key, "relax.force_pure") == 0)
            return value && value->kind == TIRB_EXPR_INT_IMM && value->as.int_value != 0;
    }
    return false;
}

/* The attribute that names a function to callers outside says its name in the module. */
static void check_symbol(walk *w, const tirb_relax_function *f) {
    for (uint32_t i = 0; f->name && i < f->n_attrs; i++) {
        const tirb_expr *value = strcmp(f->attrs[i].key, "global_symbol") == 0 ? f->attrs[i].value : NULL;
        if (!value || value->kind != TIRB_EXPR_STRING_IMM) continue;
        if (!f->global_symbol)
            tirbi_report_error(w->diagnostics, TIRB_TYPE, f->span, "`%s` is private and has a global_symbol", f->name);
        else if (strcmp(value->as.string.text, f->name) != 0)
            tirbi_report_error(w->diagnostics, TIRB_TYPE, f->span, "the global_symbol of `%s` is \"%.64s\"", f->name,
                               value->as.string.text);
    }
}

static void check_function(walk *w, const tirb_relax_function *f) {
    walk inner = *w;
    if (f->name) inner.name = f->name;
    check_symbol(w, f);
    bool forced = is_forced(f);
    if (forced && !f->pure)
        tirbi_report_error(w->diagnostics, TIRB_TYPE, f->span, "relax.force_pure is set, but the function is impure");
    inner.pure = f->pure && !forced;
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->params[i]->scalar) know(&inner, f->params[i]->scalar);
        define(&inner, f->params[i]->type);
    }
    for (uint32_t i = 0; i < f->n_params; i++) check_type(&inner, f->params[i]->type, f->params[i]->span);
    uint32_t n = inner.known.n;
    check_seq(&inner, f->body);
    inner.known.n = n;
    check_type(&inner, f->ret, f->span);
    w->known.items = inner.known.items;
    w->known.capacity = inner.known.capacity;
}

void tirbi_check_relax(const tirb_relax_function *f, tirbi_diagnostics *diagnostics, tirbi_arena *arena) {
    walk w = {.diagnostics = diagnostics, .arena = arena, .name = f->name};
    if (f->body) check_function(&w, f);
}
