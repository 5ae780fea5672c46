/* What bounds a compilation, and what it says when that ended it. */
#ifndef TIRB_COMPILER_PIPELINE_LIMITS_H
#define TIRB_COMPILER_PIPELINE_LIMITS_H

#include <tirb/compiler.h>

#include "loader/base/alloc.h"

/* The options with the defaults of its limits in place of zeroes. */
void tirbi_limits_complete(tirb_compile_options *options);
/* A watch that begins now. */
tirbi_watch tirbi_limits_watch(const tirb_compile_options *options);
/* The error of a compilation that was stopped, or whose memory ran out. */
tirb_status tirbi_limits_error(const tirbi_watch *watch, const tirbi_heap *heap, const char *source, tirb_error *error);

#endif
