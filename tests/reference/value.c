#include "tests/reference/value.h"

#include <math.h>
#include <string.h>

#include "tests/reference/mathematics.h"

/* ---- Bits and floats ------------------------------------------------------------------------------------------ */

static float float_of(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t tirbi_ref_extend(tirbi_dtype type, uint64_t bits) {
    unsigned width = tirbi_dtypes[type].bits;
    if (type == TIRB_BOOL) return (bits & 0xff) != 0;
    if (width == 64) return bits;
    uint64_t mask = (1ull << width) - 1;
    bits &= mask;
    if (tirbi_dtype_is_signed(type) && (bits >> (width - 1)) != 0) bits |= ~mask;
    return bits;
}

uint64_t tirbi_ref_canonical_nan(tirbi_dtype type) {
    switch (type) {
    case TIRB_F16: return 0x7e00;
    case TIRB_BF16: return 0x7fc0;
    case TIRB_F32: return 0x7fc00000;
    default: return 0x7ff8000000000000ull;
    }
}

/* The value of a binary16: exponent and fraction scaled by hand. */
static double half_value(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023);
    double magnitude;
    if (exponent == 31) {
        magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        magnitude = ldexp(fraction, -24);
    } else {
        magnitude = ldexp(1024 + fraction, exponent - 25);
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

double tirbi_ref_to_double(tirbi_dtype type, uint64_t bits) {
    switch (type) {
    case TIRB_F16: return half_value(bits);
    case TIRB_BF16: return (double)float_of(bits << 16);
    case TIRB_F32: return (double)float_of(bits);
    case TIRB_F64: return double_of(bits);
    default: return tirbi_dtype_is_signed(type) ? (double)(int64_t)bits : (double)bits;
    }
}

/* Rounds a double once, to nearest even, to a format with the given exponent and fraction widths. */
static uint64_t narrow(double value, int exponent_bits, int fraction_bits) {
    uint64_t sign = signbit(value) ? 1ull << (exponent_bits + fraction_bits) : 0;
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint64_t infinity = ((1ull << exponent_bits) - 1) << fraction_bits;
    double magnitude = fabs(value);
    if (isinf(magnitude)) return sign | infinity;
    if (magnitude == 0) return sign;
    int exponent;
    frexp(magnitude, &exponent);           /* magnitude = f * 2^exponent with f in [0.5, 1) */
    int unit = exponent - 1 - fraction_bits; /* the exponent of the last place */
    if (unit < 1 - bias - fraction_bits) unit = 1 - bias - fraction_bits;
    double scaled = ldexp(magnitude, -unit); /* exact: below 2^(fraction_bits + 1) */
    double whole = floor(scaled);
    double rest = scaled - whole;
    uint64_t places = (uint64_t)whole;
    if (rest > 0.5 || (rest == 0.5 && (places & 1) != 0)) places++;
    /* places counts units of the last place: adding it to the biased exponent's field carries into the exponent. */
    uint64_t field = (uint64_t)(unit + fraction_bits + bias - 1);
    uint64_t bits = (field << fraction_bits) + places;
    return sign | (bits > infinity ? infinity : bits);
}

uint64_t tirbi_ref_from_double(tirbi_dtype type, double value) {
    if (isnan(value)) return tirbi_ref_canonical_nan(type);
    switch (type) {
    case TIRB_F16: return narrow(value, 5, 10);
    case TIRB_BF16: return narrow(value, 8, 7);
    case TIRB_F32: return bits_of_float((float)value);
    default: return bits_of_double(value);
    }
}

static bool is_nan(tirbi_dtype type, uint64_t bits) {
    return tirbi_dtype_is_float(type) && isnan(tirbi_ref_to_double(type, bits));
}

static uint64_t canonical(tirbi_dtype type, uint64_t bits) {
    return is_nan(type, bits) ? tirbi_ref_canonical_nan(type) : bits;
}

static uint64_t from_float(tirbi_dtype type, float value) { return tirbi_ref_from_double(type, (double)value); }

uint64_t tirbi_ref_from_int(tirbi_dtype type, int64_t value) {
    return tirbi_ref_cast(type, TIRB_I64, (uint64_t)value);
}

/* ---- Casts ---------------------------------------------------------------------------------------------------- */

/* Truncates, saturates, and takes NaN to 0. */
static uint64_t double_to_int(tirbi_dtype to, double value) {
    if (isnan(value)) return 0;
    unsigned width = tirbi_dtypes[to].bits;
    if (tirbi_dtype_is_signed(to)) {
        double limit = ldexp(1, (int)width - 1);
        if (value >= limit) return (1ull << (width - 1)) - 1;
        if (value < -limit) return tirbi_ref_extend(to, 1ull << (width - 1));
        return (uint64_t)(int64_t)value;
    }
    if (value >= ldexp(1, (int)width)) return tirbi_ref_extend(to, UINT64_MAX);
    return value <= 0 ? 0 : (uint64_t)value;
}

/* An integer as a double that rounds to every narrower format as the integer itself would: where the double cannot hold
 * it, the last bit is sticky (round to odd). */
static double odd_double(bool negative, uint64_t magnitude) {
    if (magnitude >> 53 != 0) {
        int shift = 0;
        uint64_t rest = magnitude;
        while (rest >> 53 != 0) {
            rest >>= 1;
            shift++;
        }
        if (rest << shift != magnitude) rest |= 1;
        return ldexp(negative ? -(double)rest : (double)rest, shift);
    }
    return negative ? -(double)magnitude : (double)magnitude;
}

static uint64_t int_to_float(tirbi_dtype to, tirbi_dtype from, uint64_t bits) {
    bool negative = tirbi_dtype_is_signed(from) && (int64_t)bits < 0;
    uint64_t magnitude = negative ? 0 - bits : bits;
    if (to == TIRB_F64) return bits_of_double(negative ? -(double)magnitude : (double)magnitude);
    return tirbi_ref_from_double(to, odd_double(negative, magnitude));
}

uint64_t tirbi_ref_cast(tirbi_dtype to, tirbi_dtype from, uint64_t bits) {
    if (to == from) return bits;
    if (tirbi_dtype_is_float(from)) {
        double value = tirbi_ref_to_double(from, bits);
        if (to == TIRB_BOOL) return value != 0;
        return tirbi_dtype_is_float(to) ? tirbi_ref_from_double(to, value) : double_to_int(to, value);
    }
    if (to == TIRB_BOOL) return bits != 0;
    return tirbi_dtype_is_float(to) ? int_to_float(to, from, bits) : tirbi_ref_extend(to, bits);
}

/* ---- Integers ------------------------------------------------------------------------------------------------- */

static bool divide(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t b, uint64_t *out) {
    if (b == 0) return false;
    if (!tirbi_dtype_is_signed(type)) {
        *out = op == TIRB_OP_DIV || op == TIRB_OP_FLOORDIV ? a / b : a % b;
        return true;
    }
    int64_t x = (int64_t)a;
    int64_t y = (int64_t)b;
    int64_t quotient = y == -1 ? (int64_t)(0 - a) : x / y; /* the least / -1 wraps to itself */
    int64_t remainder = y == -1 ? 0 : x % y;
    if (op == TIRB_OP_FLOORDIV || op == TIRB_OP_FLOORMOD) {
        if (remainder != 0 && (remainder < 0) != (y < 0)) {
            quotient--;
            remainder += y;
        }
    }
    *out = (uint64_t)(op == TIRB_OP_DIV || op == TIRB_OP_FLOORDIV ? quotient : remainder);
    return true;
}

static bool less(tirbi_dtype type, uint64_t a, uint64_t b) {
    return tirbi_dtype_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t shift(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t b) {
    unsigned amount = (unsigned)(b & (tirbi_dtypes[type].bits - 1u));
    if (op == TIRB_OP_SHL) return a << amount;
    if (!tirbi_dtype_is_signed(type)) return a >> amount;
    return (uint64_t)((int64_t)a < 0 ? ~(~(int64_t)a >> amount) : (int64_t)a >> amount);
}

static bool int_binary(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t b, uint64_t *out, bool *known) {
    switch (op) {
    case TIRB_OP_ADD: *out = a + b; break;
    case TIRB_OP_SUB: *out = a - b; break;
    case TIRB_OP_MUL: *out = a * b; break;
    case TIRB_OP_DIV:
    case TIRB_OP_MOD:
    case TIRB_OP_FLOORDIV:
    case TIRB_OP_FLOORMOD:
        if (!divide(op, type, a, b, out)) return false;
        break;
    case TIRB_OP_MIN: *out = less(type, a, b) ? a : b; break;
    case TIRB_OP_MAX: *out = less(type, b, a) ? a : b; break;
    case TIRB_OP_SHL:
    case TIRB_OP_SHR: *out = shift(op, type, a, b); break;
    default: *known = false; return false;
    }
    *out = tirbi_ref_extend(type, *out);
    return true;
}

/* ---- Floats --------------------------------------------------------------------------------------------------- */

/* f16 and bf16 compute in f32 and round once more. */
static uint64_t float_arithmetic(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t b) {
    if (type == TIRB_F64) {
        double x = double_of(a);
        double y = double_of(b);
        double r = op == TIRB_OP_ADD ? x + y : op == TIRB_OP_SUB ? x - y : op == TIRB_OP_MUL ? x * y : x / y;
        return tirbi_ref_from_double(type, r);
    }
    float x = (float)tirbi_ref_to_double(type, a);
    float y = (float)tirbi_ref_to_double(type, b);
    float r = op == TIRB_OP_ADD ? x + y : op == TIRB_OP_SUB ? x - y : op == TIRB_OP_MUL ? x * y : x / y;
    return from_float(type, r);
}

/* floor(x / y), and x less y times that. */
static uint64_t float_floor(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t b) {
    if (type == TIRB_F64) {
        double x = double_of(a), y = double_of(b), r = floor(x / y);
        return tirbi_ref_from_double(type, op == TIRB_OP_FLOORDIV ? r : x - r * y);
    }
    float x = (float)tirbi_ref_to_double(type, a), y = (float)tirbi_ref_to_double(type, b), r = floorf(x / y);
    return from_float(type, op == TIRB_OP_FLOORDIV ? r : x - r * y);
}

static uint64_t copy_sign(tirbi_dtype type, uint64_t a, uint64_t b) {
    uint64_t sign = 1ull << (tirbi_dtypes[type].bits - 1);
    return canonical(type, (a & ~sign) | (b & sign));
}

static bool float_binary(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t b, uint64_t *out, bool *known) {
    double x = tirbi_ref_to_double(type, a);
    double y = tirbi_ref_to_double(type, b);
    switch (op) {
    case TIRB_OP_ADD:
    case TIRB_OP_SUB:
    case TIRB_OP_MUL:
    case TIRB_OP_DIV: *out = float_arithmetic(op, type, a, b); return true;
    case TIRB_OP_FLOORDIV:
    case TIRB_OP_FLOORMOD: *out = float_floor(op, type, a, b); return true;
    case TIRB_OP_MIN: *out = canonical(type, x < y ? a : b); return true;
    case TIRB_OP_MAX: *out = canonical(type, x > y ? a : b); return true;
    case TIRB_OP_COPYSIGN: *out = copy_sign(type, a, b); return true;
    default: break;
    }
    *known = tirbi_ref_math2(op, type, a, b, out);
    return *known;
}

static bool compare(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t b, uint64_t *out) {
    bool lt;
    bool eq;
    bool gt;
    if (tirbi_dtype_is_float(type)) {
        double x = tirbi_ref_to_double(type, a);
        double y = tirbi_ref_to_double(type, b);
        lt = x < y;
        eq = x == y;
        gt = x > y;
    } else {
        lt = less(type, a, b);
        eq = a == b;
        gt = less(type, b, a);
    }
    switch (op) {
    case TIRB_OP_EQ: *out = eq; return true;
    case TIRB_OP_NE: *out = !eq; return true;
    case TIRB_OP_LT: *out = lt; return true;
    case TIRB_OP_LE: *out = lt || eq; return true;
    case TIRB_OP_GT: *out = gt; return true;
    case TIRB_OP_GE: *out = gt || eq; return true;
    default: return false;
    }
}

/* ---- The interface -------------------------------------------------------------------------------------------- */

bool tirbi_ref_binary(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t b, uint64_t *out, bool *known) {
    *known = true;
    if (compare(op, type, a, b, out)) return true;
    if (!tirbi_dtype_is_float(type) && (op == TIRB_OP_AND || op == TIRB_OP_OR || op == TIRB_OP_XOR)) {
        *out = op == TIRB_OP_AND ? (a & b) : op == TIRB_OP_OR ? (a | b) : (a ^ b);
        return true;
    }
    if (tirbi_dtype_is_float(type)) return float_binary(op, type, a, b, out, known);
    if (tirbi_dtype_is_int(type)) return int_binary(op, type, a, b, out, known);
    *known = false;
    return false;
}

static bool int_unary(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t *out) {
    unsigned width = tirbi_dtypes[type].bits;
    uint64_t mask = width == 64 ? UINT64_MAX : (1ull << width) - 1;
    uint64_t count = 0;
    switch (op) {
    case TIRB_OP_NOT: *out = tirbi_ref_extend(type, ~a); return true;
    case TIRB_OP_ABS:
        *out = tirbi_dtype_is_signed(type) && (int64_t)a < 0 ? tirbi_ref_extend(type, 0 - a) : a;
        return true;
    case TIRB_OP_POPCOUNT:
        for (uint64_t bits = a & mask; bits != 0; bits >>= 1) count += bits & 1;
        *out = count;
        return true;
    case TIRB_OP_CLZ:
        while (count < width && ((a & mask) >> (width - 1 - count) & 1) == 0) count++;
        *out = count;
        return true;
    case TIRB_OP_FLOOR:
    case TIRB_OP_CEIL:
    case TIRB_OP_TRUNC:
    case TIRB_OP_ROUND: *out = a; return true;
    default: return false;
    }
}

bool tirbi_ref_unary(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t *out) {
    if (type == TIRB_BOOL) {
        *out = a ^ 1;
        return op == TIRB_OP_NOT;
    }
    if (!tirbi_dtype_is_float(type)) return int_unary(op, type, a, out);
    if (op == TIRB_OP_ISNAN) {
        *out = is_nan(type, a);
        return true;
    }
    if (op == TIRB_OP_ABS) {
        *out = copy_sign(type, a, 0);
        return true;
    }
    return tirbi_ref_math1(op, type, a, out);
}

uint64_t tirbi_ref_fma(tirbi_dtype type, uint64_t a, uint64_t b, uint64_t c) {
    if (type == TIRB_F64) return tirbi_ref_from_double(type, fma(double_of(a), double_of(b), double_of(c)));
    float x = (float)tirbi_ref_to_double(type, a);
    float y = (float)tirbi_ref_to_double(type, b);
    float z = (float)tirbi_ref_to_double(type, c);
    return from_float(type, fmaf(x, y, z));
}

uint64_t tirbi_ref_negate(tirbi_dtype type, uint64_t a) {
    if (tirbi_dtype_is_float(type)) return canonical(type, a ^ 1ull << (tirbi_dtypes[type].bits - 1));
    return tirbi_ref_extend(type, 0 - a);
}
