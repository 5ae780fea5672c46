/* Rules of operators: reductions, shapes, indices, sorting, products (legal.h). Those of networks are in rules_nn.c. */
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/relax/infer/dims.h"
#include "compiler/relax/lower/legal.h"

static bool reduction(tirbi_legal *g) {
    int64_t axes[TIRBI_LEGAL_RANK];
    const uint32_t rank = tirbi_legal_rank_of(g, 0), n = tirbi_legal_axes_of(tirbi_legal_attr(g, "axis"), rank, axes);
    return tirbi_legal_give_reduced(g, axes, n, rank, tirbi_legal_is_true(g, "keepdims"));
}

static bool arg_reduction(tirbi_legal *g) {
    const bool whole = tirbi_legal_attr(g, "axis")->kind == TIRB_RELAX_ATTR_NONE;
    int64_t axes[TIRBI_LEGAL_RANK], placed[TIRBI_LEGAL_RANK];
    const uint32_t rank = tirbi_legal_rank_of(g, 0), n_result = tirbi_legal_result(g, 0)->ndim;
    const int64_t axis = tirbi_legal_axes_of(tirbi_legal_attr(g, "axis"), rank, axes) == 1 && !whole ? axes[0] : 0;
    if (whole && !tirbi_legal_flatten_input(g, 0)) return false;
    for (uint32_t i = 0; i < n_result; i++)
        placed[i] = whole || (tirbi_legal_is_true(g, "keepdims") && i == axis) ? -1
                    : tirbi_legal_is_true(g, "keepdims") && i > axis           ? (int64_t)i - 1
                                                                               : (int64_t)i;
    return tirbi_legal_give_list(g, "placed", placed, n_result) && tirbi_legal_give_integer(g, "axis", axis);
}

static bool scan(tirbi_legal *g) {
    if (tirbi_legal_attr(g, "axis")->kind == TIRB_RELAX_ATTR_NONE) return tirbi_legal_flatten_input(g, 0);
    return true;
}

static bool permute(tirbi_legal *g) {
    int64_t axes[TIRBI_LEGAL_RANK];
    const uint32_t rank = tirbi_legal_rank_of(g, 0), n = tirbi_legal_axes_of(tirbi_legal_attr(g, "axes"), rank, axes);
    if (tirbi_legal_attr(g, "axes")->kind == TIRB_RELAX_ATTR_NONE)
        for (uint32_t i = 0; i < rank; i++) axes[i] = rank - 1 - i;
    return tirbi_legal_give_list(g, "axes", axes, n);
}

static bool repeat(tirbi_legal *g) {
    if (tirbi_legal_attr(g, "axis")->kind == TIRB_RELAX_ATTR_NONE) return tirbi_legal_flatten_input(g, 0);
    return true;
}

static bool tile(tirbi_legal *g) {
    const tirb_expr *shape[TIRBI_LEGAL_RANK];
    const uint32_t rank = tirbi_legal_rank_of(g, 0), n = tirbi_legal_result(g, 0)->ndim;
    if (n > TIRBI_LEGAL_RANK || rank > n) return tirbi_legal_refuse(g, "for this many dimensions");
    for (uint32_t i = 0; i < n; i++)
        shape[i] = i < n - rank ? tirbi_legal_number(g, 1) : tirbi_legal_tensor(g, 0)->shape[i - (n - rank)];
    g->inputs[0] = tirbi_legal_reshaped(g, g->inputs[0], shape, n);
    return g->inputs[0] != NULL;
}

/* The numbers of one axis of a slice: which, where it begins, its stride (NULL: 1). */
static void slice_bounds(const tirbi_legal *g, uint32_t i, const tirb_expr *out[3]) {
    const tirb_relax_expr *const *args = g->call->as.call.args;
    static const uint32_t places[3] = {1, 2, 4};
    for (uint32_t k = 0; k < 3; k++) {
        const bool given = places[k] < g->call->as.call.n_args;
        out[k] = given && args[places[k]]->as.tuple.items[i]->kind == TIRB_RELAX_PRIM
                     ? args[places[k]]->as.tuple.items[i]->as.prim
                     : NULL;
    }
}

/* A begin that is computed, counted from the front and no further than there is something. */
static const tirb_expr *begin_of(tirbi_legal *g, const tirb_expr *begin, const tirb_expr *size, bool back) {
    tirbi_builder *b = &g->l->b;
    if (tirbi_legal_is_true(g, "assume_inbound")) return begin;
    const tirb_expr *zero = tirbi_legal_number(g, 0), *least = tirbi_legal_number(g, back ? -1 : 0), *most = size;
    if (!zero || !least) return NULL;
    if (back) most = tirbi_make_binary(b, g->span, TIRB_EXPR_SUB, size, tirbi_legal_number(g, 1));
    const tirb_expr *below = tirbi_make_compare(b, g->span, TIRB_EXPR_LT, begin, zero);
    const tirb_expr *counted = tirbi_make_binary(b, g->span, TIRB_EXPR_ADD, begin, size);
    if (!below || !counted || !most) return NULL;
    begin = tirbi_make_if_then_else(b, g->span, below, counted, begin);
    begin = begin ? tirbi_make_binary(b, g->span, TIRB_EXPR_MAX, begin, least) : NULL;
    return begin ? tirbi_make_binary(b, g->span, TIRB_EXPR_MIN, begin, most) : NULL;
}

/* A slice of one axis without a stride that begins at a number which is computed: part of the operand. */
static bool slice_of_computed(tirbi_legal *g, int64_t axis, const tirb_expr *begin) {
    begin = begin_of(g, begin, tirbi_legal_tensor(g, 0)->shape[axis], false);
    g->def = "part";
    g->n_inputs = 2;
    return begin && (g->inputs[1] = tirbi_legal_scalar(g, begin)) && tirbi_legal_give_integer(g, "axis", axis);
}

static void store_number(tirbi_legal *g, const tirbi_relax_held *row, uint32_t i, const tirb_expr *value) {
    const tirb_expr **at = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, 1);
    if (at && value && (at[0] = tirbi_legal_number(g, i)))
        tirbi_emit_store(&g->l->b, g->span, row->buffer, value, at, 1, NULL);
}

/* One of several axes, of which some begin at numbers that are computed: begins and strides are tensors. */
static bool slice_of_several(tirbi_legal *g, const tirb_expr *const *begin, const int64_t *stride) {
    const uint32_t rank = tirbi_legal_rank_of(g, 0);
    const tirb_expr *n = tirbi_legal_number(g, rank);
    const tirbi_relax_held *first = n ? tirbi_legal_scratch(g, tirbi_type_i64, &n, 1) : NULL;
    const tirbi_relax_held *by = first ? tirbi_legal_scratch(g, tirbi_type_i64, &n, 1) : NULL;
    int64_t along[TIRBI_LEGAL_RANK];
    if (!by) return false;
    for (uint32_t i = 0; i < rank; i++) {
        const tirb_expr *size = tirbi_legal_tensor(g, 0)->shape[i];
        along[i] = i;
        store_number(g, first, i, begin[i] ? begin_of(g, begin[i], size, stride[i] < 0) : tirbi_legal_number(g, 0));
        store_number(g, by, i, tirbi_legal_number(g, stride[i]));
    }
    g->def = "dynamic_slice";
    g->inputs[1] = first;
    g->inputs[2] = by;
    g->n_inputs = 3;
    return !g->l->arena->failed && tirbi_legal_give_list(g, "along", along, rank);
}

/* Begins (NULL: the front) and strides of the dimensions; *n_computed: how many begin at no number that is known, the
 * last of them *axis. */
static bool read_slice(tirbi_legal *g, const tirb_expr **begin, int64_t *stride, uint32_t *n_computed, int64_t *axis) {
    const uint32_t rank = tirbi_legal_rank_of(g, 0), n_args = g->call->as.call.n_args;
    const tirb_relax_expr *const *args = g->call->as.call.args;
    if (rank > TIRBI_LEGAL_RANK || n_args < 4) return tirbi_legal_refuse(g, "in this form");
    for (uint32_t i = 1; i < n_args; i++)
        if (args[i]->kind != TIRB_RELAX_TUPLE || args[i]->as.tuple.n != args[1]->as.tuple.n)
            return tirbi_legal_refuse(g, "in this form");
    for (uint32_t i = 0; i < rank; i++) begin[i] = NULL, stride[i] = 1;
    *n_computed = 0;
    for (uint32_t i = 0; i < args[1]->as.tuple.n; i++) {
        const tirb_expr *e[3];
        slice_bounds(g, i, e);
        const bool has_stride = n_args > 4;
        if (!e[0] || e[0]->kind != TIRB_EXPR_INT_IMM || !e[1] ||
            (has_stride && (!e[2] || e[2]->kind != TIRB_EXPR_INT_IMM)))
            return tirbi_legal_refuse(g, "where its axes or strides are no numbers that are written out");
        int64_t along = e[0]->as.int_value, step = has_stride ? e[2]->as.int_value : 1;
        if (along < 0) along += rank;
        if (along < 0 || along >= rank) return tirbi_legal_refuse(g, "along this axis");
        begin[along] = e[1];
        stride[along] = step;
        const bool is_number = e[1]->kind == TIRB_EXPR_INT_IMM;
        if (is_number &&
            (tirbi_legal_tensor(g, 0)->shape[along]->kind == TIRB_EXPR_INT_IMM || step > 0 || e[1]->as.int_value < 0))
            continue;
        *axis = along;
        ++*n_computed;
    }
    return true;
}

bool tirbi_legal_slice_is_known(const tirbi_legal *g) {
    const tirb_expr *begin[TIRBI_LEGAL_RANK];
    int64_t stride[TIRBI_LEGAL_RANK], axis;
    uint32_t n_computed;
    tirbi_legal copy = *g;
    return read_slice(&copy, begin, stride, &n_computed, &axis) && n_computed == 0;
}

/* Begin and stride of each dimension. */
static bool strided_slice(tirbi_legal *g) {
    int64_t from[TIRBI_LEGAL_RANK], stride[TIRBI_LEGAL_RANK], from_end[TIRBI_LEGAL_RANK] = {0}, axis = 0;
    const tirb_expr *begin[TIRBI_LEGAL_RANK];
    const uint32_t rank = tirbi_legal_rank_of(g, 0);
    uint32_t n_computed, n_sliced = 0;
    if (!read_slice(g, begin, stride, &n_computed, &axis)) return false;
    for (uint32_t i = 0; i < rank; i++) n_sliced += begin[i] != NULL;
    if (n_computed > 0 && n_sliced == 1 && stride[axis] == 1) return slice_of_computed(g, axis, begin[axis]);
    if (n_computed > 0) return slice_of_several(g, begin, stride);
    for (uint32_t i = 0; i < rank; i++) {
        const tirb_expr *dim = tirbi_legal_tensor(g, 0)->shape[i];
        from[i] = begin[i] ? begin[i]->as.int_value : 0;
        if (dim->kind != TIRB_EXPR_INT_IMM) {
            from_end[i] = from[i] < 0;
            continue;
        }
        const int64_t d = dim->as.int_value, least = stride[i] > 0 ? 0 : -1, most = stride[i] > 0 ? d : d - 1;
        if (from[i] < 0) from[i] += d;
        if (from[i] < 0) from[i] = least;
        if (from[i] > most) from[i] = most;
    }
    g->def = "slice";
    g->n_inputs = 1;
    return tirbi_legal_give_list(g, "begin", from, rank) && tirbi_legal_give_list(g, "stride", stride, rank) &&
           tirbi_legal_give_list(g, "from_end", from_end, rank);
}

static bool take(tirbi_legal *g) {
    if (tirbi_legal_attr(g, "axis")->kind == TIRB_RELAX_ATTR_NONE) return tirbi_legal_give_integer(g, "axis", 0);
    return true;
}

static bool one_hot(tirbi_legal *g) {
    const int64_t axis = tirbi_legal_attr(g, "axis")->as.integer;
    return tirbi_legal_give_integer(g, "axis", axis < 0 ? axis + tirbi_legal_rank_of(g, 0) + 1 : axis);
}

/* `turned` puts what follows all indices in place of that on the axis. */
static bool along_axis(tirbi_legal *g) {
    int64_t turned[TIRBI_LEGAL_RANK], along[1];
    const uint32_t rank = tirbi_legal_rank_of(g, 0);
    along[0] = tirbi_legal_attr(g, "axis")->as.integer;
    if (along[0] < 0) along[0] += rank;
    for (uint32_t i = 0; i < rank && i < TIRBI_LEGAL_RANK; i++) turned[i] = i == along[0] ? (int64_t)rank : (int64_t)i;
    if (!tirb_relax_is_call(g->call, TIRB_RELAX_SCATTER_ELEMENTS))
        return tirbi_legal_give_list(g, "turned", turned, rank);
    const char *how = tirbi_legal_attr(g, "reduction")->as.text;
    static const char *const names[][2] = {{"update", "scatter_elements"}, {"add", "scatter_add"},
                                           {"mul", "scatter_mul"},         {"min", "scatter_min"},
                                           {"max", "scatter_max"},         {"mean", "scatter_mean"}};
    g->def = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], how) == 0) g->def = names[i][1];
    return g->def ? tirbi_legal_give_list(g, "turned", turned, rank) && tirbi_legal_give_list(g, "along", along, 1)
                  : tirbi_legal_refuse(g, "with this reduction");
}

static bool full(tirbi_legal *g) {
    g->def = "full";
    if (tirb_relax_is_call(g->call, TIRB_RELAX_FULL_LIKE)) g->inputs[0] = g->inputs[1];
    g->n_inputs = 1;
    return true;
}

static bool zeros(tirbi_legal *g) {
    g->def = "constant";
    g->n_inputs = 0;
    return tirbi_legal_give_integer(g, "value", 0);
}

static bool ones(tirbi_legal *g) { return zeros(g) && tirbi_legal_give_integer(g, "value", 1); }

static bool triangle(tirbi_legal *g) {
    g->n_inputs =
        tirb_relax_is_call(g->call, TIRB_RELAX_EYE) || tirb_relax_is_call(g->call, TIRB_RELAX_EYE_LIKE) ? 0 : 1;
    if (g->n_inputs == 0) g->def = "eye";
    return true;
}

/* Vectors are matrices of one row or column. */
static bool matmul(tirbi_legal *g) {
    const tirb_buffer *a = tirbi_legal_tensor(g, 0), *b = tirbi_legal_tensor(g, 1), *y = tirbi_legal_result(g, 0);
    const tirb_expr *shape[TIRBI_LEGAL_RANK + 2], *one = tirbi_legal_number(g, 1);
    if (a->ndim > 1 && b->ndim > 1) return true;
    if (y->ndim > TIRBI_LEGAL_RANK || !one) return tirbi_legal_refuse(g, "for this many dimensions");
    uint32_t n = 0;
    for (uint32_t i = 0; i + (b->ndim == 1 ? 0 : 1) < y->ndim; i++) shape[n++] = y->shape[i];
    if (a->ndim == 1) {
        const tirb_expr *row[2] = {one, a->shape[0]};
        if (!(g->inputs[0] = tirbi_legal_reshaped(g, g->inputs[0], row, 2))) return false;
        shape[n++] = one;
    }
    shape[n++] = b->ndim == 1 ? one : y->shape[y->ndim - 1];
    if (b->ndim == 1) {
        const tirb_expr *column[2] = {b->shape[0], one};
        if (!(g->inputs[1] = tirbi_legal_reshaped(g, g->inputs[1], column, 2))) return false;
    }
    g->outputs[0] = tirbi_legal_reshaped(g, g->outputs[0], shape, n);
    return g->outputs[0] != NULL;
}

static bool collapse(tirbi_legal *g) {
    int64_t kept[TIRBI_LEGAL_RANK];
    const tirb_buffer *x = tirbi_legal_tensor(g, 0), *y = tirbi_legal_result(g, 0);
    if (y->ndim > x->ndim || y->ndim > TIRBI_LEGAL_RANK) return tirbi_legal_refuse(g, "to this shape");
    for (uint32_t i = 0; i < y->ndim; i++) {
        const uint32_t from = x->ndim - y->ndim + i;
        kept[i] = tirbi_expr_equal(x->shape[from], y->shape[i]) ? (int64_t)from : -1;
    }
    g->def = "collapse_sum_to";
    g->n_inputs = 1;
    return tirbi_legal_give_list(g, "kept", kept, y->ndim);
}

static bool reverse_sequence(tirbi_legal *g) {
    int64_t batch[1], along[1], turned[TIRBI_LEGAL_RANK];
    const uint32_t rank = tirbi_legal_rank_of(g, 0);
    batch[0] = tirbi_legal_attr(g, "batch_axis")->as.integer;
    along[0] = tirbi_legal_attr(g, "seq_axis")->as.integer;
    if (batch[0] < 0) batch[0] += rank;
    if (along[0] < 0) along[0] += rank;
    for (uint32_t i = 0; i < rank; i++) turned[i] = i == along[0] ? (int64_t)rank : (int64_t)i;
    return tirbi_legal_give_list(g, "batch", batch, 1) && tirbi_legal_give_list(g, "along", along, 1) &&
           tirbi_legal_give_list(g, "turned", turned, rank);
}

/* What the library's function is asked, behind its arrays. */
typedef struct sorting {
    const char *function;
    const char *which; /* of topk: what it gives; else NULL */
    int64_t k, axis;
    bool ascends;
} sorting;

/* The call of the library's function: its name, the arrays, then what it is asked. */
static bool emit_sort(const void *context, tirbi_builder *b, const tirb_primfunc *f) {
    const tirbi_legal *g = context;
    const sorting *how = g->sorting;
    const tirb_expr **args = TIRBI_NEW_ARRAY(b->arena, const tirb_expr *, f->n_params + 5);
    uint32_t n = 0;
    if (!args) return false;
    args[n++] = tirbi_make_string(b, g->span, how->function, (uint32_t)strlen(how->function));
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirb_buffer *buffer = f->buffers[i];
        const tirb_expr **parts = TIRBI_NEW_ARRAY(b->arena, const tirb_expr *, 6);
        if (!parts) return false;
        parts[0] = buffer->data;
        parts[1] = tirbi_make_call(b, g->span, tirbi_type_handle, TIRB_BUILTIN_TVM_STACK_MAKE_SHAPE, buffer->shape,
                                   buffer->ndim);
        parts[2] = tirbi_make_int(b, g->span, tirbi_type_i32, 0);
        parts[3] = tirbi_make_int(b, g->span, tirbi_type_i32, buffer->ndim);
        parts[4] = tirbi_make_number(b, g->span, buffer->dtype, 0);
        parts[5] = parts[2];
        args[n++] = tirbi_make_call(b, g->span, tirbi_type_handle, TIRB_BUILTIN_TVM_STACK_MAKE_ARRAY, parts, 6);
    }
    if (how->which) args[n++] = tirbi_make_int(b, g->span, tirbi_type_i32, how->k);
    args[n++] = tirbi_make_int(b, g->span, tirbi_type_i32, how->axis);
    if (how->which) args[n++] = tirbi_make_string(b, g->span, how->which, (uint32_t)strlen(how->which));
    args[n++] = tirbi_make_bool(b, g->span, how->ascends);
    const tirb_expr *call = tirbi_make_call(b, g->span, tirbi_type_i32, TIRB_BUILTIN_CALL_PACKED, args, n);
    if (call) tirbi_emit_evaluate(b, g->span, call);
    return call != NULL;
}

static bool sort_by(tirbi_legal *g, sorting how) {
    sorting *copy = TIRBI_NEW(g->l->arena, sorting);
    if (!copy) return false;
    *copy = how;
    g->sorting = copy;
    g->body = emit_sort;
    return true;
}

static bool sort(tirbi_legal *g) {
    return sort_by(g, (sorting){.function = tirb_relax_is_call(g->call, TIRB_RELAX_ARGSORT) ? "tvm.contrib.sort.argsort"
                                                                                            : "tvm.contrib.sort.sort",
                                .axis = tirbi_legal_attr(g, "axis")->as.integer,
                                .ascends = !tirbi_legal_is_true(g, "descending")});
}

bool tirbi_legal_argsort(tirbi_legal *g, const tirbi_relax_held *x, const tirbi_relax_held *order, int64_t axis,
                         bool ascends) {
    tirbi_legal part = *g;
    part.def = "argsort";
    part.inputs[0] = x;
    part.outputs[0] = order;
    part.n_inputs = part.n_outputs = 1;
    return sort_by(&part, (sorting){"tvm.contrib.sort.argsort", .axis = axis, .ascends = ascends}) &&
           tirbi_legal_emit(&part);
}

static bool topk(tirbi_legal *g) {
    const char *which = tirbi_legal_attr(g, "ret_type")->as.text;
    const tirb_expr *dim = NULL;
    const int64_t axis = tirbi_legal_attr(g, "axis")->as.integer, k = tirbi_legal_attr(g, "k")->as.integer;
    const uint32_t rank = tirbi_legal_rank_of(g, 0);
    if (axis >= -(int64_t)rank && axis < (int64_t)rank)
        dim = tirbi_legal_tensor(g, 0)->shape[axis < 0 ? axis + rank : axis];
    if (!dim || (dim->kind == TIRB_EXPR_INT_IMM && k > dim->as.int_value))
        return tirbi_legal_refuse(g, "for more elements than there are");
    if (strcmp(which, "values") == 0) g->def = "topk_values";
    if (strcmp(which, "indices") == 0) g->def = "topk_indices";
    return sort_by(g, (sorting){"tvm.contrib.sort.topk", .which = which, .k = k, .axis = axis,
                                .ascends = !tirbi_legal_is_true(g, "largest")});
}

static bool median(tirbi_legal *g) {
    const tirb_relax_attr *a = tirbi_legal_attr(g, "axis");
    const bool whole = a->kind == TIRB_RELAX_ATTR_NONE;
    const uint32_t n_result = tirbi_legal_result(g, 0)->ndim;
    int64_t axes[TIRBI_LEGAL_RANK], placed[TIRBI_LEGAL_RANK];
    if (!whole && tirbi_legal_axes_of(a, tirbi_legal_rank_of(g, 0), axes) != 1)
        return tirbi_legal_refuse(g, "over several dimensions");
    const int64_t axis = whole ? 0 : axes[0];
    if (whole && !tirbi_legal_flatten_input(g, 0)) return false;
    for (uint32_t i = 0; i < n_result; i++)
        placed[i] = whole || (tirbi_legal_is_true(g, "keepdims") && i == axis) ? -1
                    : tirbi_legal_is_true(g, "keepdims") && i > axis           ? (int64_t)i - 1
                                                                               : (int64_t)i;
    tirbi_legal order = *g;
    order.def = "argsort";
    order.n_outputs = 1;
    g->inputs[1] = order.outputs[0] =
        tirbi_legal_scratch(g, tirbi_type_i64, tirbi_legal_tensor(g, 0)->shape, tirbi_legal_rank_of(g, 0));
    g->n_inputs = 2;
    if (whole) g->def = "median_of_all";
    return g->inputs[1] && sort_by(&order, (sorting){"tvm.contrib.sort.argsort", .axis = axis, .ascends = true}) &&
           tirbi_legal_emit(&order) && tirbi_legal_give_list(g, "placed", placed, n_result) &&
           tirbi_legal_give_integer(g, "axis", axis);
}

/* `components`, `first`, `behind` and `batch` of operators whose indices have places in their last dimension. */
static bool nd_indices(tirbi_legal *g) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0), *indices = tirbi_legal_tensor(g, 1);
    const bool gathers = tirb_relax_is_call(g->call, TIRB_RELAX_GATHER_ND);
    const int64_t n_batch = gathers ? tirbi_legal_attr(g, "batch_dims")->as.integer : 0;
    int64_t list[TIRBI_LEGAL_RANK];
    if (indices->ndim == 0 || indices->shape[indices->ndim - 1]->kind != TIRB_EXPR_INT_IMM)
        return tirbi_legal_refuse(g, "where the number of places is not written out");
    const int64_t n = indices->shape[indices->ndim - 1]->as.int_value, rank = x->ndim;
    if (n < 0 || n_batch < 0 || n_batch + n > rank || rank > TIRBI_LEGAL_RANK || indices->ndim > TIRBI_LEGAL_RANK)
        return tirbi_legal_refuse(g, "with these indices");
    for (uint32_t i = 0; i < TIRBI_LEGAL_RANK; i++) list[i] = i;
    const uint32_t n_first = indices->ndim - 1, n_behind = (uint32_t)(rank - n_batch - n);
    if (!tirbi_legal_give_list(g, "components", list, (uint32_t)n) ||
        !tirbi_legal_give_list(g, "first", list, n_first) ||
        !tirbi_legal_give_list(g, "batch", list, (uint32_t)n_batch))
        return false;
    for (uint32_t i = 0; i < n_behind; i++) list[i] = n_first + i;
    if (!tirbi_legal_give_list(g, "behind", list, n_behind)) return false;
    if (gathers) return true;
    g->def = tirbi_arena_format(g->l->arena, "scatter_nd_%s", tirbi_legal_attr(g, "reduction")->as.text);
    return g->def != NULL;
}

enum { MAX_OPERANDS = 3 };

/* The letters of einsum's subscripts; one that three points stand for is FIRST_POINT and on, counted from the right. */
enum { FIRST_POINT = 256 };

typedef struct subscripts {
    int letters[TIRBI_LEGAL_RANK];
    const tirb_expr *sizes[TIRBI_LEGAL_RANK];      /* of letters */
    uint32_t n_letters, n_points;                  /* n_points: dimensions that three points stand for, at the most */
    uint32_t count[FIRST_POINT];                   /* how often a letter stands */
    int parts[MAX_OPERANDS + 1][TIRBI_LEGAL_RANK]; /* of each operand, then of the result */
    uint32_t n[MAX_OPERANDS + 1];
} subscripts;

static bool add_letter(subscripts *s, uint32_t part, int letter) {
    if (s->n[part] == TIRBI_LEGAL_RANK) return false;
    s->parts[part][s->n[part]++] = letter;
    return true;
}

/* One part of the text: of an operand with `rank` dimensions, or of the result, whose points are all there are. */
static bool read_part(subscripts *s, uint32_t part, const char *text, size_t size, int64_t rank) {
    bool fits = true;
    int64_t named = 0;
    const bool is_result = rank < 0;
    for (size_t i = 0; i < size; i++) named += text[i] != '.' && text[i] != ' ';
    const int64_t n_points = is_result ? s->n_points : rank - named;
    if (n_points < 0 || n_points > TIRBI_LEGAL_RANK) return false;
    if (n_points > s->n_points && memchr(text, '.', size)) s->n_points = (uint32_t)n_points;
    for (size_t i = 0; i < size && fits; i++) {
        if (text[i] == ' ' || (text[i] == '.' && i > 0 && text[i - 1] == '.')) continue;
        for (int64_t k = n_points; text[i] == '.' && k-- > 0;) fits = fits && add_letter(s, part, FIRST_POINT + (int)k);
        if (text[i] == '.') continue;
        if (!is_result) s->count[(unsigned char)text[i]]++;
        fits = add_letter(s, part, (unsigned char)text[i]);
    }
    return fits && (is_result || s->n[part] == rank);
}

/* The numbers of a part's letters, in the order in which they first stand. */
static bool number_letters(subscripts *s, uint32_t part, const tirb_buffer *of, int64_t *numbers) {
    for (uint32_t i = 0; i < s->n[part]; i++) {
        uint32_t at = 0;
        while (at < s->n_letters && s->letters[at] != s->parts[part][i]) at++;
        if (at == TIRBI_LEGAL_RANK) return false;
        if (at == s->n_letters) s->letters[s->n_letters++] = s->parts[part][i];
        numbers[i] = at;
        if (!of) continue;
        const tirb_expr *size = of->shape[i], **known = &s->sizes[at];
        if (!*known) *known = size;
        int64_t x, y;
        if (tirbi_dim_const(size, &x) && tirbi_dim_const(*known, &y) && x != y) return false;
    }
    return true;
}

/* The indices of all letters in the order of the result, then of the others as they first appear. */
bool tirbi_legal_einsum(tirbi_legal *g, const tirbi_relax_held *tuple) {
    static const char *const names[] = {"of_first", "of_second", "of_third"};
    static const char *const defs[] = {"einsum_of_one", "einsum", "einsum_of_three"};
    const char *text = tirbi_legal_attr(g, "subscripts")->as.text, *arrow = strstr(text, "->");
    subscripts *s = TIRBI_NEW(g->l->arena, subscripts);
    int64_t of[MAX_OPERANDS + 1][TIRBI_LEGAL_RANK];
    const uint32_t n = tuple->n;
    if (!s || n < 1 || n > MAX_OPERANDS) return s && tirbi_legal_refuse(g, "with this many operands");
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_relax_held *h = g->inputs[i] = tuple->fields[i];
        const size_t size = strcspn(text, ",-");
        if (h->kind != TIRBI_RELAX_HELD_TENSOR || !read_part(s, i, text, size, h->buffer->ndim))
            return tirbi_legal_refuse(g, "with these operands");
        text += size + (text[size] == ',');
    }
    bool fits = true;
    if (arrow) fits = read_part(s, n, arrow + 2, strlen(arrow + 2), -1);
    for (uint32_t k = s->n_points; !arrow && k-- > 0;) fits = fits && add_letter(s, n, FIRST_POINT + (int)k);
    for (int c = 0; !arrow && c < FIRST_POINT; c++) fits = fits && (s->count[c] != 1 || add_letter(s, n, c));
    fits = fits && number_letters(s, n, NULL, of[n]);
    for (uint32_t i = 0; i < n; i++) fits = fits && number_letters(s, i, g->inputs[i]->buffer, of[i]);
    for (uint32_t i = 0; i < s->n_letters; i++) fits = fits && s->sizes[i];
    if (!fits) return tirbi_legal_refuse(g, "with these subscripts");
    g->n_inputs = n;
    g->def = defs[n - 1];
    for (uint32_t i = 0; i < n; i++)
        if (!tirbi_legal_give_list(g, names[i], of[i], s->n[i])) return false;
    return tirbi_legal_give_sizes(g, "letters", s->sizes, s->n_letters) &&
           tirbi_legal_give_list(g, "of_result", of[n], s->n[n]) && tirbi_legal_emit(g);
}

/* Loops over the operand's elements, whose variables are the map's. */
static bool emit_layout(const void *context, tirbi_builder *b, const tirb_primfunc *f) {
    const tirbi_legal *g = context;
    const tirb_relax_attr *map = tirbi_legal_attr(g, "index_map");
    const tirb_buffer *x = f->buffers[0], *y = f->buffers[1];
    const uint32_t depth = b->frames.n;
    for (uint32_t i = 0; i < x->ndim; i++) {
        tirb_stmt *loop = tirbi_make_stmt(b, g->span, TIRB_STMT_FOR);
        if (!loop) return false;
        loop->as.for_.var = map->as.map.vars[i];
        loop->as.for_.min = tirbi_make_int(b, g->span, map->as.map.vars[i]->dtype, 0);
        loop->as.for_.extent = x->shape[i];
        loop->as.for_.thread_tag = "";
        if (!loop->as.for_.min || !tirbi_frame_push(b, TIRBI_FRAME_FOR, loop, g->span)) return false;
    }
    const tirb_expr *value = tirbi_make_load(b, g->span, x, map->as.map.vars, x->ndim, NULL);
    if (value) tirbi_emit_store(b, g->span, y, value, map->as.map.indices, y->ndim, NULL);
    while (b->frames.n > depth && !b->arena->failed) tirbi_frame_pop(b);
    return value != NULL;
}

static bool layout_transform(tirbi_legal *g) {
    const tirb_relax_attr *map = tirbi_legal_attr(g, "index_map");
    if (map->as.map.n_vars != tirbi_legal_rank_of(g, 0) || map->as.map.n_indices != tirbi_legal_result(g, 0)->ndim)
        return tirbi_legal_refuse(g, "with this index map");
    for (uint32_t i = 0; i < map->as.map.n_vars; i++)
        if (!tirb_datatype_equal(map->as.map.vars[i]->dtype, tirbi_type_i64))
            return tirbi_legal_refuse(g, "with indices of other types than int64");
    if (tirbi_legal_attr(g, "pad_value")->kind != TIRB_RELAX_ATTR_NONE) g->def = "layout_transform_padded";
    g->body = emit_layout;
    return true;
}

static bool hamming_window(tirbi_legal *g) {
    g->n_inputs = 0;
    return true;
}

/* The gradient behind what says how its dimensions are written. */
static bool take_backward(tirbi_legal *g) {
    const tirbi_relax_held *gradient = g->inputs[0];
    g->inputs[0] = g->inputs[1];
    g->inputs[1] = g->inputs[2];
    g->inputs[2] = gradient;
    return tirbi_legal_attr(g, "axis")->kind != TIRB_RELAX_ATTR_NONE || tirbi_legal_give_integer(g, "axis", 0);
}

/* What tensors of indices broadcast to: 1s give way. */
static bool broadcast_shape(tirbi_legal *g, const tirbi_relax_held *tuple, const tirb_expr **shape, uint32_t *n) {
    *n = 0;
    for (uint32_t i = 0; i < tuple->n; i++) {
        if (tuple->fields[i]->kind != TIRBI_RELAX_HELD_TENSOR) return tirbi_legal_refuse(g, "with these indices");
        if (tuple->fields[i]->buffer->ndim > *n) *n = tuple->fields[i]->buffer->ndim;
    }
    if (*n + 1 > TIRBI_LEGAL_RANK) return tirbi_legal_refuse(g, "for this many dimensions");
    for (uint32_t d = 0; d < *n; d++) shape[d] = tirbi_legal_number(g, 1);
    for (uint32_t i = 0; i < tuple->n; i++) {
        const tirb_buffer *b = tuple->fields[i]->buffer;
        for (uint32_t d = 0; d < b->ndim; d++)
            if (!tirbi_is_const_int(b->shape[d], 1)) shape[*n - b->ndim + d] = b->shape[d];
    }
    return true;
}

/* index_tensor and index_put: the indices become places in a last dimension, as gather_nd and scatter_nd have them. */
bool tirbi_legal_indexed(tirbi_legal *g, const tirbi_relax_held *tuple) {
    const bool puts = tirb_relax_is_call(g->call, TIRB_RELAX_INDEX_PUT);
    const tirb_expr *shape[TIRBI_LEGAL_RANK];
    int64_t list[TIRBI_LEGAL_RANK];
    uint32_t n;
    if (tuple->kind != TIRBI_RELAX_HELD_TUPLE || g->n_inputs < 1 || g->inputs[0]->kind != TIRBI_RELAX_HELD_TENSOR ||
        tuple->n == 0 || tuple->n > tirbi_legal_rank_of(g, 0) || tirbi_legal_rank_of(g, 0) > TIRBI_LEGAL_RANK)
        return tirbi_legal_refuse(g, "with these indices");
    if (!broadcast_shape(g, tuple, shape, &n)) return false;
    if (puts && tuple->n != tirbi_legal_rank_of(g, 0))
        return tirbi_legal_refuse(g, "with fewer indices than dimensions");
    if (!(shape[n] = tirbi_legal_number(g, tuple->n))) return false;
    tirbi_legal part = *g;
    part.def = "place_component";
    part.n_inputs = 2;
    part.n_outputs = 1;
    if (!(part.outputs[0] = tirbi_legal_scratch(g, tirbi_type_i64, shape, n + 1))) return false;
    for (uint32_t i = 0; i < tuple->n; i++) {
        part.inputs[0] = tuple->fields[i];
        if (!tirbi_legal_give_integer(&part, "which", i) || !tirbi_legal_give_integer(&part, "wraps", puts) ||
            !(part.inputs[1] = tirbi_legal_scalar(g, tirbi_legal_tensor(g, 0)->shape[i])) || !tirbi_legal_emit(&part))
            return false;
    }
    for (uint32_t i = 0; i < TIRBI_LEGAL_RANK; i++) list[i] = i;
    if (!tirbi_legal_give_list(g, "components", list, tuple->n) || !tirbi_legal_give_list(g, "first", list, n) ||
        !tirbi_legal_give_list(g, "batch", list, 0))
        return false;
    for (uint32_t i = 0; i < tirbi_legal_rank_of(g, 0) - tuple->n; i++) list[i] = n + i;
    if (!tirbi_legal_give_list(g, "behind", list, tirbi_legal_rank_of(g, 0) - tuple->n)) return false;
    const tirbi_relax_held *values = puts ? tirbi_legal_reshaped(g, g->inputs[1], shape, n) : NULL;
    g->inputs[1] = part.outputs[0];
    g->inputs[2] = values;
    g->n_inputs = puts ? 3 : 2;
    g->def = !puts ? "gather_nd" : tirbi_legal_is_true(g, "accumulate") ? "scatter_nd_add" : "scatter_nd_update";
    return (!puts || values) && tirbi_legal_emit(g);
}

static bool first_operand(tirbi_legal *g) {
    g->n_inputs = 1;
    if (tirb_relax_is_call(g->call, TIRB_RELAX_BROADCAST_TO)) g->def = "broadcast_to";
    return true;
}

const tirbi_legal_rule tirbi_legal_rules[] = {
    {TIRB_RELAX_SUM, reduction, NULL},
    {TIRB_RELAX_PROD, reduction, NULL},
    {TIRB_RELAX_MAX, reduction, "greatest"},
    {TIRB_RELAX_MIN, reduction, "least"},
    {TIRB_RELAX_MEAN, reduction, NULL},
    {TIRB_RELAX_VARIANCE, reduction, NULL},
    {TIRB_RELAX_STD, reduction, NULL},
    {TIRB_RELAX_ARGMAX, arg_reduction, NULL},
    {TIRB_RELAX_ARGMIN, arg_reduction, NULL},
    {TIRB_RELAX_CUMSUM, scan, NULL},
    {TIRB_RELAX_CUMPROD, scan, NULL},
    {TIRB_RELAX_PERMUTE_DIMS, permute, NULL},
    {TIRB_RELAX_REPEAT, repeat, NULL},
    {TIRB_RELAX_TILE, tile, NULL},
    {TIRB_RELAX_STRIDED_SLICE, strided_slice, NULL},
    {TIRB_RELAX_BROADCAST_TO, first_operand, NULL},
    {TIRB_RELAX_COLLAPSE_SUM_TO, collapse, NULL},
    {TIRB_RELAX_COLLAPSE_SUM_LIKE, collapse, NULL},
    {TIRB_RELAX_REVERSE_SEQUENCE, reverse_sequence, NULL},
    {TIRB_RELAX_TAKE, take, NULL},
    {TIRB_RELAX_GATHER_ELEMENTS, along_axis, NULL},
    {TIRB_RELAX_SCATTER_ELEMENTS, along_axis, NULL},
    {TIRB_RELAX_ONE_HOT, one_hot, NULL},
    {TIRB_RELAX_FULL, full, NULL},
    {TIRB_RELAX_FULL_LIKE, full, NULL},
    {TIRB_RELAX_ZEROS, zeros, NULL},
    {TIRB_RELAX_ZEROS_LIKE, zeros, NULL},
    {TIRB_RELAX_ONES, ones, NULL},
    {TIRB_RELAX_ONES_LIKE, ones, NULL},
    {TIRB_RELAX_EYE, triangle, NULL},
    {TIRB_RELAX_EYE_LIKE, triangle, NULL},
    {TIRB_RELAX_TRIL, triangle, NULL},
    {TIRB_RELAX_TRIU, triangle, NULL},
    {TIRB_RELAX_MATMUL, matmul, NULL},
    {TIRB_RELAX_LAYOUT_TRANSFORM, layout_transform, NULL},
    {TIRB_RELAX_GATHER_ND, nd_indices, NULL},
    {TIRB_RELAX_SCATTER_ND, nd_indices, NULL},
    {TIRB_RELAX_SORT, sort, NULL},
    {TIRB_RELAX_ARGSORT, sort, NULL},
    {TIRB_RELAX_TOPK, topk, NULL},
    {TIRB_RELAX_MEDIAN, median, NULL},
    {TIRB_RELAX_HAMMING_WINDOW, hamming_window, NULL},
    {TIRB_RELAX_GRAD_TAKE_BACKWARD, take_backward, "take_backward"},
    {TIRB_RELAX_WHERE, NULL, "choose"},
    {TIRB_RELAX_WRAP_PARAM, NULL, "astype"},
    {TIRB_N_RELAX_OPS, NULL, NULL},
};
