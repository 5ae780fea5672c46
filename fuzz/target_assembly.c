/* Assembly: any text is assembled or refused at a place; what verifies survives a round trip. */
#include <stdlib.h>

#include "fuzz/mutate.h"
#include "fuzz/roundtrip.h"
#include "loader/bundle/assembly.h"
#include "loader/verify/verify.h"

enum { MAX_MEMORY = 64 << 20 };

static bool assemble(const uint8_t *text, size_t size, tirbi_heap *heap) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_arena arena;
    tirbi_program *program = NULL;
    tirbi_writer written;
    tirbi_arena_init(&arena, heap);
    tirbi_writer_init(&written, heap);
    tirb_status status = tirbi_assemble((const char *)text, size, &arena, &program, &error);
    if (status == TIRB_SYNTAX && (error.line == 0 || error.column == 0))
        fuzz_fail("refused nowhere: %s", error.message);
    if (status == TIRB_OK) status = tirbi_verify(program, heap, &error);
    if (status == TIRB_OK) fuzz_round_trip(program, heap, &written);
    if (status != TIRB_OK && error.message[0] == '\0') fuzz_fail("%s without a message", tirb_status_name(status));
    tirbi_writer_destroy(&written);
    tirbi_arena_destroy(&arena);
    return status == TIRB_OK;
}

static bool run(const uint8_t *data, size_t size) {
    tirbi_heap heap;
    tirbi_heap_init(&heap, NULL, MAX_MEMORY);
    uint8_t *exact = fuzz_copy(data, size);
    const bool verifies = assemble(exact, size, &heap);
    free(exact);
    fuzz_heap_close(&heap, "assembling");
    return verifies;
}

const fuzz_target fuzz_target_assembly = {"assembly", run, fuzz_mutate_assembly, fuzz_cross_text};
