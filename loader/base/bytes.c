#include "loader/base/bytes.h"

#include <string.h>

#include "loader/base/checked.h"

uint64_t tirbi_read_long_varint(tirbi_reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = tirbi_read_u8(r);
        if (r->failed) return 0;
        uint64_t bits = byte & 0x7f;
        if (shift == 63 && bits > 1) break;
        value |= bits << shift;
        if (!(byte & 0x80)) {
            if (byte == 0 && shift > 0) break;
            return value;
        }
    }
    r->failed = true;
    return 0;
}

int64_t tirbi_read_signed(tirbi_reader *r) {
    uint64_t folded = tirbi_read_varint(r);
    return (int64_t)((folded >> 1) ^ (0 - (folded & 1)));
}

void tirbi_writer_init(tirbi_writer *w, tirbi_heap *heap) { *w = (tirbi_writer){.heap = heap}; }

void tirbi_writer_destroy(tirbi_writer *w) {
    tirbi_heap_free(w->heap, w->data, w->capacity);
    *w = (tirbi_writer){.heap = w->heap};
}

bool tirbi_writer_grow(tirbi_writer *w, size_t n) {
    size_t need, capacity = w->capacity ? w->capacity : 256;
    if (w->failed || !w->heap || !tirbi_add_size(w->size, n, &need)) {
        w->failed = true;
        return false;
    }
    while (capacity < need) {
        if (!tirbi_mul_size(capacity, 2, &capacity)) capacity = need;
    }
    uint8_t *data = tirbi_heap_resize(w->heap, w->data, w->capacity, capacity);
    if (!data) {
        w->failed = true;
        return false;
    }
    w->data = data;
    w->capacity = capacity;
    return true;
}

void tirbi_write_bytes(tirbi_writer *w, const void *bytes, size_t n) {
    if (n == 0) return;
    uint8_t *space = tirbi_write_space(w, n);
    if (space) memcpy(space, bytes, n);
}

void tirbi_write_varint(tirbi_writer *w, uint64_t v) {
    while (v >= 0x80) {
        tirbi_write_u8(w, (uint8_t)(v | 0x80));
        v >>= 7;
    }
    tirbi_write_u8(w, (uint8_t)v);
}

void tirbi_write_signed(tirbi_writer *w, int64_t v) {
    tirbi_write_varint(w, ((uint64_t)v << 1) ^ (uint64_t)(v < 0 ? -1 : 0));
}
