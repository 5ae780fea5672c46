/* Scalar registers are 64-bit slots: how a value of each type is read from its slot and written to it. */
#ifndef TIRB_VM_LANES_SLOTS_H
#define TIRB_VM_LANES_SLOTS_H

#include <stdint.h>
#include <string.h>

#include "loader/isa/isa.h"

typedef uint8_t tirbi_c_bool;
typedef int8_t tirbi_c_i8;
typedef int16_t tirbi_c_i16;
typedef int32_t tirbi_c_i32;
typedef int64_t tirbi_c_i64;
typedef uint8_t tirbi_c_u8;
typedef uint16_t tirbi_c_u16;
typedef uint32_t tirbi_c_u32;
typedef uint64_t tirbi_c_u64;
typedef uint16_t tirbi_c_f16;
typedef uint16_t tirbi_c_bf16;
typedef float tirbi_c_f32;
typedef double tirbi_c_f64;

#define TIRBI_INTEGER_SLOT(t, wide)                                                                                    \
    static inline tirbi_c_##t tirbi_slot_##t(uint64_t slot) { return (tirbi_c_##t)slot; }                              \
    static inline uint64_t tirbi_slot_of_##t(tirbi_c_##t v) { return (uint64_t)(wide)v; }
TIRBI_INTEGER_SLOT(i8, int64_t)
TIRBI_INTEGER_SLOT(i16, int64_t)
TIRBI_INTEGER_SLOT(i32, int64_t)
TIRBI_INTEGER_SLOT(i64, int64_t)
TIRBI_INTEGER_SLOT(u8, uint64_t)
TIRBI_INTEGER_SLOT(u16, uint64_t)
TIRBI_INTEGER_SLOT(u32, uint64_t)
TIRBI_INTEGER_SLOT(u64, uint64_t)
TIRBI_INTEGER_SLOT(f16, uint64_t)
TIRBI_INTEGER_SLOT(bf16, uint64_t)
#undef TIRBI_INTEGER_SLOT

/* A bool is true when its low byte is not 0, and is written as 0 or 1. */
static inline uint8_t tirbi_slot_bool(uint64_t slot) { return (uint8_t)((uint8_t)slot != 0); }
static inline uint64_t tirbi_slot_of_bool(uint8_t v) { return v != 0; }

static inline float tirbi_slot_f32(uint64_t slot) {
    uint32_t bits = (uint32_t)slot;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
static inline uint64_t tirbi_slot_of_f32(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static inline double tirbi_slot_f64(uint64_t slot) {
    double v;
    memcpy(&v, &slot, sizeof v);
    return v;
}
static inline uint64_t tirbi_slot_of_f64(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* The low bits of a slot, extended as a register of `type` is. */
static inline uint64_t tirbi_slot_extend(uint64_t slot, uint8_t type) {
    switch (type) {
    case TIRB_BOOL: return tirbi_slot_bool(slot);
    case TIRB_I8: return tirbi_slot_of_i8((int8_t)slot);
    case TIRB_I16: return tirbi_slot_of_i16((int16_t)slot);
    case TIRB_I32: return tirbi_slot_of_i32((int32_t)slot);
    case TIRB_U8: return (uint8_t)slot;
    case TIRB_U16:
    case TIRB_F16:
    case TIRB_BF16: return (uint16_t)slot;
    case TIRB_U32:
    case TIRB_F32: return (uint32_t)slot;
    default: return slot;
    }
}

/* Where the value of `size` bytes in a slot lies. */
static inline void *tirbi_slot_bytes(uint64_t *slot, size_t size) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (uint8_t *)slot + (sizeof *slot - size);
#else
    (void)size;
    return slot;
#endif
}

/* The register for a value of `type` whose bytes are the first of *bytes. */
static inline uint64_t tirbi_slot_from_bytes(const uint64_t *bytes, uint8_t type) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return tirbi_slot_extend(*bytes >> (64 - 8 * tirbi_dtypes[type].size), type);
#else
    return tirbi_slot_extend(*bytes, type);
#endif
}

#endif
