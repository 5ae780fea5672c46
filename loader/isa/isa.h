/* The instruction set as C: enums, tables and the one decoder, all made from opcodes.def and dtype.def. */
#ifndef TIRB_LOADER_ISA_ISA_H
#define TIRB_LOADER_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dlpack/dlpack.h>
#include <tirb/status.h>

/* ---- Element types -------------------------------------------------------------------------------------------- */

typedef enum tirbi_dtype {
#define TIRB_DTYPE(number, name, text, tvm, ctype, dlcode, bits, class) TIRB_##name = number,
#include "loader/isa/dtype.def"
#undef TIRB_DTYPE
    TIRB_N_DTYPES = 13,
    TIRB_TYPE_NONE = 255
} tirbi_dtype;

typedef struct tirbi_dtype_info {
    const char *name;     /* "f32" */
    const char *tvm_name; /* "float32" */
    uint8_t dl_code;
    uint8_t bits;
    uint8_t size; /* bytes */
    char class;   /* 'B' 'I' 'U' 'F' */
} tirbi_dtype_info;

extern const tirbi_dtype_info tirbi_dtypes[TIRB_N_DTYPES];

static inline bool tirbi_dtype_is_float(tirbi_dtype t) { return tirbi_dtypes[t].class == 'F'; }
static inline bool tirbi_dtype_is_signed(tirbi_dtype t) { return tirbi_dtypes[t].class == 'I'; }
static inline bool tirbi_dtype_is_int(tirbi_dtype t) {
    return tirbi_dtypes[t].class == 'I' || tirbi_dtypes[t].class == 'U';
}
/* By either name; false if there is none. */
bool tirbi_dtype_from_name(const char *name, size_t length, tirbi_dtype *out);
/* From a DLPack type with one lane. A bool is kDLBool or an unsigned type of 1 bit; uint8 is uint8. */
bool tirbi_dtype_from_dl(DLDataType type, tirbi_dtype *out);
DLDataType tirbi_dtype_to_dl(tirbi_dtype type);

/* ---- Opcodes -------------------------------------------------------------------------------------------------- */

enum { TIRB_OP_LANE_FORM = 0x80 }; /* added to an elementwise opcode */

typedef enum tirbi_op {
#define TIRB_OP(number, name, mnemonic, operands, types, flags, meaning) TIRB_OP_##name = number,
#define TIRB_ELEMENTWISE(number, name, mnemonic, arity, types, flags, meaning) \
    TIRB_OP_##name = number, TIRB_OP_V##name = number + TIRB_OP_LANE_FORM,
#include "loader/isa/opcodes.def"
#undef TIRB_OP
#undef TIRB_ELEMENTWISE
    TIRB_N_OPS = 256
} tirbi_op;

enum {
    TIRBI_FLAG_JUMP = 1,
    TIRBI_FLAG_BACK = 2,
    TIRBI_FLAG_END = 4,
    TIRBI_FLAG_MEM = 8,
    TIRBI_FLAG_TRAP = 16,
    TIRBI_FLAG_LANE = 32,
    TIRBI_FLAG_ELEMENTWISE = 64, /* made from a TIRB_ELEMENTWISE row, either form */
    TIRBI_FLAG_COPY = 128
};

typedef struct tirbi_op_info {
    const char *mnemonic; /* without the type; NULL: no such opcode */
    const char *operands; /* letters as in opcodes.def, also for elementwise rows ("DSS", "VUU", "DST" for cast) */
    const char *meaning;
    uint32_t types; /* bit per dtype; 0: the instruction has no type */
    uint8_t flags;
    uint8_t arity; /* of elementwise rows */
} tirbi_op_info;

extern const tirbi_op_info tirbi_ops[TIRB_N_OPS];

/* Whether the instruction gives bits as it finds them, so that a NaN among them may be another than the canonical
 * one. */
static inline bool tirbi_op_copies(unsigned op) { return (tirbi_ops[op].flags & TIRBI_FLAG_COPY) != 0; }

/* The type that elementwise `op`.`type` gives its result, and the type of the operand `index` that it reads.
 * `source` is the T operand of cast and bits. */
static inline tirbi_dtype tirbi_op_result_type(tirbi_op op, tirbi_dtype type) {
    const unsigned row = (unsigned)op & (TIRB_OP_LANE_FORM - 1);
    return (row >= TIRB_OP_EQ && row <= TIRB_OP_GE) || row == TIRB_OP_ISNAN ? TIRB_BOOL : type;
}
tirbi_dtype tirbi_op_operand_type(tirbi_op op, tirbi_dtype type, tirbi_dtype source, unsigned index);

/* By opcode: the bytes of an elementwise instruction outside of lane loops; 0: it is another. */
extern const uint8_t tirbi_row_sizes[TIRB_N_OPS];
/* The same of an instruction of a lane loop that names lane registers and cursors alone. */
extern const uint8_t tirbi_lane_sizes[TIRB_N_OPS];

/* What an instruction weighs (weights.def), but for a lane loop's cursors: of an elementwise lane form and of a
 * contraction, 64 lanes or products. `source` is the T operand of a cast, or the type. */
enum { TIRBI_MAX_WEIGHT = 224 };
uint32_t tirbi_op_weight(tirbi_op op, uint8_t type, uint8_t source);

/* ---- Small constants (operand letter x) ----------------------------------------------------------------------- */

enum { TIRBI_SMALL_MIN = -16384, TIRBI_SMALL_MAX = 16383, TIRBI_SMALL_BIT = 0x8000, TIRBI_MAX_SREGS = 0x8000 };

static inline bool tirbi_x_is_small(uint16_t x) { return (x & TIRBI_SMALL_BIT) != 0; }
static inline int64_t tirbi_x_small(uint16_t x) { return (int64_t)((x & 0x7fff) ^ 0x4000) - 0x4000; }
static inline uint16_t tirbi_x_from_small(int64_t v) { return (uint16_t)(TIRBI_SMALL_BIT | ((uint16_t)v & 0x7fff)); }

/* ---- Indices that are checked ---------------------------------------------------------------------------------- */

/* Added to the dimension that index and vindex name: the index has 64 bits and no sign, which messages show. */
enum { TIRBI_INDEX_UNSIGNED = 128 };

/* ---- Decoded instructions ------------------------------------------------------------------------------------- */

enum {
    TIRBI_MAX_OPERANDS = 6,
    TIRBI_MAX_CALL_ARGS = 255,
    TIRBI_MAX_INNER = 6,
    TIRBI_MAX_CURSORS = 32,
    TIRBI_MAX_LANE_REGS = 64,
    TIRBI_MAX_REDUCTIONS = 16,
    TIRBI_MAX_CONTRACT_LOOPS = 10,
    TIRBI_NO_REG = 0xFFFF
};

enum { TIRBI_MAX_CHUNKS = 64 }; /* of a fork */

typedef enum tirbi_access { TIRBI_READ = 1, TIRBI_WRITE = 2 } tirbi_access;

/* The level of a cursor that lanes index; all others are at most TIRBI_MAX_INNER. */
enum { TIRBI_LEVEL_INDEXED = 7 };

/* Operand n of vscan, vstep and vupdate: the operation, and how it is done. */
typedef enum tirbi_scan_op {
    TIRBI_SCAN_ADD, TIRBI_SCAN_MUL, TIRBI_SCAN_MIN, TIRBI_SCAN_MAX,
    TIRBI_SCAN_AND, TIRBI_SCAN_OR, TIRBI_SCAN_XOR, TIRBI_SCAN_SUB,
    TIRBI_SCAN_DIV, TIRBI_N_SCAN_OPS,
    TIRBI_SCAN_WHERE = TIRBI_N_SCAN_OPS, /* the last of several steps: they count in some lanes only */
    TIRBI_SCAN_OP = 15,      /* the bits of the operation */
    TIRBI_SCAN_SWAPPED = 16, /* the running value is the second operand */
    TIRBI_SCAN_BEFORE = 32,  /* lanes see what the running value was before them */
    TIRBI_SCAN_BITS = 64     /* lanes see its bits */
} tirbi_scan_op;
/* Of vscanma and vstepma. */
typedef enum tirbi_fused_scan { TIRBI_SCAN_FMA, TIRBI_SCAN_FMS, TIRBI_SCAN_FNMA, TIRBI_N_FUSED_SCANS } tirbi_fused_scan;

/* In a lane loop: scans, the steps of one, vloops. */
enum { TIRBI_MAX_SCANS = 16, TIRBI_MAX_SCAN_STEPS = 16, TIRBI_MAX_OWN = 8, TIRBI_MAX_OWN_DEPTH = 3 };

/* The unsigned type of a type's size. */
tirbi_dtype tirbi_dtype_of_bits(tirbi_dtype type);

typedef struct tirbi_inner {
    uint16_t extent; /* x */
    uint16_t index;  /* scalar register or TIRBI_NO_REG */
} tirbi_inner;

typedef struct tirbi_cursor {
    uint16_t ref;
    uint8_t type;
    uint8_t access;
    uint8_t level;
    uint16_t start;                  /* x */
    uint16_t step;                   /* x */
    uint16_t steps[TIRBI_MAX_INNER]; /* x, one per inner loop of the header */
} tirbi_cursor;

typedef struct tirbi_lane_header {
    uint16_t n; /* x */
    uint8_t n_inner;
    uint8_t n_cursors;
    uint32_t end; /* offset of the matching lane.end */
    tirbi_inner inner[TIRBI_MAX_INNER];
    tirbi_cursor cursors[TIRBI_MAX_CURSORS];
} tirbi_lane_header;

/* Bits of a contraction's operand n. */
enum { TIRBI_CONTRACT_FUSED = 1, TIRBI_CONTRACT_SUBTRACT = 2, TIRBI_CONTRACT_INIT = 4, TIRBI_CONTRACT_FLAGS = 7 };

/* Bits of a fold's operand n; the lowest two are a tirbi_red_op, or with BITS and, or and xor. */
enum { TIRBI_FOLD_OP = 3, TIRBI_FOLD_INIT = 4, TIRBI_FOLD_PRODUCTS = 8, TIRBI_FOLD_BITS = 16, TIRBI_FOLD_FLAGS = 31 };
enum { TIRBI_FOLD_AND, TIRBI_FOLD_OR, TIRBI_FOLD_XOR };

enum { TIRBI_CONTRACT_C, TIRBI_CONTRACT_A, TIRBI_CONTRACT_B, TIRBI_CONTRACT_OPERANDS };

typedef struct tirbi_contract_box {
    uint8_t n_loops;
    uint16_t extents[TIRBI_MAX_CONTRACT_LOOPS]; /* x */
    struct {
        uint16_t ref;
        uint8_t type;
        uint16_t start;                           /* x */
        uint16_t steps[TIRBI_MAX_CONTRACT_LOOPS]; /* x */
    } operands[TIRBI_CONTRACT_OPERANDS];
} tirbi_contract_box;

/* How a fork passes a reference: whole and read-only, or the part that a chunk's iterations have. */
typedef struct tirbi_part {
    bool partitioned;
    uint16_t base, stride, extent; /* x; 0 where it is not partitioned */
} tirbi_part;

/* One instruction, unpacked. operand[i] follows the letters of tirbi_ops[op].operands one to one; the lists (a, r, P)
 * and the headers (H, B) are in their own fields and their operand[] entry is the count (0 for headers). */
typedef struct tirbi_instr {
    uint8_t op;
    uint8_t type;
    uint32_t offset; /* of this instruction, in bytes */
    uint32_t size;
    int64_t operand[TIRBI_MAX_OPERANDS];
    uint16_t scalars[TIRBI_MAX_CALL_ARGS];
    uint16_t refs[TIRBI_MAX_CALL_ARGS];
    tirbi_part parts[TIRBI_MAX_CALL_ARGS]; /* P: how each of refs is passed */
    tirbi_lane_header lane;
    tirbi_contract_box box;
} tirbi_instr;

/* What a decoded instruction weighs where it stands: a lane loop has its cursors to look at, each beside those that are
 * written. */
uint32_t tirbi_instr_weight(const tirbi_instr *instr);
/* Sums of weights end at the greatest number. */
static inline uint32_t tirbi_add_weight(uint32_t sum, uint32_t weight) {
    return sum > UINT32_MAX - weight ? UINT32_MAX : sum + weight;
}

/* Decodes the instruction at `offset`. Only its own form is checked: a known opcode, a type that the row allows, whole
 * operands, counts within the limits above. Errors: VERIFY. */
tirb_status tirbi_decode(const uint8_t *code, size_t size, uint32_t offset, tirbi_instr *out, tirb_error *error);

/* The same of code that has been verified, quicker where the instruction is of those that most scalar code is made
 * of. */
tirb_status tirbi_decode_verified(const uint8_t *code, size_t size, uint32_t offset, tirbi_instr *out,
                                  tirb_error *error);

struct tirbi_writer;
/* Appends the encoding of `instr` (its offset and size are ignored). A wrong form is the caller's bug. */
void tirbi_encode(struct tirbi_writer *writer, const tirbi_instr *instr);

#endif
