/* What the lane machines do with lanes that stand for smaller elements (vm/lanes/words.inc), with truths, and with
 * lanes of one byte (vm/lanes/bytes.inc), beside the generic strip kernels of the same instructions. A trial runs one
 * whole block. */
#include "tests/checkasm/checkasm.h"

#include <stdio.h>
#include <string.h>

#include "vm/lanes/forms.h"
#include "vm/lanes/lanes.h"

enum { A, B, M, K };
typedef enum work {
    COMPARES, ASKS, SELECTS, FLOATS, TO_INTS, TESTS, NEGATES, GIVES_ONE, ROUNDS, SETTLES, LOADS, STORES, SPLATS
} work;

typedef struct form {
    const char *name;
    uint16_t handler;
    work work;
    uint8_t op;       /* of comparisons */
    uint8_t from, to; /* types of lanes or elements */
    uint8_t size;     /* bytes of a lane */
    uint8_t dest, arity, places[3];
} form;

#define SIZE_OF_I8       1
#define SIZE_OF_U8       1
#define SIZE_OF_F32      4
#define SIZE_OF_I32      4
#define SIZE_OF_U32      4
#define SIZE_OF_F16      4
#define SIZE_OF_BF16     4
#define SIZE_OF_F64      8
#define SIZE_OF_I64      8
#define TYPE_OF_ISNAN    TIRB_BOOL
#define TYPE_OF_TO_I64   TIRB_I64
#define WORK_OF_ISNAN    ASKS
#define TYPE_OF_CANON    TIRB_I32
#define WORK_OF_CANON    SETTLES
#define WORK_OF_TO_I64   TO_INTS
#define TYPE_OF_FLOAT    TIRB_F32
#define TYPE_OF_TO_I32   TIRB_I32
#define TYPE_OF_TO_U8    TIRB_U8
#define TYPE_OF_TO_I8    TIRB_I8
#define TYPE_OF_TO_U16   TIRB_U16
#define TYPE_OF_TO_I16   TIRB_I16
#define TYPE_OF_TRUE     TIRB_BOOL
#define TYPE_OF_NOT      TIRB_I32
#define TYPE_OF_ONE      TIRB_F32
#define TYPE_OF_ROUND    TIRB_F32
#define WORK_OF_FLOAT    FLOATS
#define WORK_OF_TO_I32   TO_INTS
#define WORK_OF_TO_U8    TO_INTS
#define WORK_OF_TO_I8    TO_INTS
#define WORK_OF_TO_U16   TO_INTS
#define WORK_OF_TO_I16   TO_INTS
#define WORK_OF_TRUE     TESTS
#define WORK_OF_NOT      NEGATES
#define WORK_OF_ONE      GIVES_ONE
#define WORK_OF_ROUND    ROUNDS

static const form forms[] = {
#define LANE_UNARY(OP, T, D, X)
#define LANE_BINARY(OP, T, D, X, Y)
#define LANE_TERNARY(OP, T, D, X, Y, Z)
#define LANE_DIVIDE(T, D, X)
#define LANE_BY(OP, T, D)
#define LANE_COMPARE(OP, T, D, X, Y)                                                                                   \
    {#OP "_" #T "_" #D #X #Y, TIRBI_L_##OP##_##T##_##D##X##Y, COMPARES, TIRB_OP_##OP, TIRB_##T, TIRB_BOOL, SIZE_OF_##T, D, 2, {X, Y}},
#define LANE_SELECT(T, D, X, Y, Z)                                                                                     \
    {"SELECT_" #T "_" #D #X #Y #Z, TIRBI_L_SELECT_##T##_##D##X##Y##Z, SELECTS, 0, TIRB_##T, TIRB_##T, SIZE_OF_##T, D, 3, {X, Y, Z}},
#define LANE_CONVERT(OP, T, D, X)                                                                                      \
    {#OP "_" #T "_" #D #X, TIRBI_L_##OP##_##T##_##D##X, WORK_OF_##OP, TIRB_OP_ISNAN, TIRB_##T, TYPE_OF_##OP, SIZE_OF_##T, D, 1, {X}},
#include "vm/lanes/forms.def"
#define LOAD(bytes, T, FROM, TO)                                                                                       \
    {"LOAD" #bytes "_" #T "_A", TIRBI_L_LOAD##bytes##_##T##_A, LOADS, 0, FROM, TO, bytes, A, 0, {0}},                  \
        {"LOAD" #bytes "_" #T "_B", TIRBI_L_LOAD##bytes##_##T##_B, LOADS, 0, FROM, TO, bytes, B, 0, {0}},
#define STORE(bytes, T, FROM, TO)                                                                                      \
    {"STORE" #bytes "_" #T "_A", TIRBI_L_STORE##bytes##_##T##_A, STORES, 0, FROM, TO, bytes, A, 0, {0}},               \
        {"STORE" #bytes "_" #T "_B", TIRBI_L_STORE##bytes##_##T##_B, STORES, 0, FROM, TO, bytes, B, 0, {0}},
    LOAD(4, U8, TIRB_U8, TIRB_I32) LOAD(4, I8, TIRB_I8, TIRB_I32) LOAD(4, U16, TIRB_U16, TIRB_I32)
    LOAD(4, I16, TIRB_I16, TIRB_I32) LOAD(4, TRUTH, TIRB_U8, TIRB_BOOL) LOAD(4, F16, TIRB_F16, TIRB_F32)
    LOAD(4, BF16, TIRB_BF16, TIRB_F32)
    STORE(4, 8, TIRB_I32, TIRB_U8) STORE(4, 16, TIRB_I32, TIRB_U16) STORE(4, TRUTH, TIRB_BOOL, TIRB_BOOL)
    STORE(4, F16, TIRB_F32, TIRB_F16) STORE(4, BF16, TIRB_F32, TIRB_BF16)
    LOAD(8, U8, TIRB_U8, TIRB_I64) LOAD(8, I8, TIRB_I8, TIRB_I64) LOAD(8, U16, TIRB_U16, TIRB_I64)
    LOAD(8, I16, TIRB_I16, TIRB_I64) LOAD(8, U32, TIRB_U32, TIRB_I64) LOAD(8, I32, TIRB_I32, TIRB_I64)
    LOAD(8, TRUTH, TIRB_U8, TIRB_BOOL) LOAD(8, F32, TIRB_F32, TIRB_F64)
    STORE(8, 8, TIRB_I64, TIRB_U8) STORE(8, 16, TIRB_I64, TIRB_U16) STORE(8, 32, TIRB_I64, TIRB_U32)
    STORE(8, TRUTH, TIRB_BOOL, TIRB_BOOL) STORE(8, F32, TIRB_F64, TIRB_F32)
    LOAD(1, TRUTH, TIRB_U8, TIRB_BOOL) STORE(1, TRUTH, TIRB_BOOL, TIRB_BOOL)
    {"SPLAT1_A", TIRBI_L_SPLAT1_A, SPLATS, 0, TIRB_U8, TIRB_U8, 1, A, 0, {0}},
    {"SPLAT1_B", TIRBI_L_SPLAT1_B, SPLATS, 0, TIRB_U8, TIRB_U8, 1, B, 0, {0}},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* A block is at most as many lanes. Pointers: what the banks begin with, three operands in
 * memory, where the banks go, and where a form stores. */
enum { MOST = TIRBI_MAX_BANK_BYTES, IN = 1, OPERAND = 3, OUT = 6, STORED = 8, N_POINTERS = 9 };

typedef struct block {
    _Alignas(64) uint8_t lanes[N_POINTERS][TIRBI_MAX_BANK_BYTES];
} block;

static uint64_t lane_of(const void *lanes, unsigned size, size_t i) {
    uint32_t word;
    uint64_t wide;
    if (size == 1) return ((const uint8_t *)lanes)[i];
    memcpy(&word, (const uint8_t *)lanes + i * size, sizeof word);
    if (size == 4) return word;
    memcpy(&wide, (const uint8_t *)lanes + i * size, sizeof wide);
    return wide;
}

static void put_lane(void *lanes, unsigned size, size_t i, uint64_t value) {
    const uint32_t word = (uint32_t)value;
    if (size == 1) ((uint8_t *)lanes)[i] = (uint8_t)value;
    else if (size == 4) memcpy((uint8_t *)lanes + i * size, &word, size);
    else memcpy((uint8_t *)lanes + i * size, &value, size);
}

static bool is_truth(const form *f, unsigned pointer) {
    if (f->work == STORES) return f->from == TIRB_BOOL && pointer == IN + 0u + f->dest;
    if (f->work == NEGATES || f->work == GIVES_ONE) return true;
    return f->work == SELECTS && (f->places[0] < M ? pointer == IN + 0u + f->places[0] : pointer == OPERAND);
}

static void fill(checker *c, const form *f, block *b, size_t n) {
    const tirbi_dtype bits = f->size == 1 ? TIRB_U8 : f->size == 4 ? TIRB_I32 : TIRB_I64;
    const tirbi_dtype type = f->work == ROUNDS ? TIRB_F32 : f->from == TIRB_BOOL ? bits : (tirbi_dtype)f->from;
    const size_t size = tirbi_dtypes[type].size;
    for (unsigned p = IN; p < OUT; p++)
        for (size_t i = 0; i < n; i++) {
            put_any(c, b->lanes[p] + i * size, type);
            if ((f->work == TESTS || (f->work == LOADS && f->to == TIRB_BOOL)) && next_random(c) % 4 == 0)
                memset(b->lanes[p] + i * size, 0, size);
            if (is_truth(f, p)) put_lane(b->lanes[p], f->size, i, next_random(c) % 2 ? UINT64_MAX : 0);
            else if (f->work == COMPARES && p > IN && next_random(c) % 4 == 0)
                put_lane(b->lanes[p], f->size, i, lane_of(b->lanes[p - 1], f->size, i));
        }
}

static void run_block(const checker *c, const form *f, block *b) {
    static atomic_uint stop;
    uint8_t *pointers[N_POINTERS] = {NULL};
    tirbi_word words[6] = {{.op = TIRBI_L_LOAD_A, .b = IN}, {.op = TIRBI_L_LOAD_B, .b = IN + 1}, {.op = f->handler}};
    uint16_t operands[3] = {0, 0, 0};
    for (unsigned k = 0; k < f->arity; k++) operands[k] = f->places[k] >= M ? (uint16_t)(OPERAND + k) : 0;
    words[2].a = f->work == STORES ? STORED : operands[0];
    words[2].b = f->work == LOADS || f->work == SPLATS ? OPERAND : operands[1];
    words[2].c = operands[2];
    words[3] = (tirbi_word){.op = TIRBI_L_STORE_A, .a = OUT};
    words[4] = (tirbi_word){.op = TIRBI_L_STORE_B, .a = OUT + 1};
    words[5] = (tirbi_word){.op = TIRBI_L_FINISH};
    for (unsigned p = 1; p < N_POINTERS; p++) pointers[p] = b->lanes[p];
    tirbi_lane_state state = {.pointers = pointers, .stop = &stop};
    state.lanes = c->machine->bank_bytes / f->size;
    state.n = (int64_t)state.lanes;
    c->machine->run(&state, words, words);
}

/* The operand's lanes, a scalar in each if it is one. */
static void read_operand(const form *f, const block *b, unsigned k, size_t n, void *to) {
    const unsigned from = f->places[k] < M ? IN + 0u + f->places[k] : OPERAND + k;
    for (size_t i = 0; i < n; i++)
        put_lane(to, f->size, i, lane_of(b->lanes[from], f->size, f->places[k] == K ? 0 : i));
}

static void cast(tirbi_dtype to, tirbi_dtype from, void *d, const void *s, size_t n) {
    tirbi_kernels(TIRB_ISA_GENERIC)->cast[to][from](d, s, NULL, NULL, n);
}

/* Integers of few bits as lanes; bytes of bools as truths; floats with canonical NaNs. */
static void as_lanes(const form *f, tirbi_dtype type, const void *from, void *to, size_t n) {
    const tirbi_dtype real = f->size == 4 ? TIRB_F32 : TIRB_F64;
    const tirbi_dtype integer = f->size == 1 ? TIRB_U8 : f->size == 4 ? TIRB_I32 : TIRB_I64;
    if (type == TIRB_BOOL) {
        for (size_t i = 0; i < n; i++) put_lane(to, f->size, i, ((const uint8_t *)from)[i] ? UINT64_MAX : 0);
    } else {
        cast(tirbi_dtype_is_float(type) ? real : integer, type, to, from, n);
    }
}

/* What the destination's lanes are to be, but for payloads of NaNs; or, of a store, its elements. */
static void expect(const form *f, const block *b, size_t n, uint8_t *want) {
    static _Alignas(64) uint8_t x[3][TIRBI_MAX_BANK_BYTES], narrow[TIRBI_MAX_BANK_BYTES];
    uint8_t truths[MOST];
    const tirbi_dtype real = f->size == 4 ? TIRB_F32 : TIRB_F64;
    const tirbi_dtype integer = f->size == 1 ? TIRB_U8 : f->size == 4 ? TIRB_I32 : TIRB_I64;
    for (unsigned k = 0; k < f->arity; k++) read_operand(f, b, k, n, x[k]);
    const uint8_t *bank = b->lanes[IN + f->dest];
    switch (f->work) {
    case COMPARES:
    case ASKS:
        tirbi_kernels(TIRB_ISA_GENERIC)->op[f->op - TIRBI_FIRST_ELEMENTWISE][f->from](truths, x[0], x[1], NULL, n);
        as_lanes(f, TIRB_BOOL, truths, want, n);
        return;
    case SELECTS:
        for (size_t i = 0; i < n; i++)
            put_lane(want, f->size, i, lane_of(x[lane_of(x[0], f->size, i) ? 1 : 2], f->size, i));
        return;
    case FLOATS: cast(real, (tirbi_dtype)f->from, want, x[0], n); return;
    case TO_INTS:
        cast((tirbi_dtype)f->to, real, narrow, x[0], n);
        as_lanes(f, (tirbi_dtype)f->to, narrow, want, n);
        return;
    case TESTS:
        cast(TIRB_BOOL, (tirbi_dtype)f->from, truths, x[0], n);
        as_lanes(f, TIRB_BOOL, truths, want, n);
        return;
    case NEGATES:
        for (size_t i = 0; i < n; i++) put_lane(want, f->size, i, ~lane_of(x[0], f->size, i));
        return;
    case GIVES_ONE:
        for (size_t i = 0; i < n; i++) narrow[i] = lane_of(x[0], f->size, i) != 0;
        cast(real, TIRB_BOOL, want, narrow, n);
        return;
    case ROUNDS:
        cast((tirbi_dtype)f->from, TIRB_F32, narrow, x[0], n);
        as_lanes(f, (tirbi_dtype)f->from, narrow, want, n);
        return;
    case SETTLES: tirbi_kernels(TIRB_ISA_GENERIC)->bits[integer][f->from](want, x[0], NULL, NULL, n); return;
    case LOADS:
        if (f->to == TIRB_BOOL) cast(TIRB_BOOL, TIRB_U8, truths, b->lanes[OPERAND], n);
        as_lanes(f, f->to == TIRB_BOOL ? TIRB_BOOL : (tirbi_dtype)f->from,
                 f->to == TIRB_BOOL ? (const void *)truths : b->lanes[OPERAND], want, n);
        return;
    case STORES:
        if (f->to == TIRB_BOOL) cast(TIRB_BOOL, integer, want, bank, n);
        else cast((tirbi_dtype)f->to, (tirbi_dtype)f->from, want, bank, n);
        return;
    case SPLATS:
        for (size_t i = 0; i < n; i++) put_lane(want, f->size, i, lane_of(b->lanes[OPERAND], f->size, 0));
        return;
    }
}

static bool gives_floats(const form *f) {
    return f->work == ROUNDS || (f->work == LOADS && (f->to == TIRB_F32 || f->to == TIRB_F64));
}

static void try_form(checker *c, const form *f, tirb_isa isa) {
    static block b, before;
    static _Alignas(64) uint8_t want[TIRBI_MAX_BANK_BYTES];
    const size_t n = c->machine->bank_bytes / f->size;
    const size_t bytes = f->work == STORES ? n * tirbi_dtypes[f->to].size : n * f->size;
    const tirbi_dtype real = f->size == 4 ? TIRB_F32 : TIRB_F64;
    fill(c, f, &b, n);
    before = b;
    run_block(c, f, &b);
    expect(f, &before, n, want);
    uint8_t *got = f->work == STORES ? b.lanes[STORED] : b.lanes[OUT + f->dest];
    if (gives_floats(f)) cast(real, real, got, got, n);
    const bool other_kept = memcmp(b.lanes[OUT + 1 - f->dest], before.lanes[IN + 1 - f->dest], n * f->size) == 0;
    if (memcmp(got, want, bytes) == 0 && other_kept) return;
    printf("FAIL %s %s: %s\n", tirb_isa_name(isa), f->name, other_kept ? "differs" : "changes the other bank");
    c->failures++;
}

static bool is_half(uint8_t type) { return type == TIRB_F16 || type == TIRB_BF16; }

unsigned check_words(checker *c, tirb_isa isa) {
    enum { TRIALS = 100 };
    const bool has_words = (c->machine->features & TIRBI_LANE_HAS_WORDS) != 0,
               has_halves = (c->machine->features & TIRBI_LANE_HAS_HALVES) != 0;
    unsigned n = 0;
    for (unsigned i = 0; i < N_FORMS; i++) {
        const unsigned failures = c->failures;
        if (forms[i].size > 1 && !has_words) continue;
        if ((is_half(forms[i].from) || is_half(forms[i].to)) && !has_halves) continue;
        if (!has_place_for(c->machine, forms[i].handler)) continue;
        n++;
        for (unsigned k = 0; k < TRIALS && c->failures == failures; k++) try_form(c, &forms[i], isa);
    }
    return n;
}
