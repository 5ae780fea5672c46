#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/ir/relax.h"

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

bool tirb_relax_same_vdevice(const tirb_relax_vdevice *a, const tirb_relax_vdevice *b) {
    if (a == b || !a || !b) return a == b;
    return same_text(a->target, b->target) && a->id == b->id && a->index == b->index && same_text(a->scope, b->scope);
}

static bool same_types(const tirb_relax_type *const *a, const tirb_relax_type *const *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!tirb_relax_type_equal(a[i], b[i])) return false;
    return true;
}

bool tirb_relax_type_equal(const tirb_relax_type *a, const tirb_relax_type *b) {
    if (a == b) return true;
    if (!a || !b || a->kind != b->kind || !tirb_datatype_equal(a->dtype, b->dtype) || a->ndim != b->ndim ||
        a->has_shape != b->has_shape || a->shape_var != b->shape_var ||
        !tirb_relax_same_vdevice(a->vdevice, b->vdevice) || a->n_fields != b->n_fields || a->pure != b->pure ||
        a->opaque != b->opaque || a->is_text != b->is_text)
        return false;
    for (int32_t i = 0; a->has_shape && i < a->ndim; i++)
        if (!tirbi_expr_equal(a->shape[i], b->shape[i])) return false;
    return same_types(a->fields, b->fields, a->n_fields) && (!a->ret || tirb_relax_type_equal(a->ret, b->ret));
}

bool tirb_relax_attr_equal(const tirb_relax_attr *a, const tirb_relax_attr *b) {
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case TIRB_RELAX_ATTR_NONE:
        return true;
    case TIRB_RELAX_ATTR_BOOL:
        return a->as.boolean == b->as.boolean;
    case TIRB_RELAX_ATTR_INT:
        return a->as.integer == b->as.integer;
    case TIRB_RELAX_ATTR_FLOAT:
        return memcmp(&a->as.real, &b->as.real, sizeof a->as.real) == 0;
    case TIRB_RELAX_ATTR_STRING:
        return same_text(a->as.text, b->as.text);
    case TIRB_RELAX_ATTR_DTYPE:
        return tirb_datatype_equal(a->as.dtype, b->as.dtype);
    case TIRB_RELAX_ATTR_EXPR:
        return tirbi_expr_equal(a->as.expr, b->as.expr);
    case TIRB_RELAX_ATTR_LIST:
        if (a->as.list.n != b->as.list.n) return false;
        for (uint32_t i = 0; i < a->as.list.n; i++)
            if (!tirb_relax_attr_equal(&a->as.list.items[i], &b->as.list.items[i])) return false;
        return true;
    case TIRB_RELAX_ATTR_MAP:
        if (a->as.map.n_vars != b->as.map.n_vars || a->as.map.n_indices != b->as.map.n_indices) return false;
        for (uint32_t i = 0; i < a->as.map.n_indices; i++)
            if (!tirbi_expr_equal(a->as.map.indices[i], b->as.map.indices[i])) return false;
        return true;
    case TIRB_RELAX_ATTR_VDEVICE:
        return tirb_relax_same_vdevice(a->as.vdevice, b->as.vdevice);
    }
    return false;
}

/* ---- Functions, up to the identity of variables ------------------------------------------------------------------ */

/* Which variable of the right side stands for one of the left, by ids. */
typedef struct comparison {
    const tirb_expr **scalars; /* of the left side's TIR variables */
    const tirb_relax_var **vars;
    uint32_t n_scalars, n_vars;
} comparison;

static bool same_seq(comparison *c, const tirb_relax_seq *a, const tirb_relax_seq *b);
static bool same_function(comparison *c, const tirb_relax_function *a, const tirb_relax_function *b);

static bool same_scalar(comparison *c, const tirb_expr *a, const tirb_expr *b) {
    if (!a || !b) return a == b;
    if (a->kind != b->kind || !tirb_datatype_equal(a->dtype, b->dtype)) return false;
    if (a->kind == TIRB_EXPR_VAR) {
        if (a->as.var.id >= c->n_scalars) return false;
        const tirb_expr **known = &c->scalars[a->as.var.id];
        if (!*known) *known = b;
        return *known == b;
    }
    if (a->kind == TIRB_EXPR_CAST) return same_scalar(c, a->as.cast.value, b->as.cast.value);
    if (a->kind >= TIRB_EXPR_ADD && a->kind <= TIRB_EXPR_OR)
        return same_scalar(c, a->as.binary.a, b->as.binary.a) && same_scalar(c, a->as.binary.b, b->as.binary.b);
    if (a->kind == TIRB_EXPR_CALL && a->as.call.builtin == TIRB_BUILTIN_IF_THEN_ELSE) {
        bool same = b->as.call.builtin == TIRB_BUILTIN_IF_THEN_ELSE;
        for (uint32_t i = 0; same && i < 3; i++) same = same_scalar(c, a->as.call.args[i], b->as.call.args[i]);
        return same;
    }
    return tirbi_expr_equal(a, b);
}

static bool same_var(comparison *c, const tirb_relax_var *a, const tirb_relax_var *b) {
    if (!a || !b) return a == b;
    if (a->scalar || b->scalar) return a->scalar && b->scalar && same_scalar(c, a->scalar, b->scalar);
    if (a->id >= c->n_vars || a->dataflow != b->dataflow) return false;
    const tirb_relax_var **known = &c->vars[a->id];
    if (!*known) *known = b;
    return *known == b;
}

static bool same_scalars(comparison *c, const tirb_expr *const *a, const tirb_expr *const *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!same_scalar(c, a[i], b[i])) return false;
    return true;
}

static bool same_type(comparison *c, const tirb_relax_type *a, const tirb_relax_type *b) {
    if (!a || !b) return a == b;
    if (a->kind != b->kind || !tirb_datatype_equal(a->dtype, b->dtype) || a->ndim != b->ndim ||
        a->has_shape != b->has_shape || a->n_fields != b->n_fields || a->pure != b->pure || a->opaque != b->opaque)
        return false;
    if (a->has_shape && !same_scalars(c, a->shape, b->shape, (uint32_t)a->ndim)) return false;
    for (uint32_t i = 0; i < a->n_fields; i++)
        if (!same_type(c, a->fields[i], b->fields[i])) return false;
    return same_type(c, a->ret, b->ret) && same_var(c, a->shape_var, b->shape_var);
}

static bool same_attr(comparison *c, const tirb_relax_attr *a, const tirb_relax_attr *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == TIRB_RELAX_ATTR_EXPR) return same_scalar(c, a->as.expr, b->as.expr);
    if (a->kind == TIRB_RELAX_ATTR_MAP)
        return a->as.map.n_vars == b->as.map.n_vars && a->as.map.n_indices == b->as.map.n_indices &&
               same_scalars(c, a->as.map.vars, b->as.map.vars, a->as.map.n_vars) &&
               same_scalars(c, a->as.map.indices, b->as.map.indices, a->as.map.n_indices);
    if (a->kind != TIRB_RELAX_ATTR_LIST) return tirb_relax_attr_equal(a, b);
    if (a->as.list.n != b->as.list.n) return false;
    for (uint32_t i = 0; i < a->as.list.n; i++)
        if (!same_attr(c, &a->as.list.items[i], &b->as.list.items[i])) return false;
    return true;
}

static bool same_tensor(const tirb_relax_tensor *a, const tirb_relax_tensor *b) {
    if (!tirb_datatype_equal(a->dtype, b->dtype) || a->ndim != b->ndim || a->n_bytes != b->n_bytes) return false;
    return memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) == 0 && memcmp(a->bytes, b->bytes, a->n_bytes) == 0;
}

static bool same_expr(comparison *c, const tirb_relax_expr *a, const tirb_relax_expr *b);

static bool same_exprs(comparison *c, const tirb_relax_expr *const *a, const tirb_relax_expr *const *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!same_expr(c, a[i], b[i])) return false;
    return true;
}

/* The same attributes in any order. */
static bool same_named(const tirb_attr *a, const tirb_attr *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;
        while (j < n && strcmp(a[i].key, b[j].key) != 0) j++;
        if (j == n || !same_text(a[i].text, b[j].text) || !a[i].value != !b[j].value) return false;
        if (a[i].value && !tirbi_expr_equal(a[i].value, b[j].value)) return false;
    }
    return true;
}

static bool same_call(comparison *c, const tirb_relax_expr *a, const tirb_relax_expr *b) {
    if (a->as.call.op != b->as.call.op || a->as.call.n_args != b->as.call.n_args ||
        a->as.call.n_types != b->as.call.n_types || a->as.call.n_attrs != b->as.call.n_attrs ||
        a->as.call.n_named != b->as.call.n_named)
        return false;
    if (!a->as.call.op && !same_expr(c, a->as.call.callee, b->as.call.callee)) return false;
    for (uint32_t i = 0; i < a->as.call.n_types; i++)
        if (!same_type(c, a->as.call.types[i], b->as.call.types[i])) return false;
    for (uint32_t i = 0; i < a->as.call.n_attrs; i++)
        if (!same_attr(c, &a->as.call.attrs[i], &b->as.call.attrs[i])) return false;
    return same_exprs(c, a->as.call.args, b->as.call.args, a->as.call.n_args) &&
           same_named(a->as.call.named, b->as.call.named, a->as.call.n_named);
}

static bool same_expr(comparison *c, const tirb_relax_expr *a, const tirb_relax_expr *b) {
    if (a->kind != b->kind || !same_type(c, a->type, b->type)) return false;
    switch (a->kind) {
    case TIRB_RELAX_VAR:
        return same_var(c, a->as.var, b->as.var);
    case TIRB_RELAX_PRIM:
        return same_scalar(c, a->as.prim, b->as.prim);
    case TIRB_RELAX_CONST:
        return same_tensor(a->as.constant, b->as.constant);
    case TIRB_RELAX_STRING:
        return a->as.string.size == b->as.string.size &&
               memcmp(a->as.string.text, b->as.string.text, a->as.string.size) == 0;
    case TIRB_RELAX_DTYPE:
        return tirb_datatype_equal(a->as.dtype, b->as.dtype);
    case TIRB_RELAX_SHAPE:
        return a->as.shape.n == b->as.shape.n && same_scalars(c, a->as.shape.values, b->as.shape.values, a->as.shape.n);
    case TIRB_RELAX_TUPLE:
        return a->as.tuple.n == b->as.tuple.n && same_exprs(c, a->as.tuple.items, b->as.tuple.items, a->as.tuple.n);
    case TIRB_RELAX_TUPLE_GET:
        return a->as.get.index == b->as.get.index && same_expr(c, a->as.get.tuple, b->as.get.tuple);
    case TIRB_RELAX_CALL:
        return same_call(c, a, b);
    case TIRB_RELAX_GLOBAL:
        return same_text(a->as.global.name, b->as.global.name);
    case TIRB_RELAX_EXTERN:
        return same_text(a->as.symbol, b->as.symbol);
    case TIRB_RELAX_FUNCTION:
        return same_function(c, a->as.function, b->as.function);
    case TIRB_RELAX_IF:
        return same_expr(c, a->as.if_.condition, b->as.if_.condition) &&
               same_seq(c, a->as.if_.then_case, b->as.if_.then_case) &&
               same_seq(c, a->as.if_.else_case, b->as.if_.else_case);
    }
    return false;
}

static bool same_binding(comparison *c, const tirb_relax_binding *a, const tirb_relax_binding *b) {
    bool function = a->value->kind == TIRB_RELAX_FUNCTION; /* which may name itself */
    if (a->kind != b->kind || (function && !same_var(c, a->var, b->var))) return false;
    return same_expr(c, a->value, b->value) && same_type(c, a->cast, b->cast) && same_var(c, a->var, b->var) &&
           same_type(c, a->var->type, b->var->type);
}

static bool same_seq(comparison *c, const tirb_relax_seq *a, const tirb_relax_seq *b) {
    if (a->n_blocks != b->n_blocks) return false;
    for (uint32_t i = 0; i < a->n_blocks; i++) {
        const tirb_relax_block *x = &a->blocks[i], *y = &b->blocks[i];
        if (x->dataflow != y->dataflow || x->n_bindings != y->n_bindings) return false;
        for (uint32_t j = 0; j < x->n_bindings; j++)
            if (!same_binding(c, &x->bindings[j], &y->bindings[j])) return false;
    }
    return same_expr(c, a->body, b->body);
}

static bool same_function(comparison *c, const tirb_relax_function *a, const tirb_relax_function *b) {
    if (a->pure != b->pure || a->n_params != b->n_params || a->n_attrs != b->n_attrs ||
        !same_text(a->global_symbol, b->global_symbol) || !same_named(a->attrs, b->attrs, a->n_attrs))
        return false;
    for (uint32_t i = 0; i < a->n_params; i++)
        if (!same_var(c, a->params[i], b->params[i]) || !same_type(c, a->params[i]->type, b->params[i]->type))
            return false;
    return same_type(c, a->ret, b->ret) && same_seq(c, a->body, b->body);
}

bool tirbi_relax_modules_equal(const tirb_irmodule *a, const tirb_irmodule *b, tirbi_arena *arena) {
    comparison c = {.n_scalars = a->n_vars, .n_vars = a->n_relax_vars};
    c.scalars = TIRBI_NEW_ARRAY(arena, const tirb_expr *, (size_t)a->n_vars + 1);
    c.vars = TIRBI_NEW_ARRAY(arena, const tirb_relax_var *, (size_t)a->n_relax_vars + 1);
    if (!c.scalars || !c.vars || a->n_relax != b->n_relax) return false;
    for (uint32_t i = 0; i < a->n_relax; i++) {
        uint32_t j = 0;
        while (j < b->n_relax && !same_text(a->relax[i]->name, b->relax[j]->name)) j++;
        if (j == b->n_relax || !same_function(&c, a->relax[i], b->relax[j])) return false;
    }
    return true;
}
