/* Lane loops that are one scan of which only the end is read: a row's sum, product or extreme, in order. */
#ifndef TIRB_VM_ENTER_LANE_ENDS_H
#define TIRB_VM_ENTER_LANE_ENDS_H

#include "vm/machine/machine.h"

/* Does what a loop with an ending does for n > 0 lanes. */
tirb_status tirbi_lane_end_row(tirbi_machine *machine, const tirbi_lane_loop *loop, int64_t n);

#endif
