/* Emission of contractions: guards, checks of indices over the whole box, C's first values, the instruction. */
#include "compiler/emit/emit.h"
#include "compiler/optimize/contractions/distribute.h"
#include "loader/isa/semirings.h"

static void emit_checks(tirbi_emitter *e, const tirbi_contract_plan *plan) {
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        for (const tirbi_place *v = plan->operands[o].place; v; v = v->view) {
            tirbi_put_box_checks(e, v, &plan->loops, UINT64_MAX);
        }
    }
}

/* A nest of the spatial loops around what gives C its first values. */
static void emit_before(tirbi_emitter *e, const tirbi_contract_plan *plan) {
    const tirbi_ls *body = plan->before;
    for (uint32_t i = plan->loops.n; i-- > 0;) {
        if (plan->reduces[i]) continue;
        tirbi_ls *loop = TIRBI_NEW(e->arena, tirbi_ls);
        if (!loop) return;
        loop->kind = TIRBI_LS_LOOP;
        loop->span = plan->before->span;
        loop->as.loop.var = plan->loops.var[i];
        loop->as.loop.body = body;
        body = loop;
    }
    tirbi_put_stmt(e, body);
}

/* The value zero is all zero bits in every type, and needs no register. */
static uint16_t first_operand(tirbi_emitter *e, const tirbi_lx *first) {
    if (!first || (first->kind == TIRBI_LX_CONST && first->value == 0)) return tirbi_x_from_small(0);
    return tirbi_put_value(e, first);
}

static void fill_box(tirbi_emitter *e, const tirbi_contract_plan *plan, tirbi_contract_box *box) {
    const tirbi_lx *zero = tirbi_lx_int(e->pool, TIRB_I64, 0);
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
    if (plan->before) emit_before(e, plan);
    tirbi_instr *instr = TIRBI_NEW(e->arena, tirbi_instr);
    if (!instr) return NULL;
    instr->op = (uint8_t)op;
    instr->type = (uint8_t)plan->type;
    instr->operand[0] = plan->flags | (plan->first ? TIRBI_CONTRACT_INIT : 0);
    instr->operand[1] = first_operand(e, plan->first);
    fill_box(e, plan, &instr->box);
    return instr;
}

/* Plans over the same loops, one after the other: what their operands need is computed before all of them, so that they
 * follow each other and the machine may go through rows once for two of them. */
static void emit_contractions(tirbi_emitter *e, const tirbi_contract_plan *plans, uint32_t n, tirbi_op op) {
    tirbi_patch_list skip = {0};
    tirbi_scope scope = tirbi_scope_open(e);
    tirbi_instr *instrs[TIRBI_MAX_FOLDS];
    for (uint32_t i = 0; i < plans->loops.n; i++) tirbi_put_guard(e, plans->loops.var[i], &skip);
    tirbi_scope inside = tirbi_scope_open(e);
    tirbi_mark_line(e, plans->span);
    for (uint32_t i = 0; i < n; i++) {
        instrs[i] = make_instr(e, &plans[i], op);
        if (!instrs[i]) return;
    }
    tirbi_mark_line(e, plans->span);
    for (uint32_t i = 0; i < n && !e->failed; i++) tirbi_encode(&e->code, instrs[i]);
    tirbi_scope_close(e, inside);
    tirbi_land(e, &skip);
    tirbi_scope_close(e, scope);
}

/* What is done along the loops of the sum. */
static const char *reduction_of(const tirbi_contract_plan *plan) {
    switch (tirbi_semiring_of(plan->flags)) {
#define TIRBI_SEMIRING(NAME, types, text)                                                                              \
    case TIRBI_##NAME: return text;
#include "loader/isa/semirings.def"
#undef TIRBI_SEMIRING
    default: return "sums the products";
    }
}

static void note_loops(tirbi_emitter *e, const tirbi_contract_plan *plan) {
    for (uint32_t i = 0; i < plan->loops.n; i++) {
        bool a = plan->operands[TIRBI_CONTRACT_A].form.coefficient[i] != NULL;
        bool b = plan->operands[TIRBI_CONTRACT_B].form.coefficient[i] != NULL;
        const char *part = plan->reduces[i] ? reduction_of(plan) : a == b ? "a batch" : a ? "rows" : "columns";
        tirbi_note_loop(e->notes, plan->loops.var[i], plan->span, TIRB_FORM_CONTRACTION, "contract.%s: %s",
                        tirbi_dtypes[plan->type].name, part);
    }
}

/* Whole rows at once, and the loops around them. */
static void note_rows(tirbi_emitter *e, const tirbi_contract_plan *plan, const char *rule) {
    for (uint32_t k = 0; k < plan->loops.n; k++) {
        const bool row = k + 1 == plan->loops.n;
        tirbi_note_loop(e->notes, plan->loops.var[k], plan->span, TIRB_FORM_TREE, "fold.%s: %s%s",
                        tirbi_dtypes[plan->type].name, row ? rule : "", row ? "whole rows at once" : "rows");
    }
}

static void put_plan(tirbi_emitter *e, const tirbi_contract_plan *plan) {
    if (plan->folds) note_rows(e, plan, "");
    else note_loops(e, plan);
    emit_contractions(e, plan, 1, plan->folds ? TIRB_OP_FOLD : TIRB_OP_CONTRACT);
}

bool tirbi_put_contraction(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_distribution parts;
    if (tirbi_disabled(e) & TIRB_PASS_CONTRACT) return false;
    if (tirbi_plan_contraction(e->pool, loop, &parts.plan)) {
        put_plan(e, &parts.plan);
        return true;
    }
    if (!tirbi_distribute_contraction(e->pool, loop, &parts)) return false;
    for (uint32_t i = 0; i < parts.n_temporaries; i++) {
        const tirbi_ls alloc = {
            .kind = TIRBI_LS_ALLOC, .span = parts.plan.span, .as.alloc.buffer = parts.temporaries[i]};
        tirbi_put_stmt(e, &alloc);
    }
    for (uint32_t i = 0; i < parts.n_before; i++) tirbi_put_stmt(e, parts.before[i]);
    put_plan(e, &parts.plan);
    for (uint32_t i = 0; i < parts.n_after; i++) tirbi_put_stmt(e, parts.after[i]);
    return true;
}

_Static_assert((int)TIRBI_FOLD_INIT == (int)TIRBI_CONTRACT_INIT, "both have their first value by the same bit");

static void put_folds(tirbi_emitter *e, const tirbi_fold_plans *folds) {
    for (uint32_t i = 0; i < folds->n; i++) note_rows(e, &folds->plan[i], "rule R3, ");
    emit_contractions(e, folds->plan, folds->n, TIRB_OP_FOLD);
}

bool tirbi_put_folds(tirbi_emitter *e, const tirbi_ls *loop) {
    tirbi_fold_plans *folds = tirbi_disabled(e) & TIRB_PASS_CONTRACT ? NULL : TIRBI_NEW(e->arena, tirbi_fold_plans);
    if (!folds) return false;
    const bool planned = tirbi_plan_folds(e->pool, loop, folds);
    if (planned) put_folds(e, folds);
    TIRBI_GIVE_BACK(e->arena, folds);
    return planned;
}
