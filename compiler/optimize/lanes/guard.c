#include "compiler/optimize/lanes/guard.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/rewriting/rewrite.h"

typedef struct guarded {
    const tirbi_loop_set *loops;
    const tirbi_lx *condition;
    const tirbi_place *(*checked)(const void *, const tirbi_place *);
    const void *context;
    bool failed;
} guarded;

/* x where the condition holds, else n. */
static const tirbi_lx *or_number(tirbi_rewrite *r, const tirbi_lx *x, int64_t n) {
    const guarded *g = r->context;
    const tirbi_lx *other = x ? tirbi_lx_int(r->pool, (tirbi_dtype)x->type, n) : NULL;
    if (!other) return NULL;
    return tirbi_lx_op(r->pool, TIRB_OP_SELECT, (tirbi_dtype)x->type, TIRB_TYPE_NONE, g->condition, x, other);
}

/* The index, or that of the first element; chosen in the type that it was computed in. */
static const tirbi_lx *guarded_index(tirbi_rewrite *r, const tirbi_lx *index) {
    const tirbi_lx *narrow = index;
    while (narrow->kind == TIRBI_LX_OP && narrow->op == TIRB_OP_CAST &&
           tirbi_dtype_is_signed((tirbi_dtype)narrow->source) &&
           tirbi_dtypes[narrow->source].size <= tirbi_dtypes[narrow->type].size)
        narrow = narrow->args[0];
    const tirbi_lx *chosen = or_number(r, tirbi_rewrite_value(r, narrow), 0);
    return tirbi_lx_cast(r->pool, TIRB_I64, chosen);
}

static bool is_not_empty(const tirbi_lx_pool *pool, const guarded *g, const tirbi_lx *extent) {
    bool found = tirbi_is_positive(pool->positive, extent);
    for (uint32_t i = 0; i < g->loops->n; i++) found = found || g->loops->var[i]->extent == extent;
    return found;
}

static bool has_own_shape(const tirbi_place *place) {
    const tirbi_lbuf *b = place->buffer;
    return !place->view && tirbi_has_whole_extents(b) && !b->fetched && !b->resized && !b->local && !b->root->in_part;
}

/* An element of memory that has its buffer's shape, with at least one element, which may be read at any time. A
 * dimension that an index is proven to be in is not empty where the index is computed. */
static const tirbi_lx *guarded_load(tirbi_rewrite *r, const tirbi_place *place) {
    tirbi_lbuf *b = place->buffer;
    tirbi_place *copy = TIRBI_NEW(r->pool->arena, tirbi_place);
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(r->pool->arena, const tirbi_lx *, place->ndim + 1);
    if (!copy || !indices || !has_own_shape(place)) return NULL;
    const tirbi_lx *flat = b->offset ? b->offset : tirbi_lx_number(r->pool, 0);
    for (uint32_t d = 0; d < place->ndim; d++) {
        bool proven = tirbi_dim_proven(place, d);
        if (!proven && !is_not_empty(r->pool, r->context, b->shape[d])) return NULL;
        indices[d] = proven ? tirbi_rewrite_value(r, place->indices[d]) : guarded_index(r, place->indices[d]);
        if (!indices[d] || !flat) return NULL;
        flat = tirbi_lx_add(r->pool, flat, tirbi_lx_mul(r->pool, indices[d], b->strides[d]));
    }
    *copy = *place;
    copy->indices = indices;
    copy->flat = flat;
    copy->strays = true;
    return flat ? tirbi_lx_load(r->pool, copy) : NULL;
}

static const tirbi_lx *replace(tirbi_rewrite *r, const tirbi_lx *x) {
    guarded *g = r->context;
    if (!x->traps || g->failed) return x;
    if (x->kind == TIRBI_LX_LOAD) {
        const tirbi_place *checked = g->checked(g->context, x->access);
        const tirbi_lx *load = checked ? tirbi_lx_load(r->pool, checked) : guarded_load(r, x->access);
        g->failed = g->failed || !load;
        return load ? load : x;
    }
    if (x->kind == TIRBI_LX_CALL) g->failed = true;
    bool divides =
        x->kind == TIRBI_LX_OP && x->n_args == 2 && tirbi_dtype_is_int((tirbi_dtype)x->optype) &&
        (x->op == TIRB_OP_DIV || x->op == TIRB_OP_MOD || x->op == TIRB_OP_FLOORDIV || x->op == TIRB_OP_FLOORMOD);
    if (!divides) return g->failed ? x : NULL;
    const tirbi_lx *a = tirbi_rewrite_value(r, x->args[0]), *b = or_number(r, tirbi_rewrite_value(r, x->args[1]), 1);
    return tirbi_lx_op(r->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source, a, b, NULL);
}

const tirbi_lx *tirbi_guard(tirbi_lx_pool *pool, const tirbi_loop_set *loops, const tirbi_lx *condition,
                            const tirbi_lx *x, const tirbi_place *(*checked)(const void *, const tirbi_place *),
                            const void *context) {
    guarded g = {.loops = loops, .condition = condition, .checked = checked, .context = context};
    tirbi_rewrite rewrite = {.pool = pool, .replace = replace, .context = &g};
    const tirbi_lx *all = tirbi_rewrite_value(&rewrite, x);
    return g.failed ? NULL : all;
}

/* ---- What has to have elements ---------------------------------------------------------------------------------- */

static tirbi_step find_traps(tirbi_walk *w, const tirbi_lx *x) {
    (void)w;
    return x->traps ? TIRBI_INTO : TIRBI_PAST;
}

/* Notes extents of what is loaded under a condition. False: there are too many. */
static bool find_extents(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    tirbi_extents *out = w->context;
    for (uint32_t d = 0; load && w->guarded && d < place->ndim; d++) {
        const tirbi_lx *extent = place->buffer->shape[d];
        if (!has_own_shape(place) || extent->lo >= 1 || tirbi_dim_proven(place, d)) continue;
        uint32_t i = 0;
        while (i < out->n && out->item[i] != extent) i++;
        if (i == TIRBI_MAX_EXTENTS) return false;
        out->item[i] = extent;
        out->n += i == out->n;
    }
    return true;
}

bool tirbi_find_guarded_extents(const tirbi_ls *loop, tirbi_extents *out) {
    tirbi_walk walk = {
        .context = out, .expr = find_traps, .access = find_extents, .kinds = TIRBI_NESTS, .reach = TIRBI_WALK_INDICES};
    out->n = 0;
    return tirbi_walk_stmt(&walk, loop) && out->n > 0;
}
