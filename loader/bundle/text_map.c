#include "loader/bundle/text_map.h"

#include <string.h>

enum { FIRST_CAPACITY = 64 };

void tirbi_text_map_init(tirbi_text_map *map, tirbi_heap *heap) { *map = (tirbi_text_map){.heap = heap}; }

void tirbi_text_map_destroy(tirbi_text_map *map) {
    tirbi_heap_free(map->heap, map->entries, map->capacity * sizeof(map->entries[0]));
    tirbi_text_map_init(map, map->heap);
}

void tirbi_text_map_clear(tirbi_text_map *map) {
    if (map->used > 0) memset(map->entries, 0, map->capacity * sizeof(map->entries[0]));
    map->used = 0;
}

/* FNV-1a. */
static uint64_t hash(const char *text, size_t size) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) h = (h ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 32;
}

/* The entry of a text, or the free one where it belongs. */
static tirbi_text_entry *locate(const tirbi_text_map *map, const char *text, size_t size) {
    size_t i = (size_t)hash(text, size) & (map->capacity - 1);
    while (map->entries[i].text && (map->entries[i].size != size || memcmp(map->entries[i].text, text, size) != 0)) {
        i = (i + 1) & (map->capacity - 1);
    }
    return &map->entries[i];
}

bool tirbi_text_map_find(const tirbi_text_map *map, const char *text, size_t size, uint32_t *out) {
    if (map->capacity == 0) return false;
    const tirbi_text_entry *entry = locate(map, text, size);
    if (!entry->text) return false;
    *out = entry->number;
    return true;
}

static bool grow(tirbi_text_map *map) {
    tirbi_text_map larger = {.heap = map->heap, .used = map->used};
    larger.capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY;
    larger.entries = tirbi_heap_calloc(map->heap, larger.capacity, sizeof(larger.entries[0]));
    if (!larger.entries) return false;
    for (size_t i = 0; i < map->capacity; i++) {
        const tirbi_text_entry *entry = &map->entries[i];
        if (entry->text) *locate(&larger, entry->text, entry->size) = *entry;
    }
    tirbi_heap_free(map->heap, map->entries, map->capacity * sizeof(map->entries[0]));
    *map = larger;
    return true;
}

bool tirbi_text_map_add(tirbi_text_map *map, const char *text, size_t size, uint32_t number) {
    if (2 * (map->used + 1) > map->capacity && !grow(map)) return false;
    tirbi_text_entry *entry = locate(map, text, size);
    if (entry->text) return true;
    *entry = (tirbi_text_entry){.text = text, .size = size, .number = number};
    map->used++;
    return true;
}
