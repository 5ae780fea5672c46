/* What a batch of calls takes: processor time, or instructions that somebody else counts. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/bench.h"

static const volatile uint64_t *counter; /* in a file that the counter writes to; NULL: processor time */

bool bench_count_from(const char *path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *counter, PROT_READ, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) fprintf(stderr, "bench: cannot map %s: %s\n", path, strerror(errno));
    if (file >= 0) close(file);
    if (mapped != MAP_FAILED) counter = mapped;
    return mapped != MAP_FAILED;
}

bool bench_counts(void) { return counter != NULL; }

/* Processor time is this process's: what else runs on the machine does not count. */
double bench_now(void) {
    struct timespec t;
    if (counter != NULL) return (double)*counter;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
