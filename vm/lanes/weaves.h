/* Rows of a few bytes whose elements are put in another order, picked from among others, spread among others, or
 * brought together from several places.
 *
 * Row i of what is written begins at `to` + i * to_step, and row i of source k at
 * `from` + source[k] + i * from_step[k]. Byte b of a row is byte byte_of[b] of the row of source source_of[b], or is
 * left alone. What is read lies from the first of these bytes on up to the last: what is between them is read and not
 * used. */
#ifndef TIRB_VM_LANES_WEAVES_H
#define TIRB_VM_LANES_WEAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/tirb.h>

enum { TIRBI_WEAVE_BYTES = 16, TIRBI_WEAVE_SOURCES = 4, TIRBI_WEAVE_NONE = 0xFF, TIRBI_WEAVE_VECTOR = 64 };
enum { TIRBI_LEAST_PARTS = 2, TIRBI_MOST_PARTS = 4 };

typedef struct tirbi_weave {
    unsigned to_step; /* 1 .. TIRBI_WEAVE_BYTES */
    unsigned n_sources;
    ptrdiff_t source[TIRBI_WEAVE_SOURCES];
    int from_step[TIRBI_WEAVE_SOURCES]; /* -TIRBI_WEAVE_BYTES .. TIRBI_WEAVE_BYTES */
    uint8_t span[TIRBI_WEAVE_SOURCES]; /* the bytes of a row up to the last one that is used; the first one is byte 0 */
    uint8_t source_of[TIRBI_WEAVE_BYTES]; /* TIRBI_WEAVE_NONE: the byte is left alone */
    uint8_t byte_of[TIRBI_WEAVE_BYTES];
    /* What a weaver prepares: how many rows it does at once, and of each source, where it reads these from, and which
     * of the bytes there become which of theirs. */
    size_t rows;
    ptrdiff_t begin[TIRBI_WEAVE_SOURCES];
    uint64_t reads[TIRBI_WEAVE_SOURCES], takes[TIRBI_WEAVE_SOURCES]; /* by bits */
    uint8_t index[TIRBI_WEAVE_SOURCES][TIRBI_WEAVE_VECTOR];
} tirbi_weave;

/* Stretches of rows that are so many bytes apart on either side. */
typedef struct tirbi_weave_stretches {
    size_t count;
    ptrdiff_t to_step, from_step[TIRBI_WEAVE_SOURCES];
} tirbi_weave_stretches;

/* Does so, in each stretch of n rows, for as many of the first ones as `run` returns; source k lies at[k] bytes
 * further. What is written and what is used share no byte. */
typedef struct tirbi_weaver {
    void (*prepare)(tirbi_weave *weave);
    size_t (*run)(const tirbi_weave *weave, uint8_t *to, const uint8_t *from, const ptrdiff_t *at, size_t n,
                  const tirbi_weave_stretches *stretches);
    bool leaves_bytes; /* else rows have none that are left alone */
    /* The other way: element k of each of n rows of `parts` elements becomes the next one at to[k]. NULL: none does. */
    void (*part)(uint8_t *const *to, const uint8_t *from, unsigned size, unsigned parts, size_t n);
} tirbi_weaver;

/* NULL: this build or this CPU has none for `isa`. */
const tirbi_weaver *tirbi_weaver_of(tirb_isa isa);

extern const tirbi_weaver tirbi_weaver_avx2;
extern const tirbi_weaver tirbi_weaver_avx512;
extern const tirbi_weaver tirbi_weaver_neon;

#endif
