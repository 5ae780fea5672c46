#include "compiler/optimize/analysis/access.h"

#include "compiler/optimize/facts/affine.h"

static bool refuse(tirbi_accesses *out, tirbi_refusal why) {
    out->refused = why;
    return false;
}

/* Adds the variable to a set that is asked for. */
static bool add_variable(tirbi_accesses *out, tirbi_loop_set *set, tirbi_lvar *var) {
    if (!set) return true;
    if (set->n == TIRBI_MAX_AFFINE) return refuse(out, TIRBI_REFUSES_MANY);
    set->var[set->n++] = var;
    return true;
}

static bool is_plain(const tirbi_ls *loop) {
    return !loop->as.loop.step && !loop->as.loop.blocks && !loop->as.loop.rows;
}

static bool takes_stmt(tirbi_accesses *out, const tirbi_ls *s) {
    const uint32_t kinds = out->kinds ? out->kinds : TIRBI_STRAIGHT;
    if (!(kinds >> s->kind & 1)) return refuse(out, TIRBI_REFUSES_STATEMENT);
    if (s->kind == TIRBI_LS_LOOP && !is_plain(s) && !(out->rules & TIRBI_TAKE_STEPS))
        return refuse(out, TIRBI_REFUSES_LOOP);
    if (s->kind == TIRBI_LS_LOOP && !add_variable(out, out->loops, s->as.loop.var)) return false;
    if (s->kind == TIRBI_LS_SET && !add_variable(out, out->sets, s->as.set.var)) return false;
    return !out->stmt || out->stmt(out->context, s) || refuse(out, TIRBI_REFUSES_CALLER);
}

static tirbi_step come_to_stmt(tirbi_walk *w, const tirbi_ls *s) {
    return takes_stmt(w->context, s) ? TIRBI_INTO : TIRBI_STOP;
}

static tirbi_step come_to_value(tirbi_walk *w, const tirbi_lx *x) {
    tirbi_accesses *out = w->context;
    const bool calls = x->kind == TIRBI_LX_CALL && !(out->rules & TIRBI_TAKE_CALLS);
    const bool assigned = x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL;
    if (calls)
        refuse(out, TIRBI_REFUSES_CALL);
    else if (assigned && (out->rules & TIRBI_NO_VARIABLES))
        refuse(out, TIRBI_REFUSES_VARIABLE);
    else if (out->value && !out->value(out->context, x))
        refuse(out, TIRBI_REFUSES_CALLER);
    else
        return TIRBI_INTO;
    return TIRBI_STOP;
}

/* Whether a store gives an element what it held, and one operation more. */
static bool updates(const tirbi_ls *s) {
    const tirbi_lx *x = s->kind == TIRBI_LS_STORE ? s->as.store.value : NULL;
    for (int i = 0; x && x->kind == TIRBI_LX_OP && i < x->n_args; i++)
        if (x->args[i]->kind == TIRBI_LX_LOAD && tirbi_same_place(x->args[i]->access, s->as.store.access)) return true;
    return s->kind == TIRBI_LS_TREE;
}

static bool come_to_place(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    tirbi_accesses *out = w->context;
    if (place->view && !(out->rules & TIRBI_TAKE_VIEWS)) return refuse(out, TIRBI_REFUSES_VIEW);
    if (!out->access && !out->item) return true;
    const tirbi_reached_how what = load ? TIRBI_LOADS : updates(w->at) ? TIRBI_UPDATES : TIRBI_STORES;
    const tirbi_reached access = {.place = place,
                                  .stmt = w->at,
                                  .part = out->part,
                                  .what = (uint8_t)what,
                                  .surely = !w->guarded,
                                  .traps = load && load->traps};
    if (out->access && !out->access(out->context, &access)) return refuse(out, TIRBI_REFUSES_CALLER);
    if (!out->item) return true;
    if (out->n == out->most) return refuse(out, TIRBI_REFUSES_MANY);
    out->item[out->n++] = access;
    return true;
}

static tirbi_walk walk_of(tirbi_accesses *out) {
    out->refused = TIRBI_REFUSES_NOTHING;
    return (tirbi_walk){.context = out,
                        .stmt = come_to_stmt,
                        .expr = come_to_value,
                        .access = come_to_place,
                        .deepest = out->deepest,
                        .reach = TIRBI_WALK_PLACES | TIRBI_WALK_BOUNDS | (out->value ? 0 : TIRBI_WALK_IMPURE)};
}

/* Only a depth stops the walk without having said so. */
static bool ended(tirbi_accesses *out, bool whole) {
    if (!whole && out->refused == TIRBI_REFUSES_NOTHING) out->refused = TIRBI_REFUSES_DEPTH;
    return whole;
}

bool tirbi_find_accesses(tirbi_accesses *out, const tirbi_ls *stmt) {
    tirbi_walk walk = walk_of(out);
    return ended(out, tirbi_walk_stmt(&walk, stmt));
}

bool tirbi_find_accesses_of(tirbi_accesses *out, const tirbi_lx *value) {
    tirbi_walk walk = walk_of(out);
    return ended(out, tirbi_walk_expr(&walk, value));
}

static tirbi_step note_root(tirbi_walk *w, const tirbi_ls *s) {
    tirbi_roots *out = w->context;
    if (s->kind != TIRBI_LS_STORE) return TIRBI_INTO;
    if (out->n == TIRBI_MAX_ROOTS) return TIRBI_STOP;
    out->item[out->n++] = s->as.store.access->buffer->root;
    return TIRBI_PAST;
}

bool tirbi_find_stored(tirbi_roots *out, const tirbi_ls *stmt, uint32_t most) {
    tirbi_walk walk = {.context = out, .stmt = note_root};
    return tirbi_walk_stmt(&walk, stmt) && out->n <= most;
}

bool tirbi_is_among(const tirbi_roots *roots, const tirbi_lbuf *root) {
    for (uint32_t i = 0; i < roots->n; i++)
        if (tirbi_may_meet(roots->item[i], root)) return true;
    return false;
}

static tirbi_step add_to(tirbi_loop_set *out, tirbi_lvar *var) {
    if (var && out->n == TIRBI_MAX_AFFINE) return TIRBI_STOP;
    if (var) out->var[out->n++] = var;
    return TIRBI_INTO;
}

static tirbi_step note_variable(tirbi_walk *w, const tirbi_ls *s) {
    return add_to(w->context, s->kind == TIRBI_LS_SET    ? s->as.set.var
                              : s->kind == TIRBI_LS_LOOP ? s->as.loop.var
                                                         : NULL);
}

static tirbi_step note_loop(tirbi_walk *w, const tirbi_ls *s) {
    return add_to(w->context, s->kind == TIRBI_LS_LOOP ? s->as.loop.var : NULL);
}

bool tirbi_find_loops(tirbi_loop_set *out, const tirbi_ls *stmt) {
    tirbi_walk walk = {.context = out, .stmt = note_loop};
    return tirbi_walk_stmt(&walk, stmt);
}

bool tirbi_find_variables(tirbi_loop_set *out, const tirbi_ls *stmt, uint32_t kinds) {
    tirbi_walk walk = {.context = out, .stmt = note_variable, .kinds = kinds};
    return tirbi_walk_stmt(&walk, stmt);
}

typedef struct nest {
    const tirbi_roots *stored;
    const tirbi_loop_set *loops, *own;
} nest;

static bool is_touched(const void *context, const tirbi_lx *x) {
    const nest *n = context;
    if (x->kind == TIRBI_LX_VAR) return x->var->kind == TIRBI_LVAR_LOCAL || (n->own && tirbi_mentions_loops(x, n->own));
    if (x->kind != TIRBI_LX_LOAD) return x->kind == TIRBI_LX_CALL;
    const tirbi_lbuf *b = x->access->buffer;
    for (uint32_t d = 0; d < b->ndim; d++)
        if (tirbi_depends_on_loops(b->shape[d], n->loops)) return true;
    return x->access->view || b->source || b->broadcasts || b->local || tirbi_buffer_moves(b, n->loops) ||
           tirbi_is_among(n->stored, b->root);
}

bool tirbi_is_left_alone(const tirbi_lx *x, const tirbi_roots *stored, const tirbi_loop_set *loops,
                         const tirbi_loop_set *own) {
    const nest n = {stored, loops, own};
    return !tirbi_any_expr(x, TIRBI_WALK_INDICES | TIRBI_WALK_VIEWS, is_touched, &n);
}

bool tirbi_is_proven(const tirbi_place *place) {
    for (uint32_t d = 0; d < place->ndim; d++)
        if (!tirbi_dim_proven(place, d)) return false;
    return true;
}

bool tirbi_is_surely_inside(const tirbi_place *place) {
    return tirbi_is_proven(place) && tirbi_has_whole_extents(place->buffer);
}

bool tirbi_stands_still(const tirbi_place *place, const tirbi_loop_set *set) {
    if (place->view || !place->flat->pure || tirbi_mentions_loops(place->flat, set)) return false;
    for (uint32_t d = 0; d < place->ndim; d++)
        if (!place->indices[d]->pure || tirbi_mentions_loops(place->indices[d], set)) return false;
    return true;
}

static tirbi_step is_safe(tirbi_walk *w, const tirbi_lx *x) {
    (void)w;
    return x->traps ? TIRBI_STOP : TIRBI_PAST;
}

static bool is_safe_store(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    (void)w;
    return load || tirbi_is_surely_inside(place);
}

bool tirbi_cannot_fail(const tirbi_ls *stmt) {
    tirbi_walk walk = {.expr = is_safe, .access = is_safe_store, .reach = TIRBI_WALK_PLACES | TIRBI_WALK_BOUNDS};
    return tirbi_walk_stmt(&walk, stmt);
}

enum { FAILS_OUTSIDE = 1, FAILS_TO_DIVIDE = 2, FAILS_TO_ASSERT = 4, FAILS_OTHERWISE = 8, FAILS_IN_MANY_WAYS = 15 };
enum { MAX_DIVISORS = 8 };

typedef struct failures {
    tirbi_loop_set changes; /* variables of loops, and those that are set */
    bool are_known;         /* all of these */
    bool uncertain;         /* what is come to now, the first iteration might not */
    uint32_t ways;
    const tirbi_lx *settled[MAX_DIVISORS]; /* divisors that are 0 in the first division or never */
    uint32_t n_settled;
} failures;

/* Whether nothing that a statement does changes a value. */
static bool is_steady(const failures *f, const tirbi_lx *x) {
    return f->are_known && x->pure && !x->traps && !tirbi_mentions_loops(x, &f->changes);
}

/* Whether a division fails in the first iteration or in none, before all else that may fail there. */
static bool is_settled(failures *f, const tirbi_walk *w, const tirbi_lx *divisor) {
    for (uint32_t i = 0; i < f->n_settled; i++)
        if (f->settled[i] == divisor) return true;
    if (f->ways || w->guarded || f->uncertain || f->n_settled == MAX_DIVISORS || !is_steady(f, divisor)) return false;
    f->settled[f->n_settled++] = divisor;
    return true;
}

static tirbi_step note_failing_value(tirbi_walk *w, const tirbi_lx *x) {
    failures *f = w->context;
    if (!x->traps) return TIRBI_PAST;
    if (x->kind == TIRBI_LX_CALL) f->ways |= FAILS_IN_MANY_WAYS;
    if (!tirbi_lx_may_divide_by_zero(x)) return TIRBI_INTO;
    if (!tirbi_walk_expr(w, x->args[0]) || !tirbi_walk_expr(w, x->args[1])) return TIRBI_STOP;
    if (!is_settled(f, w, x->args[1])) f->ways |= FAILS_TO_DIVIDE;
    return TIRBI_PAST;
}

static tirbi_step note_failing_stmt(tirbi_walk *w, const tirbi_ls *s) {
    failures *f = w->context;
    if (s->kind == TIRBI_LS_ASSERT) f->ways |= FAILS_TO_ASSERT;
    if (s->kind == TIRBI_LS_ALLOC || s->kind == TIRBI_LS_FETCH) f->ways |= FAILS_OTHERWISE;
    if (s->kind != TIRBI_LS_LOOP) {
        f->uncertain = f->uncertain || !(TIRBI_STRAIGHT >> s->kind & 1);
        return TIRBI_INTO;
    }
    if (s->as.loop.step && s->as.loop.step->lo < 1) f->ways |= FAILS_OTHERWISE;
    f->uncertain = f->uncertain || !is_steady(f, s->as.loop.var->extent);
    return TIRBI_INTO;
}

static bool note_failing_place(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    failures *f = w->context;
    if (load ? load->traps : !tirbi_is_surely_inside(place))
        f->ways |= FAILS_OUTSIDE;
    for (const tirbi_place *view = place->view; view; view = view->view)
        for (uint32_t d = 0; d < view->ndim; d++)
            if (!tirbi_walk_expr(w, view->indices[d])) return false;
    return true;
}

/* Extents were computed where their buffers began. */
bool tirbi_fails_alike(const tirbi_ls *stmt) {
    failures f = {.ways = 0};
    tirbi_walk walk = {.context = &f,
                       .stmt = note_failing_stmt,
                       .expr = note_failing_value,
                       .access = note_failing_place,
                       .reach = TIRBI_WALK_ALL & ~TIRBI_WALK_VIEWS};
    f.are_known = tirbi_find_variables(&f.changes, stmt, 0);
    return tirbi_walk_stmt(&walk, stmt) && (f.ways & (f.ways - 1)) == 0;
}

const tirbi_place *tirbi_first_stored(const tirbi_reached *all, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (all[i].what != TIRBI_LOADS) return all[i].place;
    return NULL;
}

bool tirbi_is_written(const tirbi_accesses *all, const tirbi_lbuf *root) {
    for (uint32_t i = 0; i < all->n; i++)
        if (all->item[i].what != TIRBI_LOADS && tirbi_may_meet(all->item[i].place->buffer->root, root)) return true;
    return false;
}

const tirbi_ls *tirbi_perfect_nest(const tirbi_ls *s, uint32_t most, const tirbi_ls **loops, tirbi_loop_set *vars) {
    for (vars->n = 0; s->kind == TIRBI_LS_LOOP && vars->n < most; s = s->as.loop.body) {
        if (s->as.loop.step || s->as.loop.blocks || s->as.loop.rows) break;
        const tirbi_lx *bounds[] = {s->as.loop.var->min, s->as.loop.var->extent};
        for (int i = 0; i < 2; i++)
            if (!bounds[i]->pure || bounds[i]->traps || tirbi_mentions_loops(bounds[i], vars)) return s;
        loops[vars->n] = s;
        vars->var[vars->n++] = s->as.loop.var;
    }
    return s;
}

/* ---- Uses of memory --------------------------------------------------------------------------------------------- */

static bool is_elsewhere(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    (void)load;
    for (const tirbi_place *v = place; v; v = v->view)
        if (tirbi_may_meet(v->buffer->root, w->context)) return false;
    return true;
}

static tirbi_step find_passed(tirbi_walk *w, const tirbi_lx *x) {
    for (uint32_t i = 0; x->kind == TIRBI_LX_CALL && i < x->call->n_refs; i++)
        if (tirbi_may_meet(x->call->refs[i].buffer->root, w->context)) return TIRBI_STOP;
    return TIRBI_INTO;
}

static tirbi_step find_allocated(tirbi_walk *w, const tirbi_ls *s) {
    const bool hides = s->kind == TIRBI_LS_SEARCH || s->kind == TIRBI_LS_FETCH;
    return hides || (s->kind == TIRBI_LS_ALLOC && s->as.alloc.buffer->root == w->context) ? TIRBI_STOP : TIRBI_INTO;
}

bool tirbi_statement_uses(const tirbi_ls *s, const tirbi_lbuf *root) {
    tirbi_walk walk = {.context = (void *)(uintptr_t)root,
                       .stmt = find_allocated,
                       .expr = find_passed,
                       .access = is_elsewhere,
                       .reach = TIRBI_WALK_ALL};
    return !tirbi_walk_stmt(&walk, s);
}

bool tirbi_is_plain_allocation(const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_ALLOC || s->as.alloc.buffer->root != s->as.alloc.buffer) return false;
    for (uint32_t d = 0; d < s->as.alloc.buffer->ndim; d++) {
        const tirbi_lx *extent = s->as.alloc.buffer->shape[d];
        if (!extent->pure || extent->traps || extent->lo < 0) return false;
    }
    return true;
}
