/* for i: t[i] = f(i); for i: u[i] = g(t[i]) becomes for i: t[i] = f(i); u[i] = g(t[i]), and where t is memory of this
 * program alone that nothing else uses, t[i] becomes a variable and t is never allocated.
 *
 * Nests are fused when all accesses of one to memory that another of them writes are to the same element in the same
 * iteration: then every location keeps the order of its updates (rule R1). What may trap is not moved before anything
 * else, and fused code that would not run as lanes is left as it was. */
#include "compiler/optimize/nests/fuse.h"

#include <string.h>

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_NESTS = 32, MAX_ACCESSES = 128 };

/* How often one sequence is looked through for what else uses a buffer. Behind that, buffers stay in memory. */
enum { MAX_LOOKS = 20000 };

/* Nests that are being fused, with the loop variables of the first one. */
typedef struct group {
    tirbi_lx_pool *pool;
    const tirbi_ls *loops[TIRBI_MAX_AFFINE];
    tirbi_loop_set vars;
    const tirbi_ls *bodies[MAX_NESTS];
    const tirbi_ls *originals[MAX_NESTS];
    uint32_t n;
    tirbi_reached accesses[MAX_ACCESSES]; /* by nest */
    uint32_t n_accesses;
} group;

/* ---- Nests ---------------------------------------------------------------------------------------------------- */

static bool invariant(const group *g, const tirbi_lx *x) {
    return x->pure && !x->traps && !tirbi_mentions_loops(x, &g->vars);
}

/* The loops of a perfect nest; its body, or NULL where its bounds depend on each other or are not known before it. */
static const tirbi_ls *collect(group *g, const tirbi_ls *s) {
    g->vars.n = 0;
    while (s->kind == TIRBI_LS_LOOP) {
        tirbi_lvar *var = s->as.loop.var;
        if (s->as.loop.step || g->vars.n == TIRBI_MAX_AFFINE || !invariant(g, var->min) || !invariant(g, var->extent))
            return NULL;
        g->loops[g->vars.n] = s;
        g->vars.var[g->vars.n++] = var;
        s = s->as.loop.body;
    }
    return s;
}

/* An element of its own is stored to in each iteration. Only the first nest may trap: nothing is moved before it. */
static bool takes_access(void *context, const tirbi_reached *a) {
    group *g = context;
    const tirbi_lbuf *b = a->place->buffer;
    if (b->overlaps || b->local) return false;
    if (a->what == TIRBI_LOADS) return true;
    return (g->n == 0 || (!a->stmt->as.store.value->traps && tirbi_is_proven(a->place))) &&
           tirbi_tells_all(g->pool, &g->vars, a->place);
}

/* Stores, one after the other. */
static bool note_body(group *g, const tirbi_ls *body) {
    tirbi_accesses all = {.item = g->accesses,
                          .n = g->n_accesses,
                          .most = MAX_ACCESSES,
                          .part = (uint16_t)g->n,
                          .rules = TIRBI_NO_VARIABLES,
                          .kinds = TIRBI_KIND(SEQ) | TIRBI_KIND(STORE),
                          .context = g,
                          .access = takes_access};
    const bool found = tirbi_find_accesses(&all, body);
    g->n_accesses = all.n;
    return found;
}

/* Whether the last nest of the group may run together with those before it, and uses what one of them stores. */
static bool agrees(group *g) {
    bool linked = false;
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const tirbi_reached *a = &g->accesses[i];
        if (a->part != g->n) continue;
        for (uint32_t k = 0; k < g->n_accesses; k++) {
            const tirbi_reached *b = &g->accesses[k];
            if (b->part == g->n || (a->what == TIRBI_LOADS && b->what == TIRBI_LOADS)) continue;
            if (!tirbi_may_meet(a->place->buffer->root, b->place->buffer->root)) continue;
            if (!tirbi_same_place(a->place, b->place) || !tirbi_tells_all(g->pool, &g->vars, a->place)) return false;
            linked = linked || (b->what != TIRBI_LOADS && a->what == TIRBI_LOADS);
        }
    }
    return linked;
}

/* ---- Making the group ------------------------------------------------------------------------------------------- */

static bool begin(group *g, const tirbi_ls *nest) {
    g->n = g->n_accesses = 0;
    g->bodies[0] = collect(g, nest);
    g->originals[0] = nest;
    if (!g->bodies[0] || g->vars.n == 0 || !note_body(g, g->bodies[0])) return false;
    g->n = 1;
    return true;
}

static bool join_as(group *g, const tirbi_ls *nest, group *own) {
    const tirbi_ls *body = collect(own, nest);
    if (!body || own->vars.n != g->vars.n) return false;
    for (uint32_t i = 0; i < g->vars.n; i++) {
        const tirbi_lvar *a = g->vars.var[i], *b = own->vars.var[i];
        if (a->min != b->min || a->extent != b->extent || a->type != b->type) return false;
        if (g->loops[i]->as.loop.parallel != own->loops[i]->as.loop.parallel) return false;
    }
    tirbi_rewrite rewrite = {.pool = g->pool, .kinds = TIRBI_GUARDED_STORES};
    tirbi_bind_variables(&rewrite, &own->vars, &g->vars);
    g->bodies[g->n] = tirbi_rewrite_stmt(&rewrite, body);
    g->originals[g->n] = nest;
    uint32_t known = g->n_accesses;
    if (g->bodies[g->n] && note_body(g, g->bodies[g->n]) && agrees(g)) {
        g->n++;
        return true;
    }
    g->n_accesses = known;
    return false;
}

/* Adds a nest to the group where it may run together with it. */
static bool join(group *g, const tirbi_ls *nest) {
    group *own = g->n < MAX_NESTS ? TIRBI_NEW(g->pool->arena, group) : NULL;
    if (!own) return false;
    own->pool = g->pool;
    const bool joined = join_as(g, nest, own);
    TIRBI_GIVE_BACK(g->pool->arena, own);
    return joined;
}

/* ---- What stays in variables ------------------------------------------------------------------------------------ */

/* Whether a group accesses a buffer as one element per iteration, stored once and not read before. */
static bool is_handed_on(const group *g, const tirbi_lbuf *buffer) {
    const tirbi_place *stored = NULL;
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const tirbi_reached *a = &g->accesses[i];
        if (a->place->buffer->root != buffer) continue;
        if (a->place->buffer != buffer || !tirbi_is_proven(a->place) || (a->what != TIRBI_LOADS) != !stored)
            return false;
        if (stored && !tirbi_same_place(stored, a->place)) return false;
        stored = a->place;
    }
    return stored != NULL;
}

typedef struct handed_on {
    const tirbi_lbuf *buffer;
    tirbi_lvar *var;
} handed_on;

static const tirbi_lx *use_variable(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const handed_on *h = rewrite->context;
    return x->kind == TIRBI_LX_LOAD && x->access->buffer == h->buffer ? tirbi_lx_var(rewrite->pool, h->var) : NULL;
}

static const tirbi_ls *set_variable(tirbi_rewrite *rewrite, const tirbi_ls *s) {
    const handed_on *h = rewrite->context;
    if (s->kind != TIRBI_LS_STORE || s->as.store.access->buffer != h->buffer) return NULL;
    return tirbi_new_set(rewrite->pool, s->span, h->var, tirbi_rewrite_value(rewrite, s->as.store.value), true);
}

/* The statement with a variable in the buffer's place. */
static const tirbi_ls *keep_in_variable(tirbi_lx_pool *pool, const tirbi_ls *body, const tirbi_lbuf *buffer) {
    tirbi_lvar *var =
        tirbi_new_variable(pool, TIRBI_LVAR_LET, buffer->name, buffer->type, INT64_MIN, INT64_MAX, body->span);
    if (!var) return NULL;
    handed_on h = {.buffer = buffer, .var = var};
    tirbi_rewrite rewrite = {.pool = pool, .replace = use_variable, .statement = set_variable, .context = &h};
    return tirbi_rewrite_stmt(&rewrite, body);
}

/* ---- Sequences ------------------------------------------------------------------------------------------------ */

typedef struct sequence {
    tirbi_lx_pool *pool;
    const tirbi_ls **items;
    uint32_t n;
    uint32_t looks; /* at statements, for what else uses a buffer */
    tirbi_notes *notes;
} sequence;

static const tirbi_ls *in_loops(const group *g, const tirbi_ls *body) {
    for (uint32_t i = g->vars.n; body && i-- > 0;)
        body = tirbi_loop_like(g->pool, g->loops[i], NULL, body);
    return body;
}

static bool runs_as_lanes(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    return tirbi_nest_has_lanes(pool, loop, TIRBI_NEST_ANY) || tirbi_has_lanes(pool, loop);
}

/* Whether a statement behind item `alloc`, but for the group's, has to do with the buffer, or there is no time to
 * look. */
static bool used_elsewhere(sequence *q, uint32_t alloc, uint32_t first, const bool *dropped, const tirbi_lbuf *buffer) {
    for (uint32_t k = alloc + 1; k < q->n; k++) {
        if (k == first || dropped[k]) continue;
        if (q->looks == MAX_LOOKS || tirbi_statement_uses(q->items[k], buffer)) return true;
        q->looks++;
    }
    return false;
}

/* Puts the fused nest in the place of the group's first one, `first`, and drops the others and what is not allocated
 * any more, of one nest alone only that. False when nothing was changed. */
static bool replace(sequence *q, const group *g, uint32_t first) {
    const tirbi_ls *body = tirbi_new_sequence(q->pool, g->bodies[0]->span, g->bodies, g->n);
    bool *dropped = TIRBI_NEW_ARRAY(q->pool->arena, bool, q->n), changes = g->n > 1;
    if (!body || !dropped) return false;
    for (uint32_t i = 0; i < q->n; i++) {
        for (uint32_t k = 1; k < g->n; k++) dropped[i] = dropped[i] || q->items[i] == g->originals[k];
    }
    for (uint32_t i = 0; i < q->n; i++) {
        const tirbi_lbuf *buffer = tirbi_is_plain_allocation(q->items[i]) ? q->items[i]->as.alloc.buffer : NULL;
        bool only_here = buffer && is_handed_on(g, buffer) && !used_elsewhere(q, i, first, dropped, buffer);
        const tirbi_ls *kept = only_here ? keep_in_variable(q->pool, body, buffer) : NULL;
        if (!kept) continue;
        body = kept;
        changes = dropped[i] = true;
    }
    const tirbi_ls *nest = changes ? in_loops(g, body) : NULL;
    if (!nest || !runs_as_lanes(q->pool, nest)) return false;
    for (uint32_t k = 1; k < g->n && q->notes; k++) {
        tirbi_note_loop(q->notes, g->originals[k]->as.loop.var, g->originals[k]->span, TIRB_FORM_FUSED,
                        "runs together with the loop over %s before it", g->vars.var[0]->name);
    }
    q->items[first] = nest;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < q->n; i++) {
        if (!dropped[i]) q->items[kept++] = q->items[i];
    }
    q->n = kept;
    return true;
}

static void fuse_group(sequence *q, group *g, uint32_t first) {
    if (!begin(g, q->items[first])) return;
    uint32_t allocations = 0;
    for (uint32_t i = first + 1; i < q->n; i++) {
        if (tirbi_is_plain_allocation(q->items[i]))
            allocations++;
        else if (q->items[i]->kind != TIRBI_LS_LOOP || !join(g, q->items[i]))
            break;
    }
    if (g->n == 1 && g->bodies[0]->kind == TIRBI_LS_SEQ) replace(q, g, first); /* it has been fused inside */
    if (g->n < 2) return;
    uint32_t at = first;
    for (uint32_t i = first + 1; allocations > 0 && i < q->n; i++) {
        if (q->items[i]->kind != TIRBI_LS_ALLOC) continue;
        const tirbi_ls *moved = q->items[i];
        memmove(&q->items[at + 1], &q->items[at], (i - at) * sizeof(*q->items));
        q->items[at++] = moved;
        allocations--;
    }
    for (; g->n >= 2 && !replace(q, g, at); g->n /= 2) { /* perhaps it was too much for one lane loop */
        uint32_t kept = 0;
        while (kept < g->n_accesses && g->accesses[kept].part < g->n / 2) kept++;
        g->n_accesses = kept;
    }
}

/* Fuses what follows item `first`, with nothing but allocations between; these may as well come before. */
static void fuse_from(sequence *q, uint32_t first) {
    group *g = q->items[first]->kind == TIRBI_LS_LOOP ? TIRBI_NEW(q->pool->arena, group) : NULL;
    if (!g) return;
    g->pool = q->pool;
    fuse_group(q, g, first);
    TIRBI_GIVE_BACK(q->pool->arena, g);
}

/* A lone nest is a sequence of one: rows of it may be done together, too. */
static const tirbi_ls *as_sequence(tirbi_lx_pool *pool, const tirbi_ls *s) {
    tirbi_ls *alone = s->kind == TIRBI_LS_LOOP ? tirbi_new_stmt(pool, TIRBI_LS_SEQ, s->span) : NULL;
    const tirbi_ls **item = alone ? TIRBI_NEW(pool->arena, const tirbi_ls *) : NULL;
    if (!item) return s;
    *item = s;
    alone->as.seq.items = item;
    alone->as.seq.n = 1;
    return alone;
}

static const tirbi_ls *fuse_in(tirbi_lx_pool *pool, const tirbi_ls *s, uint32_t disabled, tirbi_notes *notes) {
    tirbi_ls *copy = s ? TIRBI_NEW(pool->arena, tirbi_ls) : NULL;
    if (!copy) return s;
    *copy = *s;
    switch (s->kind) {
    case TIRBI_LS_LOOP:
        copy->as.loop.body = fuse_in(pool, s->as.loop.body, disabled, notes);
        return copy;
    case TIRBI_LS_WHILE:
        copy->as.while_.body = tirbi_fuse_nests(pool, s->as.while_.body, disabled, notes);
        return copy;
    case TIRBI_LS_IF:
        copy->as.if_.then_case = tirbi_fuse_nests(pool, s->as.if_.then_case, disabled, notes);
        if (s->as.if_.else_case) copy->as.if_.else_case = tirbi_fuse_nests(pool, s->as.if_.else_case, disabled, notes);
        return copy;
    case TIRBI_LS_SEQ: {
        sequence q = {.pool = pool, .n = s->as.seq.n, .notes = notes};
        q.items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, s->as.seq.n);
        if (!q.items) return s;
        for (uint32_t i = 0; i < q.n; i++) q.items[i] = fuse_in(pool, s->as.seq.items[i], disabled, notes);
        for (uint32_t i = 0; i < q.n && tirbi_arena_may_try(pool->arena); i++) fuse_from(&q, i);
        copy->as.seq.items = q.items;
        q.n = tirbi_store_in_place(pool, q.items, q.n);
        copy->as.seq.n = tirbi_fuse_rows(pool, q.items, q.n, notes);
        return copy->as.seq.n == 1 ? q.items[0] : copy;
    }
    default:
        return s;
    }
}

const tirbi_ls *tirbi_fuse_nests(tirbi_lx_pool *pool, const tirbi_ls *s, uint32_t disabled, tirbi_notes *notes) {
    return fuse_in(pool, as_sequence(pool, s), disabled, notes);
}
