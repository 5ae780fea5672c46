#include "tests/bytecode/generate.h"

#include <string.h>

/* Scalar registers: n, m, a, b, locals, the counters and the limit of loops, an index, a mask, a number of rows, the
 * range that lanes begin in, the constants' parameters. */
enum { S_N, S_M, S_A, S_LOCAL = 4, S_COUNTER = 14, S_LIMIT = 17, S_INDEX, S_MASK, S_ROWS, S_RANGE, S_CONSTANT };
enum { N_LOCALS = 10, N_SCALARS = S_CONSTANT + BYTECODE_CONSTANTS, N_LANES = 14 };
enum { MAX_LABELS = 24, MAX_CURSORS = 8, MAX_LOOPS = 2 };
enum { UNDEFINED = 0xFF };

typedef struct generator {
    bytecode *b;
    tirbi_random random;
    bool parameters;
    unsigned n_constants;
    unsigned n_labels;            /* that are made */
    unsigned waiting[MAX_LABELS]; /* of jumps whose labels are to come */
    unsigned n_waiting;
    unsigned n_counters; /* of loops that are made */
    bool has_red;
    /* Of the lane loop that is made. */
    uint8_t lanes[N_LANES]; /* the types of lane registers */
    uint8_t fixed[N_LANES]; /* the types that they have to keep, or UNDEFINED */
    struct {
        uint8_t type;
        bool reads, writes, indexed, updated;
    } cursors[MAX_CURSORS];
    unsigned n_cursors;
    unsigned depth; /* of loops in it */
    unsigned row;   /* the counter of the loop around it, whose rows it does; 0: there is none */
    bool finds;     /* it does nothing else */
} generator;

static uint32_t below(generator *g, uint32_t n) { return tirbi_random_below(&g->random, n); }
static bool chance(generator *g, uint32_t percent) { return tirbi_random_chance(&g->random, percent); }
#define PUT(g, ...) tirbi_text_add(&(g)->b->text, __VA_ARGS__)

static const char *name_of(uint8_t type) { return tirbi_dtypes[type].name; }

/* Types of 16 bits, which have the most forms, most often. */
static uint8_t any_type(generator *g) {
    static const uint8_t types[] = {TIRB_F16, TIRB_F16, TIRB_F16, TIRB_BF16, TIRB_BF16, TIRB_F32, TIRB_F32, TIRB_F64,
                                    TIRB_I16, TIRB_U16, TIRB_I32, TIRB_U32,  TIRB_I64,  TIRB_U64, TIRB_I8,  TIRB_U8};
    return types[below(g, sizeof types)];
}

/* ---- Scalar code ------------------------------------------------------------------------------------------------ */

static unsigned local(generator *g) { return S_LOCAL + below(g, N_LOCALS); }

/* A register to be read, which may have been written or not. */
static unsigned scalar(generator *g) {
    if (!g->b->apart && chance(g, 5)) return S_N;
    return chance(g, 15) ? S_A + below(g, BYTECODE_SCALARS) : local(g);
}

static void put_constant(generator *g, unsigned to) {
    static const uint32_t bits[] = {0, 0, 1, 1, 2, 3, 7, 0x3C00, 0x4000, 0xC200, 0x7E00, 0x7C01, 0xFC00, 0x3F80, 0x7FC1,
                                    0x3F800000, 0x7F800001, 0xFFC01234, 0x40000000, 0x7F7FFFFF, 0xFF, 0x80, 0x8000};
    const uint32_t value = bits[below(g, sizeof bits / sizeof *bits)];
    if (!g->parameters || g->n_constants == BYTECODE_CONSTANTS) {
        PUT(g, "const.u32 s%u, %u\n", to, value);
    } else {
        g->b->constants[g->n_constants] = value;
        PUT(g, "mov.i64 s%u, s%u\n", to, S_CONSTANT + g->n_constants);
    }
    if (g->n_constants < BYTECODE_CONSTANTS) g->n_constants++;
}

static void put_computation(generator *g) {
    static const char *const two[] = {"add", "sub", "mul", "min", "max"};
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const uint8_t type = any_type(g);
    const unsigned to = local(g), a = scalar(g), b = scalar(g);
    switch (below(g, 6)) {
    case 0: PUT(g, "mov.%s s%u, s%u\n", name_of(type), to, a); return;
    case 1: PUT(g, "%s.%s s%u, s%u, s%u\n", comparisons[below(g, 6)], name_of(type), to, a, b); return;
    case 2: PUT(g, "select.%s s%u, s%u, s%u, s%u\n", name_of(type), to, scalar(g), a, b); return;
    case 3: PUT(g, "cast.%s s%u, s%u, %s\n", name_of(any_type(g)), to, a, name_of(type)); return;
    default: PUT(g, "%s.%s s%u, s%u, s%u\n", two[below(g, 5)], name_of(type), to, a, b); return;
    }
}

/* An element that is there, or is not, checked or not. */
static void put_access(generator *g) {
    const unsigned ref = below(g, g->b->apart ? BYTECODE_INPUTS : BYTECODE_REFS);
    const unsigned index = chance(g, 50) ? local(g) : S_INDEX;
    const bool checks = chance(g, 40);
    if (index == S_INDEX || chance(g, 80)) PUT(g, "and.i64 s%u, s%u, s%u\n", index, scalar(g), S_MASK);
    if (chance(g, 20)) PUT(g, "add.i64 s%u, s%u, s%u\n", index, index, S_LIMIT);
    for (unsigned i = 0; i < 1 + below(g, 3); i++) {
        if (checks) PUT(g, "index s%u, s%u, 0, \"A\"\n", index, S_M);
        if (chance(g, 70))
            PUT(g, "load.%s s%u, r%u, s%u\n", name_of(g->b->types[ref]), local(g), ref, index);
        else
            PUT(g, "store.%s r%u, s%u, s%u\n", name_of(g->b->types[BYTECODE_REFS - 1]), BYTECODE_REFS - 1, index,
                scalar(g));
    }
}

static void put_jump(generator *g) {
    if (g->n_waiting == MAX_LABELS) return;
    if (g->n_waiting == 0 || chance(g, 75)) g->waiting[g->n_waiting++] = g->n_labels++;
    const unsigned label = g->waiting[chance(g, 75) ? g->n_waiting - 1 : below(g, g->n_waiting)];
    if (chance(g, 10)) PUT(g, "jmp at%u\n", label);
    else PUT(g, "%s s%u, at%u\n", chance(g, 50) ? "brif" : "brnot", scalar(g), label);
}

static void put_waiting(generator *g) {
    const unsigned i = below(g, g->n_waiting);
    PUT(g, "at%u:\n", g->waiting[i]);
    g->waiting[i] = g->waiting[--g->n_waiting];
}

static void put_lane_loop(generator *g);
static void put_statements(generator *g, unsigned n, unsigned depth);

/* Its counter is not always set before; other code jumps in and out of it. */
static void put_loop(generator *g, unsigned depth) {
    if (g->n_counters == 3) return;
    const unsigned counter = S_COUNTER + g->n_counters++, label = g->n_labels++;
    if (chance(g, 60)) PUT(g, "const.i64 s%u, 0\n", counter);
    PUT(g, "at%u:\nnop\n", label);
    put_statements(g, 1 + below(g, 4), depth + 1);
    PUT(g, "loop s%u, s%u, at%u\n", counter, S_LIMIT, label);
}

/* Few registers, which mostly hold what follows from the counter. */
static unsigned row_local(generator *g) { return S_LOCAL + below(g, 5); }
static unsigned line(generator *g) { return chance(g, 35) ? g->row : row_local(g); }

static void put_branch(generator *g, unsigned condition) {
    if (g->n_waiting == MAX_LABELS) return;
    PUT(g, "%s s%u, at%u\n", chance(g, 50) ? "brif" : "brnot", condition, g->n_labels);
    g->waiting[g->n_waiting++] = g->n_labels++;
}

/* What a loop over rows computes for each: numbers that follow from its counter, elements of such numbers, conditions
 * of both. */
static void put_row_statement(generator *g) {
    static const char *const two[] = {"add", "add", "sub", "mul", "min", "max"};
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    /* Around the ends of types, and what has the low bits of a small number. */
    static const char *const wide[] = {"2147483645", "-2147483650", "4294967295", "4294967299", "-4294967290",
                                       "1152921504606846970", "9223372036854775800", "-9223372036854775800"};
    const char *const type = chance(g, 80) ? "i64" : "i32";
    const unsigned to = row_local(g), a = line(g), b = line(g), ref = below(g, BYTECODE_REFS), what = below(g, 100);
    if (g->n_waiting > 0 && chance(g, 25)) put_waiting(g);
    if (what < 4) {
        PUT(g, "const64 s%u, %s\n", to, wide[below(g, sizeof wide / sizeof *wide)]);
        PUT(g, "%s.i64 s%u, s%u, s%u\n", two[below(g, 6)], to, to, a);
        PUT(g, "cast.%s s%u, s%u, i%s\n", type, to, to, chance(g, 50) ? "32" : "64");
    } else if (what < 18) {
        PUT(g, "const.i64 s%u, %d\n", to, (int)below(g, 14) - 2);
    } else if (what < 50) {
        PUT(g, "%s.%s s%u, s%u, s%u\n", two[below(g, 6)], type, to, a, b);
    } else if (what < 54) {
        const bool casts = chance(g, 50);
        const char *const from = chance(g, 50) ? ", i32" : ", i64";
        PUT(g, "%s.%s s%u, s%u%s\n", casts ? "cast" : "mov", type, to, a, casts ? from : "");
    } else if (what < 64) {
        PUT(g, "load.%s s%u, r%u, s%u\n", name_of(g->b->types[ref]), to, ref, a);
        if (chance(g, 70)) PUT(g, "and.i64 s%u, s%u, s%d\n", to, to, S_MASK);
    } else if (what < 72) {
        PUT(g, "store.u16 r%d, s%u, s%u\n", BYTECODE_REFS - 1, g->row, to);
    } else if (what < 80) {
        PUT(g, "%s.%s s%u, s%u, s%u\n", comparisons[below(g, 6)], type, to, a, b);
        put_branch(g, to);
    } else if (what < 88) {
        PUT(g, "and.i64 s%u, s%u, s%u\n", to, a, S_LIMIT);
        put_branch(g, to);
    } else if (what < 95) {
        PUT(g, "and.i64 s%u, s%u, s%d\n", to, a, S_MASK);
    } else if (what < 98) {
        PUT(g, "index s%u, s%u, 0, \"A\"\n", a, S_M);
    } else {
        put_computation(g);
    }
}

/* A loop around a lane loop, whose rows begin elsewhere and are of different lengths. */
static void put_rows(generator *g) {
    if (g->n_counters == 3 || g->b->apart) return; /* lanes of a row see those of others */
    const unsigned label = g->n_labels++;
    for (unsigned i = 0; i < 5; i++) PUT(g, "const.i64 s%u, %u\n", S_LOCAL + i, below(g, 20));
    g->row = S_COUNTER + g->n_counters++;
    PUT(g, "const.i64 s%u, %d\nat%u:\nnop\n", g->row, (int)below(g, 4) - 1, label);
    for (unsigned i = below(g, 6); i > 0; i--) put_row_statement(g);
    put_lane_loop(g);
    for (unsigned i = below(g, 4); i > 0; i--) put_row_statement(g);
    while (g->n_waiting > 0 && chance(g, 85)) put_waiting(g);
    PUT(g, "loop s%u, s%d, at%u\n", g->row, S_ROWS, label);
    g->row = 0;
}

static void put_call(generator *g) {
    PUT(g, "call \"g\", s%u, (s%u s%u) (r%u)\n", local(g), scalar(g), scalar(g), BYTECODE_REFS - 1);
}

static void put_statements(generator *g, unsigned n, unsigned depth) {
    for (; n > 0; n--) {
        if (g->n_waiting > 0 && chance(g, 35)) put_waiting(g);
        const unsigned what = below(g, 100);
        if (what < 28) put_constant(g, local(g));
        else if (what < 38) put_computation(g);
        else if (what < 56) put_jump(g);
        else if (what < 62) put_access(g);
        else if (what < 68 && depth < 2) put_loop(g, depth);
        else if (what < 80) put_rows(g);
        else if (what < 82) put_call(g);
        else put_lane_loop(g);
    }
}

/* ---- Lane code -------------------------------------------------------------------------------------------------- */

static unsigned find_lane(generator *g, uint8_t type) {
    const unsigned from = below(g, N_LANES);
    for (unsigned i = 0; i < N_LANES; i++)
        if (g->lanes[(from + i) % N_LANES] == type) return (from + i) % N_LANES;
    return UNDEFINED;
}

static unsigned find_any_lane(generator *g) {
    const unsigned from = below(g, N_LANES);
    for (unsigned i = 0; i < N_LANES; i++)
        if (g->lanes[(from + i) % N_LANES] != UNDEFINED) return (from + i) % N_LANES;
    return UNDEFINED;
}

/* A register that may get the type, and now has it, beside some others: one that a loop may have to find as it was
 * keeps its own. UNDEFINED: there is none. */
static unsigned new_lane_beside(generator *g, uint8_t type, uint32_t others) {
    const unsigned from = below(g, N_LANES);
    for (unsigned i = 0; i < N_LANES; i++) {
        const unsigned reg = (from + i) % N_LANES;
        if ((others >> reg & 1) || (g->fixed[reg] != UNDEFINED && g->fixed[reg] != type)) continue;
        g->lanes[reg] = type;
        return reg;
    }
    return UNDEFINED;
}

static unsigned new_lane(generator *g, uint8_t type) { return new_lane_beside(g, type, 0); }

static void put_value(generator *g, uint8_t type) {
    const unsigned c = below(g, g->n_cursors);
    if (g->cursors[c].reads && !g->cursors[c].indexed && chance(g, 60)) {
        const unsigned to = new_lane(g, g->cursors[c].type);
        if (to != UNDEFINED) PUT(g, "vload.%s v%u, c%u\n", name_of(g->cursors[c].type), to, c);
        return;
    }
    const unsigned to = new_lane(g, type);
    if (to == UNDEFINED) return;
    if (tirbi_dtype_is_int((tirbi_dtype)type) && chance(g, 20))
        PUT(g, "viota.%s v%u, s%u, %u\n", name_of(type), to, g->row != 0 ? line(g) : scalar(g), below(g, 4));
    else
        PUT(g, "vsplat.%s v%u, s%u\n", name_of(type), to, g->row != 0 ? line(g) : scalar(g));
}

/* Any elementwise instruction that takes what there is. */
static void put_elementwise(generator *g) {
    const unsigned first = find_any_lane(g);
    if (first == UNDEFINED) return;
    const uint8_t from = g->lanes[first];
    const unsigned op = TIRB_OP_LANE_FORM + 0x20 + below(g, chance(g, 85) ? 0x2B : 0x50);
    const tirbi_op_info *info = &tirbi_ops[op];
    if (!info->mnemonic) return;
    /* Most divisions of integers find a 0 and end the call. */
    if ((info->flags & TIRBI_FLAG_TRAP) && tirbi_dtype_is_int((tirbi_dtype)from) &&
        (g->finds || chance(g, 80)))
        return;
    const bool converts = info->operands[2] == 'T';
    uint8_t type = converts ? any_type(g) : from;
    if (op == TIRB_OP_VBITS && tirbi_dtypes[type].size != tirbi_dtypes[from].size)
        type = (uint8_t)tirbi_dtype_of_bits(from);
    if (op == TIRB_OP_VBITS && (from == TIRB_BOOL || type == TIRB_BOOL)) return;
    if (op == TIRB_OP_VBITS && tirbi_dtype_is_float(from) && tirbi_dtype_is_float(type)) return;
    if (op == TIRB_OP_VSELECT && from == TIRB_BOOL) type = any_type(g);
    if (!(info->types >> type & 1)) return;
    unsigned reads[3] = {first, first, first};
    for (unsigned i = 0; i < info->arity; i++) {
        const uint8_t wanted = (uint8_t)tirbi_op_operand_type((tirbi_op)op, (tirbi_dtype)type, (tirbi_dtype)from, i);
        reads[i] = wanted == from && i == 0 ? first : find_lane(g, wanted);
        if (reads[i] == UNDEFINED) return;
    }
    const unsigned to = new_lane(g, (uint8_t)tirbi_op_result_type((tirbi_op)op, (tirbi_dtype)type));
    if (to == UNDEFINED) return;
    PUT(g, "%s.%s v%u", info->mnemonic, name_of(type), to);
    for (unsigned i = 0; i < info->arity; i++) PUT(g, ", v%u", reads[i]);
    if (converts) PUT(g, ", %s", name_of(from));
    PUT(g, "\n");
}

/* The register, or another one that has what is in it. */
static unsigned perhaps_moved(generator *g, unsigned from) {
    const uint8_t type = g->lanes[from];
    const unsigned to = chance(g, 25) ? new_lane_beside(g, type, 1u << from) : UNDEFINED;
    if (to == UNDEFINED) return from;
    PUT(g, "vmov.%s v%u, v%u\n", name_of(type), to, from);
    return to;
}

static void put_store(generator *g, unsigned c) {
    if (!g->cursors[c].writes) return;
    const uint8_t type = g->cursors[c].type;
    const unsigned from = find_lane(g, type), other = find_any_lane(g);
    const uint8_t source = other != UNDEFINED ? g->lanes[other] : UNDEFINED;
    if (from != UNDEFINED) {
        const unsigned stored = perhaps_moved(g, from);
        PUT(g, "vstore.%s c%u, v%u\n", name_of(type), c, stored);
    } else if (other != UNDEFINED) {
        const bool as_bits = chance(g, 50) && tirbi_dtypes[type].size == tirbi_dtypes[source].size &&
                             tirbi_dtype_is_int((tirbi_dtype)source);
        const unsigned to = new_lane(g, type);
        if (to == UNDEFINED) return;
        PUT(g, "%s.%s v%u, v%u, %s\n", as_bits ? "vbits" : "vcast", name_of(type), to, other, name_of(source));
        const unsigned stored = perhaps_moved(g, to);
        PUT(g, "vstore.%s c%u, v%u\n", name_of(type), c, stored);
    }
}

/* What indices choose: of the low bits of a lane, which all tensors have. */
static void put_indexed(generator *g) {
    for (unsigned c = 0; c < g->n_cursors; c++) {
        const unsigned from = find_lane(g, TIRB_I32);
        if (!g->cursors[c].indexed || g->cursors[c].updated || from == UNDEFINED) continue;
        const unsigned mask = new_lane_beside(g, TIRB_I32, 1u << from);
        if (mask == UNDEFINED) continue;
        PUT(g, "vsplat.i32 v%u, s%d\nvand.i32 v%u, v%u, v%u\n", mask, S_MASK, mask, mask, from);
        const unsigned to = new_lane(g, g->cursors[c].type);
        if (to != UNDEFINED)
            PUT(g, "vloadx.%s v%u, c%u, v%u, i32\n", name_of(g->cursors[c].type), to, c, mask);
    }
}

static void put_body(generator *g, unsigned n);

/* A loop in the body: what it writes may be undefined behind it, and what it finds keeps its type. */
static void put_inside(generator *g, unsigned n) {
    uint8_t lanes[N_LANES], fixed[N_LANES];
    memcpy(lanes, g->lanes, sizeof lanes);
    memcpy(fixed, g->fixed, sizeof fixed);
    memcpy(g->fixed, g->lanes, sizeof fixed);
    g->depth++;
    put_body(g, n);
    g->depth--;
    memcpy(g->lanes, lanes, sizeof lanes);
    memcpy(g->fixed, fixed, sizeof fixed);
}

/* Its lanes count up to 63, unless what the loop does changes that. */
static void put_own_loop(generator *g) {
    const unsigned most = new_lane(g, TIRB_I32);
    if (most == UNDEFINED) return;
    PUT(g, "vsplat.i32 v%u, s%d\n", most, S_MASK);
    const unsigned step = new_lane_beside(g, TIRB_I32, 1u << most);
    if (step == UNDEFINED) return;
    PUT(g, "viota.i32 v%u, s%d, 0\n", step, S_LIMIT);
    const unsigned count = new_lane_beside(g, TIRB_I32, 1u << most | 1u << step);
    if (count == UNDEFINED) return;
    PUT(g, "viota.i32 v%u, s%d, 1\nvand.i32 v%u, v%u, v%u\n", count, S_MASK, count, count, most);
    const unsigned goes_on = new_lane_beside(g, TIRB_BOOL, 1u << most | 1u << step | 1u << count);
    if (goes_on == UNDEFINED) return;
    PUT(g, "vlt.i32 v%u, v%u, v%u\n", goes_on, count, most);
    PUT(g, "vloop\nvlt.i32 v%u, v%u, v%u\nvwhile.bool v%u\nvadd.i32 v%u, v%u, v%u\n", goes_on, count, most, goes_on,
        count, count, step);
    put_inside(g, 2);
    PUT(g, "vagain\n");
}

static void put_body(generator *g, unsigned n) {
    for (; n > 0; n--) {
        const unsigned what = below(g, 100);
        if (what < 30) put_value(g, any_type(g));
        else if (what < 75) put_elementwise(g);
        else if (what < 90) put_store(g, below(g, g->n_cursors));
        else if (what < 94) put_indexed(g);
        else if (what < 96 && g->depth == 0 && g->row == 0) put_own_loop(g);
    }
}

/* ---- From lane to lane ------------------------------------------------------------------------------------------ */

/* At lane level, where all registers may get any type. */
static unsigned find_or_make(generator *g, uint8_t type, uint32_t others) {
    const unsigned found = find_lane(g, type), any = find_any_lane(g);
    if (found != UNDEFINED && !(others >> found & 1)) return found;
    const uint8_t from = any != UNDEFINED ? g->lanes[any] : UNDEFINED;
    const unsigned to = new_lane_beside(g, type, others);
    if (tirbi_dtype_is_int((tirbi_dtype)type) && chance(g, 30))
        PUT(g, "viota.%s v%u, s%u, %u\n", name_of(type), to, scalar(g), below(g, 4));
    else if (any != UNDEFINED)
        PUT(g, "vcast.%s v%u, v%u, %s\n", name_of(type), to, any, name_of(from));
    else
        PUT(g, "vsplat.%s v%u, s%u\n", name_of(type), to, scalar(g));
    return to;
}

static bool is_real(uint8_t type) { return type == TIRB_F32 || type == TIRB_F64; }

/* An operation of a scan, which integers and floats have. */
static unsigned any_fold(generator *g, bool fused, bool real) {
    static const uint8_t of_reals[] = {0, 0, 1, 2, 3, 7, 8};
    if (fused) return below(g, 3) + 16 * below(g, 2);
    const unsigned n = real ? of_reals[below(g, sizeof of_reals)] : below(g, 8);
    const bool swaps = n == 2 || n == 3 || n == 7 || n == 8;
    return n + (swaps && chance(g, 30) ? 16 : 0);
}

/* What becomes of a number before a scan goes on with it. */
static void put_step(generator *g, uint8_t type, unsigned from, unsigned holds) {
    const bool real = is_real(type);
    if (!real || chance(g, 50)) PUT(g, "vstep.%s v%u, %u\n", name_of(type), from, any_fold(g, false, real));
    else if (holds != UNDEFINED && chance(g, 50)) PUT(g, "vstepma.%s v%u, v%u, 3\n", name_of(type), holds, from);
    else PUT(g, "vstepma.%s v%u, v%u, %u\n", name_of(type), from, from, any_fold(g, true, real));
}

static void put_scan(generator *g) {
    static const uint8_t types[] = {TIRB_F32, TIRB_F64, TIRB_I32, TIRB_U64, TIRB_I64, TIRB_U32};
    const uint8_t type = types[below(g, sizeof types)];
    const bool real = is_real(type);
    const unsigned from = find_or_make(g, type, 0), other = find_lane(g, type), holds = find_lane(g, TIRB_BOOL);
    const unsigned n_steps = chance(g, 40) ? 1 + below(g, 3) : 0, sees_before = chance(g, 30) ? 32 : 0;
    const bool bits = chance(g, 15), again = n_steps > 0 && holds != UNDEFINED && chance(g, 40);
    const uint8_t given = bits ? (uint8_t)tirbi_dtype_of_bits((tirbi_dtype)type) : type;
    const unsigned beside = 1u << from | 1u << other | (holds != UNDEFINED ? 1u << holds : 0);
    const unsigned to = new_lane_beside(g, given, beside), how = sees_before + (bits ? 64 : 0);
    if (to == UNDEFINED) return;
    for (unsigned i = 0; i < n_steps; i++) put_step(g, type, from, holds);
    if (again && real && chance(g, 50))
        PUT(g, "vscanma.%s v%u, s%u, v%u, v%u, %u\n", name_of(type), to, local(g), holds, from, 3 + how);
    else if (again)
        PUT(g, "vscan.%s v%u, s%u, v%u, %u\n", name_of(type), to, local(g), holds, 9 + how);
    else if (real && chance(g, 40))
        PUT(g, "vscanma.%s v%u, s%u, v%u, v%u, %u\n", name_of(type), to, local(g), from, other,
            any_fold(g, true, real) + how);
    else
        PUT(g, "vscan.%s v%u, s%u, v%u, %u\n", name_of(type), to, local(g), from, any_fold(g, false, real) + how);
}

/* An index that all tensors have, or mostly have. */
static unsigned put_index(generator *g, unsigned from, uint32_t beside) {
    const unsigned mask = chance(g, 4) ? UNDEFINED : new_lane_beside(g, TIRB_I32, 1u << from | beside);
    if (mask == UNDEFINED) return from;
    PUT(g, "vsplat.i32 v%u, s%d\nvand.i32 v%u, v%u, v%u\n", mask, S_MASK, mask, mask, from);
    return mask;
}

/* Elements that lanes name, which are written: `c` is a cursor for it. */
static void put_update(generator *g, unsigned c) {
    const uint8_t type = g->cursors[c].type;
    const unsigned from = find_or_make(g, type, 0), named = find_or_make(g, TIRB_I32, 1u << from);
    if (named == from) return;
    const unsigned index = put_index(g, named, 1u << from);
    if (!g->cursors[c].reads)
        PUT(g, "vstorex.%s c%u, v%u, v%u, i32\n", name_of(type), c, index, from);
    else if (is_real(type) && chance(g, 50))
        PUT(g, "vupdatema.%s c%u, v%u, v%u, v%u, i32, %u\n", name_of(type), c, index, from, from, below(g, 3));
    else
        PUT(g, "vupdate.%s c%u, v%u, v%u, i32, %u\n", name_of(type), c, index, from, any_fold(g, false, is_real(type)));
}

/* What goes from lane to lane; `update`: the cursor of what is updated, or UNDEFINED; `pushes`: red.f32 q0 is begun. */
static void put_across(generator *g, unsigned update, bool pushes) {
    if (update != UNDEFINED) put_update(g, update);
    for (unsigned i = below(g, 3); i > 0; i--) put_scan(g);
    if (!pushes) return;
    const unsigned real = find_or_make(g, TIRB_F32, 0);
    if (chance(g, 50)) PUT(g, "vred.f32 q0, v%u\n", real);
    else PUT(g, "vredma.f32 q0, v%u, v%u\n", real, real);
}

/* The range that a lane is in. */
static void put_advance(generator *g) {
    static const uint8_t types[] = {TIRB_I32, TIRB_I32, TIRB_I64, TIRB_I64, TIRB_U8, TIRB_I16, TIRB_U32};
    for (unsigned c = 0; c < g->n_cursors; c++) {
        const uint8_t type = g->cursors[c].type, given = types[below(g, sizeof types)];
        if (!g->cursors[c].indexed || g->cursors[c].updated || !tirbi_dtype_is_int((tirbi_dtype)type)) continue;
        const unsigned to = new_lane(g, given);
        if (to == UNDEFINED) return;
        PUT(g, "vadvance.%s v%u, s%d, c%u, s%u, %s\n", name_of(type), to, S_RANGE, c, scalar(g), name_of(given));
        return;
    }
}

/* Where no lane may see another one, what is written down from an element is left out, as it depends on the number of
 * lanes. */
static void put_elements_apart(generator *g) {
    if (g->b->apart || chance(g, 80)) PUT(g, "%u %u", below(g, 4), 2 + below(g, 3));
    else PUT(g, "%u -%u", 20 + below(g, 60), 1 + below(g, 4));
}

static void put_cursor(generator *g, unsigned ref, bool reads, bool writes, unsigned n_inner) {
    const uint8_t own = g->b->types[ref], type = chance(g, 75) ? own : (uint8_t)tirbi_dtype_of_bits((tirbi_dtype)own);
    const bool indexed = !writes && chance(g, g->row != 0 ? 3 : 12);
    PUT(g, ".cursor r%u %s %s %s", ref, name_of(type), writes && reads ? "readwrite" : writes ? "write" : "read",
        indexed ? "7 0 0" : "0 ");
    if (!indexed && g->row != 0 && chance(g, 75)) PUT(g, "s%u 1", line(g));
    else if (writes && !(reads && g->b->apart) && chance(g, 25)) put_elements_apart(g);
    else if (!indexed && (writes || chance(g, 70))) PUT(g, "%u 1", writes ? 0 : below(g, 3));
    else if (!indexed && chance(g, 30)) PUT(g, "%u 0", below(g, 40));
    else if (!indexed) PUT(g, "%u %u", below(g, 40), 2 + below(g, 3));
    for (unsigned k = 0; k < n_inner; k++) PUT(g, " %u", indexed || writes ? 0 : below(g, 3));
    PUT(g, "\n");
    g->cursors[g->n_cursors].type = type;
    g->cursors[g->n_cursors].reads = reads;
    g->cursors[g->n_cursors].writes = writes;
    g->cursors[g->n_cursors].updated = false;
    g->cursors[g->n_cursors++].indexed = indexed;
}

/* One whose elements lanes name. */
static void put_indexed_cursor(generator *g, unsigned ref, bool reads, bool writes, unsigned n_inner) {
    const uint8_t type = g->b->types[ref];
    PUT(g, ".cursor r%u %s %s 7 0 0", ref, name_of(type), writes && reads ? "readwrite" : writes ? "write" : "read");
    for (unsigned k = 0; k < n_inner; k++) PUT(g, " 0");
    PUT(g, "\n");
    g->cursors[g->n_cursors].type = type;
    g->cursors[g->n_cursors].reads = reads;
    g->cursors[g->n_cursors].writes = false;
    g->cursors[g->n_cursors].updated = writes;
    g->cursors[g->n_cursors++].indexed = true;
}

static void put_updated(generator *g, unsigned ref) {
    const uint8_t type = g->b->types[ref];
    put_indexed_cursor(g, ref, (is_real(type) || tirbi_dtypes[type].size >= 4) && chance(g, 80), true, 0);
}

/* One behind the other, or the second in the first. */
static void put_inner_loops(generator *g, unsigned n_inner, unsigned n) {
    const bool nested = n_inner > 1 && chance(g, 50);
    for (unsigned k = 0; k < n_inner; k++) {
        PUT(g, "inner l%u\n", k);
        put_inside(g, n);
        if (!nested) PUT(g, "inner.end l%u\n", k);
    }
    for (unsigned k = n_inner; nested && k-- > 0;) PUT(g, "inner.end l%u\n", k);
}

/* The first lane of which something is true. */
static void put_find_loop(generator *g) {
    const unsigned label = g->n_labels++;
    if (chance(g, 70)) PUT(g, "lane s%u, at%u\n", S_N, label);
    else PUT(g, "lane s%u, at%u\n", g->row != 0 ? line(g) : S_MASK, label);
    g->n_cursors = 0;
    memset(g->lanes, UNDEFINED, sizeof g->lanes);
    memset(g->fixed, UNDEFINED, sizeof g->fixed);
    for (unsigned i = 0; i < 1 + below(g, 2); i++) put_cursor(g, below(g, BYTECODE_INPUTS), true, false, 0);
    g->finds = true;
    for (unsigned i = 2 + below(g, 4); i > 0; i--) put_value(g, any_type(g));
    for (unsigned i = 1 + below(g, 5); i > 0; i--) put_elementwise(g);
    unsigned found = find_lane(g, TIRB_BOOL);
    if (found == UNDEFINED) {
        const unsigned one = find_any_lane(g), other = one != UNDEFINED ? find_lane(g, g->lanes[one]) : UNDEFINED;
        const char *const type = one != UNDEFINED ? name_of(g->lanes[one]) : NULL;
        found = new_lane(g, TIRB_BOOL);
        if (type) PUT(g, "v%s.%s v%u, v%u, v%u\n", chance(g, 50) ? "eq" : "gt", type, found, one, other);
        else PUT(g, "vsplat.bool v%u, s%u\n", found, scalar(g));
    }
    PUT(g, "vfind.bool s%u, v%u\nat%u:\nlane.end\n", local(g), found, label);
    g->finds = false;
}

/* A cursor that is at an element or, with steps, at its neighbours. */
static void put_plain_cursor(generator *g, unsigned ref, bool reads, bool writes, unsigned start) {
    const uint8_t type = g->b->types[ref];
    PUT(g, ".cursor r%u %s %s 0 %u 1", ref, name_of(type), writes && reads ? "readwrite" : writes ? "write" : "read",
        start);
    g->cursors[g->n_cursors].type = type;
    g->cursors[g->n_cursors].reads = reads;
    g->cursors[g->n_cursors].writes = writes;
    g->cursors[g->n_cursors].updated = false;
    g->cursors[g->n_cursors++].indexed = false;
}

/* Numbers of rows in the tensor that scalar code writes: mostly small ones. */
static void put_numbers(generator *g, unsigned mask) {
    const unsigned label = g->n_labels++, ref = below(g, BYTECODE_INPUTS);
    const char *const type = name_of(g->b->types[ref]);
    PUT(g, "lane 40, at%u\n.cursor r%u %s read 0 %u 1\n.cursor r%d u16 write 0 0 1\n", label, ref, type, below(g, 50),
        BYTECODE_REFS - 1);
    PUT(g, "vload.%s v0, c0\nvcast.i32 v1, v0, %s\nvsplat.i32 v2, s%u\n", type, type, mask);
    if (chance(g, 95)) PUT(g, "vand.i32 v1, v1, v2\n");
    PUT(g, "vcast.u16 v3, v1, i32\nvstore.u16 c1, v3\nat%u:\nlane.end\n", label);
}

/* Rows by number: those that are read, or written again and again. */
static void put_seek_loop(generator *g) {
    enum { LANES = 40, FEW = 7 };
    const bool writes = chance(g, 40), is_small = writes || chance(g, 50), inside = chance(g, 50);
    const unsigned n_inner = 1 + below(g, MAX_LOOPS), output = BYTECODE_INPUTS + below(g, BYTECODE_OUTPUTS);
    const bool turns = n_inner > 1 && inside && chance(g, 50); /* numbers step in the second loop as well */
    put_numbers(g, is_small ? S_LIMIT : S_MASK);
    const unsigned label = g->n_labels++, scale = writes || chance(g, 30) ? LANES + below(g, 3) : below(g, 9);
    PUT(g, "lane %u, at%u\n", 1 + below(g, LANES), label);
    for (unsigned k = 0; k < n_inner; k++) PUT(g, ".inner %u\n", below(g, FEW));
    g->n_cursors = 0;
    memset(g->lanes, UNDEFINED, sizeof g->lanes);
    memset(g->fixed, UNDEFINED, sizeof g->fixed);
    put_plain_cursor(g, writes ? output : below(g, BYTECODE_INPUTS), !writes || chance(g, 70), writes, below(g, 3));
    PUT(g, " 0%s\n", n_inner < 2 ? "" : turns || chance(g, 60) ? " 0" : " 1");
    for (unsigned i = 1 + below(g, 2); i > 0; i--) {
        put_plain_cursor(g, below(g, BYTECODE_INPUTS), true, false, below(g, 3));
        PUT(g, " %u", LANES * below(g, 2));
        PUT(g, n_inner > 1 ? " %u\n" : "\n", below(g, 3));
    }
    const unsigned stored = writes ? 0 : g->n_cursors;
    if (!writes) {
        put_plain_cursor(g, output, chance(g, 25), true, 0);
        PUT(g, " %u%s\n", chance(g, 80) ? LANES : 0, n_inner < 2 ? "" : " 0");
    }
    PUT(g, ".cursor r%d u16 read 0 %u 0 1%s\n", BYTECODE_REFS - 1, below(g, 20), n_inner < 2 ? "" : turns ? " 3" : " 0");
    PUT(g, "inner l0\n");
    if (n_inner > 1 && inside) PUT(g, "inner l1\n");
    PUT(g, "seek.u16 c0, c%u, %u, %u\n", g->n_cursors, scale, is_small ? 4 : 64);
    if (n_inner > 1 && !inside) PUT(g, "inner l1\n");
    g->depth++;
    if (g->cursors[0].reads) {
        const unsigned to = new_lane(g, g->cursors[0].type);
        PUT(g, "vload.%s v%u, c0\n", name_of(g->cursors[0].type), to);
    }
    put_body(g, 2 + below(g, 4));
    put_store(g, stored);
    g->depth--;
    if (n_inner > 1) PUT(g, "inner.end l1\n");
    PUT(g, "inner.end l0\nat%u:\nlane.end\n", label);
}

/* What is read and what is written are elements of one tensor, some apart: they meet forwards, or not. */
static void put_meeting_cursors(generator *g, unsigned ref) {
    const bool ahead = chance(g, 70);
    put_plain_cursor(g, ref, true, false, ahead ? below(g, 6) : 0);
    PUT(g, "\n");
    put_plain_cursor(g, ref, chance(g, 20), true, ahead ? 0 : below(g, 6));
    PUT(g, "\n");
    const unsigned written = g->n_cursors - 1, to = new_lane(g, g->cursors[written].type);
    if (ahead) {
        PUT(g, "vload.%s v%u, c%u\n", name_of(g->cursors[written].type), to, written - 1);
    } else {
        PUT(g, "vsplat.%s v%u, s%u\n", name_of(g->cursors[written].type), to, scalar(g));
        put_store(g, written);
    }
}

static void put_meeting_loop(generator *g) {
    const unsigned label = g->n_labels++;
    PUT(g, "lane s%u, at%u\n", chance(g, 80) ? S_N : S_MASK, label);
    g->n_cursors = 0;
    memset(g->lanes, UNDEFINED, sizeof g->lanes);
    memset(g->fixed, UNDEFINED, sizeof g->fixed);
    for (unsigned i = below(g, 3); i > 0; i--) put_cursor(g, below(g, BYTECODE_INPUTS), true, false, 0);
    put_meeting_cursors(g, BYTECODE_INPUTS + below(g, BYTECODE_OUTPUTS));
    put_body(g, 2 + below(g, 6));
    put_store(g, g->n_cursors - 1);
    PUT(g, "at%u:\nlane.end\n", label);
}

static void put_lane_loop(generator *g) {
    if (!g->b->apart && chance(g, 16)) {
        const unsigned what = g->row != 0 ? 0 : below(g, 3);
        if (what == 0) put_find_loop(g);
        if (what == 1) put_seek_loop(g);
        if (what == 2) put_meeting_loop(g);
        return;
    }
    const unsigned n_inner = g->row != 0 || chance(g, 55) ? 0 : 1 + below(g, MAX_LOOPS), label = g->n_labels++;
    const bool reduces = !g->b->apart && chance(g, 15);
    const bool advances = !g->b->apart && chance(g, 20), updates = !g->b->apart && n_inner == 0 && chance(g, 20);
    if (reduces) PUT(g, "red.begin.f32 q0, s%u\n", scalar(g));
    if (advances && chance(g, 80)) PUT(g, "const.i64 s%d, %u\n", S_RANGE, below(g, 12));
    if (g->row != 0 && chance(g, 80)) PUT(g, "lane s%u, at%u\n", line(g), label);
    else if (chance(g, 85)) PUT(g, "lane s%u, at%u\n", S_N, label);
    else PUT(g, "lane %u, at%u\n", below(g, 70), label);
    for (unsigned k = 0; k < n_inner; k++) {
        PUT(g, ".inner %u", below(g, 4));
        if (chance(g, 50)) PUT(g, " s%u", S_LOCAL + 2 * below(g, N_LOCALS / 2) + k);
        PUT(g, "\n");
    }
    g->n_cursors = 0;
    memset(g->lanes, UNDEFINED, sizeof g->lanes);
    memset(g->fixed, UNDEFINED, sizeof g->fixed);
    for (unsigned i = 0; i < 1 + below(g, 3); i++) put_cursor(g, below(g, BYTECODE_INPUTS), true, false, n_inner);
    unsigned first = below(g, BYTECODE_OUTPUTS), n_outputs = 1 + below(g, 2);
    for (unsigned i = 0; i < n_outputs; i++)
        put_cursor(g, BYTECODE_INPUTS + (first + i) % BYTECODE_OUTPUTS, chance(g, 25), true, n_inner);
    const unsigned update = updates ? g->n_cursors + advances : UNDEFINED, n = 1 + below(g, 4);
    if (advances) put_indexed_cursor(g, below(g, BYTECODE_INPUTS), true, false, n_inner);
    if (updates) put_updated(g, BYTECODE_INPUTS + (first + n_outputs) % BYTECODE_OUTPUTS);
    const unsigned stored = g->n_cursors - 1 - updates - advances;
    const bool outside = chance(g, 50);
    if (advances) put_advance(g);
    if (outside) put_body(g, n);
    put_inner_loops(g, n_inner, n);
    if (outside || n_inner == 0) put_body(g, 2 + below(g, 6));
    if (!g->b->apart && chance(g, updates ? 90 : 30)) put_across(g, update, reduces);
    if (advances && chance(g, 30)) put_advance(g);
    if (outside || n_inner == 0) put_store(g, stored);
    PUT(g, "at%u:\nlane.end\n", label);
    if (reduces) PUT(g, "red.end.f32 s%u, q0\n", local(g));
}

/* ---- The function ----------------------------------------------------------------------------------------------- */

static void put_head(generator *g) {
    bytecode *b = g->b;
    PUT(g, ".function \"f\" public returns i64\n.scalars %d\n.lanes %d\n", N_SCALARS, N_LANES);
    for (unsigned i = 0; i < BYTECODE_REFS; i++)
        PUT(g, ".ref %s%s\n", name_of(b->types[i]), i < BYTECODE_INPUTS ? "" : " writable");
    PUT(g, ".red f32 add\n");
    for (unsigned i = 0; i < BYTECODE_REFS; i++)
        PUT(g, ".tensor \"t%u\" %s r%u read%s ($1)\n", i, name_of(b->types[i]), i, i < BYTECODE_INPUTS ? "" : " write");
    for (unsigned i = 0; i < BYTECODE_SCALARS; i++) PUT(g, ".scalar \"x%u\" i64 s%u\n", i, S_A + i);
    for (unsigned i = 0; i < BYTECODE_CONSTANTS; i++) PUT(g, ".scalar \"k%u\" i64 s%u\n", i, S_CONSTANT + i);
    PUT(g, ".var \"n\" i64 s0\n.var \"m\" i64 s1\nconst.i64 s%d, 3\nconst.i64 s%d, 63\nconst.i64 s%d, 11\n",
        S_LIMIT, S_MASK, S_ROWS);
}

/* A callee whose registers are 0 again at each call. */
static void put_callee(generator *g) {
    PUT(g, ".function \"g\" returns i64\n.scalars 5\n.lanes 2\n.ref u16 writable\n.scalar \"x\" i64 s0\n"
           ".scalar \"y\" i64 s1\n.tensor \"t\" u16 r0 read write (70)\n"
           "brif s0, over\nconst.i64 s2, 15360\nover:\nlane 70, done\n.cursor r0 u16 readwrite 0 0 1\n"
           "vload.u16 v0, c0\nvbits.f16 v0, v0, u16\nvsplat.f16 v1, s2\nvadd.f16 v0, v0, v1\nvbits.u16 v0, v0, f16\n"
           "vstore.u16 c0, v0\ndone:\nlane.end\nadd.i64 s2, s2, s1\nret.i64 s2\n.end\n");
}

void bytecode_generate(bytecode *to, uint64_t seed, bool parameters) {
    generator g = {.b = to, .random = {seed}, .parameters = parameters};
    memset(to, 0, sizeof *to);
    to->apart = chance(&g, 50);
    for (unsigned i = 0; i < BYTECODE_REFS; i++) to->types[i] = any_type(&g);
    to->types[BYTECODE_REFS - 1] = TIRB_U16;
    put_head(&g);
    put_statements(&g, 4 + below(&g, 14), 0);
    while (g.n_waiting > 0) put_waiting(&g);
    if (to->apart || chance(&g, 50)) put_lane_loop(&g);
    PUT(&g, "ret.i64 s%u\n.end\n", local(&g));
    put_callee(&g);
}
