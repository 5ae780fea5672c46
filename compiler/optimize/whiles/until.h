/* Loops that an iteration leaves. */
#ifndef TIRB_COMPILER_OPTIMIZE_WHILES_UNTIL_H
#define TIRB_COMPILER_OPTIMIZE_WHILES_UNTIL_H

#include "compiler/optimize/rewriting/statements.h"

/* for i: A; if c: B; break; C becomes a search for the first iteration where c holds, the iterations before it
 * without the condition, and what is done of that one. c reads nothing that the loop stores to and cannot fail.
 * `loop` is the one that is not left any more, `stmt` all of it. False where the loop is none of that kind (or
 * memory ran out). */
bool tirbi_search_end(tirbi_lx_pool *pool, const tirbi_ls *loop, tirbi_arranged *out);

#endif
