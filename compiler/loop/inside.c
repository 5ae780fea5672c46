#include "compiler/loop/inside.h"

#include "compiler/loop/exact.h"
#include "compiler/loop/linear.h"

/* Variables that are set once are symbols here: what they are set to is not at hand. */
static const tirbi_lx *no_value(void *context, const tirbi_lvar *var) {
    (void)context, (void)var;
    return NULL;
}

/* An expression that is exact by what is known alone. */
static bool read(tirbi_facts *known, const tirbi_lx *x, tirbi_poly *out) {
    const tirbi_linear_reader reader = {.facts = known, .value_of = no_value};
    tirbi_conditions conditions; /* is large */
    conditions.n = 0;
    return x->pure && tirbi_read_linear(&reader, x, out, &conditions) && conditions.n == 0;
}

/* The same of one that is an int64, and lies there by what is known. */
static bool read_exactly(tirbi_facts *known, const tirbi_lx *x, tirbi_poly *out) {
    tirbi_conditions conditions; /* is large */
    conditions.n = 0;
    return read(known, x, out) && tirbi_exact_if(known, out, TIRB_I64, &conditions) && conditions.n == 0;
}

/* A quotient that is rounded down, by a constant: its numerator and the constant. */
static bool is_quotient(const tirbi_lx *x, const tirbi_lx **numerator, int64_t *by) {
    if (x->kind != TIRBI_LX_OP || x->n_args != 2 || x->args[1]->kind != TIRBI_LX_CONST) return false;
    *numerator = x->args[0];
    *by = x->args[1]->value;
    if (x->op == TIRB_OP_SHR && *by >= 0 && *by < 31)
        *by = INT64_C(1) << *by;
    else if (x->op != TIRB_OP_FLOORDIV && (x->op != TIRB_OP_DIV || x->args[0]->lo < 0))
        return false;
    return *by > 0;
}

/* Of a quotient q = e // c it is known that 0 <= e - c * q < c. */
static void know_quotient(tirbi_facts *known, uint32_t symbol, const tirbi_lx *numerator, int64_t by) {
    tirbi_conditions conditions; /* is large */
    conditions.n = 0;
    const tirbi_poly q = tirbi_poly_symbol(symbol);
    tirbi_poly rest, room = tirbi_poly_constant(by - 1);
    if (!read(known, numerator, &rest) || !tirbi_exact_if(known, &rest, (tirbi_dtype)numerator->type, &conditions) ||
        conditions.n > 0 || !tirbi_poly_add(&rest, &q, -by) || !tirbi_poly_add(&room, &rest, -1))
        return;
    tirbi_know(known, &rest);
    tirbi_know(known, &room);
}

/* Of a quotient by a size, the last value that it has. */
static void know_greatest(tirbi_facts *known, uint32_t symbol, const tirbi_lx *quotient) {
    tirbi_conditions conditions; /* is large */
    conditions.n = 0;
    const tirbi_poly q = tirbi_poly_symbol(symbol);
    tirbi_poly all, by, room;
    if (quotient->args[1]->lo < 1 || !read(known, quotient->args[1], &by) || by.n != 1 || by.term[0].of.degree != 1 ||
        by.term[0].factor != 1 || !read(known, quotient->args[0], &all))
        return;
    if (!tirbi_exact_if(known, &all, (tirbi_dtype)quotient->type, &conditions) || conditions.n > 0 ||
        !tirbi_not_negative(known, &all) ||
        !tirbi_greatest_quotient(known, &all, by.term[0].of.symbol[0], &room, &conditions) || conditions.n > 0 ||
        !tirbi_poly_add(&room, &q, -1))
        return;
    tirbi_know(known, &q);
    tirbi_know(known, &room);
}

/* What a quotient by a size is made of becomes symbols behind it. */
static void find_symbols(tirbi_facts *known, const tirbi_lx *quotient) {
    tirbi_poly part;
    for (int i = 0; i < 2; i++) (void)read(known, quotient->args[i], &part);
}

/* Takes note of the bounds of the loops and quotients among the symbols from `from` on; these may name others, which
 * are known before a quotient by a size is asked about. */
static void bound_symbols(tirbi_facts *known, uint32_t from) {
    for (uint32_t i = from; i < known->n_symbols; i++) {
        const tirbi_lx *x = known->symbols[i].value, *numerator;
        tirbi_poly first, count;
        int64_t by;
        if (is_quotient(x, &numerator, &by))
            know_quotient(known, i, numerator, by);
        else if (tirbi_is_quotient_by_size(x))
            find_symbols(known, x);
        if (x->kind != TIRBI_LX_VAR || x->var->kind != TIRBI_LVAR_LOOP || !x->var->min || !x->var->extent) continue;
        const bool is_part = x->var->below && x->lo >= 0; /* of a range that is known better than its own ends */
        if (is_part) first = tirbi_poly_constant(0);
        if ((is_part || read_exactly(known, x->var->min, &first)) &&
            read_exactly(known, is_part ? x->var->below : x->var->extent, &count))
            tirbi_bound_symbol(known, i, &first, &count);
    }
    for (uint32_t i = known->n_symbols; i-- > from;)
        if (tirbi_is_quotient_by_size(known->symbols[i].value)) know_greatest(known, i, known->symbols[i].value);
}

static bool is_inside(tirbi_facts *known, const tirbi_lx *index, const tirbi_lx *extent) {
    const uint32_t n_symbols = known->n_symbols, n_known = known->n_known, n_room = known->n_room;
    tirbi_poly at, room;
    bool inside = false;
    if (read(known, index, &at) && read_exactly(known, extent, &room)) {
        bound_symbols(known, n_symbols);
        inside = tirbi_poly_add_constant(&room, -1) && tirbi_poly_add(&room, &at, -1) &&
                 (index->lo >= 0 || tirbi_not_negative(known, &at)) && tirbi_not_negative(known, &room);
    }
    known->n_symbols = n_symbols;
    known->n_known = n_known;
    known->n_room = n_room;
    return inside;
}

/* Whether something known says at least that much. */
static bool is_said(const tirbi_facts *known, const tirbi_poly *not_negative) {
    for (uint32_t i = 0; i < known->n_known; i++) {
        tirbi_poly more = *not_negative;
        if (tirbi_poly_add(&more, &known->known[i], -1) && tirbi_not_negative(known, &more)) return true;
    }
    return false;
}

/* A whole number from 0 to `most` is the int64 that has it modulo 2^64. */
bool tirbi_known_at_most(tirbi_facts *known, const tirbi_lx *extent, int64_t most) {
    if (!known) return false;
    const uint32_t n_symbols = known->n_symbols, n_room = known->n_room;
    tirbi_poly sum, all, room = tirbi_poly_constant(most);
    const bool holds = read(known, extent, &sum) && tirbi_expand(known, &sum, &all) &&
                       tirbi_not_negative(known, &all) && tirbi_poly_add(&room, &all, -1) && is_said(known, &room);
    known->n_symbols = n_symbols;
    known->n_room = n_room;
    return holds;
}

/* Whether what an index is made of may tell where it is, as nothing else is known: it is more than one variable, which
 * its extent would be looked at for, and nothing of it is below zero. */
static bool may_be_told(const tirbi_lx *index) {
    while (tirbi_keeps_value(index)) index = index->args[0];
    return index->pure && index->lo >= 0 && index->kind == TIRBI_LX_OP && index->n_args == 2;
}

bool tirbi_known_inside(tirbi_facts *known, const tirbi_lx *index, const tirbi_lx *extent) {
    if (known || !may_be_told(index)) return known && is_inside(known, index, extent);
    tirbi_symbol symbols[TIRBI_MAX_SYMBOLS];
    tirbi_poly room[TIRBI_MAX_ROOM];
    tirbi_facts none;
    none.arena = NULL;
    none.room = room;
    none.symbols = symbols;
    none.n_room = none.n_symbols = none.n_known = 0;
    return is_inside(&none, index, extent);
}
