/* Loops that count the bits of a number. */
#ifndef TIRB_COMPILER_OPTIMIZE_WHILES_BITS_H
#define TIRB_COMPILER_OPTIMIZE_WHILES_BITS_H

#include "compiler/loop/loop.h"

/* for b in range(8): s = s + ((x >> b) & 1) becomes s = s + popcount(x), where s is an integer in a variable or in
 * memory and x stays the same. Fewer iterations than x has bits count the lowest ones. So does while x != 0: s = s + 1;
 * x = x & (x - 1), or one that shifts the bits out, where x is a variable, which is 0 then. The statement with all such
 * loops replaced. */
const tirbi_ls *tirbi_count_bits(tirbi_lx_pool *pool, const tirbi_ls *body);

#endif
