/* Indexing and creation. */
#include <math.h>
#include <string.h>

#include "compiler/relax/infer/infer.h"

typedef const tirb_relax_type *type;

static bool needs_int(tirbi_relax_builder *b, const tirb_relax_expr *call, type t, uint32_t i) {
    if (!tirb_relax_knows_dtype(t) || tirbi_type_is_int(t->dtype)) return true;
    tirbi_relax_fail(b, call, "`%s` must be of integers, not %s", tirbi_relax_arg_name(b, call, i),
                     tirbi_relax_type_text(b, t));
    return false;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

type tirbi_relax_infer_take(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), index = call->as.call.args[1]->type;
    const tirb_relax_attr *attr = tirbi_relax_attr_of(call, "axis");
    uint32_t axis = 0, n, m = 0, k = 0;
    if (!x) return NULL;
    bool scalar = index->kind == TIRB_RELAX_TYPE_PRIM;
    if (!scalar && !(index = tirbi_relax_tensor_arg(b, call, 1))) return NULL;
    if (!needs_int(b, call, index, 1)) return NULL;
    if (tirbi_relax_is_none(attr) && x->ndim >= 0 && x->ndim != 1)
        return tirbi_relax_fail(b, call, "without an axis the tensor has one dimension, not %d", x->ndim);
    int32_t more = scalar ? 0 : index->ndim;
    if (x->ndim < 0 || more < 0) return tirbi_relax_tensor_of_rank(b, -1, x->dtype);
    if (!tirbi_relax_is_none(attr) && !tirbi_relax_axis(b, call, attr->as.integer, x->ndim, &axis)) return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), *const *inner = scalar ? NULL : tirbi_relax_dims(index, &m);
    if (!dims || (!scalar && !inner)) return tirbi_relax_tensor_of_rank(b, x->ndim + more - 1, x->dtype);
    const tirb_expr **out = tirbi_relax_new_dims(b, n + m);
    if (!out) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (i != axis) out[k++] = dims[i];
        for (uint32_t j = 0; i == axis && j < m; j++) out[k++] = inner[j];
    }
    return tirbi_relax_tensor(b, out, k, x->dtype);
}

/* The scalars of a tuple argument; false after reporting that it is none. */
static bool scalars(tirbi_relax_builder *b, const tirb_relax_expr *call, uint32_t i, const tirb_expr **out,
                    uint32_t *n) {
    const tirb_relax_expr *tuple = call->as.call.args[i];
    *n = 0;
    bool good = tuple->kind == TIRB_RELAX_TUPLE && tuple->as.tuple.n <= TIRBI_MAX_RELAX_RANK;
    for (uint32_t j = 0; good && j < tuple->as.tuple.n; j++) {
        good = tuple->as.tuple.items[j]->kind == TIRB_RELAX_PRIM;
        if (good) out[(*n)++] = tuple->as.tuple.items[j]->as.prim;
    }
    if (!good) tirbi_relax_fail(b, call, "`%s` must be a tuple of integers", tirbi_relax_arg_name(b, call, i));
    return good;
}

/* An end of a slice: from the back where it is negative, and clamped. */
static const tirb_expr *slice_end(tirbi_dims *d, const tirb_expr *index, const tirb_expr *size, bool back) {
    const tirb_expr *zero = tirbi_dim(d, 0), *least = back ? tirbi_dim(d, -1) : zero;
    const tirb_expr *most = back ? tirbi_dim_op(d, TIRB_EXPR_SUB, size, tirbi_dim(d, 1)) : size;
    index = tirbi_dim_from_front(d, index, size);
    return tirbi_dim_op(d, TIRB_EXPR_MIN, tirbi_dim_op(d, TIRB_EXPR_MAX, index, least), most);
}

static const tirb_expr *slice_length(tirbi_dims *d, const tirb_expr *begin, const tirb_expr *end, int64_t step,
                                     const tirb_expr *size, bool inbound) {
    bool back = step < 0;
    if (!inbound) {
        begin = slice_end(d, begin, size, back);
        end = slice_end(d, end, size, back);
    }
    int64_t by = back ? -step : step;
    const tirb_expr *length = tirbi_dim_op(d, TIRB_EXPR_SUB, back ? begin : end, back ? end : begin);
    if (by > 1) length = tirbi_dim_simplify(d, length);
    length = tirbi_dim_op(d, TIRB_EXPR_ADD, length, tirbi_dim(d, by - 1));
    return tirbi_dim_simplify(d, tirbi_dim_op(d, TIRB_EXPR_FLOORDIV, length, tirbi_dim(d, by)));
}

type tirbi_relax_infer_strided_slice(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_expr *parts[4][TIRBI_MAX_RELAX_RANK];
    uint32_t counts[4], n;
    bool stepped = call->as.call.n_args > 4;
    if (!x) return NULL;
    for (uint32_t i = 0; i < 3u + stepped; i++)
        if (!scalars(b, call, i + 1, parts[i], &counts[i])) return NULL;
    for (uint32_t i = 1; i < 3u + stepped; i++)
        if (counts[i] != counts[0])
            return tirbi_relax_fail(b, call, "%u axes, but `%s` has %u items", counts[0],
                                    tirbi_relax_arg_name(b, call, i + 1), counts[i]);
    if (x->ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, x->dtype);
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = tirbi_relax_new_dims(b, n);
    if (dims && out) memcpy(out, dims, n * sizeof *out);
    for (uint32_t i = 0; i < counts[0]; i++) {
        int64_t axis, step = 1;
        uint32_t at;
        if (!tirbi_dim_const(parts[0][i], &axis)) return tirbi_relax_fail(b, call, "an axis is no constant");
        if (!tirbi_relax_axis(b, call, axis, x->ndim, &at)) return NULL;
        if (stepped && !tirbi_dim_const(parts[3][i], &step)) return tirbi_relax_tensor_of_rank(b, x->ndim, x->dtype);
        if (step == 0 || step == INT64_MIN) return tirbi_relax_fail(b, call, "a stride is %lld", (long long)step);
        if (dims && out)
            out[at] = slice_length(&b->dims, parts[1][i], parts[2][i], step, dims[at],
                                   tirbi_relax_attr_bool(call, "assume_inbound"));
    }
    return dims && out ? tirbi_relax_tensor(b, out, n, x->dtype) : tirbi_relax_tensor_of_rank(b, x->ndim, x->dtype);
}

type tirbi_relax_infer_dynamic_strided_slice(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    if (!x) return NULL;
    for (uint32_t i = 1; i < 4; i++) {
        type t = tirbi_relax_tensor_arg(b, call, i);
        int64_t n;
        if (!t || !needs_int(b, call, t, i)) return NULL;
        if (t->ndim >= 0 && t->ndim != 1)
            return tirbi_relax_fail(b, call, "`%s` has one dimension, not %d", tirbi_relax_arg_name(b, call, i),
                                    t->ndim);
        if (t->has_shape && x->ndim >= 0 && tirbi_dim_const(t->shape[0], &n) && n != x->ndim)
            return tirbi_relax_fail(b, call, "`%s` has %lld items for %d dimensions", tirbi_relax_arg_name(b, call, i),
                                    (long long)n, x->ndim);
    }
    return tirbi_relax_tensor_of_rank(b, x->ndim, x->dtype);
}

type tirbi_relax_infer_gather_elements(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), index = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    uint32_t axis;
    if (!index || !needs_int(b, call, index, 1)) return NULL;
    if (x->ndim >= 0 && !tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "axis"), x->ndim, &axis)) return NULL;
    if (x->ndim >= 0 && index->ndim >= 0 && x->ndim != index->ndim)
        return tirbi_relax_fail(b, call, "the data has %d dimensions, the indices %d", x->ndim, index->ndim);
    if (index->has_shape) return tirbi_relax_with_dtype(b, index, x->dtype);
    return tirbi_relax_tensor_of_rank(b, x->ndim >= 0 ? x->ndim : index->ndim, x->dtype);
}

type tirbi_relax_infer_gather_nd(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), index = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    int64_t k, batch = tirbi_relax_attr_int(call, "batch_dims");
    uint32_t n, m, at = 0;
    if (!index || !needs_int(b, call, index, 1)) return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), *const *indices = tirbi_relax_dims(index, &m);
    if (batch < 0 || (x->ndim >= 0 && batch > x->ndim) || (index->ndim >= 0 && batch >= index->ndim && index->ndim > 0))
        return tirbi_relax_fail(b, call, "batch_dims is %lld", (long long)batch);
    if (!dims || !indices || m == 0 || !tirbi_dim_const(indices[m - 1], &k))
        return tirbi_relax_tensor_of_rank(b, -1, x->dtype);
    if (k < 0 || k + batch > n)
        return tirbi_relax_fail(b, call, "an index has %lld parts for %lld dimensions", (long long)k,
                                (long long)n - batch);
    const tirb_expr **out = tirbi_relax_new_dims(b, n + m);
    if (!out) return NULL;
    for (uint32_t i = 0; i + 1 < m; i++) out[at++] = indices[i];
    for (uint32_t i = (uint32_t)(batch + k); i < n; i++) out[at++] = dims[i];
    return tirbi_relax_tensor(b, out, at, x->dtype);
}

type tirbi_relax_infer_index_tensor(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    uint32_t count, n, at = 0, rank = 0;
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_type *const *indices = x ? tirbi_relax_tensors_arg(b, call, 1, &count) : NULL;
    if (!indices) return NULL;
    if (x->ndim >= 0 && count > (uint32_t)x->ndim)
        return tirbi_relax_fail(b, call, "%u indices for %d dimensions", count, x->ndim);
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **both = NULL;
    bool known = dims != NULL, ranked = x->ndim >= 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!needs_int(b, call, indices[i], 1)) return NULL;
        ranked = ranked && indices[i]->ndim >= 0;
        if (indices[i]->ndim > (int32_t)rank) rank = (uint32_t)indices[i]->ndim;
        known = known && indices[i]->has_shape;
    }
    if (!ranked) return tirbi_relax_tensor_of_rank(b, -1, x->dtype);
    uint32_t m = 0;
    for (uint32_t i = 0; known && i < count; i++) {
        bool fits;
        if (!tirbi_relax_broadcast(b, call, both, m, indices[i]->shape, (uint32_t)indices[i]->ndim, &both, &m, &fits))
            return NULL;
        known = fits;
    }
    if (!known) return tirbi_relax_tensor_of_rank(b, (int32_t)rank + x->ndim - (int32_t)count, x->dtype);
    const tirb_expr **out = tirbi_relax_new_dims(b, m + n);
    if (!out) return NULL;
    for (uint32_t i = 0; i < m; i++) out[at++] = both[i];
    for (uint32_t i = count; i < n; i++) out[at++] = dims[i];
    return tirbi_relax_tensor(b, out, at, x->dtype);
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* Data, indices and updates: the data's type. */
static type scattered(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), index = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    type updates = index ? tirbi_relax_tensor_arg(b, call, 2) : NULL;
    tirb_datatype dtype;
    if (!updates || !needs_int(b, call, index, 1)) return NULL;
    return tirbi_relax_same_dtype(b, call, x->dtype, updates->dtype, &dtype) ? x : NULL;
}

type tirbi_relax_infer_scatter_elements(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = scattered(b, call);
    uint32_t axis;
    if (!x || x->ndim < 0) return x;
    for (uint32_t i = 1; i < 3; i++) {
        type t = call->as.call.args[i]->type;
        if (t->ndim >= 0 && t->ndim != x->ndim)
            return tirbi_relax_fail(b, call, "the data has %d dimensions, `%s` %d", x->ndim,
                                    tirbi_relax_arg_name(b, call, i), t->ndim);
    }
    return tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "axis"), x->ndim, &axis) ? x : NULL;
}

type tirbi_relax_infer_scatter_nd(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = scattered(b, call);
    type index = x ? call->as.call.args[1]->type : NULL;
    int64_t k;
    if (index && index->has_shape && index->ndim > 0 && x->ndim >= 0 &&
        tirbi_dim_const(index->shape[index->ndim - 1], &k) && k > x->ndim)
        return tirbi_relax_fail(b, call, "an index has %lld parts for %d dimensions", (long long)k, x->ndim);
    return x;
}

type tirbi_relax_infer_index_put(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), index = call->as.call.args[1]->type;
    type values = x ? tirbi_relax_tensor_arg(b, call, 2) : NULL;
    tirb_datatype dtype;
    if (!values || !tirbi_relax_same_dtype(b, call, x->dtype, values->dtype, &dtype)) return NULL;
    uint32_t n = index->kind == TIRB_RELAX_TYPE_TUPLE ? index->n_fields : 1;
    for (uint32_t i = 0; i < n; i++) {
        type t = index->kind == TIRB_RELAX_TYPE_TUPLE ? index->fields[i] : index;
        if (t->kind != TIRB_RELAX_TYPE_TENSOR)
            return tirbi_relax_fail(b, call, "an index must be a tensor, not %s", tirbi_relax_type_text(b, t));
        if (!needs_int(b, call, t, 1)) return NULL;
    }
    if (x->ndim >= 0 && n != (uint32_t)x->ndim)
        return tirbi_relax_fail(b, call, "%u ind%s for %d dimension%s", n, n == 1 ? "ex" : "ices", x->ndim,
                                x->ndim == 1 ? "" : "s");
    return x;
}

type tirbi_relax_infer_slice_scatter(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), source = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    tirb_datatype dtype;
    uint32_t axis;
    if (!source || !tirbi_relax_same_dtype(b, call, x->dtype, source->dtype, &dtype)) return NULL;
    if (x->ndim >= 0 && source->ndim >= 0 && x->ndim != source->ndim)
        return tirbi_relax_fail(b, call, "the data has %d dimensions, the source %d", x->ndim, source->ndim);
    if (x->ndim < 0) return x;
    return tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "axis"), x->ndim, &axis) ? x : NULL;
}

type tirbi_relax_infer_one_hot(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type index = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_expr *on = call->as.call.args[1], *off = call->as.call.args[2];
    int64_t depth = tirbi_relax_attr_int(call, "depth"), where = tirbi_relax_attr_int(call, "axis");
    uint32_t axis, n;
    tirb_datatype dtype;
    if (!index || !needs_int(b, call, index, 0)) return NULL;
    if (on->type->kind != TIRB_RELAX_TYPE_PRIM || off->type->kind != TIRB_RELAX_TYPE_PRIM)
        return tirbi_relax_fail(b, call, "the two values must be scalars");
    if (!tirbi_relax_same_dtype(b, call, on->type->dtype, off->type->dtype, &dtype)) return NULL;
    if (depth <= 0) return tirbi_relax_fail(b, call, "the depth is %lld", (long long)depth);
    if (index->ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, dtype);
    if (!tirbi_relax_axis(b, call, where, index->ndim + 1, &axis)) return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(index, &n), **out = tirbi_relax_new_dims(b, n + 1);
    if (!dims || !out) return tirbi_relax_tensor_of_rank(b, index->ndim + 1, dtype);
    for (uint32_t i = 0; i <= n; i++) out[i] = i == axis ? tirbi_dim(&b->dims, depth) : dims[i - (i > axis)];
    return tirbi_relax_tensor(b, out, n + 1, dtype);
}

/* ---- Creation ---------------------------------------------------------------------------------------------------- */

static type filled(tirbi_relax_builder *b, const tirb_relax_expr *call, tirb_datatype dtype) {
    const tirb_relax_expr *shape = call->as.call.args[0];
    if (shape->type->kind != TIRB_RELAX_TYPE_SHAPE)
        return tirbi_relax_fail(b, call, "`shape` must be a shape, not %s", tirbi_relax_type_text(b, shape->type));
    if (shape->kind == TIRB_RELAX_SHAPE) return tirbi_relax_tensor(b, shape->as.shape.values, shape->as.shape.n, dtype);
    tirb_relax_type *t = (tirb_relax_type *)tirbi_relax_tensor_of_rank(b, shape->type->ndim, dtype);
    if (t && shape->kind == TIRB_RELAX_VAR) t->shape_var = shape->as.var;
    return t;
}

static bool is_scalar_tensor(tirbi_relax_builder *b, const tirb_relax_expr *call, uint32_t i, type *out) {
    *out = tirbi_relax_tensor_arg(b, call, i);
    if (!*out) return false;
    if ((*out)->ndim <= 0) return true;
    tirbi_relax_fail(b, call, "`%s` must have no dimensions, not %d", tirbi_relax_arg_name(b, call, i), (*out)->ndim);
    return false;
}

type tirbi_relax_infer_full(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type value;
    if (!is_scalar_tensor(b, call, 1, &value)) return NULL;
    return filled(b, call, tirbi_relax_attr_dtype(call, "dtype", value->dtype));
}

type tirbi_relax_infer_full_like(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), value;
    if (!x || !is_scalar_tensor(b, call, 1, &value)) return NULL;
    return tirbi_relax_with_dtype(b, x, tirbi_relax_attr_dtype(call, "dtype", x->dtype));
}

type tirbi_relax_infer_filled(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    return filled(b, call, tirbi_relax_attr_dtype(call, "dtype", tirbi_type_f32));
}

type tirbi_relax_infer_filled_like(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    return x ? tirbi_relax_with_dtype(b, x, tirbi_relax_attr_dtype(call, "dtype", x->dtype)) : NULL;
}

/* R.arange(n) counts from 0; the type is int64, or float32 where a number is a float. */
bool tirbi_relax_prepare_arange(tirbi_relax_builder *b, tirb_relax_expr *call) {
    bool single = call->as.call.n_args == 2, floats = false;
    const tirb_relax_expr **args = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_expr *, 3);
    tirb_relax_attr *dtype = TIRBI_NEW(b->arena, tirb_relax_attr);
    if (!args || !dtype) return false;
    args[0] = single ? tirbi_relax_make_prim(b, call->span, tirbi_dim(&b->dims, 0)) : call->as.call.args[0];
    args[1] = call->as.call.args[single ? 0 : 1];
    args[2] = call->as.call.args[call->as.call.n_args - 1];
    if (!args[0]) return false;
    for (uint32_t i = 0; i < 3; i++) {
        if (args[i]->kind != TIRB_RELAX_PRIM)
            return tirbi_relax_fail(b, call, "`%s` must be a number, not %s", tirbi_relax_arg_name(b, call, i),
                                    tirbi_relax_type_text(b, args[i]->type)) != NULL;
        floats |= tirbi_type_is_float(args[i]->as.prim->dtype);
    }
    call->as.call.args = args;
    call->as.call.n_args = 3;
    if (!tirbi_relax_is_none(call->as.call.attrs)) return true;
    dtype->kind = TIRB_RELAX_ATTR_DTYPE;
    dtype->as.dtype = floats ? tirbi_type_f32 : tirbi_type_i64;
    call->as.call.attrs = dtype;
    return true;
}

static bool number_of(const tirb_expr *e, double *out) {
    if (e->kind == TIRB_EXPR_INT_IMM)
        *out = (double)e->as.int_value;
    else if (e->kind == TIRB_EXPR_FLOAT_IMM)
        *out = e->as.float_value;
    else
        return false;
    return true;
}

type tirbi_relax_infer_arange(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    const tirb_expr *p[3], **out = tirbi_relax_new_dims(b, 1);
    tirb_datatype dtype = tirbi_relax_attr_dtype(call, "dtype", tirbi_type_i64);
    double v[3];
    int64_t step;
    tirbi_dims *d = &b->dims;
    bool numbers = true, ints = true;
    if (!out) return NULL;
    for (uint32_t i = 0; i < 3; i++) {
        p[i] = call->as.call.args[i]->as.prim;
        numbers = number_of(p[i], &v[i]) && numbers;
        ints = ints && tirbi_type_is_int(p[i]->dtype);
    }
    if (!numbers && !ints) return tirbi_relax_tensor_of_rank(b, 1, dtype);
    if (numbers && v[2] == 0) return tirbi_relax_fail(b, call, "the step is 0");
    if (!ints) {
        double length = ceil((v[1] - v[0]) / v[2]);
        if (!(length >= 0 && length < 0x1p62)) return tirbi_relax_fail(b, call, "the range has no length");
        out[0] = tirbi_dim(d, (int64_t)length);
        return tirbi_relax_tensor(b, out, 1, dtype);
    }
    int64_t first, last, span;
    if (tirbi_dim_const(p[0], &first) && tirbi_dim_const(p[1], &last) && __builtin_sub_overflow(last, first, &span))
        return tirbi_relax_fail(b, call, "the range has no length");
    /* TVM's type rounds up as if the step were positive, and may be below 0. */
    bool back = b->assumes && tirbi_dim_const(p[2], &step) && step < 0 && step != INT64_MIN;
    const tirb_expr *by = back ? tirbi_dim(d, -step) : p[2];
    const tirb_expr *length = tirbi_dim_op(d, TIRB_EXPR_SUB, p[!back], p[back]);
    length = tirbi_dim_op(d, TIRB_EXPR_ADD, length, tirbi_dim_op(d, TIRB_EXPR_SUB, by, tirbi_dim(d, 1)));
    out[0] = tirbi_dim_simplify(d, tirbi_dim_op(d, TIRB_EXPR_FLOORDIV, length, by));
    if (b->assumes)
        out[0] = tirbi_dim_simplify(d, tirbi_dim_op(d, TIRB_EXPR_MAX, out[0], tirbi_dim(d, 0)));
    return tirbi_relax_tensor(b, out, 1, dtype);
}

type tirbi_relax_infer_eye(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    const tirb_expr **out = tirbi_relax_new_dims(b, 2);
    if (!out) return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const tirb_relax_expr *arg = call->as.call.args[i];
        if (arg->kind != TIRB_RELAX_PRIM || !tirbi_type_is_int(arg->as.prim->dtype))
            return tirbi_relax_fail(b, call, "the extents are integers");
        out[i] = arg->as.prim;
    }
    return tirbi_relax_tensor(b, out, 2, tirbi_relax_attr_dtype(call, "dtype", tirbi_type_f32));
}

type tirbi_relax_infer_eye_like(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    if (!x) return NULL;
    if (x->ndim >= 0 && x->ndim != 2)
        return tirbi_relax_fail(b, call, "the tensor has %d dimensions; it needs 2", x->ndim);
    return tirbi_relax_with_dtype(b, x, tirbi_relax_attr_dtype(call, "dtype", x->dtype));
}

type tirbi_relax_infer_triangle(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    if (!x) return NULL;
    if (call->as.call.args[1]->type->kind != TIRB_RELAX_TYPE_PRIM)
        return tirbi_relax_fail(b, call, "`k` must be a scalar");
    if (x->ndim >= 0 && x->ndim < 2)
        return tirbi_relax_fail(b, call, "the tensor has %d dimensions; it needs 2 or more", x->ndim);
    return x;
}

type tirbi_relax_infer_hamming_window(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    const tirb_relax_expr *size = call->as.call.args[0];
    tirb_datatype dtype = tirbi_relax_attr_dtype(call, "dtype", tirbi_type_f32);
    const tirb_expr **out = tirbi_relax_new_dims(b, 1);
    char text[32];
    int64_t n;
    if (!out) return NULL;
    if (!tirbi_type_is_float(dtype))
        return tirbi_relax_fail(b, call, "the operator is for floats, not for %s", tirb_datatype_text(dtype, text));
    if (size->kind != TIRB_RELAX_PRIM) return tirbi_relax_fail(b, call, "`window_size` must be a scalar");
    if (tirbi_dim_const(size->as.prim, &n) && n <= 0)
        return tirbi_relax_fail(b, call, "the window has %lld elements", (long long)n);
    out[0] = size->as.prim;
    return tirbi_relax_tensor(b, out, 1, dtype);
}
