/* Memory that a run leaves to the next one, so that calls do not allocate what the last one has just given back. A run
 * is charged for it as if it had allocated it, so that limits mean the same in the first call and in the thousandth. */
#ifndef TIRB_VM_EXEC_SPARES_H
#define TIRB_VM_EXEC_SPARES_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/base/alloc.h"

/* What a machine has one of. */
typedef enum tirbi_spare_kind {
    TIRBI_SPARE_FRAMES,
    TIRBI_SPARE_LANES,
    TIRBI_SPARE_BLOCKS,
    TIRBI_SPARE_CONTRACTS,
    TIRBI_SPARE_COPIES,
    TIRBI_N_SPARES
} tirbi_spare_kind;

/* Of one machine at a time. Zeroed, it is empty. */
typedef struct tirbi_spares {
    struct {
        void *memory;
        size_t size;
        bool made; /* tirbi_spare_take_made has given it out before */
    } kept[TIRBI_N_SPARES];
} tirbi_spares;

/* More than this is not kept. */
enum { TIRBI_MOST_SPARE = 4 << 20 };

/* The same as the next two where nothing is kept, or too little, or too much. */
void *tirbi_spare_make(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, size_t size);
void tirbi_spare_drop(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, void *memory, size_t size);

/* `size` bytes, charged to the heap; NULL when its budget or its allocator is exhausted (tirbi_heap_status). `spares`
 * may be NULL. What was taken must be left before the same kind is taken again. */
static inline void *tirbi_spare_take(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, size_t size) {
    if (!spares || spares->kept[kind].size < size) return tirbi_spare_make(spares, kind, heap, size);
    return tirbi_heap_charge(heap, size) ? spares->kept[kind].memory : NULL;
}
/* The same; *made: it is what was last taken so, as that machine has left it. */
static inline void *tirbi_spare_take_made(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, size_t size,
                                          bool *made) {
    void *memory = tirbi_spare_take(spares, kind, heap, size);
    *made = spares && memory && spares->kept[kind].made;
    if (spares && memory) spares->kept[kind].made = true;
    return memory;
}
/* Ends the charge for what was taken, with the same size and heap. */
static inline void tirbi_spare_leave(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, void *memory,
                                     size_t size) {
    if (!spares || spares->kept[kind].size > TIRBI_MOST_SPARE)
        tirbi_spare_drop(spares, kind, heap, memory, size);
    else
        tirbi_heap_discharge(heap, size);
}
/* Frees what is kept. The allocator is that of the heaps it was taken with. */
void tirbi_spares_release(tirbi_spares *spares, const tirb_allocator *allocator);

#endif
