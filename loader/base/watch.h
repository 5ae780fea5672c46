/* What ends a computation before it is done: work, a deadline, whoever cancels it, want of memory.
 *
 * Work is counted in steps, which are the same on every machine, so that what depends on them does as well. The clock
 * and the flag are looked at as steps are counted, and only there. An arena that has a watch counts its allocations;
 * loops that make none count themselves. Once it is stopped, the arena allocates nothing any more: whoever can bear
 * that comes to an end soon. */
#ifndef TIRB_LOADER_BASE_WATCH_H
#define TIRB_LOADER_BASE_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <tirb/status.h>

typedef struct tirbi_watch {
    uint64_t work;                /* steps so far */
    uint64_t enough;              /* of them, from which on what need not be done is not (tirbi_arena_may_try) */
    uint64_t max_work;            /* more stop it; UINT64_MAX: none do */
    uint64_t look_at;             /* the steps at which the clock and the flag are looked at again */
    uint64_t deadline;            /* of tirbi_clock_ns; UINT64_MAX: none */
    const atomic_uint *cancelled; /* not 0: it is to stop; NULL: nobody can say so */
    bool each_step;               /* it is asked at each step, and not only every so many */
    tirb_status stopped;          /* why it was, or TIRB_OK */
} tirbi_watch;

/* A clock that only goes forwards. */
uint64_t tirbi_clock_ns(void);
/* The steps so far are past look_at: false when they are to be the last. */
bool tirbi_watch_look(tirbi_watch *watch);
/* Stops it, unless it is stopped already. */
void tirbi_watch_stop(tirbi_watch *watch, tirb_status why);

/* Counts steps; false when they are to be the last. */
static inline bool tirbi_watch_count(tirbi_watch *watch, uint64_t steps) {
    watch->work += steps;
    return watch->work < watch->look_at || tirbi_watch_look(watch);
}

#endif
