#include "compiler/optimize/rewriting/clamps.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/rewriting/resolve.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "loader/base/checked.h"

static bool is_plain_int(uint8_t type) { return type == TIRB_I32 || type == TIRB_I64; }

/* Takes note of what a condition says where it holds, or does not. */
static void learn(tirbi_given *facts, const tirbi_lx *x, bool holds) {
    const bool both = x->kind == TIRBI_LX_AND || (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_AND);
    const bool either = x->kind == TIRBI_LX_OR || (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_OR);
    if (x->type != TIRB_BOOL) return;
    if (both || either) {
        if (both != holds) return;
        learn(facts, x->args[0], holds);
        learn(facts, x->args[1], holds);
        return;
    }
    if (x->kind != TIRBI_LX_OP || x->n_args != 2 || !is_plain_int(x->optype) || tirbi_lx_acts(x)) return;
    const tirbi_op op = holds ? (tirbi_op)x->op : tirbi_opposite(x->op);
    if (op == TIRB_OP_LT || op == TIRB_OP_LE)
        tirbi_add_fact(facts, x->args[1], x->args[0], op == TIRB_OP_LT ? -1 : 0);
    if (op == TIRB_OP_GT || op == TIRB_OP_GE)
        tirbi_add_fact(facts, x->args[0], x->args[1], op == TIRB_OP_GT ? -1 : 0);
}

/* Whether x is on the side of `limit` that a clamp by `op` leaves alone. A sum of something and a number that leads
 * towards the limit does not wrap where it stays on this side of that. */
static bool is_inside(tirbi_lx_pool *pool, const tirbi_given *facts, tirbi_op op, const tirbi_lx *x,
                      const tirbi_lx *limit) {
    const tirbi_op side = op == TIRB_OP_MAX ? TIRB_OP_GE : TIRB_OP_LE;
    if (tirbi_decide(facts, side, x, limit) == 1) return true;
    int64_t before;
    if (limit->kind != TIRBI_LX_CONST || x->kind != TIRBI_LX_OP || x->op != TIRB_OP_ADD ||
        x->args[1]->kind != TIRBI_LX_CONST || (x->args[1]->value < 0) != (op == TIRB_OP_MAX) ||
        !tirbi_sub_i64(limit->value, x->args[1]->value, &before))
        return false;
    const tirbi_lx *earlier = tirbi_lx_int(pool, (tirbi_dtype)x->type, before);
    return earlier && earlier->value == before && tirbi_decide(facts, side, x->args[0], earlier) == 1;
}

static const tirbi_lx *without_clamp(tirbi_rewrite *r, const tirbi_lx *x) {
    for (int i = 0; i < 2; i++) {
        const tirbi_lx *inside = x->args[i], *limit = x->args[1 - i];
        if (!tirbi_lx_acts(x) && !limit->traps && is_inside(r->pool, r->context, (tirbi_op)x->op, inside, limit))
            return tirbi_rewrite_value(r, inside);
    }
    return NULL;
}

/* The second value is asked for only where the first one holds, or does not. */
static const tirbi_lx *lazily(tirbi_rewrite *r, const tirbi_lx *x) {
    tirbi_given *facts = r->context;
    const uint32_t n = facts->n;
    const tirbi_lx *a[3] = {tirbi_rewrite_value(r, x->args[0])};
    for (int i = 1; i < (x->kind == TIRBI_LX_COND ? 3 : 2); i++) {
        learn(facts, x->args[0], x->kind == TIRBI_LX_AND || (x->kind == TIRBI_LX_COND && i == 1));
        a[i] = tirbi_rewrite_value(r, x->args[i]);
        facts->n = n;
    }
    return tirbi_lx_lazy(r->pool, (tirbi_lx_kind)x->kind, a[0], a[1], a[2]);
}

static const tirbi_lx *replace(tirbi_rewrite *r, const tirbi_lx *x) {
    const tirbi_given *facts = r->context;
    if (x->kind == TIRBI_LX_CALL) return x;
    if (x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR || x->kind == TIRBI_LX_COND) return lazily(r, x);
    const bool clamps = facts->n > 0 && x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_MIN || x->op == TIRB_OP_MAX);
    return clamps && is_plain_int(x->optype) ? without_clamp(r, x) : NULL;
}

static bool is_clamp(const void *context, const tirbi_lx *x) {
    (void)context;
    return x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_MIN || x->op == TIRB_OP_MAX) && is_plain_int(x->optype);
}

const tirbi_lx *tirbi_without_clamps(tirbi_lx_pool *pool, const tirbi_lx *condition) {
    const bool lazy = condition->kind == TIRBI_LX_AND || condition->kind == TIRBI_LX_OR ||
                      condition->kind == TIRBI_LX_COND;
    if (!lazy || !tirbi_any_expr(condition, TIRBI_WALK_INDICES, is_clamp, NULL)) return condition;
    tirbi_given facts = {.n = 0};
    tirbi_rewrite rewrite = {.pool = pool, .replace = replace, .context = &facts};
    return tirbi_rewrite_value(&rewrite, condition);
}
