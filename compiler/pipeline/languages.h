/* The table of languages: what makes an AST from a text. A further one is a room and a line here. */
#ifndef TIRB_COMPILER_PIPELINE_LANGUAGES_H
#define TIRB_COMPILER_PIPELINE_LANGUAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/compiler.h>

struct tirbi_source;
struct tirbi_arena;
struct tirbi_diagnostics;
struct tirb_irmodule;

typedef struct tirbi_language {
    tirb_language language;
    const char *name;   /* of --language */
    const char *suffix; /* of its files */
    /* The AST of a whole file; NULL when memory ran out (arena->failed). It is complete only when no error was
     * reported. */
    struct tirb_irmodule *(*parse)(const struct tirbi_source *source, struct tirbi_arena *arena,
                                   struct tirbi_diagnostics *diagnostics);
    /* Its canonical text, without an AST; NULL: it is printed from one. False when memory ran out or errors were
     * reported. */
    bool (*print)(const struct tirbi_source *source, struct tirbi_arena *arena, struct tirbi_diagnostics *diagnostics,
                  const char **out, size_t *out_size);
    bool has_placeholders; /* ${name} stands for a text that whoever compiles gives */
} tirbi_language;

/* Language `index` of the table, and a language by its name or by the end of a file's; NULL when there is no such
 * one. */
const tirbi_language *tirbi_language_at(uint32_t index);
const tirbi_language *tirbi_language_named(const char *name);
const tirbi_language *tirbi_language_of_file(const char *file_name);
/* The language that is asked for; AUTO is what the file's name says, or else TVMScript. NULL: there is none of this
 * number. */
const tirbi_language *tirbi_language_chosen(tirb_language wanted, const char *file_name);

#endif
