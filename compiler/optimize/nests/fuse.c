/* for i: t[i] = f(i); for i: u[i] = g(t[i]) becomes for i: t[i] = f(i); u[i] = g(t[i]), and where t is memory of this
 * program alone that nothing else uses, t[i] becomes a variable and t is never allocated.
 *
 * Nests are fused when all accesses of one to memory that another of them writes are to the same element in the same
 * iteration: then every location keeps the order of its updates (rule R1). What may trap is in one of the nests alone,
 * and fused code that would not run as lanes is left as it was. Sums that are short are in the nest of what they begin
 * with and of what is made of them. */
#include "compiler/optimize/nests/fuse.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/contractions/distribute.h"
#include "compiler/optimize/facts/injective.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/nests/unroll.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/pipeline/switches.h"

/* How often one sequence is looked through for what else uses a buffer. Behind that, buffers stay in memory. */
enum { MAX_LOOKS = 20000 };

/* ---- Nests that become one -------------------------------------------------------------------------------------- */

const tirbi_ls *tirbi_behind_condition(const tirbi_ls *s) {
    return tirbi_is_guard(s) && !s->as.if_.condition->traps ? s->as.if_.then_case : s;
}

const tirbi_ls *tirbi_common_loops(const tirbi_fused *g, const tirbi_ls *s, tirbi_loop_set *vars,
                                   const tirbi_ls **loops) {
    for (vars->n = 0; vars->n < g->n_common; s = s->as.loop.body) {
        if (s->kind != TIRBI_LS_LOOP || s->as.loop.step || !tirbi_is_bounded_before(vars, s->as.loop.var)) return NULL;
        loops[vars->n] = s;
        vars->var[vars->n++] = s->as.loop.var;
    }
    return s;
}

bool tirbi_note_fused(tirbi_fused *g, const tirbi_ls *body, tirbi_accesses all) {
    all.item = g->accesses;
    all.n = g->n_accesses;
    all.most = TIRBI_MAX_FUSED_ACCESSES;
    all.part = (uint16_t)g->n;
    all.rules = TIRBI_NO_VARIABLES;
    all.context = g;
    const bool found = tirbi_find_accesses(&all, body);
    g->n_accesses = all.n;
    return found;
}

bool tirbi_agrees(const tirbi_fused *g, bool linked) {
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const tirbi_reached *a = &g->accesses[i];
        if (a->part != g->n) continue;
        for (uint32_t k = 0; k < g->n_accesses; k++) {
            const tirbi_reached *b = &g->accesses[k];
            const bool reads = a->what == TIRBI_LOADS && b->what == TIRBI_LOADS;
            if (b->part == g->n || (reads && !g->links_reads) ||
                !tirbi_may_meet(a->place->buffer->root, b->place->buffer->root))
                continue;
            const bool same = g->same(g, a->place, b->place);
            if (!same && !reads) return false;
            linked = linked || (same && (g->links_reads || (b->what != TIRBI_LOADS && a->what == TIRBI_LOADS)));
        }
    }
    return linked;
}

bool tirbi_begin_fused(tirbi_fused *g, const tirbi_ls *nest) {
    g->n = g->n_accesses = 0;
    g->bodies[0] = tirbi_common_loops(g, nest, &g->vars, g->loops);
    g->originals[0] = nest;
    if (!g->bodies[0] || !g->takes(g, g->bodies[0])) return false;
    g->n = 1;
    return true;
}

static bool same_loops(const tirbi_fused *g, const tirbi_loop_set *vars, const tirbi_ls *const *loops) {
    for (uint32_t i = 0; i < g->vars.n; i++) {
        const tirbi_lvar *a = g->vars.var[i], *b = vars->var[i];
        if (a->min != b->min || a->extent != b->extent || a->type != b->type) return false;
        if (g->loops[i]->as.loop.parallel != loops[i]->as.loop.parallel) return false;
    }
    return true;
}

void tirbi_keep_fused(tirbi_fused *g, uint32_t n) {
    uint32_t kept = 0;
    while (kept < g->n_accesses && g->accesses[kept].part < n) kept++;
    g->n_accesses = kept;
    g->n = n;
}

bool tirbi_join_fused(tirbi_fused *g, const tirbi_ls *nest) {
    tirbi_loop_set vars;
    const tirbi_ls *loops[TIRBI_MAX_AFFINE], *inside = g->takes_conditions ? tirbi_behind_condition(nest) : nest;
    const tirbi_ls *body = g->n < TIRBI_MAX_FUSED ? tirbi_common_loops(g, inside, &vars, loops) : NULL;
    if (!body || !same_loops(g, &vars, loops)) return false;
    const tirbi_loop_set common = g->vars;
    const uint32_t known = g->n_accesses;
    g->has_rows[g->n] = false;
    g->vars = vars; /* bounds are looked at before variables are replaced */
    const bool takes = g->takes(g, body);
    g->vars = common;
    g->n_accesses = known;
    tirbi_rewrite rewrite = {
        .pool = g->pool, .kinds = TIRBI_NESTS | TIRBI_KIND(TREE), .anew = TIRBI_SETS_ANEW};
    tirbi_bind_variables(&rewrite, &vars, &g->vars);
    g->bodies[g->n] = takes ? tirbi_rewrite_stmt(&rewrite, body) : NULL;
    g->originals[g->n] = nest;
    bool joins = g->bodies[g->n] && g->takes(g, g->bodies[g->n]) && tirbi_agrees(g, inside != nest);
    if (joins && inside != nest) {
        g->bodies[g->n] = tirbi_new_if(g->pool, nest->span, nest->as.if_.condition, g->bodies[g->n], NULL);
        joins = g->bodies[g->n] != NULL;
    }
    if (!joins) g->n_accesses = known;
    g->n += joins;
    return joins;
}

static bool is_original(const tirbi_fused *g, const tirbi_ls *s) {
    for (uint32_t i = 0; i < g->n; i++)
        if (g->originals[i] == s) return true;
    return false;
}

bool tirbi_is_used_elsewhere(tirbi_fused_items *q, const tirbi_fused *g, uint32_t alloc, const tirbi_lbuf *buffer) {
    for (uint32_t i = 0; i < q->n; i++) {
        if (i == alloc || is_original(g, q->items[i])) continue;
        if (q->looks == MAX_LOOKS || tirbi_statement_uses(q->items[i], buffer)) return true;
        q->looks++;
    }
    return false;
}

uint32_t tirbi_allocate_before(tirbi_fused_items *q, uint32_t first, uint32_t end) {
    for (uint32_t i = first + 1; i < end; i++) {
        if (q->items[i]->kind != TIRBI_LS_ALLOC) continue;
        const tirbi_ls *alloc = q->items[i];
        for (uint32_t k = i; k > first; k--) q->items[k] = q->items[k - 1];
        q->items[first++] = alloc;
    }
    return first;
}

void tirbi_put_fused(tirbi_fused_items *q, const tirbi_fused *g, uint32_t first, const tirbi_ls *one,
                     const bool *dropped, const char *how) {
    for (uint32_t k = 1; k < g->n && q->notes; k++)
        tirbi_note_loop(q->notes, tirbi_behind_condition(g->originals[k])->as.loop.var, g->originals[k]->span,
                        TIRB_FORM_FUSED, "runs together with the loop over %s before it%s", g->vars.var[0]->name, how);
    uint32_t kept = 0;
    q->items[first] = one;
    for (uint32_t i = 0; i < q->n; i++)
        if (!dropped[i] && !is_original(g, q->items[i])) q->items[kept++] = q->items[i];
    q->n = kept;
}

/* ---- Nests of the same elements --------------------------------------------------------------------------------- */

/* An element of its own is stored to in each iteration. */
static bool takes_access(void *context, const tirbi_reached *a) {
    tirbi_fused *g = context;
    const tirbi_lbuf *b = a->place->buffer;
    return !b->overlaps && !b->local && (a->what == TIRBI_LOADS || tirbi_tells_all(g->pool, &g->vars, a->place));
}

/* Whether a body is stores and short sums, such as those of windows, which are to be written out: how many iterations
 * of these may be left is told. */
static bool is_short(const tirbi_ls *s, int64_t *left) {
    switch (s->kind) {
    case TIRBI_LS_STORE: return true;
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++)
            if (!is_short(s->as.seq.items[i], left)) return false;
        return true;
    case TIRBI_LS_IF:
        return is_short(s->as.if_.then_case, left) &&
               (!s->as.if_.else_case || is_short(s->as.if_.else_case, left));
    case TIRBI_LS_LOOP: {
        const tirbi_lx *extent = s->as.loop.var->extent;
        if (s->as.loop.step || extent->kind != TIRBI_LX_CONST || extent->value < 1 || extent->value > *left)
            return false;
        *left /= extent->value;
        return is_short(s->as.loop.body, left);
    }
    default: return false;
    }
}

static tirbi_step find_failure(tirbi_walk *w, const tirbi_ls *s) {
    bool fails = s->kind == TIRBI_LS_IF && s->as.if_.condition->traps;
    if (s->kind == TIRBI_LS_STORE) fails = s->as.store.value->traps || !tirbi_is_surely_inside(s->as.store.access);
    if (fails) *(bool *)w->context = true;
    return fails ? TIRBI_STOP : TIRBI_INTO;
}

static bool may_fail(const tirbi_ls *body) {
    bool fails = false;
    tirbi_walk walk = {.context = &fails, .stmt = find_failure};
    tirbi_walk_stmt(&walk, body);
    return fails;
}

/* Stores, one after the other, and short sums. One nest alone may fail: its iterations stay in their order. */
static bool note_body(tirbi_fused *g, const tirbi_ls *body) {
    const tirbi_accesses all = {.kinds = TIRBI_NESTS, .access = takes_access};
    int64_t left = TIRBI_MAX_WRITTEN_OUT;
    if (!is_short(body, &left)) return false;
    const bool fails = may_fail(body);
    for (uint32_t i = 0; fails && i < g->n; i++)
        if (may_fail(g->bodies[i])) return false;
    return tirbi_note_fused(g, body, all);
}

static bool same_element(const tirbi_fused *g, const tirbi_place *a, const tirbi_place *b) {
    return tirbi_same_place(a, b) && tirbi_tells_all(g->pool, &g->vars, a);
}

/* ---- What stays in variables ------------------------------------------------------------------------------------ */

/* Whether a group accesses a buffer as one element per iteration, stored once, in each of them, and not read before. */
static bool is_handed_on(const tirbi_fused *g, const tirbi_lbuf *buffer) {
    const tirbi_place *stored = NULL;
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const tirbi_reached *a = &g->accesses[i];
        if (a->place->buffer->root != buffer) continue;
        if (a->place->buffer != buffer || !tirbi_is_proven(a->place) || (a->what != TIRBI_LOADS) != !stored)
            return false;
        if (!stored && !a->surely) return false;
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

/* Whether lanes run what became of nests, or less than all of these by themselves: a short sum may be lanes where its
 * loops have been cut at its conditions. */
static bool keeps_lanes(const tirbi_fused *g, const tirbi_ls *nest) {
    if (tirbi_runs_as_lanes(g->pool, nest)) return true;
    for (uint32_t i = 0; i < g->n; i++) {
        const bool sums = tirbi_has_kind(g->bodies[i], TIRBI_KIND(LOOP));
        if (sums && !tirbi_runs_as_lanes(g->pool, g->originals[i])) return true;
    }
    return false;
}

/* Puts the fused nest in the place of the group's first one, `first`, and drops what is not allocated any more, of one
 * nest alone only that. False when nothing was changed. */
static bool replace(tirbi_fused_items *q, const tirbi_fused *g, uint32_t first) {
    const tirbi_ls *body = tirbi_new_sequence(q->pool, g->bodies[0]->span, g->bodies, g->n);
    bool *dropped = TIRBI_NEW_ARRAY(q->pool->arena, bool, q->n), changes = g->n > 1;
    if (!body || !dropped) return false;
    for (uint32_t i = 0; i < q->n; i++) {
        const tirbi_lbuf *buffer = tirbi_is_plain_allocation(q->items[i]) ? q->items[i]->as.alloc.buffer : NULL;
        bool only_here = buffer && is_handed_on(g, buffer) && !tirbi_is_used_elsewhere(q, g, i, buffer);
        const tirbi_ls *kept = only_here ? keep_in_variable(q->pool, body, buffer) : NULL;
        if (!kept) continue;
        body = kept;
        changes = dropped[i] = true;
    }
    const tirbi_ls *nest = changes ? tirbi_in_loops(q->pool, g->loops, g->vars.n, body) : NULL;
    if (!nest || !keeps_lanes(g, nest)) return false;
    tirbi_put_fused(q, g, first, nest, dropped, "");
    return true;
}

/* Whether all nests of a group store to one element, as the first one does. */
static bool store_one(const tirbi_fused *g) {
    const tirbi_place *place = NULL;
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        if (g->accesses[i].what == TIRBI_LOADS) continue;
        if (place && !tirbi_same_place(place, g->accesses[i].place)) return false;
        place = g->accesses[i].place;
    }
    return true;
}

/* Whether a group's short sums, if it has any, can be written out, and the last nest is no instruction by itself. */
static bool writes_out(const tirbi_fused_items *q, const tirbi_fused *g) {
    bool sums = false;
    for (uint32_t i = 0; i < g->n; i++) sums = sums || tirbi_has_kind(g->bodies[i], TIRBI_KIND(LOOP));
    if (!sums) return true;
    const bool contracts = !(q->disabled & TIRB_PASS_CONTRACT) && tirbi_contracts(q->pool, g->originals[g->n - 1]);
    return store_one(g) && !contracts;
}

static void fuse_group(tirbi_fused_items *q, tirbi_fused *g, uint32_t first) {
    if (g->n_common == 0 || g->n_common > TIRBI_MAX_AFFINE || !tirbi_begin_fused(g, q->items[first]) ||
        !writes_out(q, g))
        return;
    uint32_t end = first + 1;
    for (; end < q->n; end++) {
        if (tirbi_is_plain_allocation(q->items[end])) continue;
        if (q->items[end]->kind != TIRBI_LS_LOOP || !tirbi_join_fused(g, q->items[end])) break;
        if (writes_out(q, g)) continue;
        tirbi_keep_fused(g, g->n - 1);
        break;
    }
    if (g->n == 1 && g->bodies[0]->kind == TIRBI_LS_SEQ) replace(q, g, first); /* it has been fused inside */
    if (g->n < 2) return;
    first = tirbi_allocate_before(q, first, end);
    while (g->n >= 2 && !replace(q, g, first)) tirbi_keep_fused(g, g->n / 2); /* too much for one lane loop, perhaps */
}

/* Fuses what follows item `first`, with nothing but allocations between; these may as well come before. */
static void fuse_from(tirbi_fused_items *q, uint32_t first) {
    tirbi_fused *g = q->items[first]->kind == TIRBI_LS_LOOP ? TIRBI_NEW(q->pool->arena, tirbi_fused) : NULL;
    if (!g) return;
    g->pool = q->pool;
    g->takes = note_body;
    g->same = same_element;
    for (const tirbi_ls *s = q->items[first]; s->kind == TIRBI_LS_LOOP; s = s->as.loop.body) g->n_common++;
    fuse_group(q, g, first);
    TIRBI_GIVE_BACK(q->pool->arena, g);
}

typedef struct fusing {
    tirbi_lx_pool *pool;
    uint32_t disabled;
    tirbi_notes *notes;
} fusing;

static const tirbi_ls *fuse_in(void *context, const tirbi_ls *s);

/* The items of a sequence, or a lone nest, rows of which may be done together, too. */
static const tirbi_ls *fuse_items(fusing *f, const tirbi_ls *s, const tirbi_ls *const *items, uint32_t n) {
    tirbi_lx_pool *const pool = f->pool;
    tirbi_fused_items q = {.pool = pool, .n = n, .disabled = f->disabled, .notes = f->notes};
    q.items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, n);
    if (!q.items) return s;
    for (uint32_t i = 0; i < n; i++) q.items[i] = fuse_in(f, items[i]);
    for (uint32_t i = 0; i < q.n && tirbi_arena_may_try(pool->arena); i++) fuse_from(&q, i);
    q.n = tirbi_store_in_place(pool, q.items, q.n);
    q.n = tirbi_fuse_rows(pool, q.items, q.n, f->disabled, f->notes);
    const tirbi_ls *fused = tirbi_new_sequence(pool, s->span, q.items, q.n);
    return fused ? fused : s;
}

static const tirbi_ls *fuse_alone(void *f, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_LOOP ? fuse_items(f, s, &s, 1) : fuse_in(f, s);
}

static const tirbi_ls *fuse_in(void *context, const tirbi_ls *s) {
    fusing *f = context;
    if (s->kind == TIRBI_LS_SEQ) return fuse_items(f, s, s->as.seq.items, s->as.seq.n);
    return tirbi_replace_inside(f->pool, s, s->kind == TIRBI_LS_LOOP ? fuse_in : fuse_alone, f);
}

const tirbi_ls *tirbi_fuse_nests(tirbi_lx_pool *pool, const tirbi_ls *s, uint32_t disabled, tirbi_notes *notes) {
    fusing f = {.pool = pool, .disabled = disabled, .notes = notes};
    return s ? fuse_alone(&f, s) : NULL;
}
