/* While loops that go on as long as memory says. */
#ifndef TIRB_COMPILER_OPTIMIZE_WHILES_AHEAD_H
#define TIRB_COMPILER_OPTIMIZE_WHILES_AHEAD_H

#include "compiler/loop/loop.h"

/* while j >= 0 and A[j] > key: A[j + 1] = A[j]; j = j - 1: where the condition still holds some rounds later, lanes
 * look for the first round where it does not, and those before it are a loop of their own. Returns a statement that
 * does as many rounds of the while loop as it likes, to stand right before it; NULL where the loop is none of that kind
 * (or memory ran out). `before` is the statement that stands there, or NULL. */
const tirbi_ls *tirbi_run_ahead(tirbi_lx_pool *pool, const tirbi_ls *loop, const tirbi_ls *before);

#endif
