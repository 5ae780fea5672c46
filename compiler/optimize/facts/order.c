#include "compiler/optimize/facts/order.h"

#include "loader/base/divisor.h"

/* A sum is bounded below by replacing its terms, one after the other, by bounds of theirs, until a constant is left
 * that is not negative. What is tried is limited by the budget, not by cleverness: sums of indices are short. */
enum { MAX_TERMS = 12, MAX_STEPS = 64, MAX_PARTS = 2000 };

typedef struct term {
    const tirbi_lx *atom;
    bool other; /* the variable in another iteration than that of the same variable without this mark */
    int64_t factor;
} term;

/* constant + sum of factor * atom, over mathematical integers. */
typedef struct linear {
    term terms[MAX_TERMS];
    uint32_t n;
    int64_t constant;
} linear;

typedef struct prover {
    const tirbi_loop_set *apart;
    uint32_t steps, parts;
    bool modulo;      /* remainders count as their numerators: */
    uint64_t divisor; /* then sums are known up to multiples of this; 0: exactly */
} prover;

static bool add_term(linear *sum, const tirbi_lx *atom, bool other, int64_t factor) {
    for (uint32_t i = 0; i < sum->n; i++) {
        term *t = &sum->terms[i];
        if (t->atom != atom || t->other != other) continue;
        if (__builtin_add_overflow(t->factor, factor, &t->factor)) return false;
        if (t->factor == 0) *t = sum->terms[--sum->n];
        return true;
    }
    if (sum->n == MAX_TERMS) return false;
    sum->terms[sum->n++] = (term){.atom = atom, .other = other, .factor = factor};
    return true;
}

/* Whether another iteration of the loops may have another value of x. Memory may have changed by then, and variables
 * that are set in the loops have others there. */
static bool varies(const tirbi_lx *x, const tirbi_loop_set *apart) {
    if (x->kind == TIRBI_LX_LOAD) return true;
    if (x->kind == TIRBI_LX_VAR && (x->var->kind == TIRBI_LVAR_LET || x->var->kind == TIRBI_LVAR_LOCAL)) return true;
    for (int i = 0; i < x->n_args; i++) {
        if (varies(x->args[i], apart)) return true;
    }
    return tirbi_mentions_loops(x, apart);
}

static bool add_atom(const prover *p, linear *sum, const tirbi_lx *x, bool other, int64_t factor) {
    return add_term(sum, x, other && varies(x, p->apart), factor);
}

/* Adds factor * x, where x ends, or is an operand of arithmetic that has been judged. Arithmetic that is not exact, and
 * what is not linear, is one atom. */
static bool add_part(prover *p, linear *sum, const tirbi_lx *x, bool other, int64_t factor, bool ends) {
    int64_t scaled;
    if (!x || !x->pure || p->parts++ == MAX_PARTS) return false;
    if (x->kind == TIRBI_LX_CONST) {
        return !__builtin_mul_overflow(x->value, factor, &scaled) &&
               !__builtin_add_overflow(sum->constant, scaled, &sum->constant);
    }
    if (tirbi_keeps_value(x)) return add_part(p, sum, x->args[0], other, factor, true);
    if (tirbi_is_arithmetic(x)) {
        const bool known = !ends || tirbi_is_exact(x, NULL), is_product = x->op == TIRB_OP_MUL;
        if (is_product && known && x->args[1]->kind == TIRBI_LX_CONST &&
            !__builtin_mul_overflow(x->args[1]->value, factor, &scaled))
            return add_part(p, sum, x->args[0], other, scaled, false);
        if (!is_product && known && factor != INT64_MIN)
            return add_part(p, sum, x->args[0], other, factor, false) &&
                   add_part(p, sum, x->args[1], other, x->op == TIRB_OP_SUB ? -factor : factor, false);
        return (ends || tirbi_is_exact(x, NULL)) && add_atom(p, sum, x, other, factor);
    }
    const bool remains = x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_MOD || x->op == TIRB_OP_FLOORMOD);
    if (p->modulo && remains && x->type != TIRB_U64 && tirbi_dtype_is_int((tirbi_dtype)x->type) &&
        x->args[1]->kind == TIRBI_LX_CONST && x->args[1]->value != 0 &&
        !__builtin_mul_overflow(x->args[1]->value, factor, &scaled)) {
        p->divisor = tirbi_common_divisor(p->divisor, tirbi_magnitude(scaled));
        return add_part(p, sum, x->args[0], other, factor, true);
    }
    return add_atom(p, sum, x, other, factor);
}

/* Adds factor * x, as a whole number. */
static bool add(prover *p, linear *sum, const tirbi_lx *x, bool other, int64_t factor) {
    return add_part(p, sum, x, other, factor, true);
}

/* The least value by what is known of each term alone. */
static bool least(const linear *sum, int64_t *out) {
    *out = sum->constant;
    for (uint32_t i = 0; i < sum->n; i++) {
        const term *t = &sum->terms[i];
        int64_t bound = t->factor > 0 ? t->atom->lo : t->atom->hi, scaled;
        if (__builtin_mul_overflow(t->factor, bound, &scaled) || __builtin_add_overflow(*out, scaled, out))
            return false;
    }
    return true;
}

static bool never_negative(prover *p, const linear *sum);

/* Goes on with term `i` replaced by x + offset, a bound of it. */
static bool with_bound(prover *p, const linear *sum, uint32_t i, const tirbi_lx *x, const tirbi_lx *plus,
                       int64_t offset) {
    if (!x) return false;
    term replaced = sum->terms[i];
    linear next = *sum;
    next.terms[i] = next.terms[--next.n];
    int64_t scaled;
    return add(p, &next, x, replaced.other, replaced.factor) &&
           (!plus || add(p, &next, plus, replaced.other, replaced.factor)) &&
           !__builtin_mul_overflow(offset, replaced.factor, &scaled) &&
           !__builtin_add_overflow(next.constant, scaled, &next.constant) && never_negative(p, &next);
}

static bool bounded(prover *p, const linear *sum, uint32_t i) {
    const tirbi_lx *x = sum->terms[i].atom;
    bool below = sum->terms[i].factor > 0; /* a bound from below makes the sum less */
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

static bool never_negative(prover *p, const linear *sum) {
    int64_t value;
    if (least(sum, &value) && value >= 0) return true;
    if (p->steps++ >= MAX_STEPS) return false;
    for (uint32_t i = 0; i < sum->n; i++) {
        if (bounded(p, sum, i)) return true;
    }
    return false;
}

/* ---- Questions -------------------------------------------------------------------------------------------------- */

bool tirbi_always_below(const tirbi_lx *x, int64_t times, const tirbi_lx *n, int64_t plus) {
    const tirbi_loop_set none = {.n = 0};
    prover p = {.apart = &none};
    linear room = {.constant = plus - 1};
    if (!add(&p, &room, n, false, times) || !add_part(&p, &room, x, false, -1, false)) return false;
    p.parts = 0;
    return never_negative(&p, &room);
}

bool tirbi_never_below(const tirbi_lx *x, int64_t times, const tirbi_lx *n, int64_t plus) {
    const tirbi_loop_set none = {.n = 0};
    prover p = {.apart = &none};
    linear room = {.constant = -plus};
    if (!add_part(&p, &room, x, false, 1, false) || !add(&p, &room, n, false, -times)) return false;
    p.parts = 0;
    return never_negative(&p, &room);
}

/* Without the casts that widen it, an integer that is right modulo 2^bits, whether it is exact or not. */
static const tirbi_lx *modulo_bits(const tirbi_lx *x, unsigned *bits) {
    while (tirbi_keeps_value(x)) x = x->args[0];
    if (tirbi_is_exact(x, NULL)) return x;
    if (tirbi_dtypes[x->type].bits < *bits) *bits = tirbi_dtypes[x->type].bits;
    return x;
}

/* b - a, modulo 2^bits; exactly where `bits` is WHOLE. */
enum { WHOLE = 65 };
static bool subtract(prover *p, linear *out, const tirbi_lx *a, const tirbi_lx *b, unsigned *bits) {
    *bits = WHOLE;
    a = modulo_bits(a, bits);
    b = modulo_bits(b, bits);
    return add_part(p, out, b, true, 1, false) && add_part(p, out, a, false, -1, false);
}

/* Whether a sum is at most 2^bits - 1 by what is known of each term alone. */
static bool is_at_most(const linear *sum, unsigned bits) {
    uint64_t most = sum->constant > 0 ? (uint64_t)sum->constant : 0, scaled;
    if (bits == WHOLE) return true;
    for (uint32_t i = 0; i < sum->n; i++) {
        const term *t = &sum->terms[i];
        const int64_t bound = t->factor > 0 ? t->atom->hi : t->atom->lo;
        if ((t->factor > 0) != (bound > 0)) continue;
        if (__builtin_mul_overflow(tirbi_magnitude(t->factor), tirbi_magnitude(bound), &scaled) ||
            __builtin_add_overflow(most, scaled, &most))
            return false;
    }
    return most <= UINT64_MAX >> (64 - bits);
}

/* Whether b - a is from 1 to 2^bits - 1: then the two are not equal modulo 2^bits either. */
static bool is_ahead(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart) {
    prover p = {.apart = apart};
    linear difference = {0};
    unsigned bits;
    if (!subtract(&p, &difference, a, b, &bits) || !is_at_most(&difference, bits) ||
        __builtin_sub_overflow(difference.constant, 1, &difference.constant))
        return false;
    p.parts = 0;
    return never_negative(&p, &difference);
}

/* b - a is never a multiple of what divides all of it but a constant: 2 * i and 2 * j + 1, t % 2 and (t + 1) % 2. */
static bool never_congruent(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart) {
    prover p = {.apart = apart, .modulo = true};
    linear difference = {0};
    unsigned bits;
    if (!subtract(&p, &difference, a, b, &bits)) return false;
    for (uint32_t i = 0; i < difference.n; i++) {
        p.divisor = tirbi_common_divisor(p.divisor, tirbi_magnitude(difference.terms[i].factor));
    }
    if (bits == WHOLE) {
        return p.divisor ? tirbi_magnitude(difference.constant) % p.divisor != 0 : difference.constant != 0;
    }
    /* What divides 2^bits as well; that itself where nothing but the constant is left. */
    p.divisor &= 0 - p.divisor;
    if (p.divisor == 0 || (bits < 64 && p.divisor > UINT64_C(1) << bits)) {
        return (uint64_t)difference.constant << (64 - bits) != 0;
    }
    return ((uint64_t)difference.constant & (p.divisor - 1)) != 0;
}

bool tirbi_keeps_ahead(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart) {
    return is_ahead(a, b, apart) || is_ahead(b, a, apart);
}

bool tirbi_never_equal(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart) {
    return tirbi_keeps_ahead(a, b, apart) || never_congruent(a, b, apart);
}
