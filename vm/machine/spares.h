/* Memory that calls leave to those after them, so that these neither allocate it nor fault it in anew: what a machine
 * has one of, and the blocks of alloc instructions.
 *
 * What is told from outside does not depend on what is kept: a run is charged for memory when it takes it and until it
 * leaves it, as if it had allocated and freed it. What is held is at no moment more than the limit: what comes from the
 * allocator is taken from the room that the limit leaves, and where there is not enough of it, what nobody is charged
 * for goes back first. That is always enough, for no memory in use is larger than what is charged for it. */
#ifndef TIRB_VM_MACHINE_SPARES_H
#define TIRB_VM_MACHINE_SPARES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/base/alloc.h"

/* What a machine has one of; of the first ones, one for each place. The blocks of contractions mean nothing from one
 * instruction to the next. */
typedef enum tirbi_spare_kind {
    TIRBI_SPARE_FRAMES,
    TIRBI_SPARE_LANES,
    TIRBI_SPARE_COPIES,
    TIRBI_N_PLACE_SPARES,
    TIRBI_SPARE_CONTRACTS = TIRBI_N_PLACE_SPARES,
    TIRBI_SPARE_BLOCKS,
    TIRBI_N_SPARES
} tirbi_spare_kind;

/* So many functions that are called in turn find what their own last calls have left, each in its place. */
enum { TIRBI_PLACES = 8 };

/* Memory of an alloc instruction, or of frames. Blocks that became too small stay until the frame ends, for references
 * to them may live on. */
typedef struct tirbi_block {
    struct tirbi_block *older; /* of what the frame has taken; among idle ones, the next of about this size */
    uint64_t capacity;         /* of an idle one: the time at which it was left */
    size_t total;
    uint8_t *data;
} tirbi_block;

enum { TIRBI_BLOCK_SIZES = 40 };

typedef struct tirbi_store tirbi_store;

typedef struct tirbi_kept {
    void *memory;
    size_t size;
    bool taken;
    bool made; /* tirbi_spare_take_made has given it out before */
} tirbi_kept;

/* Of one machine at a time. */
typedef struct tirbi_spares {
    tirbi_keeper keeper; /* of the machine's heap */
    tirbi_store *store;
    const atomic_uint *stop; /* what the machine that runs looks at: nothing here takes long once it is set */
    uint64_t held;           /* bytes: what its machine's heap has allocated, and what is kept here */
    tirbi_kept kept[TIRBI_N_SPARES];
    uint32_t place;                                       /* whose memory the first of them are */
    tirbi_kept waiting[TIRBI_PLACES][TIRBI_N_PLACE_SPARES]; /* of the other places */
    uint64_t drops;                                       /* of either: how often one was given back */
    tirbi_block *left; /* blocks that frames have left and nobody has sorted yet */
    uint32_t n_idle;
    tirbi_block *idle[TIRBI_BLOCK_SIZES]; /* by the logarithm of their size */
} tirbi_spares;

/* The spares of an instance: first those of its calls, then those of each participant of their forks. */
struct tirbi_store {
    tirb_allocator allocator;
    atomic_uint_least64_t room; /* of the limit: bytes that are not held */
    tirbi_spares *spares;
    uint32_t n_spares;
    uint32_t first_awake, n_awake; /* those whose machines are running now: only they touch these */
    pthread_mutex_t *lock;         /* of the others, while several machines are running */
    uint64_t runs, time;
};

/* Makes `spares` those of the store, all empty. The heap of the machine that has them is to have their keeper. */
void tirbi_store_init(tirbi_store *store, const tirb_allocator *allocator, uint64_t limit, tirbi_spares *spares,
                      uint32_t n_spares);
/* Gives back all that nobody uses. */
void tirbi_store_trim(tirbi_store *store);
/* Counts a run; now and then, gives back the blocks that many runs have not taken, until *stop becomes non-zero. */
void tirbi_store_end_run(tirbi_store *store, const atomic_uint *stop);
/* From now on the machines of the first `participants` run, each with a heap of `memory` bytes, and the call's own one
 * waits. `lock` is a free lock. False: it was stopped, and nothing has changed. */
bool tirbi_store_fork(tirbi_store *store, uint32_t participants, uint64_t memory, const atomic_uint *stop,
                      pthread_mutex_t *lock);
/* They have ended. */
void tirbi_store_join(tirbi_store *store);

/* Before a run of another place: its own memory is what it has left, if it was not given back meanwhile. */
void tirbi_spares_turn(tirbi_spares *spares, uint32_t place);

/* The same as the next one where nothing of this size is kept. */
void *tirbi_spare_make(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, size_t size);

/* `size` bytes, charged to the heap; NULL when its budget or its allocator is exhausted (tirbi_heap_status), or when
 * the machine is to stop, which is looked at first. What was taken must be left before the same kind is taken again. */
static inline void *tirbi_spare_take(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, size_t size) {
    if (spares->kept[kind].size != size) return tirbi_spare_make(spares, kind, heap, size);
    if (!tirbi_heap_charge(heap, size)) return NULL;
    spares->kept[kind].taken = true;
    return spares->kept[kind].memory;
}
/* The same; *made: it is what was last taken so, as that machine has left it. */
static inline void *tirbi_spare_take_made(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, size_t size,
                                          bool *made) {
    void *memory = tirbi_spare_take(spares, kind, heap, size);
    *made = memory && spares->kept[kind].made;
    if (memory) spares->kept[kind].made = true;
    return memory;
}
/* Ends the charge for what was taken, with the same size and heap. */
static inline void tirbi_spare_leave(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, size_t size) {
    spares->kept[kind].taken = false;
    tirbi_heap_discharge(heap, size);
}

/* At least `size` bytes for the blocks of a contraction, for which the heap is charged already, until memory is taken
 * from the heap or from the spares again. NULL: the allocator is exhausted. */
void *tirbi_spare_blocks(tirbi_spares *spares, tirbi_heap *heap, size_t size);

/* A block of `total` bytes, like tirbi_heap_alloc; nothing in it is set. NULL also when the machine is to stop. */
tirbi_block *tirbi_block_take(tirbi_spares *spares, tirbi_heap *heap, size_t total);
/* Keeps it for later, like tirbi_heap_free. */
void tirbi_block_leave(tirbi_spares *spares, tirbi_heap *heap, tirbi_block *block);
/* The same of a list, whose blocks have `total` bytes, however many they are. */
void tirbi_blocks_leave(tirbi_spares *spares, tirbi_heap *heap, tirbi_block *first, tirbi_block *last, size_t total);

#endif
