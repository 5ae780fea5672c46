#include "vm/math/fused.h"

#pragma GCC diagnostic ignored "-Wpedantic"

float tirbi_fused_apart_f32(float x, float y, float z) { return tirbi_fused_f32(x, y, z); }

#if defined(TIRBI_FUSES_IN_PARTS)

__attribute__((noinline)) tirbi_fused_x4 tirbi_fused_anew_f32(tirbi_fused_x4 x, tirbi_fused_x4 y, tirbi_fused_x4 z) {
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
__attribute__((noinline)) tirbi_fused_x2 tirbi_fused_anew_f64(tirbi_fused_x2 x, tirbi_fused_x2 y, tirbi_fused_x2 z) {
    const tirbi_fused_parts parts = tirbi_fused_take_apart(tirbi_fused_split_x(x), tirbi_fused_split_y(y), z);
    const tirbi_fused_x2 v = parts.e - parts.t, error = tirbi_fused_difference_error(parts, v);
    tirbi_fused_x2 result = parts.s - v;
    for (int i = 0; i < 2; i++) {
        const bool is_exact = is_zero_or_large(x[i]) && is_zero_or_large(y[i]) && error[i] == 0;
        if (!is_exact || result[i] - result[i] != 0) result[i] = tirbi_canon_f64(__builtin_fma(x[i], y[i], z[i]));
    }
    return result;
}

/* Vectors from number i on, two at a time, as long as they are sure; the first that are not are what is returned. What
 * is one vector for all is made ready once. All is in line: what varies is known where these are called. */
#define SURE_INLINE static inline __attribute__((always_inline))
typedef float in_memory_f32 __attribute__((vector_size(16), aligned(1), may_alias));
typedef double in_memory_f64 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint32_t words_in_memory __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t longs_in_memory __attribute__((vector_size(16), aligned(1), may_alias));

typedef struct doubles {
    tirbi_fused_x2 low, high;
} doubles;
/* From memory, where the halves need not be moved to their places first: gcc 12 would load, and then convert. */
SURE_INLINE doubles load_doubles(const uint8_t *at) {
    typedef double in_memory __attribute__((aligned(1), may_alias));
    doubles to;
    __asm__("cvtps2pd %1, %0" : "=x"(to.low) : "m"(*(const in_memory *)at));
    __asm__("cvtps2pd %1, %0" : "=x"(to.high) : "m"(*(const in_memory *)(at + sizeof(in_memory))));
    return to;
}
#define SUM_OF(op, p, z) ((op) == TIRBI_FUSED_FMA ? (p) + (z) : (op) == TIRBI_FUSED_FMS ? (p) - (z) : (z) - (p))
typedef struct sum_f32 {
    doubles p, z, s;
    tirbi_fused_x4 result;
    tirbi_fused_truths is_tie; /* the sum is just between two floats */
} sum_f32;
SURE_INLINE sum_f32 sum_of_f32(unsigned op, doubles x, doubles y, doubles z) {
    sum_f32 sum = {.p = {x.low * y.low, x.high * y.high}, .z = z};
    sum.s = (doubles){SUM_OF(op, sum.p.low, z.low), SUM_OF(op, sum.p.high, z.high)};
    sum.is_tie = (tirbi_fused_truths)(TIRBI_FUSED_TAILS(sum.s.low, sum.s.high) << 3) == INT32_MIN;
    sum.result = TIRBI_FUSED_JOIN(sum.s.low, sum.s.high);
    return sum;
}
/* Whether a sum is inexact: of the two differences the one with the greater term is exact itself. */
SURE_INLINE tirbi_fused_longs is_inexact(unsigned op, tirbi_fused_x2 p, tirbi_fused_x2 z, tirbi_fused_x2 s) {
    const tirbi_fused_x2 plus_p = op == TIRBI_FUSED_FNMA ? -p : p, plus_z = op == TIRBI_FUSED_FMS ? -z : z;
    return (tirbi_fused_longs)(s - plus_p != plus_z) | (tirbi_fused_longs)(s - plus_z != plus_p);
}
/* Ties that are exact are right. They are frequent: the sum of two floats of a size has often one digit more. */
SURE_INLINE tirbi_fused_truths is_inexact_tie(unsigned op, const sum_f32 *sum) {
    const tirbi_fused_longs low = is_inexact(op, sum->p.low, sum->z.low, sum->s.low);
    const tirbi_fused_longs high = is_inexact(op, sum->p.high, sum->z.high, sum->s.high);
    return sum->is_tie & (tirbi_fused_truths)TIRBI_FUSED_TAILS(low, high);
}
/* Small results but zero, and those that are NaN, of two vectors. The order of high halves of words tells, for the
 * bound has no low one. A result that is zero is right, for where a sum is that small, it is exact. */
SURE_INLINE tirbi_fused_truths is_odd_f32(tirbi_fused_x4 a, tirbi_fused_x4 b) {
    const __m128i least = _mm_min_epi16((__m128i)TIRBI_FUSED_ORDER((tirbi_fused_words)a),
                                        (__m128i)TIRBI_FUSED_ORDER((tirbi_fused_words)b));
    const tirbi_fused_truths is_nan = (tirbi_fused_truths)_mm_cmpunord_ps((__m128)a, (__m128)b);
    return ((tirbi_fused_truths)least < INT32_MIN + 0x1000000) | is_nan;
}
SURE_INLINE size_t sure_f32(uint8_t *to, const uint8_t *x, const uint8_t *y, const uint8_t *z, size_t i, size_t vectors,
                            unsigned op, bool is_x_one, bool is_z_one) {
    in_memory_f32 *const out = (in_memory_f32 *)to;
    const doubles x_for_all = load_doubles(x), z_for_all = load_doubles(z);
#define OPERAND(v, k) (is_##v##_one ? v##_for_all : load_doubles(v + (k) * sizeof *out))
    for (; i + 2 <= vectors; i += 2) {
        const sum_f32 a = sum_of_f32(op, OPERAND(x, i), load_doubles(y + i * sizeof *out), OPERAND(z, i));
        const sum_f32 b = sum_of_f32(op, OPERAND(x, i + 1), load_doubles(y + (i + 1) * sizeof *out), OPERAND(z, i + 1));
        const tirbi_fused_truths is_odd = is_odd_f32(a.result, b.result);
        if (TIRBI_FUSED_ANY_f32(is_odd | a.is_tie | b.is_tie) &&
            TIRBI_FUSED_ANY_f32(is_odd | is_inexact_tie(op, &a) | is_inexact_tie(op, &b)))
            return i;
        out[i] = a.result;
        out[i + 1] = b.result;
    }
    if (i < vectors) {
        const sum_f32 a = sum_of_f32(op, OPERAND(x, i), load_doubles(y + i * sizeof *out), OPERAND(z, i));
        const tirbi_fused_truths is_odd = is_odd_f32(a.result, a.result);
        if (TIRBI_FUSED_ANY_f32(is_odd | is_inexact_tie(op, &a))) return i;
        out[i++] = a.result;
    }
    return i;
#undef OPERAND
}

typedef struct sum_f64 {
    tirbi_fused_halves x, y;
    tirbi_fused_parts parts;
    tirbi_fused_x2 v, result;
} sum_f64;
SURE_INLINE sum_f64 sum_of_f64(unsigned op, tirbi_fused_halves x, tirbi_fused_halves y, tirbi_fused_x2 z) {
    sum_f64 sum = {.x = x, .y = y, .parts = tirbi_fused_take_apart(x, y, op == TIRBI_FUSED_FMS ? -z : z)};
    sum.v = sum.parts.e - sum.parts.t;
    sum.result = sum.parts.s - sum.v;
    return sum;
}
SURE_INLINE tirbi_fused_x2 missing_f64(const sum_f64 *sum) { return tirbi_fused_difference_error(sum->parts, sum->v); }

/* How pairs of sums are looked at. Hardly any v that is not short has only zeros in its lower half, but where factors
 * have few digits, all have. Of those, many have no e, and others are exact. */
enum { BY_HALVES, BY_ERRORS, CLOSELY, NONE };
SURE_INLINE bool seem_unsure_f64(const sum_f64 *a, const sum_f64 *b, unsigned way) {
    tirbi_fused_truths unsure = TIRBI_FUSED_IS_FAR(TIRBI_FUSED_TOPS(a->result, b->result));
    if (way == BY_HALVES)
        unsure |= (tirbi_fused_truths)TIRBI_FUSED_TAILS(a->v, b->v) == 0;
    else if (way == BY_ERRORS)
        unsure |= TIRBI_FUSED_HALF_SHORT(a->v, b->v, a->parts.e, b->parts.e);
    else
        unsure |= tirbi_fused_seems_short(a->v, missing_f64(a)) | tirbi_fused_seems_short(b->v, missing_f64(b));
    return __builtin_expect(_mm_movemask_epi8((__m128i)unsure) != 0, 0);
}
/* The smaller magnitude; NaN where y is. */
SURE_INLINE tirbi_fused_x2 min_size_f64(tirbi_fused_x2 x, tirbi_fused_x2 y) {
    const __m128d sign = _mm_set1_pd(-0.0);
    return (tirbi_fused_x2)_mm_min_pd(_mm_andnot_pd(sign, (__m128d)x), _mm_andnot_pd(sign, (__m128d)y));
}
/* A product that is zero because a factor is has no error. */
SURE_INLINE bool is_unsure_f64(const sum_f64 *sum) {
    const tirbi_fused_truths is_zero =
        (tirbi_fused_truths)(sum->result == 0) & (tirbi_fused_truths)(min_size_f64(sum->x.all, sum->y.all) == 0);
    const tirbi_fused_truths is_short = tirbi_fused_is_short(sum->v, missing_f64(sum));
    return TIRBI_FUSED_ANY_f64((is_short | TIRBI_FUSED_IS_FAR(sum->result)) & ~is_zero);
}
/* Pairs of vectors from number i on, up to one that is unsure, or behind one that seemed to be; then those that follow
 * are looked at in another way. */
typedef struct pairs_f64 {
    size_t end;
    unsigned next; /* the way in which to go on, or NONE */
} pairs_f64;
SURE_INLINE pairs_f64 sure_pairs_f64(uint8_t *to, const uint8_t *x, const uint8_t *y, const uint8_t *z, size_t i,
                                     size_t vectors, unsigned op, bool is_x_one, size_t z_step, unsigned way) {
    in_memory_f64 *const out = (in_memory_f64 *)to;
    const in_memory_f64 *const xs = (const in_memory_f64 *)x, *const ys = (const in_memory_f64 *)y;
    const bool minus = op == TIRBI_FUSED_FNMA;
    const tirbi_fused_halves x_for_all = tirbi_fused_split_y(minus ? -xs[0] : xs[0]);
/* The factor that takes longer to split is the one for all. */
#define X(k) (is_x_one ? x_for_all : tirbi_fused_split_x(minus ? -xs[k] : xs[k]))
#define Y(k) (is_x_one ? tirbi_fused_split_x(ys[k]) : tirbi_fused_split_y(ys[k]))
#define Z(k) (*(const in_memory_f64 *)(z + (k) * z_step))
    unsigned next = way;
    for (; i + 2 <= vectors && next == way; i += 2) {
        const sum_f64 a = sum_of_f64(op, X(i), Y(i), Z(i)), b = sum_of_f64(op, X(i + 1), Y(i + 1), Z(i + 1));
        if (seem_unsure_f64(&a, &b, way)) {
            if (is_unsure_f64(&a) || is_unsure_f64(&b)) return (pairs_f64){i, NONE};
            next = way == BY_HALVES && !seem_unsure_f64(&a, &b, BY_ERRORS) ? BY_ERRORS : CLOSELY;
        }
        out[i] = a.result;
        out[i + 1] = b.result;
    }
    if (i + 1 == vectors) {
        const sum_f64 a = sum_of_f64(op, X(i), Y(i), Z(i));
        if (is_unsure_f64(&a)) return (pairs_f64){i, NONE};
        out[i++] = a.result;
    }
    return (pairs_f64){i, next};
#undef X
#undef Y
#undef Z
}
SURE_INLINE size_t sure_f64(uint8_t *to, const uint8_t *x, const uint8_t *y, const uint8_t *z, size_t i, size_t vectors,
                            unsigned op, bool is_x_one, size_t z_step) {
    enum { FEW = 8 }; /* are not worth two looks where the first seems unsure */
    pairs_f64 pairs = {i, vectors - i < FEW ? BY_ERRORS : BY_HALVES};
#define GO_ON(way)                                                                                                     \
    if (pairs.next == (way) && pairs.end < vectors)                                                                    \
        pairs = sure_pairs_f64(to, x, y, z, pairs.end, vectors, op, is_x_one, z_step, way);
    GO_ON(BY_HALVES)
    GO_ON(BY_ERRORS)
    GO_ON(CLOSELY)
#undef GO_ON
    return pairs.end;
}

/* A power of two for all, as stencils have them: its products are exact where the factor comes back from them, and then
 * so is what is rounded once, the sum. */
static bool is_power_f32(const uint8_t *x) {
    const tirbi_fused_words bits = *(const words_in_memory *)x & 0x7FFFFFFF;
    for (int k = 0; k < 4; k++)
        if ((bits[k] & 0x7FFFFF) != 0 || bits[k] < 0x00800000 || bits[k] > 0x7E800000) return false;
    return true;
}
static bool is_power_f64(const uint8_t *x) {
    const tirbi_fused_longs bits = *(const longs_in_memory *)x & INT64_MAX;
    for (int k = 0; k < 2; k++)
        if ((bits[k] & 0xFFFFFFFFFFFFF) != 0 || bits[k] < UINT64_C(1) << 52 || bits[k] > UINT64_C(0x7FD) << 52)
            return false;
    return true;
}
#define SURE_POWER(number, t, name)                                                                                    \
    static __attribute__((noinline)) size_t name(uint8_t *to, const uint8_t *x, const uint8_t *y, const uint8_t *z,    \
                                                 size_t i, size_t vectors, size_t z_step) {                            \
        const in_memory_##t *const ys = (const in_memory_##t *)y;                                                      \
        in_memory_##t *const out = (in_memory_##t *)to;                                                                \
        const in_memory_##t factor = *(const in_memory_##t *)x, inverse = 1 / factor;                                  \
        for (; i < vectors; i++) {                                                                                     \
            const in_memory_##t product = factor * ys[i],                                                              \
                                sum = SUM_OF(number, product, *(const in_memory_##t *)(z + i * z_step));               \
            if (TIRBI_FUSED_ANY_##t((tirbi_fused_truths)(product * inverse != ys[i]) |                                 \
                                    (tirbi_fused_truths)(sum != sum)))                                                 \
                return i;                                                                                              \
            out[i] = sum;                                                                                              \
        }                                                                                                              \
        return i;                                                                                                      \
    }

/* Where one float is unsure its neighbours often are, for results that are small come together. */
enum { ANEW_f32 = 8, ANEW_f64 = 2 };

#define SURE(number, t, name, is_x_one, z_step)                                                                        \
    static __attribute__((noinline)) size_t name(uint8_t *to, const uint8_t *x, const uint8_t *y, const uint8_t *z,    \
                                                 size_t i, size_t vectors, size_t step_of_z) {                         \
        (void)step_of_z;                                                                                               \
        return sure_##t(to, x, y, z, i, vectors, number, is_x_one, z_step);                                            \
    }
#define SURE_VECTORS_f32(number, op)                                                                                   \
    SURE(number, f32, op##_f32_of_all, false, false)                                                                   \
    SURE(number, f32, op##_f32_of_one, true, false)                                                                    \
    SURE(number, f32, op##_f32_and_one, false, true)                                                                   \
    SURE(number, f32, op##_f32_of_one_and_one, true, true)                                                             \
    SURE_POWER(number, f32, op##_f32_of_power)                                                                         \
    static const sure_vectors op##_f32_sure[2][2] = {{op##_f32_of_all, op##_f32_and_one},                              \
                                                     {op##_f32_of_one, op##_f32_of_one_and_one}};
#define SURE_VECTORS_f64(number, op)                                                                                   \
    SURE(number, f64, op##_f64_of_all, false, step_of_z)                                                               \
    SURE(number, f64, op##_f64_of_one, true, step_of_z)                                                                \
    SURE_POWER(number, f64, op##_f64_of_power)                                                                         \
    static const sure_vectors op##_f64_sure[2][2] = {{op##_f64_of_all, op##_f64_of_all},                               \
                                                     {op##_f64_of_one, op##_f64_of_one}};
typedef size_t (*sure_vectors)(uint8_t *to, const uint8_t *x, const uint8_t *y, const uint8_t *z, size_t i,
                               size_t vectors, size_t step_of_z);
#define SURE_VECTORS(number, op, t) SURE_VECTORS_##t(number, op)
#define CHOOSE_SURE(op, t)                                                                                             \
    const sure_vectors sure = y.step == 0                             ? NULL                                           \
                              : x.step == 0 && is_power_##t(x.at) ? op##_##t##_of_power                            \
                                                                      : op##_##t##_sure[x.step == 0][z.step == 0];
#define GO_WHILE_SURE                                                                                                  \
    if (sure) i = sure(to, x.at, y.at, z.at, i, vectors, z.step);

#else

#define ANEW(t, V)                                                                                                     \
    V tirbi_fused_anew_##t(V x, V y, V z) {                                                                            \
        for (size_t k = 0; k < sizeof z / sizeof z[0]; k++) z[k] = tirbi_fma_##t(x[k], y[k], z[k]);                    \
        return z;                                                                                                      \
    }
ANEW(f32, tirbi_fused_x4)
ANEW(f64, tirbi_fused_x2)
enum { ANEW_f32 = 64, ANEW_f64 = 64 };
#define SURE_VECTORS(number, op, t)
#define CHOOSE_SURE(op, t)
#define GO_WHILE_SURE

#endif

#define LOAD(operand, i) (*(const in_memory *)((const uint8_t *)(operand).at + (operand).step * (i)))
#define VECTORS(number, op, t, V, minus_x, minus_z)                                                                    \
    SURE_VECTORS(number, op, t)                                                                                        \
    static void op##_##t(void *to, tirbi_fused_operand x, tirbi_fused_operand y, tirbi_fused_operand z,                \
                         size_t vectors) {                                                                             \
        typedef V in_memory __attribute__((aligned(1), may_alias));                                                    \
        in_memory *const out = to;                                                                                     \
        if (y.step == 0) {                                                                                             \
            const tirbi_fused_operand one = y;                                                                         \
            y = x, x = one;                                                                                            \
        }                                                                                                              \
        CHOOSE_SURE(op, t)                                                                                             \
        for (size_t i = 0; i < vectors;) {                                                                             \
            GO_WHILE_SURE                                                                                              \
            for (size_t end = vectors - i < ANEW_##t ? vectors : i + ANEW_##t; i < end; i++)                           \
                out[i] = tirbi_fused_anew_##t(minus_x LOAD(x, i), LOAD(y, i), minus_z LOAD(z, i));                     \
        }                                                                                                              \
    }
#define ALL_VECTORS(t, V)                                                                                              \
    VECTORS(TIRBI_FUSED_FMA, fma, t, V, , )                                                                            \
    VECTORS(TIRBI_FUSED_FMS, fms, t, V, , -)                                                                           \
    VECTORS(TIRBI_FUSED_FNMA, fnma, t, V, -, )                                                                         \
    const tirbi_fused_vectors tirbi_fused_##t##_vectors[TIRBI_FUSED_OPS] = {                                           \
        [TIRBI_FUSED_FMA] = fma_##t, [TIRBI_FUSED_FMS] = fms_##t, [TIRBI_FUSED_FNMA] = fnma_##t};
ALL_VECTORS(f32, tirbi_fused_x4)
ALL_VECTORS(f64, tirbi_fused_x2)
