#include "compiler/driver/define.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What placeholders may make of a text: values can be long, and stand in many places. */
#define MAX_TEXT ((size_t)256 << 20)
enum { MAX_DEFINITIONS = 256 };

typedef struct definition {
    const char *name, *value;
    size_t name_size, value_size;
} definition;

typedef struct definitions {
    definition items[MAX_DEFINITIONS];
    size_t n;
} definitions;

exit_code language_choose(const invocation *inv, const char *path, const tirbi_language **out) {
    const char *name = option_text(inv, OPTION_LANGUAGE);
    *out = name ? tirbi_language_named(name) : tirbi_language_chosen(TIRB_LANGUAGE_AUTO, path);
    if (*out) return EXIT_DONE;
    char known[128] = "";
    for (uint32_t i = 0; tirbi_language_at(i); i++) {
        const size_t size = strlen(known);
        snprintf(known + size, sizeof known - size, "%s%s", i > 0 ? " or " : "", tirbi_language_at(i)->name);
    }
    return fail_usage(inv->command, "--language is %s, not '%s'", known, name);
}

/* ---- Definitions ------------------------------------------------------------------------------------------------ */

static bool is_name_part(char c, bool first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

static size_t name_length(const char *text, size_t size) {
    size_t n = 0;
    while (n < size && is_name_part(text[n], n == 0)) n++;
    return n;
}

static const definition *find(const definitions *all, const char *name, size_t size) {
    for (size_t i = all->n; i > 0; i--) {
        const definition *item = &all->items[i - 1];
        if (item->name_size == size && memcmp(item->name, name, size) == 0) return item;
    }
    return NULL;
}

/* Of two definitions of one name the last holds. */
static exit_code read_definitions(const invocation *inv, definitions *out) {
    out->n = 0;
    for (size_t i = 0; i < inv->n_options; i++) {
        if (inv->options[i].key != OPTION_DEFINE) continue;
        const char *text = inv->options[i].text;
        const size_t length = name_length(text, strlen(text));
        if (length == 0 || text[length] != '=') return fail_usage(inv->command, "-D is NAME=VALUE, not '%s'", text);
        if (strpbrk(text, "\n\r")) return fail_usage(inv->command, "-D %.*s: a value is one line", (int)length, text);
        if (out->n == MAX_DEFINITIONS)
            return fail_usage(inv->command, "-D is given more than %d times", (int)MAX_DEFINITIONS);
        out->items[out->n++] = (definition){text, text + length + 1, length, strlen(text + length + 1)};
    }
    return EXIT_DONE;
}

/* ---- Placeholders ----------------------------------------------------------------------------------------------- */

/* A placeholder at the beginning of a text; `size` 0: there is none. */
typedef struct placeholder {
    const char *name;
    size_t name_size, size;
    bool must_be_defined; /* ${name} */
} placeholder;

static placeholder read_placeholder(const char *text, size_t size) {
    const bool dollar = size > 1 && text[0] == '$' && text[1] == '{';
    const size_t open = dollar ? 2 : 1;
    if (size < 3 || (!dollar && text[0] != '<' && text[0] != '{')) return (placeholder){.size = 0};
    const size_t length = name_length(text + open, size - open);
    const char close = text[0] == '<' ? '>' : '}';
    if (length == 0 || open + length >= size || text[open + length] != close) return (placeholder){.size = 0};
    return (placeholder){text + open, length, open + length + 1, dollar};
}

static exit_code fail_undefined(const invocation *inv, const char *path, const file_bytes *text, size_t at,
                                const placeholder *p) {
    tirb_diagnostic d = {.severity = TIRB_SEVERITY_ERROR, .code = TIRB_SYNTAX, .line = 1, .column = 1};
    char message[256];
    size_t begin = 0, end = at;
    for (size_t i = 0; i < at; i++) {
        d.column += ((unsigned char)text->data[i] & 0xC0) != 0x80;
        if (text->data[i] != '\n') continue;
        d.line++;
        d.column = 1;
        begin = i + 1;
    }
    while (end < text->size && text->data[end] != '\n') end++;
    char *line = malloc(end - begin + 1);
    if (!line) return fail_memory(inv);
    memcpy(line, text->data + begin, end - begin);
    line[end - begin] = 0;
    d.source_line = line;
    const int length = (int)(p->name_size < 64 ? p->name_size : 64);
    snprintf(message, sizeof message, "the placeholder ${%.*s} has no value: give it with -D %.*s=VALUE", length,
             p->name, length, p->name);
    d.message = message;
    d.end_line = d.line;
    d.end_column = d.column + (uint32_t)p->size;
    exit_code code = fail_at(inv, EXIT_PROGRAM, input_name(path), &d);
    free(line);
    return code;
}

/* Copies the text with the values in place to `to`, or with NULL counts what it takes. */
static exit_code substitute(const invocation *inv, const char *path, const definitions *all, const file_bytes *text,
                            uint8_t *to, size_t *out_size) {
    size_t n = 0;
    bool in_comment = false;
    for (size_t i = 0; i < text->size;) {
        const char *at = (const char *)text->data + i;
        const placeholder p = read_placeholder(at, text->size - i);
        const definition *found = p.size > 0 && !in_comment ? find(all, p.name, p.name_size) : NULL;
        if (p.must_be_defined && !found && !in_comment) return fail_undefined(inv, path, text, i, &p);
        in_comment = *at == '#' || (in_comment && *at != '\n' && *at != '\r');
        const char *from = found ? found->value : at;
        const size_t size = found ? found->value_size : 1;
        if (to) memcpy(to + n, from, size);
        n += size;
        i += found ? p.size : 1;
        if (n > MAX_TEXT)
            return fail(inv, EXIT_PROGRAM, "%s: with the values of -D in place the text is larger than %zu MiB",
                        input_name(path), MAX_TEXT >> 20);
    }
    *out_size = n;
    return EXIT_DONE;
}

exit_code definitions_apply(const invocation *inv, const char *path, const tirbi_language *language, file_bytes *text) {
    definitions all;
    size_t size;
    exit_code code = read_definitions(inv, &all);
    if (code != EXIT_DONE) return code;
    if (!language->has_placeholders && all.n > 0)
        return fail_usage(inv->command, "%s: -D is for languages with placeholders; %s has none", input_name(path),
                          language->name);
    if (!language->has_placeholders) return EXIT_DONE;
    code = substitute(inv, path, &all, text, NULL, &size);
    if (code != EXIT_DONE) return code;
    uint8_t *data = malloc(size + 1);
    if (!data) return fail_memory(inv);
    substitute(inv, path, &all, text, data, &size);
    free(text->data);
    *text = (file_bytes){data, size};
    return EXIT_DONE;
}
