/* The words of a function while they are written. */
#ifndef TIRB_VM_TRANSLATE_EMIT_H
#define TIRB_VM_TRANSLATE_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/base/alloc.h"
#include "vm/machine/words.h"

typedef struct tirbi_emitter {
    tirbi_heap *heap;
    tirbi_words all;
    uint32_t capacity, step_capacity, origin_capacity;
    uint32_t whole;  /* words that may be written before there is more to do than that */
    uint32_t offset; /* what the next words come from, */
    uint32_t before; /* and what the latest did */
    bool failed;     /* sticky: out of memory */
} tirbi_emitter;

/* Makes room for a word, or names its place. False: the emitter has failed. */
bool tirbi_emitter_prepare(tirbi_emitter *emitter);

/* Words that are a step of work: they are counted by who knows that they are not few. */
enum { TIRBI_WORDS_AT_ONCE = 8 };

/* Appends a word and returns its index; after a failure the index is 0 and the word is dropped. */
static inline uint32_t tirbi_translate_word(tirbi_emitter *emitter, tirbi_word word) {
    tirbi_words *const all = &emitter->all;
    uint32_t step = emitter->offset - emitter->before;
    if (all->n == emitter->whole || step > TIRBI_MOST_STEP) {
        if (!tirbi_emitter_prepare(emitter)) return 0;
        step = 0;
    }
    emitter->before = emitter->offset;
    all->words[all->n] = word;
    all->steps[all->n] = (uint8_t)step;
    return all->n++;
}

/* The place that a late word comes from, if the one before it came from `before`. */
uint32_t tirbi_emitter_place(const tirbi_emitter *emitter, uint32_t word, uint32_t before);
/* Drops the words from number n on. */
void tirbi_emitter_cut(tirbi_emitter *emitter, uint32_t n);
/* Gives the words away, which take no more memory than they need: few are copied to the arena, the emitter's own tables
 * are those of many, which leave it empty. False: out of memory. */
bool tirbi_emitter_give(tirbi_emitter *emitter, tirbi_arena *arena, tirbi_words *out);
/* False: the heap's watch is to stop, and some of it is still there. */
bool tirbi_emitter_release(tirbi_emitter *emitter);

#endif
