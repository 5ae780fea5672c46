#include "compiler/loop/poly.h"

#include "loader/base/checked.h"

/* ---- Products of symbols ---------------------------------------------------------------------------------------- */

bool tirbi_monomial_equal(const tirbi_monomial *a, const tirbi_monomial *b) {
    if (a->degree != b->degree) return false;
    for (unsigned i = 0; i < a->degree; i++)
        if (a->symbol[i] != b->symbol[i]) return false;
    return true;
}

bool tirbi_monomial_multiply(const tirbi_monomial *a, const tirbi_monomial *b, tirbi_monomial *out) {
    tirbi_monomial all = {.degree = 0};
    unsigned i = 0, k = 0;
    if (a->degree + b->degree > TIRBI_MAX_DEGREE) return false;
    while (i < a->degree || k < b->degree) {
        const bool first = k == b->degree || (i < a->degree && a->symbol[i] <= b->symbol[k]);
        all.symbol[all.degree++] = first ? a->symbol[i++] : b->symbol[k++];
    }
    *out = all;
    return true;
}

bool tirbi_monomial_divide(const tirbi_monomial *a, const tirbi_monomial *b, tirbi_monomial *out) {
    tirbi_monomial left = {.degree = 0};
    unsigned k = 0;
    for (unsigned i = 0; i < a->degree; i++) {
        if (k < b->degree && a->symbol[i] == b->symbol[k])
            k++;
        else
            left.symbol[left.degree++] = a->symbol[i];
    }
    *out = left;
    return k == b->degree;
}

/* ---- Sums ------------------------------------------------------------------------------------------------------- */

bool tirbi_poly_add_term(tirbi_poly *sum, const tirbi_monomial *of, int64_t factor) {
    uint32_t i = 0;
    if (factor == 0) return true;
    while (i < sum->n && !tirbi_monomial_equal(&sum->term[i].of, of)) i++;
    if (i == sum->n) {
        if (i == TIRBI_MAX_MONOMIALS) return false;
        sum->term[i].of = *of;
        sum->term[i].factor = factor;
        sum->n++;
        return true;
    }
    if (!tirbi_add_i64(sum->term[i].factor, factor, &sum->term[i].factor)) return false;
    if (sum->term[i].factor != 0) return true;
    for (sum->n--; i < sum->n; i++) sum->term[i] = sum->term[i + 1];
    return true;
}

tirbi_poly tirbi_poly_constant(int64_t value) {
    tirbi_poly p = {.n = 0};
    if (value != 0) p.term[p.n++].factor = value;
    return p;
}

tirbi_poly tirbi_poly_symbol(uint32_t symbol) {
    tirbi_poly p = {.n = 1};
    p.term[0].factor = 1;
    p.term[0].of = (tirbi_monomial){.symbol = {(uint8_t)symbol}, .degree = 1};
    return p;
}

bool tirbi_poly_add(tirbi_poly *sum, const tirbi_poly *other, int64_t factor) {
    for (uint32_t i = 0; i < other->n; i++) {
        int64_t scaled;
        if (!tirbi_mul_i64(other->term[i].factor, factor, &scaled) ||
            !tirbi_poly_add_term(sum, &other->term[i].of, scaled))
            return false;
    }
    return true;
}

bool tirbi_poly_add_constant(tirbi_poly *sum, int64_t value) {
    const tirbi_monomial one = {.degree = 0};
    return tirbi_poly_add_term(sum, &one, value);
}

bool tirbi_poly_multiply(const tirbi_poly *a, const tirbi_poly *b, tirbi_poly *out) {
    tirbi_poly product = {.n = 0};
    for (uint32_t i = 0; i < a->n; i++) {
        for (uint32_t k = 0; k < b->n; k++) {
            tirbi_monomial of;
            int64_t factor;
            if (!tirbi_monomial_multiply(&a->term[i].of, &b->term[k].of, &of) ||
                !tirbi_mul_i64(a->term[i].factor, b->term[k].factor, &factor) ||
                !tirbi_poly_add_term(&product, &of, factor))
                return false;
        }
    }
    *out = product;
    return true;
}

/* ---- Questions -------------------------------------------------------------------------------------------------- */

bool tirbi_poly_is_constant(const tirbi_poly *p, int64_t *out) {
    if (p->n > 1 || (p->n == 1 && p->term[0].of.degree > 0)) return false;
    *out = p->n == 1 ? p->term[0].factor : 0;
    return true;
}

bool tirbi_poly_equal(const tirbi_poly *a, const tirbi_poly *b) {
    tirbi_poly difference = *a;
    return tirbi_poly_add(&difference, b, -1) && difference.n == 0;
}

bool tirbi_poly_mentions(const tirbi_poly *p, uint32_t symbol) {
    for (uint32_t i = 0; i < p->n; i++)
        for (unsigned k = 0; k < p->term[i].of.degree; k++)
            if (p->term[i].of.symbol[k] == symbol) return true;
    return false;
}

bool tirbi_poly_split(const tirbi_poly *p, uint32_t symbol, tirbi_poly *by, tirbi_poly *rest) {
    const tirbi_monomial one = {.symbol = {(uint8_t)symbol}, .degree = 1};
    by->n = rest->n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        tirbi_monomial left;
        const bool has = tirbi_monomial_divide(&p->term[i].of, &one, &left);
        for (unsigned k = 0; has && k < left.degree; k++)
            if (left.symbol[k] == symbol) return false;
        if (!tirbi_poly_add_term(has ? by : rest, has ? &left : &p->term[i].of, p->term[i].factor)) return false;
    }
    return true;
}

bool tirbi_poly_divide(const tirbi_poly *p, const tirbi_monomial *by, int64_t factor, tirbi_poly *out) {
    tirbi_poly quotient = {.n = 0};
    for (uint32_t i = 0; i < p->n; i++) {
        tirbi_monomial left;
        if (!tirbi_monomial_divide(&p->term[i].of, by, &left) || factor == 0 || factor == -1 ||
            p->term[i].factor % factor != 0 || !tirbi_poly_add_term(&quotient, &left, p->term[i].factor / factor))
            return false;
    }
    *out = quotient;
    return true;
}
