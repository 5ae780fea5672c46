/* Loops that update elements which stand still: sums into one element, running extremes. The element is loaded into a
 * variable before the loop and stored behind it, so that the loop can carry it from lane to lane. */
#include "compiler/optimize/injective.h"
#include "compiler/optimize/lane_planner.h"
#include "compiler/optimize/order.h"
#include "compiler/optimize/rewrite.h"
#include "compiler/optimize/search.h"

enum { MAX_ELEMENTS = 8 };

typedef struct element {
    const tirbi_place *place;
    tirbi_lvar *var;
} element;

typedef struct carrier {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set own; /* the loop's variable, and those that the body sets */
    tirbi_lvar *fresh;  /* that stands for the loop's variable, or NULL */
    const tirbi_ls *init; /* of the first iteration, or NULL */
    element elements[MAX_ELEMENTS];
    uint32_t n;
    bool failed;
} carrier;

static bool same_place(const tirbi_place *a, const tirbi_place *b) {
    if (a->buffer != b->buffer || a->flat != b->flat || a->view != b->view) return false;
    for (uint32_t i = 0; i < a->ndim; i++) {
        if (a->indices[i] != b->indices[i]) return false;
    }
    return true;
}

static element *find_element(carrier *c, const tirbi_place *place) {
    for (uint32_t i = 0; i < c->n; i++) {
        if (same_place(c->elements[i].place, place)) return &c->elements[i];
    }
    return NULL;
}

/* ---- Finding them ----------------------------------------------------------------------------------------------- */

static void note_variables(carrier *c, const tirbi_ls *s) {
    if (s->kind == TIRBI_LS_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n; i++) note_variables(c, s->as.seq.items[i]);
    } else if (s->kind == TIRBI_LS_IF) {
        note_variables(c, s->as.if_.then_case);
        if (s->as.if_.else_case) note_variables(c, s->as.if_.else_case);
    } else if (s->kind == TIRBI_LS_SET) {
        if (c->own.n == TIRBI_MAX_AFFINE) c->failed = true;
        else c->own.var[c->own.n++] = s->as.set.var;
    } else if (s->kind != TIRBI_LS_STORE) {
        c->failed = true;
    }
}

static bool stands_still(const carrier *c, const tirbi_place *place) {
    if (place->view || !place->flat->pure || tirbi_mentions_loops(place->flat, &c->own)) return false;
    for (uint32_t i = 0; i < place->ndim; i++) {
        if (!place->indices[i]->pure || tirbi_mentions_loops(place->indices[i], &c->own)) return false;
    }
    return true;
}

/* Notes the elements that are stored to and stand still. Those of a condition are only reached where that cannot fail. */
static void find_elements(carrier *c, const tirbi_ls *s, bool always) {
    if (s->kind == TIRBI_LS_SEQ) {
        for (uint32_t i = 0; i < s->as.seq.n; i++) find_elements(c, s->as.seq.items[i], always);
        return;
    }
    if (s->kind == TIRBI_LS_IF) {
        find_elements(c, s->as.if_.then_case, false);
        if (s->as.if_.else_case) find_elements(c, s->as.if_.else_case, false);
        return;
    }
    if (s->kind != TIRBI_LS_STORE) return;
    const tirbi_place *place = s->as.store.access;
    if (!stands_still(c, place) || place->buffer->local || find_element(c, place)) return;
    const tirbi_lx *load = tirbi_lx_load(c->pool, place);
    tirbi_lvar *var = TIRBI_NEW(c->pool->arena, tirbi_lvar);
    if (!load || !var || c->n == MAX_ELEMENTS || (load->traps && !always)) {
        c->failed = true;
        return;
    }
    *var = (tirbi_lvar){.name = place->buffer->name, .kind = TIRBI_LVAR_LOCAL, .type = place->buffer->type,
                        .lo = load->lo, .hi = load->hi, .reg = -1, .span = place->span};
    c->elements[c->n++] = (element){.place = place, .var = var};
}

/* Whether another place is never this element. */
static bool is_apart(const carrier *c, const tirbi_place *e, const tirbi_place *place) {
    if (!tirbi_may_meet(e->buffer->root, place->buffer->root)) return true;
    if (e->buffer != place->buffer || e->view || place->view || !tirbi_is_compact(c->pool, e->buffer)) return false;
    for (uint32_t d = 0; d < e->ndim; d++) {
        if (tirbi_never_equal(e->indices[d], place->indices[d], &c->own)) return true;
    }
    return false;
}

/* An element stays in its variable only if nothing else reaches it. */
static void check_place(carrier *c, const tirbi_place *place) {
    for (uint32_t i = 0; i < c->n; i++) {
        const tirbi_place *e = c->elements[i].place;
        if (!same_place(e, place) && !is_apart(c, e, place)) c->failed = true;
    }
}

static void check_value(carrier *c, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_CALL) c->failed = true;
    if (x->kind == TIRBI_LX_LOAD) {
        check_place(c, x->access);
        for (uint32_t i = 0; i < x->access->ndim; i++) check_value(c, x->access->indices[i]);
    }
    for (int i = 0; i < x->n_args; i++) check_value(c, x->args[i]);
}

static void check_stmt(carrier *c, const tirbi_ls *s) {
    switch (s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) check_stmt(c, s->as.seq.items[i]);
        return;
    case TIRBI_LS_IF:
        check_value(c, s->as.if_.condition);
        check_stmt(c, s->as.if_.then_case);
        if (s->as.if_.else_case) check_stmt(c, s->as.if_.else_case);
        return;
    case TIRBI_LS_STORE:
        check_place(c, s->as.store.access);
        for (uint32_t i = 0; i < s->as.store.access->ndim; i++) check_value(c, s->as.store.access->indices[i]);
        check_value(c, s->as.store.value);
        return;
    case TIRBI_LS_SET: check_value(c, s->as.set.value); return;
    default: c->failed = true;
    }
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

static const tirbi_lx *replace(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    carrier *c = rewrite->context;
    if (x->kind == TIRBI_LX_VAR && c->fresh && x->var == c->loop->as.loop.var) return tirbi_lx_var(c->pool, c->fresh);
    element *e = x->kind == TIRBI_LX_LOAD ? find_element(c, x->access) : NULL;
    return e ? tirbi_lx_var(c->pool, e->var) : NULL;
}

static tirbi_ls *new_stmt(carrier *c, tirbi_ls_kind kind, tirbi_span span) {
    tirbi_ls *s = TIRBI_NEW(c->pool->arena, tirbi_ls);
    if (!s) {
        c->failed = true;
        return NULL;
    }
    *s = (tirbi_ls){.kind = (uint8_t)kind, .span = span};
    return s;
}

static const tirbi_ls *set(carrier *c, tirbi_lvar *var, const tirbi_lx *value, bool declares) {
    tirbi_ls *s = new_stmt(c, TIRBI_LS_SET, c->loop->span);
    if (!s || !value) return NULL;
    s->as.set.var = var;
    s->as.set.value = value;
    s->as.set.declares = declares;
    return s;
}

/* The body with its elements in variables; NULL when memory ran out. */
static const tirbi_ls *rewrite_body(carrier *c, tirbi_rewrite *r, const tirbi_ls *body) {
    tirbi_ls *copy = new_stmt(c, (tirbi_ls_kind)body->kind, body->span);
    if (!copy) return NULL;
    *copy = *body;
    switch (body->kind) {
    case TIRBI_LS_SEQ: {
        const tirbi_ls **items = TIRBI_NEW_ARRAY(c->pool->arena, const tirbi_ls *, body->as.seq.n);
        for (uint32_t i = 0; items && i < body->as.seq.n; i++) {
            items[i] = rewrite_body(c, r, body->as.seq.items[i]);
            if (!items[i]) return NULL;
        }
        copy->as.seq.items = items;
        return items ? copy : NULL;
    }
    case TIRBI_LS_IF:
        copy->as.if_.condition = tirbi_rewrite_value(r, body->as.if_.condition);
        copy->as.if_.then_case = rewrite_body(c, r, body->as.if_.then_case);
        if (body->as.if_.else_case) copy->as.if_.else_case = rewrite_body(c, r, body->as.if_.else_case);
        return copy->as.if_.condition && copy->as.if_.then_case && !body->as.if_.else_case == !copy->as.if_.else_case ? copy : NULL;
    case TIRBI_LS_SET:
        copy->as.set.value = tirbi_rewrite_value(r, body->as.set.value);
        return copy->as.set.value ? copy : NULL;
    case TIRBI_LS_STORE: {
        element *e = find_element(c, body->as.store.access);
        const tirbi_lx *value = tirbi_rewrite_value(r, body->as.store.value);
        if (!value) return NULL;
        if (e) {
            copy->kind = TIRBI_LS_SET;
            copy->as.set.var = e->var;
            copy->as.set.value = value;
            copy->as.set.declares = false;
            return copy;
        }
        copy->as.store.access = tirbi_rewrite_place(r, body->as.store.access);
        copy->as.store.value = value;
        return copy->as.store.access ? copy : NULL;
    }
    default: return NULL;
    }
}

static bool is_plain(const tirbi_lx *x) { return x->pure && !x->traps; }

/* A bound of the loop, computed before it where it is not pure. */
static const tirbi_lx *bound(carrier *c, const tirbi_lx *x, const char *name, const tirbi_ls **items, uint32_t *n) {
    if (is_plain(x)) return x;
    tirbi_lvar *var = TIRBI_NEW(c->pool->arena, tirbi_lvar);
    if (!var) return NULL;
    *var = (tirbi_lvar){.name = name, .kind = TIRBI_LVAR_LET, .type = TIRB_I64, .lo = x->lo, .hi = x->hi, .reg = -1};
    items[*n] = set(c, var, x, true);
    if (!items[*n]) return NULL;
    (*n)++;
    return tirbi_lx_var(c->pool, var);
}

/* The loop over a variable of its own whose bounds are in variables. */
static bool replace_variable(carrier *c, const tirbi_ls **items, uint32_t *n) {
    const tirbi_lvar *var = c->loop->as.loop.var;
    if (is_plain(var->min) && is_plain(var->extent)) return true;
    c->fresh = TIRBI_NEW(c->pool->arena, tirbi_lvar);
    if (!c->fresh) return false;
    *c->fresh = *var;
    c->fresh->min = bound(c, var->min, "first", items, n);
    c->fresh->extent = c->fresh->min ? bound(c, var->extent, "rounds", items, n) : NULL;
    return c->fresh->extent != NULL;
}

static const tirbi_ls *sequence(carrier *c, const tirbi_ls **items, uint32_t n) {
    tirbi_ls *s = new_stmt(c, TIRBI_LS_SEQ, c->loop->span);
    const tirbi_ls **copy = TIRBI_NEW_ARRAY(c->pool->arena, const tirbi_ls *, n);
    if (!s || !copy) return NULL;
    for (uint32_t i = 0; i < n; i++) copy[i] = items[i];
    s->as.seq.items = copy;
    s->as.seq.n = n;
    return s;
}

/* Loads, what becomes of the loop, stores: where it runs at all. */
static const tirbi_ls *surround(carrier *c, const tirbi_ls *loop, const tirbi_ls *runs) {
    const tirbi_ls *items[2 * MAX_ELEMENTS + 2];
    uint32_t n = 0;
    if (c->init) items[n++] = c->init;
    for (uint32_t i = 0; i < c->n; i++)
        items[n++] = set(c, c->elements[i].var, tirbi_lx_load(c->pool, c->elements[i].place), true);
    items[n++] = runs;
    for (uint32_t i = 0; i < c->n; i++) {
        tirbi_ls *store = new_stmt(c, TIRBI_LS_STORE, c->loop->span);
        if (!store) return NULL;
        store->as.store.access = c->elements[i].place;
        store->as.store.value = tirbi_lx_var(c->pool, c->elements[i].var);
        items[n++] = store;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!items[i]) return NULL;
    }
    tirbi_ls *guard = new_stmt(c, TIRBI_LS_IF, c->loop->span);
    if (!guard) return NULL;
    guard->as.if_.condition = tirbi_lx_op(c->pool, TIRB_OP_GT, TIRB_I64, TIRB_TYPE_NONE, loop->as.loop.var->extent,
                                          tirbi_lx_int(c->pool, TIRB_I64, 0), NULL);
    guard->as.if_.then_case = sequence(c, items, n);
    return guard->as.if_.condition && guard->as.if_.then_case ? guard : NULL;
}

/* An init of the loop's first iteration, which then stands before the loop; the rest of the body is the result. */
static const tirbi_ls *take_init(carrier *c, const tirbi_ls *body) {
    const tirbi_ls *first = body->kind == TIRBI_LS_SEQ && body->as.seq.n > 1 ? body->as.seq.items[0] : NULL;
    tirbi_lvar *var = c->loop->as.loop.var;
    if (!first || first->kind != TIRBI_LS_IF || first->as.if_.n_first_of != 1 || first->as.if_.first_of[0] != var ||
        first->as.if_.else_case || tirbi_code_uses(first->as.if_.then_case, &var, 1)) {
        return body;
    }
    c->init = first->as.if_.then_case;
    return sequence(c, body->as.seq.items + 1, body->as.seq.n - 1);
}

/* The loop with elements in variables, as lanes that carry them or as a search for what changes them. */
static const tirbi_ls *carry(tirbi_lx_pool *pool, const tirbi_ls *loop, bool lanes) {
    carrier *c = TIRBI_NEW(pool->arena, carrier);
    if (!c || loop->as.loop.step) return NULL;
    c->pool = pool;
    c->loop = loop;
    c->own = (tirbi_loop_set){.var = {loop->as.loop.var}, .n = 1};
    const tirbi_ls *rest = take_init(c, loop->as.loop.body);
    if (!rest) return NULL;
    note_variables(c, rest);
    if (c->failed) return NULL;
    find_elements(c, rest, true);
    check_stmt(c, rest);
    bool bounds = is_plain(loop->as.loop.var->min) && is_plain(loop->as.loop.var->extent);
    if (c->failed || (c->n == 0 && bounds)) return NULL;
    const tirbi_ls *items[3];
    uint32_t n = 0;
    if (!replace_variable(c, items, &n)) return NULL;
    tirbi_rewrite rewrite = {.pool = pool, .replace = replace, .context = c};
    tirbi_ls *fresh = new_stmt(c, TIRBI_LS_LOOP, loop->span);
    const tirbi_ls *body = rewrite_body(c, &rewrite, rest);
    if (!fresh || !body || c->failed) return NULL;
    *fresh = *loop;
    fresh->as.loop.body = body;
    fresh->as.loop.parallel = false; /* the loop itself was asked for chunks */
    if (c->fresh) fresh->as.loop.var = c->fresh;
    const tirbi_ls *runs = lanes ? (tirbi_plan_in_order(pool, fresh) ? fresh : NULL) : tirbi_search_updates(pool, fresh);
    items[n] = runs ? surround(c, fresh, runs) : NULL;
    return items[n] ? sequence(c, items, n + 1) : NULL;
}

const tirbi_ls *tirbi_carry_elements(tirbi_lx_pool *pool, const tirbi_ls *loop) { return carry(pool, loop, true); }
const tirbi_ls *tirbi_search_elements(tirbi_lx_pool *pool, const tirbi_ls *loop) { return carry(pool, loop, false); }
