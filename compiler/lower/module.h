/* From the AST of a module to its loop IR. */
#ifndef TIRB_COMPILER_LOWER_MODULE_H
#define TIRB_COMPILER_LOWER_MODULE_H

#include "compiler/loop/loop.h"

/* Lowers a checked module. Reports what is not supported; NULL when memory ran out. */
tirbi_lmodule *tirbi_lower_module(const tirb_irmodule *module, const tirb_compile_options *options, tirbi_arena *arena,
                                  tirbi_diagnostics *diagnostics);

#endif
