/* Operators that change shapes. */
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/relax/infer/infer.h"

typedef const tirb_relax_type *type;

static const tirb_expr *product(tirbi_relax_builder *b, const tirb_expr *const *dims, uint32_t n) {
    const tirb_expr *p = tirbi_dim(&b->dims, 1);
    for (uint32_t i = 0; i < n; i++) p = tirbi_dim_op(&b->dims, TIRB_EXPR_MUL, p, dims[i]);
    return p;
}

/* The shape that an argument is, or of SHAPE type; NULL after reporting that it is none. */
static type shape_arg(tirbi_relax_builder *b, const tirb_relax_expr *call, uint32_t i) {
    type t = call->as.call.args[i]->type;
    if (t->kind == TIRB_RELAX_TYPE_SHAPE) return t;
    return tirbi_relax_fail(b, call, "`%s` must be a shape, not %s", tirbi_relax_arg_name(b, call, i),
                            tirbi_relax_type_text(b, t));
}

/* A tensor of the shape that an argument gives, which may be a variable. */
static type shaped(tirbi_relax_builder *b, const tirb_relax_expr *shape, tirb_datatype dtype) {
    if (shape->kind == TIRB_RELAX_SHAPE) return tirbi_relax_tensor(b, shape->as.shape.values, shape->as.shape.n, dtype);
    tirb_relax_type *t = (tirb_relax_type *)tirbi_relax_tensor_of_rank(b, shape->type->ndim, dtype);
    if (t && shape->kind == TIRB_RELAX_VAR) t->shape_var = shape->as.var;
    return t;
}

/* ---- Reshaping --------------------------------------------------------------------------------------------------- */

/* -1 stands for what is left over, 0 for the operand's extent at that place. */
bool tirbi_relax_prepare_reshape(tirbi_relax_builder *b, tirb_relax_expr *call) {
    const tirb_relax_expr *shape = call->as.call.args[1];
    type x = call->as.call.args[0]->type;
    int64_t value;
    uint32_t n, open = 0, where = 0;
    bool changed = false;
    if (shape->kind != TIRB_RELAX_SHAPE || x->kind != TIRB_RELAX_TYPE_TENSOR) return true;
    uint32_t m = shape->as.shape.n;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n);
    const tirb_expr **out = tirbi_relax_new_dims(b, m), *rest = tirbi_dim(&b->dims, 1);
    const tirb_relax_expr **args = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_expr *, 2);
    if (!out || !args) return false;
    for (uint32_t i = 0; i < m; i++) {
        out[i] = shape->as.shape.values[i];
        bool constant = tirbi_dim_const(out[i], &value);
        if (constant && value < -1) return tirbi_relax_fail(b, call, "a dimension is %lld", (long long)value) != NULL;
        if (constant && value == -1) {
            open++;
            where = i;
            continue;
        }
        if (constant && value == 0) {
            if (!dims || i >= n)
                return tirbi_relax_fail(b, call, "dimension %u is 0, and the operand's is not known", i) != NULL;
            out[i] = dims[i];
            changed = true;
        }
        rest = tirbi_dim_op(&b->dims, TIRB_EXPR_MUL, rest, out[i]);
    }
    if (open > 1) return tirbi_relax_fail(b, call, "only one dimension may be -1") != NULL;
    if (open && !dims)
        return tirbi_relax_fail(b, call, "a dimension is -1, and the operand's shape is not known") != NULL;
    if (open) {
        const tirb_expr *all = product(b, dims, n);
        if (!all || !rest) return false;
        if (tirbi_dim_const(rest, &value) && value == 0)
            return tirbi_relax_fail(b, call, "a dimension is -1 beside one of 0") != NULL;
        out[where] = tirbi_dim_simplify(&b->dims, tirbi_dim_op(&b->dims, TIRB_EXPR_FLOORDIV, all, rest));
        changed = true;
    }
    if (!changed) return true;
    args[0] = call->as.call.args[0];
    args[1] = tirbi_relax_make_shape(b, shape->span, out, m);
    call->as.call.args = args;
    return args[1] != NULL;
}

type tirbi_relax_infer_reshape(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), shape = x ? shape_arg(b, call, 1) : NULL;
    uint32_t n, m;
    if (!shape) return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), *const *values = tirbi_relax_dims(shape, &m);
    if (dims && values) {
        const tirb_expr *before = product(b, dims, n), *after = product(b, values, m);
        if (!before || !after) return NULL;
        if (tirbi_dim_apart(&b->dims, before, after))
            return tirbi_relax_fail(b, call, "%s has another number of elements than %s", tirbi_relax_type_text(b, x),
                                    tirbi_relax_type_text(b, shape));
    }
    if (values) return tirbi_relax_tensor(b, values, m, x->dtype); /* also where a variable has the shape */
    return shaped(b, call->as.call.args[1], x->dtype);
}

type tirbi_relax_infer_flatten(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    uint32_t n;
    if (!x) return NULL;
    if (x->ndim == 1) return x;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = tirbi_relax_new_dims(b, 1);
    if (!dims || !out) return tirbi_relax_tensor_of_rank(b, 1, x->dtype);
    out[0] = product(b, dims, n);
    return tirbi_relax_tensor(b, out, 1, x->dtype);
}

type tirbi_relax_infer_batch_flatten(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    uint32_t n;
    if (!x) return NULL;
    if (x->ndim >= 0 && x->ndim < 2)
        return tirbi_relax_fail(b, call, "the operand has %d dimensions; it needs 2", x->ndim);
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = tirbi_relax_new_dims(b, 2);
    if (!dims || !out) return tirbi_relax_tensor_of_rank(b, 2, x->dtype);
    out[0] = dims[0];
    out[1] = product(b, dims + 1, n - 1);
    return tirbi_relax_tensor(b, out, 2, x->dtype);
}

type tirbi_relax_infer_broadcast_to(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), shape = x ? shape_arg(b, call, 1) : NULL;
    uint32_t n, m;
    int64_t from, to;
    if (!shape) return NULL;
    if (x->ndim >= 0 && shape->ndim >= 0 && x->ndim > shape->ndim)
        return tirbi_relax_fail(b, call, "%d dimensions do not broadcast to %d", x->ndim, shape->ndim);
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), *const *values = tirbi_relax_dims(shape, &m);
    for (uint32_t i = 0; dims && values && i < n; i++) {
        const tirb_expr *s = dims[n - 1 - i], *t = values[m - 1 - i];
        if (tirbi_dim_const(s, &from) && from == 1) continue;
        bool constants = tirbi_dim_const(s, &from) && tirbi_dim_const(t, &to);
        if (constants ? from != to : tirbi_relax_differ(b, s, t))
            return tirbi_relax_fail(b, call, "%s does not broadcast to %s", tirbi_relax_type_text(b, x),
                                    tirbi_relax_type_text(b, shape));
    }
    return shaped(b, call->as.call.args[1], x->dtype);
}

type tirbi_relax_infer_expand_dims(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_attr *axis = tirbi_relax_attr_of(call, "axis");
    uint32_t axes[TIRBI_MAX_RELAX_RANK], n_axes, n, from = 0;
    if (!x) return NULL;
    if (axis->as.list.n == 0) return x;
    if (x->ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, x->dtype);
    uint32_t m = (uint32_t)x->ndim + axis->as.list.n;
    if (!tirbi_relax_axes(b, call, axis, m, axes, &n_axes)) return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = tirbi_relax_new_dims(b, m);
    if (!dims || !out) return tirbi_relax_tensor_of_rank(b, (int32_t)m, x->dtype);
    for (uint32_t i = 0; i < n_axes; i++) out[axes[i]] = tirbi_dim(&b->dims, 1);
    for (uint32_t i = 0; i < m; i++)
        if (!out[i]) out[i] = dims[from++];
    return tirbi_relax_tensor(b, out, m, x->dtype);
}

static type squeeze_ones(tirbi_relax_builder *b, type x) {
    uint32_t n, m = 0;
    int64_t value;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = tirbi_relax_new_dims(b, n);
    if (!dims || !out) return tirbi_relax_tensor_of_rank(b, x->ndim == 0 ? 0 : -1, x->dtype);
    for (uint32_t i = 0; i < n; i++) {
        if (!tirbi_dim_const(dims[i], &value)) return tirbi_relax_tensor_of_rank(b, -1, x->dtype);
        if (value != 1) out[m++] = dims[i];
    }
    return tirbi_relax_tensor(b, out, m, x->dtype);
}

type tirbi_relax_infer_squeeze(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_attr *axis = tirbi_relax_attr_of(call, "axis");
    uint32_t axes[TIRBI_MAX_RELAX_RANK], n_axes = 0, n, m = 0;
    int64_t value;
    if (!x) return NULL;
    if (tirbi_relax_is_none(axis)) return squeeze_ones(b, x);
    if (x->ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, x->dtype);
    if (!tirbi_relax_axes(b, call, axis, x->ndim, axes, &n_axes)) return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = tirbi_relax_new_dims(b, n);
    if (!dims || !out) return tirbi_relax_tensor_of_rank(b, x->ndim - (int32_t)n_axes, x->dtype);
    for (uint32_t i = 0; i < n; i++) {
        bool listed = false;
        for (uint32_t j = 0; j < n_axes; j++) listed |= axes[j] == i;
        if (!listed || (tirbi_dim_const(dims[i], &value) && value != 1)) out[m++] = dims[i];
    }
    return tirbi_relax_tensor(b, out, m, x->dtype);
}

type tirbi_relax_infer_permute_dims(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_attr *attr = tirbi_relax_attr_of(call, "axes");
    uint32_t axes[TIRBI_MAX_RELAX_RANK], n_axes = 0, n;
    if (!x) return NULL;
    if (x->ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, x->dtype);
    bool listed = !tirbi_relax_is_none(attr);
    if (listed && !tirbi_relax_axes(b, call, attr, x->ndim, axes, &n_axes)) return NULL;
    if (listed && n_axes != (uint32_t)x->ndim)
        return tirbi_relax_fail(b, call, "%u axes for %d dimensions", n_axes, x->ndim);
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = tirbi_relax_new_dims(b, n);
    if (!dims || !out) return tirbi_relax_tensor_of_rank(b, x->ndim, x->dtype);
    for (uint32_t i = 0; i < n; i++) out[i] = dims[listed ? axes[i] : n - 1 - i];
    return tirbi_relax_tensor(b, out, n, x->dtype);
}

/* ---- Several tensors --------------------------------------------------------------------------------------------- */

static bool same_kind(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_relax_type *const *t, uint32_t n,
                      int32_t *ndim, tirb_datatype *dtype) {
    *ndim = -1;
    *dtype = tirbi_type_void;
    bool typed = true;
    for (uint32_t i = 0; i < n; i++) {
        tirb_datatype both = *dtype;
        if (dtype->bits && t[i]->dtype.bits && !tirbi_relax_same_dtype(b, call, *dtype, t[i]->dtype, &both))
            return false;
        if (t[i]->dtype.bits)
            *dtype = t[i]->dtype;
        else
            typed = false;
        if (*ndim >= 0 && t[i]->ndim >= 0 && *ndim != t[i]->ndim) {
            tirbi_relax_fail(b, call, "tensors of %d and of %d dimensions", *ndim, t[i]->ndim);
            return false;
        }
        if (t[i]->ndim >= 0) *ndim = t[i]->ndim;
    }
    if (!typed) *dtype = tirbi_type_void;
    return true;
}

/* Sets dimension d of all tensors but the axis; false after reporting that two differ. *known: it is one. */
static bool common_dim(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_relax_type *const *t, uint32_t n,
                       uint32_t d, const tirb_expr **out, bool *known) {
    int64_t value;
    for (uint32_t i = 0; i < n; i++) {
        if (!t[i]->has_shape) continue;
        const tirb_expr *dim = t[i]->shape[d];
        if (!*out) *out = dim;
        if (tirbi_dim_apart(&b->dims, *out, dim)) {
            tirbi_relax_fail(b, call, "the tensors differ in dimension %u: %s and %s", d,
                             tirbi_relax_type_text(b, t[0]), tirbi_relax_type_text(b, t[i]));
            return false;
        }
        if (!tirbi_relax_assume(b, *out, dim)) *known = false;
        if (tirbi_dim_const(dim, &value)) *out = dim;
    }
    return true;
}

/* How long tensors are along an axis, one after the other: TVM does not simplify that. */
static const tirb_expr *sum_of(tirbi_relax_builder *b, const tirb_relax_type *const *t, uint32_t n, uint32_t axis) {
    bool all_same = n > 0;
    const tirb_expr *sum = tirbi_dim(&b->dims, 0);
    for (uint32_t i = 1; i < n; i++) all_same = all_same && tirbi_expr_equal(t[0]->shape[axis], t[i]->shape[axis]);
    if (all_same) return tirbi_dim_op(&b->dims, TIRB_EXPR_MUL, t[0]->shape[axis], tirbi_dim(&b->dims, n));
    for (uint32_t i = 0; i < n; i++) sum = tirbi_dim_op(&b->dims, TIRB_EXPR_ADD, sum, t[i]->shape[axis]);
    return sum;
}

type tirbi_relax_infer_concat(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    uint32_t n, axis = 0;
    const tirb_relax_type *const *t = tirbi_relax_tensors_arg(b, call, 0, &n);
    const tirb_relax_attr *attr = tirbi_relax_attr_of(call, "axis");
    int32_t ndim;
    tirb_datatype dtype;
    if (!t || !same_kind(b, call, t, n, &ndim, &dtype)) return NULL;
    if (tirbi_relax_is_none(attr) && ndim >= 0 && ndim != 1)
        return tirbi_relax_fail(b, call, "without an axis the tensors have one dimension, not %d", ndim);
    if (tirbi_relax_is_none(attr)) ndim = 1;
    if (ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, dtype);
    if (!tirbi_relax_is_none(attr) && !tirbi_relax_axis(b, call, attr->as.integer, ndim, &axis)) return NULL;
    const tirb_expr **out = tirbi_relax_new_dims(b, (uint32_t)ndim);
    bool known = true;
    if (!out) return NULL;
    for (uint32_t i = 0; i < n; i++) known = known && t[i]->has_shape;
    for (uint32_t d = 0; d < (uint32_t)ndim; d++)
        if (d != axis && !common_dim(b, call, t, n, d, &out[d], &known)) return NULL;
    if (!known) return tirbi_relax_tensor_of_rank(b, ndim, dtype);
    out[axis] = sum_of(b, t, n, axis);
    return tirbi_relax_tensor(b, out, (uint32_t)ndim, dtype);
}

type tirbi_relax_infer_stack(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    uint32_t n, axis;
    const tirb_relax_type *const *t = tirbi_relax_tensors_arg(b, call, 0, &n);
    int32_t ndim;
    tirb_datatype dtype;
    if (!t || !same_kind(b, call, t, n, &ndim, &dtype)) return NULL;
    if (ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, dtype);
    if (!tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "axis"), ndim + 1, &axis)) return NULL;
    const tirb_expr **common = tirbi_relax_new_dims(b, (uint32_t)ndim),
                    **out = tirbi_relax_new_dims(b, (uint32_t)ndim + 1);
    bool known = true;
    if (!common || !out) return NULL;
    for (uint32_t i = 0; i < n; i++) known = known && t[i]->has_shape;
    for (uint32_t d = 0; d < (uint32_t)ndim; d++)
        if (!common_dim(b, call, t, n, d, &common[d], &known)) return NULL;
    if (!known) return tirbi_relax_tensor_of_rank(b, ndim + 1, dtype);
    for (uint32_t d = 0; d <= (uint32_t)ndim; d++) out[d] = d == axis ? tirbi_dim(&b->dims, n) : common[d - (d > axis)];
    return tirbi_relax_tensor(b, out, (uint32_t)ndim + 1, dtype);
}

static type with_dim(tirbi_relax_builder *b, type x, uint32_t axis, const tirb_expr *dim) {
    uint32_t n;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = tirbi_relax_new_dims(b, n);
    if (!dims || !out || !dim) return NULL;
    memcpy(out, dims, n * sizeof *out);
    out[axis] = dim;
    return tirbi_relax_tensor(b, out, n, x->dtype);
}

enum { MAX_PARTS = 10000 };

static const tirb_expr *section(tirbi_relax_builder *b, const tirb_expr *begin, const tirb_expr *end) {
    const tirb_expr *size = tirbi_dim_op(&b->dims, TIRB_EXPR_SUB, end, begin), *zero = tirbi_dim(&b->dims, 0);
    return tirbi_dim_simplify(&b->dims, tirbi_dim_op(&b->dims, TIRB_EXPR_MAX, size, zero));
}

/* The sizes of the parts of a dimension that a list of places divides. */
static const tirb_expr **split_at(tirbi_relax_builder *b, const tirb_relax_attr *places, const tirb_expr *size) {
    uint32_t n = places->as.list.n;
    const tirb_expr **sizes = tirbi_relax_new_dims(b, n + 1), *begin = tirbi_dim(&b->dims, 0), *zero = begin;
    for (uint32_t i = 0; sizes && i <= n; i++) {
        const tirb_expr *end = size;
        if (i < n) {
            const tirb_relax_attr *place = &places->as.list.items[i];
            end = place->kind == TIRB_RELAX_ATTR_EXPR ? place->as.expr : tirbi_dim(&b->dims, place->as.integer);
            end = tirbi_dim_op(&b->dims, TIRB_EXPR_MAX, end, zero);
            end = tirbi_dim_op(&b->dims, TIRB_EXPR_MIN, end, size);
        }
        sizes[i] = section(b, begin, end);
        begin = end;
    }
    return sizes;
}

type tirbi_relax_infer_split(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_attr *how = tirbi_relax_attr_of(call, "indices_or_sections");
    uint32_t axis = 0, n;
    if (!x) return NULL;
    if (x->ndim >= 0 && !tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "axis"), x->ndim, &axis)) return NULL;
    bool list = how->kind == TIRB_RELAX_ATTR_LIST;
    int64_t parts = list ? (int64_t)how->as.list.n + 1 : how->as.integer;
    if (parts < 1 || parts > MAX_PARTS) return tirbi_relax_fail(b, call, "%lld sections", (long long)parts);
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, (size_t)parts);
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n);
    if (!fields) return NULL;
    const tirb_expr **sizes = list && dims ? split_at(b, how, dims[axis]) : NULL;
    tirbi_dims *d = &b->dims;
    for (int64_t i = 0; i < parts; i++) {
        if (!dims) {
            fields[i] = tirbi_relax_tensor_of_rank(b, x->ndim, x->dtype);
            continue;
        }
        const tirb_expr *size = list ? (sizes ? sizes[i] : NULL) : NULL;
        if (!list) {
            const tirb_expr *count = tirbi_dim(d, parts), *less = tirbi_dim(d, parts - 1);
            const tirb_expr *up =
                tirbi_dim_op(d, TIRB_EXPR_FLOORDIV, tirbi_dim_op(d, TIRB_EXPR_ADD, dims[axis], less), count);
            size = i + 1 < parts ? up
                                 : tirbi_dim_op(d, TIRB_EXPR_SUB, dims[axis], tirbi_dim_op(d, TIRB_EXPR_MUL, up, less));
            size = tirbi_dim_simplify(d, size);
        }
        fields[i] = with_dim(b, x, axis, size);
    }
    if (list && parts == 1) return fields[0];
    return tirbi_relax_tuple(b, fields, (uint32_t)parts);
}

/* ---- Copies ------------------------------------------------------------------------------------------------------ */

type tirbi_relax_infer_repeat(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_attr *attr = tirbi_relax_attr_of(call, "axis");
    const tirb_expr *times = tirbi_dim(&b->dims, tirbi_relax_attr_int(call, "repeats"));
    uint32_t axis = 0, n;
    if (!x) return NULL;
    bool along = !tirbi_relax_is_none(attr);
    if (along && x->ndim >= 0 && !tirbi_relax_axis(b, call, attr->as.integer, x->ndim, &axis)) return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n);
    if (!dims) return tirbi_relax_tensor_of_rank(b, along ? x->ndim : 1, x->dtype);
    if (along)
        return with_dim(b, x, axis,
                        tirbi_dim_simplify(&b->dims, tirbi_dim_op(&b->dims, TIRB_EXPR_MUL, dims[axis], times)));
    const tirb_expr **out = tirbi_relax_new_dims(b, 1);
    if (!out) return NULL;
    out[0] = tirbi_dim_simplify(&b->dims, tirbi_dim_op(&b->dims, TIRB_EXPR_MUL, product(b, dims, n), times));
    return tirbi_relax_tensor(b, out, 1, x->dtype);
}

type tirbi_relax_infer_tile(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_attr *repeats = tirbi_relax_attr_of(call, "repeats");
    uint32_t n, times = repeats->as.list.n;
    if (!x) return NULL;
    if (x->ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, x->dtype);
    uint32_t m = times > (uint32_t)x->ndim ? times : (uint32_t)x->ndim;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = tirbi_relax_new_dims(b, m);
    if (!dims || !out) return tirbi_relax_tensor_of_rank(b, (int32_t)m, x->dtype);
    for (uint32_t i = 0; i < m; i++) {
        const tirb_expr *dim = i < n ? dims[n - 1 - i] : tirbi_dim(&b->dims, 1);
        const tirb_expr *count = tirbi_dim(&b->dims, i < times ? repeats->as.list.items[times - 1 - i].as.integer : 1);
        out[m - 1 - i] = tirbi_dim_simplify(&b->dims, tirbi_dim_op(&b->dims, TIRB_EXPR_MUL, dim, count));
    }
    return tirbi_relax_tensor(b, out, m, x->dtype);
}

type tirbi_relax_infer_flip(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    uint32_t axis;
    if (!x || x->ndim < 0) return x;
    return tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "axis"), x->ndim, &axis) ? x : NULL;
}

type tirbi_relax_infer_reverse_sequence(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), lengths = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    uint32_t seq, batch;
    if (!lengths) return NULL;
    if (lengths->ndim >= 0 && lengths->ndim != 1)
        return tirbi_relax_fail(b, call, "the lengths have one dimension, not %d", lengths->ndim);
    if (x->ndim < 0) return x;
    if (!tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "seq_axis"), x->ndim, &seq) ||
        !tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "batch_axis"), x->ndim, &batch))
        return NULL;
    return x;
}

type tirbi_relax_infer_meshgrid(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    uint32_t n;
    const tirb_relax_type *const *t = tirbi_relax_tensors_arg(b, call, 0, &n);
    int32_t ndim;
    tirb_datatype dtype;
    if (!t || !same_kind(b, call, t, n, &ndim, &dtype)) return NULL;
    if (ndim >= 0 && ndim != 1) return tirbi_relax_fail(b, call, "the tensors have one dimension each, not %d", ndim);
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, n);
    const tirb_expr **dims = tirbi_relax_new_dims(b, n);
    bool known = true;
    if (!fields || !dims) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (t[i]->has_shape)
            dims[i] = t[i]->shape[0];
        else
            known = false;
    }
    /* The first two change places with "xy", which TVM's type does not say. */
    if (b->assumes && known && n > 1 && strcmp(tirbi_relax_attr_text(call, "indexing"), "xy") == 0) {
        const tirb_expr *first = dims[0];
        dims[0] = dims[1];
        dims[1] = first;
    }
    for (uint32_t i = 0; i < n; i++)
        fields[i] = known ? tirbi_relax_tensor(b, dims, n, dtype) : tirbi_relax_tensor_of_rank(b, (int32_t)n, dtype);
    return tirbi_relax_tuple(b, fields, n);
}

/* ---- Sums down to a shape ---------------------------------------------------------------------------------------- */

static bool can_collapse(tirbi_relax_builder *b, const tirb_relax_expr *call, type x, type target) {
    uint32_t n, m;
    int64_t value;
    if (x->ndim >= 0 && target->ndim > x->ndim) {
        tirbi_relax_fail(b, call, "%d dimensions do not collapse to %d", x->ndim, target->ndim);
        return false;
    }
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), *const *to = tirbi_relax_dims(target, &m);
    for (uint32_t i = 0; dims && to && i < m; i++) {
        const tirb_expr *from = dims[n - 1 - i], *into = to[m - 1 - i];
        if (tirbi_dim_const(into, &value) && value == 1) continue;
        if (!tirbi_relax_differ(b, from, into)) continue;
        tirbi_relax_fail(b, call, "%s does not collapse to %s", tirbi_relax_type_text(b, x),
                         tirbi_relax_type_text(b, target));
        return false;
    }
    return true;
}

type tirbi_relax_infer_collapse_sum_to(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), shape = x ? shape_arg(b, call, 1) : NULL;
    return shape && can_collapse(b, call, x, shape) ? shaped(b, call->as.call.args[1], x->dtype) : NULL;
}

type tirbi_relax_infer_collapse_sum_like(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), like = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    return like && can_collapse(b, call, x, like) ? tirbi_relax_with_dtype(b, like, x->dtype) : NULL;
}

/* ---- Layouts ----------------------------------------------------------------------------------------------------- */

bool tirbi_relax_prepare_layout_transform(tirbi_relax_builder *b, tirb_relax_expr *call) {
    const tirb_relax_attr *pad = tirbi_relax_attr_of(call, "pad_value");
    type x = call->as.call.args[0]->type;
    tirb_relax_attr *attrs = TIRBI_NEW_ARRAY(b->arena, tirb_relax_attr, 2);
    if (!attrs) return false;
    if (tirbi_relax_is_none(pad) || x->kind != TIRB_RELAX_TYPE_TENSOR || !tirb_relax_knows_dtype(x)) return true;
    memcpy(attrs, call->as.call.attrs, 2 * sizeof *attrs);
    attrs[1] = (tirb_relax_attr){.kind = TIRB_RELAX_ATTR_EXPR};
    double value = pad->kind == TIRB_RELAX_ATTR_INT ? (double)pad->as.integer : pad->as.real;
    if (pad->kind == TIRB_RELAX_ATTR_EXPR)
        attrs[1].as.expr = pad->as.expr;
    else
        attrs[1].as.expr = tirbi_make_number(b->base, b->at, x->dtype, value);
    call->as.call.attrs = attrs;
    return attrs[1].as.expr != NULL;
}

type tirbi_relax_infer_layout_transform(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_attr *map = tirbi_relax_attr_of(call, "index_map");
    uint32_t n, m = map->as.map.n_indices;
    if (!x) return NULL;
    if (x->ndim < 0) return tirbi_relax_tensor_of_rank(b, (int32_t)m, x->dtype);
    if ((uint32_t)x->ndim != map->as.map.n_vars)
        return tirbi_relax_fail(b, call, "the index map has %u indices for %d dimensions", map->as.map.n_vars, x->ndim);
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **last = tirbi_relax_new_dims(b, n);
    const tirb_expr **out = tirbi_relax_new_dims(b, m);
    if (!dims || !last || !out) return tirbi_relax_tensor_of_rank(b, (int32_t)m, x->dtype);
    for (uint32_t i = 0; i < n; i++) last[i] = tirbi_dim_op(&b->dims, TIRB_EXPR_SUB, dims[i], tirbi_dim(&b->dims, 1));
    for (uint32_t i = 0; i < m; i++) {
        const tirb_expr *index = map->as.map.indices[i];
        int64_t c;
        if (index->kind == TIRB_EXPR_FLOORMOD && tirbi_dim_const(index->as.binary.b, &c)) {
            out[i] = tirbi_dim(&b->dims, c);
            continue;
        }
        const tirb_expr *most = tirbi_dim_replace(&b->dims, index, map->as.map.vars, last, n);
        out[i] = tirbi_dim_simplify(&b->dims, tirbi_dim_op(&b->dims, TIRB_EXPR_ADD, most, tirbi_dim(&b->dims, 1)));
    }
    return tirbi_relax_tensor(b, out, m, x->dtype);
}

/* ---- Shapes as values -------------------------------------------------------------------------------------------- */

type tirbi_relax_infer_shape_of(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    if (!x) return NULL;
    return x->has_shape ? tirbi_relax_shape(b, x->shape, (uint32_t)x->ndim) : tirbi_relax_shape_of_rank(b, x->ndim);
}

type tirbi_relax_infer_tensor_to_shape(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    int64_t n;
    if (!x) return NULL;
    if (!x->has_shape || x->ndim != 1 || !tirb_datatype_equal(x->dtype, tirbi_type_i64))
        return tirbi_relax_fail(b, call, "the operand is a tensor of int64 of one known dimension, not %s",
                                tirbi_relax_type_text(b, x));
    bool known = tirbi_dim_const(x->shape[0], &n) && n >= 0 && n <= TIRBI_MAX_RELAX_RANK;
    return tirbi_relax_shape_of_rank(b, known ? (int32_t)n : -1);
}

type tirbi_relax_infer_shape_to_tensor(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type shape = shape_arg(b, call, 0);
    const tirb_expr **out = tirbi_relax_new_dims(b, 1);
    if (!shape || !out) return NULL;
    if (shape->ndim < 0) return tirbi_relax_tensor_of_rank(b, 1, tirbi_type_i64);
    out[0] = tirbi_dim(&b->dims, shape->ndim);
    return tirbi_relax_tensor(b, out, 1, tirbi_type_i64);
}

type tirbi_relax_infer_size(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    const tirb_expr **none = tirbi_relax_new_dims(b, 0);
    return tirbi_relax_tensor_arg(b, call, 0) && none ? tirbi_relax_tensor(b, none, 0, tirbi_type_i64) : NULL;
}

/* Which argument of memory.view this is, where some are left out. */
static uint32_t place_in_view(const tirb_relax_expr *e, uint32_t i) {
    if (e->kind == TIRB_RELAX_DTYPE) return 2;
    if (e->kind == TIRB_RELAX_PRIM) return 3;
    return i;
}

/* memory.view: a type that is left out is R.null_value(), anything else the empty tuple. */
bool tirbi_relax_prepare_view(tirbi_relax_builder *b, tirb_relax_expr *call) {
    const tirb_relax_expr **args = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_expr *, 4);
    if (!args) return false;
    const bool is_whole = call->as.call.n_args >= 4;
    for (uint32_t i = 0; i < 4; i++) args[i] = NULL;
    for (uint32_t i = 0; i < 4 && i < call->as.call.n_args; i++)
        args[is_whole ? i : place_in_view(call->as.call.args[i], i)] = call->as.call.args[i];
    for (uint32_t i = 1; i < 4; i++) {
        if (args[i]) continue;
        const tirb_relax_operator *null = &tirb_relax_operators[TIRB_RELAX_NULL_VALUE];
        const tirb_relax_expr *missing = i == 2 ? tirbi_relax_make_call(b, call->span, null, NULL, 0, NULL, NULL, 0)
                                                : tirbi_relax_make_tuple(b, call->span, NULL, 0);
        args[i] = tirbi_relax_normalise(b, missing);
    }
    call->as.call.args = args;
    call->as.call.n_args = 4;
    return args[1] && args[2] && args[3];
}

type tirbi_relax_infer_view(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_expr *shape = call->as.call.args[1], *dtype = call->as.call.args[2];
    if (!x) return NULL;
    tirb_datatype element = dtype->kind == TIRB_RELAX_DTYPE ? dtype->as.dtype : x->dtype;
    if (shape->type->kind == TIRB_RELAX_TYPE_SHAPE) return shaped(b, shape, element);
    return tirbi_relax_with_dtype(b, x, element);
}

type tirbi_relax_infer_identity(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    (void)b;
    return call->as.call.args[0]->type;
}
