/* Stores of the elements of a block that is not whole (STEP_STORE_PART), or of those that are in rows. */
#ifndef TIRB_VM_LANES_GAPS_AVX512_H
#define TIRB_VM_LANES_GAPS_AVX512_H

#include "vm/lanes/gaps.h"

typedef uint64_t MASK_IN_MEMORY __attribute__((aligned(1), may_alias));

#define STEP_STORE_GAPPED(i, X)                                                                                        \
    _mm512_mask_storeu_epi8(p + (i)*VB, *(const MASK_IN_MEMORY *)(const void *)(masks_ + (i)*8), (__m512i)REG_##X(i));
#define STORE_PART_OR_GAPPED(D)                                                                                        \
    const uint8_t *const masks_ = tirbi_lane_block_masks(tirbi_lane_gaps_of(state), first, lanes);                     \
    do {                                                                                                               \
        if (masks_) {                                                                                                  \
            EACH(STEP_STORE_GAPPED, D)                                                                                 \
            break;                                                                                                     \
        }                                                                                                              \
        EACH(STEP_STORE_PART, D)                                                                                       \
    } while (0);

#endif
