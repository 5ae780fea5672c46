/* Lane loops: headers, nesting, cursors, and the types of lane registers along the structure.
 *
 * Lane code has no jumps, so one walk in order sees everything. An inner loop may run zero times or many: what its body
 * writes is not defined after it, and what its body reads from before must still have the same type when the body comes
 * round again. */
#include <inttypes.h>
#include <string.h>

#include "loader/base/bytes.h"
#include "loader/base/error.h"
#include "loader/isa/scans.h"
#include "loader/verify/checker.h"

/* ---- Headers -------------------------------------------------------------------------------------------------- */

/* The header is read once, at entry; an index register that it also names would make that visible. */
static bool header_reads(const tirbi_lane_header *header, uint16_t reg) {
    bool reads = header->n == reg;
    for (unsigned i = 0; i < header->n_inner; i++) reads |= header->inner[i].extent == reg;
    for (unsigned i = 0; i < header->n_cursors; i++) {
        reads |= header->cursors[i].start == reg || header->cursors[i].step == reg;
        for (unsigned k = 0; k < header->n_inner; k++) reads |= header->cursors[i].steps[k] == reg;
    }
    return reads;
}

static tirb_status check_inner_loops(checker *c, const tirbi_lane_header *header) {
    for (unsigned i = 0; i < header->n_inner; i++) {
        TIRBI_TRY(tirbi_verify_x(c, header->inner[i].extent));
        uint16_t index = header->inner[i].index;
        if (index == TIRBI_NO_REG) continue;
        if (index >= c->function->n_sregs) {
            return tirbi_verify_fail(c, "inner loop %u: index register %u >= %u", i, index, c->function->n_sregs);
        }
        if (header_reads(header, index)) {
            return tirbi_verify_fail(c, "inner loop %u: its index register s%u is read by the header", i, index);
        }
    }
    return TIRB_OK;
}

static bool is_zero(uint16_t x) { return tirbi_x_is_small(x) && tirbi_x_small(x) == 0; }

/* It stands for its whole reference. */
static tirb_status check_indexed(checker *c, const tirbi_lane_header *header, unsigned index) {
    const tirbi_cursor *cursor = &header->cursors[index];
    bool still = is_zero(cursor->start) && is_zero(cursor->step);
    for (unsigned k = 0; k < header->n_inner; k++) still = still && is_zero(cursor->steps[k]);
    return still ? TIRB_OK : tirbi_verify_fail(c, "cursor %u is indexed, but has a start or steps", index);
}

static tirb_status check_cursor(checker *c, const tirbi_lane_header *header, unsigned index) {
    const tirbi_cursor *cursor = &header->cursors[index];
    if (cursor->ref >= c->function->n_refs) {
        return tirbi_verify_fail(c, "cursor %u: reference register %u >= %u", index, cursor->ref, c->function->n_refs);
    }
    const tirbi_ref_type *ref = &c->function->refs[cursor->ref];
    if (tirbi_dtypes[ref->dtype].size != tirbi_dtypes[cursor->type].size) {
        return tirbi_verify_fail(c, "cursor %u is %s, r%u has elements of %u bytes", index,
                                 tirbi_dtypes[cursor->type].name, cursor->ref, tirbi_dtypes[ref->dtype].size);
    }
    TIRBI_TRY(tirbi_verify_x(c, cursor->start));
    TIRBI_TRY(tirbi_verify_x(c, cursor->step));
    for (unsigned k = 0; k < header->n_inner; k++) TIRBI_TRY(tirbi_verify_x(c, cursor->steps[k]));
    if (cursor->level == TIRBI_LEVEL_INDEXED) TIRBI_TRY(check_indexed(c, header, index));
    if (!(cursor->access & TIRBI_WRITE)) return TIRB_OK;
    if (!ref->writable) return tirbi_verify_fail(c, "cursor %u: r%u may not be written", index, cursor->ref);
    if (cursor->level == TIRBI_LEVEL_INDEXED) return TIRB_OK;
    if (tirbi_x_is_small(cursor->step) && tirbi_x_small(cursor->step) == 0) {
        return tirbi_verify_fail(c, "cursor %u is written, but steps by 0 per lane", index);
    }
    return TIRB_OK;
}

tirb_status tirbi_verify_lane_begin(checker *c) {
    checker_lane *lane = &c->lane;
    const tirbi_lane_header *header = &c->instr->lane;
    TIRBI_TRY(tirbi_verify_x(c, header->n));
    TIRBI_TRY(check_inner_loops(c, header));
    for (unsigned i = 0; i < header->n_cursors; i++) TIRBI_TRY(check_cursor(c, header, i));
    lane->inside = true;
    lane->header = header;
    c->limits['C'] = header->n_cursors;
    c->limits['L'] = header->n_inner;
    lane->loops_seen = 0;
    lane->n_scans = 0;
    lane->n_steps = 0;
    lane->n_own = lane->own_depth = 0;
    lane->finds = lane->acts = false;
    lane->claimed = lane->pushed = 0;
    lane->depth = 0;
    lane->begun = false;
    lane->kept = 0;
    lane->sought = lane->numbers = 0;
    lane->levels[0].written = 0;
    memset(lane->types, TIRB_TYPE_NONE, sizeof(lane->types));
    return TIRB_OK;
}

/* ---- Registers ------------------------------------------------------------------------------------------------ */

/* A read sees what the register held on entry to every open loop since the one that has written it. */
static inline void note_read(checker_lane *lane, uint64_t bit) {
    for (unsigned d = lane->depth; d > 0 && !(lane->levels[d].written & bit); d--) lane->levels[d].entry_read |= bit;
}

static tirb_status read_register(checker *c, int64_t reg, tirbi_dtype type) {
    checker_lane *lane = &c->lane;
    if (lane->types[reg] == TIRB_TYPE_NONE) {
        return tirbi_verify_fail(c, "v%" PRId64 " is read, but not defined here", reg);
    }
    if (lane->types[reg] != type) {
        return tirbi_verify_fail(c, "v%" PRId64 " is %s, not %s", reg, tirbi_dtypes[lane->types[reg]].name,
                                 tirbi_dtypes[type].name);
    }
    note_read(lane, UINT64_C(1) << reg);
    return TIRB_OK;
}

static void write_register(checker *c, int64_t reg, tirbi_dtype type) {
    checker_lane *lane = &c->lane;
    lane->types[reg] = (uint8_t)type;
    lane->levels[lane->depth].written |= UINT64_C(1) << reg;
}

/* ---- Inner loops ---------------------------------------------------------------------------------------------- */

static void open_level(checker *c, uint8_t loop) {
    checker_lane *lane = &c->lane;
    checker_level *level = &lane->levels[++lane->depth];
    level->loop = loop;
    level->written = 0;
    level->entry_read = 0;
    memcpy(level->entry_types, lane->types, sizeof(level->entry_types));
}

static tirb_status begin_inner(checker *c) {
    checker_lane *lane = &c->lane;
    uint8_t loop = (uint8_t)c->instr->operand[0];
    if (lane->loops_seen >> loop & 1) return tirbi_verify_fail(c, "inner loop %u appears twice", loop);
    uint16_t index = lane->header->inner[loop].index;
    for (unsigned d = 1; d <= lane->depth && index != TIRBI_NO_REG; d++) {
        if (lane->levels[d].loop == CHECKER_OWN) continue;
        if (lane->header->inner[lane->levels[d].loop].index == index) {
            return tirbi_verify_fail(c, "inner loops %u and %u share the index register s%u", lane->levels[d].loop,
                                     loop, index);
        }
    }
    if (lane->own_depth > 0) return tirbi_verify_fail(c, "inner loop %u begins in a vloop", loop);
    lane->loops_seen |= (uint8_t)(1u << loop);
    open_level(c, loop);
    return TIRB_OK;
}

static tirb_status begin_own(checker *c) {
    checker_lane *lane = &c->lane;
    if (lane->own_depth == TIRBI_MAX_OWN_DEPTH) {
        return tirbi_verify_fail(c, "vloops are nested more than %d deep", TIRBI_MAX_OWN_DEPTH);
    }
    if (lane->n_own++ == TIRBI_MAX_OWN)
        return tirbi_verify_fail(c, "more than %d vloops in a lane loop", TIRBI_MAX_OWN);
    lane->own_depth++;
    open_level(c, CHECKER_OWN);
    return TIRB_OK;
}

/* The innermost loop ends: what it may not have written is not defined. */
static tirb_status close_level(checker *c) {
    checker_lane *lane = &c->lane;
    const checker_level *level = &lane->levels[lane->depth];
    for (unsigned reg = 0; reg < c->function->n_lane_regs; reg++) {
        if (lane->types[reg] == level->entry_types[reg]) continue;
        if (level->entry_read >> reg & 1) {
            return level->loop == CHECKER_OWN
                       ? tirbi_verify_fail(c, "v%u is read in a vloop before it gets another type there", reg)
                       : tirbi_verify_fail(c, "v%u is read in inner loop %u before it gets another type there", reg,
                                           level->loop);
        }
        lane->types[reg] = TIRB_TYPE_NONE;
    }
    lane->depth--;
    return TIRB_OK;
}

static tirb_status end_inner(checker *c) {
    const checker_lane *lane = &c->lane;
    uint8_t loop = (uint8_t)c->instr->operand[0];
    if (lane->depth == 0) return tirbi_verify_fail(c, "no inner loop is open");
    const checker_level *level = &lane->levels[lane->depth];
    if (level->loop == CHECKER_OWN) return tirbi_verify_fail(c, "a vloop is open, not inner loop %u", loop);
    if (level->loop != loop) return tirbi_verify_fail(c, "inner loop %u is open, not %u", level->loop, loop);
    return close_level(c);
}

static bool own_is_open(const checker *c) {
    return c->lane.depth > 0 && c->lane.levels[c->lane.depth].loop == CHECKER_OWN;
}

static tirb_status end_own(checker *c) {
    if (!own_is_open(c)) return tirbi_verify_fail(c, "no vloop is open here");
    c->lane.own_depth--;
    return close_level(c);
}

static void leave_lane(checker *c) {
    c->lane.inside = false;
    c->limits['C'] = c->limits['L'] = 0;
}

static tirb_status end_lane(checker *c) {
    checker_lane *lane = &c->lane;
    if (lane->header->end != c->instr->offset) {
        return tirbi_verify_fail(c, "the lane loop's header says that it ends at 0x%" PRIx32, lane->header->end);
    }
    if (own_is_open(c)) return tirbi_verify_fail(c, "a vloop is still open");
    if (lane->depth > 0) {
        return tirbi_verify_fail(c, "inner loop %u is still open", lane->levels[lane->depth].loop);
    }
    for (unsigned i = 0; i < lane->header->n_inner; i++) {
        if (!(lane->loops_seen >> i & 1)) return tirbi_verify_fail(c, "inner loop %u does not appear", i);
    }
    if (lane->finds && lane->acts)
        return tirbi_verify_fail(c, "a lane loop with vfind does nothing that a lane behind it could do");
    leave_lane(c);
    return TIRB_OK;
}

/* ---- Body ----------------------------------------------------------------------------------------------------- */

static tirb_status use_cursor(checker *c, int64_t index, uint8_t access) {
    const checker_lane *lane = &c->lane;
    const tirbi_cursor *cursor = &lane->header->cursors[index];
    if (!(cursor->access & access)) {
        return tirbi_verify_fail(c, "cursor %" PRId64 " is not declared as %s", index,
                                 access == TIRBI_READ ? "read" : "written");
    }
    if (cursor->type != c->instr->type) {
        return tirbi_verify_fail(c, "cursor %" PRId64 " is %s", index, tirbi_dtypes[cursor->type].name);
    }
    if (cursor->level == TIRBI_LEVEL_INDEXED) return tirbi_verify_fail(c, "cursor %" PRId64 " is indexed", index);
    if (cursor->level == 0) return TIRB_OK;
    for (unsigned d = 1; d <= lane->depth; d++) {
        if (lane->levels[d].loop == cursor->level - 1) return TIRB_OK;
    }
    return tirbi_verify_fail(c, "cursor %" PRId64 " is used outside of its inner loop %u", index, cursor->level - 1);
}

static tirb_status check_seek(checker *c) {
    checker_lane *lane = &c->lane;
    const tirbi_lane_header *header = lane->header;
    const int64_t *o = c->instr->operand;
    const tirbi_cursor *sought = &header->cursors[o[0]], *numbers = &header->cursors[o[1]];
    uint32_t sought_bit = UINT32_C(1) << o[0], numbers_bit = UINT32_C(1) << o[1];
    if (lane->begun) return tirbi_verify_fail(c, "only inner loops and seeks may be before it");
    if (sought->level == TIRBI_LEVEL_INDEXED) return tirbi_verify_fail(c, "cursor %" PRId64 " is indexed", o[0]);
    TIRBI_TRY(use_cursor(c, o[1], TIRBI_READ));
    if (numbers->access != TIRBI_READ) return tirbi_verify_fail(c, "cursor %" PRId64 " is written", o[1]);
    if (!is_zero(numbers->step)) return tirbi_verify_fail(c, "cursor %" PRId64 " steps per lane", o[1]);
    if (sought_bit == numbers_bit || (lane->sought & (sought_bit | numbers_bit)) || (lane->numbers & sought_bit)) {
        return tirbi_verify_fail(c, "cursor %" PRId64 " is sought twice, or one that is sought gives numbers", o[0]);
    }
    uint8_t open = 0;
    for (unsigned d = 1; d <= lane->depth; d++) open |= (uint8_t)(1u << lane->levels[d].loop);
    for (unsigned k = 0; k < header->n_inner; k++) {
        if (is_zero(numbers->steps[k])) continue;
        if (!(open >> k & 1))
            return tirbi_verify_fail(c, "cursor %" PRId64 " steps in inner loop %u, which is not open", o[1], k);
        if (!is_zero(sought->steps[k])) return tirbi_verify_fail(c, "both cursors step in inner loop %u", k);
    }
    for (unsigned k = 0; k < header->n_inner; k++) {
        if (header->inner[k].index == TIRBI_NO_REG) continue;
        if (header->inner[k].index == o[2] || header->inner[k].index == o[3]) {
            return tirbi_verify_fail(c, "s%u is the index register of inner loop %u", header->inner[k].index, k);
        }
    }
    lane->sought |= sought_bit;
    lane->numbers |= numbers_bit;
    if (lane->depth > lane->kept) lane->kept = lane->depth;
    return TIRB_OK;
}

static tirb_status check_elementwise(checker *c) {
    const tirbi_instr *instr = c->instr;
    const tirbi_op_info *info = &tirbi_ops[instr->op];
    tirbi_op op = (tirbi_op)instr->op;
    tirbi_dtype type = (tirbi_dtype)instr->type;
    tirbi_dtype source = info->operands[2] == 'T' ? (tirbi_dtype)instr->operand[2] : type;
    for (unsigned i = 0; i < info->arity; i++) {
        TIRBI_TRY(read_register(c, instr->operand[i + 1], tirbi_op_operand_type(op, type, source, i)));
    }
    write_register(c, instr->operand[0], tirbi_op_result_type(op, type));
    return TIRB_OK;
}

/* ---- What most bodies are made of ------------------------------------------------------------------------------- */

/* The functions below go by instructions that nothing is wrong with and that need no more than a look, and return the
 * bytes that each has; 0: it is another, or something is wrong with it, and nothing is changed. Where registers begin,
 * behind the opcode and the type: */
enum { OPERANDS = 2 };
/* And how many bytes each of them has at most: what has fewer behind it goes another way. */
enum { LONGEST = OPERANDS + 4 };

/* What they look at and change of the lane loop, apart from what stores of bytes might change. */
typedef struct passing {
    uint8_t *types;
    const tirbi_lane_header *header;
    checker_level *level; /* the innermost one */
    uint64_t written;     /* there */
    uint32_t n_lane_regs, n_sregs;
    unsigned depth;
    bool owns, acts; /* it is a vloop; as in checker_lane */
} passing;

static inline bool holds(const passing *p, unsigned reg, unsigned type) {
    return reg < p->n_lane_regs && p->types[reg] == type;
}

static inline void pass_write(passing *p, unsigned reg, unsigned type) {
    p->types[reg] = (uint8_t)type;
    p->written |= UINT64_C(1) << reg;
}

static __attribute__((noinline)) void note_entry_read(checker_level *level, unsigned depth, uint64_t bit) {
    level->entry_read |= bit;
    for (level--; depth > 1 && !(level->written & bit); level--, depth--) level->entry_read |= bit;
}

static inline __attribute__((always_inline)) void pass_read(const passing *p, unsigned reg) {
    const uint64_t bit = UINT64_C(1) << reg;
    if (p->depth > 0 && !(p->written & bit)) note_entry_read(p->level, p->depth, bit);
}

/* Whether a cursor may be used here, which is at lane level or in the innermost loop. */
static inline bool may_use(const passing *p, unsigned cursor, unsigned type, uint8_t access) {
    if (cursor >= p->header->n_cursors) return false;
    const tirbi_cursor *is = &p->header->cursors[cursor];
    const bool here = is->level == 0 || (p->depth > 0 && p->level->loop == is->level - 1);
    return (is->access & access) && is->type == type && here; /* and so it is not indexed */
}

static inline uint32_t pass_load(passing *p, const uint8_t *code) {
    enum { SIZE = OPERANDS + 2 };
    if (code[OPERANDS] >= p->n_lane_regs || !may_use(p, code[OPERANDS + 1], code[1], TIRBI_READ)) return 0;
    pass_write(p, code[OPERANDS], code[1]);
    return SIZE;
}

static inline uint32_t pass_store(passing *p, const uint8_t *code) {
    enum { SIZE = OPERANDS + 2 };
    if (!may_use(p, code[OPERANDS], code[1], TIRBI_WRITE) || !holds(p, code[OPERANDS + 1], code[1])) return 0;
    pass_read(p, code[OPERANDS + 1]);
    p->acts = true;
    return SIZE;
}

static inline uint32_t pass_splat(passing *p, const uint8_t *code) {
    enum { SIZE = OPERANDS + 3 };
    if (code[OPERANDS] >= p->n_lane_regs || tirbi_load_u16(code + OPERANDS + 1) >= p->n_sregs) return 0;
    pass_write(p, code[OPERANDS], code[1]);
    return SIZE;
}

static inline uint32_t pass_while(passing *p, const uint8_t *code) {
    enum { SIZE = OPERANDS + 1 };
    if (!p->owns || !holds(p, code[OPERANDS], TIRB_BOOL)) return 0;
    pass_read(p, code[OPERANDS]);
    p->acts = true;
    return SIZE;
}

static inline uint32_t pass_cast(passing *p, const uint8_t *code) {
    enum { SIZE = OPERANDS + 3 };
    if (code[OPERANDS] >= p->n_lane_regs || code[OPERANDS + 2] >= TIRB_N_DTYPES ||
        !holds(p, code[OPERANDS + 1], code[OPERANDS + 2]))
        return 0;
    pass_read(p, code[OPERANDS + 1]);
    pass_write(p, code[OPERANDS], code[1]);
    return SIZE;
}

/* Of a row of so many operands: a number that the compiler knows, so that where the next instruction begins waits for
 * no look at a table. */
static inline __attribute__((always_inline)) uint32_t pass_row(passing *p, const uint8_t *code, uint8_t flags,
                                                               unsigned arity) {
    const tirbi_op op = (tirbi_op)code[0];
    const tirbi_dtype type = (tirbi_dtype)code[1];
    const uint8_t *const reads = code + OPERANDS + 1;
    if (code[OPERANDS] >= p->n_lane_regs) return 0;
    for (unsigned i = 0; i < arity; i++)
        if (!holds(p, reads[i], arity == 3 ? tirbi_op_operand_type(op, type, type, i) : type)) return 0;
    for (unsigned i = 0; i < arity; i++) pass_read(p, reads[i]);
    if ((flags & TIRBI_FLAG_TRAP) && tirbi_dtype_is_int(type)) p->acts = true;
    pass_write(p, code[OPERANDS], tirbi_op_result_type(op, type));
    return OPERANDS + 1 + arity;
}

static inline uint32_t pass_elementwise(passing *p, const uint8_t *code, const tirbi_op_info *info) {
    switch (info->arity) {
    case 1: return pass_row(p, code, info->flags, 1);
    case 2: return pass_row(p, code, info->flags, 2);
    default: return pass_row(p, code, info->flags, 3);
    }
}

static inline __attribute__((always_inline)) uint32_t pass_one(passing *p, const uint8_t *code) {
    enum { LANE_ROW = TIRBI_FLAG_LANE | TIRBI_FLAG_ELEMENTWISE };
    const tirbi_op_info *const info = &tirbi_ops[code[0]];
    if (code[1] >= TIRB_N_DTYPES || !(info->types >> code[1] & 1)) return 0;
    switch (code[0]) {
    case TIRB_OP_VLOAD:
        return pass_load(p, code);
    case TIRB_OP_VSTORE:
        return pass_store(p, code);
    case TIRB_OP_VSPLAT:
        return pass_splat(p, code);
    case TIRB_OP_VWHILE:
        return pass_while(p, code);
    case TIRB_OP_VCAST:
        return pass_cast(p, code);
    case TIRB_OP_VBITS:
        return 0;
    default:
        return (info->flags & LANE_ROW) == LANE_ROW ? pass_elementwise(p, code, info) : 0;
    }
}

/* The loop's end, where no loop in it is open. */
static inline uint32_t pass_end(checker *c, const uint8_t *code, uint32_t at) {
    const checker_lane *lane = &c->lane;
    if (code[0] != TIRB_OP_LANE_END || code[1] != TIRB_TYPE_NONE || lane->header->end != at) return 0;
    if (lane->depth > 0 || lane->loops_seen + 1u != 1u << lane->header->n_inner) return 0;
    if (lane->finds && lane->acts) return 0;
    leave_lane(c);
    return OPERANDS;
}

uint32_t tirbi_verify_lane_pass(checker *c, uint32_t at) {
    const tirbi_function *const f = c->function;
    const uint8_t *const code = f->code;
    checker_lane *const lane = &c->lane;
    checker_level *const level = &lane->levels[lane->depth];
    tirbi_heap *const heap = c->scratch;
    const uint32_t from = at, code_size = f->code_size;
    const uint64_t most = heap->max_work - heap->work;
    uint64_t n = 0;
    uint32_t size;
    if (lane->depth < lane->kept || lane->n_steps > 0) return at;
    passing p = {.types = lane->types, .header = lane->header, .level = level, .written = level->written,
                 .n_lane_regs = f->n_lane_regs, .n_sregs = f->n_sregs, .depth = lane->depth, .owns = own_is_open(c),
                 .acts = lane->acts};
    for (; n < most && code_size - at >= LONGEST && (size = pass_one(&p, code + at)) != 0; n++) {
        checker_begin(c, at);
        at += size;
    }
    level->written = p.written;
    lane->acts = p.acts;
    heap->work += n;
    if (at > from) lane->begun = true;
    if (n < most && code_size - at > LONGEST && (size = pass_end(c, code + at, at)) != 0) {
        checker_begin(c, at);
        at += size;
    }
    return at;
}

/* ---- Each by itself --------------------------------------------------------------------------------------------- */

static tirb_status at_lane_level(checker *c) {
    return c->lane.depth == 0 ? TIRB_OK : tirbi_verify_fail(c, "only allowed at lane level, outside of inner loops");
}

/* A block of lanes goes through one instruction after the other: what two of them push into a state would be in an
 * order that the size of blocks tells. */
static tirb_status check_push(checker *c, unsigned n_operands) {
    const int64_t state = c->instr->operand[0];
    TIRBI_TRY(at_lane_level(c));
    if (c->lane.pushed >> state & 1)
        return tirbi_verify_fail(c, "reduction state %" PRId64 " is pushed here too", state);
    c->lane.pushed |= UINT32_C(1) << state;
    for (unsigned i = 1; i <= n_operands; i++) {
        TIRBI_TRY(read_register(c, c->instr->operand[i], (tirbi_dtype)c->instr->type));
    }
    return TIRB_OK;
}

/* An indexed cursor is read, by any instructions, or it is written by one, which goes from lane to lane: so no lane
 * sees what another one has written but by that instruction, in the order of the lanes. */
static tirb_status find_indexed(checker *c, int64_t index, uint8_t access, int64_t index_type) {
    const tirbi_cursor *cursor = &c->lane.header->cursors[index];
    static const char *const names[] = {"", "only read", "only written", "read and written"};
    if (cursor->level != TIRBI_LEVEL_INDEXED) return tirbi_verify_fail(c, "cursor %" PRId64 " is not indexed", index);
    if (cursor->access != access) return tirbi_verify_fail(c, "cursor %" PRId64 " is not %s", index, names[access]);
    if (cursor->type != c->instr->type) {
        return tirbi_verify_fail(c, "cursor %" PRId64 " is %s", index, tirbi_dtypes[cursor->type].name);
    }
    if (!tirbi_dtype_is_int((tirbi_dtype)index_type)) {
        return tirbi_verify_fail(c, "an index is an integer, not %s", tirbi_dtypes[index_type].name);
    }
    return TIRB_OK;
}

static tirb_status use_indexed(checker *c, int64_t index, uint8_t access, int64_t reg, int64_t index_type) {
    checker_lane *lane = &c->lane;
    TIRBI_TRY(find_indexed(c, index, access, index_type));
    TIRBI_TRY(read_register(c, reg, (tirbi_dtype)index_type));
    if (access == TIRBI_READ) return TIRB_OK;
    if (lane->claimed >> index & 1) return tirbi_verify_fail(c, "cursor %" PRId64 " is written here too", index);
    lane->claimed |= UINT32_C(1) << index;
    return at_lane_level(c);
}

/* What operation n of a fold is, and how. */
static tirb_status check_fold(checker *c, int64_t n, unsigned n_folds, int64_t how) {
    int64_t op = n & TIRBI_SCAN_OP;
    bool is_float = tirbi_dtype_is_float((tirbi_dtype)c->instr->type);
    bool bits = op == TIRBI_SCAN_AND || op == TIRBI_SCAN_OR || op == TIRBI_SCAN_XOR;
    bool ordered = op == TIRBI_SCAN_MIN || op == TIRBI_SCAN_MAX || op == TIRBI_SCAN_SUB || op == TIRBI_SCAN_DIV;
    bool fused = n_folds == TIRBI_N_FUSED_SCANS;
    bool fits = op < n_folds && !(n & ~(TIRBI_SCAN_OP | how)) && (fused || ordered || !(n & TIRBI_SCAN_SWAPPED));
    if (fits && !fused && ((bits && is_float) || (op == TIRBI_SCAN_DIV && !is_float))) fits = false;
    return fits ? TIRB_OK
                : tirbi_verify_fail(c, "there is no operation %" PRId64 " of %s", n, tirbi_dtypes[c->instr->type].name);
}

static tirb_status check_step(checker *c, unsigned n_values, unsigned n_folds) {
    checker_lane *lane = &c->lane;
    TIRBI_TRY(at_lane_level(c));
    if (++lane->n_steps == TIRBI_MAX_SCAN_STEPS) {
        return tirbi_verify_fail(c, "more than %d steps of a scan", TIRBI_MAX_SCAN_STEPS - 1);
    }
    const tirbi_dtype type = (tirbi_dtype)c->instr->type;
    const int64_t n = c->instr->operand[n_values];
    const bool begins_anew = n_values == 2 && n == TIRBI_SCAN_ANEW;
    lane->step_type = c->instr->type;
    if (!begins_anew) TIRBI_TRY(check_fold(c, n, n_folds, TIRBI_SCAN_SWAPPED));
    for (unsigned i = 0; i < n_values; i++)
        TIRBI_TRY(read_register(c, c->instr->operand[i], begins_anew && i == 0 ? TIRB_BOOL : type));
    return TIRB_OK;
}

/* Behind a step come others, and the scan that goes on with them. */
static tirb_status check_behind_step(checker *c) {
    const tirbi_instr *instr = c->instr;
    bool goes_on = instr->op == TIRB_OP_VSTEP || instr->op == TIRB_OP_VSTEPMA || instr->op == TIRB_OP_VSCAN ||
                   instr->op == TIRB_OP_VSCANMA;
    if (c->lane.n_steps == 0 || (goes_on && instr->type == c->lane.step_type)) return TIRB_OK;
    return tirbi_verify_fail(c, "no scan of %s goes on with the step before it", tirbi_dtypes[c->lane.step_type].name);
}

static tirb_status count_scan(checker *c) {
    TIRBI_TRY(at_lane_level(c));
    if (c->lane.n_scans++ == TIRBI_MAX_SCANS)
        return tirbi_verify_fail(c, "more than %d scans in a lane loop", TIRBI_MAX_SCANS);
    return TIRB_OK;
}

static tirb_status check_scan(checker *c, unsigned n_values, unsigned n_folds, int64_t how) {
    checker_lane *lane = &c->lane;
    tirbi_dtype type = (tirbi_dtype)c->instr->type;
    int64_t n = c->instr->operand[2 + n_values];
    const int64_t choice = n_values == 1 ? (int64_t)TIRBI_SCAN_WHERE : (int64_t)TIRBI_SCAN_ANEW;
    const bool chooses = lane->n_steps > 0 && (n & (TIRBI_SCAN_OP | TIRBI_SCAN_SWAPPED)) == choice;
    TIRBI_TRY(count_scan(c));
    if (!chooses || (n & ~(TIRBI_SCAN_OP | how))) TIRBI_TRY(check_fold(c, n, n_folds, how));
    for (unsigned i = 0; i < n_values; i++) {
        TIRBI_TRY(read_register(c, c->instr->operand[2 + i], chooses && i == 0 ? TIRB_BOOL : type));
    }
    lane->n_steps = 0;
    write_register(c, c->instr->operand[0], n & TIRBI_SCAN_BITS ? tirbi_dtype_of_bits(type) : type);
    return TIRB_OK;
}

static tirb_status check_advance(checker *c) {
    const int64_t *o = c->instr->operand;
    TIRBI_TRY(count_scan(c));
    TIRBI_TRY(find_indexed(c, o[2], TIRBI_READ, o[4]));
    write_register(c, o[0], (tirbi_dtype)o[4]);
    return TIRB_OK;
}

/* Whether an instruction does more than give a lane a value. */
static bool acts(const tirbi_instr *instr) {
    if (tirbi_ops[instr->op].flags & TIRBI_FLAG_ELEMENTWISE) {
        return (tirbi_ops[instr->op].flags & TIRBI_FLAG_TRAP) && tirbi_dtype_is_int((tirbi_dtype)instr->type);
    }
    switch ((unsigned)instr->op) {
    case TIRB_OP_VLOAD:
    case TIRB_OP_VSPLAT:
    case TIRB_OP_VIOTA:
    case TIRB_OP_VFIND:
    case TIRB_OP_LANE_END: return false;
    default: return true;
    }
}

static tirb_status check_find(checker *c) {
    if (c->lane.finds) return tirbi_verify_fail(c, "a lane loop has one vfind");
    c->lane.finds = true;
    return read_register(c, c->instr->operand[1], TIRB_BOOL);
}

tirb_status tirbi_verify_lane_instr(checker *c) {
    const tirbi_instr *instr = c->instr;
    tirbi_dtype type = (tirbi_dtype)instr->type;
    c->lane.acts = c->lane.acts || acts(instr);
    bool ends = instr->op == TIRB_OP_LANE_END || instr->op == TIRB_OP_INNER_END;
    if (!ends && c->lane.depth < c->lane.kept && c->lane.begun) {
        return tirbi_verify_fail(c, "it is outside of an inner loop that a seek is in");
    }
    if (instr->op != TIRB_OP_INNER && instr->op != TIRB_OP_SEEK) c->lane.begun = true;
    TIRBI_TRY(check_behind_step(c));
    switch ((unsigned)instr->op) {
    case TIRB_OP_SEEK:
        return check_seek(c);
    case TIRB_OP_LANE_END:
        return end_lane(c);
    case TIRB_OP_VLOOP:
        return begin_own(c);
    case TIRB_OP_VWHILE:
        if (!own_is_open(c)) return tirbi_verify_fail(c, "no vloop is open here");
        return read_register(c, instr->operand[0], TIRB_BOOL);
    case TIRB_OP_VAGAIN:
        return end_own(c);
    case TIRB_OP_INNER:
        return begin_inner(c);
    case TIRB_OP_INNER_END:
        return end_inner(c);
    case TIRB_OP_VLOAD:
        TIRBI_TRY(use_cursor(c, instr->operand[1], TIRBI_READ));
        write_register(c, instr->operand[0], type);
        return TIRB_OK;
    case TIRB_OP_VSTORE:
        TIRBI_TRY(use_cursor(c, instr->operand[0], TIRBI_WRITE));
        return read_register(c, instr->operand[1], type);
    case TIRB_OP_VSPLAT:
    case TIRB_OP_VIOTA:
        write_register(c, instr->operand[0], type);
        return TIRB_OK;
    case TIRB_OP_VRED:
        return check_push(c, 1);
    case TIRB_OP_VREDMA:
        return check_push(c, 2);
    case TIRB_OP_VINDEX:
        return read_register(c, instr->operand[0], type);
    case TIRB_OP_VLOADX:
        TIRBI_TRY(use_indexed(c, instr->operand[1], TIRBI_READ, instr->operand[2], instr->operand[3]));
        write_register(c, instr->operand[0], type);
        return TIRB_OK;
    case TIRB_OP_VSTOREX:
        TIRBI_TRY(use_indexed(c, instr->operand[0], TIRBI_WRITE, instr->operand[1], instr->operand[3]));
        return read_register(c, instr->operand[2], type);
    case TIRB_OP_VUPDATE:
        TIRBI_TRY(use_indexed(c, instr->operand[0], TIRBI_READ | TIRBI_WRITE, instr->operand[1], instr->operand[3]));
        TIRBI_TRY(check_fold(c, instr->operand[4], TIRBI_N_SCAN_OPS, TIRBI_SCAN_SWAPPED));
        return read_register(c, instr->operand[2], type);
    case TIRB_OP_VUPDATEMA:
        TIRBI_TRY(use_indexed(c, instr->operand[0], TIRBI_READ | TIRBI_WRITE, instr->operand[1], instr->operand[4]));
        TIRBI_TRY(check_fold(c, instr->operand[5], TIRBI_N_FUSED_SCANS, 0));
        TIRBI_TRY(read_register(c, instr->operand[2], type));
        return read_register(c, instr->operand[3], type);
    case TIRB_OP_VADVANCE:
        return check_advance(c);
    case TIRB_OP_VFIND:
        return check_find(c);
    case TIRB_OP_VSCAN:
        return check_scan(c, 1, TIRBI_N_SCAN_OPS, TIRBI_SCAN_SWAPPED | TIRBI_SCAN_BEFORE | TIRBI_SCAN_BITS);
    case TIRB_OP_VSCANMA:
        return check_scan(c, 2, TIRBI_N_FUSED_SCANS, TIRBI_SCAN_SWAPPED | TIRBI_SCAN_BEFORE | TIRBI_SCAN_BITS);
    case TIRB_OP_VSTEP:
        return check_step(c, 1, TIRBI_N_SCAN_OPS);
    case TIRB_OP_VSTEPMA:
        return check_step(c, 2, TIRBI_N_FUSED_SCANS);
    default:
        return check_elementwise(c);
    }
}
