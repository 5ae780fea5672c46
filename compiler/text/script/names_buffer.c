/* Declarations of buffers. */
#include <string.h>

#include "compiler/text/script/names.h"

/* The arguments that all declarations share, by their place in the signature. */
enum { SHAPE, DTYPE, DATA, STRIDES, ELEM_OFFSET, SCOPE, ALIGN, OFFSET_FACTOR };
#define BUFFER_ARGS                                                                                          \
    "dtype? data? strides? elem_offset? scope? align? offset_factor? buffer_type? axis_separators? layout? " \
    "byte_offset? annotations? allocated_addr? type?"
enum { BUFFER_TYPE = 8, LAYOUT = 10, BYTE_OFFSET = 11, ANNOTATIONS = 12 };

static bool read_buffer_type(tirbi_script *s, const tirbi_value *v, tirb_buffer *buffer) {
    const char *name = "";
    if (tirbi_given(v) && !tirbi_to_text(s, v, "buffer_type", &name)) return false;
    buffer->auto_broadcast = strcmp(name, "auto") == 0 || strcmp(name, "auto_broadcast") == 0;
    if (buffer->auto_broadcast || *name == 0 || strcmp(name, "default") == 0) return true;
    tirbi_fail(s, TIRB_VALUE, v->node->span, "buffer_type is \"\", \"default\" or \"auto\", not \"%s\"", name);
    return false;
}

/* byte_offset is another way to give elem_offset. */
static bool read_byte_offset(tirbi_script *s, const tirbi_call *c, const tirbi_value *args, tirb_buffer *buffer) {
    int64_t size = (int64_t)buffer->dtype.bits * buffer->dtype.lanes / 8;
    char text[32];
    if (!tirbi_given(&args[BYTE_OFFSET])) return true;
    if (tirbi_given(&args[ELEM_OFFSET])) {
        tirbi_fail(s, TIRB_TYPE, c->node->span, "elem_offset and byte_offset are both given; one of them is enough");
        return false;
    }
    const tirb_expr *bytes = tirbi_to_expr(s, &args[BYTE_OFFSET]);
    if (!bytes) return false;
    if (bytes->kind == TIRB_EXPR_INT_IMM && (size == 0 || bytes->as.int_value % size != 0)) {
        tirbi_fail(s, TIRB_VALUE, c->node->span, "byte_offset is %lld, which is no whole number of elements of type %s",
                   (long long)bytes->as.int_value, tirb_datatype_text(buffer->dtype, text));
        return false;
    }
    const tirb_expr *unit = size ? tirbi_make_int(&s->builder, bytes->span, bytes->dtype, size) : NULL;
    buffer->elem_offset = tirbi_make_binary(&s->builder, bytes->span, TIRB_EXPR_FLOORDIV, bytes, unit);
    if (tirbi_is_const_int(buffer->elem_offset, 0)) {
        buffer->elem_offset = NULL;
        return true;
    }
    return buffer->elem_offset != NULL;
}

/* One extent, stride or offset: a quoted one may define variables of type `type`. */
static const tirb_expr *read_size(tirbi_script *s, const tirbi_value *v, tirb_datatype type) {
    char text[32];
    tirbi_value quoted;
    if (v->kind == TIRBI_VALUE_STRING) {
        if (!v->node || v->node->kind != TIRBI_NODE_STRING) {
            tirbi_fail(s, TIRB_TYPE, v->node ? v->node->span : (tirbi_span){0, 0}, "a size cannot be a string here");
            return NULL;
        }
        tirb_datatype named;
        if (tirb_datatype_from_text(v->as.string.text, v->as.string.size, &named)) {
            tirbi_fail(s, TIRB_TYPE, v->node->span, "the shape comes first, then the type: (4, 8), \"%s\"",
                       v->as.string.text);
            return NULL;
        }
        quoted = tirbi_evaluate_quoted(s, v, type);
        v = &quoted;
    }
    const tirb_expr *e = tirbi_to_expr(s, v);
    if (!e || (tirbi_type_is_int(e->dtype) && e->dtype.lanes == 1)) return e;
    tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, e), "a size must be a scalar integer, not %s",
               tirb_datatype_text(e->dtype, text));
    return NULL;
}

static bool read_sizes(tirbi_script *s, const tirbi_value *v, tirb_datatype type, const tirb_expr *const **out,
                       uint32_t *n) {
    if (tirbi_is_error(v)) return false;
    const tirbi_value *items = v->kind == TIRBI_VALUE_TUPLE ? v->as.sequence.items : v;
    *n = v->kind == TIRBI_VALUE_TUPLE ? v->as.sequence.n : 1;
    const tirb_expr **sizes = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, *n);
    if (!sizes) return false;
    for (uint32_t i = 0; i < *n; i++) {
        sizes[i] = read_size(s, &items[i], type);
        if (!sizes[i]) return false;
        if (sizes[i]->kind != TIRB_EXPR_INT_IMM || sizes[i]->as.int_value >= 0) continue;
        tirbi_fail(s, TIRB_VALUE, sizes[i]->span, "the size %lld is negative", (long long)sizes[i]->as.int_value);
        return false;
    }
    *out = sizes;
    return true;
}

static bool is_identifier(const tirbi_value *v) {
    if (v->kind != TIRBI_VALUE_STRING || v->as.string.size == 0) return false;
    for (uint32_t i = 0; i < v->as.string.size; i++) {
        char c = v->as.string.text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
    }
    return true;
}

/* Strides are sizes, but a name among them as a string is a variable of its own, whatever else has the name. */
static bool read_strides(tirbi_script *s, const tirbi_value *v, tirb_datatype type, const tirb_expr *const **out,
                         uint32_t *n) {
    const tirbi_value *given = v->kind == TIRBI_VALUE_TUPLE ? v->as.sequence.items : v;
    uint32_t count = v->kind == TIRBI_VALUE_TUPLE ? v->as.sequence.n : 1;
    tirbi_value strides = {.kind = TIRBI_VALUE_TUPLE, .node = v->node};
    if (tirbi_is_error(v)) return false;
    strides.as.sequence.n = count;
    strides.as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, count);
    if (!strides.as.sequence.items) return false;
    for (uint32_t i = 0; i < count; i++) {
        tirbi_value *stride = &strides.as.sequence.items[i];
        *stride = given[i];
        if (!is_identifier(stride)) continue;
        const char *name = tirbi_intern(&s->names, stride->as.string.text, stride->as.string.size);
        tirbi_span span = stride->node ? stride->node->span : s->builder.at;
        if (!name) return false;
        stride->as.expr = tirbi_make_var(&s->builder, span, name, tirbi_prim_type(type));
        stride->kind = stride->as.expr ? TIRBI_VALUE_EXPR : TIRBI_VALUE_ERROR;
    }
    return read_sizes(s, &strides, type, out, n);
}

/* An offset of its own when only a factor is given. */
static const tirb_expr *fresh_offset(tirbi_script *s, const tirbi_call *c, tirb_datatype type) {
    return tirbi_make_var(&s->builder, c->node->span, "elem_offset", tirbi_prim_type(type));
}

static bool read_placement(tirbi_script *s, const tirbi_call *c, const tirbi_value *args, tirb_datatype size_type,
                           tirb_buffer *buffer) {
    tirb_datatype index_type = tirbi_offset_type(buffer);
    int64_t number;
    if (tirbi_given(&args[STRIDES])) {
        const tirb_expr *const *strides;
        uint32_t n;
        if (!read_strides(s, &args[STRIDES], size_type, &strides, &n)) return false;
        if (n == buffer->ndim) {
            if (n) buffer->strides = strides;
        } else {
            buffer->odd_strides = strides;
            buffer->n_odd_strides = n;
        }
    }
    if (tirbi_given(&args[OFFSET_FACTOR])) {
        if (!tirbi_to_int(s, &args[OFFSET_FACTOR], "offset_factor", &number)) return false;
        if (number < 0 || number > INT32_MAX) {
            tirbi_fail(s, TIRB_VALUE, c->node->span, "offset_factor is %lld; it must be 0 to %d", (long long)number,
                       INT32_MAX);
            return false;
        }
        if (number > 0) buffer->offset_factor = (int32_t)number;
    }
    if (tirbi_given(&args[ELEM_OFFSET])) {
        buffer->elem_offset = args[ELEM_OFFSET].kind == TIRBI_VALUE_STRING
                                  ? read_size(s, &args[ELEM_OFFSET], size_type)
                                  : tirbi_to_expr(s, &args[ELEM_OFFSET]);
        if (!buffer->elem_offset) return false;
        if (!tirbi_type_is_int(buffer->elem_offset->dtype) || buffer->elem_offset->dtype.lanes != 1) {
            char text[32];
            tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, buffer->elem_offset),
                       "elem_offset must be a scalar integer, not %s",
                       tirb_datatype_text(buffer->elem_offset->dtype, text));
            return false;
        }
        if (tirbi_is_const_int(buffer->elem_offset, 0) && tirb_datatype_equal(buffer->elem_offset->dtype, index_type))
            buffer->elem_offset = NULL;
    } else if (tirbi_given(&args[OFFSET_FACTOR]) && number > 0) {
        buffer->elem_offset = fresh_offset(s, c, index_type);
    }
    if (tirbi_given(&args[ALIGN])) {
        if (!tirbi_to_int(s, &args[ALIGN], "align", &number)) return false;
        if (number > INT32_MAX || number < -1) {
            tirbi_fail(s, TIRB_VALUE, c->node->span, "align is %lld; it must be -1 to %d", (long long)number,
                       INT32_MAX);
            return false;
        }
        if (number > 0) buffer->data_alignment = (int32_t)number;
    }
    return true;
}

/* In a function that is no s_tir, buffers have a layout each unless they are said to have none. */
static const char *layout_of(tirbi_script *s, const tirbi_value *v) {
    if (v->kind == TIRBI_VALUE_NONE) return s->function && !s->function->ir->s_tir ? "None" : NULL;
    return v->kind == TIRBI_VALUE_OPAQUE && v->node ? tirbi_node_text(s, v->node) : NULL;
}

/* Makes the buffer that `args` describe (in the order of BUFFER_ARGS after the shape). `scope` is the default. */
static tirb_buffer *read_buffer(tirbi_script *s, const tirbi_call *c, const tirbi_value *args, const char *scope,
                                bool strides_like_shape) {
    tirb_datatype type = tirbi_type_f32;
    const tirb_expr *const *shape;
    uint32_t ndim;
    if (!read_sizes(s, &args[SHAPE], tirbi_type_i32, &shape, &ndim)) return NULL;
    if (args[DTYPE].kind != TIRBI_VALUE_MISSING && !tirbi_to_dtype(s, &args[DTYPE], &type)) return NULL;
    if (tirbi_given(&args[SCOPE]) && !tirbi_to_text(s, &args[SCOPE], "scope", &scope)) return NULL;
    tirb_buffer *buffer = tirbi_make_buffer(&s->builder, c->node->span, c->hint, type, shape, ndim, scope);
    if (!buffer) return NULL;
    buffer->layout = layout_of(s, &args[LAYOUT]);
    tirb_datatype size_type = strides_like_shape && ndim ? shape[0]->dtype : tirbi_type_i32;
    bool good = read_placement(s, c, args, size_type, buffer) && read_byte_offset(s, c, args, buffer) &&
                read_buffer_type(s, &args[BUFFER_TYPE], buffer);
    return good ? buffer : NULL;
}

/* ---- Views ------------------------------------------------------------------------------------------------------ */

static tirbi_value declare_view(tirbi_script *s, const tirbi_call *c, tirb_buffer *buffer, const tirbi_value *data) {
    const tirb_expr *pointer = tirbi_to_expr(s, data);
    char text[32];
    if (!pointer) return tirbi_value_error();
    if (!tirbi_type_is_handle(pointer->dtype))
        return tirbi_fail(s, TIRB_TYPE, tirbi_place(&s->builder, pointer), "data must be a pointer, not %s",
                          tirb_datatype_text(pointer->dtype, text));
    tirb_stmt *stmt = tirbi_make_stmt(&s->builder, c->node->span, TIRB_STMT_DECL_BUFFER);
    if (!stmt) return tirbi_value_error();
    stmt->as.decl.buffer = buffer;
    buffer->over = tirbi_data_view(pointer);
    if (buffer->over)
        buffer->data = buffer->over->data;
    else if (pointer->kind == TIRB_EXPR_VAR)
        buffer->data = pointer;
    else
        stmt->as.decl.source = pointer;
    return tirbi_value_scope(s, stmt, tirbi_value_buffer(buffer));
}

static tirbi_value buffer_declaration(tirbi_script *s, const tirbi_call *c) {
    if (c->args[0].kind == TIRBI_VALUE_INT && c->args[1].kind == TIRBI_VALUE_INT)
        return tirbi_fail(s, TIRB_TYPE, c->node->span,
                          "a shape is one tuple: write T.Buffer((%lld, %lld), \"float32\")",
                          (long long)c->args[0].as.integer, (long long)c->args[1].as.integer);
    tirb_buffer *buffer = read_buffer(s, c, c->args, "global", false);
    if (!buffer) return tirbi_value_error();
    if (s->in_signature) return tirbi_value_buffer(buffer);
    if (tirbi_given(&c->args[DATA])) return declare_view(s, c, buffer, &c->args[DATA]);
    return tirbi_value_buffer(buffer); /* another statement gives it memory */
}

static tirbi_value decl_buffer(tirbi_script *s, const tirbi_call *c) {
    tirb_buffer *buffer = read_buffer(s, c, c->args, "global", false);
    if (!buffer) return tirbi_value_error();
    if (tirbi_given(&c->args[DATA])) return declare_view(s, c, buffer, &c->args[DATA]);
    return tirbi_allocate_scope(s, c->node->span, buffer);
}

/* ---- Allocations ------------------------------------------------------------------------------------------------ */

tirbi_value tirbi_allocate_scope(tirbi_script *s, tirbi_span span, const tirb_buffer *buffer) {
    tirb_stmt *stmt = tirbi_make_stmt(&s->builder, span, TIRB_STMT_ALLOCATE);
    if (!stmt) return tirbi_value_error();
    stmt->as.allocate.buffer = buffer;
    return tirbi_value_scope(s, stmt, tirbi_value_buffer(buffer));
}

/* TVM makes numbers of the program of those that annotate an allocation. */
static void type_annotations(tirbi_script *s, tirbi_list *annotations) {
    for (uint32_t i = 0; i < annotations->n; i++) {
        tirb_attr *attr = &((tirb_attr *)annotations->items)[i];
        attr->bare = false;
        if (attr->value && attr->value->kind == TIRB_EXPR_FLOAT_IMM)
            attr->value = tirbi_make_cast(&s->builder, attr->value->span, tirbi_type_f32, attr->value);
    }
}

static tirbi_value statement_allocation(tirbi_script *s, const tirbi_call *c, const tirbi_value *args,
                                        const char *scope) {
    tirb_buffer *buffer = read_buffer(s, c, args, scope, false);
    if (!buffer) return tirbi_value_error();
    if (tirbi_given(&args[DATA])) return declare_view(s, c, buffer, &args[DATA]);
    tirbi_value v = tirbi_allocate_scope(s, c->node->span, buffer);
    if (tirbi_is_error(&v) || !tirbi_given(&args[ANNOTATIONS])) return v;
    tirbi_list annotations = {.n = 0};
    if (!tirbi_to_attrs(s, &args[ANNOTATIONS], &annotations)) return tirbi_value_error();
    type_annotations(s, &annotations);
    v.as.form->stmts[0]->as.allocate.annotations = annotations.items;
    v.as.form->stmts[0]->as.allocate.n_annotations = annotations.n;
    return v;
}

static tirbi_value block_allocation(tirbi_script *s, const tirbi_call *c) {
    tirb_buffer *buffer = read_buffer(s, c, c->args, "global", false);
    tirbi_frame *frame = s->in_signature ? NULL : tirbi_frame_allocs(&s->builder);
    if (!buffer) return tirbi_value_error();
    if (!frame)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "T.%s allocates memory, which is possible only in a function",
                          c->entry->name);
    const tirb_buffer **slot = TIRBI_LIST_ADD(s->arena, &frame->allocs, const tirb_buffer *);
    if (!slot) return tirbi_value_error();
    *slot = buffer;
    return tirbi_value_buffer(buffer);
}

static tirbi_value alloc_buffer(tirbi_script *s, const tirbi_call *c) {
    if (tirbi_classic(s)) return block_allocation(s, c);
    return statement_allocation(s, c, c->args, "global");
}

static tirbi_value alloc_local(tirbi_script *s, const tirbi_call *c) {
    return statement_allocation(s, c, c->args, "local");
}
static tirbi_value alloc_shared(tirbi_script *s, const tirbi_call *c) {
    return statement_allocation(s, c, c->args, "shared");
}

/* T.allocate(extents, dtype, scope, condition, annotations): its name is the pointer, which can be indexed as well. */
static tirbi_value allocate(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type = tirbi_type_f32;
    const char *scope = "global";
    const tirb_expr *const *shape, *condition = NULL;
    uint32_t ndim;
    tirbi_list annotations = {.n = 0};
    if (!read_sizes(s, &c->args[0], tirbi_type_i32, &shape, &ndim)) return tirbi_value_error();
    if (tirbi_given(&c->args[1]) && !tirbi_to_dtype(s, &c->args[1], &type)) return tirbi_value_error();
    if (tirbi_given(&c->args[2]) && !tirbi_to_text(s, &c->args[2], "scope", &scope)) return tirbi_value_error();
    if (tirbi_given(&c->args[3]) && !(condition = tirbi_to_expr(s, &c->args[3]))) return tirbi_value_error();
    if (tirbi_given(&c->args[4]) && !tirbi_to_attrs(s, &c->args[4], &annotations)) return tirbi_value_error();
    tirb_buffer *buffer = tirbi_make_buffer(&s->builder, c->node->span, c->hint, type, shape, ndim, scope);
    tirbi_value v = buffer ? tirbi_allocate_scope(s, c->node->span, buffer) : tirbi_value_error();
    if (tirbi_is_error(&v)) return v;
    tirb_stmt *stmt = v.as.form->stmts[0];
    type_annotations(s, &annotations);
    stmt->as.allocate.condition =
        condition && condition->kind == TIRB_EXPR_INT_IMM && condition->as.int_value ? NULL : condition;
    stmt->as.allocate.annotations = annotations.items;
    stmt->as.allocate.n_annotations = annotations.n;
    v.as.form->result.declares = true;
    return v;
}

static tirbi_value scalar_allocation(tirbi_script *s, const tirbi_call *c) {
    static const char *const scopes[] = {"local", "shared", "global"};
    tirb_datatype type;
    const char *scope = scopes[c->entry->data];
    if (!tirbi_to_dtype(s, &c->args[0], &type)) return tirbi_value_error();
    if (tirbi_given(&c->args[1]) && !tirbi_to_text(s, &c->args[1], "scope", &scope)) return tirbi_value_error();
    const tirb_expr **shape = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, 1);
    if (!shape) return tirbi_value_error();
    shape[0] = tirbi_make_int(&s->builder, c->node->span, tirbi_type_i32, 1);
    tirb_buffer *buffer = tirbi_make_buffer(&s->builder, c->node->span, c->hint, type, shape, 1, scope);
    tirbi_value v = buffer ? tirbi_allocate_scope(s, c->node->span, buffer) : tirbi_value_error();
    if (tirbi_is_error(&v)) return v;
    v.as.form->stmts[0]->as.allocate.scalar = true;
    v.as.form->result.scalar = true;
    return v;
}

/* T.decl_scalar(dtype, data, scope, elem_offset): one element behind a pointer, by its name. */
static tirbi_value scalar_declaration(tirbi_script *s, const tirbi_call *c) {
    tirb_datatype type;
    const char *scope = "global";
    const tirb_expr *offset = NULL, **shape = TIRBI_NEW_ARRAY(s->arena, const tirb_expr *, 1);
    if (!shape || !tirbi_to_dtype(s, &c->args[0], &type)) return tirbi_value_error();
    if (tirbi_given(&c->args[2]) && !tirbi_to_text(s, &c->args[2], "scope", &scope)) return tirbi_value_error();
    if (tirbi_given(&c->args[3]) && !(offset = tirbi_to_typed(s, &c->args[3], tirbi_type_i32)))
        return tirbi_value_error();
    shape[0] = tirbi_make_int(&s->builder, c->node->span, tirbi_type_i32, 1);
    tirb_buffer *buffer = tirbi_make_buffer(&s->builder, c->node->span, c->hint, type, shape, 1, scope);
    if (!buffer) return tirbi_value_error();
    if (offset && !tirbi_is_const_int(offset, 0)) buffer->elem_offset = offset;
    tirbi_value v = declare_view(s, c, buffer, &c->args[1]);
    if (!tirbi_is_error(&v)) v.as.form->result.scalar = true;
    return v;
}

/* ---- match_buffer ----------------------------------------------------------------------------------------------- */

/* The number of the parameter that an expression is, or -1. */
static int find_parameter(const tirbi_script *s, const tirbi_value *v) {
    if (v->kind != TIRBI_VALUE_EXPR || !s->function) return -1;
    for (uint32_t i = 0; i < s->function->ir->n_params; i++)
        if (s->function->ir->params[i] == v->as.expr) return (int)i;
    return -1;
}

static tirbi_value match_parameter(tirbi_script *s, const tirbi_call *c, int index) {
    const tirb_expr *param = s->function->ir->params[index];
    if (!tirbi_type_is_handle(param->dtype))
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "the parameter `%s` is not a T.handle and cannot be matched",
                          param->as.var.name);
    if (s->function->buffers[index])
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "the parameter `%s` is bound to the buffer `%s` already",
                          param->as.var.name, s->function->buffers[index]->name);
    if (c->args[1].kind == TIRBI_VALUE_MISSING)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "match_buffer of a parameter needs a shape");
    tirb_buffer *buffer = read_buffer(s, c, c->args + 1, "global", true);
    if (!buffer) return tirbi_value_error();
    s->function->buffers[index] = buffer;
    return tirbi_value_buffer(buffer);
}

static bool fill_from_region(tirbi_script *s, const tirb_buffer_region *region, tirbi_value *shape) {
    *shape = (tirbi_value){.kind = TIRBI_VALUE_TUPLE};
    shape->as.sequence.n = region->buffer->ndim;
    shape->as.sequence.items = TIRBI_NEW_ARRAY(s->arena, tirbi_value, region->buffer->ndim);
    if (!shape->as.sequence.items) return false;
    for (uint32_t i = 0; i < region->buffer->ndim; i++)
        shape->as.sequence.items[i] = tirbi_value_expr(region->region[i].extent);
    return true;
}

static tirbi_value match_region(tirbi_script *s, const tirbi_call *c) {
    tirb_buffer_region region;
    if (!tirbi_to_region(s, &c->args[0], &region)) return tirbi_value_error();
    tirbi_frame *frame = tirbi_frame_block(&s->builder);
    if (!frame) return tirbi_fail(s, TIRB_TYPE, c->node->span, "match_buffer of a region is only possible in a block");
    if (c->args[1].kind == TIRBI_VALUE_MISSING || c->args[1].kind == TIRBI_VALUE_NONE) {
        if (!fill_from_region(s, &region, &c->args[1])) return tirbi_value_error();
        if (c->args[2].kind == TIRBI_VALUE_MISSING)
            c->args[2] = (tirbi_value){.kind = TIRBI_VALUE_DTYPE, .as.dtype = region.buffer->dtype};
    }
    tirb_buffer *buffer = read_buffer(s, c, c->args + 1, region.buffer->scope, true);
    tirb_match_buffer *slot = buffer ? TIRBI_LIST_ADD(s->arena, &frame->matches, tirb_match_buffer) : NULL;
    if (!slot) return tirbi_value_error();
    slot->buffer = buffer;
    slot->source = region;
    return tirbi_value_buffer(buffer);
}

static tirbi_value match_buffer(tirbi_script *s, const tirbi_call *c) {
    int index = find_parameter(s, &c->args[0]);
    if (index >= 0) return match_parameter(s, c, index);
    if (c->entry->data)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "buffer_bind binds parameters only, not %s",
                          tirbi_value_text(&c->args[0]));
    if (c->args[0].kind == TIRBI_VALUE_EXPR && c->args[0].as.expr->kind == TIRB_EXPR_VAR)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "only a parameter or a buffer region can be matched");
    return match_region(s, c);
}

/* T.preflattened_buffer(A, shape, ..): the caller's tensor has this shape, and the parameter `A` is a view of it. */
static tirbi_value preflattened_buffer(tirbi_script *s, const tirbi_call *c) {
    tirb_buffer *flat = c->args[0].kind == TIRBI_VALUE_BUFFER ? (tirb_buffer *)c->args[0].as.buffer : NULL;
    uint32_t index = 0;
    while (flat && s->function && index < s->function->ir->n_params && s->function->buffers[index] != flat) index++;
    if (!flat || !s->function || index == s->function->ir->n_params)
        return tirbi_fail(s, TIRB_TYPE, c->node->span, "preflattened_buffer needs the buffer of a parameter first");
    tirb_buffer *whole = read_buffer(s, c, c->args + 1, flat->scope, true);
    tirb_stmt *stmt = whole ? tirbi_make_stmt(&s->builder, c->node->span, TIRB_STMT_DECL_BUFFER) : NULL;
    if (!stmt) return tirbi_value_error();
    whole->name = tirbi_arena_format(s->arena, "%s_preflattened", flat->name);
    stmt->as.decl.buffer = flat;
    flat->data = whole->data;
    s->function->buffers[index] = whole;
    return tirbi_value_scope(s, stmt, tirbi_value_none());
}

const tirbi_entry tirbi_buffer_names[] = {
    {"Buffer", buffer_declaration, "shape " BUFFER_ARGS, 0},
    {"buffer", buffer_declaration, "shape " BUFFER_ARGS, 0},
    {"buffer_decl", buffer_declaration, "shape " BUFFER_ARGS, 1},
    {"decl_buffer", decl_buffer, "shape " BUFFER_ARGS, 0},
    {"match_buffer", match_buffer, "param shape? " BUFFER_ARGS, 0},
    {"buffer_bind", match_buffer, "param shape? " BUFFER_ARGS, 1},
    {"alloc_buffer", alloc_buffer, "shape " BUFFER_ARGS, 0},
    {"buffer_allocate", alloc_buffer, "shape " BUFFER_ARGS, 0},
    {"sblock_alloc_buffer", block_allocation, "shape " BUFFER_ARGS, 0},
    {"alloc_local", alloc_local, "shape " BUFFER_ARGS, 0},
    {"alloc_shared", alloc_shared, "shape " BUFFER_ARGS, 0},
    {"allocate", allocate, "extents dtype? scope? condition? annotations?", 0},
    {"alloc_scalar", scalar_allocation, "dtype scope?", 0},
    {"local_scalar", scalar_allocation, "dtype scope?", 0},
    {"shared_scalar", scalar_allocation, "dtype scope?", 1},
    {"decl_scalar", scalar_declaration, "dtype data scope? elem_offset?", 0},
    {"allocate_const", tirbi_allocate_const, "data dtype extents annotations?", 0},
    {"preflattened_buffer", preflattened_buffer, "postflattened shape " BUFFER_ARGS, 0},
    {NULL, NULL, NULL, 0},
};
