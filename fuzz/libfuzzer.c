/* libFuzzer's entry points for one target: compiled once per target, with FUZZ_TARGET its variable. */
#include <string.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

size_t fuzz_mutate_bytes(uint8_t *data, size_t size, size_t max_size) { return LLVMFuzzerMutate(data, size, max_size); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FUZZ_TARGET.run(data, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    fuzz_random random = fuzz_seed(seed);
    if (!FUZZ_TARGET.mutate) return fuzz_mutate_bytes(data, size, max_size);
    return FUZZ_TARGET.mutate(data, size, max_size, &random);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t max_size, unsigned seed) {
    fuzz_random random = fuzz_seed(seed);
    size_t made = FUZZ_TARGET.cross ? FUZZ_TARGET.cross(a, a_size, b, b_size, out, max_size, &random) : 0;
    if (made > 0) return made;
    size_t kept = a_size < max_size ? a_size : max_size;
    if (kept > 0) memcpy(out, a, kept);
    return fuzz_mutate_bytes(out, kept, max_size);
}
