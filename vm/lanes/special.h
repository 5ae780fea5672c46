/* The functions of vm/math/special.h as strip kernels and scalar functions, which all instruction sets share. */
#ifndef TIRB_VM_LANES_SPECIAL_H
#define TIRB_VM_LANES_SPECIAL_H

#include "vm/lanes/kernels.h"
#include "vm/math/special.h"

/* X(TYPE, type, NAME, name) of every function and type. */
#define TIRBI_SPECIAL_TYPES(X, NAME, name) \
    X(F16, f16, NAME, name) X(BF16, bf16, NAME, name) X(F32, f32, NAME, name) X(F64, f64, NAME, name)

#define TIRBI_DECLARE_SPECIAL(TYPE, type, NAME, name)                                                 \
    bool tirbi_strip_##name##_##type(void *d, const void *a, const void *b, const void *c, size_t n); \
    bool tirbi_scalar_##name##_##type(uint64_t *d, uint64_t a, uint64_t b, uint64_t c);
#define TIRBI_DECLARE_SPECIALS(NAME, name) TIRBI_SPECIAL_TYPES(TIRBI_DECLARE_SPECIAL, NAME, name)
TIRBI_SPECIAL_1(TIRBI_DECLARE_SPECIALS)
TIRBI_SPECIAL_2(TIRBI_DECLARE_SPECIALS)
#undef TIRBI_DECLARE_SPECIALS
#undef TIRBI_DECLARE_SPECIAL

/* Their rows in a kernel table. */
#define TIRBI_STRIP_ROW(TYPE, type, NAME, name) \
    [TIRB_OP_##NAME - TIRBI_FIRST_ELEMENTWISE][TIRB_##TYPE] = tirbi_strip_##name##_##type,
#define TIRBI_SCALAR_ROW(TYPE, type, NAME, name) \
    [TIRB_OP_##NAME - TIRBI_FIRST_ELEMENTWISE][TIRB_##TYPE] = tirbi_scalar_##name##_##type,
#define TIRBI_STRIP_ROWS(NAME, name)  TIRBI_SPECIAL_TYPES(TIRBI_STRIP_ROW, NAME, name)
#define TIRBI_SCALAR_ROWS(NAME, name) TIRBI_SPECIAL_TYPES(TIRBI_SCALAR_ROW, NAME, name)
#define TIRBI_SPECIAL_STRIPS          TIRBI_SPECIAL_1(TIRBI_STRIP_ROWS) TIRBI_SPECIAL_2(TIRBI_STRIP_ROWS)
#define TIRBI_SPECIAL_SCALARS         TIRBI_SPECIAL_1(TIRBI_SCALAR_ROWS) TIRBI_SPECIAL_2(TIRBI_SCALAR_ROWS)

#endif
