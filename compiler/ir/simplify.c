/* Differences of integer expressions with the terms that both sides share cancelled: (i*4 + 4) - i*4 is 4. */
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

/* Sorts the terms that count: the larger factor first, equal ones as they came. False where the order of TVM's simplifier
 * is another: terms that are no variables, beside others of the same factor. */
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
    return tirbi_make_raw_binary(b, term->span, TIRB_EXPR_MUL, term, tirbi_make_int(b, term->span, term->dtype, factor));
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

const tirb_expr *tirbi_make_difference(tirbi_builder *b, tirbi_span span, const tirb_expr *stop,
                                       const tirb_expr *start) {
    if (!tirbi_match_types(b, span, &stop, &start)) return NULL;
    if (stop->dtype.code == TIRB_CODE_INT && stop->dtype.lanes == 1) {
        tirbi_linear l = {.n = 0};
        tirbi_linear_add(&l, stop, 1);
        tirbi_linear_add(&l, start, -1);
        const tirb_expr *simple = tirbi_linear_canonical(b, span, stop->dtype, &l);
        if (simple) return simple;
        if (!l.overflow && l.cancelled) return compose(b, span, &l, stop->dtype);
    }
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
    const tirb_expr *last = tirbi_make_binary(b, span, TIRB_EXPR_SUB, step, tirbi_make_int(b, span, step->dtype, 1));
    const tirb_expr *padded = tirbi_make_binary(b, span, TIRB_EXPR_ADD, length, last);
    return tirbi_make_binary(b, span, TIRB_EXPR_FLOORDIV, padded, step);
}
