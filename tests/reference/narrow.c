#include "tests/reference/narrow.h"

#include <math.h>
#include <string.h>

#include "tests/reference/value.h"

/* A format by its definition: widths of the fields, and what its largest codes mean. */
typedef struct format {
    int exponent, fraction, bias;
    bool infinity; /* the largest exponent means infinity and NaN, as in IEEE 754 */
    bool nan_all;  /* all ones are NaN */
    bool nan_zero; /* minus zero is NaN */
    bool scale;    /* powers of two alone */
} format;

static bool format_of(tirb_datatype type, format *out) {
    switch (type.code) {
    case TIRB_CODE_FLOAT8_E3M4: *out = (format){3, 4, 3, .infinity = true}; return true;
    case TIRB_CODE_FLOAT8_E4M3: *out = (format){4, 3, 7, .infinity = true}; return true;
    case TIRB_CODE_FLOAT8_E4M3B11FNUZ: *out = (format){4, 3, 11, .nan_zero = true}; return true;
    case TIRB_CODE_FLOAT8_E4M3FN: *out = (format){4, 3, 7, .nan_all = true}; return true;
    case TIRB_CODE_FLOAT8_E4M3FNUZ: *out = (format){4, 3, 8, .nan_zero = true}; return true;
    case TIRB_CODE_FLOAT8_E5M2: *out = (format){5, 2, 15, .infinity = true}; return true;
    case TIRB_CODE_FLOAT8_E5M2FNUZ: *out = (format){5, 2, 16, .nan_zero = true}; return true;
    case TIRB_CODE_FLOAT8_E8M0FNU: *out = (format){8, 0, 127, .scale = true}; return true;
    case TIRB_CODE_FLOAT6_E2M3FN: *out = (format){2, 3, 1, .infinity = false}; return true;
    case TIRB_CODE_FLOAT6_E3M2FN: *out = (format){3, 2, 3, .infinity = false}; return true;
    case TIRB_CODE_FLOAT4_E2M1FN: *out = (format){2, 1, 1, .infinity = false}; return true;
    default: return false;
    }
}

bool tirbi_ref_is_narrow(tirb_datatype type) {
    format f;
    bool integer = type.code == TIRB_CODE_INT || type.code == TIRB_CODE_UINT;
    return format_of(type, &f) || (integer && type.bits < 8);
}

tirb_datatype tirbi_ref_wide(tirb_datatype type) {
    format f;
    if (format_of(type, &f)) return (tirb_datatype){TIRB_CODE_FLOAT, 32, type.lanes, type.scalable};
    return tirbi_ref_is_narrow(type) ? (tirb_datatype){type.code, 8, type.lanes, type.scalable} : type;
}

static double decode(const format *f, uint32_t byte) {
    if (f->scale) return byte == 255 ? (double)NAN : ldexp(1, (int)byte - f->bias);
    int width = f->exponent + f->fraction;
    uint32_t magnitude = byte & ((1U << width) - 1);
    int exponent = (int)(magnitude >> f->fraction);
    double fraction = ldexp(magnitude & ((1U << f->fraction) - 1), -f->fraction);
    bool negative = byte >> width & 1;
    if (f->nan_zero && byte == 1U << width) return (double)NAN;
    if (f->nan_all && magnitude == (1U << width) - 1) return (double)NAN;
    if (f->infinity && exponent == (1 << f->exponent) - 1) {
        return fraction != 0 ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
    }
    double value = exponent == 0 ? ldexp(fraction, 1 - f->bias) : ldexp(1 + fraction, exponent - f->bias);
    return negative ? -value : value;
}

/* What is larger than every finite code by half a step or more. */
static uint32_t overflowed(const format *f, bool negative) {
    int width = f->exponent + f->fraction;
    uint32_t sign = negative ? 1U << width : 0;
    if (f->infinity) return (((1U << f->exponent) - 1) << f->fraction) | sign;
    if (f->nan_zero) return 1U << width;
    return ((1U << width) - 1) | sign;
}

/* The sign of a NaN does not count; a format that has none takes 0. */
static uint32_t encode_nan(const format *f) {
    if (f->infinity) return overflowed(f, false) | 1U << (f->fraction - 1);
    return f->nan_all || f->nan_zero ? overflowed(f, false) : 0;
}

static uint32_t encode_scale(double value) {
    if (!(value > 0)) return 255;
    if (value < ldexp(1, -127)) return 0; /* the least that there is */
    int exponent;
    double fraction = frexp(value, &exponent); /* value = fraction * 2^exponent, 1/2 <= fraction < 1 */
    int code = exponent - 1 + 127 + (fraction >= 0.75);
    return isinf(value) || code > 254 ? 255 : (uint32_t)code;
}

/* The nearest of all codes, an even one where two are as near. The code after the largest counts as one more step. */
static uint32_t encode(const format *f, double value) {
    int width = f->exponent + f->fraction;
    bool negative = signbit(value) != 0;
    if (f->scale) return encode_scale(value);
    if (isnan(value)) return encode_nan(f);
    double wanted = fabs(value), step = 0, nearest = (double)INFINITY;
    uint32_t best = 0, largest = 0;
    for (uint32_t code = 0; code < 1U << width; code++) {
        double candidate = decode(f, code);
        if (!isfinite(candidate)) break;
        if (code > 0) step = candidate - decode(f, code - 1);
        largest = code;
        double away = fabs(candidate - wanted);
        if (away < nearest || (away == nearest && (code & 1) == 0)) best = code;
        nearest = fmin(nearest, away);
    }
    double limit = decode(f, largest) + step / 2;
    bool odd = (largest & 1) != 0, saturates = !f->infinity && !f->nan_all && !f->nan_zero;
    if (saturates && wanted > decode(f, largest)) best = largest;
    if (!saturates && (wanted > limit || (wanted == limit && odd))) return overflowed(f, negative);
    if (f->nan_zero && best == 0) return 0;
    return best | (negative ? 1U << width : 0);
}

uint64_t tirbi_ref_narrow_constant(tirb_datatype type, double value) {
    format f;
    return format_of(type, &f) ? encode(&f, (double)(float)value) : 0;
}

static bool replace(tirbi_ref_machine *m, tirb_datatype type, tirbi_ref_value *value,
                    uint64_t (*convert)(tirb_datatype from, tirb_datatype to, uint64_t lane)) {
    uint64_t *lanes = type.lanes == 1 ? &value->one : tirbi_ref_scratch(m, type.lanes, sizeof *lanes);
    if (lanes == NULL) return false;
    for (uint32_t i = 0; i < type.lanes; i++) lanes[i] = convert(value->type, type, tirbi_ref_lane(value, i));
    if (type.lanes > 1) value->many = lanes;
    value->type = type;
    return true;
}

/* The low bits of an integer, extended from its width. */
static uint64_t wrapped(tirb_datatype type, uint64_t lane) {
    int64_t low = (int64_t)lane & ((1 << type.bits) - 1);
    bool negative = type.code == TIRB_CODE_INT && low >> (type.bits - 1) != 0;
    return (uint64_t)(negative ? low - (1 << type.bits) : low);
}

static uint64_t to_wide(tirb_datatype from, tirb_datatype to, uint64_t lane) {
    format f;
    (void)to;
    if (format_of(from, &f)) return tirbi_ref_from_double(TIRB_F32, decode(&f, (uint32_t)lane & 0xFF));
    return wrapped(from, lane);
}

static uint64_t to_narrow(tirb_datatype from, tirb_datatype to, uint64_t lane) {
    format f;
    tirbi_dtype type = TIRB_I64;
    tirb_datatype_machine((tirb_datatype){from.code, from.bits, 1, false}, &type);
    if (format_of(to, &f)) return encode(&f, tirbi_ref_to_double(TIRB_F32, tirbi_ref_cast(TIRB_F32, type, lane)));
    bool is_signed = to.code == TIRB_CODE_INT;
    int64_t low = is_signed ? -(1 << (to.bits - 1)) : 0, high = low + (1 << to.bits) - 1;
    if (tirbi_dtype_is_float(type)) {
        int64_t whole = (int64_t)tirbi_ref_cast(TIRB_I64, type, lane);
        return (uint64_t)(whole < low ? low : whole > high ? high : whole);
    }
    return wrapped(to, lane);
}

bool tirbi_ref_widen(tirbi_ref_machine *m, tirbi_ref_value *value) {
    return !tirbi_ref_is_narrow(value->type) || replace(m, tirbi_ref_wide(value->type), value, to_wide);
}

bool tirbi_ref_narrow(tirbi_ref_machine *m, tirb_datatype type, tirbi_ref_value *value) {
    return !tirbi_ref_is_narrow(type) || replace(m, type, value, to_narrow);
}
