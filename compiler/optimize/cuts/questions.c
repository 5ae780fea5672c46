/* A question is an expression whose answer is decided by the sign of a sum, factor * v + rest, where v is the loop's
 * variable. The rest is a constant, or lies in a small range of them because loops inside of this one add to it, and
 * may have a base that does not change in the loop. Its cuts are the values of v at which the answer becomes unsure,
 * and sure. Of a loop whose extent is known at run time they are counted from the first iteration on, or, where the
 * rest has the extent in it, from the last one back. */
#include "compiler/optimize/cuts/questions.h"

#include <string.h>

#include "compiler/loop/visit.h"
#include "compiler/optimize/facts/quotient.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "loader/base/checked.h"

enum {
    EDGE = 8,          /* as many iterations may be unsure, or an eighth of them */
    THIN_EDGE = 2,     /* of so few each is a part */
    SMALL = 8,         /* a loop of so few iterations */
    UNKNOWN = 1 << 20, /* what ranges over as much has sizes in it that are known at run time */
    MAX_QUOTIENTS = 4,
    MAX_DEPTH = 48
};

typedef struct finder {
    const tirbi_lvar *var;
    tirbi_cuts *cuts; /* of a constant range, as values of the variable; or else */
    tirbi_lx_pool *pool;
    const tirbi_lx *between; /* the variable in an iteration between the ends */
    int64_t first, last;     /* iterations at the ends */
} finder;

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/* The sum that a question is about: factor * v + something in lo .. hi. */
typedef struct question {
    int64_t factor, lo, hi;
} question;

/* The values of v at which factor * v + rest >= bound becomes unsure, and sure: false where these are too large. */
static bool find_change(const question *q, int64_t bound, int64_t *first, int64_t *last) {
    int64_t lo, hi;
    /* factor * v >= lo .. hi */
    if (!tirbi_sub_i64(bound, q->hi, &lo) || !tirbi_sub_i64(bound, q->lo, &hi)) return false;
    if (lo <= -INT64_MAX || hi <= -INT64_MAX) return false; /* what is computed of them has room for one more */
    int64_t by = q->factor;
    *first = by > 0 ? -floor_div(-lo, by) : floor_div(-hi, -by) + 1;
    *last = by > 0 ? -floor_div(-hi, by) : floor_div(-lo, -by) + 1;
    return true;
}

bool tirbi_take_factor(const tirbi_sum *sum, const tirbi_lvar *var, int64_t *factor, tirbi_sum *rest) {
    *rest = *sum;
    *factor = 0;
    for (uint32_t i = 0; i < rest->n; i++) {
        if (rest->factor[i] == 0) continue;
        if (rest->term[i]->kind == TIRBI_LX_VAR && rest->term[i]->var == var) {
            *factor = rest->factor[i];
            rest->factor[i] = 0;
        } else if (tirbi_lx_mentions(rest->term[i], var)) {
            return false;
        }
    }
    return *factor != 0 && *factor != INT64_MIN;
}

/* ---- Cuts of a constant range ----------------------------------------------------------------------------------- */

static void add_cut(tirbi_cuts *c, const tirbi_lvar *var, int64_t at) {
    if (at <= var->lo || at > var->hi) return;
    uint32_t i = 0;
    while (i < c->n && c->at[i] < at) i++;
    if (i < c->n && c->at[i] == at) return;
    if (c->n == TIRBI_MAX_CUTS) return;
    memmove(&c->at[i + 1], &c->at[i], (c->n - i) * sizeof(c->at[0]));
    c->at[i] = at;
    c->n++;
}

static void cut_at(const finder *f, const tirbi_sum *sum, int64_t bound) {
    const tirbi_lvar *var = f->var;
    tirbi_sum rest;
    question q;
    int64_t width, first, last;
    if (!tirbi_take_factor(sum, var, &q.factor, &rest) || !tirbi_sum_range(&rest, &q.lo, &q.hi)) return;
    /* A short loop around which one of unknown size goes decides its first iterations at best. */
    if (var->extent->hi <= SMALL && (tirbi_sub_i64(q.hi, q.lo, &width) ? width : INT64_MAX) > UNKNOWN) return;
    if (!find_change(&q, bound, &first, &last)) return;
    if (first < var->lo) first = var->lo;
    if (last > var->hi) last = var->hi + 1;
    if (first > last || (last - first > EDGE && last - first > (var->hi - var->lo) / 8)) return;
    add_cut(f->cuts, var, first);
    for (int64_t v = first + 1; v < last && last - first <= THIN_EDGE; v++) add_cut(f->cuts, var, v);
    add_cut(f->cuts, var, last);
}

/* ---- Ends ------------------------------------------------------------------------------------------------------- */

/* factor * k + rest >= bound has one answer from a small k on: that. */
static int64_t end_of(int64_t factor, const tirbi_sum *rest, int64_t bound) {
    question q = {.factor = factor};
    int64_t first, last;
    if (!tirbi_sum_range(rest, &q.lo, &q.hi) || !find_change(&q, bound, &first, &last)) return 0;
    return first <= EDGE && last >= 0 && last <= EDGE ? last : 0;
}

static void end_at(finder *f, const tirbi_sum *sum, int64_t bound) {
    tirbi_sum rest;
    int64_t factor;
    if (!tirbi_take_factor(sum, f->between->var, &factor, &rest) || !tirbi_sum_of(&rest, f->var->min, factor)) return;
    int64_t first = end_of(factor, &rest, bound);
    if (first > f->first) f->first = first;
    if (!tirbi_sum_of(&rest, f->var->extent, factor) || !tirbi_sub_i64(rest.constant, factor, &rest.constant)) return;
    int64_t last = end_of(-factor, &rest, bound);
    if (last > f->last) f->last = last;
}

/* ---- Questions -------------------------------------------------------------------------------------------------- */

/* Adds factor * x, of a loop with ends where the variable is between them. */
static bool add_to(const finder *f, tirbi_sum *sum, const tirbi_lx *x, int64_t factor) {
    if (f->between)
        x = x->size <= TIRBI_MAX_SHARED_SIZE ? tirbi_value_with(f->pool, x, f->var, f->between) : NULL;
    return x && tirbi_sum_of(sum, x, factor);
}

static void change_at(finder *f, const tirbi_sum *sum, int64_t bound) {
    if (f->between)
        end_at(f, sum, bound);
    else
        cut_at(f, sum, bound);
}

static bool is_question(const tirbi_lx *x) {
    if (x->kind != TIRBI_LX_OP || !x->pure || x->traps || x->n_args == 0 ||
        (x->optype != TIRB_I32 && x->optype != TIRB_I64)) {
        return false;
    }
    switch (x->op) {
    case TIRB_OP_LT:
    case TIRB_OP_LE:
    case TIRB_OP_GT:
    case TIRB_OP_GE:
    case TIRB_OP_EQ:
    case TIRB_OP_NE:
    case TIRB_OP_MIN:
    case TIRB_OP_MAX:
    case TIRB_OP_ABS:
        return true;
    default:
        return false;
    }
}

static void ask_comparison(finder *f, const tirbi_lx *x) {
    tirbi_sum sum = {.constant = 0}, rest;
    int64_t factor, lo, hi;
    if (!add_to(f, &sum, x->args[0], 1) || (x->n_args > 1 && !add_to(f, &sum, x->args[1], -1))) return;
    bool equality = x->op == TIRB_OP_EQ || x->op == TIRB_OP_NE; /* of the sum with 0 */
    bool strict = x->op == TIRB_OP_LE || x->op == TIRB_OP_GT;
    bool never = equality && tirbi_take_factor(&sum, f->between ? f->between->var : f->var, &factor, &rest) &&
                 tirbi_sum_range(&rest, &lo, &hi) && lo == hi && factor != -1 && lo % factor != 0;
    if (never) return;
    if (!strict) change_at(f, &sum, 0);
    if (strict || equality) change_at(f, &sum, 1);
}

static void ask_quotient(finder *f, const tirbi_division *d) {
    tirbi_sum sum = {.constant = 0};
    int64_t lo, hi;
    if (!add_to(f, &sum, d->numerator, 1) || !tirbi_sum_range(&sum, &lo, &hi)) return;
    int64_t first = floor_div(lo, d->divisor), last = floor_div(hi, d->divisor);
    if (last - first >= MAX_QUOTIENTS) return;
    for (int64_t i = first + 1; i <= last; i++) change_at(f, &sum, i * d->divisor);
}

/* Whether an integer is only computed with, as an element's weight: then it decides nothing. */
static bool is_counted_with(const tirbi_walk *w, const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && tirbi_dtype_is_float((tirbi_dtype)x->type) &&
           !tirbi_dtype_is_float((tirbi_dtype)x->source) && x->source != TIRB_BOOL && !w->indexes;
}

static tirbi_step find_in_value(tirbi_walk *w, const tirbi_lx *x) {
    finder *f = w->context;
    tirbi_division division;
    if (is_counted_with(w, x)) return TIRBI_PAST;
    if (x->kind == TIRBI_LX_LOAD) return TIRBI_INTO;
    if (is_question(x)) ask_comparison(f, x);
    if (x->pure && tirbi_is_division(x, &division)) ask_quotient(f, &division);
    return TIRBI_INTO;
}

static void find_in_body(finder *f, const tirbi_ls *body) {
    tirbi_walk walk = {.context = f, .expr = find_in_value, .reach = TIRBI_WALK_PLACES};
    tirbi_walk_stmt(&walk, body);
}

bool tirbi_find_cuts(tirbi_cuts *cuts, tirbi_lx_pool *pool, tirbi_lvar *var, const tirbi_ls *body) {
    finder f = {.var = var, .cuts = cuts, .pool = pool};
    cuts->n = 0;
    if (var->extent->kind == TIRBI_LX_CONST) {
        find_in_body(&f, body);
        for (uint32_t i = 0; i < cuts->n; i++) cuts->at[i] -= var->lo;
        return true;
    }
    tirbi_lvar *between = tirbi_variable_like(pool, var);
    if (!between) return false;
    if (var->type == TIRB_I32 && between->hi > TIRBI_LARGEST_CUT) between->hi = TIRBI_LARGEST_CUT;
    if (!tirbi_add_i64(between->lo, EDGE, &between->lo) || between->lo > between->hi) return true;
    f.between = tirbi_lx_var(pool, between);
    if (f.between) find_in_body(&f, body);
    if (f.first > 0) cuts->at[cuts->n++] = f.first;
    if (f.last > 0) cuts->at[cuts->n++] = -f.last;
    return f.between;
}
