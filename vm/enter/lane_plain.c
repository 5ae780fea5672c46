/* Entering the lane loops that most are: no loop inside, those around the lanes joined with them, and elements that
 * follow from a start and a step alone. The checks are those of vm/enter/lane_run.c. */
#include <string.h>

#include "loader/base/error.h"
#include "vm/enter/lane_again.h"
#include "vm/enter/lane_copy.h"
#include "vm/enter/lane_ends.h"
#include "vm/enter/lane_entry.h"
#include "vm/lanes/slots.h"

bool tirbi_lane_is_plain(const tirbi_lane_loop *loop) {
    if (loop->n_seeks > 0 || loop->n_copies > 0 || loop->finds || (loop->n_scans > 0 && loop->n_inner > 0))
        return false;
    for (unsigned i = 0; i < loop->n_scans; i++)
        if (loop->scans[i].counts) return false;
    if (loop->n_inner != loop->n_outer || (loop->n_inner > 0 && loop->counts_lanes)) return false;
    for (unsigned k = 0; k < loop->n_inner; k++)
        if (loop->inner[k].index != TIRBI_NO_REG) return false;
    for (unsigned c = 0; c < loop->n_cursors; c++)
        if (loop->cursors[c].indexed || loop->cursors[c].n_uses != 1) return false;
    return true;
}

typedef struct place {
    uintptr_t low, behind; /* the bytes that it reaches */
} place;

/* Checks a cursor's elements and finds where they are and how far apart. */
static inline bool find_place(const tirbi_lane_cursor *cursor, const tirbi_ref *ref, const uint64_t *slots,
                              uint64_t more, place *out, ptrdiff_t *stride) {
    const uint64_t start = slots[cursor->start], length = ref->size >> cursor->shift;
    uint64_t step = 1, span = more;
    if (!cursor->is_unit) {
        step = slots[cursor->step];
        if ((int64_t)step < 0 || __builtin_mul_overflow(step, more, &span)) return false;
    }
    if (start >= length || span >= length - start) return false;
    out->low = (uintptr_t)ref->data + ((uintptr_t)start << cursor->shift);
    out->behind = out->low + (((uintptr_t)span + 1) << cursor->shift);
    *stride = (ptrdiff_t)(step << cursor->shift);
    return true;
}

/* Whether every element that is written belongs to one lane; *repeats, whether lanes may be computed twice. */
static inline bool keep_apart(const tirbi_lane_loop *loop, const place *places, const ptrdiff_t *strides, uint64_t more,
                              bool *repeats) {
    for (uint32_t writes = loop->written; writes != 0; writes &= writes - 1) {
        const unsigned w = (unsigned)__builtin_ctz(writes);
        const place written = places[w];
        if (loop->cursors[w].access & TIRBI_READ) *repeats = false;
        if (strides[w] == 0 && more > 0) return false;
        for (unsigned c = 0, n = loop->n_cursors; c < n; c++) {
            if (written.behind <= places[c].low || places[c].behind <= written.low || c == w) continue;
            if (strides[w] == strides[c] && tirbi_lane_interleave(written.low, loop->cursors[w].size, places[c].low,
                                                                  loop->cursors[c].size, (uint64_t)strides[w]))
                continue;
            *repeats = false;
            if (strides[w] != strides[c] || loop->cursors[w].size != loop->cursors[c].size) return false;
            if (written.low != places[c].low &&
                !tirbi_lane_meet_forwards(loop, w, written.low, c, places[c].low, strides[w]))
                return false;
        }
    }
    return true;
}

/* The cursors that the wide body may not always read whole blocks of: see set_streams in vm/enter/lane_run.c. */
static void set_streams(const tirbi_lane_loop *loop, const place *places, const tirbi_ref *refs, int64_t n,
                        uint32_t lanes, const tirbi_word *words, tirbi_lane_state *state) {
    const uint64_t whole = (uint64_t)(n - tirbi_lane_rest(n, lanes));
    for (uint32_t streaming = loop->streaming; streaming != 0; streaming &= streaming - 1) {
        const uint32_t c = (uint32_t)__builtin_ctz(streaming);
        const tirbi_lane_cursor *cursor = &loop->cursors[c];
        const tirbi_ref *ref = &refs[cursor->ref];
        const uint64_t behind = (uint64_t)lanes << cursor->shift;
        if (ref->size < behind) return;
        /* Within the reference, for the last block's first element is. */
        const uint64_t last = (uint64_t)(places[c].low - (uintptr_t)ref->data) + (whole << cursor->shift);
        if (last <= ref->size - behind) continue;
        state->streams[state->n_streams].pointer = c + 1;
        state->streams[state->n_streams].row_step = 0;
        state->streams[state->n_streams++].last = ref->data + (ref->size - behind);
    }
    state->wide = words + loop->wide;
}

void tirbi_lane_stream_row(const tirbi_lane_state *state, const tirbi_word *stream) {
    uint8_t *const *pointers = state->pointers;
    stream[2].kernel(pointers[stream->a], pointers[stream->b], pointers[stream->c], pointers[stream[1].list[0]],
                     (size_t)state->n);
}

/* How the cursors go on from block to block. */
static inline void set_steps(const tirbi_lane_loop *loop, uint32_t lanes, int64_t rest, tirbi_lane_state *state) {
    uint32_t c = 0;
    for (const uint32_t n_cursors = loop->n_cursors; c < n_cursors; c++) {
        const uint64_t stride = (uint64_t)state->strides[c];
        state->block_steps[c] = (ptrdiff_t)(stride * lanes);
        state->rest_steps[c] = (ptrdiff_t)(stride * (uint64_t)rest);
    }
    for (; c == 0 || c % TIRBI_POINTERS_AT_ONCE != 0; c++) state->block_steps[c] = state->rest_steps[c] = 0;
}

/* Enters a plain loop of n > 0 lanes in one pass over its cursors: sets all of the state that the machine it returns
 * reads, but what tirbi_lane_begin sets. NULL: a cursor steps backwards, leads outside, meets one that is written, or
 * is better stored past the caches, and the general way tells what that means. */
static inline const tirbi_lane_machine *enter(const tirbi_lane_loop *loop, const tirbi_lane_machine *wide, int64_t n,
                                              uint64_t *slots, const tirbi_ref *refs, const tirbi_word *words,
                                              tirbi_lane_state *state) {
    place places[TIRBI_MAX_CURSORS];
    const uint64_t more = (uint64_t)n - 1;
    const uint32_t n_cursors = loop->n_cursors;
    uint8_t **pointer = state->pointers + 1;
    bool repeats = !loop->reduces;
    const bool has_strips = state->loop == loop;
    state->loop = NULL; /* from here on the table's strips are no loop's, until all of it is this one's */
    for (uint32_t c = 0; c < n_cursors; c++) {
        const tirbi_lane_cursor *cursor = &loop->cursors[c];
        if (!find_place(cursor, &refs[cursor->ref], slots, more, &places[c], &state->strides[c])) return NULL;
        *pointer++ = (uint8_t *)places[c].low;
    }
    if (!keep_apart(loop, places, state->strides, more, &repeats)) return NULL;
    if (n >= TIRBI_STREAM_ROW / 8 && tirbi_lane_writes_much(loop, refs)) return NULL;
    uint32_t lanes = loop->lanes;
    const tirbi_lane_machine *machinery =
        tirbi_lane_goes_at_once(loop, n) ? wide : tirbi_lane_choose_banks(loop, wide, n, repeats, &lanes);
    const int64_t rest = tirbi_lane_rest(n, lanes);
    if (n > (int64_t)lanes) set_steps(loop, lanes, rest, state);
    for (const tirbi_lane_splat *splat = loop->splats, *end = splat + loop->n_splats; splat < end; splat++) {
        *pointer++ = tirbi_slot_bytes(&slots[splat->slot], splat->size);
        __asm__("" : "+r"(splat)); /* there are few: a loop in vectors begins and ends longer than it runs */
    }
    for (uint32_t i = 0; i < loop->n_strips && !has_strips; i++)
        *pointer++ = state->scratch + (size_t)i * loop->strip_size;
    state->loop = loop;
    state->n = n;
    state->lanes = lanes;
    state->repeats = repeats;
    state->n_cursors = n_cursors;
    state->n_outer = state->n_sought = state->n_streams = state->packed_rows = 0;
    state->sure_parts = 0;
    state->wide = NULL;
    tirbi_lane_gaps_of(state)->period = 0;
    if (loop->wide != 0 && rest != 0 && (n < (int64_t)lanes || !repeats))
        set_streams(loop, places, refs, n, lanes, words, state);
    return machinery;
}

/* The lanes of a loop and of the loops around them, where these are one loop. False: they are not, or something does
 * not run; *charged, whether the fuel of its entry is paid. */
static inline bool count_lanes(tirbi_machine *machine, const tirbi_lane_loop *loop, const uint64_t *slots, int64_t *n,
                               int64_t *extent, bool *charged, tirb_status *status) {
    uint64_t cost = loop->weight * ((uint64_t)(*n - 1) / 64 + 1);
    if (loop->n_inner > 0 || cost == 0 || *n > UINT32_MAX) {
        for (unsigned k = 0; k < loop->n_inner; k++)
            if ((extent[k] = (int64_t)slots[loop->inner[k].extent]) < 1) return false;
        cost = tirbi_lane_cost(loop, extent, *n);
    }
    *charged = true;
    if (cost <= machine->fuel)
        machine->fuel -= cost;
    else if ((*status = tirbi_charge(machine, cost)) != TIRB_OK)
        return true;
    return loop->n_inner == 0 || tirbi_lane_join_rows(loop, extent, slots, n);
}

bool tirbi_lane_is_row_copy(const tirbi_lane_loop *loop) {
    return loop->n_inner == 0 && tirbi_lane_may_be_row_copy(loop);
}

bool tirbi_lane_may_be_row_copy(const tirbi_lane_loop *loop) {
    if (loop->n_copies != 1 || loop->n_inner != loop->n_outer || loop->n_seeks > 0) return false;
    const tirbi_lane_copy *copy = loop->copies;
    for (unsigned k = 0; k < loop->n_inner; k++)
        if (loop->inner[k].index != TIRBI_NO_REG) return false;
    if (!loop->cursors[copy->to].is_unit || loop->n_cursors != (copy->fills ? 1 : 2)) return false;
    return copy->fills || loop->cursors[copy->from].is_unit;
}

tirb_status tirbi_lane_copy_row(tirbi_machine *machine, const tirbi_lane_loop *loop) {
    enum { LONG = 1 << 17 }; /* bytes: longer ones are moved in pieces */
    const uint64_t *slots = tirbi_frame_slots(machine->frame);
    const tirbi_ref *refs = tirbi_frame_refs(machine->frame);
    const tirbi_lane_copy *copy = loop->copies;
    const tirbi_moves *moves = &machine->code->kernels->moves;
    int64_t n = (int64_t)slots[loop->n], extent[TIRBI_MAX_INNER];
    place written, read;
    ptrdiff_t stride;
    bool is_charged = false;
    tirb_status status = TIRB_OK;
    const bool is_one = count_lanes(machine, loop, slots, &n, extent, &is_charged, &status);
    if (status != TIRB_OK) return status;
    const int64_t most = LONG >> loop->cursors[copy->to].shift;
    if (!is_one || n > most) return tirbi_lane_run_general(machine, loop, is_charged);
    const uint64_t more = (uint64_t)n - 1;
    const tirbi_lane_cursor *to = &loop->cursors[copy->to];
    if (!find_place(to, &refs[to->ref], slots, more, &written, &stride))
        return tirbi_lane_run_general(machine, loop, true);
    const size_t bytes = written.behind - written.low;
    if (copy->fills) {
        const uint64_t pattern = tirbi_lane_fill_pattern(copy, slots, to->size);
        moves->fill((uint8_t *)written.low, 0, &pattern, bytes, 1);
        return TIRB_OK;
    }
    const tirbi_lane_cursor *from = &loop->cursors[copy->from];
    if (!find_place(from, &refs[from->ref], slots, more, &read, &stride) ||
        (written.behind > read.low && read.behind > written.low))
        return tirbi_lane_run_general(machine, loop, true);
    moves->copy((uint8_t *)written.low, 0, (const uint8_t *)read.low, 0, bytes, 1);
    return TIRB_OK;
}

/* Enters and runs a plain loop of some lanes. */
static tirb_status run_anew(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_lane_inputs *inputs) {
    tirbi_frame *frame = machine->frame;
    uint64_t *slots = tirbi_frame_slots(frame);
    const tirbi_ref *refs = tirbi_frame_refs(frame);
    int64_t n = (int64_t)slots[loop->n];
    int64_t extent[TIRBI_MAX_INNER];
    bool charged = false, is_done = false;
    tirb_status status = TIRB_OK;
    tirbi_lane_state *state;
    const bool is_one = count_lanes(machine, loop, slots, &n, extent, &charged, &status);
    if (!charged) return tirbi_lane_run_general(machine, loop, false);
    if (status != TIRB_OK) return status;
    TIRBI_TRY(tirbi_lane_take_state(machine, inputs, &state));
    const bool is_noted = tirbi_lane_note_inputs(tirbi_lane_again_of(state), loop, inputs, slots, refs);
    const tirbi_lane_machine *machinery =
        is_one ? enter(loop, machine->code->lanes, n, slots, refs, frame->fn->words, state)
               : tirbi_lane_enter_rows(machine, loop, inputs, extent, &is_done, &status);
    if (is_done) return status;
    if (!machinery) return tirbi_lane_run_general(machine, loop, true);
    if (is_noted) tirbi_lane_note_starts(tirbi_lane_again_of(state), state, loop, machinery);
    if (loop->n_scans > 0) tirbi_lane_renew(machine, loop, slots);
    const tirbi_lane_end end = tirbi_lane_go(machine, loop, inputs, machinery, slots);
    if (end == TIRBI_LANE_DONE && loop->n_scans == 0 && state->spent < 64) return TIRB_OK;
    return tirbi_lane_end_run(machine, loop, end);
}

/* Enters and runs any loop of some lanes. */
static __attribute__((noinline)) tirb_status run(tirbi_machine *machine, const tirbi_lane_loop *loop,
                                                 const tirbi_lane_inputs *inputs) {
    if (inputs->are_kept && loop->n_copies > 0) return tirbi_lane_copies_enter(machine, loop, inputs);
    if (inputs->are_kept) {
        tirbi_lane_state *state;
        TIRBI_TRY(tirbi_lane_take_state(machine, inputs, &state));
        tirbi_lane_again *again = tirbi_lane_again_of(state);
        const uint64_t *slots = tirbi_frame_slots(machine->frame);
        if (tirbi_lane_is_again(again, loop, inputs, slots, tirbi_frame_refs(machine->frame)))
            return tirbi_lane_run_again(machine, loop, inputs);
        again->loop = NULL; /* where a loop inside does not run, nothing is entered */
        tirb_status status;
        if (again->missed++ > TIRBI_LANE_PATIENCE && inputs->may_be_brief &&
            tirbi_lane_run_brief(machine, loop, inputs, &status))
            return status;
    }
    if (loop->is_plain) return run_anew(machine, loop, inputs);
    return tirbi_lane_is_row_copy(loop) ? tirbi_lane_copy_row(machine, loop)
                                        : tirbi_lane_run_general(machine, loop, false);
}

tirb_status tirbi_lane_run(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_lane_inputs *inputs) {
    const uint64_t *slots = tirbi_frame_slots(machine->frame);
    if ((int64_t)slots[loop->n] < 1) return TIRB_OK;
    if (machine->n_entered < TIRBI_REPEATED_LOOPS) machine->entered[machine->n_entered] = loop;
    machine->n_entered++;
    if (tirbi_lane_ends_row(loop, (int64_t)slots[loop->n]))
        return tirbi_lane_end_row(machine, loop, (int64_t)slots[loop->n]);
    if (inputs->may_be_brief && machine->lane_states) {
        tirbi_lane_state *state = tirbi_lane_state_at(machine->needs, machine->lane_states, inputs);
        const tirbi_lane_again *again = tirbi_lane_again_of(state);
        tirb_status status;
        machine->lanes = state;
        if (again->brief == loop && again->slots == slots && tirbi_lane_run_brief(machine, loop, inputs, &status))
            return status;
    }
    return run(machine, loop, inputs);
}
