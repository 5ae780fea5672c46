/* Which lane loops have a body for short rows that are packed, several in a block: see vm/lanes/packs.inc. It is the
 * tail body, but that what a cursor means is packed in a strip where it is loaded. */
#include "vm/enter/lane_entry.h"
#include "vm/translate/lane_plan.h"

/* Whether a body may run on packed rows, and may want to: it loads, computes and stores elements, and either machines
 * for several rows do not have all of it, or its rows are known to be short. */
bool tirbi_lane_can_pack(const lane_planner *p) {
    const tirbi_lane_loop *loop = p->loop;
    const uint16_t n = p->body->header->n;
    bool loads = false;
    if ((loop->by_rows && !tirbi_x_is_small(n)) || loop->n_outer == 0 || loop->n_tiles > 0 || loop->n_copies > 0 ||
        p->body->n_own > 0 || p->body->n_seeks > 0 || (tirbi_x_is_small(n) && tirbi_x_small(n) > loop->lanes / 2))
        return false;
    for (unsigned k = 0; k < loop->n_inner; k++)
        if (loop->inner[k].index != TIRBI_NO_REG) return false;
    for (uint32_t i = loop->n_outer; i < p->body->n - loop->n_outer && !tirbi_lane_body_is_stopped(p->body, i); i++) {
        const lane_ins *ins = &p->body->ins[i];
        const bool around = ins->op == TIRB_OP_INNER || ins->op == TIRB_OP_INNER_END;
        const bool stores = ins->op == TIRB_OP_VSTORE;
        const bool computes = (tirbi_ops[ins->op].flags & TIRBI_FLAG_ELEMENTWISE) != 0;
        const bool begins = ins->op == TIRB_OP_VLOAD || ins->op == TIRB_OP_VSPLAT || ins->op == TIRB_OP_VIOTA;
        loads = loads || ins->op == TIRB_OP_VLOAD;
        if (!around && !stores && !computes && !begins) return false;
    }
    return loads && !p->emitter->failed;
}

/* Whether the full body reads all elements that are apart to banks. */
bool tirbi_lane_picks_all(lane_planner *p) {
    const uint32_t end = p->body->n - p->loop->n_outer;
    p->tail = false;
    if (!p->body->has_picks) return false;
    for (uint32_t i = p->loop->n_outer; i < end && !tirbi_lane_body_is_stopped(p->body, i); i++) {
        const lane_ins *ins = &p->body->ins[i];
        const bool apart = ins->op == TIRB_OP_VLOAD && p->body->strides[ins->cursor] == STRIDE_ANY;
        if (apart && tirbi_lane_steps_of(p, ins->cursor, ins->type, true) == 0) return false;
    }
    return true;
}

/* What the word before a packed body says. */
tirbi_word tirbi_lane_packed_work(const lane_planner *p) {
    const uint32_t end = p->body->n - p->loop->n_outer;
    tirbi_word work = {.bits = 0};
    for (uint32_t i = p->loop->n_outer; i < end && !tirbi_lane_body_is_stopped(p->body, i); i++) {
        const lane_ins *ins = &p->body->ins[i];
        const bool stores = ins->op == TIRB_OP_VSTORE && p->body->strides[ins->cursor] == STRIDE_ONE;
        const bool in_banks = stores || ins->kind != 0 || !tirbi_lane_is_computed(p->body, ins);
        unsigned counted = in_banks && p->body->main_size != 0 ? TIRBI_PACKED_IN_BANKS : TIRBI_PACKED_BY_KERNELS;
        if (ins->op == TIRB_OP_VSPLAT || ins->op == TIRB_OP_INNER || ins->op == TIRB_OP_INNER_END) continue;
        if (ins->op == TIRB_OP_VLOAD) counted = TIRBI_PACKED_LOADS;
        if (work.list[counted] < UINT16_MAX) work.list[counted]++;
        const bool apart = ins->op == TIRB_OP_VLOAD && p->body->strides[ins->cursor] == STRIDE_ANY;
        if (apart && work.list[TIRBI_PACKED_STEPS] < UINT16_MAX) work.list[TIRBI_PACKED_STEPS]++;
    }
    return work;
}
