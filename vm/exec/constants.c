#include "vm/exec/constants.h"

void tirbi_constants_init(tirbi_constants *c, tirbi_heap *heap, uint32_t first_slot) {
    *c = (tirbi_constants){.heap = heap, .first_slot = first_slot};
}

void tirbi_constants_release(tirbi_constants *c) {
    tirbi_heap_free(c->heap, c->values, c->capacity * sizeof *c->values);
    tirbi_heap_free(c->heap, c->table, 2 * c->capacity * sizeof *c->table);
    *c = (tirbi_constants){.heap = c->heap};
}

/* The table entry of `value`: its own or the free one where it belongs. */
static uint16_t *entry_of(tirbi_constants *c, uint64_t value) {
    uint32_t mask = 2 * c->capacity - 1;
    uint32_t at = (uint32_t)((value * 0x9E3779B97F4A7C15u) >> 32) & mask;
    while (c->table[at] != 0 && c->values[c->table[at] - 1u] != value) at = (at + 1) & mask;
    return &c->table[at];
}

static void grow(tirbi_constants *c) {
    tirbi_constants larger = *c;
    larger.capacity = c->capacity ? c->capacity * 2 : 8;
    larger.values = tirbi_heap_calloc(c->heap, larger.capacity, sizeof *larger.values);
    larger.table = tirbi_heap_calloc(c->heap, 2 * (size_t)larger.capacity, sizeof *larger.table);
    if (!larger.values || !larger.table) {
        tirbi_heap_free(c->heap, larger.values, larger.capacity * sizeof *larger.values);
        tirbi_heap_free(c->heap, larger.table, 2 * larger.capacity * sizeof *larger.table);
        c->failed = true;
        return;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        larger.values[i] = c->values[i];
        *entry_of(&larger, c->values[i]) = (uint16_t)(i + 1);
    }
    tirbi_heap_free(c->heap, c->values, c->capacity * sizeof *c->values);
    tirbi_heap_free(c->heap, c->table, 2 * c->capacity * sizeof *c->table);
    *c = larger;
}

/* There are at most 2^15 registers and 2^15 small constants, so a slot fits 16 bits. */
uint16_t tirbi_slot_of_x(tirbi_constants *c, uint16_t x) {
    if (!tirbi_x_is_small(x)) return x;
    if (c->n == c->capacity) grow(c);
    if (c->failed) return 0;
    uint64_t value = (uint64_t)tirbi_x_small(x);
    uint16_t *entry = entry_of(c, value);
    if (*entry == 0) {
        c->values[c->n] = value;
        *entry = (uint16_t)++c->n;
    }
    return (uint16_t)(c->first_slot + *entry - 1u);
}
