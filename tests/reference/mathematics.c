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
        TIRBI_SPECIAL_1(KERNEL)
#undef KERNEL
    default: return false;
    }
}

static bool kernel1_f64(tirbi_op op, double x, double *out) {
    switch (op) {
#define KERNEL(NAME, name)                                                                                             \
    case TIRB_OP_##NAME: *out = tirbi_##name##_f64(x); return true;
        TIRBI_MATH_1(KERNEL)
        TIRBI_SPECIAL_1(KERNEL)
#undef KERNEL
    default: return false;
    }
}

static bool kernel2_f32(tirbi_op op, float x, float y, float *out) {
    switch (op) {
#define KERNEL(NAME, name)                                                                                             \
    case TIRB_OP_##NAME: *out = tirbi_##name##_f32(x, y); return true;
        TIRBI_MATH_2(KERNEL)
        TIRBI_SPECIAL_2(KERNEL)
#undef KERNEL
    default: return false;
    }
}

static bool kernel2_f64(tirbi_op op, double x, double y, double *out) {
    switch (op) {
#define KERNEL(NAME, name)                                                                                             \
    case TIRB_OP_##NAME: *out = tirbi_##name##_f64(x, y); return true;
        TIRBI_MATH_2(KERNEL)
        TIRBI_SPECIAL_2(KERNEL)
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

/* Their definitions in one type: products and sums of what the kernels give, each rounded. */
#define COMPOSED(t, C)                                                                                                 \
    static C length_##t(const C *x, int n, bool inverse) {                                                             \
        C y[4] = {0}, most = 0, scale;                                                                                 \
        for (int i = 0; i < n; i++) most = fabs((double)x[i]) > (double)most ? (C)fabs((double)x[i]) : most;           \
        scale = most > 1 ? (C)0.25 : inverse ? (C)0x1p60 : 1;                                                          \
        for (int i = 0; i < n; i++) y[i] = x[i] * scale;                                                               \
        C first = tirbi_hypot_##t(y[0], y[1]), rest = n == 3 ? y[2] : tirbi_hypot_##t(y[2], y[3]);                     \
        if (inverse) return tirbi_rhypot_##t(first, rest) * scale;                                                     \
        return tirbi_hypot_##t(first, rest) * (most > 1 ? 4 : 1);                                                      \
    }                                                                                                                  \
    static bool composed_##t(tirb_builtin builtin, const C *x, C *out) {                                               \
        const C root_2 = (C)0x1.6a09e667f3bcdp+0;                                                                      \
        switch (builtin) {                                                                                             \
        case TIRB_BUILTIN_RCBRT: *out = 1 / tirbi_cbrt_##t(x[0]); return true;                                         \
        case TIRB_BUILTIN_NORMCDFINV: *out = 0 - root_2 * tirbi_erfcinv_##t(x[0] + x[0]); return true;                 \
        case TIRB_BUILTIN_ROUND_AWAY: *out = (C)round((double)x[0]); return true;                                      \
        case TIRB_BUILTIN_FDIM: *out = x[0] <= x[1] ? 0 : x[0] - x[1]; return true;                                    \
        case TIRB_BUILTIN_FDIVIDE: *out = x[0] / x[1]; return true;                                                    \
        case TIRB_BUILTIN_FMAX: *out = x[1] != x[1] || x[0] > x[1] ? x[0] : x[1]; return true;                         \
        case TIRB_BUILTIN_FMIN: *out = x[1] != x[1] || x[0] < x[1] ? x[0] : x[1]; return true;                         \
        case TIRB_BUILTIN_NORM3D: *out = length_##t(x, 3, false); return true;                                         \
        case TIRB_BUILTIN_NORM4D: *out = length_##t(x, 4, false); return true;                                         \
        case TIRB_BUILTIN_RNORM3D: *out = length_##t(x, 3, true); return true;                                         \
        case TIRB_BUILTIN_RNORM4D: *out = length_##t(x, 4, true); return true;                                         \
        default: return false;                                                                                         \
        }                                                                                                              \
    }
COMPOSED(f32, float)
COMPOSED(f64, double)

bool tirbi_ref_composed(tirb_builtin builtin, tirbi_dtype type, const uint64_t *operands, uint64_t *out) {
    double wide[4], result = 0;
    float narrow[4], narrow_result = 0;
    for (int i = 0; i < 4; i++) {
        wide[i] = tirbi_ref_to_double(type, operands[i]);
        narrow[i] = (float)wide[i];
    }
    bool known =
        type == TIRB_F64 ? composed_f64(builtin, wide, &result) : composed_f32(builtin, narrow, &narrow_result);
    *out = tirbi_ref_from_double(type, type == TIRB_F64 ? result : (double)narrow_result);
    return known;
}
