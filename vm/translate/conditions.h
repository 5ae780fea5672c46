/* Registers that hold results for a moment: only the instruction right behind the one that writes one reads it. A form
 * of both need not write them. */
#ifndef TIRB_VM_TRANSLATE_CONDITIONS_H
#define TIRB_VM_TRANSLATE_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/base/bytes.h"
#include "loader/isa/isa.h"

typedef struct tirbi_conditions {
    uint8_t *named;   /* by scalar register: whether something else reads it, */
    uint32_t n_named; /* of so many: a function may have far more registers than its code has bytes */
    uint32_t written; /* the number and 1 of what the instruction before wrote, or an index check behind it; or 0 */
} tirbi_conditions;

static inline bool tirbi_is_comparison(uint8_t op) { return op >= TIRB_OP_EQ && op <= TIRB_OP_GE; }

/* Something else reads the register. */
static inline void tirbi_conditions_name(tirbi_conditions *c, uint16_t x) {
    if (x < c->n_named) c->named[x] = true; /* and so it is no small constant */
}

/* Names a register that is read, unless the instruction before wrote it and nothing jumps in between. */
static inline void tirbi_conditions_read(tirbi_conditions *c, uint16_t x, bool is_target) {
    if (is_target || c->written == 0 || x != c->written - 1) tirbi_conditions_name(c, x);
}

/* Notes a row of so many bytes, which has more than one register. What is read where something jumps to may come from
 * elsewhere: such a place is noted as a target, once more where the jump is behind it. */
static inline void tirbi_conditions_note_row(tirbi_conditions *c, const uint8_t *code, unsigned size, bool is_target) {
    enum { HEAD = 2, REGISTER = 2 };
    const uint8_t *const o = code + HEAD, *const end = code + size - 1; /* a type may stand behind them */
    for (const uint8_t *at = o + REGISTER; at < end; at += REGISTER)
        tirbi_conditions_read(c, tirbi_load_u16(at), is_target);
    c->written = tirbi_load_u16(o) + 1u;
}

/* Notes an instruction of those that most scalar code is made of, by its bytes; false: it is another. */
static inline bool tirbi_conditions_note_usual(tirbi_conditions *c, const uint8_t *code, bool is_target) {
    enum { HEAD = 2, REGISTER = 2 };
    const uint8_t *const o = code + HEAD; /* some instructions have no operands */
    uint32_t written = 0;
    switch (code[0]) {
    case TIRB_OP_CONST: tirbi_conditions_name(c, tirbi_load_u16(o)); break;
    case TIRB_OP_LOAD:
        tirbi_conditions_read(c, tirbi_load_u16(o + 2 * REGISTER), is_target);
        written = tirbi_load_u16(o) + 1u;
        break;
    case TIRB_OP_STORE:
        tirbi_conditions_read(c, tirbi_load_u16(o + REGISTER), is_target);
        tirbi_conditions_read(c, tirbi_load_u16(o + 2 * REGISTER), is_target);
        break;
    case TIRB_OP_INDEX:
        tirbi_conditions_read(c, tirbi_load_u16(o), is_target);
        tirbi_conditions_name(c, tirbi_load_u16(o + REGISTER));
        written = is_target ? 0 : c->written;
        break;
    case TIRB_OP_BRIF:
    case TIRB_OP_BRNOT: tirbi_conditions_read(c, tirbi_load_u16(o), is_target); break;
    default:
        if (tirbi_row_sizes[code[0]] == 0) return false;
        tirbi_conditions_note_row(c, code, tirbi_row_sizes[code[0]], is_target);
        return true;
    }
    c->written = written;
    return true;
}

/* Notes the instructions of a function, one after the other: `code` are the bytes of one. */
void tirbi_conditions_note(tirbi_conditions *conditions, const uint8_t *code, const tirbi_instr *in, bool is_target);

/* Whether it holds results for a moment. */
static inline bool tirbi_conditions_owns(const tirbi_conditions *c, int64_t reg) {
    return reg < c->n_named && !c->named[reg];
}

#endif
