/* T.comm_reducer and T.reduce, T.allocate_const, T.prefetch: what the tensor expression language and older texts
 * have. */
#include <string.h>

#include "compiler/text/script/names.h"

/* ---- Reductions ------------------------------------------------------------------------------------------------- */

tirbi_value tirbi_comm_reducer(tirbi_script *s, const tirbi_call *c) {
    if (c->args[0].kind != TIRBI_VALUE_LAMBDA)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "the combiner of a reducer is a lambda, found %s",
                          tirbi_value_text(&c->args[0]));
    tirbi_value *parts = TIRBI_NEW_ARRAY(s->arena, tirbi_value, 2);
    if (!parts) return tirbi_value_error();
    parts[0] = c->args[0];
    parts[1] = c->args[1];
    tirbi_value v = {.kind = TIRBI_VALUE_REDUCER, .node = c->node};
    v.as.sequence.items = parts;
    v.as.sequence.n = 2;
    return v;
}

static const tirb_expr **new_vars(tirbi_script *s, const tirbi_node *lambda, uint32_t first, uint32_t n,
                                  const tirb_expr *const *source) {
    const tirb_expr **vars = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, n);
    for (uint32_t i = 0; vars && i < n; i++) {
        vars[i] = tirbi_make_var(&s->builder, lambda->span, lambda->as.lambda.names[first + i],
                                 tirbi_prim_type(source[i]->dtype));
        if (!vars[i]) return NULL;
        tirbi_bind(s, lambda->as.lambda.names[first + i], lambda->span, tirbi_value_expr(vars[i]));
    }
    return vars;
}

/* The lambda's body over new variables: what there is so far, and what comes next. */
static bool read_combiner(tirbi_script *s, const tirbi_value *reducer, tirb_reduce *r) {
    const tirbi_node *lambda = reducer->as.sequence.items[0].node;
    uint32_t n = r->n_values, found;
    if (lambda->as.lambda.n != 2 * n) {
        tirbi_fail(s, TIRB_TYPE, lambda->span, "the combiner takes %u values, a reduction of %u needs %u",
                   lambda->as.lambda.n, n, 2 * n);
        return false;
    }
    uint32_t mark = tirbi_open_level(s);
    r->lhs = new_vars(s, lambda, 0, n, r->source);
    r->rhs = new_vars(s, lambda, n, n, r->source);
    tirbi_value body = r->lhs && r->rhs ? tirbi_evaluate(s, lambda->items[0]) : tirbi_value_error();
    bool good = tirbi_to_exprs(s, &body, &r->result, &found);
    tirbi_close_level(s, mark);
    if (good && found != n)
        tirbi_fail(s, TIRB_TYPE, lambda->span, "the combiner gives %u values, expected %u", found, n);
    return good && found == n;
}

static bool read_values(tirbi_script *s, const tirbi_value *v, const tirb_reduce *r, const char *what,
                        const tirb_expr *const **out) {
    const tirbi_value *items = v->kind == TIRBI_VALUE_TUPLE ? v->as.sequence.items : v;
    uint32_t n = v->kind == TIRBI_VALUE_TUPLE ? v->as.sequence.n : 1;
    if (n != r->n_values) {
        tirbi_fail(s, TIRB_TYPE, v->node ? v->node->span : s->builder.at, "the reduction has %u values, but %u %s",
                   r->n_values, n, what);
        return false;
    }
    const tirb_expr **exprs = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, n);
    if (!exprs) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!(exprs[i] = tirbi_to_typed(s, &items[i], r->source[i]->dtype))) return false;
    *out = exprs;
    return true;
}

const tirb_reduce *tirbi_read_reducer(tirbi_script *s, const tirbi_value *reducer) {
    tirb_reduce *r = TIRBI_NEW(s->arena, tirb_reduce);
    if (!r || !tirbi_to_exprs(s, &reducer->as.sequence.items[1], &r->source, &r->n_values)) return NULL;
    r->identity = r->source;
    return read_combiner(s, reducer, r) ? r : NULL;
}

static bool read_axes(tirbi_script *s, const tirbi_call *c, const tirbi_value *v, tirb_reduce *r) {
    const tirbi_value *items = v->kind == TIRBI_VALUE_TUPLE ? v->as.sequence.items : v;
    r->n_axis = v->kind == TIRBI_VALUE_TUPLE ? v->as.sequence.n : 1;
    tirb_itervar *axis = TIRBI_NEW_ARRAY(s->arena, tirb_itervar, r->n_axis);
    if (!axis) return false;
    for (uint32_t i = 0; i < r->n_axis; i++) {
        if (items[i].kind != TIRBI_VALUE_ITERVAR) {
            tirbi_fail(s, TIRB_TYPE, c->node->span, "an axis of a reduction is a T.iter_var, found %s",
                       tirbi_value_text(&items[i]));
            return false;
        }
        axis[i] = *items[i].as.itervar;
    }
    r->axis = axis;
    return true;
}

enum { COMBINER, SOURCE, INIT, AXIS, CONDITION, VALUE_INDEX };

tirbi_value tirbi_reduce(tirbi_script *s, const tirbi_call *c) {
    tirb_reduce *r = TIRBI_NEW(s->arena, tirb_reduce);
    const tirbi_value *init = &c->args[INIT];
    int64_t index = 0;
    if (!r || !tirbi_to_exprs(s, &c->args[SOURCE], &r->source, &r->n_values)) return tirbi_value_error();
    if (c->args[COMBINER].kind != TIRBI_VALUE_REDUCER)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.reduce needs a T.comm_reducer, found %s",
                          tirbi_value_text(&c->args[COMBINER]));
    if (!read_axes(s, c, &c->args[AXIS], r)) return tirbi_value_error();
    if (!read_combiner(s, &c->args[COMBINER], r)) return tirbi_value_error();
    if (!read_values(s, &c->args[COMBINER].as.sequence.items[1], r, "identity elements", &r->identity))
        return tirbi_value_error();
    bool empty = !tirbi_given(init) || (init->kind == TIRBI_VALUE_TUPLE && init->as.sequence.n == 0);
    if (!empty && !read_values(s, init, r, "initial values", &r->init)) return tirbi_value_error();
    if (tirbi_given(&c->args[CONDITION]) && !(r->condition = tirbi_to_typed(s, &c->args[CONDITION], tirbi_type_bool)))
        return tirbi_value_error();
    if (tirbi_is_const_int(r->condition, 1)) r->condition = NULL;
    if (tirbi_given(&c->args[VALUE_INDEX]) && !tirbi_to_int(s, &c->args[VALUE_INDEX], "value_index", &index))
        return tirbi_value_error();
    if (index < 0 || index >= r->n_values)
        return tirbi_fail(s, TIRB_VALUE, c->node->span, "value_index is %lld; the reduction has %u values",
                          (long long)index, r->n_values);
    r->value_index = (uint32_t)index;
    return tirbi_value_expr(tirbi_make_reduce(&s->builder, c->node->span, r));
}

/* ---- Constants in memory ---------------------------------------------------------------------------------------- */

static bool add_numbers(tirbi_script *s, tirbi_list *list, const tirbi_value *v, tirb_datatype type) {
    if (v->kind == TIRBI_VALUE_TUPLE) {
        for (uint32_t i = 0; i < v->as.sequence.n; i++)
            if (!add_numbers(s, list, &v->as.sequence.items[i], type)) return false;
        return true;
    }
    const tirb_expr *e = tirbi_to_typed(s, v, type), **slot = NULL;
    if (!e) return false;
    if (e->kind != TIRB_EXPR_INT_IMM && e->kind != TIRB_EXPR_FLOAT_IMM) {
        tirbi_fail(s, TIRB_TYPE, e->span, "an element of a constant must be a number");
        return false;
    }
    slot = TIRBI_LIST_ADD(s->arena, list, const tirb_expr *);
    if (slot) *slot = e;
    return slot != NULL;
}

/* T.allocate_const([1, 2, 3], "int32", [3]) */
tirbi_value tirbi_allocate_const(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    const tirb_expr *const *shape;
    uint32_t ndim;
    tirbi_list elements = {.n = 0}, annotations = {.n = 0};
    uint64_t count = 1;
    if (!tirbi_to_dtype(s, &c->args[1], &type) || !tirbi_to_exprs(s, &c->args[2], &shape, &ndim) ||
        !add_numbers(s, &elements, &c->args[0], type))
        return tirbi_value_error();
    if (tirbi_given(&c->args[3]) && !tirbi_to_attrs(s, &c->args[3], &annotations)) return tirbi_value_error();
    for (uint32_t i = 0; i < ndim; i++) {
        bool fits = shape[i]->kind == TIRB_EXPR_INT_IMM && shape[i]->as.int_value >= 0 &&
                    !__builtin_mul_overflow(count, (uint64_t)shape[i]->as.int_value, &count);
        if (!fits) return tirbi_fail(s, TIRB_VALUE, c->node->span, "the extents of a constant must be known numbers");
    }
    if (count != elements.n)
        return tirbi_fail(s, TIRB_VALUE, c->node->span, "the constant has %u elements, its extents make %llu",
                          elements.n, (unsigned long long)count);
    tirb_buffer *buffer = tirbi_make_buffer(&s->builder, c->node->span, c->hint, type, shape, ndim, "global");
    tirb_stmt *stmt = buffer ? tirbi_make_stmt(&s->builder, c->node->span, TIRB_STMT_ALLOCATE_CONST) : NULL;
    if (!stmt) return tirbi_value_error();
    stmt->as.allocate.buffer = buffer;
    stmt->as.allocate.elements = elements.items;
    stmt->as.allocate.n_elements = elements.n;
    stmt->as.allocate.annotations = annotations.items;
    stmt->as.allocate.n_annotations = annotations.n;
    tirbi_value v = tirbi_value_buffer(buffer);
    v.declares = true;
    return tirbi_value_scope(s, stmt, v);
}

/* ---- Prefetch --------------------------------------------------------------------------------------------------- */

/* T.prefetch(A, [T.Range(0, 16)]), a statement, and T.prefetch(pointer, ...), a call: both do nothing that shows. */
tirbi_value tirbi_prefetch(tirbi_script *s, const tirbi_call *c) {
    const tirbi_value *args = c->args[0].as.sequence.items;
    uint32_t n = c->args[0].as.sequence.n, n_args;
    const tirb_expr *const *exprs;
    if (n == 0 || args[0].kind != TIRBI_VALUE_BUFFER || args[0].scalar) {
        if (!tirbi_to_exprs(s, &c->args[0], &exprs, &n_args)) return tirbi_value_error();
        return tirbi_value_expr(
            tirbi_make_call(&s->builder, c->node->span, tirbi_type_i32, TIRB_BUILTIN_PREFETCH, exprs, n_args));
    }
    const tirb_buffer *buffer = args[0].as.buffer;
    tirb_range *bounds = TIRBI_NEW_ARRAY(s->arena, tirb_range, buffer->ndim);
    if (!bounds) return tirbi_value_error();
    bool fits = n == 2 && args[1].kind == TIRBI_VALUE_TUPLE && args[1].as.sequence.n == buffer->ndim;
    for (uint32_t i = 0; fits && i < buffer->ndim; i++) {
        fits = args[1].as.sequence.items[i].kind == TIRBI_VALUE_RANGE;
        if (fits) bounds[i] = args[1].as.sequence.items[i].as.range;
    }
    if (!fits)
        return tirbi_fail(s, TIRB_TYPE, c->node->span,
                          "T.prefetch needs a buffer and a T.Range for each of its %u dimensions", buffer->ndim);
    tirb_stmt *stmt = tirbi_make_stmt(&s->builder, c->node->span, TIRB_STMT_PREFETCH);
    if (!stmt) return tirbi_value_error();
    stmt->as.prefetch.buffer = buffer;
    stmt->as.prefetch.bounds = bounds;
    tirbi_emit(&s->builder, stmt);
    return tirbi_value_none();
}
