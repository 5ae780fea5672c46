#include "vm/machine/spares.h"

#include <string.h>

/* A block that no run has taken for so many runs, or for up to twice as many, is given back. */
enum { SWEEP_EVERY = 64 };
/* So many blocks of about the right size are looked at for one of the very size. */
enum { LOOKED_AT = 8 };
/* Larger blocks do not grow: that may move all that is in them, which means nothing. */
enum { MOST_GROWN = 1 << 18 };
/* So many of those of about one size stay as they are: what needs each in turn, as the operators of a model do, would
 * cut one and then need a new one, in every run. */
enum { KEPT_APART = 4 };

/* ---- What is held ---------------------------------------------------------------------------------------------- */

static void *allocate(const tirbi_store *store, void *memory, size_t old_size, size_t new_size) {
    return store->allocator.reallocate(store->allocator.context, memory, old_size, new_size);
}

static void give(tirbi_spares *spares, size_t size) {
    spares->held -= size;
    atomic_fetch_add_explicit(&spares->store->room, size, memory_order_release);
}

/* What gives memory back takes its time where it is much, and looks at a stop word meanwhile; false: it was stopped,
 * and all that is still held is where it was. */

static bool drop_kept(tirbi_spares *spares, tirbi_kept *kept, const atomic_uint *stop) {
    const tirbi_kept was = *kept;
    if (!was.memory) return true;
    kept->made = false;
    spares->drops++;
    if (!tirbi_discard(&spares->store->allocator, was.memory, was.size, stop)) return false;
    *kept = (tirbi_kept){.memory = NULL};
    allocate(spares->store, was.memory, was.size, 0);
    give(spares, was.size);
    return true;
}

static bool drop(tirbi_spares *spares, tirbi_spare_kind kind, const atomic_uint *stop) {
    return drop_kept(spares, &spares->kept[kind], stop);
}

static bool drop_block(tirbi_spares *spares, tirbi_block **at, const atomic_uint *stop) {
    tirbi_block *block = *at;
    const size_t total = block->total;
    if (!tirbi_discard(&spares->store->allocator, block + 1, total - sizeof(*block), stop)) return false;
    *at = block->older;
    spares->n_idle--;
    allocate(spares->store, block, total, 0);
    give(spares, total);
    return true;
}

static unsigned size_class(size_t total) {
    unsigned log = 63 - (unsigned)__builtin_clzll(total);
    return log < TIRBI_BLOCK_SIZES ? log : TIRBI_BLOCK_SIZES - 1;
}

static void put_idle(tirbi_spares *spares, tirbi_block *block) {
    tirbi_block **list = &spares->idle[size_class(block->total)];
    block->capacity = spares->store->time;
    block->older = *list;
    *list = block;
    spares->n_idle++;
}

/* Sorts the blocks that frames have left; false: it was stopped. */
static bool sort_left(tirbi_spares *spares, const atomic_uint *stop) {
    while (spares->left) {
        if (tirbi_is_stopped(stop)) return false;
        tirbi_block *block = spares->left;
        spares->left = block->older;
        put_idle(spares, block);
    }
    return true;
}

/* Gives something back that is not in use, the largest block first. False: there is nothing, or it was stopped. */
static bool drop_one(tirbi_spares *spares, const atomic_uint *stop) {
    if (!sort_left(spares, stop)) return false;
    for (unsigned i = TIRBI_BLOCK_SIZES; i-- > 0 && spares->n_idle > 0;)
        if (spares->idle[i]) return drop_block(spares, &spares->idle[i], stop);
    for (unsigned place = 0; place < TIRBI_PLACES; place++)
        for (unsigned kind = 0; kind < TIRBI_N_PLACE_SPARES; kind++)
            if (spares->waiting[place][kind].memory) return drop_kept(spares, &spares->waiting[place][kind], stop);
    for (unsigned kind = 0; kind < TIRBI_N_SPARES; kind++) {
        if (!spares->kept[kind].memory || spares->kept[kind].taken) continue;
        return drop(spares, (tirbi_spare_kind)kind, stop);
    }
    return false;
}

/* Takes room for `size` bytes, unless there is too little. */
static bool take_room(tirbi_store *store, size_t size) {
    uint64_t room = atomic_load_explicit(&store->room, memory_order_relaxed);
    while (room >= size)
        if (atomic_compare_exchange_weak_explicit(&store->room, &room, room - size, memory_order_acquire,
                                                  memory_order_relaxed))
            return true;
    return false;
}

/* The same, and first gives back what the machines that are not running keep. */
static bool make_room(tirbi_store *store, size_t size, const atomic_uint *stop) {
    if (store->lock) pthread_mutex_lock(store->lock);
    bool taken = take_room(store, size);
    for (uint32_t i = 0; i < store->n_spares && !taken; i++) {
        if (i - store->first_awake < store->n_awake) continue;
        while (!taken && drop_one(&store->spares[i], stop)) taken = take_room(store, size);
    }
    if (store->lock) pthread_mutex_unlock(store->lock);
    return taken;
}

/* Before `size` bytes come from the allocator to the machine whose heap has this budget. */
static bool hold(tirbi_spares *spares, uint64_t budget, size_t size) {
    while (spares->held > budget || size > budget - spares->held)
        if (!drop_one(spares, spares->stop)) return false;
    if (!take_room(spares->store, size) && !make_room(spares->store, size, spares->stop)) return false;
    spares->held += size;
    return true;
}

static bool keeper_hold(tirbi_keeper *keeper, uint64_t budget, size_t size) {
    return hold((tirbi_spares *)(void *)keeper, budget, size);
}

static void keeper_give(tirbi_keeper *keeper, size_t size) { give((tirbi_spares *)(void *)keeper, size); }

/* Memory on no account. */
static void *hold_fresh(tirbi_spares *spares, tirbi_heap *heap, size_t size) {
    heap->over_budget = !hold(spares, heap->budget, size);
    if (heap->over_budget) return NULL;
    void *memory = allocate(spares->store, NULL, 0, size);
    if (!memory) give(spares, size);
    return memory;
}

/* ---- The store ------------------------------------------------------------------------------------------------- */

void tirbi_store_init(tirbi_store *store, const tirb_allocator *allocator, uint64_t limit, tirbi_spares *spares,
                      uint32_t n_spares) {
    *store = (tirbi_store){.allocator = *allocator, .spares = spares, .n_spares = n_spares, .n_awake = 1};
    atomic_init(&store->room, limit);
    for (uint32_t i = 0; i < n_spares; i++)
        spares[i] = (tirbi_spares){.keeper = {.hold = keeper_hold, .give = keeper_give}, .store = store};
}

void tirbi_store_trim(tirbi_store *store) {
    for (uint32_t i = 0; i < store->n_spares; i++)
        while (drop_one(&store->spares[i], NULL)) continue;
}

static void sweep(tirbi_spares *spares, uint64_t since, const atomic_uint *stop) {
    if (!sort_left(spares, stop)) return;
    for (unsigned i = 0; i < TIRBI_BLOCK_SIZES && spares->n_idle > 0; i++) {
        for (tirbi_block **at = &spares->idle[i]; *at && !tirbi_is_stopped(stop);) {
            if ((*at)->capacity >= since)
                at = &(*at)->older;
            else if (!drop_block(spares, at, stop))
                return;
        }
    }
}

void tirbi_store_end_run(tirbi_store *store, const atomic_uint *stop) {
    if (++store->runs % SWEEP_EVERY != 0) return;
    for (uint32_t i = 0; i < store->n_spares; i++) sweep(&store->spares[i], store->time, stop);
    store->time++;
}

/* Participants that come late, or not at all, hold no more than those that take part. */
bool tirbi_store_fork(tirbi_store *store, uint32_t participants, uint64_t memory, const atomic_uint *stop,
                      pthread_mutex_t *lock) {
    for (uint32_t i = 1; i <= participants; i++)
        while (store->spares[i].held > memory && drop_one(&store->spares[i], stop)) continue;
    if (tirbi_is_stopped(stop)) return false;
    store->first_awake = 1;
    store->n_awake = participants;
    store->lock = lock;
    return true;
}

void tirbi_store_join(tirbi_store *store) {
    store->first_awake = 0;
    store->n_awake = 1;
    store->lock = NULL;
}

/* ---- Blocks that are idle --------------------------------------------------------------------------------------- */

/* One of this very size, or else one that is not far from it: at least half as large, at most twice. NULL: none. */
static tirbi_block **find(tirbi_spares *spares, size_t total) {
    tirbi_block **first = &spares->idle[size_class(total)], **at = first;
    unsigned n = 0;
    for (; n < LOOKED_AT && *at; n++, at = &(*at)->older)
        if ((*at)->total == total) return at;
    return total > MOST_GROWN && n < KEPT_APART ? NULL : first;
}

static tirbi_block *take_off(tirbi_spares *spares, tirbi_block **at) {
    tirbi_block *block = *at;
    *at = block->older;
    spares->n_idle--;
    return block;
}

/* ---- What a machine has one of --------------------------------------------------------------------------------- */

void tirbi_spares_turn(tirbi_spares *spares, uint32_t place) {
    if (spares->place == place) return;
    memcpy(spares->waiting[spares->place], spares->kept, sizeof spares->waiting[0]);
    memcpy(spares->kept, spares->waiting[place], sizeof spares->waiting[0]);
    memset(spares->waiting[place], 0, sizeof spares->waiting[0]);
    spares->place = place;
}

/* Functions that are called in turn in one place need lane states of other sizes: what one has had is put aside among
 * the blocks, and comes back with its next call. */
static void *exchange(tirbi_spares *spares, tirbi_spare_kind kind, size_t size) {
    tirbi_block **at = spares->n_idle > 0 ? find(spares, size) : NULL;
    void *const other = at && *at && (*at)->total == size ? take_off(spares, at) : NULL;
    tirbi_block *const last = spares->kept[kind].memory;
    if (last) {
        last->total = spares->kept[kind].size;
        put_idle(spares, last);
    }
    spares->kept[kind] = (tirbi_kept){.memory = NULL};
    return other;
}

void *tirbi_spare_make(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, size_t size) {
    if (!tirbi_heap_charge(heap, size)) return NULL;
    void *memory = kind == TIRBI_SPARE_LANES ? exchange(spares, kind, size) : NULL;
    if (!memory) memory = drop(spares, kind, spares->stop) ? hold_fresh(spares, heap, size) : NULL;
    if (!memory) {
        tirbi_heap_discharge(heap, size);
        return NULL;
    }
    spares->kept[kind].memory = memory;
    spares->kept[kind].size = size;
    spares->kept[kind].taken = true;
    return memory;
}

void *tirbi_spare_blocks(tirbi_spares *spares, tirbi_heap *heap, size_t size) {
    if (spares->kept[TIRBI_SPARE_BLOCKS].size >= size) return spares->kept[TIRBI_SPARE_BLOCKS].memory;
    void *memory = drop(spares, TIRBI_SPARE_BLOCKS, spares->stop) ? hold_fresh(spares, heap, size) : NULL;
    if (!memory) return NULL;
    spares->kept[TIRBI_SPARE_BLOCKS].memory = memory;
    spares->kept[TIRBI_SPARE_BLOCKS].size = size;
    return memory;
}

/* ---- Blocks of alloc instructions ------------------------------------------------------------------------------ */

/* Takes a block off its list and makes it as large as it has to be; NULL: it is given back instead, or it was stopped.
 */
static tirbi_block *fit(tirbi_spares *spares, tirbi_heap *heap, tirbi_block **at, size_t total) {
    tirbi_block *block = *at;
    const size_t old = block->total;
    if (old > MOST_GROWN && total > old) {
        (void)drop_block(spares, at, spares->stop);
        return NULL;
    }
    const tirb_allocator *allocator = &spares->store->allocator;
    if (total < old && !tirbi_discard(allocator, (uint8_t *)block + total, old - total, spares->stop)) return NULL;
    *at = block->older;
    spares->n_idle--;
    bool held = total <= old || hold(spares, heap->budget, total - old);
    tirbi_block *fitting = held ? allocate(spares->store, block, old, total) : NULL;
    if (fitting && total < old) give(spares, old - total);
    if (fitting) return fitting;
    if (held && total > old) give(spares, total - old);
    put_idle(spares, block);
    (void)drop_block(spares, &spares->idle[size_class(old)], spares->stop);
    return NULL;
}

tirbi_block *tirbi_block_take(tirbi_spares *spares, tirbi_heap *heap, size_t total) {
    if (!sort_left(spares, spares->stop)) return NULL;
    tirbi_block **at = spares->n_idle > 0 ? find(spares, total) : NULL;
    if (!at || !*at) {
        tirbi_block *made = tirbi_heap_alloc(heap, total);
        if (made) tirbi_make_pages(&heap->allocator, made, total, spares->stop);
        return made;
    }
    if (!tirbi_heap_charge(heap, total)) return NULL;
    tirbi_block *block = (*at)->total == total ? take_off(spares, at) : fit(spares, heap, at, total);
    if (block) return block;
    tirbi_heap_discharge(heap, total);
    return tirbi_is_stopped(spares->stop) ? NULL : tirbi_heap_alloc(heap, total);
}

void tirbi_block_leave(tirbi_spares *spares, tirbi_heap *heap, tirbi_block *block) {
    tirbi_heap_discharge(heap, block->total);
    put_idle(spares, block);
}

void tirbi_blocks_leave(tirbi_spares *spares, tirbi_heap *heap, tirbi_block *first, tirbi_block *last, size_t total) {
    tirbi_heap_discharge(heap, total);
    last->older = spares->left;
    spares->left = first;
}
