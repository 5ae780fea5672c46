#include "compiler/optimize/rewriting/guards.h"

#include "compiler/optimize/facts/quotient.h"
#include "compiler/optimize/rewriting/statements.h"

static bool names_begun(const tirbi_guards *g, const tirbi_lx *x) {
    for (uint32_t i = 0; i < g->n_begun; i++)
        if (tirbi_lx_depends_on(x, g->begun[i])) return true;
    return false;
}

/* Takes such a term out of a condition; false: it has none. *rest is what is left, or NULL. What is evaluated ahead of
 * it may not fail. */
static bool take_out(tirbi_guards *g, const tirbi_lx *x, const tirbi_lx **rest) {
    *rest = NULL;
    if (!tirbi_is_conjunction(x)) {
        /* What counts the parts of a unit may be gone then. */
        const tirbi_lx *simpler = tirbi_simplify_below(g->pool, x);
        if (simpler) x = simpler;
        return x->pure && !x->traps && !names_begun(g, x) && g->takes(g->context, x);
    }
    for (int i = 0; i < 2; i++) {
        const tirbi_lx *part, *other = x->args[1 - i];
        if ((i == 1 || x->kind == TIRBI_LX_OP) && (other->traps || !other->pure)) continue;
        if (!take_out(g, x->args[i], &part)) continue;
        const tirbi_lx *a = i == 0 ? part : other, *b = i == 0 ? other : part;
        *rest = part ? tirbi_lx_lazy(g->pool, TIRBI_LX_AND, a, b, NULL) : other;
        return true;
    }
    return false;
}

static bool begins(tirbi_guards *g, const tirbi_lvar *var) {
    if (g->n_begun == TIRBI_MAX_BEGUN) return false;
    g->begun[g->n_begun++] = var;
    return true;
}

static const tirbi_ls *without_branch(tirbi_guards *g, const tirbi_ls *s) {
    const tirbi_lx *rest;
    if (s->as.if_.else_case || s->as.if_.first_of || s->as.if_.sizes || !take_out(g, s->as.if_.condition, &rest))
        return NULL;
    tirbi_ls *branch = rest ? tirbi_same_stmt(g->pool, s) : NULL;
    if (!branch) return rest ? NULL : s->as.if_.then_case;
    branch->as.if_.condition = rest;
    return branch;
}

static const tirbi_ls *without_loop(tirbi_guards *g, const tirbi_ls *s) {
    if (!tirbi_is_plain_loop(s) || !begins(g, s->as.loop.var)) return NULL;
    return tirbi_loop_like(g->pool, s, NULL, tirbi_without_guard(g, s->as.loop.body));
}

const tirbi_ls *tirbi_without_guard(tirbi_guards *g, const tirbi_ls *s) {
    if (s->kind == TIRBI_LS_IF) return without_branch(g, s);
    if (s->kind == TIRBI_LS_LOOP) return without_loop(g, s);
    if (s->kind == TIRBI_LS_SET) {
        const bool value = s->as.set.declares && s->as.set.value && s->as.set.value->pure && !s->as.set.value->traps;
        return value && begins(g, s->as.set.var) ? s : NULL;
    }
    if (s->kind != TIRBI_LS_SEQ) return NULL;
    const tirbi_ls **items = TIRBI_NEW_ARRAY(g->pool->arena, const tirbi_ls *, s->as.seq.n + 1);
    for (uint32_t i = 0; i < s->as.seq.n && items; i++)
        if (!(items[i] = tirbi_without_guard(g, s->as.seq.items[i]))) return NULL;
    return items ? tirbi_new_sequence(g->pool, s->span, items, s->as.seq.n) : NULL;
}
