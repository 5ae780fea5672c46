/* Going through loops of rows (vm/machine/row_loop.h). */
#ifndef TIRB_VM_ENTER_ROW_LOOP_H
#define TIRB_VM_ENTER_ROW_LOOP_H

#include "vm/machine/machine.h"
#include "vm/machine/row_loop.h"

/* At the LOOP_ROWS word `at`, which has counted and is about to go back to *next: goes through rows, and leaves in
 * *next where the scalar machine goes on. */
tirb_status tirbi_row_loop_run(tirbi_machine *machine, const tirbi_word *at, const tirbi_word **next);

#endif
