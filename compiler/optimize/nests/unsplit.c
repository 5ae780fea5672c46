/* The condition x < bound, where x counts the iterations of two loops of which the one is all of the other's body
 * (x = io * 32 + ii, where ii runs from 0 to 31), holds for the first `bound` values of x, and each value is one
 * iteration vector of these loops. So one loop over x can take their place, if nothing but x is made of their
 * variables. Others keep their loops, with the condition as a bound. */
#include "compiler/optimize/nests/unsplit.h"

#include <stdio.h>
#include <string.h>

#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/normalise/forward.h"
#include "compiler/optimize/rewriting/guards.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "compiler/pipeline/switches.h"
#include "loader/base/checked.h"

typedef struct joiner {
    tirbi_lx_pool *pool;
    tirbi_loop_set loops;
    bool joins[TIRBI_MAX_AFFINE];   /* which of them are joined */
    int64_t unit[TIRBI_MAX_AFFINE]; /* what one iteration of each is worth */
    tirbi_loop_set group;           /* those */
    int64_t group_unit[TIRBI_MAX_AFFINE];
    tirbi_lvar *joined;
    bool failed;
} joiner;

/* ---- The counter ------------------------------------------------------------------------------------------------ */

/* Whether x counts the iterations of two or more loops: the fastest by 1, each other one by all of those below it. */
static bool counts(joiner *j, const tirbi_lx *x) {
    tirbi_affine form;
    if (!tirbi_affine_of(j->pool, x, &j->loops, &form) || !tirbi_lx_is_int(form.start, 0)) return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->loops.n; i++) {
        j->joins[i] = form.coefficient[i] != NULL;
        n += j->joins[i];
        if (!tirbi_affine_constant(&form, i, &j->unit[i])) return false;
    }
    int64_t expected = 1;
    for (uint32_t left = n; left > 0; left--) {
        uint32_t at = 0;
        while (at < j->loops.n && !(j->joins[at] && j->unit[at] == expected)) at++;
        if (at == j->loops.n || !tirbi_lx_is_int(j->loops.var[at]->min, 0)) return false;
        const tirbi_lx *extent = j->loops.var[at]->extent;
        bool slowest = left == 1;
        if (!slowest && (extent->kind != TIRBI_LX_CONST || extent->value < 2 ||
                         __builtin_mul_overflow(expected, extent->value, &expected))) {
            return false;
        }
    }
    return n >= 2;
}

/* Whether the loops count to at least `bound`: the slowest is as long as it takes, (bound + size - 1) // size. */
static bool reach(const joiner *j, const tirbi_lx *bound) {
    const tirbi_lx *rounds = NULL;
    int64_t size = 1, least, most;
    for (uint32_t i = 0; i < j->group.n; i++) {
        const tirbi_lx *extent = j->group.var[i]->extent;
        if (extent->kind == TIRBI_LX_CONST) {
            if (!tirbi_mul_i64(size, extent->value, &size)) return false;
        } else if (rounds) {
            return false;
        } else {
            rounds = tirbi_lx_before_cast(extent);
        }
    }
    if (!rounds || rounds->kind != TIRBI_LX_OP || (rounds->op != TIRB_OP_FLOORDIV && rounds->op != TIRB_OP_DIV) ||
        !tirbi_lx_is_int(rounds->args[1], size))
        return false;
    const tirbi_lx *sum = rounds->args[0];
    tirbi_type_range((tirbi_dtype)sum->type, &least, &most);
    return sum->kind == TIRBI_LX_OP && sum->op == TIRB_OP_ADD && tirbi_lx_is_int(sum->args[1], size - 1) &&
           sum->args[0]->lo >= 0 && sum->args[0]->hi <= most - (size - 1) &&
           tirbi_lx_before_cast(sum->args[0]) == tirbi_lx_before_cast(bound);
}

/* The loop over x up to `bound`. */
static bool make_joined(joiner *j, const tirbi_lx *x, const tirbi_lx *bound) {
    tirbi_lx_pool *pool = j->pool;
    const tirbi_lx *all = NULL;
    const tirbi_lvar *outer = NULL;
    enum { MOST = 40 };
    char name[TIRBI_MAX_AFFINE * (MOST + 2) + 1] = "";
    j->group.n = 0;
    for (uint32_t i = 0; i < j->loops.n; i++) {
        if (!j->joins[i]) continue;
        tirbi_lvar *var = j->loops.var[i];
        size_t size = strlen(name);
        snprintf(name + size, sizeof(name) - size, "%s%.*s", size ? ", " : "", tirbi_beginning_of(var->name, MOST),
                 var->name);
        j->group_unit[j->group.n] = j->unit[i];
        j->group.var[j->group.n++] = var;
        all = all ? tirbi_lx_mul(pool, all, var->extent) : var->extent;
        if (!outer) outer = var;
    }
    const tirbi_lx *zero = tirbi_lx_number(pool, 0);
    const tirbi_lx *wide = tirbi_lx_cast(pool, TIRB_I64, bound);
    const tirbi_lx *most = tirbi_lx_wide(pool, TIRB_OP_MAX, wide, zero);
    const tirbi_lx *extent = most && all && !reach(j, bound) ? tirbi_lx_wide(pool, TIRB_OP_MIN, all, most) : most;
    j->joined = tirbi_counter_like(pool, outer, extent);
    if (!j->joined) return false;
    j->joined->name = tirbi_arena_text(pool->arena, name, strlen(name));
    j->joined->type = (tirbi_dtype)x->type;
    j->joined->below = wide;
    return j->joined->name != NULL;
}

/* ---- The nest --------------------------------------------------------------------------------------------------- */

/* A sum in which the counter is one term, times a constant. */
static const tirbi_lx *by_counter(joiner *j, const tirbi_lx *x) {
    tirbi_affine form;
    int64_t factor = 0, c;
    if (!tirbi_dtype_is_int((tirbi_dtype)x->type) || !tirbi_affine_modulo(j->pool, x, &j->group, &form)) return NULL;
    for (uint32_t i = 0; i < j->group.n; i++) {
        if (!tirbi_affine_constant(&form, i, &c) || c % j->group_unit[i] != 0) return NULL;
        if (i == 0) factor = c / j->group_unit[i];
        if (c / j->group_unit[i] != factor) return NULL;
    }
    const tirbi_lx *counter = tirbi_lx_var(j->pool, j->joined);
    if (factor == 1 && x->type == j->joined->type && tirbi_lx_is_int(form.start, 0)) return counter;
    const tirbi_lx *scaled =
        tirbi_lx_mul(j->pool, tirbi_lx_cast(j->pool, TIRB_I64, counter), tirbi_lx_number(j->pool, factor));
    const tirbi_lx *sum = tirbi_lx_add(j->pool, form.start, scaled);
    return tirbi_value_in_type(j->pool, (tirbi_dtype)x->type, sum);
}

static const tirbi_lx *plus(joiner *j, const tirbi_lx *a, const tirbi_lx *b) {
    return !a ? b : tirbi_lx_binary(j->pool, TIRB_OP_ADD, (tirbi_dtype)b->type, a, b);
}

/* Adds the terms of a sum, in whatever order they stand, to what is pure and what is not. */
static bool add_terms(joiner *j, const tirbi_lx *x, const tirbi_lx **pure, const tirbi_lx **rest, unsigned depth) {
    if (depth > 0 && !x->pure && x->kind == TIRBI_LX_OP && x->op == TIRB_OP_ADD)
        return add_terms(j, x->args[0], pure, rest, depth - 1) && add_terms(j, x->args[1], pure, rest, depth - 1);
    const tirbi_lx **to = x->pure ? pure : rest;
    *to = plus(j, *to, x);
    return *to != NULL;
}

/* A sum that loads what stands still in the loops: ids[i] * 64 + io * 8 + ii. */
static const tirbi_lx *beside_counter(joiner *j, tirbi_rewrite *rewrite, const tirbi_lx *x) {
    enum { DEEPEST = 8 };
    const tirbi_lx *pure = NULL, *rest = NULL;
    if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_ADD || !tirbi_dtype_is_int((tirbi_dtype)x->type) ||
        !add_terms(j, x, &pure, &rest, DEEPEST) || !pure || !rest || !tirbi_mentions_loops(pure, &j->group))
        return NULL;
    const tirbi_lx *counted = by_counter(j, pure), *other = counted ? tirbi_rewrite_value(rewrite, rest) : NULL;
    return other ? plus(j, other, counted) : NULL;
}

static const tirbi_lx *replace_counter(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    joiner *j = rewrite->context;
    if (!x->pure) return beside_counter(j, rewrite, x);
    if (!tirbi_mentions_loops(x, &j->group)) return NULL;
    const tirbi_lx *other = by_counter(j, x);
    j->failed = j->failed || (!other && x->kind == TIRBI_LX_VAR);
    return other;
}

/* A body with the joined loop's counter in place of those of its parts; NULL: something else is made of them. */
static const tirbi_ls *join_body(joiner *j, const tirbi_ls *body) {
    tirbi_rewrite rewrite = {.pool = j->pool,
                             .replace = replace_counter,
                             .context = j,
                             .kinds = TIRBI_ANY_CODE,
                             .from = j->group.var,
                             .n_from = j->group.n,
                             .to = &j->joined,
                             .n_to = 1};
    const tirbi_ls *joined = tirbi_may_recount(body, &j->group) ? tirbi_rewrite_stmt(&rewrite, body) : NULL;
    return j->failed ? NULL : joined;
}

/* ---- Neighbours ------------------------------------------------------------------------------------------------- */

/* Two loops of which the one is all of the other's body count one after the other, whatever is in them: joined, they
 * keep their order. So all in them may stand under the condition, in other loops too; what is without it is a value. */
typedef struct neighbours {
    joiner j;
    const tirbi_lx *bound; /* of the first condition that was found */
} neighbours;

/* Whether a condition's term says that the counter is below a bound, the same in all of them. */
static bool limits_counter(void *context, const tirbi_lx *x) {
    neighbours *n = context;
    if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_LT || tirbi_mentions_loops(x->args[1], &n->j.loops) ||
        !tirbi_dtype_is_int((tirbi_dtype)x->args[1]->type) || x->args[1]->type == TIRB_U64)
        return false;
    if (n->bound) return x->args[1] == n->bound && counts(&n->j, x->args[0]);
    if (!counts(&n->j, x->args[0]) || !make_joined(&n->j, x->args[0], x->args[1])) return false;
    n->bound = x->args[1];
    return true;
}

/* The number of an iteration among those of two loops, where it cannot wrap; NULL: it can. */
static const tirbi_lx *number_of(tirbi_lx_pool *pool, tirbi_lvar *outer, tirbi_lvar *inner) {
    const tirbi_dtype type = outer->type;
    int64_t lo, hi, most;
    tirbi_type_range(type, &lo, &hi);
    if (type != inner->type || outer->lo < 0 || !tirbi_mul_i64(outer->hi, inner->extent->value, &most) ||
        most > hi - inner->extent->value)
        return NULL;
    const tirbi_lx *scaled = tirbi_lx_binary(pool, TIRB_OP_MUL, type, tirbi_lx_var(pool, outer),
                                             tirbi_lx_int(pool, type, inner->extent->value));
    return tirbi_lx_binary(pool, TIRB_OP_ADD, type, scaled, tirbi_lx_var(pool, inner));
}

/* Joins the loops where nothing limits the counter: to all that they count together. */
static bool join_all_of(joiner *j, tirbi_lvar *outer, tirbi_lvar *inner) {
    const tirbi_lx *number = number_of(j->pool, outer, inner);
    const tirbi_lx *all = number ? tirbi_lx_mul(j->pool, outer->extent, inner->extent) : NULL;
    if (!all || !counts(j, number) || !make_joined(j, number, all)) return false;
    j->joined->extent = all;
    j->joined->below = NULL;
    j->joined->hi = all->hi > 0 ? all->hi - 1 : 0;
    return true;
}

/* Whether a condition is a bound of a sum that these loops' variables are in, and others', if there are any. */
static bool bounds_sum(const tirbi_lx *x, const tirbi_loop_set *loops, const tirbi_loop_set *others) {
    if (tirbi_is_conjunction(x))
        return bounds_sum(x->args[0], loops, others) || bounds_sum(x->args[1], loops, others);
    return x->kind == TIRBI_LX_OP && x->op == TIRB_OP_LT && tirbi_mentions_loops(x->args[0], loops) &&
           (others->n == 0 || tirbi_mentions_loops(x->args[0], others)) && !tirbi_mentions_loops(x->args[1], loops) &&
           !tirbi_mentions_loops(x->args[1], others);
}

/* Whether a condition on all that is in these loops is a bound of what they count together with loops inside of them,
 * or, if `alone`, without such: they are to be one where more is known of that. */
static bool is_bounded(const neighbours *n, const tirbi_ls *body, bool alone) {
    tirbi_loop_set others = {.n = 0};
    for (; body->kind == TIRBI_LS_LOOP && others.n < TIRBI_MAX_AFFINE; body = body->as.loop.body)
        others.var[others.n++] = body->as.loop.var;
    return tirbi_is_guard(body) && (alone || others.n > 0) &&
           bounds_sum(body->as.if_.condition, &n->j.loops, &others);
}

/* A loop and the one that is all of its body as one loop; NULL where they do not count one number, together with what
 * limits that, if `limited`. */
static const tirbi_ls *join_neighbours(tirbi_lx_pool *pool, const tirbi_ls *loop, bool limited) {
    const tirbi_ls *inner = tirbi_loop_inside(loop);
    if (!inner || !tirbi_is_plain_loop(loop) || !tirbi_is_plain_loop(inner) ||
        inner->as.loop.var->extent->kind != TIRBI_LX_CONST)
        return NULL;
    tirbi_lvar *outer = loop->as.loop.var;
    neighbours n = {.j = {.pool = pool, .loops = {.var = {outer, inner->as.loop.var}, .n = 2}}};
    tirbi_guards guards = {.pool = pool, .takes = limits_counter, .context = &n};
    const tirbi_ls *body = tirbi_without_guard(&guards, inner->as.loop.body);
    if (n.bound && !limited) return NULL;
    if (!body || !n.bound) {
        body = inner->as.loop.body;
        if (is_bounded(&n, body, !limited) || !join_all_of(&n.j, outer, inner->as.loop.var)) return NULL;
    }
    return tirbi_loop_like(pool, loop, n.j.joined, join_body(&n.j, body));
}

static const tirbi_ls *join_whole(void *pool, const tirbi_ls *s) {
    const tirbi_ls *joined = s->kind == TIRBI_LS_LOOP ? join_neighbours(pool, s, false) : NULL;
    return joined ? join_whole(pool, joined) : tirbi_replace_inside(pool, s, join_whole, pool);
}

const tirbi_ls *tirbi_join_whole_splits(tirbi_lx_pool *pool, const tirbi_ls *s, uint32_t disabled) {
    return disabled & TIRB_PASS_UNSPLIT ? s : join_whole(pool, s);
}

static const tirbi_ls *join_all(void *pool, const tirbi_ls *s) {
    const tirbi_ls *joined = s->kind == TIRBI_LS_LOOP ? join_neighbours(pool, s, true) : NULL;
    return joined ? join_all(pool, joined) : tirbi_replace_inside(pool, s, join_all, pool);
}

/* Of loops that have become one, more is proven than of those with a condition: whether these may count upwards, or
 * hold their sums in the elements that they are stored to. */
const tirbi_ls *tirbi_join_splits(tirbi_lx_pool *pool, const tirbi_ls *s) {
    const tirbi_ls *joined = join_all(pool, s);
    return joined != s ? tirbi_forward_values(pool, joined) : s;
}
