#include "loader/base/error.h"

#include <stdarg.h>
#include <stdbool.h>
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

/* A caller built against an older header passes a shorter struct: only whole structs of this version are written. */
static int writable(const tirb_error *error) { return error && error->struct_size >= sizeof(tirb_error); }

/* Messages quote what programs say, and go to terminals and logs, which obey control characters: none stays, neither
 * the ones of ASCII nor U+0080 to U+009F. */
static void make_plain(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        bool second = c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F;
        if (*c >= ' ' && *c != 0x7F && !second) continue;
        if (second) *c++ = '?';
        *c = '?';
    }
}

tirb_status tirbi_error_set(tirb_error *error, tirb_status code, const char *format, ...) {
    if (!writable(error)) return code;
    uint32_t struct_size = error->struct_size;
    memset(error, 0, sizeof(*error));
    error->struct_size = struct_size;
    error->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof(error->message), format, arguments);
    va_end(arguments);
    make_plain(error->message);
    return code;
}

void tirbi_error_at(tirb_error *error, const char *where, uint32_t line, uint32_t column) {
    if (!writable(error)) return;
    snprintf(error->where, sizeof(error->where), "%s", where ? where : "");
    make_plain(error->where);
    error->line = line;
    error->column = column;
}

void tirbi_error_offset(tirb_error *error, uint64_t offset) {
    if (writable(error)) error->offset = offset;
}
