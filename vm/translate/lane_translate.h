/* Translation of lane loops. */
#ifndef TIRB_VM_TRANSLATE_LANE_TRANSLATE_H
#define TIRB_VM_TRANSLATE_LANE_TRANSLATE_H

#include "vm/translate/constants.h"
#include "vm/translate/emit.h"

/* Translates a lane loop, whose LANE instruction was decoded into `instr`, and appends its bodies. */
tirb_status tirbi_lane_translate(tirbi_code *code, const tirbi_function *function, const tirbi_instr *instr,
                                 tirbi_constants *constants, tirbi_emitter *emitter, tirbi_lane_loop *loop,
                                 tirbi_lane_bodies *bodies, tirb_error *error);

/* When all loops are translated. */
/* False: the heap's watch is to stop, and it is still there. */
bool tirbi_lane_clear_desk(tirbi_code *code);

#endif
