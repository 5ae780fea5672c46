/* Lane loops that only move elements: their boxes are copied, transposed or filled as a whole. */
#ifndef TIRB_VM_ENTER_LANE_COPY_H
#define TIRB_VM_ENTER_LANE_COPY_H

#include "loader/isa/reach.h"
#include "vm/machine/machine.h"

/* Whether the loop's boxes may be gone through in any order: each written element is written once. */
bool tirbi_lane_copy_fits(const tirbi_lane_loop *loop, const tirbi_reach *reaches);

/* What a fill stores, of elements of `size` bytes, over and over in 8 bytes. */
uint64_t tirbi_lane_fill_pattern(const tirbi_lane_copy *fill, const uint64_t *slots, size_t size);

/* Does what the loop does, whose cursors are checked and whose written elements keep apart; in_any_order: nothing that
 * is written is reached by another cursor. */
tirb_status tirbi_lane_copy_run(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_reach *reaches,
                                const uint64_t *slots, bool in_any_order);

/* What a machine knows of entries of such loops: as many places, and boxes of one loop. */
enum { TIRBI_COPIES_KNOWN = 8, TIRBI_KNOWN_BOXES = 4 };
struct tirbi_lane_again;

/* Enters a loop of copies whose entries may be repeated. */
tirb_status tirbi_lane_copies_enter(tirbi_machine *machine, const tirbi_lane_loop *loop,
                                    const tirbi_lane_inputs *inputs);
/* Runs one that is entered again. */
tirb_status tirbi_lane_copies_run(tirbi_machine *machine, tirbi_lane_copies *copies, const tirbi_lane_inputs *inputs);
const struct tirbi_lane_again *tirbi_lane_copies_again(const tirbi_lane_copies *copies,
                                                       const tirbi_lane_inputs *inputs);
/* Gives back what the machine knows of all of them. */
void tirbi_lane_copies_forget(tirbi_machine *machine);

/* Whether a copy writes far more than the caches hold, to memory of which nothing is read soon. */
bool tirbi_lane_goes_past(const tirbi_machine *machine, const tirbi_lane_loop *loop, unsigned cursor, uint64_t bytes);
/* Of all elements that a cursor means in lanes and loops. */
uint64_t tirbi_lane_bytes_of(const tirbi_reach *r, unsigned dimensions);

#endif
