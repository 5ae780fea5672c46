/* Polynomials over what indices and bounds of loops are made of, in whole numbers.
 *
 * Symbols are integers of the program that arithmetic does not take apart: parameters, variables of loops, quotients,
 * loads. They have numbers in a table, in the order in which they were met, so that nothing depends on addresses. */
#ifndef TIRB_COMPILER_LOOP_POLY_H
#define TIRB_COMPILER_LOOP_POLY_H

#include "compiler/loop/loop.h"

enum { TIRBI_MAX_MONOMIALS = 28, TIRBI_MAX_DEGREE = 6, TIRBI_MAX_SYMBOLS = 256 };

/* A product of symbols, by ascending numbers; of none: 1. */
typedef struct tirbi_monomial {
    uint8_t symbol[TIRBI_MAX_DEGREE];
    uint8_t degree;
} tirbi_monomial;

/* The sum of factor * monomial; no factor is 0, and no monomial is there twice. */
typedef struct tirbi_poly {
    struct {
        int64_t factor;
        tirbi_monomial of;
    } term[TIRBI_MAX_MONOMIALS];
    uint32_t n;
} tirbi_poly;

tirbi_poly tirbi_poly_constant(int64_t value);
tirbi_poly tirbi_poly_symbol(uint32_t symbol);
/* Each false where the result has too many terms, too large factors or too many symbols in a product. */
bool tirbi_poly_add(tirbi_poly *sum, const tirbi_poly *other, int64_t factor);
bool tirbi_poly_add_term(tirbi_poly *sum, const tirbi_monomial *of, int64_t factor);
bool tirbi_poly_add_constant(tirbi_poly *sum, int64_t value);
bool tirbi_poly_multiply(const tirbi_poly *a, const tirbi_poly *b, tirbi_poly *out);
/* Whether it is a constant, which is in `out` then. */
bool tirbi_poly_is_constant(const tirbi_poly *p, int64_t *out);
bool tirbi_poly_equal(const tirbi_poly *a, const tirbi_poly *b);
/* What multiplies a symbol, and what is left; false: some product has it twice. */
bool tirbi_poly_split(const tirbi_poly *p, uint32_t symbol, tirbi_poly *by, tirbi_poly *rest);
/* The polynomial by a divisor, where each of its terms can be divided by that. */
bool tirbi_poly_divide(const tirbi_poly *p, const tirbi_monomial *by, int64_t factor, tirbi_poly *out);
bool tirbi_poly_mentions(const tirbi_poly *p, uint32_t symbol);

bool tirbi_monomial_equal(const tirbi_monomial *a, const tirbi_monomial *b);
bool tirbi_monomial_multiply(const tirbi_monomial *a, const tirbi_monomial *b, tirbi_monomial *out);
/* False: a is no multiple of b. */
bool tirbi_monomial_divide(const tirbi_monomial *a, const tirbi_monomial *b, tirbi_monomial *out);

#endif
