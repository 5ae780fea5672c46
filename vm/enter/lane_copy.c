/* Lane loops that only move elements.
 *
 * The order of the moves is free, for what one copy writes no other iteration of it reads or writes: each is a box, and
 * copies whose elements lie among each other's are one. */
#include "vm/enter/lane_copy.h"

#include <string.h>

#include "loader/base/error.h"
#include "vm/enter/lane_again.h"
#include "vm/enter/lane_box.h"
#include "vm/lanes/slots.h"
#include "vm/math/core.h"

/* Each element is written once by each copy. */
bool tirbi_lane_copy_fits(const tirbi_lane_loop *loop, const tirbi_reach *reaches) {
    for (uint32_t i = 0; i < loop->n_copies; i++) {
        const tirbi_reach *to = &reaches[loop->copies[i].to];
        for (unsigned d = 0; d < 1u + loop->n_inner; d++)
            if (to->count[d] > 1 && to->step[d] == 0) return false;
        if (!tirbi_reach_nested(to, 1u + loop->n_inner)) return false;
    }
    return loop->n_copies > 0;
}

/* The bits of the canonical NaN instead of those of any NaN. */
static uint64_t settled(uint64_t bits, uint8_t type) {
    switch (type) {
    case TIRB_F16: return tirbi_canon_f16((uint16_t)bits);
    case TIRB_BF16: return tirbi_canon_bf16((uint16_t)bits);
    case TIRB_F32: return tirbi_slot_of_f32(tirbi_canon_f32(tirbi_slot_f32(bits)));
    case TIRB_F64: return tirbi_slot_of_f64(tirbi_canon_f64(tirbi_slot_f64(bits)));
    default: return bits;
    }
}

static uint64_t repeated(const void *element, size_t size) {
    uint64_t pattern = 0;
    memcpy(&pattern, element, size);
    for (; size < sizeof pattern; size *= 2) memcpy((uint8_t *)&pattern + size, &pattern, size);
    return pattern;
}

uint64_t tirbi_lane_fill_pattern(const tirbi_lane_copy *fill, const uint64_t *slots, size_t size) {
    uint64_t bits = fill->settled ? slots[fill->slot] : settled(slots[fill->slot], fill->type);
    return repeated(tirbi_slot_bytes(&bits, size), size);
}

/* ---- Copies --------------------------------------------------------------------------------------------------- */

/* Whether a copy writes far more than the caches hold, to memory of which nothing is read soon. */
bool tirbi_lane_goes_past(const tirbi_machine *machine, const tirbi_lane_loop *loop, unsigned cursor, uint64_t bytes) {
    const uint16_t ref = loop->cursors[cursor].ref;
    const bool unread = ref < 64 && !(machine->frame->fn->refs_read >> ref & 1);
    return machine->code->kernels->moves.stream && tirbi_ref_is_much(&tirbi_frame_refs(machine->frame)[ref]) &&
           (bytes >= TIRBI_MUCH || unread);
}

uint64_t tirbi_lane_bytes_of(const tirbi_reach *r, unsigned dimensions) {
    uint64_t bytes = r->size;
    for (unsigned d = 0; d < dimensions; d++) bytes *= (uint64_t)r->count[d];
    return bytes;
}

/* What a fill repeats, for as many bytes as a weave may read of it. */
typedef struct filling {
    uint64_t words[TIRBI_WEAVE_BYTES / 8];
} filling;

static const uint8_t *source_of(const tirbi_lane_copy *copy, const tirbi_reach *reaches, const uint64_t *slots,
                                filling *value) {
    if (!copy->fills) return reaches[copy->from].start;
    const uint64_t pattern = tirbi_lane_fill_pattern(copy, slots, reaches[copy->to].size);
    for (unsigned i = 0; i < TIRBI_WEAVE_BYTES / 8; i++) value->words[i] = pattern;
    return (const uint8_t *)value->words;
}

static int64_t step_read(const tirbi_lane_copy *copy, const tirbi_reach *reaches, unsigned d) {
    return copy->fills ? 0 : reaches[copy->from].step[d];
}

static unsigned array_read(const tirbi_lane_loop *loop, const tirbi_lane_copy *copy) {
    return copy->fills ? TIRBI_NO_REG : loop->cursors[copy->from].ref;
}

/* Whether what a copy writes lies among what `first` writes, from its first element on. */
static bool lies_among(const tirbi_lane_loop *loop, const tirbi_reach *reaches, const tirbi_lane_copy *first,
                       const tirbi_lane_copy *copy) {
    const tirbi_reach *a = &reaches[first->to], *b = &reaches[copy->to];
    if (a->size != b->size || (uintptr_t)b->start - (uintptr_t)a->start >= TIRBI_WEAVE_BYTES) return false;
    for (unsigned d = 0; d < 1u + loop->n_inner; d++)
        if (a->count[d] != b->count[d] || (a->count[d] > 1 && a->step[d] != b->step[d])) return false;
    return true;
}

/* A box, and what its fills repeat. */
typedef struct filled_box {
    tirbi_box box;
    filling values[1 + TIRBI_BOX_BESIDE];
} filled_box;

/* An entry whose boxes were few: entered like that, the loop is these boxes, in order. */
struct tirbi_lane_copies {
    tirbi_lane_again again;
    unsigned n;
    filled_box boxes[TIRBI_KNOWN_BOXES];
};

/* One copy, or several at once; copies tell which have been done. */
typedef struct copying {
    tirbi_machine *machine;
    const tirbi_lane_loop *loop;
    const tirbi_reach *reaches;
    const uint64_t *slots;
    tirbi_lane_copies *known; /* where the boxes are kept; NULL: nowhere */
    uint32_t done;
    unsigned n;
    unsigned which[1 + TIRBI_BOX_BESIDE];
} copying;

/* Room for a box that is planned next. */
static filled_box *place_for_box(const copying *c, filled_box *own) {
    return c->known && c->known->n < TIRBI_KNOWN_BOXES ? &c->known->boxes[c->known->n] : own;
}

/* Runs a box, which has been planned, and notes it. */
static bool run_box(copying *c, filled_box *b, const filled_box *own) {
    if (b == own)
        c->known = NULL;
    else
        c->known->n++;
    return tirbi_box_run(&b->box);
}

/* Sets all but the loops that there are not: a box is large for what is copied in some nanoseconds. */
static void set_box(const copying *c, filled_box *filled) {
    tirbi_box *const b = &filled->box;
    const tirbi_lane_loop *loop = c->loop;
    const tirbi_lane_copy *first = &loop->copies[c->which[0]];
    const tirbi_reach *to = &c->reaches[first->to];
    b->moves = &c->machine->code->kernels->moves;
    b->weaver = c->machine->code->weaver;
    b->stop = c->machine->stop;
    b->past = false;
    b->to = to->start;
    b->from = source_of(first, c->reaches, c->slots, &filled->values[0]);
    b->array = array_read(loop, first);
    b->is_still = first->fills;
    b->size = (int64_t)to->size;
    b->n = 0;
    b->n_beside = c->n - 1;
    b->n_parts = 0;
    for (unsigned k = 1; k < c->n; k++) {
        const tirbi_lane_copy *copy = &loop->copies[c->which[k]];
        b->beside[k - 1] = (tirbi_box_beside){.from = source_of(copy, c->reaches, c->slots, &filled->values[k]),
                                              .to = c->reaches[copy->to].start - to->start,
                                              .array = array_read(loop, copy),
                                              .is_still = copy->fills};
    }
    for (unsigned d = 0; d < 1u + loop->n_inner; d++) {
        tirbi_box_loop around = {.to = to->step[d], .from = step_read(first, c->reaches, d), .count = to->count[d]};
        for (unsigned k = 1; k < c->n; k++)
            around.beside[k - 1] = step_read(&loop->copies[c->which[k]], c->reaches, d);
        tirbi_box_add(b, around);
    }
}

/* Does the copies whose elements lie among those of copy `first` at once, if there are any, none of them is before it,
 * and one kernel can. */
static void copy_together(copying *c, unsigned first, bool *stopped) {
    const tirbi_lane_loop *loop = c->loop;
    c->n = 0;
    c->which[c->n++] = first;
    for (unsigned i = 0; i < loop->n_copies; i++) {
        if (i == first || (c->done >> i & 1)) continue;
        if (lies_among(loop, c->reaches, &loop->copies[i], &loop->copies[first])) return;
        if (!lies_among(loop, c->reaches, &loop->copies[first], &loop->copies[i])) continue;
        if (c->n == 1 + TIRBI_BOX_BESIDE) return;
        c->which[c->n++] = i;
    }
    if (c->n == 1) return;
    filled_box own, *const b = place_for_box(c, &own);
    set_box(c, b);
    if (!tirbi_box_plan_together(&b->box)) return;
    for (unsigned k = 0; k < c->n; k++) c->done |= 1u << c->which[k];
    *stopped = !run_box(c, b, &own);
}

/* Which element of the rows, whose first ones `first` reads, a copy reads that goes on like it on both sides; 0:
 * none. */
static unsigned part_of(const tirbi_lane_loop *loop, const tirbi_reach *reaches, const tirbi_lane_copy *first,
                        const tirbi_lane_copy *copy) {
    const tirbi_reach *a = &reaches[first->from], *b = &reaches[copy->from];
    const tirbi_reach *to = &reaches[first->to], *other = &reaches[copy->to];
    const uintptr_t behind = (uintptr_t)b->start - (uintptr_t)a->start;
    if (copy->fills || a->size != b->size || behind % a->size != 0 || behind / a->size >= TIRBI_MOST_PARTS) return 0;
    for (unsigned d = 0; d < 1u + loop->n_inner; d++)
        if (to->count[d] > 1 && (a->step[d] != b->step[d] || to->step[d] != other->step[d])) return 0;
    return (unsigned)(behind / a->size);
}

/* Does the copies at once that read all elements of the rows of which copy `first` reads the first ones. */
static void copy_parts(copying *c, unsigned first, bool *stopped) {
    const tirbi_lane_loop *loop = c->loop;
    const tirbi_lane_copy *copy = &loop->copies[first];
    const tirbi_reach *to = &c->reaches[copy->to];
    unsigned which[TIRBI_MOST_PARTS] = {first}, n = 1;
    if (copy->fills) return;
    uint32_t found = 1;
    for (unsigned i = 0; i < loop->n_copies; i++) {
        const unsigned part = c->done >> i & 1 ? 0 : part_of(loop, c->reaches, copy, &loop->copies[i]);
        if (part == 0 || (found >> part & 1)) continue;
        which[part] = i;
        found |= 1u << part;
        n++;
    }
    if (n == 1 || found != (1u << n) - 1) return;
    c->n = 1;
    c->which[0] = first;
    filled_box own, *const b = place_for_box(c, &own);
    set_box(c, b);
    b->box.n_parts = n;
    for (unsigned k = 0; k < n; k++)
        b->box.parts[k] = (ptrdiff_t)((uintptr_t)c->reaches[loop->copies[which[k]].to].start - (uintptr_t)to->start);
    if (!tirbi_box_plan_together(&b->box)) return;
    for (unsigned k = 0; k < n; k++) c->done |= 1u << which[k];
    *stopped = !run_box(c, b, &own);
}

static bool copy_alone(copying *c, unsigned which) {
    const tirbi_lane_copy *copy = &c->loop->copies[which];
    const tirbi_reach *to = &c->reaches[copy->to], *from = &c->reaches[copy->from];
    if (!copy->fills && to->start == from->start && !tirbi_reach_apart(to, from, 1u + c->loop->n_inner))
        return true; /* onto itself: anything else is refused at entry */
    c->n = 1;
    c->which[0] = which;
    filled_box own, *const b = place_for_box(c, &own);
    set_box(c, b);
    b->box.past = tirbi_lane_goes_past(c->machine, c->loop, copy->to, tirbi_lane_bytes_of(to, 1u + c->loop->n_inner));
    if (copy->fills) b->box.weaver = NULL;
    c->machine->streamed |= b->box.past;
    tirbi_box_plan(&b->box);
    return run_box(c, b, &own);
}

/* Where the boxes of an entry are to be kept, or NULL. */
static tirbi_lane_copies *note_entry(tirbi_machine *machine, const tirbi_lane_loop *loop, const uint64_t *slots) {
    const tirbi_lane_inputs *inputs = tirbi_lane_inputs_of(machine, loop);
    tirbi_lane_copies *known = inputs->are_kept ? &machine->copies[inputs->copies] : NULL;
    if (!known || !tirbi_lane_note_inputs(&known->again, loop, inputs, slots, tirbi_frame_refs(machine->frame)))
        return NULL;
    known->n = 0;
    return known;
}

tirb_status tirbi_lane_copy_run(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_reach *reaches,
                                const uint64_t *slots, bool in_any_order) {
    copying c;
    c.machine = machine;
    c.loop = loop;
    c.reaches = reaches;
    c.slots = slots;
    c.known = note_entry(machine, loop, slots);
    c.done = 0;
    bool stopped = false;
    for (unsigned i = 0; i < loop->n_copies && loop->n_copies > 1 && in_any_order && !stopped; i++)
        if (!(c.done >> i & 1)) copy_together(&c, i, &stopped);
    for (unsigned i = 0; i < loop->n_copies && loop->n_copies > 1 && in_any_order && !stopped; i++)
        if (!(c.done >> i & 1)) copy_parts(&c, i, &stopped);
    for (unsigned i = 0; i < loop->n_copies && !stopped; i++)
        if (!(c.done >> i & 1)) stopped = !copy_alone(&c, i);
    if (c.known && !stopped) c.known->again.loop = loop;
    return stopped ? tirbi_poll(machine) : TIRB_OK;
}

/* ---- As the time before ----------------------------------------------------------------------------------------- */

static size_t known_size(void) { return TIRBI_COPIES_KNOWN * sizeof(tirbi_lane_copies); }

static tirb_status make_known(tirbi_machine *machine) {
    bool are_made;
    machine->copies =
        tirbi_spare_take_made(machine->spares, TIRBI_SPARE_COPIES, machine->heap, known_size(), &are_made);
    if (!machine->copies) TIRBI_TRY(tirbi_poll(machine));
    if (!machine->copies)
        return tirbi_error_set(machine->error, tirbi_heap_status(machine->heap), "no memory for copies");
    for (unsigned i = 0; i < TIRBI_COPIES_KNOWN && !are_made; i++) {
        machine->copies[i].again.loop = NULL;
        machine->copies[i].again.missed = 0;
    }
    return TIRB_OK;
}

void tirbi_lane_copies_forget(tirbi_machine *machine) {
    tirbi_spare_leave(machine->spares, TIRBI_SPARE_COPIES, machine->heap, known_size());
}

const tirbi_lane_again *tirbi_lane_copies_again(const tirbi_lane_copies *copies, const tirbi_lane_inputs *inputs) {
    return &copies[inputs->copies].again;
}

tirb_status tirbi_lane_copies_run(tirbi_machine *machine, tirbi_lane_copies *copies, const tirbi_lane_inputs *inputs) {
    tirbi_lane_copies *known = &copies[inputs->copies];
    known->again.missed = 0;
    TIRBI_TRY(tirbi_charge(machine, known->again.cost));
    for (unsigned i = 0; i < known->n; i++) {
        tirbi_box *b = &known->boxes[i].box;
        b->stop = machine->stop;
        machine->streamed |= b->past;
        if (tirbi_box_run(b)) continue;
        known->again.loop = NULL;
        return tirbi_poll(machine);
    }
    return TIRB_OK;
}

tirb_status tirbi_lane_copies_enter(tirbi_machine *machine, const tirbi_lane_loop *loop,
                                    const tirbi_lane_inputs *inputs) {
    if (!machine->copies) TIRBI_TRY(make_known(machine));
    tirbi_lane_again *again = &machine->copies[inputs->copies].again;
    if (tirbi_lane_is_again(again, loop, inputs, tirbi_frame_slots(machine->frame), tirbi_frame_refs(machine->frame)))
        return tirbi_lane_copies_run(machine, machine->copies, inputs);
    again->loop = NULL; /* not all ways to enter it come to noting that */
    const bool is_often_other = again->missed++ > TIRBI_LANE_PATIENCE;
    return is_often_other && tirbi_lane_may_be_row_copy(loop) ? tirbi_lane_copy_row(machine, loop)
                                                              : tirbi_lane_run_general(machine, loop, false);
}
