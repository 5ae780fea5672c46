/* The translated program and the state of a run, shared by the translator, the dispatch loop and the lane machine. */
#ifndef TIRB_VM_EXEC_MACHINE_H
#define TIRB_VM_EXEC_MACHINE_H

#include "vm/exec/emit.h"
#include "vm/exec/exec.h"
#include "vm/exec/fpu.h"
#include "vm/lanes/counts.h"
#include "vm/lanes/halves.h"
#include "vm/lanes/kernels.h"
#include "vm/lanes/lanes.h"
#include "vm/lanes/weaves.h"
#include "vm/lanes/word.h"

/* (vm/contract/tiles.h, which only those who run contractions include) */
typedef struct tirbi_contract_kernels tirbi_contract_kernels;
typedef struct tirbi_contract_quads tirbi_contract_quads;

/* Where a trap happened: function and byte offset in its code. */
typedef struct tirbi_trap_place {
    uint32_t function;
    uint32_t offset;
    bool known;
} tirbi_trap_place;

/* ---- Handlers ------------------------------------------------------------------------------------------------- */

/* The names of forms by their kind and its operands, and of two that are one form. */
#define TIRBI_NAME_EXTEND(TYPE, type) EXTEND_##TYPE
#define TIRBI_NAME_LOAD(TYPE, type) LOAD_##TYPE
#define TIRBI_NAME_STORE(TYPE, type) STORE_##TYPE
#define TIRBI_NAME_INDEX_LOAD(TYPE, type) INDEX_LOAD_##TYPE
#define TIRBI_NAME_INDEX_STORE(TYPE, type) INDEX_STORE_##TYPE
#define TIRBI_NAME_ADD_LOAD(TYPE, type) ADD_LOAD_##TYPE
#define TIRBI_NAME_ADD_STORE(TYPE, type) ADD_STORE_##TYPE
#define TIRBI_NAME_BINARY(OP, op, TYPE, type) OP##_##TYPE
#define TIRBI_NAME_TERNARY(OP, op, TYPE, type) OP##_##TYPE
#define TIRBI_NAME_BRIF(OP, op, TYPE, type) OP##_##TYPE##_BRIF
#define TIRBI_NAME_BRNOT(OP, op, TYPE, type) OP##_##TYPE##_BRNOT
#define TIRBI_NAME_BRNOT_LOOP(OP, op, TYPE, type) OP##_##TYPE##_BRNOT_LOOP
#define TIRBI_NAME_BINARY_BACK(OP, op, TYPE, type) OP##_##TYPE##_BACK
#define TIRBI_NAME_EXTEND_BACK(TYPE, type) EXTEND_##TYPE##_BACK
#define TIRBI_NAME_CHOOSE(OP, op, TYPE, type) OP##_##TYPE##_SELECT
#define TIRBI_NAME_INDEX() INDEX
#define TIRBI_NAME_CONST() CONST
#define TIRBI_NAME_NOTHING_BACK() BACK
#define TIRBI_NAME_LOOP() LOOP
#define TIRBI_NAME_JMP_LOOP() JMP_LOOP
/* Of the second and the third one of three. */
#define TIRBI_NAME_LOOP_TO(KIND, operands) TIRBI_JOIN_NAMES(LOOP, TIRBI_NAME_##KIND operands)
#define TIRBI_NAME_LOAD_BRNOT(OP, op, TYPE, type) LOAD_##TYPE##__##OP##_##TYPE##_BRNOT
#define TIRBI_NAME_INDEX_LOAD_BRNOT(OP, op, TYPE, type) INDEX_LOAD_##TYPE##__##OP##_##TYPE##_BRNOT
#define TIRBI_NAME_BRNOT_LOAD(OP, op, TYPE, type, FROM, from) OP##_##TYPE##_BRNOT__LOAD_##FROM
#define TIRBI_NAME_BRNOT_BRNOT(OP, op, TYPE, type, NEXT_OP, next_op) OP##_##TYPE##_BRNOT__##NEXT_OP##_##TYPE##_BRNOT
#define TIRBI_NAME_BINARY_JMP_LOOP(OP, op, TYPE, type) OP##_##TYPE##__JMP_LOOP
#define TIRBI_JOIN_NAMES_(a, b) a##__##b
#define TIRBI_JOIN_NAMES(a, b) TIRBI_JOIN_NAMES_(a, b)
#define TIRBI_PAIR(KIND, operands, NEXT_KIND, next_operands)                                                           \
    TIRBI_JOIN_NAMES(TIRBI_NAME_##KIND operands, TIRBI_NAME_##NEXT_KIND next_operands)
#define TIRBI_INTO_(a, b) a##__INTO__##b
#define TIRBI_INTO__(a, b) TIRBI_INTO_(a, b)
#define TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands)                                                           \
    TIRBI_INTO__(TIRBI_NAME_##KIND operands, TIRBI_NAME_##NEXT_KIND next_operands)
/* Of a comparison that leads to another one of its kind. */
#define TIRBI_ELSE(KIND, OP, op, TYPE, type) TIRBI_ELSE__(OP##_##TYPE##_BRNOT, TIRBI_NAME_##KIND(OP, op, TYPE, type))
#define TIRBI_ELSE__(a, b) TIRBI_ELSE_(a, b)
#define TIRBI_ELSE_(a, b) a##__ELSE__##b
#define TIRBI_HANDLER_(name) TIRBI_H_##name
#define TIRBI_HANDLER(name) TIRBI_HANDLER_(name)

enum tirbi_handler {
#define FORM(name, parts) TIRBI_H_##name,
#define UNARY(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE,
#define BINARY(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE,
#define DIVIDING(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE,
#define TERNARY(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE, TIRBI_H_##OP##_##TYPE##_AT_ONCE,
#define COMPARE(OP, op, TYPE, type)                                                                                    \
    TIRBI_H_##OP##_##TYPE, TIRBI_H_##OP##_##TYPE##_BRIF, TIRBI_H_##OP##_##TYPE##_BRNOT, TIRBI_H_##OP##_##TYPE##_SELECT,
#define CONVERT(TO, to, FROM, from) TIRBI_H_CAST_##TO##_##FROM,
#define STEP(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE##_BACK,
#define MEMORY(TYPE, type)                                                                                             \
    TIRBI_H_LOAD_##TYPE, TIRBI_H_STORE_##TYPE, TIRBI_H_INDEX_LOAD_##TYPE, TIRBI_H_INDEX_STORE_##TYPE,                  \
    TIRBI_H_ADD_LOAD_##TYPE, TIRBI_H_ADD_STORE_##TYPE,
#define EXTEND(TYPE, type) TIRBI_H_EXTEND_##TYPE, TIRBI_H_EXTEND_##TYPE##_BACK,
#include "vm/exec/forms.def"
#define PAIR(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    TIRBI_HANDLER(TIRBI_PAIR(KIND, operands, NEXT_KIND, next_operands)),
#define AROUND(NEXT_KIND, next_operands) TIRBI_HANDLER(TIRBI_PAIR(LOOP, (), NEXT_KIND, next_operands)),
#define AGAIN(KIND, operands, NEXT_KIND, next_operands)                                                                \
    TIRBI_HANDLER(TIRBI_PAIR(KIND##_BACK, operands, NEXT_KIND, next_operands)),
#define BESIDE(OP, op, TYPE, type) TIRBI_H_##OP##_##TYPE##_BRNOT_LOOP,
#define INTO(KIND, operands, NEXT_KIND, next_operands)                                                                 \
    TIRBI_HANDLER(TIRBI_INTO(KIND, operands, NEXT_KIND, next_operands)),
#define ELSE(KIND, OP, op, TYPE, type) TIRBI_HANDLER(TIRBI_ELSE(KIND, OP, op, TYPE, type)),
#include "vm/exec/pairs.def"
    TIRBI_N_HANDLERS
};

/* ---- Translated functions ------------------------------------------------------------------------------------- */

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

/* All that entering a lane loop looks at: see vm/exec/lane_again.h. */
typedef struct tirbi_lane_inputs {
    bool are_kept;     /* entries may be repeated */
    bool may_be_brief; /* where there are few lanes: vm/exec/lane_brief.c */
    uint8_t place;     /* of the loop's state among those that a machine has */
    uint8_t copies;    /* of a loop of copies: the place of what a machine knows of it */
    uint8_t n_slots, n_refs;
    const uint16_t *slots; /* and behind them the references */
    tirbi_lane_bodies bodies;
    const struct tirbi_row_loop *rows; /* that the loop is the lane loop of: vm/exec/row_loop.h; or NULL */
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
    bool is_called;    /* by other code of the program */
    bool relies_on_caller; /* to have checked the shapes of its arguments, as a call from outside does */
    bool may_repeat; /* but for lane loops it only computes what its arguments tell, before the first of these */
    uint64_t refs_read;      /* bit r: reference register r is used for more than writing by lane loops; the first 64 */
    uint32_t cost;           /* of a call */
    uint32_t refs_at;        /* places in the frame, in bytes */
    uint32_t reds_at;
    uint32_t sites_at;
    uint32_t frame_size;
    uint32_t first_line; /* the number of the first entry of its line table */
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
    uint32_t max_pointers; /* of any lane loop */
    uint32_t n_lane_states;   /* of a machine, */
    size_t lane_state_size; /* with all that belongs to one */
    size_t max_scratch;
    /* While the program is translated: */
    uint64_t secret; /* that tables are spread by: see loader/base/secret.h */
    struct tirbi_lane_desk *desk; /* of lane loops, from the first one on */
};

/* ---- Frames --------------------------------------------------------------------------------------------------- */

typedef struct tirbi_frame {
    struct tirbi_frame *caller;
    const tirbi_fn *fn;
    tirbi_block *first_block; /* the oldest of those that it has taken; NULL: none */
    size_t blocks_size;       /* of all of them */
    const tirbi_word *pc; /* where the caller goes on */
    uint16_t dest;        /* the caller's slot for the result */
    bool chunked;         /* runs a chunk of two or more */
    uint32_t n_handles;   /* of the table when the frame began */
    uint8_t next_chunk;   /* of the fork that this frame is executing chunk by chunk; 0: none */
    /* The slots, the references, the reduction states and the alloc sites follow at the places that fn gives. */
} tirbi_frame;

enum { TIRBI_FRAME_SLOTS = (sizeof(tirbi_frame) + 15) / 16 * 16 };

static inline uint64_t *tirbi_frame_slots(tirbi_frame *frame) {
    return (uint64_t *)(void *)((uint8_t *)frame + TIRBI_FRAME_SLOTS);
}
static inline tirbi_ref *tirbi_frame_refs(tirbi_frame *frame) {
    return (tirbi_ref *)(void *)((uint8_t *)frame + frame->fn->refs_at);
}
static inline tirbi_red *tirbi_frame_reds(tirbi_frame *frame) {
    return (tirbi_red *)(void *)((uint8_t *)frame + frame->fn->reds_at);
}
static inline tirbi_block **tirbi_frame_sites(tirbi_frame *frame) {
    return (tirbi_block **)(void *)((uint8_t *)frame + frame->fn->sites_at);
}
/* How many elements of the type the reference has. */
static inline uint64_t tirbi_ref_count(uint64_t size, uint8_t type) {
    return size >> __builtin_ctz(tirbi_dtypes[type].size);
}
/* Passes `ref` as what the parameter says. */
static inline void tirbi_pass_ref(tirbi_ref *registers, const tirbi_ref_arg *arg, const tirbi_ref *ref) {
    tirbi_ref *to = &registers[arg->reg];
    *to = *ref;
    to->type = arg->type;
    to->count = tirbi_ref_count(ref->size, arg->type);
    to->writable = ref->writable & arg->writable; /* not what was just stored: reading that waits */
}

/* Frames are cut from chunks, which never move. */
typedef struct tirbi_chunk {
    tirbi_block block; /* block.total: of the whole chunk; block.older: the chunk below */
    size_t used;
    bool is_spare; /* taken from the machine's spares: the lowest one */
} tirbi_chunk;

typedef struct tirbi_region tirbi_region; /* a fork whose chunks several machines run */

typedef struct tirbi_lane_copies tirbi_lane_copies; /* what is known of loops of copies: vm/exec/lane_copy.h */

enum { TIRBI_FIRST_HANDLES = 8, TIRBI_HANDLE_PARTS = 29 }; /* in all, as many as a uint32_t counts */

typedef struct tirbi_machine {
    tirbi_run *run;
    const tirbi_code *code;
    tirbi_heap *heap;
    tirbi_spares *spares;
    tirbi_chunk *chunk;
    tirbi_chunk *second; /* the lowest one that is no spare, if there is one */
    size_t chunks_size;  /* of that one and those above it */
    tirbi_chunk *spare;  /* one empty chunk, kept so that a call at a chunk's edge stays cheap */
    tirbi_frame *frame;
    tirbi_block *blocks, *first_block; /* that the frames have taken, the newest and the oldest one */
    size_t blocks_total;
    uint32_t depth;
    uint64_t fuel;
    tirbi_lane_state *lanes; /* that the last lane loop has used */
    uint8_t *lane_states;    /* made by the first lane loop, or NULL */
    size_t lane_states_size;
    size_t blocks_size; /* of the scratch of contractions, as it is charged */
    struct tirbi_contract_again *contracts; /* what is known of some, made by the first one, or NULL */
    tirbi_lane_copies *copies;              /* the same of loops of copies */
    uint64_t result;
    tirbi_fpu_state host; /* the host's floating-point state, in force while it is called */
    const tirbi_word *trap; /* the word of a lane body that trapped */
    tirb_error *error;
    const atomic_uint *stop;
    /* Lane loops; more than there is room for: or something else that no repetition may leave out. */
    uint32_t n_entered;
    uint32_t row_misses, row_waits; /* ends of loops over rows that none began at, and how many are to go by */
    const tirbi_lane_loop *entered[TIRBI_REPEATED_LOOPS];
    uint32_t own_chunk;     /* that this machine runs, if it is not the one that runs the call */
    bool streamed;          /* past the caches, which other threads may not see yet: tirbi_machine_settle */
    uint32_t n_chunked;     /* forks of two chunks or more that the code being run is inside of */
    uint64_t fuel_limit;    /* UINT64_MAX: unlimited */
    tirbi_trap_place place; /* where a chunk trapped that another machine ran */
    /* The table of references that handles name, in parts of TIRBI_FIRST_HANDLES and then of twice as many each. */
    tirbi_block *handles[TIRBI_HANDLE_PARTS];
    uint32_t n_handle_parts, n_handles;
} tirbi_machine;

/* A machine without frames for code of the run, polling this stop word, outside of any fork. Its `host` is not set. */
void tirbi_machine_begin(tirbi_machine *machine, tirbi_run *run, tirbi_heap *heap, tirbi_spares *spares,
                         const atomic_uint *stop, uint64_t fuel, tirb_error *error);
/* Pushes a frame for `fn`, cleared, with its constants in place. */
tirb_status tirbi_machine_push(tirbi_machine *machine, const tirbi_fn *fn);
void tirbi_machine_pop(tirbi_machine *machine);
/* Before other threads may read what this machine has written. Waiting for it once for each loop takes as long as a
 * short loop. */
static inline void tirbi_machine_settle(tirbi_machine *machine) {
    if (machine->streamed) machine->code->kernels->moves.stream_end();
    machine->streamed = false;
}
/* Settles, and gives back all frames, chunks and scratch. */
void tirbi_machine_release(tirbi_machine *machine);
/* Executes an alloc instruction: `count` zeroed elements of `size` bytes. */
tirb_status tirbi_site_alloc(tirbi_machine *machine, tirbi_block **site, int64_t count, uint8_t type, tirbi_ref *out);

/* Executes a fork instruction, or goes on with it. Where the chunks run in order on this machine, *entered says that
 * the frame of the next one is on top; when it returns, the instruction is executed again. */
tirb_status tirbi_fork_step(tirbi_machine *machine, const tirbi_word *pc, bool *entered);
/* Where the machine trapped, with the word that dispatch gave. FUEL used up in a region has the place of the fork. */
tirbi_trap_place tirbi_trap_place_of(const tirbi_machine *machine, tirb_status status, const tirbi_word *trap_pc);

/* Executes a slice instruction. */
/* What `meet` tells: 0 no byte is shared, 1 some are and both begin at the same one, 2 some are. */
static inline uint64_t tirbi_refs_meet(const tirbi_ref *a, const tirbi_ref *b) {
    uintptr_t x = (uintptr_t)a->data, y = (uintptr_t)b->data;
    if (a->size == 0 || b->size == 0 || (x < y ? y - x >= a->size : x - y >= b->size)) return 0;
    return x == y ? 1 : 2;
}

tirb_status tirbi_make_slice(const tirbi_word *pc, const uint64_t *slots, tirbi_ref *refs, tirb_error *error);

/* Execute ref.get, into a register of the type `type`, and ref.put. */
tirb_status tirbi_handle_get(const tirbi_machine *machine, uint64_t handle, const tirbi_ref_type *type, tirbi_ref *out);
tirb_status tirbi_handle_put(tirbi_machine *machine, const tirbi_ref *ref, uint64_t *out);

/* Takes `amount` of fuel, or traps FUEL. */
tirb_status tirbi_charge(tirbi_machine *machine, uint64_t amount);
/* CANCELLED or DEADLINE when another thread asked for it. */
tirb_status tirbi_poll(const tirbi_machine *machine);
/* Of a tensor of these extents; UINT64_MAX: none has them. */
uint64_t tirbi_result_bytes(const int64_t *extents, uint32_t n, uint64_t item);

/* The dispatch loop: runs the frame on top until it returns. On a trap *trap_pc is the word that trapped, in the frame
 * on top. */
tirb_status tirbi_dispatch(tirbi_machine *machine, const tirbi_word **trap_pc);

/* ---- Translation ---------------------------------------------------------------------------------------------- */

/* The slot of an x operand. */
typedef struct tirbi_constants tirbi_constants;
uint16_t tirbi_slot_of_x(tirbi_constants *constants, uint16_t x);

/* Translates a lane loop, whose LANE instruction was decoded into `instr`, and appends its bodies. */
tirb_status tirbi_lane_translate(tirbi_code *code, const tirbi_function *function, const tirbi_instr *instr,
                                 tirbi_constants *constants, tirbi_emitter *emitter, tirbi_lane_loop *loop,
                                 tirbi_lane_bodies *bodies, tirb_error *error);

/* When all loops are translated. */
void tirbi_lane_clear_desk(tirbi_code *code);

/* Runs a contraction in the frame on top. */
tirb_status tirbi_contract_step(tirbi_machine *machine, const tirbi_contract *contract);
/* Gives back what the machine knows of contractions, */
void tirbi_contract_forget(tirbi_machine *machine);
/* and of loops of copies. */
void tirbi_lane_copies_forget(tirbi_machine *machine);
/* Runs tree reductions of rows, whose operands are a contraction's, in the frame on top. */
tirb_status tirbi_fold_step(tirbi_machine *machine, const tirbi_contract *fold);
/* The same, and the fold behind it as well (*both) where their rows are the same and nothing traps. */
tirb_status tirbi_folds_step(tirbi_machine *machine, const tirbi_contract *folds, bool *both);

/* Sets a BOUNDS error: an index of a dimension of the buffer with that name (a string's number), as index and vindex
 * name it. */
tirb_status tirbi_bad_index(const tirbi_machine *machine, int64_t index, unsigned dimension, uint32_t name,
                            int64_t extent);

/* Runs a lane loop in the frame on top. */
tirb_status tirbi_lane_run(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_lane_inputs *inputs);

#endif
