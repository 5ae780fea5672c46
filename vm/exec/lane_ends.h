/* Lane loops that are one scan of which only the end is read: a row's sum, product or extreme, in order. */
#ifndef TIRB_VM_EXEC_LANE_ENDS_H
#define TIRB_VM_EXEC_LANE_ENDS_H

#include "vm/exec/lane_body.h"
#include "vm/exec/machine.h"

/* Sets loop->ending if the whole body is such a scan, of elements that are loaded, of scalars, or of what one operation
 * gives of two of these. False: out of memory. */
bool tirbi_lane_find_ending(const lane_body *body, tirbi_code *code, tirbi_lane_loop *loop);

/* Does what a loop with an ending does for n > 0 lanes. */
tirb_status tirbi_lane_end_row(tirbi_machine *machine, const tirbi_lane_loop *loop, int64_t n);

#endif
