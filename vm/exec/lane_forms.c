/* The tables of the lane machine's forms. */
#include "vm/exec/lane_body.h"

#include "vm/lanes/forms.h"

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
    KIND(NEG, I32) KIND(ABS, I32) KIND(NEG, F32) KIND(NEG, F64) KIND(ABS, F32) KIND(ABS, F64) KIND(SQRT, F32) KIND(SQRT, F64)
    KIND(FMA, F32) KIND(FMA, F64) KIND(FMS, F32) KIND(FMS, F64) KIND(FNMA, F32) KIND(FNMA, F64)
    N_KINDS
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
                      [TIRB_U16] = KIND_##OP##_I16}
#define ARITHMETIC(OP)                                                                                                 \
    [TIRB_OP_##OP] = {[TIRB_F32] = KIND_##OP##_F32, [TIRB_F64] = KIND_##OP##_F64, [TIRB_I32] = KIND_##OP##_I32,        \
                      [TIRB_U32] = KIND_##OP##_I32, [TIRB_I64] = KIND_##OP##_I64, [TIRB_U64] = KIND_##OP##_I64,        \
                      [TIRB_I16] = KIND_##OP##_I16, [TIRB_U16] = KIND_##OP##_I16}
    ARITHMETIC(ADD),
    ARITHMETIC(SUB),
    ARITHMETIC(MUL),
    REAL(DIV),
    [TIRB_OP_MIN] = {[TIRB_F32] = KIND_MIN_F32, [TIRB_F64] = KIND_MIN_F64, [TIRB_I32] = KIND_MIN_I32,
                     [TIRB_I64] = KIND_MIN_I64, [TIRB_I16] = KIND_MIN_I16},
    [TIRB_OP_MAX] = {[TIRB_F32] = KIND_MAX_F32, [TIRB_F64] = KIND_MAX_F64, [TIRB_I32] = KIND_MAX_I32,
                     [TIRB_I64] = KIND_MAX_I64, [TIRB_I16] = KIND_MAX_I16},
    BITS(AND),
    BITS(OR),
    BITS(XOR),
    [TIRB_OP_SHL] = {[TIRB_I32] = KIND_SHL_I32, [TIRB_U32] = KIND_SHL_I32, [TIRB_I64] = KIND_SHL_I64,
                     [TIRB_U64] = KIND_SHL_I64, [TIRB_I16] = KIND_SHL_I16, [TIRB_U16] = KIND_SHL_I16},
    [TIRB_OP_SHR] = {[TIRB_I32] = KIND_SHR_I32, [TIRB_U32] = KIND_SHR_U32, [TIRB_I16] = KIND_SHR_I16,
                     [TIRB_U16] = KIND_SHR_U16},
    [TIRB_OP_NEG] = {[TIRB_F32] = KIND_NEG_F32, [TIRB_F64] = KIND_NEG_F64, [TIRB_I32] = KIND_NEG_I32,
                     [TIRB_U32] = KIND_NEG_I32, [TIRB_I16] = KIND_NEG_I16, [TIRB_U16] = KIND_NEG_I16},
    [TIRB_OP_ABS] = {[TIRB_F32] = KIND_ABS_F32, [TIRB_F64] = KIND_ABS_F64, [TIRB_I32] = KIND_ABS_I32,
                     [TIRB_I16] = KIND_ABS_I16},
    REAL(SQRT),
    REAL(FMA),
    REAL(FMS),
    REAL(FNMA),
#undef REAL
#undef BITS
#undef ARITHMETIC
};

enum { A = PLACE_A, B = PLACE_B, M = PLACE_M, K = PLACE_K };

/* By kind, destination and the places of the operands, the first one lowest; one more than the handler. */
static const uint16_t forms[N_KINDS][2][64] = {
#define LANE_UNARY(OP, T, D, X) [KIND_##OP##_##T][D][X] = TIRBI_L_##OP##_##T##_##D##X + 1,
#define LANE_BINARY(OP, T, D, X, Y) [KIND_##OP##_##T][D][(X) + 4 * (Y)] = TIRBI_L_##OP##_##T##_##D##X##Y + 1,
#define LANE_TERNARY(OP, T, D, X, Y, Z)                                                                                \
    [KIND_##OP##_##T][D][(X) + 4 * (Y) + 16 * (Z)] = TIRBI_L_##OP##_##T##_##D##X##Y##Z + 1,
#include "vm/lanes/forms.def"
};

bool tirbi_lane_op_pinned(uint8_t op, uint8_t type, uint32_t features) {
    if (op < TIRB_OP_LANE_FORM + TIRBI_FIRST_ELEMENTWISE || type >= TIRB_N_DTYPES) return false;
    if ((op == TIRB_OP_VFMA || op == TIRB_OP_VFMS || op == TIRB_OP_VFNMA) && !(features & TIRBI_LANE_HAS_FMA))
        return false;
    bool shifts = op == TIRB_OP_VSHL || op == TIRB_OP_VSHR;
    if (shifts && tirbi_dtypes[type].size == 2 && !(features & TIRBI_LANE_HAS_SHIFT_16)) return false;
    if (op == TIRB_OP_VSQRT && !(features & TIRBI_LANE_HAS_SQRT)) return false;
    return kinds[op - TIRB_OP_LANE_FORM][type] != KIND_NONE;
}

unsigned tirbi_lane_form(uint8_t op, uint8_t type, lane_place dest, unsigned n, const lane_place *places) {
    unsigned key = 0;
    for (unsigned i = 0; i < n; i++) key |= (unsigned)places[i] << (2 * i);
    return forms[kinds[op - TIRB_OP_LANE_FORM][type]][dest][key];
}
