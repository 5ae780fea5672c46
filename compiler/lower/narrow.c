/* Storage types that the machine has no arithmetic for: float8, float6, float4 and integers of fewer than 8 bits. An
 * element is a byte. Floats are computed in float32 and rounded to nearest even once per operation, as float16 is;
 * integers wrap to their width. */
#include "compiler/lower/narrow.h"

#include <math.h>
#include <string.h>

typedef tirb_narrow_format format;

bool tirbi_is_narrow(tirb_datatype type) {
    bool whole = type.code == TIRB_CODE_INT || type.code == TIRB_CODE_UINT;
    return tirb_datatype_is_narrow_float(type) || (whole && type.bits < 8);
}

tirbi_dtype tirbi_narrow_storage(tirb_datatype type) { return type.code == TIRB_CODE_INT ? TIRB_I8 : TIRB_U8; }

bool tirbi_storage_type(tirb_datatype type, tirbi_dtype *out) {
    if (tirb_datatype_machine(type, out)) return true;
    if (!tirbi_is_narrow(type)) return false;
    *out = tirbi_narrow_storage(type);
    return true;
}

/* ---- Making expressions ----------------------------------------------------------------------------------------- */

static const tirbi_lx *op(tirbi_lx_pool *pool, tirbi_op code, tirbi_dtype type, const tirbi_lx *a, const tirbi_lx *b) {
    return a && b ? tirbi_lx_op(pool, code, type, TIRB_TYPE_NONE, a, b, NULL) : NULL;
}

static const tirbi_lx *word(tirbi_lx_pool *pool, uint32_t value) {
    return tirbi_lx_int(pool, TIRB_U32, (int64_t)value);
}

static const tirbi_lx *real(tirbi_lx_pool *pool, double value) {
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return tirbi_lx_bits(pool, TIRB_F32, bits);
}

static const tirbi_lx *as_float(tirbi_lx_pool *pool, const tirbi_lx *bits) {
    return bits ? tirbi_lx_op(pool, TIRB_OP_BITS, TIRB_F32, TIRB_U32, bits, NULL, NULL) : NULL;
}

static const tirbi_lx *as_bits(tirbi_lx_pool *pool, const tirbi_lx *value) {
    return value ? tirbi_lx_op(pool, TIRB_OP_BITS, TIRB_U32, TIRB_F32, value, NULL, NULL) : NULL;
}

static const tirbi_lx *choose(tirbi_lx_pool *pool, const tirbi_lx *condition, const tirbi_lx *yes, const tirbi_lx *no) {
    return condition && yes && no ? tirbi_lx_lazy(pool, TIRBI_LX_COND, condition, yes, no) : NULL;
}

/* ---- Decoding --------------------------------------------------------------------------------------------------- */

static const tirbi_lx *decode_scale(tirbi_lx_pool *pool, const tirbi_lx *x) {
    const tirbi_lx *value = as_float(pool, op(pool, TIRB_OP_SHL, TIRB_U32, x, word(pool, 23)));
    value = choose(pool, op(pool, TIRB_OP_EQ, TIRB_U32, x, word(pool, 0)), real(pool, 0x1p-127), value);
    return choose(pool, op(pool, TIRB_OP_EQ, TIRB_U32, x, word(pool, 255)), real(pool, (double)NAN), value);
}

/* The fields, moved to float32's, are the value but for the bias: a product with a power of two, which is exact. */
static const tirbi_lx *decode(tirbi_lx_pool *pool, const format *f, const tirbi_lx *byte) {
    uint32_t width = (uint32_t)f->exponent + f->fraction;
    const tirbi_lx *x = tirbi_lx_cast(pool, TIRB_U32, byte);
    if (f->top == TIRB_NARROW_SCALE) return decode_scale(pool, x);
    const tirbi_lx *magnitude = op(pool, TIRB_OP_AND, TIRB_U32, x, word(pool, (1u << width) - 1));
    const tirbi_lx *sign = op(
        pool, TIRB_OP_SHL, TIRB_U32,
        op(pool, TIRB_OP_SHR, TIRB_U32, op(pool, TIRB_OP_AND, TIRB_U32, x, word(pool, 1u << width)), word(pool, width)),
        word(pool, 31));
    const tirbi_lx *shifted = op(pool, TIRB_OP_SHL, TIRB_U32, magnitude, word(pool, 23u - f->fraction));
    const tirbi_lx *value =
        op(pool, TIRB_OP_MUL, TIRB_F32, as_float(pool, shifted), real(pool, ldexp(1, 127 - f->bias)));
    uint32_t special = ((1u << f->exponent) - 1) << f->fraction;
    if (f->top == TIRB_NARROW_IEEE)
        value = choose(pool, op(pool, TIRB_OP_EQ, TIRB_U32, magnitude, word(pool, special)),
                       real(pool, (double)INFINITY), value);
    value = as_float(pool, op(pool, TIRB_OP_OR, TIRB_U32, as_bits(pool, value), sign));
    /* The sign of a NaN is none. */
    const tirbi_lx *is_nan = NULL;
    if (f->top == TIRB_NARROW_IEEE) is_nan = op(pool, TIRB_OP_GT, TIRB_U32, magnitude, word(pool, special));
    if (f->top == TIRB_NARROW_NAN) is_nan = op(pool, TIRB_OP_EQ, TIRB_U32, magnitude, word(pool, (1u << width) - 1));
    if (f->top == TIRB_NARROW_UNSIGNED_ZERO) is_nan = op(pool, TIRB_OP_EQ, TIRB_U32, x, word(pool, 1u << width));
    return f->top == TIRB_NARROW_FINITE ? value : choose(pool, is_nan, real(pool, (double)NAN), value);
}

/* An integer of fewer than 8 bits, extended from its width. */
static const tirbi_lx *extend(tirbi_lx_pool *pool, tirb_datatype type, const tirbi_lx *byte) {
    tirbi_dtype storage = tirbi_narrow_storage(type);
    const tirbi_lx *unused = tirbi_lx_int(pool, storage, 8 - type.bits);
    return op(pool, TIRB_OP_SHR, storage, op(pool, TIRB_OP_SHL, storage, byte, unused), unused);
}

const tirbi_lx *tirbi_narrow_decode(tirbi_lx_pool *pool, tirb_datatype type, const tirbi_lx *byte) {
    const format *f = tirb_narrow_format_of(type);
    return !byte ? NULL : f ? decode(pool, f, byte) : extend(pool, type, byte);
}

/* ---- Encoding --------------------------------------------------------------------------------------------------- */

static const tirbi_lx *encode_scale(tirbi_lx_pool *pool, const tirbi_lx *bits) {
    /* The exponent, up where the fraction is one half or more: there is no last place to be even. The least step is
     * below float32's normal numbers, and there is no zero. */
    const tirbi_lx *raised = op(pool, TIRB_OP_ADD, TIRB_U32, bits, word(pool, 0x400000));
    const tirbi_lx *rounded = op(pool, TIRB_OP_SHR, TIRB_U32, raised, word(pool, 23));
    const tirbi_lx *small =
        choose(pool, op(pool, TIRB_OP_GE, TIRB_U32, bits, word(pool, 0x600000)), word(pool, 1), word(pool, 0));
    rounded = choose(pool, op(pool, TIRB_OP_LT, TIRB_U32, bits, word(pool, 0x800000)), small, rounded);
    rounded = choose(pool, op(pool, TIRB_OP_EQ, TIRB_U32, bits, word(pool, 0)), word(pool, 255), rounded);
    return op(pool, TIRB_OP_MIN, TIRB_U32, rounded, word(pool, 255));
}

static uint32_t largest(const format *f) {
    uint32_t all = (1u << (f->exponent + f->fraction)) - 1;
    if (f->top == TIRB_NARROW_IEEE) return (((1u << f->exponent) - 1) << f->fraction) - 1;
    return f->top == TIRB_NARROW_NAN ? all - 1 : all;
}

static const tirbi_lx *encode(tirbi_lx_pool *pool, const format *f, const tirbi_lx *value) {
    uint32_t width = (uint32_t)f->exponent + f->fraction, drop = 23u - f->fraction, most = largest(f);
    const tirbi_lx *bits = as_bits(pool, value);
    const tirbi_lx *magnitude = op(pool, TIRB_OP_AND, TIRB_U32, bits, word(pool, 0x7FFFFFFF));
    const tirbi_lx *sign =
        op(pool, TIRB_OP_SHL, TIRB_U32, op(pool, TIRB_OP_SHR, TIRB_U32, bits, word(pool, 31)), word(pool, width));
    if (f->top == TIRB_NARROW_SCALE) {
        const tirbi_lx *scaled = encode_scale(pool, magnitude);
        const tirbi_lx *bad = op(pool, TIRB_OP_NE, TIRB_U32, sign, word(pool, 0));
        return tirbi_lx_cast(pool, TIRB_U8, choose(pool, bad, word(pool, 255), scaled));
    }
    /* Normal: the exponent's bias changes, then the lowest bits go. */
    const tirbi_lx *rebiased = op(pool, TIRB_OP_SUB, TIRB_U32, magnitude, word(pool, (uint32_t)(127 - f->bias) << 23));
    const tirbi_lx *odd =
        op(pool, TIRB_OP_AND, TIRB_U32, op(pool, TIRB_OP_SHR, TIRB_U32, rebiased, word(pool, drop)), word(pool, 1));
    const tirbi_lx *half = op(pool, TIRB_OP_ADD, TIRB_U32, word(pool, (1u << (drop - 1)) - 1), odd);
    const tirbi_lx *normal =
        op(pool, TIRB_OP_SHR, TIRB_U32, op(pool, TIRB_OP_ADD, TIRB_U32, rebiased, half), word(pool, drop));
    /* Subnormal: the sum with a number whose last place is the format's smallest step rounds to that step. */
    const tirbi_lx *step = real(pool, ldexp(1, 1 - f->bias - f->fraction + 23));
    const tirbi_lx *sum = as_bits(pool, op(pool, TIRB_OP_ADD, TIRB_F32, as_float(pool, magnitude), step));
    const tirbi_lx *small = op(pool, TIRB_OP_SUB, TIRB_U32, sum, as_bits(pool, step));
    const tirbi_lx *is_small = op(pool, TIRB_OP_LT, TIRB_U32, magnitude, word(pool, (uint32_t)(128 - f->bias) << 23));
    const tirbi_lx *result = choose(pool, is_small, small, normal);
    uint32_t above = f->top == TIRB_NARROW_IEEE ? most + 1 : f->top == TIRB_NARROW_FINITE ? most : (1u << width) - 1;
    uint32_t nan = f->top == TIRB_NARROW_IEEE ? most + 1 + (1u << (f->fraction - 1)) : above;
    const tirbi_lx *too_large = op(pool, TIRB_OP_GT, TIRB_U32, result, word(pool, most));
    const tirbi_lx *is_nan = op(pool, TIRB_OP_GT, TIRB_U32, magnitude, word(pool, 0x7F800000));
    bool plain_nan = f->top == TIRB_NARROW_UNSIGNED_ZERO;
    if (!plain_nan) {
        result = choose(pool, too_large, word(pool, above), result);
        result = op(pool, TIRB_OP_OR, TIRB_U32, result, sign);
        result = choose(pool, is_nan, word(pool, f->top == TIRB_NARROW_FINITE ? 0 : nan), result);
        return tirbi_lx_cast(pool, TIRB_U8, result);
    }
    const tirbi_lx *zero = op(pool, TIRB_OP_EQ, TIRB_U32, result, word(pool, 0));
    const tirbi_lx *with_sign = choose(pool, zero, word(pool, 0), op(pool, TIRB_OP_OR, TIRB_U32, result, sign));
    const tirbi_lx *bad = op(pool, TIRB_OP_OR, TIRB_BOOL, too_large, is_nan);
    return tirbi_lx_cast(pool, TIRB_U8, choose(pool, bad, word(pool, 1u << width), with_sign));
}

/* Integers wrap, floats saturate. */
static const tirbi_lx *fit(tirbi_lx_pool *pool, tirb_datatype type, const tirbi_lx *value) {
    tirbi_dtype storage = tirbi_narrow_storage(type);
    bool is_signed = type.code == TIRB_CODE_INT;
    const tirbi_lx *x = tirbi_lx_cast(pool, storage, value);
    if (!tirbi_dtype_is_float((tirbi_dtype)value->type)) return x ? extend(pool, type, x) : NULL;
    const tirbi_lx *most = tirbi_lx_int(pool, storage, (1 << (type.bits - is_signed)) - 1);
    const tirbi_lx *least = tirbi_lx_int(pool, storage, is_signed ? -(1 << (type.bits - 1)) : 0);
    return op(pool, TIRB_OP_MAX, storage, op(pool, TIRB_OP_MIN, storage, x, most), least);
}

const tirbi_lx *tirbi_narrow_encode(tirbi_lx_pool *pool, tirb_datatype type, const tirbi_lx *value) {
    const format *f = tirb_narrow_format_of(type);
    if (!value) return NULL;
    if (f) return encode(pool, f, tirbi_lx_cast(pool, TIRB_F32, value));
    return fit(pool, type, value);
}
