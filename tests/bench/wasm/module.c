/* The twins as a WebAssembly module: what a peer that runs such modules calls. Arguments are set one by one, so that
 * the host need not know how twin_args lies in memory here. */
#include "tests/bench/bench.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

extern const twin twins[N_TWINS];
static twin_args args;

EXPORT(take) void *take(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

EXPORT(give) void give(void *memory) { free(memory); }

EXPORT(set_data) void set_data(int param, void *data) { args.data[param] = data; }

EXPORT(set_extent) void set_extent(int param, int dimension, int extent) { args.n[param][dimension] = extent; }

EXPORT(set_scalar) void set_scalar(int param, double value) { args.scalar[param] = value; }

EXPORT(set_scratch) void set_scratch(void *memory) { args.scratch = memory; }

/* The twin with this name, for `repeat`; -1: there is none. */
EXPORT(find) int find(const char *name) {
    int number = 0;
#define X(twin)                                                                                                        \
    if (strcmp(name, #twin) == 0) return number;                                                                       \
    number++;
    TWINS(X)
#undef X
    return -1;
}

EXPORT(repeat) void repeat(int number, int times) {
    for (int i = 0; i < times; i++) twins[number](&args);
}
