/* What handlers call where no bank is live. It is the same in all machines of an instruction set that go through one
 * row at a time: the one with the largest banks has it (vm/lanes/calls.inc), and those for short rows call it there.
 * Included by machine.inc. */
#ifndef TIRB_VM_LANES_CALLS_H
#define TIRB_VM_LANES_CALLS_H

#include "vm/lanes/lanes.h"

#define copy_steps     BLOCKS_OF(tirbi_copy_steps_)
#define scatter_strips BLOCKS_OF(tirbi_scatter_strips_)
#define fill_tile      BLOCKS_OF(tirbi_fill_tile_)
#define fill_strip     BLOCKS_OF(tirbi_fill_strip_)
#define count_up       BLOCKS_OF(tirbi_count_up_)
#define count_rows     BLOCKS_OF(tirbi_count_rows_)
#define pack_rows      BLOCKS_OF(tirbi_pack_rows_)
#define clear_bytes    BLOCKS_OF(tirbi_clear_bytes_)
#define seek_rows      BLOCKS_OF(tirbi_seek_rows_)
#define push_f32       BLOCKS_OF(tirbi_push_f32_)
#define push_f64       BLOCKS_OF(tirbi_push_f64_)
#define pushma_f32     BLOCKS_OF(tirbi_pushma_f32_)
#define pushma_f64     BLOCKS_OF(tirbi_pushma_f64_)
#define rest_fma_F32   BLOCKS_OF(tirbi_rest_fma_F32_)
#define rest_fma_F64   BLOCKS_OF(tirbi_rest_fma_F64_)
#define enter_own      BLOCKS_OF(tirbi_enter_own_)
#define leave_own      BLOCKS_OF(tirbi_leave_own_)
#define end_own        BLOCKS_OF(tirbi_end_own_)
#define load_own       BLOCKS_OF(tirbi_load_own_)
#define store_own      BLOCKS_OF(tirbi_store_own_)
#define count_own      BLOCKS_OF(tirbi_count_own_)

/* The number of a lane in its block, and of one around it. */
typedef uint16_t LANE_NUMBER __attribute__((may_alias));

/* n elements of 1 << shift bytes, read and written with steps of any number of bytes. */
void copy_steps(uint8_t *to, ptrdiff_t to_step, const uint8_t *from, ptrdiff_t from_step, unsigned shift, size_t n);
/* Stores of `count` lanes from several strips, each by the steps of its cursor: see `scatter` in
 * vm/translate/lane_translate.c for the words. */
void scatter_strips(const tirbi_lane_state *state, const tirbi_word *pc, size_t count);
/* The lanes' elements of one iteration, or of as many as there is room for. */
void fill_tile(tirbi_lane_state *state, const tirbi_word *pc, size_t count);
/* n elements of 1 << shift bytes that are all the one at `from`, in whole vectors: a strip ends where one does. */
void fill_strip(uint8_t *to, const uint8_t *from, unsigned shift, size_t n);
/* Element i is start + i * step, in the low bytes; and the same in each of the rows that are packed. */
void count_up(uint8_t *to, uint64_t start, uint64_t step, unsigned shift, size_t n);
void count_rows(uint8_t *to, uint64_t start, uint64_t step, const tirbi_lane_state *state, unsigned shift);
/* The lanes of packed rows, one row behind the other. */
void pack_rows(uint8_t *to, const uint8_t *from, const tirbi_lane_state *state, unsigned cursor, unsigned shift);
void clear_bytes(uint8_t *to, size_t n);
/* Moves each cursor whose rows begin where numbers say. */
void seek_rows(tirbi_lane_state *state, uint8_t **pointers);
/* n elements into a reduction, and fused products of as many. */
void push_f32(tirbi_red *red, const uint8_t *x, size_t n);
void push_f64(tirbi_red *red, const uint8_t *x, size_t n);
void pushma_f32(tirbi_red *red, const uint8_t *x, const uint8_t *y, size_t n);
void pushma_f64(tirbi_red *red, const uint8_t *x, const uint8_t *y, size_t n);
/* An inner loop whose body is sum = fma(k, m, sum), for the first `count` elements of a block. Returns true when it
 * must stop. */
bool rest_fma_F32(const tirbi_lane_state *state, const tirbi_word *pc, uint8_t *sums, size_t count);
bool rest_fma_F64(const tirbi_lane_state *state, const tirbi_word *pc, uint8_t *sums, size_t count);
/* Loops of a lane's own: see vm/lanes/own.inc. */
void enter_own(tirbi_lane_state *state, const tirbi_word *pc, size_t count);
size_t leave_own(tirbi_lane_state *state, const tirbi_word *pc, size_t count);
size_t end_own(const tirbi_lane_state *state, const tirbi_word *pc);
void load_own(uint8_t *to, const uint8_t *from, ptrdiff_t stride, const LANE_NUMBER *ids, unsigned shift, size_t n);
void store_own(uint8_t *to, ptrdiff_t stride, const uint8_t *from, const LANE_NUMBER *ids, unsigned shift, size_t n);
void count_own(uint8_t *to, uint64_t start, uint64_t step, uint64_t first, const LANE_NUMBER *ids, unsigned shift,
               size_t n);

#endif
