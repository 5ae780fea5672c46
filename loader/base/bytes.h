/* Little-endian bytes, read and written one at a time: the same on every host, at any alignment.
 *
 * A reader never goes past its end: a read that would sets `failed` and gives 0. A writer grows; when memory runs out
 * it sets `failed` and drops what is written. */
#ifndef TIRB_LOADER_BASE_BYTES_H
#define TIRB_LOADER_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/base/alloc.h"

static inline uint16_t tirbi_load_u16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline uint32_t tirbi_load_u32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t tirbi_load_u64(const uint8_t *p) {
    return (uint64_t)tirbi_load_u32(p) | (uint64_t)tirbi_load_u32(p + 4) << 32;
}
static inline void tirbi_store_u16(uint8_t *p, uint16_t v) {
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}
static inline void tirbi_store_u32(uint8_t *p, uint32_t v) {
    tirbi_store_u16(p, (uint16_t)v);
    tirbi_store_u16(p + 2, (uint16_t)(v >> 16));
}
static inline void tirbi_store_u64(uint8_t *p, uint64_t v) {
    tirbi_store_u32(p, (uint32_t)v);
    tirbi_store_u32(p + 4, (uint32_t)(v >> 32));
}

typedef struct tirbi_reader {
    const uint8_t *data;
    size_t size;
    size_t at;
    bool failed;
} tirbi_reader;

static inline tirbi_reader tirbi_reader_over(const void *data, size_t size) {
    return (tirbi_reader){.data = (const uint8_t *)data, .size = size};
}
static inline size_t tirbi_reader_left(const tirbi_reader *r) { return r->size - r->at; }
/* The next n bytes, or NULL (and `failed`) when fewer are left. */
static inline const uint8_t *tirbi_read_bytes(tirbi_reader *r, size_t n) {
    if (r->failed || n > r->size - r->at) {
        r->failed = true;
        return NULL;
    }
    const uint8_t *p = r->data + r->at;
    r->at += n;
    return p;
}
static inline uint8_t tirbi_read_u8(tirbi_reader *r) {
    const uint8_t *p = tirbi_read_bytes(r, 1);
    return p ? p[0] : 0;
}
static inline uint16_t tirbi_read_u16(tirbi_reader *r) {
    const uint8_t *p = tirbi_read_bytes(r, 2);
    return p ? tirbi_load_u16(p) : 0;
}
static inline uint32_t tirbi_read_u32(tirbi_reader *r) {
    const uint8_t *p = tirbi_read_bytes(r, 4);
    return p ? tirbi_load_u32(p) : 0;
}
static inline uint64_t tirbi_read_u64(tirbi_reader *r) {
    const uint8_t *p = tirbi_read_bytes(r, 8);
    return p ? tirbi_load_u64(p) : 0;
}
/* Unsigned LEB128 of at most 64 bits; a longer or padded form fails, so that there is one encoding of each value. */
uint64_t tirbi_read_long_varint(tirbi_reader *r);
/* Most are one byte. */
static inline uint64_t tirbi_read_varint(tirbi_reader *r) {
    if (r->failed || r->at >= r->size || r->data[r->at] > 0x7f) return tirbi_read_long_varint(r);
    return r->data[r->at++];
}
/* Zigzag of the same. */
int64_t tirbi_read_signed(tirbi_reader *r);

typedef struct tirbi_writer {
    tirbi_heap *heap;
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
} tirbi_writer;

void tirbi_writer_init(tirbi_writer *w, tirbi_heap *heap);
/* A writer over `size` bytes of somebody else's, which fails where they end and is not destroyed. */
static inline void tirbi_writer_over(tirbi_writer *w, void *bytes, size_t size) {
    *w = (tirbi_writer){.data = (uint8_t *)bytes, .capacity = size};
}
void tirbi_writer_destroy(tirbi_writer *w);
/* Makes the capacity n bytes more than the size at least; false (and `failed`) when out of memory. */
bool tirbi_writer_grow(tirbi_writer *w, size_t n);
/* Room for n more bytes; NULL (and `failed`) when out of memory. */
static inline uint8_t *tirbi_write_space(tirbi_writer *w, size_t n) {
    if ((w->failed || n > w->capacity - w->size) && !tirbi_writer_grow(w, n)) return NULL;
    uint8_t *space = w->data + w->size;
    w->size += n;
    return space;
}
static inline void tirbi_write_u8(tirbi_writer *w, uint8_t v) {
    uint8_t *space = tirbi_write_space(w, 1);
    if (space) *space = v;
}
static inline void tirbi_write_u16(tirbi_writer *w, uint16_t v) {
    uint8_t *space = tirbi_write_space(w, 2);
    if (space) tirbi_store_u16(space, v);
}
static inline void tirbi_write_u32(tirbi_writer *w, uint32_t v) {
    uint8_t *space = tirbi_write_space(w, 4);
    if (space) tirbi_store_u32(space, v);
}
static inline void tirbi_write_u64(tirbi_writer *w, uint64_t v) {
    uint8_t *space = tirbi_write_space(w, 8);
    if (space) tirbi_store_u64(space, v);
}
void tirbi_write_bytes(tirbi_writer *w, const void *bytes, size_t n);
void tirbi_write_varint(tirbi_writer *w, uint64_t v);
void tirbi_write_signed(tirbi_writer *w, int64_t v);

#endif
