/* Bodies with multiply-adds, where there is no instruction for these, as loops from memory to memory (vm/lanes/loops.h)
 * over some strips' lanes at a time.
 *
 * Such a multiply-add takes its operands from memory in any case, and a call for the few lanes of a bank takes as long
 * as many of them. Instructions are done from what is stored back to what it is computed from, that with more below it
 * first, which keeps the strips few that are in use. */
#include <string.h>

#include "vm/lanes/forms.h"
#include "vm/lanes/loops.h"
#include "vm/translate/lane_stream.h"

enum { MOST = 128, MOST_DEPTH = 40, MOST_STRIPS = TIRBI_MAX_LANE_REGS };

typedef struct loops {
    lane_planner *p;
    stream_body body;
    uint32_t n;
    stream_value values[MOST];
    bool taken[MOST_STRIPS];
} loops;

static stream_value *value_of(loops *l, const lane_ins *reader, unsigned i) {
    const lane_ins *setter = tirbi_lane_find_setter(&l->body, reader, i);
    return setter && tirbi_lane_computes(setter) ? &l->values[setter - l->body.first] : NULL;
}

/* Counts what reads each result; false: the body has something else, or more, or a result that nothing reads. */
static bool read_body(loops *l) {
    const lane_body *body = l->p->body;
    if (l->n > MOST) return false;
    memset(l->values, 0, l->n * sizeof *l->values);
    for (uint32_t i = 0; i < l->n; i++) {
        const lane_ins *ins = &l->body.first[i];
        if (ins->op == TIRB_OP_VSPLAT) {
            /* Bodies for parts of blocks may fill such a strip once, for all rows. */
            if (ins->dest < MOST_STRIPS) l->taken[ins->dest] = true;
            continue;
        }
        if (ins->op == TIRB_OP_VLOAD && ins->number == 0) continue;
        const bool stores = ins->op == TIRB_OP_VSTORE && body->strides[ins->cursor] == STRIDE_ONE;
        if (!stores && !tirbi_lane_computes(ins)) return false;
        for (unsigned k = 0; k < ins->n_reads; k++) {
            stream_value *v = value_of(l, ins, k);
            if (!v) continue;
            v->reads++;
            if (v->depth >= l->values[i].depth) l->values[i].depth = (uint8_t)(v->depth + 1);
        }
        if (l->values[i].depth > MOST_DEPTH) return false;
    }
    /* Loops are for what is stored: what nothing reads would not be done, and might trap. */
    for (uint32_t i = 0; i < l->n; i++)
        if (tirbi_lane_computes(&l->body.first[i]) && l->values[i].reads == 0) return false;
    return true;
}

static uint16_t take_strip(loops *l) {
    for (unsigned i = 0; i < MOST_STRIPS && l->p->first_strip + i < l->p->spare_strip; i++) {
        if (l->taken[i]) continue;
        l->taken[i] = true;
        return (uint16_t)(l->p->first_strip + i);
    }
    return 0;
}

/* The operands of a loop were read. */
static void leave_operands(loops *l, const lane_ins *reader, const lane_ins *but) {
    for (unsigned i = 0; reader && i < reader->n_reads; i++) {
        stream_value *v = value_of(l, reader, i);
        if (!v || tirbi_lane_find_setter(&l->body, reader, i) == but || --v->reads > 0) continue;
        l->taken[v->strip - l->p->first_strip] = false;
    }
}

static void emit_loop(loops *l, const stream_loop *loop, uint16_t to, uint8_t size) {
    const lane_planner *p = l->p;
    tirbi_word pointers = {.list = {to}}, steps = {.list = {is_cursor(p, to) ? size : 0}};
    for (unsigned i = 0; i < 3; i++) {
        const stream_operand *o = &loop->operands[loop->operands[i].is_there ? i : 0];
        pointers.list[i + 1] = o->pointer;
        steps.list[i + 1] = is_cursor(p, o->pointer) && !o->is_scalar ? o->size : 0;
    }
    tirbi_translate_word(p->emitter, pointers);
    tirbi_translate_word(p->emitter, steps);
    tirbi_translate_word(p->emitter, (tirbi_word){.kernel = loop->kernel});
}

static bool do_ins(loops *l, const lane_ins *ins, uint16_t to);

/* Does first what operands are computed by that are nowhere yet, the deepest ones before others. */
static bool do_operands(loops *l, const lane_ins *const *readers, const lane_ins *inner) {
    for (;;) {
        const lane_ins *next = NULL;
        for (unsigned k = 0; k < 2; k++) {
            for (unsigned i = 0; readers[k] && i < readers[k]->n_reads; i++) {
                const lane_ins *setter = tirbi_lane_find_setter(&l->body, readers[k], i);
                const stream_value *v = value_of(l, readers[k], i);
                if (!v || setter == inner || v->strip != 0) continue;
                if (!next || v->depth > l->values[next - l->body.first].depth) next = setter;
            }
        }
        if (!next) return true;
        if (!do_ins(l, next, 0)) return false;
    }
}

/* The loop that gives the instruction's result, to a cursor or to a strip, and before it those that its operands
 * need. */
static bool do_ins(loops *l, const lane_ins *ins, uint16_t to) {
    const lane_ins *const inner = tirbi_lane_find_loop(&l->body, ins).inner, *const readers[2] = {inner, ins};
    if (!do_operands(l, readers, inner)) return false;
    const stream_loop loop = tirbi_lane_find_loop(&l->body, ins);
    if (!loop.kernel || loop.inner != inner) return false;
    const uint8_t size = tirbi_dtypes[ins->type].size;
    const bool is_strip = to == 0, resizes = loop.operands[0].size != size;
    if (is_strip && resizes) to = take_strip(l); /* elements of another size are not where they were */
    leave_operands(l, inner, NULL);
    leave_operands(l, ins, inner);
    if (is_strip && !resizes) to = take_strip(l);
    if (to == 0) return false;
    if (is_strip) l->values[ins - l->body.first].strip = to;
    emit_loop(l, &loop, to, size);
    return true;
}

/* A store: by the loop that gives what is stored, where nothing else reads it. */
static bool do_store(loops *l, const lane_ins *store) {
    const lane_ins *setter = tirbi_lane_find_setter(&l->body, store, 0);
    stream_value *v = value_of(l, store, 0);
    const uint16_t to = pointer_of_cursor(store->cursor);
    const uint8_t type = store->type, size = tirbi_dtypes[type].size;
    const bool is_float = tirbi_dtype_is_float((tirbi_dtype)type);
    if (!v || setter->type != type || type == TIRB_BOOL || (is_float && size < 4)) return false;
    if (is_float && tirbi_op_copies(setter->op)) return false; /* of NaNs as they are */
    if (v->reads == 1 && v->strip == 0) return do_ins(l, setter, to);
    if (v->strip == 0 && !do_ins(l, setter, 0)) return false;
    const stream_loop copy = {.kernel = l->p->code->kernels->op[TIRB_OP_MOV - TIRBI_FIRST_ELEMENTWISE][type],
                              .operands = {{true, false, v->strip, size}}};
    emit_loop(l, &copy, to, size);
    leave_operands(l, store, NULL);
    return true;
}

/* Other instructions take about as long on banks as by loops, and so do multiply-adds that are done there. */
static bool is_worth_it(const loops *l) {
    enum { OTHERS = 8 };
    const bool in_banks = (l->p->code->lanes->features & TIRBI_LANE_FUSES_F32) != 0;
    unsigned n_fused = 0, n_others = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const uint8_t op = l->body.first[i].op;
        const bool fuses = op == TIRB_OP_VFMA || op == TIRB_OP_VFMS || op == TIRB_OP_VFNMA;
        const bool is_fused = fuses && !(in_banks && l->body.first[i].type == TIRB_F32);
        n_fused += is_fused;
        n_others += !is_fused && tirbi_lane_computes(&l->body.first[i]);
    }
    return n_fused > 0 && n_others <= OTHERS * n_fused;
}

static bool may_run(const lane_planner *p) {
    enum { MOST_AT_ONCE = 1 << 15 };
    const tirbi_lane_loop *loop = p->loop;
    const lane_body *body = p->body;
    return !p->emitter->failed && body->main_size != 0 &&
           loop->one_row == loop->full && loop->n_inner == loop->n_outer && loop->n_scans == 0 && body->n_own == 0 &&
           !body->reduces && (1 + body->weight) * loop->lanes <= MOST_AT_ONCE;
}

/* The body as loops behind one word; 0: it is none. Few of them are for rows of few lanes on any machine. */
static uint32_t plan(lane_planner *p, bool is_short) {
    enum { LOOKED_AT = 8, MOST_IN_SHORT = 2 };
    loops *l = tirbi_heap_alloc(p->code->heap, sizeof *l);
    if (!l) {
        p->emitter->failed = true;
        return 0;
    }
    const uint32_t begin = p->emitter->all.n;
    memset(l, 0, sizeof *l);
    l->p = p;
    l->body = (stream_body){
        .planner = p, .first = p->body->ins + p->loop->n_outer, .values = l->values, .by_rows = true};
    l->n = p->body->n - 2 * (uint32_t)p->loop->n_outer;
    bool is_done = (is_short || is_worth_it(l)) && read_body(l);
    p->emitter->heap->work += is_done ? l->n * l->n / LOOKED_AT : 0;
    if (is_done) emit(p, TIRBI_L_LOOPS, TIRBI_MAX_STRIP_BYTES / p->body->widest, 0, 0);
    for (uint32_t i = 0; i < l->n && is_done; i++)
        if (l->body.first[i].op == TIRB_OP_VSTORE) is_done = do_store(l, &l->body.first[i]);
    is_done = is_done && !p->emitter->failed;
    if (is_short) is_done = is_done && p->emitter->all.n - begin <= 1 + 3 * MOST_IN_SHORT;
    tirbi_heap_free(p->code->heap, l, sizeof *l);
    if (!is_done) {
        tirbi_emitter_cut(p->emitter, begin);
        return 0;
    }
    p->emitter->all.words[begin].jump = (int32_t)(p->emitter->all.n - begin);
    emit(p, TIRBI_L_NEXT_BLOCK, 0, 0, 0);
    return begin;
}

uint32_t tirbi_lane_plan_loops(lane_planner *p) {
    enum { FEW_BLOCKS = 2, MANY_BLOCKS = 64 };
    if ((p->code->lanes->features & TIRBI_LANE_HAS_FMA) != 0 || !may_run(p)) return 0;
    const uint32_t begin = plan(p, false);
    if (begin == 0) return 0;
    p->bodies.reads_behind_stores = p->body->n_stores > 1;
    p->bodies.registers_from = FEW_BLOCKS * p->loop->lanes;
    p->loop->strip_size = TIRBI_MAX_STRIP_BYTES;
    p->loop->calm_blocks = tirbi_lane_calm_blocks(p, MANY_BLOCKS);
    return begin;
}

uint32_t tirbi_lane_plan_short(lane_planner *p) {
    enum { LONGEST = 12 };
    if (p->code->lanes->more_rows) return 0; /* it stores parts of blocks as they are */
    return p->loop->n_inner == 0 && p->body->n <= LONGEST && p->body->n_stores == 1 && may_run(p) ? plan(p, true) : 0;
}
