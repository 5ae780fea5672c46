#include "compiler/loop/inside.h"

#include "compiler/loop/linear.h"

/* Variables that are set once are symbols here: what they are set to is not at hand. */
static const tirbi_lx *no_value(void *context, const tirbi_lvar *var) {
    (void)context, (void)var;
    return NULL;
}

/* An expression that is exact by what is known alone. */
static bool read(tirbi_facts *known, const tirbi_lx *x, tirbi_poly *out) {
    const tirbi_linear_reader reader = {.facts = known, .value_of = no_value};
    tirbi_conditions conditions = {.n = 0};
    return x->pure && tirbi_read_linear(&reader, x, out, &conditions) && conditions.n == 0;
}

/* The same of one that is an int64, and lies there by what is known. */
static bool read_exactly(tirbi_facts *known, const tirbi_lx *x, tirbi_poly *out) {
    tirbi_conditions conditions = {.n = 0};
    return read(known, x, out) && tirbi_exact_if(known, out, TIRB_I64, &conditions) && conditions.n == 0;
}

/* Takes note of the bounds of all loops among the symbols from `from` on; their bounds may name others. */
static void bound_loops(tirbi_facts *known, uint32_t from) {
    for (uint32_t i = from; i < known->n_symbols; i++) {
        const tirbi_lx *x = known->symbols[i].value;
        tirbi_poly first, count;
        if (x->kind != TIRBI_LX_VAR || x->var->kind != TIRBI_LVAR_LOOP) continue;
        if (read_exactly(known, x->var->min, &first) && read_exactly(known, x->var->extent, &count))
            tirbi_bound_symbol(known, i, &first, &count);
    }
}

bool tirbi_known_inside(tirbi_facts *known, const tirbi_lx *index, const tirbi_lx *extent) {
    const uint32_t n_symbols = known->n_symbols, n_known = known->n_known, n_room = known->n_room;
    tirbi_poly at, room;
    bool inside = false;
    if (read(known, index, &at) && read_exactly(known, extent, &room)) {
        bound_loops(known, n_symbols);
        inside = tirbi_poly_add_constant(&room, -1) && tirbi_poly_add(&room, &at, -1) &&
                 (index->lo >= 0 || tirbi_not_negative(known, &at)) && tirbi_not_negative(known, &room);
    }
    known->n_symbols = n_symbols;
    known->n_known = n_known;
    known->n_room = n_room;
    return inside;
}
