#include "loader/base/secret.h"

#include <time.h>

uint64_t tirbi_secret(const void *memory) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t time = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    return tirbi_mix(tirbi_mix((uint64_t)(uintptr_t)memory) + tirbi_mix((uint64_t)(uintptr_t)&now) + time);
}
