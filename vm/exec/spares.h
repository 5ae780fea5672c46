/* Memory that a run leaves to the next one, so that calls do not allocate what the last one has just given back. A run
 * is charged for it as if it had allocated it, so that limits mean the same in the first call and in the thousandth. */
#ifndef TIRB_VM_EXEC_SPARES_H
#define TIRB_VM_EXEC_SPARES_H

#include <stddef.h>

#include "loader/base/alloc.h"

/* What a machine has one of. */
typedef enum tirbi_spare_kind { TIRBI_SPARE_FRAMES, TIRBI_SPARE_LANES, TIRBI_SPARE_BLOCKS, TIRBI_N_SPARES } tirbi_spare_kind;

/* Of one machine at a time. Zeroed, it is empty. */
typedef struct tirbi_spares {
    struct {
        void *memory;
        size_t size;
    } kept[TIRBI_N_SPARES];
} tirbi_spares;

/* `size` bytes, charged to the heap; NULL when its budget or its allocator is exhausted (tirbi_heap_status). `spares` may
 * be NULL. What was taken must be left before the same kind is taken again. */
void *tirbi_spare_take(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, size_t size);
/* Ends the charge for what was taken, with the same size and heap. */
void tirbi_spare_leave(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, void *memory, size_t size);
/* Frees what is kept. The allocator is that of the heaps it was taken with. */
void tirbi_spares_release(tirbi_spares *spares, const tirb_allocator *allocator);

#endif
