#include "compiler/loop/visit.h"

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

static bool walk_exprs(tirbi_walk *w, const tirbi_lx *const *items, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!tirbi_walk_expr(w, items[i])) return false;
    return true;
}

static bool walk_place(tirbi_walk *w, const tirbi_place *place) {
    const bool indexes = w->indexes, views = w->reach & TIRBI_WALK_VIEWS;
    bool goes_on = true;
    w->indexes = true;
    for (const tirbi_place *p = place; p && goes_on; p = views ? p->view : NULL) {
        for (uint32_t d = 0; d < p->ndim && goes_on; d++)
            goes_on = tirbi_walk_expr(w, p->indices[d]) && (!views || tirbi_walk_expr(w, p->buffer->shape[d]));
        if (goes_on && views && tirbi_has_own_number(p)) goes_on = tirbi_walk_expr(w, p->flat);
    }
    w->indexes = indexes;
    return goes_on;
}

bool tirbi_walk_call(tirbi_walk *w, const tirbi_lcall *call) {
    if (!walk_exprs(w, call->scalars, call->n_scalars)) return false;
    for (uint32_t i = 0; i < call->n_checks; i++)
        if (!tirbi_walk_expr(w, call->checks[i].actual) || !tirbi_walk_expr(w, call->checks[i].expected)) return false;
    for (uint32_t i = 0; i < call->n_refs; i++)
        if (call->refs[i].start && (!walk_place(w, call->refs[i].start) || !tirbi_walk_expr(w, call->refs[i].count)))
            return false;
    return true;
}

/* What is evaluated only where a condition says so. */
static bool walk_guarded(tirbi_walk *w, const tirbi_lx *const *items, uint32_t n) {
    const bool guarded = w->guarded;
    w->guarded = true;
    const bool goes_on = walk_exprs(w, items, n);
    w->guarded = guarded;
    return goes_on;
}

static bool walk_in_expr(tirbi_walk *w, const tirbi_lx *x) {
    switch ((tirbi_lx_kind)x->kind) {
    case TIRBI_LX_LOAD:
        if ((w->reach & TIRBI_WALK_INDICES) && !walk_place(w, x->access)) return false;
        return !w->access || w->access(w, x->access, x);
    case TIRBI_LX_CALL:
        return !(w->reach & TIRBI_WALK_CALLS) || tirbi_walk_call(w, x->call);
    case TIRBI_LX_COND:
    case TIRBI_LX_AND:
    case TIRBI_LX_OR:
        return tirbi_walk_expr(w, x->args[0]) && walk_guarded(w, x->args + 1, x->n_args - 1u);
    default:
        return walk_exprs(w, x->args, x->n_args);
    }
}

bool tirbi_walk_expr(tirbi_walk *w, const tirbi_lx *x) {
    if (!x || (!w->expr && !w->access) || (x->pure && (w->reach & TIRBI_WALK_IMPURE))) return true;
    if (w->deepest && w->depth > w->deepest) return false;
    const tirbi_step step = w->expr ? w->expr(w, x) : TIRBI_INTO;
    if (step != TIRBI_INTO) return step == TIRBI_PAST;
    w->depth++;
    const bool goes_on = walk_in_expr(w, x);
    w->depth--;
    return goes_on;
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

static bool walk_bounds(tirbi_walk *w, const tirbi_lvar *var) {
    return !(w->reach & TIRBI_WALK_BOUNDS) || (tirbi_walk_expr(w, var->min) && tirbi_walk_expr(w, var->extent));
}

/* What a condition decides to come to. */
static bool walk_arms(tirbi_walk *w, const tirbi_ls *a, const tirbi_ls *b) {
    const bool guarded = w->guarded;
    w->guarded = true;
    const bool goes_on = tirbi_walk_stmt(w, a) && tirbi_walk_stmt(w, b);
    w->guarded = guarded;
    return goes_on;
}

/* What is stored is computed ahead of where it goes. */
static bool walk_stored(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *value, const tirbi_lx *factor) {
    if (!tirbi_walk_expr(w, value) || !tirbi_walk_expr(w, factor)) return false;
    if ((w->reach & TIRBI_WALK_STORED) && !walk_place(w, place)) return false;
    return !w->access || w->access(w, place, NULL);
}

static bool walk_tree(tirbi_walk *w, const tirbi_ls *s) {
    for (uint32_t i = 0; i < s->as.tree.n_loops; i++)
        if (!walk_bounds(w, s->as.tree.loops[i])) return false;
    if (!tirbi_walk_stmt(w, s->as.tree.init) || !walk_exprs(w, s->as.tree.lets, s->as.tree.n_lets)) return false;
    for (uint32_t i = 0; i < s->as.tree.n_updates; i++) {
        const tirbi_update *update = &s->as.tree.updates[i];
        if (!walk_stored(w, update->target, update->value, update->factor)) return false;
    }
    return true;
}

static bool walk_allocated(tirbi_walk *w, const tirbi_lbuf *buffer) {
    return !(w->reach & TIRBI_WALK_BOUNDS) ||
           (walk_exprs(w, buffer->shape, buffer->ndim) && tirbi_walk_expr(w, buffer->length));
}

static bool walk_in_stmt(tirbi_walk *w, const tirbi_ls *s) {
    switch ((tirbi_ls_kind)s->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < s->as.seq.n; i++)
            if (!tirbi_walk_stmt(w, s->as.seq.items[i])) return false;
        return true;
    case TIRBI_LS_LOOP:
        return walk_bounds(w, s->as.loop.var) &&
               (!(w->reach & TIRBI_WALK_BOUNDS) || tirbi_walk_expr(w, s->as.loop.step)) &&
               tirbi_walk_stmt(w, s->as.loop.body);
    case TIRBI_LS_IF:
        return tirbi_walk_expr(w, s->as.if_.condition) && walk_arms(w, s->as.if_.then_case, s->as.if_.else_case);
    case TIRBI_LS_WHILE:
        return tirbi_walk_expr(w, s->as.while_.condition) && walk_arms(w, s->as.while_.body, NULL);
    case TIRBI_LS_SEARCH:
        return walk_bounds(w, s->as.search.var) && tirbi_walk_expr(w, s->as.search.condition);
    case TIRBI_LS_STORE:
        return walk_stored(w, s->as.store.access, s->as.store.value, NULL);
    case TIRBI_LS_SET:
        return tirbi_walk_expr(w, s->as.set.value);
    case TIRBI_LS_ALLOC:
        return walk_allocated(w, s->as.alloc.buffer);
    case TIRBI_LS_FETCH:
        return tirbi_walk_expr(w, s->as.fetch.handle);
    case TIRBI_LS_EVAL:
    case TIRBI_LS_RETURN:
        return tirbi_walk_expr(w, s->as.eval.value);
    case TIRBI_LS_ASSERT:
        return tirbi_walk_expr(w, s->as.assert_.condition);
    case TIRBI_LS_BREAK:
    case TIRBI_LS_CONTINUE:
        return true;
    case TIRBI_LS_TREE:
        return walk_tree(w, s);
    }
    return false;
}

bool tirbi_walk_stmt(tirbi_walk *w, const tirbi_ls *s) {
    if (!s) return true;
    if ((w->kinds && !(w->kinds >> s->kind & 1)) || (w->deepest && w->level > w->deepest)) return false;
    const tirbi_ls *around = w->at;
    w->at = s;
    const tirbi_step step = w->stmt ? w->stmt(w, s) : TIRBI_INTO;
    bool goes_on = step != TIRBI_STOP;
    if (step == TIRBI_INTO) {
        w->level++;
        goes_on = walk_in_stmt(w, s);
        w->level--;
    }
    w->at = around;
    return goes_on;
}

/* ---- Questions -------------------------------------------------------------------------------------------------- */

typedef struct tests {
    tirbi_lx_test *expr;
    tirbi_ls_test *stmt;
    const void *context;
} tests;

static tirbi_step test_expr(tirbi_walk *w, const tirbi_lx *x) {
    const tests *t = w->context;
    return t->expr(t->context, x) ? TIRBI_STOP : TIRBI_INTO;
}

static tirbi_step test_stmt(tirbi_walk *w, const tirbi_ls *s) {
    const tests *t = w->context;
    return t->stmt(t->context, s) ? TIRBI_STOP : TIRBI_INTO;
}

bool tirbi_any_expr(const tirbi_lx *x, unsigned reach, tirbi_lx_test *test, const void *context) {
    tests t = {.expr = test, .context = context};
    tirbi_walk walk = {.context = &t, .expr = test_expr, .reach = (uint8_t)reach};
    return !tirbi_walk_expr(&walk, x);
}

bool tirbi_any_stmt(const tirbi_ls *s, tirbi_ls_test *test, const void *context) {
    tests t = {.stmt = test, .context = context};
    tirbi_walk walk = {.context = &t, .stmt = test_stmt};
    return !tirbi_walk_stmt(&walk, s);
}

bool tirbi_any_value(const tirbi_ls *s, unsigned reach, tirbi_lx_test *test, const void *context) {
    tests t = {.expr = test, .context = context};
    tirbi_walk walk = {.context = &t, .expr = test_expr, .reach = (uint8_t)reach};
    return !tirbi_walk_stmt(&walk, s);
}

typedef struct counting {
    tests tests;
    uint32_t n;
} counting;

static tirbi_step count_node(tirbi_walk *w, const tirbi_lx *x) {
    counting *c = w->context;
    c->n += c->tests.expr(c->tests.context, x);
    return TIRBI_INTO;
}

uint32_t tirbi_count_expr(const tirbi_lx *x, unsigned reach, tirbi_lx_test *test, const void *context) {
    counting c = {.tests = {.expr = test, .context = context}};
    tirbi_walk walk = {.context = &c, .expr = count_node, .reach = (uint8_t)reach};
    tirbi_walk_expr(&walk, x);
    return c.n;
}

static bool is_one_of(const void *kinds, const tirbi_ls *s) { return *(const uint32_t *)kinds >> s->kind & 1; }

bool tirbi_has_kind(const tirbi_ls *s, uint32_t kinds) { return tirbi_any_stmt(s, is_one_of, &kinds); }

bool tirbi_is_made_of(const tirbi_ls *s, uint32_t kinds) { return !tirbi_has_kind(s, ~kinds); }

static tirbi_step find_break(tirbi_walk *w, const tirbi_ls *s) {
    (void)w;
    if (s->kind == TIRBI_LS_BREAK) return TIRBI_STOP;
    return s->kind == TIRBI_LS_LOOP || s->kind == TIRBI_LS_WHILE ? TIRBI_PAST : TIRBI_INTO;
}

bool tirbi_leaves_loop(const tirbi_ls *body) {
    tirbi_walk walk = {.stmt = find_break};
    return !tirbi_walk_stmt(&walk, body);
}

static bool is_set_of(const void *var, const tirbi_ls *s) {
    for (uint32_t i = 0; s->kind == TIRBI_LS_TREE && i < s->as.tree.n_updates; i++)
        if (s->as.tree.updates[i].target->buffer->local == var) return true;
    return s->kind == TIRBI_LS_SET && s->as.set.var == var;
}

bool tirbi_sets(const tirbi_ls *s, const tirbi_lvar *var) { return tirbi_any_stmt(s, is_set_of, var); }

static bool is_store_to(const void *root, const tirbi_ls *s) {
    for (uint32_t i = 0; s->kind == TIRBI_LS_TREE && i < s->as.tree.n_updates; i++)
        if (tirbi_may_meet(s->as.tree.updates[i].target->buffer->root, root)) return true;
    return s->kind == TIRBI_LS_STORE && tirbi_may_meet(s->as.store.access->buffer->root, root);
}

bool tirbi_stores_to(const tirbi_ls *s, const tirbi_lbuf *root) { return tirbi_any_stmt(s, is_store_to, root); }

typedef struct names {
    tirbi_lvar *const *vars;
    uint32_t n;
} names;

static bool is_named(const void *context, const tirbi_lx *x) {
    const names *all = context;
    for (uint32_t i = 0; x->kind == TIRBI_LX_VAR && i < all->n; i++)
        if (all->vars[i] == x->var) return true;
    return x->kind == TIRBI_LX_CALL;
}

bool tirbi_names(const tirbi_ls *s, tirbi_lvar *const *vars, uint32_t n) {
    const names all = {vars, n};
    return tirbi_any_value(s, TIRBI_WALK_ALL, is_named, &all);
}

bool tirbi_is_call(const void *nothing, const tirbi_lx *x) {
    (void)nothing;
    return x->kind == TIRBI_LX_CALL;
}

tirbi_step tirbi_stop_at_call(tirbi_walk *walk, const tirbi_lx *x) {
    (void)walk;
    return x->kind == TIRBI_LX_CALL ? TIRBI_STOP : TIRBI_INTO;
}

bool tirbi_is_load_from(const void *buffer, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_LOAD && x->access->buffer == buffer;
}

bool tirbi_is_var(const void *var, const tirbi_lx *x) { return x->kind == TIRBI_LX_VAR && x->var == var; }

typedef struct counted {
    uint32_t kinds, n;
} counted;

static tirbi_step count_one(tirbi_walk *w, const tirbi_ls *s) {
    counted *c = w->context;
    c->n += c->kinds >> s->kind & 1;
    return TIRBI_INTO;
}

uint32_t tirbi_count_kind(const tirbi_ls *s, uint32_t kinds) {
    counted c = {.kinds = kinds};
    tirbi_walk walk = {.context = &c, .stmt = count_one};
    tirbi_walk_stmt(&walk, s);
    return c.n;
}

static tirbi_step count_stmt(tirbi_walk *w, const tirbi_ls *s) {
    (void)s;
    ++*(int64_t *)w->context;
    return TIRBI_INTO;
}

static tirbi_step count_expr(tirbi_walk *w, const tirbi_lx *x) {
    (void)x;
    ++*(int64_t *)w->context;
    return TIRBI_INTO;
}

int64_t tirbi_count_nodes(const tirbi_ls *s) {
    int64_t n = 0;
    tirbi_walk walk = {.context = &n, .stmt = count_stmt, .expr = count_expr, .reach = TIRBI_WALK_INDICES};
    tirbi_walk_stmt(&walk, s);
    return n;
}
