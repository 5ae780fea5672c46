/* Translation of a lane loop: which lane registers are in banks, which in strips, and which handlers do the work.
 *
 * The planner goes through the body once per variant (full blocks, tail). For each lane register it knows every place
 * where the value can be had: a bank, the register's own strip, or a memory operand that is not copied until it must be
 * (a cursor with unit step, a splat scalar). Two banks are all there is; the value that is read farthest from here
 * gives way. At the edges of inner loops the places are brought back to what they were at the loop's head, so that
 * every iteration, and a loop that never runs, leaves the same places. */
#include "vm/exec/lane_plan.h"

#include <string.h>

#include "loader/base/error.h"
#include "vm/exec/lane_copy.h"
#include "vm/exec/lane_ends.h"
#include "vm/exec/lane_entry.h"
#include "vm/lanes/forms.h"
#include "vm/lanes/slots.h"
#include "vm/math/half.h"

/* ---- Moving values between places ----------------------------------------------------------------------------- */

static bool has_memory(const lane_value *v) { return v->strip || v->lazy != LAZY_NONE; }
/* Whether its lanes in banks are others than its elements: more bytes, or truths. */
static bool is_narrow(const lane_planner *p, const lane_value *v) {
    return p->body->main_size == 1 ? v->dtype == TIRB_BOOL : p->body->has_words && v->size < p->body->main_size;
}

/* The forms of bank A for elements that are narrow. */
static unsigned load_form(const lane_planner *p, uint8_t type) {
    const bool wide = p->body->main_size == 8;
    if (p->body->main_size == 1) return TIRBI_L_LOAD1_TRUTH_A;
    switch (type) {
    case TIRB_U8: return wide ? TIRBI_L_LOAD8_U8_A : TIRBI_L_LOAD4_U8_A;
    case TIRB_I8: return wide ? TIRBI_L_LOAD8_I8_A : TIRBI_L_LOAD4_I8_A;
    case TIRB_U16: return wide ? TIRBI_L_LOAD8_U16_A : TIRBI_L_LOAD4_U16_A;
    case TIRB_I16: return wide ? TIRBI_L_LOAD8_I16_A : TIRBI_L_LOAD4_I16_A;
    case TIRB_U32: return TIRBI_L_LOAD8_U32_A;
    case TIRB_I32: return TIRBI_L_LOAD8_I32_A;
    case TIRB_F32: return TIRBI_L_LOAD8_F32_A;
    case TIRB_F16: return TIRBI_L_LOAD4_F16_A;
    case TIRB_BF16: return TIRBI_L_LOAD4_BF16_A;
    default: return wide ? TIRBI_L_LOAD8_TRUTH_A : TIRBI_L_LOAD4_TRUTH_A;
    }
}
static unsigned narrow_store_form(const lane_planner *p, uint8_t type) {
    const bool wide = p->body->main_size == 8;
    if (p->body->main_size == 1) return TIRBI_L_STORE1_TRUTH_A;
    switch (type) {
    case TIRB_U8:
    case TIRB_I8: return wide ? TIRBI_L_STORE8_8_A : TIRBI_L_STORE4_8_A;
    case TIRB_U16:
    case TIRB_I16: return wide ? TIRBI_L_STORE8_16_A : TIRBI_L_STORE4_16_A;
    case TIRB_U32:
    case TIRB_I32: return TIRBI_L_STORE8_32_A;
    case TIRB_F32: return TIRBI_L_STORE8_F32_A;
    case TIRB_F16: return TIRBI_L_STORE4_F16_A;
    case TIRB_BF16: return TIRBI_L_STORE4_BF16_A;
    default: return wide ? TIRBI_L_STORE8_TRUTH_A : TIRBI_L_STORE4_TRUTH_A;
    }
}

/* How far the elements of a cursor are apart that a bank reads or writes at once; 0: it does not. */
static unsigned steps_of(const lane_planner *p, uint8_t cursor, uint8_t type, bool reads) {
    const int step = p->body->steps[cursor];
    if (!p->body->has_steps || p->level > 0 || step < 2 || step > 4 || type == TIRB_BOOL) return 0;
    const bool bytes =
        p->body->main_size == 4 && p->body->has_words && (type == TIRB_U8 || (type == TIRB_I8 && !reads));
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
    case 1: return step_form(p, TIRBI_L_PICK2_U8_A, step);
    case 2: return p->tail ? TIRBI_L_PICK2_PART_2_A : TIRBI_L_PICK2_2_A;
    case 4: return step_form(p, TIRBI_L_PICK2_4_A, step);
    default: return step_form(p, TIRBI_L_PICK2_8_A, step);
    }
}
static unsigned spread_form(const lane_planner *p, uint8_t type, bool settled, unsigned step) {
    const unsigned size = tirbi_dtypes[type].size;
    unsigned first = size == 1 ? TIRBI_L_SPREAD2_U8_A : size == 4 ? TIRBI_L_SPREAD2_4_A : TIRBI_L_SPREAD2_8_A;
    if (type == TIRB_F32 && !settled) first = TIRBI_L_SPREAD2_F32_A;
    if (type == TIRB_F64 && !settled) first = TIRBI_L_SPREAD2_F64_A;
    return step_form(p, first, step);
}

static void forget_bank(lane_planner *p, unsigned bank) {
    if (p->now.banks[bank] == NO_VALUE) return;
    p->now.values[p->now.banks[bank]].bank = NO_BANK;
    p->now.banks[bank] = NO_VALUE;
}

static void put_in_bank(lane_planner *p, uint8_t reg, unsigned bank) {
    lane_value *v = &p->now.values[reg];
    forget_bank(p, bank);
    if (v->bank != NO_BANK) p->now.banks[v->bank] = NO_VALUE;
    v->bank = (int8_t)bank;
    p->now.banks[bank] = reg;
}

static void store_to_strip(lane_planner *p, uint8_t reg) {
    lane_value *v = &p->now.values[reg];
    const unsigned form = is_narrow(p, v) ? narrow_store_form(p, v->dtype) : (unsigned)TIRBI_L_STORE_A;
    emit(p, form + (unsigned)v->bank, strip_of(p, reg), 0, 0);
    v->strip = true;
}

/* Frees a bank. Its value is stored first if it is read later (`needed`) and can be had nowhere else. */
static void evict(lane_planner *p, unsigned bank, bool needed) {
    uint8_t reg = p->now.banks[bank];
    if (reg == NO_VALUE) return;
    if (needed && !has_memory(&p->now.values[reg])) store_to_strip(p, reg);
    forget_bank(p, bank);
}

static void emit_kernel(lane_planner *p, unsigned form, tirbi_kernel kernel, uint16_t dest, const uint16_t *operands) {
    emit(p, form, dest, operands[0], operands[1]);
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {operands[2], 0, 0, 0}});
    tirbi_translate_word(p->emitter, (tirbi_word){.kernel = kernel});
}

static void emit_copy_kernel(lane_planner *p, uint8_t type, uint16_t dest, uint16_t from) {
    const uint16_t operands[3] = {from, 0, 0};
    emit_kernel(p, TIRBI_L_KERNEL, p->code->kernels->cast[type][type], dest, operands);
}

/* Makes the register's strip valid, wherever the value is. */
static void fill_strip(lane_planner *p, uint8_t reg) {
    lane_value *v = &p->now.values[reg];
    if (v->strip || v->size == 0) return; /* without a size it is a value of the code around a loop of a lane's own */
    if (v->bank != NO_BANK) {
        store_to_strip(p, reg);
    } else if (v->raw) {
        evict(p, 0, true);
        evict(p, 1, true);
        emit_copy_kernel(p, TIRB_BOOL, strip_of(p, reg), v->pointer);
    } else if (v->lazy == LAZY_STREAM) {
        emit(p, p->tail ? TIRBI_L_PULL : TIRBI_L_COPY, strip_of(p, reg), v->pointer, shift_of(v->size));
    } else if (v->lazy == LAZY_STEPS) {
        evict(p, 0, true);
        evict(p, 1, true);
        emit(p, TIRBI_L_GATHER, strip_of(p, reg), v->pointer, shift_of(v->size));
        tirbi_lane_clear_rest(p, reg, v->size);
    } else if (v->lazy == LAZY_WIDEN) {
        const uint16_t operands[3] = {v->pointer, 0, 0};
        evict(p, 0, true);
        evict(p, 1, true);
        emit_kernel(p, TIRBI_L_KERNEL, p->code->kernels->cast[v->type][v->bytes], strip_of(p, reg), operands);
    } else if (v->lazy == LAZY_SPLAT) {
        evict(p, 0, true);
        evict(p, 1, true);
        /* What is always the same in a strip of its own is there from the first block on. */
        bool once = v->stable && v->pointer >= p->first_splat && p->body->n_own == 0 && (p->set_once >> reg & 1);
        emit(p, TIRBI_L_FILL, strip_of(p, reg), v->pointer, shift_of(v->size) | (once ? (reg + 1u) << 2 : 0));
    }
    v->strip = true;
}

/* A memory operand of NL elements: the cursor itself where as many are there. */
static uint16_t block_operand(lane_planner *p, uint8_t reg) {
    const lane_value *v = &p->now.values[reg];
    if (v->words != 0) return v->words;
    if (!v->strip && v->lazy == LAZY_STREAM && (!p->tail || p->wide)) return v->pointer;
    fill_strip(p, reg);
    return strip_of(p, reg);
}

/* A memory operand of which only the block's elements are read. */
uint16_t tirbi_lane_kernel_operand(lane_planner *p, uint8_t reg) {
    const lane_value *v = &p->now.values[reg];
    if (!v->strip && v->lazy == LAZY_STREAM && !v->raw) return v->pointer;
    fill_strip(p, reg);
    return strip_of(p, reg);
}

static uint16_t strip_operand(lane_planner *p, uint8_t reg) {
    fill_strip(p, reg);
    return strip_of(p, reg);
}

/* Copies the value to a bank, whose own value is lost, without moving it there. */
static void copy_to_bank(lane_planner *p, uint8_t reg, unsigned bank) {
    const lane_value *v = &p->now.values[reg];
    if (v->bank != NO_BANK) {
        emit(p, bank == 0 ? TIRBI_L_MOVE_A : TIRBI_L_MOVE_B, 0, 0, 0);
    } else if (!v->strip && v->lazy == LAZY_STEPS) {
        emit(p, pick_form(p, v->dtype, v->step) + bank, 0, v->pointer, 0);
    } else if (!v->strip && v->lazy == LAZY_WIDEN) {
        uint16_t from = v->pointer;
        if (p->tail && !p->wide) {
            emit(p, TIRBI_L_PULL, p->spare_strip, from, shift_of(tirbi_dtypes[v->bytes].size));
            from = p->spare_strip;
        }
        const unsigned widen = v->bytes == TIRB_U8 ? TIRBI_L_WIDEN_U8_A : TIRBI_L_WIDEN_I8_A;
        emit(p, (p->body->main_size == 2 ? widen : load_form(p, v->bytes)) + bank, 0, from, 0);
    } else if (!v->strip && v->lazy == LAZY_SPLAT && v->words != 0) {
        emit(p, TIRBI_L_SPLAT4_A + bank, 0, v->words, 0); /* filling a strip would leave nothing in the other bank */
    } else if (is_narrow(p, v)) {
        uint16_t from = v->pointer;
        if (v->strip || v->lazy != LAZY_STREAM || (p->tail && !p->wide)) {
            if (v->raw && !v->strip) emit(p, TIRBI_L_PULL, strip_of(p, reg), from, 0); /* which are no bools there */
            else fill_strip(p, reg);
            from = strip_of(p, reg);
        }
        emit(p, load_form(p, v->dtype) + bank, 0, from, 0);
    } else if (!v->strip && v->lazy == LAZY_SPLAT) {
        static const uint16_t forms[] = {TIRBI_L_SPLAT1_A, TIRBI_L_SPLAT2_A, TIRBI_L_SPLAT4_A, TIRBI_L_SPLAT8_A};
        unsigned form = forms[shift_of(v->size)];
        emit(p, form + bank, 0, v->pointer, 0);
    } else {
        uint16_t from = block_operand(p, reg);
        emit(p, bank == 0 ? TIRBI_L_LOAD_A : TIRBI_L_LOAD_B, 0, from, 0);
    }
}

static void load_bank(lane_planner *p, uint8_t reg, unsigned bank) {
    if (p->now.values[reg].bank == (int8_t)bank) return;
    copy_to_bank(p, reg, bank);
    put_in_bank(p, reg, bank);
}

static uint8_t result_type(const lane_ins *ins) {
    if (tirbi_lane_ins_scans(ins))
        return (uint8_t)(ins->fold & TIRBI_SCAN_BITS ? tirbi_dtype_of_bits((tirbi_dtype)ins->type)
                                                     : (tirbi_dtype)ins->type);
    return (uint8_t)tirbi_op_result_type((tirbi_op)ins->op, (tirbi_dtype)ins->type);
}

/* The register gets a new value, which is nowhere yet. */
lane_value *tirbi_lane_define(lane_planner *p, const lane_ins *ins, uint8_t size) {
    lane_value *v = &p->now.values[ins->dest];
    if (v->bank != NO_BANK) p->now.banks[v->bank] = NO_VALUE;
    *v = (lane_value){.bank = NO_BANK, .size = size, .dtype = result_type(ins), .next = ins->next[3]};
    return v;
}

static void after(lane_planner *p, const lane_ins *ins) {
    for (unsigned i = 0; i < ins->n_reads; i++) {
        if (ins->reads[i] != ins->dest) p->now.values[ins->reads[i]].next = ins->next[i];
    }
    for (unsigned bank = 0; bank < 2; bank++) {
        uint8_t reg = p->now.banks[bank];
        if (reg != NO_VALUE && reg != ins->dest && !is_live(ins, reg)) forget_bank(p, bank);
    }
}

/* ---- Instructions on banks ------------------------------------------------------------------------------------ */

/* How an operand is brought to its place. */
typedef enum manner {
    AS_IS,     /* in a bank, as a block in memory, or as a scalar */
    BY_STORE,  /* stored to its strip first, then read from there */
    BY_LOAD    /* loaded into the destination first */
} manner;

typedef struct option {
    lane_place place;
    manner how;
    unsigned cost;
} option;

typedef struct choice {
    unsigned form;
    unsigned cost;
    unsigned dest;
    bool swapped;
    option operands[3];
} choice;

enum { COST_OPERAND = 2, COST_LOAD = 8, COST_STORE = 8, COST_COPY = 14, MAX_OPTIONS = 4 };

static unsigned options_of(const lane_planner *p, uint8_t reg, unsigned dest, option *out) {
    const lane_value *v = &p->now.values[reg];
    unsigned n = 0;
    if (v->bank != NO_BANK) out[n++] = (option){v->bank == 0 ? PLACE_A : PLACE_B, AS_IS, 0};
    if (v->words != 0)
        out[n++] = (option){v->lazy == LAZY_SPLAT ? PLACE_K : PLACE_M, AS_IS, COST_OPERAND};
    else if (is_narrow(p, v))
        ; /* its elements are no lanes */
    else if (v->strip || v->lazy == LAZY_STREAM)
        out[n++] = (option){PLACE_M, AS_IS, v->strip || !p->tail || p->wide ? COST_OPERAND : COST_COPY};
    else if (v->lazy == LAZY_SPLAT)
        out[n++] = (option){PLACE_K, AS_IS, COST_OPERAND};
    else if (v->bank != NO_BANK)
        out[n++] = (option){PLACE_M, BY_STORE, COST_STORE + COST_OPERAND};
    bool from_memory = !v->strip && (v->lazy == LAZY_STREAM || v->lazy == LAZY_WIDEN);
    if (v->bank != (int8_t)dest && !(v->words != 0 && v->lazy != LAZY_SPLAT))
        out[n++] = (option){dest == 0 ? PLACE_A : PLACE_B, BY_LOAD,
                            COST_LOAD + (p->tail && !p->wide && from_memory ? COST_COPY : 0)};
    return n;
}

/* What it costs to lose the value in `dest`. */
static unsigned cost_of_losing(const lane_planner *p, const lane_ins *ins, unsigned dest) {
    uint8_t reg = p->now.banks[dest];
    if (reg == NO_VALUE || reg == ins->dest || !is_live(ins, reg)) return 0;
    unsigned cost = COST_OPERAND + (has_memory(&p->now.values[reg]) ? 0 : COST_STORE);
    /* Rather keep the value that is read sooner. */
    uint8_t other = p->now.banks[1 - dest];
    if (other != NO_VALUE && p->now.values[other].next > p->now.values[reg].next) cost += 1;
    if (reg == p->kept && ins < p->body->ins + p->kept_until) cost += COST_COPY;
    return cost;
}

/* No operand's reads are looked for any further ahead, so that translation takes time in proportion to the code. */
enum { LOOK_AHEAD = 32 };

/* How often instructions on banks read a register from number `at` on, while there is at most one value beside it that
 * is in no memory: a bank can be its own until the last of them, *until. */
static unsigned reads_in_banks(const lane_planner *p, uint32_t at, uint8_t reg, uint32_t *until) {
    uint64_t computed = 0; /* values in banks only */
    unsigned n = 0;
    for (unsigned bank = 0; bank < 2; bank++) {
        uint8_t held = p->now.banks[bank];
        if (held != NO_VALUE && !has_memory(&p->now.values[held])) computed |= UINT64_C(1) << held;
    }
    for (uint32_t i = at; i < p->body->n && i - at < LOOK_AHEAD; i++) {
        const lane_ins *ins = &p->body->ins[i];
        bool reads_memory = ins->op == TIRB_OP_VLOAD || ins->op == TIRB_OP_VSPLAT;
        if (ins->kind == 0 && !reads_memory) break;
        for (unsigned r = 0; r < ins->n_reads; r++) {
            if (ins->reads[r] != reg) continue;
            *until = i;
            n++;
        }
        uint64_t dest = UINT64_C(1) << ins->dest;
        if (ins->dest == reg) break;
        computed = reads_memory ? computed & ~dest : computed | dest;
        if (__builtin_popcountll(computed & ins->live & ~(UINT64_C(1) << reg)) > 1) break;
    }
    return n;
}

/* A block in memory that is read again and again is loaded once, into a bank that nothing else needs: vectors of it
 * that lie across two cache lines cost two accesses each time. */
static void keep_operands(lane_planner *p, const lane_ins *ins) {
    uint32_t at = (uint32_t)(ins - p->body->ins), until = 0;
    for (unsigned i = 0; i < ins->n_reads; i++) {
        uint8_t reg = ins->reads[i];
        const lane_value *v = &p->now.values[reg];
        if (v->bank != NO_BANK || v->words != 0 || (!v->strip && v->lazy != LAZY_STREAM) || at < p->kept_until)
            continue;
        if (reads_in_banks(p, at, reg, &until) < 3) continue;
        for (unsigned bank = 2; bank-- > 0;) {
            uint8_t held = p->now.banks[bank];
            bool read_here = false;
            for (unsigned k = 0; k < ins->n_reads; k++) read_here = read_here || ins->reads[k] == held;
            if (held != NO_VALUE && (read_here || (is_live(ins, held) && !has_memory(&p->now.values[held])))) continue;
            load_bank(p, reg, bank);
            p->kept = reg;
            p->kept_until = until;
            break;
        }
    }
}

/* Takes the choice if it has a form and is cheaper. */
static void consider(const lane_planner *p, const lane_ins *ins, unsigned dest, unsigned base, const option *operands,
                     choice *best) {
    unsigned n = ins->n_reads;
    unsigned cost = base;
    unsigned loads = 0;
    for (unsigned i = 0; i < n; i++) {
        cost += operands[i].cost;
        if (operands[i].how == BY_LOAD) loads++;
    }
    if (cost >= best->cost || loads > 1) return;
    /* A load into the destination must not destroy another operand that is read there. */
    uint8_t loaded = NO_VALUE;
    for (unsigned i = 0; i < n; i++)
        if (operands[i].how == BY_LOAD) loaded = ins->reads[i];
    for (unsigned i = 0; loads && i < n; i++)
        if (operands[i].how == AS_IS && operands[i].place == (dest == 0 ? PLACE_A : PLACE_B) && ins->reads[i] != loaded)
            return;
    lane_place kinds[3] = {PLACE_A, PLACE_A, PLACE_A};
    for (unsigned i = 0; i < n; i++) kinds[i] = operands[i].place;
    unsigned form = tirbi_lane_form(ins->kind, (lane_place)dest, n, kinds);
    bool swapped = false;
    if (form == 0 && n >= 2 && tirbi_lane_commutes(ins->op, ins->type)) {
        lane_place first = kinds[0];
        kinds[0] = kinds[1];
        kinds[1] = first;
        form = tirbi_lane_form(ins->kind, (lane_place)dest, n, kinds);
        swapped = true;
    }
    if (form == 0) return;
    *best = (choice){.form = form - 1, .cost = cost, .dest = dest, .swapped = swapped};
    for (unsigned i = 0; i < n; i++) best->operands[i] = operands[i];
    (void)p;
}

static choice best_choice(const lane_planner *p, const lane_ins *ins) {
    choice best = {.cost = UINT32_MAX};
    for (unsigned dest = 0; dest < 2; dest++) {
        option options[3][MAX_OPTIONS];
        unsigned counts[3] = {1, 1, 1};
        unsigned base = cost_of_losing(p, ins, dest);
        for (unsigned i = 0; i < ins->n_reads; i++) counts[i] = options_of(p, ins->reads[i], dest, options[i]);
        option operands[3] = {{PLACE_A, AS_IS, 0}, {PLACE_A, AS_IS, 0}, {PLACE_A, AS_IS, 0}};
        for (unsigned x = 0; x < counts[0]; x++) {
            if (ins->n_reads > 0) operands[0] = options[0][x];
            if (base + operands[0].cost >= best.cost) continue;
            for (unsigned y = 0; y < counts[1]; y++) {
                if (ins->n_reads > 1) operands[1] = options[1][y];
                if (base + operands[0].cost + operands[1].cost >= best.cost) continue;
                for (unsigned z = 0; z < counts[2]; z++) {
                    if (ins->n_reads > 2) operands[2] = options[2][z];
                    consider(p, ins, dest, base, operands, &best);
                }
            }
        }
    }
    return best;
}

static void plan_kernel(lane_planner *p, const lane_ins *ins, const lane_ins *next);

static bool is_read(const lane_ins *ins, uint8_t reg) {
    for (unsigned i = 0; i < ins->n_reads; i++)
        if (ins->reads[i] == reg) return true;
    return false;
}

/* Whether an operand has to be brought into a bank, where forms can read it. */
static bool is_to_be_widened(const lane_planner *p, const lane_value *v) {
    return v->bank == NO_BANK && v->words == 0 &&
           (is_narrow(p, v) || ((v->lazy == LAZY_WIDEN || v->lazy == LAZY_STEPS) && !v->strip));
}

/* Widens an operand into a bank ahead of its instruction, which can do so for one of them only. */
static bool widen_ahead(lane_planner *p, const lane_ins *ins) {
    for (unsigned i = 0; i < ins->n_reads; i++) {
        if (!is_to_be_widened(p, &p->now.values[ins->reads[i]])) continue;
        unsigned bank = p->now.banks[0] == NO_VALUE || !is_read(ins, p->now.banks[0]) ? 0 : 1;
        if (is_live(ins, p->now.banks[bank]) && p->now.banks[1 - bank] == NO_VALUE) bank = 1 - bank;
        uint8_t held = p->now.banks[bank];
        evict(p, bank, is_live(ins, held) || is_read(ins, held));
        load_bank(p, ins->reads[i], bank);
        return true;
    }
    return false;
}

/* Three operands that must all be in banks are one too many: the lanes of one that is not there yet go to memory. */
static void widen_to_memory(lane_planner *p, const lane_ins *ins) {
    unsigned n = 0;
    uint8_t chosen = NO_VALUE;
    for (unsigned i = 0; i < ins->n_reads; i++) {
        const lane_value *v = &p->now.values[ins->reads[i]];
        const bool again = (i > 0 && ins->reads[i] == ins->reads[0]) || (i > 1 && ins->reads[i] == ins->reads[1]);
        if (again || (v->bank == NO_BANK && !is_to_be_widened(p, v))) continue;
        if (v->bank == NO_BANK && (is_narrow(p, v) || v->lazy == LAZY_STEPS)) chosen = ins->reads[i];
        n++;
    }
    if (n < 3 || chosen == NO_VALUE) return;
    unsigned bank = p->now.banks[0] == NO_VALUE || !is_read(ins, p->now.banks[0]) ? 0 : 1;
    uint8_t held = p->now.banks[bank];
    evict(p, bank, is_live(ins, held) || is_read(ins, held));
    copy_to_bank(p, chosen, bank);
    emit(p, TIRBI_L_STORE_A + bank, p->spare_strip, 0, 0);
    p->now.values[chosen].words = p->spare_strip;
}

static void forget_words(lane_planner *p, const lane_ins *ins) {
    for (unsigned i = 0; i < ins->n_reads; i++) {
        lane_value *v = &p->now.values[ins->reads[i]];
        if (v->words == p->spare_strip) v->words = 0;
    }
}

/* Whether the next instruction stores a result of 16 bits, which rounds it, and nothing else reads it. */
static bool is_rounded_by_store(const lane_ins *ins, const lane_ins *next) {
    return next && next->op == TIRB_OP_VSTORE && next->reads[0] == ins->dest && !is_live(next, ins->dest);
}

/* Whether an instruction's result is rounded to its type behind it: unless a store does that, or it is exact. */
static bool is_to_be_rounded(const lane_ins *ins, const lane_ins *next) {
    if (ins->type != TIRB_F16 && ins->type != TIRB_BF16) return false;
    switch (ins->op) {
    case TIRB_OP_VADD:
    case TIRB_OP_VSUB:
    case TIRB_OP_VMUL:
    case TIRB_OP_VDIV:
    case TIRB_OP_VSQRT:
    case TIRB_OP_VFMA:
    case TIRB_OP_VFMS:
    case TIRB_OP_VFNMA: break;
    default: return false;
    }
    return !is_rounded_by_store(ins, next);
}

static void plan_pinned(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    for (unsigned i = 0; i < ins->n_reads; i++) {
        const lane_value *v = &p->now.values[ins->reads[i]];
        /* Filling a strip leaves nothing in banks. */
        if (is_to_be_widened(p, v) && v->lazy == LAZY_SPLAT) fill_strip(p, ins->reads[i]);
    }
    keep_operands(p, ins);
    widen_to_memory(p, ins);
    choice c = best_choice(p, ins);
    if (c.cost == UINT32_MAX && widen_ahead(p, ins)) c = best_choice(p, ins);
    if (c.cost == UINT32_MAX && widen_ahead(p, ins)) c = best_choice(p, ins);
    if (c.cost == UINT32_MAX) {
        forget_words(p, ins);
        plan_kernel(p, ins, NULL);
        return;
    }
    uint16_t words[3] = {0, 0, 0};
    /* Stores and copies first, while the banks still hold what they held. */
    for (unsigned i = 0; i < ins->n_reads; i++) {
        uint8_t reg = ins->reads[i];
        if (c.operands[i].how == BY_STORE && !p->now.values[reg].strip) store_to_strip(p, reg);
        if (c.operands[i].place == PLACE_M) words[i] = block_operand(p, reg);
        if (c.operands[i].place == PLACE_K)
            words[i] = p->now.values[reg].words ? p->now.values[reg].words : p->now.values[reg].pointer;
    }
    uint8_t lost = p->now.banks[c.dest];
    if (lost != NO_VALUE && lost != ins->dest && is_live(ins, lost) && !has_memory(&p->now.values[lost]))
        store_to_strip(p, lost);
    for (unsigned i = 0; i < ins->n_reads; i++)
        if (c.operands[i].how == BY_LOAD) copy_to_bank(p, ins->reads[i], c.dest);
    if (c.swapped) {
        uint16_t first = words[0];
        words[0] = words[1];
        words[1] = first;
    }
    emit(p, c.form, words[0], words[1], words[2]);
    if (is_to_be_rounded(ins, next))
        emit(p, (ins->type == TIRB_F16 ? TIRBI_L_ROUND_F16_AA : TIRBI_L_ROUND_BF16_AA) + c.dest, 0, 0, 0);
    forget_words(p, ins);
    forget_bank(p, c.dest);
    tirbi_lane_define(p, ins, tirbi_dtypes[result_type(ins)].size);
    put_in_bank(p, ins->dest, c.dest);
}

/* ---- Instructions on strips ----------------------------------------------------------------------------------- */

/* What is in banks and read later goes to strips: nothing survives a call. */
void tirbi_lane_leave_banks(lane_planner *p, const lane_ins *ins) {
    for (unsigned bank = 0; bank < 2; bank++) evict(p, bank, is_live(ins, p->now.banks[bank]));
}

/* The rest of a strip that was filled for the block's elements only, where forms may read it; no bank is live. */
void tirbi_lane_clear_rest(lane_planner *p, uint8_t reg, uint8_t size) {
    if (p->tail && size == p->body->main_size) emit(p, TIRBI_L_CLEAR, strip_of(p, reg), 0, shift_of(size));
}

static tirbi_kernel kernel_of(const lane_planner *p, const lane_ins *ins) {
    if (ins->op == TIRB_OP_VCAST) return p->code->kernels->cast[ins->type][ins->source];
    if (ins->op == TIRB_OP_VBITS) return p->code->kernels->bits[ins->type][ins->source];
    unsigned op = ins->op - TIRB_OP_LANE_FORM - TIRBI_FIRST_ELEMENTWISE;
    if (ins->type == TIRB_F16 && p->code->halves && p->code->halves->op[op]) return p->code->halves->op[op];
    return p->code->kernels->op[op][ins->type];
}

static void settle_before_store(lane_planner *p, const lane_ins *ins, uint8_t stored);

/* Whether `next` stores what `ins` computes and nothing else reads it, so that the kernel can write to the cursor. The
 * kernel's results must be canonical, which copies are not. */
static bool can_store_directly(const lane_planner *p, const lane_ins *ins, const lane_ins *next, uint8_t type) {
    if (!next || next->op != TIRB_OP_VSTORE || next->reads[0] != ins->dest || is_live(next, ins->dest)) return false;
    if (p->body->strides[next->cursor] != STRIDE_ONE) return false;
    bool copies = ins->op == TIRB_OP_VMOV || ins->op == TIRB_OP_VSELECT;
    return !(copies && tirbi_dtype_is_float(type));
}

/* Whether an instruction takes hardly longer for a whole block of its kernel than for some elements, and cannot
 * trap. */
bool tirbi_lane_is_light(const lane_ins *ins) {
    unsigned op = (unsigned)ins->op - TIRB_OP_LANE_FORM;
    bool divides = op >= TIRB_OP_DIV && op <= TIRB_OP_FLOORMOD && !tirbi_dtype_is_float((tirbi_dtype)ins->type);
    return !divides && (op <= TIRB_OP_SQRT || (op >= TIRB_OP_FLOOR && op <= TIRB_OP_ROUND));
}

static void plan_kernel(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    uint8_t type = (uint8_t)tirbi_op_result_type((tirbi_op)ins->op, (tirbi_dtype)ins->type);
    uint8_t size = tirbi_dtypes[type].size;
    bool wide = (p->tail || p->level > 0) && tirbi_lane_is_light(ins);
    unsigned form = wide ? TIRBI_L_KERNEL_WIDE : TIRBI_L_KERNEL;
    bool direct = !wide && p->level == 0 && can_store_directly(p, ins, next, type);
    if (direct) settle_before_store(p, next, ins->dest);
    uint16_t operands[3] = {0, 0, 0};
    bool in_the_way = false;
    for (unsigned i = 0; i < ins->n_reads; i++) {
        operands[i] = wide ? strip_operand(p, ins->reads[i]) : tirbi_lane_kernel_operand(p, ins->reads[i]);
        if (ins->reads[i] == ins->dest && operands[i] == strip_of(p, ins->dest) &&
            p->now.values[ins->dest].size != size)
            in_the_way = true;
    }
    tirbi_lane_leave_banks(p, ins);
    tirbi_lane_plan_divisor(p, ins, operands[1]);
    uint16_t dest = direct       ? pointer_of_cursor(next->cursor)
                    : in_the_way ? p->spare_strip
                                 : strip_of(p, ins->dest);
    emit_kernel(p, form, kernel_of(p, ins), dest, operands);
    if (in_the_way && !direct) {
        const uint16_t spare[3] = {p->spare_strip, 0, 0};
        emit_kernel(p, form, p->code->kernels->op[TIRB_OP_MOV - TIRBI_FIRST_ELEMENTWISE][type], strip_of(p, ins->dest),
                    spare);
    }
    if (!direct && !wide) tirbi_lane_clear_rest(p, ins->dest, size);
    tirbi_lane_define(p, ins, size)->strip = true;
    p->ends_in_store = direct;
}

/* The bank to give up for a value that is only passing through. */
static unsigned bank_to_spare(const lane_planner *p, const lane_ins *ins) {
    for (unsigned bank = 0; bank < 2; bank++)
        if (!is_live(ins, p->now.banks[bank])) return bank;
    return p->now.values[p->now.banks[0]].next > p->now.values[p->now.banks[1]].next ? 0 : 1;
}

/* Whether a register is read more than once. */
static bool is_read_again(const lane_planner *p, const lane_ins *ins) {
    if (ins->next[3] == TIRBI_NO_USE) return false;
    const lane_ins *reader = &p->body->ins[ins->next[3]];
    unsigned n = 0;
    for (unsigned r = 0; r < reader->n_reads; r++)
        if (reader->reads[r] == ins->dest) n += reader->next[r] == TIRBI_NO_USE ? 1 : 2;
    return n > 1;
}

/* Elements that are some apart are picked where they are used, or once if that is more than one time. */
static void plan_steps(lane_planner *p, const lane_ins *ins, unsigned step) {
    lane_value *v = &p->now.values[ins->dest];
    v->lazy = LAZY_STEPS;
    v->step = (uint8_t)step;
    if (!is_read_again(p, ins)) return;
    const unsigned bank = bank_to_spare(p, ins);
    evict(p, bank, is_live(ins, p->now.banks[bank]));
    load_bank(p, ins->dest, bank);
    store_to_strip(p, ins->dest);
    v->lazy = LAZY_NONE;
}

static void plan_load(lane_planner *p, const lane_ins *ins) {
    uint8_t size = tirbi_dtypes[ins->type].size;
    lane_stride stride = p->body->strides[ins->cursor];
    uint16_t pointer = pointer_of_cursor(ins->cursor);
    lane_value *v = tirbi_lane_define(p, ins, size);
    v->pointer = pointer;
    if (p->level > 0 && stride != STRIDE_ZERO) {
        emit(p, TIRBI_L_LOAD_OWN, strip_of(p, ins->dest), pointer, shift_of(size));
        tirbi_translate_word(p->emitter, (tirbi_word){.list = {lanes_at(p, p->level), 0, 0, 0}});
        v->strip = true;
    } else if (p->packs) {
        tirbi_lane_leave_banks(p, ins);
        emit(p, TIRBI_L_PACK, strip_of(p, ins->dest), pointer, shift_of(size));
        tirbi_lane_clear_rest(p, ins->dest, size);
        v->strip = true;
    } else if (ins->number > 0) {
        const unsigned tile = ins->number - 1u;
        const unsigned held = (p->now.banks[0] != NO_VALUE ? 1u : 0u) | (p->now.banks[1] != NO_VALUE ? 2u : 0u);
        emit(p, TIRBI_L_COLUMN, strip_of(p, ins->dest), pointer, shift_of(size));
        const uint16_t kept = (uint16_t)(p->loop->tiles[tile].strip + TIRBI_TILE_COLUMNS);
        tirbi_translate_word(p->emitter, (tirbi_word){.list = {(uint16_t)tile, kept, (uint16_t)held, 0}});
        v->strip = true;
    } else if (stride == STRIDE_ANY && steps_of(p, ins->cursor, ins->type, true) != 0) {
        plan_steps(p, ins, steps_of(p, ins->cursor, ins->type, true));
    } else if (stride == STRIDE_ANY) {
        tirbi_lane_leave_banks(p, ins);
        emit(p, TIRBI_L_GATHER, strip_of(p, ins->dest), pointer, shift_of(size));
        tirbi_lane_clear_rest(p, ins->dest, size);
        v->strip = true;
    } else {
        v->lazy = stride == STRIDE_ZERO ? LAZY_SPLAT : LAZY_STREAM;
    }
    if (ins->type != TIRB_BOOL) return;
    /* Memory may hold any byte; lanes hold 0 and 1. */
    v->raw = (p->body->has_words || p->body->main_size == 1) && v->lazy == LAZY_STREAM;
    if (v->raw) return;
    fill_strip(p, ins->dest);
    tirbi_lane_leave_banks(p, ins);
    emit_copy_kernel(p, TIRB_BOOL, strip_of(p, ins->dest), strip_of(p, ins->dest));
    v->lazy = LAZY_NONE;
}

static bool counts_in(const lane_planner *p, uint16_t slot) {
    for (unsigned k = 0; k < p->loop->n_inner; k++)
        if (p->loop->inner[k].index == slot) return true;
    return false;
}

/* The number of the splat of a slot: its own or a new one. */
static uint16_t number_of_splat(lane_planner *p, uint16_t slot, uint8_t size) {
    uint32_t at = (((uint32_t)slot << 4 | size) * UINT32_C(0x9E3779B1)) >> 8 & p->splat_mask;
    for (; p->splat_table[at] != 0; at = (at + 1) & p->splat_mask) {
        const tirbi_lane_splat *splat = &p->splats[p->splat_table[at] - 1u];
        if (splat->slot == slot && splat->size == size) return (uint16_t)(p->splat_table[at] - 1u);
    }
    p->splats[p->n_splats++] = (tirbi_lane_splat){slot, size};
    p->splat_table[at] = (uint16_t)p->n_splats;
    return (uint16_t)(p->n_splats - 1);
}

/* Whether what is splat has another form in lanes of 4 bytes. */
static bool splats_narrow(const lane_ins *ins) {
    if (ins->op != TIRB_OP_VSPLAT) return false; /* which may have no type */
    const bool is_half = ins->type == TIRB_F16 || ins->type == TIRB_BF16;
    const bool is_int = tirbi_dtype_is_int((tirbi_dtype)ins->type);
    return is_half || (is_int && tirbi_dtypes[ins->type].size < 4);
}

/* A slot with a narrow constant as a lane of 4 bytes: its own for an integer, which is extended there, and one with the
 * float32 value of 16 bits. False: it is no constant, or there are too many. */
static bool find_words(const lane_planner *p, const lane_ins *ins, uint16_t *slot) {
    if (!splats_narrow(ins) || p->known[ins->slot].varies) return false;
    const uint64_t bits = (uint64_t)p->known[ins->slot].bits;
    *slot = ins->slot;
    if (tirbi_dtype_is_int((tirbi_dtype)ins->type)) return tirbi_slot_extend(bits, ins->type) == bits;
    const float wide = ins->type == TIRB_F16 ? tirbi_f16_to_f32((uint16_t)bits) : tirbi_bf16_to_f32((uint16_t)bits);
    return tirbi_slot_of_value(p->constants, tirbi_f32_bits(wide), slot);
}

static uint16_t words_of_splat(lane_planner *p, const lane_ins *ins) {
    uint16_t slot;
    if (!p->body->has_words || p->body->main_size != 4 || !find_words(p, ins, &slot)) return 0;
    return (uint16_t)(p->first_splat + number_of_splat(p, slot, 4));
}

static void plan_splat(lane_planner *p, const lane_ins *ins) {
    uint8_t size = tirbi_dtypes[ins->type].size;
    lane_value *v = tirbi_lane_define(p, ins, size);
    v->lazy = LAZY_SPLAT;
    v->scalar = true;
    v->stable = !counts_in(p, ins->slot);
    v->pointer = (uint16_t)(p->first_splat + number_of_splat(p, ins->slot, size));
    v->words = words_of_splat(p, ins);
    if (ins->type != TIRB_BOOL) return;
    fill_strip(p, ins->dest);
    tirbi_lane_leave_banks(p, ins);
    emit_copy_kernel(p, TIRB_BOOL, strip_of(p, ins->dest), strip_of(p, ins->dest));
    v->lazy = LAZY_NONE;
}

static void plan_iota(lane_planner *p, const lane_ins *ins) {
    uint8_t size = tirbi_dtypes[ins->type].size;
    if (p->level == 0 && !p->packs && size >= 4 && size == p->body->main_size) {
        const unsigned bank = bank_to_spare(p, ins);
        evict(p, bank, is_live(ins, p->now.banks[bank]));
        tirbi_lane_define(p, ins, size);
        emit(p, (size == 4 ? TIRBI_L_IOTA4_A : TIRBI_L_IOTA8_A) + bank, 0, ins->slot, ins->step);
        put_in_bank(p, ins->dest, bank);
        return;
    }
    lane_value *v = tirbi_lane_define(p, ins, size);
    tirbi_lane_leave_banks(p, ins);
    if (p->level > 0) {
        emit(p, TIRBI_L_IOTA_OWN, strip_of(p, ins->dest), ins->slot, ins->step);
        tirbi_translate_word(p->emitter, (tirbi_word){.list = {(uint16_t)shift_of(size), lanes_at(p, p->level), 0, 0}});
        v->strip = true;
        return;
    }
    emit(p, TIRBI_L_IOTA, strip_of(p, ins->dest), ins->slot, ins->step);
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {(uint16_t)shift_of(size), 0, 0, 0}});
    v->strip = true;
}

/* A store may change what operands that were not copied yet mean. */
static void settle_before_store(lane_planner *p, const lane_ins *ins, uint8_t stored) {
    for (uint64_t set = ins->live; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        lane_value *v = &p->now.values[reg];
        if (reg == stored && v->lazy == LAZY_NONE) continue;
        if (v->lazy == LAZY_NONE || v->stable || (v->lazy == LAZY_SPLAT && v->pointer >= p->first_splat)) continue;
        if (p->apart && v->pointer != pointer_of_cursor(ins->cursor)) {
            p->assumes = true;
            continue;
        }
        if (v->bank == NO_BANK) fill_strip(p, reg);
        v->lazy = LAZY_NONE;
    }
}

/* The form that stores a bank, with canonical NaNs. */
static unsigned store_form(const lane_ins *ins, unsigned bank) {
    if (ins->type == TIRB_F32 && !ins->settled) return TIRBI_L_STORE_F32_A + bank;
    if (ins->type == TIRB_F64 && !ins->settled) return TIRBI_L_STORE_F64_A + bank;
    return TIRBI_L_STORE_A + bank;
}

static void plan_store(lane_planner *p, const lane_ins *ins) {
    uint8_t reg = ins->reads[0];
    uint8_t size = tirbi_dtypes[ins->type].size;
    uint16_t cursor = pointer_of_cursor(ins->cursor);
    bool unit = p->body->strides[ins->cursor] == STRIDE_ONE;
    lane_value *v = &p->now.values[reg];
    /* Banks have no stores that make the NaNs of these canonical. */
    bool by_kernel = size == 2 && tirbi_dtype_is_float((tirbi_dtype)ins->type) && !ins->settled;
    const unsigned step = steps_of(p, ins->cursor, ins->type, false);
    settle_before_store(p, ins, reg);
    if (step != 0) {
        const unsigned bank = v->bank != NO_BANK ? (unsigned)v->bank : bank_to_spare(p, ins);
        if (v->bank == NO_BANK) evict(p, bank, is_live(ins, p->now.banks[bank]));
        load_bank(p, reg, bank);
        emit(p, spread_form(p, ins->type, ins->settled, step) + bank, cursor, 0, 0);
        return;
    }
    if (v->bank != NO_BANK && is_narrow(p, v)) {
        const bool direct = unit && !p->tail;
        emit(p, narrow_store_form(p, ins->type) + (unsigned)v->bank, direct ? cursor : p->spare_strip, 0, 0);
        if (direct) return;
        if (!unit) tirbi_lane_leave_banks(p, ins);
        emit(p, unit ? TIRBI_L_COPY : TIRBI_L_SCATTER, cursor, p->spare_strip, shift_of(size));
        return;
    }
    if (p->level > 0) {
        emit_copy_kernel(p, ins->type, p->spare_strip, tirbi_lane_kernel_operand(p, reg));
        emit(p, TIRBI_L_STORE_OWN, cursor, p->spare_strip, shift_of(size));
        tirbi_translate_word(p->emitter, (tirbi_word){.list = {lanes_at(p, p->level), 0, 0, 0}});
        return;
    }
    if (size == p->body->main_size && unit && v->bank == NO_BANK && !p->tail && !by_kernel && !is_narrow(p, v)) {
        unsigned bank = bank_to_spare(p, ins);
        evict(p, bank, is_live(ins, p->now.banks[bank]));
        load_bank(p, reg, bank);
    }
    if (v->bank != NO_BANK && !by_kernel) {
        unsigned form = store_form(ins, (unsigned)v->bank);
        if (unit && !p->tail) {
            emit(p, form, cursor, 0, 0);
            return;
        }
        if (unit) {
            emit(p, form - TIRBI_L_STORE_A + TIRBI_L_PART_A, cursor, p->spare_strip, shift_of(size));
            return;
        }
        emit(p, form, p->spare_strip, 0, 0);
    } else {
        uint16_t from = tirbi_lane_kernel_operand(p, reg);
        if (ins->settled && v->strip) {
            if (unit) {
                emit(p, TIRBI_L_COPY, cursor, from, shift_of(size));
                return;
            }
            tirbi_lane_leave_banks(p, ins);
            emit(p, TIRBI_L_SCATTER, cursor, from, shift_of(size));
            return;
        }
        tirbi_lane_leave_banks(p, ins);
        emit_copy_kernel(p, ins->type, unit ? cursor : p->spare_strip, from);
        if (unit) return;
    }
    tirbi_lane_leave_banks(p, ins);
    emit(p, TIRBI_L_SCATTER, cursor, p->spare_strip, shift_of(size));
}

/* An integer of 16 bits from bytes in memory: they are widened where the value is used, or at once from a strip. */
static bool plan_widen(lane_planner *p, const lane_ins *ins) {
    if (p->body->main_size != 2 || tirbi_dtypes[ins->type].size != 2 || !tirbi_dtype_is_int((tirbi_dtype)ins->type))
        return false;
    const lane_value source = p->now.values[ins->reads[0]];
    if (ins->source != TIRB_U8 && ins->source != TIRB_I8) return false;
    if (source.strip && p->level == 0) {
        const unsigned bank = bank_to_spare(p, ins);
        evict(p, bank, is_live(ins, p->now.banks[bank]));
        emit(p, (ins->source == TIRB_U8 ? TIRBI_L_WIDEN_U8_A : TIRBI_L_WIDEN_I8_A) + bank, 0, strip_of(p, ins->reads[0]),
             0);
        tirbi_lane_define(p, ins, 2);
        put_in_bank(p, ins->dest, bank);
        return true;
    }
    if (source.strip || source.lazy != LAZY_STREAM) return false;
    lane_value *v = tirbi_lane_define(p, ins, 2);
    v->lazy = LAZY_WIDEN;
    v->pointer = source.pointer;
    v->bytes = ins->source;
    v->type = ins->type;
    return true;
}

/* The low bytes of 16 bits, which the next instruction stores and nothing else reads. */
static bool plan_narrow(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    uint8_t reg = ins->reads[0];
    lane_value *v = &p->now.values[reg];
    if (p->level > 0 || p->body->main_size != 2 || v->size != 2) return false;
    if (ins->type != TIRB_U8 && ins->type != TIRB_I8) return false;
    if (!tirbi_dtype_is_int((tirbi_dtype)ins->source) || !can_store_directly(p, ins, next, ins->type)) return false;
    settle_before_store(p, next, ins->dest);
    unsigned bank = v->bank != NO_BANK ? (unsigned)v->bank : bank_to_spare(p, next);
    if (v->bank == NO_BANK) {
        evict(p, bank, is_live(next, p->now.banks[bank]));
        load_bank(p, reg, bank);
    }
    uint16_t cursor = pointer_of_cursor(next->cursor);
    emit(p, TIRBI_L_NARROW_8_A + bank, p->tail ? p->spare_strip : cursor, 0, 0);
    if (p->tail) emit(p, TIRBI_L_COPY, cursor, p->spare_strip, 0);
    tirbi_lane_define(p, ins, 1)->strip = true; /* which nothing reads */
    p->ends_in_store = true;
    return true;
}

/* The lanes of a value under another name, in a bank. */
static void move_in_banks(lane_planner *p, const lane_ins *ins) {
    const uint8_t from = ins->reads[0];
    const lane_value source = p->now.values[from];
    unsigned bank = source.bank != NO_BANK ? (unsigned)source.bank : bank_to_spare(p, ins);
    if (source.bank == NO_BANK || is_live(ins, from)) {
        if (source.bank != NO_BANK) bank = 1 - bank;
        if (p->now.banks[bank] != ins->dest) evict(p, bank, is_live(ins, p->now.banks[bank]));
        copy_to_bank(p, from, bank);
    }
    tirbi_lane_define(p, ins, tirbi_dtypes[ins->type].size);
    put_in_bank(p, ins->dest, bank);
}

/* A value under another name. False: it is only in a strip that no bank can hold. */
static bool plan_move(lane_planner *p, const lane_ins *ins) {
    const uint8_t from = ins->reads[0];
    const lane_value source = p->now.values[from];
    if (from == ins->dest) {
        p->now.values[from].next = ins->next[3];
        return true;
    }
    if (source.bank == NO_BANK && !source.strip) {
        lane_value *v = tirbi_lane_define(p, ins, source.size);
        v->lazy = source.lazy;
        v->stable = source.stable;
        v->pointer = source.pointer;
        v->step = source.step;
        v->bytes = source.bytes;
        v->type = source.type;
        v->raw = source.raw;
        v->words = source.words;
        return true;
    }
    if (source.size != p->body->main_size && !is_narrow(p, &source)) return false;
    move_in_banks(p, ins);
    return true;
}

/* A cast that leaves the lanes of 4 bytes as they are. */
static void plan_rename(lane_planner *p, const lane_ins *ins) {
    const lane_value source = p->now.values[ins->reads[0]];
    const bool is_lazy = source.bank == NO_BANK && !source.strip;
    if (source.size == tirbi_dtypes[ins->type].size && source.lazy != LAZY_WIDEN && plan_move(p, ins)) return;
    if (!is_lazy || source.lazy != LAZY_STREAM || source.raw) {
        move_in_banks(p, ins);
        return;
    }
    lane_value *v = tirbi_lane_define(p, ins, tirbi_dtypes[ins->type].size);
    v->lazy = LAZY_WIDEN;
    v->pointer = source.pointer;
    v->bytes = source.dtype;
    v->type = ins->type;
}

/* A cast that leaves out bits: a store of them, to memory if that is what comes next. */
static void plan_truncate(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    const uint8_t reg = ins->reads[0];
    const bool stores = next && next->op == TIRB_OP_VSTORE && next->reads[0] == ins->dest && !is_live(next, ins->dest);
    const unsigned step = stores ? steps_of(p, next->cursor, ins->type, false) : 0;
    const bool direct = step != 0 || can_store_directly(p, ins, next, ins->type);
    if (direct) settle_before_store(p, next, ins->dest);
    const lane_value *v = &p->now.values[reg];
    unsigned bank = v->bank != NO_BANK ? (unsigned)v->bank : bank_to_spare(p, ins);
    if (v->bank == NO_BANK) {
        evict(p, bank, is_live(ins, p->now.banks[bank]));
        load_bank(p, reg, bank);
    }
    const uint16_t cursor = direct ? pointer_of_cursor(next->cursor) : 0;
    if (step != 0)
        emit(p, spread_form(p, ins->type, true, step) + bank, cursor, 0, 0);
    else
        emit(p, narrow_store_form(p, ins->type) + bank,
             direct ? (p->tail ? p->spare_strip : cursor) : strip_of(p, ins->dest), 0, 0);
    if (direct && p->tail) emit(p, TIRBI_L_COPY, cursor, p->spare_strip, shift_of(tirbi_dtypes[ins->type].size));
    tirbi_lane_define(p, ins, tirbi_dtypes[ins->type].size)->strip = true;
    p->ends_in_store = direct;
}

static void plan_reduction(lane_planner *p, const lane_ins *ins) {
    uint16_t operands[2] = {0, 0};
    for (unsigned i = 0; i < ins->n_reads; i++) operands[i] = tirbi_lane_kernel_operand(p, ins->reads[i]);
    tirbi_lane_leave_banks(p, ins);
    if (ins->op == TIRB_OP_VRED) {
        emit(p, TIRBI_L_RED, ins->cursor, operands[0], ins->type);
        return;
    }
    emit(p, TIRBI_L_REDMA, ins->cursor, operands[0], operands[1]);
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {ins->type, 0, 0, 0}});
}

/* ---- Inner loops ---------------------------------------------------------------------------------------------- */

/* Pointers move in the loop: what is not copied yet and may move with them is copied now. */
static void settle_at_edge(lane_planner *p, uint64_t live, uint64_t written) {
    for (uint64_t set = live; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        lane_value *v = &p->now.values[reg];
        bool stays = v->lazy == LAZY_SPLAT && v->stable && !(written >> reg & 1);
        if (v->lazy == LAZY_NONE || stays) continue;
        if (v->bank == NO_BANK && !v->strip) {
            unsigned bank = p->now.banks[0] == NO_VALUE ? 0 : 1;
            if (v->size == p->body->main_size && (written >> reg & 1) && p->now.banks[bank] == NO_VALUE)
                load_bank(p, reg, bank);
            else
                fill_strip(p, reg);
        }
        v->lazy = LAZY_NONE;
        v->words = 0;
    }
}

/* What a loop writes may be anything behind it. */
static void forget_runs(lane_planner *p, uint64_t written) {
    for (; written != 0; written &= written - 1) {
        lane_value *v = &p->now.values[__builtin_ctzll(written)];
        v->in_runs = v->scalar = false;
    }
}

/* At a loop's head the banks hold only values that the loop itself updates. */
static void plan_inner(lane_planner *p, const lane_ins *ins) {
    uint8_t loop = ins->cursor;
    uint64_t live = p->body->live_at_head[loop];
    uint64_t carried = live & p->body->exposed[loop] & p->body->written[loop];
    for (unsigned bank = 0; bank < 2; bank++) {
        uint8_t reg = p->now.banks[bank];
        if (reg != NO_VALUE && !(carried >> reg & 1)) evict(p, bank, (live >> reg & 1) != 0);
    }
    settle_at_edge(p, live, p->body->written[loop]);
    for (uint64_t set = carried; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        lane_value *v = &p->now.values[reg];
        unsigned bank = p->now.banks[0] == NO_VALUE ? 0 : 1;
        if (v->size == p->body->main_size && v->bank == NO_BANK && p->now.banks[bank] == NO_VALUE)
            load_bank(p, reg, bank);
    }
    /* For what the loop writes, a bank is the only place from here on: a strip beside it would go stale. */
    for (unsigned bank = 0; bank < 2; bank++) {
        uint8_t reg = p->now.banks[bank];
        if (reg != NO_VALUE && (p->body->written[loop] >> reg & 1)) p->now.values[reg].strip = false;
    }
    forget_runs(p, p->body->written[loop]);
    p->heads[loop] = p->now;
    p->head_words[loop] = tirbi_translate_word(p->emitter, (tirbi_word){.op = TIRBI_L_INNER, .a = loop});
}

/* Brings everything live back to where it was at the loop's head. */
static void restore_places(lane_planner *p, uint8_t loop) {
    const lane_places *head = &p->heads[loop];
    uint64_t live = p->body->live_at_head[loop];
    for (uint64_t set = live; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        bool in_bank = head->values[reg].bank != NO_BANK;
        if (!in_bank && (p->body->written[loop] >> reg & 1)) fill_strip(p, reg);
    }
    for (unsigned bank = 0; bank < 2; bank++) {
        uint8_t wanted = head->banks[bank];
        uint8_t held = p->now.banks[bank];
        if (wanted == held || wanted == NO_VALUE) continue;
        if (held != NO_VALUE && head->banks[1 - bank] == held) fill_strip(p, held);
        load_bank(p, wanted, bank);
    }
    for (uint64_t set = live; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        uint32_t next = p->now.values[reg].next;
        p->now.values[reg] = head->values[reg];
        p->now.values[reg].next = next;
    }
    p->now.banks[0] = head->banks[0];
    p->now.banks[1] = head->banks[1];
    for (unsigned reg = 0; reg < TIRBI_MAX_LANE_REGS; reg++)
        if (!(live >> reg & 1)) p->now.values[reg].bank = NO_BANK;
}

/* The form for a whole loop around this fused multiply-add of a splat and a block into a bank, or 0. */
static unsigned loop_form(unsigned body, bool tail) {
    switch (body) {
    case TIRBI_L_FMA_F32_AMKA: return tail ? TIRBI_L_REST_FMA_F32_A : TIRBI_L_LOOP_FMA_F32_A;
    case TIRBI_L_FMA_F32_BMKB: return tail ? TIRBI_L_REST_FMA_F32_B : TIRBI_L_LOOP_FMA_F32_B;
    case TIRBI_L_FMA_F64_AMKA: return tail ? TIRBI_L_REST_FMA_F64_A : TIRBI_L_LOOP_FMA_F64_A;
    case TIRBI_L_FMA_F64_BMKB: return tail ? TIRBI_L_REST_FMA_F64_B : TIRBI_L_LOOP_FMA_F64_B;
    default: return 0;
    }
}

/* Makes one instruction of an inner loop whose body is one such multiply-add; in the tail, a copy goes before it. */
static bool fuse_loop(lane_planner *p, uint8_t loop) {
    uint32_t head = p->head_words[loop];
    bool pulls = p->tail && !p->wide;
    uint32_t length = pulls ? 2 : 1;
    if (p->emitter->failed || p->emitter->n != head + 1 + length) return false;
    if (p->loop->inner[loop].index != TIRBI_NO_REG) return false;
    const tirbi_word body = p->emitter->words[head + length];
    unsigned form = loop_form(body.op, pulls);
    if (form == 0) return false;
    uint16_t block = body.a;
    if (pulls) {
        const tirbi_word copy = p->emitter->words[head + 1];
        if (copy.op != TIRBI_L_PULL || copy.a != body.a) return false;
        block = copy.b;
    }
    if (!is_cursor(p, block) || !is_cursor(p, body.b)) return false;
    p->emitter->n = head;
    emit(p, form, loop, body.b, block);
    if (pulls) tirbi_translate_word(p->emitter, (tirbi_word){.list = {p->spare_strip, 0, 0, 0}});
    return true;
}

static void plan_inner_end(lane_planner *p, const lane_ins *ins) {
    uint8_t loop = ins->cursor;
    restore_places(p, loop);
    if (fuse_loop(p, loop)) return;
    uint32_t head = p->head_words[loop];
    uint32_t end = tirbi_translate_word(p->emitter, (tirbi_word){.op = TIRBI_L_INNER_END, .a = loop});
    if (p->emitter->failed) return;
    p->emitter->words[head].jump = (int32_t)(end + 1 - head);
    p->emitter->words[end].jump = (int32_t)head + 1 - (int32_t)end;
}

/* ---- Loops of a lane's own -------------------------------------------------------------------------------------- */

static void emit_strips(lane_planner *p, uint16_t to, uint16_t from, uint8_t size) {
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {to, from, (uint16_t)shift_of(size), 0}});
}

/* What the loop uses of the values before it is copied to strips of its own; what is the same in all lanes fills
 * one. */
static void plan_own(lane_planner *p, const lane_ins *ins) {
    uint8_t loop = ins->cursor;
    uint64_t live = p->body->live_at_head[loop], written = p->body->written[loop];
    uint64_t used = live & (p->body->exposed[loop] | written), same = 0;
    for (uint64_t set = live; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        const lane_value *v = &p->now.values[reg];
        bool splat = v->lazy == LAZY_SPLAT && v->stable && !v->strip;
        if ((splat || v->same) && (used >> reg & 1) && !(written >> reg & 1)) same |= UINT64_C(1) << reg;
        else fill_strip(p, reg);
        if (!splat || !(same >> reg & 1)) p->now.values[reg].lazy = LAZY_NONE;
    }
    forget_runs(p, written);
    p->own[p->level].around = p->now;
    unsigned depth = p->level++;
    emit(p, TIRBI_L_OWN, depth, lanes_at(p, p->level), lanes_at(p, p->level) + 1u);
    tirbi_translate_word(
        p->emitter, (tirbi_word){.list = {(uint16_t)__builtin_popcountll(used & ~same), lanes_at(p, depth), 0, 0}});
    for (unsigned reg = 0; reg < TIRBI_MAX_LANE_REGS; reg++) {
        lane_value *v = &p->now.values[reg];
        if (!(used >> reg & 1)) {
            *v = (lane_value){.bank = NO_BANK};
            continue;
        }
        if (!(same >> reg & 1)) emit_strips(p, strip_of(p, (uint8_t)reg), strip_at(p, depth, (uint8_t)reg), v->size);
        if (!(same >> reg & 1)) *v = (lane_value){.bank = NO_BANK, .strip = true, .size = v->size, .next = v->next};
    }
    for (uint64_t set = same; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        lane_value *v = &p->now.values[reg];
        if (v->strip) emit(p, TIRBI_L_FILL, strip_of(p, reg), strip_at(p, depth, reg), shift_of(v->size));
        else emit(p, TIRBI_L_FILL, strip_of(p, reg), v->pointer, shift_of(v->size));
        *v = (lane_value){.bank = NO_BANK, .strip = true, .same = true, .size = v->size, .next = v->next};
    }
    p->own[depth].head = p->emitter->n;
    p->own[depth].last_while = 0;
}

static void plan_while(lane_planner *p, const lane_ins *ins) {
    uint8_t loop = ins->cursor;
    uint16_t truth = strip_operand(p, ins->reads[0]);
    uint64_t kept = 0, carried = p->body->live_at_head[loop] & p->body->written[loop];
    for (uint64_t set = carried; set != 0; set &= set - 1) fill_strip(p, (uint8_t)__builtin_ctzll(set));
    for (uint64_t set = ins->live; set != 0; set &= set - 1) {
        const lane_value *v = &p->now.values[__builtin_ctzll(set)];
        if (v->strip && !v->same) kept |= set & -set;
    }
    kept |= carried;
    unsigned depth = p->level - 1;
    uint32_t at = emit(p, TIRBI_L_OWN_WHILE, truth, lanes_at(p, p->level), lanes_at(p, p->level) + 1u);
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {(uint16_t)__builtin_popcountll(kept),
                                                           (uint16_t)__builtin_popcountll(carried), 0, 0}});
    tirbi_translate_word(p->emitter, (tirbi_word){.far_jump = (int32_t)p->own[depth].last_while});
    for (uint64_t set = kept; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        emit_strips(p, strip_of(p, reg), 0, p->now.values[reg].size);
    }
    for (uint64_t set = carried; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        emit_strips(p, strip_of(p, reg), strip_at(p, depth, reg), p->now.values[reg].size);
    }
    p->own[depth].last_while = at;
}

static void plan_again(lane_planner *p, const lane_ins *ins) {
    uint8_t loop = ins->cursor;
    unsigned depth = p->level - 1;
    for (uint64_t set = p->body->live_at_head[loop]; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        if (p->body->written[loop] >> reg & 1) fill_strip(p, reg);
    }
    uint32_t end = tirbi_translate_word(p->emitter, (tirbi_word){.op = TIRBI_L_OWN_AGAIN, .a = (uint16_t)depth});
    tirbi_translate_word(p->emitter, (tirbi_word){.cost = p->body->own_cost[loop - TIRBI_MAX_INNER]});
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {lanes_at(p, depth), 0, 0, 0}});
    p->level--;
    p->now = p->own[depth].around;
    if (p->emitter->failed) return;
    tirbi_word *words = p->emitter->words;
    words[end].jump = (int32_t)p->own[depth].head - (int32_t)end;
    for (uint32_t at = p->own[depth].last_while; at != 0;) {
        uint32_t before = (uint32_t)words[at + 2].far_jump;
        words[at + 2].far_jump = (int32_t)(end - at);
        at = before;
    }
}

/* ---- The body ------------------------------------------------------------------------------------------------- */

/* Whether what an instruction computes is the same in all lanes of a range: it reads such values, and scalars, only. */
static bool stays_in_runs(const lane_planner *p, const lane_ins *ins) {
    bool some = false, others = false;
    for (unsigned r = 0; r < ins->n_reads; r++) {
        const lane_value *v = &p->now.values[ins->reads[r]];
        some = some || v->in_runs;
        others = others || !(v->in_runs || v->scalar);
    }
    return some && !others;
}

static void plan_elementwise(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    const bool in_runs = stays_in_runs(p, ins);
    const bool renames = ins->op == TIRB_OP_VMOV && plan_move(p, ins);
    const bool resizes = ins->op == TIRB_OP_VCAST && (plan_widen(p, ins) || plan_narrow(p, ins, next));
    if (renames || resizes)
        ;
    else if (tirbi_lane_kind_rounds(ins->kind) && is_rounded_by_store(ins, next))
        move_in_banks(p, ins);
    else if (tirbi_lane_kind_renames(ins->kind))
        plan_rename(p, ins);
    else if (tirbi_lane_kind_truncates(ins->kind))
        plan_truncate(p, ins, next);
    else if (ins->kind != 0)
        plan_pinned(p, ins, next);
    else
        plan_kernel(p, ins, next);
    p->now.values[ins->dest].in_runs = in_runs;
}

static void plan_ins(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    switch (ins->op) {
    case TIRB_OP_INNER: plan_inner(p, ins); return;
    case TIRB_OP_INNER_END: plan_inner_end(p, ins); return;
    case TIRB_OP_VLOOP: plan_own(p, ins); return;
    case TIRB_OP_VWHILE: plan_while(p, ins); break;
    case TIRB_OP_VAGAIN: plan_again(p, ins); return;
    case TIRB_OP_VLOAD: plan_load(p, ins); break;
    case TIRB_OP_VSTORE: plan_store(p, ins); break;
    case TIRB_OP_VSPLAT: plan_splat(p, ins); break;
    case TIRB_OP_VIOTA: plan_iota(p, ins); break;
    case TIRB_OP_VRED:
    case TIRB_OP_VREDMA: plan_reduction(p, ins); break;
    case TIRB_OP_VINDEX: tirbi_lane_plan_index(p, ins); break;
    case TIRB_OP_VLOADX: tirbi_lane_plan_loadx(p, ins); break;
    case TIRB_OP_VSTOREX:
    case TIRB_OP_VUPDATE:
    case TIRB_OP_VUPDATEMA: tirbi_lane_plan_storex(p, ins); break;
    case TIRB_OP_VADVANCE: tirbi_lane_plan_advance(p, ins); break;
    case TIRB_OP_VFIND: tirbi_lane_plan_find(p, ins); break;
    case TIRB_OP_VSCAN:
    case TIRB_OP_VSCANMA: tirbi_lane_plan_scan(p, ins); break;
    case TIRB_OP_VSTEP:
    case TIRB_OP_VSTEPMA: tirbi_lane_plan_step(p, ins); break;
    default: plan_elementwise(p, ins, next); break;
    }
    after(p, ins);
}

/* A store that ends the body goes on to the next block by itself. */
static void end_in_store(lane_planner *p) {
    if (p->emitter->failed || p->emitter->n == 0 || p->latest != p->emitter->n - 1) return;
    tirbi_word *word = &p->emitter->words[p->latest];
    if (word->op >= TIRBI_L_STORE_A && word->op <= TIRBI_L_STORE_F64_B)
        word->op = (uint16_t)(word->op - TIRBI_L_STORE_A + TIRBI_L_LAST_A);
}

typedef enum body_kind { BODY_FULL, BODY_TAIL, BODY_WIDE, BODY_PACKED, BODY_SPANNING } body_kind;

static void plan_body(lane_planner *p, body_kind kind) {
    p->tail = kind != BODY_FULL;
    p->wide = kind == BODY_WIDE || kind == BODY_SPANNING;
    p->packs = kind == BODY_PACKED;
    p->level = 0;
    p->latest = UINT32_MAX;
    for (unsigned reg = 0; reg < p->body->function->n_lane_regs; reg++)
        p->now.values[reg] = (lane_value){.bank = NO_BANK};
    p->now.banks[0] = p->now.banks[1] = p->kept = NO_VALUE;
    p->kept_until = 0;
    for (uint32_t i = p->loop->n_outer; i < p->body->n - p->loop->n_outer && !p->emitter->failed; i++) {
        const lane_ins *ins = &p->body->ins[i];
        if (p->ends_in_store) {
            p->ends_in_store = false;
            after(p, ins);
            continue;
        }
        p->emitter->offset = ins->offset;
        plan_ins(p, ins, i + 1 < p->body->n ? ins + 1 : NULL);
    }
    if (kind == BODY_FULL) end_in_store(p);
    emit(p, kind == BODY_FULL || kind == BODY_SPANNING ? TIRBI_L_NEXT_BLOCK : TIRBI_L_FINISH, 0, 0, 0);
}

/* A body for cursors that do not meet, where that makes a difference: where it begins, or 0. */
static uint32_t plan_apart(lane_planner *p, body_kind kind) {
    const uint32_t at = p->emitter->n;
    p->apart = true;
    p->assumes = false;
    plan_body(p, kind);
    p->apart = false;
    if (p->assumes) return at;
    p->emitter->n = at;
    return 0;
}

/* Finds the loops around the whole body; no lane register lives from one iteration of such a loop to the next. */
static void find_outer_loops(lane_planner *p) {
    const lane_body *body = p->body;
    tirbi_lane_loop *loop = p->loop;
    for (uint32_t i = 0; 2 * i + 2 < body->n; i++) {
        const lane_ins *head = &body->ins[i], *end = &body->ins[body->n - 1 - i];
        bool around = head->op == TIRB_OP_INNER && end->op == TIRB_OP_INNER_END && head->cursor == end->cursor;
        if (!around || body->live_at_head[head->cursor] != 0) return;
        loop->outer[loop->n_outer++] = head->cursor;
    }
}

/* Loads that are transposed where that can be: those that run once in each iteration of an inner loop. */
static void find_tiles(lane_planner *p) {
    const lane_body *body = p->body;
    tirbi_lane_loop *loop = p->loop;
    uint8_t open[TIRBI_MAX_INNER];
    unsigned n_open = 0;
    if (body->n_own > 0) return;
    for (uint32_t i = loop->n_outer; i < body->n - loop->n_outer; i++) {
        lane_ins *ins = &body->ins[i];
        if (ins->op == TIRB_OP_INNER) open[n_open++] = ins->cursor;
        if (ins->op == TIRB_OP_INNER_END) n_open--;
        if (ins->op != TIRB_OP_VLOAD || n_open == 0 || body->strides[ins->cursor] != STRIDE_ANY) continue;
        if (loop->n_tiles == TIRBI_MAX_TILES || loop->cursors[ins->cursor].seek != 0) continue;
        loop->tiles[loop->n_tiles++] = (tirbi_lane_tile){.cursor = ins->cursor, .loop = open[n_open - 1]};
        ins->number = loop->n_tiles;
    }
}

static void choose_block(const lane_planner *p) {
    tirbi_lane_loop *loop = p->loop;
    const lane_body *body = p->body;
    loop->main_size = body->main_size;
    loop->only_banks = body->main_size != 0;
    for (uint32_t i = 0; i < body->n; i++)
        if (tirbi_lane_is_computed(body, &body->ins[i]) && body->ins[i].kind == 0) loop->only_banks = false;
    if (body->main_size == 0)
        loop->lanes = KERNEL_STRIP_BYTES / body->widest;
    else
        loop->lanes = p->code->lanes->bank_bytes / body->main_size;
    loop->least = p->code->lanes;
    while (loop->only_banks && loop->least->narrow) loop->least = loop->least->narrow;
    loop->least_lanes = loop->only_banks ? loop->least->bank_bytes / body->main_size : loop->lanes;
    uint32_t elements = (loop->lanes + TIRBI_KERNEL_BLOCK - 1) / TIRBI_KERNEL_BLOCK * TIRBI_KERNEL_BLOCK;
    loop->strip_size = (elements * body->widest + 63) / 64 * 64;
}

/* Every kernel that a body asks for exists, or the program is refused here. */
static tirb_status check_kernels(const lane_planner *p, tirb_error *error) {
    for (uint32_t i = 0; i < p->body->n; i++) {
        const lane_ins *ins = &p->body->ins[i];
        if (!(tirbi_ops[ins->op].flags & TIRBI_FLAG_ELEMENTWISE) || kernel_of(p, ins)) continue;
        return tirbi_error_set(error, TIRB_INTERNAL, "no kernel for %s.%s", tirbi_ops[ins->op].mnemonic,
                               tirbi_dtypes[ins->type].name);
    }
    return TIRB_OK;
}

static tirb_status plan_loop(lane_planner *p, tirb_error *error) {
    TIRBI_TRY(check_kernels(p, error));
    tirbi_lane_loop *loop = p->loop;
    unsigned n_splats = 0, n_stores = 0;
    uint64_t set = 0, again = 0;
    for (uint32_t i = 0; i < p->body->n; i++) {
        const uint8_t dest = p->body->ins[i].dest;
        if (dest != NO_LANE_REG) again |= set & UINT64_C(1) << dest;
        if (dest != NO_LANE_REG) set |= UINT64_C(1) << dest;
        if (p->body->ins[i].op == TIRB_OP_VSPLAT) {
            uint16_t slot;
            n_splats += find_words(p, &p->body->ins[i], &slot) ? 2 : 1; /* frames are as large on all machines */
        }
        p->n_advances += p->body->ins[i].op == TIRB_OP_VADVANCE;
        n_stores += p->body->ins[i].op == TIRB_OP_VSTORE;
    }
    p->set_once = set & ~again;
    p->orders_traps = tirbi_lane_orders_traps(p->body);
    choose_block(p);
    find_outer_loops(p);
    find_tiles(p);
    TIRBI_TRY(tirbi_lane_copy_find(p->body, loop, p->code));
    loop->reduces = p->body->reduces;
    for (uint32_t i = 0; i < p->body->n; i++) loop->counts_lanes |= p->body->ins[i].op == TIRB_OP_VIOTA;
    unsigned depth = p->body->own_depth, regs = p->body->function->n_lane_regs;
    /* Behind the columns of a tile is room for both banks. */
    enum { TILE_STRIPS = TIRBI_TILE_COLUMNS + 2 };
    const unsigned before_tiles = regs * (depth + 1) + 2 * depth;
    unsigned strips = before_tiles + loop->n_tiles * (unsigned)TILE_STRIPS + 1 + (p->n_advances > 0);
    loop->own_depth = (uint8_t)depth;
    loop->kernels_only = p->body->main_size == 0 && depth == 0;
    if (n_splats > UINT16_MAX || 1u + loop->n_cursors + n_splats + strips > (depth ? INT16_MAX : UINT16_MAX))
        return tirbi_error_set(error, TIRB_UNSUPPORTED, "a lane loop splats %u scalars", n_splats);
    p->splats = TIRBI_NEW_ARRAY(&p->code->arena, tirbi_lane_splat, n_splats);
    for (p->splat_mask = 7; p->splat_mask < 2 * n_splats; p->splat_mask = 2 * p->splat_mask + 1) continue;
    p->splat_table = tirbi_heap_calloc(p->code->heap, p->splat_mask + 1u, sizeof *p->splat_table);
    if (!p->splats || !p->splat_table) return tirbi_heap_status(p->code->heap);
    p->first_splat = (uint16_t)(1 + loop->n_cursors);
    p->first_strip = (uint16_t)(p->first_splat + n_splats);
    p->first_own = (uint16_t)(p->first_strip + regs * (depth + 1));
    for (unsigned i = 0; i < loop->n_tiles; i++)
        loop->tiles[i].strip = (uint16_t)(p->first_strip + before_tiles + i * (unsigned)TILE_STRIPS);
    p->spare_strip = (uint16_t)(p->first_strip + strips - 1);
    p->ends_strip = (uint16_t)(p->spare_strip - 1);
    loop->full = loop->one_row = p->emitter->n;
    plan_body(p, BODY_FULL);
    tirbi_lane_make_stream(p);
    loop->tail = p->emitter->n;
    plan_body(p, BODY_TAIL);
    if (tirbi_lane_find_streams(p, (tirbi_lane_cursor *)(uintptr_t)loop->cursors)) {
        loop->wide = p->emitter->n;
        plan_body(p, BODY_WIDE);
    }
    if (n_stores > 1) p->bodies.apart = plan_apart(p, BODY_FULL);
    /* A row's part of a strip has room for elements of the main size. */
    loop->by_rows = loop->only_banks && p->body->widest <= p->body->main_size && loop->n_outer > 0 &&
                    tirbi_lane_is_by_rows(p->emitter, loop->full);
    if (tirbi_lane_can_span(p)) {
        p->bodies.spanning = p->emitter->n;
        plan_body(p, BODY_SPANNING);
        if (p->bodies.apart != 0) p->bodies.spanning_apart = plan_apart(p, BODY_SPANNING);
    }
    if (tirbi_lane_can_pack(p)) {
        loop->packed = tirbi_translate_word(p->emitter, tirbi_lane_packed_work(p)) + 1;
        plan_body(p, BODY_PACKED);
    }
    loop->splats = p->splats;
    loop->n_splats = (uint16_t)n_splats;
    loop->n_strips = (uint16_t)strips;
    for (unsigned c = 0; c < loop->n_cursors; c++)
        if (loop->cursors[c].access & TIRBI_WRITE) loop->written |= UINT32_C(1) << c;
    loop->is_plain = tirbi_lane_is_plain(loop);
    tirbi_lane_find_ending(p->body, p->code, loop);
    return TIRB_OK;
}

tirb_status tirbi_lane_translate(tirbi_code *code, const tirbi_function *function, const tirbi_instr *instr,
                                 tirbi_constants *constants, tirbi_emitter *emitter, tirbi_lane_loop *loop,
                                 tirbi_lane_bodies *bodies, tirb_error *error) {
    struct {
        lane_body body;
        lane_planner planner;
    } *const work = tirbi_heap_alloc(code->heap, sizeof *work);
    if (!work) return tirbi_heap_status(code->heap);
    lane_body *const body = &work->body;
    lane_planner *const p = &work->planner;
    memset(body, 0, sizeof *body);
    memset(p, 0, offsetof(lane_planner, now));
    tirb_status status = tirbi_lane_body_read(body, code, function, instr, constants, &code->arena, loop, error);
    const tirbi_known_register *known = NULL;
    for (uint32_t i = 0; status == TIRB_OK && !known && i < body->n; i++)
        if (splats_narrow(&body->ins[i])) status = tirbi_known_registers(constants, function, &known, error);
    if (status == TIRB_OK) {
        p->known = known;
        p->code = code;
        p->constants = constants;
        p->body = body;
        p->loop = loop;
        p->emitter = emitter;
        status = plan_loop(p, error);
        *bodies = p->bodies;
    }
    if (status == TIRB_OK) {
        uint32_t pointers = 1u + loop->n_cursors + loop->n_splats + loop->n_strips;
        size_t scratch = (size_t)loop->n_strips * TIRBI_MAX_STRIP_BYTES;
        if (pointers > code->max_pointers) code->max_pointers = pointers;
        if (scratch > code->max_scratch) code->max_scratch = scratch;
    }
    tirbi_heap_free(code->heap, p->splat_table, (p->splat_mask + 1u) * sizeof *p->splat_table);
    tirbi_heap_free(code->heap, body->ins, body->capacity * sizeof *body->ins);
    tirbi_heap_free(code->heap, work, sizeof *work);
    return status;
}
