/* `tirb compile` and `tirb check`: a source to a bundle, and either of them verified. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/files.h"
#include "compiler/driver/program.h"

static const option_row compile_options[] = {
    {OPTION_OUTPUT, 'o', "output", "FILE",
     "where the bundle goes (default: the source's name with .tirb; '-': stdout)"},
    {OPTION_FP, 0, "fp", "MODE", "precise (a*b+c fuses, block sums are trees), strict (nothing fuses) or fast"},
    {OPTION_PARALLEL, 0, "parallel", "WHICH", "loops for several threads: auto (those worth it), off, or all that may"},
    DISABLE_OPTION,
    {OPTION_MAX_ERRORS, 0, "max-errors", "N", "diagnostics before the compiler gives up (default 20)"},
    LANGUAGE_OPTIONS,
    COMPILE_LIMIT_OPTIONS,
    DIAGNOSTICS_OPTION,
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static const option_row check_options[] = {
    {OPTION_FP, 0, "fp", "MODE", "precise, strict or fast, for a source"},
    {OPTION_PARALLEL, 0, "parallel", "WHICH", "auto, off or all, for a source: loops for several threads"},
    DISABLE_OPTION,
    {OPTION_MAX_ERRORS, 0, "max-errors", "N", "diagnostics before the compiler gives up (default 20)"},
    LANGUAGE_OPTIONS,
    COMPILE_LIMIT_OPTIONS,
    DIAGNOSTICS_OPTION,
    NO_CACHE_OPTION,
    {OPTION_HELP, 'h', "help", NULL, "show this help"},
    {OPTION_END, 0, NULL, NULL, NULL},
};

static exit_code run_compile(const invocation *inv) {
    bundle made = {0};
    const char *given = option_text(inv, OPTION_OUTPUT);
    char *name = given ? strdup(given) : output_name(inv->operands[0], ".tirb");
    exit_code code = name ? output_check(inv, name) : fail_memory(inv);
    if (code == EXIT_DONE) code = bundle_open(inv, inv->operands[0], &made);
    if (code != EXIT_DONE) {
        free(name);
        return code;
    }
    if (!made.was_source) {
        code = fail(inv, EXIT_PROGRAM, "%s: it is a bundle already", made.file);
    } else {
        code = output_write_beside(inv, inv->operands[0], name, made.bytes, made.size);
    }
    free(name);
    bundle_close(&made);
    return code;
}

static exit_code run_check(const invocation *inv) {
    bundle checked;
    exit_code code = bundle_open(inv, inv->operands[0], &checked);
    if (code != EXIT_DONE) return code;
    tirb_engine *engine;
    tirb_module *module;
    code = bundle_load(inv, &checked, false, &engine, &module);
    if (code == EXIT_DONE) {
        uint32_t n = tirb_module_function_count(module);
        printf("%s: ok: %u function%s, %zu bytes%s\n", checked.file, n, n == 1 ? "" : "s", checked.size,
               checked.was_source ? " as a bundle" : "");
        tirb_module_release(module);
        tirb_engine_release(engine);
    }
    bundle_close(&checked);
    return code;
}

const command compile_command = {
    .name = "compile",
    .operands = "FILE",
    .summary = "Compile a source to a bundle",
    .options = compile_options,
    .details = "FILE is TVMScript, or Tensor Comprehensions (.tc); '-' is stdin. Diagnostics go to\n"
               "stderr; nothing is written when there is an error.\n"
               "\n"
               "Examples:\n"
               "  tirb compile digits.py -o digits.tirb\n"
               "  tirb compile - -o - < saxpy.py > saxpy.tirb\n"
               "  tirb compile -D sh=2 -D sw=2 conv.tc\n"
               "  tirb compile --language tc - -o mm.tirb < mm.txt\n",
    .run = run_compile,
    .least_operands = 1,
    .most_operands = 1,
};

const command check_command = {
    .name = "check",
    .operands = "FILE",
    .summary = "Compile a source or read a bundle, verify it, and say so",
    .options = check_options,
    .details = "Examples:\n"
               "  tirb check digits.py\n"
               "  tirb check digits.tirb\n",
    .run = run_check,
    .least_operands = 1,
    .most_operands = 1,
};
