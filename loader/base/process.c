#define _GNU_SOURCE /* madvise */
#include "loader/base/process.h"

#include <stdbool.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#if defined(__linux__) && defined(MADV_WIPEONFORK)
/* Emulators may take any advice and follow none: one that takes what no kernel knows is not believed. */
static bool cleared_in_children(void *page, size_t size) {
    enum { UNKNOWN_ADVICE = -1 };
    return madvise(page, size, UNKNOWN_ADVICE) != 0 && madvise(page, size, MADV_WIPEONFORK) == 0;
}

void tirbi_process_init(tirbi_process *process) {
    *process = (tirbi_process){0};
    long size = sysconf(_SC_PAGESIZE);
    if (size <= 0) return;
    void *page = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (!cleared_in_children(page, (size_t)size)) {
        munmap(page, (size_t)size);
        return;
    }
    *process = (tirbi_process){.number = page, .page = (size_t)size};
}

void tirbi_process_destroy(tirbi_process *process) {
    if (process->number) munmap((void *)process->number, process->page);
    process->number = NULL;
}
#else
void tirbi_process_init(tirbi_process *process) { *process = (tirbi_process){0}; }
void tirbi_process_destroy(tirbi_process *process) { (void)process; }
#endif

int64_t tirbi_process_number(const tirbi_process *process) {
    if (!process->number) return getpid();
    int64_t number = atomic_load_explicit(process->number, memory_order_relaxed);
    if (number == 0) {
        number = getpid();
        atomic_store_explicit(process->number, number, memory_order_relaxed);
    }
    return number;
}
