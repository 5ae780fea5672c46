/* The words of a translated function, and where in its code they come from. */
#ifndef TIRB_VM_MACHINE_WORDS_H
#define TIRB_VM_MACHINE_WORDS_H

#include <stdint.h>

#include "loader/base/alloc.h"
#include "vm/lanes/word.h"

enum { TIRBI_MOST_STEP = UINT8_MAX };

/* A word whose place is named: the byte offset of the instruction that it came from. */
typedef struct tirbi_origin {
    uint32_t word;
    uint32_t offset;
} tirbi_origin;

/* A translated function's words. A word comes from so many bytes behind where the one before it does as its step says,
 * but for those whose places are named: where code goes back or far on, and every so often. */
typedef struct tirbi_words {
    tirbi_word *words;
    uint8_t *steps;        /* by word */
    tirbi_origin *origins; /* in order, the first of them that of the first word */
    uint32_t n, n_origins;
} tirbi_words;

/* The place that a word comes from. */
uint32_t tirbi_words_place(const tirbi_words *words, uint32_t word);
/* Words from this number on have memory of their own, and fewer are in the program's arena. */
enum { TIRBI_MANY_WORDS = 1 << 12 };
/* Frees what is not in the arena. */
void tirbi_words_release(const tirbi_words *words, tirbi_heap *heap);

#endif
