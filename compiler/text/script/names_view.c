/* Views that a buffer's methods declare: A.view(4, 64), A.view("int32"), A.local(16), A.permute(1, 0). */
#include <string.h>

#include "compiler/text/script/names.h"

static const tirb_buffer *viewed(tirbi_script *s, const tirbi_call *c) {
    if (c->object->kind == TIRBI_VALUE_BUFFER && !c->object->scalar) return c->object->as.buffer;
    tirbi_fail(s, TIRB_TYPE, c->node->span, "`%s` is a method of buffers", c->entry->name);
    return NULL;
}

/* A buffer over the data of another one, with its scope, alignment and offset. */
static tirb_buffer *make_view(tirbi_script *s, const tirbi_call *c, const tirb_buffer *of, tirb_datatype type,
                              const tirb_expr *const *shape, uint32_t ndim) {
    const char *name = c->hint ? c->hint : of->name;
    tirb_buffer *view = tirbi_make_buffer(&s->builder, c->node->span, name, type, shape, ndim, of->scope);
    if (!view) return NULL;
    view->data = of->data;
    view->over = of->data->as.var.data_of == of ? NULL : of;
    view->elem_offset =
        of->elem_offset ? of->elem_offset : tirbi_make_int(&s->builder, c->node->span, tirbi_offset_type(of), 0);
    if (!view->elem_offset) return NULL;
    if (tirbi_is_const_int(view->elem_offset, 0) &&
        tirb_datatype_equal(view->elem_offset->dtype, tirbi_offset_type(view)))
        view->elem_offset = NULL;
    view->data_alignment = of->data_alignment;
    view->offset_factor = of->offset_factor;
    view->layout = of->layout && strcmp(of->layout, "None") == 0 ? of->layout : NULL;
    return view;
}

static tirbi_value declare(tirbi_script *s, const tirbi_call *c, tirb_buffer *view) {
    tirb_stmt *stmt = view ? tirbi_make_stmt(&s->builder, c->node->span, TIRB_STMT_DECL_BUFFER) : NULL;
    if (!stmt) return tirbi_value_error();
    stmt->as.decl.buffer = view;
    return tirbi_value_scope(s, stmt, tirbi_value_buffer(view));
}

static const tirb_expr *product(tirbi_script *s, tirbi_span span, const tirb_expr *const *sizes, uint32_t n,
                                uint32_t skip) {
    const tirb_expr *all = tirbi_make_int(&s->builder, span, tirbi_type_i32, 1);
    for (uint32_t i = 0; i < n && all; i++)
        if (i != skip) all = tirbi_make_binary(&s->builder, span, TIRB_EXPR_MUL, all, sizes[i]);
    return all;
}

/* The extents given; one that is -1 is what is left of the buffer's elements. */
static bool read_shape(tirbi_script *s, const tirbi_call *c, const tirb_buffer *of, const tirb_expr *const **out,
                       uint32_t *n) {
    const tirb_expr *const *given;
    tirbi_span span = c->node->span;
    if (!tirbi_to_exprs(s, &c->args[0], &given, n)) return false;
    const tirb_expr **shape = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, *n);
    if (!shape) return false;
    uint32_t open = *n;
    for (uint32_t i = 0; i < *n; i++) {
        shape[i] = given[i];
        if (!tirbi_type_is_int(given[i]->dtype) || given[i]->dtype.lanes != 1) {
            tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, given[i]), "an extent of a view must be an integer");
            return false;
        }
        if (!tirbi_is_const_int(given[i], -1)) continue;
        if (open != *n) {
            tirbi_fail(s, TIRB_VALUE, span, "more than one extent of the view is -1");
            return false;
        }
        open = i;
    }
    if (open != *n) {
        const tirb_expr *all = product(s, span, of->shape, of->ndim, of->ndim),
                        *known = product(s, span, shape, *n, open);
        if (!all || !known) return false;
        shape[open] = tirbi_make_binary(&s->builder, span, TIRB_EXPR_FLOORDIV, all, known);
        if (!shape[open]) return false;
    }
    *out = shape;
    return true;
}

static bool has_strides(tirbi_script *s, const tirbi_call *c, const tirb_buffer *of) {
    if (!of->strides) return false;
    tirbi_fail(s, TIRB_UNSUPPORTED, c->node->span, "`%s` has strides: write T.decl_buffer(..., data=%s.data)", of->name,
               of->name);
    return true;
}

/* A.view("int8"): the same bytes as elements of another type; the last extent grows or shrinks with them. */
static tirbi_value retyped(tirbi_script *s, const tirbi_call *c, const tirb_buffer *of) {
    tirb_datatype type;
    char left[32], right[32];
    if (!tirbi_to_dtype(s, &c->args[0].as.sequence.items[0], &type)) return tirbi_value_error();
    uint32_t from = (uint32_t)of->dtype.bits * of->dtype.lanes, to = (uint32_t)type.bits * type.lanes;
    bool grows = from > to;
    if (of->ndim == 0 || type.scalable != of->dtype.scalable || to == 0 || (grows ? from % to : to % from) != 0)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "`%s` of %s cannot be viewed as %s", of->name,
                          tirb_datatype_text(of->dtype, left), tirb_datatype_text(type, right));
    const tirb_expr **shape = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, of->ndim);
    if (!shape) return tirbi_value_error();
    memcpy(shape, of->shape, of->ndim * sizeof *shape);
    const tirb_expr *last = shape[of->ndim - 1];
    const tirb_expr *ratio = tirbi_make_int(&s->builder, c->node->span, last->dtype, grows ? from / to : to / from);
    tirb_expr_kind scale = grows ? TIRB_EXPR_MUL : TIRB_EXPR_FLOORDIV;
    shape[of->ndim - 1] = ratio ? tirbi_make_binary(&s->builder, c->node->span, scale, last, ratio) : NULL;
    if (!shape[of->ndim - 1]) return tirbi_value_error();
    tirb_buffer *view = make_view(s, c, of, type, shape, of->ndim);
    if (view && view->elem_offset)
        view->elem_offset =
            tirbi_make_binary(&s->builder, c->node->span, scale, view->elem_offset,
                              tirbi_make_cast(&s->builder, c->node->span, view->elem_offset->dtype, ratio));
    return declare(s, c, view);
}

tirbi_value tirbi_method_view(tirbi_script *s, const tirbi_call *c) {
    const tirb_buffer *of = viewed(s, c);
    const tirb_expr *const *shape;
    uint32_t n;
    if (!of || has_strides(s, c, of)) return tirbi_value_error();
    const tirbi_value *args = &c->args[0];
    if (args->as.sequence.n == 1 && (args->as.sequence.items[0].kind == TIRBI_VALUE_STRING ||
                                     args->as.sequence.items[0].kind == TIRBI_VALUE_DTYPE))
        return retyped(s, c, of);
    if (args->as.sequence.n == 0) { /* A.local(): all elements in one dimension */
        const tirb_expr **all = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, 1);
        if (!all || !(all[0] = product(s, c->node->span, of->shape, of->ndim, of->ndim))) return tirbi_value_error();
        return declare(s, c, make_view(s, c, of, of->dtype, all, 1));
    }
    if (!read_shape(s, c, of, &shape, &n)) return tirbi_value_error();
    return declare(s, c, make_view(s, c, of, of->dtype, shape, n));
}

/* A.permute(1, 0): dimension i of the view is dimension dims[i] of the buffer. */
tirbi_value tirbi_method_permute(tirbi_script *s, const tirbi_call *c) {
    const tirb_buffer *of = viewed(s, c);
    const tirbi_value *dims = &c->args[0];
    if (!of) return tirbi_value_error();
    uint32_t n = of->ndim;
    const tirb_expr **shape = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, n);
    const tirb_expr **strides = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, n);
    bool *seen = TIRBI_NEW_ARRAY(s->arena, bool, n);
    if (!shape || !strides || !seen) return tirbi_value_error();
    if (dims->as.sequence.n != n)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "`%s` has %u dimensions, %u are named", of->name, n,
                          dims->as.sequence.n);
    for (uint32_t i = 0; i < n; i++) {
        int64_t at;
        if (!tirbi_to_int(s, &dims->as.sequence.items[i], "a dimension", &at)) return tirbi_value_error();
        if (at < 0 || at >= n || seen[at])
            return tirbi_fail(s, TIRB_VALUE, c->node->span, "the dimensions of permute must be 0 to %u, each once",
                              n - 1);
        seen[at] = true;
        shape[i] = of->shape[at];
        if (of->strides)
            strides[i] = of->strides[at];
        else
            strides[i] = product(s, c->node->span, of->shape + at + 1, n - (uint32_t)at - 1, n);
        if (!strides[i]) return tirbi_value_error();
    }
    tirb_buffer *view = make_view(s, c, of, of->dtype, shape, n);
    if (view && n) view->strides = strides;
    return declare(s, c, view);
}
