/* The cache in a directory: whatever is wrong with the directory or an entry is a miss, never a wrong value. */
#include "tests/unit/loader_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loader/cache/disk.h"

enum { PATH_MOST = 512, ANOTHER_USER = 12345 };

static char root[PATH_MOST / 2]; /* a new folder for every test */
static char directory[PATH_MOST];
static tirbi_heap heap;

static int make_root(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/tirb_disk_XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(root)) return -1;
    snprintf(directory, sizeof directory, "%s/a/cache", root);
    tirbi_heap_init(&heap, NULL, UINT64_C(1) << 30);
    return 0;
}

static int remove_root(void **state) {
    (void)state;
    char command[PATH_MOST + 32];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command) == 0 && heap.used == 0 ? 0 : -1;
}

static const tirbi_disk_policy roomy = {.max_bytes = 1 << 20, .max_entries = 100};

static tirbi_disk_cache open_cache(const tirbi_disk_policy *policy) {
    tirbi_disk_cache cache;
    tirb_error error = TIRB_ERROR_INIT;
    if (tirbi_disk_cache_open(&cache, directory, true, policy, &heap, &error) != TIRB_OK) fail_msg("%s", error.message);
    return cache;
}

static tirbi_span span_of(const char *text) { return (tirbi_span){text, strlen(text)}; }

static tirbi_disk_key key_of(const char *identity, const char *content) {
    return (tirbi_disk_key){span_of(identity), span_of(content), span_of("k.py")};
}

static bool add(tirbi_disk_cache *cache, const char *identity, const char *content, const char *value) {
    tirbi_disk_key key = key_of(identity, content);
    return tirbi_disk_cache_add(cache, &key, span_of(value));
}

/* Whether the key is found; what is found must be `value`. */
static bool finds(tirbi_disk_cache *cache, const char *identity, const char *content, const char *value) {
    tirbi_disk_key key = key_of(identity, content);
    tirbi_disk_value found;
    if (!tirbi_disk_cache_find(cache, &key, &found)) {
        assert_null(found.memory);
        return false;
    }
    assert_int_equal(found.size, strlen(value));
    assert_memory_equal(found.data, value, found.size);
    tirbi_disk_value_free(cache, &found);
    return true;
}

/* The path of the only file whose name ends with `suffix`; "" if there is none. */
static const char *only_file(const char *suffix) {
    static char path[PATH_MOST * 2];
    path[0] = '\0';
    DIR *dir = opendir(directory);
    assert_non_null(dir);
    for (struct dirent *item; (item = readdir(dir));) {
        size_t n = strlen(item->d_name), m = strlen(suffix);
        if (n < m || strcmp(item->d_name + n - m, suffix) != 0) continue;
        assert_string_equal(path, "");
        snprintf(path, sizeof path, "%s/%s", directory, item->d_name);
    }
    closedir(dir);
    return path;
}

static unsigned count_files(void) {
    unsigned n = 0;
    DIR *dir = opendir(directory);
    assert_non_null(dir);
    for (struct dirent *item; (item = readdir(dir));) n += item->d_name[0] != '.';
    closedir(dir);
    return n;
}

static void write_file(const char *path, const void *bytes, size_t size) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, bytes, size), (ssize_t)size);
    close(descriptor);
}

static void set_time(const char *path, time_t when) {
    struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_finds_what_was_added(void **state) {
    (void)state;
    tirbi_disk_cache cache = open_cache(&roomy);
    assert_false(finds(&cache, "id", "text", ""));
    assert_true(add(&cache, "id", "text", "the value"));
    assert_true(finds(&cache, "id", "text", "the value"));
    assert_false(finds(&cache, "i", "dtext", ""));
    assert_false(finds(&cache, "id2", "text", ""));
    assert_false(finds(&cache, "id", "text2", ""));
    assert_false(finds(&cache, "", "", ""));
    assert_true(add(&cache, "", "", ""));
    assert_true(finds(&cache, "", "", ""));
    assert_true(add(&cache, "id", "text", "another value"));
    assert_true(finds(&cache, "id", "text", "another value"));
    assert_int_equal(count_files(), 2);
    tirbi_disk_cache_close(&cache);
    assert_false(finds(&cache, "id", "text", ""));
    assert_false(add(&cache, "id", "text", "the value"));
    cache = open_cache(&roomy);
    assert_true(finds(&cache, "id", "text", "another value"));
    struct stat made;
    assert_int_equal(stat(directory, &made), 0);
    assert_int_equal(made.st_mode & 0777, 0700);
    assert_int_equal(stat(only_file("cache"), &made), -1);
    tirbi_disk_cache_close(&cache);
}

static tirbi_key everything_collides(const void *bytes, size_t size, uint64_t seed) {
    (void)bytes, (void)size, (void)seed;
    return (tirbi_key){1, 2};
}

static void test_collisions_never_give_the_wrong_value(void **state) {
    (void)state;
    tirbi_disk_policy policy = roomy;
    policy.hash = everything_collides;
    tirbi_disk_cache cache = open_cache(&policy);
    static const char *const keys[][2] = {{"id", "text"}, {"id", "task"}, {"ID", "text"}, {"idt", "ext"}, {"", ""}};
    for (size_t i = 0; i < 5; i++) {
        assert_true(add(&cache, keys[i][0], keys[i][1], keys[i][1]));
        for (size_t k = 0; k < 5; k++) assert_true(finds(&cache, keys[k][0], keys[k][1], keys[k][1]) == (i == k));
    }
    assert_int_equal(count_files(), 1);
    tirbi_disk_cache_close(&cache);
}

/* Every byte changed and every length: a miss, since the checksum covers all of it. And a new entry takes its place. */
static void test_damage_is_a_miss(void **state) {
    (void)state;
    tirbi_disk_cache cache = open_cache(&roomy);
    assert_true(add(&cache, "identity", "some text", "some value"));
    char path[PATH_MOST * 2];
    snprintf(path, sizeof path, "%s", only_file(".kept"));
    size_t size = 0;
    char *bytes = fixture_file(path, &size);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[i] = (char)(bytes[i] ^ (1 << bit));
            write_file(path, bytes, size);
            assert_false(finds(&cache, "identity", "some text", ""));
            bytes[i] = (char)(bytes[i] ^ (1 << bit));
        }
    }
    for (size_t n = 0; n < size; n++) {
        write_file(path, bytes, n);
        assert_false(finds(&cache, "identity", "some text", ""));
    }
    char *longer = calloc(size + 1, 1);
    memcpy(longer, bytes, size);
    write_file(path, longer, size + 1);
    assert_false(finds(&cache, "identity", "some text", ""));
    assert_true(add(&cache, "identity", "some text", "some value"));
    assert_true(finds(&cache, "identity", "some text", "some value"));
    free(longer);
    free(bytes);
    tirbi_disk_cache_close(&cache);
}

/* What stands under the entry's name is no file of ours: a link, a pipe, a folder, open to others, another user's. */
static void test_strange_files_are_misses(void **state) {
    (void)state;
    tirbi_disk_cache cache = open_cache(&roomy);
    assert_true(add(&cache, "id", "text", "value"));
    char path[PATH_MOST * 2], elsewhere[PATH_MOST * 2];
    snprintf(path, sizeof path, "%s", only_file(".kept"));
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", root);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    assert_false(finds(&cache, "id", "text", ""));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(finds(&cache, "id", "text", ""));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(finds(&cache, "id", "text", ""));
    assert_false(add(&cache, "id", "text", "value")); /* a folder cannot be renamed over */
    assert_int_equal(count_files(), 1);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rename(elsewhere, path), 0);
    assert_true(finds(&cache, "id", "text", "value"));
    assert_int_equal(chmod(path, 0640), 0);
    assert_false(finds(&cache, "id", "text", ""));
    assert_int_equal(chmod(path, 0600), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, ANOTHER_USER, (gid_t)-1), 0);
        assert_false(finds(&cache, "id", "text", ""));
        assert_int_equal(tirbi_disk_cache_clear(&cache), 0);
        assert_int_equal(count_files(), 1);
        assert_true(add(&cache, "id", "text", "value"));
    }
    assert_true(finds(&cache, "id", "text", "value"));
    tirbi_disk_cache_close(&cache);
}

static tirb_status try_open(const char *path, bool create, tirb_error *error) {
    tirbi_disk_cache cache;
    tirb_status status = tirbi_disk_cache_open(&cache, path, create, &roomy, &heap, error);
    assert_true((cache.directory >= 0) == (status == TIRB_OK));
    tirbi_disk_cache_close(&cache);
    return status;
}

static void test_strange_directories_are_not_used(void **state) {
    (void)state;
    tirb_error error = TIRB_ERROR_INIT;
    char path[PATH_MOST];
    assert_int_equal(try_open(directory, false, &error), TIRB_NOT_FOUND);
    assert_int_equal(try_open("", true, &error), TIRB_NOT_FOUND);
    assert_int_equal(try_open("/proc/nowhere/cache", true, &error), TIRB_NOT_FOUND);
    tirbi_disk_cache cache = open_cache(&roomy);
    tirbi_disk_cache_close(&cache);
    snprintf(path, sizeof path, "%s/link", root);
    assert_int_equal(symlink(directory, path), 0);
    assert_int_equal(try_open(path, true, &error), TIRB_UNSUPPORTED);
    strcat(path, "//");
    assert_int_equal(try_open(path, true, &error), TIRB_UNSUPPORTED);
    snprintf(path, sizeof path, "%s/file", root);
    write_file(path, "x", 1);
    assert_int_equal(try_open(path, true, &error), TIRB_UNSUPPORTED);
    snprintf(path, sizeof path, "%s/a/cache/", root);
    assert_int_equal(try_open(path, false, &error), TIRB_OK);
    assert_int_equal(chmod(directory, 0755), 0);
    assert_int_equal(try_open(directory, true, &error), TIRB_UNSUPPORTED);
    assert_non_null(strstr(error.message, "755"));
    assert_int_equal(chmod(directory, 0700), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(directory, ANOTHER_USER, (gid_t)-1), 0);
        assert_int_equal(try_open(directory, true, &error), TIRB_UNSUPPORTED);
        assert_non_null(strstr(error.message, "12345"));
        assert_int_equal(chown(directory, 0, (gid_t)-1), 0);
    }
    assert_int_equal(try_open(directory, true, &error), TIRB_OK);
}

static void test_the_least_recently_used_goes_first(void **state) {
    (void)state;
    tirbi_disk_policy policy = {.max_bytes = 1 << 20, .max_entries = 3};
    tirbi_disk_cache cache = open_cache(&policy);
    time_t now = time(NULL);
    for (int i = 0; i < 3; i++) {
        char content[2] = {(char)('a' + i), 0};
        assert_true(add(&cache, "id", content, content));
        char newest[PATH_MOST * 2] = "";
        DIR *dir = opendir(directory);
        for (struct dirent *item; (item = readdir(dir));) {
            snprintf(newest, sizeof newest, "%s/%s", directory, item->d_name);
            struct stat found;
            if (item->d_name[0] != '.' && stat(newest, &found) == 0 && found.st_mtime >= now)
                set_time(newest, now - 100 + i);
        }
        closedir(dir);
    }
    assert_true(finds(&cache, "id", "a", "a")); /* so that "b" is the oldest */
    assert_true(add(&cache, "id", "d", "d"));
    assert_true(finds(&cache, "id", "a", "a"));
    assert_false(finds(&cache, "id", "b", ""));
    assert_true(finds(&cache, "id", "c", "c"));
    assert_true(finds(&cache, "id", "d", "d"));
    assert_int_equal(count_files(), 3);
    tirbi_disk_cache_close(&cache);
}

static void test_the_byte_budget_holds(void **state) {
    (void)state;
    static char value[10001];
    memset(value, 'v', sizeof value - 1);
    tirbi_disk_policy policy = {.max_bytes = 45000, .max_entries = 100};
    tirbi_disk_cache cache = open_cache(&policy);
    for (int i = 0; i < 10; i++) {
        char content[2] = {(char)('a' + i), 0};
        assert_true(add(&cache, "id", content, value));
        assert_true(finds(&cache, "id", content, value));
        assert_true(count_files() <= 4);
    }
    tirbi_disk_cache_close(&cache);
    policy.max_bytes = 10000; /* too small for any of them */
    cache = open_cache(&policy);
    assert_false(add(&cache, "id", "z", value));
    assert_false(finds(&cache, "id", "j", value));
    assert_int_equal(count_files(), 0);
    tirbi_disk_cache_close(&cache);
}

/* An entry that was used "tomorrow", by a clock that was wrong, goes before those of today. */
static void test_a_clock_that_went_back(void **state) {
    (void)state;
    tirbi_disk_policy policy = {.max_bytes = 1 << 20, .max_entries = 1};
    tirbi_disk_cache cache = open_cache(&policy);
    assert_true(add(&cache, "id", "a", "a"));
    set_time(only_file(".kept"), time(NULL) + 100000);
    assert_true(add(&cache, "id", "b", "b"));
    assert_true(finds(&cache, "id", "b", "b"));
    assert_false(finds(&cache, "id", "a", "a"));
    tirbi_disk_cache_close(&cache);
}

static void test_leftovers_are_swept(void **state) {
    (void)state;
    tirbi_disk_cache cache = open_cache(&roomy);
    static const char *const names[] = {"0123456789abcdef0123456789abcdef.0123456789abcdef.partial", /* old */
                                        "0123456789abcdef0123456789abcdef.0123456789abcdee.partial", /* being written */
                                        "somebody.partial", "0123456789ABCDEF0123456789abcdef.kept", "notes.txt"};
    char path[PATH_MOST * 2];
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        write_file(path, "half", 4);
        if (i != 1) set_time(path, time(NULL) - 10000);
    }
    assert_true(add(&cache, "id", "text", "value"));
    assert_int_equal(count_files(), 5);
    snprintf(path, sizeof path, "%s/%s", directory, names[0]);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(tirbi_disk_cache_clear(&cache), 1);
    assert_int_equal(count_files(), 3); /* what is not ours stays */
    tirbi_disk_cache_close(&cache);
}

static void test_listing(void **state) {
    (void)state;
    tirbi_disk_cache cache = open_cache(&roomy);
    tirbi_arena arena;
    tirbi_arena_init(&arena, &heap);
    const tirbi_disk_entry *entries;
    size_t n;
    assert_int_equal(tirbi_disk_cache_list(&cache, &arena, &entries, &n, NULL), TIRB_OK);
    assert_int_equal(n, 0);
    tirbi_disk_key key = key_of("id", "text");
    key.label = span_of("na\033\xc2\x9bm\x7f.py");
    assert_true(tirbi_disk_cache_add(&cache, &key, span_of("value")));
    set_time(only_file(".kept"), 1000);
    char path[PATH_MOST * 2];
    snprintf(path, sizeof path, "%s/0123456789abcdef0123456789abcdef.kept", directory);
    write_file(path, "damaged", 7);
    assert_int_equal(tirbi_disk_cache_list(&cache, &arena, &entries, &n, NULL), TIRB_OK);
    assert_int_equal(n, 2);
    assert_true(entries[0].damaged);
    assert_int_equal(entries[0].size, 7);
    assert_false(entries[1].damaged);
    assert_string_equal(entries[1].label, "na???m?.py");
    assert_int_equal(entries[1].used, 1000);
    tirbi_arena_destroy(&arena);
    tirbi_disk_cache_close(&cache);
}

/* ---- What cannot be written -------------------------------------------------------------------------------------- */

static void test_a_limit_of_file_sizes(void **state) {
    (void)state;
    static char value[10001];
    memset(value, 'v', sizeof value - 1);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tirbi_disk_cache cache = open_cache(&roomy);
        struct rlimit limit = {5000, 5000};
        bool good = setrlimit(RLIMIT_FSIZE, &limit) == 0 && !add(&cache, "id", "text", value) &&
                    add(&cache, "id", "text", "short");
        _exit(good ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(count_files(), 1);
}

/* A file system of 64 KiB; only root may mount one, and not everywhere. */
static void test_a_full_disk(void **state) {
    (void)state;
    char where[PATH_MOST / 2 + 16];
    snprintf(where, sizeof where, "%s/small", root);
    if (mkdir(where, 0700) != 0 || mount("tmpfs", where, "tmpfs", 0, "size=64k") != 0) skip();
    snprintf(directory, sizeof directory, "%s/cache", where);
    static char value[30001];
    memset(value, 'v', sizeof value - 1);
    tirbi_disk_cache cache = open_cache(&roomy);
    bool kept[4];
    for (int i = 0; i < 4; i++) {
        char content[2] = {(char)('a' + i), 0};
        kept[i] = add(&cache, "id", content, value);
        assert_true(finds(&cache, "id", content, value) == kept[i]);
    }
    unsigned n = count_files();
    tirbi_disk_cache_close(&cache);
    assert_int_equal(umount(where), 0);
    assert_true(kept[0] && !kept[3]);
    assert_int_equal(n, (unsigned)kept[0] + kept[1] + kept[2] + kept[3]); /* nothing half written */
}

static void test_a_directory_that_is_gone(void **state) {
    (void)state;
    tirbi_disk_cache cache = open_cache(&roomy);
    assert_int_equal(rmdir(directory), 0);
    assert_false(add(&cache, "id", "text", "value"));
    assert_false(finds(&cache, "id", "text", "value"));
    assert_int_equal(tirbi_disk_cache_clear(&cache), 0);
    tirbi_disk_cache_close(&cache);
}

/* ---- Processes and memory ---------------------------------------------------------------------------------------- */

/* Several processes add, find and clear the same few keys: what is found is always whole and right. */
static void test_processes_at_once(void **state) {
    (void)state;
    enum { PROCESSES = 4, ROUNDS = 60 };
    static char values[3][20001];
    for (int i = 0; i < 3; i++) memset(values[i], 'x' + i, sizeof values[i] - 1);
    tirbi_disk_policy policy = {.max_bytes = 50000, .max_entries = 2};
    pid_t children[PROCESSES];
    for (unsigned p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        assert_true(children[p] >= 0);
        if (children[p] > 0) continue;
        unsigned r = p + 1;
        bool good = true;
        tirbi_disk_cache cache;
        good = tirbi_disk_cache_open(&cache, directory, true, &policy, &heap, NULL) == TIRB_OK;
        for (int i = 0; good && i < ROUNDS; i++) {
            r = r * 1664525u + 1013904223u;
            unsigned k = (r >> 16) % 3;
            char content[2] = {(char)('a' + k), 0};
            tirbi_disk_key key = key_of("id", content);
            tirbi_disk_value found;
            if (tirbi_disk_cache_find(&cache, &key, &found)) {
                good = found.size == 20000 && memcmp(found.data, values[k], found.size) == 0;
                tirbi_disk_value_free(&cache, &found);
            } else {
                tirbi_disk_cache_add(&cache, &key, span_of(values[k]));
            }
            if ((r >> 8) % 16 == 0) tirbi_disk_cache_clear(&cache);
        }
        _exit(good ? 0 : 1);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status = -1;
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_int_equal(status, 0);
    }
    assert_true(count_files() <= 2 + PROCESSES);
    assert_string_equal(only_file(".partial"), "");
}

typedef struct failing {
    long calls, fail;
} failing;

static void *fail_one(void *context, void *ptr, size_t old_size, size_t new_size) {
    failing *f = context;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return ++f->calls == f->fail ? NULL : realloc(ptr, new_size);
}

static void test_every_allocation_fails_in_turn(void **state) {
    (void)state;
    bool done = false;
    for (long n = 1; !done; n++) {
        failing f = {.fail = n};
        tirb_allocator allocator = {fail_one, &f};
        tirbi_heap own;
        tirbi_heap_init(&own, &allocator, UINT64_C(1) << 30);
        tirbi_disk_cache cache;
        if (tirbi_disk_cache_open(&cache, directory, true, &roomy, &own, NULL) == TIRB_OK) {
            bool kept = add(&cache, "id", "text", "value");
            bool found = finds(&cache, "id", "text", "value");
            assert_true(kept || f.calls >= n);
            assert_true(found || f.calls >= n);
            tirbi_arena arena;
            tirbi_arena_init(&arena, &own);
            const tirbi_disk_entry *entries;
            size_t entry_count;
            tirb_status status = tirbi_disk_cache_list(&cache, &arena, &entries, &entry_count, NULL);
            assert_true(status == TIRB_OK || status == TIRB_NO_MEMORY);
            tirbi_arena_destroy(&arena);
            tirbi_disk_cache_close(&cache);
            done = f.calls < n;
        }
        assert_int_equal(own.used, 0);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_finds_what_was_added),
        TEST(test_collisions_never_give_the_wrong_value),
        TEST(test_damage_is_a_miss),
        TEST(test_strange_files_are_misses),
        TEST(test_strange_directories_are_not_used),
        TEST(test_the_least_recently_used_goes_first),
        TEST(test_the_byte_budget_holds),
        TEST(test_a_clock_that_went_back),
        TEST(test_leftovers_are_swept),
        TEST(test_listing),
        TEST(test_a_limit_of_file_sizes),
        TEST(test_a_full_disk),
        TEST(test_a_directory_that_is_gone),
        TEST(test_processes_at_once),
        TEST(test_every_allocation_fails_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
