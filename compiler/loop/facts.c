#include "compiler/loop/facts.h"

#include "loader/base/checked.h"

/* How often a product of what is known is subtracted, one from another, before an attempt is given up; and how many
 * attempts there are for one question. */
enum { MAX_DEPTH = 5, MAX_STEPS = 400 };

/* A parameter may be known to lie in a narrower range where one of its nodes stands. The variable of a loop has a node
 * for each of two iterations. */
static bool is_same(const tirbi_lx *a, const tirbi_lx *b) {
    if (a == b) return true;
    return a && b && a->kind == TIRBI_LX_VAR && b->kind == TIRBI_LX_VAR && a->var == b->var &&
           a->var->kind == TIRBI_LVAR_PARAM;
}

uint32_t tirbi_symbol_of(tirbi_facts *facts, const tirbi_lx *value) {
    uint32_t i = 0;
    while (i < facts->n_symbols && !is_same(facts->symbols[i].value, value)) i++;
    if (i < facts->n_symbols || i == TIRBI_MAX_SYMBOLS) return i;
    facts->symbols[i] = (tirbi_symbol){.value = value, .lo = value->lo, .hi = value->hi};
    facts->n_symbols++;
    return i;
}

const tirbi_poly *tirbi_keep_poly(tirbi_facts *facts, const tirbi_poly *p) {
    tirbi_poly *copy = facts->arena                     ? TIRBI_NEW(facts->arena, tirbi_poly)
                       : facts->n_room < TIRBI_MAX_ROOM ? &facts->room[facts->n_room++]
                                                        : NULL;
    if (copy) *copy = *p;
    return copy;
}

bool tirbi_expand(const tirbi_facts *facts, const tirbi_poly *p, tirbi_poly *out) {
    tirbi_poly x = *p;
    for (uint32_t i = 0; i < x.n; i++) {
        for (unsigned k = 0; k < x.term[i].of.degree; k++) {
            const uint32_t symbol = x.term[i].of.symbol[k];
            tirbi_poly by, rest, product;
            if (!facts->symbols[symbol].means) continue;
            tirbi_poly one = {.n = 0};
            if (!tirbi_poly_add_term(&one, &x.term[i].of, x.term[i].factor)) return false;
            const tirbi_monomial whole = x.term[i].of, divisor = {.symbol = {(uint8_t)symbol}, .degree = 1};
            tirbi_monomial left;
            if (!tirbi_monomial_divide(&whole, &divisor, &left)) return false;
            by.n = 0;
            rest = x;
            if (!tirbi_poly_add_term(&by, &left, x.term[i].factor) || !tirbi_poly_add(&rest, &one, -1) ||
                !tirbi_poly_multiply(&by, facts->symbols[symbol].means, &product) ||
                !tirbi_poly_add(&rest, &product, 1))
                return false;
            x = rest;
            i = UINT32_MAX; /* from the first term on again */
            break;
        }
    }
    *out = x;
    return true;
}

void tirbi_know(tirbi_facts *facts, const tirbi_poly *not_negative) {
    if (facts->n_known < TIRBI_MAX_FACTS && tirbi_expand(facts, not_negative, &facts->known[facts->n_known]))
        facts->n_known++;
}

void tirbi_bound_symbol(tirbi_facts *facts, uint32_t symbol, const tirbi_poly *first, const tirbi_poly *count) {
    tirbi_poly begin, last = *count;
    tirbi_symbol *s = &facts->symbols[symbol];
    if (!tirbi_poly_add_constant(&last, -1)) return;
    tirbi_know(facts, &last);
    if (!tirbi_poly_add(&last, first, 1) || !tirbi_expand(facts, first, &begin) || !tirbi_expand(facts, &last, &last))
        return;
    s->first = tirbi_keep_poly(facts, &begin);
    s->last = tirbi_keep_poly(facts, &last);
    if (!s->last) s->first = NULL;
}

/* ---- Signs ------------------------------------------------------------------------------------------------------ */

/* Whether no symbol of a product is negative. */
static bool is_positive(const tirbi_facts *facts, const tirbi_monomial *m) {
    for (unsigned i = 0; i < m->degree; i++)
        if (facts->symbols[m->symbol[i]].lo < 0) return false;
    return true;
}

/* Whether no term is negative, but for constants that the least values of others outweigh. */
static bool by_terms(const tirbi_facts *facts, const tirbi_poly *p) {
    int64_t least = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const tirbi_monomial *m = &p->term[i].of;
        int64_t value = p->term[i].factor;
        if (m->degree > 0 && (!is_positive(facts, m) || value < 0)) {
            const tirbi_symbol *s = &facts->symbols[m->symbol[0]]; /* a single one may have a known end */
            if (m->degree > 1 || !tirbi_mul_i64(value, value < 0 ? s->hi : s->lo, &value)) return false;
        }
        for (unsigned k = 0; k < m->degree && value > 0 && is_positive(facts, m); k++) {
            const int64_t lo = facts->symbols[m->symbol[k]].lo;
            if (lo == 0 || !tirbi_mul_i64(value, lo, &value)) value = 0;
        }
        if (!tirbi_add_i64(least, value, &least)) return false;
    }
    return least >= 0;
}

typedef struct proof {
    const tirbi_facts *facts;
    unsigned deepest, steps;
} proof;

static bool not_negative(proof *p, const tirbi_poly *x, unsigned depth);

/* Subtracts what is known times what makes its term that of `x` at `at`, which is positive: something negative has to
 * go for that. */
static bool without(proof *p, const tirbi_poly *x, uint32_t at, unsigned depth) {
    for (uint32_t f = p->facts->n_known; f-- > 0;) {
        const tirbi_poly *known = &p->facts->known[f];
        for (uint32_t k = 0; k < known->n; k++) {
            tirbi_monomial times;
            const int64_t factor = known->term[k].factor;
            if (factor <= 0 || known->term[k].of.degree == 0 || x->term[at].factor % factor != 0 ||
                !tirbi_monomial_divide(&x->term[at].of, &known->term[k].of, &times) || !is_positive(p->facts, &times))
                continue;
            tirbi_poly left = *x, scale = {.n = 0}, product;
            if (!tirbi_poly_add_term(&scale, &times, x->term[at].factor / factor) ||
                !tirbi_poly_multiply(known, &scale, &product) || !tirbi_poly_add(&left, &product, -1))
                continue;
            if (not_negative(p, &left, depth + 1)) return true;
        }
    }
    return false;
}

/* Puts a bound of a loop's variable in its place: the first value or the last one, as what multiplies it says. */
static bool replace(proof *p, const tirbi_poly *x, uint32_t symbol, tirbi_poly *out, unsigned depth) {
    const tirbi_symbol *s = &p->facts->symbols[symbol];
    tirbi_poly by, rest, negated = {.n = 0}, product;
    if (!tirbi_poly_split(x, symbol, &by, &rest)) return false;
    const bool up = not_negative(p, &by, depth + 1);
    if (!up && (!tirbi_poly_add(&negated, &by, -1) || !not_negative(p, &negated, depth + 1))) return false;
    if (!tirbi_poly_multiply(&by, up ? s->first : s->last, &product) || !tirbi_poly_add(&rest, &product, 1))
        return false;
    *out = rest;
    return true;
}

/* The innermost loop's variable in it; TIRBI_MAX_SYMBOLS: there is none. */
static uint32_t last_loop(const tirbi_facts *facts, const tirbi_poly *x) {
    uint32_t last = TIRBI_MAX_SYMBOLS;
    for (uint32_t i = 0; i < x->n; i++) {
        for (unsigned k = 0; k < x->term[i].of.degree; k++) {
            const uint32_t symbol = x->term[i].of.symbol[k];
            if (facts->symbols[symbol].first && (last == TIRBI_MAX_SYMBOLS || symbol > last)) last = symbol;
        }
    }
    return last;
}

static bool not_negative(proof *p, const tirbi_poly *x, unsigned depth) {
    if (p->steps++ > MAX_STEPS) return false;
    if (by_terms(p->facts, x)) return true;
    if (depth > p->deepest) return false;
    const uint32_t loop = last_loop(p->facts, x);
    tirbi_poly next;
    if (loop != TIRBI_MAX_SYMBOLS && replace(p, x, loop, &next, depth) && not_negative(p, &next, depth)) return true;
    for (uint32_t i = 0; i < x->n; i++)
        if (x->term[i].factor > 0 && x->term[i].of.degree > 0 && without(p, x, i, depth)) return true;
    return false;
}

bool tirbi_not_negative(const tirbi_facts *facts, const tirbi_poly *p) {
    proof all = {.facts = facts, .deepest = 0}; /* what one fact says is asked first, whatever else might be tried */
    tirbi_poly x;
    if (by_terms(facts, p)) return true;
    if (!tirbi_expand(facts, p, &x)) return false;
    if (not_negative(&all, &x, 0)) return true;
    all = (proof){.facts = facts, .deepest = MAX_DEPTH};
    return not_negative(&all, &x, 0);
}

bool tirbi_least(const tirbi_facts *facts, const tirbi_poly *p, tirbi_poly *out) {
    tirbi_poly x;
    if (!tirbi_expand(facts, p, &x)) return false;
    for (uint32_t loop = last_loop(facts, &x); loop != TIRBI_MAX_SYMBOLS; loop = last_loop(facts, &x)) {
        proof all = {.facts = facts, .deepest = MAX_DEPTH};
        if (!replace(&all, &x, loop, &x, 0)) return false;
    }
    *out = x;
    return true;
}
