/* The regions that blocks read and write, where the text leaves them out. */
#ifndef TIRB_COMPILER_IR_ACCESS_H
#define TIRB_COMPILER_IR_ACCESS_H

#include "compiler/ir/builder.h"

/* Gives those of the n blocks that have no reads or no writes what TVM's parser would give them: for each buffer from
 * outside of the block the smallest box around its accesses, as the loops inside of the block run. Where the box is not
 * a sum of variables with constant factors, or an access cannot be seen (a pointer is taken, a match buffer is used), a
 * block stays without, which means the same: who reads its text finds the regions then.
 *
 * Blocks come behind those that they contain. The root block of a function has no regions. */
void tirbi_detect_access(tirbi_builder *b, tirb_block *const *blocks, uint32_t n, const tirb_block *root);

#endif
