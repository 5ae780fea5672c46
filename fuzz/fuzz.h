/* What the fuzz targets share. A target takes any bytes, and fails by fuzz_fail (or a sanitizer) when a promise of
 * tirb is broken: nothing else about an input is wrong. A target has two drivers: libfuzzer.c, and replay.c, which
 * runs files and can mutate them by itself, with any compiler. */
#ifndef TIRB_FUZZ_FUZZ_H
#define TIRB_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/status.h>

#include "loader/base/alloc.h"

/* ---- Targets --------------------------------------------------------------------------------------------------- */

/* xorshift64*; a state is never 0. */
typedef struct fuzz_random {
    uint64_t state;
} fuzz_random;

typedef struct fuzz_target {
    const char *name;
    /* Whether it was taken: what is refused at the door tells little of what is behind it. */
    bool (*run)(const uint8_t *data, size_t size);
    /* Changes `data` in place, up to max_size bytes, and returns its new size. NULL: as bytes. */
    size_t (*mutate)(uint8_t *data, size_t size, size_t max_size, fuzz_random *random);
    /* Makes one input of two, of at most max_size bytes in `out`; returns its size, 0 for none. NULL: none. */
    size_t (*cross)(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out, size_t max_size,
                    fuzz_random *random);
} fuzz_target;

extern const fuzz_target fuzz_target_text;     /* TVMScript: compiled, and what comes out is verified and run */
extern const fuzz_target fuzz_target_comprehensions; /* the same for Tensor Comprehensions */
extern const fuzz_target fuzz_target_assembly; /* assembly: assembled, and what verifies survives a round trip */
extern const fuzz_target fuzz_target_bundle;   /* containers: read, verified, and a round trip */
extern const fuzz_target fuzz_target_run;      /* bundles: run under limits on every instruction set */
extern const fuzz_target fuzz_target_bind;     /* arguments: any DLTensor within its memory, any scalar */
extern const fuzz_target fuzz_target_values;   /* the command's .npy files and literals */
extern const fuzz_target fuzz_target_cache;    /* the caches: operations in memory, entries on disk */

/* Mutates as bytes; each driver brings its own. */
size_t fuzz_mutate_bytes(uint8_t *data, size_t size, size_t max_size);

/* A broken promise: prints the message and aborts, which is how both drivers notice. */
_Noreturn void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Memory that a target itself needs; never NULL, of exactly `size` bytes, so that a sanitizer sees its ends. */
uint8_t *fuzz_allocate(size_t size);
uint8_t *fuzz_copy(const void *data, size_t size);
/* A heap of a target's own, and its end: fails when memory of it is still in use. */
void fuzz_heap_close(const tirbi_heap *heap, const char *what);

/* ---- Choices --------------------------------------------------------------------------------------------------- */

static inline fuzz_random fuzz_seed(uint64_t seed) {
    return (fuzz_random){(seed ^ UINT64_C(0x9E3779B97F4A7C15)) | (seed == UINT64_C(0x9E3779B97F4A7C15))};
}

static inline uint64_t fuzz_next(fuzz_random *r) {
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * UINT64_C(2685821657736338717);
}

/* 0 .. n - 1; 0 for n = 0. */
static inline uint32_t fuzz_below(fuzz_random *r, uint64_t n) {
    return n == 0 ? 0 : (uint32_t)((fuzz_next(r) >> 16) % n);
}

/* True once in n times. */
static inline bool fuzz_one_in(fuzz_random *r, uint32_t n) { return fuzz_below(r, n) == 0; }

/* A number that code is likely to trip over. */
int64_t fuzz_interesting(fuzz_random *r);

#endif
