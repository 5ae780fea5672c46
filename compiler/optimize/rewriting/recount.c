#include "compiler/optimize/rewriting/recount.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/affine.h"

/* ---- What may be written anew ----------------------------------------------------------------------------------- */

static bool depends(const tirbi_lbuf *buffer, const tirbi_loop_set *counters) {
    for (const tirbi_lbuf *b = buffer; b; b = b->source) {
        if (tirbi_buffer_moves(b, counters)) return true;
        for (uint32_t d = 0; d < b->ndim; d++)
            if (tirbi_mentions_loops(b->shape[d], counters)) return true;
        for (uint32_t d = 0; b->source && d < b->source->ndim; d++)
            if (tirbi_mentions_loops(b->source_mins[d], counters)) return true;
    }
    return false;
}

static bool is_counter(const void *counters, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_VAR && tirbi_mentions_loops(x, counters);
}

static bool is_bounded_by(const tirbi_lvar *var, const tirbi_loop_set *counters) {
    const tirbi_lx *bounds[] = {var->min, var->extent, var->below};
    for (uint32_t i = 0; i < 3; i++)
        if (tirbi_any_expr(bounds[i], TIRBI_WALK_INDICES, is_counter, counters)) return true;
    return false;
}

static tirbi_step check_stmt(tirbi_walk *w, const tirbi_ls *s) {
    bool fails = s->kind == TIRBI_LS_SEARCH || s->kind == TIRBI_LS_FETCH;
    if (s->kind == TIRBI_LS_LOOP) fails = is_bounded_by(s->as.loop.var, w->context);
    if (s->kind == TIRBI_LS_ALLOC) fails = depends(s->as.alloc.buffer, w->context);
    for (uint32_t i = 0; s->kind == TIRBI_LS_TREE && i < s->as.tree.n_loops; i++)
        fails = fails || is_bounded_by(s->as.tree.loops[i], w->context);
    return fails ? TIRBI_STOP : TIRBI_INTO;
}

static tirbi_step check_value(tirbi_walk *w, const tirbi_lx *x) {
    (void)w;
    return x->kind == TIRBI_LX_CALL ? TIRBI_STOP : TIRBI_INTO;
}

static bool check_place(tirbi_walk *w, const tirbi_place *place, const tirbi_lx *load) {
    (void)load;
    for (const tirbi_place *v = place; v; v = v->view)
        if (depends(v->buffer, w->context)) return false;
    return true;
}

bool tirbi_may_recount(const tirbi_ls *body, const tirbi_loop_set *counters) {
    tirbi_walk walk = {.context = (void *)(uintptr_t)counters,
                       .stmt = check_stmt,
                       .expr = check_value,
                       .access = check_place,
                       .reach = TIRBI_WALK_PLACES | TIRBI_WALK_VIEWS};
    return !tirbi_leaves_loop(body) && tirbi_walk_stmt(&walk, body);
}

/* ---- Writing anew ----------------------------------------------------------------------------------------------- */

static tirbi_lvar *named(const tirbi_recount *r, tirbi_lvar *var) {
    return r->named ? r->named(r->values.context, var) : var;
}

static bool is_among(const tirbi_lvar *var, tirbi_lvar *const *vars, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (vars[i] == var) return true;
    return false;
}

/* A list of loops with others in place of those that count otherwise; NULL: it names only some of these. */
static tirbi_lvar *const *other_loops(const tirbi_recount *r, tirbi_lvar *const *vars, uint32_t *n) {
    tirbi_lvar **all = TIRBI_NEW_ARRAY(r->values.pool->arena, tirbi_lvar *, *n + r->n_to + 1);
    uint32_t count = 0, found = 0;
    if (!all) return NULL;
    for (uint32_t i = 0; i < *n; i++) {
        if (!is_among(vars[i], r->from, r->n_from)) {
            all[count++] = named(r, vars[i]);
            continue;
        }
        for (uint32_t k = 0; found == 0 && k < r->n_to; k++) all[count++] = r->to[k];
        found++;
    }
    *n = found > 0 && r->n_to == 0 ? 0 : count;
    return found == 0 || found == r->n_from ? all : NULL;
}

static bool other_value(tirbi_recount *r, const tirbi_lx **value) {
    if (*value) *value = tirbi_rewrite_value(&r->values, *value);
    return *value != NULL;
}

/* The variable of a loop of the body. */
static tirbi_lvar *other_counter(tirbi_recount *r, tirbi_lvar *var) {
    if (!r->begin) return var;
    tirbi_lvar *fresh = r->begin(r->values.context, var);
    if (!fresh || fresh == var) return fresh;
    const bool bounded = other_value(r, &fresh->min) && other_value(r, &fresh->extent);
    return bounded && (!var->below || other_value(r, &fresh->below)) ? fresh : NULL;
}

static bool other_tree(tirbi_recount *r, tirbi_ls *tree) {
    const uint32_t n = tree->as.tree.n_updates, n_lets = tree->as.tree.n_lets;
    tirbi_update *updates = TIRBI_NEW_ARRAY(r->values.pool->arena, tirbi_update, n);
    const tirbi_lx **lets = TIRBI_NEW_ARRAY(r->values.pool->arena, const tirbi_lx *, n_lets + 1);
    for (uint32_t i = 0; i < tree->as.tree.n_loops; i++)
        if (!is_among(tree->as.tree.loops[i], r->from, r->n_from) && !other_counter(r, tree->as.tree.loops[i]))
            return false;
    tree->as.tree.loops = other_loops(r, tree->as.tree.loops, &tree->as.tree.n_loops);
    if (!updates || !lets || !tree->as.tree.loops) return false;
    for (uint32_t i = 0; i < n; i++) {
        const tirbi_update *u = &tree->as.tree.updates[i];
        tirbi_lvar *local = u->target->buffer->local;
        updates[i] = *u;
        if (local && r->begin) return false; /* the buffer's variable would be another one */
        updates[i].target = tirbi_rewrite_place(&r->values, u->target);
        updates[i].value = tirbi_rewrite_value(&r->values, u->value);
        updates[i].factor = u->factor ? tirbi_rewrite_value(&r->values, u->factor) : NULL;
        if (!updates[i].target || !updates[i].value || (u->factor && !updates[i].factor)) return false;
    }
    tree->as.tree.n_lets = 0; /* those that still may fail */
    for (uint32_t i = 0; i < n_lets; i++) {
        const tirbi_lx *value = tirbi_rewrite_value(&r->values, tree->as.tree.lets[i]);
        if (!value) return false;
        if (value->traps) lets[tree->as.tree.n_lets++] = value;
    }
    tree->as.tree.updates = updates;
    tree->as.tree.lets = lets;
    const bool begins = tree->as.tree.init != NULL;
    if (begins) tree->as.tree.init = tirbi_recount_stmt(r, tree->as.tree.init);
    return !begins || tree->as.tree.init;
}

static bool other_branch(tirbi_recount *r, tirbi_ls *branch) {
    const tirbi_ls *no = branch->as.if_.else_case;
    branch->as.if_.condition = tirbi_rewrite_value(&r->values, branch->as.if_.condition);
    branch->as.if_.then_case = tirbi_recount_stmt(r, branch->as.if_.then_case);
    branch->as.if_.else_case = no ? tirbi_recount_stmt(r, no) : NULL;
    if (branch->as.if_.first_of) {
        branch->as.if_.first_of = other_loops(r, branch->as.if_.first_of, &branch->as.if_.n_first_of);
        if (!branch->as.if_.first_of) return false;
        if (branch->as.if_.n_first_of == 0) branch->as.if_.first_of = NULL;
    }
    return branch->as.if_.condition && branch->as.if_.then_case && (!no || branch->as.if_.else_case);
}

static bool other_set(tirbi_recount *r, tirbi_ls *set) {
    if (set->as.set.declares && r->begin && !r->begin(r->values.context, set->as.set.var)) return false;
    set->as.set.var = named(r, set->as.set.var);
    return !set->as.set.value || other_value(r, &set->as.set.value);
}

static bool other_loop(tirbi_recount *r, tirbi_ls *loop) {
    loop->as.loop.var = other_counter(r, loop->as.loop.var);
    if (!loop->as.loop.var || (loop->as.loop.step && !other_value(r, &loop->as.loop.step))) return false;
    loop->as.loop.body = tirbi_recount_stmt(r, loop->as.loop.body);
    return loop->as.loop.body != NULL;
}

/* What became nothing leaves no trace. */
static bool other_items(tirbi_recount *r, tirbi_ls *seq) {
    const tirbi_ls **items = TIRBI_NEW_ARRAY(r->values.pool->arena, const tirbi_ls *, seq->as.seq.n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; items && i < seq->as.seq.n; i++) {
        const tirbi_ls *item = tirbi_recount_stmt(r, seq->as.seq.items[i]);
        if (!item) return false;
        if (item->kind != TIRBI_LS_SEQ || item->as.seq.n > 0) items[n++] = item;
    }
    seq->as.seq.items = items;
    seq->as.seq.n = n;
    return items != NULL;
}

static bool other_stmt(tirbi_recount *r, tirbi_ls *s) {
    switch ((tirbi_ls_kind)s->kind) {
    case TIRBI_LS_SEQ:
        return other_items(r, s);
    case TIRBI_LS_LOOP:
        return other_loop(r, s);
    case TIRBI_LS_WHILE:
        s->as.while_.body = tirbi_recount_stmt(r, s->as.while_.body);
        return s->as.while_.body && other_value(r, &s->as.while_.condition);
    case TIRBI_LS_IF:
        return other_branch(r, s);
    case TIRBI_LS_STORE:
        s->as.store.access = tirbi_rewrite_place(&r->values, s->as.store.access);
        return s->as.store.access && other_value(r, &s->as.store.value);
    case TIRBI_LS_SET:
        return other_set(r, s);
    case TIRBI_LS_EVAL:
    case TIRBI_LS_RETURN:
        return !s->as.eval.value || other_value(r, &s->as.eval.value);
    case TIRBI_LS_ASSERT:
        return other_value(r, &s->as.assert_.condition);
    case TIRBI_LS_TREE:
        return other_tree(r, s);
    case TIRBI_LS_ALLOC:
    case TIRBI_LS_FETCH:
    case TIRBI_LS_BREAK:
    case TIRBI_LS_CONTINUE:
        return true;
    case TIRBI_LS_SEARCH:
        break; /* planning makes it */
    }
    return false;
}

const tirbi_ls *tirbi_recount_stmt(tirbi_recount *r, const tirbi_ls *stmt) {
    const tirbi_ls *other = r->values.statement ? r->values.statement(&r->values, stmt) : NULL;
    if (other) return other;
    tirbi_ls *copy = TIRBI_NEW(r->values.pool->arena, tirbi_ls);
    if (!copy) return NULL;
    *copy = *stmt;
    return other_stmt(r, copy) ? copy : NULL;
}
