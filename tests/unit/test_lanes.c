/* Random lane loops: every instruction set against a model that runs one lane after the other, one element at a
 * time. */
#include "tests/unit/machine_harness.h"
#include "tests/unit/sampled.h"

#include "loader/isa/scans.h"
#include "vm/lanes/slots.h"
#include "vm/lanes/kernels.h"
#include "vm/lanes/reduce.h"

/* ---- Random numbers ------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

static unsigned pick(unsigned n) { return (unsigned)((next_random() >> 33) % n); }

/* ---- Random programs ------------------------------------------------------------------------------------------ */

enum {
    N_REFS = 9,
    N_READ_REFS = 4,
    N_STEPPED_REFS =
        6, /* then: what is stored to by index, what is updated, what the scanned registers are stored to */
    STORED_REF = 6,
    UPDATED_REF = 7,
    SCANNED_REF = 8,
    N_LANE_REGS = 8, /* and four for each vloop that is open: its round, 1, how many there are, a test */
    OWN_REGS = 4 * TIRBI_MAX_OWN_DEPTH,
    N_SCALARS = 16,
    MAX_CURSORS = 16,
    MAX_SCANNED = 4,
    INDEX_MASK = 15,
    TEXT_SIZE = 1 << 15
};
/* s0: n; s1..s4: data for splats and scans; s5, s6: extents; s7, s8: index registers; s9: 1; s10..s13: results; s14:
 * 15; s15: 16 */

typedef struct plan {
    char text[TEXT_SIZE];
    size_t size;
    int64_t n;
    int64_t extent[2];
    bool nested;
    unsigned n_inner;
    uint8_t ref_types[N_REFS];
    int64_t ref_sizes[N_REFS];
    struct {
        unsigned ref;
        unsigned level;
        bool written;
        int64_t start, step, steps[2];
    } cursors[MAX_CURSORS];
    unsigned n_cursors;
    uint8_t types[N_LANE_REGS]; /* TIRB_TYPE_NONE: not defined */
    uint8_t before[3 + TIRBI_MAX_OWN_DEPTH][N_LANE_REGS];
    unsigned open[3 + TIRBI_MAX_OWN_DEPTH];
    unsigned own_depth, n_own;
    unsigned depth;
    bool reduces;
    bool stored, updated; /* by index, once each */
    unsigned n_scans;
} plan;

static void say(plan *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(plan *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    p->size += (size_t)vsnprintf(p->text + p->size, TEXT_SIZE - p->size, format, arguments);
    va_end(arguments);
}

static const char *name_of(uint8_t type) { return tirbi_dtypes[type].name; }

static int64_t span(int64_t step, int64_t count) { return count > 1 ? step * (count - 1) : 0; }

/* Which loops a cursor of this level is inside of. */
static bool encloses(const plan *p, unsigned level, unsigned loop) {
    if (level == 0) return false;
    return level - 1 == loop || (p->nested && level == 2 && loop == 0);
}

/* Grows the reference so that the cursor's elements are inside, and moves its start so that none is negative. */
static void make_room(plan *p, unsigned c) {
    int64_t low = 0, high = 0;
    int64_t s = span(p->cursors[c].step, p->n);
    *(s < 0 ? &low : &high) += s;
    for (unsigned k = 0; k < p->n_inner; k++) {
        if (!encloses(p, p->cursors[c].level, k)) continue;
        s = span(p->cursors[c].steps[k], p->extent[k]);
        *(s < 0 ? &low : &high) += s;
    }
    p->cursors[c].start = pick(3) - low;
    int64_t need = p->cursors[c].start + high + 1;
    if (need > p->ref_sizes[p->cursors[c].ref]) p->ref_sizes[p->cursors[c].ref] = need;
}

static void add_cursor(plan *p, unsigned ref, bool written) {
    unsigned c = p->n_cursors++;
    static const int64_t steps[] = {1, 1, 1, 1, 0, 2, -1, 3, 43};
    p->cursors[c].ref = ref;
    p->cursors[c].written = written;
    p->cursors[c].level = pick(p->n_inner + 1);
    p->cursors[c].step = steps[pick(written ? 4 : 9)];
    if (written && pick(4) == 0) p->cursors[c].step = pick(2) ? 2 : -1;
    int64_t row = (p->n > 0 ? p->n : 1) * 2;
    for (unsigned k = 0; k < p->n_inner; k++) {
        int64_t step = written ? 0 : (int64_t)pick(4) - 1;
        if (pick(2)) step = k == 0 ? row : row * (p->extent[0] > 0 ? p->extent[0] : 1);
        p->cursors[c].steps[k] = encloses(p, p->cursors[c].level, k) ? step : 0;
    }
    make_room(p, c);
}

static void add_indexed(plan *p, unsigned ref) {
    p->cursors[p->n_cursors].ref = ref;
    p->cursors[p->n_cursors++].level = TIRBI_LEVEL_INDEXED;
    if (p->ref_sizes[ref] < INDEX_MASK + 1) p->ref_sizes[ref] = INDEX_MASK + 1;
}

static unsigned find_register(plan *p, uint8_t type) {
    unsigned first = pick(N_LANE_REGS);
    for (unsigned i = 0; i < N_LANE_REGS; i++)
        if (p->types[(first + i) % N_LANE_REGS] == type) return (first + i) % N_LANE_REGS;
    return N_LANE_REGS;
}

static unsigned any_register(plan *p) {
    unsigned first = pick(N_LANE_REGS);
    for (unsigned i = 0; i < N_LANE_REGS; i++)
        if (p->types[(first + i) % N_LANE_REGS] != TIRB_TYPE_NONE) return (first + i) % N_LANE_REGS;
    return N_LANE_REGS;
}

/* In a loop a register keeps its type, so that the loop's head stays valid. */
static bool may_define(const plan *p, unsigned reg, uint8_t type) {
    for (unsigned d = 1; d <= p->depth; d++)
        if (p->before[d][reg] != TIRB_TYPE_NONE && p->before[d][reg] != type) return false;
    return true;
}

static unsigned new_register(plan *p, uint8_t type) {
    unsigned reg = pick(N_LANE_REGS);
    while (!may_define(p, reg, type)) reg = (reg + 1) % N_LANE_REGS;
    return reg;
}

static bool defined_type_fits(plan *p, uint8_t type) {
    for (unsigned reg = 0; reg < N_LANE_REGS; reg++)
        if (may_define(p, reg, type)) return true;
    return false;
}

static bool cursor_usable(const plan *p, unsigned c) {
    unsigned level = p->cursors[c].level;
    if (level == 0) return true;
    for (unsigned d = 1; d <= p->depth; d++)
        if (p->open[d] == level - 1) return true;
    return false;
}

static unsigned pick_stepped(const plan *p) { return N_READ_REFS + 2 + pick(p->n_cursors - N_READ_REFS - 2); }

static void emit_elementwise(plan *p) {
    const tirbi_kernel_table *kernels = tirbi_kernels(TIRB_ISA_GENERIC);
    unsigned source = any_register(p);
    if (source == N_LANE_REGS) return;
    uint8_t type = p->types[source];
    if (pick(8) == 0) {
        uint8_t to = (uint8_t)pick(TIRB_N_DTYPES);
        if (pick(4)) to = p->ref_types[pick(N_REFS)];
        if (!defined_type_fits(p, to)) return;
        unsigned dest = new_register(p, to);
        say(p, "    vcast.%s v%u, v%u, %s\n", name_of(to), dest, source, name_of(type));
        p->types[dest] = to;
        return;
    }
    unsigned op = TIRBI_FIRST_ELEMENTWISE + pick(TIRB_OP_RHYPOT - TIRBI_FIRST_ELEMENTWISE + 1);
    static const uint8_t hot[] = {TIRB_OP_ADD, TIRB_OP_SUB, TIRB_OP_MUL, TIRB_OP_MIN, TIRB_OP_MAX, TIRB_OP_FMA,
                                  TIRB_OP_FMS, TIRB_OP_FNMA, TIRB_OP_NEG, TIRB_OP_ABS, TIRB_OP_AND, TIRB_OP_OR,
                                  TIRB_OP_XOR, TIRB_OP_SHL, TIRB_OP_SHR, TIRB_OP_SQRT, TIRB_OP_DIV};
    if (pick(4)) op = hot[pick(sizeof hot)];
    if (op == TIRB_OP_CAST || op == TIRB_OP_BITS || !tirbi_ops[op].mnemonic) return;
    bool divides = (tirbi_ops[op].flags & TIRBI_FLAG_TRAP) != 0 && !tirbi_dtype_is_float(type);
    if (divides && pick(20)) return;
    if (!(tirbi_ops[op].types >> type & 1) || !kernels->op[op - TIRBI_FIRST_ELEMENTWISE][type]) return;
    unsigned operands[3];
    for (unsigned i = 0; i < tirbi_ops[op].arity; i++) {
        uint8_t wanted = (uint8_t)tirbi_op_operand_type((tirbi_op)op, (tirbi_dtype)type, (tirbi_dtype)type, i);
        operands[i] = find_register(p, wanted);
        if (operands[i] == N_LANE_REGS) return;
    }
    uint8_t result = (uint8_t)tirbi_op_result_type((tirbi_op)op, (tirbi_dtype)type);
    if (!defined_type_fits(p, result)) return;
    unsigned dest = new_register(p, result);
    say(p, "    v%s.%s v%u", tirbi_ops[op].mnemonic, name_of(type), dest);
    for (unsigned i = 0; i < tirbi_ops[op].arity; i++) say(p, ", v%u", operands[i]);
    say(p, "\n");
    p->types[dest] = result;
}

/* A register with an i32 index, mostly within what indexed references have. */
static unsigned emit_index(plan *p) {
    unsigned source = any_register(p);
    if (source == N_LANE_REGS || !defined_type_fits(p, TIRB_I32)) return N_LANE_REGS;
    unsigned index = new_register(p, TIRB_I32), mask = new_register(p, TIRB_I32);
    if (index == mask) return N_LANE_REGS;
    say(p, "    vcast.i32 v%u, v%u, %s\n", index, source, name_of(p->types[source]));
    p->types[index] = TIRB_I32;
    if (pick(40)) {
        say(p, "    vsplat.i32 v%u, s14\n    vand.i32 v%u, v%u, v%u\n", mask, index, index, mask);
        p->types[mask] = TIRB_I32;
    }
    if (pick(3) == 0) say(p, "    vindex.i32 v%u, s%u, 1, \"f\"\n", index, pick(30) ? 15 : 14);
    return index;
}

static bool is_wide(uint8_t type) { return type == TIRB_F32 || type == TIRB_F64 || tirbi_dtypes[type].size >= 4; }

static unsigned pick_fold(uint8_t type) {
    bool is_float = tirbi_dtype_is_float(type);
    unsigned op = pick(is_float ? TIRBI_SCAN_AND : TIRBI_SCAN_SUB);
    if (pick(6) == 0) op = is_float && pick(2) ? TIRBI_SCAN_DIV : TIRBI_SCAN_SUB;
    bool ordered = op == TIRBI_SCAN_MIN || op == TIRBI_SCAN_MAX || op == TIRBI_SCAN_SUB || op == TIRBI_SCAN_DIV;
    return ordered && pick(2) ? op | TIRBI_SCAN_SWAPPED : op;
}

static void emit_scan(plan *p) {
    unsigned source = any_register(p);
    if (p->depth > 0 || source == N_LANE_REGS || !is_wide(p->types[source]) || p->n_scans == MAX_SCANNED) return;
    uint8_t type = p->types[source];
    unsigned how = pick(2) ? TIRBI_SCAN_BEFORE : 0;
    if (how && pick(2)) how |= TIRBI_SCAN_BITS;
    unsigned dest = pick(N_LANE_REGS), slot = 1 + p->n_scans++, steps = pick(2) ? 0 : pick(4),
             truth = find_register(p, TIRB_BOOL);
    for (unsigned i = 0; i < steps; i++) {
        unsigned other = find_register(p, type);
        if (tirbi_dtype_is_float(type) && truth < N_LANE_REGS && pick(4) == 0)
            say(p, "    vstepma.%s v%u, v%u, %u\n", name_of(type), truth, other, TIRBI_SCAN_ANEW);
        else if (tirbi_dtype_is_float(type) && pick(3) == 0)
            say(p, "    vstepma.%s v%u, v%u, %u\n", name_of(type), source, other,
                pick(3) | (pick(2) ? TIRBI_SCAN_SWAPPED : 0));
        else
            say(p, "    vstep.%s v%u, %u\n", name_of(type), other, pick_fold(type));
    }
    if (steps > 0 && truth < N_LANE_REGS && pick(2))
        say(p, "    vscan.%s v%u, s%u, v%u, %u\n", name_of(type), dest, slot, truth, TIRBI_SCAN_WHERE | how);
    else if (steps > 0 && truth < N_LANE_REGS && tirbi_dtype_is_float(type) && pick(2))
        say(p, "    vscanma.%s v%u, s%u, v%u, v%u, %u\n", name_of(type), dest, slot, truth, source,
            TIRBI_SCAN_ANEW | how);
    else if (tirbi_dtype_is_float(type) && pick(2))
        say(p, "    vscanma.%s v%u, s%u, v%u, v%u, %u\n", name_of(type), dest, slot, source, source,
            pick(3) | how | (pick(3) ? 0 : TIRBI_SCAN_SWAPPED));
    else
        say(p, "    vscan.%s v%u, s%u, v%u, %u\n", name_of(type), dest, slot, source, pick_fold(type) | how);
    p->types[dest] = how & TIRBI_SCAN_BITS ? (uint8_t)tirbi_dtype_of_bits((tirbi_dtype)type) : type;
}

/* The range of a place, counted on in s3, which is small; where elements stand is up to chance. */
static void emit_advance(plan *p) {
    enum { SMALL = 3 };
    unsigned c = pick(N_READ_REFS), dest = pick(N_LANE_REGS);
    uint8_t type = p->ref_types[c], to = pick(2) ? TIRB_I32 : TIRB_I64;
    if (p->depth > 0 || 1 + p->n_scans != SMALL || !tirbi_dtype_is_int((tirbi_dtype)type)) return;
    p->n_scans++;
    say(p, "    vadvance.%s v%u, s%d, c%u, s10, %s\n", name_of(type), dest, SMALL, c, name_of(to));
    p->types[dest] = to;
}

/* Cursors 0 .. N_READ_REFS - 1 index the references that are only read, then come those of the other two. */
static void emit_indexed(plan *p) {
    unsigned kind = pick(4), index = emit_index(p);
    if (index == N_LANE_REGS) return;
    if (kind < 2) {
        unsigned c = pick(N_READ_REFS);
        uint8_t type = p->ref_types[c];
        if (!defined_type_fits(p, type)) return;
        unsigned dest = new_register(p, type);
        say(p, "    vloadx.%s v%u, c%u, v%u, i32\n", name_of(type), dest, c, index);
        p->types[dest] = type;
        return;
    }
    unsigned ref = kind == 2 ? STORED_REF : UPDATED_REF;
    uint8_t type = p->ref_types[ref];
    bool *once = kind == 2 ? &p->stored : &p->updated;
    unsigned value = find_register(p, type);
    if (p->depth > 0 || *once || value == N_LANE_REGS || (kind == 3 && !is_wide(type))) return;
    *once = true;
    if (kind == 2)
        say(p, "    vstorex.%s c%d, v%u, v%u, i32\n", name_of(type), N_READ_REFS, index, value);
    else if (tirbi_dtype_is_float((tirbi_dtype)type) && pick(2))
        say(p, "    vupdatema.%s c%d, v%u, v%u, v%u, i32, %u\n", name_of(type), N_READ_REFS + 1, index, value,
            find_register(p, type), pick(TIRBI_N_FUSED_SCANS));
    else
        say(p, "    vupdate.%s c%d, v%u, v%u, i32, %u\n", name_of(type), N_READ_REFS + 1, index, value,
            pick_fold(type));
}

static void emit_many(plan *p, unsigned n);

/* A loop of each lane's own: up to 15 rounds, often with another way out. */
static void emit_own(plan *p) {
    unsigned source = any_register(p), k = N_LANE_REGS + 4 * p->own_depth;
    if (source == N_LANE_REGS || p->own_depth == TIRBI_MAX_OWN_DEPTH || p->n_own == TIRBI_MAX_OWN) return;
    p->n_own++;
    say(p, "    vsplat.i32 v%u, s14\n    vcast.i32 v%u, v%u, %s\n    vand.i32 v%u, v%u, v%u\n", k, k + 2, source,
        name_of(p->types[source]), k + 2, k + 2, k);
    say(p, "    vsplat.i32 v%u, s10\n    vsplat.i32 v%u, s9\n    vloop\n", k, k + 1);
    p->open[++p->depth] = 99;
    p->own_depth++;
    memcpy(p->before[p->depth], p->types, sizeof p->types);
    if (pick(4) == 0) emit_many(p, 1 + pick(3));
    say(p, "    vlt.i32 v%u, v%u, v%u\n    vwhile.bool v%u\n", k + 3, k, k + 2, k + 3);
    emit_many(p, 1 + pick(6));
    unsigned truth = find_register(p, TIRB_BOOL);
    if (truth < N_LANE_REGS && pick(3) == 0) say(p, "    vwhile.bool v%u\n", truth);
    if (pick(3) == 0) emit_many(p, pick(4));
    say(p, "    vadd.i32 v%u, v%u, v%u\n    vagain\n", k, k, k + 1);
    for (unsigned reg = 0; reg < N_LANE_REGS; reg++)
        if (p->types[reg] != p->before[p->depth][reg]) p->types[reg] = TIRB_TYPE_NONE;
    p->depth--;
    p->own_depth--;
}

static void emit_one(plan *p) {
    unsigned kind = pick(24);
    if (kind == 23) {
        if (pick(2)) emit_own(p);
    } else if (kind >= 20) {
        if (kind == 20 && 1 + p->n_scans == 3 && pick(2)) emit_advance(p);
        else if (kind == 20) emit_scan(p);
        else emit_indexed(p);
    } else if (kind < 5) {
        unsigned c = pick_stepped(p);
        uint8_t type = p->ref_types[p->cursors[c].ref];
        if (!cursor_usable(p, c) || !defined_type_fits(p, type)) return;
        unsigned dest = new_register(p, type);
        say(p, "    vload.%s v%u, c%u\n", name_of(type), dest, c);
        p->types[dest] = type;
    } else if (kind < 8) {
        unsigned c = pick_stepped(p);
        uint8_t type = p->ref_types[p->cursors[c].ref];
        unsigned reg = find_register(p, type);
        if (!cursor_usable(p, c) || !p->cursors[c].written || reg == N_LANE_REGS) return;
        say(p, "    vstore.%s c%u, v%u\n", name_of(type), c, reg);
    } else if (kind < 9) {
        uint8_t type = p->ref_types[pick(N_REFS)];
        if (!defined_type_fits(p, type)) return;
        unsigned dest = new_register(p, type);
        unsigned slot = pick(3) ? 1 + pick(4) : 7 + pick(2);
        if (tirbi_dtype_is_int(type) && pick(2))
            say(p, "    viota.%s v%u, s%u, %d\n", name_of(type), dest, slot, (int)pick(9) - 4);
        else
            say(p, "    vsplat.%s v%u, s%u\n", name_of(type), dest, slot);
        p->types[dest] = type;
    } else {
        emit_elementwise(p);
    }
}

static void emit_many(plan *p, unsigned n) {
    while (n-- > 0) emit_one(p);
}

static void open_loop(plan *p, unsigned loop) {
    say(p, "    inner l%u\n", loop);
    p->depth++;
    p->open[p->depth] = loop;
    memcpy(p->before[p->depth], p->types, sizeof p->types);
}

static void close_loop(plan *p) {
    say(p, "    inner.end l%u\n", p->open[p->depth]);
    for (unsigned reg = 0; reg < N_LANE_REGS; reg++)
        if (p->types[reg] != p->before[p->depth][reg]) p->types[reg] = TIRB_TYPE_NONE;
    p->depth--;
}

static void emit_header(plan *p) {
    say(p, ".function \"f\" public returns f32\n.scalars %d\n.lanes %d\n", N_SCALARS, N_LANE_REGS + OWN_REGS);
    for (unsigned r = 0; r < N_REFS; r++)
        say(p, ".ref %s%s\n", name_of(p->ref_types[r]), r >= N_READ_REFS ? " writable" : "");
    say(p, ".red f32 add\n.red f64 max\n");
    for (unsigned r = 0; r < N_REFS; r++)
        say(p, ".tensor \"t%u\" %s r%u read%s (%lld)\n", r, name_of(p->ref_types[r]), r,
            r >= N_READ_REFS ? " write" : "", (long long)p->ref_sizes[r]);
    for (unsigned s = 0; s < 7; s++) say(p, ".scalar \"s%u\" i64 s%u\n", s, s);
    say(p,
        "    const.i64 s9, 1\n    const.i64 s14, %d\n    const.i64 s15, %d\n    red.begin.f32 q0, s10\n    "
        "red.begin.f64 q1, s10\n    lane s0, done\n",
        INDEX_MASK, INDEX_MASK + 1);
    for (unsigned k = 0; k < p->n_inner; k++) say(p, "    .inner s%u s%u\n", 5 + k, 7 + k);
    for (unsigned c = 0; c < p->n_cursors; c++) {
        unsigned ref = p->cursors[c].ref;
        bool both = p->cursors[c].written || ref == UPDATED_REF;
        say(p, "    .cursor r%u %s %s %u %lld ", ref, name_of(p->ref_types[ref]),
            both                ? "readwrite"
            : ref == STORED_REF ? "write"
                                : "read",
            p->cursors[c].level, (long long)p->cursors[c].start);
        if (p->cursors[c].step == 1 && pick(8) == 0)
            say(p, "s9");
        else
            say(p, "%lld", (long long)p->cursors[c].step);
        for (unsigned k = 0; k < p->n_inner; k++) say(p, " %lld", (long long)p->cursors[c].steps[k]);
        say(p, "\n");
    }
}

static void make_plan(plan *p) {
    static const uint8_t mains[] = {TIRB_F32, TIRB_F32, TIRB_F64, TIRB_I32, TIRB_I64, TIRB_U32,
                                    TIRB_U8,  TIRB_I16, TIRB_F16, TIRB_U64, TIRB_BOOL, TIRB_BF16};
    memset(p, 0, sizeof *p);
    p->n = pick(4) ? pick(300) : pick(1200);
    p->n_inner = pick(3);
    p->nested = pick(2) != 0;
    for (unsigned k = 0; k < 2; k++)
        p->extent[k] = p->n < 200 && pick(12) == 0 ? 8 + (int64_t)pick(33) : (int64_t)pick(5) - (pick(8) == 0);
    uint8_t main_type = mains[pick(sizeof mains)];
    for (unsigned r = 0; r < N_REFS; r++) p->ref_types[r] = pick(5) ? main_type : mains[pick(sizeof mains)];
    p->ref_types[SCANNED_REF] = TIRB_I64;
    p->ref_sizes[SCANNED_REF] = MAX_SCANNED;
    memset(p->types, TIRB_TYPE_NONE, sizeof p->types);
    for (unsigned r = 0; r < N_READ_REFS; r++) add_indexed(p, r);
    for (unsigned r = STORED_REF; r <= UPDATED_REF; r++) add_indexed(p, r);
    for (unsigned i = 0, n = 3 + pick(4); i < n; i++) add_cursor(p, pick(N_READ_REFS), false);
    for (unsigned r = N_READ_REFS; r < N_STEPPED_REFS; r++) add_cursor(p, r, true);
    emit_header(p);
    unsigned length = 2 + pick(14);
    emit_many(p, length);
    for (unsigned k = 0; k < p->n_inner; k++) {
        open_loop(p, k);
        emit_many(p, 1 + pick(10));
        if (p->nested && p->n_inner == 2) continue;
        close_loop(p);
        emit_many(p, pick(4));
    }
    while (p->depth > 0) {
        emit_many(p, pick(4));
        close_loop(p);
    }
    emit_many(p, pick(6));
    unsigned reg = find_register(p, TIRB_F32);
    if (reg < N_LANE_REGS) say(p, pick(2) ? "    vred.f32 q0, v%u\n" : "    vredma.f32 q0, v%u, v%u\n", reg, reg);
    reg = find_register(p, TIRB_F64);
    if (reg < N_LANE_REGS) say(p, "    vred.f64 q1, v%u\n", reg);
    for (unsigned c = 0; c < p->n_cursors; c++) {
        reg = find_register(p, p->ref_types[p->cursors[c].ref]);
        if (reg < N_LANE_REGS && p->cursors[c].written && cursor_usable(p, c))
            say(p, "    vstore.%s c%u, v%u\n", name_of(p->ref_types[p->cursors[c].ref]), c, reg);
    }
    say(p, "done:\n    lane.end\n");
    for (unsigned i = 0; i < MAX_SCANNED; i++) say(p, "    store.i64 r%d, %u, s%u\n", SCANNED_REF, i, 1 + i);
    say(p, "    red.end.f32 s10, q0\n    red.end.f64 s11, q1\n    cast.f32 s12, s11, f64\n"
           "    add.f32 s13, s10, s12\n    ret.f32 s13\n.end\n");
}

/* ---- The model ------------------------------------------------------------------------------------------------ */

typedef struct model {
    const plan *p;
    const tirbi_function *f;
    const tirbi_kernel_table *kernels;
    const uint64_t *scalars;
    uint64_t index[2];
    uint8_t *data[N_REFS];
    uint64_t regs[N_LANE_REGS + OWN_REGS]; /* the value is in the first bytes */
    int64_t lane;
    int64_t k[2];
    tirbi_red q0, q1;
    uint64_t scanned[MAX_SCANNED];
    struct { /* of the scan that comes next */
        uint8_t op;
        int64_t n;
        uint64_t operand[2];
    } step[TIRBI_MAX_SCAN_STEPS];
    unsigned n_steps;
    bool left; /* the innermost vloop */
    bool divided;
    bool outside; /* an index was out of bounds: the lane ends there, and the loop with it */
    char message[200];
} model;

static uint8_t *element(model *m, int64_t c) {
    const plan *p = m->p;
    int64_t at = p->cursors[c].start + m->lane * p->cursors[c].step;
    for (unsigned k = 0; k < p->n_inner; k++) at += m->k[k] * p->cursors[c].steps[k];
    return m->data[p->cursors[c].ref] + at * tirbi_dtypes[p->ref_types[p->cursors[c].ref]].size;
}

static uint64_t splat_value(const model *m, int64_t slot) {
    if (slot == 7 || slot == 8) return m->index[slot - 7];
    if (slot == 9) return 1;
    if (slot == 14) return INDEX_MASK;
    return m->scalars[slot];
}

static void set_register(model *m, int64_t reg, uint8_t type, uint64_t value) {
    if (type == TIRB_BOOL) value = (uint8_t)value != 0;
    memcpy(&m->regs[reg], tirbi_slot_bytes(&value, tirbi_dtypes[type].size), tirbi_dtypes[type].size);
}

static void model_elementwise(model *m, const tirbi_instr *in) {
    const int64_t *o = in->operand;
    unsigned op = in->op - (unsigned)TIRB_OP_LANE_FORM;
    tirbi_kernel kernel = op == TIRB_OP_CAST ? m->kernels->cast[in->type][o[2]]
                                             : m->kernels->op[op - TIRBI_FIRST_ELEMENTWISE][in->type];
    uint64_t operands[3] = {0, 0, 0};
    for (unsigned i = 0; i < tirbi_ops[in->op].arity; i++) operands[i] = m->regs[o[1 + i]];
    uint64_t result = 0;
    if (!kernel(&result, &operands[0], &operands[1], &operands[2], 1)) m->divided = true;
    m->regs[o[0]] = result;
}

/* op(old, value), by the elementwise instruction that does the same. */
static uint64_t model_fold(model *m, uint8_t type, int64_t n, uint64_t old, uint64_t value) {
    static const uint8_t ops[] = {TIRB_OP_ADD, TIRB_OP_MUL, TIRB_OP_MIN, TIRB_OP_MAX,
                                  TIRB_OP_AND, TIRB_OP_OR,  TIRB_OP_XOR, TIRB_OP_SUB, TIRB_OP_DIV};
    uint64_t result = 0;
    bool swapped = n & TIRBI_SCAN_SWAPPED;
    m->kernels->op[ops[n & TIRBI_SCAN_OP] - TIRBI_FIRST_ELEMENTWISE][type](&result, swapped ? &value : &old,
                                                                          swapped ? &old : &value, NULL, 1);
    return result;
}

/* Keeps what an instruction says of a running value: its values are operands `first` and on, then comes n. */
static void model_step(model *m, const tirbi_instr *in, unsigned first) {
    bool product = in->op == TIRB_OP_VSCANMA || in->op == TIRB_OP_VSTEPMA;
    const int64_t *o = in->operand + first;
    m->step[m->n_steps].op = in->op;
    m->step[m->n_steps].n = o[1 + product];
    for (unsigned i = 0; i <= product; i++) m->step[m->n_steps].operand[i] = m->regs[o[i]];
    m->n_steps++;
}

static const uint8_t fused[] = {TIRB_OP_FMA, TIRB_OP_FMS, TIRB_OP_FNMA};

static void model_scan(model *m, const tirbi_instr *in) {
    const int64_t *o = in->operand;
    uint8_t size = tirbi_dtypes[in->type].size;
    uint64_t *register_ = &m->scanned[o[1] - 1], old = 0;
    memcpy(&old, tirbi_slot_bytes(register_, size), size);
    uint64_t now = old;
    model_step(m, in, 2);
    int64_t n = m->step[m->n_steps - 1].n;
    for (unsigned i = 0; i < m->n_steps; i++) {
        const uint64_t *x = m->step[i].operand;
        bool swapped = m->step[i].n & TIRBI_SCAN_SWAPPED;
        int64_t op = m->step[i].n & TIRBI_SCAN_OP;
        bool fuses = m->step[i].op == TIRB_OP_VSCANMA || m->step[i].op == TIRB_OP_VSTEPMA;
        if (fuses && op == TIRBI_SCAN_ANEW) {
            const bool keeps = *(const uint8_t *)x != 0, copies = i + 1 == m->n_steps && (n & TIRBI_SCAN_BITS) != 0;
            now = keeps ? now : x[1];
            if (keeps || !copies) now = model_fold(m, in->type, TIRBI_SCAN_MAX, now, now); /* canonical */
        } else if (fuses) {
            uint64_t next = 0;
            m->kernels->op[fused[op] - TIRBI_FIRST_ELEMENTWISE][in->type](&next, &x[0], swapped ? &now : &x[1],
                                                                          swapped ? &x[1] : &now, 1);
            now = next;
        } else if (op == TIRBI_SCAN_WHERE) {
            now = *(const uint8_t *)x ? now : old;
        } else {
            now = model_fold(m, in->type, m->step[i].n, now, x[0]);
        }
    }
    m->n_steps = 0;
    m->regs[o[0]] = n & TIRBI_SCAN_BEFORE ? old : now;
    *register_ = tirbi_slot_from_bytes(&now, in->type);
}

/* The element that an i32 index means, NULL and a message where it is out of bounds. */
static uint8_t *indexed(model *m, int64_t c, int64_t reg, uint8_t size) {
    int32_t index;
    memcpy(&index, &m->regs[reg], sizeof index);
    unsigned ref = m->p->cursors[c].ref;
    if (index >= 0 && index < m->p->ref_sizes[ref]) return m->data[ref] + (size_t)index * size;
    m->outside = true;
    snprintf(m->message, sizeof m->message, "element %d is outside of the %lld elements", index,
             (long long)m->p->ref_sizes[ref]);
    return NULL;
}

/* Returns false where there is no element to compare with. */
static bool model_advance(model *m, const tirbi_instr *in) {
    const int64_t *o = in->operand;
    uint64_t *d = &m->scanned[o[1] - 1];
    const unsigned ref = m->p->cursors[o[2]].ref;
    for (;; ++*d) {
        if (*d + 1 >= (uint64_t)m->p->ref_sizes[ref]) {
            m->outside = true;
            snprintf(m->message, sizeof m->message, "element %lld is outside of the %lld elements", (long long)(*d + 1),
                     (long long)m->p->ref_sizes[ref]);
            return false;
        }
        uint64_t end = 0;
        memcpy(tirbi_slot_bytes(&end, tirbi_dtypes[in->type].size),
               m->data[ref] + (*d + 1) * tirbi_dtypes[in->type].size, tirbi_dtypes[in->type].size);
        end = tirbi_slot_extend(end, in->type);
        if ((int64_t)end > (int64_t)(splat_value(m, o[3]) + (uint64_t)m->lane)) break;
    }
    set_register(m, o[0], (uint8_t)o[4], *d);
    return true;
}

/* What lanes do by index; returns false where that ends the loop. */
static bool model_indexed(model *m, const tirbi_instr *in) {
    const int64_t *o = in->operand;
    uint8_t size = tirbi_dtypes[in->type].size, *at;
    uint64_t v = 0;
    if (in->op == TIRB_OP_VINDEX) {
        int32_t index;
        memcpy(&index, &m->regs[o[0]], sizeof index);
        int extent = o[1] == 14 ? INDEX_MASK : INDEX_MASK + 1;
        if (index >= 0 && index < extent) return true;
        m->outside = true;
        snprintf(m->message, sizeof m->message, "index %d is out of bounds for dimension 1 of f, whose extent is %d",
                 index, extent);
        return false;
    }
    if (in->op == TIRB_OP_VLOADX) {
        if (!(at = indexed(m, o[1], o[2], size))) return false;
        memcpy(&v, at, size);
        m->regs[o[0]] = 0;
        if (in->type == TIRB_BOOL) set_register(m, o[0], in->type, v != 0);
        else m->regs[o[0]] = v;
        return true;
    }
    if (!(at = indexed(m, o[0], o[1], size))) return false;
    memcpy(&v, at, size);
    if (in->op == TIRB_OP_VUPDATE) {
        v = model_fold(m, in->type, o[4], v, m->regs[o[2]]);
    } else if (in->op == TIRB_OP_VUPDATEMA) {
        const uint64_t old = v;
        m->kernels->op[fused[o[5]] - TIRBI_FIRST_ELEMENTWISE][in->type](&v, &m->regs[o[2]], &m->regs[o[3]], &old, 1);
    } else m->kernels->cast[in->type][in->type](&v, &m->regs[o[2]], NULL, NULL, 1);
    memcpy(at, &v, size);
    return true;
}

/* Runs the instructions from `at` up to the end of the loop or body, once. Returns the offset behind that end. */
static uint32_t model_run(model *m, uint32_t at) {
    for (;;) {
        static tirbi_instr in;
        assert_int_equal(tirbi_decode(m->f->code, m->f->code_size, at, &in, NULL), TIRB_OK);
        const int64_t *o = in.operand;
        uint8_t size = in.type < TIRB_N_DTYPES ? tirbi_dtypes[in.type].size : 0;
        at += in.size;
        switch ((unsigned)in.op) {
        case TIRB_OP_LANE_END:
        case TIRB_OP_INNER_END: return at;
        case TIRB_OP_INNER: {
            unsigned loop = (unsigned)o[0];
            uint32_t body = at;
            int64_t extent = m->p->extent[loop];
            if (extent < 1) { /* find its end */
                for (;;) {
                    assert_int_equal(tirbi_decode(m->f->code, m->f->code_size, at, &in, NULL), TIRB_OK);
                    at += in.size;
                    if (in.op == TIRB_OP_INNER_END && in.operand[0] == loop) break;
                }
                break;
            }
            for (m->k[loop] = 0; m->k[loop] < extent && !m->outside; m->k[loop]++) {
                m->index[loop] = (uint64_t)m->k[loop];
                at = model_run(m, body);
            }
            if (m->outside) return at;
            m->k[loop] = 0;
            m->index[loop] = 0;
            break;
        }
        case TIRB_OP_VWHILE:
            m->left = *(const uint8_t *)&m->regs[o[0]] == 0;
            if (m->left) return at;
            break;
        case TIRB_OP_VAGAIN: return at;
        case TIRB_OP_VLOOP: {
            uint32_t body = at;
            for (m->left = false; !m->left && !m->outside;) model_run(m, body);
            if (m->outside) return at;
            m->left = false;
            for (unsigned open = 1; open > 0;) { /* behind its end */
                assert_int_equal(tirbi_decode(m->f->code, m->f->code_size, at, &in, NULL), TIRB_OK);
                at += in.size;
                open += in.op == TIRB_OP_VLOOP;
                open -= in.op == TIRB_OP_VAGAIN;
            }
            break;
        }
        case TIRB_OP_VLOAD:
            m->regs[o[0]] = 0;
            memcpy(&m->regs[o[0]], element(m, o[1]), size);
            if (in.type == TIRB_BOOL) set_register(m, o[0], in.type, m->regs[o[0]] != 0);
            break;
        case TIRB_OP_VSTORE: {
            uint64_t v = 0;
            m->kernels->cast[in.type][in.type](&v, &m->regs[o[1]], NULL, NULL, 1);
            memcpy(element(m, o[0]), &v, size);
            break;
        }
        case TIRB_OP_VSPLAT:
            set_register(m, o[0], in.type, splat_value(m, o[1]));
            break;
        case TIRB_OP_VIOTA:
            set_register(m, o[0], in.type,
                         splat_value(m, o[1]) + (uint64_t)m->lane * (uint64_t)tirbi_x_small((uint16_t)o[2]));
            break;
        case TIRB_OP_VRED:
        case TIRB_OP_VREDMA: {
            float x;
            double y;
            memcpy(&x, &m->regs[o[1]], sizeof x);
            memcpy(&y, &m->regs[o[1]], sizeof y);
            if (in.type == TIRB_F64)
                tirbi_red_push_f64(&m->q1, y);
            else if (in.op == TIRB_OP_VRED)
                tirbi_red_push_f32(&m->q0, x);
            else
                tirbi_red_pushma_f32(&m->q0, x, x);
            break;
        }
        case TIRB_OP_VSCAN:
        case TIRB_OP_VSCANMA: model_scan(m, &in); break;
        case TIRB_OP_VSTEP:
        case TIRB_OP_VSTEPMA: model_step(m, &in, 0); break;
        case TIRB_OP_VADVANCE:
            if (!model_advance(m, &in)) return at;
            break;
        case TIRB_OP_VINDEX:
        case TIRB_OP_VLOADX:
        case TIRB_OP_VSTOREX:
        case TIRB_OP_VUPDATE:
        case TIRB_OP_VUPDATEMA:
            if (!model_indexed(m, &in)) return at;
            break;
        default: model_elementwise(m, &in); break;
        }
    }
}

/* Fills `m`; returns false when the loop trapped, else *result is what the function returns. */
static bool run_model(const harness *h, const plan *p, const uint64_t *scalars, buffer *buffers, model *out,
                      uint32_t *result) {
    model m = {.p = p,
               .f = &h->program->functions[0],
               .kernels = tirbi_kernels(TIRB_ISA_GENERIC),
               .scalars = scalars};
    static tirbi_instr in;
    uint32_t at = 0;
    do {
        assert_int_equal(tirbi_decode(m.f->code, m.f->code_size, at, &in, NULL), TIRB_OK);
        at += in.size;
    } while (in.op != TIRB_OP_LANE);
    for (unsigned r = 0; r < N_REFS; r++) m.data[r] = buffers[r].data;
    tirbi_red_begin_f32(&m.q0, TIRBI_RED_ADD, 0.0f);
    tirbi_red_begin_f64(&m.q1, TIRBI_RED_MAX, 0.0);
    memcpy(m.scanned, scalars + 1, sizeof m.scanned);
    for (m.lane = 0; m.lane < p->n && !m.outside; m.lane++) model_run(&m, at);
    memcpy(m.data[SCANNED_REF], m.scanned, sizeof m.scanned);
    float sum = tirbi_add_f32(tirbi_red_end_f32(&m.q0), tirbi_cast_f32_f64(tirbi_red_end_f64(&m.q1)));
    memcpy(result, &sum, sizeof sum);
    *out = m;
    return !m.divided && !m.outside;
}

/* ---- The tests ------------------------------------------------------------------------------------------------ */

static void fill_random(buffer *b) {
    static const float floats[] = {0.0f, -0.0f, 1.0f, -1.5f, 3.25f, 1e-40f, 1e30f, -1e30f, 100.5f};
    uint8_t *bytes = b->data;
    size_t size = tirbi_dtypes[b->type].size;
    for (size_t i = 0; i < b->n; i++) {
        uint64_t bits = next_random();
        if (b->type == TIRB_BOOL) bits = pick(20) ? pick(2) : pick(256);
        if (b->type == TIRB_F32 && pick(8)) {
            float v = pick(4) ? (float)((int)pick(2000) - 1000) / 64.0f : floats[pick(9)];
            bits = tirbi_f32_bits(v);
        }
        if (b->type == TIRB_F64 && pick(8)) {
            double v = ((double)pick(2000) - 1000) / 64;
            bits = tirbi_f64_bits(v);
        }
        if (tirbi_dtype_is_int((tirbi_dtype)b->type) && pick(2)) bits = (uint64_t)((int64_t)pick(21) - 10);
        memcpy(bytes + i * size, tirbi_slot_bytes(&bits, size), size);
    }
}

static void run_random(uint64_t seed) {
    static plan p;
    random_state = seed * UINT64_C(0x9E3779B97F4A7C15) | 1;
    for (unsigned i = 0; i < 8; i++) next_random();
    make_plan(&p);
    harness h;
    harness_open(&h, p.text);
    uint64_t scalars[N_SCALARS] = {(uint64_t)p.n, next_random(), 0x40490FDB, 3, UINT64_C(0x4009000000000000),
                                   (uint64_t)p.extent[0], (uint64_t)p.extent[1]};
    buffer buffers[N_REFS], copies[N_REFS];
    for (unsigned r = 0; r < N_REFS; r++) {
        buffers[r] = (buffer){.n = (size_t)p.ref_sizes[r], .type = p.ref_types[r]};
        copies[r] = buffers[r];
        size_t bytes = buffers[r].n * tirbi_dtypes[buffers[r].type].size;
        buffers[r].data = malloc(bytes + 1);
        copies[r].data = malloc(bytes + 1);
        fill_random(&buffers[r]);
        memcpy(copies[r].data, buffers[r].data, bytes);
    }
    uint32_t expected = 0;
    model m;
    bool fine = run_model(&h, &p, scalars, copies, &m, &expected);
    outcome out = harness_call(&h, scalars, buffers, N_REFS);
    /* Divisions trap with their block: one may, behind the lane whose index is out of bounds. */
    bool right = fine        ? out.status == TIRB_OK
                 : m.divided ? out.status != TIRB_OK
                             : out.status == TIRB_BOUNDS || out.status == TIRB_DIVIDE;
    /* Loops around the whole body go first, then lanes. */
    if (!fine && out.status == TIRB_BOUNDS && !m.divided && p.n_inner == 0 && !strstr(out.error.message, m.message))
        harness_fail(&h, "seed %llu: '%s', not '%s'", (unsigned long long)seed, out.error.message, m.message);
    if (!right)
        harness_fail(&h, "seed %llu: status %d, %s", (unsigned long long)seed, out.status, out.error.message);
    if (fine && out.result != expected)
        harness_fail(&h, "seed %llu: result %08x, not %08x", (unsigned long long)seed, (unsigned)out.result,
                     (unsigned)expected);
    for (unsigned r = 0; r < N_REFS; r++) {
        size_t size = tirbi_dtypes[buffers[r].type].size;
        for (size_t i = 0; fine && i < buffers[r].n; i++)
            if (memcmp((uint8_t *)buffers[r].data + i * size, (uint8_t *)copies[r].data + i * size, size) != 0)
                harness_fail(&h, "seed %llu: r%u[%zu] of n %lld", (unsigned long long)seed, r, i, (long long)p.n);
        free(buffers[r].data);
        free(copies[r].data);
    }
    harness_close(&h);
}

static void random_loops(void **state) {
    (void)state;
    const char *text = getenv("TIRB_TEST_LANES");
    uint64_t first = 1, n = 3000 / sampled_every();
    if (text) sscanf(text, "%llu,%llu", (unsigned long long *)&first, (unsigned long long *)&n);
    for (uint64_t seed = first; seed < first + n; seed++) run_random(seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
