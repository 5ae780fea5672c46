/* Whether what a form leaves in a register is read on any way on from there, before the register is written again.
 * Followed are a few registers of a function, which only forms name that tell what they read: those whose results could
 * go from a form into the next one without being written. */
#ifndef TIRB_VM_TRANSLATE_LIVE_H
#define TIRB_VM_TRANSLATE_LIVE_H

#include "vm/translate/conditions.h"
#include "vm/translate/emit.h"

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
    uint32_t live;     /* the followed registers that are read from there on */
} tirbi_landing;

/* Both in the order of the words. */
typedef struct tirbi_jumps {
    const tirbi_jump *all;
    uint32_t n;
    tirbi_landing *landings;
    uint32_t n_landings;
} tirbi_jumps;

enum { TIRBI_MOST_FOLLOWED = 32 };

/* Registers as bits, where code has been gone through backwards to. */
typedef struct tirbi_live {
    const tirbi_words *words;
    const tirbi_conditions *conditions;
    const tirbi_jumps *jumps;
    uint32_t n_jumps, n_landings; /* those before */
    uint32_t now;
    bool changed; /* something at a landing, since the end of the code */
} tirbi_live;

static inline uint32_t tirbi_live_bit(const tirbi_conditions *c, uint16_t x) {
    const unsigned named = x < c->n_named ? c->named[x] : 0;
    return named >= TIRBI_FIRST_FOLLOWED ? UINT32_C(1) << (named - TIRBI_FIRST_FOLLOWED) : 0;
}

/* Begins at the end of the words, which are of single instructions; */
void tirbi_live_begin(tirbi_live *live);
/* goes back by those of the instruction that begins at this place, and returns what is live behind it. */
uint32_t tirbi_live_before(tirbi_live *live, uint32_t place);
/* Whether the form writes the register that its first word names as a. */
bool tirbi_live_writes_a(unsigned form);
/* Finds what is live at each landing. False: it takes too many turns. */
bool tirbi_live_settle(tirbi_live *live, tirbi_heap *heap);

#endif
