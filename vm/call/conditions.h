/* What a function requires of its arguments beyond their types: relations between extents and integers. */
#ifndef TIRB_VM_CALL_CONDITIONS_H
#define TIRB_VM_CALL_CONDITIONS_H

#include "vm/call/bind.h"

/* Checks the function's conditions, in their order, by the shape variables that are bound; one that mentions another
 * variable is passed over. Errors: SHAPE, which shows the first that does not hold with its numbers. */
tirb_status tirbi_check_conditions(const tirbi_binding *binding);

#endif
