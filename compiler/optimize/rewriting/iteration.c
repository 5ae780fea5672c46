#include "compiler/optimize/rewriting/iteration.h"

#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

void tirbi_begin_iteration(tirbi_iteration *it, tirbi_lx_pool *pool, const tirbi_ls *loop) {
    it->pool = pool;
    it->loop = loop;
    it->n = it->at = it->sets.n = 0;
    it->reached = (tirbi_accesses){.item = it->place, .most = TIRBI_MAX_ITEM_PLACES, .sets = &it->sets};
}

bool tirbi_add_item(tirbi_iteration *it, const tirbi_ls *s) {
    if (it->n == TIRBI_MAX_ITEMS) return false;
    it->reached.part = (uint16_t)it->n;
    it->item[it->n++] = s;
    return tirbi_find_accesses(&it->reached, s);
}

bool tirbi_read_iteration(tirbi_iteration *it, tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const tirbi_ls *items[TIRBI_MAX_ITEMS];
    uint32_t n = 0;
    tirbi_begin_iteration(it, pool, loop);
    bool read = tirbi_is_plain_loop(loop) && tirbi_list_statements(loop->as.loop.body, items, &n, TIRBI_MAX_ITEMS);
    for (uint32_t i = 0; i < n && read; i++) read = tirbi_add_item(it, items[i]);
    return read;
}

uint32_t tirbi_times_set(const tirbi_iteration *it, const tirbi_lvar *var) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < it->sets.n; i++) n += it->sets.var[i] == var;
    return n;
}

/* The value of a variable that begins ahead of item `at` and is set once; NULL: it is no such one. */
static const tirbi_lx *value_of(const tirbi_iteration *it, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < it->at; i++) {
        const tirbi_ls *s = it->item[i];
        if (s->kind == TIRBI_LS_SET && s->as.set.var == var)
            return s->as.set.declares && tirbi_times_set(it, var) == 1 ? s->as.set.value : NULL;
    }
    return NULL;
}

static bool is_unknown(const void *context, const tirbi_lx *x) {
    const tirbi_iteration *it = context;
    if (x->traps || x->kind == TIRBI_LX_CALL || x->size > TIRBI_MAX_SHARED_SIZE) return true;
    if (x->kind == TIRBI_LX_LOAD) return tirbi_is_written(&it->reached, x->access->buffer->root);
    if (x->kind != TIRBI_LX_VAR || tirbi_times_set(it, x->var) == 0) return false;
    const tirbi_lx *value = value_of(it, x->var);
    return !value || tirbi_any_expr(value, TIRBI_WALK_INDICES, is_unknown, it);
}

bool tirbi_is_known_elsewhere(const tirbi_iteration *it, const tirbi_lx *x) {
    return !tirbi_any_expr(x, TIRBI_WALK_INDICES, is_unknown, it);
}

static const tirbi_lx *replace_name(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const tirbi_lx *value = x->kind == TIRBI_LX_VAR ? value_of(rewrite->context, x->var) : NULL;
    return tirbi_rewrite_value(rewrite, value);
}

const tirbi_lx *tirbi_value_elsewhere(const tirbi_iteration *it, const tirbi_lx *x, const tirbi_lx *counter) {
    tirbi_rewrite rewrite = {.pool = it->pool, .replace = replace_name, .context = (void *)(uintptr_t)it};
    tirbi_bind_variable(&rewrite, it->loop->as.loop.var, counter);
    return counter ? tirbi_rewrite_value(&rewrite, x) : NULL;
}

const tirbi_ls *tirbi_items(const tirbi_iteration *it, const tirbi_ls *const *items, uint32_t n) {
    return tirbi_new_sequence(it->pool, it->loop->span, items, n);
}
