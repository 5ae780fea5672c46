#include "compiler/optimize/carried/last.h"

#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_SETS = 8 };

typedef struct keeper {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    const tirbi_lx *condition;
    const tirbi_ls *sets[MAX_SETS];
    uint32_t n;
    const tirbi_lx *at; /* what stands for the loop's variable */
} keeper;

static bool find_sets(keeper *k, const tirbi_ls *body) {
    if (!tirbi_list_statements(body, k->sets, &k->n, MAX_SETS)) return false;
    for (uint32_t i = 0; i < k->n; i++) {
        const tirbi_ls *s = k->sets[i];
        if (s->kind != TIRBI_LS_SET || s->as.set.declares || s->as.set.var->kind != TIRBI_LVAR_LOCAL ||
            s->as.set.value->traps)
            return false;
    }
    return true;
}

/* Whether what one iteration sets is looked at by no other one. */
static bool are_kept_only(const keeper *k) {
    for (uint32_t i = 0; i < k->n; i++) {
        const tirbi_lvar *var = k->sets[i]->as.set.var;
        if (tirbi_lx_depends_on(k->condition, var)) return false;
        for (uint32_t j = 0; j < k->n; j++)
            if (tirbi_lx_depends_on(k->sets[j]->as.set.value, var) || (i != j && k->sets[j]->as.set.var == var))
                return false;
    }
    return k->n > 0;
}

static const tirbi_ls *set(const keeper *k, tirbi_lvar *var, const tirbi_lx *value, bool declares) {
    return tirbi_new_set(k->pool, k->loop->span, var, value, declares);
}

/* The loop that finds the last iteration, counted from 0; `last` is -1 before it. */
static const tirbi_ls *fold(const keeper *k, tirbi_lvar *last) {
    const tirbi_lvar *var = k->loop->as.loop.var;
    const tirbi_lx *none = tirbi_lx_number(k->pool, -1);
    const tirbi_lx *wide = tirbi_lx_cast(k->pool, TIRB_I64, tirbi_lx_var(k->pool, k->loop->as.loop.var));
    const tirbi_lx *here = wide ? tirbi_lx_sub(k->pool, wide, var->min) : NULL;
    const tirbi_lx *chosen = here && none ? tirbi_lx_lazy(k->pool, TIRBI_LX_COND, k->condition, here, none) : NULL;
    tirbi_ls *loop = tirbi_same_stmt(k->pool, k->loop);
    if (!loop || !chosen) return NULL;
    loop->as.loop.parallel = false;
    loop->as.loop.body = set(k, last, tirbi_lx_wide(k->pool, TIRB_OP_MAX, tirbi_lx_var(k->pool, last), chosen), false);
    return loop->as.loop.body && tirbi_has_lanes_in_order(k->pool, loop) ? loop : NULL;
}

/* What the last iteration sets, if there is one. */
static const tirbi_ls *keep(keeper *k, tirbi_lvar *last) {
    const tirbi_lvar *var = k->loop->as.loop.var;
    const tirbi_lx *found = tirbi_lx_var(k->pool, last), *zero = tirbi_lx_number(k->pool, 0);
    const tirbi_ls *items[MAX_SETS];
    const tirbi_lx *at = found ? tirbi_lx_cast(k->pool, var->type, tirbi_lx_add(k->pool, var->min, found)) : NULL;
    for (uint32_t i = 0; i < k->n; i++)
        items[i] = set(k, k->sets[i]->as.set.var, tirbi_value_with(k->pool, k->sets[i]->as.set.value, var, at), false);
    return tirbi_new_if(k->pool, k->loop->span, tirbi_lx_wide(k->pool, TIRB_OP_GE, found, zero),
                        tirbi_new_sequence(k->pool, k->loop->span, items, k->n), NULL);
}

const tirbi_ls *tirbi_keep_last(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const tirbi_ls *body = loop->as.loop.body;
    while (body->kind == TIRBI_LS_SEQ && body->as.seq.n == 1) body = body->as.seq.items[0];
    if (body->kind != TIRBI_LS_IF || body->as.if_.first_of || body->as.if_.else_case ||
        body->as.if_.condition->traps || !tirbi_is_plain_loop(loop))
        return NULL;
    keeper *k = TIRBI_NEW(pool->arena, keeper);
    tirbi_lvar *last = tirbi_new_variable(pool, TIRBI_LVAR_LOCAL, "last", TIRB_I64, -1, INT64_MAX - 1, loop->span);
    if (!k || !last) return NULL;
    *k = (keeper){.pool = pool, .loop = loop, .condition = body->as.if_.condition};
    if (!find_sets(k, body->as.if_.then_case) || !are_kept_only(k)) return NULL;
    const tirbi_ls *items[3];
    items[0] = set(k, last, tirbi_lx_number(pool, -1), true);
    items[1] = fold(k, last);
    items[2] = items[1] ? keep(k, last) : NULL;
    return tirbi_new_sequence(pool, loop->span, items, 3);
}
