#include "compiler/optimize/facts/live.h"

struct tirbi_live {
    uint8_t *has; /* by the variables' ids */
    uint32_t n;
};

/* The set with room for a variable; NULL when memory ran out. */
static struct tirbi_live *reach(tirbi_lx_pool *pool, uint32_t id) {
    if (!pool->live) pool->live = TIRBI_NEW(pool->arena, struct tirbi_live);
    struct tirbi_live *live = pool->live;
    if (!live || id < live->n) return live;
    uint32_t n = live->n ? live->n : 64;
    while (n <= id) {
        if (n > UINT32_MAX / 2) return NULL;
        n *= 2;
    }
    uint8_t *has = tirbi_arena_extend(pool->arena, live->has, live->n, n, sizeof(*has));
    if (!has) return NULL;
    live->has = has;
    live->n = n;
    return live;
}

void tirbi_live_set(tirbi_lx_pool *pool, tirbi_lvar *var, bool lives) {
    if (!lives && !tirbi_is_live(pool, var)) return;
    struct tirbi_live *live = reach(pool, tirbi_lvar_id(pool, var));
    if (live) live->has[var->id] = lives;
}

bool tirbi_is_live(const tirbi_lx_pool *pool, const tirbi_lvar *var) {
    return pool->live && var->id < pool->live->n && pool->live->has[var->id];
}

bool tirbi_is_available(const tirbi_lx_pool *pool, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR) return tirbi_is_live(pool, x->var);
    for (int i = 0; i < x->n_args; i++) {
        if (!tirbi_is_available(pool, x->args[i])) return false;
    }
    return true;
}
