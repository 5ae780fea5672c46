#include "compiler/optimize/carried/sampled.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_ITEMS = 32, MAX_PLACES = 32, MAX_SETS = 4, MAX_SIZE = 32, LEAST = 8 };

typedef struct sampler {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    const tirbi_ls *items[MAX_ITEMS];
    uint32_t n, at; /* the condition is the item `at` */
    const tirbi_ls *sets[MAX_SETS];
    uint32_t n_sets;
    tirbi_reached places[MAX_PLACES];
    tirbi_accesses reached; /* by the body */
    tirbi_loop_set all;     /* variables that it sets */
    tirbi_lvar *last;       /* the iteration that has set them, counted from 0, or -1 */
    const tirbi_lx *then;   /* what stands for the loop's variable in it */
} sampler;

static uint32_t times_set(const sampler *s, const tirbi_lvar *var) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->all.n; i++) n += s->all.var[i] == var;
    return n;
}

/* Whether a node of a value cannot be computed in later iterations as it is in this one. */
static bool passes(const void *context, const tirbi_lx *x) {
    const sampler *s = context;
    if (x->traps || x->kind == TIRBI_LX_CALL || x->size > MAX_SIZE) return true;
    return x->kind == TIRBI_LX_VAR ? times_set(s, x->var) > 0
                                   : x->kind == TIRBI_LX_LOAD && tirbi_is_written(&s->reached, x->access->buffer->root);
}

/* Whether an item is a condition under which variables are set that nothing else sets. */
static bool samples(sampler *s, const tirbi_ls *item) {
    s->n_sets = 0;
    if (item->kind != TIRBI_LS_IF || item->as.if_.first_of || item->as.if_.else_case || item->as.if_.condition->traps ||
        !tirbi_list_statements(item->as.if_.then_case, s->sets, &s->n_sets, MAX_SETS) || s->n_sets == 0)
        return false;
    for (uint32_t i = 0; i < s->n_sets; i++) {
        const tirbi_ls *set = s->sets[i];
        const tirbi_lvar *var = set->kind == TIRBI_LS_SET && !set->as.set.declares ? set->as.set.var : NULL;
        if (!var || var->kind != TIRBI_LVAR_LOCAL || times_set(s, var) != 1 ||
            tirbi_lx_depends_on(item->as.if_.condition, var) ||
            tirbi_any_expr(set->as.set.value, TIRBI_WALK_INDICES, passes, s))
            return false;
    }
    return true;
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

static const tirbi_lx *number(const sampler *s, int64_t n) { return tirbi_lx_int(s->pool, s->last->type, n); }

static const tirbi_lx *compute(const sampler *s, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_binary(s->pool, op, s->last->type, a, b);
}

/* What an assignment of the iteration `last` has set. */
static const tirbi_lx *value_then(const sampler *s, const tirbi_ls *set) {
    return tirbi_value_with(s->pool, set->as.set.value, s->loop->as.loop.var, s->then);
}

static const tirbi_lx *is_set(const sampler *s) {
    return compute(s, TIRB_OP_GE, tirbi_lx_var(s->pool, s->last), number(s, 0));
}

static const tirbi_lx *replace_sampled(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const sampler *s = rewrite->context;
    for (uint32_t i = 0; x->kind == TIRBI_LX_VAR && i < s->n_sets; i++) {
        if (s->sets[i]->as.set.var != x->var) continue;
        const tirbi_lx *value = value_then(s, s->sets[i]), *chosen = is_set(s);
        return tirbi_lx_lazy(s->pool, TIRBI_LX_COND, chosen, value, x);
    }
    return NULL;
}

/* Whether the loop's variable counts iterations in the type of `last`, with a constant more. */
static bool counts_alike(const sampler *s) {
    const tirbi_lvar *var = s->loop->as.loop.var;
    int64_t most;
    return var->type == s->last->type && var->min->kind == TIRBI_LX_CONST &&
           !__builtin_add_overflow(var->min->value, s->last->hi, &most) &&
           (var->type == TIRB_I64 || (var->min->value >= INT32_MIN && most <= INT32_MAX));
}

static const tirbi_lx *minimum(const sampler *s) { return number(s, s->loop->as.loop.var->min->value); }

/* The loop's variable in the iteration `last`, or in the first one. */
static const tirbi_lx *variable_then(const sampler *s) {
    const tirbi_lvar *var = s->loop->as.loop.var;
    const tirbi_lx *known = compute(s, TIRB_OP_MAX, tirbi_lx_var(s->pool, s->last), number(s, 0));
    if (counts_alike(s)) return compute(s, TIRB_OP_ADD, known, minimum(s));
    const tirbi_lx *wide = tirbi_lx_cast(s->pool, TIRB_I64, known);
    return tirbi_lx_cast(s->pool, var->type, tirbi_lx_add(s->pool, var->min, wide));
}

/* The number of this iteration. */
static const tirbi_lx *number_now(const sampler *s) {
    tirbi_lvar *var = s->loop->as.loop.var;
    const tirbi_lx *now = tirbi_lx_var(s->pool, var);
    if (counts_alike(s)) return compute(s, TIRB_OP_SUB, now, minimum(s));
    const tirbi_lx *wide = tirbi_lx_sub(s->pool, tirbi_lx_cast(s->pool, TIRB_I64, now), var->min);
    return tirbi_lx_cast(s->pool, s->last->type, wide);
}

/* last = max(last, this iteration where the condition holds) */
static const tirbi_ls *note_last(const sampler *s) {
    const tirbi_lx *now = number_now(s), *none = number(s, -1);
    if (!now || !none) return NULL;
    const tirbi_lx *seen = tirbi_lx_lazy(s->pool, TIRBI_LX_COND, s->items[s->at]->as.if_.condition, now, none);
    return tirbi_new_set(s->pool, s->loop->span, s->last, compute(s, TIRB_OP_MAX, tirbi_lx_var(s->pool, s->last), seen),
                         false);
}

static const tirbi_ls *new_loop(const sampler *s) {
    tirbi_rewrite rewrite = {.pool = s->pool, .replace = replace_sampled, .context = (void *)(uintptr_t)s};
    const tirbi_ls *items[MAX_ITEMS];
    tirbi_ls *loop = tirbi_same_stmt(s->pool, s->loop);
    if (!loop) return NULL;
    for (uint32_t i = 0; i < s->n; i++) {
        items[i] = i == s->at ? note_last(s) : tirbi_rewrite_stmt(&rewrite, s->items[i]);
        if (!items[i]) return NULL;
    }
    loop->as.loop.parallel = false; /* the loop itself was asked for chunks */
    loop->as.loop.body = tirbi_new_sequence(s->pool, s->loop->span, items, s->n);
    return loop->as.loop.body ? loop : NULL;
}

/* What the variables are behind the loop. */
static const tirbi_ls *set_behind(const sampler *s) {
    const tirbi_ls *items[MAX_SETS];
    for (uint32_t i = 0; i < s->n_sets; i++)
        items[i] = tirbi_new_set(s->pool, s->loop->span, s->sets[i]->as.set.var, value_then(s, s->sets[i]), false);
    const tirbi_ls *all = tirbi_new_sequence(s->pool, s->loop->span, items, s->n_sets);
    return tirbi_new_if(s->pool, s->loop->span, is_set(s), all, NULL);
}

bool tirbi_carry_last(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (loop->as.loop.body->kind != TIRBI_LS_SEQ || !tirbi_is_plain_loop(loop) || var->extent->hi < LEAST)
        return false;
    sampler *s = TIRBI_NEW(pool->arena, sampler);
    const int64_t most = var->extent->hi - 1;
    const tirbi_dtype type = most < INT32_MAX ? TIRB_I32 : TIRB_I64;
    tirbi_lvar *last = tirbi_new_variable(pool, TIRBI_LVAR_LOCAL, "last", type, -1, most, loop->span);
    if (!s || !last) return false;
    *s = (sampler){.pool = pool, .loop = loop, .last = last};
    s->reached = (tirbi_accesses){.item = s->places, .most = MAX_PLACES, .sets = &s->all};
    if (!tirbi_list_statements(loop->as.loop.body, s->items, &s->n, MAX_ITEMS) ||
        !tirbi_find_accesses(&s->reached, loop->as.loop.body))
        return false;
    while (s->at < s->n && !samples(s, s->items[s->at])) s->at++;
    s->then = variable_then(s);
    if (s->at == s->n || !s->then) return false;
    const tirbi_ls *parts[3] = {tirbi_new_set(pool, loop->span, last, number(s, -1), true), new_loop(s), set_behind(s)};
    out->loop = parts[1];
    out->stmt = tirbi_new_sequence(pool, loop->span, parts, 3);
    return out->stmt != NULL;
}
