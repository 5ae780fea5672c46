/* One program, run by the oracle and by the machine, and compared. */
#ifndef TIRB_TESTS_DIFFERENTIAL_PROGRAM_H
#define TIRB_TESTS_DIFFERENTIAL_PROGRAM_H

#include <tirb/compiler.h>

#include "compiler/ir/ir.h"
#include "tests/differential/bundles.h"
#include "tests/differential/random.h"

enum { TIRBI_DIFF_PARAMS = 64, TIRBI_DIFF_NDIM = 16, TIRBI_DIFF_KNOWN = 8, TIRBI_DIFF_NOW = 500 };

/* A value that a shape variable or a scalar parameter must have. */
typedef struct tirbi_diff_known {
    const char *name;
    int64_t value;
} tirbi_diff_known;

typedef struct tirbi_diff_request {
    const char *function; /* NULL: the one public function, or main */
    uint64_t seed;        /* of the arguments */
    const tirbi_diff_known *known;
    uint32_t n_known;
    bool strided;      /* some tensors are passed with strides */
    const bool *written; /* by numbers of variables, which data stores reach; NULL: all */
    bool stirs;        /* unusual sizes and scalars, calls with other arguments between, and limits of fuel */
    bool one_isa;      /* only the best instruction set */
    uint32_t variants; /* how many of the ways to compile, of which each leaves out an optimisation or some; 0: all */
    uint32_t sets;     /* how many sets of passes, drawn by the seed, are left out as well */
    char *now;         /* NULL, or TIRBI_DIFF_NOW bytes that say what is running, should it fault */
} tirbi_diff_request;

typedef enum tirbi_diff_outcome {
    TIRBI_DIFF_SAME,     /* equal results */
    TIRBI_DIFF_TRAPPED,  /* equal errors */
    TIRBI_DIFF_REFUSED,  /* constants that the parser folds do not fit: a legal answer to a random program */
    TIRBI_DIFF_REJECTED, /* the program has errors: the generator's or the compiler's fault */
    TIRBI_DIFF_UNSUPPORTED,
    TIRBI_DIFF_MISMATCH
} tirbi_diff_outcome;

/* Runs a function of the bundles' text everywhere. `report` gets what differs, or why it was rejected. */
tirbi_diff_outcome tirbi_diff_run(const tirbi_diff_request *request, tirbi_diff_bundles *bundles, tirbi_text *report);

/* Calls `visit` with the name of each public function of a program; false when it does not parse. */
bool tirbi_diff_functions(const char *text, size_t size, void (*visit)(void *context, const char *name), void *context,
                          tirbi_text *report);

/* ---- Tensors (tensors.c) ---- */

/* One argument: its tensor's memory, whole with guards, and how it began. */
typedef struct tirbi_diff_tensor {
    DLTensor tensor;
    int64_t shape[TIRBI_DIFF_NDIM], strides[TIRBI_DIFF_NDIM];
    uint8_t *memory; /* NULL: in that of another one */
    uint8_t *initial;
    size_t size, front; /* front: the bytes of the guard before it */
    uint8_t *pages;     /* what is mapped for it */
    size_t pages_size;
    bool shared; /* its memory holds another tensor too */
} tirbi_diff_tensor;

typedef struct tirbi_diff_args {
    uint32_t n;
    tirb_arg args[TIRBI_DIFF_PARAMS];
    tirbi_diff_tensor tensors[TIRBI_DIFF_PARAMS];
} tirbi_diff_args;

/* Arguments for a function; false (with `report`) when its shapes cannot be made up. */
bool tirbi_diff_make_args(const tirb_primfunc *function, const tirbi_diff_request *request, tirbi_diff_args *out,
                          tirbi_text *report);
/* Puts the initial contents back. */
void tirbi_diff_reset_args(tirbi_diff_args *args);
void tirbi_diff_free_args(tirbi_diff_args *args);

#endif
