/* The loops in C: what one writes for each instruction, compiled by gcc -O3 for each level of the machine's
 * instructions; the table at the end is called LOOPS. Casts saturate and shifts are masked as the instructions' are;
 * which NaN a NaN is, and how often a sum of a product is rounded, is left to the compiler. */
#define _GNU_SOURCE
#include "tests/bench/instructions/instructions.h"

#include <math.h>
#include <string.h>

/* ---- Types ------------------------------------------------------------------------------------------------------ */

/* Each type as it is stored (s_) and as it is computed with (v_). */
#ifdef __clang__
typedef __fp16 s_f16;
typedef float v_f16;
#else
typedef _Float16 s_f16, v_f16;
#endif
typedef uint16_t s_bf16;
typedef float s_f32, v_f32, v_bf16;
typedef double s_f64, v_f64;
typedef uint8_t s_truth, v_truth, s_u8, v_u8;
typedef uint16_t s_u16, v_u16;
typedef uint32_t s_u32, v_u32;
typedef uint64_t s_u64, v_u64;
typedef int8_t s_i8, v_i8;
typedef int16_t s_i16, v_i16;
typedef int32_t s_i32, v_i32;
typedef int64_t s_i64, v_i64;

enum {
    NUMBER_truth = TIRB_BOOL, NUMBER_i8 = TIRB_I8, NUMBER_i16 = TIRB_I16, NUMBER_i32 = TIRB_I32, NUMBER_i64 = TIRB_I64,
    NUMBER_u8 = TIRB_U8, NUMBER_u16 = TIRB_U16, NUMBER_u32 = TIRB_U32, NUMBER_u64 = TIRB_U64, NUMBER_f16 = TIRB_F16,
    NUMBER_bf16 = TIRB_BF16, NUMBER_f32 = TIRB_F32, NUMBER_f64 = TIRB_F64,
};

static inline float from_bf16(uint16_t x) {
    uint32_t bits = (uint32_t)x << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint16_t to_bf16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0x7FC0 : (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

#define GET_truth(x) (x)
#define GET_i8(x)    (x)
#define GET_i16(x)   (x)
#define GET_i32(x)   (x)
#define GET_i64(x)   (x)
#define GET_u8(x)    (x)
#define GET_u16(x)   (x)
#define GET_u32(x)   (x)
#define GET_u64(x)   (x)
#define GET_f16(x)   (x)
#define GET_bf16(x)  from_bf16(x)
#define GET_f32(x)   (x)
#define GET_f64(x)   (x)
#define PUT_truth(x) (x)
#define PUT_i8(x)    (x)
#define PUT_i16(x)   (x)
#define PUT_i32(x)   (x)
#define PUT_i64(x)   (x)
#define PUT_u8(x)    (x)
#define PUT_u16(x)   (x)
#define PUT_u32(x)   (x)
#define PUT_u64(x)   (x)
#define PUT_f16(x)   (s_f16)(x)
#define PUT_bf16(x)  to_bf16(x)
#define PUT_f32(x)   (x)
#define PUT_f64(x)   (x)

/* A result as its type has it. */
#define ROUNDED(T, x) GET_##T(PUT_##T((v_##T)(x)))

#define SUM(a, b)   ((a) + (b))
#define OTHER(a, b) ((a) ^ (b))
#define MIX_truth   OTHER
#define MIX_i8      SUM
#define MIX_i16     SUM
#define MIX_i32     SUM
#define MIX_i64     SUM
#define MIX_u8      SUM
#define MIX_u16     SUM
#define MIX_u32     SUM
#define MIX_u64     SUM
#define MIX_f16     SUM
#define MIX_bf16    SUM
#define MIX_f32     SUM
#define MIX_f64     SUM
#define EACH_TRUTH(M, ...)  M(truth, __VA_ARGS__)
#define EACH_SIGNED(M, ...) M(i8, __VA_ARGS__) M(i16, __VA_ARGS__) M(i32, __VA_ARGS__) M(i64, __VA_ARGS__)
#define EACH_UNSIGNED(M, ...) M(u8, __VA_ARGS__) M(u16, __VA_ARGS__) M(u32, __VA_ARGS__) M(u64, __VA_ARGS__)
#define EACH_INT(M, ...)    EACH_SIGNED(M, __VA_ARGS__) EACH_UNSIGNED(M, __VA_ARGS__)
#define EACH_REAL(M, ...)   M(f32, __VA_ARGS__) M(f64, __VA_ARGS__)
#define EACH_FLOAT(M, ...)  M(f16, __VA_ARGS__) M(bf16, __VA_ARGS__) EACH_REAL(M, __VA_ARGS__)
#define EACH_NUM(M, ...)    EACH_INT(M, __VA_ARGS__) EACH_FLOAT(M, __VA_ARGS__)
#define EACH_BITS(M, ...)   EACH_TRUTH(M, __VA_ARGS__) EACH_INT(M, __VA_ARGS__)
#define EACH_ANY(M, ...)    EACH_TRUTH(M, __VA_ARGS__) EACH_NUM(M, __VA_ARGS__)
#define EACH_WORD(M, ...)   M(i32, __VA_ARGS__) M(i64, __VA_ARGS__) M(u32, __VA_ARGS__) M(u64, __VA_ARGS__)
#define EACH_WIDE(M, ...)   EACH_WORD(M, __VA_ARGS__) EACH_REAL(M, __VA_ARGS__)

/* ---- Elementwise ------------------------------------------------------------------------------------------------ */

/* A constant of the type that floats are computed in. */
#define TYPED(x, a)       _Generic((a), double: (double)(x), default: (float)(x))
#define MATH1(name, a)    _Generic((a), double: name, default: name##f)(a)
#define MATH2(name, a, b) _Generic((a), double: name, default: name##f)(a, b)
#define WIDTH(a)          ((int)sizeof(a) * 8)
#define UNSIGNED(a)       _Generic((a), int8_t: (uint8_t)(a), int16_t: (uint16_t)(a), default: (a))
#define ONES(a)                                                                                                        \
    (sizeof(a) == 8 ? __builtin_popcountll((uint64_t)(a)) : __builtin_popcount((uint32_t)UNSIGNED(a)))
#define ZEROS(a)                                                                                                       \
    ((a) == 0 ? WIDTH(a)                                                                                               \
              : sizeof(a) == 8 ? __builtin_clzll((uint64_t)(a)) : __builtin_clz((uint32_t)UNSIGNED(a)) - 32 + WIDTH(a))

#define IN(k, T)       const s_##T *restrict x##k = args->in[k];
#define FOR_ALL        for (int i = 0, n = args->n; i < n; i++)
#define AT(k, T)       GET_##T(x##k[i])
/* How two values of a type are put together; the sum that makes operand k a computed one. */
#define MIXED(T, a, b) ROUNDED(T, MIX_##T(a, b))
#define MADE(k, e, T)  MIXED(T, AT(k, T), AT(e, T))
#define BOTH(R, a, b)  PUT_##R((v_##R)MIX_##R(ROUNDED(R, a), ROUNDED(R, b)))

/* A row's two loops, from one element of each. */
#define LOOPS_OF(name, R, arrays, alone, company)                                                                      \
    static void alone_##name(const loop_args *args) {                                                                  \
        s_##R *restrict out = args->out;                                                                               \
        arrays FOR_ALL out[i] = (s_##R)(alone);                                                                        \
    }                                                                                                                  \
    static void company_##name(const loop_args *args) {                                                                \
        s_##R *restrict out = args->out;                                                                               \
        arrays FOR_ALL out[i] = (s_##R)(company);                                                                      \
    }

#define RESULT_SAME(T) T
#define RESULT_TRUE(T) truth
#define DEFINE(T, arity, NAME, result, ...)   DEFINE_AS(arity, T, RESULT_##result(T), NAME, __VA_ARGS__)
#define DEFINE_AS(arity, T, R, NAME, ...)     DEFINE_##arity(T, R, NAME, __VA_ARGS__)
#define DEFINE_1(T, R, NAME, ...)                                                                                      \
    static inline v_##R NAME##_##T(v_##T a) { return (v_##R)(__VA_ARGS__); }                                           \
    LOOPS_OF(NAME##_##T, R, IN(0, T) IN(1, T), PUT_##R(NAME##_##T(AT(0, T))),                                          \
             BOTH(R, NAME##_##T(MADE(0, 1, T)), NAME##_##T(AT(0, T))))
#define DEFINE_2(T, R, NAME, ...)                                                                                      \
    static inline v_##R NAME##_##T(v_##T a, v_##T b) { return (v_##R)(__VA_ARGS__); }                                  \
    LOOPS_OF(NAME##_##T, R, IN(0, T) IN(1, T) IN(2, T), PUT_##R(NAME##_##T(AT(0, T), AT(1, T))),                       \
             BOTH(R, NAME##_##T(MADE(0, 2, T), AT(1, T)), NAME##_##T(AT(0, T), AT(1, T))))
#define DEFINE_3(T, R, NAME, ...)                                                                                      \
    static inline v_##R NAME##_##T(v_##T a, v_##T b, v_##T c) { return (v_##R)(__VA_ARGS__); }                         \
    LOOPS_OF(NAME##_##T, R, IN(0, T) IN(1, T) IN(2, T) IN(3, T), PUT_##R(NAME##_##T(AT(0, T), AT(1, T), AT(2, T))),    \
             BOTH(R, NAME##_##T(MADE(0, 3, T), AT(1, T), AT(2, T)), NAME##_##T(AT(0, T), AT(1, T), AT(2, T))))

#define ELEMENTWISE(arity, NAME, types, result, ...) EACH_##types(DEFINE, arity, NAME, result, __VA_ARGS__)
#include "tests/bench/instructions/loops.def"
#undef ELEMENTWISE

#define DEFINE_SELECT(T, ...)                                                                                          \
    LOOPS_OF(SELECT_##T, T, IN(0, truth) IN(1, T) IN(2, T) IN(3, T), x0[i] ? x1[i] : x2[i],                            \
             BOTH(T, x0[i] ? MADE(1, 3, T) : AT(2, T), x0[i] ? AT(1, T) : AT(2, T)))
EACH_ANY(DEFINE_SELECT, )
#define DEFINE_MOV(T, ...) LOOPS_OF(MOV_##T, T, IN(0, T) IN(1, T), x0[i], BOTH(T, MADE(0, 1, T), AT(0, T)))
EACH_ANY(DEFINE_MOV, )

/* ---- Conversions ------------------------------------------------------------------------------------------------ */

#define LEAST_i8  INT8_MIN
#define LEAST_i16 INT16_MIN
#define LEAST_i32 INT32_MIN
#define LEAST_i64 INT64_MIN
#define LEAST_u8  0
#define LEAST_u16 0
#define LEAST_u32 0
#define LEAST_u64 0
#define MOST_i8   INT8_MAX
#define MOST_i16  INT16_MAX
#define MOST_i32  INT32_MAX
#define MOST_i64  INT64_MAX
#define MOST_u8   UINT8_MAX
#define MOST_u16  UINT16_MAX
#define MOST_u32  UINT32_MAX
#define MOST_u64  UINT64_MAX

#define TO_TRUTH(T, a) ((a) != 0)
#define TO_SAME(T, a)  ((v_##T)(a))
#define TO_INT(T, a)                                                                                                   \
    ((a) != (a)                      ? 0                                                                               \
     : (a) <= TYPED(LEAST_##T, a)    ? LEAST_##T                                                                       \
     : (a) >= TYPED(MOST_##T, a)     ? MOST_##T                                                                        \
                                     : (v_##T)(a))
#define DEFINE_CAST(T, S, how)                                                                                         \
    static inline v_##T CAST_##T##_##S(v_##S a) { return (v_##T)how(T, a); }                                           \
    LOOPS_OF(CAST_##T##_##S, T, IN(0, S) IN(1, S), PUT_##T(CAST_##T##_##S(AT(0, S))),                                  \
             BOTH(T, CAST_##T##_##S(MADE(0, 1, S)), CAST_##T##_##S(AT(0, S))))

/* To each type from type S. */
#define CASTS_OF_INT(S, ...)                                                                                           \
    DEFINE_CAST(truth, S, TO_TRUTH)                                                                                    \
    EACH_NUM(DEFINE_CAST, S, TO_SAME)
#define CASTS_OF_FLOAT(S, ...)                                                                                         \
    DEFINE_CAST(truth, S, TO_TRUTH)                                                                                    \
    EACH_INT(DEFINE_CAST, S, TO_INT)                                                                                   \
    EACH_FLOAT(DEFINE_CAST, S, TO_SAME)
/* Macros do not contain themselves: the outer list is written out. */
CASTS_OF_INT(truth)
CASTS_OF_INT(i8)
CASTS_OF_INT(i16)
CASTS_OF_INT(i32)
CASTS_OF_INT(i64)
CASTS_OF_INT(u8)
CASTS_OF_INT(u16)
CASTS_OF_INT(u32)
CASTS_OF_INT(u64)
CASTS_OF_FLOAT(f16)
CASTS_OF_FLOAT(bf16)
CASTS_OF_FLOAT(f32)
CASTS_OF_FLOAT(f64)

/* No function: clang's half is no type of parameters. */
#define BITS_OF(T, S, x)                                                                                               \
    ({                                                                                                                 \
        const s_##S from = (x);                                                                                        \
        s_##T to;                                                                                                      \
        memcpy(&to, &from, sizeof to);                                                                                 \
        to;                                                                                                            \
    })
#define DEFINE_BITS(T, S)                                                                                              \
    LOOPS_OF(BITS_##T##_##S, T, IN(0, S) IN(1, S), BITS_OF(T, S, x0[i]),                                               \
             BOTH(T, GET_##T(BITS_OF(T, S, PUT_##S(MADE(0, 1, S)))), GET_##T(BITS_OF(T, S, x0[i]))))
#define PAIRS_3(M, a, b, c) M(a, a) M(a, b) M(a, c) M(b, a) M(b, b) M(b, c) M(c, a) M(c, b) M(c, c)
#define BITS_PAIRS(M)                                                                                                  \
    M(i8, i8) M(i8, u8) M(u8, i8) M(u8, u8) M(i8, truth) M(u8, truth) M(truth, truth)                                  \
    PAIRS_3(M, i16, u16, f16)                                                                                          \
    M(i16, bf16) M(u16, bf16) M(f16, bf16) M(bf16, bf16) M(bf16, i16) M(bf16, u16) M(bf16, f16)                        \
    PAIRS_3(M, i32, u32, f32)                                                                                          \
    PAIRS_3(M, i64, u64, f64)
BITS_PAIRS(DEFINE_BITS)

/* A bool of a byte is the lowest bit. */
#define DEFINE_TRUTH(S)                                                                                                \
    LOOPS_OF(BITS_truth_##S, truth, IN(0, S) IN(1, S), (v_truth)(x0[i] & 1),                                           \
             BOTH(truth, (v_truth)(MADE(0, 1, S) & 1), (v_truth)(x0[i] & 1)))
DEFINE_TRUTH(i8)
DEFINE_TRUTH(u8)

/* ---- Memory, reductions, scans ---------------------------------------------------------------------------------- */

#define DEFINE_VLOAD(T, ...)  LOOPS_OF(VLOAD_##T, T, IN(0, T) IN(1, T), x0[i], PUT_##T(MADE(0, 1, T)))
#define DEFINE_VSPLAT(T, ...) LOOPS_OF(VSPLAT_##T, T, IN(0, T), PUT_##T((v_##T)1), BOTH(T, AT(0, T), (v_##T)1))
#define DEFINE_VIOTA(T, ...)                                                                                           \
    LOOPS_OF(VIOTA_##T, T, IN(0, T), (v_##T)(5 + 3 * i), BOTH(T, AT(0, T), (v_##T)(5 + 3 * i)))
EACH_ANY(DEFINE_VLOAD, )
EACH_ANY(DEFINE_VSPLAT, )
EACH_INT(DEFINE_VIOTA, )

/* Loops of which `d` goes from element to element, begins with 1, and is all or the last that is written. */
#define REDUCTION(name, T, arrays, alone, company)                                                                     \
    static void alone_##name(const loop_args *args) {                                                                  \
        arrays v_##T d = 1;                                                                                            \
        FOR_ALL d = alone;                                                                                             \
        *(s_##T *)args->out = d;                                                                                       \
    }                                                                                                                  \
    static void company_##name(const loop_args *args) {                                                                \
        arrays v_##T d = 1;                                                                                            \
        FOR_ALL d = company;                                                                                           \
        *(s_##T *)args->out = d;                                                                                       \
    }
#define SCAN(name, T, arrays, alone, company)                                                                          \
    static void alone_##name(const loop_args *args) {                                                                  \
        s_##T *restrict out = args->out;                                                                               \
        arrays v_##T d = 1;                                                                                            \
        FOR_ALL out[i] = d = alone;                                                                                    \
    }                                                                                                                  \
    static void company_##name(const loop_args *args) {                                                                \
        s_##T *restrict out = args->out;                                                                               \
        arrays v_##T d = 1;                                                                                            \
        FOR_ALL {                                                                                                      \
            d = company;                                                                                               \
            out[i] = d + x0[i];                                                                                        \
        }                                                                                                              \
    }
#define DO_ADD(d, u) (d) + (u)
#define DO_MUL(d, u) (d) * (u)
#define DO_MIN(d, u) (d) < (u) ? (d) : (u)
#define DO_MAX(d, u) (d) > (u) ? (d) : (u)
#define DO_AND(d, u) (d) & (u)
#define DO_OR(d, u)  (d) | (u)
#define DO_XOR(d, u) (d) ^ (u)
#define DO_SUB(d, u) (d) - (u)
#define DO_DIV(d, u) (d) / (u)
#define DEFINE_VRED(T, NAME)                                                                                           \
    REDUCTION(VRED_##NAME##_##T, T, IN(0, T) IN(1, T), DO_##NAME(d, x0[i]), DO_##NAME(d, x0[i] + x1[i]))
#define DEFINE_VREDMA(T, ...)                                                                                          \
    REDUCTION(VREDMA_##T, T, IN(0, T) IN(1, T) IN(2, T), d + x0[i] * x1[i], d + (x0[i] + x2[i]) * x1[i])
#define DEFINE_VSCAN(T, NAME)                                                                                          \
    SCAN(VSCAN_##NAME##_##T, T, IN(0, T) IN(1, T), DO_##NAME(d, x0[i]), DO_##NAME(d, x0[i] + x1[i]))
#define DEFINE_VSCANMA(T, ...)                                                                                         \
    SCAN(VSCANMA_FMA_##T, T, IN(0, T) IN(1, T) IN(2, T), x0[i] * x1[i] + d, (x0[i] + x2[i]) * x1[i] + d)               \
    SCAN(VSCANMA_LINEAR_##T, T, IN(0, T) IN(1, T) IN(2, T), x0[i] * d + x1[i], (x0[i] + x2[i]) * d + x1[i])
EACH_REAL(DEFINE_VRED, ADD) EACH_REAL(DEFINE_VRED, MUL) EACH_REAL(DEFINE_VRED, MIN) EACH_REAL(DEFINE_VRED, MAX)
EACH_REAL(DEFINE_VREDMA, )
EACH_WIDE(DEFINE_VSCAN, ADD) EACH_WIDE(DEFINE_VSCAN, MUL) EACH_WIDE(DEFINE_VSCAN, MIN) EACH_WIDE(DEFINE_VSCAN, MAX)
EACH_WORD(DEFINE_VSCAN, AND) EACH_WORD(DEFINE_VSCAN, OR) EACH_WORD(DEFINE_VSCAN, XOR)
EACH_WIDE(DEFINE_VSCAN, SUB) EACH_REAL(DEFINE_VSCAN, DIV)
EACH_REAL(DEFINE_VSCANMA, )

/* Indices are in array 0. */
#define PLACES const int32_t *restrict at = args->in[0];
#define SCATTER(name, T, arrays, operation, alone, company)                                                            \
    static void alone_##name(const loop_args *args) {                                                                  \
        s_##T *restrict out = args->out;                                                                               \
        PLACES arrays FOR_ALL out[at[i]] operation alone;                                                              \
    }                                                                                                                  \
    static void company_##name(const loop_args *args) {                                                                \
        s_##T *restrict out = args->out;                                                                               \
        PLACES arrays FOR_ALL out[at[i]] operation company;                                                            \
    }
#define DEFINE_VLOADX(T, ...)                                                                                          \
    LOOPS_OF(VLOADX_##T, T, PLACES IN(1, T) IN(2, T), x1[at[i]], BOTH(T, GET_##T(x1[at[i]]), AT(2, T)))
#define DEFINE_VSTOREX(T, ...) SCATTER(VSTOREX_##T, T, IN(1, T) IN(2, T), =, x1[i], PUT_##T(MADE(1, 2, T)))
#define DEFINE_VUPDATE(T, ...) SCATTER(VUPDATE_##T, T, IN(1, T) IN(2, T), +=, x1[i], x1[i] + x2[i])
#define DEFINE_VUPDATEMA(T, ...)                                                                                       \
    SCATTER(VUPDATEMA_##T, T, IN(1, T) IN(2, T) IN(3, T), +=, x1[i] * x2[i], (x1[i] + x3[i]) * x2[i])
EACH_ANY(DEFINE_VLOADX, )
EACH_ANY(DEFINE_VSTOREX, )
EACH_WIDE(DEFINE_VUPDATE, )
EACH_REAL(DEFINE_VUPDATEMA, )

/* Whether all indices are good is known at the end. */
#define DEFINE_VINDEX(T, ...)                                                                                          \
    static void alone_VINDEX_##T(const loop_args *args) {                                                              \
        s_##T *restrict out = args->out;                                                                               \
        IN(0, T)                                                                                                       \
        int bad = 0;                                                                                                   \
        FOR_ALL {                                                                                                      \
            bad |= (uint64_t)(int64_t)x0[i] >= INDEX_LIMIT;                                                            \
            out[i] = x0[i];                                                                                            \
        }                                                                                                              \
        if (bad) out[0] = 0;                                                                                           \
    }
EACH_INT(DEFINE_VINDEX, )

static void alone_VFIND_truth(const loop_args *args) {
    IN(0, truth)
    int64_t place = args->n;
    FOR_ALL
        if (x0[i]) {
            place = i;
            break;
        }
    *(int64_t *)args->out = place;
}

static void company_VFIND_truth(const loop_args *args) {
    IN(0, truth)
    IN(1, truth)
    int64_t place = args->n;
    FOR_ALL
        if (x0[i] ^ x1[i]) {
            place = i;
            break;
        }
    *(int64_t *)args->out = place;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

#define ROW(op, T, detail, name) {{op, NUMBER_##T, detail}, {alone_##name, company_##name}},
#define ROW_ELEMENTWISE(T, NAME) ROW(TIRB_OP_V##NAME, T, TIRB_TYPE_NONE, NAME##_##T)
#define ROW_TYPED(T, NAME)       ROW(TIRB_OP_##NAME, T, TIRB_TYPE_NONE, NAME##_##T)
#define ROW_DETAIL(T, NAME, detail, of) ROW(TIRB_OP_##NAME, T, detail, NAME##_##of##_##T)
#define ROW_CAST(T, S)           ROW(TIRB_OP_VCAST, T, NUMBER_##S, CAST_##T##_##S)
#define ROW_BITS(T, S)           ROW(TIRB_OP_VBITS, T, NUMBER_##S, BITS_##T##_##S)
#define ROW_VINDEX(T, ...)       {{TIRB_OP_VINDEX, NUMBER_##T, TIRB_TYPE_NONE}, {alone_VINDEX_##T, NULL}},
#define ROWS_CAST(S)             EACH_ANY(ROW_CAST, S)

static const c_loops rows[] = {
#define ELEMENTWISE(arity, NAME, types, ...) EACH_##types(ROW_ELEMENTWISE, NAME)
#include "tests/bench/instructions/loops.def"
#undef ELEMENTWISE
    EACH_ANY(ROW_ELEMENTWISE, SELECT) EACH_ANY(ROW_ELEMENTWISE, MOV)
    ROWS_CAST(truth) ROWS_CAST(i8) ROWS_CAST(i16) ROWS_CAST(i32) ROWS_CAST(i64) ROWS_CAST(u8) ROWS_CAST(u16)
    ROWS_CAST(u32) ROWS_CAST(u64) ROWS_CAST(f16) ROWS_CAST(bf16) ROWS_CAST(f32) ROWS_CAST(f64)
    BITS_PAIRS(ROW_BITS) ROW_BITS(truth, i8) ROW_BITS(truth, u8)
    EACH_ANY(ROW_TYPED, VLOAD) EACH_ANY(ROW_TYPED, VSPLAT) EACH_INT(ROW_TYPED, VIOTA)
    EACH_REAL(ROW_DETAIL, VRED, TIRBI_SCAN_ADD, ADD) EACH_REAL(ROW_DETAIL, VRED, TIRBI_SCAN_MUL, MUL)
    EACH_REAL(ROW_DETAIL, VRED, TIRBI_SCAN_MIN, MIN) EACH_REAL(ROW_DETAIL, VRED, TIRBI_SCAN_MAX, MAX)
    EACH_REAL(ROW_TYPED, VREDMA)
    EACH_WIDE(ROW_DETAIL, VSCAN, TIRBI_SCAN_ADD, ADD) EACH_WIDE(ROW_DETAIL, VSCAN, TIRBI_SCAN_MUL, MUL)
    EACH_WIDE(ROW_DETAIL, VSCAN, TIRBI_SCAN_MIN, MIN) EACH_WIDE(ROW_DETAIL, VSCAN, TIRBI_SCAN_MAX, MAX)
    EACH_WORD(ROW_DETAIL, VSCAN, TIRBI_SCAN_AND, AND) EACH_WORD(ROW_DETAIL, VSCAN, TIRBI_SCAN_OR, OR)
    EACH_WORD(ROW_DETAIL, VSCAN, TIRBI_SCAN_XOR, XOR) EACH_WIDE(ROW_DETAIL, VSCAN, TIRBI_SCAN_SUB, SUB)
    EACH_REAL(ROW_DETAIL, VSCAN, TIRBI_SCAN_DIV, DIV)
    EACH_REAL(ROW_DETAIL, VSCANMA, TIRBI_SCAN_FMA, FMA)
    EACH_REAL(ROW_DETAIL, VSCANMA, TIRBI_SCAN_FMA | TIRBI_SCAN_SWAPPED, LINEAR)
    EACH_ANY(ROW_TYPED, VLOADX) EACH_ANY(ROW_TYPED, VSTOREX) EACH_WIDE(ROW_TYPED, VUPDATE)
    EACH_REAL(ROW_TYPED, VUPDATEMA) EACH_INT(ROW_VINDEX, ) ROW_TYPED(truth, VFIND)
};

const level LOOPS = {LEVEL, rows, sizeof rows / sizeof *rows};
