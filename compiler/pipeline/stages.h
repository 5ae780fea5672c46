/* The stages of a compilation, from the table of languages to the bundle. */
#ifndef TIRB_COMPILER_PIPELINE_STAGES_H
#define TIRB_COMPILER_PIPELINE_STAGES_H

#include "compiler/ir/ir.h"
#include "compiler/pipeline/result.h"

/* The AST of the result's source, in its language. Errors: those reported, and what stops a compilation. */
tirb_status tirbi_read_source(tirb_compile_result *r, const tirb_irmodule **out, tirb_error *error);

/* From an AST to the bundle: it is checked, what it needs of Relax and of the library becomes functions, and these are
 * lowered, optimized, emitted, verified and written. Errors: as above; INTERNAL for a program that does not verify. */
tirb_status tirbi_run_stages(tirb_compile_result *r, const tirb_irmodule *ast, const tirb_compile_options *options,
                             tirb_error *error);

#endif
