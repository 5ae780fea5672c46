/* Names of passes in the options of a compilation. */
#ifndef TIRB_COMPILER_PIPELINE_NAMES_H
#define TIRB_COMPILER_PIPELINE_NAMES_H

#include <tirb/compiler.h>

/* Reads names of the table of passes with commas between, `all` among them, as a set of TIRB_PASS_*; NULL: none.
 * Errors: MISUSE for a name that is not there, with those that are. */
tirb_status tirbi_read_passes(const char *names, uint32_t *out_set, tirb_error *error);

/* What options, whose names of passes have been read before, say is left out: a set of TIRB_PASS_*. */
uint32_t tirbi_left_out(const tirb_compile_options *options);

/* Whether the loop IR before and after what has this name can be shown. Errors: MISUSE where there is no such pass over
 * loop IR, with those that there are. */
tirb_status tirbi_check_view(const char *pass, tirb_error *error);

#endif
