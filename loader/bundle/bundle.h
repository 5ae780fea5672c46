/* The .tirb container (FORMAT.md): programs to bytes and back. The only room that sees zstd. */
#ifndef TIRB_LOADER_BUNDLE_BUNDLE_H
#define TIRB_LOADER_BUNDLE_BUNDLE_H

#include <stddef.h>
#include <stdint.h>

#include <tirb/status.h>

#include "loader/base/alloc.h"
#include "loader/base/bytes.h"
#include "loader/bundle/program.h"

enum { TIRBI_BUNDLE_MAJOR = 1, TIRBI_BUNDLE_MINOR = 0, TIRBI_BUNDLE_HEADER_SIZE = 28 };

/* Appends the bundle of `program` to `out`. The same program gives the same bytes. `heap` is for temporaries. The
 * program need not be verified, but its code must decode. Errors: VERIFY, NO_MEMORY, MEMORY_LIMIT, UNSUPPORTED (more
 * than 4 GiB). */
tirb_status tirbi_bundle_write(const tirbi_program *program, tirbi_heap *heap, tirbi_writer *out, tirb_error *error);

/* How much a bundle may be, each before memory is taken for it. */
typedef struct tirbi_bundle_limits {
    uint64_t max_size;         /* bytes of the bundle, and of its sections when they are unpacked; times 8: of tables */
    uint64_t max_code;         /* bytes of the unpacked code; 0: 4 MiB and 256 times the bundle's, and max_size */
    uint64_t max_sections;     /* bytes of the sections that are read, unpacked; 0: the same */
    uint64_t max_unpacked;     /* bytes of both together; 0: as they are */
    uint64_t max_functions;    /* 0: as many as the format has */
    uint64_t max_instructions; /* 0: as many as there is code for */
    uint64_t memory_per_byte;  /* what each unpacked byte adds to the budget of the arena's heap */
    bool stays; /* the bytes outlive the program, whose constants are used in place if their elements are aligned */
} tirbi_bundle_limits;

/* Restores a program from a bundle; nothing of it points into `bytes`, unless they stay. The result is well-formed
 * data, not verified. Temporaries come from the arena's heap, which counts the work. Errors: FORMAT, VERSION, CHECKSUM,
 * FUEL (the work), MEMORY_LIMIT, NO_MEMORY. */
tirb_status tirbi_bundle_read_within(const void *bytes, size_t size, const tirbi_bundle_limits *limits,
                                     tirbi_arena *arena, tirbi_program **out, tirb_error *error);
/* The same without other limits than of the size. */
tirb_status tirbi_bundle_read(const void *bytes, size_t size, uint64_t max_size, tirbi_arena *arena,
                              tirbi_program **out, tirb_error *error);

/* How many bytes of a bundle stand before the elements of its constants; all of them where it has none, or is no
 * bundle. With the checksum, which is among them, they tell bundles apart that are not made to look alike. */
size_t tirbi_bundle_head(const void *bytes, size_t size);

/* The checksum that a bundle of at least a header's size must carry, and storing it: for tools that alter bundles. */
uint64_t tirbi_bundle_checksum(const uint8_t *bytes, size_t size);
void tirbi_bundle_seal(uint8_t *bytes, size_t size);

#endif
