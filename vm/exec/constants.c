#include "vm/exec/constants.h"

#include <string.h>

#include "loader/base/error.h"

void tirbi_constants_init(tirbi_constants *c, tirbi_heap *heap, uint32_t first_slot) {
    *c = (tirbi_constants){.heap = heap, .first_slot = first_slot};
}

/* A value and two entries of the table, which lies behind the values in the same block. */
enum { ENTRY = sizeof(uint64_t) + 2 * sizeof(uint16_t) };

void tirbi_constants_release(tirbi_constants *c) {
    tirbi_heap_free(c->heap, c->values, c->capacity * ENTRY);
    tirbi_heap_free(c->heap, c->known, c->n_known * sizeof *c->known);
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
    larger.values = tirbi_heap_calloc(c->heap, larger.capacity, ENTRY);
    if (!larger.values) {
        c->failed = true;
        return;
    }
    larger.table = (uint16_t *)(void *)(larger.values + larger.capacity);
    for (uint32_t i = 0; i < c->n; i++) {
        larger.values[i] = c->values[i];
        *entry_of(&larger, c->values[i]) = (uint16_t)(i + 1);
    }
    tirbi_heap_free(c->heap, c->values, c->capacity * ENTRY);
    *c = larger;
}

static uint16_t slot_of(tirbi_constants *c, uint64_t value) {
    if (c->n == c->capacity) grow(c);
    if (c->failed) return 0;
    uint16_t *entry = entry_of(c, value);
    if (*entry == 0) {
        c->values[c->n] = value;
        *entry = (uint16_t)++c->n;
    }
    return (uint16_t)(c->first_slot + *entry - 1u);
}

/* There are at most 2^15 registers and 2^15 small constants, so a slot fits 16 bits. */
uint16_t tirbi_slot_of_x(tirbi_constants *c, uint16_t x) {
    return tirbi_x_is_small(x) ? slot_of(c, (uint64_t)tirbi_x_small(x)) : x;
}

bool tirbi_slot_of_value(tirbi_constants *c, uint64_t value, uint16_t *out) {
    enum { MOST_VALUES = 1024, MOST_SMALL = 1 << 15 };
    const uint32_t before = c->n;
    if (c->n_values == MOST_VALUES || c->first_slot + MOST_SMALL + MOST_VALUES > UINT16_MAX) return false;
    *out = slot_of(c, value);
    c->n_values += c->n - before;
    return !c->failed;
}

uint64_t tirbi_value_of_const(const tirbi_instr *in) {
    if (in->op == TIRB_OP_CONST64) return (uint64_t)in->operand[1];
    uint32_t bits = (uint32_t)in->operand[1];
    if (in->type == TIRB_F64) {
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        double wide = narrow;
        uint64_t out;
        memcpy(&out, &wide, sizeof out);
        return out;
    }
    return tirbi_dtype_is_signed(in->type) ? (uint64_t)(int64_t)(int32_t)bits : bits;
}

static void note_write(tirbi_known_register *known, bool constant, uint64_t bits) {
    if (!constant || (known->written && known->bits != bits)) known->varies = true;
    known->written = true;
    known->bits = bits;
}

static void note_writes(tirbi_known_register *known, const tirbi_instr *in) {
    const char *operands = tirbi_ops[in->op].operands;
    bool constant = in->op == TIRB_OP_CONST || in->op == TIRB_OP_CONST64;
    for (unsigned i = 0; operands[i] != '\0'; i++)
        if (operands[i] == 'D')
            note_write(&known[in->operand[i]], constant, constant ? tirbi_value_of_const(in) : 0);
    for (unsigned k = 0; in->op == TIRB_OP_LANE && k < in->lane.n_inner; k++)
        if (in->lane.inner[k].index != TIRBI_NO_REG) note_write(&known[in->lane.inner[k].index], false, 0);
}

tirb_status tirbi_known_registers(tirbi_constants *c, const tirbi_function *function, const tirbi_known_register **out,
                                  tirb_error *error) {
    *out = c->known;
    if (c->known) return TIRB_OK;
    tirbi_known_register *known = tirbi_heap_calloc(c->heap, function->n_sregs, sizeof *known);
    tirbi_instr *in = tirbi_heap_alloc(c->heap, sizeof *in);
    tirb_status status = known && in ? TIRB_OK : tirbi_heap_status(c->heap);
    for (uint32_t i = 0; status == TIRB_OK && i < function->n_params; i++)
        if (function->params[i].kind == TIRB_PARAM_SCALAR) known[function->params[i].reg].varies = true;
    for (uint32_t i = 0; status == TIRB_OK && i < function->n_vars; i++) known[function->vars[i].reg].varies = true;
    for (uint32_t at = 0; status == TIRB_OK && at < function->code_size; at += in->size) {
        status = tirbi_decode(function->code, function->code_size, at, in, error);
        if (status == TIRB_OK) note_writes(known, in);
    }
    tirbi_heap_free(c->heap, in, sizeof *in);
    c->known = known;
    c->n_known = known ? function->n_sregs : 0;
    *out = known;
    return status;
}
