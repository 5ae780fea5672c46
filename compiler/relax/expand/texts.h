/* The texts of the operators (ops/), as ops.cmake builds them in. */
#ifndef TIRB_COMPILER_RELAX_EXPAND_TEXTS_H
#define TIRB_COMPILER_RELAX_EXPAND_TEXTS_H

#include <stddef.h>

typedef struct tirbi_relax_text {
    const char *name;
    const char *text; /* not terminated */
    size_t size;
} tirbi_relax_text;

extern const tirbi_relax_text tirbi_relax_texts[];
extern const unsigned tirbi_n_relax_texts;

#endif
