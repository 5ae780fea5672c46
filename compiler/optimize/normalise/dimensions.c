#include "compiler/optimize/normalise/dimensions.h"

#include "loader/base/divisor.h"

/* The steady part of a term, and how many of its symbols are not. */
static unsigned steady_part(const tirbi_facts *facts, const tirbi_monomial *m, tirbi_monomial *out) {
    unsigned varying = 0;
    out->degree = 0;
    for (unsigned i = 0; i < m->degree; i++) {
        if (facts->symbols[m->symbol[i]].steady)
            out->symbol[out->degree++] = m->symbol[i];
        else
            varying++;
    }
    return varying;
}

/* Multiples of the same product of sizes are one stride, which divides them all; numbers are one each, if there is room
 * for so many. */
static void add_stride(tirbi_dimensions *d, const tirbi_monomial *of, int64_t factor) {
    const uint64_t magnitude = tirbi_magnitude(factor);
    uint32_t i = 0;
    while (i < d->n && (!tirbi_monomial_equal(&d->stride[i].of, of) ||
                        (of->degree == 0 && d->n < TIRBI_MAX_STRIDES && d->stride[i].factor != (int64_t)magnitude)))
        i++;
    if (i == TIRBI_MAX_STRIDES || factor == INT64_MIN) {
        d->impossible = true;
        return;
    }
    if (i == d->n) {
        d->stride[d->n].of = *of;
        d->stride[d->n++].factor = 0;
    }
    d->stride[i].factor = (int64_t)tirbi_common_divisor((uint64_t)d->stride[i].factor, magnitude);
}

void tirbi_add_strides(const tirbi_facts *facts, const tirbi_poly *index, tirbi_dimensions *out) {
    for (uint32_t i = 0; i < index->n; i++) {
        tirbi_monomial of;
        const unsigned varying = steady_part(facts, &index->term[i].of, &of);
        if (varying > 1)
            out->impossible = true;
        else if (varying == 1)
            add_stride(out, &of, index->term[i].factor);
    }
}

static bool comes_before(const tirbi_dimensions *d, uint32_t a, uint32_t b) {
    const unsigned first = d->stride[a].of.degree, second = d->stride[b].of.degree;
    return first != second ? first < second : first == 0 && d->stride[a].factor < d->stride[b].factor;
}

static void sort(tirbi_dimensions *d) {
    for (uint32_t i = 1; i < d->n; i++) {
        for (uint32_t k = i; k > 0 && comes_before(d, k, k - 1); k--) {
            const tirbi_monomial of = d->stride[k].of;
            const int64_t factor = d->stride[k].factor;
            d->stride[k] = d->stride[k - 1];
            d->stride[k - 1].of = of;
            d->stride[k - 1].factor = factor;
        }
    }
}

/* Beside sizes all numbers are one stride: what they step over is less than a row, whatever the sizes are. So are they
 * in memory of which no rows are told apart. */
static void join_numbers(tirbi_dimensions *d) {
    uint32_t n = 0, joined = TIRBI_MAX_STRIDES;
    int64_t extent;
    bool joins = !d->apart || !tirbi_poly_is_constant(&d->extent, &extent);
    for (uint32_t i = 0; i < d->n; i++) joins = joins || d->stride[i].of.degree > 0;
    for (uint32_t i = 0; joins && i < d->n; i++) {
        const bool is_number = d->stride[i].of.degree == 0;
        if (is_number && joined < n) {
            d->stride[joined].factor = (int64_t)tirbi_common_divisor((uint64_t)d->stride[joined].factor,
                                                                     (uint64_t)d->stride[i].factor);
            continue;
        }
        if (is_number) joined = n;
        d->stride[n++] = d->stride[i];
    }
    if (joins) d->n = n;
}

/* Leaves out strides that are no products of sizes of the memory: a step between windows, say. */
static void keep_divisors(tirbi_dimensions *d, const tirbi_poly *extent) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        tirbi_poly rest;
        if (!tirbi_poly_divide(extent, &d->stride[i].of, d->stride[i].factor, &rest) && d->stride[i].of.degree > 0)
            continue;
        d->stride[n++] = d->stride[i];
    }
    d->n = n;
}

/* Whether the strides are a chain, which has sizes. */
static bool make_sizes(tirbi_dimensions *d) {
    const tirbi_monomial one = {.degree = 0};
    add_stride(d, &one, 1);
    join_numbers(d);
    sort(d);
    for (uint32_t i = 0; i + 1 < d->n; i++) {
        tirbi_monomial size;
        if (!tirbi_monomial_divide(&d->stride[i + 1].of, &d->stride[i].of, &size) ||
            d->stride[i + 1].factor % d->stride[i].factor != 0 ||
            (size.degree == 0 && d->stride[i + 1].factor == d->stride[i].factor))
            return false;
        d->size[i].n = 0;
        tirbi_poly_add_term(&d->size[i], &size, d->stride[i + 1].factor / d->stride[i].factor);
    }
    return d->n >= 2 && !d->impossible;
}

void tirbi_order_strides(tirbi_dimensions *d, const tirbi_poly *extent) {
    d->extent = *extent;
    join_numbers(d);
    const tirbi_dimensions all = *d;
    if (d->impossible) return;
    keep_divisors(d, extent);
    if (!make_sizes(d)) {
        *d = all;
        d->open = true;
        d->impossible = !make_sizes(d);
    }
    const uint32_t last = d->n - 1;
    d->size[last].n = 0;
    if (!d->open && !d->impossible)
        d->impossible = !tirbi_poly_divide(extent, &d->stride[last].of, d->stride[last].factor, &d->size[last]);
}

/* The largest stride that divides a term. */
static uint32_t stride_of(const tirbi_dimensions *d, const tirbi_monomial *of, int64_t factor, tirbi_monomial *left) {
    uint32_t i = d->n - 1;
    while (i > 0 && (factor % d->stride[i].factor != 0 || !tirbi_monomial_divide(of, &d->stride[i].of, left))) i--;
    if (i == 0) *left = *of;
    return i;
}

/* Whether a loop's variable only takes away from an index. */
static bool counts_down(const tirbi_poly *index, uint32_t symbol) {
    bool found = false;
    for (uint32_t i = 0; i < index->n; i++) {
        const tirbi_monomial *m = &index->term[i].of;
        bool has = false;
        for (unsigned k = 0; k < m->degree; k++) has = has || m->symbol[k] == symbol;
        if (has && index->term[i].factor > 0) return false;
        found = found || has;
    }
    return found;
}

/* Puts first + last - x in the place of a loop's variable x. */
static bool mirror(const tirbi_facts *facts, uint32_t symbol, tirbi_poly *p) {
    const tirbi_symbol *s = &facts->symbols[symbol];
    const tirbi_poly one = tirbi_poly_symbol(symbol);
    tirbi_poly by, rest, other = *s->first, product;
    if (!tirbi_poly_split(p, symbol, &by, &rest) || !tirbi_poly_add(&other, s->last, 1) ||
        !tirbi_poly_add(&other, &one, -1) || !tirbi_poly_multiply(&by, &other, &product) ||
        !tirbi_poly_add(&rest, &product, 1))
        return false;
    *p = rest;
    return true;
}

/* Sizes that are sums stand for these in what no loop changes, if it is shorter then: what loops that count down begin
 * with is written in parts, and goes away with them. */
static void shorten_start(const tirbi_facts *facts, tirbi_poly *p) {
    tirbi_poly start = {.n = 0}, whole, other = *p;
    tirbi_monomial left;
    for (uint32_t i = 0; i < p->n; i++)
        if (steady_part(facts, &p->term[i].of, &left) == 0 &&
            !tirbi_poly_add_term(&start, &p->term[i].of, p->term[i].factor))
            return;
    if (tirbi_expand(facts, &start, &whole) && tirbi_poly_add(&other, &start, -1) &&
        tirbi_poly_add(&other, &whole, 1) && other.n < p->n)
        *p = other;
}

/* Of a loop that counts down, n - 1 - x, terms lie inside dimensions together only: it is taken as if it counted up. */
static bool split_index(const tirbi_facts *facts, const tirbi_dimensions *d, const tirbi_poly *index,
                        tirbi_poly *subscripts) {
    uint32_t down[TIRBI_MAX_DEGREE], n = 0;
    tirbi_poly up = *index;
    for (uint32_t i = 0; i < facts->n_symbols && n < TIRBI_MAX_DEGREE; i++) {
        if (!facts->symbols[i].first || !counts_down(index, i)) continue;
        if (!mirror(facts, i, &up)) return false;
        down[n++] = i;
    }
    if (n > 0) shorten_start(facts, &up);
    for (uint32_t i = 0; i < d->n; i++) subscripts[i].n = 0;
    for (uint32_t i = 0; i < up.n; i++) {
        tirbi_monomial left;
        const uint32_t to = stride_of(d, &up.term[i].of, up.term[i].factor, &left);
        if (!tirbi_poly_add_term(&subscripts[to], &left, up.term[i].factor / d->stride[to].factor)) return false;
    }
    for (uint32_t i = 0; i < d->n; i++)
        for (uint32_t k = 0; k < n; k++)
            if (tirbi_poly_mentions(&subscripts[i], down[k]) && !mirror(facts, down[k], &subscripts[i])) return false;
    return true;
}

/* Whether memory has all elements of the dimensions. */
static bool has_room(const tirbi_facts *facts, const tirbi_dimensions *d, tirbi_conditions *conditions) {
    tirbi_poly stride = {.n = 0}, room = d->extent, all;
    return tirbi_poly_add_term(&stride, &d->stride[d->n - 1].of, d->stride[d->n - 1].factor) &&
           tirbi_poly_multiply(&stride, &d->size[d->n - 1], &all) && tirbi_poly_add(&room, &all, -1) &&
           tirbi_not_negative_if(facts, &room, conditions);
}

/* Whether a subscript lies inside its dimension. If not, `below` says whether it may be negative. */
static bool lies_inside(const tirbi_facts *facts, const tirbi_dimensions *d, uint32_t i, const tirbi_poly *subscript,
                        tirbi_conditions *conditions, bool *below) {
    tirbi_poly room = d->size[i];
    const uint32_t n = conditions->n;
    *below = !tirbi_not_negative_if(facts, subscript, conditions);
    if (*below || !tirbi_poly_add_constant(&room, -1) || !tirbi_poly_add(&room, subscript, -1) ||
        !tirbi_not_negative_if(facts, &room, conditions))
        return false;
    /* Only the extent tells that a stride is a size: else it may be less than what is inside of it. */
    return !d->open || conditions->n == n;
}

/* Takes all of a dimension from its subscript, or adds it, which is one of the dimension around: x + (w + 2) of w + 2
 * is x in the next row. */
static bool carry(const tirbi_facts *facts, const tirbi_dimensions *d, uint32_t i, tirbi_poly *subscripts,
                  int64_t rows) {
    tirbi_poly size, left;
    if (!tirbi_expand(facts, &d->size[i], &size) || !tirbi_expand(facts, &subscripts[i], &left) ||
        !tirbi_poly_add(&left, &size, -rows))
        return false;
    subscripts[i] = left;
    return tirbi_poly_add_constant(&subscripts[i + 1], rows);
}

enum { MOST_CARRIED = 4 };

bool tirbi_subscripts_of(const tirbi_facts *facts, const tirbi_dimensions *d, const tirbi_poly *index,
                         tirbi_poly *subscripts, tirbi_conditions *conditions) {
    if (!split_index(facts, d, index, subscripts)) return false;
    for (uint32_t i = 0; i + (d->open ? 0 : 1) < d->n; i++) {
        const uint32_t n = conditions->n;
        bool below;
        for (uint32_t carried = 0; !lies_inside(facts, d, i, &subscripts[i], conditions, &below); carried++) {
            conditions->n = n;
            if (carried == MOST_CARRIED || i + 1 == d->n || !carry(facts, d, i, subscripts, below ? -1 : 1))
                return false;
        }
    }
    return (!d->open || has_room(facts, d, conditions)) && tirbi_exact_if(facts, index, TIRB_I64, conditions);
}

bool tirbi_fit_index(const tirbi_facts *facts, tirbi_dimensions *d, const tirbi_poly *index, bool every) {
    tirbi_conditions conditions = {.n = 0};
    tirbi_poly parts[TIRBI_MAX_STRIDES], most = {.n = 0}, more;
    const uint32_t last = d->n - 1;
    d->impossible = !tirbi_exact_if(facts, &d->extent, TIRB_I64, &conditions);
    if (d->impossible) return false;
    if (d->open) {
        d->impossible = !every || !split_index(facts, d, index, parts) || !tirbi_poly_add(&most, &parts[last], -1) ||
                        !tirbi_least(facts, &most, &more) || !tirbi_least_of_rest(facts, &more);
        most = tirbi_poly_constant(1);
        d->impossible = d->impossible || !tirbi_poly_add(&most, &more, -1);
        if (d->impossible) return false;
        more = most;
        if (d->size[last].n == 0 || (tirbi_poly_add(&more, &d->size[last], -1) && tirbi_not_negative(facts, &more)))
            d->size[last] = most;
    }
    d->impossible = !tirbi_subscripts_of(facts, d, index, parts, &conditions);
    return !d->impossible;
}
