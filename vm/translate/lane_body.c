/* Reading a lane loop's body: decoding, costs, the uses of cursors, and which lane registers are read where. */
#include "vm/translate/lane_body.h"

#include <string.h>

#include "loader/base/bytes.h"
#include "loader/base/error.h"
#include "loader/base/work.h"
#include "vm/translate/constants.h"
#include "vm/translate/flow.h"

/* Turns of other passes: some take as long for an instruction. */
enum { TURNS_OF_ONE = 4 };

/* ---- Decoding ------------------------------------------------------------------------------------------------- */

/* Room for a body of so many bytes. Its instructions have four and more, but for those of loops, and of these only
 * vwhile may be there often. */
static bool make_room(lane_body *body, tirbi_heap *heap, uint32_t bytes) {
    enum { USUAL = 4, SHORT = 2 * LANE_MAX_LOOPS };
    body->capacity = bytes / USUAL + SHORT;
    if (body->capacity < LANE_FEW) body->capacity = LANE_FEW;
    body->ins = body->capacity == LANE_FEW ? body->few : tirbi_heap_alloc(heap, body->capacity * sizeof *body->ins);
    if (!body->ins) body->capacity = 0;
    return body->ins != NULL;
}

static lane_ins *add_ins(lane_body *body, tirbi_heap *heap) {
    if (body->n == body->capacity) {
        const bool are_few = body->ins == body->few;
        const uint32_t capacity = body->capacity + body->capacity / 8 + 1;
        const size_t before = are_few ? 0 : body->capacity * sizeof(lane_ins);
        lane_ins *const grown =
            tirbi_heap_resize(heap, are_few ? NULL : body->ins, before, capacity * sizeof *grown);
        if (!grown) return NULL;
        if (are_few) memcpy(grown, body->few, body->n * sizeof *grown);
        body->ins = grown;
        body->capacity = capacity;
    }
    return &body->ins[body->n++];
}

/* In large parts, as what is left is moved. */
bool tirbi_lane_body_drop(lane_body *body, tirbi_heap *heap, uint32_t number) {
    enum { PARTS = 4, LEAST = 1 << 10 };
    const uint32_t done = number - body->first, left = body->n - number;
    if (done < LEAST || done < body->n / PARTS || left == 0) return true;
    if (!tirbi_heap_move(heap, body->ins, body->ins + done, left * sizeof *body->ins)) return false;
    body->first = number;
    const size_t before = body->capacity * sizeof *body->ins, after = left * sizeof *body->ins;
    if (!tirbi_heap_discard(heap, body->ins + left, before - after)) return false;
    lane_ins *const kept = tirbi_heap_resize(heap, body->ins, before, after);
    if (!kept) return true; /* all of it is still there */
    body->ins = kept;
    body->capacity = left;
    return true;
}

static void add_read(lane_ins *ins, int64_t reg) {
    ins->reads[ins->n_reads] = (uint8_t)reg;
    ins->n_reads = (ins->n_reads + 1u) & 3u;
}

/* What most bodies are made of, from its bytes, which have been verified. Its size; 0: it is another. */
static inline uint32_t read_usual(lane_body *body, const uint8_t *code, lane_ins *ins) {
    enum { LANE_ROW = TIRBI_FLAG_LANE | TIRBI_FLAG_ELEMENTWISE, OPERANDS = 2 };
    const tirbi_op_info *info = &tirbi_ops[code[0]];
    const uint8_t type = code[1], *const o = code + OPERANDS;
    *ins = (lane_ins){.op = code[0], .type = type, .source = type, .dest = o[0]};
    if ((info->flags & LANE_ROW) == LANE_ROW) {
        ins->n_reads = info->arity & 3u;
        for (unsigned i = 0; i < info->arity; i++) ins->reads[i] = o[1 + i];
        const bool has_source = ins->op == TIRB_OP_VCAST || ins->op == TIRB_OP_VBITS;
        if (has_source) ins->source = o[2];
        ins->operation = tirbi_lane_find_operation(body, ins->op, type, ins->source);
        return ins->size = (OPERANDS + 1u + info->arity + has_source) & 15u;
    }
    switch (ins->op) {
    case TIRB_OP_VLOAD:
        ins->cursor = o[1];
        return ins->size = OPERANDS + 2;
    case TIRB_OP_VSTORE:
        ins->dest = NO_LANE_REG;
        ins->cursor = o[0];
        ins->reads[0] = o[1];
        ins->n_reads = 1;
        return ins->size = OPERANDS + 2;
    case TIRB_OP_VSPLAT:
        ins->slot = tirbi_load_u16(o + 1);
        return ins->size = OPERANDS + 3;
    default:
        return 0;
    }
}

/* Any other. */
static void fill_ins(lane_ins *ins, const tirbi_instr *in, tirbi_constants *constants) {
    const int64_t *o = in->operand;
    *ins = (lane_ins){.op = in->op, .type = in->type, .source = in->type, .size = in->size & 15, .dest = NO_LANE_REG};
    switch (in->op) {
    case TIRB_OP_INNER:
    case TIRB_OP_INNER_END:
        ins->cursor = (uint8_t)o[0];
        return;
    case TIRB_OP_VIOTA:
        ins->dest = (uint8_t)o[0];
        ins->slot = (uint16_t)o[1];
        ins->step = tirbi_slot_of_x(constants, (uint16_t)o[2]);
        return;
    case TIRB_OP_VRED:
    case TIRB_OP_VREDMA:
        ins->cursor = (uint8_t)o[0];
        add_read(ins, o[1]);
        if (in->op == TIRB_OP_VREDMA) add_read(ins, o[2]);
        return;
    case TIRB_OP_VWHILE:
        add_read(ins, o[0]);
        return;
    case TIRB_OP_VINDEX:
        add_read(ins, o[0]);
        ins->slot = (uint16_t)o[1];
        ins->number = (uint8_t)o[2];
        ins->step = (uint16_t)o[3];
        return;
    case TIRB_OP_VLOADX:
        ins->dest = (uint8_t)o[0];
        ins->cursor = (uint8_t)o[1];
        add_read(ins, o[2]);
        ins->source = (uint8_t)o[3];
        return;
    case TIRB_OP_VSTOREX:
    case TIRB_OP_VUPDATE:
        ins->cursor = (uint8_t)o[0];
        add_read(ins, o[1]);
        add_read(ins, o[2]);
        ins->source = (uint8_t)o[3];
        if (in->op == TIRB_OP_VUPDATE) ins->fold = (uint8_t)o[4];
        return;
    case TIRB_OP_VUPDATEMA:
        ins->cursor = (uint8_t)o[0];
        for (unsigned i = 0; i < 3; i++) add_read(ins, o[1 + i]);
        ins->source = (uint8_t)o[4];
        ins->fold = (uint8_t)o[5];
        return;
    case TIRB_OP_VADVANCE:
        ins->dest = (uint8_t)o[0];
        ins->slot = (uint16_t)o[1];
        ins->cursor = (uint8_t)o[2];
        ins->step = (uint16_t)o[3];
        ins->source = (uint8_t)o[4];
        return;
    case TIRB_OP_VFIND:
        ins->slot = (uint16_t)o[0];
        add_read(ins, o[1]);
        return;
    case TIRB_OP_VSCAN:
    case TIRB_OP_VSCANMA:
        ins->dest = (uint8_t)o[0];
        ins->slot = (uint16_t)o[1];
        add_read(ins, o[2]);
        if (in->op == TIRB_OP_VSCANMA) add_read(ins, o[3]);
        ins->fold = (uint8_t)o[in->op == TIRB_OP_VSCANMA ? 4 : 3];
        return;
    case TIRB_OP_VSTEP:
    case TIRB_OP_VSTEPMA:
        add_read(ins, o[0]);
        if (in->op == TIRB_OP_VSTEPMA) add_read(ins, o[1]);
        ins->fold = (uint8_t)o[in->op == TIRB_OP_VSTEPMA ? 2 : 1];
        return;
    default: /* vloop and vagain */
        return;
    }
}

static void fill_loop(lane_body *body, const tirbi_lane_header *header, tirbi_constants *constants,
                      tirbi_lane_loop *loop, tirbi_lane_cursor *cursors) {
    loop->n = tirbi_slot_of_x(constants, header->n);
    loop->n_inner = header->n_inner;
    loop->n_cursors = header->n_cursors;
    loop->cursors = cursors;
    for (unsigned k = 0; k < header->n_inner; k++) {
        loop->inner[k].extent = tirbi_slot_of_x(constants, header->inner[k].extent);
        loop->inner[k].index = header->inner[k].index;
    }
    for (unsigned c = 0; c < header->n_cursors; c++) {
        const tirbi_cursor *from = &header->cursors[c];
        tirbi_lane_cursor *to = &cursors[c];
        to->ref = from->ref;
        to->size = tirbi_dtypes[from->type].size;
        to->shift = (uint8_t)__builtin_ctz(to->size);
        to->access = from->access;
        to->indexed = from->level == TIRBI_LEVEL_INDEXED;
        to->before = 0;
        to->start = tirbi_slot_of_x(constants, from->start);
        to->step = tirbi_slot_of_x(constants, from->step);
        for (unsigned k = 0; k < header->n_inner; k++) to->steps[k] = tirbi_slot_of_x(constants, from->steps[k]);
        body->cursor_sizes[c] = to->size;
        body->strides[c] = STRIDE_ANY;
        body->steps[c] = 0;
        if (!tirbi_x_is_small(from->step)) continue;
        body->steps[c] = (int16_t)tirbi_x_small(from->step);
        if (tirbi_x_small(from->step) == 0) body->strides[c] = STRIDE_ZERO;
        if (tirbi_x_small(from->step) == 1) body->strides[c] = STRIDE_ONE;
        to->is_unit = body->strides[c] == STRIDE_ONE;
    }
}

static void add_use(tirbi_lane_cursor *cursor, uint8_t loops) {
    for (unsigned i = 0; i < cursor->n_uses; i++)
        if (cursor->uses[i] == loops) return;
    if (cursor->n_uses < sizeof cursor->uses) cursor->uses[cursor->n_uses++] = loops;
}

static void add_seek(lane_body *body, const tirbi_instr *in, tirbi_constants *constants, tirbi_lane_cursor *cursors) {
    const int64_t *o = in->operand;
    body->seeks[body->n_seeks++] = (tirbi_lane_seek){.cursor = (uint8_t)o[0],
                                                     .numbers = (uint8_t)o[1],
                                                     .type = in->type,
                                                     .scale = tirbi_slot_of_x(constants, (uint16_t)o[2]),
                                                     .limit = tirbi_slot_of_x(constants, (uint16_t)o[3])};
    cursors[o[0]].seek = (uint8_t)body->n_seeks;
}

/* ---- Analysis ------------------------------------------------------------------------------------------------- */

static uint64_t bit(uint8_t reg) { return reg == NO_LANE_REG ? 0 : UINT64_C(1) << reg; }

static uint64_t reads_of(const lane_ins *ins) {
    uint64_t set = 0;
    for (unsigned i = 0; i < ins->n_reads; i++) set |= UINT64_C(1) << ins->reads[i];
    return set;
}

/* Forwards: what each inner loop reads before it writes it, and what it writes. A nested loop may run zero times, so
 * what it writes is not written for sure. */
static void find_exposed(lane_body *body) {
    uint8_t open[LANE_MAX_LOOPS];
    uint64_t surely[LANE_MAX_LOOPS + 1] = {0};
    unsigned depth = 0;
    for (uint32_t i = 0; i < body->n && !tirbi_lane_body_is_stopped(body, i); i++) {
        const lane_ins *ins = &body->ins[i];
        if (tirbi_lane_loop_starts(ins->op)) {
            open[depth++] = ins->cursor;
            body->exposed[ins->cursor] = body->written[ins->cursor] = 0;
            surely[depth] = 0;
        } else if (tirbi_lane_loop_ends(ins->op)) {
            uint8_t loop = open[--depth];
            if (depth > 0) {
                body->exposed[open[depth - 1]] |= body->exposed[loop] & ~surely[depth];
                body->written[open[depth - 1]] |= body->written[loop];
            }
        } else if (depth > 0) {
            body->exposed[open[depth - 1]] |= reads_of(ins) & ~surely[depth];
            body->written[open[depth - 1]] |= bit(ins->dest);
            surely[depth] |= bit(ins->dest);
        }
    }
}

static uint16_t distance(uint32_t from, uint32_t to) {
    return (uint16_t)(to == TIRBI_NO_USE || to - from > UINT16_MAX ? 0 : to - from);
}

/* The instructions that read a register next; TIRBI_NO_USE: none do. */
typedef struct coming_reads {
    uint32_t at[2];
} coming_reads;

enum { OFTEN = 3 };

/* The set of operands that are read OFTEN from there on, and near: they are kept in banks for that. */
static unsigned find_often(const lane_ins *ins, uint32_t at, const coming_reads *coming) {
    unsigned set = 0;
    for (unsigned i = 0; i < ins->n_reads; i++) {
        const coming_reads *of = &coming[ins->reads[i]];
        if (of->at[0] - at >= LANE_LOOK_AHEAD && ins->alike != 7) continue; /* also where nothing reads it */
        unsigned times = 0;
        for (unsigned k = 0; k < ins->n_reads; k++) times += ins->reads[k] == ins->reads[i];
        const uint32_t last = times < OFTEN ? of->at[OFTEN - 1 - times] : at;
        if (last - at < LANE_LOOK_AHEAD) set |= 1u << i;
    }
    return set;
}

static unsigned find_alike(const lane_ins *ins) {
    const uint8_t *const r = ins->reads;
    unsigned set = ins->n_reads > 1 && r[0] == r[1];
    if (ins->n_reads > 2) set |= (unsigned)(r[1] == r[2]) << 1 | (unsigned)(r[0] == r[2]) << 2;
    return set;
}

static inline void find_next_reads(lane_ins *ins, uint32_t at, coming_reads *coming) {
    bool reads_dest = false;
    for (unsigned r = 0; r < ins->n_reads; r++) {
        ins->next[r] = distance(at, coming[ins->reads[r]].at[0]);
        reads_dest = reads_dest || ins->reads[r] == ins->dest;
    }
    if (tirbi_lane_computes(ins)) {
        ins->alike = find_alike(ins) & 7u;
        ins->often = find_often(ins, at, coming) & 7u;
    }
    if (ins->dest != NO_LANE_REG) {
        ins->next[3] = distance(at, coming[ins->dest].at[0]);
        if (!reads_dest) coming[ins->dest] = (coming_reads){{TIRBI_NO_USE, TIRBI_NO_USE}};
    }
    for (unsigned r = 0; r < ins->n_reads; r++) {
        coming_reads *of = &coming[ins->reads[r]];
        *of = (coming_reads){{at, of->at[0]}};
    }
}

/* A comparison the other way round. */
static void exchange(lane_body *body, lane_ins *ins, uint8_t op) {
    const uint8_t first = ins->reads[0];
    ins->op = op;
    ins->reads[0] = ins->reads[1];
    ins->reads[1] = first;
    ins->operation = tirbi_lane_find_operation(body, op, ins->type, ins->source);
}

static void choose_kind(lane_body *body, lane_ins *ins, unsigned main) {
    const lane_operation *operation = tirbi_lane_operation_of(body, ins);
    const bool shifts_narrow = ins->op == TIRB_OP_VSHR && tirbi_dtypes[ins->type].size < body->main_size;
    if (!(operation->divides || shifts_narrow) || ins->by_scalar) ins->kind = operation->kinds[main];
    if (ins->kind == 0) {
        body->only_banks = body->only_banks && !tirbi_lane_is_computed(body, ins);
        return;
    }
    if (ins->op == TIRB_OP_VGT) exchange(body, ins, TIRB_OP_VLT);
    if (ins->op == TIRB_OP_VGE) exchange(body, ins, TIRB_OP_VLE);
}

/* Backwards: which forms do each instruction in banks, what is live after it and where it is read next. */
static void find_live(lane_body *body) {
    coming_reads coming[TIRBI_MAX_LANE_REGS];
    memset(coming, 0xFF, body->function->n_lane_regs * sizeof *coming);
    const unsigned main = body->main_size ? (unsigned)__builtin_ctz(body->main_size) : 0;
    body->only_banks = body->main_size != 0;
    uint64_t live = 0;
    for (uint32_t i = body->n; i-- > 0 && !tirbi_lane_body_is_stopped(body, i * TURNS_OF_ONE);) {
        lane_ins *ins = &body->ins[i];
        if (tirbi_lane_computes(ins)) {
            if (body->main_size != 0) choose_kind(body, ins, main);
        } else if (tirbi_lane_loop_ends(ins->op)) {
            live |= body->exposed[ins->cursor];
            body->live_at_head[ins->cursor] = live;
        } else if (tirbi_lane_loop_starts(ins->op) || ins->op == TIRB_OP_VWHILE) {
            live |= body->live_at_head[ins->cursor]; /* lanes that leave keep all that is read behind the loop */
        }
        ins->live = live;
        find_next_reads(ins, i, coming);
        const uint64_t reads = reads_of(ins), dest = bit(ins->dest);
        live = (live & ~dest) | reads;
        body->used |= dest | reads;
    }
}

/* What an instruction counts for where banks hold lanes of some size. */
typedef struct weights {
    uint64_t pinned[4];  /* by that size, which is a power of two */
    uint64_t others;     /* what no banks can do */
    uint64_t resizes;    /* of those, what banks of 16 bits do while they load and store */
    uint64_t renames[4]; /* by size as well: casts that only give the lanes another name */
    uint64_t halves;     /* what is done to floats of 16 bits */
} weights;

enum { OF_1, OF_2, OF_4, OF_8 };

static bool divides(const lane_body *body, const lane_ins *ins) {
    return tirbi_lane_computes(ins) && tirbi_lane_operation_of(body, ins)->divides;
}

/* By indices. */
static bool names_elements(const lane_ins *ins) {
    return (ins->op >= TIRB_OP_VINDEX && ins->op <= TIRB_OP_VUPDATE) || ins->op == TIRB_OP_VUPDATEMA;
}

/* By numbers that banks of 4 bytes hold. */
static bool is_named_in_banks(const lane_ins *ins, uint32_t features) {
    if (!(features & TIRBI_LANE_HAS_GATHERS)) return false;
    return ins->op == TIRB_OP_VINDEX ? ins->type == TIRB_I32
                                     : ins->op == TIRB_OP_VLOADX && ins->source == TIRB_I32 &&
                                           tirbi_dtypes[ins->type].size == 4;
}

/* The registers that instructions from the head of a loop on up to its end set, to what is the same in all lanes with
 * `splats` alone. */
static void set_in_loop(const lane_body *body, uint32_t head, uint64_t *all, uint64_t *splats) {
    unsigned depth = 0;
    *all = *splats = 0;
    for (uint32_t i = head; i < body->n && !tirbi_lane_body_is_stopped(body, i); i++) {
        const lane_ins *ins = &body->ins[i];
        if (ins->op == TIRB_OP_VSPLAT)
            *splats |= bit(ins->dest);
        else
            *all |= bit(ins->dest);
        if (tirbi_lane_loop_starts(ins->op)) depth++;
        if (tirbi_lane_loop_ends(ins->op) && --depth == 0) break;
    }
}

/* The sets of registers that are the same in all lanes, and of constants below 8, and 16, among them. */
typedef struct scalar_sets {
    uint64_t scalars, below_8, below_16;
} scalar_sets;

static void add_to_sets(scalar_sets *sets, const lane_ins *ins, const tirbi_constants *constants) {
    uint64_t value = UINT64_MAX;
    const bool is_splat = ins->op == TIRB_OP_VSPLAT;
    if (is_splat && !tirbi_lane_splats_constant(ins, constants, &value)) value = UINT64_MAX;
    sets->scalars = is_splat ? sets->scalars | bit(ins->dest) : sets->scalars & ~bit(ins->dest);
    sets->below_8 = value < 8 ? sets->below_8 | bit(ins->dest) : sets->below_8 & ~bit(ins->dest);
    sets->below_16 = value < 16 ? sets->below_16 | bit(ins->dest) : sets->below_16 & ~bit(ins->dest);
}

/* Sets `by_scalar`. */
static void find_scalar_operands(lane_body *body, const tirbi_constants *constants) {
    scalar_sets sets = {0, 0, 0}, before[LANE_MAX_LOOPS];
    unsigned depth = 0;
    for (uint32_t i = 0; i < body->n && !tirbi_lane_body_is_stopped(body, i * TURNS_OF_ONE); i++) {
        lane_ins *ins = &body->ins[i];
        if (tirbi_lane_loop_starts(ins->op)) {
            uint64_t set, splats;
            set_in_loop(body, i, &set, &splats);
            sets.scalars &= ~set;
            sets.below_8 &= ~(set | splats);
            sets.below_16 &= ~(set | splats);
            before[depth++] = sets;
        } else if (tirbi_lane_loop_ends(ins->op)) {
            const scalar_sets *head = &before[--depth];
            sets.scalars &= head->scalars;
            sets.below_8 &= head->below_8;
            sets.below_16 &= head->below_16;
        }
        if (ins->op == TIRB_OP_VSHR) {
            const bool is_byte = tirbi_dtypes[ins->type].size == 1;
            ins->by_scalar = ((is_byte ? sets.below_8 : sets.below_16) & bit(ins->reads[1])) != 0;
        } else if (divides(body, ins)) {
            ins->by_scalar = (sets.scalars & bit(ins->reads[1])) != 0;
        }
        add_to_sets(&sets, ins, constants);
    }
}

/* Without a branch for each, which would be as likely as not. */
static inline void add_to_all(uint64_t *sums, unsigned set, uint64_t weight) {
    for (unsigned k = 0; k < 4; k++) sums[k] += weight & (0 - (uint64_t)(set >> k & 1));
}

/* Integers are divided in banks by what is the same in all lanes only. */
static inline void weigh(const lane_ins *ins, const lane_operation *operation, uint64_t weight, weights *w) {
    const bool any = tirbi_lane_has_kinds(operation) && (!operation->divides || ins->by_scalar);
    add_to_all(w->pinned, any ? operation->wanted : 0, weight);
    if (any && !operation->resizes) return;
    w->others += weight;
    if (operation->resizes) w->resizes += weight;
}

/* Builds that are tests in themselves translate lane loops in two ways, which have to agree: for plain C without
 * banks. */
static bool has_banks(const tirbi_lane_machine *machine) {
#ifdef TIRB_GENERIC_STRIPS
    return machine != tirbi_lane_machine_of(TIRB_ISA_GENERIC);
#else
    return machine != NULL;
#endif
}

/* Whether lanes that charge as they go may be in banks, as those in loops of their own do and those that vadvance
 * takes from range to range. Blocks are of other sizes there than those of kernels, and on other machines: what is
 * charged must not depend on the block in which something else traps or is found. */
static bool may_charge_in_banks(const lane_body *body) {
    unsigned n = 0;
    for (uint32_t i = 0; i < body->n && !tirbi_lane_body_is_stopped(body, i); i++) {
        const lane_ins *ins = &body->ins[i];
        n += divides(body, ins) || names_elements(ins) || ins->op == TIRB_OP_VFIND || ins->op == TIRB_OP_VADVANCE;
    }
    return n == 0 || (n == 1 && body->n_own == 0);
}

/* Beside sums and scans, casts that take no time in banks are no reason for them; and one operation on floats of 16
 * bits is done by a kernel before banks have widened them. */
static bool banks_do_most(const lane_body *body, const weights *w) {
    const unsigned main = (unsigned)__builtin_ctz(body->main_size);
    const uint64_t in_banks = w->pinned[main];
    const uint64_t for_nothing = body->reduces ? w->renames[main] : 0;
    return in_banks > 0 && in_banks >= w->others + for_nothing && !(in_banks == 1 && w->halves == 1);
}

/* The main size is the one with the most instructions that the banks can run, inner ones counting more. When kernels do
 * most of the work, no banks: strips are then larger. */
static void choose_main_size(lane_body *body) {
    const uint32_t features = body->features;
    weights w = {.others = 0};
    uint64_t weight = 1;
    body->widest = 1;
    for (uint32_t i = 0; i < body->n && !tirbi_lane_body_is_stopped(body, i); i++) {
        const lane_ins *ins = &body->ins[i];
        if (tirbi_lane_computes(ins)) {
            const lane_operation *operation = tirbi_lane_operation_of(body, ins);
            if (operation->widest > body->widest) body->widest = operation->widest;
            if (ins->op != TIRB_OP_VMOV) weigh(ins, operation, weight, &w);
            add_to_all(w.renames, operation->renames, weight);
            if (ins->type == TIRB_F16 || ins->type == TIRB_BF16) w.halves += weight;
            continue;
        }
        if (ins->op == TIRB_OP_VLOAD || ins->op == TIRB_OP_VSTORE || ins->op == TIRB_OP_VSPLAT) {
            const uint8_t size = tirbi_dtypes[ins->type].size;
            if (size > body->widest) body->widest = size;
            continue;
        }
        if (tirbi_lane_loop_starts(ins->op)) {
            weight = weight < (UINT64_C(1) << 20) ? weight * 8 : weight;
            continue;
        }
        if (tirbi_lane_loop_ends(ins->op)) {
            weight = weight > 1 ? weight / 8 : weight;
            continue;
        }
        uint8_t size = tirbi_dtypes[ins->type].size;
        if (size > body->widest) body->widest = size;
        if (tirbi_dtypes[ins->source].size > body->widest) body->widest = tirbi_dtypes[ins->source].size;
        if (ins->op == TIRB_OP_VRED || ins->op == TIRB_OP_VREDMA || tirbi_lane_ins_scans(ins)) {
            body->reduces = true;
            w.others += weight;
        } else if (is_named_in_banks(ins, features)) {
            if (ins->op == TIRB_OP_VLOADX) w.pinned[OF_4] += weight; /* checking them is as quick anywhere */
        } else if (names_elements(ins) || ins->op == TIRB_OP_VFIND) {
            w.others += weight;
        }
    }
    unsigned main = w.pinned[OF_8] > w.pinned[OF_4] ? OF_8 : OF_4;
    if (w.pinned[OF_2] > w.pinned[main]) main = OF_2;
    /* Strips have room for as many lanes of 4 bytes, but not of 8. */
    if (w.pinned[OF_1] > w.pinned[main] && body->widest <= 4) main = OF_1;
    body->main_size = (uint8_t)(1u << main);
    const bool words = body->main_size >= 4 && (features & TIRBI_LANE_HAS_WORDS) != 0;
    if (body->main_size == 2 || (words && body->main_size == 4)) w.others -= w.resizes;
    if (!banks_do_most(body, &w)) body->main_size = 0;
    /* A sign copied from a NaN would show whether it is canonical, which kernels see to and banks do not. */
    if (tirbi_lane_has(body, TIRB_OP_VCOPYSIGN, TIRB_OP_VCOPYSIGN) || !has_banks(body->code->lanes))
        body->main_size = 0;
    if ((body->n_own > 0 && !words) || (body->n_own + body->n_advances > 0 && !may_charge_in_banks(body)))
        body->main_size = 0;
    /* Tables of lanes hold 16 bits for each. */
    if (body->n_own > 0 || tirbi_lane_has(body, TIRB_OP_VADVANCE, TIRB_OP_VADVANCE)) {
        if (body->widest < sizeof(uint16_t)) body->widest = sizeof(uint16_t);
    }
    if (body->widest < body->main_size) body->widest = body->main_size;
    body->has_words = body->main_size >= 4 && words;
    body->has_steps = body->main_size >= 2 && (features & TIRBI_LANE_HAS_STEPS) != 0;
    body->has_picks = body->main_size >= 4 && (features & TIRBI_LANE_HAS_PICKS) != 0;
}

bool tirbi_lane_splats_constant(const lane_ins *ins, const tirbi_constants *constants, uint64_t *bits) {
    return tirbi_lane_may_splat_constant(ins->op, ins->type) && tirbi_flow_holds(constants->flow, ins->slot, bits);
}

static tirb_status keep_lists(const lane_body *body, tirbi_lane_loop *loop, const tirbi_code *code,
                              tirbi_arena *arena) {
    if (body->n_seeks == 0 && loop->n_scans == 0) return TIRB_OK;
    tirbi_lane_seek *seeks = TIRBI_NEW_ARRAY(arena, tirbi_lane_seek, body->n_seeks);
    tirbi_lane_scan *scans = TIRBI_NEW_ARRAY(arena, tirbi_lane_scan, loop->n_scans);
    if (!seeks || !scans) return tirbi_heap_status(code->heap);
    memcpy(seeks, body->seeks, body->n_seeks * sizeof *seeks);
    memcpy(scans, body->scans, loop->n_scans * sizeof *scans);
    loop->seeks = seeks;
    loop->scans = scans;
    loop->n_seeks = (uint8_t)body->n_seeks;
    return TIRB_OK;
}

/* What is open where a body is being read. */
typedef struct reading {
    lane_body *body;
    tirbi_lane_loop *loop;
    tirbi_lane_cursor *cursors;
    uint8_t open[TIRBI_MAX_INNER + 1];
    uint8_t around[TIRBI_MAX_INNER + 1];
    uint8_t own[TIRBI_MAX_OWN_DEPTH];
    unsigned depth, own_depth;
} reading;

/* Counts an instruction of an inner loop, or of the body outside of these. */
static inline void count_ins(const reading *r, uint32_t weight) {
    tirbi_lane_inner *const inner = r->depth > 0 ? &r->loop->inner[r->open[r->depth]] : NULL;
    uint32_t *const sum = inner ? &inner->weight : &r->loop->weight;
    *(inner ? &inner->instructions : &r->loop->instructions) += 1;
    *sum = tirbi_add_weight(*sum, weight);
}

static void add_own_cost(lane_body *body, uint8_t loop, uint32_t of_ins) {
    uint32_t *const cost = &body->own_cost[loop - TIRBI_MAX_INNER];
    *cost = tirbi_add_weight(*cost, of_ins);
}

/* Counts an instruction of the body, of any kind; `between_looks` is what it weighs there. */
static inline void note_ins(const reading *r, const lane_ins *ins, uint32_t weight, uint32_t between_looks) {
    lane_body *const body = r->body;
    body->weight += between_looks;
    if (between_looks > body->heaviest) body->heaviest = between_looks;
    body->ops[ins->op / 64] |= UINT64_C(1) << ins->op % 64;
    count_ins(r, weight);
    for (unsigned d = 0; d < r->own_depth; d++) add_own_cost(body, r->own[d], weight);
    if (ins->op == TIRB_OP_VLOAD || ins->op == TIRB_OP_VSTORE)
        add_use(&r->cursors[ins->cursor], r->around[r->depth]);
    body->n_stores += ins->op == TIRB_OP_VSTORE;
}

static void add_scan(lane_body *body, tirbi_lane_loop *loop, lane_ins *ins) {
    ins->number = loop->n_scans++;
    body->scans[ins->number] =
        ins->op == TIRB_OP_VADVANCE
            ? (tirbi_lane_scan){.slot = ins->slot, .type = TIRB_I64, .counts = true, .start = ins->step}
            : (tirbi_lane_scan){.slot = ins->slot, .type = ins->type};
}

/* Instructions that begin or end something, or that the loop has a list of. */
static void read_unusual(reading *r, lane_ins *ins, const tirbi_instr *in) {
    lane_body *const body = r->body;
    tirbi_lane_loop *const loop = r->loop;
    if (ins->op == TIRB_OP_INNER) {
        r->open[++r->depth] = ins->cursor;
        r->around[r->depth] = (uint8_t)(r->around[r->depth - 1] | 1u << ins->cursor);
        loop->inner[ins->cursor].enclosing = r->around[r->depth];
    }
    if (ins->op == TIRB_OP_VLOOP) {
        body->own_cost[body->n_own] = 0;
        r->own[r->own_depth++] = (uint8_t)(TIRBI_MAX_INNER + body->n_own++);
        if (r->own_depth > body->own_depth) body->own_depth = (uint8_t)r->own_depth;
    }
    if (ins->op == TIRB_OP_VLOOP || ins->op == TIRB_OP_VWHILE || ins->op == TIRB_OP_VAGAIN)
        ins->cursor = r->own[r->own_depth - 1];
    note_ins(r, ins, tirbi_instr_weight(in), tirbi_lane_weight(body, ins));
    if (ins->op == TIRB_OP_INNER_END) r->depth--;
    if (ins->op == TIRB_OP_VAGAIN) r->own_depth--;
    body->n_advances += ins->op == TIRB_OP_VADVANCE;
    if (tirbi_lane_ins_scans(ins) && ins->dest != NO_LANE_REG) add_scan(body, loop, ins);
    if (ins->op != TIRB_OP_VFIND) return;
    loop->finds = true;
    loop->found = ins->slot;
}

static tirb_status read_instructions(reading *r, const tirbi_instr *lane, tirbi_constants *constants,
                                     tirb_error *error) {
    lane_body *const body = r->body;
    const tirbi_function *function = body->function;
    tirbi_instr decoded, *const in = &decoded;
    uint32_t size;
    for (uint32_t at = lane->offset + lane->size; at < lane->lane.end; at += size) {
        if (tirbi_lane_body_is_stopped(body, body->n * TURNS_OF_ONE)) return tirbi_work_seen(body->code->heap, error);
        lane_ins *const ins = add_ins(body, body->code->heap);
        if (!ins) return tirbi_heap_status(body->code->heap);
        size = read_usual(body, function->code + at, ins);
        if (size != 0) {
            const lane_operation *operation =
                tirbi_lane_computes(ins)
                    ? tirbi_lane_operation_of(body, ins)
                    : &body->operations[tirbi_lane_find_operation(body, ins->op, ins->type, ins->type)];
            if (operation->computes && !operation->kernel)
                return tirbi_error_set(error, TIRB_INTERNAL, "no kernel for %s.%s", tirbi_ops[ins->op].mnemonic,
                                       tirbi_dtypes[ins->type].name);
            note_ins(r, ins, operation->weight, tirbi_lane_weight_of(body, ins, operation));
            continue;
        }
        TIRBI_TRY(tirbi_decode_verified(function->code, function->code_size, at, in, error));
        size = in->size;
        if (in->op != TIRB_OP_SEEK) {
            fill_ins(ins, in, constants);
            read_unusual(r, ins, in);
            continue;
        }
        body->n--;
        count_ins(r, tirbi_instr_weight(in));
        add_use(&r->cursors[in->operand[1]], r->around[r->depth]);
        add_seek(body, in, constants, r->cursors);
        body->n_before_seeks = body->n;
        body->behind_seeks = at + size;
    }
    return TIRB_OK;
}

/* Where the body uses a cursor first and last, to read and to write: 0 where it never does. */
typedef struct uses {
    uint32_t first[2], last[2];
} uses;

static bool is_before(const uses *a, const uses *b, unsigned how, unsigned other) {
    return a->last[how] == 0 || b->first[other] == 0 || a->last[how] < b->first[other];
}

/* Finds which cursors are used before others where one of both writes: a body runs instruction by instruction for a
 * block of lanes, so lanes of the others may come back to what earlier lanes of these have reached. */
static void find_order(const lane_body *body, const tirbi_lane_loop *loop, tirbi_lane_cursor *cursors) {
    enum { READS, WRITES };
    uses all[TIRBI_MAX_CURSORS];
    if (body->n_stores == 0 || loop->n_inner > 0 || body->n_own > 0 || body->n_seeks > 0 || loop->finds) return;
    memset(all, 0, loop->n_cursors * sizeof *all);
    for (uint32_t i = 0; i < body->n && !tirbi_lane_body_is_stopped(body, i); i++) {
        const lane_ins *ins = &body->ins[i];
        if (ins->op != TIRB_OP_VLOAD && ins->op != TIRB_OP_VSTORE) continue;
        const unsigned how = ins->op == TIRB_OP_VSTORE ? WRITES : READS;
        uses *of = &all[ins->cursor];
        if (of->first[how] == 0) of->first[how] = i + 1;
        of->last[how] = i + 1;
    }
    for (unsigned a = 0; a < loop->n_cursors; a++) {
        for (unsigned b = 0; b < loop->n_cursors; b++) {
            if (a == b || cursors[a].indexed || cursors[b].indexed || cursors[a].size != cursors[b].size) continue;
            if (is_before(&all[a], &all[b], READS, WRITES) && is_before(&all[a], &all[b], WRITES, READS) &&
                is_before(&all[a], &all[b], WRITES, WRITES))
                cursors[a].before |= UINT32_C(1) << b;
        }
    }
}

tirb_status tirbi_lane_body_read(lane_body *body, const tirbi_code *code, const tirbi_function *function,
                                 const tirbi_instr *lane, tirbi_constants *constants, tirbi_arena *arena,
                                 tirbi_lane_loop *loop, tirb_error *error) {
    const tirbi_lane_header *header = &lane->lane;
    body->code = code;
    body->features = code->lanes->features & ~(code->halves ? (uint32_t)TIRBI_LANE_HAS_HALVES : 0);
    body->function = function;
    body->header = header;
    body->heaviest = 1;
    body->behind_seeks = lane->offset + lane->size;
    tirbi_lane_cursor *cursors = TIRBI_NEW_ARRAY(arena, tirbi_lane_cursor, header->n_cursors);
    loop->inner = TIRBI_NEW_ARRAY(arena, tirbi_lane_inner, header->n_inner);
    if (!cursors || !loop->inner) return tirbi_heap_status(code->heap);
    fill_loop(body, header, constants, loop, cursors);
    if (!make_room(body, code->heap, header->end - lane->offset - lane->size)) return tirbi_heap_status(code->heap);
    reading r = {.body = body, .loop = loop, .cursors = cursors};
    TIRBI_TRY(read_instructions(&r, lane, constants, error));
    TIRBI_TRY(keep_lists(body, loop, code, arena));
    find_order(body, loop, cursors);
    if (tirbi_lane_has(body, TIRB_OP_VDIV, TIRB_OP_VFLOORMOD) || tirbi_lane_has(body, TIRB_OP_VSHR, TIRB_OP_VSHR))
        find_scalar_operands(body, constants);
    choose_main_size(body);
    if (loop->n_inner > 0 || body->n_own > 0) find_exposed(body);
    if (tirbi_lane_body_is_stopped(body, 0)) return tirbi_work_seen(code->heap, error);
    find_live(body);
    if (body->n_stores > 0) tirbi_lane_body_find_nans(body, constants);
    return tirbi_work_seen(code->heap, error);
}
