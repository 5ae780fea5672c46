#include "compiler/source/names.h"

#include <string.h>

#include "compiler/source/index.h"

static bool grow_names(tirbi_names *names) {
    uint32_t capacity = names->capacity ? names->capacity * 2 : 256;
    const char **slots = TIRBI_NEW_ARRAY(names->arena, const char *, capacity);
    if (!slots) return false;
    for (uint32_t i = 0; i < names->capacity; i++) {
        const char *name = names->slots[i];
        if (!name) continue;
        uint32_t at = tirbi_text_hash(names->arena, name, strlen(name)) & (capacity - 1);
        while (slots[at]) at = (at + 1) & (capacity - 1);
        slots[at] = name;
    }
    names->slots = slots;
    names->capacity = capacity;
    return true;
}

const char *tirbi_intern(tirbi_names *names, const char *text, size_t size) {
    if (names->n * 2 >= names->capacity && !grow_names(names)) return NULL;
    uint32_t at = tirbi_text_hash(names->arena, text, size) & (names->capacity - 1);
    for (; names->slots[at]; at = (at + 1) & (names->capacity - 1))
        if (strncmp(names->slots[at], text, size) == 0 && names->slots[at][size] == 0) return names->slots[at];
    const char *copy = tirbi_arena_text(names->arena, text, size);
    if (!copy) return NULL;
    names->slots[at] = copy;
    names->n++;
    return copy;
}
