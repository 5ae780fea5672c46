/* The passes over a function's loop IR, as a table. */
#ifndef TIRB_COMPILER_PIPELINE_PASSES_H
#define TIRB_COMPILER_PIPELINE_PASSES_H

#include "compiler/loop/text.h"
#include "compiler/optimize/notes.h"

typedef struct tirbi_pass {
    const char *name;
    uint32_t switches; /* a set of TIRB_PASS_* */
    const tirbi_ls *(*run)(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled, tirbi_notes *notes);
    const char *summary;
} tirbi_pass;

/* Pass `index` in the order in which they run; NULL: there are no more. */
const tirbi_pass *tirbi_pass_at(uint32_t index);

/* Who wants to see loop IR on its way. */
typedef struct tirbi_pass_view {
    const char *pass;  /* before and after this one; NULL: before all, and after each that changes something */
    tirbi_writer *out; /* NULL: nobody */
} tirbi_pass_view;

/* Whether a view may name this: there is such a pass. */
bool tirbi_is_pass(const char *name);

/* The body of a function after all passes that are not switched off. Errors: NO_MEMORY (the arena's); INTERNAL when a
 * pass leaves what is no loop IR, which is looked for where there is a view and in builds with assertions. */
tirb_status tirbi_run_passes(const tirbi_lmodule *module, const tirbi_lfunc *function,
                             const tirb_compile_options *options, tirbi_notes *notes, const tirbi_pass_view *view,
                             const tirbi_ls **out, tirb_error *error);

#endif
