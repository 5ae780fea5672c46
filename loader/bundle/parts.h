/* What the writer and the reader of bundles share: numbers of the format (FORMAT.md), packed code, zstd frames. */
#ifndef TIRB_LOADER_BUNDLE_PARTS_H
#define TIRB_LOADER_BUNDLE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tirb/status.h>

#include "loader/base/alloc.h"
#include "loader/base/bytes.h"
#include "loader/bundle/program.h"

/* Offsets of the header's fields. */
enum {
    HEADER_MAGIC = 0,
    HEADER_CHECKSUM = 4, /* XXH3-64 of everything after it */
    HEADER_MAJOR = 12,
    HEADER_MINOR = 13,
    HEADER_SECTIONS = 14,
    HEADER_DICTIONARY = 15,
    HEADER_FEATURES = 16,
    HEADER_SIZE = 20,
    HEADER_UNPACKED = 24
};

#define TIRBI_BUNDLE_MAGIC "TIRB"

typedef enum section_type {
    SECTION_NAMES = 1,
    SECTION_IMPORTS = 2, /* left out where a program has none */
    SECTION_FUNCTIONS = 3,
    SECTION_CODE = 4,
    SECTION_CONSTANTS = 5, /* the same */
    SECTION_LINES = 6,
    SECTION_PRODUCER = 7,
    SECTION_CUSTOM = 64 /* the only type that may appear more than once */
} section_type;

/* The low bits of a section's key; the type is above them. */
enum { KEY_REQUIRED = 1, KEY_COMPRESSED = 2, KEY_TYPE_SHIFT = 2 };

/* Bits of a function's and of a parameter's flag byte. */
enum {
    FUNCTION_PUBLIC = 1,
    FUNCTION_RETURNS = 2,
    FUNCTION_REGION = 4,
    FUNCTION_ALIASES = 8,
    FUNCTION_PACKED = 16,
    FUNCTION_CONDITIONS = 32,
    FUNCTION_ALL = 63
};

/* Features that a reader must know. */
enum {
    FEATURE_REGIONS = 1,
    FEATURE_ALIASES = 2,
    FEATURE_PACKED = 4,
    FEATURE_CONDITIONS = 8,
    FEATURE_MINIMA = 16,
    FEATURE_RESULTS = 32,
    FEATURE_OPEN = 64,
    FEATURES_KNOWN = 127
};
enum {
    PARAM_SCALAR = 1,
    PARAM_ACCESS_SHIFT = 1,
    PARAM_STRIDES = 8,
    PARAM_OFFSET = 16,
    PARAM_MINIMA = 32,
    PARAM_RESULT = 64,
    PARAM_OPEN = 128
};

/* The features that a function uses. */
uint32_t tirbi_features_of(const tirbi_function *function);

/* Bits of an import's flag byte. */
enum { IMPORT_RETURNS = 1, IMPORT_ALL = 1 };

/* The low bits of a dimension: a constant >= 0, a variable, or a count of terms. */
enum { DIM_CONST = 0, DIM_VAR = 1, DIM_TERMS = 2, DIM_SHIFT = 2 };
enum { REF_WRITABLE = 0x80 };

/* Sections from this size on are tried with zstd: opening a frame takes as long as reading 8 KB of a section that is
 * not compressed (measured: 30 us), which a bundle of one kernel must not pay. */
enum { COMPRESS_FROM = 4096 };

/* Where a constant begins in a bundle: at a multiple of this. */
enum { CONSTANT_ALIGN = 64 };

/* Instructions as a bundle stores them: varints for registers, jumps relative to their instruction. */
void tirbi_pack_instr(tirbi_writer *w, const tirbi_instr *instr);
/* The inverse; `offset` is where the instruction will stand. False: malformed. */
bool tirbi_unpack_instr(tirbi_reader *r, uint32_t offset, tirbi_instr *out);

/* Unpacks an instruction of those that most code is made of straight to its code; both have room for any such one.
 * Returns the bytes that it takes packed, and sets *size to those of its code; 0: it is another, or something is wrong
 * with it. */
enum { TIRBI_USUAL_ROOM = 2 + TIRBI_MAX_OPERANDS * 5 }; /* a constant takes up to five bytes packed */
size_t tirbi_unpack_usual(const uint8_t *packed, uint32_t offset, uint8_t *code, size_t *size);

/* Appends a zstd frame of the bytes, made with the current dictionary. */
tirb_status tirbi_frame_write(tirbi_heap *heap, const uint8_t *bytes, size_t size, tirbi_writer *out,
                              tirb_error *error);

/* Opens frames; zero-initialised apart from `heap`, opened by the first frame. */
typedef struct tirbi_frame_reader {
    tirbi_heap *heap;
    uint8_t dictionary; /* one that there is, before a frame is read */
    void *context;
} tirbi_frame_reader;
/* Unpacks a frame into exactly raw_size bytes. Errors: FORMAT, NO_MEMORY, MEMORY_LIMIT. */
tirb_status tirbi_frame_read(tirbi_frame_reader *reader, const uint8_t *bytes, size_t size, uint8_t *raw,
                             size_t raw_size, tirb_error *error);
void tirbi_frame_reader_close(tirbi_frame_reader *reader);

/* Dictionaries by number, from 1; frozen, because bundles name them. NULL: no such dictionary. */
enum { TIRBI_DICTIONARY = 1 };
const uint8_t *tirbi_dictionary(uint8_t number, size_t *size);

#endif
