/* The cache of an engine: byte strings to what was made of them. What it holds is opaque here (the machine keeps
 * verified programs in it) and reference-counted by its owner, so that dropping an entry never frees what is in use.
 *
 * Thread-safe. Hashing, comparing and releasing happen outside the lock. A child after fork() goes on with the entries,
 * unless a thread of its parent was changing the table at that moment: then it starts with an empty one. */
#ifndef TIRB_LOADER_CACHE_MEMORY_H
#define TIRB_LOADER_CACHE_MEMORY_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/status.h>

#include "loader/base/alloc.h"
#include "loader/cache/key.h"

typedef struct tirbi_cache tirbi_cache;
typedef struct tirbi_cache_entry tirbi_cache_entry;

typedef struct tirbi_cache_policy {
    uint64_t max_bytes;
    uint64_t max_entries;
    /* What a value depends on besides the bytes that it is made of: versions, options. It goes into the keys' seed. */
    const void *context;
    size_t context_size;
    /* How many of the first bytes tell strings apart that are not made to look alike: those are hashed. NULL: all. */
    size_t (*head)(const void *bytes, size_t size);
    void (*retain)(void *value);
    void (*release)(void *value);
    /* For tests: NULL means XXH3, and a secret of the operating system's randomness. */
    tirbi_hash hash;
    const uint64_t *secret;
} tirbi_cache_policy;

typedef struct tirbi_cache_counts {
    uint64_t hits, misses, evictions;
    uint64_t entries, bytes; /* now */
} tirbi_cache_counts;

/* `heap` has no budget and its allocator is thread-safe. Errors: NO_MEMORY. */
tirb_status tirbi_cache_create(const tirbi_heap *heap, const tirbi_cache_policy *policy, tirbi_cache **out,
                               tirb_error *error);
/* No other thread uses the cache any more. NULL is allowed. */
void tirbi_cache_destroy(tirbi_cache *cache);

/* The value made of exactly these bytes, retained for the caller; or NULL. After a miss *out_pending is an entry to be
 * filled, with a copy of the bytes, which the caller gives to tirbi_cache_add or tirbi_cache_abandon; or NULL when the
 * bytes are more than the cache holds or there is no memory. The value must be made of the copy: the caller's bytes may
 * change meanwhile, and then the wrong module would be found by the right bytes. */
void *tirbi_cache_find(tirbi_cache *cache, const void *bytes, size_t size, tirbi_cache_entry **out_pending);
const uint8_t *tirbi_cache_entry_bytes(const tirbi_cache_entry *entry);
/* Keeps `value`, which takes `value_size` bytes besides the entry's, and retains it; drops what was used least recently
 * to make room. An entry of the same bytes that another thread has added meanwhile stays. */
void tirbi_cache_add(tirbi_cache *cache, tirbi_cache_entry *pending, void *value, uint64_t value_size);
void tirbi_cache_abandon(tirbi_cache *cache, tirbi_cache_entry *pending);
/* An entry's key, by which it is found again. */
tirbi_key tirbi_cache_entry_key(const tirbi_cache_entry *entry);
/* The value of the entry with this key, if it is still there, takes so much by now: drops what was used least recently
 * to make room, or that entry where it is more than the cache holds. */
void tirbi_cache_grown(tirbi_cache *cache, tirbi_key key, const void *value, uint64_t value_size);

/* Drops every entry. */
void tirbi_cache_clear(tirbi_cache *cache);
tirbi_cache_counts tirbi_cache_count(tirbi_cache *cache);

/* The lock, for the test that forks while it is held. */
pthread_mutex_t *tirbi_cache_lock_for_tests(tirbi_cache *cache);

#endif
