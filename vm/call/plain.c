#include "vm/call/plain.h"

#include <string.h>

#include "vm/call/number.h"
#include "vm/call/strided.h"

/* All pairs of tensors are compared, and a call looks at its stop flag only afterwards. */
enum { MOST_TENSORS = 64 };

/* ---- Planning -------------------------------------------------------------------------------------------------- */

static int64_t most_of(tirbi_dtype type) {
    unsigned bits = tirbi_dtypes[type].bits - tirbi_dtype_is_signed(type);
    return bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
}

/* False: the extent is an expression, which is known only when all variables are. */
static bool plan_extent(const tirbi_function *f, const tirbi_dim *dim, const uint32_t *var_slots, bool *bound,
                        tirbi_plain_extent *out) {
    if (dim->n_terms != 1) return false;
    int64_t value = dim->terms[0].value;
    if (dim->terms[0].op != TIRBI_DIM_VAR) {
        *out = (tirbi_plain_extent){.kind = TIRBI_PLAIN_CONSTANT, .value = value};
        return true;
    }
    *out = (tirbi_plain_extent){.kind = bound[value] ? TIRBI_PLAIN_AGREES : TIRBI_PLAIN_BINDS,
                                .value = most_of((tirbi_dtype)f->vars[value].dtype),
                                .slot = var_slots[value]};
    bound[value] = true;
    return true;
}

void tirbi_plain_make(tirbi_arena *arena, const tirbi_function *f, const uint16_t *slots, const uint32_t *var_slots,
                      tirbi_plain *out) {
    uint32_t n_extents = 0;
    *out = (tirbi_plain){.applies = !f->is_packed && f->n_conditions == 0, .again = !f->is_packed};
    for (uint32_t i = 0; i < f->n_params; i++) {
        bool is_tensor = f->params[i].kind == TIRB_PARAM_TENSOR;
        if (is_tensor) n_extents += f->params[i].ndim;
        *(is_tensor ? &out->n_tensors : &out->n_scalars) += 1;
    }
    tirbi_plain_tensor *tensors = TIRBI_NEW_ARRAY(arena, tirbi_plain_tensor, out->n_tensors);
    tirbi_plain_extent *extents = TIRBI_NEW_ARRAY(arena, tirbi_plain_extent, n_extents);
    tirbi_plain_scalar *scalars = TIRBI_NEW_ARRAY(arena, tirbi_plain_scalar, out->n_scalars);
    bool *bound = TIRBI_NEW_ARRAY(arena, bool, f->n_vars);
    if (arena->failed) return;
    out->tensors = tensors;
    out->extents = extents;
    out->scalars = scalars;
    tirbi_plain_scalar *const all_scalars = scalars;
    if (out->n_tensors > MOST_TENSORS) out->applies = out->again = false;
    out->first_written = UINT32_MAX;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirbi_param *param = &f->params[i];
        if (param->kind != TIRB_PARAM_TENSOR) {
            *scalars++ = (tirbi_plain_scalar){.param = i, .slot = slots[i], .dtype = param->dtype};
            continue;
        }
        *tensors++ = (tirbi_plain_tensor){.type = tirbi_dtype_to_dl((tirbi_dtype)param->dtype),
                                          .param = i,
                                          .ndim = param->ndim,
                                          .item = tirbi_dtypes[param->dtype].size,
                                          .dtype = param->dtype,
                                          .written = (param->access & TIRBI_WRITE) != 0};
        if (param->has_strides || param->has_elem_offset || param->is_open) out->applies = out->again = false;
        if ((param->access & TIRBI_WRITE) && out->first_written == UINT32_MAX) out->first_written = slots[i];
        for (unsigned j = 0; j < param->ndim; j++)
            if (!plan_extent(f, &param->shape[j], var_slots, bound, extents++)) out->applies = false;
    }
    for (uint32_t v = 0; v < f->n_vars; v++) {
        if (!bound[v]) out->applies = false;
        const uint16_t param = f->vars[v].param;
        if (param != TIRBI_NO_REG) all_scalars[slots[param]].agrees = true;
    }
}

/* ---- Binding --------------------------------------------------------------------------------------------------- */

/* The number of elements; 0: an extent is not what it must be, or there are too many elements. */
static inline uint64_t bind_shape(const tirbi_plain_extent *extents, unsigned ndim, const int64_t *shape,
                                  uint64_t *scalars, int64_t *out) {
    uint64_t count = 1;
    for (unsigned j = 0; j < ndim; j++) {
        const tirbi_plain_extent *expected = &extents[j];
        int64_t found = out[j] = shape[j];
        if (found <= 0 || __builtin_mul_overflow(count, (uint64_t)found, &count)) return 0;
        if (expected->kind == TIRBI_PLAIN_CONSTANT) {
            if (found != expected->value) return 0;
        } else if (expected->kind == TIRBI_PLAIN_BINDS) {
            if (found > expected->value) return 0;
            scalars[expected->slot] = (uint64_t)found;
        } else if (scalars[expected->slot] != (uint64_t)found) {
            return 0;
        }
    }
    return count;
}

/* The product of the extents is known to fit an int64. */
static inline bool is_compact(const int64_t *strides, const int64_t *shape, unsigned ndim) {
    int64_t expected = 1;
    if (!strides) return true;
    for (unsigned j = ndim; j-- > 0; expected *= shape[j])
        if (shape[j] != 1 && strides[j] != expected) return false;
    return true;
}

static inline bool bind_tensor(const tirbi_plain_tensor *plain, const tirbi_plain_extent *extents, const tirb_arg *arg,
                               uint64_t *scalars, int64_t *shape, tirbi_ref *out) {
    if (arg->kind != TIRB_ARG_TENSOR || !arg->value.tensor) return false;
    if (arg->flags != 0 && (arg->flags != TIRB_ARG_READ_ONLY || plain->written)) return false;
    const DLTensor *t = arg->value.tensor;
    if (t->device.device_type != kDLCPU || t->ndim != plain->ndim ||
        memcmp(&t->dtype, &plain->type, sizeof t->dtype) != 0 || (!t->shape && plain->ndim))
        return false;
    uint8_t *data = t->data;
    uint64_t count = bind_shape(extents, plain->ndim, t->shape, scalars, shape), bytes;
    uintptr_t low, high;
    if (!data || count == 0 || __builtin_mul_overflow(count, (uint64_t)plain->item, &bytes) ||
        bytes > TIRBI_VIEW_FARTHEST || !is_compact(t->strides, shape, plain->ndim) ||
        __builtin_add_overflow((uintptr_t)data, t->byte_offset, &low) ||
        __builtin_add_overflow(low, (uintptr_t)bytes, &high))
        return false;
    *out = (tirbi_ref){.data = (uint8_t *)low, .size = bytes, .type = plain->dtype, .writable = plain->written};
    return true;
}

/* Whether reference `i` shares memory with one before it, and one of the two is written; the first that is written is
 * number `first`. */
static inline bool overlaps_earlier(const tirbi_ref *refs, uint32_t i, uint32_t first) {
    for (uint32_t j = refs[i].writable ? 0 : first; j < i; j++) {
        uintptr_t a = (uintptr_t)refs[i].data, b = (uintptr_t)refs[j].data;
        if (a < b + refs[j].size && b < a + refs[i].size && (refs[i].writable || refs[j].writable)) return true;
    }
    return false;
}

static bool bind_scalar(const tirbi_plain_scalar *plain, const tirb_arg *arg, uint64_t *scalars) {
    uint64_t *slot = &scalars[plain->slot];
    tirbi_dtype type = (tirbi_dtype)plain->dtype;
    if (plain->agrees)
        return arg->kind == TIRB_ARG_NONE || (arg->kind == TIRB_ARG_INT && (uint64_t)arg->value.i == *slot);
    if (tirbi_dtype_is_float(type)) {
        if (arg->kind != TIRB_ARG_FLOAT) return false;
        *slot = tirbi_number_from_double(type, arg->value.f);
        return true;
    }
    if (arg->kind != TIRB_ARG_INT || !tirbi_number_fits(type, arg->value.i)) return false;
    *slot = (uint64_t)arg->value.i;
    return true;
}

static inline bool bind_scalars(const tirbi_plain *plain, const tirb_arg *args, uint64_t *scalars) {
    for (uint32_t i = 0; i < plain->n_scalars; i++)
        if (!bind_scalar(&plain->scalars[i], &args[plain->scalars[i].param], scalars)) return false;
    return true;
}

/* Whether a tensor is what the one before it was, but for where its elements are. */
static inline bool is_same_shape(const tirbi_plain_tensor *plain, const DLTensor *t, const int64_t *shape) {
    if (t->device.device_type != kDLCPU || t->ndim != plain->ndim ||
        memcmp(&t->dtype, &plain->type, sizeof t->dtype) != 0 || (!t->shape && plain->ndim))
        return false;
    for (unsigned j = 0; j < plain->ndim; j++)
        if (t->shape[j] != shape[j]) return false;
    return is_compact(t->strides, shape, plain->ndim);
}

/* A scalar that extents depend on, and that tensors may not determine, must be what it was. */
static bool is_same_scalar(const tirbi_plain *plain, const tirbi_plain_scalar *scalar, const tirb_arg *arg,
                           const uint64_t *scalars) {
    return plain->applies || !scalar->agrees ||
           (arg->kind == TIRB_ARG_INT && (uint64_t)arg->value.i == scalars[scalar->slot]);
}

/* Whether the tensor is the one that was seen, in the same memory, of this shape: all of its fields are compared as
 * words, and what its shape leads to. What was not seen has a device of no type, which callers may have as well. */
static inline bool is_seen(const DLTensor *t, const DLTensor *seen, unsigned ndim, const int64_t *shape) {
    if (t->data != seen->data || t->byte_offset != seen->byte_offset || t->shape != seen->shape || t->strides ||
        t->ndim != seen->ndim || t->device.device_type != kDLCPU ||
        memcmp(&t->device, &seen->device, sizeof t->device) != 0 ||
        memcmp(&t->dtype, &seen->dtype, sizeof t->dtype) != 0)
        return false;
    for (unsigned j = 0; j < ndim; j++)
        if (t->shape[j] != shape[j]) return false;
    return true;
}

/* The reference of a tensor that is what the one before it was, but for where its elements are. */
static bool move_ref(const DLTensor *t, tirbi_ref *ref, bool *moved) {
    uintptr_t low, high;
    if (!t->data || __builtin_add_overflow((uintptr_t)t->data, t->byte_offset, &low)) return false;
    if (low == (uintptr_t)ref->data) return true;
    if (__builtin_add_overflow(low, (uintptr_t)ref->size, &high)) return false;
    ref->data = (uint8_t *)low;
    *moved = true;
    return true;
}

bool tirbi_plain_bind_again(const tirbi_plain *plain, const tirb_arg *args, tirbi_ref *refs, uint64_t *scalars,
                            const int64_t *shapes, DLTensor *seen, bool *same) {
    const uint32_t n = plain->n_tensors;
    bool moved = false;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_plain_tensor *tensor = &plain->tensors[i];
        const tirb_arg *arg = &args[tensor->param];
        const DLTensor *t = arg->value.tensor;
        if (arg->kind != TIRB_ARG_TENSOR || arg->flags != 0 || !t) return false;
        if (!is_seen(t, &seen[i], tensor->ndim, shapes)) {
            if (!is_same_shape(tensor, t, shapes) || !move_ref(t, &refs[i], &moved)) return false;
            seen[i] = *t;
            if (t->strides) seen[i].device = (DLDevice){0};
        }
        shapes += tensor->ndim;
    }
    *same = !moved;
    for (uint32_t i = 1; moved && i < n; i++)
        if (overlaps_earlier(refs, i, plain->first_written)) return false;
    for (uint32_t i = 0; i < plain->n_scalars; i++) {
        const tirbi_plain_scalar *scalar = &plain->scalars[i];
        const uint64_t before = scalars[scalar->slot];
        if (!is_same_scalar(plain, scalar, &args[scalar->param], scalars) ||
            !bind_scalar(scalar, &args[scalar->param], scalars))
            return false;
        *same = *same && scalars[scalar->slot] == before;
    }
    return true;
}

bool tirbi_plain_bind(const tirbi_plain *plain, const tirb_arg *args, tirbi_ref *refs, uint64_t *scalars,
                      int64_t *shapes) {
    if (!plain->applies) return false;
    const tirbi_plain_extent *extents = plain->extents;
    const uint32_t first_written = plain->first_written;
    for (uint32_t i = 0, n = plain->n_tensors; i < n; i++) {
        const tirbi_plain_tensor *tensor = &plain->tensors[i];
        if (!bind_tensor(tensor, extents, &args[tensor->param], scalars, shapes, &refs[i]) ||
            overlaps_earlier(refs, i, first_written))
            return false;
        extents += tensor->ndim;
        shapes += tensor->ndim;
    }
    return bind_scalars(plain, args, scalars);
}
