/* Memory for both libraries: a counted allocator with a byte budget, and an arena on top of it.
 *
 * All memory of libtirb and libtirbc comes from a tirbi_heap, which forwards to the injected tirb_allocator, counts the
 * bytes it has handed out, and refuses to go past its budget. A heap is used by one thread at a time unless it has no
 * budget and its allocator is thread-safe; then alloc/free only forward. */
#ifndef TIRB_LOADER_BASE_ALLOC_H
#define TIRB_LOADER_BASE_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "loader/base/watch.h"

/* Who keeps memory that a heap has given back, for which it is charged no more. `hold` comes before so many bytes are
 * allocated for a heap of this budget, and makes room for them, or returns false; `give` after so many have gone back
 * to the allocator. */
typedef struct tirbi_keeper {
    bool (*hold)(struct tirbi_keeper *keeper, uint64_t budget, size_t size);
    void (*give)(struct tirbi_keeper *keeper, size_t size);
} tirbi_keeper;

typedef struct tirbi_heap {
    tirb_allocator allocator;
    tirbi_keeper *keeper; /* or NULL */
    uint64_t budget; /* bytes; UINT64_MAX: no limit and no counting */
    uint64_t used;
    uint64_t peak;
    bool over_budget; /* the last failure was the budget's, not the allocator's */
    uint64_t work, max_work; /* steps taken, and how many there may be: see loader/base/work.h */
    tirbi_watch *watch;      /* who is asked meanwhile, or NULL; then there may be so many before the next look, */
    uint64_t watched_work;   /* and so many in all */
} tirbi_heap;

/* A NULL reallocate means the C library's. */
void tirbi_heap_init(tirbi_heap *heap, const tirb_allocator *allocator, uint64_t budget);
/* NULL when the budget or the allocator is exhausted, or when size is 0. Memory is not cleared. */
void *tirbi_heap_alloc(tirbi_heap *heap, size_t size);
/* n * size bytes of zeroes; NULL also when the product overflows. */
void *tirbi_heap_calloc(tirbi_heap *heap, size_t n, size_t size);
void *tirbi_heap_resize(tirbi_heap *heap, void *ptr, size_t old_size, size_t new_size);
void tirbi_heap_free(tirbi_heap *heap, void *ptr, size_t size);
/* For much memory: the same in steps, between which the heap's watch is asked. False: it is to stop, and says why.
 * Memory that was to be freed is still there then; what was to be cleared or moved to smaller addresses is of no use.
 * Discarded memory is there as well, and nothing in it counts. */
bool tirbi_heap_discard(const tirbi_heap *heap, void *memory, size_t size);
bool tirbi_heap_release(tirbi_heap *heap, void *ptr, size_t size);
bool tirbi_heap_clear(const tirbi_heap *heap, void *memory, size_t size);
bool tirbi_heap_move(const tirbi_heap *heap, void *to, const void *from, size_t size);
/* Counts a block no more that another heap of the same allocator will free. */
void tirbi_heap_hand_over(tirbi_heap *heap, size_t size);
/* Counts `size` bytes that come from elsewhere; false when the budget does not allow them. */
static inline bool tirbi_heap_charge(tirbi_heap *heap, size_t size) {
    if (heap->budget == UINT64_MAX) return true;
    if (size > heap->budget - heap->used) {
        heap->over_budget = true;
        return false;
    }
    heap->used += size;
    if (heap->used > heap->peak) heap->peak = heap->used;
    return true;
}
static inline void tirbi_heap_discharge(tirbi_heap *heap, size_t size) {
    if (heap->budget != UINT64_MAX) heap->used -= size;
}
static inline bool tirbi_is_stopped(const atomic_uint *stop) {
    return stop && atomic_load_explicit(stop, memory_order_relaxed) != 0;
}
/* Before memory in which nothing counts any more is freed or made shorter: where it is the C library's, its pages go
 * back to the system here, some at a time, for all at once take 80 ms for a GB. Ends early, with false, when *stop
 * becomes non-zero; NULL: nothing stops it. */
bool tirbi_discard(const tirb_allocator *allocator, void *memory, size_t size, const atomic_uint *stop);
/* Before new memory is written from one end to the other: where it is the C library's, the system makes its pages here,
 * many at a time, which takes two thirds of the time that it takes for each when it is first written. Ends early when
 * *stop becomes non-zero; NULL: nothing stops it. */
void tirbi_make_pages(const tirb_allocator *allocator, void *memory, size_t size, const atomic_uint *stop);
/* TIRB_MEMORY_LIMIT or TIRB_NO_MEMORY, whichever the last failed allocation was. */
tirb_status tirbi_heap_status(const tirbi_heap *heap);

/* A bump allocator: everything in it is freed at once. Blocks are aligned to 16 bytes and cleared. */
typedef struct tirbi_arena_block tirbi_arena_block;
enum { TIRBI_ARENA_SPARES = 64 };
/* What was given back of one size; 0: of none. */
typedef struct tirbi_arena_spares {
    size_t size;
    void *first; /* each begins with a pointer to the next one */
} tirbi_arena_spares;
typedef struct tirbi_arena {
    tirbi_heap *heap;
    tirbi_watch *watch; /* over what uses it; NULL: none */
    tirbi_arena_block *blocks;
    tirbi_arena_block *arrays; /* of one each, which tirbi_arena_extend made */
    uint8_t *next;
    size_t left;
    bool failed; /* sticky: some allocation returned NULL */
    tirbi_arena_spares spares[TIRBI_ARENA_SPARES]; /* of as many sizes */
} tirbi_arena;

void tirbi_arena_init(tirbi_arena *arena, tirbi_heap *heap);
void tirbi_arena_destroy(tirbi_arena *arena);
/* Where an arena is that only tirbi_arena_alloc takes from. */
typedef struct tirbi_arena_mark {
    tirbi_arena_block *blocks;
    uint8_t *next;
    size_t left;
} tirbi_arena_mark;
static inline tirbi_arena_mark tirbi_arena_here(const tirbi_arena *arena) {
    return (tirbi_arena_mark){arena->blocks, arena->next, arena->left};
}
/* Frees what has been allocated since, unless *stop is not zero, or becomes so: then some is left, with false. NULL:
 * nothing stops it. */
bool tirbi_arena_go_back(tirbi_arena *arena, const tirbi_arena_mark *mark, const atomic_uint *stop);
/* n * size zeroed bytes; never NULL for 0 bytes; NULL when out of memory or when the product overflows. */
void *tirbi_arena_alloc(tirbi_arena *arena, size_t n, size_t size);
/* The same, not cleared: for what is written whole. */
void *tirbi_arena_take(tirbi_arena *arena, size_t n, size_t size);
/* Counts steps of whoever uses the arena where they allocate nothing; false: its watch has stopped them, and the arena
 * has failed. */
static inline bool tirbi_arena_work(tirbi_arena *arena, uint64_t steps) {
    if (!arena->watch || tirbi_watch_count(arena->watch, steps)) return true;
    arena->failed = true;
    return false;
}
/* Whether there is work left for what need not be done: a plan that may come to nothing, say. */
static inline bool tirbi_arena_may_try(const tirbi_arena *arena) {
    return !arena->watch || arena->watch->work < arena->watch->enough;
}
/* Memory that nothing refers to any more, as of a plan that was tried in vain: later allocations of this size may be
 * it. */
void tirbi_arena_give_back(tirbi_arena *arena, void *ptr, size_t n, size_t size);
/* An array of `n` items made longer, or shorter: it moves, and nothing may refer to what it was. NULL and 0: a new one.
 * Its items are cleared, and it is given back with the arena. For long arrays, which would else be there twice. */
void *tirbi_arena_extend(tirbi_arena *arena, void *array, size_t n, size_t new_n, size_t size);
/* Room for what is written whole: a block of its own that is not cleared. NULL when out of memory. */
void *tirbi_arena_room(tirbi_arena *arena, size_t size);
/* A terminated copy of `size` bytes of text. */
char *tirbi_arena_text(tirbi_arena *arena, const char *text, size_t size);
/* printf into the arena; NULL when out of memory. */
char *tirbi_arena_format(tirbi_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define TIRBI_NEW(arena, type) ((type *)tirbi_arena_alloc((arena), 1, sizeof(type)))
#define TIRBI_NEW_ARRAY(arena, type, n) ((type *)tirbi_arena_alloc((arena), (n), sizeof(type)))
#define TIRBI_GIVE_BACK(arena, ptr) tirbi_arena_give_back((arena), (ptr), 1, sizeof(*(ptr)))

#endif
