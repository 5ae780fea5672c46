/* Boxes of elements that are copied as a whole: their loops and the kernels of the innermost ones. */
#ifndef TIRB_VM_ENTER_LANE_BOX_H
#define TIRB_VM_ENTER_LANE_BOX_H

#include <stdatomic.h>

#include "loader/isa/reach.h"
#include "vm/lanes/moves.h"
#include "vm/lanes/weaves.h"

/* No more bytes are moved at once than this, so that a stop is soon seen. */
enum { TIRBI_BOX_BYTES = 1 << 16 };

enum { TIRBI_BOX_BESIDE = TIRBI_WEAVE_SOURCES - 1 };

typedef struct tirbi_box_loop {
    int64_t to, from; /* steps in bytes */
    int64_t count;
    int64_t beside[TIRBI_BOX_BESIDE]; /* the steps of what copies beside this one read */
} tirbi_box_loop;

/* Another copy by the same loops, the elements of which lie among those of the box. */
typedef struct tirbi_box_beside {
    const uint8_t *from;
    ptrdiff_t to; /* from what the box writes on */
    unsigned array;
    bool is_still;
} tirbi_box_beside;

typedef struct tirbi_box tirbi_box;

/* What goes through the innermost loops, from where the box begins in a round of those around them; false where it was
 * stopped. */
typedef bool (*tirbi_box_plane)(const tirbi_box *b, uint8_t *to, const uint8_t *from);

struct tirbi_box {
    const tirbi_moves *moves;
    const tirbi_weaver *weaver; /* or NULL */
    tirbi_weave weave;          /* of rows of few bytes, */
    int64_t rows;               /* for so many rows, */
    tirbi_weave_stretches stretches;
    const atomic_uint *stop;
    bool past; /* what is written goes past the caches, where it fills lines */
    uint8_t *to;
    const uint8_t *from;
    unsigned array; /* the number of what it reads */
    bool is_still;  /* it reads one element, which TIRBI_WEAVE_BYTES bytes repeat */
    int64_t size;   /* of an element */
    unsigned n_beside;
    tirbi_box_beside beside[TIRBI_BOX_BESIDE];
    unsigned n_parts; /* of a row that is read, each of which goes to a place of its own; 0: it is not parted */
    ptrdiff_t parts[TIRBI_MOST_PARTS]; /* from what the box writes on */
    unsigned n;
    tirbi_box_loop loops[TIRBI_REACH_DIMENSIONS]; /* those of smaller steps in what is written first */
    tirbi_box_plane plane;                        /* what does the first loops, when the box is planned, */
    unsigned n_in_plane;                          /* and how many they are */
};

/* Adds a loop before anything is run. */
void tirbi_box_add(tirbi_box *b, tirbi_box_loop loop);

/* Chooses how the box is gone through, when all loops have been added and it has nothing beside it. */
void tirbi_box_plan(tirbi_box *b);

/* The same with what is beside, or with the parts of rows, where one kernel does all of it: else false, and the box is
 * of no use. */
bool tirbi_box_plan_together(tirbi_box *b);

/* Does what all loops of a planned box mean, any number of times; false where it was stopped, which a box does not
 * survive. */
bool tirbi_box_run(tirbi_box *b);

/* Whether the innermost loops make rows of few bytes, of which the loop around them makes many: then b->weave is how,
 * b->plane what does it, and *loops how many loops that are. */
bool tirbi_box_find_weave(tirbi_box *b, unsigned *loops);
bool tirbi_box_place_rows(const tirbi_box *b, uint8_t *to, const uint8_t *from);
bool tirbi_box_interleave(const tirbi_box *b, uint8_t *to, const uint8_t *from);
bool tirbi_box_weave(const tirbi_box *b, uint8_t *to, const uint8_t *from);

/* Whether the elements of the rows that are read go to columns of their own, whose elements follow each other: as the
 * box says, or as one of its loops does, which it then says instead. */
bool tirbi_box_find_parts(tirbi_box *b);
bool tirbi_box_part(const tirbi_box *b, uint8_t *to, const uint8_t *from);

/* A kernel goes through rows faster than what is around it: the loop from d on to take for them, which is d, whose rows
 * are the nearest, unless that has few and another one many more; and a loop made loop `to`. */
unsigned tirbi_box_most_rows(const tirbi_box *b, unsigned d);
void tirbi_box_bring(tirbi_box *b, unsigned from, unsigned to);

/* ---- Shared by the kinds of planes ------------------------------------------------------------------------------ */

static inline uint8_t *tirbi_moved(uint8_t *p, int64_t step, int64_t times) {
    return (uint8_t *)((uintptr_t)p + (uintptr_t)step * (uintptr_t)times);
}

static inline const uint8_t *tirbi_moved_from(const uint8_t *p, int64_t step, int64_t times) {
    return (const uint8_t *)((uintptr_t)p + (uintptr_t)step * (uintptr_t)times);
}

static inline bool tirbi_box_must_stop(const tirbi_box *b) {
    return atomic_load_explicit(b->stop, memory_order_relaxed) != 0;
}

/* Whether rows of `bytes` bytes that are `step` bytes apart fill so many lines that they may go past the caches. */
bool tirbi_fills_lines(const uint8_t *to, int64_t step, int64_t bytes);

/* Moves whole lines past the caches, and the rest through them. */
void tirbi_move_past(const tirbi_moves *moves, uint8_t *to, const uint8_t *from, size_t size);

#endif
