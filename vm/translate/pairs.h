/* The choice of forms of two or three instructions for a translated function's words: see pairs.def. */
#ifndef TIRB_VM_TRANSLATE_PAIRS_H
#define TIRB_VM_TRANSLATE_PAIRS_H

#include "vm/translate/live.h"

/* Of words whose jumps have their distances. */
void tirbi_pair_forms(const tirbi_words *all, const tirbi_conditions *conditions, const tirbi_jumps *jumps,
                      tirbi_heap *heap);

#endif
