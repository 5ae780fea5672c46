/* What is known of whole numbers: polynomials that are not negative, where code stands. */
#ifndef TIRB_COMPILER_OPTIMIZE_ANALYSIS_FACTS_H
#define TIRB_COMPILER_OPTIMIZE_ANALYSIS_FACTS_H

#include "compiler/optimize/analysis/poly.h"

enum { TIRBI_MAX_FACTS = 64 };

typedef struct tirbi_symbol {
    const tirbi_lx *value;
    int64_t lo, hi; /* it lies between these */
    bool steady;    /* it has one value wherever the function is, and computing that cannot fail */
    bool composite; /* a steady sum that multiplies something, which is: */
    tirbi_poly means;
    bool bounded;           /* the variable of a loop, whose first and last values are: */
    tirbi_poly first, last; /* of symbols with lower numbers */
} tirbi_symbol;

typedef struct tirbi_facts {
    tirbi_symbol *symbols; /* TIRBI_MAX_SYMBOLS of them, so that they stay where they are */
    uint32_t n_symbols;
    tirbi_poly known[TIRBI_MAX_FACTS]; /* not negative where code is being looked at; the last ones hold in a part */
    uint32_t n_known;
} tirbi_facts;

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
