#include "compiler/optimize/cuts/split.h"

#include <string.h>

#include "compiler/loop/exact.h"
#include "compiler/loop/sums.h"
#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/guarded.h"
#include "compiler/optimize/facts/predicates.h"
#include "compiler/optimize/lanes/lanes.h"
#include "compiler/optimize/rewriting/guards.h"
#include "compiler/optimize/rewriting/parts.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_TERMS = 16, MAX_CANDIDATES = 8, MAX_DEPTH = 64, FEW = 4 /* iterations: no lanes */ };

/* What the body decides: by a statement, an IF or a store of a conditional value, or by expressions in it: choices, and
 * the least or greatest of two integers. `no` may be NULL: nothing is done then. */
typedef struct choice {
    const tirbi_lx *condition;
    const tirbi_ls *yes, *no;
} choice;

typedef struct splitter {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    tirbi_loop_set own;             /* the loop's variable */
    const tirbi_loop_set *others;   /* of the nest; NULL: there are none */
    const tirbi_lx *rest;           /* terms of the condition that say nothing of the loop alone, or NULL */
    const tirbi_lx *first, *behind; /* iterations first .. behind - 1 satisfy the others; counted from 0 */
    int64_t left;                   /* as many are behind them at most */
    bool bounded;
    uint8_t anew; /* what parts have copies of: TIRBI_..._ANEW */
} splitter;

/* ---- Conditions ----------------------------------------------------------------------------------------------- */

static void at_least(splitter *s, const tirbi_lx *bound) {
    s->first = tirbi_lx_wide(s->pool, TIRB_OP_MAX, s->first, bound);
}
static void below(splitter *s, const tirbi_lx *bound) {
    int64_t left;
    s->behind = tirbi_lx_wide(s->pool, TIRB_OP_MIN, s->behind, bound);
    if (!bound || !tirbi_constant_difference(s->own.var[0]->extent, bound, &left)) left = INT64_MAX;
    if (left < 0) left = 0;
    if (left > s->left) s->left = left;
}

static bool add_bound(splitter *s, const tirbi_lx *x) {
    const tirbi_lx *from, *to;
    if (!tirbi_iterations_where(s->pool, x, &s->own, &from, &to)) return false;
    if (from) at_least(s, from);
    if (to) below(s, to);
    s->bounded = true;
    return s->first && s->behind;
}

static bool add_term(splitter *s, const tirbi_lx *x, unsigned depth) {
    if (tirbi_is_conjunction(x) && depth < MAX_TERMS)
        return add_term(s, x->args[0], depth + 1) && add_term(s, x->args[1], depth + 1);
    if (!x->pure || x->traps) return false;
    bool of_others = s->others && tirbi_mentions_loops(x, s->others);
    if (tirbi_mentions_loops(x, &s->own)) {
        if (!of_others && add_bound(s, x)) return true;
        if (!s->others) return false;
    }
    s->rest = tirbi_lx_and(s->pool, s->rest, x);
    return s->rest != NULL;
}

/* Reads a condition anew; false when it says nothing of the loop. */
static bool read_condition(splitter *s, const tirbi_lx *condition) {
    s->rest = NULL;
    s->bounded = false;
    s->left = 0;
    s->first = tirbi_lx_number(s->pool, 0);
    s->behind = s->own.var[0]->extent;
    return s->first && add_term(s, condition, 0);
}

/* ---- Choices -------------------------------------------------------------------------------------------------- */

/* Of a disjunction, its first term; the others are asked where that one does not hold. What holds where two are not
 * equal is the other arm of where they are. */
static bool of_first_term(tirbi_lx_pool *pool, const tirbi_ls *body, choice *out) {
    *out = (choice){body->as.if_.condition, body->as.if_.then_case, body->as.if_.else_case};
    for (unsigned depth = 0; depth < MAX_TERMS; depth++) {
        const tirbi_lx *x = out->condition;
        bool disjunction = tirbi_is_disjunction(x);
        bool differ = x->kind == TIRBI_LX_OP && x->op == TIRB_OP_NE && tirbi_dtype_is_int((tirbi_dtype)x->optype);
        if (!disjunction && !differ) return true;
        if (differ) {
            const tirbi_ls *otherwise = out->no ? out->no : tirbi_new_sequence(pool, body->span, NULL, 0);
            const tirbi_lx *same = tirbi_lx_binary(pool, TIRB_OP_EQ, (tirbi_dtype)x->optype, x->args[0], x->args[1]);
            *out = (choice){same, otherwise, out->yes};
            return same && otherwise;
        }
        tirbi_ls *other = TIRBI_NEW(pool->arena, tirbi_ls);
        if (!other) return false;
        *other = *body;
        other->as.if_.condition = x->args[1];
        other->as.if_.then_case = out->yes;
        other->as.if_.else_case = out->no;
        out->condition = x->args[0];
        out->no = other;
    }
    return true;
}

static bool of_statement(tirbi_lx_pool *pool, const tirbi_ls *body, choice *out) {
    body = tirbi_only_part(body);
    if (body->kind == TIRBI_LS_IF) return of_first_term(pool, body, out);
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

/* The body with an arm in place of its item `at`; nothing, where there is no arm. */
static const tirbi_ls *with_arm(splitter *s, const tirbi_ls *body, uint32_t at, const tirbi_ls *arm) {
    tirbi_ls *copy = tirbi_same_stmt(s->pool, body);
    const tirbi_ls **items = copy ? TIRBI_NEW_ARRAY(s->pool->arena, const tirbi_ls *, body->as.seq.n) : NULL;
    if (!items) return NULL;
    memcpy(items, body->as.seq.items, body->as.seq.n * sizeof(*items));
    items[at] = arm ? arm : tirbi_new_sequence(s->pool, body->span, NULL, 0);
    copy->as.seq.items = items;
    return items[at] ? copy : NULL;
}

/* The choice of one statement among others, where its condition bounds the loop by what stands still in it. */
static bool of_item(splitter *s, const tirbi_ls *body, choice *out) {
    tirbi_loop_set lets = {.n = 0};
    if (body->kind != TIRBI_LS_SEQ || !tirbi_find_variables(&lets, body, TIRBI_STRAIGHT)) return false;
    for (uint32_t i = 0; i < body->as.seq.n; i++) {
        const tirbi_ls *item = body->as.seq.items[i];
        if (item->kind != TIRBI_LS_IF || tirbi_mentions_loops(item->as.if_.condition, &lets) ||
            !of_first_term(s->pool, item, out) || !read_condition(s, out->condition) || !s->bounded || s->rest)
            continue;
        out->yes = with_arm(s, body, i, out->yes);
        out->no = with_arm(s, body, i, out->no);
        return out->yes && out->no;
    }
    return false;
}

typedef struct candidates {
    const tirbi_loop_set *own;
    const tirbi_lx *item[MAX_CANDIDATES];
    uint32_t n;
} candidates;

static bool is_extreme(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_MIN || x->op == TIRB_OP_MAX) && x->pure && !x->traps &&
           tirbi_dtype_is_int((tirbi_dtype)x->type);
}

static bool is_select(const tirbi_lx *x) { return x->kind == TIRBI_LX_OP && x->op == TIRB_OP_SELECT; }

/* What lanes choose they compute both of, which is little but where it says what to load. */
static tirbi_step find_in_value(tirbi_walk *w, const tirbi_lx *x) {
    candidates *c = w->context;
    if (x->kind == TIRBI_LX_CALL || w->at->kind == TIRBI_LS_IF) return TIRBI_PAST;
    bool conditional =
        (x->kind == TIRBI_LX_COND || (w->indexes && is_select(x))) && x->args[0]->pure && !x->args[0]->traps;
    if ((conditional && tirbi_mentions_loops(x->args[0], c->own)) ||
        (is_extreme(x) && tirbi_mentions_loops(x, c->own))) {
        if (c->n < MAX_CANDIDATES) c->item[c->n++] = x;
    }
    return TIRBI_INTO;
}

static tirbi_step only_straight(tirbi_walk *w, const tirbi_ls *s) {
    (void)w;
    return TIRBI_STRAIGHT >> s->kind & 1 ? TIRBI_INTO : TIRBI_PAST;
}

static void find_in_body(candidates *c, const tirbi_ls *body) {
    tirbi_walk walk = {.context = c, .stmt = only_straight, .expr = find_in_value, .reach = TIRBI_WALK_INDICES};
    tirbi_walk_stmt(&walk, body);
}

typedef struct decision {
    const tirbi_lx *node, *condition, *rest; /* the node itself for extremes; else all choices by this condition */
    bool yes;
} decision;

static const tirbi_lx *decide(tirbi_rewrite *rewrite, const tirbi_lx *x) {
    const decision *d = rewrite->context;
    if (x == d->node && is_extreme(x)) return x->args[d->yes ? 0 : 1];
    if (!tirbi_is_choice(x) || x->args[0] != d->condition) return NULL;
    if (!d->yes) return tirbi_rewrite_value(rewrite, x->args[2]);
    const tirbi_lx *yes = tirbi_rewrite_value(rewrite, x->args[1]);
    if (!d->rest || !yes) return yes;
    return tirbi_lx_lazy(rewrite->pool, TIRBI_LX_COND, d->rest, yes, tirbi_rewrite_value(rewrite, x->args[2]));
}

static const tirbi_ls *decided(splitter *s, const tirbi_ls *body, const decision *d) {
    tirbi_rewrite rewrite = {.pool = s->pool, .replace = decide, .context = (void *)(uintptr_t)d};
    rewrite.anew = TIRBI_LETS_ANEW;
    return tirbi_rewrite_stmt(&rewrite, body);
}

/* A decision that expressions of the body make and that bounds the loop. Terms of its condition that say nothing of the
 * loop alone stay with the body. */
static bool of_expressions(splitter *s, const tirbi_ls *body, choice *out) {
    candidates c = {.own = &s->own};
    tirbi_loop_set lets = {.n = 0};
    if (!tirbi_find_variables(&lets, body, 0)) return false;
    find_in_body(&c, body);
    for (uint32_t i = 0; i < c.n; i++) {
        const tirbi_lx *x = c.item[i], *condition = x->args[0];
        if (tirbi_mentions_loops(x, &lets)) continue; /* its bound is another one in each iteration */
        if (is_extreme(x)) {
            tirbi_op order = x->op == TIRB_OP_MIN ? TIRB_OP_LE : TIRB_OP_GE;
            condition = tirbi_lx_binary(s->pool, order, (tirbi_dtype)x->type, x->args[0], x->args[1]);
        }
        if (!condition || !read_condition(s, condition) || !s->bounded) continue;
        decision yes = {.node = x, .condition = condition, .rest = s->rest, .yes = true}, no = yes;
        no.yes = false;
        *out = (choice){condition, decided(s, body, &yes), decided(s, body, &no)};
        if (!out->yes || !out->no) return false;
        s->rest = NULL;
        return true;
    }
    return false;
}

/* ---- The loops ------------------------------------------------------------------------------------------------ */

/* The iterations from .. to - 1 with one arm as their body; `around` is what stands between, of a nest. */
static const tirbi_ls *part(splitter *s, const tirbi_lx *from, const tirbi_lx *to, const tirbi_ls *arm) {
    tirbi_lvar *var = tirbi_part_variable(s->pool, s->own.var[0], from, to);
    if (!var) return NULL;
    tirbi_rewrite rewrite = {.pool = s->pool, .anew = s->anew};
    tirbi_bind_variable(&rewrite, s->own.var[0], tirbi_lx_var(s->pool, var));
    const tirbi_ls *body = tirbi_rewrite_stmt(&rewrite, arm);
    if (body) tirbi_reach_places(body, var);
    return tirbi_loop_like(s->pool, s->loop, var, body);
}

static const tirbi_ls *in_sequence(splitter *s, const tirbi_ls *const *parts, uint32_t n) {
    return tirbi_new_sequence(s->pool, s->loop->span, parts, n);
}

/* Before the bounds, between them, behind them: the parts that can have iterations. Returns how many these are, and 0
 * as well when memory ran out. */
static uint32_t bounded_parts(splitter *s, const choice *c, const tirbi_ls *parts[3]) {
    const tirbi_lx *zero = tirbi_lx_number(s->pool, 0), *n = s->own.var[0]->extent;
    const tirbi_lx *first = tirbi_lx_wide(s->pool, TIRB_OP_MIN, s->first, n);
    const tirbi_lx *behind = tirbi_lx_wide(s->pool, TIRB_OP_MAX, s->behind, first);
    if (!zero || !behind) return 0;
    const tirbi_ls *all[3] = {c->no ? part(s, zero, first, c->no) : NULL, part(s, first, behind, c->yes),
                              c->no ? part(s, behind, n, c->no) : NULL};
    if (all[2] && s->left < all[2]->as.loop.var->extent->hi)
        all[2]->as.loop.var->extent = tirbi_lx_with(s->pool, TIRB_OP_MIN, all[2]->as.loop.var->extent, s->left);
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; i++) {
        if ((!all[i] && (i == 1 || c->no)) || (all[i] && !all[i]->as.loop.var->extent)) return 0;
        if (all[i] && all[i]->as.loop.var->extent->hi > 0) parts[count++] = all[i];
    }
    return count;
}

const tirbi_ls *tirbi_split_loop(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_lvar *var = loop->as.loop.var;
    const tirbi_ls *parts[3], *body = loop->as.loop.body;
    choice c;
    splitter s = {.pool = pool, .loop = loop, .own = {.var = {var}, .n = 1}};
    if (loop->as.loop.step || !var->min->pure || !var->extent->pure) return NULL;
    if (of_statement(pool, body, &c) && read_condition(&s, c.condition))
        s.anew = TIRBI_LOOPS_ANEW | TIRBI_LETS_ANEW; /* the body itself is the choice, whatever is in its arms */
    else if (of_expressions(&s, body, &c))
        s.anew = TIRBI_LETS_ANEW;
    else
        return NULL;
    uint32_t n = s.bounded ? bounded_parts(&s, &c, parts) : 0;
    const tirbi_ls *inside = !s.bounded ? tirbi_loop_like(pool, loop, NULL, c.yes)
                             : n > 0    ? in_sequence(&s, parts, n)
                                        : NULL;
    if (!inside || !s.rest) return inside;
    const tirbi_ls *other = tirbi_loop_like(pool, loop, NULL, c.no);
    return c.no && !other ? NULL : tirbi_new_if(pool, loop->span, s.rest, inside, other);
}

const tirbi_ls *tirbi_split_statements(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_lvar *var = loop->as.loop.var;
    const tirbi_ls *parts[3];
    choice c;
    splitter s = {.pool = pool, .loop = loop, .own = {.var = {var}, .n = 1}, .anew = TIRBI_ALL_ANEW};
    if (!tirbi_is_plain_loop(loop) || !of_item(&s, loop->as.loop.body, &c)) return NULL;
    const uint32_t n = bounded_parts(&s, &c, parts);
    return n > 0 ? in_sequence(&s, parts, n) : NULL;
}

/* ---- Nests ---------------------------------------------------------------------------------------------------- */

/* The body's own choice where it bounds the loop. Terms that say nothing of the loop alone stay with the body. */
static bool of_body(splitter *s, const tirbi_ls *body, choice *out) {
    if (!of_statement(s->pool, body, out) || !read_condition(s, out->condition) || !s->bounded) return false;
    if (!s->rest) return true;
    tirbi_ls *rest = tirbi_new_stmt(s->pool, TIRBI_LS_IF, body->span);
    if (!rest) return false;
    rest->as.if_.condition = s->rest;
    rest->as.if_.then_case = out->yes;
    rest->as.if_.else_case = out->no;
    out->yes = rest;
    return true;
}

/* The parts of loop `at` with the nest's other loops around them and inside. */
static const tirbi_ls *split_at(tirbi_lx_pool *pool, const tirbi_free_nest *nest, uint32_t at) {
    const tirbi_ls *parts[3];
    choice c;
    tirbi_loop_set others = {.n = 0};
    splitter s = {.pool = pool,
                  .loop = nest->loops[at],
                  .own = {.var = {nest->loops[at]->as.loop.var}, .n = 1},
                  .anew = TIRBI_LETS_ANEW};
    for (uint32_t i = 0; i < nest->n; i++) {
        if (i != at) others.var[others.n++] = nest->loops[i]->as.loop.var;
    }
    s.others = &others;
    if (!of_body(&s, nest->body, &c) && !of_expressions(&s, nest->body, &c)) return NULL;
    uint32_t n = bounded_parts(&s, &c, parts);
    for (uint32_t k = 0; k < n; k++) {
        const tirbi_ls *body = parts[k]->as.loop.body;
        for (uint32_t i = nest->n; i-- > 0 && body;) {
            body = tirbi_loop_like(pool, i == at ? parts[k] : nest->loops[i], NULL, body);
            if (!body) return NULL;
        }
        parts[k] = body;
    }
    return n > 0 ? in_sequence(&s, parts, n) : NULL;
}

const tirbi_ls *tirbi_split_nest(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_free_nest nest;
    if (!tirbi_find_free_nest(pool, loop, &nest) || nest.n < 2) return NULL;
    for (uint32_t i = nest.n; i-- > 0;) { /* what only the outer loops change, a lane loop over an inner one can bear */
        const tirbi_ls *split = nest.spatial[i] ? split_at(pool, &nest, i) : NULL;
        if (split) return split;
    }
    return NULL;
}

/* ---- What is usual ---------------------------------------------------------------------------------------------- */

enum { MAX_USUAL = 8 };

/* Conditions that stand still in a loop, and whether each holds where a choice is not a constant. */
typedef struct usual {
    tirbi_loop_set own; /* the loop's variable, and those that its body sets */
    const tirbi_lx *condition[MAX_USUAL];
    bool holds[MAX_USUAL];
    uint32_t n;
} usual;

static uint32_t usual_number(const usual *u, const tirbi_lx *x) {
    uint32_t i = 0;
    while (i < u->n && !(tirbi_is_choice(x) && x->args[0] == u->condition[i])) i++;
    return i;
}

static tirbi_step find_usual(tirbi_walk *w, const tirbi_lx *x) {
    usual *u = w->context;
    if (!tirbi_is_choice(x) || u->n == MAX_USUAL) return TIRBI_INTO;
    const tirbi_lx *c = x->args[0];
    const bool first = x->args[1]->kind == TIRBI_LX_CONST, second = x->args[2]->kind == TIRBI_LX_CONST;
    if (first == second || !c->pure || c->traps || tirbi_mentions_loops(c, &u->own) || usual_number(u, x) < u->n)
        return TIRBI_INTO;
    u->holds[u->n] = second;
    u->condition[u->n++] = c;
    return TIRBI_INTO;
}

static const tirbi_lx *take_usual(tirbi_rewrite *r, const tirbi_lx *x) {
    const usual *u = r->context;
    const uint32_t i = usual_number(u, x);
    return i < u->n ? tirbi_rewrite_value(r, x->args[u->holds[i] ? 1 : 2]) : NULL;
}

const tirbi_ls *tirbi_split_usual(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    usual u = {.own = {.n = 0}};
    u.own.var[u.own.n++] = loop->as.loop.var;
    tirbi_walk walk = {.context = &u, .expr = find_usual, .kinds = TIRBI_STRAIGHT};
    if (!tirbi_find_variables(&u.own, loop->as.loop.body, TIRBI_STRAIGHT) ||
        !tirbi_walk_stmt(&walk, loop->as.loop.body) || u.n == 0)
        return NULL;
    const tirbi_lx *all = NULL;
    for (uint32_t i = 0; i < u.n; i++) {
        const tirbi_lx *c = u.holds[i] ? u.condition[i] : tirbi_lx_not(pool, u.condition[i]);
        all = tirbi_lx_and(pool, all, c);
        if (!all) return NULL;
    }
    tirbi_rewrite rewrite = {.pool = pool, .replace = take_usual, .context = &u, .anew = TIRBI_LOOPS_ANEW};
    const tirbi_ls *decided = tirbi_rewrite_stmt(&rewrite, loop);
    return tirbi_new_if(pool, loop->span, all, decided, loop);
}
