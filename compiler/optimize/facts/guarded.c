#include "compiler/optimize/facts/guarded.h"

#include "compiler/loop/visit.h"

/* Where code stands: in how many loops, and how many of these have iterations that may not come there. */
typedef struct position {
    uint16_t loops, guard;
} position;

static void mark_place(const tirbi_place *place, position at);

static position guard(position at) { return (position){.loops = at.loops, .guard = at.loops}; }

static position inside(position at) {
    at.loops = (uint16_t)(at.loops < UINT16_MAX ? at.loops + 1 : at.loops);
    return at;
}

static void mark_value(const tirbi_lx *x, position at) {
    const bool chosen = x->kind == TIRBI_LX_COND || x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR;
    if (x->kind == TIRBI_LX_LOAD) mark_place(x->access, at);
    for (uint32_t i = 0; x->kind == TIRBI_LX_CALL && i < x->call->n_scalars; i++) mark_value(x->call->scalars[i], at);
    for (uint32_t i = 0; x->kind == TIRBI_LX_CALL && i < x->call->n_refs; i++)
        if (x->call->refs[i].start) mark_place(x->call->refs[i].start, at);
    for (int i = 0; i < x->n_args; i++) mark_value(x->args[i], chosen && i > 0 ? guard(at) : at);
}

static void mark_place(const tirbi_place *place, position at) {
    for (tirbi_place *v = (tirbi_place *)(uintptr_t)place; v; v = (tirbi_place *)(uintptr_t)v->view) {
        if (at.guard > v->guard) v->guard = at.guard;
        for (uint32_t d = 0; d < v->ndim; d++) mark_value(v->indices[d], at);
    }
}

static bool moves(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_VAR ? x->var->kind != TIRBI_LVAR_PARAM
                                   : x->kind == TIRBI_LX_LOAD || x->kind == TIRBI_LX_CALL;
}

/* Whether a loop in others has the same iterations in each of theirs. */
static bool stands_still(const tirbi_lx *extent) { return !tirbi_any_expr(extent, 0, moves, NULL); }

static bool mark(const tirbi_ls *s, position at);

/* What ends some iteration, or all of them, keeps others from coming to any place in the loop. */
static bool mark_body(const tirbi_ls *body, position at) {
    at = inside(at);
    const bool leaves = mark(body, at);
    if (leaves && at.guard < at.loops) mark(body, guard(at));
    return leaves;
}

/* Where the loop's body stands, but for the loop itself. */
static position mark_bounds(tirbi_lvar *var, position at) {
    mark_value(var->min, at);
    mark_value(var->extent, at);
    var->level = inside(at).loops;
    return stands_still(var->extent) ? at : guard(at);
}

static bool mark_tree(const tirbi_ls *s, position at) {
    bool leaves = false;
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++) {
        at = inside(mark_bounds(s->as.tree.loops[i], at));
    }
    if (s->as.tree.init) leaves = mark(s->as.tree.init, at);
    for (uint32_t i = 0; i < s->as.tree.n_lets; i++) mark_value(s->as.tree.lets[i], at);
    for (uint32_t i = 0; i < s->as.tree.n_updates; i++) {
        const tirbi_update *u = &s->as.tree.updates[i];
        mark_place(u->target, at);
        mark_value(u->value, at);
        if (u->factor) mark_value(u->factor, at);
    }
    return leaves;
}

static bool mark_choice(const tirbi_ls *s, position at) {
    /* The first iteration of the loops of a reduction comes to what begins it. */
    const position chosen = s->as.if_.first_of ? at : guard(at);
    mark_value(s->as.if_.condition, at);
    const bool leaves = mark(s->as.if_.then_case, chosen);
    return (s->as.if_.else_case && mark(s->as.if_.else_case, guard(at))) || leaves;
}

/* Whether something in it ends an iteration. */
static bool mark(const tirbi_ls *s, position at) {
    bool leaves = false;
    switch ((tirbi_ls_kind)s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++) leaves = mark(s->as.seq.items[i], at) || leaves;
        return leaves;
    case TIRBI_LS_LOOP:
        return mark_body(s->as.loop.body, mark_bounds(s->as.loop.var, at));
    case TIRBI_LS_IF:
        return mark_choice(s, at);
    case TIRBI_LS_WHILE:
        at = guard(at);
        mark_value(s->as.while_.condition, at);
        return mark_body(s->as.while_.body, at);
    case TIRBI_LS_SEARCH:
        mark_value(s->as.search.condition, guard(at));
        return false;
    case TIRBI_LS_STORE:
        mark_value(s->as.store.value, at);
        mark_place(s->as.store.access, at);
        return false;
    case TIRBI_LS_SET:
        mark_value(s->as.set.value, at);
        return false;
    case TIRBI_LS_FETCH:
        mark_value(s->as.fetch.handle, at);
        return false;
    case TIRBI_LS_EVAL:
        mark_value(s->as.eval.value, at);
        return false;
    case TIRBI_LS_ASSERT:
        mark_value(s->as.assert_.condition, at);
        return false;
    case TIRBI_LS_TREE:
        return mark_tree(s, at);
    case TIRBI_LS_RETURN:
        if (s->as.eval.value) mark_value(s->as.eval.value, at);
        return true;
    case TIRBI_LS_BREAK:
    case TIRBI_LS_CONTINUE:
        return true;
    case TIRBI_LS_ALLOC:
        return false;
    }
    return false;
}

void tirbi_find_guarded(const tirbi_ls *body) { mark(body, (position){.loops = 0}); }

static tirbi_step stay_outside(tirbi_walk *w, const tirbi_ls *s) {
    (void)w;
    return s->kind == TIRBI_LS_LOOP ? TIRBI_PAST : TIRBI_INTO;
}

static bool reach(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    const uint16_t *most = w->context;
    (void)load;
    for (tirbi_place *v = (tirbi_place *)(uintptr_t)place; v && !w->guarded; v = (tirbi_place *)(uintptr_t)v->view)
        if (v->guard > *most) v->guard = *most;
    return true;
}

void tirbi_reach_places(const tirbi_ls *body, const tirbi_lvar *loop) {
    uint16_t most = (uint16_t)(loop->level - 1);
    tirbi_walk walk = {.context = &most, .stmt = stay_outside, .access = reach, .reach = TIRBI_WALK_PLACES};
    if (loop->level > 0) tirbi_walk_stmt(&walk, body);
}
