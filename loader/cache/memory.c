#include "loader/cache/memory.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"

enum { FIRST_BUCKETS = 64 };

struct tirbi_cache_entry {
    atomic_uint references; /* the table's and those of threads that are comparing */
    tirbi_cache_entry *chain;
    tirbi_cache_entry *newer, *older; /* by use; while in the table */
    tirbi_key key;
    void *value;
    uint64_t cost;
    size_t size;
    uint8_t bytes[];
};

/* What the lock protects. Keys are unique: of two byte strings with one key, the table holds the later. */
typedef struct table {
    tirbi_cache_entry **buckets;
    size_t n_buckets; /* a power of two */
    tirbi_cache_entry *newest, *oldest;
    uint64_t entries, bytes, evictions;
} table;

struct tirbi_cache {
    tirbi_heap heap;
    uint64_t max_bytes, max_entries;
    tirbi_hash hash;
    size_t (*head)(const void *bytes, size_t size);
    uint64_t seed;
    void (*retain)(void *value);
    void (*release)(void *value);
    _Atomic int64_t owner; /* the process: 2 * pid, plus 1 while a child is making the cache its own */
    pthread_mutex_t lock;
    table table;
    atomic_uint_least64_t hits, misses;
};

/* ---- Entries ---------------------------------------------------------------------------------------------------- */

static size_t entry_size(size_t n_bytes) { return sizeof(tirbi_cache_entry) + n_bytes; }

static tirbi_cache_entry *entry_create(tirbi_cache *cache, const void *bytes, size_t size) {
    size_t whole;
    if (!tirbi_add_size(sizeof(tirbi_cache_entry), size, &whole) || whole > cache->max_bytes) return NULL;
    tirbi_heap heap = cache->heap;
    tirbi_cache_entry *entry = tirbi_heap_alloc(&heap, whole);
    if (!entry) return NULL;
    memset(entry, 0, sizeof(*entry));
    atomic_init(&entry->references, 1);
    entry->size = size;
    if (size > 0) memcpy(entry->bytes, bytes, size);
    return entry;
}

static void entry_release(tirbi_cache *cache, tirbi_cache_entry *entry) {
    if (atomic_fetch_sub_explicit(&entry->references, 1, memory_order_acq_rel) != 1) return;
    if (entry->value) cache->release(entry->value);
    tirbi_heap heap = cache->heap;
    tirbi_heap_free(&heap, entry, entry_size(entry->size));
}

const uint8_t *tirbi_cache_entry_bytes(const tirbi_cache_entry *entry) { return entry->bytes; }

/* ---- The table, under the lock ---------------------------------------------------------------------------------- */

static tirbi_cache_entry **bucket_of(const table *t, tirbi_key key) {
    return &t->buckets[(size_t)key.low & (t->n_buckets - 1)];
}

static tirbi_cache_entry *look_up(const table *t, tirbi_key key) {
    tirbi_cache_entry *entry = t->n_buckets ? *bucket_of(t, key) : NULL;
    while (entry && !tirbi_key_equal(entry->key, key)) entry = entry->chain;
    return entry;
}

static void unlink_use(table *t, tirbi_cache_entry *entry) {
    *(entry->newer ? &entry->newer->older : &t->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &t->oldest) = entry->newer;
    entry->newer = entry->older = NULL;
}

static void link_newest(table *t, tirbi_cache_entry *entry) {
    entry->newer = NULL;
    entry->older = t->newest;
    *(t->newest ? &t->newest->newer : &t->oldest) = entry;
    t->newest = entry;
}

/* Takes an entry out and puts it before `dropped`, a list by `chain` that is released when the lock is. */
static void drop(table *t, tirbi_cache_entry *entry, tirbi_cache_entry **dropped) {
    tirbi_cache_entry **at = bucket_of(t, entry->key);
    while (*at != entry) at = &(*at)->chain;
    *at = entry->chain;
    unlink_use(t, entry);
    t->entries--;
    t->bytes -= entry->cost;
    entry->chain = *dropped;
    *dropped = entry;
}

/* More buckets when there are as many entries; without memory the chains get longer instead. */
static bool grow(tirbi_cache *cache) {
    table *t = &cache->table;
    if (t->entries < t->n_buckets) return true;
    tirbi_heap heap = cache->heap;
    size_t n = t->n_buckets ? t->n_buckets * 2 : FIRST_BUCKETS;
    table larger = *t;
    larger.n_buckets = n;
    larger.buckets = tirbi_heap_calloc(&heap, n, sizeof(larger.buckets[0]));
    if (!larger.buckets) return t->n_buckets > 0;
    for (tirbi_cache_entry *entry = t->newest; entry; entry = entry->older) {
        tirbi_cache_entry **bucket = bucket_of(&larger, entry->key);
        entry->chain = *bucket;
        *bucket = entry;
    }
    tirbi_heap_free(&heap, t->buckets, t->n_buckets * sizeof(t->buckets[0]));
    *t = larger;
    return true;
}

static void release_all(tirbi_cache *cache, tirbi_cache_entry *dropped) {
    while (dropped) {
        tirbi_cache_entry *next = dropped->chain;
        entry_release(cache, dropped);
        dropped = next;
    }
}

/* ---- The lock, across fork() ------------------------------------------------------------------------------------ */

/* In a child, the lock is as it was when the parent forked: free, and then the table is whole; or held by a thread that
 * is not here, and then the table may be half changed, so that it is given up. */
static void adopt(tirbi_cache *cache, int64_t process) {
    int64_t self = process * 2;
    for (;;) {
        int64_t owner = atomic_load_explicit(&cache->owner, memory_order_acquire);
        if (owner == self) return;
        if (owner == self + 1) {
            sched_yield();
        } else if (atomic_compare_exchange_strong(&cache->owner, &owner, self + 1)) {
            if (pthread_mutex_trylock(&cache->lock) == 0) {
                pthread_mutex_unlock(&cache->lock);
            } else {
                static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
                memcpy(&cache->lock, &unlocked, sizeof(unlocked));
                cache->table = (table){0};
            }
            atomic_store_explicit(&cache->owner, self, memory_order_release);
        }
    }
}

static void lock(tirbi_cache *cache) {
    adopt(cache, getpid());
    pthread_mutex_lock(&cache->lock);
}

static void unlock(tirbi_cache *cache) { pthread_mutex_unlock(&cache->lock); }

/* ---- The object ------------------------------------------------------------------------------------------------- */

/* Whoever knows the secret can make byte strings with one key, which then push each other out; they are compared all
 * the same. So where a system gives no randomness, something hard to guess does. */
static uint64_t draw_secret(const tirbi_cache *cache) {
    uint64_t secret = 0;
    ssize_t got;
    do {
        got = getrandom(&secret, sizeof(secret), 0);
    } while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof(secret)) return secret;
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t parts[] = {(uint64_t)(uintptr_t)cache, (uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid()};
    return tirbi_hash_xxh3(parts, sizeof(parts), secret).low;
}

tirb_status tirbi_cache_create(const tirbi_heap *from, const tirbi_cache_policy *policy, tirbi_cache **out,
                               tirb_error *error) {
    tirbi_heap heap = *from;
    *out = NULL;
    tirbi_cache *cache = tirbi_heap_calloc(&heap, 1, sizeof(*cache));
    if (!cache) return tirbi_error_set(error, TIRB_NO_MEMORY, "out of memory for a cache");
    if (pthread_mutex_init(&cache->lock, NULL) != 0) {
        tirbi_heap_free(&heap, cache, sizeof(*cache));
        return tirbi_error_set(error, TIRB_NO_MEMORY, "the lock of a cache cannot be made");
    }
    cache->heap = heap;
    cache->max_bytes = policy->max_bytes;
    cache->max_entries = policy->max_entries;
    cache->hash = policy->hash ? policy->hash : tirbi_hash_xxh3;
    cache->head = policy->head;
    cache->retain = policy->retain;
    cache->release = policy->release;
    uint64_t secret = policy->secret ? *policy->secret : draw_secret(cache);
    cache->seed = tirbi_hash_xxh3(policy->context, policy->context_size, secret).low;
    atomic_init(&cache->owner, (int64_t)getpid() * 2);
    *out = cache;
    return TIRB_OK;
}

void tirbi_cache_destroy(tirbi_cache *cache) {
    if (!cache) return;
    tirbi_cache_clear(cache);
    tirbi_heap heap = cache->heap;
    tirbi_heap_free(&heap, cache->table.buckets, cache->table.n_buckets * sizeof(cache->table.buckets[0]));
    pthread_mutex_destroy(&cache->lock);
    tirbi_heap_free(&heap, cache, sizeof(*cache));
}

static tirbi_key key_of(const tirbi_cache *cache, const void *bytes, size_t size) {
    return cache->hash(bytes, cache->head ? cache->head(bytes, size) : size, cache->seed);
}

void *tirbi_cache_find(tirbi_cache *cache, const void *bytes, size_t size, tirbi_cache_entry **out_pending) {
    *out_pending = NULL;
    tirbi_key key = key_of(cache, bytes, size);
    lock(cache);
    tirbi_cache_entry *found = look_up(&cache->table, key);
    if (found) {
        unlink_use(&cache->table, found);
        link_newest(&cache->table, found);
        atomic_fetch_add_explicit(&found->references, 1, memory_order_relaxed);
    }
    unlock(cache);
    if (found) {
        void *value =
            found->size == size && (size == 0 || memcmp(found->bytes, bytes, size) == 0) ? found->value : NULL;
        if (value) cache->retain(value);
        entry_release(cache, found);
        if (value) {
            atomic_fetch_add_explicit(&cache->hits, 1, memory_order_relaxed);
            return value;
        }
    }
    atomic_fetch_add_explicit(&cache->misses, 1, memory_order_relaxed);
    *out_pending = entry_create(cache, bytes, size);
    /* Of the copy: the caller's bytes may have changed. */
    if (*out_pending) (*out_pending)->key = key_of(cache, (*out_pending)->bytes, size);
    return NULL;
}

tirbi_key tirbi_cache_entry_key(const tirbi_cache_entry *entry) { return entry->key; }

/* Drops what was used least recently, but for `kept`, until there is room for so many bytes and entries more. */
static void make_room(tirbi_cache *cache, uint64_t bytes, uint64_t entries, const tirbi_cache_entry *kept,
                      tirbi_cache_entry **dropped) {
    table *const t = &cache->table;
    for (tirbi_cache_entry *entry = t->oldest, *newer; entry; entry = newer) {
        if (t->entries + entries <= cache->max_entries && t->bytes <= cache->max_bytes - bytes) return;
        newer = entry->newer;
        if (entry == kept) continue;
        drop(t, entry, dropped);
        t->evictions++;
    }
}

static bool same_bytes(const tirbi_cache_entry *a, const tirbi_cache_entry *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

void tirbi_cache_add(tirbi_cache *cache, tirbi_cache_entry *pending, void *value, uint64_t value_size) {
    if (!tirbi_add_u64(entry_size(pending->size), value_size, &pending->cost) || pending->cost > cache->max_bytes ||
        cache->max_entries == 0) {
        tirbi_cache_abandon(cache, pending);
        return;
    }
    cache->retain(value);
    pending->value = value;
    tirbi_cache_entry *dropped = NULL;
    lock(cache);
    table *t = &cache->table;
    tirbi_cache_entry *old = look_up(t, pending->key);
    if ((old && same_bytes(old, pending)) || !grow(cache)) {
        dropped = pending;
        pending->chain = NULL;
    } else {
        if (old) drop(t, old, &dropped);
        make_room(cache, pending->cost, 1, NULL, &dropped);
        tirbi_cache_entry **bucket = bucket_of(t, pending->key);
        pending->chain = *bucket;
        *bucket = pending;
        link_newest(t, pending);
        t->entries++;
        t->bytes += pending->cost;
    }
    unlock(cache);
    release_all(cache, dropped);
}

void tirbi_cache_abandon(tirbi_cache *cache, tirbi_cache_entry *pending) {
    if (pending) entry_release(cache, pending);
}

void tirbi_cache_grown(tirbi_cache *cache, tirbi_key key, const void *value, uint64_t value_size) {
    tirbi_cache_entry *dropped = NULL;
    lock(cache);
    table *t = &cache->table;
    tirbi_cache_entry *entry = look_up(t, key);
    uint64_t cost = 0;
    if (entry && entry->value == value) {
        if (!tirbi_add_u64(entry_size(entry->size), value_size, &cost) || cost > cache->max_bytes) {
            drop(t, entry, &dropped);
            t->evictions++;
        } else if (cost > entry->cost) { /* else somebody has told of more meanwhile */
            make_room(cache, cost - entry->cost, 0, entry, &dropped);
            t->bytes += cost - entry->cost;
            entry->cost = cost;
        }
    }
    unlock(cache);
    release_all(cache, dropped);
}

void tirbi_cache_clear(tirbi_cache *cache) {
    tirbi_cache_entry *dropped = NULL;
    lock(cache);
    while (cache->table.oldest) drop(&cache->table, cache->table.oldest, &dropped);
    unlock(cache);
    release_all(cache, dropped);
}

tirbi_cache_counts tirbi_cache_count(tirbi_cache *cache) {
    lock(cache);
    tirbi_cache_counts counts = {
        .hits = atomic_load_explicit(&cache->hits, memory_order_relaxed),
        .misses = atomic_load_explicit(&cache->misses, memory_order_relaxed),
        .evictions = cache->table.evictions,
        .entries = cache->table.entries,
        .bytes = cache->table.bytes,
    };
    unlock(cache);
    return counts;
}

pthread_mutex_t *tirbi_cache_lock_for_tests(tirbi_cache *cache) { return &cache->lock; }
