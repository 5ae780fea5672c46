/* Copies of buffers whose extents and strides are sums of int64 products, with the dimensions that indices make. */
#include "compiler/optimize/normalise/version_buffers.h"

#include "compiler/loop/exact.h"
#include "compiler/optimize/facts/injective.h"

enum { MAX_BUFFERS = 1024, MAX_DIMENSIONS = 512 };

tirbi_dimension *tirbi_version_dimension(tirbi_versions *v, const tirbi_lbuf *buffer, uint32_t d, bool add) {
    for (uint32_t i = 0; i < v->n_dimensions; i++) {
        tirbi_dimension *known = &v->dimensions[i];
        if (known->buffer == buffer && known->d == d && known->nest == v->nest) return known;
    }
    void *items = v->dimensions;
    if (!add || !tirbi_version_grow(v, &items, v->n_dimensions, &v->dimension_capacity, sizeof(*v->dimensions),
                                    MAX_DIMENSIONS))
        return NULL;
    v->dimensions = items;
    tirbi_dimension *fresh = &v->dimensions[v->n_dimensions++];
    *fresh = (tirbi_dimension){.buffer = buffer, .d = d, .nest = v->nest};
    return fresh;
}

const tirbi_dimensions *tirbi_version_parts(tirbi_versions *v, const tirbi_lbuf *buffer, uint32_t d) {
    const tirbi_dimension *known = tirbi_version_dimension(v, buffer, d, false);
    return known && !known->in.impossible && known->in.n > 1 ? &known->in : NULL;
}

/* How many elements a buffer has by its extents. */
static bool count_elements(tirbi_versions *v, const tirbi_lbuf *b, tirbi_poly *out, tirbi_conditions *conditions) {
    tirbi_poly extent, all = tirbi_poly_constant(1);
    for (uint32_t d = 0; d < b->ndim; d++) {
        const tirbi_poly before = all;
        if (!tirbi_version_linear(v, b->shape[d], &extent, conditions) ||
            !tirbi_not_negative_if(&v->facts, &extent, conditions) || !tirbi_poly_multiply(&before, &extent, &all))
            return false;
    }
    return tirbi_expand(&v->facts, &all, out) && tirbi_exact_if(&v->facts, out, TIRB_I64, conditions);
}

/* Whether a view of all of its memory, from the first element on, is inside of it: that is a condition. */
static bool lies_inside(tirbi_versions *v, const tirbi_lbuf *b) {
    const tirbi_lbuf *root = b->root;
    tirbi_conditions conditions = {.n = 0};
    tirbi_poly own, room;
    return !b->source && !b->offset && !b->broadcasts && !b->overlaps && !b->resized && !b->local && !root->local &&
           !root->offset && !root->length && !root->fetched &&
           tirbi_dtypes[b->type].size == tirbi_dtypes[root->type].size && tirbi_is_compact(v->pool, b) &&
           tirbi_is_compact(v->pool, root) && count_elements(v, b, &own, &conditions) &&
           count_elements(v, root, &room, &conditions) && tirbi_poly_add(&room, &own, -1) &&
           tirbi_not_negative_if(&v->facts, &room, &conditions) && tirbi_version_assume(v, &conditions);
}

const tirbi_lx *const *tirbi_version_of_values(tirbi_versions *v, const tirbi_lx *const *from, uint32_t n,
                                               bool bounds) {
    const tirbi_lx **items = TIRBI_NEW_ARRAY(v->pool->arena, const tirbi_lx *, n + 1);
    for (uint32_t i = 0; items && i < n; i++) {
        items[i] = bounds ? tirbi_version_of_bound(v, from[i], true) : tirbi_version_of_value(v, from[i]);
        if (!items[i]) return NULL;
    }
    return items;
}

static const tirbi_lx *const *row_major(tirbi_versions *v, const tirbi_lx *const *shape, uint32_t n) {
    const tirbi_lx **strides = TIRBI_NEW_ARRAY(v->pool->arena, const tirbi_lx *, n + 1);
    const tirbi_lx *stride = tirbi_lx_number(v->pool, 1);
    for (uint32_t d = n; strides && d-- > 0;) {
        strides[d] = stride;
        stride = tirbi_lx_mul(v->pool, stride, shape[d]);
        if (!stride) return NULL;
    }
    return strides;
}

/* Steps in the copy; memory without gaps has none there either. */
static const tirbi_lx *const *strides_of(tirbi_versions *v, const tirbi_lbuf *b, const tirbi_lx *const *shape) {
    return tirbi_is_compact(v->pool, b) ? row_major(v, shape, b->ndim)
                                        : tirbi_version_of_values(v, b->strides, b->ndim, false);
}

/* Memory is that of its copy, but for a parameter's and a constant, of which the copy is a view. */
static bool fill_copy(tirbi_versions *v, const tirbi_lbuf *b, tirbi_lbuf *to) {
    *to = *b;
    to->root = b->param >= 0 || b->fetched || b->constant ? b->root : to;
    if (b->root != b) to->root = tirbi_version_buffer(v, b->root);
    if (to->root && to->root != to) to->root = to->root->root;
    to->covers = b->root == b ? to->root != to : b->covers || lies_inside(v, b);
    to->known = v->known;
    to->shape = tirbi_version_of_values(v, b->shape, b->ndim, true);
    if (b->strides && to->shape) to->strides = strides_of(v, b, to->shape);
    if (b->offset) to->offset = tirbi_version_of_bound(v, b->offset, false);
    if (b->length) to->length = tirbi_version_of_bound(v, b->length, true);
    if (b->source) {
        to->source = tirbi_version_buffer(v, b->source);
        to->source_mins = to->source ? tirbi_version_of_values(v, b->source_mins, b->source->ndim, false) : NULL;
    }
    if (b->local) {
        tirbi_lvar *const local = tirbi_version_variable(v, b->local);
        to->local = local ? local : b->local;
    }
    to->id = 0;
    if (to->root != to) to->param = -1;
    return to->root && to->shape && (to->strides || !b->strides) && (to->offset || !b->offset) &&
           (to->length || !b->length) && (!b->source || (to->source && to->source_mins));
}

static tirbi_lbuf *add_buffer(tirbi_versions *v, const tirbi_lbuf *from, uint32_t nest) {
    void *items = v->buffers;
    tirbi_lbuf *to = TIRBI_NEW(v->pool->arena, tirbi_lbuf);
    if (!to || !tirbi_version_grow(v, &items, v->n_buffers, &v->buffer_capacity, sizeof(*v->buffers), MAX_BUFFERS))
        return NULL;
    v->buffers = items;
    v->buffers[v->n_buffers].from = from;
    v->buffers[v->n_buffers].to = to;
    v->buffers[v->n_buffers++].nest = nest;
    return to;
}

static tirbi_lbuf *known_buffer(const tirbi_versions *v, const tirbi_lbuf *from, uint32_t nest) {
    for (uint32_t i = 0; i < v->n_buffers; i++)
        if (v->buffers[i].from == from && v->buffers[i].nest == nest) return v->buffers[i].to;
    return NULL;
}

tirbi_lbuf *tirbi_version_buffer(tirbi_versions *v, const tirbi_lbuf *b) {
    tirbi_lbuf *to = known_buffer(v, b, 0);
    if (to) return to;
    to = add_buffer(v, b, 0);
    return to && fill_copy(v, b, to) ? to : NULL;
}

/* The extents of a dimension and what steps over one of each; how many there are is added. */
static bool add_extents(tirbi_versions *v, const tirbi_dimensions *in, const tirbi_lx *extent, const tirbi_lx *stride,
                        tirbi_lbuf *out) {
    const tirbi_lx **shape = (const tirbi_lx **)(uintptr_t)out->shape + out->ndim,
                   **strides = (const tirbi_lx **)(uintptr_t)out->strides + out->ndim;
    const uint32_t n = in ? in->n : 1;
    for (uint32_t k = 0; k < n; k++) { /* from the innermost one on */
        const uint32_t at = n - 1 - k;
        shape[at] = in ? tirbi_version_of_poly(v, &in->size[k]) : extent;
        strides[at] = stride;
        if (!shape[at] || !stride) return false;
        stride = tirbi_lx_mul(v->pool, stride, shape[at]);
    }
    out->ndim += n;
    return true;
}

/* Whether a dimension's parts are all of it, so that one of the dimension around follows the other without a gap. */
static bool fills_extent(tirbi_versions *v, const tirbi_lbuf *b, uint32_t d) {
    const tirbi_dimensions *in = tirbi_version_parts(v, b, d);
    tirbi_conditions conditions = {.n = 0};
    tirbi_poly extent, room, all = tirbi_poly_constant(1);
    for (uint32_t k = 0; in && k < in->n; k++) {
        const tirbi_poly before = all;
        if (!tirbi_poly_multiply(&before, &in->size[k], &all)) return false;
    }
    return !in || (tirbi_version_linear(v, b->shape[d], &extent, &conditions) && conditions.n == 0 &&
                   tirbi_expand(&v->facts, &extent, &room) && tirbi_expand(&v->facts, &all, &extent) &&
                   tirbi_poly_add(&room, &extent, -1) && room.n == 0);
}

static bool same_dimensions(const tirbi_lbuf *a, const tirbi_lbuf *b) {
    if (a->ndim != b->ndim || a->offset != b->offset || a->covers != b->covers) return false;
    for (uint32_t d = 0; d < a->ndim; d++)
        if (a->shape[d] != b->shape[d] || a->strides[d] != b->strides[d]) return false;
    return true;
}

/* The same view of another nest: their accesses are of the same elements then. */
static tirbi_lbuf *view_elsewhere(const tirbi_versions *v, const tirbi_lbuf *from, const tirbi_lbuf *view) {
    for (uint32_t i = 0; i < v->n_buffers; i++) {
        tirbi_lbuf *to = v->buffers[i].to;
        if (v->buffers[i].from == from && v->buffers[i].nest > 0 && to != view && same_dimensions(to, view)) return to;
    }
    return NULL;
}

tirbi_lbuf *tirbi_version_view(tirbi_versions *v, const tirbi_lbuf *b) {
    tirbi_lbuf *whole = tirbi_version_buffer(v, b), *to = known_buffer(v, b, v->nest);
    if (to || !whole) return to;
    const tirbi_lx **own = TIRBI_NEW_ARRAY(v->pool->arena, const tirbi_lx *, 2 * TIRBI_MAX_NDIM);
    bool compact = tirbi_is_compact(v->pool, whole);
    for (uint32_t d = 1; d < b->ndim && compact; d++) compact = fills_extent(v, b, d);
    to = own ? add_buffer(v, b, v->nest) : NULL;
    if (!to) return NULL;
    *to = *whole;
    to->shape = own;
    to->strides = own + TIRBI_MAX_NDIM;
    to->ndim = 0;
    to->id = 0;
    to->param = -1;
    to->covers = to->covers || b->root == b;
    for (uint32_t d = 0; d < b->ndim; d++)
        if (!add_extents(v, tirbi_version_parts(v, b, d), whole->shape[d], whole->strides[d], to)) return NULL;
    if (compact) to->strides = row_major(v, to->shape, to->ndim);
    if (!to->strides) return NULL;
    tirbi_lbuf *other = view_elsewhere(v, b, to);
    if (other) v->buffers[v->n_buffers - 1].to = other;
    return other ? other : to;
}
