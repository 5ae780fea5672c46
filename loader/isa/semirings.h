/* The operations of contractions, as a verified instruction may name them. */
#ifndef TIRB_LOADER_ISA_SEMIRINGS_H
#define TIRB_LOADER_ISA_SEMIRINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/isa/isa.h"

typedef enum tirbi_semiring {
    TIRBI_PRODUCTS,
#define TIRBI_SEMIRING(NAME, types, text) TIRBI_##NAME,
#include "loader/isa/semirings.def"
#undef TIRBI_SEMIRING
    TIRBI_SEMIRINGS
} tirbi_semiring;

enum { TIRBI_SEMIRING_SHIFT = 4, TIRBI_SEMIRING_FLAGS = 0xF0 };

static inline unsigned tirbi_semiring_of(uint8_t flags) { return flags >> TIRBI_SEMIRING_SHIFT; }

/* Whether there is such an operation on elements of a type; sums of products have their own types. */
static inline bool tirbi_semiring_has(unsigned semiring, uint8_t type) {
#define TIRBI_OF(T)     (UINT32_C(1) << TIRB_##T)
#define TIRBI_OF_FLOATS (TIRBI_OF(F32) | TIRBI_OF(F64))
#define TIRBI_OF_BITS   (TIRBI_OF(I32) | TIRBI_OF(U32) | TIRBI_OF(I64) | TIRBI_OF(U64))
#define TIRBI_SEMIRING(NAME, types, text) [TIRBI_##NAME] = (types),
    static const uint32_t all[TIRBI_SEMIRINGS] = {
#include "loader/isa/semirings.def"
    };
#undef TIRBI_SEMIRING
#undef TIRBI_OF_BITS
#undef TIRBI_OF_FLOATS
#undef TIRBI_OF
    return semiring < TIRBI_SEMIRINGS && type < 32 && (all[semiring] >> type & 1) != 0;
}

#endif
