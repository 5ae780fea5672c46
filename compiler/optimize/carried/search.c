#include "compiler/optimize/carried/search.h"

#include "compiler/loop/visit.h"
#include "compiler/optimize/carried/place.h"
#include "compiler/optimize/facts/live.h"
#include "compiler/optimize/lanes/lane_planner.h"
#include "compiler/optimize/rewriting/guards.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"

enum { MAX_STATE = 8, MAX_OWN = 16, MAX_TERMS = 16, MAX_SIZE = 600, MAX_DEPTH = 64, MAX_FALLIBLE = 16 };
enum { AT_FIRST = 8, CLOSE = 32, LONGEST = 1024 }; /* iterations that are run by themselves */
enum { LEAST_SKIPPED = 384 }; /* fewer run by themselves in the time that some looks ahead take */

typedef struct seeker {
    tirbi_lx_pool *pool;
    const tirbi_ls *loop;
    const tirbi_lvar *own[MAX_OWN]; /* what begins in the body, and is set in it again perhaps */
    uint32_t n_own;
    tirbi_lvar *state[MAX_STATE]; /* what the body sets and carries */
    tirbi_lvar *seen[MAX_STATE];  /* what each held when the search began */
    uint32_t n_state;
    tirbi_rewrite lets; /* the body's names for values */
    const tirbi_lx *always; /* true */
    const tirbi_lx *fallible[MAX_FALLIBLE]; /* what iterations compute that change nothing, and may fail */
    uint32_t n_fallible;
    bool may_give;
    const tirbi_lx *given; /* what has to hold before the loop; NULL: nothing */
    bool failed;
} seeker;

/* ---- Conditions ------------------------------------------------------------------------------------------------- */

static const tirbi_lx *negate(seeker *s, const tirbi_lx *x) {
    if (x && x->kind == TIRBI_LX_OP && x->op == TIRB_OP_NOT) return x->args[0];
    return tirbi_lx_not(s->pool, x);
}

/* Whether what is not even equal to another value is not beyond it: not a > b from not a >= b. */
static bool is_weaker(const tirbi_lx *x, const tirbi_lx *from) {
    bool both_not =
        x->kind == TIRBI_LX_OP && x->op == TIRB_OP_NOT && from->kind == TIRBI_LX_OP && from->op == TIRB_OP_NOT;
    const tirbi_lx *a = both_not ? x->args[0] : NULL, *b = both_not ? from->args[0] : NULL;
    if (!a || a->kind != TIRBI_LX_OP || b->kind != TIRBI_LX_OP) return false;
    bool orders = (a->op == TIRB_OP_GT && b->op == TIRB_OP_GE) || (a->op == TIRB_OP_LT && b->op == TIRB_OP_LE);
    return orders && tirbi_same_value(a->args[0], b->args[0]) && tirbi_same_value(a->args[1], b->args[1]);
}

/* Whether a term follows from another one. */
static bool follows(const tirbi_lx *x, const tirbi_lx *from, unsigned depth) {
    if (depth > MAX_TERMS) return false;
    if (tirbi_same_value(x, from) || is_weaker(x, from)) return true;
    return tirbi_is_disjunction(x) && (follows(x->args[0], from, depth + 1) || follows(x->args[1], from, depth + 1));
}

/* What is true where x is not. */
static const tirbi_lx *opposite(seeker *s, const tirbi_lx *x, unsigned depth) {
    if (!x || depth > MAX_TERMS || !(tirbi_is_disjunction(x) || tirbi_is_conjunction(x))) return negate(s, x);
    const tirbi_lx *a = opposite(s, x->args[0], depth + 1), *b = opposite(s, x->args[1], depth + 1);
    return tirbi_lx_lazy(s->pool, tirbi_is_disjunction(x) ? TIRBI_LX_AND : TIRBI_LX_OR, a, b, NULL);
}

typedef struct terms {
    const tirbi_lx *item[MAX_TERMS];
    uint32_t n;
} terms;

/* Adds the terms of a conjunction but for those that others say already. */
static bool add_terms(terms *t, const tirbi_lx *x, unsigned depth) {
    if (tirbi_is_conjunction(x) && depth < MAX_TERMS)
        return add_terms(t, x->args[0], depth + 1) && add_terms(t, x->args[1], depth + 1);
    for (uint32_t i = 0; i < t->n; i++) {
        if (follows(x, t->item[i], 0)) return true;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        if (!follows(t->item[i], x, 0)) t->item[kept++] = t->item[i];
    }
    t->n = kept;
    if (t->n == MAX_TERMS) return false;
    t->item[t->n++] = x;
    return true;
}

/* Each of these is NULL where it is not known when, or never. */
static const tirbi_lx *both(seeker *s, const tirbi_lx *a, const tirbi_lx *b) {
    terms t = {.n = 0};
    if (!a || !b) return NULL;
    if (a == s->always) return b;
    if (b == s->always) return a;
    if (!add_terms(&t, a, 0) || !add_terms(&t, b, 0)) return NULL;
    const tirbi_lx *all = t.item[0];
    for (uint32_t i = 1; i < t.n && all; i++) all = tirbi_lx_lazy(s->pool, TIRBI_LX_AND, all, t.item[i], NULL);
    return all;
}

static const tirbi_lx *either(seeker *s, const tirbi_lx *a, const tirbi_lx *b) {
    if (!a || !b) return a ? a : b;
    if (a == s->always || b == s->always) return s->always;
    return tirbi_lx_lazy(s->pool, TIRBI_LX_OR, a, b, NULL);
}

/* yes where c, else no */
static const tirbi_lx *choice(seeker *s, const tirbi_lx *c, const tirbi_lx *yes, const tirbi_lx *no) {
    if (yes == s->always && no == s->always) return s->always;
    if (yes == s->always) return no ? either(s, c, no) : c;
    if (no == s->always) return yes ? either(s, negate(s, c), yes) : negate(s, c);
    return either(s, both(s, c, yes), both(s, negate(s, c), no));
}

/* ---- When an iteration changes nothing -------------------------------------------------------------------------- */

/* An expression of loads and variables from outside of the body. */
static const tirbi_lx *without_lets(seeker *s, const tirbi_lx *x) {
    const tirbi_lx *value = tirbi_rewrite_value(&s->lets, x);
    if (!value || value->size > MAX_SIZE) s->failed = true;
    return s->failed ? NULL : value;
}

/* When `var or x` or `var and x` is what the variable holds. */
static const tirbi_lx *keeps_truth(seeker *s, const tirbi_lvar *var, const tirbi_lx *x) {
    const bool first = tirbi_is_var(var, x->args[0]);
    if (!first && !tirbi_is_var(var, x->args[1])) return NULL;
    const tirbi_lx *held = x->args[first ? 0 : 1], *other = x->args[first ? 1 : 0];
    return tirbi_is_disjunction(x) ? either(s, held, negate(s, other)) : either(s, negate(s, held), other);
}

/* When the value is what the variable holds. */
static const tirbi_lx *keeps(seeker *s, tirbi_lvar *var, const tirbi_lx *x, unsigned depth) {
    if (x->kind == TIRBI_LX_VAR) return x->var == var ? s->always : NULL;
    if (depth > MAX_DEPTH) return NULL;
    if (tirbi_is_disjunction(x) || tirbi_is_conjunction(x)) return keeps_truth(s, var, x);
    if (x->kind == TIRBI_LX_CONST && x->type == var->type && tirbi_dtype_is_int((tirbi_dtype)x->type))
        return tirbi_lx_binary(s->pool, TIRB_OP_EQ, (tirbi_dtype)x->type, tirbi_lx_var(s->pool, var), x);
    if (tirbi_is_choice(x)) {
        return choice(s, x->args[0], keeps(s, var, x->args[1], depth + 1), keeps(s, var, x->args[2], depth + 1));
    }
    if (x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_MIN || x->op == TIRB_OP_MAX)) {
        tirbi_op order = x->op == TIRB_OP_MIN ? TIRB_OP_LT : TIRB_OP_GT;
        /* Integers that are equal are the same, so that the first may as well be taken. */
        if (tirbi_dtype_is_int((tirbi_dtype)x->type)) order = x->op == TIRB_OP_MIN ? TIRB_OP_LE : TIRB_OP_GE;
        const tirbi_lx *first = tirbi_lx_binary(s->pool, order, (tirbi_dtype)x->type, x->args[0], x->args[1]);
        if (!first) return NULL;
        return choice(s, first, keeps(s, var, x->args[0], depth + 1), keeps(s, var, x->args[1], depth + 1));
    }
    return NULL;
}

static bool is_state(const void *context, const tirbi_lx *x) {
    const seeker *s = context;
    for (uint32_t i = 0; x->kind == TIRBI_LX_VAR && i < s->n_state; i++)
        if (x->var == s->state[i]) return true;
    return false;
}

static bool is_own(const seeker *s, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < s->n_own; i++)
        if (s->own[i] == var) return true;
    return false;
}

/* Notes the variables that begin in the body, or are carried; false: too many. */
static tirbi_step note_variable(tirbi_walk *w, const tirbi_ls *stmt) {
    seeker *s = w->context;
    if (stmt->kind != TIRBI_LS_SET || stmt->as.set.var->kind == TIRBI_LVAR_LET) return TIRBI_INTO;
    tirbi_lvar *var = stmt->as.set.var;
    const tirbi_lx named = {.kind = TIRBI_LX_VAR, .var = var};
    if (var->kind != TIRBI_LVAR_LOCAL) return TIRBI_STOP;
    if (is_own(s, var) || is_state(s, &named)) return TIRBI_INTO;
    if (stmt->as.set.declares ? s->n_own == MAX_OWN : s->n_state == MAX_STATE) return TIRBI_STOP;
    if (stmt->as.set.declares) s->own[s->n_own++] = var;
    else s->state[s->n_state++] = var;
    return TIRBI_INTO;
}

static void note_fallible(seeker *s, const tirbi_lx *x) {
    if (!x->traps) return;
    if (s->n_fallible == MAX_FALLIBLE) s->failed = true;
    else s->fallible[s->n_fallible++] = x;
}

static bool is_load(const void *nothing, const tirbi_lx *x) {
    (void)nothing;
    return x->kind == TIRBI_LX_LOAD;
}

/* Whether the loop may be one of two versions, by whether a condition is as said in all of it. */
static bool take_as_given(seeker *s, const tirbi_lx *x, bool holds) {
    if (!s->may_give || !x->pure || x->traps || tirbi_lx_depends_on(x, s->loop->as.loop.var) ||
        !tirbi_is_available(s->pool, x) || tirbi_any_expr(x, 0, is_load, NULL))
        return false;
    s->given = tirbi_lx_and(s->pool, s->given, holds ? x : negate(s, x));
    return s->given != NULL;
}

/* A condition all of which is always computed, and where it holds, `x` is as said; NULL: there is none. */
static const tirbi_lx *surely(seeker *s, const tirbi_lx *x, bool holds, unsigned depth) {
    const bool all = x->kind == TIRBI_LX_AND, any = x->kind == TIRBI_LX_OR;
    if ((all || any) && x->args[1]->traps && depth < MAX_TERMS) {
        if (take_as_given(s, x->args[0], all)) return surely(s, x->args[1], holds, depth + 1);
        return all == holds ? NULL : surely(s, x->args[0], holds, depth + 1);
    }
    if (!tirbi_fails_surely(x)) return NULL;
    return holds ? x : negate(s, x);
}

static const tirbi_lx *stays(seeker *s, const tirbi_ls *stmt, unsigned depth);

/* When an arm of a choice does nothing; what it computes then may not fail. */
static const tirbi_lx *arm_stays(seeker *s, const tirbi_ls *arm, unsigned depth) {
    const uint32_t before = s->n_fallible;
    const tirbi_lx *idle = arm ? stays(s, arm, depth + 1) : s->always;
    if (idle && (idle->traps || s->n_fallible > before)) idle = NULL;
    s->n_fallible = before;
    return idle;
}

static const tirbi_lx *choice_stays(seeker *s, const tirbi_ls *stmt, unsigned depth) {
    const tirbi_lx *c = without_lets(s, stmt->as.if_.condition);
    if (!c) return NULL;
    const tirbi_lx *yes = arm_stays(s, stmt->as.if_.then_case, depth);
    const tirbi_lx *no = arm_stays(s, stmt->as.if_.else_case, depth);
    if (s->failed) return NULL;
    note_fallible(s, c);
    if (tirbi_fails_surely(c)) return choice(s, c, yes, no);
    if (no) no = both(s, surely(s, c, false, 0), no);
    return no || !yes ? no : both(s, surely(s, c, true, 0), yes);
}

/* When an assignment changes nothing that is carried; what begins in the body stands for its value from there on. */
static const tirbi_lx *set_stays(seeker *s, const tirbi_ls *stmt, unsigned depth) {
    tirbi_lvar *var = stmt->as.set.var;
    const tirbi_lx *value = stmt->as.set.value ? without_lets(s, stmt->as.set.value) : NULL;
    const bool let = var->kind == TIRBI_LVAR_LET;
    if (!value) s->failed = true;
    if (s->failed || (!let && is_own(s, var) && depth > 1)) return NULL; /* it may be set or not */
    note_fallible(s, value);
    if (!let && !is_own(s, var)) return keeps(s, var, value, 0);
    tirbi_bind_variable(&s->lets, var, value);
    return tirbi_fails_surely(value) ? s->always : NULL;
}

/* When a statement leaves all as it is, those before it having done so. NULL: not where that is known. */
static const tirbi_lx *stays(seeker *s, const tirbi_ls *stmt, unsigned depth) {
    if (s->failed || depth > MAX_DEPTH) return NULL;
    const tirbi_lx *all = s->always;
    switch (stmt->kind) {
    case TIRBI_LS_SEQ:
        for (uint32_t i = 0; i < stmt->as.seq.n; i++) all = both(s, all, stays(s, stmt->as.seq.items[i], depth + 1));
        return all;
    case TIRBI_LS_IF: return choice_stays(s, stmt, depth);
    case TIRBI_LS_SET: return set_stays(s, stmt, depth);
    case TIRBI_LS_WHILE:
        all = without_lets(s, stmt->as.while_.condition);
        if (!all) return NULL;
        note_fallible(s, all);
        return surely(s, all, false, 0);
    default: return NULL;
    }
}

/* ---- What may fail ---------------------------------------------------------------------------------------------- */

static bool is_same(const void *context, const tirbi_lx *x) { return tirbi_same_value(context, x); }

/* Goes on where what may fail is in the condition `w->context`, too. */
static tirbi_step find_in_condition(tirbi_walk *w, const tirbi_lx *x) {
    if (!x->traps || w->guarded) return TIRBI_PAST;
    const bool computes = x->kind == TIRBI_LX_OP && !((tirbi_ops[x->op].flags & TIRBI_FLAG_TRAP) &&
                                                      tirbi_dtype_is_int((tirbi_dtype)x->optype));
    if (computes || x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR || x->kind == TIRBI_LX_COND) return TIRBI_INTO;
    return tirbi_any_expr(w->context, TIRBI_WALK_INDICES, is_same, x) ? TIRBI_PAST : TIRBI_STOP;
}

/* Whether a value may be another one once an iteration has changed something. */
static bool may_change(const void *context, const tirbi_lx *x) {
    const seeker *s = context;
    return is_state(s, x) ||
           (x->kind == TIRBI_LX_LOAD && tirbi_stores_to(s->loop->as.loop.body, x->access->buffer->root));
}

/* Stops where a subscript moves with the loop from such a value: what later iterations reach is not known then. */
static tirbi_step stop_at_state(tirbi_walk *w, const tirbi_lx *x) {
    const seeker *s = w->context;
    for (uint32_t d = 0; x->kind == TIRBI_LX_LOAD && d < x->access->ndim; d++) {
        const tirbi_lx *index = x->access->indices[d];
        if (tirbi_lx_depends_on(index, s->loop->as.loop.var) &&
            tirbi_any_expr(index, TIRBI_WALK_INDICES, may_change, s))
            return TIRBI_STOP;
    }
    return TIRBI_INTO;
}

/* Whether looking at the condition of later iterations fails if and only if these would. */
static bool may_look(seeker *s, const tirbi_lx *changes) {
    tirbi_walk walk = {.expr = stop_at_state, .reach = TIRBI_WALK_INDICES, .context = s};
    tirbi_walk find = {.expr = find_in_condition, .reach = TIRBI_WALK_INDICES};
    bool may = tirbi_walk_expr(&walk, changes);
    find.context = (void *)(uintptr_t)changes;
    for (uint32_t i = 0; i < s->n_fallible && may; i++) may = tirbi_walk_expr(&find, s->fallible[i]);
    return may;
}

/* ---- The loop anew ---------------------------------------------------------------------------------------------- */

static tirbi_lvar *new_var(seeker *s, const char *name, tirbi_lvar_kind kind, const tirbi_lvar *like) {
    return tirbi_new_variable(s->pool, kind, name, like ? like->type : TIRB_I64, like ? like->lo : 0,
                              like ? like->hi : INT64_MAX, s->loop->span);
}

static const tirbi_ls *set(seeker *s, tirbi_lvar *var, const tirbi_lx *value, bool declares) {
    return tirbi_new_set(s->pool, s->loop->span, var, value, declares);
}

static const tirbi_ls *sequence(seeker *s, const tirbi_ls *const *items, uint32_t n) {
    return tirbi_new_sequence(s->pool, s->loop->span, items, n);
}

static const tirbi_ls *while_below(seeker *s, const tirbi_lx *at, const tirbi_lx *limit, const tirbi_ls *body) {
    return tirbi_new_while(s->pool, s->loop->span, tirbi_lx_wide(s->pool, TIRB_OP_LT, at, limit), body);
}

static const tirbi_lx *value_of(seeker *s, tirbi_lvar *var) { return tirbi_lx_var(s->pool, var); }

/* A counter of the loop's iterations that other statements set; what is known of the loop's own is known of it. */
static tirbi_lvar *counter_like(seeker *s, const tirbi_lx *min, const tirbi_lx *extent) {
    const tirbi_lvar *old = s->loop->as.loop.var;
    tirbi_lvar *var = new_var(s, old->name, TIRBI_LVAR_LOOP, old);
    if (!var) return NULL;
    var->span = old->span;
    var->min = min;
    var->extent = extent;
    var->below = old->below ? old->below : tirbi_lx_add(s->pool, old->min, old->extent);
    return var;
}

/* The body in an iteration that `k` counts. */
static const tirbi_ls *body_at(seeker *s, tirbi_lvar *k) {
    tirbi_lvar *old = s->loop->as.loop.var;
    const tirbi_ls *body = s->loop->as.loop.body;
    if (tirbi_may_recount(body, &(tirbi_loop_set){.var = {old}, .n = 1}))
        return tirbi_recount(s->pool, body, old, k, value_of(s, k));
    const bool chooses = body->kind == TIRBI_LS_IF && !body->as.if_.else_case;
    const tirbi_ls *items[] = {set(s, old, value_of(s, k), true), chooses ? body->as.if_.then_case : body};
    const tirbi_ls *here = sequence(s, items, 2);
    if (!chooses) return here;
    const tirbi_lx *c = tirbi_value_with(s->pool, body->as.if_.condition, old, value_of(s, k));
    return tirbi_new_if(s->pool, s->loop->span, c, here, NULL);
}

/* Iterations go one by one from `at` up to `stop`. */
static const tirbi_ls *one_by_one(seeker *s, tirbi_lvar *at, tirbi_lvar *stop) {
    const tirbi_lx *here = value_of(s, at), *n = tirbi_lx_sub(s->pool, value_of(s, stop), here);
    tirbi_lvar *k = counter_like(s, tirbi_lx_add(s->pool, s->loop->as.loop.var->min, here),
                                 tirbi_lx_within(s->pool, n, 0, LONGEST));
    tirbi_ls *loop = k && k->min && k->extent ? tirbi_loop_like(s->pool, s->loop, k, body_at(s, k)) : NULL;
    if (!loop) return NULL;
    loop->as.loop.parallel = false;
    loop->as.loop.blocks = true; /* it stays as it is */
    const tirbi_ls *items[] = {loop, set(s, at, value_of(s, stop), false)};
    return sequence(s, items, 2);
}

/* `at` moves to the next iteration that changes something. */
static const tirbi_ls *look_ahead(seeker *s, tirbi_lvar *at, tirbi_lvar *burst, const tirbi_lx *changes) {
    const tirbi_lvar *old = s->loop->as.loop.var;
    tirbi_lvar *first = new_var(s, "first", TIRBI_LVAR_LET, NULL), *rounds = new_var(s, "rounds", TIRBI_LVAR_LET, NULL);
    tirbi_lvar *found = new_var(s, "found", TIRBI_LVAR_LET, NULL);
    tirbi_rewrite rewrite = {.pool = s->pool};
    const tirbi_ls *items[MAX_STATE + 6];
    uint32_t n = 0;
    if (!first || !rounds) return NULL;
    first->lo = old->min->lo;
    rounds->lo = 1;
    rounds->hi = old->extent->hi;
    items[n++] = set(s, first, tirbi_lx_add(s->pool, old->min, value_of(s, at)), true);
    items[n++] = set(s, rounds, tirbi_lx_sub(s->pool, old->extent, value_of(s, at)), true);
    for (uint32_t i = 0; i < s->n_state; i++) {
        if (!tirbi_any_expr(changes, TIRBI_WALK_INDICES, tirbi_is_var, s->state[i])) continue;
        s->seen[i] = new_var(s, s->state[i]->name, TIRBI_LVAR_LET, s->state[i]);
        items[n++] = set(s, s->seen[i], value_of(s, s->state[i]), true);
    }
    tirbi_lvar *counter = counter_like(s, value_of(s, first), value_of(s, rounds));
    tirbi_bind_variable(&rewrite, old, value_of(s, counter));
    for (uint32_t i = 0; i < s->n_state; i++)
        if (s->seen[i]) tirbi_bind_variable(&rewrite, s->state[i], value_of(s, s->seen[i]));
    items[n++] = tirbi_new_search(s->pool, s->loop->span, counter, tirbi_rewrite_value(&rewrite, changes), found);
    if (!items[n - 1]) return NULL;
    items[n++] = set(s, at, tirbi_lx_add(s->pool, value_of(s, at), value_of(s, found)), false);
    const tirbi_lx *twice =
        tirbi_lx_with(s->pool, TIRB_OP_MIN, tirbi_lx_add(s->pool, value_of(s, burst), value_of(s, burst)), LONGEST);
    const tirbi_lx *close = tirbi_lx_with(s->pool, TIRB_OP_LT, value_of(s, found), CLOSE);
    items[n++] =
        set(s, burst,
            tirbi_lx_op(s->pool, TIRB_OP_SELECT, TIRB_I64, TIRB_TYPE_NONE, close, twice, tirbi_lx_number(s->pool, 1)),
            false);
    return sequence(s, items, n);
}

/* The loop in rounds: some iterations by themselves, then a look for the next one that changes something. */
static const tirbi_ls *in_rounds(seeker *s, const tirbi_lx *changes) {
    const tirbi_lvar *var = s->loop->as.loop.var;
    tirbi_lvar *at = new_var(s, "at", TIRBI_LVAR_LOCAL, NULL), *burst = new_var(s, "burst", TIRBI_LVAR_LOCAL, NULL);
    tirbi_lvar *stop = new_var(s, "stop", TIRBI_LVAR_LET, NULL);
    const tirbi_lx *here = value_of(s, at);
    const tirbi_ls *ahead = look_ahead(s, at, burst, changes), *near = one_by_one(s, at, stop);
    if (!ahead || !near) return NULL;
    const tirbi_lx *far = tirbi_lx_add(s->pool, here, value_of(s, burst));
    const tirbi_lx *end = tirbi_lx_wide(s->pool, TIRB_OP_MIN, far, var->extent);
    const tirbi_ls *round[] = {
        set(s, stop, end, true), near,
        tirbi_new_if(s->pool, s->loop->span, tirbi_lx_wide(s->pool, TIRB_OP_LT, here, var->extent), ahead, NULL)};
    const tirbi_ls *all[] = {set(s, at, tirbi_lx_number(s->pool, 0), true),
                             set(s, burst, tirbi_lx_number(s->pool, AT_FIRST), true),
                             while_below(s, here, var->extent, sequence(s, round, 3))};
    return sequence(s, all, 3);
}

/* When an iteration changes something, if it seldom does so; NULL: that is not known. */
static const tirbi_lx *find_changes(seeker *s, tirbi_lx_pool *pool, const tirbi_ls *loop) {
    tirbi_walk variables = {.stmt = note_variable, .context = s};
    s->pool = s->lets.pool = pool;
    s->loop = loop;
    s->always = tirbi_lx_int(pool, TIRB_BOOL, 1);
    if (!s->always || !tirbi_walk_stmt(&variables, loop->as.loop.body)) return NULL;
    const tirbi_lx *stay = stays(s, loop->as.loop.body, 0);
    if (!stay || s->failed || stay == s->always) return NULL;
    const tirbi_lx *changes = opposite(s, stay, 0);
    return changes && may_look(s, changes) ? changes : NULL;
}

static const tirbi_ls *search_updates(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    if (loop->as.loop.step || !tirbi_has_plain_bounds(loop->as.loop.var) ||
        loop->as.loop.var->extent->hi <= 2 * AT_FIRST ||
        !tirbi_is_made_of(loop->as.loop.body, TIRBI_KIND(SEQ) | TIRBI_KIND(IF) | TIRBI_KIND(SET)))
        return NULL;
    seeker *s = TIRBI_NEW(pool->arena, seeker);
    const tirbi_lx *changes = s ? find_changes(s, pool, loop) : NULL;
    const bool carried = changes && s->n_state > 0 && tirbi_any_expr(changes, 0, is_state, s);
    const tirbi_ls *searched = carried ? in_rounds(s, changes) : NULL;
    if (!searched) TIRBI_GIVE_BACK(pool->arena, s);
    return searched;
}

/* Whether code leaves a loop, or is of a kind that is not copied. */
static bool leaves_or_stays(const void *nothing, const tirbi_ls *s) {
    (void)nothing;
    return (TIRBI_JUMPS >> s->kind & 1) || s->kind == TIRBI_LS_TREE ||
           s->kind == TIRBI_LS_FETCH || s->kind == TIRBI_LS_SEARCH;
}

bool tirbi_skip_idle(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out) {
    const tirbi_lvar *var = loop->as.loop.var;
    if (!tirbi_is_plain_loop(loop) || var->extent->hi <= LONGEST ||
        tirbi_any_stmt(loop->as.loop.body, leaves_or_stays, NULL) ||
        tirbi_any_value(loop->as.loop.body, TIRBI_WALK_ALL, tirbi_is_call, NULL))
        return false;
    seeker *s = TIRBI_NEW(pool->arena, seeker);
    if (!s) return false;
    s->may_give = true;
    const tirbi_lx *changes = find_changes(s, pool, loop);
    if (changes && tirbi_lx_depends_on(changes, var) && tirbi_any_expr(changes, 0, is_load, NULL)) {
        const tirbi_lx *enough = tirbi_lx_with(pool, TIRB_OP_GE, var->extent, LEAST_SKIPPED);
        out->stmt = tirbi_is_available(pool, var->extent) ? in_rounds(s, changes) : NULL;
        out->loop = loop;
        out->condition = var->extent->lo >= LEAST_SKIPPED ? s->given : tirbi_lx_and(pool, s->given, enough);
    }
    if (!out->stmt) TIRBI_GIVE_BACK(pool->arena, s);
    return out->stmt != NULL;
}

/* Of few iterations the extreme is looked for in all, and then its place; of many few change it. Looking in all is as
 * fast as memory where that is 4 bytes and more for each without another operation. */
enum { LONG = 12288, LONG_IF_LOADED = 65536 };

static bool takes_longer(const void *context, const tirbi_lx *x) {
    (void)context;
    if (x->kind == TIRBI_LX_LOAD) return tirbi_dtypes[x->type].size < 4;
    return x->kind == TIRBI_LX_OP && tirbi_dtype_is_float((tirbi_dtype)x->type);
}

const tirbi_ls *tirbi_search_updates(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const int64_t most = tirbi_any_value(loop->as.loop.body, 0, takes_longer, NULL) ? LONG : LONG_IF_LOADED;
    const tirbi_ls *places = tirbi_find_places(pool, loop);
    if (places && loop->as.loop.var->extent->hi <= most) return places;
    const tirbi_ls *updates = search_updates(pool, loop);
    const tirbi_ls *pairs = !places && updates ? tirbi_find_pairs(pool, loop, updates, most) : NULL;
    if (pairs) return pairs;
    if (!places || !updates) return places ? places : updates;
    const tirbi_lx *few = tirbi_lx_with(pool, TIRB_OP_LE, loop->as.loop.var->extent, most);
    return tirbi_new_if(pool, loop->span, few, places, updates);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

typedef struct streaming {
    tirbi_lx_pool *pool;
    const tirbi_loop_set *own;
} streaming;

/* Whether a load steps from element to element in a loop. */
static bool is_stream(const void *context, const tirbi_lx *x) {
    const streaming *s = context;
    tirbi_affine form;
    int64_t c;
    return x->kind == TIRBI_LX_LOAD && tirbi_affine_number(s->pool, x->access, s->own, &form) &&
           tirbi_affine_constant(&form, 0, &c) && c == 1;
}

/* The only loop of more than one round among statements; false where there are several. */
static bool find_loop(const tirbi_ls *s, const tirbi_ls **found, unsigned depth) {
    if (s->kind == TIRBI_LS_LOOP && s->as.loop.var->extent->hi > 1) {
        if (*found) return false;
        *found = s;
    }
    for (uint32_t i = 0; s->kind == TIRBI_LS_SEQ && i < s->as.seq.n; i++) {
        if (depth == MAX_DEPTH || !find_loop(s->as.seq.items[i], found, depth + 1)) return false;
    }
    return true;
}

const tirbi_ls *tirbi_find_searched(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    const tirbi_ls *inner = loop->as.loop.body;
    for (unsigned depth = 0; depth < MAX_DEPTH && inner; depth++) {
        if (inner->kind == TIRBI_LS_LOOP) {
            tirbi_loop_set own = {.var = {inner->as.loop.var}, .n = 1};
            const tirbi_ls *body = inner->as.loop.body;
            if (body->kind != TIRBI_LS_LOOP && tirbi_any_value(body, 0, is_stream, &(streaming){pool, &own}) &&
                (tirbi_search_updates(pool, inner) || tirbi_search_elements(pool, inner))) {
                return inner;
            }
            inner = body;
            continue;
        }
        const tirbi_ls *next = NULL;
        inner = find_loop(inner, &next, 0) ? next : NULL;
    }
    return NULL;
}

/* ---- The plan --------------------------------------------------------------------------------------------------- */

/* Whether lanes may do it that have no part in the loop. */
static bool is_harmless(const tirbi_lane_op *o) {
    bool computes = tirbi_ops[o->op].flags & TIRBI_FLAG_ELEMENTWISE;
    if (computes) return !(tirbi_ops[o->op].flags & TIRBI_FLAG_TRAP) || !tirbi_dtype_is_int((tirbi_dtype)o->type);
    return o->op == TIRB_OP_VLOAD || o->op == TIRB_OP_VSPLAT || o->op == TIRB_OP_VIOTA;
}

static tirbi_step fails_surely(tirbi_walk *w, const tirbi_lx *x) {
    if (!x->traps) return TIRBI_PAST;
    const bool hidden = x->kind == TIRBI_LX_CALL || (x->kind == TIRBI_LX_LOAD && x->access->view);
    return w->guarded || hidden ? TIRBI_STOP : TIRBI_INTO;
}

bool tirbi_fails_surely(const tirbi_lx *x) {
    tirbi_walk walk = {.expr = fails_surely, .reach = TIRBI_WALK_INDICES};
    return tirbi_walk_expr(&walk, x);
}

tirbi_lane_plan *tirbi_plan_search(tirbi_lx_pool *pool, const tirbi_ls *search) {
    const tirbi_lx *condition = search->as.search.condition;
    planner *p = !tirbi_fails_surely(condition) ? NULL : tirbi_new_planner(pool, search->as.search.var);
    if (!p) return NULL;
    uint16_t truth = tirbi_plan_value(p, condition);
    for (uint32_t i = 0; i < p->plan->n_ops; i++) p->failed = p->failed || !is_harmless(&p->plan->ops[i]);
    tirbi_lane_op *find = tirbi_plan_op(p, TIRB_OP_VFIND, TIRB_BOOL);
    find->from[0] = truth;
    find->carried = search->as.search.found;
    return tirbi_end_planner(p, !p->failed && tirbi_allocate_lane_registers(p->plan, p->n_values, pool->arena));
}

const tirbi_ls *tirbi_new_search(tirbi_lx_pool *pool, tirbi_span span, tirbi_lvar *var, const tirbi_lx *condition,
                                 tirbi_lvar *found) {
    tirbi_ls *search = var && condition && found ? tirbi_new_stmt(pool, TIRBI_LS_SEARCH, span) : NULL;
    if (!search) return NULL;
    search->as.search.var = var;
    search->as.search.condition = condition;
    search->as.search.found = found;
    return tirbi_plan_search(pool, search) ? search : NULL;
}
