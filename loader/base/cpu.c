#define _GNU_SOURCE /* affinity */
#include "loader/base/cpu.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifdef __linux__
#include <sched.h>
#else
#include <unistd.h>
#endif

enum { PATH_SIZE = 1024, LINE_SIZE = 1024 };

uint32_t tirbi_usable_cpus(void) {
#ifdef __linux__
    enum { MAX_CPUS = 8192 };
    cpu_set_t set[MAX_CPUS / CPU_SETSIZE];
    int n = sched_getaffinity(0, sizeof set, set) == 0 ? CPU_COUNT_S(sizeof set, set) : 1;
#else
    long n = sysconf(_SC_NPROCESSORS_ONLN);
#endif
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

static bool join_path(char *out, const char *root, const char *middle, const char *group, const char *file) {
    int length = snprintf(out, PATH_SIZE, "%s%s%s/%s", root, middle, group, file);
    return length > 0 && length < PATH_SIZE;
}

/* The quota of one group. In version 2 it and its period share a file. */
static uint32_t limit_of(const char *root, const char *group, bool second_version, uint32_t limit) {
    char path[PATH_SIZE];
    long long quota = 0, period = 0, ignored = 0;
    if (second_version) {
        bool both =
            join_path(path, root, "/sys/fs/cgroup", group, "cpu.max") && read_numbers(path, &quota, &period) == 2;
        return both ? quota_to_cpus(quota, period, limit) : limit;
    }
    static const char *const places[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};
    for (unsigned i = 0; i < 2; i++) {
        if (!join_path(path, root, places[i], group, "cpu.cfs_quota_us") || read_numbers(path, &quota, &ignored) < 1)
            continue;
        if (!join_path(path, root, places[i], group, "cpu.cfs_period_us") || read_numbers(path, &period, &ignored) < 1)
            continue;
        return quota_to_cpus(quota, period, limit);
    }
    return limit;
}

/* The tightest quota of a group and of the groups around it. */
static uint32_t limit_by_group(const char *root, char *group, bool second_version, uint32_t limit) {
    for (;;) {
        limit = limit_of(root, group, second_version, limit);
        char *slash = strrchr(group, '/');
        if (!slash) return limit;
        *slash = '\0';
    }
}

static bool has_word(const char *list, size_t size, const char *word) {
    size_t length = strlen(word);
    for (size_t at = 0; at + length <= size; at++) {
        bool begins = at == 0 || list[at - 1] == ',';
        bool ends = at + length == size || list[at + length] == ',';
        if (begins && ends && memcmp(list + at, word, length) == 0) return true;
    }
    return false;
}

/* Lines of /proc/self/cgroup are "number:controllers:path"; version 2 has number 0 and no controllers. In a container
 * the path may be one that only the host sees: the group that is mounted is looked at as well. */
uint32_t tirbi_cpus_by_quota(const char *root, uint32_t cpus) {
    char path[PATH_SIZE], line[LINE_SIZE], top[] = "";
    FILE *groups = join_path(path, root, "/proc/self", "", "cgroup") ? fopen(path, "re") : NULL;
    while (groups && fgets(line, sizeof line, groups)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) continue;
        size_t size = (size_t)(group - controllers) - 1;
        bool second_version = strncmp(line, "0::", 3) == 0;
        if (second_version || has_word(controllers + 1, size, "cpu"))
            cpus = limit_by_group(root, group + 1, second_version, cpus);
    }
    if (groups) fclose(groups);
    cpus = limit_by_group(root, top, true, cpus);
    cpus = limit_by_group(root, top, false, cpus);
    return cpus > 0 ? cpus : 1;
}
