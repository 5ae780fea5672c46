/* for i, j: C[i, j] = 0; for k: C[i, j] += ..; C[i, j] = f(C[i, j]), and the same with variables that hold sums, which
 * become elements, is distributed into nests: each location keeps the order of its updates (rule R1). */
#include "compiler/optimize/contractions/distribute.h"

#include <string.h>

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/transform/expand.h"

typedef struct distributor {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop[TIRBI_MAX_AFFINE]; /* the common loops */
    tirbi_loop_set loops;
    const tirbi_ls *items[TIRBI_MAX_DISTRIBUTED]; /* what is inside of them */
    uint32_t n;
    tirbi_expansion sums; /* variables that are memory */
    tirbi_distribution parts;
    tirbi_contract_plan plan; /* of the nest at hand */
} distributor;

/* The loops down to the first body that is more than a loop, and its statements. */
static bool collect(distributor *d, const tirbi_ls *s) {
    s = tirbi_perfect_nest(s, TIRBI_MAX_CONTRACT_LOOPS, d->loop, &d->loops);
    return s->kind == TIRBI_LS_SEQ && s->as.seq.n > 1 &&
           tirbi_list_statements(s, d->items, &d->n, TIRBI_MAX_DISTRIBUTED) && d->n > 0;
}

/* Elements in place of the variables that the statements begin with: of a matrix, for a row alone does not pay. */
static bool expand_sums(distributor *d) {
    if (d->items[0]->kind == TIRBI_LS_SET && d->loops.n < 2) return false;
    d->sums = (tirbi_expansion){.pool = d->pool, .loops = &d->loops};
    for (uint32_t i = 0; i < d->n && d->items[i]->kind == TIRBI_LS_SET; i++) {
        const tirbi_lvar *var = d->items[i]->as.set.var;
        const bool begins = d->items[i]->as.set.declares && var->kind == TIRBI_LVAR_LOCAL;
        if (!tirbi_is_expanded(&d->sums, NULL, var) && !(begins && tirbi_add_expanded(&d->sums, NULL, var)))
            return false;
    }
    if (!tirbi_make_rows(&d->sums)) return false;
    for (uint32_t i = 0; d->sums.n > 0 && i < d->n; i++)
        if (!(d->items[i] = tirbi_use_rows(&d->sums, d->items[i]))) return false;
    return true;
}

/* Whether a statement is loops around stores, or a name: what is more is better together than in nests of its
 * own. */
static bool is_simple(const tirbi_ls *s) {
    if (s->kind == TIRBI_LS_SET) return s->as.set.declares && s->as.set.var->kind == TIRBI_LVAR_LET;
    while (s->kind == TIRBI_LS_LOOP) s = s->as.loop.body;
    return tirbi_is_made_of(s, TIRBI_KIND(SEQ) | TIRBI_KIND(STORE));
}

/* Statements that are loops around stores, as many as these can be distributed into. */
static bool distribute_inside(distributor *d) {
    const uint32_t n = d->n;
    const tirbi_ls *items[TIRBI_MAX_DISTRIBUTED];
    memcpy(items, d->items, n * sizeof(*items));
    for (uint32_t i = d->n = 0; i < n; i++) {
        const tirbi_ls *loops[TIRBI_MAX_AFFINE];
        tirbi_loop_set vars;
        tirbi_distribution inside;
        const tirbi_ls *body = tirbi_perfect_nest(items[i], TIRBI_MAX_CONTRACT_LOOPS, loops, &vars);
        if (!is_simple(items[i])) return false;
        if (vars.n == 0 || !tirbi_distribute(d->pool, loops, vars.n, body, &inside)) {
            inside = (tirbi_distribution){.item = {items[i]}, .n = 1};
            vars.n = 0;
        }
        for (uint32_t k = 0; k < inside.n; k++) {
            if (d->n == TIRBI_MAX_DISTRIBUTED) return false;
            d->items[d->n] = tirbi_in_loops(d->pool, loops, vars.n, inside.item[k]);
            if (!d->items[d->n++]) return false;
        }
    }
    return true;
}

static const tirbi_ls *nest_of(const distributor *d, const tirbi_ls *body) {
    return tirbi_in_loops(d->pool, d->loop, d->loops.n, body);
}

static bool is_sum(distributor *d, const tirbi_ls *nest) {
    return nest && tirbi_plan_contraction(d->pool, nest, &d->plan);
}

static bool has_sum(distributor *d) {
    bool found = false;
    for (uint32_t i = 0; i < d->n && !found; i++) found = is_sum(d, nest_of(d, d->items[i]));
    return found;
}

static bool add(tirbi_distribution *to, const tirbi_ls *s) {
    if (!s || to->n == TIRBI_MAX_DISTRIBUTED) return false;
    to->item[to->n++] = s;
    return true;
}

/* Whether a part stores what a sum behind it begins with, which it becomes one with: nothing uses that in between. */
static bool begins_sum(distributor *d, uint32_t at) {
    const tirbi_ls *store = d->parts.item[at];
    uint32_t sum = at + 1;
    if (store->kind != TIRBI_LS_STORE) return false;
    while (sum < d->parts.n && !tirbi_statement_uses(d->parts.item[sum], store->as.store.access->buffer->root)) sum++;
    if (sum == d->parts.n) return false;
    const tirbi_ls *items[] = {store, d->parts.item[sum]};
    const tirbi_ls *both = tirbi_new_sequence(d->pool, store->span, items, 2);
    if (!both || !is_sum(d, nest_of(d, both))) return false;
    d->parts.item[sum] = both;
    return true;
}

/* The parts as nests. */
static bool add_nests(distributor *d, tirbi_distribution *out) {
    bool contracts = false;
    for (uint32_t i = 0; i < d->parts.n; i++) {
        if (begins_sum(d, i)) continue;
        const tirbi_ls *nest = nest_of(d, d->parts.item[i]);
        if (!add(out, nest)) return false;
        contracts = is_sum(d, nest) || contracts;
    }
    return contracts;
}

static bool distribute(distributor *d, const tirbi_ls *loop, tirbi_distribution *out) {
    out->n = 0;
    if (!collect(d, loop) || !expand_sums(d) || !distribute_inside(d)) return false;
    if (!has_sum(d)) return false; /* which takes less time to find */
    const tirbi_ls *body = tirbi_new_sequence(d->pool, loop->span, d->items, d->n);
    if (!body || !tirbi_distribute(d->pool, d->loop, d->loops.n, body, &d->parts)) return false;
    for (uint32_t i = 0; i < d->sums.n; i++)
        if (!add(out, tirbi_new_alloc(d->pool, loop->span, d->sums.item[i].rows))) return false;
    return add_nests(d, out);
}

bool tirbi_distribute_contraction(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_distribution *out) {
    distributor *d = TIRBI_NEW(pool->arena, distributor);
    if (!d) return false;
    d->pool = pool;
    const bool distributed = distribute(d, loop, out);
    TIRBI_GIVE_BACK(pool->arena, d);
    return distributed;
}

bool tirbi_contracts(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_contract_plan *plan = TIRBI_NEW(pool->arena, tirbi_contract_plan);
    tirbi_distribution parts;
    const bool found =
        plan && (tirbi_plan_contraction(pool, loop, plan) || tirbi_distribute_contraction(pool, loop, &parts));
    TIRBI_GIVE_BACK(pool->arena, plan);
    return found;
}
