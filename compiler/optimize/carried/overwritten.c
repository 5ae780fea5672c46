#include "compiler/optimize/carried/overwritten.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/facts/order.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_ITEMS = 32, MAX_PLACES = 32, LEAST = 8 };

typedef struct overwriter {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    const tirbi_ls *items[MAX_ITEMS];
    uint32_t n, at;     /* the store is the item `at` */
    tirbi_loop_set own; /* the loop's variable, and those that the body sets */
    tirbi_lvar *held;   /* what is stored in an iteration */
} overwriter;

static const tirbi_place *place_of(const overwriter *o) { return o->items[o->at]->as.store.access; }

/* Whether a store is to the same element in every iteration, and cannot fail. */
static bool stands_still(const overwriter *o, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_STORE) return false;
    const tirbi_place *place = s->as.store.access;
    for (uint32_t d = 0; d < place->ndim; d++)
        if (place->indices[d]->traps) return false;
    return tirbi_stands_still(place, &o->own) && tirbi_is_proven(place) && !place->buffer->local &&
           !place->buffer->overlaps && !tirbi_buffer_moves(place->buffer, &o->own);
}

static bool is_apart(const overwriter *o, const tirbi_place *place) {
    const tirbi_place *own = place_of(o);
    if (own->buffer != place->buffer || !tirbi_is_compact(o->pool, own->buffer)) return false;
    for (uint32_t d = 0; d < own->ndim; d++)
        if (tirbi_never_equal(own->indices[d], place->indices[d], &o->own)) return true;
    return false;
}

/* Whether nothing but the store itself reaches its element up to there, and nothing but loads behind it. */
static bool is_read_behind(const overwriter *o) {
    for (uint32_t i = 0; i < o->n; i++) {
        tirbi_reached places[MAX_PLACES];
        tirbi_accesses all = {.item = places, .most = MAX_PLACES};
        if (!tirbi_find_accesses(&all, o->items[i])) return false;
        for (uint32_t k = 0; k < all.n; k++) {
            const tirbi_place *place = places[k].place;
            const bool writes = places[k].what != TIRBI_LOADS, itself = i == o->at && writes;
            if (itself || !tirbi_may_meet(place->buffer->root, place_of(o)->buffer->root) || is_apart(o, place))
                continue;
            if (i <= o->at || writes || !tirbi_same_place(place, place_of(o))) return false;
        }
    }
    return true;
}

static bool find_store(overwriter *o) {
    for (o->at = 0; o->at < o->n; o->at++)
        if (stands_still(o, o->items[o->at]) && is_read_behind(o)) return true;
    return false;
}

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const overwriter *o = rewrite->context;
    return x->kind == TIRBI_LX_LOAD && tirbi_same_place(x->access, place_of(o)) ? tirbi_lx_var(o->pool, o->held) : NULL;
}

/* An iteration that stores nothing to the element. */
static const tirbi_ls *without_store(overwriter *o) {
    tirbi_rewrite rewrite = {.pool = o->pool, .replace = replace, .context = o};
    const tirbi_ls *store = o->items[o->at], *items[MAX_ITEMS];
    const tirbi_lx *load = tirbi_lx_load(o->pool, place_of(o));
    o->held = load ? TIRBI_NEW(o->pool->arena, tirbi_lvar) : NULL;
    if (!o->held) return NULL;
    const tirbi_lbuf *buffer = place_of(o)->buffer;
    *o->held = (tirbi_lvar){.name = buffer->name,
                            .kind = TIRBI_LVAR_LET,
                            .type = buffer->type,
                            .lo = load->lo,
                            .hi = load->hi,
                            .span = store->span};
    for (uint32_t i = 0; i < o->n; i++) items[i] = o->items[i];
    items[o->at] = tirbi_new_set(o->pool, store->span, o->held, store->as.store.value, true);
    for (uint32_t i = o->at + 1; i < o->n; i++) {
        items[i] = tirbi_rewrite_assignments(&rewrite, o->items[i]);
        if (!items[i]) return NULL;
    }
    return tirbi_new_sequence(o->pool, o->loop->span, items, o->n);
}

static const tirbi_ls *loop_of_others(overwriter *o) {
    const tirbi_given none = {.n = 0};
    tirbi_lvar *old = o->own.var[0], *var = TIRBI_NEW(o->pool->arena, tirbi_lvar);
    tirbi_ls *loop = tirbi_new_stmt(o->pool, TIRBI_LS_LOOP, o->loop->span);
    const tirbi_lx *one = tirbi_lx_int(o->pool, TIRB_I64, 1);
    const tirbi_ls *body = without_store(o);
    if (!var || !loop || !one || !body) return NULL;
    *var = *old;
    var->id = 0;
    if (!var->below && old->min->lo >= 0) var->below = tirbi_lx_add(o->pool, old->min, old->extent);
    var->extent = tirbi_lx_sub(o->pool, old->extent, one);
    if (!var->extent) return NULL;
    *loop = *o->loop;
    loop->as.loop.var = var;
    loop->as.loop.parallel = false; /* the loop itself was asked for chunks */
    loop->as.loop.body = tirbi_resolve(o->pool, &none, body, old, tirbi_lx_var(o->pool, var), var, false);
    return loop->as.loop.body ? loop : NULL;
}

static const tirbi_ls *last_one(const overwriter *o) {
    const tirbi_given none = {.n = 0};
    tirbi_lvar *old = o->own.var[0];
    const tirbi_lx *one = tirbi_lx_int(o->pool, TIRB_I64, 1);
    const tirbi_lx *last = one ? tirbi_lx_sub(o->pool, tirbi_lx_add(o->pool, old->min, old->extent), one) : NULL;
    tirbi_ls *branch = tirbi_new_stmt(o->pool, TIRBI_LS_IF, o->loop->span);
    if (!branch || !last) return NULL;
    branch->as.if_.condition = tirbi_lx_op(o->pool, TIRB_OP_GE, TIRB_I64, TIRB_TYPE_NONE, old->extent, one, NULL);
    branch->as.if_.then_case =
        tirbi_resolve(o->pool, &none, o->loop->as.loop.body, old, tirbi_lx_cast(o->pool, old->type, last), NULL, false);
    return branch->as.if_.condition && branch->as.if_.then_case ? branch : NULL;
}

bool tirbi_keep_last_store(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (!tirbi_is_plain_loop(loop) || var->extent->hi < LEAST || !tirbi_can_resolve(loop->as.loop.body))
        return false;
    overwriter *o = TIRBI_NEW(pool->arena, overwriter);
    if (!o) return false;
    *o = (overwriter){.pool = pool, .loop = loop, .own = {.var = {loop->as.loop.var}, .n = 1}};
    if (!tirbi_list_statements(loop->as.loop.body, o->items, &o->n, MAX_ITEMS) ||
        !tirbi_find_accesses(&(tirbi_accesses){.sets = &o->own}, loop->as.loop.body) || !find_store(o))
        return false;
    const tirbi_ls *parts[2] = {loop_of_others(o), last_one(o)};
    out->loop = parts[0];
    out->stmt = tirbi_new_sequence(pool, loop->span, parts, 2);
    return out->stmt != NULL;
}
