/* Strip kernels: every elementwise instruction over arrays, one table per instruction set.
 *
 * They carry the lane operations that are not worth a handler with pinned registers. All tables give the same bits. */
#ifndef TIRB_VM_LANES_KERNELS_H
#define TIRB_VM_LANES_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "loader/isa/isa.h"
#include "vm/lanes/blocks.h"
#include "vm/lanes/moves.h"

/* d[i] = op(a[i], b[i], c[i]) for i in 0 .. n - 1; unused operands may be anything. d may be equal to an operand of the
 * same element size and must not overlap one otherwise. Any alignment. False: an element divides by zero (d is then
 * unspecified). Bools are bytes, 0 or 1. */
typedef bool (*tirbi_kernel)(void *d, const void *a, const void *b, const void *c, size_t n);

/* An instruction that goes from lane to lane, or whose lanes say where they read and write: `at` is its first word.
 * Returns how many of the `count` lanes were done; the one behind them has an index that is out of bounds,
 * state->bad. */
struct tirbi_lane_state;
union tirbi_word;
typedef size_t (*tirbi_sequence)(struct tirbi_lane_state *state, const union tirbi_word *at, size_t count);

/* What a scan of n lanes ends with that begins with `running`, where no lane sees it: of the elements x, or of what an
 * operation gives of those and y, which are so many bytes apart. Of terms that are one element y is x. */
typedef uint64_t (*tirbi_scan_end)(uint64_t running, const uint8_t *x, ptrdiff_t x_step, const uint8_t *y,
                                   ptrdiff_t y_step, size_t n);
enum { TIRBI_TERM_ELEMENT, TIRBI_TERM_SUM, TIRBI_TERM_DIFFERENCE, TIRBI_TERM_PRODUCT, TIRBI_N_TERMS };

/* The steps of a chain: vscan's operations, then vscanma's; with TIRBI_N_STEPS added the swapped ones. */
enum { TIRBI_STEP_FUSED = TIRBI_SCAN_WHERE + 1, TIRBI_N_STEPS = TIRBI_STEP_FUSED + TIRBI_N_FUSED_SCANS };

/* *d = op(a, b, c) on the 64-bit slots of registers; unused operands are anything. False: it divides by zero. */
typedef bool (*tirbi_scalar)(uint64_t *d, uint64_t a, uint64_t b, uint64_t c);

enum { TIRBI_FIRST_ELEMENTWISE = 0x20, TIRBI_N_ELEMENTWISE = 0x60 };

/* How many elements a block of a kernel has, and the bytes of one: of the result, of the first operand, and of the
 * others (0: there are none). */
typedef struct tirbi_kernel_block {
    uint8_t elements, result, first, others;
} tirbi_kernel_block;

/* Does n elements, fewer than a block: in copies, which are filled with values that no function is slow on. Only the
 * end of a loop is that short, and lanes that are left in loops of their own. */
bool tirbi_kernel_of_few(void *d, const void *a, const void *b, const void *c, size_t n, tirbi_kernel kernel,
                         tirbi_kernel_block block);

/* Operations of streams, which are loops over whole blocks from memory to memory: see vm/lanes/streams.inc. */
enum {
    TIRBI_STREAM_ADD,
    TIRBI_STREAM_SUB,
    TIRBI_STREAM_MUL,
    TIRBI_STREAM_MIN,
    TIRBI_STREAM_MAX,
    TIRBI_STREAM_PAIRS,
    TIRBI_STREAM_SQUARE = TIRBI_STREAM_PAIRS, /* of what the first one gives */
    TIRBI_STREAM_FROM,                        /* y - x */
    TIRBI_STREAM_AND,
    TIRBI_STREAM_OR,
    TIRBI_STREAM_XOR,
    TIRBI_STREAM_SHL,
    TIRBI_STREAM_SHR,
    TIRBI_N_STREAM_OPS,
    TIRBI_N_STREAM_FUSED = 3 /* fma, fms, fnma */
};

/* By type, operations and whether their second operand is a scalar; NULL: there is none. */
typedef struct tirbi_streams {
    tirbi_kernel one[TIRB_N_DTYPES][TIRBI_N_STREAM_OPS][2];
    tirbi_kernel two[TIRB_N_DTYPES][TIRBI_STREAM_PAIRS][2][TIRBI_STREAM_SQUARE + 1][2];
    tirbi_kernel fused[TIRB_N_DTYPES][TIRBI_N_STREAM_FUSED][2][2];
} tirbi_streams;

/* Instructions on one element, where the scalar machine has no handler of its own. */
typedef struct tirbi_scalars {
    tirbi_scalar op[TIRBI_N_ELEMENTWISE][TIRB_N_DTYPES];
    tirbi_scalar cast[TIRB_N_DTYPES][TIRB_N_DTYPES];
    tirbi_scalar bits[TIRB_N_DTYPES][TIRB_N_DTYPES];
} tirbi_scalars;

/* Those that are faster with instructions that not every CPU of an architecture has. */
typedef struct tirbi_float_scalars {
    tirbi_scalar op[TIRBI_N_ELEMENTWISE][TIRB_N_DTYPES];
} tirbi_float_scalars;

/* Instructions whose lanes come one after the other. */
typedef struct tirbi_ordered {
    tirbi_sequence storex[TIRB_N_DTYPES]; /* by the type of the elements */
    /* By operation, those that are swapped in the second half. */
    tirbi_sequence update[2 * TIRBI_N_SCAN_OPS][TIRB_N_DTYPES];
    tirbi_sequence count[TIRB_N_DTYPES]; /* an update that adds the same to every element */
    /* An update where the lanes of each range of the one vadvance of the body update one element. */
    tirbi_sequence runs[2 * TIRBI_N_SCAN_OPS][TIRB_N_DTYPES];
    tirbi_sequence advance[TIRB_N_DTYPES]; /* by the type of the elements */
} tirbi_ordered;

/* Those that multiply and add, and ends of scans. */
typedef struct tirbi_fused_ordered {
    tirbi_sequence updatema[TIRBI_N_FUSED_SCANS][TIRB_N_DTYPES];
    tirbi_sequence runsma[TIRBI_N_FUSED_SCANS][TIRB_N_DTYPES];
    tirbi_sequence gather_runs[TIRBI_N_FUSED_SCANS][TIRB_N_DTYPES]; /* and one of the factors is gathered, by i32 */
    /* By term, operation as in `scan`, and type; NULL: scan has it alone. */
    tirbi_scan_end end[TIRBI_N_TERMS][2 * TIRBI_N_SCAN_OPS][TIRB_N_DTYPES];
    tirbi_scan_end endma[TIRBI_N_FUSED_SCANS][TIRB_N_DTYPES];
} tirbi_fused_ordered;

typedef struct tirbi_kernel_table {
    tirbi_kernel op[TIRBI_N_ELEMENTWISE][TIRB_N_DTYPES]; /* by scalar opcode - 0x20 and type; NULL: no such pair */
    tirbi_kernel cast[TIRB_N_DTYPES][TIRB_N_DTYPES];     /* [to][from] */
    tirbi_kernel bits[TIRB_N_DTYPES][TIRB_N_DTYPES]; /* [to][from], equal sizes only; floats become canonical NaNs */
    tirbi_streams streams;
    tirbi_sequence index[TIRB_N_DTYPES]; /* by the type of the index */
    tirbi_sequence find;                 /* of a truth: how many lanes are before the first */
    tirbi_sequence loadx[TIRB_N_DTYPES]; /* by the type of the elements */
    tirbi_sequence scan[2 * TIRBI_N_SCAN_OPS][TIRB_N_DTYPES];
    tirbi_sequence scanma[TIRBI_N_FUSED_SCANS][TIRB_N_DTYPES];
    tirbi_sequence chain[TIRB_N_DTYPES]; /* scans of several steps */
    /* One for all instruction sets that have the same instructions for one element. */
    const tirbi_float_scalars *floats; /* NULL: none */
    const tirbi_fused_ordered *fused;
    const tirbi_scalars *scalars; /* one for all */
    const tirbi_ordered *ordered; /* one for all of the architecture */
    tirbi_moves moves;
} tirbi_kernel_table;

/* One more than the greatest tirb_isa. */
#define TIRBI_N_ISAS (TIRB_ISA_NEON + 1)

/* The function of an operation on one element: `row` is the opcode less the first one. NULL: there is none. */
static inline tirbi_scalar tirbi_scalar_of(const tirbi_kernel_table *k, unsigned row, unsigned type) {
    const tirbi_scalar own = k->floats != NULL ? k->floats->op[row][type] : NULL;
    return own != NULL ? own : k->scalars->op[row][type];
}

/* The table of `isa`, or NULL when this build has none. */
const tirbi_kernel_table *tirbi_kernels(tirb_isa isa);

#endif
