/* What the lane machines do with lanes of 4 bytes that stand for other elements, and with truths (vm/lanes/words.inc),
 * beside the generic strip kernels of the same instructions. A trial runs one whole block. */
#include "tests/checkasm/checkasm.h"

#include <stdio.h>
#include <string.h>

#include "vm/lanes/forms.h"
#include "vm/lanes/lanes.h"

enum { A, B, M, K };
typedef enum work { COMPARES, SELECTS, FLOATS, TO_INTS, TESTS, NEGATES, GIVES_ONE, ROUNDS, LOADS, STORES } work;

typedef struct form {
    const char *name;
    uint16_t handler;
    work work;
    uint8_t op;       /* of comparisons */
    uint8_t from, to; /* types of lanes or elements */
    uint8_t dest, arity, places[3];
} form;

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
    {#OP "_" #T "_" #D #X #Y, TIRBI_L_##OP##_##T##_##D##X##Y, COMPARES, TIRB_OP_##OP, TIRB_##T, TIRB_BOOL, D, 2, {X, Y}},
#define LANE_SELECT(T, D, X, Y, Z)                                                                                     \
    {"SELECT_" #D #X #Y #Z, TIRBI_L_SELECT_##T##_##D##X##Y##Z, SELECTS, 0, TIRB_I32, TIRB_I32, D, 3, {X, Y, Z}},
#define LANE_CONVERT(OP, T, D, X)                                                                                      \
    {#OP "_" #T "_" #D #X, TIRBI_L_##OP##_##T##_##D##X, WORK_OF_##OP, 0, TIRB_##T, TYPE_OF_##OP, D, 1, {X}},
#include "vm/lanes/forms.def"
#define LOAD(T, FROM, TO)                                                                                              \
    {"LOAD4_" #T "_A", TIRBI_L_LOAD4_##T##_A, LOADS, 0, FROM, TO, A, 0, {0}},                                          \
        {"LOAD4_" #T "_B", TIRBI_L_LOAD4_##T##_B, LOADS, 0, FROM, TO, B, 0, {0}},
#define STORE(T, FROM, TO)                                                                                             \
    {"STORE4_" #T "_A", TIRBI_L_STORE4_##T##_A, STORES, 0, FROM, TO, A, 0, {0}},                                       \
        {"STORE4_" #T "_B", TIRBI_L_STORE4_##T##_B, STORES, 0, FROM, TO, B, 0, {0}},
    LOAD(U8, TIRB_U8, TIRB_I32) LOAD(I8, TIRB_I8, TIRB_I32) LOAD(U16, TIRB_U16, TIRB_I32) LOAD(I16, TIRB_I16, TIRB_I32)
    LOAD(TRUTH, TIRB_U8, TIRB_BOOL) LOAD(F16, TIRB_F16, TIRB_F32) LOAD(BF16, TIRB_BF16, TIRB_F32)
    STORE(8, TIRB_I32, TIRB_U8) STORE(16, TIRB_I32, TIRB_U16) STORE(TRUTH, TIRB_BOOL, TIRB_BOOL)
    STORE(F16, TIRB_F32, TIRB_F16) STORE(BF16, TIRB_F32, TIRB_BF16)
};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* A block is at most as many lanes of 4 bytes. Pointers: what the banks begin with, three operands in memory, where the
 * banks go, and where a form stores. */
enum { MOST = TIRBI_MAX_BANK_BYTES / 4, IN = 1, OPERAND = 3, OUT = 6, STORED = 8, N_POINTERS = 9 };

typedef struct block {
    _Alignas(64) uint32_t lanes[N_POINTERS][MOST];
} block;

static bool is_truth(const form *f, unsigned pointer) {
    if (f->work == STORES) return f->from == TIRB_BOOL && pointer == IN + 0u + f->dest;
    if (f->work == NEGATES || f->work == GIVES_ONE) return true;
    return f->work == SELECTS && (f->places[0] < M ? pointer == IN + 0u + f->places[0] : pointer == OPERAND);
}

static void fill(checker *c, const form *f, block *b, size_t n) {
    const tirbi_dtype type = f->work == ROUNDS ? TIRB_F32 : f->from == TIRB_BOOL ? TIRB_I32 : (tirbi_dtype)f->from;
    const size_t size = tirbi_dtypes[type].size;
    for (unsigned p = IN; p < OUT; p++)
        for (size_t i = 0; i < n; i++) {
            put_any(c, (uint8_t *)b->lanes[p] + i * size, type);
            if (is_truth(f, p)) b->lanes[p][i] = next_random(c) % 2 ? UINT32_MAX : 0;
            else if (f->work == COMPARES && p > IN && next_random(c) % 4 == 0) b->lanes[p][i] = b->lanes[p - 1][i];
        }
}

static void run_block(const checker *c, const form *f, block *b) {
    static atomic_uint stop;
    uint8_t *pointers[N_POINTERS] = {NULL};
    tirbi_word words[6] = {{.op = TIRBI_L_LOAD_A, .b = IN}, {.op = TIRBI_L_LOAD_B, .b = IN + 1}, {.op = f->handler}};
    uint16_t operands[3] = {0, 0, 0};
    for (unsigned k = 0; k < f->arity; k++) operands[k] = f->places[k] >= M ? (uint16_t)(OPERAND + k) : 0;
    words[2].a = f->work == STORES ? STORED : operands[0];
    words[2].b = f->work == LOADS ? OPERAND : operands[1];
    words[2].c = operands[2];
    words[3] = (tirbi_word){.op = TIRBI_L_STORE_A, .a = OUT};
    words[4] = (tirbi_word){.op = TIRBI_L_STORE_B, .a = OUT + 1};
    words[5] = (tirbi_word){.op = TIRBI_L_FINISH};
    for (unsigned p = 1; p < N_POINTERS; p++) pointers[p] = (uint8_t *)b->lanes[p];
    tirbi_lane_state state = {.pointers = pointers, .stop = &stop};
    state.lanes = c->machine->bank_bytes / 4;
    state.n = (int64_t)state.lanes;
    c->machine->run(&state, words, words);
}

/* The operand's lanes, a scalar in each if it is one. */
static void read_operand(const form *f, const block *b, unsigned k, size_t n, uint32_t *to) {
    const unsigned from = f->places[k] < M ? IN + 0u + f->places[k] : OPERAND + k;
    for (size_t i = 0; i < n; i++) to[i] = b->lanes[from][f->places[k] == K ? 0 : i];
}

static void cast(tirbi_dtype to, tirbi_dtype from, void *d, const void *s, size_t n) {
    tirbi_kernels(TIRB_ISA_GENERIC)->cast[to][from](d, s, NULL, NULL, n);
}

/* Integers of few bits as lanes; bytes of bools as truths; floats with canonical NaNs. */
static void as_lanes(tirbi_dtype type, const void *from, uint32_t *to, size_t n) {
    if (type == TIRB_BOOL) {
        for (size_t i = 0; i < n; i++) to[i] = ((const uint8_t *)from)[i] ? UINT32_MAX : 0;
    } else {
        cast(tirbi_dtype_is_float(type) ? TIRB_F32 : TIRB_I32, type, to, from, n);
    }
}

/* What the destination's lanes are to be, but for payloads of NaNs; or, of a store, its elements. */
static void expect(const form *f, const block *b, size_t n, uint32_t *want) {
    uint32_t x[3][MOST], narrow[MOST];
    uint8_t truths[MOST];
    for (unsigned k = 0; k < f->arity; k++) read_operand(f, b, k, n, x[k]);
    const uint32_t *bank = b->lanes[IN + f->dest];
    switch (f->work) {
    case COMPARES:
        tirbi_kernels(TIRB_ISA_GENERIC)->op[f->op - TIRBI_FIRST_ELEMENTWISE][f->from](truths, x[0], x[1], NULL, n);
        as_lanes(TIRB_BOOL, truths, want, n);
        return;
    case SELECTS:
        for (size_t i = 0; i < n; i++) want[i] = x[0][i] ? x[1][i] : x[2][i];
        return;
    case FLOATS: cast(TIRB_F32, (tirbi_dtype)f->from, want, x[0], n); return;
    case TO_INTS:
        cast((tirbi_dtype)f->to, TIRB_F32, narrow, x[0], n);
        as_lanes((tirbi_dtype)f->to, narrow, want, n);
        return;
    case TESTS:
        cast(TIRB_BOOL, (tirbi_dtype)f->from, truths, x[0], n);
        as_lanes(TIRB_BOOL, truths, want, n);
        return;
    case NEGATES:
        for (size_t i = 0; i < n; i++) want[i] = ~x[0][i];
        return;
    case GIVES_ONE:
        for (size_t i = 0; i < n; i++) want[i] = x[0][i] ? 0x3F800000u : 0;
        return;
    case ROUNDS:
        cast((tirbi_dtype)f->from, TIRB_F32, narrow, x[0], n);
        as_lanes((tirbi_dtype)f->from, narrow, want, n);
        return;
    case LOADS:
        if (f->to == TIRB_BOOL) cast(TIRB_BOOL, TIRB_U8, truths, b->lanes[OPERAND], n);
        as_lanes(f->to == TIRB_BOOL ? TIRB_BOOL : (tirbi_dtype)f->from,
                 f->to == TIRB_BOOL ? (const void *)truths : b->lanes[OPERAND], want, n);
        return;
    case STORES:
        if (f->to == TIRB_BOOL) cast(TIRB_BOOL, TIRB_I32, want, bank, n);
        else cast((tirbi_dtype)f->to, (tirbi_dtype)f->from, want, bank, n);
        return;
    }
}

static bool gives_floats(const form *f) { return f->work == ROUNDS || (f->work == LOADS && f->to == TIRB_F32); }

static void try_form(checker *c, const form *f, tirb_isa isa) {
    static block b, before;
    uint32_t want[MOST];
    const size_t n = c->machine->bank_bytes / 4;
    const size_t bytes = f->work == STORES ? n * tirbi_dtypes[f->to].size : n * 4;
    fill(c, f, &b, n);
    before = b;
    run_block(c, f, &b);
    expect(f, &before, n, want);
    uint32_t *got = f->work == STORES ? b.lanes[STORED] : b.lanes[OUT + f->dest];
    if (gives_floats(f)) cast(TIRB_F32, TIRB_F32, got, got, n);
    const bool other_kept = memcmp(b.lanes[OUT + 1 - f->dest], before.lanes[IN + 1 - f->dest], n * 4) == 0;
    if (memcmp(got, want, bytes) == 0 && other_kept) return;
    printf("FAIL %s %s: %s\n", tirb_isa_name(isa), f->name, other_kept ? "differs" : "changes the other bank");
    c->failures++;
}

unsigned check_words(checker *c, tirb_isa isa) {
    enum { TRIALS = 100 };
    if (!(c->machine->features & TIRBI_LANE_HAS_WORDS)) return 0;
    for (unsigned i = 0; i < N_FORMS; i++) {
        const unsigned failures = c->failures;
        for (unsigned k = 0; k < TRIALS && c->failures == failures; k++) try_form(c, &forms[i], isa);
    }
    return N_FORMS;
}
