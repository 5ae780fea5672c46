#include "compiler/loop/exact.h"

#include "loader/base/divisor.h"

/* Between which whole numbers arithmetic lies: from lo to hi, if int64 has these; from -below to above, if uint64 has
 * those. */
typedef struct span {
    int64_t lo, hi;
    bool known;
    uint64_t below, above;
    bool bounded;
} span;

bool tirbi_mentions_loops(const tirbi_lx *x, const tirbi_loop_set *loops) {
    if (x->kind == TIRBI_LX_VAR) {
        for (uint32_t i = 0; i < loops->n; i++) {
            if (loops->var[i] == x->var) return true;
        }
        return false;
    }
    /* Long sums are deep on the left. */
    for (int i = x->n_args; i-- > 0;) {
        if (tirbi_mentions_loops(x->args[i], loops)) return true;
    }
    return false;
}

bool tirbi_depends_on_loops(const tirbi_lx *x, const tirbi_loop_set *loops) {
    for (uint32_t i = 0; i < loops->n; i++)
        if (tirbi_lx_depends_on(x, loops->var[i])) return true;
    return false;
}

/* ---- Types ------------------------------------------------------------------------------------------------------ */

static int64_t greatest_of(tirbi_dtype type) {
    const unsigned bits = tirbi_dtypes[type].bits;
    return (int64_t)(tirbi_dtype_is_signed(type) || bits == 64 ? UINT64_MAX >> (65 - bits) : (UINT64_C(1) << bits) - 1);
}

static int64_t least_of(tirbi_dtype type) { return tirbi_dtype_is_signed(type) ? -greatest_of(type) - 1 : 0; }

bool tirbi_full_range(const tirbi_lx *x) {
    return x->lo <= least_of((tirbi_dtype)x->type) && x->hi >= greatest_of((tirbi_dtype)x->type);
}

static bool is_int(const tirbi_lx *x) { return tirbi_dtype_is_int((tirbi_dtype)x->type) && x->type != TIRB_BOOL; }

bool tirbi_is_arithmetic(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && is_int(x) && x->type == x->optype &&
           (x->op == TIRB_OP_ADD || x->op == TIRB_OP_SUB || x->op == TIRB_OP_MUL);
}

static bool is_cast(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && is_int(x) && is_int(x->args[0]);
}

bool tirbi_keeps_value(const tirbi_lx *x) {
    return is_cast(x) && x->args[0]->lo >= least_of((tirbi_dtype)x->type) &&
           x->args[0]->hi <= greatest_of((tirbi_dtype)x->type);
}

/* ---- Spans ------------------------------------------------------------------------------------------------------ */

/* Of uint64 lo and hi say nothing, unless they are not negative. */
static span of_value(const tirbi_lx *x) {
    if (x->type == TIRB_U64 && x->lo < 0) return (span){.above = UINT64_MAX, .bounded = true};
    return (span){.lo = x->lo,
                  .hi = x->hi,
                  .known = true,
                  .below = x->lo < 0 ? tirbi_magnitude(x->lo) : 0,
                  .above = x->hi > 0 ? (uint64_t)x->hi : 0,
                  .bounded = true};
}

static span negated(span a) {
    span out = {.known = a.known && a.lo != INT64_MIN, .below = a.above, .above = a.below, .bounded = a.bounded};
    if (!out.known) return out;
    out.lo = -a.hi;
    out.hi = -a.lo;
    return out;
}

static span sum_of(span a, span b) {
    span out;
    out.known = a.known && b.known && !__builtin_add_overflow(a.lo, b.lo, &out.lo) &&
                !__builtin_add_overflow(a.hi, b.hi, &out.hi);
    out.bounded = a.bounded && b.bounded && !__builtin_add_overflow(a.below, b.below, &out.below) &&
                  !__builtin_add_overflow(a.above, b.above, &out.above);
    return out;
}

static bool corners(span a, span b, span *out) {
    int64_t v[4];
    if (__builtin_mul_overflow(a.lo, b.lo, &v[0]) || __builtin_mul_overflow(a.lo, b.hi, &v[1]) ||
        __builtin_mul_overflow(a.hi, b.lo, &v[2]) || __builtin_mul_overflow(a.hi, b.hi, &v[3]))
        return false;
    out->lo = out->hi = v[0];
    for (unsigned i = 1; i < 4; i++) {
        if (v[i] < out->lo) out->lo = v[i];
        if (v[i] > out->hi) out->hi = v[i];
    }
    return true;
}

static bool larger_product(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t *out) {
    uint64_t other;
    if (__builtin_mul_overflow(a, b, out) || __builtin_mul_overflow(c, d, &other)) return false;
    if (other > *out) *out = other;
    return true;
}

static span product_of(span a, span b) {
    span out;
    out.known = a.known && b.known && corners(a, b, &out);
    out.bounded = a.bounded && b.bounded && larger_product(a.above, b.above, a.below, b.below, &out.above) &&
                  larger_product(a.above, b.below, a.below, b.above, &out.below);
    return out;
}

static bool lies_in(const span *s, tirbi_dtype type) {
    return s->known && s->lo >= least_of(type) && s->hi <= greatest_of(type);
}

/* More may be known of a value than its operands tell. */
static span at_most(span whole, const tirbi_lx *x) {
    const span value = of_value(x);
    if (!value.known) return whole;
    if (value.lo > whole.lo) whole.lo = value.lo;
    if (value.hi < whole.hi) whole.hi = value.hi;
    if (value.below < whole.below) whole.below = value.below;
    if (value.above < whole.above) whole.above = value.above;
    return whole;
}

static span span_of(const tirbi_lx *x, const tirbi_loop_set *loops) {
    if (loops && !tirbi_mentions_loops(x, loops)) return of_value(x);
    if (is_cast(x)) {
        const span inner = span_of(x->args[0], loops);
        /* What is not exact is a term of its own. */
        return lies_in(&inner, (tirbi_dtype)x->args[0]->type) && lies_in(&inner, (tirbi_dtype)x->type) ? inner
                                                                                                       : of_value(x);
    }
    if (!tirbi_is_arithmetic(x)) return of_value(x);
    const span a = span_of(x->args[0], loops), b = span_of(x->args[1], loops);
    const span whole = x->op == TIRB_OP_ADD   ? sum_of(a, b)
                       : x->op == TIRB_OP_SUB ? sum_of(a, negated(b))
                                              : product_of(a, b);
    return lies_in(&whole, (tirbi_dtype)x->type) ? at_most(whole, x) : whole;
}

/* ---- Terms ------------------------------------------------------------------------------------------------------ */

/* What may stand in a sum more than once: i + n - i is n. */
enum { MAX_TERMS = 12, MAX_DEPTH = 24 };

typedef struct terms {
    const tirbi_lx *term[MAX_TERMS];
    int64_t factor[MAX_TERMS], constant;
    uint32_t n;
    bool again; /* some term was there before */
} terms;

static bool add_term(terms *t, const tirbi_lx *x, int64_t factor) {
    uint32_t i = 0;
    while (i < t->n && t->term[i] != x) i++;
    if (i == MAX_TERMS) return false;
    t->again = t->again || i < t->n;
    if (i == t->n) t->factor[t->n++] = 0;
    t->term[i] = x;
    return !__builtin_add_overflow(t->factor[i], factor, &t->factor[i]);
}

/* Adds factor * x, whose terms are those that span_of() finds. */
static bool add_terms(terms *t, const tirbi_lx *x, int64_t factor, const tirbi_loop_set *loops, unsigned depth) {
    int64_t scaled;
    if (x->kind == TIRBI_LX_CONST)
        return !__builtin_mul_overflow(x->value, factor, &scaled) &&
               !__builtin_add_overflow(t->constant, scaled, &t->constant);
    const bool whole = (loops && !tirbi_mentions_loops(x, loops)) || depth == 0;
    if (!whole && is_cast(x) && tirbi_keeps_value(x) && tirbi_is_exact(x->args[0], loops))
        return add_terms(t, x->args[0], factor, loops, depth - 1);
    if (whole || !tirbi_is_arithmetic(x)) return add_term(t, x, factor);
    if (x->op == TIRB_OP_MUL) {
        const bool constant = x->args[1]->kind == TIRBI_LX_CONST;
        if (!constant || __builtin_mul_overflow(x->args[1]->value, factor, &scaled)) return add_term(t, x, factor);
        return add_terms(t, x->args[0], scaled, loops, depth - 1);
    }
    return factor != INT64_MIN && add_terms(t, x->args[0], factor, loops, depth - 1) &&
           add_terms(t, x->args[1], x->op == TIRB_OP_SUB ? -factor : factor, loops, depth - 1);
}

/* Between which whole numbers arithmetic lies, equal terms taken together; false: that says nothing more. */
static bool span_of_terms(const tirbi_lx *x, const tirbi_loop_set *loops, span *out) {
    terms t = {.n = 0};
    if (!add_terms(&t, x, 1, loops, MAX_DEPTH) || !t.again) return false;
    const uint64_t size = tirbi_magnitude(t.constant);
    *out = (span){.lo = t.constant,
                  .hi = t.constant,
                  .known = true,
                  .bounded = true,
                  .below = t.constant < 0 ? size : 0,
                  .above = t.constant > 0 ? size : 0};
    for (uint32_t i = 0; i < t.n; i++) {
        const int64_t f = t.factor[i];
        const span factor = {.lo = f,
                             .hi = f,
                             .known = true,
                             .bounded = true,
                             .below = f < 0 ? tirbi_magnitude(f) : 0,
                             .above = f > 0 ? (uint64_t)f : 0};
        if (f != 0) *out = sum_of(*out, product_of(span_of(t.term[i], loops), factor));
    }
    return true;
}

/* ---- The answer ------------------------------------------------------------------------------------------------- */

/* What is below the least number of the type, or above all that its bits hold, comes back inside. */
static bool stays_outside(const span *whole, tirbi_dtype type) {
    const unsigned bits = tirbi_dtypes[type].bits;
    return whole->bounded && whole->below <= UINT64_C(1) << (bits - 1) && whole->above <= UINT64_MAX >> (64 - bits);
}

bool tirbi_is_exact(const tirbi_lx *x, const tirbi_loop_set *loops) {
    if (!tirbi_is_arithmetic(x)) return true;
    const tirbi_dtype type = (tirbi_dtype)x->type;
    span whole = span_of(x, loops);
    return lies_in(&whole, type) || (span_of_terms(x, loops, &whole) && lies_in(&whole, type));
}

bool tirbi_is_exact_or_outside(const tirbi_lx *x, const tirbi_loop_set *loops) {
    if (!tirbi_is_arithmetic(x)) return true;
    if (!tirbi_dtype_is_signed((tirbi_dtype)x->type)) return tirbi_is_exact(x, loops);
    span whole = span_of(x, loops);
    const tirbi_dtype type = (tirbi_dtype)x->type;
    return stays_outside(&whole, type) || (span_of_terms(x, loops, &whole) && stays_outside(&whole, type));
}
