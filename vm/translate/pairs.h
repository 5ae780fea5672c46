/* The choice of forms of two or three instructions for a translated function's words: see pairs.def. */
#ifndef TIRB_VM_TRANSLATE_PAIRS_H
#define TIRB_VM_TRANSLATE_PAIRS_H

#include "vm/machine/room.h"
#include "vm/translate/live.h"

/* Of words whose jumps have their distances, and the instructions that they are of in their order. `room` is for
 * temporaries. False: out of memory. */
bool tirbi_pair_forms(const tirbi_words *all, tirbi_form *forms, uint32_t n, const tirbi_conditions *conditions,
                      const tirbi_jumps *jumps, tirbi_room *room, tirbi_heap *heap);

#endif
