/* Rules of operators of networks: norms, windows, images, losses, detectors, quantised numbers (legal.h). */
#include <string.h>

#include "compiler/relax/infer/dims.h"
#include "compiler/relax/lower/legal.h"
#include "loader/base/checked.h"

static bool normalised_axes(tirbi_legal *g) {
    int64_t axes[TIRBI_LEGAL_RANK];
    const uint32_t rank = tirbi_legal_rank_of(g, 0), n = tirbi_legal_axes_of(tirbi_legal_attr(g, "axes"), rank, axes);
    return tirbi_legal_give_reduced(g, axes, n, rank, false);
}

static bool instance_norm(tirbi_legal *g) {
    int64_t axes[TIRBI_LEGAL_RANK], channel[1];
    const uint32_t rank = tirbi_legal_rank_of(g, 0), n = tirbi_legal_axes_of(tirbi_legal_attr(g, "axes"), rank, axes);
    channel[0] = tirbi_legal_attr(g, "channel_axis")->as.integer;
    if (channel[0] < 0) channel[0] += rank;
    return tirbi_legal_give_reduced(g, axes, n, rank, false) && tirbi_legal_give_list(g, "channel", channel, 1);
}

/* As an instance norm of what has the groups for channels. */
static bool group_norm(tirbi_legal *g) {
    int64_t axes[TIRBI_LEGAL_RANK], inner[TIRBI_LEGAL_RANK], channel[2];
    const uint32_t rank = tirbi_legal_rank_of(g, 0), n = tirbi_legal_axes_of(tirbi_legal_attr(g, "axes"), rank, axes);
    int64_t at = tirbi_legal_attr(g, "channel_axis")->as.integer,
            groups = tirbi_legal_attr(g, "num_groups")->as.integer;
    const tirb_expr *shape[TIRBI_LEGAL_RANK], *halves[2];
    uint32_t n_inner = 0;
    if (at < 0) at += rank;
    if (rank + 1 > TIRBI_LEGAL_RANK || groups <= 0 || at < 0 || at >= rank || g->n_inputs != 3)
        return tirbi_legal_refuse(g, "for these axes");
    for (uint32_t i = 0, k = 0; i < rank; i++) {
        shape[k++] = i == at ? tirbi_legal_number(g, groups) : tirbi_legal_tensor(g, 0)->shape[i];
        if (i == at)
            shape[k++] = tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_FLOORDIV, tirbi_legal_tensor(g, 0)->shape[i],
                                           tirbi_legal_number(g, groups));
    }
    halves[0] = shape[at];
    halves[1] = shape[at + 1];
    for (uint32_t i = 0; i < n; i++) inner[n_inner++] = axes[i] > at ? axes[i] + 1 : axes[i];
    inner[n_inner++] = at + 1;
    channel[0] = at;
    channel[1] = at + 1;
    g->def = "instance_norm";
    g->inputs[0] = tirbi_legal_reshaped(g, g->inputs[0], shape, rank + 1);
    g->inputs[1] = tirbi_legal_reshaped(g, g->inputs[1], halves, 2);
    g->inputs[2] = tirbi_legal_reshaped(g, g->inputs[2], halves, 2);
    g->outputs[0] = tirbi_legal_reshaped(g, g->outputs[0], shape, rank + 1);
    return g->inputs[0] && g->inputs[1] && g->inputs[2] && g->outputs[0] &&
           tirbi_legal_give_reduced(g, inner, n_inner, rank + 1, false) &&
           tirbi_legal_give_list(g, "channel", channel, 2);
}

/* Where a layout has the letters that `order` begins with, and then the spatial ones: data[place] = number of operand.
 */
static bool give_layout(tirbi_legal *g, const char *name, const char *layout, const char *order) {
    int64_t places[TIRBI_LEGAL_RANK];
    const size_t n = strlen(layout);
    uint32_t space = 2;
    if (n < 2 || n > TIRBI_LEGAL_RANK) return tirbi_legal_refuse(g, "in this layout");
    for (size_t i = 0; i < n; i++) {
        if (layout[i] >= '0' && layout[i] <= '9') return tirbi_legal_refuse(g, "in this layout");
        places[i] = layout[i] == order[0] ? 0 : layout[i] == order[1] ? 1 : (int64_t)space++;
    }
    return space == n && tirbi_legal_give_list(g, name, places, (uint32_t)n);
}

static int64_t place_in(const char *layout, char letter) {
    const char *at = strchr(layout, letter);
    return at ? at - layout : 0;
}

/* `padding` in front and behind, `padded`: whether there is any. */
static bool give_padding(tirbi_legal *g) {
    const tirb_relax_attr *p = tirbi_legal_attr(g, "padding");
    int64_t before[TIRBI_LEGAL_RANK], after[TIRBI_LEGAL_RANK];
    const uint32_t n = p->as.list.n / 2;
    bool any = false;
    if (n > TIRBI_LEGAL_RANK) return tirbi_legal_refuse(g, "for this many dimensions");
    for (uint32_t i = 0; i < n; i++) {
        before[i] = p->as.list.items[i].as.integer;
        after[i] = p->as.list.items[n + i].as.integer;
        any = any || before[i] || after[i];
    }
    return tirbi_legal_give_list(g, "padding", before, n) && tirbi_legal_give_list(g, "padding_after", after, n) &&
           tirbi_legal_give_integer(g, "padded", any);
}

static bool give_space(tirbi_legal *g, const char *name, const char *layout, const tirb_buffer *b) {
    const tirb_expr *sizes[TIRBI_LEGAL_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->ndim && layout[i]; i++)
        if (layout[i] != 'N' && layout[i] != 'C') sizes[n++] = b->shape[i];
    return tirbi_legal_give_sizes(g, name, sizes, n);
}

/* ---- Windows ----------------------------------------------------------------------------------------------------- */

static int64_t item_of(const tirbi_legal *g, const char *name, uint32_t i) {
    return tirbi_legal_attr(g, name)->as.list.items[i].as.integer;
}

static const tirb_expr *sum_of(tirbi_legal *g, const tirb_expr *size, int64_t more) {
    return more ? tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_ADD, size, tirbi_legal_number(g, more)) : size;
}

/* Of a positive divisor. */
static int64_t rounded_up(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }

/* A window over `n` dimensions: of a kernel whose first places may be left out. */
typedef struct nn_window {
    uint32_t n;
    const tirb_expr *size[TIRBI_LEGAL_RANK], *result[TIRBI_LEGAL_RANK];
    int64_t first[TIRBI_LEGAL_RANK], padding[TIRBI_LEGAL_RANK];
    bool cropped, padded;
} nn_window;

/* Rows of up to SHORT_ROW elements are shorter than vectors, and MANY_CHANNELS fill some. */
enum { SHORT_ROW = 8, MANY_CHANNELS = 16 };

static uint32_t space_of(const char *layout, const tirb_buffer *b, const char *others, const tirb_expr **sizes) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->ndim && layout[i]; i++)
        if (!strchr(others, layout[i])) sizes[n++] = b->shape[i];
    return n;
}

/* How many of a kernel's `size` places, the first at 0 and so far apart, lie ahead of `end`. */
static int64_t places_ahead_of(int64_t end, int64_t apart, int64_t size) {
    const int64_t n = end > 0 ? (end - 1) / apart + 1 : 0;
    return n < size ? n : size;
}

/* How far the last window's begin is from the operand's first element and from its end. */
static bool last_window(const tirbi_legal_places *w, int64_t *to_first, int64_t *to_end) {
    int64_t last;
    return w->apart > 0 && tirbi_mul_i64(w->result - 1, w->stride, &last) && tirbi_sub_i64(last, w->before, &last) &&
           tirbi_sub_i64(0, last, to_first) && tirbi_sub_i64(w->extent, last, to_end);
}

bool tirbi_legal_places_that_meet(const tirbi_legal_places *w, int64_t *first, int64_t *end) {
    int64_t to_first, to_end, behind;
    if (!last_window(w, &to_first, &to_end) || !tirbi_add_i64(w->extent, w->before, &behind)) return false;
    *first = places_ahead_of(to_first, w->apart, w->size);
    *end = places_ahead_of(behind, w->apart, w->size);
    return true;
}

/* What is padded along dimension `i` of `extent` elements. The places of a kernel that meet nothing but padding are
 * left out; one that has no others stays as it is. */
static bool crop(tirbi_legal *g, nn_window *w, uint32_t i, int64_t extent) {
    const tirbi_legal_places places = {
        extent,        w->result[i]->as.int_value, item_of(g, "strides", i), item_of(g, "dilation", i),
        w->padding[i], w->size[i]->as.int_value};
    int64_t first, end, to_first, to_end;
    if (!tirbi_legal_places_that_meet(&places, &first, &end) || !last_window(&places, &to_first, &to_end)) {
        w->padded = true;
        return true;
    }
    const bool crops = first < end && end - first < places.size;
    if (crops) {
        w->cropped = true;
        w->first[i] = first;
        w->padding[i] -= first * places.apart;
        w->size[i] = tirbi_legal_number(g, end - first);
    }
    w->padded = w->padded || w->padding[i] > 0 ||
                places_ahead_of(to_end, places.apart, places.size) < (crops ? end : places.size);
    return w->size[i] != NULL;
}

/* w->size and w->n are known. */
static bool give_window(tirbi_legal *g, nn_window *w, const char *layout) {
    const tirb_expr *extents[TIRBI_LEGAL_RANK];
    bool is_known = space_of(layout, tirbi_legal_result(g, 0), "NC", w->result) == w->n &&
                    space_of(layout, tirbi_legal_tensor(g, 0), "NC", extents) == w->n;
    if (!give_padding(g)) return false;
    for (uint32_t i = 0; i < w->n; i++) w->padding[i] = item_of(g, "padding", i);
    for (uint32_t i = 0; i < w->n && is_known; i++)
        is_known = extents[i]->kind == TIRB_EXPR_INT_IMM && w->result[i]->kind == TIRB_EXPR_INT_IMM &&
                   w->size[i]->kind == TIRB_EXPR_INT_IMM;
    for (uint32_t i = 0; i < w->n && is_known; i++)
        if (!crop(g, w, i, extents[i]->as.int_value)) return false;
    return !is_known ||
           (tirbi_legal_give_list(g, "padding", w->padding, w->n) && tirbi_legal_give_integer(g, "padded", w->padded));
}

bool tirbi_legal_is_convolution(const tirb_relax_expr *call) {
    return tirb_relax_is_call(call, TIRB_RELAX_NN_CONV1D) || tirb_relax_is_call(call, TIRB_RELAX_NN_CONV2D) ||
           tirb_relax_is_call(call, TIRB_RELAX_NN_CONV3D);
}

static bool is_max_pool(const tirb_relax_expr *call) {
    return tirb_relax_is_call(call, TIRB_RELAX_NN_MAX_POOL1D) || tirb_relax_is_call(call, TIRB_RELAX_NN_MAX_POOL2D) ||
           tirb_relax_is_call(call, TIRB_RELAX_NN_MAX_POOL3D);
}

bool tirbi_legal_goes_by_channels(const tirb_relax_expr *call) {
    const bool convolves = tirbi_legal_is_convolution(call);
    const tirb_relax_type *y = call->type;
    if ((!convolves && !is_max_pool(call)) || !y || !y->has_shape || y->ndim < 3) return false;
    const char *layout = tirbi_relax_attr_of(call, convolves ? "data_layout" : "layout")->as.text;
    const uint32_t n = (uint32_t)y->ndim;
    if (strlen(layout) != n || layout[n - 1] == 'C') return false;
    const tirb_expr *row = y->shape[n - 1], *channels = y->shape[place_in(layout, 'C')];
    if (row->kind != TIRB_EXPR_INT_IMM || row->as.int_value > SHORT_ROW || channels->kind != TIRB_EXPR_INT_IMM ||
        channels->as.int_value < MANY_CHANNELS)
        return false;
    if (!convolves) return true;
    const tirb_relax_type *kernel = call->as.call.args[1]->type;
    const char *order = tirbi_relax_attr_of(call, "kernel_layout")->as.text;
    return kernel && kernel->has_shape && kernel->ndim == y->ndim && strlen(order) == n &&
           tirbi_relax_attr_of(call, "groups")->as.integer == channels->as.int_value &&
           tirbi_is_const_int(kernel->shape[place_in(order, 'I')], 1);
}

/* Operand and result with channels last: `sizes` are those of the dimensions in front. */
static const tirbi_relax_held *by_channels(tirbi_legal *g, const tirb_expr *const *sizes, uint32_t n,
                                           const tirb_expr *const *last, uint32_t n_last) {
    const tirb_expr *shape[TIRBI_LEGAL_RANK];
    memcpy(shape, sizes, n * sizeof *shape);
    memcpy(shape + n, last, n_last * sizeof *shape);
    return tirbi_legal_scratch(g, tirbi_legal_result(g, 0)->dtype, shape, n + n_last);
}

/* A window over each channel by itself: `def` is its text with channels last, of a kernel where it has one. */
static bool window_by_channels(tirbi_legal *g, const char *layout, const nn_window *w, const char *def) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    const tirb_expr *extents[TIRBI_LEGAL_RANK],
        *last[] = {x->shape[place_in(layout, 'N')], x->shape[place_in(layout, 'C')]};
    const bool has_kernel = g->n_inputs > 1;
    tirbi_relax_count_steps(g->l);
    space_of(layout, x, "NC", extents);
    const tirbi_relax_held *front = by_channels(g, extents, w->n, last, 2),
                           *made = by_channels(g, w->result, w->n, last, 2),
                           *kernel = has_kernel ? by_channels(g, w->size, w->n, last + 1, 1) : NULL;
    if (!front || !made || (has_kernel && !kernel) || !TIRBI_LEGAL_STEP(g, "channels_last", (g->inputs[0]), (front)) ||
        (has_kernel && !TIRBI_LEGAL_STEP(g, "kernel_last", (g->inputs[1]), (kernel))) ||
        !TIRBI_LEGAL_STEP(g, def, (front, kernel), (made)))
        return false;
    g->def = "channels_back";
    g->inputs[0] = made;
    g->n_inputs = 1;
    return true;
}

static bool convolution(tirbi_legal *g) {
    const char *data = tirbi_legal_attr(g, "data_layout")->as.text,
               *kernel = tirbi_legal_attr(g, "kernel_layout")->as.text;
    const int64_t groups = tirbi_legal_attr(g, "groups")->as.integer;
    const tirb_expr *outs = tirbi_legal_tensor(g, 1)->shape[place_in(kernel, 'O')],
                    *ins = tirbi_legal_tensor(g, 1)->shape[place_in(kernel, 'I')];
    nn_window w = {.n = 0};
    if (strcmp(data, tirbi_legal_attr(g, "out_layout")->as.text) != 0)
        return tirbi_legal_refuse(g, "with an out_layout of its own");
    if (groups != 1 && (outs->kind != TIRB_EXPR_INT_IMM || ins->kind != TIRB_EXPR_INT_IMM))
        return tirbi_legal_refuse(g, "with groups of a symbolic number of channels");
    w.n = space_of(kernel, tirbi_legal_tensor(g, 1), "OI", w.size);
    if (!give_layout(g, "data", data, "NC") || !give_layout(g, "out", data, "NC") ||
        !give_layout(g, "kernel", kernel, "OI") || !give_window(g, &w, data) ||
        !tirbi_legal_give_sizes(g, "window", w.size, w.n) || !tirbi_legal_give_list(g, "first", w.first, w.n) ||
        !tirbi_legal_give_size(g, "inputs", ins) ||
        (groups != 1 && !tirbi_legal_give_integer(g, "per_group", outs->as.int_value / groups)))
        return false;
    g->def = w.cropped ? "conv_cropped" : "conv";
    return !tirbi_legal_goes_by_channels(g->call) || window_by_channels(g, data, &w, "conv_by_channels");
}

/* Of transposed convolutions. To hold a product of matrices, 256 MiB of float32 at most, and to add up MOST_TAPS of its
 * elements along each dimension takes as long as FEW_INPUTS products. */
enum { MOST_PLACES = 1 << 26, FEW_INPUTS = 16, MOST_TAPS = 4, MOST_WINDOW = 1 << 24 };

/* Whether a transposed convolution can be done in steps: its kernel's places lie side by side, their number is known,
 * and the result begins inside of what these make. */
static bool goes_in_steps(const tirbi_legal *g, const tirb_expr *const *window, uint32_t n) {
    if (n == 0 || 2 + 2 * n > TIRBI_LEGAL_RANK) return false;
    for (uint32_t i = 0; i < n; i++)
        if (window[i]->kind != TIRB_EXPR_INT_IMM || window[i]->as.int_value > MOST_WINDOW ||
            item_of(g, "dilation", i) != 1 || item_of(g, "padding", i) < 0)
            return false;
    return true;
}

/* Whether so many elements can be held, of sizes that are numbers; others are taken for 1. */
static bool are_few(const tirb_expr *const *sizes, uint32_t n) {
    int64_t elements = 1;
    for (uint32_t i = 0; i < n; i++)
        if (sizes[i]->kind == TIRB_EXPR_INT_IMM &&
            (!tirbi_mul_i64(elements, sizes[i]->as.int_value, &elements) || elements > MOST_PLACES))
            return false;
    return true;
}

/* A transposed convolution in steps: the sums for each phase of the strides, and the phases side by side, of which the
 * result is a part. They are of products where few channels meet, or many places in a phase, each with as many; else a
 * product of matrices comes first, and they are of its elements. */
static bool transpose_in_steps(tirbi_legal *g, const char *layout, const tirb_expr *const *window, uint32_t n,
                               int64_t inputs) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0), *y = tirbi_legal_result(g, 0);
    const tirb_expr *shape[TIRBI_LEGAL_RANK], *places_shape[TIRBI_LEGAL_RANK], *whole[TIRBI_LEGAL_RANK];
    int64_t taps[TIRBI_LEGAL_RANK];
    bool is_all = strncmp(layout, "NC", 2) == 0, is_even = true, has_few_taps = true;
    tirbi_relax_count_steps(g->l);
    shape[0] = whole[0] = y->shape[place_in(layout, 'N')];
    shape[1] = whole[1] = y->shape[place_in(layout, 'C')];
    space_of(layout, x, "NC", shape + 2 + n);
    memcpy(shape + 2, window, n * sizeof *shape);
    memcpy(places_shape, shape, (2 + 2 * n) * sizeof *shape);
    for (uint32_t i = 0; i < n; i++) {
        const int64_t stride = item_of(g, "strides", i), size = window[i]->as.int_value;
        const int64_t last = size + item_of(g, "output_padding", i) - item_of(g, "padding", n + i);
        const tirb_expr **rounds = &shape[2 + n + i];
        taps[i] = rounded_up(size, stride);
        is_even = is_even && size % stride == 0;
        has_few_taps = has_few_taps && taps[i] <= MOST_TAPS;
        *rounds = sum_of(g, *rounds, rounded_up(last, stride) - 1);
        shape[2 + i] = tirbi_legal_number(g, stride);
        whole[2 + i] = tirbi_make_binary(&g->l->b, g->span, TIRB_EXPR_MUL, *rounds, shape[2 + i]);
        if (!*rounds || !shape[2 + i] || !whole[2 + i]) return false;
        is_all = is_all && item_of(g, "padding", i) == 0 && last % stride == 0;
    }
    const bool of_products =
        inputs == 1 || (is_even && (inputs <= FEW_INPUTS || !has_few_taps)) || !are_few(places_shape, 2 + 2 * n);
    const tirbi_relax_held *places = of_products ? NULL : tirbi_legal_scratch(g, y->dtype, places_shape, 2 + 2 * n),
                           *phases = tirbi_legal_scratch(g, y->dtype, shape, 2 + 2 * n),
                           *woven = is_all ? g->outputs[0] : tirbi_legal_scratch(g, y->dtype, whole, 2 + n);
    if ((!places && !of_products) || !phases || !woven || !tirbi_legal_give_integer(g, "axis", n) ||
        !tirbi_legal_give_list(g, "taps", taps, n) || !tirbi_legal_give_integer(g, "even", is_even))
        return false;
    const bool is_summed = of_products
                               ? TIRBI_LEGAL_STEP(g, "conv_transpose_taps", (g->inputs[0], g->inputs[1]), (phases))
                               : TIRBI_LEGAL_STEP(g, "conv_transpose_places", (g->inputs[0], g->inputs[1]), (places)) &&
                                     TIRBI_LEGAL_STEP(g, "conv_transpose_phases", (places), (phases));
    if (!is_summed || (!is_all && !TIRBI_LEGAL_STEP(g, "conv_transpose_woven", (phases), (woven)))) return false;
    g->def = is_all ? "conv_transpose_woven" : "conv_transpose_part";
    g->inputs[0] = is_all ? phases : woven;
    g->n_inputs = 1;
    return true;
}

static bool convolution_transpose(tirbi_legal *g) {
    const char *data = tirbi_legal_attr(g, "data_layout")->as.text,
               *kernel = tirbi_legal_attr(g, "kernel_layout")->as.text;
    const int64_t groups = tirbi_legal_attr(g, "groups")->as.integer;
    const tirb_buffer *w = tirbi_legal_tensor(g, 1);
    const tirb_expr *outs = w->shape[place_in(kernel, 'O')], *ins = w->shape[place_in(kernel, 'I')];
    const tirb_expr *window[TIRBI_LEGAL_RANK];
    uint32_t n = 0;
    if (strcmp(data, tirbi_legal_attr(g, "out_layout")->as.text) != 0)
        return tirbi_legal_refuse(g, "with an out_layout of its own");
    if (outs->kind != TIRB_EXPR_INT_IMM || ins->kind != TIRB_EXPR_INT_IMM)
        return tirbi_legal_refuse(g, "with a symbolic number of channels");
    for (uint32_t i = 0; i < w->ndim; i++)
        if (kernel[i] != 'O' && kernel[i] != 'I') window[n++] = w->shape[i];
    g->def = "conv_transpose";
    if (!give_layout(g, "data", data, "NC") || !give_layout(g, "out", data, "NC") ||
        !give_layout(g, "kernel", kernel, "IO") || !give_padding(g) ||
        !give_space(g, "space", data, tirbi_legal_tensor(g, 0)) || !tirbi_legal_give_sizes(g, "window", window, n) ||
        !tirbi_legal_give_integer(g, "inputs", ins->as.int_value / groups) ||
        !tirbi_legal_give_integer(g, "per_group", outs->as.int_value))
        return false;
    return !goes_in_steps(g, window, n) || transpose_in_steps(g, data, window, n, ins->as.int_value / groups);
}

static bool pooling(tirbi_legal *g) {
    const char *layout = tirbi_legal_attr(g, "layout")->as.text;
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    const bool is_max = strncmp(g->call->as.call.op->name, "nn.max", 6) == 0;
    nn_window w = {.n = 0};
    if (strcmp(layout, tirbi_legal_attr(g, "out_layout")->as.text) != 0)
        return tirbi_legal_refuse(g, "with an out_layout of its own");
    g->def = is_max                                                 ? "max_pool"
             : strncmp(g->call->as.call.op->name, "nn.avg", 6) == 0 ? "avg_pool"
                                                                    : "adaptive_avg_pool";
    if (strcmp(g->def, "adaptive_avg_pool") != 0 && !give_padding(g)) return false;
    /* Windows that reach over the end as the result is rounded up are padded as well. */
    if (strcmp(g->def, "adaptive_avg_pool") != 0 && tirbi_legal_is_true(g, "ceil_mode") &&
        !tirbi_legal_give_integer(g, "padded", 1))
        return false;
    if (!give_layout(g, "data", layout, "NC") || !give_layout(g, "out", layout, "NC") ||
        !give_space(g, "space", layout, x) || !give_space(g, "result", layout, tirbi_legal_result(g, 0)) ||
        !tirbi_legal_give_size(g, "batch", x->shape[place_in(layout, 'N')]) ||
        !tirbi_legal_give_size(g, "channels", x->shape[place_in(layout, 'C')]))
        return false;
    w.n = space_of(layout, tirbi_legal_result(g, 0), "NC", w.result);
    return !tirbi_legal_goes_by_channels(g->call) || window_by_channels(g, layout, &w, "max_pool_by_channels");
}

static bool padding(tirbi_legal *g) {
    const tirb_relax_attr *widths = tirbi_legal_attr(g, "pad_width");
    const char *mode = tirbi_legal_attr(g, "pad_mode")->as.text;
    int64_t before[TIRBI_LEGAL_RANK];
    const uint32_t rank = tirbi_legal_rank_of(g, 0);
    if (widths->as.list.n != 2 * rank || rank > TIRBI_LEGAL_RANK) return tirbi_legal_refuse(g, "for these widths");
    for (uint32_t i = 0; i < rank; i++) before[i] = widths->as.list.items[2 * i].as.integer;
    g->def = strcmp(mode, "reflect") == 0     ? "pad_reflect"
             : strcmp(mode, "replicate") == 0 ? "pad_replicate"
             : strcmp(mode, "circular") == 0  ? "pad_circular"
                                              : "pad_constant";
    return tirbi_legal_give_list(g, "before", before, rank);
}

static bool pixel_shuffle(tirbi_legal *g) {
    return tirbi_legal_give_integer(g, "factor", tirbi_legal_attr(g, "upscale_factor")->as.integer);
}

static bool attention(tirbi_legal *g) {
    if (tirbi_legal_attr(g, "window_size")->kind != TIRB_RELAX_ATTR_NONE) return tirbi_legal_refuse(g, "with a window");
    if (g->n_inputs > 3 && g->inputs[3] && tirbi_legal_rank_of(g, 3) != 4)
        return tirbi_legal_refuse(g, "with a bias of other than 4 dimensions");
    return tirbi_legal_give_integer(g, "has_scale", tirbi_legal_attr(g, "scale")->kind != TIRB_RELAX_ATTR_NONE);
}

static bool cross_entropy(tirbi_legal *g) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    return tirbi_legal_give_integer(g, "batched", x->ndim > 1) &&
           (x->ndim == 0 || tirbi_legal_give_size(g, "batch", x->shape[0]));
}

static bool nll_loss(tirbi_legal *g) {
    const bool is_none = strcmp(tirbi_legal_attr(g, "reduction")->as.text, "none") == 0;
    if (is_none) g->def = "nll_loss_none";
    if (tirbi_legal_rank_of(g, 0) > 1) return true;
    /* One prediction alone is a batch of one. */
    const tirb_expr *one[2] = {tirbi_legal_number(g, 1), tirbi_legal_tensor(g, 0)->shape[0]};
    g->inputs[0] = tirbi_legal_reshaped(g, g->inputs[0], one, 2);
    g->inputs[1] = tirbi_legal_reshaped(g, g->inputs[1], one, 1);
    if (is_none) g->outputs[0] = tirbi_legal_reshaped(g, g->outputs[0], one, 1);
    return g->inputs[0] && g->inputs[1] && g->outputs[0];
}

/* Where the elements of the result are along one dimension of `space` elements, and their shares: the text `def` of
 * them, whose operand is `of` (NULL: none), makes tensors of `shape` and the number of neighbours. They become inputs
 * `at` and `at` + 1. */
static bool add_taps(tirbi_legal *g, const char *def, const tirbi_relax_held *of, const tirb_expr *space,
                     const tirb_expr *const *shape, uint32_t n, uint32_t taps, tirb_datatype type, uint32_t at) {
    const tirb_expr *dims[TIRBI_LEGAL_RANK];
    tirbi_legal part = *g;
    if (n + 1 > TIRBI_LEGAL_RANK || at + 2 > TIRBI_LEGAL_OPERANDS)
        return tirbi_legal_refuse(g, "for this many dimensions");
    memcpy(dims, shape, n * sizeof *dims);
    if (!(dims[n] = tirbi_legal_number(g, taps))) return false;
    part.def = def;
    part.n_inputs = 0;
    if (of) part.inputs[part.n_inputs++] = of;
    if (!(part.inputs[part.n_inputs++] = tirbi_legal_scalar(g, space))) return false;
    part.n_outputs = 2;
    part.outputs[0] = tirbi_legal_scratch(g, tirbi_type_i64, dims, n + 1);
    part.outputs[1] = tirbi_legal_scratch(g, type, dims, n + 1);
    if (!part.outputs[0] || !part.outputs[1] || !tirbi_legal_give_integer(&part, "taps", taps) ||
        !tirbi_legal_emit(&part))
        return false;
    g->inputs[at] = part.outputs[0];
    g->inputs[at + 1] = part.outputs[1];
    g->n_inputs = at + 2;
    return true;
}

/* What is cropped along dimension `d` of two: the region is top, left, bottom, right. */
static bool give_crop(tirbi_legal *g, uint32_t d) {
    const tirb_relax_attr *region = tirbi_legal_attr(g, "roi");
    if (region->kind != TIRB_RELAX_ATTR_LIST || region->as.list.n != 4)
        return tirbi_legal_refuse(g, "without a region of four numbers");
    const char *const names[] = {"crop_begin", "crop_end"};
    for (uint32_t i = 0; i < 2; i++) {
        const tirb_relax_attr *item = &region->as.list.items[2 * i + d];
        if (!tirbi_legal_give_attr(g, names[i], item)) return false;
    }
    return true;
}

/* A resized image, one dimension after another: shape[0] .. are those of what is made so far. */
static bool resize_by_dimensions(tirbi_legal *g, const char *layout, uint32_t taps) {
    const uint32_t rank = tirbi_legal_rank_of(g, 0);
    const tirb_expr *shape[TIRBI_LEGAL_RANK];
    const tirbi_relax_held *now = g->inputs[0];
    uint32_t n_done = 0;
    tirbi_relax_count_steps(g->l);
    memcpy(shape, tirbi_legal_tensor(g, 0)->shape, rank * sizeof *shape);
    for (uint32_t i = rank; i-- > 0;) {
        const uint32_t at = i + n_done; /* those that are done stand in front */
        if (layout[i] == 'N' || layout[i] == 'C') continue;
        const tirb_expr *const *result = &tirbi_legal_result(g, 0)->shape[i];
        if (!add_taps(g, "resize_taps", NULL, shape[at], result, 1, taps, tirbi_type_f32, 1)) return false;
        const tirb_expr *moved = shape[at];
        memmove(shape + 1, shape, at * sizeof *shape);
        shape[0] = moved;
        const tirbi_relax_held *front = tirbi_legal_scratch(g, now->buffer->dtype, shape, rank);
        shape[0] = *result;
        const tirbi_relax_held *rows = tirbi_legal_scratch(g, tirbi_type_f32, shape, rank);
        if (!front || !rows || !tirbi_legal_give_integer(g, "axis", at) ||
            !TIRBI_LEGAL_STEP(g, "resize_front", (now), (front)) ||
            !TIRBI_LEGAL_STEP(g, "resize_rows", (front, g->inputs[1], g->inputs[2]), (rows)))
            return false;
        now = rows;
        n_done++;
    }
    g->def = "channels_back";
    g->inputs[0] = now;
    g->n_inputs = 1;
    return true;
}

static bool resize(tirbi_legal *g) {
    const char *layout = tirbi_legal_attr(g, "layout")->as.text, *method = tirbi_legal_attr(g, "method")->as.text;
    const char *mode = tirbi_legal_attr(g, "coordinate_transformation_mode")->as.text;
    const char *rounding = tirbi_legal_attr(g, "rounding_method")->as.text;
    static const char *const modes[] = {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel",
                                        "tf_half_pixel_for_nn"};
    const bool crops = strcmp(mode, "tf_crop_and_resize") == 0 && strlen(layout) == 4;
    bool known = crops;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) known = known || strcmp(mode, modes[i]) == 0;
    const bool nearest = strncmp(method, "nearest", 7) == 0, cubic = strcmp(method, "cubic") == 0;
    if (!known || (!nearest && !cubic && strcmp(method, "linear") != 0))
        return tirbi_legal_refuse(g, "with this method or these coordinates");
    if (!*rounding) rounding = strcmp(mode, "align_corners") == 0 ? "round" : "floor";
    g->n_inputs = 1;
    if (!tirbi_legal_give_text(g, "mode", mode) || !tirbi_legal_give_text(g, "rounding", rounding) ||
        !give_layout(g, "data", layout, "NC") || !give_layout(g, "out", layout, "NC"))
        return false;
    if (nearest && !crops) {
        g->def = "resize_nearest";
        return give_space(g, "space", layout, tirbi_legal_tensor(g, 0)) &&
               give_space(g, "result", layout, tirbi_legal_result(g, 0));
    }
    if (!crops) return resize_by_dimensions(g, layout, cubic ? 4 : 2);
    const uint32_t taps = cubic ? 4 : nearest ? 1 : 2;
    g->def = "resize_cropped";
    for (uint32_t i = 0, at = 1; layout[i]; i++) {
        if (layout[i] == 'N' || layout[i] == 'C') continue;
        if (!give_crop(g, at / 2)) return false;
        if (!add_taps(g, "resize_taps", NULL, tirbi_legal_tensor(g, 0)->shape[i], &tirbi_legal_result(g, 0)->shape[i],
                      1, taps, tirbi_type_f32, at))
            return false;
        at += 2;
    }
    return tirbi_legal_give_size(g, "batch", tirbi_legal_tensor(g, 0)->shape[place_in(layout, 'N')]) &&
           tirbi_legal_give_size(g, "channels", tirbi_legal_tensor(g, 0)->shape[place_in(layout, 'C')]);
}

static bool grid_sample(tirbi_legal *g) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0), *grid = tirbi_legal_tensor(g, 1);
    const char *method = tirbi_legal_attr(g, "method")->as.text,
               *padding_mode = tirbi_legal_attr(g, "padding_mode")->as.text;
    const bool nearest = strcmp(method, "nearest") == 0, cubic = strcmp(method, "bicubic") == 0;
    const uint32_t n_space = x->ndim < 2 ? 0 : x->ndim - 2;
    const tirb_expr *shape[TIRBI_LEGAL_RANK];
    if (strncmp(tirbi_legal_attr(g, "layout")->as.text, "NC", 2) != 0 || n_space < 2 || n_space > 3 ||
        grid->ndim != x->ndim || (cubic && n_space == 3) || (!nearest && !cubic && strcmp(method, "bilinear") != 0) ||
        (strcmp(padding_mode, "zeros") != 0 && strcmp(padding_mode, "border") != 0 &&
         strcmp(padding_mode, "reflection") != 0))
        return tirbi_legal_refuse(g, "with this method, layout or padding");
    const tirbi_relax_held *places = g->inputs[1];
    const uint32_t taps = nearest ? 1 : cubic ? 4 : 2;
    shape[0] = grid->shape[0];
    for (uint32_t i = 0; i < n_space; i++) shape[1 + i] = grid->shape[2 + i];
    for (uint32_t i = 0; i < n_space; i++) /* the grid's first component is along the last dimension */
        if (!tirbi_legal_give_integer(g, "component", n_space - 1 - i) ||
            !add_taps(g, "grid_taps", places, x->shape[2 + i], shape, 1 + n_space, taps, grid->dtype, 1 + 2 * i))
            return false;
    g->def = n_space == 2 ? "grid_sample2d" : "grid_sample3d";
    return true;
}

static bool region(tirbi_legal *g) {
    const char *layout = tirbi_legal_attr(g, "layout")->as.text;
    const int64_t h = place_in(layout, 'H'), w = place_in(layout, 'W');
    const bool pools = tirb_relax_is_call(g->call, TIRB_RELAX_VISION_ROI_POOL);
    const bool is_average = !pools && strcmp(tirbi_legal_attr(g, "mode")->as.text, "avg") == 0;
    if (pools ? strcmp(layout, "NCHW") != 0 : !is_average && strcmp(tirbi_legal_attr(g, "mode")->as.text, "max") != 0)
        return tirbi_legal_refuse(g, "in this mode or layout");
    g->def = pools ? "roi_pool" : is_average ? "roi_align" : "roi_align_greatest";
    return give_layout(g, "data", layout, "NC") && give_layout(g, "out", layout, "NC") &&
           tirbi_legal_give_size(g, "height", tirbi_legal_tensor(g, 0)->shape[h]) &&
           tirbi_legal_give_size(g, "width", tirbi_legal_tensor(g, 0)->shape[w]) &&
           tirbi_legal_give_size(g, "rows", tirbi_legal_result(g, 0)->shape[h]) &&
           tirbi_legal_give_size(g, "columns", tirbi_legal_result(g, 0)->shape[w]);
}

static bool affine_grid(tirbi_legal *g) {
    int64_t turned[TIRBI_LEGAL_RANK];
    const uint32_t n_space = tirbi_legal_result(g, 0)->ndim - 2;
    for (uint32_t i = 0; i < n_space && i < TIRBI_LEGAL_RANK; i++) turned[i] = (int64_t)n_space - 1 - i;
    g->def = "affine_grid";
    g->n_inputs = 1;
    return tirbi_legal_give_list(g, "turned", turned, n_space) && tirbi_legal_give_integer(g, "last", n_space);
}

/* A scale or zero point of one element is one for all. */
static bool quantised(tirbi_legal *g) {
    for (uint32_t i = 1; i < 3; i++) {
        const tirb_buffer *b = tirbi_legal_tensor(g, i);
        const bool per_axis = b->ndim == 1 && !tirbi_is_const_int(b->shape[0], 1);
        if (!tirbi_legal_give_integer(g, i == 1 ? "per_axis" : "zero_per_axis", per_axis)) return false;
        if (!per_axis && !(g->inputs[i] = tirbi_legal_reshaped(g, g->inputs[i], NULL, 0))) return false;
    }
    const tirb_datatype type = tirbi_legal_result(g, 0)->dtype;
    return tirbi_legal_give_integer(g, "is_float16", tirbi_type_is_float(type) && type.bits == 16);
}

static bool valid_counts(tirbi_legal *g) {
    g->def = "get_valid_counts";
    return true;
}

/* The slots of soft suppression: see vision.tc. */
typedef struct soft_slots {
    const tirbi_relax_held *row, *score, *live, *count;
} soft_slots;

static bool make_slots(tirbi_legal *g, soft_slots *s) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    s->row = tirbi_legal_scratch(g, tirbi_type_i64, x->shape, 2);
    s->score = tirbi_legal_scratch(g, x->dtype, x->shape, 2);
    s->live = tirbi_legal_scratch(g, tirbi_type_i64, x->shape, 2);
    s->count = tirbi_legal_scratch(g, tirbi_type_i64, x->shape, 1);
    return s->row && s->score && s->live && s->count;
}

static bool copy_slots(tirbi_legal *g, const soft_slots *from, const soft_slots *to) {
    return tirbi_relax_emit_copy(g->l, g->span, from->row, to->row) &&
           tirbi_relax_emit_copy(g->l, g->span, from->score, to->score) &&
           tirbi_relax_emit_copy(g->l, g->span, from->live, to->live) &&
           tirbi_relax_emit_copy(g->l, g->span, from->count, to->count);
}

/* As many rounds as there are boxes: a loop of the function that calls. */
static bool soft_rounds(tirbi_legal *g, const soft_slots *s) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    const tirbi_relax_held *best = tirbi_legal_scratch(g, tirbi_type_i64, x->shape, 1);
    soft_slots next;
    tirb_stmt *loop = best && make_slots(g, &next) ? tirbi_make_stmt(&g->l->b, g->span, TIRB_STMT_FOR) : NULL;
    const uint32_t depth = g->l->b.frames.n;
    if (!loop) return false;
    loop->as.for_.var = tirbi_make_var(&g->l->b, g->span, "round", tirbi_prim_type(tirbi_type_i64));
    loop->as.for_.min = tirbi_legal_number(g, 0);
    loop->as.for_.extent = x->shape[1];
    loop->as.for_.thread_tag = "";
    if (!loop->as.for_.var || !loop->as.for_.min || !tirbi_frame_push(&g->l->b, TIRBI_FRAME_FOR, loop, g->span))
        return false;
    const tirbi_relax_held *round = tirbi_legal_scalar(g, loop->as.for_.var);
    const bool done =
        round && TIRBI_LEGAL_STEP(g, "soft_nms_best", (s->score, s->live, round), (best)) &&
        TIRBI_LEGAL_STEP(g, "soft_nms_round", (g->inputs[0], s->row, s->score, s->live, s->count, best, round),
                         (next.row, next.score, next.live, next.count)) &&
        copy_slots(g, &next, s);
    while (g->l->b.frames.n > depth && !g->l->arena->failed) tirbi_frame_pop(&g->l->b);
    return done;
}

static bool soft_nms(tirbi_legal *g, const tirbi_relax_held *order) {
    const tirbi_relax_held *data = g->inputs[0], *valid = g->inputs[1], *indices = g->inputs[2];
    const double falloff = (double)(float)(-0.5 / tirbi_legal_attr(g, "soft_nms_sigma")->as.real);
    soft_slots s;
    if (!tirbi_legal_give_real(g, "falloff", falloff) || !make_slots(g, &s) ||
        !TIRBI_LEGAL_STEP(g, "soft_nms_begin", (data, valid, order), (s.row, s.score, s.live, s.count)) ||
        !soft_rounds(g, &s))
        return false;
    const tirbi_relax_held *const inputs[4] = {data, s.row, s.score, s.count};
    memcpy(g->inputs, inputs, sizeof inputs);
    g->n_inputs = 4;
    g->def = "soft_nms_boxes";
    if (!tirbi_legal_is_true(g, "return_indices")) return true;
    if (!TIRBI_LEGAL_STEP(g, "soft_nms_boxes", (data, s.row, s.score, s.count), (g->outputs[0]))) return false;
    const tirbi_relax_held *const numbers[3] = {s.row, s.count, indices};
    memcpy(g->inputs, numbers, sizeof numbers);
    g->n_inputs = 3;
    g->outputs[0] = g->outputs[1];
    g->outputs[1] = g->outputs[2];
    g->n_outputs = 2;
    g->def = "soft_nms_numbers";
    return true;
}

static bool nms(tirbi_legal *g) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0);
    const tirbi_relax_held *data = g->inputs[0], *valid = g->inputs[1], *indices = g->inputs[2];
    const tirbi_relax_held *scores, *order, *place;
    const bool is_soft = tirbi_legal_attr(g, "soft_nms_sigma")->as.real > 0;
    if (!(scores = tirbi_legal_scratch(g, x->dtype, x->shape, 2)) ||
        !(order = tirbi_legal_scratch(g, tirbi_type_i64, x->shape, 2)) ||
        !(place = tirbi_legal_scratch(g, tirbi_type_i64, x->shape, 2)) ||
        !TIRBI_LEGAL_STEP(g, "nms_scores", (data, valid), (scores)) || !tirbi_legal_argsort(g, scores, order, 1, false))
        return false;
    if (is_soft) return soft_nms(g, order);
    if (!TIRBI_LEGAL_STEP(g, "nms_places", (data, valid, order), (place))) return false;
    const bool gives_numbers = tirbi_legal_is_true(g, "return_indices");
    g->inputs[0] = gives_numbers ? place : data;
    g->inputs[1] = gives_numbers ? order : place;
    g->inputs[2] = gives_numbers ? indices : order;
    g->def = gives_numbers ? "nms_numbers" : "nms_boxes";
    return true;
}

static bool multibox(tirbi_legal *g) {
    const tirb_relax_attr *v = tirbi_legal_attr(g, "variances");
    static const char *const names[] = {"variance_0", "variance_1", "variance_2", "variance_3"};
    for (uint32_t i = 0; i < 4 && i < v->as.list.n; i++) {
        const tirb_relax_attr *item = &v->as.list.items[i];
        if (!tirbi_legal_give_real(g, names[i],
                                   item->kind == TIRB_RELAX_ATTR_INT ? (double)item->as.integer : item->as.real))
            return false;
    }
    g->def = "multibox_transform_loc";
    return true;
}

static bool prelu(tirbi_legal *g) {
    const tirb_buffer *x = tirbi_legal_tensor(g, 0), *alpha = tirbi_legal_tensor(g, 1);
    const bool is_shared = alpha->ndim != 1 || tirbi_is_const_int(alpha->shape[0], 1);
    const int64_t axis = tirbi_legal_attr(g, "axis")->as.integer;
    int64_t slopes, channels;
    if (!is_shared && tirbi_dim_const(alpha->shape[0], &slopes) &&
        tirbi_dim_const(x->shape[axis < 0 ? axis + x->ndim : axis], &channels) && slopes != channels)
        return tirbi_legal_refuse(g, "with another number of slopes than of channels");
    return tirbi_legal_give_integer(g, "is_shared", is_shared);
}

static bool nll_loss_backward(tirbi_legal *g) {
    return tirbi_legal_rank_of(g, 1) >= 2 || tirbi_legal_refuse(g, "for one prediction alone");
}

static bool pool_backward(tirbi_legal *g) {
    const tirb_relax_attr *dilation = tirbi_legal_attr(g, "dilation"), *window = tirbi_legal_attr(g, "pool_size");
    const char *layout = tirbi_legal_attr(g, "layout")->as.text;
    const tirb_buffer *x = tirbi_legal_tensor(g, 1), *y = tirbi_legal_tensor(g, 0);
    for (uint32_t i = 0; i < dilation->as.list.n; i++)
        if (dilation->as.list.items[i].as.integer != 1) return tirbi_legal_refuse(g, "with a dilation");
    if (strcmp(layout, tirbi_legal_attr(g, "out_layout")->as.text) != 0)
        return tirbi_legal_refuse(g, "with an out_layout of its own");
    const int64_t h = place_in(layout, 'H'), w = place_in(layout, 'W');
    const tirb_relax_attr *strides = tirbi_legal_attr(g, "strides"), *before = tirbi_legal_attr(g, "padding");
    return give_layout(g, "data", layout, "NC") && give_padding(g) && give_space(g, "space", layout, x) &&
           give_space(g, "result", layout, y) && tirbi_legal_give_size(g, "batch", x->shape[place_in(layout, 'N')]) &&
           tirbi_legal_give_size(g, "channels", x->shape[place_in(layout, 'C')]) &&
           tirbi_legal_give_size(g, "rows", y->shape[h]) && tirbi_legal_give_size(g, "columns", y->shape[w]) &&
           tirbi_legal_give_integer(g, "window_h", window->as.list.items[0].as.integer) &&
           tirbi_legal_give_integer(g, "window_w", window->as.list.items[1].as.integer) &&
           tirbi_legal_give_integer(g, "stride_h", strides->as.list.items[0].as.integer) &&
           tirbi_legal_give_integer(g, "stride_w", strides->as.list.items[1].as.integer) &&
           tirbi_legal_give_integer(g, "pad_h", before->as.list.items[0].as.integer) &&
           tirbi_legal_give_integer(g, "pad_w", before->as.list.items[1].as.integer);
}

const tirbi_legal_rule tirbi_legal_rules_of_networks[] = {
    {TIRB_RELAX_NN_LAYER_NORM, normalised_axes, NULL},
    {TIRB_RELAX_NN_RMS_NORM, normalised_axes, NULL},
    {TIRB_RELAX_NN_INSTANCE_NORM, instance_norm, NULL},
    {TIRB_RELAX_NN_GROUP_NORM, group_norm, NULL},
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
    {TIRB_RELAX_VISION_GET_VALID_COUNTS, valid_counts, NULL},
    {TIRB_RELAX_VISION_MULTIBOX_TRANSFORM_LOC, multibox, NULL},
    {TIRB_RELAX_VISION_NON_MAX_SUPPRESSION, nms, NULL},
    {TIRB_RELAX_NN_NLL_LOSS, nll_loss, NULL},
    {TIRB_RELAX_NN_PRELU, prelu, NULL},
    {TIRB_RELAX_GRAD_NLL_LOSS_BACKWARD, nll_loss_backward, "nll_loss_backward"},
    {TIRB_RELAX_GRAD_AVG_POOL2D_BACKWARD, pool_backward, "avg_pool_backward"},
    {TIRB_RELAX_GRAD_MAX_POOL2D_BACKWARD, pool_backward, "max_pool2d_backward"},
    {TIRB_RELAX_QUANTIZE, quantised, NULL},
    {TIRB_RELAX_DEQUANTIZE, quantised, NULL},
    {TIRB_N_RELAX_OPS, NULL, NULL},
};
