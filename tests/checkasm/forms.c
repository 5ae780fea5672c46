/* The forms of the lane machines beside the generic strip kernel of the same instruction. A trial runs words as the
 * translator makes them: load both banks, the form, store both banks; whole blocks from and to the cursors, the lanes
 * that are left through strips. */
#include "tests/checkasm/checkasm.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/sampled.h"
#include "vm/lanes/forms.h"
#include "vm/lanes/lanes.h"

enum { A, B, M, K };

typedef struct form {
    const char *name;
    uint16_t handler;
    uint8_t op, type, dest, arity, places[3];
} form;

static const form forms[] = {
#define LANE_UNARY(OP, T, D, X)                                                                                        \
    {#OP "_" #T "_" #D #X, TIRBI_L_##OP##_##T##_##D##X, TIRB_OP_##OP, TIRB_##T, D, 1, {X}},
#define LANE_BINARY(OP, T, D, X, Y)                                                                                    \
    {#OP "_" #T "_" #D #X #Y, TIRBI_L_##OP##_##T##_##D##X##Y, TIRB_OP_##OP, TIRB_##T, D, 2, {X, Y}},
#define LANE_TERNARY(OP, T, D, X, Y, Z)                                                                                \
    {#OP "_" #T "_" #D #X #Y #Z, TIRBI_L_##OP##_##T##_##D##X##Y##Z, TIRB_OP_##OP, TIRB_##T, D, 3, {X, Y, Z}},
#ifndef TIRB_SWITCH_DISPATCH
#define LANE_BINARY_AGAIN(OP, T, D, X, Y, N)                                                                           \
    {#OP "_" #T "_" #D #X #Y "_" #N, TIRBI_L_##OP##_##T##_##D##X##Y##_##N, TIRB_OP_##OP, TIRB_##T, D, 2, {X, Y}},
#define LANE_FUSED_AGAIN(OP, T, D, X, Y, Z, N)                                                                         \
    {#OP "_" #T "_" #D #X #Y #Z "_" #N, TIRBI_L_##OP##_##T##_##D##X##Y##Z##_##N, TIRB_OP_##OP, TIRB_##T, D, 3,         \
     {X, Y, Z}},
#endif
#define LANE_COMPARE(OP, T, D, X, Y)
#define LANE_SELECT(T, D, X, Y, Z)
#define LANE_CONVERT(OP, T, D, X)
#include "vm/lanes/forms.def"
};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* Pointers of the lane state: what the banks begin with, the operands in memory, what the banks end as, and strips. The
 * first seven are cursors. */
enum {
    IN_BANK = 1,
    OPERAND = IN_BANK + 2,
    OUT_BANK = OPERAND + 3,
    STRIP_BANK = OUT_BANK + 2,
    STRIP_OPERAND = STRIP_BANK + 2,
    STRIP_OUT = STRIP_OPERAND + 3,
    N_POINTERS = STRIP_OUT + 2,
    N_CURSORS = STRIP_BANK - 1,
    MOST_WORDS = 24
};

typedef struct program {
    tirbi_word words[2 * MOST_WORDS];
    unsigned n, tail;
} program;

static void add_word(program *p, unsigned op, unsigned a, unsigned b, unsigned c) {
    p->words[p->n++] = (tirbi_word){.op = (uint16_t)op, .a = (uint16_t)a, .b = (uint16_t)b, .c = (uint16_t)c};
}

/* The store that makes NaNs canonical, as a form's result needs it. */
static unsigned canonical_store(const form *f) {
    if (f->type == TIRB_F32) return TIRBI_L_STORE_F32_A + f->dest;
    if (f->type == TIRB_F64) return TIRBI_L_STORE_F64_A + f->dest;
    return TIRBI_L_STORE_A + f->dest;
}

static void add_form(program *p, const form *f, unsigned blocks) {
    unsigned words[3] = {0, 0, 0};
    for (unsigned k = 0; k < f->arity; k++)
        if (f->places[k] == M)
            words[k] = blocks + k;
        else if (f->places[k] == K)
            words[k] = OPERAND + k;
    add_word(p, f->handler, words[0], words[1], words[2]);
}

static void write_program(program *p, const form *f, unsigned store) {
    unsigned shift = (unsigned)__builtin_ctz(tirbi_dtypes[f->type].size), other = 1u - f->dest;
    p->n = 0;
    add_word(p, TIRBI_L_LOAD_A, 0, IN_BANK, 0);
    add_word(p, TIRBI_L_LOAD_B, 0, IN_BANK + 1, 0);
    add_form(p, f, OPERAND);
    add_word(p, store, OUT_BANK + f->dest, 0, 0);
    add_word(p, TIRBI_L_STORE_A + other, OUT_BANK + other, 0, 0);
    add_word(p, TIRBI_L_NEXT_BLOCK, 0, 0, 0);
    p->tail = p->n;
    for (unsigned bank = 0; bank < 2; bank++) add_word(p, TIRBI_L_COPY, STRIP_BANK + bank, IN_BANK + bank, shift);
    for (unsigned k = 0; k < f->arity; k++)
        if (f->places[k] == M) add_word(p, TIRBI_L_COPY, STRIP_OPERAND + k, OPERAND + k, shift);
    add_word(p, TIRBI_L_LOAD_A, 0, STRIP_BANK, 0);
    add_word(p, TIRBI_L_LOAD_B, 0, STRIP_BANK + 1, 0);
    add_form(p, f, STRIP_OPERAND);
    add_word(p, store, STRIP_OUT + f->dest, 0, 0);
    add_word(p, TIRBI_L_STORE_A + other, STRIP_OUT + other, 0, 0);
    for (unsigned bank = 0; bank < 2; bank++) add_word(p, TIRBI_L_COPY, OUT_BANK + bank, STRIP_OUT + bank, shift);
    add_word(p, TIRBI_L_FINISH, 0, 0, 0);
}

/* ---- Trials ----------------------------------------------------------------------------------------------------- */

typedef struct trial {
    const form *form;
    tirb_isa isa;
    const tirbi_lane_machine *machine;
    size_t n;
    size_t behind;    /* bytes of pattern behind the elements, which move them off their alignment */
    unsigned special; /* the first operand has value special + i at lane i, and so on; past the last: random */
    bool in_place;    /* the result takes the memory of the bank that it is in */
    bool close;       /* the floats of an operand are zeros, or alike in size: quotients by one divisor have bounds */
} trial;

/* Areas of the checker: in the order of the cursors, and one for what is expected. */
enum { EXPECTED = N_CURSORS };
_Static_assert((int)EXPECTED < (int)N_AREAS, "an area for each cursor");

static _Alignas(64) uint8_t strips[N_POINTERS - STRIP_BANK][TIRBI_MAX_STRIP_BYTES];

static void fail_trial(checker *c, const trial *t, const char *what, size_t i) {
    printf("FAIL %s %s: %s, lane %zu of %zu, %zu bytes before the end%s\n", tirb_isa_name(t->isa), t->form->name, what,
           i, t->n, t->behind, t->in_place ? ", in place" : "");
    c->failures++;
}

static bool is_read(const form *f, unsigned cursor) {
    if (cursor < OPERAND) return true;
    unsigned k = cursor - OPERAND;
    return k < f->arity && f->places[k] >= M;
}

/* How many elements a cursor has: a scalar one, and what is not used none. */
static size_t elements_of(const trial *t, unsigned cursor) {
    if (!is_read(t->form, cursor) && cursor < OUT_BANK) return 0;
    if (cursor >= OPERAND && cursor < OUT_BANK && t->form->places[cursor - OPERAND] == K) return 1;
    return t->n;
}

/* The pointer that operand k is read from. */
static unsigned source_of(const form *f, unsigned k) {
    return f->places[k] == A || f->places[k] == B ? IN_BANK + 0u + f->places[k] : OPERAND + k;
}

/* Gives floats exponents of their own, about the same for all: any, or those that divisors mostly have. */
static void bring_close(checker *c, uint8_t *start, tirbi_dtype type, size_t n) {
    const int bias = type == TIRB_F32 ? 127 : 1023, range = next_random(c) % 2 ? bias : 70;
    const unsigned shift = type == TIRB_F32 ? 23 : 52, size = tirbi_dtypes[type].size;
    int64_t center = bias - range + 1 + (int64_t)(next_random(c) % (unsigned)(2 * range - 3));
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = next_random(c), e = (uint64_t)center + next_random(c) % 2;
        bits = (bits & ~(~UINT64_C(0) << shift)) | e << shift | (bits >> 63) << (8 * size - 1);
        if (next_random(c) % 8 == 0) bits &= UINT64_C(1) << (8 * size - 1);
        memcpy(start + i * size, &bits, size);
    }
}

static void fill_cursors(checker *c, const trial *t, uint8_t *const *pointers) {
    tirbi_dtype type = (tirbi_dtype)t->form->type;
    size_t size = tirbi_dtypes[type].size;
    for (unsigned p = IN_BANK; p < OUT_BANK; p++)
        for (size_t i = 0; i < elements_of(t, p); i++) put_any(c, pointers[p] + i * size, type);
    for (unsigned p = IN_BANK; t->close && p < OUT_BANK; p++) bring_close(c, pointers[p], type, elements_of(t, p));
    unsigned base = n_specials(type), all = t->form->arity > 1 ? base * base : base;
    for (size_t i = 0; t->special < all && i < t->n; i++) {
        size_t digits = t->special + i;
        for (unsigned k = 0; k < t->form->arity && k < 2; k++) {
            unsigned p = source_of(t->form, k);
            if (i < elements_of(t, p)) put_special(pointers[p] + i * size, type, (unsigned)(digits % base));
            digits /= base;
        }
    }
}

/* What the generic strip kernel gives for the same operands. */
static void expect(const trial *t, uint8_t *const *pointers, uint8_t *want) {
    static uint8_t spread[3][AREA_SIZE];
    const form *f = t->form;
    size_t size = tirbi_dtypes[f->type].size;
    const uint8_t *operands[3] = {NULL, NULL, NULL};
    for (unsigned k = 0; k < f->arity; k++) {
        operands[k] = pointers[source_of(f, k)];
        if (f->places[k] != K) continue;
        for (size_t i = 0; i < t->n; i++) memcpy(spread[k] + i * size, operands[k], size);
        operands[k] = spread[k];
    }
    tirbi_kernels(TIRB_ISA_GENERIC)->op[f->op - TIRBI_FIRST_ELEMENTWISE][f->type](want, operands[0], operands[1],
                                                                                  operands[2], t->n);
}

static bool divides_integers(const form *f) {
    return f->op >= TIRB_OP_DIV && f->op <= TIRB_OP_FLOORMOD && tirbi_dtype_is_int((tirbi_dtype)f->type);
}

static bool has_zero_divisor(const trial *t, uint8_t *const *pointers) {
    static const uint8_t zeros[8];
    return t->n > 0 && divides_integers(t->form) &&
           memcmp(pointers[source_of(t->form, 1)], zeros, tirbi_dtypes[t->form->type].size) == 0;
}

static tirbi_lane_end run_words(const trial *t, uint8_t **pointers, const program *code) {
    static atomic_uint stop;
    size_t size = tirbi_dtypes[t->form->type].size;
    const tirbi_lane_loop loop = {.n_inner = 0}; /* strips are read whole */
    tirbi_lane_state state = {.loop = &loop, .pointers = pointers, .stop = &stop, .n = (int64_t)t->n, .calm_blocks = 8};
    state.lanes = t->machine->bank_bytes / size;
    for (unsigned p = IN_BANK; p < STRIP_BANK; p++)
        if (elements_of(t, p) > 1)
            state.block_steps[p - 1] = (ptrdiff_t)(state.lanes * size);
    state.n_cursors = STRIP_BANK - 1;
    return t->n > 0 ? t->machine->run(&state, code->words, code->words + code->tail) : TIRBI_LANE_DONE;
}

static void run_trial(checker *c, const trial *t, const program *code) {
    const form *f = t->form;
    size_t size = tirbi_dtypes[f->type].size, bytes = t->n * size;
    unsigned in_bank = IN_BANK + 0u + f->dest, out_bank = OUT_BANK + 0u + f->dest;
    uint8_t *start[N_POINTERS] = {NULL}, *pointers[N_POINTERS];
    for (unsigned p = IN_BANK; p < STRIP_BANK; p++) {
        size_t behind = t->behind == 0 ? 0 : (t->behind + 3 * p) % 16;
        start[p] = place(&c->areas[p - 1], size, elements_of(t, p), behind);
    }
    for (unsigned p = STRIP_BANK; p < N_POINTERS; p++) start[p] = strips[p - STRIP_BANK];
    if (t->in_place) start[out_bank] = start[in_bank];
    fill_cursors(c, t, start);
    uint8_t *want = place(&c->areas[EXPECTED], size, t->n, 0);
    expect(t, start, want);
    for (unsigned p = IN_BANK; p < OUT_BANK; p++) memcpy(c->kept + p * AREA_SIZE, start[p], elements_of(t, p) * size);
    memcpy(pointers, start, sizeof pointers);
    const bool traps = has_zero_divisor(t, start);
    if ((run_words(t, pointers, code) == TIRBI_LANE_DIVIDE) != traps)
        fail_trial(c, t, "does not tell a divisor of 0", 0);
    if (traps) return;

    const uint8_t *got = start[out_bank], *other = start[OUT_BANK + 1 - f->dest];
    if (memcmp(got, want, bytes) != 0) {
        size_t i = 0;
        while (memcmp(got + i * size, want + i * size, size) == 0) i++;
        fail_trial(c, t, "differs", i);
    }
    if (memcmp(other, c->kept + (IN_BANK + 1u - f->dest) * AREA_SIZE, bytes) != 0)
        fail_trial(c, t, "changes the other bank", 0);
    for (unsigned p = IN_BANK; p < STRIP_BANK; p++) {
        size_t behind = t->behind == 0 ? 0 : (t->behind + 3 * p) % 16;
        bool out = p >= OUT_BANK || (t->in_place && p == in_bank);
        if (t->in_place && p == out_bank) continue;
        if (!untouched(start[p], elements_of(t, p) * size, behind)) fail_trial(c, t, "writes beside its elements", p);
        if (!out && memcmp(start[p], c->kept + p * AREA_SIZE, elements_of(t, p) * size) != 0)
            fail_trial(c, t, "changes an operand", p);
    }
}

static void check_form(checker *c, const form *f, tirb_isa isa) {
    program code;
    write_program(&code, f, canonical_store(f));
    trial t = {.form = f, .isa = isa, .machine = c->machine};
    unsigned base = n_specials((tirbi_dtype)f->type), all = f->arity > 1 ? base * base : base, before = c->failures;
    size_t lanes = t.machine->bank_bytes / tirbi_dtypes[f->type].size;
    /* Some of the pairs of special values; an instruction has many forms, and its kernel goes through all of them. */
    t.n = 2048;
    t.special = (unsigned)(next_random(c) % all);
    t.behind = t.special % 7;
    run_trial(c, &t, &code);
    t.special = all;
    for (t.n = 0; t.n <= 2 * lanes + 1 && c->failures < before + 3; t.n += t.n == lanes + 1 ? lanes - 2 : 1) {
        t.behind = t.n % 2 == 0 ? 0 : 1 + next_random(c) % 15;
        t.in_place = next_random(c) % 4 == 0;
        run_trial(c, &t, &code);
    }
    const bool divides = f->op == TIRB_OP_DIV || divides_integers(f);
    t.close = divides && !divides_integers(f);
    t.n = lanes;
    for (unsigned i = 0; divides && i < 200 && c->failures < before + 3; i++) run_trial(c, &t, &code);
}

/* Forms that the translator does not use on this machine do nothing there. */
static bool has_form(const tirbi_lane_machine *machine, const form *f) {
    if (!has_place_for(machine, f->handler)) return false;
    if ((f->op == TIRB_OP_SHL || f->op == TIRB_OP_SHR) && tirbi_dtypes[f->type].size == 1)
        return (machine->features & TIRBI_LANE_HAS_SHIFT_8) != 0;
    if (f->op >= TIRB_OP_FLOOR && f->op <= TIRB_OP_ROUND) return (machine->features & TIRBI_LANE_HAS_ROUND) != 0;
    if (divides_integers(f)) return (machine->features & TIRBI_LANE_HAS_DIVISIONS) != 0;
    return f->op != TIRB_OP_SQRT || (machine->features & TIRBI_LANE_HAS_SQRT) != 0;
}

static bool form_wanted(const form *f, int n_words, char **words) {
    for (int i = 0; i < n_words; i++)
        if (strstr(f->name, words[i]) != NULL) return true;
    return n_words == 0;
}

/* Where time is dear some of the forms, other ones on each machine: one macro makes a handler and those beside it. */
unsigned check_forms(checker *c, tirb_isa isa, int n_words, char **words) {
    const unsigned every = n_words > 0 ? 1 : (sampled_every() + 2) / 3;
    unsigned n = 0;
    for (unsigned i = ((unsigned)isa + c->machine->registers) % every; i < N_FORMS; i += every) {
        if (!has_form(c->machine, &forms[i]) || !form_wanted(&forms[i], n_words, words)) continue;
        check_form(c, &forms[i], isa);
        n++;
    }
    return n;
}

/* ---- Time ------------------------------------------------------------------------------------------------------- */

enum { TIMED = 1024 };

typedef struct timed {
    const trial *trial;
    const program *code;
    uint8_t **start;
} timed;

static void run_timed(void *context) {
    const timed *t = context;
    uint8_t *pointers[N_POINTERS];
    memcpy(pointers, t->start, sizeof pointers);
    run_words(t->trial, pointers, t->code);
}

static double time_form(const form *f, tirb_isa isa, unsigned store) {
    static _Alignas(64) uint8_t memory[N_CURSORS][TIMED * 8];
    uint8_t *start[N_POINTERS] = {NULL};
    program code;
    write_program(&code, f, store);
    for (unsigned p = IN_BANK; p < N_POINTERS; p++)
        start[p] = p < STRIP_BANK ? memory[p - IN_BANK] : strips[p - STRIP_BANK];
    for (unsigned p = 0; p < N_CURSORS; p++) put_ordinary(memory[p], (tirbi_dtype)f->type, TIMED, p);
    trial t = {.form = f, .isa = isa, .machine = tirbi_lane_machine_of(isa), .n = TIMED};
    timed context = {.trial = &t, .code = &code, .start = start};
    return time_calls(run_timed, &context) / TIMED;
}

void bench_forms(int n_words, char **words) {
    tirb_isa isas[TIRBI_N_ISAS];
    unsigned n_isas = simd_isas(isas);
    for (unsigned i = 0; i < N_FORMS; i++) {
        const form *f = &forms[i];
        if (!form_wanted(f, n_words, words)) continue;
        double generic = 0;
        printf("%-18s", f->name);
        if (has_form(tirbi_lane_machine_of(TIRB_ISA_GENERIC), f)) {
            generic = time_form(f, TIRB_ISA_GENERIC, canonical_store(f));
            printf(" %9.3f", generic);
        } else {
            printf(" %9s", "-");
        }
        for (unsigned k = 0; k < n_isas; k++) {
            if (!has_form(tirbi_lane_machine_of(isas[k]), f)) {
                printf(" %9s %6s", "-", "");
                continue;
            }
            double ns = time_form(f, isas[k], canonical_store(f));
            printf(" %9.3f", ns);
            if (generic > 0)
                printf(" %6.1f", generic / ns);
            else
                printf(" %6s", "");
        }
        printf("\n");
    }
}

void bench_canonical_stores(void) {
    tirb_isa isas[TIRBI_N_ISAS];
    unsigned n_isas = simd_isas(isas);
    isas[n_isas++] = TIRB_ISA_GENERIC;
    printf("%-18s %9s %9s %6s\n", "ns per element", "as it is", "canonical", "times");
    for (unsigned i = 0; i < N_FORMS; i++) {
        const form *f = &forms[i];
        if (strcmp(f->name, "ADD_F32_AAB") != 0 && strcmp(f->name, "ADD_F64_AAB") != 0) continue;
        for (unsigned k = 0; k < n_isas; k++) {
            char name[48];
            snprintf(name, sizeof name, "%s %s", tirbi_dtypes[f->type].name, tirb_isa_name(isas[k]));
            double as_is = time_form(f, isas[k], TIRBI_L_STORE_A + f->dest);
            double canonical = time_form(f, isas[k], canonical_store(f));
            printf("%-18s %9.4f %9.4f %6.3f\n", name, as_is, canonical, canonical / as_is);
        }
    }
}
