/* Emission of contractions: guards, checks of indices over the whole box, the instruction. */
#include "compiler/emit/emit.h"

static void emit_checks(tirbi_emitter *e, const tirbi_contract_plan *plan) {
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        for (const tirbi_place *v = plan->operands[o].place; v; v = v->view) {
            tirbi_put_box_checks(e, v, &plan->loops, UINT64_MAX);
        }
    }
}

/* The value zero is all zero bits in every type, and needs no register. */
static uint16_t first_operand(tirbi_emitter *e, const tirbi_lx *first) {
    if (!first || (first->kind == TIRBI_LX_CONST && first->value == 0)) return tirbi_x_from_small(0);
    return tirbi_put_value(e, first);
}

static void fill_box(tirbi_emitter *e, const tirbi_contract_plan *plan, tirbi_contract_box *box) {
    const tirbi_lx *zero = tirbi_lx_number(e->pool, 0);
    box->n_loops = (uint8_t)plan->loops.n;
    for (uint32_t i = 0; i < plan->loops.n; i++) box->extents[i] = tirbi_put_operand(e, plan->loops.var[i]->extent);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        const tirbi_affine *form = &plan->operands[o].form;
        box->operands[o].ref = tirbi_buffer_ref(e, plan->operands[o].place->buffer->root);
        box->operands[o].type = (uint8_t)plan->operands[o].type;
        box->operands[o].start = tirbi_put_operand(e, form->start);
        for (uint32_t i = 0; i < plan->loops.n; i++) {
            box->operands[o].steps[i] = tirbi_put_operand(e, form->coefficient[i] ? form->coefficient[i] : zero);
        }
    }
}

/* The instruction for a plan, whose operands are computed, or NULL. */
static tirbi_instr *make_instr(tirbi_emitter *e, const tirbi_contract_plan *plan, tirbi_op op) {
    emit_checks(e, plan);
    tirbi_instr *instr = TIRBI_NEW(e->arena, tirbi_instr);
    if (!instr) return NULL;
    instr->op = (uint8_t)op;
    instr->type = (uint8_t)plan->type;
    instr->operand[0] = plan->flags | (plan->first ? TIRBI_CONTRACT_INIT : 0);
    instr->operand[1] = first_operand(e, plan->first);
    fill_box(e, plan, &instr->box);
    return instr;
}

_Static_assert((int)TIRBI_FOLD_INIT == (int)TIRBI_CONTRACT_INIT, "both have their first value by the same bit");

/* Plans over the same loops, one after the other: what their operands need is computed before all of them, so that they
 * follow each other and the machine may go through rows once for two of them. */
void tirbi_put_contractions(tirbi_emitter *e, const tirbi_sched *node) {
    const tirbi_leaf *leaf = node->as.leaf;
    const tirbi_contract_plan *plans = leaf->contract;
    const tirbi_op op = leaf->kind == TIRBI_LEAF_FOLD ? TIRB_OP_FOLD : TIRB_OP_CONTRACT;
    tirbi_patch_list skip = {0};
    tirbi_scope scope = tirbi_scope_open(e);
    tirbi_instr *instrs[TIRBI_MAX_FOLDS];
    for (uint32_t i = 0; i < plans->loops.n; i++) tirbi_put_guard(e, plans->loops.var[i], &skip);
    tirbi_scope inside = tirbi_scope_open(e);
    tirbi_mark_line(e, plans->span);
    for (uint32_t i = 0; i < leaf->n; i++) {
        instrs[i] = make_instr(e, &plans[i], op);
        if (!instrs[i]) return;
    }
    tirbi_mark_line(e, plans->span);
    for (uint32_t i = 0; i < leaf->n && !e->failed; i++) tirbi_encode(&e->code, instrs[i]);
    tirbi_scope_close(e, inside);
    tirbi_land(e, &skip);
    tirbi_scope_close(e, scope);
}
