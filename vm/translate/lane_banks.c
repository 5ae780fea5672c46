/* Instructions of a lane loop that have forms on banks: of all ways to bring the operands to places that a form takes,
 * and of both banks for the result, the cheapest. */
#include "vm/lanes/forms.h"
#include "vm/translate/lane_plan.h"

typedef lane_option option;
typedef lane_choice choice;

enum { COST_OPERAND = 2, COST_LOAD = 8, COST_STORE = 8, COST_COPY = 14, MAX_OPTIONS = 4 };

/* Whether blocks in memory are copied before they are read. */
static bool pulls(const lane_planner *p) { return p->tail && !p->wide; }

static unsigned options_of(const lane_planner *p, uint8_t reg, unsigned dest, option *out) {
    const lane_value *v = &p->now.values[reg];
    unsigned n = 0;
    if (v->bank != NO_BANK) out[n++] = (option){v->bank == 0 ? PLACE_A : PLACE_B, AS_IS, 0};
    if (v->has_words)
        out[n++] = (option){v->lazy == LAZY_SPLAT ? PLACE_K : PLACE_M, AS_IS, COST_OPERAND};
    else if (v->narrow)
        ; /* its elements are no lanes */
    else if (v->strip || v->lazy == LAZY_STREAM)
        out[n++] = (option){PLACE_M, AS_IS, v->strip || !pulls(p) ? COST_OPERAND : COST_COPY};
    else if (v->lazy == LAZY_SPLAT)
        out[n++] = (option){PLACE_K, AS_IS, COST_OPERAND};
    else if (v->bank != NO_BANK)
        out[n++] = (option){PLACE_M, BY_STORE, COST_STORE + COST_OPERAND};
    bool from_memory = !v->strip && (v->lazy == LAZY_STREAM || v->lazy == LAZY_WIDEN);
    /* Of two operands rather the other one: scalars are where shifts and divisions want them. */
    const bool is_scalar = v->lazy == LAZY_SPLAT && !v->strip;
    if (v->bank != (int8_t)dest && !(v->has_words && v->lazy != LAZY_SPLAT))
        out[n++] = (option){dest == 0 ? PLACE_A : PLACE_B, BY_LOAD,
                            (uint8_t)(COST_LOAD + is_scalar + (pulls(p) && from_memory ? COST_COPY : 0))};
    return n;
}

/* What it costs to lose the value in `dest`. */
static inline unsigned cost_of_losing(const lane_planner *p, const lane_ins *ins, unsigned dest) {
    uint8_t reg = p->now.banks[dest];
    if (reg == NO_VALUE || reg == ins->dest || !is_live(ins, reg)) return 0;
    unsigned cost = COST_OPERAND + (has_memory(&p->now.values[reg]) ? 0 : COST_STORE);
    /* Rather keep the value that is read sooner. */
    uint8_t other = p->now.banks[1 - dest];
    if (other != NO_VALUE && p->now.values[other].next > p->now.values[reg].next) cost += 1;
    if (reg == p->kept && tirbi_lane_ins_number(p->body, ins) < p->kept_until) cost += COST_COPY;
    return cost;
}

static bool is_read(const lane_ins *ins, uint8_t reg) {
    for (unsigned i = 0; i < ins->n_reads; i++)
        if (ins->reads[i] == reg) return true;
    return false;
}

/* How often instructions on banks read a register from number `at` on, while there is at most one value beside it that
 * is in no memory: a bank can be its own until the last of them, *until. */
static unsigned reads_in_banks(const lane_planner *p, uint32_t at, uint8_t reg, uint32_t *until) {
    uint64_t computed = 0; /* values in banks only */
    unsigned n = 0;
    for (unsigned bank = 0; bank < 2; bank++) {
        uint8_t held = p->now.banks[bank];
        if (held != NO_VALUE && !has_memory(&p->now.values[held])) computed |= UINT64_C(1) << held;
    }
    for (uint32_t i = at; i < p->body->n && i - at < LANE_LOOK_AHEAD; i++) {
        const lane_ins *ins = tirbi_lane_ins_at(p->body, i);
        bool reads_memory = ins->op == TIRB_OP_VLOAD || ins->op == TIRB_OP_VSPLAT;
        if (ins->op == TIRB_OP_VSTORE && p->body->strides[ins->cursor] == STRIDE_ONE) continue; /* banks stay */
        if (ins->kind == 0 && !reads_memory) break;
        for (unsigned r = 0; r < ins->n_reads; r++) {
            if (ins->reads[r] != reg) continue;
            *until = i;
            n++;
        }
        uint64_t dest = UINT64_C(1) << ins->dest;
        if (ins->dest == reg) break;
        computed = reads_memory ? computed & ~dest : computed | dest;
        const uint64_t others = computed & ins->live & ~(UINT64_C(1) << reg);
        if ((others & (others - 1)) != 0) break;
    }
    return n;
}

/* A block in memory that is read again and again is loaded once, into a bank that nothing else needs: vectors of it
 * that lie across two cache lines cost two accesses each time. */
static void keep_operands(lane_planner *p, const lane_ins *ins) {
    enum { OFTEN = 3 };
    const uint32_t at = tirbi_lane_ins_number(p->body, ins);
    uint32_t until = 0;
    for (unsigned set = ins->often; set != 0 && at >= p->kept_until; set &= set - 1) {
        const uint8_t reg = ins->reads[__builtin_ctz(set)];
        const lane_value *v = &p->now.values[reg];
        if (v->bank != NO_BANK || v->has_words || (!v->strip && v->lazy != LAZY_STREAM)) continue;
        if (reads_in_banks(p, at, reg, &until) < OFTEN) continue;
        for (unsigned bank = 2; bank-- > 0;) {
            const uint8_t held = p->now.banks[bank];
            if (held != NO_VALUE &&
                (is_read(ins, held) || (is_live(ins, held) && !has_memory(&p->now.values[held]))))
                continue;
            tirbi_lane_load_bank(p, reg, bank);
            p->kept = reg;
            p->kept_until = until;
            break;
        }
    }
}

/* Whether an operand has to be brought into a bank, where forms can read it. */
static inline bool is_to_be_widened(const lane_value *v) {
    return v->bank == NO_BANK && !v->has_words &&
           (v->narrow || ((v->lazy == LAZY_WIDEN || v->lazy == LAZY_STEPS) && !v->strip));
}

/* Takes the choice if it has a form and is cheaper. */
static void consider(const lane_ins *ins, unsigned dest, unsigned base, const option *operands, choice *best) {
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
    for (unsigned i = 0; i < n; i++) kinds[i] = (lane_place)operands[i].place;
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
    best->form = (uint16_t)(form - 1);
    best->cost = (uint8_t)cost;
    best->dest = (uint8_t)dest;
    best->swapped = swapped;
    best->is_plain = true;
    for (unsigned i = 0; i < n; i++) {
        best->operands[i] = operands[i];
        best->is_plain = best->is_plain && operands[i].how == AS_IS && operands[i].place <= PLACE_B;
    }
}

static __attribute__((noinline)) choice find_best(const lane_planner *p, const lane_ins *ins, const unsigned *bases) {
    choice best = {.cost = NO_CHOICE};
    for (unsigned i = 0; i < ins->n_reads; i++)
        best.widens = best.widens || is_to_be_widened(&p->now.values[ins->reads[i]]);
    for (unsigned dest = 0; dest < 2 && bases[dest] < best.cost; dest++) {
        option options[3][MAX_OPTIONS];
        unsigned counts[3] = {1, 1, 1};
        for (unsigned i = 0; i < ins->n_reads; i++) counts[i] = options_of(p, ins->reads[i], dest, options[i]);
        option operands[3] = {{PLACE_A, AS_IS, 0}, {PLACE_A, AS_IS, 0}, {PLACE_A, AS_IS, 0}};
        for (unsigned x = 0; x < counts[0]; x++) {
            if (ins->n_reads > 0) operands[0] = options[0][x];
            if (bases[dest] + operands[0].cost >= best.cost) continue;
            for (unsigned y = 0; y < counts[1]; y++) {
                if (ins->n_reads > 1) operands[1] = options[1][y];
                if (bases[dest] + operands[0].cost + operands[1].cost >= best.cost) continue;
                for (unsigned z = 0; z < counts[2]; z++) {
                    if (ins->n_reads > 2) operands[2] = options[2][z];
                    consider(ins, dest, bases[dest], operands, &best);
                }
            }
        }
    }
    return best;
}

/* The same choice comes again and again: the latest ones are kept, by all that they depend on. The kind says which
 * operands there are. */
static inline const choice *best_choice(lane_planner *p, const lane_ins *ins) {
    const unsigned bases[2] = {cost_of_losing(p, ins, 0), cost_of_losing(p, ins, 1)};
    const bool commutes = tirbi_lane_operation_of(p->body, ins)->commutes;
    uint64_t key = ((uint64_t)ins->kind << 6 | bases[0]) << 6 | bases[1];
    key = ((key << 1 | commutes) << 1 | pulls(p)) << 3 | ins->alike;
    for (unsigned i = 0; i < ins->n_reads; i++) key = key << 8 | p->now.values[ins->reads[i]].state;
    lane_known_choice *const known = &p->choices[key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - CHOICE_BITS)];
    if (known->key != key) *known = (lane_known_choice){key, find_best(p, ins, bases)};
    return &known->is;
}

/* Widens an operand into a bank ahead of its instruction, which can do so for one of them only. */
static bool widen_ahead(lane_planner *p, const lane_ins *ins) {
    for (unsigned i = 0; i < ins->n_reads; i++) {
        if (!is_to_be_widened(&p->now.values[ins->reads[i]])) continue;
        unsigned bank = p->now.banks[0] == NO_VALUE || !is_read(ins, p->now.banks[0]) ? 0 : 1;
        if (is_live(ins, p->now.banks[bank]) && p->now.banks[1 - bank] == NO_VALUE) bank = 1 - bank;
        uint8_t held = p->now.banks[bank];
        tirbi_lane_evict(p, bank, is_live(ins, held) || is_read(ins, held));
        tirbi_lane_load_bank(p, ins->reads[i], bank);
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
        if (again || (v->bank == NO_BANK && !is_to_be_widened(v))) continue;
        if (v->bank == NO_BANK && (v->narrow || v->lazy == LAZY_STEPS)) chosen = ins->reads[i];
        n++;
    }
    if (n < 3 || chosen == NO_VALUE) return;
    unsigned bank = p->now.banks[0] == NO_VALUE || !is_read(ins, p->now.banks[0]) ? 0 : 1;
    uint8_t held = p->now.banks[bank];
    tirbi_lane_evict(p, bank, is_live(ins, held) || is_read(ins, held));
    tirbi_lane_copy_to_bank(p, chosen, bank);
    emit(p, TIRBI_L_STORE_A + bank, p->spare_strip, 0, 0);
    put_words(&p->now.values[chosen], p->spare_strip);
}

static void forget_words(lane_planner *p, const lane_ins *ins) {
    for (unsigned i = 0; i < ins->n_reads; i++) {
        lane_value *v = &p->now.values[ins->reads[i]];
        if (v->words == p->spare_strip) put_words(v, 0);
    }
}

bool tirbi_lane_is_rounded_by_store(const lane_ins *ins, const lane_ins *next) {
    return next && next->op == TIRB_OP_VSTORE && next->reads[0] == ins->dest && !is_live(next, ins->dest);
}

/* Brings the operands of a choice to their places; `words` are those in memory. Stores and copies come first, while the
 * banks still hold what they held. */
static void bring_operands(lane_planner *p, const lane_ins *ins, const choice *c, uint16_t *words) {
    for (unsigned i = 0; i < ins->n_reads; i++) {
        const uint8_t reg = ins->reads[i];
        const lane_value *v = &p->now.values[reg];
        if (c->operands[i].how == BY_STORE && !v->strip) tirbi_lane_store_to_strip(p, reg);
        if (c->operands[i].place == PLACE_M)
            words[i] = v->strip && !v->has_words ? strip_of(p, reg) : tirbi_lane_block_operand(p, reg);
        if (c->operands[i].place == PLACE_K) words[i] = v->words ? v->words : v->pointer;
    }
}

static void load_operands(lane_planner *p, const lane_ins *ins, const choice *c) {
    for (unsigned i = 0; i < ins->n_reads; i++)
        if (c->operands[i].how == BY_LOAD) tirbi_lane_copy_to_bank(p, ins->reads[i], c->dest);
}

/* The choice behind all that is done ahead of it: operands that are read often are kept in a bank, and those that forms
 * read in banks alone are brought there. Filling a strip leaves nothing in banks. */
static const choice *prepare_and_choose(lane_planner *p, const lane_ins *ins) {
    bool widens = false;
    for (unsigned i = 0; i < ins->n_reads; i++) {
        const lane_value *v = &p->now.values[ins->reads[i]];
        if (!is_to_be_widened(v)) continue;
        widens = true;
        if (v->lazy == LAZY_SPLAT) tirbi_lane_fill_strip(p, ins->reads[i]);
    }
    keep_operands(p, ins);
    if (widens) widen_to_memory(p, ins);
    const choice *c = best_choice(p, ins);
    for (unsigned i = 0; i < 2 && c->cost == NO_CHOICE && widens && widen_ahead(p, ins); i++) c = best_choice(p, ins);
    return c;
}

bool tirbi_lane_plan_in_banks(lane_planner *p, const lane_ins *ins, const lane_ins *next) {
    const choice *c = ins->often != 0 ? NULL : best_choice(p, ins);
    const bool is_prepared = c == NULL || c->widens;
    if (is_prepared) c = prepare_and_choose(p, ins);
    if (c->cost == NO_CHOICE) {
        if (is_prepared) forget_words(p, ins);
        return false;
    }
    uint16_t words[3] = {0, 0, 0};
    if (!c->is_plain) bring_operands(p, ins, c, words);
    const uint8_t lost = p->now.banks[c->dest];
    if (lost != NO_VALUE && lost != ins->dest && is_live(ins, lost) && !has_memory(&p->now.values[lost]))
        tirbi_lane_store_to_strip(p, lost);
    if (!c->is_plain) load_operands(p, ins, c);
    emit(p, c->form, words[c->swapped], words[!c->swapped], words[2]);
    const lane_operation *operation = tirbi_lane_operation_of(p->body, ins);
    if (operation->rounds && !tirbi_lane_is_rounded_by_store(ins, next))
        emit(p, (ins->type == TIRB_F16 ? TIRBI_L_ROUND_F16_AA : TIRBI_L_ROUND_BF16_AA) + (unsigned)c->dest, 0, 0, 0);
    if (is_prepared) forget_words(p, ins);
    forget_bank(p, c->dest);
    define_as(p, ins, operation->size, operation->result);
    put_in_bank(p, ins->dest, c->dest);
    return true;
}
