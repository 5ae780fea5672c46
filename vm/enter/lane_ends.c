#include "vm/enter/lane_ends.h"

#include "loader/base/checked.h"
#include "vm/enter/lane_entry.h"
#include "vm/lanes/slots.h"

/* Where a cursor's first element is and how many bytes the next one is from it; false: not all of them are inside. */
static inline bool find_row(const tirbi_lane_cursor *cursor, const tirbi_ref *ref, const uint64_t *slots, int64_t more,
                            const uint8_t **first, ptrdiff_t *step) {
    const uint64_t length = ref->size >> cursor->shift, start = slots[cursor->start];
    int64_t span = more, last;
    if (!cursor->is_unit && !tirbi_mul_i64((int64_t)slots[cursor->step], more, &span)) return false;
    if (start >= length || !tirbi_add_i64((int64_t)start, span, &last) || last < 0 || (uint64_t)last >= length)
        return false;
    *first = ref->data + ((size_t)start << cursor->shift);
    *step = (ptrdiff_t)((cursor->is_unit ? 1 : slots[cursor->step]) << cursor->shift);
    return true;
}

/* In pieces, between which another thread may have asked to stop. */
static tirb_status end_pieces(tirbi_machine *machine, const tirbi_lane_ending *ending, const uint8_t *const *first,
                              const ptrdiff_t *step, int64_t n) {
    enum { LINE = 64, FOLLOWING = 1 << 11, APART = 1 << 9 };
    bool apart = false;
    for (unsigned i = 0; i < 2; i++) apart = apart || step[i] > LINE || step[i] < -LINE;
    const int64_t piece = apart ? APART : FOLLOWING;
    uint64_t *running = &tirbi_frame_slots(machine->frame)[ending->slot];
    const uint8_t *at[2] = {first[0], first[1]};
    for (int64_t left = n; left > 0; left -= piece) {
        const size_t lanes = (size_t)(left < piece ? left : piece);
        const uint64_t end = ending->end(*running, at[0], step[0], at[1], step[1], lanes);
        *running = tirbi_slot_extend(end, ending->type);
        for (unsigned i = 0; i < 2; i++)
            at[i] = (const uint8_t *)((uintptr_t)at[i] + (uintptr_t)step[i] * (uintptr_t)piece);
        if (left > piece) TIRBI_TRY(tirbi_poll(machine));
    }
    return TIRB_OK;
}

tirb_status tirbi_lane_end_row(tirbi_machine *machine, const tirbi_lane_loop *loop, int64_t n) {
    enum { LONG = 64 };
    const tirbi_lane_ending *ending = loop->ending;
    uint64_t *slots = tirbi_frame_slots(machine->frame);
    const tirbi_ref *refs = tirbi_frame_refs(machine->frame);
    const uint8_t *first[2];
    ptrdiff_t step[2];
    uint64_t scalars[2]; /* apart from the running value's register, which may be one of them */
    for (unsigned i = 0; i < 2; i++) {
        if (ending->terms[i].is_scalar) {
            scalars[i] = slots[ending->terms[i].slot];
            first[i] = tirbi_slot_bytes(&scalars[i], tirbi_dtypes[ending->type].size);
            step[i] = 0;
            continue;
        }
        const tirbi_lane_cursor *cursor = &loop->cursors[ending->terms[i].cursor];
        if (!find_row(cursor, &refs[cursor->ref], slots, n - 1, &first[i], &step[i]))
            return tirbi_lane_run_general(machine, loop, false);
    }
    const bool is_apart = step[0] != step[1] || step[0] != tirbi_dtypes[ending->type].size;
    if (ending->is_float_extreme && n >= LONG && is_apart) return tirbi_lane_run_general(machine, loop, false);
    const uint64_t cost = tirbi_lane_cost(loop, NULL, n);
    if (cost <= machine->fuel)
        machine->fuel -= cost;
    else
        TIRBI_TRY(tirbi_charge(machine, cost));
    return end_pieces(machine, ending, first, step, n);
}
