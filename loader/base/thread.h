/* The threads that the library starts: workers of teams and timers. */
#ifndef TIRB_LOADER_BASE_THREAD_H
#define TIRB_LOADER_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Bytes of such a thread's stack: what the library needs, at most 64 KiB, and as much again and more for the C library
 * and for functions of the host that are called there. */
enum { TIRBI_THREAD_STACK = 256 << 10 };

/* Starts a thread that takes no signals: they are the host's. */
bool tirbi_thread_start(pthread_t *out, void *(*run)(void *argument), void *argument);

#endif
