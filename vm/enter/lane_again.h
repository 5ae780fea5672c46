/* Entering a lane loop as it was entered before.
 *
 * What an entry checks and sets up follows from some scalar registers and from where references lead. A machine has
 * states for several loops, and its spares keep them from call to call: where a loop's state is still that of its last
 * entry, which has run to its end, and these are what they were, only what the run has changed is set anew. */
#ifndef TIRB_VM_ENTER_LANE_AGAIN_H
#define TIRB_VM_ENTER_LANE_AGAIN_H

#include "vm/enter/lane_entry.h"

/* Loops that look at more are entered anew each time. */
enum { TIRBI_AGAIN_INPUTS = 16, TIRBI_AGAIN_REFS = 16, TIRBI_AGAIN_STARTS = 32, TIRBI_LANE_STATES = 4 };

/* A row that all others read, and where copies of it lie one behind the other, `all` bytes: they are made at each
 * entry. */
typedef struct tirbi_lane_repeat {
    const uint8_t *from;
    uint8_t *to;
    size_t bytes, all;
} tirbi_lane_repeat;
enum { TIRBI_MAX_REPEATS = 8 };

/* Of one state. */
typedef struct tirbi_lane_again {
    const tirbi_lane_loop *loop;  /* whose entry this is; NULL: of none that may be repeated */
    const tirbi_lane_loop *brief; /* whose entries of few lanes the state is prepared for; NULL: no loop's */
    const uint64_t *slots;        /* of the frame */
    uint64_t more; /* of brief entries: the lanes behind the first one that spans are of; UINT64_MAX: of none */
    uint64_t steps[TIRBI_MAX_CURSORS], spans[TIRBI_MAX_CURSORS]; /* by cursor that is no row of elements */
    const tirbi_lane_machine *machinery;
    bool streams_at_once; /* the pointers stay where they are */
    uint64_t cost;        /* fuel */
    uint32_t n_starts;
    uint32_t missed; /* entries in a row that were not like the one before */
    uint64_t inputs[TIRBI_AGAIN_INPUTS];
    struct {
        const uint8_t *data;
        uint64_t size;
    } refs[TIRBI_AGAIN_REFS];
    uint32_t n_repeats;
    tirbi_lane_repeat repeats[TIRBI_MAX_REPEATS];
    uint8_t *starts[TIRBI_AGAIN_STARTS]; /* the cursors' pointers before the first lane, of all rows that go at once */
} tirbi_lane_again;

/* Finds what entering a translated loop looks at, but for its state's place; slots from `first_constant` on never
 * change. Returns false without memory. */
bool tirbi_lane_find_inputs(const tirbi_lane_loop *loop, uint32_t first_constant, tirbi_arena *arena,
                            tirbi_lane_inputs *out);

/* Where it is in each state's memory. */
static inline tirbi_lane_again *tirbi_lane_again_of(tirbi_lane_state *state) {
    return (tirbi_lane_again *)(void *)((uint8_t *)state + sizeof(tirbi_lane_state_and_gaps));
}

/* Sets machine->lanes to the loop's state, which is to be set up. */
static inline tirb_status tirbi_lane_take_state(tirbi_machine *machine, const tirbi_lane_inputs *inputs,
                                                tirbi_lane_state **out) {
    if (!machine->lane_states) TIRBI_TRY(tirbi_lane_make_states(machine));
    *out = machine->lanes = tirbi_lane_state_at(machine->needs, machine->lane_states, inputs);
    tirbi_lane_again_of(*out)->brief = NULL;
    return TIRB_OK;
}

/* Whether the loop's state is as an entry would set it. */
static inline bool tirbi_lane_is_again(const tirbi_lane_again *again, const tirbi_lane_loop *loop,
                                       const tirbi_lane_inputs *inputs, const uint64_t *slots, const tirbi_ref *refs) {
    if (again->loop != loop || again->slots != slots) return false;
    for (unsigned i = 0, n = inputs->n_slots; i < n; i++)
        if (slots[inputs->slots[i]] != again->inputs[i]) return false;
    for (unsigned i = 0, n = inputs->n_refs; i < n; i++) {
        const tirbi_ref *ref = &refs[inputs->slots[inputs->n_slots + i]];
        if (ref->data != again->refs[i].data || ref->size != again->refs[i].size) return false;
    }
    return true;
}

/* After so many entries with other inputs, a loop's are rarely noted. */
enum { TIRBI_LANE_PATIENCE = 4 };

/* Before an entry that sets up the state: whether its inputs are noted for the next one. Loops that are entered with
 * others each time are given up but for some attempts. */
bool tirbi_lane_note_inputs(tirbi_lane_again *again, const tirbi_lane_loop *loop, const tirbi_lane_inputs *inputs,
                            const uint64_t *slots, const tirbi_ref *refs);
/* Sets up all of the loop's state but what follows from the cursors and the number of lanes, for entries that go
 * through the lanes once, in order. */
void tirbi_lane_prepare(tirbi_machine *machine, const tirbi_lane_loop *loop, uint64_t *slots);
/* The machine with the smallest banks that hold all of some lanes. */
static inline const tirbi_lane_machine *tirbi_lane_find_banks(const tirbi_lane_loop *loop,
                                                              const tirbi_lane_machine *wide, uint64_t n,
                                                              uint32_t *lanes) {
    const tirbi_lane_machine *chosen = wide;
    *lanes = loop->lanes;
    if (n <= loop->least_lanes) {
        *lanes = loop->least_lanes;
        return loop->least;
    }
    for (const tirbi_lane_machine *m = loop->in_short ? wide->narrow : NULL; m; m = m->narrow) {
        const uint32_t fewer = m->bank_bytes >> __builtin_ctz(loop->main_size);
        if (n > fewer) break;
        chosen = m;
        *lanes = fewer;
    }
    return chosen;
}

/* Copies them, but for what is so already where they were made before and no other loop has used the scratch. */
void tirbi_lane_repeat_rows(const tirbi_lane_again *again, bool are_made);
/* When the state is set up, after the inputs were noted. */
void tirbi_lane_note_starts(tirbi_lane_again *again, const tirbi_lane_state *state, const tirbi_lane_loop *loop,
                            const tirbi_lane_machine *machinery);
/* Runs a loop that is entered again. */
tirb_status tirbi_lane_run_again(tirbi_machine *machine, const tirbi_lane_loop *loop, const tirbi_lane_inputs *inputs);

#endif
