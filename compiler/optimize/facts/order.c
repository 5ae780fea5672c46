#include "compiler/optimize/facts/order.h"

#include "compiler/loop/sums.h"
#include "loader/base/checked.h"
#include "loader/base/divisor.h"

/* A sum is bounded below by replacing its terms, one after the other, by bounds of theirs, until a constant is left
 * that is not negative. What is tried is limited by the budget, not by cleverness: sums of indices are short. */
enum { MAX_STEPS = 64 };

typedef struct prover {
    const tirbi_loop_set *apart;
    uint32_t steps;
} prover;

static bool never_negative(prover *p, const tirbi_sum *sum);

/* Goes on with term `i` replaced by x + plus + offset, a bound of it; `plus` may be NULL. */
static bool with_bound(prover *p, const tirbi_sum *sum, uint32_t i, const tirbi_lx *x, const tirbi_lx *plus,
                       int64_t offset) {
    const tirbi_sum_rules rules = {.apart = sum->elsewhere >> i & 1 ? p->apart : NULL};
    const int64_t factor = sum->factor[i];
    tirbi_sum next = *sum;
    tirbi_sum_remove(&next, i);
    return x && x->pure && tirbi_sum_by(&rules, &next, x, factor) &&
           (!plus || (plus->pure && tirbi_sum_by(&rules, &next, plus, factor))) &&
           tirbi_mul_i64(offset, factor, &offset) && tirbi_add_i64(next.constant, offset, &next.constant) &&
           never_negative(p, &next);
}

static bool bounded(prover *p, const tirbi_sum *sum, uint32_t i) {
    const tirbi_lx *x = sum->term[i];
    bool below = sum->factor[i] > 0; /* a bound from below makes the sum less */
    if (x->kind == TIRBI_LX_OP && x->op == (below ? TIRB_OP_MAX : TIRB_OP_MIN)) {
        return with_bound(p, sum, i, x->args[0], NULL, 0) || with_bound(p, sum, i, x->args[1], NULL, 0);
    }
    if (x->kind == TIRBI_LX_OP && x->op == (below ? TIRB_OP_MIN : TIRB_OP_MAX)) { /* it is either of them */
        return with_bound(p, sum, i, x->args[0], NULL, 0) && with_bound(p, sum, i, x->args[1], NULL, 0);
    }
    if (x->kind != TIRBI_LX_VAR || x->var->kind != TIRBI_LVAR_LOOP) return false;
    const tirbi_lvar *var = x->var;
    if (below) return with_bound(p, sum, i, var->min, NULL, 0);
    return with_bound(p, sum, i, var->below, NULL, -1) || with_bound(p, sum, i, var->min, var->extent, -1);
}

static bool never_negative(prover *p, const tirbi_sum *sum) {
    int64_t value;
    if (tirbi_sum_least(sum, &value) && value >= 0) return true;
    if (p->steps++ >= MAX_STEPS) return false;
    for (uint32_t i = 0; i < sum->n; i++) {
        if (bounded(p, sum, i)) return true;
    }
    return false;
}

/* ---- Questions -------------------------------------------------------------------------------------------------- */

/* Whether factor * (x - times * n) + constant is never negative. */
static bool differs_by(const tirbi_lx *x, int64_t factor, const tirbi_lx *n, int64_t times, int64_t constant) {
    const tirbi_sum_rules judged = {.judged = true};
    prover p = {.apart = NULL};
    tirbi_sum room = {.constant = constant};
    return x->pure && n->pure && tirbi_sum_of(&room, n, -factor * times) && tirbi_sum_by(&judged, &room, x, factor) &&
           never_negative(&p, &room);
}

bool tirbi_always_below(const tirbi_lx *x, int64_t times, const tirbi_lx *n, int64_t plus) {
    return differs_by(x, -1, n, times, plus - 1);
}

bool tirbi_never_below(const tirbi_lx *x, int64_t times, const tirbi_lx *n, int64_t plus) {
    return differs_by(x, 1, n, times, -plus);
}

/* Without the casts that widen it, an integer that is right modulo 2^bits, whether it is exact or not. */
static const tirbi_lx *modulo_bits(const tirbi_lx *x, unsigned *bits) {
    while (tirbi_keeps_value(x)) x = x->args[0];
    if (tirbi_is_exact(x, NULL)) return x;
    if (tirbi_dtypes[x->type].bits < *bits) *bits = tirbi_dtypes[x->type].bits;
    return x;
}

/* b - a, modulo 2^bits, b being of another iteration; exactly where `bits` is WHOLE. */
enum { WHOLE = 65 };
static bool subtract(tirbi_sum *out, const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart,
                     uint64_t *divisor, unsigned *bits) {
    const tirbi_sum_rules here = {.judged = true, .divisor = divisor},
                          there = {.apart = apart, .judged = true, .divisor = divisor};
    *bits = WHOLE;
    a = modulo_bits(a, bits);
    b = modulo_bits(b, bits);
    return a->pure && b->pure && tirbi_sum_by(&there, out, b, 1) && tirbi_sum_by(&here, out, a, -1);
}

/* Whether a sum is at most 2^bits - 1 by what is known of each term alone. */
static bool is_at_most(const tirbi_sum *sum, unsigned bits) {
    uint64_t most = sum->constant > 0 ? (uint64_t)sum->constant : 0, scaled;
    if (bits == WHOLE) return true;
    for (uint32_t i = 0; i < sum->n; i++) {
        const int64_t factor = sum->factor[i], bound = factor > 0 ? sum->term[i]->hi : sum->term[i]->lo;
        if ((factor > 0) != (bound > 0)) continue;
        if (__builtin_mul_overflow(tirbi_magnitude(factor), tirbi_magnitude(bound), &scaled) ||
            __builtin_add_overflow(most, scaled, &most))
            return false;
    }
    return most <= UINT64_MAX >> (64 - bits);
}

/* Whether b - a is from 1 to 2^bits - 1: then the two are not equal modulo 2^bits either. */
static bool is_ahead(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart) {
    prover p = {.apart = apart};
    tirbi_sum difference = {.constant = 0};
    unsigned bits;
    return subtract(&difference, a, b, apart, NULL, &bits) && is_at_most(&difference, bits) &&
           tirbi_sub_i64(difference.constant, 1, &difference.constant) && never_negative(&p, &difference);
}

/* b - a is never a multiple of what divides all of it but a constant: 2 * i and 2 * j + 1, t % 2 and (t + 1) % 2. */
static bool never_congruent(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart) {
    tirbi_sum difference = {.constant = 0};
    uint64_t divisor = 0; /* of all that it may differ by; 0: it is exact */
    unsigned bits;
    if (!subtract(&difference, a, b, apart, &divisor, &bits)) return false;
    for (uint32_t i = 0; i < difference.n; i++)
        divisor = tirbi_common_divisor(divisor, tirbi_magnitude(difference.factor[i]));
    if (bits == WHOLE) {
        return divisor ? tirbi_magnitude(difference.constant) % divisor != 0 : difference.constant != 0;
    }
    /* What divides 2^bits as well; that itself where nothing but the constant is left. */
    divisor &= 0 - divisor;
    if (divisor == 0 || (bits < 64 && divisor > UINT64_C(1) << bits)) {
        return (uint64_t)difference.constant << (64 - bits) != 0;
    }
    return ((uint64_t)difference.constant & (divisor - 1)) != 0;
}

bool tirbi_keeps_ahead(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart) {
    return is_ahead(a, b, apart) || is_ahead(b, a, apart);
}

bool tirbi_never_equal(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart) {
    return tirbi_keeps_ahead(a, b, apart) || never_congruent(a, b, apart);
}
