/* Lane loops that only move elements: their boxes are copied, transposed or filled as a whole. */
#ifndef TIRB_VM_EXEC_LANE_COPY_H
#define TIRB_VM_EXEC_LANE_COPY_H

#include "vm/exec/lane_body.h"
#include "vm/exec/machine.h"
#include "vm/exec/reach.h"

/* Finds the copies and fills that the whole body is, if it is nothing else; loop->outer is known. */
tirb_status tirbi_lane_copy_find(const lane_body *body, tirbi_lane_loop *loop, tirbi_code *code);

/* Whether the loop's boxes may be gone through in any order: each written element is written once. */
bool tirbi_lane_copy_fits(const tirbi_lane_loop *loop, const tirbi_reach *reaches);

/* Does what the loop does, whose cursors are checked and whose written elements keep apart. */
tirb_status tirbi_lane_copy_run(const tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_reach *reaches,
                                const uint64_t *slots);

#endif
