/* From the AST of a module to its loop IR. */
#ifndef TIRB_COMPILER_LOWER_MODULE_H
#define TIRB_COMPILER_LOWER_MODULE_H

#include <tirb/compiler.h>

#include "compiler/loop/loop.h"

/* Lowers a checked module, without what is in `disabled`, a set of TIRB_PASS_*. Reports what is not supported; NULL
 * when memory ran out. */
tirbi_lmodule *tirbi_lower_module(const tirb_irmodule *module, tirb_fp_mode fp, uint32_t disabled, tirbi_arena *arena,
                                  tirbi_diagnostics *diagnostics);

#endif
