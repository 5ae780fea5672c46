#include "tests/reference/mathematics.h"

#include <math.h>

#include "tests/reference/value.h"
#include "vm/math/ops.h"

/* Half to even, without the C library's rounding mode. */
static double round_even(double value) {
    double whole = floor(value);
    double rest = value - whole;
    if (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0)) whole += 1;
    return copysign(whole, value);
}

/* Functions whose result is exact or correctly rounded, so that one definition through f64 does for all types. A square
 * root of an f32 computed in f64 and rounded again is correctly rounded; f16 and bf16 go through f32 as arithmetic
 * does. */
static bool exact1(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t *out) {
    double x = tirbi_ref_to_double(type, a);
    double result;
    switch (op) {
    case TIRB_OP_SQRT: result = type == TIRB_F64 ? sqrt(x) : (double)(float)sqrt(x); break;
    case TIRB_OP_FLOOR: result = floor(x); break;
    case TIRB_OP_CEIL: result = ceil(x); break;
    case TIRB_OP_TRUNC: result = trunc(x); break;
    case TIRB_OP_ROUND: result = isfinite(x) ? round_even(x) : x; break;
    default: return false;
    }
    *out = tirbi_ref_from_double(type, result);
    return true;
}

static bool kernel1_f32(tirbi_op op, float x, float *out) {
    switch (op) {
#define KERNEL(NAME, name)                                                                                             \
    case TIRB_OP_##NAME: *out = tirbi_##name##_f32(x); return true;
        TIRBI_MATH_1(KERNEL)
#undef KERNEL
    default: return false;
    }
}

static bool kernel1_f64(tirbi_op op, double x, double *out) {
    switch (op) {
#define KERNEL(NAME, name)                                                                                             \
    case TIRB_OP_##NAME: *out = tirbi_##name##_f64(x); return true;
        TIRBI_MATH_1(KERNEL)
#undef KERNEL
    default: return false;
    }
}

static bool kernel2_f32(tirbi_op op, float x, float y, float *out) {
    switch (op) {
#define KERNEL(NAME, name)                                                                                             \
    case TIRB_OP_##NAME: *out = tirbi_##name##_f32(x, y); return true;
        TIRBI_MATH_2(KERNEL)
#undef KERNEL
    default: return false;
    }
}

static bool kernel2_f64(tirbi_op op, double x, double y, double *out) {
    switch (op) {
#define KERNEL(NAME, name)                                                                                             \
    case TIRB_OP_##NAME: *out = tirbi_##name##_f64(x, y); return true;
        TIRBI_MATH_2(KERNEL)
#undef KERNEL
    default: return false;
    }
}

bool tirbi_ref_math1(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t *out) {
    if (exact1(op, type, a, out)) return true;
    double x = tirbi_ref_to_double(type, a);
    if (type == TIRB_F64) {
        double result = 0;
        bool known = kernel1_f64(op, x, &result);
        *out = tirbi_ref_from_double(type, result);
        return known;
    }
    float result = 0;
    bool known = kernel1_f32(op, (float)x, &result);
    *out = tirbi_ref_from_double(type, (double)result);
    return known;
}

/* The neighbour of a towards b, by stepping the magnitude's bits. */
static uint64_t next_after(tirbi_dtype type, uint64_t a, uint64_t b) {
    double x = tirbi_ref_to_double(type, a);
    double y = tirbi_ref_to_double(type, b);
    uint64_t sign = 1ull << (tirbi_dtypes[type].bits - 1);
    if (isnan(x) || isnan(y)) return tirbi_ref_canonical_nan(type);
    if (x == y) return b;
    if (x == 0) return (b & sign) | 1;
    return (x < y) == (x > 0) ? a + 1 : a - 1;
}

bool tirbi_ref_math2(tirbi_op op, tirbi_dtype type, uint64_t a, uint64_t b, uint64_t *out) {
    if (op == TIRB_OP_NEXTAFTER) {
        *out = next_after(type, a, b);
        return true;
    }
    double x = tirbi_ref_to_double(type, a);
    double y = tirbi_ref_to_double(type, b);
    if (type == TIRB_F64) {
        double result = 0;
        bool known = kernel2_f64(op, x, y, &result);
        *out = tirbi_ref_from_double(type, result);
        return known;
    }
    float result = 0;
    bool known = kernel2_f32(op, (float)x, (float)y, &result);
    *out = tirbi_ref_from_double(type, (double)result);
    return known;
}
