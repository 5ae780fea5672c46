/* The dispatch loop, and what its handlers call: frames, handles, allocations, forks and contractions. */
#ifndef TIRB_VM_EXEC_DISPATCH_H
#define TIRB_VM_EXEC_DISPATCH_H

#include "vm/machine/machine.h"

/* A machine without frames for code of the run, polling this stop word, outside of any fork. Its `host` is not set. */
void tirbi_machine_begin(tirbi_machine *machine, tirbi_run *run, tirbi_heap *heap, tirbi_spares *spares,
                         const atomic_uint *stop, uint64_t fuel, tirb_error *error);
/* Pushes a frame for `fn`, cleared, with its constants in place. */
tirb_status tirbi_machine_push(tirbi_machine *machine, const tirbi_fn *fn);
void tirbi_machine_pop(tirbi_machine *machine);
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
tirb_status tirbi_make_slice(const tirbi_word *pc, const uint64_t *slots, tirbi_ref *refs, tirb_error *error);

/* Execute ref.get, into a register of the type `type`, and ref.put. */
tirb_status tirbi_handle_get(const tirbi_machine *machine, uint64_t handle, const tirbi_ref_type *type, tirbi_ref *out);
tirb_status tirbi_handle_put(tirbi_machine *machine, const tirbi_ref *ref, uint64_t *out);

/* Of a tensor of these extents; UINT64_MAX: none has them. */
uint64_t tirbi_result_bytes(const int64_t *extents, uint32_t n, uint64_t item);

/* The dispatch loop: runs the frame on top until it returns. On a trap *trap_pc is the word that trapped, in the frame
 * on top. */
tirb_status tirbi_dispatch(tirbi_machine *machine, const tirbi_word **trap_pc);

/* Runs a contraction in the frame on top. */
tirb_status tirbi_contract_step(tirbi_machine *machine, const tirbi_contract *contract);
/* Gives back what the machine knows of contractions. */
void tirbi_contract_forget(tirbi_machine *machine);
/* Runs tree reductions of rows, whose operands are a contraction's, in the frame on top. */
tirb_status tirbi_fold_step(tirbi_machine *machine, const tirbi_contract *fold);
/* The same, and the fold behind it as well (*both) where their rows are the same and nothing traps. */
tirb_status tirbi_folds_step(tirbi_machine *machine, const tirbi_contract *folds, bool *both);

/* What `meet` tells: 0 no byte is shared, 1 some are and both begin at the same one, 2 some are. */
static inline uint64_t tirbi_refs_meet(const tirbi_ref *a, const tirbi_ref *b) {
    uintptr_t x = (uintptr_t)a->data, y = (uintptr_t)b->data;
    if (a->size == 0 || b->size == 0 || (x < y ? y - x >= a->size : x - y >= b->size)) return 0;
    return x == y ? 1 : 2;
}

#endif
