/* Deadlines: one timer thread per engine, started by the first call that has one.
 *
 * A call with a timeout reads the clock once and enters its deadline in the timer's list; the thread sets the stop word
 * of those that pass. Arming, disarming and firing hold the timer's lock, so that after tirbi_deadline_disarm the timer
 * cannot stop whatever the instance does next. After fork() the child has no thread and an empty list, and starts its
 * own thread with its first deadline. */
#ifndef TIRB_VM_LIMITS_DEADLINE_H
#define TIRB_VM_LIMITS_DEADLINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <tirb/status.h>

#include "loader/base/process.h"
#include "vm/limits/stops.h"

typedef struct tirbi_deadline {
    struct tirbi_deadline *previous, *next; /* while armed */
    tirbi_stops *stops;                     /* of the call that is to end with DEADLINE */
    uint64_t time;                          /* CLOCK_MONOTONIC, nanoseconds */
    int64_t process;                        /* that armed it; 0: not armed */
} tirbi_deadline;

typedef struct tirbi_timer {
    tirbi_process process;
    /* The process that the rest of this struct belongs to: 2 * pid, plus 1 while it is being made anew after a fork. */
    _Atomic int64_t owner;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool running;
    bool quit;
    uint64_t wake; /* when the thread wakes up next by itself; UINT64_MAX: never */
    tirbi_deadline *armed;
} tirbi_timer;

tirb_status tirbi_timer_init(tirbi_timer *timer, tirb_error *error);
/* Stops and joins the thread, if this process has one. No deadline is armed. */
void tirbi_timer_destroy(tirbi_timer *timer);

/* Stops a call once `timeout_ns` nanoseconds have passed. Errors: NO_MEMORY when the thread cannot be started. */
tirb_status tirbi_deadline_arm(tirbi_timer *timer, tirbi_deadline *deadline, tirbi_stops *stops, uint64_t timeout_ns,
                               tirb_error *error);
/* Nanoseconds until an armed deadline; 0: it has passed. */
uint64_t tirbi_deadline_left(const tirbi_deadline *deadline);
/* Whether the deadline has passed, be it fired or not. */
bool tirbi_deadline_disarm(tirbi_timer *timer, tirbi_deadline *deadline);

#endif
