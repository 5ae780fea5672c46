/* The state of a run: frames, and the machine that has them. */
#ifndef TIRB_VM_MACHINE_MACHINE_H
#define TIRB_VM_MACHINE_MACHINE_H

#include "vm/machine/code.h"

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

/* Where a trap happened: function and byte offset in its code. */
typedef struct tirbi_trap_place {
    uint32_t function;
    uint32_t offset;
    bool known;
} tirbi_trap_place;

typedef struct tirbi_region tirbi_region; /* a fork whose chunks several machines run */

typedef struct tirbi_lane_copies tirbi_lane_copies; /* what is known of loops of copies: vm/enter/lane_copy.h */

enum { TIRBI_FIRST_HANDLES = 8, TIRBI_HANDLE_PARTS = 29 }; /* in all, as many as a uint32_t counts */

typedef struct tirbi_machine {
    tirbi_run *run;
    const tirbi_code *code;
    const tirbi_lane_needs *needs; /* of the run */
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

/* Before other threads may read what this machine has written. Waiting for it once for each loop takes as long as a
 * short loop. */
static inline void tirbi_machine_settle(tirbi_machine *machine) {
    if (machine->streamed) machine->code->kernels->moves.stream_end();
    machine->streamed = false;
}

/* Takes `amount` of fuel, or traps FUEL. */
tirb_status tirbi_charge(tirbi_machine *machine, uint64_t amount);
/* CANCELLED or DEADLINE when another thread asked for it. */
tirb_status tirbi_poll(const tirbi_machine *machine);

/* What messages call a string of the program. */
static inline const char *tirbi_string_of(const tirbi_machine *machine, uint32_t number) {
    const tirbi_program *program = machine->code->program;
    return number < program->n_strings ? program->strings[number].text : "?";
}

/* Sets a BOUNDS error: an index of a dimension of the buffer with that name (a string's number), as index and vindex
 * name it. */
tirb_status tirbi_bad_index(const tirbi_machine *machine, int64_t index, unsigned dimension, uint32_t name,
                            int64_t extent);

#endif
