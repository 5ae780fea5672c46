#include "fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("fuzz: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

uint8_t *fuzz_allocate(size_t size) {
    uint8_t *memory = malloc(size ? size : 1);
    if (!memory) fuzz_fail("no memory for %zu bytes", size);
    return memory;
}

uint8_t *fuzz_copy(const void *data, size_t size) {
    uint8_t *copy = fuzz_allocate(size);
    if (size > 0) memcpy(copy, data, size);
    return copy;
}

void fuzz_heap_close(const tirbi_heap *heap, const char *what) {
    if (heap->used != 0) fuzz_fail("%s keeps %llu bytes", what, (unsigned long long)heap->used);
}

int64_t fuzz_interesting(fuzz_random *r) {
    static const int64_t values[] = {0,         1,         -1,        2,
                                     -2,        3,         7,         8,
                                     15,        16,        17,        31,
                                     32,        33,        63,        64,
                                     65,        127,       128,       -128,
                                     255,       256,       1000,      16383,
                                     16384,     32767,     -32768,    65535,
                                     65536,     INT32_MAX, INT32_MIN, UINT32_MAX,
                                     -3,        100,       1LL << 40, -(1LL << 40),
                                     INT64_MAX, INT64_MIN, 1LL << 61, INT64_MAX - 1};
    if (fuzz_one_in(r, 8)) return (int64_t)fuzz_next(r);
    return values[fuzz_below(r, sizeof(values) / sizeof(values[0]))];
}
