/* Every generic strip kernel beside the inline function of its element: the same bits, for all lengths
 * up to past a block, unaligned, and in place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <tirb/tirb.h>

#include "loader/isa/isa.h"
#include "vm/lanes/halves.h"
#include "vm/lanes/kernels.h"
#include "tests/unit/sampled.h"
#include "vm/math/ops.h"

/* ---- One element at a time -------------------------------------------------------------------------------------- */

typedef bool (*element)(void *d, const void *a, const void *b, const void *c);

#define OPERAND(C, x, from)                                                                                            \
    C x;                                                                                                               \
    memcpy(&x, from, sizeof x)
#define RESULT(D, value)                                                                                               \
    D result = value;                                                                                                  \
    memcpy(d, &result, sizeof result);                                                                                 \
    return true
#define ELEMENT_1(name, D, C, function)                                                                                \
    static bool name(void *d, const void *a, const void *b, const void *c) {                                           \
        (void)b, (void)c;                                                                                              \
        OPERAND(C, x, a);                                                                                              \
        RESULT(D, function(x));                                                                                        \
    }
#define ELEMENT_2(name, D, C, function)                                                                                \
    static bool name(void *d, const void *a, const void *b, const void *c) {                                           \
        (void)c;                                                                                                       \
        OPERAND(C, x, a);                                                                                              \
        OPERAND(C, y, b);                                                                                              \
        RESULT(D, function(x, y));                                                                                     \
    }
#define ELEMENT_3(name, A, C, function)                                                                                \
    static bool name(void *d, const void *a, const void *b, const void *c) {                                           \
        OPERAND(A, x, a);                                                                                              \
        OPERAND(C, y, b);                                                                                              \
        OPERAND(C, z, c);                                                                                              \
        RESULT(C, function(x, y, z));                                                                                  \
    }
#define ELEMENT_TRAP(name, C, function)                                                                                \
    static bool name(void *d, const void *a, const void *b, const void *c) {                                           \
        (void)c;                                                                                                       \
        OPERAND(C, x, a);                                                                                              \
        OPERAND(C, y, b);                                                                                              \
        C result;                                                                                                      \
        if (!function(x, y, &result)) return false;                                                                    \
        memcpy(d, &result, sizeof result);                                                                             \
        return true;                                                                                                   \
    }

/* Y(NAME, mnemonic, type, TYPE, C type) for all the types of a class. */
#define SIGNED(Y, N, op) \
    Y(N, op, i8, I8, int8_t) Y(N, op, i16, I16, int16_t) Y(N, op, i32, I32, int32_t) Y(N, op, i64, I64, int64_t)
#define UNSIGNED(Y, N, op) \
    Y(N, op, u8, U8, uint8_t) Y(N, op, u16, U16, uint16_t) Y(N, op, u32, U32, uint32_t) Y(N, op, u64, U64, uint64_t)
#define INTS(Y, N, op) SIGNED(Y, N, op) UNSIGNED(Y, N, op)
#define FLOATS(Y, N, op) \
    Y(N, op, f16, F16, uint16_t) Y(N, op, bf16, BF16, uint16_t) Y(N, op, f32, F32, float) Y(N, op, f64, F64, double)
#define NUMS(Y, N, op) INTS(Y, N, op) FLOATS(Y, N, op)
/* The type is given by its suffix alone: `bool` is a macro, so it is written last, where nothing expands it. */
#define BOOLS(Y, N, op) Y(N, op, truth, BOOL, uint8_t)
#define ANYS(Y, N, op) NUMS(Y, N, op) BOOLS(Y, N, op)

#define TRUTH_2(op) \
    static inline uint8_t tirbi_##op##_truth(uint8_t a, uint8_t b) { return tirbi_##op##_bool(a, b); }
TRUTH_2(and)
TRUTH_2(or)
TRUTH_2(xor)
TRUTH_2(eq)
TRUTH_2(ne)
TRUTH_2(lt)
TRUTH_2(le)
TRUTH_2(gt)
TRUTH_2(ge)
static inline uint8_t tirbi_not_truth(uint8_t a) { return tirbi_not_bool(a); }
static inline uint8_t tirbi_mov_truth(uint8_t a) { return tirbi_mov_bool(a); }
static inline uint8_t tirbi_select_truth(uint8_t a, uint8_t b, uint8_t c) { return tirbi_select_bool(a, b, c); }

#define DEFINE_1(N, op, t, T, C) ELEMENT_1(op##_##t, C, C, tirbi_##op##_##t)
#define DEFINE_2(N, op, t, T, C) ELEMENT_2(op##_##t, C, C, tirbi_##op##_##t)
#define DEFINE_3(N, op, t, T, C) ELEMENT_3(op##_##t, C, C, tirbi_##op##_##t)
#define DEFINE_SELECT(N, op, t, T, C) ELEMENT_3(op##_##t, uint8_t, C, tirbi_##op##_##t)
#define DEFINE_COMPARE(N, op, t, T, C) ELEMENT_2(op##_##t, uint8_t, C, tirbi_##op##_##t)
#define DEFINE_TEST(N, op, t, T, C) ELEMENT_1(op##_##t, uint8_t, C, tirbi_##op##_##t)
#define DEFINE_TRAP(N, op, t, T, C) ELEMENT_TRAP(op##_##t, C, tirbi_##op##_##t)
#define ENTRY(N, op, t, T, C) [TIRB_OP_##N - TIRBI_FIRST_ELEMENTWISE][TIRB_##T] = op##_##t,

/* Each list of vm/math/ops.h with the class of types that it is for. */
#define ALL_ROWS(R1, R2, R3, RSELECT, RCOMPARE, RTEST, RTRAP)                                                          \
    TIRBI_OPS_ANY_1(R1##_ANYS) TIRBI_OPS_NUM_1(R1##_NUMS) TIRBI_OPS_NUM_2(R2##_NUMS) TIRBI_OPS_FLOAT_1(R1##_FLOATS)    \
    TIRBI_OPS_FLOAT_2(R2##_FLOATS) TIRBI_OPS_FLOAT_3(R3##_FLOATS) TIRBI_OPS_INT_TRAP(RTRAP##_INTS)                     \
    TIRBI_OPS_INT_2(R2##_INTS) TIRBI_OPS_INT_1(R1##_INTS) TIRBI_OPS_BITS_2(R2##_BITS) TIRBI_OPS_BITS_1(R1##_BITS)      \
    TIRBI_OPS_COMPARE(RCOMPARE##_ANYS) RSELECT##_ANYS(SELECT, select) RTEST##_FLOATS(ISNAN, isnan)                     \
    TIRBI_MATH_1(R1##_FLOATS) TIRBI_MATH_2(R2##_FLOATS) TIRBI_SPECIAL_1(R1##_FLOATS) TIRBI_SPECIAL_2(R2##_FLOATS)

#define D1_ANYS(N, op) ANYS(DEFINE_1, N, op)
#define D1_NUMS(N, op) NUMS(DEFINE_1, N, op)
#define D1_FLOATS(N, op) FLOATS(DEFINE_1, N, op)
#define D1_INTS(N, op) INTS(DEFINE_1, N, op)
#define D1_BITS(N, op) INTS(DEFINE_1, N, op) BOOLS(DEFINE_1, N, op)
#define D2_NUMS(N, op) NUMS(DEFINE_2, N, op)
#define D2_FLOATS(N, op) FLOATS(DEFINE_2, N, op)
#define D2_INTS(N, op) INTS(DEFINE_2, N, op)
#define D2_BITS(N, op) INTS(DEFINE_2, N, op) BOOLS(DEFINE_2, N, op)
#define D3_FLOATS(N, op) FLOATS(DEFINE_3, N, op)
#define DS_ANYS(N, op) ANYS(DEFINE_SELECT, N, op)
#define DC_ANYS(N, op) ANYS(DEFINE_COMPARE, N, op)
#define DT_FLOATS(N, op) FLOATS(DEFINE_TEST, N, op)
#define DX_INTS(N, op) INTS(DEFINE_TRAP, N, op)
ALL_ROWS(D1, D2, D3, DS, DC, DT, DX)

#define E_ANYS(N, op) ANYS(ENTRY, N, op)
#define E_NUMS(N, op) NUMS(ENTRY, N, op)
#define E_FLOATS(N, op) FLOATS(ENTRY, N, op)
#define E_INTS(N, op) INTS(ENTRY, N, op)
#define E_BITS(N, op) INTS(ENTRY, N, op) BOOLS(ENTRY, N, op)
static const element elements[TIRBI_N_ELEMENTWISE][TIRB_N_DTYPES] = {ALL_ROWS(E, E, E, E, E, E, E)};

/* Casts and bit copies, [to][from]. */
#define CASTS_FROM(Y, from, FROM, F)                                                                                   \
    Y(i8, I8, int8_t, from, FROM, F) Y(i16, I16, int16_t, from, FROM, F) Y(i32, I32, int32_t, from, FROM, F)           \
    Y(i64, I64, int64_t, from, FROM, F) Y(u8, U8, uint8_t, from, FROM, F) Y(u16, U16, uint16_t, from, FROM, F)         \
    Y(u32, U32, uint32_t, from, FROM, F) Y(u64, U64, uint64_t, from, FROM, F) Y(f16, F16, uint16_t, from, FROM, F)     \
    Y(bf16, BF16, uint16_t, from, FROM, F) Y(f32, F32, float, from, FROM, F) Y(f64, F64, double, from, FROM, F)        \
    Y(truth, BOOL, uint8_t, from, FROM, F)
#define CASTS(Y)                                                                                                       \
    CASTS_FROM(Y, i8, I8, int8_t) CASTS_FROM(Y, i16, I16, int16_t) CASTS_FROM(Y, i32, I32, int32_t)                    \
    CASTS_FROM(Y, i64, I64, int64_t) CASTS_FROM(Y, u8, U8, uint8_t) CASTS_FROM(Y, u16, U16, uint16_t)                  \
    CASTS_FROM(Y, u32, U32, uint32_t) CASTS_FROM(Y, u64, U64, uint64_t) CASTS_FROM(Y, f16, F16, uint16_t)              \
    CASTS_FROM(Y, bf16, BF16, uint16_t) CASTS_FROM(Y, f32, F32, float) CASTS_FROM(Y, f64, F64, double)                 \
    CASTS_FROM(Y, truth, BOOL, uint8_t)
#define TRUTH_CAST(t, C)                                                                                               \
    static inline C tirbi_cast_##t##_truth(uint8_t v) { return tirbi_cast_##t##_bool(v); }                             \
    static inline uint8_t tirbi_cast_truth_##t(C v) { return tirbi_cast_bool_##t(v); }
TRUTH_CAST(i8, int8_t)
TRUTH_CAST(i16, int16_t)
TRUTH_CAST(i32, int32_t)
TRUTH_CAST(i64, int64_t)
TRUTH_CAST(u8, uint8_t)
TRUTH_CAST(u16, uint16_t)
TRUTH_CAST(u32, uint32_t)
TRUTH_CAST(u64, uint64_t)
TRUTH_CAST(f16, uint16_t)
TRUTH_CAST(bf16, uint16_t)
TRUTH_CAST(f32, float)
TRUTH_CAST(f64, double)
static inline uint8_t tirbi_cast_truth_truth(uint8_t v) { return tirbi_cast_bool_bool(v); }
#define DEFINE_CAST(to, TO, T, from, FROM, F) ELEMENT_1(cast_##to##_##from, T, F, tirbi_cast_##to##_##from)
#define ENTRY_CAST(to, TO, T, from, FROM, F) [TIRB_##TO][TIRB_##FROM] = cast_##to##_##from,
CASTS(DEFINE_CAST)
static const element casts[TIRB_N_DTYPES][TIRB_N_DTYPES] = {CASTS(ENTRY_CAST)};

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static uint64_t random_state = 0x2545F4914F6CDD1Du;
static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* A value of the type: any bits, or an edge of its range, or (floats) of ordinary size. */
static void random_element(uint8_t *to, tirbi_dtype type) {
    static const double doubles[] = {
        0.0,      -0.0,      1,         -1,     0.5,    2,     3,     -3,           INFINITY,      -INFINITY, NAN,
        0x1p-149, 0x1p-1074, 127.5,     255,    -128.9, 65504, 65520, 2147483647.0, -2147483649.0, 0x1p63,    -0x1p63,
        0x1p64,   1e300,     0x1p-1022, 0x1p20, 1e22,   709.8, 88.7,  -745,         0x1.fffffep127};
    static const uint64_t integers[] = {
        0,    1,      2,      3,           7,          UINT64_MAX,        UINT64_MAX - 1, 0x80,
        0x7F, 0x8000, 0x7FFF, 0x80000000u, 0x7FFFFFFF, UINT64_C(1) << 63, UINT64_MAX >> 1};
    uint64_t kind = random_bits() % 4, bits = random_bits();
    if (type == TIRB_BOOL) {
        *to = (uint8_t)(bits & 1);
        return;
    }
    if (!tirbi_dtype_is_float(type)) {
        if (kind == 0) bits = integers[random_bits() % (sizeof integers / sizeof *integers)];
        if (kind == 1) bits = random_bits() >> (random_bits() % 64);
        memcpy(to, &bits, tirbi_dtypes[type].size);
        return;
    }
    double value = kind == 0 ? doubles[random_bits() % (sizeof doubles / sizeof *doubles)]
                             : ldexp((double)(int64_t)bits, (int)(random_bits() % 24) - 72);
    if (kind == 3) {
        memcpy(to, &bits, tirbi_dtypes[type].size);
    } else if (type == TIRB_F64) {
        memcpy(to, &value, sizeof value);
    } else if (type == TIRB_F32) {
        float narrow = (float)value;
        memcpy(to, &narrow, sizeof narrow);
    } else {
        uint16_t half = type == TIRB_F16 ? tirbi_f64_to_f16(value) : tirbi_f64_to_bf16(value);
        memcpy(to, &half, sizeof half);
    }
}

/* ---- The comparison --------------------------------------------------------------------------------------------- */

enum { LONGEST = 70, MARGIN = 16, BUFFER = (LONGEST + 1) * 8 + 2 * MARGIN };

typedef struct check {
    const char *isa, *name, *type;
    tirbi_kernel kernel;
    element expected;
    unsigned arity;
    tirbi_dtype result, operand[3];
} check;

static void fill(uint8_t *buffer, tirbi_dtype type, size_t n) {
    for (size_t i = 0; i < n; i++) random_element(buffer + i * tirbi_dtypes[type].size, type);
}

static void fail_check(const check *c, size_t n, size_t i, const char *what) {
    print_error("%s %s.%s: %s at element %zu of %zu\n", c->isa, c->name, c->type, what, i, n);
    fail();
}

/* One call on n elements whose memory begins `shift` bytes past an aligned address, the result in place of operand
 * `in_place` if that is below the arity. */
static void check_call(const check *c, size_t n, size_t shift, unsigned in_place, bool keep_zeros) {
    static uint8_t operands[3][BUFFER], result[BUFFER], expected[BUFFER];
    size_t size = tirbi_dtypes[c->result].size;
    uint8_t *start[3];
    for (unsigned k = 0; k < 3; k++) {
        start[k] = operands[k] + MARGIN + shift;
        if (k >= c->arity) continue;
        fill(start[k], c->operand[k], n);
        if (!keep_zeros && k == 1)
            for (size_t i = 0; i < n; i++)
                start[1][i * tirbi_dtypes[c->operand[1]].size] |= 1;
    }
    bool trapped = false;
    memset(expected, 0xA5, sizeof expected);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *at[3];
        for (unsigned k = 0; k < 3; k++) at[k] = start[k] + i * tirbi_dtypes[c->operand[k]].size;
        trapped |= !c->expected(expected + MARGIN + shift + i * size, at[0], at[1], at[2]);
    }
    bool own = in_place >= c->arity || in_place >= 3;
    uint8_t *d = own ? result : operands[in_place];
    if (!own) {
        memset(d, 0xA5, MARGIN + shift);
        memset(start[in_place] + n * size, 0xA5, MARGIN);
    } else {
        memset(result, 0xA5, sizeof result);
    }
    bool good =
        c->kernel(d + MARGIN + shift, start[0], c->arity > 1 ? start[1] : NULL, c->arity > 2 ? start[2] : NULL, n);
    if (good == trapped) fail_check(c, n, 0, trapped ? "divides by zero unnoticed" : "fails");
    if (trapped) return;
    for (size_t i = 0; i < (n * size) + MARGIN + MARGIN + shift; i++)
        if (d[i] != expected[i]) {
            size_t offset = i < MARGIN + shift ? 0 : (i - MARGIN - shift) / size;
            fail_check(c, n, offset, "differs");
        }
}

static void check_kernel(const check *c, bool trap) {
    assert_non_null(c->kernel);
    assert_non_null(c->expected);
    for (size_t n = 0; n <= LONGEST; n++) {
        check_call(c, n, n % 4, 3, true);
        check_call(c, n, 0, 3, !trap);
        for (unsigned k = 0; k < c->arity; k++)
            if (tirbi_dtypes[c->operand[k]].size == tirbi_dtypes[c->result].size) check_call(c, n, n % 3, k, !trap);
    }
    for (unsigned repeat = 0; repeat < 250; repeat += sampled_every()) check_call(c, LONGEST, 1, 3, !trap);
}

/* checkasm compares the others with this one. */
static const tirb_isa isas[] = {TIRB_ISA_GENERIC};

static void test_elementwise(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        if (!tirb_isa_available(isas[k])) continue;
        const tirbi_kernel_table *table = tirbi_kernels(isas[k]);
        assert_non_null(table);
        size_t n_checked = 0;
        for (unsigned op = TIRBI_FIRST_ELEMENTWISE; op < TIRBI_FIRST_ELEMENTWISE + TIRBI_N_ELEMENTWISE; op++) {
            const tirbi_op_info *info = &tirbi_ops[op];
            bool row = info->mnemonic != NULL && (info->flags & TIRBI_FLAG_ELEMENTWISE) != 0;
            for (unsigned t = 0; t < TIRB_N_DTYPES; t++) {
                tirbi_dtype type = (tirbi_dtype)t;
                bool separate = op == TIRB_OP_CAST || op == TIRB_OP_BITS;
                tirbi_kernel kernel = table->op[op - TIRBI_FIRST_ELEMENTWISE][type];
                if (!row || separate || (info->types >> type & 1) == 0) {
                    assert_null(kernel);
                    continue;
                }
                check c = {tirb_isa_name(isas[k]), info->mnemonic, tirbi_dtypes[type].name, kernel,
                           elements[op - TIRBI_FIRST_ELEMENTWISE][type], info->arity,
                           tirbi_op_result_type((tirbi_op)op, type), {type, type, type}};
                for (unsigned i = 0; i < info->arity; i++)
                    c.operand[i] = tirbi_op_operand_type((tirbi_op)op, type, type, i);
                if (kernel == NULL || c.expected == NULL) print_error("no %s.%s\n", info->mnemonic, c.type);
                check_kernel(&c, (info->flags & TIRBI_FLAG_TRAP) != 0 && !tirbi_dtype_is_float(type));
                n_checked++;
            }
        }
        printf("  %s: %zu kernels\n", tirb_isa_name(isas[k]), n_checked);
    }
}

static void test_casts(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        if (!tirb_isa_available(isas[k])) continue;
        const tirbi_kernel_table *table = tirbi_kernels(isas[k]);
        for (unsigned to = 0; to < TIRB_N_DTYPES; to++)
            for (unsigned from = 0; from < TIRB_N_DTYPES; from++) {
                tirbi_dtype type = (tirbi_dtype)from;
                check c = {tirb_isa_name(isas[k]), "cast", tirbi_dtypes[from].name, table->cast[to][from], casts[to][from], 1,
                           (tirbi_dtype)to, {type, type, type}};
                check_kernel(&c, false);
            }
    }
}

/* Kernels of CPUs with float16 of their own give the bits of the others: all values with many of both signs,
 * subnormals, halfway cases, infinities and NaNs among them. */
static void test_halves(void **state) {
    (void)state;
    enum { ALL = 1 << 16, STEP = 331 };
    static uint16_t all[ALL], other[ALL], got[ALL], expected[ALL];
    const tirbi_half_kernels *halves = tirbi_half_kernels_of(TIRB_ISA_AVX512);
    if (!halves || !tirb_isa_available(TIRB_ISA_AVX512)) skip();
    const tirbi_kernel_table *table = tirbi_kernels(TIRB_ISA_AVX512);
    assert_null(tirbi_half_kernels_of(TIRB_ISA_AVX2));
    for (unsigned i = 0; i < ALL; i++) all[i] = (uint16_t)i;
    for (unsigned op = 0; op < TIRBI_N_ELEMENTWISE; op++) {
        if (!halves->op[op]) continue;
        const tirbi_op_info *info = &tirbi_ops[op + TIRBI_FIRST_ELEMENTWISE];
        size_t size = tirbi_dtypes[tirbi_op_result_type((tirbi_op)(op + TIRBI_FIRST_ELEMENTWISE), TIRB_F16)].size;
        for (unsigned v = 0; v < ALL; v += info->arity == 1 ? ALL : STEP) {
            for (unsigned i = 0; i < ALL; i++) other[i] = (uint16_t)v;
            size_t n = ALL - v % 67;
            memset(got, 0xAA, sizeof got);
            memset(expected, 0xAA, sizeof expected);
            assert_true(halves->op[op](got, other, all, NULL, n));
            assert_true(table->op[op][TIRB_F16](expected, other, all, NULL, n));
            if (memcmp(got, expected, sizeof got) != 0) fail_msg("%s of %#x", info->mnemonic, v);
            assert_true(halves->op[op](got, all, other, NULL, n));
            assert_true(table->op[op][TIRB_F16](expected, all, other, NULL, n));
            if (memcmp(got, expected, n * size) != 0) fail_msg("%s with %#x", info->mnemonic, v);
        }
    }
}

/* What is computed is no NaN but the canonical one, whatever NaNs the operands are: results are rounded as if there
 * were no other. */
static void test_half_nans(void **state) {
    (void)state;
    enum { ALL = 1 << 16 };
    static uint16_t all[ALL], other[ALL], got[ALL];
    static const uint16_t others[] = {0x3C00, 0x7FFF, 0xFF81, 0xFD55};
    for (unsigned i = 0; i < ALL; i++) all[i] = (uint16_t)i;
    for (unsigned n = 0; n < 2 * TIRBI_N_ELEMENTWISE; n++) {
        const tirbi_dtype type = n % 2 == 0 ? TIRB_F16 : TIRB_BF16;
        const tirbi_op op = (tirbi_op)(n / 2 + TIRBI_FIRST_ELEMENTWISE);
        const tirbi_kernel kernel = tirbi_kernels(TIRB_ISA_GENERIC)->op[n / 2][type];
        if (!kernel || tirbi_op_result_type(op, type) != type || op == TIRB_OP_MOV || op == TIRB_OP_SELECT) continue;
        for (unsigned k = 0; k < (tirbi_ops[op].arity > 1 ? sizeof others / sizeof *others : 1); k++) {
            for (unsigned i = 0; i < ALL; i++) other[i] = others[k];
            assert_true(kernel(got, all, other, other, ALL));
            for (unsigned i = 0; i < ALL; i++) {
                if ((got[i] & 0x7FFF) <= (type == TIRB_F16 ? 0x7C00 : 0x7F80)) continue;
                if (got[i] != (type == TIRB_F16 ? TIRBI_NAN_F16 : TIRBI_NAN_BF16))
                    fail_msg("%s.%s of %#x is %#x", tirbi_ops[op].mnemonic, tirbi_dtypes[type].name, i, got[i]);
            }
        }
    }
}

/* A bit copy is the source with a canonical NaN, of the floats among the two types. */
static void test_bits(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        if (!tirb_isa_available(isas[k])) continue;
        const tirbi_kernel_table *table = tirbi_kernels(isas[k]);
        for (unsigned to = 0; to < TIRB_N_DTYPES; to++)
            for (unsigned from = 0; from < TIRB_N_DTYPES; from++) {
                tirbi_kernel kernel = table->bits[to][from];
                size_t size = tirbi_dtypes[to].size;
                if (size != tirbi_dtypes[from].size) {
                    assert_null(kernel);
                    continue;
                }
                assert_non_null(kernel);
                uint8_t source[LONGEST * 8], got[LONGEST * 8], expected[LONGEST * 8];
                fill(source, (tirbi_dtype)from, LONGEST);
                memcpy(expected, source, sizeof source);
                for (size_t i = 0; i < LONGEST; i++) {
                    uint8_t *e = expected + i * size;
                    if (tirbi_dtype_is_float((tirbi_dtype)from)) casts[from][from](e, source + i * size, NULL, NULL);
                    if (to == TIRB_BOOL) *e &= 1;
                }
                assert_true(kernel(got, source, NULL, NULL, LONGEST));
                assert_memory_equal(got, expected, LONGEST * size);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elementwise),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_half_nans),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
