#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/relax/infer/infer.h"

const tirb_relax_type *tirbi_relax_fail(tirbi_relax_builder *b, const tirb_relax_expr *call, const char *format, ...) {
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    const char *name = call->as.call.op ? call->as.call.op->name : NULL;
    tirbi_report_error(b->diagnostics, TIRB_TYPE, b->at, "%s%s%s%s", name ? "R." : "", name ? name : "",
                       name ? ": " : "", message);
    return NULL;
}

/* The name of the i-th argument, by the table: attributes are none. */
const char *tirbi_relax_arg_name(tirbi_relax_builder *b, const tirb_relax_expr *call, uint32_t i) {
    tirbi_relax_parameter p[TIRBI_MAX_RELAX_PARAMETERS];
    uint32_t n = tirbi_relax_parameters(call->as.call.op, p);
    for (uint32_t j = 0; j < n; j++) {
        if (tirbi_relax_is_attr(&p[j])) continue;
        if (i-- == 0) return tirbi_arena_format(b->arena, "%.*s", (int)p[j].name_size, p[j].name);
    }
    return "argument";
}

const tirb_relax_type *tirbi_relax_tensor_arg(tirbi_relax_builder *b, const tirb_relax_expr *call, uint32_t i) {
    const tirb_relax_type *type = i < call->as.call.n_args ? call->as.call.args[i]->type : NULL;
    if (type && type->kind == TIRB_RELAX_TYPE_TENSOR) return type;
    return tirbi_relax_fail(b, call, "`%s` must be a tensor, not %s", tirbi_relax_arg_name(b, call, i),
                            type ? tirbi_relax_type_text(b, type) : "left out");
}

const tirb_relax_type *const *tirbi_relax_tensors_arg(tirbi_relax_builder *b, const tirb_relax_expr *call, uint32_t i,
                                                      uint32_t *n) {
    const tirb_relax_type *type = call->as.call.args[i]->type;
    bool good = type->kind == TIRB_RELAX_TYPE_TUPLE;
    for (uint32_t j = 0; good && j < type->n_fields; j++) good = type->fields[j]->kind == TIRB_RELAX_TYPE_TENSOR;
    *n = good ? type->n_fields : 0;
    if (good && *n > 0) return type->fields;
    tirbi_relax_fail(b, call, "`%s` must be a tuple of tensors, not %s", tirbi_relax_arg_name(b, call, i),
                     tirbi_relax_type_text(b, type));
    return NULL;
}

const tirb_expr *const *tirbi_relax_dims(const tirb_relax_type *type, uint32_t *n) {
    static const tirb_expr *const none[1] = {NULL};
    *n = type->ndim < 0 ? 0 : (uint32_t)type->ndim;
    if (!type->has_shape) return NULL;
    return *n ? type->shape : none;
}

bool tirbi_relax_axis(tirbi_relax_builder *b, const tirb_relax_expr *call, int64_t axis, int64_t ndim, uint32_t *out) {
    if (axis < -ndim || axis >= ndim) {
        tirbi_relax_fail(b, call, "the axis %lld is out of range for a tensor of %lld dimensions", (long long)axis,
                         (long long)ndim);
        return false;
    }
    *out = (uint32_t)(axis < 0 ? axis + ndim : axis);
    return true;
}

bool tirbi_relax_axes(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_relax_attr *attr, int64_t ndim,
                      uint32_t *out, uint32_t *n) {
    *n = 0;
    for (uint32_t i = 0; i < attr->as.list.n; i++) {
        uint32_t axis;
        if (!tirbi_relax_axis(b, call, attr->as.list.items[i].as.integer, ndim, &axis)) return false;
        for (uint32_t j = 0; j < *n; j++)
            if (out[j] == axis) {
                tirbi_relax_fail(b, call, "the axis %u is named twice", axis);
                return false;
            }
        if (*n == TIRBI_MAX_RELAX_RANK) {
            tirbi_relax_fail(b, call, "more than %d axes", (int)TIRBI_MAX_RELAX_RANK);
            return false;
        }
        out[(*n)++] = axis;
    }
    return true;
}

bool tirbi_relax_needs_float(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_relax_type *type) {
    char text[32];
    if (!tirb_relax_knows_dtype(type) || tirbi_type_is_float(type->dtype)) return true;
    tirbi_relax_fail(b, call, "the operator is for floats, not for %s", tirb_datatype_text(type->dtype, text));
    return false;
}

bool tirbi_relax_same_dtype(tirbi_relax_builder *b, const tirb_relax_expr *call, tirb_datatype x, tirb_datatype y,
                            tirb_datatype *out) {
    char left[32], right[32];
    *out = tirbi_type_void;
    if (x.bits == 0 || y.bits == 0) return true;
    if (!tirb_datatype_equal(x, y)) {
        tirbi_relax_fail(b, call, "the operands are of types %s and %s; R.astype(x, ...) converts",
                         tirb_datatype_text(x, left), tirb_datatype_text(y, right));
        return false;
    }
    *out = x;
    return true;
}

const tirb_expr **tirbi_relax_new_dims(tirbi_relax_builder *b, uint32_t n) {
    return TIRBI_NEW_ARRAY(b->arena, const tirb_expr *, (size_t)n + 1);
}

bool tirbi_relax_assume(tirbi_relax_builder *b, const tirb_expr *x, const tirb_expr *y) {
    if (tirbi_dim_equal(&b->dims, x, y)) return true;
    const tirb_expr **first = b->assumes ? TIRBI_LIST_ADD(b->arena, &b->assumed, const tirb_expr *) : NULL;
    const tirb_expr **second = first ? TIRBI_LIST_ADD(b->arena, &b->assumed, const tirb_expr *) : NULL;
    if (!second) return false;
    *first = x;
    *second = y;
    return true;
}

bool tirbi_relax_differ(tirbi_relax_builder *b, const tirb_expr *x, const tirb_expr *y) {
    if (tirbi_dim_apart(&b->dims, x, y)) return true;
    tirbi_relax_assume(b, x, y);
    return false;
}

bool tirbi_relax_broadcast(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_expr *const *x, uint32_t nx,
                           const tirb_expr *const *y, uint32_t ny, const tirb_expr ***out, uint32_t *n, bool *known) {
    *n = nx > ny ? nx : ny;
    *known = true;
    *out = tirbi_relax_new_dims(b, *n);
    if (!*out) return false;
    for (uint32_t i = 0; i < *n; i++) {
        const tirb_expr *left = i < nx ? x[nx - 1 - i] : NULL, *right = i < ny ? y[ny - 1 - i] : NULL;
        const tirb_expr **dim = &(*out)[*n - 1 - i];
        int64_t a, c;
        if (!left || !right) {
            *dim = left ? left : right;
            continue;
        }
        bool constant = tirbi_dim_const(left, &a), other = tirbi_dim_const(right, &c);
        if (constant && a == 1)
            *dim = right;
        else if (other && c == 1)
            *dim = left;
        else if (tirbi_dim_equal(&b->dims, left, right))
            *dim = left;
        else if (constant && other) {
            tirbi_relax_fail(b, call,
                             "the shapes do not broadcast: %lld and %lld elements in dimension %u from the last",
                             (long long)a, (long long)c, i + 1);
            return false;
        } else {
            *known = *known && tirbi_relax_assume(b, left, right);
            *dim = constant ? left : right;
        }
    }
    return true;
}

int64_t tirbi_relax_attr_int(const tirb_relax_expr *call, const char *name) {
    return tirbi_relax_attr_of(call, name)->as.integer;
}

bool tirbi_relax_attr_bool(const tirb_relax_expr *call, const char *name) {
    return tirbi_relax_attr_of(call, name)->as.boolean;
}

const char *tirbi_relax_attr_text(const tirb_relax_expr *call, const char *name) {
    const tirb_relax_attr *a = tirbi_relax_attr_of(call, name);
    return a->kind == TIRB_RELAX_ATTR_STRING ? a->as.text : "";
}

tirb_datatype tirbi_relax_attr_dtype(const tirb_relax_expr *call, const char *name, tirb_datatype otherwise) {
    const tirb_relax_attr *a = tirbi_relax_attr_of(call, name);
    return a->kind == TIRB_RELAX_ATTR_DTYPE ? a->as.dtype : otherwise;
}
