#include "vm/exec/lane_ends.h"

#include "loader/base/checked.h"
#include "vm/exec/lane_entry.h"
#include "vm/lanes/slots.h"

/* ---- Finding them ----------------------------------------------------------------------------------------------- */

/* Where a lane register's elements come from: the instruction, or NULL. */
static const lane_ins *origin_of(const lane_body *body, uint32_t before, uint8_t reg) {
    for (uint32_t i = before; i-- > 0;)
        if (body->ins[i].dest == reg) return &body->ins[i];
    return NULL;
}

static bool is_element(const lane_ins *ins, uint8_t type) {
    return ins && ins->type == type && (ins->op == TIRB_OP_VLOAD || ins->op == TIRB_OP_VSPLAT);
}

static bool set_terms(const lane_ins *const *elements, uint8_t type, tirbi_lane_ending *ending) {
    for (unsigned i = 0; i < 2; i++) {
        if (!is_element(elements[i], type)) return false;
        ending->terms[i].is_scalar = elements[i]->op == TIRB_OP_VSPLAT;
        ending->terms[i].cursor = elements[i]->cursor;
        ending->terms[i].slot = elements[i]->slot;
    }
    return true;
}

static bool term_of(uint8_t op, unsigned *term) {
    switch (op) {
    case TIRB_OP_VADD: *term = TIRBI_TERM_SUM; return true;
    case TIRB_OP_VSUB: *term = TIRBI_TERM_DIFFERENCE; return true;
    case TIRB_OP_VMUL: *term = TIRBI_TERM_PRODUCT; return true;
    default: return false;
    }
}

bool tirbi_lane_find_ending(const lane_body *body, tirbi_code *code, tirbi_lane_loop *loop) {
    enum { MOST = 4 }; /* two elements, an operation and the scan */
    if (body->n < 2 || body->n > MOST || loop->n_inner > 0 || loop->n_scans != 1 || body->n_seeks > 0) return true;
    const lane_ins *scan = &body->ins[body->n - 1];
    const bool fused = scan->op == TIRB_OP_VSCANMA;
    unsigned used = 0, loads = 0, term = TIRBI_TERM_ELEMENT, fold = scan->fold & TIRBI_SCAN_OP;
    const bool shows = (scan->fold & TIRBI_SCAN_BITS) != 0;
    if ((scan->op != TIRB_OP_VSCAN && !fused) || shows || fold >= TIRBI_N_SCAN_OPS) return true;
    const bool is_swapped = (scan->fold & TIRBI_SCAN_SWAPPED) != 0;
    if (fused && is_swapped) return true;
    const lane_ins *x = origin_of(body, body->n - 1, scan->reads[0]), *elements[2] = {x, x};
    if (fused) elements[1] = origin_of(body, body->n - 1, scan->reads[1]);
    if (!fused && x && x->type == scan->type && term_of(x->op, &term)) {
        const uint32_t before = (uint32_t)(x - body->ins);
        elements[0] = origin_of(body, before, x->reads[0]);
        elements[1] = origin_of(body, before, x->reads[1]);
        used++;
    }
    tirbi_lane_ending ending = {.slot = scan->slot, .type = scan->type};
    if (!set_terms(elements, scan->type, &ending)) return true;
    used += elements[0] == elements[1] ? 2 : 3;
    for (unsigned i = 0; i < (elements[0] == elements[1] ? 1u : 2u); i++) loads += elements[i]->op == TIRB_OP_VLOAD;
    if (used != body->n || loads != loop->n_cursors) return true;
    const tirbi_fused_ordered *ordered = code->kernels->fused;
    ending.end = fused ? ordered->endma[fold][scan->type]
                       : ordered->end[term][fold + (is_swapped ? (unsigned)TIRBI_N_SCAN_OPS : 0)][scan->type];
    const bool extreme = !fused && (fold == TIRBI_SCAN_MIN || fold == TIRBI_SCAN_MAX);
    ending.is_float_extreme = extreme && tirbi_dtype_is_float((tirbi_dtype)scan->type);
    if (!ending.end) return true;
    tirbi_lane_ending *kept = TIRBI_NEW(&code->arena, tirbi_lane_ending);
    if (kept) *kept = ending;
    loop->ending = kept;
    return kept != NULL;
}

/* ---- Running them ----------------------------------------------------------------------------------------------- */

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
