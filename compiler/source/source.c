#include "compiler/source/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_MAX_ERRORS = 20, MAX_NOTES = 200 };

static bool is_line_end(const char *text, uint32_t size, uint32_t at) {
    return text[at] == '\n' || (text[at] == '\r' && (at + 1 == size || text[at + 1] != '\n'));
}

bool tirbi_source_init(tirbi_source *source, const char *name, const char *text, uint32_t size, tirbi_arena *arena) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < size; i++) n += is_line_end(text, size, i);
    uint32_t *starts = TIRBI_NEW_ARRAY(arena, uint32_t, n);
    if (!starts) return false;
    uint32_t line = 1;
    for (uint32_t i = 0; i < size; i++)
        if (is_line_end(text, size, i)) starts[line++] = i + 1;
    *source = (tirbi_source){.name = name, .text = text, .size = size, .line_starts = starts, .n_lines = n};
    return true;
}

static uint32_t line_of(const tirbi_source *source, uint32_t offset) {
    uint32_t low = 0, high = source->n_lines;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->line_starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool starts_character(char c) { return ((unsigned char)c & 0xC0) != 0x80; }

void tirbi_source_locate(const tirbi_source *source, uint32_t offset, uint32_t *line, uint32_t *column) {
    if (offset > source->size) offset = source->size;
    uint32_t index = line_of(source, offset);
    uint32_t characters = 1;
    for (uint32_t i = source->line_starts[index]; i < offset; i++) characters += starts_character(source->text[i]);
    *line = index + 1;
    *column = characters;
}

uint32_t tirbi_find_bad_utf8(const char *text, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end;) {
        unsigned char c = (unsigned char)text[i];
        uint32_t n = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : (c & 0xF0) == 0xE0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
        if (n == 0 || n > end - i) return i;
        for (uint32_t j = 1; j < n; j++)
            if (((unsigned char)text[i + j] & 0xC0) != 0x80) return i;
        i += n;
    }
    return end;
}

void tirbi_diagnostics_init(tirbi_diagnostics *d, const tirbi_source *source, tirbi_arena *arena, uint32_t max_errors) {
    *d = (tirbi_diagnostics){
        .source = source, .arena = arena, .max_errors = max_errors ? max_errors : DEFAULT_MAX_ERRORS};
}

/* The text of a line without its end, as a copy. */
static const char *copy_line(const tirbi_diagnostics *d, uint32_t line) {
    const tirbi_source *s = d->source;
    uint32_t begin = s->line_starts[line - 1];
    uint32_t end = line < s->n_lines ? s->line_starts[line] : s->size;
    while (end > begin && (s->text[end - 1] == '\n' || s->text[end - 1] == '\r')) end--;
    return tirbi_arena_text(d->arena, s->text + begin, end - begin);
}

static tirb_diagnostic *add_item(tirbi_diagnostics *d) {
    if (d->n_items == d->capacity) {
        uint32_t capacity = d->capacity ? d->capacity * 2 : 8;
        tirb_diagnostic *items = TIRBI_NEW_ARRAY(d->arena, tirb_diagnostic, capacity);
        if (!items) return NULL;
        if (d->n_items) memcpy(items, d->items, d->n_items * sizeof *items);
        d->items = items;
        d->capacity = capacity;
    }
    return &d->items[d->n_items++];
}

/* What is wrong with a vector is found once for each of its lanes. */
static bool is_said(const tirbi_diagnostics *d, tirb_severity severity, tirbi_span span, const char *message) {
    uint32_t line, column;
    if (!d->source || d->n_items == 0) return false;
    tirbi_source_locate(d->source, span.begin, &line, &column);
    /* A warning is found in each expansion of a macro; of errors the last counts. */
    uint32_t first = severity == TIRB_SEVERITY_WARNING ? 0 : d->n_items - 1;
    for (uint32_t i = first; i < d->n_items; i++) {
        const tirb_diagnostic *item = &d->items[i];
        if (item->severity == severity && item->line == line && item->column == column &&
            strcmp(item->message, message) == 0)
            return true;
    }
    return false;
}

__attribute__((format(printf, 5, 0))) static void report(tirbi_diagnostics *d, tirb_severity severity, tirb_status code,
                                                         tirbi_span span, const char *format, va_list args) {
    char message[1024];
    int length = vsnprintf(message, sizeof message, format, args);
    if (length < 0) message[0] = 0;
    if (is_said(d, severity, span, message)) return;
    tirb_diagnostic *item = add_item(d);
    if (!item) return;
    item->severity = severity;
    item->code = code;
    item->message = tirbi_arena_text(d->arena, message, strlen(message));
    if (!item->message) item->message = "out of memory";
    if (!d->source || d->plain) return;
    tirbi_source_locate(d->source, span.begin, &item->line, &item->column);
    tirbi_source_locate(d->source, span.end > span.begin ? span.end : span.begin, &item->end_line, &item->end_column);
    item->source_line = copy_line(d, item->line);
}

void tirbi_report_error(tirbi_diagnostics *d, tirb_status code, tirbi_span span, const char *format, ...) {
    if (d->n_errors == 0) d->first_error = code;
    if (d->n_errors++ >= d->max_errors) return;
    va_list args;
    va_start(args, format);
    report(d, TIRB_SEVERITY_ERROR, code, span, format, args);
    va_end(args);
}

void tirbi_report_unexplained(tirbi_diagnostics *d, tirbi_span span, const char *what) {
    if (d->n_errors > 0 || d->arena->failed) return;
    tirbi_report_error(d, TIRB_INTERNAL, span, "internal error: %s is refused, and nothing says why", what);
}

void tirbi_report_warning(tirbi_diagnostics *d, tirbi_span span, const char *format, ...) {
    if (d->n_errors >= d->max_errors || d->n_items >= d->max_errors + MAX_NOTES) return;
    va_list args;
    va_start(args, format);
    report(d, TIRB_SEVERITY_WARNING, TIRB_OK, span, format, args);
    va_end(args);
}

void tirbi_report_note(tirbi_diagnostics *d, tirbi_span span, const char *format, ...) {
    if (d->n_errors > d->max_errors || d->n_items >= d->max_errors + MAX_NOTES) return;
    va_list args;
    va_start(args, format);
    report(d, TIRB_SEVERITY_NOTE, TIRB_OK, span, format, args);
    va_end(args);
}
