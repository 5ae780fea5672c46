/* JSON texts (RFC 8259), as far as metadata has them: strings are kept as they are written. */
#ifndef TIRB_COMPILER_TEXT_SCRIPT_JSON_H
#define TIRB_COMPILER_TEXT_SCRIPT_JSON_H

#include "compiler/ir/builder.h"

typedef enum tirbi_json_kind {
    TIRBI_JSON_WORD, /* true, false, null, a number */
    TIRBI_JSON_STRING,
    TIRBI_JSON_ARRAY,
    TIRBI_JSON_OBJECT
} tirbi_json_kind;

typedef struct tirbi_json {
    tirbi_json_kind kind;
    const char *text; /* WORD; STRING: between its quotes */
    size_t size;
    const struct tirbi_json *items; /* ARRAY; OBJECT: keys and values by turns */
    uint32_t n;
} tirbi_json;

/* Reads a text that is one value. NULL: it is none, or it is nested too deep, or memory ran out (arena->failed). */
const tirbi_json *tirbi_json_read(tirbi_arena *arena, const char *text, size_t size);
/* The value of a key; NULL: there is none, or `object` is no object or NULL. */
const tirbi_json *tirbi_json_member(const tirbi_json *object, const char *key);
/* A number from 0 on. */
bool tirbi_json_number(const tirbi_json *value, uint32_t *out);
bool tirbi_json_is(const tirbi_json *value, const char *text);

#endif
