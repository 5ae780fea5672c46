/* What the loader's tests share: a heap that must be empty at the end, programs from assembly, bundles from
 * programs. */
#ifndef TIRB_TESTS_UNIT_LOADER_FIXTURE_H
#define TIRB_TESTS_UNIT_LOADER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "loader/base/alloc.h"
#include "loader/bundle/assembly.h"
#include "loader/bundle/bundle.h"
#include "loader/verify/verify.h"

typedef struct fixture {
    tirbi_heap heap;
    tirbi_arena arena;
    tirb_error error;
} fixture;

static inline void fixture_open(fixture *f) {
    tirbi_heap_init(&f->heap, NULL, UINT64_C(1) << 30);
    tirbi_arena_init(&f->arena, &f->heap);
    f->error = (tirb_error)TIRB_ERROR_INIT;
}

static inline void fixture_close(fixture *f) {
    tirbi_arena_destroy(&f->arena);
    assert_int_equal(f->heap.used, 0);
}

/* The test fails with the error's text. */
static inline void fixture_ok(const fixture *f, tirb_status status, const char *what) {
    if (status != TIRB_OK) {
        fail_msg("%s: %s at %u:%u: %s", what, tirb_status_name(status), f->error.line, f->error.column,
                 f->error.message);
    }
}

static inline tirbi_program *fixture_assemble(fixture *f, const char *text) {
    tirbi_program *program = NULL;
    fixture_ok(f, tirbi_assemble(text, strlen(text), &f->arena, &program, &f->error), text);
    return program;
}

static inline tirbi_writer fixture_bundle(fixture *f, const tirbi_program *program) {
    tirbi_writer bytes;
    tirbi_writer_init(&bytes, &f->heap);
    fixture_ok(f, tirbi_bundle_write(program, &f->heap, &bytes, &f->error), "write");
    return bytes;
}

/* A whole file, terminated; the caller frees it. */
static inline char *fixture_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long end = ftell(file);
    fseek(file, 0, SEEK_SET);
    char *text = end >= 0 ? malloc((size_t)end + 1) : NULL;
    assert_non_null(text);
    *size = fread(text, 1, (size_t)end, file);
    assert_int_equal(*size, end);
    text[*size] = 0;
    fclose(file);
    return text;
}

#endif
