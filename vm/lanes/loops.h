/* Bodies of lane loops as loops from memory to memory, one behind the other, over as many lanes as strips hold. */
#ifndef TIRB_VM_LANES_LOOPS_H
#define TIRB_VM_LANES_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "vm/lanes/word.h"

/* Does `lanes` lanes: `word` says how many at a time, and how far behind it the last loop's words end. Each loop has
 * three: the pointers of its destination and operands, by how many bytes each goes on with a lane, and its kernel. No
 * pointer of the table moves. */
void tirbi_lane_loops(const tirbi_word *word, uint8_t *const *pointers, size_t lanes);

#endif
