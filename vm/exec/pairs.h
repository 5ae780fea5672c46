/* The choice of forms of two or three instructions for a translated function's words: see pairs.def. */
#ifndef TIRB_VM_EXEC_PAIRS_H
#define TIRB_VM_EXEC_PAIRS_H

#include "vm/exec/conditions.h"
#include "vm/exec/emit.h"

#define TIRBI_NO_BACK UINT32_MAX

typedef struct tirbi_jump {
    uint32_t word;   /* the jump's first word */
    uint32_t field;  /* the word that holds the distance */
    uint32_t target; /* byte offset */
    uint32_t back;   /* byte offset of the back whose cost is not known yet, or TIRBI_NO_BACK */
} tirbi_jump;

/* Of words whose jumps have their distances. */
void tirbi_pair_forms(const tirbi_words *all, const tirbi_conditions *conditions, const tirbi_jump *jumps,
                      uint32_t n_jumps);

#endif
