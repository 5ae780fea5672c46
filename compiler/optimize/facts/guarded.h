/* Which loops have iterations that do not come to an access in them. */
#ifndef TIRB_COMPILER_OPTIMIZE_FACTS_GUARDED_H
#define TIRB_COMPILER_OPTIMIZE_FACTS_GUARDED_H

#include "compiler/loop/loop.h"

/* Sets the guards of all places in a function's body, and the levels of all loops, before anything is made of it:
 * passes keep them. Each iteration of a loop whose level is above a place's guard comes to the place, if the loops
 * between them do. */
void tirbi_find_guarded(const tirbi_ls *body);
/* Where the body of a loop, whose places are its own, has lost conditions: what stands under none of those left is come
 * to by every iteration of the loop. Nothing in it leaves an iteration. */
void tirbi_reach_places(const tirbi_ls *body, const tirbi_lvar *loop);

#endif
