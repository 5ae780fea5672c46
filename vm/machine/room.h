/* Memory for one user after the other, which keeps its size until it is left. */
#ifndef TIRB_VM_MACHINE_ROOM_H
#define TIRB_VM_MACHINE_ROOM_H

#include "loader/base/alloc.h"

typedef struct tirbi_room {
    void *at;
    size_t size;
} tirbi_room;

/* False: the heap's watch is to stop, and it is still there. */
static inline bool tirbi_room_leave(tirbi_room *room, tirbi_heap *heap) {
    if (!tirbi_heap_release(heap, room->at, room->size)) return false;
    *room = (tirbi_room){.at = NULL};
    return true;
}

/* n bytes, in which those of the user before are lost; NULL when out of memory, when n is 0, or when the heap's watch
 * is to stop. */
static inline void *tirbi_room_need(tirbi_room *room, tirbi_heap *heap, size_t n) {
    if (n > room->size) {
        if (!tirbi_room_leave(room, heap)) return NULL;
        room->at = tirbi_heap_alloc(heap, n);
        if (!room->at) return NULL;
        room->size = n;
    }
    return n == 0 ? NULL : room->at;
}

/* The same of zeroes. */
static inline void *tirbi_room_take(tirbi_room *room, tirbi_heap *heap, size_t n) {
    void *const memory = tirbi_room_need(room, heap, n);
    return memory && tirbi_heap_clear(heap, memory, n) ? memory : NULL;
}

#endif
