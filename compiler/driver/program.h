/* A program named on the command line, source or bundle: its bytes, its module, its functions. */
#ifndef TIRB_COMPILER_DRIVER_PROGRAM_H
#define TIRB_COMPILER_DRIVER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/compiler.h>

#include "compiler/driver/cache.h"
#include "compiler/driver/command.h"
#include "compiler/driver/files.h"

/* A bundle, read from a .tirb file or compiled from a source. What a name does not tell, the first bytes do. */
typedef struct bundle {
    const uint8_t *bytes;
    size_t size;
    const char *file; /* the name for messages */
    bool was_source;
    bool was_cached;             /* the source was compiled by an earlier process */
    uint64_t compile_ns;         /* of a source: to compile it, or to find it compiled */
    void *memory;                /* of a file that was read */
    bool is_mapped;              /* it is the file itself */
    source_cache cache;          /* of a source that was found compiled */
    tirb_compile_result *result; /* of a source that was compiled */
} bundle;

/* Reads a file that has to be a source, with the values of -D in place, and says its language in `options`. EXIT_DONE:
 * the caller frees its bytes. */
exit_code source_read(const invocation *inv, const char *path, tirb_compile_options *options, file_bytes *out);

/* Reads or compiles `path` by the command's options (--fp, --max-errors) and prints diagnostics. EXIT_DONE: the caller
 * closes the bundle; else everything has been said. */
exit_code bundle_open(const invocation *inv, const char *path, bundle *out);
/* The same of a text that is at hand, and that `name` stands for in messages. */
exit_code bundle_compile(const invocation *inv, const char *name, file_bytes *text, bundle *out);
void bundle_close(bundle *bundle);

/* Verifies the bundle on an engine of the ISA that --isa or TIRB_ISA names, whose calls count their lines with
 * `profiles`. The caller releases both. */
exit_code bundle_load(const invocation *inv, const bundle *from, bool profiles, tirb_engine **out_engine,
                      tirb_module **out_module);

/* Says that a bundle was rejected. */
exit_code fail_bundle(const invocation *inv, const bundle *from, tirb_status status, const tirb_error *error);

/* The function that -f names; without it the only public one or the one called main. */
exit_code function_choose(const invocation *inv, const bundle *from, const tirb_module *module, uint32_t *out);

/* ---- diagnostics.c ---- */

/* All diagnostics of a result (NULL: none) as --diagnostics says, with -w the errors alone, which the caller frees;
 * NULL when out of memory. */
char *diagnostics_text(const invocation *inv, const char *file, const tirb_compile_result *result, size_t *out_size);
bool has_warnings(const tirb_compile_result *result);

/* ---- program.c ---- */

/* Whether -Werror is given. */
bool warnings_are_errors(const invocation *inv);
/* The options --compile-timeout, --compile-memory and --compile-work. */
exit_code compile_limits_read(const invocation *inv, tirb_compile_options *out);
/* These, --fp, --parallel, --max-errors and -W. */
exit_code compile_options_read(const invocation *inv, tirb_compile_options *out);
/* Says on stderr how the compilation of `file` went, every diagnostic of its result (which may be NULL) included. */
exit_code compile_outcome(const invocation *inv, const char *file, tirb_status status, const tirb_error *error,
                          const tirb_compile_result *result);

#endif
