/* Execution of translated programs, by a computed-goto loop (a switch where TIRB_SWITCH_DISPATCH is defined). */
#ifndef TIRB_VM_EXEC_EXECUTE_H
#define TIRB_VM_EXEC_EXECUTE_H

#include "vm/machine/run.h"

/* Runs a function. `scalars` holds its scalar parameters and then the shape variables that are none, as registers hold
 * them; `refs` its tensor parameters. Memory comes from run->heap and is all given back. Rounds to nearest with
 * subnormals and restores the host's floating-point state. On a trap the message says what was wrong with the values;
 * the caller adds the place. */
tirb_status tirbi_execute(tirbi_run *run, uint32_t function, const uint64_t *scalars, const tirbi_ref *refs,
                          uint64_t *result, tirb_error *error);

/* Before a run in another place. */
static inline void tirbi_run_turn(tirbi_run *call, uint32_t place) {
    call->place = place;
    tirbi_spares_turn(call->store->spares, place);
}
/* Whether tirbi_execute_again may run the function, given that its arguments are those of the run before in its place.
 */
static inline bool tirbi_may_execute_again(const tirbi_run *call, uint32_t function) {
    const tirbi_repeat *last = &call->repeats[call->place];
    return last->known && last->function == function && last->drops == call->store->spares->drops;
}
tirb_status tirbi_execute_again(tirbi_run *run, uint64_t *result, tirb_error *error);

#endif
