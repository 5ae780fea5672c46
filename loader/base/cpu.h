/* How many CPUs this process may use. */
#ifndef TIRB_LOADER_BASE_CPU_H
#define TIRB_LOADER_BASE_CPU_H

#include <stdint.h>

/* At least 1: the CPUs of the affinity mask. */
uint32_t tirbi_usable_cpus(void);

/* At least 1: `cpus`, or fewer where the CPU quota of a control group, of version 1 or 2, gives less time than that; a
 * part of a CPU counts as one. Reads files below /proc and /sys/fs/cgroup, with `root` before these paths. */
uint32_t tirbi_cpus_by_quota(const char *root, uint32_t cpus);

#endif
