/* The oracle: a plain interpreter of the typed AST, written from the specification. It shares nothing with the compiler
 * or the VM but the AST, the generic mathematics of vm/math and loader/base. */
#ifndef TIRB_TESTS_REFERENCE_REFERENCE_H
#define TIRB_TESTS_REFERENCE_REFERENCE_H

#include <tirb/compiler.h>

#include "compiler/ir/ir.h"

typedef struct tirb_reference_options {
    tirb_fp_mode fp;
    uint64_t max_steps; /* 0: unlimited; else FUEL when exceeded */
    uint32_t max_depth; /* 0: 200 */
    const tirb_import *imports; /* what the host offers, found by name alone: any types fit */
    uint32_t n_imports;
} tirb_reference_options;

/* Calls function `name` of a checked module, with the arguments of tirb_instance_call and the same errors. */
tirb_status tirb_reference_call(const tirb_irmodule *module, const char *name, const tirb_reference_options *options,
                                const tirb_arg *args, uint32_t n_args, tirb_result *result, tirb_error *error);

#endif
