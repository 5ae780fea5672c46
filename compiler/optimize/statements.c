#include "compiler/optimize/statements.h"

tirbi_ls *tirbi_new_stmt(tirbi_lx_pool *pool, tirbi_ls_kind kind, tirbi_span span) {
    tirbi_ls *s = TIRBI_NEW(pool->arena, tirbi_ls);
    if (s) *s = (tirbi_ls){.kind = (uint8_t)kind, .span = span};
    return s;
}

const tirbi_ls *tirbi_new_set(tirbi_lx_pool *pool, tirbi_span span, tirbi_lvar *var, const tirbi_lx *value,
                              bool declares) {
    tirbi_ls *s = var && value ? tirbi_new_stmt(pool, TIRBI_LS_SET, span) : NULL;
    if (!s) return NULL;
    s->as.set.var = var;
    s->as.set.value = value;
    s->as.set.declares = declares;
    return s;
}

const tirbi_ls *tirbi_new_sequence(tirbi_lx_pool *pool, tirbi_span span, const tirbi_ls *const *items, uint32_t n) {
    tirbi_ls *s = tirbi_new_stmt(pool, TIRBI_LS_SEQ, span);
    const tirbi_ls **copy = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, n);
    if (!s || !copy) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (!items[i]) return NULL;
        copy[i] = items[i];
    }
    s->as.seq.items = copy;
    s->as.seq.n = n;
    return s;
}

bool tirbi_list_statements(const tirbi_ls *body, const tirbi_ls **items, uint32_t *n, uint32_t most) {
    if (body->kind != TIRBI_LS_SEQ) {
        if (*n == most) return false;
        items[(*n)++] = body;
        return true;
    }
    for (uint32_t i = 0; i < body->as.seq.n; i++)
        if (!tirbi_list_statements(body->as.seq.items[i], items, n, most)) return false;
    return true;
}

bool tirbi_has_plain_bounds(const tirbi_lvar *var) {
    return var->min->pure && var->extent->pure && !var->min->traps && !var->extent->traps;
}

bool tirbi_is_plain_loop(const tirbi_ls *loop) {
    return !loop->as.loop.step && !loop->as.loop.blocks && !loop->as.loop.rows &&
           tirbi_has_plain_bounds(loop->as.loop.var);
}
