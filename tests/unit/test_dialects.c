/* Every kernel, rewritten to the older dialects by the printer, compiles to the same code. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tirb/compiler.h>

#include "loader/bundle/bundle.h"
#include "tests/unit/sampled.h"

enum { MAX_TEXT = 1 << 20, MAX_PATH = 1024 };

typedef struct compiled {
    tirb_compile_result *bundle;
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_program *program;
} compiled;

static tirb_compile_options named(const char *path) {
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    options.file_name = path;
    return options;
}

static void open_text(const char *path, const char *text, size_t size, compiled *out) {
    tirb_compile_options options = named(path);
    tirb_error error = TIRB_ERROR_INIT;
    size_t bundle_size;
    if (tirb_compile(text, size, &options, &out->bundle, &error) != TIRB_OK)
        fail_msg("%s, rewritten, does not compile: %s\n%.*s", path, error.message, (int)size, text);
    const uint8_t *bytes = tirb_compile_result_bytes(out->bundle, &bundle_size);
    tirbi_heap_init(&out->heap, NULL, UINT64_MAX);
    tirbi_arena_init(&out->arena, &out->heap);
    assert_int_equal(tirbi_bundle_read(bytes, bundle_size, 1 << 30, &out->arena, &out->program, &error), TIRB_OK);
}

static void close_text(compiled *c) {
    tirbi_arena_destroy(&c->arena);
    tirb_compile_result_destroy(c->bundle);
}

static void rewrite(const char *path, const char *text, size_t size, tirb_dialect dialect, compiled *out) {
    tirb_compile_options options = named(path);
    tirb_error error = TIRB_ERROR_INIT;
    tirb_compile_result *printed;
    size_t printed_size;
    if (tirb_format(text, size, dialect, &options, &printed, &error) != TIRB_OK)
        fail_msg("%s does not print in dialect %d: %s", path, (int)dialect, error.message);
    const uint8_t *bytes = tirb_compile_result_bytes(printed, &printed_size);
    open_text(path, (const char *)bytes, printed_size, out);
    tirb_compile_result_destroy(printed);
}

/* Names may differ, but not what is numbered by them: the strings of an instruction keep their numbers. */
static void expect_same_code(const char *path, int dialect, const tirbi_program *a, const tirbi_program *b) {
    assert_int_equal(a->n_functions, b->n_functions);
    for (unsigned i = 0; i < a->n_functions; i++) {
        const tirbi_function *f = &a->functions[i], *g = &b->functions[i];
        if (f->code_size != g->code_size || memcmp(f->code, g->code, f->code_size) != 0)
            fail_msg("%s: function %s has other code in dialect %d", path, a->strings[f->name].text, dialect);
        assert_int_equal(f->n_sregs, g->n_sregs);
        assert_int_equal(f->n_refs, g->n_refs);
        assert_int_equal(f->n_params, g->n_params);
    }
}

static char text[MAX_TEXT];

/* The printer sorts functions by name, so that all are compared with the canonical text. */
static bool compare_file(const char *path) {
    FILE *file = fopen(path, "rb");
    tirb_compile_options options = named(path);
    tirb_compile_result *probe = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    tirb_status status = tirb_compile(text, size, &options, &probe, &error);
    tirb_compile_result_destroy(probe);
    if (status != TIRB_OK) return false;
    compiled first, other;
    rewrite(path, text, size, TIRB_DIALECT_TIRX, &first);
    for (int dialect = TIRB_DIALECT_TIR; dialect <= TIRB_DIALECT_HYBRID; dialect++) {
        rewrite(path, text, size, (tirb_dialect)dialect, &other);
        expect_same_code(path, dialect, first.program, other.program);
        close_text(&other);
    }
    close_text(&first);
    return true;
}

static unsigned compare_folder(const char *folder) {
    DIR *entries = opendir(folder);
    unsigned n = 0, n_seen = 0;
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));) {
        char path[MAX_PATH];
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".py") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (n_seen++ % sampled_every() == 0) n += compare_file(path);
    }
    closedir(entries);
    return n * sampled_every();
}

static void test_same_code(void **state) {
    (void)state;
    assert_true(compare_folder("tests/kernels") > 40);
    assert_true(compare_folder("tests/golden") > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
