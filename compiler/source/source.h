/* Source text, places in it, and the list of diagnostics that a compilation collects. */
#ifndef TIRB_COMPILER_SOURCE_SOURCE_H
#define TIRB_COMPILER_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/compiler.h>

#include "loader/base/alloc.h"

/* Bytes begin .. end of the source text. Lines and columns are computed when a message needs them. */
typedef struct tirbi_span {
    uint32_t begin;
    uint32_t end;
} tirbi_span;

typedef struct tirbi_source {
    const char *name; /* file name for messages */
    const char *text; /* UTF-8; not terminated */
    uint32_t size;
    const uint32_t *line_starts; /* offsets, sorted; made by tirbi_source_init */
    uint32_t n_lines;
} tirbi_source;

/* Splits the text into lines; false when out of memory. The text is borrowed. */
bool tirbi_source_init(tirbi_source *source, const char *name, const char *text, uint32_t size, tirbi_arena *arena);
/* 1-based line, and column counted in Unicode characters. */
void tirbi_source_locate(const tirbi_source *source, uint32_t offset, uint32_t *line, uint32_t *column);
/* The offset of the first of the bytes begin .. end that is not UTF-8, or end. */
uint32_t tirbi_find_bad_utf8(const char *text, uint32_t begin, uint32_t end);

/* The diagnostics of one compilation. Every stage of the compiler reports here and goes on where it can. */
typedef struct tirbi_diagnostics {
    const tirbi_source *source;
    tirbi_arena *arena;
    tirb_diagnostic *items;
    uint32_t n_items, capacity;
    uint32_t n_errors, max_errors; /* further errors are counted, not kept */
    tirb_status first_error;       /* TIRB_OK while there is none */
    bool plain;                    /* messages alone are kept, without their places */
} tirbi_diagnostics;

void tirbi_diagnostics_init(tirbi_diagnostics *d, const tirbi_source *source, tirbi_arena *arena, uint32_t max_errors);
/* Adds an error. `code` is SYNTAX, TYPE, UNSUPPORTED or VALUE; INTERNAL where a pass left what is no loop IR, and
 * tirbi_report_unexplained's. */
void tirbi_report_error(tirbi_diagnostics *d, tirb_status code, tirbi_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* For whoever drops a part of the program: whatever is refused is reported, and this reports a fault of the compiler's
 * own where nothing has been. `what` is, as in "a statement". */
void tirbi_report_unexplained(tirbi_diagnostics *d, tirbi_span span, const char *what);
void tirbi_report_warning(tirbi_diagnostics *d, tirbi_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A note belongs to the message before it. */
void tirbi_report_note(tirbi_diagnostics *d, tirbi_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether one more error is kept, and `steps` may be taken for its message: what nobody reads is not looked for. */
static inline bool tirbi_may_explain(const tirbi_diagnostics *d, uint64_t steps) {
    return d->n_errors < d->max_errors && tirbi_arena_work(d->arena, steps);
}
static inline bool tirbi_has_errors(const tirbi_diagnostics *d) { return d->n_errors > 0; }
/* "file:line:col: error: message\n", the source line, a caret line; as tirb_compile_result_format. */
size_t tirbi_diagnostic_format(const char *file, const tirb_diagnostic *d, char *buffer, size_t size);

#endif
