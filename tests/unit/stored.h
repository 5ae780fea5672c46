/* Bundles that earlier versions wrote: tests/stored/VERSION/NAME.hex, lines of bytes between comments (# and ;). */
#ifndef TIRB_TESTS_UNIT_STORED_H
#define TIRB_TESTS_UNIT_STORED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The bytes that a text holds, for free(). */
static inline uint8_t *stored_bytes(const char *text, size_t *size) {
    uint8_t *bytes = malloc(strlen(text) / 2 + 1);
    assert_non_null(bytes);
    *size = 0;
    for (const char *line = text; *line;) {
        const char *end = line + strcspn(line, "\n");
        unsigned value;
        int used;
        while (*line != '#' && *line != ';' && line < end && sscanf(line, "%2x%n", &value, &used) == 1) {
            bytes[(*size)++] = (uint8_t)value;
            line += used;
            while (line < end && *line == ' ') line++;
        }
        if (*line != '#' && *line != ';' && line < end) fail_msg("no bytes: %.*s", (int)(end - line), line);
        line = end + (*end == '\n');
    }
    return bytes;
}

/* The file as text, for free(). */
static inline char *stored_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    enum { MOST = 1 << 20 };
    char *text = calloc(1, MOST + 1);
    assert_non_null(text);
    assert_in_range(fread(text, 1, MOST, file), 1, MOST - 1);
    fclose(file);
    return text;
}

#endif
