/* The places of values in a lane loop: banks, the registers' strips, and memory operands that are not copied until they
 * must be. Two banks are all there is; what each function emits keeps at least one place valid while a value is
 * live. */
#include "vm/lanes/forms.h"
#include "vm/translate/lane_plan.h"

/* The forms of bank A for elements of a type that are narrower than lanes of 4 bytes, and of 8; 0: there are none. */
static const uint16_t narrow_loads[TIRB_N_DTYPES][2] = {
    [TIRB_BOOL] = {TIRBI_L_LOAD4_TRUTH_A, TIRBI_L_LOAD8_TRUTH_A},
    [TIRB_U8] = {TIRBI_L_LOAD4_U8_A, TIRBI_L_LOAD8_U8_A},
    [TIRB_I8] = {TIRBI_L_LOAD4_I8_A, TIRBI_L_LOAD8_I8_A},
    [TIRB_U16] = {TIRBI_L_LOAD4_U16_A, TIRBI_L_LOAD8_U16_A},
    [TIRB_I16] = {TIRBI_L_LOAD4_I16_A, TIRBI_L_LOAD8_I16_A},
    [TIRB_F16] = {TIRBI_L_LOAD4_F16_A, 0},
    [TIRB_BF16] = {TIRBI_L_LOAD4_BF16_A, 0},
    [TIRB_U32] = {0, TIRBI_L_LOAD8_U32_A},
    [TIRB_I32] = {0, TIRBI_L_LOAD8_I32_A},
    [TIRB_F32] = {0, TIRBI_L_LOAD8_F32_A}};
static const uint16_t narrow_stores[TIRB_N_DTYPES][2] = {
    [TIRB_BOOL] = {TIRBI_L_STORE4_TRUTH_A, TIRBI_L_STORE8_TRUTH_A},
    [TIRB_U8] = {TIRBI_L_STORE4_8_A, TIRBI_L_STORE8_8_A},
    [TIRB_I8] = {TIRBI_L_STORE4_8_A, TIRBI_L_STORE8_8_A},
    [TIRB_U16] = {TIRBI_L_STORE4_16_A, TIRBI_L_STORE8_16_A},
    [TIRB_I16] = {TIRBI_L_STORE4_16_A, TIRBI_L_STORE8_16_A},
    [TIRB_F16] = {TIRBI_L_STORE4_F16_A, 0},
    [TIRB_BF16] = {TIRBI_L_STORE4_BF16_A, 0},
    [TIRB_U32] = {0, TIRBI_L_STORE8_32_A},
    [TIRB_I32] = {0, TIRBI_L_STORE8_32_A},
    [TIRB_F32] = {0, TIRBI_L_STORE8_F32_A}};

static unsigned load_form(const lane_planner *p, uint8_t type) {
    if (p->body->main_size == 1) return TIRBI_L_LOAD1_TRUTH_A;
    return narrow_loads[type][p->body->main_size == 8];
}

unsigned tirbi_lane_narrow_store_form(const lane_planner *p, uint8_t type) {
    if (p->body->main_size == 1) return TIRBI_L_STORE1_TRUTH_A;
    return narrow_stores[type][p->body->main_size == 8];
}

unsigned tirbi_lane_steps_of(const lane_planner *p, uint8_t cursor, uint8_t type, bool reads) {
    const int step = p->body->steps[cursor];
    if (p->level > 0 || step < 2 || step > 4 || type == TIRB_BOOL) return 0;
    if (!p->body->has_steps && !(p->body->has_picks && reads && !p->tail)) return 0;
    const bool bytes =
        p->body->main_size == 4 && p->body->has_words && p->body->has_steps &&
        (type == TIRB_U8 || (type == TIRB_I8 && !reads));
    const unsigned size = tirbi_dtypes[type].size;
    bool fits = bytes || (size == p->body->main_size && size >= 4);
    if (p->tail) fits = fits && size != 8 && (reads || size == 4);
    if (size == 2 && p->body->main_size == 2) fits = reads && step == 2;
    return fits ? (unsigned)step : 0;
}
/* Behind the forms for steps 2, 3 and 4 in two banks are those of parts. */
static unsigned step_form(const lane_planner *p, unsigned first, unsigned step) {
    return first + 2 * (step - 2) + (p->tail ? 6 : 0);
}
static unsigned pick_form(const lane_planner *p, uint8_t type, unsigned step) {
    switch (tirbi_dtypes[type].size) {
    case 1:
        return step_form(p, TIRBI_L_PICK2_U8_A, step);
    case 2:
        return p->tail ? TIRBI_L_PICK2_PART_2_A : TIRBI_L_PICK2_2_A;
    case 4:
        return step_form(p, TIRBI_L_PICK2_4_A, step);
    default:
        return step_form(p, TIRBI_L_PICK2_8_A, step);
    }
}
unsigned tirbi_lane_spread_form(const lane_planner *p, uint8_t type, bool settled, unsigned step) {
    const unsigned size = tirbi_dtypes[type].size;
    unsigned first = size == 1 ? TIRBI_L_SPREAD2_U8_A : size == 4 ? TIRBI_L_SPREAD2_4_A : TIRBI_L_SPREAD2_8_A;
    if (type == TIRB_F32 && !settled) first = TIRBI_L_SPREAD2_F32_A;
    if (type == TIRB_F64 && !settled) first = TIRBI_L_SPREAD2_F64_A;
    return step_form(p, first, step);
}

void tirbi_lane_store_to_strip(lane_planner *p, uint8_t reg) {
    lane_value *v = &p->now.values[reg];
    const unsigned form = v->narrow ? tirbi_lane_narrow_store_form(p, v->dtype) : (unsigned)TIRBI_L_STORE_A;
    emit(p, form + (unsigned)v->bank, strip_of(p, reg), 0, 0);
    v->strip = true;
}

unsigned tirbi_lane_spare_bank(const lane_planner *p, const lane_ins *ins) {
    for (unsigned bank = 0; bank < 2; bank++)
        if (!is_live(ins, p->now.banks[bank])) return bank;
    return p->now.values[p->now.banks[0]].next > p->now.values[p->now.banks[1]].next ? 0 : 1;
}

void tirbi_lane_evict(lane_planner *p, unsigned bank, bool needed) {
    uint8_t reg = p->now.banks[bank];
    if (reg == NO_VALUE) return;
    if (needed && !has_memory(&p->now.values[reg])) tirbi_lane_store_to_strip(p, reg);
    forget_bank(p, bank);
}

void tirbi_lane_emit_kernel(lane_planner *p, unsigned form, tirbi_kernel kernel, uint16_t dest,
                            const uint16_t *operands) {
    emit(p, form, dest, operands[0], operands[1]);
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {operands[2], 0, 0, 0}});
    tirbi_translate_word(p->emitter, (tirbi_word){.kernel = kernel});
}

void tirbi_lane_emit_copy(lane_planner *p, uint8_t type, uint16_t dest, uint16_t from) {
    const uint16_t operands[3] = {from, 0, 0};
    tirbi_lane_emit_kernel(p, TIRBI_L_KERNEL, p->code->kernels->cast[type][type], dest, operands);
}

void tirbi_lane_fill_strip(lane_planner *p, uint8_t reg) {
    lane_value *v = &p->now.values[reg];
    if (v->strip || v->size == 0) return; /* without a size it is a value of the code around a loop of a lane's own */
    if (v->bank != NO_BANK) {
        tirbi_lane_store_to_strip(p, reg);
    } else if (v->raw) {
        tirbi_lane_evict(p, 0, true);
        tirbi_lane_evict(p, 1, true);
        tirbi_lane_emit_copy(p, TIRB_BOOL, strip_of(p, reg), v->pointer);
    } else if (v->lazy == LAZY_STREAM) {
        emit(p, p->tail ? TIRBI_L_PULL : TIRBI_L_COPY, strip_of(p, reg), v->pointer, shift_of(v->size));
    } else if (v->lazy == LAZY_STEPS) {
        tirbi_lane_evict(p, 0, true);
        tirbi_lane_evict(p, 1, true);
        emit(p, TIRBI_L_GATHER, strip_of(p, reg), v->pointer, shift_of(v->size));
        tirbi_lane_clear_rest(p, reg, v->size);
    } else if (v->lazy == LAZY_WIDEN) {
        const uint16_t operands[3] = {v->pointer, 0, 0};
        tirbi_lane_evict(p, 0, true);
        tirbi_lane_evict(p, 1, true);
        tirbi_lane_emit_kernel(p, TIRBI_L_KERNEL, p->code->kernels->cast[v->type][v->bytes], strip_of(p, reg),
                               operands);
    } else if (v->lazy == LAZY_SPLAT) {
        tirbi_lane_evict(p, 0, true);
        tirbi_lane_evict(p, 1, true);
        /* What is always the same in a strip of its own is there from the first block on. */
        bool once = v->stable && v->pointer >= p->first_splat && p->body->n_own == 0 && (p->set_once >> reg & 1);
        emit(p, TIRBI_L_FILL, strip_of(p, reg), v->pointer, shift_of(v->size) | (once ? (reg + 1u) << 2 : 0));
    }
    v->strip = true;
}

void tirbi_lane_clear_rest(lane_planner *p, uint8_t reg, uint8_t size) {
    if (p->tail && size == p->body->main_size) emit(p, TIRBI_L_CLEAR, strip_of(p, reg), 0, shift_of(size));
}

uint16_t tirbi_lane_block_operand(lane_planner *p, uint8_t reg) {
    const lane_value *v = &p->now.values[reg];
    if (v->has_words) return v->words;
    if (!v->strip && v->lazy == LAZY_STREAM && (!p->tail || p->wide)) return v->pointer;
    tirbi_lane_fill_strip(p, reg);
    return strip_of(p, reg);
}

uint16_t tirbi_lane_kernel_operand(lane_planner *p, uint8_t reg) {
    const lane_value *v = &p->now.values[reg];
    if (!v->strip && v->lazy == LAZY_STREAM && !v->raw) return v->pointer;
    tirbi_lane_fill_strip(p, reg);
    return strip_of(p, reg);
}

uint16_t tirbi_lane_strip_operand(lane_planner *p, uint8_t reg) {
    tirbi_lane_fill_strip(p, reg);
    return strip_of(p, reg);
}

void tirbi_lane_copy_to_bank(lane_planner *p, uint8_t reg, unsigned bank) {
    const lane_value *v = &p->now.values[reg];
    if (v->bank != NO_BANK) {
        emit(p, bank == 0 ? TIRBI_L_MOVE_A : TIRBI_L_MOVE_B, 0, 0, 0);
    } else if (!v->strip && v->lazy == LAZY_STEPS) {
        emit(p, pick_form(p, v->dtype, v->step) + bank, 0, v->pointer, 0);
    } else if (!v->strip && v->lazy == LAZY_WIDEN) {
        uint16_t from = v->pointer;
        if (p->tail && !p->wide) {
            /* Not to the spare strip, which may have another operand. */
            emit(p, TIRBI_L_PULL, strip_of(p, reg), from, shift_of(tirbi_dtypes[v->bytes].size));
            from = strip_of(p, reg);
        }
        const unsigned widen = v->bytes == TIRB_U8 ? TIRBI_L_WIDEN_U8_A : TIRBI_L_WIDEN_I8_A;
        emit(p, (p->body->main_size == 2 ? widen : load_form(p, v->bytes)) + bank, 0, from, 0);
    } else if (!v->strip && v->lazy == LAZY_SPLAT && v->has_words) {
        emit(p, TIRBI_L_SPLAT4_A + bank, 0, v->words, 0); /* filling a strip would leave nothing in the other bank */
    } else if (v->narrow) {
        uint16_t from = v->pointer;
        if (v->strip || v->lazy != LAZY_STREAM || (p->tail && !p->wide)) {
            if (v->raw && !v->strip)
                emit(p, TIRBI_L_PULL, strip_of(p, reg), from, 0); /* which are no bools there */
            else
                tirbi_lane_fill_strip(p, reg);
            from = strip_of(p, reg);
        }
        emit(p, load_form(p, v->dtype) + bank, 0, from, 0);
    } else if (!v->strip && v->lazy == LAZY_SPLAT) {
        static const uint16_t forms[] = {TIRBI_L_SPLAT1_A, TIRBI_L_SPLAT2_A, TIRBI_L_SPLAT4_A, TIRBI_L_SPLAT8_A};
        unsigned form = forms[shift_of(v->size)];
        emit(p, form + bank, 0, v->pointer, 0);
    } else {
        uint16_t from = tirbi_lane_block_operand(p, reg);
        emit(p, bank == 0 ? TIRBI_L_LOAD_A : TIRBI_L_LOAD_B, 0, from, 0);
    }
}

void tirbi_lane_load_bank(lane_planner *p, uint8_t reg, unsigned bank) {
    if (p->now.values[reg].bank == (int8_t)bank) return;
    tirbi_lane_copy_to_bank(p, reg, bank);
    put_in_bank(p, reg, bank);
}

static uint8_t result_type(const lane_ins *ins) {
    if (ins->op == TIRB_OP_VADVANCE) return ins->source;
    if (tirbi_lane_ins_scans(ins))
        return (uint8_t)(ins->fold & TIRBI_SCAN_BITS ? tirbi_dtype_of_bits((tirbi_dtype)ins->type)
                                                     : (tirbi_dtype)ins->type);
    return (uint8_t)tirbi_op_result_type((tirbi_op)ins->op, (tirbi_dtype)ins->type);
}

lane_value *tirbi_lane_define(lane_planner *p, const lane_ins *ins, uint8_t size) {
    return define_as(p, ins, size, result_type(ins));
}
