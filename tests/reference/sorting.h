/* What tvm.contrib.sort.* means (compiler/lower/library.h says it). */
#ifndef TIRB_TESTS_REFERENCE_SORTING_H
#define TIRB_TESTS_REFERENCE_SORTING_H

#include "tests/reference/machine.h"

/* Runs a packed call of this name if it is one that sorts. */
bool tirbi_ref_sort(tirbi_ref_machine *m, const tirb_expr *call, const char *name, bool *known);

#endif
