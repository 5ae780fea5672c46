/* Rows as far apart in all cursors, with some elements between them, as where a stencil leaves out the borders: the
 * rows and what is between them are the lanes of one row, and only lanes of rows are stored. */
#ifndef TIRB_VM_LANES_GAPS_H
#define TIRB_VM_LANES_GAPS_H

#include "vm/lanes/lanes.h"

enum { TIRBI_MAX_PERIOD = 1024, TIRBI_BLOCK_MASKS = TIRBI_MAX_BANK_BYTES / 8 };

/* A mask has a bit for each byte of a block's lanes, set where it is stored. */
typedef struct tirbi_lane_gaps {
    uint32_t period; /* lanes from row to row; 0: there are no gaps */
    uint32_t shift;  /* lanes have 1 << shift bytes */
    uint32_t table_bytes;
    bool apart; /* nothing that is stored meets what another cursor reaches */
    /* The masks of a period and of a block behind it, once for each place that a lane's first bit may have in a
     * byte. */
    uint8_t table[TIRBI_MAX_PERIOD + 8 * (TIRBI_BLOCK_MASKS + 8)];
    /* Those of the last block, which overlaps the one before it, without the lanes that this one stores. */
    uint8_t last[TIRBI_BLOCK_MASKS];
} tirbi_lane_gaps;

/* Each state that a machine which knows of gaps runs is part of one of these. */
typedef struct tirbi_lane_state_and_gaps {
    _Alignas(64) tirbi_lane_state state;
    _Alignas(64) tirbi_lane_gaps gaps;
} tirbi_lane_state_and_gaps;

static inline tirbi_lane_gaps *tirbi_lane_gaps_of(tirbi_lane_state *state) {
    return (tirbi_lane_gaps *)(void *)((uint8_t *)state + offsetof(tirbi_lane_state_and_gaps, gaps));
}

/* The masks of a block whose first lane is so far behind a row's first one. */
static inline const uint8_t *tirbi_lane_masks(const tirbi_lane_gaps *gaps, uint32_t phase) {
    const uint32_t bit = phase << gaps->shift;
    return gaps->table + ((bit & 7) >> gaps->shift) * gaps->table_bytes + (bit >> 3);
}

/* Those of the block that begins at lane `first`, a multiple of `lanes` but for the last one's; NULL: there are no
 * gaps. */
static inline const uint8_t *tirbi_lane_block_masks(const tirbi_lane_gaps *gaps, uint64_t first, size_t lanes) {
    if (gaps->period == 0) return NULL;
    return (first & (lanes - 1)) != 0 ? gaps->last : tirbi_lane_masks(gaps, (uint32_t)first % gaps->period);
}

#endif
