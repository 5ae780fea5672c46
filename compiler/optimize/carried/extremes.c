#include "compiler/optimize/carried/extremes.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/affine.h"
#include "compiler/optimize/facts/live.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_DEPTH = 64, MAX_FLOATS = 8 };

typedef struct finder {
    tirbi_lx_pool *pool;
    bool with_floats, in_loops;
    tirbi_lvar *floats[MAX_FLOATS]; /* what each assignment of floats that was found sets */
    uint32_t n_floats;
} finder;

/* v > x or what says the same, where x is what the assignment changes: max; v < x: min; 0: neither. Of integers, what
 * equals x may be assigned or not. */
static tirbi_op extreme_of(const tirbi_lx *condition, const tirbi_lx *x, const tirbi_lx *v) {
    if (condition->kind != TIRBI_LX_OP) return TIRB_OP_NOP;
    const bool strict = !tirbi_dtype_is_int((tirbi_dtype)condition->optype);
    bool less = condition->op == TIRB_OP_LT || (!strict && condition->op == TIRB_OP_LE);
    bool greater = condition->op == TIRB_OP_GT || (!strict && condition->op == TIRB_OP_GE);
    if (!less && !greater) return TIRB_OP_NOP;
    const tirbi_lx *a = condition->args[0], *b = condition->args[1];
    if (tirbi_same_value(a, v) && tirbi_same_value(b, x)) return greater ? TIRB_OP_MAX : TIRB_OP_MIN;
    if (tirbi_same_value(b, v) && tirbi_same_value(a, x)) return greater ? TIRB_OP_MIN : TIRB_OP_MAX;
    return TIRB_OP_NOP;
}

/* x = op(v, x) for an assignment under that condition; NULL where it is another one. */
static const tirbi_ls *as_extreme(finder *f, const tirbi_ls *s, const tirbi_lx *condition) {
    tirbi_lx_pool *const pool = f->pool;
    const bool stores = s->kind == TIRBI_LS_STORE, assigns = s->kind == TIRBI_LS_SET && !s->as.set.declares;
    if (!stores && !assigns) return NULL;
    const tirbi_lx *v = stores ? s->as.store.value : s->as.set.value;
    const tirbi_lx *x = stores ? tirbi_lx_load(pool, s->as.store.access) : tirbi_lx_var(pool, s->as.set.var);
    if (!v || v->type == TIRB_BOOL) return NULL;
    const bool is_float = tirbi_dtype_is_float((tirbi_dtype)v->type);
    if (is_float && (stores || !f->with_floats || f->n_floats == MAX_FLOATS)) return NULL;
    const tirbi_op op = x ? extreme_of(condition, x, v) : TIRB_OP_NOP;
    const tirbi_lx *value = op == TIRB_OP_NOP ? NULL : tirbi_lx_binary(pool, op, (tirbi_dtype)v->type, v, x);
    const tirbi_ls *copy = tirbi_with_value(pool, s, value);
    if (copy && is_float) f->floats[f->n_floats++] = s->as.set.var;
    return copy;
}

static const tirbi_ls *rewrite(void *context, const tirbi_ls *s);

static const tirbi_ls *rewrite_if(finder *f, const tirbi_ls *s) {
    const tirbi_lx *condition = s->as.if_.condition, *before = NULL;
    const tirbi_ls *yes = s->as.if_.then_case, *no = s->as.if_.else_case;
    yes = tirbi_only_part(yes);
    if (condition->kind == TIRBI_LX_AND) {
        before = condition->args[0];
        condition = condition->args[1];
    }
    const tirbi_ls *one = no ? NULL : as_extreme(f, yes, condition);
    if (one && !before) return one;
    tirbi_ls *copy = one ? tirbi_same_stmt(f->pool, s) : NULL;
    if (!copy) return tirbi_replace_inside(f->pool, s, rewrite, f);
    copy->as.if_.condition = before;
    copy->as.if_.then_case = one;
    return copy;
}

/* The statement itself where it has none. */
static const tirbi_ls *rewrite(void *context, const tirbi_ls *s) {
    finder *f = context;
    if (s->kind == TIRBI_LS_IF) return rewrite_if(f, s);
    return s->kind == TIRBI_LS_SEQ || f->in_loops ? tirbi_replace_inside(f->pool, s, rewrite, f) : s;
}

const tirbi_ls *tirbi_find_all_extremes(tirbi_lx_pool *pool, const tirbi_ls *body) {
    return body ? rewrite(&(finder){.pool = pool, .in_loops = true}, body) : NULL;
}

/* Every assignment in the loop has to be an extreme: then what no NaN was before it becomes none. */
static bool sets_another(const void *context, const tirbi_ls *s) {
    const finder *f = context;
    bool mentioned = false;
    for (uint32_t i = 0; s->kind == TIRBI_LS_SET && i < f->n_floats; i++)
        mentioned = mentioned || s->as.set.var == f->floats[i];
    if (!mentioned) return false;
    const tirbi_lx *value = s->as.set.value;
    return s->as.set.declares || value->kind != TIRBI_LX_OP || (value->op != TIRB_OP_MIN && value->op != TIRB_OP_MAX) ||
           !tirbi_is_var(s->as.set.var, value->args[1]);
}

const tirbi_ls *tirbi_find_float_extremes(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_lx **condition) {
    finder f = {.pool = pool, .with_floats = true};
    const tirbi_ls *body = rewrite(&f, loop->as.loop.body);
    const tirbi_ls *found = f.n_floats > 0 ? tirbi_loop_like(pool, loop, NULL, body) : NULL;
    *condition = NULL;
    if (!found || tirbi_any_stmt(found, sets_another, &f)) return NULL;
    for (uint32_t i = 0; i < f.n_floats; i++) {
        const tirbi_lx *x = tirbi_is_live(pool, f.floats[i]) ? tirbi_lx_var(pool, f.floats[i]) : NULL;
        const tirbi_lx *same = tirbi_lx_binary(pool, TIRB_OP_EQ, f.floats[i]->type, x, x);
        *condition = tirbi_lx_and(pool, *condition, same);
        if (!*condition) return NULL;
    }
    return found;
}
