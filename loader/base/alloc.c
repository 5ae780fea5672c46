#include "loader/base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "loader/base/checked.h"

/* AddressSanitizer knows the blocks of an arena, and is told here what of them is handed out. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(WATCHED)
#include <sanitizer/asan_interface.h>
enum { ARENA_GAP = 16 }; /* bytes behind an allocation that are nobody's: few, for they count as memory taken */
#else
#define ASAN_POISON_MEMORY_REGION(begin, size) ((void)(begin), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(begin, size) ((void)(begin), (void)(size))
enum { ARENA_GAP = 0 };
#endif

static void *libc_reallocate(void *context, void *ptr, size_t old_size, size_t new_size) {
    (void)context;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

void tirbi_heap_init(tirbi_heap *heap, const tirb_allocator *allocator, uint64_t budget) {
    *heap = (tirbi_heap){.budget = budget, .max_work = UINT64_MAX};
    if (allocator && allocator->reallocate) {
        heap->allocator = *allocator;
    } else {
        heap->allocator.reallocate = libc_reallocate;
    }
}

void *tirbi_heap_resize(tirbi_heap *heap, void *ptr, size_t old_size, size_t new_size) {
    if (new_size == 0) {
        tirbi_heap_free(heap, ptr, old_size);
        return NULL;
    }
    bool counted = heap->budget != UINT64_MAX;
    uint64_t others = counted ? heap->used - old_size : 0;
    if (counted && new_size > heap->budget - others) {
        heap->over_budget = true;
        return NULL;
    }
    tirbi_keeper *keeper = heap->keeper;
    if (keeper && new_size > old_size && !keeper->hold(keeper, heap->budget, new_size - old_size)) {
        heap->over_budget = true;
        return NULL;
    }
    void *fresh = heap->allocator.reallocate(heap->allocator.context, ptr, old_size, new_size);
    if (!fresh) {
        if (keeper && new_size > old_size) keeper->give(keeper, new_size - old_size);
        if (counted) heap->over_budget = false;
        return NULL;
    }
    if (keeper && new_size < old_size) keeper->give(keeper, old_size - new_size);
    if (counted) {
        heap->used = others + new_size;
        if (heap->used > heap->peak) heap->peak = heap->used;
    }
    return fresh;
}

void *tirbi_heap_alloc(tirbi_heap *heap, size_t size) { return tirbi_heap_resize(heap, NULL, 0, size); }

void *tirbi_heap_calloc(tirbi_heap *heap, size_t n, size_t size) {
    size_t total;
    if (!tirbi_mul_size(n, size, &total)) return NULL;
    void *block = tirbi_heap_alloc(heap, total);
    if (block) memset(block, 0, total);
    return block;
}

void tirbi_heap_hand_over(tirbi_heap *heap, size_t size) {
    if (heap->keeper) heap->keeper->give(heap->keeper, size);
    if (heap->budget != UINT64_MAX) heap->used -= size;
}

void tirbi_heap_free(tirbi_heap *heap, void *ptr, size_t size) {
    if (!ptr) return;
    heap->allocator.reallocate(heap->allocator.context, ptr, size, 0);
    tirbi_heap_hand_over(heap, size);
}

/* ---- Giving back in steps --------------------------------------------------------------------------------------- */

#ifdef __linux__
/* No more is given back between two looks at the stop word: 20 us where pages have 4 KiB. And what a table of pages
 * covers: the system frees a table when all that it covers is given back at once. */
enum { DISCARD_STEP = 1 << 18, PAGE_TABLE = 1 << 21, LARGEST_PAGE = 1 << 16 };

static bool discard_pages(uintptr_t begin, uintptr_t end, const atomic_uint *stop) {
    for (uintptr_t at = begin, next; at < end; at = next) {
        if (tirbi_is_stopped(stop)) return false;
        next = (at / DISCARD_STEP + 1) * DISCARD_STEP;
        if (next > end) next = end;
        const bool ends_table = next % PAGE_TABLE == 0 && next - begin >= PAGE_TABLE;
        const uintptr_t from = ends_table ? next - PAGE_TABLE : at;
        (void)madvise((void *)from, next - from, MADV_DONTNEED); /* if it does nothing, freeing does all */
    }
    return true;
}
#endif

bool tirbi_discard(const tirb_allocator *allocator, void *memory, size_t size, const atomic_uint *stop) {
#ifdef __linux__
    if (size > DISCARD_STEP && allocator->reallocate == libc_reallocate) {
        const uintptr_t begin = ((uintptr_t)memory + LARGEST_PAGE - 1) / LARGEST_PAGE * LARGEST_PAGE;
        const uintptr_t end = ((uintptr_t)memory + size) / LARGEST_PAGE * LARGEST_PAGE;
        return discard_pages(begin, end, stop);
    }
#endif
    (void)allocator;
    (void)memory;
    (void)size;
    return !tirbi_is_stopped(stop);
}

void tirbi_make_pages(const tirb_allocator *allocator, void *memory, size_t size, const atomic_uint *stop) {
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
    /* 30 us between two looks at the stop word; less memory is likely to have its pages already. */
    enum { STEP = 1 << 16, LEAST = 1 << 17 };
    const uintptr_t begin = (uintptr_t)memory / LARGEST_PAGE * LARGEST_PAGE, end = (uintptr_t)memory + size;
    if (size < LEAST || allocator->reallocate != libc_reallocate) return;
    for (uintptr_t at = begin + LARGEST_PAGE; at + STEP <= end && !tirbi_is_stopped(stop); at += STEP)
        if (madvise((void *)at, STEP, MADV_POPULATE_WRITE) != 0) return; /* an older system: writing does it */
#else
    (void)allocator;
    (void)memory;
    (void)size;
    (void)stop;
#endif
}

bool tirbi_heap_discard(const tirbi_heap *heap, void *memory, size_t size) {
    if (!heap->watch || tirbi_discard(&heap->allocator, memory, size, heap->watch->cancelled)) return true;
    tirbi_watch_stop(heap->watch, TIRB_CANCELLED); /* who asks why is told, though nobody has looked */
    return false;
}

bool tirbi_heap_release(tirbi_heap *heap, void *ptr, size_t size) {
    if (ptr && !tirbi_heap_discard(heap, ptr, size)) return false;
    tirbi_heap_free(heap, ptr, size);
    return true;
}

/* The first time that memory is written takes its time. */
enum { WRITTEN_AT_ONCE = 1 << 14 };

static bool is_stopped(const tirbi_heap *heap, size_t at) {
    return at > 0 && heap->watch && !tirbi_watch_look(heap->watch);
}

static size_t part_of(size_t left) { return left < WRITTEN_AT_ONCE ? left : WRITTEN_AT_ONCE; }

bool tirbi_heap_clear(const tirbi_heap *heap, void *memory, size_t size) {
    for (size_t at = 0; at < size; at += WRITTEN_AT_ONCE) {
        if (is_stopped(heap, at)) return false;
        memset((uint8_t *)memory + at, 0, part_of(size - at));
    }
    return true;
}

bool tirbi_heap_move(const tirbi_heap *heap, void *to, const void *from, size_t size) {
    for (size_t at = 0; at < size; at += WRITTEN_AT_ONCE) {
        if (is_stopped(heap, at)) return false;
        memmove((uint8_t *)to + at, (const uint8_t *)from + at, part_of(size - at));
    }
    return true;
}

tirb_status tirbi_heap_status(const tirbi_heap *heap) { return heap->over_budget ? TIRB_MEMORY_LIMIT : TIRB_NO_MEMORY; }

enum { ARENA_ALIGN = 16, ARENA_FIRST_BLOCK = 4096, ARENA_LARGEST_BLOCK = 1 << 20 };

struct tirbi_arena_block {
    tirbi_arena_block *older;
    size_t size; /* with this header */
};

_Static_assert(sizeof(struct tirbi_arena_block) == ARENA_ALIGN, "the header keeps blocks aligned");

void tirbi_arena_init(tirbi_arena *arena, tirbi_heap *heap) { *arena = (tirbi_arena){.heap = heap}; }

/* Takes the newest block off a list, and then frees it. */
static void free_newest(tirbi_heap *heap, tirbi_arena_block **blocks) {
    tirbi_arena_block *const newest = *blocks;
    *blocks = newest->older;
    ASAN_UNPOISON_MEMORY_REGION(newest, newest->size);
    tirbi_heap_free(heap, newest, newest->size);
}

static void free_blocks(tirbi_heap *heap, tirbi_arena_block *block) {
    while (block) free_newest(heap, &block);
}

void tirbi_arena_destroy(tirbi_arena *arena) {
    free_blocks(arena->heap, arena->blocks);
    free_blocks(arena->heap, arena->arrays);
    *arena = (tirbi_arena){.heap = arena->heap};
}

bool tirbi_arena_go_back(tirbi_arena *arena, const tirbi_arena_mark *mark, const atomic_uint *stop) {
    while (arena->blocks != mark->blocks) {
        if (tirbi_is_stopped(stop)) return false;
        free_newest(arena->heap, &arena->blocks);
    }
    arena->next = mark->next;
    arena->left = mark->left;
    arena->failed = false;
    ASAN_POISON_MEMORY_REGION(arena->next, arena->left);
    return true;
}

/* Blocks double up to a cap, so that small compilations stay small and large ones make few calls. */
static bool grow(tirbi_arena *arena, size_t need) {
    size_t size = ARENA_FIRST_BLOCK;
    if (arena->blocks) {
        size = arena->blocks->size < ARENA_LARGEST_BLOCK / 2 ? arena->blocks->size * 2 : ARENA_LARGEST_BLOCK;
    }
    size_t least;
    if (!tirbi_add_size(need, sizeof(tirbi_arena_block), &least)) return false;
    if (size < least) size = least;
    tirbi_arena_block *block = tirbi_heap_alloc(arena->heap, size);
    if (!block) return false;
    *block = (tirbi_arena_block){.older = arena->blocks, .size = size};
    arena->blocks = block;
    arena->next = (uint8_t *)(block + 1);
    arena->left = size - sizeof(*block);
    ASAN_POISON_MEMORY_REGION(arena->next, arena->left);
    return true;
}

/* The bytes that an allocation takes; false: they are too many to count. */
static bool bytes_of(size_t n, size_t size, size_t *out) {
    if (!tirbi_mul_size(n, size, out) || !tirbi_add_size(*out, ARENA_GAP + ARENA_ALIGN - 1, out)) return false;
    *out &= ~(size_t)(ARENA_ALIGN - 1);
    return true;
}

/* What is smaller is not looked for. */
enum { LEAST_SPARE = 128 };

/* The list of a size, which is one of a few that it may be; NULL: none, and all are in use. */
static tirbi_arena_spares *spares_of(tirbi_arena *arena, size_t total) {
    enum { TRIES = 8 };
    for (size_t i = 0; i < TRIES; i++) {
        tirbi_arena_spares *spares = &arena->spares[(total / ARENA_ALIGN + i) % TIRBI_ARENA_SPARES];
        if (spares->size == total || spares->size == 0) return spares;
    }
    return NULL;
}

void tirbi_arena_give_back(tirbi_arena *arena, void *ptr, size_t n, size_t size) {
    size_t total;
    if (!ptr || !bytes_of(n, size, &total) || total < LEAST_SPARE) return;
    tirbi_arena_spares *spares = spares_of(arena, total);
    if (!spares) return;
    spares->size = total;
    memcpy(ptr, &spares->first, sizeof(spares->first));
    spares->first = ptr;
    ASAN_POISON_MEMORY_REGION(ptr, total);
}

static void *take_spare(tirbi_arena *arena, size_t total) {
    tirbi_arena_spares *spares = spares_of(arena, total);
    void *spare = spares ? spares->first : NULL;
    if (!spare) return NULL;
    ASAN_UNPOISON_MEMORY_REGION(spare, total);
    memcpy(&spares->first, spare, sizeof(spares->first));
    return spare;
}

static void *fail(tirbi_arena *arena) {
    arena->failed = true;
    if (arena->watch) tirbi_watch_stop(arena->watch, tirbi_heap_status(arena->heap));
    return NULL;
}

void *tirbi_arena_take(tirbi_arena *arena, size_t n, size_t size) {
    size_t total;
    if (!tirbi_arena_work(arena, 1)) return NULL;
    if (!bytes_of(n, size, &total)) return fail(arena);
    void *result = total >= LEAST_SPARE ? take_spare(arena, total) : NULL;
    if (!result) {
        if ((total > arena->left || !arena->next) && !grow(arena, total)) return fail(arena);
        result = arena->next;
        arena->next += total;
        arena->left -= total;
        ASAN_UNPOISON_MEMORY_REGION(result, total);
    }
    ASAN_POISON_MEMORY_REGION((uint8_t *)result + n * size, total - n * size);
    return result;
}

void *tirbi_arena_alloc(tirbi_arena *arena, size_t n, size_t size) {
    void *const result = tirbi_arena_take(arena, n, size);
    if (result && !tirbi_heap_clear(arena->heap, result, n * size)) return fail(arena);
    return result;
}

void *tirbi_arena_extend(tirbi_arena *arena, void *array, size_t n, size_t new_n, size_t size) {
    size_t total, bytes;
    tirbi_arena_block *old = array ? (tirbi_arena_block *)array - 1 : NULL, **link = &arena->arrays;
    if (!tirbi_arena_work(arena, 1)) return NULL;
    if (!tirbi_mul_size(new_n, size, &bytes) || !tirbi_add_size(bytes, sizeof(*old), &total)) return fail(arena);
    while (old && *link != old) link = &(*link)->older;
    tirbi_arena_block *older = old ? old->older : arena->arrays;
    tirbi_arena_block *block = tirbi_heap_resize(arena->heap, old, old ? old->size : 0, total);
    if (!block) return fail(arena);
    *link = block;
    *block = (tirbi_arena_block){.older = older, .size = total};
    if (new_n > n) memset((uint8_t *)(block + 1) + n * size, 0, (new_n - n) * size);
    return block + 1;
}

void *tirbi_arena_room(tirbi_arena *arena, size_t size) {
    size_t total;
    if (!tirbi_arena_work(arena, 1)) return NULL;
    if (!tirbi_add_size(size, sizeof(tirbi_arena_block), &total)) return fail(arena);
    tirbi_arena_block *block = tirbi_heap_alloc(arena->heap, total);
    if (!block) return fail(arena);
    *block = (tirbi_arena_block){.older = arena->arrays, .size = total};
    arena->arrays = block;
    return block + 1;
}

char *tirbi_arena_text(tirbi_arena *arena, const char *text, size_t size) {
    size_t with_end;
    if (!tirbi_add_size(size, 1, &with_end)) return NULL;
    char *copy = tirbi_arena_alloc(arena, with_end, 1);
    if (copy && size) memcpy(copy, text, size);
    return copy;
}

char *tirbi_arena_format(tirbi_arena *arena, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : tirbi_arena_alloc(arena, (size_t)length + 1, 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}
