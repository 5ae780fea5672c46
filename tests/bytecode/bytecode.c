/* bytecode [--seed S] [--count N] [--far] [--print]: random bytecode (generate.h), on every instruction set that this
 * machine has, with numbers of lanes around the sizes of vectors, blocks and strips; --far: past the caches. Status,
 * result, bytes, fuel, peak memory and the place of a trap are the same
 *   - on all instruction sets,
 *   - without fused forms of instructions,
 * status, result and bytes are the same where parameters stand for all constants, so that nothing is known of them,
 * and what lanes compute that do not see each other is the same however many there are. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/bundle/assembly.h"
#include "loader/verify/verify.h"
#include "tests/bytecode/generate.h"
#include "vm/exec/execute.h"
#include "vm/translate/translate.h"

enum { MAX_CODES = 6, N_SIZES = 4, MARGIN = 600, NEAR = 10000, FUEL = 60000, FUEL_FAR = 3000000 };
static const uint64_t sizes[] = {0, 1, 2, 3, 31, 63, 64, 65, 127, 254, 255, 256, 257, 511, 1000};
static const uint64_t large[] = {1022, 1023, 1024, 1025, 1026, 2048, 4095, 4096, 4097};
static const uint64_t far[] = {300001, 1100000, 2200000};

/* A program and its code for each instruction set, the last one without fused forms. */
typedef struct built {
    bytecode made;
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_program *program;
    tirbi_code *codes[MAX_CODES];
    const char *names[MAX_CODES];
    unsigned n;
} built;

typedef struct outcome {
    tirb_status status;
    uint64_t result, fuel;
    size_t peak;
    uint32_t function, offset;
    char message[512];
    uint8_t *data[BYTECODE_REFS];
    size_t size[BYTECODE_REFS];
} outcome;

static uint64_t seed_now;

static bool build(built *b, uint64_t seed, bool parameters) {
    tirb_error error = TIRB_ERROR_INIT;
    memset(b, 0, sizeof *b);
    bytecode_generate(&b->made, seed, parameters);
    tirbi_heap_init(&b->heap, NULL, UINT64_MAX);
    tirbi_arena_init(&b->arena, &b->heap);
    if (b->made.text.failed ||
        tirbi_assemble(b->made.text.data, b->made.text.size, &b->arena, &b->program, &error) != TIRB_OK ||
        tirbi_verify(b->program, &b->heap, &error) != TIRB_OK) {
        printf("%sseed %" PRIu64 " makes no legal bytecode: %u:%u: %s (at %llu of %s)\n", b->made.text.data, seed,
               error.line, error.column, error.message, (unsigned long long)error.offset, error.where);
        return false;
    }
    static const tirb_isa isas[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
    for (unsigned i = 0; i <= sizeof isas / sizeof *isas; i++) {
        const bool unfused = i == sizeof isas / sizeof *isas;
        const tirb_isa isa = unfused ? TIRB_ISA_GENERIC : isas[i];
        if (!tirb_isa_available(isa)) continue;
        if (tirbi_code_create(b->program, isa, unfused, &b->heap, &b->codes[b->n], &error) != TIRB_OK) {
            printf("seed %" PRIu64 ", %s: %s\n", seed, tirb_isa_name(isa), error.message);
            return false;
        }
        b->names[b->n++] = unfused ? "generic without fused forms" : tirb_isa_name(isa);
    }
    return true;
}

static void release(built *b) {
    for (unsigned i = 0; i < b->n; i++) tirbi_code_destroy(b->codes[i]);
    tirbi_arena_destroy(&b->arena);
    tirbi_text_free(&b->made.text);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

/* Small numbers, NaNs of all kinds, infinities, and anything: what all tensors of a program are filled with. */
static uint8_t values[8 * 4099];

static void choose_values(uint64_t seed) {
    static const uint16_t some[] = {0,      1,      0x3C00, 0xBC00, 0x7C01, 0xFE07,
                                    0x7C00, 0xFC00, 0x8000, 0x7F80, 0x7F81, 0xFFC0};
    tirbi_random r = {seed};
    for (size_t i = 0; i + 1 < sizeof values; i += 2) {
        const uint64_t bits = tirbi_random_next(&r);
        const uint16_t value = bits >> 60 == 0 ? (uint16_t)bits : some[bits % (sizeof some / sizeof *some)];
        memcpy(values + i, &value, sizeof value);
    }
}

/* From another place of the values on for each tensor. */
static void fill(uint8_t *to, size_t size, unsigned tensor) {
    size_t from = (size_t)tensor * 1000;
    for (size_t done = 0, more; done < size; done += more, from = 0) {
        more = sizeof values - from < size - done ? sizeof values - from : size - done;
        memcpy(to + done, values + from, more);
    }
}

static void call(const built *b, unsigned code, uint64_t n, uint64_t fuel, const uint64_t *constants, outcome *out) {
    tirbi_ref refs[BYTECODE_REFS];
    const uint64_t m = (n < NEAR ? 4 : 1) * n + MARGIN; /* lanes some apart have room, where that is not too much */
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < BYTECODE_REFS; i++) {
        out->size[i] = m * tirbi_dtypes[b->made.types[i]].size;
        out->data[i] = malloc(out->size[i]);
        if (!out->data[i]) abort();
        fill(out->data[i], out->size[i], i);
        refs[i] = (tirbi_ref){.data = out->data[i], .size = out->size[i], .type = b->made.types[i],
                              .writable = i >= BYTECODE_INPUTS};
    }
    tirbi_random r = {seed_now + 77};
    uint64_t scalars[BYTECODE_SCALARS + BYTECODE_CONSTANTS + 2];
    for (unsigned i = 0; i < BYTECODE_SCALARS; i++) scalars[i] = tirbi_random_next(&r) >> tirbi_random_below(&r, 64);
    memcpy(scalars + BYTECODE_SCALARS, constants, BYTECODE_CONSTANTS * sizeof *constants);
    scalars[BYTECODE_SCALARS + BYTECODE_CONSTANTS] = n;
    scalars[BYTECODE_SCALARS + BYTECODE_CONSTANTS + 1] = m;
    atomic_uint stop;
    atomic_init(&stop, TIRBI_RUN);
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, UINT64_C(1) << 30);
    tirbi_store store;
    tirbi_spares spares;
    tirbi_store_init(&store, &heap.allocator, heap.budget, &spares, 1);
    heap.keeper = &spares.keeper;
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_run run = {.code = b->codes[code], .heap = &heap, .stop = &stop, .fuel = fuel, .max_depth = 10,
                     .store = &store, .host = tirbi_fpu_read()};
    out->status = tirbi_execute(&run, 0, scalars, refs, &out->result, &error);
    heap.keeper = NULL;
    tirbi_store_trim(&store);
    out->fuel = run.fuel_used;
    out->peak = heap.peak;
    if (out->status == TIRB_OK) return;
    out->function = run.trap_function;
    out->offset = run.trap_offset;
    snprintf(out->message, sizeof out->message, "%s", error.message);
}

static void forget(outcome *o) {
    for (unsigned i = 0; i < BYTECODE_REFS; i++) free(o->data[i]);
}

/* ---- Comparing -------------------------------------------------------------------------------------------------- */

static bool fail(const built *b, uint64_t n, const char *name, const char *what) {
    printf("%sseed %" PRIu64 ", %" PRIu64 " lanes, %s: %s\n", b->made.text.data, seed_now, n, name, what);
    return false;
}

/* Of the first `lanes` elements where only these are the same. */
static bool equal_bytes(const built *b, const outcome *x, const outcome *y, uint64_t lanes, char *what, size_t size) {
    for (unsigned i = 0; i < BYTECODE_REFS; i++) {
        const size_t item = tirbi_dtypes[b->made.types[i]].size;
        const size_t bytes = lanes == UINT64_MAX ? x->size[i] : lanes * item;
        if (bytes == 0 || memcmp(x->data[i], y->data[i], bytes) == 0) continue;
        size_t at = 0;
        while (x->data[i][at] == y->data[i][at]) at++;
        snprintf(what, size, "byte %zu of tensor %u, element %zu", at, i, at / item);
        return false;
    }
    return true;
}

/* `same`: the same program, which uses as much, and stops where the other does. */
static bool compare(const built *b, const outcome *x, const outcome *y, bool same, uint64_t n, const char *name) {
    char what[1200];
    if (x->status != y->status || strcmp(x->message, y->message) != 0) {
        snprintf(what, sizeof what, "%s (%s), but at first %s (%s)", tirb_status_name(y->status), y->message,
                 tirb_status_name(x->status), x->message);
        return fail(b, n, name, what);
    }
    if (same && (x->fuel != y->fuel || x->peak != y->peak || x->function != y->function || x->offset != y->offset)) {
        snprintf(what, sizeof what, "fuel %" PRIu64 ", memory %zu, at %u:%u, but at first %" PRIu64 ", %zu, %u:%u",
                 y->fuel, y->peak, y->function, y->offset, x->fuel, x->peak, x->function, x->offset);
        return fail(b, n, name, what);
    }
    if (x->status != TIRB_OK) return true;
    if (x->result != y->result) return fail(b, n, name, "another result");
    return equal_bytes(b, x, y, UINT64_MAX, what, sizeof what) || fail(b, n, name, what);
}

/* The outcome of generic code for n lanes, where everything agrees. */
static bool run_size(const built *b, const built *unknown, uint64_t n, uint64_t fuel, outcome *first) {
    static const uint64_t none[BYTECODE_CONSTANTS] = {0};
    bool good = true;
    outcome other;
    call(b, 0, n, fuel, none, first);
    for (unsigned i = 1; i < b->n && good; i++) {
        call(b, i, n, fuel, none, &other);
        good = compare(b, first, &other, true, n, b->names[i]);
        forget(&other);
    }
    if (!good || first->status == TIRB_FUEL) return good;
    call(unknown, 0, n, UINT64_MAX, unknown->made.constants, &other);
    good = compare(b, first, &other, false, n, "generic with parameters for constants");
    forget(&other);
    return good;
}

static int in_order(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool run_program(uint64_t seed, bool goes_far) {
    built b, unknown;
    outcome before = {.status = TIRB_FUEL}, now;
    tirbi_random r = {seed};
    uint64_t n[N_SIZES], fuel = goes_far ? FUEL_FAR : FUEL, last = 0;
    seed_now = seed;
    choose_values(seed);
    bool good = build(&b, seed, false);
    good = build(&unknown, seed, true) && good;
    for (unsigned i = 0; i < N_SIZES; i++)
        n[i] = i < 2 ? sizes[tirbi_random_below(&r, sizeof sizes / sizeof *sizes)]
                     : large[tirbi_random_below(&r, sizeof large / sizeof *large)];
    /* Where a lane traps behind lanes that charge, how much is charged shows only at the fuel's end. */
    if (!goes_far && tirbi_random_chance(&r, 30)) fuel = 1 + tirbi_random_below(&r, 3000);
    if (goes_far) n[3] = far[tirbi_random_below(&r, sizeof far / sizeof *far)];
    qsort(n, N_SIZES, sizeof *n, in_order);
    for (unsigned i = 0; i < N_SIZES && good; i++) {
        char what[200];
        good = run_size(&b, &unknown, n[i], fuel, &now);
        if (good && b.made.apart && before.status == TIRB_OK && now.status == TIRB_OK &&
            !equal_bytes(&b, &before, &now, last, what, sizeof what))
            good = fail(&b, n[i], "generic, than with fewer lanes", what);
        forget(&before);
        before = now;
        last = n[i];
    }
    forget(&before);
    release(&b);
    release(&unknown);
    return good;
}

int main(int argc, char **argv) {
    uint64_t seed = 1, count = 100;
    bool goes_far = false, prints = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--far") == 0) goes_far = true;
        else if (strcmp(argv[i], "--print") == 0) prints = true;
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) seed = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--count") == 0 && i + 1 < argc) count = strtoull(argv[++i], NULL, 0);
        else {
            fprintf(stderr, "usage: bytecode [--seed S] [--count N] [--far] [--print]\n");
            return 2;
        }
    }
    uint64_t failed = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (prints) {
            bytecode made;
            bytecode_generate(&made, seed + i, false);
            fputs(made.text.data, stdout);
            tirbi_text_free(&made.text);
        } else {
            failed += !run_program(seed + i, goes_far);
        }
    }
    if (!prints) printf("%" PRIu64 " passed, %" PRIu64 " failed\n", count - failed, failed);
    return failed != 0;
}
