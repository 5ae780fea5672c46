/* Subscripts that are inside of their dimension because of the sizes that a function was called with. */
#ifndef TIRB_COMPILER_LOOP_INSIDE_H
#define TIRB_COMPILER_LOOP_INSIDE_H

#include "compiler/loop/loop.h"

/* Whether a subscript lies in 0 .. extent - 1 wherever the loops of its variables run, with what is known of sizes;
 * NULL: no more than their types and quotients tell. */
bool tirbi_known_inside(struct tirbi_facts *known, const tirbi_lx *index, const tirbi_lx *extent);
/* Whether an extent is at most so much by what is known of sizes; NULL: nothing is. */
bool tirbi_known_at_most(struct tirbi_facts *known, const tirbi_lx *extent, int64_t most);

#endif
