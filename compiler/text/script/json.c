#include "compiler/text/script/json.h"

#include <string.h>

/* Bytes are passed by many at a time. */
enum { MAX_DEPTH = 32, BYTES_OF_STEP = 1024 };

typedef struct reader {
    tirbi_arena *arena;
    const char *at, *end;
} reader;

static void skip_spaces(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')) r->at++;
}

static bool take(reader *r, char c) {
    skip_spaces(r);
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool read_string(reader *r, tirbi_json *out) {
    const char *begin = r->at;
    while (r->at < r->end && *r->at != '"') r->at += *r->at == '\\' && r->end - r->at > 1 ? 2 : 1;
    if (r->at == r->end) return false;
    *out = (tirbi_json){.kind = TIRBI_JSON_STRING, .text = begin, .size = (size_t)(r->at++ - begin)};
    return true;
}

static bool read_word(reader *r, tirbi_json *out) {
    const char *begin = r->at;
    while (r->at < r->end && !strchr(" \n\t\r,:[]{}\"", *r->at)) r->at++;
    *out = (tirbi_json){.kind = TIRBI_JSON_WORD, .text = begin, .size = (size_t)(r->at - begin)};
    return out->size > 0;
}

static bool read_value(reader *r, uint32_t depth, tirbi_json *out);

static bool read_items(reader *r, char close, uint32_t depth, tirbi_json *out) {
    tirbi_list items = {.n = 0};
    out->kind = close == '}' ? TIRBI_JSON_OBJECT : TIRBI_JSON_ARRAY;
    bool more = !take(r, close);
    while (more) {
        tirbi_json item;
        if (close == '}') {
            if (!take(r, '"') || !read_string(r, &item)) return false;
            tirbi_json *key = TIRBI_LIST_ADD(r->arena, &items, tirbi_json);
            if (!key || !take(r, ':')) return false;
            *key = item;
        }
        if (!read_value(r, depth + 1, &item)) return false;
        tirbi_json *slot = TIRBI_LIST_ADD(r->arena, &items, tirbi_json);
        if (!slot) return false;
        *slot = item;
        more = take(r, ',');
        if (!more && !take(r, close)) return false;
    }
    out->items = items.items;
    out->n = items.n;
    return true;
}

static bool read_value(reader *r, uint32_t depth, tirbi_json *out) {
    *out = (tirbi_json){.kind = TIRBI_JSON_WORD};
    if (depth > MAX_DEPTH) return false;
    if (take(r, '"')) return read_string(r, out);
    if (take(r, '[')) return read_items(r, ']', depth, out);
    if (take(r, '{')) return read_items(r, '}', depth, out);
    return read_word(r, out);
}

const tirbi_json *tirbi_json_read(tirbi_arena *arena, const char *text, size_t size) {
    reader r = {.arena = arena, .at = text, .end = text + size};
    tirbi_json *value = TIRBI_NEW(arena, tirbi_json);
    if (!value || !tirbi_arena_work(arena, size / BYTES_OF_STEP) || !read_value(&r, 0, value)) return NULL;
    skip_spaces(&r);
    return r.at == r.end ? value : NULL;
}

bool tirbi_json_is(const tirbi_json *value, const char *text) {
    return value && value->kind == TIRBI_JSON_STRING && value->size == strlen(text) &&
           memcmp(value->text, text, value->size) == 0;
}

const tirbi_json *tirbi_json_member(const tirbi_json *object, const char *key) {
    for (uint32_t i = 0; object && object->kind == TIRBI_JSON_OBJECT && i < object->n; i += 2)
        if (tirbi_json_is(&object->items[i], key)) return &object->items[i + 1];
    return NULL;
}

bool tirbi_json_number(const tirbi_json *value, uint32_t *out) {
    uint64_t n = 0;
    if (!value || value->kind != TIRBI_JSON_WORD) return false;
    for (size_t i = 0; i < value->size; i++) {
        if (value->text[i] < '0' || value->text[i] > '9') return false;
        n = 10 * n + (uint64_t)(value->text[i] - '0');
        if (n > UINT32_MAX) return false;
    }
    *out = (uint32_t)n;
    return true;
}
