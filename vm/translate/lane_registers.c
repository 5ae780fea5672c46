/* Bodies for the register machine (vm/lanes/registers.h): loads, arithmetic and stores of whole blocks, whose values
 * stay in its seven banks.
 *
 * The body's instructions become steps on values, each of which is computed once. Every step leaves its result in bank
 * A. What is there and is read later on is kept in another bank; the value that is read last of all gives way, which
 * costs nothing if it is an element of a cursor or a scalar, as those are read from memory again. */
#include <string.h>

#include "vm/lanes/forms.h"
#include "vm/lanes/register_forms.h"
#include "vm/lanes/registers.h"
#include "vm/translate/lane_plan.h"

enum { MOST_STEPS = 96, MOST_VALUES = 160, NO_BODY_VALUE = 0xFF };

/* Where a value can be had but from a bank. */
typedef enum source { COMPUTED, ELEMENTS, NARROW_ELEMENTS, SCALAR, SPILLED } source;

typedef struct value {
    uint8_t source;
    uint8_t bank; /* or NO_BODY_VALUE */
    uint8_t type; /* of elements and scalars */
    uint8_t reg;  /* that it was first in, whose strip it is spilled to */
    uint16_t pointer;
    uint8_t last;  /* the step that reads it last */
    bool narrowed; /* it stands for its low bits, which a store alone can tell */
} value;

typedef struct step {
    const lane_ins *ins;
    uint8_t reads[3];
    uint8_t result; /* or NO_BODY_VALUE: it stores */
} step;

typedef struct held {
    lane_planner *p;
    value values[MOST_VALUES];
    step steps[MOST_STEPS];
    uint8_t named[TIRBI_MAX_LANE_REGS]; /* by lane register: its value as yet */
    uint8_t banks[TIRBI_HELD_BANKS];    /* the value in each, or NO_BODY_VALUE */
    unsigned n_values, n_steps;
    uint32_t begin;  /* of the words */
    unsigned stores; /* of results */
    unsigned at;     /* the step that is planned */
    unsigned latest; /* the bank that was given out last, and how often A was kept in each */
    uint8_t kept[TIRBI_HELD_BANKS];
    unsigned n_loads, n_stores; /* blocks that the words read and write, */
    unsigned n_words;           /* and these */
} held;

enum { A, N_BANKS = TIRBI_HELD_BANKS, IN_MEMORY = N_BANKS, IN_SCALAR, IN_OTHER_SCALAR };
/* Of each handler that stores, as of the places of scalars and of those that keep A. */
enum { STORE_COPIES = 3, KEEP_COPIES = 4 };

static uint8_t add_value(held *h, uint8_t where, const lane_ins *ins, uint16_t pointer) {
    if (h->n_values == MOST_VALUES) return NO_BODY_VALUE;
    h->values[h->n_values] =
        (value){.source = where, .bank = NO_BODY_VALUE, .type = ins->type, .reg = ins->dest, .pointer = pointer};
    return (uint8_t)h->n_values++;
}

/* ---- The body as steps ------------------------------------------------------------------------------------------- */

static bool read_load(held *h, const lane_ins *ins) {
    const lane_body *body = h->p->body;
    const unsigned size = tirbi_dtypes[ins->type].size;
    const bool is_half = ins->type == TIRB_F16 || ins->type == TIRB_BF16;
    const bool is_narrow = body->main_size == 4 && size < 4 && body->has_words;
    const lane_stride stride = body->strides[ins->cursor];
    if (ins->type == TIRB_BOOL || is_half || (size != body->main_size && !is_narrow)) return false;
    if (ins->number > 0 || (stride != STRIDE_ONE && (stride != STRIDE_ZERO || is_narrow))) return false;
    const uint8_t where = stride == STRIDE_ZERO ? SCALAR : is_narrow ? NARROW_ELEMENTS : ELEMENTS;
    h->named[ins->dest] = add_value(h, where, ins, pointer_of_cursor(ins->cursor));
    return h->named[ins->dest] != NO_BODY_VALUE;
}

static bool read_splat(held *h, const lane_ins *ins) {
    const unsigned size = tirbi_dtypes[ins->type].size;
    if (ins->type == TIRB_BOOL || size != h->p->body->main_size) return false;
    h->named[ins->dest] = add_value(h, SCALAR, ins, tirbi_lane_pointer_of_splat(h->p, ins->slot, (uint8_t)size));
    return h->named[ins->dest] != NO_BODY_VALUE;
}

static bool add_step(held *h, const lane_ins *ins) {
    if (h->n_steps == MOST_STEPS) return false;
    step *s = &h->steps[h->n_steps];
    s->ins = ins;
    for (unsigned i = 0; i < ins->n_reads; i++) {
        s->reads[i] = h->named[ins->reads[i]];
        if (s->reads[i] == NO_BODY_VALUE) return false;
        value *v = &h->values[s->reads[i]];
        if (v->narrowed && ins->op != TIRB_OP_VSTORE) return false;
        v->last = (uint8_t)h->n_steps;
    }
    s->result = NO_BODY_VALUE;
    if (ins->dest != NO_LANE_REG) {
        s->result = add_value(h, COMPUTED, ins, 0);
        if (s->result == NO_BODY_VALUE) return false;
        h->values[s->result].last = (uint8_t)h->n_steps;
        h->named[ins->dest] = s->result;
    }
    h->n_steps++;
    return true;
}

/* Another name of a value; of its low bits, where nothing else is made of it. */
static bool read_renaming(held *h, const lane_ins *ins, bool truncates) {
    const uint8_t from = h->named[ins->reads[0]];
    if (from == NO_BODY_VALUE || h->values[from].narrowed) return false;
    if (truncates) {
        if (is_live(ins, ins->reads[0]) && ins->reads[0] != ins->dest) return false;
        h->values[from].narrowed = true;
    }
    h->named[ins->dest] = from;
    return true;
}

static bool read_store(held *h, const lane_ins *ins) {
    const lane_body *body = h->p->body;
    const bool is_half = ins->type == TIRB_F16 || ins->type == TIRB_BF16;
    if (body->strides[ins->cursor] != STRIDE_ONE || is_half) return false;
    const unsigned size = tirbi_dtypes[ins->type].size;
    if (size != body->main_size && (body->main_size != 4 || !body->has_words)) return false;
    return (size > 1 || ins->type != TIRB_BOOL || body->main_size == 4) && add_step(h, ins);
}

static bool read_elementwise(held *h, const lane_ins *ins) {
    if (ins->op == TIRB_OP_VMOV) return read_renaming(h, ins, false);
    if (tirbi_lane_kind_renames(ins->kind)) return read_renaming(h, ins, false);
    if (tirbi_lane_kind_truncates(ins->kind)) return h->p->body->main_size == 4 && read_renaming(h, ins, true);
    if (ins->kind == 0 || tirbi_lane_operation_of(h->p->body, ins)->rounds) return false;
    return tirbi_lane_has_register_forms(ins->kind) && add_step(h, ins);
}

/* The body's steps; false: it has something else. */
static bool read_body(held *h) {
    const lane_body *body = h->p->body;
    memset(h->named, NO_BODY_VALUE, sizeof h->named);
    for (uint32_t i = h->p->loop->n_outer; i < body->n - h->p->loop->n_outer; i++) {
        const lane_ins *ins = &body->ins[i];
        bool is_fit;
        switch (ins->op) {
        case TIRB_OP_VLOAD:
            is_fit = read_load(h, ins);
            break;
        case TIRB_OP_VSPLAT:
            is_fit = read_splat(h, ins);
            break;
        case TIRB_OP_VSTORE:
            is_fit = read_store(h, ins);
            break;
        default:
            is_fit = tirbi_lane_computes(ins) && read_elementwise(h, ins);
            break;
        }
        if (!is_fit) return false;
    }
    return true;
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

static void add_word(held *h, unsigned form, unsigned a, unsigned b, unsigned c) {
    tirbi_translate_word(h->p->emitter,
                         (tirbi_word){.op = (uint16_t)form, .a = (uint16_t)a, .b = (uint16_t)b, .c = (uint16_t)c});
    h->n_words++;
}

static bool is_read_later(const held *h, uint8_t v) { return h->values[v].last > h->at; }
static bool is_read_now(const held *h, uint8_t v) {
    const step *s = &h->steps[h->at];
    for (unsigned i = 0; i < s->ins->n_reads; i++)
        if (s->reads[i] == v) return true;
    return false;
}

static void put(held *h, uint8_t v, unsigned bank) {
    h->banks[bank] = v;
    h->values[v].bank = (uint8_t)bank;
}
static void leave(held *h, unsigned bank) {
    if (h->banks[bank] == NO_BODY_VALUE) return;
    if (h->values[h->banks[bank]].bank == bank) h->values[h->banks[bank]].bank = NO_BODY_VALUE;
    h->banks[bank] = NO_BODY_VALUE;
}

static unsigned next_read(const held *h, uint8_t v) {
    for (unsigned i = h->at + 1; i < h->n_steps; i++)
        for (unsigned r = 0; r < h->steps[i].ins->n_reads; r++)
            if (h->steps[i].reads[r] == v) return i;
    return h->n_steps;
}

/* Whether two values that are spilled would share a strip. */
static bool is_strip_taken(const held *h, uint8_t v) {
    for (unsigned i = 0; i < h->n_values; i++)
        if (i != v && h->values[i].source == SPILLED && h->values[i].reg == h->values[v].reg) return true;
    return false;
}

/* A bank beside A that holds nothing which is read now; N_BANKS: there is none. `may_spill`: else there may be none but
 * for a store. Banks are taken in turn, so that few words have the same handler: processors foresee best where a jump
 * leads that always leads there. */
static unsigned free_bank(held *h, bool may_spill) {
    unsigned best = N_BANKS, farthest = 0;
    for (unsigned i = 0; i < N_BANKS - 1; i++) {
        const unsigned bank = 1 + (h->latest + i) % (N_BANKS - 1);
        if (h->banks[bank] != NO_BODY_VALUE) continue;
        h->latest = bank;
        return bank;
    }
    for (unsigned bank = 1; bank < N_BANKS; bank++) {
        const uint8_t v = h->banks[bank];
        if (is_read_now(h, v) || !may_spill) continue;
        const bool is_computed = h->values[v].source == COMPUTED;
        if (is_computed && is_strip_taken(h, v)) continue;
        const unsigned next = 2 * next_read(h, v) + (is_computed ? 0 : 1);
        if (next > farthest) {
            farthest = next;
            best = bank;
        }
    }
    if (best == N_BANKS) return best;
    value *v = &h->values[h->banks[best]];
    if (v->source == COMPUTED) {
        add_word(h, TIRBI_R_SPILL_A + best, strip_of(h->p, v->reg), 0, 0);
        h->n_stores++;
        v->source = SPILLED;
    }
    leave(h, best);
    h->latest = best;
    return best;
}

/* What A holds and is read later (or by this step: `now`) is kept in another bank, if it is in none and cannot be had
 * from memory. */
static bool free_a(held *h, bool now) {
    const uint8_t v = h->banks[A];
    if (v == NO_BODY_VALUE || h->values[v].bank != A) return true;
    if (!is_read_later(h, v) && !(now && is_read_now(h, v))) return true;
    if (h->values[v].source != COMPUTED) return true;
    const unsigned bank = free_bank(h, true);
    if (bank == N_BANKS) return false;
    const unsigned copies = KEEP_COPIES, copy = h->kept[bank]++ % copies;
    add_word(h, TIRBI_R_KEEP0_A + copy * N_BANKS + bank, 0, 0, 0);
    h->banks[bank] = v; /* A has it as well until something else is put there */
    h->values[v].bank = (uint8_t)bank;
    return true;
}

/* Reads the value into a bank. */
static void fetch(held *h, uint8_t number, unsigned bank) {
    const value *v = &h->values[number];
    unsigned form = TIRBI_R_LOAD_A + bank;
    if (v->source == SPILLED) form = TIRBI_R_RELOAD_A + bank;
    if (v->source == SPILLED) {
        add_word(h, form, 0, strip_of(h->p, v->reg), 0);
        h->n_loads++;
        return;
    }
    if (v->source == SCALAR) form = TIRBI_R_SPLAT1 + (unsigned)__builtin_ctz(h->p->body->main_size);
    if (v->source == NARROW_ELEMENTS) {
        const bool is_signed = v->type == TIRB_I8 || v->type == TIRB_I16;
        const bool is_byte = tirbi_dtypes[v->type].size == 1;
        form = (is_byte ? (is_signed ? TIRBI_R_LOAD4_I8_A : TIRBI_R_LOAD4_U8_A)
                        : (is_signed ? TIRBI_R_LOAD4_I16_A : TIRBI_R_LOAD4_U16_A)) +
               bank;
    }
    add_word(h, form, 0, v->pointer, 0);
    if (v->source != SCALAR) h->n_loads++;
}

/* The value is in bank A, alone in what is known of it. */
static bool bring_to_a(held *h, uint8_t number) {
    const value *v = &h->values[number];
    if (h->banks[A] == number) return true;
    if (!free_a(h, h->steps[h->at].result != NO_BODY_VALUE)) return false;
    leave(h, A);
    if (v->bank != NO_BODY_VALUE) {
        add_word(h, TIRBI_R_TAKE_A + v->bank, 0, 0, 0);
        h->banks[A] = number;
        return true;
    }
    fetch(h, number, A);
    put(h, number, A);
    return true;
}

/* Elements that are read again, and what no form takes from memory, are put in a bank where one is to be had. */
static bool bring_to_bank(held *h, uint8_t number, bool must) {
    const value *v = &h->values[number];
    if (v->bank != NO_BODY_VALUE) return true;
    const unsigned bank = free_bank(h, must);
    if (bank == N_BANKS) return !must || bring_to_a(h, number);
    if (v->source == SCALAR) return !must || bring_to_a(h, number);
    fetch(h, number, bank);
    put(h, number, bank);
    return true;
}

static unsigned place_of(const held *h, uint8_t number) {
    const value *v = &h->values[number];
    if (h->banks[A] == number) return A;
    if (v->bank != NO_BODY_VALUE) return v->bank;
    return v->source == SCALAR ? IN_SCALAR : IN_MEMORY;
}

/* How many words of the body have a handler. */
static unsigned uses_of(const held *h, unsigned form) {
    const tirbi_words *all = &h->p->emitter->all;
    unsigned n = 0;
    for (uint32_t i = h->begin; i < all->n; i++) n += all->words[i].op == form;
    return n;
}

/* The form for the operands where they are, one more than its number, or 0: of several, that which the body has used
 * least. `order`: which operand comes where. */
static unsigned find_form(const held *h, uint8_t *order) {
    const step *s = &h->steps[h->at];
    const unsigned n = s->ins->n_reads;
    const bool commutes = n >= 2 && tirbi_lane_operation_of(h->p->body, s->ins)->commutes;
    unsigned best = 0, least = UINT32_MAX;
    for (unsigned way = 0; way < 4; way++) {
        const bool swapped = (way & 1) != 0, other = (way & 2) != 0;
        if (swapped && !commutes) continue;
        const uint8_t in_order[3] = {swapped ? 1 : 0, swapped ? 0 : 1, 2};
        unsigned places[3] = {0};
        for (unsigned i = 0; i < n; i++) {
            places[i] = place_of(h, s->reads[in_order[i]]);
            if (other && places[i] == IN_SCALAR) places[i] = IN_OTHER_SCALAR;
        }
        const unsigned form = tirbi_lane_register_form(s->ins->kind, n, places);
        if (form == 0 || uses_of(h, form - 1) >= least) continue;
        best = form;
        least = uses_of(h, form - 1);
        memcpy(order, in_order, sizeof in_order);
    }
    return best;
}

static unsigned pointer_of(held *h, uint8_t number) {
    const value *v = &h->values[number];
    if (place_of(h, number) == IN_MEMORY) h->n_loads++;
    return place_of(h, number) >= N_BANKS ? v->pointer : 0;
}

static void forget_read(held *h) {
    for (unsigned bank = 0; bank < N_BANKS; bank++)
        if (h->banks[bank] != NO_BODY_VALUE && !is_read_later(h, h->banks[bank])) leave(h, bank);
}

static bool plan_store_step(held *h) {
    const step *s = &h->steps[h->at];
    const lane_ins *ins = s->ins;
    if (!bring_to_a(h, s->reads[0])) return false;
    const unsigned size = tirbi_dtypes[ins->type].size;
    unsigned form = TIRBI_R_STORE_0;
    if (ins->type == TIRB_F32 && !ins->settled) form = TIRBI_R_STORE_F32_0;
    if (ins->type == TIRB_F64 && !ins->settled) form = TIRBI_R_STORE_F64_0;
    if (size < h->p->body->main_size)
        form = ins->type == TIRB_BOOL ? TIRBI_R_STORE4_TRUTH_0 : size == 1 ? TIRBI_R_STORE4_8_0 : TIRBI_R_STORE4_16_0;
    add_word(h, form + h->stores++ % STORE_COPIES, pointer_of_cursor(ins->cursor), 0, 0);
    h->n_stores++;
    forget_read(h);
    return true;
}

/* Brings the operands where a form has them: what is read again to banks, and then one after the other. */
static unsigned prepare_form(held *h, uint8_t *order) {
    const step *s = &h->steps[h->at];
    const unsigned n = s->ins->n_reads;
    for (unsigned i = 0; i < n; i++) {
        const value *v = &h->values[s->reads[i]];
        const bool again = is_read_later(h, s->reads[i]) || (i > 0 && s->reads[i] == s->reads[i - 1]);
        const bool must = v->source == NARROW_ELEMENTS || v->source == SPILLED;
        if (v->source == COMPUTED || (v->source == SCALAR && !must)) continue;
        if ((again || must) && !bring_to_bank(h, s->reads[i], must)) return 0;
    }
    unsigned form = find_form(h, order);
    /* A form of three operands has the last one in A, or the first. */
    if (form == 0 && n == 3) {
        const bool selects = s->ins->op == TIRB_OP_VSELECT;
        if (!bring_to_a(h, s->reads[selects ? 0 : 2])) return 0;
        form = find_form(h, order);
    }
    for (unsigned i = 0; i < n && form == 0; i++) {
        if (!bring_to_bank(h, s->reads[i], true)) return 0;
        form = find_form(h, order);
    }
    return form;
}

static bool plan_step(held *h) {
    const step *s = &h->steps[h->at];
    if (s->result == NO_BODY_VALUE) return plan_store_step(h);
    uint8_t order[3] = {0, 1, 2};
    const unsigned form = prepare_form(h, order);
    if (form == 0) return false;
    if (!free_a(h, false)) return false;
    unsigned pointers[3] = {0};
    for (unsigned i = 0; i < s->ins->n_reads; i++) pointers[i] = pointer_of(h, s->reads[order[i]]);
    add_word(h, form - 1, pointers[0], pointers[1], pointers[2]);
    forget_read(h);
    leave(h, A);
    put(h, s->result, A);
    return true;
}

/* ---- The body ---------------------------------------------------------------------------------------------------- */

/* The time that the lane machine's full body takes, in eighths of a load of one of its vectors: what is read from
 * memory or stored, and the handlers. */
static uint64_t cost_of_banks(const lane_planner *p, uint32_t from, uint32_t to) {
    uint64_t cost = 0;
    for (uint32_t i = from; i < to; i++) {
        const unsigned n = tirbi_lane_blocks_moved(p->emitter->all.words[i].op);
        cost += 4 + 16 * (n > 1 ? n : 1);
    }
    return cost;
}

/* Words with the handler of others that go on to another one: the processor has to tell them apart. */
static unsigned count_ambiguous(const held *h) {
    const tirbi_words *all = &h->p->emitter->all;
    unsigned n = 0;
    for (uint32_t i = h->begin; i + 1 < all->n; i++) {
        bool differs = false;
        for (uint32_t k = h->begin; k + 1 < all->n && !differs; k++)
            differs = all->words[k].op == all->words[i].op && all->words[k + 1].op != all->words[i + 1].op;
        n += differs;
    }
    return n;
}

/* The same for the words here, which take two turns. */
static uint64_t cost_of_registers(const held *h) {
    enum { TELLING_APART = 40 };
    const uint64_t words = h->n_words, moved = h->n_loads + h->n_stores;
    return 2 * (4 * (words > moved ? words : moved) + words) + TELLING_APART * count_ambiguous(h);
}

/* Whether this takes less time, and reads and writes so much less that processors which foresee no jump gain as well:
 * where few operands come from memory, two large banks are as good. */
static bool is_worth_it(const held *h, const lane_planner *p) {
    enum { FEWER = 6 };
    unsigned moved = 0;
    for (uint32_t i = p->loop->full; i < p->full_end; i++)
        moved += tirbi_lane_blocks_moved(p->emitter->all.words[i].op);
    return moved >= h->n_loads + 2 * h->n_stores + FEWER &&
           cost_of_registers(h) < cost_of_banks(p, p->loop->full, p->full_end);
}

static bool may_run(const lane_planner *p) {
    const tirbi_lane_loop *loop = p->loop;
    const lane_body *body = p->body;
    enum { MOST_AT_ONCE = 1 << 15 };
    return !p->emitter->failed && (p->code->lanes->features & TIRBI_LANE_HAS_REGISTERS) != 0 && loop->only_banks &&
           loop->one_row == loop->full && loop->n_inner == loop->n_outer && body->n_own == 0 && !body->reduces &&
           (1 + body->weight) * loop->lanes <= MOST_AT_ONCE;
}

uint32_t tirbi_lane_plan_registers(lane_planner *p) {
    if (!may_run(p)) return 0;
    held *h = tirbi_heap_alloc(p->code->heap, sizeof *h);
    if (!h) {
        p->emitter->failed = true;
        return 0;
    }
    memset(h, 0, offsetof(held, values));
    h->p = p;
    h->n_values = h->n_steps = h->n_loads = h->n_stores = h->n_words = h->latest = h->stores = 0;
    memset(h->kept, 0, sizeof h->kept);
    memset(h->banks, NO_BODY_VALUE, sizeof h->banks);
    const uint32_t begin = p->emitter->all.n;
    h->begin = begin + 1;
    bool is_done = read_body(h) && h->n_steps > 0;
    const bool ends_in_store = is_done && h->steps[h->n_steps - 1].result == NO_BODY_VALUE;
    if (is_done) {
        emit(p, TIRBI_L_REGISTERS, 0, 0, 0);
        for (h->at = 0; is_done && h->at < h->n_steps; h->at++) is_done = plan_step(h);
        add_word(h, TIRBI_R_AGAIN, 0, 0, 0);
        is_done = is_done && !p->emitter->failed && is_worth_it(h, p);
    }
    tirbi_heap_free(p->code->heap, h, sizeof *h);
    if (!is_done) {
        tirbi_emitter_cut(p->emitter, begin);
        return 0;
    }
    p->bodies.reads_behind_stores = p->body->n_stores > 1 || !ends_in_store;
    p->emitter->all.words[begin].jump = (int32_t)(p->emitter->all.n - begin);
    emit(p, TIRBI_L_NEXT_BLOCK, 0, 0, 0);
    return begin;
}
