/* Compares what each instruction set has with plain C: strip kernels, the lane machine's forms, loops and reductions,
 * moves, and contractions.
 *
 *   checkasm [WORD...]           bits: special and random values, all lengths up to past a block, any alignment; and
 *                                every value of 8 and 16 bits, and hard ones of more
 *   checkasm --sweep N [WORD...] bits: functions of one float32, of every Nth; without words the first does so, too
 *   checkasm --bench [WORD...]   time
 *
 * Words choose kernels and forms by name: exp, cast.i8, ADD_F32. Every operand and result ends where memory ends, so
 * that an access behind the last element is a fault, and a pattern guards the bytes before and behind a result. */
#include "tests/checkasm/checkasm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/sampled.h"
#include "vm/math/core.h"

/* Past two blocks of 64 elements; a pass over every pair of special values takes more. */
enum { LONGEST = 140 };
enum { SAMPLE = 16411 }; /* odd, so that all low bits occur */

/* Areas of the checker; the operands come first. */
enum { OUT = 3, EXPECTED = 4 };

typedef struct trial {
    twin_id id;
    tirb_isa isa;
    size_t n;
    size_t behind; /* bytes of pattern: they move the elements off their alignment */
    /* Element i is special value special + i, as digits by operand; past the last of those, all is random. */
    unsigned special;
    bool zeros;        /* of divisors are allowed */
    unsigned in_place; /* the operand whose memory the result takes; 3: none */
} trial;

static void fail_trial(checker *c, const trial *t, const char *what, size_t i, const uint8_t *got,
                       const uint8_t *want) {
    char name[48];
    twin_name(t->id, name, sizeof name);
    printf("FAIL %s %s: %s, %zu elements, %zu bytes before the end", tirb_isa_name(t->isa), name, what, t->n,
           t->behind);
    if (t->in_place < 3) printf(", in place of operand %u", t->in_place);
    for (unsigned k = 0; got != NULL && k < twin_arity(t->id); k++) {
        size_t size = tirbi_dtypes[twin_operand(t->id, k)].size;
        printf(k == 0 ? "; element %zu of" : ",", i);
        for (size_t b = 0; b < size; b++) printf("%s%02x", b == 0 ? " " : "", (c->kept + k * AREA_SIZE)[i * size + b]);
    }
    for (size_t b = 0; got != NULL && b < tirbi_dtypes[twin_result(t->id)].size; b++)
        printf("%s%02x", b == 0 ? " is " : "", got[b]);
    for (size_t b = 0; got != NULL && b < tirbi_dtypes[twin_result(t->id)].size; b++)
        printf("%s%02x", b == 0 ? ", not " : "", want[b]);
    printf("\n");
    c->failures++;
}

static unsigned power_of_specials(twin_id id) {
    unsigned all = 1;
    for (unsigned k = 0; k < twin_arity(id) && k < 2; k++) all *= n_specials(twin_operand(id, k));
    return all;
}

static void fill_operands(checker *c, const trial *t, uint8_t *const *start) {
    bool specials = t->special < power_of_specials(t->id);
    for (size_t i = 0; i < t->n; i++) {
        size_t digits = t->special + i;
        for (unsigned k = 0; k < twin_arity(t->id); k++) {
            tirbi_dtype type = twin_operand(t->id, k);
            size_t size = tirbi_dtypes[type].size;
            unsigned base = n_specials(type);
            if (k < 2 && specials)
                put_special(start[k] + i * size, type, (unsigned)(digits % base));
            else
                put_any(c, start[k] + i * size, type);
            digits /= base;
            if (k == 1 && !t->zeros) {
                uint8_t any = 0;
                for (size_t b = 0; b < size; b++) any |= start[k][i * size + b];
                if (any == 0) start[k][i * size] = 1;
            }
        }
    }
}

static void run_trial(checker *c, const trial *t) {
    size_t size = tirbi_dtypes[twin_result(t->id)].size;
    /* What a kernel has no operand for is no memory. */
    uint8_t *const none = (uint8_t *)(uintptr_t)64;
    uint8_t *start[3] = {none, none, none};
    for (unsigned k = 0; k < twin_arity(t->id); k++) {
        /* operands are off their alignment by other amounts than the result */
        size_t behind = t->in_place == k ? t->behind : t->behind == 0 ? 0 : (t->behind + 3 * (k + 1)) % 16;
        start[k] = place(&c->areas[k], tirbi_dtypes[twin_operand(t->id, k)].size, t->n, behind);
    }
    fill_operands(c, t, start);
    for (unsigned k = 0; k < twin_arity(t->id); k++)
        memcpy(c->kept + k * AREA_SIZE, start[k], t->n * tirbi_dtypes[twin_operand(t->id, k)].size);
    uint8_t *want = place(&c->areas[EXPECTED], size, t->n, 0), *got = place(&c->areas[OUT], size, t->n, t->behind);
    bool fine = twin_kernel(tirbi_kernels(TIRB_ISA_GENERIC), t->id)(want, start[0], start[1], start[2], t->n);
    if (t->in_place < 3) got = start[t->in_place];
    bool same = twin_kernel(tirbi_kernels(t->isa), t->id)(got, start[0], start[1], start[2], t->n) == fine;
    if (!same) fail_trial(c, t, fine ? "stops" : "divides by zero", 0, NULL, NULL);
    if (!untouched(got, t->n * size, t->behind)) fail_trial(c, t, "writes beside its result", 0, NULL, NULL);
    for (unsigned k = 0; k < twin_arity(t->id); k++) {
        size_t bytes = t->n * tirbi_dtypes[twin_operand(t->id, k)].size;
        if (k != t->in_place && memcmp(c->kept + k * AREA_SIZE, start[k], bytes) != 0)
            fail_trial(c, t, "changes an operand", 0, NULL, NULL);
    }
    if (!fine || !same || memcmp(want, got, t->n * size) == 0) return;
    size_t i = 0;
    while (memcmp(want + i * size, got + i * size, size) == 0) i++;
    fail_trial(c, t, "differs", i, got + i * size, want + i * size);
}

static void check_twin(checker *c, twin_id id, tirb_isa isa) {
    trial t = {.id = id, .isa = isa, .in_place = 3};
    if (twin_kernel(tirbi_kernels(isa), id) == NULL) {
        fail_trial(c, &t, "is missing", 0, NULL, NULL);
        return;
    }
    unsigned all = power_of_specials(id), before = c->failures;
    for (t.special = 0; t.special < all; t.special += (unsigned)t.n * sampled_every()) {
        t.n = 512;
        t.behind = t.special % 7;
        run_trial(c, &t);
    }
    t.special = all;
    for (t.n = 0; t.n <= LONGEST && c->failures < before + 3; t.n += t.n < LONGEST / 4 ? 1 : sampled_every()) {
        t.zeros = t.n % 8 == 7;
        t.in_place = 3;
        t.behind = 0;
        run_trial(c, &t);
        t.behind = 1 + next_random(c) % 15;
        run_trial(c, &t);
        for (t.in_place = 0; t.in_place < twin_arity(id); t.in_place++)
            if (tirbi_dtypes[twin_operand(id, t.in_place)].size == tirbi_dtypes[twin_result(id)].size) run_trial(c, &t);
    }
}

/* Every STEPth float32 as the operand of a function of one: another instruction set rounds none of them otherwise. */
static void sweep(checker *c, twin_id id, tirb_isa isa, uint32_t step) {
    enum { BATCH = 4096 };
    static float operand[BATCH], want[BATCH], got[BATCH];
    char name[48];
    uint64_t at = 0;
    while (at <= UINT32_MAX) {
        size_t n = 0;
        for (; n < BATCH && at <= UINT32_MAX; n++, at += step) operand[n] = tirbi_f32_from_bits((uint32_t)at);
        twin_kernel(tirbi_kernels(TIRB_ISA_GENERIC), id)(want, operand, NULL, NULL, n);
        twin_kernel(tirbi_kernels(isa), id)(got, operand, NULL, NULL, n);
        if (memcmp(want, got, n * sizeof *want) == 0) continue;
        size_t i = 0;
        while (memcmp(&want[i], &got[i], sizeof *want) == 0) i++;
        twin_name(id, name, sizeof name);
        printf("FAIL %s %s: of %a is %a, not %a\n", tirb_isa_name(isa), name, (double)operand[i], (double)got[i],
               (double)want[i]);
        c->failures++;
        return;
    }
}

/* Those that are more than one instruction. */
static bool is_function(twin_id id) {
    return id.kind == TWIN_OP && id.column == TIRB_F32 && twin_arity(id) == 1 && twin_result(id) == TIRB_F32 &&
           id.row != TIRB_OP_MOV && id.row != TIRB_OP_NEG && id.row != TIRB_OP_ABS;
}

static unsigned sweep_functions(checker *c, tirb_isa isa, uint32_t step, int n_words, char **words) {
    unsigned n = 0;
    twin_id id;
    for (bool first = true; next_twin(&id, first); first = false) {
        if (!is_function(id) || !twin_wanted(id, n_words, words)) continue;
        sweep(c, id, isa, step);
        n++;
    }
    return n;
}

static int sweep_all(checker *c, uint32_t step, int n_words, char **words) {
    tirb_isa isas[TIRBI_N_ISAS];
    unsigned n_isas = simd_isas(isas);
    for (unsigned i = 0; i < n_isas; i++) {
        unsigned failures = c->failures, n = sweep_functions(c, isas[i], step, n_words, words);
        printf("%s: %u functions of every %uth float32, %u differences\n", tirb_isa_name(isas[i]), n, step,
               c->failures - failures);
    }
    return c->failures == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--bench") == 0) return bench_twins(argc - 2, argv + 2);
    checker c;
    if (!open_checker(&c)) {
        fprintf(stderr, "checkasm: no memory\n");
        return 1;
    }
    uint32_t step = argc > 2 && strcmp(argv[1], "--sweep") == 0 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (step > 0) return sweep_all(&c, step, argc - 3, argv + 3);
    tirb_isa isas[TIRBI_N_ISAS];
    unsigned n_isas = simd_isas(isas);
    for (unsigned i = 0; i < n_isas; i++) {
        unsigned n = 0, failures = c.failures;
        twin_id id;
        for (bool first = true; next_twin(&id, first); first = false) {
            if (!twin_wanted(id, argc - 1, argv + 1)) continue;
            check_twin(&c, id, isas[i]);
            n++;
        }
        printf("%s: %u kernels, %u differences\n", tirb_isa_name(isas[i]), n, c.failures - failures);
    }
    unsigned before = c.failures, n_tried = check_every(&c, isas, n_isas, argc - 1, argv + 1);
    printf("%u kernels on every value of 16 bits and hard ones of more, %u differences\n", n_tried, c.failures - before);
    for (unsigned i = 0; argc == 1 && i < n_isas; i++) {
        unsigned failures = c.failures, n = check_scalars(&c, isas[i]);
        printf("%s: %u functions of one element, %u differences\n", tirb_isa_name(isas[i]), n, c.failures - failures);
    }
    /* Plain C has forms as well, which are beside its own kernels here. */
    isas[n_isas++] = TIRB_ISA_GENERIC;
    for (unsigned i = 0; i < n_isas; i++) {
        for (c.machine = tirbi_lane_machine_of(isas[i]); c.machine; c.machine = c.machine->narrow) {
            unsigned failures = c.failures, n = check_forms(&c, isas[i], argc - 1, argv + 1);
            if (argc == 1) n += check_words(&c, isas[i]) + check_apart(&c, isas[i]);
            if (argc == 1) check_loops(&c, isas[i]);
            printf("%s, banks of %u: %u forms%s, %u differences\n", tirb_isa_name(isas[i]), c.machine->registers, n,
                   argc == 1 ? " and the loops" : "", c.failures - failures);
        }
    }
    for (unsigned i = 0; argc == 1 && i < n_isas; i++) {
        unsigned failures = c.failures, n = check_streams(&c, isas[i]);
        printf("%s: %u streams, %u differences\n", tirb_isa_name(isas[i]), n, c.failures - failures);
    }
    for (unsigned i = 0; argc == 1 && i < n_isas; i++) {
        unsigned failures = c.failures;
        check_moves(&c, isas[i]);
        printf("%s: moves, %u differences\n", tirb_isa_name(isas[i]), c.failures - failures);
    }
    for (unsigned i = 0; argc == 1 && i < n_isas; i++) {
        unsigned failures = c.failures, n = check_contractions(&c, isas[i]);
        printf("%s: %u contractions, %u differences\n", tirb_isa_name(isas[i]), n, c.failures - failures);
    }
    if (argc == 1) sweep_all(&c, SAMPLE * sampled_every(), 0, NULL);
    return c.failures == 0 ? 0 : 1;
}
