/* A write is certain behind it as long as no jump from before it has landed: then each way has gone through it. That
 * holds where loops are entered at their heads alone; functions with others have no certain writes. */
#include "vm/translate/flow.h"

#include <string.h>

#include "loader/base/checked.h"
#include "vm/translate/constants.h"

typedef tirbi_flow_held held;
typedef tirbi_flow_span span;

/* ---- Ways ------------------------------------------------------------------------------------------------------- */

/* Code goes on at an offset: what lies between it and the first jump that lands there may have been left out. */
void tirbi_flow_land(tirbi_flow *flow, tirbi_heap *heap, uint32_t at) {
    span more = {flow->first_jump[at / TIRBI_SMALLEST_INSTR] - 1, at};
    while (flow->n_left_out > 0 && flow->left_out[flow->n_left_out - 1].to > more.from) {
        const span last = flow->left_out[--flow->n_left_out];
        if (last.from < more.from) more.from = last.from;
    }
    if (flow->n_left_out == flow->left_out_capacity) {
        const uint32_t capacity = flow->left_out_capacity ? 2 * flow->left_out_capacity : 16;
        span *const grown = tirbi_heap_resize(heap, flow->left_out, flow->left_out_capacity * sizeof *grown,
                                              capacity * sizeof *grown);
        flow->failed = flow->failed || !grown;
        if (!grown) return;
        flow->left_out = grown;
        flow->left_out_capacity = capacity;
    }
    flow->left_out[flow->n_left_out++] = more;
}

static bool is_left_out(const tirbi_flow *flow, uint32_t at) {
    uint32_t low = 0, high = flow->n_left_out; /* the first span that ends behind `at` is one of these */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (flow->left_out[middle].to > at) high = middle;
        else low = middle + 1;
    }
    return low < flow->n_left_out && flow->left_out[low].from < at;
}

void tirbi_flow_survey_jump(tirbi_flow *flow, uint32_t at, uint32_t target) {
    if (flow->first_jump[target / TIRBI_SMALLEST_INSTR] == 0) flow->first_jump[target / TIRBI_SMALLEST_INSTR] = at + 1;
}

static void note_jump(tirbi_flow *flow, const tirbi_instr *in) {
    if (!(tirbi_ops[in->op].flags & TIRBI_FLAG_JUMP)) return;
    const char *letters = tirbi_ops[in->op].operands;
    const uint32_t target = (uint32_t)in->operand[strchr(letters, 'j') - letters];
    if (tirbi_ops[in->op].flags & TIRBI_FLAG_BACK)
        flow->tangled = flow->tangled || is_left_out(flow, target);
    else
        tirbi_flow_survey_jump(flow, in->offset, target);
}

/* ---- Writes ----------------------------------------------------------------------------------------------------- */

static void note_writes(tirbi_flow *flow, const tirbi_instr *in) {
    if (tirbi_is_constant(in->op)) {
        tirbi_flow_survey_write(flow, (uint16_t)in->operand[0], true, tirbi_value_of_const(in));
        return;
    }
    const char *letters = tirbi_ops[in->op].operands;
    for (unsigned i = 0; letters[i] != '\0'; i++)
        if (letters[i] == 'D') tirbi_flow_survey_write(flow, (uint16_t)in->operand[i], false, 0);
    for (unsigned k = 0; in->op == TIRB_OP_LANE && k < in->lane.n_inner; k++)
        if (in->lane.inner[k].index != TIRBI_NO_REG) tirbi_flow_survey_write(flow, in->lane.inner[k].index, false, 0);
}

/* ---- The function ----------------------------------------------------------------------------------------------- */

bool tirbi_flow_begin(tirbi_flow *flow, tirbi_heap *heap, const tirbi_function *f) {
    const size_t n_offsets = (size_t)f->code_size / TIRBI_SMALLEST_INSTR + 1;
    const uint32_t n_registers = f->n_sregs < f->code_size ? f->n_sregs : f->code_size;
    size_t registers, jumps, size;
    if (!tirbi_mul_size(n_registers, sizeof(held), &registers) ||
        !tirbi_mul_size(n_offsets, sizeof(uint32_t), &jumps) || !tirbi_add_size(registers, jumps, &size))
        return false;
    flow->registers = tirbi_room_take(&flow->room, heap, size);
    if (!flow->registers) return false;
    flow->tangled = false;
    flow->n_registers = n_registers;
    flow->first_jump = (uint32_t *)(void *)(flow->registers + n_registers);
    flow->n_left_out = 0;
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i].kind == TIRB_PARAM_SCALAR) tirbi_flow_survey_write(flow, f->params[i].reg, false, 0);
    for (uint32_t i = 0; i < f->n_vars; i++) tirbi_flow_survey_write(flow, f->vars[i].reg, false, 0);
    return true;
}

void tirbi_flow_survey(tirbi_flow *flow, tirbi_heap *heap, const tirbi_instr *in) {
    tirbi_flow_arrive(flow, heap, in->offset);
    note_jump(flow, in);
    note_writes(flow, in);
}

void tirbi_flow_again(tirbi_flow *flow) { flow->n_left_out = 0; }

void tirbi_flow_write(tirbi_flow *flow, uint32_t at, uint16_t number) {
    if (number >= flow->n_registers) return;
    held *reg = &flow->registers[number];
    if (reg->since == 0 || is_left_out(flow, reg->since - 1)) reg->since = at + 1;
}

bool tirbi_flow_holds(const tirbi_flow *flow, uint16_t reg, uint64_t *bits) {
    if (reg >= flow->n_registers) return false;
    const held *r = &flow->registers[reg];
    *bits = r->bits;
    if (r->varies) return false;
    if (r->bits == 0) return true; /* as it was before */
    return !flow->tangled && r->since != 0 && !is_left_out(flow, r->since - 1);
}

bool tirbi_flow_release(tirbi_flow *flow, tirbi_heap *heap) {
    if (!tirbi_heap_release(heap, flow->left_out, flow->left_out_capacity * sizeof *flow->left_out)) return false;
    flow->left_out = NULL;
    flow->left_out_capacity = 0;
    return tirbi_room_leave(&flow->room, heap);
}
