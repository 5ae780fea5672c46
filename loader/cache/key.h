/* The keys of both caches: XXH3-128. It is fast and spreads well, and anybody can make two texts with the same key. So
 * a key only finds a candidate; whoever uses one compares the bytes. */
#ifndef TIRB_LOADER_CACHE_KEY_H
#define TIRB_LOADER_CACHE_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tirbi_key {
    uint64_t low, high;
} tirbi_key;

/* A cache takes its hash function as a parameter, so that tests can make everything collide. */
typedef tirbi_key (*tirbi_hash)(const void *bytes, size_t size, uint64_t seed);

tirbi_key tirbi_hash_xxh3(const void *bytes, size_t size, uint64_t seed);

static inline bool tirbi_key_equal(tirbi_key a, tirbi_key b) { return a.low == b.low && a.high == b.high; }

#endif
