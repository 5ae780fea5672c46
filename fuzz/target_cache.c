/* The caches: the first byte of an input chooses. Below 128, the rest are operations on a cache in memory whose keys
 * all but collide, and what is found must be what was kept for exactly these bytes. Else the rest is a file in the
 * place of an entry of a cache on disk, which is found only whole. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/mutate.h"
#include "loader/base/bytes.h"
#include "loader/cache/disk.h"
#include "loader/cache/memory.h"

enum { ON_DISK = 128 };

/* ---- In memory ------------------------------------------------------------------------------------------------- */

enum { MAX_BYTES = 2000, MAX_ENTRIES = 5, MAX_KEY = 6 };

typedef struct kept {
    uint32_t references;
    size_t size;
    uint8_t bytes[MAX_KEY];
} kept;

static uint32_t n_kept;

static void retain(void *value) { ((kept *)value)->references++; }

static void release(void *value) {
    kept *k = value;
    if (--k->references > 0) return;
    n_kept--;
    free(k);
}

static tirbi_key weak_hash(const void *bytes, size_t size, uint64_t seed) {
    (void)seed;
    return (tirbi_key){size > 0 ? ((const uint8_t *)bytes)[0] & 1u : 0, 7};
}

static void fill_pending(tirbi_cache *cache, tirbi_cache_entry *pending, const uint8_t *key, size_t size, uint8_t how) {
    if (how & 1) {
        tirbi_cache_abandon(cache, pending);
        return;
    }
    kept *made = (kept *)(void *)fuzz_allocate(sizeof(kept));
    *made = (kept){.references = 1, .size = size};
    if (size > 0 && memcmp(tirbi_cache_entry_bytes(pending), key, size) != 0)
        fuzz_fail("a pending entry has other bytes");
    memcpy(made->bytes, key, size);
    n_kept++;
    tirbi_cache_add(cache, pending, made, how * 10u);
    release(made);
}

static void look_up(tirbi_cache *cache, const uint8_t *key, size_t size, uint8_t how) {
    tirbi_cache_entry *pending = NULL;
    kept *found = tirbi_cache_find(cache, key, size, &pending);
    if (found) {
        if (found->size != size || memcmp(found->bytes, key, size) != 0) fuzz_fail("the cache finds other bytes");
        release(found);
    } else if (pending) {
        fill_pending(cache, pending, key, size, how);
    }
    tirbi_cache_counts counts = tirbi_cache_count(cache);
    if (counts.entries > MAX_ENTRIES || counts.bytes > MAX_BYTES) fuzz_fail("the cache is over its budget");
}

/* Each operation is two bytes: the size of a key and what becomes of it, and which of a few keys. */
static void run_memory(const uint8_t *data, size_t size) {
    tirbi_heap heap;
    tirbi_cache *cache = NULL;
    static const uint64_t secret = 1;
    const tirbi_cache_policy policy = {.max_bytes = MAX_BYTES, .max_entries = MAX_ENTRIES, .retain = retain,
                                       .release = release, .hash = weak_hash, .secret = &secret};
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    if (tirbi_cache_create(&heap, &policy, &cache, NULL) != TIRB_OK) fuzz_fail("no cache");
    for (size_t i = 0; i + 1 < size; i += 2) {
        uint8_t key[MAX_KEY];
        for (unsigned k = 0; k < MAX_KEY; k++) key[k] = (uint8_t)(data[i + 1] >> k & 1);
        uint8_t *exact = fuzz_copy(key, data[i] % (MAX_KEY + 1u));
        if (data[i] == 255) tirbi_cache_clear(cache);
        look_up(cache, exact, data[i] % (MAX_KEY + 1u), data[i] >> 3);
        free(exact);
    }
    tirbi_cache_destroy(cache);
    if (n_kept != 0) fuzz_fail("%u values are never released", n_kept);
}

/* ---- On disk --------------------------------------------------------------------------------------------------- */

static char folder[64];
static char entry_path[512];
static tirbi_heap disk_heap;
static tirbi_disk_cache disk;
static const tirbi_disk_key the_key = {{"identity", 8}, {"the content", 11}, {"label", 5}};

static void remove_folder(void) {
    tirbi_disk_cache_clear(&disk);
    rmdir(folder);
}

/* A directory with one entry, whose name is then known. */
static void open_disk(void) {
    const tirbi_disk_policy policy = {.max_bytes = 1 << 20, .max_entries = 4};
    snprintf(folder, sizeof(folder), "/tmp/tirb-fuzz-XXXXXX");
    tirbi_heap_init(&disk_heap, NULL, UINT64_MAX);
    if (!mkdtemp(folder)) fuzz_fail("no directory for a cache");
    tirb_status status = tirbi_disk_cache_open(&disk, folder, false, &policy, &disk_heap, NULL);
    if (status != TIRB_OK || !tirbi_disk_cache_add(&disk, &the_key, (tirbi_span){"value", 5}))
        fuzz_fail("no cache on disk");
    atexit(remove_folder);
    DIR *directory = opendir(folder);
    for (struct dirent *item = directory ? readdir(directory) : NULL; item; item = readdir(directory)) {
        if (item->d_name[0] != '.') snprintf(entry_path, sizeof(entry_path), "%s/%s", folder, item->d_name);
    }
    if (directory) closedir(directory);
}

static void list_disk(void) {
    tirbi_arena arena;
    const tirbi_disk_entry *entries;
    size_t n;
    tirbi_arena_init(&arena, &disk_heap);
    if (tirbi_disk_cache_list(&disk, &arena, &entries, &n, NULL) != TIRB_OK || n > 1)
        fuzz_fail("a cache cannot be listed");
    for (size_t i = 0; i < n; i++) {
        for (const char *c = entries[i].label; *c; c++) {
            if ((uint8_t)*c < ' ') fuzz_fail("a label would reach a terminal");
        }
    }
    tirbi_arena_destroy(&arena);
}

static bool run_disk(const uint8_t *data, size_t size) {
    if (!entry_path[0]) open_disk();
    int file = open(entry_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size) fuzz_fail("an entry cannot be written");
    close(file);
    tirbi_disk_value value;
    const bool found = tirbi_disk_cache_find(&disk, &the_key, &value);
    if (found) {
        uint8_t *copy = fuzz_copy(value.data, value.size);
        if (value.size > size) fuzz_fail("a value is larger than its file");
        free(copy);
        tirbi_disk_value_free(&disk, &value);
    }
    list_disk();
    if (disk_heap.used != 0) fuzz_fail("a cache on disk keeps %llu bytes", (unsigned long long)disk_heap.used);
    return found;
}

static bool run(const uint8_t *data, size_t size) {
    if (size == 0) return false;
    if (data[0] >= ON_DISK) return run_disk(data + 1, size - 1);
    run_memory(data + 1, size - 1);
    return true;
}

/* ---- Mutation -------------------------------------------------------------------------------------------------- */

/* Where an entry has its checksum, and what it is of. */
enum { AT_CHECKSUM = 1 + 8, AT_CHECKED = 1 + 24 };

static size_t mutate(uint8_t *data, size_t size, size_t max_size, fuzz_random *random) {
    size = fuzz_mutate_bytes(data, size, max_size);
    if (size < AT_CHECKED || data[0] < ON_DISK || fuzz_one_in(random, 4)) return size;
    tirbi_key key = tirbi_hash_xxh3(data + AT_CHECKED, size - AT_CHECKED, 0);
    tirbi_store_u64(data + AT_CHECKSUM, key.low);
    tirbi_store_u64(data + AT_CHECKSUM + 8, key.high);
    return size;
}

const fuzz_target fuzz_target_cache = {"cache", run, mutate, NULL};
