/* Networks, images and vision. */
#include <string.h>

#include "compiler/relax/infer/infer.h"

typedef const tirb_relax_type *type;

static int64_t item(const tirb_relax_attr *list, uint32_t i) { return list->as.list.items[i].as.integer; }

static type fields_of(tirbi_relax_builder *b, type first, type second, type third) {
    const tirb_relax_type **fields = TIRBI_NEW_ARRAY(b->arena, const tirb_relax_type *, 3);
    if (!fields) return NULL;
    fields[0] = first;
    fields[1] = second;
    fields[2] = third;
    return tirbi_relax_tuple(b, fields, third ? 3 : 2);
}

/* ---- Layouts: "NCHW" names dimensions, spatial ones by D, H and W ------------------------------------------------ */

enum { MAX_SPATIAL = 3 };

typedef struct layout {
    const char *text;
    uint32_t n, first, second;     /* dimensions, and where N and C, or O and I, are */
    uint32_t spatial[MAX_SPATIAL]; /* where D, H and W are, in this order */
    uint32_t n_spatial;
} layout;

static bool find(const char *text, char letter, uint32_t *out) {
    const char *at = strchr(text, letter);
    *out = at ? (uint32_t)(at - text) : 0;
    return at != NULL;
}

static bool read_layout(tirbi_relax_builder *b, const tirb_relax_expr *call, const char *text, const char *letters,
                        uint32_t n_spatial, layout *out) {
    *out = (layout){.text = text, .n = (uint32_t)strlen(text)};
    uint32_t at;
    bool good = out->n == n_spatial + 2 && find(text, letters[0], &out->first) && find(text, letters[1], &out->second);
    for (const char *s = "DHW"; *s && good; s++)
        if (find(text, *s, &at)) out->spatial[out->n_spatial++ % MAX_SPATIAL] = at;
    if (good && out->n_spatial == n_spatial) return true;
    tirbi_relax_fail(b, call, "the layout \"%s\" is not supported", text);
    return false;
}

static bool has_rank(tirbi_relax_builder *b, const tirb_relax_expr *call, type t, uint32_t n) {
    if (t->ndim < 0 || (uint32_t)t->ndim == n) return true;
    tirbi_relax_fail(b, call, "%s has %d dimensions where the layout has %u", tirbi_relax_type_text(b, t), t->ndim, n);
    return false;
}

/* floor((size - taken) / stride) + 1 */
static const tirb_expr *windows(tirbi_dims *d, const tirb_expr *size, int64_t taken, int64_t stride) {
    const tirb_expr *rest = tirbi_dim_op(d, TIRB_EXPR_SUB, size, tirbi_dim(d, taken));
    const tirb_expr *count = tirbi_dim_op(d, TIRB_EXPR_FLOORDIV, rest, tirbi_dim(d, stride));
    return tirbi_dim_simplify(d, tirbi_dim_op(d, TIRB_EXPR_ADD, count, tirbi_dim(d, 1)));
}

/* ---- Convolution ------------------------------------------------------------------------------------------------- */

static bool positive(tirbi_relax_builder *b, const tirb_relax_expr *call, const char *name) {
    const tirb_relax_attr *list = tirbi_relax_attr_of(call, name);
    for (uint32_t i = 0; i < list->as.list.n; i++)
        if (item(list, i) < 1 || item(list, i) > INT32_MAX) {
            tirbi_relax_fail(b, call, "`%s` has %lld", name, (long long)item(list, i));
            return false;
        }
    return true;
}

static bool bounded(tirbi_relax_builder *b, const tirb_relax_expr *call, const char *name) {
    const tirb_relax_attr *list = tirbi_relax_attr_of(call, name);
    for (uint32_t i = 0; i < list->as.list.n; i++)
        if (item(list, i) < -INT32_MAX || item(list, i) > INT32_MAX) {
            tirbi_relax_fail(b, call, "`%s` has %lld", name, (long long)item(list, i));
            return false;
        }
    return true;
}

static bool channels_fit(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_expr *in,
                         const tirb_expr *weights, const tirb_expr *outputs, int64_t groups) {
    const tirb_expr *wanted = tirbi_dim_op(&b->dims, TIRB_EXPR_MUL, weights, tirbi_dim(&b->dims, groups));
    int64_t n;
    if (tirbi_relax_differ(b, in, wanted)) {
        tirbi_relax_fail(b, call, "the data's channels are not the weight's times %lld groups", (long long)groups);
        return false;
    }
    if (tirbi_dim_const(outputs, &n) && n % groups != 0) {
        tirbi_relax_fail(b, call, "%lld channels are not divided by %lld groups", (long long)n, (long long)groups);
        return false;
    }
    return true;
}

/* The extent of one spatial dimension; `k`: which. */
static const tirb_expr *conv_extent(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_expr *size,
                                    const tirb_expr *kernel, uint32_t k, uint32_t n_spatial) {
    tirbi_dims *d = &b->dims;
    const tirb_relax_attr *padding = tirbi_relax_attr_of(call, "padding");
    int64_t pads = item(padding, k) + item(padding, k + n_spatial);
    int64_t stride = item(tirbi_relax_attr_of(call, "strides"), k);
    int64_t dilation = item(tirbi_relax_attr_of(call, "dilation"), k);
    const tirb_relax_attr *extra = tirbi_relax_attr_of(call, "output_padding");
    const tirb_expr *reach =
        tirbi_dim_op(d, TIRB_EXPR_MUL, tirbi_dim(d, dilation), tirbi_dim_op(d, TIRB_EXPR_SUB, kernel, tirbi_dim(d, 1)));
    if (tirbi_relax_is_none(extra))
        return windows(d,
                       tirbi_dim_op(d, TIRB_EXPR_SUB, tirbi_dim_op(d, TIRB_EXPR_ADD, size, tirbi_dim(d, pads)), reach),
                       1, stride);
    const tirb_expr *spread =
        tirbi_dim_op(d, TIRB_EXPR_MUL, tirbi_dim_op(d, TIRB_EXPR_SUB, size, tirbi_dim(d, 1)), tirbi_dim(d, stride));
    spread = tirbi_dim_op(d, TIRB_EXPR_ADD, tirbi_dim_op(d, TIRB_EXPR_SUB, spread, tirbi_dim(d, pads)), reach);
    return tirbi_dim_simplify(d, tirbi_dim_op(d, TIRB_EXPR_ADD, spread, tirbi_dim(d, item(extra, k) + 1)));
}

static type convolution(tirbi_relax_builder *b, const tirb_relax_expr *call, bool transposed) {
    type x = tirbi_relax_tensor_arg(b, call, 0), w = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    uint32_t k = tirbi_relax_attr_of(call, "strides")->as.list.n, n;
    layout data, kernel, out;
    tirb_datatype dtype = w ? tirbi_relax_attr_dtype(call, "out_dtype", tirbi_type_void) : tirbi_type_void;
    int64_t groups = tirbi_relax_attr_int(call, "groups");
    if (!w || (dtype.bits == 0 && !tirbi_relax_same_dtype(b, call, x->dtype, w->dtype, &dtype))) return NULL;
    if (!read_layout(b, call, tirbi_relax_attr_text(call, "data_layout"), "NC", k, &data) ||
        !read_layout(b, call, tirbi_relax_attr_text(call, "kernel_layout"), "OI", k, &kernel) ||
        !read_layout(b, call, tirbi_relax_attr_text(call, "out_layout"), "NC", k, &out) ||
        !has_rank(b, call, x, data.n) || !has_rank(b, call, w, kernel.n))
        return NULL;
    if (!positive(b, call, "strides") || !positive(b, call, "dilation") || !bounded(b, call, "padding") ||
        !bounded(b, call, "output_padding"))
        return NULL;
    if (groups < 1) return tirbi_relax_fail(b, call, "%lld groups", (long long)groups);
    const tirb_relax_attr *extra = tirbi_relax_attr_of(call, "output_padding");
    for (uint32_t i = 0; transposed && i < k; i++)
        if (item(extra, i) >= item(tirbi_relax_attr_of(call, "strides"), i))
            return tirbi_relax_fail(b, call, "output_padding %lld is not below the stride", (long long)item(extra, i));
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), *const *kernels = tirbi_relax_dims(w, &n);
    const tirb_expr **result = tirbi_relax_new_dims(b, out.n);
    if (!dims || !kernels || !result) return tirbi_relax_tensor_of_rank(b, (int32_t)out.n, dtype);
    const tirb_expr *in = kernels[transposed ? kernel.first : kernel.second];
    const tirb_expr *outputs = kernels[transposed ? kernel.second : kernel.first];
    /* OIHW of a transposed convolution is IOHW: its I are the data's channels, its O those of a group. */
    if (transposed) {
        in = kernels[kernel.second];
        outputs = kernels[kernel.first];
        if (tirbi_relax_differ(b, dims[data.second], in))
            return tirbi_relax_fail(b, call, "the data's channels are not the weight's");
        outputs =
            tirbi_dim_simplify(&b->dims, tirbi_dim_op(&b->dims, TIRB_EXPR_MUL, outputs, tirbi_dim(&b->dims, groups)));
    } else if (!channels_fit(b, call, dims[data.second], in, outputs, groups)) {
        return NULL;
    }
    result[out.first] = dims[data.first];
    result[out.second] = outputs;
    for (uint32_t i = 0; i < k; i++)
        result[out.spatial[i]] = conv_extent(b, call, dims[data.spatial[i]], kernels[kernel.spatial[i]], i, k);
    return tirbi_relax_tensor(b, result, out.n, dtype);
}

type tirbi_relax_infer_conv(tirbi_relax_builder *b, const tirb_relax_expr *call) { return convolution(b, call, false); }

type tirbi_relax_infer_conv_transpose(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    return convolution(b, call, true);
}

/* ---- Pooling ----------------------------------------------------------------------------------------------------- */

/* One window less where the last of `out` begins at `size + before` or behind it. Those are (size - taken) // stride
 * + 1: it does where what the quotient leaves is no more than the difference of the two. */
static const tirb_expr *fewer_windows(tirbi_relax_builder *b, const tirb_expr *out, const tirb_expr *size,
                                      int64_t taken, int64_t before, int64_t stride) {
    tirbi_dims *d = &b->dims;
    const int64_t most = -taken - before;
    int64_t left;
    if (most < 0) return out;
    const tirb_expr *numerator = tirbi_dim_op(d, TIRB_EXPR_SUB, size, tirbi_dim(d, taken));
    const tirb_expr *rest = tirbi_dim_simplify(d, tirbi_dim_op(d, TIRB_EXPR_FLOORMOD, numerator, tirbi_dim(d, stride)));
    const tirb_expr *less = tirbi_dim_simplify(d, tirbi_dim_op(d, TIRB_EXPR_SUB, out, tirbi_dim(d, 1)));
    if (!rest || !less) return NULL;
    if (most >= stride - 1 || (tirbi_dim_const(rest, &left) && left <= most)) return less;
    if (tirbi_dim_const(rest, &left)) return out;
    const tirb_expr *behind =
        tirbi_make_compare(b->base, b->at, most == 0 ? TIRB_EXPR_EQ : TIRB_EXPR_LE, rest, tirbi_dim(d, most));
    return behind ? tirbi_make_if_then_else(b->base, b->at, behind, less, out) : NULL;
}

static const tirb_expr *pool_extent(tirbi_relax_builder *b, const tirb_relax_expr *call, const tirb_expr *size,
                                    uint32_t i, uint32_t k) {
    const tirb_relax_attr *padding = tirbi_relax_attr_of(call, "padding");
    int64_t before = item(padding, i), pads = before + item(padding, i + k);
    int64_t stride = item(tirbi_relax_attr_of(call, "strides"), i);
    int64_t reach =
        item(tirbi_relax_attr_of(call, "dilation"), i) * (item(tirbi_relax_attr_of(call, "pool_size"), i) - 1);
    bool up = tirbi_relax_attr_bool(call, "ceil_mode");
    int64_t taken = reach + 1 - pads - (up ? stride - 1 : 0), extent, count;
    const tirb_expr *out = windows(&b->dims, size, taken, stride);
    if (!up) return out;
    /* No window begins behind the operand and the padding before it. */
    if (!tirbi_dim_const(size, &extent)) return fewer_windows(b, out, size, taken, before, stride);
    if (!tirbi_dim_const(out, &count) || extent > INT64_MAX / 2) return out;
    return (count - 1) * stride >= extent + before ? tirbi_dim(&b->dims, count - 1) : out;
}

type tirbi_relax_infer_pool(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    uint32_t k = tirbi_relax_attr_of(call, "strides")->as.list.n, n;
    layout data, out;
    if (!x || !read_layout(b, call, tirbi_relax_attr_text(call, "layout"), "NC", k, &data) ||
        !read_layout(b, call, tirbi_relax_attr_text(call, "out_layout"), "NC", k, &out) ||
        !has_rank(b, call, x, data.n))
        return NULL;
    if (!positive(b, call, "strides") || !positive(b, call, "dilation") || !positive(b, call, "pool_size") ||
        !bounded(b, call, "padding"))
        return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **result = tirbi_relax_new_dims(b, out.n);
    if (!dims || !result) return tirbi_relax_tensor_of_rank(b, (int32_t)out.n, x->dtype);
    result[out.first] = dims[data.first];
    result[out.second] = dims[data.second];
    for (uint32_t i = 0; i < k; i++) result[out.spatial[i]] = pool_extent(b, call, dims[data.spatial[i]], i, k);
    return tirbi_relax_tensor(b, result, out.n, x->dtype);
}

type tirbi_relax_infer_adaptive_pool(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_attr *size = tirbi_relax_attr_of(call, "output_size");
    const char *text = tirbi_relax_attr_text(call, "layout");
    uint32_t k = (uint32_t)strlen(text) - 2, n;
    layout data, out;
    if (!x || !read_layout(b, call, text, "NC", k, &data) ||
        !read_layout(b, call, tirbi_relax_attr_text(call, "out_layout"), "NC", k, &out) ||
        !has_rank(b, call, x, data.n))
        return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **result = tirbi_relax_new_dims(b, out.n);
    if (!dims || !result) return tirbi_relax_tensor_of_rank(b, (int32_t)out.n, x->dtype);
    if (!tirbi_relax_is_none(size) && size->as.list.n != k)
        return tirbi_relax_fail(b, call, "output_size has %u extents for %u dimensions", size->as.list.n, k);
    result[out.first] = dims[data.first];
    result[out.second] = dims[data.second];
    for (uint32_t i = 0; i < k; i++)
        result[out.spatial[i]] = tirbi_relax_is_none(size) ? dims[data.spatial[i]] : tirbi_dim(&b->dims, item(size, i));
    return tirbi_relax_tensor(b, result, out.n, x->dtype);
}

type tirbi_relax_infer_pad(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_attr *width = tirbi_relax_attr_of(call, "pad_width");
    uint32_t n;
    if (!x || !bounded(b, call, "pad_width")) return NULL;
    if (x->ndim < 0) return tirbi_relax_tensor_of_rank(b, -1, x->dtype);
    if (width->as.list.n != 2 * (uint32_t)x->ndim)
        return tirbi_relax_fail(b, call, "pad_width has %u numbers for %d dimensions", width->as.list.n, x->ndim);
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = tirbi_relax_new_dims(b, n);
    if (!dims || !out) return tirbi_relax_tensor_of_rank(b, x->ndim, x->dtype);
    for (uint32_t i = 0; i < n; i++)
        out[i] = tirbi_dim_op(&b->dims, TIRB_EXPR_ADD, dims[i],
                              tirbi_dim(&b->dims, item(width, 2 * i) + item(width, 2 * i + 1)));
    return tirbi_relax_tensor(b, out, n, x->dtype);
}

type tirbi_relax_infer_pixel_shuffle(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    int64_t r = tirbi_relax_attr_int(call, "upscale_factor"), channels;
    uint32_t n;
    if (!x) return NULL;
    if (r < 1 || r > INT32_MAX) return tirbi_relax_fail(b, call, "upscale_factor is %lld", (long long)r);
    if (x->ndim >= 0 && x->ndim < 3)
        return tirbi_relax_fail(b, call, "the tensor has %d dimensions; it needs 3", x->ndim);
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), **out = tirbi_relax_new_dims(b, n);
    if (!dims || !out) return tirbi_relax_tensor_of_rank(b, x->ndim, x->dtype);
    memcpy(out, dims, n * sizeof *out);
    if (tirbi_dim_const(dims[n - 3], &channels) && channels % (r * r) != 0)
        return tirbi_relax_fail(b, call, "%lld channels are not divided by %lld", (long long)channels,
                                (long long)(r * r));
    tirbi_dims *d = &b->dims;
    out[n - 3] = tirbi_dim_op(d, TIRB_EXPR_FLOORDIV, dims[n - 3], tirbi_dim(d, r * r));
    for (uint32_t i = n - 2; i < n; i++) out[i] = tirbi_dim_op(d, TIRB_EXPR_MUL, dims[i], tirbi_dim(d, r));
    return tirbi_relax_tensor(b, out, n, x->dtype);
}

/* ---- Normalisation ----------------------------------------------------------------------------------------------- */

type tirbi_relax_infer_softmax(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    uint32_t axis;
    if (!x || !tirbi_relax_needs_float(b, call, x)) return NULL;
    if (x->ndim >= 0 && !tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "axis"), x->ndim, &axis)) return NULL;
    return x;
}

type tirbi_relax_infer_prelu(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), alpha = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    uint32_t axis;
    if (!alpha || !tirbi_relax_needs_float(b, call, x)) return NULL;
    if (x->ndim < 0) return x;
    if (!tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "axis"), x->ndim, &axis)) return NULL;
    /* TVM compares the sizes where the operator is lowered. */
    const bool is_shared = alpha->ndim != 1 || !alpha->has_shape || tirbi_is_const_int(alpha->shape[0], 1);
    if (b->assumes && !is_shared && x->has_shape) tirbi_relax_assume(b, alpha->shape[0], x->shape[axis]);
    return x;
}

/* Whether each parameter from the second argument on has the shape of the data's axes. */
static bool parameters_fit(tirbi_relax_builder *b, const tirb_relax_expr *call, type x, const uint32_t *axes,
                           uint32_t n) {
    for (uint32_t i = 1; i < call->as.call.n_args; i++) {
        type p = tirbi_relax_tensor_arg(b, call, i);
        tirb_datatype dtype;
        if (!p || !tirbi_relax_same_dtype(b, call, x->dtype, p->dtype, &dtype)) return false;
        bool fits = p->ndim < 0 || (uint32_t)p->ndim == n;
        for (uint32_t j = 0; fits && p->has_shape && x->has_shape && j < n; j++)
            fits = !tirbi_relax_differ(b, p->shape[j], x->shape[axes[j]]);
        if (fits) continue;
        tirbi_relax_fail(b, call, "`%s` is of type %s, which does not fit the data, %s",
                         tirbi_relax_arg_name(b, call, i), tirbi_relax_type_text(b, p), tirbi_relax_type_text(b, x));
        return false;
    }
    return true;
}

type tirbi_relax_infer_layer_norm(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    uint32_t axes[TIRBI_MAX_RELAX_RANK], n;
    if (!x || !tirbi_relax_needs_float(b, call, x)) return NULL;
    if (x->ndim < 0) return x;
    if (!tirbi_relax_axes(b, call, tirbi_relax_attr_of(call, "axes"), x->ndim, axes, &n)) return NULL;
    return parameters_fit(b, call, x, axes, n) ? x : NULL;
}

type tirbi_relax_infer_group_norm(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_relax_attr *groups = tirbi_relax_attr_of(call, "num_groups");
    uint32_t axes[TIRBI_MAX_RELAX_RANK], n, channel;
    int64_t size;
    if (!x || !tirbi_relax_needs_float(b, call, x)) return NULL;
    if (x->ndim < 0) return x;
    if (!tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "channel_axis"), x->ndim, &channel) ||
        !tirbi_relax_axes(b, call, tirbi_relax_attr_of(call, "axes"), x->ndim, axes, &n))
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (axes[i] == channel) return tirbi_relax_fail(b, call, "the axis %u is the channel's", channel);
    if (!tirbi_relax_is_none(groups) && x->has_shape && tirbi_dim_const(x->shape[channel], &size) &&
        (groups->as.integer < 1 || size % groups->as.integer != 0))
        return tirbi_relax_fail(b, call, "%lld channels are not divided by %lld groups", (long long)size,
                                (long long)groups->as.integer);
    return parameters_fit(b, call, x, &channel, 1) ? x : NULL;
}

type tirbi_relax_infer_batch_norm(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    uint32_t axis = 0;
    if (!x || !tirbi_relax_needs_float(b, call, x)) return NULL;
    if (x->ndim >= 0 && (!tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "axis"), x->ndim, &axis) ||
                         !parameters_fit(b, call, x, &axis, 1)))
        return NULL;
    type vector = tirbi_relax_tensor_of_rank(b, 1, x->dtype);
    const tirb_expr **dim = tirbi_relax_new_dims(b, 1);
    if (x->has_shape && dim) {
        dim[0] = x->shape[axis];
        vector = tirbi_relax_tensor(b, dim, 1, x->dtype);
    }
    return fields_of(b, x, vector, vector);
}

type tirbi_relax_infer_dropout(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    return x ? fields_of(b, x, x, NULL) : NULL;
}

/* ---- Attention and losses ---------------------------------------------------------------------------------------- */

/* nn.attention with a bias is nn.attention_bias. */
bool tirbi_relax_prepare_attention(tirbi_relax_builder *b, tirb_relax_expr *call) {
    (void)b;
    call->as.call.op =
        &tirb_relax_operators[call->as.call.n_args > 3 ? TIRB_RELAX_NN_ATTENTION_BIAS : TIRB_RELAX_NN_ATTENTION];
    return true;
}

type tirbi_relax_infer_attention(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type t[4] = {NULL};
    tirb_datatype dtype;
    uint32_t n = call->as.call.n_args;
    bool known = true;
    for (uint32_t i = 0; i < n && i < 4; i++) {
        if (!(t[i] = tirbi_relax_tensor_arg(b, call, i))) return NULL;
        if (!tirbi_relax_same_dtype(b, call, t[0]->dtype, t[i]->dtype, &dtype)) return NULL;
        if (t[i]->ndim >= 0 && t[i]->ndim != 4)
            return tirbi_relax_fail(b, call, "`%s` has %d dimensions, not 4", tirbi_relax_arg_name(b, call, i),
                                    t[i]->ndim);
        known = known && t[i]->has_shape;
    }
    if (!known) return tirbi_relax_tensor_of_rank(b, 4, t[0]->dtype);
    const tirb_expr *const *q = t[0]->shape, *const *k = t[1]->shape, *const *v = t[2]->shape;
    const struct {
        const tirb_expr *x, *y;
        const char *what;
    } equal[] = {{q[0], k[0], "batches"}, {q[0], v[0], "batches"},  {q[2], k[2], "heads"},
                 {q[2], v[2], "heads"},   {q[3], k[3], "features"}, {k[1], v[1], "lengths"}};
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++)
        if (tirbi_relax_differ(b, equal[i].x, equal[i].y))
            return tirbi_relax_fail(b, call, "the operands differ in their %s", equal[i].what);
    const tirb_expr *scores[] = {q[0], q[2], q[1], k[1]};
    int64_t value;
    for (uint32_t i = 0; t[3] && i < 4; i++) {
        bool one = tirbi_dim_const(t[3]->shape[i], &value) && value == 1;
        if (!one && tirbi_relax_differ(b, t[3]->shape[i], scores[i]))
            return tirbi_relax_fail(b, call, "the bias does not broadcast to the scores in dimension %u", i);
    }
    const tirb_expr **out = tirbi_relax_new_dims(b, 4);
    if (!out) return NULL;
    out[0] = q[0];
    out[1] = q[1];
    out[2] = q[2];
    out[3] = v[3];
    return tirbi_relax_tensor(b, out, 4, t[0]->dtype);
}

type tirbi_relax_infer_nll_loss(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type p = tirbi_relax_tensor_arg(b, call, 0), t = p ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    const char *how = tirbi_relax_attr_text(call, "reduction");
    if (!t) return NULL;
    if (tirb_relax_knows_dtype(t) && !tirbi_type_is_int(t->dtype))
        return tirbi_relax_fail(b, call, "the targets are integers, not %s", tirbi_relax_type_text(b, t));
    if (p->ndim >= 0 && t->ndim >= 0 && p->ndim != t->ndim + 1)
        return tirbi_relax_fail(b, call, "the predictions have %d dimensions, the targets %d", p->ndim, t->ndim);
    if (call->as.call.n_args > 2) {
        type w = tirbi_relax_tensor_arg(b, call, 2);
        if (!w) return NULL;
        if (w->ndim >= 0 && w->ndim != 1)
            return tirbi_relax_fail(b, call, "the weights have one dimension, not %d", w->ndim);
    }
    bool none = strcmp(how, "none") == 0;
    if (!none && strcmp(how, "mean") != 0 && strcmp(how, "sum") != 0)
        return tirbi_relax_fail(b, call, "reduction is \"none\", \"mean\" or \"sum\", not \"%s\"", how);
    if (none) return tirbi_relax_with_dtype(b, t, p->dtype);
    const tirb_expr **scalar = tirbi_relax_new_dims(b, 0);
    return scalar ? tirbi_relax_tensor(b, scalar, 0, p->dtype) : NULL;
}

type tirbi_relax_infer_cross_entropy(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type p = tirbi_relax_tensor_arg(b, call, 0), l = p ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    tirb_datatype dtype;
    if (!l || !tirbi_relax_same_dtype(b, call, p->dtype, l->dtype, &dtype)) return NULL;
    if (p->ndim >= 0 && l->ndim >= 0 && p->ndim != l->ndim)
        return tirbi_relax_fail(b, call, "the predictions have %d dimensions, the labels %d", p->ndim, l->ndim);
    for (int32_t i = 0; p->has_shape && l->has_shape && i < p->ndim; i++)
        if (tirbi_relax_differ(b, p->shape[i], l->shape[i]))
            return tirbi_relax_fail(b, call, "the operands must have one shape, not %s and %s",
                                    tirbi_relax_type_text(b, p), tirbi_relax_type_text(b, l));
    const tirb_expr **scalar = tirbi_relax_new_dims(b, 0);
    return scalar ? tirbi_relax_tensor(b, scalar, 0, dtype) : NULL;
}

/* ---- Images ------------------------------------------------------------------------------------------------------ */

type tirbi_relax_infer_resize(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), size = call->as.call.args[1]->type;
    uint32_t k = tirb_relax_is_call(call, TIRB_RELAX_IMAGE_RESIZE3D) ? 3 : 2, n, m;
    layout data;
    if (!x || !read_layout(b, call, tirbi_relax_attr_text(call, "layout"), "NC", k, &data) ||
        !has_rank(b, call, x, data.n))
        return NULL;
    if (size->kind != TIRB_RELAX_TYPE_SHAPE || (size->ndim >= 0 && (uint32_t)size->ndim != k))
        return tirbi_relax_fail(b, call, "the size must be a shape of %u extents", k);
    tirb_datatype dtype = tirbi_relax_attr_dtype(call, "out_dtype", x->dtype);
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), *const *to = tirbi_relax_dims(size, &m);
    const tirb_expr **out = tirbi_relax_new_dims(b, data.n);
    if (!dims || !to || !out) return tirbi_relax_tensor_of_rank(b, (int32_t)data.n, dtype);
    memcpy(out, dims, data.n * sizeof *out);
    for (uint32_t i = 0; i < k; i++) out[data.spatial[i]] = to[i];
    return tirbi_relax_tensor(b, out, data.n, dtype);
}

type tirbi_relax_infer_grid_sample(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), grid = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    const char *text = tirbi_relax_attr_text(call, "layout");
    uint32_t k = (uint32_t)strlen(text) - 2, n;
    layout data;
    if (!grid || !read_layout(b, call, text, "NC", k, &data) || !has_rank(b, call, x, data.n) ||
        !has_rank(b, call, grid, data.n))
        return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), *const *places = tirbi_relax_dims(grid, &n);
    const tirb_expr **out = tirbi_relax_new_dims(b, data.n);
    if (!dims || !places || !out) return tirbi_relax_tensor_of_rank(b, (int32_t)data.n, x->dtype);
    memcpy(out, dims, data.n * sizeof *out);
    for (uint32_t i = 0; i < k; i++) out[data.spatial[i]] = places[2 + i];
    return tirbi_relax_tensor(b, out, data.n, x->dtype);
}

/* In two dimensions or three: the data is (n, 2, 3) or (n, 3, 4). */
type tirbi_relax_infer_affine_grid(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), size = call->as.call.args[1]->type;
    uint32_t n, n_space;
    int64_t value;
    if (!x) return NULL;
    if (x->ndim >= 0 && x->ndim != 3) return tirbi_relax_fail(b, call, "the data has 3 dimensions, not %d", x->ndim);
    if (size->kind != TIRB_RELAX_TYPE_SHAPE || (size->ndim >= 0 && size->ndim != 2 && size->ndim != 3))
        return tirbi_relax_fail(b, call, "the size must be a shape of 2 or 3 extents");
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), *const *to = tirbi_relax_dims(size, &n_space);
    if (!dims || !to) return tirbi_relax_tensor_of_rank(b, size->ndim < 0 ? -1 : size->ndim + 2, x->dtype);
    const tirb_expr **out = tirbi_relax_new_dims(b, n_space + 2);
    if (!out) return NULL;
    if ((tirbi_dim_const(dims[1], &value) && value != n_space) ||
        (tirbi_dim_const(dims[2], &value) && value != n_space + 1))
        return tirbi_relax_fail(b, call, "the data is of shape (n, %u, %u), not %s", (unsigned)n_space,
                                (unsigned)n_space + 1, tirbi_relax_type_text(b, x));
    out[0] = dims[0];
    out[1] = tirbi_dim(&b->dims, n_space);
    for (uint32_t i = 0; i < n_space; i++) out[2 + i] = to[i];
    return tirbi_relax_tensor(b, out, n_space + 2, x->dtype);
}

/* ---- Vision ------------------------------------------------------------------------------------------------------ */

type tirbi_relax_infer_roi(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0), rois = x ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    const tirb_relax_attr *size = tirbi_relax_attr_of(call, "pooled_size");
    uint32_t n;
    int64_t value;
    layout data;
    if (!rois || !read_layout(b, call, tirbi_relax_attr_text(call, "layout"), "NC", 2, &data) ||
        !has_rank(b, call, x, 4) || !has_rank(b, call, rois, 2))
        return NULL;
    const tirb_expr *const *dims = tirbi_relax_dims(x, &n), *const *boxes = tirbi_relax_dims(rois, &n);
    const tirb_expr **out = tirbi_relax_new_dims(b, 4);
    if (boxes && tirbi_dim_const(boxes[1], &value) && value != 5)
        return tirbi_relax_fail(b, call, "a region has 5 numbers, not %lld", (long long)value);
    if (!dims || !boxes || !out) return tirbi_relax_tensor_of_rank(b, 4, x->dtype);
    out[data.first] = boxes[0];
    out[data.second] = dims[data.second];
    for (uint32_t i = 0; i < 2; i++) out[data.spatial[i]] = tirbi_dim(&b->dims, item(size, i));
    return tirbi_relax_tensor(b, out, 4, x->dtype);
}

type tirbi_relax_infer_get_valid_counts(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    const tirb_expr **dims = tirbi_relax_new_dims(b, 2);
    if (!x || !has_rank(b, call, x, 3) || !dims) return NULL;
    if (!x->has_shape)
        return fields_of(b, tirbi_relax_tensor_of_rank(b, 1, tirbi_type_i32),
                         tirbi_relax_tensor_of_rank(b, 3, x->dtype), tirbi_relax_tensor_of_rank(b, 2, tirbi_type_i32));
    dims[0] = x->shape[0];
    dims[1] = x->shape[1];
    return fields_of(b, tirbi_relax_tensor(b, dims, 1, tirbi_type_i32), x,
                     tirbi_relax_tensor(b, dims, 2, tirbi_type_i32));
}

type tirbi_relax_infer_nms(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    if (!x || !has_rank(b, call, x, 3)) return NULL;
    if (!tirbi_relax_attr_bool(call, "return_indices")) return x;
    const tirb_expr **indices = tirbi_relax_new_dims(b, 2), **counts = tirbi_relax_new_dims(b, 2);
    if (!indices || !counts) return NULL;
    if (x->has_shape) {
        indices[0] = counts[0] = x->shape[0];
        indices[1] = x->shape[1];
        counts[1] = tirbi_dim(&b->dims, 1);
    }
    type unknown = x->has_shape ? NULL : tirbi_relax_tensor_of_rank(b, 2, tirbi_type_i32);
    type number = unknown ? unknown : tirbi_relax_tensor(b, indices, 2, tirbi_type_i32);
    type count = unknown ? unknown : tirbi_relax_tensor(b, counts, 2, tirbi_type_i32);
    return tirbi_relax_attr_of(call, "soft_nms_sigma")->as.real > 0 ? fields_of(b, x, number, count)
                                                                    : fields_of(b, number, count, NULL);
}

type tirbi_relax_infer_all_class_nms(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type boxes = tirbi_relax_tensor_arg(b, call, 0), scores = boxes ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    const char *format = tirbi_relax_attr_text(call, "output_format");
    if (!scores || !has_rank(b, call, boxes, 3) || !has_rank(b, call, scores, 3)) return NULL;
    bool onnx = strcmp(format, "onnx") == 0;
    if (!onnx && strcmp(format, "tensorflow") != 0)
        return tirbi_relax_fail(b, call, "output_format is \"onnx\" or \"tensorflow\", not \"%s\"", format);
    tirbi_dims *d = &b->dims;
    const tirb_expr **rows = tirbi_relax_new_dims(b, 2), **one = tirbi_relax_new_dims(b, 1);
    if (!rows || !one) return NULL;
    one[0] = tirbi_dim(d, 1);
    type count = tirbi_relax_tensor(b, one, 1, tirbi_type_i64);
    if (!boxes->has_shape || !scores->has_shape || !onnx)
        return fields_of(b, tirbi_relax_tensor_of_rank(b, onnx ? 2 : 3, tirbi_type_i64), count, NULL);
    const tirb_expr *n = tirbi_dim_op(d, TIRB_EXPR_MUL, boxes->shape[0], scores->shape[1]);
    rows[0] = tirbi_dim_simplify(d, tirbi_dim_op(d, TIRB_EXPR_MUL, n, boxes->shape[1]));
    rows[1] = tirbi_dim(d, 3);
    return fields_of(b, tirbi_relax_tensor(b, rows, 2, tirbi_type_i64), count, NULL);
}

type tirbi_relax_infer_multibox(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type p = tirbi_relax_tensor_arg(b, call, 0), l = p ? tirbi_relax_tensor_arg(b, call, 1) : NULL;
    type anchor = l ? tirbi_relax_tensor_arg(b, call, 2) : NULL;
    const tirb_expr **boxes = tirbi_relax_new_dims(b, 3);
    if (!anchor || !boxes || !has_rank(b, call, p, 3) || !has_rank(b, call, l, 2) || !has_rank(b, call, anchor, 3))
        return NULL;
    if (!p->has_shape)
        return fields_of(b, tirbi_relax_tensor_of_rank(b, 3, p->dtype), tirbi_relax_tensor_of_rank(b, 3, p->dtype),
                         NULL);
    boxes[0] = p->shape[0];
    boxes[1] = p->shape[2];
    boxes[2] = tirbi_dim(&b->dims, 4);
    return fields_of(b, tirbi_relax_tensor(b, boxes, 3, p->dtype), p, NULL);
}

/* ---- Quantisation and gradients ---------------------------------------------------------------------------------- */

static bool scale_fits(tirbi_relax_builder *b, const tirb_relax_expr *call, type x, uint32_t i) {
    type s = tirbi_relax_tensor_arg(b, call, i);
    uint32_t axis;
    int64_t value;
    if (!s) return false;
    if (x->ndim >= 0 && !tirbi_relax_axis(b, call, tirbi_relax_attr_int(call, "axis"), x->ndim ? x->ndim : 1, &axis))
        return false;
    if (s->ndim <= 0 || !s->has_shape || !x->has_shape || x->ndim == 0) return true;
    bool one = s->ndim == 1 && tirbi_dim_const(s->shape[0], &value) && value == 1;
    if (one || (s->ndim == 1 && !tirbi_relax_differ(b, s->shape[0], x->shape[axis]))) return true;
    tirbi_relax_fail(b, call, "`%s` is of type %s, which does not fit axis %u of %s", tirbi_relax_arg_name(b, call, i),
                     tirbi_relax_type_text(b, s), axis, tirbi_relax_type_text(b, x));
    return false;
}

static type quantized(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    if (!x || !scale_fits(b, call, x, 1) || !scale_fits(b, call, x, 2)) return NULL;
    return tirbi_relax_with_dtype(b, x, tirbi_relax_attr_dtype(call, "out_dtype", x->dtype));
}

type tirbi_relax_infer_quantize(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    type x = tirbi_relax_tensor_arg(b, call, 0);
    return x && tirbi_relax_needs_float(b, call, x) ? quantized(b, call) : NULL;
}

type tirbi_relax_infer_dequantize(tirbi_relax_builder *b, const tirb_relax_expr *call) { return quantized(b, call); }

type tirbi_relax_infer_like_second(tirbi_relax_builder *b, const tirb_relax_expr *call) {
    return tirbi_relax_tensor_arg(b, call, 1);
}
