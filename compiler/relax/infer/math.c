/* Elementwise operators, reductions, scans, sorting, products of matrices. */
#include <string.h>

#include "compiler/relax/infer/infer.h"

typedef const tirb_relax_type *type;

/* ---- Elementwise ------------------------------------------------------------------------------------------------- */

type tirbi_relax_infer_unary(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    return tirbi_relax_tensor_arg(b, call, 0);
}

type tirbi_relax_infer_unary_first(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    return tirbi_relax_tensor_arg(b, call, 0);
}

type tirbi_relax_infer_unary_float(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    return x && tirbi_relax_needs_float(b, call, x) ? x : NULL;
}

type tirbi_relax_infer_unary_bool(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    return tirbi_relax_with_dtype(b, tirbi_relax_tensor_arg(b, call, 0), tirbi_type_bool);
}

type tirbi_relax_infer_astype(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    return tirbi_relax_with_dtype(b, tirbi_relax_tensor_arg(b, call, 0),
                                  tirbi_relax_attr_dtype(call, "dtype", tirbi_type_f32));
}

/* A scalar counts as a tensor of one element and one dimension. */
static type operand(tirbi_relax_builder *b, const tirb_relax_expr *call, uint32_t i) {
    type t = call->as.call.args[i]->type;
    if (t->kind != TIRB_RELAX_TYPE_PRIM) return tirbi_relax_tensor_arg(b, call, i);
    const tirb_expr **one = tirbi_relax_new_dims(b, 1);
    if (!one) return NULL;
    one[0] = tirbi_dim(&b->dims, 1);
    return tirbi_relax_tensor(b, one, 1, t->dtype);
}

/* The dimensions of a tensor, also where a variable whose values are known has them. */
static const tirb_expr *const *known_dims(type t, uint32_t *n) {
    return tirbi_relax_dims(t->shape_var && t->shape_var->type->has_shape ? t->shape_var->type : t, n);
}

static type broadcast_types(tirbi_relax_builder *b, const tirb_relax_expr *call, type x, type y, tirb_datatype dtype) {
    uint32_t nx, ny, n;
    const tirb_expr *const *left = known_dims(x, &nx), *const *right = known_dims(y, &ny);
    const tirb_expr **dims;
    bool known;
    if (left && right) {
        if (!tirbi_relax_broadcast(b, call, left, nx, right, ny, &dims, &n, &known)) return NULL;
        if (known) return tirbi_relax_tensor(b, dims, n, dtype);
    }
    if (x->shape_var && x->shape_var == y->shape_var) return tirbi_relax_with_dtype(b, x, dtype);
    if (x->ndim < 0 || y->ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, dtype);
    return tirbi_relax_tensor_of_rank(b, x->ndim > y->ndim ? x->ndim : y->ndim, dtype);
}

/* Of two scalars comes a scalar. */
static bool has_scalars(const tirb_relax_expr *call) {
    return call->as.call.args[0]->type->kind == TIRB_RELAX_TYPE_PRIM &&
           call->as.call.args[1]->type->kind == TIRB_RELAX_TYPE_PRIM;
}

type tirbi_relax_infer_binary(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = operand(b, call, 0), y = x ? operand(b, call, 1) : NULL;
    tirb_datatype dtype;
    if (!y) return NULL;
    /* As in TVM, a bool goes with any type, and the first operand's type is the result's. */
    const bool has_bool = tirbi_type_is_bool(x->dtype) || tirbi_type_is_bool(y->dtype);
    if (has_bool && x->dtype.bits && y->dtype.bits)
        dtype = x->dtype;
    else if (!tirbi_relax_same_dtype(b, call, x->dtype, y->dtype, &dtype))
        return NULL;
    if (has_scalars(call)) return tirbi_relax_prim(b, dtype);
    return broadcast_types(b, call, x, y, dtype);
}

type tirbi_relax_infer_comparison(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = operand(b, call, 0), y = x ? operand(b, call, 1) : NULL;
    if (y && has_scalars(call)) return tirbi_relax_prim(b, tirbi_type_bool);
    return y ? broadcast_types(b, call, x, y, tirbi_type_bool) : NULL;
}

type tirbi_relax_infer_where(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type c = tirbi_relax_tensor_arg(b, call, 0), x = tirbi_relax_tensor_arg(b, call, 1);
    type y = tirbi_relax_tensor_arg(b, call, 2);
    tirb_datatype dtype;
    if (!c || !x || !y) return NULL;
    if (tirb_relax_knows_dtype(c) && !tirbi_type_is_bool(c->dtype))
        return tirbi_relax_fail(b, call, "the condition must be of bool, not %s", tirbi_relax_type_text(b, c));
    if (!tirbi_relax_same_dtype(b, call, x->dtype, y->dtype, &dtype)) return NULL;
    type xy = broadcast_types(b, call, x, y, dtype);
    return xy ? broadcast_types(b, call, c, xy, dtype) : NULL;
}

type tirbi_relax_infer_ewise_fma(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type t[3];
    for (uint32_t i = 0; i < 3; i++)
        if (!(t[i] = tirbi_relax_tensor_arg(b, call, i))) return NULL;
    tirb_datatype dtype;
    for (uint32_t i = 1; i < 3; i++) {
        if (!tirbi_relax_same_dtype(b, call, t[0]->dtype, t[i]->dtype, &dtype)) return NULL;
        if (t[0]->ndim >= 0 && t[i]->ndim >= 0 && t[0]->ndim != t[i]->ndim)
            return tirbi_relax_fail(b, call, "the operands have %d and %d dimensions", t[0]->ndim, t[i]->ndim);
        for (int32_t d = 0; t[0]->has_shape && t[i]->has_shape && d < t[0]->ndim; d++)
            if (tirbi_relax_differ(b, t[0]->shape[d], t[i]->shape[d]))
                return tirbi_relax_fail(b, call, "the operands must have one shape, not %s and %s",
                                        tirbi_relax_type_text(b, t[0]), tirbi_relax_type_text(b, t[i]));
    }
    for (uint32_t i = 0; i < 3; i++)
        if (t[i]->has_shape) return tirbi_relax_with_dtype(b, t[i], dtype);
    return tirbi_relax_tensor_of_rank(b, t[0]->ndim, dtype);
}

/* ---- Reductions -------------------------------------------------------------------------------------------------- */

static type ones(tirbi_relax_builder *b, uint32_t n, tirb_datatype dtype) {
    const tirb_expr **dims = tirbi_relax_new_dims(b, n);
    for (uint32_t i = 0; dims && i < n; i++) dims[i] = tirbi_dim(&b->dims, 1);
    return dims ? tirbi_relax_tensor(b, dims, n, dtype) : NULL;
}

/* `axes` NULL: all. */
static type reduced(tirbi_relax_builder *b, const tirb_relax_expr *call, type x, const tirb_relax_attr *axes,
                    tirb_datatype dtype) {
    uint32_t which[TIRBI_MAX_RELAX_RANK], n_axes = 0, n, m = 0;
    bool keep = tirbi_relax_attr_bool(call, "keepdims");
    if (axes && x->ndim >= 0 && !tirbi_relax_axes(b, call, axes, x->ndim, which, &n_axes)) return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n);
    if (!axes && !keep) return ones(b, 0, dtype);
    if (!axes && x->ndim >= 0) return ones(b, n, dtype);
    if (x->ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, dtype);
    uint32_t rest = keep ? n : n - n_axes;
    if (!dims) return rest == 0 ? ones(b, 0, dtype) : tirbi_relax_tensor_of_rank(b, (int32_t)rest, dtype);
    const tirb_expr **out = tirbi_relax_new_dims(b, n);
    if (!out) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        bool gone = false;
        for (uint32_t j = 0; j < n_axes; j++) gone |= which[j] == i;
        if (!gone)
            out[m++] = dims[i];
        else if (keep)
            out[m++] = tirbi_dim(&b->dims, 1);
    }
    return tirbi_relax_tensor(b, out, m, dtype);
}

static const tirb_relax_attr *axes_of(const tirb_relax_expr *call, tirb_relax_attr *single) {
    const tirb_relax_attr *axis = tirbi_relax_attr_of(call, "axis");
    if (tirbi_relax_is_none(axis)) return NULL;
    if (axis->kind == TIRB_RELAX_ATTR_LIST) return axis;
    *single = (tirb_relax_attr){.kind = TIRB_RELAX_ATTR_LIST};
    single->as.list.items = axis;
    single->as.list.n = 1;
    return single;
}

type tirbi_relax_infer_reduce(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    tirb_relax_attr single;
    type x = tirbi_relax_tensor_arg(b, call, 0);
    return x ? reduced(b, call, x, axes_of(call, &single), x->dtype) : NULL;
}

type tirbi_relax_infer_argreduce(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    tirb_relax_attr single;
    type x = tirbi_relax_tensor_arg(b, call, 0);
    return x ? reduced(b, call, x, axes_of(call, &single), tirbi_type_i64) : NULL;
}

static type pair(tirbi_relax_builder *b, type first, type second) {
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, 2);
    if (!fields) return NULL;
    fields[0] = first;
    fields[1] = second;
    return tirbi_relax_tuple(b, fields, 2);
}

type tirbi_relax_infer_median(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    tirb_relax_attr single;
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_attr *axes = axes_of(call, &single);
    type values = x ? reduced(b, call, x, axes, x->dtype) : NULL;
    if (!values || !axes) return values;
    return pair(b, values, tirbi_relax_with_dtype(b, values, tirbi_type_i64));
}

/* ---- Scans and sorting ------------------------------------------------------------------------------------------- */

type tirbi_relax_infer_scan(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    if (!x) return NULL;
    tirb_datatype dtype = tirbi_relax_attr_dtype(call, "dtype", x->dtype);
    const tirb_relax_attr *axis = tirbi_relax_attr_of(call, "axis");
    uint32_t at, n;
    if (!tirbi_relax_is_none(axis)) {
        if (x->ndim >= 0 && !tirbi_relax_axis(b, call, axis->as.integer, x->ndim, &at)) return NULL;
        return tirbi_relax_with_dtype(b, x, dtype);
    }
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = dims ? tirbi_relax_new_dims(b, 1) : NULL;
    if (!dims) return tirbi_relax_tensor_of_rank(b, 1, dtype);
    if (!out) return NULL;
    out[0] = tirbi_dim(&b->dims, 1);
    for (uint32_t i = 0; i < n; i++) out[0] = tirbi_dim_op(&b->dims, TIRB_EXPR_MUL, out[0], dims[i]);
    return tirbi_relax_tensor(b, out, 1, dtype);
}

type tirbi_relax_infer_argsort(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    return x ? tirbi_relax_with_dtype(b, x, tirbi_relax_attr_dtype(call, "dtype", x->dtype)) : NULL;
}

type tirbi_relax_infer_topk(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), values = x;
    const char *kind = tirbi_relax_attr_text(call, "ret_type");
    int64_t k = tirbi_relax_attr_int(call, "k"), size;
    uint32_t n, axis = 0;
    if (!x) return NULL;
    if (strcmp(kind, "both") != 0 && strcmp(kind, "values") != 0 && strcmp(kind, "indices") != 0)
        return tirbi_relax_fail(b, call, "ret_type is \"both\", \"values\" or \"indices\", not \"%s\"", kind);
    if (x->ndim >= 0 && !tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "axis"), x->ndim, &axis)) return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n);
    if (!dims) {
        values = tirbi_relax_tensor_of_rank(b, x->ndim, x->dtype);
    } else if (k >= 1) {
        const tirb_expr **out = tirbi_relax_new_dims(b, n);
        if (!out) return NULL;
        memcpy(out, dims, n * sizeof *out);
        if (!tirbi_dim_const(dims[axis], &size) || size >= k) out[axis] = tirbi_dim(&b->dims, k);
        values = tirbi_relax_tensor(b, out, n, x->dtype);
    }
    type indices = tirbi_relax_with_dtype(b, values, tirbi_relax_attr_dtype(call, "dtype", tirbi_type_i32));
    if (strcmp(kind, "values") == 0) return values;
    return strcmp(kind, "indices") == 0 ? indices : pair(b, values, indices);
}

type tirbi_relax_infer_bucketize(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), boundaries = tirbi_relax_tensor_arg(b, call, 1);
    if (!x || !boundaries) return NULL;
    if (boundaries->ndim >= 0 && boundaries->ndim != 1)
        return tirbi_relax_fail(b, call, "the boundaries have one dimension, not %d", boundaries->ndim);
    return tirbi_relax_with_dtype(b, x, tirbi_relax_attr_bool(call, "out_int32") ? tirbi_type_i32 : tirbi_type_i64);
}

static bool is_true(const tirb_relax_expr *e) {
    return e->kind == TIRB_RELAX_PRIM && e->as.prim->kind == TIRB_EXPR_INT_IMM && e->as.prim->as.int_value != 0;
}

type tirbi_relax_infer_unique(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    if (!x) return NULL;
    bool along = call->as.call.n_args > 5;
    uint32_t extra = 0;
    for (uint32_t i = 2; i < 5; i++) extra += is_true(call->as.call.args[i]);
    type values = tirbi_relax_tensor_of_rank(b, along ? x->ndim : 1, x->dtype);
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, 4);
    if (extra == 0 || !fields) return values;
    fields[0] = values;
    for (uint32_t i = 1; i <= extra; i++) fields[i] = tirbi_relax_tensor_of_rank(b, 1, tirbi_type_i64);
    return tirbi_relax_tuple(b, fields, extra + 1);
}

type tirbi_relax_infer_nonzero(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    return tirbi_relax_tensor_arg(b, call, 0) ? tirbi_relax_tensor_of_rank(b, 2, tirbi_type_i64) : NULL;
}

type tirbi_relax_infer_multinomial(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type prob = tirbi_relax_tensor_arg(b, call, 0), sample = tirbi_relax_tensor_arg(b, call, 1);
    type indices = tirbi_relax_tensor_arg(b, call, 2);
    if (!prob || !sample || !indices) return NULL;
    if (!tirbi_relax_needs_float(b, call, prob) || !tirbi_relax_needs_float(b, call, sample)) return NULL;
    tirb_datatype dtype = tirbi_relax_attr_dtype(call, "dtype", tirbi_type_i64);
    if (!prob->has_shape || !sample->has_shape || !indices->has_shape) return tirbi_relax_tensor_of_rank(b, 2, dtype);
    if (prob->ndim != 2 || sample->ndim != 2 || indices->ndim != 2)
        return tirbi_relax_fail(b, call, "the operands have two dimensions each");
    const tirb_expr *one = tirbi_dim(&b->dims, 1);
    if (tirbi_relax_differ(b, sample->shape[1], one) || tirbi_relax_differ(b, indices->shape[1], one))
        return tirbi_relax_fail(b, call, "the samples and their indices have one column each");
    return tirbi_relax_with_dtype(b, sample, dtype);
}

/* ---- Products ---------------------------------------------------------------------------------------------------- */

type tirbi_relax_infer_matmul(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), y = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    tirb_datatype dtype = y ? tirbi_relax_attr_dtype(call, "out_dtype", tirbi_type_void) : tirbi_type_void;
    if (!y || (dtype.bits == 0 && !tirbi_relax_same_dtype(b, call, x->dtype, y->dtype, &dtype))) return NULL;
    if (x->ndim < 0 || y->ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, dtype);
    if (x->ndim == 0 || y->ndim == 0) return tirbi_relax_fail(b, call, "an operand has no dimensions");
    uint32_t nx, ny, batch, n;
    bool row = x->ndim == 1, column = y->ndim == 1, known;
    const tirb_expr *const *left = tirbi_relax_dims(x, &nx), *const *right = tirbi_relax_dims(y, &ny);
    uint32_t bx = row ? 0 : nx - 2, by = column ? 0 : ny - 2;
    uint32_t rank = (bx > by ? bx : by) + !row + !column;
    if (!left || !right) return tirbi_relax_tensor_of_rank(b, (int32_t)rank, dtype);
    const tirb_expr *inner = left[nx - 1], *other = right[column ? 0 : ny - 2];
    if (tirbi_relax_differ(b, inner, other))
        return tirbi_relax_fail(b, call, "the inner dimensions differ: %s and %s", tirbi_relax_type_text(b, x),
                                tirbi_relax_type_text(b, y));
    const tirb_expr **prefix, **out = tirbi_relax_new_dims(b, rank);
    if (!out || !tirbi_relax_broadcast(b, call, left, bx, right, by, &prefix, &batch, &known)) return NULL;
    if (!known) return tirbi_relax_tensor_of_rank(b, (int32_t)rank, dtype);
    for (n = 0; n < batch; n++) out[n] = prefix[n];
    if (!row) out[n++] = left[nx - 2];
    if (!column) out[n++] = right[ny - 1];
    return tirbi_relax_tensor(b, out, n, dtype);
}

type tirbi_relax_infer_outer(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), y = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    tirb_datatype dtype;
    if (!y || !tirbi_relax_same_dtype(b, call, x->dtype, y->dtype, &dtype)) return NULL;
    if ((x->ndim >= 0 && x->ndim != 1) || (y->ndim >= 0 && y->ndim != 1))
        return tirbi_relax_fail(b, call, "the operands have one dimension each");
    const tirb_expr **out = tirbi_relax_new_dims(b, 2);
    if (!x->has_shape || !y->has_shape || !out) return tirbi_relax_tensor_of_rank(b, 2, dtype);
    out[0] = x->shape[0];
    out[1] = y->shape[0];
    return tirbi_relax_tensor(b, out, 2, dtype);
}

/* The extents that the letters of an equation have. */
typedef struct letters {
    const tirb_expr *extent[256];
    uint32_t count[256];
} letters;

static bool read_operand(tirbi_relax_builder *b, const tirb_relax_expr *call, letters *l, const char **at,
                         type operand_type, const tirb_expr *const **rest, uint32_t *n_rest) {
    const char *text = *at;
    uint32_t n = 0, named = 0, n_dims;
    const tirb_expr *const *dims = tirbi_relax_dims(operand_type, &n_dims);
    size_t size = strcspn(text, ",-");
    const char *dots = memchr(text, '.', size);
    for (size_t i = 0; i < size; i++) named += text[i] != '.' && text[i] != ' ';
    if (!dims || named > n_dims || (!dots && named != n_dims)) {
        tirbi_relax_fail(b, call, "the subscripts \"%.*s\" do not fit %s", (int)size, text,
                         tirbi_relax_type_text(b, operand_type));
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ' ') continue;
        if (text[i] == '.') {
            if (dots != text + i) continue;
            *rest = dims + n;
            *n_rest = n_dims - named;
            n += *n_rest;
            continue;
        }
        unsigned char c = (unsigned char)text[i];
        const tirb_expr *known = l->extent[c];
        int64_t a, e;
        if (!known || (tirbi_dim_const(known, &a) && a == 1))
            l->extent[c] = dims[n];
        else if (tirbi_dim_const(known, &a) && tirbi_dim_const(dims[n], &e) && a != e && e != 1) {
            tirbi_relax_fail(b, call, "the subscript `%c` is of %lld and of %lld elements", c, (long long)a,
                             (long long)e);
            return false;
        } else {
            tirbi_relax_assume(b, known, dims[n]);
        }
        l->count[c]++;
        n++;
    }
    *at = text + size;
    return true;
}

type tirbi_relax_infer_einsum(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    uint32_t n, n_rest = 0, m = 0;
    const tirb_relax_type *const *operands = tirbi_relax_tensors_arg(b, call, 0, &n);
    const char *at = tirbi_relax_attr_text(call, "subscripts");
    const tirb_expr *const *rest = NULL;
    letters *l = TIRBI_NEW(b->arena, letters);
    if (!operands || !l) return NULL;
    tirb_datatype dtype = operands[0]->dtype;
    for (uint32_t i = 0; i < n; i++)
        if (!operands[i]->has_shape) return tirbi_relax_tensor_of_rank(b, -1, dtype);
    const tirb_expr **out = tirbi_relax_new_dims(b, 256 + TIRBI_MAX_RELAX_RANK);
    if (!out) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        const tirb_expr *const *one = NULL;
        uint32_t n_one = 0;
        if (i && *at++ != ',') return tirbi_relax_fail(b, call, "there are more operands than subscripts");
        if (!read_operand(b, call, l, &at, operands[i], &one, &n_one)) return NULL;
        if (n_one >= n_rest && one) {
            rest = one;
            n_rest = n_one;
        }
    }
    if (*at == ',') return tirbi_relax_fail(b, call, "there are more subscripts than operands");
    if (n_rest > TIRBI_MAX_RELAX_RANK) return tirbi_relax_fail(b, call, "too many dimensions");
    const char *result = strstr(at, "->");
    bool dots = result ? strchr(result, '.') != NULL : n_rest > 0;
    if (!result) {
        for (uint32_t i = 0; dots && i < n_rest; i++) out[m++] = rest[i];
        for (int c = 0; c < 256; c++)
            if (l->count[c] == 1) out[m++] = l->extent[c];
        return tirbi_relax_tensor(b, out, m, dtype);
    }
    for (const char *c = result + 2; *c && m < 256; c++) {
        if (*c == '.' && (c == result + 2 || c[-1] != '.'))
            for (uint32_t i = 0; i < n_rest; i++) out[m++] = rest[i];
        if (*c == '.' || *c == ' ') continue;
        if (!l->extent[(unsigned char)*c])
            return tirbi_relax_fail(b, call, "the subscript `%c` of the result is none of the operands'", *c);
        out[m++] = l->extent[(unsigned char)*c];
    }
    return tirbi_relax_tensor(b, out, m, dtype);
}
