/* Pointers: which buffer's memory an expression of handle type points into, and where. All of it is known when the
 * program is compiled but the number of the element. */
#include "compiler/lower/lower.h"

enum { MAX_STEPS = 64 };

static bool unknown(tirbi_lowerer *l, const tirb_expr *e, tirbi_span span) {
    tirbi_report_error(l->diagnostics, TIRB_UNSUPPORTED, e->kind == TIRB_EXPR_VAR ? span : e->span,
                       "this pointer does not come from a buffer of this function: its memory is not known");
    return false;
}

/* The element that a buffer's data pointer points to: its elem_offset before the element 0 of its indices. */
static bool at_data(tirbi_lowerer *l, const tirb_buffer *buffer, tirbi_pointer *out) {
    tirbi_lbuf *b = buffer->id < l->n_buffers ? l->buffers[buffer->id] : NULL;
    if (!b || b->local) return false;
    *out = (tirbi_pointer){.memory = b->root, .offset = b->offset ? b->offset : tirbi_lx_number(l->pool, 0)};
    if (b->resized) out->offset = b->resized->first;
    if (buffer->elem_offset && out->offset && !b->resized) {
        const tirbi_lx *first = tirbi_lower_index(l, buffer->elem_offset, NULL);
        out->offset = first ? tirbi_lx_sub(l->pool, out->offset, first) : NULL;
    }
    return out->offset != NULL;
}

/* Moves a pointer by `count` elements of `size` bytes; what is no whole number of the memory's elements is an error. */
static bool advance(tirbi_lowerer *l, tirbi_pointer *p, const tirbi_lx *count, int64_t size, tirbi_span span) {
    int64_t own = tirbi_dtypes[p->memory->type].size;
    if (!count) return false;
    const tirbi_lx *bytes = tirbi_lx_mul(l->pool, count, tirbi_lx_number(l->pool, size));
    const tirbi_lx *unit = tirbi_lx_number(l->pool, own);
    if (!bytes || !unit) return false;
    const tirbi_lx *steps = size == own ? count : tirbi_lx_wide(l->pool, TIRB_OP_FLOORDIV, bytes, unit);
    if (size % own != 0 && own != 1) {
        const tirbi_lx *rest = tirbi_lx_wide(l->pool, TIRB_OP_FLOORMOD, bytes, unit);
        const tirbi_lx *zero = tirbi_lx_number(l->pool, 0);
        const tirbi_lx *whole = tirbi_lx_wide(l->pool, TIRB_OP_EQ, rest, zero);
        if (!whole) return false;
        if (!tirbi_lx_is_int(whole, 1)) {
            tirbi_ls *check = tirbi_append(l, TIRBI_LS_ASSERT, span);
            check->as.assert_.condition = whole;
            check->as.assert_.error_kind = "ValueError";
            check->as.assert_.message = "a pointer is moved by bytes that are no whole elements of its memory";
        }
    }
    p->offset = steps ? tirbi_lx_add(l->pool, p->offset, steps) : NULL;
    return p->offset != NULL;
}

static bool element_bytes(tirbi_lowerer *l, tirb_datatype type, tirbi_span span, int64_t *out) {
    tirbi_dtype machine;
    if (!tirbi_machine_type(l, tirbi_type_element(type), span, &machine)) return false;
    *out = (int64_t)tirbi_dtypes[machine].size * type.lanes;
    return true;
}

static bool at_element(tirbi_lowerer *l, const tirb_expr *load, tirbi_span span, tirbi_pointer *out) {
    const tirbi_place *place = tirbi_lower_place(l, load->as.load.buffer, load->as.load.indices,
                                                 load->as.load.n_indices, tirbi_lx_number(l->pool, 0), span);
    if (!place) return false;
    const tirbi_lbuf *b = place->buffer;
    if (b->local) return false;
    *out = (tirbi_pointer){.memory = b->root, .offset = b->resized ? b->resized->first : place->flat};
    return !b->resized || advance(l, out, place->flat, tirbi_dtypes[b->type].size, span);
}

/* One step from a pointer expression towards its buffer: true with `*next` where there is one more. */
static bool resolve(tirbi_lowerer *l, const tirb_expr *e, tirbi_span span, unsigned steps, tirbi_pointer *out) {
    int64_t size;
    if (steps == MAX_STEPS) return unknown(l, e, span);
    if (e->kind == TIRB_EXPR_VAR) {
        if (e->as.var.data_of) return at_data(l, e->as.var.data_of, out) || unknown(l, e, span);
        const tirbi_pointer *known = e->as.var.id < l->n_vars ? l->bindings[e->as.var.id].pointer : NULL;
        if (!known) return unknown(l, e, span);
        *out = *known;
        return known->memory != NULL; /* else its declaration is reported */
    }
    if (e->kind == TIRB_EXPR_CAST) return resolve(l, e->as.cast.value, span, steps + 1, out);
    if (e->kind == TIRB_EXPR_CALL && e->as.call.function) {
        const tirb_expr *base;
        const tirbi_lx *bytes;
        return tirbi_pointer_from_call(l, e, span, &base, &bytes) && resolve(l, base, span, steps + 1, out) &&
               advance(l, out, bytes, 1, span);
    }
    if (e->kind != TIRB_EXPR_CALL || e->as.call.function_name) return unknown(l, e, span);
    const tirb_expr *const *args = e->as.call.args;
    switch (e->as.call.builtin) {
    case TIRB_BUILTIN_BUFFER_DATA:
    case TIRB_BUILTIN_REINTERPRET: return resolve(l, args[0], span, steps + 1, out);
    case TIRB_BUILTIN_ADDRESS_OF:
        if (args[0]->kind == TIRB_EXPR_LOAD) return at_element(l, args[0], span, out) || unknown(l, e, span);
        return unknown(l, e, span);
    case TIRB_BUILTIN_HANDLE_ADD_BYTE_OFFSET:
        return resolve(l, args[0], span, steps + 1, out) &&
               advance(l, out, tirbi_lower_index(l, args[1], NULL), 1, span);
    case TIRB_BUILTIN_PTR_BYTE_OFFSET:
        return resolve(l, args[0], span, steps + 1, out) &&
               advance(l, out, tirbi_lower_index(l, args[1], NULL), 1, span);
    case TIRB_BUILTIN_TVM_ACCESS_PTR:
        if (!resolve(l, args[1], span, steps + 1, out) || !element_bytes(l, args[0]->dtype, span, &size)) return false;
        if (!advance(l, out, tirbi_lower_index(l, args[2], NULL), size, span)) return false;
        out->count = size == (int64_t)tirbi_dtypes[out->memory->type].size ? tirbi_lower_index(l, args[3], NULL) : NULL;
        return true;
    default: return unknown(l, e, span);
    }
}

bool tirbi_lower_pointer(tirbi_lowerer *l, const tirb_expr *e, tirbi_span span, tirbi_pointer *out) {
    return resolve(l, e, span, 0, out);
}

const tirbi_lx *tirbi_hold(tirbi_lowerer *l, const char *name, const tirbi_lx *value, tirbi_span span) {
    if (!value || (value->pure && !value->traps && value->size <= TIRBI_MAX_SHARED_SIZE)) return value;
    tirbi_lvar *v = tirbi_new_var(l, name, TIRBI_LVAR_LET, (tirbi_dtype)value->type);
    if (!v) return NULL;
    v->lo = value->lo;
    v->hi = value->hi;
    tirbi_ls *set = tirbi_append(l, TIRBI_LS_SET, span);
    set->as.set.var = v;
    set->as.set.declares = true;
    set->as.set.value = value;
    return tirbi_lx_var(l->pool, v);
}

void tirbi_bind_pointer(tirbi_lowerer *l, const tirb_expr *var, const tirb_expr *value, tirbi_span span) {
    tirbi_pointer *p = TIRBI_NEW(l->arena, tirbi_pointer);
    if (!p || var->as.var.id >= l->n_vars) return;
    l->bindings[var->as.var.id] = (tirbi_binding){.pointer = p};
    if (!tirbi_lower_pointer(l, value, span, p)) {
        p->memory = NULL;
        return;
    }
    p->offset = tirbi_hold(l, var->as.var.name, p->offset, span);
    p->count = tirbi_hold(l, var->as.var.name, p->count, span);
    if (!p->offset) p->memory = NULL;
}
