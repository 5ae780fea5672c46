#include "vm/math/fused.h"

#pragma GCC diagnostic ignored "-Wpedantic"

float tirbi_fused_apart_f32(float x, float y, float z) { return tirbi_fused_f32(x, y, z); }

#if defined(TIRBI_FUSES_IN_PARTS)

tirbi_fused_x4 tirbi_fused_anew_f32(tirbi_fused_x4 x, tirbi_fused_x4 y, tirbi_fused_x4 z) {
    const tirbi_fused_x2 low = tirbi_fused_odd_sum(TIRBI_FUSED_LOW(x) * TIRBI_FUSED_LOW(y), TIRBI_FUSED_LOW(z));
    const tirbi_fused_x2 high = tirbi_fused_odd_sum(TIRBI_FUSED_HIGH(x) * TIRBI_FUSED_HIGH(y), TIRBI_FUSED_HIGH(z));
    const tirbi_fused_x4 result = TIRBI_FUSED_JOIN(low, high);
    const tirbi_fused_truths is_number = result == result;
    return (tirbi_fused_x4)(((tirbi_fused_truths)result & is_number) | (~is_number & 0x7FC00000));
}

/* Of two such factors the error of the product is exact. */
static bool is_zero_or_large(double factor) { return factor == 0 || tirbi_magnitude_f64(factor) >= 0x1p-484; }

/* Factors of few digits have products with short errors: where the difference of the errors is exact, so is the result.
 * The C library does the others. */
tirbi_fused_x2 tirbi_fused_anew_f64(tirbi_fused_x2 x, tirbi_fused_x2 y, tirbi_fused_x2 z) {
    const tirbi_fused_parts parts = tirbi_fused_take_apart(tirbi_fused_split_x(x), tirbi_fused_split_y(y), z);
    const tirbi_fused_x2 v = parts.e - parts.t, part = v + parts.t;
    const tirbi_fused_x2 error = (parts.e - part) - (parts.t - (part - v));
    tirbi_fused_x2 result = parts.s - v;
    for (int i = 0; i < 2; i++) {
        const bool is_exact = is_zero_or_large(x[i]) && is_zero_or_large(y[i]) && error[i] == 0;
        if (!is_exact || result[i] - result[i] != 0) result[i] = tirbi_canon_f64(__builtin_fma(x[i], y[i], z[i]));
    }
    return result;
}

/* Where one float is unsure its neighbours often are, for sums of few digits lie just between two floats. */
enum { ANEW_f32 = 8, ANEW_f64 = 1 };
#define SURE_VECTORS(t, V, minus_x, minus_z)                                                                           \
    for (; i < vectors; i++) {                                                                                         \
        tirbi_fused_truths unsure = {0};                                                                               \
        const V r = tirbi_fused_try_##t(minus_x LOAD(x, i), LOAD(y, i), minus_z LOAD(z, i), &unsure);                  \
        if (TIRBI_FUSED_ANY_##t(unsure)) break;                                                                        \
        out[i] = r;                                                                                                    \
    }

#else

#define ANEW(t, V)                                                                                                     \
    V tirbi_fused_anew_##t(V x, V y, V z) {                                                                            \
        for (size_t k = 0; k < sizeof z / sizeof z[0]; k++) z[k] = tirbi_fma_##t(x[k], y[k], z[k]);                    \
        return z;                                                                                                      \
    }
ANEW(f32, tirbi_fused_x4)
ANEW(f64, tirbi_fused_x2)
enum { ANEW_f32 = 64, ANEW_f64 = 64 };
#define SURE_VECTORS(t, V, minus_x, minus_z)

#endif

#define LOAD(operand, i) (*(const in_memory *)((const uint8_t *)(operand).at + (operand).step * (i)))
#define VECTORS(op, t, V, minus_x, minus_z)                                                                            \
    static void op##_##t(void *to, tirbi_fused_operand x, tirbi_fused_operand y, tirbi_fused_operand z,                \
                         size_t vectors) {                                                                             \
        typedef V in_memory __attribute__((aligned(1), may_alias));                                                    \
        in_memory *const out = to;                                                                                     \
        for (size_t i = 0; i < vectors;) {                                                                             \
            SURE_VECTORS(t, V, minus_x, minus_z)                                                                       \
            for (size_t end = vectors - i < ANEW_##t ? vectors : i + ANEW_##t; i < end; i++)                           \
                out[i] = tirbi_fused_anew_##t(minus_x LOAD(x, i), LOAD(y, i), minus_z LOAD(z, i));                     \
        }                                                                                                              \
    }
#define ALL_VECTORS(t, V)                                                                                              \
    VECTORS(fma, t, V, , )                                                                                             \
    VECTORS(fms, t, V, , -)                                                                                            \
    VECTORS(fnma, t, V, -, )                                                                                           \
    const tirbi_fused_vectors tirbi_fused_##t##_vectors[TIRBI_FUSED_OPS] = {                                           \
        [TIRBI_FUSED_FMA] = fma_##t, [TIRBI_FUSED_FMS] = fms_##t, [TIRBI_FUSED_FNMA] = fnma_##t};
ALL_VECTORS(f32, tirbi_fused_x4)
ALL_VECTORS(f64, tirbi_fused_x2)
