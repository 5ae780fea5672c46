/* zstd frames with a built-in dictionary; zstd's memory comes from the heap. */
#define ZSTD_STATIC_LINKING_ONLY /* contexts with an allocator; exported by the shared library */
#include <string.h>

#include <zstd.h>

#include "loader/base/checked.h"
#include "loader/base/error.h"
#include "loader/base/work.h"
#include "loader/bundle/parts.h"

enum { LEVEL = 19 };

/* zstd frees without a size; the heap wants it. A block's size stands before it. */
enum { PREFIX = 16 };

static void *frame_alloc(void *opaque, size_t size) {
    tirbi_heap *heap = (tirbi_heap *)opaque;
    size_t whole;
    if (!tirbi_add_size(size, PREFIX, &whole)) return NULL;
    uint8_t *block = (uint8_t *)tirbi_heap_alloc(heap, whole);
    if (!block) return NULL;
    memcpy(block, &whole, sizeof(whole));
    return block + PREFIX;
}

static void frame_free(void *opaque, void *address) {
    if (!address) return;
    tirbi_heap *heap = (tirbi_heap *)opaque;
    uint8_t *block = (uint8_t *)address - PREFIX;
    size_t whole;
    memcpy(&whole, block, sizeof(whole));
    tirbi_heap_free(heap, block, whole);
}

static ZSTD_customMem memory_of(tirbi_heap *heap) {
    return (ZSTD_customMem){.customAlloc = frame_alloc, .customFree = frame_free, .opaque = heap};
}

/* What zstd takes at once: a block. */
enum { BLOCK = 1 << 17 };

/* Compresses block by block, of which each is paid for. */
static tirb_status compress_blocks(ZSTD_CCtx *context, tirbi_heap *heap, const uint8_t *bytes, size_t size,
                                   ZSTD_outBuffer *out, tirb_error *error) {
    ZSTD_inBuffer in = {.src = bytes};
    while (in.size < size) {
        const size_t more = size - in.size < BLOCK ? size - in.size : BLOCK;
        TIRBI_TRY(tirbi_work(heap, more, error));
        in.size += more;
        const size_t left = ZSTD_compressStream2(context, out, &in, in.size < size ? ZSTD_e_continue : ZSTD_e_end);
        if (ZSTD_isError(left)) /* the bound holds: only its memory can run out */
            return tirbi_error_set(error, tirbi_heap_status(heap), "no memory to compress a section of %zu bytes",
                                   size);
    }
    return TIRB_OK;
}

static tirb_status compress(ZSTD_CCtx *context, tirbi_heap *heap, const uint8_t *bytes, size_t size, tirbi_writer *out,
                            tirb_error *error) {
    size_t dictionary_size;
    const uint8_t *dictionary = tirbi_dictionary(TIRBI_DICTIONARY, &dictionary_size);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0); /* the section table has it */
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 0);
    ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0);
    ZSTD_CCtx_setParameter(context, ZSTD_c_stableInBuffer, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_stableOutBuffer, 1);
    if (ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, size)) ||
        ZSTD_isError(ZSTD_CCtx_refPrefix_advanced(context, dictionary, dictionary_size, ZSTD_dct_rawContent))) {
        return tirbi_error_set(error, TIRB_INTERNAL, "cannot compress a section of %zu bytes", size);
    }
    const size_t before = out->size, bound = ZSTD_compressBound(size);
    ZSTD_outBuffer space = {.dst = tirbi_write_space(out, bound), .size = bound};
    if (!space.dst)
        return tirbi_error_set(error, tirbi_heap_status(heap), "no memory to compress a section of %zu bytes", size);
    TIRBI_TRY(compress_blocks(context, heap, bytes, size, &space, error));
    out->size = before + space.pos;
    return TIRB_OK;
}

tirb_status tirbi_frame_write(tirbi_heap *heap, const uint8_t *bytes, size_t size, tirbi_writer *out,
                              tirb_error *error) {
    ZSTD_CCtx *context = ZSTD_createCCtx_advanced(memory_of(heap));
    if (!context)
        return tirbi_error_set(error, tirbi_heap_status(heap), "no memory to compress a section of %zu bytes", size);
    const tirb_status status = compress(context, heap, bytes, size, out, error);
    ZSTD_freeCCtx(context);
    return status;
}

tirb_status tirbi_frame_read(tirbi_frame_reader *reader, const uint8_t *bytes, size_t size, uint8_t *raw,
                             size_t raw_size, tirb_error *error) {
    size_t dictionary_size;
    const uint8_t *dictionary = tirbi_dictionary(reader->dictionary, &dictionary_size);
    if (!reader->context) reader->context = ZSTD_createDCtx_advanced(memory_of(reader->heap));
    ZSTD_DCtx *context = (ZSTD_DCtx *)reader->context;
    if (!context ||
        ZSTD_isError(ZSTD_DCtx_refPrefix_advanced(context, dictionary, dictionary_size, ZSTD_dct_rawContent))) {
        return tirbi_error_set(error, tirbi_heap_status(reader->heap), "no memory to unpack a section");
    }
    if (ZSTD_findFrameCompressedSize(bytes, size) != size) {
        return tirbi_error_set(error, TIRB_FORMAT, "a compressed section is not exactly one zstd frame");
    }
    size_t got = ZSTD_decompressDCtx(context, raw, raw_size, bytes, size);
    if (ZSTD_isError(got)) {
        return tirbi_error_set(error, TIRB_FORMAT, "a compressed section cannot be unpacked: %s",
                               ZSTD_getErrorName(got));
    }
    if (got != raw_size) {
        return tirbi_error_set(error, TIRB_FORMAT, "a compressed section has %zu bytes, its entry says %zu", got,
                               raw_size);
    }
    return TIRB_OK;
}

void tirbi_frame_reader_close(tirbi_frame_reader *reader) {
    ZSTD_freeDCtx((ZSTD_DCtx *)reader->context);
    reader->context = NULL;
}
