/* The generator's random numbers and its text buffer. */
#ifndef TIRB_TESTS_DIFFERENTIAL_RANDOM_H
#define TIRB_TESTS_DIFFERENTIAL_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* splitmix64: small, seeded, the same everywhere. */
typedef struct tirbi_random {
    uint64_t state;
} tirbi_random;

uint64_t tirbi_random_next(tirbi_random *r);
/* 0 .. n - 1; n > 0. */
uint32_t tirbi_random_below(tirbi_random *r, uint32_t n);
/* True in `percent` of a hundred cases. */
bool tirbi_random_chance(tirbi_random *r, uint32_t percent);

/* Text that grows; `failed` when memory ran out. */
typedef struct tirbi_text {
    char *data;
    size_t size, capacity;
    bool failed;
} tirbi_text;

void tirbi_text_add(tirbi_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tirbi_text_free(tirbi_text *t);

#endif
