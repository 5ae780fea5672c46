/* Storage types in the oracle: floats of 8, 6 and 4 bits and integers of fewer than 8 are bytes; they are computed with
 * as float32, or as int8 and uint8, and every result is put back into the type. */
#ifndef TIRB_TESTS_REFERENCE_NARROW_H
#define TIRB_TESTS_REFERENCE_NARROW_H

#include "tests/reference/machine.h"

bool tirbi_ref_is_narrow(tirb_datatype type);
/* float32, int8 or uint8 with the lanes of a narrow type; any other type itself. */
tirb_datatype tirbi_ref_wide(tirb_datatype type);
/* The byte of a constant. */
uint64_t tirbi_ref_narrow_constant(tirb_datatype type, double value);
/* Gives a value the wide type. */
bool tirbi_ref_widen(tirbi_ref_machine *m, tirbi_ref_value *value);
/* Gives a value of a wide type the narrow one, which floats saturate to where it is an integer. */
bool tirbi_ref_narrow(tirbi_ref_machine *m, tirb_datatype type, tirbi_ref_value *value);

#endif
