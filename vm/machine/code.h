/* A translated program: what the translator makes, and the machine runs. */
#ifndef TIRB_VM_MACHINE_CODE_H
#define TIRB_VM_MACHINE_CODE_H

#include "loader/bundle/program.h"
#include "vm/lanes/counts.h"
#include "vm/lanes/halves.h"
#include "vm/lanes/kernels.h"
#include "vm/lanes/lanes.h"
#include "vm/lanes/weaves.h"
#include "vm/machine/run.h"
#include "vm/machine/words.h"

/* (vm/contract/tiles.h, which only those who run contractions include) */
typedef struct tirbi_contract_kernels tirbi_contract_kernels;
typedef struct tirbi_contract_quads tirbi_contract_quads;

/* A fork instruction: slots and reference registers of the frame that executes it. */
typedef struct tirbi_fork_arg {
    uint16_t ref;
    bool partitioned;
    bool written;
    uint16_t base, stride, extent; /* slots */
} tirbi_fork_arg;

typedef struct tirbi_fork {
    uint32_t region; /* function */
    uint16_t n, grain;
    uint16_t n_scalars, n_args;
    const uint16_t *scalars;
    const tirbi_fork_arg *args; /* in the order of the region's reference parameters */
} tirbi_fork;

enum { TIRBI_CONTRACTS_KNOWN = 4 };
enum { TIRBI_MAX_CONTRACT_INPUTS = (1 + TIRBI_CONTRACT_OPERANDS) * TIRBI_MAX_CONTRACT_LOOPS };

/* A contraction: slots and reference registers of the frame that executes it. */
typedef struct tirbi_contract {
    uint8_t type, flags, n_loops;
    uint8_t place;    /* of what is known of it among those that a machine knows something of */
    uint8_t n_inputs; /* extents and steps that are not constants */
    uint16_t inputs[TIRBI_MAX_CONTRACT_INPUTS];
    uint16_t first;
    uint16_t extents[TIRBI_MAX_CONTRACT_LOOPS];
    struct {
        uint16_t ref;
        uint8_t type;
        uint16_t start;
        uint16_t steps[TIRBI_MAX_CONTRACT_LOOPS];
    } operands[TIRBI_CONTRACT_OPERANDS];
} tirbi_contract;

/* A register that a reference parameter of a call arrives in. */
typedef struct tirbi_ref_arg {
    uint16_t reg;
    uint8_t type;
    bool writable;
} tirbi_ref_arg;

/* What one loop from memory to memory does for all lanes of a row: see vm/lanes/streams.inc. */
typedef struct tirbi_lane_row_stream {
    tirbi_kernel kernel;  /* NULL: the body is more */
    uint16_t to, from[3]; /* pointers: of cursors, then of splats */
} tirbi_lane_row_stream;

/* Bodies of a lane loop, as words of the function, beside those that run whatever its cursors are; 0: there is none. */
typedef struct tirbi_lane_bodies {
    uint32_t apart;          /* the full body where nothing that is stored meets what another cursor reaches, */
    uint32_t wide_apart;     /* and the wide one */
    uint32_t spanning;       /* for rows with gaps between them: see vm/lanes/gaps.h */
    uint32_t spanning_apart; /* both */
    uint32_t registers;      /* the full body by the register machine, or by loops, for so many lanes or more, */
    uint32_t registers_from;
    uint32_t in_short; /* loops for rows of no more lanes than a block has: what tirbi_lane_loops does, one row each */
    bool reads_behind_stores; /* which is for cursors that keep apart from what is stored alone */
    const tirbi_lane_row_stream *rows; /* no words: of a loop over rows by number; or NULL */
} tirbi_lane_bodies;

/* All that entering a lane loop looks at: see vm/enter/lane_again.h. */
typedef struct tirbi_lane_inputs {
    bool are_kept;     /* entries may be repeated */
    bool may_be_brief; /* where there are few lanes: vm/enter/lane_brief.c */
    uint8_t place;     /* of the loop's state among those that a machine has */
    uint8_t copies;    /* of a loop of copies: the place of what a machine knows of it */
    uint8_t n_slots, n_refs;
    const uint16_t *slots; /* and behind them the references */
    tirbi_lane_bodies bodies;
    const struct tirbi_row_loop *rows; /* that the loop is the lane loop of: vm/machine/row_loop.h; or NULL */
} tirbi_lane_inputs;

typedef struct tirbi_fn {
    const tirbi_function *function;
    const tirbi_word *words;     /* those of `all` */
    tirbi_words all;
    const uint64_t *constants;   /* the values of the slots behind the registers */
    const uint16_t *scalar_args; /* the registers that the arguments of a call arrive in */
    const tirbi_ref_arg *ref_args;
    const tirbi_lane_loop *loops;
    const tirbi_lane_inputs *loop_inputs; /* by loop */
    uint32_t n_constants;
    uint32_t n_slots; /* registers and constants */
    uint32_t n_sites; /* alloc instructions */
    uint16_t n_scalar_args;
    uint16_t n_ref_args;
    const tirbi_fork *forks;
    const tirbi_contract *contracts;
    bool may_repeat; /* but for lane loops it only computes what its arguments tell, before the first of these */
    uint64_t refs_read;      /* bit r: reference register r is used for more than writing by lane loops; the first 64 */
    uint32_t cost;           /* of a call */
    uint32_t refs_at;        /* places in the frame, in bytes */
    uint32_t reds_at;
    uint32_t sites_at;
    uint32_t frame_size;
    uint32_t first_line; /* the number of the first entry of its line table */
    const uint32_t *callees; /* functions, as often as they are called or forked */
    uint32_t n_callees;
    tirbi_lane_needs needs;
} tirbi_fn;

struct tirbi_code {
    tirbi_heap *heap;
    const tirbi_program *program;
    tirbi_arena arena;
    const tirbi_ref *constants; /* as the program numbers them */
    tirbi_fn *functions;
    const tirbi_kernel_table *kernels;
    const tirbi_half_kernels *halves; /* or NULL */
    const tirbi_count_kernels *counts; /* or NULL */
    const tirbi_weaver *weaver;       /* or NULL */
    const tirbi_lane_machine *lanes;
    bool profiled;
    bool spans_gaps; /* its lane machines store by the masks of vm/lanes/gaps.h */
    bool fuses; /* the processor has instructions for fused multiply-adds that the dispatch loop may use */
    const tirbi_contract_kernels *contract;
    const tirbi_contract_quads *quads; /* or NULL */
    atomic_uchar *ready; /* by function: it and all that it leads to are translated, and stay as they are */
    /* Of who translates: */
    uint64_t secret; /* that tables are spread by: see loader/base/secret.h */
    tirbi_lane_needs needs;       /* of the function so far */
    struct tirbi_lane_desk *desk; /* of lane loops, from the first one on */
    struct tirbi_progress *progress; /* vm/translate/progress.c */
};

/* Whether the function may be run. */
static inline bool tirbi_code_is_ready(const tirbi_code *code, uint32_t function) {
    return atomic_load_explicit(&code->ready[function], memory_order_acquire) != 0;
}

#endif
