/* The command's cache of compiled sources: where it is, and what it keeps. */
#ifndef TIRB_COMPILER_DRIVER_CACHE_H
#define TIRB_COMPILER_DRIVER_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/compiler.h>

#include "compiler/driver/command.h"
#include "loader/base/bytes.h"
#include "loader/cache/disk.h"

/* A compilation: the messages that it printed, and its bundle. */
typedef struct compilation {
    const char *messages; /* not terminated */
    size_t messages_size;
    const uint8_t *bundle;
    size_t bundle_size;
} compilation;

typedef struct source_cache {
    tirbi_heap heap;
    tirbi_disk_cache disk;
    bool is_open;
    tirbi_writer identity; /* what the compilation depends on besides the text */
    tirbi_disk_key key;
    tirbi_disk_value found;
} source_cache;

/* The directory's name, which the caller frees; NULL: the cache is off (or memory has run out). */
char *cache_directory(void);
/* EXIT_USAGE: TIRB_CACHE_SIZE cannot be read. */
exit_code cache_policy(const invocation *inv, tirbi_disk_policy *out);

/* Whether the command uses the cache: one that has the option --no-cache, when it is not given. */
bool cache_wanted(const invocation *inv);

/* Opens the cache for the compilation of this text with these options. Where there is none, everything below is a miss
 * without a word. Always to be closed. EXIT_USAGE: TIRB_CACHE_SIZE cannot be read. */
exit_code cache_open(const invocation *inv, const char *text, size_t size, const tirb_compile_options *options,
                     source_cache *out);
/* What is found lives until the cache is closed; its bundle has been verified. */
bool cache_find(source_cache *cache, compilation *out);
void cache_add(source_cache *cache, const compilation *made);
void cache_close(source_cache *cache);

#endif
