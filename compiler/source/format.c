/* A diagnostic as text: its place and message, the source line, and a caret line below the place. */
#include <stdio.h>
#include <string.h>

#include "compiler/source/source.h"
#include "loader/base/printable.h"

enum {
    WINDOW = 160, /* of a longer line, this many characters around the place are shown */
    LEAD_IN = 60  /* characters shown before the place in such a window */
};

typedef struct text_out {
    char *buffer;
    size_t size;
    size_t length;
} text_out;

static void put_char(text_out *out, char c) {
    if (out->length + 1 < out->size) out->buffer[out->length] = c;
    out->length++;
}

static void put_text(text_out *out, const char *text) {
    for (const char *end = text + strlen(text); text < end;) {
        size_t bad = tirbi_unprintable(text, (size_t)(end - text));
        put_char(out, bad ? '?' : *text);
        text += bad ? bad : 1;
        while (text < end && !bad && ((unsigned char)*text & 0xC0) == 0x80) put_char(out, *text++);
    }
}

static void put_number(text_out *out, uint32_t n) {
    char digits[16];
    snprintf(digits, sizeof digits, "%u", n);
    put_text(out, digits);
}

static const char *next_character(const char *p) {
    if (*p) p++;
    while (((unsigned char)*p & 0xC0) == 0x80) p++;
    return p;
}

static uint32_t count_characters(const char *text) {
    uint32_t n = 0;
    for (; *text; text = next_character(text)) n++;
    return n;
}

static void put_excerpt(text_out *out, const tirb_diagnostic *d) {
    uint32_t total = count_characters(d->source_line);
    uint32_t column = d->column ? d->column - 1 : 0;
    uint32_t first = 0, last = total;
    if (total > WINDOW) {
        first = column > LEAD_IN ? column - LEAD_IN : 0;
        last = total - first > WINDOW ? first + WINDOW : total;
    }
    const char *p = d->source_line;
    for (uint32_t i = 0; i < first; i++) p = next_character(p);
    const char *begin = p;

    if (first > 0) put_text(out, "...");
    for (uint32_t i = first; i < last; i++) {
        const char *next = next_character(p);
        if (*p != '\t' && tirbi_unprintable(p, strnlen(p, 4)) > 0) {
            put_char(out, ' ');
            p = next;
        }
        while (p < next) put_char(out, *p++);
    }
    if (last < total) put_text(out, "...");
    put_char(out, '\n');

    if (first > 0) put_text(out, "   ");
    p = begin;
    for (uint32_t i = first; i < column && i < last; i++, p = next_character(p)) put_char(out, *p == '\t' ? '\t' : ' ');
    put_char(out, '^');
    uint32_t end = d->end_line == d->line ? (d->end_column ? d->end_column - 1 : 0) : total;
    if (end > last) end = last;
    for (uint32_t i = column + 1; i < end; i++) put_char(out, '~');
    put_char(out, '\n');
}

size_t tirbi_diagnostic_format(const char *file, const tirb_diagnostic *d, char *buffer, size_t size) {
    static const char *const severities[] = {"note", "warning", "error"};
    text_out out = {.buffer = buffer, .size = size};
    put_text(&out, file ? file : "<string>");
    put_char(&out, ':');
    if (d->line) {
        put_number(&out, d->line);
        put_char(&out, ':');
        put_number(&out, d->column);
        put_char(&out, ':');
    }
    put_char(&out, ' ');
    put_text(&out, severities[d->severity]);
    put_text(&out, ": ");
    put_text(&out, d->message ? d->message : "");
    put_char(&out, '\n');
    const bool shows = d->line && d->source_line && d->source_line[strspn(d->source_line, " \t\r")] != '\0';
    if (shows) put_excerpt(&out, d);
    if (size > 0) buffer[out.length < size ? out.length : size - 1] = 0;
    return out.length;
}
