#define _GNU_SOURCE /* affinity */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/run.h"

enum { MAX_CPUS = 4096, PATH_SIZE = 1024 };

static uint32_t cpus_of_affinity(void) {
    cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
    size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
    int n = set && sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 1;
    CPU_FREE(set);
    return n > 0 ? (uint32_t)n : 1;
}

/* Reads up to two numbers of a file; "max" counts as none. Returns how many there were. */
static int read_numbers(const char *path, long long *first, long long *second) {
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    char text[64] = "";
    int n = fgets(text, sizeof text, file) ? sscanf(text, "%lld %lld", first, second) : 0;
    fclose(file);
    return n < 0 ? 0 : n;
}

static uint32_t quota_to_cpus(long long quota, long long period, uint32_t limit) {
    if (quota <= 0 || period <= 0) return limit;
    long long cpus = quota / period + (quota % period != 0);
    return cpus < limit ? (uint32_t)cpus : limit;
}

/* The tightest quota of the version 2 group `group` and of the groups around it. */
static uint32_t limit_by_group(char *group, uint32_t limit) {
    for (;;) {
        char path[PATH_SIZE];
        long long quota, period;
        int length = snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
        if (length > 0 && (size_t)length < sizeof path && read_numbers(path, &quota, &period) == 2) {
            limit = quota_to_cpus(quota, period, limit);
        }
        char *slash = strrchr(group, '/');
        if (!slash) return limit;
        *slash = '\0';
    }
}

uint32_t usable_cpus(void) {
    uint32_t limit = cpus_of_affinity();
    FILE *groups = fopen("/proc/self/cgroup", "re");
    char line[PATH_SIZE];
    while (groups && fgets(line, sizeof line, groups)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::", 3) == 0) limit = limit_by_group(line + 3, limit);
    }
    if (groups) fclose(groups);
    long long quota, period, ignored; /* version 1 */
    if (read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", &quota, &ignored) >= 1 &&
        read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_period_us", &period, &ignored) >= 1) {
        limit = quota_to_cpus(quota, period, limit);
    }
    return limit;
}
