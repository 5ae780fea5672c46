/* Mathematical functions on elements: the generic kernels of vm/math, the one thing that the oracle shares with the
 * machine (their accuracy is tested apart), and those with an exact result from the C library. */
#ifndef TIRB_TESTS_REFERENCE_MATHEMATICS_H
#define TIRB_TESTS_REFERENCE_MATHEMATICS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/ir/ir.h"
#include "loader/isa/isa.h"

/* False: no such function of this float type. */
bool tirbi_ref_math1(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t *out);
bool tirbi_ref_math2(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t b, uint64_t *out);
/* Of builtins that are several instructions: up to four operands. */
bool tirbi_ref_composed(tirb_builtin builtin, tirbi_dtype type, const uint64_t *operands, uint64_t *out);

#endif
