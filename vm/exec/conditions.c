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

/* The registers of an elementwise instruction, but for its operand number `but`. */
static void name_row(tirbi_conditions *c, const tirbi_instr *in, unsigned but) {
    const unsigned n = tirbi_ops[in->op].arity + 1u;
    for (unsigned i = 0; i < n; i++)
        if (i != but) name(c, (uint16_t)in->operand[i]);
}

/* All registers that an instruction names, but for its operand number `but`. */
static void name_registers(tirbi_conditions *c, const tirbi_instr *in, unsigned but) {
    if (tirbi_ops[in->op].flags & TIRBI_FLAG_ELEMENTWISE) {
        name_row(c, in, but);
        return;
    }
    const char *letters = tirbi_ops[in->op].operands;
    for (unsigned i = 0; letters[i]; i++) {
        if (i == but) continue;
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

void tirbi_conditions_note(tirbi_conditions *c, const tirbi_instr *in, bool is_target) {
    enum { LANE_ROW = TIRBI_FLAG_LANE | TIRBI_FLAG_ELEMENTWISE };
    if ((tirbi_ops[in->op].flags & LANE_ROW) == LANE_ROW) { /* which names lane registers */
        c->written = 0;
        return;
    }
    const bool branches = in->op == TIRB_OP_BRIF || in->op == TIRB_OP_BRNOT;
    const bool chooses = in->op == TIRB_OP_SELECT && in->type != TIRB_BOOL;
    const unsigned condition = branches ? 0 : 1;
    const bool follows = !is_target && c->written != 0;
    const bool reads = follows && (branches || chooses) && in->operand[condition] == c->written - 1;
    name_registers(c, in, reads ? condition : tirbi_is_comparison(in->op) ? 0 : TIRBI_MAX_OPERANDS);
    c->written = tirbi_is_comparison(in->op) ? (uint32_t)in->operand[0] + 1 : 0;
}
