/* Executing a contraction: what it costs, what its operands reach, and its scratch memory.
 *
 * All but where the operands begin follows from the extents and steps. A machine knows what it found out when it
 * entered some contractions, and its spares keep that from call to call: where extents and steps are what they were,
 * only the ends of what the operands reach are checked again. */
#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "loader/isa/reach.h"
#include "vm/contract/contract.h"
#include "vm/exec/dispatch.h"
#include "vm/lanes/slots.h"

enum { BLOCK_ALIGNMENT = 64 };

typedef struct entry {
    tirbi_machine *machine;
    const tirbi_contract *code;
    const uint64_t *slots;
    const tirbi_ref *refs;
    tirbi_contraction *x;
} entry;

/* An entry that passed all checks. */
typedef struct tirbi_contract_again {
    const tirbi_contract *code; /* NULL: nothing is known */
    uint64_t inputs[TIRBI_MAX_CONTRACT_INPUTS];
    uint64_t cost; /* fuel */
    int64_t before[TIRBI_CONTRACT_OPERANDS], behind[TIRBI_CONTRACT_OPERANDS]; /* elements reached, from the first on */
    tirbi_contraction x;
    tirbi_contract_shape shape;
    size_t scratch;
} again;

static uint64_t cost_of(const entry *e, tirbi_op op) {
    uint64_t products = 1;
    for (unsigned i = 0; i < e->x->n_loops; i++)
        if (!tirbi_mul_u64(products, (uint64_t)e->x->extent[i], &products)) return UINT64_MAX;
    const uint32_t weight = tirbi_op_weight(op, e->x->type, e->x->type);
    uint64_t cost;
    return tirbi_mul_u64((products - 1) / 64 + 1, weight, &cost) ? cost : UINT64_MAX;
}

/* Checks what an operand reaches and fills its place in the contraction. */
static tirb_status check_bounds(entry *e, unsigned operand, tirbi_reach *r) {
    uint8_t type = e->code->operands[operand].type;
    const uint16_t *steps = e->code->operands[operand].steps;
    const tirbi_ref *ref = &e->refs[e->code->operands[operand].ref];
    tirbi_contract_operand *out = &e->x->operand[operand];
    const uint64_t size = tirbi_dtypes[type].size; /* a power of two */
    const uint64_t length = ref->size >> __builtin_ctzll(size);
    int64_t start = (int64_t)e->slots[e->code->operands[operand].start];
    int64_t low = start, high = start;
    for (unsigned i = 0; i < e->x->n_loops; i++)
        if (!tirbi_reach_widen((int64_t)e->slots[steps[i]], e->x->extent[i], &low, &high))
            return tirbi_error_set(e->machine->error, TIRB_BOUNDS, "an index of %c is over 64 bits", "CAB"[operand]);
    if (low < 0 || (uint64_t)high >= length)
        return tirbi_error_set(e->machine->error, TIRB_BOUNDS,
                               "elements %lld to %lld are outside of the %llu elements that there are", (long long)low,
                               (long long)high, (unsigned long long)length);
    out->type = type;
    out->start = ref->data + (uint64_t)start * size;
    r->start = out->start;
    r->low = (uintptr_t)ref->data + (uintptr_t)low * size;
    r->high = (uintptr_t)ref->data + ((uintptr_t)high + 1) * size;
    r->size = size;
    r->reached = true;
    for (unsigned i = 0; i < e->x->n_loops; i++) {
        r->count[i] = e->x->extent[i];
        r->step[i] = out->step[i] = e->x->extent[i] > 1 ? (int64_t)(e->slots[steps[i]] * size) : 0;
    }
    return TIRB_OK;
}

static tirb_status check_operands(entry *e, tirbi_reach *reaches) {
    unsigned n = e->x->n_loops;
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) TIRBI_TRY(check_bounds(e, o, &reaches[o]));
    if (!tirbi_reach_nested(&reaches[TIRBI_CONTRACT_C], n))
        return tirbi_error_set(e->machine->error, TIRB_OVERLAP,
                               "two iterations of a contraction update the same element");
    for (unsigned o = TIRBI_CONTRACT_A; o <= TIRBI_CONTRACT_B; o++)
        if (!tirbi_reach_apart(&reaches[TIRBI_CONTRACT_C], &reaches[o], n))
            return tirbi_error_set(e->machine->error, TIRB_OVERLAP, "a contraction reads what it writes");
    return TIRB_OK;
}

/* The scratch of the machine's contractions, at least `size` bytes. */
static tirb_status take_blocks(tirbi_machine *machine, size_t size, uint8_t **out) {
    size += BLOCK_ALIGNMENT;
    const size_t more = size > machine->blocks_size ? size - machine->blocks_size : 0;
    uint8_t *blocks = NULL;
    if (tirbi_heap_charge(machine->heap, more)) {
        machine->blocks_size += more;
        blocks = tirbi_spare_blocks(machine->spares, machine->heap, machine->blocks_size);
    }
    if (!blocks) TIRBI_TRY(tirbi_poll(machine));
    if (!blocks)
        return tirbi_error_set(machine->error, tirbi_heap_status(machine->heap),
                               "no memory for %llu bytes of a contraction's blocks", (unsigned long long)size);
    *out = blocks + (BLOCK_ALIGNMENT - (uintptr_t)blocks % BLOCK_ALIGNMENT) % BLOCK_ALIGNMENT;
    return TIRB_OK;
}

static const void *first_of(const tirbi_machine *machine, const tirbi_contract *contract) {
    const uint64_t *slot = &tirbi_frame_slots(machine->frame)[contract->first];
    return tirbi_slot_bytes((uint64_t *)(uintptr_t)slot, tirbi_dtypes[contract->type].size);
}

/* Begins an instruction: its loops. False: one of them does not run. */
static bool begin(entry *e, tirbi_machine *machine, const tirbi_contract *contract) {
    tirbi_frame *frame = machine->frame;
    const uint64_t *slots = tirbi_frame_slots(frame);
    e->machine = machine; /* field by field: clearing all of it would take a while */
    e->code = contract;
    e->slots = slots;
    e->refs = tirbi_frame_refs(frame);
    e->x->type = contract->type;
    e->x->flags = contract->flags;
    e->x->n_loops = contract->n_loops;
    for (unsigned i = 0; i < contract->n_loops; i++) {
        e->x->extent[i] = (int64_t)slots[contract->extents[i]];
        if (e->x->extent[i] < 1) return false;
    }
    e->x->kernels = machine->code->contract;
    e->x->strips = machine->code->kernels;
    e->x->stop = machine->stop;
    e->x->first = first_of(machine, contract);
    return true;
}

/* ---- As the time before ----------------------------------------------------------------------------------------- */

static tirb_status make_known(tirbi_machine *machine) {
    bool are_made;
    machine->contracts = tirbi_spare_take_made(machine->spares, TIRBI_SPARE_CONTRACTS, machine->heap,
                                               TIRBI_CONTRACTS_KNOWN * sizeof(again), &are_made);
    if (!machine->contracts) TIRBI_TRY(tirbi_poll(machine));
    if (!machine->contracts)
        return tirbi_error_set(machine->error, tirbi_heap_status(machine->heap), "no memory for contractions");
    for (unsigned i = 0; i < TIRBI_CONTRACTS_KNOWN && !are_made; i++) machine->contracts[i].code = NULL;
    return TIRB_OK;
}

void tirbi_contract_forget(tirbi_machine *machine) {
    tirbi_spare_leave(machine->spares, TIRBI_SPARE_CONTRACTS, machine->heap, TIRBI_CONTRACTS_KNOWN * sizeof(again));
}

static void note(again *known, const entry *e, const tirbi_reach *reaches, uint64_t cost) {
    for (unsigned i = 0; i < e->code->n_inputs; i++) known->inputs[i] = e->slots[e->code->inputs[i]];
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        const tirbi_reach *r = &reaches[o];
        known->before[o] = (int64_t)(((uintptr_t)r->start - r->low) / r->size);
        known->behind[o] = (int64_t)((r->high - (uintptr_t)r->start) / r->size - 1);
    }
    known->cost = cost;
    known->code = e->code;
}

/* Whether a contraction can be entered as it was, with its operands where they begin now: each is inside its buffer,
 * and C before or behind A and B. */
static bool is_again(const tirbi_machine *machine, const tirbi_contract *contract, again *known) {
    const uint64_t *slots = tirbi_frame_slots(machine->frame);
    const tirbi_ref *refs = tirbi_frame_refs(machine->frame);
    uintptr_t low[TIRBI_CONTRACT_OPERANDS], high[TIRBI_CONTRACT_OPERANDS];
    if (known->code != contract || known->cost > machine->fuel) return false;
    for (unsigned i = 0, n = contract->n_inputs; i < n; i++)
        if (slots[contract->inputs[i]] != known->inputs[i]) return false;
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        const tirbi_ref *ref = &refs[contract->operands[o].ref];
        const unsigned shift = (unsigned)__builtin_ctz(tirbi_dtypes[known->x.operand[o].type].size);
        const int64_t start = (int64_t)slots[contract->operands[o].start];
        int64_t first, last;
        if (!tirbi_sub_i64(start, known->before[o], &first) || !tirbi_add_i64(start, known->behind[o], &last) ||
            first < 0 || (uint64_t)last >= ref->size >> shift)
            return false;
        known->x.operand[o].start = ref->data + ((uint64_t)start << shift);
        low[o] = (uintptr_t)ref->data + ((uintptr_t)first << shift);
        high[o] = (uintptr_t)ref->data + (((uintptr_t)last + 1) << shift);
    }
    for (unsigned o = TIRBI_CONTRACT_A; o <= TIRBI_CONTRACT_B; o++)
        if (low[TIRBI_CONTRACT_C] < high[o] && low[o] < high[TIRBI_CONTRACT_C]) return false;
    return true;
}

/* Enters a contraction that is not known, or not like this; *runs: all of its loops do. */
static tirb_status enter(tirbi_machine *machine, const tirbi_contract *contract, again *known, bool *runs) {
    tirbi_reach reaches[TIRBI_CONTRACT_OPERANDS];
    entry e = {.x = &known->x};
    known->code = NULL;
    *runs = begin(&e, machine, contract);
    if (!*runs) return TIRB_OK;
    const uint64_t cost = cost_of(&e, TIRB_OP_CONTRACT);
    TIRBI_TRY(tirbi_charge(machine, cost));
    TIRBI_TRY(check_operands(&e, reaches));
    e.x->quads = machine->code->quads;
    tirbi_contract_sort(e.x, &known->shape);
    known->scratch = known->shape.direct ? 0 : tirbi_contract_scratch(e.x, &known->shape);
    note(known, &e, reaches, cost);
    return TIRB_OK;
}

tirb_status tirbi_contract_step(tirbi_machine *machine, const tirbi_contract *contract) {
    if (!machine->contracts) TIRBI_TRY(make_known(machine));
    again *known = &machine->contracts[contract->place];
    uint8_t *blocks = NULL;
    if (is_again(machine, contract, known)) {
        machine->fuel -= known->cost;
        known->x.stop = machine->stop;
        known->x.first = first_of(machine, contract);
    } else {
        bool runs;
        TIRBI_TRY(enter(machine, contract, known, &runs));
        if (!runs) return TIRB_OK;
    }
    if (!known->shape.direct) TIRBI_TRY(take_blocks(machine, known->scratch, &blocks));
    return tirbi_contract_run(&known->x, &known->shape, blocks) ? TIRB_OK : tirbi_poll(machine);
}

/* ---- Folds ------------------------------------------------------------------------------------------------------ */

tirb_status tirbi_fold_step(tirbi_machine *machine, const tirbi_contract *fold) {
    tirbi_contraction x;
    entry e = {.x = &x};
    tirbi_reach reaches[TIRBI_CONTRACT_OPERANDS];
    if (!begin(&e, machine, fold)) return TIRB_OK;
    TIRBI_TRY(tirbi_charge(machine, cost_of(&e, TIRB_OP_FOLD)));
    TIRBI_TRY(check_operands(&e, reaches));
    return tirbi_fold_run(&x) ? TIRB_OK : tirbi_poll(machine);
}

/* Whether no fold reaches what the other one writes. */
static bool keep_apart(const entry *e, const tirbi_reach *one, const tirbi_reach *other) {
    const unsigned n = e->x->n_loops;
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++)
        if (!tirbi_reach_apart(&one[TIRBI_CONTRACT_C], &other[o], n) ||
            !tirbi_reach_apart(&other[TIRBI_CONTRACT_C], &one[o], n))
            return false;
    return true;
}

tirb_status tirbi_folds_step(tirbi_machine *machine, const tirbi_contract *folds, bool *both) {
    tirbi_contraction x[2];
    entry e[2] = {{.x = &x[0]}, {.x = &x[1]}};
    tirbi_reach reaches[2][TIRBI_CONTRACT_OPERANDS];
    *both = false;
    if (folds[0].n_loops != folds[1].n_loops || !begin(&e[0], machine, &folds[0]) || !begin(&e[1], machine, &folds[1]))
        return tirbi_fold_step(machine, &folds[0]);
    const uint64_t cost = cost_of(&e[0], TIRB_OP_FOLD), other = cost_of(&e[1], TIRB_OP_FOLD);
    if (cost > machine->fuel || other > machine->fuel - cost) return tirbi_fold_step(machine, &folds[0]);
    machine->fuel -= cost;
    TIRBI_TRY(check_operands(&e[0], reaches[0]));
    *both = check_operands(&e[1], reaches[1]) == TIRB_OK && keep_apart(e, reaches[0], reaches[1]) &&
            tirbi_folds_agree(&x[0], &x[1]);
    if (!*both) return tirbi_fold_run(&x[0]) ? TIRB_OK : tirbi_poll(machine);
    machine->fuel -= other;
    return tirbi_folds_run(&x[0], &x[1]) ? TIRB_OK : tirbi_poll(machine);
}
