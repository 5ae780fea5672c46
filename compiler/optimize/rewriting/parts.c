#include "compiler/optimize/rewriting/parts.h"

#include "compiler/optimize/rewriting/statements.h"

tirbi_lvar *tirbi_part_variable(tirbi_lx_pool *pool, const tirbi_lvar *old, const tirbi_lx *from, const tirbi_lx *to) {
    tirbi_lvar *var = from && to ? tirbi_variable_like(pool, old) : NULL;
    int64_t behind;
    if (!var) return NULL;
    var->min = tirbi_lx_add(pool, old->min, from);
    var->extent = tirbi_lx_sub(pool, to, from);
    if (!var->min || !var->extent) return NULL;
    if (!var->below && old->min->lo >= 0) var->below = tirbi_lx_add(pool, old->min, old->extent);
    if (var->min->lo > var->lo && var->min->lo <= var->hi) var->lo = var->min->lo;
    if (!__builtin_add_overflow(var->min->hi, var->extent->hi, &behind) && behind <= var->hi && behind > var->lo)
        var->hi = behind - 1;
    return var;
}

const tirbi_ls *tirbi_loop_of(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_lvar *var, const tirbi_ls *body) {
    const tirbi_given none = {.n = 0};
    const tirbi_lx *value = var && body ? tirbi_lx_var(pool, var) : NULL;
    if (!value) return NULL;
    tirbi_ls *copy =
        tirbi_loop_like(pool, loop, var, tirbi_resolve(pool, &none, body, loop->as.loop.var, value, var));
    if (copy) copy->as.loop.parallel = false; /* the loop itself was asked for chunks */
    return copy;
}

const tirbi_ls *tirbi_part_over(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_lvar *var, tirbi_given *facts) {
    const tirbi_lvar *old = loop->as.loop.var;
    const bool once = var && tirbi_lx_is_int(var->extent, 1);
    const tirbi_lx *value = !var ? NULL : once ? tirbi_lx_cast(pool, old->type, var->min) : tirbi_lx_var(pool, var),
                   *behind = value ? tirbi_lx_add(pool, var->min, var->extent) : NULL;
    if (!behind) return NULL;
    const uint32_t before = facts->n;
    if (behind->kind != TIRBI_LX_CONST) {
        tirbi_add_fact(facts, value, var->min, 0);
        tirbi_add_fact(facts, behind, value, -1);
    }
    const tirbi_ls *body = tirbi_resolve(pool, facts, loop->as.loop.body, old, value, once ? NULL : var);
    facts->n = before;
    return !body || once || tirbi_is_nothing(body) ? body : tirbi_loop_like(pool, loop, var, body);
}

const tirbi_ls *tirbi_iteration_at(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *body,
                                   const tirbi_lx *at) {
    const tirbi_given none = {.n = 0};
    const tirbi_lvar *var = loop->as.loop.var;
    const tirbi_lx *value = tirbi_lx_cast(pool, var->type, tirbi_lx_add(pool, var->min, at));
    return tirbi_resolve(pool, &none, body, var, value, NULL);
}
