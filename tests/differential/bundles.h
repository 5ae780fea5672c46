/* The bundles of one text: compiled in each way that is asked for, and loaded for each machine, once for all its
 * functions. */
#ifndef TIRB_TESTS_DIFFERENTIAL_BUNDLES_H
#define TIRB_TESTS_DIFFERENTIAL_BUNDLES_H

#include <stdbool.h>

#include <tirb/compiler.h>

enum { TIRBI_DIFF_NAMES = 1000 }; /* bytes of the names of all passes */

/* What a program is compiled with, as in the compiler's options. */
typedef struct tirbi_diff_variant {
    const char *disable;
    tirb_parallel parallel;
    const char *what;
} tirbi_diff_variant;

typedef struct tirbi_diff_bundle tirbi_diff_bundle;
typedef struct tirbi_diff_machine tirbi_diff_machine;

struct tirbi_diff_bundle {
    tirbi_diff_bundle *next;
    tirbi_diff_variant variant; /* with strings of its own */
    char disable[TIRBI_DIFF_NAMES], what[TIRBI_DIFF_NAMES];
    uint64_t max_work;
    tirb_status status;
    tirb_error error;
    tirb_compile_result *result;
    uint64_t work; /* that compiling took */
    tirbi_diff_machine *machines;
};

typedef struct tirbi_diff_bundles {
    const char *text;
    size_t size;
    tirb_fp_mode fp;
    tirbi_diff_bundle *first;
    bool prints_well; /* it has been seen to print as what it is, in every dialect */
} tirbi_diff_bundles;

/* What compiling that way gives, from its first use on; with `max_work` 0 within the default limit. NULL: no memory. */
tirbi_diff_bundle *tirbi_diff_compile(tirbi_diff_bundles *bundles, const tirbi_diff_variant *variant,
                                      uint64_t max_work);

/* Its module for this instruction set and at most so many threads, from its first use on. */
tirb_status tirbi_diff_load(tirbi_diff_bundle *bundle, tirb_isa isa, uint32_t threads, tirb_module **out,
                            tirb_error *error);

void tirbi_diff_free_bundles(tirbi_diff_bundles *bundles);

#endif
