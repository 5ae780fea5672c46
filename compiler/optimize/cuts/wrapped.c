#include "compiler/optimize/cuts/wrapped.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/order.h"
#include "compiler/optimize/rewriting/rewrite.h"

enum { MAX_SIZES = 4, MAX_DEPTH = 16 };

typedef struct unwrapper {
    tirbi_lx_pool *pool;
    const tirbi_lx *size[MAX_SIZES]; /* that indices go around */
    uint32_t n;
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

/* Whether an index is from `from` times a size up to below `to` times that. A size is 1 at least. */
static bool is_between(const tirbi_lx *index, const tirbi_lx *n, int64_t from, int64_t to) {
    if (from == 0 && index->lo < 0 && !tirbi_never_below(index, 0, n, 0) && !tirbi_never_below(index, 1, n, -1))
        return false;
    if (from < 0 && !tirbi_never_below(index, 0, n, -1)) return false;
    return tirbi_always_below(index, 1, n, to > 1) || (to > 1 && tirbi_always_below(index, 2, n, 0));
}

/* A remainder whose numerator goes around at most once, as a choice. */
static const tirbi_lx *unwrap(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    unwrapper *u = rewrite->context;
    const tirbi_dtype type = (tirbi_dtype)x->type;
    const tirbi_lx *size = size_of(x);
    if (!size) return NULL;
    const tirbi_lx *n = tirbi_lx_cast(u->pool, TIRB_I64, size),
                   *wide = tirbi_value_in_type(u->pool, TIRB_I64, x->args[0]);
    if (!n || !wide) return NULL;
    const bool above = is_between(wide, n, 0, 2), below = !above && is_between(wide, n, -1, 1);
    if ((!above && !below) || !note_size(u, size)) return NULL;
    const tirbi_lx *index = tirbi_rewrite_value(rewrite, x->args[0]); /* loops have other variables in the copy */
    wide = tirbi_value_in_type(u->pool, TIRB_I64, index);
    if (!wide) return NULL;
    const tirbi_lx *bound = above ? n : tirbi_lx_number(u->pool, 0);
    const tirbi_lx *in_place = tirbi_lx_wide(u->pool, above ? TIRB_OP_LT : TIRB_OP_GE, wide, bound);
    const tirbi_lx *moved_back = tirbi_lx_binary(u->pool, above ? TIRB_OP_SUB : TIRB_OP_ADD, type, index, x->args[1]);
    return in_place && moved_back ? tirbi_lx_lazy(u->pool, TIRBI_LX_COND, in_place, index, moved_back) : NULL;
}

/* ---- Whether there are any -------------------------------------------------------------------------------------- */

static bool is_remainder(const void *context, const tirbi_lx *x) {
    (void)context;
    return size_of(x) != NULL;
}

bool tirbi_unwrap_loop(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    if (!tirbi_any_value(loop, TIRBI_WALK_PLACES, is_remainder, NULL)) return false;
    unwrapper u = {.pool = pool};
    tirbi_rewrite rewrite = {.pool = pool, .replace = unwrap, .context = &u, .anew = TIRBI_LOOPS_ANEW};
    out->stmt = tirbi_rewrite_stmt(&rewrite, loop);
    out->condition = NULL;
    for (uint32_t i = 0; i < u.n && out->stmt; i++) {
        const int64_t most = INT64_C(1) << (tirbi_dtypes[u.size[i]->type].bits - 2);
        const tirbi_lx *n = tirbi_lx_cast(pool, TIRB_I64, u.size[i]);
        const tirbi_lx *fits = tirbi_lx_with(pool, TIRB_OP_LE, n, most);
        out->condition = out->condition ? tirbi_lx_both(pool, TIRB_OP_AND, out->condition, fits) : fits;
        if (!out->condition) return false;
    }
    return out->stmt && u.n > 0;
}
