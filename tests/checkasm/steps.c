/* Every second, third or fourth element as lanes, and back (vm/lanes/steps.inc): whole blocks and parts of one between
 * patterns, behind which no memory is. */
#include "tests/checkasm/checkasm.h"

#include <stdio.h>
#include <string.h>

#include "vm/lanes/forms.h"
#include "vm/lanes/lanes.h"

typedef struct form {
    const char *name;
    uint16_t handler;
    bool picks, part;
    uint8_t type, size; /* of elements; bytes of a lane */
    uint8_t step, bank;
} form;

#define ONE(H, picks, part, step, E, type, size, D, bank)                                                              \
    {#H "_" #E "_" #D, TIRBI_L_##H##_##E##_##D, picks, part, type, size, step, bank},
#define BANKS(H, picks, part, step, E, type, size)                                                                     \
    ONE(H, picks, part, step, E, type, size, A, 0) ONE(H, picks, part, step, E, type, size, B, 1)
#define STEPS(H, picks, E, type, size)                                                                                 \
    BANKS(H##2, picks, false, 2, E, type, size) BANKS(H##3, picks, false, 3, E, type, size)                            \
    BANKS(H##4, picks, false, 4, E, type, size)
#define PARTS(H, picks, E, type, size)                                                                                 \
    BANKS(H##2_PART, picks, true, 2, E, type, size) BANKS(H##3_PART, picks, true, 3, E, type, size)                    \
    BANKS(H##4_PART, picks, true, 4, E, type, size)
static const form forms[] = {
    BANKS(PICK2, true, false, 2, 2, TIRB_I16, 2) BANKS(PICK2_PART, true, true, 2, 2, TIRB_I16, 2)
    STEPS(PICK, true, 4, TIRB_I32, 4) PARTS(PICK, true, 4, TIRB_I32, 4) STEPS(PICK, true, 8, TIRB_I64, 8)
    STEPS(PICK, true, U8, TIRB_U8, 4) PARTS(PICK, true, U8, TIRB_U8, 4)
    STEPS(SPREAD, false, 4, TIRB_I32, 4) PARTS(SPREAD, false, 4, TIRB_I32, 4)
    STEPS(SPREAD, false, F32, TIRB_F32, 4) PARTS(SPREAD, false, F32, TIRB_F32, 4)
    STEPS(SPREAD, false, 8, TIRB_I64, 8) STEPS(SPREAD, false, F64, TIRB_F64, 8) STEPS(SPREAD, false, U8, TIRB_U8, 4)
};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* Pointers: what the banks begin with, where they go, and the elements. */
enum { IN = 1, OUT = 3, ELEMENTS = 5, N_POINTERS = 6 };

typedef struct block {
    _Alignas(64) uint8_t banks[N_POINTERS][TIRBI_MAX_BANK_BYTES];
} block;

/* The first `n` lanes of a block. */
static void run_block(const checker *c, const form *f, size_t n, block *b, uint8_t *elements) {
    static atomic_uint stop;
    uint8_t *pointers[N_POINTERS] = {NULL};
    const tirbi_word words[6] = {{.op = TIRBI_L_LOAD_A, .b = IN},
                                 {.op = TIRBI_L_LOAD_B, .b = IN + 1},
                                 {.op = f->handler, .a = ELEMENTS, .b = ELEMENTS},
                                 {.op = TIRBI_L_STORE_A, .a = OUT},
                                 {.op = TIRBI_L_STORE_B, .a = OUT + 1},
                                 {.op = TIRBI_L_FINISH}};
    for (unsigned p = IN; p < ELEMENTS; p++) pointers[p] = b->banks[p];
    pointers[ELEMENTS] = elements;
    tirbi_lane_state state = {.pointers = pointers, .stop = &stop};
    state.lanes = c->machine->bank_bytes / f->size;
    state.n = (int64_t)n;
    c->machine->run(&state, words, words);
}

/* One lane's element, as memory has it: bytes are the low ones of their lanes, and NaNs become canonical where they are
 * written. */
static void element_of(const form *f, const uint8_t *lane, uint8_t *element) {
    const tirbi_dtype type = (tirbi_dtype)f->type;
    if (tirbi_dtype_is_float(type)) {
        tirbi_kernels(TIRB_ISA_GENERIC)->cast[type][type](element, lane, NULL, NULL, 1);
    } else if (tirbi_dtypes[type].size == 1) {
        uint32_t word;
        memcpy(&word, lane, sizeof word);
        *element = (uint8_t)word;
    } else {
        memcpy(element, lane, tirbi_dtypes[type].size);
    }
}

static void try_form(checker *c, const form *f, tirb_isa isa) {
    static block b, before;
    static uint8_t kept[AREA_SIZE];
    static const tirbi_dtype bits_of[] = {[2] = TIRB_I16, [4] = TIRB_I32, [8] = TIRB_I64};
    const size_t all = c->machine->bank_bytes / f->size, size = tirbi_dtypes[f->type].size;
    const size_t n = f->part ? 1 + next_random(c) % all : all, bytes = ((n - 1) * f->step + 1) * size;
    const tirbi_dtype bits = bits_of[f->size];
    uint8_t *elements = place(&c->areas[0], 1, bytes, 0);
    for (size_t i = 0; i < bytes; i++) elements[i] = (uint8_t)next_random(c);
    for (unsigned p = IN; p < OUT; p++)
        for (size_t i = 0; i < all; i++)
            put_any(c, b.banks[p] + i * f->size,
                    tirbi_dtype_is_float((tirbi_dtype)f->type) ? (tirbi_dtype)f->type : bits);
    memcpy(kept, elements, bytes);
    before = b;
    run_block(c, f, n, &b, elements);
    bool same = memcmp(b.banks[OUT + 1 - f->bank], before.banks[IN + 1 - f->bank], all * f->size) == 0 &&
                untouched(elements, bytes, 0);
    for (size_t i = 0; i < n && f->picks; i++) {
        const uint8_t *lane = b.banks[OUT + f->bank] + i * f->size;
        uint8_t want[8] = {0};
        memcpy(want, kept + i * f->step * size, size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        if (size == 1) want[3] = want[0], want[0] = 0;
#endif
        same = same && memcmp(lane, want, f->size) == 0;
    }
    for (size_t i = 0; i < n && !f->picks; i++)
        element_of(f, before.banks[IN + f->bank] + i * f->size, kept + i * f->step * size);
    if (same && memcmp(elements, kept, bytes) == 0) return;
    printf("FAIL %s %s\n", tirb_isa_name(isa), f->name);
    c->failures++;
}

unsigned check_apart(checker *c, tirb_isa isa) {
    enum { TRIALS = 50 };
    if (!(c->machine->features & TIRBI_LANE_HAS_STEPS)) return 0;
    unsigned n = 0;
    for (unsigned i = 0; i < N_FORMS; i++) {
        const unsigned failures = c->failures;
        if (!has_place_for(c->machine, forms[i].handler)) continue;
        n++;
        for (unsigned k = 0; k < TRIALS && c->failures == failures; k++) try_form(c, &forms[i], isa);
    }
    return n;
}
