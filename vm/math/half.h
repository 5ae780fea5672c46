/* float16 and bfloat16: 16 bits of storage, computed with in float32 and rounded once.
 *
 * All conversions round to nearest even, keep subnormals and make NaNs canonical. They are integer arithmetic without
 * branches, so that loops over them become vector code. */
#ifndef TIRB_VM_MATH_HALF_H
#define TIRB_VM_MATH_HALF_H

#include "vm/math/core.h"

TIRBI_MATH float tirbi_f16_to_f32(uint16_t h) {
    uint32_t magnitude = h & 0x7FFFu;
    uint32_t shifted = magnitude << 13;
    /* Exponents are rebiased by 112; infinity and NaN need as much again. Below 2^-14, 2^-14 plus the fraction as a
     * normal number less 2^-14 is the value. */
    uint32_t normal = shifted + ((magnitude >= 0x7C00u ? 224u : 112u) << 23);
    float subnormal = tirbi_f32_from_bits(shifted + (113u << 23)) - 0x1p-14f;
    uint32_t bits = magnitude < 0x0400u ? tirbi_f32_bits(subnormal) : normal;
    bits |= (uint32_t)(h & 0x8000u) << 16;
    return tirbi_f32_from_bits(magnitude > 0x7C00u ? 0x7FC00000u : bits);
}

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

TIRBI_MATH float tirbi_bf16_to_f32(uint16_t h) {
    uint32_t bits = (uint32_t)h << 16;
    return tirbi_f32_from_bits((h & 0x7FFFu) > 0x7F80u ? 0x7FC00000u : bits);
}

TIRBI_MATH uint16_t tirbi_f32_to_bf16(float v) {
    uint32_t bits = tirbi_f32_bits(v);
    uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
    return (uint16_t)((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC0u : rounded);
}

/* Rounded to odd: inexact results get an odd last bit, so that a second rounding to fewer bits is a correct first
 * one. */
TIRBI_MATH float tirbi_f64_to_f32_odd(double v) {
    float nearest = (float)v;
    uint32_t bits = tirbi_f32_bits(nearest);
    uint32_t away = tirbi_magnitude_f64((double)nearest) > tirbi_magnitude_f64(v) ? 1u : 0u;
    uint32_t odd = (bits - away) | 1u;
    return tirbi_f32_from_bits((double)nearest != v ? odd : bits);
}

TIRBI_MATH uint16_t tirbi_f64_to_f16(double v) { return tirbi_f32_to_f16(tirbi_f64_to_f32_odd(v)); }
TIRBI_MATH uint16_t tirbi_f64_to_bf16(double v) { return tirbi_f32_to_bf16(tirbi_f64_to_f32_odd(v)); }

/* 64-bit integers as doubles that round to the same bfloat16: what does not fit 53 bits is kept as one sticky bit. */
TIRBI_MATH uint16_t tirbi_i64_to_bf16(int64_t v) {
    uint64_t u = (uint64_t)v;
    uint64_t sticky = (u & ~(uint64_t)0xFFF) | ((u & 0xFFF) != 0 ? (uint64_t)0x800 : (uint64_t)0);
    bool fits = v > -((int64_t)1 << 53) && v < ((int64_t)1 << 53);
    return tirbi_f64_to_bf16((double)(fits ? v : (int64_t)sticky));
}

TIRBI_MATH uint16_t tirbi_u64_to_bf16(uint64_t u) {
    uint64_t sticky = (u & ~(uint64_t)0xFFF) | ((u & 0xFFF) != 0 ? (uint64_t)0x800 : (uint64_t)0);
    return tirbi_f64_to_bf16((double)(u < ((uint64_t)1 << 53) ? u : sticky));
}

#endif
