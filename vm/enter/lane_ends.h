/* Lane loops that are one scan of which only the end is read: a row's sum, product or extreme, in order. */
#ifndef TIRB_VM_ENTER_LANE_ENDS_H
#define TIRB_VM_ENTER_LANE_ENDS_H

#include "vm/machine/machine.h"

/* Elements that others number are brought together first, where no more are in a row. */
enum { TIRBI_NAMED_IN_ROW = 64 };
static inline bool tirbi_lane_ends_row(const tirbi_lane_loop *loop, int64_t n) {
    return loop->ending && (!loop->ending->is_named || n <= TIRBI_NAMED_IN_ROW);
}

/* Does what a loop with an ending does for n > 0 lanes, of which it ends a row. */
tirb_status tirbi_lane_end_row(tirbi_machine *machine, const tirbi_lane_loop *loop, int64_t n);

#endif
