#include "loader/base/error.h"

#include "loader/base/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    const char *text;
} statuses[] = {
#define ROW(name, number, text) [number] = {#name, text},
    TIRB_STATUS_MAP(ROW)
#undef ROW
};

enum { N_STATUSES = sizeof(statuses) / sizeof(statuses[0]) };

static int known(tirb_status status) { return (unsigned)status < N_STATUSES && statuses[status].name; }

const char *tirb_status_text(tirb_status status) { return known(status) ? statuses[status].text : "unknown status"; }

const char *tirb_status_name(tirb_status status) { return known(status) ? statuses[status].name : "UNKNOWN"; }

/* How much of the caller's struct may be written: one that was built against another header has another size. */
static size_t room_of(const tirb_error *error) {
    uint32_t size = error ? error->struct_size : 0;
    return size < sizeof(*error) ? size : sizeof(*error);
}

/* The first `room` bytes, of which the texts are ended wherever they are cut, be it in a character. */
static void put(tirb_error *error, tirb_error *value, size_t room) {
    enum { WHERE = offsetof(tirb_error, where), MESSAGE = offsetof(tirb_error, message) };
    value->struct_size = error->struct_size;
    if (room > MESSAGE) value->message[room - MESSAGE - 1] = '\0';
    else if (room > WHERE) value->where[room - WHERE - 1] = '\0';
    tirbi_text_make_plain(value->where);
    tirbi_text_make_plain(value->message);
    memcpy(error, value, room);
}

void tirbi_text_make_plain(char *text) {
    for (size_t left = strlen(text), n; left > 0; text += n, left -= n) {
        n = tirbi_unprintable(text, left);
        if (n > 0) memset(text, '?', n);
        else n = tirbi_character_size(text, left);
    }
}

tirb_status tirbi_error_set(tirb_error *error, tirb_status code, const char *format, ...) {
    size_t room = room_of(error);
    if (room < offsetof(tirb_error, line)) return code;
    tirb_error value = {.code = code};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value.message, sizeof(value.message), format, arguments);
    va_end(arguments);
    put(error, &value, room);
    return code;
}

void tirbi_error_at(tirb_error *error, const char *where, uint32_t line, uint32_t column) {
    size_t room = room_of(error);
    if (room < offsetof(tirb_error, line)) return;
    tirb_error value = {.code = TIRB_OK};
    memcpy(&value, error, room);
    snprintf(value.where, sizeof(value.where), "%s", where ? where : "");
    value.line = line;
    value.column = column;
    put(error, &value, room);
}

void tirbi_error_end(tirb_error *error, uint32_t end_column) {
    if (room_of(error) >= offsetof(tirb_error, reserved)) error->end_column = end_column;
}

void tirbi_error_offset(tirb_error *error, uint64_t offset) {
    if (room_of(error) >= offsetof(tirb_error, where)) error->offset = offset;
}
