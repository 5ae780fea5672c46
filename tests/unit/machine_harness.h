/* Runs assembler text on every instruction set of this build. */
#ifndef TIRB_TESTS_UNIT_MACHINE_HARNESS_H
#define TIRB_TESTS_UNIT_MACHINE_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "loader/bundle/assembly.h"
#include "loader/verify/verify.h"
#include "vm/exec/execute.h"
#include "vm/lanes/kernels.h"
#include "vm/translate/translate.h"

enum { HARNESS_MAX_REFS = 12 };

typedef struct harness {
    const char *text;
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_program *program;
    tirb_isa isas[TIRBI_N_ISAS];
    tirbi_code *codes[TIRBI_N_ISAS];
    unsigned n_isas;
} harness;

/* Fails with the program's text before the reason. */
#define harness_fail(h, ...)                                                                                           \
    do {                                                                                                               \
        fputs((h)->text, stderr);                                                                                      \
        fail_msg(__VA_ARGS__);                                                                                         \
    } while (0)

static inline void harness_open(harness *h, const char *text) {
    tirb_error error = TIRB_ERROR_INIT;
    memset(h, 0, sizeof *h);
    h->text = text;
    tirbi_heap_init(&h->heap, NULL, UINT64_MAX);
    tirbi_arena_init(&h->arena, &h->heap);
    if (tirbi_assemble(text, strlen(text), &h->arena, &h->program, &error) != TIRB_OK)
        fail_msg("%u:%u: %s\n%s", error.line, error.column, error.message, text);
    if (tirbi_verify(h->program, &h->heap, &error) != TIRB_OK)
        fail_msg("verify, at %llu of %s: %s", (unsigned long long)error.offset, error.where, error.message);
    static const tirb_isa all[] = {TIRB_ISA_GENERIC, TIRB_ISA_SSE2, TIRB_ISA_AVX2, TIRB_ISA_AVX512, TIRB_ISA_NEON};
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!tirb_isa_available(all[i])) continue;
        if (tirbi_code_create(h->program, all[i], false, &h->heap, &h->codes[h->n_isas], &error) != TIRB_OK)
            fail_msg("translate: %s", error.message);
        h->isas[h->n_isas++] = all[i];
    }
}

static inline void harness_close(harness *h) {
    for (unsigned i = 0; i < h->n_isas; i++) tirbi_code_destroy(h->codes[i]);
    tirbi_arena_destroy(&h->arena);
}

/* A buffer of `n` elements; `out` is what the first instruction set left in it. */
typedef struct buffer {
    void *data;
    size_t n;
    uint8_t type;
} buffer;

typedef struct outcome {
    tirb_status status;
    uint64_t result;
    uint64_t fuel_used;
    uint32_t trap_offset;
    tirb_error error;
} outcome;

/* Runs function 0, with memory of its own to be left and taken. */
static inline tirb_status harness_execute(tirbi_run *run, const uint64_t *scalars, const tirbi_ref *refs,
                                          uint64_t *result, tirb_error *error) {
    tirbi_store store;
    tirbi_spares spares;
    tirbi_store_init(&store, &run->heap->allocator, run->heap->budget, &spares, 1);
    run->heap->keeper = &spares.keeper;
    run->store = &store;
    tirb_status status = tirbi_execute(run, 0, scalars, refs, result, error);
    run->heap->keeper = NULL;
    tirbi_store_trim(&store);
    assert_true(atomic_load(&store.room) == run->heap->budget);
    return status;
}

static inline outcome harness_run_one(harness *h, unsigned isa, const uint64_t *scalars, tirbi_ref *refs, uint64_t fuel,
                                      uint64_t memory, uint32_t depth, unsigned stop_reason) {
    atomic_uint stop;
    atomic_init(&stop, stop_reason);
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, memory);
    tirbi_run run = {.code = h->codes[isa], .heap = &heap, .stop = &stop, .fuel = fuel, .max_depth = depth,
                     .host = tirbi_fpu_read()};
    outcome out = {.error = TIRB_ERROR_INIT};
    out.status = harness_execute(&run, scalars, refs, &out.result, &out.error);
    out.fuel_used = run.fuel_used;
    out.trap_offset = out.status == TIRB_OK ? 0 : run.trap_offset;
    if (memory != UINT64_MAX) assert_int_equal(heap.used, 0);
    return out;
}

static inline size_t harness_difference(const void *a, const void *b) {
    size_t at = 0;
    while (((const uint8_t *)a)[at] == ((const uint8_t *)b)[at]) at++;
    return at;
}

/* Runs function 0 on every instruction set, each on its own copy of the buffers in memory of exactly their size, and
 * asserts that all outcomes and all bytes are the same. The buffers then hold what was computed. */
static inline outcome harness_run(harness *h, const uint64_t *scalars, buffer *buffers, unsigned n, uint64_t fuel,
                                  uint64_t memory, uint32_t depth) {
    outcome first = {.error = TIRB_ERROR_INIT};
    void *kept[HARNESS_MAX_REFS] = {NULL};
    for (unsigned isa = 0; isa < h->n_isas; isa++) {
        tirbi_ref refs[HARNESS_MAX_REFS];
        for (unsigned i = 0; i < n; i++) {
            size_t bytes = buffers[i].n * tirbi_dtypes[buffers[i].type].size;
            refs[i] = (tirbi_ref){
                .data = malloc(bytes ? bytes : 1), .size = bytes, .type = buffers[i].type, .writable = true};
            memcpy(refs[i].data, buffers[i].data, bytes);
        }
        outcome out = harness_run_one(h, isa, scalars, refs, fuel, memory, depth, TIRBI_RUN);
        if (isa == 0) {
            first = out;
            for (unsigned i = 0; i < n; i++) kept[i] = refs[i].data;
            continue;
        }
        assert_int_equal(out.status, first.status);
        assert_int_equal(out.fuel_used, first.fuel_used);
        assert_int_equal(out.trap_offset, first.trap_offset);
        assert_string_equal(out.error.message, first.error.message);
        if (out.status == TIRB_OK) assert_int_equal(out.result, first.result);
        for (unsigned i = 0; i < n; i++) {
            if (out.status == TIRB_OK && refs[i].size > 0 && memcmp(refs[i].data, kept[i], refs[i].size) != 0)
                harness_fail(h, "%s differs from generic in byte %zu of buffer %u", tirb_isa_name(h->isas[isa]),
                             harness_difference(refs[i].data, kept[i]), i);
            free(refs[i].data);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        size_t bytes = buffers[i].n * tirbi_dtypes[buffers[i].type].size;
        memcpy(buffers[i].data, kept[i], bytes);
        free(kept[i]);
    }
    return first;
}

static inline outcome harness_call(harness *h, const uint64_t *scalars, buffer *buffers, unsigned n) {
    return harness_run(h, scalars, buffers, n, UINT64_MAX, UINT64_MAX, 100);
}

#endif
