/* Lanes that stand for elements of smaller sizes, and truths, by Advanced SIMD: see vm/lanes/words.inc. */
#ifndef TIRB_VM_LANES_WORDS_NEON_H
#define TIRB_VM_LANES_WORDS_NEON_H

#define HAVE_WORDS   1
#define HAVE_HALVES  1
#define WORDS_INLINE static inline __attribute__((always_inline))
typedef uint16_t TWO_IN_MEMORY __attribute__((aligned(1), may_alias));
typedef uint32_t FOUR_IN_MEMORY __attribute__((aligned(1), may_alias));
#define TWO_AT(p)   vcreate_u8(*(const TWO_IN_MEMORY *)(p))
#define FOUR_AT(p)  vcreate_u8(*(const FOUR_IN_MEMORY *)(p))
#define EIGHT_AT(p) vld1_u8((const uint8_t *)(p))

/* The first bytes, pairs and words of eight bytes as lanes of 4 and 8 bytes. */
WORDS_INLINE uint32x4_t bytes_as_4(uint8x8_t x) { return vmovl_u16(vget_low_u16(vmovl_u8(x))); }
WORDS_INLINE int32x4_t signed_bytes_as_4(uint8x8_t x) {
    return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(x))));
}
WORDS_INLINE uint32x4_t pairs_as_4(uint8x8_t x) { return vmovl_u16(vreinterpret_u16_u8(x)); }
WORDS_INLINE int32x4_t signed_pairs_as_4(uint8x8_t x) { return vmovl_s16(vreinterpret_s16_u8(x)); }
WORDS_INLINE uint64x2_t words_as_8(uint32x4_t x) { return vmovl_u32(vget_low_u32(x)); }
WORDS_INLINE int64x2_t signed_words_as_8(int32x4_t x) { return vmovl_s32(vget_low_s32(x)); }

/* The low bits of lanes, one behind the other. */
WORDS_INLINE uint32x2_t low_32_of_8(uint64x2_t x) { return vmovn_u64(x); }
WORDS_INLINE uint16x4_t low_16_of_4(uint32x4_t x) { return vmovn_u32(x); }
WORDS_INLINE uint8x8_t low_8_of_4(uint32x4_t x) {
    const uint16x4_t low = low_16_of_4(x);
    return vmovn_u16(vcombine_u16(low, low));
}
WORDS_INLINE uint32x4_t low_32_twice(uint64x2_t x) { return vcombine_u32(low_32_of_8(x), low_32_of_8(x)); }

#define STORE_TWO(p, x)   (*(TWO_IN_MEMORY *)(p) = vget_lane_u16(vreinterpret_u16_u8(x), 0))
#define STORE_FOUR(p, x)  (*(FOUR_IN_MEMORY *)(p) = vget_lane_u32(vreinterpret_u32_u8(x), 0))
#define STORE_EIGHT(p, x) vst1_u8((uint8_t *)(p), x)

/* ---- Lanes of 2 bytes ------------------------------------------------------------------------------------------- */

/* gcc 12 would go through such vectors lane by lane. */
#define WIDEN_U8(p)    ((V)vmovl_u8(EIGHT_AT(p)))
#define WIDEN_I8(p)    ((V)vmovl_s8(vreinterpret_s8_u8(EIGHT_AT(p))))
#define NARROW_8(p, x) STORE_EIGHT(p, vmovn_u16((uint16x8_t)(x)))

/* ---- Lanes of 4 bytes ------------------------------------------------------------------------------------------- */

#define LOAD4_U8(p)        ((V)bytes_as_4(FOUR_AT(p)))
#define LOAD4_I8(p)        ((V)signed_bytes_as_4(FOUR_AT(p)))
#define LOAD4_U16(p)       ((V)pairs_as_4(EIGHT_AT(p)))
#define LOAD4_I16(p)       ((V)signed_pairs_as_4(EIGHT_AT(p)))
#define LOAD4_TRUTH(p)     DO_TRUE_I32(bytes_as_4(FOUR_AT(p)))
#define LOAD4_F16(p)       ((V)vcvt_f32_f16(vreinterpret_f16_u8(EIGHT_AT(p))))
#define LOAD4_BF16(p)      ((V)vshll_n_u16(vreinterpret_u16_u8(EIGHT_AT(p)), 16))
#define STORE4_8(p, x)     STORE_FOUR(p, low_8_of_4((uint32x4_t)(x)))
#define STORE4_16(p, x)    STORE_EIGHT(p, vreinterpret_u8_u16(low_16_of_4((uint32x4_t)(x))))
#define STORE4_TRUTH(p, x) STORE4_8(p, vshrq_n_u32((uint32x4_t)(x), 31))
#define NARROW_F16(x)      vcvt_f16_f32((float32x4_t)(x))
#define STORE4_F16(p, x)   STORE_EIGHT(p, vreinterpret_u8_f16(NARROW_F16(DO_CANON_F32(x))))
#define STORE4_BF16(p, x)  STORE4_16(p, vshrq_n_u32((uint32x4_t)DO_ROUND_BF16(x), 16))
#define DO_ROUND_F16(x)    ((V)vcvt_f32_f16(NARROW_F16(x)))
#define DO_ROUND_BF16(x)   ((V)round_bf16((uint32x4_t)(x)))
#define ROUND_TO_BF16      /* is a function */
WORDS_INLINE uint32x4_t round_bf16(uint32x4_t x) {
    const uint32x4_t odd = vshrq_n_u32(vshlq_n_u32(x, 15), 31);
    const uint32x4_t above = vaddq_u32(vaddq_u32(x, vdupq_n_u32(0x7FFF)), odd);
    const uint32x4_t rounded = vandq_u32(above, vdupq_n_u32(0xFFFF0000));
    const float32x4_t value = vreinterpretq_f32_u32(x);
    return vbslq_u32(vceqq_f32(value, value), rounded, vdupq_n_u32(0x7FC00000));
}
#define DO_LT_F32(x, y)        ((V)vcltq_f32((float32x4_t)(x), (float32x4_t)(y)))
#define DO_LE_F32(x, y)        ((V)vcleq_f32((float32x4_t)(x), (float32x4_t)(y)))
#define DO_EQ_F32(x, y)        ((V)vceqq_f32((float32x4_t)(x), (float32x4_t)(y)))
#define DO_NE_F32(x, y)        (~DO_EQ_F32(x, y))
#define DO_LT_I32(x, y)        ((V)vcltq_s32((int32x4_t)(x), (int32x4_t)(y)))
#define DO_LE_I32(x, y)        ((V)vcleq_s32((int32x4_t)(x), (int32x4_t)(y)))
#define DO_LT_U32(x, y)        ((V)vcltq_u32((uint32x4_t)(x), (uint32x4_t)(y)))
#define DO_LE_U32(x, y)        ((V)vcleq_u32((uint32x4_t)(x), (uint32x4_t)(y)))
#define DO_EQ_I32(x, y)        ((V)vceqq_s32((int32x4_t)(x), (int32x4_t)(y)))
#define DO_NE_I32(x, y)        (~DO_EQ_I32(x, y))
#define DO_SELECT_I32(m, x, y) ((V)vbslq_u64((uint64x2_t)(m), (uint64x2_t)(x), (uint64x2_t)(y)))
#define DO_SELECT_I8(m, x, y)  DO_SELECT_I32(m, x, y)
#define DO_FLOAT_I32(x)        ((V)vcvtq_f32_s32((int32x4_t)(x)))
#define DO_FLOAT_U32(x)        ((V)vcvtq_f32_u32((uint32x4_t)(x)))
/* What is out of range becomes the nearest integer, and a NaN 0. */
#define DO_TO_I32_F32(x) ((V)vcvtq_s32_f32((float32x4_t)(x)))
#define TO_RANGE_F32(x, least, most) \
    DO_TO_I32_F32(vminq_f32(vmaxq_f32((float32x4_t)(x), vdupq_n_f32(least)), vdupq_n_f32(most)))
#define DO_TO_U8_F32(x)  TO_RANGE_F32(x, 0, 255)
#define DO_TO_I8_F32(x)  TO_RANGE_F32(x, -128, 127)
#define DO_TO_U16_F32(x) TO_RANGE_F32(x, 0, 65535)
#define DO_TO_I16_F32(x) TO_RANGE_F32(x, -32768, 32767)
#define DO_TRUE_F32(x)   DO_NE_F32(x, vdupq_n_f32(0))
#define DO_TRUE_I32(x)   ((V)vtstq_u32((uint32x4_t)(x), (uint32x4_t)(x)))
#define DO_ISNAN_F32(x)  DO_NE_F32(x, x)

/* ---- Lanes of 8 bytes ------------------------------------------------------------------------------------------- */

#define LOAD8_U8(p)            ((V)words_as_8(bytes_as_4(TWO_AT(p))))
#define LOAD8_I8(p)            ((V)signed_words_as_8(signed_bytes_as_4(TWO_AT(p))))
#define LOAD8_U16(p)           ((V)words_as_8(pairs_as_4(FOUR_AT(p))))
#define LOAD8_I16(p)           ((V)signed_words_as_8(signed_pairs_as_4(FOUR_AT(p))))
#define LOAD8_U32(p)           ((V)vmovl_u32(vreinterpret_u32_u8(EIGHT_AT(p))))
#define LOAD8_I32(p)           ((V)vmovl_s32(vreinterpret_s32_u8(EIGHT_AT(p))))
#define LOAD8_TRUTH(p)         DO_TRUE_I64(words_as_8(bytes_as_4(TWO_AT(p))))
#define LOAD8_F32(p)           ((V)vcvt_f64_f32(vreinterpret_f32_u8(EIGHT_AT(p))))
#define STORE8_8(p, x)         STORE_TWO(p, low_8_of_4(low_32_twice((uint64x2_t)(x))))
#define STORE8_16(p, x)        STORE_FOUR(p, vreinterpret_u8_u16(low_16_of_4(low_32_twice((uint64x2_t)(x)))))
#define STORE8_32(p, x)        STORE_EIGHT(p, vreinterpret_u8_u32(low_32_of_8((uint64x2_t)(x))))
#define STORE8_TRUTH(p, x)     STORE8_8(p, vshrq_n_u64((uint64x2_t)(x), 63))
#define STORE8_F32(p, x)       STORE_EIGHT(p, vreinterpret_u8_f32(vcvt_f32_f64((float64x2_t)DO_CANON_F64(x))))
#define DO_LT_F64(x, y)        ((V)vcltq_f64((float64x2_t)(x), (float64x2_t)(y)))
#define DO_LE_F64(x, y)        ((V)vcleq_f64((float64x2_t)(x), (float64x2_t)(y)))
#define DO_EQ_F64(x, y)        ((V)vceqq_f64((float64x2_t)(x), (float64x2_t)(y)))
#define DO_NE_F64(x, y)        (~DO_EQ_F64(x, y))
#define DO_LT_I64(x, y)        ((V)vcltq_s64((int64x2_t)(x), (int64x2_t)(y)))
#define DO_LE_I64(x, y)        ((V)vcleq_s64((int64x2_t)(x), (int64x2_t)(y)))
#define DO_EQ_I64(x, y)        ((V)vceqq_s64((int64x2_t)(x), (int64x2_t)(y)))
#define DO_NE_I64(x, y)        (~DO_EQ_I64(x, y))
#define DO_SELECT_I64(m, x, y) DO_SELECT_I32(m, x, y)
#define DO_ISNAN_F64(x)        DO_NE_F64(x, x)
#define DO_FLOAT_I64(x)        ((V)vcvtq_f64_s64((int64x2_t)(x)))
#define DO_TO_I64_F64(x)       ((V)vcvtq_s64_f64((float64x2_t)(x)))
#define DO_TO_I32_F64(x) \
    DO_TO_I64_F64(vminq_f64(vmaxq_f64((float64x2_t)(x), vdupq_n_f64(-0x1p31)), vdupq_n_f64(2147483647.0)))
#define DO_TRUE_F64(x) DO_NE_F64(x, vdupq_n_f64(0))
#define DO_TRUE_I64(x) ((V)vtstq_u64((uint64x2_t)(x), (uint64x2_t)(x)))

#endif
