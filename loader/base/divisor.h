/* Magnitudes and common divisors of steps. */
#ifndef TIRB_LOADER_BASE_DIVISOR_H
#define TIRB_LOADER_BASE_DIVISOR_H

#include <stdint.h>

static inline uint64_t tirbi_magnitude(int64_t v) { return v < 0 ? 0 - (uint64_t)v : (uint64_t)v; }

/* The greatest common divisor; of 0 and n it is n. */
static inline uint64_t tirbi_common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
