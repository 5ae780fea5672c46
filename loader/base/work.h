/* Work: steps through what came from outside, counted where loops make them. What takes a heap counts its steps there,
 * so that who bounds its memory bounds its time as well, in a measure that is the same on every machine. */
#ifndef TIRB_LOADER_BASE_WORK_H
#define TIRB_LOADER_BASE_WORK_H

#include <stdint.h>

#include "loader/base/alloc.h"

/* There are more steps than max_work. Sets FUEL, or why the heap's watch is to stop. */
tirb_status tirbi_work_exceeded(tirbi_heap *heap, tirb_error *error);

/* Counts n steps. Errors: FUEL when the heap's limit does not allow them; what its watch says. */
static inline tirb_status tirbi_work(tirbi_heap *heap, uint64_t n, tirb_error *error) {
    heap->work += n;
    return heap->work <= heap->max_work ? TIRB_OK : tirbi_work_exceeded(heap, error);
}

/* From now on a watch looks at the clock and the flag as steps are taken, which are none of its own: those of names
 * that meet in a table are not the same each time. Their limit stays. NULL: no more. */
void tirbi_work_watched(tirbi_heap *heap, tirbi_watch *watch);

/* Where turns of a loop are no steps of their own: whether the heap's watch is to stop, which is asked every so many
 * turns, and has stopped, which is known at each: what one loop did not find, no other may go by. What the loop was to
 * do is of no use then; tirbi_work_seen tells why. */
static inline bool tirbi_work_stopped(const tirbi_heap *heap, uint32_t turn) {
    enum { TURNS_AT_ONCE = 1 << 10 };
    return heap->watch &&
           (heap->watch->stopped != TIRB_OK || (turn % TURNS_AT_ONCE == 0 && !tirbi_watch_look(heap->watch)));
}

/* Behind such loops. */
tirb_status tirbi_work_seen(const tirbi_heap *heap, tirb_error *error);

/* As many steps as there are words in so many bytes. */
static inline uint64_t tirbi_work_of_bytes(uint64_t bytes) { return 1 + bytes / 8; }

#endif
