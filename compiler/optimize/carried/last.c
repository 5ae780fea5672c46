#include "compiler/optimize/carried/last.h"

#include "compiler/optimize/carried/search.h"
#include "compiler/optimize/rewriting/iteration.h"
#include "compiler/optimize/rewriting/rewrite.h"

enum {
    MAX_SETS = 8,
    LEAST = 8, /* iterations */
    FEW = 16   /* .. that a search takes longer to begin than to run */
};

/* A condition of an iteration, and what is set where it holds. */
typedef struct keeper {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_iteration it;
    const tirbi_ls *branch;         /* the item `at` */
    const tirbi_ls *sets[MAX_SETS]; /* assignments; where nothing else is done, also stores to what stands still */
    uint32_t n_sets;
    tirbi_lvar *last;     /* the number of the iteration that has set them, counted from 0, or -1 */
    const tirbi_lx *then; /* what stands for the loop's variable in it */
} keeper;

/* ---- What is set ------------------------------------------------------------------------------------------------ */

/* Whether a statement keeps what no other iteration looks at, if that is all that the loop does. */
static bool is_kept_only(const keeper *k, const tirbi_ls *s) {
    const tirbi_loop_set own = {.var = {k->loop->as.loop.var}, .n = 1};
    const tirbi_place *place = s->kind == TIRBI_LS_STORE ? s->as.store.access : NULL;
    if (place && !tirbi_stands_still(place, &own)) return false;
    for (uint32_t d = 0; place && d < place->ndim; d++)
        if (!tirbi_is_known_elsewhere(&k->it, place->indices[d])) return false;
    return tirbi_is_known_elsewhere(&k->it, place ? s->as.store.value : s->as.set.value);
}

/* Whether it sets a variable that nothing else sets, to what later iterations can compute as well. */
static bool is_sampled(const keeper *k, const tirbi_ls *s) {
    return s->kind == TIRBI_LS_SET && tirbi_times_set(&k->it, s->as.set.var) == 1 &&
           !tirbi_lx_depends_on(k->branch->as.if_.condition, s->as.set.var) &&
           tirbi_is_known_elsewhere(&k->it, s->as.set.value);
}

/* Whether item `at` is a condition under which variables are set, and perhaps elements. */
static bool read_branch(keeper *k) {
    const tirbi_ls *s = k->branch = k->it.item[k->it.at];
    k->n_sets = 0;
    if (s->kind != TIRBI_LS_IF || s->as.if_.else_case || s->as.if_.condition->traps ||
        !tirbi_list_statements(s->as.if_.then_case, k->sets, &k->n_sets, MAX_SETS))
        return false;
    for (uint32_t i = 0; i < k->n_sets; i++) {
        const tirbi_ls *set = k->sets[i];
        const bool assigns = set->kind == TIRBI_LS_SET && !set->as.set.declares;
        if (assigns ? set->as.set.var->kind != TIRBI_LVAR_LOCAL : set->kind != TIRBI_LS_STORE) return false;
    }
    return k->n_sets > 0;
}

/* ---- In an iteration -------------------------------------------------------------------------------------------- */

/* What is set in the iteration of that value of the loop's variable, where a condition holds. */
static const tirbi_ls *set_of(const keeper *k, const tirbi_lx *condition, const tirbi_lx *at) {
    const tirbi_ls *items[MAX_SETS];
    for (uint32_t i = 0; i < k->n_sets; i++) {
        const tirbi_ls *s = k->sets[i];
        items[i] = s->kind == TIRBI_LS_STORE
                       ? tirbi_code_with(k->pool, s, k->loop->as.loop.var, at)
                       : tirbi_with_value(k->pool, s, tirbi_value_elsewhere(&k->it, s->as.set.value, at));
    }
    return tirbi_new_if(k->pool, k->loop->span, condition, tirbi_items(&k->it, items, k->n_sets), NULL);
}

static bool read_loop(keeper *k, tirbi_lx_pool *pool, const tirbi_ls *loop) {
    k->pool = pool;
    k->loop = loop;
    k->last = NULL;
    return tirbi_read_iteration(&k->it, pool, loop);
}

/* ---- Where nothing else is done --------------------------------------------------------------------------------- */

/* What the loop's variable is in the iteration before so many others. */
static const tirbi_lx *value_before(const keeper *k, const tirbi_lx *others) {
    const tirbi_lvar *var = k->loop->as.loop.var;
    const tirbi_lx *behind = tirbi_lx_add(k->pool, var->min, var->extent),
                   *last = tirbi_lx_sub(k->pool, behind, tirbi_lx_number(k->pool, 1));
    const tirbi_lx *here = tirbi_lx_within(k->pool, tirbi_lx_sub(k->pool, last, others), var->lo, var->hi);
    return tirbi_lx_cast(k->pool, var->type, here);
}

/* Looks for the last iteration where the condition holds, from the end on; `found` is the number of those behind it. */
static const tirbi_ls *search_from_end(const keeper *k, tirbi_lvar *found) {
    const tirbi_lvar *var = k->loop->as.loop.var;
    tirbi_lvar *behind = tirbi_new_counter(k->pool, var, TIRB_I64, var->extent);
    const tirbi_lx *at = value_before(k, tirbi_lx_var(k->pool, behind));
    return tirbi_new_search(k->pool, k->loop->span, behind,
                            tirbi_value_with(k->pool, k->branch->as.if_.condition, var, at), found);
}

const tirbi_ls *tirbi_keep_last(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const tirbi_lx *extent = loop->as.loop.var->extent;
    keeper own, *k = &own;
    if (extent->hi <= FEW || !read_loop(k, pool, loop) || k->it.n != 1 || !read_branch(k) ||
        !tirbi_cannot_fail(k->branch->as.if_.then_case) ||
        !tirbi_is_known_elsewhere(&k->it, k->branch->as.if_.condition))
        return NULL;
    for (uint32_t i = 0; i < k->n_sets; i++)
        if (!is_kept_only(k, k->sets[i])) return NULL;
    tirbi_lvar *found = tirbi_new_variable(pool, TIRBI_LVAR_LET, "found", TIRB_I64, 0, extent->hi, loop->span);
    const tirbi_lx *behind = tirbi_lx_var(pool, found);
    const tirbi_ls *items[] = {
        search_from_end(k, found),
        set_of(k, tirbi_lx_wide(pool, TIRB_OP_LT, behind, extent), value_before(k, behind))};
    return tirbi_items(&k->it, items, 2);
}

/* ---- Where the iteration reads it ------------------------------------------------------------------------------- */

static const tirbi_lx *number(const keeper *k, int64_t n) { return tirbi_lx_int(k->pool, k->last->type, n); }

static const tirbi_lx *compute(const keeper *k, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_binary(k->pool, op, k->last->type, a, b);
}

static const tirbi_lx *is_set(const keeper *k) {
    return compute(k, TIRB_OP_GE, tirbi_lx_var(k->pool, k->last), number(k, 0));
}

static const tirbi_lx *replace_sampled(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const keeper *k = rewrite->context;
    for (uint32_t i = 0; x->kind == TIRBI_LX_VAR && i < k->n_sets; i++) {
        if (k->sets[i]->as.set.var != x->var) continue;
        const tirbi_lx *value = tirbi_value_elsewhere(&k->it, k->sets[i]->as.set.value, k->then);
        return tirbi_lx_lazy(k->pool, TIRBI_LX_COND, is_set(k), value, x);
    }
    return NULL;
}

/* Whether the loop's variable counts iterations in the type of `last`, with a constant more. */
static bool counts_alike(const keeper *k) {
    const tirbi_lvar *var = k->loop->as.loop.var;
    int64_t most;
    return var->type == k->last->type && var->min->kind == TIRBI_LX_CONST &&
           !__builtin_add_overflow(var->min->value, k->last->hi, &most) &&
           (var->type == TIRB_I64 || (var->min->value >= INT32_MIN && most <= INT32_MAX));
}

static const tirbi_lx *minimum(const keeper *k) { return number(k, k->loop->as.loop.var->min->value); }

/* The loop's variable in the iteration `last`, or in the first one. */
static const tirbi_lx *variable_then(const keeper *k) {
    const tirbi_lvar *var = k->loop->as.loop.var;
    const tirbi_lx *known = compute(k, TIRB_OP_MAX, tirbi_lx_var(k->pool, k->last), number(k, 0));
    if (counts_alike(k)) return compute(k, TIRB_OP_ADD, known, minimum(k));
    const tirbi_lx *wide = tirbi_lx_cast(k->pool, TIRB_I64, known);
    return tirbi_lx_cast(k->pool, var->type, tirbi_lx_add(k->pool, var->min, wide));
}

/* The number of this iteration. */
static const tirbi_lx *number_now(const keeper *k) {
    tirbi_lvar *var = k->loop->as.loop.var;
    const tirbi_lx *now = tirbi_lx_var(k->pool, var);
    if (counts_alike(k)) return compute(k, TIRB_OP_SUB, now, minimum(k));
    const tirbi_lx *wide = tirbi_lx_sub(k->pool, tirbi_lx_cast(k->pool, TIRB_I64, now), var->min);
    return tirbi_lx_cast(k->pool, k->last->type, wide);
}

/* last = max(last, this iteration where the condition holds) */
static const tirbi_ls *note_last(const keeper *k) {
    const tirbi_lx *now = number_now(k), *none = number(k, -1);
    const tirbi_lx *seen = tirbi_lx_lazy(k->pool, TIRBI_LX_COND, k->branch->as.if_.condition, now, none);
    return tirbi_new_set(k->pool, k->loop->span, k->last,
                         compute(k, TIRB_OP_MAX, tirbi_lx_var(k->pool, k->last), seen), false);
}

static const tirbi_ls *new_loop(const keeper *k) {
    tirbi_rewrite rewrite = {.pool = k->pool, .replace = replace_sampled, .context = (void *)(uintptr_t)k};
    const tirbi_ls *items[TIRBI_MAX_ITEMS];
    for (uint32_t i = 0; i < k->it.n; i++)
        items[i] = i == k->it.at ? note_last(k) : tirbi_rewrite_stmt(&rewrite, k->it.item[i]);
    tirbi_ls *loop = tirbi_loop_like(k->pool, k->loop, NULL, tirbi_items(&k->it, items, k->it.n));
    if (loop) loop->as.loop.parallel = false; /* the loop itself was asked for chunks */
    return loop;
}

/* Finds a condition that only sets what others read. */
static bool find_sampled(keeper *k) {
    for (; k->it.at < k->it.n; k->it.at++) {
        uint32_t i = 0;
        if (!read_branch(k)) continue;
        while (i < k->n_sets && is_sampled(k, k->sets[i])) i++;
        if (i == k->n_sets) return true;
    }
    return false;
}

bool tirbi_carry_last(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const int64_t most = loop->as.loop.var->extent->hi - 1;
    keeper own, *k = &own;
    if (most < LEAST - 1 || !read_loop(k, pool, loop) || k->it.n < 2 || !find_sampled(k)) return false;
    k->last = tirbi_new_variable(pool, TIRBI_LVAR_LOCAL, "last", most < INT32_MAX ? TIRB_I32 : TIRB_I64, -1, most,
                                 loop->span);
    k->then = k->last ? variable_then(k) : NULL;
    if (!k->then) return false;
    const tirbi_ls *parts[3] = {tirbi_new_set(pool, loop->span, k->last, number(k, -1), true), new_loop(k),
                                set_of(k, is_set(k), k->then)};
    out->loop = parts[1];
    out->stmt = tirbi_items(&k->it, parts, 3);
    return out->stmt != NULL;
}
