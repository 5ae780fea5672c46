/* The verifier: the one way from a program that came from outside to one that may be run.
 *
 * It proves everything that execution takes for granted: that every index of every table is inside it, that control
 * stays on instruction boundaries and cannot leave a function or enter a lane loop sideways, that types, sizes and
 * permissions of references match their uses, and that lane registers are defined, with one type, wherever they are
 * read. What depends on values (bounds of accesses, sizes, fuel) is checked by execution. */
#ifndef TIRB_LOADER_VERIFY_VERIFY_H
#define TIRB_LOADER_VERIFY_VERIFY_H

#include <tirb/status.h>

#include "loader/base/alloc.h"
#include "loader/bundle/program.h"

/* Checks a program in time linear in its size. `scratch` is for temporaries, about a quarter of the size of the longest
 * function's code and 16 bytes for each string, and counts the work. Errors: VERIFY, with the function's name in
 * `where` and the code offset in `offset`; NO_MEMORY, MEMORY_LIMIT; FUEL (the work). */
tirb_status tirbi_verify(const tirbi_program *program, tirbi_heap *scratch, tirb_error *error);

#endif
