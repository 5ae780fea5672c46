#include "compiler/optimize/split.h"

#include "compiler/optimize/rewrite.h"

enum { MAX_TERMS = 16 };

/* The body's choice, made by a statement: an IF, or a store of a conditional value. `no` may be NULL. */
typedef struct choice {
    const tirbi_lx *condition;
    const tirbi_ls *yes, *no;
} choice;

typedef struct splitter {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set own;            /* the loop's variable */
    const tirbi_lx *uniform;       /* terms of the condition that do not change in the loop, or NULL */
    const tirbi_lx *first, *behind; /* iterations first .. behind - 1 satisfy the others; counted from 0 */
    bool bounded;
} splitter;

static bool find_choice(tirbi_lx_pool *pool, const tirbi_ls *body, choice *out) {
    if (body->kind == TIRBI_LS_IF && !body->as.if_.first_of) {
        *out = (choice){body->as.if_.condition, body->as.if_.then_case, body->as.if_.else_case};
        return true;
    }
    const tirbi_lx *value = body->kind == TIRBI_LS_STORE ? body->as.store.value : NULL;
    if (!value || value->kind != TIRBI_LX_COND) return false;
    tirbi_ls *arms = TIRBI_NEW_ARRAY(pool->arena, tirbi_ls, 2);
    if (!arms) return false;
    arms[0] = arms[1] = *body;
    arms[0].as.store.value = value->args[1];
    arms[1].as.store.value = value->args[2];
    *out = (choice){value->args[0], &arms[0], &arms[1]};
    return true;
}

/* ---- Conditions ----------------------------------------------------------------------------------------------- */

/* Whether integer arithmetic is known not to wrap, so that it may be done in int64 instead. */
static bool exact(const tirbi_lx *x) {
    if (!tirbi_dtype_is_int((tirbi_dtype)x->type) || x->type == TIRB_U64) return false;
    if (x->kind == TIRBI_LX_CONST || x->kind == TIRBI_LX_VAR) return true;
    if (x->kind != TIRBI_LX_OP) return false;
    switch (x->op) {
    case TIRB_OP_ADD:
    case TIRB_OP_SUB:
    case TIRB_OP_MUL: return !tirbi_full_range(x) && exact(x->args[0]) && exact(x->args[1]);
    case TIRB_OP_CAST:
        return tirbi_dtype_is_int((tirbi_dtype)x->source) && tirbi_dtypes[x->type].bits > tirbi_dtypes[x->source].bits &&
               (tirbi_dtype_is_signed((tirbi_dtype)x->type) || x->args[0]->lo >= 0) && exact(x->args[0]);
    default: return false;
    }
}

static const tirbi_lx *choose(splitter *s, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    return tirbi_lx_op(s->pool, op, TIRB_I64, TIRB_TYPE_NONE, a, b, NULL);
}

static const tirbi_lx *plus(splitter *s, const tirbi_lx *x, int64_t n) {
    return x ? tirbi_lx_add(s->pool, x, tirbi_lx_int(s->pool, TIRB_I64, n)) : NULL;
}

/* left - right = c * k + r, where k counts iterations; c must be 1 or -1. */
static bool difference(splitter *s, const tirbi_lx *left, const tirbi_lx *right, int64_t *c, const tirbi_lx **r) {
    tirbi_affine a, b;
    int64_t ca, cb;
    if (!exact(left) || !exact(right) || !tirbi_affine_of(s->pool, left, &s->own, &a) ||
        !tirbi_affine_of(s->pool, right, &s->own, &b) || !tirbi_affine_constant(&a, 0, &ca) ||
        !tirbi_affine_constant(&b, 0, &cb)) {
        return false;
    }
    if (__builtin_sub_overflow(ca, cb, c)) return false;
    *r = tirbi_lx_sub(s->pool, a.start, b.start);
    return *r && (*c == 1 || *c == -1);
}

static void at_least(splitter *s, const tirbi_lx *bound) { s->first = choose(s, TIRB_OP_MAX, s->first, bound); }
static void below(splitter *s, const tirbi_lx *bound) { s->behind = choose(s, TIRB_OP_MIN, s->behind, bound); }

static bool add_bound(splitter *s, const tirbi_lx *x) {
    int64_t c;
    const tirbi_lx *r;
    bool order = x->op == TIRB_OP_LT || x->op == TIRB_OP_LE || x->op == TIRB_OP_GT || x->op == TIRB_OP_GE;
    if (x->kind != TIRBI_LX_OP || !order || !difference(s, x->args[0], x->args[1], &c, &r)) return false;
    bool less = x->op == TIRB_OP_LT || x->op == TIRB_OP_LE;
    bool or_equal = x->op == TIRB_OP_LE || x->op == TIRB_OP_GE;
    const tirbi_lx *root = c == 1 ? tirbi_lx_sub(s->pool, tirbi_lx_int(s->pool, TIRB_I64, 0), r) : r;
    if (!root) return false;
    /* k < root where c and the comparison point the same way, else k > root */
    if ((c == 1) == less) below(s, or_equal ? plus(s, root, 1) : root);
    else at_least(s, or_equal ? root : plus(s, root, 1));
    s->bounded = true;
    return s->first && s->behind;
}

static bool add_term(splitter *s, const tirbi_lx *x, unsigned depth) {
    bool conjunction = x->kind == TIRBI_LX_AND || (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_AND && x->type == TIRB_BOOL);
    if (conjunction && depth < MAX_TERMS) return add_term(s, x->args[0], depth + 1) && add_term(s, x->args[1], depth + 1);
    if (!x->pure || x->traps) return false;
    if (tirbi_mentions_loops(x, &s->own)) return add_bound(s, x);
    s->uniform = s->uniform ? tirbi_lx_op(s->pool, TIRB_OP_AND, TIRB_BOOL, TIRB_TYPE_NONE, s->uniform, x, NULL) : x;
    return s->uniform != NULL;
}

static const tirbi_lx *rename_loop(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    tirbi_lvar *const *names = rewrite->context; /* from, to */
    return x->kind == TIRBI_LX_VAR && x->var == names[0] ? tirbi_lx_var(rewrite->pool, names[1]) : NULL;
}

/* ---- The loops ------------------------------------------------------------------------------------------------ */

/* The iterations from .. to - 1 with one arm as their body. */
static const tirbi_ls *part(splitter *s, const tirbi_lx *from, const tirbi_lx *to, const tirbi_ls *arm) {
    const tirbi_lvar *old = s->own.var[0];
    tirbi_lvar *var = TIRBI_NEW(s->pool->arena, tirbi_lvar);
    tirbi_ls *loop = TIRBI_NEW(s->pool->arena, tirbi_ls);
    if (!var || !loop) return NULL;
    *var = *old;
    var->min = tirbi_lx_add(s->pool, old->min, from);
    var->extent = tirbi_lx_sub(s->pool, to, from);
    if (!var->min || !var->extent) return NULL;
    int64_t last;
    if (var->min->lo > var->lo) var->lo = var->min->lo;
    if (!__builtin_add_overflow(var->min->hi, var->extent->hi - 1, &last) && last < var->hi && last >= var->lo) {
        var->hi = last;
    }
    *loop = *s->loop;
    loop->as.loop.var = var;
    tirbi_lvar *names[2] = {s->own.var[0], var};
    tirbi_rewrite rewrite = {.pool = s->pool, .replace = rename_loop, .context = names};
    loop->as.loop.body = tirbi_rewrite_stmt(&rewrite, arm);
    return loop->as.loop.body ? loop : NULL;
}

static const tirbi_ls *with_body(splitter *s, const tirbi_ls *body) {
    tirbi_ls *loop = TIRBI_NEW(s->pool->arena, tirbi_ls);
    if (!loop) return NULL;
    *loop = *s->loop;
    loop->as.loop.body = body;
    return loop;
}

static const tirbi_ls *bounded_loops(splitter *s, const choice *c) {
    const tirbi_lx *zero = tirbi_lx_int(s->pool, TIRB_I64, 0), *n = s->own.var[0]->extent;
    const tirbi_lx *first = choose(s, TIRB_OP_MIN, s->first, n);
    const tirbi_lx *behind = choose(s, TIRB_OP_MAX, s->behind, first);
    const tirbi_ls **items = TIRBI_NEW_ARRAY(s->pool->arena, const tirbi_ls *, 3);
    tirbi_ls *seq = TIRBI_NEW(s->pool->arena, tirbi_ls);
    if (!items || !seq || !first || !behind) return NULL;
    uint32_t count = 0;
    if (c->no) items[count++] = part(s, zero, first, c->no);
    items[count++] = part(s, first, behind, c->yes);
    if (c->no) items[count++] = part(s, behind, n, c->no);
    for (uint32_t i = 0; i < count; i++) {
        if (!items[i]) return NULL;
    }
    seq->kind = TIRBI_LS_SEQ;
    seq->span = s->loop->span;
    seq->as.seq.items = items;
    seq->as.seq.n = count;
    return count == 1 ? items[0] : seq;
}

const tirbi_ls *tirbi_split_loop(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_lvar *var = loop->as.loop.var;
    choice c;
    splitter s = {.pool = pool, .loop = loop, .own = {.var = {var}, .n = 1}, .behind = var->extent,
                  .first = tirbi_lx_int(pool, TIRB_I64, 0)};
    if (loop->as.loop.step || !s.first || !var->min->pure || !var->extent->pure) return NULL;
    if (!find_choice(pool, loop->as.loop.body, &c) || !add_term(&s, c.condition, 0)) return NULL;
    const tirbi_ls *inside = s.bounded ? bounded_loops(&s, &c) : with_body(&s, c.yes);
    if (!inside || !s.uniform) return inside;
    tirbi_ls *branch = TIRBI_NEW(pool->arena, tirbi_ls);
    if (!branch) return NULL;
    branch->kind = TIRBI_LS_IF;
    branch->span = loop->span;
    branch->as.if_.condition = s.uniform;
    branch->as.if_.then_case = inside;
    branch->as.if_.else_case = c.no ? with_body(&s, c.no) : NULL;
    return c.no && !branch->as.if_.else_case ? NULL : branch;
}
