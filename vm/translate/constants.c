#include "vm/translate/constants.h"

#include <string.h>

#include "loader/base/secret.h"
#include "vm/translate/flow.h"

void tirbi_constants_init(tirbi_constants *c, tirbi_heap *heap, uint32_t first_slot, uint64_t secret) {
    *c = (tirbi_constants){.heap = heap, .first_slot = first_slot, .secret = secret};
}

/* A value, the next one in its chain, and a chain, which are in the same block, in this order. */
enum { ENTRY = sizeof(uint64_t) + 2 * sizeof(uint16_t) };

void tirbi_constants_release(tirbi_constants *c) {
    if (c->capacity > TIRBI_FEW_CONSTANTS) tirbi_heap_free(c->heap, c->values, c->capacity * ENTRY);
}

/* Chains are as many as there is room for values. */
static uint16_t *chain_of(const tirbi_constants *c, uint64_t value) {
    return &c->chains[tirbi_chain_of_key(value, c->secret, (unsigned)__builtin_ctz(c->capacity))];
}

static void add_to_chain(tirbi_constants *c, uint32_t i) {
    uint16_t *chain = chain_of(c, c->values[i]);
    c->next[i] = *chain;
    *chain = (uint16_t)(i + 1);
}

static void grow(tirbi_constants *c) {
    enum { ADDED_AT_ONCE = 8 };
    _Static_assert(sizeof c->few == TIRBI_FEW_CONSTANTS * ENTRY, "the first ones have room");
    const uint32_t capacity = c->capacity ? c->capacity * 2 : TIRBI_FEW_CONSTANTS;
    uint64_t *const before = c->values;
    uint64_t *const values = c->capacity ? tirbi_heap_calloc(c->heap, capacity, ENTRY) : c->few;
    if (!values) {
        c->failed = true;
        return;
    }
    if (c->n > 0) memcpy(values, before, c->n * sizeof *values);
    tirbi_constants_release(c);
    c->capacity = capacity;
    c->values = values;
    c->next = (uint16_t *)(void *)(values + capacity);
    c->chains = c->next + capacity;
    for (uint32_t i = 0; i < c->n; i++) add_to_chain(c, i);
    c->heap->work += capacity / ADDED_AT_ONCE;
}

static uint16_t slot_of(tirbi_constants *c, uint64_t value) {
    uint32_t link = c->n > 0 ? *chain_of(c, value) : 0;
    for (c->heap->work++; link != 0 && c->values[link - 1] != value; link = c->next[link - 1]) c->heap->work++;
    if (link != 0) return (uint16_t)(c->first_slot + link - 1);
    if (c->n == c->capacity) grow(c);
    if (c->failed) return 0;
    c->values[c->n] = value;
    add_to_chain(c, c->n);
    return (uint16_t)(c->first_slot + c->n++);
}

/* There are at most 2^15 registers and 2^15 small constants, so a slot fits 16 bits. */
uint16_t tirbi_slot_of_x(tirbi_constants *c, uint16_t x) {
    if (!tirbi_x_is_small(x)) return x;
    const uint64_t value = (uint64_t)tirbi_x_small(x);
    if (value >= sizeof c->slots / sizeof *c->slots) return slot_of(c, value);
    if (c->slots[value] == 0) c->slots[value] = (uint16_t)(slot_of(c, value) + 1u);
    return (uint16_t)(c->slots[value] - 1u);
}

bool tirbi_slot_of_value(tirbi_constants *c, uint64_t value, uint16_t *out) {
    enum { MOST_VALUES = 1024, MOST_SMALL = 1 << 15 };
    const uint32_t before = c->n;
    if (c->n_values == MOST_VALUES || c->first_slot + MOST_SMALL + MOST_VALUES > UINT16_MAX) return false;
    *out = slot_of(c, value);
    c->n_values += c->n - before;
    return !c->failed;
}

uint64_t tirbi_value_of_bits(uint8_t type, uint32_t bits) {
    if (type == TIRB_F64) {
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        double wide = narrow;
        uint64_t out;
        memcpy(&out, &wide, sizeof out);
        return out;
    }
    return tirbi_dtype_is_signed((tirbi_dtype)type) ? (uint64_t)(int64_t)(int32_t)bits : bits;
}

uint64_t tirbi_value_of_const(const tirbi_instr *in) {
    if (in->op == TIRB_OP_CONST64) return (uint64_t)in->operand[1];
    return tirbi_value_of_bits(in->type, (uint32_t)in->operand[1]);
}
