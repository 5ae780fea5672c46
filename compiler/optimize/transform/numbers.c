#include "compiler/optimize/transform/numbers.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/transform/distribute.h"

enum {
    LEAST = 64,
    MOST = 1 << 16, /* iterations, so that what is kept is little */
    MAX_NUMBERS = 4
};

/* A loop's body. */
typedef struct keeper {
    tirbi_lx_pool *pool;
    const tirbi_lvar *counter;
    const tirbi_ls *items[TIRBI_MAX_DISTRIBUTED + MAX_NUMBERS];
    uint32_t n;
    tirbi_lbuf *kept[MAX_NUMBERS];
    uint32_t n_kept;
} keeper;

/* The last statement that sets a variable, behind which one uses it; k->n: there is none, or one stores it. */
static uint32_t last_setter(const keeper *k, tirbi_lvar *var) {
    uint32_t last = k->n;
    bool used = false;
    for (uint32_t i = 0; i < k->n; i++) {
        const tirbi_ls *s = k->items[i];
        if (s->kind == TIRBI_LS_STORE && tirbi_is_var(var, s->as.store.value)) return k->n;
        used = used || tirbi_names(s, &var, 1);
        if (!tirbi_may_set(s, var)) continue;
        last = i;
        used = false;
    }
    return used ? last : k->n;
}

/* Stores a number behind statement `at` to the iteration's element. */
static bool keep(keeper *k, const tirbi_lvar *number, uint32_t at) {
    tirbi_lx_pool *const pool = k->pool;
    const tirbi_span span = k->items[at]->span;
    tirbi_lbuf *row = tirbi_new_row(pool, number->name, number->type, k->counter->extent);
    const tirbi_lx *counted = tirbi_lx_cast(pool, TIRB_I64, tirbi_lx_var(pool, (tirbi_lvar *)(uintptr_t)k->counter));
    const tirbi_lx *index = tirbi_lx_sub(pool, counted, k->counter->min);
    const tirbi_lx *value = tirbi_lx_var(pool, (tirbi_lvar *)(uintptr_t)number);
    const tirbi_ls *store =
        row && index ? tirbi_new_store(pool, span, tirbi_element_at(pool, row, index, span), value) : NULL;
    if (!store) return false;
    for (uint32_t i = k->n++; i > at + 1; i--) k->items[i] = k->items[i - 1];
    k->items[at + 1] = store;
    k->kept[k->n_kept++] = row;
    return true;
}

static bool keep_all(keeper *k, const tirbi_ls *body) {
    if (!tirbi_list_statements(body, k->items, &k->n, TIRBI_MAX_DISTRIBUTED)) return false;
    for (uint32_t i = 0; i < k->n && k->n_kept < MAX_NUMBERS && k->n < TIRBI_MAX_DISTRIBUTED; i++) {
        const tirbi_ls *s = k->items[i];
        if (s->kind != TIRBI_LS_SET || !s->as.set.declares || !tirbi_dtype_is_int(s->as.set.var->type) ||
            s->as.set.var->type == TIRB_BOOL)
            continue;
        const uint32_t at = last_setter(k, s->as.set.var);
        if (at < k->n && !keep(k, s->as.set.var, at)) return false;
    }
    return k->n_kept > 0;
}

bool tirbi_keep_numbers(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_lx *extent = loop->as.loop.var->extent;
    const tirbi_ls *items[MAX_NUMBERS + 1];
    keeper k = {.pool = pool, .counter = loop->as.loop.var};
    if (!tirbi_is_plain_loop(loop) || loop->as.loop.body->kind != TIRBI_LS_SEQ || extent->hi < LEAST ||
        extent->lo < 0 || extent->lo > MOST || !keep_all(&k, loop->as.loop.body))
        return false;
    for (uint32_t i = 0; i < k.n_kept; i++) items[i] = tirbi_new_alloc(pool, loop->span, k.kept[i]);
    out->loop = items[k.n_kept] = tirbi_loop_like(pool, loop, NULL, tirbi_new_sequence(pool, loop->span, k.items, k.n));
    out->stmt = tirbi_new_sequence(pool, loop->span, items, k.n_kept + 1);
    if (extent->hi > MOST) out->condition = tirbi_lx_with(pool, TIRB_OP_LE, extent, MOST);
    return out->stmt && (out->condition || extent->hi <= MOST);
}
