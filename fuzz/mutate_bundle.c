/* Containers: sections apart, one of them changed, put together again with sizes and checksum that fit. */
#include <string.h>

#include "fuzz/mutate.h"
#include "loader/bundle/bundle.h"
#include "loader/bundle/parts.h"

enum { MAX_SECTIONS = 16, MAX_SECTION = 1 << 16, MAX_MEMORY = 16 << 20, MAX_TAIL = 8 };

typedef struct part {
    uint64_t key;
    uint8_t *bytes; /* unpacked; MAX_SECTION of room */
    size_t size;
} part;

typedef struct container {
    tirbi_arena *arena;
    uint8_t header[TIRBI_BUNDLE_HEADER_SIZE];
    part parts[MAX_SECTIONS];
    unsigned n;
} container;

size_t fuzz_bundle_size(const uint8_t *data, size_t size) {
    if (size < TIRBI_BUNDLE_HEADER_SIZE) return size;
    uint32_t declared = tirbi_load_u32(data + HEADER_SIZE);
    return declared >= TIRBI_BUNDLE_HEADER_SIZE && declared < size && size - declared <= MAX_TAIL ? declared : size;
}

/* ---- Apart ----------------------------------------------------------------------------------------------------- */

static bool unpack(container *c, part *p, const uint8_t *bytes, size_t size, size_t raw_size) {
    if (raw_size > MAX_SECTION) return false;
    p->bytes = TIRBI_NEW_ARRAY(c->arena, uint8_t, MAX_SECTION);
    if (!p->bytes) return false;
    p->size = raw_size;
    if (!(p->key & KEY_COMPRESSED)) {
        if (size > 0) memcpy(p->bytes, bytes, size);
        return true;
    }
    tirbi_frame_reader frames = {.heap = c->arena->heap, .dictionary = c->header[HEADER_DICTIONARY]};
    tirb_status status = tirbi_frame_read(&frames, bytes, size, p->bytes, raw_size, NULL);
    tirbi_frame_reader_close(&frames);
    return status == TIRB_OK;
}

static bool take_apart(container *c, const uint8_t *data, size_t size) {
    uint64_t sizes[MAX_SECTIONS], raw_sizes[MAX_SECTIONS];
    if (size < TIRBI_BUNDLE_HEADER_SIZE) return false;
    memcpy(c->header, data, TIRBI_BUNDLE_HEADER_SIZE);
    c->n = c->header[HEADER_SECTIONS];
    if (c->n > MAX_SECTIONS) return false;
    tirbi_reader r = tirbi_reader_over(data, size);
    r.at = TIRBI_BUNDLE_HEADER_SIZE;
    for (unsigned i = 0; i < c->n; i++) {
        c->parts[i].key = tirbi_read_varint(&r);
        sizes[i] = tirbi_read_varint(&r);
        raw_sizes[i] = c->parts[i].key & KEY_COMPRESSED ? tirbi_read_varint(&r) : sizes[i];
    }
    for (unsigned i = 0; i < c->n; i++) {
        const uint8_t *bytes = sizes[i] <= size ? tirbi_read_bytes(&r, (size_t)sizes[i]) : NULL;
        if (!bytes || !unpack(c, &c->parts[i], bytes, (size_t)sizes[i], (size_t)raw_sizes[i])) return false;
    }
    return !r.failed;
}

/* ---- Together -------------------------------------------------------------------------------------------------- */

static bool lay_out(const container *c, bool compress, tirbi_writer *out) {
    tirbi_writer packed[MAX_SECTIONS];
    uint64_t unpacked = 0;
    bool any = false;
    tirbi_write_bytes(out, c->header, sizeof(c->header));
    for (unsigned i = 0; i < c->n; i++) {
        const part *p = &c->parts[i];
        tirbi_writer_init(&packed[i], c->arena->heap);
        bool smaller = compress && tirbi_frame_write(c->arena->heap, p->bytes, p->size, &packed[i], NULL) == TIRB_OK &&
                       packed[i].size < p->size;
        if (!smaller) {
            packed[i].size = 0;
            tirbi_write_bytes(&packed[i], p->bytes, p->size);
        }
        any |= smaller;
        unpacked += p->size;
        tirbi_write_varint(out, (p->key & ~(uint64_t)KEY_COMPRESSED) | (smaller ? KEY_COMPRESSED : 0));
        tirbi_write_varint(out, packed[i].size);
        if (smaller) tirbi_write_varint(out, p->size);
    }
    for (unsigned i = 0; i < c->n; i++) {
        tirbi_write_bytes(out, packed[i].data, packed[i].size);
        tirbi_writer_destroy(&packed[i]);
    }
    if (out->failed) return false;
    out->data[HEADER_SECTIONS] = (uint8_t)c->n;
    out->data[HEADER_DICTIONARY] = any ? TIRBI_DICTIONARY : 0;
    tirbi_store_u32(out->data + HEADER_SIZE, (uint32_t)out->size);
    tirbi_store_u32(out->data + HEADER_UNPACKED, (uint32_t)unpacked);
    tirbi_bundle_seal(out->data, out->size);
    return true;
}

/* ---- Changes --------------------------------------------------------------------------------------------------- */

static void change_table(container *c, fuzz_random *r) {
    unsigned at = fuzz_below(r, c->n);
    switch (fuzz_below(r, 4)) {
    case 0:
        c->parts[at].key = fuzz_one_in(r, 2) ? fuzz_next(r) >> fuzz_below(r, 64) : fuzz_below(r, 300);
        return;
    case 1: /* one less */
        c->n--;
        memmove(&c->parts[at], &c->parts[at + 1], (c->n - at) * sizeof(part));
        return;
    case 2: /* a custom section more */
        if (c->n == MAX_SECTIONS) return;
        c->parts[c->n] = c->parts[at];
        c->parts[c->n++].key = (uint64_t)SECTION_CUSTOM << KEY_TYPE_SHIFT;
        return;
    default:
        c->header[HEADER_MAJOR + fuzz_below(r, HEADER_SIZE - HEADER_MAJOR)] ^= (uint8_t)(1u << fuzz_below(r, 8));
    }
}

static void change_section(container *c, fuzz_random *r) {
    part *p = &c->parts[fuzz_below(r, c->n)];
    p->size = fuzz_mutate_bytes(p->bytes, p->size, MAX_SECTION);
}

static size_t mutate_sections(uint8_t *data, size_t size, size_t max_size, tirbi_heap *heap, fuzz_random *r) {
    tirbi_arena arena;
    tirbi_writer out;
    size_t made = 0;
    tirbi_arena_init(&arena, heap);
    tirbi_writer_init(&out, heap);
    container c = {.arena = &arena};
    if (take_apart(&c, data, size) && c.n > 0) {
        if (fuzz_one_in(r, 8)) {
            change_table(&c, r);
        } else {
            change_section(&c, r);
        }
        if (lay_out(&c, fuzz_one_in(r, 8), &out) && out.size <= max_size) {
            memcpy(data, out.data, out.size);
            made = out.size;
        }
    }
    tirbi_writer_destroy(&out);
    tirbi_arena_destroy(&arena);
    return made;
}

/* ---- Inputs ---------------------------------------------------------------------------------------------------- */

/* The tail goes with the bundle: `made` bytes of new bundle, then what followed the old one. */
static size_t with_tail(uint8_t *data, size_t made, const uint8_t *tail, size_t tail_size, size_t max_size) {
    if (tail_size > max_size - made) return made;
    memcpy(data + made, tail, tail_size);
    return made + tail_size;
}

size_t fuzz_mutate_bundle(uint8_t *data, size_t size, size_t max_size, fuzz_random *r) {
    uint8_t tail[MAX_TAIL];
    size_t bundle = fuzz_bundle_size(data, size), tail_size = size - bundle, made = 0;
    if (tail_size > 0) memcpy(tail, data + bundle, tail_size);
    uint32_t how = fuzz_below(r, 16);
    if (how == 0) return fuzz_mutate_bytes(data, size, max_size);
    if (how < 3) { /* other arguments */
        uint64_t seed = fuzz_next(r);
        memcpy(tail, &seed, MAX_TAIL);
        return with_tail(data, bundle, tail, MAX_TAIL, max_size);
    }
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, MAX_MEMORY);
    if (how < 12) made = fuzz_mutate_program(data, bundle, NULL, 0, max_size, r);
    if (made == 0) made = mutate_sections(data, bundle, max_size, &heap, r);
    fuzz_heap_close(&heap, "mutating a bundle");
    return made > 0 ? with_tail(data, made, tail, tail_size, max_size) : fuzz_mutate_bytes(data, size, max_size);
}

size_t fuzz_cross_bundle(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                         size_t max_size, fuzz_random *r) {
    size_t bundle = fuzz_bundle_size(a, a_size);
    if (a_size > max_size) return 0;
    memcpy(out, a, a_size);
    size_t made = fuzz_mutate_program(out, bundle, b, fuzz_bundle_size(b, b_size), max_size, r);
    return made > 0 ? with_tail(out, made, a + bundle, a_size - bundle, max_size) : 0;
}
