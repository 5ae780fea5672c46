/* The forms of TVM's canonical simplifier: an expression is a sum of terms (x % upper) // lower * scale and a constant.
 * Positive terms come first, by descending scale, then the constant, then what is subtracted. */
#include "compiler/relax/infer/dims.h"

#include <string.h>

#include "compiler/ir/fold.h"

enum { MAX_TERMS = 32, MAX_FACTORS = 16, MAX_SIZE = 2000 };

typedef struct term {
    const tirb_expr *index;
    int64_t lower, upper; /* upper 0: none */
    int64_t scale;
} term;

typedef struct tirbi_dim_sum {
    term items[MAX_TERMS];
    uint32_t n;
    int64_t base;
    bool is_product;            /* of a term and a number: what is subtracted stays one */
    bool overflow;              /* it has too many terms, or numbers too large */
    struct tirbi_dim_sum *next; /* of those that are free: see take_sum */
} sum;

void tirbi_dim_is_natural(tirbi_dims *d, const tirb_expr *var) {
    const tirb_expr **slot = TIRBI_LIST_ADD(d->builder->arena, &d->natural, const tirb_expr *);
    if (slot) *slot = var;
}

static bool is_natural(const tirbi_dims *d, const tirb_expr *var) {
    const tirb_expr *const *vars = d->natural.items;
    for (uint32_t i = 0; i < d->natural.n; i++)
        if (vars[i] == var) return true;
    return false;
}

static tirbi_span nowhere(const tirbi_dims *d) { return d->builder->at; }

const tirb_expr *tirbi_dim(tirbi_dims *d, int64_t value) {
    return tirbi_make_int(d->builder, nowhere(d), tirbi_type_i64, value);
}

bool tirbi_dim_const(const tirb_expr *e, int64_t *value) {
    if (!e || e->kind != TIRB_EXPR_INT_IMM) return false;
    *value = e->as.int_value;
    return true;
}

const tirb_expr *tirbi_dim_op(tirbi_dims *d, tirb_expr_kind kind, const tirb_expr *x, const tirb_expr *y) {
    return x && y ? tirbi_make_binary(d->builder, nowhere(d), kind, x, y) : NULL;
}

static bool is_conditional(const tirb_expr *e) {
    return e->kind == TIRB_EXPR_CALL && e->as.call.builtin == TIRB_BUILTIN_IF_THEN_ELSE;
}

/* ---- Equality of indices: products in any order ------------------------------------------------------------------ */

static uint32_t factors_of(const tirb_expr *e, const tirb_expr **out, uint32_t n) {
    if (e->kind == TIRB_EXPR_MUL) {
        n = factors_of(e->as.binary.a, out, n);
        return factors_of(e->as.binary.b, out, n);
    }
    if (n < MAX_FACTORS) out[n] = e;
    return n + 1;
}

static bool same(const tirb_expr *x, const tirb_expr *y) {
    if (x == y) return true;
    if (x->kind != y->kind) return false;
    if (x->kind == TIRB_EXPR_INT_IMM) return x->as.int_value == y->as.int_value;
    if (x->kind == TIRB_EXPR_CAST)
        return tirb_datatype_equal(x->dtype, y->dtype) && same(x->as.cast.value, y->as.cast.value);
    if (is_conditional(x) && is_conditional(y)) {
        bool equal = true;
        for (uint32_t i = 0; i < 3; i++) equal = equal && same(x->as.call.args[i], y->as.call.args[i]);
        return equal;
    }
    if (x->kind < TIRB_EXPR_ADD || x->kind > TIRB_EXPR_OR) return false;
    if (x->kind != TIRB_EXPR_MUL) return same(x->as.binary.a, y->as.binary.a) && same(x->as.binary.b, y->as.binary.b);
    const tirb_expr *left[MAX_FACTORS], *right[MAX_FACTORS];
    uint32_t n = factors_of(x, left, 0), m = factors_of(y, right, 0);
    if (n != m || n > MAX_FACTORS) return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = i;
        while (j < n && !(left[i]->kind != TIRB_EXPR_MUL && same(left[i], right[j]))) j++;
        if (j == n) return false;
        right[j] = right[i];
    }
    return true;
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

static int64_t floor_div(int64_t x, int64_t y) {
    int64_t q = x / y;
    return q - (x % y != 0 && (x < 0) != (y < 0));
}

static void add_base(sum *s, int64_t value, int64_t scale) {
    int64_t product;
    s->overflow |= __builtin_mul_overflow(value, scale, &product) ||
                   __builtin_add_overflow(s->base, product, &s->base) || s->base == INT64_MIN;
}

/* Terms of one index stand together, those of larger lower factors first. */
static void add_term(sum *s, term t, int64_t scale) {
    s->overflow |= __builtin_mul_overflow(t.scale, scale, &t.scale) || t.scale == INT64_MIN;
    if (t.scale == 0 || s->overflow) return;
    uint32_t at = 0;
    while (at < s->n && !same(s->items[at].index, t.index)) at++;
    for (; at < s->n; at++) {
        term *known = &s->items[at];
        if (!same(known->index, t.index) || t.lower > known->lower) break;
        if (t.lower == known->lower && t.upper == known->upper) {
            s->overflow |= __builtin_add_overflow(known->scale, t.scale, &known->scale) || known->scale == INT64_MIN;
            return;
        }
    }
    if (s->n == MAX_TERMS) {
        s->overflow = true;
        return;
    }
    memmove(&s->items[at + 1], &s->items[at], (s->n - at) * sizeof *s->items);
    s->items[at] = t;
    s->n++;
}

static void add_sum(sum *s, const sum *other, int64_t scale) {
    for (uint32_t i = 0; i < other->n; i++) add_term(s, other->items[i], scale);
    add_base(s, other->base, scale);
    s->overflow |= other->overflow;
}

static bool is_constant(const sum *s) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->items[i].scale != 0) return false;
    return !s->overflow;
}

/* (x // c) * c + x % c is x. */
static void merge_terms(sum *s) {
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = i + 1; j < s->n && s->items[i].scale != 0; j++) {
            term *high = &s->items[i], *low = &s->items[j];
            if (!same(high->index, low->index)) break;
            if (low->scale == 0 || high->lower != low->upper || high->scale % low->scale != 0 ||
                high->lower != high->scale / low->scale * low->lower)
                continue;
            low->upper = high->upper;
            high->scale = 0;
        }
}

static bool precedes(const term *x, const term *y) {
    if (x->scale != y->scale) return x->scale > y->scale;
    if (x->lower != y->lower) return x->lower > y->lower;
    if (x->upper != y->upper) return x->upper == 0 || (y->upper != 0 && x->upper > y->upper);
    return false;
}

static const tirb_expr *normal_term(tirbi_dims *d, const term *t, int64_t scale) {
    const tirb_expr *e = t->index;
    if (t->upper) e = tirbi_dim_op(d, TIRB_EXPR_FLOORMOD, e, tirbi_dim(d, t->upper));
    if (t->lower != 1) e = tirbi_dim_op(d, TIRB_EXPR_FLOORDIV, e, tirbi_dim(d, t->lower));
    if (scale != 1) e = tirbi_dim_op(d, TIRB_EXPR_MUL, e, tirbi_dim(d, scale));
    return e;
}

/* A term that is a minimum or maximum by itself. */
static bool is_choice(const term *t) {
    return (t->index->kind == TIRB_EXPR_MIN || t->index->kind == TIRB_EXPR_MAX) && t->scale == 1 && t->lower == 1 &&
           t->upper == 0;
}

/* TVM's rules put a minimum or maximum in front of what it is added to, whose first two change places with that where
 * both are such; terms of larger scales come before them anew. */
static void put_choices_first(sum *s) {
    uint32_t first = 0, n = 0; /* the choices that are in front, behind terms of larger scales */
    while (first < s->n && s->items[first].scale > 1) first++;
    const bool is_pair = first == 0 && s->n > 1 && is_choice(&s->items[0]) && is_choice(&s->items[1]);
    const uint32_t n_kept = first > 0 ? 0 : is_pair ? 2 : 1;
    for (uint32_t i = first + n_kept; i < s->n; i++) {
        if (!is_choice(&s->items[i])) continue;
        const term t = s->items[i];
        memmove(&s->items[first + 1], &s->items[first], (i - first) * sizeof t);
        s->items[first] = t;
        n++;
    }
    if (!is_pair || n % 2 == 0) return;
    const term t = s->items[n];
    s->items[n] = s->items[n + 1];
    s->items[n + 1] = t;
}

/* min(x, y - c) + c is min(x + c, y), where nothing is added besides: takes c from the sum. */
static void add_to_choice(tirbi_dims *d, sum *s) {
    uint32_t n_added = 0, n_taken = 0, at = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        n_added += s->items[i].scale > 0;
        n_taken += s->items[i].scale < 0;
        if (s->items[i].scale > 0) at = i;
    }
    if (n_added != 1 || !is_choice(&s->items[at]) || s->base == 0 || (s->base < 0 && n_taken > 0)) return;
    const tirb_expr *choice = s->items[at].index, *operands[2] = {choice->as.binary.a, choice->as.binary.b};
    for (uint32_t i = 0; i < 2; i++) {
        const tirb_expr *e = operands[i], *other = operands[1 - i];
        int64_t c;
        const bool has_number = (e->kind == TIRB_EXPR_ADD || e->kind == TIRB_EXPR_SUB) &&
                                tirbi_dim_const(e->as.binary.b, &c) &&
                                c == (e->kind == TIRB_EXPR_ADD ? -s->base : s->base);
        if (!has_number) continue;
        operands[i] = e->as.binary.a;
        operands[1 - i] = tirbi_dim_op(d, s->base > 0 ? TIRB_EXPR_ADD : TIRB_EXPR_SUB, other,
                                       tirbi_dim(d, s->base > 0 ? s->base : -s->base));
        s->items[at].index = tirbi_dim_op(d, choice->kind, operands[0], operands[1]);
        if (!s->items[at].index) s->items[at].index = choice; /* out of memory, which is told elsewhere */
        s->base = 0;
        return;
    }
}

/* Products of x have it as a factor, and x itself 1. */
static const tirb_expr *times_factors(tirbi_dims *d, const tirb_expr *product, const tirb_expr *x) {
    if (product->kind == TIRB_EXPR_INT_IMM && product->as.int_value == 1) return x;
    const tirb_expr *factor[MAX_FACTORS];
    const uint32_t n = factors_of(x, factor, 0);
    if (n > MAX_FACTORS) return tirbi_dim_op(d, TIRB_EXPR_MUL, product, x);
    for (uint32_t i = 0; i < n && product; i++) product = tirbi_dim_op(d, TIRB_EXPR_MUL, product, factor[i]);
    return product;
}

/* x * y + x * z as (y + z) * x, and the same of differences, for the first factors that are alike; NULL: none are. Of
 * sums with a common number that is done where they are no sums then. */
static const tirb_expr *factored(tirbi_dims *d, tirb_expr_kind kind, const tirb_expr *a, const tirb_expr *b) {
    const tirb_expr *left[3] = {a}, *right[3] = {b}, *one = tirbi_dim(d, 1);
    const bool splits_a = a->kind == TIRB_EXPR_MUL, splits_b = b->kind == TIRB_EXPR_MUL;
    if (splits_a) left[1] = a->as.binary.a, left[2] = a->as.binary.b;
    if (splits_b) right[1] = b->as.binary.a, right[2] = b->as.binary.b;
    for (uint32_t i = 0; i < (splits_a ? 3 : 1); i++)
        for (uint32_t j = 0; j < (splits_b ? 3 : 1); j++) {
            if (!same(left[i], right[j])) continue;
            const tirb_expr *y = i ? left[3 - i] : one, *z = j ? right[3 - j] : one;
            if (left[i]->kind == TIRB_EXPR_INT_IMM) {
                const tirb_expr *product = i && j ? factored(d, kind, y, z) : NULL;
                return product ? tirbi_dim_op(d, TIRB_EXPR_MUL, product, left[i]) : NULL;
            }
            const tirb_expr *rest = tirbi_dim_simplify(d, tirbi_dim_op(d, kind, y, z));
            return rest ? times_factors(d, rest, left[i]) : NULL;
        }
    return NULL;
}

/* A term more, or less. */
static const tirb_expr *with_term(tirbi_dims *d, tirb_expr_kind kind, const tirb_expr *e, const tirb_expr *t) {
    const tirb_expr *product = e && t ? factored(d, kind, e, t) : NULL;
    return product ? product : tirbi_dim_op(d, kind, e, t);
}

static const tirb_expr *normal(tirbi_dims *d, sum *s) {
    merge_terms(s);
    add_to_choice(d, s);
    for (uint32_t i = 1; i < s->n; i++) {
        term t = s->items[i];
        uint32_t at = i;
        for (; at > 0 && precedes(&t, &s->items[at - 1]); at--) s->items[at] = s->items[at - 1];
        s->items[at] = t;
    }
    put_choices_first(s);
    if (s->is_product && s->n == 1 && s->base == 0) return normal_term(d, &s->items[0], s->items[0].scale);
    const tirb_expr *e = tirbi_dim(d, 0);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->items[i].scale > 0)
            e = with_term(d, TIRB_EXPR_ADD, e, normal_term(d, &s->items[i], s->items[i].scale));
    if (s->base > 0) e = tirbi_dim_op(d, TIRB_EXPR_ADD, e, tirbi_dim(d, s->base));
    for (uint32_t end = s->n, first; end > 0; end = first) {
        for (first = end - 1; first > 0 && !precedes(&s->items[first - 1], &s->items[end - 1]);) first--;
        for (uint32_t i = first; i < end; i++)
            if (s->items[i].scale < 0)
                e = with_term(d, TIRB_EXPR_SUB, e, normal_term(d, &s->items[i], -s->items[i].scale));
    }
    if (s->base < 0) e = tirbi_dim_op(d, TIRB_EXPR_SUB, e, tirbi_dim(d, -s->base));
    return e;
}

static void leaf(sum *s, const tirb_expr *e) {
    *s = (sum){.n = 0};
    if (!e)
        s->overflow = true;
    else if (e->kind == TIRB_EXPR_INT_IMM)
        add_base(s, e->as.int_value, 1);
    else
        add_term(s, (term){e, 1, 0, 1}, 1);
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------ */

typedef struct range {
    int64_t low, high; /* INT64_MIN and INT64_MAX: none */
} range;

static const range everything = {INT64_MIN, INT64_MAX};

static int64_t plus(int64_t x, int64_t y) {
    int64_t sum_of;
    if (x == INT64_MIN || y == INT64_MIN) return INT64_MIN;
    if (x == INT64_MAX || y == INT64_MAX) return INT64_MAX;
    if (__builtin_add_overflow(x, y, &sum_of)) return x > 0 ? INT64_MAX : INT64_MIN;
    return sum_of;
}

static int64_t times(int64_t x, int64_t factor) {
    int64_t product;
    if (factor == 0) return 0;
    if (x == INT64_MIN || x == INT64_MAX || __builtin_mul_overflow(x, factor, &product))
        return (x < 0) == (factor < 0) ? INT64_MAX : INT64_MIN;
    return product;
}

static range scaled(range r, int64_t factor) {
    int64_t a = times(r.low, factor), b = times(r.high, factor);
    return a < b ? (range){a, b} : (range){b, a};
}

/* What is known of an expression in an arm of a conditional. */
typedef struct fact {
    const tirb_expr *e;
    range r;
} fact;

static void learn(tirbi_dims *d, const tirb_expr *e, range r) {
    fact *slot = e ? TIRBI_LIST_ADD(d->builder->arena, &d->facts, fact) : NULL;
    if (slot) *slot = (fact){e, r};
}

static range by_facts(const tirbi_dims *d, const tirb_expr *e, range r) {
    const fact *items = d->facts.items;
    for (uint32_t i = 0; i < d->facts.n; i++) {
        if (!same(items[i].e, e)) continue;
        if (items[i].r.low > r.low) r.low = items[i].r.low;
        if (items[i].r.high < r.high) r.high = items[i].r.high;
    }
    return r;
}

static range range_of(const tirbi_dims *d, const tirb_expr *e);

static range range_of_binary(const tirbi_dims *d, const tirb_expr *e) {
    range a = range_of(d, e->as.binary.a), b = range_of(d, e->as.binary.b);
    int64_t c = 0;
    bool constant = tirbi_dim_const(e->as.binary.b, &c);
    switch (e->kind) {
    case TIRB_EXPR_ADD:
        return (range){plus(a.low, b.low), plus(a.high, b.high)};
    case TIRB_EXPR_SUB:
        b = scaled(b, -1);
        return (range){plus(a.low, b.low), plus(a.high, b.high)};
    case TIRB_EXPR_MUL:
        if (constant) return scaled(a, c);
        if (a.low >= 0 && b.low >= 0) return (range){times(a.low, b.low), INT64_MAX};
        return everything;
    case TIRB_EXPR_FLOORDIV:
        if (constant && c > 0)
            return (range){a.low == INT64_MIN ? a.low : floor_div(a.low, c),
                           a.high == INT64_MAX ? a.high : floor_div(a.high, c)};
        return a.low >= 0 && b.low >= 0 ? (range){0, a.high} : everything;
    case TIRB_EXPR_FLOORMOD:
        if (constant && c > 0) return (range){0, a.low >= 0 && a.high < c - 1 ? a.high : c - 1};
        return everything;
    case TIRB_EXPR_MIN:
        return (range){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
    case TIRB_EXPR_MAX:
        return (range){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
    default:
        return everything;
    }
}

static range range_of(const tirbi_dims *d, const tirb_expr *e) {
    range r = everything;
    if (e->kind == TIRB_EXPR_INT_IMM) return (range){e->as.int_value, e->as.int_value};
    if (e->kind == TIRB_EXPR_VAR && is_natural(d, e)) r.low = 0;
    if (e->kind >= TIRB_EXPR_ADD && e->kind <= TIRB_EXPR_MAX) r = range_of_binary(d, e);
    return by_facts(d, e, r);
}

/* ---- Canonical forms --------------------------------------------------------------------------------------------- */

static void canonical(tirbi_dims *d, const tirb_expr *e, sum *out);

/* One term without a constant, whose scale may be taken out. */
static bool is_single(const sum *s) { return s->n == 1 && s->base == 0 && !s->overflow; }

static void multiply(tirbi_dims *d, sum *a, sum *b, sum *out) {
    *out = (sum){.n = 0};
    if (is_constant(a) || is_constant(b)) {
        const sum *of = is_constant(b) ? a : b;
        add_sum(out, of, is_constant(b) ? b->base : a->base);
        out->is_product = is_single(of) && (of->is_product || of->items[0].scale == 1);
        return;
    }
    int64_t scale = 1;
    for (int i = 0; i < 2; i++) {
        sum *s = i ? b : a;
        if (!is_single(s)) continue;
        out->overflow |= __builtin_mul_overflow(scale, s->items[0].scale, &scale);
        s->items[0].scale = 1;
    }
    const tirb_expr *product = tirbi_dim_op(d, TIRB_EXPR_MUL, normal(d, a), normal(d, b));
    bool overflow = out->overflow;
    leaf(out, product);
    out->overflow |= overflow;
    if (out->n) out->items[0].scale = scale;
}

/* A sum as one term; of several it becomes the index. */
static term as_term(tirbi_dims *d, sum *s) {
    if (is_single(s)) return s->items[0];
    return (term){normal(d, s), 1, 0, 1};
}

static void divide_term(tirbi_dims *d, term t, int64_t c, sum *out) {
    if (t.scale % c == 0) {
        t.scale /= c;
        add_term(out, t, 1);
        return;
    }
    if (c % t.scale == 0 && t.scale > 0) {
        int64_t part = c / t.scale, lower;
        if (!__builtin_mul_overflow(t.lower, part, &lower)) {
            if (t.upper != 0 && t.upper % lower != 0) {
                if (t.upper <= lower) return;
                t.index = tirbi_dim_op(d, TIRB_EXPR_FLOORMOD, t.index, tirbi_dim(d, t.upper));
                t.upper = 0;
            }
            t.scale = 1;
            t.lower = lower;
            if (!t.index)
                out->overflow = true;
            else
                add_term(out, t, 1);
            return;
        }
    }
    const tirb_expr *index = normal_term(d, &t, t.scale);
    if (!index)
        out->overflow = true;
    else
        add_term(out, (term){index, c, 0, 1}, 1);
}

/* The parts of a sum that c divides, divided, and the others. */
static void separate(const sum *s, int64_t c, sum *whole, sum *rest) {
    *whole = *rest = (sum){.n = 0};
    for (uint32_t i = 0; i < s->n; i++) {
        bool divides = s->items[i].scale % c == 0;
        term t = s->items[i];
        if (divides) t.scale /= c;
        add_term(divides ? whole : rest, t, 1);
    }
    if (s->base % c == 0)
        whole->base = s->base / c;
    else
        rest->base = s->base;
}

static bool is_zero(const sum *s) { return is_constant(s) && s->base == 0; }

static bool lies_below(tirbi_dims *d, sum *s, int64_t c) {
    const tirb_expr *e = normal(d, s);
    range r = e ? range_of(d, e) : everything;
    return r.low >= 0 && r.high < c;
}

static void divide_const(tirbi_dims *d, sum *a, int64_t c, sum *out) {
    sum rest;
    separate(a, c, out, &rest);
    if (is_zero(&rest)) return;
    if (is_constant(&rest)) {
        add_base(out, floor_div(rest.base, c), 1);
        return;
    }
    if (!lies_below(d, &rest, c)) divide_term(d, as_term(d, &rest), c, out);
}

static void modulo_const(tirbi_dims *d, sum *a, int64_t c, sum *out) {
    sum whole, rest;
    separate(a, c, &whole, &rest);
    *out = (sum){.n = 0};
    if (is_zero(&rest)) return;
    if (is_constant(&rest)) {
        out->base = rest.base - floor_div(rest.base, c) * c;
        return;
    }
    if (lies_below(d, &rest, c)) {
        *out = rest;
        return;
    }
    rest.base -= floor_div(rest.base, c) * c;
    term t = as_term(d, &rest);
    if (c % t.scale == 0 && t.scale > 0) {
        int64_t upper;
        if (!__builtin_mul_overflow(c / t.scale, t.lower, &upper) && (t.upper == 0 || t.upper % upper == 0)) {
            t.upper = upper;
            add_term(out, t, 1);
            return;
        }
    }
    const tirb_expr *index = normal_term(d, &t, t.scale);
    if (!index)
        out->overflow = true;
    else
        add_term(out, (term){index, 1, c, 1}, 1);
}

/* (n * m) // m is n: factors of both cancel; false where they do not all. */
static bool cancel(tirbi_dims *d, const sum *a, const sum *b, sum *out) {
    const tirb_expr *above[MAX_FACTORS], *below[MAX_FACTORS];
    if (!is_single(a) || !is_single(b) || a->items[0].lower != 1 || b->items[0].lower != 1 || a->items[0].upper ||
        b->items[0].upper || a->items[0].scale % b->items[0].scale != 0)
        return false;
    uint32_t n = factors_of(a->items[0].index, above, 0), m = factors_of(b->items[0].index, below, 0);
    if (n > MAX_FACTORS || m > MAX_FACTORS) return false;
    for (uint32_t i = 0; i < m; i++) {
        uint32_t j = 0;
        while (j < n && !same(above[j], below[i])) j++;
        if (j == n) return false;
        memmove(&above[j], &above[j + 1], (n - j - 1) * sizeof *above);
        n--;
    }
    int64_t scale = a->items[0].scale / b->items[0].scale;
    *out = (sum){.n = 0};
    if (n == 0) {
        out->base = scale;
        return true;
    }
    const tirb_expr *product = above[0];
    for (uint32_t i = 1; i < n; i++) product = tirbi_dim_op(d, TIRB_EXPR_MUL, product, above[i]);
    if (!product) return false;
    add_term(out, (term){product, 1, 0, scale}, 1);
    return true;
}

static const tirb_expr *without_choice(tirbi_dims *d, const sum *s);

static bool chooses(const tirb_expr *e) { return e->kind == TIRB_EXPR_MIN || e->kind == TIRB_EXPR_MAX; }

static bool is_operand(const tirb_expr *e, const tirb_expr *choice) {
    return same(choice->as.binary.a, e) || same(choice->as.binary.b, e);
}

/* min(min(x, y), y) is min(x, y), min(max(x, y), y) is y, and min(max(x, z), max(y, z)) is max(min(x, y), z); so with
 * both exchanged. NULL: it is none of them. */
static const tirb_expr *choose_again(tirbi_dims *d, tirb_expr_kind kind, const tirb_expr *x, const tirb_expr *y) {
    for (int i = 0; i < 2; i++) {
        const tirb_expr *choice = i ? y : x, *other = i ? x : y;
        if (chooses(choice) && is_operand(other, choice)) return choice->kind == kind ? choice : other;
    }
    if (!chooses(x) || x->kind != y->kind || x->kind == kind) return NULL;
    const tirb_expr *left[2] = {x->as.binary.a, x->as.binary.b}, *right[2] = {y->as.binary.a, y->as.binary.b};
    for (int i = 0; i < 4; i++)
        if (same(left[i / 2], right[i % 2]))
            return tirbi_dim_op(d, x->kind, tirbi_dim_op(d, kind, left[1 - i / 2], right[1 - i % 2]), left[i / 2]);
    return NULL;
}

static void choose(tirbi_dims *d, tirb_expr_kind kind, sum *a, sum *b, sum *out) {
    sum apart = *a;
    add_sum(&apart, b, -1);
    bool max = kind == TIRB_EXPR_MAX;
    const tirb_expr *x = without_choice(d, a), *y = without_choice(d, b);
    if (x) leaf(a, x);
    if (y) leaf(b, y);
    x = normal(d, a);
    y = normal(d, b);
    if (!x || !y) {
        out->overflow = true;
        return;
    }
    range left = range_of(d, x), right = range_of(d, y);
    bool above = left.low >= right.high, below = left.high <= right.low;
    if (is_constant(&apart)) {
        above = apart.base >= 0;
        below = !above;
    }
    if (above || below) {
        *out = above == max ? *a : *b;
        return;
    }
    const tirb_expr *again = choose_again(d, kind, x, y);
    leaf(out, again ? again : tirbi_dim_op(d, kind, x, y));
}

static const tirb_expr *if_below_zero(tirbi_dims *d, const tirb_expr *e, const tirb_expr *x, const tirb_expr *y);

static void canonical_conditional(tirbi_dims *d, const tirb_expr *e, sum *out) {
    const tirb_expr *c = e->as.call.args[0], *x = e->as.call.args[1], *y = e->as.call.args[2], *chosen = NULL;
    if (c->kind == TIRB_EXPR_LT && tirb_datatype_equal(c->as.binary.a->dtype, tirbi_type_i64)) {
        const tirb_expr *apart = tirbi_dim_op(d, TIRB_EXPR_SUB, c->as.binary.a, c->as.binary.b);
        chosen = if_below_zero(d, tirbi_dim_simplify(d, apart), x, y);
    } else {
        x = tirbi_dim_simplify(d, x);
        y = tirbi_dim_simplify(d, y);
        if (x && y) chosen = tirbi_make_if_then_else(d->builder, nowhere(d), c, x, y);
    }
    if (chosen && !is_conditional(chosen))
        canonical(d, chosen, out);
    else
        leaf(out, chosen);
}

/* An operation of two sums, which it may change. */
static void combine(tirbi_dims *d, tirb_expr_kind kind, sum *a, sum *b, sum *out) {
    *out = (sum){.overflow = a->overflow || b->overflow};
    if (out->overflow) return;
    int64_t c = is_constant(b) ? b->base : 0;
    switch (kind) {
    case TIRB_EXPR_ADD:
    case TIRB_EXPR_SUB:
        add_sum(out, a, 1);
        add_sum(out, b, kind == TIRB_EXPR_ADD ? 1 : -1);
        return;
    case TIRB_EXPR_MUL:
        multiply(d, a, b, out);
        return;
    case TIRB_EXPR_FLOORDIV:
        if (c > 0)
            divide_const(d, a, c, out);
        else if (!cancel(d, a, b, out))
            leaf(out, tirbi_dim_op(d, kind, normal(d, a), normal(d, b)));
        return;
    case TIRB_EXPR_FLOORMOD:
        if (c > 0)
            modulo_const(d, a, c, out);
        else
            leaf(out, tirbi_dim_op(d, kind, normal(d, a), normal(d, b)));
        return;
    case TIRB_EXPR_MIN:
    case TIRB_EXPR_MAX:
        choose(d, kind, a, b, out);
        return;
    default:
        leaf(out, tirbi_dim_op(d, kind, normal(d, a), normal(d, b)));
    }
}

/* Sums are large and many: those that are not needed any more are used again. NULL when out of memory. */
static sum *take_sum(tirbi_dims *d) {
    if (!tirbi_arena_work(d->builder->arena, 1)) return NULL;
    sum *s = d->spare;
    if (!s) return TIRBI_NEW(d->builder->arena, sum);
    d->spare = s->next;
    return s;
}

static void give_back(tirbi_dims *d, sum *s) {
    if (!s) return;
    s->next = d->spare;
    d->spare = s;
}

static void canonical(tirbi_dims *d, const tirb_expr *e, sum *out) {
    if (is_conditional(e) && tirb_datatype_equal(e->dtype, tirbi_type_i64) && tirbi_arena_work(d->builder->arena, 1)) {
        canonical_conditional(d, e, out);
        return;
    }
    if (e->kind < TIRB_EXPR_ADD || e->kind > TIRB_EXPR_MAX || !tirb_datatype_equal(e->dtype, tirbi_type_i64)) {
        leaf(out, e);
        return;
    }
    sum *parts[2] = {take_sum(d), take_sum(d)};
    if (parts[0] && parts[1]) {
        canonical(d, e->as.binary.a, parts[0]);
        canonical(d, e->as.binary.b, parts[1]);
        combine(d, e->kind, parts[0], parts[1], out);
    } else {
        leaf(out, NULL);
    }
    give_back(d, parts[1]);
    give_back(d, parts[0]);
}

/* Whether a sum is x - t or t - x, for the choice t among its terms. */
static bool is_rest(tirbi_dims *d, const sum *s, const term *t, const tirb_expr *x) {
    sum rest = *s, other;
    canonical(d, x, &other);
    add_term(&rest, *t, -1);
    add_sum(&rest, &other, t->scale);
    merge_terms(&rest);
    return is_zero(&rest);
}

/* Where an operand is what is left of the sum, *x, and something added: that. NULL: it is not. */
static const tirb_expr *addend(tirbi_dims *d, const sum *s, const term *t, const tirb_expr **x) {
    const tirb_expr *operand = *x;
    int64_t c;
    if (operand->kind == TIRB_EXPR_SUB && tirbi_dim_const(operand->as.binary.b, &c) &&
        is_rest(d, s, t, operand->as.binary.a)) {
        *x = operand->as.binary.a;
        return tirbi_dim(d, -c);
    }
    if (operand->kind != TIRB_EXPR_ADD) return NULL;
    const tirb_expr *parts[2] = {operand->as.binary.a, operand->as.binary.b};
    for (uint32_t i = 0; i < 2; i++) {
        if (!is_rest(d, s, t, parts[i])) continue;
        *x = parts[i];
        return parts[1 - i];
    }
    return NULL;
}

/* x - min(y, x) is max(x - y, 0), x - min(y, x + c) is max(x - y, -c), and the like, where the sum is nothing else. */
static const tirb_expr *without_choice(tirbi_dims *d, const sum *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        const term *t = &s->items[i];
        bool chooses = t->index->kind == TIRB_EXPR_MIN || t->index->kind == TIRB_EXPR_MAX;
        if (!chooses || t->lower != 1 || t->upper || (t->scale != 1 && t->scale != -1)) continue;
        const tirb_expr *operands[2] = {t->index->as.binary.a, t->index->as.binary.b};
        for (int j = 1; j >= 0; j--) {
            const tirb_expr *x = operands[j], *more = tirbi_dim(d, 0);
            if (!is_rest(d, s, t, x)) {
                more = addend(d, s, t, &x);
                if (!more) continue;
            }
            const tirb_expr *y = operands[1 - j];
            const tirb_expr *apart = tirbi_dim_simplify(d, t->scale < 0 ? tirbi_dim_op(d, TIRB_EXPR_SUB, x, y)
                                                                        : tirbi_dim_op(d, TIRB_EXPR_SUB, y, x));
            if (t->scale < 0) more = tirbi_dim_simplify(d, tirbi_dim_op(d, TIRB_EXPR_SUB, tirbi_dim(d, 0), more));
            bool max = (t->index->kind == TIRB_EXPR_MAX) == (t->scale > 0);
            const range first = range_of(d, apart), second = range_of(d, more);
            if (first.low >= second.high) return max ? apart : more;
            if (first.high <= second.low) return max ? more : apart;
            return tirbi_dim_op(d, max ? TIRB_EXPR_MAX : TIRB_EXPR_MIN, j ? apart : more, j ? more : apart);
        }
    }
    return NULL;
}

const tirb_expr *tirbi_dim_simplify(tirbi_dims *d, const tirb_expr *e) {
    if (!e || e->kind == TIRB_EXPR_INT_IMM || e->kind == TIRB_EXPR_VAR || e->size > MAX_SIZE) return e;
    sum s;
    canonical(d, e, &s);
    const tirb_expr *simple = s.overflow ? NULL : without_choice(d, &s);
    if (!simple && !s.overflow) simple = normal(d, &s);
    return simple ? simple : e;
}

/* ---- Counting from the end --------------------------------------------------------------------------------------- */

/* c is not 0. */
static int64_t ceil_div(int64_t x, int64_t c) { return -floor_div(-x, c); }

/* Whether a sum of one term and a constant is below 0, as a bound of the term's index. */
static const tirb_expr *term_below_zero(tirbi_dims *d, const term *t, int64_t base) {
    const int64_t scale = t->scale > 0 ? t->scale : -t->scale;
    int64_t bound = t->scale > 0 ? ceil_div(-base, scale) : floor_div(base, scale);
    if (__builtin_add_overflow(bound, t->scale < 0, &bound) || __builtin_mul_overflow(bound, t->lower, &bound) ||
        bound == INT64_MIN)
        return NULL;
    return t->scale > 0 ? tirbi_make_compare(d->builder, nowhere(d), TIRB_EXPR_LT, t->index, tirbi_dim(d, bound))
                        : tirbi_make_compare(d->builder, nowhere(d), TIRB_EXPR_LT, tirbi_dim(d, bound - 1), t->index);
}

static int64_t common_divisor(int64_t x, int64_t y) {
    while (y != 0) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x < 0 ? -x : x;
}

/* The condition e < 0 with the constant on its right side, if something is added on the left. */
static const tirb_expr *below_zero(tirbi_dims *d, const tirb_expr *e) {
    const tirb_expr *whole = tirbi_make_compare(d->builder, nowhere(d), TIRB_EXPR_LT, e, tirbi_dim(d, 0));
    sum s;
    canonical(d, e, &s);
    if (s.overflow) return whole;
    merge_terms(&s);
    if (s.n == 1 && s.items[0].scale != 0 && s.items[0].upper == 0) {
        const tirb_expr *bounded = term_below_zero(d, &s.items[0], s.base);
        if (bounded) return bounded;
    }
    int64_t divisor = 0;
    bool adds = false, alike = true;
    for (uint32_t i = 0; i < s.n; i++) {
        divisor = common_divisor(divisor, s.items[i].scale);
        adds = adds || s.items[i].scale > 0;
    }
    if (!adds) return whole;
    for (uint32_t i = 0; i < s.n; i++) alike = alike && (s.items[i].scale == divisor || s.items[i].scale == -divisor);
    if (!alike && s.base % divisor != 0) divisor = 1; /* TVM takes out what leaves a rest if that is all scales */
    const int64_t bound = ceil_div(-s.base, divisor);
    for (uint32_t i = 0; i < s.n; i++) s.items[i].scale /= divisor;
    s.base = 0;
    return tirbi_make_compare(d->builder, nowhere(d), TIRB_EXPR_LT, normal(d, &s), tirbi_dim(d, bound));
}

/* What is known where e, a sum, is below 0 (or is not). */
static void learn_below_zero(tirbi_dims *d, const tirb_expr *e, bool below) {
    sum s;
    canonical(d, e, &s);
    merge_terms(&s);
    const term *t = &s.items[0];
    learn(d, e, below ? (range){INT64_MIN, -1} : (range){0, INT64_MAX});
    if (s.overflow || s.n != 1 || t->lower != 1 || t->upper != 0 || t->scale == 0) return;
    /* index * scale + base < 0 */
    const int64_t c = t->scale > 0 ? ceil_div(-s.base, t->scale) : floor_div(s.base, -t->scale);
    if (t->scale > 0)
        learn(d, t->index, below ? (range){INT64_MIN, plus(c, -1)} : (range){c, INT64_MAX});
    else
        learn(d, t->index, below ? (range){plus(c, 1), INT64_MAX} : (range){INT64_MIN, c});
}

static const tirb_expr *simplify_where(tirbi_dims *d, const tirb_expr *e, bool below, const tirb_expr *value) {
    const uint32_t n = d->facts.n;
    learn_below_zero(d, e, below);
    value = tirbi_dim_simplify(d, value);
    d->facts.n = n;
    return value;
}

/* x where e, which is simplified, is below 0, else y. */
static const tirb_expr *if_below_zero(tirbi_dims *d, const tirb_expr *e, const tirb_expr *x, const tirb_expr *y) {
    if (!e || !x || !y) return NULL;
    const range r = range_of(d, e);
    if (r.low >= 0) return tirbi_dim_simplify(d, y);
    if (r.high < 0) return tirbi_dim_simplify(d, x);
    const tirb_expr *below = below_zero(d, e);
    x = simplify_where(d, e, true, x);
    y = simplify_where(d, e, false, y);
    return below && x && y ? tirbi_make_if_then_else(d->builder, nowhere(d), below, x, y) : NULL;
}

const tirb_expr *tirbi_dim_from_front(tirbi_dims *d, const tirb_expr *index, const tirb_expr *size) {
    return if_below_zero(d, tirbi_dim_simplify(d, index), tirbi_dim_op(d, TIRB_EXPR_ADD, index, size), index);
}

/* ---- Proofs ------------------------------------------------------------------------------------------------------ */

/* Whether the difference of two dimensions is a constant. */
static bool difference(tirbi_dims *d, const tirb_expr *x, const tirb_expr *y, int64_t *out) {
    if (x->size > MAX_SIZE || y->size > MAX_SIZE) return false;
    sum a, b;
    canonical(d, x, &a);
    canonical(d, y, &b);
    add_sum(&a, &b, -1);
    merge_terms(&a);
    *out = a.base;
    return is_constant(&a);
}

bool tirbi_dim_equal(tirbi_dims *d, const tirb_expr *x, const tirb_expr *y) {
    int64_t apart;
    if (x == y) return true;
    if (difference(d, x, y, &apart)) return apart == 0;
    const tirb_expr *first = tirbi_dim_simplify(d, x), *second = tirbi_dim_simplify(d, y);
    return first && second && difference(d, first, second, &apart) && apart == 0;
}

bool tirbi_dim_apart(tirbi_dims *d, const tirb_expr *x, const tirb_expr *y) {
    int64_t apart;
    return x != y && difference(d, x, y, &apart) && apart != 0;
}

bool tirbi_dim_at_least(tirbi_dims *d, const tirb_expr *e, int64_t least) {
    const tirb_expr *simple = tirbi_dim_simplify(d, e);
    return simple && range_of(d, simple).low >= least;
}

/* ---- Replacing --------------------------------------------------------------------------------------------------- */

const tirb_expr *tirbi_dim_replace(tirbi_dims *d, const tirb_expr *e, const tirb_expr *const *vars,
                                   const tirb_expr *const *values, uint32_t n) {
    if (!e) return NULL;
    if (e->kind == TIRB_EXPR_VAR) {
        for (uint32_t i = 0; i < n; i++)
            if (vars[i] == e) return values[i];
        return e;
    }
    if (e->kind == TIRB_EXPR_CAST) {
        const tirb_expr *value = tirbi_dim_replace(d, e->as.cast.value, vars, values, n);
        return value == e->as.cast.value ? e : value ? tirbi_make_cast(d->builder, e->span, e->dtype, value) : NULL;
    }
    if (is_conditional(e)) {
        const tirb_expr *args[3];
        bool changed = false;
        for (uint32_t i = 0; i < 3; i++) {
            args[i] = tirbi_dim_replace(d, e->as.call.args[i], vars, values, n);
            changed |= args[i] != e->as.call.args[i];
        }
        return changed ? tirbi_make_if_then_else(d->builder, e->span, args[0], args[1], args[2]) : e;
    }
    if (e->kind < TIRB_EXPR_ADD || e->kind > TIRB_EXPR_OR) return e;
    const tirb_expr *a = tirbi_dim_replace(d, e->as.binary.a, vars, values, n);
    const tirb_expr *b = tirbi_dim_replace(d, e->as.binary.b, vars, values, n);
    if (a == e->as.binary.a && b == e->as.binary.b) return e;
    if (!a || !b) return NULL;
    if (e->kind <= TIRB_EXPR_MAX) return tirbi_dim_op(d, e->kind, a, b);
    const bool is_order = e->kind >= TIRB_EXPR_LT && e->kind <= TIRB_EXPR_GE;
    int64_t x, y;
    bool holds;
    if ((e->kind == TIRB_EXPR_EQ || e->kind == TIRB_EXPR_NE) && tirbi_dim_const(a, &x) && tirbi_dim_const(b, &y))
        return tirbi_make_int(d->builder, e->span, tirbi_type_bool, (x == y) == (e->kind == TIRB_EXPR_EQ));
    if (is_order && tirbi_fold_order(e->kind, a, b, &holds))
        return tirbi_make_int(d->builder, e->span, tirbi_type_bool, holds);
    return tirbi_make_raw_binary(d->builder, e->span, e->kind, a, b);
}
