/* Entering a lane loop: what it costs, what its cursors reach, and whether written elements keep apart. */
#include "vm/exec/machine.h"

#include <string.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "vm/exec/lane_copy.h"
#include "vm/exec/reach.h"
#include "vm/lanes/slots.h"

typedef struct entry {
    tirbi_machine *machine;
    const tirbi_lane_loop *loop;
    const uint64_t *slots;
    const tirbi_ref *refs;
    int64_t n;
    int64_t extent[TIRBI_MAX_INNER];
    bool repeats; /* nothing that is written is read: lanes may be computed twice */
    const tirbi_lane_machine *machinery;
    uint32_t lanes; /* in a block of it */
    tirbi_reach reaches[TIRBI_MAX_CURSORS];
} entry;

/* ---- Fuel ----------------------------------------------------------------------------------------------------- */

static uint64_t mul_or_most(uint64_t a, uint64_t b) {
    uint64_t product;
    return tirbi_mul_u64(a, b, &product) ? product : UINT64_MAX;
}

static uint64_t add_or_most(uint64_t a, uint64_t b) {
    uint64_t sum;
    return tirbi_add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

/* Going through the lanes takes time even where nothing is in the body, or only inner loops that do not run. */
static uint64_t cost_of(const entry *e) {
    uint64_t body = e->loop->instructions;
    for (unsigned k = 0; k < e->loop->n_inner; k++) {
        uint64_t times = 1;
        for (unsigned j = 0; j < e->loop->n_inner && j < TIRBI_MAX_INNER; j++)
            if (e->loop->inner[k].enclosing >> j & 1)
                times = mul_or_most(times, e->extent[j] > 0 ? (uint64_t)e->extent[j] : 0);
        body = add_or_most(body, mul_or_most(times, e->loop->inner[k].instructions));
    }
    return mul_or_most(body > 0 ? body : 1, (uint64_t)(e->n - 1) / 64 + 1);
}

/* ---- Bounds --------------------------------------------------------------------------------------------------- */

static bool all_run(const entry *e, unsigned loops) {
    for (unsigned k = 0; k < e->loop->n_inner; k++)
        if ((loops >> k & 1) && e->extent[k] < 1) return false;
    return true;
}

/* Checks the elements that the uses inside `loops` reach, and adds them to r. */
static tirb_status check_use(const entry *e, const tirbi_lane_cursor *cursor, unsigned loops, tirbi_reach *r) {
    const tirbi_ref *ref = &e->refs[cursor->ref];
    int64_t start = (int64_t)e->slots[cursor->start];
    int64_t low = start;
    int64_t high = start;
    bool fits = tirbi_reach_widen((int64_t)e->slots[cursor->step], e->n, &low, &high);
    for (unsigned k = 0; k < e->loop->n_inner; k++)
        if (loops >> k & 1) fits = fits && tirbi_reach_widen((int64_t)e->slots[cursor->steps[k]], e->extent[k], &low, &high);
    uint64_t length = ref->size >> cursor->shift;
    if (!fits || low < 0 || (uint64_t)high >= length)
        return fits ? tirbi_error_set(e->machine->error, TIRB_BOUNDS,
                                      "elements %lld to %lld are outside of the %llu elements that there are",
                                      (long long)low, (long long)high, (unsigned long long)length)
                    : tirbi_error_set(e->machine->error, TIRB_BOUNDS, "an index is over 64 bits");
    uintptr_t data = (uintptr_t)ref->data;
    uintptr_t first = data + ((uintptr_t)low << cursor->shift);
    uintptr_t behind = data + (((uintptr_t)high + 1) << cursor->shift);
    if (!r->reached || first < r->low) r->low = first;
    if (!r->reached || behind > r->high) r->high = behind;
    r->start = ref->data + ((uintptr_t)start << cursor->shift);
    for (unsigned k = 0; k < e->loop->n_inner; k++) {
        bool inside = loops >> k & 1;
        if (!inside && r->reached) continue; /* it stays as an earlier use left it */
        r->step[k + 1] = inside ? (int64_t)(e->slots[cursor->steps[k]] * cursor->size) : 0;
        r->count[k + 1] = inside ? e->extent[k] : 1;
    }
    r->reached = true;
    return TIRB_OK;
}

static tirb_status check_bounds(entry *e) {
    for (unsigned c = 0; c < e->loop->n_cursors; c++) {
        const tirbi_lane_cursor *cursor = &e->loop->cursors[c];
        tirbi_reach *r = &e->reaches[c];
        r->reached = false;
        r->start = NULL;
        r->size = cursor->size;
        r->step[0] = (int64_t)(e->slots[cursor->step] * cursor->size);
        r->count[0] = e->n;
        for (unsigned u = 0; u < cursor->n_uses; u++)
            if (all_run(e, cursor->uses[u])) TIRBI_TRY(check_use(e, cursor, cursor->uses[u], r));
    }
    return TIRB_OK;
}

/* ---- Overlap -------------------------------------------------------------------------------------------------- */

/* Whether every element that both reach is reached by the same lane: both mean the same elements, but for loops that
 * only `written` runs in, whose lanes are apart anyway. */
static bool same_elements(const tirbi_reach *written, const tirbi_reach *other, unsigned dimensions) {
    if (written->start != other->start || written->size != other->size) return false;
    for (unsigned d = 0; d < dimensions; d++) {
        if (other->count[d] <= 1) continue;
        int64_t expected = written->count[d] == other->count[d] ? written->step[d] : 0;
        if (other->step[d] != expected) return false;
    }
    return true;
}

static tirb_status check_overlap(entry *e) {
    unsigned dimensions = 1u + e->loop->n_inner;
    for (unsigned w = 0; w < e->loop->n_cursors; w++) {
        const tirbi_reach *written = &e->reaches[w];
        uint8_t access = e->loop->cursors[w].access;
        if (!(access & TIRBI_WRITE) || !written->reached) continue;
        if (access & TIRBI_READ) e->repeats = false;
        if (!tirbi_reach_tells(written, 0, dimensions))
            return tirbi_error_set(e->machine->error, TIRB_OVERLAP, "two lanes write the same element");
        for (unsigned c = 0; c < e->loop->n_cursors; c++) {
            const tirbi_reach *other = &e->reaches[c];
            if (c == w || !other->reached) continue;
            if (tirbi_reach_apart(written, other, dimensions)) continue;
            e->repeats = false;
            if (same_elements(written, other, dimensions)) continue;
            return tirbi_error_set(e->machine->error, TIRB_OVERLAP,
                                   "a lane writes an element that another lane reads or writes");
        }
    }
    return TIRB_OK;
}

/* ---- Setting up ----------------------------------------------------------------------------------------------- */

static tirb_status make_state(tirbi_machine *machine) {
    const tirbi_code *code = machine->code;
    size_t pointers = (code->max_pointers * sizeof(uint8_t *) + 63) / 64 * 64;
    size_t head = (sizeof(tirbi_lane_state) + 63) / 64 * 64;
    size_t size = head + pointers + code->max_scratch + 64;
    tirbi_lane_state *state = tirbi_spare_take(machine->spares, TIRBI_SPARE_LANES, machine->heap, size);
    if (!state)
        return tirbi_error_set(machine->error, tirbi_heap_status(machine->heap), "no memory for %llu bytes of scratch",
                               (unsigned long long)size);
    state->pointers = (uint8_t **)(void *)((uint8_t *)state + head);
    uint8_t *scratch = (uint8_t *)state + head + pointers;
    state->scratch = scratch + (64 - (uintptr_t)scratch % 64) % 64;
    state->stop = machine->stop;
    state->loop = NULL;
    machine->lanes = state;
    machine->lanes_size = size;
    return TIRB_OK;
}

static void set_pointers(const entry *e, tirbi_lane_state *state) {
    const tirbi_lane_loop *loop = e->loop;
    uint8_t **pointer = state->pointers + 1;
    for (unsigned c = 0; c < loop->n_cursors; c++) *pointer++ = e->reaches[c].start;
    for (unsigned i = 0; i < loop->n_splats; i++) {
        const uint64_t *slot = &e->slots[loop->splats[i].slot];
        *pointer++ = tirbi_slot_bytes((uint64_t *)(uintptr_t)slot, loop->splats[i].size);
    }
    if (state->loop == loop) return;
    for (unsigned i = 0; i < loop->n_strips; i++) *pointer++ = state->scratch + (size_t)i * loop->strip_size;
    state->loop = loop;
}

/* Which cursors the wide body reads whole blocks of, and where they may be for that. */
static void set_streams(const entry *e, tirbi_lane_state *state, const tirbi_word *words) {
    const tirbi_lane_loop *loop = e->loop;
    bool parts = e->n < (int64_t)e->lanes || (!e->repeats && e->n % (int64_t)e->lanes != 0);
    state->wide = NULL;
    state->n_streams = 0;
    if (loop->wide == 0 || !parts) return;
    for (uint32_t c = 0; c < loop->n_cursors; c++) {
        const tirbi_lane_cursor *cursor = &loop->cursors[c];
        const tirbi_ref *ref = &e->refs[cursor->ref];
        uint64_t behind = (uint64_t)e->lanes << cursor->shift; /* of a row's first element, as far as loops in the body go */
        if (!cursor->streams) continue;
        for (unsigned k = 0; k < loop->n_inner; k++) {
            const tirbi_reach *r = &e->reaches[c];
            bool around = false;
            for (unsigned o = 0; o < loop->n_outer; o++) around = around || loop->outer[o] == k;
            if (!around && r->reached && r->step[k + 1] > 0)
                behind = add_or_most(behind, mul_or_most((uint64_t)r->step[k + 1], (uint64_t)r->count[k + 1] - 1));
        }
        if (ref->size < behind) return;
        state->streams[state->n_streams].pointer = c + 1;
        state->streams[state->n_streams++].last = ref->data + (ref->size - behind);
    }
    state->wide = words + loop->wide;
}

/* Steps of cursors that no use reaches stay out: their pointers are null. */
static void set_moves(const entry *e, tirbi_lane_state *state) {
    state->n_moves = 0;
    for (unsigned k = 0; k < e->loop->n_inner; k++) state->inner[k].n_moves = 0;
    for (uint32_t c = 0; c < e->loop->n_cursors; c++) {
        const tirbi_reach *r = &e->reaches[c];
        state->strides[c] = (ptrdiff_t)r->step[0];
        if (!r->reached) continue;
        if (r->step[0] != 0)
            state->moves[state->n_moves++] =
                (tirbi_lane_move){c + 1, (ptrdiff_t)((uint64_t)r->step[0] * e->lanes)};
        for (unsigned k = 0; k < e->loop->n_inner; k++) {
            state->inner[k].steps[c] = (ptrdiff_t)r->step[k + 1];
            if (r->step[k + 1] != 0)
                state->inner[k].moves[state->inner[k].n_moves++] =
                    (tirbi_lane_move){c + 1, (ptrdiff_t)r->step[k + 1]};
        }
    }
}

/* Whether the rows of loop k follow each other in every cursor, as if they were more lanes. */
static bool rows_follow(const entry *e, unsigned k) {
    if (e->loop->counts_lanes || e->loop->inner[k].index != TIRBI_NO_REG) return false;
    for (uint32_t c = 0; c < e->loop->n_cursors; c++) {
        const tirbi_reach *r = &e->reaches[c];
        int64_t row;
        if (r->reached && (!tirbi_mul_i64(r->step[0], e->n, &row) || row != r->step[k + 1])) return false;
    }
    return true;
}

/* The loops around the blocks; the innermost are made part of the lanes where their rows follow each other. */
static void set_outer_loops(entry *e, tirbi_lane_state *state) {
    state->n_outer = e->loop->n_outer;
    for (unsigned o = 0; o < state->n_outer; o++) state->outer[o] = e->loop->outer[o];
    for (; state->n_outer > 0; state->n_outer--) {
        unsigned k = state->outer[state->n_outer - 1];
        if (e->extent[k] != 1 && (!rows_follow(e, k) || !tirbi_mul_i64(e->n, e->extent[k], &e->n))) return;
    }
}

/* Rows that do not fill a block of the wide banks go through narrow ones, where there are any: more instructions, and
 * hardly a register that is computed in vain. Kernels have blocks of their own, which are no smaller. */
static void choose_banks(entry *e) {
    const tirbi_lane_machine *wide = e->machine->code->lanes;
    e->machinery = wide;
    e->lanes = e->loop->lanes;
    if (!wide->narrow || !e->loop->only_banks || e->n >= (int64_t)e->lanes) return;
    e->machinery = wide->narrow;
    e->lanes = wide->narrow->bank_bytes / e->loop->main_size;
}

/* An index register is 0 while its loop does not run, so that no block sees what another one has counted. */
static void clear_indices(const tirbi_lane_loop *loop, uint64_t *slots) {
    for (unsigned k = 0; k < loop->n_inner; k++)
        if (loop->inner[k].index != TIRBI_NO_REG) slots[loop->inner[k].index] = 0;
}

static void set_inner_loops(const entry *e, tirbi_lane_state *state, uint64_t *slots) {
    for (unsigned k = 0; k < e->loop->n_inner; k++) {
        uint16_t index = e->loop->inner[k].index;
        state->inner[k].extent = e->extent[k];
        state->inner[k].left = e->extent[k];
        state->inner[k].index = index == TIRBI_NO_REG ? NULL : &slots[index];
    }
}

/* The pointers are where the last block of a row has left them: at the rest that is behind the whole blocks, or at the
 * whole block that overlaps others for it. */
static void set_row_steps(const entry *e, tirbi_lane_state *state) {
    int64_t lanes = e->lanes, rest = e->n % lanes;
    int64_t last = e->n < lanes ? 0 : e->repeats || rest == 0 ? e->n - lanes : e->n - rest;
    for (uint32_t c = 0; state->n_outer > 0 && c < e->loop->n_cursors; c++) {
        const tirbi_reach *r = &e->reaches[c];
        uint64_t back = r->reached ? (uint64_t)r->step[0] * (uint64_t)last : 0;
        for (uint32_t o = state->n_outer; o-- > 0;) {
            unsigned k = state->outer[o];
            uint64_t step = r->reached ? (uint64_t)r->step[k + 1] : 0;
            state->row_steps[o][c] = (ptrdiff_t)(step - back);
            back += step * (uint64_t)(e->extent[k] - 1);
        }
    }
}

tirb_status tirbi_lane_run(tirbi_machine *machine, const tirbi_lane_loop *loop) {
    tirbi_frame *frame = machine->frame;
    uint64_t *slots = tirbi_frame_slots(frame);
    entry e;
    e.machine = machine;
    e.loop = loop;
    e.slots = slots;
    e.refs = tirbi_frame_refs(frame);
    e.n = (int64_t)slots[loop->n];
    if (e.n < 1) return TIRB_OK;
    for (unsigned k = 0; k < loop->n_inner; k++) e.extent[k] = (int64_t)slots[loop->inner[k].extent];
    TIRBI_TRY(tirbi_charge(machine, cost_of(&e)));
    for (unsigned o = 0; o < loop->n_outer; o++)
        if (e.extent[loop->outer[o]] < 1) return TIRB_OK;
    TIRBI_TRY(check_bounds(&e));
    e.repeats = !loop->reduces;
    TIRBI_TRY(check_overlap(&e));
    clear_indices(loop, slots);
    if (tirbi_lane_copy_fits(loop, e.reaches)) return tirbi_lane_copy_run(machine, loop, e.reaches, slots);
    if (!machine->lanes) TIRBI_TRY(make_state(machine));
    tirbi_lane_state *state = machine->lanes;
    set_pointers(&e, state);
    set_inner_loops(&e, state, slots);
    set_outer_loops(&e, state);
    choose_banks(&e);
    set_moves(&e, state);
    set_row_steps(&e, state);
    state->n_cursors = loop->n_cursors;
    state->repeats = e.repeats;
    state->reds = tirbi_frame_reds(frame);
    state->slots = slots;
    state->n = e.n;
    state->lanes = e.lanes;
    const tirbi_word *words = frame->fn->words;
    set_streams(&e, state, words);
    switch (e.machinery->run(state, words + loop->full, words + loop->tail)) {
    case TIRBI_LANE_DONE: return TIRB_OK;
    case TIRBI_LANE_STOPPED: return tirbi_poll(machine);
    default:
        machine->trap = state->trap;
        return tirbi_error_set(machine->error, TIRB_DIVIDE, "an integer is divided by zero");
    }
}
