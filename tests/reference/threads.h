/* Threads that meet at tvm_storage_sync: each runs on a stack of its own until it arrives there. */
#ifndef TIRB_TESTS_REFERENCE_THREADS_H
#define TIRB_TESTS_REFERENCE_THREADS_H

#include "tests/reference/machine.h"

/* Whether a loop or attribute over threads (of this tag) has a sync in it. */
bool tirbi_ref_synchronises(const char *thread_tag, const tirb_stmt *body);
/* Runs `body` once for each value min .. min + extent - 1 of `var`: all of them up to a sync before what follows it. */
tirbi_ref_flow tirbi_ref_run_threads(tirbi_ref_machine *m, const tirb_expr *var, int64_t min, int64_t extent,
                                     const tirb_stmt *body);
/* At a sync. */
tirbi_ref_flow tirbi_ref_synchronise(tirbi_ref_machine *m, const tirb_expr *sync);
/* A reduction over threads: each arrives with its values, and all that differ in the named threads alone get the
 * result. */
tirbi_ref_flow tirbi_ref_allreduce(tirbi_ref_machine *m, const tirb_expr *call);
/* The memory that another thread has allocated for all at this execution of the allocation, or NULL. */
tirbi_ref_memory *tirbi_ref_shared_memory(tirbi_ref_machine *m, const tirb_buffer *buffer);
/* What this thread has allocated, and all use from now on if they share it. */
bool tirbi_ref_share(tirbi_ref_machine *m, const tirb_buffer *buffer, tirbi_ref_memory *memory);
/* Whether memory lives as long as the threads that share it. */
bool tirbi_ref_is_shared(const tirbi_ref_machine *m, const tirbi_ref_memory *memory);

#endif
