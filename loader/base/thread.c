#include "loader/base/thread.h"

#include <signal.h>

/* More than 1 where frames are larger than a user's: CMakeLists.txt. */
#ifndef TIRB_THREAD_STACK_TIMES
#define TIRB_THREAD_STACK_TIMES 1
#endif

/* Where what the process keeps for each thread leaves too little of the stack, it has the size that others have. */
static bool create(pthread_t *out, void *(*run)(void *argument), void *argument) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    bool created = pthread_attr_setstacksize(&attributes, (size_t)TIRBI_THREAD_STACK * TIRB_THREAD_STACK_TIMES) == 0 &&
                   pthread_create(out, &attributes, run, argument) == 0;
    pthread_attr_destroy(&attributes);
    return created || pthread_create(out, NULL, run, argument) == 0;
}

bool tirbi_thread_start(pthread_t *out, void *(*run)(void *argument), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    bool created = create(out, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}
