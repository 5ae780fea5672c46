#include "compiler/optimize/carried/extremes.h"

#include "compiler/optimize/facts/affine.h"

enum { MAX_DEPTH = 64 };

static tirbi_ls *copy_of(tirbi_lx_pool *pool, const tirbi_ls *s) {
    tirbi_ls *copy = TIRBI_NEW(pool->arena, tirbi_ls);
    if (copy) *copy = *s;
    return copy;
}

/* v > x or what says the same, where x is what the assignment changes: max; v < x: min; 0: neither. What equals x may
 * be assigned or not. */
static tirbi_op extreme_of(const tirbi_lx *condition, const tirbi_lx *x, const tirbi_lx *v) {
    if (condition->kind != TIRBI_LX_OP || !tirbi_dtype_is_int((tirbi_dtype)condition->optype)) return TIRB_OP_NOP;
    bool less = condition->op == TIRB_OP_LT || condition->op == TIRB_OP_LE;
    bool greater = condition->op == TIRB_OP_GT || condition->op == TIRB_OP_GE;
    if (!less && !greater) return TIRB_OP_NOP;
    const tirbi_lx *a = condition->args[0], *b = condition->args[1];
    if (tirbi_same_value(a, v) && tirbi_same_value(b, x)) return greater ? TIRB_OP_MAX : TIRB_OP_MIN;
    if (tirbi_same_value(b, v) && tirbi_same_value(a, x)) return greater ? TIRB_OP_MIN : TIRB_OP_MAX;
    return TIRB_OP_NOP;
}

/* x = op(v, x) for an assignment under that condition; NULL where it is another one. */
static const tirbi_ls *as_extreme(tirbi_lx_pool *pool, const tirbi_ls *s, const tirbi_lx *condition) {
    const bool stores = s->kind == TIRBI_LS_STORE, assigns = s->kind == TIRBI_LS_SET && !s->as.set.declares;
    if (!stores && !assigns) return NULL;
    const tirbi_lx *v = stores ? s->as.store.value : s->as.set.value;
    const tirbi_lx *x = stores ? tirbi_lx_load(pool, s->as.store.access) : tirbi_lx_var(pool, s->as.set.var);
    const tirbi_op op = v && x ? extreme_of(condition, x, v) : TIRB_OP_NOP;
    const tirbi_lx *value =
        op == TIRB_OP_NOP ? NULL : tirbi_lx_op(pool, op, (tirbi_dtype)v->type, TIRB_TYPE_NONE, v, x, NULL);
    tirbi_ls *copy = value ? copy_of(pool, s) : NULL;
    if (copy && stores) copy->as.store.value = value;
    if (copy && assigns) copy->as.set.value = value;
    return copy;
}

static const tirbi_ls *rewrite(tirbi_lx_pool *pool, const tirbi_ls *s, unsigned depth);

static const tirbi_ls *rewrite_if(tirbi_lx_pool *pool, const tirbi_ls *s, unsigned depth) {
    const tirbi_lx *condition = s->as.if_.condition, *before = NULL;
    const tirbi_ls *yes = s->as.if_.then_case, *no = s->as.if_.else_case;
    while (yes->kind == TIRBI_LS_SEQ && yes->as.seq.n == 1) yes = yes->as.seq.items[0];
    if (condition->kind == TIRBI_LX_AND) {
        before = condition->args[0];
        condition = condition->args[1];
    }
    const tirbi_ls *one = no || s->as.if_.first_of ? NULL : as_extreme(pool, yes, condition);
    if (one && !before) return one;
    tirbi_ls *copy = copy_of(pool, s);
    if (!copy) return NULL;
    if (one) copy->as.if_.condition = before;
    copy->as.if_.then_case = one ? one : rewrite(pool, yes, depth + 1);
    copy->as.if_.else_case = no ? rewrite(pool, no, depth + 1) : NULL;
    return copy->as.if_.then_case == yes && copy->as.if_.else_case == no ? s : copy;
}

/* The statement itself where it has none. */
static const tirbi_ls *rewrite(tirbi_lx_pool *pool, const tirbi_ls *s, unsigned depth) {
    if (depth > MAX_DEPTH) return s;
    if (s->kind == TIRBI_LS_IF) return rewrite_if(pool, s, depth);
    if (s->kind != TIRBI_LS_SEQ) return s;
    const tirbi_ls **items = TIRBI_NEW_ARRAY(pool->arena, const tirbi_ls *, s->as.seq.n);
    bool changed = false;
    for (uint32_t i = 0; items && i < s->as.seq.n; i++) {
        items[i] = rewrite(pool, s->as.seq.items[i], depth + 1);
        if (!items[i]) return NULL;
        changed = changed || items[i] != s->as.seq.items[i];
    }
    tirbi_ls *copy = items && changed ? copy_of(pool, s) : NULL;
    if (copy) copy->as.seq.items = items;
    return changed ? copy : s;
}

const tirbi_ls *tirbi_find_extremes(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const tirbi_ls *body = rewrite(pool, loop->as.loop.body, 0);
    tirbi_ls *copy = body && body != loop->as.loop.body ? copy_of(pool, loop) : NULL;
    if (copy) copy->as.loop.body = body;
    return copy;
}
