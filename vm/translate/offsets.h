/* Some of a function's byte offsets, which are numbered in order: a bit for each, and how many there are before each
 * word of these. */
#ifndef TIRB_VM_TRANSLATE_OFFSETS_H
#define TIRB_VM_TRANSLATE_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/base/work.h"

typedef struct tirbi_offsets {
    uint64_t *bits;
    uint32_t *before; /* by word of them: how many there are in those before it */
} tirbi_offsets;

enum { TIRBI_OFFSETS_IN_WORD = 64 };

/* Without an instruction for it, which not every processor has, the compiler calls a function. */
static inline uint32_t tirbi_count_offsets(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

static inline bool tirbi_has_offset(const tirbi_offsets *o, uint32_t at) {
    return o->bits[at / TIRBI_OFFSETS_IN_WORD] >> at % TIRBI_OFFSETS_IN_WORD & 1;
}
static inline void tirbi_add_offset(tirbi_offsets *o, uint32_t at) {
    o->bits[at / TIRBI_OFFSETS_IN_WORD] |= UINT64_C(1) << at % TIRBI_OFFSETS_IN_WORD;
}

/* The number of an offset, when all are there and numbered. */
static inline uint32_t tirbi_number_of_offset(const tirbi_offsets *o, uint32_t at) {
    const uint64_t below = (UINT64_C(1) << at % TIRBI_OFFSETS_IN_WORD) - 1;
    return o->before[at / TIRBI_OFFSETS_IN_WORD] + tirbi_count_offsets(o->bits[at / TIRBI_OFFSETS_IN_WORD] & below);
}

/* Numbers them, if the heap's watch is not to stop; returns how many there are. */
static inline uint32_t tirbi_number_offsets(const tirbi_offsets *o, size_t words, const tirbi_heap *heap) {
    uint32_t n = 0;
    for (size_t i = 0; i < words && !tirbi_work_stopped(heap, (uint32_t)i); i++) {
        o->before[i] = n;
        n += tirbi_count_offsets(o->bits[i]);
    }
    return n;
}

#endif
