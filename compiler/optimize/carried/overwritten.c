#include "compiler/optimize/carried/overwritten.h"

#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/rewriting/iteration.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"

enum { LEAST = 8 /* iterations */ };

typedef struct overwriter {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_iteration it; /* the store is its item `at` */
    uint32_t over;       /* the item that stores to its element in the next iteration; behind all: the store does */
    tirbi_loop_set own;  /* the loop's variable, and those that the body sets */
    tirbi_lvar *held;    /* what is stored in an iteration */
} overwriter;

static const tirbi_place *place_of(const overwriter *o) { return o->it.item[o->it.at]->as.store.access; }

/* Whether a statement is a store that cannot fail, to memory that lies still. */
static bool is_plain_store(const overwriter *o, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_STORE) return false;
    const tirbi_place *place = s->as.store.access;
    for (uint32_t d = 0; d < place->ndim; d++)
        if (place->indices[d]->traps) return false;
    return tirbi_is_surely_inside(place) && !place->buffer->local && !place->buffer->overlaps &&
           !tirbi_buffer_moves(place->buffer, &o->own);
}

/* Whether something holds for each access that may reach the store's memory. */
static bool holds_for_all(const overwriter *o, bool (*holds)(const overwriter *o, const tirbi_reached *a)) {
    for (uint32_t i = 0; i < o->it.reached.n; i++) {
        const tirbi_reached *a = &o->it.place[i];
        if (tirbi_may_meet(a->place->buffer->root, place_of(o)->buffer->root) && !holds(o, a)) return false;
    }
    return true;
}

/* Of an element that stands still: whether an access is the store itself, a load of it behind that, or elsewhere. */
static bool is_read_behind(const overwriter *o, const tirbi_reached *a) {
    const bool writes = a->what != TIRBI_LOADS, itself = a->part == o->it.at && writes;
    if (itself || tirbi_never_meet(o->pool, a->place, place_of(o), &o->own)) return true;
    return a->part > o->it.at && !writes && tirbi_same_place(a->place, place_of(o));
}

/* Whether an access sees nothing of what the item `over` stores over in the next iteration. */
static bool sees_nothing(const overwriter *o, const tirbi_reached *a) {
    int64_t behind;
    if (!tirbi_comes_behind(o->pool, &o->own, place_of(o), a->place, &behind)) return false;
    if (a->what != TIRBI_LOADS) return behind != 0 || a->part == o->it.at;
    if (behind == 0 && a->part > o->it.at) return tirbi_same_place(a->place, place_of(o));
    return behind != 1 || a->part > o->over;
}

/* Whether the item `over` stores to the element in the iteration behind the store's, before anything but loads of the
 * store's own iteration can see what it has. */
static bool is_stored_over(const overwriter *o) {
    const tirbi_ls *over = o->it.item[o->over];
    int64_t behind;
    return is_plain_store(o, over) && tirbi_is_compact(o->pool, place_of(o)->buffer) &&
           tirbi_comes_behind(o->pool, &o->own, place_of(o), over->as.store.access, &behind) && behind == 1 &&
           holds_for_all(o, sees_nothing);
}

static bool find_store(overwriter *o) {
    tirbi_iteration *it = &o->it;
    for (it->at = 0; it->at < it->n; it->at++) {
        if (!is_plain_store(o, it->item[it->at])) continue;
        o->over = it->n;
        if (tirbi_stands_still(place_of(o), &o->own)) {
            if (holds_for_all(o, is_read_behind)) return true;
            continue;
        }
        for (o->over = 0; o->over < it->n; o->over++)
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
    const uint32_t at = o->it.at, n = o->it.n;
    const tirbi_ls *store = o->it.item[at], *items[TIRBI_MAX_ITEMS];
    const tirbi_lx *load = tirbi_lx_load(o->pool, place_of(o));
    o->held = tirbi_variable_for(o->pool, TIRBI_LVAR_LET, place_of(o)->buffer->name, load, store->span);
    if (!o->held) return NULL;
    bool used = o->over == n || !tirbi_cannot_fail(store);
    for (uint32_t i = 0; i < at; i++) items[i] = o->it.item[i];
    items[at] = tirbi_new_set(o->pool, store->span, o->held, store->as.store.value, true);
    for (uint32_t i = at + 1; i < n; i++) {
        items[i] = tirbi_rewrite_stmt(&rewrite, o->it.item[i]);
        if (!items[i]) return NULL;
        used = used || tirbi_names(items[i], &o->held, 1);
    }
    for (uint32_t i = at; i + 1 < n && !used; i++) items[i] = items[i + 1];
    return tirbi_items(&o->it, items, n - !used);
}

bool tirbi_keep_last_store(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    tirbi_lvar *var = loop->as.loop.var;
    overwriter o = {.pool = pool, .loop = loop};
    if (var->extent->hi < LEAST || !tirbi_can_resolve(loop->as.loop.body) ||
        !tirbi_read_iteration(&o.it, pool, loop) || o.it.sets.n == TIRBI_MAX_AFFINE)
        return false;
    o.own = o.it.sets;
    o.own.var[o.own.n++] = o.own.var[0];
    o.own.var[0] = var;
    if (!find_store(&o)) return false;
    const tirbi_lx *one = tirbi_lx_number(pool, 1), *last = tirbi_lx_sub(pool, var->extent, one);
    tirbi_lvar *others = tirbi_part_variable(pool, var, tirbi_lx_number(pool, 0), last);
    const tirbi_ls *parts[2] = {tirbi_loop_of(pool, loop, others, without_store(&o)), NULL};
    parts[1] = tirbi_new_if(pool, loop->span, tirbi_lx_wide(pool, TIRB_OP_GE, var->extent, one),
                            tirbi_iteration_at(pool, loop, loop->as.loop.body, last), NULL);
    out->loop = parts[0];
    out->stmt = tirbi_new_sequence(pool, loop->span, parts, 2);
    return out->stmt != NULL;
}
