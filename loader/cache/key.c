#include "loader/cache/key.h"

#include <xxhash.h>

tirbi_key tirbi_hash_xxh3(const void *bytes, size_t size, uint64_t seed) {
    XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, seed);
    return (tirbi_key){.low = hash.low64, .high = hash.high64};
}
