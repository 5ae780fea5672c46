#include "compiler/optimize/facts/quotient.h"

#include "compiler/loop/sums.h"
#include "loader/base/divisor.h"

enum { MAX_SIZE = 500 };

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }
static int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }

static int64_t common_divisor(int64_t divisor, int64_t factor) {
    return (int64_t)tirbi_common_divisor((uint64_t)divisor, tirbi_magnitude(factor));
}

bool tirbi_is_division(const tirbi_lx *x, tirbi_division *out) {
    if (x->kind != TIRBI_LX_OP || x->type != x->optype || x->type == TIRB_U64) return false;
    if (!tirbi_dtype_is_int((tirbi_dtype)x->type)) return false;
    const tirbi_lx *a = x->args[0], *b = x->n_args > 1 ? x->args[1] : NULL;
    if (!b || b->kind != TIRBI_LX_CONST || a->kind == TIRBI_LX_CONST) return false;
    *out = (tirbi_division){.numerator = a, .divisor = b->value};
    switch (x->op) {
    case TIRB_OP_DIV: return b->value > 0 && a->lo >= 0;
    case TIRB_OP_FLOORDIV: return b->value > 0;
    case TIRB_OP_MOD: out->remainder = true; return b->value > 0 && a->lo >= 0;
    case TIRB_OP_FLOORMOD: out->remainder = true; return b->value > 0;
    case TIRB_OP_SHR:
        if (b->value < 0 || b->value >= tirbi_dtypes[x->type].bits - 1) return false;
        out->divisor = INT64_C(1) << b->value;
        return true;
    case TIRB_OP_AND:
        out->remainder = true;
        if (b->value < 0 || b->value == INT64_MAX || (b->value & (b->value + 1)) != 0) return false;
        out->divisor = b->value + 1;
        return true;
    default: return false;
    }
}

const tirbi_lx *tirbi_floor_by_bits(tirbi_lx_pool *pool, const tirbi_lx *x, int64_t power, bool remainder) {
    const tirbi_dtype type = (tirbi_dtype)x->type;
    const tirbi_lx *by = tirbi_lx_int(pool, type, remainder ? power - 1 : __builtin_ctzll((unsigned long long)power));
    return tirbi_lx_binary(pool, remainder ? TIRB_OP_AND : TIRB_OP_SHR, type, x, by);
}

const tirbi_lx *tirbi_division_by_bits(tirbi_lx_pool *pool, const tirbi_lx *x) {
    tirbi_division d;
    if (!tirbi_is_division(x, &d) || x->op == TIRB_OP_SHR || x->op == TIRB_OP_AND || d.divisor < 2 ||
        (d.divisor & (d.divisor - 1)) != 0)
        return NULL;
    return tirbi_floor_by_bits(pool, d.numerator, d.divisor, d.remainder);
}

/* ---- Traps ----------------------------------------------------------------------------------------------------- */

enum { MOST_SEARCHED = 1024 }; /* operands of a result in which others are looked for */

static bool is_part_of(const tirbi_lx *part, const tirbi_lx *x) {
    if (x == part) return true;
    for (int i = 0; i < x->n_args; i++)
        if (is_part_of(part, x->args[i])) return true;
    return false;
}

static bool keeps_traps(const tirbi_lx *result, const tirbi_lx *x) {
    if (!x->traps) return true;
    if (!tirbi_is_arithmetic(x) && !tirbi_keeps_value(x)) return is_part_of(x, result);
    for (int i = 0; i < x->n_args; i++)
        if (!keeps_traps(result, x->args[i])) return false;
    return true;
}

const tirbi_lx *tirbi_with_traps_of(const tirbi_lx *result, const tirbi_lx *x) {
    if (!result || !x->traps) return result;
    return x->size <= MOST_SEARCHED && result->size <= MOST_SEARCHED && keeps_traps(result, x) ? result : NULL;
}

/* ---- Sums ----------------------------------------------------------------------------------------------------- */

static bool sum_of(const tirbi_lx *x, tirbi_sum *s) {
    *s = (tirbi_sum){.n = 0};
    return tirbi_sum_of(s, x, 1);
}

enum { NO_DIGIT = TIRBI_SUM_TERMS };

/* Whether constant modulo unit + the terms that are no multiple of `unit` lie in 0 .. unit - 1. Term `digit` is that of
 * a counter of which only the part 0 .. base - 1 is left. */
static bool rest_is_small(const tirbi_sum *s, int64_t unit, uint32_t digit, int64_t base) {
    int64_t lo = floor_mod(s->constant, unit), hi = lo;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->factor[i] % unit == 0) continue;
        int64_t least = i == digit ? 0 : s->term[i]->lo, greatest = i == digit ? base - 1 : s->term[i]->hi, a, b;
        if (__builtin_mul_overflow(least, s->factor[i], &a) || __builtin_mul_overflow(greatest, s->factor[i], &b) ||
            __builtin_add_overflow(lo, a < b ? a : b, &lo) || __builtin_add_overflow(hi, a < b ? b : a, &hi)) {
            return false;
        }
    }
    return lo >= 0 && hi < unit;
}

typedef struct builder {
    tirbi_lx_pool *pool;
    tirbi_dtype type;
} builder;

static const tirbi_lx *plus(const builder *b, const tirbi_lx *x, const tirbi_lx *y) {
    return tirbi_lx_binary(b->pool, TIRB_OP_ADD, b->type, x, y);
}

static const tirbi_lx *times(const builder *b, const tirbi_lx *x, int64_t factor) {
    return tirbi_lx_binary(b->pool, TIRB_OP_MUL, b->type, x, tirbi_lx_int(b->pool, b->type, factor));
}

/* The terms that are multiples of `unit`, or the others, each factor divided by `by`. */
static const tirbi_lx *terms(const builder *b, const tirbi_sum *s, int64_t unit, bool multiples, int64_t by,
                             int64_t constant) {
    const tirbi_lx *x = NULL;
    for (uint32_t i = 0; i < s->n; i++) {
        if ((s->factor[i] % unit == 0) != multiples) continue;
        const tirbi_lx *term = times(b, tirbi_lx_cast(b->pool, b->type, s->term[i]), s->factor[i] / by);
        x = x ? plus(b, x, term) : term;
        if (!x) return NULL;
    }
    const tirbi_lx *last = tirbi_lx_int(b->pool, b->type, constant);
    return x ? plus(b, x, last) : last;
}

/* ---- Divisions ------------------------------------------------------------------------------------------------ */

static const tirbi_lx *divide(const builder *b, const tirbi_division *d) {
    const tirbi_lx *by = tirbi_lx_int(b->pool, b->type, d->divisor);
    tirbi_op op = d->remainder ? TIRB_OP_FLOORMOD : TIRB_OP_FLOORDIV;
    return tirbi_lx_binary(b->pool, op, b->type, d->numerator, by);
}

/* With the rest, terms that are no multiple of unit, in 0 .. unit - 1, and unit a divisor of the divisor:
 * (unit * m + rest) / divisor = m / (divisor / unit), and the remainder is unit * (m % (divisor / unit)) + rest. */
static const tirbi_lx *by_unit(const builder *b, const tirbi_division *d, const tirbi_sum *s, int64_t unit) {
    if (!rest_is_small(s, unit, NO_DIGIT, 0)) return NULL;
    const tirbi_lx *multiple = terms(b, s, unit, true, unit, floor_div(s->constant, unit));
    if (!multiple) return NULL;
    int64_t divisor = d->divisor / unit;
    tirbi_division whole = {.numerator = multiple, .divisor = divisor, .remainder = d->remainder};
    const tirbi_lx *simpler = divisor > 1 ? tirbi_simplify_division(b->pool, &whole) : NULL;
    if (!d->remainder) return divisor == 1 ? multiple : simpler ? simpler : divide(b, &whole);
    const tirbi_lx *small = terms(b, s, unit, false, 1, floor_mod(s->constant, unit));
    if (divisor == 1 || !small) return small;
    const tirbi_lx *large = simpler ? simpler : divide(b, &whole);
    return large ? plus(b, times(b, large, unit), small) : NULL;
}

/* Whether no sum of some of the terms may leave the type. */
static bool has_room(const builder *b, const tirbi_sum *s) {
    int64_t most = tirbi_dtypes[b->type].bits > 32 ? INT64_MAX / 4 : INT32_MAX / 4, total = 0;
    if (b->type != TIRB_I32 && b->type != TIRB_I64) return false;
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t least, greatest;
        if (__builtin_mul_overflow(s->term[i]->lo, s->factor[i], &least) ||
            __builtin_mul_overflow(s->term[i]->hi, s->factor[i], &greatest) || least < -most || least > most ||
            greatest < -most || greatest > most) {
            return false;
        }
        total += tirbi_magnitude(least) > tirbi_magnitude(greatest) ? (int64_t)tirbi_magnitude(least)
                                                                    : (int64_t)tirbi_magnitude(greatest);
        if (total > most) return false;
    }
    return s->constant >= -most && s->constant <= most;
}

const tirbi_lx *tirbi_simplify_division(tirbi_lx_pool *pool, const tirbi_division *d) {
    tirbi_sum s;
    if (!sum_of(d->numerator, &s)) return NULL;
    builder b = {.pool = pool, .type = (tirbi_dtype)d->numerator->type};
    const tirbi_lx *best = by_unit(&b, d, &s, d->divisor);
    for (uint32_t i = 0; i < s.n && !best; i++) {
        int64_t unit = common_divisor(d->divisor, s.factor[i]);
        if (unit > 1 && unit < d->divisor) best = by_unit(&b, d, &s, unit);
    }
    return tirbi_with_traps_of(best, d->numerator);
}

/* (divisor * m + rest) / divisor = m + rest / divisor, and the remainder is that of the rest, whatever the rest is. */
const tirbi_lx *tirbi_drop_multiples(tirbi_lx_pool *pool, const tirbi_division *d) {
    tirbi_sum s;
    builder b = {.pool = pool, .type = (tirbi_dtype)d->numerator->type};
    uint32_t multiples = 0;
    if (!sum_of(d->numerator, &s)) return NULL;
    for (uint32_t i = 0; i < s.n; i++) multiples += s.factor[i] % d->divisor == 0;
    if (multiples == 0 || multiples == s.n || !has_room(&b, &s)) return NULL;
    tirbi_division rest = *d;
    rest.numerator = terms(&b, &s, d->divisor, false, 1, floor_mod(s.constant, d->divisor));
    const tirbi_lx *left = rest.numerator ? divide(&b, &rest) : NULL;
    if (d->remainder || !left) return tirbi_with_traps_of(left, d->numerator);
    return plus(&b, terms(&b, &s, d->divisor, true, d->divisor, floor_div(s.constant, d->divisor)), left);
}

/* unit * m + rest < unit * k as m < k, where the rest is in 0 .. unit - 1; NULL: it is none. */
static const tirbi_lx *below_by(const builder *b, const tirbi_sum *x, const tirbi_sum *most, int64_t unit) {
    bool whole = most->constant % unit == 0;
    for (uint32_t i = 0; i < most->n; i++) whole = whole && most->factor[i] % unit == 0;
    if (!whole || !rest_is_small(x, unit, NO_DIGIT, 0)) return NULL;
    const tirbi_lx *left = terms(b, x, unit, true, unit, floor_div(x->constant, unit)),
                   *right = terms(b, most, unit, true, unit, most->constant / unit);
    return tirbi_lx_binary(b->pool, TIRB_OP_LT, b->type, left, right);
}

const tirbi_lx *tirbi_simplify_below(tirbi_lx_pool *pool, const tirbi_lx *x) {
    tirbi_sum a, b;
    if (x->kind != TIRBI_LX_OP || x->op != TIRB_OP_LT || !tirbi_dtype_is_int((tirbi_dtype)x->optype) ||
        x->optype == TIRB_U64 || !x->pure || !sum_of(x->args[0], &a) || !sum_of(x->args[1], &b))
        return NULL;
    const builder made = {.pool = pool, .type = (tirbi_dtype)x->optype};
    const tirbi_lx *best = NULL;
    for (uint32_t i = 0; i < b.n && !best; i++)
        if (b.factor[i] > 1) best = below_by(&made, &a, &b, b.factor[i]);
    return tirbi_with_traps_of(tirbi_with_traps_of(best, x->args[0]), x->args[1]);
}

/* ---- Quotients and remainders together ------------------------------------------------------------------------ */

/* What the term is to e % c in a sum: e / c * c + e % c = e, e / c % m * c + e % c = e % (c * m), and
 * e % (c * m) / c * c + e % c = e % (c * m). NULL where it is none of these. */
static const tirbi_lx *number_of(const builder *b, const tirbi_division *low, const tirbi_lx *term) {
    tirbi_division high, inner;
    if (!tirbi_is_division(term, &high)) return NULL;
    if (!high.remainder && high.divisor == low->divisor && high.numerator == low->numerator) return low->numerator;
    if (!tirbi_is_division(high.numerator, &inner) || inner.numerator != low->numerator) return NULL;
    if (!high.remainder) {
        return inner.remainder && high.divisor == low->divisor && inner.divisor % low->divisor == 0 ? high.numerator
                                                                                                    : NULL;
    }
    if (inner.remainder || inner.divisor != low->divisor) return NULL;
    tirbi_division all = {.numerator = low->numerator, .remainder = true};
    int64_t most = (int64_t)(INT64_MAX >> (64 - tirbi_dtypes[low->numerator->type].bits));
    if (__builtin_mul_overflow(low->divisor, high.divisor, &all.divisor) || all.divisor > most) return NULL;
    const tirbi_lx *simpler = tirbi_simplify_division(b->pool, &all);
    const builder own = {.pool = b->pool, .type = (tirbi_dtype)low->numerator->type};
    return simpler ? simpler : divide(&own, &all);
}

static bool join_pair(const builder *b, tirbi_sum *s, bool *failed) {
    tirbi_division low;
    for (uint32_t i = 0; i < s->n; i++) {
        int64_t unit = s->factor[i], factor;
        if (!tirbi_is_division(s->term[i], &low) || !low.remainder) continue;
        if (__builtin_mul_overflow(unit, low.divisor, &factor)) continue;
        for (uint32_t j = 0; j < s->n; j++) {
            const tirbi_lx *number = j != i && s->factor[j] == factor ? number_of(b, &low, s->term[j]) : NULL;
            if (!number) continue;
            tirbi_sum_remove(s, i > j ? i : j);
            tirbi_sum_remove(s, i > j ? j : i);
            *failed = !tirbi_sum_of(s, number, unit);
            return !*failed;
        }
    }
    return false;
}

const tirbi_lx *tirbi_join_quotients(tirbi_lx_pool *pool, const tirbi_lx *x) {
    tirbi_sum s;
    builder b = {.pool = pool, .type = (tirbi_dtype)x->type};
    bool failed = false;
    if (x->size > MAX_SIZE || !sum_of(x, &s) || !join_pair(&b, &s, &failed)) return NULL;
    while (join_pair(&b, &s, &failed)) continue;
    return failed ? NULL : terms(&b, &s, 1, true, 1, s.constant);
}

int64_t tirbi_division_digit(const tirbi_division *d, const tirbi_lvar *counter) {
    tirbi_sum s;
    if (!sum_of(d->numerator, &s)) return 0;
    for (uint32_t i = 0; i < s.n; i++) {
        if (s.term[i]->kind != TIRBI_LX_VAR || s.term[i]->var != counter || s.factor[i] == INT64_MIN) continue;
        int64_t unit = common_divisor(d->divisor, s.factor[i]);
        int64_t digit = d->divisor / unit;
        return digit > 1 && rest_is_small(&s, d->divisor, i, digit) ? digit : 0;
    }
    return 0;
}
