#include "compiler/optimize/normalise/bounds.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/predicates.h"
#include "compiler/optimize/rewriting/guards.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_AROUND = 16 };

typedef struct bounder {
    tirbi_lx_pool *pool;
    const tirbi_ls *around[MAX_AROUND]; /* the loops that are being looked into */
    uint32_t n_around;
    tirbi_lvar *var;           /* of the loop that is being bounded */
    const tirbi_lx *term;      /* the one that bounds it */
    const tirbi_lx *from, *to; /* the iterations in which it holds: the first, or the one behind the last; or NULL */
} bounder;

/* Whether a term says from which iteration on, or up to which, it holds. */
static bool bounds_loop(void *context, const tirbi_lx *x) {
    bounder *b = context;
    const tirbi_loop_set loop = {.var = {b->var}, .n = 1};
    if (b->term) return x == b->term;
    if (x->op == TIRB_OP_EQ || !tirbi_iterations_where(b->pool, x, &loop, &b->from, &b->to)) return false;
    b->term = x;
    return true;
}

/* Whether a loop that the term does not name steps through what the body stores. */
typedef struct lane_search {
    const bounder *b;
    const tirbi_ls *body;
} lane_search;

static bool tells_lanes(const void *context, const tirbi_ls *s) {
    const lane_search *l = context;
    return s->kind == TIRBI_LS_LOOP && !tirbi_lx_depends_on(l->b->term, s->as.loop.var) &&
           s->as.loop.var != l->b->var && tirbi_names(l->body, &s->as.loop.var, 1);
}

static tirbi_step find_store(tirbi_walk *w, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_STORE && tirbi_place_depends_on(s->as.store.access, w->context) ? TIRBI_STOP
                                                                                               : TIRBI_INTO;
}

static bool is_stored_by(const tirbi_ls *body, tirbi_lvar *var) {
    tirbi_walk walk = {.context = var, .stmt = find_store};
    return !tirbi_walk_stmt(&walk, body);
}

static bool leaves_lanes(const bounder *b, const tirbi_ls *body) {
    const lane_search search = {.b = b, .body = body};
    for (uint32_t i = 0; i < b->n_around; i++)
        if (tells_lanes(&search, b->around[i]) && is_stored_by(body, b->around[i]->as.loop.var)) return true;
    return tirbi_any_stmt(body, tells_lanes, &search);
}

/* The loop's variable with the iterations in which the term holds. */
static tirbi_lvar *bounded(const bounder *b) {
    const tirbi_lvar *old = b->var;
    const tirbi_lx *zero = tirbi_lx_number(b->pool, 0);
    const tirbi_lx *first = b->from ? tirbi_lx_wide(b->pool, TIRB_OP_MAX, b->from, zero) : zero;
    const tirbi_lx *end = b->to ? tirbi_lx_wide(b->pool, TIRB_OP_MIN, b->to, old->extent) : old->extent;
    if (old->extent->lo < -1)
        end = tirbi_lx_wide(b->pool, TIRB_OP_MAX, end, zero); /* so that the difference does not wrap */
    tirbi_lvar *var = tirbi_part_variable(b->pool, old, first, end);
    if (var) var->extent = tirbi_lx_wide(b->pool, TIRB_OP_MAX, var->extent, zero);
    return var && var->extent ? var : NULL;
}

/* A loop with bounds that one term of its body's conditions gives; NULL: none does. */
static const tirbi_ls *bound_loop(bounder *b, const tirbi_ls *loop) {
    const tirbi_ls *body = loop->as.loop.body;
    tirbi_lvar *old = b->var = loop->as.loop.var;
    const tirbi_loop_set one = {.var = {old}, .n = 1};
    tirbi_guards guards = {.pool = b->pool, .takes = bounds_loop, .context = b};
    b->term = NULL;
    if (!tirbi_is_plain_loop(loop) || !tirbi_lx_is_int(old->min, 0)) return NULL;
    body = tirbi_without_guard(&guards, body);
    if (!body || !b->term || !tirbi_may_recount(body, &one) || !leaves_lanes(b, body))
        return NULL;
    tirbi_lvar *var = bounded(b);
    const tirbi_lx *number = tirbi_lx_var(b->pool, var);
    return tirbi_loop_like(b->pool, loop, var, tirbi_recount(b->pool, body, old, var, number));
}

static const tirbi_ls *bound_all(void *context, const tirbi_ls *s) {
    bounder *b = context;
    if (s->kind != TIRBI_LS_LOOP) return tirbi_replace_inside(b->pool, s, bound_all, b);
    if (b->n_around == MAX_AROUND) return s;
    for (const tirbi_ls *made = s; made; made = bound_loop(b, s)) {
        s = made;
        if (s->kind != TIRBI_LS_LOOP) return tirbi_replace_inside(b->pool, s, bound_all, b);
    }
    b->around[b->n_around++] = s;
    s = tirbi_replace_inside(b->pool, s, bound_all, b);
    b->n_around--;
    return s;
}

const tirbi_ls *tirbi_bound_loops(tirbi_lx_pool *pool, const tirbi_ls *body) {
    bounder b = {.pool = pool};
    return bound_all(&b, body);
}
