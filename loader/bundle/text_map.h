/* Texts to numbers: names of strings, functions and labels in assembly. */
#ifndef TIRB_LOADER_BUNDLE_TEXT_MAP_H
#define TIRB_LOADER_BUNDLE_TEXT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/base/alloc.h"

typedef struct tirbi_text_entry {
    const char *text; /* NULL: free */
    size_t size;
    uint32_t number;
} tirbi_text_entry;

/* Open addressing with linear probing, at most half full. The texts must outlive the map. */
typedef struct tirbi_text_map {
    tirbi_heap *heap;
    tirbi_text_entry *entries;
    size_t capacity; /* 0 or a power of two */
    size_t used;
} tirbi_text_map;

void tirbi_text_map_init(tirbi_text_map *map, tirbi_heap *heap);
void tirbi_text_map_destroy(tirbi_text_map *map);
/* Forgets the entries, keeps the memory. */
void tirbi_text_map_clear(tirbi_text_map *map);
bool tirbi_text_map_find(const tirbi_text_map *map, const char *text, size_t size, uint32_t *out);
/* Adds a text that is not there; one that is keeps its number. False: out of memory. */
bool tirbi_text_map_add(tirbi_text_map *map, const char *text, size_t size, uint32_t number);

#endif
