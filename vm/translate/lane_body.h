/* A lane loop's body, decoded and analysed, as its planner wants it. */
#ifndef TIRB_VM_TRANSLATE_LANE_BODY_H
#define TIRB_VM_TRANSLATE_LANE_BODY_H

#include "loader/base/work.h"
#include "vm/translate/constants.h"

#define TIRBI_NO_USE UINT32_MAX

/* How the elements of a cursor follow each other from lane to lane, as far as the text says. */
typedef enum lane_stride { STRIDE_ANY, STRIDE_ZERO, STRIDE_ONE } lane_stride;

/* There are as many at once as the longest body has instructions: they are small. */
typedef struct lane_ins {
    uint8_t op;
    uint8_t type;
    uint8_t source;       /* the operand type of cast and bits, and of an index */
    uint8_t dest;         /* lane register written, or NO_LANE_REG */
    uint8_t reads[3];     /* lane registers read, */
    uint8_t n_reads : 2;  /* and how many */
    bool settled : 1;     /* of vstore: what it stores is no float whose NaNs must still be made canonical */
    bool by_scalar : 1;   /* it divides integers by what is the same in all lanes, or shifts by a constant below their
                           * bits */
    uint8_t size : 4;     /* of its code, in bytes */
    uint8_t cursor;       /* of vload and vstore; the loop of inner and inner.end; the state of vred and vredma */
    uint8_t kind;         /* of the forms that do it on the banks of this loop; 0: kernels do */
    uint8_t number;       /* of vscan: which one of the loop; the operand n of others */
    union {
        uint8_t fold;     /* of vscan, vstep and vupdate: their operand n */
        struct {          /* of elementwise ones: */
            uint8_t often : 3; /* the set of operands that are read several times near behind, */
            uint8_t alike : 3; /* and which are the same: the first two, the last two, and the first and the last */
        };
    };
    union {
        uint16_t slot;      /* of vsplat and viota; the extent of vindex */
        uint16_t operation; /* of elementwise ones: their number among those of the desk */
    };
    uint16_t step;        /* of viota; the string of vindex */
    uint16_t next[4];     /* by how many instructions on the reads, and then dest, are read next; 0: nowhere near */
    uint64_t live;        /* the lane registers that are read after this instruction */
} lane_ins;

_Static_assert(sizeof(lane_ins) == 32, "no room is lost");

/* No instruction's operands are looked for any further ahead: translation takes time in proportion to the code. */
enum { LANE_LOOK_AHEAD = 32 };

/* Most bodies have fewer instructions. */
enum { LANE_FEW = 128 };

enum { NO_LANE_REG = 0xFF, LANE_MAX_LOOPS = TIRBI_MAX_INNER + TIRBI_MAX_OWN };

static inline bool tirbi_lane_loop_starts(uint8_t op) { return op == TIRB_OP_INNER || op == TIRB_OP_VLOOP; }
static inline bool tirbi_lane_loop_ends(uint8_t op) { return op == TIRB_OP_INNER_END || op == TIRB_OP_VAGAIN; }

/* What an opcode is on elements of a type, and of another one for casts: it is found out once for a program. */
typedef struct lane_operation {
    tirbi_kernel kernel; /* of elementwise ones */
    uint16_t weight;
    uint8_t kinds[4];    /* of the forms (tirbi_lane_kind) that lanes of 1, 2, 4 and 8 bytes have; 0: there are none */
    uint8_t result;      /* type, */
    uint8_t size;        /* and the bytes of its elements */
    uint8_t widest;      /* element size of what it names */
    uint8_t wanted;      /* bit k: it would choose lanes of 2^k bytes, */
    uint8_t renames;     /* and lanes of 2^k bytes are only given another name */
    bool computes : 1;   /* it is elementwise, */
    bool divides : 1;    /* and divides integers, */
    bool commutes : 1;   /* and its first two operands may be exchanged, */
    bool resizes : 1;    /* and casts integers of bytes to 16 bits or back, */
    bool rounds : 1;     /* and what banks give is still to be rounded to 16 bits */
} lane_operation;

/* By opcode and type; casts and copies of bits by both of their types. */
enum { LANE_OPCODES = 128, LANE_CASTS = LANE_OPCODES * TIRB_N_DTYPES,
       LANE_BITS = LANE_CASTS + TIRB_N_DTYPES * TIRB_N_DTYPES,
       LANE_OPERATIONS = LANE_BITS + TIRB_N_DTYPES * TIRB_N_DTYPES };

typedef struct lane_body {
    lane_operation *operations; /* LANE_OPERATIONS of them, of which these are known: */
    bool *are_known;
    const tirbi_code *code;
    uint32_t features; /* of the lane machine, as far as this code may use them */
    const tirbi_function *function;
    const tirbi_lane_header *header;
    lane_ins *few;  /* LANE_FEW of them, where no more are */
    lane_ins *ins;  /* from number `first` on, which is 0 until the last of its translations, */
    uint32_t n;     /* up to this one */
    uint32_t first;
    uint32_t capacity;
    uint64_t ops[4];         /* the set of their opcodes */
    uint64_t weight;         /* of all of them, for looks at whether to stop, */
    uint32_t heaviest;       /* and of one */
    uint32_t n_stores, n_advances;
    uint32_t n_before_seeks; /* instructions, all of them inner loops' heads */
    uint32_t behind_seeks;   /* where the code of those that come then begins */
    uint8_t main_size;   /* the element size that banks hold; 0: no banks */
    bool only_banks;     /* they do all that is computed */
    bool has_words;      /* they stand for smaller elements too: see vm/lanes/words.inc */
    bool has_steps;      /* banks read and write every second, third or fourth element: see vm/lanes/steps.inc */
    bool has_picks;      /* or read them alone, whole blocks of the main size */
    uint8_t widest;      /* element size of the body */
    bool reduces;
    uint64_t used;    /* the registers that are read or written */
    uint32_t n_seeks; /* which are no instructions of the body */
    uint8_t n_own; /* vloops, which are numbered from TIRBI_MAX_INNER on */
    uint8_t own_depth;
    /* What follows is set as there are such, and not cleared before. By loop: */
    uint64_t exposed[LANE_MAX_LOOPS]; /* read in it before it writes them */
    uint64_t written[LANE_MAX_LOOPS];
    uint64_t live_at_head[LANE_MAX_LOOPS];
    uint32_t own_cost[TIRBI_MAX_OWN]; /* the instructions of each vloop, with those nested in it */
    lane_stride strides[TIRBI_MAX_CURSORS];
    int16_t steps[TIRBI_MAX_CURSORS]; /* elements from lane to lane; 0 also where the text does not say */
    uint8_t cursor_sizes[TIRBI_MAX_CURSORS];
    tirbi_lane_seek seeks[TIRBI_MAX_CURSORS];
    tirbi_lane_scan scans[TIRBI_MAX_SCANS];
} lane_body;

/* Decodes the body behind `lane`, fills the loop's cursors and costs, and analyses. */
tirb_status tirbi_lane_body_read(lane_body *body, const tirbi_code *code, const tirbi_function *function,
                                 const tirbi_instr *lane, tirbi_constants *constants, tirbi_arena *arena,
                                 tirbi_lane_loop *loop, tirb_error *error);

/* Whether some instruction of the body has an opcode from first to last. */
static inline bool tirbi_lane_has(const lane_body *body, unsigned first, unsigned last) {
    for (unsigned op = first; op <= last; op++)
        if (body->ops[op / 64] >> op % 64 & 1) return true;
    return false;
}
static inline const lane_ins *tirbi_lane_ins_at(const lane_body *body, uint32_t number) {
    return body->ins + (number - body->first);
}
static inline uint32_t tirbi_lane_ins_number(const lane_body *body, const lane_ins *ins) {
    return body->first + (uint32_t)(ins - body->ins);
}
/* The number of the instruction that reads an operand next, or the result (3); TIRBI_NO_USE: none near below. */
static inline uint32_t tirbi_lane_next(const lane_body *body, const lane_ins *ins, unsigned i) {
    return ins->next[i] == 0 ? TIRBI_NO_USE : tirbi_lane_ins_number(body, ins) + ins->next[i];
}

/* Asked at each turn of a pass over a body, which may be long: whether the heap's watch is to stop. What the pass was
 * to find is of no use then, and what comes behind it ends as soon. */
static inline bool tirbi_lane_body_is_stopped(const lane_body *body, uint32_t turn) {
    return tirbi_work_stopped(body->code->heap, turn);
}

/* Gives back the room of all. False: the heap's watch is to stop, and it is still there. */
static inline bool tirbi_lane_body_leave(lane_body *body, tirbi_heap *heap) {
    const size_t size = body->capacity * sizeof *body->ins;
    if (body->ins != body->few && !tirbi_heap_release(heap, body->ins, size)) return false;
    body->ins = NULL;
    return true;
}
/* Gives back the room of the instructions before a number, but some: nothing looks at them again. False: the heap's
 * watch is to stop. */
bool tirbi_lane_body_drop(lane_body *body, tirbi_heap *heap, uint32_t number);

static inline bool tirbi_lane_computes(const lane_ins *ins) {
    return (tirbi_ops[ins->op].flags & TIRBI_FLAG_ELEMENTWISE) != 0;
}
/* What an elementwise instruction does. */
static inline const lane_operation *tirbi_lane_operation_of(const lane_body *body, const lane_ins *ins) {
    return &body->operations[ins->operation];
}
static inline bool tirbi_lane_has_kinds(const lane_operation *operation) {
    return (operation->kinds[0] | operation->kinds[1] | operation->kinds[2] | operation->kinds[3]) != 0;
}
void tirbi_lane_learn_operation(const lane_body *body, uint8_t op, uint8_t type, uint8_t source, uint16_t number);
/* The number of `op`.`type` (of `source`) among the operations, of which all is known then. */
static inline uint16_t tirbi_lane_find_operation(lane_body *body, uint8_t op, uint8_t type, uint8_t source) {
    uint16_t number = (uint16_t)(op % LANE_OPCODES * TIRB_N_DTYPES + type);
    if (op == TIRB_OP_VCAST) number = (uint16_t)(LANE_CASTS + type * TIRB_N_DTYPES + source);
    if (op == TIRB_OP_VBITS) number = (uint16_t)(LANE_BITS + type * TIRB_N_DTYPES + source);
    if (!body->are_known[number]) tirbi_lane_learn_operation(body, op, type, source, number);
    return number;
}

/* What an instruction counts for between two looks at whether to stop. Elements that are apart, or named by lanes, may
 * be far. */
enum { LANE_OF_FAR = 16 };
/* Of one of those that most bodies are made of, which do this. */
static inline uint32_t tirbi_lane_weight_of(const lane_body *body, const lane_ins *ins,
                                            const lane_operation *operation) {
    const bool moves = ins->op == TIRB_OP_VLOAD || ins->op == TIRB_OP_VSTORE;
    return moves && body->strides[ins->cursor] == STRIDE_ANY ? (uint32_t)LANE_OF_FAR : operation->weight;
}
static inline uint32_t tirbi_lane_weight(lane_body *body, const lane_ins *ins) {
    if (tirbi_lane_computes(ins)) return tirbi_lane_operation_of(body, ins)->weight;
    switch (ins->op) {
    case TIRB_OP_VLOADX:
    case TIRB_OP_VSTOREX:
    case TIRB_OP_VUPDATE:
    case TIRB_OP_VUPDATEMA: return LANE_OF_FAR;
    default: break;
    }
    if (ins->type >= TIRB_N_DTYPES || ins->source != ins->type)
        return tirbi_op_weight((tirbi_op)ins->op, ins->type, ins->source);
    const uint16_t number = tirbi_lane_find_operation(body, ins->op, ins->type, ins->source);
    return tirbi_lane_weight_of(body, ins, &body->operations[number]);
}

/* Moves only rename values, and casts between bytes and 16 bits go with loads and stores. */
static inline bool tirbi_lane_is_computed(const lane_body *body, const lane_ins *ins) {
    if (!tirbi_lane_computes(ins) || ins->op == TIRB_OP_VMOV) return false;
    return body->main_size != 2 || !tirbi_lane_operation_of(body, ins)->resizes;
}

/* Whether it is a scan or a step of one. */
static inline bool tirbi_lane_ins_scans(const lane_ins *ins) {
    return ins->op == TIRB_OP_VSCAN || ins->op == TIRB_OP_VSCANMA || ins->op == TIRB_OP_VSTEP ||
           ins->op == TIRB_OP_VSTEPMA || ins->op == TIRB_OP_VADVANCE;
}

/* Whether it matters that an instruction splats a constant: floats, for what a constant is no NaN, and what has another
 * form in lanes of 4 bytes. */
static inline bool tirbi_lane_may_splat_constant(uint8_t op, uint8_t type) {
    return op == TIRB_OP_VSPLAT && type != TIRB_BOOL &&
           (tirbi_dtype_is_float((tirbi_dtype)type) || tirbi_dtypes[type].size < 4);
}
/* Whether it is a vsplat of that kind that gives one constant each time. */
bool tirbi_lane_splats_constant(const lane_ins *ins, const tirbi_constants *constants, uint64_t *bits);

/* Sets `settled`. */
void tirbi_lane_body_find_nans(lane_body *body, const tirbi_constants *constants);

typedef enum lane_place { PLACE_A, PLACE_B, PLACE_M, PLACE_K } lane_place;

/* The kind of forms that do the lane instruction op.type (of `source`, if it is a cast) on banks whose lanes have
 * `size` bytes, with these features; 0: there are none. */
uint8_t tirbi_lane_kind(uint8_t op, uint8_t type, uint8_t source, unsigned size, uint32_t features);
/* Kinds without forms: the result has the operand's lanes; the result has fewer bits, and a store leaves out the
 * others. */
bool tirbi_lane_kind_renames(uint8_t kind);
bool tirbi_lane_kind_truncates(uint8_t kind);
/* Casts to 16 bits of float. */
bool tirbi_lane_kind_rounds(uint8_t kind);
/* The handler for dest = kind(places..), plus one; 0: there is none. */
unsigned tirbi_lane_form(uint8_t kind, lane_place dest, unsigned n, const lane_place *places);
/* How many blocks a form reads from memory, and twice those that it writes. */
unsigned tirbi_lane_blocks_moved(unsigned form);
/* The same for the register machine, which puts every result into bank A: places are its banks, then a block in memory
 * and a scalar, in two forms. */
unsigned tirbi_lane_register_form(uint8_t kind, unsigned n, const unsigned *places);
bool tirbi_lane_has_register_forms(uint8_t kind);

static inline bool tirbi_lane_commutes(uint8_t op, uint8_t type) {
    switch (op) {
    case TIRB_OP_VADD:
    case TIRB_OP_VMUL:
    case TIRB_OP_VAND:
    case TIRB_OP_VOR:
    case TIRB_OP_VXOR:
    case TIRB_OP_VEQ:
    case TIRB_OP_VNE: return true;
    case TIRB_OP_VMIN:
    case TIRB_OP_VMAX: return !tirbi_dtype_is_float(type);
    case TIRB_OP_VFMA:
    case TIRB_OP_VFMS:
    case TIRB_OP_VFNMA: return true; /* its first two operands */
    default: return false;
    }
}

#endif
