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
    bool in_numerator; /* what wraps there does not end outside of a buffer */
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

/* A cast that keeps every value. */
static bool widens(const tirbi_lx *x) {
    tirbi_dtype to = (tirbi_dtype)x->type, from = (tirbi_dtype)x->source;
    return tirbi_dtype_is_int(to) && tirbi_dtype_is_int(from) && tirbi_dtypes[to].bits > tirbi_dtypes[from].bits &&
           (tirbi_dtype_is_signed(to) || x->args[0]->lo >= 0);
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

static bool add(prover *p, linear *sum, const tirbi_lx *x, bool other, int64_t factor);

/* Adds factor * x, whose remainder is that up to multiples of `divisor`. */
static bool add_numerator(prover *p, linear *sum, const tirbi_lx *x, bool other, int64_t factor, int64_t divisor) {
    bool outside = !p->in_numerator;
    p->divisor = tirbi_common_divisor(p->divisor, tirbi_magnitude(divisor));
    p->in_numerator = true;
    bool added = add(p, sum, x, other, factor);
    if (outside) p->in_numerator = false;
    return added;
}

/* Adds factor * x. Arithmetic that may wrap, and what is not linear, is one atom. */
static bool add(prover *p, linear *sum, const tirbi_lx *x, bool other, int64_t factor) {
    int64_t scaled;
    if (!x || !x->pure || p->parts++ == MAX_PARTS) return false;
    if (x->kind == TIRBI_LX_CONST) {
        return !__builtin_mul_overflow(x->value, factor, &scaled) &&
               !__builtin_add_overflow(sum->constant, scaled, &sum->constant);
    }
    if (x->kind == TIRBI_LX_OP && tirbi_affine_exact(x) && !(p->in_numerator && tirbi_full_range(x))) {
        switch (x->op) {
        case TIRB_OP_CAST:
            if (!widens(x)) break;
            return add(p, sum, x->args[0], other, factor);
        case TIRB_OP_ADD: return add(p, sum, x->args[0], other, factor) && add(p, sum, x->args[1], other, factor);
        case TIRB_OP_SUB:
            return factor != INT64_MIN && add(p, sum, x->args[0], other, factor) &&
                   add(p, sum, x->args[1], other, -factor);
        case TIRB_OP_MUL:
            if (x->args[1]->kind != TIRBI_LX_CONST || __builtin_mul_overflow(x->args[1]->value, factor, &scaled)) break;
            return add(p, sum, x->args[0], other, scaled);
        case TIRB_OP_MOD:
        case TIRB_OP_FLOORMOD:
            if (!p->modulo || x->args[1]->kind != TIRBI_LX_CONST || x->args[1]->value == 0 ||
                __builtin_mul_overflow(x->args[1]->value, factor, &scaled)) {
                break;
            }
            return add_numerator(p, sum, x->args[0], other, factor, scaled);
        default: break;
        }
    }
    return add_term(sum, x, other && varies(x, p->apart), factor);
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

bool tirbi_always_less(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart) {
    prover p = {.apart = apart};
    linear difference = {.constant = -1};
    if (!a || !b || !add(&p, &difference, b, true, 1) || !add(&p, &difference, a, false, -1)) return false;
    p.parts = 0;
    return never_negative(&p, &difference);
}

/* b - a is never a multiple of what divides all of it but a constant: 2 * i and 2 * j + 1, t % 2 and (t + 1) % 2. */
static bool never_congruent(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart) {
    prover p = {.apart = apart, .modulo = true};
    linear difference = {0};
    if (!add(&p, &difference, b, true, 1) || !add(&p, &difference, a, false, -1)) return false;
    for (uint32_t i = 0; i < difference.n; i++) {
        p.divisor = tirbi_common_divisor(p.divisor, tirbi_magnitude(difference.terms[i].factor));
    }
    return p.divisor ? tirbi_magnitude(difference.constant) % p.divisor != 0 : difference.constant != 0;
}

bool tirbi_never_equal(const tirbi_lx *a, const tirbi_lx *b, const tirbi_loop_set *apart) {
    return tirbi_always_less(a, b, apart) || tirbi_always_less(b, a, apart) || never_congruent(a, b, apart);
}
