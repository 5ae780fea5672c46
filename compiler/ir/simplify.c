/* Differences of integer expressions with the terms that both sides share cancelled: (i*4 + 4) - i*4 is 4. */
#include "compiler/ir/builder.h"
#include "compiler/ir/equal.h"
#include "compiler/ir/fold.h"

enum { MAX_TERMS = 24 };

typedef struct linear {
    const tirb_expr *terms[MAX_TERMS];
    int64_t factors[MAX_TERMS];
    uint32_t n;
    uint32_t cancelled; /* additions to a term that was already there */
    int64_t constant;
    bool overflow; /* too many terms */
} linear;

static void add_term(linear *l, const tirb_expr *term, int64_t factor) {
    for (uint32_t i = 0; i < l->n; i++) {
        if (!tirbi_expr_equal(l->terms[i], term)) continue;
        l->factors[i] = (int64_t)((uint64_t)l->factors[i] + (uint64_t)factor);
        l->cancelled++;
        return;
    }
    if (l->n == MAX_TERMS) {
        l->overflow = true;
        return;
    }
    l->terms[l->n] = term;
    l->factors[l->n++] = factor;
}

static void decompose(linear *l, const tirb_expr *e, int64_t factor) {
    if (l->overflow) return;
    switch (e->kind) {
    case TIRB_EXPR_INT_IMM:
        l->constant = (int64_t)((uint64_t)l->constant + (uint64_t)factor * (uint64_t)e->as.int_value);
        return;
    case TIRB_EXPR_ADD:
    case TIRB_EXPR_SUB:
        decompose(l, e->as.binary.a, factor);
        decompose(l, e->as.binary.b, e->kind == TIRB_EXPR_ADD ? factor : (int64_t)(0 - (uint64_t)factor));
        return;
    case TIRB_EXPR_MUL:
        if (e->as.binary.b->kind == TIRB_EXPR_INT_IMM) {
            decompose(l, e->as.binary.a, (int64_t)((uint64_t)factor * (uint64_t)e->as.binary.b->as.int_value));
            return;
        }
        if (e->as.binary.a->kind == TIRB_EXPR_INT_IMM) {
            decompose(l, e->as.binary.b, (int64_t)((uint64_t)factor * (uint64_t)e->as.binary.a->as.int_value));
            return;
        }
        break;
    default:
        break;
    }
    add_term(l, e, factor);
}

static const tirb_expr *compose(tirbi_builder *b, tirbi_span span, const linear *l, tirb_datatype type) {
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
        linear l = {.n = 0};
        decompose(&l, stop, 1);
        decompose(&l, start, -1);
        if (!l.overflow && l.cancelled) return compose(b, span, &l, stop->dtype);
    }
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
