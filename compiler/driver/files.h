/* Reading whole files and writing them whole or not at all; "-" is stdin or stdout. */
#ifndef TIRB_COMPILER_DRIVER_FILES_H
#define TIRB_COMPILER_DRIVER_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler/driver/command.h"

typedef struct file_bytes {
    uint8_t *data;
    size_t size;
} file_bytes;

/* Reads all of `path`, at most `limit` bytes; *too_large tells that there was more. Reports what goes wrong with the
 * file system itself. The caller frees data. */
exit_code file_read(const invocation *inv, const char *path, size_t limit, file_bytes *out, bool *too_large);

/* Reads to the end or to one byte past the limit. False when memory runs out; errno tells of read errors. */
bool read_stream(FILE *stream, size_t limit, file_bytes *out);

/* Line `number` of a text, counted from 1, without its newline; of no bytes behind the end. */
const char *file_line(const file_bytes *text, uint32_t number, size_t *out_size);

/* An output file under way. Its bytes go to a temporary beside the target, which takes the target's name when it is
 * committed; until then nothing of the target changes. Stdout and what is no regular file (a pipe, /dev/null) get the
 * bytes at commit. */
typedef struct output_file {
    char *target;
    char *temporary; /* NULL when the target is written in place */
    const void *bytes;
    size_t size;
} output_file;

/* Whether a file can be written there: what takes long is asked this first. Nothing is left behind. */
exit_code output_check(const invocation *inv, const char *path);
/* `bytes` must live until the output is committed or abandoned. */
exit_code output_stage(const invocation *inv, const char *path, const void *bytes, size_t size,
                       output_file *out);
exit_code output_commit(const invocation *inv, output_file *output);
/* Removes what was staged and not committed, and frees the names. Always to be called. */
void output_finish(output_file *output);

/* Stages and commits one output; refuses to send binary data to a terminal. */
exit_code output_write(const invocation *inv, const char *path, const void *bytes, size_t size);
/* The same for what is made of the file `source`, which it refuses to replace. */
exit_code output_write_beside(const invocation *inv, const char *source, const char *path, const void *bytes,
                              size_t size);
/* `path` with its last suffix replaced; "-" stays. NULL when out of memory; the caller frees it. */
char *output_name(const char *path, const char *suffix);

/* stdin and stdout have a name in messages. */
const char *input_name(const char *path);

#endif
