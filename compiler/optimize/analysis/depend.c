#include "compiler/optimize/analysis/depend.h"

#include <string.h>

#include "compiler/optimize/analysis/depend_nest.h"
#include "loader/base/checked.h"
#include "loader/base/divisor.h"

enum { MAX_EDGES = 2048 };

/* ---- A test ----------------------------------------------------------------------------------------------------- */

/* Two accesses, and how the iteration of the second lies to that of the first by common loop. */
typedef struct test {
    builder *b;
    const tirbi_nest_access *from, *to;
    const access_forms *first, *second;
    uint32_t n_common;
    uint8_t way[TIRBI_NEST_DEPTH];
    uint32_t same; /* common loops whose iteration is the same, by bits */
    bool solved[TIRBI_NEST_DEPTH];
    tirbi_poly distance[TIRBI_NEST_DEPTH];
    bool multiplied; /* some difference is the carrier's distance times `factor`, modulo 2^factor_bits */
    tirbi_poly factor;
    unsigned factor_bits;
} test;

/* A symbol in the second iteration. */
static bool in_second(test *t, uint32_t symbol, tirbi_poly *out) {
    builder *b = t->b;
    *out = tirbi_poly_symbol(symbol);
    for (uint32_t i = 0; i < t->n_common; i++) {
        const nest_loop *l = &b->loop[t->from->loop[i]];
        if (l->symbol != symbol) continue;
        const tirbi_poly distance = tirbi_poly_symbol(l->distance);
        return t->way[i] == TIRBI_EQ || tirbi_poly_add(out, &distance, 1);
    }
    for (uint32_t i = 0; i < b->g->n_loops; i++)
        if (b->loop[i].symbol == symbol) return true; /* of one that is around the second alone */
    if (!(tirbi_loops_of_symbol(b, symbol) & ~t->same)) return true;
    if (b->symbol[symbol].other == 0) {
        tirbi_lx *copy = TIRBI_NEW(b->pool->arena, tirbi_lx);
        if (!copy) return false;
        *copy = *b->facts->symbols[symbol].value;
        const uint32_t other = tirbi_symbol_of(b->facts, copy);
        if (other == TIRBI_MAX_SYMBOLS) return false;
        b->facts->symbols[other].lo = b->facts->symbols[symbol].lo;
        b->facts->symbols[other].hi = b->facts->symbols[symbol].hi;
        b->symbol[symbol].other = (uint16_t)other;
    }
    *out = tirbi_poly_symbol(b->symbol[symbol].other);
    return true;
}

static bool rename_poly(test *t, const tirbi_poly *p, tirbi_poly *out) {
    tirbi_poly sum = {.n = 0};
    for (uint32_t i = 0; i < p->n; i++) {
        tirbi_poly product = tirbi_poly_constant(p->term[i].factor), symbol;
        for (unsigned k = 0; k < p->term[i].of.degree; k++)
            if (!in_second(t, p->term[i].of.symbol[k], &symbol) || !tirbi_poly_multiply(&product, &symbol, &product))
                return false;
        if (!tirbi_poly_add(&sum, &product, 1)) return false;
    }
    *out = sum;
    return true;
}

static tirbi_poly *keep_bound(builder *b, const tirbi_poly *p) {
    tirbi_poly *kept = &b->bound[b->n_bound++];
    *kept = *p;
    return kept;
}

static int64_t most_apart(const tirbi_lvar *var) {
    int64_t most;
    return __builtin_sub_overflow(var->hi, var->lo, &most) ? INT64_MAX : most < 0 ? 0 : most;
}

/* Bounds of the distance between the iterations of a common loop, and of its variable in the first one. */
static void bound_distance(test *t, uint32_t at) {
    builder *b = t->b;
    const nest_loop *l = &b->loop[t->from->loop[at]];
    const uint8_t way = t->way[at];
    tirbi_symbol *s = &b->facts->symbols[l->distance], *own = &b->facts->symbols[l->symbol];
    const int64_t most = most_apart(l->var);
    tirbi_bound_nest_loop(b, l);
    s->lo = way & TIRBI_GT ? (most == INT64_MAX ? INT64_MIN : -most) : way & TIRBI_EQ ? 0 : 1;
    s->hi = way & TIRBI_LT ? most : way & TIRBI_EQ ? 0 : -1;
    if (way == TIRBI_EQ || !l->bounded) return;
    const tirbi_poly here = tirbi_poly_symbol(l->symbol);
    tirbi_poly first, last;
    if (!rename_poly(t, &l->first, &first) || !rename_poly(t, &l->last, &last)) return;
    const bool still = tirbi_poly_equal(&first, &l->first) && tirbi_poly_equal(&last, &l->last);
    if (!tirbi_poly_add(&first, &here, -1) || !tirbi_poly_add(&last, &here, -1)) return;
    if (!(way & TIRBI_GT)) first = tirbi_poly_constant(way & TIRBI_EQ ? 0 : 1);
    if (!(way & TIRBI_LT)) last = tirbi_poly_constant(way & TIRBI_EQ ? 0 : -1);
    s->first = keep_bound(b, &first);
    s->last = keep_bound(b, &last);
    /* Neither the last iteration is before another one, nor the first one behind. */
    first = l->first;
    last = l->last;
    if (still && way == TIRBI_LT && tirbi_poly_add_constant(&last, -1)) own->last = keep_bound(b, &last);
    if (still && way == TIRBI_GT && tirbi_poly_add_constant(&first, 1)) own->first = keep_bound(b, &first);
}

static void bound_test(test *t) {
    builder *b = t->b;
    tirbi_unbound_nest(b);
    for (uint32_t i = 0; i < t->n_common; i++) bound_distance(t, i);
    for (uint32_t i = t->n_common; i < t->from->n_loops; i++) tirbi_bound_nest_loop(b, &b->loop[t->from->loop[i]]);
    for (uint32_t i = t->n_common; i < t->to->n_loops; i++) {
        const nest_loop *l = &b->loop[t->to->loop[i]];
        tirbi_poly first, last, runs;
        if (!l->bounded || !rename_poly(t, &l->first, &first) || !rename_poly(t, &l->last, &last)) continue;
        b->facts->symbols[l->symbol].first = keep_bound(b, &first);
        b->facts->symbols[l->symbol].last = keep_bound(b, &last);
        runs = last;
        if (tirbi_poly_add(&runs, &first, -1)) tirbi_know(b->facts, &runs);
    }
    for (uint32_t i = 0; i < t->first->n_more; i++) tirbi_know(b->facts, &t->first->more[i]);
    for (uint32_t i = 0; i < t->second->n_more; i++) {
        tirbi_poly more;
        if (rename_poly(t, &t->second->more[i], &more)) tirbi_know(b->facts, &more);
    }
}

/* Whether factor * p + plus is not negative. */
static bool not_negative(const builder *b, const tirbi_poly *p, int64_t factor, int64_t plus) {
    tirbi_poly x = {.n = 0};
    return tirbi_poly_add(&x, p, factor) && tirbi_poly_add_constant(&x, plus) && tirbi_not_negative(b->facts, &x);
}

/* The greatest magnitude by which two numbers that are equal modulo 2^bits do not differ, unless by 0. */
static int64_t most_of(unsigned bits) { return bits >= 63 ? INT64_C(1) << 62 : (INT64_C(1) << bits) - 1; }

static bool is_bounded(const builder *b, const tirbi_poly *p, unsigned bits, int64_t sign) {
    return bits == WHOLE || not_negative(b, p, -sign, most_of(bits));
}

/* Whether there is a multiple of a number, of 0 for 0, in a range. */
static bool has_multiple(int64_t lo, int64_t hi, uint64_t of) {
    if (lo <= 0 && hi >= 0) return true;
    const uint64_t least = tirbi_magnitude(lo > 0 ? lo : hi), most = tirbi_magnitude(lo > 0 ? hi : lo);
    return of != 0 && most / of > (least - 1) / of;
}

/* The terms by what a constant, or a symbol of known range, is multiplied by; products of symbols come last. */
static void order_terms(const tirbi_poly *p, uint32_t *order) {
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t k = i;
        const unsigned degree = p->term[i].of.degree;
        for (; k > 0; k--) {
            const uint32_t before = order[k - 1];
            const unsigned others = p->term[before].of.degree;
            if (others < degree && (others == 0 || degree > 1)) break;
            if (others == degree && tirbi_magnitude(p->term[before].factor) <= tirbi_magnitude(p->term[i].factor))
                break;
            order[k] = before;
        }
        order[k] = i;
    }
}

/* Whether a difference is no multiple of 2^bits: of the terms with the least factors, the constant first, none may be a
 * multiple of what divides all others, where these are apart by more than what it comes to. */
static bool never_congruent(const builder *b, const tirbi_poly *p, unsigned bits) {
    uint32_t order[TIRBI_MAX_MONOMIALS];
    uint64_t divisor[TIRBI_MAX_MONOMIALS + 1];
    int64_t lo = 0, hi = 0;
    order_terms(p, order);
    divisor[p->n] = bits < 64 ? UINT64_C(1) << bits : 0;
    for (uint32_t i = p->n; i-- > 0;) {
        divisor[i] = tirbi_common_divisor(divisor[i + 1], tirbi_magnitude(p->term[order[i]].factor));
        if (bits == 64) divisor[i] &= 0 - divisor[i];
    }
    for (uint32_t i = 0; i < p->n; i++) {
        const tirbi_monomial *of = &p->term[order[i]].of;
        const tirbi_symbol *s = of->degree > 0 ? &b->facts->symbols[of->symbol[0]] : NULL;
        const int64_t factor = p->term[order[i]].factor,
                      low = !s           ? 1
                            : factor > 0 ? s->lo
                                         : s->hi,
                      high = !s           ? 1
                             : factor > 0 ? s->hi
                                          : s->lo;
        int64_t least, most;
        if (of->degree > 1 || !tirbi_mul_i64(factor, low, &least) || !tirbi_mul_i64(factor, high, &most) ||
            !tirbi_add_i64(lo, least, &lo) || !tirbi_add_i64(hi, most, &hi))
            return false;
        if (!has_multiple(lo, hi, divisor[i + 1])) return true;
    }
    return false;
}

static bool never_zero(const builder *b, const tirbi_poly *p, unsigned bits) {
    return never_congruent(b, p, bits) || (not_negative(b, p, 1, -1) && is_bounded(b, p, bits, 1)) ||
           (not_negative(b, p, -1, -1) && is_bounded(b, p, bits, -1));
}

static bool replace_distance(const builder *b, tirbi_poly *p, const test *t, uint32_t at) {
    tirbi_poly by, rest, product;
    const uint32_t symbol = b->loop[t->from->loop[at]].distance;
    if (!tirbi_poly_mentions(p, symbol)) return true;
    if (!tirbi_poly_split(p, symbol, &by, &rest) || !tirbi_poly_multiply(&by, &t->distance[at], &product) ||
        !tirbi_poly_add(&rest, &product, 1))
        return false;
    *p = rest;
    return true;
}

/* Whether a polynomial has the same value in all iterations of the nest. */
static bool stays(builder *b, const tirbi_poly *p) {
    for (uint32_t i = 0; i < p->n; i++) {
        for (unsigned k = 0; k < p->term[i].of.degree; k++) {
            const uint32_t symbol = p->term[i].of.symbol[k];
            for (uint32_t l = 0; l < b->g->n_loops; l++)
                if (b->loop[l].symbol == symbol || b->loop[l].distance == symbol) return false;
            if (tirbi_loops_of_symbol(b, symbol) != 0) return false;
        }
    }
    return true;
}

/* A polynomial by a number, other than the least one, that divides each of its factors. */
static bool divide(const tirbi_poly *p, int64_t by, tirbi_poly *out) {
    const tirbi_monomial one = {.degree = 0};
    const tirbi_poly whole = *p;
    if (by > 0) return tirbi_poly_divide(&whole, &one, by, out);
    out->n = 0;
    return tirbi_poly_add(out, &whole, -1) && tirbi_poly_divide(out, &one, -by, out);
}

/* The distance of a common loop that makes a difference 0, where it is one number. */
static void solve(test *t, const tirbi_poly *difference, unsigned bits) {
    builder *b = t->b;
    for (uint32_t i = 0; i < t->n_common; i++) {
        const uint32_t symbol = b->loop[t->from->loop[i]].distance;
        tirbi_poly by, rest, quotient;
        int64_t c;
        if (t->way[i] == TIRBI_EQ || t->solved[i] || !tirbi_poly_mentions(difference, symbol)) continue;
        if (!tirbi_poly_split(difference, symbol, &by, &rest)) return;
        if (rest.n == 0 && t->way[i] == TIRBI_LT && !t->multiplied && stays(b, &by)) {
            t->multiplied = true;
            t->factor = by;
            t->factor_bits = bits;
        }
        if (!tirbi_poly_is_constant(&by, &c) || c == INT64_MIN || !stays(b, &rest) || !divide(&rest, c, &quotient) ||
            !is_bounded(b, difference, bits, 1) || !is_bounded(b, difference, bits, -1))
            return;
        t->distance[i].n = 0;
        t->solved[i] = tirbi_poly_add(&t->distance[i], &quotient, -1);
        return;
    }
}

/* Whether what form `f` is in the first iteration may be what it is in the second; a distance is solved then. */
static bool may_be_equal(test *t, uint32_t f) {
    builder *b = t->b;
    const form *x = &t->first->item[f], *y = &t->second->item[f];
    tirbi_poly difference;
    const unsigned bits = x->bits < y->bits ? x->bits : y->bits;
    b->differ &= ~(UINT32_C(1) << f);
    if (!x->read || !y->read || !rename_poly(t, &y->is, &difference) || !tirbi_poly_add(&difference, &x->is, -1))
        return true;
    for (uint32_t i = 0; i < t->n_common; i++)
        if (t->solved[i] && !replace_distance(b, &difference, t, i)) return true;
    if (difference.n == 0) return true;
    if (never_zero(b, &difference, bits)) return false;
    solve(t, &difference, bits);
    if (bits != WHOLE) return true;
    b->difference[f] = difference;
    b->differ |= UINT32_C(1) << f;
    return true;
}

/* What is left of two differences without the variable of a loop. */
static bool without_variable(const tirbi_poly *x, const tirbi_poly *y, uint32_t symbol, tirbi_poly *out) {
    tirbi_poly by, rest;
    int64_t a, c;
    *out = (tirbi_poly){.n = 0};
    return tirbi_poly_mentions(x, symbol) && tirbi_poly_mentions(y, symbol) &&
           tirbi_poly_split(x, symbol, &by, &rest) && tirbi_poly_is_constant(&by, &a) &&
           tirbi_poly_split(y, symbol, &by, &rest) && tirbi_poly_is_constant(&by, &c) && a != INT64_MIN &&
           tirbi_poly_add(out, x, c) && tirbi_poly_add(out, y, -a);
}

/* Whether subscripts that may be equal each by itself may be so together. */
static bool may_be_equal_together(test *t) {
    builder *b = t->b;
    for (uint32_t f = 1; f < t->first->n; f++) {
        for (uint32_t g = f + 1; g < t->first->n; g++) {
            for (uint32_t i = 0; i < t->n_common && b->differ >> f & b->differ >> g & 1; i++) {
                tirbi_poly left;
                if (!without_variable(&b->difference[f], &b->difference[g], b->loop[t->from->loop[i]].symbol, &left))
                    continue;
                if (left.n > 0 && never_zero(b, &left, WHOLE)) return false;
                if (left.n > 0) solve(t, &left, WHOLE);
            }
        }
    }
    return true;
}

/* Whether the two accesses may be of the same element in such iterations; distances are solved then. */
static bool may_meet(test *t) {
    memset(t->solved, 0, sizeof(t->solved));
    t->multiplied = false;
    t->same = 0;
    t->b->differ = 0;
    for (uint32_t i = 0; i < t->n_common; i++)
        if (t->way[i] == TIRBI_EQ) t->same |= UINT32_C(1) << t->from->loop[i];
    bound_test(t);
    for (uint32_t round = 0, solved = 0; round < 2; round++) {
        for (uint32_t f = t->first->n; f-- > 0;) /* the element's number, which is the longest, comes last */
            if (!may_be_equal(t, f)) return false;
        if (!may_be_equal_together(t)) return false;
        for (uint32_t i = 0; i < t->n_common; i++) solved += t->solved[i];
        if (solved == 0 || t->first->n == 1) break; /* no distance to put into other forms */
    }
    return true;
}

/* ---- Edges ------------------------------------------------------------------------------------------------------ */

static const tirbi_poly *keep(builder *b, const tirbi_poly *p) {
    tirbi_poly *kept = TIRBI_NEW(b->pool->arena, tirbi_poly);
    if (kept) *kept = *p;
    return kept;
}

/* The conditions under which a factor is not 0, and so no multiple of it that a loop has is: it stays below 2^bits. */
static void find_factor(builder *b, const test *t, tirbi_edge *e) {
    const nest_loop *l = &b->loop[t->from->loop[e->carrier]];
    if (t->factor_bits != WHOLE && (!l->bounded || !stays(b, &l->first) || !stays(b, &l->last))) return;
    for (int32_t i = 0; i < 2; i++) {
        tirbi_poly some = tirbi_poly_constant(-1), room = tirbi_poly_constant(most_of(t->factor_bits)), most = l->last;
        if (!tirbi_poly_add(&some, &t->factor, i == 0 ? 1 : -1)) continue;
        if (t->factor_bits != WHOLE) {
            if (!tirbi_poly_add(&most, &l->first, -1) || !tirbi_poly_multiply(&t->factor, &most, &most) ||
                !tirbi_poly_add(&room, &most, i == 0 ? -1 : 1))
                continue;
            e->provided[i] = keep(b, &room);
            if (!e->provided[i]) continue;
        }
        e->unless[i] = keep(b, &some);
    }
}

/* The conditions under which a distance lies outside of its loop, or is no way ahead. */
static void find_unless(builder *b, const test *t, tirbi_edge *e) {
    const nest_loop *l = &b->loop[t->from->loop[e->carrier]];
    const tirbi_poly *distance = e->distance[e->carrier];
    tirbi_poly none = {.n = 0}, far;
    int64_t constant;
    if (!distance && t->multiplied) find_factor(b, t, e);
    if (!distance || tirbi_poly_is_constant(distance, &constant)) return;
    if (tirbi_poly_add(&none, distance, -1)) e->unless[0] = keep(b, &none);
    far = *distance;
    if (l->bounded && stays(b, &l->first) && stays(b, &l->last) && tirbi_poly_add(&far, &l->last, -1) &&
        tirbi_poly_add(&far, &l->first, 1) && tirbi_poly_add_constant(&far, -1))
        e->unless[1] = keep(b, &far);
}

/* Where the ends of an edge meet: by a form that its loop alone changes, with constant steps. */
static void find_meeting(builder *b, const test *t, tirbi_edge *e) {
    const bool carried = e->carrier < e->n_common;
    const uint32_t symbol = b->loop[t->from->loop[carried ? e->carrier : 0]].symbol;
    if (carried && e->distance[e->carrier]) e->meets = TIRBI_MEETS_EVERY;
    for (uint32_t f = 0; f < t->first->n && e->meets == TIRBI_MEETS_ANYWHERE; f++) {
        const form *x = &t->first->item[f], *y = &t->second->item[f];
        tirbi_poly by[2], rest[2], at;
        int64_t step[2];
        if (!x->read || !y->read || x->bits != WHOLE || y->bits != WHOLE ||
            !tirbi_poly_split(&x->is, symbol, &by[0], &rest[0]) ||
            !tirbi_poly_split(&y->is, symbol, &by[1], &rest[1]) || !tirbi_poly_is_constant(&by[0], &step[0]) ||
            !tirbi_poly_is_constant(&by[1], &step[1]) || !stays(b, &rest[0]) || !stays(b, &rest[1]) ||
            step[0] == INT64_MIN || step[1] == INT64_MIN)
            continue;
        const bool crosses = step[0] == -step[1] && step[0] != 0, first = step[0] == 0;
        if (!crosses && (first == (step[1] == 0))) continue;
        at = rest[1]; /* step * i is this, less that */
        if (!tirbi_poly_add(&at, &rest[0], -1) || !divide(&at, first ? -step[1] : step[0], &at)) continue;
        e->meets = crosses ? TIRBI_MEETS_CROSSING : TIRBI_MEETS_AT;
        e->at = keep(b, &at);
    }
}

static bool add_edge(builder *b, const tirbi_edge *e) {
    tirbi_dependences *g = b->g;
    if (g->n_edges == MAX_EDGES) return false;
    if ((g->n_edges & (g->n_edges - 1)) == 0 && (g->n_edges == 0 || g->n_edges >= 16)) {
        const uint32_t capacity = g->n_edges == 0 ? 16 : g->n_edges * 2;
        tirbi_edge *grown = TIRBI_NEW_ARRAY(b->pool->arena, tirbi_edge, capacity);
        if (!grown) return false;
        if (g->n_edges > 0) memcpy(grown, g->edge, g->n_edges * sizeof(*grown));
        g->edge = grown;
    }
    g->edge[g->n_edges++] = *e;
    return true;
}

/* The ways in which loops inside the carrier may lie; false: there are none. */
static bool refine(test *t, tirbi_edge *e) {
    static const uint8_t ways[] = {TIRBI_LT, TIRBI_EQ, TIRBI_GT};
    for (uint32_t i = e->carrier + 1u; i < t->n_common; i++) {
        const uint8_t before = t->way[i];
        uint8_t may = 0;
        for (uint32_t k = 0; k < 3; k++) {
            t->way[i] = ways[k];
            if (may_meet(t)) may |= ways[k];
        }
        t->way[i] = before;
        e->direction[i] = may;
        if (may == 0) return false;
    }
    return true;
}

static bool is_comparable(const test *t) {
    return t->first->n > 0 && t->first->n == t->second->n &&
           t->from->at.place->buffer == t->to->at.place->buffer;
}

/* Whether a loop's variable is the same subscript of both, so that only one iteration reaches what both do. */
static bool is_subscript(const test *t, uint32_t loop) {
    const tirbi_lvar *var = t->b->loop[t->from->loop[loop]].var;
    for (uint32_t d = 0; d < t->from->at.place->ndim; d++) {
        const tirbi_lx *x = t->from->at.place->indices[d];
        if (x == t->to->at.place->indices[d] && (x = tirbi_lx_before_cast(x))->kind == TIRBI_LX_VAR && x->var == var)
            return true;
    }
    return false;
}

/* Whether nothing is left to ask of two accesses to elements. */
static bool is_linked(const test *t) {
    const uint32_t from = t->from->at.part, to = t->to->at.part;
    return t->b->asked && t->b->asked->parts && !t->from->var && (from == to || t->b->linked[from] >> to & 1);
}

/* Adds the edge from one access to another that a loop carries, or that none does, where it may be there. */
static bool connect_at(test *t, uint32_t from, uint32_t to, uint32_t carrier) {
    builder *b = t->b;
    const bool reads = t->to->at.what == TIRBI_LOADS, was_read = t->from->at.what == TIRBI_LOADS;
    tirbi_edge e = {.from = (uint16_t)from, .to = (uint16_t)to, .n_common = (uint8_t)t->n_common};
    e.kind = t->from->var ? TIRBI_SCALAR : reads ? TIRBI_FLOW : was_read ? TIRBI_ANTI : TIRBI_OUTPUT;
    e.carrier = (uint8_t)carrier;
    for (uint32_t i = 0; i < t->n_common; i++) {
        t->way[i] = i < carrier ? TIRBI_EQ : i == carrier ? TIRBI_LT : TIRBI_ANY_WAY;
        e.direction[i] = t->way[i];
    }
    const bool parts = b->asked && b->asked->parts;
    if (is_linked(t)) return true;
    if (!tirbi_arena_work(b->pool->arena, 4)) return false;
    if (is_comparable(t)) {
        if (carrier < t->n_common && is_subscript(t, carrier)) return true;
        if (!tirbi_read_nest_access(b, from) || !tirbi_read_nest_access(b, to)) return false;
        if (!may_meet(t)) return true;
        for (uint32_t i = 0; i < t->n_common && !parts; i++)
            if (t->solved[i]) e.distance[i] = keep(b, &t->distance[i]);
        if (carrier < t->n_common && !parts) find_unless(b, t, &e);
        if (t->n_common > 0 && !parts) find_meeting(b, t, &e);
        if (!parts && !refine(t, &e)) return true;
    }
    if (parts) b->linked[t->from->at.part] |= UINT32_C(1) << t->to->at.part;
    return (!b->asked || !b->asked->leaves || b->asked->leaves(&e)) && add_edge(b, &e);
}

/* Loops outside of which a variable does not live: those around its declaration. */
static uint32_t loops_around_declaration(const tirbi_dependences *g, const tirbi_lvar *var) {
    for (uint32_t i = 0; i < g->n_accesses; i++) {
        const tirbi_nest_access *a = &g->access[i];
        if (a->var == var && a->at.stmt && a->at.stmt->kind == TIRBI_LS_SET && a->at.stmt->as.set.declares)
            return a->n_loops;
    }
    return 0;
}

static bool connect(builder *b, uint32_t from, uint32_t to) {
    tirbi_dependences *g = b->g;
    test t = {
        .b = b, .from = &g->access[from], .to = &g->access[to], .first = &b->forms[from], .second = &b->forms[to]};
    const tirbi_nest_access *x = t.from, *y = t.to;
    uint32_t outermost = 0;
    if (x->at.what == TIRBI_LOADS && y->at.what == TIRBI_LOADS) return true;
    if (x->var != y->var || (!x->var && !tirbi_may_meet(x->at.place->buffer->root, y->at.place->buffer->root)))
        return true;
    while (t.n_common < x->n_loops && t.n_common < y->n_loops && x->loop[t.n_common] == y->loop[t.n_common])
        t.n_common++;
    if (x->var) outermost = loops_around_declaration(g, x->var);
    const bool alike = from < to && (!b->asked || b->asked->alike), parts = b->asked && b->asked->parts;
    if (alike && parts && !connect_at(&t, from, to, t.n_common)) return false; /* most are linked by that already */
    for (uint32_t carrier = outermost; carrier < t.n_common; carrier++)
        if ((!b->asked || b->asked->carriers >> carrier & 1) && !connect_at(&t, from, to, carrier)) return false;
    return !alike || parts || connect_at(&t, from, to, t.n_common);
}

static bool build(builder *b, const tirbi_ls *const *loops, uint32_t n_loops, const tirbi_ls *const *parts,
                  uint32_t n_parts) {
    tirbi_dependences *g = b->g;
    if (!tirbi_read_nest(b, loops, n_loops, parts, n_parts)) return false;
    for (uint32_t i = 0; i < g->n_loops; i++) {
        const nest_loop *l = &b->loop[i];
        if (l->begins && stays(b, &l->first)) g->first[i] = keep(b, &l->first);
        if (l->bounded && stays(b, &l->last)) g->last[i] = keep(b, &l->last);
    }
    for (uint32_t i = 0; i < g->n_accesses; i++)
        for (uint32_t k = 0; k < g->n_accesses; k++)
            if (!connect(b, i, k)) return false;
    return true;
}

/* What is known of sizes in the version of a function that a nest is in. */
static const tirbi_facts *known_of(const tirbi_ls *const *parts, uint32_t n_parts) {
    tirbi_reached first;
    for (uint32_t i = 0; i < n_parts; i++) {
        tirbi_accesses all = {.item = &first, .most = 1, .kinds = TIRBI_NESTS, .rules = TIRBI_TAKE_VIEWS};
        tirbi_find_accesses(&all, parts[i]);
        if (all.n > 0) return first.place->buffer->known;
    }
    return NULL;
}

tirbi_dependences *tirbi_find_dependences(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *const *parts,
                                          uint32_t n_parts, const tirbi_asked *asked) {
    return tirbi_find_nest_dependences(pool, &loop, 1, parts, n_parts, asked);
}

tirbi_dependences *tirbi_find_nest_dependences(tirbi_lx_pool *pool, const tirbi_ls *const *loops, uint32_t n_loops,
                                               const tirbi_ls *const *parts, uint32_t n_parts,
                                               const tirbi_asked *asked) {
    builder *b = TIRBI_NEW(pool->arena, builder);
    tirbi_dependences *g = TIRBI_NEW(pool->arena, tirbi_dependences);
    tirbi_facts *facts = TIRBI_NEW(pool->arena, tirbi_facts);
    tirbi_symbol *symbols = TIRBI_NEW_ARRAY(pool->arena, tirbi_symbol, TIRBI_MAX_SYMBOLS);
    tirbi_poly *room = TIRBI_NEW_ARRAY(pool->arena, tirbi_poly, TIRBI_MAX_ROOM);
    tirbi_nest_access *accesses = TIRBI_NEW_ARRAY(pool->arena, tirbi_nest_access, MAX_ACCESSES);
    if (!b || !g || !facts || !symbols || !room || !accesses) return NULL;
    const tirbi_facts *known = known_of(parts, n_parts);
    if (known) *facts = *known;
    if (known) memcpy(symbols, known->symbols, known->n_symbols * sizeof(*symbols));
    facts->arena = NULL;
    facts->room = room;
    facts->n_room = 0;
    facts->symbols = symbols;
    g->access = accesses;
    g->facts = b->facts = facts;
    b->pool = pool;
    b->asked = asked;
    b->g = g;
    b->known = facts->n_known;
    const bool built = build(b, loops, n_loops, parts, n_parts);
    TIRBI_GIVE_BACK(pool->arena, b);
    if (built) return g;
    tirbi_forget_dependences(pool, g);
    return NULL;
}

static bool leaves_nothing(const tirbi_edge *e) {
    (void)e;
    return false;
}

bool tirbi_is_parallel(tirbi_lx_pool *pool, const tirbi_ls *loop) {
    static const tirbi_asked asked = {.carriers = 1, .leaves = leaves_nothing};
    tirbi_dependences *graph = tirbi_find_dependences(pool, loop, &loop->as.loop.body, 1, &asked);
    if (graph) tirbi_forget_dependences(pool, graph);
    return graph != NULL;
}

void tirbi_forget_dependences(tirbi_lx_pool *pool, tirbi_dependences *g) {
    tirbi_arena_give_back(pool->arena, g->facts->symbols, TIRBI_MAX_SYMBOLS, sizeof(*g->facts->symbols));
    tirbi_arena_give_back(pool->arena, g->facts->room, TIRBI_MAX_ROOM, sizeof(*g->facts->room));
    tirbi_arena_give_back(pool->arena, g->access, MAX_ACCESSES, sizeof(*g->access));
    TIRBI_GIVE_BACK(pool->arena, g->facts);
    TIRBI_GIVE_BACK(pool->arena, g);
}
