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
