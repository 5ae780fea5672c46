#include "compiler/tc/size.h"

#include <string.h>

void tirbi_tc_sizes_init(tirbi_tc_sizes *z, tirbi_arena *arena) { *z = (tirbi_tc_sizes){.arena = arena}; }

static const tirbi_tc_sum *too_large(tirbi_tc_sizes *z) {
    if (!z->failure) z->failure = "is too large";
    return NULL;
}

/* ---- What is known of them: bounds ------------------------------------------------------------------------------ */

static int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

/* Bounds, INT64_MIN and INT64_MAX where there are none; they stick. */
typedef struct bounds {
    int64_t low, high;
} bounds;

static const bounds anything = {INT64_MIN, INT64_MAX};

static int64_t plus(int64_t a, int64_t b, int64_t limit) {
    int64_t sum;
    if (a == limit || b == limit || __builtin_add_overflow(a, b, &sum)) return limit;
    return sum;
}

static int64_t times(int64_t a, int64_t factor) {
    int64_t product;
    if (a == 0 || factor == 0) return 0;
    bool negative = (a < 0) != (factor < 0);
    if (a == INT64_MIN || a == INT64_MAX || __builtin_mul_overflow(a, factor, &product))
        return negative ? INT64_MIN : INT64_MAX;
    return product;
}

static bounds product_bounds(const tirbi_tc_atom *atom) {
    bounds product = {1, 1};
    for (uint32_t i = 0; i < atom->n; i++) {
        bounds factor = {atom->as.factors[i]->low, atom->as.factors[i]->high};
        bool square = i + 1 < atom->n && atom->as.factors[i] == atom->as.factors[i + 1];
        if (square) {
            i++;
            int64_t most = factor.low < 0 && -(factor.low + 1) >= factor.high ? factor.low : factor.high;
            factor = (bounds){0, most == INT64_MIN || most == INT64_MAX ? INT64_MAX : times(most, most)};
        }
        if (product.low < 0 || factor.low < 0) return anything;
        product = (bounds){times(product.low, factor.low),
                           factor.high == INT64_MAX && product.high > 0 ? INT64_MAX : times(product.high, factor.high)};
    }
    return product;
}

static bounds sum_bounds(const tirbi_tc_sum *a) {
    bounds sum = {a->constant, a->constant};
    for (uint32_t i = 0; i < a->n; i++) {
        bounds atom = {a->terms[i].atom->low, a->terms[i].atom->high};
        int64_t factor = a->terms[i].factor;
        sum.low = plus(sum.low, times(factor > 0 ? atom.low : atom.high, factor), INT64_MIN);
        sum.high = plus(sum.high, times(factor > 0 ? atom.high : atom.low, factor), INT64_MAX);
    }
    return sum;
}

static bounds bounds_of_type(tirb_datatype type) {
    if (type.bits >= 64) return anything;
    const int64_t count = INT64_C(1) << type.bits;
    return type.code == TIRB_CODE_UINT ? (bounds){0, count - 1} : (bounds){-count / 2, count / 2 - 1};
}

static bounds atom_bounds(const tirbi_tc_atom *atom) {
    bounds a, b;
    switch (atom->kind) {
    case TIRBI_TC_ATOM_VAR:
        if (atom->is_size) return (bounds){0, INT32_MAX};
        return bounds_of_type(atom->var->dtype);
    case TIRBI_TC_ATOM_PRODUCT:
        return product_bounds(atom);
    case TIRBI_TC_ATOM_DIV:
        a = sum_bounds(atom->as.args[0]);
        b = sum_bounds(atom->as.args[1]);
        if (b.low < 1) { /* by at least 1, as is required */
            return (bounds){a.low < 0 ? a.low : 0, a.high > 0 ? a.high : 0};
        }
        if (a.low != INT64_MIN) a.low = floor_quotient(a.low, a.low < 0 ? b.low : b.high);
        if (a.high != INT64_MAX) a.high = floor_quotient(a.high, a.high < 0 ? b.high : b.low);
        return a;
    case TIRBI_TC_ATOM_MOD:
        b = sum_bounds(atom->as.args[1]);
        return b.low >= 0 ? (bounds){0, plus(b.high, -1, INT64_MAX)} : anything;
    default:
        a = sum_bounds(atom->as.args[0]);
        for (uint32_t i = 1; i < atom->n; i++) {
            b = sum_bounds(atom->as.args[i]);
            bool least = atom->kind == TIRBI_TC_ATOM_MIN;
            if (least ? b.low < a.low : b.low > a.low) a.low = b.low;
            if (least ? b.high < a.high : b.high > a.high) a.high = b.high;
        }
        return a;
    }
}

/* Sizes of a few more than int32 has room for are not had in mind. */
bool tirbi_tc_fits_int32(const tirbi_tc_sum *a) {
    enum { SLACK = 1 << 20 };
    bounds b = sum_bounds(a);
    for (uint32_t i = 0; i < a->n; i++)
        if (!a->terms[i].atom->fits_int32) return false;
    return b.low >= (int64_t)INT32_MIN - SLACK && b.high <= (int64_t)INT32_MAX + SLACK;
}

static bool atom_fits(const tirbi_tc_atom *atom) {
    bool is_sums = atom->kind != TIRBI_TC_ATOM_VAR && atom->kind != TIRBI_TC_ATOM_PRODUCT;
    for (uint32_t i = 0; is_sums && i < atom->n; i++)
        if (!tirbi_tc_fits_int32(atom->as.args[i])) return false;
    return atom->low >= INT32_MIN && atom->high <= INT32_MAX;
}

/* ---- One of each ------------------------------------------------------------------------------------------------ */

static const tirbi_tc_sum *make_sum(tirbi_tc_sizes *z, int64_t constant, const tirbi_tc_term *terms, uint32_t n) {
    uint32_t probe = 0, number, hash = tirbi_text_hash(z, (const char *)&constant, sizeof constant);
    for (uint32_t i = 0; i < n; i++) {
        hash ^= tirbi_text_hash(z, (const char *)&terms[i].factor, sizeof terms[i].factor);
        hash = hash * 31 + terms[i].atom->id;
    }
    const tirbi_tc_sum **sums = z->sums.items;
    while ((number = tirbi_index_next(&z->sum_index, hash, &probe)) > 0) {
        const tirbi_tc_sum *s = sums[number - 1];
        bool same = s->constant == constant && s->n == n;
        for (uint32_t i = 0; same && i < n; i++)
            same = s->terms[i].atom == terms[i].atom && s->terms[i].factor == terms[i].factor;
        if (same) return s;
    }
    if (z->sums.n >= TIRBI_TC_MAX_SUMS) return too_large(z);
    tirbi_tc_sum *s = TIRBI_NEW(z->arena, tirbi_tc_sum);
    tirbi_tc_term *copy = TIRBI_NEW_ARRAY(z->arena, tirbi_tc_term, n);
    const tirbi_tc_sum **slot = TIRBI_LIST_ADD(z->arena, &z->sums, const tirbi_tc_sum *);
    if (!s || !copy || !slot || !tirbi_index_add(&z->sum_index, z->arena, hash, z->sums.n - 1)) return NULL;
    for (uint32_t i = 0; i < n; i++) copy[i] = terms[i];
    *s = (tirbi_tc_sum){.constant = constant, .n = n, .terms = copy};
    return *slot = s;
}

static bool same_atom(const tirbi_tc_atom *a, const tirbi_tc_atom *b) {
    if (a->kind != b->kind || a->var != b->var || a->n != b->n) return false;
    if (a->kind == TIRBI_TC_ATOM_PRODUCT)
        return memcmp(a->as.factors, b->as.factors, a->n * sizeof(const tirbi_tc_atom *)) == 0;
    return a->n == 0 || memcmp(a->as.args, b->as.args, a->n * sizeof(const tirbi_tc_sum *)) == 0;
}

static uint32_t depth_of(const tirbi_tc_sum *a) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].atom->depth > depth) depth = a->terms[i].atom->depth;
    return depth;
}

/* The atom, whose arrays are kept, as a sum. */
static const tirbi_tc_sum *make_atom(tirbi_tc_sizes *z, tirbi_tc_atom wanted) {
    uint32_t probe = 0, number, hash = tirbi_text_hash(z, (const char *)&wanted.var, sizeof wanted.var) + wanted.kind;
    for (uint32_t i = 0; i < wanted.n; i++) {
        uintptr_t place =
            wanted.kind == TIRBI_TC_ATOM_PRODUCT ? (uintptr_t)wanted.as.factors[i] : (uintptr_t)wanted.as.args[i];
        hash = hash * 31 + tirbi_text_hash(z, (const char *)&place, sizeof place);
    }
    const tirbi_tc_atom *found = NULL, **atoms = z->atoms.items;
    while (!found && (number = tirbi_index_next(&z->atom_index, hash, &probe)) > 0)
        if (same_atom(atoms[number - 1], &wanted)) found = atoms[number - 1];
    if (!found) {
        for (uint32_t i = 0; i < wanted.n; i++) {
            uint32_t depth =
                wanted.kind == TIRBI_TC_ATOM_PRODUCT ? wanted.as.factors[i]->depth : depth_of(wanted.as.args[i]);
            if (depth + 1 > wanted.depth) wanted.depth = depth + 1;
        }
        if (wanted.depth > TIRBI_TC_MAX_TERMS) return too_large(z);
        tirbi_tc_atom *atom = TIRBI_NEW(z->arena, tirbi_tc_atom);
        const tirbi_tc_atom **slot = TIRBI_LIST_ADD(z->arena, &z->atoms, const tirbi_tc_atom *);
        if (!atom || !slot || !tirbi_index_add(&z->atom_index, z->arena, hash, z->atoms.n - 1)) return NULL;
        *atom = wanted;
        atom->id = z->atoms.n - 1;
        bounds b = atom_bounds(atom);
        atom->low = b.low;
        atom->high = b.high;
        atom->fits_int32 = atom_fits(atom);
        found = *slot = atom;
    }
    return make_sum(z, 0, &(tirbi_tc_term){found, 1}, 1);
}

const tirbi_tc_sum *tirbi_tc_constant(tirbi_tc_sizes *z, int64_t value) { return make_sum(z, value, NULL, 0); }

const tirbi_tc_sum *tirbi_tc_variable(tirbi_tc_sizes *z, const tirb_expr *var, bool is_size) {
    return make_atom(z, (tirbi_tc_atom){.kind = TIRBI_TC_ATOM_VAR, .var = var, .is_size = is_size});
}

/* ---- Sums and products ------------------------------------------------------------------------------------------ */

/* a + b * factor. */
static const tirbi_tc_sum *add_scaled(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b, int64_t factor) {
    tirbi_tc_term terms[2 * TIRBI_TC_MAX_TERMS] = {{0}};
    uint32_t n = 0, i = 0, j = 0;
    int64_t constant, product;
    if (!a || !b || !tirbi_arena_work(z->arena, a->n + b->n + 1)) return NULL;
    if (__builtin_mul_overflow(b->constant, factor, &product) ||
        __builtin_add_overflow(a->constant, product, &constant))
        return too_large(z);
    while (i < a->n || j < b->n) {
        bool from_a = j == b->n || (i < a->n && a->terms[i].atom->id <= b->terms[j].atom->id);
        bool from_b = i == a->n || (j < b->n && b->terms[j].atom->id <= a->terms[i].atom->id);
        tirbi_tc_term term = {from_a ? a->terms[i].atom : b->terms[j].atom, from_a ? a->terms[i].factor : 0};
        if (from_b && (__builtin_mul_overflow(b->terms[j].factor, factor, &product) ||
                       __builtin_add_overflow(term.factor, product, &term.factor)))
            return too_large(z);
        i += from_a;
        j += from_b;
        if (term.factor != 0) terms[n++] = term;
    }
    return n > TIRBI_TC_MAX_TERMS ? too_large(z) : make_sum(z, constant, terms, n);
}

const tirbi_tc_sum *tirbi_tc_add(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b) {
    return add_scaled(z, a, b, 1);
}

const tirbi_tc_sum *tirbi_tc_sub(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b) {
    return add_scaled(z, a, b, -1);
}

const tirbi_tc_sum *tirbi_tc_scale(tirbi_tc_sizes *z, const tirbi_tc_sum *a, int64_t factor) {
    return add_scaled(z, tirbi_tc_constant(z, 0), a, factor);
}

const tirbi_tc_sum *tirbi_tc_add_constant(tirbi_tc_sizes *z, const tirbi_tc_sum *a, int64_t value) {
    return add_scaled(z, a, tirbi_tc_constant(z, value), 1);
}

const tirbi_tc_sum *tirbi_tc_without(tirbi_tc_sizes *z, const tirbi_tc_sum *a, uint32_t at) {
    return a ? add_scaled(z, a, make_sum(z, 0, &a->terms[at], 1), -1) : NULL;
}

static void add_factors(const tirbi_tc_atom *a, const tirbi_tc_atom **factors, uint32_t *n) {
    const tirbi_tc_atom *const *from = a->kind == TIRBI_TC_ATOM_PRODUCT ? a->as.factors : &a;
    const uint32_t n_from = a->kind == TIRBI_TC_ATOM_PRODUCT ? a->n : 1;
    for (uint32_t i = 0; i < n_from; i++) {
        uint32_t at = (*n)++;
        for (; at > 0 && factors[at - 1]->id > from[i]->id; at--) factors[at] = factors[at - 1];
        factors[at] = from[i];
    }
}

static const tirbi_tc_sum *multiply_atoms(tirbi_tc_sizes *z, const tirbi_tc_atom *a, const tirbi_tc_atom *b) {
    const tirbi_tc_atom **factors = TIRBI_NEW_ARRAY(z->arena, const tirbi_tc_atom *, 2 * TIRBI_TC_MAX_TERMS);
    uint32_t n = 0;
    if (!factors) return NULL;
    add_factors(a, factors, &n);
    add_factors(b, factors, &n);
    if (n > TIRBI_TC_MAX_TERMS) return too_large(z);
    return make_atom(z, (tirbi_tc_atom){.kind = TIRBI_TC_ATOM_PRODUCT, .as.factors = factors, .n = n});
}

const tirbi_tc_sum *tirbi_tc_mul(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b) {
    if (!a || !b) return NULL;
    if (b->n == 0) return tirbi_tc_scale(z, a, b->constant);
    const tirbi_tc_sum *product = tirbi_tc_scale(z, b, a->constant);
    for (uint32_t i = 0; product && i < a->n; i++) {
        const tirbi_tc_sum *atom = make_sum(z, 0, &(tirbi_tc_term){a->terms[i].atom, 1}, 1);
        int64_t factor;
        if (__builtin_mul_overflow(a->terms[i].factor, b->constant, &factor)) return too_large(z);
        product = atom ? add_scaled(z, product, atom, factor) : NULL;
        for (uint32_t j = 0; product && j < b->n; j++) {
            const tirbi_tc_sum *pair = multiply_atoms(z, a->terms[i].atom, b->terms[j].atom);
            if (__builtin_mul_overflow(a->terms[i].factor, b->terms[j].factor, &factor)) return too_large(z);
            product = add_scaled(z, product, pair, factor);
        }
    }
    return product;
}

/* ---- Quotients -------------------------------------------------------------------------------------------------- */

static int64_t gcd(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static const tirbi_tc_sum *make_pair(tirbi_tc_sizes *z, tirbi_tc_atom_kind kind, const tirbi_tc_sum *a,
                                     const tirbi_tc_sum *b) {
    const tirbi_tc_sum **args = TIRBI_NEW_ARRAY(z->arena, const tirbi_tc_sum *, 2);
    if (!args || !a || !b) return NULL;
    args[0] = a;
    args[1] = b;
    return make_atom(z, (tirbi_tc_atom){.kind = kind, .as.args = args, .n = 2});
}

/* By a positive constant: what is a multiple of it comes out, a common divisor goes, and a quotient of a quotient is
 * one. */
static const tirbi_tc_sum *divide_by(tirbi_tc_sizes *z, const tirbi_tc_sum *a, int64_t d) {
    tirbi_tc_term whole[TIRBI_TC_MAX_TERMS] = {{0}}, rest[TIRBI_TC_MAX_TERMS] = {{0}};
    uint32_t n_whole = 0, n_rest = 0;
    int64_t quotient = floor_quotient(a->constant, d), constant = a->constant - quotient * d, common = d;
    for (uint32_t i = 0; i < a->n; i++) {
        const tirbi_tc_term term = a->terms[i];
        if (term.factor % d == 0) {
            whole[n_whole++] = (tirbi_tc_term){term.atom, term.factor / d};
        } else {
            rest[n_rest++] = term;
            common = gcd(term.factor, common);
        }
    }
    const tirbi_tc_sum *out = make_sum(z, quotient, whole, n_whole);
    if (n_rest == 0 || !out) return out;
    for (uint32_t i = 0; i < n_rest; i++) rest[i].factor /= common;
    d /= common;
    constant = floor_quotient(constant, common);
    const tirbi_tc_sum *inner = make_sum(z, constant, rest, n_rest);
    if (d == 1 || !inner) return tirbi_tc_add(z, out, inner);
    const tirbi_tc_atom *atom = rest[0].atom;
    int64_t product, scaled;
    if (n_rest == 1 && rest[0].factor == 1 && atom->kind == TIRBI_TC_ATOM_DIV &&
        tirbi_tc_is_constant(atom->as.args[1]) && !__builtin_mul_overflow(atom->as.args[1]->constant, d, &product) &&
        !__builtin_mul_overflow(atom->as.args[1]->constant, constant, &scaled))
        return tirbi_tc_add(z, out, divide_by(z, tirbi_tc_add_constant(z, atom->as.args[0], scaled), product));
    return tirbi_tc_add(z, out, make_pair(z, TIRBI_TC_ATOM_DIV, inner, tirbi_tc_constant(z, d)));
}

const tirbi_tc_sum *tirbi_tc_floordiv(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b) {
    if (!a || !b) return NULL;
    if (b->n > 0)
        return tirbi_tc_is(a, 0) ? a : a == b ? tirbi_tc_constant(z, 1) : make_pair(z, TIRBI_TC_ATOM_DIV, a, b);
    if (b->constant == 0) {
        if (!z->failure) z->failure = "divides by zero";
        return NULL;
    }
    if (b->constant < -INT64_MAX) return too_large(z);
    if (b->constant < 0) a = tirbi_tc_scale(z, a, -1);
    return a ? divide_by(z, a, b->constant < 0 ? -b->constant : b->constant) : NULL;
}

const tirbi_tc_sum *tirbi_tc_ceildiv(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b) {
    if (tirbi_tc_is(a, 0)) return a;
    return tirbi_tc_floordiv(z, tirbi_tc_add(z, a, tirbi_tc_add_constant(z, b, -1)), b);
}

const tirbi_tc_sum *tirbi_tc_floormod(tirbi_tc_sizes *z, const tirbi_tc_sum *a, const tirbi_tc_sum *b) {
    if (!a || !b) return NULL;
    if (b->n > 0) return tirbi_tc_is(a, 0) ? a : make_pair(z, TIRBI_TC_ATOM_MOD, a, b);
    const tirbi_tc_sum *quotient = tirbi_tc_floordiv(z, a, b);
    if (!quotient) return NULL;
    bool divides = true;
    for (uint32_t i = 0; i < a->n; i++) divides = divides && a->terms[i].factor % b->constant == 0;
    return divides ? tirbi_tc_sub(z, a, tirbi_tc_mul(z, quotient, b)) : make_pair(z, TIRBI_TC_ATOM_MOD, a, b);
}

/* ---- Minima and maxima ------------------------------------------------------------------------------------------ */

typedef struct arguments {
    const tirbi_tc_sum *items[2 * TIRBI_TC_MAX_TERMS + 1];
    uint32_t n;
} arguments;

/* Whether `a` makes `b` needless beside it. */
static bool covers(tirbi_tc_sizes *z, tirbi_tc_atom_kind kind, const tirbi_tc_sum *a, const tirbi_tc_sum *b) {
    const tirbi_tc_sum *difference = kind == TIRBI_TC_ATOM_MIN ? tirbi_tc_sub(z, b, a) : tirbi_tc_sub(z, a, b);
    return difference && tirbi_tc_is_never_negative(z, difference);
}

static void add_argument(tirbi_tc_sizes *z, tirbi_tc_atom_kind kind, arguments *args, const tirbi_tc_sum *a) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < args->n; i++)
        if (covers(z, kind, args->items[i], a)) return;
    for (uint32_t i = 0; i < args->n; i++)
        if (!covers(z, kind, a, args->items[i])) args->items[kept++] = args->items[i];
    args->items[kept++] = a;
    args->n = kept;
}

/* A minimum plus a constant is the minimum of as many sums. */
static void add_arguments(tirbi_tc_sizes *z, tirbi_tc_atom_kind kind, arguments *args, const tirbi_tc_sum *a) {
    bool is_one = a->n == 1 && a->terms[0].factor == 1 && a->terms[0].atom->kind == kind;
    for (uint32_t i = 0; is_one && i < a->terms[0].atom->n; i++) {
        const tirbi_tc_sum *part = tirbi_tc_add_constant(z, a->terms[0].atom->as.args[i], a->constant);
        if (part) add_argument(z, kind, args, part);
    }
    if (!is_one) add_argument(z, kind, args, a);
}

/* Whether it has terms, and all of them are taken away. */
static bool is_below(const tirbi_tc_sum *a) {
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].factor > 0) return false;
    return a->n > 0;
}

const tirbi_tc_sum *tirbi_tc_extreme(tirbi_tc_sizes *z, tirbi_tc_atom_kind kind, const tirbi_tc_sum *a,
                                     const tirbi_tc_sum *b) {
    arguments args = {.n = 0};
    if (!a || !b) return NULL;
    if ((is_below(a) && (is_below(b) || b->n == 0)) ||
        (is_below(b) && a->n == 0)) /* max(20 - N, 0) is 20 - min(N, 20) */
        return tirbi_tc_scale(z,
                              tirbi_tc_extreme(z, kind == TIRBI_TC_ATOM_MIN ? TIRBI_TC_ATOM_MAX : TIRBI_TC_ATOM_MIN,
                                               tirbi_tc_scale(z, a, -1), tirbi_tc_scale(z, b, -1)),
                              -1);
    add_arguments(z, kind, &args, a);
    add_arguments(z, kind, &args, b);
    if (z->failure || z->arena->failed) return NULL;
    if (args.n == 1) return args.items[0];
    if (args.n > TIRBI_TC_MAX_TERMS) return too_large(z);
    const tirbi_tc_sum **kept = TIRBI_NEW_ARRAY(z->arena, const tirbi_tc_sum *, args.n);
    if (!kept) return NULL;
    int64_t constant = 0; /* of the first argument that has a term: H - 1 and W - 1 are H and W, less 1 */
    for (uint32_t i = args.n; i > 0; i--)
        if (args.items[i - 1]->n > 0) constant = args.items[i - 1]->constant;
    if (constant == INT64_MIN) return too_large(z);
    for (uint32_t i = 0; i < args.n; i++)
        if (!(kept[i] = tirbi_tc_add_constant(z, args.items[i], -constant))) return NULL;
    const tirbi_tc_sum *atom = make_atom(z, (tirbi_tc_atom){.kind = kind, .as.args = kept, .n = args.n});
    return tirbi_tc_add_constant(z, atom, constant);
}

/* ---- What is known of them: proofs ------------------------------------------------------------------------------ */

/* a with the term of atom number `at` replaced by `by` times the term's factor. */
static const tirbi_tc_sum *replace(tirbi_tc_sizes *z, const tirbi_tc_sum *a, uint32_t at, const tirbi_tc_sum *by) {
    return add_scaled(z, tirbi_tc_without(z, a, at), by, a->terms[at].factor);
}

static bool follows_from_fact(tirbi_tc_sizes *z, const tirbi_tc_sum *a) {
    for (uint32_t i = 0; i < z->facts.n && z->n_left > 0; i++, z->n_left--) {
        const tirbi_tc_sum *difference = add_scaled(z, a, ((const tirbi_tc_sum **)z->facts.items)[i], -1);
        if (difference && sum_bounds(difference).low >= 0) return true;
    }
    return false;
}

/* A minimum is each of its arguments at most, and one of them; k * (a // d) is at least k * (a - d + 1) / d. */
static bool prove(tirbi_tc_sizes *z, const tirbi_tc_sum *a, uint32_t depth) {
    if (!a || z->n_left == 0 || !tirbi_arena_work(z->arena, 4)) return false;
    z->n_left--;
    if (sum_bounds(a).low >= 0) return true;
    if (a->n == 0 || depth == 0) return false;
    if (follows_from_fact(z, a)) return true;
    for (uint32_t i = 0; i < a->n; i++) {
        const tirbi_tc_atom *atom = a->terms[i].atom;
        const int64_t factor = a->terms[i].factor;
        if (atom->kind == TIRBI_TC_ATOM_MIN || atom->kind == TIRBI_TC_ATOM_MAX) {
            bool every = (atom->kind == TIRBI_TC_ATOM_MIN) == (factor > 0), proven = every;
            for (uint32_t k = 0; k < atom->n && proven == every; k++)
                proven = prove(z, replace(z, a, i, atom->as.args[k]), depth - 1);
            return proven;
        }
    }
    for (uint32_t i = 0; i < a->n; i++) {
        const tirbi_tc_atom *atom = a->terms[i].atom;
        if (atom->kind != TIRBI_TC_ATOM_DIV || !tirbi_tc_is_constant(atom->as.args[1])) continue;
        const int64_t d = atom->as.args[1]->constant, factor = a->terms[i].factor;
        const tirbi_tc_sum *others = tirbi_tc_scale(z, tirbi_tc_without(z, a, i), d);
        const tirbi_tc_sum *numerator = tirbi_tc_add_constant(z, atom->as.args[0], factor > 0 ? 1 - d : 0);
        return prove(z, add_scaled(z, others, numerator, factor), depth - 1);
    }
    return false;
}

/* A proof that is given up has not failed the sums that are asked for. */
static bool try_to_prove(tirbi_tc_sizes *z, const tirbi_tc_sum *a) {
    const char *failure = z->failure;
    z->n_left = 100;
    bool proven = prove(z, a, 6);
    z->failure = failure;
    return proven;
}

bool tirbi_tc_is_never_negative(tirbi_tc_sizes *z, const tirbi_tc_sum *a) { return try_to_prove(z, a); }

bool tirbi_tc_is_negative(tirbi_tc_sizes *z, const tirbi_tc_sum *a) {
    if (!a || a->constant == INT64_MIN) return a && a->n == 0;
    const char *failure = z->failure;
    const tirbi_tc_sum *opposite = tirbi_tc_add_constant(z, tirbi_tc_scale(z, a, -1), -1);
    z->failure = failure;
    return opposite && try_to_prove(z, opposite);
}

/* ---- In the typed AST ------------------------------------------------------------------------------------------- */

typedef struct writer {
    tirbi_builder *b;
    tirbi_span span;
    tirb_datatype type;
    uint32_t *n_nodes;
} writer;

static const tirb_expr *write_sum(const writer *w, const tirbi_tc_sum *a);

static const tirb_expr *write_pair(const writer *w, tirb_expr_kind kind, const tirb_expr *x, const tirb_expr *y) {
    ++*w->n_nodes;
    return x && y ? tirbi_make_binary(w->b, w->span, kind, x, y) : NULL;
}

static const tirb_expr *write_number(const writer *w, int64_t value) {
    ++*w->n_nodes;
    if (w->type.bits == 32 && (value < INT32_MIN || value > INT32_MAX)) {
        tirbi_report_error(w->b->diagnostics, TIRB_VALUE, w->span,
                           "a bound here is %lld, and sizes and indices are int32", (long long)value);
        return NULL;
    }
    return tirbi_make_int(w->b, w->span, w->type, value);
}

static const tirb_expr *write_atom(const writer *w, const tirbi_tc_atom *atom) {
    static const tirb_expr_kind kinds[] = {
        [TIRBI_TC_ATOM_PRODUCT] = TIRB_EXPR_MUL,  [TIRBI_TC_ATOM_DIV] = TIRB_EXPR_FLOORDIV,
        [TIRBI_TC_ATOM_MOD] = TIRB_EXPR_FLOORMOD, [TIRBI_TC_ATOM_MIN] = TIRB_EXPR_MIN,
        [TIRBI_TC_ATOM_MAX] = TIRB_EXPR_MAX,
    };
    if (*w->n_nodes > TIRBI_TC_MAX_DIM_TERMS) return NULL;
    if (atom->kind == TIRBI_TC_ATOM_VAR) {
        ++*w->n_nodes;
        return tirbi_make_cast(w->b, w->span, w->type, atom->var);
    }
    bool product = atom->kind == TIRBI_TC_ATOM_PRODUCT;
    const tirb_expr *out = product ? write_atom(w, atom->as.factors[0]) : write_sum(w, atom->as.args[0]);
    for (uint32_t i = 1; out && i < atom->n; i++)
        out = write_pair(w, kinds[atom->kind], out,
                         product ? write_atom(w, atom->as.factors[i]) : write_sum(w, atom->as.args[i]));
    return out;
}

static const tirb_expr *write_sum(const writer *w, const tirbi_tc_sum *a) {
    const tirb_expr *out = NULL;
    bool begins_with_constant = a->n > 0; /* 10 - N, and -N as 0 - N */
    for (uint32_t i = 0; i < a->n; i++) begins_with_constant = begins_with_constant && a->terms[i].factor < 0;
    if (begins_with_constant || a->n == 0) out = write_number(w, a->constant);
    for (int negative = 0; negative < 2; negative++) {
        for (uint32_t i = 0; i < a->n; i++) {
            const int64_t factor = a->terms[i].factor;
            if (*w->n_nodes > TIRBI_TC_MAX_DIM_TERMS) return NULL;
            if ((factor < 0) != (negative == 1)) continue;
            const int64_t shown = factor < 0 && factor != INT64_MIN ? -factor : factor;
            const tirb_expr *term = write_atom(w, a->terms[i].atom);
            if (term && shown != 1) term = write_pair(w, TIRB_EXPR_MUL, term, write_number(w, shown));
            if (!term) return NULL;
            out = out ? write_pair(w, shown == factor ? TIRB_EXPR_ADD : TIRB_EXPR_SUB, out, term) : term;
            if (!out) return NULL;
        }
    }
    if (a->n == 0 || begins_with_constant || a->constant == 0 || !out) return out;
    bool negative = a->constant < 0 && a->constant != INT64_MIN;
    return write_pair(w, negative ? TIRB_EXPR_SUB : TIRB_EXPR_ADD, out,
                      write_number(w, negative ? -a->constant : a->constant));
}

const tirb_expr *tirbi_tc_sum_expr(tirbi_builder *b, tirbi_span span, tirb_datatype type, const tirbi_tc_sum *a,
                                   uint32_t *n_nodes) {
    writer w = {b, span, type, n_nodes};
    return a ? write_sum(&w, a) : NULL;
}

/* How tightly an operator binds; what has fewer stands in brackets inside what has more. */
static int binding(tirb_expr_kind kind) {
    return kind == TIRB_EXPR_ADD || kind == TIRB_EXPR_SUB                                      ? 1
           : kind == TIRB_EXPR_MUL || kind == TIRB_EXPR_FLOORDIV || kind == TIRB_EXPR_FLOORMOD ? 2
                                                                                               : 3;
}

const char *tirbi_tc_size_text(tirbi_arena *arena, const tirb_expr *e) {
    static const char *const operators[] = {[TIRB_EXPR_ADD] = "+",
                                            [TIRB_EXPR_SUB] = "-",
                                            [TIRB_EXPR_MUL] = "*",
                                            [TIRB_EXPR_FLOORDIV] = "//",
                                            [TIRB_EXPR_FLOORMOD] = "%"};
    if (e->kind == TIRB_EXPR_VAR) return e->as.var.name;
    if (e->kind == TIRB_EXPR_INT_IMM) return tirbi_arena_format(arena, "%lld", (long long)e->as.int_value);
    if (e->kind == TIRB_EXPR_CAST) return tirbi_tc_size_text(arena, e->as.cast.value);
    if (e->kind < TIRB_EXPR_ADD || e->kind > TIRB_EXPR_MAX) return NULL;
    const tirb_expr *x = e->as.binary.a, *y = e->as.binary.b;
    const char *a = tirbi_tc_size_text(arena, x), *b = tirbi_tc_size_text(arena, y);
    if (!a || !b) return NULL;
    if (e->kind == TIRB_EXPR_MIN || e->kind == TIRB_EXPR_MAX)
        return tirbi_arena_format(arena, "%s(%s, %s)", e->kind == TIRB_EXPR_MIN ? "min" : "max", a, b);
    const bool left = binding(x->kind) < binding(e->kind), right = binding(y->kind) <= binding(e->kind);
    return tirbi_arena_format(arena, "%s%s%s %s %s%s%s", left ? "(" : "", a, left ? ")" : "", operators[e->kind],
                              right ? "(" : "", b, right ? ")" : "");
}
