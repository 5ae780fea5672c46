/* What a misspelt name may have been meant to be. */
#ifndef TIRB_COMPILER_SOURCE_SUGGEST_H
#define TIRB_COMPILER_SOURCE_SUGGEST_H

#include <stdint.h>

/* The nearest of the candidates so far for a misspelt name; `best` is NULL if none is near. */
typedef struct tirbi_suggestion {
    const char *wanted;
    const char *best;
    uint32_t distance;
} tirbi_suggestion;
void tirbi_suggest(tirbi_suggestion *suggestion, const char *candidate);

#endif
