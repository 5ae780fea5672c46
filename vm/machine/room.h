/* Memory for one user after the other, which keeps its size until it is left. */
#ifndef TIRB_VM_MACHINE_ROOM_H
#define TIRB_VM_MACHINE_ROOM_H

#include <string.h>

#include "loader/base/alloc.h"

typedef struct tirbi_room {
    void *at;
    size_t size;
} tirbi_room;

static inline void tirbi_room_leave(tirbi_room *room, tirbi_heap *heap) {
    tirbi_heap_free(heap, room->at, room->size);
    *room = (tirbi_room){.at = NULL};
}

/* n bytes, in which those of the user before are lost; NULL when out of memory, or when n is 0. */
static inline void *tirbi_room_need(tirbi_room *room, tirbi_heap *heap, size_t n) {
    if (n > room->size) {
        tirbi_room_leave(room, heap);
        room->at = tirbi_heap_alloc(heap, n);
        if (!room->at) return NULL;
        room->size = n;
    }
    return n == 0 ? NULL : room->at;
}

/* The same of zeroes; NULL also when the heap's watch is to stop. */
static inline void *tirbi_room_take(tirbi_room *room, tirbi_heap *heap, size_t n) {
    enum { AT_ONCE = 1 << 14 }; /* the first time that memory is written takes its time */
    uint8_t *const memory = tirbi_room_need(room, heap, n);
    for (size_t at = 0, left; memory && at < n; at += AT_ONCE) {
        if (at > 0 && heap->watch && !tirbi_watch_look(heap->watch)) return NULL;
        left = n - at;
        memset(memory + at, 0, left < AT_ONCE ? left : AT_ONCE);
    }
    return memory;
}

#endif
