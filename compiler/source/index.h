/* Finding numbered things by a text: a table from hashes to numbers. Who asks compares the texts. */
#ifndef TIRB_COMPILER_SOURCE_INDEX_H
#define TIRB_COMPILER_SOURCE_INDEX_H

#include "loader/base/alloc.h"

typedef struct tirbi_index_slot {
    uint32_t hash;
    uint32_t number; /* one more than it; 0: free */
} tirbi_index_slot;

typedef struct tirbi_index {
    tirbi_index_slot *slots; /* open addressing */
    uint32_t n, capacity;    /* a power of two */
} tirbi_index;

/* Where things are differs from run to run, so that no source can be written whose texts all meet; what is found does
 * not depend on it. */
static inline uint32_t tirbi_text_hash(const void *place, const char *text, size_t size) {
    uint64_t h = 2166136261u ^ (uint64_t)(uintptr_t)place;
    for (size_t i = 0; i < size; i++) {
        h = (h ^ (unsigned char)text[i]) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
    }
    return (uint32_t)h;
}

/* One more than the next number under a hash; 0: there is no other one. *probe begins at 0. */
uint32_t tirbi_index_next(const tirbi_index *index, uint32_t hash, uint32_t *probe);
/* False: memory ran out. */
bool tirbi_index_add(tirbi_index *index, tirbi_arena *arena, uint32_t hash, uint32_t number);

#endif
