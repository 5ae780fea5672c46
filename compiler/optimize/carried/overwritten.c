#include "compiler/optimize/carried/overwritten.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/facts/order.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_ITEMS = 32, MAX_PLACES = 32, LEAST = 8 };

typedef struct overwriter {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    const tirbi_ls *items[MAX_ITEMS];
    uint32_t n, at;     /* the store is the item `at` */
    uint32_t over;      /* the item that stores to its element in the next iteration; n: the store itself does */
    tirbi_loop_set own; /* the loop's variable, and those that the body sets */
    tirbi_lvar *held;   /* what is stored in an iteration */
} overwriter;

static const tirbi_place *place_of(const overwriter *o) { return o->items[o->at]->as.store.access; }

/* Whether a statement is a store that cannot fail, to memory that lies still. */
static bool is_plain_store(const overwriter *o, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_STORE) return false;
    const tirbi_place *place = s->as.store.access;
    for (uint32_t d = 0; d < place->ndim; d++)
        if (place->indices[d]->traps) return false;
    return tirbi_is_proven(place) && !place->buffer->local && !place->buffer->overlaps &&
           !tirbi_buffer_moves(place->buffer, &o->own);
}

static bool is_apart(const overwriter *o, const tirbi_place *place) {
    const tirbi_place *own = place_of(o);
    if (own->buffer != place->buffer || !tirbi_is_compact(o->pool, own->buffer)) return false;
    for (uint32_t d = 0; d < own->ndim; d++)
        if (tirbi_never_equal(own->indices[d], place->indices[d], &o->own)) return true;
    return false;
}

/* Whether something holds for each access that may reach the store's memory, of an item of the body. */
typedef bool holds_for(const overwriter *o, uint32_t item, const tirbi_reached *a);

static bool holds_for_all(const overwriter *o, holds_for *holds) {
    for (uint32_t i = 0; i < o->n; i++) {
        tirbi_reached places[MAX_PLACES];
        tirbi_accesses all = {.item = places, .most = MAX_PLACES};
        if (!tirbi_find_accesses(&all, o->items[i])) return false;
        for (uint32_t k = 0; k < all.n; k++) {
            const bool may_reach = tirbi_may_meet(places[k].place->buffer->root, place_of(o)->buffer->root);
            if (may_reach && !holds(o, i, &places[k])) return false;
        }
    }
    return true;
}

static bool is_load_behind(const overwriter *o, uint32_t item, const tirbi_reached *a) {
    const bool writes = a->what != TIRBI_LOADS, itself = item == o->at && writes;
    if (itself || is_apart(o, a->place)) return true;
    return item > o->at && !writes && tirbi_same_place(a->place, place_of(o));
}

/* Whether nothing but the store itself reaches its element up to there, and nothing but loads behind it. */
static bool is_read_behind(const overwriter *o) { return holds_for_all(o, is_load_behind); }

/* How many iterations behind the store's own a place is the store's element; false: that is not one number. */
static bool comes_behind(const overwriter *o, const tirbi_place *place, int64_t *iterations) {
    const tirbi_place *own = place_of(o);
    tirbi_loop_set loop = {.var = {o->own.var[0]}, .n = 1}, others = o->own;
    tirbi_affine a, b;
    int64_t step, same;
    others.var[0] = others.var[--others.n];
    if (place->buffer != own->buffer || place->view || own->view || tirbi_mentions_loops(place->flat, &others) ||
        tirbi_mentions_loops(own->flat, &others) || !tirbi_affine_number(o->pool, own, &loop, &a) ||
        !tirbi_affine_number(o->pool, place, &loop, &b) || !tirbi_affine_constant(&a, 0, &step) ||
        !tirbi_affine_constant(&b, 0, &same) || step != same || step == 0 || step == INT64_MIN)
        return false;
    const tirbi_lx *ahead = tirbi_lx_sub(o->pool, a.start, b.start);
    if (!ahead || ahead->kind != TIRBI_LX_CONST || ahead->value == INT64_MIN || ahead->value % step != 0) return false;
    *iterations = ahead->value / step;
    return true;
}

/* Whether an access sees nothing of what the item `over` stores over in the next iteration. */
static bool sees_nothing(const overwriter *o, uint32_t item, const tirbi_reached *a) {
    int64_t behind;
    if (!comes_behind(o, a->place, &behind)) return false;
    if (a->what != TIRBI_LOADS) return behind != 0 || item == o->at;
    if (behind == 0 && item > o->at) return tirbi_same_place(a->place, place_of(o));
    return behind != 1 || item > o->over;
}

/* Whether the item `over` stores to the element in the iteration behind the store's, before anything but loads of the
 * store's own iteration can see what it has. */
static bool is_stored_over(const overwriter *o) {
    int64_t behind;
    return is_plain_store(o, o->items[o->over]) && tirbi_is_compact(o->pool, place_of(o)->buffer) &&
           comes_behind(o, o->items[o->over]->as.store.access, &behind) && behind == 1 &&
           holds_for_all(o, sees_nothing);
}

static bool find_store(overwriter *o) {
    for (o->at = 0; o->at < o->n; o->at++) {
        if (!is_plain_store(o, o->items[o->at])) continue;
        o->over = o->n;
        if (tirbi_stands_still(place_of(o), &o->own)) {
            if (is_read_behind(o)) return true;
            continue;
        }
        for (o->over = 0; o->over < o->n; o->over++)
            if (is_stored_over(o)) return true;
    }
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
    o->held = tirbi_variable_for(o->pool, TIRBI_LVAR_LET, place_of(o)->buffer->name, load, store->span);
    if (!o->held) return NULL;
    for (uint32_t i = 0; i < o->n; i++) items[i] = o->items[i];
    items[o->at] = tirbi_new_set(o->pool, store->span, o->held, store->as.store.value, true);
    for (uint32_t i = o->at + 1; i < o->n; i++) {
        items[i] = tirbi_rewrite_stmt(&rewrite, o->items[i]);
        if (!items[i]) return NULL;
    }
    bool used = o->over == o->n || !tirbi_cannot_fail(store);
    for (uint32_t i = 0; i < o->n && !used; i++) used = i != o->at && tirbi_names(items[i], &o->held, 1);
    for (uint32_t i = o->at; i + 1 < o->n && !used; i++) items[i] = items[i + 1];
    return tirbi_new_sequence(o->pool, o->loop->span, items, o->n - !used);
}

bool tirbi_keep_last_store(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (!tirbi_is_plain_loop(loop) || var->extent->hi < LEAST || !tirbi_can_resolve(loop->as.loop.body)) return false;
    overwriter *o = TIRBI_NEW(pool->arena, overwriter);
    if (!o) return false;
    *o = (overwriter){.pool = pool, .loop = loop, .own = {.var = {loop->as.loop.var}, .n = 1}};
    if (!tirbi_list_statements(loop->as.loop.body, o->items, &o->n, MAX_ITEMS) ||
        !tirbi_find_accesses(&(tirbi_accesses){.sets = &o->own}, loop->as.loop.body) || !find_store(o))
        return false;
    const tirbi_lx *one = tirbi_lx_number(pool, 1), *last = tirbi_lx_sub(pool, var->extent, one);
    tirbi_lvar *others = tirbi_part_variable(pool, var, tirbi_lx_number(pool, 0), last);
    const tirbi_ls *parts[2] = {tirbi_loop_of(pool, loop, others, without_store(o), false), NULL};
    parts[1] = tirbi_new_if(pool, loop->span, tirbi_lx_wide(pool, TIRB_OP_GE, var->extent, one),
                            tirbi_iteration_at(pool, loop, loop->as.loop.body, last, false), NULL);
    out->loop = parts[0];
    out->stmt = tirbi_new_sequence(pool, loop->span, parts, 2);
    return out->stmt != NULL;
}
