#include "vm/translate/lane_whole.h"

#include <string.h>

/* ---- Copies and fills ------------------------------------------------------------------------------------------- */

/* A store of what was loaded or splat directly before it, or before other such stores. Bools are brought to 0 and 1 by
 * loads, and a NaN to its canonical form by stores of floats: that is more than a copy. */
static bool read_copy(const lane_body *body, const lane_ins *source, const lane_ins *store, tirbi_lane_copy *out) {
    if (store->op != TIRB_OP_VSTORE || store->reads[0] != source->dest || store->type == TIRB_BOOL) return false;
    if (tirbi_dtypes[store->type].size != tirbi_dtypes[source->type].size) return false;
    out->to = store->cursor;
    out->fills = source->op == TIRB_OP_VSPLAT;
    out->from = source->cursor;
    out->slot = source->slot;
    out->type = store->type;
    out->settled = store->settled || !tirbi_dtype_is_float((tirbi_dtype)store->type);
    for (unsigned k = 0; out->fills && k < body->header->n_inner; k++)
        if (body->header->inner[k].index == source->slot) return false;
    return out->fills || (source->op == TIRB_OP_VLOAD && out->settled);
}

tirb_status tirbi_lane_copy_find(const lane_body *body, tirbi_lane_loop *loop, tirbi_code *code) {
    const lane_ins *source = NULL;
    uint32_t end = body->n - loop->n_outer;
    if (loop->n_outer != loop->n_inner || end - loop->n_outer > TIRBI_MAX_CURSORS) return TIRB_OK;
    tirbi_lane_copy copies[TIRBI_MAX_CURSORS];
    uint8_t n = 0;
    for (uint32_t i = loop->n_outer; i < end; i++) {
        const lane_ins *ins = &body->ins[i];
        if (ins->op == TIRB_OP_VLOAD || ins->op == TIRB_OP_VSPLAT)
            source = ins;
        else if (!source || !read_copy(body, source, ins, &copies[n++]))
            return TIRB_OK;
    }
    tirbi_lane_copy *kept = TIRBI_NEW_ARRAY(&code->arena, tirbi_lane_copy, n);
    if (!kept) return tirbi_heap_status(code->heap);
    memcpy(kept, copies, n * sizeof *kept);
    loop->copies = kept;
    loop->n_copies = n;
    return TIRB_OK;
}

/* ---- Scans of which only the end is read --------------------------------------------------------------------- */

/* Where a lane register's elements come from: the instruction, or NULL. */
static const lane_ins *origin_of(const lane_body *body, uint32_t before, uint8_t reg) {
    for (uint32_t i = before; i-- > 0;)
        if (body->ins[i].dest == reg) return &body->ins[i];
    return NULL;
}

/* The number of the instruction that gives reg ahead of instruction `before`; `before`: none does. */
static uint32_t origin_at(const lane_body *body, uint32_t before, uint8_t reg) {
    const lane_ins *ins = origin_of(body, before, reg);
    return ins ? (uint32_t)(ins - body->ins) : before;
}

/* Elements that others number: a load of these, a look at whether there are such elements, and the load of them. */
static bool set_named(const lane_body *body, uint32_t at, tirbi_lane_term *term, unsigned *used) {
    const lane_ins *load = &body->ins[at];
    const uint32_t from = origin_at(body, at, load->reads[0]);
    const lane_ins *numbers = &body->ins[from];
    if (from == at || numbers->op != TIRB_OP_VLOAD || numbers->type != load->source) return false;
    if (numbers->type != TIRB_I32 && numbers->type != TIRB_I64) return false;
    *term = (tirbi_lane_term){.is_named = true, .is_wide = numbers->type == TIRB_I64, .cursor = numbers->cursor,
                              .table = load->cursor, .slot = TIRBI_NO_REG};
    *used += 2;
    for (uint32_t i = from + 1; i < at; i++) {
        const lane_ins *index = &body->ins[i];
        if (index->op != TIRB_OP_VINDEX || index->reads[0] != load->reads[0]) continue;
        if (index->type != numbers->type || index->number >= TIRBI_INDEX_UNSIGNED || term->slot != TIRBI_NO_REG)
            return false;
        term->slot = index->slot;
        ++*used;
    }
    return true;
}

/* One term, from instruction `at`; adds to *used how many instructions it takes. */
static bool set_term(const lane_body *body, uint32_t at, uint8_t type, tirbi_lane_term *term, unsigned *used) {
    const lane_ins *ins = &body->ins[at];
    if (ins->type != type) return false;
    if (ins->op == TIRB_OP_VLOADX) return set_named(body, at, term, used);
    if (ins->op != TIRB_OP_VLOAD && ins->op != TIRB_OP_VSPLAT) return false;
    *term = (tirbi_lane_term){.is_scalar = ins->op == TIRB_OP_VSPLAT, .cursor = ins->cursor, .slot = ins->slot};
    ++*used;
    return true;
}

static unsigned cursors_of(const tirbi_lane_term *term) { return term->is_scalar ? 0 : term->is_named ? 2 : 1; }

static bool term_of(uint8_t op, unsigned *term) {
    switch (op) {
    case TIRB_OP_VADD: *term = TIRBI_TERM_SUM; return true;
    case TIRB_OP_VSUB: *term = TIRBI_TERM_DIFFERENCE; return true;
    case TIRB_OP_VMUL: *term = TIRBI_TERM_PRODUCT; return true;
    default: return false;
    }
}

bool tirbi_lane_find_ending(const lane_body *body, tirbi_code *code, tirbi_lane_loop *loop) {
    enum { MOST = 8 }; /* two elements that others number, an operation and the scan */
    if (body->n < 2 || body->n > MOST || loop->n_inner > 0 || loop->n_scans != 1 || body->n_seeks > 0) return true;
    const uint32_t last = body->n - 1;
    const lane_ins *scan = &body->ins[last];
    const bool fused = scan->op == TIRB_OP_VSCANMA;
    unsigned used = 1, term = TIRBI_TERM_ELEMENT, fold = scan->fold & TIRBI_SCAN_OP;
    const bool shows = (scan->fold & TIRBI_SCAN_BITS) != 0;
    if ((scan->op != TIRB_OP_VSCAN && !fused) || shows || fold >= TIRBI_N_SCAN_OPS) return true;
    const bool is_swapped = (scan->fold & TIRBI_SCAN_SWAPPED) != 0;
    if (fused && is_swapped) return true;
    uint32_t x = origin_at(body, last, scan->reads[0]), y = x;
    if (x == last) return true;
    if (fused) {
        y = origin_at(body, last, scan->reads[1]);
    } else if (body->ins[x].type == scan->type && term_of(body->ins[x].op, &term)) {
        const uint32_t before = x;
        x = origin_at(body, before, body->ins[before].reads[0]);
        y = origin_at(body, before, body->ins[before].reads[1]);
        used++;
    }
    tirbi_lane_ending ending = {.slot = scan->slot, .type = scan->type};
    unsigned again = 0;
    if (!set_term(body, x, scan->type, &ending.terms[0], &used) ||
        !set_term(body, y, scan->type, &ending.terms[1], y == x ? &again : &used))
        return true;
    const unsigned cursors = cursors_of(&ending.terms[0]) + (y == x ? 0 : cursors_of(&ending.terms[1]));
    if (used != body->n || cursors != loop->n_cursors) return true;
    const tirbi_fused_ordered *ordered = code->kernels->fused;
    ending.end = fused ? ordered->endma[fold][scan->type]
                       : ordered->end[term][fold + (is_swapped ? (unsigned)TIRBI_N_SCAN_OPS : 0)][scan->type];
    const bool extreme = !fused && (fold == TIRBI_SCAN_MIN || fold == TIRBI_SCAN_MAX);
    ending.is_float_extreme = extreme && tirbi_dtype_is_float((tirbi_dtype)scan->type);
    ending.is_named = ending.terms[0].is_named || ending.terms[1].is_named;
    if (!ending.end) return true;
    tirbi_lane_ending *kept = TIRBI_NEW(&code->arena, tirbi_lane_ending);
    if (kept) *kept = ending;
    loop->ending = kept;
    return kept != NULL;
}
