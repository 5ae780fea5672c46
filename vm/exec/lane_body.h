/* A lane loop's body, decoded and analysed, as its planner wants it. */
#ifndef TIRB_VM_EXEC_LANE_BODY_H
#define TIRB_VM_EXEC_LANE_BODY_H

#include "vm/exec/machine.h"

#define TIRBI_NO_USE UINT32_MAX

/* How the elements of a cursor follow each other from lane to lane, as far as the text says. */
typedef enum lane_stride { STRIDE_ANY, STRIDE_ZERO, STRIDE_ONE } lane_stride;

typedef struct lane_ins {
    uint8_t op;
    uint8_t type;
    uint8_t source;   /* the operand type of cast and bits, and of an index */
    uint8_t dest;     /* lane register written, or NO_LANE_REG */
    uint8_t n_reads;  /* lane registers read */
    uint8_t reads[3];
    uint8_t cursor;   /* of vload and vstore; the loop of inner and inner.end; the state of vred and vredma */
    uint8_t kind;     /* of the forms that do it on the banks of this loop; 0: kernels do */
    bool settled;     /* of vstore: what it stores is no float whose NaNs must still be made canonical */
    bool by_scalar;   /* it divides integers by what is the same in all lanes */
    uint16_t slot;    /* of vsplat and viota; the extent of vindex */
    uint16_t step;    /* of viota; the string of vindex */
    uint8_t number;   /* of vscan: which one of the loop; the operand n of others */
    uint8_t fold;     /* of vscan, vstep and vupdate: their operand n */
    uint32_t offset;
    uint32_t next[4]; /* where the reads, and then dest, are read next; TIRBI_NO_USE: nowhere below */
    uint64_t live;    /* the lane registers that are read after this instruction */
} lane_ins;

enum { NO_LANE_REG = 0xFF, LANE_MAX_LOOPS = TIRBI_MAX_INNER + TIRBI_MAX_OWN };

static inline bool tirbi_lane_loop_starts(uint8_t op) { return op == TIRB_OP_INNER || op == TIRB_OP_VLOOP; }
static inline bool tirbi_lane_loop_ends(uint8_t op) { return op == TIRB_OP_INNER_END || op == TIRB_OP_VAGAIN; }

typedef struct lane_body {
    const tirbi_function *function;
    const tirbi_lane_header *header;
    lane_ins *ins;
    uint32_t n;
    uint32_t capacity;
    uint8_t main_size;   /* the element size that banks hold; 0: no banks */
    bool has_words;      /* they stand for smaller elements too: see vm/lanes/words.inc */
    bool has_steps;      /* banks read and write every second, third or fourth element: see vm/lanes/steps.inc */
    uint8_t widest;      /* element size of the body */
    bool reduces;
    lane_stride strides[TIRBI_MAX_CURSORS];
    int16_t steps[TIRBI_MAX_CURSORS]; /* elements from lane to lane; 0 also where the text does not say */
    uint8_t cursor_sizes[TIRBI_MAX_CURSORS];
    uint64_t used;    /* the registers that are read or written */
    uint32_t n_seeks; /* which are no instructions of the body */
    tirbi_lane_seek seeks[TIRBI_MAX_CURSORS];
    tirbi_lane_scan scans[TIRBI_MAX_SCANS];
    uint8_t enclosing[TIRBI_MAX_INNER]; /* the set of a loop and those around it */
    uint64_t exposed[LANE_MAX_LOOPS];   /* read in the loop before it writes them */
    uint64_t written[LANE_MAX_LOOPS];
    uint64_t live_at_head[LANE_MAX_LOOPS];
    uint8_t n_own; /* vloops, which are numbered from TIRBI_MAX_INNER on */
    uint8_t own_depth;
    uint32_t own_cost[TIRBI_MAX_OWN]; /* the instructions of each, with those nested in it */
} lane_body;

/* Decodes the body behind `lane`, fills the loop's cursors and costs, and analyses. */
tirb_status tirbi_lane_body_read(lane_body *body, const tirbi_code *code, const tirbi_function *function,
                                 const tirbi_instr *lane, tirbi_constants *constants, tirbi_arena *arena,
                                 tirbi_lane_loop *loop, tirb_error *error);

/* Whether it casts bytes to 16 bits or back. */
static inline bool tirbi_lane_ins_resizes(const lane_ins *ins) {
    if (ins->op != TIRB_OP_VCAST) return false;
    bool integers = tirbi_dtype_is_int((tirbi_dtype)ins->type) && tirbi_dtype_is_int((tirbi_dtype)ins->source);
    return integers && tirbi_dtypes[ins->type].size + tirbi_dtypes[ins->source].size == 3;
}

/* Whether it is a scan or a step of one. */
static inline bool tirbi_lane_ins_scans(const lane_ins *ins) {
    return ins->op == TIRB_OP_VSCAN || ins->op == TIRB_OP_VSCANMA || ins->op == TIRB_OP_VSTEP ||
           ins->op == TIRB_OP_VSTEPMA || ins->op == TIRB_OP_VADVANCE;
}

/* Whether a vsplat gives one constant each time; of types that this matters for, below. */
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
