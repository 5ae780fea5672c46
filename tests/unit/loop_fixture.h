/* Memory for loop IR, and files of it. */
#ifndef TIRB_TESTS_UNIT_LOOP_FIXTURE_H
#define TIRB_TESTS_UNIT_LOOP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "loader/base/alloc.h"

enum { MAX_TEXT = 1 << 20, MAX_PATH = 1024 };

typedef struct room {
    tirbi_heap heap;
    tirbi_arena arena;
} room;

static void open_room(room *r) {
    tirbi_heap_init(&r->heap, NULL, UINT64_MAX);
    tirbi_arena_init(&r->arena, &r->heap);
}

/* A file's text, to be freed. */
static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = malloc(MAX_TEXT);
    assert_non_null(file);
    assert_non_null(text);
    const size_t size = fread(text, 1, MAX_TEXT - 1, file);
    fclose(file);
    text[size] = '\0';
    return text;
}

#endif
