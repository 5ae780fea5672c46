#include "loader/base/secret.h"

#include <time.h>

/* The finalizer of SplitMix64: each bit of the result depends on each bit of x. */
static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

uint64_t tirbi_secret(const void *memory) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t time = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    return mix(mix((uint64_t)(uintptr_t)memory) + mix((uint64_t)(uintptr_t)&now) + time);
}
