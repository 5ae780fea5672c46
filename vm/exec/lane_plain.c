/* Entering the lane loops that most are: no loop inside, those around the lanes joined with them, and elements that follow
 * from a start and a step alone. The checks are those of vm/exec/lane_run.c. */
#include "vm/exec/lane_entry.h"
#include "vm/lanes/slots.h"

bool tirbi_lane_is_plain(const tirbi_lane_loop *loop) {
    if (loop->n_seeks > 0 || loop->n_scans > 0 || loop->n_copies > 0 || loop->finds) return false;
    if (loop->n_inner != loop->n_outer || (loop->n_inner > 0 && loop->counts_lanes)) return false;
    for (unsigned k = 0; k < loop->n_inner; k++)
        if (loop->inner[k].index != TIRBI_NO_REG) return false;
    for (unsigned c = 0; c < loop->n_cursors; c++)
        if (loop->cursors[c].indexed || loop->cursors[c].n_uses != 1) return false;
    return true;
}

typedef struct place {
    uintptr_t low, behind; /* the bytes that it reaches */
    ptrdiff_t step;
} place;

/* Checks a cursor's elements and finds where they are. */
static inline bool find_place(const tirbi_lane_cursor *cursor, const tirbi_ref *ref, const uint64_t *slots, uint64_t more,
                              place *out) {
    const uint64_t start = slots[cursor->start], step = slots[cursor->step], length = ref->size >> cursor->shift;
    uint64_t span;
    if (start >= length || (int64_t)step < 0 || __builtin_mul_overflow(step, more, &span) || span >= length - start)
        return false;
    out->low = (uintptr_t)ref->data + ((uintptr_t)start << cursor->shift);
    out->behind = out->low + (((uintptr_t)span + 1) << cursor->shift);
    out->step = (ptrdiff_t)(step << cursor->shift);
    return true;
}

/* Whether every element that is written belongs to one lane; *repeats, whether lanes may be computed twice. */
static inline bool keep_apart(const tirbi_lane_loop *loop, const place *places, uint64_t more, bool *repeats) {
    for (unsigned w = 0; w < loop->n_cursors; w++) {
        const place *written = &places[w];
        const uint8_t access = loop->cursors[w].access;
        if (!(access & TIRBI_WRITE)) continue;
        if (access & TIRBI_READ) *repeats = false;
        if (written->step == 0 && more > 0) return false;
        for (unsigned c = 0; c < loop->n_cursors; c++) {
            if (c == w || written->behind <= places[c].low || places[c].behind <= written->low) continue;
            *repeats = false;
            if (written->low != places[c].low || written->step != places[c].step ||
                loop->cursors[w].size != loop->cursors[c].size)
                return false;
        }
    }
    return true;
}

/* The cursors that the wide body may not always read whole blocks of: see set_streams in vm/exec/lane_run.c. */
static void set_streams(const tirbi_lane_loop *loop, const place *places, const tirbi_ref *refs, int64_t n, uint32_t lanes,
                        const tirbi_word *words, tirbi_lane_state *state) {
    const uint64_t whole = (uint64_t)(n - tirbi_lane_rest(n, lanes));
    for (uint32_t c = 0; c < loop->n_cursors; c++) {
        const tirbi_lane_cursor *cursor = &loop->cursors[c];
        if (!cursor->streams) continue;
        const tirbi_ref *ref = &refs[cursor->ref];
        const uint64_t behind = (uint64_t)lanes << cursor->shift;
        if (ref->size < behind) return;
        /* Within the reference, for the last block's first element is. */
        const uint64_t last = (uint64_t)(places[c].low - (uintptr_t)ref->data) + (uint64_t)places[c].step * whole;
        if (last <= ref->size - behind) continue;
        state->streams[state->n_streams].pointer = c + 1;
        state->streams[state->n_streams].row_step = 0;
        state->streams[state->n_streams++].last = ref->data + (ref->size - behind);
    }
    state->wide = words + loop->wide;
}

const tirbi_lane_machine *tirbi_lane_enter_plain(const tirbi_lane_loop *loop, const tirbi_lane_machine *wide, int64_t n,
                                                 uint64_t *slots, const tirbi_ref *refs, const tirbi_word *words,
                                                 tirbi_lane_state *state) {
    place places[TIRBI_MAX_CURSORS];
    const uint64_t more = (uint64_t)n - 1;
    const uint32_t n_cursors = loop->n_cursors;
    bool repeats = !loop->reduces;
    for (uint32_t c = 0; c < n_cursors; c++)
        if (!find_place(&loop->cursors[c], &refs[loop->cursors[c].ref], slots, more, &places[c])) return NULL;
    if (!keep_apart(loop, places, more, &repeats)) return NULL;
    if (n >= TIRBI_STREAM_ROW / 8 && tirbi_lane_writes_much(loop, refs)) return NULL;
    uint32_t lanes;
    const tirbi_lane_machine *machinery = tirbi_lane_choose_banks(loop, wide, n, repeats, &lanes);
    const int64_t rest = tirbi_lane_rest(n, lanes);
    uint8_t **pointer = state->pointers + 1;
    state->n_moves = 0;
    for (uint32_t c = 0; c < n_cursors; c++) {
        const ptrdiff_t step = places[c].step;
        *pointer++ = (uint8_t *)places[c].low;
        state->strides[c] = step;
        state->rest_steps[c] = (ptrdiff_t)((uint64_t)step * (uint64_t)rest);
        if (step != 0) state->moves[state->n_moves++] = (tirbi_lane_move){c + 1, (ptrdiff_t)((uint64_t)step * lanes)};
    }
    for (uint32_t c = n_cursors; c % TIRBI_POINTERS_AT_ONCE != 0; c++) state->rest_steps[c] = 0;
    for (uint32_t i = 0; i < loop->n_splats; i++)
        *pointer++ = tirbi_slot_bytes(&slots[loop->splats[i].slot], loop->splats[i].size);
    if (state->loop != loop) {
        for (uint32_t i = 0; i < loop->n_strips; i++) *pointer++ = state->scratch + (size_t)i * loop->strip_size;
        state->loop = loop;
    }
    state->n = n;
    state->lanes = lanes;
    state->repeats = repeats;
    state->n_cursors = n_cursors;
    state->n_outer = state->n_sought = state->n_streams = 0;
    state->sure_parts = 0;
    state->wide = NULL;
    if (loop->wide != 0 && rest != 0 && (n < (int64_t)lanes || !repeats))
        set_streams(loop, places, refs, n, lanes, words, state);
    return machinery;
}
