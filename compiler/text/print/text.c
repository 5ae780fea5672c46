/* Text under way, and the names in scope. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/text/print/printer.h"
#include "compiler/text/text.h"

void tirbi_print_add(tirbi_printer *p, tirbi_text *text, const char *bytes, size_t size) {
    if (size > text->capacity - text->size) {
        size_t capacity = text->capacity ? text->capacity : 256;
        while (capacity - text->size < size) {
            if (capacity > SIZE_MAX / 2) {
                p->arena->failed = true;
                return;
            }
            capacity *= 2;
        }
        char *data = tirbi_arena_alloc(p->arena, capacity, 1);
        if (!data) return;
        if (text->size) memcpy(data, text->data, text->size);
        text->data = data;
        text->capacity = capacity;
    }
    if (size) memcpy(text->data + text->size, bytes, size);
    text->size += size;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Hybrid Script's namespace is `tir` where the printer says `T`. */
static void add_spelt(tirbi_printer *p, const char *text, size_t size) {
    size_t from = 0;
    for (size_t i = 0; p->hybrid && i + 1 < size; i++) {
        if (text[i] != 'T' || text[i + 1] != '.' || (i > 0 && is_word(text[i - 1]))) continue;
        tirbi_print_add(p, &p->line, text + from, i - from);
        tirbi_print_add(p, &p->line, "tir", 3);
        from = i + 1;
    }
    tirbi_print_add(p, &p->line, text + from, size - from);
}

void tirbi_put(tirbi_printer *p, const char *text) { add_spelt(p, text, strlen(text)); }

void tirbi_putf(tirbi_printer *p, const char *format, ...) {
    char small[512]; /* the longest number, 1.8e308 in full, has 311 characters; names go through tirbi_put */
    va_list args;
    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n > 0) add_spelt(p, small, (size_t)n < sizeof small ? (size_t)n : sizeof small - 1);
}

const char *tirbi_quoted(tirbi_arena *arena, const char *text, size_t size) {
    static const char escaped[] = "\"\\\n\t\r", letters[] = "\"\\ntr", digits[] = "0123456789abcdef";
    char *quoted = TIRBI_NEW_ARRAY(arena, char, 4 * size + 3), *to = quoted;
    if (!quoted) return NULL;
    *to++ = '"';
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        const char *place = c ? strchr(escaped, c) : NULL;
        if (place) {
            *to++ = '\\';
            *to++ = letters[place - escaped];
        } else if (c < 0x20 || c == 0x7F) {
            *to++ = '\\';
            *to++ = 'x';
            *to++ = digits[c >> 4];
            *to++ = digits[c & 15];
        } else {
            *to++ = (char)c;
        }
    }
    *to++ = '"';
    *to = 0;
    return quoted;
}

void tirbi_put_string(tirbi_printer *p, const char *text, size_t size) {
    const char *quoted = tirbi_quoted(p->arena, text, size);
    if (quoted) tirbi_put(p, quoted);
}

static void add_spaces(tirbi_printer *p, tirbi_text *text, uint32_t levels) {
    for (uint32_t i = 0; i < levels; i++) tirbi_print_add(p, text, "    ", 4);
}

void tirbi_end_line(tirbi_printer *p) {
    if (p->line.size) add_spaces(p, &p->out, p->indent);
    tirbi_print_add(p, &p->out, p->line.data, p->line.size);
    tirbi_print_add(p, &p->out, "\n", 1);
    p->line.size = 0;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static uint32_t bucket_of(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash % TIRBI_NAME_BUCKETS;
}

/* What the text itself needs: words of Python and of the language. */
static bool is_reserved(const tirbi_printer *p, const char *name) {
    static const char *const words[] = {
        "I",     "T",    "R",      "cls",    "tvm",    "range", "TypeVar", "True", "False",  "None",   "and",  "as",
        "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally",
        "for",   "from", "global", "if",     "import", "in",    "is",      "lambda", "nonlocal", "not", "or", "pass",
        "raise", "return", "try",  "while",  "with",   "yield",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0) return true;
    return p->hybrid && (strcmp(name, "tir") == 0 || strcmp(name, "ty") == 0 || strcmp(name, "meta") == 0 ||
                         strcmp(name, "grid") == 0);
}

static bool is_taken(const tirbi_printer *p, const char *name) {
    const tirbi_print_name *names = p->names.items;
    for (uint32_t at = p->buckets[bucket_of(name)]; at; at = names[at - 1].next)
        if (strcmp(names[at - 1].name, name) == 0) return true;
    return is_reserved(p, name);
}

uint32_t tirbi_names_mark(const tirbi_printer *p) { return p->names.n; }

void tirbi_names_release(tirbi_printer *p, uint32_t mark) {
    tirbi_print_name *names = p->names.items;
    while (p->names.n > mark) {
        const tirbi_print_name *last = &names[--p->names.n];
        p->buckets[bucket_of(last->name)] = last->next;
        if (last->slot) *last->slot = NULL;
    }
}

static char *cleaned(tirbi_printer *p, const char *wanted) {
    bool digit = wanted[0] >= '0' && wanted[0] <= '9';
    char *name = tirbi_arena_format(p->arena, "%s%s", digit ? "_" : "", wanted);
    for (char *c = name; c && *c; c++)
        if (!is_word(*c)) *c = '_';
    return name;
}

const char *tirbi_name_new(tirbi_printer *p, const char *wanted, const char **slot) {
    const char *base = cleaned(p, wanted), *name = base;
    if (!base) return "";
    for (uint32_t i = 1; is_taken(p, name); i++) {
        name = tirbi_arena_format(p->arena, "%s_%u", base, i);
        if (!name) return "";
    }
    tirbi_print_name *entry = TIRBI_LIST_ADD(p->arena, &p->names, tirbi_print_name);
    if (!entry) return "";
    uint32_t *bucket = &p->buckets[bucket_of(name)];
    *entry = (tirbi_print_name){name, slot, *bucket};
    *bucket = p->names.n;
    if (slot) *slot = name;
    return name;
}

const char *tirbi_name_var(tirbi_printer *p, const tirb_expr *var) {
    const char *wanted = var->as.var.name;
    return tirbi_name_new(p, wanted && wanted[0] ? wanted : "v", &p->vars[var->as.var.id]);
}

const char *tirbi_name_as_is(tirbi_printer *p, const tirb_expr *var) {
    const char *wanted = var->as.var.name, *name = cleaned(p, wanted && wanted[0] ? wanted : "v");
    return name ? name : "";
}

const char *tirbi_name_buffer(tirbi_printer *p, const tirb_buffer *buffer) {
    const char *wanted = buffer->name;
    return tirbi_name_new(p, wanted && wanted[0] ? wanted : "buffer", &p->buffers[buffer->id]);
}

void tirbi_print_reject(tirbi_printer *p, tirbi_span span, const char *what) {
    tirbi_report_error(p->diagnostics, TIRB_UNSUPPORTED, span, "%s has no spelling in %s", what,
                       p->hybrid ? "Hybrid Script" : p->classic ? "classic (tir) TVMScript" : "new (tirx) TVMScript");
}
