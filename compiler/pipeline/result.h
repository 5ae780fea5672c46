/* What a compilation works on and leaves; private to compiler/pipeline. */
#ifndef TIRB_COMPILER_PIPELINE_RESULT_H
#define TIRB_COMPILER_PIPELINE_RESULT_H

#include <tirb/compiler.h>

#include "compiler/optimize/notes.h"
#include "compiler/pipeline/languages.h"
#include "loader/base/bytes.h"

struct tirb_compile_result {
    tirbi_heap heap;
    tirbi_watch watch;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    tirbi_writer bundle;
    tirbi_writer ir;   /* with options->show_ir */
    tirbi_writer plan; /* with options->show_plan */
    tirbi_notes notes; /* with options->explain */
    const tirbi_language *language;
};

/* A new result with `text` as its source, of options whose limits are complete. */
tirb_status tirbi_new_result(const char *text, size_t size, const tirb_compile_options *options,
                             tirb_compile_result **out, tirb_error *error);

/* How a compilation ends: with its first reported error; */
tirb_status tirbi_diagnosed(const tirb_compile_result *r, tirb_error *error);
/* with the limit or the lack of memory that stopped it; */
tirb_status tirbi_stopped(tirb_compile_result *r, tirb_error *error);
/* or well, which it never does after its deadline. */
tirb_status tirbi_finished(tirb_compile_result *r, tirb_error *error);

#endif
