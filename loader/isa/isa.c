#include "loader/isa/isa.h"

#include <string.h>

#include "loader/base/bytes.h"
#include "loader/base/error.h"
#include "loader/isa/weights.h"

/* ---- Element types -------------------------------------------------------------------------------------------- */

#define TIRB_DTYPE(number, NAME, text, tvm, ctype, dlcode, bits, class) \
    _Static_assert(sizeof(ctype) * 8 == (bits), "a dtype's C type has its width");
#include "loader/isa/dtype.def"
#undef TIRB_DTYPE

const tirbi_dtype_info tirbi_dtypes[TIRB_N_DTYPES] = {
#define TIRB_DTYPE(number, NAME, text, tvm, ctype, dlcode, bits, class) \
    [number] = {text, tvm, dlcode, bits, (bits) / 8, #class[0]},
#include "loader/isa/dtype.def"
#undef TIRB_DTYPE
};

bool tirbi_dtype_from_name(const char *name, size_t length, tirbi_dtype *out) {
    for (unsigned i = 0; i < TIRB_N_DTYPES; i++) {
        const char *names[2] = {tirbi_dtypes[i].name, tirbi_dtypes[i].tvm_name};
        for (unsigned k = 0; k < 2; k++) {
            if (strlen(names[k]) == length && memcmp(names[k], name, length) == 0) {
                *out = (tirbi_dtype)i;
                return true;
            }
        }
    }
    return false;
}

/* DLPack's codes by number: its version 0.6 has no name for the code of bool. */
enum { DL_UINT = 1, DL_BOOL = 6 };

bool tirbi_dtype_from_dl(DLDataType type, tirbi_dtype *out) {
    if (type.lanes != 1) return false;
    if (type.code == DL_UINT && type.bits == 1) {
        *out = TIRB_BOOL;
        return true;
    }
    for (unsigned i = 0; i < TIRB_N_DTYPES; i++) {
        if (tirbi_dtypes[i].dl_code == type.code && tirbi_dtypes[i].bits == type.bits) {
            *out = (tirbi_dtype)i;
            return true;
        }
    }
    return false;
}

DLDataType tirbi_dtype_to_dl(tirbi_dtype type) {
    return (DLDataType){.code = tirbi_dtypes[type].dl_code, .bits = tirbi_dtypes[type].bits, .lanes = 1};
}

/* ---- Opcodes -------------------------------------------------------------------------------------------------- */

#define B(name) (UINT32_C(1) << TIRB_##name)
enum type_set {
    TYPES_NONE = 0,
    TYPES_BOOL = B(BOOL),
    TYPES_SIGNED = B(I8) | B(I16) | B(I32) | B(I64),
    TYPES_INT = TYPES_SIGNED | B(U8) | B(U16) | B(U32) | B(U64),
    TYPES_REAL = B(F32) | B(F64),
    TYPES_FLOAT = TYPES_REAL | B(F16) | B(BF16),
    TYPES_WIDE = TYPES_REAL | B(I32) | B(U32) | B(I64) | B(U64),
    TYPES_SUM = TYPES_WIDE | TYPES_FLOAT,
    TYPES_FOLD = TYPES_REAL | TYPES_INT,
    TYPES_NUM = TYPES_INT | TYPES_FLOAT,
    TYPES_BITS = TYPES_INT | TYPES_BOOL,
    TYPES_ANY = TYPES_NUM | TYPES_BOOL
};
#undef B

/* The names that opcodes.def uses for flags. */
enum {
    JUMP = TIRBI_FLAG_JUMP,
    BACK = TIRBI_FLAG_BACK,
    END = TIRBI_FLAG_END,
    MEM = TIRBI_FLAG_MEM,
    TRAP = TIRBI_FLAG_TRAP,
    LANE = TIRBI_FLAG_LANE,
    COPY = TIRBI_FLAG_COPY
};

#define CARRIES_SOURCE(number) ((number) == 0x40 || (number) == 0x41) /* cast and bits */
#define SCALAR_OPERANDS(number, arity) \
    (CARRIES_SOURCE(number) ? "DST" : (arity) == 1 ? "DS" : (arity) == 2 ? "DSS" : "DSSS")
#define LANE_OPERANDS(number, arity) \
    (CARRIES_SOURCE(number) ? "VUT" : (arity) == 1 ? "VU" : (arity) == 2 ? "VUU" : "VUUU")

#define TIRB_OP(number, NAME, text, letters, types, flags, meaning) \
    _Static_assert(sizeof(letters) - 1 <= TIRBI_MAX_OPERANDS, "too many operands");
#define TIRB_ELEMENTWISE(number, NAME, text, arity, types, flags, meaning)                           \
    _Static_assert((number) >= 0x20 && (number) < TIRB_OP_LANE_FORM && (arity) >= 1 && (arity) <= 3, \
                   "elementwise rows are 0x20 .. 0x7F, of 1 to 3 operands");
#include "loader/isa/opcodes.def"
#undef TIRB_OP
#undef TIRB_ELEMENTWISE

_Static_assert(CARRIES_SOURCE(TIRB_OP_CAST) && CARRIES_SOURCE(TIRB_OP_BITS), "the rows with an operand T");

const tirbi_op_info tirbi_ops[TIRB_N_OPS] = {
#define TIRB_OP(number, NAME, text, letters, types, flags, meaning) \
    [number] = {text, letters, meaning, TYPES_##types, flags, 0},
#define TIRB_ELEMENTWISE(number, NAME, text, arity, types, flags, meaning)                                       \
    [number] =                                                                                                   \
        {text, SCALAR_OPERANDS(number, arity), meaning, TYPES_##types, (flags) | TIRBI_FLAG_ELEMENTWISE, arity}, \
    [(number) + TIRB_OP_LANE_FORM] = {"v" text,                                                                  \
                                      LANE_OPERANDS(number, arity),                                              \
                                      meaning,                                                                   \
                                      TYPES_##types,                                                             \
                                      (flags) | TIRBI_FLAG_ELEMENTWISE | LANE,                                   \
                                      arity},
#include "loader/isa/opcodes.def"
#undef TIRB_OP
#undef TIRB_ELEMENTWISE
};

enum { HEAD_SIZE = 2, REGISTER_SIZE = 2, LANE_REGISTER_SIZE = 1 }; /* bytes */

const uint8_t tirbi_row_sizes[TIRB_N_OPS] = {
#define TIRB_OP(number, NAME, text, letters, types, flags, meaning)
#define TIRB_ELEMENTWISE(number, NAME, text, arity, types, flags, meaning) \
    [number] = HEAD_SIZE + REGISTER_SIZE * (1 + (arity)) + CARRIES_SOURCE(number),
#include "loader/isa/opcodes.def"
#undef TIRB_OP
#undef TIRB_ELEMENTWISE
};

const uint8_t tirbi_lane_sizes[TIRB_N_OPS] = {
#define TIRB_OP(number, NAME, text, letters, types, flags, meaning)
#define TIRB_ELEMENTWISE(number, NAME, text, arity, types, flags, meaning) \
    [(number) + TIRB_OP_LANE_FORM] = HEAD_SIZE + LANE_REGISTER_SIZE * (1 + (arity)) + CARRIES_SOURCE(number),
#include "loader/isa/opcodes.def"
#undef TIRB_OP
#undef TIRB_ELEMENTWISE
    [TIRB_OP_VLOAD] = HEAD_SIZE + 2 * LANE_REGISTER_SIZE, [TIRB_OP_VSTORE] = HEAD_SIZE + 2 * LANE_REGISTER_SIZE};

/* ---- Weights -------------------------------------------------------------------------------------------------- */

const uint8_t tirbi_weights[TIRB_N_OPS][TIRB_N_DTYPES] = {
#define TIRB_WEIGHT(NAME, ints, halves, f32, f64)                                                                \
    [TIRB_OP_##NAME] = {[TIRB_BOOL] = ints, [TIRB_I8] = ints, [TIRB_I16] = ints, [TIRB_I32] = ints, [TIRB_I64] = ints, \
                        [TIRB_U8] = ints, [TIRB_U16] = ints, [TIRB_U32] = ints, [TIRB_U64] = ints,               \
                        [TIRB_F16] = halves, [TIRB_BF16] = halves, [TIRB_F32] = f32, [TIRB_F64] = f64},
#include "loader/isa/weights.def"
#undef TIRB_WEIGHT
};
#define TIRB_WEIGHT(NAME, ints, halves, f32, f64)                                                   \
    _Static_assert((ints) <= TIRBI_MAX_WEIGHT && (halves) <= TIRBI_MAX_WEIGHT && (f32) <= TIRBI_MAX_WEIGHT && \
                       (f64) <= TIRBI_MAX_WEIGHT,                                                   \
                   "sums of the weights of all code that 32 bits can address fit");
#include "loader/isa/weights.def"
#undef TIRB_WEIGHT

static uint32_t weight_of(uint8_t row, uint8_t type) {
    return tirbi_row_weight(row, type < TIRB_N_DTYPES ? type : TIRB_BOOL);
}

static uint8_t row_of(tirbi_op op) {
    const bool is_lane_form = (tirbi_ops[op].flags & TIRBI_FLAG_ELEMENTWISE) && (unsigned)op >= TIRB_OP_LANE_FORM;
    return (uint8_t)((unsigned)op - (is_lane_form ? TIRB_OP_LANE_FORM : 0u));
}

uint32_t tirbi_op_weight(tirbi_op op, uint8_t type, uint8_t source) {
    const uint8_t row = row_of(op);
    const uint32_t weight = weight_of(row, type), other = weight_of(row, source);
    return weight > other ? weight : other;
}

uint32_t tirbi_instr_weight(const tirbi_instr *in) {
    const bool casts = in->op == TIRB_OP_CAST || in->op == TIRB_OP_VCAST;
    if (casts) return tirbi_op_weight((tirbi_op)in->op, in->type, (uint8_t)in->operand[2]);
    uint32_t weight = weight_of(row_of((tirbi_op)in->op), in->type);
    if (in->op != TIRB_OP_LANE) return weight;
    for (unsigned c = 0; c < in->lane.n_cursors; c++)
        weight += in->lane.cursors[c].access & TIRBI_WRITE ? in->lane.n_cursors : 1u;
    return weight;
}

/* A switch, so that the compiler refuses a number that two rows share. */
static bool is_opcode(uint8_t op) {
    switch (op) {
#define TIRB_OP(number, NAME, text, letters, types, flags, meaning) case number:
#define TIRB_ELEMENTWISE(number, NAME, text, arity, types, flags, meaning) \
    case number:                                                           \
    case (number) + TIRB_OP_LANE_FORM:
#include "loader/isa/opcodes.def"
#undef TIRB_OP
#undef TIRB_ELEMENTWISE
        return true;
    default:
        return false;
    }
}

tirbi_dtype tirbi_dtype_of_bits(tirbi_dtype type) {
    switch (tirbi_dtypes[type].size) {
    case 1: return TIRB_U8;
    case 2: return TIRB_U16;
    case 4: return TIRB_U32;
    default: return TIRB_U64;
    }
}

/* The scalar form of an elementwise opcode. */
static tirbi_op scalar_form(tirbi_op op) { return (tirbi_op)((unsigned)op & (TIRB_OP_LANE_FORM - 1)); }

_Static_assert(TIRB_OP_NE == TIRB_OP_EQ + 1 && TIRB_OP_LT == TIRB_OP_EQ + 2 && TIRB_OP_LE == TIRB_OP_EQ + 3 &&
                   TIRB_OP_GT == TIRB_OP_EQ + 4 && TIRB_OP_GE == TIRB_OP_EQ + 5,
               "comparisons stand together: see tirbi_op_result_type");

tirbi_dtype tirbi_op_operand_type(tirbi_op op, tirbi_dtype type, tirbi_dtype source, unsigned index) {
    switch ((unsigned)scalar_form(op)) {
    case TIRB_OP_SELECT:
        return index == 0 ? TIRB_BOOL : type;
    case TIRB_OP_CAST:
    case TIRB_OP_BITS:
        return source;
    default:
        return type;
    }
}

/* ---- Decoding ------------------------------------------------------------------------------------------------- */

static uint8_t read_list(tirbi_reader *r, uint16_t *list) {
    uint8_t n = tirbi_read_u8(r);
    for (unsigned i = 0; i < n; i++) list[i] = tirbi_read_u16(r);
    return n;
}

static tirb_status read_parts(tirbi_reader *r, tirbi_instr *out, int64_t *count, tirb_error *error) {
    uint8_t n = tirbi_read_u8(r);
    *count = n;
    for (unsigned i = 0; i < n; i++) {
        tirbi_part *part = &out->parts[i];
        out->refs[i] = tirbi_read_u16(r);
        uint8_t kind = tirbi_read_u8(r);
        if (kind > 1 && !r->failed) return tirbi_error_set(error, TIRB_VERIFY, "reference %u: no kind %u", i, kind);
        *part = (tirbi_part){.partitioned = kind == 1};
        if (!part->partitioned) continue;
        part->base = tirbi_read_u16(r);
        part->stride = tirbi_read_u16(r);
        part->extent = tirbi_read_u16(r);
    }
    return TIRB_OK;
}

static tirb_status read_header(tirbi_reader *r, tirbi_lane_header *lane, tirb_error *error) {
    const uint8_t *head = tirbi_read_bytes(r, 8);
    if (!head) return TIRB_OK; /* the caller says so */
    lane->n = tirbi_load_u16(head);
    lane->n_inner = head[2];
    lane->n_cursors = head[3];
    lane->end = tirbi_load_u32(head + 4);
    if (lane->n_inner > TIRBI_MAX_INNER) {
        return tirbi_error_set(error, TIRB_VERIFY, "%u inner loops, at most %d", lane->n_inner, TIRBI_MAX_INNER);
    }
    if (lane->n_cursors > TIRBI_MAX_CURSORS) {
        return tirbi_error_set(error, TIRB_VERIFY, "%u cursors, at most %d", lane->n_cursors, TIRBI_MAX_CURSORS);
    }
    for (unsigned i = 0; i < lane->n_inner; i++) {
        lane->inner[i].extent = tirbi_read_u16(r);
        lane->inner[i].index = tirbi_read_u16(r);
    }
    for (unsigned i = 0; i < lane->n_cursors; i++) {
        tirbi_cursor *cursor = &lane->cursors[i];
        const uint8_t *p = tirbi_read_bytes(r, 9 + 2 * (size_t)lane->n_inner);
        if (!p) return TIRB_OK; /* the caller says so */
        cursor->ref = tirbi_load_u16(p);
        cursor->type = p[2];
        cursor->access = p[3];
        cursor->level = p[4];
        cursor->start = tirbi_load_u16(p + 5);
        cursor->step = tirbi_load_u16(p + 7);
        for (unsigned k = 0; k < lane->n_inner; k++) cursor->steps[k] = tirbi_load_u16(p + 9 + 2 * k);
        if (cursor->type >= TIRB_N_DTYPES) {
            return tirbi_error_set(error, TIRB_VERIFY, "cursor %u: no type %u", i, cursor->type);
        }
        if (cursor->access < TIRBI_READ || cursor->access > (TIRBI_READ | TIRBI_WRITE)) {
            return tirbi_error_set(error, TIRB_VERIFY, "cursor %u: access %u is not 1, 2 or 3", i, cursor->access);
        }
        if (cursor->level > lane->n_inner && cursor->level != TIRBI_LEVEL_INDEXED) {
            return tirbi_error_set(error, TIRB_VERIFY, "cursor %u: level %u > %u", i, cursor->level, lane->n_inner);
        }
    }
    return TIRB_OK;
}

static tirb_status read_box(tirbi_reader *r, tirbi_contract_box *box, tirb_error *error) {
    box->n_loops = tirbi_read_u8(r);
    if (box->n_loops > TIRBI_MAX_CONTRACT_LOOPS) {
        return tirbi_error_set(error, TIRB_VERIFY, "%u loops, at most %d", box->n_loops, TIRBI_MAX_CONTRACT_LOOPS);
    }
    for (unsigned i = 0; i < box->n_loops; i++) box->extents[i] = tirbi_read_u16(r);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        box->operands[o].ref = tirbi_read_u16(r);
        box->operands[o].type = tirbi_read_u8(r);
        box->operands[o].start = tirbi_read_u16(r);
        for (unsigned i = 0; i < box->n_loops; i++) box->operands[o].steps[i] = tirbi_read_u16(r);
        if (r->failed) return TIRB_OK; /* the caller says so */
        if (box->operands[o].type >= TIRB_N_DTYPES) {
            return tirbi_error_set(error, TIRB_VERIFY, "%c: no type %u", "CAB"[o], box->operands[o].type);
        }
    }
    return TIRB_OK;
}

/* By letter: the bytes that an operand takes; 0: it tells itself. */
static const uint8_t widths[1 + (unsigned)'z'] = {
    ['D'] = 2, ['S'] = 2, ['x'] = 2, ['W'] = 2, ['R'] = 2, ['F'] = 2, ['G'] = 2, ['K'] = 2, ['Z'] = 2, ['j'] = 4,
    ['i'] = 4, ['I'] = 8, ['T'] = 1, ['V'] = 1, ['U'] = 1, ['Q'] = 1, ['C'] = 1, ['L'] = 1, ['n'] = 1};

/* Reads operands up to one that tells its size itself, that the code's end cuts, or that is no type. Returns its
 * letter; the end of `letters`: there is none. */
static inline __attribute__((always_inline)) const char *read_operands(const char *letters, const uint8_t **at,
                                                                       const uint8_t *end, int64_t *operand) {
    const uint8_t *p = *at;
    for (; *letters; letters++, operand++) {
        const unsigned width = widths[(unsigned char)*letters];
        if (width > (size_t)(end - p)) break;
        if (width == 2) *operand = tirbi_load_u16(p);
        else if (width == 1) *operand = *p;
        else if (width == 4) *operand = *letters == 'i' ? (int32_t)tirbi_load_u32(p) : (int64_t)tirbi_load_u32(p);
        else if (width == 8) *operand = (int64_t)tirbi_load_u64(p);
        else break;
        if (*letters == 'T' && *operand >= TIRB_N_DTYPES) break;
        p += width;
    }
    *at = p;
    return letters;
}

/* Most instructions are elementwise, and have so many registers and nothing else. False: they are not all there, or one
 * has a type as well. */
static bool read_registers(const tirbi_op_info *info, const uint8_t *at, size_t left, tirbi_instr *out) {
    const unsigned n = info->arity + 1u;
    const bool lanes = (info->flags & TIRBI_FLAG_LANE) != 0;
    const size_t size = lanes ? n : 2 * n;
    if (info->operands[2] == 'T' || size > left) return false;
    for (unsigned i = 0; i < n; i++) out->operand[i] = lanes ? at[i] : tirbi_load_u16(at + 2 * i);
    out->size = (uint32_t)(2 + size);
    return true;
}

static tirb_status read_long_operand(tirbi_reader *r, char letter, tirbi_instr *out, int64_t *value,
                                      tirb_error *error) {
    *value = 0;
    switch (letter) {
    case 'a':
        *value = read_list(r, out->scalars);
        return TIRB_OK;
    case 'r':
        *value = read_list(r, out->refs);
        return TIRB_OK;
    case 'P':
        return read_parts(r, out, value, error);
    default: /* B */
        return read_box(r, &out->box, error);
    }
}

static tirb_status check_type(const tirbi_op_info *info, uint8_t type, tirb_error *error) {
    if (info->types == 0) {
        if (type == TIRB_TYPE_NONE) return TIRB_OK;
        return tirbi_error_set(error, TIRB_VERIFY, "%s has no type, but its type byte is %u, not 255", info->mnemonic,
                               type);
    }
    if (type >= TIRB_N_DTYPES) return tirbi_error_set(error, TIRB_VERIFY, "%s: no type %u", info->mnemonic, type);
    if (!(info->types >> type & 1)) {
        return tirbi_error_set(error, TIRB_VERIFY, "%s does not exist for %s", info->mnemonic, tirbi_dtypes[type].name);
    }
    return TIRB_OK;
}

/* From operand `letter` on, which read_operands has stopped at, and which begins at `at`. Apart from what most
 * instructions need. */
static __attribute__((noinline)) tirb_status read_rest(const uint8_t *code, size_t size, const uint8_t *at,
                                                       const char *letter, tirbi_instr *out, tirb_error *error) {
    const tirbi_op_info *info = &tirbi_ops[out->op];
    while (*letter) {
        const size_t i = (size_t)(letter - info->operands);
        tirbi_reader r = tirbi_reader_over(code, size);
        r.at = (size_t)(at - code);
        if (*letter == 'T' && tirbi_reader_left(&r) > 0)
            return tirbi_error_set(error, TIRB_VERIFY, "no type %u", (unsigned)*at);
        const bool is_cut = widths[(unsigned char)*letter] != 0;
        if (!is_cut) TIRBI_TRY(read_long_operand(&r, *letter++, out, &out->operand[i], error));
        if (is_cut || r.failed)
            return tirbi_error_set(error, TIRB_VERIFY, "the code ends inside operand %u of %s", (unsigned)i + 1,
                                   info->mnemonic);
        at = code + r.at;
        letter = read_operands(letter, &at, code + size, &out->operand[letter - info->operands]);
    }
    out->size = (uint32_t)(at - code) - out->offset;
    return TIRB_OK;
}

/* A lane loop's head, which is its header. */
static tirb_status read_lane(const uint8_t *code, size_t size, tirbi_instr *out, tirb_error *error) {
    tirbi_reader r = tirbi_reader_over(code, size);
    r.at = out->offset + 2u;
    TIRBI_TRY(read_header(&r, &out->lane, error));
    if (r.failed) return tirbi_error_set(error, TIRB_VERIFY, "the code ends inside operand 1 of lane");
    out->operand[0] = 0;
    out->size = (uint32_t)r.at - out->offset;
    return TIRB_OK;
}

tirb_status tirbi_decode(const uint8_t *code, size_t size, uint32_t offset, tirbi_instr *out, tirb_error *error) {
    const size_t left = offset < size ? size - offset : 0;
    out->op = left > 0 ? code[offset] : 0;
    out->type = left > 1 ? code[offset + 1] : 0;
    out->offset = offset;
    if (left < 2) return tirbi_error_set(error, TIRB_VERIFY, "the code ends inside an instruction");
    if (!is_opcode(out->op)) return tirbi_error_set(error, TIRB_VERIFY, "unknown opcode 0x%02x", out->op);
    const tirbi_op_info *info = &tirbi_ops[out->op];
    TIRBI_TRY(check_type(info, out->type, error));
    const uint8_t *at = code + offset + 2;
    if ((info->flags & TIRBI_FLAG_ELEMENTWISE) && read_registers(info, at, left - 2, out)) return TIRB_OK;
    if (out->op == TIRB_OP_LANE) return read_lane(code, size, out, error);
    const char *letter = read_operands(info->operands, &at, code + size, out->operand);
    if (*letter) return read_rest(code, size, at, letter, out, error);
    out->size = (uint32_t)(at - code) - offset;
    return TIRB_OK;
}

/* Of instructions whose operands are as wide each time: what they are. */
typedef enum usual {
    UNUSUAL,
    ONE_REGISTER, /* or whatever else has 16 bits; so many of them, */
    TWO_REGISTERS,
    THREE_REGISTERS,
    FOUR_REGISTERS,
    REGISTERS_AND_TYPE, /* two */
    INDEX_OF_DIMENSION, /* two, a byte, and 16 bits more */
    NO_REGISTERS,
    ONE_BYTE,
    TARGET, /* 32 bits, behind so many registers */
    REGISTER_AND_TARGET,
    REGISTERS_AND_TARGET, /* two */
    REGISTER_AND_VALUE    /* with a sign */
} usual;

static const uint8_t usual_operands[TIRB_N_OPS] = {
#define TIRB_OP(number, NAME, text, letters, types, flags, meaning)
#define TIRB_ELEMENTWISE(number, NAME, text, arity, types, flags, meaning) \
    [number] = CARRIES_SOURCE(number) ? REGISTERS_AND_TYPE : ONE_REGISTER + (arity),
#include "loader/isa/opcodes.def"
#undef TIRB_OP
#undef TIRB_ELEMENTWISE
    [TIRB_OP_CONST] = REGISTER_AND_VALUE, [TIRB_OP_BRIF] = REGISTER_AND_TARGET, [TIRB_OP_BRNOT] = REGISTER_AND_TARGET,
    [TIRB_OP_LOOP] = REGISTERS_AND_TARGET, [TIRB_OP_JMP] = TARGET, [TIRB_OP_BACK] = TARGET,
    [TIRB_OP_LOAD] = THREE_REGISTERS, [TIRB_OP_STORE] = THREE_REGISTERS, [TIRB_OP_ALLOC] = TWO_REGISTERS,
    [TIRB_OP_SLICE] = FOUR_REGISTERS, [TIRB_OP_LENGTH] = TWO_REGISTERS, [TIRB_OP_MEET] = THREE_REGISTERS,
    [TIRB_OP_ASSERT] = THREE_REGISTERS, [TIRB_OP_SAME] = THREE_REGISTERS, [TIRB_OP_REF_CONST] = TWO_REGISTERS,
    [TIRB_OP_INNER] = ONE_BYTE, [TIRB_OP_INNER_END] = ONE_BYTE, [TIRB_OP_VWHILE] = ONE_BYTE,
    [TIRB_OP_LANE_END] = NO_REGISTERS, [TIRB_OP_VLOOP] = NO_REGISTERS, [TIRB_OP_VAGAIN] = NO_REGISTERS,
    [TIRB_OP_INDEX] = INDEX_OF_DIMENSION, [TIRB_OP_RET] = ONE_REGISTER, [TIRB_OP_RETVOID] = NO_REGISTERS};

tirb_status tirbi_decode_verified(const uint8_t *code, size_t size, uint32_t offset, tirbi_instr *out,
                                  tirb_error *error) {
    enum { HEAD = 2, REGISTER = 2, WIDE = 4 };
    const uint8_t *const at = code + offset, *const o = at + HEAD;
    int64_t *const operand = out->operand;
    out->op = at[0];
    out->type = at[1];
    out->offset = offset;
    switch ((usual)usual_operands[at[0]]) {
    case NO_REGISTERS: out->size = HEAD; return TIRB_OK;
    case FOUR_REGISTERS: operand[3] = tirbi_load_u16(o + 3 * REGISTER); /* fall through */
    case THREE_REGISTERS: operand[2] = tirbi_load_u16(o + 2 * REGISTER); /* fall through */
    case TWO_REGISTERS: operand[1] = tirbi_load_u16(o + REGISTER); /* fall through */
    case ONE_REGISTER:
        operand[0] = tirbi_load_u16(o);
        out->size = HEAD + REGISTER * (unsigned)usual_operands[at[0]];
        return TIRB_OK;
    case ONE_BYTE:
        operand[0] = o[0];
        out->size = HEAD + 1;
        return TIRB_OK;
    case REGISTERS_AND_TYPE:
        operand[0] = tirbi_load_u16(o);
        operand[1] = tirbi_load_u16(o + REGISTER);
        operand[2] = o[2 * REGISTER];
        out->size = HEAD + 2 * REGISTER + 1;
        return TIRB_OK;
    case INDEX_OF_DIMENSION:
        operand[0] = tirbi_load_u16(o);
        operand[1] = tirbi_load_u16(o + REGISTER);
        operand[2] = o[2 * REGISTER];
        operand[3] = tirbi_load_u16(o + 2 * REGISTER + 1);
        out->size = HEAD + 2 * REGISTER + 1 + REGISTER;
        return TIRB_OK;
    case TARGET:
        operand[0] = tirbi_load_u32(o);
        out->size = HEAD + WIDE;
        return TIRB_OK;
    case REGISTER_AND_TARGET:
        operand[0] = tirbi_load_u16(o);
        operand[1] = tirbi_load_u32(o + REGISTER);
        out->size = HEAD + REGISTER + WIDE;
        return TIRB_OK;
    case REGISTERS_AND_TARGET:
        operand[0] = tirbi_load_u16(o);
        operand[1] = tirbi_load_u16(o + REGISTER);
        operand[2] = tirbi_load_u32(o + 2 * REGISTER);
        out->size = HEAD + 2 * REGISTER + WIDE;
        return TIRB_OK;
    case REGISTER_AND_VALUE:
        operand[0] = tirbi_load_u16(o);
        operand[1] = (int32_t)tirbi_load_u32(o + REGISTER);
        out->size = HEAD + REGISTER + WIDE;
        return TIRB_OK;
    default: return tirbi_decode(code, size, offset, out, error);
    }
}

/* ---- Encoding ------------------------------------------------------------------------------------------------- */

static void write_list(tirbi_writer *w, const uint16_t *list, uint8_t n) {
    tirbi_write_u8(w, n);
    for (unsigned i = 0; i < n; i++) tirbi_write_u16(w, list[i]);
}

static void write_parts(tirbi_writer *w, const tirbi_instr *instr, uint8_t n) {
    tirbi_write_u8(w, n);
    for (unsigned i = 0; i < n; i++) {
        const tirbi_part *part = &instr->parts[i];
        tirbi_write_u16(w, instr->refs[i]);
        tirbi_write_u8(w, part->partitioned);
        if (!part->partitioned) continue;
        tirbi_write_u16(w, part->base);
        tirbi_write_u16(w, part->stride);
        tirbi_write_u16(w, part->extent);
    }
}

static void write_header(tirbi_writer *w, const tirbi_lane_header *lane) {
    tirbi_write_u16(w, lane->n);
    tirbi_write_u8(w, lane->n_inner);
    tirbi_write_u8(w, lane->n_cursors);
    tirbi_write_u32(w, lane->end);
    for (unsigned i = 0; i < lane->n_inner; i++) {
        tirbi_write_u16(w, lane->inner[i].extent);
        tirbi_write_u16(w, lane->inner[i].index);
    }
    for (unsigned i = 0; i < lane->n_cursors; i++) {
        const tirbi_cursor *cursor = &lane->cursors[i];
        tirbi_write_u16(w, cursor->ref);
        tirbi_write_u8(w, cursor->type);
        tirbi_write_u8(w, cursor->access);
        tirbi_write_u8(w, cursor->level);
        tirbi_write_u16(w, cursor->start);
        tirbi_write_u16(w, cursor->step);
        for (unsigned k = 0; k < lane->n_inner; k++) tirbi_write_u16(w, cursor->steps[k]);
    }
}

static void write_box(tirbi_writer *w, const tirbi_contract_box *box) {
    tirbi_write_u8(w, box->n_loops);
    for (unsigned i = 0; i < box->n_loops; i++) tirbi_write_u16(w, box->extents[i]);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        tirbi_write_u16(w, box->operands[o].ref);
        tirbi_write_u8(w, box->operands[o].type);
        tirbi_write_u16(w, box->operands[o].start);
        for (unsigned i = 0; i < box->n_loops; i++) tirbi_write_u16(w, box->operands[o].steps[i]);
    }
}

static void write_operand(tirbi_writer *w, char letter, const tirbi_instr *instr, int64_t value) {
    switch (letter) {
    case 'D':
    case 'S':
    case 'x':
    case 'W':
    case 'R':
    case 'F':
    case 'G':
    case 'K':
    case 'Z':
        tirbi_write_u16(w, (uint16_t)value);
        break;
    case 'j':
    case 'i':
        tirbi_write_u32(w, (uint32_t)value);
        break;
    case 'I':
        tirbi_write_u64(w, (uint64_t)value);
        break;
    case 'a':
        write_list(w, instr->scalars, (uint8_t)value);
        break;
    case 'r':
        write_list(w, instr->refs, (uint8_t)value);
        break;
    case 'P':
        write_parts(w, instr, (uint8_t)value);
        break;
    case 'H':
        write_header(w, &instr->lane);
        break;
    case 'B':
        write_box(w, &instr->box);
        break;
    default: /* V U Q C L n T */
        tirbi_write_u8(w, (uint8_t)value);
    }
}

void tirbi_encode(tirbi_writer *writer, const tirbi_instr *instr) {
    const tirbi_op_info *info = &tirbi_ops[instr->op];
    tirbi_write_u8(writer, instr->op);
    tirbi_write_u8(writer, info->types ? instr->type : TIRB_TYPE_NONE);
    for (unsigned i = 0; info->operands[i]; i++) {
        write_operand(writer, info->operands[i], instr, instr->operand[i]);
    }
}
