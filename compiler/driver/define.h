/* What -D and --language say of a source: which language it is in, and what stands for its placeholders. */
#ifndef TIRB_COMPILER_DRIVER_DEFINE_H
#define TIRB_COMPILER_DRIVER_DEFINE_H

#include "compiler/driver/command.h"
#include "compiler/driver/files.h"
#include "compiler/pipeline/languages.h"

/* The language of the source `path`, by --language or by its name. EXIT_USAGE: there is no such one. */
exit_code language_choose(const invocation *inv, const char *path, const tirbi_language **out);

/* Puts the values of -D into the text: for ${name} always, for <name> and {name} where the name is defined, so that
 * what the language itself writes so stays. Lines stay where they are. On failure the text is as it was. */
exit_code definitions_apply(const invocation *inv, const char *path, const tirbi_language *language, file_bytes *text);

#endif
