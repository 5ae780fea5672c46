#include "loader/base/watch.h"

#include <time.h>

/* Some tens of microseconds. */
enum { LOOK_EVERY = 256 };

uint64_t tirbi_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void tirbi_watch_stop(tirbi_watch *watch, tirb_status why) {
    if (watch->stopped == TIRB_OK) watch->stopped = why;
    watch->look_at = 0;
}

bool tirbi_watch_look(tirbi_watch *watch) {
    if (watch->stopped != TIRB_OK) return false;
    watch->look_at = watch->work + LOOK_EVERY;
    if (watch->work > watch->max_work) tirbi_watch_stop(watch, TIRB_FUEL);
    else if (watch->cancelled && atomic_load_explicit(watch->cancelled, memory_order_relaxed) != 0)
        tirbi_watch_stop(watch, TIRB_CANCELLED);
    else if (watch->deadline != UINT64_MAX && tirbi_clock_ns() >= watch->deadline)
        tirbi_watch_stop(watch, TIRB_DEADLINE);
    return watch->stopped == TIRB_OK;
}
