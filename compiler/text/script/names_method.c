/* Methods of buffers, and of expressions. */
#include <string.h>

#include "compiler/text/script/names.h"

static tirbi_value as_type(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    const tirb_expr *e = tirbi_to_expr(s, c->object);
    if (!tirbi_to_dtype(s, &c->args[0], &type)) return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_cast(&s->builder, c->node->span, type, e));
}

static bool is_buffer(tirbi_script *s, const tirbi_call *c) {
    if (c->object->kind == TIRBI_VALUE_BUFFER) return true;
    tirbi_fail(s, TIRB_TYPE, c->node->span, "`%s` is a method of buffers", c->entry->name);
    return false;
}

static bool access_indices(tirbi_script *s, const tirbi_call *c, const tirb_expr *const **indices, uint32_t *n) {
    const tirb_buffer *buffer = c->object->as.buffer;
    if (!tirbi_to_exprs(s, &c->args[0], indices, n)) return false;
    if (*n == buffer->ndim) return true;
    tirbi_fail(s, TIRB_TYPE, c->node->span, "`%s` is %u-dimensional and cannot be indexed with %u indices",
               buffer->name, buffer->ndim, *n);
    return false;
}

/* Where a vector of the type begins at the indices: the last of them becomes a ramp of its lanes. */
static bool from_index(tirbi_script *s, const tirbi_call *c, const tirb_expr *const **indices, uint32_t n,
                       tirb_datatype type) {
    tirb_datatype element = c->object->as.buffer->dtype;
    tirbi_lanes lanes = {type.lanes / element.lanes, type.scalable && !element.scalable};
    if (n == 0 || lanes.n <= 1 || (*indices)[n - 1]->dtype.lanes > 1) return true;
    const tirb_expr **ramps = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, n);
    if (!ramps) return false;
    memcpy(ramps, *indices, n * sizeof *ramps);
    const tirb_expr *base = ramps[n - 1], *one = tirbi_make_int(&s->builder, base->span, base->dtype, 1);
    ramps[n - 1] = one ? tirbi_make_ramp(&s->builder, base->span, base, one, lanes) : NULL;
    *indices = ramps;
    return ramps[n - 1] != NULL;
}

static tirbi_value vector_load(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *const *indices;
    char left[32], right[32];
    uint32_t n;
    tirb_datatype type;
    if (!is_buffer(s, c) || !access_indices(s, c, &indices, &n)) return tirbi_value_error();
    const tirb_buffer *buffer = c->object->as.buffer;
    if (tirbi_given(&c->args[1])) {
        if (!tirbi_to_dtype(s, &c->args[1], &type)) return tirbi_value_error();
        if (!tirb_datatype_equal(tirbi_type_element(type), tirbi_type_element(buffer->dtype)))
            return tirbi_fail(s, TIRB_TYPE, c->node->span, "`vload` loads %s, but the elements of `%s` are %s",
                              tirb_datatype_text(type, left), buffer->name, tirb_datatype_text(buffer->dtype, right));
        if (!from_index(s, c, &indices, n, type)) return tirbi_value_error();
    }
    const tirb_expr *predicate = NULL;
    if (tirbi_given(&c->args[2]) && !(predicate = tirbi_to_expr(s, &c->args[2]))) return tirbi_value_error();
    return tirbi_value_expr(tirbi_make_load(&s->builder, c->node->span, c->object->as.buffer, indices, n, predicate));
}

static tirbi_value vector_store(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *const *indices;
    uint32_t n;
    if (!is_buffer(s, c) || !access_indices(s, c, &indices, &n)) return tirbi_value_error();
    const tirb_expr *predicate = NULL,
                    *value = tirbi_to_typed(s, &c->args[1], tirbi_type_element(c->object->as.buffer->dtype));
    if (!value || !from_index(s, c, &indices, n, value->dtype)) return tirbi_value_error();
    if (tirbi_given(&c->args[2]) && !(predicate = tirbi_to_expr(s, &c->args[2]))) return tirbi_value_error();
    tirbi_emit_store(&s->builder, c->node->span, c->object->as.buffer, value, indices, n, predicate);
    return tirbi_value_none();
}

/* ---- Masked accesses: functions that take the buffer ------------------------------------------------------------ */

/* The indices and, behind them, the mask: arguments from `first` on. */
static bool masked_access(tirbi_script *s, const tirbi_call *c, const tirbi_value *buffer,
                          const tirb_expr *const **args, uint32_t *n) {
    if (buffer->kind != TIRBI_VALUE_BUFFER) {
        tirbi_fail(s, TIRB_TYPE, c->node->span, "T.%s takes a buffer, not %s", c->entry->name,
                   tirbi_value_text(buffer));
        return false;
    }
    if (!tirbi_to_exprs(s, &c->args[2], args, n)) return false;
    if (*n == buffer->as.buffer->ndim + 1) return true;
    tirbi_fail(s, TIRB_TYPE, c->node->span, "T.%s of `%s` takes %u indices and a mask", c->entry->name,
               buffer->as.buffer->name, buffer->as.buffer->ndim);
    return false;
}

/* T.masked_load(dtype, buffer, *indices, mask): lanes whose mask is false are 0. */
tirbi_value tirbi_masked_load(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *const *args;
    char left[32], right[32];
    uint32_t n;
    tirb_datatype type;
    if (!tirbi_to_dtype(s, &c->args[0], &type) || !masked_access(s, c, &c->args[1], &args, &n))
        return tirbi_value_error();
    const tirb_buffer *buffer = c->args[1].as.buffer;
    const tirb_expr *load = tirbi_make_load(&s->builder, c->node->span, buffer, args, n - 1, args[n - 1]);
    if (load && !tirb_datatype_equal(load->dtype, type))
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.masked_load loads %s here, not %s",
                          tirb_datatype_text(load->dtype, left), tirb_datatype_text(type, right));
    return tirbi_value_expr(load);
}

/* T.masked_store(buffer, value, *indices, mask) */
tirbi_value tirbi_masked_store(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *const *args;
    uint32_t n;
    if (!masked_access(s, c, &c->args[0], &args, &n)) return tirbi_value_error();
    const tirb_buffer *buffer = c->args[0].as.buffer;
    const tirb_expr *value = tirbi_to_typed(s, &c->args[1], tirbi_type_element(buffer->dtype));
    if (!value) return tirbi_value_error();
    tirbi_emit_store(&s->builder, c->node->span, buffer, value, args, n - 1, args[n - 1]);
    return tirbi_value_none();
}

static tirbi_value buffer_scope(tirbi_script *s, const tirbi_call *c) {
    if (!is_buffer(s, c)) return tirbi_value_error();
    tirbi_value v = {.kind = TIRBI_VALUE_STRING};
    v.as.string.text = c->object->as.buffer->scope;
    v.as.string.size = (uint32_t)strlen(v.as.string.text);
    return v;
}

static tirbi_value pointer_to(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *const *indices;
    uint32_t n;
    if (!is_buffer(s, c) || !access_indices(s, c, &indices, &n)) return tirbi_value_error();
    const tirb_expr *load = tirbi_make_load(&s->builder, c->node->span, c->object->as.buffer, indices, n, NULL);
    return tirbi_value_expr(
        tirbi_make_call(&s->builder, c->node->span, tirbi_type_handle, TIRB_BUILTIN_ADDRESS_OF, &load, 1));
}

/* ---- Positions -------------------------------------------------------------------------------------------------- */

/* Where the buffer's first element is behind its pointer. */
static const tirb_expr *first_element(tirbi_script *s, const tirbi_call *c) {
    const tirb_buffer *buffer = c->object->as.buffer;
    if (buffer->elem_offset) return buffer->elem_offset;
    /* TVM counts the elements of a buffer without dimensions in 64 bits. */
    return tirbi_make_int(&s->builder, c->node->span, buffer->ndim ? buffer->shape[0]->dtype : tirbi_type_i64, 0);
}

/* The elements from the first to the end of the buffer: with strides, those of its first dimension. */
static const tirb_expr *all_elements(tirbi_script *s, const tirbi_call *c) {
    const tirb_buffer *buffer = c->object->as.buffer;
    tirbi_span span = c->node->span;
    if (buffer->ndim == 0) return tirbi_make_int(&s->builder, span, tirbi_type_i64, 1);
    if (buffer->strides)
        return tirbi_make_binary(&s->builder, span, TIRB_EXPR_MUL, buffer->strides[0], buffer->shape[0]);
    const tirb_expr *extent = tirbi_make_int(&s->builder, span, buffer->shape[0]->dtype, 1);
    for (uint32_t i = 0; i < buffer->ndim; i++)
        extent = tirbi_make_binary(&s->builder, span, TIRB_EXPR_MUL, extent, buffer->shape[i]);
    return extent;
}

/* 1 to read, 2 to write: as a number, or as "r", "w" or "rw". */
static bool access_mask(tirbi_script *s, const tirbi_call *c, int64_t *out) {
    const tirbi_value *v = &c->args[0];
    *out = 3;
    if (v->kind != TIRBI_VALUE_STRING) return !tirbi_given(v) || tirbi_to_int(s, v, "access_mask", out);
    *out = (strchr(v->as.string.text, 'r') ? 1 : 0) | (strchr(v->as.string.text, 'w') ? 2 : 0);
    return true;
}

/* A.access_ptr("rw"): a pointer to the elements from `offset` on. With content_lanes it is one to vectors, for which
 * TVM takes no account of the offset. */
static tirbi_value access_pointer(tirbi_script *s, const tirbi_call *c) {
    int64_t mask, lanes = 1;
    if (!is_buffer(s, c) || !access_mask(s, c, &mask)) return tirbi_value_error();
    if (tirbi_given(&c->args[2]) && !tirbi_to_int(s, &c->args[2], "content_lanes", &lanes)) return tirbi_value_error();
    if (lanes < 1 || lanes > UINT16_MAX)
        return tirbi_fail(s, TIRB_VALUE, c->node->span, "content_lanes is %lld; it must be 1 to %d", (long long)lanes,
                          UINT16_MAX);
    const tirb_buffer *buffer = c->object->as.buffer;
    tirbi_builder *b = &s->builder;
    tirbi_span span = c->node->span;
    const tirb_expr *first = first_element(s, c), *extent = all_elements(s, c);
    const tirb_expr *offset = tirbi_given(&c->args[3])
                                  ? tirbi_to_expr(s, &c->args[3])
                                  : tirbi_make_int(b, span, first ? first->dtype : tirbi_type_i32, 0);
    const tirb_expr *unit = tirbi_make_int(b, span, first ? first->dtype : tirbi_type_i32, lanes);
    tirb_datatype type = buffer->dtype;
    extent = tirbi_make_binary(b, span, TIRB_EXPR_SUB, extent, offset);
    if (lanes > 1) {
        type = tirbi_type_with_lanes(type, (tirbi_lanes){lanes, false});
        extent = tirbi_make_binary(b, span, TIRB_EXPR_DIV, extent, unit);
        first = tirbi_make_binary(b, span, TIRB_EXPR_DIV, first, unit);
    } else {
        first = tirbi_make_binary(b, span, TIRB_EXPR_ADD, first, offset);
    }
    if (tirbi_given(&c->args[4])) extent = tirbi_to_expr(s, &c->args[4]);
    const tirb_expr *args[] = {tirbi_make_call(b, span, type, TIRB_BUILTIN_TYPE_ANNOTATION, NULL, 0), buffer->data,
                               first, extent, tirbi_make_int(b, span, tirbi_type_i32, mask)};
    return tirbi_value_expr(tirbi_make_call(b, span, tirbi_type_handle, TIRB_BUILTIN_TVM_ACCESS_PTR, args, 5));
}

/* A.offset_of(indices): a list of one, how many elements behind the buffer's pointer the element is. */
static tirbi_value offset_of(tirbi_script *s, const tirbi_call *c) {
    const tirb_expr *const *indices;
    uint32_t n;
    if (!is_buffer(s, c) || !access_indices(s, c, &indices, &n)) return tirbi_value_error();
    const tirb_buffer *buffer = c->object->as.buffer;
    tirbi_builder *b = &s->builder;
    tirbi_span span = c->node->span;
    const tirb_expr *at = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const tirb_expr *step = indices[i];
        if (buffer->strides) step = tirbi_make_binary(b, span, TIRB_EXPR_MUL, step, buffer->strides[i]);
        if (at && !buffer->strides) at = tirbi_make_binary(b, span, TIRB_EXPR_MUL, at, buffer->shape[i]);
        at = at ? tirbi_make_binary(b, span, TIRB_EXPR_ADD, at, step) : step;
    }
    const tirb_expr *first = first_element(s, c);
    at = at ? tirbi_make_binary(b, span, TIRB_EXPR_ADD, at, first) : first;
    tirbi_value v = {.kind = TIRBI_VALUE_TUPLE}, *item = TIRBI_NEW(s->arena, tirbi_value);
    if (!item || !at) return tirbi_value_error();
    *item = tirbi_value_expr(at);
    v.as.sequence.items = item;
    v.as.sequence.n = 1;
    return v;
}

static tirbi_value is_scalar(tirbi_script *s, const tirbi_call *c) {
    if (!is_buffer(s, c)) return tirbi_value_error();
    return (tirbi_value){.kind = TIRBI_VALUE_BOOL, .as.boolean = c->object->scalar};
}

const tirbi_entry tirbi_method_names[] = {
    {"astype", as_type, "dtype", 0},
    {"vload", vector_load, "begin dtype? predicate?", 0},
    {"vstore", vector_store, "begin value predicate?", 0},
    {"scope", buffer_scope, "", 0},
    {"ptr_to", pointer_to, "indices", 0},
    {"access_ptr", access_pointer, "access_mask? ptr_type? content_lanes? offset? extent?", 0},
    {"offset_of", offset_of, "indices", 0},
    {"is_scalar", is_scalar, "alloc_or_decl?", 0},
    {"view", tirbi_method_view, "*shape layout?", 0},
    {"local", tirbi_method_view, "*shape layout?", 0},
    {"permute", tirbi_method_permute, "*dims", 0},
    {"partition", NULL, "", 0},
    {NULL, NULL, NULL, 0},
};
