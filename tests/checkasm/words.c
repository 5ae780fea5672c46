/* What the lane machines do with lanes of 4 bytes that stand for other elements (vm/lanes/words.inc), with truths, and with
 * lanes of one byte (vm/lanes/bytes.inc), beside the generic strip kernels of the same instructions. A trial runs one whole
 * block. */
#include "tests/checkasm/checkasm.h"

#include <stdio.h>
#include <string.h>

#include "vm/lanes/forms.h"
#include "vm/lanes/lanes.h"

enum { A, B, M, K };
typedef enum work { COMPARES, SELECTS, FLOATS, TO_INTS, TESTS, NEGATES, GIVES_ONE, ROUNDS, LOADS, STORES, SPLATS } work;

typedef struct form {
    const char *name;
    uint16_t handler;
    work work;
    uint8_t op;       /* of comparisons */
    uint8_t from, to; /* types of lanes or elements */
    uint8_t dest, arity, places[3];
    uint8_t size; /* of a lane */
} form;

#define SIZE_OF_I8   1
#define SIZE_OF_U8   1
#define SIZE_OF_I32  4
#define SIZE_OF_U32  4
#define SIZE_OF_F32  4
#define SIZE_OF_F16  4
#define SIZE_OF_BF16 4

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
#define LANE_COMPARE(OP, T, D, X, Y)                                                                                   \
    {#OP "_" #T "_" #D #X #Y, TIRBI_L_##OP##_##T##_##D##X##Y, COMPARES, TIRB_OP_##OP, TIRB_##T, TIRB_BOOL, D, 2, {X, Y}, SIZE_OF_##T},
#define LANE_SELECT(T, D, X, Y, Z)                                                                                     \
    {"SELECT_" #T "_" #D #X #Y #Z, TIRBI_L_SELECT_##T##_##D##X##Y##Z, SELECTS, 0, TIRB_##T, TIRB_##T, D, 3, {X, Y, Z}, SIZE_OF_##T},
#define LANE_CONVERT(OP, T, D, X)                                                                                      \
    {#OP "_" #T "_" #D #X, TIRBI_L_##OP##_##T##_##D##X, WORK_OF_##OP, 0, TIRB_##T, TYPE_OF_##OP, D, 1, {X}, SIZE_OF_##T},
#include "vm/lanes/forms.def"
#define LOAD(T, FROM, TO)                                                                                              \
    {"LOAD4_" #T "_A", TIRBI_L_LOAD4_##T##_A, LOADS, 0, FROM, TO, A, 0, {0}, 4},                                          \
        {"LOAD4_" #T "_B", TIRBI_L_LOAD4_##T##_B, LOADS, 0, FROM, TO, B, 0, {0}, 4},
#define STORE(T, FROM, TO)                                                                                             \
    {"STORE4_" #T "_A", TIRBI_L_STORE4_##T##_A, STORES, 0, FROM, TO, A, 0, {0}, 4},                                       \
        {"STORE4_" #T "_B", TIRBI_L_STORE4_##T##_B, STORES, 0, FROM, TO, B, 0, {0}, 4},
    LOAD(U8, TIRB_U8, TIRB_I32) LOAD(I8, TIRB_I8, TIRB_I32) LOAD(U16, TIRB_U16, TIRB_I32) LOAD(I16, TIRB_I16, TIRB_I32)
    LOAD(TRUTH, TIRB_U8, TIRB_BOOL) LOAD(F16, TIRB_F16, TIRB_F32) LOAD(BF16, TIRB_BF16, TIRB_F32)
    STORE(8, TIRB_I32, TIRB_U8) STORE(16, TIRB_I32, TIRB_U16) STORE(TRUTH, TIRB_BOOL, TIRB_BOOL)
    STORE(F16, TIRB_F32, TIRB_F16) STORE(BF16, TIRB_F32, TIRB_BF16)
    {"LOAD1_TRUTH_A", TIRBI_L_LOAD1_TRUTH_A, LOADS, 0, TIRB_U8, TIRB_BOOL, A, 0, {0}, 1},
    {"LOAD1_TRUTH_B", TIRBI_L_LOAD1_TRUTH_B, LOADS, 0, TIRB_U8, TIRB_BOOL, B, 0, {0}, 1},
    {"STORE1_TRUTH_A", TIRBI_L_STORE1_TRUTH_A, STORES, 0, TIRB_BOOL, TIRB_BOOL, A, 0, {0}, 1},
    {"STORE1_TRUTH_B", TIRBI_L_STORE1_TRUTH_B, STORES, 0, TIRB_BOOL, TIRB_BOOL, B, 0, {0}, 1},
    {"SPLAT1_A", TIRBI_L_SPLAT1_A, SPLATS, 0, TIRB_U8, TIRB_U8, A, 0, {0}, 1},
    {"SPLAT1_B", TIRBI_L_SPLAT1_B, SPLATS, 0, TIRB_U8, TIRB_U8, B, 0, {0}, 1},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* A block is at most as many lanes. Pointers: what the banks begin with, three operands in memory, where the
 * banks go, and where a form stores. */
enum { MOST = TIRBI_MAX_BANK_BYTES, IN = 1, OPERAND = 3, OUT = 6, STORED = 8, N_POINTERS = 9 };

typedef struct block {
    _Alignas(64) uint8_t lanes[N_POINTERS][4 * MOST];
} block;

static void put_lane(const form *f, uint8_t *lanes, size_t i, uint32_t v) {
    const uint8_t byte = (uint8_t)v;
    memcpy(lanes + i * f->size, f->size == 1 ? (const void *)&byte : &v, f->size);
}

static uint32_t get_lane(const form *f, const uint8_t *lanes, size_t i) {
    uint32_t v;
    if (f->size == 1) return lanes[i];
    memcpy(&v, lanes + i * sizeof v, sizeof v);
    return v;
}

static void put_truths(const form *f, const uint8_t *truths, uint8_t *lanes, size_t n) {
    for (size_t i = 0; i < n; i++) put_lane(f, lanes, i, truths[i] ? UINT32_MAX : 0);
}

static bool is_truth(const form *f, unsigned pointer) {
    if (f->work == STORES) return f->from == TIRB_BOOL && pointer == IN + 0u + f->dest;
    if (f->work == NEGATES || f->work == GIVES_ONE) return true;
    return f->work == SELECTS && (f->places[0] < M ? pointer == IN + 0u + f->places[0] : pointer == OPERAND);
}

static void fill(checker *c, const form *f, block *b, size_t n) {
    const tirbi_dtype type = f->work == ROUNDS ? TIRB_F32 : f->from == TIRB_BOOL ? TIRB_I32 : (tirbi_dtype)f->from;
    const size_t size = f->size == 1 ? 1 : tirbi_dtypes[type].size;
    for (unsigned p = IN; p < OUT; p++)
        for (size_t i = 0; i < n; i++) {
            put_any(c, b->lanes[p] + i * size, size == 1 ? TIRB_U8 : type);
            if (f->work == LOADS && f->to == TIRB_BOOL && next_random(c) % 2) b->lanes[p][i] = 0;
            if (is_truth(f, p)) put_lane(f, b->lanes[p], i, next_random(c) % 2 ? UINT32_MAX : 0);
            else if (f->work == COMPARES && p > IN && next_random(c) % 4 == 0)
                put_lane(f, b->lanes[p], i, get_lane(f, b->lanes[p - 1], i));
            else if (f->work == TESTS && next_random(c) % 4 == 0) put_lane(f, b->lanes[p], i, 0);
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
static void read_operand(const form *f, const block *b, unsigned k, size_t n, uint8_t *to) {
    const unsigned from = f->places[k] < M ? IN + 0u + f->places[k] : OPERAND + k;
    for (size_t i = 0; i < n; i++) put_lane(f, to, i, get_lane(f, b->lanes[from], f->places[k] == K ? 0 : i));
}

static void cast(tirbi_dtype to, tirbi_dtype from, void *d, const void *s, size_t n) {
    tirbi_kernels(TIRB_ISA_GENERIC)->cast[to][from](d, s, NULL, NULL, n);
}

/* Integers of few bits as lanes of 4 bytes; floats with canonical NaNs. */
static void as_lanes(tirbi_dtype type, const void *from, uint8_t *to, size_t n) {
    cast(tirbi_dtype_is_float(type) ? TIRB_F32 : TIRB_I32, type, to, from, n);
}

/* What the destination's lanes are to be, but for payloads of NaNs; or, of a store, its elements. */
static void expect(const form *f, const block *b, size_t n, uint8_t *want) {
    static uint8_t x[3][4 * MOST], narrow[4 * MOST];
    for (unsigned k = 0; k < f->arity; k++) read_operand(f, b, k, n, x[k]);
    const uint8_t *bank = b->lanes[IN + f->dest];
    switch (f->work) {
    case COMPARES:
        tirbi_kernels(TIRB_ISA_GENERIC)->op[f->op - TIRBI_FIRST_ELEMENTWISE][f->from](narrow, x[0], x[1], NULL, n);
        put_truths(f, narrow, want, n);
        return;
    case SELECTS:
        for (size_t i = 0; i < n; i++) put_lane(f, want, i, get_lane(f, x[get_lane(f, x[0], i) ? 1 : 2], i));
        return;
    case FLOATS: cast(TIRB_F32, (tirbi_dtype)f->from, want, x[0], n); return;
    case TO_INTS:
        cast((tirbi_dtype)f->to, TIRB_F32, narrow, x[0], n);
        as_lanes((tirbi_dtype)f->to, narrow, want, n);
        return;
    case TESTS:
        cast(TIRB_BOOL, (tirbi_dtype)f->from, narrow, x[0], n);
        put_truths(f, narrow, want, n);
        return;
    case NEGATES:
        for (size_t i = 0; i < n; i++) put_lane(f, want, i, ~get_lane(f, x[0], i));
        return;
    case GIVES_ONE:
        for (size_t i = 0; i < n; i++) put_lane(f, want, i, get_lane(f, x[0], i) ? 0x3F800000u : 0);
        return;
    case ROUNDS:
        cast((tirbi_dtype)f->from, TIRB_F32, narrow, x[0], n);
        as_lanes((tirbi_dtype)f->from, narrow, want, n);
        return;
    case LOADS:
        if (f->to == TIRB_BOOL) put_truths(f, b->lanes[OPERAND], want, n);
        else as_lanes((tirbi_dtype)f->from, b->lanes[OPERAND], want, n);
        return;
    case STORES:
        if (f->to == TIRB_BOOL) cast(TIRB_BOOL, f->size == 1 ? TIRB_U8 : TIRB_I32, want, bank, n);
        else cast((tirbi_dtype)f->to, (tirbi_dtype)f->from, want, bank, n);
        return;
    case SPLATS:
        for (size_t i = 0; i < n; i++) put_lane(f, want, i, get_lane(f, b->lanes[OPERAND], 0));
        return;
    }
}

static bool gives_floats(const form *f) { return f->work == ROUNDS || (f->work == LOADS && f->to == TIRB_F32); }

static void try_form(checker *c, const form *f, tirb_isa isa) {
    static block b, before;
    static uint8_t want[4 * MOST];
    const size_t n = c->machine->bank_bytes / f->size;
    const size_t bytes = n * (f->work == STORES ? tirbi_dtypes[f->to].size : f->size);
    fill(c, f, &b, n);
    before = b;
    run_block(c, f, &b);
    expect(f, &before, n, want);
    uint8_t *got = f->work == STORES ? b.lanes[STORED] : b.lanes[OUT + f->dest];
    if (gives_floats(f)) cast(TIRB_F32, TIRB_F32, got, got, n);
    const bool other_kept = memcmp(b.lanes[OUT + 1 - f->dest], before.lanes[IN + 1 - f->dest], n * f->size) == 0;
    if (memcmp(got, want, bytes) == 0 && other_kept) return;
    printf("FAIL %s %s: %s\n", tirb_isa_name(isa), f->name, other_kept ? "differs" : "changes the other bank");
    c->failures++;
}

unsigned check_words(checker *c, tirb_isa isa) {
    enum { TRIALS = 100 };
    const bool has_words = (c->machine->features & TIRBI_LANE_HAS_WORDS) != 0;
    unsigned n = 0;
    for (unsigned i = 0; i < N_FORMS; i++) {
        const unsigned failures = c->failures;
        if (forms[i].size == 4 && !has_words) continue;
        n++;
        for (unsigned k = 0; k < TRIALS && c->failures == failures; k++) try_form(c, &forms[i], isa);
    }
    return n;
}
