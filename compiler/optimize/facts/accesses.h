/* What straight-line code reaches. */
#ifndef TIRB_COMPILER_OPTIMIZE_FACTS_ACCESSES_H
#define TIRB_COMPILER_OPTIMIZE_FACTS_ACCESSES_H

#include "compiler/optimize/facts/affine.h"

enum { TIRBI_MAX_ACCESSES = 32 };

typedef struct tirbi_reached {
    const tirbi_place *place;
    bool stored;
} tirbi_reached;

typedef struct tirbi_accesses {
    tirbi_reached item[TIRBI_MAX_ACCESSES]; /* in program order, what a statement loads before what it stores */
    uint32_t n;
    tirbi_loop_set sets; /* the variables that it sets */
} tirbi_accesses;

/* Adds those of a statement. False where they are too many, or it is more than stores, assignments and conditions. */
bool tirbi_find_accesses(tirbi_accesses *out, const tirbi_ls *stmt);

#endif
