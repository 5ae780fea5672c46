#include "compiler/optimize/carried/behind.h"

#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/iteration.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

/* Whether item `at` sets a variable for the iterations behind, which nothing else does, to what a later iteration may
 * compute as well. */
static bool is_for_later(const tirbi_iteration *it) {
    const tirbi_ls *s = it->item[it->at];
    if (s->kind != TIRBI_LS_SET || s->as.set.declares || s->as.set.var->kind != TIRBI_LVAR_LOCAL ||
        tirbi_times_set(it, s->as.set.var) != 1)
        return false;
    tirbi_lvar *var = s->as.set.var;
    for (uint32_t i = it->at + 1; i < it->n; i++)
        if (tirbi_names(it->item[i], &var, 1)) return false;
    return tirbi_is_known_elsewhere(it, s->as.set.value);
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

/* What was set in the iteration that `now` stands for. */
static const tirbi_lx *value_at(const tirbi_iteration *it, const tirbi_lx *now) {
    return tirbi_value_elsewhere(it, it->item[it->at]->as.set.value, now);
}

/* The body without the statement, where the variable is what it was set to before. */
static const tirbi_ls *body_without(const tirbi_iteration *it, const tirbi_lx *before) {
    const tirbi_ls *items[TIRBI_MAX_ITEMS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < it->n; i++)
        if (i != it->at) items[n++] = tirbi_code_with(it->pool, it->item[i], it->item[it->at]->as.set.var, before);
    return tirbi_items(it, items, n);
}

/* The iterations behind the first one. */
static const tirbi_ls *loop_behind(const tirbi_iteration *it) {
    const tirbi_lvar *old = it->loop->as.loop.var;
    tirbi_lvar *var = tirbi_part_variable(it->pool, old, tirbi_lx_number(it->pool, 1), old->extent);
    const tirbi_lx *then = tirbi_lx_binary(it->pool, TIRB_OP_SUB, old->type, tirbi_lx_var(it->pool, var),
                                           tirbi_lx_int(it->pool, old->type, 1));
    return then ? tirbi_loop_of(it->pool, it->loop, var, body_without(it, value_at(it, then))) : NULL;
}

static const tirbi_ls *last_value(const tirbi_iteration *it) {
    const tirbi_lvar *old = it->loop->as.loop.var;
    const tirbi_lx *one = tirbi_lx_number(it->pool, 1);
    const tirbi_lx *last = tirbi_lx_sub(it->pool, tirbi_lx_add(it->pool, old->min, old->extent), one);
    const tirbi_lx *value = last ? value_at(it, tirbi_lx_cast(it->pool, old->type, last)) : NULL;
    return tirbi_new_set(it->pool, it->loop->span, it->item[it->at]->as.set.var, value, false);
}

bool tirbi_look_behind(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_ls *body = loop->as.loop.body;
    tirbi_iteration own, *it = &own;
    if (!tirbi_can_resolve(body) || !tirbi_read_iteration(it, pool, loop) || it->n < 2) return false;
    while (it->at < it->n && !is_for_later(it)) it->at++;
    if (it->at == it->n) return false;
    const tirbi_lx *zero = tirbi_lx_number(pool, 0);
    const tirbi_ls *all[3] = {tirbi_iteration_at(pool, loop, body, zero), loop_behind(it), last_value(it)};
    out->loop = all[1];
    out->stmt = tirbi_new_if(pool, loop->span, tirbi_lx_wide(pool, TIRB_OP_GT, loop->as.loop.var->extent, zero),
                             tirbi_new_sequence(pool, loop->span, all, 3), NULL);
    return out->stmt != NULL;
}
