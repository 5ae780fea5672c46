#include "vm/call/number.h"

#include <string.h>

typedef struct format {
    unsigned exponent_bits;
    unsigned fraction_bits;
} format;

enum { DOUBLE_FRACTION = 52, DOUBLE_BIAS = 1023, DOUBLE_EXPONENT_MASK = 0x7ff };

static format format_of(tirbi_dtype type) {
    switch (type) {
    case TIRB_F16:
        return (format){5, 10};
    case TIRB_BF16:
        return (format){8, 7};
    case TIRB_F32:
        return (format){8, 23};
    default:
        return (format){11, DOUBLE_FRACTION};
    }
}

static int bias_of(format f) { return (1 << (f.exponent_bits - 1)) - 1; }

static uint64_t infinity_of(format f) { return ((UINT64_C(1) << f.exponent_bits) - 1) << f.fraction_bits; }

/* significand / 2^shift, rounded to nearest even. */
static uint64_t shift_right_rounded(uint64_t significand, unsigned shift) {
    if (shift == 0) return significand;
    if (shift > DOUBLE_FRACTION + 1) return 0; /* less than half a unit */
    uint64_t quotient = significand >> shift;
    uint64_t rest = significand & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);
    return quotient + (rest > half || (rest == half && (quotient & 1)));
}

/* A double whose magnitude is between the least and the greatest normal float32; rounding may carry it to infinity. */
static inline bool is_normal_f32(uint64_t magnitude) {
    const uint64_t least = (uint64_t)(DOUBLE_BIAS - 126) << DOUBLE_FRACTION;
    const uint64_t behind = (uint64_t)(DOUBLE_BIAS + 128) << DOUBLE_FRACTION;
    return magnitude - least < behind - least;
}

static inline uint64_t normal_f32(uint64_t bits, uint64_t magnitude) {
    enum { SHIFT = DOUBLE_FRACTION - 23 };
    const uint64_t rounded = magnitude + (UINT64_C(1) << (SHIFT - 1)) - 1 + (magnitude >> SHIFT & 1);
    return ((rounded >> SHIFT) - ((uint64_t)(DOUBLE_BIAS - 127) << 23)) | bits >> 63 << 31;
}

uint64_t tirbi_number_from_double(tirbi_dtype type, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if (type == TIRB_F64) return bits;
    const uint64_t magnitude = bits & INT64_MAX;
    if (type == TIRB_F32 && is_normal_f32(magnitude)) return normal_f32(bits, magnitude);
    format f = format_of(type);
    uint64_t sign = bits >> 63 << (f.exponent_bits + f.fraction_bits);
    unsigned exponent = (unsigned)(bits >> DOUBLE_FRACTION) & DOUBLE_EXPONENT_MASK;
    uint64_t fraction = bits & ((UINT64_C(1) << DOUBLE_FRACTION) - 1);
    if (exponent == DOUBLE_EXPONENT_MASK) {
        if (fraction) return infinity_of(f) | UINT64_C(1) << (f.fraction_bits - 1);
        return sign | infinity_of(f);
    }
    if (exponent == 0) return sign; /* zero, or far below the least subnormal of a narrower type */

    int power = (int)exponent - DOUBLE_BIAS;
    int least = 1 - bias_of(f);
    unsigned shift = DOUBLE_FRACTION - f.fraction_bits;
    if (power < least) shift += (unsigned)(least - power);
    uint64_t rounded = shift_right_rounded(fraction | UINT64_C(1) << DOUBLE_FRACTION, shift);
    /* Adding the fraction to the exponent lets a carry of the rounding run into it, up to infinity. */
    if (power >= least) rounded += (uint64_t)(power - least) << f.fraction_bits;
    return sign | (rounded < infinity_of(f) ? rounded : infinity_of(f));
}

bool tirbi_number_from_int(tirbi_dtype type, int64_t value, uint64_t *out_bits) {
    format f = format_of(type);
    *out_bits = 0;
    if (value == 0) return true;
    uint64_t sign = value < 0 ? UINT64_C(1) << (f.exponent_bits + f.fraction_bits) : 0;
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    unsigned power = 63 - (unsigned)__builtin_clzll(magnitude);
    unsigned zeros = (unsigned)__builtin_ctzll(magnitude);
    if (power - zeros > f.fraction_bits || (int)power > bias_of(f)) return false;
    uint64_t significand =
        power <= f.fraction_bits ? magnitude << (f.fraction_bits - power) : magnitude >> (power - f.fraction_bits);
    uint64_t exponent = (uint64_t)((int)power + bias_of(f) - 1); /* the significand's leading bit adds the last one */
    *out_bits = sign | ((exponent << f.fraction_bits) + significand);
    return true;
}

double tirbi_number_to_double(tirbi_dtype type, uint64_t bits) {
    format f = format_of(type);
    uint64_t wide = bits;
    if (type != TIRB_F64) {
        uint64_t sign = (bits >> (f.exponent_bits + f.fraction_bits) & 1) << 63;
        uint64_t fraction = bits & ((UINT64_C(1) << f.fraction_bits) - 1);
        uint64_t exponent = bits >> f.fraction_bits & ((UINT64_C(1) << f.exponent_bits) - 1);
        if (exponent == (UINT64_C(1) << f.exponent_bits) - 1) {
            exponent = DOUBLE_EXPONENT_MASK;
        } else if (exponent) {
            exponent += (uint64_t)(DOUBLE_BIAS - bias_of(f));
        } else if (fraction) {
            /* A subnormal: move its leading bit to where the implicit one is. */
            unsigned up = (unsigned)__builtin_clzll(fraction) - (63 - f.fraction_bits);
            fraction = (fraction << up) & ((UINT64_C(1) << f.fraction_bits) - 1);
            exponent = (uint64_t)(DOUBLE_BIAS - bias_of(f) + 1) - up;
        }
        wide = sign | exponent << DOUBLE_FRACTION | fraction << (DOUBLE_FRACTION - f.fraction_bits);
    }
    double value;
    memcpy(&value, &wide, sizeof(value));
    return value;
}

bool tirbi_number_fits(tirbi_dtype type, int64_t value) {
    const tirbi_dtype_info *info = &tirbi_dtypes[type];
    if (info->class == 'B') return value == 0 || value == 1;
    if (info->bits == 64) return true;
    if (info->class == 'U') return value >= 0 && value >> info->bits == 0;
    int64_t high = value >> (info->bits - 1);
    return high == 0 || high == -1;
}
