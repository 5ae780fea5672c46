/* The lane machine for AArch64: Advanced SIMD, which every AArch64 has, fused multiply-add included. */
#include "vm/lanes/banks.h"
#include "vm/lanes/machines.h"

#if TIRBI_LANES_NEON

#pragma GCC diagnostic ignored "-Wpedantic"

#include <arm_neon.h>
#include <math.h>
#include <string.h>

#define LANE_MACHINE tirbi_lane_machine_neon
#define BLOCKS_OF(what) what##NEON
#define VB 16
#define BANK_REGISTERS 8
#define EACH EACH8
#define BANK_VARIABLES VARIABLES8
#define FORGET_BANKS() FORGET8("w")

#define HAVE_FMA 1
#define HAVE_SQRT 1
#define HAVE_SHIFT_16 1
#define DO_FMA_F32(x, y, z) ((V)vfmaq_f32((float32x4_t)(z), (float32x4_t)(x), (float32x4_t)(y)))
#define DO_FMA_F64(x, y, z) ((V)vfmaq_f64((float64x2_t)(z), (float64x2_t)(x), (float64x2_t)(y)))
#define DO_FMS_F32(x, y, z) DO_FMA_F32(x, y, DO_NEG_F32(z))
#define DO_FMS_F64(x, y, z) DO_FMA_F64(x, y, DO_NEG_F64(z))
#define DO_FNMA_F32(x, y, z) ((V)vfmsq_f32((float32x4_t)(z), (float32x4_t)(x), (float32x4_t)(y)))
#define DO_FNMA_F64(x, y, z) ((V)vfmsq_f64((float64x2_t)(z), (float64x2_t)(x), (float64x2_t)(y)))
#define DO_SQRT_F32(x) ((V)vsqrtq_f32((float32x4_t)(x)))
#define DO_SQRT_F64(x) ((V)vsqrtq_f64((float64x2_t)(x)))
/* A minimum of floats is a choice: that of AArch64 is a NaN where one of them is, and knows the sign of 0. */
#define DO_MIN_F32(x, y) DO_SELECT_I32(DO_LT_F32(x, y), x, y)
#define DO_MAX_F32(x, y) DO_SELECT_I32(DO_LT_F32(y, x), x, y)
#define DO_MIN_F64(x, y) DO_SELECT_I32(DO_LT_F64(x, y), x, y)
#define DO_MAX_F64(x, y) DO_SELECT_I32(DO_LT_F64(y, x), x, y)
#define DO_MIN_U8(x, y) ((V)vminq_u8((uint8x16_t)(x), (uint8x16_t)(y)))
#define DO_MAX_U8(x, y) ((V)vmaxq_u8((uint8x16_t)(x), (uint8x16_t)(y)))
#define DO_MIN_I8(x, y) ((V)vminq_s8((int8x16_t)(x), (int8x16_t)(y)))
#define DO_MAX_I8(x, y) ((V)vmaxq_s8((int8x16_t)(x), (int8x16_t)(y)))
#define DO_MIN_U16(x, y) ((V)vminq_u16((uint16x8_t)(x), (uint16x8_t)(y)))
#define DO_MAX_U16(x, y) ((V)vmaxq_u16((uint16x8_t)(x), (uint16x8_t)(y)))
#define DO_MIN_I16(x, y) ((V)vminq_s16((int16x8_t)(x), (int16x8_t)(y)))
#define DO_MAX_I16(x, y) ((V)vmaxq_s16((int16x8_t)(x), (int16x8_t)(y)))
#define DO_MIN_I32(x, y) ((V)vminq_s32((int32x4_t)(x), (int32x4_t)(y)))
#define DO_MAX_I32(x, y) ((V)vmaxq_s32((int32x4_t)(x), (int32x4_t)(y)))
/* The products of the halves that count: there is no multiplication of 64-bit lanes. */
static inline __attribute__((always_inline)) int64x2_t multiply_i64(int64x2_t x, int64x2_t y) {
    uint32x4_t crossed = vmulq_u32(vreinterpretq_u32_s64(x), vrev64q_u32(vreinterpretq_u32_s64(y)));
    uint64x2_t high = vshlq_n_u64(vpaddlq_u32(crossed), 32);
    uint32x2_t x_low = vmovn_u64(vreinterpretq_u64_s64(x)), y_low = vmovn_u64(vreinterpretq_u64_s64(y));
    return vreinterpretq_s64_u64(vmlal_u32(high, x_low, y_low));
}
#define DO_MUL_I64(x, y) ((V)multiply_i64((int64x2_t)(x), (int64x2_t)(y)))
#define DO_CANON_F32(x) DO_SELECT_I32(DO_EQ_F32(x, x), x, vdupq_n_u32(0x7FC00000))
#define DO_CANON_F64(x) DO_SELECT_I32(DO_EQ_F64(x, x), x, vdupq_n_u64(UINT64_C(0x7FF8000000000000)))
#define HAVE_ROUND 1
#define DO_FLOOR_F32(x) ((V)vrndmq_f32((float32x4_t)(x)))
#define DO_CEIL_F32(x) ((V)vrndpq_f32((float32x4_t)(x)))
#define DO_TRUNC_F32(x) ((V)vrndq_f32((float32x4_t)(x)))
#define DO_ROUND_F32(x) ((V)vrndnq_f32((float32x4_t)(x)))
#define DO_FLOOR_F64(x) ((V)vrndmq_f64((float64x2_t)(x)))
#define DO_CEIL_F64(x) ((V)vrndpq_f64((float64x2_t)(x)))
#define DO_TRUNC_F64(x) ((V)vrndq_f64((float64x2_t)(x)))
#define DO_ROUND_F64(x) ((V)vrndnq_f64((float64x2_t)(x)))
#include "vm/lanes/words_neon.h"
/* The greatest of values is a NaN if one of them is. */
#define GREATER_F32(x, y) vmaxq_f32((float32x4_t)(x), (float32x4_t)(y))
#define GREATER_F64(x, y) vmaxq_f64((float64x2_t)(x), (float64x2_t)(y))
#define ANY_NAN_F32(R)                                                                                                 \
    (__builtin_isnan(vmaxvq_f32(GREATER_F32(GREATER_F32(GREATER_F32(R(0), R(1)), GREATER_F32(R(2), R(3))),             \
                                            GREATER_F32(GREATER_F32(R(4), R(5)), GREATER_F32(R(6), R(7)))))))
#define ANY_NAN_F64(R)                                                                                                 \
    (__builtin_isnan(vmaxvq_f64(GREATER_F64(GREATER_F64(GREATER_F64(R(0), R(1)), GREATER_F64(R(2), R(3))),             \
                                            GREATER_F64(GREATER_F64(R(4), R(5)), GREATER_F64(R(6), R(7)))))))
/* The first elements of a vector, at least one, are read by number: there are no masked loads. */
#define PART_MASK size_t
#define MASK_F32(n) (n)
#define MASK_F64(n) (n)
static inline __attribute__((always_inline)) int64x2_t load_part_f32(const uint8_t *p, size_t n) {
    if (n == 4) return vreinterpretq_s64_u8(vld1q_u8(p));
    uint64_t low = 0, high = 0;
    uint32_t one;
    if (n > 1) {
        memcpy(&low, p, sizeof low);
        if (n == 3) {
            memcpy(&one, p + 8, sizeof one);
            high = one;
        }
    } else {
        memcpy(&one, p, sizeof one);
        low = one;
    }
    return vcombine_s64(vcreate_s64(low), vcreate_s64(high));
}
static inline __attribute__((always_inline)) int64x2_t load_part_f64(const uint8_t *p, size_t n) {
    if (n == 2) return vreinterpretq_s64_u8(vld1q_u8(p));
    uint64_t low;
    memcpy(&low, p, sizeof low);
    return vcombine_s64(vcreate_s64(low), vcreate_s64(0));
}
#define LD_PART_F32(p, mask) ((V)load_part_f32(p, mask))
#define LD_PART_F64(p, mask) ((V)load_part_f64(p, mask))
#include "vm/lanes/machine.inc"

#endif
