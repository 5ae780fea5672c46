#include "vm/exec/spares.h"

/* The memory itself is on no run's account. */
static tirbi_heap uncounted(const tirb_allocator *allocator) {
    return (tirbi_heap){.allocator = *allocator, .budget = UINT64_MAX};
}

static void drop(tirbi_spares *spares, tirbi_spare_kind kind, const tirb_allocator *allocator) {
    tirbi_heap heap = uncounted(allocator);
    tirbi_heap_free(&heap, spares->kept[kind].memory, spares->kept[kind].size);
    spares->kept[kind].memory = NULL;
    spares->kept[kind].size = 0;
    spares->kept[kind].made = false;
}

void *tirbi_spare_make(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, size_t size) {
    if (!spares) return tirbi_heap_alloc(heap, size);
    if (!tirbi_heap_charge(heap, size)) return NULL;
    drop(spares, kind, &heap->allocator);
    tirbi_heap free_of_charge = uncounted(&heap->allocator);
    void *memory = tirbi_heap_alloc(&free_of_charge, size);
    if (!memory) {
        tirbi_heap_discharge(heap, size);
        heap->over_budget = false;
        return NULL;
    }
    spares->kept[kind].memory = memory;
    spares->kept[kind].size = size;
    return memory;
}

void tirbi_spare_drop(tirbi_spares *spares, tirbi_spare_kind kind, tirbi_heap *heap, void *memory, size_t size) {
    if (!spares) {
        tirbi_heap_free(heap, memory, size);
        return;
    }
    tirbi_heap_discharge(heap, size);
    drop(spares, kind, &heap->allocator);
}

void tirbi_spares_release(tirbi_spares *spares, const tirb_allocator *allocator) {
    for (unsigned kind = 0; kind < TIRBI_N_SPARES; kind++) drop(spares, (tirbi_spare_kind)kind, allocator);
}
