/* The team: the threads of an engine that run the chunks of forks beside the calling thread.
 *
 * Workers are started by the first job that has use for them, look for the next one for some microseconds and then
 * sleep. One job runs at a time; who finds the team busy does its job alone. No affinity is set, and workers take no
 * signals. After fork() the child has no workers and starts its own. */
#ifndef TIRB_VM_TEAM_TEAM_H
#define TIRB_VM_TEAM_TEAM_H

#include <stdint.h>

#include <tirb/tirb.h>

#include "loader/base/alloc.h"

typedef struct tirbi_team tirbi_team;

/* Participant `who` of a job: takes what is left to do until there is nothing left. */
typedef void (*tirbi_team_work)(void *context, uint32_t who);

/* `max_threads` counts the calling thread; 0: as many as there are CPUs to run on, `cpus`. With `host`, its threads are
 * used and none are started. Errors: NO_MEMORY. */
tirb_status tirbi_team_create(tirbi_heap *heap, uint32_t max_threads, uint32_t cpus, const tirb_parallel_for *host,
                              tirbi_team **out, tirb_error *error);
/* Stops and joins the workers, if this process has any. No job is running. */
void tirbi_team_destroy(tirbi_team *team);

/* Runs work(context, 0) on the calling thread and work(context, who), with different who below n, on the workers that
 * come before that has ended, perhaps on none. Returns when all of them have ended. `team` may be NULL. */
void tirbi_team_run(tirbi_team *team, uint32_t n, tirbi_team_work work, void *context);

#endif
