/* Differences of integer expressions as TVM simplifies them: (i*4 + 4) - i*4 is 4. */
#include "compiler/ir/builder.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/fold.h"
#include "compiler/ir/linear.h"

#include <string.h>

static void add_term(tirbi_linear *l, const tirb_expr *term, int64_t factor) {
    for (uint32_t i = 0; i < l->n; i++) {
        if (!tirbi_expr_equal(l->terms[i], term)) continue;
        l->factors[i] = (int64_t)((uint64_t)l->factors[i] + (uint64_t)factor);
        l->cancelled++;
        return;
    }
    if (l->n == TIRBI_MAX_TERMS) {
        l->overflow = true;
        return;
    }
    l->terms[l->n] = term;
    l->factors[l->n++] = factor;
}

static void add_constant(tirbi_linear *l, int64_t value, int64_t factor) {
    l->constant = (int64_t)((uint64_t)l->constant + (uint64_t)factor * (uint64_t)value);
}

void tirbi_linear_add(tirbi_linear *l, const tirb_expr *e, int64_t factor) {
    if (l->overflow) return;
    switch (e->kind) {
    case TIRB_EXPR_INT_IMM:
        add_constant(l, e->as.int_value, factor);
        return;
    case TIRB_EXPR_ADD:
    case TIRB_EXPR_SUB:
        tirbi_linear_add(l, e->as.binary.a, factor);
        tirbi_linear_add(l, e->as.binary.b, e->kind == TIRB_EXPR_ADD ? factor : (int64_t)(0 - (uint64_t)factor));
        return;
    case TIRB_EXPR_MUL:
        if (e->as.binary.b->kind == TIRB_EXPR_INT_IMM) {
            tirbi_linear_add(l, e->as.binary.a, (int64_t)((uint64_t)factor * (uint64_t)e->as.binary.b->as.int_value));
            return;
        }
        if (e->as.binary.a->kind == TIRB_EXPR_INT_IMM) {
            tirbi_linear_add(l, e->as.binary.b, (int64_t)((uint64_t)factor * (uint64_t)e->as.binary.a->as.int_value));
            return;
        }
        break;
    default:
        break;
    }
    add_term(l, e, factor);
}

void tirbi_linear_add_scaled(tirbi_linear *l, const tirbi_linear *x, int64_t factor) {
    for (uint32_t i = 0; i < x->n; i++)
        if (x->factors[i] != 0) add_term(l, x->terms[i], (int64_t)((uint64_t)factor * (uint64_t)x->factors[i]));
    add_constant(l, x->constant, factor);
    l->overflow |= x->overflow;
}

/* Sorts the terms that count: the larger factor first, equal ones as they came. False where the order of TVM's
 * simplifier is another: terms that are no variables, beside others of the same factor. */
static bool sort_terms(const tirbi_linear *l, tirbi_linear *out) {
    *out = (tirbi_linear){.constant = l->constant};
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->factors[i] == 0) continue;
        uint32_t at = out->n;
        while (at > 0 && out->factors[at - 1] < l->factors[i]) at--;
        memmove(&out->terms[at + 1], &out->terms[at], (out->n - at) * sizeof *out->terms);
        memmove(&out->factors[at + 1], &out->factors[at], (out->n - at) * sizeof *out->factors);
        out->terms[at] = l->terms[i];
        out->factors[at] = l->factors[i];
        out->n++;
    }
    for (uint32_t i = 0; i < out->n; i++) {
        if (!tirbi_is_moderate(out->factors[i])) return false;
        if (i == 0) continue;
        if (out->factors[i] == out->factors[i - 1] &&
            (out->terms[i]->kind != TIRB_EXPR_VAR || out->terms[i - 1]->kind != TIRB_EXPR_VAR))
            return false;
    }
    return !l->overflow && tirbi_is_moderate(l->constant);
}

static const tirb_expr *add_part(tirbi_builder *b, const tirb_expr *sum, const tirb_expr *part, bool negative) {
    if (!sum) return part;
    return tirbi_make_raw_binary(b, sum->span, negative ? TIRB_EXPR_SUB : TIRB_EXPR_ADD, sum, part);
}

static const tirb_expr *scaled(tirbi_builder *b, const tirb_expr *term, int64_t factor) {
    if (factor == 1) return term;
    return tirbi_make_raw_binary(b, term->span, TIRB_EXPR_MUL, term,
                                 tirbi_make_int(b, term->span, term->dtype, factor));
}

const tirb_expr *tirbi_linear_canonical(tirbi_builder *b, tirbi_span span, tirb_datatype type, const tirbi_linear *l) {
    tirbi_linear s;
    if (!sort_terms(l, &s)) return NULL;
    const tirb_expr *sum = NULL;
    int64_t constant = s.constant;
    uint32_t i = 0;
    if (s.n == 1 && s.factors[0] < 0 && constant == 0) return NULL; /* 0 - x or x * -1, as it came about */
    for (; i < s.n && s.factors[i] > 0; i++) sum = add_part(b, sum, scaled(b, s.terms[i], s.factors[i]), false);
    if (!sum || constant > 0) {
        int64_t first = sum || constant > 0 || i == s.n ? constant : 0;
        sum = add_part(b, sum, tirbi_make_int(b, span, type, first), false);
        constant -= first;
    }
    for (; i < s.n; i++) sum = add_part(b, sum, scaled(b, s.terms[i], -s.factors[i]), true);
    if (constant < 0) sum = add_part(b, sum, tirbi_make_int(b, span, type, -constant), true);
    return sum;
}

static const tirb_expr *compose(tirbi_builder *b, tirbi_span span, const tirbi_linear *l, tirb_datatype type) {
    const tirb_expr *sum = NULL;
    for (uint32_t i = 0; i < l->n; i++) {
        int64_t factor = tirbi_wrap_int(type, l->factors[i]);
        if (factor == 0) continue;
        const tirb_expr *term = l->terms[i];
        bool negative = factor < 0 && sum && factor != INT64_MIN;
        if (negative) factor = -factor;
        if (factor != 1)
            term = tirbi_make_binary(b, span, TIRB_EXPR_MUL, term,
                                     tirbi_make_int(b, span, type, tirbi_wrap_int(type, factor)));
        sum = !sum ? term : tirbi_make_binary(b, span, negative ? TIRB_EXPR_SUB : TIRB_EXPR_ADD, sum, term);
    }
    const tirb_expr *constant = tirbi_make_int(b, span, type, tirbi_wrap_int(type, l->constant));
    return sum ? tirbi_make_binary(b, span, TIRB_EXPR_ADD, sum, constant) : constant;
}

/* ---- Products and quotients -------------------------------------------------------------------------------------
 * What TVM's simplifier makes of terms that share a factor, and of quotients and remainders by constants. Each rule
 * holds for numbers that wrap. */

enum { MAX_FACTORS = 8, MAX_SIMPLIFIED_SIZE = 400 };

typedef struct product {
    const tirb_expr *factors[MAX_FACTORS];
    uint32_t n;
    int64_t constant; /* all its constant factors */
    bool overflow;
} product;

static void take_factors(product *p, const tirb_expr *e) {
    if (e->kind == TIRB_EXPR_MUL) {
        take_factors(p, e->as.binary.a);
        take_factors(p, e->as.binary.b);
    } else if (e->kind == TIRB_EXPR_INT_IMM) {
        p->constant = (int64_t)((uint64_t)p->constant * (uint64_t)e->as.int_value);
    } else if (p->n == MAX_FACTORS) {
        p->overflow = true;
    } else {
        p->factors[p->n++] = e;
    }
}

static const tirb_expr *multiply(tirbi_builder *b, const tirb_expr *first, const tirb_expr *const *factors,
                                 uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        first = first ? tirbi_make_raw_binary(b, first->span, TIRB_EXPR_MUL, first, factors[i]) : factors[i];
    return first;
}

static uint32_t count_terms(const tirbi_linear *l) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++) n += l->factors[i] != 0;
    return n;
}

static bool divides(int64_t by, int64_t value) { return value % by == 0; }

static int64_t positive_constant(const tirb_expr *e) {
    return e->kind == TIRB_EXPR_INT_IMM && e->as.int_value > 0 && tirbi_is_moderate(e->as.int_value) ? e->as.int_value
                                                                                                     : 0;
}

static void add_simple(tirbi_builder *b, tirbi_linear *l, const tirb_expr *e, int64_t factor);

/* A quotient of a quotient and a remainder of a remainder are one, if their constants allow it; else NULL. */
static const tirb_expr *merge_divisions(tirbi_builder *b, const tirb_expr *e, int64_t by) {
    const tirb_expr *x = e->as.binary.a;
    int64_t inner = x->kind == e->kind ? positive_constant(x->as.binary.b) : 0;
    if (!inner || (e->kind == TIRB_EXPR_FLOORMOD ? !divides(by, inner) : !tirbi_is_moderate(inner * by))) return NULL;
    int64_t merged = e->kind == TIRB_EXPR_FLOORMOD ? by : inner * by;
    return tirbi_make_raw_binary(b, e->span, e->kind, x->as.binary.a, tirbi_make_int(b, e->span, e->dtype, merged));
}

/* Adds a division of what is simple already. */
static void add_made(tirbi_builder *b, tirbi_linear *l, const tirb_expr *made, int64_t factor, int64_t by) {
    const tirb_expr *merged = made ? merge_divisions(b, made, by) : NULL;
    if (made) add_term(l, merged ? merged : made, factor);
    else l->overflow = true;
}

/* x // by and x % by: what `by` divides leaves x. */
static void add_division(tirbi_builder *b, tirbi_linear *l, const tirb_expr *e, int64_t factor, int64_t by) {
    const tirb_expr *merged = merge_divisions(b, e, by);
    if (merged) {
        add_simple(b, l, merged, factor);
        return;
    }
    bool quotient = e->kind == TIRB_EXPR_FLOORDIV;
    tirbi_linear all = {.n = 0}, rest = {.n = 0}, out = {.n = 0};
    add_simple(b, &all, e->as.binary.a, 1);
    for (uint32_t i = 0; i < all.n; i++) {
        if (all.factors[i] == 0) continue;
        bool leaves = divides(by, all.factors[i]);
        add_term(leaves ? &out : &rest, all.terms[i], leaves ? all.factors[i] / by : all.factors[i]);
    }
    int64_t remainder = all.constant % by + (all.constant % by < 0 ? by : 0);
    bool constant_leaves = !quotient || rest.n == 0 || remainder == 0;
    rest.constant = constant_leaves ? remainder : all.constant;
    if (constant_leaves) out.constant = (all.constant - remainder) / by;
    bool unchanged = out.n == 0 && rest.constant == all.constant;
    const tirb_expr *sum = rest.n ? tirbi_linear_canonical(b, e->span, e->dtype, &rest) : NULL;
    if (all.overflow || !tirbi_is_moderate(all.constant) || (rest.n && (unchanged || !sum))) {
        add_term(l, e, factor);
        return;
    }
    if (quotient) tirbi_linear_add_scaled(l, &out, factor);
    if (rest.n)
        add_made(b, l, tirbi_make_raw_binary(b, e->span, e->kind, sum, tirbi_make_int(b, e->span, e->dtype, by)),
                 factor, by);
    else if (!quotient) add_constant(l, rest.constant, factor);
}

static void add_product(tirbi_builder *b, tirbi_linear *l, const tirb_expr *e, int64_t factor) {
    product p = {.constant = 1};
    take_factors(&p, e);
    factor = (int64_t)((uint64_t)factor * (uint64_t)p.constant);
    if (p.overflow) add_term(l, e, factor);
    else if (p.n == 1) add_simple(b, l, p.factors[0], factor);
    else add_term(l, p.constant == 1 ? e : multiply(b, NULL, p.factors, p.n), factor);
}

/* Adds e * factor as tirbi_linear_add does, with quotients, remainders and products by constants simplified. */
static void add_simple(tirbi_builder *b, tirbi_linear *l, const tirb_expr *e, int64_t factor) {
    if (!e || l->overflow) {
        l->overflow = true;
        return;
    }
    switch (e->kind) {
    case TIRB_EXPR_INT_IMM: add_constant(l, e->as.int_value, factor); return;
    case TIRB_EXPR_ADD:
    case TIRB_EXPR_SUB:
        add_simple(b, l, e->as.binary.a, factor);
        add_simple(b, l, e->as.binary.b, e->kind == TIRB_EXPR_ADD ? factor : (int64_t)(0 - (uint64_t)factor));
        return;
    case TIRB_EXPR_MUL: add_product(b, l, e, factor); return;
    case TIRB_EXPR_FLOORDIV:
    case TIRB_EXPR_FLOORMOD: {
        int64_t by = positive_constant(e->as.binary.b);
        if (by) add_division(b, l, e, factor, by);
        else add_term(l, e, factor);
        return;
    }
    default: add_term(l, e, factor); return;
    }
}

/* Moves the factors that both have to `common`, in the order of the first. */
static void split_common(product *x, product *y, product *common) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t j = 0;
        while (j < y->n && !tirbi_expr_equal(x->factors[i], y->factors[j])) j++;
        if (j == y->n) {
            x->factors[kept++] = x->factors[i];
            continue;
        }
        common->factors[common->n++] = x->factors[i];
        y->n--;
        memmove(&y->factors[j], &y->factors[j + 1], (y->n - j) * sizeof *y->factors);
    }
    x->n = kept;
}

static void add_rest(tirbi_builder *b, tirbi_linear *l, const product *p, int64_t factor) {
    if (p->n) add_simple(b, l, multiply(b, NULL, p->factors, p->n), factor);
    else add_constant(l, 1, factor);
}

/* x * y + x * z is (y + z) * x. */
static bool share_factor(tirbi_builder *b, tirbi_linear *l, uint32_t i, uint32_t j) {
    product x = {.constant = 1}, y = {.constant = 1}, common = {.constant = 1};
    int64_t fi = l->factors[i], fj = l->factors[j];
    take_factors(&x, l->terms[i]);
    take_factors(&y, l->terms[j]);
    if (x.overflow || y.overflow || (x.n == 1 && y.n == 1) || !tirbi_is_moderate(fi) || !tirbi_is_moderate(fj))
        return false;
    uint32_t n_x = x.n, n_y = y.n;
    split_common(&x, &y, &common);
    if (common.n == 0) return false;
    bool plain = (n_x == 1 || fi == 1 || fi == -1) && (n_y == 1 || fj == 1 || fj == -1);
    int64_t outside = 1;
    if (!plain && (fi == fj || fi == -fj)) outside = fi < 0 ? -fi : fi;
    else if (!plain) return false;
    tirbi_linear rest = {.n = 0};
    add_rest(b, &rest, &x, fi / outside);
    add_rest(b, &rest, &y, fj / outside);
    uint32_t n = count_terms(&rest);
    if (outside != 1 && n != 0) return false;
    const tirb_expr *sum = n ? tirbi_linear_canonical(b, l->terms[i]->span, l->terms[i]->dtype, &rest) : NULL;
    if (n && !sum) return false;
    l->factors[i] = l->factors[j] = 0;
    add_simple(b, l, multiply(b, sum, common.factors, common.n), (n ? 1 : rest.constant) * outside);
    return true;
}

/* x // k * k is x - x % k, where that leaves fewer terms. */
static bool round_down(tirbi_builder *b, tirbi_linear *l, uint32_t i) {
    const tirb_expr *e = l->terms[i];
    int64_t by = e->kind == TIRB_EXPR_FLOORDIV ? positive_constant(e->as.binary.b) : 0;
    if (!by || !divides(by, l->factors[i])) return false;
    int64_t times = l->factors[i] / by;
    tirbi_linear other = *l;
    other.factors[i] = 0;
    add_simple(b, &other, e->as.binary.a, times);
    add_simple(b, &other, tirbi_make_raw_binary(b, e->span, TIRB_EXPR_FLOORMOD, e->as.binary.a, e->as.binary.b),
               -times);
    if (other.overflow || count_terms(&other) >= count_terms(l)) return false;
    *l = other;
    return true;
}

static bool apply_rule(tirbi_builder *b, tirbi_linear *l) {
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->factors[i] == 0) continue;
        if (round_down(b, l, i)) return true;
        for (uint32_t j = i + 1; j < l->n; j++)
            if (l->factors[j] != 0 && share_factor(b, l, i, j)) return true;
    }
    return false;
}

/* stop - start by these rules; NULL where TVM's order of the terms is not known. */
static const tirb_expr *simple_difference(tirbi_builder *b, tirbi_span span, const tirb_expr *stop,
                                          const tirb_expr *start) {
    tirbi_linear l = {.n = 0};
    if (stop->size > MAX_SIMPLIFIED_SIZE || start->size > MAX_SIMPLIFIED_SIZE) return NULL;
    add_simple(b, &l, stop, 1);
    add_simple(b, &l, start, -1);
    for (uint32_t i = 0; i < TIRBI_MAX_TERMS && !l.overflow && apply_rule(b, &l); i++) {}
    return l.overflow ? NULL : tirbi_linear_canonical(b, span, stop->dtype, &l);
}

/* stop - start where one negative term is left of it, as 0 - x or x * -2; NULL where more is left. */
static const tirb_expr *negative_difference(tirbi_builder *b, tirbi_span span, const tirb_expr *stop,
                                            const tirb_expr *start, const tirbi_linear *l) {
    uint32_t at = 0;
    if (l->overflow || l->constant != 0 || tirbi_is_const_int(start, 0)) return NULL;
    while (at < l->n && l->factors[at] == 0) at++;
    if (at == l->n || l->factors[at] >= 0 || !tirbi_is_moderate(l->factors[at])) return NULL;
    for (uint32_t i = at + 1; i < l->n; i++)
        if (l->factors[i] != 0) return NULL;
    const tirb_expr *term = l->terms[at];
    if (l->factors[at] != -1)
        return tirbi_make_binary(b, span, TIRB_EXPR_MUL, term, tirbi_make_int(b, span, stop->dtype, l->factors[at]));
    return tirbi_make_binary(b, span, TIRB_EXPR_SUB, tirbi_make_int(b, span, stop->dtype, 0), term);
}

const tirb_expr *tirbi_make_difference(tirbi_builder *b, tirbi_span span, const tirb_expr *stop,
                                       const tirb_expr *start) {
    if (!tirbi_match_types(b, span, &stop, &start)) return NULL;
    if (stop->dtype.code == TIRB_CODE_INT && stop->dtype.lanes == 1) {
        tirbi_linear l = {.n = 0};
        tirbi_linear_add(&l, stop, 1);
        tirbi_linear_add(&l, start, -1);
        const tirb_expr *simple = simple_difference(b, span, stop, start);
        if (!simple) simple = tirbi_linear_canonical(b, span, stop->dtype, &l);
        if (!simple) simple = negative_difference(b, span, stop, start, &l);
        if (simple) return simple;
        if (!l.overflow && l.cancelled) return compose(b, span, &l, stop->dtype);
    }
    if (stop->kind == TIRB_EXPR_ADD && tirbi_expr_equal(stop->as.binary.a, start)) return stop->as.binary.b;
    return tirbi_make_binary(b, span, TIRB_EXPR_SUB, stop, start);
}

const tirb_expr *tirbi_make_domain(tirbi_builder *b, tirbi_span span, const tirb_expr *stop, const tirb_expr *start) {
    const tirb_expr *simple = tirbi_make_difference(b, span, stop, start);
    if (!simple || simple->kind == TIRB_EXPR_INT_IMM) return simple;
    if (tirbi_is_const_int(start, 0)) return stop;
    if (stop->kind == TIRB_EXPR_ADD && tirbi_expr_equal(stop->as.binary.a, start)) return stop->as.binary.b;
    return tirbi_make_binary(b, span, TIRB_EXPR_SUB, stop, start);
}

const tirb_expr *tirbi_make_steps(tirbi_builder *b, tirbi_span span, const tirb_expr *start, const tirb_expr *stop,
                                  const tirb_expr *step) {
    const tirb_expr *length = tirbi_make_difference(b, span, stop, start);
    if (!length || !step) return NULL;
    bool down = step->kind == TIRB_EXPR_INT_IMM && step->as.int_value < 0;
    tirbi_lanes lanes;
    if (tirbi_lanes_of_expr(length, &lanes) && lanes.scalable && step->kind == TIRB_EXPR_INT_IMM &&
        step->as.int_value > 0 && lanes.n % step->as.int_value == 0) {
        lanes.n /= step->as.int_value;
        return tirbi_make_lanes(b, span, length->dtype, lanes);
    }
    const tirb_expr *one = tirbi_make_int(b, span, step->dtype, 1);
    const tirb_expr *last = tirbi_make_binary(b, span, down ? TIRB_EXPR_ADD : TIRB_EXPR_SUB, step, one);
    const tirb_expr *padded = tirbi_make_binary(b, span, TIRB_EXPR_ADD, length, last);
    return tirbi_make_binary(b, span, TIRB_EXPR_FLOORDIV, padded, step);
}
