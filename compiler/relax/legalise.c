/* Calls of operators to calls of PrimFuncs: which text an operator has, and which numbers its attributes give that
 * text. An operator without a rule here has the text of its name, its attributes by their names, and its axis counted
 * from the front. */
#include <string.h>

#include "compiler/ir/equal.h"
#include "compiler/relax/lowering.h"

enum { MAX_OPERANDS = 8, MAX_RANK = 64 };

typedef struct legal {
    tirbi_relax_lowering *l;
    const tirb_relax_expr *call;
    tirbi_span span;
    const char *def;                              /* which text */
    const tirbi_relax_held *inputs[MAX_OPERANDS]; /* NULL: not given */
    uint32_t n_inputs;
    const tirbi_relax_held *outputs[MAX_OPERANDS];
    uint32_t n_outputs;
    tirbi_list given;                                                            /* of tirbi_relax_given */
    const struct sorting *sorting;                                               /* what `body` sorts, where it does */
    bool (*body)(const void *context, tirbi_builder *b, const tirb_primfunc *f); /* see tirbi_relax_use */
} legal;

/* ---- What is given ---------------------------------------------------------------------------------------------- */

static const char *text_of(legal *g, const char *name, size_t size) {
    return tirbi_arena_format(g->l->arena, "%.*s", (int)size, name);
}

static tirbi_relax_given *give(legal *g, const char *name, tirbi_relax_given_kind kind) {
    tirbi_relax_given *items = g->given.items;
    for (uint32_t i = 0; i < g->given.n; i++)
        if (strcmp(items[i].name, name) == 0) {
            items[i].kind = kind;
            return &items[i];
        }
    tirbi_relax_given *added = TIRBI_LIST_ADD(g->l->arena, &g->given, tirbi_relax_given);
    if (added) *added = (tirbi_relax_given){.name = name, .kind = kind};
    return added;
}

static bool give_integer(legal *g, const char *name, int64_t value) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_INTEGER);
    if (it) it->as.integer = value;
    return it != NULL;
}

static bool give_real(legal *g, const char *name, double value) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_REAL);
    if (it) it->as.real = value;
    return it != NULL;
}

static bool give_type(legal *g, const char *name, tirb_datatype type) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_TYPE);
    if (it) it->as.type = type;
    return it != NULL;
}

static bool give_list(legal *g, const char *name, const int64_t *items, uint32_t n) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_LIST);
    int64_t *copy = TIRBI_NEW_ARRAY(g->l->arena, int64_t, n);
    if (!it || !copy) return false;
    if (n) memcpy(copy, items, n * sizeof *copy);
    it->as.list.items = copy;
    it->as.list.n = n;
    return true;
}

static bool give_sizes(legal *g, const char *name, const tirb_expr *const *items, uint32_t n) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_SIZES);
    const tirb_expr **copy = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, n);
    if (!it || !copy) return false;
    if (n) memcpy(copy, items, n * sizeof *copy);
    it->as.sizes.items = copy;
    it->as.sizes.n = n;
    return true;
}

static bool give_size(legal *g, const char *name, const tirb_expr *size) {
    return give_sizes(g, name, &size, 1) && give(g, name, TIRBI_RELAX_GIVEN_SIZE);
}

/* A number of the program that is written as one. One that is computed is not given: texts may do without. */
static bool give_number(legal *g, const char *name, const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_INT_IMM) return give_integer(g, name, e->as.int_value);
    return e->kind != TIRB_EXPR_FLOAT_IMM || give_real(g, name, e->as.float_value);
}

static bool give_attr(legal *g, const char *name, const tirb_relax_attr *a) {
    tirbi_relax_given *it;
    int64_t items[MAX_RANK];
    switch (a->kind) {
    case TIRB_RELAX_ATTR_BOOL:
        return give_integer(g, name, a->as.boolean);
    case TIRB_RELAX_ATTR_INT:
        return give_integer(g, name, a->as.integer);
    case TIRB_RELAX_ATTR_FLOAT:
        return give_real(g, name, a->as.real);
    case TIRB_RELAX_ATTR_EXPR:
        return give_number(g, name, a->as.expr);
    case TIRB_RELAX_ATTR_DTYPE:
        return give_type(g, name, a->as.dtype);
    case TIRB_RELAX_ATTR_NONE:
    case TIRB_RELAX_ATTR_STRING:
        it = give(g, name, TIRBI_RELAX_GIVEN_TEXT);
        if (it) it->as.text = a->kind == TIRB_RELAX_ATTR_STRING ? a->as.text : "none";
        return it != NULL;
    case TIRB_RELAX_ATTR_LIST:
        for (uint32_t i = 0; i < a->as.list.n; i++) {
            if (i >= MAX_RANK || a->as.list.items[i].kind != TIRB_RELAX_ATTR_INT) return true;
            items[i] = a->as.list.items[i].as.integer;
        }
        return give_list(g, name, items, a->as.list.n);
    default:
        return true;
    }
}

/* ---- What rules ask --------------------------------------------------------------------------------------------- */

static const tirb_relax_attr *attr(const legal *g, const char *name) { return tirbi_relax_attr_of(g->call, name); }
static bool is_true(const legal *g, const char *name) { return attr(g, name)->as.boolean; }
static uint32_t rank_of(const legal *g, uint32_t input) { return g->inputs[input]->buffer->ndim; }
static const tirb_buffer *tensor(const legal *g, uint32_t input) { return g->inputs[input]->buffer; }
static const tirb_buffer *result(const legal *g, uint32_t output) { return g->outputs[output]->buffer; }

static bool refuse(legal *g, const char *what) {
    return tirbi_relax_refuse_here(g->l, g->span, "R.%s is not lowered yet %s", g->call->as.call.op->name, what);
}

/* The integers of a list, negative ones counted from `rank`. */
static uint32_t axes_of(const tirb_relax_attr *a, uint32_t rank, int64_t out[MAX_RANK]) {
    uint32_t n = 0;
    if (a->kind == TIRB_RELAX_ATTR_INT) out[n++] = a->as.integer < 0 ? a->as.integer + rank : a->as.integer;
    for (uint32_t i = 0; a->kind == TIRB_RELAX_ATTR_LIST && i < a->as.list.n && n < MAX_RANK; i++) {
        const int64_t v = a->as.list.items[i].as.integer;
        out[n++] = v < 0 ? v + rank : v;
    }
    for (uint32_t i = 0; a->kind == TIRB_RELAX_ATTR_NONE && i < rank && i < MAX_RANK; i++) out[n++] = i;
    return n;
}

static bool has(const int64_t *items, uint32_t n, int64_t value) {
    for (uint32_t i = 0; i < n; i++)
        if (items[i] == value) return true;
    return false;
}

/* The tensor with another shape of as many elements. */
static const tirbi_relax_held *reshaped(legal *g, const tirbi_relax_held *h, const tirb_expr *const *shape,
                                        uint32_t n) {
    tirbi_relax_held *view = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_TENSOR);
    const tirb_expr **copy = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, n);
    if (!view || !copy) return NULL;
    if (n) memcpy(copy, shape, n * sizeof *copy);
    view->buffer = tirbi_relax_view(g->l, g->span, h->buffer, h->buffer->dtype, copy, n);
    return view->buffer ? view : NULL;
}

static const tirb_expr *number(legal *g, int64_t value) {
    return tirbi_make_int(&g->l->b, g->span, tirbi_type_i64, value);
}

static const tirb_expr *count_of(legal *g, const tirb_buffer *b) {
    const tirb_expr *n = number(g, 1);
    for (uint32_t i = 0; i < b->ndim; i++) n = tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_MUL, n, b->shape[i]);
    return n;
}

/* Input `i` as a row, for what has no axis. */
static bool flatten_input(legal *g, uint32_t i) {
    const tirb_expr *n = count_of(g, tensor(g, i));
    g->inputs[i] = n ? reshaped(g, g->inputs[i], &n, 1) : NULL;
    return g->inputs[i] && give_integer(g, "axis", 0);
}

/* `kept` and `reduced`: which dimensions of the operand the result has. */
static bool give_reduced(legal *g, const int64_t *axes, uint32_t n_axes, uint32_t rank, bool keepdims) {
    int64_t kept[MAX_RANK], reduced[MAX_RANK];
    uint32_t n_kept = 0, n_reduced = 0;
    for (uint32_t i = 0; i < rank; i++) {
        const bool is_reduced = has(axes, n_axes, i);
        if (is_reduced) reduced[n_reduced++] = i;
        if (!is_reduced || keepdims) kept[n_kept++] = is_reduced ? -1 : (int64_t)i;
    }
    return give_list(g, "kept", kept, n_kept) && give_list(g, "reduced", reduced, n_reduced);
}

static bool emit(legal *g);

/* A number that the text has for an operand: what is no size of a tensor is none of its function's. */
static const tirbi_relax_held *scalar(legal *g, const tirb_expr *value) {
    tirbi_relax_held *h = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_SCALAR);
    if (h) h->scalar = value;
    return h;
}

/* A tensor that the operator needs on its way. */
static const tirbi_relax_held *scratch(legal *g, tirb_datatype dtype, const tirb_expr *const *shape, uint32_t n) {
    tirb_relax_type *t = TIRBI_NEW(g->l->arena, tirb_relax_type);
    const tirb_expr **copy = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, n);
    if (!t || !copy) return NULL;
    if (n) memcpy(copy, shape, n * sizeof *copy);
    *t = (tirb_relax_type){
        .kind = TIRB_RELAX_TYPE_TENSOR, .dtype = dtype, .has_shape = true, .ndim = (int32_t)n, .shape = copy};
    return tirbi_relax_make_room(g->l, g->span, t, NULL);
}

/* ---- Rules ------------------------------------------------------------------------------------------------------ */

static bool reduction(legal *g) {
    int64_t axes[MAX_RANK];
    const uint32_t rank = rank_of(g, 0), n = axes_of(attr(g, "axis"), rank, axes);
    return give_reduced(g, axes, n, rank, is_true(g, "keepdims"));
}

static bool arg_reduction(legal *g) {
    const bool whole = attr(g, "axis")->kind == TIRB_RELAX_ATTR_NONE;
    int64_t axes[MAX_RANK], placed[MAX_RANK];
    const uint32_t rank = rank_of(g, 0), n_result = result(g, 0)->ndim;
    const int64_t axis = axes_of(attr(g, "axis"), rank, axes) == 1 && !whole ? axes[0] : 0;
    if (whole && !flatten_input(g, 0)) return false;
    for (uint32_t i = 0; i < n_result; i++)
        placed[i] = whole || (is_true(g, "keepdims") && i == axis) ? -1
                    : is_true(g, "keepdims") && i > axis           ? (int64_t)i - 1
                                                                   : (int64_t)i;
    return give_list(g, "placed", placed, n_result) && give_integer(g, "axis", axis);
}

static bool scan(legal *g) {
    if (attr(g, "axis")->kind == TIRB_RELAX_ATTR_NONE) return flatten_input(g, 0);
    return true;
}

static bool normalised_axes(legal *g) {
    int64_t axes[MAX_RANK];
    const uint32_t rank = rank_of(g, 0), n = axes_of(attr(g, "axes"), rank, axes);
    return give_reduced(g, axes, n, rank, false);
}

static bool instance_norm(legal *g) {
    int64_t axes[MAX_RANK], channel[1];
    const uint32_t rank = rank_of(g, 0), n = axes_of(attr(g, "axes"), rank, axes);
    channel[0] = attr(g, "channel_axis")->as.integer;
    if (channel[0] < 0) channel[0] += rank;
    return give_reduced(g, axes, n, rank, false) && give_list(g, "channel", channel, 1);
}

/* As an instance norm of what has the groups for channels. */
static bool group_norm(legal *g) {
    int64_t axes[MAX_RANK], inner[MAX_RANK], channel[2];
    const uint32_t rank = rank_of(g, 0), n = axes_of(attr(g, "axes"), rank, axes);
    int64_t at = attr(g, "channel_axis")->as.integer, groups = attr(g, "num_groups")->as.integer;
    const tirb_expr *shape[MAX_RANK], *halves[2];
    uint32_t n_inner = 0;
    if (at < 0) at += rank;
    if (rank + 1 > MAX_RANK || groups <= 0 || at < 0 || at >= rank || g->n_inputs != 3)
        return refuse(g, "for these axes");
    for (uint32_t i = 0, k = 0; i < rank; i++) {
        shape[k++] = i == at ? number(g, groups) : tensor(g, 0)->shape[i];
        if (i == at)
            shape[k++] =
                tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_FLOORDIV, tensor(g, 0)->shape[i], number(g, groups));
    }
    halves[0] = shape[at];
    halves[1] = shape[at + 1];
    for (uint32_t i = 0; i < n; i++) inner[n_inner++] = axes[i] > at ? axes[i] + 1 : axes[i];
    inner[n_inner++] = at + 1;
    channel[0] = at;
    channel[1] = at + 1;
    g->def = "instance_norm";
    g->inputs[0] = reshaped(g, g->inputs[0], shape, rank + 1);
    g->inputs[1] = reshaped(g, g->inputs[1], halves, 2);
    g->inputs[2] = reshaped(g, g->inputs[2], halves, 2);
    g->outputs[0] = reshaped(g, g->outputs[0], shape, rank + 1);
    return g->inputs[0] && g->inputs[1] && g->inputs[2] && g->outputs[0] &&
           give_reduced(g, inner, n_inner, rank + 1, false) && give_list(g, "channel", channel, 2);
}

static bool permute(legal *g) {
    int64_t axes[MAX_RANK];
    const uint32_t rank = rank_of(g, 0), n = axes_of(attr(g, "axes"), rank, axes);
    if (attr(g, "axes")->kind == TIRB_RELAX_ATTR_NONE)
        for (uint32_t i = 0; i < rank; i++) axes[i] = rank - 1 - i;
    return give_list(g, "axes", axes, n);
}

static bool repeat(legal *g) {
    if (attr(g, "axis")->kind == TIRB_RELAX_ATTR_NONE) return flatten_input(g, 0);
    return true;
}

static bool tile(legal *g) {
    const tirb_expr *shape[MAX_RANK];
    const uint32_t rank = rank_of(g, 0), n = result(g, 0)->ndim;
    if (n > MAX_RANK || rank > n) return refuse(g, "for this many dimensions");
    for (uint32_t i = 0; i < n; i++) shape[i] = i < n - rank ? number(g, 1) : tensor(g, 0)->shape[i - (n - rank)];
    g->inputs[0] = reshaped(g, g->inputs[0], shape, n);
    return g->inputs[0] != NULL;
}

/* The numbers of one axis of a slice: which, where it begins, its stride (NULL: 1). */
static void slice_bounds(const legal *g, uint32_t i, const tirb_expr *out[3]) {
    const tirb_relax_expr *const *args = g->call->as.call.args;
    static const uint32_t places[3] = {1, 2, 4};
    for (uint32_t k = 0; k < 3; k++) {
        const bool given = places[k] < g->call->as.call.n_args;
        out[k] = given && args[places[k]]->as.tuple.items[i]->kind == TIRB_RELAX_PRIM
                     ? args[places[k]]->as.tuple.items[i]->as.prim
                     : NULL;
    }
}

/* A slice of one axis without a stride that begins at a number which is computed: part of the operand. */
static bool slice_of_computed(legal *g, int64_t axis, const tirb_expr *begin) {
    const tirb_expr *d = tensor(g, 0)->shape[axis], *zero = number(g, 0);
    tirbi_builder *b = &g->l->b;
    if (!is_true(g, "assume_inbound")) {
        const tirb_expr *below = zero ? tirbi_make_compare(b, g->span, TIRB_EXPR_LT, begin, zero) : NULL;
        const tirb_expr *counted = tirbi_make_binary(b, g->span, TIRB_EXPR_ADD, begin, d);
        if (!below || !counted) return false;
        begin = tirbi_make_if_then_else(b, g->span, below, counted, begin);
        begin = begin ? tirbi_make_binary(b, g->span, TIRB_EXPR_MAX, begin, zero) : NULL;
        begin = begin ? tirbi_make_binary(b, g->span, TIRB_EXPR_MIN, begin, d) : NULL;
    }
    g->def = "part";
    g->n_inputs = 2;
    return begin && (g->inputs[1] = scalar(g, begin)) && give_integer(g, "axis", axis);
}

/* Begin and stride of each dimension. */
static bool strided_slice(legal *g) {
    int64_t begin[MAX_RANK], stride[MAX_RANK], from_end[MAX_RANK] = {0};
    const uint32_t rank = rank_of(g, 0), n_args = g->call->as.call.n_args;
    const tirb_relax_expr *const *args = g->call->as.call.args;
    if (rank > MAX_RANK || n_args < 4) return refuse(g, "in this form");
    for (uint32_t i = 1; i < n_args; i++)
        if (args[i]->kind != TIRB_RELAX_TUPLE || args[i]->as.tuple.n != args[1]->as.tuple.n)
            return refuse(g, "in this form");
    for (uint32_t i = 0; i < rank; i++) begin[i] = 0, stride[i] = 1;
    for (uint32_t i = 0; i < args[1]->as.tuple.n; i++) {
        const tirb_expr *e[3];
        slice_bounds(g, i, e);
        const bool has_stride = n_args > 4;
        if (!e[0] || e[0]->kind != TIRB_EXPR_INT_IMM || !e[1] ||
            (has_stride && (!e[2] || e[2]->kind != TIRB_EXPR_INT_IMM)))
            return refuse(g, "where its axes or strides are no numbers that are written out");
        int64_t axis = e[0]->as.int_value, step = has_stride ? e[2]->as.int_value : 1;
        if (axis < 0) axis += rank;
        if (axis < 0 || axis >= rank) return refuse(g, "along this axis");
        const tirb_expr *dim = tensor(g, 0)->shape[axis];
        if (e[1]->kind != TIRB_EXPR_INT_IMM) {
            if (step != 1 || args[1]->as.tuple.n != 1)
                return refuse(g, "where what is computed is the begin of one of several axes, or has a stride");
            return slice_of_computed(g, axis, e[1]);
        }
        int64_t from = e[1]->as.int_value;
        if (dim->kind == TIRB_EXPR_INT_IMM) {
            const int64_t d = dim->as.int_value;
            if (from < 0) from += d;
            if (from < 0) from = step > 0 ? 0 : -1;
            if (from > (step > 0 ? d : d - 1)) from = step > 0 ? d : d - 1;
        } else if (from >= 0 && step < 0) {
            return refuse(g, "where a dimension is no number and its slice goes back from a number");
        } else {
            from_end[axis] = from < 0;
        }
        begin[axis] = from;
        stride[axis] = step;
    }
    g->def = "slice";
    g->n_inputs = 1;
    return give_list(g, "begin", begin, rank) && give_list(g, "stride", stride, rank) &&
           give_list(g, "from_end", from_end, rank);
}

static bool take(legal *g) {
    if (attr(g, "axis")->kind == TIRB_RELAX_ATTR_NONE) return give_integer(g, "axis", 0);
    return true;
}

static bool one_hot(legal *g) {
    const int64_t axis = attr(g, "axis")->as.integer;
    return give_integer(g, "axis", axis < 0 ? axis + rank_of(g, 0) + 1 : axis);
}

/* `turned` puts what follows all indices in place of that on the axis. */
static bool along_axis(legal *g) {
    int64_t turned[MAX_RANK], along[1];
    const uint32_t rank = rank_of(g, 0);
    along[0] = attr(g, "axis")->as.integer;
    if (along[0] < 0) along[0] += rank;
    for (uint32_t i = 0; i < rank && i < MAX_RANK; i++) turned[i] = i == along[0] ? (int64_t)rank : (int64_t)i;
    if (!tirb_relax_is_call(g->call, TIRB_RELAX_SCATTER_ELEMENTS)) return give_list(g, "turned", turned, rank);
    const char *how = attr(g, "reduction")->as.text;
    static const char *const names[][2] = {{"update", "scatter_elements"}, {"add", "scatter_add"},
                                           {"mul", "scatter_mul"},         {"min", "scatter_min"},
                                           {"max", "scatter_max"},         {"mean", "scatter_mean"}};
    g->def = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], how) == 0) g->def = names[i][1];
    return g->def ? give_list(g, "turned", turned, rank) && give_list(g, "along", along, 1)
                  : refuse(g, "with this reduction");
}

static bool full(legal *g) {
    g->def = "full";
    if (tirb_relax_is_call(g->call, TIRB_RELAX_FULL_LIKE)) g->inputs[0] = g->inputs[1];
    g->n_inputs = 1;
    return true;
}

static bool zeros(legal *g) {
    g->def = "constant";
    g->n_inputs = 0;
    return give_integer(g, "value", 0);
}

static bool ones(legal *g) { return zeros(g) && give_integer(g, "value", 1); }

static bool triangle(legal *g) {
    g->n_inputs =
        tirb_relax_is_call(g->call, TIRB_RELAX_EYE) || tirb_relax_is_call(g->call, TIRB_RELAX_EYE_LIKE) ? 0 : 1;
    if (g->n_inputs == 0) g->def = "eye";
    return true;
}

/* Vectors are matrices of one row or column. */
static bool matmul(legal *g) {
    const tirb_buffer *a = tensor(g, 0), *b = tensor(g, 1), *y = result(g, 0);
    const tirb_expr *shape[MAX_RANK + 2], *one = number(g, 1);
    if (a->ndim > 1 && b->ndim > 1) return true;
    if (y->ndim > MAX_RANK || !one) return refuse(g, "for this many dimensions");
    uint32_t n = 0;
    for (uint32_t i = 0; i + (b->ndim == 1 ? 0 : 1) < y->ndim; i++) shape[n++] = y->shape[i];
    if (a->ndim == 1) {
        const tirb_expr *row[2] = {one, a->shape[0]};
        if (!(g->inputs[0] = reshaped(g, g->inputs[0], row, 2))) return false;
        shape[n++] = one;
    }
    shape[n++] = b->ndim == 1 ? one : y->shape[y->ndim - 1];
    if (b->ndim == 1) {
        const tirb_expr *column[2] = {b->shape[0], one};
        if (!(g->inputs[1] = reshaped(g, g->inputs[1], column, 2))) return false;
    }
    g->outputs[0] = reshaped(g, g->outputs[0], shape, n);
    return g->outputs[0] != NULL;
}

/* Where a layout has the letters that `order` begins with, and then the spatial ones: data[place] = number of operand.
 */
static bool give_layout(legal *g, const char *name, const char *layout, const char *order) {
    int64_t places[MAX_RANK];
    const size_t n = strlen(layout);
    uint32_t space = 2;
    if (n < 2 || n > MAX_RANK) return refuse(g, "in this layout");
    for (size_t i = 0; i < n; i++) {
        if (layout[i] >= '0' && layout[i] <= '9') return refuse(g, "in this layout");
        places[i] = layout[i] == order[0] ? 0 : layout[i] == order[1] ? 1 : (int64_t)space++;
    }
    return space == n && give_list(g, name, places, (uint32_t)n);
}

static int64_t place_in(const char *layout, char letter) {
    const char *at = strchr(layout, letter);
    return at ? at - layout : 0;
}

/* `padding` in front and behind, `padded`: whether there is any. */
static bool give_padding(legal *g) {
    const tirb_relax_attr *p = attr(g, "padding");
    int64_t before[MAX_RANK], after[MAX_RANK];
    const uint32_t n = p->as.list.n / 2;
    bool any = false;
    if (n > MAX_RANK) return refuse(g, "for this many dimensions");
    for (uint32_t i = 0; i < n; i++) {
        before[i] = p->as.list.items[i].as.integer;
        after[i] = p->as.list.items[n + i].as.integer;
        any = any || before[i] || after[i];
    }
    return give_list(g, "padding", before, n) && give_list(g, "padding_after", after, n) &&
           give_integer(g, "padded", any);
}

static bool give_space(legal *g, const char *name, const char *layout, const tirb_buffer *b) {
    const tirb_expr *sizes[MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->ndim && layout[i]; i++)
        if (layout[i] != 'N' && layout[i] != 'C') sizes[n++] = b->shape[i];
    return give_sizes(g, name, sizes, n);
}

static bool convolution(legal *g) {
    const char *data = attr(g, "data_layout")->as.text, *kernel = attr(g, "kernel_layout")->as.text;
    const int64_t groups = attr(g, "groups")->as.integer;
    const tirb_expr *outs = tensor(g, 1)->shape[place_in(kernel, 'O')],
                    *ins = tensor(g, 1)->shape[place_in(kernel, 'I')];
    if (strcmp(data, attr(g, "out_layout")->as.text) != 0) return refuse(g, "with an out_layout of its own");
    if (groups != 1 && (outs->kind != TIRB_EXPR_INT_IMM || ins->kind != TIRB_EXPR_INT_IMM))
        return refuse(g, "with groups of a symbolic number of channels");
    g->def = "conv";
    return give_layout(g, "data", data, "NC") && give_layout(g, "out", data, "NC") &&
           give_layout(g, "kernel", kernel, "OI") && give_padding(g) &&
           (groups == 1 || (give_integer(g, "inputs", ins->as.int_value) &&
                            give_integer(g, "per_group", outs->as.int_value / groups)));
}

static bool convolution_transpose(legal *g) {
    const char *data = attr(g, "data_layout")->as.text, *kernel = attr(g, "kernel_layout")->as.text;
    const int64_t groups = attr(g, "groups")->as.integer;
    const tirb_buffer *w = tensor(g, 1);
    const tirb_expr *outs = w->shape[place_in(kernel, 'O')], *ins = w->shape[place_in(kernel, 'I')];
    const tirb_expr *window[MAX_RANK];
    uint32_t n = 0;
    if (strcmp(data, attr(g, "out_layout")->as.text) != 0) return refuse(g, "with an out_layout of its own");
    if (outs->kind != TIRB_EXPR_INT_IMM || ins->kind != TIRB_EXPR_INT_IMM)
        return refuse(g, "with a symbolic number of channels");
    for (uint32_t i = 0; i < w->ndim; i++)
        if (kernel[i] != 'O' && kernel[i] != 'I') window[n++] = w->shape[i];
    g->def = "conv_transpose";
    return give_layout(g, "data", data, "NC") && give_layout(g, "out", data, "NC") &&
           give_layout(g, "kernel", kernel, "IO") && give_padding(g) && give_space(g, "space", data, tensor(g, 0)) &&
           give_sizes(g, "window", window, n) && give_integer(g, "inputs", ins->as.int_value / groups) &&
           give_integer(g, "per_group", outs->as.int_value);
}

static bool pooling(legal *g) {
    const char *layout = attr(g, "layout")->as.text;
    const tirb_buffer *x = tensor(g, 0);
    const bool is_max = strncmp(g->call->as.call.op->name, "nn.max", 6) == 0;
    if (strcmp(layout, attr(g, "out_layout")->as.text) != 0) return refuse(g, "with an out_layout of its own");
    g->def = is_max                                                 ? "max_pool"
             : strncmp(g->call->as.call.op->name, "nn.avg", 6) == 0 ? "avg_pool"
                                                                    : "adaptive_avg_pool";
    if (strcmp(g->def, "adaptive_avg_pool") != 0 && !give_padding(g)) return false;
    /* Windows that reach over the end as the result is rounded up are padded as well. */
    if (strcmp(g->def, "adaptive_avg_pool") != 0 && is_true(g, "ceil_mode") && !give_integer(g, "padded", 1))
        return false;
    return give_layout(g, "data", layout, "NC") && give_layout(g, "out", layout, "NC") &&
           give_space(g, "space", layout, x) && give_space(g, "result", layout, result(g, 0)) &&
           give_size(g, "batch", x->shape[place_in(layout, 'N')]) &&
           give_size(g, "channels", x->shape[place_in(layout, 'C')]);
}

static bool padding(legal *g) {
    const tirb_relax_attr *widths = attr(g, "pad_width");
    const char *mode = attr(g, "pad_mode")->as.text;
    int64_t before[MAX_RANK];
    const uint32_t rank = rank_of(g, 0);
    if (widths->as.list.n != 2 * rank || rank > MAX_RANK) return refuse(g, "for these widths");
    for (uint32_t i = 0; i < rank; i++) before[i] = widths->as.list.items[2 * i].as.integer;
    g->def = strcmp(mode, "reflect") == 0     ? "pad_reflect"
             : strcmp(mode, "replicate") == 0 ? "pad_replicate"
             : strcmp(mode, "circular") == 0  ? "pad_circular"
                                              : "pad_constant";
    return give_list(g, "before", before, rank);
}

static bool pixel_shuffle(legal *g) { return give_integer(g, "factor", attr(g, "upscale_factor")->as.integer); }

static bool attention(legal *g) {
    if (attr(g, "window_size")->kind != TIRB_RELAX_ATTR_NONE) return refuse(g, "with a window");
    if (g->n_inputs > 3 && g->inputs[3] && rank_of(g, 3) != 4)
        return refuse(g, "with a bias of other than 4 dimensions");
    return give_integer(g, "has_scale", attr(g, "scale")->kind != TIRB_RELAX_ATTR_NONE);
}

static bool cross_entropy(legal *g) {
    const tirb_buffer *x = tensor(g, 0);
    return give_integer(g, "batched", x->ndim > 1) && (x->ndim == 0 || give_size(g, "batch", x->shape[0]));
}

static bool collapse(legal *g) {
    int64_t kept[MAX_RANK];
    const tirb_buffer *x = tensor(g, 0), *y = result(g, 0);
    if (y->ndim > x->ndim || y->ndim > MAX_RANK) return refuse(g, "to this shape");
    for (uint32_t i = 0; i < y->ndim; i++) {
        const uint32_t from = x->ndim - y->ndim + i;
        kept[i] = tirbi_expr_equal(x->shape[from], y->shape[i]) ? (int64_t)from : -1;
    }
    g->def = "collapse_sum_to";
    g->n_inputs = 1;
    return give_list(g, "kept", kept, y->ndim);
}

static bool reverse_sequence(legal *g) {
    int64_t batch[1], along[1], turned[MAX_RANK];
    const uint32_t rank = rank_of(g, 0);
    batch[0] = attr(g, "batch_axis")->as.integer;
    along[0] = attr(g, "seq_axis")->as.integer;
    if (batch[0] < 0) batch[0] += rank;
    if (along[0] < 0) along[0] += rank;
    for (uint32_t i = 0; i < rank; i++) turned[i] = i == along[0] ? (int64_t)rank : (int64_t)i;
    return give_list(g, "batch", batch, 1) && give_list(g, "along", along, 1) && give_list(g, "turned", turned, rank);
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
    const legal *g = context;
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

static bool sort_by(legal *g, sorting how) {
    sorting *copy = TIRBI_NEW(g->l->arena, sorting);
    if (!copy) return false;
    *copy = how;
    g->sorting = copy;
    g->body = emit_sort;
    return true;
}

static bool sort(legal *g) {
    return sort_by(g, (sorting){.function = tirb_relax_is_call(g->call, TIRB_RELAX_ARGSORT) ? "tvm.contrib.sort.argsort"
                                                                                            : "tvm.contrib.sort.sort",
                                .axis = attr(g, "axis")->as.integer,
                                .ascends = !is_true(g, "descending")});
}

static bool topk(legal *g) {
    const char *which = attr(g, "ret_type")->as.text;
    const tirb_expr *dim = NULL;
    const int64_t axis = attr(g, "axis")->as.integer, k = attr(g, "k")->as.integer;
    const uint32_t rank = rank_of(g, 0);
    if (axis >= -(int64_t)rank && axis < (int64_t)rank) dim = tensor(g, 0)->shape[axis < 0 ? axis + rank : axis];
    if (!dim || k < 1 || (dim->kind == TIRB_EXPR_INT_IMM && k > dim->as.int_value))
        return refuse(g, "for more elements than there are");
    if (strcmp(which, "values") == 0) g->def = "topk_values";
    if (strcmp(which, "indices") == 0) g->def = "topk_indices";
    return sort_by(
        g, (sorting){"tvm.contrib.sort.topk", .which = which, .k = k, .axis = axis, .ascends = !is_true(g, "largest")});
}

static bool median(legal *g) {
    const tirb_relax_attr *a = attr(g, "axis");
    const bool whole = a->kind == TIRB_RELAX_ATTR_NONE;
    const uint32_t n_result = result(g, 0)->ndim;
    int64_t axes[MAX_RANK], placed[MAX_RANK];
    if (!whole && axes_of(a, rank_of(g, 0), axes) != 1) return refuse(g, "over several dimensions");
    const int64_t axis = whole ? 0 : axes[0];
    if (whole && !flatten_input(g, 0)) return false;
    for (uint32_t i = 0; i < n_result; i++)
        placed[i] = whole || (is_true(g, "keepdims") && i == axis) ? -1
                    : is_true(g, "keepdims") && i > axis           ? (int64_t)i - 1
                                                                   : (int64_t)i;
    legal order = *g;
    order.def = "argsort";
    order.n_outputs = 1;
    g->inputs[1] = order.outputs[0] = scratch(g, tirbi_type_i64, tensor(g, 0)->shape, rank_of(g, 0));
    g->n_inputs = 2;
    if (whole) g->def = "median_of_all";
    return g->inputs[1] && sort_by(&order, (sorting){"tvm.contrib.sort.argsort", .axis = axis, .ascends = true}) &&
           emit(&order) && give_list(g, "placed", placed, n_result) && give_integer(g, "axis", axis);
}

/* `components`, `first`, `behind` and `batch` of operators whose indices have places in their last dimension. */
static bool nd_indices(legal *g) {
    const tirb_buffer *x = tensor(g, 0), *indices = tensor(g, 1);
    const bool gathers = tirb_relax_is_call(g->call, TIRB_RELAX_GATHER_ND);
    const int64_t n_batch = gathers ? attr(g, "batch_dims")->as.integer : 0;
    int64_t list[MAX_RANK];
    if (indices->ndim == 0 || indices->shape[indices->ndim - 1]->kind != TIRB_EXPR_INT_IMM)
        return refuse(g, "where the number of places is not written out");
    const int64_t n = indices->shape[indices->ndim - 1]->as.int_value, rank = x->ndim;
    if (n < 0 || n_batch < 0 || n_batch + n > rank || rank > MAX_RANK || indices->ndim > MAX_RANK)
        return refuse(g, "with these indices");
    for (uint32_t i = 0; i < MAX_RANK; i++) list[i] = i;
    const uint32_t n_first = indices->ndim - 1, n_behind = (uint32_t)(rank - n_batch - n);
    if (!give_list(g, "components", list, (uint32_t)n) || !give_list(g, "first", list, n_first) ||
        !give_list(g, "batch", list, (uint32_t)n_batch))
        return false;
    for (uint32_t i = 0; i < n_behind; i++) list[i] = n_first + i;
    if (!give_list(g, "behind", list, n_behind)) return false;
    if (gathers) return true;
    g->def = tirbi_arena_format(g->l->arena, "scatter_nd_%s", attr(g, "reduction")->as.text);
    return g->def != NULL;
}

static bool nll_loss(legal *g) {
    if (rank_of(g, 0) < 2) return refuse(g, "for one prediction alone");
    if (strcmp(attr(g, "reduction")->as.text, "none") == 0) g->def = "nll_loss_none";
    return true;
}

static bool give_text(legal *g, const char *name, const char *text) {
    tirbi_relax_given *it = give(g, name, TIRBI_RELAX_GIVEN_TEXT);
    if (it) it->as.text = text;
    return it != NULL;
}

/* Where the elements of the result are along one dimension of `space` elements, and their shares: the text `def` of
 * them, whose operand is `of` (NULL: none), makes tensors of `shape` and the number of neighbours. They become inputs
 * `at` and `at` + 1. */
static bool add_taps(legal *g, const char *def, const tirbi_relax_held *of, const tirb_expr *space,
                     const tirb_expr *const *shape, uint32_t n, uint32_t taps, tirb_datatype type, uint32_t at) {
    const tirb_expr *dims[MAX_RANK];
    legal part = *g;
    if (n + 1 > MAX_RANK || at + 2 > MAX_OPERANDS) return refuse(g, "for this many dimensions");
    memcpy(dims, shape, n * sizeof *dims);
    if (!(dims[n] = number(g, taps))) return false;
    part.def = def;
    part.n_inputs = 0;
    if (of) part.inputs[part.n_inputs++] = of;
    if (!(part.inputs[part.n_inputs++] = scalar(g, space))) return false;
    part.n_outputs = 2;
    part.outputs[0] = scratch(g, tirbi_type_i64, dims, n + 1);
    part.outputs[1] = scratch(g, type, dims, n + 1);
    if (!part.outputs[0] || !part.outputs[1] || !give_integer(&part, "taps", taps) || !emit(&part)) return false;
    g->inputs[at] = part.outputs[0];
    g->inputs[at + 1] = part.outputs[1];
    g->n_inputs = at + 2;
    return true;
}

static bool resize(legal *g) {
    const char *layout = attr(g, "layout")->as.text, *method = attr(g, "method")->as.text;
    const char *mode = attr(g, "coordinate_transformation_mode")->as.text;
    const char *rounding = attr(g, "rounding_method")->as.text;
    static const char *const modes[] = {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel",
                                        "tf_half_pixel_for_nn"};
    bool known = false;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) known = known || strcmp(mode, modes[i]) == 0;
    const bool nearest = strncmp(method, "nearest", 7) == 0, cubic = strcmp(method, "cubic") == 0;
    if (!known || (!nearest && !cubic && strcmp(method, "linear") != 0))
        return refuse(g, "with this method or these coordinates");
    if (!*rounding) rounding = strcmp(mode, "align_corners") == 0 ? "round" : "floor";
    g->n_inputs = 1;
    if (!give_text(g, "mode", mode) || !give_text(g, "rounding", rounding) || !give_layout(g, "data", layout, "NC") ||
        !give_layout(g, "out", layout, "NC"))
        return false;
    g->def = tirb_relax_is_call(g->call, TIRB_RELAX_IMAGE_RESIZE3D) ? "resize3d" : "resize2d";
    if (nearest) {
        g->def = "resize_nearest";
        return give_space(g, "space", layout, tensor(g, 0)) && give_space(g, "result", layout, result(g, 0));
    }
    for (uint32_t i = 0, at = 1; layout[i]; i++) {
        if (layout[i] == 'N' || layout[i] == 'C') continue;
        if (!add_taps(g, "resize_taps", NULL, tensor(g, 0)->shape[i], &result(g, 0)->shape[i], 1, cubic ? 4 : 2,
                      tirbi_type_f32, at))
            return false;
        at += 2;
    }
    return give_size(g, "batch", tensor(g, 0)->shape[place_in(layout, 'N')]) &&
           give_size(g, "channels", tensor(g, 0)->shape[place_in(layout, 'C')]);
}

static bool grid_sample(legal *g) {
    const tirb_buffer *x = tensor(g, 0), *grid = tensor(g, 1);
    const char *method = attr(g, "method")->as.text, *padding_mode = attr(g, "padding_mode")->as.text;
    const bool nearest = strcmp(method, "nearest") == 0, cubic = strcmp(method, "bicubic") == 0;
    const uint32_t n_space = x->ndim < 2 ? 0 : x->ndim - 2;
    const tirb_expr *shape[MAX_RANK];
    if (strncmp(attr(g, "layout")->as.text, "NC", 2) != 0 || n_space < 2 || n_space > 3 || grid->ndim != x->ndim ||
        (cubic && n_space == 3) || (!nearest && !cubic && strcmp(method, "bilinear") != 0) ||
        (strcmp(padding_mode, "zeros") != 0 && strcmp(padding_mode, "border") != 0 &&
         strcmp(padding_mode, "reflection") != 0))
        return refuse(g, "with this method, layout or padding");
    const tirbi_relax_held *places = g->inputs[1];
    const uint32_t taps = nearest ? 1 : cubic ? 4 : 2;
    shape[0] = grid->shape[0];
    for (uint32_t i = 0; i < n_space; i++) shape[1 + i] = grid->shape[2 + i];
    for (uint32_t i = 0; i < n_space; i++) /* the grid's first component is along the last dimension */
        if (!give_integer(g, "component", n_space - 1 - i) ||
            !add_taps(g, "grid_taps", places, x->shape[2 + i], shape, 1 + n_space, taps, grid->dtype, 1 + 2 * i))
            return false;
    g->def = n_space == 2 ? "grid_sample2d" : "grid_sample3d";
    return true;
}

static bool region(legal *g) {
    const char *layout = attr(g, "layout")->as.text;
    const int64_t h = place_in(layout, 'H'), w = place_in(layout, 'W');
    const bool pools = tirb_relax_is_call(g->call, TIRB_RELAX_VISION_ROI_POOL);
    if (pools ? strcmp(layout, "NCHW") != 0 : strcmp(attr(g, "mode")->as.text, "avg") != 0)
        return refuse(g, "in this mode or layout");
    g->def = pools ? "roi_pool" : "roi_align";
    return give_layout(g, "data", layout, "NC") && give_layout(g, "out", layout, "NC") &&
           give_size(g, "height", tensor(g, 0)->shape[h]) && give_size(g, "width", tensor(g, 0)->shape[w]) &&
           give_size(g, "rows", result(g, 0)->shape[h]) && give_size(g, "columns", result(g, 0)->shape[w]);
}

static bool affine_grid(legal *g) {
    int64_t turned[MAX_RANK];
    const uint32_t n_space = result(g, 0)->ndim - 2;
    for (uint32_t i = 0; i < n_space && i < MAX_RANK; i++) turned[i] = (int64_t)n_space - 1 - i;
    g->def = "affine_grid";
    g->n_inputs = 1;
    return give_list(g, "turned", turned, n_space) && give_integer(g, "last", n_space);
}

/* A scale or zero point of one element is one for all. */
static bool quantised(legal *g) {
    for (uint32_t i = 1; i < 3; i++) {
        const tirb_buffer *b = tensor(g, i);
        const bool per_axis = b->ndim == 1 && !tirbi_is_const_int(b->shape[0], 1);
        if (!give_integer(g, i == 1 ? "per_axis" : "zero_per_axis", per_axis)) return false;
        if (!per_axis && !(g->inputs[i] = reshaped(g, g->inputs[i], NULL, 0))) return false;
    }
    const tirb_datatype type = result(g, 0)->dtype;
    return give_integer(g, "is_float16", tirbi_type_is_float(type) && type.bits == 16);
}

/* The indices of all letters in the order of the result, then of the others as they first appear. */
static bool einsum(legal *g, const tirbi_relax_held *tuple) {
    const char *text = attr(g, "subscripts")->as.text;
    char letters[MAX_RANK];
    const tirb_expr *sizes[MAX_RANK];
    int64_t of[3][MAX_RANK];
    uint32_t n_letters = 0, n_of[3] = {0, 0, 0}, part = 0;
    if (tuple->n < 1 || tuple->n > 2 || !strstr(text, "->") || strchr(text, '.'))
        return refuse(g, "with these subscripts");
    const char *arrow = strstr(text, "->");
    for (uint32_t pass = 0; pass < 2; pass++)
        for (const char *c = pass ? text : arrow + 2; *c && (!pass || c < arrow); c++) {
            if (*c == ' ') continue;
            if (*c == ',') {
                if (++part >= tuple->n) return refuse(g, "with these subscripts");
                continue;
            }
            uint32_t letter = 0;
            while (letter < n_letters && letters[letter] != *c) letter++;
            const uint32_t which = pass ? part : 2;
            if (n_of[which] == MAX_RANK || letter == MAX_RANK) return refuse(g, "with this many letters");
            if (letter == n_letters) {
                sizes[n_letters] = NULL;
                letters[n_letters++] = *c;
            }
            if (pass) {
                const tirbi_relax_held *h = tuple->fields[part];
                if (h->kind != TIRBI_RELAX_HELD_TENSOR || n_of[which] >= h->buffer->ndim)
                    return refuse(g, "with these operands");
                if (!sizes[letter]) sizes[letter] = h->buffer->shape[n_of[which]];
            }
            of[which][n_of[which]++] = letter;
        }
    for (uint32_t i = 0; i < n_letters; i++)
        if (!sizes[i]) return refuse(g, "with a letter that no operand has");
    for (uint32_t i = 0; i < tuple->n; i++) g->inputs[i] = tuple->fields[i];
    g->n_inputs = tuple->n;
    g->def = tuple->n == 1 ? "einsum_of_one" : "einsum";
    return give_sizes(g, "letters", sizes, n_letters) && give_list(g, "of_first", of[0], n_of[0]) &&
           give_list(g, "of_second", of[1], n_of[1]) && give_list(g, "of_result", of[2], n_of[2]) && emit(g);
}

static bool hamming_window(legal *g) {
    g->n_inputs = 0;
    return true;
}

static bool prelu(legal *g) {
    return give_integer(g, "is_shared", rank_of(g, 1) != 1 || tirbi_is_const_int(tensor(g, 1)->shape[0], 1));
}

/* The gradient behind what says how its dimensions are written. */
static bool take_backward(legal *g) {
    const tirbi_relax_held *gradient = g->inputs[0];
    g->inputs[0] = g->inputs[1];
    g->inputs[1] = g->inputs[2];
    g->inputs[2] = gradient;
    return attr(g, "axis")->kind != TIRB_RELAX_ATTR_NONE || give_integer(g, "axis", 0);
}

static bool nll_loss_backward(legal *g) { return rank_of(g, 1) >= 2 || refuse(g, "for one prediction alone"); }

static bool pool_backward(legal *g) {
    const tirb_relax_attr *dilation = attr(g, "dilation"), *window = attr(g, "pool_size");
    const char *layout = attr(g, "layout")->as.text;
    const tirb_buffer *x = tensor(g, 1), *y = tensor(g, 0);
    for (uint32_t i = 0; i < dilation->as.list.n; i++)
        if (dilation->as.list.items[i].as.integer != 1) return refuse(g, "with a dilation");
    if (strcmp(layout, attr(g, "out_layout")->as.text) != 0) return refuse(g, "with an out_layout of its own");
    const int64_t h = place_in(layout, 'H'), w = place_in(layout, 'W');
    const tirb_relax_attr *strides = attr(g, "strides"), *before = attr(g, "padding");
    return give_layout(g, "data", layout, "NC") && give_padding(g) && give_space(g, "space", layout, x) &&
           give_space(g, "result", layout, y) && give_size(g, "batch", x->shape[place_in(layout, 'N')]) &&
           give_size(g, "channels", x->shape[place_in(layout, 'C')]) && give_size(g, "rows", y->shape[h]) &&
           give_size(g, "columns", y->shape[w]) && give_integer(g, "window_h", window->as.list.items[0].as.integer) &&
           give_integer(g, "window_w", window->as.list.items[1].as.integer) &&
           give_integer(g, "stride_h", strides->as.list.items[0].as.integer) &&
           give_integer(g, "stride_w", strides->as.list.items[1].as.integer) &&
           give_integer(g, "pad_h", before->as.list.items[0].as.integer) &&
           give_integer(g, "pad_w", before->as.list.items[1].as.integer);
}

/* What tensors of indices broadcast to: 1s give way. */
static bool broadcast_shape(legal *g, const tirbi_relax_held *tuple, const tirb_expr **shape, uint32_t *n) {
    *n = 0;
    for (uint32_t i = 0; i < tuple->n; i++) {
        if (tuple->fields[i]->kind != TIRBI_RELAX_HELD_TENSOR) return refuse(g, "with these indices");
        if (tuple->fields[i]->buffer->ndim > *n) *n = tuple->fields[i]->buffer->ndim;
    }
    if (*n + 1 > MAX_RANK) return refuse(g, "for this many dimensions");
    for (uint32_t d = 0; d < *n; d++) shape[d] = number(g, 1);
    for (uint32_t i = 0; i < tuple->n; i++) {
        const tirb_buffer *b = tuple->fields[i]->buffer;
        for (uint32_t d = 0; d < b->ndim; d++)
            if (!tirbi_is_const_int(b->shape[d], 1)) shape[*n - b->ndim + d] = b->shape[d];
    }
    return true;
}

/* index_tensor and index_put: the indices become places in a last dimension, as gather_nd and scatter_nd have them. */
static bool indexed(legal *g, const tirbi_relax_held *tuple) {
    const bool puts = tirb_relax_is_call(g->call, TIRB_RELAX_INDEX_PUT);
    const tirb_expr *shape[MAX_RANK];
    int64_t list[MAX_RANK];
    uint32_t n;
    if (tuple->kind != TIRBI_RELAX_HELD_TUPLE || g->n_inputs < 1 || g->inputs[0]->kind != TIRBI_RELAX_HELD_TENSOR ||
        tuple->n == 0 || tuple->n > rank_of(g, 0) || rank_of(g, 0) > MAX_RANK)
        return refuse(g, "with these indices");
    if (!broadcast_shape(g, tuple, shape, &n)) return false;
    if (puts && tuple->n != rank_of(g, 0)) return refuse(g, "with fewer indices than dimensions");
    if (!(shape[n] = number(g, tuple->n))) return false;
    legal part = *g;
    part.def = "place_component";
    part.n_inputs = 2;
    part.n_outputs = 1;
    if (!(part.outputs[0] = scratch(g, tirbi_type_i64, shape, n + 1))) return false;
    for (uint32_t i = 0; i < tuple->n; i++) {
        part.inputs[0] = tuple->fields[i];
        if (!give_integer(&part, "which", i) || !give_integer(&part, "wraps", puts) ||
            !(part.inputs[1] = scalar(g, tensor(g, 0)->shape[i])) || !emit(&part))
            return false;
    }
    for (uint32_t i = 0; i < MAX_RANK; i++) list[i] = i;
    if (!give_list(g, "components", list, tuple->n) || !give_list(g, "first", list, n) ||
        !give_list(g, "batch", list, 0))
        return false;
    for (uint32_t i = 0; i < rank_of(g, 0) - tuple->n; i++) list[i] = n + i;
    if (!give_list(g, "behind", list, rank_of(g, 0) - tuple->n)) return false;
    const tirbi_relax_held *values = puts ? reshaped(g, g->inputs[1], shape, n) : NULL;
    g->inputs[1] = part.outputs[0];
    g->inputs[2] = values;
    g->n_inputs = puts ? 3 : 2;
    g->def = !puts ? "gather_nd" : is_true(g, "accumulate") ? "scatter_nd_add" : "scatter_nd_update";
    return (!puts || values) && emit(g);
}

static bool first_operand(legal *g) {
    g->n_inputs = 1;
    if (tirb_relax_is_call(g->call, TIRB_RELAX_BROADCAST_TO)) g->def = "broadcast_to";
    return true;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

static const struct rule {
    tirb_relax_op op;
    bool (*apply)(legal *g);
    const char *def; /* NULL: by the operator's name */
} rules[] = {
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
    {TIRB_RELAX_NN_LAYER_NORM, normalised_axes, NULL},
    {TIRB_RELAX_NN_RMS_NORM, normalised_axes, NULL},
    {TIRB_RELAX_NN_INSTANCE_NORM, instance_norm, NULL},
    {TIRB_RELAX_NN_GROUP_NORM, group_norm, NULL},
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
    {TIRB_RELAX_NN_CONV1D, convolution, NULL},
    {TIRB_RELAX_NN_CONV2D, convolution, NULL},
    {TIRB_RELAX_NN_CONV3D, convolution, NULL},
    {TIRB_RELAX_NN_CONV1D_TRANSPOSE, convolution_transpose, NULL},
    {TIRB_RELAX_NN_CONV2D_TRANSPOSE, convolution_transpose, NULL},
    {TIRB_RELAX_NN_CONV3D_TRANSPOSE, convolution_transpose, NULL},
    {TIRB_RELAX_NN_MAX_POOL1D, pooling, NULL},
    {TIRB_RELAX_NN_MAX_POOL2D, pooling, NULL},
    {TIRB_RELAX_NN_MAX_POOL3D, pooling, NULL},
    {TIRB_RELAX_NN_AVG_POOL1D, pooling, NULL},
    {TIRB_RELAX_NN_AVG_POOL2D, pooling, NULL},
    {TIRB_RELAX_NN_AVG_POOL3D, pooling, NULL},
    {TIRB_RELAX_NN_ADAPTIVE_AVG_POOL1D, pooling, NULL},
    {TIRB_RELAX_NN_ADAPTIVE_AVG_POOL2D, pooling, NULL},
    {TIRB_RELAX_NN_ADAPTIVE_AVG_POOL3D, pooling, NULL},
    {TIRB_RELAX_NN_PAD, padding, NULL},
    {TIRB_RELAX_NN_PIXEL_SHUFFLE, pixel_shuffle, NULL},
    {TIRB_RELAX_NN_ATTENTION, attention, NULL},
    {TIRB_RELAX_NN_ATTENTION_BIAS, attention, "attention"},
    {TIRB_RELAX_NN_CROSS_ENTROPY_WITH_LOGITS, cross_entropy, NULL},
    {TIRB_RELAX_IMAGE_RESIZE2D, resize, NULL},
    {TIRB_RELAX_IMAGE_RESIZE3D, resize, NULL},
    {TIRB_RELAX_IMAGE_GRID_SAMPLE, grid_sample, NULL},
    {TIRB_RELAX_IMAGE_AFFINE_GRID, affine_grid, NULL},
    {TIRB_RELAX_VISION_ROI_ALIGN, region, NULL},
    {TIRB_RELAX_VISION_ROI_POOL, region, NULL},
    {TIRB_RELAX_GATHER_ND, nd_indices, NULL},
    {TIRB_RELAX_SCATTER_ND, nd_indices, NULL},
    {TIRB_RELAX_NN_NLL_LOSS, nll_loss, NULL},
    {TIRB_RELAX_SORT, sort, NULL},
    {TIRB_RELAX_ARGSORT, sort, NULL},
    {TIRB_RELAX_TOPK, topk, NULL},
    {TIRB_RELAX_MEDIAN, median, NULL},
    {TIRB_RELAX_HAMMING_WINDOW, hamming_window, NULL},
    {TIRB_RELAX_NN_PRELU, prelu, NULL},
    {TIRB_RELAX_GRAD_TAKE_BACKWARD, take_backward, "take_backward"},
    {TIRB_RELAX_GRAD_NLL_LOSS_BACKWARD, nll_loss_backward, "nll_loss_backward"},
    {TIRB_RELAX_GRAD_AVG_POOL2D_BACKWARD, pool_backward, "avg_pool_backward"},
    {TIRB_RELAX_GRAD_MAX_POOL2D_BACKWARD, pool_backward, "max_pool2d_backward"},
    {TIRB_RELAX_QUANTIZE, quantised, NULL},
    {TIRB_RELAX_DEQUANTIZE, quantised, NULL},
    {TIRB_RELAX_WHERE, NULL, "choose"},
};

/* ---- Operators -------------------------------------------------------------------------------------------------- */

/* An operator's function, and what texts call it. */
typedef struct made {
    tirb_primfunc *f;
    const char *name;
} made;

/* Alike for functions that are the same: by the operator's name, and by types and numbers of parameters. */
static uint32_t likeness(const tirbi_relax_lowering *l, const tirb_primfunc *f) {
    uint32_t h = tirbi_text_hash(l, f->name, strlen(f->name));
    for (uint32_t i = 0; i < f->n_params; i++) {
        const tirb_buffer *b = f->buffers[i];
        const tirb_datatype type = b ? b->dtype : f->params[i]->dtype;
        const uint32_t about[] = {h, type.code, type.bits, b ? b->ndim : UINT32_MAX};
        h = tirbi_text_hash(l, (const char *)about, sizeof about);
        for (uint32_t k = 0; b && k < b->ndim; k++) {
            if (b->shape[k]->kind != TIRB_EXPR_INT_IMM) continue;
            const int64_t dim[] = {h, b->shape[k]->as.int_value};
            h = tirbi_text_hash(l, (const char *)dim, sizeof dim);
        }
    }
    return h;
}

/* The same function over other variables, or this one, which is added to the module. */
static const tirb_primfunc *share(tirbi_relax_lowering *l, tirb_primfunc *f) {
    const tirb_irmodule ids = {.n_vars = l->b.n_vars, .n_buffers = l->b.n_buffers};
    const made *items = l->operators.items;
    const uint32_t hash = likeness(l, f);
    uint32_t probe = 0, found;
    while ((found = tirbi_index_next(&l->operator_index, hash, &probe)) != 0) {
        const made *m = &items[found - 1];
        if (strcmp(m->name, f->name) != 0 || m->f->n_params != f->n_params) continue;
        const char *name = m->f->name;
        m->f->name = f->name; /* which is compared, too */
        const bool same = tirbi_function_equal(&ids, m->f, &ids, f, l->arena);
        m->f->name = name;
        if (same) return m->f;
    }
    const char *name = f->name;
    f->name = tirbi_relax_new_name(l, name);
    tirb_primfunc **slot = f->name ? TIRBI_LIST_ADD(l->arena, &l->functions, tirb_primfunc *) : NULL;
    made *added = slot ? TIRBI_LIST_ADD(l->arena, &l->operators, made) : NULL;
    if (!added || !tirbi_index_add(&l->operator_index, l->arena, hash, l->operators.n - 1)) return NULL;
    *added = (made){.f = f, .name = name};
    *slot = f;
    return f;
}

static bool operand_of(const tirbi_relax_held *h, tirbi_relax_operand *out) {
    *out = (tirbi_relax_operand){.is_absent = !h};
    if (!h) return true;
    if (h->kind == TIRBI_RELAX_HELD_SCALAR) {
        *out = (tirbi_relax_operand){.is_scalar = true, .dtype = h->scalar->dtype};
        return true;
    }
    if (h->kind != TIRBI_RELAX_HELD_TENSOR) return false;
    *out = (tirbi_relax_operand){.dtype = h->buffer->dtype, .ndim = h->buffer->ndim, .shape = h->buffer->shape};
    return true;
}

/* Makes the function of a text and calls it. */
static bool emit(legal *g) {
    tirbi_relax_lowering *l = g->l;
    const tirbi_tc_def *def = tirbi_relax_find_def(l->texts, g->def);
    if (!def) return refuse(g, "");
    tirbi_relax_operand inputs[MAX_OPERANDS], outputs[MAX_OPERANDS];
    const tirbi_relax_held *args[2 * MAX_OPERANDS];
    const char *reason = NULL;
    uint32_t n = 0;
    if (def->n_params > MAX_OPERANDS || def->n_returns != g->n_outputs || g->n_inputs > def->n_params)
        return refuse(g, "with these operands");
    for (uint32_t i = 0; i < def->n_params; i++) {
        const tirbi_relax_held *h = i < g->n_inputs ? g->inputs[i] : NULL;
        if (!operand_of(h, &inputs[i])) return refuse(g, "with these operands");
        if (h) args[n++] = h;
    }
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        if (!operand_of(g->outputs[i], &outputs[i])) return refuse(g, "with this result");
        args[n++] = g->outputs[i];
    }
    const tirbi_relax_use use = {.def = def,
                                 .name = def->name,
                                 .span = g->span,
                                 .inputs = inputs,
                                 .outputs = outputs,
                                 .given = g->given.items,
                                 .n_given = g->given.n,
                                 .body = g->body,
                                 .context = g,
                                 .reason = &reason};
    tirbi_builder b;
    tirbi_builder_init(&b, l->arena, l->diagnostics);
    b.n_vars = l->b.n_vars;
    b.n_buffers = l->b.n_buffers;
    tirb_primfunc *f = tirbi_relax_expand(&use, &b);
    const uint32_t n_vars = l->b.n_vars, n_buffers = l->b.n_buffers;
    l->b.n_vars = b.n_vars;
    l->b.n_buffers = b.n_buffers;
    if (reason) return tirbi_relax_refuse_here(l, g->span, "%s", reason);
    const tirb_primfunc *shared = f ? share(l, f) : NULL;
    if (shared != f) { /* nothing refers to what the one that is dropped has made */
        l->b.n_vars = n_vars;
        l->b.n_buffers = n_buffers;
    }
    return shared && tirbi_relax_emit_call(l, g->span, shared, args, n);
}

/* Operands and attributes as the operator's row of the table has them. */
static bool read_parameters(legal *g) {
    tirbi_relax_parameter parameters[TIRBI_MAX_RELAX_PARAMETERS];
    const uint32_t n = tirbi_relax_parameters(g->call->as.call.op, parameters);
    uint32_t arg = 0, at = 0;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_relax_parameter *p = &parameters[i];
        const char *name = text_of(g, p->name, p->name_size);
        if (!name) return false;
        if (tirbi_relax_is_attr(p)) {
            if (!give_attr(g, name, &g->call->as.call.attrs[at++])) return false;
            continue;
        }
        if (p->kind == 'T' || arg >= g->call->as.call.n_args) continue;
        const tirb_relax_expr *e = g->call->as.call.args[arg++];
        const tirbi_relax_held *h = tirbi_relax_held_of(g->l, e);
        if (!h) return false;
        if (p->kind == 'x' && g->n_inputs < MAX_OPERANDS) g->inputs[g->n_inputs++] = h;
        if (p->kind == 'n' && h->kind == TIRBI_RELAX_HELD_SCALAR) {
            const bool word = strcmp(name, "min") == 0 || strcmp(name, "max") == 0; /* of the language */
            if (word) name = tirbi_arena_format(g->l->arena, "%s_value", name);
            if (!name || !give_number(g, name, h->scalar)) return false;
        }
    }
    return true;
}

/* What every text may use: the type to compute in, and an axis that counts from the front. */
static bool give_common(legal *g) {
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        const tirbi_relax_held *h = g->inputs[i];
        if (h->kind != TIRBI_RELAX_HELD_TENSOR) continue;
        const tirb_datatype type = h->buffer->dtype;
        const bool narrow = tirbi_type_is_float(type) && type.bits < 32;
        tirbi_relax_given *axis = g->given.items;
        for (uint32_t k = 0; k < g->given.n; k++)
            if (strcmp(axis[k].name, "axis") == 0 && axis[k].kind == TIRBI_RELAX_GIVEN_INTEGER &&
                axis[k].as.integer < 0)
                axis[k].as.integer += h->buffer->ndim;
        return give_type(g, "C", narrow ? tirbi_type_f32 : type);
    }
    return true;
}

static bool read_outputs(legal *g, const tirbi_relax_held *room) {
    if (room->kind == TIRBI_RELAX_HELD_TENSOR) {
        g->outputs[g->n_outputs++] = room;
        return true;
    }
    for (uint32_t i = 0; i < room->n; i++) {
        if (room->fields[i]->kind != TIRBI_RELAX_HELD_TENSOR || g->n_outputs == MAX_OPERANDS) return false;
        g->outputs[g->n_outputs++] = room->fields[i];
    }
    return true;
}

/* ---- Operators of several calls, and of none -------------------------------------------------------------------- */

/* concat and stack: each operand is copied to its place. */
static bool emit_parts(legal *g, const tirbi_relax_held *tuple, bool stacks) {
    const tirb_relax_attr *a = attr(g, "axis");
    const tirbi_relax_held *room = g->outputs[0];
    int64_t axis = a->kind == TIRB_RELAX_ATTR_INT ? a->as.integer : 0;
    if (axis < 0) axis += room->buffer->ndim;
    const tirb_expr *begin = number(g, 0);
    g->def = stacks ? "place_one" : "place";
    for (uint32_t i = 0; i < tuple->n; i++) {
        tirbi_relax_held *at = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_SCALAR);
        if (!at || !begin || tuple->fields[i]->kind != TIRBI_RELAX_HELD_TENSOR || axis < 0 ||
            axis >= (int64_t)room->buffer->ndim || tuple->fields[i]->buffer->ndim + stacks != room->buffer->ndim)
            return refuse(g, "with these operands");
        at->scalar = begin;
        g->inputs[0] = tuple->fields[i];
        g->inputs[1] = at;
        g->n_inputs = 2;
        if (!give_integer(g, "axis", axis) || !emit(g)) return false;
        begin = tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_ADD, begin,
                                  stacks ? number(g, 1) : tuple->fields[i]->buffer->shape[axis]);
    }
    return true;
}

static bool emit_split(legal *g, const tirbi_relax_held *room) {
    int64_t axis = attr(g, "axis")->as.integer;
    const tirbi_relax_held *whole = g->inputs[0];
    if (whole->kind != TIRBI_RELAX_HELD_TENSOR) return refuse(g, "with this operand");
    if (axis < 0) axis += whole->buffer->ndim;
    if (axis < 0 || axis >= (int64_t)whole->buffer->ndim) return refuse(g, "along this axis");
    const tirb_expr *begin = number(g, 0);
    g->def = "part";
    for (uint32_t i = 0; i < room->n; i++) {
        tirbi_relax_held *at = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_SCALAR);
        if (!at || !begin) return false;
        at->scalar = begin;
        g->inputs[0] = whole;
        g->inputs[1] = at;
        g->n_inputs = 2;
        g->outputs[0] = room->fields[i];
        g->n_outputs = 1;
        if (!give_integer(g, "axis", axis) || !emit(g)) return false;
        begin = tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_ADD, begin, room->fields[i]->buffer->shape[axis]);
    }
    return true;
}

static bool emit_meshgrid(legal *g, const tirbi_relax_held *room) {
    const tirbi_relax_held *tuple = tirbi_relax_held_of(g->l, g->call->as.call.args[0]);
    const bool xy = strcmp(attr(g, "indexing")->as.text, "xy") == 0;
    if (!tuple || tuple->kind != TIRBI_RELAX_HELD_TUPLE || tuple->n != room->n) return refuse(g, "with these operands");
    for (uint32_t i = 0; i < room->n; i++) {
        const int64_t along = xy && i < 2 && room->n > 1 ? 1 - (int64_t)i : (int64_t)i;
        g->inputs[0] = tuple->fields[i];
        g->n_inputs = 1;
        g->outputs[0] = room->fields[i];
        g->n_outputs = 1;
        if (tuple->fields[i]->kind != TIRBI_RELAX_HELD_TENSOR) return refuse(g, "with these operands");
        if (!give_list(g, "along", &along, 1) || !emit(g)) return false;
    }
    return true;
}

bool tirbi_relax_emit_copy(tirbi_relax_lowering *l, tirbi_span span, const tirbi_relax_held *from,
                           const tirbi_relax_held *to) {
    static const tirb_relax_operator copy = {.name = "copy"};
    const tirb_relax_expr call = {.kind = TIRB_RELAX_CALL, .span = span, .as.call = {.op = &copy}};
    legal g = {.l = l,
               .call = &call,
               .span = span,
               .def = "copy",
               .inputs = {from},
               .n_inputs = 1,
               .outputs = {to},
               .n_outputs = 1};
    return emit(&g);
}

/* What only names memory or sizes anew. */
static bool is_view(const tirb_relax_expr *e) {
    return tirb_relax_is_call(e, TIRB_RELAX_RESHAPE) || tirb_relax_is_call(e, TIRB_RELAX_FLATTEN) ||
           tirb_relax_is_call(e, TIRB_RELAX_EXPAND_DIMS) || tirb_relax_is_call(e, TIRB_RELAX_SQUEEZE) ||
           tirb_relax_is_call(e, TIRB_RELAX_NN_BATCH_FLATTEN);
}

static bool is_identity(const tirb_relax_expr *e) {
    return tirb_relax_is_call(e, TIRB_RELAX_STOP_LIFT_PARAMS) || tirb_relax_is_call(e, TIRB_RELAX_GRAD_NO_GRAD) ||
           tirb_relax_is_call(e, TIRB_RELAX_GRAD_START_CHECKPOINT) ||
           tirb_relax_is_call(e, TIRB_RELAX_GRAD_END_CHECKPOINT) || tirb_relax_is_call(e, TIRB_RELAX_TO_VDEVICE) ||
           tirb_relax_is_call(e, TIRB_RELAX_MEMORY_ENSURE_ZERO_OFFSET);
}

static const tirbi_relax_held *shape_of(legal *g) {
    const tirbi_relax_held *x = g->inputs[0];
    tirbi_relax_held *h = tirbi_relax_hold(g->l, TIRBI_RELAX_HELD_SHAPE);
    if (!h || x->kind != TIRBI_RELAX_HELD_TENSOR) return NULL;
    h->dims = x->buffer->shape;
    h->n = x->buffer->ndim;
    return h;
}

/* A tensor of numbers that are known as scalars: the elements of a shape, or how many elements there are. */
static bool store_numbers(legal *g, const tirb_expr *const *values, uint32_t n) {
    const tirb_buffer *to = result(g, 0);
    for (uint32_t i = 0; i < n; i++) {
        const tirb_expr **at = TIRBI_NEW_ARRAY(g->l->arena, const tirb_expr *, 1);
        if (!at || !(at[0] = number(g, i)) || !values[i]) return false;
        tirbi_emit_store(&g->l->b, g->span, to, values[i], at, to->ndim, NULL);
    }
    return true;
}

/* Whether rules may ask operands for their dimensions; the index of take and what fills may be a number. */
static bool has_tensors(const legal *g) {
    uint32_t n = g->n_inputs;
    if (tirb_relax_is_call(g->call, TIRB_RELAX_TAKE) || tirb_relax_is_call(g->call, TIRB_RELAX_FULL)) n = 0;
    for (uint32_t i = 0; i < n; i++)
        if (g->inputs[i]->kind != TIRBI_RELAX_HELD_TENSOR) return false;
    return true;
}

static bool emit_operator(legal *g, const tirbi_relax_held *room) {
    const tirb_relax_expr *e = g->call;
    if (tirb_relax_is_call(e, TIRB_RELAX_CONCAT) || tirb_relax_is_call(e, TIRB_RELAX_STACK)) {
        const tirbi_relax_held *tuple = tirbi_relax_held_of(g->l, e->as.call.args[0]);
        if (!tuple) return false;
        if (tuple->kind != TIRBI_RELAX_HELD_TUPLE) return refuse(g, "with these operands");
        return emit_parts(g, tuple, tirb_relax_is_call(e, TIRB_RELAX_STACK));
    }
    if (tirb_relax_is_call(e, TIRB_RELAX_EINSUM)) {
        const tirbi_relax_held *tuple = tirbi_relax_held_of(g->l, e->as.call.args[0]);
        return tuple && einsum(g, tuple);
    }
    if (tirb_relax_is_call(e, TIRB_RELAX_INDEX_TENSOR) || tirb_relax_is_call(e, TIRB_RELAX_INDEX_PUT)) {
        const tirbi_relax_held *tuple = tirbi_relax_held_of(g->l, e->as.call.args[1]);
        return tuple && indexed(g, tuple);
    }
    if (tirb_relax_is_call(e, TIRB_RELAX_MESHGRID)) return emit_meshgrid(g, room);
    if (tirb_relax_is_call(e, TIRB_RELAX_SPLIT)) return emit_split(g, room);
    if (tirb_relax_is_call(e, TIRB_RELAX_SHAPE_TO_TENSOR)) {
        const tirbi_relax_held *shape = tirbi_relax_held_of(g->l, e->as.call.args[0]);
        if (!shape || shape->kind != TIRBI_RELAX_HELD_SHAPE) return shape && refuse(g, "with this operand");
        return store_numbers(g, shape->dims, shape->n);
    }
    if (tirb_relax_is_call(e, TIRB_RELAX_SIZE)) {
        if (g->inputs[0]->kind != TIRBI_RELAX_HELD_TENSOR) return refuse(g, "with this operand");
        const tirb_expr *n = count_of(g, tensor(g, 0));
        return store_numbers(g, &n, 1);
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (tirb_relax_is_call(e, rules[i].op)) {
            if (rules[i].def) g->def = rules[i].def;
            if (rules[i].apply && !has_tensors(g)) return refuse(g, "with these operands");
            if (rules[i].apply && !rules[i].apply(g)) return false;
        }
    return emit(g);
}

const tirbi_relax_held *tirbi_relax_legalise(tirbi_relax_lowering *l, const tirb_relax_expr *call,
                                             const tirbi_relax_held *destination) {
    legal g = {.l = l, .call = call, .span = call->span};
    const char *name = call->as.call.op->name;
    g.def = strncmp(name, "nn.", 3) == 0 ? name + 3 : name;
    if (!read_parameters(&g)) return NULL;
    if (is_identity(call) && g.n_inputs > 0) return g.inputs[0];
    if (tirb_relax_is_call(call, TIRB_RELAX_SHAPE_OF)) return shape_of(&g);
    if (is_view(call) && g.n_inputs > 0 && g.inputs[0]->kind == TIRBI_RELAX_HELD_TENSOR && call->type->has_shape)
        return reshaped(&g, g.inputs[0], call->type->shape, (uint32_t)call->type->ndim);
    const tirbi_relax_held *room = tirbi_relax_make_room(l, call->span, call->type, destination);
    if (!room) return NULL;
    const bool by_field = tirb_relax_is_call(call, TIRB_RELAX_SPLIT) || tirb_relax_is_call(call, TIRB_RELAX_MESHGRID);
    if (!by_field && !read_outputs(&g, room)) {
        refuse(&g, "with this many results");
        return NULL;
    }
    return give_common(&g) && emit_operator(&g, room) ? room : NULL;
}
