#include "compiler/loop/sums.h"

#include "compiler/loop/exact.h"
#include "loader/base/checked.h"

enum { PROOF_DEPTH = 12 };

typedef tirbi_sum linear;

/* A variable may be known to lie in a narrower range where one of its nodes stands. */
static bool same_term(const tirbi_lx *a, const tirbi_lx *b) {
    return a == b || (a->kind == TIRBI_LX_VAR && b->kind == TIRBI_LX_VAR && a->var == b->var && a->pure);
}

static bool add_term(linear *sum, const tirbi_lx *term, int64_t factor) {
    uint32_t i = 0;
    while (i < sum->n && !same_term(sum->term[i], term)) i++;
    if (i == TIRBI_SUM_TERMS) return false;
    if (i == sum->n) {
        sum->term[sum->n++] = term;
        sum->factor[i] = 0;
    }
    return tirbi_add_i64(sum->factor[i], factor, &sum->factor[i]);
}

/* An extent is not negative where its buffer is: a sum that is too large for 32 bits would be. */
static bool is_exact_extent(const tirbi_lx *x) {
    return x->op == TIRB_OP_ADD && x->optype == TIRB_I32 && x->args[0]->lo >= 0 && x->args[1]->lo >= 0;
}

/* Where an expression that is added ends, or not: it is an operand of arithmetic that is exact. */
typedef enum border { BORDER_VALUE, BORDER_EXTENT, BORDER_NONE } border;

/* Adds factor * x. */
static bool add_linear(linear *sum, const tirbi_lx *x, int64_t factor, border at, unsigned depth) {
    int64_t v = 0;
    if (depth == 0) return false;
    if (x->kind == TIRBI_LX_CONST)
        return tirbi_mul_i64(factor, x->value, &v) && tirbi_add_i64(sum->constant, v, &sum->constant);
    if (tirbi_keeps_value(x))
        return add_linear(sum, x->args[0], factor, at == BORDER_EXTENT ? at : BORDER_VALUE, depth - 1);
    if (!tirbi_is_arithmetic(x)) return add_term(sum, x, factor);
    if (at == BORDER_EXTENT && is_exact_extent(x))
        return add_linear(sum, x->args[0], factor, BORDER_VALUE, depth - 1) &&
               add_linear(sum, x->args[1], factor, BORDER_VALUE, depth - 1);
    const bool scaled = x->op == TIRB_OP_MUL;
    if (scaled && (x->args[1]->kind != TIRBI_LX_CONST || !tirbi_mul_i64(factor, x->args[1]->value, &v)))
        return (at != BORDER_NONE || tirbi_is_exact(x, NULL)) && add_term(sum, x, factor);
    if (factor == INT64_MIN) return false;
    if (at != BORDER_NONE && !tirbi_is_exact(x, NULL)) return add_term(sum, x, factor);
    if (scaled) return add_linear(sum, x->args[0], v, BORDER_NONE, depth - 1);
    return add_linear(sum, x->args[0], factor, BORDER_NONE, depth - 1) &&
           add_linear(sum, x->args[1], x->op == TIRB_OP_ADD ? factor : -factor, BORDER_NONE, depth - 1);
}

bool tirbi_sum_of(tirbi_sum *sum, const tirbi_lx *x, int64_t factor) {
    return add_linear(sum, x, factor, BORDER_VALUE, PROOF_DEPTH);
}

bool tirbi_sum_add(tirbi_sum *sum, const tirbi_sum *other, int64_t factor) {
    int64_t v;
    if (!tirbi_mul_i64(other->constant, factor, &v) || !tirbi_add_i64(sum->constant, v, &sum->constant)) return false;
    for (uint32_t i = 0; i < other->n; i++) {
        if (other->factor[i] == 0) continue;
        if (!tirbi_mul_i64(other->factor[i], factor, &v) || !add_term(sum, other->term[i], v)) return false;
    }
    return true;
}

bool tirbi_sum_range(const tirbi_sum *sum, int64_t *lo, int64_t *hi) {
    *lo = *hi = sum->constant;
    for (uint32_t i = 0; i < sum->n; i++) {
        int64_t f = sum->factor[i], a, b;
        if (f == 0) continue;
        if (!tirbi_mul_i64(f, f > 0 ? sum->term[i]->lo : sum->term[i]->hi, &a) ||
            !tirbi_mul_i64(f, f > 0 ? sum->term[i]->hi : sum->term[i]->lo, &b) || !tirbi_add_i64(*lo, a, lo) ||
            !tirbi_add_i64(*hi, b, hi))
            return false;
    }
    return true;
}

bool tirbi_is_below(const tirbi_lx *index, const tirbi_lbuf *buffer, uint32_t dimension) {
    linear d = {.constant = -1};
    const border end = tirbi_has_whole_extents(buffer) ? BORDER_EXTENT : BORDER_VALUE;
    if (!add_linear(&d, buffer->shape[dimension], 1, end, PROOF_DEPTH) ||
        !add_linear(&d, index, -1, BORDER_VALUE, PROOF_DEPTH))
        return false;
    int64_t least = d.constant;
    for (uint32_t i = 0; i < d.n; i++) {
        int64_t v;
        if (d.factor[i] == 0) continue;
        if (!tirbi_mul_i64(d.factor[i], d.factor[i] > 0 ? d.term[i]->lo : d.term[i]->hi, &v)) return false;
        if (!tirbi_add_i64(least, v, &least)) return false;
    }
    return least >= 0;
}

bool tirbi_constant_difference(const tirbi_lx *a, const tirbi_lx *b, int64_t *difference) {
    linear d = {.constant = 0};
    if (!tirbi_sum_of(&d, a, 1) || !tirbi_sum_of(&d, b, -1)) return false;
    for (uint32_t i = 0; i < d.n; i++)
        if (d.factor[i] != 0) return false;
    *difference = d.constant;
    return true;
}
