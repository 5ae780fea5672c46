/* The tables of the lane machine's forms. */
#include "vm/lanes/forms.h"
#include "vm/lanes/register_forms.h"
#include "vm/lanes/registers.h"
#include "vm/translate/lane_body.h"

enum {
#define KIND(OP, T) KIND_##OP##_##T,
    KIND_NONE = 0,
    KIND(ADD, F32) KIND(ADD, F64) KIND(ADD, I32) KIND(ADD, I64)
    KIND(SUB, F32) KIND(SUB, F64) KIND(SUB, I32) KIND(SUB, I64)
    KIND(MUL, F32) KIND(MUL, F64) KIND(MUL, I32) KIND(MUL, I64)
    KIND(DIV, F32) KIND(DIV, F64)
    KIND(MIN, F32) KIND(MIN, F64) KIND(MIN, I32) KIND(MIN, I64)
    KIND(MAX, F32) KIND(MAX, F64) KIND(MAX, I32) KIND(MAX, I64)
    KIND(AND, I32) KIND(AND, I64) KIND(OR, I32) KIND(OR, I64) KIND(XOR, I32) KIND(XOR, I64)
    KIND(SHL, I32) KIND(SHL, I64) KIND(SHR, I32) KIND(SHR, U32)
    KIND(ADD, I16) KIND(SUB, I16) KIND(MUL, I16) KIND(AND, I16) KIND(OR, I16) KIND(XOR, I16) KIND(MIN, I16)
    KIND(MAX, I16) KIND(SHL, I16) KIND(SHR, I16) KIND(SHR, U16) KIND(NEG, I16) KIND(ABS, I16)
    KIND(SHL, I8) KIND(SHR, I8) KIND(SHR, U8) KIND(MIN, U16) KIND(MAX, U16)
    KIND(ADD, I8) KIND(SUB, I8) KIND(MUL, I8) KIND(AND, I8) KIND(OR, I8) KIND(XOR, I8) KIND(MIN, I8) KIND(MAX, I8)
    KIND(MIN, U8) KIND(MAX, U8) KIND(NEG, I8) KIND(ABS, I8) KIND(LT, I8) KIND(LE, I8) KIND(LT, U8) KIND(LE, U8)
    KIND(EQ, I8) KIND(NE, I8) KIND(SELECT, I8) KIND(TRUE, I8)
    KIND(NEG, I32) KIND(ABS, I32) KIND(NEG, F32) KIND(NEG, F64) KIND(ABS, F32) KIND(ABS, F64)
    KIND(SQRT, F32) KIND(SQRT, F64)
    KIND(FMA, F32) KIND(FMA, F64) KIND(FMS, F32) KIND(FMS, F64) KIND(FNMA, F32) KIND(FNMA, F64)
    KIND(LT, F32) KIND(LE, F32) KIND(LT, I32) KIND(LE, I32) KIND(LT, U32) KIND(LE, U32)
    KIND(EQ, F32) KIND(NE, F32) KIND(EQ, I32) KIND(NE, I32) KIND(SELECT, I32)
    KIND(FLOAT, I32) KIND(FLOAT, U32) KIND(TO_I32, F32) KIND(TO_U8, F32) KIND(TO_I8, F32) KIND(TO_U16, F32)
    KIND(TO_I16, F32) KIND(TRUE, F32) KIND(TRUE, I32) KIND(NOT, I32) KIND(ONE, F32) KIND(ROUND, F16) KIND(ROUND, BF16)
    KIND(ISNAN, F32) KIND(CANON, F32) KIND(CANON, F64)
    KIND(FLOOR, F32) KIND(CEIL, F32) KIND(TRUNC, F32) KIND(ROUND, F32)
    KIND(FLOOR, F64) KIND(CEIL, F64) KIND(TRUNC, F64) KIND(ROUND, F64)
    KIND(SHR, I64) KIND(SHR, U64) KIND(NEG, I64) KIND(ABS, I64)
    KIND(LT, F64) KIND(LE, F64) KIND(EQ, F64) KIND(NE, F64) KIND(LT, I64) KIND(LE, I64) KIND(EQ, I64) KIND(NE, I64)
    KIND(SELECT, I64) KIND(ISNAN, F64) KIND(FLOAT, I64) KIND(TO_I64, F64) KIND(TO_I32, F64) KIND(TRUE, F64)
    KIND(TRUE, I64) KIND(ONE, F64)
    KIND(DIV, I32) KIND(MOD, I32) KIND(FLOORDIV, I32) KIND(FLOORMOD, I32) KIND(DIV, U32) KIND(MOD, U32)
    KIND(DIV, I16) KIND(MOD, I16) KIND(FLOORDIV, I16) KIND(FLOORMOD, I16) KIND(DIV, U16) KIND(MOD, U16)
    KIND(DIV, I8) KIND(MOD, I8) KIND(FLOORDIV, I8) KIND(FLOORMOD, I8) KIND(DIV, U8) KIND(MOD, U8)
    N_KINDS,
    KIND_RENAME = N_KINDS, /* the lanes are what they were */
    KIND_TRUNCATE          /* to fewer bits, which is done by a store */
#undef KIND
};

/* Which kind carries an instruction: unsigned types use the signed kind where the bits are the same. */
static const uint8_t kinds[TIRB_OP_LANE_FORM][TIRB_N_DTYPES] = {
#define REAL(OP) [TIRB_OP_##OP] = {[TIRB_F32] = KIND_##OP##_F32, [TIRB_F64] = KIND_##OP##_F64}
#define BITS(OP)                                                                                                       \
    [TIRB_OP_##OP] = {[TIRB_I32] = KIND_##OP##_I32,                                                                    \
                      [TIRB_U32] = KIND_##OP##_I32,                                                                    \
                      [TIRB_I64] = KIND_##OP##_I64,                                                                    \
                      [TIRB_U64] = KIND_##OP##_I64,                                                                    \
                      [TIRB_I16] = KIND_##OP##_I16,                                                                    \
                      [TIRB_U16] = KIND_##OP##_I16,                                                                    \
                      [TIRB_I8] = KIND_##OP##_I8,                                                                      \
                      [TIRB_U8] = KIND_##OP##_I8,                                                                      \
                      [TIRB_BOOL] = KIND_##OP##_I8}
#define ARITHMETIC(OP)                                                                                                 \
    [TIRB_OP_##OP] = {[TIRB_F32] = KIND_##OP##_F32, [TIRB_F64] = KIND_##OP##_F64, [TIRB_I32] = KIND_##OP##_I32,        \
                      [TIRB_U32] = KIND_##OP##_I32, [TIRB_I64] = KIND_##OP##_I64, [TIRB_U64] = KIND_##OP##_I64,        \
                      [TIRB_I16] = KIND_##OP##_I16, [TIRB_U16] = KIND_##OP##_I16, [TIRB_I8] = KIND_##OP##_I8,          \
                      [TIRB_U8] = KIND_##OP##_I8}
    ARITHMETIC(ADD),
    ARITHMETIC(SUB),
    ARITHMETIC(MUL),
#define DIVISION(OP, UNSIGNED_OP)                                                                                      \
    [TIRB_OP_##OP] = {[TIRB_I32] = KIND_##OP##_I32,         [TIRB_U32] = KIND_##UNSIGNED_OP##_U32,                     \
                      [TIRB_I16] = KIND_##OP##_I16,         [TIRB_U16] = KIND_##UNSIGNED_OP##_U16,                     \
                      [TIRB_I8] = KIND_##OP##_I8,           [TIRB_U8] = KIND_##UNSIGNED_OP##_U8}
    DIVISION(MOD, MOD),
    DIVISION(FLOORDIV, DIV),
    DIVISION(FLOORMOD, MOD),
    [TIRB_OP_DIV] = {[TIRB_F32] = KIND_DIV_F32, [TIRB_F64] = KIND_DIV_F64, [TIRB_I32] = KIND_DIV_I32,
                     [TIRB_U32] = KIND_DIV_U32, [TIRB_I16] = KIND_DIV_I16, [TIRB_U16] = KIND_DIV_U16,
                     [TIRB_I8] = KIND_DIV_I8, [TIRB_U8] = KIND_DIV_U8},
    [TIRB_OP_MIN] = {[TIRB_F32] = KIND_MIN_F32, [TIRB_F64] = KIND_MIN_F64, [TIRB_I32] = KIND_MIN_I32,
                     [TIRB_I64] = KIND_MIN_I64, [TIRB_I16] = KIND_MIN_I16, [TIRB_U16] = KIND_MIN_U16,
                     [TIRB_I8] = KIND_MIN_I8, [TIRB_U8] = KIND_MIN_U8},
    [TIRB_OP_MAX] = {[TIRB_F32] = KIND_MAX_F32, [TIRB_F64] = KIND_MAX_F64, [TIRB_I32] = KIND_MAX_I32,
                     [TIRB_I64] = KIND_MAX_I64, [TIRB_I16] = KIND_MAX_I16, [TIRB_U16] = KIND_MAX_U16,
                     [TIRB_I8] = KIND_MAX_I8, [TIRB_U8] = KIND_MAX_U8},
    BITS(AND),
    BITS(OR),
    BITS(XOR),
    [TIRB_OP_SHL] = {[TIRB_I32] = KIND_SHL_I32, [TIRB_U32] = KIND_SHL_I32, [TIRB_I64] = KIND_SHL_I64,
                     [TIRB_U64] = KIND_SHL_I64, [TIRB_I16] = KIND_SHL_I16, [TIRB_U16] = KIND_SHL_I16,
                     [TIRB_I8] = KIND_SHL_I8, [TIRB_U8] = KIND_SHL_I8},
    [TIRB_OP_SHR] = {[TIRB_I32] = KIND_SHR_I32, [TIRB_U32] = KIND_SHR_U32, [TIRB_I16] = KIND_SHR_I16,
                     [TIRB_U16] = KIND_SHR_U16, [TIRB_I8] = KIND_SHR_I8, [TIRB_U8] = KIND_SHR_U8,
                     [TIRB_I64] = KIND_SHR_I64, [TIRB_U64] = KIND_SHR_U64},
    [TIRB_OP_NEG] = {[TIRB_F32] = KIND_NEG_F32, [TIRB_F64] = KIND_NEG_F64, [TIRB_I32] = KIND_NEG_I32,
                     [TIRB_I64] = KIND_NEG_I64, [TIRB_U64] = KIND_NEG_I64, [TIRB_I8] = KIND_NEG_I8,
                     [TIRB_U8] = KIND_NEG_I8,
                     [TIRB_U32] = KIND_NEG_I32, [TIRB_I16] = KIND_NEG_I16, [TIRB_U16] = KIND_NEG_I16},
    [TIRB_OP_ABS] = {[TIRB_F32] = KIND_ABS_F32, [TIRB_F64] = KIND_ABS_F64, [TIRB_I32] = KIND_ABS_I32,
                     [TIRB_I16] = KIND_ABS_I16, [TIRB_I64] = KIND_ABS_I64, [TIRB_I8] = KIND_ABS_I8},
    REAL(SQRT),
    REAL(FLOOR),
    REAL(CEIL),
    REAL(TRUNC),
    REAL(ROUND),
    REAL(FMA),
    REAL(FMS),
    REAL(FNMA),
#undef REAL
#undef BITS
#undef ARITHMETIC
#undef DIVISION
};

enum { A = PLACE_A, B = PLACE_B, M = PLACE_M, K = PLACE_K };

/* Those of three operands. */
enum {
    THREE_FMA_F32 = 1,
    THREE_FMS_F32,
    THREE_FNMA_F32,
    THREE_FMA_F64,
    THREE_FMS_F64,
    THREE_FNMA_F64,
    THREE_SELECT_I32,
    THREE_SELECT_I64,
    THREE_SELECT_I8,
    N_OF_THREE
};
static const uint8_t of_three[N_KINDS] = {
#define OF_THREE(OP, T) [KIND_##OP##_##T] = THREE_##OP##_##T
    OF_THREE(FMA, F32),    OF_THREE(FMS, F32),    OF_THREE(FNMA, F32),
    OF_THREE(FMA, F64),    OF_THREE(FMS, F64),    OF_THREE(FNMA, F64),
    OF_THREE(SELECT, I32), OF_THREE(SELECT, I64), OF_THREE(SELECT, I8)
#undef OF_THREE
};

/* By kind, destination and the places of the operands, the first one lowest; one more than the handler. */
static const uint16_t forms[N_KINDS][2][16] = {
#define LANE_UNARY(OP, T, D, X) [KIND_##OP##_##T][D][X] = TIRBI_L_##OP##_##T##_##D##X + 1,
#define LANE_BINARY(OP, T, D, X, Y) [KIND_##OP##_##T][D][(X) + 4 * (Y)] = TIRBI_L_##OP##_##T##_##D##X##Y + 1,
#include "vm/lanes/forms.def"
};
static const uint16_t forms_of_three[N_OF_THREE][2][64] = {
#define LANE_TERNARY(OP, T, D, X, Y, Z)                                                                                \
    [THREE_##OP##_##T][D][(X) + 4 * (Y) + 16 * (Z)] = TIRBI_L_##OP##_##T##_##D##X##Y##Z + 1,
#include "vm/lanes/forms.def"
};

/* How many blocks an instruction on banks reads from memory, and twice those that it writes: they take as long. */
static const uint8_t blocks[TIRBI_N_LANE_HANDLERS] = {
#define IS_MEMORY(X)                ((X) == M)
#define LANE_UNARY(OP, T, D, X)     [TIRBI_L_##OP##_##T##_##D##X] = IS_MEMORY(X),
#define LANE_BINARY(OP, T, D, X, Y) [TIRBI_L_##OP##_##T##_##D##X##Y] = IS_MEMORY(X) + IS_MEMORY(Y),
#define LANE_TERNARY(OP, T, D, X, Y, Z) \
    [TIRBI_L_##OP##_##T##_##D##X##Y##Z] = IS_MEMORY(X) + IS_MEMORY(Y) + IS_MEMORY(Z),
#include "vm/lanes/forms.def"
    [TIRBI_L_STORE_A] = 2,     [TIRBI_L_STORE_B] = 2,     [TIRBI_L_STORE_F32_A] = 2, [TIRBI_L_STORE_F32_B] = 2,
    [TIRBI_L_STORE_F64_A] = 2, [TIRBI_L_STORE_F64_B] = 2, [TIRBI_L_LAST_A] = 2,      [TIRBI_L_LAST_B] = 2,
    [TIRBI_L_LAST_F32_A] = 2,  [TIRBI_L_LAST_F32_B] = 2,  [TIRBI_L_LAST_F64_A] = 2,  [TIRBI_L_LAST_F64_B] = 2,
    [TIRBI_L_COPY] = 3};

unsigned tirbi_lane_blocks_moved(unsigned form) { return form < TIRBI_N_LANE_HANDLERS ? blocks[form] : 0; }

/* ---- The register machine's forms -------------------------------------------------------------------------------- */

/* Operands in banks, as blocks in memory and as scalars. */
enum { AT_A, AT_B, AT_C, AT_D, AT_E, AT_F, AT_G, AT_M, AT_K, AT_L, N_HELD };
_Static_assert((int)AT_M == (int)TIRBI_HELD_BANKS, "banks come first");

/* By kind and the places of the operands, the first one lowest; one more than the handler. */
static const uint16_t held_forms[N_KINDS][N_HELD * N_HELD] = {
#define HELD_UNARY(OP, T, X)     [KIND_##OP##_##T][AT_##X] = TIRBI_R_##OP##_##T##_##X + 1,
#define HELD_BINARY(OP, T, X, Y) [KIND_##OP##_##T][AT_##X + N_HELD * AT_##Y] = TIRBI_R_##OP##_##T##_##X##Y + 1,
#include "vm/lanes/registers.def"
};

/* Of three operands: those with the last one in A, by the others; then those with the first one there. */
static const uint16_t held_forms_of_three[N_OF_THREE][2 * N_HELD * N_HELD] = {
#define HELD_TERNARY(OP, T, X, Y, Z)                                                                            \
    [THREE_##OP##_##T][AT_##Z == AT_A ? AT_##X + N_HELD * AT_##Y : N_HELD * N_HELD + AT_##Y + N_HELD * AT_##Z] = \
        TIRBI_R_##OP##_##T##_##X##Y##Z + 1,
#include "vm/lanes/registers.def"
};

unsigned tirbi_lane_register_form(uint8_t kind, unsigned n, const unsigned *places) {
    if (kind >= N_KINDS) return 0;
    if (n < 3) return held_forms[kind][n == 1 ? places[0] : places[0] + N_HELD * places[1]];
    const uint16_t *held = held_forms_of_three[of_three[kind]];
    if (places[2] == AT_A && held[places[0] + N_HELD * places[1]] != 0) return held[places[0] + N_HELD * places[1]];
    return places[0] == AT_A ? held[N_HELD * N_HELD + places[1] + N_HELD * places[2]] : 0;
}

bool tirbi_lane_has_register_forms(uint8_t kind) {
    return kind < N_KINDS &&
           (of_three[kind] != 0 || held_forms[kind][AT_A] != 0 || held_forms[kind][AT_A + N_HELD * AT_B] != 0);
}

static bool is_narrow_int(uint8_t type) {
    return tirbi_dtype_is_int((tirbi_dtype)type) && tirbi_dtypes[type].size < 4;
}
static bool is_half(uint8_t type) { return type == TIRB_F16 || type == TIRB_BF16; }

/* Casts of lanes of 4 bytes and of what they stand for: see vm/lanes/words.inc. */
static uint8_t kind_of_cast(uint8_t to, uint8_t from) {
    const bool from_narrow = is_narrow_int(from), from_int = from_narrow || from == TIRB_I32 || from == TIRB_U32;
    const bool from_float = from == TIRB_F32 || is_half(from);
    if (tirbi_dtypes[from].size > 4) return KIND_NONE;
    switch (to) {
    case TIRB_BOOL: return from == TIRB_BOOL ? KIND_RENAME : from_float ? KIND_TRUE_F32 : KIND_TRUE_I32;
    case TIRB_F32:
        if (from == TIRB_BOOL) return KIND_ONE_F32;
        if (from == TIRB_U32) return KIND_FLOAT_U32;
        return from_int ? KIND_FLOAT_I32 : is_half(from) ? KIND_RENAME : KIND_NONE;
    case TIRB_F16: return from == TIRB_F32 || from == TIRB_BF16 ? KIND_ROUND_F16 : KIND_NONE;
    case TIRB_BF16: return from == TIRB_F32 || from == TIRB_F16 ? KIND_ROUND_BF16 : KIND_NONE;
    case TIRB_I32:
        if (from_float) return KIND_TO_I32_F32;
        return from == TIRB_BOOL ? KIND_NEG_I32 : KIND_RENAME;
    case TIRB_U32: return from_float ? KIND_NONE : from == TIRB_BOOL ? KIND_NEG_I32 : KIND_RENAME;
    case TIRB_U8: return from_float ? KIND_TO_U8_F32 : from == TIRB_BOOL ? KIND_NEG_I32 : KIND_TRUNCATE;
    case TIRB_I8: return from_float ? KIND_TO_I8_F32 : from == TIRB_BOOL ? KIND_NEG_I32 : KIND_TRUNCATE;
    case TIRB_U16: return from_float ? KIND_TO_U16_F32 : from == TIRB_BOOL ? KIND_NEG_I32 : KIND_TRUNCATE;
    case TIRB_I16: return from_float ? KIND_TO_I16_F32 : from == TIRB_BOOL ? KIND_NEG_I32 : KIND_TRUNCATE;
    default: return KIND_NONE;
    }
}

/* The same of lanes of 8 bytes. Integers of 32 bits and fewer are signed in them. */
static uint8_t kind_of_wide_cast(uint8_t to, uint8_t from) {
    const bool from_narrow = tirbi_dtype_is_int((tirbi_dtype)from) && tirbi_dtypes[from].size < 8;
    const bool from_int = from_narrow || from == TIRB_I64 || from == TIRB_U64;
    if (is_half(from) || (!from_int && from != TIRB_BOOL && from != TIRB_F32 && from != TIRB_F64)) return KIND_NONE;
    const bool from_float = !from_int && from != TIRB_BOOL;
    switch (to) {
    case TIRB_BOOL: return from == TIRB_BOOL ? KIND_RENAME : from_float ? KIND_TRUE_F64 : KIND_TRUE_I64;
    case TIRB_F64:
        if (from == TIRB_BOOL) return KIND_ONE_F64;
        if (from == TIRB_U64) return KIND_NONE;
        return from_int ? KIND_FLOAT_I64 : from == TIRB_F32 ? KIND_RENAME : KIND_NONE;
    case TIRB_F32: return from == TIRB_F64 ? KIND_TRUNCATE : KIND_NONE;
    case TIRB_I64:
        if (from == TIRB_F64) return KIND_TO_I64_F64;
        return from == TIRB_BOOL ? KIND_NEG_I64 : from_int ? KIND_RENAME : KIND_NONE;
    case TIRB_U64: return from == TIRB_BOOL ? KIND_NEG_I64 : from_int ? KIND_RENAME : KIND_NONE;
    case TIRB_I32:
        if (from == TIRB_F64) return KIND_TO_I32_F64;
        if (from_float) return KIND_NONE;
        return from == TIRB_BOOL ? KIND_NEG_I64 : from_narrow && from != TIRB_U32 ? KIND_RENAME : KIND_TRUNCATE;
    case TIRB_U32:
    case TIRB_U8:
    case TIRB_I8:
    case TIRB_U16:
    case TIRB_I16: return from == TIRB_BOOL ? KIND_NEG_I64 : from_int ? KIND_TRUNCATE : KIND_NONE;
    default: return KIND_NONE;
    }
}

/* The bits of lanes of 4 and of 8 bytes: those of floats have canonical NaNs. */
static uint8_t kind_of_bits(uint8_t to, uint8_t from, unsigned size) {
    if (size < 4 || tirbi_dtypes[to].size != size || tirbi_dtypes[from].size != size) return KIND_NONE;
    if (!tirbi_dtype_is_float((tirbi_dtype)from)) return KIND_RENAME;
    if (tirbi_dtype_is_float((tirbi_dtype)to)) return KIND_NONE;
    return size == 4 ? KIND_CANON_F32 : KIND_CANON_F64;
}

static uint8_t kind_of_wide_truth(unsigned op, uint8_t type) {
    if (is_half(type) || type == TIRB_F32) return KIND_NONE;
    const bool is_float = type == TIRB_F64, is_ordered = type != TIRB_U64 && type != TIRB_BOOL;
    switch (op) {
    case TIRB_OP_SELECT: return KIND_SELECT_I64;
    case TIRB_OP_LT:
    case TIRB_OP_GT: return is_float ? KIND_LT_F64 : is_ordered ? KIND_LT_I64 : KIND_NONE;
    case TIRB_OP_LE:
    case TIRB_OP_GE: return is_float ? KIND_LE_F64 : is_ordered ? KIND_LE_I64 : KIND_NONE;
    case TIRB_OP_EQ: return is_float ? KIND_EQ_F64 : KIND_EQ_I64;
    case TIRB_OP_NE: return is_float ? KIND_NE_F64 : KIND_NE_I64;
    case TIRB_OP_ISNAN: return is_float ? KIND_ISNAN_F64 : KIND_NONE;
    case TIRB_OP_NOT: return type == TIRB_BOOL ? KIND_NOT_I32 : KIND_NONE;
    case TIRB_OP_AND: return type == TIRB_BOOL ? KIND_AND_I64 : KIND_NONE;
    case TIRB_OP_OR: return type == TIRB_BOOL ? KIND_OR_I64 : KIND_NONE;
    case TIRB_OP_XOR: return type == TIRB_BOOL ? KIND_XOR_I64 : KIND_NONE;
    default: return KIND_NONE;
    }
}

/* Comparisons, choices, what is done to truths, and what narrow integers in lanes of 4 bytes stay such of: shifts only
 * by less than they have bits. GT and GE are LT and LE with their operands exchanged. */
static uint8_t kind_of_truth(unsigned op, uint8_t type) {
    const bool is_float = type == TIRB_F32 || is_half(type), is_whole = type == TIRB_BOOL || is_narrow_int(type);
    if (tirbi_dtypes[type].size > 4) return KIND_NONE;
    switch (op) {
    case TIRB_OP_SELECT: return KIND_SELECT_I32;
    case TIRB_OP_LT:
    case TIRB_OP_GT:
        return is_float ? KIND_LT_F32 : type == TIRB_U32 ? KIND_LT_U32 : type == TIRB_BOOL ? KIND_NONE : KIND_LT_I32;
    case TIRB_OP_LE:
    case TIRB_OP_GE:
        return is_float ? KIND_LE_F32 : type == TIRB_U32 ? KIND_LE_U32 : type == TIRB_BOOL ? KIND_NONE : KIND_LE_I32;
    case TIRB_OP_EQ: return is_float ? KIND_EQ_F32 : KIND_EQ_I32;
    case TIRB_OP_NE: return is_float ? KIND_NE_F32 : KIND_NE_I32;
    case TIRB_OP_ISNAN: return is_float ? KIND_ISNAN_F32 : KIND_NONE;
    case TIRB_OP_NOT: return type == TIRB_BOOL ? KIND_NOT_I32 : KIND_NONE;
    case TIRB_OP_AND: return is_whole ? KIND_AND_I32 : KIND_NONE;
    case TIRB_OP_OR: return is_whole ? KIND_OR_I32 : KIND_NONE;
    case TIRB_OP_XOR: return is_whole ? KIND_XOR_I32 : KIND_NONE;
    case TIRB_OP_MIN: return is_narrow_int(type) ? KIND_MIN_I32 : KIND_NONE;
    case TIRB_OP_MAX: return is_narrow_int(type) ? KIND_MAX_I32 : KIND_NONE;
    case TIRB_OP_SHR: return is_narrow_int(type) ? KIND_SHR_I32 : KIND_NONE;
    default: return KIND_NONE;
    }
}

/* What is done to lanes of one byte, beside what the table has: comparisons, choices, and casts between them. */
static uint8_t kind_of_byte(unsigned op, uint8_t type, uint8_t source) {
    const bool is_bool = type == TIRB_BOOL, is_unsigned = type == TIRB_U8;
    if (!is_bool && !is_narrow_int(type)) return KIND_NONE;
    switch (op) {
    case TIRB_OP_SELECT: return KIND_SELECT_I8;
    case TIRB_OP_LT:
    case TIRB_OP_GT: return is_bool ? KIND_NONE : is_unsigned ? KIND_LT_U8 : KIND_LT_I8;
    case TIRB_OP_LE:
    case TIRB_OP_GE: return is_bool ? KIND_NONE : is_unsigned ? KIND_LE_U8 : KIND_LE_I8;
    case TIRB_OP_EQ: return KIND_EQ_I8;
    case TIRB_OP_NE: return KIND_NE_I8;
    case TIRB_OP_NOT: return is_bool ? KIND_NOT_I32 : KIND_NONE;
    case TIRB_OP_CAST:
        if (tirbi_dtypes[source].size != 1 || (source != TIRB_BOOL && !is_narrow_int(source))) return KIND_NONE;
        if (is_bool) return source == TIRB_BOOL ? KIND_RENAME : KIND_TRUE_I8;
        return source == TIRB_BOOL ? KIND_NEG_I8 : KIND_RENAME;
    default: return KIND_NONE;
    }
}

static bool has_features(unsigned op, uint8_t type, uint32_t features) {
    const bool shifts = op == TIRB_OP_SHL || op == TIRB_OP_SHR;
    if (shifts && tirbi_dtypes[type].size == 1 && !(features & TIRBI_LANE_HAS_SHIFT_8)) return false;
    if (op >= TIRB_OP_FLOOR && op <= TIRB_OP_ROUND && !(features & TIRBI_LANE_HAS_ROUND)) return false;
    const bool divides = op >= TIRB_OP_DIV && op <= TIRB_OP_FLOORMOD && tirbi_dtype_is_int((tirbi_dtype)type);
    if (divides && !(features & TIRBI_LANE_HAS_DIVISIONS)) return false;
    return op != TIRB_OP_SQRT || (features & TIRBI_LANE_HAS_SQRT) != 0;
}

uint8_t tirbi_lane_kind(uint8_t op, uint8_t type, uint8_t source, unsigned size, uint32_t features) {
    if (op < TIRB_OP_LANE_FORM + TIRBI_FIRST_ELEMENTWISE || type >= TIRB_N_DTYPES) return KIND_NONE;
    const unsigned scalar = op - TIRB_OP_LANE_FORM;
    if (!has_features(scalar, type, features)) return KIND_NONE;
    if (scalar == TIRB_OP_BITS) return source < TIRB_N_DTYPES ? kind_of_bits(type, source, size) : (uint8_t)KIND_NONE;
    const uint8_t own = tirbi_dtypes[type].size == size ? kinds[scalar][type] : (uint8_t)KIND_NONE;
    if (own == KIND_NONE && size == 1 && tirbi_dtypes[type].size == 1) return kind_of_byte(scalar, type, source);
    if (own != KIND_NONE || size < 4 || !(features & TIRBI_LANE_HAS_WORDS)) return own;
    if (size == 8) return scalar == TIRB_OP_CAST ? kind_of_wide_cast(type, source) : kind_of_wide_truth(scalar, type);
    if (!(features & TIRBI_LANE_HAS_HALVES) && (is_half(type) || is_half(source))) return KIND_NONE;
    if (scalar == TIRB_OP_CAST) return kind_of_cast(type, source);
    if (is_half(type) && kinds[scalar][TIRB_F32] != KIND_NONE) return kinds[scalar][TIRB_F32];
    return kind_of_truth(scalar, type);
}

bool tirbi_lane_kind_renames(uint8_t kind) { return kind == KIND_RENAME; }
bool tirbi_lane_kind_rounds(uint8_t kind) { return kind == KIND_ROUND_F16 || kind == KIND_ROUND_BF16; }
bool tirbi_lane_kind_truncates(uint8_t kind) { return kind == KIND_TRUNCATE; }

unsigned tirbi_lane_form(uint8_t kind, lane_place dest, unsigned n, const lane_place *places) {
    unsigned key = 0;
    for (unsigned i = 0; i < n; i++) key |= (unsigned)places[i] << (2 * i);
    if (kind >= N_KINDS) return 0;
    return n < 3 ? forms[kind][dest][key] : forms_of_three[of_three[kind]][dest][key];
}
