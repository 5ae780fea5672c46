/* Work: steps through what came from outside, counted where loops make them. What takes a heap counts its steps there,
 * so that who bounds its memory bounds its time as well, in a measure that is the same on every machine. */
#ifndef TIRB_LOADER_BASE_WORK_H
#define TIRB_LOADER_BASE_WORK_H

#include <stdint.h>

#include "loader/base/alloc.h"

/* Sets FUEL: more steps than the limit. */
tirb_status tirbi_work_exceeded(const tirbi_heap *heap, tirb_error *error);

/* Counts n steps. Errors: FUEL when the heap's limit does not allow them. */
static inline tirb_status tirbi_work(tirbi_heap *heap, uint64_t n, tirb_error *error) {
    heap->work += n;
    return heap->work <= heap->max_work ? TIRB_OK : tirbi_work_exceeded(heap, error);
}

/* As many steps as there are words in so many bytes. */
static inline uint64_t tirbi_work_of_bytes(uint64_t bytes) { return 1 + bytes / 8; }

#endif
