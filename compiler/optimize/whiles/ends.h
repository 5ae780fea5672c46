/* What an iteration of a while loop ends with, on each of its ways. */
#ifndef TIRB_COMPILER_OPTIMIZE_WHILES_ENDS_H
#define TIRB_COMPILER_OPTIMIZE_WHILES_ENDS_H

#include "compiler/loop/loop.h"

/* while c: if x: a  else: b  d  becomes  while c: if x: a; d; continue  b  d, where d is little, so that no way jumps
 * to it. while going == 1 and c, where iterations end with going = 0 or leave it alone, becomes if going == 1: while c,
 * of which those iterations break. For code that is about to be made: other passes see less in it. The loop itself
 * where nothing changes, or memory ran out. */
const tirbi_ls *tirbi_end_iterations(tirbi_lx_pool *pool, const tirbi_ls *loop);

#endif
