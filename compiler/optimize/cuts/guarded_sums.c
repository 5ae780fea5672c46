#include "compiler/optimize/cuts/guarded_sums.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/contractions/contract.h"
#include "compiler/optimize/cuts/clip.h"
#include "compiler/optimize/normalise/bounds.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/optimize/transform/distribute.h"
#include "compiler/pipeline/switches.h"

typedef struct nests {
    tirbi_lx_pool *pool;
    uint32_t disabled;
} nests;

/* ---- Conditions on values ---------------------------------------------------------------------------------------- */

static bool is_zero(const tirbi_lx *x) { return x->kind == TIRBI_LX_CONST && x->value == 0; /* and no -0 */ }

/* Whether a value is a place's element, which is known to be there. */
static bool is_load_of(const tirbi_lx *x, const tirbi_place *place) {
    return x->kind == TIRBI_LX_LOAD && !x->traps && tirbi_same_place(x->access, place);
}

/* Whether a value is one of two, of which only the second one may fail. */
static bool is_choice(const tirbi_lx *x) {
    const bool selects = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_SELECT && !x->args[1]->traps;
    return (x->kind == TIRBI_LX_COND || selects) && x->args[0]->pure && !x->args[0]->traps;
}

/* Whether adding +0 to a place leaves it as it is: it is of integers, or has just become +0. */
static bool may_add_zero(const tirbi_ls *before, const tirbi_place *place) {
    const char class = tirbi_dtypes[place->buffer->type].class;
    return class == 'I' || class == 'U' ||
           (before && before->kind == TIRBI_LS_STORE && tirbi_same_place(before->as.store.access, place) &&
            is_zero(before->as.store.value));
}

/* A loop over S = S + (c ? x : 0) or S = c ? v : S, whose variable c does not name, under the condition; NULL where it
 * is none (or memory ran out). */
static const tirbi_ls *under_condition(tirbi_lx_pool *pool, const tirbi_ls *before, const tirbi_ls *s) {
    const tirbi_ls *loops[TIRBI_MAX_AFFINE];
    tirbi_loop_set vars;
    const tirbi_ls *store = tirbi_perfect_nest(s, TIRBI_MAX_CONTRACT_LOOPS, loops, &vars);
    if (vars.n == 0 || store->kind != TIRBI_LS_STORE) return NULL;
    const tirbi_place *place = store->as.store.access;
    const tirbi_lx *value = store->as.store.value, *choice = value;
    const bool adds = value->kind == TIRBI_LX_OP && value->op == TIRB_OP_ADD && is_load_of(value->args[0], place);
    if (adds) choice = value->args[1];
    if (!is_choice(choice) || tirbi_mentions_loops(choice->args[0], &vars)) return NULL;
    const tirbi_lx *other = choice->args[2], *one = choice->args[1];
    if (adds ? !is_zero(other) || !may_add_zero(before, place) : !is_load_of(other, place)) return NULL;
    if (adds)
        one = tirbi_lx_op(pool, TIRB_OP_ADD, (tirbi_dtype)value->optype, TIRB_TYPE_NONE, value->args[0], one, NULL);
    const tirbi_ls *sum = one ? tirbi_in_loops(pool, loops, vars.n, tirbi_with_value(pool, store, one)) : NULL;
    return sum ? tirbi_new_if(pool, s->span, choice->args[0], sum, NULL) : NULL;
}

/* The body with conditions around loops in the place of those on what they add; itself where it has none. */
static const tirbi_ls *with_conditions(tirbi_lx_pool *pool, const tirbi_ls *body) {
    const tirbi_ls *items[TIRBI_MAX_DISTRIBUTED];
    bool differs = false;
    if (body->kind != TIRBI_LS_SEQ || body->as.seq.n > TIRBI_MAX_DISTRIBUTED) return body;
    for (uint32_t i = 0; i < body->as.seq.n; i++) {
        const tirbi_ls *s = body->as.seq.items[i], *before = i > 0 ? body->as.seq.items[i - 1] : NULL;
        const tirbi_ls *other = s->kind == TIRBI_LS_LOOP ? under_condition(pool, before, s) : NULL;
        items[i] = other ? other : s;
        differs = differs || other;
    }
    const tirbi_ls *made = differs ? tirbi_new_sequence(pool, body->span, items, body->as.seq.n) : NULL;
    return made ? made : body;
}

/* ---- Conditions on statements ------------------------------------------------------------------------------------ */

/* Loops around each other and conditions that name none of these, as the loops alone; NULL where there are no such
 * conditions (or memory ran out). */
static const tirbi_ls *without_guards(tirbi_lx_pool *pool, const tirbi_ls *s, const tirbi_loop_set *own) {
    s = tirbi_only_part(s);
    if (tirbi_is_guard(s) && !tirbi_mentions_loops(s->as.if_.condition, own)) {
        const tirbi_ls *inside = without_guards(pool, s->as.if_.then_case, own);
        return inside ? inside : s->as.if_.then_case;
    }
    const tirbi_ls *inside = s->kind == TIRBI_LS_LOOP ? without_guards(pool, s->as.loop.body, own) : NULL;
    return inside ? tirbi_loop_like(pool, s, NULL, inside) : NULL;
}

/* Whether a statement in these loops would be a contraction, were it not for conditions on them. */
static bool is_guarded_sum(tirbi_lx_pool *pool, const tirbi_ls *const *loops, uint32_t n_loops, const tirbi_ls *s) {
    tirbi_loop_set own = {.n = 0};
    const tirbi_ls *sum = tirbi_find_loops(&own, s) ? without_guards(pool, s, &own) : NULL;
    const tirbi_ls *nest = sum ? tirbi_in_loops(pool, loops, n_loops, sum) : NULL;
    tirbi_contract_plan *plan = nest ? TIRBI_NEW(pool->arena, tirbi_contract_plan) : NULL;
    const bool contracts = plan && tirbi_plan_contraction(pool, nest, plan);
    TIRBI_GIVE_BACK(pool->arena, plan);
    return contracts;
}

/* A group of statements in loops of its own. */
static const tirbi_ls *nest_of(tirbi_lx_pool *pool, const tirbi_ls *const *loops, uint32_t n_loops,
                               const tirbi_ls *group) {
    for (uint32_t i = n_loops; group && i-- > 0;)
        group = tirbi_loop_of(pool, loops[i], tirbi_variable_like(pool, loops[i]->as.loop.var), group);
    return group;
}

/* Whether conditions of a nest become bounds. */
static bool gets_bounds(const nests *all, const tirbi_ls *nest) {
    return tirbi_clip_nest(all->pool, nest, all->disabled) || tirbi_bound_loops(all->pool, nest) != nest;
}

static const tirbi_ls *distribute(const nests *all, const tirbi_ls *s) {
    const tirbi_ls *loops[TIRBI_MAX_AFFINE];
    tirbi_loop_set vars;
    const tirbi_ls *body = with_conditions(
        all->pool, tirbi_only_part(tirbi_perfect_nest(s, TIRBI_MAX_CONTRACT_LOOPS, loops, &vars)));
    tirbi_distribution parts;
    if (vars.n == 0 || body->kind != TIRBI_LS_SEQ) return NULL;
    uint32_t at = 0;
    while (at < body->as.seq.n && !is_guarded_sum(all->pool, loops, vars.n, body->as.seq.items[at])) at++;
    if (at == body->as.seq.n || !tirbi_can_resolve(body) ||
        !tirbi_distribute(all->pool, loops, vars.n, body, &parts))
        return NULL;
    bool pays = false;
    for (uint32_t i = 0; i < parts.n; i++) {
        const bool is_sum = is_guarded_sum(all->pool, loops, vars.n, parts.item[i]);
        if (!(parts.item[i] = nest_of(all->pool, loops, vars.n, parts.item[i]))) return NULL;
        pays = pays || (is_sum && gets_bounds(all, parts.item[i]));
    }
    return pays ? tirbi_new_sequence(all->pool, s->span, parts.item, parts.n) : NULL;
}

static const tirbi_ls *distribute_all(void *context, const tirbi_ls *s) {
    const nests *all = context;
    const tirbi_ls *other = s->kind == TIRBI_LS_LOOP ? distribute(all, s) : NULL;
    return other ? other : tirbi_replace_inside(all->pool, s, distribute_all, context);
}

const tirbi_ls *tirbi_distribute_guarded_sums(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled) {
    const uint32_t needed = TIRB_PASS_CONTRACT | TIRB_PASS_CLIP | TIRB_PASS_BOUNDS | TIRB_PASS_INTERCHANGE;
    nests all = {.pool = pool, .disabled = disabled};
    return disabled & needed ? body : distribute_all(&all, body);
}
