#include "loader/base/sized.h"

#include <stdint.h>
#include <string.h>

enum { LARGEST_OPTIONS = 4096 };

static uint32_t struct_size_of(const void *object) {
    uint32_t size;
    memcpy(&size, object, sizeof(size));
    return size;
}

bool tirbi_options_read(void *to, size_t to_size, const void *from) {
    uint32_t size = struct_size_of(from);
    if (size < sizeof(uint32_t) || size > LARGEST_OPTIONS) return false;
    for (size_t i = to_size; i < size; i++) {
        if (((const uint8_t *)from)[i] != 0) return false;
    }
    memcpy(to, from, size < to_size ? size : to_size);
    return true;
}

bool tirbi_info_write(void *to, const void *from, size_t size) {
    uint32_t room = struct_size_of(to);
    if (room < sizeof(uint32_t)) return false;
    size_t n = room < size ? room : size;
    memcpy((uint8_t *)to + sizeof(room), (const uint8_t *)from + sizeof(room), n - sizeof(room));
    return true;
}
