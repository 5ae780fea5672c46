/* Containers: any bytes are read and verified or refused with a message; what verifies survives a round trip. */
#include <stdlib.h>

#include "fuzz/mutate.h"
#include "fuzz/roundtrip.h"
#include "loader/bundle/bundle.h"
#include "loader/verify/verify.h"

enum { MAX_MEMORY = 64 << 20 };

static void refused(tirb_status status, const tirb_error *error) {
    if (status == TIRB_INTERNAL || status == TIRB_NO_MEMORY || error->message[0] == '\0') {
        fuzz_fail("refused with %s: '%s'", tirb_status_name(status), error->message);
    }
}

static bool read_bundle(const uint8_t *bytes, size_t size, tirbi_heap *heap) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_arena arena;
    tirbi_program *program = NULL;
    tirbi_writer written;
    tirbi_arena_init(&arena, heap);
    tirbi_writer_init(&written, heap);
    tirb_status status = tirbi_bundle_read(bytes, size, FUZZ_MAX_BUNDLE, &arena, &program, &error);
    if (status == TIRB_OK) status = tirbi_verify(program, heap, &error);
    if (status == TIRB_OK) {
        fuzz_round_trip(program, heap, &written);
    } else {
        refused(status, &error);
    }
    tirbi_writer_destroy(&written);
    tirbi_arena_destroy(&arena);
    return status == TIRB_OK;
}

static bool run(const uint8_t *data, size_t size) {
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, MAX_MEMORY);
    uint8_t *exact = fuzz_copy(data, size);
    const bool verifies = read_bundle(exact, size, &heap);
    free(exact);
    fuzz_heap_close(&heap, "reading a bundle");
    return verifies;
}

const fuzz_target fuzz_target_bundle = {"bundle", run, fuzz_mutate_bundle, fuzz_cross_bundle};
