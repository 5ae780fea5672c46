/* What is left out of a compilation: because its options say so, and because it has done work enough. This is what the
 * rooms that ask see of the pipeline: names of the table of passes as a set of bits. */
#ifndef TIRB_COMPILER_PIPELINE_SWITCHES_H
#define TIRB_COMPILER_PIPELINE_SWITCHES_H

#include "loader/base/alloc.h"

/* The rows of the table by their place in it. */
enum {
#define PASS(ID, NAME, BY_SEARCH, RUN, SUMMARY) TIRBI_PASS_NUMBER_##ID,
#define FORM(ID, NAME, BY_SEARCH, SUMMARY)      TIRBI_PASS_NUMBER_##ID,
#include "compiler/pipeline/passes.def"
#undef FORM
#undef PASS
    TIRBI_PASSES
};

/* What a set of what is left out has in it: rows of the table, and what the option `parallel` says. */
enum {
#define PASS(ID, NAME, BY_SEARCH, RUN, SUMMARY) TIRB_PASS_##ID = 1 << TIRBI_PASS_NUMBER_##ID,
#define FORM(ID, NAME, BY_SEARCH, SUMMARY)      TIRB_PASS_##ID = 1 << TIRBI_PASS_NUMBER_##ID,
#include "compiler/pipeline/passes.def"
#undef FORM
#undef PASS
    TIRB_PASS_REGIONS = 1 << TIRBI_PASSES, /* running loops on several threads */
    TIRB_PASS_GRAIN = 2 << TIRBI_PASSES    /* asking whether they are worth it: each iteration may be a chunk */
};
_Static_assert(TIRBI_PASSES <= 29, "a set of passes fits an int");

/* What is found by a search. */
enum {
    TIRBI_PASSES_BY_SEARCH = TIRB_PASS_REGIONS
#define PASS(ID, NAME, BY_SEARCH, RUN, SUMMARY) | (BY_SEARCH ? TIRB_PASS_##ID : 0)
#define FORM(ID, NAME, BY_SEARCH, SUMMARY)      | (BY_SEARCH ? TIRB_PASS_##ID : 0)
#include "compiler/pipeline/passes.def"
#undef FORM
#undef PASS
};

/* A set of TIRB_PASS_*, which may grow while code is being made in the arena. */
static inline uint32_t tirbi_switched_off(uint32_t disabled, const tirbi_arena *arena) {
    return disabled | (tirbi_arena_may_try(arena) ? 0 : (uint32_t)TIRBI_PASSES_BY_SEARCH);
}

#endif
