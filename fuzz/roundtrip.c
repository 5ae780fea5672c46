#include "fuzz/roundtrip.h"

#include <string.h>

#include "loader/bundle/assembly.h"
#include "loader/bundle/bundle.h"
#include "loader/verify/verify.h"

/* Limits of memory may be met; anything else is a broken promise. */
static bool done(tirb_status status, const tirb_error *error, const char *what) {
    if (status == TIRB_OK) return true;
    if (status != TIRB_MEMORY_LIMIT) fuzz_fail("%s: %s: %s", what, tirb_status_name(status), error->message);
    return false;
}

static void write_again(const tirbi_program *program, tirbi_heap *heap, const tirbi_writer *expected,
                        const char *what) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_writer bytes;
    tirbi_writer_init(&bytes, heap);
    if (done(tirbi_verify(program, heap, &error), &error, what) &&
        done(tirbi_bundle_write(program, heap, &bytes, &error), &error, what) &&
        (bytes.size != expected->size || memcmp(bytes.data, expected->data, bytes.size) != 0)) {
        fuzz_fail("%s: other bytes", what);
    }
    tirbi_writer_destroy(&bytes);
}

static void read_back(tirbi_heap *heap, const tirbi_writer *bytes) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_arena arena;
    tirbi_program *program;
    tirbi_arena_init(&arena, heap);
    if (done(tirbi_bundle_read(bytes->data, bytes->size, FUZZ_MAX_BUNDLE, &arena, &program, &error), &error,
             "read back")) {
        write_again(program, heap, bytes, "read back");
    }
    tirbi_arena_destroy(&arena);
}

static void assemble_back(const tirbi_program *program, tirbi_heap *heap, const tirbi_writer *bytes) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_arena arena;
    tirbi_program *again;
    tirbi_writer text;
    tirbi_arena_init(&arena, heap);
    tirbi_writer_init(&text, heap);
    if (done(tirbi_disassemble(program, &text, &error), &error, "disassemble") &&
        done(tirbi_assemble((const char *)text.data, text.size, &arena, &again, &error), &error, "assemble back")) {
        write_again(again, heap, bytes, "assembled back");
    }
    tirbi_writer_destroy(&text);
    tirbi_arena_destroy(&arena);
}

bool fuzz_round_trip(const tirbi_program *program, tirbi_heap *heap, tirbi_writer *out) {
    tirb_error error = TIRB_ERROR_INIT;
    if (!done(tirbi_bundle_write(program, heap, out, &error), &error, "write")) return false;
    read_back(heap, out);
    assemble_back(program, heap, out);
    return true;
}
