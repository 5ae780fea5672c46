/* What the leaves of a schedule hold: the operands of the machine's instructions for whole nests, in terms of loop IR.
 * Planning fills them; emission puts their expressions into registers and encodes them. */
#ifndef TIRB_COMPILER_OPTIMIZE_SCHEDULE_LEAF_H
#define TIRB_COMPILER_OPTIMIZE_SCHEDULE_LEAF_H

#include "compiler/optimize/facts/affine.h"

/* ---- Lane loops ------------------------------------------------------------------------------------------------- */

enum { TIRBI_NO_VALUE = 0xFFFF };

typedef struct tirbi_lane_op {
    uint8_t op; /* tirbi_op of a lane instruction */
    uint8_t type, source;
    uint8_t cursor, loop, red;
    uint16_t to, from[3]; /* lane values, numbered without limit until they are allocated */
    const tirbi_lx
        *scalar; /* vsplat, viota: the start; NULL with `loop` set: that inner loop's counter. vindex: the extent */
    tirbi_lvar *carried; /* vscan: what it carries from lane to lane; vfind: what it sets */
    uint8_t fold;        /* vscan, vupdate: their operand n; vindex: the dimension */
    const char *name;    /* vindex: of the buffer */
    tirbi_span span;
} tirbi_lane_op;

/* Elements of memory that are next to each other; all where there is no start. */
typedef struct tirbi_lane_part {
    const tirbi_lx *start, *count;
} tirbi_lane_part;

typedef struct tirbi_lane_cursor {
    const tirbi_place *place; /* the first that it came from */
    uint8_t type, access, level;
    tirbi_affine form;             /* over plan->loops: 0 is the lane loop, i + 1 inner loop i */
    uint8_t row;                   /* one more than the row whose number moves it; 0: none does */
    const tirbi_lx *scale, *limit; /* of that number */
    tirbi_lane_part part;          /* of its memory, which indexed ones name the elements of */
} tirbi_lane_cursor;

/* A number that is loaded once for each iteration of loops around the whole body, and tells where rows begin. */
typedef struct tirbi_lane_row {
    tirbi_lvar *var; /* stands for it in indices */
    const tirbi_place *place;
    uint8_t cursor, loops; /* it is loaded by, inside so many of the inner loops */
} tirbi_lane_row;

enum { TIRBI_MAX_LANE_ROWS = 8 };

/* A place whose indices must be checked before the loop, over all iterations of the loops up to its level. */
typedef struct tirbi_lane_check {
    const tirbi_place *place;
    uint64_t enclosing; /* bit per loop of plan->loops */
} tirbi_lane_check;

/* A value that is the same for all lanes and iterations but depends on memory: computed before the loop. */
typedef struct tirbi_lane_uniform {
    tirbi_lvar *var;
    const tirbi_lx *value;
} tirbi_lane_uniform;

enum { TIRBI_MAX_UNIFORMS = 32 };

typedef struct tirbi_lane_plan {
    tirbi_loop_set loops; /* the lane loop, then the inner loops in order of appearance */
    tirbi_lane_op *ops;
    uint32_t n_ops, capacity;
    tirbi_lane_cursor *cursors;
    uint32_t n_cursors, cursor_capacity;
    tirbi_lane_check *checks;
    uint32_t n_checks;
    tirbi_lane_uniform uniforms[TIRBI_MAX_UNIFORMS];
    uint32_t n_uniforms;
    tirbi_lane_row rows[TIRBI_MAX_LANE_ROWS];
    uint32_t n_rows;
    tirbi_lvar *single[TIRBI_MAX_INNER]; /* loops of one iteration that are none any more */
    uint32_t n_single;
    bool index_used[TIRBI_MAX_INNER];
    bool whole_nest;   /* nothing happens unless every loop runs at least once */
    uint16_t n_values; /* after allocation: lane registers in use */
} tirbi_lane_plan;

/* A perfect nest reordered so that a good lane loop encloses only loops that it may: the loops outside it, then the
 * plan of the rest. */
typedef struct tirbi_nest {
    tirbi_lvar *outer[TIRBI_MAX_AFFINE];
    uint32_t n_outer;
    tirbi_lane_plan *plan;
} tirbi_nest;

/* ---- Contractions and folds ------------------------------------------------------------------------------------ */

typedef struct tirbi_contract_plan {
    tirbi_loop_set loops; /* in the order of the program */
    bool reduces[TIRBI_MAX_AFFINE];
    tirbi_dtype type;
    uint8_t flags; /* of the instruction, without INIT */
    bool folds;    /* the instruction is a fold of integers, whose last loop is a row's */
    struct {
        const tirbi_place *place;
        tirbi_dtype type;
        tirbi_affine form;
    } operands[TIRBI_CONTRACT_OPERANDS];
    const tirbi_lx *first; /* what C begins with, where that is the same for all of it; else NULL */
    tirbi_span span;
} tirbi_contract_plan;

/* Rows of tree reductions: each update of the tree as an instruction's operands, whose last loop is the row's. */
enum { TIRBI_MAX_FOLDS = 4 };
typedef struct tirbi_fold_plans {
    tirbi_contract_plan plan[TIRBI_MAX_FOLDS]; /* flags are those of a fold */
    uint32_t n;
} tirbi_fold_plans;

/* ---- Regions --------------------------------------------------------------------------------------------------- */

/* A buffer's memory that a region reaches and does not allocate. */
typedef struct tirbi_region_root {
    tirbi_lbuf *root;
    bool written;
    /* Where it is written: iteration i of the region's loop has the elements from base + i * stride on, `extent` of
     * them, all int64; proven to lie apart, from 0 on. */
    const tirbi_lx *base, *stride, *extent;
} tirbi_region_root;

typedef struct tirbi_region_plan {
    tirbi_lvar *loop; /* whose values are cut into chunks */
    tirbi_region_root *roots;
    uint32_t n_roots;
    const tirbi_place **places; /* in roots that are written, each once */
    uint32_t n_places;
    tirbi_lvar **live; /* variables from outside that it reads */
    uint32_t n_live;
    tirbi_lvar **inner; /* variables that begin inside, and memory that is allocated inside */
    uint32_t n_inner;
    tirbi_lbuf **own;
    uint32_t n_own;
    const tirbi_lx *grain; /* int64: iterations that are worth a chunk */
    const tirbi_lx *worth; /* bool: whether there is enough work for two chunks; NULL: there always is */
} tirbi_region_plan;

#endif
