#include "compiler/optimize/rewriting/resolve.h"

#include "compiler/optimize/analysis/access.h"
#include "compiler/optimize/facts/quotient.h"
#include "compiler/optimize/rewriting/rewrite.h"
#include "compiler/optimize/rewriting/statements.h"
#include "loader/base/checked.h"

/* ---- Facts ------------------------------------------------------------------------------------------------------ */

void tirbi_add_fact(tirbi_given *facts, const tirbi_lx *x, const tirbi_lx *y, int64_t constant) {
    tirbi_sum sum = {.constant = constant};
    if (facts->n < TIRBI_MAX_GIVEN && tirbi_sum_of(&sum, x, 1) && tirbi_sum_of(&sum, y, -1))
        facts->item[facts->n++] = sum;
}

/* How often a fact is in a sum: as often as one of the terms that both have. */
static int64_t multiple_of(const tirbi_sum *sum, const tirbi_sum *fact) {
    for (uint32_t i = 0; i < fact->n; i++) {
        const int64_t once = fact->factor[i];
        for (uint32_t k = 0; once != 0 && k < sum->n; k++) {
            const int64_t all = sum->factor[k];
            if (sum->term[k] == fact->term[i] && all != INT64_MIN && all % once == 0 && all / once > 1)
                return all / once;
        }
    }
    return 1;
}

/* Whether the sum is not negative, by the ranges of its terms or as the sum of a fact, or some of it, and something:
 * 2 * h - 2 * i + 2, where h - i is not negative. */
static bool not_negative(const tirbi_given *facts, const tirbi_sum *sum) {
    int64_t lo, hi;
    if (tirbi_sum_range(sum, &lo, &hi) && lo >= 0) return true;
    for (uint32_t i = 0; i < facts->n; i++) {
        const int64_t most = multiple_of(sum, &facts->item[i]);
        for (int64_t times = 1;; times = most) {
            tirbi_sum rest = *sum;
            if (tirbi_sum_add(&rest, &facts->item[i], -times) && tirbi_sum_range(&rest, &lo, &hi) && lo >= 0)
                return true;
            if (times == most) break;
        }
    }
    return false;
}

/* Whether a - b >= least. */
static bool exceeds(const tirbi_given *facts, const tirbi_lx *a, const tirbi_lx *b, int64_t least) {
    tirbi_sum sum = {.constant = -least};
    return tirbi_sum_of(&sum, a, 1) && tirbi_sum_of(&sum, b, -1) && not_negative(facts, &sum);
}

int tirbi_decide(const tirbi_given *facts, tirbi_op op, const tirbi_lx *a, const tirbi_lx *b) {
    switch (op) {
    case TIRB_OP_LT: return exceeds(facts, b, a, 1) ? 1 : exceeds(facts, a, b, 0) ? 0 : -1;
    case TIRB_OP_LE: return exceeds(facts, b, a, 0) ? 1 : exceeds(facts, a, b, 1) ? 0 : -1;
    case TIRB_OP_GT: return tirbi_decide(facts, TIRB_OP_LT, b, a);
    case TIRB_OP_GE: return tirbi_decide(facts, TIRB_OP_LE, b, a);
    case TIRB_OP_EQ:
    case TIRB_OP_NE: {
        bool differ = exceeds(facts, a, b, 1) || exceeds(facts, b, a, 1);
        if (differ) return op == TIRB_OP_NE;
        return exceeds(facts, a, b, 0) && exceeds(facts, b, a, 0) ? op == TIRB_OP_EQ : -1;
    }
    default: return -1;
    }
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

static bool is_plain_int(uint8_t type) { return type == TIRB_I32 || type == TIRB_I64; }

static const tirbi_lx *number(const tirbi_rewrite *r, uint8_t type, int64_t value) {
    return tirbi_lx_int(r->pool, (tirbi_dtype)type, value);
}

/* x / divisor or x % divisor where the whole range of x has one quotient. */
static const tirbi_lx *divide(const tirbi_rewrite *r, const tirbi_division *d) {
    const tirbi_given *facts = r->context;
    const tirbi_lx *x = d->numerator;
    tirbi_sum sum = {.constant = 0};
    int64_t lo, hi;
    if (!is_plain_int(x->type) || !tirbi_sum_of(&sum, x, 1) || !tirbi_sum_range(&sum, &lo, &hi)) return NULL;
    int64_t quotient = lo / d->divisor - (lo % d->divisor < 0), start;
    tirbi_sum from = sum, below = {.n = 0}; /* x - start, start + divisor - 1 - x */
    if (!tirbi_mul_i64(quotient, d->divisor, &start) || !tirbi_sub_i64(from.constant, start, &from.constant) ||
        !tirbi_add_i64(start, d->divisor - 1, &below.constant) || !tirbi_sum_add(&below, &sum, -1) ||
        !not_negative(facts, &from) || !not_negative(facts, &below)) {
        return NULL;
    }
    if (!d->remainder) return tirbi_with_traps_of(number(r, x->type, quotient), x);
    return tirbi_lx_binary(r->pool, TIRB_OP_ADD, (tirbi_dtype)x->type, x, number(r, x->type, -start));
}

static bool is_const(const tirbi_lx *x, bool value) { return x->kind == TIRBI_LX_CONST && (x->value != 0) == value; }

/* An operation on what its operands have become; NULL: as it was. */
static const tirbi_lx *simpler(const tirbi_rewrite *r, const tirbi_lx *x, const tirbi_lx *const *a) {
    const tirbi_given *facts = r->context;
    tirbi_division division;
    bool plain = x->n_args == 2 && is_plain_int(x->optype) && a[0]->pure && a[1]->pure && !a[0]->traps && !a[1]->traps;
    int known = plain ? tirbi_decide(facts, (tirbi_op)x->op, a[0], a[1]) : -1;
    if (known >= 0) return number(r, TIRB_BOOL, known);
    switch (x->op) {
    case TIRB_OP_MIN:
    case TIRB_OP_MAX:
        known = plain ? tirbi_decide(facts, TIRB_OP_LE, a[0], a[1]) : -1;
        return known < 0 ? NULL : a[(x->op == TIRB_OP_MIN) == (known == 1) ? 0 : 1];
    case TIRB_OP_ABS:
        if (!is_plain_int(x->optype) || !a[0]->pure) return NULL;
        known = tirbi_decide(facts, TIRB_OP_GE, a[0], number(r, x->optype, 0));
        if (known == 1) return a[0];
        if (known < 0) return NULL;
        return tirbi_lx_binary(r->pool, TIRB_OP_SUB, (tirbi_dtype)x->optype, number(r, x->optype, 0), a[0]);
    case TIRB_OP_AND:
    case TIRB_OP_OR: {
        bool dominant = x->op == TIRB_OP_OR;
        if (x->optype != TIRB_BOOL || a[0]->traps || a[1]->traps) break;
        for (int i = 0; i < 2; i++) {
            if (is_const(a[i], dominant)) return a[i];
            if (is_const(a[i], !dominant)) return a[1 - i];
        }
        return NULL;
    }
    case TIRB_OP_NOT:
        return x->optype == TIRB_BOOL && a[0]->kind == TIRBI_LX_CONST ? number(r, TIRB_BOOL, !a[0]->value) : NULL;
    case TIRB_OP_SELECT:
        if (a[0]->kind != TIRBI_LX_CONST || a[1]->traps || a[2]->traps) return NULL;
        return a[0]->value ? a[1] : a[2];
    default: break;
    }
    const tirbi_lx *same = a[0] == x->args[0] && (x->n_args < 2 || a[1] == x->args[1])
                               ? x
                               : tirbi_lx_op(r->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source,
                                             a[0], a[1], x->n_args > 2 ? a[2] : NULL);
    if (!same || x->n_args != 2 || !tirbi_is_division(same, &division)) return NULL;
    const tirbi_lx *quotient = divide(r, &division);
    if (!quotient) quotient = tirbi_simplify_division(r->pool, &division);
    return quotient ? quotient : tirbi_drop_multiples(r->pool, &division);
}

/* What is not evaluated is not looked at: it may make no sense there. */
static const tirbi_lx *lazily(tirbi_rewrite *r, const tirbi_lx *x) {
    const tirbi_lx *first = tirbi_rewrite_value(r, x->args[0]);
    if (!first) return NULL;
    if (x->kind == TIRBI_LX_COND) {
        if (first->kind == TIRBI_LX_CONST) return tirbi_rewrite_value(r, x->args[first->value ? 1 : 2]);
        return tirbi_lx_lazy(r->pool, TIRBI_LX_COND, first, tirbi_rewrite_value(r, x->args[1]),
                             tirbi_rewrite_value(r, x->args[2]));
    }
    bool dominant = x->kind == TIRBI_LX_OR;
    if (is_const(first, dominant)) return first;
    const tirbi_lx *second = tirbi_rewrite_value(r, x->args[1]);
    if (!second || is_const(first, !dominant)) return second;
    if (is_const(second, !dominant) || (is_const(second, dominant) && first->pure && !first->traps))
        return is_const(second, dominant) ? second : first;
    return tirbi_lx_lazy(r->pool, (tirbi_lx_kind)x->kind, first, second, NULL);
}

static const tirbi_lx *replace(tirbi_rewrite *r, const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_COND || x->kind == TIRBI_LX_AND || x->kind == TIRBI_LX_OR) return lazily(r, x);
    if (x->kind != TIRBI_LX_OP || x->addend_first || x->n_args == 0) return NULL;
    const tirbi_lx *a[3] = {NULL};
    for (int i = 0; i < x->n_args; i++) {
        a[i] = tirbi_rewrite_value(r, x->args[i]);
        if (!a[i]) return NULL;
    }
    const tirbi_lx *other = simpler(r, x, a);
    if (other) return other;
    return tirbi_lx_op(r->pool, (tirbi_op)x->op, (tirbi_dtype)x->optype, (tirbi_dtype)x->source, a[0], a[1], a[2]);
}

/* ---- Statements ------------------------------------------------------------------------------------------------- */

bool tirbi_is_nothing(const tirbi_ls *s) { return tirbi_is_made_of(s, TIRBI_KIND(SEQ) | TIRBI_KIND(LOOP)); }

bool tirbi_can_resolve(const tirbi_ls *s) {
    tirbi_accesses all = {.kinds = TIRBI_NESTS | TIRBI_KIND(TREE)};
    return tirbi_find_accesses(&all, s);
}

const tirbi_ls *tirbi_resolve(tirbi_lx_pool *pool, const tirbi_given *facts, const tirbi_ls *body,
                              const tirbi_lvar *from, const tirbi_lx *value, tirbi_lvar *to) {
    tirbi_lvar *const counter = (tirbi_lvar *)(uintptr_t)from;
    const tirbi_binding bound = {.var = from, .value = value};
    tirbi_rewrite rewrite = {.pool = pool,
                             .replace = replace,
                             .context = (void *)(uintptr_t)facts,
                             .bound = &bound,
                             .kinds = TIRBI_NESTS | TIRBI_KIND(TREE),
                             .anew = TIRBI_ALL_ANEW,
                             .from = &counter,
                             .n_from = 1,
                             .to = &to,
                             .n_to = to ? 1 : 0};
    return value ? tirbi_rewrite_stmt(&rewrite, body) : NULL;
}
