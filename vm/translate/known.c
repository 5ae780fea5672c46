#include "vm/translate/known.h"

typedef struct tirbi_fact fact;

void tirbi_known_clear(tirbi_known *known) { known->n = known->next = 0; }

static void drop(tirbi_known *known, unsigned i) {
    known->facts[i] = known->facts[--known->n];
    known->next = 0;
}

void tirbi_known_drop(tirbi_known *known, uint16_t slot) {
    for (unsigned i = known->n; i-- > 0;)
        if (known->facts[i].slot == slot || known->facts[i].index == slot) drop(known, i);
}

void tirbi_known_store(tirbi_known *known) {
    for (unsigned i = known->n; i-- > 0;)
        if (known->facts[i].loaded) drop(known, i);
}

static void add(tirbi_known *known, fact f) {
    if (known->n < TIRBI_MAX_KNOWN) {
        known->facts[known->n++] = f;
        return;
    }
    known->facts[known->next] = f;
    known->next = (known->next + 1) % TIRBI_MAX_KNOWN;
}

void tirbi_known_add_check(tirbi_known *known, uint16_t index, uint16_t extent) {
    add(known, (fact){.slot = extent, .index = index});
}

bool tirbi_known_check(const tirbi_known *known, uint16_t index, uint16_t extent) {
    for (unsigned i = 0; i < known->n; i++) {
        const fact *f = &known->facts[i];
        if (!f->loaded && f->slot == extent && f->index == index) return true;
    }
    return false;
}

void tirbi_known_add_load(tirbi_known *known, uint8_t type, uint16_t ref, uint16_t index, uint16_t slot) {
    tirbi_known_write(known, slot);
    if (slot == index) return;
    add(known, (fact){.loaded = true, .type = type, .ref = ref, .slot = slot, .index = index});
}

bool tirbi_known_load(const tirbi_known *known, uint8_t type, uint16_t ref, uint16_t index, uint16_t *slot) {
    for (unsigned i = 0; i < known->n; i++) {
        const fact *f = &known->facts[i];
        if (!f->loaded || f->type != type || f->ref != ref || f->index != index) continue;
        *slot = f->slot;
        return true;
    }
    return false;
}
