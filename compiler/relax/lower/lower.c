#include "compiler/relax/lower/lower.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/relax/infer/dims.h"
#include "compiler/relax/lower/host.h"
#include "compiler/relax/lower/inline.h"
#include "compiler/relax/lower/lowering.h"

bool tirbi_relax_refuse_here(tirbi_relax_lowering *l, tirbi_span span, const char *format, ...) {
    char message[300];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (!l->reason) {
        l->reason = tirbi_arena_format(l->arena, "%s", message);
        l->place = span;
    }
    return false;
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

tirbi_relax_held *tirbi_relax_hold(tirbi_relax_lowering *l, tirbi_relax_held_kind kind) {
    tirbi_relax_held *h = TIRBI_NEW(l->arena, tirbi_relax_held);
    if (h) h->kind = kind;
    return h;
}

static const tirbi_relax_held *hold_tensor(tirbi_relax_lowering *l, const tirb_buffer *buffer) {
    tirbi_relax_held *h = buffer ? tirbi_relax_hold(l, TIRBI_RELAX_HELD_TENSOR) : NULL;
    if (h) h->buffer = buffer;
    return h;
}

static const tirbi_relax_held *hold_scalar(tirbi_relax_lowering *l, const tirb_expr *value) {
    tirbi_relax_held *h = value ? tirbi_relax_hold(l, TIRBI_RELAX_HELD_SCALAR) : NULL;
    if (h) h->scalar = value;
    return h;
}

static const tirbi_relax_held *hold_shape(tirbi_relax_lowering *l, const tirb_expr *const *dims, uint32_t n) {
    tirbi_relax_held *h = tirbi_relax_hold(l, TIRBI_RELAX_HELD_SHAPE);
    if (h) *h = (tirbi_relax_held){.kind = TIRBI_RELAX_HELD_SHAPE, .dims = dims, .n = n};
    return h;
}

static const tirbi_relax_held *hold_tuple(tirbi_relax_lowering *l, const tirbi_relax_held *const *fields, uint32_t n) {
    tirbi_relax_held *h = tirbi_relax_hold(l, TIRBI_RELAX_HELD_TUPLE);
    if (h) *h = (tirbi_relax_held){.kind = TIRBI_RELAX_HELD_TUPLE, .fields = fields, .n = n};
    return h;
}

/* ---- Scopes ----------------------------------------------------------------------------------------------------- */

void tirbi_relax_emit_scope(tirbi_relax_lowering *l, tirb_stmt *stmt, const tirb_buffer *buffer) {
    const tirbi_frame *frame = tirbi_frame_top(&l->b);
    tirbi_relax_scope *scope = TIRBI_LIST_ADD(l->arena, &l->scopes, tirbi_relax_scope);
    if (!frame || !scope) return;
    *scope = (tirbi_relax_scope){buffer, stmt->kind == TIRB_STMT_ALLOCATE_CONST, frame->items.n, l->now};
    tirbi_emit_scope(&l->b, stmt);
}

/* ---- Constants -------------------------------------------------------------------------------------------------- */

typedef struct constant_buffer {
    const tirb_relax_tensor *tensor;
    const tirbi_relax_held *held;
} constant_buffer;

/* A float by its bits; a narrow one of 8 bits or less is none that a constant has. */
static double float_of(tirb_datatype type, uint64_t bits) {
    if (type.bits == 64) {
        double d;
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    float f;
    uint32_t word = (uint32_t)bits;
    if (type.code == TIRB_CODE_BFLOAT) word <<= 16;
    if (type.bits == 16 && type.code == TIRB_CODE_FLOAT) {
        const uint32_t exponent = (word >> 10) & 31, fraction = word & 1023;
        const double value = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                             : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                                            : ldexp(fraction, -24);
        return word >> 15 ? -value : value;
    }
    memcpy(&f, &word, sizeof f);
    return f;
}

static const tirb_expr *element_of(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_tensor *t, uint64_t at) {
    const uint32_t size = ((uint32_t)t->dtype.bits + 7) / 8;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; i++) bits |= (uint64_t)t->bytes[at * size + i] << (8 * i);
    if (tirbi_type_is_bool(t->dtype)) return tirbi_make_bool(&l->b, span, bits != 0);
    if (tirbi_type_is_float(t->dtype)) return tirbi_make_float(&l->b, span, t->dtype, float_of(t->dtype, bits));
    const unsigned unused = 64 - size * 8;
    if (t->dtype.code == TIRB_CODE_INT) bits = (uint64_t)((int64_t)(bits << unused) >> unused);
    return tirbi_make_int(&l->b, span, t->dtype, (int64_t)bits);
}

static const tirbi_relax_held *make_constant(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_tensor *t) {
    const uint32_t size = ((uint32_t)t->dtype.bits + 7) / 8;
    const uint64_t n = size ? t->n_bytes / size : 0;
    if (n > UINT32_MAX) {
        tirbi_relax_refuse_here(l, span, "a constant of more than %u elements", UINT32_MAX);
        return NULL;
    }
    /* A number is a variable of the code; all else stays as it is. */
    const uint32_t n_elements = t->ndim == 0 && n == 1;
    const tirb_expr **elements = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, n_elements);
    const tirb_expr **shape = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, t->ndim);
    for (uint32_t i = 0; elements && i < n_elements; i++)
        if (!(elements[i] = element_of(l, span, t, i))) return NULL;
    for (uint32_t i = 0; shape && i < t->ndim; i++)
        if (!(shape[i] = tirbi_make_int(&l->b, span, tirbi_type_i64, t->shape[i]))) return NULL;
    tirb_buffer *buffer =
        elements && shape ? tirbi_make_buffer(&l->b, span, "constant", t->dtype, shape, t->ndim, "global") : NULL;
    tirb_stmt *stmt = buffer ? tirbi_make_stmt(&l->b, span, TIRB_STMT_ALLOCATE_CONST) : NULL;
    if (!stmt) return NULL;
    stmt->as.allocate.buffer = buffer;
    stmt->as.allocate.elements = elements;
    stmt->as.allocate.n_elements = n_elements;
    stmt->as.allocate.bytes = n_elements ? NULL : t->bytes;
    stmt->as.allocate.n_bytes = t->n_bytes;
    tirbi_relax_emit_scope(l, stmt, buffer);
    tirbi_relax_held *h = tirbi_relax_hold(l, TIRBI_RELAX_HELD_TENSOR);
    if (!h) return NULL;
    h->buffer = buffer;
    if (n_elements) h->scalar = elements[0];
    return h;
}

/* A constant is one allocation of the function, however often it is named; but what a branch names is the branch's. */
static const tirbi_relax_held *constant_of(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_tensor *t) {
    const constant_buffer *items = l->constants.items;
    for (uint32_t i = 0; i < l->constants.n; i++)
        if (items[i].tensor == t) return items[i].held;
    constant_buffer *added = TIRBI_LIST_ADD(l->arena, &l->constants, constant_buffer);
    const tirbi_relax_held *held = added ? make_constant(l, span, t) : NULL;
    if (held) *added = (constant_buffer){t, held};
    return held;
}

bool tirbi_relax_know_constant(tirbi_relax_lowering *l, const tirb_relax_tensor *t, const tirbi_relax_held *held) {
    constant_buffer *added = TIRBI_LIST_ADD(l->arena, &l->constants, constant_buffer);
    if (added) *added = (constant_buffer){t, held};
    return added != NULL;
}

/* ---- Leaves ----------------------------------------------------------------------------------------------------- */

const tirbi_relax_held *tirbi_relax_held_of(tirbi_relax_lowering *l, const tirb_relax_expr *e) {
    switch (e->kind) {
    case TIRB_RELAX_VAR: {
        const tirbi_relax_held *h = l->held[e->as.var->id];
        if (!h)
            tirbi_relax_refuse_here(
                l, e->span, "`%s` is not lowered yet: its value is no tensor, number, shape or tuple", e->as.var->name);
        return h;
    }
    case TIRB_RELAX_PRIM:
        return hold_scalar(l, e->as.prim);
    case TIRB_RELAX_CONST:
        return constant_of(l, e->span, e->as.constant);
    case TIRB_RELAX_SHAPE:
        return hold_shape(l, e->as.shape.values, e->as.shape.n);
    case TIRB_RELAX_TUPLE: {
        const tirbi_relax_held **fields = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_held *, e->as.tuple.n);
        for (uint32_t i = 0; fields && i < e->as.tuple.n; i++)
            if (!(fields[i] = tirbi_relax_held_of(l, e->as.tuple.items[i]))) return NULL;
        return fields ? hold_tuple(l, fields, e->as.tuple.n) : NULL;
    }
    default:
        return tirbi_relax_hold(l, TIRBI_RELAX_HELD_NOTHING);
    }
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

static bool is_bound_at_entry(const tirbi_relax_lowering *l, const tirb_expr *e);

static bool all_bound_at_entry(const tirbi_relax_lowering *l, const tirb_expr *const *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!is_bound_at_entry(l, items[i])) return false;
    return true;
}

/* Whether a type's dimensions mention the variable by itself. */
static bool type_binds(const tirb_relax_type *t, const tirb_expr *var) {
    for (uint32_t i = 0; t->has_shape && i < (uint32_t)t->ndim; i++)
        if (t->shape[i] == var) return true;
    for (uint32_t i = 0; t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++)
        if (type_binds(t->fields[i], var)) return true;
    return false;
}

/* The same of what a parameter is, whose type may not name its dimensions. */
static bool held_binds(const tirbi_relax_held *h, const tirb_expr *var) {
    if (!h) return false;
    const tirb_expr *const *dims = h->kind == TIRBI_RELAX_HELD_TENSOR ? h->buffer->shape : h->dims;
    const uint32_t n = h->kind == TIRBI_RELAX_HELD_TENSOR ? h->buffer->ndim : h->n;
    if (h->kind == TIRBI_RELAX_HELD_TUPLE) {
        for (uint32_t i = 0; i < h->n; i++)
            if (held_binds(h->fields[i], var)) return true;
        return false;
    }
    for (uint32_t i = 0; dims && i < n; i++)
        if (dims[i] == var) return true;
    return false;
}

/* A dimension in the sizes of the parameters, as far as casts of those say what it is. NULL when out of memory. */
static const tirb_expr *entry_dim(tirbi_relax_lowering *l, const tirb_expr *dim) {
    if (l->cast_vars.n == 0) return dim;
    tirbi_dims dims = {.builder = &l->b};
    return tirbi_dim_replace(&dims, dim, l->cast_vars.items, l->cast_dims.items, l->cast_vars.n);
}

/* Whether the function knows a size from its parameters alone. */
static bool is_bound_at_entry(const tirbi_relax_lowering *l, const tirb_expr *e) {
    switch (e->kind) {
    case TIRB_EXPR_INT_IMM:
        return true;
    case TIRB_EXPR_VAR:
        for (uint32_t i = 0; i < l->function->n_params; i++)
            if (l->function->params[i]->scalar == e || type_binds(l->function->params[i]->type, e) ||
                held_binds(l->held[l->function->params[i]->id], e))
                return true;
        return false;
    case TIRB_EXPR_CAST:
    case TIRB_EXPR_NOT:
        return is_bound_at_entry(l, e->as.cast.value);
    case TIRB_EXPR_SELECT:
        return false;
    case TIRB_EXPR_CALL:
        return all_bound_at_entry(l, e->as.call.args, e->as.call.n_args);
    default:
        return e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_OR && is_bound_at_entry(l, e->as.binary.a) &&
               is_bound_at_entry(l, e->as.binary.b);
    }
}

/* Whether a tensor may have these dimensions: none that is a number is below 0, and numbers of elements are numbers. */
static bool has_sizes(tirbi_relax_lowering *l, tirbi_span span, const tirb_expr *const *shape, uint32_t n) {
    int64_t count = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (shape[i]->kind != TIRB_EXPR_INT_IMM) continue;
        const int64_t extent = shape[i]->as.int_value;
        if (extent < 0)
            return tirbi_relax_refuse_here(l, span, "dimension %u of its value is %lld, which is below 0", (unsigned)i,
                                           (long long)extent);
        if (__builtin_mul_overflow(count, extent > 0 ? extent : 1, &count))
            return tirbi_relax_refuse_here(l, span, "its value has more elements than 64 bits count");
    }
    return true;
}

static bool same_shape(const tirb_expr *const *a, uint32_t n_a, const tirb_expr *const *b, uint32_t n_b) {
    if (n_a != n_b) return false;
    for (uint32_t i = 0; i < n_a; i++)
        if (!tirbi_expr_equal(a[i], b[i])) return false;
    return true;
}

const tirb_buffer *tirbi_relax_view(tirbi_relax_lowering *l, tirbi_span span, const tirb_buffer *buffer,
                                    tirb_datatype dtype, const tirb_expr *const *shape, uint32_t ndim) {
    if (tirb_datatype_equal(buffer->dtype, dtype) && same_shape(buffer->shape, buffer->ndim, shape, ndim))
        return buffer;
    return tirbi_relax_part(l, span, buffer, dtype, shape, ndim, NULL);
}

bool tirbi_relax_known_at_entry(const tirbi_relax_lowering *l, const tirb_expr *const *shape, uint32_t ndim) {
    return all_bound_at_entry(l, shape, ndim);
}

/* Whether a buffer's dimensions are those of a type, by what is known at entry. */
static bool has_shape(tirbi_relax_lowering *l, const tirb_buffer *buffer, const tirb_relax_type *type) {
    if (buffer->ndim != (uint32_t)type->ndim) return false;
    for (uint32_t i = 0; i < buffer->ndim; i++) {
        const tirb_expr *dim = entry_dim(l, type->shape[i]);
        if (!dim || !tirbi_expr_equal(buffer->shape[i], dim)) return false;
    }
    return true;
}

const tirb_relax_type *tirbi_relax_shaped(tirbi_relax_lowering *l, const tirb_relax_type *type) {
    if (type->kind != TIRB_RELAX_TYPE_TENSOR || type->has_shape || !type->shape_var) return type;
    const tirbi_relax_held *h = l->held[type->shape_var->id];
    const tirb_relax_type *shape = type->shape_var->type;
    const bool is_held = h && h->kind == TIRBI_RELAX_HELD_SHAPE;
    if (!is_held && !shape->has_shape) return type;
    tirb_relax_type *t = TIRBI_NEW(l->arena, tirb_relax_type);
    if (t)
        *t = (tirb_relax_type){.kind = type->kind,
                               .dtype = type->dtype,
                               .ndim = is_held ? (int32_t)h->n : shape->ndim,
                               .has_shape = true,
                               .shape = is_held ? h->dims : shape->shape};
    return t;
}

const tirbi_relax_held *tirbi_relax_make_room(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_type *type,
                                              const tirbi_relax_held *destination) {
    if (!(type = tirbi_relax_shaped(l, type))) return NULL;
    if (type->kind == TIRB_RELAX_TYPE_TUPLE) {
        const tirbi_relax_held **fields = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_held *, type->n_fields);
        for (uint32_t i = 0; fields && i < type->n_fields; i++) {
            const bool given = destination && destination->kind == TIRBI_RELAX_HELD_TUPLE && i < destination->n;
            fields[i] = tirbi_relax_make_room(l, span, type->fields[i], given ? destination->fields[i] : NULL);
            if (!fields[i]) return NULL;
        }
        return fields ? hold_tuple(l, fields, type->n_fields) : NULL;
    }
    if (type->kind != TIRB_RELAX_TYPE_TENSOR || !type->has_shape || !tirb_relax_knows_dtype(type)) {
        tirbi_relax_refuse_here(l, span,
                                "this is not lowered yet: the shape or the type of its value is known only "
                                "when it is computed");
        return NULL;
    }
    if (!has_sizes(l, span, type->shape, (uint32_t)type->ndim)) return NULL;
    if (!(type = tirbi_relax_name_sizes(l, span, type))) return NULL;
    if (l->group && !(type = tirbi_relax_type_inside(l, span, type))) return NULL;
    if (destination && destination->kind == TIRBI_RELAX_HELD_TENSOR &&
        tirb_datatype_equal(destination->buffer->dtype, type->dtype) && has_shape(l, destination->buffer, type))
        return destination;
    return hold_tensor(l, tirbi_relax_allocate(l, span, type->dtype, type->shape, (uint32_t)type->ndim));
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

bool tirbi_relax_emit_call(tirbi_relax_lowering *l, tirbi_span span, const tirb_primfunc *f,
                           const tirbi_relax_held *const *args, uint32_t n) {
    const tirb_expr **values = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, n);
    tirb_buffer_region *passed = TIRBI_NEW_ARRAY(l->arena, tirb_buffer_region, n);
    if (!values || !passed) return false;
    if (n != f->n_params)
        return tirbi_relax_refuse_here(l, span, "`%s` takes %u arguments, %u given", f->name, (unsigned)f->n_params,
                                       (unsigned)n);
    for (uint32_t i = 0; i < n; i++) {
        const bool is_tensor = args[i]->kind == TIRBI_RELAX_HELD_TENSOR && f->buffers[i];
        if (is_tensor) passed[i].buffer = args[i]->buffer;
        values[i] = is_tensor ? tirbi_make_data(&l->b, span, args[i]->buffer) : args[i]->scalar;
        if (!values[i])
            return !l->arena->failed && tirbi_relax_refuse_here(l, span, "argument %u of `%s` is no value of its type",
                                                                (unsigned)i, f->name);
    }
    const tirb_expr *call = tirbi_make_function_call(&l->b, span, f, values, passed, n);
    if (call) tirbi_emit_evaluate(&l->b, span, call);
    l->called = f->name;
    l->n_calls++;
    return call != NULL;
}

static bool flatten(tirbi_relax_lowering *l, const tirbi_relax_held *h, tirbi_list *out) {
    if (h->kind == TIRBI_RELAX_HELD_TUPLE) {
        for (uint32_t i = 0; i < h->n; i++)
            if (!flatten(l, h->fields[i], out)) return false;
        return true;
    }
    for (uint32_t i = 0; h->kind == TIRBI_RELAX_HELD_SHAPE && i < h->n; i++) {
        const tirbi_relax_held **slot = TIRBI_LIST_ADD(l->arena, out, const tirbi_relax_held *);
        if (!slot || !(*slot = hold_scalar(l, h->dims[i]))) return false;
    }
    if (h->kind == TIRBI_RELAX_HELD_SHAPE) return true;
    const tirbi_relax_held **slot = TIRBI_LIST_ADD(l->arena, out, const tirbi_relax_held *);
    if (slot) *slot = h;
    return slot != NULL;
}

static bool has_parts(const tirbi_relax_lowering *l, const tirbi_relax_held *h) {
    return h->kind == TIRBI_RELAX_HELD_TENSOR && tirbi_relax_has_parts(l, h->buffer);
}

static bool is_constant(const tirbi_relax_lowering *l, const tirbi_relax_held *h) {
    const constant_buffer *items = l->constants.items;
    for (uint32_t i = 0; i < l->constants.n; i++)
        if (h->kind == TIRBI_RELAX_HELD_TENSOR && items[i].held->buffer->data == h->buffer->data) return true;
    return false;
}

const tirbi_relax_held *tirbi_relax_room_of_result(tirbi_relax_lowering *l, tirbi_span span,
                                                   const tirb_relax_type *type, const tirbi_relax_held **given,
                                                   const tirbi_relax_held *wanted) {
    /* What is constant stays so, and what has parts that may be read yet: a copy is written. */
    if (given && !is_constant(l, *given) && !has_parts(l, *given)) return *given;
    const tirbi_relax_held *out = tirbi_relax_make_room(l, span, type, wanted);
    if (!out || !given) return out;
    if (!tirbi_relax_emit_copy(l, span, *given, out)) return NULL;
    return *given = out;
}

/* call_tir and call_tir_inplace: the arguments, then the results that are not one of them. */
static const tirbi_relax_held *lower_call_tir(tirbi_relax_lowering *l, const tirb_relax_expr *e,
                                              const tirbi_relax_held *destination) {
    const tirb_relax_expr *callee = e->as.call.args[0];
    const bool in_place = tirb_relax_is_call(e, TIRB_RELAX_CALL_TIR_INPLACE);
    const tirbi_relax_held *given = tirbi_relax_held_of(l, e->as.call.args[1]);
    tirbi_list args = {.n = 0}, outs = {.n = 0};
    if (!given || callee->kind != TIRB_RELAX_GLOBAL || !callee->as.global.primfunc) {
        if (given) tirbi_relax_refuse_here(l, e->span, "what is called here is no PrimFunc of the module");
        return NULL;
    }
    if (!flatten(l, given, &args)) return NULL;
    const uint32_t n_given = args.n;
    const tirb_relax_type *const *types = e->as.call.types;
    const tirb_relax_attr *places = in_place ? tirbi_relax_attr_of(e, "inplace_indices") : NULL;
    for (uint32_t i = 0; i < e->as.call.n_types; i++) {
        const int64_t place = places && i < places->as.list.n ? places->as.list.items[i].as.integer : -1;
        const tirbi_relax_held *wanted = destination;
        if (destination && destination->kind == TIRBI_RELAX_HELD_TUPLE) wanted = destination->fields[i];
        const bool is_given = place >= 0 && place < (int64_t)n_given;
        const tirbi_relax_held **given_at = is_given ? &((const tirbi_relax_held **)args.items)[place] : NULL;
        const tirbi_relax_held *out = tirbi_relax_room_of_result(l, e->span, types[i], given_at, wanted);
        const tirbi_relax_held **slot = out ? TIRBI_LIST_ADD(l->arena, &outs, const tirbi_relax_held *) : NULL;
        if (!slot) return NULL;
        *slot = out;
        if (place < 0 && !flatten(l, out, &args)) return NULL;
    }
    if (!tirbi_relax_emit_call(l, e->span, callee->as.global.primfunc, args.items, args.n)) return NULL;
    return outs.n == 1 ? *(const tirbi_relax_held *const *)outs.items : hold_tuple(l, outs.items, outs.n);
}

static const tirb_relax_type *result_type(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_type *t);

/* Element `i` of what a function has handed out; a number has no dimensions. */
static const tirb_expr *handed_number(tirbi_relax_lowering *l, tirbi_span span, const tirb_buffer *of, int64_t i) {
    const tirb_expr **at = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, of->ndim);
    if (!at || (of->ndim > 0 && !(at[0] = tirbi_make_int(&l->b, span, tirbi_type_i64, i)))) return NULL;
    const tirb_expr *value = tirbi_make_load(&l->b, span, of, at, of->ndim, NULL);
    return value ? tirbi_relax_let(l, span, "n", value) : NULL;
}

/* Numbers and shapes, which a function hands out as tensors (result_type), are themselves again. */
static const tirbi_relax_held *handed_out(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_type *t,
                                          const tirbi_relax_held *h) {
    if (t->kind == TIRB_RELAX_TYPE_TUPLE) {
        const tirbi_relax_held **fields = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_held *, t->n_fields);
        for (uint32_t i = 0; fields && i < t->n_fields; i++)
            if (!(fields[i] = handed_out(l, span, t->fields[i], h->fields[i]))) return NULL;
        return fields ? hold_tuple(l, fields, t->n_fields) : NULL;
    }
    if (t->kind == TIRB_RELAX_TYPE_PRIM) {
        const tirb_expr *value = handed_number(l, span, h->buffer, 0);
        return value ? hold_scalar(l, value) : NULL;
    }
    if (t->kind != TIRB_RELAX_TYPE_SHAPE) return h;
    const tirb_expr **dims = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, (uint32_t)t->ndim);
    for (int32_t i = 0; dims && i < t->ndim; i++)
        if (!(dims[i] = handed_number(l, span, h->buffer, i))) return NULL;
    return dims ? hold_shape(l, dims, (uint32_t)t->ndim) : NULL;
}

static const tirbi_relax_held *lower_function_call(tirbi_relax_lowering *l, const tirb_relax_expr *e,
                                                   const tirbi_relax_held *destination) {
    const tirb_relax_expr *callee = e->as.call.callee;
    const bool is_global = callee->kind == TIRB_RELAX_GLOBAL;
    const tirb_primfunc *primfunc = is_global ? callee->as.global.primfunc : NULL;
    if (!primfunc && (!is_global || !callee->as.global.function)) {
        tirbi_relax_refuse_here(l, e->span, "calls of closures are not lowered yet");
        return NULL;
    }
    if (!primfunc && l->is_left_out[callee->as.global.function->index]) {
        tirbi_relax_refuse_here(l, e->span, "`%s`, which is called here, is left out",
                                callee->as.global.function->name);
        return NULL;
    }
    tirbi_list args = {.n = 0};
    for (uint32_t i = 0; i < e->as.call.n_args; i++) {
        const tirbi_relax_held *arg = tirbi_relax_held_of(l, e->as.call.args[i]);
        if (!arg || !flatten(l, arg, &args)) return NULL;
    }
    if (primfunc) /* it writes some of its arguments */
        return tirbi_relax_emit_call(l, e->span, primfunc, args.items, args.n) ? hold_tuple(l, NULL, 0) : NULL;
    const tirb_relax_expr *known = tirbi_relax_known_call(l, e);
    const tirb_relax_type *type = known ? result_type(l, e->span, known->type) : NULL;
    const tirbi_relax_held *result = type ? tirbi_relax_make_room(l, e->span, type, destination) : NULL;
    if (!result || !flatten(l, result, &args)) return NULL;
    const tirb_primfunc *f = l->lowered[callee->as.global.function->index];
    if (!tirbi_relax_emit_call(l, e->span, f, args.items, args.n)) return NULL;
    return handed_out(l, e->span, known->type, result);
}

/* ---- Bindings --------------------------------------------------------------------------------------------------- */

/* What is to be lowered yet: the bindings of a sequence from one on, then its value. */
typedef struct rest {
    const tirb_relax_seq *seq;
    uint32_t block, binding;
    tirbi_span span;
    const tirbi_relax_held *wanted; /* where the value is delivered; NULL: it is what `var` is in `behind` */
    const tirb_relax_binding *bound;
    const struct rest *behind;
    uint32_t now;   /* the number of the binding that `behind` begins after */
    bool is_second; /* `behind` has been lowered once, in another branch */
} rest;

static bool lower_rest(tirbi_relax_lowering *l, const rest *r);

bool tirbi_relax_assert_size(tirbi_relax_lowering *l, tirbi_span span, const tirb_expr *wanted, const tirb_expr *found,
                             const char *text) {
    tirb_stmt *assert = tirbi_make_stmt(&l->b, span, TIRB_STMT_ASSERT);
    if (!assert) return false;
    assert->as.assert_.condition = tirbi_make_compare(&l->b, span, TIRB_EXPR_EQ, found, wanted);
    assert->as.assert_.error_kind = "ShapeError";
    assert->as.assert_.message = tirbi_make_string(&l->b, span, text, (uint32_t)strlen(text));
    if (!assert->as.assert_.condition || !assert->as.assert_.message) return false;
    tirbi_relax_emit_scope(l, assert, NULL);
    return true;
}

/* The same of a dimension. */
static bool assert_dim(tirbi_relax_lowering *l, tirbi_span span, const tirb_expr *wanted, const tirb_expr *found,
                       uint32_t dim, const char *what) {
    const char *text = tirbi_arena_format(l->arena, "%s: shape[%u]", what, (unsigned)dim);
    return text && tirbi_relax_assert_size(l, span, wanted, found, text);
}

/* Makes the tensor a result, whose sizes are those that it has. */
static bool hand_out(tirbi_relax_lowering *l, tirbi_span span, const tirb_buffer *value,
                     const tirbi_relax_held *wanted) {
    const uint32_t n = value->ndim + 3;
    const tirb_expr **args = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, n);
    if (!args || value->ndim != wanted->buffer->ndim)
        return args && tirbi_relax_refuse_here(l, span, "its value has another number of dimensions than its type");
    args[0] = tirbi_make_string(&l->b, span, TIRBI_RESULT_NAME, sizeof TIRBI_RESULT_NAME - 1);
    args[1] = tirbi_make_int(&l->b, span, tirbi_type_i32, wanted->open - 1);
    for (uint32_t i = 0; i < value->ndim; i++) args[2 + i] = value->shape[i];
    args[n - 1] = tirbi_make_data(&l->b, span, value);
    const tirb_expr *call = tirbi_make_call(&l->b, span, tirbi_type_void, TIRB_BUILTIN_CALL_EXTERN, args, n);
    if (call) tirbi_emit_evaluate(&l->b, span, call);
    return call != NULL;
}

/* Puts a value where it is wanted, if it is not there. */
static bool deliver(tirbi_relax_lowering *l, tirbi_span span, const tirbi_relax_held *value,
                    const tirbi_relax_held *wanted) {
    if (value->kind == TIRBI_RELAX_HELD_TUPLE && wanted->kind == TIRBI_RELAX_HELD_TUPLE && value->n == wanted->n) {
        for (uint32_t i = 0; i < value->n; i++)
            if (!deliver(l, span, value->fields[i], wanted->fields[i])) return false;
        return true;
    }
    if (wanted->kind != TIRBI_RELAX_HELD_TENSOR)
        return tirbi_relax_refuse_here(l, span, "a value of this type is not lowered yet");
    if (value->kind == TIRBI_RELAX_HELD_SHAPE) {
        for (uint32_t i = 0; i < value->n; i++) {
            const tirb_expr **at = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, 1);
            if (!at || !(at[0] = tirbi_make_int(&l->b, span, tirbi_type_i64, i))) return false;
            tirbi_emit_store(&l->b, span, wanted->buffer, value->dims[i], at, 1, NULL);
        }
        return true;
    }
    if (value->kind == TIRBI_RELAX_HELD_SCALAR) {
        tirbi_emit_store(&l->b, span, wanted->buffer, value->scalar, NULL, 0, NULL);
        return true;
    }
    if (value->kind == TIRBI_RELAX_HELD_TENSOR && value->buffer == wanted->buffer) return true;
    if (value->kind == TIRBI_RELAX_HELD_TENSOR && wanted->open) return hand_out(l, span, value->buffer, wanted);
    if (value->kind != TIRBI_RELAX_HELD_TENSOR) return false;
    for (uint32_t i = 0; i < value->buffer->ndim && i < wanted->buffer->ndim; i++) {
        const tirb_expr *size = wanted->buffer->shape[i], *found = entry_dim(l, value->buffer->shape[i]);
        if (!found || (!tirbi_expr_equal(found, size) && !assert_dim(l, span, size, found, i, "the result")))
            return false;
    }
    return tirbi_relax_emit_copy(l, span, value, wanted);
}

static const tirb_expr *condition_of(tirbi_relax_lowering *l, const tirb_relax_expr *e) {
    const tirbi_relax_held *h = tirbi_relax_held_of(l, e);
    if (!h) return NULL;
    const tirb_expr *value = h->scalar;
    if (h->kind == TIRBI_RELAX_HELD_TENSOR) {
        const tirb_expr **at = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, h->buffer->ndim);
        for (uint32_t i = 0; at && i < h->buffer->ndim; i++)
            if (!(at[i] = tirbi_make_int(&l->b, e->span, tirbi_type_i64, 0))) return NULL;
        value = at ? tirbi_make_load(&l->b, e->span, h->buffer, at, h->buffer->ndim, NULL) : NULL;
    }
    if (!value || tirbi_type_is_bool(value->dtype)) return value;
    const tirb_expr *zero = tirbi_make_number(&l->b, e->span, value->dtype, 0);
    return zero ? tirbi_make_compare(&l->b, e->span, TIRB_EXPR_NE, value, zero) : NULL;
}

static bool lower_branch(tirbi_relax_lowering *l, const rest *r, tirb_stmt *stmt, bool then) {
    const uint32_t depth = l->b.frames.n, n_constants = l->constants.n, n_outer = l->n_outer_scopes;
    const uint32_t n_scopes = l->scopes.n, n_known = l->known.n, n_sizes = l->sizes.n;
    const uint32_t n_temporaries = l->memory.temporaries.n;
    if (!tirbi_frame_push(&l->b, then ? TIRBI_FRAME_THEN : TIRBI_FRAME_ELSE, stmt, r->span)) return false;
    l->n_outer_scopes = n_scopes;
    const bool done = lower_rest(l, r);
    while (l->b.frames.n > depth && !l->arena->failed) tirbi_frame_pop(&l->b);
    tirbi_relax_leave_branch(l, n_temporaries);
    l->constants.n = n_constants;
    l->known.n = n_known;
    l->sizes.n = n_sizes;
    l->scopes.n = n_scopes;
    l->n_outer_scopes = n_outer;
    return done;
}

static tirb_stmt *make_if(tirbi_relax_lowering *l, const tirb_relax_expr *e) {
    tirb_stmt *stmt = tirbi_make_stmt(&l->b, e->span, TIRB_STMT_IF);
    return stmt && (stmt->as.if_.condition = condition_of(l, e->as.if_.condition)) ? stmt : NULL;
}

static const tirbi_relax_held *lower_if(tirbi_relax_lowering *l, const tirb_relax_expr *e,
                                        const tirbi_relax_held *destination) {
    tirb_stmt *stmt = make_if(l, e);
    const tirbi_relax_held *result = stmt ? tirbi_relax_make_room(l, e->span, e->type, destination) : NULL;
    if (!result) return NULL;
    tirbi_relax_hold_memory(l); /* either branch may write it */
    rest branch = {.seq = e->as.if_.then_case, .span = e->span, .wanted = result};
    if (!lower_branch(l, &branch, stmt, true)) return NULL;
    branch.seq = e->as.if_.else_case;
    return lower_branch(l, &branch, stmt, false) ? result : NULL;
}

/* R.assert_op: an assertion, whose message is the format as it stands. */
static const tirbi_relax_held *lower_assert(tirbi_relax_lowering *l, const tirb_relax_expr *e) {
    const tirb_expr *condition = condition_of(l, e->as.call.args[0]);
    tirb_stmt *assert = condition ? tirbi_make_stmt(&l->b, e->span, TIRB_STMT_ASSERT) : NULL;
    static const char unsaid[] = "R.assert_op";
    const char *text = unsaid;
    uint32_t size = sizeof unsaid - 1;
    if (!assert) return NULL;
    for (uint32_t i = 1; i < e->as.call.n_args; i++) {
        const tirb_relax_expr *arg = e->as.call.args[i];
        if (arg->kind != TIRB_RELAX_STRING || arg->as.string.size == 0) continue;
        text = arg->as.string.text;
        size = arg->as.string.size;
    }
    assert->as.assert_.condition = condition;
    assert->as.assert_.error_kind = "AssertionError";
    if (!(assert->as.assert_.message = tirbi_make_string(&l->b, e->span, text, size))) return NULL;
    tirbi_relax_emit_scope(l, assert, NULL);
    return hold_tuple(l, NULL, 0);
}

/* R.print computes nothing, and there is nowhere to print. */
static const tirbi_relax_held *leave_out_print(tirbi_relax_lowering *l, const tirb_relax_expr *e) {
    const tirbi_span *told = l->printed.items;
    for (uint32_t i = 0; i < l->printed.n; i++)
        if (told[i].begin == e->span.begin) return hold_tuple(l, NULL, 0);
    tirbi_span *slot = TIRBI_LIST_ADD(l->arena, &l->printed, tirbi_span);
    if (!slot) return NULL;
    *slot = e->span;
    tirbi_report_warning(l->diagnostics, e->span,
                         "a bundle prints nothing: `R.print` is left out; R.call_packed calls a function of the host, "
                         "which may print");
    return hold_tuple(l, NULL, 0);
}

static const tirbi_relax_held *lower_value(tirbi_relax_lowering *l, const tirb_relax_expr *e,
                                           const tirbi_relax_held *destination) {
    switch (e->kind) {
    case TIRB_RELAX_CALL:
        if (tirb_relax_is_call(e, TIRB_RELAX_ASSERT_OP)) return lower_assert(l, e);
        if (tirb_relax_is_call(e, TIRB_RELAX_PRINT)) return leave_out_print(l, e);
        if (tirbi_relax_is_host_call(e)) return tirbi_relax_call_host(l, e, destination);
        if (!e->as.call.op) return lower_function_call(l, e, destination);
        if (tirb_relax_is_call(e, TIRB_RELAX_CALL_TIR) || tirb_relax_is_call(e, TIRB_RELAX_CALL_TIR_INPLACE))
            return lower_call_tir(l, e, destination);
        return tirbi_relax_legalise(l, e, destination);
    case TIRB_RELAX_IF:
        return lower_if(l, e, destination);
    case TIRB_RELAX_TUPLE_GET: {
        const tirbi_relax_held *tuple = tirbi_relax_held_of(l, e->as.get.tuple);
        if (tuple && tuple->kind == TIRBI_RELAX_HELD_TUPLE && e->as.get.index < tuple->n)
            return tuple->fields[e->as.get.index];
        if (tuple) tirbi_relax_refuse_here(l, e->span, "the fields of this value are not lowered yet");
        return NULL;
    }
    case TIRB_RELAX_FUNCTION: {
        tirbi_relax_held *h = tirbi_relax_hold(l, TIRBI_RELAX_HELD_FUNCTION);
        if (h) h->function = e->as.function;
        return h;
    }
    default:
        return tirbi_relax_held_of(l, e);
    }
}

/* A variable of a size that a cast first names is what the tensor has; one that is known is compared. */
static bool check_dim(tirbi_relax_lowering *l, tirbi_span span, const tirb_expr *wanted, const tirb_expr *found,
                      uint32_t dim, const char *what) {
    if (tirbi_expr_equal(wanted, found)) return true;
    const tirb_expr *const *items = l->known.items;
    bool is_known = is_bound_at_entry(l, wanted);
    for (uint32_t i = 0; i < l->known.n; i++) is_known = is_known || items[i] == wanted;
    if (wanted->kind == TIRB_EXPR_VAR && !is_known) {
        tirb_stmt *let = tirbi_make_stmt(&l->b, span, TIRB_STMT_LET);
        const tirb_expr **slot = TIRBI_LIST_ADD(l->arena, &l->known, const tirb_expr *);
        if (!let || !slot) return false;
        *slot = wanted;
        let->as.let.var = wanted;
        let->as.let.value = found;
        tirbi_relax_emit_scope(l, let, NULL);
        return true;
    }
    return assert_dim(l, span, wanted, found, dim, what);
}

/* `what` is cast, for messages. */
static const tirbi_relax_held *cast_value(tirbi_relax_lowering *l, tirbi_span span, const char *what,
                                          const tirb_relax_type *type, const tirbi_relax_held *h) {
    if (type->kind == TIRB_RELAX_TYPE_TUPLE && h->kind == TIRBI_RELAX_HELD_TUPLE && type->n_fields == h->n) {
        const tirbi_relax_held **fields = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_held *, h->n);
        for (uint32_t i = 0; fields && i < h->n; i++)
            if (!(fields[i] = cast_value(l, span, what, type->fields[i], h->fields[i]))) return NULL;
        return fields ? hold_tuple(l, fields, h->n) : NULL;
    }
    const bool is_tensor = h->kind == TIRBI_RELAX_HELD_TENSOR, is_shape = h->kind == TIRBI_RELAX_HELD_SHAPE;
    if (!type->has_shape || (!is_tensor && !is_shape)) return h;
    const tirb_expr *const *dims = is_tensor ? h->buffer->shape : h->dims;
    const uint32_t n = is_tensor ? h->buffer->ndim : h->n;
    if (n != (uint32_t)type->ndim) {
        tirbi_relax_refuse_here(l, span, "the value has %u dimensions, its type %d", (unsigned)n, (int)type->ndim);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!check_dim(l, span, type->shape[i], dims[i], i, what)) return NULL;
    if (is_shape) return hold_shape(l, type->shape, n);
    return hold_tensor(l, tirbi_relax_view(l, span, h->buffer, h->buffer->dtype, type->shape, n));
}

/* What a value is kept in is in use until its variable is. */
static void keep(tirbi_relax_lowering *l, const tirbi_relax_held *h, uint32_t last) {
    if (h->kind == TIRBI_RELAX_HELD_TUPLE)
        for (uint32_t i = 0; i < h->n; i++) keep(l, h->fields[i], last);
    if (h->kind != TIRBI_RELAX_HELD_TENSOR) return;
    tirbi_relax_use_memory(l, h->buffer, last > l->now ? last : l->now);
    tirbi_relax_scope *scopes = l->scopes.items;
    for (uint32_t i = 0; i < l->scopes.n; i++)
        if (scopes[i].buffer && tirbi_relax_same_memory(l, scopes[i].buffer, h->buffer) && scopes[i].last < last)
            scopes[i].last = last;
}

/* Constants and views that nothing uses any more end here: so many may be one in the other, and a model has many. */
static void close_scopes(tirbi_relax_lowering *l) {
    const tirbi_relax_scope *items = l->scopes.items;
    uint32_t first = l->scopes.n;
    while (first > l->n_outer_scopes && items[first - 1].buffer && items[first - 1].last <= l->now) first--;
    if (first == l->scopes.n) return;
    for (uint32_t i = first; i < l->scopes.n; i++) l->constants.n -= items[i].is_constant;
    tirbi_close_scopes(&l->b, items[first].item);
    l->scopes.n = first;
}

/* The variable is the value from here on. */
static bool bind(tirbi_relax_lowering *l, const tirb_relax_binding *b, const tirbi_relax_held *value) {
    if (b->kind == TIRB_RELAX_MATCH_CAST) {
        const char *what =
            tirbi_arena_format(l->arena, b->is_argument ? "the argument `%s`" : "match_cast of `%s`", b->var->name);
        if (!what || !(value = cast_value(l, b->span, what, b->cast, value))) return false;
    }
    if (b->var->scalar && value->kind == TIRBI_RELAX_HELD_SCALAR && b->var->scalar != value->scalar) {
        tirb_stmt *let = tirbi_make_stmt(&l->b, b->span, TIRB_STMT_LET);
        if (!let) return false;
        let->as.let.var = b->var->scalar;
        let->as.let.value = value->scalar;
        tirbi_relax_emit_scope(l, let, NULL);
        value = hold_scalar(l, b->var->scalar);
    }
    l->held[b->var->id] = value;
    if (value) keep(l, value, l->last_use[b->var->id]);
    close_scopes(l);
    return value != NULL;
}

static bool lower_binding(tirbi_relax_lowering *l, const tirb_relax_binding *b) {
    const uint32_t n_calls = l->n_calls;
    const tirbi_relax_held *value = lower_value(l, b->value, tirbi_relax_destination_of(l, b->var));
    if (!value) return false;
    if (b->value->kind == TIRB_RELAX_CALL)
        tirbi_relax_note(l, (tirbi_relax_outcome){b, value, l->n_calls > n_calls ? l->called : NULL});
    return bind(l, b, value);
}

/* Operators that are one function are computed where the last of them stands; each by itself where that cannot be. */
static bool lower_group(tirbi_relax_lowering *l, const tirbi_relax_group *group) {
    const tirb_relax_var *var = group->bindings[group->n - 1]->var;
    const tirbi_relax_held *value = tirbi_relax_lower_group(l, group, tirbi_relax_destination_of(l, var));
    if (!value) {
        l->reason = NULL;
        for (uint32_t i = 0; i < group->n; i++)
            if (!lower_binding(l, group->bindings[i])) return false;
        return !l->arena->failed;
    }
    for (uint32_t i = 0; i < group->n; i++)
        tirbi_relax_note(l, (tirbi_relax_outcome){group->bindings[i], i + 1 == group->n ? value : NULL, l->called});
    l->held[var->id] = value;
    keep(l, value, l->last_use[var->id]);
    close_scopes(l);
    return true;
}

/* ---- Branches whose values have no room before them -------------------------------------------------------------- */

/* Whether all that the type says is known before a value of it is computed. */
static bool has_room(tirbi_relax_lowering *l, const tirb_relax_type *t) {
    if (!(t = tirbi_relax_shaped(l, t))) return true; /* out of memory, which is told elsewhere */
    for (uint32_t i = 0; t->kind == TIRB_RELAX_TYPE_TUPLE && i < t->n_fields; i++)
        if (!has_room(l, t->fields[i])) return false;
    return t->kind == TIRB_RELAX_TYPE_TUPLE ||
           (t->kind == TIRB_RELAX_TYPE_TENSOR && t->has_shape && tirb_relax_knows_dtype(t));
}

static bool is_sized_if(tirbi_relax_lowering *l, const tirb_relax_expr *e) {
    return e->kind == TIRB_RELAX_IF && (!has_room(l, e->type) || tirbi_relax_is_trimmed(l, e));
}

/* As many as lower_rest and find_uses_of_seq count. */
static uint32_t count_bindings(const tirbi_relax_lowering *l, const tirb_relax_seq *seq) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < seq->n_blocks; i++)
        for (uint32_t k = 0; k < seq->blocks[i].n_bindings && tirbi_arena_work(l->arena, 1); k++) {
            const tirb_relax_expr *e = seq->blocks[i].bindings[k].value;
            n++;
            if (e->kind == TIRB_RELAX_IF)
                n += count_bindings(l, e->as.if_.then_case) + count_bindings(l, e->as.if_.else_case);
        }
    return n;
}

/* What a branch gives is as large as the branch says, so what follows stands in each of them. */
static bool lower_sized_if(tirbi_relax_lowering *l, const tirb_relax_binding *b, const rest *behind) {
    enum { MOST = 64 };
    const tirb_relax_expr *e = b->value;
    tirb_stmt *stmt = make_if(l, e);
    if (!stmt) return false;
    if (++l->n_ways > MOST)
        return tirbi_relax_refuse_here(l, e->span,
                                       "more than %d ways through branches that give values of unknown sizes", MOST);
    const uint32_t begin = l->now, middle = begin + count_bindings(l, e->as.if_.then_case);
    rest branch = {.seq = e->as.if_.then_case, .span = e->span, .bound = b, .behind = behind};
    branch.now = middle + count_bindings(l, e->as.if_.else_case);
    if (!lower_branch(l, &branch, stmt, true)) return false;
    l->now = middle;
    branch.seq = e->as.if_.else_case;
    branch.is_second = true;
    return lower_branch(l, &branch, stmt, false);
}

static bool finish_rest(tirbi_relax_lowering *l, const rest *r) {
    l->now++;
    const tirbi_relax_held *value = tirbi_relax_held_of(l, r->seq->body);
    if (!value || r->wanted) return value && deliver(l, r->span, value, r->wanted);
    tirbi_list *const notes = l->notes;
    l->now = r->now;
    if (r->is_second) l->notes = NULL;
    const bool done = bind(l, r->bound, value) && lower_rest(l, r->behind);
    l->notes = notes;
    return done;
}

static bool lower_rest(tirbi_relax_lowering *l, const rest *r) {
    rest behind = *r;
    for (uint32_t i = r->block; i < r->seq->n_blocks; i++) {
        const bool begins = i != r->block || r->binding == 0;
        if (begins && l->fuses && !l->has_copies && r->seq->blocks[i].dataflow &&
            !tirbi_relax_find_joins(l, &r->seq->blocks[i]))
            return false;
        for (uint32_t k = i == r->block ? r->binding : 0; k < r->seq->blocks[i].n_bindings; k++) {
            const tirb_relax_binding *b = &r->seq->blocks[i].bindings[k];
            const tirbi_relax_group *group = l->groups[b->var->id];
            l->now++;
            if (!group && is_sized_if(l, b->value)) {
                behind.block = i;
                behind.binding = k + 1;
                return lower_sized_if(l, b, &behind);
            }
            if (!group && !lower_binding(l, b)) return false;
            if (group && group->bindings[group->n - 1] == b && !lower_group(l, group)) return false;
        }
    }
    return finish_rest(l, r);
}

/* ---- Uses ------------------------------------------------------------------------------------------------------- */

static void find_uses(tirbi_relax_lowering *l, const tirb_relax_expr *e);

static void find_uses_of_seq(tirbi_relax_lowering *l, const tirb_relax_seq *seq) {
    for (uint32_t i = 0; i < seq->n_blocks; i++) {
        if (l->fuses && seq->blocks[i].dataflow) tirbi_relax_group_block(l, &seq->blocks[i]);
        for (uint32_t k = 0; k < seq->blocks[i].n_bindings; k++) {
            const tirbi_relax_group *group = l->groups[seq->blocks[i].bindings[k].var->id];
            l->now++;
            const tirb_relax_binding *b = &seq->blocks[i].bindings[k];
            find_uses(l, b->value);
            for (uint32_t m = 0; group && group->bindings[group->n - 1] == &seq->blocks[i].bindings[k] && m < group->n;
                 m++)
                find_uses(l, group->bindings[m]->value);
        }
    }
    l->now++;
    find_uses(l, seq->body);
}

/* The number of the binding that last uses each variable; those of branches count as they come. */
static void find_uses(tirbi_relax_lowering *l, const tirb_relax_expr *e) {
    if (!tirbi_arena_work(l->arena, 1)) return;
    if (e->kind == TIRB_RELAX_VAR) l->last_use[e->as.var->id] = l->now;
    if (e->kind == TIRB_RELAX_TUPLE)
        for (uint32_t i = 0; i < e->as.tuple.n; i++) find_uses(l, e->as.tuple.items[i]);
    if (e->kind == TIRB_RELAX_TUPLE_GET) find_uses(l, e->as.get.tuple);
    if (e->kind == TIRB_RELAX_CALL)
        for (uint32_t i = 0; i < e->as.call.n_args; i++) find_uses(l, e->as.call.args[i]);
    if (e->kind == TIRB_RELAX_IF) {
        find_uses(l, e->as.if_.condition);
        find_uses_of_seq(l, e->as.if_.then_case);
        find_uses_of_seq(l, e->as.if_.else_case);
    }
}

/* The binding of a variable in a sequence; NULL: it is another's. */
static const tirb_relax_binding *binding_of(tirbi_relax_lowering *l, const tirb_relax_seq *seq,
                                            const tirb_relax_var *var) {
    for (uint32_t i = seq->n_blocks; i-- > 0;)
        for (uint32_t k = seq->blocks[i].n_bindings; k-- > 0;) {
            if (!tirbi_arena_work(l->arena, 1)) return NULL;
            if (seq->blocks[i].bindings[k].var == var) return &seq->blocks[i].bindings[k];
        }
    return NULL;
}

/* A result that one binding computes is computed in place: `wanted` is the destination of what the leaf names. */
static void send(tirbi_relax_lowering *l, const tirb_relax_seq *seq, const tirb_relax_expr *leaf,
                 const tirbi_relax_held *wanted) {
    while (leaf->kind == TIRB_RELAX_VAR) {
        const tirb_relax_binding *b = binding_of(l, seq, leaf->as.var);
        if (!b || l->destinations[b->var->id]) return;
        const bool names = b->value->kind == TIRB_RELAX_VAR || b->value->kind == TIRB_RELAX_TUPLE;
        if (b->kind != TIRB_RELAX_VAR_BINDING || !names) {
            l->destinations[b->var->id] = wanted;
            return;
        }
        leaf = b->value;
    }
    if (leaf->kind != TIRB_RELAX_TUPLE || wanted->kind != TIRBI_RELAX_HELD_TUPLE) return;
    for (uint32_t i = 0; i < leaf->as.tuple.n && i < wanted->n; i++)
        send(l, seq, leaf->as.tuple.items[i], wanted->fields[i]);
}

/* ---- Functions -------------------------------------------------------------------------------------------------- */

/* One more than the number of a name that is taken; 0: it is not. */
static uint32_t find_name(const tirbi_relax_lowering *l, const char *text) {
    const tirbi_relax_name *items = l->names.items;
    uint32_t probe = 0, found;
    while ((found = tirbi_index_next(&l->name_index, tirbi_text_hash(l, text, strlen(text)), &probe)) != 0)
        if (strcmp(items[found - 1].text, text) == 0) return found;
    return 0;
}

static bool take_name(tirbi_relax_lowering *l, const char *text) {
    tirbi_relax_name *added = TIRBI_LIST_ADD(l->arena, &l->names, tirbi_relax_name);
    if (added) *added = (tirbi_relax_name){.text = text};
    return added && tirbi_index_add(&l->name_index, l->arena, tirbi_text_hash(l, text, strlen(text)), l->names.n - 1);
}

const char *tirbi_relax_new_name(tirbi_relax_lowering *l, const char *base) {
    const uint32_t known = find_name(l, base);
    const char *name = base;
    while (known && name && (name == base || find_name(l, name)))
        name = tirbi_arena_format(l->arena, "%s%u", base,
                                  (unsigned)++((tirbi_relax_name *)l->names.items)[known - 1].last);
    return name && take_name(l, name) ? name : NULL;
}

typedef struct parameters {
    tirbi_list params;  /* of const tirb_expr * */
    tirbi_list buffers; /* of const tirb_buffer * */
    tirbi_list names;   /* of const char *: see tirb_primfunc */
} parameters;

static bool add_parameter(tirbi_relax_lowering *l, parameters *p, const tirb_expr *param, const tirb_buffer *buffer,
                          const char *name) {
    const tirb_expr **a = param ? TIRBI_LIST_ADD(l->arena, &p->params, const tirb_expr *) : NULL;
    const tirb_buffer **b = a ? TIRBI_LIST_ADD(l->arena, &p->buffers, const tirb_buffer *) : NULL;
    const char **c = b ? TIRBI_LIST_ADD(l->arena, &p->names, const char *) : NULL;
    if (!c) return false;
    *a = param;
    *b = buffer;
    *c = name;
    return true;
}

/* The dimensions of a type, new variables where it says their number alone. */
static const tirb_expr *const *dims_of(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_type *t) {
    if (t->has_shape) return t->shape;
    const tirb_expr **dims = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, (uint32_t)t->ndim);
    for (int32_t i = 0; dims && i < t->ndim; i++) {
        const char *name = tirbi_arena_format(l->arena, "d%d", (int)i);
        if (!name || !(dims[i] = tirbi_make_var(&l->b, span, name, tirbi_prim_type(tirbi_type_i64)))) return NULL;
    }
    return dims;
}

static bool has_parameter(const parameters *p, const tirb_expr *param) {
    const tirb_expr *const *items = p->params.items;
    for (uint32_t i = 0; i < p->params.n; i++)
        if (items[i] == param) return true;
    return false;
}

/* A number for each dimension, which callers know by its place. A dimension that is no variable, or is a parameter
 * already, is compared with what is given for it: see check_parameter. */
static const tirbi_relax_held *make_shape_parameter(tirbi_relax_lowering *l, parameters *p, tirbi_span span,
                                                    const char *name, const tirb_relax_type *t) {
    const tirb_expr *const *dims = dims_of(l, span, t);
    const tirb_expr **given = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, (uint32_t)t->ndim);
    for (int32_t i = 0; dims && given && i < t->ndim; i++) {
        const char *place = tirbi_arena_format(l->arena, "%s.%d", name, (int)i);
        if (!place) return NULL;
        const bool is_compared = dims[i]->kind != TIRB_EXPR_VAR || has_parameter(p, dims[i]);
        given[i] = is_compared ? tirbi_make_var(&l->b, span, place, tirbi_prim_type(tirbi_type_i64)) : dims[i];
        if (!given[i] || !add_parameter(l, p, given[i], NULL, place)) return NULL;
    }
    tirbi_relax_held *h = dims && given ? tirbi_relax_hold(l, TIRBI_RELAX_HELD_SHAPE) : NULL;
    if (h) h->dims = dims, h->given = given, h->n = (uint32_t)t->ndim;
    return h;
}

static const tirbi_relax_held *make_parameter(tirbi_relax_lowering *l, parameters *p, tirbi_span span, const char *name,
                                              const tirb_relax_type *t, const tirb_expr *scalar) {
    if (t->kind == TIRB_RELAX_TYPE_PRIM && scalar)
        return add_parameter(l, p, scalar, NULL, NULL) ? hold_scalar(l, scalar) : NULL;
    if (t->kind == TIRB_RELAX_TYPE_TUPLE) {
        const tirbi_relax_held **fields = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_held *, t->n_fields);
        for (uint32_t i = 0; fields && i < t->n_fields; i++) {
            const char *field = *name ? tirbi_arena_format(l->arena, "%s.%u", name, (unsigned)i)
                                      : tirbi_arena_format(l->arena, "%u", (unsigned)p->params.n);
            const tirb_expr *var = t->fields[i]->kind == TIRB_RELAX_TYPE_PRIM && *name && field
                                       ? tirbi_make_var(&l->b, span, field, tirbi_prim_type(t->fields[i]->dtype))
                                       : NULL;
            fields[i] = field ? make_parameter(l, p, span, field, t->fields[i], var) : NULL;
            if (!fields[i]) return NULL;
        }
        return fields ? hold_tuple(l, fields, t->n_fields) : NULL;
    }
    if (t->kind == TIRB_RELAX_TYPE_SHAPE && t->ndim >= 0) return make_shape_parameter(l, p, span, name, t);
    if (t->kind != TIRB_RELAX_TYPE_TENSOR || t->ndim < 0 || !tirb_relax_knows_dtype(t)) {
        tirbi_relax_refuse_here(l, span,
                                "`%s` is not lowered yet: neither its type nor a match_cast of it says the element "
                                "type and the number of dimensions of a tensor",
                                name);
        return NULL;
    }
    const tirb_expr *const *dims = dims_of(l, span, t);
    if (dims && !has_sizes(l, span, dims, (uint32_t)t->ndim)) return NULL;
    const tirb_buffer *buffer =
        dims ? tirbi_make_buffer(&l->b, span, name, t->dtype, dims, (uint32_t)t->ndim, "global") : NULL;
    if (!buffer) return NULL;
    const tirb_expr *var = tirbi_make_var(&l->b, span, name, tirbi_pointer_type(t->dtype, "global"));
    return add_parameter(l, p, var, buffer, NULL) ? hold_tensor(l, buffer) : NULL;
}

static const tirb_relax_type *tensor_type(tirbi_relax_lowering *l, tirb_datatype dtype, const tirb_expr *const *dims,
                                          int32_t ndim) {
    tirb_relax_type *t = TIRBI_NEW(l->arena, tirb_relax_type);
    if (t)
        *t = (tirb_relax_type){
            .kind = TIRB_RELAX_TYPE_TENSOR, .dtype = dtype, .ndim = ndim, .has_shape = true, .shape = dims};
    return t;
}

/* What a result is handed out as: numbers and shapes as tensors. */
static const tirb_relax_type *result_type(tirbi_relax_lowering *l, tirbi_span span, const tirb_relax_type *t) {
    if (t->kind == TIRB_RELAX_TYPE_PRIM)
        return tensor_type(l, t->dtype, TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, 0), 0);
    if (t->kind == TIRB_RELAX_TYPE_SHAPE && t->ndim >= 0) {
        const tirb_expr **dims = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, 1);
        if (!dims || !(dims[0] = tirbi_make_int(&l->b, span, tirbi_type_i64, t->ndim))) return NULL;
        return tensor_type(l, tirbi_type_i64, dims, 1);
    }
    if (t->kind != TIRB_RELAX_TYPE_TUPLE) return t;
    tirb_relax_type *tuple = TIRBI_NEW(l->arena, tirb_relax_type);
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(l->arena, const tirb_relax_type *, t->n_fields);
    for (uint32_t i = 0; fields && i < t->n_fields; i++)
        if (!(fields[i] = result_type(l, span, t->fields[i]))) return NULL;
    if (tuple && fields) *tuple = (tirb_relax_type){.kind = t->kind, .fields = fields, .n_fields = t->n_fields};
    return fields ? tuple : NULL;
}

/* The binding of what a leaf names, behind other names of it; *leaf: what that is in the end. NULL: a parameter, or no
 * name. */
static const tirb_relax_binding *binding_behind(tirbi_relax_lowering *l, const tirb_relax_function *f,
                                                const tirb_relax_expr **leaf) {
    const tirb_relax_binding *b = NULL;
    while (*leaf && (*leaf)->kind == TIRB_RELAX_VAR) {
        const tirb_relax_binding *next = binding_of(l, f->body, (*leaf)->as.var);
        if (!next) return NULL;
        b = next;
        if (b->kind != TIRB_RELAX_VAR_BINDING ||
            (b->value->kind != TIRB_RELAX_VAR && b->value->kind != TIRB_RELAX_TUPLE))
            break;
        *leaf = b->value;
    }
    return b;
}

/* The name of a result: what the function's attribute calls it or else its variable, where that is not taken, else its
 * number in the flattened result. */
static const char *name_result(tirbi_relax_lowering *l, const parameters *p, const tirb_relax_function *f,
                               const tirb_relax_expr *leaf, uint32_t number) {
    const bool is_var = leaf && leaf->kind == TIRB_RELAX_VAR && binding_of(l, f->body, leaf->as.var);
    const char *name = is_var && tirbi_relax_is_spelt(l, leaf->as.var) ? leaf->as.var->name : NULL;
    if (l->result_names.n > 0) name = tirbi_relax_given_name(l, number);
    const tirb_expr *const *params = p->params.items;
    for (uint32_t i = 0; name && i < p->params.n; i++)
        if (strcmp(params[i]->as.var.name, name) == 0) name = NULL;
    return name ? name : tirbi_arena_format(l->arena, "%u", (unsigned)number);
}

static void refuse_result(tirbi_relax_lowering *l, const tirb_relax_function *f, const tirb_relax_expr *leaf,
                          uint32_t number) {
    const tirb_relax_binding *b = binding_behind(l, f, &leaf);
    const tirb_relax_operator *op = b && b->value->kind == TIRB_RELAX_CALL ? b->value->as.call.op : NULL;
    if (op)
        tirbi_relax_refuse_here(l, b->span,
                                "result %u of `%s` is not lowered yet: the shape of what `R.%s` gives is known only "
                                "when it is computed",
                                (unsigned)number, f->name, op->name);
    else
        tirbi_relax_refuse_here(l, f->span,
                                "result %u of `%s` is not lowered yet: its shape does not follow from the parameters",
                                (unsigned)number, f->name);
}

/* Whether the parameters say all sizes of a type. */
static bool knows_shape(tirbi_relax_lowering *l, const tirb_relax_type *t) {
    for (int32_t i = 0; i < t->ndim; i++) {
        const tirb_expr *dim = entry_dim(l, t->shape[i]);
        if (!dim || !is_bound_at_entry(l, dim)) return false;
    }
    return true;
}

/* A result some of whose sizes the function decides: variables that are nothing else. */
static const tirbi_relax_held *make_open_result(tirbi_relax_lowering *l, parameters *p, const tirb_relax_function *f,
                                                const tirb_relax_type *t, const char *name, uint32_t number,
                                                bool is_trimmed) {
    const tirb_expr **dims = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, (uint32_t)t->ndim);
    for (int32_t i = 0; dims && i < t->ndim; i++) {
        const tirb_expr *known = t->has_shape && !is_trimmed ? entry_dim(l, t->shape[i]) : NULL;
        dims[i] = known && !tirbi_relax_is_long_dim(known) && is_bound_at_entry(l, known) ? known : NULL;
        if (dims[i]) continue;
        const char *text =
            known && known->kind == TIRB_EXPR_VAR ? known->as.var.name : tirbi_arena_format(l->arena, "n%d", (int)i);
        if (!text || !(dims[i] = tirbi_make_var(&l->b, f->span, text, tirbi_prim_type(tirbi_type_i64)))) return NULL;
    }
    const tirb_relax_type *type = dims && name ? tensor_type(l, t->dtype, dims, t->ndim) : NULL;
    const tirbi_relax_held *made = type ? make_parameter(l, p, f->span, name, type, NULL) : NULL;
    tirbi_relax_held *open = made ? tirbi_relax_hold(l, TIRBI_RELAX_HELD_TENSOR) : NULL;
    if (!open) return NULL;
    *open = *made;
    open->open = number + 1;
    return open;
}

/* `leaf`: what the result is in the body, as far as the text says. */
static const tirbi_relax_held *make_results(tirbi_relax_lowering *l, parameters *p, const tirb_relax_function *f,
                                            const tirb_relax_type *t, const tirb_relax_expr *leaf, uint32_t *number) {
    if (t->kind == TIRB_RELAX_TYPE_TUPLE) {
        const tirbi_relax_held **fields = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_held *, t->n_fields);
        binding_behind(l, f, &leaf);
        const bool is_tuple = leaf && leaf->kind == TIRB_RELAX_TUPLE && leaf->as.tuple.n == t->n_fields;
        const tirb_relax_expr *whole = leaf && tirbi_relax_is_trimmed(l, leaf) ? leaf : NULL;
        for (uint32_t i = 0; fields && i < t->n_fields; i++) {
            const tirb_relax_expr *item = is_tuple ? leaf->as.tuple.items[i] : whole;
            if (!(fields[i] = make_results(l, p, f, t->fields[i], item, number))) return NULL;
        }
        return fields ? hold_tuple(l, fields, t->n_fields) : NULL;
    }
    if (!(t = tirbi_relax_shaped(l, t))) return NULL;
    const bool has_shape = t->kind == TIRB_RELAX_TYPE_TENSOR && t->has_shape && !tirbi_relax_is_long(t);
    if (t->kind == TIRB_RELAX_TYPE_TENSOR && t->ndim > 0 && tirb_relax_knows_dtype(t) &&
        (!has_shape || !knows_shape(l, t) || (leaf && tirbi_relax_is_trimmed(l, leaf)))) {
        const char *open = name_result(l, p, f, leaf, *number);
        return make_open_result(l, p, f, t, open, (*number)++, leaf && tirbi_relax_is_trimmed(l, leaf));
    }
    const tirb_expr **dims = TIRBI_NEW_ARRAY(l->arena, const tirb_expr *, has_shape ? (uint32_t)t->ndim : 0);
    for (int32_t i = 0; dims && has_shape && i < t->ndim; i++)
        if (!(dims[i] = entry_dim(l, t->shape[i]))) return NULL;
    if (!dims) return NULL;
    if (t->kind != TIRB_RELAX_TYPE_TENSOR) {
        tirbi_relax_refuse_here(l, leaf ? leaf->span : f->span,
                                "result %u of `%s` is no tensor, number or shape: a bundle has no other values",
                                (unsigned)*number, f->name);
        return NULL;
    }
    if (!has_shape || !all_bound_at_entry(l, dims, (uint32_t)t->ndim)) {
        refuse_result(l, f, leaf, *number);
        return NULL;
    }
    const char *name = name_result(l, p, f, leaf, (*number)++);
    const tirb_relax_type *type = tensor_type(l, t->dtype, dims, t->ndim);
    return name && type ? make_parameter(l, p, f->span, name, type, NULL) : NULL;
}

static bool is_parameter(const tirb_relax_function *f, const tirb_relax_var *var) {
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i] == var) return true;
    return false;
}

/* Notes which sizes casts of parameters name. */
static bool note_casts(tirbi_relax_lowering *l, const tirb_relax_function *f) {
    l->cast_vars = l->cast_dims = (tirbi_list){.n = 0};
    for (uint32_t i = 0; i < f->body->n_blocks; i++) {
        for (uint32_t k = 0; k < f->body->blocks[i].n_bindings; k++) {
            const tirb_relax_binding *b = &f->body->blocks[i].bindings[k];
            const bool casts = b->kind == TIRB_RELAX_MATCH_CAST && b->value->kind == TIRB_RELAX_VAR;
            const tirb_relax_var *var = casts && is_parameter(f, b->value->as.var) ? b->value->as.var : NULL;
            const tirbi_relax_held *h = var ? l->held[var->id] : NULL;
            if (!h || h->kind != TIRBI_RELAX_HELD_TENSOR || !b->cast->has_shape ||
                h->buffer->ndim != (uint32_t)b->cast->ndim)
                continue;
            for (uint32_t d = 0; d < h->buffer->ndim; d++) {
                const tirb_expr *size = b->cast->shape[d], *known = entry_dim(l, size);
                if (!known || size->kind != TIRB_EXPR_VAR || known != size || is_bound_at_entry(l, size)) continue;
                const tirb_expr **name = TIRBI_LIST_ADD(l->arena, &l->cast_vars, const tirb_expr *);
                const tirb_expr **dim = TIRBI_LIST_ADD(l->arena, &l->cast_dims, const tirb_expr *);
                if (!name || !dim) return false;
                *name = size;
                *dim = h->buffer->shape[d];
            }
        }
    }
    return !l->arena->failed;
}

/* Which results are open; false when memory ran out. */
static bool note_open(tirbi_relax_lowering *l, const tirbi_relax_held *results, tirb_primfunc *f) {
    tirbi_list all = {.n = 0};
    if (!flatten(l, results, &all)) return false;
    bool *is_open = TIRBI_NEW_ARRAY(l->arena, bool, all.n);
    bool any = false;
    for (uint32_t i = 0; is_open && i < all.n; i++)
        any |= is_open[i] = ((const tirbi_relax_held *const *)all.items)[i]->open != 0;
    if (any) f->is_open = is_open;
    return is_open != NULL;
}

/* What a function takes, and then what it gives, before any body names it. */
static bool declare_parameters(tirbi_relax_lowering *l, const tirb_relax_function *f, parameters *p) {
    l->function = f;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirb_relax_var *v = f->params[i];
        const tirb_relax_type *type = tirbi_relax_parameter_type(l, f, v);
        l->held[v->id] = type ? make_parameter(l, p, v->span, v->name, type, v->scalar) : NULL;
        if (!l->held[v->id]) return false;
    }
    return true;
}

static const tirbi_relax_held *declare(tirbi_relax_lowering *l, const tirb_relax_function *f, parameters *p,
                                       tirb_primfunc *out) {
    l->function = f;
    const tirb_relax_type *type = tirbi_relax_result_type(l, f);
    if (type) type = result_type(l, f->span, type);
    uint32_t number = 0;
    const uint32_t n_arguments = p->params.n;
    if (!note_casts(l, f) || !tirbi_relax_read_names(l, f)) return NULL;
    const tirbi_relax_held *results = type ? make_results(l, p, f, type, f->body->body, &number) : NULL;
    if (!results || !tirbi_relax_check_names(l, f, number)) return NULL;
    *out = (tirb_primfunc){.name = f->name,
                           .global_symbol = f->global_symbol,
                           .is_private = !f->global_symbol,
                           .s_tir = true,
                           .params = p->params.items,
                           .buffers = p->buffers.items,
                           .n_params = p->params.n,
                           .param_names = p->names.items,
                           .n_results = p->params.n - n_arguments,
                           .ret_type = {.kind = TIRB_TYPE_TUPLE, .dtype = tirbi_type_void, .scope = ""},
                           .span = f->span};
    return note_open(l, results, out) ? results : NULL;
}

/* Compares the dimensions that a shape's type says with those that are given. */
static bool check_parameter(tirbi_relax_lowering *l, tirbi_span span, const tirbi_relax_held *h, const char *name) {
    for (uint32_t i = 0; h->kind == TIRBI_RELAX_HELD_TUPLE && i < h->n; i++) {
        const char *field = tirbi_arena_format(l->arena, "%s.%u", name, (unsigned)i);
        if (!field || !check_parameter(l, span, h->fields[i], field)) return false;
    }
    const char *what = tirbi_arena_format(l->arena, "the argument `%s`", name);
    for (uint32_t i = 0; h->given && i < h->n; i++)
        if (!what || !check_dim(l, span, h->dims[i], h->given[i], i, what)) return false;
    return what != NULL;
}

/* Room for what is known of each variable. */
static bool make_tables(tirbi_relax_lowering *l) {
    const uint32_t n = l->n_relax_vars, had = l->n_table;
    if (n <= had && l->held) return true;
    tirbi_relax_lowering grown = *l;
    grown.n_table = n + n / 2;
    grown.held = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_held *, grown.n_table);
    grown.destinations = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_held *, grown.n_table);
    grown.joined = TIRBI_NEW_ARRAY(l->arena, tirbi_relax_joined, grown.n_table);
    grown.last_use = TIRBI_NEW_ARRAY(l->arena, uint32_t, grown.n_table);
    grown.groups = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_group *, grown.n_table);
    grown.node_of = TIRBI_NEW_ARRAY(l->arena, uint32_t, grown.n_table);
    grown.is_trimmed = TIRBI_NEW_ARRAY(l->arena, bool, grown.n_table);
    grown.types = TIRBI_NEW_ARRAY(l->arena, const tirb_relax_type *, grown.n_table);
    if (!grown.types || !grown.is_trimmed || !grown.held || !grown.destinations || !grown.joined || !grown.last_use ||
        !grown.groups || !grown.node_of)
        return false;
    if (had) {
        memcpy(grown.held, l->held, had * sizeof(*l->held));
        memcpy(grown.destinations, l->destinations, had * sizeof(*l->destinations));
        memcpy(grown.joined, l->joined, had * sizeof(*l->joined));
        memcpy(grown.last_use, l->last_use, had * sizeof(*l->last_use));
        memcpy(grown.groups, l->groups, had * sizeof(*l->groups));
        memcpy(grown.node_of, l->node_of, had * sizeof(*l->node_of));
        memcpy(grown.types, l->types, had * sizeof(*l->types));
        memcpy(grown.is_trimmed, l->is_trimmed, had * sizeof(*l->is_trimmed));
    }
    *l = grown;
    return true;
}

static bool lower_body(tirbi_relax_lowering *l, const tirb_relax_function *f, tirb_primfunc *out,
                       const tirbi_relax_held *results) {
    l->function = f;
    if (!(f = tirbi_relax_inline(l, f)) || !(f = l->function = tirbi_relax_lay_out_weights(l, f)) || !make_tables(l))
        return false;
    l->has_copies = tirbi_relax_writes_unseen(l, f);
    tirbi_relax_find_trimmed(l, f->body);
    l->constants = l->scopes = l->outcomes = l->known = l->sizes = (tirbi_list){.n = 0};
    tirbi_relax_memory_begin(l);
    l->n_outer_scopes = l->n_ways = 0;
    if (!note_casts(l, f)) return false;
    l->now = 0;
    find_uses_of_seq(l, f->body);
    l->now = 0;
    send(l, f->body, f->body->body, results);
    if (!tirbi_frame_push(&l->b, TIRBI_FRAME_FUNCTION, NULL, f->span)) return false;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (!check_parameter(l, f->params[i]->span, l->held[f->params[i]->id], f->params[i]->name)) return false;
    const rest whole = {.seq = f->body, .span = f->span, .wanted = results};
    if (!lower_rest(l, &whole) || !tirbi_relax_memory_finish(l)) return false;
    if (l->notes) tirbi_relax_explain(l);
    while (l->b.frames.n > 1 && !l->arena->failed) tirbi_frame_pop(&l->b);
    tirbi_function_finish(&l->b, out);
    return !l->arena->failed;
}

/* A function that is not lowered is left out of the bundle, and those that call it; of a module that has nothing else
 * this is an error. */
static void leave_out(tirbi_relax_lowering *l, const tirb_relax_function *f) {
    l->is_left_out[f->index] = true;
    if (l->arena->failed || tirbi_has_errors(l->diagnostics)) return;
    if (!l->reason) {
        tirbi_report_unexplained(l->diagnostics, f->span, "a function");
        return;
    }
    uint32_t left = l->module->n_functions;
    for (uint32_t i = 0; i < l->module->n_relax; i++) left += !l->is_left_out[i];
    if (left > 0 && !f->global_symbol && tirbi_relax_needs_call(l, f)) return; /* it stands where it is called */
    if (left > 0)
        tirbi_report_warning(l->diagnostics, l->place, "`%s` is left out of the bundle: %s", f->name, l->reason);
    else
        tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, l->place, "%s", l->reason);
}

static bool add_function(tirbi_relax_lowering *l, tirb_primfunc *f) {
    tirb_primfunc **slot = TIRBI_LIST_ADD(l->arena, &l->functions, tirb_primfunc *);
    if (slot) *slot = f;
    return slot != NULL;
}

/* Whether a function is there only where it is called: a caller outside makes the results whose sizes it decides. */
static bool is_inlined(const tirbi_relax_lowering *l, uint32_t i) {
    return l->lowered[i]->is_open && !l->module->relax[i]->global_symbol;
}

/* One round over what is not left out yet; *again: something has been. */
static bool lower_round(tirbi_relax_lowering *l, const tirbi_relax_held **results, bool *again) {
    const tirb_irmodule *m = l->module;
    l->functions = l->operators = l->names = (tirbi_list){.n = 0};
    l->operator_index = l->name_index = (tirbi_index){.n = 0};
    *again = false;
    if (l->notes) l->notes->n = 0;
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (!add_function(l, m->functions[i]) || !take_name(l, m->functions[i]->name)) return false;
    for (uint32_t i = 0; i < m->n_relax; i++)
        if (!take_name(l, m->relax[i]->name)) return false;
    memset(l->destinations, 0, l->n_table * sizeof(*l->destinations));
    memset(l->joined, 0, l->n_table * sizeof(*l->joined));
    for (uint32_t i = 0; i < m->n_relax && !l->arena->failed; i++) {
        if (l->is_left_out[i] || is_inlined(l, i)) continue;
        l->reason = NULL;
        if (lower_body(l, m->relax[i], l->lowered[i], results[i])) {
            if (!add_function(l, l->lowered[i])) return false;
            continue;
        }
        leave_out(l, m->relax[i]);
        while (l->b.frames.n > 0 && !l->arena->failed) tirbi_frame_pop(&l->b);
        *again = true;
    }
    return !l->arena->failed && !tirbi_has_errors(l->diagnostics);
}

static bool lower_functions(tirbi_relax_lowering *l) {
    const tirb_irmodule *m = l->module;
    const tirbi_relax_held **results = TIRBI_NEW_ARRAY(l->arena, const tirbi_relax_held *, m->n_relax);
    parameters *p = TIRBI_NEW_ARRAY(l->arena, parameters, m->n_relax);
    if (!results || !p) return false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < m->n_relax; i++) more |= tirbi_relax_find_trimmed(l, m->relax[i]->body);
    }
    for (uint32_t i = 0; i < m->n_relax && !l->arena->failed; i++) {
        if (!(l->lowered[i] = TIRBI_NEW(l->arena, tirb_primfunc))) return false;
        l->reason = NULL;
        if (!declare_parameters(l, m->relax[i], &p[i])) leave_out(l, m->relax[i]);
    }
    for (uint32_t i = 0; i < m->n_relax && !l->arena->failed; i++) {
        if (l->is_left_out[i]) continue;
        l->reason = NULL;
        if (!(results[i] = declare(l, m->relax[i], &p[i], l->lowered[i]))) leave_out(l, m->relax[i]);
    }
    bool again = true;
    while (again && !tirbi_has_errors(l->diagnostics))
        if (!lower_round(l, results, &again)) return false;
    return !l->arena->failed && !tirbi_has_errors(l->diagnostics);
}

const tirb_irmodule *tirbi_relax_lower(const tirb_irmodule *module, bool fuse, tirbi_relax_notes *notes,
                                       tirbi_arena *arena, tirbi_diagnostics *diagnostics) {
    if (module->n_relax == 0) return module;
    tirbi_relax_lowering l = {.arena = arena, .diagnostics = diagnostics, .module = module, .fuses = fuse};
    tirbi_list noted = {.n = 0};
    if (notes) l.notes = &noted;
    tirb_irmodule *grown = TIRBI_NEW(arena, tirb_irmodule);
    tirbi_builder_init(&l.b, arena, diagnostics);
    l.b.n_vars = module->n_vars;
    l.b.n_buffers = module->n_buffers;
    l.n_relax_vars = module->n_relax_vars;
    l.texts = tirbi_relax_read_texts(arena, diagnostics);
    if (!grown || !l.texts || !(module = l.module = tirbi_relax_lift(&l, module))) return NULL;
    l.lowered = TIRBI_NEW_ARRAY(arena, tirb_primfunc *, module->n_relax);
    if (!l.lowered || !make_tables(&l)) return NULL;
    l.is_left_out = TIRBI_NEW_ARRAY(arena, bool, module->n_relax);
    l.result_types = TIRBI_NEW_ARRAY(arena, const tirb_relax_type *, module->n_relax);
    if (!l.is_left_out || !l.result_types) return NULL;
    if (!lower_functions(&l)) return NULL;
    if (notes) *notes = (tirbi_relax_notes){noted.items, noted.n};
    *grown = *module;
    grown->functions = l.functions.items;
    grown->n_functions = l.functions.n;
    grown->n_vars = l.b.n_vars;
    grown->n_buffers = l.b.n_buffers;
    grown->relax = NULL;
    grown->n_relax = 0;
    for (uint32_t i = 0; i < l.functions.n; i++) ((tirb_primfunc *const *)l.functions.items)[i]->index = i;
    return arena->failed ? NULL : grown;
}
