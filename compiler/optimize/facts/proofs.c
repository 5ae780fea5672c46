#include "compiler/optimize/facts/proofs.h"

#include "compiler/optimize/facts/affine.h"
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

/* Whether integer arithmetic of a and b has the result that whole numbers have. */
static bool is_exact(const tirbi_lx *x) {
    const tirbi_lx *a = x->args[0], *b = x->args[1];
    int64_t low = 0, high = 0, most = x->optype == TIRB_I32 ? INT32_MAX : INT64_MAX;
    if (x->op == TIRB_OP_MUL) return !tirbi_full_range(x);
    bool fits = x->op == TIRB_OP_ADD
                    ? tirbi_add_i64(a->lo, b->lo, &low) && tirbi_add_i64(a->hi, b->hi, &high)
                    : !__builtin_sub_overflow(a->lo, b->hi, &low) && !__builtin_sub_overflow(a->hi, b->lo, &high);
    return fits && low >= -most && high <= most;
}

/* An extent is not negative where its buffer is: a sum that is too large for 32 bits would be. */
static bool is_exact_extent(const tirbi_lx *x) {
    return x->op == TIRB_OP_ADD && x->optype == TIRB_I32 && x->args[0]->lo >= 0 && x->args[1]->lo >= 0;
}

/* Adds factor * x. */
static bool add_linear(linear *sum, const tirbi_lx *x, int64_t factor, bool extent, unsigned depth) {
    int64_t v;
    if (depth == 0) return false;
    if (x->kind == TIRBI_LX_CONST)
        return tirbi_mul_i64(factor, x->value, &v) && tirbi_add_i64(sum->constant, v, &sum->constant);
    bool arithmetic = x->kind == TIRBI_LX_OP && (x->optype == TIRB_I64 || x->optype == TIRB_I32);
    if (arithmetic && x->op == TIRB_OP_CAST && x->optype == TIRB_I64 && x->source != TIRB_U64 &&
        tirbi_dtype_is_int((tirbi_dtype)x->source))
        return add_linear(sum, x->args[0], factor, extent, depth - 1);
    if (arithmetic && (x->op == TIRB_OP_ADD || x->op == TIRB_OP_SUB) && (is_exact(x) || (extent && is_exact_extent(x))))
        return add_linear(sum, x->args[0], factor, false, depth - 1) &&
               add_linear(sum, x->args[1], x->op == TIRB_OP_ADD ? factor : -factor, false, depth - 1);
    bool scaled = arithmetic && x->op == TIRB_OP_MUL && x->args[1]->kind == TIRBI_LX_CONST && is_exact(x);
    if (scaled && tirbi_mul_i64(factor, x->args[1]->value, &v)) return add_linear(sum, x->args[0], v, false, depth - 1);
    return add_term(sum, x, factor);
}

bool tirbi_sum_of(tirbi_sum *sum, const tirbi_lx *x, int64_t factor) {
    return add_linear(sum, x, factor, false, PROOF_DEPTH);
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
    if (!add_linear(&d, buffer->shape[dimension], 1, buffer->root == buffer, PROOF_DEPTH) ||
        !add_linear(&d, index, -1, false, PROOF_DEPTH))
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
    if (!add_linear(&d, a, 1, false, PROOF_DEPTH) || !add_linear(&d, b, -1, false, PROOF_DEPTH)) return false;
    for (uint32_t i = 0; i < d.n; i++)
        if (d.factor[i] != 0) return false;
    *difference = d.constant;
    return true;
}
