#include "compiler/optimize/whiles/ends.h"

#include "compiler/loop/exact.h"
#include "compiler/loop/visit.h"
#include "compiler/optimize/rewriting/statements.h"

enum {
    MOST_STATEMENTS = 64, /* of an iteration's way */
    MOST_REPEATED = 3,    /* assignments behind a branch that its arms repeat, */
    LARGEST_REPEATED = 4, /* each with a value of so many nodes */
    DEEPEST = 8           /* one branch inside another */
};

typedef struct ends {
    tirbi_lx_pool *pool;
    const tirbi_lx *flag;  /* what the loop's condition asks of a variable; NULL: nothing */
    const tirbi_lvar *var; /* that variable */
    bool fails;            /* the flag is set where what follows cannot be told, or memory ran out */
    bool changes, breaks;
} ends;

/* Statements one after the other. */
typedef struct way {
    const tirbi_ls *items[MOST_STATEMENTS];
    uint32_t n;
} way;

static bool put(way *w, const tirbi_ls *s) {
    if (!s || w->n == MOST_STATEMENTS) return false;
    w->items[w->n++] = s;
    return true;
}

static bool put_all(way *w, const tirbi_ls *s) {
    if (s->kind != TIRBI_LS_SEQ) return put(w, s);
    for (uint32_t i = 0; i < s->as.seq.n; i++) {
        if (!put_all(w, s->as.seq.items[i])) return false;
    }
    return true;
}

static bool jumps(const way *w) {
    return w->n > 0 && (TIRBI_JUMPS >> w->items[w->n - 1]->kind & 1);
}

/* ---- The flag --------------------------------------------------------------------------------------------------- */

static bool is_local(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_VAR && x->var->kind == TIRBI_LVAR_LOCAL && !tirbi_dtype_is_float(x->var->type);
}

/* The variable that a condition compares with a constant, and nothing else; NULL: it is none of that kind. */
static const tirbi_lvar *flag_of(const tirbi_lx *x) {
    if (!tirbi_is_comparison(x)) return NULL;
    for (int i = 0; i < 2; i++)
        if (is_local(x->args[i]) && x->args[1 - i]->kind == TIRBI_LX_CONST) return x->args[i]->var;
    return NULL;
}

/* What the flag says once its variable has a value: a constant, where that can be told. */
static const tirbi_lx *flag_with(const ends *t, const tirbi_lx *value) {
    const tirbi_lx *a = t->flag->args[0], *b = t->flag->args[1];
    if (value->kind != TIRBI_LX_CONST) return NULL;
    if (a->kind == TIRBI_LX_VAR) a = value;
    else b = value;
    return tirbi_lx_binary(t->pool, (tirbi_op)t->flag->op, (tirbi_dtype)t->flag->optype, a, b);
}

static bool sets_flag(const ends *t, const tirbi_ls *s) { return t->flag && tirbi_sets(s, t->var); }

/* At the end of a way: whether the condition is known not to hold any more. */
static bool is_last(ends *t, const way *w) {
    const tirbi_lx *value = NULL;
    for (uint32_t i = 0; i < w->n && t->flag; i++) {
        if (!sets_flag(t, w->items[i])) continue;
        value = w->items[i]->kind == TIRBI_LS_SET ? w->items[i]->as.set.value : NULL;
        if (!value) t->fails = true;
    }
    const tirbi_lx *holds = value ? flag_with(t, value) : NULL;
    t->fails = t->fails || (value && (!holds || holds->kind != TIRBI_LX_CONST));
    return !t->fails && value && holds->value == 0;
}

/* ---- Ways ------------------------------------------------------------------------------------------------------- */

static bool is_repeated(const tirbi_ls *s) {
    return s->kind == TIRBI_LS_SET && !s->as.set.declares && s->as.set.value->shared &&
           s->as.set.value->size <= LARGEST_REPEATED;
}

/* Whether an arm is an assignment of what is there: code for such arms jumps nowhere. */
static bool chooses(const tirbi_ls *s) {
    s = tirbi_only_part(s);
    if (s->kind != TIRBI_LS_SET) return false;
    const tirbi_lx *value = s->as.set.value;
    return value->kind == TIRBI_LX_CONST || value->kind == TIRBI_LX_VAR;
}

/* Whether the arms of the statement at `at` are to end by themselves. */
static bool is_divided(const ends *t, const way *w, uint32_t at) {
    const tirbi_ls *s = w->items[at];
    if (s->kind != TIRBI_LS_IF || s->as.if_.sizes) return false;
    const tirbi_ls *no = s->as.if_.else_case;
    const bool last = at + 1 == w->n;
    if (!sets_flag(t, s) && !last && (!no || (chooses(s->as.if_.then_case) && chooses(no)))) return false;
    if (w->n - at - 1 > MOST_REPEATED) return false;
    for (uint32_t i = at + 1; i < w->n; i++)
        if (!is_repeated(w->items[i]) || sets_flag(t, w->items[i])) return false;
    return true;
}

static const tirbi_ls *end_way(ends *t, const way *w, tirbi_span span, unsigned depth);

/* An arm with what stands behind its branch. */
static const tirbi_ls *end_arm(ends *t, const tirbi_ls *arm, const way *w, uint32_t at, bool goes_on, unsigned depth) {
    way own = {.n = 0};
    bool fits = !arm || put_all(&own, arm);
    if (!jumps(&own)) {
        for (uint32_t i = at + 1; i < w->n; i++) fits = fits && put(&own, w->items[i]);
    }
    const tirbi_span span = w->items[at]->span;
    const tirbi_ls *made = fits ? end_way(t, &own, span, depth + 1) : NULL;
    if (!made || !goes_on) return made;
    way ended = {.n = 0};
    if (!put_all(&ended, made)) return NULL;
    if (!jumps(&ended) && !put(&ended, tirbi_new_stmt(t->pool, TIRBI_LS_CONTINUE, span))) return NULL;
    return tirbi_new_sequence(t->pool, span, ended.items, ended.n);
}

/* The way of an iteration with its branches ended; NULL where memory ran out, or it is too long. */
static const tirbi_ls *end_way(ends *t, const way *w, tirbi_span span, unsigned depth) {
    uint32_t at = 0;
    if (depth == DEEPEST) at = w->n;
    while (at < w->n && !is_divided(t, w, at)) at++;
    way made = {.n = at};
    for (uint32_t i = 0; i < at; i++) made.items[i] = w->items[i];
    if (at == w->n) {
        if (is_last(t, w) && !jumps(w)) {
            t->breaks = true;
            if (!put(&made, tirbi_new_stmt(t->pool, TIRBI_LS_BREAK, span))) return NULL;
        }
        return tirbi_new_sequence(t->pool, span, made.items, made.n);
    }
    const tirbi_ls *s = w->items[at], *no = s->as.if_.else_case;
    const bool last = at + 1 == w->n;
    for (uint32_t i = 0; i < at; i++) t->fails = t->fails || sets_flag(t, w->items[i]);
    const tirbi_ls *yes = end_arm(t, s->as.if_.then_case, w, at, !last, depth);
    if (last) {
        if (no) no = end_arm(t, no, w, at, false, depth);
        const bool same = yes == s->as.if_.then_case && no == s->as.if_.else_case;
        if (!yes || !put(&made, same ? s : tirbi_new_if(t->pool, s->span, s->as.if_.condition, yes, no))) return NULL;
    } else {
        t->changes = true;
        const tirbi_ls *rest = end_arm(t, no, w, at, false, depth);
        if (!yes || !rest || !put(&made, tirbi_new_if(t->pool, s->span, s->as.if_.condition, yes, NULL)) ||
            !put_all(&made, rest))
            return NULL;
    }
    return tirbi_new_sequence(t->pool, span, made.items, made.n);
}

/* ---- Loops ------------------------------------------------------------------------------------------------------ */

/* The first flag in a condition, all of which is asked in order, and the condition without it, NULL where nothing is
 * left. What is asked ahead of it cannot fail. */
static const tirbi_lx *take_flag(tirbi_lx_pool *pool, const tirbi_lx *x, const tirbi_lx **rest) {
    *rest = NULL;
    if (x->kind != TIRBI_LX_AND) return flag_of(x) ? x : NULL;
    const tirbi_lx *without, *flag = take_flag(pool, x->args[0], &without);
    *rest = x->args[1];
    if (flag) {
        if (without) *rest = tirbi_lx_lazy(pool, TIRBI_LX_AND, without, x->args[1], NULL);
        return flag;
    }
    if (!x->args[0]->shared || x->args[0]->traps) return NULL;
    flag = take_flag(pool, x->args[1], &without);
    *rest = without ? tirbi_lx_lazy(pool, TIRBI_LX_AND, x->args[0], without, NULL) : x->args[0];
    return flag;
}

static tirbi_ls *with_body(const tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *body) {
    tirbi_ls *made = body ? tirbi_same_stmt(pool, loop) : NULL;
    if (!made) return NULL;
    made->as.while_.body = body;
    made->as.while_.made = true;
    return made;
}

const tirbi_ls *tirbi_end_iterations(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    way body = {.n = 0};
    if (!put_all(&body, loop->as.while_.body)) return loop;
    const tirbi_lx *rest, *flag = take_flag(pool, loop->as.while_.condition, &rest);
    if (flag && !tirbi_has_kind(loop->as.while_.body, TIRBI_KIND(CONTINUE))) {
        ends t = {.pool = pool, .flag = flag, .var = flag_of(flag)};
        const tirbi_ls *made = end_way(&t, &body, loop->span, 0);
        tirbi_ls *inner = made && t.breaks && !t.fails ? with_body(pool, loop, made) : NULL;
        if (inner) inner->as.while_.condition = rest ? rest : tirbi_lx_int(pool, TIRB_BOOL, 1);
        const tirbi_ls *all = tirbi_new_if(pool, loop->span, flag, inner, NULL);
        if (all) return all;
    }
    ends t = {.pool = pool};
    const tirbi_ls *made = end_way(&t, &body, loop->span, 0);
    const tirbi_ls *all = t.changes && made ? with_body(pool, loop, made) : NULL;
    return all ? all : loop;
}
