#include "vm/exec/conditions.h"

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

void tirbi_conditions_note(tirbi_conditions *c, const tirbi_instr *in, bool is_target) {
    enum { LANE_ROW = TIRBI_FLAG_LANE | TIRBI_FLAG_ELEMENTWISE };
    const unsigned kind = tirbi_ops[in->op].flags & (unsigned)LANE_ROW;
    const int64_t *const o = in->operand;
    uint32_t written = 0;
    if (kind == TIRBI_FLAG_ELEMENTWISE) {
        for (unsigned i = 1; i <= tirbi_ops[in->op].arity; i++) tirbi_conditions_read(c, (uint16_t)o[i], is_target);
        written = (uint32_t)o[0] + 1;
    } else if (in->op == TIRB_OP_LOAD) {
        tirbi_conditions_read(c, (uint16_t)o[2], is_target);
        written = (uint32_t)o[0] + 1;
    } else if (in->op == TIRB_OP_STORE) {
        tirbi_conditions_read(c, (uint16_t)o[1], is_target);
        tirbi_conditions_read(c, (uint16_t)o[2], is_target);
    } else if (in->op == TIRB_OP_INDEX) {
        tirbi_conditions_read(c, (uint16_t)o[0], is_target);
        name(c, (uint16_t)o[1]);
        written = is_target ? 0 : c->written;
    } else if (in->op == TIRB_OP_BRIF || in->op == TIRB_OP_BRNOT) {
        tirbi_conditions_read(c, (uint16_t)o[0], is_target);
    } else if (kind != LANE_ROW) { /* a row of lanes names lane registers */
        name_registers(c, in);
    }
    c->written = written;
}
