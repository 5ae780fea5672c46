/* Operators for which the data say how large something is, and types where sizes are known as values alone. */
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/relax/infer/builder.h"
#include "compiler/relax/lower/legal.h"

/* ---- Types that the values say ----------------------------------------------------------------------------------- */

static bool is_unknown(const tirb_relax_type *t) {
    if (t->kind == TIRB_RELAX_TYPE_ANY) return !t->is_text;
    if (t->kind == TIRB_RELAX_TYPE_TENSOR) return !t->has_shape || !tirb_relax_knows_dtype(t);
    if (t->kind == TIRB_RELAX_TYPE_SHAPE) return !t->has_shape;
    for (uint32_t i = 0; t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++)
        if (is_unknown(t->fields[i])) return true;
    return false;
}

/* At most this many terms does a bundle have for a size, of which a conditional says its second arm twice. */
static uint32_t count_terms(const tirb_expr *e) {
    if (e->size > TIRBI_RELAX_MAX_TERMS) return e->size;
    if (e->kind == TIRB_EXPR_CAST) return count_terms(e->as.cast.value);
    if (e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_OR)
        return 1 + count_terms(e->as.binary.a) + count_terms(e->as.binary.b);
    if (e->kind != TIRB_EXPR_CALL || e->as.call.n_args != 3) return 1;
    return 10 + count_terms(e->as.call.args[0]) + count_terms(e->as.call.args[1]) + 2 * count_terms(e->as.call.args[2]);
}

bool tirbi_relax_is_long_dim(const tirb_expr *e) { return count_terms(e) > TIRBI_RELAX_MAX_TERMS; }

bool tirbi_relax_is_long(const tirb_relax_type *t) {
    for (int32_t i = 0; t->has_shape && i < t->ndim; i++)
        if (tirbi_relax_is_long_dim(t->shape[i])) return true;
    for (uint32_t i = 0; t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++)
        if (tirbi_relax_is_long(t->fields[i])) return true;
    return false;
}

/* The dimensions that a value has, which are sizes. */
static const tirb_expr *const *sizes(tirbi_relax_builder *b, const tirb_expr *const *dims, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (dims[i]->kind == TIRB_EXPR_VAR) tirbi_dim_is_natural(&b->dims, dims[i]);
    return dims;
}

/* The type with the sizes that the value has. */
static const tirb_relax_type *type_of(tirbi_relax_builder *b, const tirb_relax_type *type, const tirbi_relax_held *h) {
    if (!h) return type;
    if (h->kind == TIRBI_RELAX_HELD_TENSOR) {
        const tirb_buffer *buffer = h->buffer;
        return tirbi_relax_tensor(b, sizes(b, buffer->shape, buffer->ndim), buffer->ndim, buffer->dtype);
    }
    if (h->kind == TIRBI_RELAX_HELD_SHAPE) return tirbi_relax_shape(b, sizes(b, h->dims, h->n), h->n);
    if (h->kind == TIRBI_RELAX_HELD_SCALAR) return tirbi_relax_prim(b, h->scalar->dtype);
    if (h->kind != TIRBI_RELAX_HELD_TUPLE) return type;
    const bool has_fields = type->kind == TIRB_RELAX_TYPE_TUPLE && h->n == type->n_fields;
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, h->n);
    for (uint32_t i = 0; fields && i < h->n; i++)
        if (!(fields[i] = type_of(b, has_fields ? type->fields[i] : tirbi_relax_any(b), h->fields[i]))) return NULL;
    return fields ? tirbi_relax_tuple(b, fields, h->n) : NULL;
}

/* Whether the type says what the value is, in sizes that are not computed anew at each use. */
static bool says_all(const tirbi_relax_lowering *l, const tirb_relax_expr *e) {
    return !is_unknown(e->type) && !tirbi_relax_is_trimmed(l, e) && !tirbi_relax_is_long(e->type);
}

/* A leaf with the type that its value has. */
static const tirb_relax_expr *known_leaf(tirbi_relax_lowering *l, tirbi_relax_builder *b, const tirb_relax_expr *e) {
    if (!e->type || says_all(l, e)) return e;
    tirb_relax_expr *known = TIRBI_NEW(l->arena, tirb_relax_expr);
    if (!known) return NULL;
    *known = *e;
    if (e->kind == TIRB_RELAX_VAR) {
        const tirb_relax_type *found = l->types[e->as.var->id];
        known->type = type_of(b, found ? found : e->type, l->held[e->as.var->id]);
    }
    if (e->kind != TIRB_RELAX_TUPLE) return known->type ? known : NULL;
    const tirb_relax_expr **items = TIRBI_NEW_ARRAY(l->arena, const tirb_relax_expr *, e->as.tuple.n);
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(l->arena, const tirb_relax_type *, e->as.tuple.n);
    for (uint32_t i = 0; items && fields && i < e->as.tuple.n; i++) {
        if (!(items[i] = known_leaf(l, b, e->as.tuple.items[i]))) return NULL;
        fields[i] = items[i]->type;
    }
    if (!items || !fields) return NULL;
    known->as.tuple.items = items;
    known->type = tirbi_relax_tuple(b, fields, e->as.tuple.n);
    return known->type ? known : NULL;
}

/* Whether TVM's type of a meshgrid has the first two sizes in the wrong order. */
static bool is_swapped(const tirb_relax_expr *e) {
    if (!tirb_relax_is_call(e, TIRB_RELAX_MESHGRID) || e->type->n_fields < 2) return false;
    const tirb_relax_type *t = e->type->fields[0];
    return strcmp(tirbi_relax_attr_of(e, "indexing")->as.text, "xy") == 0 &&
           !(t->has_shape && tirbi_expr_equal(t->shape[0], t->shape[1]));
}

/* Whether TVM's type of an arange may have another size than it has: one that counts down, or that is empty. */
static bool is_miscounted(const tirb_relax_expr *e) {
    if (!tirb_relax_is_call(e, TIRB_RELAX_ARANGE) || !e->type->has_shape) return false;
    const tirb_expr *step = e->as.call.args[2]->as.prim, *size = e->type->shape[0];
    return (step->kind == TIRB_EXPR_INT_IMM && step->as.int_value < 0) ||
           (size->kind == TIRB_EXPR_INT_IMM && size->as.int_value < 0);
}

/* all_class_non_max_suppression gives as many rows as are selected, although its type says as many as there may be: it
 * does not say what is, nor do the types of what is computed from that. */
bool tirbi_relax_is_trimmed(const tirbi_relax_lowering *l, const tirb_relax_expr *e) {
    bool found = false;
    switch (e->kind) {
    case TIRB_RELAX_VAR:
        return l->is_trimmed[e->as.var->id];
    case TIRB_RELAX_TUPLE:
        for (uint32_t i = 0; i < e->as.tuple.n; i++) found = found || tirbi_relax_is_trimmed(l, e->as.tuple.items[i]);
        return found;
    case TIRB_RELAX_TUPLE_GET:
        return tirbi_relax_is_trimmed(l, e->as.get.tuple);
    case TIRB_RELAX_CALL:
        if (!e->as.call.op) {
            const tirb_relax_expr *callee = e->as.call.callee;
            const bool is_known = callee->kind == TIRB_RELAX_GLOBAL && callee->as.global.function;
            return is_known && tirbi_relax_is_trimmed(l, callee->as.global.function->body->body);
        }
        found = tirb_relax_is_call(e, TIRB_RELAX_VISION_ALL_CLASS_NON_MAX_SUPPRESSION) || is_swapped(e) ||
                is_miscounted(e);
        for (uint32_t i = 0; i < e->as.call.n_args; i++) found = found || tirbi_relax_is_trimmed(l, e->as.call.args[i]);
        return found;
    case TIRB_RELAX_IF:
        return tirbi_relax_is_trimmed(l, e->as.if_.then_case->body) ||
               tirbi_relax_is_trimmed(l, e->as.if_.else_case->body);
    default:
        return false;
    }
}

bool tirbi_relax_find_trimmed(tirbi_relax_lowering *l, const tirb_relax_seq *seq) {
    bool found = false;
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t k = 0; k < seq->blocks[i].n_bindings && tirbi_arena_work(l->arena, 1); k++) {
            const tirb_relax_binding *b = &seq->blocks[i].bindings[k];
            bool *is_trimmed = &l->is_trimmed[b->var->id];
            if (b->value->kind == TIRB_RELAX_IF) {
                found |= tirbi_relax_find_trimmed(l, b->value->as.if_.then_case);
                found |= tirbi_relax_find_trimmed(l, b->value->as.if_.else_case);
            }
            /* What is cast is as large as the cast says. */
            const bool is_cast = b->kind == TIRB_RELAX_MATCH_CAST && b->cast->has_shape;
            if (*is_trimmed || is_cast || !tirbi_relax_is_trimmed(l, b->value)) continue;
            found = *is_trimmed = true;
        }
    return found;
}

/* The variables of a dimension are in scope. */
static void enter(tirbi_relax_builder *b, const tirb_expr *e) {
    if (!tirbi_arena_work(b->arena, 1)) return;
    if (e->kind == TIRB_EXPR_VAR && !tirbi_relax_knows(b, e)) {
        const tirb_expr **slot = TIRBI_LIST_ADD(b->arena, &b->known, const tirb_expr *);
        if (slot) *slot = e;
    }
    if (e->kind == TIRB_EXPR_CAST) enter(b, e->as.cast.value);
    if (e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_OR) {
        enter(b, e->as.binary.a);
        enter(b, e->as.binary.b);
    }
    for (uint32_t i = 0; e->kind == TIRB_EXPR_CALL && i < e->as.call.n_args; i++) enter(b, e->as.call.args[i]);
}

static void enter_type(tirbi_relax_builder *b, const tirb_relax_type *t) {
    for (int32_t i = 0; t->has_shape && i < t->ndim; i++) enter(b, t->shape[i]);
    for (uint32_t i = 0; t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++) enter_type(b, t->fields[i]);
}

/* The type of the function that is called, which gives what its body does, with the numbers that it is given in place
 * of its parameters: TVM forgets sizes that those say. NULL when out of memory. */
static const tirb_relax_type *with_numbers(tirbi_relax_lowering *l, tirbi_relax_builder *b,
                                           const tirb_relax_expr *call) {
    const tirb_relax_expr *callee = call->as.call.callee;
    const tirb_relax_function *f = callee->kind == TIRB_RELAX_GLOBAL ? callee->as.global.function : NULL;
    const uint32_t n = f && f->n_params == call->as.call.n_args ? f->n_params : 0;
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(l->arena, const tirb_relax_type *, n);
    const tirb_expr **vars = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, n);
    const tirb_expr **values = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, n);
    uint32_t n_vars = 0;
    for (uint32_t i = 0; fields && vars && values && i < n; i++) {
        const tirb_relax_var *param = f->params[i];
        const tirb_relax_expr *arg = call->as.call.args[i];
        fields[i] = is_unknown(param->type) ? type_of(b, param->type, l->held[param->id]) : param->type;
        if (!fields[i]) return NULL;
        if (!param->scalar || arg->kind != TIRB_RELAX_PRIM) continue;
        vars[n_vars] = param->scalar;
        values[n_vars++] = arg->as.prim;
        enter(b, arg->as.prim);
    }
    tirb_relax_type *type = values ? TIRBI_NEW(l->arena, tirb_relax_type) : NULL;
    if (!type || !fields) return NULL;
    *type = *callee->type;
    if (n > 0) type->fields = fields;
    if (f && !(type->ret = tirbi_relax_result_type(l, f))) return NULL;
    return tirbi_relax_replace(b, type, vars, values, n_vars);
}

static bool is_symbolic(const tirb_relax_type *t) {
    for (int32_t i = 0; t->has_shape && i < t->ndim; i++)
        if (t->shape[i]->kind != TIRB_EXPR_INT_IMM) return true;
    for (uint32_t i = 0; t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++)
        if (is_symbolic(t->fields[i])) return true;
    return is_unknown(t);
}

/* Whether operands have sizes that are no numbers. */
static bool has_symbols(const tirb_relax_expr *call) {
    for (uint32_t i = 0; i < call->as.call.n_args; i++)
        if (call->as.call.args[i]->type && is_symbolic(call->as.call.args[i]->type)) return true;
    return false;
}

/* The call compares the sizes that were assumed to be equal; where they name what is outside of a group's function, the
 * operator is none of the group. */
static bool compare_assumed(tirbi_relax_lowering *l, const tirb_relax_expr *call, const tirbi_relax_builder *b) {
    const tirb_expr *const *items = b->assumed.items;
    if (b->assumed.n == 0 || l->b.frames.n == 0) return true;
    if (l->group) return tirbi_relax_refuse_here(l, call->span, "sizes that the call compares");
    const char *what = tirbi_arena_format(l->arena, "R.%s: a size", call->as.call.op ? call->as.call.op->name : "call");
    for (uint32_t i = 0; what && i < b->assumed.n; i += 2)
        if (!tirbi_relax_assert_size(l, call->span, items[i], items[i + 1], what)) return false;
    return what != NULL;
}

const tirb_relax_expr *tirbi_relax_known_call(tirbi_relax_lowering *l, const tirb_relax_expr *call) {
    const tirb_relax_operator *op = call->as.call.op;
    const tirb_relax_type *callee = op ? NULL : call->as.call.callee->type;
    const bool is_known = says_all(l, call);
    if (op ? !op->infer : !callee || callee->kind != TIRB_RELAX_TYPE_FUNCTION) return call;
    if (is_known && (!op || !has_symbols(call))) return call;
    tirbi_relax_builder b;
    tirbi_relax_builder_init(&b, &l->b);
    b.at = call->span;
    b.assumes = true;
    tirb_relax_expr *known = TIRBI_NEW(l->arena, tirb_relax_expr);
    const tirb_relax_expr **args = TIRBI_NEW_ARRAY(l->arena, const tirb_relax_expr *, call->as.call.n_args);
    if (!known || !args) return NULL;
    for (uint32_t i = 0; i < call->as.call.n_args; i++) {
        if (!(args[i] = known_leaf(l, &b, call->as.call.args[i]))) return NULL;
        if (!op && args[i]->type) enter_type(&b, args[i]->type);
    }
    *known = *call;
    known->as.call.args = args;
    if (callee && !(callee = with_numbers(l, &b, call))) return NULL;
    known->type = op ? op->infer(&b, known) : tirbi_relax_call_type(&b, known, callee);
    if (!known->type || !compare_assumed(l, call, &b)) return NULL;
    if (is_known) return call;
    return is_unknown(known->type) && !is_unknown(call->type) && !tirbi_relax_is_trimmed(l, call) ? call : known;
}

/* What is known of a value that has the type, of which less may be known. */
static const tirb_relax_type *better(tirbi_relax_builder *b, const tirb_relax_type *type,
                                     const tirb_relax_type *value) {
    if (!is_unknown(type)) return type;
    if (type->kind != TIRB_RELAX_TYPE_TUPLE || value->kind != type->kind || value->n_fields != type->n_fields)
        return value;
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, type->n_fields);
    for (uint32_t i = 0; fields && i < type->n_fields; i++)
        if (!(fields[i] = better(b, type->fields[i], value->fields[i]))) return NULL;
    return fields ? tirbi_relax_tuple(b, fields, type->n_fields) : NULL;
}

static bool find_types(tirbi_relax_lowering *l, tirbi_relax_builder *b, const tirb_relax_seq *seq);

/* The type of a value before anything is computed. NULL after an error. */
static const tirb_relax_type *type_before(tirbi_relax_lowering *l, tirbi_relax_builder *b, const tirb_relax_expr *e) {
    const tirb_relax_expr *known = NULL, *other;
    switch (e->kind) {
    case TIRB_RELAX_CALL:
        known = tirbi_relax_known_call(l, e);
        break;
    case TIRB_RELAX_TUPLE_GET:
        if (!(known = known_leaf(l, b, e->as.get.tuple))) return NULL;
        if (known->type->kind != TIRB_RELAX_TYPE_TUPLE || e->as.get.index >= known->type->n_fields) return e->type;
        return known->type->fields[e->as.get.index];
    case TIRB_RELAX_IF:
        if (!find_types(l, b, e->as.if_.then_case) || !find_types(l, b, e->as.if_.else_case) ||
            !(known = known_leaf(l, b, e->as.if_.then_case->body)) ||
            !(other = known_leaf(l, b, e->as.if_.else_case->body)))
            return NULL;
        return tirbi_relax_join(b, known->type, other->type);
    case TIRB_RELAX_FUNCTION:
        return e->type;
    default:
        known = known_leaf(l, b, e);
    }
    return known ? known->type : NULL;
}

static bool find_types(tirbi_relax_lowering *l, tirbi_relax_builder *b, const tirb_relax_seq *seq) {
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t k = 0; k < seq->blocks[i].n_bindings && tirbi_arena_work(l->arena, 1); k++) {
            const tirb_relax_binding *bound = &seq->blocks[i].bindings[k];
            const bool is_cast = bound->kind == TIRB_RELAX_MATCH_CAST;
            if (!is_unknown(bound->var->type) && bound->value->kind != TIRB_RELAX_IF) continue;
            const tirb_relax_type *type = type_before(l, b, bound->value);
            if (type && is_cast) type = better(b, bound->cast, type);
            if (!type) return false;
            if (is_unknown(bound->var->type)) l->types[bound->var->id] = type;
        }
    return !l->arena->failed;
}

const tirb_relax_type *tirbi_relax_result_type(tirbi_relax_lowering *l, const tirb_relax_function *f) {
    const tirb_relax_expr *body = f->body->body;
    if (!is_unknown(body->type) || l->result_types[f->index])
        return l->result_types[f->index] ? l->result_types[f->index] : body->type;
    tirbi_relax_builder b;
    tirbi_relax_builder_init(&b, &l->b);
    l->result_types[f->index] = body->type; /* for what calls it from within */
    const tirb_relax_expr *known = find_types(l, &b, f->body) ? known_leaf(l, &b, body) : NULL;
    return known ? (l->result_types[f->index] = known->type) : NULL;
}

/* A type with what a cast says of its kind, element type and number of dimensions, but not of sizes: those the cast
 * names and compares where it stands. NULL when out of memory. */
static const tirb_relax_type *as_cast(tirbi_relax_lowering *l, const tirb_relax_type *t, const tirb_relax_type *cast) {
    static const tirb_relax_type any = {.kind = TIRB_RELAX_TYPE_ANY};
    const bool is_any = t->kind == TIRB_RELAX_TYPE_ANY;
    if (!is_any && t->kind != cast->kind) return t;
    tirb_relax_type *own = TIRBI_NEW(l->arena, tirb_relax_type);
    if (!own) return NULL;
    *own = is_any ? *cast : *t;
    if (own->kind == TIRB_RELAX_TYPE_TUPLE && own->n_fields == cast->n_fields) {
        const tirb_relax_type **fields = TIRBI_NEW_ARRAY(l->arena, const tirb_relax_type *, own->n_fields);
        own->fields = fields;
        for (uint32_t i = 0; fields && i < own->n_fields; i++)
            if (!(fields[i] = as_cast(l, is_any ? &any : t->fields[i], cast->fields[i]))) return NULL;
        return fields ? own : NULL;
    }
    if (is_any) own->has_shape = false, own->shape = NULL, own->shape_var = NULL;
    if (own->ndim < 0) own->ndim = cast->ndim;
    if (!tirb_relax_knows_dtype(own)) own->dtype = cast->dtype;
    return own;
}

const tirb_relax_type *tirbi_relax_parameter_type(tirbi_relax_lowering *l, const tirb_relax_function *f,
                                                  const tirb_relax_var *param) {
    const tirb_relax_type *type = param->type;
    for (uint32_t i = 0; type && i < f->body->n_blocks; i++)
        for (uint32_t k = 0; type && k < f->body->blocks[i].n_bindings && tirbi_arena_work(l->arena, 1); k++) {
            const tirb_relax_binding *b = &f->body->blocks[i].bindings[k];
            if (b->kind == TIRB_RELAX_MATCH_CAST && b->value->kind == TIRB_RELAX_VAR && b->value->as.var == param)
                type = as_cast(l, type, b->cast);
        }
    return type;
}

/* ---- Sizes that are computed once -------------------------------------------------------------------------------- */

const tirb_expr *tirbi_relax_let(tirbi_relax_lowering *l, tirbi_span span, const char *name, const tirb_expr *value) {
    const tirb_expr *var = value ? tirbi_make_var(&l->b, span, name, tirbi_prim_type(tirbi_type_i64)) : NULL;
    tirb_stmt *stmt = var ? tirbi_make_stmt(&l->b, span, TIRB_STMT_LET) : NULL;
    if (!stmt) return NULL;
    stmt->as.let.var = var;
    stmt->as.let.value = value;
    tirbi_relax_emit_scope(l, stmt, NULL);
    return var;
}

/* The variable of a size: one for all sizes that are equal. */
static const tirb_expr *named_size(tirbi_relax_lowering *l, tirbi_span span, const tirb_expr *size) {
    const tirbi_relax_size *items = l->sizes.items;
    for (uint32_t i = 0; i < l->sizes.n && tirbi_arena_work(l->arena, 1); i++)
        if (tirbi_expr_equal(items[i].value, size)) return items[i].var;
    const tirb_expr *var = tirbi_relax_let(l, span, "n", size);
    tirbi_relax_size *added = var ? TIRBI_LIST_ADD(l->arena, &l->sizes, tirbi_relax_size) : NULL;
    if (added) *added = (tirbi_relax_size){size, var};
    return added ? var : NULL;
}

const tirb_relax_type *tirbi_relax_name_sizes(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_type *type) {
    if (type->kind != TIRB_RELAX_TYPE_TENSOR || l->group || !tirbi_relax_is_long(type)) return type;
    tirb_relax_type *t = TIRBI_NEW(l->arena, tirb_relax_type);
    const tirb_expr **shape = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, (uint32_t)type->ndim);
    if (!t || !shape) return NULL;
    for (int32_t i = 0; i < type->ndim; i++) {
        shape[i] = tirbi_relax_is_long_dim(type->shape[i]) ? named_size(l, span, type->shape[i]) : type->shape[i];
        if (!shape[i]) return NULL;
    }
    *t = *type;
    t->shape = shape;
    return t;
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

static const tirb_expr *binary(tirbi_legal *g, tirb_expr_kind kind, const tirb_expr *a, const tirb_expr *b) {
    return tirbi_make_binary(&g->l->b, g->span, kind, a, b);
}

static const tirb_expr *let(tirbi_legal *g, const char *name, const tirb_expr *value) {
    return tirbi_relax_let(g->l, g->span, name, value);
}

/* Element `i` of a tensor of one dimension, as an int64. */
static const tirb_expr *element(tirbi_legal *g, const tirb_buffer *of, int64_t i) {
    const tirb_expr **at = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, 1);
    if (!at || !(at[0] = tirbi_legal_number(g, i))) return NULL;
    const tirb_expr *value = tirbi_make_load(&g->l->b, g->span, of, at, 1, NULL);
    return value ? tirbi_make_cast(&g->l->b, g->span, tirbi_type_i64, value) : NULL;
}

/* ---- Steps of an operator ---------------------------------------------------------------------------------------- */

static const tirbi_relax_held *room(tirbi_legal *g, tirb_datatype dtype, const tirb_expr *a) {
    return a ? tirbi_legal_scratch(g, dtype, &a, 1) : NULL;
}

/* Where the elements of a row are not 0, and how many those are. */
static const tirb_expr *find_nonzero(tirbi_legal *g, const tirbi_relax_held *row, const tirbi_relax_held **place,
                                     const tirbi_relax_held **count) {
    const tirb_expr *one = tirbi_legal_number(g, 1);
    *place = one ? room(g, tirbi_type_i64, binary(g, TIRB_EXPR_ADD, row->buffer->shape[0], one)) : NULL;
    *count = room(g, tirbi_type_i64, one);
    if (!*place || !*count || !TIRBI_LEGAL_STEP(g, "nonzero_places", (row), (*place, *count))) return NULL;
    return let(g, "n", element(g, (*count)->buffer, 0));
}

static const tirbi_relax_held *nonzero(tirbi_legal *g) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    const tirbi_relax_held *place, *count;
    if (x->ndim == 0) return tirbi_legal_refuse(g, "for a number"), NULL;
    if (!tirbi_legal_flatten_input(g, 0)) return NULL;
    const tirb_expr *shape[2] = {tirbi_legal_number(g, x->ndim), find_nonzero(g, g->inputs[0], &place, &count)};
    const tirbi_relax_held *y = shape[0] && shape[1] ? tirbi_legal_scratch(g, tirbi_type_i64, shape, 2) : NULL;
    const tirb_expr *apart = tirbi_legal_number(g, 1);
    for (uint32_t i = x->ndim; y && i-- > 0;) {
        const tirbi_relax_held *by = tirbi_legal_scalar(g, apart), *extent = tirbi_legal_scalar(g, x->shape[i]);
        if (!by || !extent || !tirbi_legal_give_integer(g, "which", i) ||
            !TIRBI_LEGAL_STEP(g, "nonzero_index", (place, by, extent), (y)))
            return NULL;
        apart = binary(g, TIRB_EXPR_MUL, apart, x->shape[i]);
    }
    return y;
}

static const tirbi_relax_held *all_class_nms(tirbi_legal *g) {
    const tirb_buffer *scores = tirbi_legal_tensor(g, 1);
    const tirbi_relax_held *place, *count, *order, *selected, *limits[3];
    const tirb_expr *one = tirbi_legal_number(g, 1), *n = tirbi_legal_count_of(g, scores);
    if (strcmp(tirbi_legal_attr(g, "output_format")->as.text, "onnx") != 0)
        return tirbi_legal_refuse(g, "in this output_format"), NULL;
    for (uint32_t i = 0; i < 3; i++)
        if (!one || !(limits[i] = tirbi_legal_reshaped(g, g->inputs[2 + i], &one, 1))) return NULL;
    order = tirbi_legal_scratch(g, tirbi_type_i64, scores->shape, scores->ndim);
    selected = tirbi_legal_scratch(g, tirbi_type_i64, scores->shape, scores->ndim);
    if (!n || !order || !selected || !tirbi_legal_argsort(g, g->inputs[1], order, 2, false) ||
        !TIRBI_LEGAL_STEP(g, "nms_selected", (g->inputs[0], g->inputs[1], order, limits[0], limits[1], limits[2]),
                          (selected)))
        return NULL;
    const tirbi_relax_held *row = tirbi_legal_reshaped(g, selected, &n, 1);
    const tirb_expr *shape[2] = {row ? find_nonzero(g, row, &place, &count) : NULL, tirbi_legal_number(g, 3)};
    const tirbi_relax_held **fields = TIRBI_NEW_ARRAY(g->l->arena, const tirbi_relax_held *, 2);
    tirbi_relax_held *all = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_TUPLE);
    if (!shape[0] || !shape[1] || !fields || !all) return NULL;
    fields[0] = tirbi_legal_scratch(g, tirbi_type_i64, shape, 2);
    fields[1] = count;
    all->fields = fields;
    all->n = 2;
    return fields[0] && TIRBI_LEGAL_STEP(g, "nms_rows", (place, order), (fields[0])) ? all : NULL;
}

/* ---- unique ------------------------------------------------------------------------------------------------------ */

static bool is_true(const tirb_relax_expr *e) {
    return e->kind == TIRB_RELAX_PRIM && e->as.prim->kind == TIRB_EXPR_INT_IMM && e->as.prim->as.int_value != 0;
}

/* In the order in which the values come first: groups are numbered anew. */
static const tirbi_relax_held *in_order(tirbi_legal *g, const tirbi_relax_held *order, const tirbi_relax_held *group,
                                        const tirb_expr *n, const tirb_expr *count) {
    const tirbi_relax_held *first = room(g, tirbi_type_i64, count), *rank = room(g, tirbi_type_i64, count);
    const tirbi_relax_held *moved = room(g, tirbi_type_i64, n);
    if (!first || !rank || !moved || !TIRBI_LEGAL_STEP(g, "unique_index", (order, group), (first)) ||
        !tirbi_legal_argsort(g, first, rank, 0, true) ||
        !TIRBI_LEGAL_STEP(g, "unique_reordered", (group, rank), (moved)))
        return NULL;
    return moved;
}

/* Which is which: the numbers of the elements or rows, sorted; the group of equal ones that each is in, by that order;
 * and how many groups there are. */
typedef struct unique_parts {
    const tirbi_relax_held *order, *group, *count;
} unique_parts;

static bool unique_elements(tirbi_legal *g, const tirbi_relax_held *x, const unique_parts *u) {
    return tirbi_legal_argsort(g, x, u->order, 0, true) &&
           TIRBI_LEGAL_STEP(g, "unique_groups", (x, u->order), (u->group, u->count));
}

/* The operand as a matrix, a row for each place along the axis. */
static const tirbi_relax_held *rows_of(tirbi_legal *g, uint32_t axis) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    const tirb_expr *shape[TIRBI_LEGAL_RANK], *matrix[2] = {x->shape[axis], tirbi_legal_number(g, 1)};
    uint32_t n = 0;
    shape[n++] = x->shape[axis];
    for (uint32_t i = 0; i < x->ndim; i++) {
        if (i == axis) continue;
        shape[n++] = x->shape[i];
        if (!(matrix[1] = binary(g, TIRB_EXPR_MUL, matrix[1], x->shape[i]))) return NULL;
    }
    const tirbi_relax_held *moved = tirbi_legal_scratch(g, x->dtype, shape, n);
    if (!moved || !TIRBI_LEGAL_STEP(g, "unique_rows", (g->inputs[0]), (moved))) return NULL;
    return tirbi_legal_reshaped(g, moved, matrix, 2);
}

/* A stable sort by each column, the last one first: a loop of the function that calls. */
static bool unique_rows(tirbi_legal *g, const tirbi_relax_held *x, const unique_parts *u) {
    const tirb_expr *k = x->buffer->shape[0], *columns = x->buffer->shape[1];
    const tirbi_relax_held *column = room(g, x->buffer->dtype, k), *next = room(g, tirbi_type_i64, k);
    const tirbi_relax_held *then = room(g, tirbi_type_i64, k);
    tirb_stmt *loop = tirbi_make_stmt(&g->l->b, g->span, TIRB_STMT_FOR);
    const uint32_t depth = g->l->b.frames.n;
    if (!column || !next || !then || !loop || !TIRBI_LEGAL_STEP(g, "unique_begin", (x), (u->order))) return false;
    loop->as.for_.var = tirbi_make_var(&g->l->b, g->span, "column", tirbi_prim_type(tirbi_type_i64));
    loop->as.for_.min = tirbi_legal_number(g, 0);
    loop->as.for_.extent = columns;
    loop->as.for_.thread_tag = "";
    if (!loop->as.for_.var || !loop->as.for_.min || !tirbi_frame_push(&g->l->b, TIRBI_FRAME_FOR, loop, g->span))
        return false;
    const tirb_expr *last = binary(g, TIRB_EXPR_SUB, columns, tirbi_legal_number(g, 1));
    const tirbi_relax_held *at = tirbi_legal_scalar(g, binary(g, TIRB_EXPR_SUB, last, loop->as.for_.var));
    const bool done = at && TIRBI_LEGAL_STEP(g, "unique_column", (x, u->order, at), (column)) &&
                      tirbi_legal_argsort(g, column, next, 0, true) &&
                      TIRBI_LEGAL_STEP(g, "unique_then", (u->order, next), (then)) &&
                      tirbi_relax_emit_copy(g->l, g->span, then, u->order);
    while (g->l->b.frames.n > depth && !g->l->arena->failed) tirbi_frame_pop(&g->l->b);
    return done && TIRBI_LEGAL_STEP(g, "unique_groups_of_rows", (x, u->order), (u->group, u->count));
}

/* The operand, as what is sorted: a row of elements, or a matrix of rows; *axis: along which of several dimensions, or
 * -1. NULL after an error. */
static const tirbi_relax_held *unique_operand(tirbi_legal *g, int64_t *axis) {
    const tirb_relax_expr *const *args = g->call->as.call.args;
    const uint32_t rank = tirbi_legal_rank_of(g, 0);
    *axis = -1;
    if (g->call->as.call.n_args <= 5 || rank == 1) return tirbi_legal_flatten_input(g, 0) ? g->inputs[0] : NULL;
    const bool is_number = args[5]->kind == TIRB_RELAX_PRIM && args[5]->as.prim->kind == TIRB_EXPR_INT_IMM;
    int64_t at = is_number ? args[5]->as.prim->as.int_value : -1 - (int64_t)rank;
    if (at < 0) at += rank;
    if (at < 0 || at >= (int64_t)rank || rank > TIRBI_LEGAL_RANK) return tirbi_legal_refuse(g, "along this axis"), NULL;
    *axis = at;
    return tirbi_legal_give_integer(g, "axis", at) ? rows_of(g, (uint32_t)at) : NULL;
}

/* Each of the different elements or rows once. */
static const tirbi_relax_held *unique_values(tirbi_legal *g, const unique_parts *u, int64_t axis,
                                             const tirb_expr *different) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    const tirb_expr *shape[TIRBI_LEGAL_RANK];
    for (uint32_t i = 0; i < x->ndim; i++) shape[i] = i == axis || axis < 0 ? different : x->shape[i];
    const tirbi_relax_held *y = tirbi_legal_scratch(g, x->dtype, shape, x->ndim);
    const char *def = axis < 0 ? "unique_values" : "unique_values_along";
    return y && TIRBI_LEGAL_STEP(g, def, (g->inputs[0], u->order, u->group), (y)) ? y : NULL;
}

/* What is sorted are numbers: bools are 0 and 1. */
static const tirbi_relax_held *as_numbers(tirbi_legal *g, const tirbi_relax_held *x) {
    if (!x || !tirbi_type_is_bool(x->buffer->dtype)) return x;
    const tirb_datatype type = {TIRB_CODE_UINT, 8, 1, false};
    const tirbi_relax_held *y = tirbi_legal_scratch(g, type, x->buffer->shape, x->buffer->ndim);
    return y && TIRBI_LEGAL_STEP(g, "astype", (x), (y)) ? y : NULL;
}

static const tirbi_relax_held *unique(tirbi_legal *g) {
    const tirb_relax_expr *const *args = g->call->as.call.args;
    const bool sorted = is_true(args[1]);
    int64_t axis;
    const tirbi_relax_held *x = as_numbers(g, unique_operand(g, &axis));
    if (!x) return NULL;
    const tirb_expr *n = x->buffer->shape[0], *one = tirbi_legal_number(g, 1);
    unique_parts u = {room(g, tirbi_type_i64, n), room(g, tirbi_type_i64, n), room(g, tirbi_type_i64, one)};
    if (!u.order || !u.group || !u.count || !(axis < 0 ? unique_elements(g, x, &u) : unique_rows(g, x, &u)))
        return NULL;
    const tirb_expr *different = let(g, "n", element(g, u.count->buffer, 0));
    if (!different || (!sorted && !(u.group = in_order(g, u.order, u.group, n, different)))) return NULL;
    const tirbi_relax_held **fields = TIRBI_NEW_ARRAY(g->l->arena, const tirbi_relax_held *, 4);
    uint32_t n_fields = 0;
    if (!fields || !(fields[n_fields++] = unique_values(g, &u, axis, different))) return NULL;
    for (uint32_t i = 2; i < 5; i++) {
        if (!is_true(args[i])) continue;
        const tirbi_relax_held *y = fields[n_fields++] = room(g, tirbi_type_i64, i == 3 ? n : different);
        if (!y || (i == 2 && !TIRBI_LEGAL_STEP(g, "unique_index", (u.order, u.group), (y))) ||
            (i == 3 && !TIRBI_LEGAL_STEP(g, "unique_inverse", (u.order, u.group), (y))) ||
            (i == 4 && !TIRBI_LEGAL_STEP(g, "unique_counts", (u.group), (y))))
            return NULL;
    }
    if (n_fields == 1) return fields[0];
    tirbi_relax_held *all = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_TUPLE);
    if (all) all->fields = fields, all->n = n_fields;
    return all;
}

/* ---- dynamic_strided_slice --------------------------------------------------------------------------------------- */

static const tirb_expr *choose(tirbi_legal *g, const tirb_expr *c, const tirb_expr *then, const tirb_expr *other) {
    return c && then && other ? tirbi_make_if_then_else(&g->l->b, g->span, c, then, other) : NULL;
}

static const tirb_expr *below_zero(tirbi_legal *g, const tirb_expr *e) {
    const tirb_expr *zero = tirbi_legal_number(g, 0);
    return e && zero ? tirbi_make_compare(&g->l->b, g->span, TIRB_EXPR_LT, e, zero) : NULL;
}

/* Begin or end counted from the front, and no further than there is something. */
static const tirb_expr *canonical(tirbi_legal *g, const tirb_expr *at, const tirb_expr *back, const tirb_expr *extent) {
    const tirb_expr *last = binary(g, TIRB_EXPR_SUB, extent, tirbi_legal_number(g, 1));
    const tirb_expr *least = choose(g, back, tirbi_legal_number(g, -1), tirbi_legal_number(g, 0));
    const tirb_expr *most = choose(g, back, last, extent);
    at = choose(g, below_zero(g, at), binary(g, TIRB_EXPR_ADD, at, extent), at);
    return binary(g, TIRB_EXPR_MIN, binary(g, TIRB_EXPR_MAX, at, least), most);
}

/* How many elements of dimension `i` are taken; *first: the first. NULL when memory ran out. */
static const tirb_expr *slice_extent(tirbi_legal *g, uint32_t i, const tirb_expr **first) {
    const tirb_expr *extent = tirbi_legal_tensor(g, 0)->shape[i], *zero = tirbi_legal_number(g, 0);
    const tirb_expr *stride = let(g, "stride", element(g, tirbi_legal_tensor(g, 3), i));
    const tirb_expr *back = below_zero(g, stride), *at[2];
    for (uint32_t k = 0; k < 2; k++) {
        const tirb_expr *given = let(g, k ? "end" : "begin", element(g, tirbi_legal_tensor(g, 1 + k), i));
        at[k] = given ? let(g, k ? "end" : "begin", canonical(g, given, back, extent)) : NULL;
        if (!at[k]) return NULL;
    }
    *first = at[0];
    const tirb_expr *way =
        choose(g, back, binary(g, TIRB_EXPR_SUB, at[0], at[1]), binary(g, TIRB_EXPR_SUB, at[1], at[0]));
    const tirb_expr *by = choose(g, back, binary(g, TIRB_EXPR_SUB, zero, stride), stride);
    const tirb_expr *above = binary(g, TIRB_EXPR_ADD, way, binary(g, TIRB_EXPR_SUB, by, tirbi_legal_number(g, 1)));
    return let(g, "n", binary(g, TIRB_EXPR_MAX, binary(g, TIRB_EXPR_FLOORDIV, above, by), zero));
}

static const tirbi_relax_held *dynamic_slice(tirbi_legal *g) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    const tirb_expr *shape[TIRBI_LEGAL_RANK];
    int64_t along[TIRBI_LEGAL_RANK];
    if (x->ndim > TIRBI_LEGAL_RANK || x->ndim == 0) return tirbi_legal_refuse(g, "for this many dimensions"), NULL;
    const tirbi_relax_held *begins = room(g, tirbi_type_i64, tirbi_legal_number(g, x->ndim));
    for (uint32_t i = 0; begins && i < x->ndim; i++) {
        const tirb_expr *first = NULL, **at = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, 1);
        if (!at || !(at[0] = tirbi_legal_number(g, i)) || !(shape[i] = slice_extent(g, i, &first))) return NULL;
        tirbi_emit_store(&g->l->b, g->span, begins->buffer, first, at, 1, NULL);
        along[i] = i;
    }
    const tirbi_relax_held *y = begins ? tirbi_legal_scratch(g, x->dtype, shape, x->ndim) : NULL;
    if (!y || !tirbi_legal_give_list(g, "along", along, x->ndim)) return NULL;
    return TIRBI_LEGAL_STEP(g, "dynamic_slice", (g->inputs[0], begins, g->inputs[3]), (y)) ? y : NULL;
}

/* ---- tensor_to_shape --------------------------------------------------------------------------------------------- */

static const tirbi_relax_held *shape_in(tirbi_legal *g) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    const int64_t n = x->ndim == 1 && x->shape[0]->kind == TIRB_EXPR_INT_IMM ? x->shape[0]->as.int_value : -1;
    if (n < 0 || n > TIRBI_LEGAL_RANK) return tirbi_legal_refuse(g, "for a number of elements that is not known"), NULL;
    tirbi_relax_held *h = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_SHAPE);
    const tirb_expr **dims = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, (size_t)n);
    for (int64_t i = 0; dims && i < n; i++)
        if (!(dims[i] = let(g, "n", element(g, x, i)))) return NULL;
    if (!h || !dims) return NULL;
    h->dims = dims;
    h->n = (uint32_t)n;
    return h;
}

/* ---- attention_var_len ------------------------------------------------------------------------------------------- */

/* The scores are as many for each query as the longest sequence has keys. */
static const tirbi_relax_held *attention_var_len(tirbi_legal *g) {
    const tirbi_relax_held *const *in = g->inputs, *start_k = in[g->n_inputs > 5 ? 5 : 3];
    const tirb_buffer *q = tirbi_legal_tensor(g, 0), *v = tirbi_legal_tensor(g, 2);
    const tirb_expr *one = tirbi_legal_number(g, 1), *place_shape[2] = {q->shape[1], tirbi_legal_number(g, 3)};
    if (tirbi_legal_attr(g, "window_size")->kind != TIRB_RELAX_ATTR_NONE)
        return tirbi_legal_refuse(g, "with a window"), NULL;
    if (!tirbi_is_const_int(q->shape[0], 1) || !tirbi_expr_equal(q->shape[3], v->shape[3]))
        return tirbi_legal_refuse(g, "with these sizes"), NULL;
    const tirbi_relax_held *longest = one ? room(g, tirbi_type_i64, one) : NULL;
    if (!longest || !place_shape[1] || !TIRBI_LEGAL_STEP(g, "longest_sequence", (start_k), (longest))) return NULL;
    const tirb_expr *score_shape[3] = {q->shape[2], q->shape[1], let(g, "n", element(g, longest->buffer, 0))};
    if (!score_shape[2]) return NULL;
    const tirbi_relax_held *place = tirbi_legal_scratch(g, tirbi_type_i64, place_shape, 2);
    const tirbi_relax_held *score = tirbi_legal_scratch(g, q->dtype, score_shape, 3);
    const tirbi_relax_held *share = tirbi_legal_scratch(g, q->dtype, score_shape, 3);
    const tirbi_relax_held *y = tirbi_legal_scratch(g, q->dtype, q->shape, 4);
    const tirb_datatype type = q->dtype.bits < 32 ? tirbi_type_f32 : q->dtype;
    if (!place || !score || !share || !y || !tirbi_legal_give_type(g, "C", type) ||
        !tirbi_legal_give_integer(g, "has_scale", tirbi_legal_attr(g, "scale")->kind != TIRB_RELAX_ATTR_NONE) ||
        !TIRBI_LEGAL_STEP(g, "sequence_of", (in[3], start_k), (place)) ||
        !TIRBI_LEGAL_STEP(g, "sequence_scores", (in[0], in[1], place), (score)) ||
        !TIRBI_LEGAL_STEP(g, "sequence_shares", (score, place), (share)) ||
        !TIRBI_LEGAL_STEP(g, "sequence_sums", (share, in[2], place), (y)))
        return NULL;
    return y;
}

static const struct {
    tirb_relax_op op;
    const tirbi_relax_held *(*make)(tirbi_legal *g);
} sized[] = {
    {TIRB_RELAX_NONZERO, nonzero},
    {TIRB_RELAX_UNIQUE, unique},
    {TIRB_RELAX_DYNAMIC_STRIDED_SLICE, dynamic_slice},
    {TIRB_RELAX_TENSOR_TO_SHAPE, shape_in},
    {TIRB_RELAX_VISION_ALL_CLASS_NON_MAX_SUPPRESSION, all_class_nms},
    {TIRB_RELAX_NN_ATTENTION_VAR_LEN, attention_var_len},
};

bool tirbi_legal_sized(tirbi_legal *g, const tirbi_relax_held **value) {
    for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) {
        if (!tirb_relax_is_call(g->call, sized[i].op)) continue;
        *value = NULL;
        for (uint32_t k = 0; k < g->n_inputs; k++)
            if (g->inputs[k]->kind != TIRBI_RELAX_HELD_TENSOR) return !tirbi_legal_refuse(g, "with these operands");
        *value = sized[i].make(g);
        return true;
    }
    return false;
}
