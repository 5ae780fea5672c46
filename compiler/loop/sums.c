#include "compiler/loop/sums.h"

#include "loader/base/checked.h"
#include "loader/base/divisor.h"

enum { PROOF_DEPTH = 32, MAX_PARTS = 2000 };

typedef struct reader {
    const tirbi_sum_rules *rules;
    tirbi_sum *sum;
    uint32_t parts;
} reader;

/* A variable may be known to lie in a narrower range where one of its nodes stands. */
static bool same_term(const tirbi_lx *a, const tirbi_lx *b) {
    return a == b || (a->kind == TIRBI_LX_VAR && b->kind == TIRBI_LX_VAR && a->var == b->var && a->pure);
}

void tirbi_sum_remove(tirbi_sum *sum, uint32_t i) {
    const uint32_t below = (UINT32_C(1) << i) - 1;
    sum->elsewhere = (sum->elsewhere & below) | (sum->elsewhere >> 1 & ~below);
    for (sum->n--; i < sum->n; i++) {
        sum->term[i] = sum->term[i + 1];
        sum->factor[i] = sum->factor[i + 1];
    }
}

static bool add_term(tirbi_sum *sum, const tirbi_lx *term, bool elsewhere, int64_t factor) {
    uint32_t i = 0;
    while (i < sum->n && ((sum->elsewhere >> i & 1) != elsewhere || !same_term(sum->term[i], term))) i++;
    if (factor == 0) return true;
    if (i == TIRBI_SUM_TERMS) return false;
    if (i == sum->n) {
        sum->elsewhere = (sum->elsewhere & ((UINT32_C(1) << i) - 1)) | (uint32_t)elsewhere << i;
        sum->term[sum->n++] = term;
        sum->factor[i] = 0;
    }
    if (!tirbi_add_i64(sum->factor[i], factor, &sum->factor[i])) return false;
    if (sum->factor[i] != 0) return true;
    sum->cancels = true;
    tirbi_sum_remove(sum, i);
    return true;
}

/* Whether another iteration of the loops may have another value of x. Memory may have changed by then, and variables
 * that are set in the loops have others there. */
static bool varies(const tirbi_lx *x, const tirbi_loop_set *apart) {
    if (x->kind == TIRBI_LX_LOAD) return true;
    if (x->kind == TIRBI_LX_VAR && (x->var->kind == TIRBI_LVAR_LET || x->var->kind == TIRBI_LVAR_LOCAL)) return true;
    for (int i = 0; i < x->n_args; i++)
        if (varies(x->args[i], apart)) return true;
    return tirbi_mentions_loops(x, apart);
}

static bool add_whole(const reader *r, const tirbi_lx *x, int64_t factor) {
    return add_term(r->sum, x, r->rules->apart && varies(x, r->rules->apart), factor);
}

/* An extent is not negative where its buffer is: a sum that is too large for 32 bits would be. */
static bool is_exact_extent(const tirbi_lx *x) {
    return x->op == TIRB_OP_ADD && x->optype == TIRB_I32 && x->args[0]->lo >= 0 && x->args[1]->lo >= 0;
}

/* Where an expression that is added ends, or not: it is an operand of arithmetic that is exact. */
typedef enum border { BORDER_VALUE, BORDER_EXTENT, BORDER_NONE } border;

/* The divisor of a remainder that counts as its numerator; 0: it is none. */
static int64_t divisor_of(const reader *r, const tirbi_lx *x) {
    const bool remains = x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_MOD || x->op == TIRB_OP_FLOORMOD);
    return r->rules->divisor && remains && x->type != TIRB_U64 && tirbi_dtype_is_int((tirbi_dtype)x->type) &&
                   x->args[1]->kind == TIRBI_LX_CONST
               ? x->args[1]->value
               : 0;
}

/* Adds factor * x. */
static bool add(reader *r, const tirbi_lx *x, int64_t factor, border at, unsigned depth) {
    int64_t v = 0;
    if (depth == 0 || r->parts++ == MAX_PARTS) return false;
    if (x->kind == TIRBI_LX_CONST)
        return tirbi_mul_i64(factor, x->value, &v) && tirbi_add_i64(r->sum->constant, v, &r->sum->constant);
    if (tirbi_keeps_value(x)) return add(r, x->args[0], factor, at == BORDER_EXTENT ? at : BORDER_VALUE, depth - 1);
    const int64_t divisor = divisor_of(r, x);
    if (divisor != 0 && tirbi_mul_i64(divisor, factor, &v)) {
        *r->rules->divisor = tirbi_common_divisor(*r->rules->divisor, tirbi_magnitude(v));
        return add(r, x->args[0], factor, BORDER_VALUE, depth - 1);
    }
    if (!tirbi_is_arithmetic(x)) return add_whole(r, x, factor);
    if (at == BORDER_EXTENT && is_exact_extent(x))
        return add(r, x->args[0], factor, BORDER_VALUE, depth - 1) &&
               add(r, x->args[1], factor, BORDER_VALUE, depth - 1);
    const bool scaled = x->op == TIRB_OP_MUL;
    if (scaled && (x->args[1]->kind != TIRBI_LX_CONST || !tirbi_mul_i64(factor, x->args[1]->value, &v)))
        return (at != BORDER_NONE || r->rules->wraps || tirbi_is_exact(x, NULL)) && add_whole(r, x, factor);
    if (factor == INT64_MIN) return false;
    if (at != BORDER_NONE && !tirbi_is_exact(x, NULL)) return add_whole(r, x, factor);
    if (scaled) return add(r, x->args[0], v, BORDER_NONE, depth - 1);
    return add(r, x->args[0], factor, BORDER_NONE, depth - 1) &&
           add(r, x->args[1], x->op == TIRB_OP_ADD ? factor : -factor, BORDER_NONE, depth - 1);
}

bool tirbi_sum_by(const tirbi_sum_rules *rules, tirbi_sum *sum, const tirbi_lx *x, int64_t factor) {
    return add(&(reader){rules, sum, 0}, x, factor, rules->judged ? BORDER_NONE : BORDER_VALUE, PROOF_DEPTH);
}

bool tirbi_sum_of(tirbi_sum *sum, const tirbi_lx *x, int64_t factor) {
    return tirbi_sum_by(&(tirbi_sum_rules){.apart = NULL}, sum, x, factor);
}

bool tirbi_sum_add(tirbi_sum *sum, const tirbi_sum *other, int64_t factor) {
    int64_t v;
    if (!tirbi_mul_i64(other->constant, factor, &v) || !tirbi_add_i64(sum->constant, v, &sum->constant)) return false;
    for (uint32_t i = 0; i < other->n; i++) {
        const bool elsewhere = other->elsewhere >> i & 1;
        if (!tirbi_mul_i64(other->factor[i], factor, &v) || !add_term(sum, other->term[i], elsewhere, v)) return false;
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

bool tirbi_sum_least(const tirbi_sum *sum, int64_t *least) {
    *least = sum->constant;
    for (uint32_t i = 0; i < sum->n; i++) {
        const int64_t f = sum->factor[i];
        int64_t v;
        if (!tirbi_mul_i64(f, f > 0 ? sum->term[i]->lo : sum->term[i]->hi, &v) || !tirbi_add_i64(*least, v, least))
            return false;
    }
    return true;
}

bool tirbi_is_below(const tirbi_lx *index, const tirbi_lbuf *buffer, uint32_t dimension) {
    const tirbi_sum_rules rules = {.apart = NULL};
    tirbi_sum d = {.constant = -1};
    const border end = tirbi_has_whole_extents(buffer) ? BORDER_EXTENT : BORDER_VALUE;
    int64_t least;
    return add(&(reader){&rules, &d, 0}, buffer->shape[dimension], 1, end, PROOF_DEPTH) &&
           tirbi_sum_of(&d, index, -1) && tirbi_sum_least(&d, &least) && least >= 0;
}

bool tirbi_constant_difference(const tirbi_lx *a, const tirbi_lx *b, int64_t *difference) {
    tirbi_sum d = {.constant = 0};
    if (!tirbi_sum_of(&d, a, 1) || !tirbi_sum_of(&d, b, -1) || d.n > 0) return false;
    *difference = d.constant;
    return true;
}

bool tirbi_wrapped_difference(const tirbi_lx *a, const tirbi_lx *b, int64_t *difference) {
    const tirbi_sum_rules wrapped = {.judged = true, .wraps = true};
    tirbi_sum d = {.constant = 0};
    if (a->type != b->type || tirbi_dtypes[a->type].bits != 64 || !tirbi_sum_by(&wrapped, &d, a, 1) ||
        !tirbi_sum_by(&wrapped, &d, b, -1) || d.n > 0)
        return false;
    *difference = d.constant;
    return true;
}

static uint64_t divides(const tirbi_lx *x, uint32_t *parts) {
    if (x->kind == TIRBI_LX_CONST) return tirbi_magnitude(x->value);
    if (*parts == 0) return 1;
    --*parts;
    if (tirbi_keeps_value(x)) return divides(x->args[0], parts);
    if (!tirbi_is_arithmetic(x)) return 1;
    const uint64_t a = divides(x->args[0], parts), b = divides(x->args[1], parts);
    const unsigned bits = tirbi_dtypes[x->type].bits;
    uint64_t both = a;
    if (x->op != TIRB_OP_MUL)
        both = tirbi_common_divisor(a, b);
    else if (__builtin_mul_overflow(a, b, &both))
        both = a;
    if (tirbi_is_exact(x, NULL)) return both;
    both &= 0 - both; /* of what may wrap, what divides 2^bits as well */
    return bits == 64 || both >> bits == 0 ? both : 0;
}

uint64_t tirbi_divisor_of(const tirbi_lx *x) {
    uint32_t parts = PROOF_DEPTH;
    return divides(x, &parts);
}
