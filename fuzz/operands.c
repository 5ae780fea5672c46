#include "fuzz/operands.h"

#include <string.h>

/* ---- Registers ------------------------------------------------------------------------------------------------- */

static uint16_t pick_scalar(const edit_place *p) { return (uint16_t)fuzz_below(p->random, p->f->head.n_sregs); }

static uint16_t pick_x(const edit_place *p) {
    if (p->f->head.n_sregs > 0 && !fuzz_one_in(p->random, 3)) return pick_scalar(p);
    return tirbi_x_from_small(fuzz_one_in(p->random, 3) ? fuzz_interesting(p->random)
                                                        : (int64_t)fuzz_below(p->random, 40));
}

/* Most often a reference whose elements have the size of `type`, and that may be written where it must. */
static uint16_t pick_ref(const edit_place *p, uint8_t type, bool written) {
    uint16_t ref = 0;
    for (unsigned attempt = 0; attempt < 8; attempt++) {
        ref = (uint16_t)fuzz_below(p->random, p->f->head.n_refs);
        if (ref >= p->f->head.n_refs) break;
        const tirbi_ref_type *info = &p->f->refs[ref];
        if (info->dtype >= TIRB_N_DTYPES) continue; /* not every program here has been verified */
        bool fits = type >= TIRB_N_DTYPES || tirbi_dtypes[type].size == tirbi_dtypes[info->dtype].size;
        if (fits && (info->writable || !written)) break;
    }
    return ref;
}

/* The header of the lane loop around a place; NULL: none. */
static const tirbi_instr *enclosing(const edit_place *p) {
    for (uint32_t i = p->at; i-- > 0;) {
        const tirbi_instr *instr = p->f->nodes[i].instr;
        if (instr->op == TIRB_OP_LANE) return instr;
        if (!(tirbi_ops[instr->op].flags & TIRBI_FLAG_LANE)) return NULL;
    }
    return NULL;
}

bool fuzz_inside_lane(const edit_place *p) {
    return p->at < p->f->n_nodes && (tirbi_ops[p->f->nodes[p->at].instr->op].flags & TIRBI_FLAG_LANE);
}

/* A lane register that holds `type` here, if one was written in this loop: the latest of a few, at random. */
static uint8_t pick_defined(const edit_place *p, tirbi_dtype type) {
    uint8_t found = (uint8_t)fuzz_below(p->random, p->f->head.n_lane_regs);
    for (uint32_t i = p->at; i-- > 0;) {
        const tirbi_instr *instr = p->f->nodes[i].instr;
        const tirbi_op_info *info = &tirbi_ops[instr->op];
        if (!(info->flags & TIRBI_FLAG_LANE)) break;
        if (info->operands[0] != 'V' || tirbi_op_result_type((tirbi_op)instr->op, (tirbi_dtype)instr->type) != type)
            continue;
        found = (uint8_t)instr->operand[0];
        if (fuzz_one_in(p->random, 3)) break;
    }
    return found;
}

/* ---- Types ----------------------------------------------------------------------------------------------------- */

uint8_t fuzz_pick_type(const edit_place *p, const tirbi_op_info *info) {
    if (!info->types) return TIRB_TYPE_NONE;
    for (unsigned attempt = 0; attempt < 4 && p->f->n_nodes > 0; attempt++) {
        uint32_t near = p->at + fuzz_below(p->random, 9);
        near = near < 4 ? 0 : near - 4;
        uint8_t type = near < p->f->n_nodes ? p->f->nodes[near].instr->type : TIRB_TYPE_NONE;
        if (type < TIRB_N_DTYPES && info->types >> type & 1) return type;
    }
    uint8_t type;
    do {
        type = (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES);
    } while (!(info->types >> type & 1));
    return type;
}

/* ---- Headers --------------------------------------------------------------------------------------------------- */

static void make_indexed(const tirbi_lane_header *lane, tirbi_cursor *c) {
    c->level = TIRBI_LEVEL_INDEXED;
    c->start = c->step = tirbi_x_from_small(0);
    for (unsigned k = 0; k < lane->n_inner; k++) c->steps[k] = tirbi_x_from_small(0);
}

static void pick_cursor(const edit_place *p, const tirbi_lane_header *lane, tirbi_cursor *c) {
    c->access = (uint8_t)(1 + fuzz_below(p->random, 3));
    c->ref = pick_ref(p, TIRB_TYPE_NONE, c->access & TIRBI_WRITE);
    c->type = c->ref < p->f->head.n_refs ? p->f->refs[c->ref].dtype : TIRB_F32;
    c->level = (uint8_t)fuzz_below(p->random, lane->n_inner + 1u);
    c->start = fuzz_one_in(p->random, 2) ? tirbi_x_from_small(0) : pick_x(p);
    c->step = fuzz_one_in(p->random, 2) ? tirbi_x_from_small(1) : pick_x(p);
    for (unsigned k = 0; k < lane->n_inner; k++)
        c->steps[k] = fuzz_one_in(p->random, 2) ? tirbi_x_from_small(1) : pick_x(p);
    if (fuzz_one_in(p->random, 4)) make_indexed(lane, c);
}

static void pick_inner(const edit_place *p, tirbi_inner *inner) {
    inner->extent = pick_x(p);
    inner->index = fuzz_one_in(p->random, 2) ? (uint16_t)TIRBI_NO_REG : pick_scalar(p);
}

static void change_cursor(const edit_place *p, const tirbi_lane_header *lane, tirbi_cursor *c) {
    switch (fuzz_below(p->random, 8)) {
    case 0:
        c->ref = pick_ref(p, c->type, c->access & TIRBI_WRITE);
        return;
    case 1:
        c->type = (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES);
        return;
    case 2:
        c->access = (uint8_t)(1 + fuzz_below(p->random, 3));
        return;
    case 3:
        if (fuzz_one_in(p->random, 3)) {
            make_indexed(lane, c);
            return;
        }
        c->level = (uint8_t)fuzz_below(p->random, lane->n_inner + 1u);
        return;
    case 4:
    case 5:
        c->start = pick_x(p);
        return;
    case 6:
        c->step = pick_x(p);
        return;
    default:
        c->steps[fuzz_below(p->random, lane->n_inner)] = pick_x(p);
    }
}

void fuzz_change_header(const edit_place *p, tirbi_lane_header *lane) {
    uint32_t how = fuzz_below(p->random, 12);
    if (how < 2) {
        lane->n = pick_x(p);
    } else if (how == 2 && lane->n_cursors < TIRBI_MAX_CURSORS) {
        pick_cursor(p, lane, &lane->cursors[lane->n_cursors++]);
    } else if (how == 3 && lane->n_cursors > 1) { /* one like another */
        lane->cursors[fuzz_below(p->random, lane->n_cursors)] = lane->cursors[fuzz_below(p->random, lane->n_cursors)];
    } else if (how < 6 && lane->n_inner > 0) {
        pick_inner(p, &lane->inner[fuzz_below(p->random, lane->n_inner)]);
    } else if (lane->n_cursors > 0) {
        change_cursor(p, lane, &lane->cursors[fuzz_below(p->random, lane->n_cursors)]);
    }
}

static void pick_header(const edit_place *p, tirbi_lane_header *lane) {
    memset(lane, 0, sizeof(*lane));
    lane->n = pick_x(p);
    lane->n_cursors = (uint8_t)(p->f->head.n_refs > 0 ? 1 + fuzz_below(p->random, 3) : 0);
    for (unsigned i = 0; i < lane->n_cursors; i++) pick_cursor(p, lane, &lane->cursors[i]);
}

/* ---- Boxes of contractions ------------------------------------------------------------------------------------- */

static void change_box(const edit_place *p, tirbi_contract_box *box, uint8_t type) {
    unsigned o = fuzz_below(p->random, TIRBI_CONTRACT_OPERANDS);
    bool written = o == TIRBI_CONTRACT_C;
    switch (fuzz_below(p->random, 8)) {
    case 0:
        box->operands[o].type = written ? type : (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES);
        return;
    case 1:
        box->operands[o].ref = pick_ref(p, box->operands[o].type, written);
        return;
    case 2:
        box->operands[o].start = pick_x(p);
        return;
    case 3:
    case 4:
        if (box->n_loops > 0) box->extents[fuzz_below(p->random, box->n_loops)] = pick_x(p);
        return;
    default:
        if (box->n_loops > 0) box->operands[o].steps[fuzz_below(p->random, box->n_loops)] = pick_x(p);
    }
}

static uint16_t small(const edit_place *p, uint32_t n) { return tirbi_x_from_small((int64_t)fuzz_below(p->random, n)); }

/* Mostly small boxes that could be inside of small buffers. */
static void pick_box(const edit_place *p, tirbi_contract_box *box, uint8_t type) {
    memset(box, 0, sizeof(*box));
    box->n_loops = (uint8_t)fuzz_below(p->random, fuzz_one_in(p->random, 4) ? TIRBI_MAX_CONTRACT_LOOPS + 1 : 4);
    for (unsigned i = 0; i < box->n_loops; i++) box->extents[i] = small(p, 5);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        bool own = o == TIRBI_CONTRACT_C || fuzz_one_in(p->random, 2);
        box->operands[o].type = own ? type : (uint8_t)fuzz_below(p->random, TIRB_N_DTYPES);
        box->operands[o].ref = pick_ref(p, box->operands[o].type, o == TIRBI_CONTRACT_C);
        for (unsigned i = 0; i < box->n_loops; i++) box->operands[o].steps[i] = small(p, 4);
    }
}

/* ---- Operands -------------------------------------------------------------------------------------------------- */

static int64_t pick_constant(const edit_place *p, uint8_t type) {
    if (type >= TIRB_N_DTYPES) return fuzz_interesting(p->random);
    const tirbi_dtype_info *info = &tirbi_dtypes[type];
    int64_t value = fuzz_interesting(p->random);
    if (info->class == 'B') return value & 1;
    if (info->bits < 32) value &= (INT64_C(1) << (info->bits - (info->class == 'I'))) - 1;
    if (info->class == 'F' && info->bits >= 32 && !fuzz_one_in(p->random, 4)) {
        float small = (float)fuzz_below(p->random, 32) / 4.0f - 3.0f;
        int32_t bits;
        memcpy(&bits, &small, sizeof(bits));
        return bits;
    }
    return (int32_t)value;
}

/* What an instruction passes on: how many scalars, and the references with their types and access. */
typedef struct passed {
    unsigned n_scalars, n_refs;
    uint8_t types[TIRBI_MAX_CALL_ARGS];
    bool written[TIRBI_MAX_CALL_ARGS];
} passed;

static void pass(passed *out, bool is_ref, uint8_t type, uint8_t access) {
    if (!is_ref) {
        if (out->n_scalars < TIRBI_MAX_CALL_ARGS) out->n_scalars++;
    } else if (out->n_refs < TIRBI_MAX_CALL_ARGS) {
        out->types[out->n_refs] = type;
        out->written[out->n_refs++] = access & TIRBI_WRITE;
    }
}

/* What the callee of a call, a fork or a callx takes, which the instruction's first operand names. */
static passed passed_by(const edit_place *p, const tirbi_instr *instr) {
    passed out = {0};
    const edit_program *e = p->e;
    uint64_t callee = (uint64_t)instr->operand[0];
    if (tirbi_ops[instr->op].operands[0] == 'G') {
        const tirbi_import *import = callee < e->head.n_imports ? &e->head.imports[callee] : NULL;
        for (unsigned i = 0; import && i < import->n_params; i++) {
            pass(&out, import->params[i].access != 0, import->params[i].dtype, import->params[i].access);
        }
        return out;
    }
    const edit_function *f = callee < e->n_functions ? &e->functions[callee] : NULL;
    for (unsigned i = 0; f && i < f->head.n_params; i++) {
        pass(&out, f->params[i].kind == TIRB_PARAM_TENSOR, f->params[i].dtype, f->params[i].access);
    }
    for (unsigned i = 0; f && i < f->head.n_vars; i++) {
        if (f->vars[i].param == TIRBI_NO_REG) pass(&out, false, TIRB_I64, 0);
    }
    /* The first two are the chunk's begin and end. */
    if (instr->op == TIRB_OP_FORK) out.n_scalars = out.n_scalars > 2 ? out.n_scalars - 2 : 0;
    return out;
}

static void pick_part(const edit_place *p, tirbi_part *part, bool written) {
    part->partitioned = written ? !fuzz_one_in(p->random, 16) : fuzz_one_in(p->random, 2);
    part->base = part->stride = part->extent = 0;
    if (!part->partitioned) return;
    part->base = fuzz_one_in(p->random, 2) ? tirbi_x_from_small(0) : pick_x(p);
    part->stride = fuzz_one_in(p->random, 2) ? tirbi_x_from_small(1) : pick_x(p);
    part->extent = fuzz_one_in(p->random, 2) ? tirbi_x_from_small(1) : pick_x(p);
}

/* One of the three numbers of a part; else all of it. */
static void change_part(const edit_place *p, tirbi_part *part, bool written) {
    uint16_t *numbers[] = {&part->base, &part->stride, &part->extent};
    if (part->partitioned && !fuzz_one_in(p->random, 4)) {
        *numbers[fuzz_below(p->random, 3)] = pick_x(p);
    } else {
        pick_part(p, part, written);
    }
}

/* A list (a, r, P) of what the callee takes: all of it anew, or one entry where the number is right already. */
static int64_t pick_list(const edit_place *p, tirbi_instr *instr, char letter, int64_t count) {
    passed wanted = passed_by(p, instr);
    unsigned n = letter == 'a' ? wanted.n_scalars : wanted.n_refs;
    bool one = n > 0 && count == (int64_t)n && !fuzz_one_in(p->random, 4);
    unsigned chosen = fuzz_below(p->random, n);
    for (unsigned i = 0; i < n; i++) {
        if (one && i != chosen) continue;
        if (letter == 'a') {
            instr->scalars[i] = pick_scalar(p);
        } else if (letter == 'r' || !one || fuzz_one_in(p->random, 3)) {
            instr->refs[i] = pick_ref(p, wanted.types[i], wanted.written[i]);
        }
        if (letter == 'P') one ? change_part(p, &instr->parts[i], wanted.written[i])
                               : pick_part(p, &instr->parts[i], wanted.written[i]);
    }
    return n;
}

/* A region for a fork, another function for a call. */
static int64_t pick_function(const edit_place *p, const tirbi_instr *instr) {
    uint32_t function = 0;
    for (unsigned attempt = 0; attempt < 8; attempt++) {
        function = fuzz_below(p->random, p->e->n_functions);
        if (function < p->e->n_functions && p->e->functions[function].head.is_region == (instr->op == TIRB_OP_FORK))
            break;
    }
    return function;
}

static int64_t pick_target(const edit_place *p, const tirbi_instr *instr) {
    bool back = tirbi_ops[instr->op].flags & TIRBI_FLAG_BACK;
    uint32_t from = back ? 0 : p->at, to = back ? p->at : p->f->n_nodes;
    return to > from ? p->f->nodes[from + fuzz_below(p->random, to - from)].id : 0;
}

void fuzz_pick_operand(const edit_place *p, tirbi_instr *instr, unsigned index) {
    const tirbi_op_info *info = &tirbi_ops[instr->op];
    const tirbi_instr *lane = enclosing(p);
    tirbi_dtype type = (tirbi_dtype)instr->type;
    int64_t *value = &instr->operand[index];
    switch (info->operands[index]) {
    case 'D':
    case 'S':
        *value = pick_scalar(p);
        return;
    case 'x':
        *value = pick_x(p);
        return;
    case 'W':
    case 'R':
        *value = pick_ref(p, instr->type, instr->op == TIRB_OP_STORE || instr->op == TIRB_OP_ALLOC);
        return;
    case 'V':
        *value = fuzz_below(p->random, p->f->head.n_lane_regs);
        return;
    case 'U':
        if (info->arity > 0) {
            tirbi_dtype source = info->operands[2] == 'T' ? (tirbi_dtype)instr->operand[2] : type;
            type = tirbi_op_operand_type((tirbi_op)instr->op, type, source, index - 1);
        }
        *value = pick_defined(p, type);
        return;
    case 'Q':
        *value = fuzz_below(p->random, p->f->head.n_reds);
        return;
    case 'C':
        *value = fuzz_below(p->random, lane ? lane->lane.n_cursors : 0);
        return;
    case 'L':
        *value = fuzz_below(p->random, lane ? lane->lane.n_inner : 0);
        return;
    case 'i':
        *value = pick_constant(p, instr->type);
        return;
    case 'I':
        *value = fuzz_interesting(p->random);
        return;
    case 'j':
        *value = pick_target(p, instr);
        return;
    case 'T':
        *value = fuzz_below(p->random, TIRB_N_DTYPES);
        return;
    case 'F':
        *value = pick_function(p, instr);
        return;
    case 'G':
        *value = fuzz_below(p->random, p->e->head.n_imports);
        return;
    case 'K':
        *value = fuzz_below(p->random, p->e->head.n_constants);
        return;
    case 'Z':
        *value = fuzz_below(p->random, p->e->head.n_strings);
        return;
    case 'a':
    case 'r':
    case 'P':
        *value = pick_list(p, instr, info->operands[index], *value);
        return;
    case 'H':
        *value = 0;
        if (instr->lane.n_cursors == 0) pick_header(p, &instr->lane);
        fuzz_change_header(p, &instr->lane);
        return;
    case 'B':
        *value = 0;
        if (instr->box.n_loops == 0) pick_box(p, &instr->box, instr->type);
        change_box(p, &instr->box, instr->type);
        return;
    case 'n':
        *value = fuzz_below(p->random, 128);
        return;
    default:
        fuzz_fail("the operand letter %c of %s has no line in fuzz/operands.c", info->operands[index], info->mnemonic);
    }
}

void fuzz_pick_operands(const edit_place *p, tirbi_instr *instr) {
    const char *letters = tirbi_ops[instr->op].operands;
    unsigned n = (unsigned)strlen(letters);
    /* Backwards: the type T that an operand is read as stands behind it. Lists look at the function in front. */
    for (unsigned i = n; i-- > 0;) {
        if (!strchr("arP", letters[i])) fuzz_pick_operand(p, instr, i);
    }
    for (unsigned i = 0; i < n; i++) {
        if (strchr("arP", letters[i])) fuzz_pick_operand(p, instr, i);
    }
}

/* ---- Moving to other registers --------------------------------------------------------------------------------- */

static uint16_t shifted_x(uint16_t x, uint16_t by) { return tirbi_x_is_small(x) ? x : (uint16_t)(x + by); }

static void shift_header(tirbi_lane_header *lane, const fuzz_shift *by) {
    lane->n = shifted_x(lane->n, by->scalars);
    for (unsigned i = 0; i < lane->n_inner; i++) {
        lane->inner[i].extent = shifted_x(lane->inner[i].extent, by->scalars);
        if (lane->inner[i].index != TIRBI_NO_REG) lane->inner[i].index = (uint16_t)(lane->inner[i].index + by->scalars);
    }
    for (unsigned i = 0; i < lane->n_cursors; i++) {
        tirbi_cursor *c = &lane->cursors[i];
        c->ref = (uint16_t)(c->ref + by->refs);
        c->start = shifted_x(c->start, by->scalars);
        c->step = shifted_x(c->step, by->scalars);
        for (unsigned k = 0; k < lane->n_inner; k++) c->steps[k] = shifted_x(c->steps[k], by->scalars);
    }
}

static void shift_box(tirbi_contract_box *box, const fuzz_shift *by) {
    for (unsigned i = 0; i < box->n_loops; i++) box->extents[i] = shifted_x(box->extents[i], by->scalars);
    for (unsigned o = 0; o < TIRBI_CONTRACT_OPERANDS; o++) {
        box->operands[o].ref = (uint16_t)(box->operands[o].ref + by->refs);
        box->operands[o].start = shifted_x(box->operands[o].start, by->scalars);
        for (unsigned i = 0; i < box->n_loops; i++) {
            box->operands[o].steps[i] = shifted_x(box->operands[o].steps[i], by->scalars);
        }
    }
}

static void shift_refs(tirbi_instr *instr, int64_t n, const fuzz_shift *by) {
    for (int64_t i = 0; i < n; i++) instr->refs[i] = (uint16_t)(instr->refs[i] + by->refs);
}

static void shift_parts(tirbi_instr *instr, int64_t n, const fuzz_shift *by) {
    shift_refs(instr, n, by);
    for (int64_t i = 0; i < n; i++) {
        tirbi_part *part = &instr->parts[i];
        if (!part->partitioned) continue;
        part->base = shifted_x(part->base, by->scalars);
        part->stride = shifted_x(part->stride, by->scalars);
        part->extent = shifted_x(part->extent, by->scalars);
    }
}

static void shift_operand(tirbi_instr *instr, unsigned index, const fuzz_shift *by) {
    const tirbi_op_info *info = &tirbi_ops[instr->op];
    int64_t *value = &instr->operand[index];
    switch (info->operands[index]) {
    case 'D':
    case 'S':
        *value += by->scalars;
        return;
    case 'W':
    case 'R':
        *value += by->refs;
        return;
    case 'x':
        *value = shifted_x((uint16_t)*value, by->scalars);
        return;
    case 'Q':
        *value += by->reds;
        return;
    case 'Z':
        *value += by->strings;
        return;
    case 'F':
        if (by->functions && *value < by->n_functions) *value = by->functions[*value];
        return;
    case 'G':
        *value += by->imports;
        return;
    case 'K':
        *value += by->constants;
        return;
    case 'H':
        shift_header(&instr->lane, by);
        return;
    case 'B':
        shift_box(&instr->box, by);
        return;
    case 'a':
        for (int64_t k = 0; k < *value; k++) instr->scalars[k] = (uint16_t)(instr->scalars[k] + by->scalars);
        return;
    case 'r':
        shift_refs(instr, *value, by);
        return;
    case 'P':
        shift_parts(instr, *value, by);
        return;
    case 'V':
    case 'U':
    case 'C':
    case 'L':
    case 'i':
    case 'I':
    case 'j':
    case 'T':
    case 'n':
        return;
    default:
        fuzz_fail("the operand letter %c of %s has no line in fuzz/operands.c", info->operands[index], info->mnemonic);
    }
}

void fuzz_shift_operands(tirbi_instr *instr, const fuzz_shift *by) {
    for (unsigned i = 0; tirbi_ops[instr->op].operands[i]; i++) shift_operand(instr, i, by);
}

/* ---- All letters ----------------------------------------------------------------------------------------------- */

uint32_t fuzz_check_letters(void) {
    uint32_t n = 0;
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    edit_program *e = TIRBI_NEW(&arena, edit_program);
    tirbi_instr *instr = TIRBI_NEW(&arena, tirbi_instr);
    if (!e || !instr) fuzz_fail("no memory");
    e->arena = &arena;
    fuzz_random random = fuzz_seed(1);
    edit_place place = {.e = e, .f = &e->functions[0], .random = &random};
    for (unsigned op = 0; op < TIRB_N_OPS; op++) {
        if (!tirbi_ops[op].mnemonic) continue;
        memset(instr, 0, sizeof(*instr));
        instr->op = (uint8_t)op;
        instr->type = TIRB_I32;
        fuzz_pick_operands(&place, instr);
        fuzz_shift_operands(instr, &(fuzz_shift){0});
        n += (uint32_t)strlen(tirbi_ops[op].operands);
    }
    tirbi_arena_destroy(&arena);
    fuzz_heap_close(&heap, "looking at the letters");
    return n;
}

tirbi_dim fuzz_pick_dim(const edit_place *p) {
    unsigned pairs = fuzz_one_in(p->random, 3) ? 1 + fuzz_below(p->random, 3) : 0;
    tirbi_dim_term *terms = TIRBI_NEW_ARRAY(p->e->arena, tirbi_dim_term, 1 + 2 * pairs);
    if (!terms) return (tirbi_dim){0};
    for (unsigned i = 0; i < 1 + 2 * pairs; i++) {
        bool var = p->f->head.n_vars > 0 && fuzz_one_in(p->random, 2);
        terms[i].op = var ? TIRBI_DIM_VAR : TIRBI_DIM_CONST;
        terms[i].value = var ? fuzz_below(p->random, p->f->head.n_vars) : fuzz_below(p->random, 12);
        if (!var && fuzz_one_in(p->random, 8)) terms[i].value = fuzz_interesting(p->random);
        if (i > 0 && i % 2 == 0) {
            terms[i] = (tirbi_dim_term){.op = (uint8_t)(TIRBI_DIM_ADD + fuzz_below(p->random, 9))};
        }
    }
    return (tirbi_dim){.n_terms = (uint16_t)(1 + 2 * pairs), .terms = terms};
}
