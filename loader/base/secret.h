/* Numbers that whoever wrote a bundle could not know: what spreads by them spreads whatever the bundle says. */
#ifndef TIRB_LOADER_BASE_SECRET_H
#define TIRB_LOADER_BASE_SECRET_H

#include <stdint.h>

/* Another one each time: where memory lies and what the clock shows, mixed. Results must not depend on it. */
uint64_t tirbi_secret(const void *memory);

/* The finalizer of SplitMix64: each bit of the result depends on each bit of x. */
static inline uint64_t tirbi_mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* The chain of a key, of 2 to the `bits` chains. Multiplying by the secret alone would not do: keys in a row, such as
 * registers have, fall into few chains for some secrets. */
static inline uint64_t tirbi_chain_of_key(uint64_t key, uint64_t secret, unsigned bits) {
    return tirbi_mix(key + secret) >> 1 >> (63 - bits);
}

#endif
