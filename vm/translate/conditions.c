#include "vm/translate/conditions.h"

static void name(tirbi_conditions *c, uint16_t x) { tirbi_conditions_name(c, x); }

static void name_header(tirbi_conditions *c, const tirbi_lane_header *lane) {
    name(c, lane->n);
    for (unsigned i = 0; i < lane->n_inner; i++) {
        name(c, lane->inner[i].extent);
        if (lane->inner[i].index != TIRBI_NO_REG) name(c, lane->inner[i].index);
    }
    for (unsigned k = 0; k < lane->n_cursors; k++) {
        name(c, lane->cursors[k].start);
        name(c, lane->cursors[k].step);
        for (unsigned i = 0; i < lane->n_inner; i++) name(c, lane->cursors[k].steps[i]);
    }
}

static void name_box(tirbi_conditions *c, const tirbi_contract_box *box) {
    for (unsigned i = 0; i < box->n_loops; i++) name(c, box->extents[i]);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        name(c, box->operands[o].start);
        for (unsigned i = 0; i < box->n_loops; i++) name(c, box->operands[o].steps[i]);
    }
}

/* The registers of any other. */
static void name_registers(tirbi_conditions *c, const tirbi_instr *in) {
    const char *letters = tirbi_ops[in->op].operands;
    for (unsigned i = 0; letters[i]; i++) {
        switch (letters[i]) {
        case 'D':
        case 'S':
        case 'x': name(c, (uint16_t)in->operand[i]); break;
        case 'a':
            for (int64_t k = 0; k < in->operand[i]; k++) name(c, in->scalars[k]);
            break;
        case 'P':
            for (int64_t k = 0; k < in->operand[i]; k++) {
                if (!in->parts[k].partitioned) continue;
                name(c, in->parts[k].base);
                name(c, in->parts[k].stride);
                name(c, in->parts[k].extent);
            }
            break;
        case 'H': name_header(c, &in->lane); break;
        case 'B': name_box(c, &in->box); break;
        default: break;
        }
    }
}

void tirbi_conditions_note(tirbi_conditions *c, const uint8_t *code, const tirbi_instr *in, bool is_target) {
    if (tirbi_conditions_note_usual(c, code, is_target)) return;
    if (!(tirbi_ops[in->op].flags & TIRBI_FLAG_ELEMENTWISE)) name_registers(c, in); /* a row names lane registers */
    c->written = 0;
}
