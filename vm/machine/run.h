/* A run of a translated program: what its caller gives and gets, and what references and handles are. */
#ifndef TIRB_VM_MACHINE_RUN_H
#define TIRB_VM_MACHINE_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/tirb.h>

#include "loader/base/alloc.h"
#include "vm/limits/stops.h"
#include "vm/machine/fpu.h"
#include "vm/machine/spares.h"
#include "vm/team/team.h"

/* A reference as the VM holds it: `size` bytes at `data`, elements of `type`. Null is size 0. What a frame holds has
 * their number as well, which the index of an access is compared with. */
typedef struct tirbi_ref {
    uint8_t *data;
    uint64_t size;
    uint8_t type;
    bool writable;
    bool of_much; /* it is a chunk's part of TIRBI_MUCH bytes or more */
    uint64_t count;
} tirbi_ref;

/* Far more memory than a core's share of the caches holds. */
#define TIRBI_MUCH ((uint64_t)1 << 24)

static inline bool tirbi_ref_is_much(const tirbi_ref *ref) { return ref->of_much || ref->size >= TIRBI_MUCH; }

/* A handle is the number of an entry of a call's table, from 1 on, under this tag; 0 is the null handle. */
#define TIRBI_HANDLE_TAG UINT64_C(0x7469726200000000)

typedef struct tirbi_code tirbi_code;

/* Calls what the host has bound to an import: `scalars` and `refs` hold its scalar parameters, as registers hold them,
 * and its views, each in order. Fills *result if the import returns. In a region
 * other threads may be calling at the same time. An error ends the run. */
typedef tirb_status (*tirbi_import_gate)(void *context, uint32_t import, bool in_region, const uint64_t *scalars,
                                         const tirbi_ref *refs, uint64_t *result, tirb_error *error);

/* Makes parameter `param`, an open result, a tensor of these extents, which has so many bytes (UINT64_MAX: no tensor
 * has), with the first elements of `from`. */
typedef tirb_status (*tirbi_result_gate)(void *context, uint32_t param, const int64_t *extents, uint64_t bytes,
                                         const tirbi_ref *from, tirb_error *error);

#define TIRBI_NO_LINE UINT32_MAX

/* What the probes of profiled code count. Entries of line tables are numbered through all functions. */
typedef struct tirbi_profile {
    uint64_t *runs;                /* by entry: how often a run came to it */
    atomic_uint_least32_t current; /* the entry that runs; TIRBI_NO_LINE outside of a run. Read by other threads */
} tirbi_profile;

/* A run that has come to its end, of a function that did nothing but enter some lane loops, as its arguments told: run
 * again with the same ones, it enters the same loops in the same way. */
enum { TIRBI_REPEATED_LOOPS = 8 };
typedef struct tirbi_repeat {
    bool known; /* false: there is none */
    uint32_t function;
    uint64_t drops; /* of the spares so far: with the next one they may no longer be what the run has left */
    uint32_t n_loops;
    const struct tirbi_lane_loop *loops[TIRBI_REPEATED_LOOPS];
    struct tirbi_frame *frame; /* all in the spares, as the run has left them */
    uint8_t *lane_states;
    struct tirbi_lane_copies *copies;
    uint64_t fuel; /* that the run has taken beside its loops */
    uint64_t result;
    size_t peak; /* of the heap */
} tirbi_repeat;

/* What lane loops need of a machine: those of a function, and of all that it leads to. */
typedef struct tirbi_lane_needs {
    uint32_t pointers;  /* of any loop */
    uint32_t n_states;  /* of a machine, */
    size_t state_size;  /* with all that belongs to one */
    size_t scratch;
} tirbi_lane_needs;

static inline void tirbi_lane_needs_raise(tirbi_lane_needs *needs, const tirbi_lane_needs *more) {
    if (more->pointers > needs->pointers) needs->pointers = more->pointers;
    if (more->n_states > needs->n_states) needs->n_states = more->n_states;
    if (more->state_size > needs->state_size) needs->state_size = more->state_size;
    if (more->scratch > needs->scratch) needs->scratch = more->scratch;
}

/* One run. The caller fills the first part; the run fills the second. */
typedef struct tirbi_run {
    const tirbi_code *code;
    tirbi_heap *heap; /* frames, scratch and allocations; its budget is the memory limit */
    const atomic_uint *stop;
    tirbi_stops *stops; /* which `stop` belongs to; NULL: chunks run in order */
    uint64_t fuel; /* UINT64_MAX: unlimited */
    uint32_t max_depth;
    tirbi_import_gate import; /* NULL: a call of an import traps */
    void *import_context;
    tirbi_result_gate result; /* NULL: there are no open results */
    void *result_context;
    uint32_t threads; /* of forks; 0 counts as 1 */
    tirbi_store *store; /* of spares, whose first ones are the heap's keeper */
    tirbi_team *team; /* NULL: the calling thread is alone */
    tirbi_profile *profile; /* of profiled code, which one thread runs; NULL of other */
    const tirbi_ref *handles; /* what the first handles name: handle TIRBI_HANDLE_TAG + 1 + i names handles[i] */
    uint32_t n_handles;
    tirbi_fpu_state host; /* floating-point state of the thread that calls */
    uint32_t place;       /* of this run and its spares */
    tirbi_repeat repeats[TIRBI_PLACES]; /* of the run before in each place */
    tirbi_lane_needs needs; /* of the function */

    uint64_t fuel_used;
    uint32_t trap_function; /* where a trap happened: function and byte offset in its code */
    uint32_t trap_offset;
} tirbi_run;

#endif
