/* Arithmetic on single elements: how integers wrap, what divides by zero, how floats round, which NaN comes out
 * (tests/reference/RULES.md). An element is the low bits of a uint64_t, sign-extended for signed types, zero-extended
 * for all others (floats by their bits). */
#ifndef TIRB_TESTS_REFERENCE_VALUE_H
#define TIRB_TESTS_REFERENCE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/isa/isa.h"

/* The element whose low bits are `bits`, extended as its type asks. */
uint64_t tirbi_ref_extend(tirbi_dtype type, uint64_t bits);

/* Exact. */
double tirbi_ref_to_double(tirbi_dtype type, uint64_t bits);
/* Rounds once to nearest even; NaN becomes the canonical one. */
uint64_t tirbi_ref_from_double(tirbi_dtype type, double value);
uint64_t tirbi_ref_from_int(tirbi_dtype type, int64_t value);
uint64_t tirbi_ref_canonical_nan(tirbi_dtype type);

/* Conversion from one type to another: integers wrap; floats truncate and saturate to integers, NaN to 0; what
 * becomes a float is rounded to nearest even. */
uint64_t tirbi_ref_cast(tirbi_dtype to, tirbi_dtype from, uint64_t bits);

/* ADD .. MAX, the bitwise operations and shifts, comparisons (the result is a bool), POW .. LDEXP: a two-operand
 * elementwise instruction. False: division by zero. An operation that the type has not gives false too, with *known
 * false. */
bool tirbi_ref_binary(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t b, uint64_t *out, bool *known);
/* One operand: NOT, POPCOUNT, CLZ, ABS, ISNAN, SQRT .. ERF. False: the type has no such operation. */
bool tirbi_ref_unary(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t *out);
/* a * b + c with one rounding; for f16 and bf16 an f32 fma and one more rounding. */
uint64_t tirbi_ref_fma(tirbi_dtype type, uint64_t a, uint64_t b, uint64_t c);
uint64_t tirbi_ref_negate(tirbi_dtype type, uint64_t a);

#endif
