/* The passes over a function's loop IR, as a table. */
#ifndef TIRB_COMPILER_PIPELINE_PASSES_H
#define TIRB_COMPILER_PIPELINE_PASSES_H

#include "compiler/loop/text.h"
#include "compiler/optimize/notes.h"
#include "compiler/pipeline/switches.h"

typedef struct tirbi_pass {
    const char *name;
    const char *summary;
    uint32_t bit; /* TIRB_PASS_* */
    /* NULL: a form that loops are emitted in */
    const tirbi_ls *(*run)(tirbi_lx_pool *pool, const tirbi_ls *body, uint32_t disabled, tirbi_notes *notes);
} tirbi_pass;

/* Row `index` of the table: passes in the order in which they run, then forms; NULL: there are no more. */
const tirbi_pass *tirbi_pass_at(uint32_t index);

/* Who wants to see loop IR on its way. */
typedef struct tirbi_pass_view {
    const char *pass;  /* before and after this one; NULL: before all, and after each that changes something */
    tirbi_writer *out; /* NULL: nobody */
} tirbi_pass_view;

/* The body of a function after all passes that are not in the set `disabled`. Errors: NO_MEMORY (the arena's); INTERNAL
 * when a pass leaves what is no loop IR, which is looked for where there is a view and in builds with assertions. */
tirb_status tirbi_run_passes(const tirbi_lmodule *module, const tirbi_lfunc *function, uint32_t disabled,
                             tirbi_notes *notes, const tirbi_pass_view *view, const tirbi_ls **out, tirb_error *error);

#endif
