/* Lane loops as the machine runs them.
 *
 * Inner loops that enclose the whole body carry no lane register from one iteration to the next, so it makes no
 * difference whether a block of lanes goes through all their iterations or an iteration through all blocks: the machine
 * does the latter, which walks memory in its order. Where the rows of such a loop follow each other in all cursors,
 * both become one loop over more lanes.
 *
 * A loop's body is translated to words whose operands are entries of a table of pointers: entry 0 is unused, then come
 * the cursors, the scalars that are splat, and the strips. A strip is scratch memory for one block of a lane register.
 * A block is as many lanes as a bank of SIMD registers holds of the loop's main element size. The full body runs for
 * whole blocks; the tail body runs once for the lanes that are left and touches no element behind them. The wide body
 * does the same where memory that is read goes on for a whole block: it reads that in place, and uses no more of it. */
#ifndef TIRB_VM_LANES_LANES_H
#define TIRB_VM_LANES_LANES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "loader/isa/isa.h"
#include "vm/lanes/kernels.h"
#include "vm/lanes/word.h"

/* As many stores of elements apart are done together. */
enum { TIRBI_MOST_SCATTERS = 4 };

/* ---- Reductions ----------------------------------------------------------------------------------------------- */

enum { TIRBI_RED_BLOCK = 16384, TIRBI_RED_PARTIALS_F32 = 64, TIRBI_RED_PARTIALS_F64 = 32 };

/* The state of one reduction: the tree of rule R3 (tests/reference/RULES.md). Element i of a block of 16384 is combined
 * into partial i mod W; a finished block is folded by halves and combined into the running value. */
typedef struct tirbi_red {
    union {
        float f32[TIRBI_RED_PARTIALS_F32];
        double f64[TIRBI_RED_PARTIALS_F64];
    } part;
    union {
        float f32;
        double f64;
    } running;
    uint32_t count; /* elements in the unfinished block */
    uint8_t op;     /* tirbi_red_op */
} tirbi_red;

/* ---- Translated loops ----------------------------------------------------------------------------------------- */

typedef struct tirbi_lane_cursor {
    uint16_t ref;
    uint8_t size; /* of an element: 1 << shift */
    uint8_t shift;
    uint8_t access;
    bool indexed; /* lanes say which element they mean */
    bool is_unit; /* its step from lane to lane is 1 */
    bool streams; /* the wide body reads whole blocks of it */
    uint8_t seek; /* one more than the number of the seek that moves it; 0: none does */
    uint32_t before; /* the set of cursors that may mean in later lanes what it means in earlier ones */
    uint16_t start; /* slots */
    uint16_t step;
    uint16_t steps[TIRBI_MAX_INNER];
    uint8_t n_uses;
    uint8_t uses[TIRBI_MAX_INNER + 1]; /* the sets of inner loops that enclose a use, each once */
} tirbi_lane_cursor;

/* A scalar register that a scan carries from lane to lane. */
typedef struct tirbi_lane_scan {
    uint16_t slot;
    uint8_t type;
    bool counts;    /* vadvance: beside the running value goes the place of the next lane, */
    uint16_t start; /* from what this slot holds */
} tirbi_lane_scan;

/* What a scan takes of each lane: a scalar, an element of a cursor, or the one of cursor `table` that this numbers. */
typedef struct tirbi_lane_term {
    bool is_scalar, is_named;
    bool is_wide; /* numbers have 64 bits, not 32 */
    uint8_t cursor, table;
    uint16_t slot; /* the scalar's, or the one that numbers are below; TIRBI_NO_REG: all that there are may be named */
} tirbi_lane_term;

/* The scan that is all that a loop does, where no lane sees it. */
typedef struct tirbi_lane_ending {
    tirbi_scan_end end; /* NULL: the loop does more, or something else */
    uint16_t slot;
    uint8_t type;
    bool is_float_extreme; /* of long rows, vectors find it sooner, */
    bool is_named;         /* as they find elements that others number */
    tirbi_lane_term terms[2];
} tirbi_lane_ending;

typedef struct tirbi_lane_splat {
    uint16_t slot;
    uint8_t size;
} tirbi_lane_splat;

/* Cursor `cursor` is moved by `scale` times the element of `numbers`, which is below `limit`. */
typedef struct tirbi_lane_seek {
    uint8_t cursor, numbers, type;
    uint16_t scale, limit; /* slots */
} tirbi_lane_seek;

/* A load inside of an inner loop whose cursor steps from lane to lane by what may be rows of a matrix, and in the loop
 * from column to column. Where that is so, the columns of some iterations are transposed at once, from pointer `strip`
 * on. */
typedef struct tirbi_lane_tile {
    uint8_t cursor, loop;
    uint16_t strip;
} tirbi_lane_tile;

enum { TIRBI_MAX_TILES = 4, TIRBI_TILE_COLUMNS = 16 };

typedef struct tirbi_lane_inner {
    uint16_t extent; /* slots */
    uint16_t index;
    uint8_t enclosing; /* the set of this loop and those around it */
    uint32_t instructions, weight;
} tirbi_lane_inner;

/* A store of what a cursor or a scalar register gives. */
typedef struct tirbi_lane_copy {
    uint8_t to; /* cursors */
    uint8_t from;
    bool fills;   /* with the scalar of a slot, of this type */
    bool settled; /* whose NaNs are canonical */
    uint8_t type;
    uint16_t slot;
} tirbi_lane_copy;

typedef struct tirbi_lane_loop {
    uint16_t n; /* slot */
    uint8_t n_inner;
    uint8_t n_cursors;
    uint16_t n_splats;
    uint16_t n_strips;
    uint32_t lanes; /* in a block */
    uint8_t main_size; /* of the elements in banks; 0: there are none */
    bool only_banks;   /* everything that is computed */
    bool in_short;     /* and machines with smaller banks have all that its bodies use */
    bool kernels_only; /* no bank is read, and no lane comes back that had left: kernels' blocks are all that counts of
                          a strip */
    uint8_t n_outer;   /* inner loops around the whole body, which the machine runs around the blocks */
    uint32_t strip_size;
    uint32_t least_lanes; /* in a block of the machine with the smallest banks that runs it */
    const struct tirbi_lane_machine *least;
    uint32_t written;      /* the set of cursors that are */
    uint32_t calm_blocks;  /* see tirbi_lane_state */
    uint32_t streaming;    /* the set of cursors that the wide body reads whole blocks of */
    uint32_t instructions, weight; /* of the body, outside inner loops */
    uint32_t full;         /* words of the function where the bodies start */
    uint32_t one_row;      /* the full body of machines for one row: as `full`, or one loop from memory to memory */
    uint32_t tail;
    uint32_t wide; /* 0: there is none */
    uint32_t entry; /* the word of the instruction */
    uint32_t packed; /* the body of several short rows as one block; 0: there is none */
    uint32_t after;
    uint8_t outer[TIRBI_MAX_INNER];
    bool reduces;
    bool is_plain;     /* vm/enter/lane_plain.c may know how to enter it */
    bool counts_lanes; /* lanes are numbered: loops cannot become one */
    bool by_rows;      /* machines for several rows at once have all that its bodies use */
    bool picks;        /* whole blocks of all elements that are apart are read to banks */
    uint8_t n_scans;
    uint8_t own_depth; /* how deep vloops are nested */
    uint8_t n_tiles;
    uint8_t n_copies; /* which are all that the loop does; 0: it does more */
    uint8_t n_seeks;
    bool finds; /* it ends with the first lane of which something is true, whose number goes to this slot */
    uint16_t found;
    /* What has no members has no place. */
    const tirbi_lane_cursor *cursors;
    const tirbi_lane_splat *splats;
    tirbi_lane_inner *inner; /* set while the loop is translated, as tiles are */
    tirbi_lane_tile *tiles;
    const tirbi_lane_scan *scans;
    const tirbi_lane_ending *ending; /* or NULL */
    const tirbi_lane_copy *copies;
    const tirbi_lane_seek *seeks;
} tirbi_lane_loop;

/* ---- Running -------------------------------------------------------------------------------------------------- */

/* What one step of a loop adds to a pointer. */
typedef struct tirbi_lane_move {
    uint32_t pointer;
    ptrdiff_t bytes;
} tirbi_lane_move;

/* A cursor of which each row begins where a number says. */
typedef struct tirbi_lane_sought {
    uint32_t pointer, numbers; /* the cursor's, and where the number is */
    uint8_t type;
    int64_t at; /* the number of this row */
    int64_t least, most; /* as they were at entry */
    ptrdiff_t bytes; /* for one more */
    uint32_t lines;  /* of a row that is asked for TIRBI_ROWS_AHEAD rows before it, */
    ptrdiff_t ahead; /* whose number is so many bytes behind this one's */
} tirbi_lane_sought;

enum { TIRBI_ROWS_AHEAD = 4 };

/* How many bytes before it is read memory that is far is asked for. */
enum { TIRBI_LANES_AHEAD = 4096 };
/* As many pointers as are moved at once at most. Tables of them go on for as many behind the cursors. */
enum { TIRBI_POINTERS_AT_ONCE = 32 / sizeof(uintptr_t), TIRBI_MAX_ROWS = 4 };

typedef struct tirbi_lane_state {
    uint8_t **pointers;
    uint8_t *scratch;
    const tirbi_lane_loop *loop; /* whose strips are in the table of pointers */
    const atomic_uint *stop;
    tirbi_red *reds;
    const uint64_t *slots;
    int64_t n;      /* lanes */
    int64_t ended;  /* the lane that traps, or that is found */
    size_t count;   /* lanes in the block */
    size_t lanes;   /* lanes in a whole block */
    ptrdiff_t strides[TIRBI_MAX_CURSORS]; /* bytes from lane to lane */
    bool repeats; /* lanes may be computed twice with the same effect */
    bool is_far;  /* elements come from memory, forwards */
    /* Where blocks are short, and nothing is to be done between them: so many go by between two looks at whether to
     * stop. */
    uint32_t calm_blocks;
    const tirbi_word *wide; /* NULL: not in this run */
    uint32_t n_streams;
    struct {
        uint32_t pointer;
        const uint8_t *last; /* where it may be at most for a whole block to be there */
        ptrdiff_t row_step;  /* from row to row of the innermost loop around the blocks */
    } streams[TIRBI_MAX_CURSORS];
    int64_t sure_parts; /* rows to come whose last blocks the wide body may run */
    uint32_t n_outer; /* loops around the blocks, outermost first */
    uint8_t outer[TIRBI_MAX_INNER];
    uint32_t n_cursors;
    /* By loop around the blocks and by cursor: the bytes from a row's last block to the first one of the next row, when
     * the loop goes on and those inside it start again. */
    ptrdiff_t row_steps[TIRBI_MAX_INNER][TIRBI_MAX_CURSORS];
    /* From block to block, and from where one more whole block would be to the one that ends with a row's last lane.
     * All are added by whole vectors, so they are 0 up to a multiple of TIRBI_POINTERS_AT_ONCE. */
    ptrdiff_t block_steps[TIRBI_MAX_CURSORS];
    ptrdiff_t rest_steps[TIRBI_MAX_CURSORS];
    /* Of a machine that goes through several rows at once: the pointers of all of them, and the steps to the last rows
     * of the innermost loop, some of which may have been gone through already, as where rows are packed. */
    uint8_t **row_pointers;
    const tirbi_lane_loop *row_loop; /* whose strips are in them, */
    uint32_t row_number;             /* for as many rows */
    ptrdiff_t last_steps[TIRBI_MAX_CURSORS];
    /* Where short rows are packed: so many are in a block, of so many lanes each, and the bytes from row to row. */
    uint32_t packed_rows; /* 0: no rows are packed */
    size_t packed_lanes;
    ptrdiff_t packed_steps[TIRBI_MAX_CURSORS];
    uint32_t n_sought;
    tirbi_lane_sought sought[TIRBI_MAX_CURSORS];
    struct {
        int64_t extent;
        int64_t left;
        uint64_t *index; /* a slot to count in, or NULL */
        uint32_t n_moves;
        ptrdiff_t steps[TIRBI_MAX_CURSORS]; /* bytes, by cursor */
        tirbi_lane_move moves[TIRBI_MAX_CURSORS];
    } inner[TIRBI_MAX_INNER];
    const tirbi_moves *moves;
    struct {
        bool fits;     /* columns may be transposed */
        bool used;
        int64_t left;  /* that are there and were not used yet */
        uint8_t *next;
    } tiles[TIRBI_MAX_TILES];
    uint64_t running[TIRBI_MAX_SCANS];     /* as registers */
    uint64_t place[TIRBI_MAX_SCANS];       /* of the block's first lane, for those that count */
    uint64_t elements[TIRBI_MAX_CURSORS];  /* of an indexed cursor */
    size_t own[TIRBI_MAX_OWN_DEPTH];       /* lanes around each vloop that is open */
    uint64_t fuel, spent;                  /* spent is 64 times what going back in vloops has charged */
    size_t limit;                          /* lanes of the block before the one that traps */
    const tirbi_word *trap; /* the word that trapped; an index that is out of bounds ends the run with its block */
    int64_t bad;            /* that index */
    uint64_t bad_of;        /* of so many elements */
    const uint16_t *ends;   /* the lanes behind each range that vadvance has found in the block */
} tirbi_lane_state;

typedef enum tirbi_lane_end {
    TIRBI_LANE_DONE = 0,
    TIRBI_LANE_DIVIDE = 1,
    TIRBI_LANE_STOPPED = 2,
    TIRBI_LANE_BOUNDS = 3,
    TIRBI_LANE_FUEL = 4
} tirbi_lane_end;

/* Beside the size of what vadvance gives: only the first lane of each range is read. */
enum { TIRBI_ADVANCE_FIRSTS = 1 << 8 };

/* The type of an index, i32 or i64, and the cursor of what is gathered, in one operand. */
static inline uint16_t tirbi_gathering(unsigned index_type, unsigned cursor) {
    return (uint16_t)(index_type | cursor << 8);
}
static inline unsigned tirbi_gathering_index(unsigned how) { return how & 0xFF; }
static inline unsigned tirbi_gathering_cursor(unsigned how) { return how >> 8; }

/* Whether a loop is to stop, or has spent more than there is. */
static inline bool tirbi_lane_ends_early(const tirbi_lane_state *state) {
    return state->spent / 64 > state->fuel || atomic_load_explicit(state->stop, memory_order_relaxed) != 0;
}

enum {
    TIRBI_LANE_HAS_SQRT = 1,
    TIRBI_LANE_HAS_SHIFT_8 = 2,
    TIRBI_LANE_HAS_WORDS = 4,
    TIRBI_LANE_HAS_HALVES = 8,
    TIRBI_LANE_HAS_STEPS = 16,
    TIRBI_LANE_HAS_ROUND = 32,
    TIRBI_LANE_HAS_DIVISIONS = 64,
    TIRBI_LANE_HAS_GATHERS = 128,
    TIRBI_LANE_HAS_REGISTERS = 256, /* there is a register machine beside it: see vm/lanes/registers.h */
    TIRBI_LANE_HAS_PICKS = 512,     /* of its steps, reading whole blocks of lanes of the main size */
    TIRBI_LANE_HAS_RARE = 1024,     /* the forms behind TIRBI_L_RARE: machines for short rows have none */
    TIRBI_LANE_HAS_FMA = 2048,      /* as an instruction */
    TIRBI_LANE_HAS_SMALL = 4096,    /* the forms behind TIRBI_L_SMALL, those of small elements */
    TIRBI_LANE_FUSES_F32 = 8192     /* without such an instruction, in banks: others do that in memory */
};

/* The number at an address, or what none is: one that was changed since the entry would lead anywhere. */
static inline int64_t tirbi_lane_number(const uint8_t *from, uint8_t type, int64_t least, int64_t most) {
    int64_t v;
    switch (type) {
#define NUMBER(TYPE, ctype)                                                                                            \
    case TIRB_##TYPE: {                                                                                                \
        ctype number;                                                                                                  \
        __builtin_memcpy(&number, from, sizeof number);                                                                \
        v = (int64_t)number;                                                                                           \
        break;                                                                                                         \
    }
        NUMBER(I8, int8_t)
        NUMBER(I16, int16_t)
        NUMBER(I32, int32_t)
        NUMBER(U8, uint8_t)
        NUMBER(U16, uint16_t)
        NUMBER(U32, uint32_t)
        NUMBER(I64, int64_t)
    default: /* the greatest of U64 are below 0 and so no numbers of rows */
        NUMBER(U64, uint64_t)
#undef NUMBER
    }
    return v < least || v > most ? least : v;
}

/* The lane machine of one instruction set. */
typedef struct tirbi_lane_machine {
    tirbi_lane_end (*run)(tirbi_lane_state *state, const tirbi_word *full, const tirbi_word *tail);
    uint32_t bank_bytes;
    uint32_t registers; /* of a bank */
    uint32_t jump;      /* an instruction takes as long as so many registers beside its own */
    uint32_t features;
    const struct tirbi_lane_machine *narrow; /* with smaller banks, for short loops, or NULL */
    uint32_t rows;                           /* that it goes through at once */
    const struct tirbi_lane_machine *more_rows; /* the machine for more of them, or NULL */
} tirbi_lane_machine;

/* No strip is larger. Scratch is charged at this size whatever the machine needs, so that limits do not depend on
 * it. */
enum { TIRBI_MAX_BANK_BYTES = 512, TIRBI_MAX_STRIP_BYTES = 2048 };

/* NULL when this build has none. */
const tirbi_lane_machine *tirbi_lane_machine_of(tirb_isa isa);

#endif
