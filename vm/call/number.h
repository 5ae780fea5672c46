/* Scalars between the API (int64_t, double) and registers.
 *
 * Everything is integer arithmetic on bit patterns: the host's rounding mode and its flush-to-zero flags, which are in
 * force until a run starts, cannot change a value. */
#ifndef TIRB_VM_CALL_NUMBER_H
#define TIRB_VM_CALL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/isa/isa.h"

/* The bits of `value` rounded to nearest even in the float type `type`. A NaN becomes the canonical one, but for f64,
 * whose bits are kept. */
uint64_t tirbi_number_from_double(tirbi_dtype type, double value);

/* The bits of an integer in the float type `type`; false if the type cannot hold it exactly. */
bool tirbi_number_from_int(tirbi_dtype type, int64_t value, uint64_t *out_bits);

/* The value of a register that holds a float of `type`. */
double tirbi_number_to_double(tirbi_dtype type, uint64_t bits);

/* Whether an integer (for TIRB_U64: by its bits) is a value of the integer or bool type `type`. */
bool tirbi_number_fits(tirbi_dtype type, int64_t value);

#endif
