#include "compiler/optimize/cuts/wrapped.h"

#include "compiler/loop/exact.h"
#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/order.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_SIZES = 4, MAX_DEPTH = 16 };

typedef struct unwrapper {
    tirbi_lx_pool *pool;
    const tirbi_lx *size[MAX_SIZES]; /* that indices go around which may wrap where it is large */
    uint32_t n;
    bool any;
} unwrapper;

/* Whether a variable stays below a size and is not negative, so that there the size is 1 at least. */
static bool counts_to(const tirbi_lvar *var, const tirbi_lx *size) {
    const bool all = tirbi_lx_before_cast(var->extent) == size,
               part = var->below && var->lo >= 0 && tirbi_lx_before_cast(var->below) == size;
    return var->kind == TIRBI_LVAR_LOOP && (all || part);
}

/* Whether x is a sum of variables and constants in its type, so that it is right where its value fits, whatever its
 * parts are; `counts` becomes true where one of them shows that `size` is not 0. */
static bool is_sum(const tirbi_lx *x, const tirbi_lx *size, bool *counts, unsigned depth) {
    if (x->kind == TIRBI_LX_CONST) return true;
    if (depth == MAX_DEPTH) return false;
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST) {
        const tirbi_lx *inside = tirbi_lx_before_cast(x);
        return inside->kind == TIRBI_LX_VAR && is_sum(inside, size, counts, depth + 1);
    }
    if (x->kind == TIRBI_LX_VAR) {
        if (x->var->kind == TIRBI_LVAR_LOOP && counts_to(x->var, size)) *counts = true;
        return x->var->kind == TIRBI_LVAR_LOOP || x->var->kind == TIRBI_LVAR_PARAM;
    }
    return x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_ADD || x->op == TIRB_OP_SUB) &&
           is_sum(x->args[0], size, counts, depth + 1) && is_sum(x->args[1], size, counts, depth + 1);
}

/* What a remainder goes around, or NULL where it is none of a sum that counts in a loop. */
static const tirbi_lx *size_of(const tirbi_lx *x) {
    bool counts = false;
    if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_FLOORMOD || (x->type != TIRB_I32 && x->type != TIRB_I64))
        return NULL;
    const tirbi_lx *size = tirbi_lx_before_cast(x->args[1]);
    if (size->kind != TIRBI_LX_VAR || size->var->kind != TIRBI_LVAR_PARAM || !is_sum(x->args[0], size, &counts, 0))
        return NULL;
    return counts ? size : NULL;
}

static bool note_size(unwrapper *u, const tirbi_lx *size) {
    for (uint32_t i = 0; i < u->n; i++) {
        if (u->size[i] == size) return true;
    }
    if (u->n == MAX_SIZES) return false;
    u->size[u->n++] = size;
    return true;
}

/* Whether an index is from `from` times a size on. A size is 1 at least. */
static bool begins_at(const tirbi_lx *index, const tirbi_lx *n, int64_t from) {
    if (from == 0 && index->lo >= 0) return true;
    return tirbi_never_below(index, from, n, 0) || tirbi_never_below(index, from + 1, n, -1);
}

/* Whether it is below `to` times a size. */
static bool ends_at(const tirbi_lx *index, const tirbi_lx *n, int64_t to) {
    for (int64_t k = to; k > 0; k--)
        if (tirbi_always_below(index, k, n, to - k)) return true;
    return false;
}

/* A sum without a term that it has; NULL: it has none. Whether parts of it wrap makes no difference. */
static const tirbi_lx *without_term(tirbi_lx_pool *pool, const tirbi_lx *sum, const tirbi_lx *term) {
    if (sum == term) return tirbi_lx_int(pool, (tirbi_dtype)sum->type, 0);
    if (sum->kind != TIRBI_LX_OP || (sum->op != TIRB_OP_ADD && sum->op != TIRB_OP_SUB)) return NULL;
    const tirbi_lx *a = without_term(pool, sum->args[0], term), *b = sum->args[1];
    if (!a && sum->op == TIRB_OP_ADD && (b = without_term(pool, b, term)) != NULL) a = sum->args[0];
    return a ? tirbi_lx_binary(pool, (tirbi_op)sum->op, (tirbi_dtype)sum->type, a, b) : NULL;
}

/* An index without as many times a size. */
static const tirbi_lx *without(tirbi_lx_pool *pool, const tirbi_lx *index, const tirbi_lx *size, int64_t times) {
    const tirbi_dtype type = (tirbi_dtype)index->type;
    if (times < 0) return tirbi_lx_binary(pool, TIRB_OP_ADD, type, index, size);
    for (; times > 0 && index; times--) {
        const tirbi_lx *rest = without_term(pool, index, size);
        index = rest ? rest : tirbi_lx_binary(pool, TIRB_OP_SUB, type, index, size);
    }
    return index;
}

/* A remainder whose numerator is from -1 to 3 times the size, as a choice of sums that each lie inside. */
static const tirbi_lx *unwrap(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    unwrapper *u = rewrite->context;
    const tirbi_lx *size = size_of(x);
    if (!size) return NULL;
    const tirbi_lx *n = tirbi_lx_cast(u->pool, TIRB_I64, size),
                   *wide = tirbi_value_in_type(u->pool, TIRB_I64, x->args[0]);
    if (!n || !wide) return NULL;
    int64_t from = 0, to = 1;
    while (from > -1 && !begins_at(wide, n, from)) from--;
    while (to < 3 && !ends_at(wide, n, to)) to++;
    if (!begins_at(wide, n, from) || !ends_at(wide, n, to)) return NULL;
    if (!tirbi_is_exact(x->args[0], NULL) && !note_size(u, size)) return NULL;
    const tirbi_lx *index = tirbi_rewrite_value(rewrite, x->args[0]); /* loops have other variables in the copy */
    wide = tirbi_value_in_type(u->pool, TIRB_I64, index);
    const tirbi_lx *chosen = wide ? without(u->pool, index, x->args[1], to - 1) : NULL;
    for (int64_t k = to - 2; k >= from && chosen; k--) {
        const tirbi_lx *in_place = tirbi_lx_wide(u->pool, TIRB_OP_LT, without(u->pool, wide, n, k), n);
        chosen = tirbi_lx_lazy(u->pool, TIRBI_LX_COND, in_place, without(u->pool, index, x->args[1], k), chosen);
    }
    u->any = true;
    return chosen;
}

/* ---- Whether there are any -------------------------------------------------------------------------------------- */

static bool is_remainder(const void *context, const tirbi_lx *x) {
    (void)context;
    return size_of(x) != NULL;
}

/* Where sums that go around these sizes are not more than their types hold; NULL: everywhere. */
static const tirbi_lx *are_not_large(const unwrapper *u) {
    const tirbi_lx *all = NULL;
    for (uint32_t i = 0; i < u->n; i++) {
        const int64_t most = INT64_C(1) << (tirbi_dtypes[u->size[i]->type].bits - 3);
        if (u->size[i]->var->hi <= most) continue;
        const tirbi_lx *n = tirbi_lx_cast(u->pool, TIRB_I64, u->size[i]);
        all = tirbi_lx_and(u->pool, all, tirbi_lx_with(u->pool, TIRB_OP_LE, n, most));
    }
    return all;
}

/* A condition of one like another, or of its own kind, over these cases. */
static const tirbi_ls *condition_like(tirbi_lx_pool *pool, const tirbi_ls *like, const tirbi_lx *condition,
                                      const tirbi_ls *then_case, const tirbi_ls *else_case) {
    tirbi_ls *branch = then_case ? tirbi_new_stmt(pool, TIRBI_LS_IF, like->span) : NULL;
    if (!branch) return NULL;
    if (like->kind == TIRBI_LS_IF) branch->as.if_ = like->as.if_;
    branch->as.if_.condition = condition;
    branch->as.if_.then_case = then_case;
    branch->as.if_.else_case = else_case;
    return branch;
}

static const tirbi_ls *unwrap_nests(void *context, const tirbi_ls *s) {
    tirbi_lx_pool *pool = context;
    if (s->kind == TIRBI_LS_IF && s->as.if_.sizes) /* for other sizes all stays as it is */
        return condition_like(pool, s, s->as.if_.condition, unwrap_nests(pool, s->as.if_.then_case),
                              s->as.if_.else_case);
    if (s->kind != TIRBI_LS_LOOP) return tirbi_replace_inside(pool, s, unwrap_nests, pool);
    if (!tirbi_any_value(s, TIRBI_WALK_PLACES, is_remainder, NULL)) return s;
    unwrapper u = {.pool = pool};
    tirbi_rewrite rewrite = {.pool = pool, .replace = unwrap, .context = &u, .kinds = TIRBI_ANY_CODE,
                              .anew = TIRBI_ALL_ANEW};
    const tirbi_ls *unwrapped = tirbi_rewrite_stmt(&rewrite, s);
    if (!unwrapped || !u.any) return s;
    const tirbi_lx *condition = are_not_large(&u);
    return condition ? condition_like(pool, s, condition, unwrapped, s) : unwrapped;
}

const tirbi_ls *tirbi_unwrap_indices(tirbi_lx_pool *pool, const tirbi_ls *body) {
    return body ? unwrap_nests(pool, body) : NULL;
}
