/* Finding loops of rows (vm/machine/row_loop.h). */
#ifndef TIRB_VM_TRANSLATE_ROW_PLAN_H
#define TIRB_VM_TRANSLATE_ROW_PLAN_H

#include "vm/machine/row_loop.h"
#include "vm/translate/constants.h"

/* Looks whether the code that the loop instruction `back` goes back to is such a loop around `loop`, the one lane loop
 * in it, which has been translated, and keeps what was found as inputs->rows. `in` is for instructions. */
tirb_status tirbi_row_loop_find(tirbi_code *code, const tirbi_function *function, const tirbi_instr *back,
                                tirbi_instr *in, tirbi_constants *constants, const tirbi_lane_loop *loop,
                                tirbi_lane_inputs *inputs, tirb_error *error);

#endif
