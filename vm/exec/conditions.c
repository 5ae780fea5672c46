#include "vm/exec/conditions.h"

static void name(tirbi_conditions *c, uint16_t x) {
    if (x < c->n_named) c->named[x] = 1; /* and so it is no small constant */
}

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

/* The registers of an elementwise instruction: a comparison's result is not named by it, nor the condition that a
 * choice has from the comparison before it. */
static void note_row(tirbi_conditions *c, const tirbi_instr *in, bool is_target) {
    const bool compares = tirbi_is_comparison(in->op);
    const bool chooses = in->op == TIRB_OP_SELECT && in->type != TIRB_BOOL && !is_target && c->written != 0 &&
                         in->operand[1] == c->written - 1;
    const unsigned n = tirbi_ops[in->op].arity + 1u;
    if (!compares) name(c, (uint16_t)in->operand[0]);
    if (!chooses) name(c, (uint16_t)in->operand[1]);
    for (unsigned i = 2; i < n; i++) name(c, (uint16_t)in->operand[i]);
    c->written = compares ? (uint32_t)in->operand[0] + 1 : 0;
}

void tirbi_conditions_note(tirbi_conditions *c, const tirbi_instr *in, bool is_target) {
    enum { LANE_ROW = TIRBI_FLAG_LANE | TIRBI_FLAG_ELEMENTWISE };
    const unsigned kind = tirbi_ops[in->op].flags & (unsigned)LANE_ROW;
    if (kind == TIRBI_FLAG_ELEMENTWISE) {
        note_row(c, in, is_target);
        return;
    }
    const bool branches = in->op == TIRB_OP_BRIF || in->op == TIRB_OP_BRNOT;
    const bool reads = branches && !is_target && c->written != 0 && in->operand[0] == c->written - 1;
    if (kind != LANE_ROW && !reads) name_registers(c, in); /* a row of lanes names lane registers */
    c->written = 0;
}
