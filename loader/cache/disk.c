#include "loader/cache/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "loader/base/bytes.h"
#include "loader/base/checked.h"
#include "loader/base/error.h"

/* An entry: magic, checksum (XXH3-128 of everything behind it), version, sizes; then label, identity, content,
 * value. */
#define MAGIC   "TIRBKEPT"
#define SUFFIX  ".kept"
#define PARTIAL ".partial" /* of a file that is being written */
enum {
    VERSION = 1,
    AT_CHECKSUM = 8,
    AT_VERSION = 24,
    AT_LABEL_SIZE = 28,
    AT_IDENTITY_SIZE = 32,
    AT_CONTENT_SIZE = 40,
    AT_VALUE_SIZE = 48,
    HEADER_SIZE = 56,
    MAX_LABEL = 4096,
    KEY_DIGITS = 32,
    NAME_SIZE = 80,
    ABANDONED_AFTER = 3600 /* seconds: no process takes so long to write an entry */
};

/* ---- The directory ---------------------------------------------------------------------------------------------- */

/* Makes `path` and what leads to it, for the owner only. `path` is changed and restored. */
static void make_directories(char *path) {
    if (mkdir(path, 0700) == 0 || errno != ENOENT) return;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

static bool is_ours(const struct stat *file) { return file->st_uid == geteuid() && (file->st_mode & 077) == 0; }

static tirb_status open_directory(tirbi_disk_cache *cache, const char *path, tirb_error *error) {
    cache->directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (cache->directory < 0) {
        if (errno == ENOENT) return tirbi_error_set(error, TIRB_NOT_FOUND, "there is no such directory");
        return tirbi_error_set(error, TIRB_UNSUPPORTED, "%s", strerror(errno));
    }
    struct stat found;
    if (fstat(cache->directory, &found) != 0) return tirbi_error_set(error, TIRB_UNSUPPORTED, "%s", strerror(errno));
    if (found.st_uid != geteuid()) {
        return tirbi_error_set(error, TIRB_UNSUPPORTED, "the directory belongs to user %lu, this process to user %lu",
                               (unsigned long)found.st_uid, (unsigned long)geteuid());
    }
    if (is_ours(&found)) return TIRB_OK;
    return tirbi_error_set(error, TIRB_UNSUPPORTED, "the directory has the mode %03o, which must be 700",
                           (unsigned)found.st_mode & 0777);
}

tirb_status tirbi_disk_cache_open(tirbi_disk_cache *cache, const char *path, bool create,
                                  const tirbi_disk_policy *policy, tirbi_heap *heap, tirb_error *error) {
    *cache = (tirbi_disk_cache){.heap = heap, .directory = -1, .policy = *policy};
    if (!cache->policy.hash) cache->policy.hash = tirbi_hash_xxh3;
    size_t length = strlen(path);
    /* A slash at the end would follow a link. */
    while (length > 1 && path[length - 1] == '/') length--;
    char *name = tirbi_heap_alloc(heap, length + 1);
    if (!name) return tirbi_error_set(error, tirbi_heap_status(heap), "out of memory for the name of a directory");
    memcpy(name, path, length);
    name[length] = '\0';
    if (create && length > 0) make_directories(name);
    tirb_status status = open_directory(cache, name, error);
    tirbi_heap_free(heap, name, length + 1);
    if (status != TIRB_OK) tirbi_disk_cache_close(cache);
    return status;
}

void tirbi_disk_cache_close(tirbi_disk_cache *cache) {
    if (cache->directory >= 0) close(cache->directory);
    cache->directory = -1;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static void entry_name(const tirbi_disk_cache *cache, const tirbi_disk_key *key, char name[NAME_SIZE]) {
    tirbi_key content = cache->policy.hash(key->content.data, key->content.size, 0);
    tirbi_key identity = cache->policy.hash(key->identity.data, key->identity.size, 0);
    uint8_t both[32];
    tirbi_store_u64(both, content.low);
    tirbi_store_u64(both + 8, content.high);
    tirbi_store_u64(both + 16, identity.low);
    tirbi_store_u64(both + 24, identity.high);
    tirbi_key whole = cache->policy.hash(both, sizeof(both), 0);
    snprintf(name, NAME_SIZE, "%016llx%016llx%s", (unsigned long long)whole.high, (unsigned long long)whole.low,
             SUFFIX);
}

/* A name that no other writer uses now; O_EXCL tells if one does all the same. */
static void partial_name(const char *entry, unsigned attempt, char name[NAME_SIZE]) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t parts[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid(), (uint64_t)(uintptr_t)&now,
                        attempt};
    snprintf(name, NAME_SIZE, "%.*s.%016llx%s", (int)KEY_DIGITS, entry,
             (unsigned long long)tirbi_hash_xxh3(parts, sizeof(parts), 0).low, PARTIAL);
}

typedef enum file_kind { NOT_OURS, ENTRY, UNFINISHED } file_kind;

static file_kind kind_of_name(const char *name) {
    static const char digits[] = "0123456789abcdef";
    if (strspn(name, digits) != KEY_DIGITS) return NOT_OURS;
    name += KEY_DIGITS;
    if (strcmp(name, SUFFIX) == 0) return ENTRY;
    return name[0] == '.' && strspn(name + 1, digits) == 16 && strcmp(name + 17, PARTIAL) == 0 ? UNFINISHED : NOT_OURS;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

typedef struct header {
    size_t label_size, identity_size, content_size, value_size;
} header;

static bool read_all(int descriptor, uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t got = read(descriptor, bytes, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

/* The sizes of an entry's parts, if together they are exactly the file's. */
static bool parse_header(const uint8_t bytes[HEADER_SIZE], uint64_t file_size, header *out) {
    uint64_t sizes[] = {tirbi_load_u32(bytes + AT_LABEL_SIZE), tirbi_load_u64(bytes + AT_IDENTITY_SIZE),
                        tirbi_load_u64(bytes + AT_CONTENT_SIZE), tirbi_load_u64(bytes + AT_VALUE_SIZE)};
    uint64_t whole = HEADER_SIZE;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (!tirbi_add_u64(whole, sizes[i], &whole)) return false;
    }
    if (memcmp(bytes, MAGIC, AT_CHECKSUM) != 0 || tirbi_load_u32(bytes + AT_VERSION) != VERSION) return false;
    if (whole != file_size || whole > SIZE_MAX || sizes[0] > MAX_LABEL) return false;
    *out = (header){(size_t)sizes[0], (size_t)sizes[1], (size_t)sizes[2], (size_t)sizes[3]};
    return true;
}

/* Opens an entry that is a regular file of ours, and reads its header. Returns the descriptor or -1. */
static int open_entry(const tirbi_disk_cache *cache, const char *name, uint8_t bytes[HEADER_SIZE], header *out,
                      uint64_t *file_size) {
    /* A pipe under the name must not make us wait. */
    int descriptor = openat(cache->directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat found;
    if (descriptor < 0) return -1;
    if (fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) && is_ours(&found) && found.st_size >= HEADER_SIZE &&
        read_all(descriptor, bytes, HEADER_SIZE) && parse_header(bytes, (uint64_t)found.st_size, out)) {
        *file_size = (uint64_t)found.st_size;
        return descriptor;
    }
    close(descriptor);
    return -1;
}

static void store_checksum(tirbi_key key, uint8_t out[16]) {
    tirbi_store_u64(out, key.low);
    tirbi_store_u64(out + 8, key.high);
}

static bool spans_equal(tirbi_span span, const uint8_t *bytes, size_t size) {
    return span.size == size && (size == 0 || memcmp(span.data, bytes, size) == 0);
}

/* Whether `bytes`, a whole entry, is undamaged and of this key; then *out is its value. */
static bool check_entry(const tirbi_disk_key *key, const header *h, const uint8_t *bytes, size_t size,
                        tirbi_disk_value *out) {
    uint8_t checksum[16];
    store_checksum(tirbi_hash_xxh3(bytes + AT_VERSION, size - AT_VERSION, 0), checksum);
    if (memcmp(bytes + AT_CHECKSUM, checksum, sizeof(checksum)) != 0) return false;
    const uint8_t *identity = bytes + HEADER_SIZE + h->label_size, *content = identity + h->identity_size;
    if (!spans_equal(key->identity, identity, h->identity_size)) return false;
    if (!spans_equal(key->content, content, h->content_size)) return false;
    out->data = content + h->content_size;
    out->size = h->value_size;
    return true;
}

bool tirbi_disk_cache_find(tirbi_disk_cache *cache, const tirbi_disk_key *key, tirbi_disk_value *out) {
    *out = (tirbi_disk_value){0};
    if (cache->directory < 0) return false;
    char name[NAME_SIZE];
    uint8_t start[HEADER_SIZE];
    header h;
    uint64_t size = 0;
    entry_name(cache, key, name);
    int descriptor = open_entry(cache, name, start, &h, &size);
    if (descriptor < 0) return false;
    bool found = false;
    /* Before memory is taken: the entry may be of another key with the same hash. */
    if (h.identity_size == key->identity.size && h.content_size == key->content.size &&
        size <= cache->policy.max_bytes) {
        out->memory_size = (size_t)size;
        out->memory = tirbi_heap_alloc(cache->heap, out->memory_size);
    }
    if (out->memory) {
        memcpy(out->memory, start, HEADER_SIZE);
        found = read_all(descriptor, out->memory + HEADER_SIZE, out->memory_size - HEADER_SIZE) &&
                check_entry(key, &h, out->memory, out->memory_size, out);
    }
    if (found) futimens(descriptor, NULL); /* used now; if the time cannot be set, it goes a little earlier */
    close(descriptor);
    if (!found) tirbi_disk_value_free(cache, out);
    return found;
}

void tirbi_disk_value_free(tirbi_disk_cache *cache, tirbi_disk_value *value) {
    tirbi_heap_free(cache->heap, value->memory, value->memory_size);
    *value = (tirbi_disk_value){0};
}

/* ---- What is in the directory ------------------------------------------------------------------------------------ */

typedef struct file {
    char name[NAME_SIZE];
    uint64_t size;
    struct timespec used;
    file_kind kind;
} file;

typedef struct file_list {
    file *files;
    size_t n, capacity;
} file_list;

static void file_list_free(tirbi_disk_cache *cache, file_list *list) {
    tirbi_heap_free(cache->heap, list->files, list->capacity * sizeof(list->files[0]));
    *list = (file_list){0};
}

static bool file_list_add(tirbi_disk_cache *cache, file_list *list, const file *added) {
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64, old_size = list->capacity * sizeof(list->files[0]),
               size;
        if (!tirbi_mul_size(capacity, sizeof(list->files[0]), &size)) return false;
        file *grown = tirbi_heap_resize(cache->heap, list->files, old_size, size);
        if (!grown) return false;
        list->files = grown;
        list->capacity = capacity;
    }
    list->files[list->n++] = *added;
    return true;
}

static int last_used_first(const void *a, const void *b) {
    const struct timespec *x = &((const file *)a)->used, *y = &((const file *)b)->used;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? 1 : -1;
    return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

/* The files that are ours by name, kind and owner; what another process deletes meanwhile may be missing. False: there
 * was no memory for all of them. */
static bool list_files(tirbi_disk_cache *cache, file_list *out) {
    *out = (file_list){0};
    int descriptor = openat(cache->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (!directory) {
        if (descriptor >= 0) close(descriptor);
        return true;
    }
    bool enough = true;
    time_t now = time(NULL);
    for (struct dirent *item; enough && (item = readdir(directory));) {
        file one = {.kind = kind_of_name(item->d_name)};
        struct stat found;
        if (one.kind == NOT_OURS || fstatat(cache->directory, item->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!S_ISREG(found.st_mode) || found.st_uid != geteuid()) continue;
        memcpy(one.name, item->d_name, strlen(item->d_name) + 1); /* of one of two lengths, says its kind */
        one.size = (uint64_t)found.st_size;
        one.used = found.st_mtim;
        /* The clock was ahead once: what was used "tomorrow" must not push out what is used today. */
        if (one.used.tv_sec > now + 60) one.used = (struct timespec){0};
        enough = file_list_add(cache, out, &one);
    }
    closedir(directory);
    if (out->n > 1) qsort(out->files, out->n, sizeof(out->files[0]), last_used_first);
    return enough;
}

/* Keeps the budget, and sweeps what writers that died have left. */
static void trim(tirbi_disk_cache *cache) {
    file_list list;
    uint64_t bytes = 0, entries = 0;
    time_t now = time(NULL);
    list_files(cache, &list);
    for (size_t i = 0; i < list.n; i++) {
        const file *f = &list.files[i];
        bool keep;
        if (f->kind == ENTRY) {
            keep = entries < cache->policy.max_entries && f->size <= cache->policy.max_bytes - bytes;
            if (keep) {
                entries++;
                bytes += f->size;
            } else {
                entries = cache->policy.max_entries; /* everything older goes as well */
            }
        } else {
            keep = now - f->used.tv_sec < ABANDONED_AFTER;
        }
        if (!keep) unlinkat(cache->directory, f->name, 0);
    }
    file_list_free(cache, &list);
}

static const char *read_label(const tirbi_disk_cache *cache, const char *name, tirbi_arena *arena) {
    uint8_t start[HEADER_SIZE];
    header h;
    uint64_t size;
    int descriptor = open_entry(cache, name, start, &h, &size);
    if (descriptor < 0) return NULL;
    char *label = tirbi_arena_alloc(arena, h.label_size + 1, 1);
    bool done = label && read_all(descriptor, (uint8_t *)label, h.label_size);
    close(descriptor);
    for (size_t i = 0; done && i < h.label_size; i++) {
        if (label[i] == '\0') label[i] = '?';
    }
    /* A file may have any name, also one that a terminal would obey. */
    if (done) tirbi_text_make_plain(label);
    return done ? label : NULL;
}

tirb_status tirbi_disk_cache_list(tirbi_disk_cache *cache, tirbi_arena *arena, const tirbi_disk_entry **out,
                                  size_t *out_n, tirb_error *error) {
    file_list list;
    *out = NULL;
    *out_n = 0;
    bool enough = list_files(cache, &list);
    tirbi_disk_entry *entries = TIRBI_NEW_ARRAY(arena, tirbi_disk_entry, list.n);
    size_t n = 0;
    for (size_t i = 0; entries && i < list.n; i++) {
        if (list.files[i].kind != ENTRY) continue;
        const char *label = read_label(cache, list.files[i].name, arena);
        entries[n++] = (tirbi_disk_entry){.label = label ? label : "",
                                          .size = list.files[i].size,
                                          .used = (int64_t)list.files[i].used.tv_sec,
                                          .damaged = label == NULL};
    }
    file_list_free(cache, &list);
    if (!enough || arena->failed) {
        return tirbi_error_set(error, tirbi_heap_status(cache->heap), "out of memory to list a cache");
    }
    *out = entries;
    *out_n = n;
    return TIRB_OK;
}

size_t tirbi_disk_cache_clear(tirbi_disk_cache *cache) {
    file_list list;
    size_t n = 0;
    list_files(cache, &list);
    for (size_t i = 0; i < list.n; i++) {
        bool gone = unlinkat(cache->directory, list.files[i].name, 0) == 0;
        n += gone && list.files[i].kind == ENTRY;
    }
    file_list_free(cache, &list);
    return n;
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

/* The whole entry in one piece: its checksum needs it. */
static bool make_entry(tirbi_disk_cache *cache, const tirbi_disk_key *key, tirbi_span value, tirbi_writer *out) {
    tirbi_writer_init(out, cache->heap);
    size_t label_size = key->label.size < MAX_LABEL ? key->label.size : MAX_LABEL;
    tirbi_write_bytes(out, MAGIC, AT_CHECKSUM);
    tirbi_write_u64(out, 0);
    tirbi_write_u64(out, 0);
    tirbi_write_u32(out, VERSION);
    tirbi_write_u32(out, (uint32_t)label_size);
    tirbi_write_u64(out, key->identity.size);
    tirbi_write_u64(out, key->content.size);
    tirbi_write_u64(out, value.size);
    tirbi_write_bytes(out, key->label.data, label_size);
    tirbi_write_bytes(out, key->identity.data, key->identity.size);
    tirbi_write_bytes(out, key->content.data, key->content.size);
    tirbi_write_bytes(out, value.data, value.size);
    if (out->failed) return false;
    store_checksum(tirbi_hash_xxh3(out->data + AT_VERSION, out->size - AT_VERSION, 0), out->data + AT_CHECKSUM);
    return true;
}

static bool write_all(int descriptor, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t wrote = write(descriptor, bytes, size);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        bytes += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

/* Writing past the process's limit of file sizes would raise a signal. */
static bool may_write(uint64_t size) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

static int create_partial(const tirbi_disk_cache *cache, const char *entry, char name[NAME_SIZE]) {
    int descriptor = -1;
    for (unsigned attempt = 0; descriptor < 0 && attempt < 4; attempt++) {
        partial_name(entry, attempt, name);
        descriptor = openat(cache->directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    return descriptor;
}

bool tirbi_disk_cache_add(tirbi_disk_cache *cache, const tirbi_disk_key *key, tirbi_span value) {
    if (cache->directory < 0) return false;
    tirbi_writer entry;
    bool kept = false;
    if (make_entry(cache, key, value, &entry) && entry.size <= cache->policy.max_bytes && may_write(entry.size)) {
        char name[NAME_SIZE], partial[NAME_SIZE];
        entry_name(cache, key, name);
        int descriptor = create_partial(cache, name, partial);
        if (descriptor >= 0) {
            kept = write_all(descriptor, entry.data, entry.size) && fsync(descriptor) == 0;
            kept = close(descriptor) == 0 && kept;
            kept = kept && renameat(cache->directory, partial, cache->directory, name) == 0;
            if (!kept) unlinkat(cache->directory, partial, 0);
        }
    }
    tirbi_writer_destroy(&entry);
    trim(cache);
    return kept;
}
