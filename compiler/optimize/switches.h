/* What the optimizer leaves out: because the options say so, and because a compilation has done work enough. */
#ifndef TIRB_COMPILER_OPTIMIZE_SWITCHES_H
#define TIRB_COMPILER_OPTIMIZE_SWITCHES_H

#include <tirb/compiler.h>

#include "loader/base/alloc.h"

/* What is found by a search. */
enum { TIRBI_PASSES_BY_SEARCH = TIRB_PASS_LANES | TIRB_PASS_INTERCHANGE | TIRB_PASS_CONTRACT | TIRB_PASS_REGIONS |
                                TIRB_PASS_FUSE | TIRB_PASS_DIGITS | TIRB_PASS_SEQUENCES | TIRB_PASS_PARTS };

/* A set of TIRB_PASS_*, which may grow while code is being made in the arena. */
static inline uint32_t tirbi_switched_off(const tirb_compile_options *options, const tirbi_arena *arena) {
    return options->disabled | (tirbi_arena_may_try(arena) ? 0 : (uint32_t)TIRBI_PASSES_BY_SEARCH);
}

#endif
