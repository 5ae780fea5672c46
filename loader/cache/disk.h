/* A cache in a directory: what was made of a text, kept from one process to the next.
 *
 * The library never opens one by itself: a program that wants it names the directory. Everything that can be wrong with
 * the directory or an entry - missing, damaged, half written, of another version, somebody else's, open to others, a
 * link - is a miss, and what cannot be written is not kept. Nothing is ever mapped into memory, and a found value is
 * still data from a file: whoever uses it verifies it.
 *
 * An entry is a file of its own, named by the hash of its key, which also holds the whole key: finding compares it. Any
 * number of processes may use a directory at once: entries appear by rename(), whole, and a process that has opened one
 * reads it to the end even when another one deletes it. */
#ifndef TIRB_LOADER_CACHE_DISK_H
#define TIRB_LOADER_CACHE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/status.h>

#include "loader/base/alloc.h"
#include "loader/cache/key.h"

typedef struct tirbi_disk_policy {
    uint64_t max_bytes; /* of all entries */
    uint64_t max_entries;
    tirbi_hash hash; /* for tests; NULL: XXH3 */
} tirbi_disk_policy;

typedef struct tirbi_disk_cache {
    tirbi_heap *heap;
    int directory;
    tirbi_disk_policy policy;
} tirbi_disk_cache;

typedef struct tirbi_span {
    const void *data;
    size_t size;
} tirbi_span;

typedef struct tirbi_disk_key {
    tirbi_span identity; /* options, versions: whatever decides besides the content */
    tirbi_span content;
    tirbi_span label; /* what the entry is of, for people; decides nothing */
} tirbi_disk_key;

/* A value that was found, inside the memory that was read. */
typedef struct tirbi_disk_value {
    const uint8_t *data;
    size_t size;
    uint8_t *memory;
    size_t memory_size;
} tirbi_disk_value;

typedef struct tirbi_disk_entry {
    const char *label; /* "" when the entry cannot be read */
    uint64_t size;
    int64_t used; /* when it was written or last found: seconds since 1970 */
    bool damaged; /* not an entry that this version could have written whole */
} tirbi_disk_entry;

/* Opens the directory, which must belong to this user and be open to nobody else; with `create` it is made, with what
 * leads to it, if it is not there. Errors: NOT_FOUND, UNSUPPORTED (it cannot be used; the message says why). */
tirb_status tirbi_disk_cache_open(tirbi_disk_cache *cache, const char *path, bool create,
                                  const tirbi_disk_policy *policy, tirbi_heap *heap, tirb_error *error);
void tirbi_disk_cache_close(tirbi_disk_cache *cache);

/* True: *out is the value of exactly this key; the caller frees it with tirbi_disk_value_free. */
bool tirbi_disk_cache_find(tirbi_disk_cache *cache, const tirbi_disk_key *key, tirbi_disk_value *out);
void tirbi_disk_value_free(tirbi_disk_cache *cache, tirbi_disk_value *value);
/* Keeps a value, then drops what was used least recently until the budget holds, and what a crash has left behind.
 * False: it is not kept. */
bool tirbi_disk_cache_add(tirbi_disk_cache *cache, const tirbi_disk_key *key, tirbi_span value);

/* The entries, the last used first, in the arena's memory. Errors: NO_MEMORY, MEMORY_LIMIT. */
tirb_status tirbi_disk_cache_list(tirbi_disk_cache *cache, tirbi_arena *arena, const tirbi_disk_entry **out,
                                  size_t *out_n, tirb_error *error);
/* Deletes every entry and every unfinished one, and nothing else. Returns how many entries there were. */
size_t tirbi_disk_cache_clear(tirbi_disk_cache *cache);

#endif
