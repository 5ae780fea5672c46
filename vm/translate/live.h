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

/* An instruction of a translated function: its first word, and the form of it and the next instruction, where that
 * reads its result once; or 0. */
typedef struct tirbi_form {
    uint32_t place;
    uint16_t into;
    bool is_exchanged; /* if the second form is the one with its operands exchanged */
} tirbi_form;

/* What an instruction does to registers that are followed, and where control flow goes on: the instructions that do
 * nothing of this are left out. Registers are bits. */
typedef struct tirbi_effect {
    uint32_t form; /* the instruction's number */
    uint32_t reads, writes;
    uint32_t jumps, landings; /* how many there are before it */
    bool ends;                /* what stands behind it is not gone on to */
} tirbi_effect;

/* The effects of a function, from its last instruction to its first. */
typedef struct tirbi_live {
    const tirbi_jumps *jumps;
    tirbi_effect *effects;
    uint32_t n;
} tirbi_live;

static inline uint32_t tirbi_live_bit(const tirbi_conditions *c, uint16_t x) {
    const unsigned named = x < c->n_named ? c->named[x] : 0;
    return named >= TIRBI_FIRST_FOLLOWED ? UINT32_C(1) << (named - TIRBI_FIRST_FOLLOWED) : 0;
}

/* Whether the form writes the register that its first word names as a. */
bool tirbi_live_writes_a(unsigned form);
/* Finds the effects of instructions, which are single forms yet; there is room for as many as there are forms. */
void tirbi_live_begin(tirbi_live *live, const tirbi_words *words, const tirbi_conditions *conditions,
                      const tirbi_form *forms, uint32_t n_forms, const tirbi_heap *heap);
/* Leaves in `writes` of each effect what is live behind it. False: it takes too many turns. Both end early, with
 * nothing of use, when the heap's watch is to stop. */
bool tirbi_live_settle(tirbi_live *live, tirbi_heap *heap);

#endif
