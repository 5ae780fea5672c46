/* Bundles that run: an input is a bundle and, behind it, up to 8 bytes that seed its arguments and limits. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/execute.h"
#include "fuzz/mutate.h"

static bool run(const uint8_t *data, size_t size) {
    size_t bundle = fuzz_bundle_size(data, size);
    uint64_t seed = 0;
    if (size - bundle > 0) memcpy(&seed, data + bundle, size - bundle < sizeof(seed) ? size - bundle : sizeof(seed));
    uint8_t *exact = fuzz_copy(data, bundle);
    fuzz_modules modules;
    const bool loads = fuzz_modules_load(&modules, exact, bundle, NULL);
    if (loads) fuzz_modules_run(&modules, seed);
    fuzz_modules_release(&modules);
    free(exact);
    return loads;
}

const fuzz_target fuzz_target_run = {"run", run, fuzz_mutate_bundle, fuzz_cross_bundle};
