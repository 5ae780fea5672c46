#include "vm/limits/stops.h"

#include "loader/base/error.h"

/* The call's word first: a fork that clears the participants' words looks at it afterwards. */
void tirbi_stop(tirbi_stops *stops, unsigned reason) {
    unsigned run = TIRBI_RUN;
    if (!atomic_compare_exchange_strong(&stops->call, &run, reason)) return;
    for (unsigned i = 0; i < TIRBI_MAX_CHUNKS; i++) atomic_fetch_or(&stops->participants[i], reason);
}

tirb_status tirbi_stop_status(unsigned stop, tirb_error *error) {
    if (stop & TIRBI_STOP_DEADLINE) return tirbi_error_set(error, TIRB_DEADLINE, "the call's time is up");
    if (stop & TIRBI_STOP_CANCEL) return tirbi_error_set(error, TIRB_CANCELLED, "the call was cancelled");
    if (stop & TIRBI_STOP_VOID) return tirbi_error_set(error, TIRB_CANCELLED, "a chunk before this one has trapped");
    return TIRB_OK;
}
