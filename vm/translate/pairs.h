/* The choice of forms of two or three instructions for a translated function's words: see pairs.def. */
#ifndef TIRB_VM_TRANSLATE_PAIRS_H
#define TIRB_VM_TRANSLATE_PAIRS_H

#include "vm/machine/words.h"

#define TIRBI_NO_BACK UINT32_MAX

typedef struct tirbi_jump {
    uint32_t word;    /* the jump's first word */
    uint32_t field;   /* the word that holds the distance */
    uint32_t landing; /* number of what it leads to */
    uint32_t back;    /* byte offset of the back whose cost is not known yet, or TIRBI_NO_BACK */
} tirbi_jump;

/* What something jumps to. */
typedef struct tirbi_landing {
    uint32_t word;     /* the first one of the instruction */
    uint32_t weight;   /* of what stands before it */
    uint32_t unlooked; /* what has run since the last look where something jumps there, at most */
} tirbi_landing;

/* Both in the order of the words. */
typedef struct tirbi_jumps {
    const tirbi_jump *all;
    uint32_t n;
    tirbi_landing *landings;
    uint32_t n_landings;
} tirbi_jumps;

/* Of words whose jumps have their distances, and the first words of the instructions that they are of, in their order.
 * It ends early where the heap's watch says so, which tirbi_work_seen tells. */
void tirbi_pair_forms(const tirbi_words *all, const uint32_t *forms, uint32_t n, const tirbi_jumps *jumps,
                      const tirbi_heap *heap);

#endif
