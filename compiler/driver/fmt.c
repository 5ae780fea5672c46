/* `tirb fmt`: a source in its canonical text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tirb/compiler.h>

#include "compiler/driver/files.h"
#include "compiler/driver/program.h"

static const option_row fmt_options[] = {
    {OPTION_DIALECT, 0, "dialect", "NAME",
     "tirx (new TVMScript), tir (classic) or hybrid (of 2020); default: what the file is written in"},
    {OPTION_OUTPUT, 'o', "output", "FILE", "where the text goes (default and '-': stdout)"},
    LANGUAGE_OPTIONS,
    COMPILE_LIMIT_OPTIONS,
    DIAGNOSTICS_OPTION,
    {OPTION_CHECK, 0, "check", NULL, "print nothing; exit code 1 if the file is not in its canonical text"},
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static exit_code read_dialect(const invocation *inv, tirb_dialect *out) {
    const char *name = option_text(inv, OPTION_DIALECT);
    *out = TIRB_DIALECT_SAME;
    if (!name) return EXIT_DONE;
    if (strcmp(name, "tirx") == 0) {
        *out = TIRB_DIALECT_TIRX;
    } else if (strcmp(name, "tir") == 0) {
        *out = TIRB_DIALECT_TIR;
    } else if (strcmp(name, "hybrid") == 0) {
        *out = TIRB_DIALECT_HYBRID;
    } else {
        return fail_usage(inv->command, "--dialect is tirx, tir or hybrid, not '%s'", name);
    }
    return EXIT_DONE;
}

static exit_code deliver(const invocation *inv, const file_bytes *text, const tirb_compile_result *result) {
    size_t size;
    const uint8_t *printed = tirb_compile_result_bytes(result, &size);
    if (option_given(inv, OPTION_CHECK)) {
        if (size == text->size && memcmp(printed, text->data, size) == 0) return EXIT_DONE;
        return fail(inv, EXIT_PROGRAM, "%s: it is not in its canonical text", input_name(inv->operands[0]));
    }
    const char *to = option_text(inv, OPTION_OUTPUT);
    if (to && strcmp(to, "-") != 0) return output_write(inv, to, printed, size);
    if (fwrite(printed, 1, size, stdout) != size || fflush(stdout) != 0)
        return fail(inv, EXIT_FILES, "<stdout>: %s", strerror(errno));
    return EXIT_DONE;
}

static exit_code run_fmt(const invocation *inv) {
    file_bytes text = {0};
    tirb_dialect dialect;
    tirb_compile_options options = TIRB_COMPILE_OPTIONS_INIT;
    exit_code code = read_dialect(inv, &dialect);
    if (code == EXIT_DONE) code = compile_limits_read(inv, &options);
    const char *to = option_text(inv, OPTION_OUTPUT);
    if (code == EXIT_DONE && to) code = output_check(inv, to);
    if (code == EXIT_DONE) code = source_read(inv, inv->operands[0], &options, &text);
    if (code != EXIT_DONE) return code;
    tirb_compile_result *result = NULL;
    tirb_error error = TIRB_ERROR_INIT;
    options.file_name = input_name(inv->operands[0]);
    tirb_status status = tirb_format((const char *)text.data, text.size, dialect, &options, &result, &error);
    code = compile_outcome(inv, options.file_name, status, &error, result);
    if (code == EXIT_DONE) code = deliver(inv, &text, result);
    tirb_compile_result_destroy(result);
    free(text.data);
    return code;
}

const command fmt_command = {
    .name = "fmt",
    .operands = "FILE",
    .summary = "Print a source in its canonical text",
    .options = fmt_options,
    .details = "FILE '-' is stdin. TVMScript is read and printed as TVM prints it: comments and the source's own\n"
               "layout are lost. Tensor Comprehensions (.tc) keep their comments; with --dialect the TIR that they\n"
               "become is printed. Nothing is written over unless -o says so.\n"
               "\n"
               "Examples:\n"
               "  tirb fmt digits.py\n"
               "  tirb fmt --dialect tir digits.py -o classic.py\n"
               "  tirb fmt --check digits.py\n"
               "  tirb fmt -D sh=2 -D sw=2 conv.tc\n",
    .run = run_fmt,
    .least_operands = 1,
    .most_operands = 1,
};
