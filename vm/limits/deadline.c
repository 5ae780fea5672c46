#include "vm/limits/deadline.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include "loader/base/error.h"
#include "loader/base/thread.h"
#include "vm/limits/stops.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

#define NS_PER_SECOND UINT64_C(1000000000)

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

static void wait_until(tirbi_timer *timer, uint64_t when) {
    struct timespec time = {.tv_sec = (time_t)(when / NS_PER_SECOND), .tv_nsec = (long)(when % NS_PER_SECOND)};
    pthread_cond_timedwait(&timer->changed, &timer->lock, &time);
}

static void unlink_deadline(tirbi_timer *timer, tirbi_deadline *deadline) {
    if (deadline->previous) deadline->previous->next = deadline->next;
    if (deadline->next) deadline->next->previous = deadline->previous;
    if (timer->armed == deadline) timer->armed = deadline->next;
    deadline->process = 0;
}

/* Fires what has passed and returns the earliest of the rest. */
static uint64_t fire(tirbi_timer *timer, uint64_t time) {
    uint64_t earliest = UINT64_MAX;
    tirbi_deadline *next;
    for (tirbi_deadline *d = timer->armed; d; d = next) {
        next = d->next;
        if (d->time > time) {
            if (d->time < earliest) earliest = d->time;
            continue;
        }
        tirbi_stop(d->stops, TIRBI_STOP_DEADLINE);
        unlink_deadline(timer, d);
    }
    return earliest;
}

static void *timer_main(void *argument) {
    tirbi_timer *timer = argument;
#ifdef __linux__
    prctl(PR_SET_TIMERSLACK, 1UL); /* ns: it wakes 50 us late otherwise */
#endif
    pthread_mutex_lock(&timer->lock);
    while (!timer->quit) {
        timer->wake = fire(timer, now());
        if (timer->wake == UINT64_MAX) {
            pthread_cond_wait(&timer->changed, &timer->lock);
        } else {
            wait_until(timer, timer->wake);
        }
    }
    pthread_mutex_unlock(&timer->lock);
    return NULL;
}

static bool start_thread(tirbi_timer *timer) {
    timer->wake = UINT64_MAX;
    timer->running = tirbi_thread_start(&timer->thread, timer_main, timer);
    return timer->running;
}

static bool init_parts(tirbi_timer *timer) {
    timer->running = timer->quit = false;
    timer->wake = UINT64_MAX;
    timer->armed = NULL;
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) return false;
    bool made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(&timer->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (made && pthread_mutex_init(&timer->lock, NULL) != 0) {
        pthread_cond_destroy(&timer->changed);
        made = false;
    }
    return made;
}

tirb_status tirbi_timer_init(tirbi_timer *timer, tirb_error *error) {
    if (!init_parts(timer)) return tirbi_error_set(error, TIRB_NO_MEMORY, "the deadline timer cannot be made");
    tirbi_process_init(&timer->process);
    atomic_init(&timer->owner, tirbi_process_number(&timer->process) * 2);
    return TIRB_OK;
}

/* Makes the timer this process's own. The lock, the list and the thread that fork() copied belong to the parent: the
 * lock may be held by one of its threads, so they are made anew, by whichever thread of the child comes first. */
static bool adopt(tirbi_timer *timer, int64_t process) {
    int64_t self = process * 2;
    for (;;) {
        int64_t owner = atomic_load_explicit(&timer->owner, memory_order_acquire);
        if (owner == self) return true;
        if (owner == self + 1) {
            sched_yield();
        } else if (atomic_compare_exchange_strong(&timer->owner, &owner, self + 1)) {
            bool made = init_parts(timer);
            atomic_store_explicit(&timer->owner, made ? self : 0, memory_order_release);
            if (!made) return false;
        }
    }
}

void tirbi_timer_destroy(tirbi_timer *timer) {
    bool mine = atomic_load(&timer->owner) == tirbi_process_number(&timer->process) * 2;
    tirbi_process_destroy(&timer->process);
    if (!mine) return;
    if (timer->running) {
        pthread_mutex_lock(&timer->lock);
        timer->quit = true;
        pthread_cond_signal(&timer->changed);
        pthread_mutex_unlock(&timer->lock);
        pthread_join(timer->thread, NULL);
    }
    pthread_cond_destroy(&timer->changed);
    pthread_mutex_destroy(&timer->lock);
}

tirb_status tirbi_deadline_arm(tirbi_timer *timer, tirbi_deadline *deadline, tirbi_stops *stops, uint64_t timeout_ns,
                               tirb_error *error) {
    int64_t process = tirbi_process_number(&timer->process);
    if (!adopt(timer, process)) return tirbi_error_set(error, TIRB_NO_MEMORY, "the deadline timer cannot be made");
    uint64_t time;
    if (__builtin_add_overflow(now(), timeout_ns, &time) || time > INT64_MAX) time = INT64_MAX;
    pthread_mutex_lock(&timer->lock);
    bool started = timer->running || start_thread(timer);
    if (started) {
        *deadline = (tirbi_deadline){.next = timer->armed, .stops = stops, .time = time, .process = process};
        if (timer->armed) timer->armed->previous = deadline;
        timer->armed = deadline;
        if (time < timer->wake) {
            timer->wake = time;
            pthread_cond_signal(&timer->changed);
        }
    }
    pthread_mutex_unlock(&timer->lock);
    if (!started) return tirbi_error_set(error, TIRB_NO_MEMORY, "the deadline timer's thread cannot be started");
    return TIRB_OK;
}

bool tirbi_deadline_disarm(tirbi_timer *timer, tirbi_deadline *deadline) {
    /* A deadline that a parent process armed is in no list of this one. */
    int64_t process = tirbi_process_number(&timer->process);
    if (atomic_load_explicit(&timer->owner, memory_order_acquire) == process * 2) {
        pthread_mutex_lock(&timer->lock);
        if (deadline->process == process) unlink_deadline(timer, deadline);
        pthread_mutex_unlock(&timer->lock);
    }
    return tirbi_deadline_left(deadline) == 0;
}

uint64_t tirbi_deadline_left(const tirbi_deadline *deadline) {
    uint64_t time = now();
    return deadline->time > time ? deadline->time - time : 0;
}
