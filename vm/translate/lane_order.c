/* Planning what goes from lane to lane, or names elements by indices: the sequences of the kernel tables. */
#include "vm/lanes/chains.h"
#include "vm/lanes/forms.h"
#include "vm/translate/lane_plan.h"

/* The words of such an instruction: three operands, a list, and what does it. */
static void emit_sequence(lane_planner *p, const uint16_t *operands, const uint16_t *list, tirbi_sequence sequence) {
    emit(p, TIRBI_L_SEQUENCE, operands[0], operands[1], operands[2]);
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {list[0], list[1], list[2], list[3]}});
    tirbi_translate_word(p->emitter, (tirbi_word){.sequence = sequence});
}

static bool divides(const lane_ins *ins) {
    return (tirbi_ops[ins->op].flags & TIRBI_FLAG_ELEMENTWISE) && (tirbi_ops[ins->op].flags & TIRBI_FLAG_TRAP) &&
           tirbi_dtype_is_int((tirbi_dtype)ins->type);
}

/* A fold's place in the tables by operation. */
static unsigned fold_of(const lane_ins *ins) {
    return (ins->fold & TIRBI_SCAN_OP) + (ins->fold & TIRBI_SCAN_SWAPPED ? (unsigned)TIRBI_N_SCAN_OPS : 0);
}

/* Whether lanes in banks are numbers of elements there: 31 bits of them are. */
static bool is_named_in_banks(const lane_planner *p, uint8_t index_type) {
    return p->body->main_size == 4 && p->level == 0 && index_type == TIRB_I32 &&
           (p->code->lanes->features & TIRBI_LANE_HAS_GATHERS) != 0;
}

/* Brings the numbers that an instruction reads to a bank. */
static unsigned put_numbers(lane_planner *p, const lane_ins *ins) {
    const uint8_t reg = ins->reads[0];
    const lane_value *v = &p->now.values[reg];
    if (v->bank != NO_BANK) return (unsigned)v->bank;
    const unsigned bank = tirbi_lane_spare_bank(p, ins);
    tirbi_lane_evict(p, bank, is_live(ins, p->now.banks[bank]));
    tirbi_lane_load_bank(p, reg, bank);
    return bank;
}

void tirbi_lane_plan_index(lane_planner *p, const lane_ins *ins) {
    if (is_named_in_banks(p, ins->type)) {
        emit(p, TIRBI_L_INDEX4_A + put_numbers(p, ins), p->spare_strip, 0, ins->slot);
        tirbi_translate_word(p->emitter, (tirbi_word){.list = {ins->number, ins->step, 0, 1}});
        return;
    }
    const uint16_t operands[3] = {0, tirbi_lane_kernel_operand(p, ins->reads[0]), ins->slot};
    const uint16_t list[4] = {ins->number, ins->step, 0, (uint16_t)(1u | (unsigned)lanes_at(p, p->level) << 1)};
    leave_banks(p, ins);
    emit_sequence(p, operands, list, p->code->kernels->index[ins->type]);
}

/* Then the lanes before the first one that traps run to the end of the body, as they do for indices alone, so that
 * blocks of any size end with the same trap. */
bool tirbi_lane_orders_traps(const lane_body *body) {
    unsigned n = 0;
    if (!tirbi_lane_has(body, TIRB_OP_VINDEX, TIRB_OP_VUPDATE) && body->n_advances == 0 &&
        !tirbi_lane_has(body, TIRB_OP_VUPDATEMA, TIRB_OP_VUPDATEMA) &&
        !tirbi_lane_has(body, TIRB_OP_VDIV, TIRB_OP_VFLOORMOD))
        return false;
    for (uint32_t i = 0; i < body->n && n < 2 && !tirbi_lane_body_is_stopped(body, i); i++) {
        const lane_ins *ins = &body->ins[i];
        const bool indexes = (ins->op >= TIRB_OP_VINDEX && ins->op <= TIRB_OP_VUPDATE) ||
                             ins->op == TIRB_OP_VUPDATEMA || ins->op == TIRB_OP_VADVANCE;
        n += indexes || divides(ins);
    }
    return n > 1;
}

/* How many divisors are before the first 0. */
#define DIVISORS(bits)                                                                                                 \
    static size_t divisors_##bits(tirbi_lane_state *state, const tirbi_word *at, size_t n) {                           \
        typedef uint##bits##_t divisor __attribute__((aligned(1), may_alias));                                         \
        const divisor *by = (const divisor *)(const void *)state->pointers[at->b];                                     \
        size_t good = 0;                                                                                               \
        while (good < n && by[good] != 0) good++;                                                                      \
        return good;                                                                                                   \
    }
DIVISORS(8)
DIVISORS(16)
DIVISORS(32)
DIVISORS(64)
#undef DIVISORS

void tirbi_lane_plan_divisor(lane_planner *p, const lane_ins *ins, uint16_t divisor) {
    if (!divides(ins) || p->now.values[ins->reads[1]].scalar || !p->orders_traps) return;
    static const tirbi_sequence divisors[] = {divisors_8, divisors_16, divisors_32, divisors_64};
    const uint16_t operands[3] = {0, divisor, 0},
                   list[4] = {0, 0, 1, (uint16_t)(1u | (unsigned)lanes_at(p, p->level) << 1)};
    emit_sequence(p, operands, list, divisors[shift_of(tirbi_dtypes[ins->type].size)]);
}

/* Whether what is loaded is nothing but a factor of a vupdatema near behind, and nothing in between could end the loop
 * or changes the indices. */
static bool is_only_factor(const lane_planner *p, const lane_ins *ins) {
    enum { NEAR = 12 };
    if (p->level > 0 || p->body->n_advances != 1 || ins->source != TIRB_I32 ||
        (ins->type != TIRB_F32 && ins->type != TIRB_F64))
        return false;
    for (uint32_t i = tirbi_lane_ins_number(p->body, ins) + 1, left = NEAR; i < p->body->n && left > 0; i++, left--) {
        const lane_ins *next = tirbi_lane_ins_at(p->body, i);
        if (next->op == TIRB_OP_VUPDATEMA) {
            bool factor = next->type == ins->type && next->reads[0] != ins->dest &&
                          (next->reads[1] == ins->dest) != (next->reads[2] == ins->dest);
            return factor && !is_live(next, ins->dest);
        }
        bool computes = (tirbi_ops[next->op].flags & TIRBI_FLAG_ELEMENTWISE) &&
                        !((tirbi_ops[next->op].flags & TIRBI_FLAG_TRAP) && tirbi_dtype_is_int((tirbi_dtype)next->type));
        if (!computes && next->op != TIRB_OP_VLOAD && next->op != TIRB_OP_VSPLAT && next->op != TIRB_OP_VIOTA)
            return false;
        if (next->dest == ins->dest || next->dest == ins->reads[0]) return false;
        for (unsigned r = 0; r < next->n_reads; r++)
            if (next->reads[r] == ins->dest) return false;
    }
    return false;
}

static void put_loadx(lane_planner *p, const lane_ins *ins, uint16_t index);

/* Elements of 4 bytes by numbers in a bank go to that bank, or to the other one if the numbers are read again. */
static void take_in_banks(lane_planner *p, const lane_ins *ins) {
    const unsigned from = put_numbers(p, ins), to = is_live(ins, ins->reads[0]) ? 1 - from : from;
    if (to != from) tirbi_lane_evict(p, to, is_live(ins, p->now.banks[to]));
    emit(p, TIRBI_L_TAKE4_AA + 2 * to + from, p->spare_strip, pointer_of_cursor(ins->cursor), 0);
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {ins->source, 0, ins->cursor, 0}});
    tirbi_lane_define(p, ins, 4);
    put_in_bank(p, ins->dest, to);
}

void tirbi_lane_plan_loadx(lane_planner *p, const lane_ins *ins) {
    const bool is_factor = is_only_factor(p, ins);
    if (!is_factor && is_named_in_banks(p, ins->source) && tirbi_dtypes[ins->type].size == 4) {
        take_in_banks(p, ins);
        return;
    }
    uint16_t index = tirbi_lane_kernel_operand(p, ins->reads[0]);
    if (is_factor) {
        p->gather = ins;
        p->gather_index = index;
        tirbi_lane_define(p, ins, tirbi_dtypes[ins->type].size);
        return;
    }
    put_loadx(p, ins, index);
}

static void put_loadx(lane_planner *p, const lane_ins *ins, uint16_t index) {
    uint8_t size = tirbi_dtypes[ins->type].size;
    /* An index is read before its element is written, but for a chunk of them. */
    bool in_the_way = index == strip_of(p, ins->dest);
    uint16_t dest = in_the_way ? p->spare_strip : strip_of(p, ins->dest);
    const uint16_t operands[3] = {dest, index, pointer_of_cursor(ins->cursor)};
    const uint16_t list[4] = {ins->source, 0, ins->cursor, (uint16_t)((unsigned)lanes_at(p, p->level) << 1)};
    leave_banks(p, ins);
    emit_sequence(p, operands, list, p->code->kernels->loadx[ins->type]);
    if (in_the_way) emit(p, TIRBI_L_COPY, strip_of(p, ins->dest), dest, shift_of(size));
    tirbi_lane_clear_rest(p, ins->dest, size);
    tirbi_lane_define(p, ins, size)->strip = true;
}

void tirbi_lane_plan_find(lane_planner *p, const lane_ins *ins) {
    const uint16_t operands[3] = {0, tirbi_lane_kernel_operand(p, ins->reads[0]), 0}, list[4] = {0, 0, 0, 0};
    leave_banks(p, ins);
    emit_sequence(p, operands, list, p->code->kernels->find);
}

/* What stores, or combines, by index. Lanes of a run update one element, which stays in a register meanwhile. */
static tirbi_sequence stores_of(const lane_planner *p, const lane_ins *ins, bool in_runs) {
    const tirbi_ordered *k = p->code->kernels->ordered;
    const tirbi_fused_ordered *f = p->code->kernels->fused;
    if (ins->op == TIRB_OP_VSTOREX) return k->storex[ins->type];
    if (ins->op == TIRB_OP_VUPDATEMA) return (in_runs ? f->runsma : f->updatema)[ins->fold & TIRBI_SCAN_OP][ins->type];
    return (in_runs ? k->runs : k->update)[fold_of(ins)][ins->type];
}

/* A sum of products of which one factor was not loaded yet. */
static void plan_gathered(lane_planner *p, const lane_ins *ins) {
    const lane_ins *gather = p->gather;
    const uint8_t other = ins->reads[ins->reads[1] == gather->dest ? 2 : 1];
    const uint16_t operands[3] = {pointer_of_cursor(ins->cursor), tirbi_lane_kernel_operand(p, ins->reads[0]),
                                  tirbi_lane_kernel_operand(p, other)};
    const uint16_t list[4] = {tirbi_gathering(ins->source, gather->cursor), p->gather_index, ins->cursor, 0};
    p->gather = NULL;
    leave_banks(p, ins);
    emit_sequence(p, operands, list, p->code->kernels->fused->gather_runs[ins->fold & TIRBI_SCAN_OP][ins->type]);
}

/* Counters: every lane adds the same scalar to the element that it names. */
static bool plan_count(lane_planner *p, const lane_ins *ins) {
    const lane_value *more = &p->now.values[ins->reads[1]];
    const tirbi_sequence count = p->code->kernels->ordered->count[ins->type];
    if (ins->op != TIRB_OP_VUPDATE || ins->fold != TIRBI_SCAN_ADD || !count) return false;
    if (more->lazy != LAZY_SPLAT || !more->stable || more->strip || more->bank != NO_BANK) return false;
    const uint16_t operands[3] = {pointer_of_cursor(ins->cursor), tirbi_lane_kernel_operand(p, ins->reads[0]),
                                  more->pointer};
    const uint16_t list[4] = {ins->source, 0, ins->cursor, 0};
    leave_banks(p, ins);
    emit_sequence(p, operands, list, count);
    return true;
}

void tirbi_lane_plan_storex(lane_planner *p, const lane_ins *ins) {
    const bool in_runs = p->now.values[ins->reads[0]].in_runs;
    if (!in_runs && plan_count(p, ins)) return;
    if (p->gather && ins->op == TIRB_OP_VUPDATEMA) {
        if (in_runs && (ins->source == TIRB_I32 || ins->source == TIRB_I64)) {
            plan_gathered(p, ins);
            return;
        }
        put_loadx(p, p->gather, p->gather_index);
        p->gather = NULL;
    }
    const uint16_t operands[3] = {pointer_of_cursor(ins->cursor), tirbi_lane_kernel_operand(p, ins->reads[0]),
                                  tirbi_lane_kernel_operand(p, ins->reads[1])};
    const uint16_t factor = ins->n_reads > 2 ? tirbi_lane_kernel_operand(p, ins->reads[2]) : 0;
    const uint16_t list[4] = {ins->source, factor, ins->cursor, 0};
    leave_banks(p, ins);
    emit_sequence(p, operands, list, stores_of(p, ins, in_runs));
}

static bool updates(const lane_ins *ins) { return ins->op == TIRB_OP_VUPDATE || ins->op == TIRB_OP_VUPDATEMA; }

/* Whether nothing reads the ranges' numbers but updates of elements that they name, or that are named by what is
 * computed of them and of scalars: these look at the first lane of each range. What is said here of a register,
 * stays_in_runs says of its value. */
static bool only_firsts_count(const lane_planner *p, const lane_ins *advance) {
    uint64_t of_ranges = UINT64_C(1) << advance->dest, scalars = 0;
    if (p->body->n_advances != 1 || p->loop->n_inner > 0 || p->body->n_own > 0) return false;
    const lane_ins *const end = tirbi_lane_ins_at(p->body, p->body->n);
    uint32_t turn = 0;
    for (const lane_ins *ins = advance + 1; ins < end && !tirbi_lane_body_is_stopped(p->body, turn); ins++, turn++) {
        const tirbi_op_info *info = &tirbi_ops[ins->op];
        bool reads_some = false, reads_others = false;
        for (unsigned r = 0; r < ins->n_reads; r++) {
            reads_some = reads_some || (of_ranges >> ins->reads[r] & 1);
            reads_others = reads_others || !((of_ranges | scalars) >> ins->reads[r] & 1);
        }
        const uint64_t dest = ins->dest == NO_VALUE ? 0 : UINT64_C(1) << ins->dest;
        if (updates(ins)) {
            bool as_value = (of_ranges >> ins->reads[1] & 1) || (ins->n_reads > 2 && (of_ranges >> ins->reads[2] & 1));
            if (as_value || (reads_some && ins->source != TIRB_I32 && ins->source != TIRB_I64)) return false;
        } else if (reads_some &&
                   (reads_others || !(info->flags & TIRBI_FLAG_ELEMENTWISE) || !tirbi_lane_is_light(ins))) {
            return false;
        }
        of_ranges = reads_some ? of_ranges | dest : of_ranges & ~dest;
        scalars = ins->op == TIRB_OP_VSPLAT ? scalars | dest : scalars & ~dest;
    }
    return true;
}

void tirbi_lane_plan_advance(lane_planner *p, const lane_ins *ins) {
    uint8_t size = tirbi_dtypes[ins->source].size;
    const unsigned how = shift_of(size) | (only_firsts_count(p, ins) ? (unsigned)TIRBI_ADVANCE_FIRSTS : 0u);
    const uint16_t operands[3] = {strip_of(p, ins->dest), p->ends_strip, pointer_of_cursor(ins->cursor)};
    const uint16_t list[4] = {ins->number, (uint16_t)how, ins->cursor, 0};
    leave_banks(p, ins);
    emit_sequence(p, operands, list, p->code->kernels->ordered->advance[ins->type]);
    tirbi_lane_clear_rest(p, ins->dest, size);
    lane_value *v = tirbi_lane_define(p, ins, size);
    v->strip = true;
    v->in_runs = p->body->n_advances == 1;
}

/* An operation on a running value as steps know it, and its operands. */
static tirbi_word step_word(lane_planner *p, const lane_ins *ins) {
    bool fused = ins->op == TIRB_OP_VSCANMA || ins->op == TIRB_OP_VSTEPMA;
    unsigned op = fused ? TIRBI_STEP_FUSED + (ins->fold & TIRBI_SCAN_OP) : ins->fold & TIRBI_SCAN_OP;
    if (ins->fold & TIRBI_SCAN_SWAPPED) op += TIRBI_N_STEPS;
    if (fused && (ins->fold & TIRBI_SCAN_OP) == TIRBI_SCAN_ANEW) op = TIRBI_STEP_ANEW;
    uint16_t first = tirbi_lane_kernel_operand(p, ins->reads[0]),
             second = fused ? tirbi_lane_kernel_operand(p, ins->reads[1]) : first;
    return (tirbi_word){.list = {(uint16_t)op, first, second, 0}};
}

void tirbi_lane_plan_step(lane_planner *p, const lane_ins *ins) { p->steps[p->n_steps++] = step_word(p, ins); }

/* A scan of several steps. Its lanes are written while bools that choose are read, which are smaller. */
static void plan_chain(lane_planner *p, const lane_ins *ins) {
    uint8_t size = tirbi_dtypes[ins->type].size;
    bool seen = is_live(ins, ins->dest);
    tirbi_lane_plan_step(p, ins);
    uint16_t dest = seen ? strip_of(p, ins->dest) : 0;
    const bool begins_anew = p->steps[p->n_steps - 1].list[0] == TIRBI_STEP_ANEW;
    const bool copies = begins_anew && (ins->fold & TIRBI_SCAN_BITS) != 0;
    bool in_the_way = false;
    for (unsigned i = 0; i < p->n_steps; i++) {
        const uint16_t *step = p->steps[i].list;
        const bool chooses = step[0] == TIRBI_SCAN_WHERE || step[0] == TIRBI_STEP_ANEW;
        in_the_way = in_the_way || (seen && chooses && step[1] == dest);
    }
    leave_banks(p, ins);
    emit(p, TIRBI_L_CHAIN, in_the_way ? p->spare_strip : dest, 0, 0);
    const bool before = (ins->fold & TIRBI_SCAN_BEFORE) != 0;
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {ins->number, before, (uint16_t)p->n_steps, copies}});
    tirbi_translate_word(p->emitter, (tirbi_word){.sequence = p->code->kernels->chain[ins->type]});
    for (unsigned i = 0; i < p->n_steps; i++) tirbi_translate_word(p->emitter, p->steps[i]);
    if (in_the_way) emit(p, TIRBI_L_COPY, dest, p->spare_strip, shift_of(size));
    p->n_steps = 0;
    if (seen) tirbi_lane_clear_rest(p, ins->dest, size);
    tirbi_lane_define(p, ins, size)->strip = true;
}

void tirbi_lane_plan_scan(lane_planner *p, const lane_ins *ins) {
    if (p->n_steps > 0 || (ins->op == TIRB_OP_VSCANMA && (ins->fold & TIRBI_SCAN_SWAPPED))) {
        plan_chain(p, ins);
        return;
    }
    uint8_t size = tirbi_dtypes[ins->type].size;
    bool seen = is_live(ins, ins->dest), fused = ins->op == TIRB_OP_VSCANMA;
    uint16_t operands[3] = {seen ? strip_of(p, ins->dest) : 0, tirbi_lane_kernel_operand(p, ins->reads[0]), 0};
    if (fused) operands[2] = tirbi_lane_kernel_operand(p, ins->reads[1]);
    const uint16_t list[4] = {ins->number, (ins->fold & TIRBI_SCAN_BEFORE) != 0, 0, 0};
    leave_banks(p, ins);
    emit_sequence(p, operands, list, fused ? p->code->kernels->scanma[ins->fold & TIRBI_SCAN_OP][ins->type]
                                           : p->code->kernels->scan[fold_of(ins)][ins->type]);
    if (seen) tirbi_lane_clear_rest(p, ins->dest, size);
    tirbi_lane_define(p, ins, size)->strip = true;
}

