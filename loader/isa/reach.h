/* What the accesses of a nest of loops reach, and whether it keeps apart: the rules by which lane loops and
 * contractions are checked at entry, and by which the compiler knows that its own will pass. */
#ifndef TIRB_LOADER_ISA_REACH_H
#define TIRB_LOADER_ISA_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/base/checked.h"
#include "loader/isa/isa.h"

enum {
    TIRBI_REACH_DIMENSIONS =
        1 + TIRBI_MAX_INNER > TIRBI_MAX_CONTRACT_LOOPS ? 1 + TIRBI_MAX_INNER : TIRBI_MAX_CONTRACT_LOOPS
};

/* The elements that an access reaches, as a box: from `start`, `count[d]` steps of `step[d]` bytes in dimension d. In a
 * lane loop dimension 0 are the lanes, dimension k + 1 is inner loop k. */
typedef struct tirbi_reach {
    uint8_t *start;
    uintptr_t low; /* the bytes from low up to high, high excluded */
    uintptr_t high;
    uint64_t size; /* of an element */
    bool reached;  /* false: no access is executed */
    int64_t step[TIRBI_REACH_DIMENSIONS];
    int64_t count[TIRBI_REACH_DIMENSIONS];
} tirbi_reach;

/* Adds what `count` steps of `step` reach to the range *low .. *high of elements. */
static inline bool tirbi_reach_widen(int64_t step, int64_t count, int64_t *low, int64_t *high) {
    if (count <= 1 || step == 0) return true;
    int64_t far;
    if (!tirbi_mul_i64(step, count - 1, &far)) return false;
    return step > 0 ? tirbi_add_i64(*high, far, high) : tirbi_add_i64(*low, far, low);
}

static inline bool tirbi_reach_moves(const tirbi_reach *r, unsigned d) { return r->count[d] > 1 && r->step[d] != 0; }

/* Whether the dimensions that move never reach an element twice: every one steps over all that the smaller ones
 * span. */
bool tirbi_reach_nested(const tirbi_reach *r, unsigned dimensions);

/* Whether an element tells the index in one dimension: iterations that differ in it never reach the same element,
 * whatever the others do. Sufficient, and right for the rows, columns and windows of compact arrays. */
bool tirbi_reach_tells(const tirbi_reach *r, unsigned dimension, unsigned dimensions);

/* Whether a and b have no common element: apart as ranges, or modulo one of their steps or a common divisor of the
 * largest ones (interleaved elements, columns of one matrix). Sufficient, and exact for boxes whose steps nest. */
bool tirbi_reach_apart(const tirbi_reach *a, const tirbi_reach *b, unsigned dimensions);

/* Whether both step from one index of dimension 0 to the next by stretches of equal length, and all that either reaches
 * at an index lies inside the stretch of that index. Then only one and the same index can reach an element twice. */
bool tirbi_reach_in_stretches(const tirbi_reach *a, const tirbi_reach *b, unsigned dimensions);

#endif
