#include "compiler/loop/linear.h"

#include "compiler/loop/exact.h"
#include "loader/base/checked.h"

/* Nodes that one expression may have, variables replaced by their values, and how deep they may be. */
enum { MAX_NODES = 512, MAX_DEPTH = 64 };

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static bool is_integer(tirbi_dtype type) { return tirbi_dtype_is_int(type) && type != TIRB_BOOL; }

/* Whether an expression has one value wherever the function is, and may be computed where it begins. */
static bool is_steady(const tirbi_lx *x) {
    if (x->kind == TIRBI_LX_VAR) return x->var->kind == TIRBI_LVAR_PARAM;
    if ((x->kind != TIRBI_LX_CONST && x->kind != TIRBI_LX_OP) || x->traps || !x->pure) return false;
    for (int i = 0; i < x->n_args; i++)
        if (!is_steady(x->args[i])) return false;
    return true;
}

static bool read_symbol(const tirbi_linear_reader *r, const tirbi_lx *x, tirbi_poly *out) {
    const uint32_t known = r->facts->n_symbols, symbol = tirbi_symbol_of(r->facts, x);
    if (symbol == TIRBI_MAX_SYMBOLS) return false;
    if (symbol == known) r->facts->symbols[symbol].steady = is_steady(x);
    *out = tirbi_poly_symbol(symbol);
    return true;
}

static bool is_steady_poly(const tirbi_facts *facts, const tirbi_poly *p) {
    for (uint32_t i = 0; i < p->n; i++)
        for (unsigned k = 0; k < p->term[i].of.degree; k++)
            if (!facts->symbols[p->term[i].of.symbol[k]].steady) return false;
    return true;
}

/* A steady sum that multiplies something stands for itself: its products are what strides are made of. */
static void make_composite(const tirbi_linear_reader *r, const tirbi_lx *x, tirbi_poly *p,
                           tirbi_conditions *conditions) {
    tirbi_poly means;
    uint32_t i = 0;
    const uint32_t n = conditions->n;
    if (r->modulo || p->n < 2 || !is_steady(x) || !is_steady_poly(r->facts, p) || !tirbi_expand(r->facts, p, &means))
        return;
    if (!r->loose && !tirbi_exact_if(r->facts, p, (tirbi_dtype)x->type, conditions)) {
        conditions->n = n;
        return;
    }
    while (i < r->facts->n_symbols &&
           !(r->facts->symbols[i].means && tirbi_poly_equal(r->facts->symbols[i].means, &means)))
        i++;
    if (i == r->facts->n_symbols) {
        const tirbi_poly *kept = tirbi_keep_poly(r->facts, &means);
        i = tirbi_symbol_of(r->facts, x);
        if (!kept || i == TIRBI_MAX_SYMBOLS || i + 1 != r->facts->n_symbols) return;
        r->facts->symbols[i].steady = true;
        r->facts->symbols[i].means = kept;
    }
    *p = tirbi_poly_symbol(i);
}

static bool read_product(const tirbi_linear_reader *r, const tirbi_lx *x, tirbi_poly *a, tirbi_poly *b, tirbi_poly *out,
                         tirbi_conditions *conditions) {
    int64_t constant;
    if (!tirbi_poly_is_constant(a, &constant) && !tirbi_poly_is_constant(b, &constant)) {
        make_composite(r, x->args[0], a, conditions);
        make_composite(r, x->args[1], b, conditions);
    }
    return tirbi_poly_multiply(a, b, out);
}

/* How much of an expression may be looked at yet. */
typedef struct limits {
    uint32_t *nodes;
    unsigned depth;
} limits;

static bool read_node(const tirbi_linear_reader *r, const tirbi_lx *x, tirbi_poly *out, tirbi_conditions *conditions,
                      limits at);

/* The constant operand of a minimum or a maximum, and the other one. */
static bool split_constant(const tirbi_lx *x, tirbi_op op, const tirbi_lx **constant, const tirbi_lx **other) {
    if (x->kind != TIRBI_LX_OP || x->op != op) return false;
    const unsigned k = x->args[0]->kind == TIRBI_LX_CONST ? 0 : 1;
    *constant = x->args[k];
    *other = x->args[1 - k];
    return (*constant)->kind == TIRBI_LX_CONST;
}

/* The ends that an expression lies between by what it is: min(max(x, 0), n - 1), max(min(x, n - 1), 0), x % n, and
 * min(x + 1, n - 1) of what is known not to be negative. The greatest is an expression, and so much more. */
static bool find_ends(const tirbi_lx *x, int64_t *least, const tirbi_lx **greatest, int64_t *more) {
    const tirbi_lx *constant, *other;
    if (x->kind != TIRBI_LX_OP) return false;
    *least = *more = 0;
    if (x->op == TIRB_OP_FLOORMOD) {
        *greatest = x->args[1];
        *more = -1;
        return true;
    }
    for (unsigned k = 0; k < 2 && x->op == TIRB_OP_MIN; k++) {
        if (!split_constant(x->args[k], TIRB_OP_MAX, &constant, &other)) continue;
        *least = constant->value;
        *greatest = x->args[1 - k];
        return true;
    }
    for (unsigned k = 0; k < 2 && x->op == TIRB_OP_MIN; k++) {
        if (x->args[k]->lo < 0 || is_steady(x->args[k]) || !is_steady(x->args[1 - k])) continue;
        *greatest = x->args[1 - k];
        return true;
    }
    if (!split_constant(x, TIRB_OP_MAX, &constant, &other) || other->kind != TIRBI_LX_OP || other->op != TIRB_OP_MIN)
        return false;
    *least = constant->value;
    *greatest = other->args[is_steady(other->args[0]) ? 0 : 1];
    return true;
}

/* Whether a polynomial that is not negative says that one symbol is 1 at least: no sane call has another size. */
static bool is_one_at_least(const tirbi_poly *p) {
    const unsigned at = p->n == 2 && p->term[0].of.degree == 0 ? 1 : 0;
    return p->n == 2 && p->term[at].of.degree == 1 && p->term[at].factor == 1 && p->term[1 - at].of.degree == 0 &&
           p->term[1 - at].factor == -1;
}

bool tirbi_greatest_quotient(const tirbi_facts *facts, const tirbi_poly *all, uint32_t by, tirbi_poly *last,
                             tirbi_conditions *conditions) {
    tirbi_poly least = {.n = 0}, most = {.n = 0}, rest, room = tirbi_poly_symbol(by);
    if (!tirbi_poly_add(&most, all, -1) || !tirbi_least(facts, &most, &least) ||
        !tirbi_least_of_rest(facts, &least))
        return false;
    most.n = 0;
    if (!tirbi_poly_add(&most, &least, -1) || !tirbi_poly_split(&most, by, last, &rest) || last->n == 0) return false;
    tirbi_poly below = tirbi_poly_constant(-1);
    if (tirbi_poly_add(&below, &rest, -1) &&
        (tirbi_not_negative(facts, &below) ||
         (is_one_at_least(&below) && tirbi_not_negative_if(facts, &below, conditions))))
        return tirbi_poly_add_constant(last, -1);
    return tirbi_poly_add_constant(&room, -1) && tirbi_poly_add(&room, &rest, -1) && tirbi_not_negative(facts, &room);
}

bool tirbi_is_quotient_by_size(const tirbi_lx *x) {
    return x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_FLOORDIV || x->op == TIRB_OP_DIV) &&
           tirbi_lx_before_cast(x->args[1])->kind == TIRBI_LX_VAR && is_steady(x->args[1]) && !is_steady(x->args[0]);
}

/* The ends of a quotient by a size, which is 1 at least, of what is not negative. */
static bool read_quotient_ends(const tirbi_linear_reader *r, const tirbi_lx *x, tirbi_poly *first, tirbi_poly *end,
                               tirbi_conditions *conditions, limits at) {
    tirbi_poly all, by, positive;
    *first = tirbi_poly_constant(0);
    if (!read_node(r, x->args[1], &by, conditions, at) || by.n != 1 || by.term[0].of.degree != 1) return false;
    positive = by;
    return by.term[0].factor == 1 && tirbi_poly_add_constant(&positive, -1) &&
           tirbi_not_negative_if(r->facts, &positive, conditions) &&
           read_node(r, x->args[0], &all, conditions, at) &&
           tirbi_exact_if(r->facts, &all, (tirbi_dtype)x->type, conditions) &&
           tirbi_not_negative(r->facts, &all) &&
           tirbi_greatest_quotient(r->facts, &all, by.term[0].of.symbol[0], end, conditions);
}

/* The ends of what has some by what it is. */
static bool read_ends(const tirbi_linear_reader *r, const tirbi_lx *x, tirbi_poly *first, tirbi_poly *end,
                      tirbi_conditions *conditions, limits at) {
    const tirbi_lx *greatest;
    tirbi_poly last;
    int64_t least, more;
    if (tirbi_is_quotient_by_size(x)) return read_quotient_ends(r, x, first, end, conditions, at);
    if (!find_ends(x, &least, &greatest, &more)) return false;
    *first = tirbi_poly_constant(least);
    return read_node(r, greatest, &last, conditions, at) &&
           tirbi_exact_if(r->facts, &last, (tirbi_dtype)x->type, conditions) &&
           tirbi_expand(r->facts, &last, end) && tirbi_poly_add_constant(end, more);
}

/* Whether something has ends by what it is, as far as its form tells. */
static bool has_ends(const tirbi_lx *x) {
    const tirbi_lx *greatest;
    int64_t least, more;
    return tirbi_is_quotient_by_size(x) || (find_ends(x, &least, &greatest, &more) && is_steady(greatest));
}

/* A symbol with the ends that it lies between. These are known wherever the function is, so what is known where code is
 * being looked at proves nothing of them. False: it has ends, and the conditions have no room for what they ask. */
static bool read_bounded(const tirbi_linear_reader *r, const tirbi_lx *x, tirbi_poly *out, tirbi_conditions *conditions,
                         limits at) {
    tirbi_poly first, end, room;
    if (!read_symbol(r, x, out)) return false;
    tirbi_symbol *s = &r->facts->symbols[out->term[0].of.symbol[0]];
    if (!r->ends || r->loose || s->steady || !has_ends(x)) return true;
    const uint32_t n = conditions->n, n_known = r->facts->n_known;
    r->facts->n_known = 0;
    bool holds = read_ends(r, x, &first, &end, conditions, at);
    room = end;
    holds = holds && tirbi_poly_add(&room, &first, -1) && tirbi_not_negative_if(r->facts, &room, conditions);
    r->facts->n_known = n_known;
    if (holds && !s->first) {
        s->first = tirbi_keep_poly(r->facts, &first);
        s->last = tirbi_keep_poly(r->facts, &end);
        if (!s->last) s->first = NULL;
    }
    if (!holds) conditions->n = n;
    return holds || !s->first;
}

/* A quotient or remainder by a number, of a sum of multiples of that and a rest that lies below it; false, with no
 * condition more: it is none. */
static bool read_division(const tirbi_linear_reader *r, const tirbi_lx *x, tirbi_poly *out,
                          tirbi_conditions *conditions, limits at) {
    const uint32_t n = conditions->n;
    const int64_t by = x->args[1]->value;
    tirbi_poly all, rest = {.n = 0}, room, multiples;
    if (r->modulo || by < 2 || !read_node(r, x->args[0], &all, conditions, at) || all.n < 2 ||
        !(r->loose || tirbi_exact_if(r->facts, &all, (tirbi_dtype)x->type, conditions)) ||
        (conditions->n > n && !r->ends))
        return conditions->n = n, false;
    for (uint32_t i = 0; i < all.n; i++) {
        int64_t factor = all.term[i].factor % by;
        if (all.term[i].of.degree == 0 && factor < 0) factor += by;
        if (factor != 0 &&
            !tirbi_poly_add_term(&rest, &all.term[i].of, all.term[i].of.degree == 0 ? factor : all.term[i].factor))
            return conditions->n = n, false;
    }
    const tirbi_monomial one = {.degree = 0};
    room = tirbi_poly_constant(by - 1);
    multiples = all;
    if (!tirbi_poly_add(&room, &rest, -1) || !tirbi_not_negative(r->facts, &rest) ||
        !tirbi_not_negative(r->facts, &room) || !tirbi_poly_add(&multiples, &rest, -1) ||
        !tirbi_poly_divide(&multiples, &one, by, out))
        return conditions->n = n, false;
    if (x->op == TIRB_OP_FLOORMOD) *out = rest;
    return true;
}

static bool read_node(const tirbi_linear_reader *r, const tirbi_lx *x, tirbi_poly *out, tirbi_conditions *conditions,
                      limits at) {
    tirbi_poly a, b;
    if (at.depth == 0 || *at.nodes == 0) return false;
    at.depth--;
    (*at.nodes)--;
    if (!is_integer((tirbi_dtype)x->type) || (x->type == TIRB_U64 && x->lo < 0)) return false;
    if (x->kind == TIRBI_LX_CONST) {
        *out = tirbi_poly_constant(x->value);
        return true;
    }
    if (x->kind == TIRBI_LX_VAR) {
        const tirbi_lx *value = r->value_of ? r->value_of(r->context, x->var) : NULL;
        return value ? read_node(r, value, out, conditions, at) : read_symbol(r, x, out);
    }
    if (tirbi_is_arithmetic(x)) {
        if (!read_node(r, x->args[0], &a, conditions, at) || !read_node(r, x->args[1], &b, conditions, at))
            return false;
        if (x->op == TIRB_OP_MUL) return read_product(r, x, &a, &b, out, conditions);
        *out = a;
        return tirbi_poly_add(out, &b, x->op == TIRB_OP_SUB ? -1 : 1);
    }
    if (x->kind == TIRBI_LX_OP && (x->op == TIRB_OP_FLOORDIV || x->op == TIRB_OP_FLOORMOD) &&
        x->args[1]->kind == TIRBI_LX_CONST && read_division(r, x, out, conditions, at))
        return true;
    if (x->kind == TIRBI_LX_OP && x->op == TIRB_OP_CAST && is_integer((tirbi_dtype)x->source)) {
        const tirbi_dtype from = (tirbi_dtype)x->source, to = (tirbi_dtype)x->type;
        const uint32_t n = conditions->n;
        if (read_node(r, x->args[0], out, conditions, at) &&
            (r->loose || r->modulo ||
             (tirbi_exact_if(r->facts, out, from, conditions) && tirbi_exact_if(r->facts, out, to, conditions))))
            return true;
        conditions->n = n;
    }
    return read_bounded(r, x, out, conditions, at);
}

static bool varies(const tirbi_facts *facts, const tirbi_monomial *m) {
    for (unsigned k = 0; k < m->degree; k++)
        if (!facts->symbols[m->symbol[k]].steady) return true;
    return false;
}

/* The terms that loops or elements change. */
static uint32_t count_varying(const tirbi_facts *facts, const tirbi_poly *p) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) n += varies(facts, &p->term[i].of);
    return n;
}

/* A polynomial with what a symbol means taken out of it, as often as the greatest term of that is in terms that vary:
 * of the others, where a loop that counts down begins, say, it stands for nothing. */
static bool take_out(const tirbi_facts *facts, const tirbi_poly *p, uint32_t symbol, tirbi_poly *out) {
    const tirbi_poly one = tirbi_poly_symbol(symbol), *means = facts->symbols[symbol].means;
    tirbi_poly times = {.n = 0}, product;
    uint32_t greatest = 0;
    for (uint32_t i = 1; i < means->n; i++)
        if (means->term[i].of.degree > means->term[greatest].of.degree) greatest = i;
    for (uint32_t i = 0; i < p->n; i++) {
        tirbi_monomial left;
        if (varies(facts, &p->term[i].of) && p->term[i].factor % means->term[greatest].factor == 0 &&
            tirbi_monomial_divide(&p->term[i].of, &means->term[greatest].of, &left) &&
            !tirbi_poly_add_term(&times, &left, p->term[i].factor / means->term[greatest].factor))
            return false;
    }
    *out = *p;
    return times.n > 0 && tirbi_poly_multiply(&times, means, &product) && tirbi_poly_add(out, &product, -1) &&
           tirbi_poly_multiply(&times, &one, &product) && tirbi_poly_add(out, &product, 1);
}

/* A polynomial with what a symbol means in the place of that. */
static bool put_in(const tirbi_facts *facts, const tirbi_poly *p, uint32_t symbol, tirbi_poly *out) {
    tirbi_poly by, rest, product;
    if (!tirbi_poly_mentions(p, symbol) || !tirbi_poly_split(p, symbol, &by, &rest) ||
        !tirbi_poly_multiply(&by, facts->symbols[symbol].means, &product) || !tirbi_poly_add(&rest, &product, 1))
        return false;
    *out = rest;
    return true;
}

/* Takes a sum that says the same as `p` if it is shorter, or is with one more size taken out of it. */
static void take_shorter(const tirbi_facts *facts, const tirbi_poly *sum, tirbi_poly *p) {
    tirbi_poly other;
    if (count_varying(facts, sum) < count_varying(facts, p)) *p = *sum;
    for (uint32_t i = 0; i < facts->n_symbols; i++)
        if (facts->symbols[i].means && take_out(facts, sum, i, &other) &&
            count_varying(facts, &other) < count_varying(facts, p))
            *p = other;
}

/* Of the sums that say the same, sizes that are sums standing for themselves or not, the one with the fewest of these:
 * i + i * (n - 1) is i * n, and i + i * (n + 1) is i * (n + 2) where that is a size, beside others too. */
static void shorten(const tirbi_facts *facts, tirbi_poly *p) {
    const tirbi_poly given = *p;
    tirbi_poly other;
    if (p->n < 3 || !tirbi_expand(facts, p, &other)) return;
    take_shorter(facts, &other, p);
    take_shorter(facts, &given, p);
    for (uint32_t i = 0; i < facts->n_symbols; i++)
        if (facts->symbols[i].means && put_in(facts, &given, i, &other)) take_shorter(facts, &other, p);
}

bool tirbi_read_linear(const tirbi_linear_reader *reader, const tirbi_lx *x, tirbi_poly *out,
                       tirbi_conditions *conditions) {
    uint32_t nodes = MAX_NODES;
    if (!read_node(reader, x, out, conditions, (limits){.nodes = &nodes, .depth = MAX_DEPTH})) return false;
    shorten(reader->facts, out);
    return true;
}

/* ---- Conditions ------------------------------------------------------------------------------------------------- */

/* Factors that no product of sizes may be expected to be below. */
enum { MOST_FACTOR = 1 << 24 };

/* Whether another term takes away at least as much as a positive one adds, whatever the sizes are: m - n * m and
 * 1 - n are not negative for hardly any n. */
static bool is_outweighed(const tirbi_poly *p, uint32_t positive) {
    const tirbi_monomial *of = &p->term[positive].of;
    for (uint32_t i = 0; i < p->n; i++) {
        tirbi_monomial more;
        if (p->term[i].factor <= -p->term[positive].factor && p->term[i].of.degree > of->degree &&
            tirbi_monomial_divide(&p->term[i].of, of, &more))
            return true;
    }
    return false;
}

/* Whether a polynomial may be computed where the function begins, and is not negative for some sane sizes. */
static bool is_sane(const tirbi_facts *facts, const tirbi_poly *p) {
    bool some = false;
    for (uint32_t i = 0; i < p->n; i++) {
        const tirbi_monomial *m = &p->term[i].of;
        some = some || (p->term[i].factor > 0 && !is_outweighed(p, i));
        if (m->degree > 0 && (p->term[i].factor > MOST_FACTOR || p->term[i].factor < -MOST_FACTOR)) return false;
        for (unsigned k = 0; k < m->degree; k++) {
            const tirbi_symbol *s = &facts->symbols[m->symbol[k]];
            if (!s->steady || (m->degree > 1 && (s->lo < 0 || s->hi > INT32_MAX))) return false;
        }
    }
    return some || p->n == 0;
}

bool tirbi_least_of_rest(const tirbi_facts *facts, tirbi_poly *p) {
    for (uint32_t i = 0; i < facts->n_symbols; i++) {
        const tirbi_symbol *s = &facts->symbols[i];
        tirbi_poly by, rest, negated = {.n = 0};
        if (s->steady || !tirbi_poly_mentions(p, i)) continue;
        if (s->first || !tirbi_poly_split(p, i, &by, &rest) || !tirbi_poly_add(&negated, &by, -1)) return false;
        const bool up = tirbi_not_negative(facts, &by);
        if (!up && !tirbi_not_negative(facts, &negated)) return false;
        if (!tirbi_poly_add(&rest, &by, up ? s->lo : s->hi)) return false;
        *p = rest;
    }
    return true;
}

bool tirbi_not_negative_if(const tirbi_facts *facts, const tirbi_poly *p, tirbi_conditions *conditions) {
    tirbi_poly least;
    if (tirbi_not_negative(facts, p)) return true;
    if (!tirbi_least(facts, p, &least) || !tirbi_least_of_rest(facts, &least) || !is_sane(facts, &least)) return false;
    for (uint32_t i = 0; i < conditions->n; i++)
        if (tirbi_poly_equal(&conditions->item[i], &least)) return true;
    if (conditions->n == TIRBI_MAX_ASSUMED) return false;
    conditions->item[conditions->n++] = least;
    return true;
}

bool tirbi_exact_if(const tirbi_facts *facts, const tirbi_poly *p, tirbi_dtype type, tirbi_conditions *conditions) {
    int64_t lo, hi;
    tirbi_poly room = {.n = 0}, above = *p;
    tirbi_type_range(type, &lo, &hi);
    if (tirbi_dtypes[type].bits == 64) { /* far inside, so that nothing on the way there wraps either */
        lo = tirbi_dtype_is_signed(type) ? -(INT64_C(1) << 56) : 0;
        hi = INT64_C(1) << 56;
    }
    if (p->n == 1 && p->term[0].factor == 1 && p->term[0].of.degree == 1) { /* of one symbol its own range is known */
        const tirbi_symbol *s = &facts->symbols[p->term[0].of.symbol[0]];
        if (s->value->type == type || (s->lo >= lo && s->hi <= hi)) return true;
    }
    return tirbi_poly_add_constant(&room, hi) && tirbi_poly_add(&room, p, -1) && tirbi_poly_add_constant(&above, -lo) &&
           tirbi_not_negative_if(facts, &room, conditions) && tirbi_not_negative_if(facts, &above, conditions);
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

static const tirbi_lx *operation(tirbi_lx_pool *pool, tirbi_op op, tirbi_dtype type, const tirbi_lx *a,
                                 const tirbi_lx *b) {
    return tirbi_lx_op(pool, op, type, TIRB_TYPE_NONE, a, b, NULL);
}

const tirbi_lx *tirbi_linear_value(tirbi_lx_pool *pool, tirbi_dtype type, const tirbi_facts *facts, const tirbi_poly *p,
                                   const tirbi_lx *(*value)(void *context, const tirbi_lx *symbol), void *context) {
    const tirbi_lx *sum = NULL;
    int64_t constant = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const tirbi_monomial *m = &p->term[i].of;
        const int64_t factor = p->term[i].factor;
        const tirbi_lx *product = NULL;
        if (m->degree == 0) constant = factor;
        for (unsigned k = 0; k < m->degree; k++) {
            const tirbi_lx *x = value(context, facts->symbols[m->symbol[k]].value);
            x = x ? tirbi_lx_cast(pool, type, x) : NULL;
            product = !x ? NULL : k == 0 ? x : operation(pool, TIRB_OP_MUL, type, product, x);
            if (!product) return NULL;
        }
        if (!product) continue;
        if (factor == -1 && sum) {
            sum = operation(pool, TIRB_OP_SUB, type, sum, product);
        } else {
            if (factor != 1) product = operation(pool, TIRB_OP_MUL, type, product, tirbi_lx_int(pool, type, factor));
            sum = !product ? NULL : sum ? operation(pool, TIRB_OP_ADD, type, sum, product) : product;
        }
        if (!sum) return NULL;
    }
    if (!sum) return tirbi_lx_int(pool, type, constant);
    return constant != 0 ? operation(pool, TIRB_OP_ADD, type, sum, tirbi_lx_int(pool, type, constant)) : sum;
}

static const tirbi_lx *itself(void *context, const tirbi_lx *symbol) {
    (void)context;
    return symbol;
}

/* Whether no part of a polynomial is farther from 0 than that. */
static bool is_within(const tirbi_facts *facts, const tirbi_poly *p, int64_t farthest) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        int64_t product = p->term[i].factor < 0 ? p->term[i].factor : -p->term[i].factor; /* of magnitudes, negated */
        for (unsigned k = 0; k < p->term[i].of.degree; k++) {
            const tirbi_symbol *s = &facts->symbols[p->term[i].of.symbol[k]];
            const int64_t most = s->lo == INT64_MIN ? INT64_MAX : s->hi > -s->lo ? s->hi : -s->lo;
            if (!s->value || !tirbi_mul_i64(product, most, &product)) return false;
        }
        if (!tirbi_add_i64(sum, product, &sum)) return false;
    }
    return sum >= -farthest;
}

const tirbi_lx *tirbi_steady_value(tirbi_lx_pool *pool, const tirbi_facts *facts, const tirbi_poly *p,
                                   int64_t farthest) {
    const bool within = is_within(facts, p, farthest);
    const tirbi_lx *x = within ? tirbi_linear_value(pool, TIRB_I64, facts, p, itself, NULL) : NULL;
    return x && x->pure && !x->traps ? x : NULL;
}
