/* The programs of tests/golden: those called accept_* are read without an error; the others have, in comments
 * `# error: LINE:COLUMN text`, each error that the parser reports. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/text/text.h"

enum { MAX_TEXT = 1 << 20, MAX_FILES = 512 };

static char text[MAX_TEXT];

static size_t read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_true(size < sizeof text);
    return size;
}

static bool is_reported(const tirbi_diagnostics *d, unsigned line, unsigned column, const char *words, size_t size) {
    for (uint32_t i = 0; i < d->n_items; i++) {
        const tirb_diagnostic *item = &d->items[i];
        if (item->severity != TIRB_SEVERITY_ERROR || item->line != line || item->column != column) continue;
        if (strlen(item->message) >= size && memcmp(item->message, words, size) == 0) return true;
    }
    return false;
}

/* The number of problems: errors that are expected and missing, or there and not expected. */
static int compare(const char *path, size_t size, const tirbi_diagnostics *d) {
    static const char mark[] = "# error: ";
    uint32_t expected = 0;
    int problems = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        unsigned line, column;
        int used;
        char copy[512];
        snprintf(copy, sizeof copy, "%.*s", (int)length, text + at);
        at += length + 1;
        if (strncmp(copy, mark, sizeof mark - 1) != 0) continue;
        expected++;
        if (sscanf(copy + sizeof mark - 1, "%u:%u %n", &line, &column, &used) == 2) {
            const char *words = copy + sizeof mark - 1 + used;
            if (is_reported(d, line, column, words, strlen(words))) continue;
        }
        print_error("%s: missing: %s\n", path, copy);
        problems++;
    }
    if (expected == d->n_errors) return problems;
    for (uint32_t i = 0; i < d->n_items; i++) {
        char message[1024];
        tirbi_diagnostic_format(path, &d->items[i], message, sizeof message);
        print_error("%s", message);
    }
    print_error("%s: %u errors, %u expected\n", path, d->n_errors, expected);
    return problems + 1;
}

static int check_file(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s", TIRB_TEST_ROOT, name);
    size_t size = read_file(path);
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_source source;
    tirbi_diagnostics diagnostics;
    tirbi_heap_init(&heap, NULL, UINT64_C(1) << 28);
    tirbi_arena_init(&arena, &heap);
    assert_true(tirbi_source_init(&source, path, text, (uint32_t)size, &arena));
    tirbi_diagnostics_init(&diagnostics, &source, &arena, 100);
    const tirb_irmodule *module = tirbi_parse(&source, &arena, &diagnostics);
    assert_non_null(module);
    int problems = compare(path, size, &diagnostics);
    if (strncmp(name, "accept_", 7) == 0 && module->n_functions == 0) problems++;
    tirbi_arena_destroy(&arena);
    assert_int_equal(heap.used, 0);
    return problems;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void all_files(void **state) {
    (void)state;
    static char *names[MAX_FILES];
    int n = 0, problems = 0;
    char directory[512];
    snprintf(directory, sizeof directory, "%s/golden", TIRB_TEST_ROOT);
    DIR *folder = opendir(directory);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        if (length > 3 && strcmp(entry->d_name + length - 3, ".py") == 0 && n < MAX_FILES)
            names[n++] = strdup(entry->d_name);
    }
    closedir(folder);
    assert_true(n >= 40);
    qsort(names, (size_t)n, sizeof *names, by_name);
    for (int i = 0; i < n; i++) {
        problems += check_file(names[i]);
        free(names[i]);
    }
    assert_int_equal(problems, 0);
}

/* Memory that runs out anywhere ends the parse and nothing else. */
static void every_budget(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/golden/accept_classic.py", TIRB_TEST_ROOT);
    size_t size = read_file(path);
    bool done = false;
    for (uint64_t budget = 0; !done; budget += 1 + budget / 16) {
        tirbi_heap heap;
        tirbi_arena arena;
        tirbi_source source;
        tirbi_diagnostics diagnostics;
        tirbi_heap_init(&heap, NULL, budget);
        tirbi_arena_init(&arena, &heap);
        if (tirbi_source_init(&source, path, text, (uint32_t)size, &arena)) {
            tirbi_diagnostics_init(&diagnostics, &source, &arena, 100);
            const tirb_irmodule *module = tirbi_parse(&source, &arena, &diagnostics);
            assert_true(!module == arena.failed);
            done = module != NULL;
        }
        tirbi_arena_destroy(&arena);
        assert_int_equal(heap.used, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_files), cmocka_unit_test(every_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
