/* A module's functions, each through the passes and emitted, and the program that they make. */
#ifndef TIRB_COMPILER_PIPELINE_MODULE_H
#define TIRB_COMPILER_PIPELINE_MODULE_H

#include "compiler/pipeline/result.h"

/* The program of a lowered module; NULL when memory ran out (r->arena.failed) or an error was reported. What is too
 * large is reported, too, where a program is returned. `disabled` is a set of TIRB_PASS_*. */
tirbi_program *tirbi_make_program(tirb_compile_result *r, tirbi_lmodule *module, const tirb_compile_options *options,
                                  uint32_t disabled);

#endif
