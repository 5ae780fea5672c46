#include "compiler/driver/narrow.h"

#include <math.h>
#include <string.h>

/* "float8_e4m3fn" without "loat" and "_". */
void narrow_name(const tirb_narrow_format *format, char buffer[NARROW_NAME_SIZE]) {
    size_t n = 0;
    for (const char *at = format->text; *at && n + 1 < NARROW_NAME_SIZE; at++) {
        if (*at == '_') continue;
        buffer[n++] = *at;
        if (n == 1) at += strlen("loat");
    }
    buffer[n] = '\0';
}

const tirb_narrow_format *narrow_from_name(const char *text, size_t length) {
    for (size_t i = 0; i < TIRB_N_NARROW; i++) {
        char name[NARROW_NAME_SIZE];
        narrow_name(&tirb_narrow_formats[i], name);
        if (strlen(name) == length && memcmp(name, text, length) == 0) return &tirb_narrow_formats[i];
    }
    return NULL;
}

static uint32_t width_of(const tirb_narrow_format *f) { return (uint32_t)f->exponent + f->fraction; }

/* Of a byte without its sign. */
static double magnitude(const tirb_narrow_format *f, uint32_t bits) {
    const int exponent = (int)(bits >> f->fraction);
    const double fraction = ldexp(bits & ((1u << f->fraction) - 1), -f->fraction);
    const uint32_t all = (1u << width_of(f)) - 1;
    if (f->top == TIRB_NARROW_SCALE) return bits == all ? (double)NAN : ldexp(1, exponent - f->bias);
    if (f->top == TIRB_NARROW_NAN && bits == all) return (double)NAN;
    if (f->top == TIRB_NARROW_IEEE && exponent == (1 << f->exponent) - 1)
        return fraction != 0 ? (double)NAN : (double)INFINITY;
    return exponent ? ldexp(1 + fraction, exponent - f->bias) : ldexp(fraction, 1 - f->bias);
}

double narrow_decode(const tirb_narrow_format *f, uint8_t byte) {
    const uint32_t sign = 1u << width_of(f);
    const double value = magnitude(f, byte & (sign - 1));
    if (f->top == TIRB_NARROW_SCALE || !(byte & sign)) return value;
    return f->top == TIRB_NARROW_UNSIGNED_ZERO && (byte & (2 * sign - 1)) == sign ? (double)NAN : -value;
}

/* What stands for a NaN, and what for more than the largest value. */
static uint8_t encode_above(const tirb_narrow_format *f, bool is_nan, bool negative) {
    const uint32_t sign = 1u << width_of(f), minus = negative ? sign : 0;
    const uint32_t infinity = ((1u << f->exponent) - 1) << f->fraction;
    switch (f->top) {
    case TIRB_NARROW_IEEE: return (uint8_t)(is_nan ? infinity | 1u << (f->fraction - 1) : infinity | minus);
    case TIRB_NARROW_UNSIGNED_ZERO: return (uint8_t)sign;
    case TIRB_NARROW_FINITE: return (uint8_t)(is_nan ? 0 : (sign - 1) | minus);
    case TIRB_NARROW_SCALE: return UINT8_MAX;
    default: return (uint8_t)(is_nan ? sign - 1 : (sign - 1) | minus);
    }
}

/* A power of two; halfway goes up, and what is not positive has none. */
static uint8_t encode_scale(float value) {
    if (!(value > 0) || isinf(value)) return UINT8_MAX;
    if (value < 0x1p-127F) return 0;
    int exponent;
    const float fraction = frexpf(value, &exponent);
    const int code = exponent + 126 + (fraction >= 0.75F);
    return (uint8_t)(code > UINT8_MAX ? UINT8_MAX : code);
}

uint8_t narrow_encode(const tirb_narrow_format *f, float value) {
    const bool negative = signbit(value) != 0;
    if (f->top == TIRB_NARROW_SCALE) return encode_scale(value);
    if (isnan(value)) return encode_above(f, true, negative);
    const double wanted = fabs((double)value);
    const uint32_t sign = 1u << width_of(f);
    /* Bytes without a sign are in the order of their values. */
    uint32_t low = 0;
    while (low + 1 < sign && magnitude(f, low + 1) <= wanted) low++;
    const double below = magnitude(f, low), above = low + 1 < sign ? magnitude(f, low + 1) : (double)INFINITY;
    const bool is_largest = !isfinite(above);
    if (isinf(below)) return encode_above(f, false, negative);
    const double next = is_largest ? 2 * below - magnitude(f, low - 1) : above, half = below + (next - below) / 2;
    const bool up = wanted > half || (wanted == half && low % 2 != 0);
    if (is_largest && (f->top == TIRB_NARROW_FINITE ? wanted > below : up)) return encode_above(f, false, negative);
    const uint32_t nearest = low + up;
    if (f->top == TIRB_NARROW_UNSIGNED_ZERO && nearest == 0) return 0;
    return (uint8_t)(nearest | (negative ? sign : 0));
}
