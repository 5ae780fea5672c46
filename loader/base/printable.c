#include "loader/base/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The character of `size` bytes, or -1 where they do not begin with one. *length is that of what there is. */
static int32_t read_character(const unsigned char *c, size_t size, size_t *length) {
    static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = c[0] < 0x80 ? 1 : (c[0] & 0xE0) == 0xC0 ? 2 : (c[0] & 0xF0) == 0xE0 ? 3 : (c[0] & 0xF8) == 0xF0 ? 4 : 0;
    *length = 1;
    if (n == 0 || n > size) return -1;
    int32_t value = n == 1 ? c[0] : c[0] & (0x7F >> n);
    for (size_t i = 1; i < n; i++) {
        if ((c[i] & 0xC0) != 0x80) return -1;
        value = value << 6 | (c[i] & 0x3F);
    }
    if (value < least[n] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return -1;
    *length = n;
    return value;
}

size_t tirbi_character_size(const char *text, size_t size) {
    size_t length = 0;
    return size > 0 && read_character((const unsigned char *)text, size, &length) >= 0 ? length : 0;
}

size_t tirbi_unprintable(const char *text, size_t size) {
    size_t length = 0;
    if (size == 0) return 0;
    int32_t c = read_character((const unsigned char *)text, size, &length);
    bool control = c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
    bool turns =
        c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    return control || turns ? length : 0;
}

const char *tirbi_printable(const char *text, char *out, size_t room) {
    size_t size = text ? strlen(text) : 0, n = 0;
    for (size_t at = 0; at < size;) {
        size_t bad = tirbi_unprintable(text + at, size - at), length = bad;
        if (!bad) length = tirbi_character_size(text + at, size - at);
        if ((bad ? 1 : length) >= room - n) break;
        if (bad) {
            out[n++] = '?';
        } else {
            memcpy(out + n, text + at, length);
            n += length;
        }
        at += length;
    }
    out[n] = '\0';
    return out;
}
