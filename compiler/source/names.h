/* Names of a text, each of them kept once. */
#ifndef TIRB_COMPILER_SOURCE_NAMES_H
#define TIRB_COMPILER_SOURCE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "loader/base/alloc.h"

/* Names are interned, so that equal names are equal pointers. */
typedef struct tirbi_names {
    tirbi_arena *arena;
    const char **slots;
    uint32_t n, capacity; /* a power of two */
} tirbi_names;

/* NULL when out of memory. */
const char *tirbi_intern(tirbi_names *names, const char *text, size_t size);

#endif
