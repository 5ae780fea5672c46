/* float16 and bfloat16: 16 bits of storage, computed with in float32 and rounded once.
 *
 * All conversions round to nearest even, keep subnormals and make NaNs canonical. They are integer arithmetic without
 * branches, so that loops over them become vector code. */
#ifndef TIRB_VM_MATH_HALF_H
#define TIRB_VM_MATH_HALF_H

#include "vm/math/core.h"

/* As operands: NaNs keep what they carry. */
TIRBI_MATH float tirbi_f16_value(uint16_t h) {
    uint32_t magnitude = h & 0x7FFFu;
    uint32_t shifted = magnitude << 13;
    /* Exponents are rebiased by 112; infinity and NaN need as much again. Below 2^-14, 2^-14 plus the fraction as a
     * normal number less 2^-14 is the value. */
    uint32_t normal = shifted + ((magnitude >= 0x7C00u ? 224u : 112u) << 23);
    float subnormal = tirbi_f32_from_bits(shifted + (113u << 23)) - 0x1p-14f;
    uint32_t bits = magnitude < 0x0400u ? tirbi_f32_bits(subnormal) : normal;
    return tirbi_f32_from_bits(bits | (uint32_t)(h & 0x8000u) << 16);
}
TIRBI_MATH float tirbi_bf16_value(uint16_t h) { return tirbi_f32_from_bits((uint32_t)h << 16); }

TIRBI_MATH float tirbi_f16_to_f32(uint16_t h) { return tirbi_canon_f32(tirbi_f16_value(h)); }
TIRBI_MATH float tirbi_bf16_to_f32(uint16_t h) { return tirbi_canon_f32(tirbi_bf16_value(h)); }

TIRBI_MATH uint16_t tirbi_f32_to_f16(float v) {
    uint32_t bits = tirbi_f32_bits(v);
    uint32_t magnitude = bits & 0x7FFFFFFFu;
    uint32_t sign = (bits >> 16) & 0x8000u;
    uint32_t normal = (magnitude + 0xFFFu + ((magnitude >> 13) & 1u) - (112u << 23)) >> 13;
    /* The unit in the last place of 0.5 is that of the float16 subnormals: the addition rounds. */
    uint32_t subnormal = tirbi_f32_bits(tirbi_f32_from_bits(magnitude) + 0.5f) - 0x3F000000u;
    uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
    result = magnitude >= 0x477FF000u ? 0x7C00u : result;
    result |= sign;
    return (uint16_t)(magnitude > 0x7F800000u ? 0x7E00u : result);
}

/* Of what is canonical: that NaN becomes the other type's by itself. */
TIRBI_MATH uint16_t tirbi_rounded_bf16(float v) {
    uint32_t bits = tirbi_f32_bits(v);
    return (uint16_t)((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}
TIRBI_MATH uint16_t tirbi_rounded_f16(float v) { return tirbi_f32_to_f16(v); }
TIRBI_MATH uint16_t tirbi_f32_to_bf16(float v) { return tirbi_rounded_bf16(tirbi_canon_f32(v)); }

/* Rounded to odd: inexact results get an odd last bit, so that a second rounding to fewer bits is a correct first one.
 * The last bit that a normal float32 value has is set where one of those behind it is. */
TIRBI_MATH double tirbi_sticky_f64(double v) {
    uint64_t bits = tirbi_f64_bits(v), behind = 0x1FFFFFFFu;
    return tirbi_f64_from_bits((bits | ((bits & behind) + behind)) & ~behind);
}

/* What is below the normal float32 values is 0 in float16, and in bfloat16 a multiple of 2^-133. */
TIRBI_MATH uint16_t tirbi_f64_to_f16(double v) { return tirbi_f32_to_f16((float)tirbi_sticky_f64(v)); }
TIRBI_MATH uint16_t tirbi_f64_to_bf16(double v) {
    double magnitude = tirbi_magnitude_f64(v);
    double tiny = tirbi_with_sign_f64((magnitude + 0x1p-81) - 0x1p-81, v);
    return tirbi_f32_to_bf16((float)(magnitude < 0x1p-126 ? tiny : tirbi_sticky_f64(v)));
}

/* Integers with fewer digits that round to the same bfloat16, so that the conversion to floating point is exact: where
 * they are large, the last digit that is kept is set if one of those behind it is. `above` is not 0 there. */
#define TIRBI_STICKY_INT(t, U, bits, behind)                                                                           \
    TIRBI_MATH U tirbi_sticky_##t(U v, U above) {                                                                      \
        U mask = ((U)0 - above) >> ((bits) - (behind));                                                                \
        return (v | ((v & mask) + mask)) & ~mask;                                                                      \
    }
TIRBI_STICKY_INT(i32, uint32_t, 32, 7)
TIRBI_STICKY_INT(u32, uint32_t, 32, 8)
TIRBI_STICKY_INT(i64, uint64_t, 64, 11)
#undef TIRBI_STICKY_INT
TIRBI_MATH uint16_t tirbi_i32_to_bf16(int32_t v) {
    uint32_t u = (uint32_t)v;
    return tirbi_rounded_bf16((float)(int32_t)tirbi_sticky_i32(u, (u + (1u << 23)) >> 24));
}
TIRBI_MATH uint16_t tirbi_u32_to_bf16(uint32_t u) {
    return tirbi_rounded_bf16((float)tirbi_sticky_u32(u, u >> 24));
}
TIRBI_MATH uint16_t tirbi_i64_to_bf16(int64_t v) {
    uint64_t u = (uint64_t)v;
    int64_t kept = (int64_t)tirbi_sticky_i64(u, (u + ((uint64_t)1 << 40)) >> 41);
    return tirbi_rounded_bf16((float)tirbi_sticky_f64(tirbi_i64_to_f64(kept)));
}
TIRBI_MATH uint16_t tirbi_u64_to_bf16(uint64_t u) {
    return tirbi_rounded_bf16((float)tirbi_sticky_f64(tirbi_u64_to_f64(tirbi_sticky_i64(u, u >> 41))));
}

#endif
