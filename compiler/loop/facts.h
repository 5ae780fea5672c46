/* What is known of whole numbers: polynomials that are not negative, where code stands. */
#ifndef TIRB_COMPILER_LOOP_FACTS_H
#define TIRB_COMPILER_LOOP_FACTS_H

#include "compiler/loop/poly.h"

enum { TIRBI_MAX_FACTS = 64, TIRBI_MAX_ROOM = 24 };

typedef struct tirbi_symbol {
    const tirbi_lx *value;
    int64_t lo, hi;                 /* it lies between these */
    bool steady;                    /* it has one value wherever the function is, and computing that cannot fail */
    const tirbi_poly *means;        /* of a steady sum that multiplies something; else NULL */
    const tirbi_poly *first, *last; /* of the variable of a loop, where its bounds are polynomials; else NULL */
} tirbi_symbol;

typedef struct tirbi_facts {
    tirbi_arena *arena; /* for polynomials of symbols; NULL: these are in `room` */
    tirbi_poly *room;   /* TIRBI_MAX_ROOM of them */
    uint32_t n_room;
    tirbi_symbol *symbols; /* TIRBI_MAX_SYMBOLS of them, so that they stay where they are */
    uint32_t n_symbols;
    tirbi_poly known[TIRBI_MAX_FACTS]; /* not negative where code is being looked at; the last ones hold in a part */
    uint32_t n_known;
} tirbi_facts;

/* A copy that stays; NULL: there is no room. */
const tirbi_poly *tirbi_keep_poly(tirbi_facts *facts, const tirbi_poly *p);
/* Takes note of the first value of a loop's variable, and of how many there are. */
void tirbi_bound_symbol(tirbi_facts *facts, uint32_t symbol, const tirbi_poly *first, const tirbi_poly *count);
/* The number of what has a value; TIRBI_MAX_SYMBOLS: there are as many already. */
uint32_t tirbi_symbol_of(tirbi_facts *facts, const tirbi_lx *value);
/* A polynomial without composite symbols; false: it has too many terms. */
bool tirbi_expand(const tirbi_facts *facts, const tirbi_poly *p, tirbi_poly *out);
/* Takes note of what holds until `n_known` is set back; more than there is room for is not known. */
void tirbi_know(tirbi_facts *facts, const tirbi_poly *not_negative);
/* Whether a polynomial is proven not to be negative wherever the loops around run. */
bool tirbi_not_negative(const tirbi_facts *facts, const tirbi_poly *p);
/* The least that it is while loops run, as a polynomial of what stays the same in them; false: that is not known. */
bool tirbi_least(const tirbi_facts *facts, const tirbi_poly *p, tirbi_poly *out);

#endif
