/* The words by which other threads stop a run. */
#ifndef TIRB_VM_LIMITS_STOPS_H
#define TIRB_VM_LIMITS_STOPS_H

#include <stdatomic.h>

#include <tirb/tirb.h>

#include "loader/isa/isa.h"

/* Why a run should stop, set by another thread and polled where fuel is charged, in long straight code and inside
 * long instructions. VOID stops a chunk behind one that has trapped. */
enum { TIRBI_RUN = 0, TIRBI_STOP_CANCEL = 1, TIRBI_STOP_DEADLINE = 2, TIRBI_STOP_VOID = 4 };

/* A call's words to poll: its own, and one for each participant of a fork. */
typedef struct tirbi_stops {
    atomic_uint call;
    atomic_uint participants[TIRBI_MAX_CHUNKS];
} tirbi_stops;

/* Asks the call to stop, unless that was done before: the first reason stays. Safe from any thread. */
void tirbi_stop(tirbi_stops *stops, unsigned reason);

/* What a run ends with that was asked to stop so; OK: it was not. */
tirb_status tirbi_stop_status(unsigned stop, tirb_error *error);

#endif
