/* Lane loops that are one thing as a whole: copies and fills, and scans of which only the end is read. */
#ifndef TIRB_VM_TRANSLATE_LANE_WHOLE_H
#define TIRB_VM_TRANSLATE_LANE_WHOLE_H

#include "vm/translate/lane_body.h"

/* Finds the copies and fills that the whole body is, if it is nothing else; loop->outer is known. */
tirb_status tirbi_lane_copy_find(const lane_body *body, tirbi_lane_loop *loop, tirbi_code *code);

/* Sets loop->ending if the whole body is such a scan, of elements that are loaded, of scalars, or of what one operation
 * gives of two of these. False: out of memory. */
bool tirbi_lane_find_ending(const lane_body *body, tirbi_code *code, tirbi_lane_loop *loop);

#endif
