/* Entering loops of few lanes, where what an entry decides takes longer than the lanes: one loop from memory to memory
 * does them, or one block of the smallest banks that hold them. What is the same for all such entries is set by the
 * first one. The checks are those of vm/enter/lane_run.c, which says what is wrong where they fail. */
#include "vm/enter/lane_again.h"
#include "vm/lanes/slots.h"

/* As many lanes as a loop from memory to memory does without a look at whether to stop, and through the caches. */
enum { STREAMED_LANES = TIRBI_STREAM_ROW / 8 };

/* Every so many entries, a loop is tried as one that is entered as the time before. */
enum { ATTEMPTS_APART = 256 };

typedef struct place {
    uintptr_t low, behind; /* the bytes that it reaches */
} place;

bool tirbi_lane_may_be_brief(const tirbi_lane_loop *loop) {
    if (loop->n_inner > 0 || loop->n_seeks > 0 || loop->n_copies > 0 || loop->finds) return false;
    if (loop->ending && !loop->ending->is_named) return false;
    for (unsigned i = 0; i < loop->n_scans; i++)
        if (loop->scans[i].counts) return false;
    for (unsigned c = 0; c < loop->n_cursors; c++) {
        const tirbi_lane_cursor *cursor = &loop->cursors[c];
        if (cursor->indexed ? (cursor->access & TIRBI_WRITE) != 0 : cursor->n_uses != 1) return false;
    }
    return true;
}

/* Sets a cursor that is no row of elements side by side: its pointer and how far apart they are, which is remembered
 * with how many it spans. False: not all of them are inside. */
static __attribute__((noinline)) bool find_apart(const tirbi_lane_cursor *cursor, const tirbi_ref *ref,
                                                 const uint64_t *slots, uint64_t more, place *out, unsigned c,
                                                 tirbi_lane_state *state) {
    tirbi_lane_again *again = tirbi_lane_again_of(state);
    const uint64_t length = ref->size >> cursor->shift;
    const int64_t start = (int64_t)slots[cursor->start], step = (int64_t)slots[cursor->step];
    int64_t span, last;
    if (__builtin_mul_overflow(step, (int64_t)more, &span) || __builtin_add_overflow(start, span, &last) ||
        (uint64_t)start >= length || (uint64_t)last >= length)
        return false;
    const int64_t least = step < 0 ? last : start, most = step < 0 ? start : last;
    out->low = (uintptr_t)ref->data + ((uintptr_t)least << cursor->shift);
    out->behind = (uintptr_t)ref->data + (((uintptr_t)most + 1) << cursor->shift);
    again->steps[c] = (uint64_t)step;
    again->spans[c] = (uint64_t)span;
    state->pointers[c + 1] = ref->data + ((size_t)start << cursor->shift);
    state->strides[c] = (ptrdiff_t)((uint64_t)step << cursor->shift);
    return true;
}

/* Whether the elements of cursors that reach the same bytes are each lane's own. */
static bool are_own(const tirbi_lane_loop *loop, unsigned w, unsigned c, const place *places,
                    const tirbi_lane_state *state) {
    const tirbi_lane_cursor *written = &loop->cursors[w], *other = &loop->cursors[c];
    const ptrdiff_t stride = state->strides[w];
    if (other->indexed || stride != state->strides[c]) return false;
    if (places[w].low == places[c].low && written->size == other->size) return true;
    return (stride > 0 &&
            tirbi_lane_interleave(places[w].low, written->size, places[c].low, other->size, (uint64_t)stride)) ||
           tirbi_lane_meet_forwards(loop, w, places[w].low, c, places[c].low, stride);
}

/* Whether every element that is written belongs to one lane. */
static inline bool keep_apart(const tirbi_lane_loop *loop, const place *places, const tirbi_lane_state *state,
                              uint64_t more) {
    for (uint32_t writes = loop->written; writes != 0; writes &= writes - 1) {
        const unsigned w = (unsigned)__builtin_ctz(writes);
        const place written = places[w];
        if (state->strides[w] == 0 && more > 0) return false;
        for (unsigned c = 0, n = loop->n_cursors; c < n; c++) {
            if (written.behind <= places[c].low || places[c].behind <= written.low || c == w) continue;
            if (!are_own(loop, w, c, places, state)) return false;
        }
    }
    return true;
}

/* Sets the cursors' pointers; *room: as many elements are behind the first one of each row that the wide body reads. */
static inline bool find_elements(const tirbi_lane_loop *loop, const uint64_t *slots, const tirbi_ref *refs,
                                 uint64_t more, tirbi_lane_state *state, uint64_t *room) {
    place places[TIRBI_MAX_CURSORS];
    tirbi_lane_again *again = tirbi_lane_again_of(state);
    uint8_t **const pointers = state->pointers + 1;
    const bool is_as_long = again->more == more;
    *room = UINT64_MAX;
    for (unsigned c = 0, n = loop->n_cursors; c < n; c++) {
        const tirbi_lane_cursor *cursor = &loop->cursors[c];
        const tirbi_ref *ref = &refs[cursor->ref];
        const uint64_t length = ref->size >> cursor->shift;
        if (cursor->indexed) {
            pointers[c] = ref->data;
            state->elements[c] = length;
            places[c].low = (uintptr_t)ref->data;
            places[c].behind = places[c].low + ref->size;
            continue;
        }
        uint64_t span = more;
        if (!cursor->is_unit) {
            if (cursor->streams) *room = 0;
            span = again->spans[c];
            if (!is_as_long || slots[cursor->step] != again->steps[c] || (int64_t)span < 0) {
                if (!find_apart(cursor, ref, slots, more, &places[c], c, state)) return false;
                continue;
            }
        }
        const uint64_t start = slots[cursor->start], left = length - start;
        if (start >= length || span >= left) return false;
        if (cursor->streams && left < *room) *room = left;
        uint8_t *const first = ref->data + ((size_t)start << cursor->shift);
        pointers[c] = first;
        places[c].low = (uintptr_t)first;
        places[c].behind = (uintptr_t)first + (((uintptr_t)span + 1) << cursor->shift);
    }
    again->more = more;
    return loop->written == 0 || keep_apart(loop, places, state, more);
}

/* Sets what is the same at all such entries of the loop in one frame. */
__attribute__((noinline)) void tirbi_lane_prepare(tirbi_machine *machine, const tirbi_lane_loop *loop,
                                                  uint64_t *slots) {
    tirbi_lane_state *state = machine->lanes;
    tirbi_lane_again *again = tirbi_lane_again_of(state);
    uint8_t **pointer = state->pointers + 1;
    for (unsigned c = 0; c < loop->n_cursors; c++) {
        state->strides[c] = (ptrdiff_t)loop->cursors[c].size;
        *pointer++ = NULL;
    }
    for (unsigned i = 0; i < loop->n_splats; i++)
        *pointer++ = tirbi_slot_bytes(&slots[loop->splats[i].slot], loop->splats[i].size);
    for (uint32_t i = 0; i < loop->n_strips; i++) *pointer++ = state->scratch + (size_t)i * loop->strip_size;
    state->loop = loop;
    state->repeats = false;
    state->n_cursors = loop->n_cursors;
    state->n_outer = state->n_sought = state->n_streams = state->packed_rows = 0;
    state->sure_parts = 0;
    tirbi_lane_gaps_of(state)->period = 0;
    tirbi_lane_begin(machine, loop, slots);
    again->brief = loop;
    again->more = UINT64_MAX;
    again->slots = slots;
}

static inline tirb_status run_block(tirbi_machine *machine, const tirbi_lane_loop *loop, uint64_t *slots, uint64_t n,
                                    uint64_t room) {
    tirbi_lane_state *state = machine->lanes;
    const tirbi_word *words = machine->frame->fn->words;
    uint32_t lanes;
    const tirbi_lane_machine *machinery = tirbi_lane_find_banks(loop, machine->code->lanes, n, &lanes);
    state->n = (int64_t)n;
    state->lanes = lanes;
    state->wide = loop->wide != 0 && room >= lanes ? words + loop->wide : NULL;
    state->spent = 0;
    state->fuel = machine->fuel_limit == UINT64_MAX ? UINT64_MAX : machine->fuel;
    *tirbi_lane_scratch_user(state->scratch) = state;
    if (loop->n_scans > 0) tirbi_lane_renew(machine, loop, slots);
    const tirbi_lane_end end = machinery->run(state, words + loop->full, words + loop->tail);
    if (end == TIRBI_LANE_DONE && loop->n_scans == 0 && state->spent < 64) return TIRB_OK;
    return tirbi_lane_end_run(machine, loop, end);
}

bool tirbi_lane_run_brief(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_lane_inputs *inputs,
                          tirb_status *status) {
    tirbi_lane_state *state = machine->lanes;
    tirbi_lane_again *again = tirbi_lane_again_of(state);
    uint64_t *slots = tirbi_frame_slots(machine->frame), room;
    const uint64_t n = slots[loop->n];
    const bool by_loop = loop->one_row != loop->full;
    if (n > (by_loop ? (uint64_t)STREAMED_LANES : loop->lanes)) return false;
    const uint64_t cost = (loop->weight > 0 ? loop->weight : 1) * ((n - 1) / 64 + 1);
    if (cost > machine->fuel) return false;
    if (again->brief != loop || again->slots != slots) tirbi_lane_prepare(machine, loop, slots);
    if (++again->missed % ATTEMPTS_APART == 0 ||
        !find_elements(loop, slots, tirbi_frame_refs(machine->frame), n - 1, state, &room)) {
        again->brief = NULL;
        return false;
    }
    machine->fuel -= cost;
    if (by_loop) {
        const tirbi_word *stream = machine->frame->fn->words + loop->one_row;
        uint8_t *const *pointers = state->pointers;
        *status = TIRB_OK;
        stream[2].kernel(pointers[stream->a], pointers[stream->b], pointers[stream->c], pointers[stream[1].list[0]], n);
        return true;
    }
    const uint32_t in_short = inputs->bodies.in_short;
    if (in_short != 0 && loop->wide != 0 && room < loop->lanes) { /* blocks would be copied */
        tirbi_lane_run_short(state, machine->frame->fn->words + in_short, n);
        *status = TIRB_OK;
        return true;
    }
    *status = run_block(machine, loop, slots, n, room);
    return true;
}
