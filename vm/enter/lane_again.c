#include "vm/enter/lane_again.h"

#include <string.h>

/* ---- What an entry looks at ------------------------------------------------------------------------------------- */

/* What entries look at. More than may be kept are not told apart. */
typedef struct found {
    uint16_t values[TIRBI_AGAIN_INPUTS];
    unsigned n, most;
    bool too_many;
} found;

_Static_assert(TIRBI_AGAIN_REFS <= TIRBI_AGAIN_INPUTS, "references are found in the same way");

static void add(found *f, uint16_t one) {
    for (unsigned i = 0; i < f->n; i++)
        if (f->values[i] == one) return;
    if (f->n == f->most) f->too_many = true;
    else f->values[f->n++] = one;
}

static const uint16_t *keep(tirbi_arena *arena, const found *slots, const found *refs) {
    uint16_t *kept = TIRBI_NEW_ARRAY(arena, uint16_t, slots->n + refs->n);
    if (!kept) return NULL;
    memcpy(kept, slots->values, slots->n * sizeof *kept);
    memcpy(kept + slots->n, refs->values, refs->n * sizeof *kept);
    return kept;
}

static void add_slot(found *f, uint16_t slot, uint32_t first_constant) {
    if (slot < first_constant) add(f, slot);
}

bool tirbi_lane_find_inputs(const tirbi_lane_loop *loop, uint32_t first_constant, tirbi_arena *arena,
                            tirbi_lane_inputs *out) {
    *out = (tirbi_lane_inputs){.are_kept = false};
    /* Searches end where there is fuel to, copies of one row have no state, and numbers of rows are in memory. */
    if (loop->finds || loop->n_seeks > 0 || tirbi_lane_is_row_copy(loop)) return true;
    for (unsigned k = 0; k < loop->n_inner && loop->n_copies > 0; k++)
        if (loop->inner[k].index != TIRBI_NO_REG) return true;
    found slots = {.most = TIRBI_AGAIN_INPUTS}, refs = {.most = TIRBI_AGAIN_REFS};
    add_slot(&slots, loop->n, first_constant);
    for (unsigned k = 0; k < loop->n_inner; k++) add_slot(&slots, loop->inner[k].extent, first_constant);
    for (unsigned c = 0; c < loop->n_cursors; c++) {
        const tirbi_lane_cursor *cursor = &loop->cursors[c];
        add(&refs, cursor->ref);
        if (cursor->indexed) continue;
        add_slot(&slots, cursor->start, first_constant);
        add_slot(&slots, cursor->step, first_constant);
        for (unsigned k = 0; k < loop->n_inner; k++) add_slot(&slots, cursor->steps[k], first_constant);
    }
    for (uint32_t i = 0; i < loop->n_copies; i++)
        if (loop->copies[i].fills) add_slot(&slots, loop->copies[i].slot, first_constant);
    if (slots.too_many || refs.too_many) return true;
    *out = (tirbi_lane_inputs){.are_kept = true,
                               .may_be_brief = tirbi_lane_may_be_brief(loop),
                               .n_slots = (uint8_t)slots.n,
                               .n_refs = (uint8_t)refs.n,
                               .slots = keep(arena, &slots, &refs)};
    return out->slots != NULL;
}

/* ---- Entries ---------------------------------------------------------------------------------------------------- */

bool tirbi_lane_note_inputs(tirbi_lane_again *again, const tirbi_lane_loop *loop, const tirbi_lane_inputs *inputs,
                            const uint64_t *slots, const tirbi_ref *refs) {
    enum { ATTEMPTS_APART = 16 };
    again->loop = NULL;
    again->n_repeats = 0;
    if (!inputs->are_kept || (again->missed > TIRBI_LANE_PATIENCE && again->missed % ATTEMPTS_APART != 0)) return false;
    int64_t extent[TIRBI_MAX_INNER];
    for (unsigned k = 0; k < loop->n_inner; k++) extent[k] = (int64_t)slots[loop->inner[k].extent];
    again->slots = slots;
    again->cost = tirbi_lane_cost(loop, extent, (int64_t)slots[loop->n]);
    for (unsigned i = 0; i < inputs->n_slots; i++) again->inputs[i] = slots[inputs->slots[i]];
    for (unsigned i = 0; i < inputs->n_refs; i++) {
        again->refs[i].data = refs[inputs->slots[inputs->n_slots + i]].data;
        again->refs[i].size = refs[inputs->slots[inputs->n_slots + i]].size;
    }
    return true;
}

void tirbi_lane_repeat_rows(const tirbi_lane_again *again, bool are_made) {
    for (uint32_t i = 0; i < again->n_repeats; i++) {
        const tirbi_lane_repeat *row = &again->repeats[i];
        if (are_made && memcmp(row->to, row->from, row->bytes) == 0) continue;
        memcpy(row->to, row->from, row->bytes);
        for (size_t done = row->bytes, more; done < row->all; done += more) {
            more = done < row->all - done ? done : row->all - done;
            memcpy(row->to + done, row->to, more);
        }
    }
}

/* The first cursor's pointer. */
static uint8_t **first_pointer(const tirbi_lane_state *state, const tirbi_lane_machine *machinery) {
    return machinery->rows > 1 ? state->row_pointers + machinery->rows : state->pointers + 1;
}

void tirbi_lane_note_starts(tirbi_lane_again *again, const tirbi_lane_state *state, const tirbi_lane_loop *loop,
                            const tirbi_lane_machine *machinery) {
    uint8_t *const *from = first_pointer(state, machinery);
    const uint32_t n = loop->n_cursors * machinery->rows;
    if (n > TIRBI_AGAIN_STARTS) return;
    for (uint32_t i = 0; i < n; i++) again->starts[i] = from[i];
    again->n_starts = n;
    again->machinery = machinery;
    again->streams_at_once = tirbi_lane_streams_at_once(loop, state);
    again->loop = loop;
}

tirb_status tirbi_lane_run_again(tirbi_machine *machine, const tirbi_lane_loop *loop,
                                 const tirbi_lane_inputs *inputs) {
    tirbi_lane_state *state = machine->lanes;
    tirbi_lane_again *again = tirbi_lane_again_of(state);
    uint64_t *slots = tirbi_frame_slots(machine->frame);
    again->missed = 0;
    if (again->cost <= machine->fuel)
        machine->fuel -= again->cost;
    else
        TIRBI_TRY(tirbi_charge(machine, again->cost));
    if (again->streams_at_once) {
        tirbi_lane_stream_row(state, machine->frame->fn->words + loop->one_row);
        return TIRB_OK;
    }
    uint8_t **to = first_pointer(state, again->machinery);
    for (uint32_t i = 0, n = again->n_starts; i < n; i++) {
        to[i] = again->starts[i];
        __asm__("" : "+r"(to)); /* there are few */
    }
    state->sure_parts = 0;
    if (again->n_repeats > 0) tirbi_lane_repeat_rows(again, *tirbi_lane_scratch_user(state->scratch) == state);
    if (!loop->is_plain || loop->n_scans > 0) tirbi_lane_renew(machine, loop, slots);
    const tirbi_lane_end end = tirbi_lane_go(machine, loop, inputs, again->machinery, slots);
    if (end == TIRBI_LANE_DONE && loop->n_scans == 0 && state->spent < 64) return TIRB_OK;
    return tirbi_lane_end_run(machine, loop, end);
}
