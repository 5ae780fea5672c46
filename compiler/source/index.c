#include "compiler/source/index.h"

static void put(tirbi_index *index, tirbi_index_slot slot) {
    uint32_t at = slot.hash & (index->capacity - 1);
    while (index->slots[at].number) at = (at + 1) & (index->capacity - 1);
    index->slots[at] = slot;
}

uint32_t tirbi_index_next(const tirbi_index *index, uint32_t hash, uint32_t *probe) {
    for (; *probe < index->capacity; ++*probe) {
        const tirbi_index_slot *slot = &index->slots[(hash + *probe) & (index->capacity - 1)];
        if (slot->number == 0) return 0;
        if (slot->hash != hash) continue;
        ++*probe;
        return slot->number;
    }
    return 0;
}

bool tirbi_index_add(tirbi_index *index, tirbi_arena *arena, uint32_t hash, uint32_t number) {
    if (2 * index->n >= index->capacity) {
        tirbi_index larger = {.n = index->n, .capacity = index->capacity ? 2 * index->capacity : 64};
        larger.slots = TIRBI_NEW_ARRAY(arena, tirbi_index_slot, larger.capacity);
        if (!larger.slots) return false;
        for (uint32_t i = 0; i < index->capacity; i++)
            if (index->slots[i].number) put(&larger, index->slots[i]);
        *index = larger;
    }
    put(index, (tirbi_index_slot){.hash = hash, .number = number + 1});
    index->n++;
    return true;
}
