/* `tirb dis` and `tirb asm`: bundles as assembly text and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/files.h"
#include "compiler/driver/program.h"
#include "loader/bundle/assembly.h"
#include "loader/bundle/bundle.h"
#include "loader/verify/verify.h"

#define MAX_LISTING ((size_t)256 << 20)

static const option_row dis_options[] = {
    {OPTION_OUTPUT, 'o', "output", "FILE", "where the text goes (default: stdout)"},
    {OPTION_FP, 0, "fp", "MODE", "precise, strict or fast, for a source"},
    {OPTION_PARALLEL, 0, "parallel", "WHICH", "auto, off or all, for a source: loops for several threads"},
    DISABLE_OPTION,
    LANGUAGE_OPTIONS,
    COMPILE_LIMIT_OPTIONS,
    DIAGNOSTICS_OPTION,
    NO_CACHE_OPTION,
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static const option_row asm_options[] = {
    {OPTION_OUTPUT, 'o', "output", "FILE", "where the bundle goes (default: the name with .tirb; '-': stdout)"},
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static exit_code disassemble(const invocation *inv, const bundle *from, tirbi_heap *heap, tirbi_arena *arena) {
    tirb_error error = TIRB_ERROR_INIT;
    tirbi_program *program;
    tirb_status status = tirbi_bundle_read(from->bytes, from->size, MAX_LISTING, arena, &program, &error);
    if (status == TIRB_OK) status = tirbi_verify(program, heap, &error);
    if (status != TIRB_OK) return fail_bundle(inv, from, status, &error);
    tirbi_writer text;
    tirbi_writer_init(&text, heap);
    exit_code code;
    status = tirbi_disassemble(program, &text, &error);
    if (status != TIRB_OK) {
        code = fail(inv, EXIT_INTERNAL, "%s: %s", from->file, error.message);
    } else {
        const char *path = option_text(inv, OPTION_OUTPUT);
        code = output_write_beside(inv, inv->operands[0], path ? path : "-", text.data, text.size);
    }
    tirbi_writer_destroy(&text);
    return code;
}

static exit_code run_dis(const invocation *inv) {
    bundle from;
    exit_code code = bundle_open(inv, inv->operands[0], &from);
    if (code != EXIT_DONE) return code;
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    code = disassemble(inv, &from, &heap, &arena);
    tirbi_arena_destroy(&arena);
    bundle_close(&from);
    return code;
}

static exit_code assemble(const invocation *inv, const file_bytes *text, tirbi_heap *heap, tirbi_arena *arena) {
    tirb_error error = TIRB_ERROR_INIT;
    const char *path = option_text(inv, OPTION_OUTPUT), *file = input_name(inv->operands[0]);
    tirbi_program *program;
    tirb_status status = tirbi_assemble((const char *)text->data, text->size, arena, &program, &error);
    if (status == TIRB_SYNTAX) {
        fprintf(stderr, "%s:%u:%u: error: %s\n", file, error.line, error.column, error.message);
        return EXIT_PROGRAM;
    }
    if (status == TIRB_OK) status = tirbi_verify(program, heap, &error);
    tirbi_writer bytes;
    tirbi_writer_init(&bytes, heap);
    if (status == TIRB_OK) status = tirbi_bundle_write(program, heap, &bytes, &error);
    exit_code code;
    if (status != TIRB_OK) {
        code = fail(inv, exit_code_of_load(status), "%s: %s%s%s", file, error.where, *error.where ? ": " : "",
                    error.message);
    } else {
        char *name = path ? strdup(path) : output_name(inv->operands[0], ".tirb");
        code = name ? output_write_beside(inv, inv->operands[0], name, bytes.data, bytes.size) : fail_memory(inv);
        free(name);
    }
    tirbi_writer_destroy(&bytes);
    return code;
}

static exit_code run_asm(const invocation *inv) {
    file_bytes text;
    bool too_large;
    exit_code code = file_read(inv, inv->operands[0], MAX_LISTING, &text, &too_large);
    if (code != EXIT_DONE) return code;
    tirbi_heap heap;
    tirbi_arena arena;
    tirbi_heap_init(&heap, NULL, UINT64_MAX);
    tirbi_arena_init(&arena, &heap);
    if (too_large) {
        code = fail(inv, EXIT_PROGRAM, "%s: the file is larger than %zu MiB", input_name(inv->operands[0]),
                    MAX_LISTING >> 20);
    } else {
        code = assemble(inv, &text, &heap, &arena);
    }
    tirbi_arena_destroy(&arena);
    free(text.data);
    return code;
}

const command dis_command = {
    .name = "dis",
    .operands = "FILE",
    .summary = "Print the assembly of a bundle or of a source",
    .options = dis_options,
    .details = "Assembling what is printed gives the same bundle.\n"
               "\n"
               "Examples:\n"
               "  tirb dis digits.tirb\n"
               "  tirb dis saxpy.py -o saxpy.tirs\n",
    .run = run_dis,
    .least_operands = 1,
    .most_operands = 1,
};

const command asm_command = {
    .name = "asm",
    .operands = "FILE.tirs",
    .summary = "Assemble a listing to a bundle, and verify it",
    .options = asm_options,
    .details = "Examples:\n"
               "  tirb asm saxpy.tirs -o saxpy.tirb\n"
               "  tirb dis saxpy.tirb | tirb asm - -o - | tirb check -\n",
    .run = run_asm,
    .least_operands = 1,
    .most_operands = 1,
};
