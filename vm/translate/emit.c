#include "vm/translate/emit.h"

#include <string.h>

/* A place is found by adding up no more steps than these. */
enum { STEPS_AT_ONCE = 1 << 10 };

static bool resize_words(tirbi_emitter *e, uint32_t capacity) {
    tirbi_words *const all = &e->all;
    tirbi_word *const words =
        tirbi_heap_resize(e->heap, all->words, e->capacity * sizeof *words, capacity * sizeof *words);
    if (!words) return false;
    all->words = words;
    e->capacity = capacity;
    return true;
}

static bool resize_steps(tirbi_emitter *e, uint32_t capacity) {
    uint8_t *const steps = tirbi_heap_resize(e->heap, e->all.steps, e->step_capacity, capacity);
    if (!steps) return false;
    e->all.steps = steps;
    e->step_capacity = capacity;
    return true;
}

static bool resize_origins(tirbi_emitter *e, uint32_t capacity) {
    tirbi_origin *const origins =
        tirbi_heap_resize(e->heap, e->all.origins, e->origin_capacity * sizeof *origins, capacity * sizeof *origins);
    if (!origins) return false;
    e->all.origins = origins;
    e->origin_capacity = capacity;
    return true;
}

bool tirbi_emitter_prepare(tirbi_emitter *e) {
    enum { FIRST_WORDS = 256, FIRST_ORIGINS = 8 };
    tirbi_words *const all = &e->all;
    const bool has_words = all->n < e->capacity, has_origins = all->n_origins < e->origin_capacity;
    const uint32_t more = e->capacity ? e->capacity + e->capacity / 16 : FIRST_WORDS;
    if (e->failed || (!has_words && (!resize_steps(e, more) || !resize_words(e, more))) ||
        (!has_origins && !resize_origins(e, e->origin_capacity ? e->origin_capacity * 2 : FIRST_ORIGINS))) {
        e->failed = true;
        e->whole = all->n;
        return false;
    }
    all->origins[all->n_origins++] = (tirbi_origin){all->n, e->offset};
    e->whole = e->capacity - all->n < STEPS_AT_ONCE ? e->capacity : all->n + STEPS_AT_ONCE;
    return true;
}

uint32_t tirbi_emitter_place(const tirbi_emitter *e, uint32_t word, uint32_t before) {
    const tirbi_words *const all = &e->all;
    uint32_t i = all->n_origins;
    if (word >= all->n) return before;
    while (i > 0 && all->origins[i - 1].word > word) i--;
    return i > 0 && all->origins[i - 1].word == word ? all->origins[i - 1].offset
                                                     : before + all->steps[word];
}

void tirbi_emitter_cut(tirbi_emitter *e, uint32_t n) {
    e->all.n = e->whole = n;
    while (e->all.n_origins > 0 && e->all.origins[e->all.n_origins - 1].word >= n) e->all.n_origins--;
}

static bool copy_words(const tirbi_words *all, tirbi_arena *arena, tirbi_words *out) {
    const size_t words = all->n * sizeof *all->words, origins = all->n_origins * sizeof *all->origins;
    uint8_t *const block = tirbi_arena_take(arena, words + origins + all->n, 1);
    if (!block) return false;
    *out = (tirbi_words){.words = (tirbi_word *)(void *)block, .origins = (tirbi_origin *)(void *)(block + words),
                         .steps = block + words + origins, .n = all->n, .n_origins = all->n_origins};
    if (all->n == 0) return true;
    memcpy(out->words, all->words, words);
    memcpy(out->origins, all->origins, origins);
    memcpy(out->steps, all->steps, all->n);
    return true;
}

bool tirbi_emitter_give(tirbi_emitter *e, tirbi_arena *arena, tirbi_words *out) {
    if (e->all.n < TIRBI_MANY_WORDS) return copy_words(&e->all, arena, out);
    if (!resize_words(e, e->all.n) || !resize_steps(e, e->all.n) || !resize_origins(e, e->all.n_origins)) return false;
    *out = e->all;
    *e = (tirbi_emitter){.heap = e->heap};
    return true;
}

bool tirbi_emitter_release(tirbi_emitter *e) {
    if (!tirbi_heap_release(e->heap, e->all.words, e->capacity * sizeof *e->all.words)) return false;
    e->all.words = NULL;
    e->capacity = 0;
    if (!tirbi_heap_release(e->heap, e->all.steps, e->step_capacity)) return false;
    e->all.steps = NULL;
    e->step_capacity = 0;
    if (!tirbi_heap_release(e->heap, e->all.origins, e->origin_capacity * sizeof *e->all.origins)) return false;
    *e = (tirbi_emitter){.heap = e->heap};
    return true;
}
