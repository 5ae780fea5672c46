#include "vm/enter/lane_ends.h"

#include <string.h>

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

/* Copies the elements that n others number, of some that there are; false: one number is of none. Rows are short: no
 * branch depends on a number. */
#define TAKE_NAMED(name, number, element)                                                                              \
    static inline bool name(const uint8_t *at, ptrdiff_t step, size_t n, const uint8_t *table, uint64_t elements,      \
                            uint8_t *to) {                                                                             \
        bool good = true;                                                                                              \
        _Pragma("GCC unroll 4") for (size_t i = 0; i < n; i++) {                                                       \
            number k;                                                                                                  \
            memcpy(&k, at, sizeof k);                                                                                  \
            const bool is_there = (uint64_t)(int64_t)k < elements;                                                     \
            good &= is_there;                                                                                          \
            memcpy(to + i * sizeof(element), table + (is_there ? (size_t)k : 0) * sizeof(element), sizeof(element));   \
            at = (const uint8_t *)((uintptr_t)at + (uintptr_t)step);                                                   \
        }                                                                                                              \
        return good;                                                                                                   \
    }
TAKE_NAMED(take_4_by_4, int32_t, uint32_t)
TAKE_NAMED(take_8_by_4, int32_t, uint64_t)
TAKE_NAMED(take_4_by_8, int64_t, uint32_t)
TAKE_NAMED(take_8_by_8, int64_t, uint64_t)

/* The elements that a term's cursor numbers, whose first number and step these are. */
static bool take_named(const tirbi_lane_term *term, const tirbi_lane_loop *loop, const tirbi_ref *refs,
                       const uint64_t *slots, const uint8_t *first, ptrdiff_t step, size_t n, uint8_t *to) {
    const tirbi_lane_cursor *table = &loop->cursors[term->table];
    const tirbi_ref *ref = &refs[table->ref];
    uint64_t elements = ref->size >> table->shift;
    if (term->slot != TIRBI_NO_REG) {
        const int64_t below = (int64_t)slots[term->slot];
        if (below < 0 || (uint64_t)below < elements) elements = below < 0 ? 0 : (uint64_t)below;
    }
    if (elements == 0) return false;
    if (table->size == 4)
        return term->is_wide ? take_4_by_8(first, step, n, ref->data, elements, to)
                             : take_4_by_4(first, step, n, ref->data, elements, to);
    return term->is_wide ? take_8_by_8(first, step, n, ref->data, elements, to)
                         : take_8_by_4(first, step, n, ref->data, elements, to);
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
    uint64_t named[2][TIRBI_NAMED_IN_ROW];
    const ptrdiff_t size = tirbi_dtypes[ending->type].size;
    for (unsigned i = 0; i < 2; i++) {
        const tirbi_lane_term *term = &ending->terms[i];
        if (term->is_scalar) {
            scalars[i] = slots[term->slot];
            first[i] = tirbi_slot_bytes(&scalars[i], (unsigned)size);
            step[i] = 0;
            continue;
        }
        const tirbi_lane_cursor *cursor = &loop->cursors[term->cursor];
        if (!find_row(cursor, &refs[cursor->ref], slots, n - 1, &first[i], &step[i]))
            return tirbi_lane_run_general(machine, loop, false);
        if (!term->is_named) continue;
        if (!take_named(term, loop, refs, slots, first[i], step[i], (size_t)n, (uint8_t *)named[i]))
            return tirbi_lane_run_general(machine, loop, false);
        first[i] = (const uint8_t *)named[i];
        step[i] = size;
    }
    const bool is_apart = step[0] != step[1] || step[0] != size;
    if (ending->is_float_extreme && n >= LONG && is_apart) return tirbi_lane_run_general(machine, loop, false);
    const uint64_t cost = tirbi_lane_cost(loop, NULL, n);
    if (cost <= machine->fuel)
        machine->fuel -= cost;
    else
        TIRBI_TRY(tirbi_charge(machine, cost));
    return end_pieces(machine, ending, first, step, n);
}
