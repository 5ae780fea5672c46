/* for i: { t[i] = 0; for k: t[i] = t[i] + ..; } for i: u[i] = f(t[i]) becomes for i: { u[i] = 0; .. } for i: u[i] =
 * f(u[i]), without t: where all of u is stored anew, each element by what t has at its place, and nothing looks at u
 * before that, u holds what t did; also with dimensions in another order, but for the last. */
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/nests/fuse.h"
#include "compiler/optimize/rewriting/fill.h"
#include "compiler/optimize/rewriting/statements.h"

/* A temporary, and the buffer that may hold its elements. */
typedef struct temporary {
    tirbi_lx_pool *pool;
    const tirbi_ls **items;
    uint32_t n, alloc, first, last; /* the allocation, the first nest that uses it, and the last, which reads it */
    tirbi_lbuf *buffer, *other;
    uint32_t dims[TIRBI_MAX_AFFINE]; /* of the other buffer, for each of the temporary's */
    const tirbi_place *place;        /* that all accesses of a nest have to be to */
} temporary;

/* Finds which dimensions of the other buffer the temporary's are, where one nest stores to `to` what `from` has. */
static bool find_dimensions(temporary *t, const tirbi_place *to, const tirbi_place *from) {
    const tirbi_lbuf *a = t->buffer, *b = t->other;
    uint32_t taken = 0;
    if (a->ndim != b->ndim || a->type != b->type || a->ndim == 0 || a->ndim > TIRBI_MAX_AFFINE || a->offset ||
        b->offset || from->view)
        return false;
    for (uint32_t d = 0; d < a->ndim; d++) {
        uint32_t e = 0;
        while (e < b->ndim && (taken >> e & 1 || !tirbi_same_value(from->indices[d], to->indices[e]) ||
                               a->shape[d] != b->shape[e]))
            e++;
        if (e == b->ndim) return false;
        t->dims[d] = e;
        taken |= UINT32_C(1) << e;
    }
    return t->dims[a->ndim - 1] == a->ndim - 1 && a->strides[a->ndim - 1] == b->strides[a->ndim - 1];
}

/* Accesses to memory of the temporary, and in the last nest of the other buffer, are at the place. */
static bool is_at_place(void *context, const tirbi_reached *a) {
    const temporary *t = context;
    const tirbi_place *place = a->place;
    if (place->buffer->root != t->buffer && place->buffer->root != t->other) return true;
    if (place->view || place->ndim != t->place->ndim || (place->buffer != t->buffer && place->buffer != t->other))
        return false;
    const bool moved = place->buffer == t->buffer && t->place->buffer == t->other;
    for (uint32_t d = 0; d < place->ndim; d++)
        if (!tirbi_same_value(place->indices[d], t->place->indices[moved ? t->dims[d] : d])) return false;
    return place->buffer == t->buffer || a->what != TIRBI_LOADS;
}

static bool stays_at_place(temporary *t, const tirbi_ls *s, const tirbi_place *place) {
    tirbi_accesses all = {.kinds = TIRBI_NESTS, .access = is_at_place, .context = t};
    t->place = place;
    return tirbi_find_accesses(&all, s);
}

static bool loads_from(const void *buffer, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD && x->access->buffer->root == buffer;
}

/* The first nest stores each element before it does anything else with it. */
static bool fills(temporary *t) {
    tirbi_fill fill;
    return tirbi_read_fill(t->items[t->first], &fill) && fill.body != fill.store &&
           fill.store->as.store.access->buffer == t->buffer &&
           !tirbi_any_expr(fill.store->as.store.value, TIRBI_WALK_ALL, loads_from, t->buffer) &&
           stays_at_place(t, fill.body, fill.store->as.store.access);
}

static tirbi_step find_load(tirbi_walk *walk, const tirbi_lx *x) {
    temporary *t = walk->context;
    if (x->kind != TIRBI_LX_LOAD || x->access->buffer != t->buffer) return TIRBI_INTO;
    t->place = x->access;
    return TIRBI_STOP;
}

/* The last nest replaces each element of the other buffer. */
static bool replaces(temporary *t) {
    tirbi_fill fill;
    if (!tirbi_read_fill(t->items[t->last], &fill) || fill.body != fill.store) return false;
    const tirbi_place *place = fill.store->as.store.access;
    t->other = place->buffer;
    tirbi_walk walk = {.context = t, .expr = find_load};
    return t->other->root == t->other && t->other != t->buffer && !t->other->aliases && !t->other->broadcasts &&
           !t->other->overlaps && !tirbi_walk_expr(&walk, fill.store->as.store.value) &&
           find_dimensions(t, place, t->place) && stays_at_place(t, fill.store, place);
}

/* The nests that use it: several, and loops. */
static bool find_users(temporary *t) {
    bool found = false;
    for (uint32_t i = 0; i < t->n; i++) {
        if (i == t->alloc || !tirbi_statement_uses(t->items[i], t->buffer)) continue;
        if (t->items[i]->kind != TIRBI_LS_LOOP || i < t->alloc) return false;
        if (!found) t->first = i;
        found = true;
        t->last = i;
    }
    return found && t->first < t->last;
}

static bool is_free_before(const temporary *t) {
    for (uint32_t i = t->first; i < t->last; i++)
        if (tirbi_statement_uses(t->items[i], t->other)) return false;
    return true;
}

static const tirbi_place *place_in_other(tirbi_rewrite *rewrite, const tirbi_place *place) {
    const temporary *t = rewrite->context;
    const tirbi_place *fresh = tirbi_rewrite_subscripts(rewrite, place);
    if (!fresh || place->buffer != t->buffer) return fresh;
    const tirbi_lx **indices = TIRBI_NEW_ARRAY(rewrite->pool->arena, const tirbi_lx *, place->ndim);
    for (uint32_t d = 0; indices && d < place->ndim; d++) indices[t->dims[d]] = fresh->indices[d];
    return indices ? tirbi_place_in(rewrite->pool, t->other, indices, place->span) : NULL;
}

static bool replace(temporary *t) {
    const tirbi_ls **copies = TIRBI_NEW_ARRAY(t->pool->arena, const tirbi_ls *, t->n);
    if (!copies) return false;
    for (uint32_t i = t->first; i <= t->last; i++) {
        tirbi_rewrite rewrite = {.pool = t->pool,
                                 .place = place_in_other,
                                 .context = t,
                                 .kinds = TIRBI_NESTS | TIRBI_KIND(TREE),
                                 .anew = TIRBI_SETS_ANEW};
        const bool uses = tirbi_statement_uses(t->items[i], t->buffer);
        copies[i] = uses ? tirbi_rewrite_stmt(&rewrite, t->items[i]) : t->items[i];
        if (!copies[i]) return false;
    }
    for (uint32_t i = t->first; i <= t->last; i++) t->items[i] = copies[i];
    return true;
}

/* Whether a nest stores what is there. */
static bool stores_same(const tirbi_ls *nest) {
    while (nest->kind == TIRBI_LS_LOOP) nest = nest->as.loop.body;
    const tirbi_lx *value = nest->kind == TIRBI_LS_STORE ? nest->as.store.value : NULL;
    return value && value->kind == TIRBI_LX_LOAD && tirbi_same_place(value->access, nest->as.store.access);
}

static uint32_t leave_out(const tirbi_ls **items, uint32_t at, uint32_t n) {
    for (uint32_t k = at; k + 1 < n; k++) items[k] = items[k + 1];
    return n - 1;
}

uint32_t tirbi_store_in_place(tirbi_lx_pool *pool, const tirbi_ls **items, uint32_t n) {
    for (uint32_t i = 0; i < n && tirbi_arena_may_try(pool->arena); i++) {
        if (!tirbi_is_plain_allocation(items[i])) continue;
        temporary t = {.pool = pool, .items = items, .n = n, .alloc = i, .buffer = items[i]->as.alloc.buffer};
        if (!find_users(&t) || !replaces(&t) || !is_free_before(&t)) continue;
        if (!fills(&t) || !replace(&t)) continue;
        if (stores_same(items[t.last])) n = leave_out(items, t.last, n);
        n = leave_out(items, i--, n);
    }
    return n;
}
