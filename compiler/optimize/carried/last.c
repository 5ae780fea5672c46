#include "compiler/optimize/carried/last.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/carried/search.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_SETS = 8, FEW = 16 /* iterations that a search takes longer to begin than to run */ };

typedef struct keeper {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop, *branch;
    const tirbi_ls *sets[MAX_SETS]; /* assignments, and stores to what stands still */
    uint32_t n;
} keeper;

static bool find_sets(keeper *k) {
    const tirbi_loop_set loops = {.var = {k->loop->as.loop.var}, .n = 1};
    if (!tirbi_list_statements(k->branch->as.if_.then_case, k->sets, &k->n, MAX_SETS) ||
        !tirbi_cannot_fail(k->branch->as.if_.then_case))
        return false;
    for (uint32_t i = 0; i < k->n; i++) {
        const tirbi_ls *s = k->sets[i];
        const bool assigns =
            s->kind == TIRBI_LS_SET && !s->as.set.declares && s->as.set.var->kind == TIRBI_LVAR_LOCAL;
        if (!assigns && (s->kind != TIRBI_LS_STORE || !tirbi_stands_still(s->as.store.access, &loops))) return false;
    }
    return k->n > 0;
}

/* Whether a value depends on what some iteration has set. */
static bool is_set(const void *context, const tirbi_lx *x) {
    const keeper *k = context;
    for (uint32_t i = 0; i < k->n; i++) {
        const tirbi_ls *s = k->sets[i];
        if (s->kind == TIRBI_LS_SET ? tirbi_is_var(s->as.set.var, x)
                                    : x->kind == TIRBI_LX_LOAD && tirbi_may_meet(s->as.store.access->buffer->root,
                                                                                 x->access->buffer->root))
            return true;
    }
    return x->kind == TIRBI_LX_CALL;
}

static bool looks_at_sets(const keeper *k, const tirbi_lx *x) {
    return tirbi_any_expr(x, TIRBI_WALK_INDICES, is_set, k);
}

/* Whether what one iteration sets is looked at by no other one. */
static bool are_kept_only(const keeper *k) {
    if (looks_at_sets(k, k->branch->as.if_.condition)) return false;
    for (uint32_t i = 0; i < k->n; i++) {
        const tirbi_ls *s = k->sets[i];
        const tirbi_place *to = s->kind == TIRBI_LS_STORE ? s->as.store.access : NULL;
        if (looks_at_sets(k, to ? s->as.store.value : s->as.set.value)) return false;
        for (uint32_t d = 0; to && d < to->ndim; d++)
            if (looks_at_sets(k, to->indices[d])) return false;
    }
    return true;
}

/* What the loop's variable is in the iteration before so many others. */
static const tirbi_lx *value_before(const keeper *k, const tirbi_lx *others) {
    const tirbi_lvar *var = k->loop->as.loop.var;
    const tirbi_lx *behind = tirbi_lx_add(k->pool, var->min, var->extent),
                   *last = tirbi_lx_sub(k->pool, behind, tirbi_lx_number(k->pool, 1));
    const tirbi_lx *here = tirbi_lx_sub(k->pool, last, others);
    tirbi_lx *inside = here ? TIRBI_NEW(k->pool->arena, tirbi_lx) : NULL;
    if (!inside) return NULL;
    *inside = *here;
    inside->id = 0;
    inside->lo = var->lo;
    inside->hi = var->hi;
    return tirbi_lx_cast(k->pool, var->type, inside);
}

/* Looks for the last iteration where the condition holds, from the end on; `found` is the number of those behind it. */
static const tirbi_ls *search_from_end(keeper *k, tirbi_lvar *found) {
    const tirbi_lvar *var = k->loop->as.loop.var;
    tirbi_ls *search = tirbi_new_stmt(k->pool, TIRBI_LS_SEARCH, k->loop->span);
    tirbi_lvar *behind = search ? tirbi_new_counter(k->pool, var, TIRB_I64, var->extent) : NULL;
    const tirbi_lx *at = behind ? value_before(k, tirbi_lx_var(k->pool, behind)) : NULL;
    if (!at) return NULL;
    search->as.search.var = behind;
    search->as.search.condition = tirbi_value_with(k->pool, k->branch->as.if_.condition, var, at);
    search->as.search.found = found;
    return search->as.search.condition && tirbi_plan_search(k->pool, search) ? search : NULL;
}

/* What that iteration sets, if there is one. */
static const tirbi_ls *keep(keeper *k, tirbi_lvar *found) {
    const tirbi_lvar *var = k->loop->as.loop.var;
    const tirbi_lx *behind = tirbi_lx_var(k->pool, found), *at = value_before(k, behind);
    return tirbi_new_if(k->pool, k->loop->span, tirbi_lx_wide(k->pool, TIRB_OP_LT, behind, var->extent),
                        at ? tirbi_code_with(k->pool, k->branch->as.if_.then_case, var, at) : NULL, NULL);
}

const tirbi_ls *tirbi_keep_last(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const tirbi_ls *body = loop->as.loop.body;
    const tirbi_lvar *var = loop->as.loop.var;
    while (body->kind == TIRBI_LS_SEQ && body->as.seq.n == 1) body = body->as.seq.items[0];
    if (body->kind != TIRBI_LS_IF || body->as.if_.first_of || body->as.if_.else_case ||
        body->as.if_.condition->traps || !tirbi_is_plain_loop(loop) || var->extent->hi <= FEW)
        return NULL;
    keeper *k = TIRBI_NEW(pool->arena, keeper);
    tirbi_lvar *found = tirbi_new_variable(pool, TIRBI_LVAR_LET, "found", TIRB_I64, 0, var->extent->hi, loop->span);
    if (!k || !found) return NULL;
    *k = (keeper){.pool = pool, .loop = loop, .branch = body};
    if (!find_sets(k) || !are_kept_only(k)) return NULL;
    const tirbi_ls *items[] = {search_from_end(k, found), keep(k, found)};
    return tirbi_new_sequence(pool, loop->span, items, 2);
}
