/* Translation of a lane loop: which lane registers are in banks, which in strips, and which handlers do the work.
 *
 * The planner goes through the body once per variant (full blocks, tail), but where the words of one can be made of
 * those of another (vm/translate/lane_parts.c). For each lane register it knows every place where the value can be had:
 * a bank, the register's own strip, or a memory operand that is not copied until it must be (a cursor with unit step,
 * a splat scalar). Two banks are all there is; the value that is read farthest from here gives way. At the edges of
 * inner loops the places are brought back to what they were at the loop's head, so that every iteration, and a loop
 * that never runs, leaves the same places. */
#include "vm/translate/lane_translate.h"

#include "loader/base/secret.h"
#include "loader/base/work.h"
#include "vm/enter/lane_entry.h"
#include "vm/lanes/forms.h"
#include "vm/lanes/slots.h"
#include "vm/math/half.h"
#include "vm/translate/lane_plan.h"
#include "vm/translate/lane_whole.h"

/* ---- Instructions on strips ----------------------------------------------------------------------------------- */

static void settle_before_store(lane_planner *p, const lane_ins *ins, uint8_t stored);

/* Whether `next` stores what `ins` computes and nothing else reads it. A kernel's results must be canonical, which
 * copies are not. */
static bool is_stored_next(const lane_ins *ins, const lane_ins *next, uint8_t type) {
    if (!next || next->op != TIRB_OP_VSTORE || next->reads[0] != ins->dest || is_live(next, ins->dest)) return false;
    return !(tirbi_op_copies(ins->op) && tirbi_dtype_is_float(type));
}
/* So that the kernel can write to the cursor. */
static bool can_store_directly(const lane_planner *p, const lane_ins *ins, const lane_ins *next, uint8_t type) {
    return is_stored_next(ins, next, type) && p->body->strides[next->cursor] == STRIDE_ONE;
}
/* The same for elements that are apart, which no form of a bank stores. */
static bool is_stored_apart(const lane_planner *p, const lane_ins *ins, const lane_ins *next, uint8_t type) {
    return p->level == 0 && is_stored_next(ins, next, type) && p->body->strides[next->cursor] == STRIDE_ANY &&
           tirbi_lane_steps_of(p, next->cursor, type, false) == 0;
}

/* Whether an instruction takes hardly longer for a whole block of its kernel than for some elements, and cannot
 * trap. */
bool tirbi_lane_is_light(const lane_ins *ins) {
    unsigned op = (unsigned)ins->op - TIRB_OP_LANE_FORM;
    bool divides = op >= TIRB_OP_DIV && op <= TIRB_OP_FLOORMOD && !tirbi_dtype_is_float((tirbi_dtype)ins->type);
    return !divides && (op <= TIRB_OP_SQRT || (op >= TIRB_OP_FLOOR && op <= TIRB_OP_ROUND));
}

/* Says of the latest kernel, which gives a strip, what becomes of it in bodies for other blocks. */
static void note_in_parts(lane_planner *p, bool is_light, uint8_t size) {
    if (p->emitter->failed) return;
    const unsigned clears = size == p->body->main_size ? LANE_PART_CLEARS | shift_of(size) : 0u;
    tirbi_word *const list = &p->emitter->all.words[p->latest + 1];
    list->list[LANE_IN_PARTS] = (uint16_t)(clears | (is_light ? LANE_PART_WIDE : 0u));
}

static void plan_kernel(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    const lane_operation *operation = tirbi_lane_operation_of(p->body, ins);
    const uint8_t type = operation->result, size = operation->size;
    const bool is_light = tirbi_lane_is_light(ins);
    bool wide = (p->tail || p->level > 0) && is_light;
    unsigned form = wide ? TIRBI_L_KERNEL_WIDE : TIRBI_L_KERNEL;
    bool direct = !wide && p->level == 0 && can_store_directly(p, ins, next, type);
    if (direct) settle_before_store(p, next, ins->dest);
    uint16_t operands[3] = {0, 0, 0};
    bool in_the_way = false;
    for (unsigned i = 0; i < ins->n_reads; i++) {
        operands[i] = wide ? tirbi_lane_strip_operand(p, ins->reads[i]) : tirbi_lane_kernel_operand(p, ins->reads[i]);
        if (ins->reads[i] == ins->dest && operands[i] == strip_of(p, ins->dest) &&
            p->now.values[ins->dest].size != size)
            in_the_way = true;
    }
    leave_banks(p, ins);
    /* From strip to strip in whole blocks of the kernel: those that lanes are none of would be copied. */
    bool in_strips = !direct && p->body->main_size != 0;
    for (unsigned i = 0; i < ins->n_reads; i++) in_strips = in_strips && !is_cursor(p, operands[i]);
    if (is_light && in_strips) form = TIRBI_L_KERNEL_WIDE;
    if (operation->divides) tirbi_lane_plan_divisor(p, ins, operands[1]);
    uint16_t dest = direct ? pointer_of_cursor(next->cursor) : in_the_way ? p->spare_strip : strip_of(p, ins->dest);
    tirbi_lane_emit_kernel(p, form, operation->kernel, dest, operands);
    if (in_the_way && !direct) {
        const uint16_t spare[3] = {p->spare_strip, 0, 0};
        tirbi_lane_emit_kernel(p, form, p->code->kernels->op[TIRB_OP_MOV - TIRBI_FIRST_ELEMENTWISE][type],
                               strip_of(p, ins->dest), spare);
    }
    if (!direct && !p->tail) note_in_parts(p, is_light, size);
    if (!direct && !wide) tirbi_lane_clear_rest(p, ins->dest, size);
    define_as(p, ins, size, type)->strip = true;
    p->ends_in_store = direct;
}

/* Whether a register is read more than once. */
static bool is_read_again(const lane_ins *ins) {
    if (ins->next[3] == 0) return false;
    const lane_ins *reader = ins + ins->next[3];
    unsigned n = 0;
    for (unsigned r = 0; r < reader->n_reads; r++)
        if (reader->reads[r] == ins->dest) n += reader->next[r] == 0 ? 1 : 2;
    return n > 1;
}

/* Elements that are some apart are picked where they are used, or once if that is more than one time. */
static void plan_steps(lane_planner *p, const lane_ins *ins, unsigned step) {
    lane_value *v = &p->now.values[ins->dest];
    v->lazy = LAZY_STEPS;
    v->step = (uint8_t)step;
    if (!is_read_again(ins)) return;
    const unsigned bank = tirbi_lane_spare_bank(p, ins);
    tirbi_lane_evict(p, bank, is_live(ins, p->now.banks[bank]));
    tirbi_lane_load_bank(p, ins->dest, bank);
    tirbi_lane_store_to_strip(p, ins->dest);
    v->lazy = LAZY_NONE;
}

static void plan_load(lane_planner *p, const lane_ins *ins) {
    uint8_t size = tirbi_dtypes[ins->type].size;
    lane_stride stride = p->body->strides[ins->cursor];
    uint16_t pointer = pointer_of_cursor(ins->cursor);
    lane_value *v = define_as(p, ins, size, ins->type);
    v->pointer = pointer;
    if (p->level > 0 && stride != STRIDE_ZERO) {
        leave_banks(p, ins);
        emit(p, TIRBI_L_LOAD_OWN, strip_of(p, ins->dest), pointer, shift_of(size));
        tirbi_translate_word(p->emitter, (tirbi_word){.list = {lanes_at(p, p->level), 0, 0, 0}});
        v->strip = true;
    } else if (p->packs) {
        leave_banks(p, ins);
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
    } else if (stride == STRIDE_ANY && tirbi_lane_steps_of(p, ins->cursor, ins->type, true) != 0) {
        plan_steps(p, ins, tirbi_lane_steps_of(p, ins->cursor, ins->type, true));
    } else if (stride == STRIDE_ANY) {
        leave_banks(p, ins);
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
    tirbi_lane_fill_strip(p, ins->dest);
    leave_banks(p, ins);
    tirbi_lane_emit_copy(p, TIRB_BOOL, strip_of(p, ins->dest), strip_of(p, ins->dest));
    v->lazy = LAZY_NONE;
}

static bool counts_in(const lane_planner *p, uint16_t slot) {
    for (unsigned k = 0; k < p->loop->n_inner; k++)
        if (p->loop->inner[k].index == slot) return true;
    return false;
}

/* The number of the splat of a slot: its own or a new one. As with constants, any slots spread. */
static uint16_t number_of_splat(lane_planner *p, uint16_t slot, uint8_t size) {
    const uint64_t key = (uint64_t)slot << 4 | size;
    uint16_t *chain = &p->splat_chains[tirbi_chain_of_key(key, p->code->secret, p->splat_bits)];
    p->emitter->heap->work++;
    for (uint32_t link = *chain; link != 0; link = p->next_splats[link - 1]) {
        p->emitter->heap->work++;
        if (p->splats[link - 1].slot == slot && p->splats[link - 1].size == size) return (uint16_t)(link - 1);
    }
    p->next_splats[p->n_splats] = *chain;
    p->splats[p->n_splats++] = (tirbi_lane_splat){slot, size};
    *chain = (uint16_t)p->n_splats;
    return (uint16_t)(p->n_splats - 1);
}

uint16_t tirbi_lane_pointer_of_splat(lane_planner *p, uint16_t slot, uint8_t size) {
    return (uint16_t)(p->first_splat + number_of_splat(p, slot, size));
}

/* A slot with a narrow constant as a lane of 4 bytes: its own for an integer, which is extended there, and one with the
 * float32 value of 16 bits. False: it is no constant, or there are too many. */
static bool find_words(const lane_planner *p, const lane_ins *ins, uint16_t *slot) {
    uint64_t bits;
    if (tirbi_dtypes[ins->type].size > 2 || !tirbi_lane_splats_constant(ins, p->constants, &bits)) return false;
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
    lane_value *v = define_as(p, ins, size, ins->type);
    v->lazy = LAZY_SPLAT;
    v->scalar = true;
    v->stable = !counts_in(p, ins->slot);
    v->pointer = tirbi_lane_pointer_of_splat(p, ins->slot, size);
    put_words(v, words_of_splat(p, ins));
    if (ins->type != TIRB_BOOL) return;
    tirbi_lane_fill_strip(p, ins->dest);
    leave_banks(p, ins);
    tirbi_lane_emit_copy(p, TIRB_BOOL, strip_of(p, ins->dest), strip_of(p, ins->dest));
    v->lazy = LAZY_NONE;
}

static void plan_iota(lane_planner *p, const lane_ins *ins) {
    uint8_t size = tirbi_dtypes[ins->type].size;
    if (p->level == 0 && !p->packs && size >= 4 && size == p->body->main_size) {
        const unsigned bank = tirbi_lane_spare_bank(p, ins);
        tirbi_lane_evict(p, bank, is_live(ins, p->now.banks[bank]));
        tirbi_lane_define(p, ins, size);
        emit(p, (size == 4 ? TIRBI_L_IOTA4_A : TIRBI_L_IOTA8_A) + bank, 0, ins->slot, ins->step);
        put_in_bank(p, ins->dest, bank);
        return;
    }
    lane_value *v = tirbi_lane_define(p, ins, size);
    leave_banks(p, ins);
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

enum { LIVE_AT_ONCE = 32 }; /* registers that are looked at in a step */

/* A store may change what operands that were not copied yet mean. */
static void settle_before_store(lane_planner *p, const lane_ins *ins, uint8_t stored) {
    unsigned n = 0;
    for (uint64_t set = ins->live; set != 0; set &= set - 1, n++) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        lane_value *v = &p->now.values[reg];
        if (reg == stored && v->lazy == LAZY_NONE) continue;
        if (v->lazy == LAZY_NONE || v->stable || (v->lazy == LAZY_SPLAT && v->pointer >= p->first_splat)) continue;
        if (v->pointer != pointer_of_cursor(ins->cursor)) {
            p->assumes = true;
            if (p->apart) continue;
        }
        if (v->bank == NO_BANK) tirbi_lane_fill_strip(p, reg);
        v->lazy = LAZY_NONE;
    }
    p->emitter->heap->work += n / LIVE_AT_ONCE;
}

/* The form that stores a bank, with canonical NaNs. */
static unsigned store_form(const lane_ins *ins, unsigned bank) {
    if (ins->type == TIRB_F32 && !ins->settled) return TIRBI_L_STORE_F32_A + bank;
    if (ins->type == TIRB_F64 && !ins->settled) return TIRBI_L_STORE_F64_A + bank;
    return TIRBI_L_STORE_A + bank;
}

/* Whether another store of elements apart follows that this one may wait for: behind instructions that neither store
 * nor load from where it stores to. */
static bool waits(lane_planner *p, const lane_ins *ins) {
    const lane_body *body = p->body;
    const lane_ins *const end = body->ins + body->n - p->loop->n_outer;
    if (p->first_waiting == 0 || p->is_last || p->n_waiting + 1 == TIRBI_MOST_SCATTERS) return false;
    bool loads = false;
    uint32_t turn = 1; /* most end soon */
    for (const lane_ins *next = ins + 1; next < end && !tirbi_lane_body_is_stopped(body, turn); next++, turn++) {
        if (next->op == TIRB_OP_VSTORE) {
            const bool alike = body->strides[next->cursor] == STRIDE_ANY && next->type == ins->type &&
                               tirbi_lane_steps_of(p, next->cursor, next->type, false) == 0; /* which has a form */
            p->assumes = p->assumes || (alike && loads);
            return alike && (!loads || p->apart);
        }
        loads = loads || next->op == TIRB_OP_VLOAD;
        if (next->op != TIRB_OP_VLOAD && next->op != TIRB_OP_VSPLAT && next->op != TIRB_OP_VIOTA &&
            !tirbi_lane_computes(next))
            return false;
    }
    return false;
}

/* Stores a strip to elements apart, or leaves that to the store that it waits for. */
static void scatter(lane_planner *p, const lane_ins *ins, uint16_t strip, bool waiting) {
    const uint16_t cursor = pointer_of_cursor(ins->cursor);
    const unsigned shift = shift_of(tirbi_dtypes[ins->type].size), n = p->n_waiting + 1;
    p->waiting[p->n_waiting] = cursor;
    p->waiting_strips[p->n_waiting] = strip;
    p->n_waiting = waiting ? n : 0;
    if (waiting) return;
    leave_banks(p, ins);
    if (n == 1) {
        emit(p, TIRBI_L_SCATTER, cursor, strip, shift);
        return;
    }
    const uint16_t *const to = p->waiting, *const from = p->waiting_strips;
    emit(p, TIRBI_L_SCATTERS, to[0], from[0], shift);
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {to[1], from[1], n > 2 ? to[2] : 0, n > 2 ? from[2] : 0}});
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {n > 3 ? to[3] : 0, n > 3 ? from[3] : 0, (uint16_t)n, 0}});
}

/* The strip that a store of elements apart takes what it stores from. */
static uint16_t strip_apart(const lane_planner *p, bool waiting) {
    return waiting || p->n_waiting > 0 ? (uint16_t)(p->first_waiting + p->n_waiting) : p->spare_strip;
}

/* Stores a bank by a form that narrows it to the elements of `store`, which are apart. */
static void store_apart(lane_planner *p, const lane_ins *store, unsigned form) {
    const bool waiting = waits(p, store);
    const uint16_t apart = strip_apart(p, waiting);
    emit(p, form, apart, 0, 0);
    scatter(p, store, apart, waiting);
}

static void plan_store(lane_planner *p, const lane_ins *ins) {
    uint8_t reg = ins->reads[0];
    uint8_t size = tirbi_dtypes[ins->type].size;
    uint16_t cursor = pointer_of_cursor(ins->cursor);
    bool unit = p->body->strides[ins->cursor] == STRIDE_ONE;
    lane_value *v = &p->now.values[reg];
    /* Banks have no stores that make the NaNs of these canonical. */
    bool by_kernel = size == 2 && tirbi_dtype_is_float((tirbi_dtype)ins->type) && !ins->settled;
    const unsigned step = tirbi_lane_steps_of(p, ins->cursor, ins->type, false);
    settle_before_store(p, ins, reg);
    if (step != 0) {
        const unsigned bank = v->bank != NO_BANK ? (unsigned)v->bank : tirbi_lane_spare_bank(p, ins);
        if (v->bank == NO_BANK) tirbi_lane_evict(p, bank, is_live(ins, p->now.banks[bank]));
        tirbi_lane_load_bank(p, reg, bank);
        emit(p, tirbi_lane_spread_form(p, ins->type, ins->settled, step) + bank, cursor, 0, 0);
        return;
    }
    const bool waiting = !unit && p->level == 0 && waits(p, ins);
    const uint16_t apart = strip_apart(p, waiting);
    if (v->bank != NO_BANK && v->narrow && p->level == 0) {
        const bool direct = unit && !p->tail;
        emit(p, tirbi_lane_narrow_store_form(p, ins->type) + (unsigned)v->bank, direct ? cursor : apart, 0, 0);
        if (unit && !direct) emit(p, TIRBI_L_COPY, cursor, apart, shift_of(size));
        if (!unit) scatter(p, ins, apart, waiting);
        return;
    }
    if (p->level > 0) {
        const uint16_t from = tirbi_lane_kernel_operand(p, reg);
        leave_banks(p, ins);
        tirbi_lane_emit_copy(p, ins->type, p->spare_strip, from);
        emit(p, TIRBI_L_STORE_OWN, cursor, p->spare_strip, shift_of(size));
        tirbi_translate_word(p->emitter, (tirbi_word){.list = {lanes_at(p, p->level), 0, 0, 0}});
        return;
    }
    if (size == p->body->main_size && unit && v->bank == NO_BANK && !p->tail && !by_kernel && !v->narrow) {
        unsigned bank = tirbi_lane_spare_bank(p, ins);
        tirbi_lane_evict(p, bank, is_live(ins, p->now.banks[bank]));
        tirbi_lane_load_bank(p, reg, bank);
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
        emit(p, form, apart, 0, 0);
    } else {
        uint16_t from = tirbi_lane_kernel_operand(p, reg);
        if (ins->settled && v->strip && unit) {
            emit(p, TIRBI_L_COPY, cursor, from, shift_of(size));
            return;
        }
        if (ins->settled && v->strip && !waiting) {
            scatter(p, ins, from, false);
            return;
        }
        leave_banks(p, ins);
        tirbi_lane_emit_copy(p, ins->type, unit ? cursor : apart, from);
        if (unit) return;
    }
    scatter(p, ins, apart, waiting);
}

/* An integer of 16 bits from bytes in memory: they are widened where the value is used, or at once from a strip. */
static bool plan_widen(lane_planner *p, const lane_ins *ins) {
    if (p->body->main_size != 2 || tirbi_dtypes[ins->type].size != 2 || !tirbi_dtype_is_int((tirbi_dtype)ins->type))
        return false;
    const lane_value source = p->now.values[ins->reads[0]];
    if (ins->source != TIRB_U8 && ins->source != TIRB_I8) return false;
    if (source.strip && p->level == 0) {
        const unsigned bank = tirbi_lane_spare_bank(p, ins);
        tirbi_lane_evict(p, bank, is_live(ins, p->now.banks[bank]));
        emit(p, (ins->source == TIRB_U8 ? TIRBI_L_WIDEN_U8_A : TIRBI_L_WIDEN_I8_A) + bank, 0,
             strip_of(p, ins->reads[0]), 0);
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

/* The low bytes of 16 bits: to memory, where the next instruction stores them and nothing else reads them, or from a
 * bank to a strip. */
static bool plan_narrow(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    uint8_t reg = ins->reads[0];
    lane_value *v = &p->now.values[reg];
    if (p->level > 0 || p->body->main_size != 2 || v->size != 2) return false;
    if (ins->type != TIRB_U8 && ins->type != TIRB_I8) return false;
    if (!tirbi_dtype_is_int((tirbi_dtype)ins->source)) return false;
    const bool direct = can_store_directly(p, ins, next, ins->type);
    const bool is_apart = is_stored_apart(p, ins, next, ins->type);
    if (!direct && v->bank == NO_BANK) return false;
    if (direct || is_apart) settle_before_store(p, next, ins->dest); /* which may take the value's bank */
    unsigned bank = v->bank != NO_BANK ? (unsigned)v->bank : tirbi_lane_spare_bank(p, next);
    if (v->bank == NO_BANK) {
        tirbi_lane_evict(p, bank, is_live(next, p->now.banks[bank]));
        tirbi_lane_load_bank(p, reg, bank);
    }
    const uint16_t cursor = direct ? pointer_of_cursor(next->cursor) : 0;
    const unsigned form = TIRBI_L_NARROW_8_A + bank;
    if (is_apart)
        store_apart(p, next, form);
    else
        emit(p, form, !direct ? strip_of(p, ins->dest) : p->tail ? p->spare_strip : cursor, 0, 0);
    if (direct && p->tail) emit(p, TIRBI_L_COPY, cursor, p->spare_strip, 0);
    tirbi_lane_define(p, ins, 1)->strip = true; /* which nothing reads where it is stored */
    p->ends_in_store = direct || is_apart;
    return true;
}

/* The lanes of a value under another name, in a bank. */
static void move_in_banks(lane_planner *p, const lane_ins *ins) {
    const uint8_t from = ins->reads[0];
    const lane_value source = p->now.values[from];
    unsigned bank = source.bank != NO_BANK ? (unsigned)source.bank : tirbi_lane_spare_bank(p, ins);
    if (source.bank == NO_BANK || (is_live(ins, from) && from != ins->dest)) {
        if (source.bank != NO_BANK) bank = 1 - bank;
        if (p->now.banks[bank] != ins->dest) tirbi_lane_evict(p, bank, is_live(ins, p->now.banks[bank]));
        tirbi_lane_copy_to_bank(p, from, bank);
    }
    tirbi_lane_define(p, ins, tirbi_dtypes[ins->type].size);
    put_in_bank(p, ins->dest, bank);
}

/* A value under another name. False: it is only in a strip that no bank can hold. */
static bool plan_move(lane_planner *p, const lane_ins *ins) {
    const uint8_t from = ins->reads[0];
    const lane_value source = p->now.values[from];
    if (from == ins->dest) {
        p->now.values[from].next = tirbi_lane_next(p->body, ins, 3);
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
        put_words(v, source.words);
        return true;
    }
    const bool is_half = ins->type == TIRB_F16 || ins->type == TIRB_BF16;
    if (is_half && source.narrow && !(p->body->features & TIRBI_LANE_HAS_HALVES)) return false; /* no bank takes it */
    if (source.size != p->body->main_size && !source.narrow) return false;
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
    const unsigned step = stores ? tirbi_lane_steps_of(p, next->cursor, ins->type, false) : 0;
    const bool is_apart = is_stored_apart(p, ins, next, ins->type);
    const bool direct = step != 0 || (p->level == 0 && can_store_directly(p, ins, next, ins->type));
    if (direct || is_apart) settle_before_store(p, next, ins->dest);
    const lane_value *v = &p->now.values[reg];
    unsigned bank = v->bank != NO_BANK ? (unsigned)v->bank : tirbi_lane_spare_bank(p, ins);
    if (v->bank == NO_BANK) {
        tirbi_lane_evict(p, bank, is_live(ins, p->now.banks[bank]));
        tirbi_lane_load_bank(p, reg, bank);
    }
    const uint16_t cursor = direct ? pointer_of_cursor(next->cursor) : 0;
    if (step != 0)
        emit(p, tirbi_lane_spread_form(p, ins->type, true, step) + bank, cursor, 0, 0);
    else if (is_apart)
        store_apart(p, next, tirbi_lane_narrow_store_form(p, ins->type) + bank);
    else
        emit(p, tirbi_lane_narrow_store_form(p, ins->type) + bank,
             direct ? (p->tail ? p->spare_strip : cursor) : strip_of(p, ins->dest), 0, 0);
    if (direct && p->tail) emit(p, TIRBI_L_COPY, cursor, p->spare_strip, shift_of(tirbi_dtypes[ins->type].size));
    tirbi_lane_define(p, ins, tirbi_dtypes[ins->type].size)->strip = true;
    p->ends_in_store = direct || is_apart;
}

static void plan_reduction(lane_planner *p, const lane_ins *ins) {
    uint16_t operands[2] = {0, 0};
    for (unsigned i = 0; i < ins->n_reads; i++) operands[i] = tirbi_lane_kernel_operand(p, ins->reads[i]);
    leave_banks(p, ins);
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
                tirbi_lane_load_bank(p, reg, bank);
            else
                tirbi_lane_fill_strip(p, reg);
        }
        v->lazy = LAZY_NONE;
        put_words(v, 0);
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
        if (reg != NO_VALUE && !(carried >> reg & 1)) tirbi_lane_evict(p, bank, (live >> reg & 1) != 0);
    }
    settle_at_edge(p, live, p->body->written[loop]);
    for (uint64_t set = carried; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        lane_value *v = &p->now.values[reg];
        unsigned bank = p->now.banks[0] == NO_VALUE ? 0 : 1;
        if (v->size == p->body->main_size && v->bank == NO_BANK && p->now.banks[bank] == NO_VALUE)
            tirbi_lane_load_bank(p, reg, bank);
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
        if (!in_bank && (p->body->written[loop] >> reg & 1)) tirbi_lane_fill_strip(p, reg);
    }
    for (unsigned bank = 0; bank < 2; bank++) {
        uint8_t wanted = head->banks[bank];
        uint8_t held = p->now.banks[bank];
        if (wanted == held || wanted == NO_VALUE) continue;
        if (held != NO_VALUE && head->banks[1 - bank] == held) tirbi_lane_fill_strip(p, held);
        tirbi_lane_load_bank(p, wanted, bank);
    }
    for (uint64_t set = live; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        uint32_t next = p->now.values[reg].next;
        p->now.values[reg] = head->values[reg];
        p->now.values[reg].next = next;
    }
    p->now.banks[0] = head->banks[0];
    p->now.banks[1] = head->banks[1];
    for (uint64_t set = p->body->used & ~live; set != 0; set &= set - 1)
        p->now.values[__builtin_ctzll(set)].bank = NO_BANK;
}

/* Fused multiply-adds of a splat and a block into a bank, and the forms for a whole loop around one, in full blocks and
 * in others. */
static const uint16_t loop_forms[][3] = {
    {TIRBI_L_FMA_F32_AMKA, TIRBI_L_LOOP_FMA_F32_A, TIRBI_L_REST_FMA_F32_A},
    {TIRBI_L_FMA_F32_BMKB, TIRBI_L_LOOP_FMA_F32_B, TIRBI_L_REST_FMA_F32_B},
    {TIRBI_L_FMA_F64_AMKA, TIRBI_L_LOOP_FMA_F64_A, TIRBI_L_REST_FMA_F64_A},
    {TIRBI_L_FMA_F64_BMKB, TIRBI_L_LOOP_FMA_F64_B, TIRBI_L_REST_FMA_F64_B}};

static unsigned loop_form(unsigned body, bool tail) {
    for (unsigned i = 0; i < sizeof loop_forms / sizeof *loop_forms; i++)
        if (loop_forms[i][0] == body) return loop_forms[i][tail ? 2 : 1];
    return 0;
}

/* Makes one instruction of an inner loop whose body is one such multiply-add; in the tail, a copy goes before it. */
static bool fuse_loop(lane_planner *p, uint8_t loop) {
    uint32_t head = p->head_words[loop];
    bool pulls = p->tail && !p->wide;
    uint32_t length = pulls ? 2 : 1;
    if (p->emitter->failed || p->emitter->all.n != head + 1 + length) return false;
    if (p->loop->inner[loop].index != TIRBI_NO_REG) return false;
    const tirbi_word body = p->emitter->all.words[head + length];
    unsigned form = loop_form(body.op, pulls);
    if (form == 0) return false;
    uint16_t block = body.a;
    if (pulls) {
        const tirbi_word copy = p->emitter->all.words[head + 1];
        if (copy.op != TIRBI_L_PULL || copy.a != body.a) return false;
        block = copy.b;
    }
    if (!is_cursor(p, block) || !is_cursor(p, body.b)) return false;
    tirbi_emitter_cut(p->emitter, head);
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
    p->emitter->all.words[head].jump = (int32_t)(end + 1 - head);
    p->emitter->all.words[end].jump = (int32_t)head + 1 - (int32_t)end;
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
    leave_banks(p, ins);
    for (uint64_t set = live; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        lane_value *v = &p->now.values[reg];
        bool splat = v->lazy == LAZY_SPLAT && v->stable && !v->strip;
        if ((splat || v->same) && (used >> reg & 1) && !(written >> reg & 1))
            same |= UINT64_C(1) << reg;
        else
            tirbi_lane_fill_strip(p, reg);
        if (splat && (same >> reg & 1)) continue;
        v->lazy = LAZY_NONE;
        put_words(v, 0);
    }
    forget_runs(p, written);
    p->own[p->level].around = p->now;
    unsigned depth = p->level++;
    emit(p, TIRBI_L_OWN, depth, lanes_at(p, p->level), lanes_at(p, p->level) + 1u);
    tirbi_translate_word(
        p->emitter, (tirbi_word){.list = {(uint16_t)__builtin_popcountll(used & ~same), lanes_at(p, depth), 0, 0}});
    const lane_value *around = p->own[depth].around.values;
    for (uint64_t set = p->body->used; set != 0; set &= set - 1) {
        const uint8_t reg = (uint8_t)__builtin_ctzll(set);
        const lane_value *v = &around[reg];
        p->now.values[reg] = (lane_value){.bank = NO_BANK};
        if (!(used >> reg & 1)) continue;
        p->now.values[reg] = (lane_value){
            .bank = NO_BANK, .strip = true, .narrow = v->narrow, .size = v->size, .dtype = v->dtype, .next = v->next};
        p->now.values[reg].same = (same >> reg & 1) != 0;
        if (!(same >> reg & 1)) emit_strips(p, strip_of(p, reg), strip_at(p, depth, reg), v->size);
    }
    for (uint64_t set = same; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        const lane_value *v = &around[reg];
        emit(p, TIRBI_L_FILL, strip_of(p, reg), v->strip ? strip_at(p, depth, reg) : v->pointer, shift_of(v->size));
    }
    p->own[depth].head = p->emitter->all.n;
    p->own[depth].last_while = p->own[depth].last_strips = 0;
}

/* One of the strips that lanes leave a loop with: those that lanes which stay go on with, and then those that are
 * put back for the lanes that have left. */
static tirbi_word leaving_strip(const lane_planner *p, uint8_t reg, bool is_put_back) {
    const uint16_t around = is_put_back ? strip_at(p, p->level - 1, reg) : 0;
    return (tirbi_word){.list = {strip_of(p, reg), around, (uint16_t)shift_of(p->now.values[reg].size), 0}};
}

/* Whether words that are there already, from number `at` on, name the strips of these registers. */
static bool names_leaving(const lane_planner *p, uint32_t at, uint64_t kept, uint64_t carried) {
    const tirbi_word *word = &p->emitter->all.words[at];
    for (uint64_t set = kept; set != 0; set &= set - 1)
        if (word++->bits != leaving_strip(p, (uint8_t)__builtin_ctzll(set), false).bits) return false;
    for (uint64_t set = carried; set != 0; set &= set - 1)
        if (word++->bits != leaving_strip(p, (uint8_t)__builtin_ctzll(set), true).bits) return false;
    return true;
}

/* Emits the strips, or says how far back they stand: mostly they are those of the vwhile before. */
static uint32_t emit_leaving(lane_planner *p, uint64_t kept, uint64_t carried) {
    const unsigned depth = p->level - 1;
    const uint32_t last = p->own[depth].last_strips, here = p->emitter->all.n;
    p->emitter->heap->work += (unsigned)__builtin_popcountll(kept) / LIVE_AT_ONCE;
    if (last != 0 && p->own[depth].kept == kept && p->own[depth].carried == carried &&
        names_leaving(p, last, kept, carried))
        return here - last;
    for (uint64_t set = kept; set != 0; set &= set - 1)
        tirbi_translate_word(p->emitter, leaving_strip(p, (uint8_t)__builtin_ctzll(set), false));
    for (uint64_t set = carried; set != 0; set &= set - 1)
        tirbi_translate_word(p->emitter, leaving_strip(p, (uint8_t)__builtin_ctzll(set), true));
    p->own[depth].last_strips = here;
    p->own[depth].kept = kept;
    p->own[depth].carried = carried;
    return 0;
}

static void plan_while(lane_planner *p, const lane_ins *ins) {
    uint8_t loop = ins->cursor;
    uint16_t truth = tirbi_lane_strip_operand(p, ins->reads[0]);
    uint64_t kept = 0, carried = p->body->live_at_head[loop] & p->body->written[loop];
    for (uint64_t set = carried; set != 0; set &= set - 1) tirbi_lane_fill_strip(p, (uint8_t)__builtin_ctzll(set));
    leave_banks(p, ins);
    for (uint64_t set = ins->live; set != 0; set &= set - 1) {
        const lane_value *v = &p->now.values[__builtin_ctzll(set)];
        if (v->strip && !v->same) kept |= set & -set;
    }
    kept |= carried;
    const unsigned depth = p->level - 1, n_kept = (unsigned)__builtin_popcountll(kept),
                   n_carried = (unsigned)__builtin_popcountll(carried);
    const uint32_t at = emit(p, TIRBI_L_OWN_WHILE, truth, lanes_at(p, p->level), lanes_at(p, p->level) + 1u);
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {(uint16_t)n_kept, (uint16_t)n_carried, 0, 0}});
    tirbi_translate_word(p->emitter, (tirbi_word){.far_jump = (int32_t)p->own[depth].last_while});
    const uint32_t back = emit_leaving(p, kept, carried);
    p->own[depth].last_while = at;
    if (p->emitter->failed) return;
    tirbi_word *const words = &p->emitter->all.words[at];
    words[1].list[2] = (uint16_t)(back == 0 ? n_kept + n_carried : 0);
    words[2].cost = back;
}

static void plan_again(lane_planner *p, const lane_ins *ins) {
    uint8_t loop = ins->cursor;
    unsigned depth = p->level - 1;
    for (uint64_t set = p->body->live_at_head[loop]; set != 0; set &= set - 1) {
        uint8_t reg = (uint8_t)__builtin_ctzll(set);
        if (p->body->written[loop] >> reg & 1) tirbi_lane_fill_strip(p, reg);
    }
    uint32_t end = tirbi_translate_word(p->emitter, (tirbi_word){.op = TIRBI_L_OWN_AGAIN, .a = (uint16_t)depth});
    tirbi_translate_word(p->emitter, (tirbi_word){.cost = p->body->own_cost[loop - TIRBI_MAX_INNER]});
    tirbi_translate_word(p->emitter, (tirbi_word){.list = {lanes_at(p, depth), 0, 0, 0}});
    p->level--;
    p->now = p->own[depth].around;
    if (p->emitter->failed) return;
    tirbi_word *words = p->emitter->all.words;
    words[end].jump = (int32_t)p->own[depth].head - (int32_t)end;
    for (uint32_t at = p->own[depth].last_while, turn = 0; at != 0; turn++) {
        if (tirbi_lane_body_is_stopped(p->body, turn)) return;
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

/* Whether no form and no kernel does it: what it gives has the lanes of its operand, or goes with a load or a store. */
static bool plan_renaming(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    if (ins->op == TIRB_OP_VMOV) return plan_move(p, ins);
    if (ins->op == TIRB_OP_VCAST && (plan_widen(p, ins) || plan_narrow(p, ins, next))) return true;
    if (tirbi_lane_kind_rounds(ins->kind) && tirbi_lane_is_rounded_by_store(ins, next))
        move_in_banks(p, ins);
    else if (tirbi_lane_kind_renames(ins->kind))
        plan_rename(p, ins);
    else if (tirbi_lane_kind_truncates(ins->kind))
        plan_truncate(p, ins, next);
    else
        return false;
    return true;
}

static void plan_elementwise(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    const bool in_runs = p->body->n_advances > 0 && stays_in_runs(p, ins);
    const bool may_rename = ins->op == TIRB_OP_VMOV || ins->op == TIRB_OP_VCAST || ins->op == TIRB_OP_VBITS;
    if (may_rename && plan_renaming(p, ins, next))
        ;
    else if (ins->kind == 0)
        plan_kernel(p, ins, next);
    else if (!tirbi_lane_plan_in_banks(p, ins, next))
        plan_kernel(p, ins, NULL);
    if (p->body->n_advances > 0) p->now.values[ins->dest].in_runs = in_runs;
}

static void plan_ins(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    switch (ins->op) {
    case TIRB_OP_INNER:
        plan_inner(p, ins);
        return;
    case TIRB_OP_INNER_END:
        plan_inner_end(p, ins);
        return;
    case TIRB_OP_VLOOP:
        plan_own(p, ins);
        return;
    case TIRB_OP_VWHILE:
        plan_while(p, ins);
        break;
    case TIRB_OP_VAGAIN:
        plan_again(p, ins);
        return;
    case TIRB_OP_VLOAD:
        plan_load(p, ins);
        break;
    case TIRB_OP_VSTORE:
        plan_store(p, ins);
        break;
    case TIRB_OP_VSPLAT:
        plan_splat(p, ins);
        break;
    case TIRB_OP_VIOTA:
        plan_iota(p, ins);
        break;
    case TIRB_OP_VRED:
    case TIRB_OP_VREDMA:
        plan_reduction(p, ins);
        break;
    case TIRB_OP_VINDEX:
        tirbi_lane_plan_index(p, ins);
        break;
    case TIRB_OP_VLOADX:
        tirbi_lane_plan_loadx(p, ins);
        break;
    case TIRB_OP_VSTOREX:
    case TIRB_OP_VUPDATE:
    case TIRB_OP_VUPDATEMA:
        tirbi_lane_plan_storex(p, ins);
        break;
    case TIRB_OP_VADVANCE:
        tirbi_lane_plan_advance(p, ins);
        break;
    case TIRB_OP_VFIND:
        tirbi_lane_plan_find(p, ins);
        break;
    case TIRB_OP_VSCAN:
    case TIRB_OP_VSCANMA:
        tirbi_lane_plan_scan(p, ins);
        break;
    case TIRB_OP_VSTEP:
    case TIRB_OP_VSTEPMA:
        tirbi_lane_plan_step(p, ins);
        break;
    default:
        plan_elementwise(p, ins, next);
        break;
    }
    go_behind(p, ins);
}

/* A store that ends the body goes on to the next block by itself. */
static void end_in_store(lane_planner *p) {
    if (p->emitter->failed || p->emitter->all.n == 0 || p->latest != p->emitter->all.n - 1) return;
    tirbi_word *word = &p->emitter->all.words[p->latest];
    word->op = (uint16_t)tirbi_lane_as_last(word->op);
}

/* ---- Looks at whether to stop ----------------------------------------------------------------------------------- */

/* What goes by without one, in weight times lanes: of instructions, of blocks, and of one instruction. */
enum { MOST_UNLOOKED = 1 << 13, MOST_CALM = 1 << 15, MOST_AT_ONCE = 1 << 14, MOST_CALM_BLOCKS = 16 };

/* Looks before an instruction where that is due. A loop of the lanes looks each time that it goes back, and those that
 * leave it go on with what they had when they did. */
static void look(lane_planner *p, const lane_ins *ins) {
    const uint64_t weight = (uint64_t)tirbi_lane_weight(p->body, ins) * p->loop->lanes;
    if (p->unlooked > 0 && p->unlooked + weight > MOST_UNLOOKED) {
        emit(p, TIRBI_L_LOOK, 0, 0, 0);
        p->unlooked = 0;
    }
    p->unlooked += weight;
    if (tirbi_lane_loop_starts(ins->op)) p->skipped[ins->cursor] = 0;
    if ((tirbi_lane_loop_starts(ins->op) || ins->op == TIRB_OP_VWHILE) && p->unlooked > p->skipped[ins->cursor])
        p->skipped[ins->cursor] = p->unlooked;
    if (tirbi_lane_loop_ends(ins->op) && p->skipped[ins->cursor] > p->unlooked) p->unlooked = p->skipped[ins->cursor];
}

/* How many blocks of a loop may go by between two looks: none where lanes have loops of their own, which weigh what
 * they like. */
uint32_t tirbi_lane_calm_blocks(const lane_planner *p, uint32_t most) {
    if (p->body->n_own > 0) return 0;
    const uint64_t blocks = MOST_CALM / ((1 + p->body->weight) * p->loop->lanes);
    return blocks < most ? (uint32_t)blocks : most;
}

/* Fewer lanes where some instruction would take long over many. */
static uint32_t lanes_at_once(const lane_body *body, uint32_t lanes) {
    while (lanes > TIRBI_STRIP_LANES && body->heaviest * lanes > MOST_AT_ONCE) lanes /= 2;
    return lanes;
}

/* ---- The body, in each of its variants --------------------------------------------------------------------------- */

typedef enum body_kind { BODY_FULL, BODY_TAIL, BODY_WIDE, BODY_PACKED, BODY_SPANNING } body_kind;

static void plan_body(lane_planner *p, body_kind kind) {
    enum { TURNS_OF_ONE = 8 }; /* of other loops: planning takes as long */
    p->tail = kind != BODY_FULL;
    p->wide = kind == BODY_WIDE || kind == BODY_SPANNING;
    p->packs = kind == BODY_PACKED;
    p->unlooked = 0;
    p->level = p->n_waiting = 0;
    p->latest = UINT32_MAX;
    for (uint64_t set = p->body->used; set != 0; set &= set - 1)
        p->now.values[__builtin_ctzll(set)] = (lane_value){.bank = NO_BANK};
    p->now.banks[0] = p->now.banks[1] = p->kept = NO_VALUE;
    p->kept_until = 0;
    uint32_t place = p->body->behind_seeks;
    for (uint32_t i = p->body->n_before_seeks; i < p->loop->n_outer; i++) place += p->body->ins[i].size;
    for (uint32_t i = p->loop->n_outer; i < p->body->n - p->loop->n_outer && !p->emitter->failed; i++) {
        const bool drops = p->is_last && !p->gather;
        if (tirbi_lane_body_is_stopped(p->body, i * TURNS_OF_ONE) ||
            (drops && !tirbi_lane_body_drop(p->body, p->emitter->heap, i))) {
            p->emitter->failed = true;
            return; /* what is known of the instructions, and where they are, is half of it */
        }
        const lane_ins *ins = tirbi_lane_ins_at(p->body, i);
        const uint32_t offset = place;
        if (i >= p->body->n_before_seeks) place += ins->size;
        if (p->ends_in_store) {
            p->ends_in_store = false;
            go_behind(p, ins);
            continue;
        }
        p->emitter->offset = offset;
        p->emitter->heap->work++;
        if (p->looks) look(p, ins);
        plan_ins(p, ins, i + 1 < p->body->n ? ins + 1 : NULL);
    }
    if (kind == BODY_FULL) end_in_store(p);
    emit(p, kind == BODY_FULL || kind == BODY_SPANNING ? TIRBI_L_NEXT_BLOCK : TIRBI_L_FINISH, 0, 0, 0);
}

/* The tail, or the wide body. Long ones of kernels, which have many words, are planned, as that gives back instructions
 * while it goes on. */
static void make_part_body(lane_planner *p, body_kind kind) {
    const bool gives_back = p->is_last && !p->loop->only_banks;
    if (gives_back || !tirbi_lane_remake(p, p->loop->full, p->full_end, kind == BODY_WIDE)) plan_body(p, kind);
}

/* Whether the full body does for blocks of any size, in hardly more time: kernels take as many elements as there are,
 * and those that had rather have whole blocks are few. */
static bool is_its_own_tail(const lane_planner *p) {
    enum { FEW = 8 };
    const lane_body *body = p->body;
    if (body->main_size != 0) return false;
    uint32_t n_light = 0;
    for (uint32_t i = 0; i < body->n && !tirbi_lane_body_is_stopped(body, i); i++)
        n_light += tirbi_lane_computes(&body->ins[i]) && tirbi_lane_is_light(&body->ins[i]);
    return n_light <= body->n / FEW;
}

/* A body for cursors that do not meet, where that makes a difference: where it begins, or 0. */
static uint32_t plan_apart(lane_planner *p, body_kind kind) {
    const uint32_t at = p->emitter->all.n;
    p->apart = true;
    p->assumes = false;
    plan_body(p, kind);
    p->apart = false;
    if (p->assumes) return at;
    tirbi_emitter_cut(p->emitter, at);
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

/* Loads that are transposed where that can be: those that run once in each iteration of an inner loop. False: out of
 * memory. */
static bool find_tiles(lane_planner *p) {
    const lane_body *body = p->body;
    tirbi_lane_loop *loop = p->loop;
    uint8_t open[TIRBI_MAX_INNER];
    unsigned n_open = 0;
    if (body->n_own > 0 || loop->n_inner == loop->n_outer) return true;
    for (uint32_t i = loop->n_outer; i < body->n - loop->n_outer && !tirbi_lane_body_is_stopped(body, i); i++) {
        lane_ins *ins = &body->ins[i];
        if (ins->op == TIRB_OP_INNER) open[n_open++] = ins->cursor;
        if (ins->op == TIRB_OP_INNER_END) n_open--;
        if (ins->op != TIRB_OP_VLOAD || n_open == 0 || body->strides[ins->cursor] != STRIDE_ANY) continue;
        if (loop->n_tiles == TIRBI_MAX_TILES || loop->cursors[ins->cursor].seek != 0) continue;
        if (!loop->tiles) loop->tiles = TIRBI_NEW_ARRAY(&p->code->arena, tirbi_lane_tile, TIRBI_MAX_TILES);
        if (!loop->tiles) return false;
        loop->tiles[loop->n_tiles++] = (tirbi_lane_tile){.cursor = ins->cursor, .loop = open[n_open - 1]};
        ins->number = loop->n_tiles;
    }
    return true;
}

static void choose_block(const lane_planner *p) {
    tirbi_lane_loop *loop = p->loop;
    const lane_body *body = p->body;
    loop->main_size = body->main_size;
    loop->only_banks = body->only_banks;
    if (body->main_size == 0)
        loop->lanes = lanes_at_once(body, KERNEL_STRIP_BYTES / body->widest);
    else
        loop->lanes = p->code->lanes->bank_bytes / body->main_size;
    loop->calm_blocks = tirbi_lane_calm_blocks(p, MOST_CALM_BLOCKS);
    uint32_t elements = (loop->lanes + TIRBI_STRIP_LANES - 1) / TIRBI_STRIP_LANES * TIRBI_STRIP_LANES;
    loop->strip_size = (elements * body->widest + 63) / 64 * 64;
}

/* Which machines go through short rows, once all bodies are known. */
static void choose_short(const lane_planner *p) {
    tirbi_lane_loop *const loop = p->loop;
    const tirbi_lane_machine *const narrow = p->code->lanes->narrow;
    const bool lacks_small = p->has_small && narrow != NULL && (narrow->features & TIRBI_LANE_HAS_SMALL) == 0;
    loop->in_short = loop->only_banks && !p->has_rare && !lacks_small;
    loop->by_rows = loop->by_rows && loop->only_banks && !p->has_rare;
    loop->least = p->code->lanes;
    while (loop->in_short && loop->least->narrow) loop->least = loop->least->narrow;
    loop->least_lanes = loop->in_short ? loop->least->bank_bytes / loop->main_size : loop->lanes;
}

/* From so many instructions on, a body's are given back as they are translated for the last time. */
enum { LONG_BODY = 1 << 12 };

/* Whether a loop may have `n` bodies more: where words are many for the function's code, loops have no more bodies than
 * they need. */
static bool may_add_bodies(const lane_planner *p, unsigned n) {
    enum { SOME_WORDS = 1 << 12 };
    const uint64_t words = p->emitter->all.n + (uint64_t)n * (p->full_end - p->loop->full);
    return words <= SOME_WORDS + (uint64_t)p->body->header->end;
}

/* Those that are faster where they may run. */
static void add_bodies(lane_planner *p, unsigned n_stores) {
    tirbi_lane_loop *const loop = p->loop;
    if (may_add_bodies(p, 1) && tirbi_lane_find_streams(p, (tirbi_lane_cursor *)(uintptr_t)loop->cursors)) {
        loop->wide = p->emitter->all.n;
        make_part_body(p, BODY_WIDE);
    }
    if (n_stores > 1 && p->full_assumes && may_add_bodies(p, 1)) p->bodies.apart = plan_apart(p, BODY_FULL);
    if (p->bodies.apart != 0 && loop->wide != 0 && may_add_bodies(p, 1))
        p->bodies.wide_apart = plan_apart(p, BODY_WIDE);
    /* A row's part of a strip has room for elements of the main size. */
    loop->by_rows = loop->only_banks && !p->has_rare && p->body->widest <= p->body->main_size && loop->n_outer > 0 &&
                    tirbi_lane_is_by_rows(p->emitter, loop->full);
    if (may_add_bodies(p, 1) && tirbi_lane_can_span(p, loop->wide)) {
        p->bodies.spanning = p->emitter->all.n;
        plan_body(p, BODY_SPANNING);
        if (!tirbi_lane_can_span(p, p->bodies.spanning)) {
            tirbi_emitter_cut(p->emitter, p->bodies.spanning);
            p->bodies.spanning = 0;
        } else if (p->bodies.apart != 0 && may_add_bodies(p, 1))
            p->bodies.spanning_apart = plan_apart(p, BODY_SPANNING);
    }
    if (may_add_bodies(p, 1)) p->bodies.registers = tirbi_lane_plan_registers(p);
    if (may_add_bodies(p, 1) && p->bodies.registers == 0) p->bodies.registers = tirbi_lane_plan_loops(p);
    if (may_add_bodies(p, 1)) p->bodies.in_short = tirbi_lane_plan_short(p);
    if (may_add_bodies(p, 1) && tirbi_lane_can_pack(p)) {
        loop->packed = tirbi_translate_word(p->emitter, tirbi_lane_packed_work(p)) + 1;
        loop->picks = tirbi_lane_picks_all(p);
        plan_body(p, BODY_PACKED);
    }
}

/* In bodies for whole blocks, which long rows go through. */
static void take_turns(lane_planner *p) {
    const uint32_t others[] = {p->loop->wide, p->bodies.apart, p->bodies.wide_apart, p->bodies.spanning,
                               p->bodies.spanning_apart};
    if (!p->loop->only_banks) return;
    tirbi_lane_take_turns(p, p->loop->full);
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] != 0) tirbi_lane_take_turns(p, others[i]);
}

/* Counts the splats that there may be, and finds the registers that are set once. */
static unsigned find_splats(lane_planner *p) {
    unsigned n = 0;
    uint64_t set = 0, again = 0;
    for (uint32_t i = 0; i < p->body->n && !tirbi_lane_body_is_stopped(p->body, i); i++) {
        const lane_ins *ins = &p->body->ins[i];
        const uint64_t dest = ins->dest == NO_LANE_REG ? 0 : UINT64_C(1) << ins->dest;
        uint16_t slot;
        again |= set & dest;
        set |= dest;
        if (ins->op == TIRB_OP_VSPLAT) n += find_words(p, ins, &slot) ? 2 : 1; /* frames are as large on all machines */
    }
    p->set_once = set & ~again;
    return n;
}

/* How many stores of elements apart there are, if there are some, up to as many as are done together. */
static unsigned count_scatters(const lane_body *body) {
    unsigned n = 0;
    if (body->n_stores < 2) return 0;
    for (uint32_t i = 0; i < body->n && n < TIRBI_MOST_SCATTERS && !tirbi_lane_body_is_stopped(body, i); i++)
        n += body->ins[i].op == TIRB_OP_VSTORE && body->strides[body->ins[i].cursor] == STRIDE_ANY;
    return n > 1 ? n : 0;
}

static tirb_status plan_loop(lane_planner *p, tirb_error *error) {
    tirbi_lane_loop *loop = p->loop;
    const unsigned n_splats = tirbi_lane_has(p->body, TIRB_OP_VSPLAT, TIRB_OP_VSPLAT) ? find_splats(p) : 0;
    p->orders_traps = tirbi_lane_orders_traps(p->body);
    choose_block(p);
    p->looks = p->body->weight * loop->lanes > MOST_UNLOOKED;
    find_outer_loops(p);
    if (!find_tiles(p)) return tirbi_heap_status(p->code->heap);
    TIRBI_TRY(tirbi_lane_copy_find(p->body, loop, p->code));
    loop->counts_lanes = tirbi_lane_has(p->body, TIRB_OP_VIOTA, TIRB_OP_VIOTA);
    unsigned depth = p->body->own_depth, regs = p->body->function->n_lane_regs;
    /* Behind the columns of a tile is room for both banks. */
    enum { TILE_STRIPS = TIRBI_TILE_COLUMNS + 2 };
    const unsigned before_tiles = regs * (depth + 1) + 2 * depth;
    const unsigned before_waiting = before_tiles + loop->n_tiles * (unsigned)TILE_STRIPS;
    const unsigned n_waiting = depth > 0 ? 0 : count_scatters(p->body);
    /* There is room for what was found: all of it. */
    if (tirbi_lane_body_is_stopped(p->body, 0)) return tirbi_work_seen(p->code->heap, error);
    /* What bodies with multiply-adds keep where they go by several loops; scratch is as large on all machines. */
    enum { LOOP_STRIPS = 6 };
    const unsigned n_kept = tirbi_lane_has(p->body, TIRB_OP_VFMA, TIRB_OP_VFNMA) && depth == 0 ? LOOP_STRIPS : 0;
    unsigned strips = before_waiting + n_waiting + n_kept + 1 + (p->body->n_advances > 0);
    loop->own_depth = (uint8_t)depth;
    loop->reduces = p->body->reduces || depth > 0; /* what the lanes take in loops of their own is charged once */
    loop->kernels_only = p->body->main_size == 0 && depth == 0;
    if (n_splats > UINT16_MAX || 1u + loop->n_cursors + n_splats + strips > (depth ? INT16_MAX : UINT16_MAX))
        return tirbi_error_set(error, TIRB_UNSUPPORTED, "a lane loop splats %u scalars", n_splats);
    p->splats = TIRBI_NEW_ARRAY(&p->code->arena, tirbi_lane_splat, n_splats);
    for (p->splat_bits = 1; 1u << p->splat_bits < n_splats;) p->splat_bits++;
    p->n_splat_links = (1u << p->splat_bits) + n_splats;
    const size_t links = p->n_splat_links * sizeof *p->splat_chains;
    p->splat_chains = p->n_splat_links <= LANE_FEW ? p->few_links : tirbi_heap_alloc(p->code->heap, links);
    if (!p->splats || !p->splat_chains) return tirbi_heap_status(p->code->heap);
    memset(p->splat_chains, 0, links);
    p->next_splats = p->splat_chains + (1u << p->splat_bits);
    p->first_splat = (uint16_t)(1 + loop->n_cursors);
    p->first_strip = (uint16_t)(p->first_splat + n_splats);
    p->first_own = (uint16_t)(p->first_strip + regs * (depth + 1));
    for (unsigned i = 0; i < loop->n_tiles; i++)
        loop->tiles[i].strip = (uint16_t)(p->first_strip + before_tiles + i * (unsigned)TILE_STRIPS);
    p->first_waiting = n_waiting > 1 ? (uint16_t)(p->first_strip + before_waiting) : 0;
    p->spare_strip = (uint16_t)(p->first_strip + strips - 1);
    p->ends_strip = (uint16_t)(p->spare_strip - 1);
    loop->full = loop->one_row = p->emitter->all.n;
    const uint32_t before = p->emitter->before;
    plan_body(p, BODY_FULL);
    if (p->emitter->failed) return tirbi_heap_status(p->code->heap);
    p->full_assumes = p->assumes;
    p->full_end = p->emitter->all.n;
    p->full_place = tirbi_emitter_place(p->emitter, loop->full, before);
    tirbi_lane_make_stream(p);
    const bool has_tail = !is_its_own_tail(p);
    loop->tail = has_tail ? p->emitter->all.n : loop->full;
    p->is_last = p->body->n >= LONG_BODY && !may_add_bodies(p, 2);
    if (has_tail) make_part_body(p, BODY_TAIL);
    if (!p->is_last) add_bodies(p, p->body->n_stores);
    choose_short(p);
    take_turns(p);
    loop->splats = p->splats;
    loop->n_splats = (uint16_t)n_splats;
    loop->n_strips = (uint16_t)strips;
    for (unsigned c = 0; c < loop->n_cursors; c++)
        if (loop->cursors[c].access & TIRBI_WRITE) loop->written |= UINT32_C(1) << c;
    loop->is_plain = tirbi_lane_is_plain(loop);
    return tirbi_lane_find_ending(p->body, p->code, loop) ? TIRB_OK : tirbi_heap_status(p->code->heap);
}

struct tirbi_lane_desk {
    lane_body body;
    lane_planner planner;
    lane_known_choice choices[1 << CHOICE_BITS];
    lane_operation operations[LANE_OPERATIONS];
    bool are_known[LANE_OPERATIONS];
    uint8_t turns[TIRBI_N_LANE_HANDLERS];
    lane_ins few[LANE_FEW];
    uint16_t links[LANE_FEW];
};

/* What every loop of a program is translated on. */
static struct tirbi_lane_desk *take_desk(tirbi_code *code) {
    if (code->desk) return code->desk;
    struct tirbi_lane_desk *const desk = tirbi_heap_alloc(code->heap, sizeof *desk);
    code->desk = desk;
    if (!desk) return NULL;
    desk->body.ins = desk->body.few = desk->few;
    memset(desk->choices, 0, sizeof desk->choices);
    memset(desk->are_known, 0, sizeof desk->are_known);
    return desk;
}

bool tirbi_lane_clear_desk(tirbi_code *code) {
    if (code->desk && !tirbi_lane_body_leave(&code->desk->body, code->heap)) return false;
    tirbi_heap_free(code->heap, code->desk, sizeof *code->desk);
    code->desk = NULL;
    return true;
}

tirb_status tirbi_lane_translate(tirbi_code *code, const tirbi_function *function, const tirbi_instr *instr,
                                 tirbi_constants *constants, tirbi_emitter *emitter, tirbi_lane_loop *loop,
                                 tirbi_lane_bodies *bodies, tirb_error *error) {
    struct tirbi_lane_desk *const desk = take_desk(code);
    if (!desk) return tirbi_heap_status(code->heap);
    lane_body *const body = &desk->body;
    lane_planner *const p = &desk->planner;
    if (!tirbi_lane_body_leave(body, code->heap)) return tirbi_work_seen(code->heap, error);
    memset(body, 0, offsetof(lane_body, exposed));
    memset(p, 0, offsetof(lane_planner, skipped));
    const uint32_t begin = emitter->all.n;
    body->operations = desk->operations;
    body->are_known = desk->are_known;
    body->few = desk->few;
    p->few_links = desk->links;
    tirb_status status = tirbi_lane_body_read(body, code, function, instr, constants, &code->arena, loop, error);
    if (status == TIRB_OK) {
        p->code = code;
        p->choices = desk->choices;
        p->turns = desk->turns;
        p->constants = constants;
        p->body = body;
        p->loop = loop;
        p->emitter = emitter;
        status = plan_loop(p, error);
        *bodies = p->bodies;
    }
    code->heap->work += (emitter->all.n - begin) / TIRBI_WORDS_AT_ONCE;
    if (status == TIRB_OK) {
        uint32_t pointers = 1u + loop->n_cursors + loop->n_splats + loop->n_strips;
        size_t scratch = (size_t)loop->n_strips * TIRBI_MAX_STRIP_BYTES;
        if (tirbi_lane_may_repeat_rows(loop)) scratch += TIRBI_REPEATED_BYTES;
        if (pointers > code->needs.pointers) code->needs.pointers = pointers;
        if (scratch > code->needs.scratch) code->needs.scratch = scratch;
    }
    if (p->splat_chains != desk->links)
        tirbi_heap_free(code->heap, p->splat_chains, p->n_splat_links * sizeof *p->splat_chains);
    if (status == TIRB_OK) (void)tirbi_lane_body_leave(body, code->heap);
    return status == TIRB_OK ? tirbi_work_seen(code->heap, error) : status;
}
