/* Which process this is, at the price of a load. */
#ifndef TIRB_LOADER_BASE_PROCESS_H
#define TIRB_LOADER_BASE_PROCESS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The number of the process in a page that the kernel clears in children: who finds 0 there is one of them, asks, and
 * notes the answer. Where no kernel does that, everybody asks every time. */
typedef struct tirbi_process {
    _Atomic int64_t *number; /* NULL: there is no such page */
    size_t page;             /* its size */
} tirbi_process;

void tirbi_process_init(tirbi_process *process);
void tirbi_process_destroy(tirbi_process *process);
/* What getpid() returns. Safe from any thread. */
int64_t tirbi_process_number(const tirbi_process *process);

#endif
